"""Peak memory of a fit, and the first fit of a process with a cold and a warm kernel cache."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile

import numpy as np

from benchmarks.data import table
from benchmarks.lines import Line, at_most

_MEMORY = """
import sys
import numpy as np
from uneven import *

def peak():
    lines = open("/proc/self/status").read().splitlines()
    return next(int(line.split()[1]) * 1024 for line in lines if line.startswith("VmHWM"))

X, y = np.load(sys.argv[1] + "/X.npy"), np.load(sys.argv[1] + "/y.npy")
model = {model}
model.fit(X[:20_000], y[:20_000])
open("/proc/self/clear_refs", "w").write("5")
before = peak()
model.fit(X, y)
print(peak() - before)
"""
"""Peak memory of a fit above what the process holds before it, once the loops are loaded.

The peak is the kernel's own mark (Linux), which is set back before the fit; ``getrusage`` would
start from that of the parent.
"""

_FIRST_FIT = """
import time
start = time.perf_counter()
from sklearn.datasets import load_wine
from uneven import {name}
imported = time.perf_counter()
X, y = load_wine(return_X_y=True)
{name}(n_estimators=50).fit(X, y).predict(X)
print(time.perf_counter() - imported, imported - start)
"""


def run() -> list[Line]:
    n = 400_000
    X, y = table(n, 50, 7)
    needed = n * 50 + 2 * n * 7 * 8
    lines = [
        memory_line(
            f"peak memory over (codes + two n x K arrays), 400k x 50, K=7, depth {depth}",
            f"ComboClassifier(n_estimators=20, max_depth={depth}, n_jobs=2)",
            X,
            y,
            needed,
            3.0,
        )
        for depth in (1, 3)
    ]
    return [*lines, *first_fit_lines("ComboClassifier", {"cold": 20.0, "warm": 1.5})]


def memory_line(
    what: str, model: str, X: np.ndarray, y: np.ndarray, needed: float, times: float
) -> Line:
    """Peak memory of a fit over what is needed; ``model`` is an expression."""
    with tempfile.TemporaryDirectory() as folder:
        np.save(f"{folder}/X.npy", X)
        np.save(f"{folder}/y.npy", y)
        peak = float(python(_MEMORY.format(model=model), folder))
    beside = f"{peak / 2**20:.0f} of {needed / 2**20:.0f} MiB"
    return at_most(what, peak / needed, times, "x", beside)


def first_fit_lines(name: str, limits: dict[str, float]) -> list[Line]:
    """First fits of processes, with an empty kernel cache and with what the first compiled."""
    lines = []
    with tempfile.TemporaryDirectory() as folder:
        for state in ("cold", "warm"):
            timed = python(_FIRST_FIT.format(name=name), NUMBA_CACHE_DIR=folder)
            fit, imports = map(float, timed.split())
            what = f"first fit and predict of a process, {state} kernel cache"
            if state in limits:
                lines.append(at_most(what, fit, limits[state], "s", f"imports {imports:.2f} s"))
    return lines


def python(code: str, *args: str, **environment: str) -> str:
    """What a piece of code prints in a process of its own."""
    done = subprocess.run(
        [sys.executable, "-c", code, *args],
        env=os.environ | environment,
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stdout
