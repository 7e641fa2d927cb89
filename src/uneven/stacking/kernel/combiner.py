"""Non-linear combinations: the score of a class is a function of scores, in the space of a kernel.

- "ws": one function of M scores for all classes, ``r[n] = g(scores of class n)``;
- "cws": one function of M scores for each class, ``r[n] = g_n(scores of class n)``;
- "lsg": functions of all M * N scores.

With squared errors the functions come from linear systems, with the hinge from support vector
machines on the same tables.

References
----------
M. U. Sen (2011), *Max-margin stacking with group sparse regularization for classifier
combination*, MSc thesis, Sabanci University, chapter 5.

Notes
-----
Corrections of the source: the expansions run over the training rows, not over the classes; with
squared errors their coefficients are not limited to one sign (those of examples with a margin above
1 are negative); the polynomial kernel has a space of finite dimension.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterable
from dataclasses import dataclass, replace
from itertools import combinations
from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.exceptions import ConvergenceWarning

from uneven.linear.expansions import kernel_parameters
from uneven.stacking.kernel.machines import (
    KernelMachine,
    KernelSettings,
    LeastSquares,
    fit_support_vectors,
    merge,
)
from uneven.stacking.model.losses import class_targets
from uneven.stacking.model.problem import check_combination, check_level_one
from uneven.utils.estimators import align_margins
from uneven.utils.model_types import check_part, check_range, check_whole, persisted
from uneven.utils.parameters import check_choice, check_integer

KERNELS = ("linear", "poly", "rbf")
KERNEL_LOSSES = ("hinge", "squared")
_LARGEST = 1e150
"""Kernel values above it would not survive being squared."""


@persisted("kernel_combiner", role="combiner")
@dataclass
class KernelCombiner:
    """Functions of level-1 scores that give the scores of the classes.

    Attributes
    ----------
    combination : {"ws", "cws", "lsg"}
    loss : {"squared", "hinge"}
    machines : list of KernelMachine
        One for "ws" and "lsg", one for each class in ``seen`` for "cws". The machine of "lsg" has
        an output per seen class, or with the hinge one per pair of them.
    seen : ndarray of int, shape (n_seen,)
        Classes of the training rows. Another class gets the smallest score of its row, except
        with "ws", whose function serves all classes.
    n_members, n_classes : int
    objective : float
        What was minimised; with "lsg" and the hinge, summed over the pairs of classes.
    converged : bool
    """

    combination: str
    loss: str
    machines: list[KernelMachine]
    seen: NDArray[np.intp]
    n_members: int
    n_classes: int
    objective: float = np.nan
    converged: bool = True

    def scores(self, P: ArrayLike) -> NDArray[np.float64]:
        """Scores of the classes.

        Parameters
        ----------
        P : array-like of shape (I, M, N)
            Scores of the same classifiers for the same classes.

        Returns
        -------
        ndarray of shape (I, N)
        """
        P, _, _ = check_level_one(P)
        if P.shape[1:] != (self.n_members, self.n_classes):
            raise ValueError(
                f"P holds scores of {P.shape[1]} classifiers for {P.shape[2]} classes, but the "
                f"combiner joins {self.n_members} classifiers for {self.n_classes} classes."
            )
        tables = class_tables(P, self.combination)
        if self.combination == "ws":
            return self.machines[0](tables[0]).reshape(len(P), self.n_classes)
        if self.combination == "cws":
            parts = [machine(tables[n]) for machine, n in zip(self.machines, self.seen)]
            return align_margins(np.hstack(parts), self.seen, self.n_classes)
        values = self.machines[0](tables[0])
        if self.loss == "hinge":
            values = pair_margins_to_scores(values, len(self.seen))
        return align_margins(values, self.seen, self.n_classes)

    def predict(self, P: ArrayLike) -> NDArray[np.intp]:
        """Positions of the classes with the highest scores, shape (I,); the first among equals."""
        return np.argmax(self.scores(P), axis=1)

    def _check_model_(self, n_members: int, n_classes: int) -> None:
        """Refuse loaded functions of other members or classes."""
        check_combination(self.combination)
        if (self.n_members, self.n_classes) != (n_members, n_classes):
            raise ValueError("its combiner is made for other members or classes")
        check_whole(self.seen, "classes of its combiner")
        check_range(self.seen, n_classes, "class")
        wanted = len(self.seen) if self.combination == "cws" else 1
        if len(self.machines) != wanted:
            raise ValueError(f"its combiner has {len(self.machines)} functions, not {wanted}")
        width = n_members * (n_classes if self.combination == "lsg" else 1)
        refusal = "its combiner holds something that is no function of a kernel"
        for machine in self.machines:
            check_part("machine", machine, width, refusal=refusal, error=ValueError)


def fit_kernel_combiner(
    P: ArrayLike,
    y: ArrayLike,
    *,
    combination: str = "cws",
    loss: str = "hinge",
    kernel: str = "rbf",
    gamma: float | str | None = None,
    degree: int = 3,
    coef0: float = 1.0,
    strength: float = 0.01,
    penalty: str = "l2",
    target: str = "01",
    bias: str = "auto",
    share: ArrayLike | None = None,
    landmarks: int = 2000,
    max_iter: int = 200_000,
    random_state: int | None = 0,
) -> KernelCombiner:
    """Learn a non-linear combination from level-1 scores.

    Minimises ``sum_i share[i] * sum_n loss(target[i, n], r[i, n]) + strength * sum ||g||^2``. The
    hinge loss adds up over the classes here, where the linear combinations take the worst class.

    Parameters
    ----------
    P : array-like of shape (I, M, N)
        Scores of M classifiers for N classes.
    y : array-like of int, shape (I,)
        Class positions, from 0 to N - 1.
    combination : {"ws", "cws", "lsg"}, default="cws"
    loss : {"hinge", "squared"}, default="hinge"
        With "lsg" and the hinge, classes are compared two by two.
    kernel : {"rbf", "poly", "linear"}, default="rbf"
        ``exp(-gamma * ||x - z||^2)``, ``(gamma * x.z + coef0) ** degree`` or ``x.z``.
    gamma : float, "scale", "auto" or None, default=None
        None is 1 for "poly" and "scale" for "rbf": 1 / (number of inputs * variance of P).
    degree : int, default=3
    coef0 : float, default=1.0
    strength : float, default=0.01
        Above 0.
    penalty : {"l2"}, default="l2"
        Others have no kernel form and are refused.
    target : {"01", "pm1"}, default="01"
        What squared errors are measured from, for the classes that a row does not have: 0 or -1.
    bias : {"auto", "none", "per_problem"}, default="auto"
        Whether each function has a free constant. "auto": with the hinge and with "lsg".
    share : array-like of shape (I,), optional
        Weights of the rows, scaled to the sum 1; equal if not given.
    landmarks : int, default=2000
        A table with more rows than this is not solved as a whole where that needs the kernel
        values of all its pairs (squared errors, or the hinge without bias): that many rows are
        drawn, and the best function in their span is found (the Nystroem method). "ws" has I * N
        rows.
    max_iter : int, default=200000
        Steps of a support vector machine; -1 for no limit. It warns if they do not suffice, which
        happens with very small strengths.
    random_state : int or None, default=0
        Draws the landmarks.

    Returns
    -------
    KernelCombiner

    Examples
    --------
    The right class is the one on which two classifiers agree most; no sum of scores can see it.

    >>> P = np.random.default_rng(0).uniform(size=(200, 2, 3))
    >>> y = np.abs(P[:, 0] - P[:, 1]).argmin(axis=1)
    >>> options = {"combination": "ws", "strength": 1e-4}
    >>> curved = fit_kernel_combiner(P[:150], y[:150], kernel="poly", degree=2, **options)
    >>> straight = fit_kernel_combiner(P[:150], y[:150], kernel="linear", **options)
    >>> [int((c.predict(P[150:]) == y[150:]).sum()) for c in (curved, straight)]
    [47, 26]
    """
    problem = pose_kernel_problem(
        P,
        y,
        combination=combination,
        loss=loss,
        kernel=kernel,
        gamma=gamma,
        degree=degree,
        coef0=coef0,
        penalty=penalty,
        target=target,
        bias=bias,
        share=share,
        landmarks=landmarks,
        max_iter=max_iter,
        random_state=random_state,
    )
    if not isinstance(strength, Real) or isinstance(strength, bool) or not 0.0 < strength < np.inf:
        raise ValueError(
            f"strength must be a finite number above 0, got {strength!r}: without a penalty a "
            "kernel fits any labels."
        )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        combiner = problem.solve([float(strength)])[0]
    if not combiner.converged:
        warnings.warn(
            f"a support vector machine did not come to rest within {max_iter} steps (strength "
            f"{strength:g}): raise strength or max_iter.",
            ConvergenceWarning,
            stacklevel=2,
        )
    return combiner


def pose_kernel_problem(
    P: ArrayLike,
    y: ArrayLike,
    *,
    combination: str = "cws",
    loss: str = "hinge",
    kernel: str = "rbf",
    gamma: float | str | None = None,
    degree: int = 3,
    coef0: float = 1.0,
    penalty: str = "l2",
    target: str = "01",
    bias: str = "auto",
    share: ArrayLike | None = None,
    landmarks: int = 2000,
    max_iter: int = 200_000,
    random_state: int | None = 0,
) -> KernelProblem:
    """Check everything but the strength, and make the tables.

    Parameters
    ----------
    P, y, combination, ..., random_state
        As in `fit_kernel_combiner`.
    """
    P, y, share = check_level_one(P, y, share)
    check_choice("combination", combination, ("ws", "cws", "lsg"))
    check_choice("loss", loss, KERNEL_LOSSES)
    check_choice("target", target, ("01", "pm1"))
    check_choice("bias", bias, ("auto", "none", "per_problem"))
    if penalty != "l2":
        raise ValueError(
            f'penalty={penalty!r} has no form in the space of a kernel; use penalty="l2", or the '
            "linear combinations (kernel=None), which know l1 and group."
        )
    check_integer("landmarks", landmarks, 1)
    check_integer("max_iter", max_iter, -1)
    how = KernelSettings(
        kernel,
        _kernel_parameters(P, combination, kernel, gamma, degree, coef0),
        bias == "per_problem" or (bias == "auto" and (loss == "hinge" or combination == "lsg")),
        landmarks,
        max_iter,
        random_state,
    )
    kept = share > 0.0
    blank = KernelCombiner(combination, loss, [], np.unique(y[kept]), P.shape[1], P.shape[2])
    if len(blank.seen) < 2:
        raise ValueError(
            f"y holds only class {blank.seen[0]}: a combination needs rows of two classes."
        )
    P, y, share = P[kept], y[kept], share[kept]
    if loss == "hinge" and combination == "lsg":
        return KernelProblem(blank, _pairs(P, y, share), how)
    targets = class_targets(y, P.shape[2], "pm1" if loss == "hinge" else target)
    return KernelProblem(blank, _tables(blank, P, targets, share), how)


def _kernel_parameters(
    P: NDArray[np.float64], combination: str, kernel: Any, gamma: Any, degree: Any, coef0: Any
) -> dict[str, Any]:
    """Parameters of a kernel as `uneven.linear.gram` takes them; the same for all classes."""
    check_choice("kernel", kernel, KERNELS)
    check_integer("degree", degree, 1)
    if gamma is None:
        gamma = 1.0 if kernel == "poly" else "scale"
    X = class_tables(P, "lsg" if combination == "lsg" else "ws")[0]
    params = kernel_parameters(X, kernel, gamma, degree, coef0)
    if params["gamma"] is None:
        params["gamma"] = 1.0 / X.shape[1]
    if coef0 < 0:
        raise ValueError(f"coef0 must not be below 0, got {coef0!r}: it would be no kernel.")
    if kernel == "rbf":
        return params
    with np.errstate(over="ignore"):
        largest = float(np.einsum("ij,ij->i", X, X).max())
        if kernel == "poly":
            largest = np.power(params["gamma"] * largest + coef0, float(degree))
    if not largest < _LARGEST:
        raise ValueError(
            f"values of the {kernel} kernel reach {largest:g}: scale the scores, or lower degree."
        )
    return params


@dataclass
class KernelTask:
    """A table that functions are fitted to.

    Attributes
    ----------
    X : ndarray of shape (n_rows, n_columns)
    targets : ndarray of shape (n_rows, n_outputs)
    share : ndarray of shape (n_rows,)
    rows : ndarray of int, shape (n_rows,)
        Where the rows stand in the table of all level-1 scores.
    """

    X: NDArray[np.float64]
    targets: NDArray[np.float64]
    share: NDArray[np.float64]
    rows: NDArray[np.intp]


@dataclass
class KernelProblem:
    """Tables and settings of a non-linear combination, to be solved for any strength.

    Attributes
    ----------
    blank : KernelCombiner
        The combiner without its machines.
    tasks : list of KernelTask
        One for each machine, or for each pair of classes.
    how : KernelSettings
    """

    blank: KernelCombiner
    tasks: list[KernelTask]
    how: KernelSettings

    def solve(self, strengths: Iterable[float], measure: bool = True) -> list[KernelCombiner]:
        """Combiners for some strengths.

        Parameters
        ----------
        strengths : iterable of float
            Above 0; for the hinge from the largest down.
        measure : bool, default=True
            Whether to compute the objective also where that costs time.

        Returns
        -------
        list of KernelCombiner
            One for each strength; with the hinge, none after the first that did not converge.
        """
        if self.blank.loss == "squared":
            return self._by_squares(list(strengths))
        found: list[KernelCombiner] = []
        for strength in strengths:
            if not found or found[-1].converged:
                found.append(self._by_hinge(strength, measure))
        return found

    def _by_squares(self, strengths: list[float]) -> list[KernelCombiner]:
        """One table after the other, so that the kernel values of one are in memory at a time."""
        found = [replace(self.blank, machines=[], objective=0.0) for _ in strengths]
        for task in self.tasks:
            system = LeastSquares(task.X, task.targets, task.share, self.how)
            for combiner, strength in zip(found, strengths):
                machine, objective = system.solve(strength)
                combiner.machines.append(machine)
                combiner.objective += objective
        return found

    def _by_hinge(self, strength: float, measure: bool) -> KernelCombiner:
        """A support vector machine for each table; those of pairs of classes become one."""
        machines, total = [], 0.0
        for task in self.tasks:
            signs = task.targets[:, 0]
            machine = fit_support_vectors(task.X, signs, task.share, strength, self.how)
            machines.append(machine)
            if measure:
                values = machine(task.X)
                total += float(task.share @ np.maximum(0.0, 1.0 - signs * values[:, 0]))
                total += strength * float(machine.squared_norms(values)[0])
        if self.blank.combination == "lsg":
            machines = [merge(machines, [task.rows for task in self.tasks])]
        rested = all(machine.converged for machine in machines)
        objective = total if measure else np.nan
        return replace(self.blank, machines=machines, objective=objective, converged=rested)


def _tables(
    blank: KernelCombiner,
    P: NDArray[np.float64],
    targets: NDArray[np.float64],
    share: NDArray[np.float64],
) -> list[KernelTask]:
    """One table for all classes, or one for each seen class."""
    tables, rows = class_tables(P, blank.combination), np.arange(len(P))
    if blank.combination == "ws":
        times = P.shape[2]
        each = np.repeat(share, times)
        return [KernelTask(tables[0], targets.reshape(-1, 1), each, np.repeat(rows, times))]
    if blank.combination == "cws":
        return [KernelTask(tables[n], targets[:, [n]], share, rows) for n in blank.seen]
    return [KernelTask(tables[0], targets[:, blank.seen], share, rows)]


def _pairs(
    P: NDArray[np.float64], y: NDArray[np.intp], share: NDArray[np.float64]
) -> list[KernelTask]:
    """The rows of every pair of seen classes; 1 stands for the first of the two."""
    X, tasks = class_tables(P, "lsg")[0], []
    for first, second in combinations(np.unique(y), 2):
        rows = np.flatnonzero((y == first) | (y == second))
        signs = np.where(y[rows] == first, 1.0, -1.0)
        tasks.append(KernelTask(X[rows], signs[:, None], share[rows], rows))
    return tasks


def class_tables(P: NDArray[np.float64], combination: str) -> list[NDArray[np.float64]]:
    """The tables that the functions of a combination read.

    Parameters
    ----------
    P : ndarray of shape (I, M, N)
        Scores of M classifiers for N classes.
    combination : {"ws", "cws", "lsg"}

    Returns
    -------
    list of ndarray
        "ws": one table of shape (I * N, M), whose row ``i * N + n`` holds the scores that the
        classifiers give of class n in row i. "cws": N tables of shape (I, M), one for each class.
        "lsg": one table of shape (I, M * N) with all scores.

    Examples
    --------
    >>> P = np.arange(12.0).reshape(1, 4, 3)
    >>> class_tables(P, "ws")[0].tolist()
    [[0.0, 3.0, 6.0, 9.0], [1.0, 4.0, 7.0, 10.0], [2.0, 5.0, 8.0, 11.0]]
    >>> [table.shape for table in class_tables(P, "cws")], class_tables(P, "lsg")[0].shape
    ([(1, 4), (1, 4), (1, 4)], (1, 12))
    """
    n_rows, n_members, n_classes = P.shape
    if combination == "ws":
        return [P.transpose(0, 2, 1).reshape(n_rows * n_classes, n_members)]
    if combination == "cws":
        return [np.ascontiguousarray(P[:, :, n]) for n in range(n_classes)]
    return [P.reshape(n_rows, n_members * n_classes)]


def pair_margins_to_scores(margins: NDArray[np.float64], n_classes: int) -> NDArray[np.float64]:
    """Scores of classes that were compared two by two: duels won, ties settled by the margins.

    Parameters
    ----------
    margins : ndarray of shape (I, N * (N - 1) / 2)
        For the pairs (0, 1), (0, 2), ..., (1, 2), ...; above 0 the first of the two wins.
    n_classes : int

    Returns
    -------
    ndarray of shape (I, N)
        Won duels plus the summed margins, squeezed into (-1/3, 1/3) so that they only settle ties.

    Examples
    --------
    >>> pair_margins_to_scores(np.array([[1.0, -1.0, 2.0]]), 3).round(2).tolist()
    [[1.0, 1.17, 0.83]]
    """
    won = np.zeros((len(margins), n_classes))
    summed = np.zeros((len(margins), n_classes))
    for pair, (first, second) in enumerate(combinations(range(n_classes), 2)):
        ahead = margins[:, pair] > 0.0
        won[:, first] += ahead
        won[:, second] += ~ahead
        summed[:, first] += margins[:, pair]
        summed[:, second] -= margins[:, pair]
    return won + summed / (3.0 * (np.abs(summed) + 1.0))
