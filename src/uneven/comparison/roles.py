"""Columns that identify rows instead of describing them: row numbers, ids, codes.

A learner that may use them learns the table by heart. Constant columns and copies of others bring
nothing. All are left out with a sentence, and ``--keep`` uses them.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from pandas.api import types

from uneven.comparison.celltexts import as_text, distinct_texts
from uneven.comparison.reading import Reading
from uneven.comparison.spellings import plain_signs
from uneven.comparison.viewfile import EMPTY

FEWEST_IDS = 20
"""In shorter tables values differ, or agree, by chance."""

DENSE = 0.5
"""Whole numbers, all different, that fill this share of their range are keys in another order."""

HEAD = 1000
"""So many rows tell most columns apart."""

MOST_CODES = 50
"""Codes with zeros in front of up to so many values are categories."""

KEY_NAME = re.compile(
    r"(?:^|[\W_])(?:id|ids|uuid|guid|key|nr|no|num|number|nummer|kennung|index|idx|code|serial|ssn|ean|gtin"
    r"|isbn|imei|barcode|iban|phone|telephone|tel|telefon|t[ée]l[ée]phone|mobile|mobil|handy|fax|msisdn)"
    r"\.?$|[a-zäöüß](?:nr\.?|nummer|kennung)$|[a-z](?:ID|Id|Key)$"
    r"|(?:^|[\W_])(?:n[°º]|num[eé]ro|núm|número|c[oó]digo)(?:$|[\W_])",
    re.IGNORECASE,
)
ID_NAME = re.compile(r"(?:^|[\W_])(?:id|uuid|guid)$|[a-z](?:ID|Id)$|^ID$")
POSTAL_NAME = re.compile(
    r"(?:^|[\W_])(?:plz|zip|zip ?code|postcode|post ?code|postal ?code|postleitzahl)(?:$|[\W_])",
    re.IGNORECASE,
)


def useless_columns(
    frame: pd.DataFrame, readings: Mapping[str, Reading], keep: Collection[str] = ()
) -> dict[str, str]:
    """Columns to leave out, and why.

    Parameters
    ----------
    frame : DataFrame of shape (n, d)
    readings : mapping of str to Reading
        What the columns hold.
    keep : collection of str
        Columns to use all the same, unless they are empty.

    Returns
    -------
    dict of str to str
        Reasons that follow the name of the column, as in "only numbers the rows and is left out".

    Examples
    --------
    >>> frame = pd.DataFrame({"id": range(7, 47), "size": [1, 2] * 20})
    >>> useless_columns(frame, {"id": Reading("number"), "size": Reading("number")})
    {'id': 'only numbers the rows and is left out (--keep id to use it)'}
    """
    found: dict[str, str] = {}
    seen: dict[int, list[str]] = {}
    for name in frame.columns:
        values = frame[name]
        if values.isna().all() or _only_marks(values, readings[name]):
            found[name] = EMPTY
            continue
        if name in keep or len(frame) < FEWEST_IDS:
            continue
        reason = _reason(str(name), values, readings[name]) or _copy_of(values, frame, seen)
        if reason:
            found[name] = f"{reason} and is left out (--keep {name} to use it)"
    return found


def _only_marks(values: pd.Series, reading: Reading) -> bool:
    marks = reading.form.get("missing", ())
    if not marks:
        return False
    if types.is_numeric_dtype(values.dtype):
        numbers = pd.to_numeric(pd.Series(list(marks), dtype=object), errors="coerce")
        return bool(values.dropna().isin(numbers).all())
    return bool(as_text(values).dropna().isin(marks).all())


def _reason(name: str, values: pd.Series, reading: Reading) -> str:
    if reading.kind in ("date", "text", "boolean"):
        return "holds a single value" if _is_constant(values) else ""
    if _is_constant(values):
        return "holds a single value"
    if reading.kind == "number":
        return _number_reason(name, values, reading)
    codes, cells = distinct_texts(values)
    distinct, n_filled = len(cells), int((codes >= 0).sum())
    if POSTAL_NAME.search(name) and distinct > FEWEST_IDS:
        return "looks like postal codes"
    if distinct > MOST_CODES and cells.str.fullmatch(r"\d+").all():
        return "holds codes of digits with zeros in front, such as postal codes,"
    if isinstance(values.dtype, pd.CategoricalDtype) or n_filled < FEWEST_IDS:
        return ""
    if distinct == n_filled:
        return "holds a different text in every row"
    named = ID_NAME.search(name) is not None and distinct > FEWEST_IDS
    return "is named like an identifier" if named else ""


def _number_reason(name: str, values: pd.Series, reading: Reading) -> str:
    if types.is_bool_dtype(values.dtype) or types.is_timedelta64_dtype(values.dtype):
        return ""
    if types.is_float_dtype(values.dtype) and (values.iloc[:FEWEST_IDS].dropna() % 1).any():
        return ""
    if types.is_numeric_dtype(values.dtype):
        numbers = values.dropna().to_numpy(np.float64)
    else:
        some = pd.to_numeric(values.iloc[:HEAD].astype(object), errors="coerce")
        if (some.dropna() % 1).any():
            return ""
        codes, cells = distinct_texts(values)
        found = pd.to_numeric(plain_signs(pd.Series(cells)).astype(object), errors="coerce")
        numbers = np.append(found.to_numpy(np.float64), np.nan)[codes]
        numbers = numbers[~np.isnan(numbers)]
    whole = types.is_integer_dtype(values.dtype)
    if not len(numbers) or not (whole or _are_whole(numbers)):
        return ""
    named = POSTAL_NAME.search(name) or ID_NAME.search(name)
    if numbers.max() - numbers.min() + 1 < len(values) and not named:
        return ""  # too few numbers to tell the rows apart
    distinct = np.unique(numbers)
    if len(distinct) == len(values) and not reading.form.get("unit"):
        if (np.diff(numbers) == 1).all():
            return "only numbers the rows"
        filled = len(distinct) / (distinct[-1] - distinct[0] + 1)
        sorted_already = (np.diff(numbers) > 0).all()
        if filled >= DENSE and not sorted_already:
            return "holds a different whole number in every row, without gaps as keys do,"
        if KEY_NAME.search(name):
            return "is named like an identifier and differs in every row"
    if len(distinct) > FEWEST_IDS and POSTAL_NAME.search(name):
        return "looks like postal codes"
    if len(distinct) > FEWEST_IDS and ID_NAME.search(name):
        return "is named like an identifier"
    return ""


def _are_whole(numbers: NDArray[np.float64]) -> bool:
    return bool(np.isfinite(numbers).all() and not (numbers % 1).any())


def _is_constant(values: pd.Series) -> bool:
    """Whether every row holds the same value; one that some rows lack tells something."""
    first = values.iloc[0]
    few = values.iloc[:FEWEST_IDS]
    return not values.hasnans and bool((few == first).all()) and bool((values == first).all())


def _copy_of(values: pd.Series, frame: pd.DataFrame, seen: dict[int, list[str]]) -> str:
    """Which column before holds the same cells; only those that begin alike are compared."""
    key = int(pd.util.hash_pandas_object(values.iloc[:HEAD], index=False).sum())
    others = seen.setdefault(key, [])
    for other in others:
        if values.equals(frame[other].rename(values.name)):
            return f"repeats column {other!r}"
    others.append(str(values.name))
    return ""
