"""Many runs as one line with a band, named where it ends."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Literal

import numpy as np
from matplotlib.ticker import MaxNLocator
from numpy.typing import ArrayLike
from sklearn.isotonic import isotonic_regression

from uneven.plots.drawing import LINES, MUTED, shorten

Band = Literal["std", "error", "quartiles", "range"]

BAND_NAMES = {
    "std": "one standard deviation",
    "error": "two standard errors",
    "quartiles": "half of the runs",
    "range": "smallest to largest",
}
_STYLES: tuple[Any, ...] = ("-", (0, (5, 1.6)), (0, (1.2, 1.2)), (0, (5, 1.4, 1.2, 1.4)))
NAME_SIZE = 9.5
NAME_LENGTH = 26


def check_band(band: str | None) -> None:
    """Refuse a band that is not known."""
    if band is not None and band not in BAND_NAMES:
        known = ", ".join(map(repr, BAND_NAMES))
        raise ValueError(f"band={band!r} is unknown; use one of {known} or None.")


def check_runs(curves: Mapping[str, ArrayLike]) -> dict[str, np.ndarray]:
    """Curves as tables of runs.

    Parameters
    ----------
    curves : dict of str to array-like of shape (n_runs, n_points) or (n_points,)

    Returns
    -------
    dict of str to ndarray of shape (n_runs, n_points)

    Examples
    --------
    >>> check_runs({"random": [0.5, 0.7]})["random"].shape
    (1, 2)
    """
    if not curves:
        raise ValueError("curves is empty, so nothing can be drawn; give a dict of name to runs.")
    tables = {}
    for name, runs in curves.items():
        table = np.atleast_2d(np.asarray(runs, dtype=float))
        if table.ndim != 2 or 0 in table.shape:
            raise ValueError(
                f"the curve {name!r} has shape {np.shape(runs)}; expected (n_runs, n_points) with "
                "at least one of each."
            )
        tables[str(name)] = table
    return tables


def collect_runs(
    simulations: Mapping[str, Iterable[Any]], what: str
) -> tuple[dict[str, np.ndarray], dict[str, np.ndarray]]:
    """Tables of runs that may have ended at different times.

    Parameters
    ----------
    simulations : dict of str to iterable of runs
        Each run has ``labels`` and an attribute ``what`` of the same length, such as
        `uneven.active.LearningCurve`.
    what : str

    Returns
    -------
    labels : dict of str to ndarray of shape (n_points,)
        All numbers of labels that any run of that name has.
    curves : dict of str to ndarray of shape (n_runs, n_points)
        NaN where a run has none.

    Examples
    --------
    >>> from types import SimpleNamespace
    >>> runs = [SimpleNamespace(labels=[0, 5], scores=[0.5, 0.7]),
    ...         SimpleNamespace(labels=[0], scores=[0.6])]
    >>> labels, curves = collect_runs({"random": runs}, "scores")
    >>> labels["random"].tolist(), curves["random"].tolist()
    ([0.0, 5.0], [[0.5, 0.7], [0.6, nan]])
    """
    labels, curves = {}, {}
    for name, runs in simulations.items():
        held = [(np.asarray(run.labels, float), getattr(run, what)) for run in runs]
        if not held:
            raise ValueError(f"there is no run of {name!r}, so nothing can be drawn.")
        labels[name] = np.unique(np.concatenate([x for x, _ in held]))
        curves[name] = np.full((len(held), len(labels[name])), np.nan)
        for row, (x, values) in zip(curves[name], held):
            row[np.searchsorted(labels[name], x)] = values
    return labels, curves


def positions_of(
    labels: ArrayLike | Mapping[str, ArrayLike], curves: Mapping[str, np.ndarray]
) -> dict[str, np.ndarray]:
    """Where on the x axis the points of each curve stand.

    Parameters
    ----------
    labels : array-like of shape (n_points,), or dict of str to such
        Numbers of labels, the same for all curves or for each its own.
    curves : dict of str to ndarray of shape (n_runs, n_points)

    Returns
    -------
    dict of str to ndarray of shape (n_points,)
    """
    found = {}
    for name, table in curves.items():
        given = labels.get(name) if isinstance(labels, Mapping) else labels
        if given is None:
            raise ValueError(f"labels has no entry for the curve {name!r}.")
        x = np.asarray(given, dtype=float)
        if x.shape != table.shape[1:]:
            raise ValueError(
                f"the curve {name!r} has {table.shape[1]} points, but its labels have shape "
                f"{x.shape}; give one number of labels for each point."
            )
        if not np.isfinite(x).all() or (np.diff(x) <= 0).any():
            raise ValueError(f"the labels of the curve {name!r} must be finite and increasing.")
        found[name] = x
    return found


def middle_and_band(
    table: np.ndarray, band: Band | None = "std"
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Middle of many runs, and the edges of the band around it.

    Parameters
    ----------
    table : ndarray of shape (n_runs, n_points)
        NaN where a run has no value.
    band : {"std", "error", "quartiles", "range"} or None
        Standard deviation or two standard errors around the mean, or the quartiles around the
        median, or smallest and largest around the mean.

    Returns
    -------
    middle, low, high : ndarray of shape (n_points,)
        NaN where no run has a value.

    Examples
    --------
    >>> import numpy as np
    >>> runs = np.array([[0.0, 1.0], [1.0, np.nan], [5.0, 3.0]])
    >>> [part.tolist() for part in middle_and_band(runs, "range")]
    [[2.0, 2.0], [0.0, 1.0], [5.0, 3.0]]
    """
    check_band(band)
    known = np.ma.masked_invalid(table)
    counted = known.count(axis=0)
    if band == "quartiles":
        seen = [column.compressed() for column in known.T]
        low, middle, high = np.transpose(
            [np.quantile(c, [0.25, 0.5, 0.75]) if c.size else [np.nan] * 3 for c in seen]
        )
        return middle, low, high
    middle = known.mean(axis=0).filled(np.nan)
    if band == "range":
        return middle, known.min(axis=0).filled(np.nan), known.max(axis=0).filled(np.nan)
    spread = np.zeros(len(middle))
    several = counted > 1
    if band is not None and several.any():
        spread[several] = known[:, several].std(axis=0, ddof=1)
    if band == "error":
        spread *= 2.0 / np.sqrt(np.maximum(counted, 1))
    return middle, middle - spread, middle + spread


