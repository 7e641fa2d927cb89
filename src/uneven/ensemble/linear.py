"""Linear members: logistic regression, and naive Bayes for counts of words."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp
from scipy.special import softmax
from sklearn.linear_model import LogisticRegression

from uneven.ensemble.number_columns import NumberColumns
from uneven.ensemble.shared_table import (
    MANY_ROWS,
    Learnt,
    SharedTable,
    TableSize,
    cross_fit,
    member,
)
from uneven.utils.model_types import LARGEST, check_numbers, check_part, persisted
from uneven.utils.parallel import ThreadPool

_SILENT = -1e3


@persisted("linear_model", role="ensemble_model")
@dataclass
class LinearModel:
    """Softmax of linear scores of encoded columns.

    Attributes
    ----------
    columns : NumberColumns
    coef : ndarray of shape (n_classes, width)
    intercept : ndarray of shape (n_classes,)
    """

    columns: NumberColumns
    coef: np.ndarray
    intercept: np.ndarray

    def probabilities(self, X: Any, pool: ThreadPool) -> np.ndarray:
        """Softmax of the scores, (n_samples, n_classes)."""
        return self.of_numbers(self.columns.encode(X))

    def of_numbers(self, numbers: Any) -> np.ndarray:
        """The same for encoded rows."""
        return np.asarray(softmax(numbers @ self.coef.T + self.intercept, axis=1))

    def _check_model_(self, classifier: Any) -> None:
        """Refuse loaded coefficients that do not fit the classes and columns."""
        n_classes, n_features = len(classifier.classes_), classifier.n_features_in_
        refusal = "a {} stands where its columns should be"
        check_part("encoding", self.columns, n_features, refusal=refusal, error=ValueError)
        shape = (n_classes, self.columns.width(n_features))
        check_numbers(self.coef, shape, "coefficients", True, LARGEST)
        check_numbers(self.intercept, (n_classes,), "intercepts", True, LARGEST)


def cross_fit_linear(
    table: SharedTable, n_folds: int, seed: int, fit: Callable[[np.ndarray], LinearModel]
) -> Learnt:
    """Fit a linear model to all rows, and one to the rows outside of every fold.

    Parameters
    ----------
    table : SharedTable
    n_folds, seed : int
    fit : callable
        Takes positions of rows and returns their model.
    """

    def ask(model: LinearModel, rows: np.ndarray, labels: np.ndarray) -> np.ndarray:
        shares = model.of_numbers(table.numbers[rows])[:, labels]
        return np.asarray(shares / shares.sum(axis=1, keepdims=True))

    return cross_fit(table, table.deal(n_folds, seed), seed, fit, ask)


@member("logistic", order=40)
@dataclass(frozen=True)
class Logistic:
    """Multinomial logistic regression on standardised columns.

    Attributes
    ----------
    C : float
        Inverse strength of the penalty on squared coefficients.
    n_folds, max_iter : int
    """

    C: float = 1.0
    n_folds: int = 5
    max_iter: int = 200

    @classmethod
    def suited_to(cls, size: TableSize) -> Logistic | None:
        """A weaker penalty for sparse tables, whose columns are many and small."""
        if size.is_sparse:
            return cls(C=10.0, n_folds=3)
        return None if size.n_rows >= MANY_ROWS else cls()

    def learn(self, table: SharedTable, seed: int) -> Learnt:
        """Fit it to all rows, and to the rows outside of every fold."""
        weight = table.mass

        def fit(rows: np.ndarray) -> LinearModel:
            coef = np.zeros((table.n_classes, table.numbers.shape[1]))
            intercept = np.full(table.n_classes, _SILENT)
            labels = np.unique(table.y[rows])
            if len(labels) == 1 or not coef.size:
                shares = np.bincount(table.y[rows], weight[rows], table.n_classes)[labels]
                intercept[labels] = np.log(shares / shares.sum())
                return LinearModel(table.columns, coef, intercept)
            model = LogisticRegression(C=self.C, max_iter=self.max_iter, tol=1e-3)
            model.fit(table.numbers[rows], table.y[rows], sample_weight=weight[rows])
            if len(labels) == 2:
                coef[labels[1]], intercept[labels] = model.coef_[0], [0.0, model.intercept_[0]]
            else:
                coef[labels], intercept[labels] = model.coef_, model.intercept_
            return LinearModel(table.columns, coef, intercept)

        return cross_fit_linear(table, self.n_folds, seed, fit)


@member("word_counts", order=45)
@dataclass(frozen=True)
class WordCounts:
    """Multinomial naive Bayes: for sparse counts or weights of words, none below zero.

    Attributes
    ----------
    smoothing : float
        Counts added to those of every word in every class (smoothing), in mean word weights.
    n_folds : int

    References
    ----------
    A. McCallum and K. Nigam (1998), *A comparison of event models for naive Bayes text
    classification*.
    """

    smoothing: float = 0.1
    n_folds: int = 5

    @classmethod
    def suited_to(cls, size: TableSize) -> WordCounts | None:
        """For sparse tables without negative cells."""
        return cls() if size.is_sparse and not size.has_negative else None

    def learn(self, table: SharedTable, seed: int) -> Learnt:
        """Count the words of all rows, and of the rows outside of every fold."""
        if not sp.issparse(table.X) or table.size.has_negative:
            raise ValueError(
                "member 'word_counts' needs a sparse table without negative cells: leave it out "
                "of members, or give counts of words as a sparse matrix."
            )
        mean = table.numbers.data.mean() if table.numbers.data.any() else 1.0
        weight = table.mass

        def fit(rows: np.ndarray) -> LinearModel:
            shape = (table.n_classes, len(rows))
            owns = sp.csr_matrix((weight[rows], (table.y[rows], np.arange(len(rows)))), shape=shape)
            counts = (owns @ table.numbers[rows]).toarray()
            counts += self.smoothing * mean
            coef = np.log(counts) - np.log(counts.sum(axis=1, keepdims=True))
            class_mass = np.bincount(table.y[rows], weight[rows], table.n_classes)
            with np.errstate(divide="ignore"):
                intercept = np.maximum(np.log(class_mass / class_mass.sum()), _SILENT)
            return LinearModel(table.columns, coef, intercept)

        return cross_fit_linear(table, self.n_folds, seed, fit)
