"""Average ranks of a record: the lines, sentences and pictures that they become."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from uneven_published.pages.facts import Record, number

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
