"""Average ranks of a record: the lines, sentences and pictures that they become."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from uneven.report.published.facts import Record, number

__all__ = ["drawn_ranks", "over_rows", "rank_sentences", "ranks_of"]

Ranks = Mapping[str, Any]


def ranks_of(record: Record, measure: str) -> Ranks | None:
    """Ranks by a measure; None if the exhibit does not ask for them or they cannot be told."""
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
    """Average ranks by measure, best first, with the test.

    Parameters
    ----------
    record : mapping

    Returns
    -------
    list of str

    Examples
    --------
    >>> ranks = {"measure": "error", "rows": ["x", "y"], "columns": ["A", "B"], "ranks": [2.0, 1.0],
    ...          "p": 0.03, "difference": 1.386, "level": 0.05}
    >>> measures = [{"key": "error", "title": "test error"}]
    >>> rank_sentences({"ranks": [ranks], "measures": measures})
    ['Average ranks by test error: B 1.00, A 2.00. Friedman: p = 0.03. Critical difference (Nemenyi,
    level 0.05): 1.39. Over 2 rows.']
    """
    titles = {measure["key"]: measure["title"] for measure in record["measures"]}
    return [_sentence(one, titles[one["measure"]]) for one in record.get("ranks", ())]


def _sentence(ranks: Ranks, title: str) -> str:
    order = sorted(zip(ranks["ranks"], ranks["columns"]), key=lambda pair: pair[0])
    told = [f"Average ranks by {title}: {', '.join(f'{c} {rank:.2f}' for rank, c in order)}."]
    if math.isfinite(number(ranks["p"])):
        level, far = ranks["level"], ranks["difference"]
        told.append(f"Friedman: p = {ranks['p']:.2g}.")
        told.append(f"Critical difference (Nemenyi, level {level:g}): {far:.2f}.")
    n = len(ranks["rows"])
    told.append(f"Over {n} row{'s' * (n > 1)}.")
    return " ".join(told)
