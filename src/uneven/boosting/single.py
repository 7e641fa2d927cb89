"""Boosting with one cost matrix: the step that AdaBoost.MM and CoMBo share."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np

from uneven.boosting.base import BoostingClassifier, Round, Setting
from uneven.cost_matrices import RunningCosts
from uneven.costs import EDGE_CLIP, EDGE_TOLERANCE, line_search_weight, vote_weight
from uneven.door import check_class_cost
from uneven.voters import TrainingTable, WeakLearner, as_weak_learner
from uneven.votes import ALL_VIEWS, Term, Vote

__all__ = ["SingleCostBoosting"]


@dataclass
class _Process:
    """State of a boosting process with one cost matrix."""

    table: TrainingTable
    columns: np.ndarray
    view: int
    learner: WeakLearner
    costs: RunningCosts


class SingleCostBoosting(BoostingClassifier):
    """One cost matrix, one voter per round; subclasses only weigh the examples."""

    def __init__(
        self,
        estimator: Any = None,
        *,
        n_estimators: int = 200,
        max_depth: int = 3,
        learning_rate: float = 1.0,
        class_cost: Any = None,
        line_search: bool = False,
        views: Any = None,
        max_bins: int = 255,
        early_stopping: bool = False,
        validation_fraction: float = 0.1,
        n_iter_no_change: int = 20,
        warm_start: bool = False,
        random_state: Any = None,
        n_jobs: int | None = None,
        verbose: int = 0,
    ) -> None:
        super().__init__(
            estimator,
            n_estimators=n_estimators,
            max_depth=max_depth,
            learning_rate=learning_rate,
            class_cost=class_cost,
            views=views,
            max_bins=max_bins,
            early_stopping=early_stopping,
            validation_fraction=validation_fraction,
            n_iter_no_change=n_iter_no_change,
            warm_start=warm_start,
            random_state=random_state,
            n_jobs=n_jobs,
            verbose=verbose,
        )
        self.line_search = line_search

    def _begin(self, setting: Setting) -> _Process:
        table, views = setting.table, setting.views
        seen = setting.present.any(axis=1)
        mass = np.where(seen, table.mass, 0.0)
        costs = RunningCosts(
            table.y,
            table.n_classes,
            self._example_weights(table.y, mass, table.n_classes),
            class_cost=check_class_cost(self.class_cost, self.classes_),
            team=table.team,
        )
        view = 0 if len(views) == 1 else ALL_VIEWS
        learner = as_weak_learner(self.estimator, self.max_depth)
        return _Process(table, views.used_columns, view, learner, costs)

    def _boost(self, process: _Process, seed: int) -> Round:
        costs = process.costs
        voter, answers = process.learner.learn(process.table, process.columns, costs, seed)
        edge = costs.edge(answers)
        if edge <= EDGE_TOLERANCE:
            if not self.history_:
                warnings.warn(
                    "no voter does better than guessing on these columns: the classifier always "
                    "answers the most frequent class.",
                    stacklevel=2,
                )
            return Round([], stop="no voter with a positive edge")
        weight = vote_weight(edge)
        if self.line_search:
            weight = line_search_weight(*costs.right_and_wrong(answers))
        weight *= self.learning_rate
        costs.add(answers, weight)
        return Round(
            terms=[Term(voter, np.full(costs.n_classes, weight), process.view)],
            record={"edge": edge, "weight": weight, "log_loss": costs.log_loss},
            stop="a voter without training errors" if edge >= 1.0 - EDGE_CLIP else "",
        )

    def _replay(self, process: _Process, vote: Vote) -> None:
        for term in vote.terms():
            process.costs.add(term.voter.predict(process.table.X), term.weight)