def colours_of(names: list[str], baseline: str | None) -> dict[str, str]:
    """A colour for each name, grey for the baseline.

    Parameters
    ----------
    names : list of str
    baseline : str or None
        Takes no colour from the others.

    Returns
    -------
    dict of str to str
        Hex colours; they repeat after ten names, see `styles_of`.

    Examples
    --------
    >>> colours_of(["gravity", "random"], "random")
    {'gravity': '#2a6496', 'random': '#657180'}
    """
    others = [name for name in names if name != baseline]
    found = {name: LINES[i % len(LINES)] for i, name in enumerate(others)}
    return {name: found.get(name, MUTED) for name in names}


def styles_of(names: list[str], baseline: str | None) -> dict[str, Any]:
    """A line style for each name: solid for the first five and the baseline, then broken ones.

    Returns
    -------
    dict of str to line style of matplotlib
        Of twenty names no two have both the same colour and the same style.

    Examples
    --------
    >>> styles = styles_of(list("abcdef"), None)
    >>> styles["e"], styles["f"]
    ('-', (0, (5, 1.6)))
    """
    others = [name for name in names if name != baseline]
    found = {name: _STYLES[i // 5 % len(_STYLES)] for i, name in enumerate(others)}
    return {name: found.get(name, "-") for name in names}


def draw_band(
    ax: Any, x: np.ndarray, table: np.ndarray, colour: str, band: Band | None, **line: Any
) -> tuple[float, float]:
    """Draw the middle of many runs with its band.

    Returns
    -------
    x, y : float
        The last point of the line.
    """
    middle, low, high = middle_and_band(table, band)
    if band is not None and len(table) > 1:
        ax.fill_between(x, low, high, color=colour, alpha=0.16, linewidth=0)
    style = {"linewidth": 2.0, "solid_capstyle": "round"} | line
    ax.plot(x, middle, color=colour, **style)
    seen = np.flatnonzero(np.isfinite(middle))
    last = seen[-1] if seen.size else len(x) - 1
    return float(x[last]), float(middle[last])


def spread_apart(positions: ArrayLike, gap: float) -> np.ndarray:
    """Move positions on a line as little as possible so that they keep a distance.

    Parameters
    ----------
    positions : array-like of shape (n,)
    gap : float
        Smallest distance between two of them.

    Returns
    -------
    ndarray of shape (n,)
        In the same order. The sum of squared moves is the smallest there is.

    Examples
    --------
    >>> spread_apart([1.0, 0.0, 1.0], 0.5).tolist()
    [0.75, 0.0, 1.25]
    """
    places = np.asarray(positions, dtype=float)
    order = np.argsort(places, kind="stable")
    steps = gap * np.arange(len(places))
    moved = np.empty_like(places)
    moved[order] = isotonic_regression(places[order] - steps) + steps
    return moved


def whole_numbers(ax: Any) -> None:
    """Let the marks of the x axis stand at whole numbers: there is no half label."""
    ax.xaxis.set_major_locator(MaxNLocator("auto", integer=True, steps=[1, 2, 5, 10]))


def room_for(names: Iterable[str]) -> float:
    """Inches that the longest of some names needs to the right of an axes."""
    return 0.15 + 0.0085 * NAME_SIZE * max(len(shorten(name, NAME_LENGTH)) for name in names)


def name_ends(
    ax: Any, ends: Mapping[str, tuple[float, float]], colours: Mapping[str, str]
) -> list[Any]:
    """Write the names of lines to the right of the axes, level with their last points.

    Parameters
    ----------
    ax : matplotlib Axes
        With its final limits.
    ends : dict of str to (x, y)
        Last point of each line.
    colours : dict of str to str

    Returns
    -------
    list of matplotlib Text
        In the order of ``ends``.
    """
    known = {name: y for name, (_, y) in ends.items() if np.isfinite(y)}
    if not known:
        return []
    ax.autoscale_view()
    heights = ax.transAxes.inverted().transform(
        ax.transData.transform([(ends[name][0], y) for name, y in known.items()])
    )[:, 1]
    gap = 1.3 * NAME_SIZE / (72 / ax.figure.dpi * max(ax.get_window_extent().height, 1.0))
    return [
        ax.annotate(
            shorten(name, NAME_LENGTH),
            (1.0, height),
            xytext=(7, 0),
            xycoords="axes fraction",
            textcoords="offset points",
            va="center",
            color=colours[name],
            fontsize=NAME_SIZE,
            annotation_clip=False,
        )
        for name, height in zip(known, spread_apart(heights, gap))
    ]
