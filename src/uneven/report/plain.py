"""Dataclasses as nested dicts that JSON can hold, and back."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import fields
from typing import Any

__all__ = ["check_square", "known_fields", "with_nan", "without_nan"]


def known_fields(cls: type, raw: Mapping[str, Any]) -> dict[str, Any]:
    """Entries of ``raw`` that are fields of the dataclass ``cls``."""
    return {f.name: raw[f.name] for f in fields(cls) if f.name in raw}


def check_square(matrix: Sequence[Sequence[float]], size: int, what: str) -> None:
    """Refuse a nested list that is not square, with one row and one column per class."""
    if {len(matrix), *map(len, matrix)} != {size}:
        raise ValueError(
            f"{what} must be {size} x {size} (one row and one column per class), "
            f"got {len(matrix)} rows."
        )


def with_nan(values: Sequence[float | None]) -> list[float]:
    """Copy of a list of numbers in which None is NaN.

    Examples
    --------
    >>> with_nan([1.0, None])
    [1.0, nan]
    """
    return [math.nan if v is None else v for v in values]


def without_nan(value: Any) -> Any:
    """Copy of nested dicts and lists in which numbers JSON cannot hold are None.

    Examples
    --------
    >>> without_nan({"a": (1.0, float("nan"))})
    {'a': [1.0, None]}
    """
    if isinstance(value, dict):
        return {str(k): without_nan(v) for k, v in value.items()}
    if isinstance(value, list | tuple):
        return [without_nan(v) for v in value]
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value
