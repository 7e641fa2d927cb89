"""Level-1 scores of a table and a split: computed once, kept in a folder, read by all combiners."""

from __future__ import annotations

import re
import time
import warnings
from dataclasses import dataclass
from pathlib import Path

import joblib
import numpy as np
import sklearn
from sklearn.exceptions import ConvergenceWarning
from sklearn.model_selection import StratifiedShuffleSplit
from sklearn.pipeline import make_pipeline
from threadpoolctl import threadpool_limits

from benchmarks.stacking.members import make_members
from uneven.comparison.encoding import encode_indicators
from uneven.comparison.schema import Schema
from uneven.stacking import level_one
from uneven.utils.files import replace_file
from uneven.utils.frames import take_rows
from uneven_published.description import Context
from uneven_published.norm.folds import Source, draw_rows, read_table, without_tiny_classes
from uneven_published.norm.methods import as_frame

MOST_ROWS, TRAINED = 1000, 0.6
LEAST_ROWS = 10
"""Of a class; smaller ones are left out."""
FOLDS = 4


@dataclass(frozen=True)
class Scores:
    """What the members say, of rows they did not learn from.

    Attributes
    ----------
    names : ndarray of str, shape (n_members,)
    level : ndarray of shape (n_train, n_members, n_classes)
        Of training rows, by models of the other folds.
    y : ndarray of int, shape (n_train,)
    new : ndarray of shape (n_test, n_members, n_classes)
        Of test rows, by models of all training rows.
    truth : ndarray of int, shape (n_test,)
    seconds : ndarray of shape (n_members,)
        Of the processor, for scoring the test rows: the shortest of three times.
    """

    names: np.ndarray
    level: np.ndarray
    y: np.ndarray
    new: np.ndarray
    truth: np.ndarray
    seconds: np.ndarray


def scores_of(name: str, source: Source, split: int, context: Context, folder: Path) -> Scores:
    """Scores of a split of a table, from the folder if they are there."""
    known = joblib.hash((make_members(), FOLDS, MOST_ROWS, sklearn.__version__))[:8]
    words = "-".join(re.findall(r"[^\W_]+", name.lower()))
    file = folder / f"{words}-{split}-{known}.npz"
    if not file.is_file():
        folder.mkdir(parents=True, exist_ok=True)
        found = compute_scores(source, split, context)
        with replace_file(file) as draft, draft.open("wb") as out:
            np.savez_compressed(out, **vars(found))
    with np.load(file, allow_pickle=False) as held:
        return Scores(**{part: held[part] for part in held.files})


def compute_scores(source: Source, split: int, context: Context) -> Scores:
    """Train the members, on folds and on all training rows, and ask them."""
    X, y = read_table(source, context)
    X, y = without_tiny_classes(*draw_rows(as_frame(X), y, MOST_ROWS), LEAST_ROWS)
    y = np.unique(y, return_inverse=True)[1]
    splits = StratifiedShuffleSplit(1, train_size=TRAINED, random_state=split)
    train, test = next(splits.split(X, y))
    schema = Schema.of(X)
    encoder = make_pipeline(encode_indicators(schema)).fit(schema.convert(take_rows(X, train)))
    known, new = (
        np.asarray(encoder.transform(schema.convert(take_rows(X, rows))), dtype=np.float64)
        for rows in (train, test)
    )
    with threadpool_limits(1), warnings.catch_warnings():
        for kind in (ConvergenceWarning, UserWarning, RuntimeWarning):
            warnings.simplefilter("ignore", kind)
        level = level_one(make_members(), known, y[train], cv=FOLDS, random_state=split)
        said, seconds = zip(*(_timed(member, new) for member in level.members))
    return Scores(
        np.array(level.names),
        level.scores,
        level.y,
        np.stack(said, axis=1),
        y[test],
        np.array(seconds),
    )


def _timed(member: object, X: np.ndarray) -> tuple[np.ndarray, float]:
    times = []
    for _ in range(3):
        start = time.process_time()
        said = member.scores(X)  # type: ignore[attr-defined]
        times.append(time.process_time() - start)
    return said, min(times)
