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
from uneven.stacking.model.combinations import by_class
from uneven.stacking.model.constraints import Free
from uneven.stacking.model.losses import class_targets
from uneven.stacking.model.penalties import Penalty
from uneven.stacking.model.problem import LinearCombiner, Problem
from uneven.stacking.solvers import solver

_SWEEPS = 20_000


@dataclass(frozen=True)
class SquaredSums:
    """Sums over rows: all that least squares need of them.

    Attributes
    ----------
    combination : {"ws", "cws"}
    gram : ndarray of shape (n_blocks, n_members, n_members)
        Weighted products of the scores: one block for all classes ("ws") or one for each ("cws").
    right : ndarray of shape (n_blocks, n_members)
        Weighted products of scores and targets.
    aims : float
        Weighted squares of the targets.
    mass : float
        Weight of the rows.
    """

    combination: str
    gram: np.ndarray
    right: np.ndarray
    aims: float
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
        scores : ndarray of shape (n_classes, n_members, n_samples)
            By class, as :func:`~uneven.stacking.model.combinations.by_class` has them.
        y : ndarray of int, shape (n_samples,)
        share : ndarray of shape (n_samples,)
        combination : {"ws", "cws"}
        target : {"01", "pm1"}

        Examples
        --------
        >>> import numpy as np
        >>> scores = np.array([[[0.5, 0.0]], [[0.5, 1.0]]])
        >>> SquaredSums.of(scores, np.array([0, 1]), np.ones(2), "cws").gram.ravel()
        array([0.25, 1.25])
        """
        n_classes, n_members, _ = scores.shape
        gram = np.empty((n_classes, n_members, n_members))
        right = np.empty((n_classes, n_members))
        root = np.sqrt(share)
        aims = class_targets(y, n_classes, target) * root[:, None]
        for n, rows in enumerate(scores):
            half = rows * root
            right[n] = half @ aims[:, n]
            gram[n] = half @ half.T
        if combination == "ws":
            gram, right = gram.sum(axis=0, keepdims=True), right.sum(axis=0, keepdims=True)
        return cls(combination, gram, right, float(np.vdot(aims, aims)), float(share.sum()))

    @cached_property
    def bend(self) -> np.ndarray:
        """Second derivative of the squared loss, shape (n_blocks, n_members, n_members)."""
        return 2.0 * self.gram

    @cached_property
    def axes(self) -> tuple[np.ndarray, np.ndarray]:
        """Eigenvalues (n_blocks, n_members) and eigenvectors of the products of scores."""
        values, vectors = np.linalg.eigh(self.gram)
        return np.maximum(values, 0.0), vectors

    def plus(self, other: SquaredSums, sign: float = 1.0) -> SquaredSums:
        """The sums of these rows and of others; without the others if ``sign`` is -1."""
        return SquaredSums(
            self.combination,
            self.gram + sign * other.gram,
            self.right + sign * other.right,
            self.aims + sign * other.aims,
            self.mass + sign * other.mass,
        )

    def to_mean(self) -> SquaredSums:
        """The same with weights that add up to 1."""
        mass = self.mass
        return SquaredSums(
            self.combination, self.gram / mass, self.right / mass, self.aims / mass, 1.0
        )

    def largest_strength(self, penalty: Penalty) -> float:
        """Strength from which on no weight is left, or (with "l2") a bound."""
        return penalty.largest(-2.0 * self.right.T)

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
        free = isinstance(penalty.constraint, Free)
        if free and not penalty.sparse:
            values, vectors = self.axes
            along = np.einsum("bmk,bm->bk", vectors, self.right) / (values + strength)
            return np.einsum("bmk,bk->mb", vectors, along), 1
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
            -np.inf if free else 0.0,
            weights,
            np.matmul(gram, weights[:, :, None])[:, :, 0],
            _SWEEPS,
            tol * float(np.abs(linear).max(initial=0.0)),
        )
        return weights.T.copy(), sweeps

    def solve(
        self, penalty: Penalty, strength: float, start: np.ndarray | None = None, tol: float = 1e-6
    ) -> LinearCombiner:
        """Weights for one strength, with a bound on how much lower the objective could be.

        Parameters
        ----------
        penalty : Penalty
        strength : float
        start : ndarray of shape (n_members, width), optional
        tol : float, default=1e-6
            Relative gap that counts as converged.

        Examples
        --------
        >>> import numpy as np
        >>> from uneven.stacking.model.penalties import make_penalty
        >>> sums = SquaredSums("ws", np.eye(2)[None], np.array([[0.6, 0.2]]), 1.0, 1.0)
        >>> sums.solve(make_penalty("l1"), 0.4).coef.ravel().round(6)
        array([0.4, 0. ])
        """
        found, n_iter = start, 0
        for accuracy in (0.01 * tol, 1e-4 * tol, 1e-6 * tol):
            found, sweeps = self.minimise(penalty, strength, found, accuracy)
            n_iter += sweeps
            objective, gap = self._certificate(penalty, strength, found)
            converged = gap <= Problem.tolerance(tol, objective)
            if converged:
                break
        coef = np.asarray(found)
        return LinearCombiner(
            self.combination, coef, np.zeros(0), objective, gap, n_iter, converged, "sums"
        )

    def _certificate(
        self, penalty: Penalty, strength: float, coef: np.ndarray
    ) -> tuple[float, float]:
        """The objective of weights, and how much lower it could be, by weak duality."""
        product = np.matmul(self.gram, coef.T[:, :, None])[:, :, 0]
        inner = float(np.vdot(self.right, coef.T))
        loss = max(float(np.vdot(product, coef.T)) - 2.0 * inner + self.aims, 0.0)
        pull, gain = 2.0 * (product - self.right).T, 2.0 * (self.aims - inner)
        bound = penalty.dual(pull, gain, loss, strength, Problem.reach(coef))
        objective = loss + strength * penalty.value(coef)
        return objective, max(objective - bound, 0.0)


@dataclass(frozen=True)
class FoldedSums:
    """Scores and their sums, fold by fold, to learn from all folds but one.

    Attributes
    ----------
    by_class : ndarray of shape (n_classes, n_members, n_samples)
        Scores, the rows of a fold side by side.
    starts : ndarray of int, shape (n_folds + 1,)
        Where the folds begin, and where the last one ends.
    folds : list of SquaredSums
    """

    by_class: np.ndarray
    starts: np.ndarray
    folds: list[SquaredSums]

    @classmethod
    def of(
        cls,
        P: np.ndarray,
        y: np.ndarray,
        weight: np.ndarray,
        tests: list[np.ndarray],
        combination: str,
        target: str = "01",
    ) -> FoldedSums:
        """Sums of folds.

        Parameters
        ----------
        P : ndarray of shape (n_samples, n_members, n_classes)
        y : ndarray of int, shape (n_samples,)
        weight : ndarray of shape (n_samples,)
        tests : list of ndarray of int
            The folds; every row is in one of them.
        combination, target : str
        """
        rows = by_class(P, np.concatenate(tests))
        starts = np.cumsum([0, *map(len, tests)])
        folds = [
            SquaredSums.of(rows[:, :, begin:end], y[test], weight[test], combination, target)
            for test, begin, end in zip(tests, starts, starts[1:])
        ]
        return cls(rows, starts, folds)

    @cached_property
    def total(self) -> SquaredSums:
        """Sums of all rows."""
        total = self.folds[0]
        for fold in self.folds[1:]:
            total = total.plus(fold)
        return total

    def paths(
        self, penalty: Penalty, strengths: np.ndarray, tol: float
    ) -> Iterator[tuple[np.ndarray, np.ndarray, int]]:
        """Out-of-fold scores of every fold, for all strengths.

        Parameters
        ----------
        penalty : Penalty
        strengths : ndarray of shape (n_strengths,)
            Increasing.
        tol : float

        Yields
        ------
        scores : ndarray of shape (n_strengths, n_test, n_classes)
        coefs : ndarray of shape (n_strengths, n_members, width)
        unsettled : int
            How many solutions were not found to the tolerance.
        """
        for fold, begin, end in zip(self.folds, self.starts, self.starts[1:]):
            found, unsettled, last = [], 0, None
            rest = self.total.plus(fold, -1.0).to_mean()
            for strength in strengths[::-1]:
                last, sweeps = rest.minimise(penalty, float(strength), last, tol)
                unsettled += sweeps == _SWEEPS
                found.append(last)
            coefs = np.stack(found[::-1])
            yield joined_scores(self.by_class[:, :, begin:end], coefs), coefs, unsettled


def joined_scores(by_class: np.ndarray, coefs: np.ndarray) -> np.ndarray:
    """Combined scores of rows by several sets of weights, shape (n_sets, n_samples, n_classes).

    Parameters
    ----------
    by_class : ndarray of shape (n_classes, n_members, n_samples)
    coefs : ndarray of shape (n_sets, n_members, width)
        Of width 1 ("ws") or n_classes ("cws").

    Examples
    --------
    >>> joined_scores(np.ones((3, 2, 1)), np.array([[[1.0], [2.0]]]))
    array([[[3., 3., 3.]]])
    """
    wide = np.broadcast_to(coefs, (*coefs.shape[:2], len(by_class)))
    return np.stack([wide[:, :, n] @ rows for n, rows in enumerate(by_class)], axis=2)


@solver(
    "sums",
    loss="squared",
    penalties=("l2", "l1", "group"),
    combinations=("ws", "cws"),
    constraints=("none", "nonneg"),
)
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
        target = "01" if (loss.targets >= 0.0).all() else "pm1"  # type: ignore[attr-defined]
        words = (loss.y, loss.share, design.name, target)
        problem.memo["sums"] = SquaredSums.of(design.by_class, *words)
    begin = None if start is None else start.coef
    found: LinearCombiner = problem.memo["sums"].solve(
        problem.penalty, problem.strength, begin, tol
    )
    return found
