"""The client of a Dask cluster: the current one, or one that is opened."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import dask
from distributed import Client, LocalCluster, default_client, get_worker


def current_client() -> Any:
    """The client of this process, or None; refuse to be inside a task."""
    try:
        get_worker()
    except ValueError:
        pass
    else:
        raise RuntimeError(
            "fit of a Dask collection inside a task of a Dask worker would wait for itself: fit "
            "outside of tasks, or compute the collection first."
        )
    try:
        return default_client()
    except ValueError:
        return None


RESTART = 600.0
"""Seconds that a worker of a local cluster may take to be started again after its death."""


@contextmanager
def patient_cluster() -> Iterator[None]:
    """Have clusters of this process wait longer for workers that are started again.

    Dask gives up a worker for good if it is not back after 15 seconds, which is too short on a
    machine that is busy.
    """
    with dask.config.set({"distributed.deploy.lost-worker-timeout": RESTART}):
        yield


@contextmanager
def open_client(address: str) -> Iterator[Any]:
    """A client of a cluster, closed in the end.

    Parameters
    ----------
    address : str
        Of a Dask scheduler, or "local" for worker processes on this machine.
    """
    if address == "local":
        with (
            patient_cluster(),
            LocalCluster(dashboard_address=":0", silence_logs=50) as cluster,
            Client(cluster) as client,
        ):
            yield client
        return
    try:
        client = Client(address, timeout="10s")
    except (OSError, TimeoutError, ValueError) as error:
        raise ConnectionError(f"no Dask scheduler answers at {address} ({error}).") from error
    with client:
        yield client
