"""Columns of a table compared over all its rows: means, average ranks, Friedman's test."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from uneven.metrics import average_ranks, critical_difference, friedman_test
from uneven_published.description import Exhibit
from uneven_published.numbers import Measured, complete_table

__all__ = ["Ranks", "rank_columns"]


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
        several = len(rows) > 1
        found.append(
            Ranks(
                key,
                rows,
                columns,
                values.mean(axis=0),
                average_ranks(values, better=better),
                friedman_test(values, better=better).pvalue if several else np.nan,
                critical_difference(len(columns), len(rows), rule.level) if several else np.nan,
                rule.level,
                several and key in rule.drawn,
            )
        )
    return found
