"""`uneven.compare`: what it takes, what it gives, what it refuses."""

from __future__ import annotations

import json
import pickle
from dataclasses import replace
from typing import ClassVar

import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy.sparse as sp
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.compose import make_column_transformer
from sklearn.dummy import DummyClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import (
    GroupKFold,
    PredefinedSplit,
    RepeatedStratifiedKFold,
    ShuffleSplit,
)
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder
from sklearn.svm import SVC, LinearSVC
from sklearn.tree import DecisionTreeClassifier

from tests.cli.conftest import make_frame
from uneven import ComboClassifier, compare
from uneven.comparison import METHODS, Comparison, InputError
from uneven.comparison.encoding import DenseFrame, encode_ordinal
from uneven.comparison.fitnotes import fit_notes
from uneven.comparison.methods import choose_methods
from uneven.comparison.problem import make_problem
from uneven.metrics import confusion_norm
from uneven.utils.registry import read_declarations

FRAME = make_frame(120)
FEATURES, LABELS = FRAME.drop(columns="label"), FRAME["label"]
NUMBERS = FRAME[["sound__pitch", "text__length"]].to_numpy(dtype=float)
QUICK = {"cv": 2, "rounds": 3, "n_jobs": 1}


@pytest.fixture(scope="module")
def found():
    return compare(
        FRAME,
        "label",
        methods={"mine": LogisticRegression(max_iter=2000), "combo": "combo"},
        repeats=2,
        views="prefix",
        **QUICK,
    )


def test_a_frame_gives_everything_a_person_asks_for(found):
    assert found.best_ == found.ranking.index[0]
    assert set(found.ranking.index) == {"mine", "combo", *(guess.name for guess in found.dummies)}
    assert found.ranking.columns[0] == "confusion_norm"
    assert (found.ranking["failed"] == 0).all()
    assert found.recalls.columns.tolist() == ["common", "less", "rare"]
    counts = found.confusions["combo"]
    assert counts.to_numpy().sum() == 2 * len(FRAME)
    assert counts.loc["rare"].sum() == 20
    assert np.isclose(found.recalls.loc["combo", "rare"], counts.loc["rare", "rare"] / 20)
    assert list(found.data.views) == ["sound", "text"]
    assert found.winner.label in repr(found)


def test_answers_are_those_of_models_that_have_not_seen_the_row(found):
    folds = RepeatedStratifiedKFold(n_splits=2, n_repeats=2, random_state=0)
    schema = found.refit_plan.problem.schema
    X, y = schema.convert(FEATURES), LABELS.to_numpy()
    answers = {repeat: np.empty(len(y), dtype=object) for repeat in (0, 1)}
    for number, (train, test) in enumerate(folds.split(X, y)):
        encoder = encode_ordinal(schema).fit(X.iloc[train])
        views = {"sound": ["sound__pitch", "sound__noise"], "text": ["text__word", "text__length"]}
        model = ComboClassifier(n_estimators=3, views=views, random_state=0)
        model.fit(encoder.transform(X.iloc[train]), y[train])
        answers[number // 2][test] = model.predict(encoder.transform(X.iloc[test]))
    for repeat, expected in answers.items():
        assert found.predictions["combo"].loc[repeat].tolist() == expected.tolist()
    assert found.truth.loc[0].tolist() == found.truth.loc[1].tolist() == y.tolist()


def test_scores_have_a_column_per_method_and_class(found):
    scores = found.scores
    assert scores.shape == (2 * len(FRAME), 6)
    assert np.allclose(scores["mine"].sum(axis=1), 1.0)
    assert (scores["mine"].idxmax(axis=1) == found.predictions["mine"]).all()


def test_measures_follow_from_the_answers(found):
    told = next(m for m in found.methods if m.name == "mine")
    rows = told.answers[0].rows
    expected = confusion_norm(LABELS.iloc[rows], found.predictions["mine"].loc[0].iloc[rows])
    assert told.scores["confusion_norm"][0] == pytest.approx(expected)


def test_chance_is_what_permuted_labels_give():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(400, 6)), rng.permutation(np.repeat(["a", "b"], 200))
    told = compare(X, y, methods=["combo", DecisionTreeClassifier()], rounds=20, cv=5, n_jobs=1)
    assert ((told.ranking["balanced_accuracy"] - 0.5).abs() < 0.12).all()
    assert ((told.ranking["mauc"] - 0.5).abs() < 0.12).all()


