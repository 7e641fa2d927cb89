"""The compression perceptron: a classifier that can be rebuilt from a few of its rows.

It is a perceptron that only looks at the rows an oracle shows it.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import scipy.sparse as sp
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.validation import has_fit_parameter

from uneven.linear.base import squared_lengths
from uneven.linear.perceptron import PICKS
from uneven.utils.model_types import persisted
from uneven.utils.parameters import Choice, Interval, Whole, store_parameters
from uneven.versionspace._loops import (
    CYCLIC,
    LOWEST_MARGIN,
    RANDOM,
    correct_cuts,
    widen_cuts,
)
from uneven.versionspace.cut_classifier import CutClassifier
from uneven.versionspace.cutting_planes import cutting_planes
from uneven.versionspace.error_oracles import Rule, correctable_error, error_rule
from uneven.versionspace.normal_rows import LinearSample, Sample

MARGIN = Interval(0, 1, closed="left", says="a number in [0, 1)")

PICK_CODES = dict(zip(PICKS, (CYCLIC, LOWEST_MARGIN, RANDOM)))
"""What the compiled loop calls the ways to choose a cut."""


@dataclass(frozen=True)
class Localisation:
    """What the perceptron leaves that was shown some rows only.

    Attributes
    ----------
    w : object
        The sum of the cuts, each as often as it was added; a vector for plain rows.
    cuts : ndarray of int, shape (n_cuts,)
        The rows shown, in order.
    counts : ndarray of shape (n_cuts,)
        How often each was added; with a margin their weights, which add up to 1.
    updates : ndarray of int, shape (n_cuts,)
        Additions between the time a row was shown and the next one.
    converged : bool
        Whether every row (but those of zeros) has a positive product with w, or as large a one as
        the margin requires.
    """

    w: Any
    cuts: np.ndarray
    counts: np.ndarray
    updates: np.ndarray
    converged: bool


def localise(
    Z: Any,
    oracle: str | Rule = "largest_error",
    *,
    pick: str = "lowest_margin",
    margin: float = 0.0,
    max_updates: int = 1_000_000,
    max_cuts: int | None = None,
    rng: np.random.Generator | None = None,
) -> Localisation:
    """Cut with the perceptron as query: it continues from where it stood, on the cuts alone.

    Parameters
    ----------
    Z : ndarray or CSR of shape (n_samples, n_features)
        Rows in normal form, see `uneven.linear.normal_form`. Rows of zeros are passed over.
    oracle : {"largest_error", "smallest_error", "random_error", "first_error"} or callable, \
