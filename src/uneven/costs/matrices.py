"""Cost matrices as weak learners read them: exact sums, kept up to date from round to round."""

from __future__ import annotations

import math
from collections.abc import Callable
from copy import copy
from typing import Any

import numpy as np

from uneven.costs import _loops as cost_kernels
from uneven.costs import is_edge_over_random
from uneven.costs._simd import aligned_zeros
from uneven.utils.parallel import Workers

__all__ = ["CostMatrix", "FixedCosts", "RunningCosts", "quantum"]

_REFRESH_ROUNDS = 50
_REFRESH_VOTES = 5.0
_PARALLEL_ENTRIES = 600_000


class CostMatrix:
    """A cost matrix as weak learners read it; the base of :class:`RunningCosts`.

    Parameters
    ----------
    y : ndarray of int, shape (n_samples,)
        True labels.
    n_classes : int
    weights : ndarray of shape (n_samples,)
        Weight of each example in the loss; zero rows are never learnt from.
    team : Workers, optional
        Threads to use.

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
        self, y: np.ndarray, n_classes: int, weights: np.ndarray, team: Workers | None = None
    ) -> None:
        self.y = np.ascontiguousarray(y, dtype=np.int32)
        self.n_classes = n_classes
        self._team = team or Workers(1, None)
        self.matrix = aligned_zeros((len(y), -(-(n_classes + 1) // 4) * 4))
        self.matrix[:, n_classes] = _snap_weights(weights)
        self._n_blocks = -(-len(y) // cost_kernels.BLOCK)
        self._worth_threads = len(y) * n_classes > _PARALLEL_ENTRIES

    def edge(self, answers: np.ndarray) -> float:
        """Edge of an answer vector on the current costs; see :func:`uneven.costs.edge`."""
        return float(self.edges(answers[None, :])[0])

    def edges(self, answers: np.ndarray) -> np.ndarray:
        """Edges of several answer vectors, one per row of ``answers``, shape (n_vectors,)."""
        sums = np.zeros((self._n_blocks, len(answers)))
        self._over_blocks(cost_kernels.answer_costs, self.matrix, answers, sums)
        return np.asarray(-sums.sum(axis=0) / max(self.stake, 1.0))

    def right_and_wrong(self, answers: np.ndarray) -> tuple[float, float]:
        """Pair costs that the answers cancel and incur, as shares of all pair costs."""
        right, wrong = self._paid(answers).sum(axis=1) / max(self.stake, 1.0)
        return float(right), float(wrong)

    def right_and_wrong_by_class(self, answers: np.ndarray) -> np.ndarray:
        """The same for each answered class, shape (2, n_classes)."""
        return np.asarray(self._paid(answers) / max(self.stake, 1.0))

    def _paid(self, answers: np.ndarray) -> np.ndarray:
        """Quanta cancelled and incurred by answering each class, shape (2, n_classes)."""
        sums = np.zeros((self._n_blocks, 2, self.n_classes))
        self._over_blocks(cost_kernels.right_and_wrong, self.matrix, self.y, answers, sums)
        return np.asarray(sums.sum(axis=0))

    def distribution(self) -> np.ndarray:
        """Share of each example in the stake, shape (n_samples,)."""
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

    def where(self, present: np.ndarray, team: Workers) -> CostMatrix:
        """These costs as a view sees them that is absent in some rows.

        Parameters
        ----------
        present : ndarray of bool, shape (n_samples,)
            Other rows cost nothing.
        team : Workers
            Threads for whoever reads them.

        Returns
        -------
        CostMatrix
            For reading until the next vote is added here.
        """
        seen = copy(self)
        seen._team = team
        if not present.all():
            seen.matrix = aligned_zeros(self.matrix.shape)
            seen.matrix[present] = self.matrix[present]
            seen.sums = seen.matrix.sum(axis=0)
            seen.stake = float(self.row_stakes()[present].sum())
        return seen

    def _snap(self, quantum: float) -> None:
        """Turn the costs of wrong labels into whole numbers of quanta and balance the true one."""
        sums, stakes = self._empty_sums()
        self._over_blocks(
            cost_kernels.snap_costs,
            self.y, self.n_classes, 1.0 / quantum, self.matrix, sums, stakes,
        )  # fmt: skip
        self._settle(sums, stakes)

    def _settle(self, sums: np.ndarray, stakes: np.ndarray) -> None:
        self.sums = np.add.reduce(sums.reshape(-1, sums.shape[-1]), axis=0)
        self.stake = float(stakes.sum())

    def _empty_sums(self) -> tuple[np.ndarray, np.ndarray]:
        return np.zeros((self._n_blocks, 4, self.matrix.shape[1])), np.empty(self._n_blocks)

    def _over_blocks(self, kernel: Callable[..., Any], *args: Any) -> None:
        self._team.over(self._n_blocks, kernel, *args, worth=self._worth_threads)


class FixedCosts(CostMatrix):
    """Any prices of answers, as a cost matrix that weak learners read.

    Parameters
    ----------
    prices : ndarray of shape (n_samples, n_classes)
        What each answer costs; no answer may be cheaper than the true label. A constant added to
        a row changes nothing.
    y, weights, team : object
        As for :class:`CostMatrix`; criteria look at costs per unit of weight.

    Examples
    --------
    >>> import numpy as np
    >>> costs = FixedCosts(np.array([0, 1]), np.array([[1.0, 4.0], [9.0, 0.0]]), np.ones(2))
    >>> costs.edge(np.array([0, 0]))
    -0.5
    """

    def __init__(
        self, y: np.ndarray, prices: np.ndarray, weights: np.ndarray, team: Workers | None = None
    ) -> None:
        if not is_edge_over_random(prices, y):
            raise ValueError("prices: an answer is cheaper than the true label of its row.")
        n_classes = prices.shape[1]
        super().__init__(y, n_classes, weights, team)
        costs = self.matrix[:, :n_classes]
        costs[:] = prices - prices.mean(axis=1, keepdims=True)
        self._snap(quantum(float(np.abs(prices).sum())))


class RunningCosts(CostMatrix):
    """The exponential cost matrix of one boosting process, kept up to date round by round.

    A round changes one score per example, so costs are updated by multiplication. After at most
    50 rounds, or when the votes since then could have made a vanished cost matter again, they are
    recomputed from the scores in log-space.

    Parameters
    ----------
    y, n_classes, weights, team : object
        As for :class:`CostMatrix`.
    class_cost : ndarray of shape (n_classes, n_classes), optional
        Price factors of wrong answers, row = true class.

    Attributes
    ----------
    scores : ndarray of shape (n_samples, n_classes)
        Votes received so far.
    log_loss : float
        Logarithm of the exponential loss.

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
        team: Workers | None = None,
    ) -> None:
        super().__init__(y, n_classes, weights, team)
        factors = np.ones((n_classes, n_classes)) if class_cost is None else class_cost
        with np.errstate(divide="ignore"):
            self._log_costs = (np.log(weights).astype(np.float64), np.log(factors))
        self.scores = np.zeros((len(y), n_classes), order="F")
        self._refresh()

    def add(
        self, answers: np.ndarray, weight: float | np.ndarray, share: np.ndarray | None = None
    ) -> None:
        """Add a voter's answers to the scores and update the costs.

        Parameters
        ----------
        answers : ndarray of int, shape (n_samples,)
            -1 abstains.
        weight : float or ndarray of shape (n_classes,)
            Vote weight, for all answers or for each.
        share : ndarray of shape (n_samples,), optional
            Factor on the weight for each example.
        """
        votes = np.empty(self.n_classes)
        votes[:] = weight
        sums, stakes = self._empty_sums()
        shares = np.empty(0) if share is None else share
        self._over_blocks(
            cost_kernels.add_answers,
            answers, votes, shares, self.y, self.scores, self.matrix, sums, stakes,
        )  # fmt: skip
        self._rounds += 1
        self._votes += float(abs(votes).max())
        grown = not float(stakes.sum()) <= 2.0 * self._first_stake
        if self._rounds == _REFRESH_ROUNDS or self._votes > _REFRESH_VOTES or grown:
            self._refresh()
        else:
            self._settle(sums, stakes)

    def _refresh(self) -> None:
        """Recompute all costs from the scores."""
        self._rounds, self._votes = 0, 0.0
        shift = cost_kernels.max_log_cost(self.scores, self.y, self._log_costs)
        self._shift = float(shift) if np.isfinite(shift) else 0.0
        stakes = np.empty(self._n_blocks)
        self._over_blocks(
            cost_kernels.fill_costs,
            self.scores, self.y, self._log_costs, self._shift, self.matrix, stakes,
        )  # fmt: skip
        self._quantum = quantum(float(stakes.sum()))
        self._snap(self._quantum)
        self._first_stake = self.stake

    def _settle(self, sums: np.ndarray, stakes: np.ndarray) -> None:
        super()._settle(sums, stakes)
        loss = self.stake * self._quantum
        self.log_loss = self._shift + math.log(loss) if loss > 0.0 else -math.inf


def quantum(total: float) -> float:
    """Quantum for costs that add up to ``total``: sums stay below 2**51 quanta, even doubled."""
    if not total > 0.0:
        return 1.0
    return float(2.0 ** (np.ceil(np.log2(total)) + 2 - 51))


def _snap_weights(weights: np.ndarray) -> np.ndarray:
    """Weights on a grid where sums are exact; whole numbers stay, positive ones stay positive."""
    if np.all(weights == np.rint(weights)) and weights.sum() < 2.0**50:
        return np.asarray(weights, dtype=np.float64)
    snapped = np.rint(weights / quantum(float(weights.sum())))
    return np.maximum(snapped, weights > 0.0)
