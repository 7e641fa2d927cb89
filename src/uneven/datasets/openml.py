"""Where each public data set lies on OpenML, and what is done to it before it is cached.

A new set is one more line in `RECIPES`.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.datasets import fetch_openml

from uneven.utils.optional import require


def drop_rare_classes(frame: Any, min_rows: int) -> Any:
    """Return the rows whose class, in column ``target``, has at least ``min_rows`` rows.

    Examples
    --------
    >>> import pandas
    >>> frame = pandas.DataFrame({"x": [1, 2, 3], "target": ["a", "a", "b"]})
    >>> drop_rare_classes(frame, 2)["x"].tolist()
    [1, 2]
    """
    sizes = frame["target"].map(frame["target"].value_counts()).astype(int)
    return frame[sizes >= min_rows].reset_index(drop=True)


_without_tiny_classes = partial(drop_rare_classes, min_rows=10)


def _first_columns(frame: Any, n: int) -> Any:
    return frame[[*frame.columns.drop("target")[:n], "target"]]


def _numeric_columns(frame: Any) -> Any:
    return frame[[*frame.drop(columns="target").select_dtypes("number").columns, "target"]]


def _without_constants(frame: Any) -> Any:
    return frame.loc[:, (frame.nunique() > 1) | (frame.columns == "target")]


@dataclass(frozen=True)
class Recipe:
    """How to get one data set.

    Attributes
    ----------
    parts : dict of str to int
        OpenML numbers by view; the view "" is a table without views. Empty if it is made of
        another set.
    rows, classes : int
        Size of the prepared table, which guards against a source that changed.
    prepare : callable, optional
        Applied to the table, labels in column ``target``.
    image_shape : tuple of int, optional
        Given if the rows are images.
    train_rows : int, optional
        Given if the set comes with a split: so many rows are for training, the rest for testing.
    base, note : str, default=""
        The set that this one is prepared from, if it is not downloaded itself, and what to add to
        its description.
    """

    parts: dict[str, int]
    rows: int
    classes: int
    prepare: Callable[[Any], Any] | None = None
    image_shape: tuple[int, int] | None = None
    train_rows: int | None = None
    base: str = ""
    note: str = ""


def _single(
    number: int, rows: int, classes: int, prepare: Callable[[Any], Any] | None = None
) -> Recipe:
    return Recipe({"": number}, rows, classes, prepare)


RECIPES: dict[str, Recipe] = {
    "abalone": _single(183, 4177, 28),
    "balance": _single(11, 625, 3),
    "banana": _single(1460, 5300, 2),
    "car": _single(40975, 1728, 4),
    "connect4": _single(40668, 67557, 3),
    "ecoli": _single(39, 336, 8),
    "ecoli5": Recipe(
        {},
        327,
        5,
        _without_tiny_classes,
        base="ecoli",
        note="Classes of fewer than 10 rows removed",
    ),
    "glass": _single(41, 214, 6),
    "letter": _single(6, 20000, 26),
    "mfeat": Recipe({"fac": 12, "fou": 14, "kar": 16, "mor": 18, "pix": 20, "zer": 22}, 2000, 10),
    "mnist": Recipe({"": 554}, 70000, 10, image_shape=(28, 28), train_rows=60_000),
    "new_thyroid": _single(40682, 215, 3),
    "nursery_s": _single(26, 12958, 4, _without_tiny_classes),
    "optdigits": _single(28, 5620, 10),
    "page_blocks": _single(30, 5473, 5),
    "pendigits": _single(32, 10992, 10),
    "robot": _single(1497, 5456, 4),
    "satimage": _single(182, 6430, 6),
    "segment": _single(36, 2310, 7, _without_constants),
    "steel": _single(40982, 1941, 7),
    "thyroid_ann": _single(40497, 3772, 3),
    "vehicle": _single(54, 846, 4),
    "vowel": _single(307, 990, 11, _numeric_columns),
    "waveform": _single(60, 5000, 3, partial(_first_columns, n=21)),
    "wine": _single(187, 178, 3),
    "yeast": _single(181, 1484, 10),
}
"""Data sets that can be downloaded, by name."""


def download_table(name: str) -> Any:
    """Download a data set that has a recipe from OpenML, and prepare it.

    The labels are text in column ``target`` of the DataFrame (n, d + 1). The parts of a
    multi-view set are joined row by row, their columns named ``view__number``. A ValueError says if
    the parts or the size are not what the recipe promises.
    """
    recipe = RECIPES[name]
    pandas = require("pandas", f"Downloading {name}")
    columns: list[Any] = []
    target: Any = None
    for view, number in recipe.parts.items():
        part = fetch_openml(data_id=number, as_frame=True, cache=False)
        labels = part.target.astype(str).reset_index(drop=True)
        if target is not None and not target.equals(labels):
            raise ValueError(f"{name}: the rows of OpenML data {number} are in another order.")
        target = labels
        data = part.data.reset_index(drop=True)
        columns.append(data if not view else data.set_axis(_numbered(view, data.shape[1]), axis=1))
    frame = pandas.concat([*columns, target.rename("target")], axis=1)
    if recipe.prepare is not None:
        frame = recipe.prepare(frame)
    found = (len(frame), frame["target"].nunique())
    if found != (recipe.rows, recipe.classes):
        raise ValueError(
            f"{name}: OpenML sent {found[0]} rows in {found[1]} classes, expected {recipe.rows} "
            f"in {recipe.classes}; nothing was stored."
        )
    return frame


def as_images(frame: Any, shape: tuple[int, int]) -> tuple[NDArray[np.uint8], NDArray[np.int64]]:
    """Return a table of pixels (n, height * width + 1) as images and whole-number labels (n,).

    Examples
    --------
    >>> import pandas
    >>> images, target = as_images(pandas.DataFrame({"a": [7], "b": [9], "target": ["3"]}), (1, 2))
    >>> images.tolist(), target.tolist()
    ([[[7, 9]]], [3])
    """
    pixels = frame.drop(columns="target").to_numpy(dtype=np.uint8)
    return pixels.reshape(-1, *shape), frame["target"].to_numpy().astype(np.int64)


def _numbered(view: str, n_columns: int) -> list[str]:
    return [f"{view}__{number}" for number in range(n_columns)]
