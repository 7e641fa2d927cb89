"""Combiners that learn from the level-1 scores of one stack, and what they reach on new rows."""

from __future__ import annotations

import time
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.exceptions import ConvergenceWarning

from uneven.fusion.rules import mean
from uneven.stacking import choose_kernel_parameters, choose_strength, fit_kernel_combiner, mlr
from uneven.stacking.kernel.choice import gamma_grid
from uneven.stacking.model.problem import LinearCombiner
from uneven.stacking.solvers.selection import StrengthChoice
from uneven.stacking.solvers.solve import STRENGTHS, solve
from uneven_published.description import Answers
from uneven_published.sen.majorisation import PAPER, majorise
from uneven_published.sen.stacks import Stack

__all__ = ["GRID", "Bench", "Triple", "Verdict", "Verdicts", "quiet"]

GRID = tuple(strength for strength in STRENGTHS if strength >= 1e-3)
"""The published strengths without 1e-11 to 1e-5: these overfit, and take most of the time."""

_TOL = 1e-4

Triple = tuple[str, str, str] | tuple[str, str, str, float]
"""Combination, loss, penalty, and maybe the share of squared weights in the penalty."""


@dataclass(frozen=True)
class Verdict:
    """Error in percent on new rows, classifiers used, strength and seconds of a combiner."""

    error: float
    used: int
    strength: float = float("nan")
    seconds: float = float("nan")


Verdicts = dict[str, Verdict]


@contextmanager
def quiet() -> Iterator[None]:
    """No word about solvers that stop early."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        yield


@dataclass
class Bench:
    """A stack, how strengths are chosen, and what was found.

    Attributes
    ----------
    stack : Stack
    strengths : tuple of float
        To choose from, by two folds of the level-1 scores.
    tie : {"largest", "smallest"}
        Which of several strengths with the same error is taken.
    found : dict of str to Verdict
    """

    stack: Stack
    strengths: tuple[float, ...] = GRID
    tie: str = "largest"
    found: Verdicts = field(default_factory=dict)

    @property
    def n_members(self) -> int:
        """Classifiers in the stack."""
        return int(self.stack.scores.shape[1])

    def note(self, name: str, answers: NDArray[Any], used: int, **more: float) -> None:
        """Keep what a combiner answers for the new rows."""
        error = 100.0 * float(np.mean(answers != self.stack.new_y))
        self.found[name] = Verdict(error, used, **more)

    def linear(self, name: str, combiner: LinearCombiner, **more: float) -> None:
        """Ask a linear combiner."""
        used = int(combiner.selected.sum())
        self.note(name, combiner.predict(self.stack.new_scores), used, **more)

    def mean_rule(self, name: str) -> None:
        """Equal weights."""
        self.note(name, mean(self.stack.new_scores).argmax(axis=1), self.n_members)

    def regression(self, name: str, combination: str) -> None:
        """Least squares without a penalty."""
        self.linear(name, mlr(self.stack.scores, self.stack.y, combination=combination))

    def choose(self, triple: Triple) -> tuple[StrengthChoice, LinearCombiner, float]:
        """Strength by two folds of the level-1 scores, weights from all, and CPU seconds of these.

        Returns
        -------
        choice : StrengthChoice
        combiner : LinearCombiner
        seconds : float
            Of the last solution, without the choice of the strength.
        """
        choice = choose_strength(
            self.stack.scores,
            self.stack.y,
            self.strengths,
            tie=self.tie,
            random_state=0,
            **_words(triple),
        )
        start = time.process_time()
        combiner = self.solve(triple, choice.strength)
        return choice, combiner, time.process_time() - start

    def solve(self, triple: Triple, strength: float) -> LinearCombiner:
        """Weights from all level-1 scores."""
        scores, y = self.stack.scores, self.stack.y
        return solve(scores, y, strength=strength, tol=_TOL, **_words(triple))

    def tuned(self, name: str, triple: Triple) -> None:
        """Choose a strength, and ask the combiner that is solved with it."""
        choice, combiner, seconds = self.choose(triple)
        self.linear(name, combiner, strength=choice.strength, seconds=seconds)

    def descent(self, name: str, penalty: str, strength: float) -> None:
        """The published steps without guards; NaN answers with the first class."""
        scores, y = self.stack.scores, self.stack.y
        start = time.process_time()
        found = majorise(scores, y, penalty=penalty, strength=strength, guards=False, **PAPER)
        seconds = time.process_time() - start
        self.linear(name, found, strength=strength, seconds=seconds)

    def curved(
        self,
        name: str,
        combination: str,
        kernel: str,
        loss: str,
        widths: tuple[int, ...] = (),
        degrees: tuple[int, ...] = (),
        landmarks: int = 2000,
    ) -> None:
        """A combination in the space of a kernel; strength and parameter by the same two folds.

        Parameters
        ----------
        name, combination, kernel, loss : str
        widths : tuple of int
            For "rbf": exponents of 2, of gamma times the median squared distance.
        degrees : tuple of int
            For "poly".
        landmarks : int, default=2000
            Drawn rows in whose span a function by least squares lies if there are more rows.
        """
        scores, y = self.stack.scores, self.stack.y
        same: dict[str, Any] = {"loss": loss, "landmarks": landmarks}
        words = {"combination": combination, "kernel": kernel, **same}
        if kernel == "rbf":
            grid = gamma_grid(scores, combination)
            words["gammas"] = [grid[k - _FIRST_WIDTH] for k in widths]
        elif kernel == "poly":
            words["degrees"] = degrees
        choice = choose_kernel_parameters(scores, y, strengths=self.strengths, **words)
        combiner = fit_kernel_combiner(scores, y, **same, **choice.options)
        answers = combiner.predict(self.stack.new_scores)
        self.note(name, answers, self.n_members, strength=choice.strength)

    def answers(self) -> Answers:
        """Error and share of the classifiers used in percent, and seconds, one sample each."""
        return {
            name: {
                "error": [verdict.error],
                "kept": [100.0 * verdict.used / self.n_members],
                "seconds": [verdict.seconds],
            }
            for name, verdict in self.found.items()
        }


_FIRST_WIDTH = -7
"""Exponent at which the grid of widths begins."""


def _words(triple: Triple) -> dict[str, Any]:
    return dict(zip(("combination", "loss", "penalty", "elastic"), triple))
