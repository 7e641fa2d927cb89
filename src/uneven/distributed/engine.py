"""Shards on the workers of a Dask cluster, which outlive the death of workers.

A worker keeps its shards between trips (:mod:`.held`). A trip is one message to each worker, from
this process itself or, where it cannot connect to workers, through the scheduler. A shard is a
function of its rows and of the journal, the steps that changed it: if a worker is gone, its rows
are computed again from their Dask graph, another worker builds the shard and repeats the journal,
and only the lost part of the trip is done again. A shard that has already done a trip answers it
from memory, so that none is done twice.
"""

from __future__ import annotations

import asyncio
import concurrent.futures
import logging
import pickle
import time
from collections.abc import Awaitable, Sequence
from contextlib import suppress
from threading import Thread
from typing import Any
from uuid import uuid4

from distributed import CancelledError, wait

from uneven.boosting.sharded.engine import Engine
from uneven.boosting.sharded.steps import Journal, Step, merge_results
from uneven.distributed import held

PATIENCE = 0.3
"""Seconds after which a driver that waits looks whether the workers are still there."""

LONGEST_CONNECT = 3.0
"""Seconds within which a worker must reply to this process to be called without the scheduler."""

LONGEST_TRIP = 3600.0
"""Seconds that a trip may take before the fit gives up."""

LONGEST_CLOSE = 30.0
"""Seconds for which the end of a fit waits until workers have freed the shards."""

NO_WORKER = 120.0
"""Seconds for which a fit waits for a worker when there is none."""

MOST_LOSSES = 20
"""Times that shards may be lost in one trip before the fit gives up."""

