"""Any classifier, or a pool of a few, made aware that labels are wrong."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, Self

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils import check_random_state, get_tags
from sklearn.utils.validation import check_is_fitted

from uneven.decisions.log_pool import LogPool
from uneven.ensemble.any_classifier import AnyClassifier
from uneven.ensemble.boost import ScoreLeafBoost
from uneven.ensemble.members import choose_learners, quick_learners
from uneven.ensemble.noisy_labels import NoisyLabels
from uneven.ensemble.pooling import (
    PooledMember,
    PooledRows,
    ask_members,
    check_pooled_members,
    choose_members,
    pooled_probabilities,
)
from uneven.ensemble.shared_table import MANY_ROWS, Learner, SharedTable
from uneven.ensemble.tasks import deal_tasks
from uneven.noise.em import undo_noise
from uneven.noise.matrices import check_noise_matrix
from uneven.utils.contract import not_repeatable
from uneven.utils.methods import method
from uneven.utils.model_types import (
    check_classes,
    check_names,
    check_numbers,
    check_shares,
    persisted,
)
from uneven.utils.parallel import ThreadPool, one_blas_thread, thread_pool
from uneven.utils.parameters import Choice, Jobs, Maybe, Whole, check_parameters, store_parameters
from uneven.utils.validation import whole_or_nothing
from uneven.views.training_rows import (
    TrainingRows,
    count_categories,
    validate_fit_data,
    validate_predict_data,
)
from uneven.votes.vote import check_views, flatten_binary

_REFITS = {"em": 2, "forward": 10}

_POOL_FITS = 2
"""How often the pool and an uncertain matrix are fitted to each other."""


@dataclass
class _Pooled:
    """Members, their pool, its probabilities of the training rows, and theirs if unseen."""

    members: list[PooledMember]
    pool: LogPool | None
    shares: np.ndarray
    said: list[np.ndarray] = field(default_factory=list)

    def fit_through_noise(self, labels: NoisyLabels) -> None:
        """Fit the pool again, to the likelihood of the labels as they are."""
        for _ in range(_POOL_FITS if self.said else 0):
            self.pool = labels.fit_pool(self.said, self.shares)
            self.shares = self.pool.probabilities(self.said)


@persisted("noise_aware", role="classifier")
@method(
    "noise_aware",
    "Noise-aware",
    "Random forest, extra trees and logistic regression trained on the probabilities of the true "
    "classes, given the labels and the known or estimated noise matrix.",
    order=36,
    takes_noise=True,
    needs_noise=True,
)
class NoiseAwareClassifier(ClassifierMixin, BaseEstimator):
    r"""Classifier for noisy labels with a known, estimated or unknown noise matrix.

    1. The members are fitted to the noisy labels. Their out-of-bag or out-of-fold predictions of
       the training rows are combined by a log-linear pool to probabilities ``q`` of labels.
    2. The noise matrix ``C`` is undone: ``p`` with ``C p`` near ``q``.
    3. The label of a row and ``p`` give the posterior probabilities of its true class,
       ``r[k] ~ C[label, k] p[k]``. An estimated matrix is refined from them.
    4. The members are fitted again, to a copy of each row for every class it may have, weighted by
       ``r``. Copies of a row are held out together, so that predictions of a row are not biased by
       its label. Their pool is fitted to the likelihood of the labels through ``C``. Steps 3 and 4
       are repeated.

    This is expectation-maximisation for the likelihood of the labels, with probabilities of unseen
    rows in place of fitted ones, which would reproduce the labels. Other ways are to be had by
    ``method``.

    Parameters
    ----------
    estimator : classifier with predict_proba, default=None
        The classifier; its ``fit`` has to take ``sample_weight``, unless ``method="decision"``.
        None: a
        random forest, extra trees and logistic regression; from 5000 rows on a boost and logistic
        regression; for sparse tables logistic regression and naive Bayes.
    noise_matrix : array-like, dataframe or ConfusionEstimate, default=None
        Shape (n_classes, n_classes); column = true class, row = observed label; columns sum to 1. A
        matrix of numbers is taken as exact. An estimate is a prior with the weight of its rows and
        is refined from the labels. None: estimated from the labels alone, starting from the
        confident joint.
    method : {"em", "forward", "backward", "decision"}, default="em"
        "forward" takes the fitted probabilities of training rows in step 3: the members maximise
        the likelihood of the labels through the matrix (forward correction). For learners that
        cannot reproduce their labels, such as linear ones; a forest would confirm wrong labels.
        "backward" fits the members once more after step 2, to copies of each row with weights that
        turn the noise into uniform noise, which is then undone
        (:func:`~uneven.noise.backward_weights`). "decision" ends after step 2: the members are
        fitted to the labels, and only predictions are corrected.
    n_refits : int, default=None
        Number of repetitions of steps 3 and 4; None is 2, and 10 for "forward".
    views : mapping, list, str or None, default=None
        Feature sets, as in :class:`~uneven.UnevenClassifier`: besides the members that read all
        columns, a forest and a logistic regression (or ``estimator``) learn each view, and are
        pooled if they clearly help. All columns of a missing view are NaN (not stored, in a sparse
        table).
    categorical_features : array-like of int, str or bool, default=None
        Features whose values are category codes, in addition to category columns of a data frame.
    random_state : int, RandomState or None, default=None
    n_jobs : int or None, default=None
        Threads; -1 uses every core. The result does not depend on it.
    verbose : int, default=0
        1 prints every round of learning.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
    class_prior_ : ndarray of shape (n_classes,)
        Frequencies of the true classes.
    noise_matrix_ : ndarray of shape (n_classes, n_classes)
        The final matrix.
    members_ : list of PooledMember
    weights_ : dict of str to float
        Weight of each member in the pool.
    pool_ : LogPool or None
        None if there is one class only.
    undoes_noise_ : bool
        Whether the probabilities of the pool are corrected afterwards.
    left_noise_ : ndarray of shape (n_classes, n_classes) or None
        The uniform noise that "backward" leaves to be undone in predictions.
    views_ : ViewMap
    n_features_in_ : int
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Only if ``X`` had string column names.

    See Also
    --------
    ForwardLogisticRegression : the same likelihood for a linear model, without an ensemble.
    uneven.noise.estimate_confusion : noise matrices from clean rows or annotators.

    Notes
    -----
    The thesis leaves open (section 4.4.1) how learners other than perceptrons can use its unbiased
    sums. Posteriors as weights do it for every learner that takes weights. Weights from the inverse
    of the matrix are unbiased, too ("backward"), but the uniform noise that keeps them positive
    costs more than posteriors do.

    References
    ----------
    U. Louche (2016), *From confusion noise to active learning: playing on label availability in
    linear classification problems*, PhD thesis, Aix-Marseille Université, section 4.4.1.
    A. Dempster, N. Laird and D. Rubin (1977), *Maximum likelihood from incomplete data via the EM
    algorithm*.

    Examples
    --------
    >>> from sklearn.datasets import load_digits
    >>> from sklearn.linear_model import LogisticRegression
    >>> from uneven import NoiseAwareClassifier
    >>> from uneven.noise import corrupt_labels, cyclic_noise
    >>> X, y = load_digits(return_X_y=True)
    >>> X = X / 16
    >>> noise = cyclic_noise(10, (0.3, 0.1))
    >>> labels = corrupt_labels(y, noise, rng=0)
    >>> plain = LogisticRegression(max_iter=500).fit(X[:600], labels[:600])
    >>> aware = NoiseAwareClassifier(plain, noise, random_state=0).fit(X[:600], labels[:600])
    >>> bool(aware.score(X[600:], y[600:]) > plain.score(X[600:], y[600:]) + 0.02)
    True
    """

    _parameters: ClassVar = {
        "method": Choice(("em", "forward", "backward", "decision")),
        "n_refits": Maybe(Whole(1)),
        "n_jobs": Jobs(),
    }
    left_noise_: np.ndarray | None = None

    def __init__(
        self,
        estimator: Any = None,
        noise_matrix: Any = None,
        *,
        method: str = "em",
        n_refits: int | None = None,
        views: Any = None,
        categorical_features: Any = None,
        random_state: Any = None,
        n_jobs: int | None = None,
        verbose: int = 0,
    ) -> None:
        store_parameters(self, locals())

    def fit(self, X: Any, y: Any, sample_weight: Any = None, clean: Any = None) -> Self:
        """Learn from labels of which some are wrong.

        Parameters
        ----------
        X : array-like, sparse matrix or dataframe of shape (n_samples, n_features)
            Numbers; NaN is a missing value. Category columns of a dataframe are categories.
        y : array-like of shape (n_samples,)
            Observed labels.
        sample_weight : array-like of shape (n_samples,), optional
            Only their ratios count.
        clean : array-like of bool, shape (n_samples,), optional
            Rows whose label is certain.

        Returns
        -------
        self : object
        """
        check_parameters(self)
        _check_estimator(self.estimator)
        with whole_or_nothing(self):
            rows = validate_fit_data(self, X, y, sample_weight, clean)
            self.classes_, self.views_ = rows.classes, rows.views
            labels = NoisyLabels.of(rows, self.noise_matrix)
            rows.n_codes = count_categories(self, rows)
            rng = check_random_state(self.random_state)
            with thread_pool(self.n_jobs) as threads, one_blas_thread():
                self._learn(rows, labels, threads, rng)
        return self

    def _learn(
        self, rows: TrainingRows, labels: NoisyLabels, threads: ThreadPool, rng: Any
    ) -> None:
        n_classes = len(rows.classes)
        table = SharedTable(rows.X, rows.y, rows.mass, n_classes, rows.n_codes, threads)
        labels.mass, self.left_noise_ = table.mass, None
        if n_classes < 2:
            self._keep(_Pooled([], None, np.ones((len(rows.y), 1))), np.eye(1), table, False)
            return
        found = self._pooled_members(table, rows, rng)
        found.shares = labels.undo(found.shares)
        for _ in range((self.n_refits or _REFITS[self.method]) if self.method in _REFITS else 0):
            copies = table.copies(labels.posteriors(found.shares))
            found = self._pooled_members(copies, rows, rng)
            found.fit_through_noise(labels)
        if self.method == "backward":
            weights, self.left_noise_ = labels.backward(found.shares)
            found = self._pooled_members(table.copies(weights), rows, rng)
            found.shares = undo_noise(found.shares, self.left_noise_)
        noise = labels.refine(found.shares)
        self._keep(found, noise, table, self.method in ("decision", "backward"))

    def _pooled_members(
        self, table: SharedTable, rows: TrainingRows, rng: np.random.RandomState
    ) -> _Pooled:
        """Let the members learn, and join what they say of the rows.

        They have not seen the label of a row that they predict, unless ``method="forward"``.
        """
        origin = np.arange(len(rows.y)) if table.origin is None else table.origin
        presence, n_rows = rows.view_mask[origin], len(rows.y)
        tasks = deal_tasks(table, presence, rows.views, self._learners)
        learnt = [one.learn(int(rng.randint(2**31 - 1)), len(origin)) for one in tasks]
        members, said = [one for one, _ in learnt], [unseen for _, unseen in learnt]
        if not members:
            return _Pooled([], None, np.tile(table.prior, (n_rows, 1)))
        judged = PooledRows.of(members, said, table.y, table.mass, presence)
        kept = [*range(len(members))]
        if len(rows.views) > 1:
            kept = choose_members(members, judged, int(rng.randint(2**31 - 1)))
        members, pool = [members[m] for m in kept], judged.fit_pool(kept)
        if self.verbose:
            print(f"NoiseAwareClassifier  {len(table.y)} rows learnt")
        if self.method == "forward":
            told = (members, pool.weights, rows.X, rows.view_mask, table.pool)
            return _Pooled(members, pool, pool.probabilities(ask_members(*told)))
        first = np.unique(origin, return_index=True)[1]
        unseen = [said[m][first] for m in kept]
        return _Pooled(members, pool, pool.probabilities(unseen), unseen)

    def _learners(self, table: SharedTable, is_single_view: bool = False) -> dict[str, Learner]:
        if self.estimator is not None:
            return {"estimator": AnyClassifier(self.estimator)}
        if is_single_view:
            return quick_learners(table)
        size = table.size
        if size.is_sparse:
            return choose_learners(table, None)
        n_rows = size.n_rows if table.origin is None else int(table.origin.max()) + 1
        if n_rows < MANY_ROWS:
            return choose_learners(table, dict.fromkeys(("forest", "logistic", "extra_trees")))
        boost = ScoreLeafBoost.suited_to(size) or ScoreLeafBoost()
        known = choose_learners(table, {"logistic": None})
        return {"boost": replace(boost, n_folds=3), **known}

    def _keep(self, found: _Pooled, noise: np.ndarray, table: SharedTable, undoes: bool) -> None:
        self.members_, self.pool_, self.undoes_noise_ = found.members, found.pool, undoes
        weights = [] if found.pool is None else found.pool.weights.tolist()
        self.weights_ = dict(zip([one.name for one in found.members], weights))
        self.class_prior_ = np.average(found.shares, axis=0, weights=table.mass)
        self.noise_matrix_ = noise

    def predict_proba(self, X: Any) -> np.ndarray:
        """Probabilities of the true classes.

        Parameters
        ----------
        X : array-like, sparse matrix or dataframe of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
        """
        check_is_fitted(self, "members_")
        X = validate_predict_data(self, X)
        told = (self.members_, self.pool_, X, self.views_.presence(X), self.class_prior_)
        with thread_pool(self.n_jobs) as threads, one_blas_thread():
            shares = pooled_probabilities(*told, threads)
        if not self.undoes_noise_ or self.pool_ is None:
            return shares
        left = self.noise_matrix_ if self.left_noise_ is None else self.left_noise_
        return undo_noise(shares, left)

    def decision_function(self, X: Any) -> np.ndarray:
        """Logarithms of the probabilities; the largest one is predicted.

        Parameters
        ----------
        X : array-like, sparse matrix or dataframe of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples, n_classes), or (n_samples,) for two classes
            With two classes: the score of the second class minus that of the first.
        """
        return flatten_binary(np.log(np.maximum(self.predict_proba(X), np.finfo(float).tiny)))

    def predict(self, X: Any) -> np.ndarray:
        """The most probable true classes.

        Parameters
        ----------
        X : array-like, sparse matrix or dataframe of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples,)
        """
        shares = self.predict_proba(X)
        return np.asarray(self.classes_[shares.argmax(axis=1)])

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        own = None if self.estimator is None else get_tags(self.estimator).input_tags
        tags.input_tags.sparse = own is None or own.sparse
        tags.input_tags.allow_nan = own is None or own.allow_nan
        return tags

    @classmethod
    def _test_instances(cls) -> list[Any]:
        from sklearn.linear_model import LogisticRegression

        drawn = not_repeatable("bootstraps and folds are drawn by position")
        linear = LogisticRegression(C=1.0)
        return [(cls(n_refits=1), drawn), (cls(linear, method="decision"), drawn)]

    def _check_model_(self) -> None:
        """Refuse a loaded classifier whose parts do not fit together."""
        n_classes = len(self.classes_)
        check_classes(self.classes_)
        check_shares(self.class_prior_, n_classes)
        check_names(self)
        check_views(self.views_, self.n_features_in_)
        check_numbers(self.noise_matrix_, (n_classes, n_classes), "noise")
        check_noise_matrix(self.noise_matrix_)
        if self.left_noise_ is not None:
            check_numbers(self.left_noise_, (n_classes, n_classes), "left noise")
            check_noise_matrix(self.left_noise_)
        if type(self.undoes_noise_) is not bool:
            raise ValueError("whether it undoes the noise is not given")
        if not self.members_:
            if self.pool_ is not None:
                raise ValueError("it has a pool, but no members")
            return
        check_pooled_members(self, self.members_, self.pool_)


def _check_estimator(estimator: Any) -> None:
    if estimator is None:
        return
    if isinstance(estimator, type) or not hasattr(estimator, "fit"):
        raise TypeError(f"estimator must be a classifier, got {estimator!r}.")
    if not hasattr(estimator, "predict_proba"):
        raise TypeError(
            f"{type(estimator).__name__} has no predict_proba: calibrate it "
            "(sklearn.calibration.CalibratedClassifierCV), or take another estimator."
        )
