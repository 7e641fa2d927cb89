"""Dask collections as blocks of rows."""

from __future__ import annotations

import warnings
from typing import Any

import dask
import dask.array as da
import numpy as np
from dask import delayed
from sklearn.exceptions import DataConversionWarning

from uneven.boosting.sharded.blocks import HeldBlock, RowBlocks
from uneven.boosting.sharded.engine import Engine
from uneven.boosting.sharded.rows import ShardedRows, open_blocks
from uneven.distributed.client import current_client
from uneven.distributed.engine import DaskEngine
from uneven.utils.parallel import ThreadPool
from uneven.utils.validation import is_collection


def open_collection(
    estimator: Any, X: Any, y: Any, sample_weight: Any, pool: ThreadPool
) -> ShardedRows:
    """The rows of Dask collections: on the current client's cluster, or else in this process.

    Parameters
    ----------
    estimator : BoostingClassifier
    X : dask array of shape (n_samples, n_features), or dask dataframe
    y, sample_weight : dask array or series cut like ``X``; ``sample_weight`` may be None
    pool : ThreadPool
        For shards in this process.
    """
    example = _example(X)
    parts = _parts(X, y, sample_weight)
    client = current_client()
    if client is None:
        return open_blocks(estimator, RowBlocks(dask.compute(*parts), example), pool)

    def open_engine(categories: dict[Any, list]) -> Engine:
        return DaskEngine(client, parts, categories)

    return ShardedRows(estimator, example, open_engine)


def open_on_cluster(estimator: Any, blocks: RowBlocks, client: Any) -> ShardedRows:
    """Rows that come in blocks, read by the workers of a cluster."""
    hold = delayed(_hold, name="uneven_rows", pure=False)
    parts = [hold(block) for block in blocks.blocks]

    def open_engine(categories: dict[Any, list]) -> Engine:
        return DaskEngine(client, parts, categories)

    return ShardedRows(estimator, blocks.example, open_engine)


def _hold(block: Any) -> HeldBlock:
    """Read a block into memory."""
    X, y, weight = block.read()
    return HeldBlock(X, y, weight, block.number)


def _example(X: Any) -> Any:
    """A few rows that show the columns of a collection."""
    if hasattr(X, "columns"):
        for name, dtype in X.dtypes.items():
            if str(dtype) == "category" and not X[name].cat.known:
                raise ValueError(
                    f"the categories of column {name!r} are not known before it is computed: call "
                    "X.categorize() first."
                )
        return X._meta_nonempty
    if getattr(X, "ndim", 0) != 2 or np.isnan(X.shape[1]):
        raise ValueError(
            "X must be a Dask dataframe, or a Dask array with two axes and a known number of "
            f"columns; got {X!r}."
        )
    return np.zeros((1, X.shape[1]), dtype=X.dtype)


def _parts(X: Any, y: Any, sample_weight: Any) -> list[Any]:
    """One delayed block for each partition."""
    rows = _cut("X", X, None)
    others = [_cut("y", y, X)]
    if sample_weight is not None:
        others.append(_cut("sample_weight", sample_weight, X))
    for name, own in zip(("y", "sample_weight"), others):
        if len(own) != len(rows):
            raise ValueError(
                f"X has {len(rows)} partitions, {name} has {len(own)}: cut both the same way, with "
                "rechunk or repartition."
            )
    pack = delayed(HeldBlock, name="uneven_rows", pure=False)
    return [pack(*parts, number=k) for k, parts in enumerate(zip(rows, *others))]


def _cut(name: str, column: Any, X: Any) -> list[Any]:
    """The delayed partitions of a collection; an array in memory is cut like ``X``."""
    if not is_collection(column):
        chunks = getattr(X, "chunks", None)
        if column is None or chunks is None or np.isnan(chunks[0]).any():
            raise ValueError(
                f"{name} must be a Dask collection that is cut like X; got {type(column).__name__}."
            )
        values = np.asarray(column)
        if len(values) != X.shape[0]:
            raise ValueError(f"X has {X.shape[0]} rows, {name} has {len(values)}.")
        column = da.from_array(values, chunks=chunks[0])
    if getattr(column, "ndim", 1) == 2 and name == "y":
        warnings.warn(
            "y has two axes: give a Dask series, or an array of one axis.",
            DataConversionWarning,
            stacklevel=2,
        )
    if hasattr(column, "rechunk"):
        if column.ndim == 2 and column.numblocks[1] > 1:
            column = column.rechunk({1: -1})
        return list(column.to_delayed().ravel())
    return list(column.to_delayed())
