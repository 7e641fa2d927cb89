"""Choosing the strength and the parameter of a kernel together, by cross-validation.

What counts is the prediction of the whole combination, not how well its single functions separate
one class from the others; all functions of a combination share one strength and one parameter.

References
----------
M. U. Sen (2011), *Max-margin stacking with group sparse regularization for classifier
combination*, MSc thesis, Sabanci University, chapter 5.
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np
from joblib import Parallel, delayed
from numpy.typing import ArrayLike, NDArray
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics import pairwise_distances

from uneven.stacking.kernel.combiner import (
    KERNELS,
    class_tables,
    pose_kernel_problem,
)
from uneven.stacking.model.problem import check_level_one
from uneven.stacking.out_of_fold.level_one import one_thread
from uneven.stacking.solvers.solve import check_strengths
from uneven.stacking.solvers.strength_choice import inner_folds
from uneven.utils.parallel import capped_jobs
from uneven.utils.parameters import check_choice

DEGREES = (1, 2, 3, 4, 5)
_STEPS = 20_000
"""Steps of a support vector machine while it is only evaluated."""
_TIED = 1e-12


@dataclass(frozen=True)
class KernelChoice:
    """Cross-validated errors of every pair of a strength and a kernel parameter.

    Attributes
    ----------
    combination : str
    kernel : str
    strengths : ndarray of shape (n_strengths,)
        In increasing order.
    values : ndarray of shape (n_values,)
        Of ``gamma`` ("rbf") or ``degree`` ("poly"), in increasing order; a single NaN for "linear".
    error : ndarray of shape (n_folds, n_values, n_strengths)
        Error rate on held-out rows; NaN where it was not measured.
    index : (int, int)
        Position of the chosen value and strength.
    held_out : ndarray of shape (n_samples, n_classes)
        Scores of every row with the chosen pair, by the combiner that did not see it. NaN for
        rows that no fold holds out.
    """

    combination: str
    kernel: str
    strengths: NDArray[np.float64]
    values: NDArray[np.float64]
    error: NDArray[np.float64]
    index: tuple[int, int]
    held_out: NDArray[np.float64]

    @property
    def strength(self) -> float:
        """The chosen strength."""
        return float(self.strengths[self.index[1]])

    @property
    def gamma(self) -> float | None:
        """The chosen gamma; None unless the kernel is "rbf"."""
        return float(self.values[self.index[0]]) if self.kernel == "rbf" else None

    @property
    def degree(self) -> int | None:
        """The chosen degree; None unless the kernel is "poly"."""
        return int(self.values[self.index[0]]) if self.kernel == "poly" else None

    @property
    def error_mean(self) -> NDArray[np.float64]:
        """Mean error over the folds, shape (n_values, n_strengths)."""
        return np.asarray(self.error.mean(axis=0))

    @property
    def error_std(self) -> NDArray[np.float64]:
        """Standard deviation of the error over the folds, shape (n_values, n_strengths)."""
        return np.asarray(self.error.std(axis=0))

    @property
    def options(self) -> dict[str, Any]:
        """Options of `fit_kernel_combiner` for the chosen pair."""
        chosen = {"combination": self.combination, "kernel": self.kernel, "strength": self.strength}
        return chosen | _parameter(self.kernel, float(self.values[self.index[0]]))

    def results(self) -> dict[str, NDArray[np.float64]]:
        """All pairs and their errors, each entry of shape (n_values * n_strengths,)."""
        n_values, n_strengths = len(self.values), len(self.strengths)
        table = {
            "strength": np.tile(self.strengths, n_values),
            "mean_error": self.error_mean.ravel(),
            "std_error": self.error_std.ravel(),
        }
        if self.kernel != "linear":
            name = "gamma" if self.kernel == "rbf" else "degree"
            table[name] = np.repeat(self.values, n_strengths)
        return table


def gamma_grid(P: ArrayLike, combination: str = "cws") -> NDArray[np.float64]:
    """Values of gamma to try: 2^-7 to 2^3, divided by the median squared distance of examples.

    Parameters
    ----------
    P : array-like of shape (I, M, N)
    combination : {"ws", "cws", "lsg"}, default="cws"
        Defines what an example is: the scores of one class, or all scores.

    Returns
    -------
    ndarray of shape (11,)

    Examples
    --------
    >>> P = np.random.default_rng(0).uniform(size=(50, 4, 3))
    >>> gamma_grid(P)[[0, -1]].round(3).tolist()
    [0.013, 13.143]
    """
    X = class_tables(check_level_one(P)[0], "lsg" if combination == "lsg" else "ws")[0]
    some = X[np.unique(np.linspace(0, len(X) - 1, min(len(X), 500)).astype(np.intp))]
    apart = pairwise_distances(some, metric="sqeuclidean")[np.triu_indices(len(some), 1)]
    middle = float(np.median(apart[apart > 0.0])) if (apart > 0.0).any() else 1.0
    return np.asarray(2.0 ** np.arange(-7, 4) / middle)


def choose_kernel_parameters(
    P: ArrayLike,
    y: ArrayLike,
    *,
    combination: str = "cws",
    kernel: str = "rbf",
    strengths: Any = None,
    gammas: Any = None,
    degrees: Any = None,
    cv: Any = 2,
    share: ArrayLike | None = None,
    random_state: Any = 0,
    n_jobs: int | None = None,
    **options: Any,
) -> KernelChoice:
    """Choose the strength and the kernel parameter with the lowest error.

    Parameters
    ----------
    P : array-like of shape (I, M, N)
        Scores of M classifiers for N classes.
    y : array-like of int, shape (I,)
        Class positions.
    combination : {"ws", "cws", "lsg"}, default="cws"
    kernel : {"rbf", "poly", "linear"}, default="rbf"
    strengths : sequence of float, optional
        None is the grid of the linear combinations.
    gammas : sequence of float, optional
        For "rbf"; None is `gamma_grid`.
    degrees : sequence of int, optional
        For "poly"; None is 1 to 5.
    cv : int or splitter, default=2
        Folds that leave only one class to learn from are passed over.
    share : array-like of shape (I,), optional
        Weights of the rows, in training and in evaluation.
    random_state : int, RandomState or None, default=0
        Deals the rows to the folds.
    n_jobs : int or None, default=None
        Fits at the same time, in threads.
    **options
        ``loss`` and the other options of `fit_kernel_combiner`. ``max_iter`` is
        20000 here if not given; in each fold, strengths below the first one for which the machine
        does not converge are not evaluated.

    Returns
    -------
    KernelChoice
        Among equals, the largest strength, then the smallest gamma or degree.

    Examples
    --------
    >>> P = np.random.default_rng(0).uniform(size=(150, 2, 3))
    >>> y = np.abs(P[:, 0] - P[:, 1]).argmin(axis=1)
    >>> grids = {"strengths": [1e-4, 1e-2, 1], "degrees": [1, 2]}
    >>> found = choose_kernel_parameters(
    ...     P, y, kernel="poly", combination="ws", loss="squared", **grids
    ... )
    >>> found.degree, found.strength
    (2, 0.01)
    >>> found.error_mean.round(2).tolist()
    [[0.7, 0.69, 0.55], [0.16, 0.15, 0.55]]
    """
    scores, labels, weight = check_level_one(P, y, share)
    check_choice("kernel", kernel, KERNELS)
    options = {"max_iter": _STEPS, **options, "combination": combination}
    grid = check_strengths(strengths)
    values = _values(scores, combination, kernel, gammas, degrees)
    folds = _folds(labels, weight, cv, random_state)
    tasks = [(fold, value) for fold in folds for value in values]
    with warnings.catch_warnings(), one_thread():
        warnings.simplefilter("ignore", ConvergenceWarning)
        judged = Parallel(n_jobs=capped_jobs(n_jobs, len(tasks)), prefer="threads")(
            delayed(_judge)(scores, labels, weight, fold, grid, kernel, value, options)
            for fold, value in tasks
        )
        error = np.reshape(judged, (len(folds), len(values), len(grid)))
        best = _best(error.mean(axis=0))
        chosen = {**options, **_parameter(kernel, values[best[0]]), "kernel": kernel}
        held_out = np.full((len(scores), scores.shape[2]), np.nan)
        for train, test in folds:
            problem = pose_kernel_problem(
                scores[train], labels[train], share=weight[train], **chosen
            )
            combiner = problem.solve([grid[best[1]]], measure=False)[0]
            held_out[test] = combiner.scores(scores[test])
    return KernelChoice(combination, kernel, grid, values, error, best, held_out)


def _folds(
    y: NDArray[np.intp], weight: NDArray[np.float64], cv: Any, random_state: Any
) -> list[tuple[Any, Any]]:
    """The folds that leave two classes for training, and rows for evaluation."""
    folds = [
        (train, test)
        for train, test in inner_folds(y, cv, random_state)
        if len(np.unique(y[train][weight[train] > 0.0])) > 1 and weight[test].any()
    ]
    if not folds:
        raise ValueError(
            f"no fold of cv={cv!r} leaves rows of two classes to learn from: set the strength and "
            "the parameter of the kernel yourself, or bring more rows."
        )
    return folds


def _values(
    P: NDArray[np.float64], combination: str, kernel: str, gammas: Any, degrees: Any
) -> NDArray[np.float64]:
    """Values of the parameter of a kernel, in increasing order."""
    if kernel == "linear":
        return np.array([np.nan])
    name, given = ("gammas", gammas) if kernel == "rbf" else ("degrees", degrees)
    if given is None:
        return gamma_grid(P, combination) if kernel == "rbf" else np.array(DEGREES, dtype=float)
    try:
        values = np.unique(np.array(given, dtype=np.float64))
    except (TypeError, ValueError):
        values = np.empty(0)
    whole = kernel == "rbf" or np.array_equal(values, np.round(values))
    if np.ndim(given) != 1 or not values.size or not np.isfinite(values).all() or not whole:
        kind = "finite numbers" if kernel == "rbf" else "whole numbers"
        raise ValueError(f"{name} must be a list of {kind} above 0, got {given!r}.")
    return values


def _parameter(kernel: str, value: float) -> dict[str, Any]:
    if kernel == "linear":
        return {}
    return {"gamma": float(value)} if kernel == "rbf" else {"degree": int(value)}


def _judge(
    P: NDArray[np.float64],
    y: NDArray[np.intp],
    weight: NDArray[np.float64],
    fold: tuple[Any, Any],
    grid: NDArray[np.float64],
    kernel: str,
    value: float,
    options: dict[str, Any],
) -> NDArray[np.float64]:
    """Errors on the rows held out, shape (n_strengths,), from the largest strength down."""
    train, test = fold
    problem = pose_kernel_problem(
        P[train],
        y[train],
        share=weight[train],
        kernel=kernel,
        **{**options, **_parameter(kernel, value)},
    )
    errors = np.full(len(grid), np.nan)
    for k, combiner in enumerate(problem.solve(grid[::-1], measure=False)):
        wrong = combiner.predict(P[test]) != y[test]
        errors[-1 - k] = np.average(wrong, weights=weight[test])
    return errors


def _best(error: NDArray[np.float64]) -> tuple[int, int]:
    """Position of the smallest error: among equals the last column, then the first row."""
    tied = error <= np.nanmin(error) + _TIED
    column = int(np.flatnonzero(tied.any(axis=0))[-1])
    return int(np.flatnonzero(tied[:, column])[0]), column
