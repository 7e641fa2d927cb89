"""Cuts and updates of perceptrons on squares of points with a margin."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from uneven.bounds import perceptron_mistake_bound
from uneven.datasets import make_margin_square
from uneven.linear import normal_form, run_perceptron
from uneven.versionspace import localise
from uneven.versionspace._loops import LOWEST_MARGIN, correct_cuts
from uneven_published.description import Answers, Context

__all__ = [
    "CYCLIC",
    "LOWEST",
    "ORACLES",
    "LocalisationCurves",
    "LocalisationRuns",
    "counted",
    "draw",
    "margin_row",
]

ORACLES = {
    "Largest Error": "largest_error",
    "Smallest Error": "smallest_error",
    "Random Error": "random_error",
}
LOWEST = "Perceptron"
CYCLIC = "Perceptron, rows in turn"
BOUND = "bound"
"""Key of the mistake bound of a draw."""

N_POINTS = 1000
MOST_CUTS = 20
"""Cuts of the longest run that there is room for."""

_FAR_APART = 100_000
"""Seeds between one margin and the next."""


def draw(margin: float, seed: int) -> dict[str, np.ndarray]:
    """Run everything on one square.

    Parameters
    ----------
    margin : float
        In hundredths.
    seed : int
        Number of the draw.

    Returns
    -------
    dict of str to ndarray
        Updates after each cut, shape (20,), for each rule that picks the next cut; number of
        updates, shape (1,), of two perceptrons on all rows; and the mistake bound, shape (1,).

    Examples
    --------
    >>> found = draw(0.1, 0)
    >>> found["Largest Error"][:4].tolist(), found["Largest Error"].shape
    ([1, 2, 34, 601], (20,))
    >>> bool(found["Perceptron"][0] <= found["bound"][0])
    True
    """
    seed += _FAR_APART * (round(100 * margin) - 1)
    square = make_margin_square(N_POINTS, margin=margin, random_state=seed)
    Z = normal_form(square.data, square.target)
    found = {}
    for name, oracle in ORACLES.items():
        updates = localise(Z, oracle, rng=np.random.default_rng(seed)).updates
        found[name] = np.pad(updates, (0, max(0, MOST_CUTS - len(updates))))[:MOST_CUTS]
        found[name][-1] += updates[MOST_CUTS:].sum()
    counts, margins = np.zeros(len(Z), dtype=np.int64), np.zeros(len(Z))
    rng = np.random.default_rng(0)
    lowest = correct_cuts(Z @ Z.T, LOWEST_MARGIN, rng, 10**7, counts, margins)
    cyclic = run_perceptron(Z, max_epochs=10**6, max_updates=10**7)
    radius = float(np.linalg.norm(Z, axis=1).max())
    found[LOWEST] = np.array([lowest])
    found[CYCLIC] = np.array([len(cyclic.mistakes)])
    found[BOUND] = np.array([perceptron_mistake_bound(radius, margin)])
    return found


def counted(updates: np.ndarray, what: str) -> np.ndarray:
    """Cuts or updates of each run, from updates of shape (n_runs, 20)."""
    return (updates > 0).sum(axis=1) if what == "cuts" else updates.sum(axis=1)


def margin_row(margin: float) -> str:
    """Row label of a margin."""
    return f"γ = {margin:.2f}"


@dataclass(frozen=True)
class LocalisationRuns:
    """Some draws of one margin, which the item names.

    Attributes
    ----------
    draws : int
        How many a cell makes.
    shown_cuts : int
        Length of the curves over cuts.
    """

    draws: int
    shown_cuts: int

    def __call__(self, item: str, repeat: int, context: Context) -> Answers:
        """Cuts, updates, and both by the number of the cut."""
        runs = _draws(float(item.split()[-1]), repeat, self.draws)
        bound = runs[BOUND][:, 0]
        answers: dict[str, dict[str, np.ndarray]] = {}
        for name in (*ORACLES, LOWEST, CYCLIC):
            updates = counted(runs[name], "updates")
            answers[name] = {"updates": updates, "bound": updates / bound}
        for name in ORACLES:
            cuts, after = counted(runs[name], "cuts"), runs[name][:, : self.shown_cuts]
            answers[name] |= {
                "cuts": cuts,
                "four": cuts <= 4,
                "seven": cuts >= 7,
                "reached": after > 0,
                "after": np.where(after > 0, after, np.nan),
            }
        return answers


@dataclass(frozen=True)
class LocalisationCurves:
    """Some draws of every margin: curves over the margin.

    Attributes
    ----------
    margins : tuple of float
    draws : int
    """

    margins: tuple[float, ...]
    draws: int

    def __call__(self, item: str, repeat: int, context: Context) -> Answers:
        """Cuts and updates, shape (draws, n_margins)."""
        runs = [_draws(margin, repeat, self.draws) for margin in self.margins]
        answers: dict[str, dict[str, np.ndarray]] = {}
        for name in (*ORACLES, LOWEST, CYCLIC):
            updates = [counted(run[name], "updates") for run in runs]
            answers[name] = {"updates_curve": np.transpose(updates)}
        for name in ORACLES:
            cuts = [counted(run[name], "cuts") for run in runs]
            answers[name]["cuts_curve"] = np.transpose(cuts)
        return answers


def _draws(margin: float, repeat: int, n_draws: int) -> dict[str, np.ndarray]:
    """Draws of a repetition; the first axis is the draw."""
    runs = [draw(margin, repeat * n_draws + k) for k in range(n_draws)]
    return {name: np.array([run[name] for run in runs]) for name in runs[0]}
