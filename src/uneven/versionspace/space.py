"""The version space: all classifiers through the origin that agree with the labels so far."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from uneven.linear.expansions import kernel_parameters
from uneven.linear.rows import normal_form
from uneven.utils.validation import check_array
from uneven.versionspace.bayes_vote import sample_vote
from uneven.versionspace.cone import (
    EmptyVersionSpaceError,
    check_cuts,
    redundant_cuts,
    support,
)
from uneven.versionspace.gravity import find_centre
from uneven.versionspace.samplers import hamiltonian
from uneven.versionspace.span import Span, span_of
from uneven.versionspace.volume import log_volume

_TOLERANCE = 1e-9
"""Widths below this count as none."""


@dataclass(frozen=True)
class VersionSpace:
    """Points of the unit ball that have a product of at least zero with every cut.

    An example is a half-space of classifiers, those that classify it correctly; a classifier is a
    point. What all examples leave is a cone; lengths do not matter, so the unit ball cuts it off.

    Parameters
    ----------
    cuts : ndarray of shape (n_cuts, n_dims)
        Unit rows: examples in normal form, in the frame of ``span``.
    span : Span, optional
        How rows become coordinates; the columns themselves if not given.

    References
    ----------
    Louche (2016), section 5.1.

    Examples
    --------
    >>> space = VersionSpace.from_labels([[1.0, 0.2], [0.3, -1.0]], [1, -1])
    >>> space.contains([0.5, 0.5]), space.contains([0.5, -0.5])
    (True, False)
    >>> space.implied_labels([[1.0, 1.0], [1.0, -0.5]]).tolist()
    [1, 0]
    """

    cuts: np.ndarray
    span: Span | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "cuts", check_cuts(self.cuts))

    @classmethod
    def from_labels(
        cls,
        X: Any,
        t: Any,
        *,
        kernel: str | Callable[..., float] = "linear",
        gamma: float | str | None = "scale",
        degree: int = 3,
        coef0: float = 1.0,
        ridge: float = 0.0,
    ) -> Self:
        """The classifiers that agree with labelled rows.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
        t : array-like of shape (n_samples,)
            Labels -1 and +1.
        kernel, gamma, degree, coef0
            As in scikit-learn's ``SVC``, whose ``coef0`` is 0.0 by default.
        ridge : float, default=0.0
            Gives each row a dimension of its own of this squared length, so that labels that
            contradict each other leave something.

        Returns
        -------
        VersionSpace
        """
        X = check_array(X, accept_sparse="csr", dtype=np.float64)
        params = kernel_parameters(X, kernel, gamma, degree, coef0)
        span, where = span_of(X, kernel, params, ridge=ridge)
        cutting = where.any(axis=1)
        return cls(normal_form(where, t)[cutting], span)

    @property
    def n_cuts(self) -> int:
        """Half-spaces, redundant ones included."""
        return len(self.cuts)

    @property
    def n_dims(self) -> int:
        """Dimensions of the span."""
        return self.cuts.shape[1]

    def place(self, X: Any) -> tuple[np.ndarray, np.ndarray]:
        """Coordinates of rows scaled to unit length, and how far they stick out of the span.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)

        Returns
        -------
        coordinates : ndarray of shape (n_samples, n_dims)
        rest : ndarray of shape (n_samples,)
        """
        X = check_array(X, accept_sparse="csr", dtype=np.float64, ensure_min_samples=0)
        return (self.span or Span.of_columns(self.n_dims)).coordinates(X)

    def with_cut(self, x: Any, t: int) -> VersionSpace:
        """What is left once one more row has a label.

        Parameters
        ----------
        x : array-like of shape (n_features,), or sparse row
            Must lie in the span; build the space anew from all rows if it does not.
        t : {-1, +1}

        Returns
        -------
        VersionSpace
        """
        where, rest = self.place(x if hasattr(x, "tocsr") else np.atleast_2d(x))
        if rest[0] > 0.0:
            raise ValueError(
                f"the row sticks out of the span of the {self.n_cuts} cuts by {rest[0]:.3g}; build "
                "the space from all rows with VersionSpace.from_labels."
            )
        cut = normal_form(where, [t])[0]
        if support(self.cuts, cut) <= _TOLERANCE:
            raise EmptyVersionSpaceError(
                f"the other rows imply the label {-t} for this one, but its label is {t}: no "
                "classifier through the origin agrees with all of them. Check the label, add a "
                "constant column or use ridge."
            )
        return VersionSpace(np.vstack([self.cuts, cut]), self.span)

    def slacks(self, w: Any) -> np.ndarray:
        """Distances of points from the cuts, negative outside.

        Parameters
        ----------
        w : array-like of shape (n_dims,) or (n_points, n_dims)

        Returns
        -------
        ndarray of shape (n_cuts,) or (n_points, n_cuts)
        """
        return np.asarray(w, dtype=np.float64) @ self.cuts.T

    def contains(self, w: Any, tol: float = 0.0) -> bool:
        """Whether a point lies strictly inside all half-spaces.

        Parameters
        ----------
        w : array-like of shape (n_dims,)
            Its length does not matter, but zero is the tip of the cone and not inside.
        tol : float, default=0.0
            Required distance from the cuts, for a point of unit length.

        Returns
        -------
        bool
        """
        w = np.asarray(w, dtype=np.float64)
        length = float(np.linalg.norm(w))
        return length > 0.0 and bool((self.slacks(w) > tol * length).all())

    def widths(self, X: Any) -> tuple[np.ndarray, np.ndarray]:
        """How far the space reaches to both sides of the hyperplanes of rows.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)

        Returns
        -------
        above, below : ndarray of shape (n_samples,)
            Largest distance of a point on the positive and on the negative side; zero if there is
            none. A row that sticks out of the span has points on both sides.
        """
        where, rest = self.place(X)
        sides = [[support(self.cuts, sign * x) for x in where] for sign in (1.0, -1.0)]
        above, below = np.hypot(np.array(sides).reshape(2, -1), rest)
        return above, below

    def implied_labels(self, X: Any) -> np.ndarray:
        """Labels that follow from those that made the space.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)

        Returns
        -------
        ndarray of int, shape (n_samples,)
            1 or -1 where all classifiers of the space agree, 0 where they disagree, so that a label
            is informative.
        """
        above, below = self.widths(X)
        return (above > _TOLERANCE).astype(int) - (below > _TOLERANCE).astype(int)

    def is_informative(self, X: Any) -> np.ndarray:
        """Whether the hyperplane of each row cuts through the space.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)

        Returns
        -------
        ndarray of bool, shape (n_samples,)
            Rows of zeros are not informative.
        """
        above, below = self.widths(X)
        return (above > _TOLERANCE) & (below > _TOLERANCE)

    def without_redundant(self) -> VersionSpace:
        """The same space by the cuts that matter.

        Returns
        -------
        VersionSpace
        """
        return VersionSpace(self.cuts[~redundant_cuts(self.cuts)], self.span)

    def centre(self, name: str = "gravity", *, random_state: Any = None) -> np.ndarray:
        """A point in the middle.

        Parameters
        ----------
        name : {"gravity", "chebyshev", "analytic"} or a method, default="gravity"
            The centre of gravity, exactly in up to three dimensions and else by flights, or by any
            method of `uneven.versionspace.centre_of_gravity`; that of the largest ball inside; or
            the one that is far from all cuts at once.
        random_state : int, Generator or None, default=None
            Seeds the points that are drawn.

        Returns
        -------
        ndarray of shape (n_dims,)
        """
        method = "auto" if name == "gravity" else name
        return find_centre(self.cuts, method, rng=random_state)[0]

    def sample(self, n: int, *, random_state: Any = None) -> np.ndarray:
        """Points drawn from the space, nearly independent of each other.

        Parameters
        ----------
        n : int
        random_state : int, Generator or None, default=None

        Returns
        -------
        ndarray of shape (n, n_dims)
        """
        return hamiltonian(self.cuts, n_samples=n, rng=random_state).samples

    def log_volume(self, method: str = "auto", *, random_state: Any = None) -> float:
        """Logarithm of the share of the unit ball that is left.

        Parameters
        ----------
        method : str, default="auto"
            See `uneven.versionspace.log_volume`.
        random_state : int, Generator or None, default=None

        Returns
        -------
        float
        """
        return log_volume(self.cuts, method, rng=random_state)

    def split(self, X: Any, *, n_samples: int = 2000, random_state: Any = None) -> np.ndarray:
        """Share of the space on the positive side of the hyperplane of each row.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
        n_samples : int, default=2000
            Points to draw.
        random_state : int, Generator or None, default=None

        Returns
        -------
        ndarray of shape (n_samples,)
        """
        where, rest = self.place(X)
        return sample_vote(where, rest, self.sample(n_samples, random_state=random_state))

    def scores(self, w: Any, X: Any) -> np.ndarray:
        """Signed distances of points from the hyperplanes of rows.

        Parameters
        ----------
        w : array-like of shape (n_dims,) or (n_points, n_dims)
        X : array-like or sparse matrix of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples,) or (n_samples, n_points)
        """
        return self.place(X)[0] @ np.asarray(w, dtype=np.float64).T
