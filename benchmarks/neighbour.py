"""MuMBo and µCoMBo beside scikit-multimodallearn, which needs an environment of its own.

It does not run with current scikit-learn, so the first run creates ``.venv-neighbour`` with
scikit-learn 1.8. Both sides fit the same arrays, one thread each, and count processor seconds.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.lines import NOT_RUN, Line, at_least
from uneven import MuComboClassifier, MumboClassifier

HERE = Path(__file__).parent
ENVIRONMENT = HERE.parent / ".venv-neighbour"
VIEWS = [0, 20, 40, 60]
ONE_THREAD = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"), "1")


def table(n: int = 10_000, n_classes: int = 5) -> tuple[np.ndarray, np.ndarray]:
    """Three views of 20 columns, Gaussian classes whose centres lie closer from view to view."""
    rng = np.random.default_rng(0)
    y = rng.integers(0, n_classes, n)
    blocks = [
        (spread * rng.normal(size=(n_classes, 20)))[y] + rng.normal(size=(n, 20))
        for spread in (0.6, 0.4, 0.3)
    ]
    return np.hstack(blocks), y


def run() -> list[Line]:
    X, y = table()
    half = len(y) // 2
    try:
        theirs = _neighbour(X, y)
    except (OSError, subprocess.CalledProcessError) as error:
        return [Line(f"scikit-multimodallearn could not be run: {str(error)[:90]}", NOT_RUN)]
    lines = []
    for name, model in {
        "MuMBo": MumboClassifier(n_estimators=50, max_depth=1, views=VIEWS),
        "µCoMBo": MuComboClassifier(n_estimators=50, max_depth=1, views=VIEWS),
    }.items():
        model.fit(X[:half], y[:half])
        ours = min(_processor_seconds(model, X[:half], y[:half]) for _ in range(40))
        accuracy = model.score(X[half:], y[half:])
        what = f"{name}, 50 stumps, 5000 x (3 views x 20), K=5"
        lines.append(at_least(f"{what}: processor time", ours, theirs[name]["seconds"], 25.0))
        wanted = max(0.87, theirs[name]["accuracy"]) if name == "µCoMBo" else 0.0
        wanted = max(wanted, theirs[name]["accuracy"])
        lines.append(
            Line(
                f"{what}: test accuracy",
                f"{accuracy:.4f}",
                f"{theirs[name]['accuracy']:.4f}",
                "",
                f">= {wanted:.4f}",
                bool(accuracy >= wanted),
            )
        )
    return lines


def _processor_seconds(model, X: np.ndarray, y: np.ndarray) -> float:
    start = time.process_time()
    model.fit(X, y)
    return time.process_time() - start


def _neighbour(X: np.ndarray, y: np.ndarray) -> dict[str, dict[str, float]]:
    """Seconds and accuracy of both neighbours, best of a few fits."""
    return run_script(HERE / "neighbour_script.py", X=X, y=y, views=VIEWS)


def run_script(script: Path, **arrays: Any) -> Any:
    """What a script prints as JSON, in the environment of scikit-multimodallearn.

    Parameters
    ----------
    script : Path
        Gets the path of an npz file as its only argument.
    **arrays : array-like
        What the file holds.
    """
    python = ENVIRONMENT / "bin" / "python"
    if not python.exists():
        subprocess.run([sys.executable, "-m", "venv", str(ENVIRONMENT)], check=True)
        wanted = ["scikit-learn==1.8.*", "scikit-multimodallearn"]
        pip = [str(python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
        subprocess.run([*pip, *wanted], check=True)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "table.npz"
        np.savez(path, **arrays)
        done = subprocess.run(
            [str(python), str(script), str(path)],
            check=True,
            capture_output=True,
            text=True,
            env=os.environ | ONE_THREAD,
        )
    return json.loads(done.stdout)
