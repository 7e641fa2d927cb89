"""Sentences about the tables of calls, as checks."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.stats import spearmanr

from uneven_published.koco.calls import ALL_VIEWS, VIEW_ROWS
from uneven_published.numbers import Numbers, Verdict

__all__ = ["Chooses", "LosesLess", "NormFollowsGmean", "RowsBelow", "Wins"]

GROUPS = {"strong": ("users", "operators"), "minor": ("turns", "prosody", "entities")}


@dataclass(frozen=True)
class RowsBelow:
    """A column has lower values in some rows than in others.

    Attributes
    ----------
    column, measure : str
    low, high : tuple of str
        Rows.
    """

    column: str
    measure: str
    low: tuple[str, ...] = ("view 1", "view 2")
    high: tuple[str, ...] = ("view 3", "view 4", "view 5")

    def __call__(self, numbers: Numbers) -> Verdict:
        """Compare the largest of one side with the smallest of the other."""
        sides = [
            [numbers.mean(row, self.column, self.measure) for row in rows]
            for rows in (self.low, self.high)
        ]
        if None in sides[0] + sides[1]:
            return Verdict(None, "no numbers")
        top, bottom = max(sides[0]), min(sides[1])
        return Verdict(bool(top < bottom), f"at most {top:.1f} and at least {bottom:.1f}")


@dataclass(frozen=True)
class LosesLess:
    """One row loses less than another when words are recognised.

    Attributes
    ----------
    less, more : str
        Rows.
    column : str
    """

    less: str
    more: str
    column: str

    def __call__(self, numbers: Numbers) -> Verdict:
        """Compare the losses from gold to ASR."""
        losses = []
        for row in (self.less, self.more):
            pair = [numbers.mean(row, self.column, f"{c}.error") for c in ("gold", "asr")]
            if None in pair:
                return Verdict(None, "no numbers")
            losses.append(pair[1] - pair[0])
        said = f"{losses[0]:.1f} and {losses[1]:.1f} points"
        return Verdict(bool(losses[0] < losses[1]), said)


@dataclass(frozen=True)
class Chooses:
    """A method chooses a group of views in a smaller (or larger) share of its rounds.

    Attributes
    ----------
    method : str
    others : tuple of str
    group : {"strong", "minor"}
    key : {"rounds", "rate"}
    less : bool
        Whether in a smaller share than all others; else in a larger one.
    """

    method: str
    others: tuple[str, ...]
    group: str
    key: str
    less: bool = True

    def __call__(self, numbers: Numbers) -> Verdict:
        """Add up."""
        shares = [self._share(numbers, name) for name in (self.method, *self.others)]
        if None in shares:
            return Verdict(None, "no numbers")
        own, *rest = (100 * share for share in shares if share is not None)
        held = own < min(rest) if self.less else own > max(rest)
        return Verdict(bool(held), " | ".join(f"{share:.1f} %" for share in (own, *rest)))

    def _share(self, numbers: Numbers, method: str) -> float | None:
        counts = {
            view: numbers.mean(ALL_VIEWS, method, f"{self.key}.{view}")
            for view in VIEW_ROWS.values()
        }
        if None in counts.values():
            return None
        return float(sum(counts[view] for view in GROUPS[self.group]) / sum(counts.values()))


@dataclass(frozen=True)
class Wins:
    """A method is the best, ties included, by enough of the measures.

    Attributes
    ----------
    method : str
    rivals : tuple of str
    lower, higher : tuple of str
        Measures by what is better.
    at_least : int
    """

    method: str
    rivals: tuple[str, ...]
    lower: tuple[str, ...]
    higher: tuple[str, ...]
    at_least: int

    def __call__(self, numbers: Numbers) -> Verdict:
        """Count the measures."""
        won = []
        for key in (*self.lower, *self.higher):
            sign = -1.0 if key in self.lower else 1.0
            values = [numbers.mean(ALL_VIEWS, m, key) for m in (self.method, *self.rivals)]
            if None in values:
                return Verdict(None, f"no numbers for {key}")
            if sign * values[0] >= max(sign * value for value in values):
                won.append(key)
        number = len(self.lower) + len(self.higher)
        return Verdict(len(won) >= self.at_least, f"{len(won)} of {number}: {', '.join(won)}")


@dataclass(frozen=True)
class NormFollowsGmean:
    """Methods with a small G-mean have a large norm.

    Attributes
    ----------
    methods : tuple of str
    """

    methods: tuple[str, ...]

    def __call__(self, numbers: Numbers) -> Verdict:
        """Rank correlation over methods, averaged over gold and ASR."""
        found = []
        for condition in ("gold", "asr"):
            columns = [
                [numbers.mean(ALL_VIEWS, m, f"{condition}.{key}") for m in self.methods]
                for key in ("gmean", "norm")
            ]
            if None in columns[0] + columns[1]:
                return Verdict(None, "no numbers")
            found.append(float(spearmanr(*columns).statistic))
        mean = float(np.mean(found))
        return Verdict(mean < -0.5, f"rank correlations {found[0]:.2f} and {found[1]:.2f}")
