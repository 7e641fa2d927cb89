"""What every booster of the benchmark has: settings, a fit, and a look at its rounds."""

from __future__ import annotations

import importlib.util
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib.metadata import version
from itertools import islice, product
from typing import Any, ClassVar

import numpy as np

from benchmarks.score_leaves.data import Table

Setting = Mapping[str, float]
Look = Callable[[int, np.ndarray], None]
"""Called with a number of rounds and the probabilities of the held-out rows after them."""


def clock(threads: int) -> Callable[[], float]:
    """Processor seconds for one thread, wall seconds for more."""
    return time.process_time if threads == 1 else time.perf_counter


def checkpoints(rounds: int) -> list[int]:
    """Rounds that are looked at: each of the first 30, every second to 100, every fifth behind.

    Examples
    --------
    >>> checkpoints(110)[-7:]
    [92, 94, 96, 98, 100, 105, 110]
    """
    steps = [*range(1, 31), *range(32, 101, 2), *range(105, rounds, 5), rounds]
    return sorted({step for step in steps if step <= rounds})


@dataclass(frozen=True)
class Booster:
    """A booster and the settings of which its quickest counts.

    Attributes
    ----------
    name : str
    package : str
        Module that it needs.
    settings : tuple of mapping
        Words of its constructor; all have "learning_rate".
    trees_for_one : int
        Rounds that it may have on tables of few rounds for one of a tree per class.
    """

    name: str
    package: str
    settings: tuple[Setting, ...]
    trees_for_one: int = 1

    sees_all_rounds: ClassVar[bool] = False
    """Whether its long fits are long on costly tables, too."""

    def absent(self) -> str:
        """Why it cannot run here; empty if it can."""
        found = importlib.util.find_spec(self.package) is not None
        return "" if found else f"{self.package} is not installed"

    @property
    def edition(self) -> str:
        """Its version, so that kept results of another are not taken for its own."""
        return version({"sklearn": "scikit-learn"}.get(self.package, self.package))

    def choices(self, table: Table) -> tuple[Setting, ...]:
        """Its settings for a table: without the smallest rate if that is costly there."""
        rates = {setting["learning_rate"] for setting in self.settings}
        slow = min(rates) if len(rates) > 1 else 0.0
        return tuple(
            setting
            for setting in self.settings
            if not table.costly or setting["learning_rate"] > slow
        )

    def fit(self, table: Table, setting: Setting, rounds: int, threads: int) -> Any:
        """The fitted model; everything in here is timed."""
        raise NotImplementedError

    def stages(self, model: Any, X: Any, steps: Sequence[int]) -> Iterator[np.ndarray]:
        """Probabilities after each of the steps, shape (n, K) each."""
        raise NotImplementedError

    def probabilities(self, model: Any, X: Any) -> np.ndarray:
        return np.asarray(model.predict_proba(X))

    def watch(self, table: Table, setting: Setting, rounds: int, threads: int, look: Look) -> float:
        """One long fit whose rounds are looked at; the seconds of the fit."""
        now = clock(threads)
        start = now()
        model = self.fit(table, setting, rounds, threads)
        seconds = now() - start
        steps = checkpoints(rounds)
        for step, found in zip(steps, self.stages(model, table.X_new, steps)):
            look(step, found)
        return seconds


def picked(stages: Iterator[np.ndarray], steps: Sequence[int]) -> Iterator[np.ndarray]:
    """Of one item per round those of the steps."""
    wanted = set(steps)
    last = max(wanted)
    return (found for k, found in enumerate(islice(stages, last), start=1) if k in wanted)


def grid(rates: Sequence[float], size: str, sizes: Sequence[int], **more: Any) -> tuple[Any, ...]:
    """Settings: every rate with every size.

    Examples
    --------
    >>> grid([0.1], "depth", [6, 8])
    ({'learning_rate': 0.1, 'depth': 6}, {'learning_rate': 0.1, 'depth': 8})
    """
    return tuple({"learning_rate": rate, size: one, **more} for rate, one in product(rates, sizes))
