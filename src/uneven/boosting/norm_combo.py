"""NormCoMBo: a CoMBo that is steered by the norm itself, measured on rows it has not seen."""

from __future__ import annotations

from copy import deepcopy
from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import Any, ClassVar, Self

import numpy as np
from sklearn.utils import check_random_state

from uneven.boosting.base import GrowingVote, warn_of_guessing
from uneven.boosting.norm import (
    DEEPEST,
    Aim,
    Boost,
    LabelNoise,
    OutOfBag,
    bootstrap_by_class,
    depths_for,
    fit_mixture,
    left_after,
    plan_boosts,
    steering_costs,
    with_linear_voters,
)
from uneven.costs import EDGE_CLIP, EDGE_TOLERANCE, vote_weight
from uneven.costs.expected import ExpectedCosts, FixedBeliefs
from uneven.costs.matrices import RunningCosts, VoteCosts
from uneven.metrics.confusion import matrix_norm
from uneven.noise.matrices import invert_noise, learning_matrix
from uneven.utils.callbacks import CallbackSupportMixin, announced_rounds, with_callbacks
from uneven.utils.contract import not_repeatable
from uneven.utils.docstrings import documented
from uneven.utils.methods import method
from uneven.utils.model_types import check_numbers, persisted
from uneven.utils.parallel import thread_pool
from uneven.utils.parameters import (
    Flag,
    Interval,
    Jobs,
    Maybe,
    Whole,
    check_integer,
    check_parameters,
    store_parameters,
)
from uneven.utils.validation import check_class_cost, whole_or_nothing
from uneven.views import ViewMap
from uneven.views.training_rows import TrainingRows, check_same_table, validate_fit_data
from uneven.voters import CostLinear, TrainingTable, as_weak_learner
from uneven.votes import ALL_VIEWS, Term, Vote
from uneven.votes.vote import StagedVoteClassifier

_WARM_UP = 4
_MOST_JUDGED = 0.95
_PRIOR = 1.0
_SUREST = 1.0 - 1e-3


@dataclass
class _Learnt:
    """State after the boosts so far; ``warm_start`` continues from it."""

    unseen: OutOfBag
    unseen_by_linear: OutOfBag
    steering: np.ndarray
    vote: GrowingVote
    seeds: np.random.RandomState
    n_planned: int = 0
    linear: dict[int, Term] = field(default_factory=dict)

    def copy(self) -> _Learnt:
        """A copy that boosts can be added to."""
        vote = replace(self.vote, terms=[*self.vote.terms], ends=[*self.vote.ends])
        return replace(
            self,
            unseen=deepcopy(self.unseen),
            unseen_by_linear=deepcopy(self.unseen_by_linear),
            vote=vote,
            seeds=deepcopy(self.seeds),
            linear={**self.linear},
        )


@dataclass
class _Process:
    """State of training: the rows, their out-of-bag votes, and the misclassification costs."""

    table: TrainingTable
    columns: np.ndarray
    view: int
    row_mass: np.ndarray
    class_cost: np.ndarray
    learnt: _Learnt

    def add_unseen(
        self, bag: OutOfBag, terms: list[Term], views: ViewMap, unseen: np.ndarray
    ) -> None:
        """Let terms vote on the rows that they have not seen."""
        vote = Vote(terms, [len(terms)], self.table.n_classes, views)
        bag.add_votes(vote.score(self.table.X, self.table.pool), unseen)


@dataclass
class _Draw:
    """A bootstrap: its rows and their costs, and which rows of the whole table it has left out."""

    table: TrainingTable
    costs: VoteCosts
    unseen: np.ndarray


