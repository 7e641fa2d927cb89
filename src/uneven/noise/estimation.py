"""Where a noise matrix comes from: clean labels, a classifier's own mistakes, or annotators.

Three sources, one result. :func:`confusion_from_clean` counts rows whose true and observed labels
are both known. :func:`confusion_from_classifier` does so with the out-of-fold predictions of a
classifier that is to label other rows. :func:`confusion_from_annotators` needs no true label, but
several labels of each row. :func:`estimate_confusion` takes any of the three.

Intervals are Wilson's by default, entry by entry: they keep their level on average even for rates
near 0, which most entries of a noise matrix are, where the textbook interval shrinks to nothing.
``interval="exact"`` (Clopper and Pearson) never falls below the level and is wider. Both describe
one entry at a time, and use the counts without smoothing.

References
----------
U. Louche (2016), chapter 4.
A. Dawid and A. Skene (1979), *Maximum likelihood estimation of observer error-rates using the EM
algorithm*.
E. B. Wilson (1927), *Probable inference, the law of succession, and statistical inference*.
C. Clopper and E. Pearson (1934), *The use of confidence or fiducial limits illustrated in the case
of the binomial*.
L. Brown, T. Cai and A. DasGupta (2001), *Interval estimation for a binomial proportion*.

Notes
-----
Corrections of the source: it leaves open what to do with a class that the clean rows do not show;
here that is an error, unless something is assumed about it. Standard errors and intervals are
added.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import betaincinv
from sklearn.base import clone
from sklearn.model_selection import cross_val_predict

from uneven.metrics._checks import as_labels, as_weights, class_list, encode, pair_counts
from uneven.metrics.uncertainty import wilson_interval
from uneven.noise.annotators import AnnotatorModel, dawid_skene
from uneven.noise.matrices import invert_noise
from uneven.noise.shrinkage import shrink_columns
from uneven.utils.model_types import persisted
from uneven.utils.parameters import check_choice, check_integer
from uneven.utils.simplex import recover_priors


@persisted("confusion_estimate", without_check="shown, which no prediction depends on")
@dataclass(frozen=True, eq=False)
class ConfusionEstimate:
    """An estimated noise matrix, with what is known about its errors.

    It can be used wherever a noise matrix is expected; rows and columns find their classes by
    name.

    Attributes
    ----------
    matrix : ndarray of shape (n_classes, n_classes)
        Column = true class, row = observed label; columns sum to 1. With smoothing, if any.
    counts : ndarray of shape (n_classes, n_classes)
        (Weighted or expected) rows behind each entry, without smoothing.
    standard_error : ndarray of shape (n_classes, n_classes)
        NaN in the columns of classes without rows.
    low, high : ndarray of shape (n_classes, n_classes)
        Confidence interval of each entry, from the counts without smoothing.
    sizes : ndarray of shape (n_classes,)
        (Effective) number of rows of each true class.
    prior : ndarray of shape (n_classes,)
        Frequencies of the true classes.
    classes : ndarray of shape (n_classes,)
    confidence : float
    source : str

    Examples
    --------
    >>> from uneven.noise import check_noise_matrix, confusion_from_clean
    >>> found = confusion_from_clean(["cat"] * 40 + ["dog"] * 10, ["cat"] * 36 + ["dog"] * 14)
    >>> float(found.matrix[1, 0]), found.low[1, 0].round(3), found.high[1, 0].round(3)
    (0.1, np.float64(0.04), np.float64(0.231))
    >>> found.source, found.prior.tolist()
    ('50 clean rows', [0.8, 0.2])
    >>> check_noise_matrix(found, ["cat", "dog"]).tolist()
    [[0.9, 0.0], [0.1, 1.0]]
    """

    matrix: np.ndarray
    counts: np.ndarray = field(repr=False)
    standard_error: np.ndarray = field(repr=False)
    low: np.ndarray = field(repr=False)
    high: np.ndarray = field(repr=False)
    sizes: np.ndarray = field(repr=False)
    prior: np.ndarray
    classes: np.ndarray
    confidence: float
    source: str

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray:
        return np.array(self.matrix, dtype=dtype)

    def shrunk(self) -> ConfusionEstimate:
        """The estimate with a matrix that is safer to invert.

        Returns
        -------
        ConfusionEstimate
            Columns are moved towards what all classes have in common, as far as the counts show
            that the classes are alike; the counts stay.

        References
        ----------
        I. J. Good (1965), *The estimation of probabilities: an essay on modern Bayesian methods*.
        """
        return replace(self, matrix=shrink_columns(self.matrix, self.sizes))

    def variance_along(self, direction: np.ndarray) -> float:
        """Variance of the sum of all entries of the matrix, each times a number.

        Parameters
        ----------
        direction : ndarray of shape (n_classes, n_classes)

        Returns
        -------
        float
            Infinite if a class without rows matters.
        """
        mean = (self.matrix * direction).sum(axis=0)
        spread = (self.matrix * (direction - mean) ** 2).sum(axis=0)
        unknown = (self.sizes <= 0.0) & (np.ptp(direction, axis=0) > 0.0)
        if unknown.any():
            return float("inf")
        return float((spread / np.maximum(self.sizes, 1.0)).sum())

    def summary(self) -> str:
        """One line per true class: rows, frequency, share that keeps its label, worst mistakes.

        Returns
        -------
        str
        """
        lines = [["class", "rows", "prior", "kept", "interval", "most often mistaken for"]]
        for j, name in enumerate(self.classes.tolist()):
            order = [int(i) for i in np.argsort(-self.matrix[:, j], kind="stable") if i != j]
            wrong = [self._cell(i, j) for i in order[:3] if self.matrix[i, j] > 0.0]
            size, prior = f"{self.sizes[j]:.4g}", f"{self.prior[j]:.3f}"
            kept, _, interval = self._rate(j, j).partition(" ")
            lines.append([str(name), size, prior, kept, interval, ", ".join(wrong) or "-"])
        widths = [max(map(len, column)) for column in zip(*lines)]
        table = ["  ".join(map(str.ljust, line, widths)).rstrip() for line in lines]
        level = f"intervals: {100 * self.confidence:g} %"
        return "\n".join([f"noise matrix from {self.source}; {level}", *table, self._verdict()])

    def _rate(self, i: int, j: int) -> str:
        return f"{self.matrix[i, j]:.3f} [{self.low[i, j]:.3f}, {self.high[i, j]:.3f}]"

    def _cell(self, i: int, j: int) -> str:
        return f"{self.classes[i]} {self._rate(i, j)}"

    def _verdict(self) -> str:
        condition = float(np.linalg.cond(self.matrix))
        if condition > 1e6:
            return f"condition number {condition:.3g}: the noise cannot be undone"
        largest = np.abs(np.linalg.inv(self.matrix)).max()
        return (
            f"condition number {condition:.3g}; undoing the noise multiplies errors by up to "
            f"{largest:.3g}"
        )


@dataclass(frozen=True)
class CountingRules:
    """How counts become a noise matrix and intervals.

    Attributes
    ----------
    smoothing, laplace : float
    on_empty : {"raise", "identity", "uniform"}
    interval : {"wilson", "exact"}
    confidence : float
        See :func:`uneven.noise.confusion_from_clean`.
    """

    smoothing: float = 0.0
    laplace: float = 0.0
    on_empty: str = "raise"
    interval: str = "wilson"
    confidence: float = 0.95

    def __post_init__(self) -> None:
        for name in ("smoothing", "laplace"):
            value: Any = getattr(self, name)
            if not isinstance(value, Real) or not 0.0 <= float(value) < np.inf:
                raise ValueError(f"{name} must be a finite number of at least 0, got {value!r}.")
        level: Any = self.confidence
        if not isinstance(level, Real) or not 0.0 < float(level) < 1.0:
            raise ValueError(f"confidence must be between 0 and 1, got {level!r}.")
        check_choice("interval", self.interval, ("wilson", "exact"))
        check_choice("on_empty", self.on_empty, ("raise", "identity", "uniform"))

    def apply(
        self, counts: np.ndarray, sizes: np.ndarray, classes: np.ndarray, source: str
    ) -> ConfusionEstimate:
        """Turn counts into an estimate.

        counts: (n_classes, n_classes), row = observed label, column = true class; sizes:
        (n_classes,), effective number of rows of each true class; classes: (n_classes,).
        """
        totals = counts.sum(axis=0)
        seen = totals > 0.0
        rates = np.divide(counts, totals, out=np.zeros_like(counts), where=seen)
        rows = np.where(seen, sizes, 1.0)
        low, high = self._bounds(rates, rows)
        error = np.sqrt(rates * (1.0 - rates) / rows)
        return ConfusionEstimate(
            matrix=self._matrix(counts, classes),
            counts=counts,
            standard_error=np.where(seen, error, np.nan),
            low=np.where(seen, low, 0.0),
            high=np.where(seen, high, 1.0),
            sizes=np.where(seen, sizes, 0.0),
            prior=totals / totals.sum(),
            classes=classes,
            confidence=float(self.confidence),
            source=source,
        )

    def _matrix(self, counts: np.ndarray, classes: np.ndarray) -> np.ndarray:
        """Smoothed counts divided by their column sums; columns without any as agreed."""
        k = len(counts)
        smoothed = counts + self.laplace + self.smoothing * np.eye(k)
        empty = smoothed.sum(axis=0) <= 0.0
        if empty.any() and self.on_empty == "raise":
            names = classes[empty].tolist()
            raise ValueError(
                f"no row shows how class {names[0]!r} is labelled ({len(names)} of {k} classes "
                f"have none: {names[:8]}). Add rows, or pass on_empty='identity' (assume right "
                "labels), on_empty='uniform' (assume any label) or smoothing."
            )
        fill = np.eye(k) if self.on_empty == "identity" else np.full((k, k), 1.0 / k)
        smoothed[:, empty] = fill[:, empty]
        return np.asarray(smoothed / smoothed.sum(axis=0))

    def _bounds(self, rates: np.ndarray, rows: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Ends of the confidence intervals of rates that were seen in so many rows."""
        aside = (1.0 - float(self.confidence)) / 2.0
        if self.interval == "exact":
            hits, misses = rates * rows, (1.0 - rates) * rows
            low = betaincinv(np.maximum(hits, 1e-9), misses + 1.0, aside)
            high = betaincinv(hits + 1.0, np.maximum(misses, 1e-9), 1.0 - aside)
            return np.where(rates > 0.0, low, 0.0), np.where(rates < 1.0, high, 1.0)
        return wilson_interval(rates, rows, self.confidence)


