"""Explanations of single predictions: what each column added to the score of each class.

For votes of trees the values are exact (`uneven.votes.shapley`). For every other classifier they
are sampled: the cells of a row replace those of a background row one after another, in a random
order and in the reverse of it, and every step is what a column adds. Each pair of orders is one
draw of all values, so that their spread shows how exact they are.

Looked at before this was written: the sampling explainers of the package shap estimate the same
values without an error of their own. The pairs of orders are those of Mitchell et al. (2022),
*Sampling permutations for Shapley value estimation*.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pandas as pd
import scipy.sparse as sp
from numpy.typing import NDArray

from uneven.comparison.errors import InputError
from uneven.comparison.inputs import TableClassifier
from uneven.utils.frames import take_rows
from uneven.votes.shapley import Contributions, draw_background
from uneven.votes.vote import VoteClassifier

MOST_ROWS = 50_000
"""Maximum number of rows that are predicted to explain one row."""

FEWEST_PAIRS = 10
MOST_DENSE_CELLS = 20_000_000


def explain_rows(
    model: Any,
    X: Any,
    rows: int | Sequence[int] | None = None,
    *,
    background: Any = None,
    n_pairs: int = 100,
    random_state: int = 0,
) -> Contributions:
    """What each column added to the score of each class, in some rows.

    Parameters
    ----------
    model : classifier, Pipeline or TableClassifier
        Fitted.
    X : table of shape (n, d)
        What the model takes: an array, sparse matrix, frame, or path for a TableClassifier.
    rows : int or sequence of int, optional
        Positions of the rows to explain, from 0; all by default.
    background : table of shape (m, d), optional
        Background rows, of which at most 100 are drawn; those of `X` by default.
    n_pairs : int, default=100
        How many pairs of orders are drawn for a row, where values are sampled. Fewer, but ten at
        least, if there are so many columns that the model would have to predict more than 50 000
        rows.
    random_state : int, default=0

    Returns
    -------
    Contributions
        Exact values of the votes for a boosting method of this library whose voters are trees; the
        columns are then those that the classifier sees. Otherwise sampled values of the
        probabilities (or of the decision function) for the columns of `X`, with standard errors.
        Values of a row sum to its scores minus ``base``.

    Examples
    --------
    >>> from sklearn.linear_model import LogisticRegression
    >>> X, y = np.array([[0.0, 1], [1, 1], [2, 0], [3, 1], [4, 1], [5, 1]]), list("aaabbb")
    >>> found = explain_rows(LogisticRegression().fit(X, y), X, rows=0)
    >>> found.what, bool(found.values[0, 0, 0] > abs(found.values[0, 1, 0]))
    ('probability', True)
    >>> bool(np.allclose(found.values.sum(axis=1), found.scores - found.base))
    True
    """
    pipeline, table, classes = opened(model, X)
    others = table if background is None else opened(model, background)[1]
    wanted = np.arange(table.shape[0]) if rows is None else np.atleast_1d(np.asarray(rows))
    outside = [int(row) for row in wanted if not 0 <= row < table.shape[0]]
    if outside:
        raise InputError(f"there is no row {outside[0]}; the table has {table.shape[0]} rows.")
    others = take_rows(others, draw_background(others, random_state))
    picked = take_rows(table, wanted)
    vote = getattr(pipeline, "steps", [("", pipeline)])[-1][1]
    if isinstance(vote, VoteClassifier) and _is_vote(vote):
        encoded = [_encoded(pipeline, part) for part in (picked, others)]
        found = vote.contributions(encoded[0], background=encoded[1])
        found.classes = classes
        return found
    return _sampled(pipeline, picked, others, classes, n_pairs, random_state)


def opened(model: Any, X: Any) -> tuple[Any, Any, NDArray]:
    """The classifier or pipeline behind a model, the table that it takes, and its classes."""
    if isinstance(model, TableClassifier):
        return model.pipeline, model.table(X), np.asarray(model.classes_)
    table = X if hasattr(X, "shape") else np.asarray(X)
    return model, table, np.asarray(model.classes_)


def _is_vote(classifier: VoteClassifier) -> bool:
    """Whether its scores are nothing but the votes of trees."""
    plain = type(classifier)._scores is VoteClassifier._scores
    return plain and classifier.vote_.only_trees


def _encoded(pipeline: Any, table: Any) -> Any:
    return pipeline[:-1].transform(table) if hasattr(pipeline, "steps") else table


def score_of(model: Any) -> tuple[Callable[[Any], NDArray[np.float64]], str]:
    """A function from rows to scores (n, K), and what the scores are."""
    if hasattr(model, "predict_proba"):
        return lambda rows: np.asarray(model.predict_proba(rows), dtype=np.float64), "probability"
    if not hasattr(model, "decision_function"):
        raise InputError(f"{type(model).__name__} has no scores of classes to explain.")

    def scores(rows: Any) -> NDArray[np.float64]:
        found = np.asarray(model.decision_function(rows), dtype=np.float64)
        return np.column_stack([-found, found]) if found.ndim == 1 else found

    return scores, "score"


def _sampled(
    model: Any, rows: Any, background: Any, classes: NDArray, n_pairs: int, seed: int
) -> Contributions:
    """Shapley values by random orders of the columns."""
    score, what = score_of(model)
    rows, background = dense(rows), dense(background)
    n_columns = rows.shape[1]
    n_pairs = max(FEWEST_PAIRS, min(n_pairs, MOST_ROWS // (2 * (n_columns + 1))))
    rng = np.random.default_rng(seed)
    drawn = np.resize(rng.permutation(background.shape[0]), n_pairs)
    found = []
    for i in range(rows.shape[0]):
        stacked = _stacked(take_rows(rows, np.array([i])), background)
        orders = np.array([rng.permutation(n_columns) for _ in drawn])
        values = _walk(score, stacked, 1 + drawn, orders)
        found.append((values.mean(axis=0), values.std(axis=0, ddof=1) / np.sqrt(n_pairs)))
    base = score(take_rows(background, drawn)).mean(axis=0)
    names = [str(name) for name in getattr(rows, "columns", [])]
    return Contributions(
        np.array([value for value, _ in found]),
        base,
        score(rows),
        names or [f"x{j}" for j in range(n_columns)],
        classes,
        standard_error=np.array([error for _, error in found]),
        what=what,
    )


def _walk(
    score: Callable[[Any], NDArray[np.float64]],
    stacked: Any,
    others: NDArray[np.intp],
    orders: NDArray[np.intp],
) -> NDArray[np.float64]:
    """What each column adds on the way from background rows to row 0, and on the way back.

    Parameters
    ----------
    score : callable
    stacked : table of shape (1 + m, d)
        The row, and the background below it.
    others : ndarray of int, shape (n_pairs,)
        Rows of it to begin with.
    orders : ndarray of int, shape (n_pairs, d)
        In which columns are replaced.

    Returns
    -------
    ndarray of shape (n_pairs, d, K)
    """
    n_pairs, n_columns = orders.shape
    place = np.argsort(orders, axis=1)
    forward = place[:, None, :] < np.arange(n_columns + 1)[None, :, None]
    taken = np.stack([forward, ~forward], axis=1)  # the reverse order, from its end
    source = np.where(taken, 0, others[:, None, None, None]).reshape(-1, n_columns)
    scores = score(_mixed(stacked, source))
    scores = scores.reshape(n_pairs, 2, n_columns + 1, -1)
    steps = np.diff(scores[:, 0], axis=1) - np.diff(scores[:, 1], axis=1)
    return np.asarray(np.take_along_axis(steps, place[:, :, None], axis=1) / 2.0)


def _mixed(stacked: Any, source: NDArray[np.intp]) -> Any:
    """Rows whose cells come from the rows ``source`` (n, d) of a table."""
    if hasattr(stacked, "columns"):
        columns = (stacked.iloc[:, j].take(source[:, j]) for j in range(source.shape[1]))
        parts = {
            name: column.reset_index(drop=True) for name, column in zip(stacked.columns, columns)
        }
        return pd.DataFrame(parts)
    return stacked[source, np.arange(source.shape[1])]


def _stacked(row: Any, background: Any) -> Any:
    if hasattr(row, "columns"):
        return pd.concat([row, background], ignore_index=True)
    return np.concatenate([row, background])


def dense(table: Any) -> Any:
    """Frames of pandas and arrays as they are, polars frames as pandas', sparse ones as arrays."""
    if hasattr(table, "columns") and not hasattr(table, "iloc"):
        return table.to_pandas()
    if not sp.issparse(table):
        return table
    if np.prod(table.shape) > MOST_DENSE_CELLS:
        raise InputError(
            f"{table.shape[0]} x {table.shape[1]} cells are too many to sample explanations; "
            "explain fewer rows, or select columns first."
        )
    return table.toarray()
