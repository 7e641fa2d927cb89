"""The page of one exhibit."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from uneven.report.markup import Markup, tag, text
from uneven.report.numbers import seconds
from uneven.report.shell import Part, asset, whole_page
from uneven_published.pages.blocks import number_blocks, point_block
from uneven_published.pages.claims import (
    OWN_TITLE,
    claims_count,
    held_words,
    own_claims,
    source_claims,
)
from uneven_published.pages.curves import plot_figure
from uneven_published.pages.dots import dot_charts, dot_legend
from uneven_published.pages.facts import (
    Record,
    command_of,
    dates,
    kind,
    median_difference,
    run_cell,
    run_kind,
    versions_line,
    was_run,
)
from uneven_published.pages.index import status_badge
from uneven_published.pages.matrices import matrix_figures
from uneven_published.pages.rank_chart import rank_figures
from uneven_published.pages.ranks import rank_sentences
from uneven_published.pages.table import number_table, table_legend
from uneven_published.pages.words import beside_words, printed_word, protocol_words, verdict_word

__all__ = ["exhibit_page"]


def exhibit_page(record: Record, *, pictures: bool = True) -> str:
    """Text of the page.

    Parameters
    ----------
    record : mapping
        As `uneven_published.build_record` makes it.
    pictures : bool
        Whether its pictures were written beside the page.

    Returns
    -------
    str
        A complete HTML document without references to anything outside it.
    """
    parts: list[Part] = [
        ("claims", "Claims", _claims_title(record), _claims(record)),
        ("figure", "Figure", "The figure redrawn", _figures(record, pictures)),
        ("dots", "Picture", "Printed and measured", _dots(record)),
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
    facts = [_count(untold, "claim cannot be told", "claims cannot be told") if untold else ""]
    if measured:
        cells = measured["cells"]
        facts += [
            f"{cells['done']} of {cells['planned']} cells",
            f"{seconds(measured['seconds'])} of work" if cells["done"] else "",
            dates(record),
            versions_line(record),
        ]
    if middle == middle:
        outcome += f"{', ' if outcome else ''}{middle:.1f} printed deviations apart (median)"
    badges = [status_badge(record)]
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


def _figures(record: Record, pictures: bool) -> Markup | None:
    made = [figure for plot in record["plots"] if (figure := plot_figure(record, plot))]
    if not made:
        return None
    without = "matplotlib is not installed, so there are no PNG files of these pictures."
    return Markup(
        tag("div", made, class_="plots") + ("" if pictures else tag("p", without, class_="note"))
    )


def _dots(record: Record) -> Markup | None:
    made = [
        tag("h3", block.title) + charts
        for block in number_blocks(record)
        if (charts := dot_charts(block)) is not None
    ]
    return Markup(dot_legend(record) + "".join(made)) if made else None


def _ranks(record: Record) -> Markup | None:
    told = [tag("li", sentence) for sentence in rank_sentences(record)]
    return Markup((rank_figures(record) or "") + tag("ul", told)) if told else None


def _tables_title(record: Record) -> str:
    words = beside_words(record["values"], "ours beside the print")
    return words[0].upper() + words[1:]


def _tables(record: Record) -> Markup | None:
    made = [number_table(record, block) for block in number_blocks(record)]
    curves = _measures(record, "curve")
    legend = table_legend(record) if made or curves else ""
    made += [matrix_figures(record, measure) for measure in _measures(record, "matrix")]
    for measure in curves:
        title = f"Points of the curves: {measure['title']}"
        points = number_table({**record, "tests": []}, point_block(record, measure))
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
            _verdict("in print", printed_word(said["held"]), said["detail"], doubt),
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
        found.append(tag("p", "Errors of the print:", class_="prose"))
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
