"""Functions that are weighted sums of kernels: what kernel learners leave behind."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from numbers import Real
from typing import Any, ClassVar

import numpy as np
import scipy.sparse as sp
from numpy.typing import ArrayLike
from sklearn.metrics.pairwise import pairwise_kernels
from sklearn.utils import Tags
from sklearn.utils.extmath import safe_sparse_dot
from sklearn.utils.validation import check_is_fitted

from uneven.utils.model_types import check_kernel, check_numbers, check_rows, persisted
from uneven.utils.parameters import Choice, Interval, Whole
from uneven.utils.validation import check_magnitude, validate_data

KERNELS = ("cosine", "laplacian", "linear", "poly", "polynomial", "precomputed", "rbf", "sigmoid")
"""The kernels by name; all but "precomputed" are those of scikit-learn."""

BLOCK_BYTES = 2**28
"""How much memory a block of kernel values may take (256 MiB)."""


def gram(
    X: Any, Y: Any = None, kernel: str | Callable[..., float] = "linear", **params: Any
) -> np.ndarray:
    """Kernel values between the rows of two tables.

    Parameters
    ----------
    X : array-like or sparse matrix of shape (n, n_features)
        With "precomputed": the kernel values themselves, returned as they are.
    Y : array-like or sparse matrix of shape (m, n_features), optional
        ``X`` itself if not given.
    kernel : str or callable, default="linear"
        A name of ``sklearn.metrics.pairwise.pairwise_kernels``, or a function of two rows.
    **params : object
        Parameters of a named kernel, which ignores those that it does not have.

    Returns
    -------
    ndarray of shape (n, m)

    Examples
    --------
    >>> gram([[1.0, 2.0]], [[3.0, 4.0]], "polynomial", degree=2, gamma=1, coef0=1).tolist()
    [[144.0]]
    """
    if kernel == "linear" and sp.issparse(X) and (Y is None or sp.issparse(Y)):
        other = X if Y is None else Y
        return np.asarray(safe_sparse_dot(X, other.T, dense_output=True), dtype=np.float64)
    known = {} if callable(kernel) else {"filter_params": True, **params}
    with np.errstate(over="ignore"):
        return np.asarray(pairwise_kernels(X, Y, metric=kernel, **known), dtype=np.float64)


class Gamma:
    """The constraint of ``gamma``, by name or as a number."""

    def check(self, name: str, value: Any) -> None:
        """Refuse anything else."""
        if value is None or (isinstance(value, str) and value in ("scale", "auto")):
            return
        if not (_is_number(value) and 0 < float(value) < np.inf):
            raise ValueError(
                f"{name} must be 'scale', 'auto', None or a finite number above 0: {value!r}."
            )


FINITE = Interval(-np.inf, np.inf, closed="neither", says="a finite number")


def check_kernel_parameters(gamma: Any, coef0: Any) -> None:
    """Refuse impossible parameters of a kernel."""
    Gamma().check("gamma", gamma)
    FINITE.check("coef0", coef0)


def check_square(X: Any, kernel: Any) -> None:
    """Refuse training values of a precomputed kernel that are not square."""
    if isinstance(kernel, str) and kernel == "precomputed" and X.shape[0] != X.shape[1]:
        raise ValueError(
            f"X has shape {X.shape}: a precomputed kernel needs a square matrix, one row and one "
            "column per training row."
        )


def kernel_parameters(
    X: Any, kernel: Any, gamma: float | str | None, degree: float, coef0: float
) -> dict[str, Any]:
    """Parameters of a named kernel as `gram` takes them.

    X: (n_samples, n_features), the training rows; kernel: callables and "precomputed" have no
    parameters; gamma: "scale" is ``1 / (n_features * X.var())``, "auto" and None are ``1 /
    n_features``.

    Examples
    --------
    >>> kernel_parameters(np.array([[0.0], [4.0]]), "rbf", "scale", 3, 1)
    {'gamma': 0.25, 'degree': 3, 'coef0': 1}
    >>> kernel_parameters(np.array([[0.0], [4.0]]), "rbf", "auto", 3, 1)
    {'gamma': None, 'degree': 3, 'coef0': 1}
    """
    if callable(kernel) or kernel == "precomputed":
        return {}
    check_kernel_parameters(gamma, coef0)
    if gamma == "scale":
        check_magnitude(X, least=1e-150)
        mean = X.mean()
        spread = X.multiply(X).mean() - mean**2 if sp.issparse(X) else X.var()
        gamma = 1.0 / (X.shape[1] * spread) if spread > 0 else 1.0
    return {
        "gamma": None if gamma is None or gamma == "auto" else float(gamma),
        "degree": degree,
        "coef0": coef0,
    }


def _is_number(value: Any) -> bool:
    return isinstance(value, Real) and not isinstance(value, bool)


class KernelMixin:
    """Parameters ``kernel``, ``gamma``, ``degree`` and ``coef0``, and what follows from them."""

    kernel: str | Callable[..., float]
    gamma: float | str | None
    degree: int
    coef0: float
    classes_: np.ndarray

    _parameters: ClassVar[dict[str, Any]] = {
        "kernel": Choice(KERNELS, or_callable=True),
        "degree": Whole(1),
        "gamma": Gamma(),
        "coef0": FINITE,
    }

    def predict(self, X: Any) -> np.ndarray:
        """The class with the highest score; for two, the second one from zero on.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples,)
        """
        scores = self.decision_function(X)  # type: ignore[attr-defined]
        return self.classes_[highest(scores)]  # type: ignore[attr-defined]

    def __sklearn_tags__(self) -> Tags:
        tags: Tags = super().__sklearn_tags__()  # type: ignore[misc]
        tags.input_tags.sparse = not callable(self.kernel)
        tags.input_tags.pairwise = self.kernel == "precomputed"
        return tags

    def _validate(self, X: Any) -> Any:
        """Rows to predict, shape (n_samples, n_features)."""
        check_is_fitted(self)
        return validate_data(self, X, accept_sparse="csr", dtype=np.float64, reset=False)

    def _kernel_parameters(self, X: Any) -> dict[str, Any]:
        return kernel_parameters(X, self.kernel, self.gamma, self.degree, self.coef0)


def highest(scores: np.ndarray) -> np.ndarray:
    """Position of the class with the highest score, shape (n_samples,)."""
    if scores.ndim == 1:
        return (scores >= 0.0).astype(np.intp)
    return scores.argmax(axis=1)


@persisted("kernel_expansion", role="expansion")
@dataclass
class KernelExpansion:
    """The function ``f(x) = sum of coefficients[i] * k(rows[i], x)``.

    Attributes
    ----------
    coefficients : ndarray of shape (n_support, n_outputs)
    rows : ndarray or CSR of shape (n_support, n_features), or None
        The rows of the expansion; None for a precomputed kernel.
    support : ndarray of int, shape (n_support,)
        Which training rows they were.
    kernel : str or callable
    params : dict of str to object
        Parameters of the kernel.

    Examples
    --------
    >>> import numpy as np
    >>> f = KernelExpansion(np.array([[1.0], [-2.0]]), np.eye(2), np.arange(2), "linear")
    >>> f(np.array([[3.0, 1.0]])).tolist(), f.squared_norm().tolist()
    ([[1.0]], [5.0])
    """

    coefficients: np.ndarray
    rows: Any
    support: np.ndarray
    kernel: str | Callable[..., float] = "linear"
    params: dict[str, Any] = field(default_factory=dict)

    def __call__(self, X: Any) -> np.ndarray:
        """Values at the rows of a table.

        Parameters
        ----------
        X : ndarray or CSR of shape (n_samples, n_features)
            For a precomputed kernel: values between the rows and all training rows.

        Returns
        -------
        ndarray of shape (n_samples, n_outputs)
            Computed in blocks, so that kernel values take at most ``BLOCK_BYTES``.
        """
        if self.kernel == "precomputed":
            return np.asarray(X[:, self.support] @ self.coefficients)
        values = np.zeros((X.shape[0], self.coefficients.shape[1]))
        for mine in blocks(X.shape[0]):
            for theirs in blocks(len(self.coefficients)):
                near = gram(X[mine], self.rows[theirs], self.kernel, **self.params)
                values[mine] += near @ self.coefficients[theirs]
        return values

    def squared_norm(self) -> np.ndarray:
        """Squared length of each output's vector in the space of the kernel, shape (n_outputs,).

        Not known for a precomputed kernel, which keeps no values between the rows.
        """
        if self.kernel == "precomputed":
            raise ValueError("a precomputed kernel keeps no values between its rows: no norm.")
        return np.einsum("ij,ij->j", self.coefficients, self(self.rows))

    def _check_model_(self, width: int) -> None:
        """Refuse a loaded expansion over rows of another width."""
        check_kernel(self.kernel)
        shape = (self.coefficients.shape[1], len(self.support))
        check_numbers(self.coefficients.T, shape, "coefficients", signed=True)
        check_rows(self.rows, len(self.coefficients), width)


def is_psd(K: ArrayLike, tol: float = 1e-10) -> bool:
    """Whether a matrix is symmetric and has no negative eigenvalue, as Gram matrices must.

    Parameters
    ----------
    K : array-like of shape (n, n)
    tol : float, default=1e-10
        Allowed rounding error, as a share of the largest eigenvalue.

    Returns
    -------
    bool

    References
    ----------
    Mercer (1909), Functions of positive and negative type, and their connection with the theory
    of integral equations.

    Examples
    --------
    >>> is_psd([[2.0, 1.0], [1.0, 2.0]]), is_psd([[0.0, -1.0], [-1.0, 0.0]])
    (True, False)
    """
    K = np.asarray(K, dtype=np.float64)
    if K.ndim != 2 or K.shape[0] != K.shape[1] or not K.size:
        raise ValueError(f"K has shape {K.shape}; a Gram matrix is square and not empty.")
    if not np.isfinite(K).all():
        raise ValueError("K holds NaN or infinity.")
    size = float(np.abs(K).max())
    if np.abs(K - K.T).max() > tol * size:
        return False
    values = np.linalg.eigvalsh(K)
    return bool(values[0] >= -tol * max(values[-1], 0.0))


def block_rows() -> int:
    """Rows of the largest square block of kernel values."""
    return max(1, int((BLOCK_BYTES / 8) ** 0.5))


def blocks(n: int, size: int | None = None) -> Iterator[slice]:
    """Slices of at most ``block_rows()``, or ``size`` if that is less, that cover ``range(n)``."""
    step = min(block_rows(), size or n or 1)
    for start in range(0, n, step):
        yield slice(start, min(n, start + step))
