"""Explanations of single predictions of a vote: exact Shapley values of the columns.

A column's value for a class is how much its cell changes the votes for the class, on average over
all orders in which the cells of the row replace those of a background row, and over the background
rows. The values of all columns sum to the votes of the row minus the mean votes of the background.

Looked at before this was written: the tree algorithms of the package shap. The one that follows
the paths of training rows needs the rows in every node, which a vote does not keep; the one with a
background set is exact for any tree, and needs none of shap's own structures: one walk through a
tree for each pair of rows. A conversion would have had to turn hard predictions, sets of categories
and missing views into the trees of shap.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp

from uneven.utils.parallel import ThreadPool
from uneven.votes import _shapley_loops
from uneven.votes.vote import ALL_VIEWS, Vote

MOST_BACKGROUND = 100
"""Rows of the background that are taken if it has more."""


@dataclass
class Contributions:
    """Contributions of the columns to the score of each class, in some rows.

    Attributes
    ----------
    values : ndarray of shape (n_rows, n_columns, n_classes)
        Shapley values. Their sum over the columns is ``scores - base``.
    base : ndarray of shape (n_classes,)
        Mean scores of the background.
    scores : ndarray of shape (n_rows, n_classes)
        Scores of the rows.
    names : list of str
        Names of the columns.
    classes : ndarray of shape (n_classes,)
    of_views : ndarray of shape (n_rows, n_views, n_classes) or None
        The same by view.
    view_names : list of str
    standard_error : ndarray of shape (n_rows, n_columns, n_classes) or None
        Of the values, if they were sampled; None if they are exact.
    what : str
        What the scores are: ``"votes"``, ``"probability"`` or ``"score"``.
    """

    values: np.ndarray
    base: np.ndarray
    scores: np.ndarray
    names: list[str]
    classes: np.ndarray
    of_views: np.ndarray | None = None
    view_names: Sequence[str] = ()
    standard_error: np.ndarray | None = None
    what: str = "votes"

    def to_dict(self, row: int = 0) -> dict[str, Any]:
        """Contributions in one row, as plain data for JSON."""
        classes = [str(label) for label in self.classes]

        def by_class(values: np.ndarray) -> dict[str, float]:
            return dict(zip(classes, map(float, values)))

        found: dict[str, Any] = {
            "what": self.what,
            "exact": self.standard_error is None,
            "base": by_class(self.base),
            "scores": by_class(self.scores[row]),
            "columns": {n: by_class(v) for n, v in zip(self.names, self.values[row])},
        }
        if self.standard_error is not None:
            errors = zip(self.names, self.standard_error[row])
            found["standard_error"] = {name: by_class(error) for name, error in errors}
        if self.of_views is not None and len(self.view_names) > 1:
            views = zip(self.view_names, self.of_views[row])
            found["views"] = {name: by_class(values) for name, values in views}
        return found


def draw_background(X: Any, seed: int = 0, most: int = MOST_BACKGROUND) -> np.ndarray:
    """Positions of rows that stand for all rows of a table, sorted, shape (n_drawn,)."""
    n = X.shape[0]
    if n <= most:
        return np.arange(n)
    return np.sort(np.random.default_rng(seed).choice(n, most, replace=False))


def contributions(
    vote: Vote,
    X: Any,
    background: Any,
    classes: np.ndarray,
    names: Sequence[str],
    pool: ThreadPool | None = None,
) -> Contributions:
    """Exact Shapley values of a vote of trees.

    Parameters
    ----------
    vote : Vote
        All of its voters are trees.
    X : ndarray or sparse matrix of shape (n_rows, n_columns)
        Validated rows to explain; NaN allowed.
    background : ndarray or sparse matrix of shape (n_background, n_columns)
        Background rows.
    classes : ndarray of shape (n_classes,)
    names : sequence of str
    pool : ThreadPool, optional

    Returns
    -------
    Contributions

    References
    ----------
    L. Shapley (1953), *A value for n-person games*. S. Lundberg et al. (2020), *From local
    explanations to global understanding with explainable AI for trees*: values against a
    background set.
    """
    rows, others = (np.ascontiguousarray(_dense(one), dtype=np.float64) for one in (X, background))
    shape = (len(rows), rows.shape[1], vote.n_classes)
    values = np.zeros(shape)
    of_views = np.zeros((len(rows), len(vote.views), vote.n_classes))
    for view in np.unique(vote.view_of_term):
        part = np.zeros(shape)
        _add_trees(vote, int(view), rows, others, part, pool or ThreadPool())
        _add_absence(vote, int(view), rows, others, part)
        values += part
        if view == ALL_VIEWS:
            of_views += np.einsum("vd,idc->ivc", vote.views.membership(), part)
        else:
            of_views[:, view] += part.sum(axis=1)
    return Contributions(
        values,
        vote.score(others).mean(axis=0),
        vote.score(rows),
        list(names),
        classes,
        of_views,
        vote.views.names,
    )


def _dense(X: Any) -> np.ndarray:
    return X.toarray() if sp.issparse(X) else np.asarray(X)


def _add_trees(
    vote: Vote, view: int, X: np.ndarray, background: np.ndarray, out: np.ndarray, pool: ThreadPool
) -> None:
    """Add the values of the trees of a view, as if they voted on every mixture of two rows."""
    terms = np.flatnonzero(vote.view_of_term == view)
    forest, values = vote.tree_values(terms)
    trees = forest.trees
    nodes = (trees.feature, trees.threshold, trees.missing_left, trees.child)
    words = (X, background, nodes, trees._sets, forest.roots[:-1], values, out)
    pool.parallel_for(len(X), _shapley_loops.add_contributions, *words, worth=len(X) > 1)


def _add_absence(
    vote: Vote, view: int, X: np.ndarray, background: np.ndarray, out: np.ndarray
) -> None:
    """Take away what trees would add on mixtures in which their view is missing.

    Nothing of the view is there if the mixture takes all cells that the row has from the other,
    and all that the other has from the row. Trees send all such mixtures to the same leaves, so
    their sum is a constant times a game of two sets of columns, whose Shapley values are known.
    """
    columns = vote.views.used_columns if view == ALL_VIEWS else vote.views.columns[view]
    here, there = ~np.isnan(X[:, columns]), ~np.isnan(background[:, columns])
    pairs = np.argwhere(~(here.astype(np.int64) @ there.T.astype(np.int64) > 0))
    if not len(pairs):
        return
    forest, values = vote.tree_values(np.flatnonzero(vote.view_of_term == view))
    blank = np.full((1, X.shape[1]), np.nan)
    silent = np.zeros(vote.n_classes)
    for t in range(len(forest)):
        tree = forest.tree(t)
        tree.label = np.arange(len(tree.label)) + forest.roots[t]
        silent += values[tree.predict(blank)[0]]
    silent /= len(background)
    for i, b in pairs:
        own, other = columns[here[i]], columns[there[b]]
        if len(other):
            out[i, other] -= silent * _shapley_loops.subset_weight(len(other) - 1, len(own))
        if len(own):
            out[i, own] += silent * _shapley_loops.subset_weight(len(other), len(own) - 1)