_ENOUGH_ITEMS = 2000


def estimate_confusion(
    y_true: ArrayLike | None = None,
    y_observed: ArrayLike | None = None,
    *,
    estimator: Any = None,
    X: Any = None,
    annotations: Any = None,
    **options: Any,
) -> ConfusionEstimate:
    """Estimate a noise matrix from whatever there is.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,), optional
        Clean labels.
    y_observed : array-like of shape (n_samples,), optional
        Noisy labels of the same rows: see :func:`confusion_from_clean`.
    estimator : classifier, optional
        With ``X`` and ``y_true``: see :func:`confusion_from_classifier`.
    X : array-like of shape (n_samples, n_features), optional
    annotations : array-like of shape (n_samples, n_annotators), optional
        On its own: see :func:`confusion_from_annotators`.
    **options
        Those of the function that does the work.

    Returns
    -------
    ConfusionEstimate

    References
    ----------
    U. Louche (2016), chapter 4.
    A. Dawid and A. Skene (1979), *Maximum likelihood estimation of observer error-rates using the
    EM algorithm*.

    Examples
    --------
    >>> found = estimate_confusion(["a", "a", "a", "a", "b", "b"], ["a", "a", "a", "b", "b", "b"])
    >>> found.matrix
    array([[0.75, 0.  ],
           [0.25, 1.  ]])
    """
    given = {
        name
        for name, value in (
            ("y_true", y_true),
            ("y_observed", y_observed),
            ("estimator", estimator),
            ("X", X),
            ("annotations", annotations),
        )
        if value is not None
    }
    if y_true is not None and y_observed is not None and len(given) == 2:
        return confusion_from_clean(y_true, y_observed, **options)
    if y_true is not None and given == {"y_true", "estimator", "X"}:
        return confusion_from_classifier(estimator, X, y_true, **options)
    if given == {"annotations"}:
        return confusion_from_annotators(annotations, **options)
    raise ValueError(
        "pass y_true and y_observed (clean and noisy labels of the same rows), or y_true, X and "
        "estimator (a classifier that is cross-validated), or annotations (a column per "
        f"annotator); got {', '.join(sorted(given)) or 'nothing'}."
    )


