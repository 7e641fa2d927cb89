"""The exhibits of the Bregman paper: their print, their protocol and their claims."""

import numpy as np
import pytest
from scipy.sparse import csr_array
from sklearn.base import clone
from sklearn.dummy import DummyClassifier
from sklearn.tree import DecisionTreeClassifier

from uneven import BregmanVoteClassifier, EarlyFusionClassifier
from uneven_published.bregman import EXHIBITS
from uneven_published.bregman.figure_2 import FIGURE_2, FOOTNOTE_3, PAIRS, closer, rises, slows_down
from uneven_published.bregman.methods import (
    BEST_VIEW,
    CORRECTED,
    OURS,
    PRINTED,
    VOTE,
    SparseMetricLearning,
    VoteOfDepths,
)
from uneven_published.bregman.runs import (
    APART,
    OVERLAPPING,
    TEXTS,
    ChosenIterations,
    Collection,
    LearningCurve,
    OneAgainstRest,
    Task,
    open_collection,
    tasks,
)
from uneven_published.bregman.table_1 import TABLE_1
from uneven_published.description import Context
from uneven_published.numbers import Measured, Printed, Value
from uneven_published.significance import compare_columns

N_TEXTS = 120
N_CLASSES = 3
WEAK = {name for name in (*PRINTED, *OURS) if name.startswith(VOTE)}
"""Votes of a few random cuts, or of one view: from twenty rows they may learn little."""


def _write_texts(folder) -> None:
    """Two languages: the first tells the classes apart, the second is noise."""
    rng = np.random.default_rng(0)
    target = np.arange(N_TEXTS) % N_CLASSES
    strong = rng.poisson(np.where(np.arange(6) % N_CLASSES == target[:, None], 4.0, 0.3))
    X = csr_array(np.hstack([strong, rng.poisson(1.0, (N_TEXTS, 4))]).astype(np.float32))
    np.savez(
        folder / "reuters_multilingual_1200.npz",
        data=X.data,
        indices=X.indices,
        indptr=X.indptr,
        shape=X.shape,
        target=target,
        view_of_column=np.array(["english"] * 6 + ["french"] * 4),
    )


@pytest.fixture(scope="module")
def context(tmp_path_factory) -> Context:
    folder = tmp_path_factory.mktemp("collections")
    _write_texts(folder)
    images = np.random.default_rng(1).integers(0, 255, (12, 28, 28), dtype=np.uint8)
    np.savez(folder / "mnist.npz", images=images, target=np.arange(12) % 10)
    return Context(folder)


class Guess(DummyClassifier):
    """Answers the class always, or never."""

    def __init__(self, constant=True, views=None, random_state=None):
        super().__init__(strategy="constant", constant=constant)
        self.views = views
        self.random_state = random_state


def test_the_printed_table_is_whole():
    assert len(TABLE_1.printed.values) == 48
    assert TABLE_1.printed.columns == tuple(PRINTED)
    unmarked = {key for key, value in TABLE_1.printed.values.items() if value.mark != "↓"}
    best = {(row, VOTE, key) for row in TABLE_1.printed.rows for key in ("accuracy", "f1")}
    assert unmarked - best == {("Reuters", "rBoost.SH", "accuracy"), ("Reuters", "MVWAB", "f1")}


def test_what_the_source_says_of_its_own_table():
    wrong = ("All methods that use several views", "rBoost.SH is the worst")
    for claim in TABLE_1.claims:
        verdict = claim.check(TABLE_1.printed)
        if claim.text.startswith("Asked"):
            assert verdict.held is None
        else:
            assert verdict.held is not claim.text.startswith(wrong), claim.text
    first = TABLE_1.claims[0].check(TABLE_1.printed).detail
    assert first == "13 of 15 rows; not rBoost.SH on MNIST₁, Fusion on Reuters"


def test_the_gains_are_those_of_the_errata():
    gains = {
        claim.text.split()[3]: claim.check(TABLE_1.printed).detail
        for claim in TABLE_1.claims
        if claim.text.startswith("Its gains")
    }
    assert gains == {"accuracy": "+0.27 %, +1.12 %, +2.23 %", "F1": "+2.96 %, +3.68 %, +3.82 %"}


