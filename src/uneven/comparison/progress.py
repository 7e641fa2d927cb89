"""Progress of a run, told to whoever wants to show it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol

__all__ = ["Observer", "RoundCounter", "Silent"]


class Observer(Protocol):
    """Someone who is told what a run is doing."""

    def begin(self, label: str, step: str) -> None:
        """Say that the method `label` starts a step such as ``"fold 2 of 5"``."""

    def round(self, number: int, total: int) -> None:
        """Say that the current fit has finished a round."""

    def end(self, label: str) -> None:
        """Say that the step is over."""


class Silent:
    """An observer that shows nothing."""

    def begin(self, label: str, step: str) -> None:
        """Ignore the start of a step."""

    def round(self, number: int, total: int) -> None:
        """Ignore a round."""

    def end(self, label: str) -> None:
        """Ignore the end of a step."""


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
