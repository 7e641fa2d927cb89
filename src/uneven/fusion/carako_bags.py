"""Carako with a bag of trees per view: the score of a class is the share of trees that predict it.

The score of class c is ``f(x, c) = sum_j beta(j, c) P_j(c | x)``, where ``P_j(c | x)`` is the share
of the trees of view j that predict c. A tree drawn from the bag is a random voter; the mean of the
loss of version 2 over the draws depends only on the mean recalls and false alarms, so that the
coefficients have the same exact solution, and by convexity the loss of ``f`` is at most that mean.
Recalls and false alarms are counted by trees that have not drawn the row.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from uneven.costs.matrices import FixedCosts
from uneven.fusion.carako_losses import SplitLoss, coarsen, put_on_grid
from uneven.voters import CostTree, TrainingTable, Voter

N_TREES = 64
"""A power of two, so that shares of trees times coefficients add up without rounding."""
_FEW_COLUMNS = 4


@dataclass
class ViewBag:
    """The trees of one view while they learn.

    Attributes
    ----------
    view : int
        Its position.
    table : TrainingTable
        The rows, those without the view with mass 0.
    columns : ndarray of int, shape (n_columns,)
    present : ndarray of bool, shape (n_samples,)
    learner : CostTree
    """

    view: int
    table: TrainingTable
    columns: np.ndarray
    present: np.ndarray
    learner: CostTree

    def learn(
        self, prices: np.ndarray, weights: np.ndarray, seed: int
    ) -> tuple[list[Voter], np.ndarray]:
        """Grow each tree on a bootstrap and on half of the columns.

        Parameters
        ----------
        prices : ndarray of shape (n_samples, n_classes)
            Cost of every prediction.
        weights : ndarray of shape (n_samples,)
        seed : int

        Returns
        -------
        voters : list of Voter
            Empty if every prediction costs the same.
        shares : ndarray of shape (n_samples, n_classes)
            Share of the trees that have not drawn a row that predict each class; zero in rows that
            lack the view, or that every tree has drawn.
        """
        rng = np.random.RandomState(seed)
        here = np.flatnonzero(self.present)
        votes = np.zeros_like(prices)
        voters: list[Voter] = []
        for _ in range(N_TREES):
            drawn = np.zeros(len(self.present))
            drawn[here] = np.bincount(rng.randint(len(here), size=len(here)), minlength=len(here))
            costs = FixedCosts(
                self.table.y, prices * drawn[:, None], weights * drawn, pool=self.table.pool
            )
            columns, grown = self._some_columns(rng), int(rng.randint(2**31 - 1))
            if costs.stake <= 0.0:
                continue
            voter, answers = self.learner.learn(self.table, columns, costs, grown)
            voters.append(voter)
            unseen = np.flatnonzero(self.present & (drawn == 0.0))
            votes[unseen, answers[unseen]] += 1.0
        return voters, votes / np.maximum(votes.sum(axis=1, keepdims=True), 1.0)

    def _some_columns(self, rng: np.random.RandomState) -> np.ndarray:
        n_columns = len(self.columns)
        if n_columns < _FEW_COLUMNS:
            return self.columns
        return np.sort(rng.choice(self.columns, (n_columns + 1) // 2, replace=False))


@dataclass
class WeighedBags:
    """Bags and what they weigh.

    Attributes
    ----------
    voters : list of list of Voter
        Trees of each bag.
    coefficients : ndarray of shape (n_bags, n_classes)
    shares : ndarray of shape (n_bags, n_samples, n_classes)
        Out-of-bag predictions of the trees.
    value : float
        The loss on these rows.
    """

    voters: list[list[Voter]]
    coefficients: np.ndarray
    shares: np.ndarray
    value: float

    def scores(self) -> np.ndarray:
        """Votes for each class on unseen rows, shape (n_samples, n_classes)."""
        return np.asarray(np.einsum("jc,jic->ic", self.coefficients, self.shares))


def weigh_bags(
    bags: list[ViewBag], loss: SplitLoss, coefficients: np.ndarray, seeds: np.ndarray
) -> WeighedBags:
    """Grow all bags on the costs that follow from coefficients, and fit the coefficients again.

    Parameters
    ----------
    bags : list of ViewBag
    loss : SplitLoss
    coefficients : ndarray of shape (n_bags, n_classes)
    seeds : ndarray of int, shape (n_bags,)
    """
    nobody = np.empty((0, len(loss.y)), dtype=np.int64)
    grown = [
        bag.learn(coarsen(loss.prices(k, nobody, coefficients)), loss.weights, int(seeds[k]))
        for k, bag in enumerate(bags)
    ]
    shares = np.array([said for _, said in grown])
    right, wrong = loss.tally_shares(shares)
    found = put_on_grid(loss.minimise(right, wrong))
    value = loss.value_of(right, wrong, found)
    return WeighedBags([voters for voters, _ in grown], found, shares, value)


def alternate(
    bags: list[ViewBag],
    loss: SplitLoss,
    max_iter: int,
    tol: float,
    rng: np.random.RandomState,
) -> tuple[WeighedBags, list[float], str]:
    """Grow bags and choose coefficients in turn, from even coefficients on; keep the best.

    Parameters
    ----------
    bags : list of ViewBag
    loss : SplitLoss
    max_iter : int
    tol : float
        Stop when the loss falls by less than this share of it.
    rng : RandomState

    Returns
    -------
    best : WeighedBags
    values : list of float
        The loss of each alternation.
    reason : str
        Why it ended.
    """
    even = np.full((len(bags), loss.n_classes), 1.0 / len(bags))
    best = WeighedBags([], even, np.zeros((len(bags), len(loss.y), loss.n_classes)), np.inf)
    values: list[float] = []
    while len(values) < max_iter:
        seeds = rng.randint(2**31 - 1, size=len(bags))
        found = weigh_bags(bags, loss, best.coefficients, seeds)
        values.append(found.value)
        enough = best.value - found.value <= tol * found.value
        best = found if found.value < best.value else best
        if enough:
            return best, values, "the loss no longer falls"
    return best, values, "all alternations done"
