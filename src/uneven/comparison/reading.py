"""What a column of a table holds: numbers, truth values, dates, categories or running text.

A column is read as a person reads it, as a whole. Cells that are marks for "not known" do not keep
a column of numbers from being one; a cell that is neither does, and is named. Decisions that could
have been different are reported.
"""

from __future__ import annotations

import datetime
import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any, Literal

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from pandas.api import types

from uneven.comparison.celltexts import SOME_CELLS, distinct_texts, vary
from uneven.comparison.dates import days_since_1970, find_date_style, find_epoch, parse_dates
from uneven.comparison.datestyles import ALSO, LATEST_YEAR, DateStyle
from uneven.comparison.durations import HOURS, LAPS, are_hours, are_laps
from uneven.comparison.errors import InputError
from uneven.comparison.marks import ANSWERS, MISSING_CATEGORIES, MISSING_MARKS, TRUTH, TRUTH_WORDS
from uneven.comparison.numbers import (
    BOUND,
    GRADES,
    OPEN_END,
    UNITS,
    NumberStyle,
    find_number_style,
    parse_numbers,
    quick_numbers,
    units_of,
    with_asides,
)
from uneven.comparison.spellings import plain_signs
from uneven.comparison.versions import NEEDLESS, are_versions, has_doubtful_zeros
from uneven.utils.registry import listing

ColumnKind = Literal["number", "boolean", "date", "category", "text"]

MOST_ODD_WORDS, ODD_SHARE = 3, 0.1
"""So many words, in at most this share of the cells, are taken for marks of missing numbers."""

MOST_CHOICES = 20
"""A question has fewer combinations of answers in a table."""

FEWEST_NUMBERS = 10
"""Beside so many different numbers a single word may stand in up to half of the cells."""

FEWEST_TEXTS, FEWEST_WORDS = 20, 3.0
"""Running text: at least so many cells, mostly different, of so many words on average."""

MOST_SPELLINGS = 20
"""Words for true and false are fewer, however they are spelt."""

DATE_NAME = re.compile(r"dat|day|tag|jour|fecha|time|zeit|when|birth|dob", re.IGNORECASE)
MONTH_NAME = re.compile(r"expir|valid|gültig|ablauf|month|monat|mois|period", re.IGNORECASE)
MOMENT_NAME = re.compile(
    r"(?:^|[\W_])(?i:ts|at|on|time|date|datetime|zeit|datum)$"
    r"|[a-z](?:At|On|Ts|Time|Date)$|(?i:timestamp|epoch|zeitstempel)"
)
"""Names of columns in which large numbers may count seconds from 1970."""

SERIAL_NAME = re.compile(
    r"(?:^|[\W_])(?i:date|datum|fecha)(?:$|[\W_])|(?:^|[\W_])(?i:day|tag|on|at)$"
    r"|[a-z](?:Date|On|At)$|[a-zäöü](?:datum|tag)$"
)
"""Names of columns in which numbers such as 44197 may count days as spreadsheets do."""

BIRTH_NAME = re.compile(
    r"birth|born|dob|geboren|geburt|(?:^|[\W_])geb(?:$|[\W_]|dat)|naiss|nacim|nasc|geboorte|urodz"
    r"|f[øö]d(?:t|d|sel)|syntym|рожд",
    re.IGNORECASE,
)
_PAIR = r"[-+]?\d+(?:\.\d+)?\s*[/x×:,;]\s*[-+]?\d+(?:\.\d+)?"
_DAY = r"(?:0?[1-9]|[12]\d|3[01])\.(?:0?[1-9]|1[0-2])\.?"
_DIGITS_FIRST = r"[^\w]*(?:[A-Z]{0,3}[^\w]*)?\d|[^\W\d]{3,10}\.? \d{1,2}(?:st|nd|rd|th)?,? \d{4}"
"""How most numbers and dates begin."""

FORM_KEYS = ("decimal", "unit", "order", "latest", "missing")

EARLIEST, LATEST = -106_650.0, 106_650.0
"""Days that fit nanoseconds, 1678 to 2261; others, such as 9999-12-31, count as missing."""


