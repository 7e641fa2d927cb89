"""Calibration of the predicted probabilities: a reliability diagram as inline SVG."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from uneven.metrics import wilson_interval
from uneven.report.markup import Markup, count, decimal, percent, tag

BINS = 10
FEWEST = 15
"""Rows that a point rests on at least."""


@dataclass(frozen=True, eq=False)
class Reliability:
    """Probabilities of the predictions, in bins of about equally many rows.

    Attributes
    ----------
    said, right : ndarray of shape (B,)
        Mean probability of the predictions of a bin, and the share of them that are right.
    low, high : ndarray of shape (B,)
        Ends of the 95 % interval (Wilson) of that share.
    rows : ndarray of int, shape (B,)
    error : float
        Mean distance between both over the rows: the expected calibration error.
    """

    said: NDArray[np.float64]
    right: NDArray[np.float64]
    low: NDArray[np.float64]
    high: NDArray[np.float64]
    rows: NDArray[np.intp]

    @property
    def error(self) -> float:
        """Mean distance between probability and share over the rows."""
        return float(np.average(np.abs(self.said - self.right), weights=self.rows))


def reliability(said: NDArray[np.float64], right: NDArray[np.bool_]) -> Reliability | None:
    """Sort predictions into bins by their probability.

    Parameters
    ----------
    said : ndarray of shape (n,)
        Probability of the prediction.
    right : ndarray of bool, shape (n,)
        Whether it is right.

    Returns
    -------
    Reliability or None
        None with fewer than 15 rows. Equal probabilities stay in one bin.

    Examples
    --------
    >>> found = reliability(np.repeat([0.6, 0.9], 20), np.arange(40) % 4 > 0)
    >>> found.said, found.right
    (array([0.6, 0.9]), array([0.75, 0.75]))
    """
    if len(said) < FEWEST:
        return None
    n_bins = max(1, min(BINS, len(said) // FEWEST))
    said = np.round(said, 9)
    edges = np.unique(np.quantile(said, np.linspace(0, 1, n_bins + 1)[1:-1]))
    bins = np.searchsorted(edges, said, side="left")
    rows = np.bincount(bins)
    held = rows > 0
    sums = np.bincount(bins, said)[held], np.bincount(bins, right.astype(float))[held]
    rows = rows[held]
    share = sums[1] / rows
    low, high = wilson_interval(share, rows)
    return Reliability(sums[0] / rows, share, low, high, rows)


LEFT, TOP, SIZE = 34.0, 8.0, 190.0
TICKS = 4


def reliability_chart(found: Reliability, label: str) -> Markup:
    """The diagram: on the diagonal, probabilities are calibrated.

    Parameters
    ----------
    found : Reliability
    label : str
        Alternative text.

    Returns
    -------
    Markup
        An SVG element. Both axes begin at the largest of 0, 50, 80 and 90 % that shows everything.
    """
    least = min(found.said.min(), found.low.min())
    start = max(corner for corner in (0.0, 0.5, 0.8, 0.9) if corner <= max(least, 0.0))

    def x(value: float) -> str:
        return f"{LEFT + SIZE * (value - start) / (1.0 - start):.1f}"

    def y(value: float) -> str:
        return f"{TOP + SIZE * (1.0 - value) / (1.0 - start):.1f}"

    marks = []
    for i in range(TICKS + 1):
        tick = start + (1.0 - start) * i / TICKS
        at = y(tick)
        marks.append(tag("line", x1=LEFT, x2=LEFT + SIZE, y1=at, y2=at, class_="gridline"))
        if i % 2 == 0:
            marks.append(tag("text", f"{100 * tick:.0f}", x=LEFT - 6, y=at, class_="tick-y"))
            foot = {"x": x(tick), "y": TOP + SIZE + 14}
            marks.append(tag("text", f"{100 * tick:.0f}", class_="tick-x", **foot))
    ends = {"x1": x(start), "y1": y(start), "x2": x(1.0), "y2": y(1.0)}
    marks.append(tag("line", class_="ideal", **ends))
    for s, low, high in zip(found.said, found.low, found.high):
        marks.append(tag("line", x1=x(s), x2=x(s), y1=y(low), y2=y(high), class_="whisker"))
    path = " ".join(f"{x(s)},{y(r)}" for s, r in zip(found.said, found.right))
    marks.append(tag("polyline", points=path, class_="line s0"))
    for s, r, n in zip(found.said, found.right, found.rows):
        told = f"{count(n)} predictions with {percent(s)} on average: {percent(r)} correct"
        marks.append(tag("circle", tag("title", told), cx=x(s), cy=y(r), r=3.5, class_="spot"))
    box = f"0 0 {LEFT + SIZE + 16:g} {TOP + SIZE + 24:g}"
    return tag("svg", marks, class_="chart square", viewBox=box, role="img", aria_label=label)


def calibration(
    scores: NDArray[np.float64], answers: NDArray[np.integer], truth: NDArray[np.intp]
) -> Markup:
    """Diagram and figure of a method that gives probabilities; empty with too few rows."""
    known = answers >= 0
    said, truth = answers[known].astype(np.intp), truth[known]
    found = reliability(scores[known, :][np.arange(len(said)), said], said == truth)
    if found is None:
        return Markup("")
    told = f"calibration error {decimal(100 * found.error, 1)} points"
    head = tag(
        "p",
        tag("strong", "Calibration"),
        tag("span", f"% correct by probability; {told}", class_="worst"),
        class_="picture-head",
    )
    return tag(
        "div",
        head,
        reliability_chart(found, f"Reliability diagram, {told}"),
        class_="reliability",
    )
