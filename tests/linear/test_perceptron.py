"""The perceptron: theorem, twins, more than two classes, streams."""

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.datasets import load_digits, load_iris
from sklearn.exceptions import ConvergenceWarning
from sklearn.multiclass import OneVsOneClassifier, OneVsRestClassifier

from tests.linear import twins
from tests.linear.cases import separable, separable_binary, whole_tables
from uneven.linear import (
    PerceptronClassifier,
    UltraconservativeClassifier,
    hard_margin,
    run_perceptron,
)
from uneven.linear.perceptron import PICKS


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 10**6), st.integers(2, 10), st.sampled_from(PICKS), st.booleans())
def test_mistakes_are_bounded_by_radius_and_margin(seed, n_features, pick, sparse):
    Z, _ = separable_binary(seed, n_samples=30, n_features=n_features)
    best = hard_margin(Z)
    radius = np.linalg.norm(Z, axis=1).max()
    table = sp.csr_array(Z) if sparse else Z
    run = run_perceptron(table, pick=pick, max_epochs=10**6, rng=np.random.default_rng(seed))
    assert run.converged
    assert (Z @ run.w > 0).all()
    assert len(run.mistakes) <= radius**2 / best.margin**2 * (1 + 1e-9)
    k = np.arange(1, len(run.mistakes) + 1)
    trail = np.cumsum(Z[run.mistakes], axis=0)
    unit = best.w * best.margin
    assert (trail @ unit >= k * best.margin * (1 - 1e-9)).all()
    assert (np.linalg.norm(trail, axis=1) <= radius * np.sqrt(k) * (1 + 1e-9)).all()


def test_even_an_adversary_who_sees_the_weights_is_bounded():
    Z, perfect = separable_binary(3)
    margin, radius = (Z @ perfect).min(), np.linalg.norm(Z, axis=1).max()
    model = PerceptronClassifier().partial_fit(Z[:1], [1], classes=[-1, 1])
    shown = 1
    while (Z @ model.coef_[0]).min() <= 0 and shown <= radius**2 / margin**2:
        lowest = (Z @ model.coef_[0]).argmin()
        model.partial_fit(Z[lowest : lowest + 1], [1])
        shown += 1
    assert (Z @ model.coef_[0]).min() > 0
    assert model.n_updates_ == shown <= radius**2 / margin**2


def test_lowest_margin_takes_the_worst_row():
    Z = np.array([[1.0, 0.5], [1.0, -0.4], [-0.5, 2.0]])
    run = run_perceptron(Z, pick="lowest_margin")
    w, expected = np.zeros(2), []
    while (Z @ w).min() <= 0:
        expected.append(int((Z @ w).argmin()))
        w = w + Z[expected[-1]]
    assert run.mistakes.tolist() == expected
    assert run.converged
    assert run.n_epochs == 0


@given(whole_tables(max_classes=2))
def test_passes_agree_with_their_twin(case):
    X, y, _ = case
    Z = X * (2 * y - 1)[:, None]
    expected, w = twins.learn_binary(Z, range(len(Z)), np.zeros(X.shape[1]))
    for table in (Z, np.asfortranarray(Z), sp.csr_array(Z)):
        run = run_perceptron(table, max_epochs=1)
        assert run.mistakes.tolist() == expected
        assert (run.w == w).all()


@settings(max_examples=40)
@given(whole_tables(max_classes=2), st.booleans())
def test_two_classes_of_the_ultraconservative_family_are_the_perceptron(case, fit_intercept):
    X, y, _ = case
    y[:2] = 0, 1
    binary = PerceptronClassifier(fit_intercept=fit_intercept)
    several = UltraconservativeClassifier(fit_intercept=fit_intercept)
    for _ in range(3):
        binary.partial_fit(X, y, classes=[0, 1])
        several.partial_fit(X, y, classes=[0, 1])
    assert binary.mistakes_.tolist() == several.mistakes_.tolist()
    assert (several.coef_[1] == binary.coef_[0]).all()
    assert (several.coef_[0] == -binary.coef_[0]).all()


@pytest.mark.parametrize("pick", PICKS)
def test_rows_that_cannot_be_separated_end_at_the_limit(pick):
    X, y = [[1.0], [2.0], [0.0]], ["a", "b", "b"]
    with pytest.warns(ConvergenceWarning, match="after 7 updates"):
        model = PerceptronClassifier(pick, max_updates=7).fit(X, y)
    assert not model.converged_
    assert model.n_updates_ == 7
    assert 2 not in model.mistakes_


