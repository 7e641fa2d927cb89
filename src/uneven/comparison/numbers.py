"""Numbers as people write them: currency, percent, units, thousands, decimal comma.

The style is a property of the column: cells such as ``1.234`` that could mean two numbers are
decided by the other cells of the column, then by the other columns of the table, and only then by
custom, which is said.

Looked at before this was written: ``pandas.read_csv(thousands=, decimal=)`` and the same options
of pyarrow and polars need to be told the marks, once for the whole file, and refuse currency and
units; skrub's ``ToFloat`` takes marks out wherever they stand, so that ``1.2.3`` becomes 123, and
turns what is left into missing cells. What they leave open, which marks a column uses, is decided
here; the conversion itself is pandas'.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from uneven.comparison.celltexts import remembered

_CODES = (
    "AED ARS AUD BDT BGN BRL CAD CHF CLP CNY COP CZK DKK EGP EUR GBP GHS HKD HUF IDR ILS INR ISK"
    " JPY KES KRW KWD KZT LKR MAD MXN MYR NGN NOK NZD PEN PHP PKR PLN QAR RON RSD RUB SAR SEK SGD"
    " THB TND TRY TWD UAH USD UYU VND ZAR"
)
_NAMES = "Ft lei руб. Rp zł Kč kr. kr Fr. Rs. Rs"
_DOLLARS = "US$ A$ C$ R$ NT$ HK$ S$ NZ$ MX$"
_CURRENCY_SIGNS = "$€£¥₹₽₩₺₪₱₫₴₦฿¢₸₾₼₡₲₵đ元원円"
CURRENCY_CODES = _CODES.split()
CURRENCIES = [*_DOLLARS.split(), *_CURRENCY_SIGNS, *_NAMES.split(), *CURRENCY_CODES]

MAGNITUDES: Mapping[str, float] = {
    **dict.fromkeys(["k", "K", "Tsd", "Tsd.", "thousand", "mil"], 1e3),
    **dict.fromkeys(["M", "mn", "mln", "Mio", "Mio.", "million"], 1e6),
    **dict.fromkeys(["bn", "B", "Mrd", "Mrd.", "billion", "Md", "Mds"], 1e9),
    **dict.fromkeys(["T", "tn", "trillion"], 1e12),
    **dict.fromkeys(["lakh", "lakhs", "Lakh", "Lakhs", "lac", "Lac"], 1e5),
    **{"千": 1e3, "万": 1e4, "萬": 1e4, "만": 1e4, "亿": 1e8, "億": 1e8, "억": 1e8},
    **dict.fromkeys(["crore", "crores", "Crore", "Crores"], 1e7),
}
"""Words that multiply a number, also beside a currency."""

OF_MONEY: Mapping[str, float] = {
    **MAGNITUDES,
    **{"m": 1e6, "b": 1e9, "tsd": 1e3, "mio": 1e6, "L": 1e5, "Cr": 1e7, "Cr.": 1e7, "cr": 1e7},
}
"""The same beside a currency, where ``m`` are no metres."""


def _with_prefixes(unit: str, prefixes: str) -> dict[str, float]:
    return {unit: 1.0} | {prefix + unit: _PREFIXES[prefix] for prefix in prefixes}


_PREFIXES = {"n": 1e-9, "µ": 1e-6, "u": 1e-6, "m": 1e-3, "c": 1e-2, "d": 0.1, "h": 100.0}
_PREFIXES |= {"k": 1e3, "K": 1e3, "M": 1e6, "G": 1e9, "T": 1e12}

FAMILIES: tuple[Mapping[str, float], ...] = (
    {
        **{"ng": 1e-12, "µg": 1e-9, "ug": 1e-9, "mcg": 1e-9, "mg": 1e-6, "g": 1e-3, "kg": 1.0},
        **{"t": 1e3, "lb": 0.45359237, "lbs": 0.45359237, "oz": 0.028349523125},
    },
    {
        **_with_prefixes("m", "nµumck"),
        **{"in": 0.0254, "inch": 0.0254, "inches": 0.0254, "ft": 0.3048, "feet": 0.3048},
        **{"yd": 0.9144, "mi": 1609.344, "miles": 1609.344},
    },
    {
        **{"ns": 1e-9, "µs": 1e-6, "us": 1e-6, "ms": 1e-3, "d": 86400.0},
        **dict.fromkeys(("s", "sec", "secs", "second", "seconds", "Sek", "Sek."), 1.0),
        **dict.fromkeys(("min", "mins", "minute", "minutes", "Min.", "Minuten"), 60.0),
        **dict.fromkeys(("h", "hr", "hrs", "hour", "hours", "Std", "Std."), 3600.0),
        **dict.fromkeys(("day", "days", "Tag", "Tage", "jour", "jours"), 86400.0),
        **dict.fromkeys(("week", "weeks", "wk", "wks", "Woche", "Wochen"), 604800.0),
        **dict.fromkeys(
            ("month", "months", "mo", "mos", "mth", "mths", "Monat", "Monate", "mois"), 2629800.0
        ),
        **dict.fromkeys(("year", "years", "yr", "yrs", "Jahr", "Jahre", "ans"), 31557600.0),
    },
    {**_with_prefixes("l", "µumcdh"), **_with_prefixes("L", "µumd")},
    {
        **_with_prefixes("B", "kKMGT"),
        **{"KiB": 2.0**10, "kiB": 2.0**10, "MiB": 2.0**20, "GiB": 2.0**30, "TiB": 2.0**40},
    },
    MAGNITUDES,
    *(
        _with_prefixes(unit, prefixes)
        for unit, prefixes in (
            ("Hz", "kMG"),
            ("V", "µmk"),
            ("A", "nµm"),
            ("W", "mkMG"),
            ("Wh", "kMG"),
            ("J", "kM"),
            ("Ω", "mkM"),
            ("bit/s", "kMG"),
            ("bps", "kMG"),
        )
    ),
    {**_with_prefixes("Pa", "hkM"), "mbar": 100.0, "bar": 1e5, "psi": 6894.757},
    {"CR": 1.0, "DR": -1.0, "Cr": 1.0, "Dr": -1.0},
    {"H": 1.0, "S": -1.0},
    {"N": 1.0, "S": -1.0, "° N": 1.0, "° S": -1.0, "°N": 1.0, "°S": -1.0},
    {"E": 1.0, "W": -1.0, "° E": 1.0, "° W": -1.0, "°E": 1.0, "°W": -1.0, "O": 1.0, "°O": 1.0},
    {"LL": 1.0, "HH": 1.0, "L": 1.0, "H": 1.0},
    dict.fromkeys("bcefpruz", 1.0),
)
"""Units that one column may mix: each is turned into the one that counts 1. The last ones are
credit and debit, as in ``20,00 S`` of a German bank, degrees, low and high values of a
laboratory, and what statistical offices write behind estimates and provisional numbers."""

FLAGS, OFFICIAL = FAMILIES[-2:]
UNITS = {*CURRENCIES, "%", "°C", "°F", *(u for f in FAMILIES for u in f if len(u) > 1)}
"""Signs that tell a number with a unit from a code such as 12a."""

PLAIN_TOO = {*MAGNITUDES, "%", "‰"} - {"B", "T"}
"""Units that change the number: a cell without them is another number, not a forgotten unit."""

MANY_CELLS = 2000
"""Above so many different cells the first ones tell how numbers are written, if all agree."""

_BOUND_WORDS = (
    r"ca\.?|c\.|circa|approx\.?|about|around|over|under|up to|more than|less than|at least|at most"
    r"|etwa|über|unter|bis|mind\.|max\.|mehr als|weniger als|env\.|plus de|moins de"
)
BOUND = rf"(?:<=?|>=?|≤|≥|~|≈|(?i:(?:{_BOUND_WORDS}) ?))"
"""Signs of a number that is only a bound or an estimate; it is read as the number beside them."""

_OPEN_WORDS = r"(?:(?:or|and) (?:more|over|above|older)|und (?:mehr|älter)|et plus)"
ESTIMATE = r"(?:[~≈]|(?i:ca\.?|c\.|circa|approx\.?|about|around|etwa|env\.)) ?"
"""Those of an estimate, which may stand before every number of a column."""

DAY_AND_MONTH = r"(?:0[1-9]|[12][0-9]|3[01])\.(?:0[1-9]|1[0-2])"
_PADDED = "0[0-9]+[.,][0-9]{1,4}"
"""Numbers such as ``05,50``, beside ``12,75``."""

PHONE_NUMBER = r"[0-9]{8,15}"
"""Behind a plus, as telephone numbers are written."""

OPEN_END = rf"(?:\+| {_OPEN_WORDS})"
"""Signs behind the last number of a scale, as in 85+, which is read as 85."""

_SPACES = " \u00a0\u2009\u202f"
_ASIDE = (
    rf"(?:[{_SPACES}]*(?:\*{{1,3}}|[†‡§]|\[[0-9A-Za-z]{{1,3}}\]|\([^()]+\))"
    rf"|[{_SPACES}]+[-–][{_SPACES}]+[^0-9 ].*|[{_SPACES}]?[=:][{_SPACES}]?[^0-9 ].*)"
)
_MONEY = "|".join(map(re.escape, sorted(CURRENCIES, key=len, reverse=True)))
_PER = r"/ ?(?:[0-9]+|[A-Za-zµ]+[²³]?)"
_SIGNS = r"[kcm]?m[23]|[%‰°A-Za-zµμΩ€$£¥₹₽₩₺₪₱₫₴₦฿¢₸₾₼₡₲₵đ元円원р千万萬만亿億억]"
_SIGNS += r"[%‰°A-Za-zµμΩłč²³/.·€$£¥₹уб元円원]*"
_UNIT = rf"(?:{_PER}|[A-Za-z]+/[0-9]{{1,3}} ?[A-Za-z]+|{_SIGNS})(?: [A-Za-z²³/%€$£¥₹]+)?"
_CELL = (
    rf"(?P<bound>{BOUND}?)[{_SPACES}]*(?P<open>\(?)[{_SPACES}]*(?P<sign>[-+−–]?)[{_SPACES}]*(?P<money>(?:{_MONEY})?)[{_SPACES}]*"
    rf"(?P<sign2>[-+−–]?)[{_SPACES}]*(?P<open2>\(?)(?P<body>[0-9][0-9.,'’{_SPACES}]*|[.,][0-9]+)"
    rf"(?P<power>(?:[eE][-+]?[0-9]{{1,3}})?)(?P<over>\+?)[{_SPACES}]*(?P<unit>(?:{_UNIT})?)"
    rf"(?P<after>-?)(?P<close>\)?)(?P<more>{OPEN_END}?)(?P<aside>(?:{_ASIDE})?)"
)
_LARGE_MONEY = (
    rf"^({'|'.join(sorted(map(re.escape, OF_MONEY.keys() - {'T'}), key=len, reverse=True))})"
    rf" ?({_MONEY})$"
)
_ENDS_AS_SIGN = rf"[{_CURRENCY_SIGNS}]$"
_NO_CENTS = rf"([0-9])[{_SPACES}]*(?:[.,:][-–—]{{1,2}}|/-$|\+/-.*)"
"""Behind a price in whole units: ``5,-``, ``5.–``, ``5:-``, ``5/-``; and ``1.5 +/- 0.2``."""

GRADES = "+/-"
"""Stands for cells such as ``2+``, ``2`` and ``3-`` where a column of numbers names its unit: the
signs behind them are marks of a teacher or a laboratory, and none makes a number negative."""

_GROUPED = rf"[0-9]{{1,3}}(?:[{_SPACES}'’][0-9]{{3}})+"


@dataclass(frozen=True)
class NumberStyle:
    """How the numbers of a column are written.

    Attributes
    ----------
    decimal : {".", ",", ".,"}
        Decimal mark; the other one may group thousands. Both, if every cell tells for itself which
        one it uses.
    unit : str
        Currency, percent sign or unit of all cells, or that into which a mixture is turned.
    doubtful : str
        A cell that could mean another number, if no other cell decides; else empty.

    Examples
    --------
    >>> find_number_style(pd.Series(["1.234,50 €", "980,00 €"]))
    NumberStyle(decimal=',', unit='€', doubtful='')
    """

    decimal: str = "."
    unit: str = ""
    doubtful: str = ""

    def to_dict(self) -> dict[str, str]:
        """Plain data, without what is usual."""
        form = {"decimal": self.decimal} if self.decimal != "." else {}
        return form | ({"unit": self.unit} if self.unit else {})

    @classmethod
    def from_dict(cls, raw: Mapping[str, Any]) -> NumberStyle:
        """Inverse of `to_dict`."""
        return cls(str(raw.get("decimal", ".")), str(raw.get("unit", "")))


def find_number_style(
    texts: pd.Series, prefer: str | None = None, commas: str = "thousands"
) -> NumberStyle | None:
    """How numbers are written, if all cells are numbers of one style.

    Parameters
    ----------
    texts : Series of shape (n,)
        Different cells of a column, without blanks around them and without missing ones.
    prefer : {".", ","} or None
        Decimal mark of the other columns, for cells that could mean two numbers.
    commas : {"thousands", "decimal"}
        What ``1,234`` means where nothing else tells and every cell has such a comma.

    Returns
    -------
    NumberStyle or None
        None if a cell is no number, if it has zeros in front as codes have, or if the cells
        contradict each other.

    Examples
    --------
    >>> find_number_style(pd.Series(["1,234", "12,345"]))
    NumberStyle(decimal='.', unit='', doubtful='1,234')
    >>> find_number_style(pd.Series(["1,234", "12,5"]))
    NumberStyle(decimal=',', unit='', doubtful='')
    >>> find_number_style(pd.Series(["01067", "10115"])) is None
    True
    """
    if len(texts) > MANY_CELLS:
        found = find_number_style(texts[:MANY_CELLS], prefer, commas)
        if found is not None and not found.doubtful and quick_numbers(texts, found) is not None:
            return found
    parts = _parts(texts)
    if parts is None:
        return None
    unit = _common_unit(parts["unit"].where(parts["money"] == "", parts["money"]), parts)
    if unit is None:
        return None
    unit = GRADES if unit == "" and _are_grades(parts) else unit
    body = parts["body"].where(parts["power"] == "", parts["body"] + "0")  # 5.838E-05: a fraction
    found = _decimal_of(body, prefer, commas)
    if found is not None and found.doubtful and unit in CURRENCIES:
        found = NumberStyle("," if "." in found.doubtful else ".")  # prices have no thousandths
    return None if found is None else replace(found, unit=unit)


def parse_numbers(texts: pd.Series, style: NumberStyle) -> NDArray[np.float64]:
    """The numbers that cells stand for; NaN where a cell is no number of this style.

    Parameters
    ----------
    texts : Series of shape (n,)
        Without blanks around them.
    style : NumberStyle

    Returns
    -------
    ndarray of shape (n,)

    Examples
    --------
    >>> parse_numbers(pd.Series(["(1,250.50)", "$ 3", "x"]), NumberStyle(unit="$")).tolist()
    [-1250.5, 3.0, nan]
    """
    if style.decimal == ".,":
        first, second = (parse_numbers(texts, replace(style, decimal=mark)) for mark in ".,")
        one = np.isnan(first) | np.isnan(second) | (first == second)
        return np.where(one, np.fmax(first, second), np.nan)
    if len(texts) > MANY_CELLS:
        quick = quick_numbers(texts, style)
        if quick is not None:
            return quick
    parts = _split(texts)
    body = parts["body"].str.replace(rf"[{_SPACES}'’]", "", regex=True)
    mark = "," if style.decimal == "." else "."
    grouped = body.str.fullmatch(
        rf"[0-9]{{1,3}}(?:{re.escape(mark)}[0-9]{{2,3}})*{re.escape(mark)}[0-9]{{3}}"
        rf"(?:{re.escape(style.decimal)}[0-9]*)?",
        na=False,
    )
    body = body.where(~grouped, body.str.replace(mark, "", regex=False))
    body = body.mask(body.str.contains(mark, regex=False, na=False))
    body = body.str.replace(style.decimal, ".", regex=False) if style.decimal != "." else body
    digits = pd.to_numeric(body + parts["power"], errors="coerce")
    numbers = digits.to_numpy(np.float64, na_value=np.nan)
    minus = parts["sign"].isin(["-", "−", "–"]) | parts["sign2"].isin(["-", "−", "–"])
    minus |= (parts["open"] == "(") | (parts["open2"] == "(")
    minus |= (parts["after"] == "-") & (style.unit != GRADES)
    units = parts["unit"].where(parts["money"] == "", parts["money"])
    large = parts["unit"].where(parts["money"] != "", "")
    factors = large.map({"": 1.0, **OF_MONEY}).to_numpy(np.float64, na_value=np.nan)
    found = np.where(minus.to_numpy(bool), -numbers, numbers) * _scales(units, style.unit) * factors
    zero = (numbers == 0.0) & (units == "").to_numpy(bool)
    return np.where(zero, 0.0, found)


def quick_numbers(texts: pd.Series, style: NumberStyle) -> NDArray[np.float64] | None:
    """Numbers of a plain style, thousands grouped by the other mark; None if one cell differs.

    The unit stands where it stands in the first cell.

    Examples
    --------
    >>> quick_numbers(pd.Series(["1,250.50", "3"]), NumberStyle()).tolist()
    [1250.5, 3.0]
    >>> quick_numbers(pd.Series(["1,250.50", "x"]), NumberStyle()) is None
    True
    """
    way = (style.decimal, style.unit)
    return remembered(texts, way, lambda: _quick_numbers(texts, style))


def _quick_numbers(texts: pd.Series, style: NumberStyle) -> NDArray[np.float64] | None:
    filled = texts.dropna()
    first = str(filled.iloc[0]) if len(filled) else ""
    unit = re.escape(style.unit) if style.unit in first else "(?:x)"
    before = f"{unit} ?" if style.unit and first.startswith(style.unit) else ""
    after = f" ?{unit}" if style.unit and not before else ""
    mark = "," if style.decimal == "." else "."
    body = rf"(?:0|[1-9][0-9]{{0,14}}|[1-9][0-9]{{0,2}}(?:{re.escape(mark)}[0-9]{{3}})+)"
    cell = rf"^-?{before}{body}(?:{re.escape(style.decimal)}[0-9]+)?{after}$"
    kept = getattr(texts.array, "_pa_array", None)
    cells = pa.array(texts, pa.string(), from_pandas=True) if kept is None else kept
    if not first or pc.all(pc.match_substring_regex(cells, cell)).as_py() is not True:
        return None
    for sign, other in ((mark, ""), (style.unit, ""), (" ", ""), (style.decimal, ".")):
        if sign and sign != other:
            cells = pc.replace_substring(cells, sign, other)
    return np.asarray(pc.cast(cells, pa.float64()).to_pandas(), dtype=np.float64)


def with_asides(texts: pd.Series) -> pd.Series:
    """The cells that hold a remark behind their number, such as ``5 (good)`` and ``3.2*``."""
    parts = _split(texts)
    return texts[parts["body"].notna() & (parts["aside"].fillna("") != "")]


def units_of(texts: pd.Series) -> list[str]:
    """The different units of cells that are all numbers of some kind, ``""`` for none; else empty.

    Examples
    --------
    >>> units_of(pd.Series(["$5", "5 €", "7 €"]))
    ['$', '€']
    """
    parts = _split(texts)
    if parts["body"].isna().any():
        return []
    return parts["unit"].where(parts["money"] == "", parts["money"]).unique().tolist()


def _split(texts: pd.Series) -> pd.DataFrame:
    """The parts of each cell; NaN where it is no number at all."""
    cells = pa.array(texts.astype(object).astype(str), pa.string())
    for signs, told in (("[-–—]", _NO_CENTS), ("±", "(.)±.*")):
        if pc.any(pc.match_substring_regex(cells, signs)).as_py():  # 5,- and 1.5 ± 0.2
            cells = pc.replace_substring_regex(cells, told, r"\1")
    found = pc.extract_regex(cells, rf"^{_CELL}$")
    names = [part.name for part in found.type]
    parts = pd.DataFrame({name: pc.struct_field(found, name).to_pandas() for name in names})
    parts.index = texts.index
    parts["body"] = body = parts["body"].str.strip(_SPACES)
    if parts["unit"].str.contains(r"[€$£¥₹元円원A-Z]").any():
        both = parts["unit"].str.extract(_LARGE_MONEY)
        parts["money"] = parts["money"].mask(both[1].notna() & (parts["money"] == ""), both[1])
        parts["unit"] = parts["unit"].mask(both[0].notna(), both[0])
    named = parts["unit"].isin(CURRENCY_CODES) & parts["money"].str.contains(_ENDS_AS_SIGN)
    if named.any():  # $5 USD
        parts["money"] = parts["money"].mask(named, parts["unit"])
        parts["unit"] = parts["unit"].mask(named, "")
    per = (parts["money"] != "") & parts["unit"].str.startswith("/", na=False)
    if per.any():  # $15/hr
        parts["unit"] = parts["unit"].mask(per, parts["money"] + parts["unit"])
        parts["money"] = parts["money"].mask(per, "")
    words = parts["unit"].str.fullmatch(_OPEN_WORDS, na=False)
    parts["more"] = parts["more"].mask(words, parts["unit"]).mask(parts["over"] == "+", "+")
    parts["unit"] = parts["unit"].mask(words, "")
    both = (parts["money"] != "") & ~parts["unit"].isin(["", *OF_MONEY])
    opened = (parts["open"] == "(").astype(int) + (parts["open2"] == "(")
    paired = opened == (parts["close"] == ")")
    minus = (parts["sign"] != "").astype(int) + (parts["sign2"] != "") + (parts["after"] != "")
    minus += opened
    spaced = body.str.contains(rf"[{_SPACES}'’]", na=False)
    grouped = body.str.fullmatch(rf"{_GROUPED}(?:[.,][0-9]*)?", na=False)
    return parts.mask(both | ~paired | (minus > 1) | (spaced & ~grouped))


def _parts(texts: pd.Series) -> pd.DataFrame | None:
    parts = _split(texts)
    if parts["body"].isna().any() or not len(parts):
        return None
    body = parts["body"]
    coded = body.str.match(r"0[0-9]") & ~body.str.fullmatch(_PADDED)
    coded |= body.str.fullmatch(DAY_AND_MONTH).all() and body.str.startswith("0").any()
    coded |= bool(texts.str.fullmatch("[A-Z]+-[0-9]+").all())  # SAR-438
    long = parts["body"].str.fullmatch(r"[0-9]{16,}")
    phones = (parts["sign"] == "+").all() and parts["body"].str.fullmatch(PHONE_NUMBER).all()
    bounds = int(((parts["bound"] != "") | (parts["more"] != "")).sum())
    few = bounds and len(parts) - bounds < max(FEWEST_OF_A_KIND, bounds)
    few = few and not parts["bound"].str.fullmatch(ESTIMATE).all()
    aside = parts["aside"] != ""
    names = aside.all() and not parts["aside"].str.contains("[0-9]").all()
    return None if few or names or phones or (coded | long).any() else parts


def _are_grades(parts: pd.DataFrame) -> bool:
    """Whether some cells end in a plus, some in a minus, and some in neither."""
    plus, minus = parts["more"] == "+", parts["after"] == "-"
    return bool(plus.any() and minus.any() and not (plus | minus).all())


FEWEST_OF_A_KIND = 3
"""Cells with and without a mark that tell thousands from fractions; numbers beside bounds."""


def _decimal_of(bodies: pd.Series, prefer: str | None, commas: str) -> NumberStyle | None:
    """Which mark is the decimal one, from all cells together."""
    spaced = bodies.str.contains(rf"[{_SPACES}'’]")
    plain = bodies.str.replace(rf"[{_SPACES}'’]", "", regex=True)
    said: dict[str, bool] = {}
    open_marks: dict[str, str] = {}
    for mark, other in ((".", ","), (",", ".")):
        dot, comma = re.escape(mark), re.escape(other)
        thousand = rf"[1-9][0-9]{{0,2}}{dot}[0-9]{{3}}"
        single = plain.str.fullmatch(rf"[0-9]*{dot}[0-9]*")
        doubtful = single & plain.str.fullmatch(thousand) & ~spaced
        after_groups = plain.str.fullmatch(
            rf"[0-9]{{1,3}}(?:{comma}[0-9]{{2,3}})*{comma}[0-9]{{3}}{dot}[0-9]*"
        )
        groups = plain.str.fullmatch(rf"[1-9][0-9]{{0,2}}(?:{comma}[0-9]{{2,3}})+{comma}[0-9]{{3}}")
        said[mark] = bool(((single & ~doubtful) | after_groups | groups).any())
        if doubtful.any():
            open_marks[mark] = str(bodies[doubtful].iloc[0])
        known = single | after_groups | groups
        plain = plain.where(~known, "0")
    if not plain.str.fullmatch(r"[0-9]+").all():
        return None
    if said["."] and said[","]:
        return None if open_marks else NumberStyle(".,")
    if said["."] or said[","] or not open_marks:
        return NumberStyle("," if said[","] else ".")
    if len(open_marks) == 2:
        return None
    mark, example = next(iter(open_marks.items()))
    if _groups_by_size(bodies, mark):
        return NumberStyle("," if mark == "." else ".", doubtful=example)
    fractions = "," in open_marks and commas == "decimal" and bool(bodies.str.contains(",").all())
    custom = "," if fractions else "."
    return NumberStyle(prefer or custom, doubtful="" if prefer else example)


def _groups_by_size(bodies: pd.Series, mark: str) -> bool:
    """Whether the mark stands in numbers from 1000 on: most others have three digits, none four."""
    marked = bodies.str.contains(mark, regex=False)
    others = pd.to_numeric(bodies[~marked], errors="coerce").dropna()
    if marked.sum() < FEWEST_OF_A_KIND or len(others) < FEWEST_OF_A_KIND:
        return False
    return bool(others.max() < 1000 and (others >= 100).mean() > 0.5)


def _common_unit(units: pd.Series, parts: pd.DataFrame) -> str | None:
    """The unit of all cells; None if they are of different kinds."""
    found = [unit for unit in units.unique() if unit]
    bare = bool((units == "").any())
    if not found:
        return ""
    folded = {unit.casefold().rstrip(".") for unit in found}
    same = len(folded) == 1 or len({word.removesuffix("s") for word in folded}) == 1
    if same and not (bare and found[0] in PLAIN_TOO):
        return str(found[0])
    for family in FAMILIES:
        if family is OFFICIAL and not parts["body"].str.contains("[.,]").any():
            continue  # 12b is the number of a house
        if set(found) <= family.keys() and (not bare or family in (MAGNITUDES, FLAGS, OFFICIAL)):
            return next((unit for unit, scale in family.items() if scale == 1.0), "1")
    zeros = parts["body"].str.fullmatch("0*(?:[.,]0*)?")
    return str(found[0]) if same and bool(zeros[units == ""].all()) else None


def _scales(units: pd.Series, unit: str) -> NDArray[np.float64]:
    """How much the unit of each cell counts in the unit of the column; NaN for a strange one."""
    scales: dict[Any, float] = {}
    families = [{"1": 1.0, **f} if f is MAGNITUDES else f for f in FAMILIES]
    family = next((f for f in families if unit in f), dict[str, float]())
    plain = 1.0 if unit not in PLAIN_TOO else family.get("1", np.nan) / family.get(unit, np.nan)
    for found in units.dropna().unique():
        base = found.casefold().rstrip(".").removesuffix("s")
        if base == unit.casefold().rstrip(".").removesuffix("s"):
            scales[found] = 1.0
        else:
            scales[found] = plain if not found else family.get(found, np.nan) / family.get(unit, 1)
    return units.map(scales).to_numpy(np.float64, na_value=np.nan)
