"""What classifiers share that depend on a few cuts: samples, fitting class by class, the bound.

A sample is labelled rows in normal form, with or without a kernel. A learner asks it for the
margins of all rows at a point, and for products between the few rows that became cuts. Points are
vectors for plain rows, and weighted sums of rows for a kernel.
"""

from __future__ import annotations

import warnings
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar, Protocol, Self

import numpy as np
import scipy.sparse as sp
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.validation import check_is_fitted

from uneven.bounds import compression_bound
from uneven.linear.base import (
    LinearClassifier,
    generator,
    squared_lengths,
    validate_labelled_rows,
)
from uneven.linear.expansions import KernelExpansion, KernelMixin, check_square, gram
from uneven.linear.rows import scale_rows
from uneven.utils.parameters import Choice, Maybe, Whole, check_parameters
from uneven.utils.validation import whole_or_nothing
from uneven.versionspace.error_oracles import ORACLES, Rule, error_rule
from uneven.versionspace.span import feature_norms, span_of

Lift = Callable[[np.ndarray], Any]


class Sample(Protocol):
    """What cutting-plane learners ask of labelled rows."""

    n_rows: int

    def combine(self, rows: np.ndarray, coefficients: np.ndarray) -> Any:
        """The point that is this sum of rows in normal form."""

    def margins(self, point: Any) -> np.ndarray:
        """Products of all rows in normal form with a point, shape (n_rows,)."""

    def products(self, row: int, rows: np.ndarray) -> np.ndarray:
        """Products of one row in normal form with others, shape (len(rows),)."""

    def place(self, rows: np.ndarray) -> tuple[np.ndarray, Lift]:
        """Unit rows in the coordinates of their span, and the way from there to points."""

    def length(self, point: Any) -> float:
        """Length of a point."""


class LinearSample:
    """Plain rows in normal form.

    Parameters
    ----------
    Z : ndarray or CSR of shape (n_samples, n_features)

    Examples
    --------
    >>> sample = LinearSample(np.array([[1.0, 2.0], [-1.0, 0.5]]))
    >>> sample.margins(sample.combine(np.array([1]), np.array([2]))).tolist()
    [0.0, 2.5]
    """

    def __init__(self, Z: Any) -> None:
        squared_lengths(Z)
        self.Z: Any = Z if sp.issparse(Z) else np.ascontiguousarray(Z, dtype=np.float64)
        self.n_rows: int = Z.shape[0]

    def combine(self, rows: np.ndarray, coefficients: np.ndarray) -> np.ndarray:
        """The sum as a vector, shape (n_features,)."""
        return np.asarray(self.Z[rows].T @ np.asarray(coefficients, dtype=np.float64))

    def margins(self, point: np.ndarray) -> np.ndarray:
        """One product of the table with a vector; the same for a row whatever rows surround it."""
        if sp.issparse(self.Z):
            return np.asarray(self.Z @ point)
        return np.einsum("ij,j->i", self.Z, point)

    def products(self, row: int, rows: np.ndarray) -> np.ndarray:
        """Products of one row with others."""
        if sp.issparse(self.Z):
            return (self.Z[rows] @ self.Z[[row]].T).toarray()[:, 0]
        return np.einsum("ij,j->i", self.Z[rows], self.Z[row])

    def place(self, rows: np.ndarray) -> tuple[np.ndarray, Lift]:
        """The columns are the coordinates if there are fewer than rows."""
        span, where = span_of(self.Z[rows])
        if span.triangle is None:
            return where, lambda w: w
        return where, lambda w: self.combine(rows[span.support], span.expand(w))

    def length(self, point: np.ndarray) -> float:
        """Length of a vector."""
        return float(np.linalg.norm(point))


@dataclass(frozen=True)
class KernelPoint:
    """A sum of rows in normal form.

    Attributes
    ----------
    rows : ndarray of int, shape (n_terms,)
    coefficients : ndarray of shape (n_terms,)
    """

    rows: np.ndarray
    coefficients: np.ndarray


