"""How long a comparison may take, and when it starts no further work."""

from __future__ import annotations

import re
import time
from dataclasses import dataclass, field

from uneven.comparison.errors import InputError

_UNITS = {"": 1.0, "s": 1.0, "sec": 1.0, "m": 60.0, "min": 60.0, "h": 3600.0, "d": 86400.0}


def read_seconds(given: str | float | None) -> float | None:
    """A span of time in seconds.

    Parameters
    ----------
    given : str, float or None
        A number of seconds, or one with a unit: ``90s``, ``10m``, ``1.5h``, ``1h30m``.

    Returns
    -------
    float or None

    Raises
    ------
    InputError
        If it is no span above zero.

    Examples
    --------
    >>> read_seconds("10m"), read_seconds("1h30m"), read_seconds(2)
    (600.0, 5400.0, 2.0)
    """
    if given is None:
        return None
    text = str(given).strip().lower()
    parts = re.findall(r"([0-9]*\.?[0-9]+)\s*([a-z]*)\s*", text)
    whole = re.fullmatch(r"(?:[0-9]*\.?[0-9]+\s*[a-z]*\s*)+", text)
    known = whole and all(unit in _UNITS for _, unit in parts)
    seconds = sum(float(number) * _UNITS[unit] for number, unit in parts) if known else 0.0
    if not seconds > 0.0 or isinstance(given, bool):
        raise InputError(f"--time-limit {given}: give a span of time such as 90s, 10m or 1.5h.")
    return seconds


def in_words(seconds: float) -> str:
    """A span of time for people, in one or two units.

    Examples
    --------
    >>> in_words(42), in_words(160), in_words(3725)
    ('42 s', '3 min', '1 h 2 min')
    """
    if seconds < 90:
        return f"{seconds:.0f} s"
    minutes = round(seconds / 60)
    if minutes < 60:
        return f"{minutes} min"
    return f"{minutes // 60} h {minutes % 60} min" if minutes % 60 else f"{minutes // 60} h"


@dataclass
class Deadline:
    """A moment after which no further work begins.

    Attributes
    ----------
    seconds : float
        Counted from `begun`.
    begun : float
        When it was made, by ``time.perf_counter``.

    Examples
    --------
    >>> Deadline(60.0).allows(1.0), Deadline(60.0).allows(100.0)
    (True, False)
    """

    seconds: float
    begun: float = field(default_factory=time.perf_counter)

    def allows(self, needed: float = 0.0) -> bool:
        """Whether work that takes about so many seconds would end in time."""
        return time.perf_counter() - self.begun + needed < self.seconds
