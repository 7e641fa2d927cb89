"""The Bayes classification strategy of a version space, Bayes lines and the Bayes point."""

from __future__ import annotations

from numbers import Real
from typing import Any, NamedTuple

import numpy as np

from uneven.utils.parameters import check_integer
from uneven.versionspace.bayes_vote import sample_vote
from uneven.versionspace.chebyshev import chebyshev_centre
from uneven.versionspace.entrance import check_generator
from uneven.versionspace.hamiltonian import hamiltonian
from uneven.versionspace.space import VersionSpace

__all__ = ["BayesPoint", "bayes_point", "bayes_strategy", "is_bayes_line"]


class BayesPoint(NamedTuple):
    """The linear classifier that agrees best with a version space.

    Attributes
    ----------
    point : ndarray of shape (n_dims,)
        Of unit length.
    disagreement : float
        Share of the version space that answers differently, on average over the rows.
    least : float
        The same for the Bayes classification strategy: no classifier has less.
    """

    point: np.ndarray
    disagreement: float
    least: float


def bayes_strategy(
    space: VersionSpace, X: Any, *, n_samples: int = 2000, rng: Any = None
) -> np.ndarray:
    """Answer what most of a version space answers.

    Parameters
    ----------
    space : VersionSpace
    X : array-like or sparse matrix of shape (n_rows, n_features)
    n_samples : int, default=2000
        Points to draw from the space.
    rng : Generator or int, optional

    Returns
    -------
    ndarray of int, shape (n_rows,)
        -1 or 1; 1 if both sides are equal.

    References
    ----------
    Louche (2016), From confusion noise to active learning: playing on label availability in
    linear classification problems, definition 6.1.

    Examples
    --------
    >>> space = VersionSpace(np.array([[1.0, 0.0], [0.6, 0.8]]))
    >>> bayes_strategy(space, [[1.0, 1.0], [-1.0, 0.2]], rng=0).tolist()
    [1, -1]
    """
    where, rest, points = _look(space, X, n_samples, rng)
    return np.where(sample_vote(where, rest, points) >= 0.5, 1, -1)


def is_bayes_line(
    space: VersionSpace, X: Any, *, tol: float = 0.05, n_samples: int = 2000, rng: Any = None
) -> np.ndarray:
    """Whether the hyperplane of each row cuts a version space into halves.

    Parameters
    ----------
    space : VersionSpace
    X : array-like or sparse matrix of shape (n_rows, n_features)
    tol : float, default=0.05
        How far from one half a share may be. Shares of drawn points err by about ``0.5 /
        sqrt(n_samples)``.
    n_samples : int, default=2000
    rng : Generator or int, optional

    Returns
    -------
    ndarray of bool, shape (n_rows,)

    Examples
    --------
    >>> is_bayes_line(VersionSpace(np.eye(2)), [[1.0, -1.0], [1.0, -0.2]], rng=0).tolist()
    [True, False]
    """
    if not isinstance(tol, Real) or not 0.0 <= float(tol) <= 0.5:
        raise ValueError(f"tol must be a number in [0, 0.5], got {tol!r}.")
    where, rest, points = _look(space, X, n_samples, rng)
    return np.abs(sample_vote(where, rest, points) - 0.5) <= tol


def bayes_point(
    space: VersionSpace, X: Any, *, n_samples: int = 2000, rng: Any = None
) -> BayesPoint:
    """Find the point of a version space that disagrees least with it, on some rows.

    Parameters
    ----------
    space : VersionSpace
    X : array-like or sparse matrix of shape (n_rows, n_features)
        Rows as they will come: the Bayes point depends on them.
    n_samples : int, default=2000
        Points to draw from the space. They vote, and they are candidates, together with their
        mean and with the Chebyshev centre.
    rng : Generator or int, optional

    Returns
    -------
    BayesPoint

    Notes
    -----
    Rows that stick out of the span are judged by their projections. If the directions of the rows
    are all alike, the centre of gravity is usually the best of the candidates, or next to it.

    References
    ----------
    Herbrich, Graepel and Campbell (2001), Bayes point machines. Louche (2016), From confusion noise
    to active learning: playing on label availability in linear classification problems,
    definition 6.2; its loss is that of the classifier, not of its sign.

    Examples
    --------
    >>> rows = np.random.default_rng(0).normal(size=(500, 3))
    >>> found = bayes_point(VersionSpace(np.eye(3)), rows, rng=0)
    >>> bool((found.point > 0.4).all()), bool(found.least <= found.disagreement < 0.2)
    (True, True)
    """
    where, rest, points = _look(space, X, n_samples, rng)
    votes = sample_vote(where, rest, points)
    candidates = np.vstack([points.mean(axis=0), chebyshev_centre(space.cuts).point, points])
    answers = where @ candidates.T >= 0.0
    losses = np.where(answers, 1.0 - votes[:, None], votes[:, None]).mean(axis=0)
    best = candidates[losses.argmin()]
    least = np.minimum(votes, 1.0 - votes).mean()
    return BayesPoint(best / np.linalg.norm(best), float(losses.min()), float(least))


def _look(
    space: VersionSpace, X: Any, n_samples: int, rng: Any
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Places of the rows, and points of the space."""
    check_integer("n_samples", n_samples, 1)
    where, rest = space.place(X)
    return (
        where,
        rest,
        hamiltonian(space.cuts, n_samples=n_samples, rng=check_generator(rng)).samples,
    )
