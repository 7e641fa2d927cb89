"""Quality by round, rounds to a target, and the time of a fit of that many rounds."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable
from dataclasses import asdict, dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.metrics import balanced_accuracy_score, log_loss

from benchmarks.score_leaves.booster import Booster, Setting, clock
from benchmarks.score_leaves.data import Table

SHARE = 0.99
"""The target is this share of the best balanced accuracy of LightGBM."""

TRIES = 3
QUICK = 3.0
"""Fits of fewer seconds are timed again, and the shortest time counts."""

PROBES = (2, 8)
"""Rounds of the two short fits that tell how many rounds fit into a time."""


@dataclass
class Curve:
    """Quality of the held-out rows by round, of one long fit.

    Attributes
    ----------
    rounds : list of int
    balanced : list of float
        Balanced accuracy.
    loss : list of float
        Log-loss with all classes as heavy: the models are told to think so.
    seconds : float
        Of the long fit, without its staged predictions.
    """

    rounds: list[int] = field(default_factory=list)
    balanced: list[float] = field(default_factory=list)
    loss: list[float] = field(default_factory=list)
    seconds: float = 0.0

    @property
    def best(self) -> float:
        return max(self.balanced)

    @property
    def loss_at_best(self) -> float:
        return self.loss[int(np.argmax(self.balanced))]

    @property
    def best_round(self) -> int:
        return self.rounds[int(np.argmax(self.balanced))]

    def rounds_to(self, target: float) -> int | None:
        """First of the rounds looked at that reaches the target.

        Examples
        --------
        >>> Curve([1, 2, 5], [0.5, 0.7, 0.8], [1.0, 0.9, 0.8]).rounds_to(0.75)
        5
        """
        reached = np.flatnonzero(np.array(self.balanced) >= target)
        return self.rounds[reached[0]] if len(reached) else None


@dataclass(frozen=True)
class Reached:
    """A setting at the target: its rounds, and the time of a fit of just these.

    Attributes
    ----------
    rounds, seconds : int and float, or None
        None if the target was not reached; seconds None also if another setting was surely faster.
    is_cut : bool
        Whether the long fit had fewer rounds than the table allows, to keep to a time.
    estimate : float
        Seconds by the share of the rounds of the long fit.
    """

    booster: Booster
    setting: Setting
    curve: Curve
    rounds: int | None
    seconds: float | None
    is_cut: bool = False

    @property
    def estimate(self) -> float:
        if self.rounds is None:
            return float("inf")
        return self.curve.seconds * self.rounds / self.curve.rounds[-1]

    @property
    def label(self) -> str:
        shown = (value for value in self.setting.values() if isinstance(value, (int, float)))
        return "/".join(f"{value:g}" for value in shown if value)


@dataclass(frozen=True)
class Keep:
    """Results in a folder, one JSON file each; without a folder nothing is kept.

    A file is of one version of a booster, one setting and one table by its name: empty the folder
    when a table or ours changes.
    """

    folder: Path | None = None

    def ask(self, key: str, compute: Callable[[], Any]) -> Any:
        """What was kept under a key, else what is computed now."""
        if self.folder is None:
            return compute()
        path = self.folder / (_as_name(key) + ".json")
        if path.exists():
            return json.loads(path.read_text())
        found = compute()
        self.folder.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(found))
        return found

    def beginning(self, key: str) -> list[Any]:
        """All that was kept under keys that begin with these words."""
        paths = sorted(self.folder.glob(_as_name(key) + "-*.json")) if self.folder else []
        return [json.loads(path.read_text()) for path in paths]


def _as_name(key: str) -> str:
    return re.sub(r"[^\w.=]+", "-", key)


def timed(call: Callable[[], object], threads: int, tries: int = TRIES) -> float:
    """Shortest time of a few tries; a slow call is tried once."""
    now = clock(threads)
    best = np.inf
    for _ in range(tries):
        start = now()
        call()
        best = min(best, now() - start)
        if best > QUICK:
            break
    return float(best)


def longest(booster: Booster, table: Table, setting: Setting) -> int:
    """Rounds of the long fit: fewer for larger learning rates, more where a round is one tree."""
    rate = setting["learning_rate"]
    rounds = table.rounds * (booster.trees_for_one if table.rounds < 200 else 1)
    return max(40, round(rounds * min(1.0, (0.1 / rate) ** 0.7)))


def affordable(booster: Booster, table: Table, setting: Setting, threads: int, limit: float) -> int:
    """Rounds of a fit of about ``limit`` seconds: the others are taken to last equally long."""
    few, more = (
        timed(partial(booster.fit, table, setting, rounds, threads), threads, tries=1)
        for rounds in PROBES
    )
    of_round = max(more - few, 1e-9) / (PROBES[1] - PROBES[0])
    return max(PROBES[0], int(PROBES[0] + (limit - few) / of_round))


def trace(booster: Booster, table: Table, setting: Setting, rounds: int, threads: int) -> Curve:
    """One long fit, looked at as it grows."""
    curve = Curve()

    def look(step: int, found: np.ndarray) -> None:
        found = np.clip(np.asarray(found, float), 1e-15, 1.0)
        found /= found.sum(axis=1, keepdims=True)
        curve.rounds.append(step)
        curve.balanced.append(float(balanced_accuracy_score(table.y_new, found.argmax(axis=1))))
        curve.loss.append(float(log_loss(table.y_new, found, sample_weight=table.weights_new)))

    curve.seconds = booster.watch(table, setting, rounds, threads, look)
    return curve


def curves(
    booster: Booster, table: Table, threads: int, keep: Keep, limit: float = math.inf
) -> list[tuple[Setting, Curve]]:
    """Curve of each setting of a booster, after a small fit that loads and compiles it.

    With a ``limit`` a long fit has as many rounds as fit into so many seconds.
    """
    choices = booster.choices(table)
    booster.fit(table.head(2000), choices[0], 2, threads)
    within = "" if limit == math.inf else f" within {limit:.3g} s"
    found = []
    for setting in choices:
        rounds = longest(booster, table, setting)

        def compute(setting: Setting = setting, rounds: int = rounds) -> Any:
            if within:
                rounds = min(rounds, affordable(booster, table, setting, threads, limit))
            return asdict(trace(booster, table, setting, rounds, threads))

        key = f"curve {_key(booster, table.name, setting)} {rounds}{within}"
        found.append((setting, Curve(**keep.ask(key, compute))))
    return found


def kept_curves(booster: Booster, table: str, keep: Keep) -> list[Curve]:
    """Curves of the settings of a booster that were kept, the longest one of each."""
    if booster.absent():
        return []
    found = []
    for setting in booster.settings:
        kept = [Curve(**one) for one in keep.beginning(f"curve {_key(booster, table, setting)}")]
        found += sorted(kept, key=lambda curve: curve.rounds[-1])[-1:]
    return found


def reach(
    booster: Booster,
    table: Table,
    target: float,
    threads: int,
    keep: Keep,
    limit: float = math.inf,
    fresh: int = 2,
) -> list[Reached]:
    """Every setting at the target; the ``fresh`` ones of least estimate are fitted anew."""
    found = [
        Reached(
            booster,
            setting,
            curve,
            curve.rounds_to(target),
            None,
            curve.rounds[-1] < longest(booster, table, setting),
        )
        for setting, curve in curves(booster, table, threads, keep, limit)
    ]
    found.sort(key=lambda one: one.estimate)
    return [
        _with_time(one, table, threads, keep) if k < fresh and one.rounds else one
        for k, one in enumerate(found)
    ]


def _with_time(one: Reached, table: Table, threads: int, keep: Keep) -> Reached:
    booster, rounds = one.booster, one.rounds
    assert rounds is not None
    key = f"fit {_key(booster, table.name, one.setting)} {rounds} rounds {threads} threads"
    seconds = keep.ask(
        key, lambda: timed(lambda: booster.fit(table, one.setting, rounds, threads), threads)
    )
    return replace(one, seconds=seconds)


def quickest(found: list[Reached]) -> Reached | None:
    """The setting of the shortest time, None if none reached the target."""
    timed_ones = [one for one in found if one.seconds is not None]
    return min(timed_ones, key=lambda one: one.seconds or 0.0, default=None)


def unreached_seconds(found: list[Reached]) -> float | None:
    """Seconds after which no setting was at the target; None if all were fitted to the end."""
    return min((one.curve.seconds for one in found if one.is_cut), default=None)


def _key(booster: Booster, table: str, setting: Setting) -> str:
    words = " ".join(f"{name}={value}" for name, value in setting.items())
    return f"{table} {booster.name} {booster.edition} {words}"
