"""The result of an exhibit as plain data: what is written to JSON and what pages are made of.

The measured part is enough to make the rest again, so that a sentence of a description can be
mended without running anything.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from uneven_published.description import Exhibit
from uneven_published.numbers import Key, Measured, Summary, Value
from uneven_published.runner import Harvest
from uneven_published.significance import compare_columns, rank_columns

SCHEMA = 1
_DIGITS = 6


def build_record(exhibit: Exhibit, measured: Mapping[str, Any] | None) -> dict[str, Any]:
    """Everything about an exhibit: print, measurement, differences, tests, claims, notes.

    Parameters
    ----------
    exhibit : Exhibit
    measured : mapping or None
        From `measured_part`; None if nothing was run.

    Returns
    -------
    dict
        Plain numbers, texts, lists and dicts; "ranks" is there only if the exhibit asks for it.
    """
    numbers = _shown(_numbers(measured), exhibit)
    rows = _order(exhibit.rows, exhibit.printed.rows, numbers.rows)
    columns = _order(exhibit.columns, exhibit.printed.columns, numbers.columns)
    return {
        "schema": SCHEMA,
        "name": exhibit.name,
        "document": {"key": exhibit.document.key, "citation": exhibit.document.citation},
        "place": exhibit.place,
        "title": exhibit.title,
        "status": exhibit.status,
        "status_note": exhibit.status_note,
        "protocol": exhibit.protocol,
        "measures": [vars(measure) for measure in exhibit.measures],
        "rows": rows,
        "columns": columns,
        "values": _values(exhibit, numbers, rows, columns),
        "tests": [vars(one) for one in compare_columns(exhibit, numbers)],
        "test": None if exhibit.significance is None else _plain(vars(exhibit.significance)),
        "claims": [
            {
                "text": claim.text,
                "printed": _plain(vars(claim.check(exhibit.printed))),
                "measured": _plain(vars(claim.check(numbers))),
                "why": claim.why,
                **({"erratum": claim.erratum} if claim.erratum else {}),
            }
            for claim in exhibit.claims
        ],
        "plots": [_plain(vars(plot)) for plot in exhibit.plots],
        "errata": list(exhibit.errata),
        "explanation": exhibit.explanation,
        "measured": _plain(measured),
        **_ranks(exhibit, numbers),
    }


def measured_part(
    harvest: Harvest,
    *,
    fast: bool,
    missing: Mapping[str, str],
    failed: Mapping[str, str],
) -> dict[str, Any]:
    """What was measured, as plain data.

    Parameters
    ----------
    harvest : Harvest
    fast : bool
    missing : mapping of str to str
        Rows that could not be run, and why.
    failed : mapping of str to str
        Cells that ended with an error.

    Returns
    -------
    dict
    """
    return {
        "fast": fast,
        "cells": {"done": harvest.done, "planned": harvest.planned},
        "repeats": harvest.repeats,
        "seconds": round(harvest.seconds, 1),
        "made": [dict(one) for one in harvest.made],
        "missing": dict(missing),
        "failed": dict(failed),
        "values": [
            {
                "key": list(key),
                "n": summary.n,
                "mean": _rounded(summary.mean),
                "deviation": _rounded(summary.deviation),
                "samples": None if summary.samples is None else _rounded(summary.samples),
                "repeats": None if summary.repeats is None else summary.repeats.tolist(),
            }
            for key, summary in harvest.measured.values.items()
        ],
    }


def join_measured(new: Mapping[str, Any], earlier: Mapping[str, Any]) -> dict[str, Any]:
    """What finished cells hold, with numbers of earlier results whose cells are not at hand.

    Parameters
    ----------
    new, earlier : mapping
        From `measured_part`.

    Returns
    -------
    dict
        As ``new``. A number comes from the earlier results if it is missing or rests on fewer
        samples; "earlier" says how many do.

    Examples
    --------
    >>> one = {"key": ["wine", "A", "error"], "n": 5}
    >>> two = {"key": ["wine", "B", "error"], "n": 3}
    >>> part = {"values": [one], "repeats": {"wine": 5}, "made": [], "missing": {"glass": "why"}}
    >>> joined = join_measured(part, part | {"values": [two, one], "repeats": {"glass": 2}})
    >>> joined["earlier"], joined["repeats"], joined["missing"]
    (1, {'glass': 2, 'wine': 5}, {})
    """
    values = {tuple(one["key"]): one for one in new["values"]}
    kept = {
        tuple(one["key"]): one
        for one in earlier["values"]
        if one["n"] > values.get(tuple(one["key"]), {"n": 0})["n"]
    }
    if not kept:
        return dict(new)
    repeats = {**earlier["repeats"], **new["repeats"]}
    return {
        **new,
        "values": list((values | kept).values()),
        "earlier": len(kept),
        "repeats": {row: max(n, earlier["repeats"].get(row, 0)) for row, n in repeats.items()},
        "made": [*earlier["made"], *(one for one in new["made"] if one not in earlier["made"])],
        "missing": {row: why for row, why in new["missing"].items() if row not in repeats},
    }


def record_of(exhibit: Exhibit, kept: Mapping[str, Any]) -> dict[str, Any]:
    """A record made again from an older one, with today's description."""
    return build_record(exhibit, kept.get("measured"))


