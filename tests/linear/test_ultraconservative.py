"""Ultraconservative learners: theorem, twins, streams, averages, digits."""

import warnings

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.datasets import load_digits
from sklearn.exceptions import ConvergenceWarning

from tests.linear import twins
from tests.linear.cases import separable, whole_tables
from uneven.linear import ERROR_STEPS, UltraconservativeClassifier, margins
from uneven.linear._loops import dense_pass, gram_pass, sparse_pass
from uneven.linear.steps import STEP_CODES

STEPS = sorted(ERROR_STEPS)
BOUNDED = [name for name in STEPS if name != "mira"]
EXACT = ["first", "max", "random"]


def by_hand(scores, truth, errors):
    tau = np.zeros(len(scores))
    tau[truth], tau[errors[-1]] = 1.0, -1.0
    return tau


@pytest.mark.parametrize("step", [*BOUNDED, by_hand])
@pytest.mark.parametrize("n_classes", [2, 3, 7])
@pytest.mark.parametrize("shuffle", [False, True])
def test_mistakes_are_bounded_whatever_the_step(step, n_classes, shuffle):
    X, y, perfect = separable(n_classes, n_classes=n_classes)
    model = UltraconservativeClassifier(step, max_epochs=10_000, shuffle=shuffle, random_state=0)
    model.fit(X, y)
    margin = margins(X, y, perfect.T).min()
    radius = np.linalg.norm(X, axis=1).max()
    assert model.converged_
    assert (model.predict(X) == y).all()
    assert 0 < model.n_updates_ <= 2 * radius**2 / margin**2
    assert (perfect * model.weights_).sum() >= model.n_updates_ * margin - 1e-9
    assert (model.weights_**2).sum() <= 2 * model.n_updates_ * radius**2 + 1e-9
    assert np.abs(model.coef_.sum(axis=0)).max() < 1e-9


def test_the_progress_of_the_proof_holds_after_every_row():
    X, y, perfect = separable(1, n_classes=4)
    margin, radius = margins(X, y, perfect.T).min(), np.linalg.norm(X, axis=1).max()
    model = UltraconservativeClassifier("proportional")
    for i in range(len(X)):
        model.partial_fit(X[i : i + 1], y[i : i + 1], classes=range(4))
        k = model.n_updates_
        assert (perfect * model.weights_).sum() >= k * margin - 1e-9
        assert (model.weights_**2).sum() <= 2 * k * radius**2 + 1e-9


@pytest.mark.parametrize("step", STEPS)
def test_mira_and_all_others_end_without_mistakes(step):
    X, y, _ = separable(5, n_classes=4)
    assert UltraconservativeClassifier(step, max_epochs=10_000).fit(X, y).score(X, y) == 1.0


def run_pass(X, y, n_classes, name, average=False, seed=0):
    weights, mistakes = np.zeros((X.shape[1], n_classes)), np.empty(len(y), dtype=np.int64)
    drift = np.zeros((X.shape[1] if average else 0, n_classes))
    lengths = (X.toarray() if sp.issparse(X) else X) ** 2 @ np.ones(X.shape[1])
    tail = (STEP_CODES[name], np.random.default_rng(seed), weights, drift, 0.0, mistakes)
    order = np.arange(len(y))
    if sp.issparse(X):
        count = sparse_pass((X.data, X.indices, X.indptr), y, order, lengths, *tail)
    else:
        count = dense_pass(X, y, order, lengths, *tail)
    return mistakes[:count].tolist(), weights, drift


@pytest.mark.parametrize("name", EXACT)
@given(case=whole_tables())
def test_passes_agree_with_their_twin_bit_for_bit(name, case):
    X, y, k = case
    expected, trail = twins.learn(
        X, y, range(len(y)), name, np.random.default_rng(0), np.zeros((X.shape[1], k))
    )
    for table in (X, sp.csr_array(X)):
        mistakes, weights, drift = run_pass(table, y, k, name, average=True)
        assert mistakes == expected
        assert (weights == trail[-1]).all()
        mean = weights - (drift - weights) / len(y)
        np.testing.assert_allclose(mean, np.mean(trail, axis=0), atol=1e-9)


