"""A table of rows that wait for labels, as a person and as a learner sees it."""

from __future__ import annotations

import hashlib
import math
import unicodedata
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import scipy.sparse as sp

from uneven.comparison import Features, InputError, read_table, take_features
from uneven.comparison.encoding import encode_one_hot
from uneven.comparison.labelfile import LABEL, OURS
from uneven.comparison.schemafile import Decisions
from uneven.comparison.tables import READ, check_columns
from uneven.labelling.images import image_features, image_path, read_image
from uneven.linear.rows import add_constant
from uneven.utils.registry import listing

NUMBER = "row"
"""What rows are named by that have no name of their own."""

RARE = "infrequent_sklearn"
"""How scikit-learn calls rare categories that share an indicator."""

_NOT_IN_NAMES = {"Cc", "Cs", "Zl", "Zp"}
"""Kinds of signs: control, half of a pair, line and paragraph breaks."""


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
        Columns to learn from.
    separator, decimal : str
        Of the file, a comma and a point for Parquet.
    notes : tuple of str
        What the reader should know.
    label_column : str or None
        Column that holds the first labels.
    image : str or None
        Column of image files, below the folder of the table.
    """

    path: Path
    key: str
    names: list[str]
    frame: pd.DataFrame
    features: Features
    separator: str
    decimal: str
    notes: tuple[str, ...] = field(default=())
    label_column: str | None = None
    image: str | None = None

    @cached_property
    def where(self) -> dict[str, int]:
        """Position of each row by its name."""
        return {name: i for i, name in enumerate(self.names)}

    @property
    def shown(self) -> list[str]:
        """Columns that a person sees next to the label."""
        others = (self.key, self.label_column, *OURS)
        return [name for name in self.frame.columns if name not in others]

    @property
    def first_labels(self) -> dict[str, str]:
        """Labels that the table itself holds, by the names of the rows."""
        if self.label_column is None:
            return {}
        cells = zip(self.names, map(_as_text, self.frame[self.label_column]))
        return {name: cell for name, cell in cells if cell}

    def cells(self, rows: Sequence[int] | np.ndarray, decimal: str = ".") -> list[dict[str, str]]:
        """Text of the shown columns of some rows, by column."""
        columns = self._columns
        return [
            {name: _as_text(column[int(row)], decimal) for name, column in columns.items()}
            for row in rows
        ]

    @cached_property
    def _columns(self) -> dict[str, Any]:
        """The shown columns as arrays, of which a cell is taken in no time."""
        return {name: self.frame[name].array for name in self.shown}

    def shows(self, row: int, cells: Mapping[str, str]) -> bool:
        """Whether cells that a person saw, as a spreadsheet wrote them, are those of the row."""
        (now,) = self.cells([row])
        seen = [name for name in now if cells.get(name)]
        return bool(seen) and all(_alike(now[name], cells[name]) for name in seen)

    def check(self, row: int) -> str:
        """A short word that changes with the row."""
        cells = self.frame.iloc[int(row)]
        text = "\x1f".join(f"{name}\x1e{_as_text(cell)}" for name, cell in cells.items())
        content = text.encode("utf-8", "surrogatepass")
        return "c" + hashlib.blake2b(content, digest_size=4).hexdigest()

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
        if self.image is not None:
            parts.append(image_features(self.image_files()))
        is_sparse = any(sp.issparse(part) for part in parts)
        X: Any = sp.csr_array(sp.hstack(parts)) if is_sparse else np.hstack(parts)
        return add_constant(X) if constant else X

    @property
    def column_names(self) -> list[str]:
        """What the numbers of `matrix` mean, the constant aside."""
        names: list[str] = []
        if self.features.schema.columns:
            encoder = encode_one_hot(self.features.schema).fit(self.features.X)
            names += [self._in_words(str(name)) for name in encoder.get_feature_names_out()]
        return names

    def _in_words(self, name: str) -> str:
        """What a number means, such as ``country = DE`` for ``categories__country_DE``."""
        kind, _, rest = name.partition("__")
        columns = self.features.schema.of_kind("category") if kind == "categories" else []
        for column in sorted(columns, key=len, reverse=True):
            if rest.startswith(f"{column}_"):
                value = rest[len(column) + 1 :]
                return f"{column} = {'a rare value' if value == RARE else value}"
        return rest

    def image_cell(self, row: int) -> str:
        """What names the image of a row; empty without one."""
        return _as_text(self.frame[self.image].iloc[row]) if self.image else ""

    def image_of(self, row: int) -> tuple[bytes, str] | None:
        """The image of a row and its kind; None where there is none that may be shown."""
        return read_image(image_path(self.path.parent, self.image_cell(row)))

    def image_files(self) -> list[Path | None]:
        """The file of each image; None where there is none, or none below the folder."""
        rows = range(len(self.names))
        return [image_path(self.path.parent, self.image_cell(row)) for row in rows]

    @cached_property
    def searched(self) -> list[str]:
        """The cells of each row in small letters, to look for words in."""
        columns = [[_as_text(cell) for cell in self.frame[name]] for name in self.shown]
        return ["\x1f".join(cells).casefold() for cells in zip(self.names, *columns)]

    @property
    def text(self) -> list[str]:
        """Columns of running text."""
        return self.features.schema.of_kind("text")


def read_pool(
    path: Path,
    key: str | None = None,
    *,
    text: tuple[str, ...] = (),
    drop: tuple[str, ...] = (),
    keep: tuple[str, ...] = (),
    label_column: str | None = None,
    image: str | None = None,
    encoding: str = "auto",
    decisions: Decisions | None = None,
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
    label_column : str or None
        Column whose filled cells are the first labels.
    image : str or None
        Column of image files, relative to the folder of the table.
    encoding : str
        Of a text file.
    decisions : Decisions, optional
        What a person decided about columns.
    """
    decided = decisions or Decisions()
    named = [name for name in (key, label_column, image) if name is not None]
    as_text = [*named, *text, *decided.texts()]
    frame = read_table(path, expected=as_text, text_columns=as_text, encoding=encoding)
    return pool_of_frame(
        path,
        frame,
        key,
        text=text,
        drop=drop,
        keep=keep,
        label_column=label_column,
        image=image,
        decisions=decided,
    )


