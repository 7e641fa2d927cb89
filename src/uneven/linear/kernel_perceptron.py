"""The kernel perceptron: mistakes are kept as rows with signs, not as a vector."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any, ClassVar, Self

import numpy as np
import scipy.sparse as sp
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.exceptions import ConvergenceWarning

from uneven.linear._loops import gram_pass
from uneven.linear.base import check_expansion, generator, validate_labelled_rows
from uneven.linear.expansions import (
    KernelExpansion,
    KernelMixin,
    block_rows,
    blocks,
    check_square,
    gram,
)
from uneven.linear.steps import STEP_CODES
from uneven.utils.model_types import persisted
from uneven.utils.parameters import Choice, Whole, check_parameters, store_parameters
from uneven.utils.validation import whole_or_nothing

_ROWS_AT_A_TIME = 512
"""Rows of a block where not all kernel values are kept."""


@persisted("kernel_perceptron", role="classifier", check=check_expansion)
class KernelPerceptronClassifier(KernelMixin, ClassifierMixin, BaseEstimator):
    """A perceptron, for two or more classes, in the space of a kernel.

    Every mistake adds its row, with a coefficient per class, to a sum of kernels. For two classes
    a coefficient counts the mistakes on that row, with a sign.

    Parameters
    ----------
    kernel : {"rbf", "linear", "poly", "sigmoid", "laplacian", "cosine", "precomputed"} or \
