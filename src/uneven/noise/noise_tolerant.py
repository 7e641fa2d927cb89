"""A perceptron for two classes that tolerates wrong labels."""

from __future__ import annotations

import math
import warnings
from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from uneven.linear.base import (
    BinaryLinearClassifier,
    generator,
    validate_labelled_rows,
)
from uneven.linear.rows import scale_rows
from uneven.noise.projections import (
    as_vector,
    check_within,
    cosines,
    lengths_of,
    n_attempts,
    n_steps,
    project,
)
from uneven.utils.model_types import persisted
from uneven.utils.parameters import Choice, Whole, check_parameters, store_parameters
from uneven.utils.validation import check_array, whole_or_nothing

_SURE = 2.0
"""Standard errors that an estimated error may be above eps."""


@dataclass(frozen=True)
class MistakeSum:
    """What the mistakes of a vector would add up to if no label were wrong.

    Attributes
    ----------
    vector : ndarray of shape (n_features,)
        On average ``(1 - 2 rate) / (1 - rate)`` times the sum of the rows in normal form that are
        mistaken by their true label.
    share : float
        Estimated share of such rows; may be negative.
    """

    vector: np.ndarray
    share: float


def sum_of_mistakes(Z: Any, w: np.ndarray, noise_rate: float, sigma: float = 0.0) -> MistakeSum:
    """Estimate the sum of the rows that are mistaken by their true labels.

    Rows whose observed label is right are added with a small weight: some of them have a wrong
    label, and are mistakes in truth.

    Parameters
    ----------
    Z : array-like or sparse matrix of shape (n_samples, n_features)
        Rows in normal form, by their observed labels; see :func:`~uneven.linear.normal_form`.
    w : array-like of shape (n_features,)
    noise_rate : float
        Share of wrong labels, at least 0 and below 0.5.
    sigma : float, default=0.0
        Rows whose cosine with w is within sigma of 0 are left out. With 0, rows on the boundary
        are mistakes.

    Returns
    -------
    MistakeSum

    References
    ----------
    A. Blum, A. Frieze, R. Kannan and S. Vempala (1998), *A polynomial-time algorithm for learning
    noisy linear threshold functions*.

    Examples
    --------
    >>> Z = np.array([[0.8, 0.6], [-0.6, 0.8], [-1.0, 0.0], [0.0, 1.0], [0.6, -0.8]])
    >>> sum_of_mistakes(Z, np.array([1.0, 0.5]), noise_rate=0.25).vector.round(4).tolist()
    [-1.1333, 1.0667]
    """
    check_within("noise_rate", noise_rate, 0.0, 0.5)
    check_within("sigma", sigma, 0.0, 1.0)
    Z = check_array(Z, accept_sparse="csr", dtype=np.float64)
    w = as_vector("w", w, Z.shape[1])
    return _sum_of_mistakes(Z, cosines(Z, lengths_of(Z), w), noise_rate, sigma)


def _sum_of_mistakes(Z: Any, leads: np.ndarray, noise_rate: float, sigma: float) -> MistakeSum:
    wrong, right = _sides(leads, sigma)
    weights = wrong + noise_rate / (1.0 - noise_rate) * right
    return MistakeSum(np.asarray(Z.T @ weights), _mistaken_share(leads, noise_rate, sigma))


def _mistaken_share(leads: np.ndarray, noise_rate: float, sigma: float) -> float:
    wrong, right = _sides(leads, sigma)
    mistakes = (1.0 - noise_rate) * wrong.sum() - noise_rate * right.sum()
    return float(mistakes / (1.0 - 2.0 * noise_rate) / len(leads))


def _sides(leads: np.ndarray, sigma: float) -> tuple[np.ndarray, np.ndarray]:
    """Rows that are misclassified by their observed labels, and those that are not."""
    return (leads < -sigma if sigma > 0.0 else leads <= 0.0), leads > sigma


