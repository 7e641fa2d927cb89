"""Boosting of rows that are cut into shards: in this process, on disk, or on a Dask cluster.

The boosting loop uses a table in the same way whether its rows are here or in shards. A *shard*
holds some rows and all that is kept per row (:mod:`.shard`); a *step* is a small computation on a
shard whose results of several shards can be merged (:mod:`.steps`). :class:`~.engine.Engine`
carries a list of steps to all shards and brings the merged results back: one trip. The classes of
:mod:`.costs`, :mod:`.trees` and :mod:`.table` stand in the loop for arrays of rows, and take all
decisions from merged sums. Sums are exact, so neither the cut nor the order of the rows changes a
bit of the model.
"""

from uneven.boosting.sharded.blocks import RowBlocks
from uneven.boosting.sharded.parquet import ParquetRows

__all__ = ["ParquetRows", "RowBlocks"]
