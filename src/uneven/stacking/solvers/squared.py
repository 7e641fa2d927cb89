"""Least squares from sums of products of scores: rows are read once, for any number of strengths.

With one weight per classifier, or one per classifier and class, everything that the squared loss
needs of the rows are matrices of (n_members, n_members) numbers. Those of some rows are what is
left of those of all rows, so that folds cost nothing more.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from uneven.stacking._loops import member_descent
from uneven.stacking.model.constraints import Free
from uneven.stacking.model.losses import class_targets
from uneven.stacking.model.penalties import Penalty
from uneven.stacking.model.problem import LinearCombiner, Problem
from uneven.stacking.solvers import solver

_SWEEPS, _CHECK_EVERY = 20_000, 50


@dataclass(frozen=True)
class SquaredSums:
    """Sums over rows: all that least squares need of them.

    Attributes
    ----------
    gram : ndarray of shape (n_blocks, n_members, n_members)
        Weighted products of the scores: one block for all classes ("ws") or one for each ("cws").
    right : ndarray of shape (n_blocks, n_members)
        Weighted products of scores and targets.
    mass : float
        Weight of the rows.
    """

    gram: np.ndarray
    right: np.ndarray
    mass: float

    @classmethod
    def of(
        cls,
        scores: np.ndarray,
        y: np.ndarray,
        share: np.ndarray,
        combination: str,
        target: str = "01",
    ) -> SquaredSums:
        """Sums of rows.

        Parameters
        ----------
        scores : ndarray of shape (n_samples, n_members, n_classes)
        y : ndarray of int, shape (n_samples,)
        share : ndarray of shape (n_samples,)
        combination : {"ws", "cws"}
        target : {"01", "pm1"}

        Examples
        --------
        >>> import numpy as np
        >>> scores = np.array([[[0.5, 0.5]], [[0.0, 1.0]]])
        >>> SquaredSums.of(scores, np.array([0, 1]), np.ones(2), "cws").gram.ravel()
        array([0.25, 1.25])
        """
        _, n_members, n_classes = scores.shape
        gram = np.empty((n_classes, n_members, n_members))
        right = np.empty((n_classes, n_members))
        root = np.sqrt(share)
        aims = class_targets(y, n_classes, target) * root[:, None]
        for n in range(n_classes):
            half = scores[:, :, n].T * root
            right[n] = half @ aims[:, n]
            gram[n] = half @ half.T
        if combination == "ws":
            gram, right = gram.sum(axis=0, keepdims=True), right.sum(axis=0, keepdims=True)
        return cls(gram, right, float(share.sum()))

    @cached_property
    def bend(self) -> np.ndarray:
        """Second derivative of the squared loss, shape (n_blocks, n_members, n_members)."""
        return 2.0 * self.gram

    def without(self, part: SquaredSums) -> SquaredSums:
        """The sums of the other rows, whose weights then add up to 1."""
        mass = self.mass - part.mass
        gram, right = (self.gram - part.gram) / mass, (self.right - part.right) / mass
        return SquaredSums(gram, right, 1.0)

    def minimise(
        self, penalty: Penalty, strength: float, start: np.ndarray | None, tol: float
    ) -> tuple[np.ndarray, int]:
        """Weights, shape (n_members, width), and how many sweeps it took to find them.

        Parameters
        ----------
        penalty : Penalty
        strength : float
        start : ndarray of shape (n_members, width), or None
        tol : float
            Gradient that is left, as a share of the largest one at zero.
        """
        weights = np.zeros_like(self.right) if start is None else start.T.copy()
        gram, linear = self.bend, -2.0 * self.right
        prices = np.zeros(weights.shape[1])
        if penalty.sparse:
            own = np.ones(len(prices)) if penalty.prices is None else penalty.prices
            prices = strength * own
        sweeps = member_descent(
            gram,
            linear,
            prices,
            2.0 * strength * penalty.ridge,
            penalty.name == "group",
            -np.inf if isinstance(penalty.constraint, Free) else 0.0,
            weights,
            np.matmul(gram, weights[:, :, None])[:, :, 0],
            _SWEEPS,
            tol * float(np.abs(linear).max(initial=0.0)),
        )
        return weights.T.copy(), sweeps


def paths_by_sums(
    P: np.ndarray,
    y: np.ndarray,
    weight: np.ndarray,
    tests: list[np.ndarray],
    penalty: Penalty,
    strengths: np.ndarray,
    *,
    combination: str,
    target: str = "01",
    tol: float,
) -> Iterator[tuple[np.ndarray, np.ndarray, int]]:
    """What the rows outside of every fold say of the fold, for all strengths.

    Parameters
    ----------
    P : ndarray of shape (n_samples, n_members, n_classes)
    y : ndarray of int, shape (n_samples,)
    weight : ndarray of shape (n_samples,)
    tests : list of ndarray of int
        The folds; every row is in one of them.
    penalty : Penalty
    strengths : ndarray of shape (n_strengths,)
        Increasing.
    combination, target : str
    tol : float

    Yields
    ------
    scores : ndarray of shape (n_strengths, n_test, n_classes)
    coefs : ndarray of shape (n_strengths, n_members, width)
    unsettled : int
        How many solutions were not found to the tolerance.
    """
    folds = [SquaredSums.of(P[t], y[t], weight[t], combination, target) for t in tests]
    gram, right = (np.sum([getattr(f, part) for f in folds], axis=0) for part in ("gram", "right"))
    whole = SquaredSums(gram, right, float(weight.sum()))
    for test, fold in zip(tests, folds):
        found, unsettled, last = [], 0, None
        rest = whole.without(fold)
        for strength in strengths[::-1]:
            last, sweeps = rest.minimise(penalty, float(strength), last, tol)
            unsettled += sweeps == _SWEEPS
            found.append(last)
        coefs = np.stack(found[::-1])
        yield joined_scores(P[test], coefs), coefs, unsettled


def joined_scores(P: np.ndarray, coefs: np.ndarray) -> np.ndarray:
    """Combined scores of rows by several sets of weights, shape (n_sets, n_samples, n_classes).

    Parameters
    ----------
    P : ndarray of shape (n_samples, n_members, n_classes)
    coefs : ndarray of shape (n_sets, n_members, width)
        Of width 1 ("ws") or n_classes ("cws").

    Examples
    --------
    >>> joined_scores(np.ones((1, 2, 3)), np.array([[[1.0], [2.0]]]))
    array([[[3., 3., 3.]]])
    """
    wide = np.broadcast_to(coefs, (*coefs.shape[:2], P.shape[2]))
    return np.stack([wide[:, :, n] @ P[:, :, n].T for n in range(P.shape[2])], axis=2)


@solver("sums", loss="squared", penalties=("l2", "l1", "group"), combinations=("ws", "cws"))
def sums(
    problem: Problem,
    start: LinearCombiner | None = None,
    tol: float = 1e-6,
    max_iter: int | None = None,
) -> LinearCombiner:
    """Descent over the classifiers on sums of products, which are kept for other strengths.

    Parameters
    ----------
    problem : Problem
        With squared loss, and one weight per classifier, or per classifier and class.
    start : LinearCombiner, optional
    tol : float, default=1e-6
        Relative gap that counts as converged.
    max_iter
        Not used.
    """
    design, loss = problem.design, problem.loss
    if "sums" not in problem.memo:
        by_row = design.by_class.transpose(2, 1, 0)
        target = "01" if (loss.targets >= 0.0).all() else "pm1"  # type: ignore[attr-defined]
        problem.memo["sums"] = SquaredSums.of(by_row, loss.y, loss.share, design.name, target)
    found, n_iter = None if start is None else start.coef, 0
    for accuracy in (0.01 * tol, 1e-4 * tol, 1e-6 * tol):
        found, sweeps = problem.memo["sums"].minimise(
            problem.penalty, problem.strength, found, accuracy
        )
        n_iter += sweeps
        intercept = design.zeros()[1]
        slope = loss.envelope(design.scores(found, intercept), 1.0).slope
        combiner = problem.combiner(
            found, intercept, multipliers=slope, n_iter=n_iter, tol=tol, solver="sums"
        )
        if combiner.converged:
            break
    return combiner
