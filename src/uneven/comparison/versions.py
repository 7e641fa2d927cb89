"""Numbers of versions, of which ``1.10`` comes after ``1.9`` and is not 1.1.

pandas, pyarrow and polars take them for numbers wherever all have a single point.
"""

from __future__ import annotations

import re

import pandas as pd

VERSION_NAME = re.compile(
    r"(?:^|[\W_])(?i:versions?|ver|releases?|firmware|fw|build|revision|semver)(?:$|[\W_])"
    r"|[a-z](?:Version|Release|Firmware|Build|Revision)$"
)
"""Names of columns that may hold versions."""

VERSION = r"[vV]?\d{1,4}(?:\.\d{1,6}){0,4}"

MOST_MINOR, FILLED = 40, 0.6
"""What stands behind the points of versions counts from 0 or 1: small numbers with few gaps."""


def are_versions(name: str, cells: pd.Series) -> bool:
    """Whether cells are versions, and would lose their order or their names as numbers.

    Parameters
    ----------
    name : str
        Of the column.
    cells : Series of shape (n,)
        Different cells, without blanks around them and without missing ones.

    Examples
    --------
    >>> are_versions("app_version", pd.Series(["1.9", "1.11", "2.0.1"]))
    True
    >>> are_versions("x", pd.Series(["1.8", "1.9", "1.10", "1.11"]))
    True
    >>> are_versions("price", pd.Series(["2.5", "1.10", "4.75", "3"]))
    False
    """
    if not cells.str.fullmatch(VERSION).all():
        return False
    behind = cells.str.extract(r"\.(\d+)$")[0]
    digits = set(behind.dropna().str.len())
    points = cells.str.count(r"\.")
    if VERSION_NAME.search(name):
        return len(digits) > 1 or bool(points.max() > 1)
    if points.max() > 1:
        return bool(points.min() < points.max())
    return has_doubtful_zeros(cells) and (_counts(behind.dropna()) or _repeats(cells))


def has_doubtful_zeros(cells: pd.Series) -> bool:
    """Whether some cells such as ``1.10`` end in a zero that a number does not need.

    Numbers that are written with the same number of digits everywhere have no such zeros.

    Examples
    --------
    >>> has_doubtful_zeros(pd.Series(["1.5", "1.10"])), has_doubtful_zeros(pd.Series(["1.50"]))
    (True, False)
    """
    short = cells.str.fullmatch(r"\d{1,3}\.\d").any()
    return bool(short and cells.str.fullmatch(r"\d{1,3}\.[1-9]0").any())


def _counts(behind: pd.Series) -> bool:
    """Whether the numbers behind the points are counted, with few gaps."""
    numbers = set(behind[~behind.str.match("0.")].astype(int))
    return 10 <= max(numbers) <= MOST_MINOR and len(numbers) >= FILLED * (
        max(numbers) - min(numbers)
    )


def _repeats(cells: pd.Series) -> bool:
    """Whether most cells that end in such a zero stand beside the same number without it."""
    longer = cells[cells.str.fullmatch(r"\d{1,3}\.[1-9]0")]
    return bool(longer.str[:-1].isin(cells).mean() > 0.5)
