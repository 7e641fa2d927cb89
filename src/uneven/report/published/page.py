"""The page of one exhibit."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from uneven.report.markup import Markup, tag, text
from uneven.report.numbers import seconds
from uneven.report.published.facts import (
    Record,
    claims_count,
    command_of,
    dates,
    kind,
    median_difference,
    run_kind,
    versions,
)
from uneven.report.published.index import status_badge
from uneven.report.published.table import number_table
from uneven.report.published.words import printed_word, test_words, verdict_word
from uneven.report.shell import Part, asset, whole_page

__all__ = ["exhibit_page"]


def exhibit_page(record: Record, *, pictures: bool = True) -> str:
    """Text of the page.

    Parameters
    ----------
    record : mapping
        As `uneven.experiments.published.build_record` makes it.
    pictures : bool
        Whether its pictures were written beside the page.

    Returns
    -------
    str
        A complete HTML document without references to anything outside it.
    """
    parts: list[Part] = [
        ("claims", "Claims", "What the source says, and what came out", _claims(record)),
        ("table", "Table", "Ours beside the print", _tables(record)),
        ("notes", "Notes", "Notes", _notes(record)),
        ("again", "Run again", "How to run this again", _again(record)),
    ]
    title = f"{record['place']}: {record['title']}"
    style = asset("published.css", "uneven.report.published")
    return whole_page(title, _masthead(record), parts, footer="Made with uneven", style=style)


def _masthead(record: Record) -> Markup:
    measured = record["measured"]
    facts = []
    if measured:
        cells = measured["cells"]
        facts = [
            f"{run_kind(record)}",
            f"{cells['done']} of {cells['planned']} cells",
            seconds(measured["seconds"]),
            dates(record),
        ]
    return tag(
        "header",
        tag("h1", f"{record['place']} of {record['document']['citation']}"),
        tag("p", tag("strong", record["title"]), class_="verdict"),
        tag("p", status_badge(record), class_="badges"),
        tag("p", Markup(" · ".join(text(f) for f in facts if f)), class_="facts-line"),
        tag("p", record["status_note"], class_="prose") if record["status_note"] else None,
        tag("p", record["protocol"], class_="prose") if record["protocol"] else None,
    )


def _tables(record: Record) -> Markup | None:
    made = [
        number_table(record, measure)
        for measure in record["measures"]
        if kind(record, measure["key"]) == "number"
    ]
    tests = test_words(record)
    if not made:
        return None
    return Markup("".join(made) + (tag("p", tests, class_="note") if tests else ""))


def _claims(record: Record) -> Markup | None:
    if not record["claims"]:
        return None
    return tag("ul", [_claim(claim) for claim in record["claims"]], class_="claims")


def _claim(claim: Mapping[str, Any]) -> Markup:
    held = claim["measured"]["held"]
    look = "untold" if held is None else "held" if held else "broken"
    sign = {"untold": "?", "held": "✓", "broken": "✗"}[look]
    return tag(
        "li",
        tag("span", sign, class_="sign", aria_hidden="true"),
        tag("span", claim["text"], class_="said"),
        tag(
            "span",
            _verdict("measured", verdict_word(held), claim["measured"]["detail"], "ours"),
            _verdict(
                "in print", printed_word(claim["printed"]["held"]), claim["printed"]["detail"]
            ),
            class_="found",
        ),
        class_=look,
    )


def _verdict(who: str, word: str, detail: str, look: str | None = None) -> Markup:
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


def _again(record: Record) -> Markup:
    held, told, _ = claims_count(record)
    middle = median_difference(record)
    facts = {
        "measured": dates(record),
        "versions": ", ".join(f"{k} {v}" for k, v in versions(record).items()),
        "claims": f"{held} of {told} held" if told else "",
        "apart": f"{middle:.2f} printed deviations (median)" if middle == middle else "",
    }
    command = tag("pre", tag("code", command_of(record), id="command"))
    rows = [(tag("dt", k), tag("dd", v)) for k, v in facts.items() if v]
    return Markup(tag("div", command, class_="command") + tag("dl", rows, class_="facts"))
