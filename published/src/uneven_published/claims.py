"""Ways to check a sentence about a table: they read printed and measured numbers alike."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from uneven.metrics import average_ranks
from uneven_published.numbers import Numbers, Verdict, complete_table

__all__ = [
    "Alike",
    "Asked",
    "Average",
    "Best",
    "BestOverall",
    "Compare",
    "Shrinks",
    "Within",
    "counted",
]

ROUNDING = 1e-12
"""Means over rows that differ by less are equal."""


@dataclass(frozen=True)
class Compare:
    """One column is below (or above) another in every row, or in enough of them.

    Attributes
    ----------
    first, second : str
        Columns.
    measure : str
    sign : {"<", "<=", ">", ">="}
    rows : tuple of str
        All that have both numbers, if empty.
    at_least : int or None
        In how many rows; in all of them if None.
    """

    first: str
    second: str
    measure: str
    sign: Literal["<", "<=", ">", ">="] = "<"
    rows: tuple[str, ...] = ()
    at_least: int | None = None

    def __call__(self, numbers: Numbers) -> Verdict:
        """Count the rows."""
        outcome, said = {}, {}
        for row in self.rows or numbers.rows:
            a = numbers.mean(row, self.first, self.measure)
            b = numbers.mean(row, self.second, self.measure)
            if a is not None and b is not None:
                outcome[row], said[row] = _holds(a, self.sign, b), f"{a:.4g} and {b:.4g}"
        return counted(outcome, self.at_least, said)


@dataclass(frozen=True)
class Best:
    """One column is the best of its row, ties included.

    Attributes
    ----------
    column : str
    measure : str
    better : {"lower", "higher"}
    among : tuple of str
        Rivals; all columns if empty.
    rows : tuple of str
    at_least : int or None
    """

    column: str
    measure: str
    better: Literal["lower", "higher"]
    among: tuple[str, ...] = ()
    rows: tuple[str, ...] = ()
    at_least: int | None = None

    def __call__(self, numbers: Numbers) -> Verdict:
        """Count the rows."""
        sign = -1.0 if self.better == "lower" else 1.0
        rivals = [column for column in self.among or numbers.columns if column != self.column]
        outcome, said = {}, {}
        for row in self.rows or numbers.rows:
            own = numbers.mean(row, self.column, self.measure)
            others = (numbers.mean(row, rival, self.measure) for rival in rivals)
            known = [other for other in others if other is not None]
            if own is not None and known:
                best = max(known, key=lambda other: sign * other)
                outcome[row] = bool(sign * own >= sign * best)
                said[row] = f"{own:.4g}; best of the others {best:.4g}"
        return counted(outcome, self.at_least, said)


@dataclass(frozen=True)
class Average:
    """The mean of one column over the rows is below (or above) that of another, or near it.

    Attributes
    ----------
    first, second : str
    measure : str
    sign : {"<", "<=", ">", ">="}
    rows : tuple of str
        All that have both numbers, if empty.
    share, slack : float
        The other mean is multiplied by the one and the other is added to it.
    """

    first: str
    second: str
    measure: str
    sign: Literal["<", "<=", ">", ">="] = "<"
    rows: tuple[str, ...] = ()
    share: float = 1.0
    slack: float = 0.0

    def __call__(self, numbers: Numbers) -> Verdict:
        """Compare the means over the rows that both have."""
        pairs = [
            (numbers.mean(r, self.first, self.measure), numbers.mean(r, self.second, self.measure))
            for r in self.rows or numbers.rows
        ]
        known = [pair for pair in pairs if None not in pair]
        if not known:
            return Verdict(None, "no numbers")
        a, b = np.mean(known, axis=0)
        rows = f"{len(known)} row{'s' * (len(known) > 1)}"
        held = _holds(a, self.sign, self.share * b + self.slack)
        return Verdict(held, f"{a:.4g} and {b:.4g}, mean of {rows}")


@dataclass(frozen=True)
class BestOverall:
    """One column is the best of all over all rows, by its mean or by its average rank.

    Only rows count in which every column has a number.

    Attributes
    ----------
    column : str
    measure : str
    better : {"lower", "higher"}
    by : {"mean", "rank"}
    """

    column: str
    measure: str
    better: Literal["lower", "higher"]
    by: Literal["mean", "rank"] = "mean"

    def __call__(self, numbers: Numbers) -> Verdict:
        """Compare it with the best of the others."""
        rows, columns, values = complete_table(numbers, self.measure)
        if self.column not in columns or len(columns) < 2 or not rows:
            return Verdict(None, "no numbers")
        higher = self.better == "higher"
        if self.by == "rank":
            figures = average_ranks(values, better="high" if higher else "low")
        else:
            figures = values.mean(axis=0)
        sign = 1.0 if higher and self.by == "mean" else -1.0
        own = figures[columns.index(self.column)]
        others = {c: f for c, f in zip(columns, figures) if c != self.column}
        rival = max(others, key=lambda column: sign * others[column])
        told = f"{own:.4g}; {rival} {others[rival]:.4g}, {self.by} over {len(rows)} rows"
        behind = sign * (others[rival] - own)
        return Verdict(bool(behind <= ROUNDING * abs(own)), told)


@dataclass(frozen=True)
class Shrinks:
    """One column is at most a share of another in every row.

    Attributes
    ----------
    first, second : str
        Columns.
    measure : str
    share : float
        Largest quotient of the first and the second.
    rows : tuple of str
        All that have both numbers, if empty.
    """

    first: str
    second: str
    measure: str
    share: float
    rows: tuple[str, ...] = ()

    def __call__(self, numbers: Numbers) -> Verdict:
        """Count the rows."""
        outcome, said = {}, {}
        for row in self.rows or numbers.rows:
            a = numbers.mean(row, self.first, self.measure)
            b = numbers.mean(row, self.second, self.measure)
            if a is not None and b is not None:
                outcome[row], said[row] = bool(a <= self.share * b), f"{a:.4g} and {b:.4g}"
        return counted(outcome, said=said)


@dataclass(frozen=True)
class Alike:
    """Two columns differ little in every row, by one or several measures.

    Attributes
    ----------
    first, second : str
    most : mapping of str to float
        Largest difference by measure.
    rows : tuple of str
        All that have both numbers, if empty.
    """

    first: str
    second: str
    most: Mapping[str, float]
    rows: tuple[str, ...] = ()

    def __call__(self, numbers: Numbers) -> Verdict:
        """Count rows and measures."""
        outcome, said = {}, {}
        for row in self.rows or numbers.rows:
            for measure, most in self.most.items():
                pair = [numbers.mean(row, column, measure) for column in (self.first, self.second)]
                if None not in pair:
                    name = row if len(self.most) == 1 else f"{row} ({measure})"
                    outcome[name] = bool(abs(pair[0] - pair[1]) <= most)
                    said[name] = f"{pair[0]:.4g} and {pair[1]:.4g}"
        return counted(outcome, said=said)


@dataclass(frozen=True)
class Within:
    """A number of a column lies between two bounds in every row, or in enough of them.

    Attributes
    ----------
    column : str
    measure : str
    low, high : float
    rows : tuple of str
    at_least : int or None
    """

    column: str
    measure: str
    low: float = -np.inf
    high: float = np.inf
    rows: tuple[str, ...] = ()
    at_least: int | None = None

    def __call__(self, numbers: Numbers) -> Verdict:
        """Count the rows."""
        means = {r: numbers.mean(r, self.column, self.measure) for r in self.rows or numbers.rows}
        outcome = {r: bool(self.low <= v <= self.high) for r, v in means.items() if v is not None}
        return counted(outcome, self.at_least, {row: f"{means[row]:.4g}" for row in outcome})


@dataclass(frozen=True)
class Asked:
    """A condition in words of Python, for what the others cannot say.

    Attributes
    ----------
    needs : tuple of (row, column, measure)
        Numbers that must be known.
    condition : callable
        Called with them, in order; returns a bool, or a bool and a detail.
    """

    needs: tuple[tuple[str, str, str], ...]
    condition: Callable[..., bool | tuple[bool, str]]

    def __call__(self, numbers: Numbers) -> Verdict:
        """Ask if everything is known."""
        values = [numbers.mean(*key) for key in self.needs]
        missing = [key for key, value in zip(self.needs, values) if value is None]
        if missing:
            return Verdict(None, f"no number for {', '.join(missing[0])}")
        answer = self.condition(*values)
        held, detail = answer if isinstance(answer, tuple) else (answer, "")
        return Verdict(bool(held), detail)


def counted(
    outcome: Mapping[str, bool],
    at_least: int | None = None,
    said: Mapping[str, str] | None = None,
) -> Verdict:
    """Verdict over rows: all of them, or as many as are asked for.

    Parameters
    ----------
    outcome : mapping of str to bool
    at_least : int, optional
    said : mapping of str to str, optional
        The detail if there is a single row.

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
    if not outcome:
        return Verdict(None, "no numbers")
    n, good = len(outcome), sum(outcome.values())
    if at_least is not None and at_least > n:
        return Verdict(None, f"only {n} row{'s' * (n > 1)}, {at_least} are spoken of")
    held = good >= (n if at_least is None else at_least)
    if n == 1:
        (row,) = outcome
        return Verdict(held, (said or {}).get(row, ""))
    wrong = [row for row, fine in outcome.items() if not fine]
    but = f"; not {_few(wrong)}" if wrong else ""
    return Verdict(held, f"{good} of {n} rows{but}")


def _few(names: Sequence[str], most: int = 4) -> str:
    shown = ", ".join(names[:most])
    return shown if len(names) <= most else f"{shown} and {len(names) - most} more"


def _holds(a: Any, sign: str, b: Any) -> bool:
    if sign in ("<=", ">="):
        return bool(a <= b if sign == "<=" else a >= b)
    return bool(a < b if sign == "<" else a > b)
