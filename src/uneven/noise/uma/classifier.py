"""UMA as a classifier of scikit-learn's kind."""

from __future__ import annotations

import warnings
from typing import Any, ClassVar, Self

import numpy as np
import scipy.sparse as sp
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_random_state
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from uneven.linear.base import (
    LinearClassifier,
    check_same_width,
    squared_lengths,
    validate_labelled_rows,
    validate_stream,
)
from uneven.linear.expansions import FINITE, Gamma, KernelExpansion, kernel_parameters
from uneven.noise.matrices import NoiseInverse, invert_noise, learning_matrix
from uneven.noise.uma.algorithm import HISTORY, SELECTIONS, Rules, Run, doubts, iterate
from uneven.noise.uma.groups import NOT_NEGATIVE, check_label_weights
from uneven.noise.uma.groups import label_weights as as_label_weights
from uneven.noise.uma.spaces import DualSpace, PrimalSpace, Space, training_kernel
from uneven.noise.uma.sparse_space import SparseSpace
from uneven.utils.methods import method
from uneven.utils.model_types import persisted
from uneven.utils.parameters import (
    Choice,
    Flag,
    Interval,
    Maybe,
    Whole,
    check_integer,
    check_parameters,
    store_parameters,
)
from uneven.utils.simplex import recover_priors
from uneven.utils.validation import validate_data, whole_or_nothing
from uneven.votes.vote import flatten_binary

STEPS = ("perceptron", "perceptron_loose", "max", "uniform", "proportional")
"""Weights that are corrected when a class is mistaken."""

_MOST_SUMS = 10_000_000
"""Numbers of all sums by predicted class and label; with more, sparse rows are summed again."""


def _kernels() -> list[str]:
    from sklearn.metrics.pairwise import kernel_metrics

    return [*kernel_metrics(), "precomputed"]


def _without_kernel(estimator: UMAClassifier) -> bool:
    if estimator.kernel is not None:
        raise AttributeError(
            f"kernel={estimator.kernel!r}: partial_fit needs class vectors of numbers. Put "
            "sklearn.kernel_approximation.Nystroem before UMAClassifier(kernel=None)."
        )
    return True


