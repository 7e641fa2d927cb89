"""The cache folder: one file per data set, readable without a network.

``NAME.parquet`` is a table whose column ``target`` holds the labels; where every other column is
named ``view__feature``, the table has views. ``NAME.npz`` holds either the parts of a sparse
matrix (``data``, ``indices``, ``indptr``, ``shape``) or ``images``, with ``target`` and perhaps
``train_rows``, ``test_rows`` and ``view_of_column``. ``manifest.json``, if there, describes them.
"""

import json
import os
import zipfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array
from sklearn.utils import Bunch

from uneven.utils.files import replace_file
from uneven.utils.optional import require

VARIABLE = "UNEVEN_DATA"
"""Environment variable that names the cache folder."""

_SUFFIXES = (".parquet", ".npz")


def cache_folder(data_home: str | os.PathLike[str] | None = None) -> Path:
    """Return the folder of the cached data sets, which need not exist.

    It is ``data_home``, else what the environment variable ``UNEVEN_DATA`` names, else ``uneven``
    in the user's cache folder (``XDG_CACHE_HOME`` or ``~/.cache``).

    Examples
    --------
    >>> cache_folder("some/folder").name
    'folder'
    """
    chosen = data_home or os.environ.get(VARIABLE)
    if chosen:
        return Path(chosen).expanduser()
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "uneven"


def cached_names(folder: Path) -> list[str]:
    """Return the names of the data sets that lie in ``folder``, sorted; it may be missing.

    Examples
    --------
    >>> cached_names(Path("there is no such folder"))
    []
    """
    if not folder.is_dir():
        return []
    files = (path for path in folder.iterdir() if not path.name.startswith("."))
    return sorted({path.stem for path in files if path.suffix in _SUFFIXES})


def read_cached(name: str, folder: Path) -> Bunch | None:
    """Return a cached data set by name, or None if the folder does not hold it.

    Examples
    --------
    >>> read_cached("car", Path("there is no such folder")) is None
    True
    """
    for suffix, read in ((".parquet", _read_table), (".npz", _read_arrays)):
        path = folder / (name + suffix)
        if path.is_file():
            bunch = read(path)
            bunch.name = name
            bunch.description = _description(name, folder)
            return bunch
    return None


def write_table(frame: Any, name: str, folder: Path) -> None:
    """Write a table (n, d + 1) with a column ``target`` into the cache, whole or not at all.

    Examples
    --------
    >>> import tempfile, pandas
    >>> folder = Path(tempfile.mkdtemp())
    >>> write_table(pandas.DataFrame({"x": [1, 2], "target": ["a", "b"]}), "tiny", folder)
    >>> cached_names(folder)
    ['tiny']
    """
    require("pyarrow", f"Writing {name}.parquet")
    folder.mkdir(parents=True, exist_ok=True)
    with replace_file(folder / f"{name}.parquet") as draft:
        frame.to_parquet(draft, index=False)


def write_images(images: NDArray[np.uint8], target: NDArray[Any], name: str, folder: Path) -> None:
    """Write images (n, height, width) and labels (n,) into the cache, whole or not at all.

    Examples
    --------
    >>> import tempfile
    >>> folder = Path(tempfile.mkdtemp())
    >>> write_images(np.zeros((2, 3, 3), np.uint8), np.array([0, 1]), "dark", folder)
    >>> read_cached("dark", folder).data.shape
    (2, 9)
    """
    folder.mkdir(parents=True, exist_ok=True)
    with replace_file(folder / f"{name}.npz") as draft, draft.open("wb") as file:
        np.savez_compressed(file, images=images, target=target)


def table_to_bunch(frame: Any) -> Bunch:
    """Split a table of shape (n, d + 1), labels in column ``target``, and find its views.

    The Bunch has ``data`` (DataFrame), ``target`` (array of text), ``feature_names``, and ``views``
    (name to columns) if every feature is named ``view__feature``, else None.

    Examples
    --------
    >>> import pandas
    >>> frame = pandas.DataFrame({"a__x": [1], "a__y": [2], "b__z": [3], "target": ["k"]})
    >>> table_to_bunch(frame).views
    {'a': slice(0, 2, None), 'b': slice(2, 3, None)}
    """
    data = frame.drop(columns="target")
    names = [str(column) for column in data.columns]
    prefixed = bool(names) and all("__" in name for name in names)
    return Bunch(
        data=data,
        target=np.asarray(frame["target"].astype(str), dtype=str),
        feature_names=names,
        views=column_groups([name.split("__")[0] for name in names]) if prefixed else None,
    )


def column_groups(view_of_column: Sequence[str]) -> dict[str, slice | list[int]]:
    """Return the columns of each view, as a slice where they are neighbours.

    ``view_of_column`` names the view of each column.

    Examples
    --------
    >>> column_groups(["a", "b", "b", "a"])
    {'a': [0, 3], 'b': slice(1, 3, None)}
    """
    columns: dict[str, list[int]] = {}
    for position, view in enumerate(view_of_column):
        columns.setdefault(str(view), []).append(position)
    return {
        view: slice(p[0], p[-1] + 1) if p[-1] - p[0] + 1 == len(p) else p
        for view, p in columns.items()
    }


def _read_table(path: Path) -> Bunch:
    pandas = require("pandas", f"Reading {path.name}")
    require("pyarrow", f"Reading {path.name}")
    try:
        frame = pandas.read_parquet(path)
    except (OSError, ValueError) as error:
        raise _unreadable(path, error) from error
    if "target" not in frame.columns:
        raise ValueError(f"{path} has no column 'target', which must hold the labels.")
    return table_to_bunch(frame)


def _read_arrays(path: Path) -> Bunch:
    try:
        with np.load(path, allow_pickle=False) as file:
            parts = {key: file[key] for key in file.files}
    except (OSError, ValueError, zipfile.BadZipFile) as error:
        raise _unreadable(path, error) from error
    if "target" not in parts:
        raise ValueError(f"{path} has no array 'target', which must hold the labels.")
    if "images" in parts:
        images = parts["images"]
        bunch = Bunch(data=images.reshape(len(images), -1), images=images)
    elif {"data", "indices", "indptr", "shape"} <= parts.keys():
        matrix = (parts["data"], parts["indices"], parts["indptr"])
        bunch = Bunch(data=csr_array(matrix, shape=tuple(parts["shape"].tolist())))
    else:
        raise ValueError(
            f"{path} holds {sorted(parts)}: expected 'images', or the parts 'data', 'indices', "
            "'indptr' and 'shape' of a sparse matrix."
        )
    views = parts.get("view_of_column")
    bunch.update(target=parts["target"], views=None if views is None else column_groups(views))
    bunch.update({key: parts[key] for key in ("train_rows", "test_rows") if key in parts})
    return bunch


def _unreadable(path: Path, error: Exception) -> ValueError:
    return ValueError(f"{path} cannot be read ({error}); remove it to have it fetched again.")


def _description(name: str, folder: Path) -> str:
    try:
        entry = json.loads((folder / "manifest.json").read_text(encoding="utf-8"))[name]
        return ". ".join(text for text in (entry.get("source"), entry.get("note")) if text)
    except (OSError, ValueError, KeyError, AttributeError, TypeError):
        return ""
