"""Times of day and durations as people write them, in hours.

Looked at before this was written: ``pandas.to_timedelta`` reads ``1 days 02:30:00``, ``1h30m`` and
ISO durations, and refuses other languages, halves of the day, months and ``25:10``.
"""

from __future__ import annotations

import re

import numpy as np
import pandas as pd
from numpy.typing import NDArray

HOURS = "h:m"
"""Stands for hours where a column of numbers names its unit."""

LAPS = "m:s"
"""The same for times of races, ``1:25.207``, of which the first part are minutes."""

_HALF = r"(?P<half>[AaPp])\.?[Mm]\.?"
_TIME = (
    r"(?P<hour>\d{1,3})(?::|(?P<h>[hH])|(?P<dot>\.))(?P<minute>[0-5]\d)"
    r"(?::(?P<second>[0-5]\d(?:[.,]\d+)?))?"
)
CLOCK = rf"{_TIME} ?(?:{_HALF})?(?P<uhr> ?(?:Uhr|hrs?|h))?"
WHOLE_CLOCK = rf"(?P<hour>\d{{1,2}}) ?{_HALF}"
"""Nine in the morning: ``9:00``, ``9h00``, ``9.00 Uhr``, ``9:00 AM``; ``9 am``."""

PARTS = {
    "years": ("y|yrs?|years?|Jahre?n?|ans?|años?", 8766.0),
    "months": ("mos?|mon|mths?|months?|Monate?n?|mois|mes(?:es)?", 730.5),
    "weeks": ("w|wks?|weeks?|Wochen?|semaines?|semanas?", 168.0),
    "days": ("d|days?|Tage?n?|jours?|j|días?", 24.0),
    "hours": (r"h|hrs?|hours?|Std\.?|Stunden?|heures?|horas?", 1.0),
    "minutes": (r"m|mins?|minutes?|Min\.?|Minuten?|mn|minutos?", 1.0 / 60.0),
    "seconds": (r"s|secs?|seconds?|Sek\.?|Sekunden?|secondes?|segundos?", 1.0 / 3600.0),
}
_AND = r"(?:,? (?:(?:and|und|et|y) )?|,)?"
_SPAN = _AND.join(
    rf"(?:(?P<{part}>\d+(?:[.,]\d+)?) ?(?i:{words}))?" for part, (words, _) in PARTS.items()
)
_REST = r"(?P<rest>\d{1,2}:[0-5]\d:[0-5]\d(?:\.\d+)?)"
SPAN = rf"(?P<minus>-?){_SPAN}(?:(?:,? (?P<plus>\+?)|^){_REST})?"
ISO_SPAN = r"P(?:\d+W|(?:\d+D)?(?:T(?=\d)(?:\d+H)?(?:\d+M)?(?:\d+(?:\.\d+)?S)?)?)"
_SEVERAL = rf"\d ?(?i:{'|'.join(words for words, _ in PARTS.values())}),? ?(?:\w+ )?\+?\d|^P"
"""Two parts, as in ``1h 30m``: ``5 m`` alone may be metres."""
_MONTHS = rf"(?i)^(-?\d+ ?(?:{PARTS['years'][0]}){_AND}\d+ ?)m(?!\w)"
"""Years and an ``m``, as in ``2y 3m``: no minutes."""
_ALONE = r"(?i)^-?\d+ ?m$"
_LAP = r"(?:(?:(?P<hour>\d{1,2}):(?=\d\d:))?(?P<minute>\d{1,3}):(?=\d\d)|(?=\d+[.,]))"
_LAP += r"(?P<second>[0-5]?\d(?:[.,]\d{1,6})?)"


def are_hours(cells: pd.Series) -> bool:
    """Whether cells are times of day, or durations some of which have several parts.

    Parameters
    ----------
    cells : Series of shape (n,)
        Different cells of a column, without blanks around them and without missing ones.

    Examples
    --------
    >>> are_hours(pd.Series(["9:30", "1:15 PM"])), are_hours(pd.Series(["1h 30m", "45 min"]))
    (True, True)
    >>> are_hours(pd.Series(["45 m", "30 m"])), are_hours(pd.Series(["9.30", "1.15"]))
    (False, False)
    """
    if not re.match(r"-?\d|P", str(cells.iloc[0])):
        return False
    known = ~np.isnan(_clock_hours(cells))
    if known.all():
        return True
    if known.any() and not cells[known].str.contains(r":\d{2}:").all():
        return False
    if not cells.str.contains(_SEVERAL).any() or np.isnan(_span_hours(cells))[~known].any():
        return False
    months = bool((cells.str.replace(_MONTHS, "", regex=True) != cells).any())
    return not (months and cells.str.contains(_ALONE).any())  # is 11m beside 2y 3m a month?


