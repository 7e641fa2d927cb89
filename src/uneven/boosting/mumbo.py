"""MuMBo: views of uneven strength that boost together and share their mistakes.

A cooperation rule says how much a view's mistake counts when another view is right. It returns for
the rows in which some views are right and some are wrong; the others are settled: a view that is
right always learns with share 1, and so does every view of a row that all its present views get
wrong. Whatever the rule returns, the loss of each view is bounded as long as shares lie in [0, 1].

References
----------
S. Koço (2013), *Tackling the uneven views problem with cooperation based ensemble learning
methods*, PhD thesis, Aix-Marseille Université, chapter 2.

Notes
-----
Corrections of the source: the Gaussian rule has a minus in its exponent (with the plus of the
source its shares would exceed 1); rows that every view gets wrong count fully under every rule (by
their published formulas, the ratio rule would give them 0 and the half rule 0.5).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any, ClassVar, Literal

import numpy as np
from sklearn.utils.validation import check_is_fitted

from uneven.boosting.base import Candidate, Round, ScoreLeavesMixin
from uneven.boosting.multiview import (
    SELECTION_RULES,
    Memory,
    MultiViewBoosting,
    ViewProcess,
    ViewResult,
    select,
    selection_counts,
    term_answers,
)
from uneven.boosting.score_leaves import ScoreViewProcess
from uneven.boosting.setting import Setting
from uneven.costs._portable import exp_all
from uneven.costs.matrices import VoteCosts
from uneven.costs.score_costs import ScoreCosts
from uneven.utils.contract import TWO_VIEWS, rounded_by_row
from uneven.utils.docstrings import documented
from uneven.utils.methods import method
from uneven.utils.model_types import persisted
from uneven.utils.parameters import Choice, Whole, store_parameters
from uneven.views import ViewMap
from uneven.views.training_rows import validate_predict_data
from uneven.votes import Term, Vote
from uneven.votes.vote import checked_vote, vote_answers

Rule = Callable[[np.ndarray, np.ndarray], Any]


def _wrong_share(right: np.ndarray, view_mask: np.ndarray) -> np.ndarray:
    """Share of the present views that are wrong, shape (n_samples, 1)."""
    n_present = view_mask.sum(axis=1, keepdims=True)
    n_right = right.sum(axis=1, keepdims=True)
    return np.asarray((n_present - n_right) / np.maximum(n_present, 1))


def binary(right: np.ndarray, view_mask: np.ndarray) -> Any:
    """Do not push an example that another view already has right."""
    return 0.0


def ratio(right: np.ndarray, view_mask: np.ndarray) -> Any:
    """Push it by the share of the views that are right."""
    return 1.0 - _wrong_share(right, view_mask)


def gauss(right: np.ndarray, view_mask: np.ndarray, centre: float = 0.5) -> Any:
    """Push it most when the share of views in error is near ``centre``."""
    return exp_all(-((centre - _wrong_share(right, view_mask)) ** 2))


def half(right: np.ndarray, view_mask: np.ndarray) -> Any:
    """Push it least when half of the views are wrong."""
    return np.abs(0.5 - _wrong_share(right, view_mask))


COOPERATION_RULES: dict[str, Rule] = {
    "binary": binary,
    "ratio": ratio,
    "gauss": gauss,
    "half": half,
}


def cooperation_shares(rule: str | Rule, right: np.ndarray, view_mask: np.ndarray) -> np.ndarray:
    """How much of its vote weight each view applies to its own costs, row by row.

    Parameters
    ----------
    rule : {"binary", "ratio", "gauss", "half"} or callable
        A callable gets ``right`` and ``view_mask`` and returns numbers in [0, 1]: one for all, one
        per row of shape (n_samples, 1), or an array of their shape.
    right : ndarray of bool, shape (n_samples, n_views)
        Which views predict correctly; False where absent.
    view_mask : ndarray of bool, shape (n_samples, n_views)

    Returns
    -------
    ndarray of shape (n_samples, n_views)

    Examples
    --------
    One row that both views miss, one that only the first has right:

    >>> import numpy as np
    >>> right = np.array([[False, False], [True, False]])
    >>> cooperation_shares("binary", right, np.ones((2, 2), dtype=bool))
    array([[1., 1.],
           [1., 0.]])
    """
    function = rule if callable(rule) else COOPERATION_RULES[rule]
    shares = np.asarray(function(right, view_mask), dtype=np.float64)
    if shares.shape not in ((), (len(right), 1), right.shape):
        raise ValueError(
            f"cooperation={rule!r} must return a number, or an array of shape {right.shape} or "
            f"{(len(right), 1)}; got shape {shares.shape}."
        )
    if callable(rule) and not np.all((shares >= 0.0) & (shares <= 1.0)):
        raise ValueError(
            f"cooperation={rule!r} must return numbers in [0, 1]; got values from "
            f"{np.min(shares)} to {np.max(shares)}."
        )
    settled = right | ~np.logical_or.reduce(right, axis=1, keepdims=True)
    return np.where(settled, 1.0, shares) if shares.any() else settled.astype(np.float64)


@dataclass
class _Process:
    """State of MuMBo: one process per view, the vote's own costs, and the vote so far."""

    setting: Setting
    views: list[ViewProcess] | list[ScoreViewProcess]
    costs: VoteCosts | ScoreCosts
    memory: Memory
    view_terms: list[list[Term]] = field(default_factory=list)
    skipped: int = 0


