"""Sentences about the tables of calls, as checks."""

from __future__ import annotations

import numpy as np
from scipy.stats import spearmanr

from uneven_published.claims import Check, asked
from uneven_published.koco.calls import ALL_VIEWS, VIEW_ROWS
from uneven_published.numbers import Numbers, Verdict

__all__ = ["chooses", "loses_less", "norm_follows_gmean", "rows_below", "wins"]

GROUPS = {"strong": ("users", "operators"), "minor": ("turns", "prosody", "entities")}
LOW, HIGH = ("view 1", "view 2"), ("view 3", "view 4", "view 5")
NONE = "no numbers"


def rows_below(column: str, measure: str) -> Check:
    """A column has lower values in the rows of the strong views than in those of the others."""

    def condition(*values: float) -> tuple[bool, str]:
        top, bottom = max(values[: len(LOW)]), min(values[len(LOW) :])
        return top < bottom, f"at most {top:.1f} and at least {bottom:.1f}"

    return asked([(row, column, measure) for row in LOW + HIGH], condition, NONE)


def loses_less(less: str, more: str, column: str) -> Check:
    """One row loses less than another when words are recognised."""

    def condition(*errors: float) -> tuple[bool, str]:
        first, second = errors[1] - errors[0], errors[3] - errors[2]
        return first < second, f"{first:.1f} and {second:.1f} points"

    needs = [(row, column, f"{c}.error") for row in (less, more) for c in ("gold", "asr")]
    return asked(needs, condition, NONE)


def chooses(method: str, others: tuple[str, ...], group: str, key: str, less: bool = True) -> Check:
    """A method chooses a group of views in a smaller (or larger) share of its rounds than others.

    ``key`` is "rounds" or "rate": what is counted.
    """
    views = tuple(VIEW_ROWS.values())

    def condition(*counts: float) -> tuple[bool, str]:
        of_method = [dict(zip(views, some)) for some in np.reshape(counts, (-1, len(views)))]
        own, *rest = (
            100 * sum(some[view] for view in GROUPS[group]) / sum(some.values())
            for some in of_method
        )
        held = own < min(rest) if less else own > max(rest)
        return bool(held), " | ".join(f"{share:.1f} %" for share in (own, *rest))

    needs = [(ALL_VIEWS, m, f"{key}.{view}") for m in (method, *others) for view in views]
    return asked(needs, condition, NONE)


def wins(
    method: str,
    rivals: tuple[str, ...],
    lower: tuple[str, ...],
    higher: tuple[str, ...],
    at_least: int,
) -> Check:
    """A method is the best, ties included, by enough of the measures."""

    def check(numbers: Numbers) -> Verdict:
        won = []
        for key in (*lower, *higher):
            sign = -1.0 if key in lower else 1.0
            values = [numbers.mean(ALL_VIEWS, m, key) for m in (method, *rivals)]
            if None in values:
                return Verdict(None, f"no numbers for {key}")
            if sign * values[0] >= max(sign * value for value in values):
                won.append(key)
        number = len(lower) + len(higher)
        return Verdict(len(won) >= at_least, f"{len(won)} of {number}: {', '.join(won)}")

    return check


def norm_follows_gmean(methods: tuple[str, ...]) -> Check:
    """Methods with a small G-mean have a large norm: rank correlation, mean of gold and ASR."""

    def condition(*values: float) -> tuple[bool, str]:
        gold, asr = (
            float(spearmanr(*columns).statistic)
            for columns in np.reshape(values, (2, 2, len(methods)))
        )
        return (gold + asr) / 2 < -0.5, f"rank correlations {gold:.2f} and {asr:.2f}"

    needs = [
        (ALL_VIEWS, m, f"{condition}.{key}")
        for condition in ("gold", "asr")
        for key in ("gmean", "norm")
        for m in methods
    ]
    return asked(needs, condition, NONE)
