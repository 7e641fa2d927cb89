"""Functions in the space of a kernel, fitted to one table: least squares, or the hinge.

Both minimise ``sum_i share[i] * loss(target[i], g(x_i) + b) + strength * ||g||^2``; scikit-learn's
kernel ridge regression, support vector machine and Nystroem map solve them.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import cho_factor, cho_solve, cholesky, solve_triangular
from sklearn.kernel_approximation import Nystroem
from sklearn.kernel_ridge import KernelRidge
from sklearn.svm import SVC, LinearSVC
from sklearn.utils import check_random_state

from uneven.linear.expansions import KernelExpansion, gram
from uneven.utils.model_types import LARGEST, check_numbers, check_part, persisted


@dataclass(frozen=True)
class KernelSettings:
    """How functions in the space of a kernel are fitted.

    Attributes
    ----------
    kernel : {"linear", "poly", "rbf"}
    params : dict of str to object
        Its ``gamma``, ``degree`` and ``coef0``, as `uneven.linear.gram` takes them.
    has_bias : bool
        Whether a constant, which costs nothing, is added to the function.
    landmarks : int
        Landmark rows of a function whose system would be too large.
    max_iter : int
        Steps of a support vector machine; -1 for no limit.
    random_state : int or None
    """

    kernel: str
    params: dict[str, Any]
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


_JITTER = 1e-10
"""Share of the trace of a Gram matrix that is added to its diagonal before it is factored."""

_PARAMETERS: dict[str, tuple[str, ...]] = {
    "linear": (),
    "poly": ("gamma", "degree", "coef0"),
    "rbf": ("gamma",),
}


@persisted("kernel_machine", role="machine")
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

    def _check_model_(self, width: int) -> None:
        """Refuse loaded functions of rows of another width."""
        refusal = "its combiner holds something that is no function of a kernel"
        check_part("expansion", self.expansion, width, refusal=refusal, error=ValueError)
        n_outputs = self.expansion.coefficients.shape[1]
        check_numbers(self.intercept, (n_outputs,), "intercepts", signed=True)
        rows = self.expansion.rows
        with np.errstate(all="ignore"):
            values = self(rows)
        check_numbers(values, (rows.shape[0], n_outputs), "values", True, LARGEST)


class LeastSquares:
    """Squared errors on one table: what does not depend on the strength is computed once.

    Parameters
    ----------
    X : ndarray of shape (n_rows, n_columns)
    targets : ndarray of shape (n_rows, n_outputs)
    share : ndarray of shape (n_rows,)
        Positive weights of the rows.
    how : KernelSettings
        Above ``how.landmarks`` rows, only that many rows, drawn at random, are landmarks of the
        function, and the same objective is minimised over their span.
    """

    def __init__(
        self,
        X: NDArray[np.float64],
        targets: NDArray[np.float64],
        share: NDArray[np.float64],
        how: KernelSettings,
    ) -> None:
        self.X, self.targets, self.share, self.how = X, targets, share, how
        self.support = np.arange(len(X))
        self.on_span = len(X) > how.landmarks
        if not self.on_span:
            self.values = gram(X, None, how.kernel, **how.params)
            return
        rng = check_random_state(how.random_state)
        self.support = np.sort(rng.permutation(len(X))[: how.landmarks])
        near = gram(X[self.support], None, how.kernel, **how.params)
        near[np.diag_indices_from(near)] += _JITTER * (np.trace(near) or 1.0)
        self.triangle = cholesky(near, lower=True)
        across = gram(X[self.support], X, how.kernel, **how.params)
        self.values = solve_triangular(self.triangle, across, lower=True).T
        self.centre = share @ self.values / share.sum() * how.has_bias
        self.middle = share @ targets / share.sum() * how.has_bias
        weighed = (self.values - self.centre) * np.sqrt(share)[:, None]
        self.curvature = weighed.T @ weighed
        self.pull = weighed.T @ ((targets - self.middle) * np.sqrt(share)[:, None])

    def solve(self, strength: float) -> tuple[KernelMachine, float]:
        """The best functions for a strength, in closed form.

        Parameters
        ----------
        strength : float
            Above 0.

        Returns
        -------
        machine : KernelMachine
            Its coefficients solve ``(K + strength * diag(1 / share)) beta = targets - b``, with
            ``sum(beta) = 0`` if there is a bias.
        objective : float
        """
        beta, bias, fitted = (self._on_span if self.on_span else self._on_rows)(strength)
        machine = KernelMachine(_expand(beta, self.X, self.support, self.how), bias)
        lost = float(self.share @ ((self.targets - fitted) ** 2).sum(axis=1))
        return machine, lost + strength * float(machine.squared_norms(fitted).sum())

    def _on_rows(self, strength: float) -> tuple[NDArray, NDArray, NDArray]:
        """Coefficients of all rows, constants and values at the rows."""
        system = KernelRidge(alpha=strength, kernel="precomputed")
        has_bias, n_outputs = self.how.has_bias, self.targets.shape[1]
        ones = np.ones((len(self.X), 1))
        sides = np.hstack([self.targets, ones]) if has_bias else self.targets
        beta = system.fit(self.values, sides, sample_weight=self.share).dual_coef_
        bias = np.zeros(n_outputs)
        if has_bias:
            bias = beta[:, :-1].sum(axis=0) / beta[:, -1].sum()
            beta = beta[:, :-1] - beta[:, -1:] * bias
        return beta, bias, self.values @ beta + bias

    def _on_span(self, strength: float) -> tuple[NDArray, NDArray, NDArray]:
        """Coefficients of the landmarks, constants and values at the rows."""
        system = self.curvature + strength * np.eye(len(self.curvature))
        weights = cho_solve(cho_factor(system, lower=True), self.pull)
        bias = self.middle - self.centre @ weights
        beta = solve_triangular(self.triangle, weights, lower=True, trans="T")
        return beta, bias, self.values @ weights + bias


def fit_support_vectors(
    X: NDArray[np.float64],
    signs: NDArray[np.float64],
    share: NDArray[np.float64],
    strength: float,
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
    strength : float
        Above 0.
    how : KernelSettings
        Without a bias, the machine is solved over the span of at most ``landmarks`` rows; with
        it, over all rows.
    """
    unit = float(share.mean())
    cost, weights = unit / (2.0 * strength), share / unit
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


