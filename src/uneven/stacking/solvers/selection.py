"""Which classifiers stay: those with weight at the chosen strength, refitted or limited if wanted.

References
----------
M. U. Şen (2011), *Max-margin stacking with group sparse regularization for classifier
combination*, MSc thesis, Sabanci University, sections 4.4 and 7.2.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from uneven.stacking.model.problem import pose_problem
from uneven.stacking.solvers.solve import SEARCH, minimise, say_unsettled, solve
from uneven.stacking.solvers.strength_choice import (
    JUDGING,
    StrengthChoice,
    choose_combination,
    choose_strength,
    penalty_of,
)

_STEPS, _RATIO = 60, 1.25


@dataclass(frozen=True)
class Selection:
    """A combiner that uses only some classifiers, and how it was found.

    Attributes
    ----------
    mask : ndarray of bool, shape (n_members,)
        The classifiers that it uses.
    combiner : LinearCombiner, or a KernelCombiner
        Of these classifiers only.
    coef : ndarray of shape (n_members, d), or None
        Its weights, with zeros for the others. None with a kernel.
    choice : StrengthChoice, or a KernelChoice
        How the strength was chosen.
    settled : bool
        Whether the solver found the weights to its tolerance.
    refit : StrengthChoice or None
        How the strength of the second stage was chosen.
    """

    mask: np.ndarray
    combiner: Any
    coef: np.ndarray | None
    choice: Any
    refit: StrengthChoice | None = None
    settled: bool = True

    @property
    def held_out(self) -> np.ndarray:
        """Scores of rows by combiners that did not see them, shape (n_samples, n_classes)."""
        return np.asarray((self.refit or self.choice).held_out)


def select(
    P: np.ndarray, y: np.ndarray, strengths: Any = None, *, share: Any = None, **options: Any
) -> Selection:
    """Choose a strength, solve, and drop the classifiers without weight.

    Parameters
    ----------
    P : ndarray of shape (n_samples, n_members, n_classes)
    y : ndarray of int, shape (n_samples,)
    strengths : sequence of float, optional
    share : ndarray of shape (n_samples,), optional
    **options
        As in :func:`choose_strength`; ``combination`` may be "auto". ``tol`` is that of the
        solution, not of the choice.

    Returns
    -------
    Selection

    Examples
    --------
    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> y = rng.integers(3, size=80)
    >>> P = rng.dirichlet(np.ones(3), (80, 6))
    >>> P[:, :2] += np.eye(3)[y][:, None]
    >>> select(P, y, [0.01, 0.1], random_state=0).mask
    array([ True,  True, False, False, False, False])
    """
    judged = {name: value for name, value in options.items() if name != "tol"}
    if judged.get("combination") == "auto":
        del judged["combination"]
        choice = choose_combination(P, y, strengths, share=share, **judged)
    else:
        choice = choose_strength(P, y, strengths, share=share, **judged)
    triple = {name: value for name, value in options.items() if name not in JUDGING}
    triple["combination"] = choice.combination
    if choice.sums is None:
        combiner = solve(P, y, strength=choice.strength, share=share, **triple)
    else:
        tol = triple.get("tol", 1e-6)
        penalty = penalty_of({"penalty": "group", **triple}, P.shape[1])
        combiner = choice.sums.solve(penalty, choice.strength, tol=tol)
        say_unsettled(combiner, tol)
    mask = combiner.selected
    coef = np.where(mask[:, None], combiner.coef, 0.0)
    return Selection(mask, combiner.restrict(mask), coef, choice, settled=combiner.converged)


def select_then_refit(
    P: np.ndarray, y: np.ndarray, strengths: Any = None, *, share: Any = None, **options: Any
) -> Selection:
    """Let a sparse penalty choose the classifiers, then weigh them anew with a squared one.

    A sparse penalty does two things at once: it drops classifiers and it shrinks the weights of
    the others. The second stage undoes the shrinking, with a strength of its own.

    Parameters
    ----------
    P : ndarray of shape (n_samples, n_members, n_classes)
    y : ndarray of int, shape (n_samples,)
    strengths : sequence of float, optional
        The grid of both stages.
    share : ndarray of shape (n_samples,), optional
    **options
        As in :func:`select`. A ``solver`` for sparse penalties only is used in the first stage.

    Returns
    -------
    Selection

    Examples
    --------
    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> y = rng.integers(3, size=80)
    >>> P = rng.dirichlet(np.ones(3), (80, 6))
    >>> P[:, :2] += np.eye(3)[y][:, None]
    >>> found = select_then_refit(P, y, [0.01, 0.1], random_state=0)
    >>> int(found.mask.sum()), found.combiner.coef.shape
    (2, (2, 3))
    """
    first = select(P, y, strengths, share=share, **options)
    if not first.mask.any():
        return first
    kept = np.ascontiguousarray(P[:, first.mask])
    options |= {"penalty": "l2", "elastic": 0.0, "combination": first.choice.combination}
    options["prices"] = None
    if options.get("solver") not in ("newton", "admm"):
        options["solver"] = "auto"
    second = select(kept, y, strengths, share=share, **options)
    mask = first.mask.copy()
    mask[first.mask] = second.mask
    coef = np.zeros_like(first.coef)
    coef[first.mask] = second.coef
    return Selection(mask, second.combiner, coef, first.choice, second.choice, second.settled)


@dataclass(frozen=True)
class Limits:
    """How many classifiers may be kept, and how long they may take.

    Attributes
    ----------
    max_members : int or None
    time_budget : float or None
        Sum of ``seconds`` that the kept classifiers may take.
    seconds : ndarray of shape (n_members,), or None
        What each takes.

    Examples
    --------
    >>> limits = Limits(2, 3.0, np.array([1.0, 1.0, 5.0]))
    >>> limits.allow(np.array([True, True, False])), limits.allow(np.array([False, False, True]))
    (True, False)
    """

    max_members: int | None = None
    time_budget: float | None = None
    seconds: np.ndarray | None = None

    def allow(self, mask: np.ndarray) -> bool:
        """Whether these classifiers, a mask of shape (n_members,), are not too many or too slow."""
        few = self.max_members is None or int(mask.sum()) <= self.max_members
        if self.time_budget is None or self.seconds is None:
            return few
        return few and float(self.seconds[mask].sum()) <= self.time_budget


def select_within(
    P: np.ndarray,
    y: np.ndarray,
    strengths: Any = None,
    *,
    limits: Limits,
    share: Any = None,
    **options: Any,
) -> Selection:
    """Select as :func:`select` does, but no more classifiers than the limits allow.

    If these are too many, larger strengths are tried. Of the last ones that are too many, those
    with the longest weights that the limits allow are weighed anew, as if there were no others.

    Parameters
    ----------
    P : ndarray of shape (n_samples, n_members, n_classes)
    y : ndarray of int, shape (n_samples,)
    strengths : sequence of float, optional
    limits : Limits
    share : ndarray of shape (n_samples,), optional
    **options
        As in :func:`select`.

    Returns
    -------
    Selection

    Raises
    ------
    ValueError
        If no classifier is fast enough.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> y = rng.integers(3, size=80)
    >>> P = rng.dirichlet(np.ones(3), (80, 6))
    >>> P[:, :3] += np.eye(3)[y][:, None]
    >>> select_within(P, y, limits=Limits(max_members=2), random_state=0).mask.sum()
    np.int64(2)
    """
    found = select(P, y, strengths, share=share, **options)
    if limits.allow(found.mask):
        return found
    chosen = _largest_allowed(P, y, found, limits, share, options)
    kept = np.ascontiguousarray(P[:, chosen])
    words = dict(options)
    if words.get("prices") is not None:
        words["prices"] = np.asarray(words["prices"])[chosen]
    again = select(kept, y, strengths, share=share, **words)
    mask = chosen.copy()
    mask[chosen] = again.mask
    coef = np.zeros((P.shape[1], again.combiner.coef.shape[1]))
    coef[chosen] = again.coef
    return Selection(mask, again.combiner, coef, again.choice, settled=again.settled)


def _largest_allowed(
    P: np.ndarray, y: np.ndarray, found: Selection, limits: Limits, share: Any, options: Any
) -> np.ndarray:
    """Members with the longest weights at the last strength that keeps too many, bool (M,)."""
    triple = {name: value for name, value in options.items() if name not in JUDGING}
    triple["combination"] = found.choice.combination
    posed = {name: value for name, value in triple.items() if name not in SEARCH}
    search = {name: value for name, value in triple.items() if name in SEARCH}
    problem = pose_problem(P, y, share=share, **posed)
    last = minimise(problem, found.choice.strength, quiet=True, **search)
    for k in range(_STEPS):
        strength = found.choice.strength * _RATIO ** (k + 1)
        fewer = minimise(problem, strength, start=last, quiet=True, **search)
        if limits.allow(fewer.selected):
            break
        last = fewer
    chosen = np.zeros(P.shape[1], dtype=bool)
    for member in np.argsort(-np.linalg.norm(last.coef, axis=1), kind="stable").tolist():
        chosen[member] = True
        chosen[member] = limits.allow(chosen)
    if not chosen.any():
        raise ValueError(
            f"no member is allowed: the fastest takes {np.min(np.asarray(limits.seconds)):.3g} s "
            f"for 1000 rows, time_budget={limits.time_budget}. Raise time_budget."
        )
    return chosen
