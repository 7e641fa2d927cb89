from __future__ import annotations

import numpy as np
import pytest
from sklearn.datasets import load_iris
from sklearn.metrics import balanced_accuracy_score
from sklearn.naive_bayes import GaussianNB

from uneven import ActiveLearner, BayesPointClassifier
from uneven.active import (
    Budget,
    BudgetSpentError,
    CostlyOracle,
    LearningCurve,
    NoisyOracle,
    PerfectOracle,
    simulate,
)
from uneven.noise import pairwise_noise

IRIS = load_iris(return_X_y=True)


def test_a_perfect_oracle_is_right_and_refuses_rows_that_are_not_there():
    oracle = PerfectOracle(["a", "b", "c"])
    assert oracle(np.array([2, 0])).tolist() == ["c", "a"]
    assert oracle([]).tolist() == []
    for rows in ([3], [-1], [0.5]):
        with pytest.raises(ValueError, match="from 0 to 2"):
            oracle(rows)


def test_a_noisy_oracle_mistakes_true_classes_by_columns_and_sticks_to_it():
    y = np.repeat(["cat", "dog"], 1000)
    matrix = pairwise_noise(["cat", "dog"], {("cat", "dog"): 0.3})
    oracle = NoisyOracle(y, matrix, random_state=1)
    said = oracle(np.arange(2000))
    assert (said[:1000] == "cat").all()
    assert (said[1000:] == "cat").mean() == pytest.approx(0.3, abs=0.05)
    assert (oracle(np.arange(2000)[::-1])[::-1] == said).all()
    assert (NoisyOracle(y, matrix, random_state=1)(np.arange(2000)) == said).all()
    assert (NoisyOracle(y, matrix, random_state=2)(np.arange(2000)) != said).any()
    assert (oracle.true == y).all()


def test_a_costly_oracle_counts_and_refuses_without_charging():
    oracle = CostlyOracle(PerfectOracle([0, 1, 1]), costs=[0.1, 5.0, 0.2], budget=0.3)
    assert oracle([0, 2]).tolist() == [0, 1]
    assert oracle.spent == pytest.approx(0.3)
    with pytest.raises(BudgetSpentError, match=r"cost 5, but 0\.3 of 0\.3"):
        oracle([1])
    assert oracle.spent == pytest.approx(0.3)
    assert CostlyOracle(PerfectOracle([0, 1]), costs=2.0).price([0, 1]) == 4.0


@pytest.mark.parametrize("choices", [{"costs": [1.0, -1.0]}, {"costs": np.nan}, {"budget": -1.0}])
def test_impossible_costs_are_refused(choices):
    with pytest.raises(ValueError, match=r"costs must be|budget must be"):
        CostlyOracle(PerfectOracle([0, 1]), **choices)


def test_a_simulated_run_records_every_answer():
    X, y = IRIS
    seen = []
    curve = simulate(
        ActiveLearner(random_state=0),
        X,
        PerfectOracle(y),
        budget=10,
        batch_size=3,
        start=[0, 50, 100],
        X_test=X,
        y_test=y,
        scoring="balanced_accuracy",
        volumes=True,
        callback=lambda learner: seen.append(len(learner.labelled_)),
    )
    assert curve.labels.tolist() == [0, 3, 6, 9, 10]
    assert seen == [3, 6, 9, 12, 13]
    assert len(set(curve.rows.tolist())) == 10
    assert not set(curve.rows.tolist()) & {0, 50, 100}
    told = np.r_[0, 50, 100, curve.rows]
    for labels, score in zip(curve.labels, curve.scores):
        model = BayesPointClassifier().fit(X[told[: 3 + labels]], y[told[: 3 + labels]])
        assert score == pytest.approx(balanced_accuracy_score(y, model.predict(X)))
    assert (np.diff(curve.log_volumes) < 0).all()
    assert curve.reason == "the budget of 10 is spent"


def test_a_run_without_start_has_no_score_before_two_classes():
    X, y = IRIS
    curve = simulate(
        ActiveLearner(GaussianNB(), "uncertainty", random_state=0),
        X,
        PerfectOracle(y),
        budget=6,
        X_test=X,
        y_test=y,
    )
    assert np.isnan(curve.scores[:2]).all()
    assert np.isfinite(curve.scores[-1])
    assert np.isfinite(curve.area_under())


@pytest.mark.parametrize(
    ("stop", "oracle", "labels", "words"),
    [
        (Budget(5), PerfectOracle(IRIS[1]), 2, "5 rows have a label"),
        (None, CostlyOracle(PerfectOracle(IRIS[1]), 1.0, 5.0), 2, "5 of 5 are spent"),
        (None, PerfectOracle(IRIS[1]), 147, "every row"),
    ],
    ids=["stopping rule", "money", "pool"],
)
def test_a_run_ends_for_a_reason(stop, oracle, labels, words):
    X, y = IRIS
    curve = simulate(
        ActiveLearner(GaussianNB(), "random", stop=stop, random_state=0),
        X,
        oracle,
        budget=500,
        batch_size=1 if labels < 10 else 49,
        start=[0, 50, 100],
        X_test=X,
        y_test=y,
    )
    assert curve.labels[-1] == labels
    assert words in curve.reason


def test_the_area_is_the_mean_height_of_the_curve():
    def area(labels, scores):
        nothing = np.full(len(labels), np.nan)
        return LearningCurve(np.array(labels), np.array(scores), nothing, nothing, "").area_under()

    assert area([0, 10, 30], [0.5, 0.7, 0.9]) == pytest.approx((0.6 * 10 + 0.8 * 20) / 30)
    assert area([0, 1, 2], [np.nan, 0.4, 0.6]) == pytest.approx(0.5)
    assert area([3], [0.7]) == 0.7
    assert np.isnan(area([0], [np.nan]))