callable, default="rbf"
        A kernel of scikit-learn; or "precomputed", where ``X`` holds the kernel values; or a
        function of two rows, which is slow.
    gamma : float, "scale", "auto" or None, default="scale"
        Of "rbf", "poly", "sigmoid" and "laplacian". The width s of a Gaussian is ``gamma = 1 /
        (2 s²)``; "scale" is ``1 / (n_features * X.var())``, "auto" and None are
        ``1 / n_features``.
    degree : int, default=3
        Of "poly".
    coef0 : float, default=1.0
        Of "poly" and "sigmoid".
    step : {"max", "uniform", "proportional", "random", "first", "mira"}, default="max"
        Which classes are updated if there are several; see `uneven.linear.steps`.
    max_epochs : int, default=100
        Largest number of passes over the rows.
    random_state : int, RandomState or None, default=None
        Seeds the random step.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
    expansion_ : KernelExpansion
        Its outputs are the scores of the classes, or that of the second one if there are two.
    support_ : ndarray of int, shape (n_support,)
        The rows with a mistake: training on them alone, in this order and for as many epochs,
        gives the same function.
    dual_coef_ : ndarray of shape (n_outputs, n_support)
    mistakes_ : ndarray of int, shape (n_updates_,)
        The mistaken rows, in order.
    n_updates_, n_epochs_ : int
    converged_ : bool
        Whether the last epoch made no mistake.
    n_features_in_ : int
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Only if ``X`` had string column names.

    Notes
    -----
    Up to 5792 rows, all kernel values are computed once and kept: 8 n² bytes, at most 256 MiB.
    With more rows they are computed anew in each epoch, for 512 rows at a time: between these rows
    and with the rows of mistakes so far. The result is the same but for rounding. The source
    gives the expansion of the weights without the labels; they belong there. A row whose kernel
    value with itself is zero is passed over.

    References
    ----------
    Aizerman, Braverman and Rozonoer (1964), Theoretical foundations of the potential function
    method in pattern recognition learning. Freund and Schapire (1999), Large margin
    classification using the perceptron algorithm.
    Louche (2016), From confusion noise to active learning: playing on label availability in linear
    classification problems, example 2.3.

    Examples
    --------
    >>> from uneven.linear import KernelPerceptronClassifier
    >>> model = KernelPerceptronClassifier(gamma=1.0)
    >>> model.fit([[0, 0], [1, 1], [0, 1], [1, 0]], [0, 0, 1, 1]).predict([[1, 1], [0.9, 0]])
    array([0, 1])
    >>> model.dual_coef_.tolist()
    [[-1.0, -1.0, 1.0, 1.0]]
    """

    _parameters: ClassVar = {"step": Choice(STEP_CODES), "max_epochs": Whole(1)}

    expansion_: KernelExpansion
    converged_: bool
    n_epochs_: int
    n_updates_: int

    def __init__(
        self,
        kernel: str | Callable[..., float] = "rbf",
        *,
        gamma: float | str | None = "scale",
        degree: int = 3,
        coef0: float = 1.0,
        step: str = "max",
        max_epochs: int = 100,
        random_state: Any = None,
    ) -> None:
        store_parameters(self, locals())

    def fit(self, X: Any, y: Any) -> Self:
        """Show the rows until an epoch passes without a mistake.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Kernel values of shape (n_samples, n_samples) with "precomputed".
        y : array-like of shape (n_samples,)

        Returns
        -------
        self
        """
        check_parameters(self)
        with whole_or_nothing(self):
            X, y = validate_labelled_rows(self, X, y)
            values = _Values(X, self.kernel, self._kernel_parameters(X))
            coefficients = np.zeros((len(y), len(self.classes_)))
            rng, log, self.n_epochs_, self.converged_ = generator(self.random_state), [], 0, False
            while not self.converged_ and self.n_epochs_ < self.max_epochs:
                log += _epoch(values, y, coefficients, STEP_CODES[self.step], rng)
                self.n_epochs_ += 1
                self.converged_ = not any(map(len, log[-values.n_blocks :]))
            self._keep(values, coefficients, np.concatenate(log))
        if not self.converged_:
            warnings.warn(
                f"there were still mistakes in epoch {self.max_epochs}: the kernel may not "
                "separate the rows. Raise gamma or degree, or max_epochs.",
                ConvergenceWarning,
                stacklevel=2,
            )
        return self

    def decision_function(self, X: Any) -> np.ndarray:
        """Scores of the classes.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Kernel values with all training rows if the kernel is "precomputed".

        Returns
        -------
        ndarray of shape (n_samples, n_classes), or (n_samples,) for two classes
        """
        rows = self._validate(X)
        scores = self.expansion_(rows)
        return scores[:, 0] if scores.shape[1] == 1 else scores

    def _keep(self, values: _Values, coefficients: np.ndarray, mistakes: np.ndarray) -> None:
        self.support_ = np.flatnonzero(coefficients.any(axis=1))
        outputs = coefficients[self.support_]
        outputs = outputs[:, 1:] if outputs.shape[1] == 2 else outputs
        rows = None if self.kernel == "precomputed" else values.X[self.support_]
        self.expansion_ = KernelExpansion(
            np.ascontiguousarray(outputs), rows, self.support_, self.kernel, values.params
        )
        self.dual_coef_ = np.ascontiguousarray(outputs.T)
        self.mistakes_ = mistakes
        self.n_updates_ = len(mistakes)

    @classmethod
    def _test_instances(cls) -> list[Any]:
        return [
            cls(max_epochs=20),
            cls("precomputed", step="uniform", max_epochs=20),
        ]


class _Values:
    """Kernel values of the training rows by blocks; a single block is computed once."""

    def __init__(self, X: Any, kernel: Any, params: dict[str, Any]) -> None:
        self.X, self.kernel, self.params = X, kernel, params
        whole = X.shape[0] <= block_rows()
        self.slices = list(blocks(X.shape[0], None if whole else _ROWS_AT_A_TIME))
        self.n_blocks = len(self.slices)
        self._only: np.ndarray | None = None
        check_square(X, kernel)

    def square(self, mine: slice) -> np.ndarray:
        """Values within one block."""
        if self._only is not None:
            return self._only
        if self.kernel == "precomputed":
            dense = self.X[mine, mine]
            block = np.ascontiguousarray(dense.toarray() if sp.issparse(dense) else dense)
        else:
            block = gram(self.X[mine], None, self.kernel, **self.params)
        if not np.isfinite(block).all():
            raise ValueError(
                f"the kernel {self.kernel!r} gives values that are not finite: scale the columns "
                "of X, or lower gamma or degree."
            )
        if self.n_blocks == 1:
            self._only = block
        return block

    def scores(self, mine: slice, coefficients: np.ndarray) -> np.ndarray:
        """Scores of one block under the coefficients of all rows."""
        support = np.flatnonzero(coefficients.any(axis=1))
        rows = None if self.kernel == "precomputed" else self.X[support]
        f = KernelExpansion(coefficients[support], rows, support, self.kernel, self.params)
        return np.ascontiguousarray(f(self.X[mine]))


def _epoch(
    values: _Values,
    y: np.ndarray,
    coefficients: np.ndarray,
    code: int,
    rng: np.random.Generator,
) -> list[np.ndarray]:
    """Show all rows once, block by block; return the mistaken rows of each."""
    log = []
    for mine in values.slices:
        block = values.square(mine)
        if values.n_blocks == 1:
            scores = block @ coefficients
        else:
            scores = values.scores(mine, coefficients)
        mistakes = np.empty(len(block), dtype=np.int64)
        count = gram_pass(block, y[mine], code, rng, scores, coefficients[mine], mistakes)
        log.append(mistakes[:count] + mine.start)
    return log
