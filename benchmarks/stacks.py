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
from dataclasses import dataclass
from pathlib import Path

import joblib
import numpy as np
import sklearn

import uneven
from uneven.atomic import replace_file
from uneven.datasets import fetch
from uneven.metrics.paired import five_by_two
from uneven.stacking import diverse_ensemble, level_one, score_members

NAMES = ("wine", "vehicle", "vowel", "yeast", "segment", "steel", "robot", "waveform")
"""The eight data sets of the source, the cheap ones first. "vehicle" is its Statlog."""

N_SUBSETS = 3
"""Random parts of the rows for each of the 13 kinds of classifiers; the source has 10."""

N_STACKS = 10
FOLDER = "UNEVEN_STACKS"
_TOO_RARE = 6
"""Yeast has a class of five rows. The source speaks of nine classes, not ten: it is left out."""


@dataclass(frozen=True)
class Stack:
    """Level-1 scores of training rows, and scores of new rows by members fitted on all of them.

    Attributes
    ----------
    scores : ndarray of shape (n_train, n_members, n_classes)
    y : ndarray of int, shape (n_train,)
    new_scores : ndarray of shape (n_test, n_members, n_classes)
    new_y : ndarray of int, shape (n_test,)
    names : ndarray of str, shape (n_members,)
    """

    scores: np.ndarray
    y: np.ndarray
    new_scores: np.ndarray
    new_y: np.ndarray
    names: np.ndarray


def stacks(
    name: str,
    *,
    n_subsets: int = N_SUBSETS,
    n_stacks: int = N_STACKS,
    folder: str | os.PathLike[str] | None = None,
    n_jobs: int | None = None,
) -> Iterator[Stack]:
    """The stacks of a data set, one after the other; those in the folder are not computed again."""
    X, y = rows_of(name)
    place = Path(folder or os.environ.get(FOLDER) or "")
    splits = list(five_by_two(0).split(X, y))[:n_stacks]
    for k, (train, test) in enumerate(splits):
        members = diverse_ensemble(n_subsets, random_state=k)
        known = joblib.hash((members, train, sklearn.__version__, uneven.__version__))[:10]
        file = place / f"{name}-{n_subsets}-{k}-{known}.npz"
        if file.is_file():
            yield _read(file)
            continue
        level = level_one(members, X[train], y[train], random_state=k, n_jobs=n_jobs)
        new_scores = score_members(level.members, X[test], n_jobs=n_jobs)
        stack = Stack(level.scores, level.y, new_scores, y[test], np.array(level.names))
        if place != Path():
            _write(file, stack)
        yield stack


def rows_of(name: str) -> tuple[np.ndarray, np.ndarray]:
    """Numbers and class positions of a data set, without classes of five rows or fewer."""
    data = fetch(name, download=False)
    classes, y = np.unique(np.asarray(data.target), return_inverse=True)
    kept = np.bincount(y, minlength=len(classes))[y] >= _TOO_RARE
    X = np.asarray(data.data, dtype=np.float64)[kept]
    return np.ascontiguousarray(X), np.unique(y[kept], return_inverse=True)[1]


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
