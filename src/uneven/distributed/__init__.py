"""Rows on a Dask cluster: the only place that knows Dask.

Boosting imports this package when it is given a Dask collection, or blocks for a cluster
(:mod:`uneven.boosting.sharded.opening`). What is computed on the rows stands in
:mod:`uneven.boosting.sharded`; here are the engine that carries it to workers and survives their
death, the collections that are turned into blocks, and the client.
"""

from uneven.distributed.client import open_client
from uneven.distributed.rows import open_collection, open_on_cluster

__all__ = ["open_client", "open_collection", "open_on_cluster"]
