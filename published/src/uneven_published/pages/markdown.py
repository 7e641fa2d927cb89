"""Markdown: a file about one exhibit, and the page "Published versus measured" of all of them."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from uneven.report.markup import NOTHING, plus_minus, seconds, text
from uneven_published.collection import STATUS
from uneven_published.documents import FINDINGS, NORM
from uneven_published.pages.facts import (
    OWN_TITLE,
    Record,
    authors,
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
    side_words,
    significance_words,
    source_claims,
    verdict_word,
    versions,
    versions_line,
    was_run,
)
from uneven_published.pages.figures import picture_names
from uneven_published.pages.tables import Block, curve_block, has_printed_points, number_blocks
from uneven_published.pages.tally import (
    AGAINST_ITSELF,
    HELD,
    NOT_HELD,
    OUTCOMES,
    PROVEN,
    SETTLED,
    UNJUDGED,
    reason,
    tally,
    tally_rows,
    unmet,
)

_SPECIAL = re.compile(r"([\\`*_{}\[\]#|~$])")
FOLDED = 60
"""A table with more cells is folded away."""
WIDEST = 8
"""A table with more columns, and more columns than rows, is turned."""
LARGEST_MATRIX = 6


def escaped(words: object) -> str:
    r"""Text that Markdown shows as it is, on one line.

    Examples
    --------
    >>> escaped("a|b <c>_d_")
    'a\\|b &lt;c&gt;\\_d\\_'
    """
    line = " ".join(str(words).split())
    plain = line.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    return _SPECIAL.sub(r"\\\1", plain)


def table(header: Sequence[str], rows: Iterable[Sequence[str]], left: int = 1) -> str:
    """A Markdown table: the first columns to the left, the others to the right.

    Examples
    --------
    >>> print(table(["set", "A"], [["wine", "0.5"]]))
    | set | A |
    |---|---:|
    | wine | 0.5 |
    """
    rule = "|" + "---|" * left + "---:|" * (len(header) - left)
    return "\n".join(
        [f"| {' | '.join(header)} |", rule, *(f"| {' | '.join(row)} |" for row in rows)]
    )


def exhibit_markdown(record: Record, pictures: Sequence[str] = ()) -> str:
    """A whole file about one exhibit, with links to its pictures."""
    name = f"{record['place']}: {record['title']}"
    parts = [
        f"# {escaped(name)}",
        escaped(record["document"]["citation"]),
        facts_line(record),
        escaped(protocol_words(record)),
        *tables(record),
        claims_list(record),
        *notes(record),
        *(f"![{escaped(name)}]({picture})" for picture in pictures),
        f"Run again: `{command_of(record)}`",
        _versions_line(record),
    ]
    return "\n\n".join(part for part in parts if part) + "\n"


def facts_line(record: Record) -> str:
    """Status and run in a few words, with the note on the status."""
    measured = record["measured"]
    found = [f"**{STATUS[record['status']]}**"]
    if was_run(record):
        cells = measured["cells"]
        found += [
            f"{run_kind(record)} run",
            f"{cells['done']} of {cells['planned']} cells{earlier_words(record)}",
            seconds(measured["seconds"]),
            dates(record),
        ]
    elif record["status"] != "impossible":
        kind_of_run = run_kind(record)
        found.append("not run yet" if kind_of_run == "not run" else kind_of_run)
    note = f". {escaped(record['status_note'])}" if record["status_note"] else ""
    return ", ".join(part for part in found if part) + note


def tables(record: Record) -> list[str]:
    """All numbers; curves by one of their printed points."""
    made = [_numbers(block) for block in number_blocks(record)]
    for measure in record["measures"]:
        found = kind(record, measure["key"])
        if found == "matrix":
            made += _matrices(record, measure)
        elif found == "curve" and has_printed_points(record, measure["key"]):
            made.append(_numbers(curve_block(record, measure)))
        elif found == "curve":
            told = f"{measure['title']}: curves; nothing is published"
            made.append(f"{escaped(told)}. Their points are in the JSON file.")
    ranks = "\n".join(f"- {escaped(told)}" for told in rank_sentences(record))
    return [part for part in (*made, ranks, escaped(significance_words(record))) if part]


def claims_list(record: Record) -> str:
    """Claims and what became of them."""
    _, told, n = claims_count(record)
    untold = f"; {n - told} undecided" if told < n else ""
    held = held_words(record, noun="held")
    counted = f"Claims: {held}{untold}." if told else f"Claims: {n}, none measured."
    groups = ((counted, source_claims(record)), (f"{OWN_TITLE}:", own_claims(record)))
    return "\n\n".join(f"{title}\n\n{_claims(some)}" for title, some in groups if some)


def _claims(claims: Iterable[Mapping[str, Any]]) -> str:
    rows = [
        [
            escaped(claim["text"]),
            _with_detail(printed_word(claim["printed"]["held"]), claim["printed"]),
            _with_detail(f"**{verdict_word(claim['measured']['held'])}**", claim["measured"]),
        ]
        for claim in claims
    ]
    return table(["claim", "published", "measured"], rows, left=3)


def notes(record: Record) -> list[str]:
    """Explanation, errata, and what is missing or failed."""
    found = []
    if record["explanation"]:
        found.append(f"**What differs, and why.** {escaped(record['explanation'])}")
    if record["errata"]:
        lines = "\n".join(f"- {escaped(line)}" for line in record["errata"])
        found.append(f"Errors in the source:\n\n{lines}")
    return found + left_out(record)


def left_out(record: Record) -> list[str]:
    """Rows without data, and cells that ended with an error."""
    measured = record["measured"] or {"missing": {}, "failed": {}}
    found = []
    for title, missing in (("Not run", measured["missing"]), ("Failed", measured["failed"])):
        if missing:
            lines = "\n".join(f"- {escaped(k)}: {escaped(why)}" for k, why in missing.items())
            found.append(f"{title}:\n\n{lines}")
    return found


def _numbers(block: Block) -> str:
    body = [
        [escaped(line.name), *(_cell(line.cells.get(c), line.measure) for c in block.columns)]
        for line in block.lines
    ]
    title = f"{block.title}{block.note}; {beside_words(block.values, 'ours (published)')}"
    whole = [["", *map(escaped, block.columns)], *body]
    if len(block.columns) > max(WIDEST, len(block.lines)):
        whole = [list(line) for line in zip(*whole)]
    made = table(whole[0], whole[1:])
    if len(block.lines) * len(block.columns) > FOLDED:
        return _folded(title, made)
    return f"{escaped(title)}:\n\n{made}"


def _cell(value: Mapping[str, Any] | None, measure: Mapping[str, Any]) -> str:
    if value is None:
        return ""
    own, printed = (side_words(value[side], measure["digits"]) for side in ("measured", "printed"))
    return f"{own or NOTHING} ({escaped(printed)})" if printed else own


def _matrices(record: Record, measure: Mapping[str, Any]) -> list[str]:
    made = []
    for (row, column), value in entries(record, measure["key"]).items():
        sides = [value["measured"], value["printed"]]
        known = next(side["mean"] for side in sides if side is not None)
        if len(known) > LARGEST_MATRIX:
            continue
        cells = [
            [str(i + 1), *(_matrix_cell(sides, i, j, measure["digits"]) for j in range(len(line)))]
            for i, line in enumerate(known)
        ]
        head = ["", *(str(j + 1) for j in range(len(known[0])))]
        which = beside_words([value], "ours (published)")
        title = f"{measure['title']}, {row}, {column}; {which}"
        made.append(f"{escaped(title)}:\n\n{table(head, cells)}")
    if made:
        return made
    return [f"{escaped(measure['title'])}: matrices, shown on the page and in the JSON file."]


def _matrix_cell(sides: Sequence[Any], i: int, j: int, digits: int) -> str:
    words = [
        plus_minus(number(_at(side, i, j)), number(None), digits) if side else NOTHING
        for side in sides
    ]
    return words[0] if sides[1] is None else f"{words[0]} ({words[1]})"


def _at(side: Mapping[str, Any], i: int, j: int) -> Any:
    mean = side["mean"]
    return mean[i][j] if i < len(mean) and j < len(mean[i]) else None


def _with_detail(word: str, verdict: Mapping[str, Any]) -> str:
    return f"{word}: {escaped(verdict['detail'])}" if verdict["detail"] else word


def _versions_line(record: Record) -> str:
    middle, packages = median_difference(record), versions_line(record)
    told = f"Median difference: {middle:.1f} published deviations." if middle == middle else ""
    return " ".join(filter(None, (told, f"Measured with {packages}." if packages else "")))


INTRODUCTION = """\
# Published versus measured

