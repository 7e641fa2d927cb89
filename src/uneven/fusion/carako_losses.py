r"""What Carako minimises: two losses of a vote with one coefficient per view and class.

With predictions ``h_j(i)`` of the views, coefficients ``b[j, c]`` and ``u_i = 1 / m_{y_i}``
(``m_c`` is the size of class ``c``), the score of a class is ``f(i, c) = sum_j b[j, c] [h_j(i) =
c]``.

Version 1 is ``Q1 = sum_i u_i sum_{c != y_i} exp(f(i, c) - f(i, y_i))``. Version 2 gives every view
its own exponential and adds them up. For coefficients that sum to at most 1 per class, the sum of
the entries of the confusion matrix (rows divided by class size, no diagonal) is at most ``Q1``,
and ``Q1`` is at most ``Q2``.

References
----------
S. Koço (2013), *Tackling the uneven views problem with cooperation based ensemble learning
methods*, PhD thesis, Aix-Marseille Université, chapter 4.

Notes
-----
Corrections of the source: the inner sums of version 1 run over the wrong labels; in the closed
form of version 2 a mistake counts ``exp(+b)``, the part that does not depend on the coefficients
is ``K - 2`` times the mistakes, and rows in which a view is absent add a constant.

The coefficients of every class add up to 1, so two classes whose views all predict them both get
the score 1: ties are the rule, not the exception (a fifth of the rows with trees of depth 5 in
version 1), and the source does not say which wins. Coefficients that are right to the last bit but
one then decide them by their rounding errors. :func:`put_on_grid` makes equal scores equal, and
:meth:`CarakoLoss.tie_breakers` decides.
"""

from __future__ import annotations

from abc import ABC, abstractmethod

import numpy as np

from uneven.costs import exponential_costs
from uneven.costs.class_weights import exact_coefficients
from uneven.utils.simplex import project_on_simplex

_GRADIENT_STEPS = 200
_GRADIENT_TOLERANCE = 1e-9
_COEFFICIENT_GRID = 2.0**-16
_PRECISION_GRID = 2.0**-20
_PRICE_BITS = 32


