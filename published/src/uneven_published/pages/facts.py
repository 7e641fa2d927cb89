"""What a record of a published table says, asked in the words of its pages.

A record is plain data, as `uneven_published.build_record` makes it and JSON holds it:
numbers are numbers, curves are lists, matrices are lists of lists, and what is unknown is None.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping
from statistics import median
from typing import Any, Literal

__all__ = [
    "STATUS",
    "Record",
    "authors",
    "command_of",
    "dates",
    "differences",
    "entries",
    "kind",
    "median_difference",
    "number",
    "run_cell",
    "run_kind",
    "versions",
    "versions_line",
    "was_run",
]

Record = Mapping[str, Any]
Kind = Literal["number", "curve", "matrix"]

STATUS = {"original": "original data", "substitute": "substitute", "impossible": "cannot be run"}
_KINDS: tuple[Kind, ...] = ("number", "curve", "matrix")


def number(value: Any) -> float:
    """A number; NaN for None and for anything else that is not one.

    Examples
    --------
    >>> number(0.5), number(None), number([1.0])
    (0.5, nan, nan)
    """
    return float(value) if isinstance(value, int | float) else math.nan


def entries(record: Record, measure: str) -> dict[tuple[str, str], Mapping[str, Any]]:
    """Values of a measure by row and column."""
    return {(v["row"], v["column"]): v for v in record["values"] if v["measure"] == measure}


def kind(record: Record, measure: str) -> Kind | None:
    """What the values of a measure are; None if there are none.

    Examples
    --------
    >>> value = {"row": "a", "column": "b", "measure": "m", "printed": None}
    >>> kind({"values": [value | {"measured": {"mean": [1.0, None]}}]}, "m")
    'curve'
    """
    depths = [
        _depth(side["mean"])
        for value in record["values"]
        if value["measure"] == measure
        for side in (value["printed"], value["measured"])
        if side is not None
    ]
    return _KINDS[min(max(depths), 2)] if depths else None


def differences(record: Record) -> list[float]:
    """All known differences between measured and printed means, in printed deviations."""
    return [one for value in record["values"] for one in _flat(value["apart"])]


def median_difference(record: Record) -> float:
    """Median size of the differences in printed deviations; NaN if none is known.

    Examples
    --------
    >>> median_difference({"values": [{"apart": -3.0}, {"apart": [1.0, None]}, {"apart": 2.0}]})
    2.0
    """
    sizes = [abs(one) for one in differences(record)]
    return median(sizes) if sizes else math.nan


def was_run(record: Record) -> bool:
    """Whether a cell is done."""
    return bool(record["measured"] and record["measured"]["cells"]["done"])


def run_kind(record: Record) -> str:
    """``full``, ``fast``, ``part of full`` or ``part of fast`` if cells lack, or ``not run``.

    Where a run was tried and did nothing, the reason follows.

    Examples
    --------
    >>> tried = {"cells": {"done": 0, "planned": 5}, "missing": {"Car": "no data"}, "failed": {}}
    >>> run_kind({"measured": tried})
    'not run: data missing'
    """
    measured = record["measured"]
    if not was_run(record):
        tried = measured or {"missing": {}, "failed": {}}
        lacking = ": data missing" if tried["missing"] else ""
        return f"not run{lacking or (': all cells failed' if tried['failed'] else '')}"
    cells = measured["cells"]
    partly = "part of " if cells["done"] < cells["planned"] else ""
    return partly + ("fast" if measured["fast"] else "full")


def run_cell(record: Record) -> str:
    """What a table says about the run: nothing about what cannot be run."""
    return "" if record["status"] == "impossible" else run_kind(record)


def authors(record: Record) -> str:
    """Authors and year of the source.

    Examples
    --------
    >>> authors({"document": {"citation": "A. Goyal and B. Else (2018), Votes, Journal"}})
    'A. Goyal and B. Else (2018)'
    """
    citation = str(record["document"]["citation"])
    found = re.match(r".*?\(\d{4}\)", citation)
    return found[0] if found else citation


def dates(record: Record) -> str:
    """Day of the measurement, or the first and the last one."""
    made = (record["measured"] or {}).get("made", [])
    days = sorted({str(one["date"])[:10] for one in made if one.get("date")})
    return " to ".join(dict.fromkeys((days[0], days[-1]))) if days else ""


def versions(record: Record) -> dict[str, str]:
    """Versions of packages that the cells were made with; several of one are joined."""
    found: dict[str, dict[str, None]] = {}
    for one in (record["measured"] or {}).get("made", []):
        for name, version in one.items():
            if name != "date":
                found.setdefault(name, {})[str(version)] = None
    return {name: " and ".join(some) for name, some in found.items()}


def versions_line(record: Record) -> str:
    """Versions in one line; empty if nothing was measured."""
    return ", ".join(f"{name} {version}" for name, version in versions(record).items())


def command_of(record: Record) -> str:
    """Command that runs the exhibit again as it was run."""
    fast = " --fast" if (record["measured"] or {}).get("fast") else ""
    return f"uneven reproduce {record['name']}{fast}"


def _depth(value: Any) -> int:
    return 1 + max(map(_depth, value), default=0) if isinstance(value, list) else 0


def _flat(value: Any) -> Iterator[float]:
    if isinstance(value, list):
        for one in value:
            yield from _flat(one)
    elif math.isfinite(number(value)):
        yield number(value)
