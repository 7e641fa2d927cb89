"""Cutting planes: ask a point of what is left, cut it off if it is wrong, ask again."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from uneven.linear.rows import row_norms
from uneven.utils.parameters import check_integer

__all__ = ["CuttingPlaneRun", "cutting_planes"]


@dataclass(frozen=True)
class CuttingPlaneRun:
    """What a cutting-plane run leaves.

    Attributes
    ----------
    w : object
        The last point asked: right about every row if the run converged.
    cuts : ndarray of int, shape (n_cuts,)
        The rows that were cut along, in order.
    history : list of object
        The points asked, the last one included.
    converged : bool
        Whether the oracle had nothing to object to the last point.
    """

    w: Any
    cuts: np.ndarray
    history: list[Any]
    converged: bool

    def depths(self, Z: Any) -> np.ndarray:
        """How far behind each cut the point was that it cut off; zero for a neutral cut.

        Parameters
        ----------
        Z : ndarray or CSR of shape (n_samples, n_features)
            Rows in normal form that the cuts point to.

        Returns
        -------
        ndarray of shape (n_cuts,)
            For points of unit length; zero for the first point, which is the origin.
        """
        found = np.zeros(len(self.cuts))
        lengths = row_norms(Z[self.cuts])
        for k, (cut, point) in enumerate(zip(self.cuts, self.history)):
            size = np.linalg.norm(point) * lengths[k]
            found[k] = -float(np.ravel(Z[[cut]] @ point)[0]) / size if size > 0.0 else 0.0
        return found


def cutting_planes(
    oracle: Callable[[Any], int | None],
    query: Callable[[np.ndarray], Any],
    *,
    max_cuts: int = 10_000,
) -> CuttingPlaneRun:
    """Find a point that an oracle has nothing to object to.

    Parameters
    ----------
    oracle : callable
        From a point to the row that it is wrong about, or to None.
    query : callable
        From the rows cut along so far (ints in order, none at first) to the next point to ask: the
        centre of what they leave, or whatever a learner makes of them.
    max_cuts : int, default=10_000
        Stop after so many cuts.

    Returns
    -------
    CuttingPlaneRun

    Notes
    -----
    If the query is the centre of gravity, each cut leaves at most ``1 - 1/e`` of the volume, and
    the run ends after ``ln(V0 / V) / -ln(1 - 1/e)`` cuts, where V0 is the volume at the start and V
    that of the points the oracle accepts. The source prints the order as the logarithm of V alone,
    which is negative. A query that comes back to a row it was cut along before has forgotten it:
    the run ends without having converged.

    References
    ----------
    Kelley (1960), The cutting-plane method for solving convex programs.
    Louche (2016), From confusion noise to active learning: playing on label availability in
    linear classification problems, algorithm 5.

    Examples
    --------
    >>> from uneven.linear import run_perceptron
    >>> from uneven.versionspace import largest_error
    >>> Z = np.array([[2.0, 1.0], [-1.0, 1.0], [0.5, 3.0]])
    >>> run = cutting_planes(
    ...     oracle=lambda w: largest_error(Z @ w), query=lambda rows: run_perceptron(Z[rows]).w
    ... )
    >>> run.w.tolist(), run.cuts.tolist(), run.depths(Z).round(3).tolist()
    ([1.0, 2.0], [0, 1], [0.0, 0.316])
    """
    check_integer("max_cuts", max_cuts, 1)
    cuts: list[int] = []
    history: list[Any] = []
    while True:
        history.append(query(np.array(cuts, dtype=np.intp)))
        row = oracle(history[-1])
        if row is None or row in cuts or len(cuts) == max_cuts:
            break
        cuts.append(int(row))
    return CuttingPlaneRun(history[-1], np.array(cuts, dtype=np.intp), history, row is None)
