"""Published tables and figures on a terminal: the list, verdicts, and the progress of a run.

What describes a record is loaded when one is shown: a list needs none of it.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from textwrap import shorten
from typing import Any
from unicodedata import combining, normalize

from rich.console import Console
from rich.markup import escape
from rich.padding import Padding
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)
from rich.text import Text

from uneven.cli.terminal import ascii_only, stderr, stdout
from uneven_published.collection import STATUS, Listed

STYLES = {"original": "green", "substitute": "yellow", "calibrated": "yellow", "impossible": "red"}
QUIET_SECONDS = 30.0
"""Between two lines about the progress where there is no bar."""
FEW, NOTE = 12, 150
"""Notes in a list of more exhibits are cut after so many letters; reasons never are."""
WHOLE = "uneven reproduce --list NAME shows the notes of a table or figure whole"
GREEK = {"γ": "gamma", "η": "eta", "λ": "lambda", "μ": "mu", "τ": "tau", "ω": "omega"}
SIGNS = {"±": "+/-", "−": "-", "–": "-", "×": "x", "✓": "+", "✗": "x", "…": "...", "ı": "i"}
MARKS = {"†": "#", "↓": "v"}
ASCII = str.maketrans({**SIGNS, **MARKS, **GREEK})


def print_list(exhibits: Sequence[Listed], console: Console | None = None) -> None:
    """Print names, titles, status and kept cells of exhibits, by document.

    Parameters
    ----------
    exhibits : sequence of Listed
    console : Console, optional
        Standard output by default.
    """
    screen = console or stdout()
    documents: dict[str, list[Listed]] = {}
    cut = 0
    for exhibit in exhibits:
        documents.setdefault(exhibit.citation, []).append(exhibit)
    for citation, some in documents.items():
        screen.print(Text(_plain(citation, screen), style="bold"))
        for exhibit in some:
            line = Text("  ").append(exhibit.name, style="bold cyan").append("  ")
            line.append(STATUS[exhibit.status], style=STYLES[exhibit.status])
            line.append(f"  {exhibit.place}: {exhibit.title}")
            if exhibit.planned:
                line.append(f"  {exhibit.kept} of {exhibit.planned} cells", style="dim")
            screen.print(Text(_plain(line.plain, screen), spans=line.spans))
            if exhibit.status_note:
                note = _note(exhibit, many=len(exhibits) > FEW)
                cut += note != exhibit.status_note
                screen.print(Padding(Text(_plain(note, screen), style="dim"), (0, 0, 0, 6)))
        screen.print()
    if cut:
        screen.print(Text(WHOLE, style="dim"))


def _note(exhibit: Listed, *, many: bool) -> str:
    """Note on the status, in a long list at most a line or two of it; it ends with a word."""
    if not many or exhibit.status == "impossible" or len(exhibit.status_note) <= NOTE:
        return exhibit.status_note
    return shorten(exhibit.status_note, NOTE, placeholder=" …")


def print_record(
    record: Mapping[str, Any], console: Console | None = None, page: object = ""
) -> None:
    """Print the verdict on an exhibit: a line on its run, and one for every claim.

    Parameters
    ----------
    record : mapping
    console : Console, optional
        Standard output by default.
    page : path-like, optional
        Where all numbers are.
    """
    from uneven_published.pages.facts import OWN_TITLE, own_claims, source_claims

    screen = console or stdout()
    title = Text(_plain(f"{record['name']}: {record['place']}, {record['title']}", screen))
    title.stylize("bold")
    screen.print(title)
    screen.print(Text(_plain(_facts(record), screen), style=STYLES[record["status"]]))
    for head, claims in (("", source_claims(record)), (OWN_TITLE, own_claims(record))):
        if claims and head:
            screen.print(Text(head, style="bold"))
        for claim in claims:
            screen.print(_claim(claim, screen))
    if page:
        screen.print(Text(f"page: {page}", style="dim"), soft_wrap=True)
    screen.print()


def _claim(claim: Mapping[str, Any], screen: Console) -> Text:
    from uneven_published.pages.facts import printed_word, verdict_word

    held = claim["measured"]["held"]
    sign, style = ("?", "yellow") if held is None else ("✓", "green") if held else ("✗", "red")
    line = Text(_plain(sign, screen), style=f"bold {style}").append(" ")
    line.append(_plain(claim["text"], screen), style="default")
    detail = f", {claim['measured']['detail']}" if claim["measured"]["detail"] else ""
    told = f" ({verdict_word(held)}{detail}; published: {printed_word(claim['printed']['held'])})"
    return line.append(_plain(told, screen), style="dim")


def _facts(record: Mapping[str, Any]) -> str:
    from uneven_published.pages.facts import held_words, median_difference, run_kind

    middle = median_difference(record)
    parts = [STATUS[record["status"]], run_kind(record)]
    if held := held_words(record, noun="claims held"):
        parts.append(held)
    if middle == middle:
        parts.append(f"median difference {middle:.1f} published deviations")
    return ", ".join(dict.fromkeys(parts))


def _plain(text: str, screen: Console) -> str:
    """Text that the screen can show; without accents where it has only ASCII."""
    if not ascii_only(screen):
        return text
    apart = normalize("NFKD", text.translate(ASCII))
    bare = "".join(sign for sign in apart if not combining(sign))
    return bare.encode("ascii", "replace").decode("ascii")


@contextmanager
def cell_progress(total: int) -> Iterator[Any]:
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
    console = stderr()
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
