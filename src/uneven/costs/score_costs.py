"""The costs of a boosting process whose voters add a score to every class.

The state of a row is the softmax of its scores, ``P``. With row weight ``w`` and class ``y``, the
cost of predicting ``l`` is ``w P_l / P_y`` for the exponential loss ``sum_i w_i sum_{l != y}
exp(f_l
- f_y)`` of CoMBo and AdaBoost.MM, and ``w P_l`` for the log-loss ``-sum_i w_i log P_y``. Whatever
is summed over rows is summed in whole numbers, so neither the order of the rows nor the number of
threads changes a bit.

If labels are wrong in a known pattern, a row has a chance ``q_a`` of truly being of class ``a``,
from its label, the noise and ``P``; costs are averaged over these classes. For the log-loss this is
the gradient of the forward-corrected loss ``-log sum_a noise[y, a] P_a``.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from itertools import pairwise
from typing import Any

import numpy as np

from uneven.costs import _gradient_loops as loops
from uneven.costs._portable import exp_all
from uneven.utils.parallel import ThreadPool
from uneven.utils.reproducible_sums import largest, reproducible_sum

LOSSES = {"exponential": loops.EXPONENTIAL, "log": loops.LOG}
_PARALLEL_ENTRIES = 150_000
_MOST_AXES = 7
_LARGEST_SHORT = 32_700.0
_MOST_LOG_LOSS = 128.0
_MOST = 1e290
_LARGEST_SUM = 2.0**31 - 1.0
_LEAST = 1e-200
_TINY = np.finfo(float).tiny


@dataclass(frozen=True)
class LabelModel:
    """What is known about the classes of the rows.

    Attributes
    ----------
    y : ndarray of int32, shape (n_samples,)
        Class of each row or, with ``chances``, what is seen of it.
    weight : ndarray of shape (n_samples,)
        Weight of each row in the loss; 0 leaves it out.
    class_cost : ndarray of shape (n_classes, n_classes), or an empty array
        Cost factors of misclassifications, row = true class.
    chances : ndarray of shape (n_signals, n_classes), or an empty array
        Chance of what is seen if a class is true; an empty array if labels are right.
    class_weight : ndarray of shape (n_classes,)
        Further weight of the true class, with ``chances``.
    examples_per_row : float, default=1.0
        How many examples a row of positive weight stands for on average; below one or beyond a
        thousand that makes no difference.
    priority : ndarray of shape (n_classes,), optional
        Weight of an example of each class relative to the average; 1 if not given.
    """

    y: np.ndarray
    weight: np.ndarray
    class_cost: np.ndarray
    chances: np.ndarray
    class_weight: np.ndarray
    examples_per_row: float = 1.0
    priority: np.ndarray | None = None


@dataclass(frozen=True)
class Drawn:
    """What the rows that were drawn for a tree weigh.

    Attributes
    ----------
    size : int
        How many they are.
    total : int
        Sum of their weights, in whole numbers.
    highest, lowest : float
        Largest weight, and smallest stake.
    """

    size: int
    total: int
    highest: float
    lowest: float


class ScoreRows:
    """The rows of a process whose voters add scores: what is done to each, and sums over them.

    What is decided by sums over all rows is said by :class:`ScoreCosts`. The rows may be a part of
    a table: sums of the parts, in whole numbers of the same unit, may be added.

    Parameters
    ----------
    labels : LabelModel
    n_classes : int
    loss : {"exponential", "log"}
    keys : ndarray of uint64, shape (n_samples,)
        Bits of each row, from which its part in random draws and its rounding follow.
    scale_back : float
        What row weights are divided by.
    pool : ThreadPool, optional
    """

    def __init__(
        self,
        labels: LabelModel,
        n_classes: int,
        loss: str,
        keys: np.ndarray,
        scale_back: float,
        pool: ThreadPool | None = None,
    ) -> None:
        self.n_classes = n_classes
        self._pool = pool or ThreadPool()
        self._keys = keys
        weight = np.asarray(labels.weight / scale_back, dtype=np.float64)
        self.P = np.empty((len(labels.y), n_classes), dtype=np.float32)
        self._over_rows(self._begin_even)
        self._rows = (self.P, labels.y, weight)
        self._heaviest = float(weight.max(initial=0.0))
        self._labels = (
            labels.chances,
            1.0 / labels.class_weight,
            labels.class_weight,
            labels.class_cost,
            LOSSES[loss],
        )
        self._stakes = np.empty(len(labels.y), dtype=np.float32)
        self._seen = self._stakes
        self._highest = 0.0
        self._drawn = np.empty(len(labels.y), dtype=np.int32)
        self._n_drawn = 0
        self._values = np.empty((0, lanes_for(n_classes)), dtype=np.int16)

    def _begin_even(self, start: int, stop: int) -> None:
        """All classes are as probable; pages of memory are first touched here, in all threads."""
        self.P[start:stop] = 1.0 / self.n_classes

    def measure(self) -> float:
        """Compute the stakes of all rows from their scores; the largest one."""
        self._over_rows(loops.row_stakes, self._rows, self._labels, self._stakes)
        self._highest = float(self._stakes.max(initial=0.0))
        return self._highest

    @property
    def counted(self) -> np.ndarray:
        """Which rows have a weight, bool of shape (n_samples,)."""
        return np.asarray(self._rows[2] > 0.0)

    def heaviest(self) -> float:
        """Largest weight of a row."""
        return self._heaviest

    def sum_stakes(self, scale: float) -> int:
        """Sum of the stakes in whole numbers of ``1 / scale``."""
        return self._sum(loops.sum_stakes, self._stakes, scale)

    def sum_log_loss(self, scale: float) -> int:
        """The log-loss in whole numbers of ``1 / scale``."""
        return self._sum(loops.sum_log_loss, self._rows, self._labels, scale)

    def look_at(self, row_mask: np.ndarray | None) -> float:
        """Say which rows may be drawn, (n_samples,), None is all; the largest of their stakes."""
        self._seen = self._stakes
        if row_mask is None or row_mask.all():
            return self._highest
        self._seen = np.where(row_mask, self._stakes, np.float32(0.0))
        return float(self._seen.max(initial=0.0))

    def count_stakes(self) -> np.ndarray:
        """Rows that may be drawn, by the size of their stake, shape (2048,)."""

        def add(counts: np.ndarray, start: int, stop: int) -> None:
            loops.count_stakes(self._seen, counts, start, stop)

        return self._sum_arrays(add, (2048,))

    def draw(self, seed: int, threshold: float, scale: float) -> Drawn:
        """Draw rows by their stake; what they weigh, in whole numbers of ``1 / scale``."""
        args = (self._seen, self._keys, seed, threshold, self._drawn)
        parts = self._parts()
        sizes = self._pool.map([partial(loops.draw_rows, *args, *part) for part in parts])
        end = 0
        for (start, _), size in zip(parts, sizes):
            self._drawn[end : end + size] = self._drawn[start : start + size]
            end += size
        self._n_drawn = end
        cuts = [end * k // len(parts) for k in range(len(parts) + 1)]
        weighed = (self._seen, self._drawn, np.float32(threshold), scale)
        jobs = [partial(loops.weigh_drawn, *weighed, *part) for part in pairwise(cuts)]
        totals, highs, lows = zip(*self._pool.map(jobs))
        return Drawn(end, sum(totals), max(highs), min(lows))

    def fill_gradients(
        self, seed: int, threshold: float, scales: tuple[float, float], in_place: bool = False
    ) -> tuple[np.ndarray, np.ndarray]:
        """Gradients of the drawn rows in whole numbers.

        Parameters
        ----------
        seed : int
        threshold : float
            Stake below which rows were drawn by chance.
        scales : (float, float)
            Whole numbers per unit of gradient and of curvature.
        in_place : bool, default=False
            Whether the values of row i may stand at i, which is so if most rows are drawn.

        Returns
        -------
        rows : ndarray of int32, shape (n_drawn,)
            In increasing order.
        values : ndarray of int16, shape (n_drawn, n_lanes) or (n_samples, n_lanes)
        """
        n_drawn, n_rows = self._n_drawn, len(self._drawn)
        size = n_rows if in_place and 2 * n_drawn > n_rows else n_drawn
        if len(self._values) < size:
            room = min(size + size // 8, n_rows)
            self._values = np.empty((room, self._values.shape[1]), dtype=np.int16)
        rows, values = self._drawn[:n_drawn], self._values[:size]
        self._pool.parallel_for(
            n_drawn, loops.fill_gradients,
            self._rows, self._labels, rows, self._seen, self._keys, (seed, threshold),
            axes_for(self.n_classes, seed), scales, values,
            worth=self._worth_threads,
        )  # fmt: skip
        return rows, values

    def sum_leaves(self, leaf_of: np.ndarray, n_leaves: int, scale: float) -> np.ndarray:
        """Costs owed and paid and curvature in whole numbers, (3, n_leaves, n_classes)."""

        def add(sums: np.ndarray, start: int, stop: int) -> None:
            loops.sum_leaves(self._rows, self._labels, leaf_of, scale, *sums, start, stop)

        return self._sum_arrays(add, (3, n_leaves, self.n_classes))

    def sum_pairs(self, leaf_of: np.ndarray, n_leaves: int, scale: float) -> np.ndarray:
        """Cost matrix of each leaf in whole numbers, (n_leaves, n_classes, n_classes)."""

        def add(sums: np.ndarray, start: int, stop: int) -> None:
            loops.sum_leaf_pairs(self._rows, self._labels, leaf_of, scale, sums, start, stop)

        return self._sum_arrays(add, (n_leaves, self.n_classes, self.n_classes))

    def sum_hits(
        self, leaf_of: np.ndarray, spoken: np.ndarray, y: np.ndarray, mass: np.ndarray, scale: float
    ) -> np.ndarray:
        """Mass of the class that a leaf supports, in whole numbers, shape (n_leaves,)."""

        def add(sums: np.ndarray, start: int, stop: int) -> None:
            loops.sum_hits(leaf_of, spoken, y, mass, scale, sums, start, stop)

        return self._sum_arrays(add, (len(spoken),))

    def move(self, leaf_of: np.ndarray, scores: np.ndarray, share: np.ndarray | None) -> None:
        """Add leaf scores to the rows; see :meth:`ScoreCosts.add`."""
        if share is None:
            factors = exp_all(scores).astype(np.float32)
            self._over_rows(loops.move_rows, self.P, leaf_of, factors)
        else:
            self._over_rows(loops.move_shares, self.P, leaf_of, scores, share)

    def labels(self) -> np.ndarray:
        """The most probable class of every row, shape (n_samples,)."""
        (chances, units), y = self._labels[:2], self._rows[1]
        if not chances.size:
            return np.asarray(y)
        power = 1.0 if self._labels[4] == loops.LOG else 2.0
        known = chances[y] * units * self.P.astype(np.float64) ** power
        return known.argmax(axis=1).astype(np.int32)

    @property
    def _worth_threads(self) -> bool:
        return self.P.size > _PARALLEL_ENTRIES

    def _over_rows(self, loop: Callable[..., Any], *args: Any) -> None:
        self._pool.parallel_for(len(self.P), loop, *args, worth=self._worth_threads)

    def _parts(self) -> list[tuple[int, int]]:
        """Slices of the rows, one per thread."""
        n_parts = self._pool.n_threads if self._worth_threads else 1
        cuts = [len(self.P) * k // n_parts for k in range(n_parts + 1)]
        return list(pairwise(cuts))

    def _sum(self, loop: Callable[..., int], *args: Any) -> int:
        return sum(self._pool.map([partial(loop, *args, *part) for part in self._parts()]))

    def _sum_arrays(
        self, add: Callable[[np.ndarray, int, int], None], shape: tuple[int, ...]
    ) -> np.ndarray:
        def summed(start: int, stop: int) -> np.ndarray:
            sums = np.zeros(shape, dtype=np.int64)
            add(sums, start, stop)
            return sums

        parts = self._pool.map([partial(summed, *part) for part in self._parts()])
        return np.asarray(sum(parts[1:], start=parts[0]))


class ScoreCosts:
    """Costs of all predictions for all rows, kept up to date as leaves add scores.

    Parameters
    ----------
    labels : LabelModel
    n_classes : int
    loss : {"exponential", "log"}
    keys : ndarray of uint64, shape (n_samples,)
        Bits of each row, from which its part in random draws and its rounding follow.
    pool : ThreadPool, optional

    Attributes
    ----------
    rows : ScoreRows
        The rows, with what is done to each of them.
    class_weight : ndarray of shape (n_classes,)
        Weight of an example of each class relative to the average.

    Examples
    --------
    >>> import numpy as np
    >>> y = np.array([0, 0, 1], dtype=np.int32)
    >>> empty = np.zeros((0, 0))
    >>> labels = LabelModel(y, np.ones(3), empty, empty, np.ones(2))
    >>> costs = ScoreCosts(labels, 2, "exponential", np.arange(3, dtype=np.uint64))
    >>> costs.loss
    3.0
    >>> costs.add(np.array([0, 0, 1]), np.array([[0.5, -0.5], [-0.5, 0.5]]))
    >>> round(costs.loss, 6)
    1.103638
    """

    rows: Any

    def __init__(
        self,
        labels: LabelModel,
        n_classes: int,
        loss: str,
        keys: np.ndarray,
        pool: ThreadPool | None = None,
    ) -> None:
        scale_back = weight_unit(mean_weight(labels.weight), labels.examples_per_row)
        rows = ScoreRows(labels, n_classes, loss, keys, scale_back, pool)
        self._open(rows, len(labels.y), n_classes, loss, scale_back, labels.priority)

    def _open(
        self,
        rows: Any,
        n_rows: int,
        n_classes: int,
        loss: str,
        scale_back: float,
        priority: np.ndarray | None,
    ) -> None:
        self.rows, self.n_rows, self.n_classes = rows, n_rows, n_classes
        self._loss, self._scale_back = LOSSES[loss], scale_back
        self.class_weight = np.ones(n_classes) if priority is None else priority
        self._refresh(self.rows.measure())

    @property
    def P(self) -> np.ndarray:  # noqa: N802
        """Softmax of the scores so far, float32, shape (n_samples, n_classes)."""
        return np.asarray(self.rows.P)

    @property
    def is_settled(self) -> bool:
        """Whether no cost is left to learn from."""
        return not self._top > 0.0

    @property
    def loss(self) -> float:
        """The loss, in the units of the row weights."""
        if self._loss == loops.EXPONENTIAL:
            return self.rows.sum_stakes(self._scale) / self._scale * self._scale_back
        heaviest = self.rows.heaviest() * float(self.class_weight.max())
        most = _MOST_LOG_LOSS * max(heaviest, _LEAST) * max(self.n_rows, 1)
        scale = 2.0 ** (60 - _ceil_log2(min(most, _MOST)))
        return self.rows.sum_log_loss(scale) / scale * self._scale_back

    @property
    def log_loss(self) -> float:
        """Logarithm of the loss."""
        loss = self.loss
        return math.log(loss) if loss > 0.0 else -math.inf

    @property
    def scores(self) -> np.ndarray:
        """Scores up to a constant of each row, shape (n_samples, n_classes)."""
        return np.log(self.P)

    def most_probable(self) -> np.ndarray:
        """The class of every row, as far as is known by now, shape (n_samples,)."""
        return np.asarray(self.rows.labels())

    def _refresh(self, top: float) -> None:
        """Take note of the largest stake, after the scores have changed."""
        self._top = min(top, _MOST)
        self._scale = 2.0 ** (60 - _ceil_log2(max(self._top, _LEAST) * max(self.n_rows, 1)))

    def gradients(
        self, seed: int, share: float = 1.0, row_mask: np.ndarray | None = None
    ) -> tuple[np.ndarray, np.ndarray, float, float]:
        """Gradients in whole numbers, for a tree.

        Parameters
        ----------
        seed : int
            Of the round.
        share : float, default=1.0
            Share of the rows to draw. Rows are drawn with a probability that grows with their
            cost, and the costs of a row that might have been left out are raised to make up.
        row_mask : ndarray of bool, shape (n_samples,), optional
            Rows that may take part.

        Returns
        -------
        rows : ndarray of int32, shape (n_drawn,)
        values : ndarray of int16, shape (n_drawn, n_lanes)
            Projected gradients, and the curvature in the last lane.
        unit, curvature_unit : float
            What 1 stands for.
        """
        threshold, scale = self.plan_draw(seed, share, row_mask)
        curvature_scale = scale * self._curvature_times
        rows, values = self.rows.fill_gradients(seed, threshold, (scale, curvature_scale))
        return rows, values, 1.0 / scale, 1.0 / curvature_scale

    @property
    def _curvature_times(self) -> float:
        """Whole numbers of curvature for one of gradient."""
        return 2.0 ** math.floor(math.log2(max(self.n_classes / 2.0, 1.0)))

    def plan_draw(
        self, seed: int, share: float, row_mask: np.ndarray | None = None
    ) -> tuple[float, float]:
        """Draw rows; the stake below which chance draws them, and whole numbers per unit.

        Rows whose curvature would be less than a whole number are drawn by chance as well: none
        could stand for less than 1.
        """
        top = self.rows.look_at(row_mask)
        threshold = self._threshold(share)
        drawn = self.rows.draw(seed, threshold, self._scale)
        if not drawn.size:
            threshold = top
            drawn = self.rows.draw(seed, threshold, self._scale)
        scale = self._scale_for(drawn)
        least = self.n_classes / (2.0 * scale * self._curvature_times)
        if least > threshold and drawn.lowest < least:
            threshold = least
            scale = self._scale_for(self.rows.draw(seed, least, self._scale))
        return threshold, scale

    def _scale_for(self, drawn: Drawn) -> float:
        """Whole numbers per unit of gradient, such that no sum of drawn rows overflows."""
        bound = drawn.highest * math.sqrt(2.0)
        most = drawn.total / self._scale * math.sqrt(2.0)
        finest = (_LARGEST_SUM - drawn.size) / max(most, _LEAST)
        return 2.0 ** math.floor(math.log2(min(_LARGEST_SHORT / max(bound, _LEAST), finest)))

    def _threshold(self, share: float) -> float:
        """Stake below which rows are drawn by chance, so that a share of them is drawn."""
        if share >= 1.0:
            return 0.0
        counts = self.rows.count_stakes()
        counts[0] = 0
        edges = (np.arange(2048, dtype=np.uint32) << np.uint32(20)).view(np.float32)
        used = np.flatnonzero(counts)
        size = edges[used].astype(np.float64)
        above = np.cumsum(counts[used][::-1])[::-1]
        below = np.cumsum(counts[used] * size) - counts[used] * size
        expected = above + below / np.where(size > 0.0, size, 1.0)
        enough = np.flatnonzero(expected <= share * counts.sum())
        if len(enough):
            return float(size[enough[0]])
        return float(counts[used] @ size) / max(share * float(counts.sum()), 1.0)

    def leaf_sums(
        self, leaf_of: np.ndarray, n_leaves: int
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Costs by leaf and class.

        Parameters
        ----------
        leaf_of : ndarray of int, shape (n_samples,)
            -1 for rows that take no part.
        n_leaves : int

        Returns
        -------
        owed, paid, curvature : ndarray of shape (n_leaves, n_classes)
            Cost of the rows of each class, of mistaking others for it, and second derivatives.
        """
        sums = self.rows.sum_leaves(leaf_of, n_leaves, self._scale)
        owed, paid, curvature = sums.astype(np.float64) / self._scale
        return owed, paid, curvature

    def leaf_pairs(self, leaf_of: np.ndarray, n_leaves: int) -> np.ndarray:
        """Cost matrix of each leaf, shape (n_leaves, n_classes, n_classes)."""
        pairs = self.rows.sum_pairs(leaf_of, n_leaves, self._scale).astype(np.float64)
        pairs /= self._scale
        every = np.arange(self.n_classes)
        pairs[:, every, every] = 0.0
        return np.asarray(pairs)

    def reach(
        self,
        leaf_of: np.ndarray,
        spoken: np.ndarray,
        y: np.ndarray,
        mass: np.ndarray,
        class_mass: np.ndarray,
    ) -> np.ndarray:
        """Share of the mass of the class a leaf speaks for that it holds, shape (n_leaves,).

        Parameters
        ----------
        leaf_of : ndarray of int, shape (n_samples,)
        spoken : ndarray of int, shape (n_leaves,)
        y, mass : ndarray of shape (n_samples,)
        class_mass : ndarray of shape (n_classes,)
        """
        scale = hits_scale(largest(mass), len(mass))
        hits = self.rows.sum_hits(leaf_of, spoken, y, mass, scale)
        return hits.astype(np.float64) / scale / np.maximum(class_mass[spoken], _TINY)

    def add(self, leaf_of: np.ndarray, scores: np.ndarray, share: np.ndarray | None = None) -> None:
        """Add leaf scores to the rows.

        Parameters
        ----------
        leaf_of : ndarray of int, shape (n_samples,)
            -1 for rows whose scores stay.
        scores : ndarray of shape (n_leaves, n_classes)
        share : ndarray of shape (n_samples,), optional
            Factor on the scores for each row.
        """
        self.rows.move(leaf_of, scores, share)
        self._refresh(self.rows.measure())