def confusion_from_clean(
    y_true: ArrayLike,
    y_observed: ArrayLike,
    *,
    classes: ArrayLike | None = None,
    sample_weight: ArrayLike | None = None,
    all_observed: ArrayLike | None = None,
    smoothing: float = 0.0,
    laplace: float = 0.0,
    on_empty: str = "raise",
    interval: str = "wilson",
    confidence: float = 0.95,
) -> ConfusionEstimate:
    """Estimate a noise matrix from rows whose true and observed labels are known.

    Parameters
    ----------
    y_true, y_observed : array-like of shape (n_samples,)
    classes : array-like of shape (n_classes,), optional
        By default the sorted labels of both.
    sample_weight : array-like of shape (n_samples,), optional
        Weights; intervals use the number of equally weighted rows that would be as uncertain.
    all_observed : array-like of shape (n_all,), optional
        Noisy labels of the whole sample. If the clean rows are no fair sample of it (some classes
        were sought), the class prior is recovered from these labels, through the inverse.
    smoothing : float, default=0.0
        Rows added to the diagonal: as many right labels of each class, not seen.
    laplace : float, default=0.0
        Rows added to every entry.
    on_empty : {"raise", "identity", "uniform"}, default="raise"
        What to do with a class without rows: refuse; assume that it is labelled rightly; assume
        that it gets any label.
    interval : {"wilson", "exact"}, default="wilson"
    confidence : float, default=0.95

    Returns
    -------
    ConfusionEstimate

    References
    ----------
    U. Louche (2016), chapter 4.
    E. B. Wilson (1927), *Probable inference, the law of succession, and statistical inference*.

    Examples
    --------
    >>> truth = ["cat"] * 40 + ["dog"] * 10
    >>> found = confusion_from_clean(truth, ["cat"] * 36 + ["dog"] * 14)
    >>> found.matrix
    array([[0.9, 0. ],
           [0.1, 1. ]])
    >>> print(found.summary())
    noise matrix from 50 clean rows; intervals: 95 %
    class  rows  prior  kept   interval        most often mistaken for
    cat    40    0.800  0.900  [0.769, 0.960]  dog 0.100 [0.040, 0.231]
    dog    10    0.200  1.000  [0.722, 1.000]  -
    condition number 1.16; undoing the noise multiplies errors by up to 1.11
    """
    true = as_labels(y_true, "y_true")
    observed = as_labels(y_observed, "y_observed")
    order = class_list(classes, true, observed)
    weights = as_weights(sample_weight, len(true))
    codes = encode(observed, order), encode(true, order)
    counts = pair_counts(*codes, len(order), weights)
    squares = np.bincount(codes[1], weights**2, len(order))
    sizes = np.divide(counts.sum(axis=0) ** 2, squares, out=np.zeros(len(order)), where=squares > 0)
    rules = CountingRules(smoothing, laplace, on_empty, interval, confidence)
    estimate = rules.apply(counts, sizes, order, f"{len(true)} clean rows")
    if all_observed is None:
        return estimate
    labels = as_labels(all_observed, "all_observed")
    everyone = encode(labels, class_list(order, labels))
    inverse = invert_noise(estimate.matrix, classes=order).inverse
    prior = recover_priors(np.bincount(everyone, minlength=len(order)), inverse)
    return replace(estimate, prior=prior)


