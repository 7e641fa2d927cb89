"""Rows on a Dask cluster of two processes: ``python -m benchmarks.cluster [PART ...]``.

The parts are ``rounds`` (time and bytes per round beside one process), ``trips`` (how many a round
takes), ``peers`` (beside the Dask modules of LightGBM and XGBoost: time to the same balanced
accuracy, difference to their own local models, and a killed worker), ``processors`` (two workers
that compute as different processors do), ``kill`` (workers are killed at every trip of a short
fit), ``disk`` (a fit under a limit of memory that the table alone would break) and ``huge`` (ten
million rows once). Another number of rows for ``rounds``, ``disk`` and ``huge``: ``--rows``. Only
some kinds of leaves for ``rounds`` and ``kill``: ``--leaves votes`` or ``--leaves scores``.
"""

from __future__ import annotations

import argparse
import os
import resource
import signal
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from multiprocessing import get_context
from pathlib import Path
from threading import Timer
from typing import Any

import numpy as np
from sklearn.metrics import balanced_accuracy_score

from benchmarks.lines import Line, at_most
from uneven import BalancedBoostingClassifier, ComboClassifier
from uneven.boosting.sharded import RowBlocks
from uneven.boosting.sharded import rows as local_rows
from uneven.boosting.sharded.engine import LocalEngine
from uneven.distributed import rows as dask_rows
from uneven.distributed.engine import DaskEngine

N_CLASSES, ROUNDS = 5, 30
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
    """A cluster of two processes of one thread each; killed ones are started again."""
    from distributed import Client, LocalCluster

    from uneven.distributed.client import patient_cluster

    options = {"dashboard_address": ":0", "memory_limit": 0, "silence_logs": 50}
    with (
        patient_cluster(),
        LocalCluster(2, threads_per_worker=1, **options) as cluster,
        Client(cluster) as client,
    ):
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


def rounds(
    n_rows: int = 1_000_000,
    n_columns: int = 30,
    few: int = 2,
    more: int = 12,
    repeats: int = 3,
    kinds: Sequence[str] = ("votes", "scores"),
) -> list[Line]:
    """Time and bytes of a round: one process against two workers; the best of some repeats."""
    lines = []
    dask_rows.DaskEngine = Watched  # type: ignore[misc]
    with two_workers() as client:
        X, y = collections(n_rows, n_columns, 8)
        X, y = client.persist([X, y])
        here = X.compute(), y.compute()
        for leaves in kinds:
            options = {"leaves": leaves, "random_state": 0, "max_depth": 3}
            found: dict[str, list[np.ndarray]] = {"one": [], "two": [], "cluster": []}
            models = {}
            for n in (1, *([few, more] * repeats)):
                for n_jobs, name in ((1, "one"), (2, "two")):
                    model = ComboClassifier(n_estimators=n, n_jobs=n_jobs, **options)
                    found[name].append(np.array(timed(partial(model.fit, *here))))
                    models[name] = model
                model = ComboClassifier(n_estimators=n, **options)
                cost = timed(partial(model.fit, X, y))
                found["cluster"].append(np.array([*cost, *Watched.last]))
                models["cluster"] = model
            one, two, far = (
                (np.min(parts[2::2], axis=0) - np.min(parts[1::2], axis=0)) / (more - few)
                for parts in found.values()
            )
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
            what = f"{leaves}, {n_rows} x {n_columns}, two workers"
            cpu, wall = far[2] / one[0], far[1] / two[1]
            lines.append(at_most(f"{what}: CPU of the slowest, of a fit here", cpu, 0.55))
            lines.append(at_most(f"{what}: wall, of two threads here", wall, 1.15))
    return lines


