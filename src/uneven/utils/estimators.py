"""Copies of estimators with new seeds, and rows dealt out to folds."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import clone

__all__ = ["deal_folds", "rows_by_class", "seeded_clone"]


def seeded_clone(estimator: Any, rng: np.random.RandomState, keep: bool = False) -> Any:
    """Unfitted copy of an estimator with new seeds for everything in it that draws at random.

    Parameters
    ----------
    estimator : estimator
    rng : RandomState
    keep : bool, default=False
        Keep the seeds that were set, and only replace None.

    Returns
    -------
    estimator
    """
    model = clone(estimator)
    given = model.get_params()
    names = [name for name in given if name.split("__")[-1] == "random_state"]
    seeds = {name: int(rng.randint(2**31 - 1)) for name in sorted(names)}
    return model.set_params(
        **{name: seed for name, seed in seeds.items() if not keep or given[name] is None}
    )


def deal_folds(codes: np.ndarray, cv: int, rng: Any) -> np.ndarray:
    """Fold of each row, shape (n_samples,); every class is spread as evenly as it can be."""
    folds = np.empty(len(codes), dtype=np.intp)
    folds[rows_by_class(codes, rng)] = np.arange(len(codes)) % cv
    return folds


def rows_by_class(codes: np.ndarray, rng: Any) -> np.ndarray:
    """Positions of the rows, class after class, in random order within a class."""
    shuffled = rng.permutation(len(codes))
    return np.asarray(shuffled[np.argsort(codes[shuffled], kind="stable")])
