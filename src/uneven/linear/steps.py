"""Steps of ultraconservative learners: which classes are updated, and how much, after a mistake.

A learner keeps one weight vector per class. When an example of class t is mistaken, the classes
that score at least as much as t form its *error set*, and the vector of class r moves by
``tau[r]`` times the example. A step chooses tau such that

1. ``tau[t] = 1``,
2. ``tau[r] <= 0`` for every other class,
3. ``tau[r] = 0`` outside the error set,
4. tau sums to 0.

Then the number of mistakes on separable rows is bounded (see
`uneven.bounds.ultraconservative_mistake_bound`). The source states the second rule only for a
later algorithm; without it ``(1, 5, -6)`` would be allowed and the bound would be false.

The steps differ in which classes of the error set are updated: the best-scored one only ("max", the
multi-class perceptron; the lowest position if several score the same), all by the same amount
("uniform"), each by its lead over the true class ("proportional"; the same if all scores are
tied), one drawn at random ("random") or the first one ("first") only.

"mira" leaves the smallest weights: among all tau that sum to 0 with ``tau[t] <= 1`` and ``tau[r]
<= 0`` elsewhere, it is the one for which the updated weights have the smallest norm. It relaxes the
first rule: the true class may move by less than 1. Where the error set is tied with the true
class, as at zero weights, that tau is zero and nothing would ever be learned; the uniform step is
taken instead. The mistake bound of the other steps is not claimed for this one.

References
----------
Crammer and Singer (2003), Ultraconservative online algorithms for multiclass problems.
Louche (2016), section 2.3.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from uneven.linear._loops import (
    FIRST,
    MAX,
    MIRA,
    PROPORTIONAL,
    RANDOM,
    UNIFORM,
    fill_step,
    find_errors,
)

STEP_CODES = {
    "first": FIRST,
    "max": MAX,
    "mira": MIRA,
    "proportional": PROPORTIONAL,
    "random": RANDOM,
    "uniform": UNIFORM,
}
"""What the compiled loops call the steps."""


def error_set(scores: ArrayLike, truth: int) -> np.ndarray:
    """Return the classes that score at least as much as the true one; a tie is an error.

    Parameters
    ----------
    scores : array-like of shape (n_classes,)
    truth : int
        Position of the true class.

    Returns
    -------
    ndarray of int, shape (n_errors,)
        In rising order.

    Examples
    --------
    >>> error_set([0.6, 0.2, 0.9, 0.2], truth=1).tolist()
    [0, 2, 3]
    """
    scores = np.asarray(scores, dtype=np.float64)
    errors = np.empty(len(scores), dtype=np.int64)
    return errors[: find_errors(scores, truth, errors)]


@dataclass(frozen=True)
class ErrorStep:
    """A step by its name, a key of `STEP_CODES`.

    Examples
    --------
    >>> for name in ("max", "uniform", "first"):
    ...     print(ErrorStep(name)([0.6, 0.2, 0.9, -0.4], truth=1, errors=[0, 2]).tolist())
    [0.0, 1.0, -1.0, 0.0]
    [-0.5, 1.0, -0.5, 0.0]
    [-1.0, 1.0, 0.0, 0.0]
    >>> ErrorStep("proportional")([0.5, 0.0, 1.5, -0.4], truth=1, errors=[0, 2]).tolist()
    [-0.25, 1.0, -0.75, 0.0]
    >>> ErrorStep("random")([0.6, 0.2, 0.9, -0.4], truth=1, errors=[0, 2], rng=0).tolist()
    [0.0, 1.0, -1.0, 0.0]
    >>> ErrorStep("mira")([0.6, 0.2, 0.9, -0.4], 1, [0, 2], squared_norm=2).round(4).tolist()
    [-0.0167, 0.1833, -0.1667, 0.0]
    """

    name: str

    def __call__(
        self,
        scores: ArrayLike,
        truth: int,
        errors: ArrayLike,
        rng: np.random.Generator | int | None = None,
        squared_norm: float = 1.0,
    ) -> np.ndarray:
        """Which classes are updated after a mistake.

        Parameters
        ----------
        scores : array-like of shape (n_classes,)
            Scores of the example.
        truth : int
            Position of its true class.
        errors : array-like of int, shape (n_errors,)
            The classes that may be updated, at least one; see `error_set`.
        rng : Generator, optional
            Only "random" draws from it.
        squared_norm : float, default=1.0
            Squared length of the example; only "mira" needs it.

        Returns
        -------
        ndarray of shape (n_classes,)
        """
        if self.name == "mira" and not squared_norm > 0:
            raise ValueError(
                f"squared_norm={squared_norm}: the MIRA step needs a row that is not 0."
            )
        chance = np.random.default_rng(rng).random() if self.name == "random" else 0.0
        scores = np.asarray(scores, dtype=np.float64)
        errors = np.asarray(errors, dtype=np.int64)
        if errors.size == 0:
            raise ValueError("the error set is empty: there is nothing to correct.")
        tau = np.empty(len(scores))
        code = STEP_CODES[self.name]
        fill_step(code, scores, truth, errors, float(squared_norm), chance, tau)
        return tau


ERROR_STEPS = {name: ErrorStep(name) for name in STEP_CODES}
"""The steps by name."""


def check_step(
    tau: Any, truth: int, errors: ArrayLike, *, relaxed: bool = False, tol: float = 1e-9
) -> np.ndarray:
    """Refuse a step that breaks one of the four rules of the family.

    Parameters
    ----------
    tau : array-like of shape (n_classes,)
    truth : int
        Position of the true class.
    errors : array-like of int, shape (n_errors,)
        The error set.
    relaxed : bool, default=False
        Allow ``0 < tau[truth] <= 1``, as MIRA does, instead of exactly 1.
    tol : float, default=1e-9
        Allowed rounding error.

    Returns
    -------
    ndarray of shape (n_classes,)

    Examples
    --------
    >>> check_step([-0.5, 1, -0.5], truth=1, errors=[0, 2])
    array([-0.5,  1. , -0.5])
    >>> check_step([1, 5, -6], truth=0, errors=[1, 2])
    Traceback (most recent call last):
    ...
    ValueError: the step [1.0, 5.0, -6.0] moves class 1 by 5.0: only the true class 0 may gain.
    """
    tau = np.asarray(tau, dtype=np.float64)
    shown = f"the step {np.round(tau, 6).tolist()}"
    if tau.ndim != 1 or not 0 <= truth < len(tau):
        raise ValueError(f"{shown} has shape {tau.shape}; expected one number per class.")
    if not np.isfinite(tau).all():
        raise ValueError(f"{shown} holds numbers that are not finite.")
    if relaxed and not 0.0 < tau[truth] <= 1.0 + tol:
        raise ValueError(f"{shown} moves the true class {truth} by a number outside (0, 1].")
    if not relaxed and abs(tau[truth] - 1.0) > tol:
        raise ValueError(f"{shown} must move the true class {truth} by exactly 1.")
    others = np.delete(np.arange(len(tau)), truth)
    gaining = others[tau[others] > tol]
    if gaining.size:
        r = gaining[0]
        raise ValueError(
            f"{shown} moves class {r} by {tau[r]}: only the true class {truth} may gain."
        )
    spared = np.setdiff1d(others, np.asarray(errors, dtype=np.int64))
    if (np.abs(tau[spared]) > tol).any():
        r = spared[np.abs(tau[spared]).argmax()]
        raise ValueError(f"{shown} moves class {r}, which is not in the error set.")
    if abs(tau.sum()) > tol:
        raise ValueError(f"{shown} sums to {tau.sum():.6g}; it must sum to 0.")
    return tau
