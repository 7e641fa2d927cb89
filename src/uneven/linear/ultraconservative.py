"""The ultraconservative additive family: one vector per class, moved by mistakes only."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any, ClassVar, Self

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from uneven.linear._loops import dense_pass, sparse_pass
from uneven.linear.base import (
    LinearClassifier,
    check_same_width,
    csr_parts,
    generator,
    squared_lengths,
    validate_labelled_rows,
    validate_stream,
)
from uneven.linear.steps import STEP_CODES, check_step, error_set
from uneven.utils.model_types import persisted
from uneven.utils.parameters import Choice, Flag, Whole, check_parameters, store_parameters
from uneven.utils.validation import whole_or_nothing


@persisted("ultraconservative", role="classifier")
class UltraconservativeClassifier(LinearClassifier):
    """Multi-class perceptrons: a mistake moves only the classes that outrank the true one.

    Every class has a weight vector, initially zero. Rows are processed one after the other. If
    another class has at least the score of the true one, the row is added to the vector of the true
    class and subtracted from those of its error set, in shares that the ``step`` gives; the sum of
    all vectors stays zero. Training ends after an epoch without a mistake.

    Parameters
    ----------
    step : {"max", "uniform", "proportional", "random", "first", "mira"} or callable, \
default="max"
        Which vectors are updated; see `uneven.linear.steps`. "max" is the multi-class perceptron. A
        callable gets ``scores, truth, errors`` and returns one number per class; it is checked at
        every mistake.
    max_epochs : int, default=100
        Largest number of passes over the rows in ``fit``.
    fit_intercept : bool, default=False
        Append a constant 1 to the rows, so that hyperplanes need not go through the origin.
    normalize : bool, default=False
        Divide each row (with its constant) by its length while learning.
    shuffle : bool, default=False
        Process the rows of ``fit`` in a new random order in each epoch.
    average : bool, default=False
        Predict with the mean of the weights after each row (averaged perceptron), not with the last
        ones. Better if rows are not linearly separable; on separable rows it may make mistakes that
        the last weights do not make.
    random_state : int, RandomState or None, default=None
        Seed of ``shuffle`` and of the random step.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
    coef_ : ndarray of shape (n_classes, n_features)
        Two rows, one the negative of the other, for two classes.
    intercept_ : ndarray of shape (n_classes,)
    mistakes_ : ndarray of int, shape (n_updates_,)
        The mistaken rows, in order. Rows of ``partial_fit`` are counted on from those before.
    n_updates_ : int
    n_epochs_ : int
    converged_ : bool
        Whether the last pass made no mistake.
    weights_ : ndarray of shape (n_features, n_classes), one row more with an intercept
        The last weights, from which ``partial_fit`` continues.
    drift_ : ndarray like ``weights_``, without rows unless ``average``
        Updates times the moment they were made: what the mean lacks of the last weights.
    n_rows_seen_, n_shown_ : int
        Different rows, and rows counted as often as they were shown.
    n_features_in_ : int
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Only if ``X`` had string column names.

    Notes
    -----
    On rows no longer than R that some weights of Frobenius norm 1 separate by a margin g, every
    step but "mira" makes at most 2 R² / g² mistakes, in any order of the rows. The source omits
    that norm in the statement, returns inside the loop, and needs steps in which only the true
    class gains. For two classes the mistakes are those of
    :class:`~uneven.linear.PerceptronClassifier`. Rows of zeros are skipped: no weights could
    classify them.

    References
    ----------
    Crammer and Singer (2003), Ultraconservative online algorithms for multiclass problems.
    Louche (2016), From confusion noise to active learning: playing on label availability in linear
    classification problems, algorithm 2.

    Examples
    --------
    >>> from sklearn.datasets import load_digits
    >>> from uneven.linear import UltraconservativeClassifier
    >>> X, y = load_digits(return_X_y=True)
    >>> model = UltraconservativeClassifier().fit(X[:1200], y[:1200])
    >>> model.converged_, model.score(X[:1200], y[:1200])
    (True, 1.0)
    >>> model.mistakes_[:5].tolist()
    [0, 1, 2, 3, 4]
    """

    weights_: np.ndarray
    drift_: np.ndarray
    mistakes_: np.ndarray
    n_updates_: int
    n_epochs_: int
    n_rows_seen_: int
    n_shown_: int
    converged_: bool

    _parameters: ClassVar = {
        "step": Choice(STEP_CODES, or_callable=True),
        "max_epochs": Whole(1),
        "shuffle": Flag(),
        "average": Flag(),
    }

    def __init__(
        self,
        step: str | Callable[..., Any] = "max",
        *,
        max_epochs: int = 100,
        fit_intercept: bool = False,
        normalize: bool = False,
        shuffle: bool = False,
        average: bool = False,
        random_state: Any = None,
    ) -> None:
        store_parameters(self, locals())

    def fit(self, X: Any, y: Any) -> Self:
        """Show the rows until an epoch passes without a mistake.

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
            self._begin(rows.shape[1])
            rng, lengths = generator(self.random_state), squared_lengths(rows)
            while not self.converged_ and self.n_epochs_ < self.max_epochs:
                order = rng.permutation(len(y)) if self.shuffle else np.arange(len(y))
                self._show(rows, y, order, lengths, rng)
            self.n_rows_seen_ = len(y)
            self._answer()
        if not (self.converged_ or self.average):
            warnings.warn(
                f"there were still mistakes in epoch {self.max_epochs}: the rows may not be "
                "separable by linear scores. Try average=True or fit_intercept=True, or raise "
                "max_epochs.",
                ConvergenceWarning,
                stacklevel=2,
            )
        return self

    def partial_fit(self, X: Any, y: Any, classes: Any = None) -> Self:
        """Show more rows once, in the order given.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)
        classes : array-like of shape (n_classes,), optional
            All classes that may ever come; needed at the first call.

        Returns
        -------
        self
        """
        check_parameters(self)
        with whole_or_nothing(self):
            X, y, first = validate_stream(self, X, y, classes)
            rows = self._as_learnt(X)
            if first:
                self._begin(rows.shape[1])
            self._check_same_shape(rows)
            self.weights_, self.drift_ = self.weights_.copy(), self.drift_.copy()
            seed = int(generator(self.random_state).integers(2**31))
            rng = np.random.default_rng([seed, self.n_shown_])
            self._show(rows, y, np.arange(len(y)), squared_lengths(rows), rng)
            self.n_rows_seen_ += len(y)
            self._answer()
        return self

    def _begin(self, n_columns: int) -> None:
        self.weights_ = np.zeros((n_columns, len(self.classes_)))
        self.drift_ = np.zeros_like(self.weights_[: n_columns if self.average else 0])
        self.mistakes_ = np.empty(0, dtype=np.int64)
        self.n_updates_ = self.n_epochs_ = self.n_rows_seen_ = self.n_shown_ = 0
        self.converged_ = False

    def _show(
        self,
        rows: Any,
        y: np.ndarray,
        order: np.ndarray,
        lengths: np.ndarray,
        rng: np.random.Generator,
    ) -> None:
        """One pass over the rows."""
        mistakes = np.empty(len(order), dtype=np.int64)
        tail = (self.weights_, self.drift_, float(self.n_shown_), mistakes)
        if callable(self.step):
            count = _callable_pass(rows, y, order, lengths, self.step, *tail)
        elif (parts := csr_parts(rows)) is not None:
            count = sparse_pass(parts, y, order, lengths, STEP_CODES[self.step], rng, *tail)
        else:
            count = dense_pass(rows, y, order, lengths, STEP_CODES[self.step], rng, *tail)
        self.mistakes_ = np.concatenate([self.mistakes_, mistakes[:count] + self.n_rows_seen_])
        self.n_updates_ += count
        self.n_shown_ += len(order)
        self.n_epochs_ += 1
        self.converged_ = count == 0

    def _answer(self) -> None:
        weights = self.weights_
        if self.average:
            weights = weights - (self.drift_ - weights) / self.n_shown_
        self._store(weights.T)

    def _check_same_shape(self, rows: Any) -> None:
        check_same_width(len(self.weights_), rows)
        if bool(len(self.drift_)) != self.average:
            raise ValueError("average changed since the first rows were shown: fit anew.")

    @classmethod
    def _test_instances(cls) -> list[Any]:
        return [
            cls(max_epochs=20),
            cls(
                "mira",
                fit_intercept=True,
                normalize=True,
                shuffle=True,
                average=True,
                max_epochs=20,
            ),
        ]


def _callable_pass(
    rows: Any,
    y: np.ndarray,
    order: np.ndarray,
    squared_norms: np.ndarray,
    step: Callable[..., Any],
    weights: np.ndarray,
    drift: np.ndarray,
    clock: float,
    mistakes: np.ndarray,
) -> int:
    """The compiled passes in Python, for steps that are Python functions."""
    count = 0
    for moment, i in enumerate(order, start=1):
        row = rows[[i]].toarray()[0] if csr_parts(rows) else rows[i]
        scores = row @ weights
        errors = error_set(scores, y[i])
        if not len(errors) or squared_norms[i] == 0.0:
            continue
        tau = check_step(step(scores, int(y[i]), errors), int(y[i]), errors)
        weights += np.outer(row, tau)
        if len(drift):
            drift += (clock + moment) * np.outer(row, tau)
        mistakes[count] = i
        count += 1
    return count