class KernelSample:
    """Rows in normal form in the space of a kernel.

    Kernel values are kept for the rows that became cuts: 8 bytes for each cut and row.

    Parameters
    ----------
    X : ndarray or CSR of shape (n_samples, n_features)
        Kernel values of shape (n_samples, n_samples) if the kernel is "precomputed".
    t : ndarray of shape (n_samples,)
        Labels -1 and +1.
    kernel : str or callable
    params : dict of str to object
        Parameters of the kernel.
    constant : float, default=0.0
        Added to all kernel values: a feature that is the same for all rows.
    normalize : bool, default=False
        Scale the rows to unit length in the space of the kernel.
    """

    def __init__(
        self,
        X: Any,
        t: np.ndarray,
        kernel: Any,
        params: dict[str, Any],
        *,
        constant: float = 0.0,
        normalize: bool = False,
    ) -> None:
        self.X, self.kernel, self.params, self.constant = X, kernel, params, constant
        self.n_rows: int = X.shape[0]
        check_square(X, kernel)
        self.factors = np.asarray(t, dtype=np.float64)
        if normalize:
            own = X.diagonal() if kernel == "precomputed" else feature_norms(X, kernel, params) ** 2
            lengths = np.sqrt(np.clip(own, 0.0, None) + constant)
            self.factors = self.factors / np.where(lengths > 0.0, lengths, 1.0)
        self._kept: dict[int, np.ndarray] = {}

    def combine(self, rows: np.ndarray, coefficients: np.ndarray) -> KernelPoint:
        """The sum by its coefficients."""
        return KernelPoint(np.array(rows), np.array(coefficients, dtype=np.float64))

    def margins(self, point: KernelPoint) -> np.ndarray:
        """A sum over the rows of the point; kernel values are computed once for each of them."""
        total = np.zeros(self.n_rows)
        for row, coefficient in zip(point.rows, point.coefficients):
            total += coefficient * self._values(int(row))
        return total

    def products(self, row: int, rows: np.ndarray) -> np.ndarray:
        """Signed kernel values of one row with others."""
        return self._values(row)[rows]

    def place(self, rows: np.ndarray) -> tuple[np.ndarray, Lift]:
        """Coordinates from the Gram matrix of the rows."""
        near = np.array([self._values(int(row))[rows] for row in rows])
        span, where = span_of((near + near.T) / 2.0, "precomputed")
        return where, lambda w: self.combine(rows[span.support], span.expand(w))

    def length(self, point: KernelPoint) -> float:
        """Length in the space of the kernel."""
        square = point.coefficients @ self.margins(point)[point.rows]
        return float(np.sqrt(max(square, 0.0)))

    def _values(self, row: int) -> np.ndarray:
        """Products of one row with all, shape (n_rows,)."""
        if row not in self._kept:
            if self.kernel == "precomputed":
                values = self.X[[row]]
                values = values.toarray()[0] if sp.issparse(values) else values[0]
            else:
                values = gram(self.X, self.X[[row]], self.kernel, **self.params)[:, 0]
            if not np.isfinite(values).all():
                raise ValueError(
                    f"the kernel {self.kernel!r} gives values that are not finite in row {row}: "
                    "scale the columns of X, or lower gamma or degree."
                )
            self._kept[row] = (values + self.constant) * (self.factors * self.factors[row])
        return self._kept[row]


