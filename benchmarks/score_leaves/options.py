"""What a run may be told: threads, tables, peers, and where results of peers are kept."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path

from benchmarks.lines import NOT_RUN, Line
from benchmarks.score_leaves.booster import Booster, Setting
from benchmarks.score_leaves.curves import Keep
from benchmarks.score_leaves.data import TABLES, Table
from benchmarks.score_leaves.peers import OURS, PEERS

KEEP, THREADS = "UNEVEN_BENCH_KEEP", "UNEVEN_BENCH_THREADS"


@dataclass(frozen=True)
class Options:
    """Choices for a run.

    Attributes
    ----------
    threads : int
        With one thread, processor seconds are measured, else wall seconds.
    keep : Keep
        Folder of results; to be emptied when ours changes.
    tables : tuple of str
    peers : tuple of Booster
    ours : Booster
    report : Path or None
        File that gets every setting as a row of a table.
    huge : bool
        Whether ten million rows are tried.
    cap : float
        Long fits of peers on costly tables last so many times the seconds of ours to the target.
    goal : float or None
        The target, if it is known; then LightGBM is not fitted to find it.
    limit : float or None
        Seconds of the long fits of peers, if they are known; then ours is not fitted.
    rounds : int or None
        Rounds of the long fits with learning rate 0.1, in place of those of the table.
    """

    threads: int = 1
    keep: Keep = field(default_factory=Keep)
    tables: tuple[str, ...] = tuple(TABLES)
    peers: tuple[Booster, ...] = PEERS
    ours: Booster = OURS
    report: Path | None = None
    huge: bool = False
    cap: float = 5.0
    goal: float | None = None
    limit: float | None = None
    rounds: int | None = None

    @classmethod
    def of_environment(cls) -> Options:
        """The defaults, with the folder and the threads that the environment names."""
        folder = os.environ.get(KEEP)
        return cls(
            threads=int(os.environ.get(THREADS, "1")),
            keep=Keep(Path(folder) if folder else None),
        )

    def with_settings(self, settings: tuple[Setting, ...]) -> Options:
        """The same with other settings of ours."""
        return replace(self, ours=replace(self.ours, settings=settings))

    def with_fewer_settings(self, n_settings: int) -> Options:
        """The same with the last settings of each peer only: the largest rates and trees."""
        peers = (replace(one, settings=one.settings[-n_settings:]) for one in self.peers)
        return replace(self, peers=tuple(peers))

    @property
    def clock(self) -> str:
        """What the seconds are."""
        return "processor, 1 thread" if self.threads == 1 else f"wall, {self.threads} threads"

    def load(self, missing: list[Line]) -> Iterator[Table]:
        """The tables that are there; a line for each that is not."""
        for name in self.tables:
            try:
                table = TABLES[name]()
            except (OSError, ValueError) as error:
                missing.append(Line(f"{name}: {first_line(error)}", NOT_RUN))
            else:
                yield replace(table, rounds=self.rounds) if self.rounds else table


def first_line(error: Exception) -> str:
    """The beginning of a message, for a line of a table."""
    return (str(error).splitlines() or [type(error).__name__])[0][:90]