@dataclass(frozen=True)
class Reading:
    """How a column is read.

    Attributes
    ----------
    kind : {"number", "boolean", "date", "category", "text"}
    form : mapping of str to object
        How its cells are written, in plain data: ``decimal``, ``unit``, ``order``, ``missing``.
    doubtful : str
        A cell that could have been read in another way, or empty.
    remarks : tuple of str
        What the reader should know, as in "counts 'k.A.' as missing".
    """

    kind: ColumnKind
    form: Mapping[str, Any] = field(default_factory=dict)
    doubtful: str = ""
    remarks: tuple[str, ...] = ()


@dataclass(frozen=True)
class Custom:
    """What the table as a whole tells about cells that could be read in two ways.

    Attributes
    ----------
    decimal : {".", ","} or None
        Decimal mark of the columns that leave no doubt.
    order : {"dmy", "mdy"} or None
        Order of their dates.
    commas : {"thousands", "decimal"}
        What ``1,234`` means where nothing else tells.
    missing : collection of str
        Further marks of missing cells, such as ``999``.
    with_commas : collection of str
        Columns that are numbers already, and were written with decimal commas.
    """

    decimal: str | None = None
    order: str | None = None
    commas: str = "thousands"
    missing: Collection[str] = ()
    with_commas: Collection[str] = ()


def read_columns(
    frame: pd.DataFrame,
    given: Mapping[str, Mapping[str, Any]] | None = None,
    custom: Custom | None = None,
) -> dict[str, Reading]:
    """Read every column of a table.

    Parameters
    ----------
    frame : DataFrame of shape (n, d)
    given : mapping of str to mapping, optional
        For some columns what a person decided: ``kind`` and entries of `Reading.form`.
    custom : Custom, optional

    Returns
    -------
    dict of str to Reading

    Examples
    --------
    >>> frame = pd.DataFrame({"price": ["1.234", "1.500"], "weight": ["2,5", "3,0"]})
    >>> read_columns(frame)["price"].form
    {'decimal': ','}
    """
    custom, given = custom or Custom(), given or {}
    first = {name: read_column(frame[name], custom, given.get(str(name))) for name in frame.columns}
    sure = [one for one in first.values() if not one.doubtful]
    marks = {
        one.form.get("decimal", ".")
        for one in sure
        if one.kind == "number" and one.form.get("marked")
    }
    orders = {one.form["order"] for one in sure if one.form.get("order") in ("dmy", "mdy")}
    known = Custom(
        marks.pop() if len(marks) == 1 else custom.decimal,
        orders.pop() if len(orders) == 1 else custom.order,
        custom.commas,
        custom.missing,
        custom.with_commas,
    )
    out = {}
    for name, one in first.items():
        found = read_column(frame[name], known, given.get(str(name))) if one.doubtful else one
        form = {key: value for key, value in found.form.items() if key != "marked"}
        out[str(name)] = Reading(found.kind, form, found.doubtful, found.remarks)
        if found.kind in ("number", "boolean") and "kind" not in given.get(str(name), {}):
            mark = _only_mark(frame[name])
            if mark:
                remark = f"holds {mark!r} or nothing, and is read as categories"
                out[str(name)] = Reading("category", remarks=(remark,))
    return out


def _only_mark(values: pd.Series) -> str:
    """The text of a column that holds it or nothing, as where boxes were ticked; else empty."""
    if _typed_kind(values) is not None:
        return ""
    some = values.iloc[:SOME_CELLS].dropna().unique()
    if len(some) != 1 or not values.isna().any() or not (values.isna() | (values == some[0])).all():
        return ""
    return str(some[0])


