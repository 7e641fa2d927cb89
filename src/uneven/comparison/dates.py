"""Dates as people write them: ISO, day or month first, names of months, with or without a time.

Whether ``07/12/2020`` is in July or in December is decided by the column as a whole: one cell such
as ``16/12/2020`` settles it. If none does, other columns of the table may, then custom (days first
with points and dashes, months first with slashes), and a note says so.

Looked at before this was written: ``pandas.to_datetime`` takes the order from the first cell, and
with ``format="mixed"`` from each cell, so that one column may hold both; skrub's ``ToDatetime``
looks at up to 1000 cells, makes what does not fit a missing cell, and does not say where nothing
settled the order; pyarrow and polars parse one given format. Calendar arithmetic and ISO dates are
pandas'. Years of two digits are 1950 to 2049, unless a column of births would then lie in the
future; pandas and POSIX change the century at 69, so that 55 is 2055.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from uneven.comparison.datestyles import (
    ALSO,
    BY_NAME,
    EPOCH_DAYS,
    EPOCHS,
    ISO_PATTERN,
    LATEST_YEAR,
    MONTH_NUMBERS,
    MOST_WAYS,
    PATTERNS,
    SECONDS_PER_DAY,
    SHORT_YEARS,
    ZONES,
    DateStyle,
)

FAR_DATE = r"^(?P<year>\d{4})-(?P<month>\d{2})-(?P<day>\d{2})(?:[T ]00:00(?::00)?)?$"


def find_date_style(
    texts: pd.Series,
    prefer: str | None = None,
    by_name: Collection[str] = (),
    latest: int = LATEST_YEAR,
) -> DateStyle | None:
    """How dates are written, if all cells are dates, in at most `MOST_WAYS` ways.

    A cell that could be two days is decided by the others of its way. If none of them tells, and
    there are other ways, the column is not read as dates.

    Parameters
    ----------
    texts : Series of shape (n,)
        Different cells of a column, without blanks around them and without missing ones.
    prefer : {"dmy", "mdy"} or None
        Order in the other columns, where nothing in this one tells.
    by_name : collection of str
        Which of `BY_NAME` the name of the column allows.
    latest : int
        Last of the hundred years to which years of two digits belong.

    Returns
    -------
    DateStyle or None

    Examples
    --------
    >>> find_date_style(pd.Series(["07/12/2020", "16/12/2020"]))
    DateStyle(order='dmy', doubtful='', latest=None)
    >>> find_date_style(pd.Series(["07/12/2020"]))
    DateStyle(order='mdy', doubtful='07/12/2020', latest=None)
    >>> find_date_style(pd.Series(["24.12.55"])).latest
    2049
    >>> find_date_style(pd.Series(["13/01/2020", "01/13/2020"])) is None
    True
    >>> find_date_style(pd.Series(["13.1.2020", "2020-01-14"])).order
    'dmy + iso'
    """
    found: list[DateStyle] = []
    rest = texts
    while len(rest) and len(found) < MOST_WAYS:
        style, fits = _first_way(rest, prefer, by_name, latest)
        if style is None or (style.doubtful and (found or not fits.all())):
            return None
        found.append(style)
        rest = rest[~fits]
    if not found or len(rest):
        return None
    if len(found) == 1:
        return found[0]
    last = next((style.latest for style in found if style.latest is not None), None)
    return DateStyle(ALSO.join(style.order for style in found), latest=last)


def _first_way(
    texts: pd.Series, prefer: str | None, by_name: Collection[str], latest: int
) -> tuple[DateStyle | None, pd.Series]:
    """How the first cell is written, if it is a date, and which others are written so, too."""
    first = str(texts.iloc[0])
    if re.fullmatch(ISO_PATTERN, first):
        return DateStyle("iso"), texts.str.fullmatch(ISO_PATTERN)
    for order, pattern in PATTERNS.items():
        if order == "yymmdd" or (order in BY_NAME and order not in by_name):
            continue  # years of two digits in front are told from days below
        if not re.fullmatch(pattern, first):
            continue
        fits = texts.str.fullmatch(pattern)
        some = texts[fits]
        found = _order(some, prefer) if order == "numbers" else DateStyle(order)
        if found is not None and order in SHORT_YEARS:
            years = some.str.extract(f"^{pattern}$")["year"]
            found = replace(found, latest=latest if (years.str.len() == 2).any() else None)
        if order == "compact days first" and (some.str[:-6].astype(int) <= 12).all():
            return None, fits  # months may come first
        valid = found is not None and not np.isnan(parse_dates(some, found)).any()
        return (found if valid else None), fits
    return None, texts.isna()


def parse_dates(texts: pd.Series, style: DateStyle) -> NDArray[np.float64]:
    """Days since 1970, with fractions for times; NaN where a cell is no date of this style.

    Parameters
    ----------
    texts : Series of shape (n,)
    style : DateStyle

    Returns
    -------
    ndarray of shape (n,)

    Examples
    --------
    >>> parse_dates(pd.Series(["2.1.1970 12:00", "31.2.1970"]), DateStyle("dmy")).tolist()
    [1.5, nan]
    """
    if ALSO in style.order:
        found = np.full(len(texts), np.nan)
        for order in style.order.split(ALSO):
            open_ = np.isnan(found)
            found[open_] = parse_dates(texts[open_], replace(style, order=order))
        return found
    if style.order in EPOCHS:
        numbers = pd.to_numeric(texts, errors="coerce").to_numpy(np.float64)
        per_day, before = EPOCHS[style.order]
        return numbers / per_day - before
    if style.order == "iso":
        return _iso_days(texts)
    pattern = PATTERNS.get(style.order, PATTERNS["numbers"])
    parts = texts.astype(object).astype(str).str.extract(f"^{pattern}$")
    if "week" in parts:
        return _weeks(parts)
    return _days(parts, style) + _clock(parts)


def find_epoch(values: pd.Series, ways: Collection[str] = tuple(EPOCHS)) -> str | None:
    """The one of some ways in which numbers count moments, all of them of `EPOCH_DAYS`.

    Examples
    --------
    >>> find_epoch(pd.Series([1.7e9, 1.6e9])), find_epoch(pd.Series([44197, 43890]))
    ('seconds', 'serial')
    """
    numbers = pd.to_numeric(values, errors="coerce")
    for way in ways:
        per_day, before = EPOCHS[way]
        if len(numbers) and (numbers / per_day - before).between(*EPOCH_DAYS).all():
            return way
    return None


def days_since_1970(moments: pd.Series) -> NDArray[np.float64]:
    """Days from the first of January 1970, UTC, to each moment; NaN where there is none."""
    epoch = pd.Timestamp(0, tz="UTC").as_unit("us")
    fine = moments.dt.as_unit("us")
    return ((fine - epoch).dt.total_seconds() / SECONDS_PER_DAY).to_numpy(np.float64)


def _order(texts: pd.Series, prefer: str | None) -> DateStyle | None:
    """Whether days or months come first; None if the cells contradict each other."""
    parts = texts.str.extract(f"^{PATTERNS['numbers']}$")
    if _year_first(parts):
        return DateStyle("yymmdd", "" if prefer else str(texts.iloc[0]))
    first = pd.to_numeric(parts["first"]).max() > 12
    second = pd.to_numeric(parts["second_"]).max() > 12
    if first or second:
        return None if first and second else DateStyle("dmy" if first else "mdy")
    differ = pd.to_numeric(parts["first"]) != pd.to_numeric(parts["second_"])
    if (parts["mark"] == ".").all():
        return DateStyle("dmy")
    custom = "mdy" if (parts["mark"] == "/").any() else "dmy"
    doubtful = "" if prefer or not differ.any() else str(texts[differ].iloc[0])
    return DateStyle(prefer or custom, doubtful)


def _year_first(parts: pd.DataFrame) -> bool:
    """Whether two digits in front are a year: too large for a day, or few beside many behind."""
    if not (parts["year"].str.len() == 2).all() or (parts["mark"] == ".").any():
        return False
    front, behind = (pd.to_numeric(parts[name]) for name in ("first", "year"))
    if not parts["first"].str.len().eq(2).all() or not behind.between(1, 31).all():
        return False
    many = behind.nunique() >= 10 and behind.max() - behind.min() > 15
    return bool(front.max() > 31 or (many and front.max() > 12 and front.nunique() <= 7))


def _iso_days(texts: pd.Series) -> NDArray[np.float64]:
    """Days of ISO dates, also of years that pandas before 3 does not read, such as 9999."""
    moments = pd.to_datetime(texts, errors="coerce", utc=True, format="ISO8601")
    days, open_ = days_since_1970(moments).copy(), moments.isna().to_numpy()
    if open_.any():
        parts = texts[open_].astype(object).astype(str).str.extract(FAR_DATE)
        days[open_] = calendar_days(*(pd.to_numeric(parts[name]) for name in parts))
    return days


def calendar_days(year: ArrayLike, month: ArrayLike, day: ArrayLike) -> NDArray[np.float64]:
    """Days from the first of January 1970 to each date; NaN where there is no such day.

    Examples
    --------
    >>> calendar_days([1970, 2024, 2023], [1, 2, 2], 29).tolist()
    [28.0, 19782.0, nan]
    """
    given = (np.asarray(one, np.float64) for one in (year, month, day))
    year, month, day = np.broadcast_arrays(*given)
    known = (year >= 1.0) & (month >= 1.0) & (month <= 12.0) & (day >= 1.0)
    months = np.where(known, 12.0 * (year - 1970.0) + month - 1.0, 0.0).astype(np.int64)
    first, after = (
        (months + k).astype("datetime64[M]").astype("datetime64[D]").astype(np.float64)
        for k in (0, 1)
    )
    return np.where(known & (day <= after - first), first + day - 1.0, np.nan)


def _days(parts: pd.DataFrame, style: DateStyle) -> NDArray[np.float64]:
    """The days that years, months and days stand for; the first day of months and quarters."""
    if style.order in ("dmy", "mdy"):
        day, month = ("first", "second_") if style.order == "dmy" else ("second_", "first")
        parts = parts.assign(day=parts[day], month=parts[month])
    if "name" in parts:
        parts = parts.assign(month=parts["name"].str.lower().map(MONTH_NUMBERS))
    numbers: dict[str, Any] = {
        name: pd.to_numeric(parts[name], errors="coerce") if name in parts else 1.0
        for name in ("year", "month", "day")
    }
    for part, months in (("quarter", 3.0), ("half_year", 6.0)):
        if part in parts:
            numbers["month"] = months * (pd.to_numeric(parts[part]) - 1.0) + 1.0
    latest = LATEST_YEAR if style.latest is None else style.latest
    whole = latest - (latest - numbers["year"]) % 100
    numbers["year"] = numbers["year"].where(parts["year"].str.len() != 2, whole)
    return calendar_days(numbers["year"], numbers["month"], numbers["day"])


def _weeks(parts: pd.DataFrame) -> NDArray[np.float64]:
    """Days of ISO weeks, Monday if none is named; NaN for a week that the year does not have."""
    year, week = (pd.to_numeric(parts[name]).to_numpy(np.float64) for name in ("year", "week"))
    weekday = pd.to_numeric(parts["weekday"]).fillna(1.0) if "weekday" in parts else 1.0
    first, after = _first_monday(year), _first_monday(year + 1.0)
    found = (week >= 1.0) & (first + 7.0 * week <= after)
    return np.where(found, first + 7.0 * week - 8.0 + weekday, np.nan)


def _first_monday(years: NDArray[np.float64]) -> NDArray[np.float64]:
    """Days since 1970 of the Monday of the first ISO week, which holds the fourth of January."""
    fourth = calendar_days(years, 1.0, 4.0)
    return fourth - (fourth + 3.0) % 7.0


def _clock(parts: pd.DataFrame) -> NDArray[np.float64] | float:
    """The share of the day that has passed, in universal time."""
    if "hour" not in parts:
        return 0.0
    hour, minute = (
        pd.to_numeric(parts[name]).fillna(0).to_numpy(np.float64) for name in ("hour", "minute")
    )
    half = parts["half"].fillna("").str.lower().str[:1] if "half" in parts else ""
    hour = np.where(half == "p", hour % 12 + 12, np.where(half == "a", hour % 12, hour))
    second = pd.to_numeric(parts["second"].str.replace(",", ".")).fillna(0).to_numpy(np.float64)
    valid = (hour < 24) & (minute < 60) & (second < 61)
    seconds = 3600.0 * hour + 60.0 * minute + second - _seconds_ahead(parts["zone"])
    return np.where(valid, seconds / SECONDS_PER_DAY, np.nan)


def _seconds_ahead(zones: pd.Series) -> NDArray[np.float64]:
    """How far clocks of zones such as ``+0200`` are ahead of universal time."""
    named = zones.map({name: f"{hours:+d}" for name, hours in ZONES.items()}).astype(object)
    zones = named.where(named.notna(), zones)
    parts = zones.str.extract(r"([+-])(\d{1,2}):?(\d{2})?(?:\[.*)?$")
    hours, minutes = (pd.to_numeric(parts[j]).fillna(0.0).to_numpy(np.float64) for j in (1, 2))
    return np.where(parts[0] == "-", -1.0, 1.0) * (3600.0 * hours + 60.0 * minutes)