def _numbers(measured: Mapping[str, Any] | None) -> Measured:
    if not measured:
        return Measured()
    found: dict[Key, Summary] = {}
    for one in measured["values"]:
        samples, repeats = one["samples"], one.get("repeats")
        found[tuple(one["key"])] = Summary(
            _array(one["mean"]),
            _array(one["deviation"]),
            one["n"],
            None if samples is None else np.asarray(samples, dtype=np.float64),
            None if repeats is None else np.asarray(repeats, dtype=np.int64),
        )
    return Measured(found)


def _shown(numbers: Measured, exhibit: Exhibit) -> Measured:
    """What belongs to the exhibit, if its study serves others too."""
    rows, columns = exhibit.rows, exhibit.columns
    return Measured(
        {
            key: summary
            for key, summary in numbers.values.items()
            if (not rows or key[0] in rows) and (not columns or key[1] in columns)
        }
    )


def _ranks(exhibit: Exhibit, numbers: Measured) -> dict[str, Any]:
    if exhibit.ranking is None:
        return {}
    return {"ranks": [_plain(vars(one)) for one in rank_columns(exhibit, numbers)]}


def _values(
    exhibit: Exhibit, numbers: Measured, rows: list[str], columns: list[str]
) -> list[dict[str, Any]]:
    found = []
    for row in rows:
        for column in columns:
            for measure in exhibit.measures:
                key = (row, column, measure.key)
                printed, own = exhibit.printed.values.get(key), numbers.values.get(key)
                if printed is None and own is None:
                    continue
                found.append(
                    {
                        "row": row,
                        "column": column,
                        "measure": measure.key,
                        "printed": None if printed is None else _plain(vars(printed)),
                        "measured": None if own is None else _short(own),
                        "apart": _plain(_apart(printed, own)),
                    }
                )
    return found


def _apart(printed: Value | None, own: Summary | None) -> Any:
    """Measured minus printed mean, in printed deviations; None where that is unknown."""
    if printed is None or own is None or printed.deviation is None:
        return None
    if np.shape(printed.mean) != np.shape(own.mean):
        return None
    deviation = np.asarray(printed.deviation, dtype=np.float64)
    with np.errstate(divide="ignore", invalid="ignore"):
        apart = np.where(deviation > 0, (own.mean - printed.mean) / deviation, np.nan)
    return None if np.all(np.isnan(apart)) else _rounded(apart)


def _short(own: Summary) -> dict[str, Any]:
    return {"mean": _rounded(own.mean), "deviation": _rounded(own.deviation), "n": own.n}


def _order(*orders: tuple[str, ...]) -> list[str]:
    return list(dict.fromkeys(name for order in orders for name in order))


def _array(value: Any) -> Any:
    array = np.asarray(value, dtype=np.float64)
    return float(array) if array.ndim == 0 else array


def _rounded(value: Any) -> Any:
    """Numbers with six significant digits; NaN as None."""
    if isinstance(value, np.ndarray):
        return [_rounded(one) for one in value] if value.ndim else _rounded(float(value))
    return None if np.isnan(value) else float(f"{float(value):.{_DIGITS}g}")


def _plain(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {key: _plain(one) for key, one in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(one) for one in value]
    if isinstance(value, np.ndarray | np.generic):
        return _rounded(np.asarray(value))
    return None if isinstance(value, float) and np.isnan(value) else value
