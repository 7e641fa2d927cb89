"""Cost matrices: the cost of every prediction for every example.

``D[i, l]`` is the cost of predicting class ``l`` for example ``i``. Boosting by exponential loss
fills it with ``D[i, l] = u_i c[y_i, l] exp(f(i, l) - f(i, y_i))`` for the wrong labels and minus
their sum on the right one, so that every row adds up to zero. AdaBoost.MM, CoMBo and the
multi-view methods differ only in the example weights ``u`` and in who reads the matrix.

The functions are pure and take plain arrays. The classes are the same matrices as weak learners
read them: with exact sums, kept up to date from round to round.

References
----------
I. Mukherjee and R. E. Schapire (2013), *A theory of multiclass boosting*.
S. Koço and C. Capponi (2013), *On multi-class learning through the minimization of the confusion
matrix norm*.

Notes
-----
Corrections of the sources: the matrix is cheapest on the true label (one inequality is printed
the other way round); the uniform baseline is ``(1 - g) / K`` with ``g`` more on the true label,
whose rows sum to one; the distribution over examples is ``D[i, y_i] / sum_e D[e, y_e]`` without
the printed minus sign.
"""

from __future__ import annotations

import math
from abc import ABCMeta, abstractmethod
from collections.abc import Callable
from copy import copy
from typing import Any

import numpy as np

from uneven.costs import _loops, _portable
from uneven.costs._simd import aligned_zeros
from uneven.costs.score_costs import LabelModel, class_priority, mean_weight
from uneven.utils.parallel import ThreadPool
from uneven.utils.reproducible_sums import fold_units, reproducible_sum, sum_by_label

EDGE_CLIP = 1e-10
"""Edges are kept this far from -1 and 1, so that a vote weight is at most 11.86."""

EDGE_TOLERANCE = 1e-12
"""An edge must be larger than this to be worth a vote."""

TIE = 1e-9
"""Costs that differ by less than this share of the total are equal: the difference is rounding,
and ties must go the same way whether a row is repeated or weighted."""

_REFRESH_ROUNDS = 50
_REFRESH_VOTES = 5.0
_PARALLEL_ENTRIES = 600_000
_NONE = np.zeros((0, 0))


def exponential_costs(
    scores: np.ndarray,
    y: np.ndarray,
    weights: np.ndarray | None = None,
    class_cost: np.ndarray | None = None,
) -> tuple[np.ndarray, float]:
    """Cost matrix of the exponential pair loss, in log-space.

    Parameters
    ----------
    scores : ndarray of shape (n_samples, n_classes)
        Votes received so far.
    y : ndarray of int, shape (n_samples,)
        True labels.
    weights : ndarray of shape (n_samples,), optional
        Weight of each example, 1 if not given.
    class_cost : ndarray of shape (n_classes, n_classes), optional
        Cost factor of predicting the column's class for an example of the row's class.

    Returns
    -------
    costs : ndarray of shape (n_samples, n_classes)
        Scaled so that its largest entry is 1 (edges and minimisers do not see the scale). All
        zero if every weight is zero.
    log_loss : float
        Logarithm of the unscaled loss ``sum_i sum_{l != y_i} D[i, l]``.

    Examples
    --------
    >>> import numpy as np
    >>> costs, log_loss = exponential_costs(np.zeros((2, 3)), np.array([0, 2]))
    >>> costs
    array([[-2.,  1.,  1.],
           [ 1.,  1., -2.]])
    >>> round(float(np.exp(log_loss)), 12)
    4.0
    """
    rows = np.arange(len(y))
    with np.errstate(divide="ignore"):
        log_costs = scores - scores[rows, y][:, None]
        if weights is not None:
            log_costs = log_costs + np.log(weights)[:, None]
        if class_cost is not None:
            log_costs = log_costs + np.log(class_cost)[y]
    log_costs[rows, y] = -np.inf
    shift = log_costs.max(initial=-np.inf)
    if shift == -np.inf:
        return np.zeros_like(log_costs), -np.inf
    costs = np.exp(log_costs - shift)
    stakes = costs.sum(axis=1)
    costs[rows, y] = -stakes
    return costs, float(shift + np.log(stakes.sum()))


