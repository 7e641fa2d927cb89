"""Time limits, searches of parameters, and runs that go on where they were stopped."""

from __future__ import annotations

import time
import warnings

import numpy as np
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.dummy import DummyClassifier
from sklearn.tree import DecisionTreeClassifier

from tests.cli.conftest import make_frame
from uneven import compare
from uneven.comparison import InputError, choose_measure, make_problem, progress
from uneven.comparison.deadline import Deadline, read_seconds
from uneven.comparison.kept_folds import fingerprint
from uneven.comparison.progress import Progress, Reporter
from uneven.comparison.tuning import EARLY, Tuning, tuning_folds

FRAME = make_frame(120)
NUMBERS = FRAME[["sound__pitch", "text__length"]].to_numpy(dtype=float)
LABELS = FRAME["label"].to_numpy()
QUICK = {"cv": 3, "rounds": 3, "n_jobs": 1, "diagnosis": False, "refit": False}
GUESS = {"guess": DummyClassifier(), "tree": DecisionTreeClassifier(max_depth=2)}


class StopError(Exception):
    """Ends a run in the middle."""


class Counting(ClassifierMixin, BaseEstimator):
    """Guesses, and counts how often it was asked to learn."""

    fits = 0

    def __init__(self, answer="common"):
        self.answer = answer

    def fit(self, X, y):
        Counting.fits += 1
        self.classes_ = np.unique(y)
        return self

    def predict(self, X):
        return np.full(len(X), self.answer)


def plain(found):
    """What a comparison found, without times."""
    raw = found.to_dict()
    for key in ("created", "command"):
        raw.pop(key)
    for method in raw["methods"]:
        method.pop("fit_seconds")
        method.pop("predict_seconds")
    return raw


def stopping_after(n):
    """Progress that raises when so many fits are done."""

    def tell(progress):
        if progress.done >= n and float(progress.done).is_integer():
            raise StopError

    return tell


def test_a_stopped_run_goes_on_and_finds_the_same(tmp_path):
    methods = [DummyClassifier(strategy="stratified"), Counting(), "combo"]
    whole = compare(FRAME, "label", methods=methods, **QUICK)
    with pytest.raises(StopError):
        compare(
            FRAME,
            "label",
            methods=methods,
            resume=tmp_path / "kept",
            progress=stopping_after(5),
            **QUICK,
        )
    assert len(list((tmp_path / "kept").glob("*.npz"))) == 5
    Counting.fits = 0
    again = compare(FRAME, "label", methods=methods, resume=tmp_path / "kept", **QUICK)
    assert Counting.fits == 1
    assert plain(again) == plain(whole)
    assert again.scores.equals(whole.scores)
    assert again.predictions.equals(whole.predictions)


@pytest.mark.parametrize(
    "change",
    [
        {"random_state": 1},
        {"cv": 4},
        {"methods": [Counting("rare")]},
        {"metric": "gmean"},
        {"X": NUMBERS + 1.0},
        {"y": np.where(LABELS == "less", "rare", LABELS)},
    ],
)
def test_fits_of_another_run_are_not_taken(tmp_path, change):
    call = {"X": NUMBERS, "y": LABELS, "methods": [Counting()], "resume": tmp_path, **QUICK}
    compare(**call)
    Counting.fits = 0
    compare(**call)
    assert Counting.fits == 0
    compare(**(call | change))
    assert Counting.fits == (change | QUICK).get("cv") or change.get("cv")


def test_a_damaged_file_does_not_count(tmp_path):
    call = {"X": NUMBERS, "y": LABELS, "methods": [Counting()], "resume": tmp_path, **QUICK}
    first = compare(**call)
    for path in tmp_path.glob("*.npz"):
        path.write_bytes(path.read_bytes()[:100])
    Counting.fits = 0
    assert plain(compare(**call)) == plain(first)
    assert Counting.fits == 3


def test_failed_fits_are_tried_again(tmp_path):
    call = {"X": NUMBERS, "y": LABELS, "resume": tmp_path, **QUICK}
    with pytest.raises(InputError, match="every method failed"):
        compare(methods=[Counting(answer=None)], **call)
    assert not list(tmp_path.glob("*.npz"))


def test_parameters_have_the_same_fingerprint_in_every_process():
    tree = DecisionTreeClassifier(max_depth=3, class_weight={"b": 2.0, "a": 1.0})
    same = DecisionTreeClassifier(max_depth=3, class_weight={"a": 1.0, "b": 2.0})
    assert fingerprint(tree) == fingerprint(same)
    different = [1, 1.0, "1", [1], (1,), np.array([1]), np.array([1.0]), {"1": 1}, None, True]
    assert len({fingerprint(value) for value in different}) == len(different)


class Slow(Counting):
    """Takes its time."""

    def fit(self, X, y):
        time.sleep(0.2)
        return super().fit(X, y)


def test_a_time_limit_leaves_whole_folds_and_says_so():
    found = compare(
        NUMBERS,
        LABELS,
        methods={"slow": Slow(), "guess": DummyClassifier()},
        time_limit=0.5,
        **{**QUICK, "cv": 10},
    )
    done = found.folds
    assert 1 <= done < 10
    assert all(len(method.scores["accuracy"]) == done for method in found.methods)
    assert len(found.predictions) < len(LABELS)
    assert found.best_model("guess") is not None
    (note,) = [text for text in found.warnings if "time limit" in text]
    assert f"{done} of 10 folds" in note


def test_methods_that_never_began_are_named():
    methods = {"slow": Slow(), "other": Slow("rare"), "third": Slow("less")}
    found = compare(NUMBERS, LABELS, methods=methods, time_limit="0.01s", **QUICK)
    assert [method.name for method in found.methods] == ["slow"]
    assert found.folds == 1
    assert any("'other', 'third' did not begin" in text for text in found.warnings)


def test_enough_time_changes_nothing():
    usual = compare(NUMBERS, LABELS, methods=GUESS, **QUICK)
    limited = compare(NUMBERS, LABELS, methods=GUESS, time_limit="1h", **QUICK)
    assert plain(limited) == plain(usual)


class Fails(Counting):
    """Learns from a few rows only."""

    def fit(self, X, y):
        if len(X) > 100:
            raise ValueError("too many rows")
        return super().fit(X, y)


@pytest.mark.slow
def test_workers_find_the_same_and_their_fits_are_kept(tmp_path):
    methods = {"tree": DecisionTreeClassifier(max_depth=2), "combo": "combo", "few": Fails()}
    call = {"methods": methods, **QUICK, "refit": True}
    alone = compare(NUMBERS, LABELS, **call)
    told: list[Progress] = []
    several = compare(NUMBERS, LABELS, workers=2, resume=tmp_path, progress=told.append, **call)
    assert plain(several) == plain(alone)
    assert told[-1].done == told[-1].total
    assert len(list(tmp_path.iterdir())) == 9
    assert plain(compare(NUMBERS, LABELS, workers=2, resume=tmp_path, **call)) == plain(alone)
    same = several.best_model().predict(NUMBERS) == alone.best_model().predict(NUMBERS)
    assert same.all()


def test_spans_of_time():
    assert read_seconds("1h 30m") == 5400.0
    assert read_seconds(0.5) == 0.5
    for wrong in ("soon", "10 x", "-3m", 0, "m", True, ""):
        with pytest.raises(InputError, match="give a span of time"):
            read_seconds(wrong)


def test_a_search_finds_the_depth_that_the_classes_need():
    rng = np.random.default_rng(0)
    X = rng.integers(0, 2, (240, 2)) + rng.normal(scale=0.1, size=(240, 2))
    y = np.where((X[:, 0] > 0.5) ^ (X[:, 1] > 0.5), "odd", "even")
    call = {"methods": ["combo"], "max_depth": 1, "metric": "accuracy"}
    stumps = compare(X, y, **call, **QUICK)
    tuned = compare(X, y, **call, tune=6, **QUICK)
    assert tuned.winner.mean("accuracy") > 0.95
    assert stumps.winner.mean("accuracy") < 0.7
    assert len(tuned.winner.tuned) == 3
    assert all(chosen["max_depth"] > 1 for chosen in tuned.winner.tuned)
    model = tuned.best_model().pipeline[-1]
    assert model.max_depth > 1


def test_a_search_sees_training_rows_only():
    """On labels without meaning the best of many settings must not look good."""
    rng = np.random.default_rng(1)
    X, y = rng.normal(size=(150, 3)), rng.integers(0, 2, 150)
    found = compare(X, y, methods=["logistic_regression"], tune=6, metric="accuracy", **QUICK)
    assert found.winner.mean("accuracy") < 0.62


def test_the_search_races_over_folds():
    asked = []
    tuning = Tuning(8, choose_measure("accuracy"))
    folds = [(np.arange(3), np.arange(k)) for k in (1, 2, 3)]

    def judge(params, fold):
        asked.append(len(fold[1]))
        return params.get("x", 0) + (np.nan if params.get("x") == 9 else 0)

    best = tuning.race({"x": range(1, 10)}, folds, judge, seed=0)
    tried = tuning.candidates({"x": range(1, 10)}, 0)
    assert best == max((p for p in tried if p.get("x") != 9), key=lambda p: p.get("x", 0))
    assert [asked.count(k) for k in (1, 2, 3)] == [8, 4, 2]


class Ends(Deadline):
    """A deadline that allows so much work and no more."""

    def allows(self, needed=0.0):
        self.seconds -= 1
        return self.seconds >= 0


@pytest.mark.parametrize(("allowed", "asked"), [(0, 0), (3, 3), (8, 8), (10, 10), (99, 14)])
def test_a_deadline_ends_a_search_with_what_is_known(allowed, asked):
    """The largest x is best: of those tried in the first fold, or of all after it."""
    tuning = Tuning(8, choose_measure("accuracy"), Ends(allowed))
    folds = [(np.arange(3), np.arange(k)) for k in (1, 2, 3)]
    space, tried = {"x": range(1, 10)}, []

    def judge(params, fold):
        tried.append(params.get("x", 0))
        return params.get("x", 0)

    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        best = tuning.race(space, folds, judge, seed=0)
    assert len(tried) == asked
    assert best.get("x", 0) == max(tried, default=0)
    assert [str(one.message) for one in said] == ([EARLY] if allowed < 14 else [])


def test_a_search_that_is_cut_is_done_again_and_the_last_fit_takes_what_was_chosen(tmp_path):
    call = {"methods": ["logistic_regression"], "tune": 3, "resume": tmp_path, **QUICK}
    cut = compare(NUMBERS, LABELS, time_limit="0.000001s", **call)
    assert cut.folds == 1
    assert any(EARLY in text for text in cut.warnings)
    assert list(tmp_path.iterdir()) == []
    assert cut.refit_plan.settings.tuning is None
    whole = compare(NUMBERS, LABELS, time_limit="1h", **call)
    assert whole.refit_plan.settings.tuning is not None
    assert plain(whole) == plain(compare(NUMBERS, LABELS, time_limit="1h", **call))
    assert not any(EARLY in text for text in whole.warnings)


PRICES = np.where(np.eye(3), 0.0, [[1.0], [2.0], [5.0]])


@pytest.mark.parametrize("asked", [{"measure": "gmean"}, {"cost": PRICES}])
def test_decisions_of_runs_that_were_cut_and_go_on(tmp_path, asked):
    call = {"methods": ["logistic_regression", "random_forest"], **asked, **QUICK}
    whole = compare(NUMBERS, LABELS, **call)
    cut = compare(NUMBERS, LABELS, time_limit="0.000001s", resume=tmp_path, **call)
    assert (cut.folds, len(cut.methods), len(list(tmp_path.iterdir()))) == (1, 1, 1)
    assert cut.metric == whole.metric
    again = compare(NUMBERS, LABELS, time_limit="1h", resume=tmp_path, **call)
    assert plain(again) == plain(whole)
    assert again.winner.decision == whole.winner.decision is not None


def test_folds_of_a_search_keep_groups_together():
    frame = make_frame(90).assign(group=np.arange(90) // 3)
    problem = make_problem(frame, "label", groups="group")
    rows = np.arange(0, 90, 2)
    for train, test in tuning_folds(problem, rows, 0):
        assert set(train) | set(test) == set(rows)
        assert not set(problem.groups[train]) & set(problem.groups[test])


def test_folds_of_a_search_learn_from_the_past():
    frame = make_frame(90).assign(when=np.arange(90.0)[::-1])
    problem = make_problem(frame, "label", time="when")
    for train, test in tuning_folds(problem, np.arange(60), 0):
        assert problem.times[train].max() < problem.times[test].min()


def test_given_groups_reach_the_search():
    groups = np.arange(120) // 4
    found = compare(NUMBERS, LABELS, groups=groups, methods=GUESS, tune=2, **QUICK)
    assert np.array_equal(found.refit_plan.problem.groups, groups)
    assert any("nothing is searched for 'guess', 'tree'" in text for text in found.warnings)


def test_wrong_numbers_are_refused():
    with pytest.raises(InputError, match="workers must be a whole number at least 1, got 0"):
        compare(NUMBERS, LABELS, workers=0)
    with pytest.raises(InputError, match="tune must be a whole number at least 2, got 1"):
        compare(NUMBERS, LABELS, tune=1)
    with pytest.raises(InputError, match="time_limit soon: give a span"):
        compare(NUMBERS, LABELS, time_limit="soon")


def test_progress_foretells_the_time_left_without_the_fit_that_compiles(monkeypatch):
    clock = [0.0]
    monkeypatch.setattr(progress.time, "perf_counter", lambda: clock[0])
    seen: list[Progress] = []
    reporter = Reporter(seen.append, 10)
    for seconds in (70.0, 2.0, 3.0, 4.0, 3.0):
        reporter.begin("a", "fold")
        clock[0] += seconds
        reporter.end("a")
    assert {now.left for now in seen[:-1]} == {None}
    assert seen[-1].left == pytest.approx(5 * 3.0)
