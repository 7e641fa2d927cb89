"""The costs of a boosting process whose voters add a score to every class.

The state of a row is the softmax of its scores, ``P``. With row weight ``w`` and class ``y``, the
cost of answering ``l`` is ``w P_l / P_y`` for the exponential loss ``sum_i w_i sum_{l != y} exp(f_l
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
from uneven.utils.reproducible_sums import reproducible_sum

LOSSES = {"exponential": loops.EXPONENTIAL, "log": loops.LOG}
_PARALLEL_ENTRIES = 150_000
_MOST_AXES = 7
_LARGEST_SHORT = 32_700.0
_MOST_LOG_LOSS = 128.0
_MOST = 1e290
_LARGEST_SUM = 2.0**31 - 1.0
_LEAST = 1e-200


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
        Price factors of wrong answers, row = true class.
    chances : ndarray of shape (n_signals, n_classes), or an empty array
        Chance of what is seen if a class is true; an empty array if labels are right.
    class_weight : ndarray of shape (n_classes,)
        Further weight of the true class, with ``chances``.
    examples_per_row : float, default=1.0
        How many examples a row of positive weight stands for on average; below one or beyond a
        thousand that makes no difference.
    priority : ndarray of shape (n_classes,), optional
        What an example of each class weighs beside one of average weight; 1 if not given.
    """

    y: np.ndarray
    weight: np.ndarray
    class_cost: np.ndarray
    chances: np.ndarray
    class_weight: np.ndarray
    examples_per_row: float = 1.0
    priority: np.ndarray | None = None


