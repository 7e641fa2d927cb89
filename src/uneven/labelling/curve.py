"""An unbiased learning curve, and the expected gain of further answers.

The rows of the pool stand in a random order. One question in ten is about the first row of that
order without a label, so that the labelled beginning of the order is a random sample of the whole
pool, whichever other rows were queried. It is cut into five parts; a classifier that was fitted
without a part predicts it. Every classifier also predicts rows of the order that will only
be labelled later, so that each point of the curve is evaluated on all the random rows there are.

What further answers bring is read off a power law a + b n^-c through the errors; how much it can
be trusted is seen by drawing the random rows again.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from scipy.optimize import nnls

FOLDS = 5
DEEPEST = 2000
"""Rows of the random order that are answered for."""

_POWERS = (0.25, 0.5, 0.75, 1.0)
_DRAWS = 100
_Z = 1.96


@dataclass(frozen=True)
class Point:
    """The errors after so many labels.

    Attributes
    ----------
    labels : int
        How many labels there were.
    tested, wrong : int
        Random rows that were predicted, and how many of them wrongly.
    low, high : float
        95 % interval of the error rate (Wilson).
    """

    labels: int
    tested: int
    wrong: int
    low: float
    high: float

    @property
    def error(self) -> float:
        """Error rate."""
        return self.wrong / self.tested


@dataclass
class Checkpoint:
    """Predictions of the classifier of some moment for random rows that it has not seen.

    Attributes
    ----------
    labels : int
        How many labels it knew.
    answers : dict of int to str
        Its prediction by row.
    """

    labels: int
    answers: dict[int, str] = field(default_factory=dict)


def interval(wrong: float, tested: float) -> tuple[float, float]:
    """Wilson's 95 % interval of a share.

    Examples
    --------
    >>> tuple(round(end, 3) for end in interval(3, 20))
    (0.052, 0.36)
    """
    share, z2 = wrong / tested, _Z * _Z / tested
    middle = (share + z2 / 2) / (1 + z2)
    half = _Z * np.sqrt(share * (1 - share) / tested + z2 / tested / 4) / (1 + z2)
    return float(max(middle - half, 0.0)), float(min(middle + half, 1.0))


def points(checkpoints: Sequence[Checkpoint], truth: Mapping[int, str]) -> list[Point]:
    """The curve.

    Parameters
    ----------
    checkpoints : sequence of Checkpoint
    truth : mapping of int to str
        Labels of the random sample, by row.
    """
    found = []
    for point in checkpoints:
        rows = [row for row in truth if row in point.answers]
        if rows:
            wrong = sum(point.answers[row] != truth[row] for row in rows)
            found.append(Point(point.labels, len(rows), wrong, *interval(wrong, len(rows))))
    return found


def expected_gain(
    checkpoints: Sequence[Checkpoint], truth: Mapping[int, str], more: int = 50, seed: int = 0
) -> tuple[float, float, float] | None:
    """By how much further answers may lower the error rate.

    Parameters
    ----------
    checkpoints : sequence of Checkpoint
    truth : mapping of int to str
        Labels of the random sample, by row.
    more : int
        How many further answers.
    seed : int
        Of the draws behind the interval.

    Returns
    -------
    (gain, low, high) or None
        With a 90 % interval; None with fewer than three points or ten random rows.

    Examples
    --------
    >>> truth = dict.fromkeys(range(200), "a")
    >>> def moment(n):
    ...     return Checkpoint(n, {row: "a" if row >= 400 / n**0.5 else "b" for row in range(200)})
    >>> gain, low, high = expected_gain([moment(n) for n in (16, 25, 50, 100, 200)], truth)
    >>> round(gain, 3), low <= gain <= high
    (0.015, True)
    """
    sizes = np.array([point.labels for point in checkpoints], dtype=float)
    rows = [row for row in truth if all(row in point.answers for point in checkpoints)]
    if len(sizes) < 3 or len(rows) < 10:
        return None
    wrong = np.array([[point.answers[row] != truth[row] for row in rows] for point in checkpoints])
    rng = np.random.default_rng(seed)
    drawn = [wrong[:, rng.integers(len(rows), size=len(rows))] for _ in range(_DRAWS)]
    gains = [_power_law_gain(sizes, part.mean(axis=1), more) for part in drawn]
    low, high = np.quantile(gains, [0.05, 0.95])
    gain = _power_law_gain(sizes, wrong.mean(axis=1), more)
    return gain, min(float(low), gain), max(float(high), gain)


def _power_law_gain(sizes: np.ndarray, errors: np.ndarray, more: int) -> float:
    """Fall of the best power law over so many more labels, never more than what is left to gain.

    Later points weigh more.
    """
    weight = np.sqrt(sizes)
    best = (np.inf, 0.0)
    for power in _POWERS:
        columns = np.column_stack([np.ones_like(sizes), sizes**-power])
        coefficients, rest = nnls(columns * weight[:, None], errors * weight)
        now, then = sizes[-1] ** -power, (sizes[-1] + more) ** -power
        best = min(best, (rest, float(coefficients[1] * (now - then))))
    return min(best[1], float(errors[-1]))


def is_due(labels: int, last: int) -> bool:
    """Whether it is time for another point: ten labels more, or a seventh of all.

    Examples
    --------
    >>> is_due(12, 5), is_due(15, 5), is_due(210, 200)
    (False, True, False)
    """
    return labels - last >= max(10, labels // 7)
