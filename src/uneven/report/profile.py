"""What each column holds, overall and by class: counts in bins, and small pictures of them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from uneven.comparison.problem import Problem
from uneven.comparison.schema import Column
from uneven.report.cells import cell_texts, column_title
from uneven.report.charts import elide, named
from uneven.report.markup import Markup, count, counted, decimal, percent, tag

BINS = 24
MOST_VALUES = 12
MOST_COLUMNS = 60
MOST_CLASSES = 14
MOST_ROWS = 50_000
SHADES = 5


@dataclass(frozen=True, eq=False)
class ColumnProfile:
    """One column of the table.

    Attributes
    ----------
    column : Column
    missing : float
        Share of the rows without a value.
    distinct : int
        How many values there are.
    words : str
        Its range, or its most frequent values.
    counts : ndarray of int, shape (K, B)
        Rows by class and bin, without those that have no value; B = 0 for running text.
    titles : list of str of length B
        What the bins hold.
    """

    column: Column
    missing: float
    distinct: int
    words: str
    counts: NDArray[np.intp]
    titles: list[str]

    @property
    def association(self) -> float:
        """Cramér's V of bins and classes, corrected for chance (Bergsma 2013); NaN if undefined."""
        return cramers_v(self.counts)


def cramers_v(counts: NDArray[np.intp]) -> float:
    """How far a table of counts is from independence, between 0 and 1, corrected for chance.

    References
    ----------
    W. Bergsma (2013), *A bias-correction for Cramér's V and Tschuprow's T*, Journal of the Korean
    Statistical Society 42.

    Examples
    --------
    >>> cramers_v(np.array([[50, 0], [0, 50]])), cramers_v(np.array([[25, 25], [25, 25]]))
    (1.0, 0.0)
    """
    table = counts[counts.sum(axis=1) > 0][:, counts.sum(axis=0) > 0].astype(float)
    n, (k, b) = table.sum(), table.shape
    if min(k, b) < 2 or n < 3:
        return math.nan
    expected = np.outer(table.sum(axis=1), table.sum(axis=0)) / n
    phi = float(((table - expected) ** 2 / expected).sum() / n)
    phi = max(0.0, phi - (k - 1) * (b - 1) / (n - 1))
    room = min(k - (k - 1) ** 2 / (n - 1), b - (b - 1) ** 2 / (n - 1)) - 1
    return min(1.0, math.sqrt(phi / room)) if room > 0 else math.nan


def profile_column(problem: Problem, column: Column, rows: NDArray[np.intp]) -> ColumnProfile:
    """Look at one column in some rows.

    Parameters
    ----------
    problem : Problem
    column : Column
        One of its schema.
    rows : ndarray of int
        Positions among the rows of the problem.
    """
    codes = np.searchsorted(problem.classes, problem.y[rows])
    if problem.schema.sparse:
        j = problem.schema.names.index(column.name)
        values = pd.Series(problem.X[rows][:, [j]].toarray().ravel())
    else:
        values = problem.X[column.name].iloc[rows]
    missing = values.isna().to_numpy()
    present, codes = values[~missing], codes[~missing]
    distinct, n_classes = int(present.nunique()), len(problem.classes)
    empty = np.zeros((n_classes, 0), dtype=np.intp)
    if column.kind == "text" or not len(present):
        words = ", ".join(elide(word, 20) for word in column.categories[:6])
        return ColumnProfile(column, float(missing.mean()), distinct, words, empty, [])
    if column.kind in ("number", "date"):
        bins, titles, words = _number_bins(problem, column, present, rows[~missing])
    else:
        bins, titles = _value_bins(present)
        words = ", ".join(elide(title, 20) for title in titles[:4])
    counts = np.bincount(codes * len(titles) + bins, minlength=n_classes * len(titles))
    shaped = counts.reshape(n_classes, len(titles))
    return ColumnProfile(column, float(missing.mean()), distinct, words, shaped, titles)


