"""A table of rows that wait for labels, as a person and as a learner sees it."""

from __future__ import annotations

import hashlib
from collections import Counter
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import scipy.sparse as sp
from sklearn.feature_extraction.text import TfidfVectorizer

from uneven.experiments import Features, InputError, read_table, take_features
from uneven.experiments.encoding import encode_one_hot
from uneven.experiments.errors import listing
from uneven.experiments.labelfile import OURS
from uneven.experiments.problem import check_columns
from uneven.experiments.tables import PARQUET_SUFFIXES, table_style
from uneven.linear.rows import add_constant

__all__ = ["PoolTable", "read_pool"]

NUMBER = "row"
"""What rows are named by that have no name of their own."""


@dataclass(frozen=True)
class PoolTable:
    """The rows to label.

    Attributes
    ----------
    path : Path
    key : str
        What names the rows: a column, or "row".
    names : list of str
        Names of the rows.
    frame : DataFrame of shape (n_rows, n_columns)
        All columns.
    features : Features
        Columns to learn from, without running text.
    text : tuple of str
        Columns of running text.
    separator : str
        Of the file, a comma for Parquet.
    """

    path: Path
    key: str
    names: list[str]
    frame: pd.DataFrame
    features: Features
    text: tuple[str, ...]
    separator: str
    notes: tuple[str, ...] = field(default=())

    @cached_property
    def where(self) -> dict[str, int]:
        """Position of each row by its name."""
        return {name: i for i, name in enumerate(self.names)}

    @property
    def shown(self) -> list[str]:
        """Columns that a person sees beside the label."""
        return [name for name in self.frame.columns if name not in (self.key, *OURS)]

    def cells(self, rows: np.ndarray) -> list[list[str]]:
        """Text of the shown columns of some rows."""
        part = self.frame.iloc[rows][self.shown]
        return [[_as_text(cell) for cell in row] for row in part.itertuples(index=False, name=None)]

    def check(self, row: int) -> str:
        """A short word that changes with the row."""
        cells = self.frame.iloc[int(row)]
        text = "\x1f".join(f"{name}\x1e{_as_text(cell)}" for name, cell in cells.items())
        return "c" + hashlib.blake2b(text.encode(), digest_size=4).hexdigest()

    def matrix(self, constant: bool = False) -> Any:
        """The rows as numbers: columns imputed, scaled and split into categories, words weighed.

        Parameters
        ----------
        constant : bool
            Whether to add a column of ones.

        Returns
        -------
        ndarray or CSR of shape (n_rows, n_numbers)
        """
        parts: list[Any] = []
        if self.features.schema.columns:
            parts.append(encode_one_hot(self.features.schema).fit_transform(self.features.X))
        parts += [self._words(name) for name in self.text]
        sparse = any(sp.issparse(part) for part in parts)
        X: Any = sp.hstack(parts, format="csr") if sparse else np.hstack(parts)
        return add_constant(X) if constant else X

    def _words(self, name: str) -> Any:
        texts = self.frame[name].map(_as_text).tolist()
        try:
            return TfidfVectorizer(sublinear_tf=True).fit_transform(texts)
        except ValueError as error:
            raise InputError(f"--text {name!r} holds no words: {error}.") from error


def read_pool(
    path: Path,
    key: str | None = None,
    *,
    text: tuple[str, ...] = (),
    drop: tuple[str, ...] = (),
    keep: tuple[str, ...] = (),
    encoding: str = "utf-8",
) -> PoolTable:
    """Read the rows to label.

    Parameters
    ----------
    path : Path
        CSV or Parquet file.
    key : str or None
        Column that names the rows; None to number them from 1.
    text, drop, keep : tuple of str
        Columns of running text, columns to leave out, and to use although they look like ids.
    encoding : str
        Of a CSV file.

    Returns
    -------
    PoolTable
    """
    named = [key] if key is not None else []
    frame = read_table(
        path, expected=[*named, *text], text_columns=[*named, *text], encoding=encoding
    )
    for option, columns in (("--id", named), ("--text", text), ("--drop", drop), ("--keep", keep)):
        check_columns(frame, columns, option)
    left_out = dict.fromkeys(drop, "is left out by --drop")
    left_out |= dict.fromkeys(named, "names the rows") | dict.fromkeys(text, "is running text")
    features = take_features(frame, left_out, keep)
    if not features.schema.columns and not text:
        raise InputError(
            f"{path} has no column left to learn from; name columns of running text by --text."
        )
    names = _row_names(path, frame, key)
    comma = path.suffix.lower() in PARQUET_SUFFIXES
    separator = "," if comma else table_style(path, [*named, *text], encoding).separator
    notes = (*features.notes, *_own_names(frame, features))
    return PoolTable(path, key or NUMBER, names, frame, features, text, separator, notes)


def _row_names(path: Path, frame: pd.DataFrame, key: str | None) -> list[str]:
    if key is None:
        return [str(number) for number in range(1, len(frame) + 1)]
    names = [_as_text(cell) for cell in frame[key]]
    if "" in names:
        raise InputError(f"{path}: --id {key!r} is empty in row {names.index('') + 1}.")
    twice = [name for name, count in Counter(names).items() if count > 1]
    if twice:
        raise InputError(
            f"{path}: --id {key!r} names several rows {listing(twice)}; it must tell rows apart."
        )
    return names


def _own_names(frame: pd.DataFrame, features: Features) -> list[str]:
    """Columns that the file of labels cannot repeat because it has its own of that name."""
    taken = [name for name in frame.columns if name in (*OURS, NUMBER)]
    return [
        f"column {name!r} is not repeated beside the labels"
        + (f"; if it holds labels, leave it out: --drop {name}." if name in features.X else ".")
        for name in taken
    ]


def _as_text(cell: Any) -> str:
    """A cell as people read it; whole numbers without a point."""
    if cell is None or cell is pd.NaT or cell is pd.NA or cell != cell:
        return ""
    if isinstance(cell, float | np.floating):
        return f"{cell:.12g}"
    return str(cell).strip()
