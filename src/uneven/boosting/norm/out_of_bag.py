"""An honest view of the confusion while learning: votes on rows that the voters did not see."""

from __future__ import annotations

import numpy as np

__all__ = ["OutOfBag", "bootstrap_by_class"]


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
        How many examples each row stands for.

    Attributes
    ----------
    votes : ndarray of shape (n_samples, n_classes)
        Sum of the vote shares given by the ensembles heard.

    Examples
    --------
    >>> import numpy as np
    >>> bag = OutOfBag(np.array([0, 1, 1]), 2, np.ones(3))
    >>> bag.hear(np.array([[2.0, 0.0], [2.0, 0.0], [0.0, 2.0]]), np.array([True, True, False]))
    >>> bag.judged
    array([ True,  True, False])
    >>> bag.errors()
    array([[0., 0.],
           [1., 0.]])
    """

    def __init__(self, y: np.ndarray, n_classes: int, mass: np.ndarray) -> None:
        self._y, self._mass, self._n_classes = y, mass, n_classes
        self.votes = np.zeros((len(y), n_classes))

    def hear(self, scores: np.ndarray, unseen: np.ndarray) -> None:
        """Add the votes of an ensemble on the rows it has not seen.

        Parameters
        ----------
        scores : ndarray of shape (n_samples, n_classes)
        unseen : ndarray of bool, shape (n_samples,)
        """
        self.votes[unseen] += scores[unseen] / max(scores.sum(axis=1).max(), np.finfo(float).tiny)

    @property
    def judged(self) -> np.ndarray:
        """Which rows have been voted on by somebody who had not seen them, shape (n_samples,)."""
        return np.asarray(self.votes.any(axis=1))

    def judged_per_class(self) -> np.ndarray:
        """How many rows of each class have been judged, shape (n_classes,)."""
        return np.bincount(self._y[self.judged], minlength=self._n_classes)

    def blend(self, other: OutOfBag, share: float) -> OutOfBag:
        """Mean votes of both, on the rows that both have judged.

        Parameters
        ----------
        other : OutOfBag
            Of the same rows.
        share : float
            What the votes of ``other`` count for, between 0 and 1.

        Returns
        -------
        OutOfBag
        """
        mixed = OutOfBag(self._y, self._n_classes, self._mass)
        rows = self.judged & other.judged
        for bag, part in ((self, 1.0 - share), (other, share)):
            votes = bag.votes[rows]
            mixed.votes[rows] += part * votes / votes.sum(axis=1, keepdims=True)
        return mixed

    def judged_votes(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Votes, labels and mass of the judged rows."""
        rows = self.judged
        return self.votes[rows], self._y[rows], self._mass[rows]

    def wrong(self, factors: np.ndarray) -> float:
        """Share of the mass of judged rows that is answered wrongly."""
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
            Examples per class to add whose answers are spread over all classes: rates of classes
            of which few rows have been judged are drawn towards chance.

        Returns
        -------
        ndarray
            Row = true class, column = answer, zero diagonal; zeros in the row of a class that has
            no judged row and no prior.
        """
        votes, y, mass = self.judged_votes()
        answers = (votes if factors is None else votes * factors).argmax(axis=1)
        pairs = np.bincount(y * self._n_classes + answers, mass, self._n_classes**2)
        counts = pairs.reshape(self._n_classes, self._n_classes) + prior / self._n_classes
        sizes = counts.sum(axis=1, keepdims=True)
        rates = counts / np.where(sizes > 0.0, sizes, 1.0)
        np.fill_diagonal(rates, 0.0)
        return rates
