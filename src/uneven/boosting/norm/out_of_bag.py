"""Votes on rows that the voters did not see: error rates, class factors, and a mixture of voters.

They give an unbiased estimate of the confusion while learning. When it is over, one factor per
class on the votes is chosen to lower the norm of the confusion matrix, and linear voters get half
of the vote where that helps.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from uneven.boosting.norm.label_noise import LabelNoise
from uneven.decisions.class_factors import fit_class_factors
from uneven.decisions.measures import (
    ConfusionMeasure,
    confusion_norm_bound,
    confusion_norm_loss,
    error_loss,
)
from uneven.decisions.rows import effective_mass, share_of_classes
from uneven.metrics.confusion import matrix_norm

_PSEUDO_ROWS = 2.0
_SPREAD_PRICE = 0.03
_LEAST_SHARE = 1e-12
_SHARE = 0.5
_MIXING_PRICE = 0.02


def bootstrap_by_class(y: np.ndarray, rng: np.random.RandomState) -> np.ndarray:
    """Draw as many rows of every class as it has, with replacement.

    Parameters
    ----------
    y : ndarray of int, shape (n_samples,)
    rng : RandomState

    Returns
    -------
    ndarray of int, shape (n_samples,)
        How often each row was drawn. About 37 % of the rows of a large class are not drawn; of a
        class with two rows, one is left out every other time; a single row is always drawn.

    Examples
    --------
    >>> import numpy as np
    >>> drawn = bootstrap_by_class(np.array([0, 0, 0, 0, 1]), np.random.RandomState(0))
    >>> int(drawn[:4].sum()), int(drawn[4])
    (4, 1)
    """
    drawn = np.zeros(len(y), dtype=np.int64)
    order = np.argsort(y, kind="stable")
    for rows in np.split(order, np.flatnonzero(np.diff(y[order])) + 1):
        drawn += np.bincount(rng.choice(rows, len(rows)), minlength=len(y))
    return drawn


class OutOfBag:
    """Votes on training rows by those who did not learn from them.

    Parameters
    ----------
    y : ndarray of int, shape (n_samples,)
    n_classes : int
    mass : ndarray of shape (n_samples,)
        Number of examples that each row represents.
    noise : LabelNoise, optional
        None if all labels are right. Otherwise an evaluated row counts as a row of every class,
        each with its probability of being the true one.

    Attributes
    ----------
    votes : ndarray of shape (n_samples, n_classes)
        Sum of the vote shares given by the ensembles so far.

    Examples
    --------
    >>> import numpy as np
    >>> bag = OutOfBag(np.array([0, 1, 1]), 2, np.ones(3))
    >>> bag.add_votes(np.array([[2.0, 0.0], [2.0, 0.0], [0.0, 2.0]]), np.array([True, True, False]))
    >>> bag.judged
    array([ True,  True, False])
    >>> bag.errors()
    array([[0., 0.],
           [1., 0.]])
    """

    def __init__(
        self, y: np.ndarray, n_classes: int, mass: np.ndarray, noise: LabelNoise | None = None
    ) -> None:
        self._y, self.mass, self._n_classes, self._noise = y, mass, n_classes, noise
        self.votes = np.zeros((len(y), n_classes))

    def add_votes(self, scores: np.ndarray, unseen: np.ndarray) -> None:
        """Add the votes of an ensemble on the rows it has not seen.

        Parameters
        ----------
        scores : ndarray of shape (n_samples, n_classes)
        unseen : ndarray of bool, shape (n_samples,)
        """
        self.votes[unseen] += scores[unseen] / max(scores.sum(axis=1).max(), np.finfo(float).tiny)

    def has_rows_of(self, other: OutOfBag) -> bool:
        """Whether labels, weights and what is known of wrong labels are those of another."""
        same = np.array_equal(self._y, other._y) and np.array_equal(self.mass, other.mass)
        if self._noise is None or other._noise is None:
            return same and self._noise is other._noise
        return same and self._noise.equals(other._noise)

    def true_classes(self) -> np.ndarray | None:
        """Probability of every true class, (n_samples, n_classes); None if labels are right."""
        return None if self._noise is None else self._noise.posteriors(self.votes, self.mass)

    @property
    def judged(self) -> np.ndarray:
        """Which rows have out-of-bag votes, shape (n_samples,)."""
        return np.asarray(self.votes.any(axis=1))

    def judged_per_class(self) -> np.ndarray:
        """How many rows of each class have out-of-bag votes, shape (n_classes,)."""
        return np.bincount(self._y[self.judged], minlength=self._n_classes)

    def blend(self, other: OutOfBag, share: float) -> OutOfBag:
        """Mean votes of both, on the rows with out-of-bag votes of both.

        Parameters
        ----------
        other : OutOfBag
            Of the same rows.
        share : float
            What the votes of ``other`` count for, between 0 and 1.
        """
        mixed = OutOfBag(self._y, self._n_classes, self.mass, self._noise)
        rows = self.judged & other.judged
        for bag, part in ((self, 1.0 - share), (other, share)):
            votes = bag.votes[rows]
            mixed.votes[rows] += part * votes / votes.sum(axis=1, keepdims=True)
        return mixed

    def judged_votes(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Votes, labels and weights of rows with votes; with label noise a row per class."""
        rows, shares = np.flatnonzero(self.judged), self.true_classes()
        if shares is None:
            return self.votes[rows], self._y[rows], self.mass[rows]
        origin, y = np.nonzero(shares[rows])
        origin = rows[origin]
        return self.votes[origin], y, self.mass[origin] * shares[origin, y]

    def wrong(self, factors: np.ndarray) -> float:
        """Weighted error rate on the rows with out-of-bag votes."""
        votes, y, mass = self.judged_votes()
        mistaken = (votes * factors).argmax(axis=1) != y
        return float(mass[mistaken].sum() / max(mass.sum(), np.finfo(float).tiny))

    def errors(self, factors: np.ndarray | None = None, prior: float = 0.0) -> np.ndarray:
        """Estimated error rates of the vote, shape (n_classes, n_classes).

        Parameters
        ----------
        factors : ndarray of shape (n_classes,), optional
            Factor on the votes for each class.
        prior : float
            Examples per class to add whose predictions are spread over all classes: rates of
            classes with few such rows are shrunk towards chance.

        Returns
        -------
        ndarray
            Row = true class, column = prediction, zero diagonal; zeros in the row of a class that
            has no such row and no prior.
        """
        votes, y, mass = self.judged_votes()
        answers = (votes if factors is None else votes * factors).argmax(axis=1)
        pairs = np.bincount(y * self._n_classes + answers, mass, self._n_classes**2)
        counts = pairs.reshape(self._n_classes, self._n_classes) + prior / self._n_classes
        sizes = counts.sum(axis=1, keepdims=True)
        rates = counts / np.where(sizes > 0.0, sizes, 1.0)
        np.fill_diagonal(rates, 0.0)
        return rates


