"""ShareBoost and its relatives: views that learn from one shared cost matrix."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, Literal

import numpy as np

from uneven.boosting.base import Candidate, Round
from uneven.boosting.multiview import (
    Memory,
    MultiViewBoosting,
    ViewProcess,
    select,
    selection_counts,
    term_answers,
)
from uneven.boosting.setting import Setting
from uneven.costs._portable import exp_all
from uneven.costs.matrices import VoteCosts
from uneven.utils.docstrings import documented
from uneven.utils.model_types import persisted
from uneven.utils.parameters import Choice, store_parameters
from uneven.votes import Vote


class _Bandit:
    """Which view to train: an adversarial bandit (EXP3.P) whose rewards are edges.

    Parameters
    ----------
    n_views, n_rounds : int
    exploration : float, default=0.3
        Share of the rounds in which a view is drawn blindly.
    confidence : float, default=0.15
        How much a view gains by not being drawn.
    """

    def __init__(
        self, n_views: int, n_rounds: int, exploration: float = 0.3, confidence: float = 0.15
    ) -> None:
        self.exploration, self.confidence = exploration, confidence
        self.bonus = confidence / np.sqrt(n_views * n_rounds)
        start = confidence * exploration / 3.0 * np.sqrt(n_rounds / n_views)
        self.log_weights = np.full(n_views, start)

    def probabilities(self) -> np.ndarray:
        """Probability that each view is drawn, shape (n_views,)."""
        weights = exp_all(self.log_weights - self.log_weights.max())
        shares = weights / weights.sum()
        return np.asarray((1.0 - self.exploration) * shares + self.exploration / len(shares))

    def pay(self, view: int, edge: float) -> None:
        """Reward a view for its edge."""
        chances = self.probabilities()
        gains = self.bonus / chances
        gains[view] += (1.0 - np.sqrt(1.0 - min(edge, 1.0) ** 2)) / chances[view]
        self.log_weights += self.exploration / (3.0 * len(chances)) * gains


@dataclass
class _Process:
    setting: Setting
    views: list[ViewProcess]
    costs: VoteCosts
    memory: Memory
    bandit: _Bandit


@persisted("share_boost", role="classifier")
@documented
class ShareBoostClassifier(MultiViewBoosting):
    """ShareBoost, rShareBoost and 2-Boost: one cost matrix that all views share.

    Every round, views learn from the same costs and one voter enters the vote. There is no
    cooperation: an example that one view finds hard is pushed in all of them. This is what MuMBo
    is to be compared with. ``ShareBoostClassifier(max_depth=1)``, with stumps, is the published
    setting of ShareBoost.

    Parameters
    ----------
    {parameters}
    selection : {"max_edge", "random", "bandit", "combination"}, default="max_edge"
        "max_edge": all views learn, the best voter is kept (ShareBoost, Boost.SH). "random": only
        one view learns, drawn uniformly (rShareBoost). "bandit": the same, with probabilities
        that follow the edges each view had so far (rBoost.SH). "combination": all views learn and
        vote together, each with the weight of its edge (2-Boost; for two classes also known as
        MVWAB).

    Attributes
    ----------
    {attributes}
    selection_counts_ : ndarray of int, shape (n_views,)
        Rounds in which each view's voter entered the vote alone.

    See Also
    --------
    MumboClassifier : a cost matrix per view, and cooperation between them.

    References
    ----------
    J. Peng, C. Barbu, G. Seetharaman, W. Fan, X. Wu and K. Palaniappan (2011), *ShareBoost:
    boosting for multi-view learning with performance guarantees*.
    J.-C. Janodet, M. Sebban and H.-M. Suchier (2009), *Boosting classifiers built from different
    subsets of features*.
    M. Xiao and Y. Guo (2012), *Multi-view AdaBoost for multilingual subjectivity analysis*.

    Notes
    -----
    The sources define these methods for two classes and example weights; here they read the cost
    matrix, which is the same for two classes. A drawn view without a positive edge gives way to
    the next one. The constants of the bandit (exploration 0.3, confidence 0.15) are not in the
    available sources.

    Examples
    --------
    >>> from uneven.boosting import ShareBoostClassifier
    >>> from uneven.datasets import make_uneven_views
    >>> data = make_uneven_views(200, random_state=0)
    >>> model = ShareBoostClassifier(views=data.views, n_estimators=20, max_depth=1)
    >>> bool(model.fit(data.data, data.target).score(data.data, data.target) > 0.8)
    True
    """

    _parameters: ClassVar = {
        "selection": Choice(("bandit", "combination", "max_edge", "random")),
    }

    def __init__(
        self,
        estimator: Any = None,
        *,
        selection: str = "max_edge",
        n_estimators: int = 200,
        max_depth: int | Literal["auto"] = "auto",
        learning_rate: float = 1.0,
        class_cost: Any = None,
        noise_matrix: Any = None,
        subsample: float = 1.0,
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
        store_parameters(self, locals())

    def _class_units(self, class_mass: np.ndarray) -> np.ndarray:
        return np.ones(len(class_mass))

    def _begin(self, setting: Setting) -> _Process:
        setting = setting.without_silent_views()
        costs = setting.open_shared_costs()
        n_views = len(setting.views)
        return _Process(
            setting,
            self._open_views(setting, costs),
            costs,
            Memory(setting.table, setting.views, costs, np.full(n_views, 1.0 / n_views)),
            _Bandit(n_views, self.n_estimators),
        )

    def _boost(self, process: _Process, seed: int) -> Round:
        chosen = self._find(process, seed)
        if chosen is None:
            return self._give_up()
        if self.selection == "bandit":
            process.bandit.pay(chosen.view, chosen.edge)
        return self._admit(process.costs, chosen, view=chosen.view)

    def _find(self, process: _Process, seed: int) -> Candidate | None:
        """The voter of this round, if any has a positive edge."""
        for view in process.views:
            view.costs = process.costs.where(view.row_mask, view.table.pool)
        if self.selection in ("max_edge", "combination"):
            results = self._learn_in_views(process.setting, process.views, seed)
            return select(self.selection, results, process.memory, seed)[0]
        n_views = len(process.views)
        chances = process.bandit.probabilities() if self.selection == "bandit" else None
        for j in np.random.RandomState(seed).choice(n_views, n_views, replace=False, p=chances):
            results = self._learn_in_views(process.setting, [process.views[j]], seed)
            chosen = select("max_edge", results, process.memory, seed)[0]
            if chosen is not None:
                return chosen
        return None

    def _replay(self, process: _Process, vote: Vote) -> None:
        edges = self.history_["edge"] if len(vote) else []
        for term, edge in zip(self._learnt_terms(process.setting, vote), edges):
            process.costs.add(term_answers(process.views, term), term.weight)
            if self.selection == "bandit":
                process.bandit.pay(term.view, edge)

    def _finish(self, process: _Process) -> None:
        self.selection_counts_ = selection_counts(self.vote_)