@pytest.mark.parametrize("kind", ["array", "list", "pandas", "polars", "path", "target in frame"])
def test_kinds_of_tables_give_the_same_answers(kind, tmp_path):
    frame = pd.DataFrame(NUMBERS, columns=["x0", "x1"]).assign(label=LABELS)
    frame.to_csv(tmp_path / "t.csv", index=False)
    X, y = {
        "array": (NUMBERS, LABELS.to_numpy()),
        "list": (NUMBERS.tolist(), LABELS.tolist()),
        "pandas": (frame[["x0", "x1"]], frame["label"]),
        "polars": (pl.DataFrame(NUMBERS, schema=["x0", "x1"]), pl.Series("label", LABELS.tolist())),
        "path": (tmp_path / "t.csv", "label"),
        "target in frame": (pl.from_pandas(frame), "label"),
    }[kind]
    told = compare(X, y, methods="combo", **QUICK)
    usual = compare(NUMBERS, LABELS.to_numpy(), methods="combo", **QUICK)
    assert told.predictions["combo"].tolist() == usual.predictions["combo"].tolist()
    new = X if not hasattr(X, "columns") or "label" not in X.columns else frame
    assert told.best_model().predict(new).tolist() == usual.best_model().predict(NUMBERS).tolist()


@pytest.mark.slow
def test_a_sparse_matrix_stays_sparse_for_those_who_take_it():
    seen = []

    class Spy(LogisticRegression):
        def fit(self, X, y, sample_weight=None):
            seen.append(sp.issparse(X))
            return super().fit(X, y)

    X = sp.csc_array(np.where(np.abs(NUMBERS) < 1.0, 0.0, NUMBERS))
    methods = ["combo", "mumbo", "hist_gradient_boosting", "logistic_regression", Spy()]
    views = {"first": [0], "second": [1]}
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(DenseFrame, "transform", _no_dense_copy)
        told = compare(X, LABELS, methods=methods, views=views, **QUICK)
    assert [m.name for m in told.methods if m.errors] == ["hist_gradient_boosting"]
    told = compare(X, LABELS, methods=methods, views=views, **QUICK)
    assert seen
    assert all(seen)
    assert (told.ranking["failed"] == 0).all()
    dense = compare(X.toarray(), LABELS, methods="combo", **QUICK)
    assert told.predictions["combo"].tolist() == dense.predictions["combo"].tolist()
    assert len(told.best_model().predict(X[:7])) == 7


def _no_dense_copy(*_words):
    raise AssertionError("a dense copy was made")


def test_every_declared_method_can_be_compared():
    declared = [one["name"] for one in read_declarations("method", "name")]
    assert list(METHODS) == declared
    assert "bayespoint" in METHODS


def test_labels_come_back_as_they_were_given():
    rare = LABELS.to_numpy() == "rare"
    told = compare(NUMBERS, rare, methods="combo", **QUICK)
    assert told.classes.tolist() == [False, True]
    assert told.predictions["combo"].dtype == bool
    assert told.best_model().predict(NUMBERS).dtype == bool
    halves = np.where(rare, 1.5, 0.5)
    assert set(compare(NUMBERS, halves, methods="combo", **QUICK).truth) == {0.5, 1.5}


def test_rows_keep_their_names_and_rows_without_a_label_are_left_out():
    frame = FRAME.set_axis([f"r{i}" for i in range(len(FRAME))])
    frame.loc["r3", "label"] = None
    told = compare(frame, "label", methods="combo", **QUICK)
    assert told.predictions.index.tolist() == [name for name in frame.index if name != "r3"]
    assert told.truth.equals(frame["label"].drop("r3").rename("label"))
    assert "1 of 120 rows has no value in 'label' and is left out." in told.warnings


