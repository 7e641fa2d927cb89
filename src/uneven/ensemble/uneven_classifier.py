"""The classifier to begin with where classes are uneven."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from typing import Any, ClassVar, Self

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from uneven.boosting.sharded import RowBlocks
from uneven.boosting.sharded.opening import open_sharded
from uneven.decisions.answers import AnsweringMixin
from uneven.decisions.decision import ABSTAIN
from uneven.decisions.log_pool import LogPool
from uneven.decisions.measures import MEASURES
from uneven.decisions.rows import in_class_order
from uneven.decisions.unseen import UnseenRows
from uneven.ensemble.boost import class_shares
from uneven.ensemble.explanation import EnsembleExplanation, explain_members
from uneven.ensemble.members import check_named_members, choose_learners, quick_learners
from uneven.ensemble.pooling import (
    MISPLACED,
    PooledMember,
    PooledRows,
    check_pooled_members,
    choose_members,
    mixed_by_presence,
    pooled_probabilities,
)
from uneven.ensemble.sharded_boost import LabelledBlocks, ShardedTask
from uneven.ensemble.shared_table import Learner, SharedTable
from uneven.ensemble.tasks import Task, deal_tasks
from uneven.ensemble.view_selection import choose_views
from uneven.utils.callbacks import CallbackSupportMixin, announced_steps, with_callbacks
from uneven.utils.contract import not_repeatable
from uneven.utils.methods import method
from uneven.utils.model_types import (
    check_classes,
    check_names,
    check_part,
    check_shares,
    persisted,
)
from uneven.utils.parallel import ThreadPool, one_blas_thread, thread_pool
from uneven.utils.parameters import (
    Choice,
    Interval,
    Jobs,
    Maybe,
    Whole,
    check_parameters,
    store_parameters,
)
from uneven.utils.validation import column_names, fitted_attributes, is_collection, whole_or_nothing
from uneven.views import ViewMap
from uneven.views.training_rows import (
    TrainingRows,
    count_categories,
    tell_absent_views,
    validate_fit_data,
    validate_predict_data,
    with_unread_columns,
)
from uneven.votes.lazy_answers import answer_lazily
from uneven.votes.vote import check_views, flatten_binary


@persisted("uneven_classifier", role="classifier")
@method(
    "uneven",
    "Uneven",
    "Ensemble of random forest, extra trees, boosting, kernel and logistic regression, weighted on "
    "held-out rows, with a decision rule for the chosen metric: the recommended default.",
    order=5,
)
class UnevenClassifier(CallbackSupportMixin, AnsweringMixin, BaseEstimator):
    """Ensemble for imbalanced classes that needs no tuning, with calibrated probabilities.

    1. Several members are fitted without resampling or class weights: a random forest, extra trees,
       boosted score trees, ridge regression on landmarks, logistic regression. Each has out-of-bag
       or out-of-fold predictions of the training rows (the *unseen rows*).
    2. A log-linear pool combines them: ``p ~ exp(sum_m a_m log p_m + b)``, with weights and biases
       fitted to the unseen rows. This is :meth:`predict_proba`.
    3. A decision rule turns probabilities into predictions. They are divided by the class
       frequencies and multiplied by a factor per class (a multiclass decision threshold), tuned for
       ``measure`` on the unseen rows as far as the size of the class allows.

    From 5000 rows on only the boost is fitted, from 20 000 on it is fitted once, with a tenth of
    the rows held out; then rows may also be on a Dask cluster. Sparse tables, such as
    bag-of-words, have linear members.

    Parameters
    ----------
    measure : {"norm", "gmean", "balanced_accuracy", "macro_f1", "worst_recall", "accuracy"} or \
            callable, default="norm"
        Metric to optimise; "norm" is the norm of the confusion matrix. A callable takes a confusion
        matrix (row = true class) and returns a score; greater is better.
    cost : array-like of shape (n_classes, n_classes), default=None
        Cost of predicting the column's class for an example of the row's class, in sorted class
        order. The prediction is then the class of least expected cost, and ``measure`` is ignored.
    constraints : dict or series of class to float, default=None
        Minimum recall of some classes on unseen rows; ``measure`` chooses among the rules that
        reach it.
    prior : array-like of shape (n_classes,), dict or series of class to share, default=None
        Class frequencies where the model will be used, for probabilities and predictions; None: as
        in training. See also :meth:`adapt`.
    abstain_cost : float, default=None
        Abstain where a prediction has a larger expected cost, in units of ``cost``; without
        ``cost``, where it has a larger probability of being wrong, with the class frequencies
        implied by the decision.
    abstain_label : object, default=None
        What :meth:`predict` returns then; None is -1 for numeric classes and "abstain" for text.
        :meth:`score` counts it as a misclassification.
    members : "auto" or list of str or (str, classifier), default="auto"
        Names among "boost", "forest", "landmarks", "logistic", "word_counts" (naive
        Bayes, for sparse tables) and "extra_trees", and (name, classifier) pairs of your own, with
        ``predict_proba``. "auto" depends on the size of the table.
    time_budget : float, default=None
        Seconds after which no further member is started; the first one always is. The result then
        depends on the speed of the machine.
    views : dict, sequence of int, "prefix" or None, default=None
        Named groups of columns; see :func:`uneven.views.resolve_views`. Additional members are
        fitted to each view alone (forest and logistic regression, or all kinds where views are
        missing in some rows), and kept if the pool is clearly better with them on unseen rows. They
        abstain where their view is missing. If hardly any training row lacks a view, rows that lack
        one are predicted with a pool of these members, too, which is less certain if fewer views
        are there.
    max_views : int, default=None
        Maximum number of views; the others are not needed for prediction, and a pandas frame may
        lack their columns. Forests and logistic
        regressions of single views are pooled, best view first, as long as the log-loss on unseen
        rows clearly decreases: with a large number, only views that do not help are dropped. None
        uses all views.
    categorical_features : array-like of int, str or bool, default=None
        Features whose values are category codes (integers from 0), by position, name or mask, in
        addition to category columns of a data frame.
    random_state : int, RandomState or None, default=None
        Seeds the members.
    n_jobs : int or None, default=None
        Threads; -1 uses every core. The result does not depend on it.
    verbose : int, default=0
        1 prints every member with its time.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
    class_prior_ : ndarray of shape (n_classes,)
        Class frequencies in training.
    members_ : list of PooledMember
        Fitted members in the pool; empty if there is only one class, or no informative feature.
    weights_ : dict of str to float
        Weight of each member in the pool.
    pool_ : LogPool or None
    view_members_ : list of PooledMember
        Members of single views, used beside ``members_`` where a view is missing; empty with one
        view, or if views were missing in a tenth of the training rows.
    view_pool_ : LogPool or None
        Their pool.
    decision_ : Decision or None
        None if there are no members.
    factors_ : ndarray of shape (n_classes,) or None
        Factor of each class; None with ``cost``.
    unseen_ : UnseenRows or None
        Pooled probabilities of the unseen training rows, to which the decision was fitted.
    unseen_log_loss_ : float
        Log-loss of the pool on the unseen training rows, slightly optimistic.
    views_ : ViewMap
        The views in use.
    categories_ : dict of str to list
    n_features_in_ : int
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Only if ``X`` had string column names.

    See Also
    --------
    uneven.decisions : the decision rules, for any classifier.
    BalancedBoostingClassifier : gradient boosting with balanced class weights.

    References
    ----------
    G. Hinton (2002), *Training products of experts by minimizing contrastive divergence*:
    log-linear pools. L. Breiman (1996), *Stacked regressions*. M. Saerens, P. Latinne and
    C. Decaestecker (2002), *Adjusting the outputs of a classifier to new a priori probabilities*.

    Examples
    --------
    >>> from sklearn.metrics import balanced_accuracy_score
    >>> from sklearn.model_selection import train_test_split
    >>> from uneven import UnevenClassifier
    >>> from uneven.datasets import make_balance_scale
    >>> data = make_balance_scale()
    >>> X, X_new, y, y_new = train_test_split(
    ...     data.data, data.target, stratify=data.target, random_state=0
    ... )
    >>> model = UnevenClassifier(random_state=0).fit(X, y)
    >>> bool(balanced_accuracy_score(y_new, model.predict(X_new)) > 0.75)
    True
    >>> sorted(model.weights_)
    ['boost', 'extra_trees', 'forest', 'landmarks', 'logistic']
    """

    _instead: ClassVar = {
        "class_weight": "measure, cost and constraints say which classes matter, prior their shares"
    }

    _parameters: ClassVar = {
        "measure": Choice(lambda: MEASURES, or_callable=True),
        "abstain_cost": Maybe(Interval(-np.inf, closed="neither")),
        "time_budget": Maybe(Interval(0)),
        "max_views": Maybe(Whole(1)),
        "n_jobs": Jobs(),
        "verbose": Whole(0, or_flag=True),
    }

    classes_: np.ndarray
    class_prior_: np.ndarray
    members_: list[PooledMember]
    pool_: LogPool | None
    unseen_: UnseenRows | None = None
    view_members_: Sequence[PooledMember] = ()
    view_pool_: LogPool | None = None
    views_: ViewMap

    def __init__(
        self,
        *,
        measure: Any = "norm",
        cost: Any = None,
        constraints: Mapping[Any, float] | None = None,
        prior: Any = None,
        abstain_cost: float | None = None,
        abstain_label: Any = None,
        members: Any = "auto",
        time_budget: float | None = None,
        views: Any = None,
        max_views: int | None = None,
        categorical_features: Any = None,
        random_state: Any = None,
        n_jobs: int | None = None,
        verbose: int = 0,
    ) -> None:
        store_parameters(self, locals())

    @with_callbacks
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Learn the members, the pool and the decision rule.

        Parameters
        ----------
        X : array-like, sparse matrix or dataframe of shape (n_samples, n_features)
            Numbers; NaN is a missing value. Category columns of a dataframe are categories.
            A Dask array or dataframe of 20 000 rows or more is learnt from where its partitions
            are.
        y : array-like of shape (n_samples,)
            Class labels.
        sample_weight : array-like of shape (n_samples,), optional
            Only their ratios count. Rows of weight zero are left out.

        Returns
        -------
        self : object
        """
        check_parameters(self)
        named = check_named_members(self.members)
        with whole_or_nothing(self), thread_pool(self.n_jobs) as pool, one_blas_thread():
            if isinstance(X, RowBlocks) or is_collection(X):
                self._fit_in_shards(X, y, sample_weight, pool)
            else:
                self._fit_in_memory(X, y, sample_weight, named, pool)
        return self

    def _fit_in_memory(
        self,
        X: Any,
        y: Any,
        sample_weight: Any,
        named: dict[str, Learner | None] | None,
        pool: ThreadPool,
    ) -> None:
        rows = validate_fit_data(self, X, y, sample_weight)
        tell_absent_views(rows)
        rows.n_codes = count_categories(self, rows)
        self._look_at_classes(rows.classes, rows.y, rows.mass)
        rng = check_random_state(self.random_state)
        if self.max_views is not None:
            rows = choose_views(rows, self.max_views, pool, rng.randint(2**31 - 1))
        self.views_ = rows.views

        def pooled(learnt: list[PooledMember], said: list[np.ndarray]) -> PooledRows:
            return PooledRows.of(learnt, said, rows.y, rows.mass, rows.view_mask)

        self._learn(self._tasks(rows, named, pool), pooled, rng, rows.X, rows.y)

    def _fit_in_shards(self, X: Any, y: Any, sample_weight: Any, pool: ThreadPool) -> None:
        with closing(open_sharded(self, X, y, sample_weight, None, pool)) as rows:
            rows.count_categories(self)
            blocks = LabelledBlocks(rows, pool)
            self._look_at_classes(rows.classes, blocks.y, blocks.mass)
            self.views_ = rows.views
            tasks = blocks.tasks()

            def pooled(learnt: list[PooledMember], said: list[np.ndarray]) -> PooledRows:
                return tasks[0].pooled(said)

            self._learn(tasks, pooled, check_random_state(self.random_state), None, blocks.y)

    def _needs_all_rows(self) -> str:
        """Why it cannot learn from rows in shards with its parameters; "" if it can."""
        for name in ("views", "max_views"):
            if getattr(self, name) is not None:
                return f"{name} is for tables in memory"
        named = check_named_members(self.members)
        if named is not None and named != {"boost": None}:
            return 'members other than "boost" learn in memory'
        return ""

    def _look_at_classes(self, classes: np.ndarray, y: np.ndarray, mass: np.ndarray) -> None:
        """Note the classes and their shares."""
        self.classes_ = classes
        self.class_prior_ = class_shares(y, mass, len(classes))
        self._check_decision(classes.tolist())

    def _learn(
        self,
        tasks: Sequence[Task | ShardedTask],
        pooled: Callable[[list[PooledMember], list[np.ndarray]], PooledRows],
        rng: np.random.RandomState,
        X: Any,
        y: np.ndarray,
    ) -> None:
        """Let one member after another learn, then join them."""
        begun = time.perf_counter()
        learnt: list[PooledMember] = []
        said: list[np.ndarray] = []

        def joined() -> dict[str, Any]:
            return self._join(learnt, pooled(learnt, said) if learnt else None, seeds[-1])

        def snapshot() -> dict[str, Any]:
            return fitted_attributes(self) | joined()

        def is_late(step: Any) -> bool:
            taken = time.perf_counter() - begun
            if self.verbose:
                print(f"UnevenClassifier  {learnt[-1].name} learnt after {taken:.2f} s")
            return self.time_budget is not None and taken >= self.time_budget

        seeds = rng.randint(2**31 - 1, size=len(tasks) + 1).tolist()
        steps = list(zip(tasks, seeds))
        told: dict[str, Any] = {"name": "member", "X": X, "y": y}
        for task, seed in announced_steps(self, steps, **told, snapshot=snapshot, is_over=is_late):
            member, unseen = task.learn(seed, len(y))
            learnt.append(member)
            said.append(unseen)
        for name, value in joined().items():
            setattr(self, name, value)

    def _tasks(self, rows: TrainingRows, named: Any, pool: ThreadPool) -> list[Task]:
        """Who is to learn what."""
        known = (rows.X, rows.y, rows.mass, len(rows.classes), rows.n_codes, pool)

        def choose(table: SharedTable, is_single_view: bool) -> dict[str, Learner]:
            is_quick = is_single_view and named is None and rows.view_mask.all()
            return quick_learners(table) if is_quick else choose_learners(table, named)

        return deal_tasks(SharedTable(*known), rows.view_mask, rows.views, choose)

    def _join(
        self, learnt: Sequence[PooledMember], pooled: PooledRows | None, choice_seed: int
    ) -> dict[str, Any]:
        """Fitted attributes: the pool of the members, and the decision rule."""
        if pooled is None:
            nothing = dict.fromkeys(("pool_", "view_pool_", "decision_", "factors_", "unseen_"))
            none: dict[str, Any] = {"members_": [], "view_members_": [], "weights_": {}}
            return nothing | none | {"unseen_log_loss_": np.nan}
        kept = choose_members(learnt, pooled, choice_seed)
        members, pool = [learnt[m] for m in kept], pooled.fit_pool(kept)
        single, view_pool = pooled.fit_view_pool(learnt, len(self.views_), choice_seed)
        shares = pool.probabilities([pooled.said[m] for m in kept])
        unseen = UnseenRows(shares, pooled.y, pooled.mass)
        classes = self.classes_.tolist()
        prior = in_class_order(self.prior, classes)
        decision = self._fit_decision(unseen, classes, prior, pooled.prior)
        own = shares[np.arange(len(pooled.y)), pooled.y]
        return {
            "members_": members,
            "weights_": {one.name: float(w) for one, w in zip(members, pool.weights)},
            "pool_": pool,
            "view_members_": [learnt[m] for m in single],
            "view_pool_": view_pool,
            "decision_": decision,
            "factors_": decision.factors,
            "unseen_": unseen,
            "unseen_log_loss_": float(-np.average(np.log(own), weights=pooled.mass)),
        }

    def _decide(self, prior: Any) -> None:
        if self.unseen_ is None or self.decision_ is None:
            raise ValueError("its model file holds no unseen rows: fit it anew to adapt it.")
        classes, trained = self.classes_.tolist(), self.decision_.prior
        self.decision_ = self._fit_decision(self.unseen_, classes, prior, trained)
        self.factors_ = self.decision_.factors

    def predict_proba(self, X: Any) -> np.ndarray:
        """Probabilities of the classes, which the measure does not change.

        Parameters
        ----------
        X : array-like, sparse matrix or dataframe of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
            For the class shares ``prior`` if they are given, else for those of training. These
            shares where all views are missing.
        """
        if is_collection(X):
            return answer_lazily(self, "predict_proba", X)
        shares = self._said(X)
        return shares if self.decision_ is None else self.decision_.posterior(shares)

    def _said(self, X: Any) -> np.ndarray:
        return self._said_and_blind(X)[0]

    def _said_and_blind(self, X: Any) -> tuple[np.ndarray, np.ndarray]:
        """Probabilities at the class shares of training, and which rows have no view."""
        check_is_fitted(self, "members_")
        X = validate_predict_data(self, with_unread_columns(self, X))
        presence = self.views_.presence(X)
        return self._pooled(X, presence), np.asarray(~presence.any(axis=1))

    def _pooled(self, X: Any, presence: np.ndarray) -> np.ndarray:
        """Probabilities at the class shares of training."""
        with thread_pool(self.n_jobs) as pool, one_blas_thread():
            told = (X, presence, self.class_prior_, pool)
            shares = pooled_probabilities(self.members_, self.pool_, *told)
            some = np.flatnonzero(~presence.all(axis=1))
            if self.view_pool_ is not None and len(some):
                told = (X[some], presence[some], self.class_prior_, pool)
                single = pooled_probabilities(self.view_members_, self.view_pool_, *told)
                shares[some] = mixed_by_presence(shares[some], single, presence[some])
            return shares

    def _scores(self, X: Any) -> np.ndarray:
        """Scores; the class with the largest one is predicted, shape (n_samples, n_classes)."""
        shares, blind = self._said_and_blind(X)
        if self.decision_ is None:
            return shares
        scores = self.decision_.scores(shares)
        scores[blind] = self.decision_.posterior(shares[blind])
        return np.asarray(scores)

    def _codes(self, X: Any) -> np.ndarray:
        """Predictions; the most frequent class for rows without a view, unless it abstains."""
        shares, blind = self._said_and_blind(X)
        if self.decision_ is None:
            return np.asarray(shares.argmax(axis=1))
        codes = self.decision_.answers(shares)
        guess = self.decision_.posterior(shares[blind]).argmax(axis=1)
        codes[blind] = np.where(codes[blind] == ABSTAIN, ABSTAIN, guess)
        return codes

    def decision_function(self, X: Any) -> np.ndarray:
        """Scores of the decision rule; the largest one is predicted.

        Parameters
        ----------
        X : array-like, sparse matrix or dataframe of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples, n_classes), or (n_samples,) for two classes
            With two classes: the score of the second class minus that of the first.
        """
        if is_collection(X):
            return answer_lazily(self, "decision_function", X)
        return flatten_binary(self._scores(X))

    def explain(self) -> EnsembleExplanation:
        """Which view and column supports which class, weights of the members, decision rule.

        Returns
        -------
        EnsembleExplanation
            Printed, it is the weights of the members and the decision rule in words.
        """
        check_is_fitted(self, "members_")
        words = "There is nothing to decide."
        if self.decision_ is not None:
            words = self.decision_.explain(self.classes_.tolist())
        weights = np.zeros(0) if self.pool_ is None else self.pool_.weights
        told = (self.views_, self.classes_, column_names(self), words)
        return explain_members(self.members_, weights, *told)

    @property
    def feature_importances_(self) -> np.ndarray:
        """Mean over the classes of ``explain().feature_share``, shape (n_features,).

        From trees and linear members, weighted as in the pool; other members have no importances.
        :func:`uneven.column_importance` uses all of them, on held-out rows.
        """
        return np.asarray(self.explain().feature_share.mean(axis=1))

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.allow_nan = True
        return tags

    @classmethod
    def _test_instances(cls) -> list[Any]:
        drawn = not_repeatable("bootstraps and folds are drawn by position")
        own_rule = {"check_classifiers_train": "the most probable class is not always predicted"}
        return [
            (cls(members=["boost", "logistic", "landmarks"]), drawn | own_rule),
            (cls(members=["forest", "extra_trees"], measure="accuracy", n_jobs=2), drawn),
        ]

    def _check_model_(self) -> None:
        """Refuse a loaded ensemble whose parts do not fit together."""
        check_classes(self.classes_)
        check_shares(self.class_prior_, len(self.classes_))
        check_names(self)
        check_views(self.views_, self.n_features_in_)
        if self.view_pool_ is None and len(self.view_members_):
            raise ValueError("it has members of single views without a pool")
        if not self.members_:
            parts = (self.pool_, self.decision_, self.unseen_, self.view_pool_)
            if any(part is not None for part in parts):
                raise ValueError("it has a pool without members")
            return
        check_pooled_members(self, self.members_, self.pool_)
        if self.view_pool_ is not None:
            check_pooled_members(self, self.view_members_, self.view_pool_)
        n_classes, refusal = len(self.classes_), MISPLACED
        check_part("decision", self.decision_, n_classes, refusal=refusal)
        if self.unseen_ is not None:
            check_part("unseen rows", self.unseen_, n_classes, refusal=refusal)
