"""The geometric mean of a weighted sum and a log-linear pool."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.special import softmax
from sklearn.datasets import make_classification
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.svm import LinearSVC

from uneven.decisions.log_pool import fit_log_pool
from uneven.stacking import MarginStackingClassifier, StackCombiner
from uneven.stacking import pooled as pooled_module
from uneven.stacking.pooled import PooledCombiner, fit_member_pool, give_probabilities


@pytest.fixture(scope="module")
def level() -> tuple[np.ndarray, np.ndarray]:
    """Members of different skill: one that is too timid, one too bold, two that guess."""
    rng = np.random.default_rng(0)
    y = rng.integers(3, size=300)
    logits = np.eye(3)[y][:, None] + rng.normal(size=(300, 4, 3))
    logits[:, 2:] = rng.normal(size=(300, 2, 3))
    return softmax(logits * np.array([0.5, 4.0, 1.0, 1.0])[:, None], axis=2), y


def test_the_answer_is_the_geometric_mean_of_both(level):
    P, y = level
    found = StackCombiner(random_state=0).fit(P, y)
    alone = StackCombiner(log_pool=False, random_state=0).fit(P, y)
    kept = found.selected_mask_
    pool = fit_log_pool(list(P[:, kept].transpose(1, 0, 2)), y)
    both = np.sqrt(alone.predict_proba(P) * pool.probabilities(list(P[:, kept].transpose(1, 0, 2))))
    assert np.array_equal(kept, alone.selected_mask_)
    assert np.allclose(found.predict_proba(P), both / both.sum(axis=1, keepdims=True), atol=1e-4)
    assert np.array_equal(found.coef_, alone.coef_)


@pytest.mark.parametrize("options", [{"loss": "hinge", "strength": 0.1}, {"loss": "log"}])
def test_other_losses_have_no_pool_by_default(level, options):
    P, y = level
    found = StackCombiner(**options, random_state=0).fit(P[:100], y[:100])
    assert not isinstance(found.combiner_, PooledCombiner)


def test_scores_that_are_no_probabilities_are_not_pooled(level):
    P, y = level
    raw = np.log(P)
    assert give_probabilities(np.concatenate([P, raw], axis=1)).tolist() == [True] * 4 + [False] * 4
    found = StackCombiner(random_state=0).fit(raw, y)
    assert not isinstance(found.combiner_, PooledCombiner)
    first = np.flatnonzero(found.selected_mask_)[0]
    with pytest.raises(ValueError, match=rf"needs probabilities, but .* member {first} \(of 4\)"):
        StackCombiner(log_pool=True, random_state=0).fit(raw, y)


@pytest.mark.parametrize("options", [{"loss": "log"}, {"kernel": "rbf", "penalty": "l2"}])
def test_pools_of_pools_and_of_kernels_are_refused(level, options):
    with pytest.raises(ValueError, match="log_pool=True is for weighted sums"):
        StackCombiner(log_pool=True, **options).fit(*level)


ALL = np.ones(4, dtype=bool)


def test_row_weights_reach_the_pool(level):
    P, y = level
    share = np.where(y == 0, 3.0, 1.0)
    rng = np.random.RandomState(0)
    weighed = fit_member_pool(P, ALL, y, share / share.sum(), rng)
    members = list(P.transpose(1, 0, 2))
    assert np.allclose(weighed.bias, fit_log_pool(members, y, share).bias, atol=1e-3)
    assert weighed.bias[0] > fit_log_pool(members, y).bias[0] + 0.1


def test_large_tables_are_pooled_from_drawn_rows(level, monkeypatch):
    P, y = level
    monkeypatch.setattr(pooled_module, "_POOLED_SCORES", 0)
    monkeypatch.setattr(pooled_module, "_ROWS_PER_PARAMETER", 25)
    share = np.full(len(y), 1.0 / len(y))
    mask = np.array([True, True, False, True])
    few = fit_member_pool(P, mask, y, share, np.random.RandomState(0))
    rows = np.sort(np.random.RandomState(0).choice(300, 150, replace=False))
    same = fit_log_pool(list(P[rows][:, mask].transpose(1, 0, 2)), y[rows])
    assert np.allclose(few.weights, same.weights, atol=1e-3)
    assert few.weights[1] > few.weights[2]


def test_a_member_with_margins_keeps_a_stack_from_pooling():
    X, y = make_classification(150, n_informative=4, random_state=0)
    members = [("bayes", GaussianNB()), ("logistic", LogisticRegression())]
    pooled = MarginStackingClassifier(members, cv=2, random_state=0).fit(X, y)
    assert isinstance(pooled.combiner_, PooledCombiner)
    assert np.array_equal(
        pooled.predict(X), pooled.classes_[pooled.predict_proba(X).argmax(axis=1)]
    )
    mixed = MarginStackingClassifier(
        [*members, ("svm", LinearSVC())], cv=2, strength=1e-4, random_state=0
    ).fit(X, y)
    assert "svm" in mixed.selected_
    assert not isinstance(mixed.combiner_, PooledCombiner)
