"""Small random problems for property tests."""

from itertools import pairwise

import numpy as np
from hypothesis import strategies as st


@st.composite
def labelled_answers(draw, max_rows=40, max_classes=5):
    """(y, n_classes, answers): every class occurs in ``y``."""
    n_classes = draw(st.integers(2, max_classes))
    n = draw(st.integers(n_classes, max_rows))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    y = np.concatenate([np.arange(n_classes), rng.integers(0, n_classes, n - n_classes)])
    right = rng.random(n) < draw(st.floats(0.0, 1.0))
    answers = np.where(right, y, rng.integers(0, n_classes, n))
    return y, n_classes, answers


@st.composite
def tables(draw, max_rows=80, max_columns=4, max_classes=5, max_values=12):
    """(X, y, n_classes): few distinct values, some missing but no whole row; every class occurs."""
    n_classes = draw(st.integers(2, max_classes))
    n = draw(st.integers(n_classes + 2, max_rows))
    d = draw(st.integers(1, max_columns))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    X = rng.integers(-3, draw(st.integers(-2, max_values)), (n, d)).astype(float)
    X[rng.random((n, d)) < draw(st.sampled_from([0.0, 0.0, 0.2]))] = np.nan
    X[np.isnan(X).all(axis=1), 0] = 0.0
    y = np.concatenate([np.arange(n_classes), rng.integers(0, n_classes, n - n_classes)])
    return X, y, n_classes


def gaussian_classes(n_per_class, n_features=4, separation=1.0, seed=0):
    """Overlapping Gaussian classes of the given sizes: continuous columns, no ties."""
    rng = np.random.default_rng(seed)
    means = separation * rng.normal(size=(len(n_per_class), n_features))
    y = np.repeat(np.arange(len(n_per_class)), n_per_class)
    order = rng.permutation(len(y))
    X = means[y] + rng.normal(size=(len(y), n_features))
    return X[order], y[order]


@st.composite
def view_tables(draw, max_rows=60, max_views=4, max_classes=5, missing=True):
    """(X, y, n_classes, views): a table of one to three columns per view; views may be missing."""
    n_views = draw(st.integers(1, max_views))
    widths = draw(st.lists(st.integers(1, 3), min_size=n_views, max_size=n_views))
    n_classes = draw(st.integers(2, max_classes))
    n = draw(st.integers(n_classes + 2, max_rows))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    y = np.concatenate([np.arange(n_classes), rng.integers(0, n_classes, n - n_classes)])
    edges = np.concatenate([[0], np.cumsum(widths)])
    known = rng.normal(size=(n_classes, edges[-1])) * draw(st.sampled_from([0.5, 1.0, 2.0]))
    X = np.round(known[y] + rng.normal(size=(n, edges[-1])), 1)
    if missing:
        for a, b in pairwise(edges):
            X[rng.random(n) < draw(st.sampled_from([0.0, 0.0, 0.3])), a:b] = np.nan
    return X, y, n_classes, edges.tolist()


def four_view_classes(n_per_class=(120, 60, 30, 15), seed=0):
    """(X, y, views): each of four views tells two neighbouring classes from the rest."""
    rng = np.random.default_rng(seed)
    y = rng.permutation(np.repeat(np.arange(len(n_per_class)), n_per_class))
    X = rng.normal(size=(len(y), 12))
    for j in range(4):
        X[:, 3 * j] += 2.0 * (y == j % len(n_per_class)) - 1.5 * (y == (j + 1) % len(n_per_class))
    return X, y, [0, 3, 6, 9, 12]
