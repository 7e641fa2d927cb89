"""A fitted linear combination of classifiers."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from uneven.stacking.combinations import COMBINATIONS

__all__ = ["LinearCombiner"]

_ZERO, _ROUNDING = 1e-6, 1e-10


@dataclass
class LinearCombiner:
    """Weights of many classifiers, and how well they solve their problem.

    Attributes
    ----------
    combination : {"ws", "cws", "lsg"}
    coef : ndarray of shape (n_members, width)
        One row per classifier: 1, n_classes or n_classes ** 2 weights.
    intercept : ndarray of shape (n_classes,) or (0,)
    objective : float
        Loss plus strength times penalty.
    gap : float
        Bound on how much lower the objective could be, at weights up to ten times as large as the
        largest found; infinite if the solver gives none.
    n_iter : int
    converged : bool
    solver : str
    multipliers : ndarray of shape (n_samples, n_classes) or None
        Gradient of the loss in the scores of the training rows, for warm starts on these rows.

    Examples
    --------
    >>> import numpy as np
    >>> combiner = LinearCombiner("ws", np.array([[2.0], [0.0]]), np.zeros(0))
    >>> combiner.selected
    array([ True, False])
    >>> combiner.predict(np.array([[[0.2, 0.8], [0.9, 0.1]]]))
    array([1])
    """

    combination: str
    coef: np.ndarray
    intercept: np.ndarray
    objective: float = float("nan")
    gap: float = float("inf")
    n_iter: int = 0
    converged: bool = True
    solver: str = ""
    multipliers: np.ndarray | None = None

    @property
    def selected(self) -> np.ndarray:
        """Classifiers with a weight that is not zero, bool of shape (n_members,)."""
        largest = np.abs(self.coef).max(axis=1, initial=0.0)
        return np.asarray(largest > max(_ZERO * largest.max(initial=0.0), _ROUNDING))

    def scores(self, scores: np.ndarray) -> np.ndarray:
        """Combined scores of new rows.

        Parameters
        ----------
        scores : ndarray of shape (n_samples, n_members, n_classes)

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
        """
        return COMBINATIONS[self.combination](scores).scores(self.coef, self.intercept)

    def predict(self, scores: np.ndarray) -> np.ndarray:
        """Class with the largest combined score; the first one of several.

        Parameters
        ----------
        scores : ndarray of shape (n_samples, n_members, n_classes)

        Returns
        -------
        ndarray of int, shape (n_samples,)
        """
        return np.asarray(self.scores(scores).argmax(axis=1))

    def restrict(self, members: np.ndarray) -> LinearCombiner:
        """The same weights of some classifiers, ready to be stored.

        Parameters
        ----------
        members : ndarray of int or bool
            Usually :attr:`selected`.
        """
        return replace(self, coef=self.coef[members], multipliers=None)
