"""What every classifier that joins named members can do once it has learnt."""

from __future__ import annotations

from abc import ABCMeta, abstractmethod
from typing import Any

import numpy as np
from scipy.special import softmax
from sklearn.base import ClassifierMixin
from sklearn.utils import get_tags

from uneven.stacking.composition import NamedMembers, open_members
from uneven.vote_classifier import flatten_binary

__all__ = ["StackedClassifier"]


class StackedClassifier(ClassifierMixin, NamedMembers, metaclass=ABCMeta):
    """Base of classifiers that turn the scores of members into scores of the classes.

    A subclass sets ``classes_`` and ``temperature_``, and supplies ``_scores``.
    """

    classes_: np.ndarray
    temperature_: float

    @abstractmethod
    def _scores(self, X: Any) -> np.ndarray:
        """Scores of the classes, shape (n_samples, n_classes)."""

    def decision_function(self, X: Any) -> np.ndarray:
        """Combined scores of the kept members.

        Parameters
        ----------
        X : array-like, sparse matrix, dataframe or list of texts, of n_samples rows

        Returns
        -------
        ndarray of shape (n_samples, n_classes), or (n_samples,) for two classes
            With two classes: the score of the second class minus that of the first.
        """
        return flatten_binary(self._scores(X))

    def predict(self, X: Any) -> np.ndarray:
        """Class with the largest combined score; dropped members are not asked.

        Parameters
        ----------
        X : array-like, sparse matrix, dataframe or list of texts, of n_samples rows

        Returns
        -------
        ndarray of shape (n_samples,)
            The first class among equals.
        """
        return np.asarray(self.classes_[self._scores(X).argmax(axis=1)])

    def predict_proba(self, X: Any) -> np.ndarray:
        """Softmax of the scores, at the temperature that was most likely in cross-validation.

        Parameters
        ----------
        X : array-like, sparse matrix, dataframe or list of texts, of n_samples rows

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
        """
        return np.asarray(softmax(self._scores(X) / self.temperature_, axis=1))

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        own = [get_tags(member.estimator).input_tags for _, member in open_members(self)]
        tags.input_tags.sparse = all(tag.sparse for tag in own)
        tags.input_tags.allow_nan = all(tag.allow_nan for tag in own)
        return tags
