"""Carako: one classifier per view, and how much each of them counts for each class."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Any, ClassVar, Self

import numpy as np
from sklearn.utils import check_random_state

from uneven.costs.class_weights import CONSTRAINTS
from uneven.costs.matrices import FixedCosts
from uneven.fusion.carako_bags import N_TREES, ViewBag, alternate
from uneven.fusion.carako_losses import (
    CarakoLoss,
    JointLoss,
    SplitLoss,
    coarsen,
    put_on_grid,
)
from uneven.fusion.per_view import PUBLISHED, validate_rows, warn_if_nothing_learnt
from uneven.utils.contract import not_repeatable
from uneven.utils.docstrings import documented
from uneven.utils.methods import method
from uneven.utils.model_types import persisted
from uneven.utils.parallel import ThreadPool, thread_pool
from uneven.utils.parameters import (
    Choice,
    Interval,
    Jobs,
    Whole,
    check_parameters,
    store_parameters,
)
from uneven.utils.validation import whole_or_nothing
from uneven.views.training_rows import TrainingRows, speaking_views
from uneven.voters import CostTree, TrainingTable, Voter, WeakLearner, as_weak_learner
from uneven.votes import Term, Vote
from uneven.votes.vote import VoteClassifier, vote_answers

_SAME_LOSS = 1e-9


@dataclass
class _ViewLearner:
    """One view while it learns.

    ``present`` is a bool array of shape (n_samples,); other rows cost nothing and get no
    prediction.
    """

    view: int
    table: TrainingTable
    columns: np.ndarray
    present: np.ndarray
    learner: WeakLearner

    def learn(
        self, prices: np.ndarray, weights: np.ndarray, seed: int
    ) -> tuple[Voter, np.ndarray] | None:
        """Find a voter of low cost; None if every prediction costs the same."""
        here = np.where(self.present, weights, 0.0)
        costs = FixedCosts(self.table.y, prices * self.present[:, None], here, pool=self.table.pool)
        if costs.stake <= 0.0:
            return None
        voter, answers = self.learner.learn(self.table, self.columns, costs, seed)
        return voter, np.where(self.present, answers, -1)


@dataclass
class _Iterate:
    """Voters and coefficients at one point of the alternation.

    ``votes`` are the coefficients and what breaks their ties, of shape (n_views, n_classes).
    """

    voters: list[Voter | None]
    answers: np.ndarray
    coefficients: np.ndarray
    votes: np.ndarray
    value: float = np.inf
    error: float = 1.0

    def beats(self, other: _Iterate, slack: float) -> bool:
        """Whether to keep this one: no training errors first, then the smaller loss."""
        if (self.error > 0.0) != (other.error > 0.0):
            return self.error == 0.0
        return self.value * (1.0 + slack) < other.value


@persisted("carako", role="classifier")
@method(
    "carako",
    "Carako",
    "Bagged trees in every view, combined with a weight per class.",
    order=30,
    joins_views=True,
)
@documented
class CarakoClassifier(VoteClassifier):
    """Carako: late fusion with a weight for each view and class.

    The score of class ``c`` is ``sum_j b[j, c] P[view j predicts c]``: a view that recognises only
    some classes has weight only for these. A view is a bag of 64 trees and ``P`` the share of them
    that predict ``c`` (:mod:`uneven.fusion.carako_bags`); ``CarakoClassifier("published")`` has one
    tree per view. The classifiers of the views and the weights ``b`` are fitted alternately: the
    classifiers to a cost matrix that follows from the weights, then the weights to the predictions.
    The objective bounds the sum of the off-diagonal entries of the normalised confusion matrix, in
    which every class has the same weight (see :mod:`uneven.fusion.carako_losses`). The best
    iteration is kept: one without training errors if there is one, which also ends the search from
    its starting point, otherwise the one with the lowest loss.

    Parameters
    ----------
    {parameters}
    estimator : weak learner, classifier, mapping of view name to either, "published" or None, \
