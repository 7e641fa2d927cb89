"""What happens along the way: over the strengths of a grid, and over the sweeps of a descent."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from uneven.stacking import solve_path
from uneven.stacking.model.problem import LinearCombiner
from uneven_published.description import Answers, Context
from uneven_published.sen.combiners import EVERY_HINGE
from uneven_published.sen.judges import GRID, quiet
from uneven_published.sen.majorisation import MajorisedCombiner, majorise
from uneven_published.sen.stacks import (
    DATA,
    Stack,
    diverse_stack,
    rows_of,
    sample_rows,
    svm_stack,
)

__all__ = ["CURVATURES", "SECONDS", "DescentTraces", "StrengthPaths"]

CURVATURES = {"OC": "optimal", "MC": "maximum"}
PENALTIES = {"l2": "l2", "l1": "l1", "l1-l2": "group"}

SECONDS = (0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0)
"""Where the objective is read off by time."""

_THRESHOLDS = {"T": 1e-5, "NT": 0.0}


@dataclass(frozen=True)
class StrengthPaths:
    """Accuracy on new rows and classifiers kept, in percent, for every strength of a grid.

    Attributes
    ----------
    diverse : bool
        13 kinds of classifiers on random parts of the rows; else 154 support vector machines.
    families : tuple of str
        Combinations of the figures.
    n_subsets, n_rows, max_iter : int
        As in `DiverseStacks` and `SVMStacks`.
    strengths : tuple of float
    """

    diverse: bool
    families: tuple[str, ...]
    n_subsets: int = 3
    n_rows: int = 10_000
    max_iter: int = 10_000
    strengths: tuple[float, ...] = GRID

    def __call__(self, item: str, repeat: int, context: Context) -> Answers:
        """Curves on one half of a data set."""
        rows = rows_of(context.fetch(DATA[item]))
        X, y = sample_rows(*rows, n_rows=self.n_rows, random_state=repeat // 2)
        if self.diverse:
            stack = diverse_stack(X, y, repeat, self.n_subsets)
        else:
            stack = svm_stack(X, y, repeat, self.max_iter)
        wanted = {n: t for n, t in EVERY_HINGE.items() if n.split()[0] in self.families}
        with quiet():
            return {name: self._follow(stack, *triple[:3]) for name, triple in wanted.items()}

    def _follow(
        self, stack: Stack, combination: str, loss: str, penalty: str
    ) -> dict[str, NDArray[np.float64]]:
        words: dict[str, Any] = {"combination": combination, "loss": loss, "penalty": penalty}
        path = solve_path(stack.scores, stack.y, self.strengths, tol=1e-3, **words)
        n_members = stack.scores.shape[1]
        kept = [100.0 * combiner.selected.sum() / n_members for combiner in path]
        right = [_accuracy(combiner, stack.new_scores, stack.new_y) for combiner in path]
        return {"accuracy": np.array([right]), "kept": np.array([kept])}


@dataclass(frozen=True)
class DescentTraces:
    """The published descent, sweep by sweep.

    Attributes
    ----------
    n_subsets : int
    n_sweeps : int
        None is stopped before.
    strength : float
    """

    n_subsets: int = 3
    n_sweeps: int = 50
    strength: float = 0.1

    def __call__(self, item: str, repeat: int, context: Context) -> Answers:
        """Curves on one half of a data set."""
        stack = diverse_stack(*rows_of(context.fetch(DATA[item])), repeat, self.n_subsets)
        with quiet():
            return {**self._accuracies(stack), **self._curvatures(stack), **self._selected(stack)}

    def _accuracies(self, stack: Stack) -> dict[str, dict[str, NDArray[np.float64]]]:
        """Objective and accuracies after every sweep, from weights of 0."""
        found = {}
        for name, penalty in PENALTIES.items():
            now: MajorisedCombiner | None = None
            story = []
            for _ in range(self.n_sweeps):
                now = self._run(stack, penalty, n_sweeps=1, start=now)
                on_train = _accuracy(now, stack.scores, stack.y)
                on_new = _accuracy(now, stack.new_scores, stack.new_y)
                story.append((now.objective, on_train, on_new))
            curves = np.array(story).T[:, None, :]
            found[f"MM {name}"] = dict(zip(("objective", "train", "test"), curves))
        return found

    def _curvatures(self, stack: Stack) -> dict[str, dict[str, NDArray[np.float64]]]:
        """Objective by sweep and by time, with the optimal curvature and with the largest."""
        found = {}
        for name, penalty in PENALTIES.items():
            for short, curvature in CURVATURES.items():
                self._run(stack, penalty, n_sweeps=1, curvature=curvature)
                trace = self._run(stack, penalty, curvature=curvature).trace
                value, spent = np.array(trace.objective), np.array(trace.seconds)
                last = np.searchsorted(spent, SECONDS, side="right") - 1
                found[f"{name} {short}"] = {"sweeps": value[None, 1:], "timed": value[None, last]}
        return found

    def _selected(self, stack: Stack) -> dict[str, dict[str, NDArray[np.float64]]]:
        """Classifiers with weights that are not 0, with the published threshold and without."""
        n_members, n_classes = stack.scores.shape[1:]
        even = np.full((n_members, n_classes), 1.0 / n_members)
        starts = {"": None, ", equal start": LinearCombiner("cws", even, np.zeros(0))}
        found = {}
        for where, start in starts.items():
            for name, threshold in _THRESHOLDS.items():
                trace = self._run(stack, "group", threshold=threshold, start=start).trace
                kept = 100.0 * np.array([trace.selected[1:]]) / n_members
                found[name + where] = {"kept": kept, "sweeps": np.array([trace.objective[1:]])}
        return found

    def _run(
        self,
        stack: Stack,
        penalty: str,
        *,
        curvature: str = "optimal",
        threshold: float = 1e-5,
        start: LinearCombiner | None = None,
        n_sweeps: int | None = None,
    ) -> MajorisedCombiner:
        """The sweeps as published, without guards; after the last that moves, the same again."""
        found = majorise(
            stack.scores,
            stack.y,
            penalty=penalty,
            strength=self.strength,
            curvature=curvature,
            guards=False,
            threshold=threshold,
            start=start,
            n_sweeps=n_sweeps or self.n_sweeps,
            tol=0.0,
        )
        for _ in range((n_sweeps or self.n_sweeps) - found.n_iter):
            found.trace.record(found.coef, found.objective)
        return found


def _accuracy(combiner: LinearCombiner, scores: NDArray, y: NDArray) -> float:
    return 100.0 * float(np.mean(combiner.predict(scores) == y))
