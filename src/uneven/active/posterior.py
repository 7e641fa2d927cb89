"""The posterior of propagation for rows: products with the classifiers that agree with the labels.

Each class against the rest has a normal distribution in the place of its version space. A row's
product with it is normal, too, and two rows' products covary; what sticks out of the span of the
labelled rows is as it was drawn.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.special import ndtr

from uneven.active.state import QueryState
from uneven.linear.rows import add_constant
from uneven.versionspace.bayes_vote import share_out
from uneven.versionspace.propagation import JITTER


@dataclass(frozen=True)
class Products:
    """Normal products of some rows with the vectors of the one-against-rest problems.

    Attributes
    ----------
    which : ndarray of int, shape (n_rows,)
        Rows of the pool.
    where : ndarray of shape (n_rows, n_dims)
        Unit rows in the span of the labelled ones.
    means, variances : ndarray of shape (n_rows, n_problems)
        One problem for two classes, else one for each class.
    noise : float
        The part of the variances that is the rows' own: a ridge.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from uneven import ActiveLearner
    >>> X, y = load_iris(return_X_y=True)
    >>> state = ActiveLearner().start(X).tell([0, 60, 120], y[[0, 60, 120]]).state()
    >>> found = Products.of(state, state.candidates)
    >>> found.means.shape, bool((found.variances < 1 + 1e-7).all())
    ((147, 3), True)
    >>> bool(np.allclose(shares(found.votes()), state.votes()))
    True
    """

    which: np.ndarray
    where: np.ndarray
    means: np.ndarray
    variances: np.ndarray
    noise: float

    @classmethod
    def of(cls, state: QueryState, which: np.ndarray) -> Products:
        """Products of rows of the pool."""
        centre = state.centre(multi_class="ovr")
        rows = state.rows(which)
        rows = add_constant(rows) if centre.fit_intercept else rows
        where, rest = centre.span_.coordinates(rows, state.pool.norms(centre)[which])
        noise = centre.ridge if centre.ridge > JITTER else 0.0
        own = rest**2 + noise
        spread = [((where @ one) * where).sum(axis=1) for one in centre.covariances_]
        variances = np.clip(np.array(spread).T + own[:, None], np.finfo(float).tiny, None)
        return cls(which, where, where @ centre.means_.T, variances, noise)

    def votes(self) -> np.ndarray:
        """Share of each problem's classifiers on the positive side, (n_rows, n_problems)."""
        return ndtr(self.means / np.sqrt(self.variances))

    def covariances(self, state: QueryState, others: Products) -> np.ndarray:
        """Covariances with other rows' products, shape (n_problems, n_rows, n_others)."""
        outside = state.cosines(self.which, others.which) - self.where @ others.where.T
        known = state.centre(multi_class="ovr").covariances_
        return np.stack([self.where @ one @ others.where.T + outside for one in known])


def shares(votes: np.ndarray) -> np.ndarray:
    """Votes of the problems as shares of the classes, (n_rows, n_classes).

    votes: (n_rows, n_problems), of one problem for two classes.

    Examples
    --------
    >>> shares(np.array([[0.25]])).tolist(), shares(np.array([[0.9, 0.3, 0.3]])).round(1).tolist()
    ([[0.75, 0.25]], [[0.6, 0.2, 0.2]])
    """
    if votes.shape[1] == 1:
        return np.hstack([1.0 - votes, votes])
    return share_out(votes, votes)