def read_column(
    values: pd.Series, custom: Custom | None = None, given: Mapping[str, Any] | None = None
) -> Reading:
    """Kind and form of one column.

    Parameters
    ----------
    values : Series of shape (n,)
    custom : Custom, optional
        What is known from other columns.
    given : mapping, optional
        What a person decided: ``kind`` and entries of `Reading.form`.

    Returns
    -------
    Reading
        A column without any value counts as numbers.

    Raises
    ------
    InputError
        If it holds lists or complex numbers.

    Examples
    --------
    >>> read_column(pd.Series(["$1,200.50", "?", "$80"])).form["unit"]
    '$'
    """
    custom, decided = custom or Custom(), dict(given or {})
    kind = decided.pop("kind", None)
    decided = {key: decided[key] for key in FORM_KEYS if key in decided}
    asked = {str(mark).lower() for mark in (*custom.missing, *decided.get("missing", ()))}
    typed = _typed_kind(values)
    if typed == "number" and kind in (None, "date"):
        order = _compact_order(values)
        if order is not None:
            return Reading("date", {"order": order, **decided})
        moments = _moments(values.name, values.dropna())
        if moments is not None:
            return Reading("date", {**moments.form, **decided}, remarks=moments.remarks)
    if typed is not None:
        if types.is_timedelta64_dtype(values.dtype):
            decided = {"unit": HOURS, **decided}
        if typed == "number" and values.name in custom.with_commas:
            decided = {"decimal": ",", **decided}
        if typed == "number" and asked:
            decided["missing"] = sorted({*custom.missing, *decided.get("missing", ())})
        return Reading(kind or typed, decided, remarks=_typed_remarks(values, typed))
    if kind in (None, "number") and not asked and vary(values):
        plain = _plain_style(values, custom, given)
        if plain is not None:
            return plain
    codes, texts = distinct_texts(values)
    rows = np.bincount(codes[codes >= 0], minlength=len(texts))
    counts = pd.Series(rows, index=pd.Index(texts, dtype=object)).sort_values(
        ascending=False, kind="stable"
    )
    cells = pd.Series(counts.index.to_numpy(dtype=object), dtype=str)
    if kind in ("category", "text"):
        return Reading(kind, decided)
    folded = cells.str.lower()
    asked_for = folded.isin(asked)
    marked = folded.isin(MISSING_MARKS) | asked_for
    found = _find(values.name, cells[~marked], counts, custom, decided, kind)
    if found.kind in ("category", "text"):
        marked = folded.isin(MISSING_CATEGORIES) | asked_for
        if found.kind == "text" or marked.all():
            marked = asked_for
    missing = [*cells[marked], *found.form.get("missing", [])]
    form = {**found.form, **decided}
    if missing:
        form["missing"] = sorted({*map(str, missing), *decided.get("missing", ())})
    return Reading(found.kind, form, found.doubtful, found.remarks)


def _plain_style(
    values: pd.Series, custom: Custom, given: Mapping[str, Any] | None
) -> Reading | None:
    """A column whose first cells are numbers beyond doubt, if all others are written alike."""
    found = read_column(values.iloc[:SOME_CELLS], custom, given)
    told = found.doubtful or found.remarks or found.form.get("missing")
    if found.kind != "number" or told or not found.form.get("marked"):
        return None
    style = NumberStyle.from_dict(found.form)
    clear = style.decimal in (".", ",") and style.unit not in (HOURS, LAPS)
    return found if clear and quick_numbers(values, style) is not None else None


def _find(
    name: Any,
    cells: pd.Series,
    counts: pd.Series,
    custom: Custom,
    decided: Mapping[str, Any],
    kind: str | None,
) -> Reading:
    """Read the different cells of a column of text."""
    if not len(cells):
        return Reading("number" if kind is None else kind)  # type: ignore[arg-type]
    if kind in (None, "boolean") and is_truth(cells):
        return Reading("boolean")
    for some, odd in _without_odd_words(cells, counts):
        found = _numbers_or_dates(name, some, custom, decided, kind)
        if found is None:
            continue
        far = found.form.get("missing", [])
        told = (
            [f"{_with_rows(far, counts)} outside of 1678 to 2261 counts as missing"] if far else []
        )
        told += [f"{_with_rows(odd, counts)} counts as missing"] if odd else []
        form = {**found.form, "missing": [*far, *odd]} if far or odd else found.form
        return Reading(found.kind, form, found.doubtful, (*found.remarks, *told))
    if kind is not None:
        return Reading(kind, {})  # type: ignore[arg-type]
    if is_running_text(cells, counts):
        return Reading("text")
    return Reading("category", remarks=_nearly_numbers(cells, counts))


