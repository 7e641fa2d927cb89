"""UMA: the unconfused multiclass additive algorithm."""

from __future__ import annotations

import warnings
from dataclasses import dataclass, field
from numbers import Real
from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils import check_random_state
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, validate_data

from uneven.door import check_choice, check_integer, whole_or_nothing
from uneven.linear.rows import add_constant, normalize_rows, row_norms
from uneven.noise.grouped_sums import group_masses, label_weights, top_classes
from uneven.noise.matrices import NoiseInverse, check_noise_matrix, invert_noise, recover_priors
from uneven.noise.pair_selection import SELECTIONS, Candidates, in_order
from uneven.noise.spaces import PrimalSpace, Space
from uneven.vote_classifier import flatten_binary

__all__ = ["UMAClassifier"]

_X_RULES: dict[str, Any] = {"accept_sparse": "csr", "dtype": np.float64}


@dataclass
class _Run:
    """The state of one run: class vectors, scores of the rows, what has happened."""

    space: Space
    labels: Any
    noise: NoiseInverse
    prior: np.ndarray
    coef: np.ndarray
    scores: np.ndarray
    rng: np.random.RandomState
    latest: int = -1
    history: dict[str, list] = field(default_factory=dict)

    def record(self, **entries: Any) -> None:
        for name, value in entries.items():
            self.history.setdefault(name, []).append(value)


