"""Published tables and figures on a terminal: the list of all, and one beside its print."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Protocol

from rich.console import Console
from rich.markup import escape
from rich.padding import Padding
from rich.text import Text

from uneven.cli.terminal import ascii_only, stdout, table
from uneven.report.numbers import plus_minus
from uneven.report.published.facts import (
    STATUS,
    Record,
    claims_count,
    entries,
    kind,
    median_difference,
    number,
    run_kind,
)
from uneven.report.published.panels import Point, shown_point
from uneven.report.published.words import apart_word, printed_word, test_words, verdict_word

__all__ = ["print_list", "print_record"]

STYLES = {"original": "green", "substitute": "yellow", "impossible": "red"}
ASCII = str.maketrans({"±": "+/-", "−": "-", "–": "-", "✓": "+", "✗": "x", "…": "..."})


class Listed(Protocol):
    """What the list says about an exhibit."""

    @property
    def name(self) -> str: ...
    @property
    def place(self) -> str: ...
    @property
    def title(self) -> str: ...
    @property
    def status(self) -> str: ...
    @property
    def status_note(self) -> str: ...
    @property
    def document(self) -> Any: ...


def print_list(exhibits: Sequence[Listed], console: Console | None = None) -> None:
    """Print names, titles and status of exhibits, by document.

    Parameters
    ----------
    exhibits : sequence of Exhibit
    console : Console, optional
        Standard output by default.
    """
    screen = console or stdout()
    documents: dict[str, list[Listed]] = {}
    for exhibit in exhibits:
        documents.setdefault(exhibit.document.citation, []).append(exhibit)
    for citation, some in documents.items():
        screen.print(Text(_plain(citation, screen), style="bold"))
        for exhibit in some:
            line = Text("  ").append(exhibit.name, style="bold cyan").append("  ")
            line.append(STATUS[exhibit.status], style=STYLES[exhibit.status])
            line.append(f"  {exhibit.place}: {exhibit.title}")
            screen.print(Text(_plain(line.plain, screen), spans=line.spans))
            if exhibit.status_note:
                note = Text(_plain(exhibit.status_note, screen), style="dim")
                screen.print(Padding(note, (0, 0, 0, 6)))
        screen.print()


def print_record(record: Record, console: Console | None = None) -> None:
    """Print an exhibit: ours beside the print, then the claims.

    Parameters
    ----------
    record : mapping
    console : Console, optional
        Standard output by default.
    """
    screen = console or stdout()
    title = Text(_plain(f"{record['name']}: {record['place']}, {record['title']}", screen))
    title.stylize("bold")
    screen.print(title)
    screen.print(Text(_plain(_facts(record), screen), style=STYLES[record["status"]]))
    for measure in record["measures"]:
        if kind(record, measure["key"]) in ("number", "curve"):
            _print_measure(record, measure, screen)
    if record["test"] is not None:
        screen.print(Text(_plain(test_words(record), screen), style="dim"))
    for claim in record["claims"]:
        screen.print(_claim(claim, screen))
    screen.print()


def _print_measure(record: Record, measure: Mapping[str, Any], screen: Console) -> None:
    found = entries(record, measure["key"])
    point = shown_point(record, measure["key"])
    columns = [c for c in record["columns"] if any(column == c for _, column in found)]
    rows = [r for r in record["rows"] if any(row == r for row, _ in found)]
    where = f" {point.words}" if point else ""
    out = table(f"{measure['title']}{where}; ours / print", ["", *(escape(c) for c in columns)])
    for row in rows:
        cells = [_cell(found.get((row, c)), measure, point, screen) for c in columns]
        out.add_row(Text(_plain(row, screen)), *cells)
    screen.print(out)


def _cell(
    value: Mapping[str, Any] | None,
    measure: Mapping[str, Any],
    point: Point | None,
    screen: Console,
) -> Text:
    if value is None:
        return Text("")
    lines = [_side(value[side], measure["digits"], point) for side in ("measured", "printed")]
    apart = point.of(value["apart"]) if point else value["apart"]
    word = apart_word(apart)
    far = bool(word) and abs(number(apart)) > 2
    text = Text(_plain(lines[0] or "-", screen), style="bold red" if far else "bold")
    if lines[1]:
        text.append(_plain(f"\n{lines[1]}", screen), style="dim")
    return text


def _side(side: Mapping[str, Any] | None, digits: int, point: Point | None) -> str:
    if side is None:
        return ""
    mean, deviation = side["mean"], side["deviation"]
    if point is not None:
        mean, deviation = point.of(mean), point.of(deviation)
    return plus_minus(number(mean), number(deviation), digits) + (side.get("mark") or "")


def _claim(claim: Mapping[str, Any], screen: Console) -> Text:
    held = claim["measured"]["held"]
    sign, style = ("?", "yellow") if held is None else ("✓", "green") if held else ("✗", "red")
    line = Text(_plain(sign, screen), style=f"bold {style}").append(" ")
    line.append(_plain(claim["text"], screen), style="default")
    detail = f", {claim['measured']['detail']}" if claim["measured"]["detail"] else ""
    told = f" ({verdict_word(held)}{detail}; in print: {printed_word(claim['printed']['held'])})"
    return line.append(_plain(told, screen), style="dim")


def _facts(record: Record) -> str:
    held, told, _ = claims_count(record)
    middle = median_difference(record)
    parts = [STATUS[record["status"]], run_kind(record)]
    if told:
        parts.append(f"{held} of {told} claims held")
    if middle == middle:
        parts.append(f"median difference {middle:.1f} printed deviations")
    return ", ".join(dict.fromkeys(parts))


def _plain(text: str, screen: Console) -> str:
    if not ascii_only(screen):
        return text
    return text.translate(ASCII).encode("ascii", "replace").decode("ascii")
