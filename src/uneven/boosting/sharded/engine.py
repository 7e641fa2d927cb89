"""Engines: send steps to the shards, and return merged results."""

from __future__ import annotations

import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from functools import partial
from itertools import count
from typing import Any

from uneven.boosting.sharded.shard import Shard
from uneven.boosting.sharded.steps import Step, forget, merge_results
from uneven.utils.parallel import ThreadPool


class Handle:
    """A name for something that every shard holds, such as a number per row.

    It is forgotten on the shards when nothing here refers to it any more.
    """

    def __init__(self, engine: Engine, name: int) -> None:
        self._engine, self.name = engine, name

    def __del__(self) -> None:
        self._engine.later(forget(self.name))


class Engine(ABC):
    """Sends steps to all shards.

    Attributes
    ----------
    n_trips : int
        Number of requests to the shards so far.
    n_bytes : int
        What they sent back, where that is counted.
    """

    def __init__(self) -> None:
        self.n_trips, self.n_bytes, self._begun = 0, 0, time.perf_counter()
        self._names = count()
        self._waiting: list[tuple[Step, Callable[[Any], None] | None]] = []

    def new(self) -> Handle:
        """A name that stands for nothing yet."""
        return Handle(self, self.name())

    def name(self) -> int:
        """A number that no other handle has."""
        return next(self._names)

    def later(self, step: Step, then: Callable[[Any], None] | None = None) -> None:
        """Let a step travel with the next request; ``then`` gets its result."""
        self._waiting.append((step, then))

    def ask(self, *steps: Step) -> Any:
        """Do steps on all shards in one trip.

        Returns
        -------
        object
            The merged result of the step; a list of them if there are several.
        """
        waiting, self._waiting = self._waiting, []
        results = self._trip([step for step, _ in waiting] + list(steps))
        self.n_trips += 1
        for (_, then), result in zip(waiting, results):
            if then is not None:
                then(result)
        asked = results[len(waiting) :]
        return asked[0] if len(asked) == 1 else asked

    def pace(self, n_rows: int) -> str:
        """Rows processed per second, and bytes that they send back, since the beginning."""
        seconds = max(time.perf_counter() - self._begun, 1e-9)
        rows = f"  {n_rows * self.n_trips / seconds:.3g} rows/s"
        return rows + (f"  {self.n_bytes / 1e6 / seconds:.3g} MB/s" if self.n_bytes else "")

    @abstractmethod
    def _trip(self, steps: Sequence[Step]) -> list[Any]:
        """Do steps on all shards; the merged result of each."""

    @abstractmethod
    def close(self) -> None:
        """Let go of the shards."""


class LocalEngine(Engine):
    """Shards in this process, one after another or in threads.

    Parameters
    ----------
    shards : sequence of Shard
    pool : ThreadPool, optional
    """

    def __init__(self, shards: Sequence[Shard], pool: ThreadPool | None = None) -> None:
        super().__init__()
        self.shards, self._pool = list(shards), pool or ThreadPool()

    def _trip(self, steps: Sequence[Step]) -> list[Any]:
        jobs = [partial(shard.run, steps) for shard in self.shards]
        return merge_results(steps, self._pool.map(jobs))

    def close(self) -> None:
        """Let go of the shards, and of what they hold on disk."""
        for shard in self.shards:
            shard.close()
        self.shards = []