def _numbers_or_dates(
    name: Any, cells: pd.Series, custom: Custom, decided: Mapping[str, Any], kind: str | None
) -> Reading | None:
    cells = plain_signs(cells)
    found = _as_dates(name, cells, custom, decided, kind) if kind in (None, "date") else None
    if found is None and kind is None and are_versions(str(name), cells):
        longest = cells[cells.str.len().idxmax()]
        remark = f"holds versions such as {longest!r}, and is read as categories"
        return Reading("category", remarks=(remark,))
    if found is None and kind in (None, "number"):
        unit = HOURS if are_hours(cells) else LAPS if are_laps(cells) else None
        hours = None if unit is None else Reading("number", {"unit": unit})
        found = hours or _as_numbers(cells, custom, decided)
    return found


def _as_dates(
    name: Any, cells: pd.Series, custom: Custom, decided: Mapping[str, Any], kind: str | None
) -> Reading | None:
    prefer = decided.get("order", custom.order)
    prefer = prefer if prefer in ("dmy", "mdy") else None
    this_year = datetime.date.today().year
    latest = decided.get("latest", this_year if BIRTH_NAME.search(str(name)) else LATEST_YEAR)
    compact = dict.fromkeys(("compact", "compact days first"), DATE_NAME)
    names = {**compact, "compact month": MONTH_NAME, "month yy": MONTH_NAME}
    by_name = [order for order in names if kind == "date" or names[order].search(str(name))]
    date = find_date_style(cells, prefer, by_name, latest)
    return _moments(name, cells) if date is None else _dates(cells, date)


def _moments(name: Any, cells: pd.Series) -> Reading | None:
    """Moments that are counted, in a column that is called a time or a day."""
    names = {"seconds": MOMENT_NAME, "milliseconds": MOMENT_NAME, "serial": SERIAL_NAME}
    way = find_epoch(cells, [way for way in names if names[way].search(str(name))])
    units = "days since 1900, as spreadsheets count" if way == "serial" else f"{way} since 1970"
    remark = f"its numbers are read as {units}"
    return None if way is None else Reading("date", {"order": way}, remarks=(remark,))


def _as_numbers(cells: pd.Series, custom: Custom, decided: Mapping[str, Any]) -> Reading | None:
    style = find_number_style(cells, decided.get("decimal", custom.decimal), custom.commas)
    if style is None:
        return None
    value = parse_numbers(pd.Series([style.doubtful]), style)[0] if style.doubtful else 0.0
    told = [f"{style.doubtful!r} is read as {value:.10g}"] if style.doubtful else []
    told += ["'.' and ',' are both decimal marks"] if style.decimal == ".," else []
    told += _choices(cells) if custom.commas == "thousands" else []
    told += _estimates(cells, style)
    codes = cells[cells.str.fullmatch(r"\d+E\d+")][:1]
    told += [f"{c!r} is read as {x:.10g}" for c, x in zip(codes, parse_numbers(codes, style))]
    if has_doubtful_zeros(cells):
        zero = cells[cells.str.fullmatch(NEEDLESS)].iloc[0]
        told.append(f"{zero!r} is read as {float(zero):g}; versions are of the kind 'category'")
    some = (cells[:1000], cells)
    marked = not style.doubtful and any(s.str.contains(r"[0-9][.,][0-9]").any() for s in some)
    form = style.to_dict() | ({"marked": True} if marked else {})
    return Reading("number", form, style.doubtful, tuple(told))


def _choices(cells: pd.Series) -> list[str]:
    """What to say of cells such as ``1,3`` that may be two answers, not a fraction."""
    if len(cells) > MOST_CHOICES or not cells.str.fullmatch(r"\d(?:,\d)?").all():
        return []
    both = cells[cells.str.len() > 1][:1]
    return [
        f"{cell!r} is read as {float(cell.replace(',', '.')):g}, not as two answers"
        for cell in both
    ]


