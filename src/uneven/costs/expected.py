"""Labels that may be wrong, as a cost matrix: costs averaged over what the true labels may be.

A vote that minimises the exponential pair loss ``sum_q P(q | x) / m_q sum_l exp(f_l - f_q)``, in
which the examples of class ``q`` are divided by ``m_q``, ends where ``exp(2 f_q)`` is proportional
to ``P(q | x) / m_q``: the scores estimate the class probabilities. With the noise matrix
``C`` and the observed label ``y``, Bayes' rule gives the true class:
``P(q | x, y)`` is proportional to ``C[y, q] m_q exp(2 f_q)``. Before the first vote it is
proportional to ``C[y, q]`` times the class frequency.

A boosting process with a known noise matrix uses :class:`NoisyLabels` instead of
:class:`~uneven.costs.matrices.KnownLabels`; nothing else changes.
"""

from __future__ import annotations

from collections.abc import Callable
from threading import Lock
from typing import Any

import numpy as np

from uneven.costs import _loops
from uneven.costs._loops import BLOCK
from uneven.costs._portable import log, log_all
from uneven.costs.matrices import CostMatrix, KnownLabels, VoteCosts, block_totals, quantum
from uneven.costs.score_costs import LabelModel, mean_weight
from uneven.utils.parallel import ThreadPool
from uneven.utils.reproducible_sums import fold_units, reproducible_sum
from uneven.utils.simplex import recover_priors

_NEVER_STALE = (-1, -1)
_NONE = np.zeros((0, 0))


