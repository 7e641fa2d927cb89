import numpy as np
import pytest
import sklearn.metrics
from hypothesis import given
from hypothesis import strategies as st
from sklearn.linear_model import LogisticRegression

from uneven.metrics import brier_score, log_loss, mean_f1, scorers

seeds = st.integers(0, 10_000)


def problem(seed, k=4, n=40):
    rng = np.random.default_rng(seed)
    return rng.integers(0, k, n), rng.dirichlet(np.ones(k), n)


@given(seeds)
def test_log_loss_and_macro_f1_are_scikit_learns(seed):
    y, p = problem(seed)
    labels = np.arange(4)
    assert log_loss(y, p, labels=labels) == pytest.approx(
        sklearn.metrics.log_loss(y, p, labels=labels)
    )
    said = p.argmax(axis=1)
    assert mean_f1(y, said) == pytest.approx(sklearn.metrics.f1_score(y, said, average="macro"))


@given(seeds)
def test_brier_score_of_two_classes_is_twice_that_of_one(seed):
    y, p = problem(seed, k=2)
    assert brier_score(y, p, labels=[0, 1]) == pytest.approx(
        2.0 * np.mean((p[:, 1] - (y == 1)) ** 2)
    )


@given(seeds)
def test_honest_shares_cost_least_on_average(seed):
    rng = np.random.default_rng(seed)
    true, other = rng.dirichlet(np.ones(3), 2)
    y = [0, 1, 2]
    for value in (log_loss, brier_score):
        cost = np.array([[value([c], [p], labels=y) for c in y] for p in (true, other)])
        assert true @ cost[0] <= true @ cost[1] + 1e-12


def test_edges():
    assert log_loss([0, 1], [[1, 0], [1, 0]]) == pytest.approx(18.02, abs=0.01)
    assert brier_score([0, 1], [[0, 1], [1, 0]]) == 2.0
    assert np.isnan(log_loss([0, 1], [[2.0, -1.0], [0.5, 0.5]]))
    assert np.isnan(brier_score([0, 1], [-1.0, 1.0]))
    assert mean_f1([0, 1], [0, 1], labels=[0, 1, 2]) == 1.0


def test_a_class_that_training_never_saw_has_no_probability():
    X, y = np.arange(6.0)[:, None], np.array([0, 0, 0, 1, 1, 1])
    model = LogisticRegression().fit(X, y)
    assert scorers["brier"](model, X, [0, 0, 0, 1, 1, 2]) < scorers["brier"](model, X, y)
    assert scorers["log_loss"](model, X[:1], [2]) == pytest.approx(-36.04, abs=0.01)
