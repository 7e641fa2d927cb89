"""The table of an exhibit: ours above the print in every cell, tinted where they are apart."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from uneven.report.heat import named
from uneven.report.markup import Markup, tag
from uneven.report.numbers import NOTHING, plus_minus
from uneven_published.pages.blocks import Block, Line
from uneven_published.pages.facts import Record, entries, kind, number
from uneven_published.pages.words import apart_word, beside_words, significance_words, strength

__all__ = ["number_table", "table_legend"]

Entry = Mapping[str, Any]
Key = tuple[str, str, str]
FAR = 0.999


def number_table(record: Record, block: Block) -> Markup:
    """A block of numbers.

    Parameters
    ----------
    record : mapping
        Whose tests are marked.
    block : Block

    Returns
    -------
    Markup
        A table in a frame that scrolls sideways.
    """
    marks = _marks(record)
    heads = [tag("th", scope="col"), *(tag("th", named(c), scope="col") for c in block.columns)]
    made = tag(
        "table",
        tag("caption", tag("b", block.title), block.note),
        tag("thead", tag("tr", heads)),
        tag("tbody", [_row(line, block.columns, marks) for line in block.lines]),
        class_="beside",
    )
    return tag("div", made, class_="wide")


def table_legend(record: Record) -> Markup:
    """What the lines, the tints and the stars of the tables mean."""
    shown = [m for m in record["measures"] if kind(record, m["key"]) in ("number", "curve")]
    values = [value for m in shown for value in entries(record, m["key"]).values()]
    known = any(value["apart"] is not None for value in values)
    beside = any(v["measured"] for v in values) and any(v["printed"] for v in values)
    lacking = "The differences cannot be told in printed deviations. " * (beside and not known)
    bold = "; the best of a row is bold" if any(m["better"] for m in shown) else ""
    steps = [(1.0, "up to 1"), (2.0, "2"), (3.0, "3 and more")]
    tints = [
        tag("span", words, class_="apart", style=f"--v:{strength(step):.3f}")
        for step, words in steps
    ]
    scale = tag("span", tints, class_="scale")
    tests = significance_words(record)
    return Markup(
        tag(
            "p",
            f"{_contents(values)}{bold}. ",
            lacking,
            ("To the right: difference of the means in printed deviations, ", scale)
            if known
            else None,
            class_="note legend-note",
        )
        + (tag("p", f"* {tests}", class_="note legend-note") if tests else "")
    )


def _contents(values: Sequence[Entry]) -> str:
    """What stands in a cell, told by what there is."""
    which = beside_words(values, "both")
    if which == "both":
        return (
            "In each cell: ours, mean ± standard deviation over n samples, and the printed value "
            "under it"
        )
    own = any(value["measured"] for value in values)
    spread = ", mean ± standard deviation over n samples" if own else ""
    return f"In each cell: {which}".replace("ours", f"ours{spread}")


def _row(line: Line, columns: Sequence[str], marks: Mapping[Key, Markup]) -> Markup:
    own = {value["measured"]["n"] for value in line.cells.values() if value["measured"]}
    own.discard(0)
    same = f"n = {own.pop()}" if len(own) == 1 else None
    best = [_best(line, side) for side in ("measured", "printed")]
    cells = []
    for column in columns:
        value = line.cells.get(column)
        if value is None:
            cells.append(tag("td", class_="pair"))
            continue
        bold = [column in some for some in best]
        mark = marks.get((line.row, column, line.measure["key"]))
        cells.append(_cell(value, line.measure["digits"], bold, mark, counted=same is None))
    count = tag("span", same, class_="n") if same else None
    return tag("tr", tag("th", named(line.name), count, scope="row"), cells)


def _cell(
    value: Entry, digits: int, bold: Sequence[bool], mark: Markup | None, *, counted: bool
) -> Markup:
    own, printed = value["measured"], value["printed"]
    word, tint = apart_word(value["apart"]), strength(value["apart"])
    away = tag("span", word, class_="away", title="printed deviations") if word else None
    ours = Markup(NOTHING)
    if own is not None:
        shown = plus_minus(number(own["mean"]), number(own["deviation"]), digits)
        n = tag("span", f" ({own['n']})", class_="spread") if counted and own["n"] else None
        ours = tag("span", tag("b", shown) if bold[0] else shown, mark, n)
    print_line = None
    if printed is not None:
        shown = plus_minus(number(printed["mean"]), number(printed["deviation"]), digits)
        text = tag("b", shown) if bold[1] else shown
        print_line = tag("span", text, printed.get("mark") or None, class_="print")
    return tag(
        "td",
        tag("div", ours, away, class_="top"),
        print_line,
        class_="pair far" if tint >= FAR else "pair",
        style=f"--v:{tint:.3f}" if tint > 0 else None,
    )


def _best(line: Line, side: str) -> set[str]:
    """Columns with the best value of a line, ties included; none where nothing is better."""
    if line.measure["better"] is None:
        return set()
    means = {c: number(value[side]["mean"]) for c, value in line.cells.items() if value[side]}
    known = {c: mean for c, mean in means.items() if math.isfinite(mean)}
    if len(set(known.values())) < 2:
        return set()
    top = (min if line.measure["better"] == "lower" else max)(known.values())
    return {c for c, mean in known.items() if mean == top}


def _marks(record: Record) -> dict[Key, Markup]:
    """Stars of the measured comparisons; hovering shows with whom."""
    told: dict[Key, list[str]] = {}
    for one in record["tests"]:
        if one["significant"]:
            words = f"differs from {one['second']}, p = {number(one['p']):.2g}"
            told.setdefault((one["row"], one["first"], one["measure"]), []).append(words)
    return {
        key: tag("abbr", "*" * (1 if len(some) == 1 else 2), title="; ".join(some))
        for key, some in told.items()
    }