class CutClassifier(KernelMixin, LinearClassifier, ABC):
    """Base of the classifiers that look at rows through an oracle.

    A subclass has the parameters of `CompressionPerceptron` but ``pick`` and ``max_updates``, and
    supplies `_run`; it may keep more in `_keep` and say why it failed in `_advice`.
    """

    oracle: str | Rule
    max_cuts: int | None
    random_state: Any

    _parameters: ClassVar = {
        "oracle": Choice(ORACLES, or_callable=True),
        "max_cuts": Maybe(Whole(1)),
    }

    expansion_: KernelExpansion
    compression_set_: np.ndarray
    converged_: bool

    def fit(self, X: Any, y: Any, classes: Any = None) -> Self:
        """Show mistakes until there are none.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Kernel values of shape (n_samples, n_samples) with "precomputed".
        y : array-like of shape (n_samples,)
        classes : array-like of shape (n_classes,), optional
            All classes, if ``y`` may lack some, as the rows of a compression set can.

        Returns
        -------
        self
        """
        check_parameters(self)
        with whole_or_nothing(self):
            X, y = validate_labelled_rows(self, X, y, classes)
            self._clear()
            rng = generator(self.random_state)
            rows = self._as_learnt(X) if self._linear() else X
            rule = error_rule(self.oracle, rows, rng)
            positive = [1] if len(self.classes_) == 2 else range(len(self.classes_))
            samples = [self._sample(X, rows, np.where(y == k, 1.0, -1.0)) for k in positive]
            self._keep(X, samples, [self._run(one, rule, rng) for one in samples])
        if not self.converged_:
            warnings.warn(
                f"there are still mistakes after {len(self.compression_set_)} rows were shown: the "
                "rows may not be separable by a hyperplane. Try fit_intercept=True or another "
                f"kernel{self._advice()}.",
                ConvergenceWarning,
                stacklevel=2,
            )
        return self

    def decision_function(self, X: Any) -> np.ndarray:
        """Scores of the classes.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Kernel values with all training rows if the kernel is "precomputed".

        Returns
        -------
        ndarray of shape (n_samples, n_classes), or (n_samples,) for two classes
            Products with unit vectors; for two classes those of the second one.
        """
        check_is_fitted(self)
        if not hasattr(self, "expansion_"):
            return super().decision_function(X)
        scores = self.expansion_(self._validate(X)) + self.intercept_
        return scores[:, 0] if scores.shape[1] == 1 else scores

    def risk_bound(self, delta: float = 0.05) -> float:
        """Bound the error rate on new rows of the same kind.

        Parameters
        ----------
        delta : float, default=0.05
            Allowed probability that the bound fails, in (0, 1).

        Returns
        -------
        float
            1 if the model is not right about all its training rows: nothing can be said then.

        Notes
        -----
        The size of the compression set is read off the fitted model, so delta is shared among all
        sizes. The kernel must not have been chosen by looking at the rows: give ``gamma`` as a
        number.
        """
        check_is_fitted(self)
        size = len(self.compression_set_)
        bound = compression_bound(self.n_samples_fit_, size, delta, size_from_data=True)
        return bound if self.converged_ else 1.0

    @abstractmethod
    def _run(self, sample: Sample, rule: Rule, rng: np.random.Generator) -> Any:
        """Learn one class against the rest; return its ``w``, ``cuts`` and ``converged``."""

    @abstractmethod
    def _advice(self) -> str:
        """What to do if mistakes are left."""

    def _linear(self) -> bool:
        return isinstance(self.kernel, str) and self.kernel == "linear"

    def _clear(self) -> None:
        """Forget the form of an earlier model with another kernel."""
        for name in ("coef_", "expansion_"):
            if hasattr(self, name):
                delattr(self, name)

    def _sample(self, X: Any, rows: Any, t: np.ndarray) -> Sample:
        if self._linear():
            return LinearSample(scale_rows(rows, t))
        params = self._kernel_parameters(X)
        return KernelSample(
            X,
            t,
            self.kernel,
            params,
            constant=float(self.fit_intercept),
            normalize=bool(self.normalize),
        )

    def _keep(self, X: Any, samples: list[Sample], runs: list[Any]) -> None:
        self.compression_sets_ = [run.cuts for run in runs]
        joined = dict.fromkeys(np.concatenate(self.compression_sets_).tolist())
        self.compression_set_ = np.array(list(joined), dtype=np.intp)
        self.converged_ = all(run.converged for run in runs)
        self.n_samples_fit_ = X.shape[0]
        scales = [1.0 / (one.length(run.w) or 1.0) for one, run in zip(samples, runs)]
        if self._linear():
            self._store(np.array([run.w * scale for run, scale in zip(runs, scales)]))
        else:
            self._store_expansion(X, samples, runs, scales)

    def _store_expansion(
        self, X: Any, samples: list[Any], runs: list[Any], scales: list[float]
    ) -> None:
        support = np.sort(self.compression_set_)
        coefficients = np.zeros((len(support), len(runs)))
        for k, (one, run) in enumerate(zip(samples, runs)):
            where = np.searchsorted(support, run.w.rows)
            coefficients[where, k] = run.w.coefficients * one.factors[run.w.rows] * scales[k]
        rows = None if self.kernel == "precomputed" else X[support]
        params = samples[0].params
        self.expansion_ = KernelExpansion(coefficients, rows, support, self.kernel, params)
        self.intercept_ = coefficients.sum(axis=0) * float(self.fit_intercept)
