"""Class labels, exactly as the table spells them: two values never become one class."""

from __future__ import annotations

import re
from decimal import Decimal
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from pandas.api import types

from uneven.comparison.errors import InputError
from uneven.comparison.labelcheck import (
    MOST_FRACTIONAL_CLASSES,
    check_few,
    check_several,
    exact_number_list,
    is_whole,
)
from uneven.comparison.numbers import find_number_style, parse_numbers

INT64 = np.iinfo(np.int64)


def exact_numbers(texts: pd.Series, decimal: str = ".") -> pd.Series:
    """Turn a column of text into Python numbers if every cell is a number, without rounding.

    Parameters
    ----------
    texts : Series of shape (n,)
        Text, NaN where a cell is empty.
    decimal : str
        Decimal mark.

    Returns
    -------
    Series of shape (n,)
        Objects: int for whole numbers of any size, float for others; or the text as it was.

    Examples
    --------
    >>> exact_numbers(pd.Series(["9007199254740993", "1.5"])).tolist()
    [9007199254740993, 1.5]
    >>> exact_numbers(pd.Series(["1", "NA"])).tolist()
    ['1', 'NA']
    """
    codes, distinct = pd.factorize(texts)
    numbers = exact_number_list(distinct, decimal)
    if numbers is None:
        return texts
    values = np.empty(len(numbers) + 1, dtype=object)
    values[:] = [*numbers, np.nan]
    return pd.Series(values[codes], index=texts.index, name=texts.name, dtype=object)


def class_labels(values: pd.Series, name: str = "table") -> NDArray:
    """Labels of a target column without missing cells, see `coded_labels`.

    Returns
    -------
    ndarray of shape (n,)

    Examples
    --------
    >>> class_labels(pd.Series([2.0, 1.0])).tolist()
    [2, 1]
    >>> class_labels(pd.Series([1e20, 2e20])).tolist()
    ['100000000000000000000', '200000000000000000000']
    """
    codes, classes = coded_labels(values, name)
    return classes[codes]


def coded_labels(values: pd.Series, name: str = "table") -> tuple[NDArray[np.intp], NDArray]:
    """Classes of a target column without missing cells, and which one each row has.

    Parameters
    ----------
    values : Series of shape (n,)
        The target column.
    name : str
        What to call the table in an error.

    Returns
    -------
    codes : ndarray of int, shape (n,)
    classes : ndarray of shape (n_classes,)
        Sorted: integers where the column holds whole numbers of 64 bits, else text without blanks
        around it.

    Raises
    ------
    InputError
        If there is a single class, if cells are lists, or if it looks like regression.

    Examples
    --------
    >>> codes, classes = coded_labels(pd.Series(["b ", "a", "b"]))
    >>> codes.tolist(), classes.tolist()
    ([1, 0, 1], ['a', 'b'])
    """
    if types.is_object_dtype(values.dtype):
        nested = next((cell for cell in values if types.is_list_like(cell)), None)
        if nested is not None:
            raise InputError(
                f"the target column {values.name!r} of {name} holds {type(nested).__name__} "
                "objects; give text, whole numbers or booleans, or name another --target."
            )
    codes, distinct = _distinct(values)
    numeric = _all_numbers(values, distinct)
    if not numeric:
        texts = [str(cell).strip() for cell in distinct]
        again, distinct = pd.factorize(np.array(texts, dtype=object))
        codes = again[codes]
    check_several(distinct, values.name, name)
    if not numeric:
        _refuse_amounts(pd.Series(distinct, dtype=str), values.name)
    labels = _number_labels(distinct, values.name) if numeric else np.array(list(distinct))
    classes, places = np.unique(labels, return_inverse=True)
    return places[codes], classes


def spelled_alike(labels: NDArray, target: str) -> list[str]:
    """A sentence about classes that differ in case, inner blanks or zeros in front only.

    Examples
    --------
    >>> spelled_alike(np.array(["Yes", "no", "yes"]), "paid")
    ["classes of 'paid' are spelled alike but for case, blanks or zeros: 'Yes' and 'yes'; ..."]
    >>> spelled_alike(np.array(["yes", "no"]), "paid")
    []
    """
    alike: dict[str, list[str]] = {}
    for label in map(str, np.unique(labels)):
        plain = re.sub(r"^0+(?=\d)", "", " ".join(label.casefold().split()))
        alike.setdefault(plain, []).append(label)
    found = [
        ", ".join(map(repr, same[:-1])) + f" and {same[-1]!r}"
        for same in alike.values()
        if len(same) > 1
    ]
    if not found:
        return []
    return [
        f"classes of {target!r} are spelled alike but for case, blanks or zeros: "
        f"{'; '.join(found[:3])}; they count as different ones, so write them in one way if they "
        "are the same."
    ]


def header_among(y: NDArray, target: str) -> list[str]:
    """A sentence about a row whose label is the name of the column.

    Examples
    --------
    >>> header_among(np.array(["yes", "no", "paid"]), "paid")
    ["one row is labelled 'paid', as the column is called; does a second table begin there?"]
    """
    if y.dtype.kind not in "UO" or (y == target).sum() != 1:
        return []
    return [
        f"one row is labelled {target!r}, as the column is called; does a second table begin there?"
    ]


def _distinct(values: pd.Series) -> tuple[NDArray[np.intp], list[Any]]:
    """Which of the different cells each row holds, and these; objects of other types differ."""
    if types.is_object_dtype(values.dtype):
        place: dict[Any, int] = {}
        keys = [(type(cell), cell) for cell in values]
        codes = np.array([place.setdefault(key, len(place)) for key in keys], dtype=np.intp)
        return codes, [cell for _, cell in place]
    codes, found = pd.factorize(values)
    return codes, found.tolist()


def _all_numbers(values: pd.Series, cells: list[Any]) -> bool:
    if types.is_object_dtype(values.dtype):
        return all(type(cell) in (int, float, Decimal) for cell in cells)
    return types.is_numeric_dtype(values.dtype) and not types.is_bool_dtype(values.dtype)


def _refuse_amounts(cells: pd.Series, target: Any) -> None:
    """Refuse amounts with a unit or grouped thousands, such as prices, if many differ."""
    style = find_number_style(cells) if len(cells) > MOST_FRACTIONAL_CLASSES else None
    if style is not None:
        numbers = parse_numbers(cells, style)
        check_few(numbers[~np.isnan(numbers)], target)


def _number_labels(distinct: list[Any], target: Any) -> NDArray:
    check_few(distinct, target)
    if not all(map(is_whole, distinct)):
        return np.array([_spelling(number) for number in distinct])
    integers = [int(number) for number in distinct]
    small = min(integers) >= INT64.min and max(integers) <= INT64.max
    return np.array(integers, dtype=np.int64) if small else np.array([str(i) for i in integers])


def _spelling(number: Any) -> str:
    """One text for one value: ``1`` and ``1.0`` are the same class."""
    return str(float(number)) if float(number) == number else str(number)
