"""The compression perceptron: a classifier that can be rebuilt from a few of its rows."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any, Self

import numpy as np
import scipy.sparse as sp
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import Tags
from sklearn.utils.validation import check_is_fitted, validate_data

from uneven.bounds import compression_bound
from uneven.door import check_choice, check_integer, whole_or_nothing
from uneven.linear.base import LinearClassifier, check_flags, enter_labelled_rows, generator
from uneven.linear.expansions import KernelExpansion, check_kernel_parameters, kernel_parameters
from uneven.linear.kernel_perceptron import KERNELS
from uneven.linear.perceptron import PICKS
from uneven.linear.rows import scale_rows
from uneven.versionspace.error_oracles import ORACLES, Rule, error_rule
from uneven.versionspace.localisation import Localisation, localise_rows
from uneven.versionspace.samples import KernelSample, LinearSample, Sample

__all__ = ["CompressionPerceptron", "verify_compression", "verify_process_scheme"]


class CompressionPerceptron(LinearClassifier):
    """A perceptron that is shown a row only when it is right about all rows before.

    The first row is shown, and learnt. Then an oracle looks at all rows and shows one that is
    still wrong; the perceptron corrects itself on the few rows shown so far; and so on until
    nothing is wrong. The classifier depends on the rows shown only, often a handful out of
    thousands, and few rows mean a good bound on the error of new ones.

    Parameters
    ----------
    oracle : {"largest_error", "smallest_error", "random_error", "first_error"} or callable, \
default="largest_error"
        Which mistake is shown next: the one that is most wrong, which leaves the fewest rows; the
        one that is nearly right, which needs the fewest updates; a random one, something between;
        or the first one. A callable gets the margins of all rows and returns a row or None.
    pick : {"lowest_margin", "cyclic", "random"}, default="lowest_margin"
        Which of the rows shown is learnt next if several are wrong.
    kernel : {"linear", "rbf", "poly", "sigmoid", "laplacian", "cosine", "precomputed"} or \
