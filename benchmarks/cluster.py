"""Rows on a Dask cluster of two processes: ``python -m benchmarks.cluster [PART ...]``.

The parts are ``rounds`` (time and bytes per round beside one process), ``peers`` (beside the Dask
modules of LightGBM and XGBoost: difference to their own local models, and a killed worker),
``kill`` (a worker is killed at every trip of a short fit) and ``disk`` (memory of a fit whose
codes and costs are in files). Another number of rows for ``rounds`` and ``disk``: ``--rows``.
"""

from __future__ import annotations

import argparse
import os
import resource
import signal
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Timer
from typing import Any

import numpy as np

from uneven import ComboClassifier
from uneven.boosting.sharded import dask_rows
from uneven.boosting.sharded.dask_engine import DaskEngine

N_CLASSES = 5
_SHARES = np.arange(N_CLASSES, 0, -1) ** 2 / (np.arange(N_CLASSES, 0, -1) ** 2).sum()


def make_rows(number: int, n_rows: int, n_columns: int) -> tuple[np.ndarray, np.ndarray]:
    """Block ``number`` of a table of five classes; any process can make it again."""
    rng = np.random.default_rng(number)
    y = rng.choice(N_CLASSES, n_rows, p=_SHARES)
    X = rng.normal(size=(n_rows, n_columns)).astype(np.float32)
    X += 0.6 * (y[:, None] % (1 + np.arange(n_columns) % N_CLASSES))
    X[:, ::3] = np.round(X[:, ::3], 1)
    return X, y


def collections(n_rows: int, n_columns: int, n_blocks: int) -> tuple[Any, Any]:
    """The table as Dask arrays."""
    import dask.array as da
    from dask import delayed

    size = n_rows // n_blocks
    blocks = [delayed(make_rows)(k, size, n_columns) for k in range(n_blocks)]
    rows = [da.from_delayed(b[0], (size, n_columns), np.float32) for b in blocks]
    labels = [da.from_delayed(b[1], (size,), np.int64) for b in blocks]
    return da.concatenate(rows), da.concatenate(labels)


@contextmanager
def two_workers() -> Iterator[Any]:
    """A cluster of two processes of one thread each."""
    from distributed import Client, LocalCluster

    options = {"dashboard_address": ":0", "memory_limit": 0, "silence_logs": 50}
    with LocalCluster(2, threads_per_worker=1, **options) as cluster, Client(cluster) as client:
        yield client


class Watched(DaskEngine):
    """An engine that leaves behind what it has counted."""

    last: tuple[float, float, int] = (0.0, 0.0, 0)

    def close(self) -> None:
        Watched.last = (self.cpu, self.n_bytes / 1e6, self.n_trips)
        super().close()


def timed(fit: Callable[[], Any]) -> tuple[float, float]:
    """CPU seconds of this process, and wall seconds."""
    cpu, wall = time.process_time(), time.perf_counter()
    fit()
    return time.process_time() - cpu, time.perf_counter() - wall


def rounds(n_rows: int = 1_000_000, n_columns: int = 30, few: int = 2, more: int = 12) -> None:
    """Time and bytes of a round: one process against two workers."""
    dask_rows.DaskEngine = Watched  # type: ignore[misc]
    with two_workers() as client:
        X, y = collections(n_rows, n_columns, 8)
        X, y = client.persist([X, y])
        here = X.compute(), y.compute()
        for leaves in ("votes", "scores"):
            options = {"leaves": leaves, "random_state": 0, "max_depth": 3}
            found: dict[str, list[np.ndarray]] = {"one": [], "two": [], "cluster": []}
            models = {}
            for n in (1, few, more):
                for n_jobs, name in ((1, "one"), (2, "two")):
                    model = ComboClassifier(n_estimators=n, n_jobs=n_jobs, **options)
                    found[name].append(np.array(timed(lambda m=model: m.fit(*here))))
                    models[name] = model
                model = ComboClassifier(n_estimators=n, **options)
                cost = timed(lambda m=model: m.fit(X, y))
                found["cluster"].append(np.array([*cost, *Watched.last]))
                models["cluster"] = model
            one, two, far = ((parts[2] - parts[1]) / (more - few) for parts in found.values())
            same = np.array_equal(
                models["one"].decision_function(here[0][:10_000]),
                models["cluster"].decision_function(here[0][:10_000]),
            )
            print(
                f"{leaves}, {n_rows} x {n_columns}: a round takes {1e3 * one[0]:.0f} CPU ms in one "
                f"thread, {1e3 * far[2]:.0f} in the slowest of two workers "
                f"({far[2] / one[0]:.2f}); wall {1e3 * two[1]:.0f} ms with 2 threads, "
                f"{1e3 * far[1]:.0f} ms on the cluster ({far[1] / two[1]:.2f}); driver "
                f"{1e3 * far[0]:.0f} CPU ms, {far[3]:.2f} MB, {far[4]:.1f} trips; same: {same}",
                flush=True,
            )


