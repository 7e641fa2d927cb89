"""A picture of the version space: what labels leave of all linear classifiers."""

from __future__ import annotations

import difflib
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from uneven.plots.drawing import (
    BLUE,
    GRID,
    INK,
    MUTED,
    SERIES,
    SUPPORT,
    fresh_axes,
    headline,
    name_points,
    shorten,
)
from uneven.plots.version_space_maps import map_of, polygon_share

MARKERS = "osD^vP"
CENTRES = ("gravity", "chebyshev", "analytic")
LEFT, REMOVED = SUPPORT(0.22), "#eef1f4"


class VersionSpaceDisplay:
    """A version space of two or three dimensions, with its cuts and its centres.

    In two dimensions the space is a sector of the unit disc, and every label is a line through the
    middle. In three it is a polygon on the unit sphere, seen from its middle on a map of true
    areas: a line that halves the area in the picture halves the volume.

    Parameters
    ----------
    cuts : array-like of shape (n_cuts, n_dims)
        Rows of any length but zero, in two or three dimensions; the space is what has no negative
        product with any. May have no rows if it has columns.
    centres : dict of str to array-like of shape (n_dims,), optional
        Points to mark, by their names.
    candidates : dict of str to array-like of shape (n_dims,), optional
        Rows that might be labelled. Their hyperplanes are dashed, with the percentages of the
        volume on both sides; one that misses the space is faint, and named if it is in sight.
    queries : array-like of shape (n_queries, n_dims), optional
        Points that were queried one after the other, numbered.
    trajectory : array-like of shape (n_points, n_dims), optional
        Points that a light line joins, such as the bounces of a billiard.
    samples : array-like of shape (n_samples, n_dims), optional
        Points to draw as light dots.
    inscribed : sequence of str, default=()
        Centres around which to draw the largest circle that fits into the space.

    Attributes
    ----------
    ax_ : matplotlib Axes
        The picture.
    figure_ : matplotlib Figure
        The figure that holds it.
    share : float
        Share of the ball that the cuts leave.
    splits : dict of str to float
        Share of the space on the positive side of each candidate.
    text_ : list of matplotlib Text
        The names of the centres and candidates.

    Examples
    --------
    >>> import numpy as np
    >>> from uneven.plots import VersionSpaceDisplay
    >>> display = VersionSpaceDisplay(
    ...     np.eye(3), {"gravity": [1.0, 1.0, 1.0]}, candidates={"x": [1.0, -1.0, 0.0]}
    ... ).plot()
    >>> round(display.share, 3), {name: round(part, 3) for name, part in display.splits.items()}
    (0.125, {'x': 0.5})
    """

    def __init__(
        self,
        cuts: ArrayLike,
        centres: Mapping[str, ArrayLike] | None = None,
        *,
        candidates: Mapping[str, ArrayLike] | None = None,
        queries: ArrayLike | None = None,
        trajectory: ArrayLike | None = None,
        samples: ArrayLike | None = None,
        inscribed: Sequence[str] = (),
    ) -> None:
        self.cuts = _check_cuts(cuts)
        self.centres = self._points(centres, "centres")
        self.candidates = self._points(candidates, "candidates")
        self.queries = self._path(queries, "queries")
        self.trajectory = self._path(trajectory, "trajectory")
        self.samples = self._path(samples, "samples")
        self.inscribed = tuple(inscribed)
        unknown = [name for name in self.inscribed if name not in self.centres]
        if unknown:
            raise ValueError(f"inscribed names {unknown}, but the centres are {[*self.centres]}.")
        self.map = map_of(self.cuts)
        if self.map.empty:
            raise ValueError(
                f"the {len(self.cuts)} cuts leave nothing that could be drawn: the labels "
                "contradict each other."
            )
        self.share = polygon_share(self.cuts)
        self.splits = {name: self._split(normal) for name, normal in self.candidates.items()}

    @classmethod
    def from_space(
        cls,
        space: Any,
        centres: Mapping[str, ArrayLike] | Sequence[str] = ("gravity", "chebyshev"),
        *,
        ax: Any = None,
        title: str | None = None,
        **kwargs: Any,
    ) -> VersionSpaceDisplay:
        """Draw a version space.

        Parameters
        ----------
        space : uneven.versionspace.VersionSpace
            Or anything with ``cuts`` and, for centres by name, ``centre(name)``.
        centres : dict of str to array-like of shape (n_dims,), or sequence of str
            Points by their names, or the names of centres that the space finds itself.
        ax : matplotlib Axes or None
            Where to draw; None makes a figure of a fitting size.
        title : str or None
            Passed to `plot`.
        **kwargs
            Passed to the constructor.
        """
        cuts = _check_cuts(space.cuts)
        if not isinstance(centres, Mapping):
            centres = {name: _find(space, name) for name in _list(centres)}
        return cls(cuts, centres, **kwargs).plot(ax=ax, title=title)

    def plot(self, ax: Any = None, *, title: str | None = None) -> VersionSpaceDisplay:
        """Draw the display.

        Parameters
        ----------
        ax : matplotlib Axes or None
            Where to draw; None makes a figure of a fitting size.
        title : str or None
            Replaces the line about the number of labels.
        """
        if ax is None:
            (ax,) = fresh_axes(*self._figure_size())
        self.ax_, self.figure_ = ax, ax.figure
        ax.set_axis_off()
        ax.set_aspect("equal")
        ax.set(xlim=self.map.limits[0], ylim=self.map.limits[1])
        self._draw_ground(ax)
        self._draw_points(ax)
        for name in self.inscribed:
            ring = self.map.ball(self.centres[name])
            ax.plot(*ring.T, color=self._colour(name), linewidth=1.0, linestyle=":")
        headline(ax, title or self._counted(), self._told())
        if self.figure_.get_layout_engine() is not None:
            self.figure_.draw_without_rendering()
        ax.apply_aspect()
        self.text_ = self._draw_named(ax)
        return self

    def _figure_size(self) -> tuple[float, float]:
        (left, right), (low, high) = self.map.limits
        shape = (high - low) / (right - left)
        width = 6.4 if shape < 0.8 else 5.0
        return width, float(np.clip(width * shape, 1.6, 6.0)) + 0.8

    def _draw_ground(self, ax: Any) -> None:
        """The removed part, the space, the lines of the cuts."""
        ax.fill(*self.map.rim.T, facecolor=REMOVED, edgecolor=GRID, linewidth=1.0, zorder=0)
        region = self.map.region()
        ax.fill(*region.T, facecolor=LEFT, linewidth=0, zorder=1)
        for cut in self.cuts:
            ax.plot(*self.map.line(cut).T, color=MUTED, linewidth=0.8, alpha=0.55, zorder=2)
        ax.plot(*region.T, color=BLUE, linewidth=1.8, solid_joinstyle="round", zorder=3)
        if self.map.scale_bar and len(self.cuts):
            _scale_bar(ax)

    def _draw_points(self, ax: Any) -> None:
        """Samples, trajectory and queries."""
        if self.samples is not None:
            ax.plot(*self.map.place(self.samples).T, ".", color=BLUE, alpha=0.35, markersize=2.5)
        if self.trajectory is not None:
            ax.plot(*self.map.path(self.trajectory).T, color=BLUE, alpha=0.35, linewidth=0.6)
        if self.queries is None:
            return
        ax.plot(*self.map.path(self.queries).T, color=INK, linewidth=0.9, alpha=0.6, zorder=4)
        for i, (x, y) in enumerate(self.map.place(self.queries)):
            ax.plot(x, y, "o", color="white", markeredgecolor=INK, markersize=11, zorder=5)
            ax.text(x, y, str(i + 1), ha="center", va="center_baseline", fontsize=7, zorder=6)

    def _draw_named(self, ax: Any) -> list[Any]:
        """Candidates and centres, with their names."""
        spots, names, colours = [], [], []
        avoid = [_dense(self.map.region()), self._bar()]
        for name, point in reversed(self.centres.items()):
            (spot,) = self.map.place(point[None, :])
            colour, marker = self._colour(name), MARKERS[self._place(name) % len(MARKERS)]
            style = {"markeredgecolor": "white", "markeredgewidth": 1.0, "zorder": 5}
            ax.plot(*spot, marker, color=colour, markersize=7.5, **style)
            spots.append(spot)
            names.append(shorten(name, 28))
            colours.append(colour)
        for name, normal in self.candidates.items():
            line = self.map.line(normal)
            ax.plot(*line.T, "--", color=INK, linewidth=0.8, alpha=0.4, zorder=2)
            inside = self.map.crossing(normal)
            if inside is not None:
                ax.plot(*inside.T, color=INK, linewidth=1.4, linestyle="--", zorder=4)
                avoid.append(_dense(inside))
            ends = self._in_sight(line) if inside is None else inside[self.map.free_ends]
            if not len(ends):
                continue
            part = 100 * self.splits[name]
            spots.append(ends[_loneliest(ends, spots)])
            names.append(f"{shorten(name, 28)}  {100 - part:.0f} : {part:.0f}")
            colours.append(MUTED if inside is None else INK)
        if not spots:
            return []
        return name_points(ax, np.array(spots), names, colours, np.vstack(avoid))

    def _bar(self) -> np.ndarray:
        """Spots that the scale bar and its number take, shape (n, 2)."""
        if not self.map.scale_bar or not len(self.cuts):
            return np.empty((0, 2))
        low, high = np.transpose(self.map.limits)
        grid = np.stack(np.meshgrid(np.linspace(0.0, 0.32, 17), np.linspace(0.0, 0.07, 5)), axis=-1)
        return low + grid.reshape(-1, 2) * (high - low)

    def _in_sight(self, line: np.ndarray) -> np.ndarray:
        """First, last and middle point of a line within the limits, shape (0, 2) or (3, 2)."""
        low, high = np.transpose(self.map.limits)
        points = line[((line > low) & (line < high)).all(axis=1)]
        return points[[0, -1, len(points) // 2]] if len(points) else points

    def _counted(self) -> str:
        n = len(self.cuts)
        return (
            f"What {n} labels leave" if n > 1 else ("What one label leaves", "No labels yet")[n < 1]
        )

    def _told(self) -> str:
        share = f"{100 * self.share:.3g} % of all directions"
        return f"{share}; areas are volumes" if self.cuts.shape[1] == 3 else share

    def _colour(self, name: str) -> str:
        return SERIES[self._place(name) % len(SERIES)]

    def _place(self, name: str) -> int:
        return [*self.centres].index(name)

    def _split(self, normal: np.ndarray) -> float:
        above = polygon_share(np.vstack([self.cuts, normal]))
        return min(above / self.share, 1.0)

    def _points(self, points: Mapping[str, ArrayLike] | None, what: str) -> dict[str, np.ndarray]:
        found = {}
        for name, point in (points or {}).items():
            row = _table([point], f"{what}[{name!r}]", self.cuts.shape[1])
            unit = _units(row, f"{what}[{name!r}]")
            found[str(name)] = (row if what == "centres" else unit)[0]
        return found

    def _path(self, points: ArrayLike | None, what: str) -> np.ndarray | None:
        if points is None:
            return None
        table = _table(points, what, self.cuts.shape[1])
        _units(table, what)
        return table if len(table) else None


def _list(names: Sequence[str]) -> Sequence[str]:
    return [names] if isinstance(names, str) else names


def _find(space: Any, name: str) -> Any:
    """A centre that the space finds itself."""
    try:
        return space.centre(name)
    except ValueError as error:
        if name in CENTRES:
            raise
        near = difflib.get_close_matches(str(name), CENTRES, n=1)
        hint = f"Did you mean {near[0]!r}? " if near else ""
        known = ", ".join(map(repr, CENTRES))
        raise ValueError(
            f"{name!r} is no centre that the space can find. {hint}There are {known}; or a way to "
            f"find the centre of gravity: {error}"
        ) from error


def _check_cuts(cuts: ArrayLike) -> np.ndarray:
    """Unit rows of two or three dimensions."""
    table = _units(_table(cuts, "cuts"), "cuts")
    if table.shape[1] not in (2, 3):
        raise ValueError(
            f"cuts have {table.shape[1]} dimensions; only version spaces of 2 or 3 can be drawn."
        )
    return table


def _table(points: Any, what: str, n_dims: int | None = None) -> np.ndarray:
    """Finite numbers in rows of the right length."""
    table = np.asarray(points, dtype=float)
    if table.ndim != 2 or (n_dims is not None and table.shape[1] != n_dims):
        wanted = "(n_cuts, n_dims)" if n_dims is None else f"(n, {n_dims})"
        raise ValueError(f"{what} has shape {table.shape}; expected {wanted}.")
    if not np.isfinite(table).all():
        raise ValueError(f"{what} holds NaN or infinity.")
    return table


def _units(table: np.ndarray, what: str) -> np.ndarray:
    """Rows scaled to unit length."""
    lengths = np.linalg.norm(table, axis=1, keepdims=True)
    if (lengths == 0.0).any():
        raise ValueError(f"row {int(lengths.argmin())} of {what} is zero: it has no direction.")
    return table / lengths


def _dense(line: np.ndarray) -> np.ndarray:
    """About fifty points along each straight piece of a line with few pieces."""
    pieces = max(1, 200 // len(line))
    shares = np.linspace(0.0, 1.0, pieces, endpoint=False)[:, None, None]
    return (line[:-1] + shares * (line[1:] - line[:-1])).reshape(-1, 2)


def _loneliest(points: np.ndarray, others: list[np.ndarray]) -> int:
    """Which of some points is farthest from the nearest of others."""
    if not others:
        return 0
    distances = np.linalg.norm(points[:, None, :] - np.array(others), axis=2)
    return int(distances.min(axis=1).argmax())


def _scale_bar(ax: Any) -> None:
    """A scale bar: the length of some degrees in the middle of the map."""
    (left, right), (low, high) = ax.get_xlim(), ax.get_ylim()
    fitting = [d for d in (0.01, 0.1, 1, 2, 5, 10, 20, 45) if np.deg2rad(d) < 0.3 * (right - left)]
    degrees = fitting[-1] if fitting else 0.001
    x, y = left + 0.02 * (right - left), low + 0.03 * (high - low)
    ax.plot([x, x + np.deg2rad(degrees)], [y, y], color=MUTED, linewidth=2.0, zorder=4)
    ax.annotate(
        f"{degrees}°",
        (x, y),
        xytext=(0, 4),
        textcoords="offset points",
        color=MUTED,
        fontsize=8,
        zorder=4,
    )
