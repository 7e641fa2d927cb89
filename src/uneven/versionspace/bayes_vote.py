"""The vote of the version space: how much of it gives a row each class.

The Bayes classification strategy predicts what most of the version space predicts. It is the best
that the labels so far allow, and not linear; the Bayes point is the linear classifier that comes
nearest to it, and a Bayes line halves the space. Rows are given by the coordinates of their unit
vectors in the span of the cuts and by how far they stick out of it. What sticks out is not touched
by any cut: there w is as it was drawn, normal, which is allowed because only directions matter.
"""

from __future__ import annotations

from numbers import Real
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from scipy.special import ndtr
from scipy.stats import chi2

from uneven.utils.parameters import check_integer
from uneven.versionspace.centres import chebyshev_centre
from uneven.versionspace.samplers import hamiltonian

if TYPE_CHECKING:
    from uneven.versionspace.space import VersionSpace


_ROWS_AT_A_TIME = 256


def normal_vote(
    where: np.ndarray, rest: np.ndarray, mean: np.ndarray, covariance: np.ndarray
) -> np.ndarray:
    """Share of a normal distribution on the positive side of each row.

    where: (n_rows, n_dims); rest: (n_rows,); mean: (n_dims,); covariance: (n_dims, n_dims). Returns
    (n_rows,), one half for rows without a direction.

    Examples
    --------
    >>> vote = normal_vote(np.eye(2), np.zeros(2), np.array([1.0, 0.0]), np.diag([0.25, 1.0]))
    >>> vote.round(4).tolist()
    [0.9772, 0.5]
    """
    variance = ((where @ covariance) * where).sum(axis=1) + rest**2
    spread = np.sqrt(np.clip(variance, np.finfo(float).tiny, None))
    return ndtr((where @ mean) / spread)


def sample_vote(where: np.ndarray, rest: np.ndarray, points: np.ndarray) -> np.ndarray:
    """Share of points of the version space on the positive side of each row.

    where: (n_rows, n_dims); rest: (n_rows,); points: (n_points, n_dims), only their directions
    matter. Returns (n_rows,), points on the hyperplane count half.

    Notes
    -----
    In the space of a kernel the hyperplane of a row is not that of its projection. The length of w
    within the span does not depend on its direction and is that of a normal vector, so the row's
    own part, normal as well, is weighed against that length.

    Examples
    --------
    >>> points = np.array([[1.0, 0.0], [0.6, 0.8]])
    >>> sample_vote(np.array([[1.0, 0.0], [0.0, -1.0]]), np.zeros(2), points).tolist()
    [1.0, 0.25]
    """
    products = where @ _as_normal(points).T
    own = rest > 0.0
    votes = np.empty(len(where))
    votes[~own] = 0.5 + 0.5 * np.sign(products[~own]).mean(axis=1)
    votes[own] = ndtr(products[own] / rest[own, None]).mean(axis=1)
    return votes


def joint_normal_vote(
    where: np.ndarray,
    rest: np.ndarray,
    mean: np.ndarray,
    covariance: np.ndarray,
    n_classes: int,
    n_draws: int,
) -> np.ndarray:
    """Share of a normal distribution over all class vectors that gives each class to each row.

    where: (n_rows, n_dims); rest: (n_rows,); mean: ((n_classes - 1) * n_dims,), in the frame of
    `class_frame`, class by class; covariance: ((n_classes - 1) * n_dims, (n_classes - 1) * n_dims);
    n_draws: draws of the scores, the same for all rows. Returns (n_rows, n_classes).
    """
    size = n_classes - 1
    draws = np.random.default_rng(0).standard_normal((n_draws, size))
    means = where @ mean.reshape(size, -1).T
    blocks = covariance.reshape(size, where.shape[1], size, where.shape[1])
    votes = np.empty((len(where), n_classes))
    for start in range(0, len(where), _ROWS_AT_A_TIME):
        mine = slice(start, start + _ROWS_AT_A_TIME)
        spread = np.einsum("nm,ambp,np->nab", where[mine], blocks, where[mine], optimize=True)
        spread += (rest[mine] ** 2 + 1e-12)[:, None, None] * np.eye(size)
        noise = draws @ np.linalg.cholesky(spread).transpose(0, 2, 1)
        votes[mine] = _winners(means[mine, None] + noise, n_classes)
    return votes


def joint_sample_vote(
    where: np.ndarray, rest: np.ndarray, points: np.ndarray, n_classes: int
) -> np.ndarray:
    """Share of points of a joint version space that gives each class to each row.

    where: (n_rows, n_dims); rest: (n_rows,); points: (n_points, (n_classes - 1) * n_dims). Returns
    (n_rows, n_classes).
    """
    size = n_classes - 1
    drawn = _as_normal(points).reshape(len(points) * size, -1)
    noise = np.random.default_rng(0).standard_normal((len(points), size))
    votes = np.empty((len(where), n_classes))
    for start in range(0, len(where), _ROWS_AT_A_TIME):
        mine = slice(start, start + _ROWS_AT_A_TIME)
        scores = (where[mine] @ drawn.T).reshape(-1, len(points), size)
        votes[mine] = _winners(scores + rest[mine, None, None] * noise, n_classes)
    return votes


