"""Progress of a long run of many cells: a bar on a terminal, a line now and then elsewhere."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.markup import escape
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)

from uneven.cli import terminal
from uneven.comparison import Observer

__all__ = ["cell_progress"]

QUIET_SECONDS = 30.0


@contextmanager
def cell_progress(total: int) -> Iterator[Observer]:
    """Show how many cells are finished.

    Parameters
    ----------
    total : int
        How many there will be, those finished before included.

    Yields
    ------
    Observer
        To be told about each.
    """
    console = terminal.stderr()
    if not console.is_terminal:
        yield _Lines(console, total)
        return
    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        TextColumn("left"),
        TimeRemainingColumn(),
    )
    with Progress(*columns, console=console, transient=True, speed_estimate_period=600) as bar:
        yield _Bar(bar, total)


class _Bar:
    """Observer with a bar."""

    def __init__(self, bar: Progress, total: int) -> None:
        self._bar = bar
        self._task = bar.add_task("", total=total)

    def begin(self, label: str, step: str) -> None:
        shown = f"[bold]{escape(label)}[/bold] {escape(step)}"
        self._bar.update(self._task, description=shown)

    def round(self, number: int, total: int) -> None:
        pass

    def end(self, label: str) -> None:
        self._bar.advance(self._task)


class _Lines:
    """Observer that writes a line every half minute."""

    def __init__(self, console: Console, total: int) -> None:
        self._console = console
        self._total = total
        self._done = 0
        self._last = time.monotonic()

    def begin(self, label: str, step: str) -> None:
        pass

    def round(self, number: int, total: int) -> None:
        pass

    def end(self, label: str) -> None:
        self._done += 1
        if time.monotonic() - self._last >= QUIET_SECONDS or self._done == self._total:
            self._last = time.monotonic()
            self._console.print(f"{self._done} of {self._total} cells", soft_wrap=True)
