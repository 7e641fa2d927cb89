"""Published tables and figures on a terminal: the list of all, and one beside its print."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import zip_longest
from textwrap import shorten
from typing import Any, Protocol
from unicodedata import combining, normalize

from rich.cells import cell_len
from rich.console import Console
from rich.padding import Padding
from rich.text import Text

from uneven.cli.terminal import ascii_only, stdout, table
from uneven.report.heat import elide
from uneven.report.numbers import decimal
from uneven_published.pages.blocks import Block, curve_block, number_blocks
from uneven_published.pages.claims import OWN_TITLE, held_words, own_claims, source_claims
from uneven_published.pages.facts import (
    STATUS,
    Record,
    entries,
    kind,
    median_difference,
    number,
    run_kind,
)
from uneven_published.pages.panels import has_printed_points
from uneven_published.pages.ranks import rank_sentences
from uneven_published.pages.words import (
    apart_word,
    beside_words,
    printed_word,
    side_words,
    significance_words,
    verdict_word,
)

__all__ = ["print_list", "print_record"]

STYLES = {"original": "green", "substitute": "yellow", "impossible": "red"}
FEW, NOTE = 12, 150
"""Notes in a list of more exhibits are cut after so many letters; reasons never are."""
WHOLE = "uneven reproduce --list NAME shows the notes of a table or figure whole"
SMALL = 4
"""Larger matrices are only named."""
LONGEST = 26
"""Letters of a name."""
FAR = 2.0
"""More printed deviations than that are shown in red, with their number."""
GREEK = {"γ": "gamma", "η": "eta", "λ": "lambda", "μ": "mu", "τ": "tau", "ω": "omega"}
SIGNS = {"±": "+/-", "−": "-", "–": "-", "×": "x", "✓": "+", "✗": "x", "…": "...", "ı": "i"}
MARKS = {"†": "#", "↓": "v"}
ASCII = str.maketrans({**SIGNS, **MARKS, **GREEK})


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
    cut = 0
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
    for block in number_blocks(record):
        _print_block(block, screen)
    for measure in record["measures"]:
        found = kind(record, measure["key"])
        if found == "curve" and has_printed_points(record, measure["key"]):
            _print_block(curve_block(record, measure), screen)
        elif found == "curve":
            _print_dim(f"{measure['title']}: curves without printed points, on the page", screen)
        elif found == "matrix":
            _print_matrices(record, measure, screen)
    for sentence in rank_sentences(record):
        _print_dim(sentence, screen)
    if record["test"] is not None:
        _print_dim(significance_words(record), screen)
    for head, claims in (("", source_claims(record)), (OWN_TITLE, own_claims(record))):
        if claims:
            screen.print()
        if claims and head:
            screen.print(Text(head, style="bold"))
        for claim in claims:
            screen.print(_claim(claim, screen))
    screen.print()


def _print_block(block: Block, screen: Console) -> None:
    columns = {
        c: [_cell(line.cells.get(c), line.measure, screen) for line in block.lines]
        for c in block.columns
    }
    heading = f"{block.title}; {beside_words(block.values, 'ours over print')}"
    screen.print()
    screen.print(Text(_plain(heading, screen), style="bold"))
    names = [Text(_plain(elide(line.name, LONGEST), screen)) for line in block.lines]
    for some in _fitting(columns, names, screen.width):
        out = table("", ["", *(_plain(elide(c, LONGEST), screen) for c in some)])
        for column in out.columns:
            column.overflow = "crop"
        for j, name in enumerate(names):
            out.add_row(name, *(columns[c][j] for c in some))
        screen.print(out)


def _print_dim(words: str, screen: Console) -> None:
    screen.print(Text(_plain(words, screen), style="dim"))


def _print_matrices(record: Record, measure: Mapping[str, Any], screen: Console) -> None:
    """Small matrices, ours beside the print if the screen is wide enough."""
    large = False
    for (row, column), value in entries(record, measure["key"]).items():
        sides = {"ours": value["measured"], "print": value["printed"]}
        known = {who: side["mean"] for who, side in sides.items() if side is not None}
        if any(max(len(m), *map(len, m)) > SMALL for m in known.values()):
            large = True
            continue
        screen.print()
        title = f"{measure['title']}, {row}, {column}"
        screen.print(Text(_plain(title, screen), style="bold"))
        drawn = [_drawn(who, matrix, measure["digits"]) for who, matrix in known.items()]
        together = ["    ".join(lines).rstrip() for lines in zip_longest(*drawn, fillvalue="")]
        fits = max(map(cell_len, together)) <= screen.width
        for line in together if fits else [line for some in drawn for line in some]:
            screen.print(Text(_plain(line, screen)))
    if large:
        _print_dim(f"{measure['title']}: matrices, shown on the page", screen)


def _drawn(who: str, matrix: Sequence[Sequence[Any]], digits: int) -> list[str]:
    """Lines of a matrix under its name, all equally long."""
    words = [[decimal(number(value), digits) for value in line] for line in matrix]
    wide = max(len(word) for line in words for word in line)
    lines = ["  " + " ".join(word.rjust(wide) for word in line) for line in words]
    width = max(len(who) + 2, *map(len, lines))
    return [line.ljust(width) for line in (f"  {who}", *lines)]


def _fitting(
    columns: Mapping[str, Sequence[Text]], names: Sequence[Text], width: int
) -> list[list[str]]:
    """Columns in groups that fit the screen side by side; at least one in each."""
    groups: list[list[str]] = [[]]
    start = max((name.cell_len for name in names), default=0) + 2
    used = start
    for column, cells in columns.items():
        lines = [cell_len(line) for cell in cells for line in cell.plain.split("\n")]
        wide = max([cell_len(elide(column, LONGEST)), *lines]) + 2
        if groups[-1] and used + wide > width:
            groups.append([])
            used = start
        groups[-1].append(column)
        used += wide
    return groups


def _cell(value: Mapping[str, Any] | None, measure: Mapping[str, Any], screen: Console) -> Text:
    """Ours over the print, red where they are far apart, with the difference behind."""
    if value is None:
        return Text("")
    own, printed = (side_words(value[side], measure["digits"]) for side in ("measured", "printed"))
    far = abs(number(value["apart"])) > FAR
    text = Text(_plain(own or "-", screen), style="bold red" if far else "bold")
    if printed:
        text.append(_plain(f"\n{printed}", screen), style="not bold dim")
    if far:
        text.append(f" [{_plain(apart_word(value['apart']), screen)}]", style="red")
    return text


def _claim(claim: Mapping[str, Any], screen: Console) -> Text:
    held = claim["measured"]["held"]
    sign, style = ("?", "yellow") if held is None else ("✓", "green") if held else ("✗", "red")
    line = Text(_plain(sign, screen), style=f"bold {style}").append(" ")
    line.append(_plain(claim["text"], screen), style="default")
    detail = f", {claim['measured']['detail']}" if claim["measured"]["detail"] else ""
    told = f" ({verdict_word(held)}{detail}; in print: {printed_word(claim['printed']['held'])})"
    return line.append(_plain(told, screen), style="dim")


def _facts(record: Record) -> str:
    middle = median_difference(record)
    parts = [STATUS[record["status"]], run_kind(record)]
    if held := held_words(record, noun="claims held"):
        parts.append(held)
    if middle == middle:
        parts.append(f"median difference {middle:.1f} printed deviations")
    return ", ".join(dict.fromkeys(parts))


def _plain(text: str, screen: Console) -> str:
    """Text that the screen can show; without accents where it has only ASCII."""
    if not ascii_only(screen):
        return text
    apart = normalize("NFKD", text.translate(ASCII))
    bare = "".join(sign for sign in apart if not combining(sign))
    return bare.encode("ascii", "replace").decode("ascii")