def _estimates(cells: pd.Series, style: NumberStyle) -> list[str]:
    """What to say of cells that are a bound, a share of a whole or a debit, not just a number."""
    if not cells.str.contains(r"[<>≤≥~≈+/a-zA-Z(\[*†‡§]").any():
        return []
    asides = with_asides(cells)
    bounds = cells[cells.str.match(rf"{BOUND}|.*[0-9].*{OPEN_END}$|[0-9][0-9.,]*\+")]
    grades = cells.str.endswith("-") & (style.unit == GRADES)
    bounds = cells[cells.isin(bounds) | cells.isin(asides) | grades]
    what = "is read as the number in it" if len(bounds) == 1 else "are read as the numbers in them"
    told = [f"{listing(bounds)} {what}"] if len(bounds) else []
    for kind in (r".*[0-9] ?/ ?[0-9]+$", r".*[0-9] ?(?:D[Rr]|S)$"):
        some = cells[cells.str.match(kind)][:1]
        told += [f"{c!r} is read as {x:.10g}" for c, x in zip(some, parse_numbers(some, style))]
    return told


def _dates(cells: pd.Series, style: DateStyle) -> Reading:
    """Dates of one style, of which those too far away are missing."""
    told = []
    if ALSO in style.order:
        told.append(f"its dates are written in several ways: {style.in_words}")
    if style.order == "month yy":
        told.append(f"{cells.iloc[0]!r} is read as a month and a year")
    if style.doubtful:
        first = {"dmy": "days", "mdy": "months"}.get(style.order, "years")
        told.append(f"{style.doubtful!r} could be two days; {first} come first")
    if style.latest is not None:
        told.append(f"years of two digits are {style.latest - 99} to {style.latest}")
    far = is_far(parse_dates(cells, style))
    if far.all():
        return Reading("category", remarks=("holds dates outside of 1678 to 2261",))
    form = style.to_dict() | ({"missing": sorted(cells[far])} if far.any() else {})
    return Reading("date", form, style.doubtful, tuple(told))


