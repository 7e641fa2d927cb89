"""Views out of containers of single-cell and multi-modal data, recognised by what they hold.

AnnData keeps one table in ``X`` and further ones with the same rows in ``obsm``. MuData keeps one
AnnData for each modality in ``mod``; a modality may lack some rows. Neither package is imported.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import scipy.sparse as sp


def is_container(given: Any) -> bool:
    """Whether an object looks like AnnData or MuData."""
    return _has_modalities(given) or (hasattr(given, "X") and hasattr(given, "obsm"))


def _has_modalities(given: Any) -> bool:
    return isinstance(getattr(given, "mod", None), Mapping)


def views_in(container: Any) -> dict[str, Any]:
    """The tables of a container by name, rows in the container's order.

    Parameters
    ----------
    container : object
        With ``mod``, a mapping of names to objects with ``X`` and ``obs_names`` (MuData); or with
        ``X``, which may be None, and ``obsm``, a mapping of names to tables (AnnData).

    Returns
    -------
    dict of str to array-like or sparse matrix
        ``X`` of an AnnData is called "X". Rows that a modality lacks are NaN.

    Raises
    ------
    ValueError
        If two tables have the same name, or their rows do not belong together.

    Examples
    --------
    >>> from types import SimpleNamespace
    >>> genes = SimpleNamespace(X=np.ones((2, 3)), obs_names=["a", "c"])
    >>> proteins = SimpleNamespace(X=np.zeros((3, 1)), obs_names=["a", "b", "c"])
    >>> cells = SimpleNamespace(mod={"rna": genes, "prot": proteins}, obs_names=["a", "b", "c"])
    >>> views_in(cells)["rna"][:, 0]
    array([ 1., nan,  1.])
    """
    if _has_modalities(container):
        if not container.mod:
            raise ValueError("join_views: there is no modality in mod.")
        rows = list(container.obs_names)
        return {str(name): _aligned(str(name), part, rows) for name, part in container.mod.items()}
    tables = {} if container.X is None else {"X": container.X}
    rows = list(getattr(container, "obs_names", ()))
    for name in container.obsm:
        if str(name) in tables:
            raise ValueError(
                f"two tables are called {str(name)!r}, which is also the name of the main matrix X "
                'if that is not None: rename the one in obsm, such as obsm["Y"] = obsm.pop("X").'
            )
        tables[str(name)] = _in_order(str(name), container.obsm[name], rows)
    if not tables:
        raise ValueError("join_views: there is nothing in X and obsm.")
    return tables


def _in_order(name: str, table: Any, rows: list[Any]) -> Any:
    """A table of obsm; refused if it is a frame with some of the same rows in another order."""
    index = list(table.index) if hasattr(table, "iloc") else rows
    if index != rows and set(index) & set(rows):
        raise ValueError(
            f"the index of obsm[{name!r}] is not obs_names: give the frame as "
            "frame.reindex(obs_names)."
        )
    return table


def _aligned(name: str, part: Any, rows: list[Any]) -> Any:
    """The table of a modality with the rows of the whole, NaN where it lacks one."""
    own = list(part.obs_names)
    if part.X is None:
        raise ValueError(f"modality {name!r} has no X.")
    place = {key: k for k, key in enumerate(own)}
    if len(place) < len(own):
        raise ValueError(
            f"modality {name!r} has rows with the same name; call obs_names_make_unique() first."
        )
    unknown = [key for key in own if key not in set(rows)]
    if unknown:
        raise ValueError(f"modality {name!r} has the row {unknown[0]!r}, which the whole lacks.")
    if own == rows:
        return part.X
    there = np.array([place.get(key, -1) for key in rows])
    if not sp.issparse(part.X):
        table = np.asarray(part.X, dtype=np.float64)[there]
        table[there < 0] = np.nan
        return table
    taken = sp.csr_array(part.X).astype(np.float64)
    absent = sp.csr_array(np.full((1, taken.shape[1]), np.nan))
    stacked = sp.vstack([taken, absent], format="csr")
    return sp.csr_array(stacked[np.where(there < 0, taken.shape[0], there)])
