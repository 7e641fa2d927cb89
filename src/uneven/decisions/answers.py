"""Base of classifiers that predict by a decision rule: labels, abstention, prior shift."""

from __future__ import annotations

import copy
from typing import Any, Self

import numpy as np
from sklearn.base import ClassifierMixin
from sklearn.utils.validation import check_consistent_length, check_is_fitted, column_or_1d

from uneven.decisions.decision import ABSTAIN, Decision, fit_decision
from uneven.decisions.prior_shift import estimate_prior
from uneven.decisions.rows import in_class_order, recalls_by_code
from uneven.decisions.unseen import UnseenRows
from uneven.utils.validation import check_mass, is_collection
from uneven.votes.lazy_answers import answer_lazily


class AnsweringMixin(ClassifierMixin):
    """Predict by a decision rule on probabilities, with the option to abstain.

    Subclasses implement ``_said(X)``, the probabilities under the class frequencies of training,
    which the rule takes; ``_codes(X)``, the predicted class codes, ``ABSTAIN`` where the rule
    abstains; and ``_decide(prior)``, which fits the rule again for other class frequencies.
    """

    classes_: np.ndarray
    decision_: Decision | None
    measure: Any
    cost: Any
    prior: Any
    constraints: Any
    abstain_cost: float | None = None
    abstain_label: Any = None
    pseudo_rows: float | None = None
    spread_price: float | None = None

    def predict(self, X: Any) -> np.ndarray:
        """Predict classes by the decision rule; ``abstain_label`` where it abstains.

        Parameters
        ----------
        X : array-like, sparse matrix or dataframe of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples,)
            For a Dask collection, one that is still to be computed.
        """
        if is_collection(X):
            return answer_lazily(self, "predict", X, labels=self._label_type())
        codes = self._codes(X)
        if self.abstain_cost is None:
            return np.asarray(self.classes_[codes])
        label = self._abstain_label()
        labels = self.classes_[codes].astype(self._label_type())
        labels[codes == ABSTAIN] = label
        return np.asarray(labels)

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """Accuracy; abstaining counts as a misclassification.

        Parameters
        ----------
        X : array-like, sparse matrix or dataframe of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)
            True labels.
        sample_weight : array-like of shape (n_samples,), optional

        Returns
        -------
        float
        """
        if self.abstain_cost is None:
            return float(super().score(X, y, sample_weight))
        codes, labels = self._codes(X), column_or_1d(y)
        check_consistent_length(codes, labels)
        right = (codes != ABSTAIN) & (self.classes_[codes] == labels)
        return float(np.average(right, weights=check_mass(sample_weight, len(codes))))

    def adapt(self, X: Any) -> Self:
        """A copy for other class frequencies, which are estimated from unlabelled rows.

        Assumes that only the class frequencies have changed, not the rows within a class (prior
        shift). Probabilities and decisions of the copy are those for the new frequencies, which
        are in ``decision_.target``.

        Parameters
        ----------
        X : array-like, sparse matrix or dataframe of shape (n_samples, n_features)

        Returns
        -------
        object
            Fitted, of the same type; it shares the fitted models with this one.
        """
        said = self._said(X)
        moved = copy.copy(self)
        if self.decision_ is not None:
            moved._decide(estimate_prior(said, self.decision_.prior))
        return moved

    def _check_decision(self, classes: list[Any]) -> None:
        """Refuse decisions that do not fit the classes, before anything is learnt."""
        no_rows = UnseenRows(np.zeros((0, len(classes))), np.zeros(0, int), np.zeros(0))
        if classes:
            self._fit_decision(no_rows, classes, in_class_order(self.prior, classes))
        if self.abstain_cost is not None:
            self._abstain_label()

    def _fit_decision(
        self, rows: UnseenRows, classes: list[Any], prior: Any, trained: Any = None
    ) -> Decision:
        """The rule on unseen rows, for class frequencies in the order of the classes."""
        return fit_decision(
            rows.probabilities,
            rows.codes,
            measure=self.measure,
            cost=self.cost,
            prior=prior,
            constraints=recalls_by_code(self.constraints, classes),
            abstain_cost=self.abstain_cost,
            sample_weight=rows.weight,
            pseudo_rows=self.pseudo_rows,
            spread_price=self.spread_price,
            classes=classes,
            trained=trained,
        )

    def _abstain_label(self) -> Any:
        label = self.abstain_label
        if label is None:
            label = "abstain" if self.classes_.dtype.kind in "OUS" else -1
        if np.ndim(label):
            raise ValueError(f"abstain_label must be a single value, got {label!r}.")
        if label in self.classes_.tolist():
            raise ValueError(f"abstain_label={label!r} is the name of a class: choose another.")
        return label

    def _label_type(self) -> np.dtype:
        """Type of predictions."""
        check_is_fitted(self, "classes_")
        if self.abstain_cost is None:
            return self.classes_.dtype
        return _type_beside(self.classes_, self._abstain_label())

    def _said(self, X: Any) -> np.ndarray:
        raise NotImplementedError

    def _codes(self, X: Any) -> np.ndarray:
        raise NotImplementedError

    def _decide(self, prior: Any) -> None:
        raise NotImplementedError


def _type_beside(classes: np.ndarray, label: Any) -> np.dtype:
    """Type of an array that holds classes as they are and another label; object if none does."""
    kind = classes.dtype.kind
    alike = {"i": "iu", "u": "iu", "f": "iuf"}.get(kind, kind)
    given = np.asarray(label).dtype
    if given.kind in alike:
        common = np.result_type(classes.dtype, given)
        if common.kind in alike:
            return common
    return np.dtype(object)