def edge(costs: np.ndarray, y: np.ndarray, answers: np.ndarray) -> float:
    """How much better than uniform guessing a vector of predictions is, in [-1, 1].

    Parameters
    ----------
    costs : ndarray of shape (n_samples, n_classes)
        Rows sum to zero.
    y, answers : ndarray of int, shape (n_samples,)
        True and given labels; -1 abstains.

    Returns
    -------
    float
        1 exactly when no mistake has a cost, 0 for uniform guessing.

    Examples
    --------
    >>> import numpy as np
    >>> y = np.array([0, 0, 0, 1, 1, 2])
    >>> costs, _ = exponential_costs(np.zeros((6, 3)), y)
    >>> edge(costs, y, np.array([0, 0, 0, 1, 1, 1]))
    0.75
    """
    rows = np.arange(len(y))
    spoken = answers >= 0
    stakes = -costs[rows, y].sum()
    if stakes <= 0:
        return 0.0
    return float(-costs[rows[spoken], answers[spoken]].sum() / stakes)


def vote_weight(edge: float) -> float:
    """Weight of a vote with this edge: ``log((1 + edge) / (1 - edge)) / 2``, never negative.

    Examples
    --------
    >>> round(vote_weight(0.75), 9)
    0.972955075
    >>> vote_weight(-0.2)
    0.0
    """
    clipped = min(max(float(edge), 0.0), 1.0 - EDGE_CLIP)
    return float(_portable.arctanh(clipped))


def line_search_weight(right: float, wrong: float) -> float:
    """Weight that minimises the loss of the round exactly: ``log(right / wrong) / 2``.

    It is at least :func:`vote_weight` when ``right >= wrong``, and equal to it for two classes.

    Parameters
    ----------
    right, wrong : float
        Pair costs that the voter cancels and incurs.

    Examples
    --------
    >>> round(line_search_weight(right=7.0, wrong=1.0), 9)
    0.972955075
    """
    ceiling = vote_weight(1.0)
    if wrong <= 0.0:
        return ceiling if right > 0.0 else 0.0
    return min(0.5 * float(_portable.log(max(right, wrong) / wrong)), ceiling)


