"""Through how many files of the package does a call go?

``python -m benchmarks visits`` follows every Python function that two calls reach, a fit of CoMBo
and a comparison from the command line, and counts the files that hold them. Code that runs when a
module is imported does not count, nor do compiled loops, which no profiler sees.
"""

from __future__ import annotations

import os
import sys
import tempfile
import threading
from collections.abc import Callable
from contextlib import chdir, redirect_stderr, redirect_stdout
from pathlib import Path
from typing import Any

import numpy as np

import uneven
from benchmarks.lines import Line, at_most

ROOT = Path(uneven.__file__).parent
BESIDE = {"<module>", "<listcomp>", "<genexpr>", "<dictcomp>", "<setcomp>", "<lambda>"}


def visited(call: Callable[[], Any]) -> list[str]:
    """Files of the package with a function that runs during a call, in the order of arrival."""
    found: dict[str, None] = {}

    def look(frame: Any, event: str, _: Any) -> None:
        if event != "call" or frame.f_code.co_name in BESIDE:
            return
        path = frame.f_code.co_filename
        if path.startswith(f"{ROOT}{os.sep}"):
            found.setdefault(str(Path(path).relative_to(ROOT)))

    threading.setprofile(look)
    sys.setprofile(look)
    try:
        call()
    finally:
        sys.setprofile(None)
        threading.setprofile(None)
    return list(found)


def combo_fit(combo: type = uneven.ComboClassifier) -> None:
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(60, 3)), np.repeat([0, 1, 2], 20)
    combo(n_estimators=3).fit(X, y)


def compare_table() -> None:
    from uneven.cli import run

    rng = np.random.default_rng(0)
    rows = [f"{a:.3f},{b:.3f},{'ab'[int(a + b > 0)]}" for a, b in rng.normal(size=(60, 2))]
    Path("table.csv").write_text("\n".join(["x,z,y", *rows]))
    words = ["--methods", "combo,random_forest", "--cv", "2", "--rounds", "3"]
    assert run(["compare", "table.csv", "--target", "y", *words]) == 0


CALLS = {
    "ComboClassifier.fit": (combo_fit, 15),
    "uneven compare table.csv --target y": (compare_table, 50),
}


def run() -> list[Line]:
    """How many files each call visits, and how many it may."""
    lines = []
    with tempfile.TemporaryDirectory() as folder, chdir(folder):
        for name, (call, most) in CALLS.items():
            with open(os.devnull, "w") as null, redirect_stdout(null), redirect_stderr(null):
                call()
                files = visited(call)
            lines.append(at_most(name, len(files), most, "files"))
    return lines
