"""Cost matrices whose rows are in shards: all that is decided by sums is decided here."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from uneven.boosting.sharded import score_steps, vote_steps
from uneven.boosting.sharded.engine import Engine, Handle
from uneven.boosting.sharded.shard import range_of_mass, sum_mass
from uneven.boosting.sharded.steps import Step
from uneven.costs.matrices import CostMatrix, KnownLabels, RunningCosts, weight_grid
from uneven.costs.score_costs import (
    Drawn,
    ScoreCosts,
    class_priority,
    hits_scale,
    weight_unit,
)
from uneven.utils.parallel import ThreadPool
from uneven.utils.reproducible_sums import fold_units

_NONE = np.zeros((0, 0))
_OF_A_TREE = (score_steps.look_at, score_steps.draw_rows)


class Answers(Handle):
    """Predictions of a voter for the training rows, which stay where the rows are.

    Attributes
    ----------
    costs : CostMatrix or None
        The costs that the voter was fitted to.
    paid : float
        Cost of the predictions there.
    """

    costs: Any = None
    paid: float = 0.0


class Leaves(Handle):
    """Leaves of the training rows, which stay where the rows are."""

    def spoken(self, labels: np.ndarray) -> Answers:
        """The label of each row's leaf, labels of shape (n_leaves,); -1 for rows in none."""
        answers = Answers(self._engine, self._engine.name())
        self._engine.later(vote_steps.speak(answers.name, self.name, labels))
        return answers


class MaskedCosts(CostMatrix):
    """Costs of shards in which only some rows count; for reading until the next vote."""

    def __init__(self, engine: Engine, handle: Handle, n_classes: int) -> None:
        self.engine, self.handle, self.n_classes = engine, handle, n_classes

    def answer_costs(self, answers: Any) -> np.ndarray:
        """Summed costs of several predictions, in quanta, shape (n_answers,)."""
        if len(answers) == 1 and answers[0].costs is self:
            return np.array([answers[0].paid])
        names = tuple(one.name for one in answers)
        return np.asarray(self.engine.ask(vote_steps.answer_costs(self.handle.name, names)))

    def edge(self, answers: Any) -> float:
        """Edge of the predictions of a voter."""
        return float(-self.answer_costs([answers])[0] / max(self.stake, 1.0))

    def paid(self, answers: Any) -> np.ndarray:
        """Quanta cancelled and incurred by predicting each class, shape (2, n_classes)."""
        return np.asarray(
            self.engine.ask(vote_steps.right_and_wrong(self.handle.name, answers.name))
        )

    def where(self, row_mask: Any, pool: ThreadPool) -> MaskedCosts:
        """These costs with some rows only; ``pool`` is not used."""
        seen = MaskedCosts(self.engine, self.engine.new(), self.n_classes)
        names = (seen.handle.name, self.handle.name, row_mask.name)
        seen._settle(*self.engine.ask(vote_steps.mask_costs(*names)))
        return seen


class ShardedCosts(MaskedCosts, RunningCosts):
    """The exponential cost matrix of one boosting process, its rows in shards.

    Parameters
    ----------
    engine : Engine
    handle : Handle
        Of the rows of the matrix on the shards.
    n_classes, n_rows : int

    Attributes
    ----------
    ahead : Step or None
        A request that the next voter will make first; it travels with the votes of this one.
    """

    def __init__(self, engine: Engine, handle: Handle, n_classes: int, n_rows: int) -> None:
        MaskedCosts.__init__(self, engine, handle, n_classes)
        self._n_all = n_rows
        self.ahead: Step | None = None
        self.answered: Any = None
        self._refresh()

    @property
    def n_rows(self) -> int:
        """Rows of all shards."""
        return self._n_all

    def largest_log_cost(self) -> float:
        """As for :class:`~uneven.costs.matrices.CostRows`."""
        return float(self.engine.ask(vote_steps.largest_log_cost(self.handle.name)))

    def fill(self, shift: float, units: tuple[float, float]) -> np.ndarray:
        """As for :class:`~uneven.costs.matrices.CostRows`."""
        return np.asarray(self.engine.ask(vote_steps.fill_costs(self.handle.name, shift, units)))

    def snap(self, quantum: float) -> tuple[np.ndarray, float]:
        """As for :class:`~uneven.costs.matrices.CostRows`."""
        sums, stake = self.engine.ask(vote_steps.snap_costs(self.handle.name, quantum))
        return sums, stake

    def move(self, answers: Any, votes: np.ndarray, share: Any = None) -> tuple[np.ndarray, float]:
        """As for :class:`~uneven.costs.matrices.CostRows`; also requests what comes next."""
        factors = None if share is None else share.name
        moved = vote_steps.add_answers(self.handle.name, answers.name, votes, factors)
        self.answered = None
        if self.ahead is None or self._is_due:
            sums, stake = self.engine.ask(moved)
        else:
            (sums, stake), self.answered = self.engine.ask(moved, self.ahead)
        return sums, stake

    def _refresh(self) -> None:
        self.answered = None
        super()._refresh()


