"""Cells of a column as text without blanks around it, each different one looked at once."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray


def as_text(values: pd.Series) -> pd.Series:
    """Text without blanks around it, NaN for what is missing or blank, in object dtype."""
    codes, cells = distinct_texts(values)
    found = as_objects(cells)[codes]
    return pd.Series(found, index=values.index, name=values.name, dtype=object)


def as_objects(cells: pd.Series) -> NDArray:
    """Texts as an array of objects, of shape (n_cells + 1,); the last one, NaN, is for code -1."""
    found = np.empty(len(cells) + 1, dtype=object)
    found[:-1], found[-1] = np.asarray(cells, dtype=object), np.nan
    return found


def distinct_texts(values: pd.Series) -> tuple[NDArray[np.intp], pd.Series]:
    """The different texts of a column, without blanks around them, and which one each row has.

    Long columns repeat few texts: what is looked up for each different one is quick, and rows
    share the objects.

    Parameters
    ----------
    values : Series of shape (n,)

    Returns
    -------
    codes : ndarray of int, shape (n,)
        -1 for what is missing or blank.
    cells : Series of str, shape (n_cells,)
        In the order in which they appear.

    Examples
    --------
    >>> codes, cells = distinct_texts(pd.Series(["b", " a", None, "", "b "]))
    >>> codes.tolist(), cells.tolist()
    ([0, 1, -1, -1, 0], ['b', 'a'])
    """
    memo, key = _MEMO.get(), _place(values)
    if memo is None or key is None:
        return _distinct_texts(values)
    if key not in memo:
        memo[key] = (_distinct_texts(values), values.array)
    found: tuple[NDArray[np.intp], pd.Series] = memo[key][0]
    return found


def remembered(values: pd.Series, how: Hashable, make: Callable[[], Any]) -> Any:
    """What `make` makes of a column, made once while `remembered_texts` lasts; not to change."""
    memo, key = _MEMO.get(), _place(values)
    if memo is None or key is None:
        return make()
    if (key, how) not in memo:
        memo[key, how] = (make(), values.array)
    return memo[key, how][0]


def vary(values: pd.Series) -> bool:
    """Whether the first cells of a long column hardly repeat a text."""
    some = values.iloc[:SOME_CELLS]
    return len(values) > SOME_CELLS and some.nunique() > 0.9 * SOME_CELLS


SOME_CELLS = 2000
"""Number of first cells that are checked for distinct texts."""


@contextmanager
def remembered_texts() -> Iterator[None]:
    """Look each column of text through once while this lasts."""
    token = _MEMO.set({})
    try:
        yield
    finally:
        _MEMO.reset(token)


_MEMO: ContextVar[dict[Any, tuple[Any, Any]] | None] = ContextVar("texts", default=None)
"""What was found, and what it was made of, which must not move while it is the key."""


def _place(values: pd.Series) -> tuple[int, ...] | None:
    """Where the cells of a column of text lie in memory."""
    cells = getattr(values.array, "_pa_array", None)
    if cells is None:
        return None
    found = [(chunk.buffers()[-1], chunk.offset, len(chunk)) for chunk in cells.chunks]
    return tuple(
        number for buffer, *ends in found for number in (buffer.address if buffer else 0, *ends)
    )


def _distinct_texts(values: pd.Series) -> tuple[NDArray[np.intp], pd.Series]:
    if not isinstance(values.dtype, pd.StringDtype):
        present = values.notna().to_numpy()
        texts = np.full(len(values), None, dtype=object)
        texts[present] = [str(value) for value in values[present]]
        values = pd.Series(texts, dtype=object)
    codes, found = pd.factorize(values)
    cells = pd.Series(found, dtype=str)
    stripped = cells.str.strip() if len(cells) else cells
    if ((stripped != cells) | (stripped == "")).any():
        again, texts = pd.factorize(stripped.mask(stripped == ""))
        codes, cells = np.append(again, -1)[codes], pd.Series(texts, dtype=str)
    return codes, cells
