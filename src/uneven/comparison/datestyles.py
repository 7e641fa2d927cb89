"""Ways of writing a date: their names, their patterns, and the one that a column has.

Nothing here needs pandas, so that a wrong name in a schema file is refused at once.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

MONTHS = (
    "jan januar january janvier enero gennaio jän jänner ene gen janeiro januari stycznia styczeń"
    " января янв",
    "feb februar february février fevrier febrero febbraio fév fev fevereiro februari lutego luty"
    " февраля фев",
    "mar märz maerz march mars marzo mär mrz março maart mrt marts marca marzec марта мар",
    "apr april avril abril aprile avr abr kwietnia kwiecień апреля апр",
    "may mai mayo maggio mag maio mei maj maja мая май",
    "jun juni june juin junio giugno giu junho czerwca czerwiec июня июн",
    "jul juli july juillet julio luglio juil lug julho lipca lipiec июля июл",
    "aug august août aout agosto ago augustus augusti sierpnia sierpień августа авг",
    "sep september septembre septiembre settembre sept set setembro września wrzesień сентября сен",
    "oct oktober october octobre octubre ottobre okt ott out outubro października październik"
    " октября окт",
    "nov november novembre noviembre novembro listopada listopad ноября ноя",
    "dec dezember december décembre decembre diciembre dicembre dez déc dic dezembro des grudnia"
    " grudzień декабря дек",
)
MONTH_NUMBERS = {name: m for m, names in enumerate(MONTHS, start=1) for name in names.split()}
SECONDS_PER_DAY = 86400.0
MOST_WAYS = 3
"""So many ways of writing dates are told apart in one column."""

LATEST_YEAR = 2049
"""Years of two digits are the hundred years that end here."""

_WEEKDAYS = (
    "mon monday tue tues tuesday wed wednesday thu thur thurs thursday fri friday sat saturday sun"
    " sunday mo di mi do fr sa so montag dienstag mittwoch donnerstag freitag samstag sonnabend"
    " sonntag lun lundi mar mardi mer mercredi jeu jeudi ven vendredi sam samedi dim dimanche lunes"
    " martes mié miércoles jue jueves vie viernes sáb sábado dom domingo lunedì martedì mercoledì"
    " giovedì gio venerdì sabato sab domenica ma wo vr za zo seg ter qua qui sex segunda terça"
)
_WEEKDAY = rf"(?:(?i:{'|'.join(_WEEKDAYS.split())})\.?,? +)?"
ZONES = {
    **{"CET": 1, "MEZ": 1, "CEST": 2, "MESZ": 2, "BST": 1, "EET": 2, "EEST": 3, "MSK": 3, "JST": 9},
    **{"EST": -5, "EDT": -4, "CST": -6, "CDT": -5, "MST": -7, "MDT": -6, "PST": -8, "PDT": -7},
}
"""Hours by which clocks are ahead of universal time."""

_ZONE = (
    rf"(?P<zone>(?:Z|{'|'.join(ZONES)}|(?:UTC|GMT)?(?:[+-]\d{{1,2}}(?::?\d{{2}})?)?)"
    r"(?:\[[A-Za-z/_]+\])?)"
)
_TIME = (
    r"(?P<hour>\d{1,2})[:h.](?P<minute>\d{2})"
    r"(?:[:.](?P<second>\d{2}(?:[.,]\d+)?))?"
    r"\s*(?P<half>(?:[AaPp]\.?[Mm]\.?)?)(?: ?(?:Uhr|hrs?|h))?"
)
_CLOCK = rf"(?:(?:[T ,:]+|,? (?:at|à|um|om|kl\.?|ore|alle|às|a las) ){_TIME}\s*{_ZONE})?"
ISO_PATTERN = r"\d{4}-\d{2}-\d{2}([T ]\d{2}:\d{2}(:\d{2}(\.\d+)?)?)?\s?(Z|[+-]\d{2}:?\d{2})?"
PATTERNS = {
    "ymd": (
        rf"{_WEEKDAY}(?P<year>\d{{4}})(?:\. ?|[/-]|[年년] ?)(?P<month>\d{{1,2}})"
        rf"(?:\. ?|[/-]|[月월] ?)(?P<day>\d{{1,2}})[日일.]?{_CLOCK}"
    ),
    "ym": r"(?P<year>(?:19|20)\d{2})[-M](?P<month>0[1-9]|1[0-2])",
    "numbers": (
        rf"{_WEEKDAY}(?P<first>\d{{1,2}})(?P<mark>[./-])(?:(?<=\.) )?(?P<second_>\d{{1,2}})"
        rf"[./-](?:(?<=\.) )?(?P<year>\d{{4}}|\d{{2}}){_CLOCK}"
    ),
    "yymmdd": r"(?P<year>\d{2})(?P<mark>[/-])(?P<month>\d{1,2})[/-](?P<day>\d{1,2})",
    "my": r"(?P<month>0?[1-9]|1[0-2])[./-](?P<year>(?:19|20)\d{2})",
    "name year": r"(?P<name>[^\W\d]{3,10})\.?[ -]+(?P<year>\d{4})",
    "name yy": r"(?P<name>[^\W\d]{3,10})\.?(?:-| ?')(?P<year>\d{2})",
    "month yy": r"(?P<month>0[1-9]|1[0-2])/(?P<year>\d{2})",
    "quarter": r"(?P<year>(?:19|20)\d{2})[ -]?[Qq](?P<quarter>[1-4])",
    "quarter year": r"[Qq](?P<quarter>[1-4])[ /-]*(?P<year>(?:19|20)\d{2})",
    "half-year": r"(?P<year>(?:19|20)\d{2})[ -]?[Hh](?P<half_year>[12])",
    "week": (
        r"(?P<year>(?:19|20)\d{2})[ -]?(?:W|KW|CW)[ -]?(?P<week>\d{1,2})(?:-(?P<weekday>[1-7]))?"
    ),
    "week year": (
        r"(?:W|KW|CW|[Ww]eek|Woche)\.?[ -]?(?P<week>\d{1,2})[ /-]+(?P<year>(?:19|20)\d{2})"
    ),
    "day name": (
        rf"{_WEEKDAY}(?P<day>\d{{1,2}})(?:\.|er|º|st|nd|rd|th)?[ /-]?(?:de |of )?"
        r"(?P<name>[^\W\d]{3,12})\.?[ /,-]*(?:del? )?(?P<year>\d{4}|\d{2})"
        rf"{_CLOCK}"
    ),
    "name day time year": (
        rf"{_WEEKDAY}(?P<name>[^\W\d]{{3}}) +(?P<day>\d{{1,2}}) {_TIME} ?{_ZONE} ?(?P<year>\d{{4}})"
    ),
    "name day": (
        rf"{_WEEKDAY}(?P<name>[^\W\d]{{3,10}})\.? (?P<day>\d{{1,2}})(?:st|nd|rd|th)?,? "
        r"(?P<year>\d{4})"
        rf"{_CLOCK}"
    ),
    "compact": r"(?P<year>(?:19|20)\d{2})(?P<month>\d{2})(?P<day>\d{2})",
    "compact time": (
        r"(?P<year>(?:19|20)\d{2})(?P<month>0[1-9]|1[0-2])(?P<day>[0-3]\d)[T_-]?"
        r"(?P<hour>[01]\d|2[0-3])(?P<minute>[0-5]\d)(?P<second>[0-5]\d)(?P<zone>Z?)"
    ),
    "compact days first": r"(?P<day>\d{1,2})(?P<month>0[1-9]|1[0-2])(?P<year>(?:19|20)\d{2})",
    "compact month": r"(?P<year>(?:19|20)\d{2})(?P<month>0[1-9]|1[0-2])",
}
SHORT_YEARS = ("numbers", "day name", "name yy", "month yy")
BY_NAME = ("compact", "compact days first", "compact month", "month yy")
"""Orders such as 20240131, 31012024, 202401 and 07/25, which only columns have whose name tells
so."""

EPOCHS = {
    "seconds": (SECONDS_PER_DAY, 0.0),
    "milliseconds": (1000.0 * SECONDS_PER_DAY, 0.0),
    "serial": (1.0, 25_569.0),
}
"""Ways to count moments: how many units a day has, and how many days passed before 1970. Serial
numbers are the days that spreadsheets count."""

EPOCH_DAYS = 10_957, 25_567
"""Numbers count from 1970 only if all of them end up in the years from 2000 to 2039."""

ALSO = " + "
"""Between the orders of a column that is written in several ways."""

ORDERS = ("iso", "dmy", "mdy", *(order for order in PATTERNS if order != "numbers"), *EPOCHS)
IN_WORDS = {
    **{"iso": "the year first", "ymd": "the year first", "dmy": "days first"},
    **{"mdy": "months first", "my": "months and years", "ym": "months and years"},
    **{"compact": "years first, without marks", "compact days first": "days first, without marks"},
    **{"compact month": "years and months, without marks"},
    **{"seconds": "seconds since 1970", "milliseconds": "milliseconds since 1970"},
    **{"serial": "days as spreadsheets count them"},
}


@dataclass(frozen=True)
class DateStyle:
    """How the dates of a column are written.

    Attributes
    ----------
    order : str
        One of `ORDERS`; several, joined by `ALSO`, if every cell tells for itself how it is
        written.
    doubtful : str
        A cell that could be another day, if no other cell decides; else empty.
    latest : int or None
        Last of the hundred years to which years of two digits belong; None if there are none.
    """

    order: str
    doubtful: str = ""
    latest: int | None = None

    @property
    def in_words(self) -> str:
        """The order for readers, as in "days first"."""
        return " and ".join(IN_WORDS.get(order, order) for order in self.order.split(ALSO))

    def to_dict(self) -> dict[str, Any]:
        """Plain data."""
        return {"order": self.order} | ({} if self.latest is None else {"latest": self.latest})

    @classmethod
    def from_dict(cls, raw: Mapping[str, Any]) -> DateStyle:
        """Inverse of `to_dict`; ISO dates if nothing is said."""
        return cls(str(raw.get("order", "iso")), latest=raw.get("latest"))
