"""Functions in the space of a kernel, fitted to one table: least squares, or the hinge.

Both minimise ``sum_i share[i] * loss(target[i], g(x_i) + b) + strength * ||g||^2``; scikit-learn's
kernel ridge regression, support vector machine and Nystroem map solve them.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.kernel_approximation import Nystroem
from sklearn.kernel_ridge import KernelRidge
from sklearn.linear_model import Ridge
from sklearn.svm import SVC, LinearSVC

from uneven.linear.expansions import KernelExpansion, gram

__all__ = [
    "KernelMachine",
    "KernelSettings",
    "fit_least_squares",
    "fit_support_vectors",
    "merge",
]


@dataclass(frozen=True)
class KernelSettings:
    """How functions in the space of a kernel are fitted.

    Attributes
    ----------
    kernel : {"linear", "poly", "rbf"}
    params : dict of str to object
        Its ``gamma``, ``degree`` and ``coef0``, as `uneven.linear.gram` takes them.
    strength : float
        Above 0: weight of the squared length of the function.
    has_bias : bool
        Whether a constant, which costs nothing, is added to the function.
    landmarks : int
        Rows that carry a function whose system would be too large.
    max_iter : int
        Steps of a support vector machine; -1 for no limit.
    random_state : int or None
    """

    kernel: str
    params: dict[str, Any]
    strength: float
    has_bias: bool
    landmarks: int
    max_iter: int
    random_state: int | None

    def nystroem(self, n_rows: int) -> Nystroem:
        """The map to coordinates in the span of at most ``landmarks`` drawn rows."""
        wanted = {name: self.params[name] for name in _PARAMETERS[self.kernel]}
        return Nystroem(
            kernel=self.kernel,
            n_components=min(n_rows, self.landmarks),
            random_state=self.random_state,
            **wanted,
        )


_PARAMETERS: dict[str, tuple[str, ...]] = {
    "linear": (),
    "poly": ("gamma", "degree", "coef0"),
    "rbf": ("gamma",),
}


@dataclass
class KernelMachine:
    """One or several functions ``g(x) + b`` that were fitted to the same table.

    Attributes
    ----------
    expansion : KernelExpansion
        Its ``support`` are rows of that table.
    intercept : ndarray of shape (n_outputs,)
    converged : bool
    """

    expansion: KernelExpansion
    intercept: NDArray[np.float64]
    converged: bool = True

    def __call__(self, X: NDArray[np.float64]) -> NDArray[np.float64]:
        """Values at the rows of a table, shape (n_samples, n_outputs)."""
        return np.asarray(self.expansion(X) + self.intercept)

    def squared_norms(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """Squared lengths of the functions, from their values at the table of the fit.

        Parameters
        ----------
        values : ndarray of shape (n_rows, n_outputs)

        Returns
        -------
        ndarray of shape (n_outputs,)
        """
        apart = values[self.expansion.support] - self.intercept
        return np.einsum("ij,ij->j", self.expansion.coefficients, apart)


def fit_least_squares(
    X: NDArray[np.float64],
    targets: NDArray[np.float64],
    share: NDArray[np.float64],
    how: KernelSettings,
) -> KernelMachine:
    """Fit functions by squared errors, in closed form.

    Parameters
    ----------
    X : ndarray of shape (n_rows, n_columns)
    targets : ndarray of shape (n_rows, n_outputs)
    share : ndarray of shape (n_rows,)
        Positive weights of the rows.
    how : KernelSettings

    Returns
    -------
    KernelMachine
        Its coefficients solve ``(K + strength * diag(1 / share)) beta = targets - b``, with
        ``sum(beta) = 0`` if there is a bias. Above ``how.landmarks`` rows, only that many drawn
        rows carry the function, and the same objective is minimised over their span.
    """
    if len(X) > how.landmarks:
        return _fit_on_landmarks(X, targets, share, how)
    system = KernelRidge(alpha=how.strength, kernel="precomputed")
    sides = np.column_stack([targets, np.ones(len(X))]) if how.has_bias else targets
    values = gram(X, None, how.kernel, **how.params)
    beta = system.fit(values, sides, sample_weight=share).dual_coef_.reshape(len(X), -1)
    bias = np.zeros(targets.shape[1])
    if how.has_bias:
        bias = beta[:, :-1].sum(axis=0) / beta[:, -1].sum()
        beta = beta[:, :-1] - beta[:, -1:] * bias
    return KernelMachine(_expand(beta, X, np.arange(len(X)), how), bias)


def _fit_on_landmarks(
    X: NDArray[np.float64],
    targets: NDArray[np.float64],
    share: NDArray[np.float64],
    how: KernelSettings,
) -> KernelMachine:
    span = how.nystroem(len(X))
    model = Ridge(alpha=how.strength, fit_intercept=how.has_bias, solver="cholesky")
    model.fit(span.fit_transform(X), targets, sample_weight=share)
    bias = np.broadcast_to(np.asarray(model.intercept_, dtype=np.float64), targets.shape[1:])
    beta = span.normalization_.T @ model.coef_.reshape(targets.shape[1], -1).T
    return KernelMachine(_expand(beta, X, span.component_indices_, how), bias.copy())


def fit_support_vectors(
    X: NDArray[np.float64],
    signs: NDArray[np.float64],
    share: NDArray[np.float64],
    how: KernelSettings,
) -> KernelMachine:
    """Fit a function by its hinge losses: a support vector machine.

    Parameters
    ----------
    X : ndarray of shape (n_rows, n_columns)
    signs : ndarray of shape (n_rows,)
        1 or -1; both occur.
    share : ndarray of shape (n_rows,)
        Positive weights of the rows; row i has ``C = share[i] / (2 * strength)``.
    how : KernelSettings
        Without a bias, the machine is solved over the span of at most ``landmarks`` rows; with
        it, over all rows.

    Returns
    -------
    KernelMachine
    """
    unit = float(share.mean())
    cost, weights = unit / (2.0 * how.strength), share / unit
    if how.has_bias:
        wanted = {name: how.params[name] for name in _PARAMETERS[how.kernel]}
        svm = SVC(C=cost, kernel=how.kernel, max_iter=how.max_iter, **wanted)
        svm.fit(X, signs, sample_weight=weights)
        beta, bias = svm.dual_coef_.T, np.array(svm.intercept_, dtype=np.float64)
        expansion = _expand(beta, X, svm.support_, how)
        return KernelMachine(expansion, bias, converged=bool(svm.fit_status_ == 0))
    span = how.nystroem(len(X))
    limit = how.max_iter if how.max_iter > 0 else 10**9
    flat = LinearSVC(
        C=cost,
        loss="hinge",
        fit_intercept=False,
        max_iter=limit,
        tol=1e-6,
        random_state=how.random_state,
    )
    flat.fit(span.fit_transform(X), signs, sample_weight=weights)
    beta = span.normalization_.T @ flat.coef_.T
    expansion = _expand(beta, X, span.component_indices_, how)
    return KernelMachine(expansion, np.zeros(1), converged=bool(flat.n_iter_ < limit))


def merge(
    parts: list[tuple[KernelMachine, NDArray[np.intp]]], X: NDArray[np.float64]
) -> KernelMachine:
    """Join machines that were fitted to parts of one table, so that each row is kept once.

    Parameters
    ----------
    parts : list of (KernelMachine, ndarray of int)
        Machines with one output each, and the rows of ``X`` that they were fitted to.
    X : ndarray of shape (n_rows, n_columns)

    Returns
    -------
    KernelMachine
        Output j is that of the j-th machine.
    """
    beta = np.zeros((len(X), len(parts)))
    for output, (machine, rows) in enumerate(parts):
        beta[rows[machine.expansion.support], output] = machine.expansion.coefficients[:, 0]
    used = np.flatnonzero(beta.any(axis=1))
    first = parts[0][0].expansion
    expansion = replace(first, coefficients=beta[used], rows=X[used], support=used)
    intercept = np.concatenate([machine.intercept for machine, _ in parts])
    return KernelMachine(expansion, intercept, all(machine.converged for machine, _ in parts))


def _expand(
    beta: NDArray[np.float64], X: NDArray[np.float64], support: NDArray, how: KernelSettings
) -> KernelExpansion:
    rows = np.ascontiguousarray(X[support])
    return KernelExpansion(
        np.ascontiguousarray(beta), rows, np.asarray(support, dtype=np.intp), how.kernel, how.params
    )