default="largest_error"
        Which mistake to show next.
    pick : {"lowest_margin", "cyclic", "random"}, default="lowest_margin"
        Which of the cuts to add to w if several are wrong.
    margin : float, default=0.0
        Continue until the margin is this share of the largest one that there is, see
        `CompressionPerceptron`.
    max_updates : int, default=1_000_000
        Largest number of additions.
    max_cuts : int, optional
        Show at most so many rows.
    rng : Generator, optional
        For "random_error" and "random".

    Returns
    -------
    Localisation
        If the additions are used up, w is the one with the fewest mistakes among those that the
        oracle saw.

    Notes
    -----
    At most R² / g² additions in all, for rows no longer than R that a unit vector separates by g;
    and no more cuts than additions. The source divides w by its length before it continues, and
    then the bound fails: with the rows (0.06037, -0.01458) and (-0.03553, -0.07829) it makes 4
    additions, where 3.56 are allowed; without dividing there are 2. Its list of cuts is also one
    too long, and begins with an example that is not there yet.

    References
    ----------
    Louche (2016), algorithm 6 and theorem 6.2.

    Examples
    --------
    >>> Z = np.array([[2.0, 1.0], [-1.0, 1.0], [0.5, 3.0], [1.0, 4.0]])
    >>> found = localise(Z)
    >>> found.cuts.tolist(), found.updates.tolist(), found.w.tolist()
    ([0, 1], [1, 1], [1.0, 2.0])
    """
    rng = np.random.default_rng(rng)
    MARGIN.check("margin", margin)
    update = widening(float(margin)) if margin else correction(pick, rng)
    sample, rule = LinearSample(Z), error_rule(oracle, Z, rng)
    return localise_rows(sample, rule, update, float(margin), max_updates, max_cuts)


Update = Callable[[np.ndarray, int, np.ndarray, np.ndarray], int]
"""Changes weights and margins of cuts, given their products and a limit; returns how often."""


def correction(pick: str, rng: np.random.Generator) -> Update:
    """The perceptron on the cuts: add those that are wrong, as ``pick`` says, until none is."""
    code = PICK_CODES[pick]
    return lambda gram, limit, weights, margins: correct_cuts(
        gram, code, rng, limit, weights, margins
    )


def widening(share: float) -> Update:
    """The perceptron on the cuts that continues until it has a share of the largest margin."""
    return lambda gram, limit, weights, margins: widen_cuts(gram, share, limit, weights, margins)


def localise_rows(
    sample: Sample,
    rule: Rule,
    update: Update,
    margin: float,
    max_updates: int,
    max_cuts: int | None,
) -> Localisation:
    """The same as `localise` for any kind of sample and a rule that was opened before."""
    run = _Localiser(sample, rule, update, margin, max_updates)
    cutting_planes(run.oracle, run.query, max_cuts=max_cuts or max(1, sample.n_rows))
    return run.result()


def fed_perceptron(
    Z: Any,
    oracle: str | Rule = "largest_error",
    *,
    max_updates: int = 1_000_000,
    rng: np.random.Generator | None = None,
) -> Localisation:
    """A perceptron that gets a new row only when it classifies all it has correctly.

    Parameters
    ----------
    Z, oracle, max_updates, rng
        As in `localise`.

    Returns
    -------
    Localisation
        The same as that of `localise` with the lowest margin first: this is the other way to look
        at it.

    Notes
    -----
    The source begins without any row, and so would stop at once; and it gives its oracle three
    arguments once and two the other time.

    References
    ----------
    Louche (2016), algorithm 7.

    Examples
    --------
    >>> fed_perceptron(np.array([[2.0, 1.0], [-1.0, 1.0]])).w.tolist()
    [1.0, 2.0]
    """
    sample, rule = LinearSample(Z), error_rule(oracle, Z, np.random.default_rng(rng))
    ignored = squared_lengths(Z) == 0.0
    w = np.zeros(Z.shape[1])
    shown: list[int] = []
    log: list[list[int]] = []
    while sum(map(len, log)) < max_updates:
        margins = np.where(ignored, np.inf, sample.margins(w))
        wrong = [i for i in shown if margins[i] <= 0.0]
        if not wrong:
            row = rule(margins)
            if row is None:
                break
            shown.append(row)
            log.append([])
            wrong = [row]
        lowest = min(wrong, key=lambda i: margins[i])
        w = w + sample.combine(np.array([lowest]), np.ones(1))
        log[-1].append(lowest)
    added = [row for some in log for row in some]
    converged = not bool((~ignored & (sample.margins(w) <= 0.0)).any())
    counts = np.array([added.count(row) for row in shown], dtype=np.int64)
    updates = np.array([len(some) for some in log], dtype=np.int64)
    return Localisation(w, np.array(shown, dtype=np.intp), counts, updates, converged)


class _Localiser:
    """Query and oracle of the perceptron that continues from where it stood."""

    def __init__(
        self, sample: Sample, rule: Rule, update: Update, margin: float, max_updates: int
    ) -> None:
        self.sample, self.rule, self.update, self.share = sample, rule, update, margin
        self.left = max_updates
        self.cuts = np.empty(0, dtype=np.intp)
        self.gram = np.zeros((8, 8))
        self.weights: np.ndarray = np.zeros(0, dtype=np.float64 if margin else np.int64)
        self.margins: np.ndarray = np.zeros(0)
        self.updates: list[int] = []
        self.silent: list[int] = []
        self.best: tuple[int, np.ndarray] = (sample.n_rows + 1, self.weights)
        self.converged = False

    def query(self, cuts: np.ndarray) -> Any:
        """Correct w on the cuts."""
        if len(cuts) > len(self.cuts):
            self._show(cuts)
            before = self.left
            while self.left and (self.margins <= self._wanted()).any():
                self._correct()
            self.updates.append(before - self.left)
        return self.sample.combine(self.cuts, self.weights)

    def oracle(self, w: Any) -> int | None:
        """The next row to show; None also where there are no additions left."""
        margins = self.sample.margins(w)
        margins[self.cuts] = self.margins
        wrong = int(np.count_nonzero(margins <= 0.0))
        margins -= self._wanted()
        row = correctable_error(self.rule, margins, self.silent, self.sample.products)
        if wrong < self.best[0]:
            self.best = wrong, self.weights.copy()
        self.converged = row is None
        return row if self.left else None

    def result(self) -> Localisation:
        """What is left at the end."""
        weights = np.zeros(len(self.cuts), dtype=self.weights.dtype)
        kept = self.weights if self.left else self.best[1]
        weights[: len(kept)] = kept
        w = self.sample.combine(self.cuts, weights)
        return Localisation(
            w, self.cuts, weights, np.array(self.updates, dtype=np.int64), self.converged
        )

    def _wanted(self) -> float:
        """What products with w must be larger than: a share of its squared length, or zero."""
        return self.share * float(self.weights @ self.margins) if self.share else 0.0

    def _correct(self) -> None:
        """Add wrong cuts until none is; then take the margins anew, free of rounding on the way."""
        gram = self.gram[: len(self.cuts), : len(self.cuts)]
        done = self.update(gram, self.left, self.weights, self.margins)
        self.margins = gram @ self.weights
        self.left = self.left - done if done else 0

    def _show(self, cuts: np.ndarray) -> None:
        m = len(cuts)
        if m > len(self.gram):
            larger = np.zeros((2 * m, 2 * m))
            larger[: m - 1, : m - 1] = self.gram[: m - 1, : m - 1]
            self.gram = larger
        products = self.sample.products(int(cuts[-1]), cuts)
        self.gram[m - 1, :m] = self.gram[:m, m - 1] = products
        met = float(products[:-1] @ self.weights)
        self.margins = np.append(self.margins, min(met, self._wanted()))
        self.weights = np.append(self.weights, np.zeros(1, dtype=self.weights.dtype))
        self.cuts = cuts


@persisted("compression_perceptron", role="classifier")
class CompressionPerceptron(CutClassifier):
    """Perceptron that is trained on few rows: a sample compression scheme.

    Training starts with one row. In each step an oracle selects a row that is still misclassified,
    and the perceptron is trained on the rows selected so far until it classifies all of them
    correctly. This is repeated until no row is misclassified. The classifier depends only on the
    selected rows, often a handful out of thousands, and the fewer there are, the better the bound
    on the error on new rows.

    Parameters
    ----------
    oracle : {"largest_error", "smallest_error", "random_error", "first_error"} or callable, \
