"""Any classifier with a decision rule tuned for a metric, a cost matrix or constraints."""

from __future__ import annotations

import warnings
from typing import Any, ClassVar, Self

import numpy as np
from sklearn import get_config
from sklearn.base import BaseEstimator, MetaEstimatorMixin
from sklearn.utils import get_tags, indexable
from sklearn.utils.metadata_routing import MetadataRouter, MethodMapping, process_routing
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import (
    check_is_fitted,
    column_or_1d,
    has_fit_parameter,
)

from uneven.decisions.answers import AnsweringMixin
from uneven.decisions.calibration import calibrated_rows, fit_calibration
from uneven.decisions.decision import Decision
from uneven.decisions.log_pool import LogPool
from uneven.decisions.measures import MEASURES
from uneven.decisions.rows import effective_mass, in_class_order, share_of_classes
from uneven.decisions.unseen import (
    DEFAULT_FOLDS,
    UnseenRows,
    class_probabilities,
    cross_fit,
    cut,
    fit_numbered,
    has_out_of_bag,
    out_of_bag,
    renumber_splits,
    unfitted_copy,
)
from uneven.utils.contract import not_repeatable
from uneven.utils.frames import take_rows
from uneven.utils.model_types import check_classes, check_part, persisted
from uneven.utils.parameters import (
    Choice,
    Flag,
    Interval,
    Jobs,
    Maybe,
    Passes,
    Whole,
    check_parameters,
    store_parameters,
)
from uneven.utils.validation import (
    check_labelled,
    check_mass,
    check_table,
    fitted_attributes,
    is_collection,
    refuse_collection,
    whole_or_nothing,
)
from uneven.votes.lazy_answers import answer_lazily
from uneven.votes.vote import flatten_binary


def _check_cv(cv: Any) -> None:
    if isinstance(cv, str):
        Choice(("auto", "prefit")).check("cv", cv)
    elif not hasattr(cv, "split") and not hasattr(cv, "__iter__"):
        Whole(2).check("cv", cv)


