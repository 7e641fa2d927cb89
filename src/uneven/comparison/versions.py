"""Numbers of versions, of which ``1.10`` comes after ``1.9`` and is not 1.1.

pandas, pyarrow and polars take them for numbers wherever all have a single point.
"""

from __future__ import annotations

import re

import pandas as pd

VERSION_NAME = re.compile(
    r"(?:^|[\W_])(?i:versions?|ver|firmware|fw|semver)(?:$|[\W_])"
    r"|[a-z](?:Version|Firmware)$"
)
"""Names of columns that may hold versions."""

VERSION = r"[vV]?\d{1,4}(?:\.\d{1,6}){0,4}"
THOUSANDS = r"\d{1,3}(?:\.\d{3})*"

MOST_MINOR, FILLED = 40, 0.6
"""What stands behind the points of versions is counted: small numbers with few gaps."""

NEEDLESS = r"[0-9]{1,3}\.[1-9]0"
"""A zero at the end, which no number needs and which makes another version."""

SHORT = r"[0-9]{1,3}\.[0-9]"


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
    if not cells.str.fullmatch(VERSION).all() or cells.str.fullmatch(THOUSANDS).all():
        return False
    points = cells.str.count(r"\.")
    if VERSION_NAME.search(name):
        digits = cells.str.extract(r"\.(\d+)$")[0].dropna().str.len()
        return bool(digits.nunique() > 1 or points.max() > 1)
    if points.max() > 1:
        return bool(points.min() < points.max())
    return has_doubtful_zeros(cells) and _are_counted(cells)


def has_doubtful_zeros(cells: pd.Series) -> bool:
    """Whether some cells such as ``1.10`` end in a zero that a number does not need.

    Numbers that are written with the same number of digits everywhere have no such zeros.

    Examples
    --------
    >>> has_doubtful_zeros(pd.Series(["1.5", "1.10"])), has_doubtful_zeros(pd.Series(["1.50"]))
    (True, False)
    """
    return bool(cells.str.fullmatch(SHORT).any() and cells.str.fullmatch(NEEDLESS).any())


def _are_counted(cells: pd.Series) -> bool:
    """Whether the numbers behind the same first number count on, with few gaps."""
    parts = cells.str.extract(r"^[vV]?(?P<first>\d+)\.(?P<second>0|[1-9]\d*)$").dropna()
    steps = parts["second"].astype(int).groupby(parts["first"]).agg(["min", "max", "nunique"])
    span = int((steps["max"] - steps["min"]).sum())
    counted = int((steps["nunique"] - 1).sum())
    return bool(10 <= steps["max"].max() <= MOST_MINOR) and counted >= max(FILLED * span, 1)
