"""Tables of numbers as they are shown: a block per measure, or one for all measures of a row.

Curves are shown by one of their points, or by several of them as rows.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from uneven_published.pages.facts import Record, entries, kind, number, over_rows, ranks_of

MOST = 8
"""Curves without print show so many of their points."""


@dataclass(frozen=True)
class Point:
    """A place on curves.

    Attributes
    ----------
    position : int
    words : str
        Where that is, such as "at labels = 50".
    """

    position: int
    words: str


def has_printed_points(record: Record, measure: str) -> bool:
    """Whether a point of some curve of a measure is printed."""
    return any(_known(value["printed"]) for value in entries(record, measure).values())


def shown_point(record: Record, measure: str) -> Point | None:
    """Where most curves can be compared, the last such place; None if they are no curves."""
    if kind(record, measure) != "curve":
        return None
    values = entries(record, measure).values()
    printed = Counter(j for v in values for j in _known(v["printed"]))
    own = Counter(j for v in values for j in _known(v["measured"]))
    both = Counter({j: n for j, n in printed.items() if j in own})
    counted = both or printed or own or Counter({0: 1})
    position = max(counted, key=lambda j: (counted[j], j))
    for plot in record["plots"]:
        if plot["measure"] == measure and position < len(plot["x"]):
            return Point(position, f"at {plot['x_title']} = {plot['x'][position]:g}")
    return Point(position, f"(value {position + 1})")


def _known(side: Mapping[str, Any] | None) -> list[int]:
    """Places at which a curve is known."""
    curve = side["mean"] if side else None
    if not isinstance(curve, list):
        return []
    return [j for j, v in enumerate(curve) if math.isfinite(number(v))]


def point_record(record: Record, measure: str) -> dict[str, Any]:
    """A record whose rows are points of the curves of a measure.

    Parameters
    ----------
    record : mapping
    measure : str
        Whose values are curves.

    Returns
    -------
    dict
        Like ``record``, with one row for every row and every place that is printed, or for a few
        places if nothing is printed; its values are numbers.
    """
    found = entries(record, measure)
    length = max(len(side["mean"]) for v in found.values() for side in _sides(v))
    titles = _titles(record, measure, length)
    rows, values = [], []
    for row in record["rows"]:
        here = {column: v for (r, column), v in found.items() if r == row}
        for place in _places(here, length):
            name = f"{row}, {titles[place]}"
            rows.append(name)
            values += [at_place(value, place) | {"row": name} for value in here.values()]
    return {**record, "rows": rows, "values": values, "tests": []}


def _titles(record: Record, measure: str, length: int) -> list[str]:
    for plot in record["plots"]:
        if plot["measure"] == measure and len(plot["x"]) == length:
            return [f"{plot['x_title']} = {x:g}" for x in plot["x"]]
    return [str(j + 1) for j in range(length)]


def _places(values: Mapping[str, Mapping[str, Any]], length: int) -> list[int]:
    printed = {
        j
        for value in values.values()
        if value["printed"]
        for j, one in enumerate(value["printed"]["mean"])
        if math.isfinite(number(one))
    }
    if printed or not values:
        return sorted(printed)
    n = min(length, MOST)
    return sorted({round(j * (length - 1) / max(n - 1, 1)) for j in range(n)})


def at_place(value: Mapping[str, Any], place: int) -> dict[str, Any]:
    """One number of a value that is a curve."""
    point: dict[str, Any] = {**value, "apart": _one(value["apart"], place)}
    for side in ("printed", "measured"):
        if value[side]:
            parts = {k: _one(value[side][k], place) for k in ("mean", "deviation")}
            point[side] = {**value[side], **parts}
    return point


def _one(curve: Any, place: int) -> Any:
    return curve[place] if isinstance(curve, list) and place < len(curve) else None


def _sides(value: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    return [side for side in (value["printed"], value["measured"]) if side is not None]


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
