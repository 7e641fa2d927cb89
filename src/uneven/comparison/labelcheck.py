"""Labels from which nothing can be learnt: one class, one row of each, numbers of a regression.

Nothing but the standard library is needed to see it in a small CSV file.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from typing import Any

from uneven.comparison.errors import InputError
from uneven.comparison.marks import MISSING_MARKS

MOST_NUMERIC_CLASSES = 50
MOST_FRACTIONAL_CLASSES = 10
WHOLE = re.compile(r"[-+]?\d{1,300}")
CODE = re.compile(r"[-+]?0\d")
NUMBER = re.compile(r"[-+]?(\d+\.?\d*|\.\d+)([eE][-+]?\d+)?")


def exact_number_list(cells: Iterable[Any], decimal: str = ".") -> list[int | float] | None:
    """The numbers that cells spell, without rounding; None if one is none, or a code such as 01.

    Parameters
    ----------
    cells : iterable
    decimal : str
        Decimal mark.

    Examples
    --------
    >>> exact_number_list(["9007199254740993", "1.5"]), exact_number_list(["1", "NA"])
    ([9007199254740993, 1.5], None)
    >>> exact_number_list(["01", "10"]) is None
    True
    """
    words = [str(cell).strip().replace(decimal, ".") for cell in cells]
    if not all(map(NUMBER.fullmatch, words)) or any(map(CODE.match, words)):
        return None
    numbers = [int(word) if WHOLE.fullmatch(word) else float(word) for word in words]
    is_finite = all(isinstance(number, int) or math.isfinite(number) for number in numbers)
    return numbers if is_finite else None


def is_whole(number: Any) -> bool:
    """Whether a number has no fraction."""
    return isinstance(number, int) or (math.isfinite(number) and number == int(number))


def check_several(distinct: Collection[Any], target: Any, name: str) -> None:
    """Refuse a single class.

    Parameters
    ----------
    distinct : collection
        The different labels.
    target, name : str
        The column, and what to call the table.
    """
    if len(set(distinct)) < 2:
        raise InputError(
            f"the target column {target!r} of {name} holds a single class "
            f"({str(next(iter(distinct)))!r}); at least two are needed."
        )


def check_few(distinct: Collection[Any], target: Any) -> None:
    """Refuse more different numbers than classes have."""
    whole = all(map(is_whole, distinct))
    n_distinct = len(set(distinct))
    if n_distinct > (MOST_NUMERIC_CLASSES if whole else MOST_FRACTIONAL_CLASSES):
        raise InputError(
            f"the target column {target!r} holds {n_distinct} different numbers, which looks "
            "like regression; group them into classes first, or name another --target."
        )


def check_repeated(largest: int, name: str) -> None:
    """Refuse a table none of whose classes has two rows."""
    if largest < 2:
        raise InputError(
            f"no class of {name} has two rows, so nothing can be held out; the table needs "
            "more rows of them."
        )


def check_cells(
    cells: Sequence[str], target: str, name: str, *, decimal: str = ".", held_out: bool = False
) -> None:
    """Refuse the cells of a target column from which nothing can be learnt.

    Cells that may be marks of missing labels are left to the reader of the table.

    Parameters
    ----------
    cells : sequence of str
        All of the column, as the file spells them.
    target, name : str
        The column, and what to call the table.
    decimal : str
        Decimal mark.
    held_out : bool
        Whether rows are to be held out.

    Raises
    ------
    InputError

    Examples
    --------
    >>> check_cells(["a", "", " a"], "kind", "table.csv")
    Traceback (most recent call last):
    ...
    uneven.comparison.errors.InputError: the target column 'kind' of table.csv holds a single ...
    """
    filled = [word for cell in cells if (word := cell.strip())]
    if not filled:
        raise InputError(f"the target column {target!r} is empty in all {len(cells)} rows.")
    if any(word.casefold() in MISSING_MARKS for word in filled):
        return
    numbers = exact_number_list(filled, decimal)
    counts = Counter[Any](filled if numbers is None else numbers)
    check_several(counts, target, name)
    if numbers is not None:
        check_few(counts, target)
    if held_out:
        check_repeated(max(counts.values()), name)


def class_names(cells: Iterable[str], decimal: str = ".") -> list[int] | list[str] | None:
    """The classes that labels of a file name; None if some may be missing or are fractions.

    Examples
    --------
    >>> class_names(["b ", "a", "", "b"]), class_names(["2", "1.0"]), class_names(["a", "?"])
    (['a', 'b'], [1, 2], None)
    """
    filled = {word for cell in cells if (word := cell.strip())}
    if not filled or any(word.casefold() in MISSING_MARKS for word in filled):
        return None
    numbers = exact_number_list(filled, decimal)
    if numbers is None:
        return sorted(filled)
    return sorted({int(one) for one in numbers}) if all(map(is_whole, numbers)) else None
