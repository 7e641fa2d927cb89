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
from uneven import ComboClassifier

def peak():
    lines = open("/proc/self/status").read().splitlines()
    return next(int(line.split()[1]) * 1024 for line in lines if line.startswith("VmHWM"))

X, y = np.load(sys.argv[1] + "/X.npy"), np.load(sys.argv[1] + "/y.npy")
ComboClassifier(n_estimators=2, max_depth={depth}, n_jobs=2).fit(X[:1000], y[:1000])
before = peak()
ComboClassifier(n_estimators=20, max_depth={depth}, n_jobs=2).fit(X, y)
print(peak() - before)
"""
"""Loads its table without a temporary copy, so that the peak before the fit is what it holds.

The peak is the kernel's own mark (Linux); ``getrusage`` would start from that of the parent.
"""

_FIRST_FIT = """
import time
start = time.perf_counter()
from sklearn.datasets import load_wine
from uneven import ComboClassifier
imported = time.perf_counter()
X, y = load_wine(return_X_y=True)
ComboClassifier(n_estimators=50).fit(X, y).predict(X)
print(time.perf_counter() - imported, imported - start)
"""


def run() -> list[Line]:
    with tempfile.TemporaryDirectory() as folder:
        return _memory_lines(folder) + _first_fit_lines(folder)


def _memory_lines(folder: str) -> list[Line]:
    n = 400_000
    X, y = table(n, 50, 7)
    np.save(f"{folder}/X.npy", X)
    np.save(f"{folder}/y.npy", y)
    needed = n * 50 + 2 * n * 7 * 8
    lines = []
    for depth in (1, 3):
        peak = float(python(_MEMORY.format(depth=depth), folder))
        lines.append(
            at_most(
                f"peak memory over (codes + two n x K arrays), 400k x 50, K=7, depth {depth}",
                peak / needed,
                3.0,
                "x",
                f"{peak / 2**20:.0f} of {needed / 2**20:.0f} MiB",
            )
        )
    return lines


def _first_fit_lines(folder: str) -> list[Line]:
    lines = []
    for state, limit in (("cold", 20.0), ("warm", 1.5)):
        fit, imports = map(float, python(_FIRST_FIT, NUMBA_CACHE_DIR=folder).split())
        lines.append(
            at_most(
                f"first fit and predict of a process, {state} kernel cache",
                fit,
                limit,
                "s",
                f"imports {imports:.2f} s",
            )
        )
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