class Silent(ClassifierMixin, BaseEstimator):
    """A classifier that answers, but has no scores."""

    def fit(self, X, y):
        self.classes_, counts = np.unique(y, return_counts=True)
        self.usual_ = self.classes_[counts.argmax()]
        return self

    def predict(self, X):
        return np.full(len(X), self.usual_)


def test_classifiers_from_elsewhere_get_numbers_and_pipelines_the_columns():
    encode = make_column_transformer((OneHotEncoder(handle_unknown="ignore"), ["text__word"]))
    methods = [
        DummyClassifier(),
        LinearSVC(),
        Silent(),
        ComboClassifier(n_estimators=4),
        make_pipeline(encode, LogisticRegression()),
        ("svc", LinearSVC(C=0.1)),
        LinearSVC(),
    ]
    told = compare(FRAME, "label", methods=methods, views="prefix", diagnosis=False, **QUICK)
    names = ["DummyClassifier", "LinearSVC", "Silent", "ComboClassifier", "Pipeline", "svc"]
    assert [m.name for m in told.methods] == [*names, "LinearSVC_2"]
    assert not [m.errors for m in told.methods if m.errors]
    assert [m.kind for m in told.methods if m.name == "ComboClassifier"] == ["ours"]
    assert list(told.best_model("ComboClassifier").pipeline[-1].views) == ["sound", "text"]
    assert told.scores["Silent"].to_numpy().max() == 1.0


def test_other_folds():
    groups = np.arange(len(LABELS)) % 6
    told = compare(NUMBERS, LABELS, methods="combo", cv=GroupKFold(3), groups=groups, rounds=3)
    assert told.folds == 3
    assert told.predictions.shape == (len(LABELS), 1)
    some = ShuffleSplit(n_splits=3, test_size=0.3, random_state=0)
    told = compare(NUMBERS, LABELS, methods="combo", cv=some, rounds=3, refit=False)
    assert told.predictions.index.names == ["repeat", "row"]
    assert len(told.predictions) == 3 * 36
    pairs = [(np.arange(60), np.arange(60, 120))]
    told = compare(NUMBERS, LABELS, methods="combo", cv=pairs, rounds=3, refit=False)
    assert told.predictions.index.tolist() == list(range(60, 120))


def test_a_class_that_a_fold_does_not_teach_is_no_failure():
    order = np.argsort(LABELS == "rare", kind="stable")
    told = compare(
        NUMBERS[order],
        LABELS.to_numpy()[order],
        methods=["combo", LogisticRegression(max_iter=2000)],
        cv=[(np.arange(100), np.arange(100, 120))],
        rounds=3,
        refit=False,
    )
    assert (told.ranking["failed"] == 0).all()
    assert told.recalls["rare"].tolist() == [0.0, 0.0]


def test_views_by_boundaries_names_and_files(tmp_path):
    words = {"methods": ["mumbo"], "diagnosis": False, **QUICK}
    told = compare(FEATURES, LABELS, views=[0, 2, 4], **words)
    assert [len(columns) for columns in told.data.views.values()] == [2, 2]
    (tmp_path / "v.toml").write_text('[views]\nsound = "sound_*"\ntext = "text_*"\n')
    other = compare(FEATURES, LABELS, views=tmp_path / "v.toml", **words)
    assert list(other.data.views) == ["sound", "text"]
    assert told.predictions["mumbo"].tolist() == other.predictions["mumbo"].tolist()


def test_a_noise_matrix_of_any_kind_corrects_the_measures(tmp_path):
    matrix = np.array([[0.9, 0.1, 0.1], [0.05, 0.8, 0.1], [0.05, 0.1, 0.8]])
    named = pd.DataFrame(matrix, ["common", "less", "rare"], ["common", "less", "rare"])
    named.to_csv(tmp_path / "n.csv", index_label="observed")
    kinds = [matrix, named.iloc[::-1, ::-1], tmp_path / "n.csv"]
    told = [
        compare(FRAME, "label", methods=["combo", "uma"], noise_matrix=kind, **QUICK)
        for kind in kinds
    ]
    assert told[0].metric == "corrected_balanced_accuracy"
    assert all(method.knows_noise for method in told[0].methods)
    for other in told[1:]:
        assert other.ranking.iloc[:, 0].equals(told[0].ranking.iloc[:, 0])
        assert np.allclose(other.noise.recovered, told[0].noise.recovered)


