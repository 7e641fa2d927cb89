"""µCoMBo: a CoMBo in every view, and a weight for every view, class and round."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, ClassVar, Literal

import numpy as np

from uneven.boosting.base import Round, ScoreLeavesMixin
from uneven.boosting.multiview import MultiViewBoosting, ViewProcess, term_answers
from uneven.boosting.score_leaves import ScoreViewProcess
from uneven.boosting.setting import Setting
from uneven.costs import EDGE_CLIP
from uneven.costs._portable import exp_all, log_sum_exp
from uneven.costs.class_weights import (
    CONSTRAINTS,
    exact_coefficients,
    leaf_coefficients,
    simplified_coefficients,
)
from uneven.utils.contract import TWO_VIEWS, rounded_by_row
from uneven.utils.docstrings import documented
from uneven.utils.methods import method
from uneven.utils.model_types import persisted
from uneven.utils.parameters import Choice, store_parameters
from uneven.votes import Vote


@dataclass
class _Process:
    """State of µCoMBo: one CoMBo per view, and in late fusion the views that have finished."""

    setting: Setting
    views: list[ViewProcess] | list[ScoreViewProcess]
    finished: set[int] = field(default_factory=set)


@persisted("mucombo", role="classifier")
@method(
    "mucombo",
    "µCoMBo",
    "CoMBo in every view, with a weight for every view, class and round: for rare classes and "
    "views that recognise only some classes.",
    order=20,
    staged=True,
    joins_views=True,
    takes_noise=True,
    tunes={"max_depth": (1, 2, 3, 4, 6), "learning_rate": (0.1, 0.3, 1.0), "subsample": (0.5, 1.0)},
)
@documented
class MuComboClassifier(ScoreLeavesMixin, MultiViewBoosting):
    """µCoMBo: multi-view boosting for imbalanced classes, with a weight per view and class.

    CoMBo runs in every view, so that all classes have the same weight. In every round all views
    vote, and a coefficient for each view and class is the weight of the view's votes for that
    class: near 0 where the view does not recognise the class. The coefficients minimise the summed
    loss of the views that predict the class in that round. Views may be missing in some rows.

    With one view this is CoMBo; with all coefficients at 1 it is late fusion of one CoMBo per view.

    Parameters
    ----------
    {parameters}
    coefficients : {"exact", "simplified", "ones"} or callable, default="exact"
        "exact" minimises the loss of the round by a one-dimensional search for each class.
        "simplified" takes each view's own best coefficient, cut off at 0, and divides by their
        sum. "ones" is late fusion. A callable gets ``right`` and ``wrong``, arrays of shape
        (n_views, n_classes) with the costs that each view's predictions remove and add, and the
        vote weights of shape (n_views,); it returns coefficients of shape (n_views, n_classes).
    constraint : {"eq1", "le1"}, default="eq1"
        Whether the coefficients of a class add up to 1, as published, or to at most 1: then a class
        that no view recognises can get no votes, and no round increases the loss, with votes and
        with scores in the leaves.

    Attributes
    ----------
    {attributes}
    coefficients_ : ndarray of shape (n_views, n_classes)
        Mean coefficient of each view for each class, weighted by the vote weights of the rounds:
        which view is trusted for which class.

    See Also
    --------
    MumboClassifier : one view votes in each round, all examples have the same weight.
    ComboClassifier : the same for one view.

    References
    ----------
    S. Koço (2013), *Tackling the uneven views problem with cooperation based ensemble learning
    methods*, PhD thesis, Aix-Marseille Université, chapter 4.

    Notes
    -----
    ``history_`` also holds, for each round, ``coefficients`` (n_views, n_classes) and, one column
    per view, ``view_edge``, ``view_weight`` and ``view_log_loss``. ``edge`` and ``weight`` are
    those of the view with the largest edge; ``log_loss`` is that of the views' summed loss.

    Corrections of the source: the costs of a round are those that the round before produced; the
    loss of a misclassification grows by ``exp(+weight * coefficient)``, and only for the label that
    was predicted (the objective of the source is garbled there); the bound of a round is ``sqrt(1 -
    edge ** 2)``, and it holds before coefficients are applied. The general solver that the thesis
    leaves open is a one-dimensional search, see :mod:`uneven.costs.class_weights`. Class sizes are
    counted over the rows in which the view is present. Learning ends in a round in which no voter
    that votes makes a training error; with ``coefficients="ones"`` every view ends by itself, as in
    late fusion. The smoothing of the simplified coefficients is one example's share of the loss, so
    that the scale of ``sample_weight`` matters there: weights count examples.

    Examples
    --------
    >>> from uneven import MuComboClassifier
    >>> from uneven.datasets import make_imbalanced_views
    >>> data = make_imbalanced_views(400, random_state=0)
    >>> model = MuComboClassifier(views=data.views, n_estimators=20, max_depth=1)
    >>> model = model.fit(data.data, data.target)
    >>> trust = model.coefficients_
    >>> trust.shape
    (4, 6)
    >>> bool(trust[0, 0] > trust[1, 0])  # class 0 shows in the first view, not in the second
    True
    """

    _instead: ClassVar = {
        "class_weight": "every class weighs the same already; give class_cost to price mistakes"
    }

    _parameters: ClassVar = {
        "coefficients": Choice(("exact", "ones", "simplified"), or_callable=True),
        "constraint": Choice(CONSTRAINTS),
    }

    def __init__(
        self,
        estimator: Any = None,
        *,
        coefficients: str | Callable = "exact",
        constraint: str = "eq1",
        n_estimators: int = 200,
        leaves: str = "votes",
        max_depth: int | Literal["auto"] | None = "auto",
        max_leaves: int | None = None,
        learning_rate: float = 1.0,
        loss: str = "exponential",
        leaf_step: str = "auto",
        l2: float = 1.0,
        min_weight: float = 0.1,
        class_cost: Any = None,
        noise_matrix: Any = None,
        subsample: float = 1.0,
        max_features: float = 1.0,
        views: Any = None,
        max_bins: int = 255,
        early_stopping: bool = False,
        scoring: Any = None,
        validation_fraction: float = 0.1,
        n_iter_no_change: int = 20,
        warm_start: bool = False,
        random_state: Any = None,
        n_jobs: int | None = None,
        verbose: int = 0,
    ) -> None:
        store_parameters(self, locals())

    def _class_units(self, class_mass: np.ndarray) -> np.ndarray:
        return np.maximum(class_mass, np.finfo(float).tiny)

    def _needs_all_rows(self) -> str:
        return ""

    def _begin(self, setting: Setting) -> _Process:
        setting = setting.without_silent_views()
        if self._has_scores:
            return _Process(setting, self._open_score_views(setting))
        setting.share_votes()
        return _Process(setting, self._open_views(setting, updates_beliefs=True))

    def _boost(self, process: _Process, seed: int) -> Round:
        learning = [view for view in process.views if view.position not in process.finished]
        results = [
            result
            for result in self._learn_in_views(process.setting, learning, seed)
            if result.weight > 0.0
        ]
        if not results:
            return self._give_up()
        coefficients = self._solve(process, results)
        terms = []
        for result in results:
            own = coefficients[result.view]
            if own.any():
                result.add_to(process.views[result.view].costs, coefficients=own)
                terms.append(result.as_term(own))
        if not terms:
            return Round([], stop="no view has a say in any class")
        perfect = [result.view for result in results if result.is_perfect]
        if self.coefficients == "ones":
            process.finished.update(perfect)
        return Round(
            terms=terms,
            record=self._record(process, results, coefficients),
            stop="voters without training errors" if len(perfect) == len(results) else "",
        )

    def _solve(self, process: _Process, results: list[Any]) -> np.ndarray:
        """Coefficients of this round, shape (n_views, n_classes)."""
        if self._has_scores and (self.coefficients, self.constraint) == ("exact", "le1"):
            return self._solve_leaves(process, results)
        n_views, n_classes = len(process.views), process.setting.table.n_classes
        right, wrong = np.zeros((2, n_views, n_classes))
        weight = np.zeros(n_views)
        loss = np.full(n_views, -np.inf)
        for result in results:
            j, costs = result.view, process.views[result.view].costs
            right[j], wrong[j] = result.right_and_wrong_by_class(costs)
            weight[j], loss[j] = result.weight, costs.log_loss
        loss = exp_all(loss - loss.max())
        right, wrong = right * loss[:, None], wrong * loss[:, None]
        if callable(self.coefficients):
            return _check_coefficients(self.coefficients(right, wrong, weight), right.shape)
        if self.coefficients == "ones":
            return np.ones_like(right)
        if self.coefficients == "exact":
            return exact_coefficients(right, wrong, weight, self.constraint)
        smoothing = loss / (process.setting.table.class_mass.sum() * n_classes)
        normalise = "sum" if self.constraint == "eq1" else "cap"
        return simplified_coefficients(right, wrong, weight, smoothing, normalise)

    def _solve_leaves(self, process: _Process, results: list[Any]) -> np.ndarray:
        """Coefficients of leaves that hold scores, with which the loss of no view grows."""
        n_leaves = max(len(result.scores) for result in results)
        shape = (len(process.views), n_leaves, process.setting.table.n_classes)
        owed, paid, scores = np.zeros((3, *shape))
        losses = np.array([process.views[result.view].costs.log_loss for result in results])
        for result, loss in zip(results, exp_all(losses - losses.max())):
            place = (result.view, slice(len(result.scores)))
            unit = loss / max(float(result.owed.sum()), np.finfo(float).tiny)
            owed[place], paid[place] = result.owed * unit, result.paid * unit
            scores[place] = result.scores
        return leaf_coefficients(owed, paid, scores)

    def _record(
        self, process: _Process, results: list[Any], coefficients: np.ndarray
    ) -> dict[str, Any]:
        losses = np.array([view.costs.log_loss for view in process.views])
        edges, weights = np.zeros((2, len(process.views)))
        for result in results:
            edges[result.view], weights[result.view] = result.edge, result.weight
        return {
            "edge": edges.max(),
            "weight": weights[edges.argmax()],
            "log_loss": log_sum_exp(losses),
            "coefficients": coefficients,
            "view_edge": edges,
            "view_weight": weights,
            "view_log_loss": losses,
        }

    def _replay(self, process: _Process, vote: Vote) -> None:
        for term in self._learnt_terms(process.setting, vote):
            process.views[term.view].costs.add(term_answers(process.views, term), term.weight)
        if len(vote) and self.coefficients == "ones":
            edges = np.max(self.history_["view_edge"], axis=0)
            process.finished.update(np.flatnonzero(edges >= 1.0 - EDGE_CLIP).tolist())

    def _finish(self, process: _Process) -> None:
        self.coefficients_ = np.zeros((len(process.views), process.setting.table.n_classes))
        if self.n_estimators_:
            weights = self.history_["view_weight"][:, :, None]
            total = (weights * self.history_["coefficients"]).sum(axis=0)
            self.coefficients_ = total / np.maximum(weights.sum(axis=0), np.finfo(float).tiny)

    @classmethod
    def _test_instances(cls) -> list[Any]:
        return [
            cls(n_estimators=5, views=TWO_VIEWS),
            cls(n_estimators=5, coefficients="simplified", max_depth=1),
            (cls(n_estimators=5, views=TWO_VIEWS, leaves="scores", loss="log"), rounded_by_row()),
        ]


def _check_coefficients(found: Any, shape: tuple[int, ...]) -> np.ndarray:
    """What a user's function returned, shape (n_views, n_classes)."""
    coefficients = np.asarray(found, dtype=np.float64)
    if coefficients.shape != shape or not np.all((coefficients >= 0.0) & (coefficients <= 1.0)):
        raise ValueError(
            f"the coefficients callable must return numbers in [0, 1] of shape {shape}; got shape "
            f"{coefficients.shape}, {found!r}."
        )
    return coefficients