default="largest_error"
        Which mistake is shown next: the one that is most wrong, which leaves the fewest rows; the
        one that is nearly right, which needs the fewest updates; a random one, something between;
        or the first one. A callable gets the margins of all rows and returns a row or None.
    pick : {"lowest_margin", "cyclic", "random"}, default="lowest_margin"
        Which of the misclassified rows is used for the next update.
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
    margin : float, default=0.0
        Below 1. The perceptron stops as soon as all rows are right. With a margin it continues
        until the distance of the nearest row from the hyperplane is this share of the largest
        distance that any hyperplane has; ``pick`` does not matter then.
    slack : float, default=0.0
        Gives every row a dimension of its own, of this squared length as a share of the row's:
        rows whose labels are wrong are then learnt in their own dimension and do little harm to
        others.
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
    whatever oracle and pick. That holds because the perceptron continues from its weights as they
    are; the source divides them by their length first, which breaks the bound, and tests for
    products below zero, which weights of zero never have. More than two classes are learnt one
    against the rest, and the highest score wins. Rows of zeros are passed over.

    Rows that no hyperplane separates end in a warning, unless there is slack; the weights are then
    those with the fewest mistakes of all that the oracle looked at. With slack only rows that were
    shown can be wrong, so that the bound holds as before.

    With a margin the weights are a mean of the rows shown, moved towards the row with the lowest
    margin as far as makes them shortest: the shortest mean is the hyperplane with the largest
    margin. The source suggests such a variant and leaves it open.

    References
    ----------
    B. N. Kozinec (1973), *Recurrent algorithm separating convex hulls of two sets*; M. Schlesinger
    and V. Hlaváč (2002), *Ten lectures on statistical and structural pattern recognition*, chapter
    5 (the margin).
    Y. Freund and R. Schapire (1999), *Large margin classification using the perceptron algorithm*
    (the slack).
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

    _parameters: ClassVar = {"pick": Choice(PICKS), "margin": MARGIN, "max_updates": Whole(1)}

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
        margin: float = 0.0,
        slack: float = 0.0,
        max_updates: int = 1_000_000,
        max_cuts: int | None = None,
        random_state: Any = None,
    ) -> None:
        store_parameters(self, locals())

    def _run(self, sample: Sample, rule: Rule, rng: np.random.Generator) -> Localisation:
        margin = float(self.margin)
        update = widening(margin) if margin else correction(self.pick, rng)
        return localise_rows(sample, rule, update, margin, self.max_updates, self.max_cuts)

    def _keep(self, X: Any, samples: list[Sample], runs: list[Localisation]) -> None:
        super()._keep(X, samples, runs)
        self.n_updates_per_cut_ = [run.updates for run in runs]
        self.n_updates_ = int(sum(run.updates.sum() for run in runs))

    def _advice(self) -> str:
        return f", or raise max_updates={self.max_updates} or max_cuts={self.max_cuts}"

    @classmethod
    def _test_instances(cls) -> list[Any]:
        return [
            cls(max_updates=2000),
            cls(
                "random_error",
                "random",
                kernel="rbf",
                fit_intercept=True,
                normalize=True,
                max_updates=500,
            ),
            cls("first_error", "cyclic", kernel="precomputed", max_updates=2000),
            cls(margin=0.5, slack=0.5, max_updates=2000),
        ]


