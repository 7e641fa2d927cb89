"""Any classifier with probabilities as a member, cross-fitted."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from uneven.ensemble.shared_table import Learnt, SharedTable, cross_fit
from uneven.fusion.per_view import fit_model
from uneven.utils.estimators import align_probabilities
from uneven.utils.model_types import (
    check_part,
    check_range,
    check_shares,
    check_whole,
    persisted,
)
from uneven.utils.parallel import ThreadPool


@dataclass(frozen=True)
class AnyClassifier:
    """A classifier of scikit-learn's kind that gives probabilities.

    Attributes
    ----------
    estimator : classifier
        Gets numbers: NaN where a value is missing, codes of categories.
    n_folds : int
    """

    estimator: Any
    n_folds: int = 5

    def learn(self, table: SharedTable, seed: int) -> Learnt:
        """Fit it to all rows, and to the rows outside of every fold."""
        rng = np.random.RandomState(seed)
        folds = table.deal(self.n_folds, int(rng.randint(2**31 - 1)))

        def ask(model: ClassifierModel, rows: np.ndarray, labels: np.ndarray) -> np.ndarray:
            return model.known_shares(table.X[rows])

        return cross_fit(table, folds, seed, lambda rows: self._fit(table, rows, rng), ask)

    def _fit(self, table: SharedTable, rows: np.ndarray, rng: Any) -> ClassifierModel:
        X, y = table.X[rows], table.y[rows]
        labels = np.unique(y)
        if len(labels) == 1:
            return ClassifierModel(None, labels, table.prior)
        codes = np.searchsorted(labels, y)
        model = fit_model(self.estimator, X, codes, table.mass[rows], rng)
        return ClassifierModel(model, labels, table.prior)


@persisted("classifier_model", role="ensemble_model")
@dataclass
class ClassifierModel:
    """A fitted classifier.

    Attributes
    ----------
    model : classifier or None
        Knows classes by their positions in ``labels``; None if there was one only.
    labels : ndarray of int, shape (n_labels,)
        Codes of the classes that it has seen.
    prior : ndarray of shape (n_classes,)
    """

    model: Any
    labels: np.ndarray
    prior: np.ndarray

    def probabilities(self, X: Any, pool: ThreadPool) -> np.ndarray:
        """Its probabilities, (n_samples, n_classes)."""
        return align_probabilities(self.known_shares(X), self.labels, len(self.prior))

    def known_shares(self, X: Any) -> np.ndarray:
        """Those of the classes that it has seen, (n_samples, n_labels)."""
        if self.model is None or not X.shape[0]:
            return np.ones((X.shape[0], len(self.labels)))
        known = np.asarray(self.model.predict_proba(X), dtype=np.float64)
        if not np.isfinite(known).all():
            raise ValueError(
                f"{type(self.model).__name__} gave probabilities that are no numbers: leave it "
                "out of members, or scale its columns."
            )
        return known

    def _check_model_(self, classifier: Any) -> None:
        """Refuse a loaded classifier that model files do not know."""
        n_classes = len(classifier.classes_)
        check_whole(self.labels, "classes of a member")
        check_range(self.labels, n_classes, "class")
        if self.labels.ndim != 1 or not self.labels.size or (np.diff(self.labels) <= 0).any():
            raise ValueError("the classes of a member are not in order")
        check_shares(self.prior, n_classes)
        if self.model is not None:
            refusal = "its classifier is a {}, which is not known"
            check_part(("classifier", "pipeline"), self.model, refusal=refusal)
            if not np.array_equal(self.model.classes_, np.arange(len(self.labels))):
                raise ValueError("a member knows other classes")
            if self.model.n_features_in_ != classifier.n_features_in_:
                raise ValueError("a member reads other columns")