@persisted("uma", role="classifier")
@method(
    "uma",
    "UMA",
    "Multi-class perceptron on scaled features, trained on sums of rows in which the known label "
    "noise cancels out.",
    order=40,
    encoding="one_hot",
    parameters={"fit_intercept": True},
    takes_noise=True,
    needs_noise=True,
)
class UMAClassifier(LinearClassifier):
    """UMA: multi-class perceptron for label noise with a known noise matrix.

    A perceptron is updated with misclassified rows, so a wrong label makes a wrong update. But the
    *sum* of the rows of class q that are predicted as class p can be estimated without bias from
    noisy labels if the noise matrix is known. UMA estimates these sums for all pairs (p, q). In
    each step it updates a multi-class perceptron with one of them, as if it were an example of
    class q that was predicted as p.

    Parameters
    ----------
    noise_matrix : array-like or dataframe of shape (n_classes, n_classes), default=None
        Column = true class, row = observed label, in sorted class order; columns sum to 1. None
        takes the labels as they are, which gives a batch perceptron.
    alpha : float, default=0.0
        Lead over all other classes that a row needs to count as predicted.
    alpha_mode : {"absolute", "geometric"}, default="absolute"
        Whether the lead is a difference of scores, which grow with the number of steps, or the
        distance of the row to the boundary.
    selection : {"error", "confusion", "random", "cyclic", "mass"}, default="error"
        Which pair comes next: the longest vector; the longest relative to the frequency of the
        true class; any; one after the other; the largest estimated share of mistaken rows.
    step : {"perceptron", "perceptron_loose", "max", "uniform", "proportional"}, \
            default="perceptron"
        Which classes are moved away from the vector: the predicted class, if it scores higher on
        the vector than the true one; the predicted class, if any class does; or the highest of
        those that do, all of them equally, or in proportion to their lead.
    normalize_updates : {None, "norm", "mass"}, default=None
        Divide a vector by its length, or by the estimated share of rows behind it, before it is
        used.
    average : bool, default=True
        Use the mean of the class vectors after each step. False uses the last ones, as the source
        does.
    pocket : bool, default=False
        Use the class vectors of the step with the lowest estimated error (``risk``) instead.
    patience : int or None, default=None
        Stop after so many steps without a lower estimated error.
    tol : float or "auto", default=1e-8
        Vectors that are not longer than this are left alone. ``"auto"`` leaves those alone that
        could be label noise: shorter than ``max_k |C^-1[q, k]| sqrt(n_p) / n``, where n_p of the
        n rows are predicted p.
    max_iter : int or None, default=None
        Largest number of steps. None is ``max(500, 20 * n_classes * (n_classes - 1))``.
    fit_intercept : bool, default=False
        Learn an offset for each class. Otherwise all boundaries meet in the origin.
    normalize : bool, default=True
        Divide each training row by its length (after the constant for the intercept has been
        added). Which class is predicted does not depend on the lengths of rows.
    kernel : str, callable or None, default=None
        None learns a vector of numbers for each class. A kernel of
        :func:`sklearn.metrics.pairwise.pairwise_kernels`, ``"precomputed"`` or a callable learns
        a combination of all training rows instead; this needs their n x n kernel in memory.
    gamma : float, "scale", "auto" or None, default=None
        Width parameter of the kernel; "scale" is ``1 / (n_features * X.var())``, "auto" and
        None are ``1 / n_features``.
    degree, coef0 : float, default=3, 1
        Parameters of the kernel.
    on_singular : {"raise", "shrink", "pinv"}, default="raise"
        What to do with a noise matrix that has no useful inverse; see
        :func:`~uneven.noise.invert_noise`.
    random_state : int, RandomState or None, default=None
        Seed of the selection ``"random"``; nothing else is drawn.
    verbose : int, default=0
        1 prints every hundredth step, larger values print more often.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
    coef_ : ndarray of shape (n_classes, n_features)
        Not with a kernel.
    intercept_ : ndarray of shape (n_classes,)
    expansion_ : KernelExpansion
        Only with a kernel: the training rows that count, and how much for each class; see
        :class:`~uneven.linear.KernelExpansion`.
    class_prior_ : ndarray of shape (n_classes,)
        Frequencies of the true classes, recovered through the noise matrix.
    history_ : dict of str to ndarray of shape (n_iter_,)
        For each step ``predicted`` and ``true`` (positions of the pair), ``norm`` of its vector,
        ``mass`` (estimated share of rows behind it), ``n_errors`` (classes that outrank the true
        one on it) and ``risk`` (error on the true labels after the step, estimated from the noisy
        ones; it may be negative).
    n_iter_ : int
        Steps made.
    stop_reason_ : str
        ``"max_iter"``, ``"small_updates"`` (no vector longer than ``tol``),
        ``"no_mistake_constructible"`` (no vector is mistaken), ``"no_row_clears_alpha"`` or
        ``"plateau"`` (``patience``).

    See Also
    --------
    uneven.noise.uma.spaces : the vectors of one step.
    uneven.noise.NoiseTolerantPerceptron : the ancestor for two classes and one noise rate.

    Notes
    -----
    Corrections of the source. The margins that are proved for the vectors, gamma and alpha, hold
    after dividing by the share of rows behind the vector, hence "outranks" means a lead of alpha
    times that share. With ``alpha > 0`` and all class vectors zero no row is predicted and
    nothing would ever be learned: the first step ignores alpha. A pair on whose vector no class
    outranks the true one would be selected forever: the next best is used. The estimates are
    exact only on average over the noise, and their errors grow with the entries of the inverse of
    the noise matrix, a factor that the published sample size lacks.

    The last class vectors, which the source keeps (``average=False``), can be much worse than
    earlier ones: steps are long, and the risk jumps. Their mean was better in 21 of 22 cases of
    ``python -m benchmarks uma-average``; ``fit`` warns where the estimated error says that much was
    lost. What is equal but for rounding counts as a tie: the lower class or pair comes first, and a
    tied vector is mistaken.

    References
    ----------
    U. Louche and L. Ralaivola (2013), *Unconfused ultraconservative multiclass algorithms*.
    U. Louche (2016), *From confusion noise to active learning: playing on label availability in
    linear classification problems*, PhD thesis, Aix-Marseille Université, chapter 4.

    Examples
    --------
    >>> from sklearn.datasets import load_digits
    >>> from uneven import UMAClassifier
    >>> from uneven.noise import corrupt_labels, cyclic_noise
    >>> X, y = load_digits(return_X_y=True)
    >>> noise = cyclic_noise(10, (0.3, 0.1))
    >>> labels = corrupt_labels(y, noise, rng=0)
    >>> train, test = slice(None, 1200), slice(1200, None)
    >>> def accuracy(matrix):
    ...     model = UMAClassifier(matrix).fit(X[train], labels[train])
    ...     return model.score(X[test], y[test])
    >>> bool(accuracy(noise) > accuracy(None) + 0.05)
    True
    """

    _parameters: ClassVar = {
        "alpha_mode": Choice(("absolute", "geometric")),
        "selection": Choice(SELECTIONS),
        "step": Choice(STEPS),
        "average": Flag(),
        "pocket": Flag(),
        "max_iter": Maybe(Whole(1)),
        "patience": Maybe(Whole(1)),
        "normalize_updates": Maybe(Choice(("norm", "mass"))),
        "alpha": NOT_NEGATIVE,
        "gamma": Gamma(),
        "coef0": FINITE,
        "kernel": Maybe(Choice(_kernels, or_callable=True)),
    }

    def __init__(
        self,
        noise_matrix: Any = None,
        *,
        alpha: float = 0.0,
        alpha_mode: str = "absolute",
        selection: str = "error",
        step: str = "perceptron",
        normalize_updates: str | None = None,
        average: bool = True,
        pocket: bool = False,
        patience: int | None = None,
        tol: float | str = 1e-8,
        max_iter: int | None = None,
        fit_intercept: bool = False,
        normalize: bool = True,
        kernel: Any = None,
        gamma: float | str | None = None,
        degree: float = 3,
        coef0: float = 1,
        on_singular: str = "raise",
        random_state: int | np.random.RandomState | None = None,
        verbose: int = 0,
    ) -> None:
        store_parameters(self, locals())

    def fit(self, X: Any, y: Any, label_weights: Any = None) -> Self:
        """Learn from rows and their observed labels.

        Parameters
        ----------
        X : array-like, sparse matrix or dataframe of shape (n_samples, n_features)
            Kernel of the training rows, shape (n_samples, n_samples), if ``kernel`` is
            ``"precomputed"``.
        y : array-like of shape (n_samples,)
            Observed labels.
        label_weights : array-like or sparse matrix of shape (n_samples, n_classes), default=None
            Weight >= 0 of every observed label in every row, instead of 1 for ``y`` and 0 for the
            others. A row that is known to be of class t has the weights ``noise_matrix[:, t]``.

        Returns
        -------
        self
        """
        with whole_or_nothing(self) as earlier:
            self._check()
            for name in earlier:
                delattr(self, name)
            X, positions = validate_labelled_rows(self, X, y)
            self._start()
            n_classes = len(self.classes_)
            if label_weights is not None:
                positions = check_label_weights(label_weights, X.shape[0], n_classes)
            run, lengths = self._open(X, positions, keeps_best=self.pocket)
            steps = self.max_iter or max(500, 20 * n_classes * (n_classes - 1))
            self._learn(run, steps, self.patience)
            self._close(run, X, lengths)
            doubt = doubts(run, self._chosen(run), self.stop_reason_, self._advice())
        if doubt:
            warnings.warn(doubt, ConvergenceWarning, stacklevel=2)
        return self

    @available_if(_without_kernel)
    def partial_fit(self, X: Any, y: Any, classes: Any = None) -> Self:
        """Make one step, with the vectors of these rows only.

        On fresh rows in each call the vectors are free of bias, since the class vectors cannot
        know their labels. It continues from the last class vectors. Not for kernels; ``pocket`` and
        ``patience`` do not count here.

        Parameters
        ----------
        X : array-like, sparse matrix or dataframe of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)
            Observed labels.
        classes : array-like of shape (n_classes,), default=None
            All classes; needed in the first call.

        Returns
        -------
        self
        """
        with whole_or_nothing(self):
            self._check()
            if hasattr(self, "expansion_"):
                raise ValueError(
                    "fitted with a kernel: partial_fit cannot go on; use fit or clone."
                )
            X, positions, first = validate_stream(self, X, y, classes)
            if first:
                self._start()
            run, lengths = self._open(X, positions)
            self._learn(run, 1)
            self._close(run, X, lengths)
        return self

    def decision_function(self, X: Any) -> np.ndarray:
        """Products of the rows with the class vectors.

        Parameters
        ----------
        X : array-like, sparse matrix or dataframe of shape (n_samples, n_features)
            Kernel with the training rows, shape (n_samples, n_training_rows), if ``kernel`` is
            ``"precomputed"``.

        Returns
        -------
        ndarray of shape (n_samples, n_classes), or (n_samples,) for two classes
            With two classes: the score of the second minus that of the first.
        """
        check_is_fitted(self, "classes_")
        if not hasattr(self, "expansion_"):
            return super().decision_function(X)
        X = validate_data(self, X, reset=False, accept_sparse="csr", dtype=np.float64)
        return flatten_binary(self.expansion_(X) + self.intercept_)

    def _check(self) -> None:
        check_integer("verbose", int(self.verbose), 0)
        check_parameters(self)
        if not (isinstance(self.tol, str) and self.tol == "auto"):
            Interval(0, closed="left", says="a finite number >= 0 or 'auto'").check("tol", self.tol)

    def _start(self) -> None:
        """What is known before the first step."""
        n_classes = len(self.classes_)
        self.seed_ = int(check_random_state(self.random_state).randint(2**31 - 1))
        self.label_counts_ = np.zeros(n_classes)
        self.history_: dict[str, np.ndarray] = {
            name: np.zeros(0, dtype=kind) for name, kind in HISTORY.items()
        }
        self.n_iter_ = 0

    def _open(self, X: Any, y: Any, keeps_best: bool = False) -> tuple[Run, np.ndarray]:
        """The run on these rows from the class vectors so far; lengths of the rows it reads."""
        n_classes = len(self.classes_)
        matrix = np.eye(n_classes) if self.noise_matrix is None else self.noise_matrix
        noise = invert_noise(learning_matrix(matrix, self.classes_), self.on_singular)
        labels = as_label_weights(y, n_classes)
        rows, lengths = self._rows(X)
        filled = lengths > 0.0
        if not filled.any():
            warnings.warn("no row of X has a direction: nothing can be learnt.", stacklevel=3)
        labels = labels[filled]
        space = self._space(rows, filled, labels, noise)
        self.label_counts_ = self.label_counts_ + np.asarray(labels.sum(axis=0)).ravel()
        coef = space.zeros(n_classes)
        if hasattr(self, "weights_"):
            check_same_width(self.weights_.shape[1], rows)
            coef = self.weights_.copy()
        run = Run(
            space,
            labels / max(1, labels.shape[0]),
            noise,
            coef,
            lag=self.lag_.copy() if hasattr(self, "lag_") else np.zeros_like(coef),
            scores=space.scores(coef),
            lengths=(lengths if self.kernel is None else np.sqrt(np.diag(rows)))[filled],
            alpha=float(self.alpha),
            geometric=self.alpha_mode == "geometric",
            keeps_best=keeps_best,
            n_steps=self.n_iter_,
            latest=self._latest_pair(),
        )
        return run, lengths

    def _rows(self, X: Any) -> tuple[Any, np.ndarray]:
        """Rows as the run reads them (their kernel, if there is one), and their lengths."""
        if self.kernel is not None:
            constant = 1.0 if self.fit_intercept else 0.0
            params = self._kernel_parameters(X)
            return training_kernel(X, self.kernel, params, constant, self.normalize)
        rows = self._as_learnt(X)
        return rows, np.sqrt(squared_lengths(rows))

    def _space(self, rows: Any, filled: np.ndarray, labels: Any, noise: NoiseInverse) -> Space:
        """Rows without direction take no part."""
        if self.kernel is not None:
            K = rows if filled.all() else rows[np.ix_(filled, filled)]
            return DualSpace(K, labels, noise.inverse)
        rows = rows if filled.all() else rows[filled]
        is_wide = sp.issparse(rows) and rows.shape[1] * labels.shape[1] ** 2 > _MOST_SUMS
        return (SparseSpace if is_wide else PrimalSpace)(rows, labels, noise.inverse)

    def _learn(self, run: Run, max_iter: int, patience: int | None = None) -> None:
        """Step until a reason to stop comes up."""
        self.class_prior_ = self._prior(run.noise)
        self.stop_reason_ = "max_iter"
        rules = self._rules()
        for _ in range(max_iter):
            reason = iterate(run, rules, self.class_prior_)
            if not reason and patience and run.n_steps - run.best_step >= patience:
                reason = "plateau"
            if reason:
                self.stop_reason_ = reason
                break
            if self.verbose and run.n_steps % max(1, 100 // int(self.verbose)) == 0:
                print(f"step {run.n_steps}  {run.latest_step()}")

    def _rules(self) -> Rules:
        return Rules(
            selection=self.selection,
            step=self.step,
            tol=None if self.tol == "auto" else float(self.tol),
            normalize_updates=self.normalize_updates,
            seed=self.seed_,
        )

    def _latest_pair(self) -> int:
        if not self.n_iter_:
            return -1
        return int(self.history_["predicted"][-1] * len(self.classes_) + self.history_["true"][-1])

    def _prior(self, noise: NoiseInverse) -> np.ndarray:
        counts = self.label_counts_
        if not counts.sum() > 0.0:
            return np.full(len(counts), 1.0 / len(counts))
        return recover_priors(counts, noise.inverse, floor=1.0 / counts.sum())

    def _close(self, run: Run, X: Any, lengths: np.ndarray) -> None:
        """Keep what the run has left."""
        self.history_ = {
            name: np.concatenate([earlier, np.asarray(run.history[name], dtype=earlier.dtype)])
            for name, earlier in self.history_.items()
        }
        self.n_iter_ = run.n_steps
        chosen = self._chosen(run)
        if self.kernel is None:
            self.weights_, self.lag_ = run.coef, run.lag
            self._store(chosen)
        else:
            self._store_expansion(chosen, X, lengths)

    def _chosen(self, run: Run) -> np.ndarray:
        """The class vectors to keep."""
        if run.best_coef is not None:
            return run.best_coef
        return run.averaged() if self.average else run.coef

    def _advice(self) -> str:
        return "pocket=True" if self.average else "pocket=True or average=True"

    def _store_expansion(self, coef: np.ndarray, X: Any, lengths: np.ndarray) -> None:
        """Keep the training rows that count, and how much."""
        filled = np.flatnonzero(lengths > 0.0)
        counts = coef.any(axis=0)
        support = filled[counts]
        coefficients = coef[:, counts].T / (lengths[support][:, None] if self.normalize else 1.0)
        rows = None if self._precomputed() else X[support]
        params = self._kernel_parameters(X)
        self.expansion_ = KernelExpansion(coefficients, rows, support, self.kernel, params)
        constant = coefficients.sum(axis=0)
        self.intercept_ = constant if self.fit_intercept else np.zeros_like(constant)

    def _kernel_parameters(self, X: Any) -> dict[str, Any]:
        return kernel_parameters(X, self.kernel, self.gamma, self.degree, self.coef0)

    def _precomputed(self) -> bool:
        return isinstance(self.kernel, str) and self.kernel == "precomputed"

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.pairwise = self._precomputed()
        return tags

    @classmethod
    def _test_instances(cls) -> list[Any]:
        return [
            cls(max_iter=100),
            cls(
                kernel="rbf", selection="confusion", fit_intercept=True, average=True, max_iter=100
            ),
        ]
