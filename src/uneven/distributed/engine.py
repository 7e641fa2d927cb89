"""Shards on the workers of a Dask cluster, which outlive the death of workers.

A worker keeps its shards between trips, under the token of the fit and the number of the shard. A
trip is one task per worker. A shard is a function of its rows and of the journal, the steps that
changed it: if a worker is gone, its rows are computed again from their Dask graph, another worker
builds the shard and repeats the journal, and only the lost part of the trip is done again. A shard
that has already done a trip answers it from memory, so that none is done twice.
"""

from __future__ import annotations

import logging
import pickle
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from threading import Lock, Thread
from typing import Any
from uuid import uuid4

from distributed import CancelledError, wait

from uneven.boosting.sharded.engine import Engine
from uneven.boosting.sharded.shard import Shard
from uneven.boosting.sharded.steps import Step, merge_results, remember

PATIENCE = 0.3
"""Seconds after which a driver that waits looks whether the workers are still there."""

LONGEST_TRIP = 3600.0
"""Seconds that a trip may take before the fit gives up."""

LONGEST_CLOSE = 30.0
"""Seconds for which the end of a fit waits until workers have freed the shards."""

NO_WORKER = 120.0
"""Seconds for which a fit waits for a worker when there is none."""

LEASE = 900.0
"""Seconds after which a worker drops shards that nobody has asked for."""

_LOST = "lost"
_log = logging.getLogger("uneven.cluster")


class _Held:
    """A shard on a worker, and its answer to the last trip."""

    def __init__(self, shard: Shard, trip: int) -> None:
        self.shard, self.trip = shard, trip
        self.answer: list[Any] = []
        self.lock, self.asked = Lock(), time.monotonic()

    def run(self, trip: int, steps: Sequence[Step]) -> list[Any]:
        """Do a trip, unless it has been done."""
        with self.lock:
            if self.trip != trip:
                self.answer = self.shard.run(steps)
                self.trip = trip
            self.asked = time.monotonic()
            return self.answer


_held: dict[tuple[str, int], _Held] = {}
_watching: list[Thread] = []


def _watch_leases() -> None:
    """Drop shards whose driver has gone, from time to time."""
    while True:
        time.sleep(min(LEASE / 10, 5.0))
        now = time.monotonic()
        for key in [k for k, held in list(_held.items()) if now - held.asked > LEASE]:
            _held.pop(key, None)


def build_shard(
    token: str, number: int, blocks: list[Any], categories: dict[Any, list], journal: bytes
) -> str:
    """Build a shard on this worker and bring it up to date; the version of this library here."""
    from uneven import __version__

    shard = Shard(blocks, categories, number)
    shard.run(pickle.loads(journal))
    _held[token, number] = _Held(shard, -1)
    if not _watching:
        _watching.append(Thread(target=_watch_leases, daemon=True))
        _watching[0].start()
    return str(__version__)


def run_trip(
    token: str, numbers: Sequence[int], trip: int, steps: Sequence[Step]
) -> tuple[Any, float]:
    """Do a trip on some shards of this worker; the merged results and the CPU seconds they took."""
    shards = [_held.get((token, number)) for number in numbers]
    if any(held is None for held in shards):
        return _LOST, 0.0
    start = time.process_time()

    def run(held: Any) -> list[Any]:
        return list(held.run(trip, steps))

    with ThreadPoolExecutor(len(shards)) as threads:
        answers = list(threads.map(run, shards) if len(shards) > 1 else map(run, shards))
    return merge_results(steps, answers), time.process_time() - start


def free_shards(token: str) -> int:
    """Drop the shards of a fit on this worker; how many there were."""
    mine = [key for key in list(_held) if key[0] == token]
    for key in mine:
        _held.pop(key, None)
    return len(mine)


def count_shards() -> int:
    """Shards of all fits on this worker."""
    return len(_held)