class ScoreCosts:
    """Costs of all answers for all rows, kept up to date as leaves add scores.

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
    P : ndarray of float32, shape (n_samples, n_classes)
        Softmax of the scores so far.
    class_weight : ndarray of shape (n_classes,)
        What an example of each class weighs beside one of average weight.

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

    def __init__(
        self,
        labels: LabelModel,
        n_classes: int,
        loss: str,
        keys: np.ndarray,
        pool: ThreadPool | None = None,
    ) -> None:
        self.n_classes, self.n_rows = n_classes, len(labels.y)
        self._pool = pool or ThreadPool()
        self._keys = keys
        self._scale_back = mean_weight(labels.weight) / min(max(labels.examples_per_row, 1.0), 1e3)
        weight = np.asarray(labels.weight / self._scale_back, dtype=np.float64)
        self.P = np.full((self.n_rows, n_classes), 1.0 / n_classes, dtype=np.float32)
        self._rows = (self.P, labels.y, weight)
        self.class_weight = np.ones(n_classes) if labels.priority is None else labels.priority
        self._labels = (
            labels.chances,
            1.0 / labels.class_weight,
            labels.class_weight,
            labels.class_cost,
            LOSSES[loss],
        )
        self._stakes = np.empty(self.n_rows, dtype=np.float32)
        self._drawn = np.empty(self.n_rows, dtype=np.int32)
        self._values = np.empty((0, lanes_for(n_classes)), dtype=np.int16)
        self._refresh()

    @property
    def is_settled(self) -> bool:
        """Whether no cost is left to learn from."""
        return not self._top > 0.0

    @property
    def loss(self) -> float:
        """The loss, in the units of the row weights."""
        if self._labels[4] == loops.EXPONENTIAL:
            total = self._sum(loops.sum_stakes, self._stakes, self._scale)
            return total / self._scale * self._scale_back
        heaviest = float(self._rows[2].max(initial=0.0)) * float(self.class_weight.max())
        most = _MOST_LOG_LOSS * max(heaviest, _LEAST) * max(self.n_rows, 1)
        scale = 2.0 ** (60 - _ceil_log2(min(most, _MOST)))
        return (
            self._sum(loops.sum_log_loss, self._rows, self._labels, scale)
            / scale
            * (self._scale_back)
        )

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
        chances, units, loss = self._labels[0], self._labels[1], self._labels[4]
        if not chances.size:
            return self._rows[1]
        power = 1.0 if loss == loops.LOG else 2.0
        known = chances[self._rows[1]] * units * self.P.astype(np.float64) ** power
        return known.argmax(axis=1).astype(np.int32)

    def _refresh(self) -> None:
        """Stakes of all rows, after the scores have changed."""
        self._over_rows(loops.row_stakes, self._rows, self._labels, self._stakes)
        self._top = min(float(self._stakes.max(initial=0.0)), _MOST)
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
        stakes = self._stakes
        if row_mask is not None and not row_mask.all():
            stakes = np.where(row_mask, stakes, np.float32(0.0))
        rows, threshold, scale = self._plan_draw(stakes, seed, share)
        n_drawn = len(rows)
        if len(self._values) < n_drawn:
            room = min(n_drawn + n_drawn // 8, self.n_rows)
            self._values = np.empty((room, self._values.shape[1]), dtype=np.int16)
        curvature_scale = scale * self._curvature_times
        self._pool.parallel_for(
            n_drawn, loops.fill_gradients,
            self._rows, self._labels, rows, stakes, self._keys, (seed, threshold),
            axes_for(self.n_classes, seed), (scale, curvature_scale), self._values,
            worth=self._worth_threads,
        )  # fmt: skip
        return rows, self._values[:n_drawn], 1.0 / scale, 1.0 / curvature_scale

    @property
    def _curvature_times(self) -> float:
        """Whole numbers of curvature for one of gradient."""
        return 2.0 ** math.floor(math.log2(max(self.n_classes / 2.0, 1.0)))

    def _plan_draw(
        self, stakes: np.ndarray, seed: int, share: float
    ) -> tuple[np.ndarray, float, float]:
        """Drawn rows, the stake below which chance draws them, and whole numbers per unit.

        Rows whose curvature would be less than a whole number are drawn by chance as well: none
        could stand for less than 1.
        """
        threshold = self._threshold(stakes, share)
        rows = self._draw(stakes, seed, threshold)
        if not len(rows):
            threshold = float(stakes.max(initial=0.0))
            rows = self._draw(stakes, seed, threshold)
        scale, lowest = self._scale_for(stakes, rows, threshold)
        least = self.n_classes / (2.0 * scale * self._curvature_times)
        if least > threshold and lowest < least:
            rows = self._draw(stakes, seed, least)
            threshold, scale = least, self._scale_for(stakes, rows, least)[0]
        return rows, threshold, scale

    def _scale_for(
        self, stakes: np.ndarray, rows: np.ndarray, threshold: float
    ) -> tuple[float, float]:
        """Whole numbers per unit of gradient, such that no sum of drawn rows overflows.

        Also the smallest stake of these rows.
        """
        n_parts = len(self._parts())
        cuts = [len(rows) * k // n_parts for k in range(n_parts + 1)]
        args = (stakes, rows, np.float32(threshold), self._scale)
        jobs = [partial(loops.weigh_drawn, *args, *part) for part in pairwise(cuts)]
        totals, highs, lows = zip(*self._pool.map(jobs))
        bound = max(highs) * math.sqrt(2.0)
        most = sum(totals) / self._scale * math.sqrt(2.0)
        finest = (_LARGEST_SUM - len(rows)) / max(most, _LEAST)
        scale = 2.0 ** math.floor(math.log2(min(_LARGEST_SHORT / max(bound, _LEAST), finest)))
        return scale, min(lows)

    def _draw(self, stakes: np.ndarray, seed: int, threshold: float) -> np.ndarray:
        """Draw rows by their stake, in increasing order, shape (n_drawn,)."""
        args = (stakes, self._keys, seed, threshold, self._drawn)
        parts = self._parts()
        sizes = self._pool.map([partial(loops.draw_rows, *args, *part) for part in parts])
        end = 0
        for (start, _), size in zip(parts, sizes):
            self._drawn[end : end + size] = self._drawn[start : start + size]
            end += size
        return self._drawn[:end]

    def _threshold(self, stakes: np.ndarray, share: float) -> float:
        """Stake below which rows are drawn by chance, so that a share of them is drawn."""
        if share >= 1.0:
            return 0.0
        counts = np.zeros(2048, dtype=np.int64)
        loops.count_stakes(stakes, counts, 0, len(stakes))
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
        shape = (3, n_leaves, self.n_classes)

        def add(sums: np.ndarray, start: int, stop: int) -> None:
            loops.sum_leaves(self._rows, self._labels, leaf_of, self._scale, *sums, start, stop)

        owed, paid, curvature = self._sum_arrays(add, shape) / self._scale
        return owed, paid, curvature

    def leaf_pairs(self, leaf_of: np.ndarray, n_leaves: int) -> np.ndarray:
        """Cost matrix of each leaf, shape (n_leaves, n_classes, n_classes)."""

        def add(sums: np.ndarray, start: int, stop: int) -> None:
            loops.sum_leaf_pairs(self._rows, self._labels, leaf_of, self._scale, sums, start, stop)

        pairs = self._sum_arrays(add, (n_leaves, self.n_classes, self.n_classes)) / self._scale
        every = np.arange(self.n_classes)
        pairs[:, every, every] = 0.0
        return pairs

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
        scale = 2.0 ** (60 - _ceil_log2(max(float(mass.max()), 1e-300) * len(mass)))

        def add(sums: np.ndarray, start: int, stop: int) -> None:
            loops.sum_hits(leaf_of, spoken, y, mass, scale, sums, start, stop)

        hits = self._sum_arrays(add, (len(spoken),)) / scale
        return np.asarray(hits / np.maximum(class_mass[spoken], np.finfo(float).tiny))

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
        if share is None:
            factors = exp_all(scores).astype(np.float32)
            self._over_rows(loops.move_rows, self.P, leaf_of, factors)
        else:
            self._over_rows(loops.move_shares, self.P, leaf_of, scores, share)
        self._refresh()

    @property
    def _worth_threads(self) -> bool:
        return self.n_rows * self.n_classes > _PARALLEL_ENTRIES

    def _over_rows(self, loop: Callable[..., Any], *args: Any) -> None:
        self._pool.parallel_for(self.n_rows, loop, *args, worth=self._worth_threads)

    def _parts(self) -> list[tuple[int, int]]:
        """Slices of the rows, one per thread."""
        n_parts = self._pool.n_threads if self._worth_threads else 1
        cuts = [self.n_rows * k // n_parts for k in range(n_parts + 1)]
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
        return np.asarray(sum(parts[1:], start=parts[0]).astype(np.float64))


def mean_weight(weight: np.ndarray) -> float:
    """Mean of the positive weights, 1 if there is none."""
    return reproducible_sum(weight) / max(int((weight > 0.0).sum()), 1) or 1.0


def class_priority(class_mass: np.ndarray, units: np.ndarray) -> np.ndarray:
    """What an example of each class weighs beside one of average weight, shape (n_classes,).

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
    """Numbers per row that a tree sees: projected gradients and the curvature.

    Examples
    --------
    >>> [lanes_for(n_classes) for n_classes in (2, 3, 7, 8, 26)]
    [2, 4, 8, 8, 8]
    """
    axes = min(n_classes - 1, _MOST_AXES)
    return next(lanes for lanes in (2, 4, 8) if lanes > axes)


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