def peers(n_rows: int = 100_000, n_columns: int = 10) -> None:
    """Difference to the local model, and survival of a killed worker."""
    for name, make in _PEERS.items():
        with two_workers() as client:
            X, y = collections(n_rows, n_columns, 5)
            here = X.compute(), y.compute()
            local = make(None).fit(*here).predict(here[0])
            far, wall = make(client), time.perf_counter()
            far.fit(X, y)
            wall = time.perf_counter() - wall
            answers = np.asarray(far.predict(X).compute())
            print(f"{name}: {100 * np.mean(local != answers):.2f} % of the answers differ from the "
                  f"local model; fit {wall:.1f} s", flush=True)  # fmt: skip
            pids = client.run(os.getpid)
            timer = Timer(0.5 * wall, os.kill, (pids[min(pids)], signal.SIGKILL))
            timer.start()
            try:
                again = make(client)
                again.fit(X, y)
                kept = np.array_equal(np.asarray(again.predict(X).compute()), answers)
                told = f"the fit survived, same answers: {kept}"
            except Exception as error:  # what a peer raises is its own choice
                told = f"the fit was lost: {type(error).__name__}: {str(error)[:80]!r}"
            timer.join()
            print(f"{name}, one of two workers killed in the middle: {told}", flush=True)


def _ours(client: Any) -> Any:
    return ComboClassifier(n_estimators=30, max_depth=4, random_state=0)


def _lightgbm(client: Any) -> Any:
    import lightgbm as lgb

    options = {"n_estimators": 30, "max_depth": 4, "random_state": 0, "verbose": -1}
    if client is None:
        return lgb.LGBMClassifier(n_jobs=1, **options)
    return lgb.DaskLGBMClassifier(client=client, **options)


def _xgboost(client: Any) -> Any:
    import xgboost as xgb

    options = {"n_estimators": 30, "max_depth": 4, "random_state": 0, "tree_method": "hist"}
    if client is None:
        return xgb.XGBClassifier(n_jobs=1, **options)
    model = xgb.dask.DaskXGBClassifier(**options)
    model.client = client
    return model


_PEERS = {"ComboClassifier": _ours, "LightGBM": _lightgbm, "XGBoost": _xgboost}


def kill(n_rows: int = 3000) -> None:
    """Kill a worker before every trip of a short fit, and before two trips of one."""
    X, y = collections(n_rows, 5, 4)
    here = X.compute(), y.compute()
    for leaves in ("votes", "scores"):
        model = ComboClassifier(n_estimators=3, max_depth=2, leaves=leaves, random_state=0)
        scores = model.fit(*here).decision_function(here[0])
        with two_workers() as client:
            survived, number, n_trips = 0, 0, 1

            class Killing(Watched):
                when: tuple[int, ...] = ()

                def _trip(self, steps: Any) -> list[Any]:
                    if self.n_trips in self.when:
                        pids = self._client.run(os.getpid)
                        os.kill(pids[min(pids)], signal.SIGKILL)
                    return super()._trip(steps)

            dask_rows.DaskEngine = Killing  # type: ignore[misc]
            while number < n_trips:
                client.wait_for_workers(2, timeout=60)
                Killing.when = (number, number + 3) if number % 4 == 0 else (number,)
                model.fit(X, y)
                n_trips = Watched.last[2]
                survived += np.array_equal(model.decision_function(here[0]), scores)
                number += 1
            print(f"{leaves}: {survived} of {number} fits with killed workers gave the same model",
                  flush=True)  # fmt: skip


def disk(n_rows: int = 10_000_000, n_columns: int = 20) -> None:
    """Memory of a fit from a Parquet file whose codes and costs are in files."""
    import pandas as pd
    import pyarrow as pa
    import pyarrow.parquet as pq

    from uneven.boosting.sharded import ParquetRows

    with tempfile.TemporaryDirectory() as folder:
        path, size = Path(folder) / "rows.parquet", 250_000
        writer = None
        for k in range(n_rows // size):
            X, y = make_rows(k, size, n_columns)
            frame = pd.DataFrame(X, columns=[f"x{j}" for j in range(n_columns)]).assign(y=y)
            part = pa.Table.from_pandas(frame, preserve_index=False)
            writer = writer or pq.ParquetWriter(path, part.schema)
            writer.write_table(part)
        assert writer is not None
        writer.close()
        del X, y, frame, part
        before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6
        model = ComboClassifier(n_estimators=3, n_jobs=2)
        _, wall = timed(lambda: model.fit(ParquetRows([path], "y"), None))
        after = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6
        table = n_rows * n_columns * 4 / 1e9
        print(
            f"{n_rows} x {n_columns}: X is {table:.2f} GB; the process held {before:.2f} GB "
            f"before and at most {after:.2f} GB during a fit of {wall:.0f} s",
            flush=True,
        )


PARTS = {"rounds": rounds, "peers": peers, "kill": kill, "disk": disk}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("parts", nargs="*", choices=[*PARTS, []], help="all by default")
    parser.add_argument("--rows", type=int)
    given = parser.parse_args()
    for name in given.parts or PARTS:
        words = {"n_rows": given.rows} if given.rows else {}
        PARTS[name](**words)


if __name__ == "__main__":
    main()
