from __future__ import annotations

import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy.sparse as sp
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.datasets import load_iris
from sklearn.ensemble import RandomForestClassifier
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import LinearSVC

from uneven import ActiveLearner, BayesPointClassifier
from uneven.active import RULES, Budget, StablePredictions

X, Y = load_iris(return_X_y=True)
pytestmark = pytest.mark.usefixtures("small_forests")
NAMES = np.array(["setosa", "versicolor", "virginica"])[Y]


def asked(learner: ActiveLearner, pool, y, total: int, n: int = 4, known: int = 0) -> ActiveLearner:
    """Let a learner ask until it has so many labels; some rows, far apart, have one before."""
    learner.start(pool)
    learner.tell(first := np.arange(known) * (len(y) // max(known, 1)), y[first])
    while len(learner.labelled_) < total:
        rows = learner.ask(n)
        learner.tell(rows, y[rows])
    return learner


@pytest.mark.slow
@pytest.mark.parametrize("query", sorted(RULES))
def test_every_rule_learns_three_flowers(query):
    learner = asked(ActiveLearner(query=query, random_state=0), X, NAMES, 24)
    assert learner.classes_.tolist() == ["setosa", "versicolor", "virginica"]
    assert learner.score(X, NAMES) > 0.85
    assert learner.predict_proba(X[:2]).shape == (2, 3)
    assert len(set(learner.labelled_.tolist())) == 24


@pytest.mark.parametrize(
    "estimator",
    [
        LogisticRegression(max_iter=1000),
        LinearSVC(),
        RandomForestClassifier(10, random_state=0),
        GaussianNB(),
        make_pipeline(StandardScaler(), LogisticRegression()),
    ],
    ids=lambda estimator: type(estimator).__name__,
)
@pytest.mark.parametrize("query", ["uncertainty", "centre_of_gravity"])
def test_any_classifier_can_be_driven(estimator, query):
    learner = asked(ActiveLearner(estimator, query, random_state=0), X, NAMES, 24)
    assert type(learner.model_) is type(estimator)
    assert learner.score(X, NAMES) > 0.85
    assert hasattr(learner, "predict_proba") == hasattr(estimator, "predict_proba")
    assert hasattr(learner, "decision_function") == hasattr(estimator, "decision_function")


def test_the_first_rows_are_spread_over_the_pool():
    rng = np.random.default_rng(0)
    groups = np.repeat(np.eye(5), 30, axis=0) * 10 + rng.normal(size=(150, 5)) * 0.1
    rows = ActiveLearner(random_state=0).start(groups).ask(5)
    assert sorted(row // 30 for row in rows) == [0, 1, 2, 3, 4]
    assert rows.tolist() == ActiveLearner(random_state=0).start(groups).ask(5).tolist()


def test_rows_of_one_class_do_not_make_a_classifier():
    learner = ActiveLearner(random_state=0).start(X).tell([0, 1], [0, 0])
    assert learner.model_ is None
    assert len(set(learner.ask(10).tolist()) & {0, 1}) == 0
    for call in (lambda: learner.predict(X), learner.state):
        with pytest.raises(ValueError, match="2 rows have a label, of 1 classes"):
            call()
    assert learner.tell([60], [1]).predict(X).shape == (150,)


def test_a_pool_of_one_row_and_a_pool_without_open_rows():
    learner = ActiveLearner(random_state=0).start([[1.0, 2.0]])
    assert learner.ask(3).tolist() == [0]
    assert learner.tell(0, "a").ask().tolist() == []
    assert learner.stop_reason() == "every row of the pool has a label"


def test_fewer_rows_are_asked_for_if_fewer_are_open():
    learner = ActiveLearner(random_state=0).start(X[:60]).tell(range(57), Y[:57])
    assert learner.ask(10).tolist() == [57, 58, 59]


@pytest.mark.parametrize("known", [None, np.nan, -1])
def test_a_start_with_some_labels_is_a_start_and_an_answer(known):
    y = np.full(150, known, dtype=object if known is None else float)
    rows = np.array([3, 60, 110])
    y[rows] = Y[rows]
    one = ActiveLearner(random_state=0).start(X, y)
    two = ActiveLearner(random_state=0).start(X).tell(rows, y[rows])
    three = ActiveLearner(random_state=0).fit(X, y)
    assert one.labelled_.tolist() == [3, 60, 110]
    assert one.ask(5).tolist() == two.ask(5).tolist() == three.ask(5).tolist()


@pytest.mark.parametrize(
    "form",
    [
        sp.csr_matrix,
        sp.csc_array,
        np.asfortranarray,
        lambda table: table.astype(np.float32).astype(float).tolist(),
        lambda table: pd.DataFrame(table, columns=list("abcd")),
        lambda table: pl.DataFrame(table, schema=list("abcd")),
    ],
    ids=["csr", "csc", "fortran", "list", "pandas", "polars"],
)
def test_pools_of_all_forms_are_asked_alike(form):
    table = X.astype(np.float32).astype(float)
    model = BayesPointClassifier("linear", fit_intercept=True)
    asking = ActiveLearner(model, "centre_of_gravity", random_state=0)
    plain, learner = (
        asked(clone(asking), pool, NAMES, 16, known=3) for pool in (table, form(table))
    )
    assert learner.labelled_.tolist() == plain.labelled_.tolist()
    assert (learner.predict(form(table)) == plain.predict(table)).all()


def test_kernel_values_may_be_given():
    values = rbf_kernel(X, gamma=0.5)
    given = ActiveLearner(BayesPointClassifier("precomputed"), random_state=0)
    plain = ActiveLearner(BayesPointClassifier("rbf", gamma=0.5), random_state=0)
    rules = [StablePredictions(3, share) for share in np.linspace(0, 1, 41)]
    for learner, pool in ((given, values), (plain, X)):
        learner.start(pool).tell([0, 60, 110], Y[[0, 60, 110]]).tell([20, 70, 140], [0, 1, 2])
    assert given.ask(6).tolist() == plain.ask(6).tolist()
    assert (given.predict(values[:9]) == plain.predict(X[:9])).all()
    said = [rule(plain) for rule in rules]
    assert None in said
    assert [rule(given) for rule in rules] == said


def test_names_of_columns_are_kept_and_compared():
    frame = pd.DataFrame(X, columns=list("abcd"))
    learner = ActiveLearner(random_state=0).fit(frame[::10], Y[::10])
    assert learner.feature_names_in_.tolist() == list("abcd")
    with pytest.raises(ValueError, match="feature names"):
        learner.predict(frame[list("dcba")])


def test_a_sparse_pool_gets_a_linear_kernel_and_stays_sparse():
    rng = np.random.default_rng(0)
    pool = sp.random(400, 3000, density=0.01, random_state=0, format="csr")
    y = (pool @ rng.normal(size=3000) > 0).astype(int)
    learner = asked(ActiveLearner(random_state=0), pool, y, 20, n=5)
    assert learner.model_.kernel == "linear"
    assert sp.issparse(learner.state().pool.X)


@pytest.mark.parametrize("labels", [[True, False], ["a", "b"], [1.0, 2.0], np.array([7, 9])])
def test_labels_keep_their_kind(labels):
    learner = ActiveLearner(random_state=0).start(X).tell([0, 60], labels)
    assert learner.labels_.tolist() == list(labels)
    assert learner.predict(X).dtype.kind == np.asarray(labels).dtype.kind


def test_labels_may_be_changed_on_request_only():
    learner = ActiveLearner(random_state=0).start(X).tell([0, 60, 110], [0, 1, 1])
    with pytest.raises(ValueError, match="row 60 has a label already"):
        learner.tell([60], [2])
    learner.tell([60], [2], overwrite=True)
    assert (learner.labelled_.tolist(), learner.labels_.tolist()) == ([0, 110, 60], [0, 1, 2])
    assert learner.classes_.tolist() == [0, 1, 2]


@pytest.mark.parametrize(
    ("rows", "labels", "words"),
    [
        ([0, 1], [0], "one label per row"),
        ([0, 0], [0, 1], "row 0 is there more than once"),
        ([150], [0], "from 0 to 149"),
        ([-1], [0], "from 0 to 149"),
        ([0.5], [0], "from 0 to 149"),
        ([[0, 1]], [[0, 1]], "one label per row"),
        ([5, 6], ["a", None], "label of row 6 is missing"),
        ([5, 6], ["a", float("nan")], "label of row 6 is missing"),
        ([4], [None], "label of row 4 is missing"),
        ([4, 7], ["", ""], "label of row 4 is missing"),
        ([5, 6], ["a", ""], "label of row 6 is missing"),
        ([5, 6], [1.0, np.nan], "label of row 6 is missing"),
        ([5, 6], ["a", 3], "mixes text"),
        ([5, 6], [0.25, 0.5], "continuous"),
    ],
)
def test_wrong_answers_are_refused_and_change_nothing(rows, labels, words):
    learner = ActiveLearner(random_state=0).start(X).tell([100, 60], [1, 2])
    before = learner.predict(X)
    with pytest.raises(ValueError, match=words):
        learner.tell(rows, labels)
    assert learner.labelled_.tolist() == [100, 60]
    assert len(learner.history_) == 1
    assert (learner.predict(X) == before).all()


def test_text_and_numbers_are_not_classes_of_one_problem():
    learner = ActiveLearner(random_state=0).start(X).tell([0, 60], ["a", "b"])
    with pytest.raises(ValueError, match="text and numbers"):
        learner.tell([3], [1])
    assert learner.labelled_.tolist() == [0, 60]


class NeverUnsure(ClassifierMixin, BaseEstimator):
    """A classifier that does not say how sure it is."""

    def fit(self, X, y):
        self.classes_ = np.unique(y)
        return self

    def predict(self, X):
        return np.repeat(self.classes_[:1], len(X))


def test_a_classifier_that_is_never_unsure_can_be_driven_by_other_rules():
    learner = asked(ActiveLearner(NeverUnsure(), random_state=0), X, Y, 12)
    assert learner.predict(X).tolist() == [0] * 150


@pytest.mark.parametrize(
    ("choices", "words"),
    [
        ({"query": "gravity"}, "query must be one of"),
        ({"query": "centre_of_gravty"}, "Did you mean 'centre_of_gravity'"),
        ({"query": "margin_sampling"}, r"nearest to it is query='uncertainty'\."),
        ({"query": "BADGE"}, r"nearest to it is batch='gradients'\."),
        ({"query": 7}, "query must be one of"),
        ({"stop": 5}, r"stop must be .* got 5. Budget\(5\) stops at 5 labels"),
        ({"stop": [Budget(3), "later"]}, "stop must be a stopping rule or a list of them"),
        ({"stop": StablePredictions}, r"Write StablePredictions\(...\)"),
        ({"estimator": Ridge()}, r"must be a classifier, got the regressor Ridge\(\)"),
        ({"estimator": "svm"}, r"got 'svm', which has no fit\(\)"),
        ({"estimator": GaussianNB}, r"got the class GaussianNB: write GaussianNB\(\)"),
        ({"estimator": NeverUnsure(), "query": "uncertainty"}, "predict_proba or decision_f"),
        ({"batch": "all"}, "batch must be one of"),
        ({"ties": "last"}, "ties must be one of"),
        ({"geometry": GaussianNB()}, "geometry must be a BayesPointClassifier"),
    ],
)
def test_unknown_choices_are_refused(choices, words):
    with pytest.raises(ValueError, match=words):
        ActiveLearner(**choices).start(X)


@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_pools_with_holes_are_refused(bad):
    pool = X.copy()
    pool[3, 1] = bad
    with pytest.raises(ValueError, match=r"NaN|infinity"):
        ActiveLearner().start(pool)


def test_other_calls_at_the_wrong_time_are_refused():
    for call in (
        lambda: ActiveLearner().ask(),
        lambda: ActiveLearner().tell([0], [1]),
        lambda: ActiveLearner().predict(X),
        lambda: ActiveLearner().save("nowhere.json"),
        lambda: ActiveLearner().state(),
        lambda: ActiveLearner().stop_reason(),
    ):
        with pytest.raises(NotFittedError, match=r"no pool yet: call start\(pool\)"):
            call()
    learner = ActiveLearner(random_state=0).start(X)
    for n in (0, 1.5, "two"):
        with pytest.raises(ValueError, match="n must be a whole number"):
            learner.ask(n)
    with pytest.raises(ValueError, match="labels has 3 entries, the pool 150 rows"):
        learner.start(X, [0, 1, None])


@pytest.mark.parametrize(
    ("rule", "words"),
    [
        (lambda state: np.zeros(3), "expected one number for each of the 148"),
        (lambda state: np.full(len(state.candidates), np.nan), "returned NaN"),
    ],
)
def test_rules_that_do_not_answer_are_refused(rule, words):
    learner = ActiveLearner(query=rule, random_state=0).start(X).tell([0, 60], [0, 1])
    with pytest.raises(ValueError, match=words):
        learner.ask(2)


def test_a_function_can_be_the_rule():
    def last(state):
        return state.candidates.astype(float)

    learner = ActiveLearner(query=last, batch="best").start(X).tell([0, 60], [0, 1])
    assert learner.ask(3).tolist() == [149, 148, 147]
    assert clone(learner).query is last


@pytest.mark.slow
def test_the_same_seed_asks_the_same_and_asking_does_not_learn():
    runs = [asked(ActiveLearner(random_state=3), X, Y, 16).labelled_.tolist() for _ in range(2)]
    assert runs[0] == runs[1]
    learner = asked(ActiveLearner(random_state=3), X, Y, 16)
    assert learner.ask(4).tolist() == learner.ask(4).tolist()


def test_a_classifier_that_fails_leaves_the_learner_as_it_was():
    class Moody(GaussianNB):
        def fit(self, X, y):
            if len(y) > 3:
                raise RuntimeError("no more")
            return super().fit(X, y)

    learner = ActiveLearner(Moody(), "uncertainty", random_state=0).start(X).tell([0, 60], [0, 1])
    with pytest.raises(RuntimeError, match="no more"):
        learner.tell([110, 111], [2, 2])
    assert learner.labelled_.tolist() == [0, 60]
    assert learner.classes_.tolist() == [0, 1]
    assert len(learner.history_) == 1


@pytest.mark.parametrize(
    "labels", [None, [None] * 150, np.full(150, -1), np.full(150, np.nan), [""] * 150]
)
def test_labels_that_are_all_missing_are_no_labels(labels):
    learner = ActiveLearner(random_state=0).start(X, labels)
    assert len(learner.labelled_) == len(learner.history_) == 0
    assert learner.ask(3).tolist() == ActiveLearner(random_state=0).start(X).ask(3).tolist()
    with pytest.raises(ValueError, match=r"no label at all|requires y"):
        ActiveLearner().fit(X, labels)


@pytest.mark.slow
@pytest.mark.parametrize("kind", [list, np.array, pd.Series, pl.Series])
def test_empty_text_is_no_label(kind):
    labels = kind([name if i % 10 == 0 else "" for i, name in enumerate(NAMES.tolist())])
    learner = ActiveLearner(random_state=0).start(X, labels)
    assert learner.labelled_.tolist() == list(range(0, 150, 10))
    assert learner.classes_.tolist() == ["setosa", "versicolor", "virginica"]
    assert ActiveLearner().fit(X, labels).classes_.tolist() == learner.classes_.tolist()


def test_saving_into_a_folder_that_is_not_there_names_the_file(tmp_path):
    learner = ActiveLearner().start(X)
    with pytest.raises(FileNotFoundError) as caught:
        learner.save(tmp_path / "nowhere" / "a.json")
    assert str(caught.value).endswith("a.json'")


def test_given_kernel_values_of_rows_of_all_lengths_are_asked_alike():
    pool = X * np.random.default_rng(0).uniform(0.1, 9.0, 150)[:, None]
    given = ActiveLearner(BayesPointClassifier("precomputed")).start(pool @ pool.T)
    plain = ActiveLearner(BayesPointClassifier("linear")).start(pool)
    known = np.array([0, 60, 110, 20, 70, 140])
    for learner in (given, plain):
        learner.tell(known, Y[known])
    np.testing.assert_array_equal(X[given.ask(4)], X[plain.ask(4)])  # two rows are equal