def test_a_stack_joins_methods_from_anywhere():
    methods = {"mine": LogisticRegression(max_iter=2000), "combo": "combo"}
    told = compare(FEATURES, LABELS, methods=methods, stack=True, **QUICK)
    assert told.stack.members == ["mine", "combo"]
    assert set(told.predictions.columns) == {"mine", "combo", "stack"}


def test_a_failing_method_leaves_gaps():
    class Broken(DummyClassifier):
        def fit(self, X, y, sample_weight=None):
            raise ValueError("no luck")

    told = compare(NUMBERS, LABELS, methods=["combo", Broken()], **QUICK)
    assert told.best_ == "combo"
    assert told.ranking.loc["Broken", "failed"] == 2
    assert told.predictions["Broken"].isna().all()
    assert told.scores["Broken"].isna().all(axis=None)
    with pytest.raises(InputError, match="every method failed; Broken: ValueError: no luck"):
        compare(NUMBERS, LABELS, methods=Broken(), **QUICK)


def test_progress_ends_when_everything_is_done():
    seen = []
    compare(NUMBERS, LABELS, methods=["combo", DummyClassifier()], progress=seen.append, **QUICK)
    assert seen[0].done == 0
    assert seen[-1].done == seen[-1].total == 2 * 2 + 1
    assert [now.done for now in seen] == sorted(now.done for now in seen)
    assert {now.step for now in seen} == {"fold 1 of 2", "fold 2 of 2", "all rows"}


def test_the_model_is_fitted_later_if_it_is_not_at_once():
    told = compare(NUMBERS, LABELS, methods="combo", refit=False, **QUICK)
    assert not told.refit_plan.models
    at_once = compare(NUMBERS, LABELS, methods="combo", **QUICK)
    later = told.best_model()
    assert later.predict(NUMBERS).tolist() == at_once.best_model().predict(NUMBERS).tolist()
    assert later.score(NUMBERS, LABELS) > 0.5
    assert later.predict_proba(NUMBERS).shape == (len(LABELS), 3)
    again = later.fit(NUMBERS, LABELS == "rare")
    assert again.predict(NUMBERS).dtype == bool
    with pytest.raises(InputError, match="fitted on 2 columns, got a table of shape"):
        later.predict(NUMBERS[:, :1])
    with pytest.raises(InputError, match="no method 'forest' was compared"):
        told.best_model("forest")


def test_report_json_and_notebook(found, tmp_path):
    assert found.report(tmp_path / "r.html").read_text("utf-8").startswith("<!doctype html>")
    text = found.to_json(tmp_path / "r.json")
    again = Comparison.from_json((tmp_path / "r.json").read_text("utf-8"))
    assert again == found
    assert json.loads(text)["best"] == found.best_
    assert again.ranking.equals(found.ranking)
    with pytest.raises(InputError, match="not kept in files"):
        again.predictions  # noqa: B018
    shown = found._repr_html_()
    assert "<b>" in shown
    assert "src=" not in shown
    assert shown == again._repr_html_()


def test_pictures(found):
    for kind in ("confusion", "recalls", "shares", "critical_difference"):
        assert found.plot(kind, "combo" if kind == "shares" else None).figure_ is not None
    with pytest.raises(InputError, match="unknown plot 'recall'; did you mean 'recalls'"):
        found.plot("recall")
    with pytest.raises(InputError, match="does not report which columns support"):
        found.plot("shares", "mine")


class Bare:
    """No scikit-learn classifier: nothing can be cloned."""

    fit = predict = len


