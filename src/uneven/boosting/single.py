"""Boosting with one cost matrix: the step that AdaBoost.MM and CoMBo share."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from uneven.boosting.base import BoostingClassifier, Candidate, Round, Setting
from uneven.costs import EDGE_TOLERANCE, line_search_weight
from uneven.costs.expected import VoteCosts
from uneven.utils.parameters import Flag
from uneven.voters import WeakLearner, as_weak_learner
from uneven.votes import ALL_VIEWS, Vote

__all__ = ["SingleCostBoosting"]


@dataclass
class _Process:
    """State of a boosting process with one cost matrix."""

    setting: Setting
    columns: np.ndarray
    view: int
    learner: WeakLearner
    costs: VoteCosts


class SingleCostBoosting(BoostingClassifier):
    """One cost matrix, one voter per round; subclasses only weigh the examples."""

    _parameters: ClassVar = {"line_search": Flag()}

    def __init__(
        self,
        estimator: Any = None,
        *,
        n_estimators: int = 200,
        max_depth: int = 3,
        learning_rate: float = 1.0,
        class_cost: Any = None,
        noise_matrix: Any = None,
        subsample: float = 1.0,
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
            noise_matrix=noise_matrix,
            subsample=subsample,
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
        views = setting.views
        view = 0 if len(views) == 1 else ALL_VIEWS
        learner = as_weak_learner(self.estimator, self.max_depth)
        costs = self._open_shared_costs(setting)
        return _Process(setting, views.used_columns, view, learner, costs)

    def _boost(self, process: _Process, seed: int) -> Round:
        costs, table = process.costs, process.setting.table
        seen = process.setting.draw.seen_of(costs, table.team)
        voter, answers = process.learner.learn(table, process.columns, seen, seed)
        edge = costs.edge(answers)
        if edge <= EDGE_TOLERANCE:
            return self._give_up()
        searched = line_search_weight(*costs.right_and_wrong(answers)) if self.line_search else None
        return self._admit(costs, Candidate(voter, answers, process.view, edge), searched)

    def _replay(self, process: _Process, vote: Vote) -> None:
        for term in self._retold(process.setting, vote):
            process.costs.add(term.voter.predict(process.setting.table.X), term.weight)
