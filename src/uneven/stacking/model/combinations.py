"""The three linear combinations: how weights turn the scores of many classifiers into one.

Each ties the weights of one general linear map in its own way (the map psi of the source), and all
keep them in the same form: one row of ``coef`` per classifier, so that a classifier is dropped
when its row is zero.

``@named(COMBINATIONS, name)`` makes a class known everywhere by its name.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from scipy.linalg import cho_factor, cho_solve

from uneven.stacking._loops import scores_by_class
from uneven.stacking.model import named
from uneven.utils.registry import Registry

NormalSolver = Callable[[np.ndarray, np.ndarray], tuple[np.ndarray, np.ndarray]]


def by_class(scores: np.ndarray, rows: np.ndarray | None = None) -> np.ndarray:
    """Scores with those of one classifier for one class side by side.

    Parameters
    ----------
    scores : ndarray of shape (n_samples, n_members, n_classes)
    rows : ndarray of int, shape (n_rows,), optional
        Rows that are wanted, in their new order; all by default.

    Returns
    -------
    ndarray of float64, shape (n_classes, n_members, n_rows)

    Examples
    --------
    >>> by_class(np.array([[[0.7, 0.3]], [[0.2, 0.8]]]), np.array([1, 0])).tolist()
    [[[0.2, 0.7]], [[0.8, 0.3]]]
    """
    scores = np.asarray(scores, dtype=np.float64)
    wanted = np.arange(len(scores)) if rows is None else np.asarray(rows, dtype=np.intp)
    sorted_scores = np.empty((*scores.shape[:0:-1], len(wanted)))
    scores_by_class(scores, wanted, sorted_scores)
    return sorted_scores


class Combination(ABC):
    """A linear combination, bound to the scores that it combines.

    Parameters
    ----------
    scores : ndarray of shape (n_samples, n_members, n_classes)
        Level-1 scores: the scores of each classifier for each row.

    Attributes
    ----------
    by_class : ndarray of shape (n_classes, n_members, n_samples)
        The same numbers, so that one classifier's scores for one class lie side by side.
    """

    name: str

    def __init__(self, scores: np.ndarray) -> None:
        self.by_class = by_class(scores)

    @staticmethod
    @abstractmethod
    def width(n_classes: int) -> int:
        """Weights per classifier."""

    @staticmethod
    def n_intercepts(n_classes: int) -> int:
        """Constants that are added to the scores: none, unless the combination has them."""
        return 0

    @property
    def n_classes(self) -> int:
        """Number of classes."""
        return self.by_class.shape[0]

    @property
    def n_members(self) -> int:
        """Number of classifiers."""
        return self.by_class.shape[1]

    @property
    def n_samples(self) -> int:
        """Number of rows."""
        return self.by_class.shape[2]

    def restrict(self, members: np.ndarray) -> Combination:
        """The same combination of some classifiers only."""
        part = object.__new__(type(self))
        part.by_class = self.by_class
        if len(members) < self.n_members:
            part.by_class = np.ascontiguousarray(self.by_class[:, members])
        return part

    def zeros(self) -> tuple[np.ndarray, np.ndarray]:
        """Weights of zero: ``coef`` and ``intercept``."""
        n = self.n_classes
        return np.zeros((self.n_members, self.width(n))), np.zeros(self.n_intercepts(n))

    @abstractmethod
    def scores(self, coef: np.ndarray, intercept: np.ndarray) -> np.ndarray:
        """Combined scores, shape (n_samples, n_classes)."""

    @abstractmethod
    def adjoint(self, slope: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Gradient in ``coef`` and ``intercept`` of what has this gradient in the scores.

        Parameters
        ----------
        slope : ndarray of shape (n_samples, n_classes)
        """

    @abstractmethod
    def curvature(self, diagonal: np.ndarray, spoke: np.ndarray) -> np.ndarray:
        """Second derivative in the weights of what has ``diag(d) - r r'`` in the scores of a row.

        Parameters
        ----------
        diagonal, spoke : ndarray of shape (n_samples, n_classes)
            d and r of every row.

        Returns
        -------
        ndarray of shape (n_weights, n_weights)
            Rows of ``coef`` one after the other, then the intercepts.
        """

    @abstractmethod
    def normal_equations(self, share: np.ndarray, ridge: float) -> NormalSolver:
        """Solver of ``(psi' S psi + ridge Id) w = right``, factored once.

        Parameters
        ----------
        share : ndarray of shape (n_samples,)
            Diagonal of S: how much every row counts.
        ridge : float
            Positive; not added for the intercepts.

        Returns
        -------
        callable
            Takes and returns a pair of the shapes of ``coef`` and ``intercept``.
        """


