"""Samples that a known linear model separates, and odd tables."""

import numpy as np
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp


def separable(seed, n_samples=60, n_features=5, n_classes=3, gap=0.05):
    """Rows, classes and weights (n_features, n_classes) of norm 1 with a margin over ``gap``."""
    rng = np.random.default_rng(seed)
    weights = rng.normal(size=(n_features, n_classes))
    weights -= weights.mean(axis=1, keepdims=True)
    weights /= np.linalg.norm(weights)
    X = rng.normal(size=(n_samples * 4, n_features))
    scores = np.sort(X @ weights, axis=1)
    X = X[scores[:, -1] - scores[:, -2] > gap][:n_samples]
    y = (X @ weights).argmax(axis=1)
    return X, y, weights


def separable_binary(seed, n_samples=60, n_features=4, gap=0.05):
    """Rows in normal form and a unit vector with a product over ``gap`` with all of them."""
    rng = np.random.default_rng(seed)
    w = rng.normal(size=n_features)
    w /= np.linalg.norm(w)
    Z = rng.normal(size=(n_samples * 4, n_features))
    Z *= np.sign(Z @ w)[:, None]
    return Z[Z @ w > gap][:n_samples], w


@st.composite
def whole_tables(draw, max_classes=4):
    """Small whole numbers: every sum is exact, and ties are frequent."""
    n, d = draw(st.integers(2, 12)), draw(st.integers(1, 4))
    X = draw(hnp.arrays(np.int64, (n, d), elements=st.integers(-3, 3))).astype(float)
    k = draw(st.integers(2, max_classes))
    y = draw(hnp.arrays(np.int64, n, elements=st.integers(0, k - 1)))
    return X, y, k
