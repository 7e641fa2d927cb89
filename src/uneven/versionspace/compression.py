"""The compression perceptron: a classifier that can be rebuilt from a few of its rows."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning

from uneven.linear.perceptron import PICKS
from uneven.utils.parameters import check_choice, check_integer
from uneven.versionspace.cut_classifier import CutClassifier
from uneven.versionspace.error_oracles import Rule
from uneven.versionspace.localisation import Localisation, localise_rows
from uneven.versionspace.samples import Sample

__all__ = ["CompressionPerceptron", "verify_compression", "verify_process_scheme"]


class CompressionPerceptron(CutClassifier):
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
    gamma : float, "scale", "auto" or None, default="scale"
        Of "rbf", "poly", "sigmoid" and "laplacian". "scale" is ``1 / (n_features * X.var())``,
        "auto" and None are ``1 / n_features``.
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

    n_updates_per_cut_: list[np.ndarray]
    n_updates_: int

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

    def _run(self, sample: Sample, rule: Rule, rng: np.random.Generator) -> Localisation:
        return localise_rows(sample, rule, self.pick, self.max_updates, self.max_cuts, rng)

    def _keep(self, X: Any, samples: list[Sample], runs: list[Localisation]) -> None:
        super()._keep(X, samples, runs)
        self.n_updates_per_cut_ = [run.updates for run in runs]
        self.n_updates_ = int(sum(run.updates.sum() for run in runs))

    def _advice(self) -> str:
        return f", or raise max_updates={self.max_updates} or max_cuts={self.max_cuts}"

    def _check(self) -> None:
        super()._check()
        check_choice("pick", self.pick, PICKS)
        check_integer("max_updates", self.max_updates, 1)


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
