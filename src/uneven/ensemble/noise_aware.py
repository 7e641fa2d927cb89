"""Any classifier, or a pool of a few, made aware that labels are wrong."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, ClassVar, Self

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils import check_random_state, get_tags
from sklearn.utils.validation import check_is_fitted

from uneven.decisions.log_pool import LogPool
from uneven.ensemble.any_classifier import AnyClassifier
from uneven.ensemble.boost import ScoreLeafBoost
from uneven.ensemble.members import choose_learners
from uneven.ensemble.pooling import PooledMember, PooledRows, ask_members, check_pooled_members
from uneven.ensemble.shared_table import MANY_ROWS, Learner, SharedTable
from uneven.noise.em import confident_joint, label_posteriors, refine_noise, undo_noise
from uneven.noise.estimation import ConfusionEstimate
from uneven.noise.matrices import check_noise_matrix
from uneven.utils.contract import not_repeatable
from uneven.utils.methods import method
from uneven.utils.model_types import (
    check_classes,
    check_names,
    check_numbers,
    check_printable,
    check_shares,
    persisted,
)
from uneven.utils.parallel import one_blas_thread, thread_pool
from uneven.utils.parameters import Choice, Jobs, Whole, check_parameters, store_parameters
from uneven.utils.validation import whole_or_nothing
from uneven.views.training_rows import (
    count_categories,
    validate_fit_data,
    validate_predict_data,
)
from uneven.votes.vote import check_views, flatten_binary

_SMOOTHING, _RIGHT_LABELS = 0.1, 1.0
"""Rows that are added to every count of an estimated matrix, and to those of right labels."""

_GUESSED, _GUESSED_RIGHT = 0.02, 0.5
"""What a confident joint counts against the rows, and rows of right labels beside it."""

_LEAST_POSTERIOR = 0.01
"""A row makes no copy for a class that is less probable than this."""


@persisted("noise_aware", role="classifier")
@method(
    "noise_aware",
    "Noise-aware",
    "Forest, extra trees and logistic regression that learn from the probabilities of the true "
    "classes, given the labels and the known or estimated noise.",
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
       its label. Steps 3 and 4 are repeated.

    This is expectation-maximisation for the likelihood of the labels, with probabilities of unseen
    rows in place of fitted ones, which would reproduce the labels.

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
    method : {"em", "decision"}, default="em"
        "decision" ends after step 2: the members are fitted to the labels, and only predictions are
        corrected.
    n_refits : int, default=2
        Number of repetitions of steps 3 and 4.
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
        Whether the pool predicts labels and its probabilities are corrected afterwards.
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
    of the matrix would be unbiased, but are negative for some rows, which most learners refuse.

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
        "method": Choice(("em", "decision")),
        "n_refits": Whole(1),
        "n_jobs": Jobs(),
    }
    views: ClassVar = None

    def __init__(
        self,
        estimator: Any = None,
        noise_matrix: Any = None,
        *,
        method: str = "em",
        n_refits: int = 2,
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
            Only their proportions matter.
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
            counts, noise = _noise_counts(self.noise_matrix, rows.classes)
            n_codes = count_categories(self, rows)
            rng = check_random_state(self.random_state)
            with thread_pool(self.n_jobs) as pool, one_blas_thread():
                known = (rows.X, rows.y, rows.mass, len(rows.classes), n_codes, pool)
                self._learn(SharedTable(*known), noise, counts, rows.clean, rng)
        return self

    def _learn(
        self,
        table: SharedTable,
        noise: np.ndarray | None,
        counts: np.ndarray | None,
        clean: np.ndarray | None,
        rng: np.random.RandomState,
    ) -> None:
        if table.n_classes < 2:
            self._keep([], None, np.ones(1), np.eye(1), undoes=False)
            return
        members, pool, label_shares = self._pooled_members(table, rng)
        if noise is None:
            joint = confident_joint(label_shares, table.y)
            counts = _GUESSED * joint + _GUESSED_RIGHT * np.eye(table.n_classes)
            noise = _columns_sum_to_one(joint + counts)
        shares = undo_noise(label_shares, noise)
        for _ in range(self.n_refits if self.method == "em" else 0):
            noise = self._refined(noise, counts, shares, table, clean)
            beliefs = label_posteriors(shares, table.y, noise, clean)
            beliefs[beliefs < _LEAST_POSTERIOR] = 0.0
            beliefs /= beliefs.sum(axis=1, keepdims=True)
            members, pool, shares = self._pooled_members(table.copies(beliefs), rng)
        noise = self._refined(noise, counts, shares, table, clean)
        prior = np.average(shares, axis=0, weights=table.mass)
        self._keep(members, pool, prior, noise, undoes=self.method == "decision")

    def _refined(
        self,
        noise: np.ndarray,
        counts: np.ndarray | None,
        shares: np.ndarray,
        table: SharedTable,
        clean: np.ndarray | None,
    ) -> np.ndarray:
        """The noise matrix with what the labels tell of it, if it is not certain."""
        if counts is None:
            return noise
        noisy = np.ones(len(table.y), dtype=bool) if clean is None else ~clean
        known = (shares[noisy], table.y[noisy], table.mass[noisy])
        return refine_noise(noise, counts, *known)

    def _pooled_members(
        self, table: SharedTable, rng: np.random.RandomState
    ) -> tuple[list[PooledMember], LogPool, np.ndarray]:
        """Let the members learn, and join what they say of rows that they have not seen.

        Returns
        -------
        members : list of PooledMember
        pool : LogPool
        shares : ndarray of shape (n_samples, n_classes)
            What the pool says of every row of which there are copies.
        """
        members, said = [], []
        every = np.arange(table.X.shape[1])
        for name, learner in self._learners(table).items():
            found = learner.learn(table, int(rng.randint(2**31 - 1)))
            members.append(PooledMember(name, found.model, every))
            said.append(found.unseen)
        rows = PooledRows(said, table.y, table.mass, table.prior)
        pool = rows.fit_pool(range(len(members)))
        if self.verbose:
            print(f"NoiseAwareClassifier  {len(table.y)} rows learnt")
        if table.origin is not None:
            first = np.unique(table.origin, return_index=True)[1]
            said = [one[first] for one in said]
        return members, pool, pool.probabilities(said)

    def _learners(self, table: SharedTable) -> dict[str, Learner]:
        if self.estimator is not None:
            return {"estimator": AnyClassifier(self.estimator)}
        size = table.size
        if size.is_sparse:
            return choose_learners(table, None)
        n_rows = size.n_rows if table.origin is None else int(table.origin.max()) + 1
        if n_rows < MANY_ROWS:
            return choose_learners(table, dict.fromkeys(("forest", "logistic", "extra_trees")))
        boost = ScoreLeafBoost.suited_to(size) or ScoreLeafBoost()
        known = choose_learners(table, {"logistic": None})
        return {"boost": replace(boost, n_folds=3), **known}

    def _keep(
        self,
        members: list[PooledMember],
        pool: LogPool | None,
        prior: np.ndarray,
        noise: np.ndarray,
        *,
        undoes: bool,
    ) -> None:
        self.members_, self.pool_, self.undoes_noise_ = members, pool, undoes
        weights = [] if pool is None else pool.weights.tolist()
        self.weights_ = dict(zip([one.name for one in members], weights))
        self.class_prior_, self.noise_matrix_ = prior, noise

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
        if self.pool_ is None:
            return np.ones((X.shape[0], 1))
        here = np.ones((X.shape[0], 1), dtype=bool)
        with thread_pool(self.n_jobs) as pool, one_blas_thread():
            said = ask_members(self.members_, self.pool_.weights, X, here, pool)
        shares = self.pool_.probabilities(said)
        return undo_noise(shares, self.noise_matrix_) if self.undoes_noise_ else shares

    def decision_function(self, X: Any) -> np.ndarray:
        """Logarithms of the probabilities; the largest one is the answer.

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
        if type(self.undoes_noise_) is not bool:
            raise ValueError("whether it undoes the noise is not told")
        check_printable([one.name for one in self.members_], "members")
        if not self.members_:
            if n_classes > 1 or self.pool_ is not None:
                raise ValueError("it has classes or a pool, but no members")
            return
        check_pooled_members(self)


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


def _noise_counts(given: Any, classes: np.ndarray) -> tuple[np.ndarray | None, np.ndarray | None]:
    """Rows behind an estimated noise matrix, None if it is exact; and the matrix, if known."""
    if given is None:
        return None, None
    noise = check_noise_matrix(given, classes)
    if not isinstance(given, ConfusionEstimate):
        return None, noise
    order = np.searchsorted(given.classes, classes)
    counts = given.counts[np.ix_(order, order)] + _SMOOTHING + _RIGHT_LABELS * np.eye(len(classes))
    return counts, _columns_sum_to_one(counts)


def _columns_sum_to_one(counts: np.ndarray) -> np.ndarray:
    return np.asarray(counts / counts.sum(axis=0))