def are_laps(cells: pd.Series) -> bool:
    """Whether cells are times of races, some of them with minutes and parts of seconds.

    Examples
    --------
    >>> are_laps(pd.Series(["1:25.207", "2:03", "59.8"])), are_laps(pd.Series(["1:25", "59.8"]))
    (True, False)
    """
    some = cells.str.contains(r"^\d{1,3}:[0-5]\d[.,]\d").any()
    return bool(some and not np.isnan(lap_hours(cells)).any())


def lap_hours(cells: pd.Series) -> NDArray[np.float64]:
    """Hours that times of races stand for; NaN where a cell is none.

    Examples
    --------
    >>> lap_hours(pd.Series(["1:30.0", "2:03", "59.4", "1:00:36.0"])).round(6).tolist()
    [0.025, 0.034167, 0.0165, 1.01]
    """
    parts = cells.str.extract(f"^{_LAP}$")
    hour, minute = (_numbers(parts[name].fillna("0")) for name in ("hour", "minute"))
    return hour + minute / 60.0 + _numbers(parts["second"]) / 3600.0


def clock_hours(cells: pd.Series) -> NDArray[np.float64]:
    """Hours that times of day or durations stand for; NaN where a cell is none.

    Examples
    --------
    >>> cells = ["9:30 PM", "08:15", "12:00 a.m.", "1h 30m", "10.30 Uhr", "1 day, 2:30:00"]
    >>> clock_hours(pd.Series(cells)).tolist()
    [21.5, 8.25, 0.0, 1.5, 10.5, 26.5]
    """
    hours = _clock_hours(cells)
    return np.where(np.isnan(hours), _span_hours(cells), hours)


def _clock_hours(cells: pd.Series) -> NDArray[np.float64]:
    parts = cells.str.extract(rf"^(?:{CLOCK})$")
    whole = cells.str.extract(rf"^{WHOLE_CLOCK}$")
    found = parts["hour"].notna()
    half = parts["half"].where(found, whole["half"]).str.lower()
    hour = _numbers(parts["hour"].where(found, whole["hour"]))
    noon = np.where(half == "p", 12.0, 0.0)
    hour = np.where(half.isna(), hour, np.where(hour < 13.0, hour % 12.0 + noon, np.nan))
    hour = np.where((parts["dot"].notna() & parts["uhr"].isna()).to_numpy(bool), np.nan, hour)
    minute, second = (_numbers(parts[name].fillna("0")) for name in ("minute", "second"))
    return hour + minute / 60.0 + second / 3600.0


def _span_hours(cells: pd.Series) -> NDArray[np.float64]:
    parts = cells.str.replace(_MONTHS, r"\1mo", regex=True).str.extract(f"^{SPAN}$")
    hours = np.zeros(len(cells))
    for part, (_, scale) in PARTS.items():
        hours += scale * _numbers(parts[part].fillna("0"))
    minus = (parts["minus"] == "-").to_numpy(bool)
    plus = (parts["plus"] == "+").to_numpy(bool)  # -1 days +22:30:00, as pandas writes it
    rest = _clock_hours(parts["rest"].fillna("0:00"))
    hours = np.where(minus & plus, rest - hours, np.where(minus, -1.0, 1.0) * (hours + rest))
    told = parts.drop(columns=["minus", "plus"]).notna().any(axis=1).to_numpy(bool)
    hours = np.where(told, hours, np.nan)
    iso = cells.str.fullmatch(ISO_SPAN).to_numpy(bool)
    if iso.any():
        spans = pd.to_timedelta(cells[iso], errors="coerce")
        hours[iso] = spans.dt.total_seconds().to_numpy(np.float64) / 3600.0
    return hours


def _numbers(texts: pd.Series) -> NDArray[np.float64]:
    plain = texts.astype(object).str.replace(",", ".", regex=False)
    return pd.to_numeric(plain, errors="coerce").to_numpy(np.float64, na_value=np.nan)