def fit_vote_factors(
    votes: np.ndarray,
    y: np.ndarray,
    mass: np.ndarray,
    *,
    prices: np.ndarray | None = None,
    accuracy_weight: float = 0.0,
) -> np.ndarray:
    """Search factors whose products with the votes give predictions with a small confusion norm.

    Every class weighs the same for the voters, so their votes count as p / prior, and the search of
    :func:`uneven.decisions.class_factors.fit_class_factors` begins at factors of 1. What is
    minimised is the norm of the error rates, plus ``accuracy_weight`` times the share of wrong
    predictions, plus 0.03 times the standard deviation of the logarithms of the factors; the rates
    of a class are those of its rows and of two pseudo-rows labelled by the votes.

    Parameters
    ----------
    votes : ndarray of shape (n_samples, n_classes)
        Votes by voters that have not seen these rows; every row has some.
    y : ndarray of int, shape (n_samples,)
    mass : ndarray of shape (n_samples,)
    prices : ndarray of shape (n_classes, n_classes), optional
        Factor on each entry of the error matrix.
    accuracy_weight : float, default=0.0
        How much the norm may rise for one unit of accuracy.

    Returns
    -------
    ndarray of shape (n_classes,)
        Geometric mean 1. A class without rows, without out-of-bag votes, gets the largest factor
        of the others.

    Examples
    --------
    >>> import numpy as np
    >>> votes = np.array([[0.6, 0.4], [0.9, 0.1], [0.8, 0.2], [0.5, 0.5], [0.7, 0.3]] * 9)
    >>> y = np.array([0, 0, 0, 1, 1] * 9)
    >>> factors = fit_vote_factors(votes, y, np.ones(45))
    >>> (votes[:5] * factors).argmax(axis=1)
    array([1, 0, 0, 1, 1])
    """
    n_classes = votes.shape[1]
    if not len(y):
        return np.ones(n_classes)

    def loss(confusion: np.ndarray) -> np.ndarray:
        return confusion_norm_loss(confusion, prices) + accuracy_weight * error_loss(confusion)

    def bound(confusion: np.ndarray) -> np.ndarray:
        return confusion_norm_bound(confusion, prices) + accuracy_weight * error_loss(confusion)

    effective = effective_mass(mass, len(y))
    prior = np.maximum(share_of_classes(y, effective, n_classes), _LEAST_SHARE)
    believed = votes / votes.sum(axis=1, keepdims=True) * prior
    factors = fit_class_factors(
        believed / believed.sum(axis=1, keepdims=True),
        y,
        prior,
        measure=ConfusionMeasure("norm and errors", loss, bound=bound),
        sample_weight=mass,
        pseudo_rows=_PSEUDO_ROWS,
        spread_price=_SPREAD_PRICE,
    )
    known = np.bincount(y, minlength=n_classes) > 0
    factors[~known] = factors[known].max()
    return np.asarray(factors / np.exp(np.log(factors).mean()))