class DaskEngine(Engine):
    """Carries steps to shards on the workers of a Dask cluster.

    Parameters
    ----------
    client : distributed.Client
    parts : sequence of Delayed
        Blocks of rows; see :mod:`.blocks`.
    categories : dict of column name to list

    Attributes
    ----------
    n_rebuilt : int
        Shards that were built again because their worker was gone.
    cpu : float
        CPU seconds of the slowest worker of each trip, summed.
    """

    def __init__(self, client: Any, parts: Sequence[Any], categories: dict[Any, list]) -> None:
        super().__init__()
        self._client, self._categories = client, categories
        self._token, self._attempts = uuid4().hex[:12], 0
        self._journal: list[Step] = []
        self.n_rebuilt, self.cpu = 0, 0.0
        self._parts: dict[int, list[Any]] = {}
        self._worker_of: dict[int, str] = {}
        try:
            self._deal(list(parts))
        except BaseException:
            self.close()
            raise

    def _deal(self, parts: list[Any]) -> None:
        """Compute the blocks where they are, and make shards of those of each worker."""
        threads = self._workers()
        computed = self._compute(parts)
        owners = self._client.who_has(computed)
        room = {worker: -(-len(parts) // len(threads)) for worker in threads}
        mine: dict[str, list[int]] = {worker: [] for worker in threads}
        for k, future in enumerate(computed):
            near = [w for w in owners.get(future.key, ()) if room.get(w, 0) > 0]
            worker = near[0] if near else max(room, key=lambda w: room[w])
            room[worker] -= 1
            mine[worker].append(k)
        number, given = 0, {}
        for worker, own in mine.items():
            n_shards = min(threads[worker], len(own))
            for k in range(n_shards):
                numbers = own[k::n_shards]
                self._parts[number] = [parts[i] for i in numbers]
                given[number] = (worker, [computed[i] for i in numbers])
                number += 1
        self._build(given)

    def _workers(self) -> dict[str, int]:
        """Threads of every worker that is there; wait for one if there is none."""
        until = time.monotonic() + NO_WORKER
        while True:
            threads: dict[str, int] = dict(self._client.nthreads())
            if threads:
                return threads
            if time.monotonic() > until:
                raise TimeoutError(
                    f"the Dask cluster {self._address} has had no worker for {NO_WORKER:.0f} "
                    "seconds: the fit ends. Start workers and fit again."
                )
            time.sleep(PATIENCE)

    @property
    def _address(self) -> str:
        return str(getattr(self._client.scheduler, "address", "?"))

    def _key(self, what: str) -> str:
        self._attempts += 1
        return f"uneven_{what}-{self._token}-{self._attempts}"

    def _compute(self, parts: list[Any]) -> list[Any]:
        """Futures of blocks, computed anywhere; errors in a block are raised."""
        futures = self._client.compute(parts)
        while True:
            try:
                wait(futures, timeout=PATIENCE)
                break
            except TimeoutError:
                failed = [future for future in futures if future.status == "error"]
                if failed:
                    break
                self._workers()
        for future in futures:
            if future.status == "error":
                raise future.exception()
        return list(futures)

    def _build(self, given: dict[int, tuple[str, list[Any]]]) -> None:
        """Build shards from computed blocks, on their workers or, if these are gone, on others."""
        from uneven import __version__

        journal = pickle.dumps(self._journal)
        while given:
            futures = {
                number: self._client.submit(
                    build_shard, self._token, number, blocks, self._categories, journal,
                    workers=[worker], key=self._key("build"), pure=False,
                )
                for number, (worker, blocks) in given.items()
            }  # fmt: skip
            done = self._gather(futures, {n: worker for n, (worker, _) in given.items()})
            for number, version in done.items():
                if version != __version__:
                    raise RuntimeError(
                        f"the worker {given[number][0]} has uneven {version}, this process has "
                        f"{__version__}: install the same version on both."
                    )
                self._worker_of[number] = given[number][0]
            for future in [f for _, blocks in given.values() for f in blocks] + [*futures.values()]:
                future.release()
            lost = [number for number in given if number not in done]
            given = self._find_homes(lost) if lost else {}

    def _find_homes(self, numbers: list[int]) -> dict[int, tuple[str, list[Any]]]:
        """A living worker for each of some shards, the fewest shards first, and its blocks."""
        workers = self._workers()
        load = dict.fromkeys(workers, 0)
        for number, worker in self._worker_of.items():
            if worker in load and number not in numbers:
                load[worker] += 1
        given = {}
        for number in numbers:
            worker = min(load, key=lambda w: (load[w] / workers[w], w))
            load[worker] += 1
            given[number] = (worker, self._compute(self._parts[number]))
        return given

    def _gather(self, futures: dict[Any, Any], workers: dict[Any, str]) -> dict[Any, Any]:
        """Results of tasks that are bound to workers, without those whose worker is gone."""
        waiting, done = dict(futures), {}
        until = time.monotonic() + LONGEST_TRIP
        while waiting:
            try:
                wait(list(waiting.values()), timeout=PATIENCE, return_when="FIRST_COMPLETED")
            except TimeoutError:
                there = self._client.nthreads()
                for name in [name for name in waiting if workers[name] not in there]:
                    waiting.pop(name).cancel()
                if time.monotonic() > until:
                    stuck = sorted({workers[name] for name in waiting})
                    raise TimeoutError(
                        f"the Dask workers {stuck} have not answered for {LONGEST_TRIP:.0f} "
                        "seconds: the fit ends. Are they paused for want of memory?"
                    ) from None
                continue
            for name in [name for name, future in waiting.items() if future.done()]:
                future = waiting.pop(name)
                if future.status == "error":
                    raise future.exception()
                if future.status == "finished":
                    try:
                        done[name] = future.result(timeout=10 * PATIENCE)
                        future.release()
                    except (TimeoutError, OSError, CancelledError):
                        _log.info("the answer of %s was lost with it", workers[name])
        return done

    def _trip(self, steps: Sequence[Step]) -> list[Any]:
        todo, results = sorted(self._worker_of), []
        slowest = 0.0
        while todo:
            jobs: dict[str, list[int]] = {}
            for number in todo:
                jobs.setdefault(self._worker_of[number], []).append(number)
            futures = {
                worker: self._client.submit(
                    run_trip, self._token, numbers, self.n_trips, steps,
                    workers=[worker], key=self._key("trip"), pure=False,
                )
                for worker, numbers in jobs.items()
            }  # fmt: skip
            done = self._gather(futures, {worker: worker for worker in jobs})
            todo = []
            for worker, numbers in jobs.items():
                merged, cpu = done.get(worker, (_LOST, 0.0))
                if isinstance(merged, str):
                    todo += numbers
                else:
                    results.append(merged)
                    slowest = max(slowest, cpu)
            if todo:
                _log.warning(
                    "%d shards are lost with their workers: building them again", len(todo)
                )
                self.n_rebuilt += len(todo)
                self._build(self._find_homes(todo))
        self.cpu += slowest
        self.n_bytes += sum(_n_bytes(result) for result in results)
        remember(self._journal, steps)
        return merge_results(steps, results)

    def close(self) -> None:
        """Free the shards on all workers."""
        seconds = time.perf_counter() - self._begun
        told = (self.n_trips, self.n_bytes / 1e6, seconds, self.n_bytes / 1e6 / max(seconds, 1e-9))
        _log.info("%d trips, %.1f MB in %.1f s (%.1f MB/s)", *told)
        self._parts, self._worker_of = {}, {}
        freeing = Thread(target=self._free, daemon=True)
        freeing.start()
        freeing.join(LONGEST_CLOSE)

    def _free(self) -> None:
        try:
            there = list(self._client.nthreads())
            if there:
                self._client.run(free_shards, self._token, workers=there, on_error="ignore")
        except (OSError, ValueError, TimeoutError):
            _log.info("the cluster is gone; its workers drop the shards after %.0f s", LEASE)


def _n_bytes(result: Any) -> int:
    """Size of the arrays in a result."""
    if isinstance(result, list | tuple):
        return sum(_n_bytes(one) for one in result)
    return int(getattr(result, "nbytes", 8))