def merge(machines: list[KernelMachine], rows: list[NDArray[np.intp]]) -> KernelMachine:
    """Join machines that were fitted to parts of one table, so that each row is kept once.

    Parameters
    ----------
    machines : list of KernelMachine
        With one output each.
    rows : list of ndarray of int
        The rows of the table that each of them was fitted to.

    Returns
    -------
    KernelMachine
        Output j is that of the j-th machine.
    """
    places = [own[machine.expansion.support] for machine, own in zip(machines, rows)]
    used, first = np.unique(np.concatenate(places), return_index=True)
    beta = np.zeros((len(used), len(machines)))
    for output, (machine, own) in enumerate(zip(machines, places)):
        beta[np.searchsorted(used, own), output] = machine.expansion.coefficients[:, 0]
    kept = np.concatenate([machine.expansion.rows for machine in machines])[first]
    expansion = replace(machines[0].expansion, coefficients=beta, rows=kept, support=used)
    intercept = np.concatenate([machine.intercept for machine in machines])
    return KernelMachine(expansion, intercept, all(machine.converged for machine in machines))


def _expand(
    beta: NDArray[np.float64], X: NDArray[np.float64], support: NDArray, how: KernelSettings
) -> KernelExpansion:
    rows = np.ascontiguousarray(X[support])
    return KernelExpansion(
        np.ascontiguousarray(beta), rows, np.asarray(support, dtype=np.intp), how.kernel, how.params
    )
