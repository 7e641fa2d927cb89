"""Public data sets by name: from the cache if they are there, else from OpenML."""

import difflib
import http.client
import os
import re
import warnings
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.utils import Bunch

from uneven.datasets import openml
from uneven.datasets.cache import (
    VARIABLE,
    cache_folder,
    cached_names,
    read_cached,
    table_to_bunch,
    write_images,
    write_table,
)


class DatasetUnavailableError(OSError):
    """A data set that is neither cached nor to be had from the network."""


def fetch(
    name: str, data_home: str | os.PathLike[str] | None = None, download: bool = True
) -> Bunch:
    """Return a public data set by name, downloading it only the first time.

    Parameters
    ----------
    name : str
        A name from `available` or `downloadable`, or that of a file you put into the folder.
        "nursery_s" is Nursery without its class of 2 rows; "ecoli5" is "ecoli" without its three
        classes of fewer than 10 rows.
    data_home : path-like, optional
        Cache folder; else the environment variable ``UNEVEN_DATA``, else the user's cache.
    download : bool, default=True
        Whether a set that is not cached may be downloaded from OpenML.

    Returns
    -------
    Bunch
        ``data`` (DataFrame with its categories, sparse CSR array for text, or array of pixels),
        ``target`` (n,), ``views`` (name to columns, None for a single view), ``name``,
        ``description``, and ``feature_names``, ``images``, ``train_rows``, ``test_rows`` where
        there are such. Labels and column names of a downloaded set are those of OpenML.

    Raises
    ------
    DatasetUnavailableError
        If the set is not cached and cannot or may not be downloaded.

    Examples
    --------
    >>> import tempfile
    >>> fetch("car", data_home=tempfile.gettempdir() + "/none", download=False)
    Traceback (most recent call last):
    ...
    uneven.datasets.fetching.DatasetUnavailableError: Data set 'car' is not in ...
    """
    if not re.fullmatch(r"\w[\w-]*", name):
        raise ValueError(f"name={name!r} is no data set: use letters, digits, '_' and '-'.")
    folder = cache_folder(data_home)
    bunch = read_cached(name, folder)
    recipe = openml.RECIPES.get(name)
    if bunch is None and recipe is not None and recipe.base:
        return _derive(name, folder, download)
    if bunch is None:
        bunch = _download(name, folder, download)
    if recipe is not None and recipe.train_rows and "train_rows" not in bunch:
        rows = np.arange(len(bunch.target))
        bunch.update(train_rows=rows[: recipe.train_rows], test_rows=rows[recipe.train_rows :])
    return bunch


def available(data_home: str | os.PathLike[str] | None = None) -> list[str]:
    """Return the names that `fetch` can read without a network, sorted.

    Parameters
    ----------
    data_home : path-like, optional
        Cache folder, as in `fetch`.

    Returns
    -------
    list of str

    Examples
    --------
    >>> available("there is no such folder")
    []
    """
    names = set(cached_names(cache_folder(data_home)))
    return sorted(names | {name for name, r in openml.RECIPES.items() if r.base in names})


def downloadable() -> list[str]:
    """Return the names that `fetch` can download from OpenML, sorted.

    Returns
    -------
    list of str

    Examples
    --------
    >>> "nursery_s" in downloadable()
    True
    """
    return sorted(openml.RECIPES)


def _derive(name: str, folder: Path, download: bool) -> Bunch:
    recipe = openml.RECIPES[name]
    whole = fetch(recipe.base, folder, download)
    frame = whole.data.assign(target=whole.target)
    bunch = table_to_bunch(recipe.prepare(frame) if recipe.prepare else frame)
    texts = (whole.description, recipe.note)
    bunch.update(name=name, description=". ".join(filter(None, texts)))
    return bunch


def _download(name: str, folder: Path, allowed: bool) -> Bunch:
    missing = f"Data set {name!r} is not in {folder} (as {name}.parquet or {name}.npz)"
    remedy = f"Set {VARIABLE} to a folder that holds it, or pass data_home."
    if name not in openml.RECIPES:
        known = sorted({*downloadable(), *available(folder)})
        close = difflib.get_close_matches(name, known, n=1)
        hint = f"Did you mean {close[0]!r}? " if close else ""
        raise DatasetUnavailableError(
            f"{missing} and has no known source. {hint}{remedy} Known: {', '.join(known)}."
        )
    if not allowed:
        raise DatasetUnavailableError(f"{missing} and download=False. {remedy}")
    try:
        frame = openml.download_table(name)
    except (OSError, ValueError, http.client.HTTPException) as error:
        raise DatasetUnavailableError(
            f"{missing} and could not be downloaded from OpenML ({error}). {remedy}"
        ) from error
    return _store(frame, name, folder)


def _store(frame: Any, name: str, folder: Path) -> Bunch:
    """Cache a downloaded table and return it; an unwritable folder is only a warning."""
    shape = openml.RECIPES[name].image_shape
    try:
        if shape is None:
            write_table(frame, name, folder)
        else:
            write_images(*openml.as_images(frame, shape), name, folder)
    except OSError as error:
        warnings.warn(
            f"{name!r} was downloaded but could not be stored in {folder} ({error}); set "
            f"{VARIABLE} to a folder you can write to.",
            stacklevel=4,
        )
    if shape is None:
        bunch = table_to_bunch(frame)
    else:
        images, target = openml.as_images(frame, shape)
        pixels = images.reshape(len(images), -1)
        bunch = Bunch(data=pixels, images=images, target=target, views=None)
    bunch.update(name=name, description="")
    return bunch