def example_distribution(costs: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Weights over examples for learners that do not read a cost matrix, shape (n_samples,).

    Examples
    --------
    >>> import numpy as np
    >>> costs, _ = exponential_costs(np.zeros((2, 3)), np.array([0, 2]), np.array([1.0, 3.0]))
    >>> example_distribution(costs, np.array([0, 2]))
    array([0.25, 0.75])
    """
    stakes = -costs[np.arange(len(y)), y]
    return np.asarray(stakes / stakes.sum())


def is_edge_over_random(costs: np.ndarray, y: np.ndarray) -> bool:
    """Whether the true label has the lowest cost in every row.

    Examples
    --------
    >>> import numpy as np
    >>> is_edge_over_random(np.array([[-1.0, 1.0]]), np.array([0]))
    True
    """
    return bool(np.all(costs[np.arange(len(y)), y] <= costs.min(axis=1)))


def uniform_baseline(y: np.ndarray, n_classes: int, advantage: float) -> np.ndarray:
    """Random guesser that prefers the true label by ``advantage``, shape (n_samples, n_classes).

    Examples
    --------
    >>> import numpy as np
    >>> uniform_baseline(np.array([1]), 2, 0.5)
    array([[0.25, 0.75]])
    """
    baseline = np.full((len(y), n_classes), (1.0 - advantage) / n_classes)
    baseline[np.arange(len(y)), y] += advantage
    return baseline


class CostMatrix:
    """A cost matrix as weak learners read it; the base of :class:`RunningCosts`.

    Parameters
    ----------
    y : ndarray of int, shape (n_samples,)
        True labels.
    n_classes : int
    weights : ndarray of shape (n_samples,)
        Weight of each example in the loss; rows of weight zero are left out.
    pool : ThreadPool, optional
        Threads to use.
    grid : float, optional
        Of the weights, if these rows are a part of a table; see :func:`weight_grid`.
    matrix : ndarray of zeros, shape (n_samples, n_lanes), optional
        Room for the costs.

    Attributes
    ----------
    matrix : ndarray of shape (n_samples, n_lanes)
        Lanes 0..K-1 hold the costs in whole numbers of a quantum, so that sums are exact; rows add
        up to zero. Lane K holds the weight of the row on a grid of its own; the rest is padding to
        a multiple of four.
    sums : ndarray of shape (n_lanes,)
        Sum of the rows of ``matrix``.
    stake : float
        Sum of the costs of all wrong labels in the units of ``matrix``.
    """

    def __init__(
        self,
        y: np.ndarray,
        n_classes: int,
        weights: np.ndarray,
        pool: ThreadPool | None = None,
        grid: float | None = None,
        matrix: np.ndarray | None = None,
    ) -> None:
        self.y = np.ascontiguousarray(y, dtype=np.int32)
        self.n_classes = n_classes
        self._pool = pool or ThreadPool()
        self.matrix = aligned_zeros((len(y), n_lanes(n_classes))) if matrix is None else matrix
        if grid is None:
            grid = weight_grid(reproducible_sum(weights), are_whole(weights))
        self.matrix[:, n_classes] = _snap_weights(weights, grid)
        self._n_blocks = -(-len(y) // _loops.BLOCK)
        self._worth_threads = len(y) * n_classes > _PARALLEL_ENTRIES

    def edge(self, answers: np.ndarray) -> float:
        """Edge of a vector of predictions on the current costs; see :func:`uneven.costs.edge`."""
        return float(self.edges(answers[None, :])[0])

    def edges(self, answers: np.ndarray) -> np.ndarray:
        """Edges of several vectors of predictions, the rows of ``answers``, shape (n_vectors,)."""
        return np.asarray(-self.answer_costs(answers) / max(self.stake, 1.0))

    def answer_costs(self, answers: np.ndarray) -> np.ndarray:
        """Summed costs of several vectors of predictions, in quanta, shape (n_vectors,)."""
        sums = np.zeros((self._n_blocks, len(answers)))
        self._over_blocks(_loops.answer_costs, self.matrix, answers, sums)
        return np.asarray(sums.sum(axis=0))

    def right_and_wrong(self, answers: np.ndarray) -> tuple[float, float]:
        """Pair costs that the predictions cancel and incur, as shares of all pair costs."""
        right, wrong = self.paid(answers).sum(axis=1) / max(self.stake, 1.0)
        return float(right), float(wrong)

    def right_and_wrong_by_class(self, answers: np.ndarray) -> np.ndarray:
        """The same for each predicted class, shape (2, n_classes)."""
        return np.asarray(self.paid(answers) / max(self.stake, 1.0))

    def paid(self, answers: np.ndarray) -> np.ndarray:
        """Quanta cancelled and incurred by predicting each class, shape (2, n_classes)."""
        sums = np.zeros((self._n_blocks, 2, self.n_classes))
        self._over_blocks(_loops.right_and_wrong, self.matrix, self.y, answers, sums)
        return np.asarray(sums.sum(axis=0))

    def distribution(self) -> np.ndarray:
        """Share of each example in the total cost, shape (n_samples,)."""
        return np.asarray(self.row_stakes() / max(self.stake, 1.0))

    def examples(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """What a learner that reads no costs is to learn from.

        Returns
        -------
        rows : ndarray of int, shape (n_examples,)
        labels : ndarray of int, shape (n_examples,)
        weights : ndarray of shape (n_examples,)
            Positive; they add up to 1.
        """
        weights = self.distribution()
        rows = np.flatnonzero(weights > 0.0)
        return rows, self.y[rows], weights[rows]

    def row_stakes(self) -> np.ndarray:
        """Costs of the wrong labels of each row, in the units of ``matrix``, shape (n_samples,)."""
        return np.asarray(-self.matrix[np.arange(len(self.y)), self.y])

    def where(self, row_mask: np.ndarray, pool: ThreadPool) -> CostMatrix:
        """These costs for a view that is missing in some rows.

        Parameters
        ----------
        row_mask : ndarray of bool, shape (n_samples,)
            Other rows cost nothing.
        pool : ThreadPool
            Threads for later computations on the result.

        Returns
        -------
        CostMatrix
            For reading until the next vote is added here.
        """
        seen = copy(self)
        seen._pool = pool
        if not row_mask.all():
            seen.matrix = aligned_zeros(self.matrix.shape)
            seen.matrix[row_mask] = self.matrix[row_mask]
            seen.sums = seen.matrix.sum(axis=0)
            seen.stake = float(self.row_stakes()[row_mask].sum())
        return seen

    def snap(self, quantum: float) -> tuple[np.ndarray, float]:
        """Turn the costs of wrong labels into whole numbers of quanta and balance the true one.

        Returns
        -------
        sums : ndarray of shape (n_lanes,)
        stake : float
        """
        sums, stakes = self._empty_sums()
        self._over_blocks(
            _loops.snap_costs,
            self.y, self.n_classes, 1.0 / quantum, self.matrix, sums, stakes,
        )  # fmt: skip
        return block_totals(sums, stakes)

    def _settle(self, sums: np.ndarray, stake: float) -> None:
        self.sums, self.stake = sums, stake

    def _empty_sums(self) -> tuple[np.ndarray, np.ndarray]:
        return np.zeros((self._n_blocks, 4, self.matrix.shape[1])), np.empty(self._n_blocks)

    def _over_blocks(self, loop: Callable[..., Any], *args: Any) -> None:
        self._pool.parallel_for(self._n_blocks, loop, *args, worth=self._worth_threads)


class FixedCosts(CostMatrix):
    """Any costs of predictions, as a cost matrix that weak learners read.

    Parameters
    ----------
    prices : ndarray of shape (n_samples, n_classes)
        What each prediction costs; none may be cheaper than the true label. A constant added to
        a row changes nothing.
    y, weights, pool : object
        As for :class:`CostMatrix`; criteria look at costs per unit of weight.

    Examples
    --------
    >>> import numpy as np
    >>> costs = FixedCosts(np.array([0, 1]), np.array([[1.0, 4.0], [9.0, 0.0]]), np.ones(2))
    >>> costs.edge(np.array([0, 0]))
    -0.5
    """

    def __init__(
        self, y: np.ndarray, prices: np.ndarray, weights: np.ndarray, pool: ThreadPool | None = None
    ) -> None:
        if not is_edge_over_random(prices, y):
            raise ValueError("prices: a prediction costs less than the true label of its row.")
        n_classes = prices.shape[1]
        super().__init__(y, n_classes, weights, pool)
        costs = self.matrix[:, :n_classes]
        costs[:] = prices - prices.mean(axis=1, keepdims=True)
        self._settle(*self.snap(quantum(reproducible_sum(np.abs(prices)))))


class VoteCosts(CostMatrix, metaclass=ABCMeta):
    """The exponential cost matrix of a boosting process: it follows the votes.

    Attributes
    ----------
    scores : ndarray of shape (n_samples, n_classes)
        Votes received so far.
    log_loss : float
        Logarithm of the exponential loss.
    """

    scores: np.ndarray
    log_loss: float

    @abstractmethod
    def add(
        self, answers: np.ndarray, weight: float | np.ndarray, share: np.ndarray | None = None
    ) -> None:
        """Add a voter's predictions to the scores and update the costs.

        Parameters
        ----------
        answers : ndarray of int, shape (n_samples,)
            -1 abstains.
        weight : float or ndarray of shape (n_classes,)
            Vote weight, for all predictions or for each.
        share : ndarray of shape (n_samples,), optional
            Factor on the weight for each example.
        """


class CostRows(CostMatrix):
    """The rows of a running cost matrix: what is done to each row, and sums over them.

    Decisions that need sums over all rows are made by :class:`RunningCosts`. The rows may be a part
    of a table: sums of the parts may be added.

    Parameters
    ----------
    y, n_classes, weights, pool : object
        As for :class:`CostMatrix`.
    class_cost : ndarray of shape (n_classes, n_classes), optional
        Cost factors of misclassifications, row = true class.
    grid : float, optional
        From :func:`weight_grid`; by default that of these rows.
    room : tuple of ndarray of zeros, optional
        For costs (n_samples, n_lanes) and scores (n_samples, n_classes).
    """

    scores: np.ndarray

    def __init__(
        self,
        y: np.ndarray,
        n_classes: int,
        weights: np.ndarray,
        class_cost: np.ndarray | None = None,
        pool: ThreadPool | None = None,
        grid: float | None = None,
        room: tuple[np.ndarray, np.ndarray] | None = None,
    ) -> None:
        super().__init__(y, n_classes, weights, pool, grid, None if room is None else room[0])
        factors = np.ones((n_classes, n_classes)) if class_cost is None else class_cost
        self._log_costs = (_portable.log_all(weights), _portable.log_all(factors))
        self.scores = np.zeros((len(y), n_classes), order="F") if room is None else room[1]

    def largest_log_cost(self) -> float:
        """Logarithm of the largest cost of a misclassification; minus infinity if there is none."""
        return float(_loops.max_log_cost(self.scores, self.y, self._log_costs))

    def fill(self, shift: float, units: tuple[float, float]) -> np.ndarray:
        """Compute all costs from the scores, divided by ``exp(shift)``.

        Returns
        -------
        ndarray of shape (2,)
            Sums of the costs of misclassifications, in the two folds of ``units``.
        """
        stakes = np.zeros((self._n_blocks, 2))
        self._over_blocks(
            _loops.fill_costs,
            self.scores, self.y, self._log_costs, shift, units, self.matrix, stakes,
        )  # fmt: skip
        return np.asarray(stakes.sum(axis=0))

    def move(
        self, answers: np.ndarray, votes: np.ndarray, share: np.ndarray | None = None
    ) -> tuple[np.ndarray, float]:
        """Add predictions to the scores and multiply the costs; their sums and the total cost.

        Parameters
        ----------
        answers : ndarray of int, shape (n_samples,)
        votes : ndarray of shape (n_classes,)
        share : ndarray of shape (n_samples,), optional
        """
        sums, stakes = self._empty_sums()
        shares = np.empty(0) if share is None else share
        self._over_blocks(
            _loops.add_answers,
            answers, votes, shares, self.y, self.scores, self.matrix, sums, stakes,
        )  # fmt: skip
        return block_totals(sums, stakes)


class RunningCosts(CostRows, VoteCosts):
    """The exponential cost matrix of one boosting process, kept up to date round by round.

    A round changes one score per example, so costs are updated by multiplication. After at most
    50 rounds, or when the votes since then could have made a vanished cost matter again, they are
    recomputed from the scores in log-space.

    Parameters
    ----------
    y, n_classes, weights, class_cost, pool : object
        As for :class:`CostRows`.

    Examples
    --------
    >>> import numpy as np
    >>> from uneven.costs import vote_weight
    >>> y = np.array([0, 0, 0, 1, 1, 2])
    >>> costs = RunningCosts(y, 3, np.ones(6))
    >>> answers = np.array([0, 0, 0, 1, 1, 1])
    >>> costs.edge(answers)
    0.75
    >>> costs.add(answers, vote_weight(0.75))
    >>> round(float(np.exp(costs.log_loss)), 9)
    7.425396041
    """

    def __init__(
        self,
        y: np.ndarray,
        n_classes: int,
        weights: np.ndarray,
        class_cost: np.ndarray | None = None,
        pool: ThreadPool | None = None,
    ) -> None:
        super().__init__(y, n_classes, weights, class_cost, pool)
        self._refresh()

    @property
    def n_rows(self) -> int:
        """Rows of the whole table."""
        return len(self.y)

    def add(
        self, answers: np.ndarray, weight: float | np.ndarray, share: np.ndarray | None = None
    ) -> None:
        """As for :class:`VoteCosts`; costs are multiplied."""
        votes = np.empty(self.n_classes)
        votes[:] = weight
        self._rounds += 1
        self._votes += float(abs(votes).max())
        sums, stake = self.move(answers, votes, share)
        if self._is_due or not stake <= 2.0 * self._first_stake:
            self._refresh()
        else:
            self._settle(sums, stake)

    @property
    def _is_due(self) -> bool:
        """Whether costs were multiplied for so long that they are to be recomputed."""
        return self._rounds >= _REFRESH_ROUNDS or self._votes > _REFRESH_VOTES

    def _refresh(self) -> None:
        """Recompute all costs from the scores."""
        self._rounds, self._votes = 0, 0.0
        shift = self.largest_log_cost()
        self._shift = shift if np.isfinite(shift) else 0.0
        units = fold_units(self.n_rows, float(self.n_classes))
        self._quantum = quantum(float(self.fill(self._shift, units).sum()))
        self._settle(*self.snap(self._quantum))
        self._first_stake = self.stake

    def _settle(self, sums: np.ndarray, stake: float) -> None:
        super()._settle(sums, stake)
        loss = self.stake * self._quantum
        self.log_loss = self._shift + float(_portable.log(loss))


class KnownLabels:
    """Labels that are right: the interface of a boosting process to the labels of its rows.

    :class:`~uneven.costs.expected.NoisyLabels` answers the same questions where labels may be
    wrong.

    Parameters
    ----------
    y : ndarray of int, shape (n_samples,)
    mass : ndarray of shape (n_samples,)
        Number of examples that each row represents.
    n_classes : int
    units_of : callable
        Gets the mass of each class, shape (n_classes,); returns the number that the loss divides
        the examples of each class by.
    class_cost : ndarray of shape (n_classes, n_classes), optional
        Cost factors of misclassifications, row = true class.

    Attributes
    ----------
    class_prior : ndarray of shape (n_classes,)
        Frequencies of the true classes.

    Examples
    --------
    >>> import numpy as np
    >>> labels = KnownLabels(np.array([0, 0, 0, 1]), np.ones(4), 2, units_of=np.ones_like)
    >>> labels.class_prior
    array([0.75, 0.25])
    >>> labels.open_costs(np.ones(4)).edge(np.array([0, 0, 0, 0]))
    0.5
    """

    def __init__(
        self,
        y: np.ndarray,
        mass: np.ndarray,
        n_classes: int,
        units_of: Callable[[np.ndarray], np.ndarray],
        class_cost: np.ndarray | None = None,
    ) -> None:
        self._y, self._n_classes = y, n_classes
        self._units_of, self._class_cost = units_of, class_cost
        class_mass = self.class_mass(mass)
        self.class_prior = class_mass / class_mass.sum()

    def class_mass(self, mass: np.ndarray) -> np.ndarray:
        """Mass of the true classes if the rows have this mass (n_samples,); (n_classes,)."""
        return sum_by_label(self._y, mass, self._n_classes)

    def open_costs(
        self, mass: np.ndarray, updates_beliefs: bool = False, pool: ThreadPool | None = None
    ) -> VoteCosts:
        """The first cost matrix of a process.

        Parameters
        ----------
        mass : ndarray of shape (n_samples,)
            Rows without mass cost nothing.
        updates_beliefs : bool, default=False
            Whether votes added to these costs update the probabilities of true labels.
        pool : ThreadPool, optional
        """
        weights = mass / self._units_of(self.class_mass(mass))[self._y]
        return RunningCosts(self._y, self._n_classes, weights, self._class_cost, pool)

    @property
    def chances(self) -> np.ndarray:
        """Chance of each signal if a class is true; an empty array where labels are right."""
        return _NONE

    def score_model(self, mass: np.ndarray) -> LabelModel:
        """What costs of scores must know, if the rows have this mass, shape (n_samples,)."""
        class_mass = self.class_mass(mass)
        units = self._units_of(class_mass)
        weight = units.astype(np.float64)[self._y]
        np.divide(mass, weight, out=weight)
        known = (self._y, weight, self._prices, _NONE, np.ones(self._n_classes))
        return LabelModel(*known, mean_weight(mass), class_priority(class_mass, units))

    @property
    def _prices(self) -> np.ndarray:
        """Price factors without the diagonal, (n_classes, n_classes); an empty array for none."""
        return _NONE if self._class_cost is None else self._class_cost.astype(np.float64)

    def begin_round(self, drawn: np.ndarray | None) -> None:
        """Say which rows the voters of the round learn from, (n_samples,); None is all."""

    def scale_votes(self, factor: np.ndarray) -> None:
        """Multiply the weight of the votes about each row by a factor, shape (n_samples,)."""

    def most_probable(self) -> np.ndarray:
        """The class of every row, as far as is known by now, shape (n_samples,)."""
        return self._y

    def gains(
        self, y: np.ndarray, mass: np.ndarray, clean: np.ndarray | None
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Edges of predictions on other rows.

        Parameters
        ----------
        y : ndarray of int, shape (n_rows,)
        mass : ndarray of shape (n_rows,)
        clean : ndarray of bool, shape (n_rows,), or None
            Rows whose label is known to be right.

        Returns
        -------
        class_mass : ndarray of shape (n_classes,)
            Mass of their true classes.
        signals : ndarray of int, shape (n_rows,)
            What is seen of each row: a column of ``gains``.
        gains : ndarray of shape (n_classes, n_signals)
            What predicting a class gains on a row with that signal, in expectation.
        """
        return sum_by_label(y, mass, self._n_classes), y, np.eye(self._n_classes)


def quantum(total: float) -> float:
    """Quantum for costs that add up to ``total``: sums stay below 2**51 quanta, even doubled."""
    if not total > 0.0:
        return 1.0
    fraction, exponent = math.frexp(total)
    return math.ldexp(1.0, exponent - (fraction == 0.5) + 2 - 51)


def n_lanes(n_classes: int) -> int:
    """Numbers per row of a cost matrix: a cost per class and the weight, a multiple of four."""
    return -(-(n_classes + 1) // 4) * 4


def are_whole(weights: np.ndarray) -> bool:
    """Whether all weights are whole numbers."""
    return bool(np.all(weights == np.rint(weights)))


def weight_grid(total: float, whole: bool) -> float:
    """Grid on which weights that add up to ``total`` have exact sums.

    Examples
    --------
    >>> weight_grid(10.0, True)
    1.0
    """
    return 1.0 if whole and total < 2.0**50 else quantum(total)


def _snap_weights(weights: np.ndarray, grid: float) -> np.ndarray:
    """Weights in whole numbers of a grid; positive ones stay positive."""
    return np.maximum(np.rint(weights / grid), weights > 0.0)


def block_totals(sums: np.ndarray, stakes: np.ndarray) -> tuple[np.ndarray, float]:
    """Sums of the blocks of rows: of every lane, and of the stakes."""
    return np.add.reduce(sums.reshape(-1, sums.shape[-1]), axis=0), float(stakes.sum())