@dataclass(frozen=True)
class Aim:
    """The objective: the norm of the error rates times costs, and the error rate.

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

    def factors(self, bag: OutOfBag) -> np.ndarray:
        """Factors of the classes with a small value; see :func:`fit_vote_factors`."""
        if not self.class_factors or len(self.prices) < 2:
            return np.ones(len(self.prices))
        return fit_vote_factors(
            *bag.judged_votes(), prices=self.prices, accuracy_weight=self.accuracy_weight
        )

    def value(self, bag: OutOfBag, factors: np.ndarray) -> float:
        """Objective of the predictions on unseen rows; smaller is better."""
        norm = matrix_norm(bag.errors(factors) * self.prices)
        return norm + self.accuracy_weight * bag.wrong(factors)


@dataclass(frozen=True)
class Mixture:
    """Share of the linear voters, factors of the classes, and the votes that were evaluated."""

    share: float
    factors: np.ndarray
    bag: OutOfBag


def fit_mixture(trees: OutOfBag, linear: OutOfBag, aim: Aim) -> Mixture:
    """Give linear voters half of the vote or nothing, and fit the factors of the classes.

    Both votes are compared on the rows with out-of-bag votes of both; that of trees and
    linear voters has to be better by 0.02. It is not considered if a class for which trees
    have such votes has no row with both.

    Examples
    --------
    >>> import numpy as np
    >>> y, mass, everywhere = np.array([0, 0, 1, 1]), np.ones(4), np.ones(4, dtype=bool)
    >>> trees, linear = OutOfBag(y, 2, mass), OutOfBag(y, 2, mass)
    >>> trees.add_votes(np.array([[3.0, 1.0], [1.0, 3.0], [3.0, 1.0], [1.0, 3.0]]), everywhere)
    >>> linear.add_votes(np.eye(2)[y], everywhere)
    >>> fit_mixture(trees, linear, Aim(np.ones((2, 2)), 1.0, True)).share
    0.5
    """
    alone = Mixture(0.0, aim.factors(trees), trees)
    mixed = trees.blend(linear, _SHARE)
    both = mixed.judged_per_class()
    if not both.any() or trees.judged_per_class()[both == 0].any():
        return alone
    together = Mixture(_SHARE, aim.factors(mixed), mixed)
    gain = aim.value(trees.blend(linear, 0.0), alone.factors) - aim.value(mixed, together.factors)
    return together if gain >= _MIXING_PRICE else alone
