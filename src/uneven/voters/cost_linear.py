"""A linear rule as a weak learner: multinomial logistic regression on the costs' examples.

scikit-learn's ``LogisticRegression`` was looked at: it warns whenever it is stopped early, which
is what is wanted here, standardises nothing and takes no missing values.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import scipy.sparse as sp
from scipy.optimize import minimize
from sklearn.base import BaseEstimator

from uneven.costs.matrices import CostMatrix
from uneven.utils.model_types import check_numbers, check_range, check_whole, persisted
from uneven.utils.parameters import Interval, Whole, check_parameters
from uneven.voters._loops import FAR, linear_answers
from uneven.voters.cost_tree import dense_blocks
from uneven.voters.training_table import TrainingTable

_MOST_CODES = 64
_LEAST_SPREAD = 1e-12
_GRADIENT = 1e-4
_TINY = np.finfo(float).tiny


@persisted("cost_linear", without_check="a parameter, which no prediction depends on")
class CostLinear(BaseEstimator):
    """Weak learner: logistic regression, weighted by the cost that every row may cause.

    Numbers are standardised, categories of a frame become indicators (of a column with more than
    64, the code is a number), missing values count as the mean.

    Parameters
    ----------
    ridge : float, default=1.0
        Half of it, times the squared coefficients, is added to the sum of the losses of all rows.
    max_iter : int, default=15
        Steps of L-BFGS. Few are enough, and stopping early keeps coefficients small.

    Examples
    --------
    >>> from uneven import ComboClassifier
    >>> from uneven.datasets import make_balance_scale
    >>> from uneven.voters import CostLinear
    >>> data = make_balance_scale()
    >>> model = ComboClassifier(CostLinear(), n_estimators=5).fit(data.data, data.target)
    >>> bool(model.score(data.data, data.target) > 0.85)
    True
    """

    _parameters: ClassVar = {
        "ridge": Interval(0, closed="neither", says="a finite number above 0"),
        "max_iter": Whole(1),
    }

    def __init__(self, ridge: float = 1.0, max_iter: int = 15) -> None:
        self.ridge = ridge
        self.max_iter = max_iter

    def learn(
        self,
        table: TrainingTable,
        columns: np.ndarray,
        costs: CostMatrix,
        seed: int = 0,
    ) -> tuple[LinearVoter, np.ndarray]:
        """Fit the coefficients; see :class:`~uneven.voters.WeakLearner`."""
        check_parameters(self)
        rows, labels, weights = costs.examples()
        X = table.X[rows][:, columns]
        n_codes = np.zeros(len(columns), dtype=np.int64)
        if table.n_codes is not None:
            n_codes = np.where(table.n_codes <= _MOST_CODES, table.n_codes, 0)[columns]
        centre, scale = (_sparse_moments if sp.issparse(X) else _moments)(X, weights)
        Z = _design(X, n_codes, centre, scale)
        ridge = float(self.ridge) / len(table.y)
        coef, intercept = _fit(Z, labels, weights, table.n_classes, ridge, int(self.max_iter))
        nothing = np.zeros(table.n_classes)
        voter = LinearVoter(columns, n_codes, centre, scale, coef, intercept, nothing)
        answers = voter.predict(table.X)
        voter.reach = table.reach(answers)
        return voter, answers


def _moments(X: np.ndarray, weights: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Mean and standard deviation of the known values, each of shape (n_columns,)."""
    known = ~np.isnan(X)
    unit = _units(np.where(known, np.abs(X), 0.0).max(axis=0, initial=0.0))
    shares = np.where(known, X / unit, 0.0)
    mass = np.maximum(weights @ known, _TINY)
    mean = weights @ shares / mass
    variance = weights @ np.where(known, shares - mean, 0.0) ** 2 / mass
    return mean * unit, _scale(variance, unit)


