"""HTML: the page of one exhibit, and the page that lists exhibits."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from uneven.report.charts import MANY, elide, heat_cell, named
from uneven.report.markup import (
    NOTHING,
    Markup,
    Part,
    asset,
    decimal,
    plus_minus,
    seconds,
    tag,
    text,
    whole_page,
)
from uneven_published.collection import STATUS
from uneven_published.pages.facts import (
    OWN_TITLE,
    Record,
    apart_word,
    beside_words,
    claims_count,
    command_of,
    dates,
    earlier_words,
    entries,
    held_words,
    kind,
    median_difference,
    number,
    own_claims,
    printed_word,
    protocol_words,
    rank_sentences,
    run_cell,
    run_kind,
    significance_words,
    source_claims,
    strength,
    verdict_word,
    versions_line,
    was_run,
)
from uneven_published.pages.figures import drawn_figures, svg_image
from uneven_published.pages.tables import Block, Line, number_blocks, point_block

Entry = Mapping[str, Any]
Key = tuple[str, str, str]
NOTE = 110
"""Letters of a note in the list; reasons for not running are shown whole."""
BADGES = {
    "original": "badge good",
    "substitute": "badge",
    "calibrated": "badge",
    "impossible": "badge alarm",
}
FAR = 0.999
"""Tint from which a difference is called far."""


def exhibit_page(record: Record) -> str:
    """Text of the page.

    Parameters
    ----------
    record : mapping
        As `uneven_published.build_record` makes it.

    Returns
    -------
    str
        A complete HTML document without references to anything outside it.
    """
    redrawn = "The figure redrawn" if record["plots"] else "Average ranks"
    parts: list[Part] = [
        ("claims", "Claims", _claims_title(record), _claims(record)),
        ("figure", "Figure", redrawn, _figures(record)),
        ("ranks", "Ranks", "Average ranks over the rows", _ranks(record)),
        ("table", "Table", _tables_title(record), _tables(record)),
        ("notes", "Notes", "Notes", _notes(record)),
        ("again", "Run again", "How to run this again", _again(record)),
    ]
    title = f"{record['place']}: {record['title']}"
    style = asset("published.css", "uneven_published.pages")
    return whole_page(title, _masthead(record), parts, footer="Made with uneven", style=style)


def _masthead(record: Record) -> Markup:
    _, told, n = claims_count(record)
    headline = record["title"]
    outcome = held_words(record, noun="claims held")
    measured, middle = record["measured"], median_difference(record)
    untold = n - told if measured else 0
    facts = [_count(untold, "claim is undecided", "claims are undecided") if untold else ""]
    if measured:
        cells = measured["cells"]
        facts += [
            f"{cells['done']} of {cells['planned']} cells{earlier_words(record)}",
            f"{seconds(measured['seconds'])} of work" if cells["done"] else "",
            dates(record),
            versions_line(record),
        ]
    if middle == middle:
        outcome += f"{', ' if outcome else ''}{middle:.1f} published deviations apart (median)"
    badges = [_status_badge(record)]
    if run_cell(record):
        badges.append(tag("span", f"{run_kind(record)}{_run_word(record)}", class_="badge"))
    notes = [note for note in (record["status_note"], protocol_words(record)) if note]
    return tag(
        "header",
        tag("h1", f"{record['place']} of {record['document']['citation']}"),
        tag("p", tag("strong", headline), outcome, class_="verdict"),
        tag("p", badges, class_="badges"),
        tag("p", Markup(" · ".join(text(f) for f in facts if f)), class_="facts-line"),
        [tag("p", note, class_="prose") for note in notes],
    )


def _run_word(record: Record) -> str:
    return " run" if was_run(record) else ""


def _count(n: int, one: str, many: str) -> str:
    return f"{n} {one if n == 1 else many}"


def _figures(record: Record) -> Markup | None:
    made = [tag("img", src=svg_image(figure), alt=told) for told, figure in drawn_figures(record)]
    return tag("div", made, class_="plots") if made else None


def _ranks(record: Record) -> Markup | None:
    told = [tag("li", sentence) for sentence in rank_sentences(record)]
    return tag("ul", told) if told else None


def _tables_title(record: Record) -> str:
    words = beside_words(record["values"], "ours beside the published numbers")
    return words[0].upper() + words[1:]


def _tables(record: Record) -> Markup | None:
    made = [_number_table(record, block) for block in number_blocks(record)]
    curves = _measures(record, "curve")
    legend = _table_legend(record) if made or curves else ""
    made += [_matrix_figures(record, measure) for measure in _measures(record, "matrix")]
    for measure in curves:
        title = f"Points of the curves: {measure['title']}"
        points = _number_table({**record, "tests": []}, point_block(record, measure))
        made.append(tag("details", tag("summary", title), points))
    return Markup(legend + tag("div", made, class_="blocks")) if made else None


def _measures(record: Record, what: str) -> list[Mapping[str, Any]]:
    return [measure for measure in record["measures"] if kind(record, measure["key"]) == what]


def _claims_title(record: Record) -> str:
    who = "What the source says" if source_claims(record) else "What is asked"
    return f"{who}, and what came out"


def _claims(record: Record) -> Markup | None:
    said, own = (
        tag("ul", [_claim(claim) for claim in some], class_="claims") if some else ""
        for some in (source_claims(record), own_claims(record))
    )
    heading = tag("h3", OWN_TITLE) if own else ""
    return Markup(said + heading + own) if said or own else None


def _claim(claim: Mapping[str, Any]) -> Markup:
    held, said = claim["measured"]["held"], claim["printed"]
    doubt = "doubt" if said["held"] is False else "print"
    look = "untold" if held is None else "held" if held else "broken"
    sign = {"untold": "?", "held": "✓", "broken": "✗"}[look]
    return tag(
        "li",
        tag("span", sign, class_="sign", aria_hidden="true"),
        tag("span", claim["text"], class_="said"),
        tag(
            "span",
            _verdict("measured", verdict_word(held), claim["measured"]["detail"], "ours"),
            _verdict("published", printed_word(said["held"]), said["detail"], doubt),
            class_="found",
        ),
        class_=look,
    )


def _verdict(who: str, word: str, detail: str, look: str) -> Markup:
    told = f", {detail}" if detail else ""
    return tag("span", f"{who}: ", tag("b", word, class_=look), told)


def _notes(record: Record) -> Markup | None:
    measured = record["measured"] or {"missing": {}, "failed": {}}
    found = []
    if record["explanation"]:
        found.append(tag("p", record["explanation"], class_="prose"))
    if record["errata"]:
        found.append(tag("p", "Errors in the source:", class_="prose"))
        found.append(tag("ol", [tag("li", line) for line in record["errata"]], class_="footnotes"))
    for title, some in (("Not run", measured["missing"]), ("Failed", measured["failed"])):
        if some:
            lines = [tag("li", f"{name}: {why}") for name, why in some.items()]
            found.append(tag("div", tag("p", title), tag("ul", lines), class_="aside alarm"))
    return Markup("".join(found)) if found else None


def _again(record: Record) -> Markup | None:
    if record["status"] == "impossible":
        return None
    facts = {
        "name": record["name"],
        "measured": dates(record),
        "versions": versions_line(record),
        "repetitions": _repeats(record),
    }
    command = tag("pre", tag("code", command_of(record), id="command"))
    rows = [(tag("dt", k), tag("dd", v)) for k, v in facts.items() if v]
    return Markup(tag("div", command, class_="command") + tag("dl", rows, class_="facts"))


def _repeats(record: Record) -> str:
    by_row = (record["measured"] or {}).get("repeats", {})
    counts = set(by_row.values())
    if len(counts) == 1:
        return str(counts.pop())
    return ", ".join(f"{row}: {n}" for row, n in by_row.items())


def _status_badge(record: Record) -> Markup:
    """Status in a small frame."""
    return tag("span", STATUS[record["status"]], class_=BADGES[record["status"]])


def _number_table(record: Record, block: Block) -> Markup:
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
        tag("tbody", [_table_row(line, block.columns, marks) for line in block.lines]),
        class_="beside",
    )
    return tag("div", made, class_="wide")


def _table_legend(record: Record) -> Markup:
    """What the lines, the tints and the stars of the tables mean."""
    shown = [m for m in record["measures"] if kind(record, m["key"]) in ("number", "curve")]
    values = [value for m in shown for value in entries(record, m["key"]).values()]
    known = any(value["apart"] is not None for value in values)
    beside = any(v["measured"] for v in values) and any(v["printed"] for v in values)
    lacking = "The differences cannot be given in published deviations. " * (beside and not known)
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
            ("To the right: difference of the means in published deviations, ", scale)
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
            "In each cell: ours, mean ± standard deviation over n samples, and the published value "
            "under it"
        )
    own = any(value["measured"] for value in values)
    spread = ", mean ± standard deviation over n samples" if own else ""
    return f"In each cell: {which}".replace("ours", f"ours{spread}")


def _table_row(line: Line, columns: Sequence[str], marks: Mapping[Key, Markup]) -> Markup:
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
    away = tag("span", word, class_="away", title="published deviations") if word else None
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


def _matrix_figures(record: Record, measure: Mapping[str, Any]) -> Markup:
    """Two tinted tables, ours and the print, for every row and column of an exhibit.

    Parameters
    ----------
    record : mapping
    measure : mapping
        One of ``record["measures"]``, whose values are matrices.

    Returns
    -------
    Markup
    """
    found = entries(record, measure["key"])
    sides = [s["mean"] for v in found.values() for s in (v["measured"], v["printed"]) if s]
    top = max((abs(v) for m in sides for v in _numbers(m)), default=1.0) or 1.0
    figures = [
        _twins(f"{row}: {column}", value, measure["digits"], top)
        for (row, column), value in found.items()
    ]
    pictures = tag("div", figures, class_="matrices beside-matrices")
    return tag("div", tag("h3", measure["title"]), pictures, class_="whole")


def _twins(title: str, value: Mapping[str, Any], digits: int, top: float) -> Markup:
    pictures = [
        tag("div", tag("span", who, class_="spread"), _matrix(value[side]["mean"], digits, top))
        for side, who in (("measured", "ours"), ("printed", "published"))
        if value[side] is not None
    ]
    head = tag("figcaption", tag("b", title), class_="figure-head")
    return tag("figure", head, tag("div", pictures, class_="twins wide"))


def _matrix(matrix: list[list[float | None]], digits: int, top: float) -> Markup:
    rows = [
        tag(
            "tr",
            [
                heat_cell(
                    number(value),
                    abs(number(value)) / top,
                    shown=decimal(number(value), digits),
                    wrong=i != j,
                )
                for j, value in enumerate(line)
            ],
        )
        for i, line in enumerate(matrix)
    ]
    look = "heatmap many" if len(matrix) > MANY else "heatmap"
    return tag("table", tag("tbody", rows), class_=look)


def _numbers(matrix: list[list[float | None]]) -> list[float]:
    return [number(v) for line in matrix for v in line if math.isfinite(number(v))]


def index_page(records: Sequence[Record]) -> str:
    """Text of the page.

    Parameters
    ----------
    records : sequence of mapping
        In the order of print.

    Returns
    -------
    str
        A complete HTML document; it links to NAME.html for every record.
    """
    documents: dict[str, list[Record]] = {}
    for record in records:
        documents.setdefault(record["document"]["key"], []).append(record)
    parts: list[Part] = [
        (key, key, some[0]["document"]["citation"], _list(some)) for key, some in documents.items()
    ]
    run = f"{sum(map(was_run, records))} of {len(records)} tables and figures run"
    facts = "; ".join(filter(None, (run, held_words(*records, noun="claims held"))))
    head = tag(
        "header",
        tag("h1", "Published versus measured"),
        tag("p", tag("strong", facts), class_="verdict"),
        tag(
            "p",
            "apart: median distance between measured and published means, in published deviations",
            class_="facts-line",
        ),
    )
    style = asset("published.css", "uneven_published.pages")
    return whole_page(
        "Published versus measured", head, parts, footer="Made with uneven", style=style
    )


def _list(records: Sequence[Record]) -> Markup:
    names = ("exhibit", "what it shows", "status", "run", "claims held", "apart", "measured")
    numeric = ("claims held", "apart")
    heads = [
        tag("th", name, scope="col", class_="number" if name in numeric else None) for name in names
    ]
    rows = [_list_row(record) for record in records]
    made = tag("table", tag("thead", tag("tr", heads)), tag("tbody", rows), class_="exhibits")
    return tag("div", made, class_="wide")


def _list_row(record: Record) -> Markup:
    middle = median_difference(record)
    known = middle == middle
    tint, note = strength(middle), record["status_note"]
    shown = note if record["status"] == "impossible" else elide(note, NOTE)
    return tag(
        "tr",
        tag("th", tag("a", record["place"], href=f"{record['name']}.html"), scope="row"),
        tag("td", record["title"], tag("span", shown, class_="n", title=note) if note else None),
        tag("td", _status_badge(record)),
        tag("td", run_cell(record) or NOTHING, class_="short"),
        tag("td", held_words(record) or NOTHING, class_="number"),
        tag(
            "td",
            f"{middle:.1f}" if known else NOTHING,
            class_="number apart",
            style=f"--v:{tint:.3f}" if known else None,
        ),
        tag("td", dates(record) or NOTHING, class_="short"),
    )
