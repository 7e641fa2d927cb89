"""Parameters chosen by trying some: a random search that drops the worse half after every fold.

A method declares what may be tried (``tunes=`` of `uneven.utils.methods.method`). The
search sees nothing but the training rows of a fold, so that what is measured on its held-out rows
is the whole procedure: the search, then the fit.

Looked at before this was written: scikit-learn's ``HalvingRandomSearchCV`` begins with few rows,
in which rare classes are missing, and is experimental; ``RandomizedSearchCV`` tries every candidate
on every fold. Here candidates race over the folds instead of over rows. Optuna learns from earlier
trials where to look, which pays after some dozens of them; spaces here are a few values of two to
four parameters, tried ten or twenty times, and it would be one more package. What is used of
scikit-learn is ``ParameterSampler``.
"""

from __future__ import annotations

import math
import time
import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.model_selection import ParameterSampler

from uneven.comparison.deadline import Deadline
from uneven.comparison.errors import InputError
from uneven.comparison.folds import Split, past_folds, stratified_folds
from uneven.comparison.measures import Measure
from uneven.comparison.problem import Problem

FOLDS = 3
EARLY = "the time limit ended the search for parameters early"
"""Note on a search that was cut short; its fits are not kept for later runs."""

Judge = Callable[[Mapping[str, Any], Split], float]
"""Fits with some parameters on the first rows of a pair and measures on the others."""


@dataclass(frozen=True)
class Tuning:
    """How parameters are searched.

    Attributes
    ----------
    n : int
        How many candidates are tried, the parameters as they stand among them.
    metric : Measure
        What a candidate should be good at.
    deadline : Deadline or None
        When no further candidate is tried.

    Examples
    --------
    >>> tuning = Tuning(4, Measure("accuracy", "accuracy"))
    >>> folds = [(np.arange(2), np.arange(2))] * 3
    >>> def judge(params, fold):
    ...     return {1: 0.5, 2: 0.9}.get(params.get("depth"), 0.7)
    >>> tuning.race({"depth": (1, 2, 3)}, folds, judge, seed=0)
    {'depth': 2}
    """

    n: int
    metric: Measure
    deadline: Deadline | None = field(default=None, compare=False)

    def candidates(self, space: Mapping[str, Sequence[Any]], seed: int) -> list[dict[str, Any]]:
        """Parameters to try: as they stand, then different ones drawn from a space."""
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # a small space has fewer
            drawn = ParameterSampler(
                {name: list(values) for name, values in space.items()},
                self.n - 1,
                random_state=seed,
            )
            return [{}, *drawn] if self.n > 1 else [{}]

    def race(
        self,
        space: Mapping[str, Sequence[Any]],
        folds: Sequence[Split],
        judge: Judge,
        seed: int,
        tell: Callable[[int, int], None] = lambda done, total: None,
    ) -> dict[str, Any]:
        """The candidate that is best after all folds; after each the worse half is dropped.

        A deadline ends it early, with a warning: the fold before the last one counts then, or in
        the first fold those that were tried.

        Parameters
        ----------
        space : mapping of str to sequence
            Values of each parameter.
        folds : sequence of (train, test)
        judge : callable
            May return NaN, which is worse than anything.
        seed : int
        tell : callable, optional
            Called with the number of fits that are done and to do.

        Returns
        -------
        dict of str to object
            Empty for the parameters as they stand, which win ties, also if there is no fold.
        """
        left = self.candidates(space, seed)
        values: list[list[float]] = [[] for _ in left]
        places = ranked = list(range(len(left)))
        total = sum(max(1, math.ceil(len(left) / 2**k)) for k in range(len(folds)))
        done = 0
        seconds = 0.0
        for number, fold in enumerate(folds):
            for place in places:
                if self.deadline is not None and not self.deadline.allows(2.0 * seconds):
                    warnings.warn(EARLY, stacklevel=2)
                    tried = [p for p in places if values[p]] if number == 0 else ranked[:1]
                    return left[self._best_first(tried, values)[0]] if tried else {}
                begun = time.perf_counter()
                values[place].append(judge(left[place], fold))
                seconds = time.perf_counter() - begun
                done += 1
                tell(done, total)
            ranked = self._best_first(places, values)
            places = sorted(ranked[: max(1, math.ceil(len(places) / 2))])
        return left[ranked[0]] if folds else {}

    def _best_first(self, places: Sequence[int], values: Sequence[list[float]]) -> list[int]:
        return sorted(places, key=lambda place: (self._loss(values[place]), place))

    def _loss(self, values: Sequence[float]) -> float:
        centre = float(np.mean(values))
        return math.inf if math.isnan(centre) else float(self.metric.better(0.0, centre))


def tuning_folds(problem: Problem, rows: NDArray[np.intp], seed: int) -> list[Split]:
    """Folds of some rows, by the groups or the times of the problem if it has any.

    Parameters
    ----------
    problem : Problem
    rows : ndarray of int
        The training rows of a fold.
    seed : int

    Returns
    -------
    list of (train, test)
        Positions in the whole problem; empty if the rows are too few to be divided.
    """
    part = replace(problem, y=problem.y[rows])  # folds look at labels only
    groups = None if problem.groups is None else problem.groups[rows]
    try:
        if problem.times is not None:
            found = past_folds(part, problem.times[rows], FOLDS, groups)
        else:
            n_folds = FOLDS if groups is None else min(FOLDS, len(np.unique(groups)))
            found = stratified_folds(part, n_folds, 1, seed, groups)
    except (InputError, ValueError):
        return []
    return [(rows[train], rows[test]) for train, test in found]


def most_chosen(chosen: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """The parameters that searches chose most often, the first of them where several were.

    Examples
    --------
    >>> most_chosen([{"depth": 1}, {"depth": 2}, {"depth": 2}])
    {'depth': 2}
    """
    counts = [sum(other == one for other in chosen) for one in chosen]
    return dict(chosen[counts.index(max(counts))]) if chosen else {}