def class_mass(
    engine: Engine, view: int, n_classes: int, n_rows: int
) -> tuple[np.ndarray, int, float]:
    """Mass of each class among the rows that have a view.

    Returns
    -------
    class_mass : ndarray of shape (n_classes,)
    n_there : int
        Rows that have the view.
    total : float
    """
    heaviest, _ = engine.ask(range_of_mass(view))
    folds, n_there = engine.ask(sum_mass(view, n_classes, fold_units(n_rows, heaviest)))
    return np.asarray(folds.sum(axis=0)), n_there, float(folds.sum(axis=1).sum())


class ShardedLabels(KnownLabels):
    """Right labels of rows in shards, which open cost matrices.

    Parameters
    ----------
    engine : Engine
    n_rows : int
    class_mass : ndarray of shape (n_classes,)
    units_of, class_cost : object
        As for :class:`~uneven.costs.matrices.KnownLabels`.
    """

    def __init__(
        self,
        engine: Engine,
        n_rows: int,
        class_mass: np.ndarray,
        units_of: Any,
        class_cost: np.ndarray | None,
    ) -> None:
        self.engine, self._n_rows, self._n_classes = engine, n_rows, len(class_mass)
        self._units_of, self._class_cost = units_of, class_cost
        self.class_prior = class_mass / class_mass.sum()

    @property
    def known(self) -> int | None:
        """Name of what knows the most probable labels on the shards; None if labels are right."""
        return None

    def open_votes(self, view: int, updates_beliefs: bool = False) -> Any:
        """The first cost matrix of the rows that have a view; see ``KnownLabels.open_costs``."""
        engine, n_classes, n_rows = self.engine, self._n_classes, self._n_rows
        mass, *_ = class_mass(engine, view, n_classes, n_rows)
        handle = engine.new()
        grid = self._weigh(handle, view, self._units_of(mass))
        engine.later(vote_steps.open_costs(handle.name, n_classes, self._class_cost, grid))
        return ShardedCosts(engine, handle, n_classes, n_rows)

    def _weigh(self, handle: Handle, view: int, units: np.ndarray) -> float:
        """Divide the mass of the rows by the units of their classes; the grid of these weights."""
        engine = self.engine
        heaviest, uneven = engine.ask(vote_steps.weigh_rows(handle.name, view, units))
        asked = vote_steps.sum_weights(handle.name, fold_units(self._n_rows, heaviest))
        folds, _ = engine.ask(asked)
        return weight_grid(float(folds.sum()), not uneven)

    def share_votes(self) -> None:
        """Right labels do not follow votes."""

    def open_scores(self, view: int, loss: str) -> ShardedScoreCosts:
        """The first costs of leaf scores, of the rows that have a view."""
        engine, n_classes, n_rows = self.engine, self._n_classes, self._n_rows
        mass, n_there, total = class_mass(engine, view, n_classes, n_rows)
        units = np.asarray(self._units_of(mass), dtype=np.float64)
        handle = engine.new()
        heaviest, _ = engine.ask(vote_steps.weigh_rows(handle.name, view, units))
        folds, n_weighed = engine.ask(
            vote_steps.sum_weights(handle.name, fold_units(n_rows, heaviest))
        )
        mean = float(folds.sum()) / max(n_weighed, 1) or 1.0
        scale_back = weight_unit(mean, total / max(n_there, 1) or 1.0)
        model = (self._prices, _NONE, np.ones(n_classes))
        engine.later(score_steps.open_scores(handle.name, n_classes, loss, model, scale_back))
        rows = RemoteScoreRows(engine, handle)
        priority = class_priority(mass, units)
        return ShardedScoreCosts(rows, n_rows, n_classes, loss, scale_back, priority)


