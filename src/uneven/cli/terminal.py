"""What a person sees while and after a command runs.

Progress and notes go to standard error, results to standard output.  Colour and live bars appear
only on a terminal, and never where ``NO_COLOR`` is set.
"""

from __future__ import annotations

import sys
import time
import warnings
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import TextIO

from rich import box
from rich.console import Console
from rich.markup import escape
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn
from rich.table import Table
from rich.text import Text

from uneven.comparison import Observer

__all__ = [
    "ascii_only",
    "busy",
    "notes",
    "progress",
    "shade",
    "stderr",
    "stdout",
    "table",
    "warnings_as_notes",
]

PLAIN_WIDTH = 160


def stdout() -> Console:
    """Console for results."""
    return Console(width=_width(sys.stdout), highlight=False)


def stderr() -> Console:
    """Console for progress and notes."""
    return Console(stderr=True, width=_width(sys.stderr), highlight=False)


def _width(stream: TextIO) -> int | None:
    """Width of a file or pipe, where nothing limits it; None lets the terminal decide."""
    return None if stream.isatty() else PLAIN_WIDTH


def notes(messages: Iterable[str]) -> None:
    """Print notes to standard error."""
    console = stderr()
    for message in messages:
        console.print(f"[yellow]note:[/yellow] {escape(message)}")


@contextmanager
def warnings_as_notes() -> Iterator[None]:
    """Print what is warned about in the block as notes at its end, each once."""
    with warnings.catch_warnings(record=True) as caught:
        try:
            yield
        finally:
            notes(dict.fromkeys(" ".join(str(warning.message).split()) for warning in caught))


def ascii_only(console: Console) -> bool:
    """Tell whether a console cannot show signs beyond ASCII."""
    return not console.encoding.lower().startswith("utf")


def shade(value: float) -> Text:
    """A share between 0 and 1 as a percentage, stronger where it is larger."""
    style = "bold green" if value >= 0.5 else "green" if value >= 0.2 else "dim"
    return Text(f"{100 * value:.0f}%", style=style if value >= 0.2 or value < 0.05 else "")


class _LiveBar:
    """Observer with a bar on a terminal."""

    def __init__(self, bar: Progress, total: int) -> None:
        self._bar = bar
        self._task = bar.add_task("", total=total, rounds="")
        self._done = 0

    def begin(self, label: str, step: str) -> None:
        self._bar.update(
            self._task, description=f"[bold]{escape(label)}[/bold] {escape(step)}", rounds=""
        )

    def round(self, number: int, total: int) -> None:
        part = min(number / max(total, 1), 1.0)
        self._bar.update(self._task, completed=self._done + part, rounds=f"round {number}/{total}")

    def end(self, label: str) -> None:
        self._done += 1
        self._bar.update(self._task, completed=self._done, rounds="")


class _Lines:
    """Observer that writes one line per method where there is no terminal."""

    def __init__(self, console: Console) -> None:
        self._console = console
        self._label: str | None = None
        self._steps = 0
        self._started = 0.0

    def begin(self, label: str, step: str) -> None:
        if label != self._label:
            self.flush()
            self._label, self._steps, self._started = label, 0, time.perf_counter()

    def round(self, number: int, total: int) -> None:
        pass

    def end(self, label: str) -> None:
        self._steps += 1

    def flush(self) -> None:
        if self._label is not None and self._steps:
            seconds = time.perf_counter() - self._started
            fits = f"{self._steps} fit{'s' * (self._steps > 1)}"
            self._console.print(f"{escape(self._label)}: {fits}, {seconds:.1f} s")


@contextmanager
def progress(steps: int) -> Iterator[Observer]:
    """Show the progress of a number of fits.

    Parameters
    ----------
    steps : int
        How many fits there will be.

    Yields
    ------
    Observer
        To be told about the fits.
    """
    console = stderr()
    if not console.is_terminal:
        lines = _Lines(console)
        yield lines
        lines.flush()
        return
    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        TextColumn("{task.percentage:>3.0f}%"),
        TimeElapsedColumn(),
        TextColumn("[dim]{task.fields[rounds]}"),
    )
    with Progress(*columns, console=console, transient=True) as bar:
        yield _LiveBar(bar, steps)


@contextmanager
def busy(what: str) -> Iterator[None]:
    """Say on a terminal what is being done while the block runs."""
    console = stderr()
    if not console.is_terminal:
        yield
        return
    with console.status(escape(what)):
        yield


def table(title: str, header: Sequence[str]) -> Table:
    """An empty table, first column to the left and the others to the right."""
    out = Table(
        box=box.SIMPLE_HEAD,
        collapse_padding=True,
        pad_edge=False,
        title=Text(title, style="bold") if title else None,
        title_justify="left",
        header_style="bold",
    )
    for j, name in enumerate(header):
        out.add_column(escape(name), justify="right" if j else "left", no_wrap=j > 0)
    return out
