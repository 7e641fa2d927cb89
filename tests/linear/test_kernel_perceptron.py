"""Kernel perceptrons: equal to the plain ones, blocks, compression, Mercer."""

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.datasets import load_digits, make_moons
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics.pairwise import euclidean_distances

from tests.linear.cases import separable, whole_tables
from uneven.linear import (
    KernelExpansion,
    KernelPerceptronClassifier,
    PerceptronClassifier,
    UltraconservativeClassifier,
    expansions,
    gram,
    is_psd,
)

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")


@settings(max_examples=40)
@given(whole_tables(), st.integers(1, 4))
def test_the_linear_kernel_is_the_plain_learner(case, max_epochs):
    X, y, k = case
    y[:2] = 0, k - 1
    dual = KernelPerceptronClassifier("linear", max_epochs=max_epochs).fit(X, y)
    plain = UltraconservativeClassifier(max_epochs=max_epochs).fit(X, y)
    assert dual.mistakes_.tolist() == plain.mistakes_.tolist()
    assert dual.converged_ == plain.converged_
    assert dual.n_epochs_ == plain.n_epochs_
    if len(dual.classes_) == 2:
        binary = PerceptronClassifier(max_epochs=max_epochs).fit(X, y)
        assert dual.mistakes_.tolist() == binary.mistakes_.tolist()
        assert (dual.decision_function(X) == binary.decision_function(X)).all()


@pytest.mark.parametrize("seed", range(3))
def test_the_square_kernel_is_the_perceptron_on_all_monomials(seed):
    rng = np.random.default_rng(seed)
    X = rng.integers(-4, 5, size=(40, 2)).astype(float)
    y = (X[:, 0] * X[:, 1] > 2).astype(int)
    a = 2.0
    x1, x2 = X.T
    monomials = np.column_stack(
        [x1**2, x2**2, 2**0.5 * x1 * x2, (2 * a) ** 0.5 * x1, (2 * a) ** 0.5 * x2, a + 0 * x1]
    )
    model = KernelPerceptronClassifier("poly", gamma=1.0, degree=2, coef0=a, max_epochs=20)
    model.fit(X, y)
    plain = PerceptronClassifier(max_epochs=20).fit(monomials, y)
    assert model.mistakes_.tolist() == plain.mistakes_.tolist()
    np.testing.assert_allclose(model.decision_function(X), plain.decision_function(monomials))


@pytest.mark.parametrize("step", ["max", "uniform", "mira", "random"])
@pytest.mark.parametrize("n_classes", [2, 4])
def test_small_blocks_change_nothing(monkeypatch, step, n_classes):
    X, y, _ = separable(2, n_classes=n_classes)
    model = KernelPerceptronClassifier("linear", step=step, max_epochs=4, random_state=0)
    whole = model.fit(X, y).decision_function(X)
    mistakes = model.mistakes_.tolist()
    monkeypatch.setattr(expansions, "BLOCK_BYTES", 8 * 7**2)
    assert len(list(expansions.blocks(len(X)))) == 9
    pieces = model.fit(X, y).decision_function(X)
    assert model.mistakes_.tolist() == mistakes
    np.testing.assert_allclose(pieces, whole, atol=1e-9)


def test_a_precomputed_kernel_is_the_same_kernel(monkeypatch):
    X, y = load_digits(return_X_y=True)
    X, y = X[:300] / 16, y[:300]
    told = KernelPerceptronClassifier(gamma=0.1).fit(X[:200], y[:200])
    K = gram(X, X[:200], "rbf", gamma=0.1)
    for rows in (K, sp.csr_array(K)):
        computed = KernelPerceptronClassifier("precomputed").fit(rows[:200], y[:200])
        assert computed.mistakes_.tolist() == told.mistakes_.tolist()
        assert (computed.predict(rows[200:]) == told.predict(X[200:])).all()
    with pytest.raises(ValueError, match="needs a square matrix"):
        KernelPerceptronClassifier("precomputed").fit(X[:200], y[:200])
    with pytest.raises(ValueError, match="no norm"):
        computed.expansion_.squared_norm()


def test_a_kernel_may_be_a_function_of_two_rows():
    X, y = make_moons(40, random_state=0)
    named = KernelPerceptronClassifier(gamma=2.0).fit(X, y)
    told = KernelPerceptronClassifier(lambda a, b: np.exp(-2.0 * ((a - b) ** 2).sum())).fit(X, y)
    assert told.mistakes_.tolist() == named.mistakes_.tolist()
    np.testing.assert_allclose(told.decision_function(X), named.decision_function(X))


def test_sparse_rows_stay_sparse_and_change_nothing():
    X, y = load_digits(return_X_y=True)
    X, y = X[:300] / 16, y[:300]
    dense = KernelPerceptronClassifier().fit(X, y)
    sparse = KernelPerceptronClassifier().fit(sp.csr_matrix(X), y)
    assert sp.issparse(sparse.expansion_.rows)
    assert sparse.mistakes_.tolist() == dense.mistakes_.tolist()
    np.testing.assert_allclose(
        sparse.decision_function(sp.csr_matrix(X)), dense.decision_function(X)
    )


