"""What people do with several views today: one classifier per view, and other packages."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.ensemble import RandomForestClassifier
from sklearn.impute import SimpleImputer

from benchmarks.neighbour import run_script
from uneven.utils.estimators import align_probabilities
from uneven.utils.optional import require

STACKED_TREES, STACKED_FOLDS = 50, 5
MULTIMODAL_ROUNDS, MULTIMODAL_DEPTH = 100, 3


def columns_of_views(X: pd.DataFrame) -> dict[str, list[int]]:
    """Positions of the columns of each view, which are called ``view__feature``.

    Examples
    --------
    >>> columns_of_views(pd.DataFrame(columns=["a__x", "b__x", "a__y"]))
    {'a': [0, 2], 'b': [1]}
    """
    found: dict[str, list[int]] = {}
    for place, name in enumerate(X.columns):
        found.setdefault(name.split("__")[0], []).append(place)
    return found


class MeanOfViews(ClassifierMixin, BaseEstimator):
    """A classifier per view, and the mean of the probabilities of the views that are there.

    Parameters
    ----------
    estimator : classifier
        Cloned for each view and fitted on the rows that have it.
    divide_by_prior : bool, default=False
        Whether the answer is the class with the largest mean divided by its share of the rows.
    """

    def __init__(self, estimator: Any, *, divide_by_prior: bool = False) -> None:
        self.estimator = estimator
        self.divide_by_prior = divide_by_prior

    def fit(self, X: pd.DataFrame, y: np.ndarray) -> MeanOfViews:
        """Learn from rows of shape (n, d) and class codes of shape (n,)."""
        self.classes_, counts = np.unique(y, return_counts=True)
        self.prior_ = counts / counts.sum()
        self.columns_ = list(columns_of_views(X).values())
        cells = X.to_numpy()
        self.estimators_ = []
        for columns in self.columns_:
            here = ~np.isnan(cells[:, columns]).all(axis=1)
            codes = np.searchsorted(self.classes_, y[here])
            self.estimators_.append(clone(self.estimator).fit(cells[here][:, columns], codes))
        return self

    def predict_proba(self, X: pd.DataFrame) -> np.ndarray:
        """Mean over the views that are there, the class shares where none is; shape (n, K)."""
        cells, n_classes = X.to_numpy(), len(self.classes_)
        total, count = np.zeros((len(cells), n_classes)), np.zeros(len(cells))
        for columns, model in zip(self.columns_, self.estimators_):
            here = ~np.isnan(cells[:, columns]).all(axis=1)
            if here.any():
                said = model.predict_proba(cells[here][:, columns])
                total[here] += align_probabilities(said, model.classes_, n_classes)
                count += here
        total[count == 0] = self.prior_
        return np.asarray(total / np.maximum(count, 1)[:, None])

    def predict(self, X: pd.DataFrame) -> np.ndarray:
        """Classes; shape (n,)."""
        scores = self.predict_proba(X)
        scores = scores / self.prior_ if self.divide_by_prior else scores
        return np.asarray(self.classes_[scores.argmax(axis=1)])


class StackedViews(ClassifierMixin, BaseEstimator):
    """``multiviewstacking``: forests per view, and a forest on what they say of unseen rows.

    It knows no missing values; the median stands in.

    Parameters
    ----------
    seed : int
    """

    def __init__(self, seed: int = 0) -> None:
        self.seed = seed

    def fit(self, X: pd.DataFrame, y: np.ndarray) -> StackedViews:
        """Learn from rows of shape (n, d) and class codes of shape (n,)."""
        package = require("multiviewstacking", "Stacking of views", "bench")
        views = list(columns_of_views(X).values())
        self.classes_ = np.unique(y)
        self.fill_ = SimpleImputer(strategy="median", keep_empty_features=True).fit(X.to_numpy())
        forests = [
            RandomForestClassifier(STACKED_TREES, random_state=self.seed)
            for _ in range(len(views) + 1)
        ]
        self.model_ = package.MultiViewStacking(
            views_indices=views,
            first_level_learners=forests[1:],
            meta_learner=forests[0],
            k=STACKED_FOLDS,
            random_state=self.seed,
        ).fit(self.fill_.transform(X.to_numpy()), y)
        return self

    def predict_proba(self, X: pd.DataFrame) -> np.ndarray:
        """Probabilities; shape (n, K)."""
        return np.asarray(self.model_.predict_proba(self.fill_.transform(X.to_numpy())))

    def predict(self, X: pd.DataFrame) -> np.ndarray:
        """Classes; shape (n,)."""
        return np.asarray(self.classes_[self.predict_proba(X).argmax(axis=1)])


class MultimodalBoosting(ClassifierMixin, BaseEstimator):
    """MuMBo or µCoMBo of ``scikit-multimodallearn``, which runs in an environment of its own.

    Trees of depth 3 and 100 rounds, as ours have them: its own defaults, 50 stumps, do worse. It
    knows no missing values; the median stands in. It has no probabilities either: scores are
    shifted to be at least 0 in every row and divided by their sum. ``fit`` only keeps the rows,
    the first prediction fits, and the processor time of the other process is not counted.

    Parameters
    ----------
    method : {"MuMBo", "µCoMBo"}
    seed : int
    """

    def __init__(self, method: str, seed: int = 0) -> None:
        self.method = method
        self.seed = seed

    def fit(self, X: pd.DataFrame, y: np.ndarray) -> MultimodalBoosting:
        """Keep rows of shape (n, d) and class codes of shape (n,)."""
        columns = list(columns_of_views(X).values())
        self.order_ = np.concatenate(columns)
        self.views_ = np.cumsum([0, *map(len, columns)])
        self.fill_ = SimpleImputer(strategy="median", keep_empty_features=True).fit(X.to_numpy())
        self.classes_, self.codes_ = np.unique(y, return_inverse=True)
        self.rows_ = self._filled(X)
        self.asked_: pd.DataFrame | None = None
        return self

    def predict_proba(self, X: pd.DataFrame) -> np.ndarray:
        """Shares of the scores; shape (n, K)."""
        scores = np.array(self._ask(X)["scores"])
        if scores.ndim == 1:
            scores = np.column_stack([-scores, scores])
        scores -= scores.min(axis=1, keepdims=True)
        total = scores.sum(axis=1, keepdims=True)
        even = np.full_like(scores, 1.0 / len(self.classes_))
        return np.where(total > 0.0, scores / np.where(total > 0.0, total, 1.0), even)

    def predict(self, X: pd.DataFrame) -> np.ndarray:
        """Classes; shape (n,)."""
        return np.asarray(self.classes_[self._ask(X)["answers"]])

    def _ask(self, X: pd.DataFrame) -> dict[str, Any]:
        """Scores and answers of a model that is fitted to the kept rows."""
        if self.asked_ is not X:
            self.said_ = run_script(
                Path(__file__).parent / "multimodal_script.py",
                X=self.rows_,
                y=self.codes_,
                views=self.views_,
                asked=self._filled(X),
                method=self.method,
                depth=MULTIMODAL_DEPTH,
                rounds=MULTIMODAL_ROUNDS,
                seed=self.seed,
            )
            self.asked_ = X
        return self.said_

    def _filled(self, X: pd.DataFrame) -> np.ndarray:
        """Rows without missing values, views one after another."""
        return np.asarray(self.fill_.transform(X.to_numpy()))[:, self.order_]
