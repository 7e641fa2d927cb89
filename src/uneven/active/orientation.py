"""Cuts off the centre by their distance and their direction: theorem 5.2 as a query rule."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from uneven.active.registry import rule
from uneven.active.rules import Problems
from uneven.active.state import QueryState
from uneven.bounds import approximate_centre_lambda
from uneven.versionspace.cone import support
from uneven.versionspace.samplers import hamiltonian


@rule("orientation_aware", "by the shape of the version space; much slower")
def orientation_aware(
    state: QueryState, *, candidates: int | None = 50, n_samples: int = 1000, keep: int = 10
) -> np.ndarray:
    """The hyperplane with the best guarantee on what is left, for its distance and its direction.

    A hyperplane at some distance from the centre of gravity still takes a known share of the
    volume, the more the farther the version space reaches on the small side. Among the nearest
    rows this prefers those along which the space is wide.

    Parameters
    ----------
    state : QueryState
    candidates : int or None, default=50
        Only so many rows, those nearest to the centre of gravity, are looked at.
    n_samples : int, default=1000
        Points of the version space to estimate its density on the hyperplane.
    keep : int, default=10
        So many rows, the best, are measured exactly.

    Returns
    -------
    ndarray of shape (n_candidates,)
        Minus the logarithm of the distance as a multiple of the largest distance with a guarantee;
        -inf for rows that were not looked at.

    Notes
    -----
    How far the space reaches on either side of a hyperplane costs two projections. But the points
    show how far it reaches at least, and each single cut how far at most. A row whose guarantee is
    by these bounds no better than that of the best ``keep`` rows is discarded, wherever it is; its
    utility is its bound. ``state.n_discarded`` counts them, and the learner's ``n_discarded_``.

    In more than about four dimensions the guarantee itself is empty for all but the nearest rows;
    as an order of preference it still ranks rows. With more than two classes see
    `maxmin_margin`. The points are drawn once for each of the one-against-rest problems; the two
    projections of each row on the version space cost most where there are many labels.

    References
    ----------
    Louche (2016), theorem 5.2 (corrected, see `uneven.bounds`) and section 7.3.
    """
    problems = Problems(state, "gravity")
    clouds: dict[int, _Cloud] = {}
    cuts: list[tuple[int, _ThinCut]] = []
    for i, k, where, rest in problems.nearest(candidates):
        if k not in clouds:
            clouds[k] = _Cloud(problems.spaces[k].cuts, n_samples, state.rng)
        cuts.append((i, clouds[k].cut(where, rest)))
    best: list[float] = []
    for i, cut in sorted(cuts, key=lambda one: one[1].at_least):
        if len(best) >= keep and cut.at_least >= best[keep - 1]:
            problems.utilities[i] = -cut.at_least
            state.n_discarded += 1
        else:
            problems.utilities[i] = -(exact := cut.log_lambda())
            best = sorted([*best, exact])
    return problems.utilities


class _Cloud:
    """Points of a version space, with one more dimension for rows that stick out of its span."""

    def __init__(self, cuts: np.ndarray, n_samples: int, rng: np.random.Generator) -> None:
        self.cuts = cuts
        points = hamiltonian(cuts, n_samples=n_samples, rng=rng).samples
        self.directions = points / np.linalg.norm(points, axis=1, keepdims=True)
        self.radii = np.sqrt(rng.chisquare(cuts.shape[1], n_samples))
        self.beside = rng.normal(size=n_samples)
        self.shares = rng.random(n_samples)

    def products(self, where: np.ndarray, rest: float) -> np.ndarray:
        """Products of uniform points with a unit row; lengths of normal points are independent."""
        along = self.directions @ where
        if rest == 0.0:
            return along * self.shares ** (1.0 / len(where))
        normal = self.radii * along + self.beside * rest
        return normal / np.hypot(self.radii, self.beside) * self.shares ** (1.0 / (len(where) + 1))

    def cut(self, where: np.ndarray, rest: float) -> _ThinCut:
        """The cut of a row, with bounds from the points and the single cuts."""
        products = self.products(where, rest)
        side = -1.0 if products.mean() >= 0.0 else 1.0
        reach = float(np.max(-side * (self.directions @ where), initial=0.0))
        against = np.minimum(side * (self.cuts @ where), 0.0).min(initial=0.0)
        most = float(np.sqrt(max(where @ where - against**2, 0.0)))
        return _ThinCut(
            self.cuts,
            side * where,
            rest,
            abs(float(products.mean())),
            _density_at_zero(products),
            (max(reach, np.finfo(float).tiny), most),
        )


@dataclass(frozen=True)
class _ThinCut:
    """The hyperplane of a row in the coordinates of theorem 5.2.

    cuts: (n_cuts, n_dims), of the space; where: (n_dims,), the row, turned away from the centre;
    rest: how far it sticks out of the span; reaches: the least on the side of the centre, and the
    most on the other.
    """

    cuts: np.ndarray
    where: np.ndarray
    rest: float
    distance: float
    density: float
    reaches: tuple[float, float]

    def log_lambda(self) -> float:
        """How far off the cut is, by two projections."""
        return self._log_lambda(support(self.cuts, self.where), support(self.cuts, -self.where))

    @property
    def at_least(self) -> float:
        """How far off it is at least, without a projection."""
        return self._log_lambda(self.reaches[1], self.reaches[0])

    def _log_lambda(self, above: float, below: float) -> float:
        return approximate_centre_lambda(
            self.distance,
            self.density,
            float(np.hypot(above, self.rest)),
            float(np.hypot(below, self.rest)),
            len(self.where) + int(self.rest > 0.0),
            log=True,
        )


def _density_at_zero(values: np.ndarray) -> float:
    """By a normal kernel whose width follows the spread and number of the values."""
    width = 1.06 * values.std() * len(values) ** -0.2
    if width == 0.0:
        return 0.0
    return float(np.exp(-0.5 * (values / width) ** 2).mean() / (width * np.sqrt(2.0 * np.pi)))
