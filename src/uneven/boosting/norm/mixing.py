"""Whether linear voters get half of the vote: only where that helps on rows not seen."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from uneven.boosting.norm.class_factors import fit_class_factors
from uneven.boosting.norm.out_of_bag import OutOfBag
from uneven.metrics.confusion import matrix_norm

__all__ = ["Aim", "Mixture", "fit_mixture"]

_SHARE = 0.5
_MIXING_PRICE = 0.02


@dataclass(frozen=True)
class Aim:
    """What is to be small: the norm of the priced error rates, and the share of wrong answers.

    Attributes
    ----------
    prices : ndarray of shape (n_classes, n_classes)
    accuracy_weight : float
    class_factors : bool
        Whether one factor per class may be fitted.
    """

    prices: np.ndarray
    accuracy_weight: float
    class_factors: bool

    def factors(self, bag: OutOfBag, start: np.ndarray | None = None, turns: int = 5) -> np.ndarray:
        """Factors of the classes with a small value; see :func:`fit_class_factors`."""
        if not self.class_factors or len(self.prices) < 2:
            return np.ones(len(self.prices))
        return fit_class_factors(
            *bag.judged_votes(),
            prices=self.prices,
            accuracy_weight=self.accuracy_weight,
            start=start,
            turns=turns,
        )

    def value(self, bag: OutOfBag, factors: np.ndarray) -> float:
        """What the answers on unseen rows are worth; smaller is better."""
        norm = matrix_norm(bag.errors(factors) * self.prices)
        return norm + self.accuracy_weight * bag.wrong(factors)


@dataclass(frozen=True)
class Mixture:
    """Share of the linear voters, factors of the classes, and the votes that were judged."""

    share: float
    factors: np.ndarray
    bag: OutOfBag


def fit_mixture(trees: OutOfBag, linear: OutOfBag, aim: Aim) -> Mixture:
    """Give linear voters half of the vote or nothing, and fit the factors of the classes.

    Both votes are compared on the rows that voters of both kinds have judged; that of trees and
    linear voters has to be better by 0.02, with the factors of the trees after one more turn. It
    is out of the question if a class on which trees have been judged has no such row.

    Parameters
    ----------
    trees, linear : OutOfBag
    aim : Aim

    Returns
    -------
    Mixture

    Examples
    --------
    >>> import numpy as np
    >>> y, mass, everywhere = np.array([0, 0, 1, 1]), np.ones(4), np.ones(4, dtype=bool)
    >>> trees, linear = OutOfBag(y, 2, mass), OutOfBag(y, 2, mass)
    >>> trees.hear(np.array([[3.0, 1.0], [1.0, 3.0], [3.0, 1.0], [1.0, 3.0]]), everywhere)
    >>> linear.hear(np.eye(2)[y], everywhere)
    >>> fit_mixture(trees, linear, Aim(np.ones((2, 2)), 1.0, True)).share
    0.5
    """
    alone = Mixture(0.0, aim.factors(trees), trees)
    mixed = trees.blend(linear, _SHARE)
    both = mixed.judged_per_class()
    if not both.any() or trees.judged_per_class()[both == 0].any():
        return alone
    factors = aim.factors(mixed, alone.factors, turns=1)
    gain = aim.value(trees.blend(linear, 0.0), alone.factors) - aim.value(mixed, factors)
    if gain < _MIXING_PRICE:
        return alone
    return Mixture(_SHARE, aim.factors(mixed, factors), mixed)
