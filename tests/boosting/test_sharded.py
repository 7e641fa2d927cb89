"""Rows in blocks: the model is that of the table in one piece, whatever the cut and the order."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from uneven import (
    AdaBoostMMClassifier,
    ComboClassifier,
)
from uneven.boosting.sharded import RowBlocks


def bits(thing):
    """All that a fitted model holds, as nested tuples of names and bytes."""
    if isinstance(thing, np.ndarray) and thing.dtype != object:
        return (thing.dtype.str, thing.shape, thing.tobytes())
    if isinstance(thing, np.ndarray | list | tuple):
        return tuple(bits(one) for one in thing)
    if isinstance(thing, dict):
        return tuple((str(name), bits(thing[name])) for name in sorted(thing, key=str))
    if isinstance(thing, float):
        return np.float64(thing).tobytes()
    if hasattr(thing, "__dict__"):
        kept = {k: v for k, v in vars(thing).items() if not k.startswith("_skl")}
        return (type(thing).__name__, bits(kept))
    return repr(thing)


def cut(rng, X, y, weight=None, n_blocks=None):
    """Blocks of a table, some of them empty, in any order, with the rows in any order."""
    n_blocks = int(rng.integers(1, 10)) if n_blocks is None else n_blocks
    order = rng.permutation(len(y))
    edges = np.sort(rng.integers(0, len(y) + 1, n_blocks - 1))
    parts = np.split(order, edges)
    if weight is None:
        return RowBlocks([(X[rows], y[rows]) for rows in parts])
    return RowBlocks([(X[rows], y[rows], weight[rows]) for rows in parts])


@st.composite
def cut_tables(draw):
    """(X, y, weight, rng): few values, missing ones, weights of all kinds."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    n_classes = draw(st.sampled_from([2, 3, 4, 8]))
    n, d = draw(st.integers(n_classes + 2, 150)), draw(st.integers(1, 6))
    y = np.concatenate([np.arange(n_classes), rng.integers(0, n_classes, n - n_classes)])
    X = np.round(rng.normal(size=(n, d)) + 0.7 * y[:, None] % 3, draw(st.integers(0, 2)))
    X[rng.random((n, d)) < draw(st.sampled_from([0.0, 0.2]))] = np.nan
    kinds = {
        "none": None,
        "whole": rng.integers(1, 4, n).astype(float),
        "zero": rng.integers(0, 3, n).astype(float) + (np.arange(n) < n_classes),
        "float": rng.gamma(1.0, size=n) + 1e-9,
    }
    return X, y, kinds[draw(st.sampled_from(sorted(kinds)))], rng


OPTIONS = st.fixed_dictionaries(
    {
        "leaves": st.sampled_from(["votes", "scores"]),
        "max_depth": st.integers(1, 4),
        "subsample": st.sampled_from([1.0, 0.6]),
        "early_stopping": st.sampled_from([False, False, True]),
        "max_features": st.sampled_from([1.0, 0.5]),
        "views": st.sampled_from([None, "two"]),
        "learning_rate": st.sampled_from([1.0, 0.3]),
    }
)


def check_equal(model, X, y, weight, rng):
    whole = bits(model.fit(X, y, sample_weight=weight))
    assert bits(model.fit(cut(rng, X, y, weight), None)) == whole


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:no voter does better", "ignore:views")
@given(cut_tables(), OPTIONS, st.sampled_from([ComboClassifier, AdaBoostMMClassifier]))
@settings(max_examples=40, deadline=None)
def test_any_cut_and_order_give_the_same_model(table, options, method):
    X, y, weight, rng = table
    two = {"a": slice(0, -(-X.shape[1] // 2)), "b": slice(X.shape[1] // 2, None)}
    given_views = two if options["views"] and X.shape[1] > 1 else None
    model = method(n_estimators=6, random_state=0, **options | {"views": given_views})
    check_equal(model, X, y, weight, rng)
