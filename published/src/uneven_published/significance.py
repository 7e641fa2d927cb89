"""Tests on measured samples: the sources' own, column against column, and average ranks of all."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import comb
from typing import Literal

import numpy as np
from numpy.typing import NDArray
from scipy import stats

from uneven.metrics import (
    average_ranks,
    critical_difference,
    friedman_test,
    holm_correction,
    signed_rank_test,
)
from uneven_published.description import Exhibit, Significance
from uneven_published.numbers import Measured, Numbers, Summary, complete_table

Samples = NDArray[np.float64]
_OF_PAIRS = ("student", "signed_rank")
_TIED_DIGITS = 5
"""Significant digits in which means must differ: kept answers have one more."""


@dataclass(frozen=True)
class Comparison:
    """Outcome of a test of two columns in a row.

    Attributes
    ----------
    row, first, second, measure : str
    p : float
    significant : bool
    """

    row: str
    first: str
    second: str
    measure: str
    p: float
    significant: bool


def compare_columns(exhibit: Exhibit, measured: Measured) -> list[Comparison]:
    """Every comparison that the exhibit asks for and the samples allow.

    A test of ranks is left out where so few samples cannot be significant, whatever they are.
    """
    rule = exhibit.significance
    if rule is None:
        return []
    found = []
    for measure in rule.measures:
        for row in measured.rows:
            pairs = rule.pairs or _with_best(exhibit, rule, measured, row, measure)
            for first, second in pairs:
                one = _compare(rule, measured, row, measure, first, second)
                if one is not None:
                    found.append(one)
    return found


def _with_best(
    exhibit: Exhibit, rule: Significance, measured: Measured, row: str, measure: str
) -> Sequence[tuple[str, str]]:
    means = {c: measured.mean(row, c, measure) for c in rule.columns or measured.columns}
    known = {column: mean for column, mean in means.items() if mean is not None}
    if not known:
        return ()
    choose = min if exhibit.measure(measure).better == "lower" else max
    best = choose(known, key=lambda column: known[column])
    return [(column, best) for column in known if column != best]


def _compare(
    rule: Significance, measured: Measured, row: str, measure: str, first: str, second: str
) -> Comparison | None:
    one, two = (measured.values.get((row, column, measure)) for column in (first, second))
    if one is None or two is None:
        return None
    a, b = _paired(one, two) if rule.test in _OF_PAIRS else (_known(one), _known(two))
    if min(len(a), len(b)) < 2 or _least_p(rule, min(len(a), len(b))) >= rule.level:
        return None
    p = _p_value(rule, a, b)
    return Comparison(row, first, second, measure, p, bool(p < rule.level))


def _least_p(rule: Significance, n: int) -> float:
    """Smallest p-value of a test of ranks with so many samples on both sides; 0 for other tests."""
    orders = {"rank_sum": comb(2 * n, n), "signed_rank": 2**n}
    if rule.test not in orders:
        return 0.0
    return (2.0 if rule.alternative == "two-sided" else 1.0) / orders[rule.test]


def _known(summary: Summary) -> Samples:
    samples = np.array([]) if summary.samples is None else summary.samples
    return samples[np.isfinite(samples)]


def _paired(one: Summary, two: Summary) -> tuple[Samples, Samples]:
    """Samples at the same place of the same repetition, where both exist."""
    sides = [_by_repeat(one), _by_repeat(two)]
    if one.repeats is None or two.repeats is None:
        sides = [{0: np.concatenate([*side.values(), []])} for side in sides]
    shared = [
        np.array([sides[0][repeat], sides[1][repeat]])
        for repeat in sorted(sides[0].keys() & sides[1].keys())
        if len(sides[0][repeat]) == len(sides[1][repeat])
    ]
    pairs = np.concatenate([np.empty((2, 0)), *shared], axis=1)
    a, b = pairs[:, np.isfinite(pairs).all(axis=0)]
    return a, b


def _by_repeat(summary: Summary) -> dict[int, Samples]:
    samples, repeats = summary.samples, summary.repeats
    if samples is None:
        return {}
    if repeats is None:
        return {0: samples}
    return {int(repeat): samples[repeats == repeat] for repeat in np.unique(repeats)}


def _p_value(rule: Significance, a: Samples, b: Samples) -> float:
    test = _TESTS[rule.test]
    if rule.alternative == "one-sided":
        return min(test(a, b, "less"), test(a, b, "greater"))
    return test(a, b, rule.alternative)


def _student(a: Samples, b: Samples, alternative: str) -> float:
    if np.ptp(a - b) == 0.0:
        return _certain(a[0] - b[0], alternative)
    return float(stats.ttest_rel(a, b, alternative=alternative).pvalue)


def _welch(a: Samples, b: Samples, alternative: str) -> float:
    if np.ptp(a) == 0.0 == np.ptp(b):
        return _certain(a[0] - b[0], alternative)
    return float(stats.ttest_ind(a, b, equal_var=False, alternative=alternative).pvalue)


def _certain(difference: float, alternative: str) -> float:
    """P-value where nothing varies: 0 if the difference is of the side asked about, else 1."""
    sides = {"less": difference < 0, "greater": difference > 0, "two-sided": difference != 0}
    return 0.0 if sides[alternative] else 1.0


def _rank_sum(a: Samples, b: Samples, alternative: str) -> float:
    return float(stats.ranksums(a, b, alternative=alternative).pvalue)


def _signed_rank(a: Samples, b: Samples, alternative: str) -> float:
    return signed_rank_test(a, b, alternative).pvalue


_TESTS: dict[str, Callable[[Samples, Samples, str], float]] = {
    "student": _student,
    "welch": _welch,
    "rank_sum": _rank_sum,
    "signed_rank": _signed_rank,
}


def tied(values: Samples) -> Samples:
    """Means in which differences that come from rounding do not count.

    Parameters
    ----------
    values : ndarray of shape (n_rows, n_columns)

    Returns
    -------
    ndarray of shape (n_rows, n_columns)
        Rounded to the fifth digit of the largest of each row.

    Examples
    --------
    >>> tied(np.array([[0.3000001, 0.3, 0.2], [0.0, 0.0, 0.0]])).tolist()
    [[0.3, 0.3, 0.2], [0.0, 0.0, 0.0]]
    """
    size = np.abs(values).max(axis=1, initial=0.0)
    places = _TIED_DIGITS - 1 - np.floor(np.log10(np.where(size > 0.0, size, 1.0)))
    return np.array([np.round(row, int(place)) for row, place in zip(values, places)])


@dataclass(frozen=True)
class Ranks:
    """How the columns compare by one measure.

    Attributes
    ----------
    measure : str
    rows, columns : tuple of str
        Those that take part: columns with numbers, rows with a number in all of them.
    means, ranks : ndarray of shape (n_columns,)
        Mean over the rows, and average rank; 1 is the best.
    p : float
        Of Friedman's test with the F of Iman and Davenport; NaN for a single row.
    difference : float
        Nemenyi's critical difference of average ranks; NaN for a single row.
    level : float
        Of the critical difference.
    drawn : bool
        Whether there is a diagram.
    """

    measure: str
    rows: tuple[str, ...]
    columns: tuple[str, ...]
    means: np.ndarray
    ranks: np.ndarray
    p: float
    difference: float
    level: float
    drawn: bool


def rank_columns(exhibit: Exhibit, measured: Measured) -> list[Ranks]:
    """Every comparison that the exhibit asks for and the numbers allow.

    Parameters
    ----------
    exhibit : Exhibit
    measured : Measured

    Returns
    -------
    list of Ranks
        Without measures that fewer than two columns have.
    """
    rule = exhibit.ranking
    if rule is None:
        return []
    found = []
    for key in rule.measures:
        rows, columns, values = complete_table(measured, key, exhibit.columns)
        if len(columns) < 2 or not rows:
            continue
        better: Literal["low", "high"] = (
            "high" if exhibit.measure(key).better == "higher" else "low"
        )
        several, level = len(rows) > 1, tied(values)
        found.append(
            Ranks(
                key,
                rows,
                columns,
                values.mean(axis=0),
                average_ranks(level, better=better),
                friedman_test(level, better=better).pvalue if several else np.nan,
                critical_difference(len(columns), len(rows), rule.level) if several else np.nan,
                rule.level,
                several and key in rule.drawn,
            )
        )
    return found


@dataclass(frozen=True)
class Duel:
    """One column against another over the rows that both have.

    Attributes
    ----------
    rival : str
    wins, losses : int
        Rows in which the column is better, or worse.
    ahead : bool
        Whether the signed ranks of the differences favour the column.
    p, corrected : float
        Of Wilcoxon's test with two sides; the second is corrected by Holm for all rivals.
    """

    rival: str
    wins: int
    losses: int
    ahead: bool
    p: float
    corrected: float


def duels(
    numbers: Numbers,
    column: str,
    measure: str,
    better: Literal["lower", "higher"],
    rivals: Sequence[str] = (),
) -> list[Duel]:
    r"""Test a column against each of its rivals by Wilcoxon's signed ranks.

    Parameters
    ----------
    numbers : Numbers
    column, measure : str
    better : {"lower", "higher"}
    rivals : sequence of str
        Columns to compare with, if they have numbers; all others if empty.

    Returns
    -------
    list of Duel
        Empty if the column has no number. Only rows count in which all of them have one.

    Examples
    --------
    >>> from uneven_published.numbers import printed_table
    >>> table = printed_table("set | A | B\nx | 1 | 2\ny | 3 | 5\nz | 4 | 3.5", "error")
    >>> duels(table, "A", "error", "lower")
    [Duel(rival='B', wins=2, losses=1, ahead=True, p=0.5, corrected=0.5)]
    """
    names = [one for one in rivals or numbers.columns if one != column]
    rows, columns, values = complete_table(numbers, measure, (column, *names))
    if column not in columns or len(columns) < 2 or not rows:
        return []
    signed = tied(values) if better == "lower" else -tied(values)
    own = signed[:, 0]
    others = dict(zip(columns[1:], signed[:, 1:].T))
    p = [signed_rank_test(own, other, "two-sided").pvalue for other in others.values()]
    return [
        Duel(
            rival,
            int((own < other).sum()),
            int((own > other).sum()),
            signed_rank_test(own, other, "less").pvalue < 0.5,
            raw,
            float(corrected),
        )
        for (rival, other), raw, corrected in zip(others.items(), p, holm_correction(p))
    ]