class RemoteScoreRows:
    """The rows of a process with leaf scores, in shards; as ``ScoreRows``.

    What was requested in a round is requested again in the trip that ends it, since the next round
    will most often need the same.

    Parameters
    ----------
    engine : Engine
    handle : Handle

    Attributes
    ----------
    columns : tuple
        Name of the codes that the next tree looks at, and which columns of them.
    scales : (float, float) or None
        Whole numbers per unit that the rows drawn last called for.
    """

    def __init__(self, engine: Engine, handle: Handle) -> None:
        self.engine, self.handle = engine, handle
        self.tree: Handle | None = None
        self.columns: tuple[int, np.ndarray | None] = (-1, None)
        self._heaviest: float | None = None
        self._asked: list[tuple[Any, ...]] = []
        self._known: dict[tuple[Any, ...], Any] = {}
        self.scales: tuple[float, float] | None = None
        self._last: tuple[float, tuple[float, float]] = (0.0, (0.0, 0.0))
        self._root: tuple[tuple[Any, ...], Any] = ((), None)

    def measure(self) -> float:
        """Largest stake, after the scores have changed."""
        asked, self._asked = list(dict.fromkeys(self._asked)), []
        self.tree = self.engine.new()
        stakes = score_steps.measure_stakes(self.handle.name)
        if not asked:
            return float(self.engine.ask(stakes))
        top, *known = self.engine.ask(stakes, *(self._step(*question) for question in asked))
        self._known = dict(zip(asked, known))
        return float(top)

    def _step(self, make: Callable[..., Step], *given: Any) -> Step:
        """A request about these rows, or about those that a tree may draw."""
        if make in _OF_A_TREE:
            assert self.tree is not None
            return make(self.tree.name, self.handle.name, *given)
        return make(self.handle.name, *given)

    def _ask(self, *question: Any) -> Any:
        """Request it, unless it is known already; the next round will need it, too."""
        self._asked.append(question)
        is_passing = question[0] in _OF_A_TREE
        if question not in self._known:
            if is_passing:
                self._known = {}
            return self.engine.ask(self._step(*question))
        return self._known.pop(question) if is_passing else self._known[question]

    def heaviest(self) -> float:
        """Largest weight of a row."""
        if self._heaviest is None:
            self._heaviest = float(self.engine.ask(score_steps.heaviest_row(self.handle.name)))
        return self._heaviest

    def sum_stakes(self, scale: float) -> int:
        """Sum of the stakes in whole numbers; it is known where all rows are drawn ahead."""
        if (score_steps.look_at, None) not in self._known or not any(
            make is score_steps.draw_rows for make, *_ in self._known
        ):
            return int(self._ask(score_steps.sum_stakes, scale))
        drawn = (score_steps.draw_rows, 0, 0.0, scale)
        if drawn not in self._known:
            self._known[drawn] = self.engine.ask(self._step(*drawn))
        return int(self._known[drawn][1])

    def sum_log_loss(self, scale: float) -> int:
        """The log-loss in whole numbers."""
        return int(self._ask(score_steps.sum_log_loss, scale))

    def look_at(self, view: int | None) -> float:
        """Begin a tree on the rows that have a view; the largest of their stakes."""
        if (score_steps.look_at, view) not in self._known:
            self.tree = self.engine.new()
        return float(self._ask(score_steps.look_at, view))

    def count_stakes(self) -> np.ndarray:
        """Rows that may be drawn, by the size of their stake, shape (2048,)."""
        return np.asarray(self._ask(score_steps.count_stakes))

    def draw(self, seed: int, threshold: float, scale: float) -> Drawn:
        """Draw rows by their stake."""
        if threshold == 0.0:
            found = self._ask(score_steps.draw_rows, 0, threshold, scale)
        else:
            found = self._draw_by_chance(seed, threshold, scale)
        size, total, highest, minus_lowest = found
        return Drawn(size, total, highest, -minus_lowest)

    def _draw_by_chance(self, seed: int, threshold: float, scale: float) -> Any:
        """Draw rows, and begin the tree if it can be guessed how.

        Most often with the whole numbers per unit for which all rows, or the rows above another
        threshold, have just called; or as the last tree if that had the same threshold.
        """
        self._known = {}
        drawn = self._step(score_steps.draw_rows, seed, threshold, scale)
        scales = self.scales
        if scales is None and threshold == self._last[0]:
            scales = self._last[1]
        if scales is None:
            return self.engine.ask(drawn)
        found, root = self.engine.ask(drawn, self._beginning(seed, threshold, scales))
        self._root = ((seed, threshold, scales), root)
        return found

    def _beginning(self, seed: int, threshold: float, scales: tuple[float, float]) -> Step:
        assert self.tree is not None
        codes, kept = self.columns
        names = (self.tree.name, self.handle.name, codes)
        return score_steps.begin_tree(*names, seed, threshold, scales, kept)

    def begin_tree(
        self, seed: int, threshold: float, scales: tuple[float, float]
    ) -> tuple[np.ndarray, np.ndarray]:
        """Begin a tree on the drawn rows; the histogram of its root and its sums."""
        (known, root), self._root = self._root, ((), None)
        self._last, self.scales = (threshold, scales), None
        if known != (seed, threshold, scales):
            root = self.engine.ask(self._beginning(seed, threshold, scales))
        return root[0], root[1]

    def sum_leaves(self, leaf_of: Handle, n_leaves: int, scale: float) -> np.ndarray:
        """Costs owed and paid and curvature in whole numbers."""
        given = (self.handle.name, leaf_of.name, n_leaves, scale)
        return np.asarray(self.engine.ask(score_steps.sum_leaves(*given)))

    def sum_pairs(self, leaf_of: Handle, n_leaves: int, scale: float) -> np.ndarray:
        """Cost matrix of each leaf in whole numbers."""
        given = (self.handle.name, leaf_of.name, n_leaves, scale)
        return np.asarray(self.engine.ask(score_steps.sum_pairs(*given)))

    def move(self, leaf_of: Handle, scores: np.ndarray, share: Handle | None) -> None:
        """Add leaf scores to the rows."""
        factors = None if share is None else share.name
        self.engine.later(score_steps.add_scores(self.handle.name, leaf_of.name, scores, factors))


