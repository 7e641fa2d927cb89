"""Simulated annotators: always right, with known error rates, or with a cost per label.

An oracle is a function of row numbers that returns their labels.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from sklearn.utils import check_random_state

from uneven.noise import corrupt_labels

Oracle = Callable[[np.ndarray], np.ndarray]
"""Returns the labels of some rows of the pool, given by their numbers."""


class BudgetSpentError(RuntimeError):
    """The requested labels cost more than the remaining budget."""


class PerfectOracle:
    """Always right.

    Parameters
    ----------
    y : array-like of shape (n_rows,)
        The true classes of the pool.

    Examples
    --------
    >>> PerfectOracle(["a", "b", "a"])([2, 1]).tolist()
    ['a', 'b']
    """

    def __init__(self, y: ArrayLike) -> None:
        self.y = np.asarray(y)
        if self.y.ndim != 1:
            raise ValueError(f"y must be one label per row, got an array of shape {self.y.shape}.")

    def __call__(self, rows: ArrayLike) -> np.ndarray:
        """Labels of rows.

        Parameters
        ----------
        rows : array-like of int, shape (n,)

        Returns
        -------
        ndarray of shape (n,)
        """
        return self.y[_positions(rows, len(self.y))]


class NoisyOracle(PerfectOracle):
    """Mistakes classes for each other at known rates, and sticks to its mistakes.

    Parameters
    ----------
    y : array-like of shape (n_rows,)
        The true classes of the pool.
    noise_matrix : array-like of shape (n_classes, n_classes)
        Column = true class, row = returned label; columns sum to one.
    random_state : int, RandomState or None, default=None
        Seed of the mistakes. All are drawn at once, so that the label of a row does not
        depend on when it is queried, nor on how often.
    classes : array-like of shape (n_classes,), optional
        The class of each row and column of the matrix; the sorted labels of ``y`` by default.

    Attributes
    ----------
    true : ndarray of shape (n_rows,)
        The true classes.

    Examples
    --------
    >>> from uneven.noise import uniform_noise
    >>> oracle = NoisyOracle([0, 1] * 50, uniform_noise(2, 0.2), random_state=0)
    >>> int((oracle(range(100)) != oracle.true).sum())
    18
    """

    def __init__(
        self,
        y: ArrayLike,
        noise_matrix: Any,
        random_state: Any = None,
        *,
        classes: ArrayLike | None = None,
    ) -> None:
        super().__init__(y)
        self.true = self.y
        seed = int(check_random_state(random_state).randint(2**31 - 1))
        self.y = np.asarray(corrupt_labels(self.true, noise_matrix, seed, classes))


class CostlyOracle:
    """Adds up the costs of labels, and raises an error when the budget is spent.

    Parameters
    ----------
    oracle : callable
        The oracle that gives the labels.
    costs : float or array-like of shape (n_rows,), default=1.0
        Cost of a label, or of the label of each row.
    budget : float or None, default=None
        What may be spent.

    Attributes
    ----------
    spent : float
        Costs so far. A row that is queried again costs again.

    Examples
    --------
    >>> oracle = CostlyOracle(PerfectOracle([0, 1, 1]), costs=[1.0, 5.0, 2.0], budget=4.0)
    >>> oracle([0, 2]).tolist(), oracle.spent
    ([0, 1], 3.0)
    >>> oracle([1])
    Traceback (most recent call last):
        ...
    uneven.active.oracles.BudgetSpentError: the answers cost 5, but 3 of 4 are spent already.
    """

    def __init__(
        self, oracle: Oracle, costs: float | ArrayLike = 1.0, budget: float | None = None
    ) -> None:
        self.oracle = oracle
        self.costs = np.asarray(costs, dtype=np.float64)
        self.budget = budget
        self.spent = 0.0
        if self.costs.ndim > 1 or not np.isfinite(self.costs).all() or (self.costs < 0.0).any():
            raise ValueError("costs must be a number >= 0, or one for each row of the pool.")
        if budget is not None and not budget >= 0.0:
            raise ValueError(f"budget must be a number >= 0 or None, got {budget!r}.")

    def __call__(self, rows: ArrayLike) -> np.ndarray:
        """Labels of rows, if there is money left for all of them.

        Parameters
        ----------
        rows : array-like of int, shape (n,)

        Returns
        -------
        ndarray of shape (n,)
        """
        price = self.price(rows)
        if self.budget is not None and self.spent + price > self.budget * (1.0 + 1e-12):
            raise BudgetSpentError(
                f"the answers cost {price:g}, but {self.spent:g} of {self.budget:g} are spent "
                "already."
            )
        labels = self.oracle(np.asarray(rows))
        self.spent += price
        return labels

    def price(self, rows: ArrayLike) -> float:
        """Costs of the labels of some rows.

        Parameters
        ----------
        rows : array-like of int, shape (n,)

        Returns
        -------
        float
        """
        rows = np.atleast_1d(np.asarray(rows, dtype=np.intp))
        if not self.costs.ndim:
            return float(self.costs) * len(rows)
        return float(self.costs[_positions(rows, len(self.costs))].sum())


def _positions(rows: ArrayLike, n_rows: int) -> np.ndarray:
    where = np.asarray(rows)
    if where.size == 0:
        return where.astype(np.intp)
    if where.dtype.kind not in "iu" or where.min() < 0 or where.max() >= n_rows:
        raise ValueError(f"rows must be whole numbers from 0 to {n_rows - 1}, got {rows!r}.")
    return where
