"""The perceptron: two classes, one vector, moved by mistakes only."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from uneven.linear._loops import dense_perceptron_pass, sparse_perceptron_pass
from uneven.linear.base import (
    BinaryLinearClassifier,
    csr_parts,
    generator,
    squared_lengths,
    validate_labelled_rows,
    validate_stream,
)
from uneven.linear.rows import scale_rows
from uneven.utils.model_types import persisted
from uneven.utils.parameters import Choice, Whole, check_parameters, store_parameters
from uneven.utils.validation import whole_or_nothing

PICKS = ("cyclic", "lowest_margin", "random")
"""Ways to choose the next row."""


@dataclass(frozen=True)
class PerceptronRun:
    """What a run of the perceptron leaves.

    Attributes
    ----------
    w : ndarray of shape (n_features,)
    mistakes : ndarray of int, shape (n_updates,)
        The rows that were added to w, in order.
    converged : bool
        Whether all rows (but those of zeros) have a positive product with w.
    n_epochs : int
        Passes over the rows; 0 for "lowest_margin", which makes none.
    """

    w: np.ndarray
    mistakes: np.ndarray
    converged: bool
    n_epochs: int


def run_perceptron(
    Z: Any,
    w: Any = None,
    *,
    pick: str = "cyclic",
    max_epochs: int = 1000,
    max_updates: int = 100_000,
    rng: np.random.Generator | None = None,
) -> PerceptronRun:
    """Add mistaken rows to w until every row has a positive product with it.

    Parameters
    ----------
    Z : ndarray or CSR of shape (n_samples, n_features)
        Rows in normal form, see `uneven.linear.normal_form`. Rows of zeros are passed over.
    w : array-like of shape (n_features,), optional
        Where to start; zero if not given.
    pick : {"cyclic", "lowest_margin", "random"}, default="cyclic"
        Show the rows in their order again and again; or always take the row with the lowest
        product; or show them in a new random order in each pass.
    max_epochs : int, default=1000
        Largest number of passes; "lowest_margin" makes none.
    max_updates : int, default=100_000
        Largest number of mistakes.
    rng : Generator, optional
        For "random".

    Returns
    -------
    PerceptronRun

    Notes
    -----
    The source tests for a product below zero; starting from zero that never happens. Products of
    zero are mistakes here.

    Examples
    --------
    >>> import numpy as np
    >>> run = run_perceptron(np.array([[2.0, 1.0], [-1.0, 1.0]]))
    >>> run.w.tolist(), run.mistakes.tolist(), run.converged
    ([1.0, 2.0], [0, 1], True)
    """
    rows = np.flatnonzero(squared_lengths(Z))
    Z = Z if csr_parts(Z) else np.ascontiguousarray(Z)
    weights = np.zeros(Z.shape[1]) if w is None else np.array(w, dtype=np.float64)
    if pick == "lowest_margin":
        return _lowest_margins(Z, rows, weights, max_updates)
    rng = np.random.default_rng(rng)
    log: list[np.ndarray] = []
    left, epochs, converged = max_updates, 0, False
    while not converged and left and epochs < max_epochs:
        order = rng.permutation(rows) if pick == "random" else rows
        mistakes = np.empty(min(left, len(order)), dtype=np.int64)
        log.append(mistakes[: _pass(Z, order, weights, mistakes)])
        left -= len(log[-1])
        epochs += 1
        converged = len(log[-1]) == 0
    return PerceptronRun(weights, np.concatenate([*log, _NOBODY]), converged, epochs)


_NOBODY = np.empty(0, dtype=np.int64)


def _pass(Z: Any, order: np.ndarray, weights: np.ndarray, mistakes: np.ndarray) -> int:
    parts = csr_parts(Z)
    if parts is not None:
        return sparse_perceptron_pass(parts, order, weights, mistakes)
    return dense_perceptron_pass(Z, order, weights, mistakes)


def _lowest_margins(Z: Any, rows: np.ndarray, w: np.ndarray, max_updates: int) -> PerceptronRun:
    mistakes: list[int] = []
    shown = Z[rows]
    while rows.size:
        products = np.asarray(shown @ w)
        lowest = int(products.argmin())
        if products[lowest] > 0.0 or len(mistakes) == max_updates:
            break
        mistakes.append(int(rows[lowest]))
        _pass(Z, rows[lowest : lowest + 1], w, np.empty(1, dtype=np.int64))
    converged = not rows.size or bool((shown @ w > 0.0).all())
    return PerceptronRun(w, np.array(mistakes, dtype=np.int64), converged, 0)


@persisted("perceptron", role="classifier")
class PerceptronClassifier(BinaryLinearClassifier):
    """Two classes, one weight vector: every mistaken row is added to it, or taken away.

    Parameters
    ----------
    pick : {"cyclic", "lowest_margin", "random"}, default="cyclic"
        Which mistake to learn from next: rows in their order, again and again; always the row that
        is most wrong; or rows in a new random order in each pass.
    max_epochs : int, default=1000
        Largest number of passes over the rows in ``fit``; "lowest_margin" makes no passes.
    max_updates : int, default=100_000
        Largest number of mistakes in ``fit``. Rows that no hyperplane separates use it up.
    fit_intercept : bool, default=False
        Append a constant 1 to the rows, so that the hyperplane need not go through the origin.
    normalize : bool, default=False
        Divide each row (with its constant) by its length while learning.
    random_state : int, RandomState or None, default=None
        Seeds the orders of "random".

    Attributes
    ----------
    classes_ : ndarray of shape (2,)
        A score of zero or more means the second class.
    coef_ : ndarray of shape (1, n_features)
    intercept_ : ndarray of shape (1,)
    mistakes_ : ndarray of int, shape (n_updates_,)
        The mistaken rows, in order. Rows of ``partial_fit`` are counted on from those before.
    n_updates_ : int
    n_epochs_ : int
    converged_ : bool
        Whether the last pass made no mistake.
    n_rows_seen_ : int
    n_features_in_ : int
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Only if ``X`` had string column names.

    Notes
    -----
    On rows no longer than R that a unit vector separates by a margin g, there are at most R² / g²
    mistakes, whatever the order and even if each row is chosen after looking at the weights. The
    source tests for products below zero, which would never move weights of zero, and passes over
    the rows only once; here a product of zero is a mistake, and passes go on until one is clean.
    For more than two classes use :class:`~uneven.linear.UltraconservativeClassifier`, or
    scikit-learn's ``OneVsRestClassifier`` and ``OneVsOneClassifier`` around this one.

    References
    ----------
    Rosenblatt (1958), The perceptron: a probabilistic model for information storage and
    organization in the brain. Novikoff (1962), On convergence proofs on perceptrons.
    Louche (2016), From confusion noise to active learning: playing on label availability in linear
    classification problems, algorithm 1.

    Examples
    --------
    >>> from uneven.linear import PerceptronClassifier
    >>> model = PerceptronClassifier().fit([[2, 1], [1, -1], [-3, 0.5]], ["yes", "no", "no"])
    >>> model.mistakes_.tolist(), model.coef_.tolist()
    ([0, 1], [[1.0, 2.0]])
    """

    _parameters: ClassVar = {
        "pick": Choice(PICKS),
        "max_epochs": Whole(1),
        "max_updates": Whole(1),
    }
    _for_more = (
        "Use UltraconservativeClassifier, or scikit-learn's OneVsRestClassifier or "
        "OneVsOneClassifier around PerceptronClassifier."
    )

    mistakes_: np.ndarray
    n_updates_: int
    n_epochs_: int
    n_rows_seen_: int
    converged_: bool

    def __init__(
        self,
        pick: str = "cyclic",
        *,
        max_epochs: int = 1000,
        max_updates: int = 100_000,
        fit_intercept: bool = False,
        normalize: bool = False,
        random_state: Any = None,
    ) -> None:
        store_parameters(self, locals())

    def fit(self, X: Any, y: Any) -> Self:
        """Learn from mistakes until there are none.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)
            Two classes.

        Returns
        -------
        self
        """
        check_parameters(self)
        with whole_or_nothing(self):
            X, y = validate_labelled_rows(self, X, y)
            self._refuse_more_than_two()
            run = run_perceptron(
                scale_rows(self._as_learnt(X), 2.0 * y - 1.0),
                pick=self.pick,
                max_epochs=self.max_epochs,
                max_updates=self.max_updates,
                rng=generator(self.random_state),
            )
            self._keep(run, run.mistakes, run.n_epochs, len(y))
        if not self.converged_:
            warnings.warn(
                f"there are still mistakes after {self.n_updates_} updates: the rows may not be "
                "separable by a hyperplane. Try fit_intercept=True, or raise max_epochs and "
                "max_updates.",
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
        classes : array-like of shape (2,), optional
            Both classes; needed at the first call.

        Returns
        -------
        self
        """
        check_parameters(self)
        with whole_or_nothing(self):
            X, y, first = validate_stream(self, X, y, classes)
            self._refuse_more_than_two()
            rows = self._as_learnt(X)
            if first:
                self._keep(PerceptronRun(np.zeros(rows.shape[1]), _NOBODY, False, 0), _NOBODY, 0, 0)
            start = np.append(self.coef_[0], self.intercept_[: int(self.fit_intercept)])
            shown = scale_rows(rows, 2.0 * y - 1.0)
            run = run_perceptron(shown, start, max_epochs=1, max_updates=len(y))
            mistakes = np.concatenate([self.mistakes_, run.mistakes + self.n_rows_seen_])
            self._keep(run, mistakes, self.n_epochs_ + 1, self.n_rows_seen_ + len(y))
        return self

    def _keep(self, run: PerceptronRun, mistakes: np.ndarray, epochs: int, rows: int) -> None:
        self._store(run.w[None, :])
        self.mistakes_ = mistakes
        self.n_updates_ = len(mistakes)
        self.n_epochs_ = epochs
        self.n_rows_seen_ = rows
        self.converged_ = run.converged

    @classmethod
    def _test_instances(cls) -> list[Any]:
        return [
            cls(max_epochs=20),
            cls("random", fit_intercept=True, normalize=True, max_epochs=20),
        ]
