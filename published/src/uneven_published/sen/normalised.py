"""Classifiers of scikit-learn that give normalised scores, without fitting them several times."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from scipy.special import expit, softmax
from sklearn.base import BaseEstimator, ClassifierMixin, MetaEstimatorMixin, clone
from sklearn.linear_model import Perceptron, RidgeClassifier
from sklearn.svm import SVC
from sklearn.tree import DecisionTreeClassifier
from sklearn.utils import get_tags
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted

from uneven.stacking.out_of_fold.level_one import weight_arguments
from uneven.utils.estimators import align_margins, check_margins
from uneven.utils.model_types import (
    HELPER_TYPES,
    UnknownPartError,
    check_numbers,
    check_part,
    check_plain,
    check_tree,
    check_whole,
    check_width,
    persisted,
    role_of,
)
from uneven.utils.parameters import check_choice
from uneven.utils.validation import whole_or_nothing
from uneven_published.sen.base_learners import floored


@persisted("normalised", role="learner")
class NormalisedClassifier(MetaEstimatorMixin, ClassifierMixin, BaseEstimator):
    """Turn what a classifier says into positive scores that sum to 1.

    They are no calibrated probabilities: nothing is fitted but the classifier, once.

    Parameters
    ----------
    estimator : classifier
    link : {"sigmoid", "softmax", "floor"}, default="sigmoid"
        A sigmoid of every margin over the root of the mean square of the training margins; the
        softmax of the margins; or ``predict_proba`` as it is, raised to one millionth.

    Attributes
    ----------
    estimator_ : classifier
        Fitted.
    scale_ : float
        What margins are divided by.
    classes_ : ndarray of shape (n_classes,)

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.svm import SVC
    >>> from uneven_published.sen.normalised import NormalisedClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> model = NormalisedClassifier(SVC(), "softmax").fit(X, y)
    >>> model.predict_proba(X[:1]).round(2)
    array([[0.7 , 0.24, 0.06]])
    """

    def __init__(self, estimator: Any = None, link: str = "sigmoid") -> None:
        self.estimator = estimator
        self.link = link

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Fit the classifier.

        Parameters
        ----------
        X : array-like, sparse matrix or dataframe of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)
        sample_weight : array-like of shape (n_samples,), optional
            Handed on if the classifier takes weights.

        Returns
        -------
        self : object
        """
        check_choice("link", self.link, ("sigmoid", "softmax", "floor"))
        check_classification_targets(y)
        model = clone(self.estimator)
        weight = None if sample_weight is None else np.asarray(sample_weight, dtype=np.float64)
        model.fit(X, y, **({} if weight is None else weight_arguments(model, weight)))
        with whole_or_nothing(self):
            for name in ("feature_names_in_", "n_features_in_"):
                if hasattr(self, name):
                    delattr(self, name)
                if hasattr(model, name):
                    setattr(self, name, getattr(model, name))
            self.estimator_, self.classes_, self.scale_ = model, model.classes_, 1.0
            if self.link == "sigmoid":
                sizes = np.square(self._margins(X)).mean(axis=1)
                size = float(np.sqrt(np.average(sizes, weights=weight)))
                self.scale_ = size if size > 0.0 else 1.0
        return self

    def _margins(self, X: Any) -> np.ndarray:
        said = np.asarray(self.estimator_.decision_function(X))
        n_classes = len(self.classes_)
        if n_classes == 1:
            return np.zeros((len(said), 1))
        check_margins(self.estimator_, said, 'link="floor"')
        return align_margins(said, np.arange(n_classes), n_classes) / self.scale_

    def predict_proba(self, X: Any) -> np.ndarray:
        """Normalised scores.

        Parameters
        ----------
        X : array-like, sparse matrix or dataframe of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
            Rows sum to 1; no class is below about one millionth.
        """
        check_is_fitted(self)
        if self.link == "floor":
            return floored(self.estimator_.predict_proba(X))
        margins = self._margins(X)
        return floored(expit(margins) if self.link == "sigmoid" else softmax(margins, axis=1))

    def predict(self, X: Any) -> np.ndarray:
        """The class with the highest score.

        Parameters
        ----------
        X : array-like, sparse matrix or dataframe of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples,)
        """
        best = self.predict_proba(X).argmax(axis=1)
        return np.asarray(self.classes_[best])

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        if self.estimator is not None:
            inner = get_tags(self.estimator)
            tags.input_tags.sparse = inner.input_tags.sparse
            tags.input_tags.allow_nan = inner.input_tags.allow_nan
        return tags

    @classmethod
    def _test_instances(cls) -> list[Any]:
        from sklearn.linear_model import RidgeClassifier
        from sklearn.naive_bayes import GaussianNB

        return [cls(RidgeClassifier()), cls(GaussianNB(), "floor")]

    def _check_model_(self, width: int, n_classes: int) -> None:
        """Refuse a loaded classifier of other columns or classes."""
        inner = self.estimator_
        refusal = "its stack holds a {}, which is not known"
        if role_of(inner) != "margins":
            raise UnknownPartError(refusal.replace("{}", type(inner).__name__))
        if not np.array_equal(inner.classes_, self.classes_):
            raise ValueError("a learner knows other classes than it says")
        check_width(self.scale_)
        check_part("margins", inner, width, n_classes, refusal=refusal)


