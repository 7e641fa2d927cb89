"""Classifiers that predict by one inner model, fitted to features made of the views."""

from __future__ import annotations

from abc import ABCMeta, abstractmethod
from collections.abc import Callable
from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils import check_random_state
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from uneven.fusion.per_view import validate_rows
from uneven.utils.estimators import align_margins, align_probabilities, check_margins
from uneven.utils.parallel import ThreadPool, thread_pool
from uneven.utils.parameters import check_parameters
from uneven.utils.validation import whole_or_nothing
from uneven.views import ViewMap
from uneven.views.training_rows import TrainingRows, validate_predict_data
from uneven.votes.vote import flatten_binary


def _model_has(name: str) -> Callable[[Any], bool]:
    def check(classifier: DelegatingClassifier) -> bool:
        inner = getattr(classifier, "model_", None)
        if inner is None:
            inner = classifier._unfitted_model()
        getattr(inner, name)
        return True

    return check


class DelegatingClassifier(ClassifierMixin, BaseEstimator, metaclass=ABCMeta):
    """Base of the classifiers whose predictions come from one inner model.

    A subclass implements :meth:`_train`, which sets ``model_`` (trained on class indices),
    :meth:`_inputs`, the input of the model, and :meth:`_able`, which rows it can predict.
    All other rows get the most frequent class.
    """

    classes_: np.ndarray
    class_prior_: np.ndarray
    views_: ViewMap
    model_: Any
    random_state: Any = None
    n_jobs: int | None = None

    @abstractmethod
    def _train(self, rows: TrainingRows, rng: np.random.RandomState, pool: ThreadPool) -> None:
        """Set ``model_``, unless there is nothing to learn, and whatever :meth:`_inputs` needs."""

    @abstractmethod
    def _inputs(self, X: Any, present: np.ndarray) -> Any:
        """What the inner model is given for some rows."""

    @abstractmethod
    def _able(self, present: np.ndarray) -> np.ndarray:
        """Which rows the inner model can predict, bool of shape (n_samples,)."""

    @abstractmethod
    def _unfitted_model(self) -> Any:
        """An example of the inner model, to see what it can do before fitting."""

    def _check_parameters(self) -> None:
        """Refuse impossible parameters before any work."""
        check_parameters(self)

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Train the inner model.

        Parameters
        ----------
        X : array-like, sparse matrix or dataframe of shape (n_samples, n_features)
            NaN is a missing value; a row in which a whole view is NaN does not have that view.
        y : array-like of shape (n_samples,)
            Class labels.
        sample_weight : array-like of shape (n_samples,), optional
            Passed on to everything that is trained. Rows of weight zero are left out.

        Returns
        -------
        self : object
        """
        self._check_parameters()
        with whole_or_nothing(self), thread_pool(self.n_jobs) as pool:
            rows = validate_rows(self, X, y, sample_weight)
            self.model_ = None
            self._train(rows, check_random_state(self.random_state), pool)
        return self

    def _ask(self, X: Any, method: str) -> tuple[Any, np.ndarray]:
        """The output of the model for the rows that it can predict, and which these are.

        The second is a bool array of shape (n_samples,); there is no output if it is all False.
        """
        check_is_fitted(self, "class_prior_")
        X = validate_predict_data(self, X)
        present = self.views_.presence(X)
        able = self._able(present) if self.model_ is not None else np.zeros(len(present), bool)
        if not able.any():
            return None, able
        rows = np.flatnonzero(able)
        return getattr(self.model_, method)(self._inputs(X[rows], present[rows])), able

    def predict(self, X: Any) -> np.ndarray:
        """Class that the inner model predicts.

        Parameters
        ----------
        X : array-like, sparse matrix or dataframe of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples,)
            The most frequent class for rows that the model cannot predict.
        """
        said, able = self._ask(X, "predict")
        answers = np.full(len(able), int(self.class_prior_.argmax()))
        if said is not None:
            answers[able] = said
        return np.asarray(self.classes_[answers])

    @available_if(_model_has("predict_proba"))
    def predict_proba(self, X: Any) -> np.ndarray:
        """Probabilities of the inner model.

        Parameters
        ----------
        X : array-like, sparse matrix or dataframe of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
            The training class frequencies for rows that the model cannot predict.
        """
        said, able = self._ask(X, "predict_proba")
        shares = np.tile(self.class_prior_, (len(able), 1))
        if said is not None:
            shares[able] = align_probabilities(said, self.model_.classes_, len(self.classes_))
        return shares

    @available_if(_model_has("decision_function"))
    def decision_function(self, X: Any) -> np.ndarray:
        """Scores of the inner model.

        Parameters
        ----------
        X : array-like, sparse matrix or dataframe of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples, n_classes), or (n_samples,) for two classes
            Zero for rows that the model cannot predict.
        """
        said, able = self._ask(X, "decision_function")
        scores = np.zeros((len(able), len(self.classes_)))
        if said is not None:
            check_margins(self.model_, said)
            scores[able] = align_margins(said, self.model_.classes_, len(self.classes_))
        return flatten_binary(scores)

    def undecided(self, X: Any) -> np.ndarray:
        """Rows that the inner model cannot predict, because views are missing.

        Parameters
        ----------
        X : array-like, sparse matrix or dataframe of shape (n_samples, n_features)

        Returns
        -------
        ndarray of bool, shape (n_samples,)
            :meth:`predict` returns the most frequent training class there.
        """
        check_is_fitted(self, "class_prior_")
        present = self.views_.presence(validate_predict_data(self, X))
        silent = np.ones(len(present), dtype=bool)
        return silent if self.model_ is None else ~self._able(present)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.allow_nan = True
        return tags