def is_far(days: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Which days, counted from 1970, are no days that a person means."""
    return (days < EARLIEST) | (days > LATEST)


def _typed_remarks(values: pd.Series, kind: ColumnKind) -> tuple[str, ...]:
    if kind != "date":
        return ()
    far = is_far(days_since_1970(pd.to_datetime(values, utc=True)))
    if not far.any():
        return ()
    cells = [str(cell) for cell in values[far].unique()]
    return (f"{listing(cells)} ({_rows(far.sum())}) outside of 1678 to 2261 counts as missing",)


def _with_rows(cells: list[str], counts: pd.Series) -> str:
    return f"{listing(cells)} ({_rows(counts[cells].sum())})"


def _rows(count: int) -> str:
    return "1 row" if count == 1 else f"{count} rows"


def _without_odd_words(cells: pd.Series, counts: pd.Series) -> list[tuple[pd.Series, list[str]]]:
    """All cells, and if few are words among many with digits those without the words."""
    digits = cells.str.contains(r"\d")
    odd = cells[~digits]
    ways: list[tuple[pd.Series, list[str]]] = [(cells, [])]
    few = 0 < len(odd) <= MOST_ODD_WORDS
    share = 0.5 if len(odd) == 1 and len(cells) > FEWEST_NUMBERS else ODD_SHARE
    if few and counts[odd].sum() <= share * counts[cells].sum():
        ways.append((cells[digits], sorted(odd)))
    return ways


def _nearly_numbers(cells: pd.Series, counts: pd.Series) -> tuple[str, ...]:
    """Name the cell that keeps a column from being one of numbers or dates, if nearly all are."""
    if cells.str.match(_DIGITS_FIRST).mean() <= 0.5:
        return ()
    ways = [("numbers", parse_numbers(cells, NumberStyle(mark))) for mark in ".,"]
    ways += [("dates", parse_dates(cells, DateStyle(order))) for order in ("dmy", "mdy", "iso")]
    for what, found in ways:
        bad = np.isnan(found)
        share = counts[cells[~bad]].sum() / counts[cells].sum()
        if bad.any() and share >= 1.0 - ODD_SHARE:
            return (
                f"looks like {what} but for {listing(cells[bad])}, and is read as categories; "
                "correct these cells, or name them by --missing",
            )
    dates = [found for what, found in ways if what == "dates"]
    if not cells.str.isdigit().all() and not np.isnan(dates).all(axis=0).any():
        return ("holds dates that are written in several ways, and is read as categories",)
    marked = cells.str.startswith("0").any() or cells.str.endswith(".").all()
    if marked and cells.str.fullmatch(_DAY).all():
        return (f"holds days without a year such as {cells.iloc[0]!r}, and is read as categories",)
    if cells.str.fullmatch(_PAIR).all():
        return (
            f"holds pairs of numbers such as {cells.iloc[0]!r}, and is read as categories; give "
            "each number a column of its own",
        )
    units = units_of(cells)
    if len(units) > 1 and any(unit in UNITS for unit in units):
        return (f"holds numbers of several units, {listing(units)}, and is read as categories",)
    return ()


def is_truth(cells: pd.Series) -> bool:
    """Whether the different cells of a column are words for true and false, of one language."""
    if len(cells) > MOST_SPELLINGS:
        return False
    words = set(cells.str.casefold())
    spoken = words - {"0", "1"}
    both = len({TRUTH.get(word) for word in words}) == 2
    mixed = any(spoken <= no | yes and spoken for no, yes in TRUTH_WORDS) or words <= ANSWERS
    return (both and mixed) or words in ({"true"}, {"false"})


def is_running_text(cells: pd.Series, counts: pd.Series) -> bool:
    """Whether cells are sentences rather than names of categories."""
    n_rows = int(counts[cells].sum())
    if n_rows < FEWEST_TEXTS or len(cells) < 0.5 * n_rows:
        return False
    words = cells.str.count(r"[^\W\d_]{2,}")
    if float(words.mean()) < FEWEST_WORDS:
        return False
    apart = cells.str.contains(r"\s|[\u2e80-\U0003ffff]", regex=True)
    return bool(apart.mean() >= 0.5)  # no addresses of mail, paths or names of files


def _typed_kind(values: pd.Series) -> ColumnKind | None:
    """Kind of a column that does not hold text; None for text."""
    kind = values.dtype
    if types.is_bool_dtype(kind):
        return "boolean"
    if isinstance(kind, pd.CategoricalDtype):
        return "category"
    if types.is_datetime64_any_dtype(kind):
        return "date"
    if types.is_complex_dtype(kind):
        raise InputError(f"column {values.name!r} holds complex numbers; drop it with --drop.")
    if types.is_timedelta64_dtype(kind) or types.is_numeric_dtype(kind) or not values.notna().any():
        return "number"
    return _kind_of_objects(values.name, values.dropna()) if types.is_object_dtype(kind) else None


def _compact_order(values: pd.Series) -> str | None:
    """How whole numbers such as 20240131 are dates, in a column that is called so."""
    numbers = pd.to_numeric(values.dropna())
    if not len(numbers) or types.is_bool_dtype(numbers.dtype):
        return None
    name, (least, most) = str(values.name), (numbers.min(), numbers.max())
    allowed = [
        order
        for order, pattern, ends in (
            ("compact", DATE_NAME, (19_000_101, 20_991_231)),
            ("compact days first", DATE_NAME, (1_011_900, 31_122_099)),
            ("compact month", MONTH_NAME, (190_001, 209_912)),
            ("compact time", re.compile(""), (19_000_101_000_000, 20_991_231_235_959)),
        )
        if ends[0] <= least and most <= ends[1] and pattern.search(name)
    ]
    if not allowed or (numbers % 1).any():
        return None
    cells = pd.Series(numbers.astype("int64").unique()).astype(str).astype(object)
    found = find_date_style(cells, by_name=allowed)
    return found.order if found is not None and found.order in allowed else None


def _kind_of_objects(name: Any, present: pd.Series) -> ColumnKind | None:
    found = set(present.map(type).unique())
    if found == {str}:
        return None
    if found == {bool}:
        return "boolean"
    if found <= {int, float, Decimal}:
        return "number"
    if any(hasattr(kind, "__len__") and kind is not str for kind in found):
        odd = next(kind.__name__ for kind in found if kind is not str)
        raise InputError(
            f"column {name!r} holds {odd} objects; give numbers, text, dates or booleans, "
            "or drop it with --drop."
        )
    return None