@persisted("laplace_tree", role="learner")
class LaplaceTreeClassifier(DecisionTreeClassifier):
    """A decision tree whose leaves count from 1, so that small leaves are less sure.

    A leaf that holds n rows, k of them of a class, gives it (k + 1) / (n + n_classes). The
    parameters and attributes are those of :class:`~sklearn.tree.DecisionTreeClassifier`.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from uneven_published.sen.normalised import LaplaceTreeClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> LaplaceTreeClassifier(random_state=0).fit(X, y).predict_proba(X[:1]).round(2)
    array([[0.96, 0.02, 0.02]])
    """

    def predict_proba(self, X: Any, check_input: bool = True) -> Any:
        """Counts of the leaves, from 1.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
        check_input : bool, default=True
            As in scikit-learn.

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
            A list of them for several outputs.
        """
        shares = super().predict_proba(X, check_input)
        rows = self.tree_.weighted_n_node_samples[self.apply(X, check_input)][:, None]
        if isinstance(shares, list):
            return [(part * rows + 1.0) / (rows + part.shape[1]) for part in shares]
        return (shares * rows + 1.0) / (rows + shares.shape[1])

    @classmethod
    def _test_instances(cls) -> list[Any]:
        return [cls(random_state=0)]

    def _check_model_(self, width: int, n_classes: int) -> None:
        """Refuse a loaded tree of other columns or classes."""
        check_tree(self.tree_, width)
        if self.n_outputs_ != 1 or self.tree_.value.shape[1:] != (1, n_classes):
            raise ValueError("a tree answers about other classes than its own")


def _check_linear(model: Any, width: int, n_classes: int) -> None:
    """Refuse loaded weights of other columns or classes."""
    check_plain(model, "_label_binarizer", "_loss_function_")
    n_outputs = 1 if n_classes == 2 else n_classes
    check_numbers(model.coef_, (n_outputs, width), "weights", signed=True)
    check_numbers(np.atleast_1d(model.intercept_), (n_outputs,), "intercepts", signed=True)


def _check_machine(model: SVC, width: int, n_classes: int) -> None:
    """Refuse what the compiled reader of a support vector machine follows without looking."""
    check_plain(model)
    if model.kernel not in ("linear", "poly", "rbf") or model._sparse or model._impl != "c_svc":
        raise UnknownPartError(f"its machine has the kernel {model.kernel!r}")
    n_support = len(model.support_)
    check_numbers(model.support_vectors_, (n_support, width), "support vectors", signed=True)
    for values, what in ((model.support_, "support"), (model._n_support, "support counts")):
        check_whole(values, what)
    counts = model._n_support
    if counts.shape != (n_classes,) or counts.min() < 0 or counts.sum() != n_support:
        raise ValueError(f"its {n_support} support vectors are counted as {counts.tolist()}")
    check_numbers(model._dual_coef_, (n_classes - 1, n_support), "coefficients", signed=True)
    n_pairs = n_classes * (n_classes - 1) // 2
    check_numbers(model._intercept_, (n_pairs,), "intercepts", signed=True)
    if model._probA.size or model._probB.size or not np.isfinite(model._gamma):
        raise ValueError("its machine holds more than was learnt")


HELPER_TYPES.update(
    {"sklearn.linear_model._sgd_fast.Hinge", "sklearn.preprocessing._label.LabelBinarizer"}
)
persisted("sklearn_perceptron", role="margins", check=_check_linear)(Perceptron)
persisted("ridge", role="margins", check=_check_linear)(RidgeClassifier)
persisted("svc", role="margins", check=_check_machine)(SVC)
