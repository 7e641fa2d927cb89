"""Noisy labels of rows in shards: beliefs and expected costs stay where the rows are."""

from __future__ import annotations

from typing import Any

import numpy as np

from uneven.boosting.sharded import score_steps, vote_steps
from uneven.boosting.sharded.costs import (
    MaskedCosts,
    RemoteScoreRows,
    ShardedLabels,
    ShardedScoreCosts,
    class_mass,
)
from uneven.boosting.sharded.engine import Engine, Handle
from uneven.boosting.sharded.shard import ALL_ROWS, Shard
from uneven.boosting.sharded.steps import largest, step
from uneven.costs.expected import Beliefs, ExpectedCosts, ExpectedRows, NoisyLabels, true_mass
from uneven.costs.score_costs import weight_unit
from uneven.utils.parallel import ThreadPool
from uneven.utils.reproducible_sums import fold_units


@step(changes=True)
def open_beliefs(
    shard: Shard, name: int, chances: np.ndarray, prior: np.ndarray, units: np.ndarray
) -> None:
    """Open what is believed of the true labels; see ``Beliefs``."""
    shard.held[name] = Beliefs(shard.y, chances, prior, units, shard.pool)


@step(changes=True)
def begin_beliefs(shard: Shard, name: int, drawn: int | None) -> None:
    """Set the rows that the voters of a round are fitted to."""
    shard.held[name].begin_round(None if drawn is None else shard.held[drawn])


@step(changes=True)
def scale_beliefs(shard: Shard, name: int) -> None:
    """Divide what votes tell about the label of a row among the views that it has."""
    shard.held[name].scale_votes(1.0 / np.maximum(shard.presence.sum(axis=1), 1))


@step(largest, changes=True)
def scale_mass(shard: Shard, name: int, view: int, factor: float) -> float:
    """Keep, under a name, the mass of the rows that have a view, times a factor; the largest."""
    shard.held[name] = shard.mass_of(view) * factor
    return float(shard.held[name].max(initial=0.0))


@step(changes=True)
def open_expected(
    shard: Shard, name: int, beliefs: int, units: np.ndarray, class_cost: np.ndarray | None,
    updates_beliefs: bool, grid: float,
) -> None:  # fmt: skip
    """Turn weights into an expected cost matrix whose entries are still to be filled."""
    known = (shard.held[beliefs], units, class_cost, updates_beliefs, shard.pool, grid)
    costs = ExpectedRows(shard.y, shard.held[name], *known)
    costs.matrix, costs.scores = shard.moved(costs.matrix), shard.moved(costs.scores)
    shard.held[name] = costs


@step(changes=True)
def add_votes(shard: Shard, name: int, answers: int, votes: np.ndarray, share: int | None) -> None:
    """Add votes to the scores, and to the beliefs if they follow these costs."""
    factors = None if share is None else shard.held[share]
    shard.held[name].move(shard.held[answers], votes, factors)


class RemoteBeliefs:
    """Beliefs about rows in shards; see ``Beliefs``."""

    def __init__(self, engine: Engine, chances: np.ndarray, prior: np.ndarray, units: Any) -> None:
        self.engine, self.handle, self.version = engine, engine.new(), 0
        engine.later(open_beliefs(self.handle.name, chances, prior, units))

    def begin_round(self, drawn: Handle | None) -> None:
        """Set the rows that the voters of the next round are fitted to."""
        self.engine.later(begin_beliefs(self.handle.name, None if drawn is None else drawn.name))

    def scale_by_views(self) -> None:
        """Divide what votes tell about the label of a row among the views that it has."""
        self.engine.later(scale_beliefs(self.handle.name))
        self.version += 1


