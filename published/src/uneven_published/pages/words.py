"""Words and figures that page, Markdown and terminal share."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import Any

from uneven.report.numbers import plus_minus
from uneven_published.pages.facts import Record, number, run_kind, was_run

__all__ = [
    "apart_word",
    "beside_words",
    "printed_word",
    "protocol_words",
    "side_words",
    "significance_words",
    "strength",
    "verdict_word",
]

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
    return "cannot be told" if held is None else "held" if held else "did not hold"


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
    >>> beside_words([{"measured": {"mean": 0.5}, "printed": None}], "ours (print)")
    'ours; nothing is printed'
    """
    found = list(values)
    own, printed = (any(value[side] for value in found) for side in ("measured", "printed"))
    if own and printed:
        return both
    return "ours; nothing is printed" if own else "in print; nothing is measured"


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
    outcome = f"{good} of {len(done)} significant" if done else "not measured"
    return f"{told}: {outcome}."
