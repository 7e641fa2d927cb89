"""What a worker keeps of a fit between trips: its shards, under the token of the fit."""

from __future__ import annotations

import asyncio
import pickle
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from threading import Condition, Lock, Thread
from typing import Any

from distributed import get_worker, secede

from uneven.boosting.sharded.shard import Shard
from uneven.boosting.sharded.steps import Step, merge_results

LEASE = 900.0
"""Seconds after which a worker drops shards that are not used."""

TRIP = "uneven_trip"
"""What a driver that is connected to a worker calls ``answer_trip`` there."""

LOOK = 5.0
"""Seconds after which a worker looks whether a fit still has shards here, if nobody says so."""


class _Held:
    """A shard on a worker, and its result of the last trip."""

    def __init__(self, shard: Shard) -> None:
        self.shard, self.trip = shard, -1
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
_freed = Condition()
_watching: list[Thread] = []
_trips = ThreadPoolExecutor(thread_name_prefix="uneven-trip")
_shards = ThreadPoolExecutor(thread_name_prefix="uneven-shard")


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
    _held[token, number] = _Held(shard)
    get_worker().handlers[TRIP] = answer_trip
    if not _watching:
        _watching.append(Thread(target=_watch_leases, daemon=True))
        _watching[0].start()
    return str(__version__)


def show_fit(token: str) -> None:
    """Last as long as a fit has shards here: the scheduler takes this worker to be in use."""
    secede()
    with _freed:
        while shards_of(token):
            _freed.wait(LOOK)


async def answer_trip(token: str, numbers: Sequence[int], trip: int, steps: bytes) -> bytes | None:
    """Do a trip on some shards of this worker, in a thread.

    Returns
    -------
    bytes or None
        A pickle of the merged results, or of the exception that was raised, and of the CPU
        seconds of this process in the meantime; None if a shard is not here.
    """
    given = (token, numbers, trip, steps)
    return await asyncio.get_running_loop().run_in_executor(_trips, _run_trip, *given)


def _run_trip(token: str, numbers: Sequence[int], trip: int, packed: bytes) -> bytes | None:
    start = time.process_time()
    try:
        shards = [_held[token, number] for number in numbers]
    except KeyError:
        return None
    try:
        steps: list[Step] = pickle.loads(packed)

        def run(held: _Held) -> list[Any]:
            return held.run(trip, steps)

        found: Any = list(_shards.map(run, shards) if len(shards) > 1 else map(run, shards))
        found = merge_results(steps, found)
    except Exception as error:  # it is raised again by the driver
        found = error
    return pickle.dumps((found, time.process_time() - start), protocol=5)


def shards_of(token: str) -> list[tuple[str, int]]:
    """Names of the shards of a fit on this worker."""
    return [key for key in list(_held) if key[0] == token]


def free_shards(token: str) -> int:
    """Drop the shards of a fit on this worker; how many there were."""
    mine = shards_of(token)
    for key in mine:
        _held.pop(key, None)
    with _freed:
        _freed.notify_all()
    return len(mine)


def count_shards() -> int:
    """Shards of all fits on this worker."""
    return len(_held)
