"""A table in blocks."""

import numpy as np
import pytest

from tests.problems import gaussian_classes

X, Y = gaussian_classes([900, 400, 130, 20], 5, seed=3)
X[::17, 2] = np.nan


def collections(table=X, edges=(300, 301, 301, 900)):
    """The table as dask arrays: one block has a single row, and most lack classes."""
    da = pytest.importorskip("dask.array")
    parts = [part for part in np.split(np.arange(len(Y)), edges) if len(part)]
    rows = [da.from_array(table[part], chunks=(len(part), table.shape[1])) for part in parts]
    labels = [da.from_array(Y[part], chunks=len(part)) for part in parts]
    return da.concatenate(rows), da.concatenate(labels)
