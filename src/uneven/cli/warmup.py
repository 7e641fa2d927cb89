"""``uneven warmup``: compile the loops once, so that no first fit waits for it."""

from __future__ import annotations

import sys
import time
import warnings
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import pandas as pd

from uneven.cli import terminal
from uneven.comparison import METHODS, InputError, Settings, fit_method, make_problem
from uneven.utils.registry import closest


def warmup(methods: Sequence[str] | None = None) -> None:
    """Fit small models of every kind, which compiles what they use and keeps it.

    Parameters
    ----------
    methods : sequence of str, optional
        Keys of methods; by default all of this library.
    """
    own = [name for name, one in METHODS.items() if not one.package]
    unknown = [name for name in methods or () if name not in own]
    if unknown:
        raise InputError(f"there is no method {unknown[0]!r} to compile.{closest(unknown[0], own)}")
    begun, before = time.perf_counter(), compiled()
    for name in methods or own:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            for problem in _problems():
                _try(name, problem)
    taken = time.perf_counter() - begun
    terminal.stderr().print(
        f"{compiled() - before} kernels compiled and cached, {len(methods or own)} methods, "
        f"{taken:.0f} s.",
        markup=False,
    )


def _problems() -> Iterator[Any]:
    """Tables of the kinds that have loops of their own: two classes, several, with views."""
    rng = np.random.default_rng(0)
    n = 80
    label = np.array(["a"] * 40 + ["b"] * 25 + ["c"] * 15)
    shift = np.select([label == "b", label == "c"], [1.0, -1.0], 0.0)
    frame = pd.DataFrame({f"v{j // 2}__{j}": rng.normal(size=n) + shift for j in range(4)})
    frame["v0__kind"] = np.where(rng.random(n) < 0.7, label, "other")
    frame["label"] = label
    frame.loc[:3, "v0__0"] = np.nan
    yield make_problem(frame, "label")
    yield make_problem(frame[label != "c"].reset_index(drop=True), "label")


def _try(name: str, problem: Any) -> None:
    """Fit and predict with one method; what it cannot learn from has no loops to compile."""
    columns = list(problem.X.columns)
    views = {
        "v0": [c for c in columns if c[:2] == "v0"],
        "v1": [c for c in columns if c[:2] != "v0"],
    }
    try:
        model = fit_method(METHODS[name], problem, Settings(rounds=3, views=views))
        model.predict(problem.X)
    except ValueError:
        return


def compiled() -> int:
    """How many loops this process has compiled, as they were in no cache."""
    found: dict[int, Any] = {}
    for module in [m for name, m in sys.modules.items() if name.startswith("uneven")]:
        for thing in vars(module).values():
            stats = getattr(thing, "stats", None)
            if hasattr(stats, "cache_misses"):
                found[id(thing)] = stats
    return sum(sum(stats.cache_misses.values()) for stats in found.values())