def verify_compression(learner: Any, X: Any, y: Any) -> bool:
    """Whether a learner makes the same classifier of its compression set alone.

    Parameters
    ----------
    learner : estimator
        With ``compression_set_`` once fitted, such as :class:`CompressionPerceptron`, or with
        ``support_``, such as :class:`~uneven.linear.KernelPerceptronClassifier` and
        `sklearn.svm.SVC`. It is cloned. Whatever it reads off all rows, such as ``gamma="scale"``,
        must be given as a number; so must ``random_state`` if it is random.
    X : ndarray or CSR of shape (n_samples, n_features)
    y : array-like of shape (n_samples,)

    Returns
    -------
    bool
        Whether the scores of all rows are the same but for rounding, or for the learner's own
        ``tol`` if it has one.

    Notes
    -----
    The source only requires that the two classifiers be the same, which a learner that always
    predicts the same satisfies with no rows; the bound also needs one that classifies all rows
    correctly, see ``converged_``. It also requires sets of one fixed size; they may be smaller. The
    support vectors of a machine that is solved to a tolerance are only those of the tolerance.

    References
    ----------
    Littlestone and Warmuth (1986), Relating data compression and learnability.
    Louche (2016), definition 2.3, example 2.4 and property 6.1.

    Examples
    --------
    >>> from sklearn.svm import SVC
    >>> from uneven.datasets import make_margin_square
    >>> from uneven.linear import KernelPerceptronClassifier
    >>> square = make_margin_square(200, random_state=1)
    >>> verify_compression(CompressionPerceptron(), square.data, square.target)
    True
    >>> machine = SVC(C=1e6, gamma=1.0, tol=1e-6)
    >>> verify_compression(machine, square.data, square.target)
    True
    >>> perceptron = KernelPerceptronClassifier(gamma=1.0)
    >>> verify_compression(perceptron, square.data, square.target)
    True
    """
    whole = _fit(learner, X, y)
    rows = _compression_of(whole)
    part = _fit(learner, _take(learner, X, rows), np.asarray(y)[rows], whole.classes_)
    if hasattr(whole, "compression_set_") and not np.array_equal(rows[part.compression_set_], rows):
        return False
    return _same(whole, part, X, rows)


def _compression_of(model: Any) -> np.ndarray:
    """The rows that a fitted model depends on."""
    for name in ("compression_set_", "support_"):
        if hasattr(model, name):
            return np.asarray(getattr(model, name))
    raise ValueError(
        f"{type(model).__name__} has neither compression_set_ nor support_: it does not say which "
        "rows it depends on."
    )


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
        takes_classes = has_fit_parameter(learner, "classes")
        return clone(learner).fit(X, y, **({"classes": classes} if takes_classes else {}))


def _take(learner: Any, X: Any, rows: np.ndarray) -> Any:
    taken = (X if sp.issparse(X) else np.asarray(X))[rows]
    return taken[:, rows] if getattr(learner, "kernel", None) == "precomputed" else taken


def _same(one: Any, other: Any, X: Any, rows: np.ndarray) -> bool:
    """Whether two models give the same scores, the second one with only some of the columns."""
    mine = one.decision_function(X)
    pairwise = getattr(other, "kernel", None) == "precomputed"
    theirs = other.decision_function(X[:, rows] if pairwise else X)
    slack = max(1e-9, 10.0 * getattr(one, "tol", 0.0))
    return bool(np.allclose(mine, theirs, rtol=slack, atol=slack * (np.abs(mine).max() or 1.0)))