def pool_of_frame(
    path: Path,
    frame: pd.DataFrame,
    key: str | None = None,
    *,
    text: Sequence[str] = (),
    drop: Sequence[str] = (),
    keep: Sequence[str] = (),
    label_column: str | None = None,
    image: str | None = None,
    decisions: Decisions | None = None,
) -> PoolTable:
    """The rows of a frame as rows to label.

    Parameters
    ----------
    path : Path
        What the table is called; images are looked for in its folder.
    frame : DataFrame of shape (n_rows, n_columns)
    key : str or None
        Column that names the rows; None to number them from 1.
    text, drop, keep, label_column, image, decisions
        As in `read_pool`.
    """
    decided = decisions or Decisions()
    named = [key] if key is not None else []
    labelled = [label_column] if label_column is not None else []
    shown = [image] if image is not None else []
    options = {"--id": named, "--label-column": labelled, "--text": text, "--image": shown}
    for option, names in (options | {"--drop": drop, "--keep": keep}).items():
        check_columns(frame.columns, names, option)
    _refuse_two_uses({"--id": named, "--label-column": labelled, "--image": shown, "--text": text})
    left_out = dict.fromkeys(drop, "is left out by --drop")
    left_out |= dict.fromkeys(named, "names the rows")
    left_out |= dict.fromkeys(labelled, "holds the first labels")
    left_out |= dict.fromkeys(shown, "names the images")
    _refuse_unused_labels(path, frame, left_out)
    decided.check(frame.columns)
    features = take_features(frame, left_out, keep, decided)
    for column in features.schema.columns:
        if column.name in text and not column.categories:
            raise InputError(f"--text {column.name!r} holds no words that two rows share.")
    if not features.schema.columns and image is None:
        raise InputError(
            f"{path} has no column left to learn from; name columns of running text by --text."
        )
    written = frame.attrs.get(READ, {})
    return PoolTable(
        path,
        key or NUMBER,
        _row_names(path, frame, key),
        frame,
        features,
        written.get("separator", ","),
        written.get("decimal", "."),
        (*written.get("notes", ()), *features.notes, *_own_names(frame, key, label_column)),
        label_column,
        image,
    )


def _refuse_two_uses(options: Mapping[str, Sequence[str]]) -> None:
    """A column that names the rows, or holds labels or images, is nothing else as well."""
    used: dict[str, str] = {}
    for option, names in options.items():
        for name in names:
            if used.setdefault(name, option) != option:
                raise InputError(f"{used[name]} and {option} both name {name!r}; name two columns.")


def _refuse_unused_labels(path: Path, frame: pd.DataFrame, left_out: Collection[str]) -> None:
    """A column of labels among the features would leak the class."""
    if LABEL in frame.columns and LABEL not in left_out and frame[LABEL].notna().any():
        raise InputError(
            f"{path} has a column {LABEL!r} of its own: --label-column {LABEL} takes its filled "
            f"cells as the first labels, --drop {LABEL} leaves it out."
        )


def _row_names(path: Path, frame: pd.DataFrame, key: str | None) -> list[str]:
    if key is None:
        return [str(number) for number in range(1, len(frame) + 1)]
    names = [_as_text(cell) for cell in frame[key]]
    if "" in names:
        raise InputError(f"{path}: --id {key!r} is empty in row {names.index('') + 1}.")
    twice = [name for name, count in Counter(names).items() if count > 1]
    if twice:
        raise InputError(
            f"{path}: --id {key!r} names several rows {listing(twice)}; "
            "it must be different in every row."
        )
    for row, name in enumerate(names, 1):
        if not name.isprintable() and {unicodedata.category(s) for s in name} & _NOT_IN_NAMES:
            raise InputError(
                f"{path}: --id {key!r} holds a line break or control sign in row {row}, {name!r}, "
                "which a file of labels cannot keep; name another column, or leave --id out."
            )
    return names


def _own_names(frame: pd.DataFrame, key: str | None, label_column: str | None) -> list[str]:
    """Columns that the file of labels cannot repeat because it has its own of that name."""
    taken = OURS if key is not None else (*OURS, NUMBER)
    return [
        f"column {name!r} is not repeated next to the labels."
        for name in frame.columns
        if name in taken and name not in (key, label_column)
    ]


def _as_text(cell: Any, decimal: str = ".") -> str:
    """A cell as people read it; whole numbers without a point."""
    if cell is None or cell is pd.NaT or cell is pd.NA or cell != cell:
        return ""
    if isinstance(cell, float | np.floating):
        return f"{cell:.12g}".replace(".", decimal)
    return str(cell).strip()


def _alike(cell: str, seen: str) -> bool:
    """Whether two texts are the same, a quote before a formula aside, or almost the same number."""
    if seen in (cell, f"'{cell}"):
        return True
    try:
        return math.isclose(float(cell), float(seen.replace(",", ".")), rel_tol=1e-6)
    except ValueError:
        return cell.casefold() == seen.casefold()
