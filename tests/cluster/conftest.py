"""A cluster of two worker processes."""

import pytest


@pytest.fixture(scope="module")
def client():
    distributed = pytest.importorskip("distributed")
    options = {"dashboard_address": ":0", "memory_limit": 0, "silence_logs": 50}
    own = pytest.importorskip("uneven.distributed.client")
    with (
        own.patient_cluster(),
        distributed.LocalCluster(n_workers=2, threads_per_worker=1, **options) as cluster,
        distributed.Client(cluster) as client,
    ):
        yield client
