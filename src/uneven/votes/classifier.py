"""What every classifier that ends in a vote can do once it has learnt."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.validation import check_is_fitted

from uneven.utils.parallel import workers
from uneven.utils.validation import column_names
from uneven.views.training_rows import validate_predict_data
from uneven.votes import Explanation, Vote

__all__ = ["StagedVoteClassifier", "VoteClassifier", "flatten_binary", "vote_answers"]


class VoteClassifier(ClassifierMixin, BaseEstimator):
    """Base of all classifiers whose fitted form is a :class:`~uneven.votes.Vote`.

    A subclass's ``fit`` calls :func:`~uneven.views.training_rows.validate_fit_data` and sets
    ``classes_``, ``class_prior_``, ``views_`` and ``vote_``.
    """

    classes_: np.ndarray
    class_prior_: np.ndarray
    vote_: Vote
    n_jobs: int | None = None

    def _scores(self, X: Any) -> np.ndarray:
        """Votes for each class, shape (n_samples, n_classes)."""
        check_is_fitted(self, "vote_")
        X = validate_predict_data(self, X)
        with workers(self.n_jobs) as team:
            return self.vote_.score(X, team)

    def _staged_scores(self, X: Any) -> Iterator[np.ndarray]:
        check_is_fitted(self, "vote_")
        X = validate_predict_data(self, X)
        with workers(self.n_jobs) as team:
            yield from self.vote_.staged_score(X, team)

    def _answers(self, scores: np.ndarray) -> np.ndarray:
        return np.asarray(self.classes_[vote_answers(scores, int(self.class_prior_.argmax()))])

    def decision_function(self, X: Any) -> np.ndarray:
        """Votes received by each class.

        Parameters
        ----------
        X : array-like, sparse matrix or dataframe of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples, n_classes), or (n_samples,) for two classes
            With two classes: the votes for the second class minus those for the first.
        """
        return flatten_binary(self._scores(X))

    def predict(self, X: Any) -> np.ndarray:
        """Class with the most votes.

        Parameters
        ----------
        X : array-like, sparse matrix or dataframe of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples,)
            A row that nobody can vote on gets the most frequent class; see :meth:`undecided`.
        """
        return self._answers(self._scores(X))

    def predict_proba(self, X: Any) -> np.ndarray:
        """Share of the vote that each class receives.

        These shares rank well but are not calibrated probabilities: they are usually too even.
        Wrap the estimator in :class:`sklearn.calibration.CalibratedClassifierCV` where a
        probability is needed.

        Parameters
        ----------
        X : array-like, sparse matrix or dataframe of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
            Rows sum to 1; the training class frequencies where nobody could vote.
        """
        scores = self._scores(X)
        scores[~scores.any(axis=1)] = self.class_prior_
        return np.asarray(scores / scores.sum(axis=1, keepdims=True))

    def undecided(self, X: Any) -> np.ndarray:
        """Tell which rows nobody votes on: all their views are missing, or every vote is zero.

        Parameters
        ----------
        X : array-like, sparse matrix or dataframe of shape (n_samples, n_features)

        Returns
        -------
        ndarray of bool, shape (n_samples,)
            :meth:`predict` answers the most frequent training class there.
        """
        return np.asarray(~self._scores(X).any(axis=1))

    def explain(self) -> Explanation:
        """Say which view and which column speaks for which class.

        Returns
        -------
        Explanation
            From the training rows; no data is needed.
        """
        check_is_fitted(self, "vote_")
        return self.vote_.explain(self.classes_, column_names(self))

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.allow_nan = True
        return tags


class StagedVoteClassifier(VoteClassifier):
    """A vote that was learnt in rounds: it can be asked after each of them."""

    def staged_decision_function(self, X: Any) -> Iterator[np.ndarray]:
        """Yield what :meth:`decision_function` returns, after each round."""
        for scores in self._staged_scores(X):
            yield flatten_binary(scores)

    def staged_predict(self, X: Any) -> Iterator[np.ndarray]:
        """Yield what :meth:`predict` returns, after each round."""
        for scores in self._staged_scores(X):
            yield self._answers(scores)

    def staged_score(self, X: Any, y: Any, sample_weight: Any = None) -> Iterator[float]:
        """Yield the accuracy on ``X`` and ``y`` after each round."""
        right = np.asarray(y)
        for answers in self.staged_predict(X):
            yield float(np.average(answers == right, weights=sample_weight))


def vote_answers(scores: np.ndarray, fallback: int) -> np.ndarray:
    """Class index with the most votes: the lowest among ties, ``fallback`` if nobody voted."""
    best = scores.argmax(axis=1)
    best[~scores.any(axis=1)] = fallback
    return np.asarray(best)


def flatten_binary(scores: np.ndarray) -> np.ndarray:
    """Turn the votes for two classes into one margin for the second; leave more classes alone."""
    return scores[:, 1] - scores[:, 0] if scores.shape[1] == 2 else scores