def test_a_gain_outside_the_stated_range_is_seen():
    gain = next(claim.check for claim in TABLE_1.claims if "gains in accuracy" in claim.text)
    rival = TABLE_1.printed | Printed({(APART, "MVWAB", "accuracy"): Value(0.90)})
    assert gain(rival).held is False


def test_exhibits_name_what_has_an_experiment():
    assert [e.name for e in EXHIBITS] == [
        "bregman-section-4.2",
        "bregman-table-1",
        "bregman-footnote-3",
        "bregman-figure-2",
    ]


def test_tasks_are_balanced_to_learn_and_natural_to_test(context):
    rows = open_collection(TEXTS, context)
    numbered = Collection(np.arange(N_TEXTS)[:, None], rows.target, {}, rows.n_test)
    assert rows.n_test == 36
    found = list(tasks(numbered, 20, seed=3))
    assert len(found) == N_CLASSES
    for label, task in enumerate(found):
        seen, unseen = task.X.ravel().astype(int), task.unseen.ravel().astype(int)
        assert task.y.sum() == 10 == (~task.y).sum()
        assert len(np.unique(np.concatenate([seen, unseen]))) == 20 + 36
        assert np.array_equal(rows.target[seen] == label, task.y)
        assert np.array_equal(rows.target[unseen] == label, task.truth)


def test_larger_training_sets_contain_the_smaller_ones(context):
    rows = open_collection(TEXTS, context)
    numbered = Collection(np.arange(N_TEXTS)[:, None], rows.target, {}, rows.n_test)
    for few, many in zip(tasks(numbered, 10, seed=3), tasks(numbered, 30, seed=3)):
        assert set(few.X.ravel()) < set(many.X.ravel())
        assert np.array_equal(few.unseen, many.unseen)


def test_too_many_training_rows_are_refused(context):
    rows = open_collection(TEXTS, context)
    with pytest.raises(ValueError, match="100 balanced rows of class 0"):
        list(tasks(rows, 100, seed=0))


def test_digits_are_seen_through_quarters_apart_or_overlapping(context):
    apart, shared = (open_collection(name, context) for name in (APART, OVERLAPPING))
    assert len(np.unique(np.concatenate(list(apart.views.values())))) == 28 * 28
    assert len(np.unique(np.concatenate(list(shared.views.values())))) == 20 * 20
    assert apart.n_test == 10_000


def test_scores_are_means_over_classes(context):
    answers = OneAgainstRest({"always": Guess(True), "never": Guess(False)}, 20)(TEXTS, 0, context)
    accuracy = {name: measures["accuracy"][0] for name, measures in answers.items()}
    assert accuracy["always"] == pytest.approx(1 / N_CLASSES)
    assert accuracy["never"] == pytest.approx(1 - 1 / N_CLASSES)
    assert answers["never"]["f1"] == [0.0]
    assert 0.45 < answers["always"]["f1"][0] < 0.5


class Scores(Guess):
    """A classifier whose scores are the first column."""

    def decision_function(self, X):
        return X[:, 0]


def test_ties_count_as_the_class_and_are_left_out_beside_it():
    unseen = np.array([[1.0], [-1.0], [0.0], [1e-12]])
    task = Task(np.zeros((2, 1)), np.array([False, True]), unseen, np.array([True, False] * 2))
    found = task.judge_model(Scores().fit(task.X, task.y))
    assert found == {
        "accuracy": 0.75,
        "f1": pytest.approx(0.8),
        "accuracy.untied": 1.0,
        "f1.untied": 1.0,
        "tied": 0.5,
    }


def test_voters_have_all_depths_up_to_two_less_than_a_full_tree():
    X, y, views = _two_classes()
    vote = BregmanVoteClassifier(variant="paper", view_weights="fixed")
    model = VoteOfDepths(vote, views=views, random_state=3).fit(X, y)
    full = [
        DecisionTreeClassifier(splitter="random", random_state=3).fit(X[:, c], y).get_depth()
        for c in views.values()
    ]
    assert [len(weights) for weights in model.vote_.voter_weights_] == [d - 2 for d in full]
    assert np.allclose(model.vote_.view_weights_, 0.5)
    assert model.vote_.n_iter_ == 2


