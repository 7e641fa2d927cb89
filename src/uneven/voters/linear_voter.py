"""A fitted linear rule: one score per class, the largest of which is the answer."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp

from uneven.voters.linear_kernels import FAR, linear_answers
from uneven.voters.tree import dense_blocks

__all__ = ["LinearVoter", "sparse_design"]


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
        Share of each class's training mass that it answers rightly.

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
        """Credit the columns for the right answers; see ``TreeVoter``.

        They share as their coefficients for a class differ from those for the mean of all classes:
        by the size of the difference, its root mean square over the categories of a column.
        """
        apart = (self.coef - self.coef.mean(axis=1, keepdims=True)) ** 2
        widths = np.maximum(self.n_codes, 1)
        sums = np.add.reduceat(apart, np.cumsum(widths) - widths, axis=0)
        sizes = np.sqrt(sums / widths[:, None])
        total = sizes.sum(axis=0)
        credit[self.columns] += weight * self.reach * sizes / np.where(total > 0.0, total, 1.0)


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