def _number_bins(
    problem: Problem, column: Column, present: pd.Series, rows: NDArray[np.intp]
) -> tuple[NDArray[np.intp], list[str], str]:
    """Bins of equal width between the 1st and 99th percentile; the outer ones are open."""
    cells = present.to_numpy(dtype=float)
    finite = cells[np.isfinite(cells)]
    low, high = np.quantile(finite, [0.01, 0.99]) if len(finite) else (0.0, 0.0)
    if not high > low:
        low, high = (finite.min(), finite.max()) if len(finite) else (0.0, 0.0)
    edges = np.linspace(low, high, BINS + 1) if high > low else np.array([low, low + 1.0])
    bins = np.clip(np.searchsorted(edges, cells, side="right") - 1, 0, len(edges) - 2)
    ends = np.array([int(np.nanargmin(cells)), int(np.nanargmax(cells))])
    shown = cell_texts(problem, column, rows[ends])
    middle = column.kind == "number" and len(finite)
    words = f"{shown[0]} to {shown[1]}"
    words += f", median {np.median(finite):.4g}" if middle else ""
    if column.kind == "date":
        told = [str(np.datetime64(int(edge), "D")) for edge in edges]
    else:
        told = [f"{edge:.4g}" for edge in edges]
    return bins, [f"{a} to {b}" for a, b in pairwise(told)], words


def _value_bins(present: pd.Series) -> tuple[NDArray[np.intp], list[str]]:
    """One bin for each of the most frequent values, and one for the rest."""
    texts = present.astype(str).to_numpy()
    values, places, sizes = np.unique(texts, return_inverse=True, return_counts=True)
    order = np.lexsort((values, -sizes))
    rank = np.empty(len(values), dtype=np.intp)
    rank[order] = np.arange(len(values))
    titles = [str(v) for v in values[order[:MOST_VALUES]]]
    more = len(values) - MOST_VALUES
    titles += [f"{count(more)} other values"] if more > 0 else []
    return np.minimum(rank[places], len(titles) - 1), titles


def profiles(problem: Problem) -> list[ColumnProfile]:
    """All columns, or those of the first 60 if there are more, in the order of the table."""
    n = len(problem.y)
    rows = np.arange(n)[:: max(1, math.ceil(n / MOST_ROWS))]
    columns = problem.schema.columns[:MOST_COLUMNS]
    return [profile_column(problem, column, rows) for column in columns]


WIDTH, TALL, LINE = 180.0, 34.0, 6.0


def histogram(profile: ColumnProfile) -> Markup:
    """Bars of all rows."""
    sizes = profile.counts.sum(axis=0)
    step, top = WIDTH / len(sizes), max(int(sizes.max()), 1)
    bars = []
    for i, size in enumerate(sizes):
        height = TALL * size / top
        frame = {"x": f"{i * step + 0.5:.1f}", "y": f"{TALL - height:.1f}"}
        frame |= {"width": f"{step - 1:.1f}", "height": f"{height:.1f}"}
        if size:
            told = f"{profile.titles[i]}: {counted(int(size), 'row')}"
            bars.append(tag("rect", tag("title", elide(told, 120)), **frame))
    label = f"Distribution of {profile.column.name}: {profile.words}"
    return _picture(bars, TALL, "bars", elide(label, 200))