@pytest.mark.parametrize("name", STEPS)
@pytest.mark.parametrize("seed", range(3))
def test_passes_agree_with_their_twin_on_real_numbers(name, seed):
    X, y, _ = separable(seed, n_classes=5)
    expected, trail = twins.learn(
        X, y, range(len(y)), name, np.random.default_rng(0), np.zeros((X.shape[1], 5))
    )
    for table in (X, sp.csr_matrix(X)):
        mistakes, weights, _ = run_pass(table, y, 5, name)
        assert mistakes == expected
        np.testing.assert_allclose(weights, trail[-1], atol=1e-9)


@pytest.mark.parametrize("name", EXACT)
@given(case=whole_tables())
def test_gram_passes_agree_with_their_twin(name, case):
    X, y, k = case
    gram, mistakes = X @ X.T, np.empty(len(y), dtype=np.int64)
    scores, coefficients = np.zeros((len(y), k)), np.zeros((len(y), k))
    rng = np.random.default_rng(0)
    count = gram_pass(gram, y, STEP_CODES[name], rng, scores, coefficients, mistakes)
    expected, dual = twins.learn_dual(
        gram, y, name, np.random.default_rng(0), np.zeros((len(y), k))
    )
    assert mistakes[:count].tolist() == expected
    assert (coefficients == dual).all()
    assert (scores == gram @ dual).all()
    assert run_pass(X, y, k, name)[0] == expected


@settings(max_examples=30)
@given(whole_tables(), st.booleans(), st.booleans(), st.sampled_from(["max", "first"]))
def test_sparse_rows_and_chunks_change_nothing(case, fit_intercept, average, step):
    X, y, k = case
    model = UltraconservativeClassifier(step, fit_intercept=fit_intercept, average=average)
    whole = clone(model).partial_fit(X, y, classes=range(k))
    sparse = clone(model).partial_fit(sp.csr_matrix(X), y, classes=range(k))
    cut = len(y) // 2
    pieces = clone(model).partial_fit(X[:cut], y[:cut], classes=range(k))
    pieces.partial_fit(X[cut:], y[cut:])
    for other in (sparse, pieces):
        assert other.mistakes_.tolist() == whole.mistakes_.tolist()
        assert (other.coef_ == whole.coef_).all()
        assert (other.intercept_ == whole.intercept_).all()


def test_shuffled_rows_depend_on_the_seed_only():
    X, y, _ = separable(2)
    logs = [
        tuple(UltraconservativeClassifier(shuffle=True, random_state=seed).fit(X, y).mistakes_)
        for seed in (0, 1, 0)
    ]
    assert logs[0] == logs[2] != logs[1]


def test_a_callable_learns_like_the_compiled_step():
    X, y, _ = separable(3)
    for table in (X, sp.csr_array(X)):
        told = UltraconservativeClassifier(
            lambda scores, truth, errors: ERROR_STEPS["max"](scores, truth, errors), average=True
        ).fit(table, y)
        compiled = UltraconservativeClassifier("max", average=True).fit(table, y)
        assert told.mistakes_.tolist() == compiled.mistakes_.tolist()
        np.testing.assert_allclose(told.coef_, compiled.coef_, atol=1e-9)


def test_a_callable_that_breaks_the_rules_leaves_nothing():
    X, y, _ = separable(3)
    model = UltraconservativeClassifier(lambda scores, truth, errors: np.ones(len(scores)))
    with pytest.raises(ValueError, match="only the true class"):
        model.fit(X, y)
    assert not hasattr(model, "classes_")


def test_a_stream_that_breaks_midway_leaves_the_weights_of_before():
    def moody(scores, truth, errors):
        calls.append(truth)
        return by_hand(scores, truth, errors) if len(calls) != 3 else np.ones(len(scores))

    calls = []
    model = UltraconservativeClassifier(moody, average=True)
    model.partial_fit([[1.0, 0.0]], [0], classes=[0, 1, 2])
    weights, drift = model.weights_.copy(), model.drift_.copy()
    with pytest.raises(ValueError, match="only the true class"):
        model.partial_fit([[0.0, 1.0], [1.0, 1.0]], [1, 2])
    assert (model.weights_ == weights).all()
    assert (model.drift_ == drift).all()
    assert model.n_updates_ == 1


