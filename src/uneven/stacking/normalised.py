"""Classifiers of scikit-learn that give normalised scores, without fitting them several times."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from scipy.special import expit, softmax
from sklearn.base import BaseEstimator, ClassifierMixin, MetaEstimatorMixin, clone
from sklearn.tree import DecisionTreeClassifier
from sklearn.utils import get_tags
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted

from uneven.fusion.class_columns import check_margins, spread
from uneven.stacking.base_learners import floored
from uneven.stacking.out_of_fold.fitting import weight_words
from uneven.utils.parameters import check_choice
from uneven.utils.validation import whole_or_nothing

__all__ = ["LaplaceTreeClassifier", "NormalisedClassifier"]


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
    >>> from uneven.stacking.normalised import NormalisedClassifier
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
        model.fit(X, y, **({} if weight is None else weight_words(model, weight)))
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
        return spread(said, np.arange(n_classes), n_classes) / self.scale_

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


class LaplaceTreeClassifier(DecisionTreeClassifier):
    """A decision tree whose leaves count from 1, so that small leaves are less sure.

    A leaf that holds n rows, k of them of a class, gives it (k + 1) / (n + n_classes). The
    parameters and attributes are those of :class:`~sklearn.tree.DecisionTreeClassifier`.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from uneven.stacking.normalised import LaplaceTreeClassifier
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