def class_strips(profile: ColumnProfile, order: Sequence[int], classes: Sequence[str]) -> Markup:
    """A line per class, from the largest to the smallest: the darker, the more of its rows."""
    counts = profile.counts[list(order)]
    totals = counts.sum(axis=1, keepdims=True)
    shares = np.divide(counts, totals, out=np.zeros(counts.shape), where=totals > 0)
    top = shares.max(axis=1, keepdims=True)
    depth = np.divide(shares, top, out=np.zeros_like(shares), where=top > 0)
    shades = np.ceil(depth * SHADES).astype(int)
    step, marks = WIDTH / max(shares.shape[1], 1), []
    for shade in range(1, SHADES + 1):
        path = "".join(
            f"M{j * step:.1f} {i * LINE:g}h{step:.1f}v{LINE - 1:g}h-{step:.1f}z"
            for i, j in np.argwhere(shades == shade)
        )
        if path:
            marks.append(tag("path", d=path, class_=f"shade{shade}"))
    for i, c in enumerate(order):
        middle = profile.titles[int(counts[i].argmax())] if totals[i, 0] else "no value"
        told = elide(f"{classes[c]}: mostly {middle}", 120)
        frame = {"x": 0, "y": f"{i * LINE:g}", "width": f"{WIDTH:g}", "height": f"{LINE:g}"}
        marks.append(tag("rect", tag("title", told), class_="sight", **frame))
    label = f"Distribution of {profile.column.name} in each class"
    return _picture(marks, LINE * len(order), "strips", elide(label, 200))


def _picture(marks: Sequence[Markup], height: float, css: str, label: str) -> Markup:
    box = f"0 0 {WIDTH:g} {height:g}"
    size = f"height:{height:g}px"
    return tag(
        "svg",
        marks,
        class_=f"small {css}",
        viewBox=box,
        style=size,
        role="img",
        preserveAspectRatio="none",
        aria_label=label,
    )


def profile_table(problem: Problem, classes: Sequence[str], order: Sequence[int]) -> Markup:
    """One line per column: kind, missing, distinct, range, distribution overall and by class."""
    found = profiles(problem)
    seen = [*order] if len(order) <= MOST_CLASSES else [*order[:7], *order[-7:]]
    rows = [_line(profile, classes, seen) for profile in found]
    heads = [
        tag("th", "column", scope="col"),
        tag("th", "all rows", scope="col", class_="fixed"),
        tag("th", "by class", scope="col", class_="fixed"),
        tag("th", "type", scope="col"),
        tag("th", "missing", scope="col", class_="number"),
        tag("th", "distinct", scope="col", class_="number"),
        tag("th", "separates the classes", scope="col", class_="number"),
        tag("th", "values", scope="col"),
    ]
    names = ", ".join(elide(classes[c], 24) for c in seen)
    note = (
        f"By class: one line each, from the largest class to the smallest ({names}); the darker, "
        "the more of its rows lie there. Separates the classes: Cramér’s V of the column alone, in "
        "percent; 0 is nothing, 100 everything. Outer bars hold what lies beyond."
    )
    more = len(problem.schema.columns) - len(found)
    note += f" {count(more)} more columns are not shown." if more > 0 else ""
    if len(problem.y) > MOST_ROWS:
        note += f" Counted in {count(MOST_ROWS)} rows at most."
    table = tag("table", tag("thead", tag("tr", heads)), tag("tbody", rows), class_="profile")
    box = tag(
        "div", table, class_="wide tall", tabindex=0, role="region", aria_label="Profile of columns"
    )
    return Markup(box + tag("p", note, class_="note"))


def _line(profile: ColumnProfile, classes: Sequence[str], order: Sequence[int]) -> Markup:
    told, drawn = profile.association, profile.counts.shape[1] > 0
    shown = decimal(100 * told, 0) if math.isfinite(told) else "–"
    missing = percent(profile.missing, 1) if profile.missing else "none"
    return tag(
        "tr",
        tag("th", named(column_title(profile.column)), scope="row"),
        tag("td", histogram(profile) if drawn else None),
        tag("td", class_strips(profile, order, classes) if drawn else None),
        tag("td", profile.column.kind),
        tag("td", missing, class_="number", data_value=f"{profile.missing:.4f}"),
        tag("td", count(profile.distinct), class_="number", data_value=profile.distinct),
        tag("td", shown, class_="number", data_value=f"{told:.4f}" if shown != "–" else ""),
        tag("td", tag("span", profile.words, class_="name"), class_="values"),
    )