def _sparse_moments(X: Any, weights: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The same for a sparse table, whose zeros stay: nothing is taken off."""
    X = sp.csc_array(X, dtype=np.float64, copy=True)
    if not X.shape[0]:
        return np.zeros(X.shape[1]), np.ones(X.shape[1])
    X.data[np.isnan(X.data)] = 0.0
    unit = _units(abs(X).max(axis=0).toarray().ravel())
    shares = X @ sp.diags_array(1.0 / unit)
    variance = weights @ shares.power(2) - (weights @ shares) ** 2
    return np.zeros(X.shape[1]), _scale(np.maximum(variance, 0.0), unit)


def _units(largest: np.ndarray) -> np.ndarray:
    """The largest value of each column, in whose units nothing overflows."""
    return np.where(largest > _TINY, largest, 1.0)


def _scale(variance: np.ndarray, unit: np.ndarray) -> np.ndarray:
    """Standard deviations; a column that does not vary is not blown up."""
    spread = np.sqrt(variance)
    return np.maximum(np.where(spread > _LEAST_SPREAD, spread, 1.0) * unit, _TINY)


def _design(X: Any, n_codes: np.ndarray, centre: np.ndarray, scale: np.ndarray) -> Any:
    """Standardised numbers and indicators of categories, shape (n_samples, n_rows of ``coef``)."""
    if sp.issparse(X):
        return sparse_design(X, scale).astype(np.float32)
    halves = X / 2.0 - centre / 2.0
    Z = np.nan_to_num(np.clip(halves / scale * 2.0, -FAR, FAR))
    if not n_codes.any():
        return np.ascontiguousarray(Z, dtype=np.float32)
    blocks = [X[:, [j]] == np.arange(n) if n else Z[:, [j]] for j, n in enumerate(n_codes.tolist())]
    return np.hstack(blocks).astype(np.float32)


def _fit(
    Z: Any, labels: np.ndarray, weights: np.ndarray, n_classes: int, ridge: float, max_iter: int
) -> tuple[np.ndarray, np.ndarray]:
    """Coefficients (n_columns, n_classes) and intercepts with a small weighted logistic loss."""
    rows = np.arange(len(labels))
    size = (Z.shape[1], n_classes)
    light = weights.astype(np.float32)

    def loss_and_slope(flat: np.ndarray) -> tuple[float, np.ndarray]:
        single = flat.astype(np.float32)
        scores = Z @ single[:-n_classes].reshape(size) + single[-n_classes:]
        scores -= scores.max(axis=1, keepdims=True)
        of_label = scores[rows, labels]
        chances = np.exp(scores, out=scores)
        total = chances.sum(axis=1)
        coef = flat[:-n_classes]
        loss = weights @ (np.log(total) - of_label) + ridge / 2.0 * (coef @ coef)
        chances *= (light / total)[:, None]
        chances[rows, labels] -= light
        slope = (Z.T @ chances).ravel() + ridge * coef
        return float(loss), np.concatenate([slope, chances.sum(axis=0)])

    start = np.zeros(size[0] * n_classes + n_classes)
    options = {"maxiter": max_iter, "gtol": _GRADIENT}
    found = minimize(loss_and_slope, start, jac=True, method="L-BFGS-B", options=options).x
    return found[:-n_classes].reshape(size), found[-n_classes:]


@persisted("linear_voter", role="voter")
@dataclass
class LinearVoter:
    """Linear scores of standardised numbers and of categories; missing values add nothing.

    Attributes
    ----------
    columns : ndarray of int, shape (n_columns,)
        Columns of ``X`` that are read.
    n_codes : ndarray of int, shape (n_columns,)
        Categories of each column, whose values are codes from 0; 0 for a column of numbers.
    centre, scale : ndarray of shape (n_columns,)
        What is taken off a number, and what it is divided by then.
    coef : ndarray of shape (n_rows, n_classes)
        One row for a column of numbers, one per category for the others.
    intercept : ndarray of shape (n_classes,)
    reach : ndarray of shape (n_classes,)
        Share of each class's training weight that it predicts correctly.

    Examples
    --------
    >>> import numpy as np
    >>> voter = LinearVoter(
    ...     columns=np.array([0]), n_codes=np.array([0]), centre=np.array([5.0]),
    ...     scale=np.array([1.0]), coef=np.array([[-1.0, 1.0]]), intercept=np.array([0.0, -0.5]),
    ...     reach=np.ones(2))
    >>> voter.predict(np.array([[4.0], [6.0], [np.nan]]))
    array([0, 1, 0], dtype=int32)
    """

    columns: np.ndarray
    n_codes: np.ndarray
    centre: np.ndarray
    scale: np.ndarray
    coef: np.ndarray
    intercept: np.ndarray
    reach: np.ndarray

    def predict(self, X: Any) -> np.ndarray:
        """Class index for each row of the full table ``X``, shape (n_samples,)."""
        if sp.issparse(X) and not self.centre.any() and not self.n_codes.any():
            Z = sparse_design(sp.csc_array(X)[:, self.columns], self.scale)
            return np.asarray((Z @ self.coef + self.intercept).argmax(axis=1), dtype=np.int32)
        answers = np.empty(X.shape[0], dtype=np.int32)
        standard = (self.n_codes, self.centre, self.scale)
        for rows, block in dense_blocks(X, self.columns):
            asked = self.columns if block is X else np.arange(len(self.columns))
            linear_answers(block, asked, *standard, self.coef, self.intercept, answers[rows])
        return answers

    def add_credit(self, credit: np.ndarray, weight: np.ndarray) -> None:
        """Credit the columns for correct predictions; see ``TreeVoter``.

        They share as their coefficients for a class differ from those for the mean of all classes:
        by the size of the difference, its root mean square over the categories of a column.
        """
        apart = (self.coef - self.coef.mean(axis=1, keepdims=True)) ** 2
        widths = np.maximum(self.n_codes, 1)
        sums = np.add.reduceat(apart, np.cumsum(widths) - widths, axis=0)
        sizes = np.sqrt(sums / widths[:, None])
        total = sizes.sum(axis=0)
        credit[self.columns] += weight * self.reach * sizes / np.where(total > 0.0, total, 1.0)

    def _check_model_(self, n_features: int, n_classes: int) -> np.ndarray:
        """Refuse loaded coefficients that do not fit together; return the columns read."""
        check_whole(self.columns, "columns of a linear voter")
        if self.columns.ndim != 1 or not self.columns.size:
            raise ValueError("a linear voter has no list of columns")
        check_range(self.columns, n_features, "column")
        check_whole(self.n_codes, "numbers of categories")
        size = self.columns.shape
        check_numbers(self.coef, self.coef.shape, "coefficients", signed=True)
        is_count = (self.n_codes >= 0) & (self.n_codes <= len(self.coef))
        if self.n_codes.shape != size or not is_count.all():
            raise ValueError(f"its numbers of categories do not belong to {size} columns")
        check_numbers(self.centre, size, "centres of columns", signed=True)
        if not check_numbers(self.scale, size, "scales of columns").all():
            raise ValueError("a column is divided by 0")
        n_rows = int(np.maximum(self.n_codes, 1).sum())
        if self.coef.shape != (n_rows, n_classes):
            raise ValueError(f"its coefficients are {self.coef.shape}, not {(n_rows, n_classes)}")
        check_numbers(self.intercept, (n_classes,), "intercepts", signed=True)
        check_numbers(self.reach, (n_classes,), "rates of correct predictions")
        return self.columns


def sparse_design(X: Any, scale: np.ndarray) -> sp.csr_array:
    """Sparse columns divided by their scales; missing values become zeros.

    Parameters
    ----------
    X : sparse matrix of shape (n_samples, n_columns)
    scale : ndarray of shape (n_columns,)

    Returns
    -------
    csr_array of shape (n_samples, n_columns)
    """
    Z = sp.csr_array(X @ sp.diags_array(1.0 / scale))
    Z.data = np.clip(np.nan_to_num(Z.data, posinf=FAR, neginf=-FAR), -FAR, FAR)
    return Z
