"""Names beside points, where they cover neither points nor each other."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from matplotlib.patheffects import withStroke

__all__ = ["name_points"]

_SIDES = ((1, 0), (1, 1), (1, -1), (-1, 0), (-1, 1), (-1, -1), (0, 1), (0, -1))
_DISTANCES = (9.0, 22.0)


def name_points(
    ax: Any,
    points: np.ndarray,
    names: Sequence[str],
    colours: Sequence[str],
    avoid: np.ndarray,
    size: float = 9.5,
) -> list[Any]:
    """Write a name beside each point, each where it covers least.

    Parameters
    ----------
    ax : matplotlib Axes
        With its final limits.
    points : ndarray of shape (n, 2)
        In data coordinates.
    names, colours : sequence of str of length n
    avoid : ndarray of shape (n_spots, 2)
        Other spots that names should not cover, such as points of lines.
    size : float
        Of the font, in points.

    Returns
    -------
    list of matplotlib Text
    """
    to_points = 72 / ax.figure.dpi
    where = to_points * ax.transData.transform(points)
    window = ax.get_window_extent()
    sheet = to_points * np.array([window.x0, window.y0, window.x1, window.y1]) + [6, 6, -6, -6]
    spots = to_points * ax.transData.transform(avoid)
    taken = [np.array([x - 5, y - 5, x + 5, y + 5]) for x, y in where]
    texts: list[Any] = []
    written: list[np.ndarray] = []
    for point, spot, name, colour in zip(points, where, names, colours):
        width, height = 0.6 * size * len(name), 1.3 * size
        options = [
            (side, distance, _box(spot, side, distance, width, height))
            for distance in _DISTANCES
            for side in _SIDES
        ]
        prices = [
            sum(_overlap(box, other) for other in taken)
            + 2.0 * (width * height - _overlap(box, sheet))
            + 10.0 * _covered(box, spots)
            + 10.0 * sum(_covered(other, _leader(spot, side, box)) for other in written)
            + 0.5 * distance
            for side, distance, box in options
        ]
        side, distance, box = options[int(np.argmin(prices))]
        taken.append(box)
        written.append(box)
        spots = np.vstack([spots, _leader(spot, side, box)])
        texts.append(_write(ax, point, side, distance, name, colour, size))
    return texts


def _box(
    spot: np.ndarray, side: tuple[int, int], distance: float, width: float, height: float
) -> np.ndarray:
    x = spot[0] + side[0] * distance + (side[0] - 1) / 2 * width
    y = spot[1] + side[1] * distance - height / 2
    return np.array([x, y, x + width, y + height])


def _overlap(one: np.ndarray, other: np.ndarray) -> float:
    sides = np.minimum(one[2:], other[2:]) - np.maximum(one[:2], other[:2])
    return float(np.prod(np.maximum(sides, 0.0)))


def _leader(spot: np.ndarray, side: tuple[int, int], box: np.ndarray) -> np.ndarray:
    """Points along the line between a spot and its name."""
    return np.linspace(spot, box[:2] + _knot(side) * (box[2:] - box[:2]), 12)


def _knot(side: tuple[int, int]) -> np.ndarray:
    """Where the line to a name on that side of a spot meets its box, as shares of the box."""
    return np.array([0.5 * (1 - side[0]), 0.5 if side[0] else 0.5 * (1 - side[1])])


def _covered(box: np.ndarray, spots: np.ndarray) -> int:
    return int(((spots > box[:2] - 2) & (spots < box[2:] + 2)).all(axis=1).sum())


def _write(
    ax: Any,
    point: np.ndarray,
    side: tuple[int, int],
    distance: float,
    name: str,
    colour: str,
    size: float,
) -> Any:
    line: dict[str, Any] = {
        "arrowstyle": "-",
        "color": colour,
        "linewidth": 0.7,
        "shrinkA": 2,
        "shrinkB": 5,
    }
    line["relpos"] = tuple(_knot(side))
    return ax.annotate(
        name,
        point,
        xytext=(side[0] * distance, side[1] * distance),
        textcoords="offset points",
        ha={1: "left", 0: "center", -1: "right"}[side[0]],
        va="center",
        color=colour,
        fontsize=size,
        path_effects=[withStroke(linewidth=2.5, foreground="white", alpha=0.85)],
        arrowprops=line if distance > _DISTANCES[0] else None,
        annotation_clip=False,
        zorder=6,
    )