def share_out(votes: np.ndarray, scores: np.ndarray) -> np.ndarray:
    """Turn votes of one class against the rest into shares that add up to 1.

    votes: (n_rows, n_classes); scores: (n_rows, n_classes), decide where all votes are zero: the
    highest gets the row, several share it. Returns (n_rows, n_classes).

    Examples
    --------
    >>> votes, scores = np.array([[0.9, 0.3], [0.0, 0.0]]), np.array([[1.0, -1.0], [-3.0, -2.0]])
    >>> share_out(votes, scores).tolist()
    [[0.75, 0.25], [0.0, 1.0]]
    """
    best = (scores == scores.max(axis=1, keepdims=True)).astype(np.float64)
    votes = np.where(votes.any(axis=1, keepdims=True), votes, best)
    return votes / votes.sum(axis=1, keepdims=True)


def class_frame(n_classes: int) -> np.ndarray:
    """An orthonormal frame of the differences between classes.

    n_classes: two or more. Returns (n_classes, n_classes - 1), row k stands for class k; the rows
    add up to zero and have distance ``sqrt(2)``.

    Examples
    --------
    >>> frame = class_frame(3)
    >>> (frame @ frame.T).round(4).tolist()
    [[0.6667, -0.3333, -0.3333], [-0.3333, 0.6667, -0.3333], [-0.3333, -0.3333, 0.6667]]
    """
    frame = np.zeros((n_classes, n_classes - 1))
    for j in range(n_classes - 1):
        frame[: j + 1, j] = 1.0
        frame[j + 1, j] = -(j + 1.0)
        frame[:, j] /= np.sqrt((j + 1.0) * (j + 2.0))
    return frame


def joint_cuts(places: np.ndarray, targets: np.ndarray, n_classes: int) -> np.ndarray:
    """Cuts of the vectors of all classes: the true class of each row scores highest.

    places: (n_rows, n_dims), unit rows; targets: int (n_rows,), their classes. Returns (n_rows *
    (n_classes - 1), (n_classes - 1) * n_dims), unit rows, one for each row and each wrong class, in
    the frame of `class_frame`.

    Examples
    --------
    >>> joint_cuts(np.eye(2), np.array([0, 1]), 2).round(6).tolist()
    [[1.0, 0.0], [-0.0, -1.0]]
    """
    frame = class_frame(n_classes) / np.sqrt(2.0)
    wrong = np.array([[r for r in range(n_classes) if r != k] for k in range(n_classes)])
    leads = frame[targets][:, None, :] - frame[wrong[targets]]
    cuts = leads[:, :, :, None] * places[:, None, None, :]
    return np.ascontiguousarray(cuts.reshape(-1, (n_classes - 1) * places.shape[1]))


def _winners(frame_scores: np.ndarray, n_classes: int) -> np.ndarray:
    """How often each class has the highest score: (n_rows, n_draws, K - 1) to (n_rows, K)."""
    winners = (frame_scores @ class_frame(n_classes).T).argmax(axis=2)
    counts = [(winners == k).mean(axis=1) for k in range(n_classes)]
    return np.column_stack(counts)


def _as_normal(points: np.ndarray) -> np.ndarray:
    """Points with their directions and with the lengths of normal vectors, in random order."""
    n_points, n_dims = points.shape
    levels = (np.random.default_rng(0).permutation(n_points) + 0.5) / n_points
    lengths = np.sqrt(chi2.ppf(levels, n_dims))
    return points * (lengths / np.linalg.norm(points, axis=1))[:, None]


class BayesPoint(NamedTuple):
    """The linear classifier that agrees best with a version space.

    Attributes
    ----------
    point : ndarray of shape (n_dims,)
        Of unit length.
    disagreement : float
        Share of the version space that predicts differently, on average over the rows.
    least : float
        The same for the Bayes classification strategy: no classifier has less.
    """

    point: np.ndarray
    disagreement: float
    least: float


def bayes_strategy(
    space: VersionSpace, X: Any, *, n_samples: int = 2000, rng: Any = None
) -> np.ndarray:
    """Majority vote of a version space: the Bayes classification strategy.

    Parameters
    ----------
    space : VersionSpace
    X : array-like or sparse matrix of shape (n_rows, n_features)
    n_samples : int, default=2000
        Number of points sampled from the space.
    rng : Generator or int, optional

    Returns
    -------
    ndarray of int, shape (n_rows,)
        -1 or 1; 1 if both sides are equal.

    References
    ----------
    Louche (2016), definition 6.1.

    Examples
    --------
    >>> from uneven.versionspace import VersionSpace
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
    >>> from uneven.versionspace import VersionSpace
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
        Number of points sampled from the space. They vote, and they are candidates, together
        with their mean and with the Chebyshev centre.
    rng : Generator or int, optional

    Returns
    -------
    BayesPoint

    Notes
    -----
    Rows that stick out of the span are classified by their projections. If the directions of the
    rows are all alike, the centre of gravity is usually the best of the candidates, or next to it.

    References
    ----------
    Herbrich, Graepel and Campbell (2001), Bayes point machines. Louche (2016), definition 6.2; its
    loss is that of the classifier, not of its sign.

    Examples
    --------
    >>> from uneven.versionspace import VersionSpace
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
        hamiltonian(space.cuts, n_samples=n_samples, rng=np.random.default_rng(rng)).samples,
    )
