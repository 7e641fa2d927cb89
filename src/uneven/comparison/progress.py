"""Progress of a comparison; an `Observer` is notified.

`Reporter` makes an observer of a function, and `RoundCounter` counts the rounds of one fit.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any, Protocol

FEWEST_TIMED = 5
"""After so many fits the remaining time is estimated."""


class Observer(Protocol):
    """Receives the progress of a run."""

    def begin(self, label: str, step: str) -> None:
        """Notified that the method `label` starts a step such as ``"fold 2 of 5"``."""

    def round(self, number: int, total: int) -> None:
        """Notified that the current fit has finished a round."""

    def end(self, label: str) -> None:
        """Notified that the step is over."""


class Silent:
    """An observer that shows nothing."""

    def begin(self, label: str, step: str) -> None:
        """Ignore the start of a step."""

    def round(self, number: int, total: int) -> None:
        """Ignore a round."""

    def end(self, label: str) -> None:
        """Ignore the end of a step."""


@dataclass(frozen=True)
class Progress:
    """How far a comparison has come.

    Attributes
    ----------
    label, step : str
        Method and what it does, such as ``"CoMBo"`` and ``"fold 2 of 5"``.
    done : float
        Fits that are finished, with the part of the current one that is known.
    total : int
        Fits that there will be.
    round, rounds : int
        Round of the current fit, and how many it plans; 0 if unknown.
    left : float or None
        About how many seconds the rest will take, at the same speed; None in the first
        fits.
    """

    label: str
    step: str
    done: float
    total: int
    round: int = 0
    rounds: int = 0
    left: float | None = field(default=None, compare=False)


class Reporter:
    """Observer that calls a function with the `Progress` after every step and round.

    Parameters
    ----------
    report : callable or None
        Called with a `Progress`; None calls nothing.
    total : int
        How many fits there will be.

    Examples
    --------
    >>> reporter = Reporter(print, 2)
    >>> reporter.begin("CoMBo", "fold 1 of 2")
    Progress(label='CoMBo', step='fold 1 of 2', done=0, total=2, round=0, rounds=0, left=None)
    """

    def __init__(self, report: Callable[[Progress], None] | None, total: int) -> None:
        self._report = report or (lambda progress: None)
        self._now = Progress("", "", 0, total)
        self._ended = time.perf_counter()
        self._times: list[float] = []

    def begin(self, label: str, step: str) -> None:
        """Report that a fit starts."""
        self._tell(label=label, step=step, round=0, rounds=0)

    def round(self, number: int, total: int) -> None:
        """Report that the current fit has finished a round."""
        part = min(number / max(total, 1), 1.0)
        self._tell(done=int(self._now.done) + min(part, 0.999), round=number, rounds=total)

    def end(self, label: str) -> None:
        """Report that the fit is over."""
        now = time.perf_counter()
        self._times.append(now - self._ended)
        self._ended = now
        self._tell(done=int(self._now.done) + 1, round=0, rounds=0)

    def _tell(self, **changes: Any) -> None:
        now = replace(self._now, **changes)
        self._now = replace(now, left=self._left(now))
        self._report(self._now)

    def _left(self, now: Progress) -> float | None:
        """Fits that are left take as long as those so far, without the slowest tenth.

        A first fit that compiles kernels is not representative.
        """
        if len(self._times) < FEWEST_TIMED:
            return None
        usual = sorted(self._times)[: -math.ceil(len(self._times) / 10)]
        return max(now.total - now.done, 0.0) * sum(usual) / len(usual)


class RoundCounter:
    """Callback for scikit-learn's protocol that counts the rounds of one fit.

    Parameters
    ----------
    report : callable
        Called with the number of finished rounds and the planned number of rounds.
    """

    def __init__(self, report: Callable[[int, int], None]) -> None:
        self._report = report
        self._total = 0
        self._done = 0

    def setup(self, estimator: Any, context: Any) -> None:
        """Start counting."""
        self._total = self._done = 0

    def teardown(self, estimator: Any, context: Any) -> None:
        """Stop counting."""

    def on_fit_task_begin(self, estimator: Any, context: Any) -> None:
        """See how many rounds are planned; wait for each of them to end."""
        self._total = max(self._total, context.max_subtasks or 0)

    def on_fit_task_end(self, estimator: Any, context: Any) -> bool:
        """Count a round: a task without subtasks, unlike the fit as a whole."""
        if context.max_subtasks == 0:
            self._done += 1
            self._report(self._done, self._total)
        return False
