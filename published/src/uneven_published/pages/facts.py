"""What a record of a published table says, asked in the words of its pages.

A record is plain data, as `uneven_published.build_record` makes it and JSON holds it:
numbers are numbers, curves are lists, matrices are lists of lists, and what is unknown is None.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from statistics import median
from typing import Any, Literal

from uneven.report.markup import plus_minus

Record = Mapping[str, Any]
Kind = Literal["number", "curve", "matrix"]

_KINDS: tuple[Kind, ...] = ("number", "curve", "matrix")


def number(value: Any) -> float:
    """A number; NaN for None and for anything else that is not one.

    Examples
    --------
    >>> number(0.5), number(None), number([1.0])
    (0.5, nan, nan)
    """
    return float(value) if isinstance(value, int | float) else math.nan


def entries(record: Record, measure: str) -> dict[tuple[str, str], Mapping[str, Any]]:
    """Values of a measure by row and column."""
    return {(v["row"], v["column"]): v for v in record["values"] if v["measure"] == measure}


def kind(record: Record, measure: str) -> Kind | None:
    """What the values of a measure are; None if there are none.

    Examples
    --------
    >>> value = {"row": "a", "column": "b", "measure": "m", "printed": None}
    >>> kind({"values": [value | {"measured": {"mean": [1.0, None]}}]}, "m")
    'curve'
    """
    depths = [
        _depth(side["mean"])
        for value in record["values"]
        if value["measure"] == measure
        for side in (value["printed"], value["measured"])
        if side is not None
    ]
    return _KINDS[min(max(depths), 2)] if depths else None


def differences(record: Record) -> list[float]:
    """All known differences between measured and printed means, in printed deviations."""
    return [one for value in record["values"] for one in _flat(value["apart"])]


def median_difference(record: Record) -> float:
    """Median size of the differences in printed deviations; NaN if none is known.

    Examples
    --------
    >>> median_difference({"values": [{"apart": -3.0}, {"apart": [1.0, None]}, {"apart": 2.0}]})
    2.0
    """
    sizes = [abs(one) for one in differences(record)]
    return median(sizes) if sizes else math.nan


def was_run(record: Record) -> bool:
    """Whether a cell is done."""
    return bool(record["measured"] and record["measured"]["cells"]["done"])


def run_kind(record: Record) -> str:
    """``full``, ``fast``, ``part of full`` or ``part of fast`` if cells lack, or ``not run``.

    Where a run was tried and did nothing, the reason follows.

    Examples
    --------
    >>> tried = {"cells": {"done": 0, "planned": 5}, "missing": {"Car": "no data"}, "failed": {}}
    >>> run_kind({"measured": tried})
    'not run: data missing'
    """
    measured = record["measured"]
    if not was_run(record):
        tried = measured or {"missing": {}, "failed": {}}
        lacking = ": data missing" if tried["missing"] else ""
        return f"not run{lacking or (': all cells failed' if tried['failed'] else '')}"
    cells = measured["cells"]
    partly = "part of " if cells["done"] < cells["planned"] else ""
    return partly + ("fast" if measured["fast"] else "full")


def earlier_words(record: Record) -> str:
    """How many numbers come from earlier results; empty if none do."""
    n = (record["measured"] or {}).get("earlier", 0)
    return f" and {n} numbers of earlier results" if n else ""


def run_cell(record: Record) -> str:
    """What a table says about the run: nothing about what cannot be run."""
    return "" if record["status"] == "impossible" else run_kind(record)


def authors(record: Record) -> str:
    """Authors and year of the source.

    Examples
    --------
    >>> authors({"document": {"citation": "A. Goyal and B. Else (2018), Votes, Journal"}})
    'A. Goyal and B. Else (2018)'
    """
    citation = str(record["document"]["citation"])
    found = re.match(r".*?\(\d{4}\)", citation)
    return found[0] if found else citation


def dates(record: Record) -> str:
    """Day of the measurement, or the first and the last one."""
    made = (record["measured"] or {}).get("made", [])
    days = sorted({str(one["date"])[:10] for one in made if one.get("date")})
    return " to ".join(dict.fromkeys((days[0], days[-1]))) if days else ""


def versions(record: Record) -> dict[str, str]:
    """Versions of packages that the cells were made with; several of one are joined."""
    found: dict[str, dict[str, None]] = {}
    for one in (record["measured"] or {}).get("made", []):
        for name, version in one.items():
            if name != "date":
                found.setdefault(name, {})[str(version)] = None
    return {name: " and ".join(some) for name, some in found.items()}


def versions_line(record: Record) -> str:
    """Versions in one line; empty if nothing was measured."""
    return ", ".join(f"{name} {version}" for name, version in versions(record).items())


def command_of(record: Record) -> str:
    """Command that runs the exhibit again as it was run."""
    fast = " --fast" if (record["measured"] or {}).get("fast") else ""
    return f"uneven reproduce {record['name']}{fast}"


def _depth(value: Any) -> int:
    return 1 + max(map(_depth, value), default=0) if isinstance(value, list) else 0


def _flat(value: Any) -> Iterator[float]:
    if isinstance(value, list):
        for one in value:
            yield from _flat(one)
    elif math.isfinite(number(value)):
        yield number(value)


Claim = Mapping[str, Any]
OWN = ("Asked besides: ", "Asked about ", "By theory: ")
"""Claims that begin so are not made by the source."""
OWN_TITLE = "Asked by us, and not counted"


def source_claims(record: Record) -> list[Claim]:
    """Claims that the source makes."""
    return [claim for claim in record["claims"] if not claim["text"].startswith(OWN)]


def own_claims(record: Record) -> list[Claim]:
    """Claims that we add: further questions, and what theory says."""
    return [claim for claim in record["claims"] if claim["text"].startswith(OWN)]


def claims_count(record: Record) -> tuple[int, int, int]:
    """How many claims of the source held, how many the measurements decide, and all."""
    held = [claim["measured"]["held"] for claim in source_claims(record)]
    return sum(h is True for h in held), sum(h is not None for h in held), len(held)


def held_words(*records: Record, noun: str = "") -> str:
    """How many claims of the source held; empty if none can be decided.

    Parameters
    ----------
    *records : mapping
        Their claims are counted together.
    noun : str
        What is counted, between the numbers and the rest.

    Returns
    -------
    str

    Examples
    --------
    >>> claim = {"text": "A wins.", "measured": {"held": True}, "printed": {"held": None}}
    >>> held_words({"claims": [claim]}, noun="claims held")
    '1 of 1 claims held (1 without published numbers)'
    """
    held, told = (sum(claims_count(record)[j] for record in records) for j in (0, 1))
    bare = sum(
        claim["printed"]["held"] is None and claim["measured"]["held"] is not None
        for record in records
        for claim in source_claims(record)
    )
    if not told:
        return ""
    aside = f"({bare} without published numbers)" if bare else ""
    return " ".join(filter(None, (f"{held} of {told}", noun, aside)))


Ranks = Mapping[str, Any]


def ranks_of(record: Record, measure: str) -> Ranks | None:
    """Ranks by a measure; None if the exhibit does not ask for them or they cannot be computed."""
    found = (one for one in record.get("ranks", ()) if one["measure"] == measure)
    return next(found, None)


def drawn_ranks(record: Record) -> list[Ranks]:
    """Ranks that have a critical-difference diagram."""
    return [one for one in record.get("ranks", ()) if one["drawn"]]


def over_rows(ranks: Ranks, figure: str) -> dict[str, Mapping[str, Any]]:
    """Means or ranks by column, as values of a table.

    Parameters
    ----------
    ranks : mapping
    figure : {"means", "ranks"}

    Returns
    -------
    dict of str to mapping

    Examples
    --------
    >>> over_rows({"columns": ["A"], "means": [0.5]}, "means")["A"]["measured"]["mean"]
    0.5
    """
    return {
        column: {
            "measured": {"mean": value, "deviation": None, "n": 0},
            "printed": None,
            "apart": None,
        }
        for column, value in zip(ranks["columns"], ranks[figure])
    }


def rank_sentences(record: Record) -> list[str]:
    """Average ranks that are drawn, best first, and the tests of all measures.

    Parameters
    ----------
    record : mapping

    Returns
    -------
    list of str

    Examples
    --------
    >>> ranks = {"measure": "error", "rows": ["x", "y"], "columns": ["A", "B"], "ranks": [2.0, 1.0],
    ...          "p": 0.03, "difference": 1.386, "level": 0.05, "drawn": True}
    >>> measures = [{"key": "error", "title": "test error"}]
    >>> rank_sentences({"ranks": [ranks], "measures": measures})
    ['Average ranks by test error: B 1.00, A 2.00.',
     'Friedman, over 2 rows: test error p = 0.03. Critical difference (Nemenyi, level 0.05): 1.39.']
    """
    titles = {measure["key"]: measure["title"] for measure in record["measures"]}
    drawn = [_order(one, titles[one["measure"]]) for one in drawn_ranks(record)]
    alike: dict[tuple[int, float, float], list[Ranks]] = {}
    for one in record.get("ranks", ()):
        if math.isfinite(number(one["p"])):
            key = (len(one["rows"]), one["level"], one["difference"])
            alike.setdefault(key, []).append(one)
    tests = [_tests(some, titles, *key) for key, some in alike.items()]
    return [*drawn, *tests]


def _order(ranks: Ranks, title: str) -> str:
    order = sorted(zip(ranks["ranks"], ranks["columns"]), key=lambda pair: pair[0])
    return f"Average ranks by {title}: {', '.join(f'{name} {rank:.2f}' for rank, name in order)}."


def _tests(
    some: Sequence[Ranks], titles: Mapping[str, str], n: int, level: float, far: float
) -> str:
    outcomes = "; ".join(f"{titles[one['measure']]} p = {one['p']:.2g}" for one in some)
    nemenyi = f"Critical difference (Nemenyi, level {level:g}): {far:.2f}."
    return f"Friedman, over {n} rows: {outcomes}. {nemenyi}"


TESTS = {
    "student": "Student's t-test of paired samples",
    "welch": "Welch's t-test",
    "signed_rank": "Wilcoxon's signed-rank test",
    "rank_sum": "Wilcoxon's rank-sum test",
}
FAR = 3.0
"""Differences of so many printed deviations and more have the full tint."""


def verdict_word(held: bool | None) -> str:
    """What became of a claim when it was measured."""
    return "undecided" if held is None else "held" if held else "did not hold"


def printed_word(held: bool | None) -> str:
    """Whether the printed numbers themselves support a claim."""
    return "unknown" if held is None else "yes" if held else "no"


def protocol_words(record: Record) -> str:
    """The protocol; for a fast or unfinished run also what was done of it."""
    if not record["protocol"] or not was_run(record) or run_kind(record) == "full":
        return str(record["protocol"])
    measured = record["measured"]
    rows_missing = measured["missing"].keys() - set(record["columns"])
    counts = [*measured["repeats"].values(), *[0 for _ in rows_missing]]
    low, high = min(counts), max(counts)
    repeats = f"{low}" if low == high else f"from {low} to {high}"
    done = "{done} of {planned} cells".format(**measured["cells"])
    here = f"Here: {run_kind(record)} run, {done}; repetitions per row: {repeats}."
    return f"Full protocol: {record['protocol']} {here}"


def beside_words(values: Iterable[Mapping[str, Any]], both: str) -> str:
    """What numbers of a table are: `both` if some are ours and some are printed.

    Examples
    --------
    >>> beside_words([{"measured": {"mean": 0.5}, "printed": None}], "ours (published)")
    'ours; nothing is published'
    """
    found = list(values)
    own, printed = (any(value[side] for value in found) for side in ("measured", "printed"))
    if own and printed:
        return both
    return "ours; nothing is published" if own else "published; nothing is measured"


def side_words(side: Mapping[str, Any] | None, digits: int) -> str:
    """Mean, deviation and mark of a number, printed or measured; empty if there is none.

    Examples
    --------
    >>> side_words({"mean": 0.5, "deviation": 0.1, "mark": "*"}, 2), side_words(None, 2)
    ('0.50 ± 0.10*', '')
    """
    if side is None or not math.isfinite(number(side["mean"])):
        return ""
    return plus_minus(number(side["mean"]), number(side["deviation"]), digits) + (
        side.get("mark") or ""
    )


def apart_word(apart: object) -> str:
    """Difference in printed deviations, with its sign; empty if unknown.

    Examples
    --------
    >>> apart_word(0.73), apart_word(-12.3), apart_word(-0.01), apart_word(None)
    ('+0.7', '−12', '0.0', '')
    """
    value = number(apart)
    if not math.isfinite(value):
        return ""
    if abs(value) < 0.05:
        return "0.0"
    return f"{value:+.{1 if abs(value) < 9.95 else 0}f}".replace("-", "−")


def strength(apart: object) -> float:
    """Tint of a difference: none up to one printed deviation, full from three on.

    Examples
    --------
    >>> strength(0.9), strength(-2.0), strength(50.0), strength(None)
    (0.0, 0.5, 1.0, nan)
    """
    value = abs(number(apart))
    return min(max((value - 1.0) / (FAR - 1.0), 0.0), 1.0) if math.isfinite(value) else math.nan


def significance_words(record: Record) -> str:
    """The significance test in a sentence with its outcome; empty if there is none.

    Examples
    --------
    >>> rule = {"test": "welch", "level": 0.05, "alternative": "two-sided", "pairs": []}
    >>> significance_words({"test": rule, "tests": [{"significant": True}]})
    "Welch's t-test, two-sided, level 0.05, with the best of the row: 1 of 1 significant."
    """
    rule = record["test"]
    if rule is None:
        return ""
    pairs = [f"{first} with {second}" for first, second in rule["pairs"]]
    against = ", ".join(pairs) if pairs else "with the best of the row"
    told = f"{TESTS[rule['test']]}, {rule['alternative']}, level {rule['level']:g}, {against}"
    done = record["tests"]
    good = sum(bool(one["significant"]) for one in done)
    outcome = f"{good} of {len(done)} significant" if done else "not enough repetitions to tell"
    return f"{told}: {outcome}."