def test_a_clean_last_update_counts_as_converged():
    Z, _ = separable_binary(0)
    needed = len(run_perceptron(Z, pick="lowest_margin").mistakes)
    assert run_perceptron(Z, pick="lowest_margin", max_updates=needed).converged
    assert not run_perceptron(Z, pick="lowest_margin", max_updates=needed - 1).converged


def test_random_orders_differ_between_passes_and_seeds():
    Z, _ = separable_binary(0)
    logs = [
        tuple(run_perceptron(Z, pick="random", rng=np.random.default_rng(seed)).mistakes)
        for seed in range(5)
    ]
    assert len(set(logs)) == 5
    first = [log[0] for log in logs]
    assert len(set(first)) > 1


def test_a_run_goes_on_from_given_weights():
    Z, perfect = separable_binary(1)
    start = perfect.copy()
    run = run_perceptron(Z, start)
    assert run.mistakes.size == 0
    assert (run.w == perfect).all()
    assert run.w is not start


def test_rows_of_zeros_alone_teach_nothing():
    for pick in PICKS:
        run = run_perceptron(np.zeros((3, 2)), pick=pick)
        assert run.converged
        assert run.mistakes.size == 0


def test_streams_and_sparse_rows_change_nothing():
    Z, _ = separable_binary(2)
    y = np.where(np.arange(len(Z)) % 2, "up", "down")
    X = Z * np.where(y == "up", 1, -1)[:, None]
    model = PerceptronClassifier(fit_intercept=True)
    whole = clone(model).partial_fit(X, y, classes=["down", "up"])
    pieces = clone(model)
    for i in range(len(X)):
        pieces.partial_fit(sp.csr_matrix(X[i]), y[i : i + 1], classes=["down", "up"])
    assert pieces.mistakes_.tolist() == whole.mistakes_.tolist()
    np.testing.assert_allclose(pieces.coef_, whole.coef_, atol=1e-12)
    assert pieces.n_rows_seen_ == len(X)


def test_a_score_of_zero_means_the_second_class():
    model = PerceptronClassifier().fit([[1.0, 0.0], [-1.0, 0.0]], ["b", "a"])
    assert model.predict([[0.0, 1.0]]) == "b"


def test_more_than_two_classes_are_sent_elsewhere():
    X, y = load_iris(return_X_y=True)
    with pytest.raises(ValueError, match="UltraconservativeClassifier, or scikit-learn's OneVs"):
        PerceptronClassifier().fit(X, y)
    with pytest.raises(ValueError, match="3 classes"):
        PerceptronClassifier().partial_fit(X, y, classes=[0, 1, 2])


@pytest.mark.parametrize(
    ("wrapper", "n_inner"), [(OneVsRestClassifier, 10), (OneVsOneClassifier, 45)]
)
def test_one_against_all_and_one_against_one_are_wrappers_of_scikit_learn(wrapper, n_inner):
    X, y = load_digits(return_X_y=True)
    inner = PerceptronClassifier(fit_intercept=True, normalize=True)
    model = wrapper(inner).fit(X[:600], y[:600])
    assert len(model.estimators_) == n_inner
    assert model.score(X[600:], y[600:]) > 0.85
    chosen = model.decision_function(X[600:]).argmax(axis=1)
    assert (model.classes_[chosen] == model.predict(X[600:])).all()


def test_one_against_one_breaks_ties_by_the_sum_of_margins():
    X, y, _ = separable(0, n_classes=3)
    model = OneVsOneClassifier(PerceptronClassifier()).fit(X, y)
    duels = np.column_stack([e.decision_function(X) for e in model.estimators_])
    pairs = [(0, 1), (0, 2), (1, 2)]
    votes, sums = np.zeros((len(X), 3)), np.zeros((len(X), 3))
    for scores, (i, j) in zip(duels.T, pairs):
        votes[:, j] += scores >= 0
        votes[:, i] += scores < 0
        sums[:, j] += scores
        sums[:, i] -= scores
    expected = [max(range(3), key=lambda c: (v[c], s[c])) for v, s in zip(votes, sums)]
    assert model.predict(X).tolist() == expected


@pytest.mark.parametrize(
    ("params", "reason"),
    [
        ({"pick": "worst"}, "pick must be one of 'cyclic', 'lowest_margin', 'random'"),
        ({"max_updates": 0}, "max_updates must be a whole number at least 1"),
        ({"normalize": "yes"}, "normalize must be True or False"),
    ],
)
def test_impossible_parameters(params, reason):
    with pytest.raises(ValueError, match=reason):
        PerceptronClassifier(**params).fit([[1.0], [-1.0]], [0, 1])
