"""The page that lists exhibits."""

from __future__ import annotations

from collections.abc import Sequence

from uneven.report.heat import elide
from uneven.report.markup import Markup, tag
from uneven.report.numbers import NOTHING
from uneven.report.shell import Part, asset, whole_page
from uneven_published.pages.claims import held_words
from uneven_published.pages.facts import (
    STATUS,
    Record,
    dates,
    median_difference,
    run_cell,
    was_run,
)
from uneven_published.pages.words import strength

__all__ = ["BADGES", "index_page", "status_badge"]

NOTE = 110
"""Letters of a note in the list; reasons for not running are shown whole."""
BADGES = {"original": "badge good", "substitute": "badge", "impossible": "badge alarm"}


def status_badge(record: Record) -> Markup:
    """Status in a small frame."""
    return tag("span", STATUS[record["status"]], class_=BADGES[record["status"]])


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
        (key, key, some[0]["document"]["citation"], _table(some)) for key, some in documents.items()
    ]
    run = f"{sum(map(was_run, records))} of {len(records)} tables and figures run"
    facts = "; ".join(filter(None, (run, held_words(*records, noun="claims held"))))
    head = tag(
        "header",
        tag("h1", "Published versus measured"),
        tag("p", tag("strong", facts), class_="verdict"),
        tag(
            "p",
            "apart: median distance between measured and printed means, in printed deviations",
            class_="facts-line",
        ),
    )
    style = asset("published.css", "uneven_published.pages")
    return whole_page(
        "Published versus measured", head, parts, footer="Made with uneven", style=style
    )


def _table(records: Sequence[Record]) -> Markup:
    names = ("exhibit", "what it shows", "status", "run", "claims held", "apart", "measured")
    numeric = ("claims held", "apart")
    heads = [
        tag("th", name, scope="col", class_="number" if name in numeric else None) for name in names
    ]
    rows = [_row(record) for record in records]
    made = tag("table", tag("thead", tag("tr", heads)), tag("tbody", rows), class_="exhibits")
    return tag("div", made, class_="wide")


def _row(record: Record) -> Markup:
    middle = median_difference(record)
    known = middle == middle
    tint, note = strength(middle), record["status_note"]
    shown = note if record["status"] == "impossible" else elide(note, NOTE)
    return tag(
        "tr",
        tag("th", tag("a", record["place"], href=f"{record['name']}.html"), scope="row"),
        tag("td", record["title"], tag("span", shown, class_="n", title=note) if note else None),
        tag("td", status_badge(record)),
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
