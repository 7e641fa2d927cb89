"""The double-weighted vote: weights of voters within views, and of views, learnt by turns."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np

from uneven.fusion.bregman import VIEW_RULES, hits_and_misses, logistic_loss, sigma, step_and_gain
from uneven.utils.parallel import ThreadPool

__all__ = ["Descent", "DoubleWeights"]

_HALVINGS = 10
_PARALLEL_ENTRIES = 400_000


@dataclass
class DoubleWeights:
    """What was learnt.

    Attributes
    ----------
    view_weight : ndarray of shape (n_views,)
        Not negative, sums to 1.
    voter_weight : list of ndarray of shape (n_voters,)
        One array per view.
    history : dict of str to list
        One entry per iteration: ``loss_after_voters`` and ``loss_after_views``, the logistic loss
        after each half of it, and ``view_weight``.
    """

    view_weight: np.ndarray
    voter_weight: list[np.ndarray]
    history: dict[str, list]

    def joint(self, view: int) -> np.ndarray:
        """What the voters of a view weigh in the whole vote, shape (n_voters,)."""
        return np.asarray(self.view_weight[view] * self.voter_weight[view])


@dataclass(frozen=True)
class Descent:
    """Learns the weights of given voters by turns: all voters at once, then the views.

    Attributes
    ----------
    rule : str
        Weights of the views, a key of :data:`uneven.fusion.bregman.VIEW_RULES`.
    max_iter : int
    smoothing : float or None
        Share of the examples' weight added to what a voter has right and wrong; None is one
        example's share.
    shared_step : bool
        Divide each step by the number of voters in its view. Then the loss cannot grow.
    guarded : bool
        Move the weights of the views only as far as the loss does not grow.
    floor : float or None
        Least weight of a view when guarded, where the loss allows it; None is 0.001 / n_views.
    tol : float
        Stop when an iteration lowers the loss by less than this share of it.
    clip_negative : bool
        Keep the weights of the voters from becoming negative.
    drop_last : bool
        Return the weights before the last iteration.

    Examples
    --------
    Two voters in one view, the first always right: it gets the larger weight.

    >>> import numpy as np
    >>> margins = np.array([[1.0, 1.0], [1.0, -1.0]])
    >>> learnt = Descent("fixed", max_iter=2).learn([margins], np.ones(2))
    >>> learnt.voter_weight[0].round(3)
    array([1.049, 0.353])
    """

    rule: str = "proportional"
    max_iter: int = 2
    smoothing: float | None = None
    shared_step: bool = True
    guarded: bool = True
    floor: float | None = None
    tol: float = 0.0
    clip_negative: bool = False
    drop_last: bool = False

    def learn(
        self, margins: Sequence[np.ndarray], mass: np.ndarray, pool: ThreadPool | None = None
    ) -> DoubleWeights:
        """Learn from what the voters answer.

        Parameters
        ----------
        margins : sequence of ndarray of shape (n_samples, n_voters)
            One array per view: label times answer, in [-1, 1]; 0 where a voter abstains.
        mass : ndarray of shape (n_samples,)
            How many examples each row stands for.
        pool : ThreadPool, optional
            Threads for the views; they do not change the result.

        Returns
        -------
        DoubleWeights
        """
        n_views = len(margins)
        rho = np.full(n_views, 1.0 / n_views)
        pi = [np.full(M.shape[1], 1.0 / max(1, M.shape[1])) for M in margins]
        history: dict[str, list] = {
            "loss_after_voters": [],
            "loss_after_views": [],
            "view_weight": [],
        }
        learnt = earlier = DoubleWeights(rho, pi, history)
        votes = _votes(margins, pi)
        loss = logistic_loss(votes @ rho, mass)
        for _ in range(self.max_iter):
            earlier = learnt
            q = mass * sigma(votes @ rho)
            pi, gain = self._weigh_voters(margins, pi, q, mass.sum(), pool)
            votes = _votes(margins, pi)
            history["loss_after_voters"].append(logistic_loss(votes @ rho, mass))
            target = VIEW_RULES[self.rule](rho, gain, votes, mass)
            rho = self._settle(rho, target, votes, mass) if self.guarded else target
            history["loss_after_views"].append(logistic_loss(votes @ rho, mass))
            history["view_weight"].append(rho)
            learnt = DoubleWeights(rho, pi, history)
            before, loss = loss, history["loss_after_views"][-1]
            if abs(before - loss) < self.tol * before:
                break
        return earlier if self.drop_last else learnt

    def _weigh_voters(
        self,
        margins: Sequence[np.ndarray],
        pi: list[np.ndarray],
        q: np.ndarray,
        n_examples: float,
        pool: ThreadPool | None,
    ) -> tuple[list[np.ndarray], np.ndarray]:
        """Move every voter's weight at once; return the new weights and the gain of each view."""
        smoothing = 1.0 / n_examples if self.smoothing is None else self.smoothing
        total = float(q.sum())

        def weigh(M: np.ndarray, old: np.ndarray) -> tuple[np.ndarray, float]:
            step, gain = step_and_gain(*hits_and_misses(M, q), total, smoothing)
            shares = max(1, len(old)) if self.shared_step else 1
            new = old + step / shares
            return np.maximum(new, 0.0) if self.clip_negative else new, gain / shares

        jobs: list[Callable[[], tuple[np.ndarray, float]]] = [
            partial(weigh, M, old) for M, old in zip(margins, pi)
        ]
        worth = sum(M.size for M in margins) > _PARALLEL_ENTRIES
        done = (pool or ThreadPool()).map(jobs, worth=worth)
        return [new for new, _ in done], np.array([gain for _, gain in done])

    def _settle(
        self, rho: np.ndarray, target: np.ndarray, votes: np.ndarray, mass: np.ndarray
    ) -> np.ndarray:
        """Go towards ``target`` as far as the loss does not grow, then lift views to the floor."""
        limit = logistic_loss(votes @ rho, mass)
        for share in 0.5 ** np.arange(_HALVINGS + 1):
            moved = (1.0 - share) * rho + share * target
            if logistic_loss(votes @ moved, mass) <= limit:
                rho = moved
                break
        floor = 1e-3 / len(rho) if self.floor is None else self.floor
        lifted = np.maximum(rho, floor)
        lifted /= lifted.sum()
        limit = logistic_loss(votes @ rho, mass)
        return lifted if logistic_loss(votes @ lifted, mass) <= limit else rho


def _votes(margins: Sequence[np.ndarray], pi: list[np.ndarray]) -> np.ndarray:
    """What each view votes for the right label of each example, shape (n_samples, n_views)."""
    return np.column_stack([M @ weight for M, weight in zip(margins, pi)])
