"""The rows that wait for labels: as the classifier takes them, and as numbers if they are that."""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.utils import get_tags
from sklearn.utils.validation import check_array, validate_data

from uneven.active.history import fingerprint
from uneven.linear.expansions import kernel_parameters
from uneven.linear.rows import row_norms
from uneven.utils.frames import holds_words
from uneven.utils.validation import narrow_indices
from uneven.versionspace import BayesPointClassifier
from uneven.versionspace.span import feature_norms

__all__ = ["Pool", "enter_rows", "takes_nan"]


class Pool:
    """Rows that wait for labels, with what never changes about them.

    Parameters
    ----------
    given : ndarray, CSR, frame or array of texts, of n_rows rows
        As the classifier takes them.

    Examples
    --------
    >>> Pool(np.eye(3)).X.shape
    (3, 3)
    >>> Pool(np.array(["a text", "another"], dtype=object)).is_numeric
    False
    """

    def __init__(self, given: Any) -> None:
        self.given = given
        self._norms: dict[str, np.ndarray] = {}

    @property
    def X(self) -> Any:  # noqa: N802
        """The rows as finite numbers, ndarray or CSR of shape (n_rows, n_features)."""
        table, why = self._numbers
        if table is None:
            raise ValueError(
                f"the geometry of the rows is needed, but not all are finite numbers: {why} Turn "
                "them into numbers first, or use only what looks at the classifier alone: "
                "query='uncertainty' or 'random', stop=Budget or StablePredictions."
            )
        return table

    @property
    def is_numeric(self) -> bool:
        """Whether the rows are finite numbers, so that there is geometry to look at."""
        return self._numbers[0] is not None

    @cached_property
    def _numbers(self) -> tuple[Any, str]:
        """The rows as a table of finite numbers, or None and why not."""
        words = _first_words(self.given)
        if words:
            return None, words
        try:
            return check_array(self.given, accept_sparse="csr", dtype=np.float64), ""
        except (TypeError, ValueError) as error:
            return None, str(error).partition("\n")[0]

    @cached_property
    def gamma(self) -> float:
        """The width of a Gaussian kernel that scikit-learn calls "scale", for all rows."""
        return float(kernel_parameters(self.X, "rbf", "scale", 3, 1.0)["gamma"])

    def bayes_point(self) -> BayesPointClassifier:
        """Straight for sparse pools; else Gaussian, as wide as the whole pool suggests."""
        if not self.is_numeric:
            return BayesPointClassifier()
        if sp.issparse(self.X):
            return BayesPointClassifier("linear")
        return BayesPointClassifier(gamma=self.gamma)

    def __len__(self) -> int:
        return int(self.given.shape[0])

    def fingerprint(self) -> str:
        """A short text that differs between pools; the same for numbers in an array or a frame."""
        return fingerprint(self.X if self.is_numeric else self.given)

    def norms(self, centre: BayesPointClassifier) -> np.ndarray:
        """Lengths of the rows in the space of a fitted centre; one for rows without a direction.

        Parameters
        ----------
        centre : BayesPointClassifier
            Fitted.

        Returns
        -------
        ndarray of shape (n_rows,)
        """
        key = repr((centre.kernel, centre.kernel_params_, centre.fit_intercept))
        if key not in self._norms:
            self._norms[key] = self._measure(centre)
        return self._norms[key]

    def _measure(self, centre: BayesPointClassifier) -> np.ndarray:
        constant = float(bool(centre.fit_intercept))
        if centre.kernel == "precomputed":
            lengths = np.sqrt(np.clip(self.X.diagonal(), 0.0, None))
        elif centre.kernel == "linear":
            lengths = np.hypot(row_norms(self.X), constant)
        else:
            lengths = feature_norms(self.X, centre.kernel, centre.kernel_params_)
        return np.where(lengths > 0.0, lengths, 1.0)


def enter_rows(learner: Any, estimator: Any, X: Any, *, reset: bool = True) -> Any:
    """Rows as a classifier takes them.

    Parameters
    ----------
    learner : object
        Remembers the number and names of the columns.
    estimator : object
        The classifier. A `uneven.BayesPointClassifier` takes numbers; another one gets frames and
        texts as they are, and NaN if it says that it takes it or is a pipeline.
    X : object
        As the user gave it.
    reset : bool, default=True
        Whether to remember the columns or to compare them with those remembered.

    Returns
    -------
    ndarray or CSR of float64, frame, or ndarray of objects
    """
    own = isinstance(estimator, BayesPointClassifier)
    if not own and (_is_frame(X) or _holds_text(X)):
        X = X if _is_frame(X) else np.asarray(X, dtype=object)
        validate_data(learner, X, reset=reset, skip_check_array=True)
        if len(X) and not _first_words(X):
            holes = "allow-nan" if takes_nan(estimator) else True
            check_array(X, dtype=np.float64, ensure_all_finite=holes)
        if not len(X):
            raise ValueError("Found array with 0 sample(s): there are no rows.")
        return X
    holes = "allow-nan" if not own and takes_nan(estimator) else True
    rules: dict[str, Any] = {"accept_sparse": "csr", "dtype": np.float64}
    return narrow_indices(validate_data(learner, X, reset=reset, ensure_all_finite=holes, **rules))


def takes_nan(estimator: Any) -> bool:
    """Whether a classifier takes NaN, as far as it says; pipelines may fill holes on the way.

    Parameters
    ----------
    estimator : object

    Returns
    -------
    bool
    """
    return hasattr(estimator, "steps") or get_tags(estimator).input_tags.allow_nan


def _is_frame(X: Any) -> bool:
    return hasattr(X, "columns") and hasattr(X, "dtypes") and len(X.shape) == 2


def _holds_text(X: Any) -> bool:
    """Whether a list, a column or an array holds text."""
    is_column = hasattr(X, "to_numpy") and not _is_frame(X)
    if not is_column and not isinstance(X, list | tuple | np.ndarray):
        return False
    if isinstance(X, np.ndarray) and X.dtype.kind not in "OUT":
        return False
    return any(isinstance(value, str) for value in np.asarray(X, dtype=object).ravel())


def _first_words(given: Any) -> str:
    """What kind of words there are, if any."""
    if _is_frame(given):
        words = [name for name in given.columns if holds_words(given, name)]
        return f"column {words[0]!r} holds text or categories." if words else ""
    return "they are texts." if _holds_text(given) else ""
