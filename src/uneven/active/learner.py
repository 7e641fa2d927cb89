"""The active learner: which rows should be labelled next?"""

from __future__ import annotations

import os
import textwrap
from typing import Any, ClassVar, Self

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin, clone, is_regressor
from sklearn.exceptions import NotFittedError
from sklearn.utils import Tags, get_tags
from sklearn.utils.metaestimators import available_if

from uneven.active.batches import BATCHES, check_utilities, pick_batch, pick_first
from uneven.active.choosing import Choice as ChosenClassifier
from uneven.active.choosing import choose_classifier, labels_to_choose_by, usual_candidates
from uneven.active.history import (
    History,
    HistoryError,
    Step,
    check_answers,
    join_labels,
    load_history,
    save_history,
    split_known,
)
from uneven.active.registry import (
    RULES,
    check_model,
    check_query,
    looks_at_rows,
    query_name,
    rule_of,
)
from uneven.active.rules import Rule
from uneven.active.state import Pool, QueryState, takes_nan, validate_rows
from uneven.active.stopping import StoppingRule, check_stop, first_reason
from uneven.linear.base import generator
from uneven.utils.frames import take_rows
from uneven.utils.parameters import Choice, check_integer, check_parameters, store_parameters
from uneven.utils.validation import whole_or_nothing
from uneven.versionspace import BayesPointClassifier