def test_repetitions_differ_and_can_be_repeated(context):
    measure = OneAgainstRest({"Concat": EarlyFusionClassifier()}, 20, best_view=BEST_VIEW)
    first, again, other = (measure(TEXTS, repeat, context) for repeat in (0, 0, 1))
    assert first == again
    assert first != other
    assert first["Concat"]["accuracy"][0] > 0.75
    assert first[BEST_VIEW]["accuracy"][0] > 0.75


def test_every_method_of_the_table_learns_from_views_that_tell(context):
    rows = open_collection(TEXTS, context)
    task = next(tasks(rows, 20, seed=0))
    studies = (*TABLE_1.studies, *FOOTNOTE_3.studies)
    measured = {name: one for study in studies for name, one in study.measure.methods.items()}
    assert {*measured, BEST_VIEW} == {*TABLE_1.columns, *FOOTNOTE_3.columns}
    for name, method in measured.items():
        model = clone(method).set_params(views=rows.views, random_state=0).fit(task.X, task.y)
        f1 = task.judge(model.predict(task.unseen))[1]
        assert f1 > (0.0 if name in WEAK else 0.55), name


def test_repetitions_of_a_curve_are_its_sizes(context):
    methods = {"Concat": EarlyFusionClassifier()}
    curve = LearningCurve(methods, (10, 30), axis=(10, 20, 30))
    cells = [curve(TEXTS, repeat, context) for repeat in range(4)]
    found = Measured.gather((TEXTS, cell) for cell in cells)
    mean = found.mean(TEXTS, "Concat", "accuracy")
    for place, size in ((0, 10), (2, 30)):
        single = [OneAgainstRest(methods, size)(TEXTS, draw, context) for draw in (0, 1)]
        expected = np.mean([one["Concat"]["accuracy"][0] for one in single])
        assert mean[place] == pytest.approx(expected)
    assert np.isnan(mean[1])


def test_all_sizes_of_the_figure_come_in_a_fast_run():
    for study in FIGURE_2.studies:
        assert study.fast_repeats == len(study.measure.sizes)
        assert study.repeats % len(study.measure.sizes) == 0


class Needs(EarlyFusionClassifier):
    """A tree that is only grown from a number of iterations on."""

    def __init__(self, views=None, random_state=None, max_iter=1):
        super().__init__(views=views, random_state=random_state)
        self.max_iter = max_iter

    def fit(self, X, y):
        self.estimator = None if self.max_iter >= 2 else DummyClassifier(strategy="prior")
        return super().fit(X, y)


def test_the_fewest_iterations_of_the_best_are_chosen(context):
    found = ChosenIterations({"tree": Needs()}, (1, 2, 4), n_train=20)(TEXTS, 0, context)["tree"]
    assert found["share"] == [1.0]
    assert found["chosen"] == [2.0]
    assert found["together"] == [1.0]
    curve = found["accuracy"][0]
    assert curve[1] == curve[2] > curve[0]


def _numbers(curves: dict[str, list[float]], measure: str = "accuracy") -> Printed:
    return Printed({("a", name, measure): Value(np.array(curve)) for name, curve in curves.items()})


def test_rising_curves():
    rising = rises("accuracy", tolerance=0.01)
    assert rising(_numbers({"x": [0.5, 0.495, 0.6, np.nan]})).held is True
    assert rising(_numbers({"x": [0.5, 0.6], "y": [0.5, 0.4]})).detail.endswith("not y on a")
    assert rising(_numbers({"x": [np.nan, 0.4]})).held is None


def test_curves_that_slow_down():
    slows = slows_down("accuracy", x=(10, 20, 40))
    assert slows(_numbers({"x": [0.1, 0.3, 0.6]})).held is True
    assert slows(_numbers({"x": [0.1, 0.2, 0.6]})).held is False
    assert slows(_numbers({"x": [0.1, 0.2]})).held is None
    later = slows_down("accuracy", x=(10, 20, 40, 80))
    assert later(_numbers({"x": [np.nan, 0.1, 0.3, 0.6]})).held is True
    assert later(_numbers({"x": [np.nan, 0.1, 0.2, 0.5]})).held is False