callable, default="linear"
        "linear" learns a weight for each column; the others learn a sum of kernels.
    gamma : float, "scale" or None, default="scale"
        Of "rbf", "poly", "sigmoid" and "laplacian". "scale" is ``1 / (n_features * X.var())``,
        None ``1 / n_features``.
    degree : int, default=3
        Of "poly".
    coef0 : float, default=1.0
        Of "poly" and "sigmoid".
    fit_intercept : bool, default=False
        Append a constant 1 to the rows, so that the hyperplane need not go through the origin.
    normalize : bool, default=False
        Scale each row (with its constant) to unit length while learning.
    max_updates : int, default=1_000_000
        Largest number of updates, for each class if there are more than two. Rows that no
        hyperplane separates use it up.
    max_cuts : int, optional
        Show at most so many rows, for each class if there are more than two.
    random_state : int, RandomState or None, default=None
        Seeds "random_error" and "random".

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
    coef_ : ndarray of shape (1, n_features), or (n_classes, n_features) for more than two classes
        Vectors of unit length (with their intercept). Only for the linear kernel.
    intercept_ : ndarray of shape (1,) or (n_classes,)
    expansion_ : KernelExpansion
        The sum of kernels, for the other kernels.
    compression_set_ : ndarray of int
        The rows shown, in order. With more than two classes: those of the first class, then those
        of the second that are new, and so on.
    compression_sets_ : list of ndarray of int
        The rows shown for each class; a single list for two classes.
    n_updates_per_cut_ : list of ndarray of int
        Updates after each row shown; one array for each of ``compression_sets_``.
    n_updates_ : int
    converged_ : bool
        Whether nothing is wrong: with two classes every row has a positive margin, with more the
        true class has a positive score and all others a negative one.
    n_samples_fit_ : int
        Rows in ``fit``.
    n_features_in_ : int
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Only if ``X`` had string column names.

    Notes
    -----
    There are at most R² / g² updates, for rows no longer than R that a unit vector separates by g,
    whatever oracle and pick. That holds because the perceptron goes on from its weights as they
    are; the source divides them by their length first, which breaks the bound, and tests for
    products below zero, which weights of zero never have. More than two classes are learnt one
    against the rest, and the highest score wins. Rows of zeros are passed over.

    Rows that no hyperplane separates end in a warning; the weights are then those with the fewest
    mistakes of all that the oracle looked at.

    References
    ----------
    U. Louche (2016), *From confusion noise to active learning: playing on label availability in
    linear classification problems*, PhD thesis, Aix-Marseille Université, chapter 6.

    Examples
    --------
    >>> from uneven import CompressionPerceptron
    >>> from uneven.datasets import make_margin_square
    >>> square = make_margin_square(1000, margin=0.1, random_state=0)
    >>> X, y = square.data, square.target
    >>> model = CompressionPerceptron().fit(X, y)
    >>> model.score(X, y), len(model.compression_set_)
    (1.0, 3)
    >>> round(model.risk_bound(), 3)
    0.029
    >>> rows = model.compression_set_
    >>> again = CompressionPerceptron().fit(X[rows], y[rows], classes=[-1, 1])
    >>> bool((again.coef_ == model.coef_).all())
    True
    """

    classes_: np.ndarray
    expansion_: KernelExpansion
    compression_set_: np.ndarray
    converged_: bool

    def __init__(
        self,
        oracle: str | Rule = "largest_error",
        pick: str = "lowest_margin",
        *,
        kernel: str | Callable[..., float] = "linear",
        gamma: float | str | None = "scale",
        degree: int = 3,
        coef0: float = 1.0,
        fit_intercept: bool = False,
        normalize: bool = False,
        max_updates: int = 1_000_000,
        max_cuts: int | None = None,
        random_state: Any = None,
    ) -> None:
        self.oracle = oracle
        self.pick = pick
        self.kernel = kernel
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.fit_intercept = fit_intercept
        self.normalize = normalize
        self.max_updates = max_updates
        self.max_cuts = max_cuts
        self.random_state = random_state

    def fit(self, X: Any, y: Any, classes: Any = None) -> Self:
        """Show mistakes until there are none.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Kernel values of shape (n_samples, n_samples) with "precomputed".
        y : array-like of shape (n_samples,)
        classes : array-like of shape (n_classes,), optional
            All classes, if ``y`` may lack some, as the rows of a compression set can.

        Returns
        -------
        self
        """
        self._check()
        with whole_or_nothing(self):
            X, y = enter_labelled_rows(self, X, y, classes)
            self._clear()
            rng = generator(self.random_state)
            rows = self._as_learnt(X) if self._linear() else X
            rule = error_rule(self.oracle, rows, rng)
            told = [1] if len(self.classes_) == 2 else range(len(self.classes_))
            samples = [self._sample(X, rows, np.where(y == k, 1.0, -1.0)) for k in told]
            limits = (self.pick, self.max_updates, self.max_cuts, rng)
            self._keep(X, samples, [localise_rows(one, rule, *limits) for one in samples])
        if not self.converged_:
            warnings.warn(
                f"there are still mistakes after {self.n_updates_} updates on "
                f"{len(self.compression_set_)} rows: the rows may not be separable by a "
                "hyperplane. Try fit_intercept=True or another kernel, or raise max_updates or "
                "max_cuts.",
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
            Products with unit vectors; for two classes those of the second one.
        """
        check_is_fitted(self)
        if not hasattr(self, "expansion_"):
            return super().decision_function(X)
        X = validate_data(self, X, accept_sparse="csr", dtype=np.float64, reset=False)
        scores = self.expansion_(X) + self.intercept_
        return scores[:, 0] if scores.shape[1] == 1 else scores

    def risk_bound(self, delta: float = 0.05) -> float:
        """Bound the error rate on new rows of the same kind.

        Parameters
        ----------
        delta : float, default=0.05
            Allowed probability that the bound fails, in (0, 1).

        Returns
        -------
        float
            1 if the model is not right about all its training rows: nothing can be said then.

        Notes
        -----
        The size of the compression set is read off the fitted model, so delta is shared among all
        sizes. The kernel must not have been chosen by looking at the rows: give ``gamma`` as a
        number.
        """
        check_is_fitted(self)
        size = len(self.compression_set_)
        bound = compression_bound(self.n_samples_fit_, size, delta, size_from_data=True)
        return bound if self.converged_ else 1.0

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = not callable(self.kernel)
        tags.input_tags.pairwise = self.kernel == "precomputed"
        return tags

    def _linear(self) -> bool:
        return isinstance(self.kernel, str) and self.kernel == "linear"

    def _clear(self) -> None:
        """Forget the form of an earlier model with another kernel."""
        for name in ("coef_", "expansion_"):
            if hasattr(self, name):
                delattr(self, name)

    def _sample(self, X: Any, rows: Any, t: np.ndarray) -> Sample:
        if self._linear():
            return LinearSample(scale_rows(rows, t))
        params = kernel_parameters(X, self.kernel, self.gamma, self.degree, self.coef0)
        return KernelSample(
            X,
            t,
            self.kernel,
            params,
            constant=float(self.fit_intercept),
            normalize=bool(self.normalize),
        )

    def _keep(self, X: Any, samples: list[Sample], runs: list[Localisation]) -> None:
        self.compression_sets_ = [run.cuts for run in runs]
        joined = dict.fromkeys(np.concatenate(self.compression_sets_).tolist())
        self.compression_set_ = np.array(list(joined), dtype=np.intp)
        self.n_updates_per_cut_ = [run.updates for run in runs]
        self.n_updates_ = int(sum(run.updates.sum() for run in runs))
        self.converged_ = all(run.converged for run in runs)
        self.n_samples_fit_ = X.shape[0]
        scales = [1.0 / (one.length(run.w) or 1.0) for one, run in zip(samples, runs)]
        if self._linear():
            self._store(np.array([run.w * scale for run, scale in zip(runs, scales)]))
        else:
            self._store_expansion(X, samples, runs, scales)

    def _store_expansion(
        self, X: Any, samples: list[Any], runs: list[Localisation], scales: list[float]
    ) -> None:
        support = np.sort(self.compression_set_)
        coefficients = np.zeros((len(support), len(runs)))
        for k, (one, run) in enumerate(zip(samples, runs)):
            where = np.searchsorted(support, run.cuts)
            coefficients[where, k] = run.counts * one.factors[run.cuts] * scales[k]
        rows = None if self.kernel == "precomputed" else X[support]
        params = samples[0].params
        self.expansion_ = KernelExpansion(coefficients, rows, support, self.kernel, params)
        self.intercept_ = coefficients.sum(axis=0) * float(self.fit_intercept)

    def _check(self) -> None:
        check_choice("oracle", self.oracle, ORACLES, or_callable=True)
        check_choice("pick", self.pick, PICKS)
        check_choice("kernel", self.kernel, KERNELS, or_callable=True)
        check_integer("max_updates", self.max_updates, 1)
        if self.max_cuts is not None:
            check_integer("max_cuts", self.max_cuts, 1)
        check_integer("degree", self.degree, 1)
        check_kernel_parameters(self.gamma, self.coef0)
        check_flags(self, "fit_intercept", "normalize")


