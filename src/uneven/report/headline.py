"""The outcome in plain words: recall, accuracy, and the chosen measure."""

from __future__ import annotations

import math
from collections.abc import Sequence

from uneven.comparison.methodresult import MethodResult
from uneven.comparison.results import Comparison
from uneven.report.guessing import Guessing
from uneven.report.markup import count, decimal, percent, plus_minus

FEW_ROWS = 50
"""The recall of a class with fewer rows is reported with its interval."""


def in_rows(results: Comparison, best: MethodResult, rival: MethodResult | None) -> str:
    """Recall of the rarest class, and accuracy, as counts of rows.

    Empty with a noise matrix, since true classes are unknown, and without predictions.

    Examples
    --------
    >>> from uneven.comparison import DataSummary, Measure
    >>> data = DataSummary("toy.csv", "label", 12, 1, ["no", "yes"], [9, 3])
    >>> methods = [
    ...     MethodResult("a", "A", "ours", {"m": [0.5, 0.7]}, [[8, 1], [0, 3]]),
    ...     MethodResult("b", "B", "baseline", {"m": [0.4, 0.5]}, [[9, 0], [2, 1]]),
    ... ]
    >>> found = Comparison("", "", "", {}, 0, data, "m", [Measure("m", "m")], 2, 1, methods)
    >>> in_rows(found, *methods)
    'A finds 3 of 3 rows of yes, the rarest class; B 1 of 3. Overall 92 % right; B 83 %.'
    """
    c = rarest(best)
    if results.noise is not None or c is None:
        return ""
    name = results.data.classes[c]
    told = f"{best.label} finds {_found(best, c, results.repeats)} rows of {name}"
    told += _how_rare(results.data.class_counts, c)
    overall = f"Overall {_right(best)} right"
    if rival is not None and any(map(any, rival.confusion)):
        told += f"; {rival.label} {_found(rival, c, results.repeats)}"
        overall += f"; {rival.label} {_right(rival)}"
    return f"{told}. {overall}."


def _how_rare(counts: Sequence[int], c: int) -> str:
    """What to say of a class behind its name."""
    fewer = sum(count < counts[c] for count in counts)
    if fewer:
        return ", the rarest class that could be evaluated"
    return ", the rarest class" if sum(count == counts[c] for count in counts) == 1 else ""


def measured(results: Comparison, best: MethodResult, guessing: Guessing | None) -> str:
    """The chosen measure of the best method, between what is possible and what a guess reaches."""
    measure = results.chosen
    own = best.mean(measure.name)
    value = plus_minus(own, best.spread(measure.name))
    word = "highest" if measure.greater_is_better else "lowest"
    if measure.possible(own) != own:
        return f"{best.label} comes out first, but its {measure.label}, {value}, cannot be."
    facts = []
    if len(measure.limits) == 2:
        ends = measure.limits if measure.greater_is_better else measure.limits[::-1]
        facts.append(f"{_short(ends[1])} is perfect, {_short(ends[0])} the worst")
    if guessing is not None:
        facts.append(f"guessing has {decimal(guessing.value)}")
    beside = f" ({'; '.join(facts)})" if facts else ""
    first = len(results.methods) > 1 and (guessing is None or guessing.better)
    which = f"has the {word} {measure.label}:" if first else f"has {article(measure.label)} of"
    return f"{best.label} {which} {value}{beside}."


def article(noun: str) -> str:
    """A noun behind its article.

    Examples
    --------
    >>> article("accuracy"), article("MAUC"), article("confusion norm")
    ('an accuracy', 'an MAUC', 'a confusion norm')
    """
    vowel = noun[:1].lower() in "aeiou" or noun[:2] in ("MA", "F1")
    return f"{'an' if vowel else 'a'} {noun}"


def small_class(results: Comparison, best: MethodResult) -> str:
    """The interval of the recall of the rarest class, if it is small; else empty."""
    c = rarest(best)
    if results.noise is not None or c is None:
        return ""
    rows = math.fsum(best.confusion[c]) / results.repeats
    if rows >= FEW_ROWS:
        return ""
    low, high = best.recall_intervals(results.repeats)[c]
    return (
        f"{count(round(rows))} rows of {results.data.classes[c]} are few: of new ones it would "
        f"find between {percent(low)} and {percent(high)} (Wilson's 95 % interval)."
    )


def rarest(method: MethodResult) -> int | None:
    """The class with the fewest held-out rows, if it has any; None if no class has."""
    sizes = [math.fsum(row) for row in method.confusion]
    known = [c for c, size in enumerate(sizes) if size > 0]
    return min(known, key=lambda c: sizes[c]) if known else None


def _found(method: MethodResult, c: int, repeats: int) -> str:
    row = method.confusion[c]
    right, size = row[c] / repeats, math.fsum(row) / repeats
    return f"{_short(right)} of {_short(size)}"


def _right(method: MethodResult) -> str:
    counts = method.confusion
    total = math.fsum(map(math.fsum, counts))
    share = math.fsum(row[c] for c, row in enumerate(counts)) / total
    return percent(share, 1 if 0.995 <= share < 1.0 else 0)


def _short(value: float) -> str:
    """A number without needless digits.

    Examples
    --------
    >>> _short(3.0), _short(2.6667), _short(36.0437)
    ('3', '2.7', '36')
    """
    digits = 0 if value >= 20.0 else 1
    return f"{round(value, digits):g}"
