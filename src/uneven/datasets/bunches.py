"""The shape in which every generator and loader hands over its table."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import Bunch

from uneven.utils.optional import require


def multiview_bunch(
    blocks: Mapping[str, NDArray[np.float64]],
    target: NDArray[Any],
    *,
    column_names: Mapping[str, Sequence[str]] | None = None,
    as_frame: bool = False,
    **extra: Any,
) -> Bunch:
    """Put blocks (n, d_view) of views side by side and name their columns ``view__feature``.

    ``column_names`` are the features within each view, numbers from 0 by default; ``as_frame``
    gives ``data`` as a pandas DataFrame and ``target`` as a Series; ``extra`` are further
    entries. The Bunch has ``data`` (n, d), ``target`` (n,), ``views`` (name to slice of columns)
    and ``feature_names``.

    Examples
    --------
    >>> bunch = multiview_bunch({"a": np.zeros((2, 1)), "b": np.ones((2, 2))}, np.array([0, 1]))
    >>> bunch.views
    {'a': slice(0, 1, None), 'b': slice(1, 3, None)}
    >>> bunch.feature_names
    ['a__0', 'b__0', 'b__1']
    """
    names: list[str] = []
    views: dict[str, slice] = {}
    for view, block in blocks.items():
        columns = column_names[view] if column_names else range(block.shape[1])
        views[view] = slice(len(names), len(names) + block.shape[1])
        names += [f"{view}__{column}" for column in columns]
    data = np.hstack(list(blocks.values()))
    return table_bunch(data, target, names, as_frame=as_frame, views=views, **extra)


def table_bunch(
    data: NDArray[np.float64],
    target: NDArray[Any],
    feature_names: list[str],
    *,
    as_frame: bool,
    **extra: Any,
) -> Bunch:
    """Wrap a dense table (n, d) and its labels (n,), as arrays or as pandas objects.

    ``feature_names`` has d entries; ``extra`` are further entries of the Bunch.

    Examples
    --------
    >>> table_bunch(np.eye(2), np.array([0, 1]), ["u", "v"], as_frame=True).data.columns.tolist()
    ['u', 'v']
    """
    table: Any = data
    labels: Any = target
    if as_frame:
        pandas = require("pandas", "as_frame=True")
        table = pandas.DataFrame(data, columns=feature_names)
        labels = pandas.Series(target, name="target")
    return Bunch(data=table, target=labels, feature_names=feature_names, **extra)
