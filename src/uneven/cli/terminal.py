"""What is printed while and after a command runs.

Progress and notes go to standard error, results to standard output.  Colour and live bars appear
only on a terminal, and never where ``NO_COLOR`` is set.
"""

from __future__ import annotations

import sys
import time
import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, TextIO

from rich import box
from rich.console import Console
from rich.markup import escape
from rich.progress import BarColumn, TextColumn, TimeElapsedColumn
from rich.progress import Progress as Bar
from rich.table import Table
from rich.text import Text

from uneven.comparison.deadline import in_words

if TYPE_CHECKING:
    from uneven.comparison.progress import Progress


PLAIN_WIDTH = 160
MINUTE = 60.0
"""So many seconds apart are the lines of a log."""


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
    """Whether a console cannot show signs beyond ASCII."""
    return not console.encoding.lower().startswith("utf")


def shade(value: float) -> Text:
    """A share between 0 and 1 as a percentage, stronger where it is larger."""
    style = "bold green" if value >= 0.5 else "green" if value >= 0.2 else "dim"
    return Text(f"{100 * value:.0f}%", style=style if value >= 0.2 or value < 0.05 else "")


class _Lines:
    """Writes one line per method, and one per minute, where there is no terminal."""

    def __init__(self, console: Console) -> None:
        self._console = console
        self._label = ""
        self._first = self._done = 0.0
        self._started = 0.0
        self._told = time.perf_counter()

    def __call__(self, now: Progress) -> None:
        if now.label != self._label:
            self.flush()
            self._label, self._first, self._started = now.label, now.done, time.perf_counter()
        self._done = now.done
        if time.perf_counter() - self._told >= MINUTE:
            told = f"{now.label} {now.step}: {int(now.done)} of {now.total} fits{time_left(now)}"
            self._say(told)

    def flush(self) -> None:
        fits = int(self._done - self._first)
        if fits:
            seconds = time.perf_counter() - self._started
            self._say(f"{self._label}: {fits} fit{'s' * (fits > 1)}, {seconds:.1f} s")

    def _say(self, line: str) -> None:
        self._told = time.perf_counter()
        self._console.print(escape(line))


def time_left(now: Progress) -> str:
    """How long the rest will take, as the end of a line; empty if unknown."""
    return "" if now.left is None else f", about {in_words(now.left)} left"


@contextmanager
def progress() -> Iterator[Callable[[Progress], None]]:
    """Show the progress of fits: a bar on a terminal, elsewhere a line per method and minute.

    Yields
    ------
    callable
        To be called with every `Progress`.
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
        TextColumn("[dim]{task.fields[rounds]}{task.fields[left]}"),
    )
    with Bar(*columns, console=console, transient=True) as bar:
        task = bar.add_task("", total=1, rounds="", left="")

        def show(now: Progress) -> None:
            told = f"[bold]{escape(now.label)}[/bold] {escape(now.step)}"
            rounds = f"round {now.round}/{now.rounds}" if now.rounds else ""
            left = time_left(now).removeprefix(", " * (not rounds))
            fields = {"rounds": rounds, "left": left}
            bar.update(task, description=told, completed=now.done, total=now.total, **fields)  # type: ignore[arg-type]

        yield show


@contextmanager
def busy(what: str) -> Iterator[None]:
    """Show on a terminal what is being done while the block runs."""
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
