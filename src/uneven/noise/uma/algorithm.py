"""A run of UMA: choose a pair of classes, update with its vector, evaluate the result.

The estimated error after each step shows, with its standard error, whether the class vectors that
are kept are much worse than some that the run has passed, and whether it stopped too early.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import scipy.sparse as sp

from uneven.linear.steps import ERROR_STEPS
from uneven.noise.matrices import NoiseInverse
from uneven.noise.uma.groups import group_masses, top_classes
from uneven.noise.uma.spaces import Space

ROUNDING = 1e-12
"""Differences that sums in another order may make, relative to what is summed."""

HISTORY: dict[str, type] = {
    "predicted": int,
    "true": int,
    "norm": float,
    "mass": float,
    "n_errors": int,
    "risk": float,
}
"""What is noted of each step, and its type."""

_LARGE_LOSS = 0.05
_LARGE_RISK = 0.1
_SURE = 2.0
"""Standard errors that a difference must exceed to count."""


@dataclass(frozen=True)
class Rules:
    """What the algorithm leaves open.

    Attributes
    ----------
    selection : str
        Which pair comes next; a key of `SELECTIONS`.
    step : str
        Which classes are moved away from the vector.
    tol : float or None
        Shorter vectors are left alone; None takes the length that label noise alone can have.
    normalize_updates : {"norm", "mass"} or None
    seed : int
    """

    selection: str = "error"
    step: str = "perceptron"
    tol: float | None = 1e-8
    normalize_updates: str | None = None
    seed: int = 0


def iterate(run: Run, rules: Rules, prior: np.ndarray) -> str:
    """Make one step: choose a pair, and add its vector where it was mistaken.

    run: the rows, grouped by predicted class, and the vectors of all pairs; changed in place;
    prior: (n_classes,), frequencies of the true classes. Returns empty; or why there is no step to
    make.
    """
    norms, masses = run.space.norms, run.masses
    if run.group is not None and len(run.group) and (run.group < 0).all():
        return "no_row_clears_alpha"
    pairs = Candidates(norms, masses, prior, run.latest, (rules.seed, run.n_steps))
    reason = "small_updates"
    for predicted, true in in_order(rules.selection, pairs, norms > _tolerance(run, rules)):
        vector = run.space.vector(predicted, true)
        products = run.space.project(vector, run.coef, run.scores)
        errors = run.error_set(products, predicted, true)
        if not _is_mistaken(predicted, errors, rules):
            reason = "no_mistake_constructible"
            continue
        norm, mass = float(norms[predicted, true]), float(masses[predicted, true])
        tau = _payments(products, predicted, true, errors, rules)
        run.update(tau, vector / _divisor(norm, mass, run, rules))
        run.latest = predicted * len(norms) + true
        run.record(
            predicted=predicted,
            true=true,
            norm=norm,
            mass=mass,
            n_errors=len(errors),
            risk=run.risk,
        )
        return ""
    return reason


def _tolerance(run: Run, rules: Rules) -> np.ndarray:
    """Length above which the vector of a pair counts."""
    if rules.tol is not None:
        return np.asarray(rules.tol)
    shares = np.maximum(run.masses.sum(axis=1, keepdims=True), 0.0)
    return np.asarray(run.noise.amplification * np.sqrt(shares / max(1, len(run.scores))))


def _is_mistaken(predicted: int, errors: np.ndarray, rules: Rules) -> bool:
    return predicted in errors if rules.step == "perceptron" else len(errors) > 0


def _payments(
    products: np.ndarray, predicted: int, true: int, errors: np.ndarray, rules: Rules
) -> np.ndarray:
    """How much of the vector each class gains, shape (n_classes,); it sums to 0."""
    if rules.step in ERROR_STEPS:
        return ERROR_STEPS[rules.step](products, true, errors)
    tau = np.zeros(len(products))
    tau[true], tau[predicted] = 1.0, -1.0
    return tau


def _divisor(norm: float, mass: float, run: Run, rules: Rules) -> float:
    if rules.normalize_updates is None:
        return 1.0
    by_mass = rules.normalize_updates == "mass" and mass * len(run.scores) > 1.0
    return mass if by_mass else norm


@dataclass
class Run:
    """The rows of a run and its class vectors.

    Attributes
    ----------
    space : Space
        The rows and their update vectors.
    labels : CSR array of shape (n_samples, n_classes)
        Weights of the labels, divided by the number of rows.
    noise : NoiseInverse
    coef : ndarray of shape (n_classes, n_features), or (n_classes, n_samples) in a dual space
        The class vectors; changed in place.
    lag : ndarray of the shape of ``coef``
        ``n_steps * coef - lag`` is the sum of the class vectors after each step.
    scores : ndarray of shape (n_samples, n_classes)
        Products of the rows with the class vectors.
    lengths : ndarray of shape (n_samples,)
        Lengths of the rows.
    alpha : float, default=0.0
        Lead that a row needs to count as predicted.
    geometric : bool, default=False
        Whether leads are distances instead of differences of scores.
    n_steps : int, default=0
    latest : int, default=-1
        The pair of the latest step, as ``predicted * n_classes + true``.
    best_step, best_risk, best_top, best_coef : int, float, ndarray, ndarray
        When the estimated error was lowest, how low, the predicted classes at that time, and the
        class vectors (if ``keeps_best``).
    history : dict of str to list
        One entry per step; see `HISTORY`.
    """

    space: Space
    labels: sp.csr_array
    noise: NoiseInverse
    coef: np.ndarray
    lag: np.ndarray
    scores: np.ndarray
    lengths: np.ndarray
    alpha: float = 0.0
    geometric: bool = False
    keeps_best: bool = False
    n_steps: int = 0
    latest: int = -1
    best_step: int = 0
    best_risk: float = np.inf
    best_top: np.ndarray = field(default_factory=lambda: np.zeros(0, dtype=int))
    best_coef: np.ndarray | None = None
    history: dict[str, list] = field(default_factory=lambda: {name: [] for name in HISTORY})

    def __post_init__(self) -> None:
        """Group the rows by the class that the initial class vectors predict."""
        self._regroup()

    def update(self, tau: np.ndarray, vector: np.ndarray) -> None:
        """Add ``tau[r] * vector`` to each class vector r.

        tau: (n_classes,); vector: (n_features,), or (n_samples,) in a dual space.
        """
        change = self.space.scores(vector)
        for r in np.flatnonzero(tau):
            self.coef[r] += tau[r] * vector
            self.lag[r] += (self.n_steps * tau[r]) * vector
            self.scores[:, r] += tau[r] * change
        self.n_steps += 1
        self._regroup()

    def error_set(self, products: np.ndarray, predicted: int, true: int) -> np.ndarray:
        """Classes that outrank the true one on the vector of a pair.

        products: (n_classes,), products of the vector with the class vectors. Returns int
        (n_errors,), with ``alpha``, they must lead by alpha times the mass of the pair. Rounding is
        forgiven: an exact tie is a mistake.
        """
        needed = self.alpha * max(0.0, self.masses[predicted, true]) if self.coef.any() else 0.0
        leads = products - products[true]
        limits = needed * (self._distances()[:, true] if self.geometric else 1.0)
        slack = self.space.norms[predicted, true] * self._reach
        errors = np.flatnonzero(leads >= limits - slack)
        return errors[errors != true]

    def record(self, **entries: Any) -> None:
        """Note what a step did; see `HISTORY`."""
        for name in HISTORY:
            self.history[name].append(entries[name])

    def latest_step(self) -> str:
        """The latest step in words."""
        latest = {name: values[-1] for name, values in self.history.items()}
        return "  ".join(f"{name} {value:.5g}" for name, value in latest.items())

    def predict(self, coef: np.ndarray) -> np.ndarray:
        """Predicted class of each row by other class vectors.

        Returns int (n_samples,).
        """
        scores = self.space.scores(coef)
        return top_classes(scores, slack=self.lengths * self._rounding(coef, scores))

    def averaged(self) -> np.ndarray:
        """Mean of the class vectors after each step, of the shape of ``coef``."""
        return self.coef - self.lag / max(1, self.n_steps)

    def _regroup(self) -> None:
        """Let every row join its predicted class; estimate masses and error from that."""
        inverse = self.noise.inverse
        self._reach = self._rounding(self.coef, self.scores)
        slack = self.lengths * self._reach
        top = top_classes(self.scores, slack=slack)
        everyone = group_masses(self.labels, top, inverse)
        self.risk = 1.0 - float(np.trace(everyone))
        self._remember_best(top)
        if not self.coef.any():
            self.group = None
            self.masses = group_masses(self.labels, None, inverse)
        elif self.alpha > 0.0:
            distances = self._distances() if self.geometric else None
            self.group = top_classes(self.scores, self.alpha, distances, slack)
            self.masses = group_masses(self.labels, self.group, inverse)
        else:
            self.group, self.masses = top, everyone
        self.space.regroup(self.group)

    def _remember_best(self, top: np.ndarray) -> None:
        if self.risk < self.best_risk:
            self.best_risk, self.best_step, self.best_top = self.risk, self.n_steps, top
            if self.keeps_best:
                self.best_coef = self.coef.copy()

    def _rounding(self, coef: np.ndarray, scores: np.ndarray) -> float:
        """How much rounding may change products of the class vectors with a unit vector."""
        longest = float(np.diag(self.space.gram(coef, scores)).max())
        return ROUNDING * float(np.sqrt(max(longest, 0.0)))

    def _distances(self) -> np.ndarray:
        """Distances between the class vectors, shape (n_classes, n_classes)."""
        gram = self.space.gram(self.coef, self.scores)
        lengths = np.diag(gram)
        return np.sqrt(np.maximum(lengths[:, None] + lengths - 2.0 * gram, 0.0))


@dataclass
class Candidates:
    """What is known about the pairs of a step.

    Attributes
    ----------
    norms, masses : ndarray of shape (n_classes, n_classes)
        Length of the update vector and estimated share of rows, for predicted and true class.
    prior : ndarray of shape (n_classes,)
        Estimated frequencies of the true classes, all positive.
    latest : int
        The pair chosen before, as ``predicted * n_classes + true``; -1 in the first step.
    seed : (int, int)
        Seeds what is drawn in this step.
    """

    norms: np.ndarray
    masses: np.ndarray
    prior: np.ndarray
    latest: int
    seed: tuple[int, int] = (0, 0)


def _best_first(values: np.ndarray) -> np.ndarray:
    """Positions from the largest value down; equals, but for rounding, in their own order."""
    values = values.ravel()
    order = np.argsort(-values, kind="stable")
    steps = values[order[:-1]] - values[order[1:]] > ROUNDING * np.abs(values).max()
    ranks = np.concatenate([[0], np.cumsum(steps)])
    return order[np.lexsort((order, ranks))]


def _error(pairs: Candidates) -> np.ndarray:
    return _best_first(pairs.norms)


def _confusion(pairs: Candidates) -> np.ndarray:
    return _best_first(pairs.norms / pairs.prior)


def _mass(pairs: Candidates) -> np.ndarray:
    return _best_first(pairs.masses)


def _random(pairs: Candidates) -> np.ndarray:
    rng = np.random.RandomState(pairs.seed)
    return rng.permutation(pairs.norms.size)


def _cyclic(pairs: Candidates) -> np.ndarray:
    return (np.arange(pairs.norms.size) + pairs.latest + 1) % pairs.norms.size


SELECTIONS: dict[str, Callable[[Candidates], np.ndarray]] = {
    "error": _error,
    "confusion": _confusion,
    "random": _random,
    "cyclic": _cyclic,
    "mass": _mass,
}
"""Rules that put all pairs in order; the first one that a mistake can be made of is taken."""


def in_order(selection: str, pairs: Candidates, allowed: np.ndarray) -> Iterator[tuple[int, int]]:
    """Pairs (predicted, true) in the order of a rule.

    selection: a key of `SELECTIONS`; allowed: bool (n_classes, n_classes), which pairs may be
    taken; the diagonal is always left out. Yields (int, int).

    Examples
    --------
    >>> norms = np.array([[9.0, 0.1, 0.3], [0.2, 9.0, 0.0], [0.4, 0.0, 9.0]])
    >>> pairs = Candidates(norms, norms, np.ones(3) / 3, latest=-1)
    >>> list(in_order("error", pairs, norms > 0.15))
    [(2, 0), (0, 2), (1, 0)]
    """
    n_classes = len(pairs.norms)
    order = SELECTIONS[selection](pairs)
    order = order[allowed.ravel()[order] & (order % (n_classes + 1) != 0)]
    for pair in order.tolist():
        yield divmod(pair, n_classes)


def doubts(run: Run, coef: np.ndarray, stop_reason: str, advice: str) -> str:
    """What is doubtful about the class vectors that are kept, in a sentence; empty if nothing is.

    run: at its end; coef: the class vectors that are kept; advice: what to do to get better ones
    out of the same run.
    """
    n_rows = len(run.lengths)
    if not n_rows or not run.n_steps:
        return ""
    right = np.asarray(run.labels @ run.noise.inverse.T) * n_rows
    rows = np.arange(n_rows)
    kept, best = right[rows, run.predict(coef)], right[rows, run.best_top]
    risk, error = 1.0 - float(kept.mean()), _standard_error(kept)
    if risk <= _SURE * error:
        return ""
    loss = float((best - kept).mean())
    if loss > max(_LARGE_LOSS, _SURE * _standard_error(best - kept)):
        return (
            f"the class vectors that are kept have an estimated error of {risk:.3f}, but those of "
            f"step {run.best_step} of {run.n_steps} had {run.best_risk:.3f}: pass {advice}."
        )
    if stop_reason == "no_mistake_constructible" and risk > _LARGE_RISK + _SURE * error:
        return (
            f"the run stopped after step {run.n_steps}, since no vector is mistaken any more "
            f"(stop_reason_ 'no_mistake_constructible'), but the estimated error is {risk:.3f} "
            f"+- {error:.3f}: try selection='cyclic' or another step, and average=True."
        )
    return ""


def _standard_error(values: np.ndarray) -> float:
    return float(values.std() / np.sqrt(len(values)))
