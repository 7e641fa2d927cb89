"""Multi-response linear regression: weights by least squares alone, without any penalty.

It is what stacking began with, and a baseline: it fails when the weights of a class are about as
many as the rows.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.linalg import lstsq
from scipy.optimize import nnls

from uneven.stacking.kernel.combiner import class_tables
from uneven.stacking.model.combinations import COMBINATIONS
from uneven.stacking.model.losses import class_targets
from uneven.stacking.model.problem import LinearCombiner, check_level_one
from uneven.utils.parameters import check_choice

_RANK = 1e-10
"""Directions of the scores that are shorter than this share of the longest count as none: scores
that sum to 1 leave some."""


def mlr(
    P: ArrayLike,
    y: ArrayLike,
    *,
    combination: str = "lsg",
    nonneg: bool = False,
    target: str = "01",
    share: ArrayLike | None = None,
) -> LinearCombiner:
    """Weights with the smallest squared error; among several, the shortest.

    Parameters
    ----------
    P : array-like of shape (I, M, N)
        Scores of M classifiers for N classes.
    y : array-like of int, shape (I,)
        Class positions.
    combination : {"ws", "cws", "lsg"}, default="lsg"
        "lsg" has intercepts, the others have none.
    nonneg : bool, default=False
        Allow no weight below 0. Intercepts may be negative.
    target : {"01", "pm1"}, default="01"
        Targets of the classes that a row does not have: 0 or -1. Without intercepts, -1 does
        harm: scores that sum to 1 cannot sum to 2 - N.
    share : array-like of shape (I,), optional
        Weights of the rows; equal if not given.

    Returns
    -------
    LinearCombiner
        Its objective is the weighted mean of the squared errors, summed over the classes.

    References
    ----------
    K. M. Ting and I. H. Witten (1999), *Issues in stacked generalization*, Journal of Artificial
    Intelligence Research.

    Examples
    --------
    >>> P = np.random.default_rng(0).dirichlet(np.ones(3), size=(90, 4))
    >>> y = P[:, 2].argmax(axis=1)
    >>> mlr(P, y, combination="ws", nonneg=True).coef.ravel().round(2).tolist()
    [0.0, 0.0, 1.21, 0.0]
    """
    P, y, share = check_level_one(P, y, share)
    check_choice("combination", combination, COMBINATIONS)
    check_choice("target", target, ("01", "pm1"))
    n_members, n_classes = P.shape[1:]
    targets = class_targets(y, n_classes, target)
    tables = class_tables(P, combination)
    if combination == "ws":
        weight = np.repeat(share, n_classes)
        coef = _regress(tables[0], targets.reshape(-1, 1), weight, nonneg)
    elif combination == "cws":
        columns = [_regress(X, targets[:, [n]], share, nonneg) for n, X in enumerate(tables)]
        coef = np.hstack(columns)
    else:
        centre, middle = share @ tables[0], share @ targets
        weights = _regress(tables[0] - centre, targets - middle, share, nonneg)
        coef = weights.reshape(n_members, n_classes * n_classes)
    intercept = middle - centre @ weights if combination == "lsg" else np.zeros(0)
    solver = "non-negative least squares" if nonneg else "least squares"
    combiner = LinearCombiner(combination, coef, intercept, n_iter=1, gap=0.0, solver=solver)
    apart = combiner.scores(P) - targets
    combiner.objective = float(share @ (apart**2).sum(axis=1))
    return combiner


def _regress(
    X: NDArray[np.float64],
    targets: NDArray[np.float64],
    share: NDArray[np.float64],
    nonneg: bool,
) -> NDArray[np.float64]:
    """Weighted least squares, shape (n_columns, n_outputs)."""
    scale = np.sqrt(share)[:, None]
    if nonneg:
        return np.column_stack([nnls(scale * X, aims)[0] for aims in (scale * targets).T])
    return np.asarray(lstsq(scale * X, scale * targets, cond=_RANK)[0])
