"""Reading a large CSV file and turning it into numbers, beside pandas' reader with pyarrow."""

from __future__ import annotations

import tempfile
from pathlib import Path

import numpy as np
import pandas as pd

from benchmarks.footprint import python
from benchmarks.lines import Line, at_most

ROWS = 1_000_000

_PROGRAM = """
import sys, time
import pandas as pd
from pathlib import Path
import pyarrow.csv, pyarrow.compute
import uneven.comparison.problem
from uneven.comparison.encoding import encode_ordinal
from uneven.comparison.problem import read_problem

def peak():
    lines = open("/proc/self/status").read().splitlines()
    return next(int(line.split()[1]) * 1024 for line in lines if line.startswith("VmHWM"))

def read(path):
    problem = read_problem(path, "label")
    return encode_ordinal(problem.schema).fit_transform(problem.X)

path = Path(sys.argv[1])
small = path.with_name("small.csv")
read(small), pd.read_csv(small, engine="pyarrow")
before, begun, wall = peak(), time.process_time(), time.perf_counter()
found = {call}
cpu, wall, used = time.process_time() - begun, time.perf_counter() - wall, peak() - before
numbers = found.select_dtypes("number")
print(cpu, wall, used, numbers.shape[0] * numbers.shape[1] * 8)
"""


def large_table(n: int, seed: int = 0) -> pd.DataFrame:
    """30 columns as exports have them: numbers, counts, categories, dates, prices, truth values."""
    rng = np.random.default_rng(seed)
    parts: dict[str, object] = {
        f"number_{j}": np.round(rng.normal(size=n) * 10**j, 4) for j in range(4)
    }
    parts |= {f"measure_{j}": np.round(rng.gamma(2.0, size=n), 3) for j in range(8)}
    parts |= {f"count_{j}": rng.poisson(5 + 20 * j, n) for j in range(6)}
    for j, size in enumerate((3, 8, 30, 200, 1000)):
        words = np.array([f"kind {k}" for k in range(size)])
        parts[f"category_{j}"] = words[rng.integers(0, size, n)]
    days = pd.Timestamp("2019-01-01") + pd.to_timedelta(rng.integers(0, 2000, n), unit="D")
    parts["day"] = days.strftime("%Y-%m-%d")
    parts["price"] = pd.Series(rng.integers(100, 999_999, n) / 100).map("{:,.2f}".format)
    parts["rate"] = pd.Series(rng.integers(0, 1000, n) / 10).map("{:.1f}%".format)
    parts["member"] = np.where(rng.random(n) < 0.3, "yes", "no")
    frame = pd.DataFrame(parts)
    for j in range(2):
        frame[f"gaps_{j}"] = frame[f"number_{j}"].mask(rng.random(n) < 0.2)
    frame["label"] = np.where(frame["number_0"] > 1.5, "rare", "common")
    return frame


def run(n: int = ROWS) -> list[Line]:
    """Time and memory of both."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "table.csv"
        frame = large_table(n)
        frame.to_csv(path, index=False)
        frame.head(5000).to_csv(path.with_name("small.csv"), index=False)
        del frame
        calls = ("read(path)", 'pd.read_csv(path, engine="pyarrow")')
        ours, theirs = (
            [float(word) for word in python(_PROGRAM.replace("{call}", call), str(path)).split()]
            for call in calls
        )
    size = f"{n:,} x 30"
    return [
        at_most(
            f"CPU time to read and encode a CSV, over pandas with pyarrow, {size}",
            ours[0] / theirs[0],
            2.0,
            "x",
            f"{ours[0]:.1f} and {theirs[0]:.1f} s",
        ),
        Line("wall time of the same", f"{ours[1]:.1f} s", f"{theirs[1]:.1f} s"),
        at_most(
            f"peak memory over the encoded table, {size}",
            ours[2] / ours[3],
            3.0,
            "x",
            f"{ours[2] / 2**20:.0f} of {ours[3] / 2**20:.0f} MiB",
        ),
        Line("peak memory of pandas with pyarrow", f"{theirs[2] / 2**20:.0f} MiB"),
    ]
