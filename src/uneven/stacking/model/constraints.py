"""Which weights are allowed: any, none below zero, or shares that add up to one.

``@named(CONSTRAINTS, name)`` makes a class known everywhere by its name.
"""

from __future__ import annotations

from abc import ABC, abstractmethod

import numpy as np

from uneven.stacking.model import named
from uneven.utils.registry import Registry


class Constraint(ABC):
    """A convex set of ``coef`` of shape (n_members, width)."""

    name: str

    @abstractmethod
    def nearest(self, coef: np.ndarray) -> np.ndarray:
        """The allowed weights that are nearest to these."""

    @abstractmethod
    def inward(self, pull: np.ndarray) -> np.ndarray:
        """What of a gradient can move allowed weights away from zero, or keep them there."""


CONSTRAINTS: Registry[type[Constraint]] = Registry("constraint")
"""The constraints by their names."""


@named(CONSTRAINTS, "none")
class Free(Constraint):
    """Any weights.

    Examples
    --------
    >>> import numpy as np
    >>> Free().nearest(np.array([[-1.0]]))
    array([[-1.]])
    """

    def nearest(self, coef: np.ndarray) -> np.ndarray:
        """The weights themselves."""
        return coef

    def inward(self, pull: np.ndarray) -> np.ndarray:
        """All of it."""
        return pull


@named(CONSTRAINTS, "nonneg")
class NonNegative(Constraint):
    """No weight below zero: a classifier may be ignored, but is never taken at its opposite.

    Examples
    --------
    >>> import numpy as np
    >>> NonNegative().nearest(np.array([[-1.0, 2.0]]))
    array([[0., 2.]])
    """

    def nearest(self, coef: np.ndarray) -> np.ndarray:
        """Negative weights become zero."""
        return np.maximum(coef, 0.0)

    def inward(self, pull: np.ndarray) -> np.ndarray:
        """Slopes that fall towards larger weights."""
        return np.minimum(pull, 0.0)


@named(CONSTRAINTS, "simplex")
class Simplex(NonNegative):
    """Weights that are not negative, and add up to 1 over the classifiers.

    With a weight per classifier and class, those of every class do.

    Examples
    --------
    >>> import numpy as np
    >>> Simplex().nearest(np.array([[1.0], [0.5], [-3.0]]))
    array([[0.75],
           [0.25],
           [0.  ]])
    """

    def nearest(self, coef: np.ndarray) -> np.ndarray:
        """Lower all weights of a column by as much as it takes, not beyond zero."""
        falling = -np.sort(-coef, axis=0)
        excess = (np.cumsum(falling, axis=0) - 1.0) / np.arange(1, len(coef) + 1)[:, None]
        last = (falling > excess).sum(axis=0) - 1
        return np.maximum(coef - excess[last, np.arange(coef.shape[1])], 0.0)
