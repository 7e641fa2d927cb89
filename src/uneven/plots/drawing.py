"""What the displays share: colours, tables of coloured cells, labels, axes.

Two hues carry the meaning: blue for what is right or supported, orange for errors.  The pair
stays apart under the common forms of colour blindness and in grey, and each ramp grows darker
monotonically so that more ink is always more of the quantity.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Sequence
from typing import Any

import numpy as np
from matplotlib import pyplot as plt
from matplotlib.colors import LinearSegmentedColormap, PowerNorm, to_rgb
from matplotlib.patheffects import withStroke
from numpy.typing import ArrayLike

INK = "#1d2733"
MUTED = "#657180"
GRID = "#e2e7ec"
BLUE = "#2a6496"
ORANGE = "#b84d16"
SERIES = (BLUE, ORANGE, "#3c8d7d", "#7a5c9e", "#a8851c", "#6c7681")
LINES = (*SERIES[:-1], "#b8336a", "#5aa9e6", "#5c8001", "#7b3f00", "#1b998b")
"""Colours of many lines; those after the first five are for lines that are not solid."""

ERROR_STOPS = ("#fbf8f5", "#fbe0cb", "#f3b488", "#dd7a3d", "#b04a12", "#6f2b07")
SUPPORT_STOPS = ("#f5f8fa", "#d3e1ec", "#9dbdd6", "#5b8fb8", "#2a6496", "#153d61")

ERROR = LinearSegmentedColormap.from_list("uneven_error", ERROR_STOPS)
SUPPORT = LinearSegmentedColormap.from_list("uneven_support", SUPPORT_STOPS)


def text_on(colour: ArrayLike) -> str:
    """Ink or white, whichever reads better on a background.

    Parameters
    ----------
    colour : RGB or RGBA array-like of shape (3,) or (4,)
        The background.

    Returns
    -------
    str
        A hex colour.

    Examples
    --------
    >>> text_on((1.0, 1.0, 1.0)), text_on((0.1, 0.2, 0.3))
    ('#1d2733', '#ffffff')
    """
    background, ink = _luminance(np.asarray(colour)[:3]), _luminance(np.asarray(to_rgb(INK)))
    contrast_white = 1.05 / (background + 0.05)
    contrast_ink = (background + 0.05) / (ink + 0.05)
    return "#ffffff" if contrast_white > contrast_ink else INK


def _luminance(rgb: np.ndarray) -> float:
    """Relative luminance of an sRGB colour, as WCAG 2 defines it."""
    linear = np.where(rgb <= 0.04045, rgb / 12.92, ((rgb + 0.055) / 1.055) ** 2.4)
    return float(linear @ np.array([0.2126, 0.7152, 0.0722]))


CELL_LABEL_SHARE = 0.36
SMALLEST_LABEL = 4.5
LARGEST_LABEL = 11.0


def write_png(figure: Any, path: str | os.PathLike[str], dpi: int = 120) -> None:
    """Write a figure as PNG, the same bytes for the same picture, and close it."""
    figure.savefig(path, dpi=dpi, format="png", metadata={"Software": None})
    plt.close(figure)


def fresh_axes(width: float, height: float, n: int = 1) -> list[Any]:
    """Axes side by side in a new figure of the given size in inches, with air around them."""
    figure, axes = plt.subplots(
        1, n, figsize=(width, height), layout="compressed" if n == 1 else "constrained"
    )
    figure.get_layout_engine().set(w_pad=0.14, h_pad=0.14, wspace=0.04)
    return list(np.ravel(axes))


def make_room(ax: Any, inches: float) -> None:
    """Narrow an axes whose figure lays out nothing by itself, so that more fits to its right."""
    if ax.figure.get_layout_engine() is not None:
        return
    box = ax.get_position()
    narrower = box.width - inches / ax.figure.get_size_inches()[0]
    ax.set_position([box.x0, box.y0, max(narrower, 0.4 * box.width), box.height])
    ax.set_anchor("W")


def shorten(name: object, length: int) -> str:
    """Shorten a name in its middle, where names of columns and classes differ least.

    Parameters
    ----------
    name : object
        Anything with a string form.
    length : int
        Largest number of characters, at least 3.

    Returns
    -------
    str
        The name, with an ellipsis in place of what was left out.

    Examples
    --------
    >>> shorten("texture__contrast_mean", 13)
    'textur…t_mean'
    """
    text = " ".join(str(name).split())
    if len(text) <= length:
        return text
    head = length // 2
    return f"{text[:head]}…{text[len(text) - (length - head - 1) :]}"


def shorten_all(names: Sequence[object], length: int) -> list[str]:
    """Shorten names so that different ones stay different.

    Parameters
    ----------
    names : sequence of object
        Anything with a string form.
    length : int
        Largest number of characters, enough for a number beside a few letters.

    Returns
    -------
    list of str
        Names that would look the same get numbers.

    Examples
    --------
    >>> shorten_all(["sensor_left_mean", "sensor_right_mean", "sensor"], 11)
    ['sen…ean (1)', 'sen…ean (2)', 'sensor']
    """
    short = [shorten(name, length) for name in names]
    counts = Counter(short)
    seen: Counter[str] = Counter()
    found = []
    for name, cut in zip(names, short):
        if counts[cut] > 1:
            seen[cut] += 1
            mark = f" ({seen[cut]})"
            cut = shorten(name, max(3, length - len(mark))) + mark
        found.append(cut)
    return found


def percent(share: float) -> str:
    """Share as a whole number of percent; empty where it rounds to nothing.

    Examples
    --------
    >>> percent(0.873), percent(0.002)
    ('87', '')
    """
    return "" if not share >= 0.005 else f"{100 * share:.0f}"


def quiet(ax: Any) -> None:
    """Remove the frame and tick marks of an axes and calm its labels."""
    for spine in ax.spines.values():
        spine.set_visible(False)
    ax.tick_params(length=0, colors=MUTED, labelcolor=INK)


def headline(ax: Any, title: str, subtitle: str = "") -> None:
    """Left-aligned title above an axes, with a quieter line under it."""
    ax.set_title(title, loc="left", color=INK, fontsize=12, fontweight="bold", pad=24)
    ax.annotate(
        subtitle,
        (0, 1),
        xytext=(0, 9),
        xycoords="axes fraction",
        textcoords="offset points",
        color=MUTED,
        fontsize=9,
        annotation_clip=False,
    )


def rate_colours(rates: np.ndarray, vmax: float | None = None) -> np.ndarray:
    """Colours of a square of rates: blue on the diagonal, orange where something is wrong.

    Parameters
    ----------
    rates : ndarray of shape (K, K)
        Between 0 and 1; NaN counts as 0.
    vmax : float or None
        Error rate with the darkest orange; None takes the largest one, but at least 0.3.

    Returns
    -------
    ndarray of shape (K, K, 4)
        RGBA.
    """
    known = np.nan_to_num(rates)
    errors = np.where(np.eye(len(rates), dtype=bool), 0.0, known)
    top = max(0.3, float(errors.max(initial=0.0))) if vmax is None else vmax
    colours = ERROR(PowerNorm(0.7, vmin=0.0, vmax=top, clip=True)(errors))
    diagonal = np.arange(len(rates))
    colours[diagonal, diagonal] = SUPPORT(0.12 + 0.4 * np.diag(known))
    return np.asarray(colours)


def draw_cells(
    ax: Any,
    colours: np.ndarray,
    texts: Sequence[Sequence[str]] | None,
    *,
    square: bool = False,
) -> list[Any]:
    """Draw a table of coloured cells with thin gaps and a text in each.

    Parameters
    ----------
    ax : matplotlib Axes
        Where to draw; its y axis is turned so that row 0 is on top.
    colours : ndarray of shape (n_rows, n_columns, 4)
        RGBA of each cell.
    texts : nested sequence of str of shape (n_rows, n_columns), or None
        What to write; cells too small to be read stay empty.
    square : bool
        Keep the cells square.

    Returns
    -------
    list of matplotlib Text
        The texts that were drawn.
    """
    n_rows, n_columns = colours.shape[:2]
    ax.imshow(colours, interpolation="nearest", aspect="equal" if square else "auto")
    ax.set_xticks(np.arange(n_columns + 1) - 0.5, minor=True)
    ax.set_yticks(np.arange(n_rows + 1) - 0.5, minor=True)
    gap = 1.6 if max(n_rows, n_columns) <= 12 else 0.8
    ax.grid(which="minor", color=ax.get_facecolor(), linewidth=gap)
    ax.tick_params(which="minor", length=0)
    quiet(ax)
    if texts is None:
        return []
    width, height = _cell_points(ax, n_rows, n_columns)
    size = min(CELL_LABEL_SHARE * width, 0.6 * height, LARGEST_LABEL)
    if size < SMALLEST_LABEL:
        return []
    return [
        ax.text(c, r, texts[r][c], ha="center", va="center", fontsize=size, color=text_on(cell))
        for r, row in enumerate(colours)
        for c, cell in enumerate(row)
        if texts[r][c]
    ]


def name_cells(
    ax: Any,
    rows: Sequence[object],
    columns: Sequence[object],
    length: int,
    column_length: int | None = None,
) -> None:
    """Label the rows and columns of a table of cells, turning column names that do not fit."""
    row_names = shorten_all(rows, length)
    column_names = shorten_all(columns, column_length or length)
    width, height = _cell_points(ax, len(rows), len(columns))
    size = float(np.clip(0.62 * height, 5.5, 10.0))
    column_size = float(np.clip(0.62 * width, 5.5, 10.0))
    longest = max(map(len, column_names))
    turned = longest * 0.6 * column_size > 0.95 * width
    ax.set_yticks(range(len(rows)), row_names, fontsize=size)
    ax.set_xticks(
        range(len(columns)),
        column_names,
        fontsize=column_size,
        rotation=90 if turned and longest > 2 else 0,
    )


def soft_grid(ax: Any) -> None:
    """Horizontal hairlines behind a line chart and a baseline under it."""
    quiet(ax)
    ax.set_axisbelow(True)
    ax.grid(axis="y", color=GRID, linewidth=0.8)
    ax.spines["bottom"].set(visible=True, color=MUTED, linewidth=0.8)
    ax.tick_params(labelsize=8.5, labelcolor=MUTED)


def _cell_points(ax: Any, n_rows: int, n_columns: int) -> tuple[float, float]:
    """Width and height of one cell in points."""
    ax.apply_aspect()
    box = ax.get_window_extent()
    return 72 / ax.figure.dpi * box.width / n_columns, 72 / ax.figure.dpi * box.height / n_rows


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
    """Write a name next to each point, each where it covers least.

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