@persisted("mumbo", role="classifier")
@method(
    "mumbo",
    "MuMBo",
    "Multi-view boosting: each view focuses on the rows that the other views do not classify "
    "correctly, and the best weak classifier of each round is kept.",
    order=21,
    staged=True,
    joins_views=True,
    takes_noise=True,
    tunes={"max_depth": (1, 2, 3, 4, 6), "learning_rate": (0.1, 0.3, 1.0), "subsample": (0.5, 1.0)},
)
@documented
class MumboClassifier(ScoreLeavesMixin, MultiViewBoosting):
    """MuMBo: boosting for views of uneven strength.

    Every view has its own cost matrix and weak learner. If a view misclassifies an example, its
    cost in that view increases only as far as no other view classifies the example correctly: a
    view does not have to fit examples that other views recognise. Of the weak classifiers of a
    round, the one with the largest edge on the costs of the whole ensemble is added, so weak views
    are used only where they help. The training error decreases at least as fast as
    ``(n_classes - 1)`` times the product of ``sqrt(1 - edge ** 2)``.

    With one view this is AdaBoost.MM. Use :class:`~uneven.MuComboClassifier` if classes are rare
    or a view recognises only some classes.

    Parameters
    ----------
    {parameters}
    cooperation : {"binary", "ratio", "gauss", "half"} or callable, default="binary"
        How far a view pushes an example that it gets wrong and another view gets right. "binary":
        not at all; "ratio": by the share of views that are right; "gauss", "half": by how far the
        views are from an even split. A callable gets two boolean arrays of shape (n_samples,
        n_views), who is right and who is present, and returns numbers in [0, 1]; see
        :mod:`uneven.boosting.mumbo`.
    selection : {"max_edge", "combination", "combination_or_best", "quota", "class_focus", \
"diversity", "random"}, default="max_edge"
        Which voter of the round enters the vote, among those with a positive edge on its costs:
        the best; all of them voting together; whichever of these is better; the best among the
        views below their quota; the one that recognises a class best; the one that disagrees most
        with the vote so far; any.
    on_failure : {"halt", "retry", "skip"}, default="halt"
        What to do if no voter has a positive edge: stop; let all views learn again with other
        seeds, up to ``max_retries`` times (for learners that draw at random); or only let the
        views learn from the round, up to ``patience`` times in a row.
    quotas : array-like of shape (n_views,), default=None
        With ``selection="quota"``: share of the rounds for each view. None is equal shares.
    focus : "worst", "round_robin" or class label, default="worst"
        With ``selection="class_focus"``: the class that has the lowest recall so far, every class
        in turn, or one class.
    max_retries : int, default=10
    patience : int, default=5

    Attributes
    ----------
    {attributes}
    selection_counts_ : ndarray of int, shape (n_views,)
        Rounds in which each view's voter entered the vote.
    view_votes_ : tuple of Vote
        The voters of each view, with the weights of its own process; see
        :meth:`predict_by_view`.

    See Also
    --------
    MuComboClassifier : all views vote in every round, with a weight per class.
    uneven.boosting.ShareBoostClassifier : all views learn from the same costs.

    References
    ----------
    S. Koço (2013), *Tackling the uneven views problem with cooperation based ensemble learning
    methods*, PhD thesis, Aix-Marseille Université, chapter 2.
    S. Koço and C. Capponi (2011), *A boosting approach to multiview classification with
    cooperation*.

    Notes
    -----
    ``history_`` also holds, for each round, ``view`` (position of the chosen view, -1 for a
    combination) and, one column per view, ``view_edge``, ``view_weight``, ``view_log_loss`` (in
    its own process) and ``selection_edge`` (on the costs of the vote).

    Corrections of the source: several indices of the algorithm (the loops run over rounds and
    views, the vote is made of the selected voters); the bounds start at ``n_samples *
    (n_classes - 1)`` and contain ``sqrt(1 - edge ** 2)``; the margin bound has no ``1 /
    n_samples``. A view without a positive edge on its own costs learns nothing in that round (a
    negative weight would break its bound), but may still be selected. The per-view bound holds
    for scores that include the cooperation shares, not for :meth:`predict_by_view`, which cannot
    know them.

    Examples
    --------
    >>> from sklearn.model_selection import cross_val_score
    >>> from uneven import MumboClassifier
    >>> from uneven.datasets import make_uneven_views
    >>> data = make_uneven_views(200, random_state=0)
    >>> model = MumboClassifier(views=data.views, n_estimators=30, max_depth=1)
    >>> bool(cross_val_score(model, data.data, data.target).mean() > 0.7)
    True
    >>> int(model.fit(data.data, data.target).selection_counts_.sum())
    30
    """

    _parameters: ClassVar = {
        "cooperation": Choice(COOPERATION_RULES, or_callable=True),
        "selection": Choice(SELECTION_RULES),
        "on_failure": Choice(("halt", "retry", "skip")),
        "max_retries": Whole(0),
        "patience": Whole(1),
    }

    def __init__(
        self,
        estimator: Any = None,
        *,
        cooperation: str | Callable = "binary",
        selection: str = "max_edge",
        on_failure: str = "halt",
        quotas: Any = None,
        focus: Any = "worst",
        max_retries: int = 10,
        patience: int = 5,
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
        return np.ones(len(class_mass))

    def _begin(self, setting: Setting) -> _Process:
        setting = setting.without_silent_views()
        costs = self._open_shared(setting)
        memory = Memory(
            setting.table,
            setting.views,
            costs,
            _check_quotas(self.quotas, setting.views),
            _check_focus(self.focus, self.classes_),
            counts_answers=self.selection == "diversity",
        )
        open_views = self._open_score_views if self._has_scores else self._open_views
        return _Process(setting, open_views(setting), costs, memory)

    def _needs_all_rows(self) -> str:
        if callable(self.cooperation):
            return "cooperation is a function of all rows"
        if self.selection not in ("max_edge", "quota", "random"):
            return f"selection={self.selection!r} compares predictions row by row"
        return ""

    def _check_leaves(self) -> None:
        super()._check_leaves()
        if self._has_scores and self.selection.startswith("combination"):
            raise ValueError(f'selection={self.selection!r} needs leaves="votes".')

    def _open_shared(self, setting: Setting) -> VoteCosts | ScoreCosts:
        """Costs of the whole vote."""
        if not self._has_scores:
            return setting.open_shared_costs()
        return setting.open_shared_scores(self.loss)

    def _boost(self, process: _Process, seed: int) -> Round:
        results = self._learn_in_views(process.setting, process.views, seed)
        chosen, edges = select(self.selection, results, process.memory, seed)
        if chosen is None and self.on_failure == "retry":
            results, chosen, edges = self._retry(process, results, edges, seed)
        if chosen is None and self.on_failure != "skip":
            return self._give_up()
        self._cooperate(process, results)
        if chosen is None:
            process.skipped += 1
            again = process.skipped >= self.patience
            return Round([], stop="no voter with a positive edge, again and again" * again)
        process.skipped = 0
        process.memory.remember(chosen.view, chosen.answers)
        return self._admit(
            process.costs,
            chosen,
            view=chosen.view,
            view_edge=np.array([result.edge for result in results]),
            view_weight=np.array([result.weight for result in results]),
            view_log_loss=np.array([view.costs.log_loss for view in process.views]),
            selection_edge=edges,
        )

    def _retry(
        self, process: _Process, results: list[ViewResult], edges: np.ndarray, seed: int
    ) -> tuple[list[ViewResult], Candidate | None, np.ndarray]:
        """Let all views learn again until one of them has a positive edge."""
        chosen = None
        for fresh in np.random.RandomState(seed).randint(2**31 - 1, size=int(self.max_retries)):
            results = self._learn_in_views(process.setting, process.views, int(fresh))
            chosen, edges = select(self.selection, results, process.memory, int(fresh))
            if chosen is not None:
                break
        return results, chosen, edges

    def _cooperate(self, process: _Process, results: Sequence[Any]) -> None:
        """Bring every view's costs up to date, sparing what other views have right."""
        known: Any = process.costs if self._has_scores else process.setting.labels
        rule = partial(cooperation_shares, self.cooperation)
        answers = [result.answers for result in results]
        shares = process.setting.shares_of_views(rule, known, answers)
        for result in reversed(results):  # the last view to learn is still in the cache
            if result.weight > 0.0:
                result.add_to(process.views[result.view].costs, shares[result.view])
        ones = np.ones(process.costs.n_classes)
        process.view_terms.append([result.as_term(ones) for result in results])

    def _replay(self, process: _Process, vote: Vote) -> None:
        learnt = self._learnt_terms(process.setting, vote)
        rounds = zip(*(view_vote.terms() for view_vote in self.view_votes_))
        for number, terms in enumerate(rounds, start=1):
            views: Any = process.views
            pairs = zip(views, terms)
            self._cooperate(process, [view.replay_result(term) for view, term in pairs])
            if number in self.history_["round"]:
                term = next(learnt)
                answers = term_answers(process.views, term)
                process.costs.add(answers, term.weight)
                if self._has_scores:
                    answers = views[term.view].replay_result(term).answers
                process.memory.remember(term.view, answers)

    def _finish(self, process: _Process) -> None:
        kept = int(self.history_["round"][-1]) if self.n_estimators_ else 0
        rounds = process.view_terms[:kept]
        self.view_votes_ = tuple(
            Vote(
                [terms[j] for terms in rounds],
                range(1, len(rounds) + 1),
                process.costs.n_classes,
                process.setting.views,
            )
            for j in range(len(process.views))
        )
        self.selection_counts_ = selection_counts(self.vote_)

    def predict_by_view(self, X: Any) -> dict[str, np.ndarray]:
        """Predictions of each view alone, by the vote of its own process.

        Parameters
        ----------
        X : array-like, sparse matrix or dataframe of shape (n_samples, n_features)

        Returns
        -------
        dict of str to ndarray of shape (n_samples,)
            Class labels by view name; the most frequent class where the view is absent.
        """
        check_is_fitted(self, "vote_")
        X = validate_predict_data(self, X)
        fallback = int(self.class_prior_.argmax())
        return {
            name: self.classes_[vote_answers(vote.score(X), fallback)]
            for name, vote in zip(self.views_.names, self.view_votes_)
        }

    @classmethod
    def _test_instances(cls) -> list[Any]:
        return [
            cls(n_estimators=5, views=TWO_VIEWS, n_jobs=2),
            cls(n_estimators=5, views=TWO_VIEWS, selection="combination_or_best"),
            (cls(n_estimators=5, views=TWO_VIEWS, leaves="scores"), rounded_by_row()),
        ]

    def _check_model_(self) -> None:
        """Replace the loaded votes by checked copies."""
        super()._check_model_()
        votes = [checked_vote(vote, self) for vote in self.view_votes_]
        if len(votes) != len(self.views_):
            raise ValueError(f"there are {len(votes)} votes for {len(self.views_)} views")
        self.view_votes_ = tuple(votes)


def _check_quotas(quotas: Any, views: ViewMap) -> np.ndarray:
    """Shares of the rounds, one per view, shape (n_views,)."""
    if quotas is None:
        return np.full(len(views), 1.0 / len(views))
    shares = np.asarray(quotas, dtype=np.float64)
    if shares.shape != (len(views),) or not np.all(shares >= 0.0) or not shares.sum() > 0.0:
        raise ValueError(
            f"quotas must hold one number >= 0 for each of the {len(views)} views "
            f"{list(views.names)}, not all zero; got {quotas!r}."
        )
    return np.asarray(shares / shares.sum())


def _check_focus(focus: Any, classes: np.ndarray) -> int | str:
    """Class index, "worst" or "round_robin"."""
    if isinstance(focus, str) and focus in ("worst", "round_robin"):
        return focus
    found = np.flatnonzero(classes == focus)
    if not len(found):
        raise ValueError(
            f'focus must be "worst", "round_robin" or one of the classes {classes.tolist()[:8]}; '
            f"got {focus!r}."
        )
    return int(found[0])
