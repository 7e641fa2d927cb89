"""Ways to check a sentence about a table or a figure.

Each function takes what the sentence is about and returns a check: a function from numbers to a
`Verdict`, which reads printed and measured numbers alike. What a row lacks numbers for is left out.
`each_row` and `asked` take any condition; the others are the sentences that occur often.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from operator import ge, gt, le, lt
from typing import Any, Literal

import numpy as np

from uneven.metrics import average_ranks
from uneven_published.numbers import Numbers, Verdict, complete_table
from uneven_published.significance import duels, tied

Check = Callable[[Numbers], Verdict]
Sign = Literal["<", "<=", ">", ">="]
Answer = bool | tuple[bool, str]
"""Whether a condition holds, and maybe what is said about it where it is the only row."""

NO_NUMBERS = Verdict(None, "no numbers")
ROUNDING = 1e-12
"""Means over rows that differ by less are equal."""
_HOLDS: dict[str, Callable[[Any, Any], Any]] = {"<": lt, "<=": le, ">": gt, ">=": ge}


def each_row(
    needs: Sequence[tuple[str, str]],
    condition: Callable[..., Answer],
    rows: Sequence[str] = (),
    at_least: int | None = None,
) -> Check:
    r"""A condition holds in every row, or in enough of them.

    Parameters
    ----------
    needs : sequence of (column, measure)
    condition : callable
        Called with their means, in order; curves and matrices are arrays.
    rows : sequence of str
        All rows if empty.
    at_least : int or None
        In how many rows; in all of them if None.

    Returns
    -------
    callable

    Examples
    --------
    >>> from uneven_published.numbers import printed_table
    >>> table = printed_table("set | A | B\nwine | 1 | 2\nglass | 3 | 1", "error")
    >>> each_row([("A", "error"), ("B", "error")], lambda a, b: a < b)(table)
    Verdict(held=False, detail='1 of 2 rows; not glass')
    """

    def check(numbers: Numbers) -> Verdict:
        answers: dict[str, Answer] = {}
        for row in rows or numbers.rows:
            values = [numbers.mean(row, column, measure) for column, measure in needs]
            if all(value is not None for value in values):
                answers[row] = condition(*values)
        return counted(answers, at_least)

    return check


def compare(
    first: str,
    second: str,
    measure: str,
    sign: Sign = "<",
    rows: Sequence[str] = (),
    at_least: int | None = None,
    share: float = 1.0,
    digits: int | None = None,
) -> Check:
    """One column is below (or above) a share of another in every row, or in enough of them.

    With ``digits``, both are rounded as in print first, so that ties are what they are there.
    """

    def condition(a: float, b: float) -> Answer:
        told = f"{a:.4g} and {b:.4g}"
        if digits is not None:
            a, b = round(a, digits), round(b, digits)
        return bool(_HOLDS[sign](a, share * b)), told

    return each_row([(first, measure), (second, measure)], condition, rows, at_least)


def within(
    column: str,
    measure: str,
    low: float = -np.inf,
    high: float = np.inf,
    rows: Sequence[str] = (),
    at_least: int | None = None,
) -> Check:
    """A number of a column lies between two bounds in every row, or in enough of them."""

    def condition(value: float) -> Answer:
        return bool(low <= value <= high), f"{value:.4g}"

    return each_row([(column, measure)], condition, rows, at_least)


def alike(first: str, second: str, most: Mapping[str, float], rows: Sequence[str] = ()) -> Check:
    """Two columns differ by no more than ``most`` in every row, by one or several measures."""

    def check(numbers: Numbers) -> Verdict:
        answers: dict[str, Answer] = {}
        for row in rows or numbers.rows:
            for measure, limit in most.items():
                a, b = (numbers.mean(row, column, measure) for column in (first, second))
                if a is not None and b is not None:
                    name = row if len(most) == 1 else f"{row} ({measure})"
                    answers[name] = bool(abs(a - b) <= limit), f"{a:.4g} and {b:.4g}"
        return counted(answers)

    return check


def best(
    columns: str | Sequence[str],
    measure: str,
    better: Literal["lower", "higher"] = "lower",
    among: Sequence[str] = (),
    rows: Sequence[str] = (),
    at_least: int | None = None,
    *,
    strict: bool = False,
    paired: bool = False,
) -> Check:
    """The best number of a row is in one column, or in one of some columns.

    Parameters
    ----------
    columns : str or sequence of str
    measure : str
    better : {"lower", "higher"}
    among : sequence of str
        Rivals; all columns if empty.
    rows : sequence of str
    at_least : int or None
        In how many rows; in all of them if None.
    strict : bool
        Whether equal numbers are not enough.
    paired : bool
        Whether a column takes part in a row only if the rival at the same place of ``among`` has a
        number there too, and the other way round.

    Returns
    -------
    callable
    """
    own = (columns,) if isinstance(columns, str) else tuple(columns)
    sign = -1.0 if better == "lower" else 1.0

    def check(numbers: Numbers) -> Verdict:
        rivals = [column for column in among or numbers.columns if column not in own]
        answers: dict[str, Answer] = {}
        for row in rows or numbers.rows:
            sides = [[numbers.mean(row, c, measure) for c in some] for some in (own, rivals)]
            if paired:
                both = [pair for pair in zip(*sides) if None not in pair]
                sides = [[pair[j] for pair in both] for j in (0, 1)]
            known = [[value for value in side if value is not None] for side in sides]
            if all(known):
                ours, other = (max(side, key=lambda value: sign * value) for side in known)
                held = sign * ours > sign * other or (ours == other and not strict)
                answers[row] = bool(held), f"{ours:.4g}; best of the others {other:.4g}"
        return counted(answers, at_least)

    return check


def average(
    first: str,
    second: str,
    measure: str,
    sign: Sign = "<",
    rows: Sequence[str] = (),
    share: float = 1.0,
    slack: float = 0.0,
) -> Check:
    """The mean of one column over the rows is below (or above) that of another, or near it.

    The other mean is multiplied by ``share``, and ``slack`` is added to it.
    """

    def check(numbers: Numbers) -> Verdict:
        known = _pairs(numbers, first, second, measure, rows)
        if not known:
            return NO_NUMBERS
        a, b = np.mean(known, axis=0)
        told = f"{a:.4g} and {b:.4g}, mean of {len(known)} row{'s' * (len(known) > 1)}"
        return Verdict(bool(_HOLDS[sign](a, share * b + slack)), told)

    return check


def difference(
    first: str,
    second: str,
    *,
    below: float = np.inf,
    at_least: float = -np.inf,
    size_below: float = np.inf,
    measure: str = "error",
) -> Check:
    """One column minus another, on average over the rows that have both, lies between bounds.

    ``size_below`` bounds the mean of the absolute differences, where those of either sign count.
    """

    def check(numbers: Numbers) -> Verdict:
        found = [float(a - b) for a, b in _pairs(numbers, first, second, measure)]
        if not found:
            return NO_NUMBERS
        mean, size = float(np.mean(found)), float(np.mean(np.abs(found)))
        told = f"{mean:+.2f} on average ({size:.2f} in size), {len(found)} rows"
        return Verdict(at_least <= mean < below and size < size_below, told)

    return check


def best_overall(
    column: str,
    measure: str,
    better: Literal["lower", "higher"],
    by: Literal["mean", "rank"] = "mean",
) -> Check:
    """One column is the best of all over all rows, by its mean or by its average rank.

    Only rows count in which every column has a number.
    """

    def check(numbers: Numbers) -> Verdict:
        rows, columns, values = complete_table(numbers, measure)
        if column not in columns or len(columns) < 2 or not rows:
            return NO_NUMBERS
        higher = better == "higher"
        if by == "rank":
            figures = average_ranks(tied(values), better="high" if higher else "low")
        else:
            figures = values.mean(axis=0)
        sign = 1.0 if higher and by == "mean" else -1.0
        own = figures[columns.index(column)]
        others = {c: f for c, f in zip(columns, figures) if c != column}
        rival = max(others, key=lambda name: sign * others[name])
        told = f"{own:.4g}; {rival} {others[rival]:.4g}, {by} over {len(rows)} rows"
        return Verdict(bool(sign * (others[rival] - own) <= ROUNDING * abs(own)), told)

    return check


def significantly_ahead(
    column: str,
    measure: str,
    better: Literal["lower", "higher"],
    rivals: Sequence[str],
    *,
    but: int = 0,
    level: float = 0.05,
) -> Check:
    """One column is better than each rival by Wilcoxon's test with Holm's correction, but for some.

    ``but`` is the number of rivals that it need not be ahead of.
    """

    def check(numbers: Numbers) -> Verdict:
        found = duels(numbers, column, measure, better, rivals)
        if not found:
            return NO_NUMBERS
        level_with = [one for one in found if not (one.ahead and one.corrected < level)]
        told = [
            f"{one.rival} ({one.wins}-{one.losses}, p {one.corrected:.2g})" for one in level_with
        ]
        not_ahead = f"; not {_few(told)}" if told else ""
        n = len(found)
        return Verdict(len(told) <= but, f"ahead of {n - len(told)} of {n}{not_ahead}")

    return check


def near_best(column: str, measure: str, better: Literal["lower", "higher"], slack: float) -> Check:
    """The mean of one column over the rows is at most ``slack`` worse than the best."""

    def check(numbers: Numbers) -> Verdict:
        rows, columns, values = complete_table(numbers, measure)
        if column not in columns or not rows:
            return NO_NUMBERS
        means = values.mean(axis=0)
        best_one = int(means.argmax() if better == "higher" else means.argmin())
        own = means[columns.index(column)]
        told = f"{own:.4g}; {columns[best_one]} {means[best_one]:.4g}, mean over {len(rows)} rows"
        return Verdict(bool(abs(own - means[best_one]) <= slack + ROUNDING), told)

    return check


def ordered(
    row: str,
    columns: Sequence[str],
    measure: str,
    x: Sequence[float],
    places: Sequence[float],
    unit: str = "",
) -> Check:
    """The curves of some columns of a row lie one above the other, from the lowest on; ties count.

    ``places`` are those to look at on the axis ``x``, which counts ``unit``; places at which one of
    the curves is unknown are left out.
    """

    def check(numbers: Numbers) -> Verdict:
        curves = [numbers.mean(row, column, measure) for column in columns]
        if any(curve is None for curve in curves):
            return Verdict(None, "not given as numbers")
        answers: dict[str, Answer] = {}
        for place in places:
            heights = np.array([curve[list(x).index(place)] for curve in curves])
            if np.isfinite(heights).all():
                answers[f"{unit} {place:g}".strip()] = bool((np.diff(heights) >= 0).all())
        return counted(answers)

    return check


def levelled(
    column: str, measure: str, x: Sequence[float], first: float, last: float, most: float
) -> Check:
    """From one place of its axis to another, a curve stays within ``most`` of its first point.

    Unknown points in between are left out, and rows whose first point is unknown.
    """
    start, stop = list(x).index(first), list(x).index(last) + 1

    def check(numbers: Numbers) -> Verdict:
        answers: dict[str, Answer] = {}
        for row in numbers.rows:
            curve = numbers.mean(row, column, measure)
            if curve is not None and np.isfinite(curve[start]):
                off = float(np.nanmax(np.abs(curve[start:stop] - curve[start])))
                answers[row] = bool(off <= most), f"{off:.3f} at most"
        return counted(answers)

    return check


def asked(
    needs: Iterable[tuple[str, str, str]], condition: Callable[..., Answer], unknown: str = ""
) -> Check:
    """A condition on numbers of several rows, for what the others cannot say.

    Parameters
    ----------
    needs : iterable of (row, column, measure)
        Numbers that must be known.
    condition : callable
        Called with them, in order; returns a bool, or a bool and a detail.
    unknown : str
        Detail where one is not known; it is named by default.

    Returns
    -------
    callable
    """
    keys = tuple(needs)

    def check(numbers: Numbers) -> Verdict:
        values = [numbers.mean(*key) for key in keys]
        missing = [key for key, value in zip(keys, values) if value is None]
        if missing:
            return Verdict(None, unknown or f"no number for {', '.join(missing[0])}")
        held, detail = _told(condition(*values))
        return Verdict(held, detail)

    return check


def counted(answers: Mapping[str, Answer], at_least: int | None = None) -> Verdict:
    """Verdict over rows: all of them, or as many as are asked for.

    Parameters
    ----------
    answers : mapping of str to bool, or to bool and detail
        What is said is the detail of the verdict if there is a single row.
    at_least : int, optional

    Returns
    -------
    Verdict

    Examples
    --------
    >>> counted({"wine": True, "glass": False})
    Verdict(held=False, detail='1 of 2 rows; not glass')
    >>> counted({"wine": True, "glass": False}, at_least=1).held
    True
    >>> counted({"wine": True}, at_least=2)
    Verdict(held=None, detail='only 1 row, 2 are spoken of')
    """
    if not answers:
        return NO_NUMBERS
    told = {row: _told(answer) for row, answer in answers.items()}
    n, good = len(told), sum(held for held, _ in told.values())
    if at_least is not None and at_least > n:
        return Verdict(None, f"only {n} row{'s' * (n > 1)}, {at_least} are spoken of")
    held = good >= (n if at_least is None else at_least)
    if n == 1:
        ((_, detail),) = told.values()
        return Verdict(held, detail)
    wrong = [row for row, (fine, _) in told.items() if not fine]
    but = f"; not {_few(wrong)}" if wrong else ""
    return Verdict(held, f"{good} of {n} rows{but}")


def _told(answer: Answer) -> tuple[bool, str]:
    held, detail = answer if isinstance(answer, tuple) else (answer, "")
    return bool(held), detail


def _pairs(
    numbers: Numbers, first: str, second: str, measure: str, rows: Sequence[str] = ()
) -> list[tuple[Any, Any]]:
    """Means of two columns in the rows that have both."""
    pairs = [
        (numbers.mean(row, first, measure), numbers.mean(row, second, measure))
        for row in rows or numbers.rows
    ]
    return [(a, b) for a, b in pairs if a is not None and b is not None]


def _few(names: Sequence[str], most: int = 4) -> str:
    shown = ", ".join(names[:most])
    return shown if len(names) <= most else f"{shown} and {len(names) - most} more"