def test_curves_that_come_closer():
    nearer = closer("accuracy", ("x", "y"))
    assert nearer(_numbers({"x": [0.1, 0.6], "y": [0.5, 0.7], "z": [0.5, 0.0]})).held is True
    assert nearer(_numbers({"x": [0.4, 0.6], "y": [0.5, 0.9]})).held is False
    gaps = {"x": [0.1, 0.4, 0.6, np.nan], "y": [np.nan, 0.5, 0.9, 0.6]}
    assert nearer(_numbers(gaps)).held is False
    assert nearer(_numbers({"x": [0.1, 0.4, np.nan], "y": [np.nan, 0.5, 0.4]})).held is None


def test_columns_that_are_alike():
    assert dict(PAIRS)["Mono"] == "Mono, AdaBoost"
    (alike,) = (
        claim.check
        for claim in FOOTNOTE_3.claims
        if claim.text.startswith("Accuracy") and claim.text.endswith("in Mono.")
    )
    near = Printed(
        {
            (APART, "Mono", "accuracy"): Value(0.5),
            (APART, dict(PAIRS)["Mono"], "accuracy"): Value(0.51),
        }
    )
    assert alike(near).held is True
    assert alike(near | Printed({(APART, "Mono", "accuracy"): Value(0.54)})).held is False


def test_arrows_compare_the_published_methods_only():
    rng = np.random.default_rng(0)
    level = {"MVWAB": 0.9, "Mono": 0.8, CORRECTED: 0.99}
    found = Measured.gather(
        (APART, {name: {"accuracy": [rng.normal(mean, 0.01)]} for name, mean in level.items()})
        for _ in range(20)
    )
    tests = compare_columns(TABLE_1, found)
    assert [(one.first, one.second, one.significant) for one in tests] == [("Mono", "MVWAB", True)]


@pytest.mark.parametrize(("n", "shown"), [(4, False), (5, True)])
def test_no_test_of_ranks_is_shown_that_cannot_be_significant(n, shown):
    far = {"MVWAB": 0.9, "Mono": 0.1}
    found = Measured.gather(
        (APART, {name: {"accuracy": [mean + 0.001 * j]} for name, mean in far.items()})
        for j in range(n)
    )
    assert [one.significant for one in compare_columns(TABLE_1, found)] == [True] * shown


def _two_classes() -> tuple[np.ndarray, np.ndarray, dict[str, slice]]:
    rng = np.random.default_rng(0)
    y = rng.random(80) < 0.5
    X = rng.normal(size=(80, 6)) + 1.5 * y[:, None] * np.array([1, 1, 1, 0, 0, 0])
    return X, y, {"strong": slice(0, 3), "noise": slice(3, 6)}


def test_metric_learning_learns_dense_and_sparse_alike():
    X, y, views = _two_classes()
    dense = SparseMetricLearning(views).fit(X, y)
    sparse = SparseMetricLearning(views).fit(csr_array(X), y)
    assert dense.score(X, y) > 0.85
    assert np.array_equal(dense.predict(X), sparse.predict(csr_array(X)))
    assert np.linalg.eigvalsh(dense.metric_).min() > 0


def test_a_large_penalty_empties_the_metric_between_views():
    X, y, views = _two_classes()
    size = int(0.24 * len(X))
    free = SparseMetricLearning(views, sparsity=0.0, n_loops=1).fit(X, y).metric_
    thin = SparseMetricLearning(views, sparsity=3.0, n_loops=1).fit(X, y).metric_
    assert np.abs(free[:size, size:]).max() > 1e-3
    assert np.abs(thin[:size, size:]).max() < 1e-9
    assert np.abs(thin[:size, :size]).max() > 0.1


def test_metric_learning_needs_two_classes():
    X, _, views = _two_classes()
    with pytest.raises(ValueError, match="two classes, got 1"):
        SparseMetricLearning(views).fit(X, np.ones(len(X)))
