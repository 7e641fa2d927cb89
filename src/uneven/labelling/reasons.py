"""Why the classifier guesses what it guesses.

For each word or column of the row: how many points the chance of the guess falls if it is put to
the middle of the pool, or left out. And the labelled rows that are most alike.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp

from uneven.active import ActiveLearner

MOST_TRIED, MOST_TOLD, MOST_ALIKE = 60, 5, 3
SMALLEST = 0.005


@dataclass(frozen=True)
class Guess:
    """What the classifier thinks of a row.

    Attributes
    ----------
    shares : list of (label, share)
        The most probable one first; empty before there are two classes.
    reasons : list of (column, points)
        By how much the chance of the first label falls without the column.
    alike : list of (row, label)
        The nearest labelled rows.
    """

    shares: list[tuple[str, float]]
    reasons: list[tuple[str, float]]
    alike: list[tuple[int, str]]


def explain(learner: ActiveLearner, X: Any, row: int, columns: Sequence[str]) -> Guess:
    """The guess about a row of the pool, and its reasons.

    Parameters
    ----------
    learner : ActiveLearner
        Fitted to the labels so far.
    X : ndarray or CSR of shape (n_rows, n_numbers)
    row : int
    columns : sequence of str
        What the first numbers mean.
    """
    model = learner.model_
    if model is None:
        return Guess([], [], [])
    values = X[[row]].toarray()[0] if sp.issparse(X) else np.asarray(X[row])
    shares = model.predict_proba(X[[row]])[0]
    order = np.argsort(-shares, kind="stable")
    told = [(str(learner.classes_[k]), float(shares[k])) for k in order]
    tried = np.argsort(-np.abs(values[: len(columns)]), kind="stable")[:MOST_TRIED]
    tried = tried[values[tried] != 0.0]
    reasons: list[tuple[str, float]] = []
    if len(tried):
        without = np.tile(values, (len(tried), 1))
        without[np.arange(len(tried)), tried] = 0.0
        rows = sp.csr_array(without) if sp.issparse(X) else without
        falls = shares[order[0]] - model.predict_proba(rows)[:, order[0]]
        best = np.argsort(-falls, kind="stable")[:MOST_TOLD]
        reasons = [(columns[tried[k]], float(falls[k])) for k in best if falls[k] > SMALLEST]
    return Guess(told, reasons, _alike(learner, X, row))


def _alike(learner: ActiveLearner, X: Any, row: int) -> list[tuple[int, str]]:
    known = [k for k, other in enumerate(learner.labelled_) if other != row]
    if not known:
        return []
    rows = learner.labelled_[known]
    gap = X[rows] - (X[[row] * len(rows)] if sp.issparse(X) else X[row])
    apart = np.asarray(gap.multiply(gap).sum(axis=1) if sp.issparse(gap) else (gap**2).sum(axis=1))
    near = np.argsort(apart.ravel(), kind="stable")[:MOST_ALIKE]
    return [(int(rows[k]), str(learner.labels_[known[k]])) for k in near]