class ShardedScoreCosts(ScoreCosts):
    """Costs of a process with leaf scores, its rows in shards; see ``ScoreCosts``."""

    def __init__(
        self,
        rows: RemoteScoreRows,
        n_rows: int,
        n_classes: int,
        loss: str,
        scale_back: float,
        priority: np.ndarray,
    ) -> None:
        self._open(rows, n_rows, n_classes, loss, scale_back, priority)

    def _scale_for(self, drawn: Drawn) -> float:
        scale = super()._scale_for(drawn)
        self.rows.scales = (scale, scale * self._curvature_times)
        return scale

    @property
    def known(self) -> int:
        """Name of what knows the most probable labels on the shards."""
        return int(self.rows.handle.name)

    def find_reach(
        self, leaf_of: Any, spoken: np.ndarray, heaviest: float, then: Callable[[np.ndarray], None]
    ) -> None:
        """Sum, with the next trip, the mass of the class that each leaf supports.

        Parameters
        ----------
        leaf_of : Handle
        spoken : ndarray of int, shape (n_leaves,)
        heaviest : float
            Largest mass of a row.
        then : callable
            Gets the sums, shape (n_leaves,).
        """
        scale = hits_scale(heaviest, self.n_rows)
        given = (self.rows.handle.name, leaf_of.name, spoken, scale)
        step = score_steps.sum_hits(*given)
        self.rows.engine.later(step, lambda hits: then(hits.astype(np.float64) / scale))
