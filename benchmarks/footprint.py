"""Peak memory of a fit, and the first fit of a process with a cold and a warm kernel cache."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile

from benchmarks.lines import Line, at_most

_MEMORY = """
import resource
from benchmarks.data import table
from uneven import ComboClassifier
X, y = table({n}, 50, 7)
ComboClassifier(n_estimators=2, max_depth={depth}, n_jobs=2).fit(X[:1000], y[:1000])
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
ComboClassifier(n_estimators=20, max_depth={depth}, n_jobs=2).fit(X, y)
print((resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) * 1024)
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
    lines = []
    n = 400_000
    needed = n * 50 + 2 * n * 7 * 8
    for depth in (1, 3):
        peak = float(_python(_MEMORY.format(n=n, depth=depth)))
        lines.append(
            at_most(
                f"peak memory over (codes + two n x K arrays), 400k x 50, K=7, depth {depth}",
                peak / needed,
                3.0,
                "x",
                f"{peak / 2**20:.0f} of {needed / 2**20:.0f} MiB",
            )
        )
    with tempfile.TemporaryDirectory() as cache:
        for state, limit in (("cold", 20.0), ("warm", 1.5)):
            fit, imports = map(float, _python(_FIRST_FIT, NUMBA_CACHE_DIR=cache).split())
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


def _python(code: str, **environment: str) -> str:
    done = subprocess.run(
        [sys.executable, "-c", code],
        env=os.environ | environment,
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stdout