@pytest.mark.parametrize(
    ("words", "says"),
    [
        ({"y": None}, "y is missing"),
        ({"y": LABELS[:-1]}, "X has 120 rows, but y has 119 labels"),
        ({"y": "label", "X": NUMBERS}, "X has no columns with names"),
        ({"y": "lable"}, "y 'lable' is not a column of the table; did you mean 'label'?"),
        ({"y": np.zeros(120)}, "holds a single class"),
        ({"y": np.random.default_rng(0).random(120)}, "looks like regression"),
        ({"X": NUMBERS[:, 0]}, "X must have rows and columns, got 1 dimensions"),
        ({"X": None}, "X must be a table"),
        ({"X": NUMBERS, "y": np.ones((120, 2))}, "one label per row, got an array of shape"),
        ({"X": np.where(NUMBERS > 1, np.inf, NUMBERS), "y": LABELS}, "holds infinite values"),
        ({"X": "nowhere.csv"}, "there is no file nowhere.csv"),
        ({"X": "nowhere.csv", "y": LABELS}, "y must name the column of nowhere.csv"),
        ({"methods": "combi"}, "unknown method 'combi'; did you mean 'combo'?"),
        ({"methods": []}, "no method was named"),
        ({"methods": [3]}, "int, which is no classifier"),
        ({"methods": LogisticRegression}, "LogisticRegression is a class; give an instance"),
        ({"methods": {"stack": "combo"}}, "no method may be called 'stack'"),
        ({"methods": "stack"}, "leave it out and add stack=True"),
        ({"metric": "gmeen"}, "unknown metric 'gmeen'; did you mean 'gmean'?"),
        ({"cv": 1}, "cv is 1; cross-validation needs at least 2 folds."),
        ({"cv": []}, "cv has no folds"),
        ({"cv": [([0, 1], [500])]}, "fold 1 of cv has no rows to predict"),
        ({"cv": GroupKFold(2)}, "cv cannot split the 120 rows"),
        ({"repeats": 0}, "repeats must be a whole number at least 1, got 0."),
        ({"rounds": 2.5}, "rounds must be a whole number at least 1, got 2.5."),
        ({"max_depth": 0}, "max_depth must be a whole number at least 1, got 0."),
        ({"n_jobs": 0}, "n_jobs must not be 0"),
        ({"cv": 2.0}, "cv must be a whole number of folds, got 2.0."),
        ({"cv": "two"}, "cv must be a number, a splitter or pairs of rows, got 'two'."),
        ({"cv": [([0.0, 1.0], [2.0])]}, "fold 1 of cv must hold positions of rows"),
        ({"cv": [([0, 1, 2, 3], [3, 4])]}, "fold 1 of cv predicts rows that it is trained on."),
        ({"cv": [(range(60), [60, 60])]}, "fold 1 of cv predicts a row twice."),
        ({"cv": [([0, -1], [3, 4])]}, "fold 1 of cv has no rows to train on"),
        ({"groups": [1, 2]}, "one group for each of the 120 rows of X, got shape (2,)."),
        ({"groups": "sound"}, "groups 'sound' is not a column of the table"),
        ({"groups": LABELS, "cv": 4}, "there are 3 groups, fewer than the 4 folds; use cv=3."),
        ({"methods": ["combo", "combo"]}, "methods holds 'combo' twice"),
        ({"methods": [("a", LinearSVC()), ("a", LinearSVC())]}, "methods holds 'a' twice"),
        ({"methods": [("a", LinearSVC(), 3)]}, "must be a name and a classifier"),
        ({"methods": 3}, "int, which is no classifier"),
        ({"methods": Bare()}, "Bare, which is no classifier"),
        ({"metric": max}, "unknown metric '<built-in function max>'"),
        ({"X": {"a": [1]}}, "X is a dict; give pandas.DataFrame(X)."),
        ({"X": pl.LazyFrame({"a": [1]})}, "X is a LazyFrame; give X.collect()."),
        ({"X": NUMBERS, "y": np.arange(120)}, "give them as text, y.astype(str), if they are"),
        ({"drop": "nothing"}, "drop 'nothing' is not a column"),
        ({"random_state": -1}, "random_state must be None"),
        ({"drop": ["nothing"]}, "drop 'nothing' is not a column"),
        ({"views": {"a": ["nothing"]}}, "views: "),
        ({"noise_matrix": np.eye(2)}, "noise_matrix: it holds 2 x 2 numbers"),
        ({"stack": True, "methods": "combo"}, "stack joins several methods"),
    ],
)
def test_wrong_arguments_are_refused_in_a_sentence(words, says):
    words = {"X": FRAME, "y": "label", "methods": "combo", **words}
    with pytest.raises(InputError) as refused:
        compare(words.pop("X"), words.pop("y"), **words)
    assert says in str(refused.value)
    assert "--" not in str(refused.value)