@persisted("tuned_decision", role="stack")
class TunedDecisionClassifier(AnsweringMixin, MetaEstimatorMixin, BaseEstimator):
    """Tune multiclass decision thresholds of any classifier for a metric, costs or constraints.

    The probabilities of the classifier are calibrated (a temperature on probability / class
    frequency, and a bias per class); then

    - for a ``measure``, the prediction is the class with the largest probability divided by its
      training frequency and multiplied by a factor that is tuned on unseen rows (out-of-bag or
      out-of-fold), as far as the size of each class allows;
    - for a ``cost`` matrix, the prediction is the class with the smallest expected cost.

    Works with two classes or more.

    Parameters
    ----------
    estimator : classifier
        Any with ``predict_proba``, or with a ``decision_function`` that has a column per class. One
        that refuses the class labels, as XGBoost refuses text, is fitted to 0, 1, 2, ... instead.
    measure : {"norm", "gmean", "balanced_accuracy", "macro_f1", "worst_recall", "accuracy"} or \
            callable, default="norm"
        Metric to optimise. "norm" is the confusion norm (:func:`uneven.metrics.confusion_norm`),
        "gmean" the geometric mean of the recalls. "balanced_accuracy" only divides by the class
        frequencies, "accuracy" predicts the most probable class. A callable takes a confusion
        matrix (row = true class) and returns a score; greater is better.
    cost : array-like of shape (n_classes, n_classes), default=None
        Cost of predicting the column's class for an example of the row's class, in sorted class
        order. The index and columns of a pandas frame name the classes. Replaces ``measure``.
    prior : array-like of shape (n_classes,), dict or series of class to share, default=None
        Class frequencies where the model will be used. None: as in training. See also
        :meth:`adapt`.
    constraints : dict or series of class to float, default=None
        Minimum recalls on unseen rows, such as ``{"fraud": 0.9}``; ``measure`` chooses among the
        rules that reach them.
    abstain_cost : float, default=None
        Abstain where a prediction has a larger expected cost, in units of ``cost``; without
        ``cost``, where it has a larger probability of being wrong, with the class frequencies
        implied by the decision.
    abstain_label : object, default=None
        What ``predict`` returns then; None is -1 for numeric classes and "abstain" for text. For
        classes of another type, predictions are an object array. ``score`` counts it as a
        misclassification.
    cv : int, splitter, iterable of splits, "auto" or "prefit", default="auto"
        Where the unseen rows come from. "auto": out-of-bag probabilities if the fitted classifier
        has them (``oob_score=True``) and there are no ``groups``, else 5 stratified folds, which
        keep groups together. "prefit": the classifier is
        fitted, and the rows given to ``fit`` are new to it; wrap it in
        :class:`sklearn.frozen.FrozenEstimator` where this object is cloned, as in a search.
    calibrate : bool, default=True
        Whether the probabilities are calibrated.
    pseudo_rows, spread_price : float, default=None
        Regularisation of the factors: number of pseudo-rows per class, which are labelled by the
        model's own probabilities, and penalty on the standard deviation of the log factors. None
        is a default that depends on the metric.
    n_jobs : int or None, default=None
        Folds that are fitted at the same time, through joblib.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
    estimator_ : classifier
        Fitted on all rows.
    calibration_ : LogPool or None
    decision_ : Decision
        The fitted rule.
    unseen_ : UnseenRows
        Calibrated probabilities of the rows that the decision was fitted on.
    n_features_in_ : int
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Only if the classifier has them.

    See Also
    --------
    sklearn.model_selection.TunedThresholdClassifierCV : a threshold for two classes.

    References
    ----------
    C. Elkan (2001), *The foundations of cost-sensitive learning*. M. Saerens, P. Latinne and
    C. Decaestecker (2002), *Adjusting the outputs of a classifier to new a priori probabilities*.
    C. K. Chow (1970), *On optimum recognition error and reject tradeoff*.

    Examples
    --------
    >>> from sklearn.datasets import make_classification
    >>> from sklearn.linear_model import LogisticRegression
    >>> from uneven import TunedDecisionClassifier
    >>> from uneven.metrics import confusion_norm
    >>> X, y = make_classification(
    ...     4000, n_informative=8, n_classes=3, weights=[0.9, 0.06], class_sep=1.2, random_state=0
    ... )
    >>> plain = LogisticRegression().fit(X[::2], y[::2])
    >>> tuned = TunedDecisionClassifier(LogisticRegression()).fit(X[::2], y[::2])
    >>> for model in (plain, tuned):
    ...     print(round(confusion_norm(y[1::2], model.predict(X[1::2])), 1))
    0.7
    0.3
    """

    _parameters: ClassVar = {
        "measure": Choice(MEASURES, or_callable=True),
        "abstain_cost": Maybe(Interval(-np.inf, closed="neither")),
        "cv": Passes(_check_cv),
        "calibrate": Flag(),
        "pseudo_rows": Maybe(Interval(0.0)),
        "spread_price": Maybe(Interval(0.0, closed="left")),
        "n_jobs": Jobs(),
    }

    classes_: np.ndarray
    estimator_: Any
    calibration_: LogPool | None
    decision_: Decision
    unseen_: UnseenRows

    def __init__(
        self,
        estimator: Any,
        *,
        measure: Any = "norm",
        cost: Any = None,
        prior: Any = None,
        constraints: Any = None,
        abstain_cost: float | None = None,
        abstain_label: Any = None,
        cv: Any = "auto",
        calibrate: bool = True,
        pseudo_rows: float | None = None,
        spread_price: float | None = None,
        n_jobs: int | None = None,
    ) -> None:
        store_parameters(self, locals())

    def fit(self, X: Any, y: Any, sample_weight: Any = None, **params: Any) -> Self:
        """Fit the classifier, then calibrate and tune the decision on rows it was not fitted to.

        Parameters
        ----------
        X : array-like, sparse matrix or dataframe of shape (n_samples, n_features)
            Features of the classifier.
        y : array-like of shape (n_samples,)
            Class labels.
        sample_weight : array-like of shape (n_samples,), optional
            For the decision, and for the classifier if it takes weights. Rows of weight 0 are
            left out before anything is fitted.
        **params
            ``groups`` of rows that are to stay together; with scikit-learn's metadata routing,
            whatever classifier and splitter request.

        Returns
        -------
        self : object
        """
        check_parameters(self)
        _check_estimator(self.estimator)
        refuse_collection(self, X)
        with whole_or_nothing(self):
            for name in fitted_attributes(self):
                delattr(self, name)
            self._fit(X, y, sample_weight, params)
        return self

    def _fit(self, X: Any, y: Any, sample_weight: Any, params: dict[str, Any]) -> None:
        if y is None:
            raise ValueError("requires y to be passed, but the target y is None.")
        check_table(X)
        check_labelled(y)
        X, labels = indexable(X, column_or_1d(y, warn=True))
        check_classification_targets(labels)
        weight = check_mass(sample_weight, len(labels))
        cv = DEFAULT_FOLDS if isinstance(self.cv, str) else self.cv
        if not weight.all():
            n_samples, heavy = len(labels), np.flatnonzero(weight)
            X, labels, weight = take_rows(X, heavy), labels[heavy], weight[heavy]
            params = {name: cut(value, heavy, n_samples) for name, value in params.items()}
            cv = renumber_splits(cv, heavy, n_samples)
        fit_params, split_params = self._route(None if sample_weight is None else weight, params)
        prefit = isinstance(self.cv, str) and self.cv == "prefit"
        self._fit_classifier(X, labels, fit_params, prefit)
        codes = _encode(labels, self.classes_)
        mass = effective_mass(weight, len(codes))
        trained = None if prefit else share_of_classes(codes, mass, len(self.classes_))
        if prefit:
            said = class_probabilities(self.estimator_, X, self.classes_)
            unseen = UnseenRows(said, codes, weight)
        elif isinstance(self.cv, str) and not split_params and has_out_of_bag(self.estimator_):
            unseen = out_of_bag(self.estimator_, codes, weight)
        else:
            unseen = cross_fit(
                self.estimator,
                X,
                labels,
                codes,
                self.classes_,
                weight,
                cv=cv,
                fit_params=fit_params,
                split_params=split_params,
                n_jobs=self.n_jobs,
            )
        _check_unseen(unseen, codes)
        _warn_of_unjudged(unseen, self.classes_)
        self._calibrate(unseen, trained)
        for name in ("n_features_in_", "feature_names_in_"):
            if hasattr(self.estimator_, name):
                setattr(self, name, getattr(self.estimator_, name))

    def _fit_classifier(self, X: Any, labels: np.ndarray, params: Any, prefit: bool) -> None:
        """Note the classifier and its classes; refuse decisions that do not fit these."""
        if prefit:
            check_is_fitted(self.estimator)
            self.estimator_, self.classes_ = self.estimator, np.asarray(self.estimator.classes_)
            self._check_decision(self.classes_.tolist())
            return
        self.classes_ = np.unique(labels)
        self._check_decision(self.classes_.tolist())
        self.estimator_ = unfitted_copy(self.estimator)
        if fit_numbered(self.estimator_, X, labels, params) is None:
            self.classes_ = np.asarray(self.estimator_.classes_)

    @classmethod
    def around(cls, classifier: Any, unseen: UnseenRows, **parameters: Any) -> Self:
        """Wrap a fitted classifier, with a decision tuned on known predictions for unseen rows.

        Parameters
        ----------
        classifier : fitted classifier
        unseen : UnseenRows
            Predictions of the classifier, or of copies of it that were fitted to other rows, for
            rows that these were not fitted to.
        **parameters
            Those of the constructor, but for ``estimator`` and ``cv``.

        Returns
        -------
        TunedDecisionClassifier
            Fitted; it shares the classifier.

        Examples
        --------
        >>> import numpy as np
        >>> from sklearn.naive_bayes import GaussianNB
        >>> from uneven.decisions.unseen import UnseenRows
        >>> X, y = np.arange(40.0)[:, None], np.repeat([0, 1], [30, 10])
        >>> model = GaussianNB().fit(X[::2], y[::2])
        >>> seen = UnseenRows(model.predict_proba(X[1::2]), y[1::2], np.ones(20))
        >>> TunedDecisionClassifier.around(model, seen).predict([[2.0], [35.0]])
        array([0, 1])
        """
        made = cls(classifier, cv="prefit", **parameters)
        check_parameters(made)
        check_is_fitted(classifier)
        made.estimator_, made.classes_ = classifier, np.asarray(classifier.classes_)
        made._check_decision(made.classes_.tolist())
        made._calibrate(unseen)
        for name in ("n_features_in_", "feature_names_in_"):
            if hasattr(classifier, name):
                setattr(made, name, getattr(classifier, name))
        return made

    def _route(self, weight: np.ndarray | None, params: dict[str, Any]) -> tuple[dict, dict]:
        """What goes to the classifier's ``fit`` and to the splitter's ``split``."""
        given = {} if weight is None else {"sample_weight": weight}
        if get_config()["enable_metadata_routing"]:
            routed = process_routing(self, "fit", **given, **params)
            return dict(routed.estimator.fit), dict(routed.splitter.split)
        unknown = sorted(set(params) - {"groups"})
        if unknown:
            raise TypeError(
                f"fit got {unknown[0]!r}: only sample_weight and groups are passed on, unless "
                "metadata routing is switched on (sklearn.set_config)."
            )
        if given and not has_fit_parameter(self.estimator, "sample_weight"):
            given = {}
            warnings.warn(
                f"fit of {type(self.estimator).__name__} takes no sample_weight: only calibration "
                "and decision are weighted. Route the weights to a step of a pipeline by "
                "scikit-learn's metadata routing.",
                stacklevel=4,
            )
        return given, params

    def _calibrate(self, unseen: UnseenRows, trained: np.ndarray | None = None) -> None:
        """Fit calibration and decision, for class frequencies of training if they are known."""
        self.calibration_ = fit_calibration(unseen, trained) if self.calibrate else None
        self.unseen_ = calibrated_rows(unseen, self.calibration_)
        classes = self.classes_.tolist()
        prior = in_class_order(self.prior, classes)
        self.decision_ = self._fit_decision(self.unseen_, classes, prior, trained)

    def _decide(self, prior: Any) -> None:
        classes, trained = self.classes_.tolist(), self.decision_.prior
        self.decision_ = self._fit_decision(self.unseen_, classes, prior, trained)

    def predict_proba(self, X: Any) -> np.ndarray:
        """Calibrated probabilities, which the decision does not change.

        Parameters
        ----------
        X : array-like, sparse matrix or dataframe of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
            For the class frequencies ``prior`` if given, else for those of training.
        """
        if is_collection(X):
            return answer_lazily(self, "predict_proba", X)
        said = self._said(X)
        return self.decision_.posterior(said)

    def decision_function(self, X: Any) -> np.ndarray:
        """Scores of the classes; the largest is the prediction.

        Parameters
        ----------
        X : array-like, sparse matrix or dataframe of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples, n_classes), or (n_samples,) for two classes
            Logarithms of probability / frequency * factor, or negative expected costs. With two
            classes: the score of the second class minus that of the first.
        """
        if is_collection(X):
            return answer_lazily(self, "decision_function", X)
        said = self._said(X)
        return flatten_binary(self.decision_.scores(said))

    def explain(self) -> str:
        """The decision in words, with the recall of each class on unseen rows.

        Returns
        -------
        str
        """
        check_is_fitted(self)
        return self.decision_.explain(self.classes_.tolist())

    def _codes(self, X: Any) -> np.ndarray:
        said = self._said(X)
        return self.decision_.answers(said)

    def _said(self, X: Any) -> np.ndarray:
        check_is_fitted(self)
        check_table(X)
        is_numbered = not np.array_equal(self.estimator_.classes_, self.classes_)
        numbered = self.classes_ if is_numbered else None
        said = class_probabilities(self.estimator_, X, self.classes_, numbered)
        return said if self.calibration_ is None else self.calibration_.probabilities([said])

    def get_metadata_routing(self) -> MetadataRouter:
        """What of the metadata goes to the classifier and to the splitter."""
        to_fit = MethodMapping().add(caller="fit", callee="fit")
        to_split = MethodMapping().add(caller="fit", callee="split")
        splitter = self.cv if hasattr(self.cv, "get_metadata_routing") else None
        return (
            MetadataRouter(owner=type(self).__name__)
            .add_self_request(self)
            .add(estimator=self.estimator, method_mapping=to_fit)
            .add(splitter=splitter, method_mapping=to_split)
        )

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        try:
            inner = get_tags(self.estimator)
        except (AttributeError, TypeError):
            return tags
        tags.input_tags = inner.input_tags
        return tags

    @classmethod
    def _test_instances(cls) -> list[Any]:
        from sklearn.linear_model import LogisticRegression
        from sklearn.naive_bayes import GaussianNB

        folds = not_repeatable("folds are numbered by rows, not by weights")
        own_rule = {"check_classifiers_train": "the most probable class is not always predicted"}
        return [
            (cls(LogisticRegression(), cv=3), folds | own_rule),
            (cls(GaussianNB(), measure="macro_f1", calibrate=False, cv=2), own_rule),
        ]

    def _check_model_(self) -> None:
        """Refuse a loaded classifier, calibration or decision that do not fit together."""
        check_classes(self.classes_)
        n_classes = len(self.classes_)
        refusal = "its classifier is a {}, which is not known"
        check_part(("classifier", "stack"), self.estimator_, refusal=refusal)
        if not np.array_equal(self.estimator_.classes_, self.classes_):
            raise ValueError("its classifier knows other classes")
        if getattr(self.estimator_, "n_features_in_", None) != self.n_features_in_:
            raise ValueError("its classifier reads other columns")
        if self.calibration_ is not None:
            check_part("pool", self.calibration_, n_classes, refusal="its calibration is a {}")
            if len(self.calibration_.weights) != 1:
                raise ValueError("its calibration is for several classifiers")
        check_part("decision", self.decision_, n_classes, refusal="its decision is a {}")
        check_part("unseen rows", self.unseen_, n_classes, refusal="its unseen rows are a {}")


