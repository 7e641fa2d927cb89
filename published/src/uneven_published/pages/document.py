"""The page "Published versus measured" of the documentation."""

from __future__ import annotations

from collections.abc import Sequence

from uneven_published.pages.claims import held_words
from uneven_published.pages.facts import (
    STATUS,
    Record,
    authors,
    dates,
    median_difference,
    run_cell,
    run_kind,
    versions,
    was_run,
)
from uneven_published.pages.markdown import (
    claims_list,
    escaped,
    facts_line,
    left_out,
    notes,
    table,
    tables,
)
from uneven_published.pages.panels import picture_names
from uneven_published.pages.words import protocol_words

__all__ = ["published_page"]

INTRODUCTION = """\
# Published versus measured

Every table and figure of five publications that has an experiment behind it, run again with this
library and set beside the print; and, last, a table of our own, of methods for rare classes.
`uneven reproduce --list` names them all, `uneven reproduce NAME` makes one of them, and this page
is made by the same command from kept results.

*Original data* means the data of the source, or data drawn by the law that it states; *substitute*
means that something stands in for them, and the note says what. A *claim* is a sentence of the
source about its numbers; the same check is made on the printed and on the measured numbers, so a
claim that its own print contradicts shows. Claims that we add, from theory or as a further
question, stand apart and are not counted. *Apart* is the median distance between the measured and
the printed mean, in printed deviations, where the source prints deviations."""


def published_page(records: Sequence[Record], pictures: str = "published") -> str:
    """Markdown of the page.

    Parameters
    ----------
    records : sequence of mapping
        As `uneven_published.build_record` makes them, in the order of print.
    pictures : str, default="published"
        Where the pictures are, seen from the page.

    Returns
    -------
    str
        The same records give the same text.
    """
    parts = [INTRODUCTION, _made(records), *_summary(records)]
    citation = None
    for record in (r for r in records if r["status"] != "impossible"):
        if record["document"]["citation"] != citation:
            citation = record["document"]["citation"]
            parts.append(f"## {escaped(citation)}")
        parts.append(_section(record, pictures))
    parts.append(_not_run([r for r in records if r["status"] == "impossible"]))
    return "\n\n".join(part for part in parts if part) + "\n"


def _made(records: Sequence[Record]) -> str:
    days = sorted({day for r in records for day in dates(r).split(" to ") if day})
    found: dict[str, dict[str, None]] = {}
    for record in records:
        for name, version in versions(record).items():
            found.setdefault(name, {})[version] = None
    if not days:
        return ""
    when = " to ".join(dict.fromkeys((days[0], days[-1])))
    packages = ", ".join(f"{name} {' and '.join(some)}" for name, some in found.items())
    return f"Measured {when} with {packages}. {_extent(records)}"


def _extent(records: Sequence[Record]) -> str:
    """How much of the planned work is behind the page."""
    kinds = [run_kind(record) for record in records if was_run(record)]
    full = kinds.count("full")
    if full == len(kinds):
        return "All of it comes from full runs."
    return (
        f"{full} of {len(kinds)} exhibits come from the full run; the others from its first "
        "repetitions, or from a fast run, as each of them says. A verdict that rests on few "
        "repetitions may change with more."
    )


def _summary(records: Sequence[Record]) -> list[str]:
    """One table per document."""
    documents: dict[str, list[Record]] = {}
    for record in records:
        documents.setdefault(authors(record), []).append(record)
    header = ["exhibit", "what it shows", "status", "run", "claims held", "apart"]
    return [
        f"**{escaped(who)}**\n\n{table(header, map(_line, some), left=4)}"
        for who, some in documents.items()
    ]


def _line(record: Record) -> list[str]:
    middle = median_difference(record)
    return [
        f"[{escaped(record['place'])}](#{record['name']})",
        escaped(record["title"]),
        STATUS[record["status"]],
        run_cell(record),
        held_words(record),
        f"{middle:.1f}" if middle == middle else "",
    ]


def _section(record: Record, pictures: str) -> str:
    name = f"{record['place']}: {record['title']}"
    head = [f'<a id="{record["name"]}"></a>\n\n### {escaped(name)}', facts_line(record)]
    if not was_run(record):
        return "\n\n".join([*head, *left_out(record)])
    files = picture_names(record)
    parts = [
        *head,
        escaped(protocol_words(record)),
        *(f"![{escaped(name)}]({pictures}/{file})" for file in files),
        *tables(record),
        claims_list(record),
        *notes(record),
    ]
    return "\n\n".join(part for part in parts if part)


def _not_run(records: Sequence[Record]) -> str:
    if not records:
        return ""
    lines = [
        f'- <a id="{r["name"]}"></a>{escaped(authors(r))}, '
        f"{escaped(r['place'])}, {escaped(r['title'])}: {escaped(r['status_note'])}"
        for r in records
    ]
    return "## What cannot be run, and why\n\n" + "\n".join(lines)