def weight_unit(mean: float, examples_per_row: float) -> float:
    """What row weights of this mean are divided by; see :class:`LabelModel`."""
    return mean / min(max(examples_per_row, 1.0), 1e3)


def hits_scale(heaviest: float, n_rows: int) -> float:
    """Whole numbers per unit of mass, such that no sum over so many rows overflows."""
    return 2.0 ** (60 - _ceil_log2(max(heaviest, 1e-300) * n_rows))


def mean_weight(weight: np.ndarray) -> float:
    """Mean of the positive weights, 1 if there is none."""
    return reproducible_sum(weight) / max(int((weight > 0.0).sum()), 1) or 1.0


def class_priority(class_mass: np.ndarray, units: np.ndarray) -> np.ndarray:
    """Weight of an example of each class relative to the average, shape (n_classes,).

    Parameters
    ----------
    class_mass : ndarray of shape (n_classes,)
        Examples of each class.
    units : ndarray of shape (n_classes,)
        Number that the loss divides the examples of each class by.

    Examples
    --------
    >>> class_priority(np.array([90.0, 10.0]), np.array([90.0, 10.0]))
    array([0.55555556, 5.        ])
    """
    there = class_mass > 0.0
    priority = np.ones(len(class_mass))
    if there.any():
        mean = float((class_mass[there] / units[there]).sum() / class_mass.sum())
        priority[there] = 1.0 / (units[there] * mean)
    return priority


