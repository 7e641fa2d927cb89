"""Level-1 scores of eight data sets, as published: five times two halves, a diverse ensemble.

M. U. Şen (2011), chapter 4. Training the classifiers takes nearly all the time, so that finished
stacks can be kept in a folder: ``UNEVEN_STACKS``, or the argument ``folder``. A stack is known by
its data set, its split, its classifiers and the versions of the packages; empty the folder after
changes of the classifiers' code. ``python -m benchmarks.stacks [NAME ...]`` fills it.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import joblib
import numpy as np
import sklearn

import uneven
from uneven.datasets import fetch
from uneven.utils.files import replace_file
from uneven_published.sen.ensembles import diverse_ensemble
from uneven_published.sen.runs import Stack, diverse_stack, halves, rows_of

NAMES = ("wine", "vehicle", "vowel", "yeast", "segment", "steel", "robot", "waveform")
"""The eight data sets of the source, the cheap ones first. "vehicle" is its Statlog."""

N_SUBSETS = 3
"""Random parts of the rows for each of the 13 kinds of classifiers; the source has 10."""

N_STACKS = 10
FOLDER = "UNEVEN_STACKS"


def stacks(
    name: str,
    *,
    n_subsets: int = N_SUBSETS,
    n_stacks: int = N_STACKS,
    folder: str | os.PathLike[str] | None = None,
    n_jobs: int | None = None,
) -> Iterator[Stack]:
    """The stacks of a data set, one after the other; those in the folder are not computed again."""
    X, y = rows_of(fetch(name, download=False))
    place = Path(folder or os.environ.get(FOLDER) or "")
    for k in range(n_stacks):
        members, (train, _) = diverse_ensemble(n_subsets, random_state=k), halves(X, y, k)
        known = joblib.hash((members, train, sklearn.__version__, uneven.__version__))[:10]
        file = place / f"{name}-{n_subsets}-{k}-{known}.npz"
        if file.is_file():
            yield _read(file)
            continue
        stack = diverse_stack(X, y, k, n_subsets, n_jobs)
        if place != Path():
            _write(file, stack)
        yield stack


def _write(file: Path, stack: Stack) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    with replace_file(file) as draft, draft.open("wb") as out:
        np.savez(out, **vars(stack))


def _read(file: Path) -> Stack:
    with np.load(file, allow_pickle=False) as held:
        return Stack(**{part: held[part] for part in held.files})


def main() -> None:
    start = time.perf_counter()
    for name in sys.argv[1:] or NAMES:
        for k, stack in enumerate(stacks(name)):
            shape = " x ".join(map(str, stack.scores.shape))
            print(f"[{time.perf_counter() - start:5.0f} s] {name} {k}: {shape}", flush=True)


if __name__ == "__main__":
    main()
