"""The convex problem behind a combination, loss plus penalty, and the weights that solve it."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from scipy.linalg import norm

from uneven.decisions.log_pool import probability_floor
from uneven.stacking.model.combinations import COMBINATIONS, Combination
from uneven.stacking.model.constraints import CONSTRAINTS, Simplex
from uneven.stacking.model.losses import LOSSES, Loss
from uneven.stacking.model.penalties import PENALTIES, Penalty, check_prices, make_penalty
from uneven.utils.model_types import LARGEST, check_numbers, persisted
from uneven.utils.parameters import check_choice

_ZERO, _ROUNDING = 1e-6, 1e-10


@persisted("linear_combiner", role="combiner")
@dataclass
class LinearCombiner:
    """Weights of many classifiers, and how well they solve their problem.

    Attributes
    ----------
    combination : {"ws", "cws", "lsg"}
    coef : ndarray of shape (n_members, width)
        One row per classifier: 1, n_classes or n_classes ** 2 weights.
    intercept : ndarray of shape (n_classes,) or (0,)
    objective : float
        Loss plus strength times penalty.
    gap : float
        Bound on how much lower the objective could be, at weights up to ten times as large as the
        largest found; infinite if the solver gives none.
    n_iter : int
    converged : bool
    solver : str
    multipliers : ndarray of shape (n_samples, n_classes) or None
        Gradient of the loss in the scores of the training rows, for warm starts on these rows.
    floors : ndarray of shape (n_members,) or None
        Least probability of each classifier, if logarithms are combined; None: scores are combined
        as they are.

    Examples
    --------
    >>> import numpy as np
    >>> combiner = LinearCombiner("ws", np.array([[2.0], [0.0]]), np.zeros(0))
    >>> combiner.selected
    array([ True, False])
    >>> combiner.predict(np.array([[[0.2, 0.8], [0.9, 0.1]]]))
    array([1])
    """

    combination: str
    coef: np.ndarray
    intercept: np.ndarray
    objective: float = float("nan")
    gap: float = float("inf")
    n_iter: int = 0
    converged: bool = True
    solver: str = ""
    multipliers: np.ndarray | None = None
    floors: np.ndarray | None = None

    @property
    def selected(self) -> np.ndarray:
        """Classifiers with a weight that is not zero, bool of shape (n_members,)."""
        largest = np.abs(self.coef).max(axis=1, initial=0.0)
        return np.asarray(largest > max(_ZERO * largest.max(initial=0.0), _ROUNDING))

    def scores(self, scores: np.ndarray) -> np.ndarray:
        """Combined scores of new rows.

        Parameters
        ----------
        scores : ndarray of shape (n_samples, n_members, n_classes)

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
        """
        told = scores if self.floors is None else floored_logs(scores, self.floors)
        return COMBINATIONS[self.combination](told).scores(self.coef, self.intercept)

    def predict(self, scores: np.ndarray) -> np.ndarray:
        """Class with the largest combined score; the first one of several.

        Parameters
        ----------
        scores : ndarray of shape (n_samples, n_members, n_classes)

        Returns
        -------
        ndarray of int, shape (n_samples,)
        """
        return np.asarray(self.scores(scores).argmax(axis=1))

    def restrict(self, members: np.ndarray) -> LinearCombiner:
        """The same weights of some classifiers, ready to be stored.

        Parameters
        ----------
        members : ndarray of int or bool
            Usually :attr:`selected`.
        """
        floors = None if self.floors is None else self.floors[members]
        return replace(self, coef=self.coef[members], multipliers=None, floors=floors)

    def _check_model_(self, n_members: int, n_classes: int) -> None:
        """Refuse loaded weights of other members or classes."""
        check_combination(self.combination)
        kind = COMBINATIONS[self.combination]
        parts = (
            (self.coef, (n_members, kind.width(n_classes)), "weights"),
            (self.intercept, (kind.n_intercepts(n_classes),), "intercepts"),
        )
        for values, shape, what in parts:
            largest = np.abs(check_numbers(values, shape, what, signed=True)).max(initial=0.0)
            if largest > LARGEST:
                raise ValueError(f"its {what} reach {largest:g}")
        if self.floors is not None:
            floors = check_numbers(self.floors, (n_members,), "least probabilities")
            if not floors.all():
                raise ValueError("the least probability of a member is 0")


_FLOOR, _REACH, _USUAL = 1e-2, 10.0, (0.05, 20.0)


@dataclass
class Problem:
    """``loss(scores(coef, intercept)) + strength * penalty(coef)``, to be minimised.

    Attributes
    ----------
    design : Combination
    loss : Loss
    penalty : Penalty
    strength : float
    scale : float, default=1.0
        What the scores were divided by, so that weights are neither huge nor tiny.
    floors : ndarray of shape (n_members,) or None
        Least probability of each classifier, if their logarithms are combined.
    memo : dict of str to object
        What a solver keeps for other strengths of the same problem.
    """

    design: Combination
    loss: Loss
    penalty: Penalty
    strength: float
    scale: float = 1.0
    floors: np.ndarray | None = None
    memo: dict[str, Any] = field(default_factory=dict)

    def at_strength(self, strength: float) -> Problem:
        """The same problem with this strength, which is meant for the scores as they were.

        With scores divided by s, weights are s times as large.
        """
        penalty, strength = self.penalty.in_units(self.scale, strength)
        return replace(self, penalty=penalty, strength=strength)

    def objective(self, coef: np.ndarray, scores: np.ndarray) -> float:
        """Value at weights whose combined scores are known."""
        return self.loss.value(scores) + self.strength * self.penalty.value(coef)

    def bound(self, multipliers: np.ndarray, coef: np.ndarray, intercept: np.ndarray) -> float:
        """How low the objective can get, by weak duality.

        Parameters
        ----------
        multipliers : ndarray of shape (n_samples, n_classes)
            A gradient of the loss in the scores.
        coef, intercept : ndarray
            Weights found so far. Where multipliers do not balance the intercept, or a tiny
            strength, to the last digit, the bound holds for weights up to ten times as large.
        """
        pull, rest = self.design.adjoint(multipliers)
        gain, cost = self.loss.conjugate(multipliers)
        bound = self.penalty.dual(pull, gain, cost, self.strength, self.reach(coef))
        return bound - self.reach(intercept) * float(np.abs(rest).sum())

    @staticmethod
    def reach(weights: np.ndarray) -> float:
        """Size of weights beyond which the bound does not look."""
        return 1.0 + _REACH * float(
            np.linalg.norm(np.atleast_2d(weights), axis=-1).max(initial=0.0)
        )

    @staticmethod
    def tolerance(tol: float, objective: float) -> float:
        """Gap that ends a search: relative, but not to less than a hundredth."""
        return tol * max(objective, _FLOOR)

    def combiner(
        self,
        coef: np.ndarray,
        intercept: np.ndarray,
        *,
        multipliers: np.ndarray | None,
        n_iter: int,
        tol: float,
        solver: str,
    ) -> LinearCombiner:
        """The weights with their certificate."""
        objective = self.objective(coef, self.design.scores(coef, intercept))
        gap = (
            np.inf if multipliers is None else objective - self.bound(multipliers, coef, intercept)
        )
        return LinearCombiner(
            self.design.name,
            coef,
            intercept,
            objective,
            float(max(gap, 0.0)),
            n_iter,
            bool(gap <= self.tolerance(tol, objective)),
            solver,
            multipliers,
            self.floors,
        )


def pose_problem(
    scores: Any,
    y: Any,
    *,
    combination: str = "cws",
    loss: str = "hinge",
    penalty: str = "group",
    elastic: float = 0.0,
    constraint: str = "none",
    prices: Any = None,
    share: Any = None,
    target: str = "01",
) -> Problem:
    """The problem of :func:`~uneven.stacking.solvers.solve.solve`, checked, for any strength.

    Parameters
    ----------
    scores, y, combination, loss, penalty, elastic, constraint, prices, share, target
        As there.

    Returns
    -------
    Problem
        Its strength is 1. Rows that do not count are left out.
    """
    scores, y, share = check_level_one(scores, y, share)
    check_choice("combination", combination, COMBINATIONS)
    check_choice("loss", loss, LOSSES)
    check_choice("penalty", penalty, PENALTIES)
    check_choice("constraint", constraint, CONSTRAINTS)
    check_choice("target", target, ("01", "pm1"))
    if constraint == "simplex" and combination == "lsg":
        raise ValueError(
            "constraint='simplex' makes weights shares of the classifiers, but with "
            "combination='lsg' every score has a weight for every class: use 'ws' or 'cws'."
        )
    paid = make_penalty(penalty, elastic, constraint, check_prices(prices, scores.shape[1]))
    if not share.all():
        counts = np.flatnonzero(share)
        scores, y, share = scores[counts], y[counts], share[counts]
    floors = None
    if LOSSES[loss].of_logs:
        floors = find_floors(scores)
        scores = floored_logs(scores, floors)
    scale = float(norm(scores.ravel(), check_finite=False) / np.sqrt(scores.size))
    if not scale or _USUAL[0] <= scale <= _USUAL[1] or isinstance(paid.constraint, Simplex):
        scale = 1.0
    design = COMBINATIONS[combination](scores if scale == 1.0 else scores / scale)
    cost = LOSSES[loss](y, scores.shape[2], share, target)
    return Problem(design, cost, paid, 1.0, scale, floors)


def find_floors(scores: np.ndarray) -> np.ndarray:
    """Least probability of every classifier, shape (n_members,); refuses what is no probability.

    Parameters
    ----------
    scores : ndarray of shape (n_samples, n_members, n_classes)

    Examples
    --------
    >>> import numpy as np
    >>> find_floors(np.array([[[0.996, 0.004], [1.0, 0.0]]]))
    array([0.002, 0.01 ])
    """
    if (scores < 0.0).any():
        i, m, n = np.argwhere(scores < 0.0)[0]
        raise ValueError(
            f"scores[{i}, {m}, {n}] is {scores[i, m, n]:g}, but loss='log' takes logarithms of "
            "probabilities: calibrate classifiers that give margins, or use loss='squared'."
        )
    return np.array([probability_floor(scores[:, m]) for m in range(scores.shape[1])])


def floored_logs(scores: np.ndarray, floors: np.ndarray) -> np.ndarray:
    """Logarithms of probabilities, of shape (n_samples, n_members, n_classes)."""
    return np.asarray(np.log(np.maximum(scores, floors[:, None])))


def check_level_one(
    scores: Any, y: Any = None, share: Any = None
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Refuse level-1 scores, labels and shares that do not fit.

    Parameters
    ----------
    scores : array-like of shape (n_samples, n_members, n_classes)
    y : array-like of int, shape (n_samples,), optional
    share : array-like of shape (n_samples,), optional

    Returns
    -------
    scores : ndarray of float64, shape (n_samples, n_members, n_classes)
    y : ndarray of int, shape (n_samples,)
        Zeros if there were none.
    share : ndarray of shape (n_samples,)
        Adds up to 1.
    """
    scores = np.asarray(scores, dtype=np.float64)
    if scores.ndim != 3 or 0 in scores.shape or scores.shape[2] < 2:
        raise ValueError(
            "scores must have the shape (n_samples, n_members, n_classes) with at least one row, "
            f"one classifier and two classes; got {scores.shape}."
        )
    if not np.isfinite(scores).all():
        i, m, n = np.argwhere(~np.isfinite(scores))[0]
        raise ValueError(
            f"scores[{i}, {m}, {n}] is {scores[i, m, n]}: every classifier must give a finite "
            "score for every row and class."
        )
    labels = np.zeros(len(scores), dtype=np.int64) if y is None else np.asarray(y)
    if labels.shape != (len(scores),) or not np.issubdtype(labels.dtype, np.integer):
        raise ValueError(
            f"y must hold one class position (int) for each of the {len(scores)} rows; got shape "
            f"{labels.shape} of {labels.dtype}."
        )
    if labels.min() < 0 or labels.max() >= scores.shape[2]:
        raise ValueError(
            f"y holds {labels.min()} to {labels.max()}, but scores have {scores.shape[2]} classes "
            f"(0 to {scores.shape[2] - 1})."
        )
    weights = np.ones(len(scores)) if share is None else np.asarray(share, dtype=np.float64)
    if weights.shape != (len(scores),):
        raise ValueError(f"share has shape {weights.shape}; {len(scores)} numbers are needed.")
    if not np.isfinite(weights).all() or (weights < 0.0).any() or not weights.any():
        raise ValueError("share must be finite, >= 0 and not all zero.")
    weights = weights / weights.max()
    return scores, labels.astype(np.int64, copy=False), weights / weights.sum()


def check_combination(combination: Any) -> None:
    """Refuse a loaded combiner that joins members in no known way."""
    if combination not in COMBINATIONS:
        raise ValueError(f"its members are joined by {combination!r}")