def _ceil_log2(number: float) -> int:
    return math.ceil(math.log2(number))


def lanes_for(n_classes: int) -> int:
    """Numbers per row that a tree is grown on: projected gradients and the curvature.

    Examples
    --------
    >>> [lanes_for(n_classes) for n_classes in (2, 3, 7, 8, 26)]
    [2, 4, 8, 8, 8]
    """
    axes = min(n_classes - 1, _MOST_AXES)
    return next(lanes for lanes in (2, 4, 8) if lanes > axes)


def used_lanes(n_classes: int, n_lanes: int) -> np.ndarray:
    """Lanes that hold something: one for each axis, and the last one for the curvature.

    Examples
    --------
    >>> used_lanes(5, 8)
    array([0, 1, 2, 3, 7])
    """
    return np.array([*range(min(n_classes - 1, _MOST_AXES)), n_lanes - 1])


def axes_for(n_classes: int, seed: int) -> np.ndarray:
    """Axes on which a tree sees gradients, as ``fill_gradients`` takes them.

    Gradients add up to zero over the classes, so ``n_classes - 1`` orthogonal axes keep all
    lengths: axis ``k`` is ``(1, ..., 1, -k, 0, ..., 0)``, and its length is all that is needed.
    With more than eight classes there are seven random axes of signs, new ones in every round:
    lengths are right on average.

    Returns
    -------
    ndarray of shape (1, n_classes - 1) or (n_classes, 7)

    Examples
    --------
    >>> axes_for(3, seed=0).round(3)
    array([[0.707, 0.408]])
    >>> axes_for(26, seed=0).shape
    (26, 7)
    """
    if n_classes - 1 > _MOST_AXES:
        signs = np.random.default_rng(seed).integers(0, 2, (n_classes, _MOST_AXES))
        return np.asarray((2.0 * signs - 1.0) / math.sqrt(_MOST_AXES))
    k = np.arange(1.0, n_classes)
    return (1.0 / np.sqrt(k * (k + 1.0)))[None, :]
