"""What linear classifiers share: rows in, scores and classes out."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
import scipy.sparse as sp
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils import Tags, check_random_state
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted

from uneven.linear.rows import add_constant, normalize_rows, row_norms
from uneven.utils.model_types import (
    LARGEST,
    check_classes,
    check_names,
    check_numbers,
    check_part,
)
from uneven.utils.parameters import Flag
from uneven.utils.validation import validate_data

_RULES: dict[str, Any] = {"accept_sparse": "csr", "dtype": np.float64}
_LONGEST = 1e145


class LinearClassifier(ClassifierMixin, BaseEstimator):
    """Base of the classifiers whose scores are products with weight vectors.

    A subclass has the parameters ``fit_intercept`` and ``normalize`` and leaves ``coef_`` and
    ``intercept_``: one vector per class, or a single one for two classes.
    """

    fit_intercept: bool
    normalize: bool
    classes_: np.ndarray
    coef_: np.ndarray
    intercept_: np.ndarray

    _parameters: ClassVar[dict[str, Any]] = {"fit_intercept": Flag(), "normalize": Flag()}

    def decision_function(self, X: Any) -> np.ndarray:
        """Scores of the classes.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples, n_classes), or (n_samples,) for two classes
            Products of the rows as given with ``coef_``, plus ``intercept_``: dividing a row by
            its length, as ``normalize`` does in training, would not change the prediction. For two
            classes the score of the second one, less that of the first if both have a vector.
        """
        check_is_fitted(self)
        X = validate_data(self, X, reset=False, **_RULES)
        scores = np.asarray(X @ self.coef_.T) + self.intercept_
        if scores.shape[1] == 2:
            return scores[:, 1] - scores[:, 0]
        return scores[:, 0] if scores.shape[1] == 1 else scores

    def predict(self, X: Any) -> np.ndarray:
        """The class with the highest score; the first of them if several share it.

        Models of two classes with a single vector give the second class to a score of zero.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples,)
        """
        scores = self.decision_function(X)
        if scores.ndim == 1:
            second = scores >= 0.0 if len(self.intercept_) == 1 else scores > 0.0
            return self.classes_[second.astype(np.intp)]
        return self.classes_[scores.argmax(axis=1)]

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags

    def _as_learnt(self, X: Any) -> Any:
        """Rows as they are used: with the constant, of unit length if ``normalize``."""
        if self.fit_intercept:
            X = add_constant(X)
        if self.normalize:
            X = normalize_rows(X)
        return X if sp.issparse(X) else np.ascontiguousarray(X)

    def _store(self, coef: np.ndarray) -> None:
        """Split weights of shape (n_vectors, n_columns) into ``coef_`` and ``intercept_``."""
        width: int = self.n_features_in_
        self.coef_ = np.ascontiguousarray(coef[:, :width])
        self.intercept_ = coef[:, width].copy() if self.fit_intercept else np.zeros(len(coef))

    def _check_model_(self) -> None:
        """Refuse loaded weights of columns, or of training rows where there is a kernel."""
        if hasattr(self, "expansion_"):
            check_expansion(self)
            n_vectors = self.expansion_.coefficients.shape[1]
            check_numbers(self.intercept_, (n_vectors,), "intercepts", signed=True)
        else:
            check_linear(self)


class BinaryLinearClassifier(LinearClassifier):
    """Base of the linear classifiers for two classes."""

    _for_more: ClassVar[str]
    """What to use for more than two classes."""

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = False
        return tags

    def _refuse_more_than_two(self) -> None:
        if len(self.classes_) > 2:
            raise ValueError(
                "Only binary classification is supported. The type of the target is multiclass: "
                f"{len(self.classes_)} classes. {self._for_more}"
            )


def validate_labelled_rows(
    estimator: Any, X: Any, y: Any, classes: Any = None
) -> tuple[Any, np.ndarray]:
    """Validate the arguments of ``fit``; store columns and classes on the estimator.

    X: (n_samples, n_features); y: (n_samples,); classes: (n_classes,), all classes, if ``y`` may
    lack some. Returns X: (n_samples, n_features), of double precision; y: (n_samples,), positions
    in ``classes_``.
    """
    X, y = validate_data(estimator, X, y, **_RULES)
    check_classification_targets(y)
    estimator.classes_ = np.unique(y if classes is None else np.asarray(classes))
    positions = _class_positions(y, estimator.classes_, "fit")
    if len(estimator.classes_) < 2:
        raise ValueError(
            f"y holds one class only, {estimator.classes_.tolist()[0]!r}: "
            f"{type(estimator).__name__} needs at least two classes."
        )
    return X, positions


def validate_stream(estimator: Any, X: Any, y: Any, classes: Any) -> tuple[Any, np.ndarray, bool]:
    """Validate the arguments of ``partial_fit``; store columns and classes at the first call.

    X: (n_samples, n_features); y: (n_samples,); classes: (n_classes,) or None, all classes that may
    ever come; needed at the first call, if given later they must be the same. Returns X:
    (n_samples, n_features), of double precision; y: (n_samples,), positions in ``classes_``.
    """
    first = not hasattr(estimator, "classes_")
    X, y = validate_data(estimator, X, y, reset=first, **_RULES)
    check_classification_targets(y)
    if first and classes is None:
        raise ValueError("classes must be given at the first call of partial_fit.")
    if classes is not None:
        known = np.unique(np.asarray(classes))
        if first and len(known) < 2:
            raise ValueError(f"classes={known.tolist()}: at least two classes are needed.")
        if not first and not np.array_equal(known, estimator.classes_):
            raise ValueError(
                f"classes={known.tolist()} is not the same as in the first call of partial_fit, "
                f"{estimator.classes_.tolist()}."
            )
        estimator.classes_ = known
    return X, _class_positions(y, estimator.classes_, "partial_fit"), first


def _class_positions(y: np.ndarray, classes: np.ndarray, method: str) -> np.ndarray:
    """Positions of labels in sorted classes."""
    strange = np.setdiff1d(y, classes)
    if strange.size:
        raise ValueError(
            f"y holds {strange[:5].tolist()}, not among the classes {classes[:8].tolist()} given "
            f"to {method}."
        )
    return np.searchsorted(classes, y).astype(np.int64, copy=False)


def check_same_width(width: int, rows: Any) -> None:
    """Refuse rows for class vectors of another width: ``fit_intercept`` must have changed."""
    if width != rows.shape[1]:
        raise ValueError(
            f"fit_intercept changed since the first rows were shown: the weights have {width} "
            f"columns, the rows now {rows.shape[1]}; fit anew."
        )


def generator(random_state: Any) -> np.random.Generator:
    """A generator for compiled loops, seeded by what scikit-learn calls a random state."""
    return np.random.default_rng(check_random_state(random_state).randint(2**31 - 1))


def squared_lengths(rows: Any) -> np.ndarray:
    """Squared lengths of the rows, zero only for rows of zeros.

    Rows so long that products with sums of them may overflow are refused.
    """
    lengths = row_norms(rows)
    longest = int(lengths.argmax()) if lengths.size else 0
    if lengths.size and lengths[longest] > _LONGEST:
        raise ValueError(
            f"row {longest} of X has length {lengths[longest]:.3g}; products of rows longer than "
            f"{_LONGEST:g} overflow. Scale the columns, or set normalize=True."
        )
    return np.where(lengths > 0.0, np.maximum(lengths**2, np.finfo(float).tiny), 0.0)


def csr_parts(X: Any) -> tuple[np.ndarray, np.ndarray, np.ndarray] | None:
    """``data, indices, indptr`` of a CSR table for compiled loops, None for a dense one."""
    return (X.data, X.indices, X.indptr) if sp.issparse(X) else None


def check_linear(classifier: Any) -> None:
    """Refuse a loaded classifier whose weights of columns do not fit its columns and classes."""
    check_classes(classifier.classes_)
    check_names(classifier)
    n_vectors = _count_vectors(classifier, len(classifier.coef_))
    shape = (n_vectors, classifier.n_features_in_)
    most = LARGEST if hasattr(classifier, "predict_proba") else np.inf
    check_numbers(classifier.coef_, shape, "coefficients", True, most)
    check_numbers(classifier.intercept_, (n_vectors,), "intercepts", True, most)


def check_expansion(classifier: Any) -> None:
    """Refuse a loaded weighted sum of kernels: one for each class, or one for two."""
    check_classes(classifier.classes_)
    check_names(classifier)
    expansion, width = classifier.expansion_, classifier.n_features_in_
    refusal = "a {} stands where an expansion should be"
    check_part("expansion", expansion, width, refusal=refusal, error=ValueError)
    _count_vectors(classifier, expansion.coefficients.shape[1])


def _count_vectors(classifier: Any, n_vectors: int) -> int:
    """Number of weight vectors: one for each class, or one or two for two classes."""
    n_classes = len(classifier.classes_)
    if n_vectors not in ({1, 2} if n_classes == 2 else {n_classes}):
        raise ValueError(f"its coefficients are of {n_vectors} classes")
    return n_vectors