class Beliefs:
    """Posterior probabilities of the true labels, given the observed ones and all votes so far.

    Parameters
    ----------
    y : ndarray of int, shape (n_samples,)
        What is observed of each row: its label, or any other signal.
    noise_matrix : ndarray of shape (n_signals, n_classes)
        ``[i, j]`` is the share of true class ``j`` that shows signal ``i``.
    prior : ndarray of shape (n_classes,)
        True class frequencies.
    units : ndarray of shape (n_classes,), optional
        Numbers that the loss divides the examples of each class by.
    pool : ThreadPool, optional

    Examples
    --------
    >>> import numpy as np
    >>> noise = np.array([[0.9, 0.3], [0.1, 0.7]])
    >>> beliefs = Beliefs(np.array([0, 1]), noise, np.array([0.5, 0.5]))
    >>> beliefs.current()
    array([[0.75 , 0.25 ],
           [0.125, 0.875]])
    >>> beliefs.begin_round()
    >>> beliefs.update(np.array([1, 1]), np.full(2, 0.5 * np.log(3.0)))
    >>> beliefs.current().round(4)
    array([[0.5   , 0.5   ],
           [0.0455, 0.9545]])
    """

    def __init__(
        self,
        y: np.ndarray,
        noise_matrix: np.ndarray,
        prior: np.ndarray,
        units: np.ndarray | None = None,
        pool: ThreadPool | None = None,
    ) -> None:
        self._y = np.ascontiguousarray(y, dtype=np.int32)
        self._pool = pool or ThreadPool()
        self._n_blocks = -(-len(y) // BLOCK)
        self._log_noise = log_all(noise_matrix)
        log_units = np.zeros(len(prior)) if units is None else log_all(units)
        self._logs = (log_all(prior), log_units)
        self._scores = np.zeros((len(y), len(prior)))
        self._beliefs = np.empty((len(y), len(prior)))
        self._share = np.empty(0)
        self._n_rounds = 0
        self._rounds_out = np.zeros(len(y))
        self._row_scale = np.ones(len(y))
        self._is_new_round = True
        self._stale = True
        self._lock = Lock()
        self.version = 0

    def scale_votes(self, factor: np.ndarray) -> None:
        """Multiply the votes on each row by a factor, shape (n_samples,), from now on."""
        self._row_scale = factor
        self._stale = True
        self.version += 1

    def begin_round(self, drawn: np.ndarray | None = None) -> None:
        """Set the training rows of the voters of the coming round.

        Parameters
        ----------
        drawn : ndarray of bool, shape (n_samples,), optional
            None for all of them. Voters have seen the label of a row that they were fitted to:
            their votes count on the others only, whose votes are scaled up for the rounds they
            miss.
        """
        self._share = np.empty(0) if drawn is None else (~drawn).astype(np.float64)
        self._is_new_round = True

    def update(self, answers: np.ndarray, votes: np.ndarray) -> None:
        """Take the votes of a voter that enters the vote into account.

        Parameters
        ----------
        answers : ndarray of int, shape (n_samples,)
            -1 abstains.
        votes : ndarray of shape (n_classes,)
            Weight of each prediction.
        """
        if self._is_new_round:
            self._n_rounds += 1
            self._rounds_out += self._share if self._share.size else 1.0
            self._is_new_round = False
        self._pool.parallel_for(
            self._n_blocks, _loops.add_votes, answers, votes, self._share, self._scores
        )
        self._stale = True
        self.version += 1

    def current(self) -> np.ndarray:
        """Probability of every class, shape (n_samples, n_classes)."""
        with self._lock:
            if self._stale:
                scale = self._row_scale * self._n_rounds / np.maximum(self._rounds_out, 1.0)
                self._pool.parallel_for(
                    self._n_blocks, _loops.believe,
                    self._y, self._log_noise, self._logs, self._scores, scale, self._beliefs,
                )  # fmt: skip
                self._stale = False
            return self._beliefs

    def labels(self) -> np.ndarray:
        """The most probable class of every row, shape (n_samples,)."""
        return self.current().argmax(axis=1).astype(np.int32)


class FixedBeliefs:
    """Posterior probabilities of the true labels that come from elsewhere and stay.

    Parameters
    ----------
    shares : ndarray of shape (n_samples, n_classes)
    """

    version = 0

    def __init__(self, shares: np.ndarray) -> None:
        self._shares = np.ascontiguousarray(shares)

    def current(self) -> np.ndarray:
        """Probability of every class, shape (n_samples, n_classes)."""
        return self._shares


class ExpectedRows(CostMatrix):
    """The rows of an expected cost matrix: what is done to each row, and sums over them.

    Decisions that need sums over all rows are made by :class:`ExpectedCosts`. The rows may be a
    part of a table: sums of the parts may be added.

    Parameters
    ----------
    y : ndarray of int, shape (n_samples,)
        Observed labels.
    mass : ndarray of shape (n_samples,)
        Weights of the rows.
    beliefs : Beliefs
    units : ndarray of shape (n_classes,)
        The examples of each true class weigh their mass divided by this.
    class_cost : ndarray of shape (n_classes, n_classes), optional
        Cost factors of misclassifications, row = true class.
    updates_beliefs : bool, default=False
        Whether votes that are added here update the beliefs.
    pool : ThreadPool, optional
    grid : float, optional
        As for :class:`~uneven.costs.matrices.CostMatrix`.
    """

    _beliefs: Any
    scores: np.ndarray

    def __init__(
        self,
        y: np.ndarray,
        mass: np.ndarray,
        beliefs: Beliefs,
        units: np.ndarray,
        class_cost: np.ndarray | None = None,
        updates_beliefs: bool = False,
        pool: ThreadPool | None = None,
        grid: float | None = None,
    ) -> None:
        super().__init__(y, len(units), mass, pool, grid)
        self._log_weight, self._log_units = log_all(mass), log_all(units)
        self._prices = _NONE if class_cost is None else class_cost
        self._beliefs, self._updates_beliefs = beliefs, updates_beliefs
        self._cancelled = np.empty((len(y), self.n_classes))
        self._row_stakes = np.empty(len(y))
        self.scores = np.zeros((len(y), self.n_classes))

    def move(self, answers: np.ndarray, votes: np.ndarray, share: np.ndarray | None = None) -> None:
        """Add predictions to the scores, and update the posterior if it follows these costs.

        Parameters
        ----------
        answers : ndarray of int, shape (n_samples,)
        votes : ndarray of shape (n_classes,)
        share : ndarray of shape (n_samples,), optional
        """
        shares = np.empty(0) if share is None else share
        self._over_blocks(_loops.add_votes, answers, votes, shares, self.scores)
        if self._updates_beliefs:
            self._beliefs.update(answers, votes)

    def largest_log_cost(self) -> float:
        """Logarithm of the largest total cost of a row; minus infinity if there is none."""
        logs = (self._log_weight, self._log_units)
        return float(_loops.max_log_stake(self.scores, self._beliefs.current(), *logs))

    def fill(self, shift: float, units: tuple[float, float]) -> np.ndarray:
        """Compute all costs from scores and posterior, divided by ``exp(shift)``.

        Returns
        -------
        ndarray of shape (2,)
            Sums of the total costs of the rows, in the two folds of ``units``.
        """
        folds = np.zeros((self._n_blocks, 2))
        self._over_blocks(
            _loops.fill_expected,
            self.scores, self._beliefs.current(), self._log_weight, self._log_units, self._prices,
            shift, units, self._filled, folds,
        )  # fmt: skip
        return np.asarray(folds.sum(axis=0))

    def snap(self, quantum: float) -> tuple[np.ndarray, float]:
        """As for ``CostMatrix``."""
        sums, stakes = self._empty_sums()
        self._over_blocks(_loops.snap_expected, self.y, 1.0 / quantum, self._filled, sums, stakes)
        return block_totals(sums, stakes)

    @property
    def _filled(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        return self.matrix, self._cancelled, self._row_stakes

    def row_stakes(self) -> np.ndarray:
        """Expected pair costs of each row, in quanta, shape (n_samples,)."""
        return self._row_stakes

    def where(self, row_mask: np.ndarray, pool: ThreadPool) -> CostMatrix:
        """As for ``CostMatrix``; the result does not follow later votes."""
        seen = super().where(row_mask, pool)
        assert isinstance(seen, ExpectedRows)
        if not row_mask.all():
            seen._cancelled = np.where(row_mask[:, None], self._cancelled, 0.0)
            seen._row_stakes = np.where(row_mask, self._row_stakes, 0.0)
        return seen

    def paid(self, answers: np.ndarray) -> np.ndarray:
        """As for ``CostMatrix``, in expectation."""
        sums = np.zeros((self._n_blocks, 2, self.n_classes))
        self._over_blocks(
            _loops.expected_right_and_wrong, self.matrix, self._cancelled, answers, sums
        )
        return np.asarray(sums.sum(axis=0))


class ExpectedCosts(ExpectedRows, VoteCosts):
    """The exponential cost matrix, averaged over what the true labels may be.

    The row of an example is the mean of the rows that it would have with each true class,
    weighted by :class:`~uneven.costs.expected.Beliefs`. For a posterior of one class this is
    :class:`~uneven.costs.matrices.RunningCosts`. As long as the posterior stays, a voter of edge
    ``g`` with weight ``arctanh(g)`` still shrinks the loss by ``sqrt(1 - g ** 2)`` at least. Costs
    are recomputed at the first read after votes or the posterior have changed.

    Parameters
    ----------
    y, mass, beliefs, units, class_cost, updates_beliefs, pool : object
        As for :class:`ExpectedRows`.

    Examples
    --------
    >>> import numpy as np
    >>> noise = np.array([[0.9, 0.3], [0.1, 0.7]])
    >>> y = np.array([0, 1])
    >>> beliefs = Beliefs(y, noise, np.array([0.5, 0.5]))
    >>> costs = ExpectedCosts(y, np.ones(2), beliefs, np.ones(2))
    >>> round(costs.edge(np.array([0, 1])), 9)
    0.625
    """

    def __init__(
        self,
        y: np.ndarray,
        mass: np.ndarray,
        beliefs: Beliefs,
        units: np.ndarray,
        class_cost: np.ndarray | None = None,
        updates_beliefs: bool = False,
        pool: ThreadPool | None = None,
    ) -> None:
        self._seen_version: tuple[int, int] | None = _NEVER_STALE
        self._added = 0
        super().__init__(y, mass, beliefs, units, class_cost, updates_beliefs, pool)
        self._seen_version = None

    @property
    def n_rows(self) -> int:
        """Rows of the whole table."""
        return len(self.y)

    @property
    def matrix(self) -> np.ndarray:  # type: ignore[override]
        """Costs in quanta, shape (n_samples, n_lanes)."""
        self._bring_up_to_date()
        return self._matrix

    @matrix.setter
    def matrix(self, value: np.ndarray) -> None:
        self._matrix = value

    @property
    def sums(self) -> np.ndarray:  # type: ignore[override]
        """Sum of the rows of ``matrix``, shape (n_lanes,)."""
        self._bring_up_to_date()
        return self._sums

    @sums.setter
    def sums(self, value: np.ndarray) -> None:
        self._sums = value

    @property
    def stake(self) -> float:  # type: ignore[override]
        """Sum of all pair costs, in quanta."""
        self._bring_up_to_date()
        return self._stake

    @stake.setter
    def stake(self, value: float) -> None:
        self._stake = value

    @property
    def log_loss(self) -> float:  # type: ignore[override]
        """Logarithm of the expected exponential loss."""
        loss = self.stake * self._quantum
        return self._shift + float(log(loss))

    def add(
        self, answers: np.ndarray, weight: float | np.ndarray, share: np.ndarray | None = None
    ) -> None:
        """As for ``VoteCosts``; costs are recomputed when they are read."""
        votes = np.empty(self.n_classes)
        votes[:] = weight
        self.move(answers, votes, share)
        self._added += 1

    def examples(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Rows, possible labels and weights; a row appears once for each possible label."""
        self._bring_up_to_date()
        rows, labels = np.nonzero(self._cancelled)
        weights = self._cancelled[rows, labels]
        return rows, labels.astype(np.int32), weights / max(weights.sum(), 1.0)

    def row_stakes(self) -> np.ndarray:
        """Expected pair costs of each row, in quanta, shape (n_samples,)."""
        self._bring_up_to_date()
        return super().row_stakes()

    def where(self, row_mask: np.ndarray, pool: ThreadPool) -> CostMatrix:
        """As for ``CostMatrix``; the result does not follow later votes."""
        self._bring_up_to_date()
        seen = super().where(row_mask, pool)
        assert isinstance(seen, ExpectedCosts)
        seen._seen_version = _NEVER_STALE
        return seen

    def _bring_up_to_date(self) -> None:
        """Recompute all costs if votes or the posterior have changed."""
        if self._seen_version == _NEVER_STALE:
            return
        version = (self._added, self._beliefs.version)
        if self._seen_version == version:
            return
        self._seen_version = version
        shift = self.largest_log_cost()
        self._shift = shift if np.isfinite(shift) else 0.0
        largest = self.n_classes**2 * self._prices.max(initial=1.0)
        units = fold_units(self.n_rows, float(largest))
        self._quantum = quantum(float(self.fill(self._shift, units).sum()))
        self._settle(*self.snap(self._quantum))


class NoisyLabels(KnownLabels):
    """Labels that are wrong in a known pattern: the interface of a boosting process to them.

    Parameters
    ----------
    y, mass, n_classes, units_of, class_cost : object
        As for :class:`~uneven.costs.matrices.KnownLabels`.
    noise_matrix : ndarray of shape (n_classes, n_classes)
        ``[i, j]`` is the share of true class ``j`` that is labelled ``i``.
    inverse : ndarray of shape (n_classes, n_classes)
        Of the noise matrix.
    clean : ndarray of bool, shape (n_samples,), optional
        Rows whose label is certain.
    pool : ThreadPool, optional

    Examples
    --------
    >>> import numpy as np
    >>> noise = np.array([[0.9, 0.3], [0.1, 0.7]])
    >>> y, mass = np.array([0] * 6 + [1] * 4), np.ones(10)
    >>> labels = NoisyLabels(y, mass, 2, lambda mass: mass, None, noise, np.linalg.inv(noise))
    >>> labels.class_mass(mass)
    array([5., 5.])
    """

    def __init__(
        self,
        y: np.ndarray,
        mass: np.ndarray,
        n_classes: int,
        units_of: Callable[[np.ndarray], np.ndarray],
        class_cost: np.ndarray | None,
        noise_matrix: np.ndarray,
        inverse: np.ndarray,
        clean: np.ndarray | None = None,
        pool: ThreadPool | None = None,
    ) -> None:
        self._inverse, self._clean = inverse, clean
        super().__init__(y, mass, n_classes, units_of, class_cost)
        self._chances = np.vstack([noise_matrix, np.eye(n_classes)])
        units = self._belief_units(reproducible_sum(mass))
        self._beliefs = Beliefs(
            self._signals(y, clean), self._chances, self.class_prior, units, pool
        )

    def _belief_units(self, total: float) -> np.ndarray:
        """Numbers that the loss divides the examples of each class by, class costs included."""
        units = self._units_of(self.class_prior * total)
        if self._class_cost is None:
            return units
        others = np.where(np.eye(self._n_classes, dtype=bool), 0.0, self._class_cost)
        means = others.mean(axis=1)
        return np.asarray(units / np.where(means > 0.0, means, 1.0))

    def class_mass(self, mass: np.ndarray) -> np.ndarray:
        """Estimate the mass of the true classes; see ``KnownLabels``.

        No class gets less than one row's share of the mass of the noisy rows.
        """
        observed = super().class_mass(mass)
        known = super().class_mass(
            np.zeros(len(mass)) if self._clean is None else mass * self._clean
        )
        return true_mass(observed, known, self._inverse, len(mass))

    def open_costs(
        self, mass: np.ndarray, updates_beliefs: bool = False, pool: ThreadPool | None = None
    ) -> VoteCosts:
        """The first cost matrix, averaged over the true labels; see ``KnownLabels``."""
        units = self._units_of(self.class_mass(mass))
        return ExpectedCosts(
            self._y, mass, self._beliefs, units, self._class_cost, updates_beliefs, pool
        )

    @property
    def chances(self) -> np.ndarray:
        """Probability of each signal if a class is true, shape (n_signals, n_classes)."""
        return self._chances

    def score_model(self, mass: np.ndarray) -> LabelModel:
        """What costs of scores need; see ``KnownLabels``."""
        signals = np.ascontiguousarray(self._signals(self._y, self._clean), dtype=np.int32)
        mean, class_weight = self._score_weights(self.class_mass(mass), len(mass))
        known = (signals, mass * mean, self._prices, self._chances, class_weight)
        return LabelModel(*known, mean_weight(mass), class_weight)

    def _score_weights(self, class_mass: np.ndarray, n_rows: int) -> tuple[float, np.ndarray]:
        """What rows and true classes weigh in costs of scores; (n_classes,)."""
        least = class_mass.sum() / n_rows or 1.0
        class_mass = np.where(class_mass > 0.0, class_mass, least)
        class_weight = 1.0 / self._units_of(class_mass)
        mean = float(class_mass @ class_weight / class_mass.sum())
        return mean, class_weight / mean

    def begin_round(self, drawn: np.ndarray | None) -> None:
        """Set the training rows of the voters of the round."""
        self._beliefs.begin_round(drawn)

    def scale_votes(self, factor: np.ndarray) -> None:
        """Multiply the votes on each row by a factor, shape (n_samples,), in the posterior."""
        self._beliefs.scale_votes(factor)

    def most_probable(self) -> np.ndarray:
        """The class that each row most probably has, shape (n_samples,)."""
        return self._beliefs.labels()

    def gains(
        self, y: np.ndarray, mass: np.ndarray, clean: np.ndarray | None
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Gain of predictions on other rows; see ``KnownLabels``.

        The entries of the inverse noise matrix make sums of gains unbiased estimates of what they
        would be with the true labels.
        """
        gains = np.hstack([self._inverse, np.eye(self._n_classes)])
        return reproducible_sum(mass) * self.class_prior, self._signals(y, clean), gains

    def _signals(self, y: np.ndarray, clean: np.ndarray | None) -> np.ndarray:
        """What is seen of rows: labels or, ``n_classes`` further on, true classes."""
        return y if clean is None else y + self._n_classes * clean


def true_mass(
    observed: np.ndarray, known: np.ndarray, inverse: np.ndarray, n_rows: int
) -> np.ndarray:
    """Estimate the mass of the true classes, shape (n_classes,).

    Parameters
    ----------
    observed : ndarray of shape (n_classes,)
        Mass of each label.
    known : ndarray of shape (n_classes,)
        That of labels which are certain.
    inverse : ndarray of shape (n_classes, n_classes)
        Of the noise matrix.
    n_rows : int
    """
    noisy = np.maximum(observed - known, 0.0)
    if not noisy.sum() > 0.0:
        return known
    return known + noisy.sum() * recover_priors(noisy, inverse, floor=1.0 / n_rows)