class UMAClassifier(ClassifierMixin, BaseEstimator):
    """UMA: a linear classifier for labels that are wrong in a known pattern.

    A perceptron learns from its mistakes, and a wrong label makes it learn the contrary. But the
    *sum* of the rows of class q that are taken for class p can be estimated without bias from
    labels that were drawn with a known noise matrix. UMA computes these sums for all pairs
    (p, q), and feeds one in each step to a multi-class perceptron as if it were an example of
    class q that was taken for p.

    Parameters
    ----------
    noise_matrix : array-like or dataframe of shape (n_classes, n_classes), default=None
        Column = true class, row = observed label, in sorted class order; columns sum to 1. None
        takes the labels as they are, which gives a batch perceptron.
    selection : {"error", "confusion", "random", "cyclic", "mass"}, default="error"
        Which pair comes next: the longest vector; the longest relative to the frequency of the
        true class; any; one after the other; the largest estimated share of mistaken rows.
    tol : float, default=1e-8
        Vectors that are not longer than this are left alone.
    max_iter : int, default=None
        Largest number of steps. None is ``max(500, 20 * n_classes * (n_classes - 1))``.
    fit_intercept : bool, default=False
        Learn an offset for each class. Otherwise the classes meet in the origin.
    normalize : bool, default=True
        Divide each training row by its length (after the constant for the intercept has been
        added). Predictions do not depend on the lengths of rows.
    on_singular : {"raise", "shrink", "pinv"}, default="raise"
        What to do with a noise matrix that has no useful inverse; see
        :func:`~uneven.noise.invert_noise`.
    random_state : int, RandomState or None, default=None
        Seed of the selection ``"random"``; nothing else is drawn.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
    coef_ : ndarray of shape (n_classes, n_features)
    intercept_ : ndarray of shape (n_classes,)
    class_prior_ : ndarray of shape (n_classes,)
        Frequencies of the true classes, recovered through the noise matrix.
    history_ : dict of str to ndarray of shape (n_iter_,)
        For each step ``predicted`` and ``true`` (positions of the pair), ``norm`` of its vector,
        ``mass`` (estimated share of rows behind it), ``n_errors`` (classes that outrank the true
        one on it) and ``risk`` (error on the true labels before the step, estimated from the
        noisy ones).
    n_iter_ : int
    stop_reason_ : str
        ``"max_iter"``, ``"small_updates"`` or ``"no_mistake_constructible"``.

    References
    ----------
    U. Louche and L. Ralaivola (2013), *Unconfused ultraconservative multiclass algorithms*.
    U. Louche (2016), *From confusion noise to active learning: playing on label availability in
    linear classification problems*, PhD thesis, Aix-Marseille Université, chapter 4.

    Examples
    --------
    >>> from sklearn.datasets import load_digits
    >>> from uneven.noise import UMAClassifier, corrupt_labels, cyclic_noise
    >>> X, y = load_digits(return_X_y=True)
    >>> noise = cyclic_noise(10, (0.3, 0.1))
    >>> labels = corrupt_labels(y, noise, rng=0)
    >>> train, test = slice(None, 1200), slice(1200, None)
    >>> def accuracy(matrix):
    ...     model = UMAClassifier(matrix).fit(X[train], labels[train])
    ...     return model.score(X[test], y[test])
    >>> bool(accuracy(noise) > accuracy(None) + 0.02)
    True
    """

    def __init__(
        self,
        noise_matrix: Any = None,
        *,
        selection: str = "error",
        tol: float = 1e-8,
        max_iter: int | None = None,
        fit_intercept: bool = False,
        normalize: bool = True,
        on_singular: str = "raise",
        random_state: int | np.random.RandomState | None = None,
    ) -> None:
        self.noise_matrix = noise_matrix
        self.selection = selection
        self.tol = tol
        self.max_iter = max_iter
        self.fit_intercept = fit_intercept
        self.normalize = normalize
        self.on_singular = on_singular
        self.random_state = random_state

    def fit(self, X: Any, y: Any, label_weights: Any = None) -> Self:
        """Learn from rows and their observed labels.

        Parameters
        ----------
        X : array-like, sparse matrix or dataframe of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)
            Observed labels.
        label_weights : array-like of shape (n_samples, n_classes), default=None
            Weight of every observed label in every row, instead of 1 for ``y`` and 0 for the
            others. A row that is known to be of class t has the weights ``noise_matrix[:, t]``.

        Returns
        -------
        self
        """
        with whole_or_nothing(self):
            self._check_parameters()
            X, y = validate_data(self, X, y, **_X_RULES)
            check_classification_targets(y)
            self.classes_, codes = np.unique(y, return_inverse=True)
            run = self._begin(X, codes if label_weights is None else label_weights)
            self._learn(run)
        return self

    def decision_function(self, X: Any) -> np.ndarray:
        """Products of the rows with the class vectors.

        Parameters
        ----------
        X : array-like, sparse matrix or dataframe of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples, n_classes), or (n_samples,) for two classes
            With two classes: the score of the second minus that of the first.
        """
        return flatten_binary(self._scores(X))

    def predict(self, X: Any) -> np.ndarray:
        """Class with the largest score, the lower one of equals.

        Parameters
        ----------
        X : array-like, sparse matrix or dataframe of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples,)
        """
        answers = self._scores(X).argmax(axis=1)
        return np.asarray(self.classes_[answers])

    def _scores(self, X: Any) -> np.ndarray:
        check_is_fitted(self, "coef_")
        X = validate_data(self, X, reset=False, **_X_RULES)
        return np.asarray(X @ self.coef_.T) + self.intercept_

    def _check_parameters(self) -> None:
        check_choice("selection", self.selection, SELECTIONS)
        if self.max_iter is not None:
            check_integer("max_iter", self.max_iter, 1)
        if not isinstance(self.tol, Real) or not 0.0 <= float(self.tol) < np.inf:
            raise ValueError(f"tol must be a finite number >= 0, got {self.tol!r}.")
        for flag in ("fit_intercept", "normalize"):
            if not isinstance(getattr(self, flag), bool | np.bool_):
                raise ValueError(f"{flag} must be True or False, got {getattr(self, flag)!r}.")

    def _begin(self, X: Any, y: Any) -> _Run:
        n_classes = len(self.classes_)
        matrix = np.eye(n_classes) if self.noise_matrix is None else self.noise_matrix
        noise = invert_noise(check_noise_matrix(matrix, self.classes_), self.on_singular)
        labels = label_weights(y, n_classes)
        if labels.shape[0] != X.shape[0]:
            raise ValueError(f"label_weights has {labels.shape[0]} rows, X has {X.shape[0]}.")
        rows = add_constant(X) if self.fit_intercept else X
        rows = normalize_rows(rows) if self.normalize else rows
        filled = row_norms(rows) > 0.0
        if not filled.all():
            rows, labels = rows[filled], labels[filled]
        if not filled.any():
            warnings.warn("every row of X is zero: nothing can be learnt.", stacklevel=4)
        space = PrimalSpace(rows, labels, noise.inverse)
        counts = np.asarray(labels.sum(axis=0)).ravel()
        prior = np.full(n_classes, 1.0 / n_classes)
        if filled.any():
            prior = recover_priors(counts, noise.inverse, floor=1.0 / len(filled))
        return _Run(
            space,
            labels / max(1, rows.shape[0]),
            noise,
            prior,
            coef=space.zeros(n_classes),
            scores=np.zeros((rows.shape[0], n_classes)),
            rng=check_random_state(self.random_state),
        )

    def _learn(self, run: _Run) -> None:
        n_classes = len(run.coef)
        steps = self.max_iter or max(500, 20 * n_classes * (n_classes - 1))
        self.stop_reason_ = "max_iter"
        for _ in range(steps):
            reason = self._iterate(run)
            if reason:
                self.stop_reason_ = reason
                break
        self.history_ = {name: np.asarray(values) for name, values in run.history.items()}
        self.n_iter_ = len(self.history_.get("norm", ()))
        self.class_prior_ = run.prior
        coef = run.coef
        self.intercept_ = coef[:, -1].copy() if self.fit_intercept else np.zeros(n_classes)
        self.coef_ = coef[:, :-1].copy() if self.fit_intercept else coef

    def _iterate(self, run: _Run) -> str:
        """One step of the algorithm; says why there is none, if there is none."""
        group = top_classes(run.scores) if run.coef.any() else None
        run.space.regroup(group)
        masses = group_masses(run.labels, group, run.noise.inverse)
        pairs = Candidates(run.space.norms, masses, run.prior, run.latest, run.rng)
        order = in_order(self.selection, pairs, run.space.norms > self.tol)
        for predicted, true in order:
            vector = run.space.vector(predicted, true)
            products = run.space.project(vector, predicted, run.coef, run.scores)
            errors = np.flatnonzero(products >= products[true])
            errors = errors[errors != true]
            if predicted not in errors:
                continue
            run.coef[true] += vector
            run.coef[predicted] -= vector
            change = run.space.scores(vector)
            run.scores[:, true] += change
            run.scores[:, predicted] -= change
            run.latest = predicted * len(products) + true
            run.record(
                predicted=predicted,
                true=true,
                norm=float(run.space.norms[predicted, true]),
                mass=float(masses[predicted, true]),
                n_errors=len(errors),
                risk=1.0 - float(np.trace(masses)) if group is not None else np.nan,
            )
            return ""
        return "no_mistake_constructible" if order else "small_updates"

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags
