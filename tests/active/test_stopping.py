from __future__ import annotations

import pickle

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.datasets import load_iris
from sklearn.naive_bayes import GaussianNB

from uneven import ActiveLearner, BayesPointClassifier
from uneven.active import (
    Budget,
    ExpectedGain,
    NoInformativeRow,
    StablePredictions,
    VolumeBelow,
    expected_model_change,
    first_reason,
)


def told(X, y, rows, estimator=None, **choices):
    estimator = estimator or BayesPointClassifier("linear")
    return ActiveLearner(estimator, random_state=0, **choices).start(X).tell(rows, y[rows])


def test_the_first_rule_with_a_reason_speaks(cloud):
    learner = told(*cloud, np.arange(6))
    rules = [lambda _: None, Budget(6), lambda _: "never heard"]
    assert first_reason(rules, learner) == "6 rows have a label, the budget was 6"
    assert first_reason(Budget(7), learner) is None
    assert first_reason([], learner) is None


def test_a_budget_ends_also_before_two_classes_are_known(cloud):
    X, y = cloud
    same = np.flatnonzero(y == "yes")[:3]
    learner = told(X, y, same, stop=[NoInformativeRow(), Budget(3)])
    assert learner.stop_reason() == "3 rows have a label, the budget was 3"
    for rule in (NoInformativeRow(), VolumeBelow(0.0), StablePredictions(1), ExpectedGain(1.0)):
        assert rule(learner) is None


def test_a_whole_pool_of_labels_ends_it(cloud):
    X, y = cloud
    learner = told(X, y, np.arange(80))
    assert learner.stop_reason() == "every row of the pool has a label"
    assert learner.ask(5).tolist() == []


def corner(extra):
    """Labels that leave the quadrant between two axes, and further rows."""
    return np.vstack([np.eye(2), -np.eye(2), np.atleast_2d(extra)]), np.array([1, 1, 0, 0, 9, 9])


@pytest.mark.parametrize(
    ("extra", "open_"),
    [([[1, 1], [2, 0.1]], False), ([[1, 1], [1, -1]], True), ([[0, 0], [1, 2]], False)],
)
def test_rows_are_open_if_their_hyperplane_cuts_the_space(extra, open_):
    X, y = corner(extra)
    learner = told(X, y, np.arange(4))
    assert (NoInformativeRow()(learner) is None) == open_


@pytest.mark.parametrize(
    "choices",
    [
        {},
        {"ridge": 0.1},
        {"centre": "chebyshev", "ridge": 0.1},
        {"centre": "hamiltonian", "ridge": 0.1, "n_samples": 50, "random_state": 0},
    ],
    ids=str,
)
def test_a_tolerance_of_the_classifier_does_not_open_rows(choices):
    X, y = corner([[1, 1], [2, 0.1]])
    learner = told(X, y, np.arange(4), BayesPointClassifier("linear", **choices))
    assert NoInformativeRow()(learner) == "the labels so far imply those of all other rows"


def test_nothing_is_implied_where_labels_may_be_wrong_or_contradict():
    X, y = corner([[1, 1], [2, 0.1]])
    learner = told(X, y, np.arange(4), BayesPointClassifier("linear", flip=0.05))
    assert NoInformativeRow()(learner) is None
    learner = told(X, np.array([1, 1, 1, 0, 9, 9]), np.arange(4))
    assert NoInformativeRow()(learner) is None


def test_a_constant_column_moves_the_hyperplanes():
    X = np.array([[0.0], [1.0], [2.0], [3.0], [0.5], [2.5], [1.5]])
    y = np.array([0, 0, 1, 1, 0, 1, 0])
    offset = BayesPointClassifier("linear", fit_intercept=True)
    assert NoInformativeRow()(told(X[:6], y, np.arange(4), offset)) is not None
    assert NoInformativeRow()(told(X, y, np.arange(4), offset)) is None


def test_with_many_classes_one_open_problem_is_enough():
    corners = np.array([[1.0, 0.0], [-0.5, 0.9], [-0.5, -0.9]])
    X = np.vstack([corners, 2 * corners, [[0.2, 0.9]]])
    y = np.array([0, 1, 2, 0, 1, 2, 1])
    for multi_class in ("ovr", "joint"):
        model = BayesPointClassifier("linear", multi_class=multi_class)
        assert NoInformativeRow()(told(X[:6], y, np.arange(3), model)) is not None
        assert NoInformativeRow()(told(X, y, np.arange(3), model)) is None