def test_the_given_frame_is_not_changed():
    before = FRAME.copy()
    compare(FRAME, "label", methods="combo", **QUICK)
    pd.testing.assert_frame_equal(FRAME, before)


def test_groups_stay_together_in_a_number_of_folds():
    groups = np.repeat(np.arange(40), 3)
    words = {"methods": DummyClassifier(), "groups": groups, "refit": False, "cv": 3}
    told = compare(NUMBERS, LABELS, repeats=2, **words)
    tests = told.refit_plan.tests
    assert len(tests) == 6
    for test in tests:
        assert not set(groups[test]) & set(np.delete(groups, test))
        assert len(set(LABELS.iloc[test])) == 3
    assert not np.array_equal(np.sort(tests[0]), np.sort(tests[3]))
    again = compare(NUMBERS, LABELS, repeats=2, **words).refit_plan.tests
    assert all(map(np.array_equal, tests, again))


@pytest.mark.parametrize("kind", ["positions", "masks", "splitter"])
def test_folds_count_the_rows_of_the_table_as_given(kind):
    y, number = LABELS.to_numpy(dtype=object), np.arange(120)
    y[:5] = None
    cv = {
        "positions": [(number[:80], number[80:]), (number[80:], number[:80])],
        "masks": [(number < 80, number >= 80), (number >= 80, number < 80)],
        "splitter": PredefinedSplit((number < 80).astype(int)),
    }[kind]
    told = compare(NUMBERS, y, methods=DummyClassifier(), cv=cv, refit=False)
    first, second = (told.refit_plan.problem.rows[test].tolist() for test in told.refit_plan.tests)
    assert first == list(range(80, 120))
    assert second == list(range(5, 80))


def test_a_model_that_is_fitted_again_leaves_the_comparison_as_it_was():
    told = compare(NUMBERS, LABELS, methods="combo", **QUICK)
    before = told.best_model().predict(NUMBERS).tolist()
    told.best_model().fit(NUMBERS[:, ::-1], LABELS[::-1])
    assert told.best_model().predict(NUMBERS).tolist() == before


@pytest.mark.slow
def test_a_comparison_can_be_pickled():
    methods = {"fusion": "late_fusion", "mine": LogisticRegression(max_iter=2000)}
    words = {"methods": methods, "views": "prefix", "stack": True, "diagnosis": False}
    told = compare(FRAME, "label", noise_matrix=np.eye(3) * 0.7 + 0.1, **words, **QUICK)
    again = pickle.loads(pickle.dumps(told))
    assert again == told
    assert again.predictions.equals(told.predictions)
    for name in ("fusion", "stack"):
        answers = again.best_model(name).predict(FEATURES)
        assert answers.tolist() == told.best_model(name).predict(FEATURES).tolist()


class Witness(Silent):
    """Keeps what it was fitted on."""

    seen: ClassVar[list] = []

    def fit(self, X, y):
        self.seen.append((X, y))
        return super().fit(X, y)


def test_a_pipeline_gets_the_columns_of_a_frame_as_they_are():
    frame = pd.DataFrame(
        {
            3: pd.Categorical(FRAME["text__word"]),
            "yes": np.arange(120) % 2 == 0,
            "day": pd.date_range("2020-01-01", periods=120),
            "out": 1.0,
        }
    )
    Witness.seen.clear()
    pipeline = make_pipeline("passthrough", Witness())
    told = compare(frame, LABELS, methods=pipeline, drop="out", **QUICK)
    for X, _ in Witness.seen:
        assert X.dtypes.to_dict() == frame.drop(columns="out").dtypes.to_dict()
    assert len(Witness.seen) == 3
    assert (told.best_model().predict(frame) == "common").all()


