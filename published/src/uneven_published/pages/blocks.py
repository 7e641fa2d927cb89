"""Tables of numbers as they are shown: a block per measure, or one for all measures of a row."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from uneven_published.pages.facts import Record, entries, kind
from uneven_published.pages.panels import shown_point
from uneven_published.pages.points import at_place, point_record
from uneven_published.pages.ranks import over_rows, ranks_of

__all__ = ["Block", "Line", "curve_block", "number_blocks", "point_block"]

Entry = Mapping[str, Any]


@dataclass(frozen=True)
class Line:
    """A line of a table.

    Attributes
    ----------
    name : str
        At its head.
    row : str
        Row of the record that it shows; empty if it sums up several.
    measure : mapping
    cells : dict of str to mapping
        Values by column; single numbers.
    """

    name: str
    row: str
    measure: Mapping[str, Any]
    cells: dict[str, Entry]


@dataclass(frozen=True)
class Block:
    """A table.

    Attributes
    ----------
    title : str
    note : str
        Which numbers are better, if all lines agree in it.
    columns : list of str
    lines : list of Line
    """

    title: str
    note: str
    columns: list[str]
    lines: list[Line]

    @property
    def values(self) -> list[Entry]:
        """All its values."""
        return [value for line in self.lines for value in line.cells.values()]


def number_blocks(record: Record) -> list[Block]:
    """Everything that is a single number.

    Parameters
    ----------
    record : mapping

    Returns
    -------
    list of Block
        A block per measure with a line per row; if there is only one row, one block with a line
        per measure. Means and average ranks over the rows come last, where they are asked for.
    """
    measures = [m for m in record["measures"] if kind(record, m["key"]) == "number"]
    lines = {m["key"]: _lines(record, m) for m in measures}
    rows = {line.row for some in lines.values() for line in some}
    if len(rows) == 1 and len(measures) > 1:
        return [_turned(record, [line for some in lines.values() for line in some])]
    return [
        _block(record, measure, [*lines[measure["key"]], *_over_rows(record, measure)])
        for measure in measures
    ]


def curve_block(record: Record, measure: Mapping[str, Any]) -> Block:
    """Curves by the place where most of them can be compared."""
    point = shown_point(record, measure["key"])
    place, words = (point.position, f" {point.words}") if point else (0, "")
    lines = [
        Line(line.name, line.row, measure, {c: at_place(v, place) for c, v in line.cells.items()})
        for line in _lines(record, measure)
    ]
    return _block(record, {**measure, "title": f"{measure['title']}{words}"}, lines)


def point_block(record: Record, measure: Mapping[str, Any]) -> Block:
    """Curves by all places that are printed, or by some."""
    points = point_record(record, measure["key"])
    return _block(points, measure, _lines(points, measure))


def _lines(record: Record, measure: Mapping[str, Any]) -> list[Line]:
    found = entries(record, measure["key"])
    lines = []
    for row in record["rows"]:
        cells = {c: found[row, c] for c in record["columns"] if (row, c) in found}
        if cells:
            lines.append(Line(row, row, measure, cells))
    return lines


def _over_rows(record: Record, measure: Mapping[str, Any]) -> list[Line]:
    ranks = ranks_of(record, measure["key"])
    if ranks is None:
        return []
    n = len(ranks["rows"])
    place = {**measure, "better": "lower", "digits": 2}
    return [
        Line(f"mean of {n} rows", "", measure, over_rows(ranks, "means")),
        Line("average rank", "", place, over_rows(ranks, "ranks")),
    ]


def _block(record: Record, measure: Mapping[str, Any], lines: list[Line]) -> Block:
    return Block(measure["title"], _better(measure), _columns(record, lines), lines)


def _turned(record: Record, lines: list[Line]) -> Block:
    notes = {_better(line.measure) for line in lines}
    common = notes.pop() if len(notes) == 1 else ""
    named = [
        Line(
            line.measure["title"] + ("" if common else _better(line.measure)),
            line.row,
            line.measure,
            line.cells,
        )
        for line in lines
    ]
    return Block(lines[0].row, common, _columns(record, lines), named)


def _columns(record: Record, lines: Sequence[Line]) -> list[str]:
    return [c for c in record["columns"] if any(c in line.cells for line in lines)]


def _better(measure: Mapping[str, Any]) -> str:
    return f", {measure['better']} is better" if measure["better"] else ""
