"""Validation in ``fit`` of rows that are not in one table."""

from __future__ import annotations

from typing import Any

from uneven.boosting.sharded.blocks import RowBlocks
from uneven.boosting.sharded.rows import ShardedRows, open_blocks
from uneven.utils.optional import require
from uneven.utils.parallel import ThreadPool


def open_sharded(
    estimator: Any, X: Any, y: Any, sample_weight: Any, clean: Any, pool: ThreadPool
) -> ShardedRows:
    """Training rows that come in blocks.

    Parameters
    ----------
    estimator : BoostingClassifier
    X, y, sample_weight, clean : object
        As given to ``fit``.
    pool : ThreadPool
        For shards in this process.
    """
    _refuse(estimator, clean)
    if isinstance(X, RowBlocks):
        if y is not None or sample_weight is not None:
            raise ValueError("blocks of rows hold labels and weights: give y=None with them.")
        if X.client is None:
            return open_blocks(estimator, X, pool)
        opened: ShardedRows = _dask_room().open_on_cluster(estimator, X, X.client)
        return opened
    opened = _dask_room().open_collection(estimator, X, y, sample_weight, pool)
    return opened


def _dask_room() -> Any:
    """The package for Dask, which is above this one and is loaded when it is needed."""
    return require("uneven.distributed", "fit of a Dask collection", "dask")


def _refuse(estimator: Any, clean: Any) -> None:
    """Refuse methods and parameters that need all rows in one place."""
    why = estimator._needs_all_rows()
    if why:
        raise ValueError(
            f"{type(estimator).__name__} cannot learn from rows that come in blocks or lie on a "
            f"cluster: {why}."
        )
    if clean is not None:
        raise ValueError("clean is not possible where rows come in blocks or lie on a cluster.")
    if getattr(estimator, "estimator", None) is not None:
        raise ValueError(
            "estimator is not possible where rows come in blocks or lie on a cluster: a weak "
            "learner other than the trees of this library needs all rows in one place."
        )