@pytest.mark.parametrize("kernel", ["rbf", "linear", "poly"])
def test_rows_with_mistakes_are_a_compression_of_the_sample(kernel):
    X, y = make_moons(80, noise=0.05, random_state=1)
    model = KernelPerceptronClassifier(kernel, gamma=2.0, max_epochs=50).fit(X, y)
    kept = model.support_
    again = KernelPerceptronClassifier(kernel, gamma=2.0, max_epochs=50).fit(X[kept], y[kept])
    assert kept.tolist() == sorted(set(model.mistakes_.tolist()))
    assert kept[again.mistakes_].tolist() == model.mistakes_.tolist()
    np.testing.assert_allclose(again.decision_function(X), model.decision_function(X), atol=1e-9)


def test_a_kernel_bends_the_boundary():
    X, y = make_moons(300, noise=0.1, random_state=0)
    bent = KernelPerceptronClassifier(gamma=5.0).fit(X[:200], y[:200])
    assert bent.converged_
    assert bent.score(X[200:], y[200:]) > 0.97
    straight = KernelPerceptronClassifier("linear").fit(X[:200], y[:200])
    assert straight.score(X[200:], y[200:]) < 0.92


def test_coefficients_count_mistakes():
    X, y = make_moons(60, random_state=0)
    model = KernelPerceptronClassifier(gamma=1.0).fit(X, y)
    counts = np.bincount(model.mistakes_, minlength=60)[model.support_]
    signs = np.where(y[model.support_] == 1, 1, -1)
    assert (model.dual_coef_[0] == counts * signs).all()


def test_the_length_of_an_expansion_is_that_of_its_vector():
    X, y, _ = separable(0, n_classes=3)
    model = KernelPerceptronClassifier("linear").fit(X, y)
    vectors = model.dual_coef_ @ X[model.support_]
    np.testing.assert_allclose(model.expansion_.squared_norm(), (vectors**2).sum(axis=1))


def test_expansions_are_computed_in_blocks(monkeypatch):
    rng = np.random.default_rng(0)
    f = KernelExpansion(rng.normal(size=(11, 2)), rng.normal(size=(11, 3)), np.arange(11), "rbf")
    X = rng.normal(size=(9, 3))
    whole = f(X)
    sizes = []
    monkeypatch.setattr(expansions, "BLOCK_BYTES", 8 * 4**2)
    plain = expansions.gram
    monkeypatch.setattr(
        expansions, "gram", lambda *a, **k: sizes.append(plain(*a, **k).size) or plain(*a, **k)
    )
    np.testing.assert_allclose(f(X), whole)
    assert max(sizes) == 16
    assert sum(sizes) == 99


KERNELS = [
    ("linear", {}),
    ("poly", {"degree": 2, "gamma": 1.0, "coef0": 1.0}),
    ("poly", {"degree": 3, "gamma": 0.5, "coef0": 0.0}),
    ("rbf", {"gamma": 2.0}),
]


@pytest.mark.parametrize(("kernel", "params"), KERNELS)
@given(seed=st.integers(0, 999))
@settings(max_examples=20)
def test_gram_matrices_have_a_square_root(kernel, params, seed):
    X = np.random.default_rng(seed).normal(size=(12, 3))
    K = gram(X, None, kernel, **params)
    assert is_psd(K)
    values, vectors = np.linalg.eigh(K)
    features = vectors * np.sqrt(np.maximum(values, 0.0))
    np.testing.assert_allclose(features @ features.T, K, atol=1e-8 * np.abs(K).max())
    if kernel == "rbf":
        assert (np.diag(K) == 1.0).all()


def test_products_of_sparse_rows_are_those_of_dense_ones():
    X = sp.random(9, 7, 0.4, random_state=0, format="csr")
    K = gram(X, X[:4])
    assert isinstance(K, np.ndarray)
    np.testing.assert_allclose(K, gram(X.toarray(), X[:4].toarray()), rtol=1e-14)


def test_what_is_no_gram_matrix():
    X = np.random.default_rng(0).normal(size=(6, 2))
    assert not is_psd(-euclidean_distances(X, squared=True))
    assert not is_psd([[1.0, 0.5], [0.4, 1.0]])
    assert is_psd(np.zeros((2, 2)))
    with pytest.raises(ValueError, match=r"shape \(2, 3\)"):
        is_psd(np.ones((2, 3)))
    with pytest.raises(ValueError, match="NaN"):
        is_psd([[np.nan]])


def test_conflicting_rows_are_told():
    with pytest.warns(ConvergenceWarning, match="mistakes in epoch 2"):
        model = KernelPerceptronClassifier(max_epochs=2).fit([[1.0], [1.0]], [0, 1])
    assert not model.converged_


@pytest.mark.parametrize(
    ("params", "reason"),
    [
        ({"kernel": "gauss"}, "kernel must be one of"),
        ({"gamma": 0.0}, "gamma must be 'scale', 'auto', None or a finite number above 0: 0.0"),
        ({"gamma": "wide"}, "gamma must be 'scale'"),
        ({"degree": 2.5}, "degree must be a whole number"),
        ({"coef0": np.nan}, "coef0 must be a finite number"),
        ({"kernel": "poly", "degree": 9, "gamma": 1e300}, "not finite: scale the columns"),
    ],
)
def test_impossible_parameters(params, reason):
    with pytest.raises(ValueError, match=reason):
        KernelPerceptronClassifier(**params).fit([[1.0], [-1.0]], [0, 1])