class CarakoLoss(ABC):
    """A loss of predictions and coefficients.

    Parameters
    ----------
    y : ndarray of int, shape (n_samples,)
    n_classes : int
    weights : ndarray of shape (n_samples,)
        The ``u_i``.
    constraint : {"eq1", "le1"}
        Whether the coefficients of a class sum to 1, or to at most 1.

    Notes
    -----
    In all methods ``answers`` is an int array of shape (n_views, n_samples), -1 where a view is
    absent, and ``coefficients`` has shape (n_views, n_classes).
    """

    def __init__(
        self, y: np.ndarray, n_classes: int, weights: np.ndarray, constraint: str = "eq1"
    ) -> None:
        self.y = y
        self.n_classes = n_classes
        self.weights = weights
        self.constraint = constraint

    @abstractmethod
    def value(self, answers: np.ndarray, coefficients: np.ndarray) -> float:
        """The loss."""

    @abstractmethod
    def coefficients(self, answers: np.ndarray, start: np.ndarray) -> np.ndarray:
        """Coefficients that minimise the loss for these predictions, found from ``start``."""

    @abstractmethod
    def prices(self, view: int, answers: np.ndarray, coefficients: np.ndarray) -> np.ndarray:
        """Cost of every prediction of a view, shape (n_samples, n_classes)."""

    def scores(self, answers: np.ndarray, coefficients: np.ndarray) -> np.ndarray:
        """Votes for each class, shape (n_samples, n_classes)."""
        scores = np.zeros((len(self.y), self.n_classes))
        for said, weight in zip(answers, coefficients):
            rows = np.flatnonzero(said >= 0)
            scores[rows, said[rows]] += weight[said[rows]]
        return scores

    def tally(self, answers: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Weight of the rows that each view rightly and wrongly calls a class.

        Returns
        -------
        right, wrong : ndarray of shape (n_views, n_classes)
            The recall of each class, and the column sums of the confusion matrix.
        """
        right = np.zeros((len(answers), self.n_classes))
        wrong = np.zeros_like(right)
        for j, said in enumerate(answers):
            hit = said == self.y
            miss = (said >= 0) & ~hit
            right[j] = np.bincount(said[hit], self.weights[hit], self.n_classes)
            wrong[j] = np.bincount(said[miss], self.weights[miss], self.n_classes)
        return right, wrong

    def tie_breakers(self, answers: np.ndarray) -> np.ndarray:
        """What every prediction adds to its class so that no two classes are equal.

        Returns
        -------
        ndarray of shape (n_views, n_classes)
            The precision of the prediction, every class counting the same, in units so small that
            those of all views together are less than half a step of :func:`put_on_grid`.
        """
        right, wrong = self.tally(answers)
        said = right + wrong
        precision = np.divide(right, said, out=np.zeros_like(said), where=said > 0.0)
        unit = _COEFFICIENT_GRID / 2.0 ** (len(answers).bit_length() + 1)
        return np.asarray(np.rint(precision / _PRECISION_GRID) * _PRECISION_GRID * unit)

    def _costs(self, scores: np.ndarray) -> tuple[np.ndarray, float]:
        """Exponential cost matrix of some scores, and its loss."""
        costs, log_loss = exponential_costs(scores, self.y, self.weights)
        loss = float(np.exp(log_loss))
        cancelled = -costs[np.arange(len(self.y)), self.y].sum()
        return costs * (loss / cancelled if cancelled > 0.0 else 1.0), loss

    def _prices(self, costs: np.ndarray, coefficients: np.ndarray) -> np.ndarray:
        """Pair costs that remain after each prediction, given those before it.

        A correct prediction shrinks all of them, a wrong one increases its own.
        """
        rows = np.arange(len(self.y))
        stakes = -costs[rows, self.y]
        prices = stakes[:, None] + np.expm1(coefficients) * costs
        prices[rows, self.y] = np.exp(-coefficients)[self.y] * stakes
        return np.asarray(prices)


class SplitLoss(CarakoLoss):
    """Version 2: every view has its own exponential, so that views learn independently.

    Examples
    --------
    >>> import numpy as np
    >>> loss = SplitLoss(np.array([0, 0, 1, 1]), 2, np.full(4, 0.5))
    >>> answers = np.array([[0, 0, 0, 1], [0, 1, 1, 1]])
    >>> loss.coefficients(answers, np.full((2, 2), 0.5)).round(3)
    array([[0.19, 0.81],
           [0.81, 0.19]])
    """

    def value(self, answers: np.ndarray, coefficients: np.ndarray) -> float:
        """The loss, from the confusion matrices of the views alone."""
        return self.value_of(*self.tally(answers), coefficients)

    def value_of(self, right: np.ndarray, wrong: np.ndarray, coefficients: np.ndarray) -> float:
        """The loss, from recalls and false alarms of shape (n_views, n_classes)."""
        others = self.n_classes - 1
        silent = len(right) * self.weights.sum() - right.sum() - wrong.sum()
        spoken = np.exp(-coefficients) * others * right + np.exp(coefficients) * wrong
        return float(spoken.sum() + (others - 1) * wrong.sum() + others * silent)

    def coefficients(self, answers: np.ndarray, start: np.ndarray) -> np.ndarray:
        """Exact minimiser over the views that predict a class; ``start`` does not matter.

        A view that never predicts a class gets no share of it, even where leaving some to it would
        lower the loss.
        """
        return self.minimise(*self.tally(answers))

    def minimise(self, right: np.ndarray, wrong: np.ndarray) -> np.ndarray:
        """The same from recalls and false alarms."""
        even = np.ones(len(right))
        return exact_coefficients((self.n_classes - 1) * right, wrong, even, self.constraint)

    def tally_shares(self, shares: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Mean recalls and false alarm rates of views that predict at random.

        Parameters
        ----------
        shares : ndarray of shape (n_views, n_samples, n_classes)
            Probability of each prediction; zeros where a view abstains.

        Returns
        -------
        right, wrong : ndarray of shape (n_views, n_classes)

        Examples
        --------
        >>> import numpy as np
        >>> loss = SplitLoss(np.array([0, 1]), 2, np.ones(2))
        >>> loss.tally_shares(np.array([[[0.75, 0.25], [0.5, 0.5]]]))
        (array([[0.75, 0.5 ]]), array([[0.5 , 0.25]]))
        """
        total = np.einsum("i,jic->jc", self.weights, shares)
        own = self.weights * shares[:, np.arange(len(self.y)), self.y]
        right = np.array([np.bincount(self.y, one, self.n_classes) for one in own])
        right = right.reshape(len(shares), self.n_classes)
        return right, np.maximum(total - right, 0.0)

    def prices(self, view: int, answers: np.ndarray, coefficients: np.ndarray) -> np.ndarray:
        """Costs for a view that does not depend on the others."""
        costs, _ = self._costs(np.zeros((len(self.y), self.n_classes)))
        return self._prices(costs, coefficients[view])


class JointLoss(CarakoLoss):
    """Version 1: the exponential loss of the vote itself; views must listen to each other.

    Examples
    --------
    >>> import numpy as np
    >>> loss = JointLoss(np.array([0, 0, 1]), 2, np.array([0.5, 0.5, 1.0]))
    >>> answers = np.array([[0, 0, 0], [0, 1, 1]])
    >>> start = np.full((2, 2), 0.5)
    >>> loss.value(answers, loss.coefficients(answers, start)) < loss.value(answers, start)
    True
    """

    def value(self, answers: np.ndarray, coefficients: np.ndarray) -> float:
        """The loss of the vote."""
        return self._costs(self.scores(answers, coefficients))[1]

    def gradient(self, answers: np.ndarray, coefficients: np.ndarray) -> np.ndarray:
        """Slope of the loss in every coefficient, shape (n_views, n_classes)."""
        costs, _ = self._costs(self.scores(answers, coefficients))
        slopes = np.zeros_like(coefficients)
        for j, said in enumerate(answers):
            rows = np.flatnonzero(said >= 0)
            slopes[j] = np.bincount(said[rows], costs[rows, said[rows]], self.n_classes)
        return slopes

    def coefficients(self, answers: np.ndarray, start: np.ndarray) -> np.ndarray:
        """Projected gradient descent with backtracking; the loss never grows on the way."""
        here, value, step = start, self.value(answers, start), 1.0
        for _ in range(_GRADIENT_STEPS):
            slopes = self.gradient(answers, here)
            while True:
                there = project_on_simplex(here - step * slopes, self.constraint == "le1")
                move = there - here
                reached = self.value(answers, there)
                promised = (slopes * move).sum() + (move**2).sum() / (2.0 * step)
                if reached <= value + promised or step < np.finfo(float).eps:
                    break
                step /= 2.0
            if value - reached <= _GRADIENT_TOLERANCE * value:
                return there if reached < value else here
            here, value, step = there, reached, 2.0 * step
        return here

    def prices(self, view: int, answers: np.ndarray, coefficients: np.ndarray) -> np.ndarray:
        """Costs for a view, given the predictions of the others."""
        others = answers.copy()
        others[view] = -1
        costs, _ = self._costs(self.scores(others, coefficients))
        return self._prices(costs, coefficients[view])


def put_on_grid(coefficients: np.ndarray) -> np.ndarray:
    """Coefficients in whole steps of 2**-16: their sums are exact, so that equal ones are equal.

    Parameters
    ----------
    coefficients : ndarray of shape (n_views, n_classes)
        Those of a class add up to at most 1.

    Returns
    -------
    ndarray of shape (n_views, n_classes)
        Those of a class that add up to 1 but for rounding add up to exactly 1: the first of its
        largest coefficients takes what is left over.

    Examples
    --------
    >>> import numpy as np
    >>> float(put_on_grid(np.full((3, 1), 1 / 3)).sum())
    1.0
    """
    steps = np.rint(coefficients / _COEFFICIENT_GRID)
    missing = 1.0 / _COEFFICIENT_GRID - steps.sum(axis=0)
    missing[np.abs(missing) > len(steps)] = 0.0
    steps[steps.argmax(axis=0), np.arange(steps.shape[1])] += missing
    return np.asarray(steps * _COEFFICIENT_GRID)


def coarsen(prices: np.ndarray) -> np.ndarray:
    """Costs without their last bits: 32 bits below the largest remain.

    Leaves in which two predictions cost the same are then not decided by rounding errors.
    """
    largest = float(prices.max(initial=0.0))
    if largest <= 0.0:
        return prices
    step = 2.0 ** (np.ceil(np.log2(largest)) - _PRICE_BITS)
    return np.asarray(np.rint(prices / step) * step)