def test_a_small_volume_ends_it(cloud):
    learner = told(*cloud, np.arange(12))
    volume = learner.state().centre().log_volume_[0]
    assert VolumeBelow(volume + 0.1)(learner).startswith("the labels leave exp(")
    assert VolumeBelow(volume - 0.1)(learner) is None


def test_a_small_expected_gain_ends_it(cloud):
    learner = told(*cloud, np.arange(12))
    gain = expected_model_change(learner.state()).max()
    assert ExpectedGain(gain)(learner) is None
    assert "expected to take" in ExpectedGain(gain + 0.01)(learner)


def stable_run(stop, steps):
    X, y = load_iris(return_X_y=True)
    learner = ActiveLearner(GaussianNB(), "random", stop=stop, random_state=0).start(X)
    for rows in steps:
        learner.tell(rows, y[rows])
    return X, y, learner


def twin(X, y, rows):
    return GaussianNB().fit(X[rows], y[rows]).predict(X)


def test_predictions_are_stable_if_none_of_the_last_models_differs_more_than_allowed():
    steps = np.split(np.random.default_rng(0).permutation(150)[:60], 20)
    X, y, learner = stable_run(None, steps)
    rows = np.concatenate(steps)
    moved = max(np.mean(twin(X, y, rows[:k]) != twin(X, y, rows)) for k in (51, 54, 57))
    assert 0 < moved < 0.2
    assert StablePredictions(9, share=moved)(learner) is not None
    assert StablePredictions(8, share=moved)(learner) is not None
    assert StablePredictions(9, share=moved - 1e-6)(learner) is None
    assert StablePredictions(60, share=1.0)(learner) is None


def test_stable_predictions_are_told_in_plain_words():
    X, y = np.repeat([[-1.0], [1.0]], 5, axis=0), np.repeat(["a", "b"], 5)
    learner = ActiveLearner(GaussianNB(), "random", random_state=0).start(X)
    for rows in ([0, 5], [1], [6, 7]):
        learner.tell(rows, y[rows])
    assert StablePredictions(2)(learner) == "the last 2 answers changed no prediction"
    words = "the last 2 answers changed no more than 5.0% of the predictions"
    assert StablePredictions(2, share=0.05)(learner) == words
    learner.tell([2], y[[2]])
    assert StablePredictions(1)(learner) == "the last answer changed no prediction"


@pytest.mark.slow
def test_stability_is_the_same_after_clones_pickles_and_resuming(tmp_path):
    rule = StablePredictions(6, share=0.03)
    order = np.random.default_rng(1).permutation(150)
    said = []
    for end in range(6, 60, 3):
        X, y, learner = stable_run(rule, np.split(order[:end], end // 3))
        said.append(learner.stop_reason())
        learner.save(tmp_path / "h.json")
        resumed = clone(learner).resume(tmp_path / "h.json", X)
        assert (
            resumed.stop_reason() == said[-1] == pickle.loads(pickle.dumps(learner)).stop_reason()
        )
    assert None in said
    assert any(said)
    X, y, learner = stable_run(rule, [])
    running = []
    for k in range(0, 57, 3):
        learner.tell(order[k : k + 3], y[order[k : k + 3]])
        running.append(learner.stop_reason())
    assert running[1:] == said


def test_a_learner_that_starts_anew_forgets_what_was_stable():
    rule = StablePredictions(3, share=0.05)
    order = np.random.default_rng(1).permutation(150)
    X, y, learner = stable_run(rule, [order[:90], order[90:93]])
    assert learner.stop_reason() is not None
    learner.start(X)
    few = [np.array([0, 50, 100]), np.array([10, 70, 130])]
    for rows in few:
        learner.tell(rows, y[rows])
    assert stable_run(rule, few)[2].stop_reason() is None
    assert learner.stop_reason() is None


@pytest.mark.parametrize(
    "make",
    [
        lambda: Budget(0),
        lambda: Budget(2.5),
        lambda: StablePredictions(0),
        lambda: StablePredictions(3, share=1.5),
        lambda: VolumeBelow(0.5),
        lambda: VolumeBelow(float("nan")),
        lambda: ExpectedGain("much"),
    ],
)
def test_impossible_limits_are_refused(make):
    with pytest.raises(ValueError, match="must be"):
        make()