def confusion_from_classifier(
    estimator: Any,
    X: Any,
    y: ArrayLike,
    *,
    cv: Any = 5,
    n_jobs: int | None = None,
    **options: Any,
) -> ConfusionEstimate:
    """Estimate how a classifier errs on rows that it has not seen, by cross-validation.

    Trained on all these rows in the end, the classifier will err somewhat less than was measured.

    Parameters
    ----------
    estimator : classifier
        Cloned, not changed.
    X : array-like or sparse matrix of shape (n_samples, n_features)
    y : array-like of shape (n_samples,)
        Clean labels; at least two rows of each class.
    cv : int or splitter, default=5
        Folds. Whole numbers make stratified folds, no more than the smallest class has rows.
    n_jobs : int, optional
    **options
        Those of :func:`confusion_from_clean`.

    Returns
    -------
    ConfusionEstimate

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> confusion_from_classifier(DecisionTreeClassifier(max_depth=1), X, y).matrix
    array([[1., 0., 0.],
           [0., 1., 1.],
           [0., 0., 0.]])
    """
    true = as_labels(y, "y")
    names, sizes = np.unique(true, return_counts=True)
    if sizes.min() < 2:
        raise ValueError(
            f"class {names[sizes.argmin()].item()!r} has a single row: cross-validation needs two, "
            "one to learn from and one to test."
        )
    folds = min(int(cv), int(sizes.min())) if isinstance(cv, int | np.integer) else cv
    answers = cross_val_predict(clone(estimator), X, true, cv=folds, n_jobs=n_jobs)
    estimate = confusion_from_clean(true, answers, **options)
    name = type(estimator).__name__
    return replace(estimate, source=f"out-of-fold predictions of {name} on {len(true)} rows")