@pytest.mark.parametrize("values", [(False, True), (9.5, 10.5), (2.0, 1.0), (1, 0)])
def test_given_classifiers_see_the_given_labels(values):
    y = np.where(LABELS == "common", *values)
    Witness.seen.clear()
    tree = DecisionTreeClassifier(max_depth=3)
    told = compare(NUMBERS, y, methods=[Witness(), tree, "combo"], **QUICK)
    fractions = values == (9.5, 10.5)  # scikit-learn would take them for regression
    assert {seen.dtype for _, seen in Witness.seen} == {np.dtype("<U4") if fractions else y.dtype}
    assert not [m.errors for m in told.methods if m.errors]
    assert told.predictions["DecisionTreeClassifier"].dtype == y.dtype
    scores = told.scores["DecisionTreeClassifier"]
    assert (scores.idxmax(axis=1) == told.predictions["DecisionTreeClassifier"]).mean() > 0.95
    for name in ("DecisionTreeClassifier", "combo"):
        model = told.best_model(name)
        assert np.mean(model.predict(NUMBERS) == y) > 0.7
        assert model.classes_[model.predict_proba(NUMBERS).argmax(1)].dtype == y.dtype
        assert np.mean(model.fit(NUMBERS, y).predict(NUMBERS) == y) > 0.7


class Backwards(ClassifierMixin, BaseEstimator):
    """Its classes are in reverse order."""

    def fit(self, X, y):
        self.classes_ = np.unique(y)[::-1]
        return self

    def decision_function(self, X):
        return np.tile([3.0, 2.0, 1.0], (len(X), 1))

    def predict(self, X):
        return np.full(len(X), self.classes_[0])


def test_scores_follow_the_classes_of_the_classifier():
    pairs = SVC(decision_function_shape="ovo")
    methods = [Backwards(), pairs, make_pipeline(pairs)]
    told = compare(NUMBERS, LABELS, methods=methods, refit=False, **QUICK)
    assert (told.scores["Backwards"].to_numpy() == [1.0, 2.0, 3.0]).all()
    assert set(told.scores[["SVC", "Pipeline"]].to_numpy().ravel()) == {0.0, 1.0}


def test_a_failure_on_all_rows_keeps_what_was_found():
    class Small(DummyClassifier):
        def fit(self, X, y, sample_weight=None):
            if len(y) == 120:
                raise ValueError("too many rows")
            return super().fit(X, y)

    says = "Small could not be fitted on all rows: ValueError: too many rows"
    with pytest.warns(UserWarning, match=says):
        told = compare(NUMBERS, LABELS, methods=Small(), **QUICK)
    assert says in told.warnings
    assert told.predictions.shape == (120, 1)
    with pytest.raises(InputError, match=says):
        told.best_model()


def test_random_state_seeds_given_classifiers():
    methods = {"one": DummyClassifier(strategy="uniform"), "own": DummyClassifier(random_state=7)}
    told = [compare(NUMBERS, LABELS, methods=methods, **QUICK) for _ in range(2)]
    assert told[0].predictions["one"].equals(told[1].predictions["one"])
    seeds = [told[0].best_model(name).pipeline[-1].random_state for name in methods]
    assert seeds == [0, 7]
    assert methods["one"].random_state is None


def test_names_of_labels_and_columns_do_not_clash():
    X = sp.csr_array(NUMBERS)
    for name in ("x", "x0", "y", "target"):
        told = compare(X, LABELS.rename(name), methods=DummyClassifier(), refit=False)
        assert told.data.target == name
    names = ["y", "target", "label", "class", "_y"]
    frame = pd.DataFrame(np.tile(NUMBERS[:, :1], 5), columns=names)
    told = compare(frame, LABELS.to_numpy(), methods=DummyClassifier(), keep=names)
    assert told.data.columns == 5
    numbered = pd.DataFrame(NUMBERS)
    told = compare(numbered, LABELS, methods=DummyClassifier(), drop=[0], refit=False)
    assert told.data.columns == 1