def _check_estimator(estimator: Any) -> None:
    if isinstance(estimator, type) or not hasattr(estimator, "fit"):
        raise TypeError(f"estimator must be a classifier, got {estimator!r}.")
    if not hasattr(estimator, "predict_proba") and not hasattr(estimator, "decision_function"):
        raise TypeError(
            f"estimator {type(estimator).__name__} has neither predict_proba nor "
            "decision_function: a decision needs more than predicted classes."
        )


def _check_unseen(unseen: UnseenRows, codes: np.ndarray) -> None:
    """Refuse splits after which no row is unseen; one row per class has no other."""
    if not len(unseen.codes) and np.bincount(codes).max() > 1:
        raise ValueError(
            "cv leaves no rows to fit the decision on: a fold counts if its training part has at "
            "least two classes and its test part a row of one of them (an iterator of splits can "
            "be used once only). Give cv a number of folds or other splits, or a fitted "
            "classifier and cv='prefit'."
        )


def _warn_of_unjudged(unseen: UnseenRows, classes: np.ndarray) -> None:
    """Warn of classes without unseen rows, unless no class has any."""
    absent = np.setdiff1d(np.arange(len(classes)), unseen.codes)
    if len(unseen.codes) and len(absent):
        warnings.warn(
            f"no unseen row is of {classes[absent].tolist()[:10]}: nothing can be learnt about how "
            "often they are recognised, and their factors are not tuned. Give cv folds that train "
            "and test every class, or held-out rows of every class.",
            stacklevel=5,
        )


def _encode(labels: np.ndarray, classes: np.ndarray) -> np.ndarray:
    """Positions of labels among sorted classes."""
    unknown = np.setdiff1d(labels, classes).tolist()
    if unknown:
        raise ValueError(f"y holds {unknown[0]!r}, which the fitted estimator does not know.")
    return np.searchsorted(classes, labels)
