"""The soft-margin support vector machine by cutting planes, with one slack for all rows."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from uneven.linear.base import LinearClassifier, squared_lengths, validate_labelled_rows
from uneven.linear.rows import scale_rows
from uneven.utils.model_types import persisted
from uneven.utils.parameters import Interval, check_integer, check_parameters, store_parameters
from uneven.utils.validation import check_array, check_magnitude, whole_or_nothing

POSITIVE = Interval(0, closed="neither", says="a finite number above 0")

_RIDGE = 1e-12
"""Share of the longest cut that makes cuts independent."""

_STUCK = 1e-3
"""Share of the allowed gap below which another cut would not be felt but for rounding."""


@dataclass(frozen=True)
class OneSlack:
    """What the one-slack machine leaves.

    Attributes
    ----------
    w : ndarray of shape (n_features,)
    slack : float
        The mean over the rows of ``max(0, 1 - margin)``.
    objective : float
        ``w @ w / 2 + C * slack``.
    gap : float
        How far the objective may be above the lowest possible one, whatever went on before.
    n_cuts : int
    converged : bool
        Whether the gap is as small as requested.
    """

    w: np.ndarray
    slack: float
    objective: float
    gap: float
    n_cuts: int
    converged: bool


def one_slack(
    Z: Any, C: float = 1.0, tol: float = 1e-3, *, relative: bool = False, max_cuts: int = 1000
) -> OneSlack:
    """Minimise ``w @ w / 2 + C * mean of max(0, 1 - Z @ w)`` by cutting planes.

    The mean is a maximum of linear functions of w, one for each set of rows. The active ones are
    found one by one: the rows with a margin below 1 at the current w give the next one, and a
    small quadratic program over those found so far gives the next w.

    Parameters
    ----------
    Z : array-like or sparse matrix of shape (n_samples, n_features)
        Rows in normal form, see `uneven.linear.normal_form`.
    C : float, default=1.0
        Weight of the mean slack. ``C / n`` is the ``C`` of scikit-learn, the weight of the slack of
        each row.
    tol : float, default=1e-3
        Tolerance: the final objective is within ``C * tol`` of the minimum.
    relative : bool, default=False
        Use a relative tolerance instead: the final objective is within ``tol`` times itself.
    max_cuts : int, default=1000

    Returns
    -------
    OneSlack

    Notes
    -----
    Each round costs two products with the table, whatever its number of rows; how many rounds
    there are does not depend on that number either, for the same weight of the mean. The source
    defines the one slack as the sum of the rows' slacks; it is their mean. The small program is
    solved by an active-set method: ``scipy.optimize.nnls`` cannot bound the sum of its weights,
    and the general solvers of SciPy are slower and less exact.

    References
    ----------
    Joachims (2006), Training linear SVMs in linear time.
    Louche (2016), definitions 6.3 and 6.4.

    Examples
    --------
    >>> found = one_slack([[2.0, 0.0], [0.0, 1.0], [-0.5, 0.1]], C=3.0, tol=1e-6)
    >>> found.w.round(4).tolist(), round(found.slack, 4), found.converged
    ([0.5, 1.0], 0.3833, True)
    """
    Z = check_array(Z, accept_sparse="csr", dtype=np.float64)
    POSITIVE.check("C", C)
    POSITIVE.check("tol", tol)
    check_integer("max_cuts", max_cuts, 1)
    check_magnitude(Z, least=1e-150)
    squared_lengths(Z)
    program = _CutProgram(Z.shape[1], float(C))
    while True:
        margins = np.asarray(Z @ program.w)
        slack = float(np.maximum(1.0 - margins, 0.0).mean())
        objective = 0.5 * float(program.w @ program.w) + C * slack
        gap = max(0.0, objective - program.value())
        allowed = tol * (objective if relative else C)
        stuck = C * (slack - program.slack()) <= _STUCK * allowed
        if gap <= allowed or stuck or program.n_cuts == max_cuts:
            break
        wrong = (margins < 1.0) / len(margins)
        program.add(np.asarray(Z.T @ wrong), float(wrong.sum()))
    return OneSlack(program.w, slack, objective, gap, program.n_cuts, gap <= 1.01 * allowed)


@persisted("cutting_plane_svc", role="classifier")
class CuttingPlaneSVC(LinearClassifier):
    """A linear support vector machine for many rows, trained by cutting planes.

    Parameters
    ----------
    C : float, default=1.0
        Weight of the slack of each row, as in ``LinearSVC(loss="hinge")`` of scikit-learn.
    tol : float, default=1e-3
        Relative tolerance of the objective.
    fit_intercept : bool, default=False
        Append a constant 1 to the rows; its weight is kept small like the others.
    normalize : bool, default=False
        Divide each row (with its constant) by its length while learning.
    max_cuts : int, default=1000
        Largest number of cuts for each class.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
    coef_ : ndarray of shape (1, n_features), or (n_classes, n_features) for more than two classes
        Each class against the rest.
    intercept_ : ndarray of shape (1,) or (n_classes,)
    slack_ : ndarray of shape (1,) or (n_classes,)
        Mean over the rows of ``max(0, 1 - margin)``.
    objective_ : ndarray of shape (1,) or (n_classes,)
        ``w @ w / 2 + C * n_samples * slack_``.
    n_cuts_ : ndarray of int, shape (1,) or (n_classes,)
        Rows that other rows imply add none.
    n_features_in_ : int
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Only if ``X`` had string column names.

    See Also
    --------
    one_slack : the algorithm.

    References
    ----------
    Joachims (2006), Training linear SVMs in linear time.

    Examples
    --------
    >>> from sklearn.datasets import load_digits
    >>> from uneven.versionspace import CuttingPlaneSVC
    >>> X, y = load_digits(return_X_y=True)
    >>> model = CuttingPlaneSVC(normalize=True).fit(X[:1000], y[:1000])
    >>> round(model.score(X[1000:], y[1000:]), 2)
    0.92
    """

    _parameters: ClassVar = {"C": POSITIVE}

    slack_: np.ndarray
    objective_: np.ndarray
    n_cuts_: np.ndarray

    def __init__(
        self,
        C: float = 1.0,
        *,
        tol: float = 1e-3,
        fit_intercept: bool = False,
        normalize: bool = False,
        max_cuts: int = 1000,
    ) -> None:
        store_parameters(self, locals())

    def fit(self, X: Any, y: Any) -> Self:
        """Cut until the slack is known well enough.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)

        Returns
        -------
        self
        """
        check_parameters(self)
        with whole_or_nothing(self):
            X, y = validate_labelled_rows(self, X, y)
            rows = self._as_learnt(X)
            positive = [1] if len(self.classes_) == 2 else range(len(self.classes_))
            runs = [
                one_slack(
                    scale_rows(rows, np.where(y == k, 1.0, -1.0)),
                    self.C * len(y),
                    self.tol,
                    relative=True,
                    max_cuts=self.max_cuts,
                )
                for k in positive
            ]
            self._store(np.array([run.w for run in runs]))
            self.slack_ = np.array([run.slack for run in runs])
            self.objective_ = np.array([run.objective for run in runs])
            self.n_cuts_ = np.array([run.n_cuts for run in runs])
        worst = max(run.gap for run in runs)
        if not all(run.converged for run in runs):
            warnings.warn(
                f"after {self.max_cuts} cuts the objective may still be {worst:.3g} above the "
                "lowest one: raise max_cuts or tol, scale the columns, or lower C.",
                ConvergenceWarning,
                stacklevel=2,
            )
        return self

    @classmethod
    def _test_instances(cls) -> list[Any]:
        return [cls(C=100.0, fit_intercept=True, normalize=True)]


class _CutProgram:
    """Maximise ``b @ a - |G.T @ a|² / 2`` over weights a of the cuts, none negative, sum at most C.

    The first entry of all arrays stands for the part of C that is not used: a cut of zeros.
    """

    def __init__(self, n_features: int, C: float) -> None:
        self.C = C
        self.G = np.zeros((8, n_features))
        self.gram = np.zeros((8, 8))
        self.b = np.zeros(1)
        self.weights = np.array([C])
        self.w = np.zeros(n_features)

    @property
    def n_cuts(self) -> int:
        """Cuts so far."""
        return len(self.b) - 1

    def slack(self) -> float:
        """The lowest slack that obeys all cuts at the present w."""
        return float((self.b - self.G[: len(self.b)] @ self.w).max())

    def value(self) -> float:
        """What no w can be below: the value of the weights found."""
        return float(self.b @ self.weights - 0.5 * self.w @ self.w)

    def add(self, g: np.ndarray, b: float) -> None:
        """Add the cut ``slack >= b - g @ w`` and move w to the new optimum."""
        m = len(self.b)
        if m == len(self.G):
            self.G = np.concatenate([self.G, np.zeros_like(self.G)])
            self.gram = np.pad(self.gram, (0, m))
        self.G[m] = g
        self.gram[m, : m + 1] = self.gram[: m + 1, m] = self.G[: m + 1] @ g
        self.b = np.append(self.b, b)
        start = np.append(self.weights, 0.0)
        self.weights = _best_weights(self.gram[: m + 1, : m + 1], self.b, start)
        self.w = self.weights @ self.G[: m + 1]


def _best_weights(gram: np.ndarray, b: np.ndarray, a: np.ndarray) -> np.ndarray:
    """Minimise ``a @ gram @ a / 2 - b @ a`` over non-negative weights with the sum of those given.

    Weights that are free to move take the lowest point on their plane; the first of them that
    would become negative is fixed at zero; and once none would, the fixed weight that promises
    most is freed.
    """
    free, total = a > 0.0, float(a.sum())
    unit = float(gram.max()) or 1.0
    gram, b = gram / unit, b / unit
    enough = 1e-14 * max(total, float(b.max()))
    for _ in range(20 * len(a)):
        target = _lowest_on_plane(gram, b, free, total)
        falling = np.flatnonzero(free & (target <= 0.0))
        if falling.size:
            steps = a[falling] / np.maximum(a[falling] - target[falling], 1e-300)
            first = falling[steps.argmin()]
            a = np.maximum(a + steps.min() * (target - a), 0.0)
            a[first], free[first] = 0.0, False
            continue
        a = target
        slope = gram @ a - b
        promise = np.where(free, 0.0, slope - (slope @ a) / total)
        best = int(promise.argmin())
        if promise[best] >= -enough:
            break
        free[best] = True
    return a * (total / a.sum())


def _lowest_on_plane(gram: np.ndarray, b: np.ndarray, free: np.ndarray, total: float) -> np.ndarray:
    """The lowest point with the given sum, where weights that are not free are zero.

    The ridge keeps the system solvable where a combination of cuts is zero: the point is then far
    away in a direction in which the value falls for ever, and the way there is blocked.
    """
    moving = np.flatnonzero(free)
    m = len(moving)
    system = np.ones((m + 1, m + 1))
    system[:m, :m] = gram[np.ix_(moving, moving)]
    system[np.arange(m), np.arange(m)] += _RIDGE
    system[m, m] = 0.0
    target = np.zeros(len(b))
    target[moving] = np.linalg.solve(system, np.append(b[moving], total))[:m]
    return target