def test_mean_weights_are_the_mean_of_the_last_weights():
    X, y, _ = separable(6, n_classes=3)
    last, mean = UltraconservativeClassifier(), UltraconservativeClassifier(average=True)
    trail = [
        last.partial_fit(X[i : i + 1], y[i : i + 1], classes=range(3)).coef_ for i in range(len(X))
    ]
    mean.partial_fit(X, y, classes=range(3))
    np.testing.assert_allclose(mean.coef_, np.mean(trail, axis=0), atol=1e-12)


def test_digits_after_five_epochs_and_their_mean():
    X, y = load_digits(return_X_y=True)
    errors = {}
    for average in (False, True):
        model = UltraconservativeClassifier(
            average=average, max_epochs=5, shuffle=True, random_state=0
        )
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            errors[average] = 1 - model.fit(X[:1200], y[:1200]).score(X[1200:], y[1200:])
    assert errors[True] < 0.1
    assert errors[True] < errors[False] - 0.02


def test_rows_of_zeros_are_no_mistakes():
    X = np.array([[0.0, 0.0], [1.0, 0.0], [0.0, 1.0]])
    model = UltraconservativeClassifier().fit(X, ["a", "a", "b"])
    assert model.converged_
    assert 0 not in model.mistakes_
    with pytest.warns(UserWarning, match="1 of 3 rows hold only zeros"):
        UltraconservativeClassifier(normalize=True).fit(X, ["a", "a", "b"])


def test_rows_that_cannot_be_separated_are_told():
    X = np.array([[1.0], [1.0]])
    with pytest.warns(ConvergenceWarning, match="mistakes in epoch 3"):
        model = UltraconservativeClassifier(max_epochs=3).fit(X, [0, 1])
    assert not model.converged_
    assert model.n_epochs_ == 3


def test_an_intercept_is_a_constant_before_the_unit_length():
    X, y = np.array([[1.0], [2.0], [4.0], [5.0]]), [0, 0, 1, 1]
    model = UltraconservativeClassifier(fit_intercept=True, normalize=True, max_epochs=1000)
    assert model.fit(X, y).score(X, y) == 1.0
    wide = np.column_stack([X, np.ones(4)])
    plain = UltraconservativeClassifier(normalize=True, max_epochs=1000).fit(wide, y)
    np.testing.assert_allclose(np.column_stack([model.coef_, model.intercept_]), plain.coef_)


@pytest.mark.parametrize(
    ("params", "reason"),
    [
        ({"step": "perceptron"}, "step must be one of 'first', 'max'"),
        ({"max_epochs": 0}, "max_epochs must be a whole number at least 1"),
        ({"average": 1}, "average must be True or False"),
    ],
)
def test_impossible_parameters(params, reason):
    with pytest.raises(ValueError, match=reason):
        UltraconservativeClassifier(**params).fit([[1.0], [-1.0]], [0, 1])


def test_streams_refuse_what_does_not_fit():
    model = UltraconservativeClassifier()
    with pytest.raises(ValueError, match="classes must be given"):
        model.partial_fit([[1.0]], ["a"])
    assert not hasattr(model, "n_features_in_")
    model.partial_fit([[1.0]], ["a"], classes=["a", "b"])
    before = model.coef_.copy()
    with pytest.raises(ValueError, match="not among the classes"):
        model.partial_fit([[1.0]], ["c"])
    with pytest.raises(ValueError, match="not the same as in the first call"):
        model.partial_fit([[1.0]], ["a"], classes=["a", "c"])
    with pytest.raises(ValueError, match="fit anew"):
        model.set_params(fit_intercept=True).partial_fit([[1.0]], ["b"])
    assert (model.coef_ == before).all()


def test_numbers_too_large_to_add_up_are_refused():
    X = np.array([[1e308, 1.0], [1e308, -1.0], [-1e308, 2.0]])
    with pytest.raises(ValueError, match=r"row 0 .* overflow.*normalize=True"):
        UltraconservativeClassifier().fit(X, [0, 1, 2])
    assert UltraconservativeClassifier(normalize=True).fit(X[[0, 2]], [0, 1]).converged_


def test_one_class_is_refused():
    with pytest.raises(ValueError, match="one class only, 'a'"):
        UltraconservativeClassifier().fit([[1.0], [2.0]], ["a", "a"])
