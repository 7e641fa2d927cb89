r"""Combiners for a whole grid of strengths: how many classifiers are left, and at what price.

With a small strength every classifier has a say; with a large one none is left. Solutions of
neighbouring strengths are close to each other, so a path starts at the largest strength, where
little is kept, and every solution is the start of the next one.

References
----------
M. U. Şen (2011), *Max-margin stacking with group sparse regularization for classifier
combination*, MSc thesis, Sabanci University, chapter 4.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from uneven.stacking.combiner import LinearCombiner
from uneven.stacking.solve import STRENGTHS, bind, minimise, solve
from uneven.utils.parameters import check_integer

__all__ = ["SelectionPath", "check_strengths", "solve_path", "strength_for"]


@dataclass(frozen=True)
class SelectionPath:
    """Combiners and the classifiers that they keep, for every strength of a grid.

    Attributes
    ----------
    strengths : ndarray of shape (n_strengths,)
        In increasing order.
    combiners : list of LinearCombiner of length n_strengths
        Solved on all rows.
    names : list of str of length n_members
    error_mean, error_std : ndarray of shape (n_strengths,), or None
        Cross-validated share of wrong answers, and its standard deviation over the folds.
    chosen : int or None
        Position of the strength that was chosen.
    """

    strengths: np.ndarray
    combiners: list[LinearCombiner]
    names: list[str]
    error_mean: np.ndarray | None = None
    error_std: np.ndarray | None = None
    chosen: int | None = None

    @property
    def coef(self) -> list[np.ndarray]:
        """Weights, one array of shape (n_members, d) per strength."""
        return [combiner.coef for combiner in self.combiners]

    @property
    def selected(self) -> np.ndarray:
        """Which classifiers are kept, bool of shape (n_strengths, n_members)."""
        return np.array([combiner.selected for combiner in self.combiners])

    @property
    def n_selected(self) -> np.ndarray:
        """How many classifiers are kept, shape (n_strengths,)."""
        return np.asarray(self.selected.sum(axis=1))

    @property
    def objective(self) -> np.ndarray:
        """Value of each solution, shape (n_strengths,)."""
        return np.array([combiner.objective for combiner in self.combiners])


def check_strengths(strengths: Any) -> np.ndarray:
    """Strengths in increasing order, each once.

    Parameters
    ----------
    strengths : array-like of float, or None
        None is the grid of the source, from 1e-11 to 10.

    Returns
    -------
    ndarray of shape (n_strengths,)

    Examples
    --------
    >>> check_strengths([0.1, 0.01, 0.1]).tolist()
    [0.01, 0.1]
    """
    given = STRENGTHS if strengths is None else strengths
    try:
        grid = np.unique(np.array(given, dtype=np.float64))
    except (TypeError, ValueError):
        grid = np.empty(0)
    if not grid.size or np.ndim(given) != 1 or not np.isfinite(grid).all() or grid[0] <= 0.0:
        raise ValueError(
            f"strengths must be a list of finite numbers above 0, such as [0.001, 0.01, 0.1]; "
            f"got {given!r}."
        )
    return grid


def solve_path(
    P: np.ndarray,
    y: np.ndarray,
    strengths: Sequence[float] | np.ndarray,
    *,
    share: np.ndarray | None = None,
    **triple: Any,
) -> list[LinearCombiner]:
    """Solve for every strength, from the largest down, each from the solution before.

    Parameters
    ----------
    P : ndarray of shape (n_samples, n_members, n_classes)
        Level-1 scores.
    y : ndarray of int, shape (n_samples,)
        Positions of the classes.
    strengths : sequence of float
        In any order.
    share : ndarray of shape (n_samples,), optional
        Weight of each row; they sum to 1.
    **triple
        ``combination``, ``loss``, ``penalty`` and the other words of
        :func:`~uneven.stacking.solve.solve`.

    Returns
    -------
    list of LinearCombiner
        In the order of ``strengths``.

    Examples
    --------
    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> y = rng.integers(3, size=60)
    >>> P = rng.dirichlet(np.ones(3), (60, 5))
    >>> P[:, :2] += np.eye(3)[y][:, None]
    >>> [int(c.selected.sum()) for c in solve_path(P, y, [0.05, 10.0])]
    [2, 0]
    """
    grid = np.asarray(strengths, dtype=np.float64)
    found: dict[int, LinearCombiner] = {}
    start: LinearCombiner | None = None
    search = {word: triple.pop(word) for word in ("tol", "max_iter", "solver") if word in triple}
    problem = bind(P, y, share=share, **triple)
    for k in np.argsort(-grid, kind="stable").tolist():
        start = minimise(problem, float(grid[k]), start=start, **search)
        found[k] = start
    return [found[k] for k in range(len(grid))]


def strength_for(
    P: np.ndarray,
    y: np.ndarray,
    n_members: int,
    *,
    share: np.ndarray | None = None,
    bounds: tuple[float, float] = (1e-8, 10.0),
    n_steps: int = 30,
    **triple: Any,
) -> tuple[float, LinearCombiner]:
    """Find a combiner that keeps a wanted number of classifiers.

    The number cannot be set beforehand, and does not fall steadily with the strength; bisection
    on the logarithm of the strength finds the smallest strength it meets that keeps no more.

    Parameters
    ----------
    P : ndarray of shape (n_samples, n_members, n_classes)
    y : ndarray of int, shape (n_samples,)
    n_members : int
        How many to keep at most.
    share : ndarray of shape (n_samples,), optional
    bounds : (float, float), default=(1e-8, 10.0)
        Smallest and largest strength to look at.
    n_steps : int, default=30
        Most bisections. They end as soon as the number is met.
    **triple
        As in :func:`solve_path`; the penalty must be sparse.

    Returns
    -------
    strength : float
    combiner : LinearCombiner
        Where several classifiers enter together it keeps fewer than ``n_members``. It was solved
        without a warm start, so that a fit with this strength keeps the same classifiers.

    Examples
    --------
    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> y = rng.integers(3, size=60)
    >>> help_of = np.array([0.1, 0.2, 0.3, 0.4, 0.5])
    >>> P = rng.dirichlet(np.ones(3), (60, 5)) + help_of[:, None] * np.eye(3)[y][:, None]
    >>> strength, combiner = strength_for(P, y, 2)
    >>> int(combiner.selected.sum())
    2
    """
    check_integer("n_members", n_members, 0, P.shape[1])
    low, high = (float(bound) for bound in bounds)
    if not 0.0 < low < high < np.inf:
        raise ValueError(f"bounds must be two increasing numbers above 0, got {bounds!r}.")
    best = solve(P, y, strength=high, share=share, **triple)
    kept = int(best.selected.sum())
    if kept > n_members:
        raise ValueError(
            f"{kept} classifiers are kept even with the strength {high:g}, more than {n_members}: "
            'raise the bounds, or use penalty="group" or "l1".'
        )
    for _ in range(n_steps):
        if int(best.selected.sum()) == n_members:
            break
        middle = float(np.sqrt(low * high))
        tried = solve(P, y, strength=middle, share=share, **triple)
        if int(tried.selected.sum()) <= n_members:
            best, high = tried, middle
        else:
            low = middle
    return high, best
