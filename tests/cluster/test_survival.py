"""Fits on a cluster whose workers, or whose driver, die on the way."""

import os
import signal
import subprocess
import sys
import time

import numpy as np
import pytest

from tests.boosting.test_sharded import bits
from tests.cluster.blocks import X, Y, collections
from uneven import ComboClassifier

pytest.importorskip("distributed")
rows_of_dask = pytest.importorskip("uneven.distributed.rows")
engines = pytest.importorskip("uneven.distributed.engine")
held = pytest.importorskip("uneven.distributed.held")
pytestmark = pytest.mark.slow


def kill_owner(engine, number=0):
    """Kill the worker that has a shard, if it is still there."""
    pids = engine._client.run(os.getpid, on_error="ignore")
    worker = engine._worker_of[number]
    if worker in pids:
        os.kill(pids[worker], signal.SIGKILL)


@pytest.mark.parametrize("options", [{"max_depth": 2}, {"leaves": "scores", "max_leaves": 4}])
def test_killed_workers_change_nothing(client, monkeypatch, options):
    """One dies before a trip, and one while what was lost is built again."""
    rebuilt, recovering = [], []

    class Killing(engines.DaskEngine):
        def _trip(self, steps):
            if self.n_trips == 20:
                kill_owner(self)
            return super()._trip(steps)

        def _find_homes(self, numbers):
            homes = super()._find_homes(numbers)
            if not recovering:
                recovering.append(numbers)
                pids = self._client.run(os.getpid, on_error="ignore")
                worker = homes[numbers[0]][0]
                if worker in pids:
                    os.kill(pids[worker], signal.SIGKILL)
            return homes

        def close(self):
            rebuilt.append(self.n_rebuilt)
            super().close()

    model = ComboClassifier(n_estimators=4, random_state=0, **options)
    whole = bits(model.fit(X, Y))
    monkeypatch.setattr(rows_of_dask, "DaskEngine", Killing)
    assert bits(model.fit(*collections())) == whole
    assert recovering
    assert rebuilt[0] >= len(recovering[0])
    client.wait_for_workers(2, timeout=60)


def test_without_any_worker_the_fit_ends_with_a_message(client, monkeypatch):
    cluster = client.cluster
    monkeypatch.setattr(engines, "NO_WORKER", 0.5)
    cluster.scale(0)
    try:
        while client.nthreads():
            time.sleep(0.05)
        with pytest.raises(TimeoutError, match=r"has had no worker for 0 seconds: the fit ends"):
            ComboClassifier(n_estimators=2).fit(*collections())
    finally:
        cluster.scale(2)
        client.wait_for_workers(2, timeout=60)


def test_workers_that_die_again_and_again_end_the_fit(client, monkeypatch):
    """As those do whose memory is too small for the rows."""

    class Lost(engines.DaskEngine):
        def _ask_workers(self, jobs, steps):
            return {} if self.n_trips == 5 else super()._ask_workers(jobs, steps)

    monkeypatch.setattr(rows_of_dask, "DaskEngine", Lost)
    monkeypatch.setattr(engines, "MOST_LOSSES", 2)
    with pytest.raises(RuntimeError, match=r"lost workers 2 times .* enough memory for the rows"):
        ComboClassifier(n_estimators=2).fit(*collections())
    assert set(client.run(held.count_shards).values()) == {0}


DRIVER = """
import sys, time
import dask.array as da
import numpy as np
from distributed import Client
from uneven import ComboClassifier
from uneven.distributed import engine, rows

class Slow(engine.DaskEngine):
    def _trip(self, steps):
        if self.n_trips == 8:
            print("fitting", flush=True)
            time.sleep(60)
        return super()._trip(steps)

if __name__ == "__main__":
    rows.DaskEngine = Slow
    X, y = np.random.default_rng(0).normal(size=(200, 3)), np.arange(200) % 3
    with Client(sys.argv[1]):
        ComboClassifier().fit(da.from_array(X, chunks=(50, 3)), da.from_array(y, chunks=50))
"""


def test_shards_of_a_dead_driver_are_dropped(client, tmp_path):
    script = tmp_path / "driver.py"
    script.write_text(DRIVER)
    address = client.scheduler.address
    command = [sys.executable, str(script), address]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as driver:
        assert driver.stdout.readline() == "fitting\n"
        assert sum(client.run(held.count_shards).values()) > 0
        driver.kill()
    client.run(setattr, held, "LEASE", 0.5)
    try:
        until = time.monotonic() + 60.0
        while sum(client.run(held.count_shards).values()):
            assert time.monotonic() < until
            time.sleep(0.2)
    finally:
        client.run(setattr, held, "LEASE", held.LEASE)


def test_an_error_in_a_block_ends_the_fit_and_frees_the_shards(client):
    rows, labels = collections()
    infinite = rows.map_blocks(lambda block: np.where(np.isnan(block), np.inf, block))
    with pytest.raises(ValueError, match="infinity"):
        ComboClassifier().fit(infinite, labels)
    assert set(client.run(held.count_shards).values()) == {0}