def trips(n_rows: int = 30_000, n_columns: int = 10, few: int = 5, more: int = 25) -> None:
    """Trips of a round, counted in this process."""

    class Counted(LocalEngine):
        n = 0

        def close(self) -> None:
            Counted.n = self.n_trips
            super().close()

    local_rows.LocalEngine = Counted  # type: ignore[misc]
    blocks = RowBlocks([make_rows(k, n_rows // 3, n_columns) for k in range(3)])
    combo = partial(ComboClassifier, random_state=0)
    for name, make in {
        "CoMBo, hard votes, depth 3": partial(combo, max_depth=3),
        "CoMBo, score leaves, depth 3": partial(combo, leaves="scores", max_depth=3),
        "CoMBo, score leaves, any depth": partial(combo, leaves="scores", max_depth=None),
        "BalancedBoosting": partial(BalancedBoostingClassifier, random_state=0),
    }.items():
        counts = []
        for n in (few, more):
            make(n_estimators=n).fit(blocks, None)
            counts.append(Counted.n)
        each = (counts[1] - counts[0]) / (more - few)
        print(f"{name}: {each:.1f} trips per round", flush=True)


def peers(n_rows: int = 100_000, n_columns: int = 10) -> list[Line]:
    """Time to the same balanced accuracy, difference to the local model, and a killed worker."""
    test = make_rows(99, 20_000, n_columns)
    found, lines = {}, []
    for name, make in _PEERS.items():
        with two_workers() as client:
            X, y = client.persist(collections(n_rows, n_columns, 5))
            weight = y.map_blocks(_balanced)
            here = X.compute(), y.compute(), weight.compute()
            local = make(None).fit(here[0], here[1], sample_weight=here[2])
            make(client).fit(X, y, sample_weight=weight)
            far, start = make(client), time.perf_counter()
            far.fit(X, y, sample_weight=weight)
            wall = time.perf_counter() - start
            answers = np.asarray(far.predict(X).compute())
            found[name] = (wall, _curve(far, *test))
            differ = 100 * np.mean(local.predict(here[0]) != answers)
            told = _fit_with_a_death(client, make(client), (X, y, weight), answers, 0.5 * wall)
        print(f"{name}: {differ:.2f} % of the answers differ from the local model; one of two "
              f"workers killed in the middle: {told}", flush=True)  # fmt: skip
        is_met = not differ and told == SURVIVED if name.startswith("CoMBo") else None
        lines.append(Line(f"{name}: % unlike the local model; {told}", f"{differ:.2f}", met=is_met))
    goal = min(max(curve) for _, curve in found.values())
    for name, (wall, curve) in found.items():
        first = 1 + int(np.argmax(np.array(curve) >= goal))
        print(f"{name}: {1e3 * wall / ROUNDS:.0f} ms per round; balanced accuracy {curve[-1]:.3f} "
              f"after {ROUNDS} rounds, {goal:.3f} after {first} rounds or "
              f"{wall * first / ROUNDS:.2f} s", flush=True)  # fmt: skip
    return lines


def _balanced(y: np.ndarray) -> np.ndarray:
    """Weights with which all classes weigh the same."""
    return 1.0 / (N_CLASSES * _SHARES[y])


def _curve(model: Any, X: np.ndarray, y: np.ndarray) -> list[float]:
    """Balanced accuracy after each round."""
    if isinstance(model, ComboClassifier):
        staged = list(model.staged_predict(X))
    elif hasattr(model, "to_local"):
        own = model.to_local()
        staged = [own.predict(X, num_iteration=k + 1) for k in range(ROUNDS)]
    else:
        import xgboost as xgb

        booster, rows = model.get_booster(), xgb.DMatrix(X)
        rounds = [booster.predict(rows, iteration_range=(0, k + 1)) for k in range(ROUNDS)]
        staged = [shares.argmax(axis=1) for shares in rounds]
    return [float(balanced_accuracy_score(y, answers)) for answers in staged]


SURVIVED = "the fit survived with the same answers"


def _fit_with_a_death(client: Any, model: Any, table: Any, answers: Any, after: float) -> str:
    """Kill a worker some seconds after a fit has begun; what comes of the fit."""
    X, y, weight = table
    pids = client.run(os.getpid)
    timer = Timer(after, os.kill, (pids[min(pids)], signal.SIGKILL))
    timer.start()
    try:
        model.fit(X, y, sample_weight=weight)
        same = np.array_equal(np.asarray(model.predict(X).compute()), answers)
        return SURVIVED if same else "the fit survived with other answers"
    except Exception as error:  # what a peer raises is its own choice
        return f"the fit was lost: {type(error).__name__}: {str(error)[:80]!r}"
    finally:
        timer.join()


def _ours(client: Any, leaves: str = "votes") -> Any:
    return ComboClassifier(n_estimators=ROUNDS, max_depth=4, leaves=leaves, random_state=0)


def _lightgbm(client: Any) -> Any:
    import lightgbm as lgb

    options = {"n_estimators": ROUNDS, "max_depth": 4, "random_state": 0, "verbose": -1}
    if client is None:
        return lgb.LGBMClassifier(n_jobs=1, **options)
    return lgb.DaskLGBMClassifier(client=client, **options)


def _xgboost(client: Any) -> Any:
    import xgboost as xgb

    options = {"n_estimators": ROUNDS, "max_depth": 4, "random_state": 0, "tree_method": "hist"}
    if client is None:
        return xgb.XGBClassifier(n_jobs=1, **options)
    from xgboost.dask import DaskXGBClassifier

    model = DaskXGBClassifier(**options)
    model.client = client
    return model


_PEERS: dict[str, Callable[[Any], Any]] = {
    "CoMBo, hard votes": _ours,
    "CoMBo, score leaves": partial(_ours, leaves="scores"),
    "LightGBM": _lightgbm,
    "XGBoost": _xgboost,
}


def processors(n_rows: int = 20_000, n_columns: int = 6) -> list[Line]:
    """One worker as any processor computes, one as this one does: the model is that of here."""
    from distributed import Client, Nanny, Scheduler, SpecCluster

    found, lines = np.show_config("dicts")["SIMD Extensions"].get("found", []), []
    plain = {"NUMBA_CPU_NAME": "generic", "NPY_DISABLE_CPU_FEATURES": " ".join(found)}
    plain["GLIBC_TUNABLES"] = "glibc.cpu.hwcaps=-AVX2,-FMA,-AVX512F"
    options = {"nthreads": 1, "memory_limit": 0, "silence_logs": 50}
    workers = {
        k: {"cls": Nanny, "options": options | {"env": env}} for k, env in enumerate([plain, {}])
    }
    scheduler = {"cls": Scheduler, "options": {"dashboard_address": ":0"}}
    with SpecCluster(workers, scheduler, silence_logs=50) as cluster, Client(cluster):
        X, y = collections(n_rows, n_columns, 4)
        here = X.compute(), y.compute()
        for leaves in ("votes", "scores"):
            model = ComboClassifier(n_estimators=10, leaves=leaves, random_state=0)
            scores = model.fit(*here).decision_function(here[0])
            same = np.array_equal(model.fit(X, y).decision_function(here[0]), scores)
            print(f"{leaves}, workers of two kinds of processors; same: {same}", flush=True)
            lines.append(Line(f"{leaves}: same on two kinds of processors", str(same), met=same))
    return lines


def kill_worker(client: Any) -> None:
    """Kill a worker of a local cluster that would be started again.

    Dask does not start a worker again that dies before its nanny knows that it is there.
    """
    from distributed import Status

    for nanny in list(client.cluster.workers.values()):
        if nanny.status == Status.running and nanny.pid is not None:
            os.kill(nanny.pid, signal.SIGKILL)
            return


class Killing(Watched):
    """An engine before or in whose trips workers are killed."""

    number, way = 0, "before"
    n_killed = 0

    def _trip(self, steps: Any) -> list[Any]:
        again = self.way == "twice" and self.n_trips == self.number + 3
        if self.n_trips == self.number and self.way == "in":
            timer = Timer(0.002, self._kill)
            timer.start()
            try:
                return super()._trip(steps)
            finally:
                timer.join()
        if self.n_trips == self.number or again:
            self._kill()
        return super()._trip(steps)

    def _find_homes(self, numbers: list[int]) -> Any:
        homes = super()._find_homes(numbers)
        if self.way == "recovery" and Killing.n_killed == 1:
            self._kill()
        return homes

    def _kill(self) -> None:
        Killing.n_killed += 1
        kill_worker(self._client)


WAYS = ("twice", "before", "recovery", "in")
"""When workers die: before a trip and again three trips later, before it, before it and again while
lost shards are built again, or two milliseconds after it has begun."""


def kill(n_rows: int = 3000, kinds: Sequence[str] = ("votes", "scores")) -> list[Line]:
    """Kill workers at every trip of a short fit, in all ways."""
    lines = []
    X, y = collections(n_rows, 5, 4)
    here = X.compute(), y.compute()
    for leaves in kinds:
        model = ComboClassifier(n_estimators=3, max_depth=2, leaves=leaves, random_state=0)
        scores = model.fit(*here).decision_function(here[0])
        survived, number, n_trips, longest, n_killed = 0, 0, 1, 0.0, 0
        with two_workers() as client:
            dask_rows.DaskEngine = Killing  # type: ignore[misc]
            while number < n_trips:
                client.wait_for_workers(2, timeout=600)
                Killing.number, Killing.way, Killing.n_killed = number, WAYS[number % 4], 0
                longest = max(longest, timed(partial(model.fit, X, y))[1])
                n_trips = Watched.last[2]
                survived += np.array_equal(model.decision_function(here[0]), scores)
                n_killed += Killing.n_killed
                number += 1
        print(f"{leaves}: {survived} of {number} fits with {n_killed} killed workers gave the same "
              f"model; the longest took {longest:.0f} s", flush=True)  # fmt: skip
        what = f"{leaves}: fits with killed workers that gave another model"
        lines.append(at_most(what, number - survived, 0))
    return lines


def run() -> list[Line]:
    """For ``python -m benchmarks cluster``."""
    return rounds() + processors() + kill() + peers() + disk()


def disk(n_rows: int = 10_000_000, n_columns: int = 20) -> list[Line]:
    """Memory of a fit from a Parquet file whose codes and costs are in files."""
    import pandas as pd
    import pyarrow as pa
    import pyarrow.parquet as pq

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
        limit = n_rows * n_columns * 4
        told: Any = get_context("spawn").Queue()
        child = get_context("spawn").Process(target=_fit_limited, args=(path, limit, told))
        child.start()
        child.join()
        if child.exitcode:
            print(f"{n_rows} x {n_columns}: the fit did not get by with {limit / 1e9:.2f} GB")
            return [Line(f"{n_rows} x {n_columns} on disk, memory of X", "failed", met=False)]
        seconds = told.get()
        print(
            f"{n_rows} x {n_columns}: X is {limit / 1e9:.2f} GB, which is all the memory that the "
            f"fit may take; it took {seconds:.0f} s",
            flush=True,
        )
        return [Line(f"{n_rows} x {n_columns} on disk, memory of X", f"{seconds:.0f} s", met=True)]


def _fit_limited(path: Path, limit: int, told: Any) -> None:
    """Fit with so many bytes of memory beside what the process has already."""
    import pyarrow.parquet as pq

    from uneven.boosting.sharded import ParquetRows

    X, y = make_rows(0, 2000, 3)
    ComboClassifier(n_estimators=2, n_jobs=2).fit(X, y)
    pq.ParquetFile(path).read_row_group(0).to_pandas()
    status = Path("/proc/self/status").read_text().split("VmData:")[1]
    now = 1024 * int(status.split()[0])
    resource.setrlimit(resource.RLIMIT_DATA, (now + limit, now + limit))
    model = ComboClassifier(n_estimators=3, n_jobs=2)
    _, wall = timed(lambda: model.fit(ParquetRows([path], "y"), None))
    told.put(wall)


def huge(n_rows: int = 10_000_000, n_columns: int = 30) -> None:
    """Ten million rows on two workers: seconds, and memory of the workers."""
    dask_rows.DaskEngine = Watched  # type: ignore[misc]
    with two_workers() as client:
        X, y = collections(n_rows, n_columns, 40)
        model = ComboClassifier(n_estimators=3, random_state=0)
        cpu, wall = timed(lambda: model.fit(X, y))
        held = client.run(lambda: resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)
        here = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        peak = ", ".join(f"{own / 1e6:.1f}" for own in sorted(held.values()))
        print(
            f"{n_rows} x {n_columns}, 3 rounds: {wall:.0f} s, of which {cpu:.0f} CPU s here and "
            f"{Watched.last[0]:.0f} in the slowest worker; at most {peak} GB in the workers and "
            f"{here / 1e6:.1f} GB here; {Watched.last[2]} trips, {Watched.last[1]:.0f} MB",
            flush=True,
        )


PARTS = {
    "rounds": rounds, "trips": trips, "peers": peers, "processors": processors, "kill": kill,
    "disk": disk, "huge": huge,
}  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("parts", nargs="*", choices=[*PARTS, []], help="all by default")
    parser.add_argument("--rows", type=int)
    parser.add_argument("--leaves", choices=["votes", "scores"], nargs="+")
    given = parser.parse_args()
    for name in given.parts or PARTS:
        sized = given.rows and name in ("rounds", "disk", "huge")
        words: dict[str, Any] = {"n_rows": given.rows} if sized else {}
        if given.leaves and name in ("rounds", "kill"):
            words["kinds"] = given.leaves
        PARTS[name](**words)


if __name__ == "__main__":
    main()
