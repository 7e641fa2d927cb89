"""One step of UMA."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from uneven.linear.steps import ERROR_STEPS
from uneven.noise.pair_selection import Candidates, in_order
from uneven.noise.uma_run import Run

__all__ = ["Rules", "iterate"]


@dataclass(frozen=True)
class Rules:
    """What the algorithm leaves open.

    Attributes
    ----------
    selection : str
        Which pair comes next; a key of :data:`~uneven.noise.pair_selection.SELECTIONS`.
    step : str
        Who pays for what the true class gains.
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

    Parameters
    ----------
    run : Run
        The rows, grouped by predicted class, and the vectors of all pairs; changed in place.
    rules : Rules
    prior : ndarray of shape (n_classes,)
        Frequencies of the true classes.

    Returns
    -------
    str
        Empty; or why there is no step to make.
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