COMBINATIONS: Registry[type[Combination]] = Registry("combination")
"""The combinations by their names, those with fewer weights first."""


def _factor(rows: np.ndarray, share: np.ndarray, ridge: np.ndarray | float) -> Any:
    """Factor of the weighted Gram matrix of rows of shape (n_weights, n_samples)."""
    half = rows * np.sqrt(share)
    gram = half @ half.T
    gram[np.diag_indices_from(gram)] += ridge
    return cho_factor(gram, lower=True, overwrite_a=True, check_finite=False)


def _bent_pairs(
    diagonal: np.ndarray, spoke: np.ndarray
) -> Iterator[tuple[int, int, np.ndarray, np.ndarray]]:
    """Pairs of classes that bend together, the rows where they do, and by how much."""
    for a in range(diagonal.shape[1]):
        for b in range(a + 1):
            pair = -spoke[:, a] * spoke[:, b] + (diagonal[:, a] if a == b else 0.0)
            here = np.flatnonzero(pair)
            if len(here):
                yield a, b, here, pair[here]


@named(COMBINATIONS, "ws")
class WeightedSum(Combination):
    """WS: one weight per classifier, ``score[n] = sum_m u[m] p[m, n]``.

    Examples
    --------
    >>> import numpy as np
    >>> P = np.array([[[0.7, 0.3], [0.5, 0.5]]])
    >>> WeightedSum(P).scores(np.array([[1.0], [2.0]]), np.zeros(0))
    array([[1.7, 1.3]])
    """

    @staticmethod
    def width(n_classes: int) -> int:
        """One."""
        return 1

    def scores(self, coef: np.ndarray, intercept: np.ndarray) -> np.ndarray:
        """``sum_m u[m] p[m, n]``."""
        return np.stack([coef[:, 0] @ scores for scores in self.by_class], axis=1)

    def adjoint(self, slope: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Sum over the rows of score times slope."""
        gradient = sum(scores @ slope[:, n] for n, scores in enumerate(self.by_class))
        return np.reshape(gradient, (-1, 1)), np.zeros(0)

    def curvature(self, diagonal: np.ndarray, spoke: np.ndarray) -> np.ndarray:
        """Squares of scores minus squares of their sums along the spokes."""
        along = np.einsum("nmi,in->mi", self.by_class, spoke)
        whole = -(along @ along.T)
        for n, scores in enumerate(self.by_class):
            half = scores * np.sqrt(diagonal[:, n])
            whole += half @ half.T
        return whole

    def normal_equations(self, share: np.ndarray, ridge: float) -> NormalSolver:
        """One system for all classes."""
        rows = self.by_class.transpose(1, 0, 2).reshape(self.n_members, -1)
        factor = _factor(rows, np.tile(share, self.n_classes), ridge)
        return lambda coef, intercept: (cho_solve(factor, coef, check_finite=False), intercept)


@named(COMBINATIONS, "cws")
class ClassWeightedSum(Combination):
    """CWS: one weight per classifier and class, ``score[n] = sum_m v[m, n] p[m, n]``.

    Examples
    --------
    >>> import numpy as np
    >>> P = np.array([[[0.7, 0.3], [0.5, 0.5]]])
    >>> ClassWeightedSum(P).scores(np.array([[1.0, 0.0], [2.0, 4.0]]), np.zeros(0))
    array([[1.7, 2. ]])
    """

    @staticmethod
    def width(n_classes: int) -> int:
        """One per class."""
        return n_classes

    def scores(self, coef: np.ndarray, intercept: np.ndarray) -> np.ndarray:
        """``sum_m v[m, n] p[m, n]``."""
        columns = [coef[:, n] @ scores for n, scores in enumerate(self.by_class)]
        return np.stack(columns, axis=1)

    def adjoint(self, slope: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Sum over the rows of score times slope."""
        columns = [scores @ slope[:, n] for n, scores in enumerate(self.by_class)]
        return np.stack(columns, axis=1), np.zeros(0)

    def curvature(self, diagonal: np.ndarray, spoke: np.ndarray) -> np.ndarray:
        """Squares of scores minus squares of their sums along the spokes."""
        n = self.n_classes
        whole = np.zeros((self.n_members * n, self.n_members * n))
        for a, b, here, pair in _bent_pairs(diagonal, spoke):
            block = (self.by_class[a][:, here] * pair) @ self.by_class[b][:, here].T
            whole[a::n, b::n] = block
            if a != b:
                whole[b::n, a::n] = block.T
        return whole

    def normal_equations(self, share: np.ndarray, ridge: float) -> NormalSolver:
        """One system for each class."""
        factors = [_factor(rows, share, ridge) for rows in self.by_class]

        def solve(coef: np.ndarray, intercept: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
            columns = [
                cho_solve(factor, coef[:, n], check_finite=False)
                for n, factor in enumerate(factors)
            ]
            return np.stack(columns, axis=1), intercept

        return solve


@named(COMBINATIONS, "lsg")
class LinearStacking(Combination):
    """LSG: all scores count for every class, ``score[n] = sum_mk w[m, k, n] p[m, k] + b[n]``.

    ``coef[m, k * n_classes + n]`` is the weight that the score of classifier m for class k has for
    class n. The constants b are never penalised.

    Examples
    --------
    >>> import numpy as np
    >>> P = np.array([[[0.7, 0.3]]])
    >>> LinearStacking(P).scores(np.array([[1.0, 0.0, 0.0, 2.0]]), np.array([0.0, 0.5]))
    array([[0.7, 1.1]])
    """

    @staticmethod
    def width(n_classes: int) -> int:
        """One per pair of classes."""
        return n_classes * n_classes

    @staticmethod
    def n_intercepts(n_classes: int) -> int:
        """One per class."""
        return n_classes

    def flat(self) -> np.ndarray:
        """All scores of a row side by side, classifier after classifier, transposed.

        Returns
        -------
        ndarray of shape (n_members * n_classes, n_samples)
        """
        return self.by_class.transpose(1, 0, 2).reshape(
            self.n_members * self.n_classes, self.n_samples
        )

    def scores(self, coef: np.ndarray, intercept: np.ndarray) -> np.ndarray:
        """``sum_mk w[m, k, n] p[m, k] + b[n]``."""
        blocks = coef.reshape(self.n_members, self.n_classes, self.n_classes)
        total = np.tile(intercept, (self.n_samples, 1))
        for k, scores in enumerate(self.by_class):
            total += scores.T @ blocks[:, k]
        return total

    def adjoint(self, slope: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Sum over the rows of score times slope."""
        blocks = [scores @ slope for scores in self.by_class]
        return np.stack(blocks, axis=1).reshape(self.n_members, -1), slope.sum(axis=0)

    def curvature(self, diagonal: np.ndarray, spoke: np.ndarray) -> np.ndarray:
        """One block for every pair of outputs."""
        n = self.n_classes
        inputs = np.vstack([self.flat(), np.ones(self.n_samples)])
        whole = np.zeros((len(inputs), n, len(inputs), n))
        for a, b, here, pair in _bent_pairs(diagonal, spoke):
            block = (inputs[:, here] * pair) @ inputs[:, here].T
            whole[:, a, :, b] = block
            whole[:, b, :, a] = block
        return whole.reshape(len(inputs) * n, -1)

    def normal_equations(self, share: np.ndarray, ridge: float) -> NormalSolver:
        """One system with the intercept, shared by all outputs."""
        inputs = np.vstack([self.flat(), np.ones(self.n_samples)])
        ridges = np.append(np.full(len(inputs) - 1, ridge), 0.0)
        factor = _factor(inputs, share, ridges)
        shape = (self.n_members, self.n_classes * self.n_classes)

        def solve(coef: np.ndarray, intercept: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
            right = np.vstack([coef.reshape(-1, self.n_classes), intercept])
            found = cho_solve(factor, right, check_finite=False)
            return found[:-1].reshape(shape), found[-1]

        return solve