_log = logging.getLogger("uneven.cluster")


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
    """

    def __init__(self, client: Any, parts: Sequence[Any], categories: dict[Any, list]) -> None:
        super().__init__()
        self._client, self._categories = client, categories
        self._token, self._attempts = uuid4().hex[:12], 0
        self._journal = Journal()
        self._shown: dict[str, Any] = {}
        self._is_near: dict[str, bool] = {}
        self.n_rebuilt = 0
        self._cpu: dict[str, float] = {}
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

    @property
    def cpu(self) -> float:
        """CPU seconds that the trips so far have taken in the slowest worker."""
        return max(self._cpu.values(), default=0.0)

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

        journal = pickle.dumps(self._journal.steps)
        n_losses = 0
        while given:
            futures = {
                number: self._client.submit(
                    held.build_shard, self._token, number, blocks, self._categories, journal,
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
                self._show(given[number][0])
            for future in [f for _, blocks in given.values() for f in blocks] + [*futures.values()]:
                future.release()
            lost = [number for number in given if number not in done]
            if lost:
                n_losses = self._count_loss(n_losses)
            given = self._find_homes(lost) if lost else {}

    def _count_loss(self, n_losses: int) -> int:
        """One loss more; refuse too many."""
        if n_losses + 1 >= MOST_LOSSES:
            raise RuntimeError(
                f"the Dask cluster {self._address} has lost workers {MOST_LOSSES} times in one "
                "step: the fit ends. Have the workers enough memory for the rows? More workers, or "
                "a higher memory limit, may help."
            )
        return n_losses + 1

    def _show(self, worker: str) -> None:
        """Have a task on a worker as long as it is used: others see it, and none retires it."""
        if worker not in self._shown:
            self._shown[worker] = self._client.submit(
                held.show_fit, self._token, workers=[worker], key=self._key("fit"), pure=False
            )

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
                self._drop_gone(waiting, workers, until)
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

    def _drop_gone(self, waiting: dict[Any, Any], workers: dict[Any, str], until: float) -> None:
        """Stop waiting for workers that are gone, and for all after a time limit."""
        there = self._client.nthreads()
        for name in [name for name in waiting if workers[name] not in there]:
            waiting.pop(name).cancel()
        if waiting and time.monotonic() > until:
            stuck = sorted({workers[name] for name in waiting})
            raise TimeoutError(
                f"the Dask workers {stuck} have not responded for {LONGEST_TRIP:.0f} seconds: the "
                "fit ends. Are they paused because their memory is full?"
            )

    def _begin(self, call: Awaitable[Any]) -> concurrent.futures.Future[Any]:
        """Let the client's event loop do something."""
        return asyncio.run_coroutine_threadsafe(call, self._client.loop.asyncio_loop)  # type: ignore[arg-type]

    async def _call(self, worker: str, question: dict[str, Any]) -> bytes | None:
        """Let a worker do its part of a trip; see ``held.answer_trip``."""
        if worker not in self._is_near:
            self._is_near[worker] = await self._can_connect(worker)
        if self._is_near[worker]:
            found: bytes | None = await getattr(self._client.rpc(worker), held.TRIP)(**question)
            return found
        run = self._client.run
        return dict(await run(held.answer_trip, **question, workers=[worker])).get(worker)

    async def _can_connect(self, worker: str) -> bool:
        """Whether this process can connect to a worker itself."""
        try:
            await asyncio.wait_for(self._client.rpc(worker).identity(), LONGEST_CONNECT)
        except OSError:
            _log.info("%s is asked through the scheduler: this process cannot reach it", worker)
            return False
        return True

    def _ask_workers(self, jobs: dict[str, list[int]], steps: bytes) -> dict[str, Any]:
        """Results of a trip and CPU seconds by worker, without workers that have lost a shard."""
        question = {"token": self._token, "trip": self.n_trips, "steps": steps}
        waiting = {
            worker: self._begin(self._call(worker, question | {"numbers": numbers}))
            for worker, numbers in jobs.items()
        }
        done = {}
        until = time.monotonic() + LONGEST_TRIP
        while waiting:
            concurrent.futures.wait(waiting.values(), PATIENCE)
            for worker in [worker for worker, call in waiting.items() if call.done()]:
                try:
                    answer = waiting.pop(worker).result()
                except OSError:
                    _log.info("%s does not answer", worker)
                    self._is_near.pop(worker, None)
                    continue
                if answer is None:
                    continue
                found, cpu = pickle.loads(answer)
                if isinstance(found, Exception):
                    raise found
                done[worker] = found, cpu
            if waiting:
                self._drop_gone(waiting, {worker: worker for worker in waiting}, until)
        return done

    def _trip(self, steps: Sequence[Step]) -> list[Any]:
        todo, results, packed = sorted(self._worker_of), [], pickle.dumps(steps, protocol=5)
        n_losses = 0
        while todo:
            jobs: dict[str, list[int]] = {}
            for number in todo:
                jobs.setdefault(self._worker_of[number], []).append(number)
            done = self._ask_workers(jobs, packed)
            for worker, (found, cpu) in done.items():
                results.append(found)
                self._cpu[worker] = self._cpu.get(worker, 0.0) + cpu
            todo = [number for worker, own in jobs.items() if worker not in done for number in own]
            if todo:
                n_losses = self._count_loss(n_losses)
                _log.warning(
                    "%d shards are lost with their workers: building them again", len(todo)
                )
                self.n_rebuilt += len(todo)
                self._build(self._find_homes(todo))
        self.n_bytes += sum(_n_bytes(result) for result in results)
        self._journal.add(steps)
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
                self._client.run(held.free_shards, self._token, workers=there, on_error="ignore")
            with suppress(TimeoutError):  # of tasks that end by themselves no worker warns
                wait(list(self._shown.values()), timeout=PATIENCE)
        except (OSError, ValueError, TimeoutError):
            _log.info("the cluster is gone; its workers drop the shards after %.0f s", held.LEASE)
        self._shown = {}


def _n_bytes(result: Any) -> int:
    """Size of the arrays in a result."""
    if isinstance(result, list | tuple):
        return sum(_n_bytes(one) for one in result)
    return int(getattr(result, "nbytes", 8))