The methods of this library come from five publications. Every table and figure in them that
rests on an experiment is reproduced here. Every statement that the source makes about its numbers,
a *claim*, is checked twice: on the published numbers and on ours."""

COUNTED = """\
| judged on | meaning |
|---|---|
| original data | the data of the source, or data drawn from the distribution that it states |
| substitute | other data, since those of the source are not available; each exhibit says which |
| calibrated substitute | the same, with constants fitted to published numbers that are named |
| no published numbers | a sentence or a curve of the source without numbers |

*Published numbers say otherwise*: neither our numbers nor those of the source support the claim.
*Proven error of the source*: its numbers support the claim, but come from an error that is
demonstrated. Questions that we add are not counted; the last line of the second table is about
targets of our own. `uneven reproduce --list` names all exhibits and `uneven reproduce NAME` runs
one of them. This page is generated by the same command from stored results."""

APART = (
    "*Apart* is the median distance between the measured and the published mean, in published "
    "deviations, where the source gives deviations."
)


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
    parts = [INTRODUCTION, *_overview(records), *_summary(records)]
    citation = None
    for record in (r for r in records if r["status"] != "impossible"):
        if record["document"]["citation"] != citation:
            citation = record["document"]["citation"]
            parts.append(f"## {escaped(citation)}")
        parts.append(_section(record, pictures))
    parts.append(_not_run([r for r in records if r["status"] == "impossible"]))
    return "\n\n".join(part for part in parts if part) + "\n"


def _overview(records: Sequence[Record]) -> list[str]:
    """How many claims held, what that means, and which did not and why."""
    header = ["judged on", "claims", *OUTCOMES]
    by_source: dict[str, list[Record]] = {}
    for record in records:
        by_source.setdefault(record["document"]["key"], []).append(record)
    sources = [
        [escaped(authors(some[0])), *tally_rows(some)[-1][1:]] for some in by_source.values()
    ]
    found = [
        [who, FINDINGS.get(key, ""), f"{held} of {all_of_them}"]
        for key, (who, all_of_them, held, *_) in zip(by_source, sources)
    ]
    published = [record for record in records if record["document"]["key"] != NORM.key]
    details = [
        table(header, tally_rows(published)),
        table(["source", *header[1:]], sources),
        COUNTED,
        _made(records),
    ]
    return [
        _in_short(published),
        table(["source", "what it says, and what came out", "claims held"], found, left=2),
        _folded("How claims are counted, and what was measured when", "\n\n".join(details)),
        _unmet(records),
    ]


def _in_short(records: Sequence[Record]) -> str:
    """The outcome in a few sentences, and where to go on; empty without claims."""
    counts = tally(records)
    total = sum(counts.values(), Counter())
    if not total:
        return ""
    own = counts.get(STATUS["original"], Counter())
    said = (
        f"**In short**: of {total.total()} claims, {total[HELD]} hold when they are reproduced and "
        f"{total[NOT_HELD]} do not. {total[AGAINST_ITSELF]} are not supported by the published "
        f"numbers either, {total[PROVEN]} rest on a proven error of the source, and "
        f"{total[UNJUDGED]} cannot be judged."
    )
    if judged := own.total() - own[UNJUDGED]:
        settled = sum(own[one] for one in SETTLED)
        said += (
            f" On the original data with published numbers, {own[HELD]} of {judged} hold, and "
            f"{settled - own[HELD]} are contradicted by the numbers or a proven error of the "
            f"source itself: {settled} of {judged} ({100 * settled / judged:.0f} %) are settled. "
            "Each of the others has a reason below."
        )
    return (
        f"{said} Open a source below to see its tables and figures; each shows its claims next to "
        "the published and the measured numbers."
    )


def _unmet(records: Sequence[Record]) -> str:
    found = unmet(records)
    if not found:
        return ""
    rows = [
        [
            f"[{escaped(authors(record))}, {escaped(record['place'])}](#{record['name']})",
            escaped(claim["text"]),
            escaped(claim["measured"]["detail"]),
            escaped(reason(record, claim)),
        ]
        for record, claim in found
    ]
    head = ["exhibit", "claim", "measured", "why"]
    return _folded(f"The {len(found)} claims that did not hold, and why", table(head, rows, left=4))


def _folded(title: str, body: str) -> str:
    return f"<details>\n<summary>{text(title)}</summary>\n\n{body}\n\n</details>"


def _made(records: Sequence[Record]) -> str:
    days = sorted({day for r in records for day in dates(r).split(" to ") if day})
    found: dict[str, dict[str, None]] = {}
    for record in records:
        for name, version in versions(record).items():
            found.setdefault(name, {}).update(dict.fromkeys(version.split(" and ")))
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
    folded = [
        _folded(f"{who}: {len(some)} exhibits", table(header, map(_line, some), left=4))
        for who, some in documents.items()
    ]
    return [*folded, APART]


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
    details = [
        escaped(protocol_words(record)),
        *(f"![{escaped(name)}]({pictures}/{file})" for file in files),
        *tables(record),
    ]
    parts = [
        *head,
        claims_list(record),
        *notes(record),
        _folded("How it was run, and all numbers", "\n\n".join(filter(None, details))),
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