def verify_compression(learner: Any, X: Any, y: Any) -> bool:
    """Whether a learner makes the same classifier of its compression set alone.

    Parameters
    ----------
    learner : estimator
        With ``compression_set_`` once fitted, and a ``fit`` that takes ``classes``; such as
        :class:`CompressionPerceptron`. It is cloned. A number as ``random_state`` if it is random.
    X : ndarray or CSR of shape (n_samples, n_features)
    y : array-like of shape (n_samples,)

    Returns
    -------
    bool

    Notes
    -----
    The source only asks that the two classifiers be the same, which a learner that always answers
    the same satisfies with no rows; the bound also needs one that is right about all rows, see
    ``converged_``. It also asks for sets of one fixed size; they may be smaller.

    References
    ----------
    Littlestone and Warmuth (1986), Relating data compression and learnability.
    Louche (2016), From confusion noise to active learning: playing on label availability in
    linear classification problems, property 6.1.

    Examples
    --------
    >>> from uneven.datasets import make_margin_square
    >>> square = make_margin_square(200, random_state=1)
    >>> verify_compression(CompressionPerceptron(), square.data, square.target)
    True
    """
    whole = _fit(learner, X, y)
    rows = whole.compression_set_
    part = _fit(learner, _take(learner, X, rows), np.asarray(y)[rows], whole.classes_)
    return np.array_equal(rows[part.compression_set_], rows) and _same(whole, part, X, rows)


def verify_process_scheme(learner: Any, X: Any, y: Any) -> bool:
    """Whether a learner stopped after k rows is the same as one that only ever saw them.

    Parameters
    ----------
    learner : estimator
        As in `verify_compression`, with a parameter ``max_cuts``.
    X : ndarray or CSR of shape (n_samples, n_features)
    y : array-like of shape (n_samples,)
        Two classes.

    Returns
    -------
    bool
        True if it is so for every k.

    Examples
    --------
    >>> from uneven.datasets import make_margin_square
    >>> square = make_margin_square(200, random_state=1)
    >>> verify_process_scheme(CompressionPerceptron(), square.data, square.target)
    True
    """
    whole = _fit(learner, X, y)
    if len(whole.classes_) > 2:
        raise ValueError(
            f"y holds {len(whole.classes_)} classes: only with two of them are rows shown one "
            "after the other."
        )
    for k in range(1, len(whole.compression_set_) + 1):
        rows = whole.compression_set_[:k]
        early = _fit(clone(learner).set_params(max_cuts=k), X, y)
        part = _fit(learner, _take(learner, X, rows), np.asarray(y)[rows], whole.classes_)
        if not np.array_equal(early.compression_set_, rows) or not _same(early, part, X, rows):
            return False
    return True


def _fit(learner: Any, X: Any, y: Any, classes: Any = None) -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        return clone(learner).fit(X, y, classes=classes)


def _take(learner: Any, X: Any, rows: np.ndarray) -> Any:
    taken = (X if sp.issparse(X) else np.asarray(X))[rows]
    return taken[:, rows] if getattr(learner, "kernel", None) == "precomputed" else taken


def _same(one: Any, other: Any, X: Any, rows: np.ndarray) -> bool:
    """Whether two models give the same scores, the second one with only some of the columns."""
    mine = one.decision_function(X)
    pairwise = getattr(other, "kernel", None) == "precomputed"
    theirs = other.decision_function(X[:, rows] if pairwise else X)
    return bool(np.allclose(mine, theirs, rtol=1e-9, atol=1e-9 * (np.abs(mine).max() or 1.0)))