@persisted("norm_combo", role="classifier")
@method(
    "norm_combo",
    "NormCoMBo",
    "Many short CoMBo runs on bootstrap samples, with the confusion norm minimised on out-of-bag "
    "rows and one factor per class: for classes of very few rows.",
    order=11,
    takes_noise=True,
    parameters=lambda settings: {"n_estimators": 3 * settings.rounds},
    tunes={"max_depth": (2, 4, 8, None), "steering": (0.25, 0.5, 1.0), "learning_rate": (0.3, 1.0)},
)
@documented
class NormComboClassifier(CallbackSupportMixin, StagedVoteClassifier):
    """CoMBo for rare classes, steered by the norm of the confusion matrix on rows it has not seen.

    Where a class has a handful of rows, boosting soon makes no mistake on the training rows, and
    their confusion matrix gives no direction any more. This method evaluates on rows that the trees
    have not seen. It learns a number of short boosts, each on a bootstrap of every class:

    1. A boost is CoMBo on its bootstrap, every class weighing the same. Half of the boosts are
       long, of trees of depth ``max_depth`` that read all columns; the other half has a quarter of
       the trees, which are deeper, each of which reads half of the columns. For some boosts, a
       logistic regression learns from the same bootstrap.
    2. Each boost predicts its out-of-bag rows. The mean of all these votes gives an out-of-bag
       confusion matrix, and the gradient of its norm gives the misclassification costs of the next
       boost.
    3. After all boosts, the mean vote is multiplied by one factor per class: the factors with the
       smallest out-of-bag norm. This step minimises the (estimated) norm itself, where CoMBo
       minimises a bound of it. Linear voters get half of the vote if that is clearly better on
       these rows, otherwise they are dropped.

    The result is an ordinary vote. Compared with :class:`ComboClassifier`, rare classes are
    recognised more often; frequent ones give up some accuracy, which ``accuracy_weight`` can limit.

    Parameters
    ----------
    n_estimators : int, default=600
        Trees in all. Up to 600, they form about 24 boosts; more trees make more boosts.
    max_depth : int or None, default=None
        Depth of the trees of long boosts; those of short boosts are up to three levels deeper,
        but no deeper than 6 unless this is 6 or more. None follows the table: enough for a leaf
        per class, within 3 and 5 (3 for up to 8 classes, 4 for up to 16), and for a leaf for 64
        rows, up to 6 (4 from 1024 rows on); in short boosts for a leaf for eight rows, within 6
        and 9 (7 from 1024 rows on). Ignored if ``estimator`` is given.
    steering : float, default=0.5
        How far the misclassification costs follow the gradient of the norm, between 0 and 1.
    linear_voters : bool, default=True
        From 200 trees on, learn a linear voter for every 50 trees too, also with an
        ``estimator``. They are kept where they help on unseen rows.
    class_factors : bool, default=True
        Fit the factors of the classes.
    accuracy_weight : float, default=0.0
        How much the norm may rise for one unit of accuracy when the factors are fitted. 0 looks at
        the norm alone; 4 hardly gives up accuracy.
    noise_matrix : array-like of shape (n_classes, n_classes), default=None
        Known confusion matrix of label noise: entry (i, j) is the share of true class j that is
        labelled i, in sorted class order; columns sum to 1. A row then counts for every class,
        with the probability of being its true one given its label, this matrix and its out-of-bag
        votes: in the costs of the next boost, in the error rates and in the factors.
        :mod:`uneven.noise` estimates such matrices.
    n_iter_no_change : int or None, default=None
        Early stopping: end after so many boosts in a row that have not lowered the norm on
        out-of-bag rows. No rows are set aside for it. None learns all boosts.
    warm_start : bool, default=False
        Add boosts to those of the previous ``fit`` of this object (same rows, larger
        ``n_estimators``). From 600 trees on, in steps of 50, the model is that of a single fit.
    random_state : int, RandomState or None, default=None
        Draws the bootstraps and the columns.
    {parameters}

    Attributes
    ----------
    class_factors_ : ndarray of shape (n_classes,)
        Factors on the votes for each class; already in ``vote_``.
    linear_share_ : float
        Share of the linear voters in the vote: 0 or 0.5.
    steering_cost_ : ndarray of shape (n_classes, n_classes)
        Misclassification costs after the last boost.
    unseen_errors_ : ndarray of shape (n_classes, n_classes)
        Estimated error rates: row = true class, column = prediction, zero diagonal. They are
        optimistic, because the factors and the share were chosen to make them small; more so with
        ``noise_matrix``, where the votes also decide what the true classes are.
    judged_ : ndarray of int, shape (n_classes,)
        Training rows of each class that some boost has voted on without having drawn them (and some
        linear voter too, where these have a share). Where it is 0, as for a class of one row, its
        row of ``unseen_errors_`` is zero and without meaning.
    unseen_norm_ : float
        Norm of ``unseen_errors_``, each entry times its ``class_cost`` in units of their mean.
    history_ : dict of str to ndarray of shape (n_boosts,)
        For every boost its ``trees`` and ``depth``, and for the mean vote after it ``unseen_norm``
        (of the trees, before the factors) and ``judged``, the share of rows that some boost has
        voted on unseen.
    n_estimators_ : int
        Trees kept, or voters that ``estimator`` has learnt; linear voters do not count.
    classes_, class_prior_, vote_, views_, categories_, n_features_in_, feature_names_in_, \
stop_reason_ : object
        As for :class:`ComboClassifier`; a stage of the vote is a boost.

    See Also
    --------
    ComboClassifier : the published method, a single boost without resampling.
    uneven.metrics.confusion_norm : the norm that is driven down.

    References
    ----------
    S. Koço and C. Capponi (2013), *On multi-class learning through the minimization of the
    confusion matrix norm*; its conclusion calls for a method that minimises the norm itself.
    L. Breiman (1996), *Out-of-bag estimation*.
    H. Narasimhan, H. Ramaswamy, A. Saha and S. Agarwal (2015), *Consistent multiclass algorithms
    for complex performance measures*.

    Notes
    -----
    What was tried on the way, with figures, is in ``docs/research/norm.md``. ``sample_weight``
    counts in the costs, the confusion matrix and the factors, not in the draws.

    Examples
    --------
    >>> from uneven import ComboClassifier, NormComboClassifier
    >>> from uneven.datasets import make_balance_scale
    >>> from uneven.metrics import confusion_norm
    >>> from sklearn.model_selection import StratifiedKFold, cross_val_predict
    >>> data = make_balance_scale()
    >>> folds = StratifiedKFold(5, shuffle=True, random_state=0)
    >>> def norm(model):
    ...     answers = cross_val_predict(model, data.data, data.target, cv=folds)
    ...     return confusion_norm(data.target, answers)
    >>> bool(norm(NormComboClassifier(random_state=0)) < norm(ComboClassifier()))
    True
    """

    _instead: ClassVar = {
        "class_weight": "every class weighs the same already; give class_cost to price mistakes"
    }

    _parameters: ClassVar = {
        "n_estimators": Whole(1),
        "n_iter_no_change": Maybe(Whole(1)),
        "warm_start": Flag(),
        "verbose": Whole(0, or_flag=True),
        "max_bins": Whole(2, 255),
        "n_jobs": Jobs(),
        "learning_rate": Interval(0, 1, closed="right"),
        "linear_voters": Flag(),
        "class_factors": Flag(),
        "steering": Interval(0, 1, says="between 0 and 1"),
        "accuracy_weight": Interval(0, 1e9, says="between 0 and 1e9"),
    }

    history_: dict[str, Any]
    stop_reason_: str
    _learnt: _Learnt | None

    def __init__(
        self,
        estimator: Any = None,
        *,
        n_estimators: int = 600,
        max_depth: int | None = None,
        learning_rate: float = 1.0,
        steering: float = 0.5,
        linear_voters: bool = True,
        class_factors: bool = True,
        accuracy_weight: float = 0.0,
        n_iter_no_change: int | None = None,
        class_cost: Any = None,
        noise_matrix: Any = None,
        views: Any = None,
        max_bins: int = 255,
        warm_start: bool = False,
        random_state: Any = None,
        n_jobs: int | None = None,
        verbose: int = 0,
    ) -> None:
        store_parameters(self, locals())

    @with_callbacks
    def fit(self, X: Any, y: Any, sample_weight: Any = None, clean: Any = None) -> Self:
        """Learn the vote.

        Parameters
        ----------
        X : array-like, sparse matrix or dataframe of shape (n_samples, n_features)
            Numbers; NaN is a missing value. Category columns of a dataframe are used by code.
        y : array-like of shape (n_samples,)
            Class labels.
        sample_weight : array-like of shape (n_samples,), optional
            Number of examples that each row represents. Rows of weight zero are left out.
        clean : array-like of bool, shape (n_samples,), optional
            With ``noise_matrix``: rows whose label is certain.

        Returns
        -------
        self : object
        """
        self._check()
        with whole_or_nothing(self) as earlier:
            rows = validate_fit_data(self, X, y, sample_weight, clean)
            self.classes_, self.views_ = rows.classes, rows.views
            with thread_pool(self.n_jobs) as pool:
                table = TrainingTable.of(rows, self.max_bins, pool)
                process = self._begin(table, rows)
                if self.warm_start and "vote_" in earlier:
                    process.learnt = self._earlier(process, earlier)
                self._learn(process)
        self._learnt = process.learnt if self.warm_start else None
        return self

    def __getstate__(self) -> dict[str, Any]:
        """Everything but what ``warm_start`` continues from, which grows with the rows."""
        return {name: held for name, held in super().__getstate__().items() if name != "_learnt"}

    def _earlier(self, process: _Process, earlier: dict[str, Any]) -> _Learnt:
        """What the boosts of an earlier fit have left behind; refuse if it cannot be continued."""
        check_same_table(self, earlier)
        learnt = getattr(self, "_learnt", None)
        if learnt is None:
            raise ValueError(
                "warm_start goes on from a fit with warm_start=True of this object: a model that "
                "was fitted without it, copied or loaded does not have the out-of-bag votes."
            )
        if not learnt.unseen.has_rows_of(process.learnt.unseen):
            raise ValueError(
                "warm_start needs the rows of the first fit: y, weights, noise_matrix or clean "
                "differ."
            )
        if int(self.n_estimators) < learnt.n_planned:
            raise ValueError(
                f"warm_start cannot take trees away: n_estimators={self.n_estimators}, but "
                f"{learnt.n_planned} have been asked for already."
            )
        return learnt.copy()

    def _check(self) -> None:
        check_parameters(self)
        if self.estimator is None and self.max_depth is not None:
            check_integer("max_depth", self.max_depth, 1, DEEPEST)

    def _begin(self, table: TrainingTable, rows: TrainingRows) -> _Process:
        n_classes = table.n_classes
        prices = check_class_cost(self.class_cost, self.classes_)
        mass = np.maximum(table.mass / table.mass.mean(), np.finfo(float).tiny)
        noise = self._label_noise(rows, mass)
        self.class_prior_ = table.class_mass / table.class_mass.sum()
        if noise is not None:
            self.class_prior_ = noise.prior
        return _Process(
            table,
            rows.views.used_columns,
            0 if len(rows.views) == 1 else ALL_VIEWS,
            np.where(rows.view_mask.any(axis=1), mass, 0.0),
            np.ones((n_classes, n_classes)) if prices is None else _mean_one(prices),
            _Learnt(
                OutOfBag(table.y, n_classes, mass, noise),
                OutOfBag(table.y, n_classes, mass, noise),
                np.ones((n_classes, n_classes)),
                GrowingVote(n_classes, rows.views),
                check_random_state(self.random_state),
            ),
        )

    def _label_noise(self, rows: TrainingRows, mass: np.ndarray) -> LabelNoise | None:
        """How labels go wrong; None if they are right."""
        if self.noise_matrix is None:
            return None
        noise = learning_matrix(self.noise_matrix, self.classes_)
        if np.array_equal(noise, np.eye(len(noise))):
            return None
        return LabelNoise.of(noise, invert_noise(noise).inverse, rows.y, mass, rows.clean)

    def _boosts(self, n_classes: int, n_rows: int) -> list[Boost]:
        """The boosts to learn."""
        depths = depths_for(n_classes, n_rows, self.max_depth)
        boosts = plan_boosts(int(self.n_estimators), *depths)
        return with_linear_voters(boosts) if self.linear_voters else boosts

    def _learn(self, process: _Process) -> None:
        """Run all boosts, fit the factors of the classes, and store the vote."""
        learnt, n_classes = process.learnt, process.table.n_classes
        boosts = left_after(learnt.n_planned, self._boosts(n_classes, len(process.table.y)))
        if not learnt.vote.terms:
            self.history_ = {"trees": [], "depth": [], "unseen_norm": [], "judged": []}
        self.history_ = {key: list(values) for key, values in self.history_.items()}
        self.stop_reason_ = "one class" if n_classes == 1 else ""
        done = 0
        is_blind = not process.row_mass.any()
        todo = range(0 if self.stop_reason_ or is_blind else len(boosts))
        for number in announced_rounds(self, todo, process.table, learnt.vote):
            self._add_boost(process, boosts[number])
            learnt.n_planned += boosts[number].n_trees
            done = number + 1
            if self._has_settled():
                self.stop_reason_ = "the norm on out-of-bag rows no longer falls"
        has_voters = bool(learnt.vote.terms)
        if not self.stop_reason_ and not has_voters:
            warn_of_guessing()
        if not self.stop_reason_ and done < len(todo):
            self.stop_reason_ = "a callback asked to stop"
        elif not self.stop_reason_:
            self.stop_reason_ = "all boosts done" if has_voters else "no voter with a positive edge"
        self._finish(process)

    def _add_boost(self, process: _Process, boost: Boost) -> None:
        """Fit a boost, let it vote on its out-of-bag rows, and update the class costs."""
        learnt = process.learnt
        rng = np.random.RandomState(int(learnt.seeds.randint(2**31 - 1)))
        draw = self._open_draw(process, rng)
        linear = self._linear_term(process, draw) if boost.has_linear else None
        found = self._boost(process, boost, draw, rng)
        if found:
            learnt.vote.add(found)
            process.add_unseen(learnt.unseen, found, self.views_, draw.unseen)
            self._record(process, len(found), boost.max_depth)
        if found and linear is not None:
            learnt.linear[len(learnt.vote.ends) - 1] = linear
            process.add_unseen(learnt.unseen_by_linear, [linear], self.views_, draw.unseen)
        if len(learnt.vote.ends) >= _WARM_UP and self.steering > 0.0:
            errors = learnt.unseen.errors(prior=_PRIOR) * process.class_cost
            learnt.steering = steering_costs(errors, float(self.steering))

    def _has_settled(self) -> bool:
        """Whether the lowest norm on out-of-bag rows is long ago.

        Boosts count once most rows have out-of-bag votes.
        """
        judged = np.array(self.history_["judged"])
        if self.n_iter_no_change is None or not len(judged):
            return False
        norms = np.array(self.history_["unseen_norm"])[judged >= _MOST_JUDGED * judged[-1]]
        return bool(len(norms) - 1 - norms.argmin() >= self.n_iter_no_change)

    def _open_draw(self, process: _Process, rng: np.random.RandomState) -> _Draw:
        """Draw rows of every class, and let every class weigh the same."""
        table = process.table
        visible = process.row_mass > 0.0
        drawn = np.zeros(len(table.y), dtype=np.int64)
        drawn[visible] = self._draw(table.y[visible], rng)
        rows = np.flatnonzero(drawn)
        y, mass = table.y[rows], (drawn * process.row_mass)[rows]
        prices = process.class_cost * process.learnt.steering
        true = process.learnt.unseen.true_classes()
        costs: VoteCosts
        if true is None:
            class_mass = np.bincount(y, mass, table.n_classes)
            costs = RunningCosts(y, table.n_classes, mass / class_mass[y], prices, table.pool)
        else:
            class_mass = np.maximum(mass @ true[rows], np.finfo(float).tiny)
            beliefs: Any = FixedBeliefs(true[rows])
            costs = ExpectedCosts(y, mass, beliefs, class_mass, prices, pool=table.pool)
        return _Draw(table.take(rows), costs, visible & (drawn == 0))

    def _linear_term(self, process: _Process, draw: _Draw) -> Term | None:
        """A linear voter on the rows drawn, whose vote is 1; None if it only guesses."""
        voter, answers = CostLinear().learn(draw.table, process.columns, draw.costs)
        if draw.costs.edge(answers) <= EDGE_TOLERANCE:
            return None
        return Term(voter, np.ones(process.table.n_classes), process.view)

    def _boost(
        self, process: _Process, boost: Boost, draw: _Draw, rng: np.random.RandomState
    ) -> list[Term]:
        """CoMBo on the rows drawn; its votes add up to 1 per row."""
        table, columns, costs = draw.table, process.columns, draw.costs
        learner = as_weak_learner(self.estimator, boost.max_depth)
        terms = []
        for _ in range(boost.n_trees):
            asked = _draw_columns(columns, boost.column_share, rng)
            voter, answers = learner.learn(table, asked, costs, int(rng.randint(2**31 - 1)))
            edge = costs.edge(answers)
            if edge <= EDGE_TOLERANCE:
                if boost.column_share < 1.0:
                    continue
                break
            weight = self.learning_rate * vote_weight(min(edge, _SUREST))
            costs.add(answers, weight)
            terms.append(Term(voter, np.full(table.n_classes, weight), process.view))
            if edge >= 1.0 - EDGE_CLIP:
                break
        total = sum(float(term.weight[0]) for term in terms)
        return [Term(t.voter, t.weight / total, t.view) for t in terms]

    def _draw(self, y: np.ndarray, rng: np.random.RandomState) -> np.ndarray:
        """How often each row takes part in a boost, shape (n_samples,)."""
        return bootstrap_by_class(y, rng)

    def _record(self, process: _Process, n_trees: int, depth: int) -> None:
        unseen = process.learnt.unseen
        found = {
            "trees": n_trees,
            "depth": depth,
            "unseen_norm": matrix_norm(unseen.errors() * process.class_cost),
            "judged": float(unseen.judged.mean()),
        }
        for key, value in found.items():
            self.history_[key].append(value)

    def _finish(self, process: _Process) -> None:
        """Mix the voters, put the class factors into the vote, and store its error rates."""
        learnt, n_classes = process.learnt, process.table.n_classes
        terms, ends = learnt.vote.terms, learnt.vote.ends
        aim = Aim(process.class_cost, float(self.accuracy_weight), bool(self.class_factors))
        mixture = fit_mixture(learnt.unseen, learnt.unseen_by_linear, aim)
        share, factors = mixture.share, mixture.factors
        weighed: list[Term] = []
        stages: list[int] = []
        for boost, (start, stop) in enumerate(pairwise([0, *ends])):
            weighed += [_scaled(term, (1.0 - share) * factors) for term in terms[start:stop]]
            if share and boost in learnt.linear:
                part = share * len(ends) / len(learnt.linear)
                weighed.append(_scaled(learnt.linear[boost], part * factors))
            stages.append(len(weighed))
        self.vote_ = Vote(weighed, stages, n_classes, self.views_)
        self.class_factors_ = factors
        self.linear_share_ = share
        self.steering_cost_ = learnt.steering
        self.unseen_errors_ = mixture.bag.errors(factors)
        self.unseen_norm_ = matrix_norm(self.unseen_errors_ * process.class_cost)
        self.judged_ = mixture.bag.judged_per_class()
        self.n_estimators_ = len(terms)
        self.history_ = {key: np.array(values) for key, values in self.history_.items()}

    @classmethod
    def _test_instances(cls) -> list[Any]:
        return [
            (instance, not_repeatable("the rows of every boost are drawn at random"))
            for instance in (
                cls(n_estimators=6),
                cls(n_estimators=6, steering=1.0, class_factors=False, n_jobs=2),
            )
        ]

    def _check_model_(self) -> None:
        """Refuse loaded factors, costs and error rates that no out-of-bag rows can give."""
        super()._check_model_()
        n_classes = len(self.classes_)
        factors = check_numbers(self.class_factors_, (n_classes,), "factors of the classes")
        if not factors.all():
            raise ValueError("a factor of its classes is 0, which silences the class")
        pairs = (n_classes, n_classes)
        check_numbers(self.steering_cost_, pairs, "prices of mistakes")
        errors = check_numbers(self.unseen_errors_, pairs, "error rates")
        if np.diagonal(errors).any() or (errors.sum(axis=1) > 1.0 + 1e-9).any():
            raise ValueError("its error rates leave no correct predictions")
        check_numbers(np.asarray(self.unseen_norm_), (), "norm")
        if self.linear_share_ not in (0.0, 0.5):
            raise ValueError(f"its linear voters have a share of {self.linear_share_!r}")
        judged = self.judged_
        is_count = type(judged) is np.ndarray and judged.dtype.kind == "i"
        if not is_count or judged.shape != (n_classes,) or (judged < 0).any():
            raise ValueError(f"its counts of evaluated rows are not {n_classes} whole numbers")


def _scaled(term: Term, factors: np.ndarray) -> Term:
    return Term(term.voter, term.weight * factors, term.view)


def _mean_one(prices: np.ndarray) -> np.ndarray:
    """Misclassification costs in units of their mean, so that their unit does not matter."""
    wrong = ~np.eye(len(prices), dtype=bool)
    scaled = np.ones_like(prices)
    if wrong.any():
        scaled[wrong] = prices[wrong] / prices[wrong].max()
        scaled[wrong] /= scaled[wrong].mean()
    return scaled


def _draw_columns(columns: np.ndarray, share: float, rng: np.random.RandomState) -> np.ndarray:
    """Some of the columns, in their order; at least one."""
    if share >= 1.0:
        return columns
    size = max(1, int(np.ceil(share * len(columns))))
    return np.sort(rng.permutation(columns)[:size])
