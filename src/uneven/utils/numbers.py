"""Numbers as a reader wants them."""

from __future__ import annotations

import math

__all__ = ["count", "decimal", "percent", "plus_minus", "seconds", "whole_percent"]

NOTHING = "–"


def decimal(value: float, digits: int = 3) -> str:
    """Fixed number of decimals; a dash for what is not a number.

    Examples
    --------
    >>> decimal(0.12345), decimal(float("nan")), decimal(-0.00001)
    ('0.123', '–', '0.000')
    """
    if not math.isfinite(value):
        return NOTHING
    return f"{round(value, digits) + 0.0:.{digits}f}".replace("-", "−")


def plus_minus(centre: float, width: float, digits: int = 3) -> str:
    """Mean and spread.

    Examples
    --------
    >>> plus_minus(0.5, 0.01), plus_minus(0.5, float("nan"))
    ('0.500 ± 0.010', '0.500')
    """
    if not math.isfinite(width) or not math.isfinite(centre):
        return decimal(centre, digits)
    return f"{decimal(centre, digits)} ± {decimal(width, digits)}"


def percent(share: float, digits: int = 0) -> str:
    """Share between 0 and 1 as percent; small but present shares are not shown as none.

    Examples
    --------
    >>> percent(0.256), percent(0.0004), percent(0.0), percent(float("nan"))
    ('26 %', '<1 %', '0 %', '–')
    """
    if not math.isfinite(share):
        return NOTHING
    shown = f"{100 * share:.{digits}f}"
    if share > 0 and float(shown) == 0:
        return f"<{10**-digits:g} %"
    return f"{shown} %"


def whole_percent(share: float) -> str:
    """Share between 0 and 1 as a bare number of percent, for the cells of a table.

    Examples
    --------
    >>> whole_percent(0.256), whole_percent(float("nan"))
    ('26', '–')
    """
    return f"{100 * share:.0f}" if math.isfinite(share) else NOTHING


def seconds(value: float) -> str:
    """Duration with a unit that suits its size.

    Examples
    --------
    >>> seconds(0.0123), seconds(2.345), seconds(150)
    ('12 ms', '2.3 s', '2.5 min')
    """
    if not math.isfinite(value):
        return NOTHING
    if value < 0.9995:
        return f"{1000 * value:.0f} ms"
    return f"{value:.1f} s" if value < 100 else f"{value / 60:.1f} min"


def count(value: float) -> str:
    """Whole number with thin spaces between thousands.

    Examples
    --------
    >>> count(12345.0) == "12\N{NARROW NO-BREAK SPACE}345"
    True
    """
    return f"{value:,.0f}".replace(",", "\N{NARROW NO-BREAK SPACE}")