@persisted("noise_tolerant_perceptron", role="classifier")
class NoiseTolerantPerceptron(BinaryLinearClassifier):
    """A perceptron for two classes whose labels are wrong at a known rate.

    In each step the sum of the rows that are mistaken *in truth* is estimated from all rows, and
    the weight vector moves by it. It is the ancestor of :class:`~uneven.noise.UMAClassifier`, which
    takes any number of classes and any noise matrix.

    Parameters
    ----------
    noise_rate : float, default=0.0
        Share of wrong labels, the same in both classes; at least 0 and below 0.5.
    sigma : float, default=0.1
        Rows whose cosine with the weight vector is within sigma of 0 do not count; above 0. Only
        for ``step="projection"``.
    step : {"additive", "projection"}, default="additive"
        Add the sum to the vector (Bylander), which needs a margin to be sure to end; or make the
        vector orthogonal to the sum (Blum et al.), which needs none, but ends at a vector that is
        only a little better than chance where most rows are near the boundary.
    eps : float, default=0.01
        Stop at an estimated share of mistakes of at most eps.
    delta : float, default=0.05
        Probability that no random start of the projections is good enough.
    max_iter : int, default=1000
        Largest number of steps, over all starts.
    fit_intercept : bool, default=False
        Append a constant 1 to the rows.
    normalize : bool, default=True
        Divide each row (with its constant) by its length.
    random_state : int, RandomState or None, default=None
        Seeds the starts of the projections.

    Attributes
    ----------
    classes_ : ndarray of shape (2,)
    coef_ : ndarray of shape (1, n_features)
        Of the step with the lowest estimated error.
    intercept_ : ndarray of shape (1,)
    risk_ : float
        Estimated share of training rows that are mistaken by their true label.
    n_iter_ : int
        Steps made, over all starts.
    converged_ : bool
        Whether a run converged, at an estimated error that is no more than two standard
        errors above eps.

    Notes
    -----
    The filtering of outliers and the combination of weak vectors, by which Blum et al. reach any
    accuracy, are not part of it. Corrections of the source: sums are over rows that are mistaken
    (it says once that they are over the others); cosines, not products divided by lengths, are
    compared with sigma.

    References
    ----------
    A. Blum, A. Frieze, R. Kannan and S. Vempala (1998), *A polynomial-time algorithm for learning
    noisy linear threshold functions*.
    T. Bylander (1994), *Learning linear threshold functions in the presence of classification
    noise*.
    U. Louche (2016), *From confusion noise to active learning: playing on label availability in
    linear classification problems*, PhD thesis, Aix-Marseille Université, chapter 3.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(2000, 5))
    >>> truth = X @ [1.0, -2.0, 0.5, 0.0, 1.0] > 0
    >>> labels = truth ^ (rng.random(2000) < 0.3)
    >>> model = NoiseTolerantPerceptron(noise_rate=0.3, random_state=0).fit(X, labels)
    >>> bool(model.score(X, truth) > 0.8)
    True
    """

    _parameters: ClassVar = {"step": Choice(("additive", "projection")), "max_iter": Whole(1)}
    _for_more = "Use UMAClassifier."

    def __init__(
        self,
        noise_rate: float = 0.0,
        *,
        sigma: float = 0.1,
        step: str = "additive",
        eps: float = 0.01,
        delta: float = 0.05,
        max_iter: int = 1000,
        fit_intercept: bool = False,
        normalize: bool = True,
        random_state: Any = None,
    ) -> None:
        store_parameters(self, locals())

    def fit(self, X: Any, y: Any) -> Self:
        """Learn from rows and their observed labels.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)
            Two classes.

        Returns
        -------
        self
        """
        self._check()
        with whole_or_nothing(self):
            X, y = validate_labelled_rows(self, X, y)
            self._refuse_more_than_two()
            rows = scale_rows(self._as_learnt(X), 2.0 * y - 1.0)
            Z = rows[np.flatnonzero(lengths_of(rows))]
            watch = _Watch(Z, float(self.noise_rate), np.zeros(rows.shape[1]))
            if Z.shape[0]:
                learn = self._add if self.step == "additive" else self._turn
                self.n_iter_, ended = learn(watch)
            else:
                self.n_iter_, ended = 0, False
            self.risk_, error = watch.risk, watch.standard_error()
            self.converged_ = ended and self.risk_ <= self.eps + _SURE * error
            self._store(watch.best[None, :])
        if not self.converged_ and Z.shape[0]:
            instead = " or pass step='additive'" if self.step == "projection" else ""
            warnings.warn(
                f"no more than eps={self.eps} of the rows should be mistaken; after "
                f"{self.n_iter_} steps the lowest estimated error is {self.risk_:.3f} +- "
                f"{error:.3f}. Check noise_rate, raise eps or max_iter{instead}.",
                ConvergenceWarning,
                stacklevel=2,
            )
        return self

    def _add(self, watch: _Watch) -> tuple[int, bool]:
        """Add the estimated mean of the mistakes until few are left."""
        w = np.zeros_like(watch.best)
        for steps in range(self.max_iter):
            mistakes = watch.mistakes(w, 0.0)
            if steps and mistakes.share <= self.eps:
                return steps, True
            w = w + mistakes.vector / watch.Z.shape[0]
        watch.mistakes(w, 0.0)
        return self.max_iter, False

    def _turn(self, watch: _Watch) -> tuple[int, bool]:
        """Project away from the estimated sum of the mistakes, from several random starts."""
        rng = generator(self.random_state)

        def mistakes(w: np.ndarray) -> np.ndarray | None:
            seen = watch.mistakes(w, self.sigma)
            length = np.linalg.norm(seen.vector)
            if seen.share <= self.eps or length == 0.0:
                return None
            return None if seen.vector @ w > -self.sigma / 2.0 * length else seen.vector

        total = 0
        for _ in range(n_attempts(self.delta)):
            most = min(4 * n_steps(watch.Z, self.sigma), self.max_iter - total)
            start = rng.standard_normal(watch.Z.shape[1])
            _, steps, found = project(mistakes, start / np.linalg.norm(start), most)
            total += steps
            if found:
                return total, True
            if total >= self.max_iter:
                break
        return total, False

    def _check(self) -> None:
        check_parameters(self)
        check_within("noise_rate", self.noise_rate, 0.0, 0.5)
        check_within("eps", self.eps, 0.0, 1.0)
        check_within("sigma", self.sigma, 0.0, 1.0, above=self.step == "projection")
        check_within("delta", self.delta, 0.0, 1.0, above=True)
        if self.noise_rate > 0.45:
            warnings.warn(
                f"noise_rate={self.noise_rate}: so close to 0.5, labels are almost random.",
                stacklevel=3,
            )

    @classmethod
    def _test_instances(cls) -> list[Any]:
        return [
            cls(fit_intercept=True, max_iter=200),
            cls(noise_rate=0.1, step="additive", max_iter=50),
        ]


@dataclass
class _Watch:
    """Evaluates vectors, and keeps the one with the lowest estimated error."""

    Z: Any
    noise_rate: float
    best: np.ndarray
    risk: float = math.inf

    def __post_init__(self) -> None:
        self.lengths = lengths_of(self.Z) if self.Z.shape[0] else np.zeros(0)

    def mistakes(self, w: np.ndarray, sigma: float) -> MistakeSum:
        leads = cosines(self.Z, self.lengths, w)
        risk = _mistaken_share(leads, self.noise_rate, 0.0)
        if risk < self.risk:
            self.risk, self.best = risk, w.copy()
        return _sum_of_mistakes(self.Z, leads, self.noise_rate, sigma)

    def standard_error(self) -> float:
        """Standard error of the lowest estimated error."""
        scale = 1.0 - 2.0 * self.noise_rate
        wrong = min(max(self.risk * scale + self.noise_rate, 0.0), 1.0)
        return math.sqrt(wrong * (1.0 - wrong) / max(1, self.Z.shape[0])) / scale