def confusion_from_annotators(
    annotations: Any,
    *,
    who: Any = "pooled",
    classes: ArrayLike | None = None,
    missing: Any = None,
    em_smoothing: float = 0.01,
    max_iter: int = 200,
    n_bootstrap: int = 50,
    rng: np.random.Generator | int | None = 0,
    smoothing: float = 0.0,
    laplace: float = 0.0,
    on_empty: str = "raise",
    interval: str = "wilson",
    confidence: float = 0.95,
) -> ConfusionEstimate:
    """Estimate a noise matrix from several labels per row, none of which is certain.

    Parameters
    ----------
    annotations : array-like or dataframe of shape (n_items, n_annotators)
        See :func:`~uneven.noise.annotators.dawid_skene`. Items without labels are left out.
    who : {"pooled", "majority"} or a column, default="pooled"
        Whose noise: that of a label picked at random among all; that of the label most often given
        to an item; that of one annotator, by column name or position.
    classes, missing, max_iter
        See :func:`~uneven.noise.annotators.dawid_skene`.
    em_smoothing : float, default=0.01
        Its ``smoothing``.
    n_bootstrap : int, default=50
        How often the items are drawn again, and everything estimated anew, to learn how uncertain
        the hidden classes make the matrix. With 0 they are taken for known: intervals are then too
        narrow.
    rng : Generator, int or None, default=0
        For drawing items again.
    smoothing, laplace, on_empty, interval, confidence
        See :func:`confusion_from_clean`.

    Returns
    -------
    ConfusionEstimate
        Counts are expected ones. ``sizes``, and with them the intervals, are those of as many
        clean rows as would leave the same uncertainty.

    References
    ----------
    A. Dawid and A. Skene (1979), *Maximum likelihood estimation of observer error-rates using the
    EM algorithm*.

    Examples
    --------
    >>> from uneven.noise import corrupt_labels, uniform_noise
    >>> rng = np.random.default_rng(0)
    >>> truth = rng.integers(2, size=500)
    >>> given = np.column_stack([corrupt_labels(truth, uniform_noise(2, 0.2), rng) for _ in "abc"])
    >>> confusion_from_annotators(given).matrix.round(2)
    array([[0.78, 0.19],
           [0.22, 0.81]])
    """
    model = dawid_skene(
        annotations, classes=classes, missing=missing, smoothing=em_smoothing, max_iter=max_iter
    )
    check_integer("n_bootstrap", n_bootstrap, 0)
    counts, whose = _counts_of(model, who)
    rules = CountingRules(smoothing, laplace, on_empty, interval, confidence)
    source = f"{len(model.annotators)} annotators of {len(model.posterior)} items: {whose}"
    sizes = counts.sum(axis=0) / _inflation(model, who, n_bootstrap, np.random.default_rng(rng))
    return replace(rules.apply(counts, sizes, model.classes, source), prior=model.prior)


def _counts_of(model: AnnotatorModel, who: Any) -> tuple[np.ndarray, str]:
    """Expected counts (row = label, column = true class), and in words whose they are."""
    if who in model.annotators:
        return model.counts[model.annotators.index(who)], f"annotator {who!r}"
    if isinstance(who, str) and who == "pooled":
        return model.counts.sum(axis=0), "a label"
    if isinstance(who, str) and who == "majority":
        answers = np.eye(len(model.classes))[model.votes.argmax(axis=1)]
        return answers.T @ model.posterior, "the majority"
    raise ValueError(
        f"who must be 'pooled', 'majority' or one of {model.annotators[:8]}; got {who!r}."
    )


def _inflation(model: AnnotatorModel, who: Any, times: int, rng: np.random.Generator) -> np.ndarray:
    """How much more the rates of each class vary than if the true classes were known.

    It hardly depends on the number of items, so that a part of many is enough.
    """
    counts, _ = _counts_of(model, who)
    if times < 2:
        return np.ones(len(counts))
    n = len(model.posterior)
    drawn = min(n, _ENOUGH_ITEMS)
    again = [
        _rates(_counts_of(model.refit(rng.integers(n, size=drawn)), who)[0]) for _ in range(times)
    ]
    rates = _rates(counts)
    known = (rates * (1.0 - rates)).sum(axis=0) / np.maximum(counts.sum(axis=0) * drawn / n, 1e-9)
    seen = np.var(again, axis=0, ddof=1).sum(axis=0)
    return np.maximum(np.divide(seen, known, out=np.ones(len(known)), where=known > 0.0), 1.0)


def _rates(counts: np.ndarray) -> np.ndarray:
    return np.asarray(counts / np.maximum(counts.sum(axis=0), 1e-300))