def test_labels_that_sort_in_another_way_keep_their_order_for_a_noise_matrix():
    y = LABELS.replace({"rare": " rare"}).to_numpy()
    methods = [ComboClassifier(n_estimators=3), Witness()]
    matrix = np.array([[0.9, 0.1, 0.0], [0.1, 0.8, 0.1], [0.0, 0.1, 0.9]])
    Witness.seen.clear()
    told = compare(NUMBERS, y, methods=methods, noise_matrix=matrix, **QUICK)
    assert set(Witness.seen[0][1]) == {"common", "less", "rare"}
    assert set(told.best_model("ComboClassifier").predict(NUMBERS)) <= set(y)


def test_a_noise_matrix_of_fractions_is_in_the_order_of_their_values():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(80, 2))
    y = np.where(X[:, 0] > 0, 10.5, 2.5)
    matrix = np.array([[0.9, 0.3], [0.1, 0.7]])
    found = compare(X, y, methods=["combo"], cv=2, rounds=3, noise_matrix=matrix)
    assert found.classes.tolist() == [10.5, 2.5]
    model = found.best_model().pipeline[-1]
    np.testing.assert_array_equal(model.noise_matrix, matrix[::-1, ::-1])


class Reversed(ClassifierMixin, BaseEstimator):
    """Logistic regression that keeps its classes in descending order."""

    def fit(self, X, y):
        self.model_ = LogisticRegression().fit(X, y)
        self.classes_ = self.model_.classes_[::-1]
        return self

    def predict(self, X):
        return self.model_.predict(X)

    def predict_proba(self, X):
        return self.model_.predict_proba(X)[:, ::-1]

    def explain(self, why):
        raise RuntimeError(why)


@pytest.mark.parametrize("shift", [0, 0.5])
def test_classes_in_another_order_keep_their_names(shift):
    y = np.arange(90) % 3
    X = np.random.default_rng(0).normal(size=(90, 3)) + 4 * np.eye(3)[y]
    model = compare(X, y + shift, methods={"reversed": Reversed()}, cv=3).best_model()
    assert np.mean(model.predict(X) == y + shift) > 0.9
    np.testing.assert_array_equal(
        model.classes_[model.predict_proba(X).argmax(axis=1)], model.predict(X)
    )


def test_the_noise_matrix_of_a_given_classifier_stays():
    X = np.random.default_rng(0).normal(size=(60, 2))
    own = [[0.6, 0.4], [0.4, 0.6]]
    given = ComboClassifier(n_estimators=3, noise_matrix=own)
    matrix = [[0.9, 0.3], [0.1, 0.7]]
    found = compare(X, (X[:, 0] > 0) * 1, methods={"own": given}, cv=2, noise_matrix=matrix)
    assert found.best_model().pipeline[-1].noise_matrix == own


def test_views_that_are_often_missing_draw_a_note():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.normal(size=(40, 3)), columns=["a__x", "a__y", "b__z"])
    frame.loc[:11, ["a__x", "a__y"]] = np.nan
    frame["label"] = np.where(rng.random(40) < 0.5, "p", "q")
    problem = replace(make_problem(frame, "label"), views={"a": ["a__x", "a__y"], "b": ["b__z"]})
    (note,) = fit_notes(choose_methods(["combo", "mucombo"]), problem, None)
    assert "a (30%)" in note
    assert "CoMBo read all columns" in note
    assert "uneven and late_fusion learn each view" in note
    assert not fit_notes(choose_methods(["uneven", "mucombo"]), problem, None)
    frame.loc[1:] = frame.loc[1:].fillna(0.0)
    whole = replace(make_problem(frame, "label"), views=problem.views)
    assert not [n for n in fit_notes(choose_methods(["combo"]), whole, None) if "lack" in n]