class ShardedExpectedCosts(MaskedCosts, ExpectedCosts):
    """The expected cost matrix of one boosting process, its rows in shards.

    Parameters
    ----------
    engine : Engine
    handle : Handle
        Of the rows of the matrix on the shards.
    beliefs : RemoteBeliefs
    class_cost : ndarray of shape (n_classes, n_classes), or an empty array
    updates_beliefs : bool
    n_classes, n_rows : int
    """

    def __init__(
        self,
        engine: Engine,
        handle: Handle,
        beliefs: RemoteBeliefs,
        class_cost: np.ndarray,
        updates_beliefs: bool,
        n_classes: int,
        n_rows: int,
    ) -> None:
        MaskedCosts.__init__(self, engine, handle, n_classes)
        self._beliefs, self._prices = beliefs, class_cost
        self._updates_beliefs, self._n_all = updates_beliefs, n_rows
        self._added, self._seen_version = 0, None

    @property
    def n_rows(self) -> int:
        """Rows of all shards."""
        return self._n_all

    def move(self, answers: Any, votes: np.ndarray, share: Any = None) -> None:
        """As for :class:`~uneven.costs.expected.ExpectedRows`."""
        factors = None if share is None else share.name
        self.engine.later(add_votes(self.handle.name, answers.name, votes, factors))
        self._beliefs.version += self._updates_beliefs

    def largest_log_cost(self) -> float:
        """As for :class:`~uneven.costs.expected.ExpectedRows`."""
        return float(self.engine.ask(vote_steps.largest_log_cost(self.handle.name)))

    def fill(self, shift: float, units: tuple[float, float]) -> np.ndarray:
        """As for :class:`~uneven.costs.expected.ExpectedRows`."""
        return np.asarray(self.engine.ask(vote_steps.fill_costs(self.handle.name, shift, units)))

    def snap(self, quantum: float) -> tuple[np.ndarray, float]:
        """As for :class:`~uneven.costs.expected.ExpectedRows`."""
        sums, stake = self.engine.ask(vote_steps.snap_costs(self.handle.name, quantum))
        return sums, stake

    def answer_costs(self, answers: Any) -> np.ndarray:
        """Summed costs of several predictions, in quanta, shape (n_answers,)."""
        self._bring_up_to_date()
        names = tuple(one.name for one in answers)
        return np.asarray(self.engine.ask(vote_steps.answer_costs(self.handle.name, names)))

    def paid(self, answers: Any) -> np.ndarray:
        """Quanta cancelled and incurred by predicting each class, shape (2, n_classes)."""
        self._bring_up_to_date()
        return super().paid(answers)

    def where(self, row_mask: Any, pool: ThreadPool) -> MaskedCosts:
        """These costs with some rows only; ``pool`` is not used."""
        self._bring_up_to_date()
        return super().where(row_mask, pool)


class ShardedNoisyLabels(ShardedLabels, NoisyLabels):
    """Labels of rows in shards that are wrong in a known pattern.

    Parameters
    ----------
    engine, n_rows, observed, units_of, class_cost : object
        As for :class:`~uneven.boosting.sharded.costs.ShardedLabels`; the mass of each label.
    noise_matrix, inverse : ndarray of shape (n_classes, n_classes)
        As for :class:`~uneven.costs.expected.NoisyLabels`.
    """

    def __init__(
        self,
        engine: Engine,
        n_rows: int,
        observed: np.ndarray,
        units_of: Any,
        class_cost: np.ndarray | None,
        noise_matrix: np.ndarray,
        inverse: np.ndarray,
    ) -> None:
        self._inverse, self._n_rows = inverse, n_rows
        super().__init__(engine, n_rows, self._true(observed), units_of, class_cost)
        self._chances = np.vstack([noise_matrix, np.eye(len(noise_matrix))])
        *_, total = class_mass(engine, ALL_ROWS, len(observed), n_rows)
        known = (self._chances, self.class_prior, self._belief_units(total))
        self.beliefs = RemoteBeliefs(engine, *known)

    def _true(self, observed: np.ndarray) -> np.ndarray:
        return true_mass(observed, np.zeros_like(observed), self._inverse, self._n_rows)

    @property
    def known(self) -> int:
        """Name of the beliefs on the shards."""
        return self.beliefs.handle.name

    def begin_round(self, drawn: Any) -> None:
        """Pass the rows that the voters of the round are fitted to on to the beliefs."""
        self.beliefs.begin_round(drawn)

    def share_votes(self) -> None:
        """Divide what votes tell about the label of a row among the views that it has."""
        self.beliefs.scale_by_views()

    def open_votes(self, view: int, updates_beliefs: bool = False) -> ShardedExpectedCosts:
        """The first cost matrix, averaged over the true labels."""
        engine, n_classes, n_rows = self.engine, self._n_classes, self._n_rows
        observed, *_ = class_mass(engine, view, n_classes, n_rows)
        units, handle = self._units_of(self._true(observed)), engine.new()
        grid = self._weigh(handle, view, np.ones(n_classes))
        known = (self.known, units, self._class_cost, updates_beliefs, grid)
        engine.later(open_expected(handle.name, *known))
        sizes = (n_classes, n_rows)
        return ShardedExpectedCosts(
            engine, handle, self.beliefs, self._prices, updates_beliefs, *sizes
        )

    def open_scores(self, view: int, loss: str) -> ShardedScoreCosts:
        """The first costs of leaf scores, averaged over the true labels."""
        engine, n_classes, n_rows = self.engine, self._n_classes, self._n_rows
        observed, n_there, total = class_mass(engine, view, n_classes, n_rows)
        factor, class_weight = self._score_weights(self._true(observed), n_rows)
        handle = engine.new()
        heaviest = engine.ask(scale_mass(handle.name, view, factor))
        asked = vote_steps.sum_weights(handle.name, fold_units(n_rows, heaviest))
        folds, n_weighed = engine.ask(asked)
        mean = float(folds.sum()) / max(n_weighed, 1) or 1.0
        scale_back = weight_unit(mean, total / max(n_there, 1) or 1.0)
        model = (self._prices, self._chances, class_weight)
        engine.later(score_steps.open_scores(handle.name, n_classes, loss, model, scale_back))
        rows = RemoteScoreRows(engine, handle)
        return ShardedScoreCosts(rows, n_rows, n_classes, loss, scale_back, class_weight)
