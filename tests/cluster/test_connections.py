"""How the process that fits talks to the workers: directly, through the scheduler, encrypted."""

import os
import shutil
import signal
import subprocess
from contextlib import nullcontext
from typing import ClassVar

import pytest

from tests.boosting.test_sharded import bits
from tests.cluster.blocks import X, Y, collections
from uneven import ComboClassifier

distributed = pytest.importorskip("distributed")
rows_of_dask = pytest.importorskip("uneven.distributed.rows")
engines = pytest.importorskip("uneven.distributed.engine")
pytestmark = pytest.mark.slow

MODEL = ComboClassifier(n_estimators=3, max_depth=2, random_state=0)


class Watched(engines.DaskEngine):
    """An engine that leaves behind whether it could connect to the workers."""

    near: ClassVar[list] = []

    def _trip(self, steps):
        found = super()._trip(steps)
        self.near.append(set(self._is_near.values()))
        return found


@pytest.fixture
def near(monkeypatch):
    monkeypatch.setattr(rows_of_dask, "DaskEngine", Watched)
    monkeypatch.setattr(Watched, "near", [])
    return lambda: set().union(*Watched.near)


def test_unreachable_workers_are_asked_through_the_scheduler(client, near, monkeypatch):
    """Also when one of them dies."""

    class Blocked:
        def __init__(self, address):
            pass

        async def identity(self):
            raise OSError("a firewall")

    class Killing(Watched):
        def _trip(self, steps):
            if self.n_trips == 12:
                pids = self._client.run(os.getpid)
                os.kill(pids[self._worker_of[0]], signal.SIGKILL)
            return super()._trip(steps)

    whole = bits(MODEL.fit(X, Y))
    monkeypatch.setattr(client, "rpc", Blocked)
    monkeypatch.setattr(rows_of_dask, "DaskEngine", Killing)
    assert bits(MODEL.fit(*collections())) == whole
    assert near() == {False}
    client.wait_for_workers(2, timeout=60)


def test_a_lost_connection_is_made_again(client, near, monkeypatch):
    """Nothing is built again for it: the worker still has its shards."""
    rebuilt = []

    class Cutting(Watched):
        def _trip(self, steps):
            if self.n_trips == 10:
                self._client.sync(self._cut)
            return super()._trip(steps)

        def close(self):
            rebuilt.append(self.n_rebuilt)
            super().close()

        async def _cut(self):
            for worker in set(self._worker_of.values()):
                self._client.rpc.remove(worker)

    whole = bits(MODEL.fit(X, Y))
    monkeypatch.setattr(rows_of_dask, "DaskEngine", Cutting)
    assert bits(MODEL.fit(*collections())) == whole
    assert rebuilt == [0]
    assert near() == {True}


def test_a_local_cluster_waits_for_workers_that_start_again(monkeypatch):
    """Dask would give them up after 15 seconds."""
    dask = pytest.importorskip("dask")
    own = pytest.importorskip("uneven.distributed.client")
    monkeypatch.setattr(own, "LocalCluster", lambda **options: nullcontext())
    monkeypatch.setattr(own, "Client", nullcontext)
    name = "distributed.deploy.lost-worker-timeout"
    before = dask.config.get(name)
    with own.open_client("local"):
        assert dask.config.get(name) == own.RESTART > 60.0
    assert dask.config.get(name) == before


def test_an_encrypted_cluster(near, tmp_path):
    if shutil.which("openssl") is None:
        pytest.skip("needs openssl")
    key, certificate = str(tmp_path / "key.pem"), str(tmp_path / "certificate.pem")
    command = ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-subj", "/CN=test"]
    command += ["-days", "2", "-keyout", key, "-out", certificate]
    subprocess.run(command, check=True, capture_output=True)
    files = {f"tls_{role}_cert": certificate for role in ("client", "scheduler", "worker")}
    files |= {f"tls_{role}_key": key for role in ("client", "scheduler", "worker")}
    security = distributed.Security(tls_ca_file=certificate, require_encryption=True, **files)
    options = {"n_workers": 2, "threads_per_worker": 1, "dashboard_address": ":0"}
    options |= {"memory_limit": 0, "silence_logs": 50, "processes": False, "protocol": "tls://"}
    with (
        distributed.LocalCluster(security=security, **options) as cluster,
        distributed.Client(cluster, security=security) as client,
    ):
        assert all(worker.startswith("tls://") for worker in client.nthreads())
        found = bits(MODEL.fit(*collections()))
    assert found == bits(MODEL.fit(X, Y))
    assert near() == {True}