class ActiveLearner(ClassifierMixin, BaseEstimator):
    """Pool-based active learning: query the most informative rows and learn from their labels.

    Parameters
    ----------
    estimator : object, optional
        The classifier that learns from the labels: anything with ``fit`` and ``predict_proba`` or
        ``decision_function``. It gets frames and texts as they were given. By default it is chosen
        by the labels so far: a `uneven.BayesPointClassifier` unless logistic regression, extra
        trees or, from 100 labels on, boosting is clearly ahead in cross-validation. The Bayes point
        has the linear kernel for a sparse pool; for a dense one the Gaussian kernel, where
        ``gamma="scale"`` is that of the whole pool.
    query : str or callable, default="auto"
        Query rule, the utility of the label of a row:
        {rules},
        see `uneven.active.rules`; or a function of a `uneven.active.QueryState` that returns one
        number per candidate.
    geometry : BayesPointClassifier, optional
        The version space that the rules use. By default the estimator itself if it is a
        `uneven.BayesPointClassifier`, else a Bayes point with a kernel that suits the pool.
    batch : {"diverse", "best"}, default="diverse"
        How to select several rows at once: informative rows that are dissimilar, or the rows with
        the highest utilities. Rows that are not all finite numbers always use the second way.
    stop : callable or sequence of callables, optional
        Rules of `uneven.active.stopping`; ``stop_reason`` returns their result.
    ties : {"first", "random"}, default="first"
        Which of several rows with the same utility to select.
    unlabelled : number, str or None, default=-1
        Marks a missing label in ``start`` and ``fit``, in addition to None, NaN and empty text.
    random_state : int, RandomState or None, default=None
        Seed of the first rows, of rules that sample and of random ties.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        Classes seen so far.
    labelled_ : ndarray of int, shape (n_labelled,)
        Labelled rows, in the order in which they were labelled.
    labels_ : ndarray of shape (n_labelled,)
    model_ : object
        The classifier, fitted to the labelled rows; None before two classes were seen.
    choice_ : Choice or None
        The selected classifier, and the accuracy of each candidate; None if one was given.
    history_ : list of Step
        The labels, step by step.
    n_discarded_ : int
        Candidates that the last query skipped because of a bound, see
        `uneven.active.orientation_aware`.
    n_features_in_ : int
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Only if the pool had string column names.

    Notes
    -----
    Until two classes have been seen (cold start), a dense pool is queried for typical rows of
    different parts of it, from the middle of clusters, and a sparse pool for rows that are sampled
    like the seeds of k-means++. Every label counts, even if the classifier predicted it.

    "auto" is "herding", or "uncertainty" if rows are not all finite numbers.

    All rules except {blind} use the geometry of the rows, which must be
    finite numbers then. These, and a function that uses ``state.model`` only, accept the input of
    the estimator: NaN, frames with text and categories, lists of texts. The first rows are then
    drawn at random, and batches are the highest utilities. ``start`` refuses a classifier that
    lacks what the rule needs.

    References
    ----------
    Louche (2016), From confusion noise to active learning: playing on label availability in linear
    classification problems, chapter 7.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> learner = ActiveLearner(random_state=0).start(X)
    >>> while len(learner.labelled_) < 20:
    ...     rows = learner.ask(4)
    ...     learner = learner.tell(rows, y[rows])
    >>> bool(learner.score(X, y) > 0.93)
    True
    """

    _parameters: ClassVar = {"batch": Choice(BATCHES), "ties": Choice(("first", "random"))}
    _before_start: ClassVar = BayesPointClassifier()

    classes_: np.ndarray
    labelled_: np.ndarray
    labels_: np.ndarray
    model_: Any
    history_: list[Step]
    n_discarded_: int
    choice_: ChosenClassifier | None
    _chosen_by: tuple[Any, ...] | None

    def __init__(
        self,
        estimator: Any = None,
        query: str | Rule = "auto",
        *,
        geometry: BayesPointClassifier | None = None,
        batch: str = "diverse",
        stop: StoppingRule | list[StoppingRule] | None = None,
        ties: str = "first",
        unlabelled: Any = -1,
        random_state: Any = None,
    ) -> None:
        store_parameters(self, locals())

    def start(self, pool: Any, labels: Any = None) -> Self:
        """Begin with a pool of rows, of which some may have labels.

        Parameters
        ----------
        pool : array-like, sparse matrix or frame of shape (n_rows, n_features), or texts
            Kernel values, shape (n_rows, n_rows), if the classifier needs them precomputed.
        labels : array-like of shape (n_rows,), optional
            None, NaN, empty text or ``unlabelled`` where there is no label.

        Returns
        -------
        self
        """
        self._check()
        with whole_or_nothing(self):
            pool = Pool(validate_rows(self, self._classifier(), pool))
            if looks_at_rows(self.query):
                self._refuse_texts(pool)
            known, given = split_known(labels, self.unlabelled, len(pool))
            self._pool = pool
            self._rng = generator(self.random_state)
            self.labelled_ = np.empty(0, dtype=np.intp)
            self.labels_ = np.empty(0)
            self.classes_ = np.empty(0)
            self.model_ = None
            self.history_ = []
            self.n_discarded_ = 0
            self.choice_, self._chosen_by = None, None
            if len(known):
                self.tell(known, given)
        return self

    def fit(self, X: Any, y: Any) -> Self:
        """Fit to a partially labelled table; the unlabelled rows are the pool.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)
            None, NaN, empty text or ``unlabelled`` where there is no label.

        Returns
        -------
        self
        """
        self._check()
        with whole_or_nothing(self):
            rows = validate_rows(self, self._classifier(), X)
            _, given = split_known(y, self.unlabelled, rows.shape[0], needed=True)
            if len(classes := np.unique(given)) < 2:
                raise ValueError(
                    f"y holds one class only, {classes.tolist()[0]!r}, besides {self.unlabelled!r} "
                    "for no label (see unlabelled); start() begins with fewer than two."
                )
            self.start(X, y)
        return self

    def ask(self, n: int = 1) -> np.ndarray:
        """Select the rows to label next.

        Parameters
        ----------
        n : int, default=1

        Returns
        -------
        ndarray of int, shape (n,)
            Row numbers in the pool, the most informative one first; fewer than `n` if fewer are
            unlabelled.
        """
        self._refuse_before_start()
        check_integer("n", n, 1)
        candidates = self.unlabelled_
        if len(candidates) <= n:
            return candidates
        if self.model_ is None:
            return pick_first(self._pool, self.labelled_, n, self._rng)
        state = self.state()
        state.wanted = n
        utilities = np.asarray(rule_of(self.query)(state), dtype=np.float64)
        check_utilities(utilities, len(candidates))
        self.n_discarded_ = state.n_discarded
        return candidates[pick_batch(self.batch, state, utilities, n, self.ties)]

    def tell(self, rows: Any, labels: Any, *, overwrite: bool = False) -> Self:
        """Add the labels of some rows, and fit the classifier again.

        Parameters
        ----------
        rows : array-like of int, shape (n,)
            Row numbers in the pool, queried or not.
        labels : array-like of shape (n,)
        overwrite : bool, default=False
            Whether existing labels may be changed.

        Returns
        -------
        self
        """
        self._refuse_before_start()
        rows, labels = check_answers(rows, labels, len(self._pool))
        known = np.intersect1d(rows, self.labelled_)
        if known.size and not overwrite:
            raise ValueError(
                f"row {known[0]} has a label already; say overwrite=True to change labels."
            )
        with whole_or_nothing(self):
            if len(rows):
                self._note(rows, labels)
                self._learn()
        return self

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the labels to a file from which `resume` continues.

        Parameters
        ----------
        path : str or path-like
            A JSON file, written atomically. It contains neither the pool nor the classifier.
        """
        self._refuse_before_start()
        generator = dict(self._rng.bit_generator.state)
        pool = self._pool.fingerprint()
        save_history(History(pool, query_name(self.query), generator, self.history_), path)

    def resume(self, path: str | os.PathLike[str], pool: Any) -> Self:
        """Continue from a file, as if there had been no interruption.

        A randomised classifier needs its own ``random_state`` to give the same results.

        Parameters
        ----------
        path : str or path-like
            A file that `save` wrote, of a learner with the same parameters.
        pool : array-like or sparse matrix of shape (n_rows, n_features)
            The same rows.

        Returns
        -------
        self
        """
        history = load_history(path)
        fresh = clone(self).start(pool)
        if (found := fresh._pool.fingerprint()) != history.pool:
            raise HistoryError(f"{path} is about another pool, {history.pool}, not {found}.")
        if (query := query_name(self.query)) != history.query:
            raise HistoryError(f"{path} was asked by {history.query!r}, not by {query!r}.")
        for step in history.steps:
            fresh._note(*check_answers(step.rows, step.labels, len(fresh._pool)))
        fresh._learn()
        fresh._rng.bit_generator.state = history.generator
        own = self.get_params(deep=False)
        self.__dict__.update({k: v for k, v in vars(fresh).items() if k not in own})
        return self

    @property
    def unlabelled_(self) -> np.ndarray:
        """Rows of the pool without a label, shape (n_unlabelled,)."""
        free = np.ones(len(self._pool), dtype=bool)
        free[self.labelled_] = False
        return np.flatnonzero(free)

    def state(self) -> QueryState:
        """Current input of the query and stopping rules.

        Returns
        -------
        QueryState
            Needs labels of two classes.
        """
        self._refuse_before_start()
        self._refuse_without_model()
        return QueryState(
            self._pool,
            self.unlabelled_,
            self.labelled_,
            self.labels_,
            self.classes_,
            self.model_,
            self._geometry(),
            self._rng,
        )

    def stop_reason(self) -> str | None:
        """Why to stop labelling, according to the stopping rules; None to continue.

        Returns
        -------
        str or None
        """
        self._refuse_before_start()
        if not len(self.unlabelled_):
            return "every row of the pool has a label"
        if self.stop is None:
            return None
        return first_reason(self.stop, self)

    def predict(self, X: Any) -> np.ndarray:
        """Classes that the current classifier predicts for rows.

        Parameters
        ----------
        X : array-like, sparse matrix, frame or texts, as the pool was

        Returns
        -------
        ndarray of shape (n_samples,)
        """
        return self._ready().predict(self._validate(X))

    @available_if(lambda self: hasattr(self._present(), "predict_proba"))
    def predict_proba(self, X: Any) -> np.ndarray:
        """Probabilities of the classes, if the classifier gives them.

        Parameters
        ----------
        X : array-like, sparse matrix, frame or texts, as the pool was

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
        """
        return self._ready().predict_proba(self._validate(X))

    @available_if(lambda self: hasattr(self._present(), "decision_function"))
    def decision_function(self, X: Any) -> np.ndarray:
        """Scores of the classes, if the classifier gives them.

        Parameters
        ----------
        X : array-like, sparse matrix, frame or texts, as the pool was

        Returns
        -------
        ndarray of shape (n_samples,) or (n_samples, n_classes)
        """
        return self._ready().decision_function(self._validate(X))

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        inner = get_tags(estimator := self._classifier()).input_tags
        tags.input_tags.sparse, tags.input_tags.pairwise = inner.sparse, inner.pairwise
        tags.input_tags.allow_nan = takes_nan(estimator) and not looks_at_rows(self.query)
        return tags

    def _note(self, rows: np.ndarray, labels: np.ndarray) -> None:
        kept = ~np.isin(self.labelled_, rows)
        self.labelled_ = np.concatenate([self.labelled_[kept], rows])
        self.labels_ = join_labels(self.labels_[kept], labels)
        self.classes_ = np.unique(self.labels_)
        self.history_ = [*self.history_, Step(rows, labels)]

    def _learn(self) -> None:
        if len(self.classes_) > 1:
            rows = self._columns(take_rows(self._pool.given, self.labelled_))
            self.model_ = clone(self._chosen()).fit(rows, self.labels_)
        else:
            self.model_ = None

    def _chosen(self) -> Any:
        """The classifier of the user, or the one that the first labels choose."""
        if self.estimator is not None:
            return self.estimator
        n = labels_to_choose_by(len(self.labelled_))
        rows, y = self.labelled_[:n], self.labels_[:n]
        candidates = usual_candidates(self._pool.X, n, self._pool.bayes_point)
        chosen_by = (tuple(rows.tolist()), tuple(y.tolist()))
        if self.choice_ is None or chosen_by != self._chosen_by:
            self.choice_ = choose_classifier(candidates, self._pool.X[rows], y)
            self._chosen_by = chosen_by
        return candidates[self.choice_.name]

    def _columns(self, X: Any) -> Any:
        """Of kernel values with all rows of the pool those with labelled rows."""
        pairwise = get_tags(self._classifier()).input_tags.pairwise
        return X[:, self.labelled_] if pairwise else X

    def _classifier(self) -> Any:
        """The classifier that learns, or the first of those that are chosen from."""
        if self.estimator is not None:
            return self.estimator
        return self._pool.bayes_point if hasattr(self, "_pool") else self._before_start

    def _present(self) -> Any:
        """The fitted classifier, or before it the one that is to be fitted."""
        model = getattr(self, "model_", None)
        return self._classifier() if model is None else model

    def _geometry(self) -> BayesPointClassifier:
        if self.geometry is not None:
            return self.geometry
        own = self._classifier()
        return own if isinstance(own, BayesPointClassifier) else self._pool.bayes_point

    def _validate(self, X: Any) -> Any:
        return self._columns(validate_rows(self, self._classifier(), X, reset=False))

    def _ready(self) -> Any:
        self._refuse_before_start()
        self._refuse_without_model()
        return self.model_

    def _refuse_texts(self, pool: Pool) -> None:
        """Refuse a pool that is not of finite numbers, for a rule that looks at its rows."""
        try:
            _ = pool.X
        except ValueError as error:
            name = query_name(self.query) or self.query
            raise ValueError(f"query={name!r} cannot be used here: {error}") from None

    def _refuse_before_start(self) -> None:
        if not hasattr(self, "labelled_"):
            raise NotFittedError(
                f"This {type(self).__name__} has no pool yet: call start(pool), or fit(X, y), "
                "before this."
            )

    def _refuse_without_model(self) -> None:
        if self.model_ is None:
            raise ValueError(
                f"{len(self.labelled_)} rows have a label, of {len(self.classes_)} classes: there "
                "is no classifier before two classes have been seen. Label more rows, see ask()."
            )

    def _check(self) -> None:
        check_query(self.query)
        check_parameters(self)
        check_stop(self.stop)
        if self.estimator is not None:
            _check_classifier(self.estimator)
            check_model(self.query, self.estimator)
        if self.geometry is not None and not isinstance(self.geometry, BayesPointClassifier):
            raise ValueError(f"geometry must be a BayesPointClassifier, got {self.geometry!r}.")

    @classmethod
    def _test_instances(cls) -> list[Any]:
        from sklearn.naive_bayes import GaussianNB

        reasons = BayesPointClassifier._test_instances()[0][1]
        return [
            (cls(BayesPointClassifier("linear"), unlabelled=None), reasons),
            cls(GaussianNB(), "uncertainty", unlabelled=None),
        ]


def _check_classifier(estimator: Any) -> None:
    """Refuse what cannot learn classes.

    Examples
    --------
    >>> from sklearn.linear_model import Ridge
    >>> _check_classifier(Ridge())
    Traceback (most recent call last):
        ...
    ValueError: estimator must be a classifier, got the regressor Ridge().
    """
    if isinstance(estimator, type):
        raise ValueError(
            f"estimator must be an object, got the class {estimator.__name__}: write "
            f"{estimator.__name__}()."
        )
    lacking = [name for name in ("fit", "predict", "get_params") if not hasattr(estimator, name)]
    if lacking:
        raise ValueError(
            f"estimator must be a classifier of scikit-learn's kind, got {estimator!r}, which has "
            f"no {lacking[0]}()."
        )
    if is_regressor(estimator):
        raise ValueError(f"estimator must be a classifier, got the regressor {estimator!r}.")


def _name_rules(text: str) -> str:
    """Fill the names of all rules, and of the blind ones, into a docstring."""
    names = textwrap.fill(", ".join(f'"{name}"' for name in RULES), 90).replace("\n", "\n        ")
    blind = " and ".join(f'"{name}"' for name in RULES if not looks_at_rows(name))
    return text.replace("{rules}", names).replace("{blind}", blind)


ActiveLearner.__doc__ = _name_rules(ActiveLearner.__doc__ or "")
