"""A linear SVM that guesses the labels of unlabelled rows while it learns."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.optimize import minimize
from sklearn.base import BaseEstimator, ClassifierMixin

__all__ = ["SelfLabellingSVM"]

UNLABELLED = -1
Floats = NDArray[np.float64]


class SelfLabellingSVM(ClassifierMixin, BaseEstimator):
    """Semi-supervised SVM: one class against the rest, squared hinge, labels guessed in turn.

    It lowers ``|W|^2 / 2 + C (sum of losses of labelled rows + s * sum over the others of the loss
    of their best label)`` by turns: guess the labels (the class with the highest score has the
    lowest loss), then learn from them. The strength s grows from almost nothing, so that the first
    guesses come from the labelled rows.

    The source names a multi-class semi-supervised SVM without a formula; this is our reading of it.

    Parameters
    ----------
    C : float
    shares : tuple of float
        Strengths s of the unlabelled rows, in turn.
    n_turns : int
        Most turns at each strength.
    max_iter : int
        Most steps of the solver (L-BFGS) in a turn.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
    coef_ : ndarray of shape (n_features, n_classes)
        There is no offset: with one, all rows that are unlike the labelled ones go to one class.
    path_ : list of (float, float)
        Strength and objective after every turn.

    References
    ----------
    K. Bennett and A. Demiriz (1998), *Semi-supervised support vector machines*.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(200, 2)) + 3.0 * np.repeat([[1, -1], [-1, 1]], 100, axis=0)
    >>> y = np.full(200, -1)
    >>> y[[0, 100]] = 0, 1
    >>> model = SelfLabellingSVM().fit(X, y)
    >>> bool(np.mean(model.predict(X) == np.repeat([0, 1], 100)) > 0.95)
    True
    """

    def __init__(
        self,
        C: float = 10.0,
        *,
        shares: tuple[float, ...] = (0.001, 0.003, 0.01, 0.03, 0.1),
        n_turns: int = 2,
        max_iter: int = 15,
    ) -> None:
        self.C = C
        self.shares = shares
        self.n_turns = n_turns
        self.max_iter = max_iter

    def fit(self, X: Any, y: ArrayLike) -> Self:
        """Learn from rows (n, d), dense or sparse, and labels (n,), -1 where there is none."""
        labels = np.asarray(y)
        known = np.flatnonzero(labels != UNLABELLED)
        self.classes_, positions = np.unique(labels[known], return_inverse=True)
        if len(self.classes_) < 2:
            raise ValueError(f"{len(self.classes_)} class(es) among the labels; two are needed.")
        guess = np.zeros(len(labels), dtype=np.intp)
        guess[known] = positions
        self.coef_ = np.zeros((X.shape[1], len(self.classes_)))
        self._learn(X[known], positions, np.full(len(known), self.C))
        self.path_: list[tuple[float, float]] = []
        free = np.setdiff1d(np.arange(len(labels)), known)
        for share in self.shares if len(free) else ():
            weight = np.full(len(labels), self.C * share)
            weight[known] = self.C
            for turn in range(self.n_turns):
                better = self.decision_function(X[free]).argmax(axis=1)
                if turn and np.array_equal(better, guess[free]):
                    break
                guess[free] = better
                self.path_.append((share, self._learn(X, guess, weight)))
        return self

    def decision_function(self, X: Any) -> Floats:
        """Scores (n, n_classes)."""
        return np.asarray(X @ self.coef_)

    def predict(self, X: Any) -> NDArray[Any]:
        """Class with the highest score of each row."""
        return self.classes_[self.decision_function(X).argmax(axis=1)]

    def _learn(self, X: Any, positions: NDArray[np.intp], weight: Floats) -> float:
        """Go on from the coefficients with these labels; the objective reached."""
        shape = self.coef_.shape
        sign = -np.ones((len(positions), shape[1]))
        sign[np.arange(len(positions)), positions] = 1.0

        def objective(flat: Floats) -> tuple[float, Floats]:
            coef = flat.reshape(shape)
            lack = np.maximum(0.0, 1.0 - sign * np.asarray(X @ coef))
            slope = -2.0 * weight[:, None] * sign * lack
            gradient = coef + np.asarray(X.T @ slope)
            return float(0.5 * flat @ flat + weight @ (lack**2).sum(axis=1)), gradient.ravel()

        options = {"maxiter": self.max_iter, "maxcor": 5}
        start = self.coef_.ravel()
        found = minimize(objective, start, jac=True, method="L-BFGS-B", options=options)
        self.coef_ = found.x.reshape(shape)
        return float(found.fun)