default=None
        The classifier of a view. None is a bag of 64 cost trees in version 2, evaluated on their
        out-of-bag rows. "published", None in version 1, and views that a mapping does not name,
        is one :class:`~uneven.voters.CostTree` of depth ``max_depth``, which reads the whole cost
        matrix. A scikit-learn classifier gets the mean regret of a row as its weight.
    max_depth : int, default=10
        Depth of the cost trees. Ignored if ``estimator`` is given.
    version : {2, 1}, default=2
        2 minimises a bound in which views do not depend on each other: they learn in parallel, and
        the coefficients have an exact solution. 1 minimises the exponential loss of the vote: one
        view learns after the other, and the coefficients are found by projected gradient.
    procedure : {"two_step", "joint"}, default="two_step"
        "two_step" alternates from one random point. "joint" looks for a common minimum over voters
        and coefficients by alternating from ``n_restarts`` random points.
    max_iter : int, default=20
        Largest number of alternations from one point.
    tol : float, default=1e-4
        Stop when the loss falls by less than this share of it.
    n_restarts : int, default=5
        Random points of ``procedure="joint"``.
    sweeps : int, default=1
        How often version 1 goes through the views before the coefficients are chosen again.
    constraint : {"eq1", "le1"}, default="eq1"
        The coefficients of a class sum to 1, or to at most 1. With "le1" a class that every view
        misclassifies may have no weight at all.
    ties : {"precision", "first"}, default="precision"
        Which of the classes with the same score is predicted. "precision": the one that is more
        often right when these views predict it, also those views whose coefficient is 0; equal
        scores do not depend on rounding, because coefficients are kept in steps of 2**-16. "first":
        the first class, with coefficients as they are computed. This is the alternation as
        published to the letter, in which the last bit of a coefficient decides many rows (see
        Notes).

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The class labels.
    coefficients_ : ndarray of shape (n_views, n_classes)
        How much each view counts for each class.
    vote_ : Vote
        The fitted vote: the trees of the bags, or one term per view, whose weights are, with
        ``ties="precision"``, the coefficients and at most 2**-17 for the precision of a prediction.
    objective_ : float
        Loss of the kept voters and coefficients; NaN if there was nothing to learn.
    history_ : dict of str to ndarray of shape (n_alternations,)
        ``start``, ``iteration``, ``objective`` and training ``error`` of each alternation. For bags
        the objective is that of unseen rows, and ``error`` that of the kept bags on them.
    n_iter_ : int
        Alternations from the point that won.
    stop_reason_ : str
        Why the alternation from that point ended, or why there was none.
    undecided_ : int
        Training rows in which no class gets a vote.
    class_prior_ : ndarray of shape (n_classes,)
        Class frequencies in training.
    views_ : ViewMap
        The resolved views.

    See Also
    --------
    LateFusionClassifier : fixed weights instead of learned ones.

    References
    ----------
    S. Koço (2013), *Tackling the uneven views problem with cooperation based ensemble learning
    methods*, PhD thesis, Aix-Marseille Université, chapter 4.

    Notes
    -----
    The source gives no procedure for the joint minimisation; several starts of the alternation
    are ours. Greedy learners do not minimise their costs exactly, so that the loss may rise in
    an alternation: the best one is kept. A row without any vote gets the most frequent class, see
    :meth:`undecided`: all its views are missing or, with ``ties="first"``, have coefficient 0 for
    what they predict.

    Ties are frequent, because the coefficients of every class add up to 1: two classes whose views
    all predict them both score 1. The source does not say which wins. With ``ties="first"`` the
    prediction depends on how a processor rounds an exponential, and accuracy with it, by up to five
    points in version 1. ``ties="precision"`` also drops the last bits of the costs and calls losses
    equal that differ by less than a billionth of them, so that the same model is learnt everywhere.
    Its predictions differ from those of "first", for the better in version 1 (see
    ``docs/fusion.md``).

    Examples
    --------
    >>> from sklearn.model_selection import train_test_split
    >>> from uneven import CarakoClassifier
    >>> from uneven.datasets import make_imbalanced_views
    >>> data = make_imbalanced_views(600, random_state=0)
    >>> X, X_new, y, y_new = train_test_split(data.data, data.target, random_state=0)
    >>> carako = CarakoClassifier(max_depth=4, views=data.views, random_state=0).fit(X, y)
    >>> carako.coefficients_.shape
    (4, 6)
    >>> bool(carako.score(X_new, y_new) > 0.5)
    True
    """

    _parameters: ClassVar = {
        "procedure": Choice(("two_step", "joint")),
        "max_iter": Whole(1),
        "tol": Interval(0, 1, closed="left"),
        "n_restarts": Whole(1),
        "sweeps": Whole(1),
        "max_depth": Whole(1, 30),
        "constraint": Choice(CONSTRAINTS),
        "ties": Choice(("precision", "first")),
        "max_bins": Whole(2, 255),
        "n_jobs": Jobs(),
    }

    def __init__(
        self,
        estimator: Any = None,
        *,
        version: int = 2,
        procedure: str = "two_step",
        max_iter: int = 20,
        tol: float = 1e-4,
        n_restarts: int = 5,
        sweeps: int = 1,
        max_depth: int = 10,
        constraint: str = "eq1",
        ties: str = "precision",
        views: Any = None,
        max_bins: int = 255,
        random_state: Any = None,
        n_jobs: int | None = None,
    ) -> None:
        store_parameters(self, locals())

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Learn voters and coefficients.

        Parameters
        ----------
        X : array-like, sparse matrix or dataframe of shape (n_samples, n_features)
            NaN is a missing value; a row in which a whole view is NaN is not shown to that view.
        y : array-like of shape (n_samples,)
            Class labels.
        sample_weight : array-like of shape (n_samples,), optional
            Number of examples that each row represents. Rows of weight zero are left out.

        Returns
        -------
        self : object
        """
        check_parameters(self)
        if self.version not in (1, 2):
            raise ValueError(f"version must be 1 or 2, got {self.version!r}.")
        with whole_or_nothing(self), thread_pool(self.n_jobs) as pool:
            rows = validate_rows(self, X, y, sample_weight)
            table = TrainingTable.of(rows, self.max_bins, pool)
            weights = rows.mass / table.class_mass[rows.y]
            if self.estimator is None and self.version == 2:
                split = SplitLoss(rows.y, table.n_classes, weights, self.constraint)
                self._fit_bags(split, self._open_views(rows, table))
                return self
            kind = SplitLoss if self.version == 2 else JointLoss
            loss = kind(rows.y, table.n_classes, weights, self.constraint)
            learners = self._open_views(rows, table)
            self._keep(self._best_of_starts(loss, learners, pool), learners, loss)
        return self

    def _open_views(self, rows: TrainingRows, table: TrainingTable) -> list[_ViewLearner]:
        """Give every view that shows two classes its table and its learner."""
        published = isinstance(self.estimator, str) and self.estimator == PUBLISHED
        given = rows.views.deal("estimator", None if published else self.estimator)
        learners = [as_weak_learner(estimator, self.max_depth) for estimator in given]
        if any(isinstance(learner, CostTree) for learner in learners):
            _ = table.binned
        speaking = speaking_views(rows.y, rows.view_mask, rows.views)
        return [
            _ViewLearner(
                view=j,
                table=table.where(rows.view_mask[:, j], pool),
                columns=rows.views.columns[j],
                present=rows.view_mask[:, j],
                learner=learners[j],
            )
            for j, pool in zip(speaking, table.pool.split(max(1, len(speaking))))
        ]

    def _fit_bags(self, loss: SplitLoss, learners: list[_ViewLearner]) -> None:
        """Learn a bag of trees per view, and the coefficients."""
        if not learners:
            self._keep(self._best_of_starts(loss, learners, ThreadPool()), learners, loss)
            return
        bags = [ViewBag(**vars(learner)) for learner in learners]
        rng = check_random_state(self.random_state)
        best, values, self.stop_reason_ = alternate(bags, loss, self.max_iter, self.tol, rng)
        self.n_iter_ = len(values)
        scores = best.scores()
        wrong = vote_answers(scores, int(self.class_prior_.argmax())) != loss.y
        error = float((loss.weights * self.class_prior_[loss.y])[wrong].sum())
        self.history_: dict[str, Any] = {
            "start": np.zeros(len(values), dtype=np.int64),
            "iteration": np.arange(len(values)),
            "objective": np.array(values),
            "error": np.full(len(values), error),
        }
        self.objective_, self.undecided_ = best.value, int((~scores.any(axis=1)).sum())
        self.coefficients_ = np.zeros((len(self.views_), loss.n_classes))
        terms = []
        for bag, voters, own in zip(bags, best.voters, best.coefficients):
            self.coefficients_[bag.view] = own
            terms += [Term(voter, own / N_TREES, bag.view) for voter in voters]
        self.vote_ = Vote(terms, [len(terms)], loss.n_classes, self.views_)
        warn_if_nothing_learnt(self.vote_)

    def _best_of_starts(
        self, loss: CarakoLoss, learners: list[_ViewLearner], pool: ThreadPool
    ) -> _Iterate:
        """Alternate from one random point or several; the best iterate wins."""
        rng = check_random_state(self.random_state)
        self.history_ = {key: [] for key in ("start", "iteration", "objective", "error")}
        n_starts = self.n_restarts if self.procedure == "joint" else 1
        nobody = np.empty((0, loss.n_classes))
        best = _Iterate([], np.empty((0, len(loss.y)), dtype=np.int64), nobody, nobody)
        if not learners:
            best.value = np.nan
        silent = "one class" if loss.n_classes == 1 else "no view shows two classes"
        self.stop_reason_, self.n_iter_ = silent, 0
        for start in range(n_starts if learners else 0):
            found, reason = self._alternate(loss, learners, start, rng, pool)
            if found.beats(best, self._slack):
                best, self.stop_reason_ = found, reason
                self.n_iter_ = self.history_["start"].count(start)
        self.history_ = {key: np.array(values) for key, values in self.history_.items()}
        return best

    def _alternate(
        self,
        loss: CarakoLoss,
        learners: list[_ViewLearner],
        start: int,
        rng: np.random.RandomState,
        pool: ThreadPool,
    ) -> tuple[_Iterate, str]:
        """Fit the views, choose the coefficients, repeat; return the best iterate."""
        coefficients = rng.uniform(size=(len(learners), loss.n_classes))
        coefficients /= coefficients.sum(axis=0)
        silence = np.full((len(learners), len(loss.y)), -1, dtype=np.int64)
        current = best = _Iterate([None] * len(learners), silence, coefficients, coefficients)
        for iteration in range(self.max_iter):
            seeds = rng.randint(2**31 - 1, size=len(learners))
            fit_views = self._fit_together if self.version == 2 else self._fit_in_turn
            voters, answers = fit_views(loss, learners, current, seeds, pool)
            current = self._weigh(loss, voters, answers, current.coefficients)
            value, error = current.value, current.error
            for key, entry in zip(self.history_, (start, iteration, value, error)):
                self.history_[key].append(entry)
            enough = best.value - value <= (self.tol + self._slack) * value
            best = current if current.beats(best, self._slack) else best
            if error == 0.0:
                return best, "no training errors"
            if enough:
                return best, "the loss no longer falls"
        return best, "all alternations done"

    @property
    def _slack(self) -> float:
        """Losses that differ by no more than this share are the same."""
        return 0.0 if self.ties == "first" else _SAME_LOSS

    def _weigh(
        self,
        loss: CarakoLoss,
        voters: list[Voter | None],
        answers: np.ndarray,
        before: np.ndarray,
    ) -> _Iterate:
        """Step 2: choose the coefficients for the predictions, and decide ties."""
        coefficients = votes = loss.coefficients(answers, before)
        if self.ties == "precision":
            coefficients = put_on_grid(coefficients)
            votes = coefficients + loss.tie_breakers(answers)
        value, error = loss.value(answers, coefficients), self._error(loss, answers, votes)
        return _Iterate(voters, answers, coefficients, votes, value, error)

    def _prices(
        self, loss: CarakoLoss, k: int, answers: np.ndarray, coefficients: np.ndarray
    ) -> np.ndarray:
        prices = loss.prices(k, answers, coefficients)
        return prices if self.ties == "first" else coarsen(prices)

    def _fit_together(
        self,
        loss: CarakoLoss,
        learners: list[_ViewLearner],
        before: _Iterate,
        seeds: np.ndarray,
        pool: ThreadPool,
    ) -> tuple[list[Voter | None], np.ndarray]:
        """Step 1 of version 2: views do not see each other, so that they learn in parallel."""

        def fit_view(k: int) -> tuple[Voter, np.ndarray] | None:
            prices = self._prices(loss, k, before.answers, before.coefficients)
            return learners[k].learn(prices, loss.weights, int(seeds[k]))

        fits = pool.map([partial(fit_view, k) for k in range(len(learners))])
        voters, answers = list(before.voters), before.answers.copy()
        for k, learnt in enumerate(fits):
            if learnt is not None:
                voters[k], answers[k] = learnt
        return voters, answers

    def _fit_in_turn(
        self,
        loss: CarakoLoss,
        learners: list[_ViewLearner],
        before: _Iterate,
        seeds: np.ndarray,
        pool: ThreadPool,
    ) -> tuple[list[Voter | None], np.ndarray]:
        """Step 1 of version 1: each view learns given the current predictions of the others."""
        voters, answers = list(before.voters), before.answers.copy()
        for _ in range(self.sweeps):
            for k, learner in enumerate(learners):
                prices = self._prices(loss, k, answers, before.coefficients)
                learnt = learner.learn(prices, loss.weights, int(seeds[k]))
                if learnt is not None:
                    voters[k], answers[k] = learnt
        return voters, answers

    def _error(self, loss: CarakoLoss, answers: np.ndarray, votes: np.ndarray) -> float:
        """Share of the training mass that the vote gets wrong."""
        scores = loss.scores(answers, votes)
        wrong = vote_answers(scores, int(self.class_prior_.argmax())) != loss.y
        return float((loss.weights * self.class_prior_[loss.y])[wrong].sum())

    def _keep(self, best: _Iterate, learners: list[_ViewLearner], loss: CarakoLoss) -> None:
        """Turn the best iterate into the fitted vote."""
        n_classes = loss.n_classes
        self.coefficients_ = np.zeros((len(self.views_), n_classes))
        terms = []
        for k, (learner, voter) in enumerate(zip(learners, best.voters)):
            if voter is not None:
                self.coefficients_[learner.view] = best.coefficients[k]
                terms.append(Term(voter, best.votes[k], learner.view))
        self.vote_ = Vote(terms, [len(terms)], n_classes, self.views_)
        warn_if_nothing_learnt(self.vote_)
        self.objective_ = best.value
        scores = loss.scores(best.answers, best.votes)
        self.undecided_ = int((~scores.any(axis=1)).sum())

    @classmethod
    def _test_instances(cls) -> list[Any]:
        return [
            (cls(max_iter=1), not_repeatable("bootstraps are drawn by position")),
            cls("published"),
            cls(version=1, max_depth=3),
            cls("published", procedure="joint", constraint="le1", max_depth=2, n_jobs=2),
        ]
