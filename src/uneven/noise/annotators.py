r"""Several annotators, no clean label: who is right, and how does each of them err?

The model of Dawid and Skene: every item has a hidden true class, drawn from a class prior, and
annotator ``a`` labels it by a noise matrix of his own, independently of the others. Expectation
maximisation alternates two steps that each have a formula:

- given matrices and prior, the probability of each class for each item (Bayes' rule);
- given these probabilities, matrices and prior are (expected) counts, divided by their sums.

The likelihood never decreases. It is the same for every renaming of the true classes; starting from
the shares of the votes picks the renaming under which annotators are mostly right. If most of them
mistake one class for another most of the time, the labels cannot show it.

Why not a library: crowd-kit has this model, but installs transformers, nltk and a client of a model
hub with it, takes and gives long pandas frames only, and has neither smoothing nor the counts
that confidence intervals are based on.

References
----------
A. Dawid and A. Skene (1979), *Maximum likelihood estimation of observer error-rates using the EM
algorithm*.
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass, field
from numbers import Real
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import ArrayLike

from uneven.metrics._checks import as_labels, class_list, encode
from uneven.utils.parameters import check_integer


@dataclass(frozen=True, eq=False)
class AnnotatorModel:
    """Model of the labels of several annotators (Dawid and Skene).

    Attributes
    ----------
    classes : ndarray of shape (n_classes,)
    annotators : list of length n_annotators
        Names of the columns, or their positions.
    matrices : ndarray of shape (n_annotators, n_classes, n_classes)
        Noise matrix of each annotator: column = true class, row = given label.
    prior : ndarray of shape (n_classes,)
        Frequencies of the true classes.
    posterior : ndarray of shape (n_items, n_classes)
        Probability of each class for each item.
    given : csr_array of shape (n_items, n_annotators * n_classes)
        A 1 where that annotator gave that label.
    counts : ndarray of shape (n_annotators, n_classes, n_classes)
        Expected number of items of each true class (columns) and given label (rows).
    log_likelihood : ndarray of shape (n_iter,)
        After each iteration, the logarithm of the prior of the smoothing included.
    converged : bool
    smoothing : float
    items : ndarray of int, shape (n_items,)
        Row of each item in the annotations: rows without labels are left out.
    """

    classes: np.ndarray
    annotators: list[Any]
    matrices: np.ndarray
    prior: np.ndarray
    posterior: np.ndarray
    given: sp.csr_array = field(repr=False)
    counts: np.ndarray = field(repr=False)
    log_likelihood: np.ndarray = field(repr=False)
    converged: bool
    smoothing: float
    items: np.ndarray = field(repr=False)

    @property
    def labels(self) -> np.ndarray:
        """The most probable class of each item, shape (n_items,)."""
        return np.asarray(self.classes[self.posterior.argmax(axis=1)])

    @property
    def votes(self) -> np.ndarray:
        """How many annotators gave each label to each item, shape (n_items, n_classes)."""
        return _LabelTable(self.classes, self.annotators, self.given, self.items).votes

    @property
    def majority(self) -> np.ndarray:
        """The label most often given to each item, the first of equals, shape (n_items,)."""
        return np.asarray(self.classes[self.votes.argmax(axis=1)])

    def refit(self, items: np.ndarray, max_iter: int = 100, tol: float = 1e-6) -> AnnotatorModel:
        """The model of some of the items, starting from what is known about them.

        Parameters
        ----------
        items : ndarray of int, shape (n_drawn,)
            Positions, some perhaps repeated.
        max_iter, tol
            See :func:`dawid_skene`.

        Returns
        -------
        AnnotatorModel
        """
        drawn = self.given[items], self.items[items]
        table = _LabelTable(self.classes, self.annotators, *drawn)
        return _climb(table, self.posterior[items], self.smoothing, max_iter, tol)


def dawid_skene(
    annotations: Any,
    *,
    classes: ArrayLike | None = None,
    missing: Any = None,
    smoothing: float = 0.01,
    max_iter: int = 200,
    tol: float = 1e-8,
) -> AnnotatorModel:
    """Estimate true classes and the noise matrix of each annotator.

    Parameters
    ----------
    annotations : array-like or dataframe of shape (n_items, n_annotators)
        The labels. NaN, None and the NA of dataframes stand for "not labelled by this one". Rows
        without any label are left out, with a warning.
    classes : array-like of shape (n_classes,), optional
        By default the sorted labels.
    missing : object, optional
        A further value that stands for "not labelled", such as -1 or an empty string.
    smoothing : float, default=0.01
        Added to every expected count, so that nothing is held to be impossible.
    max_iter : int, default=200
    tol : float, default=1e-8
        Stop once an iteration gains less than this per label in log-likelihood.

    Returns
    -------
    AnnotatorModel

    Examples
    --------
    >>> from uneven.noise import corrupt_labels, uniform_noise
    >>> rng = np.random.default_rng(0)
    >>> truth = rng.integers(3, size=400)
    >>> rates = (0.1, 0.3, 0.5, 0.5)
    >>> given = np.column_stack([corrupt_labels(truth, uniform_noise(3, r), rng) for r in rates])
    >>> model = dawid_skene(given)
    >>> [round(float(1 - np.diag(matrix).mean()), 2) for matrix in model.matrices]
    [0.12, 0.28, 0.48, 0.49]
    >>> round(float((model.labels != truth).mean()), 2)
    0.12
    >>> round(float((model.majority != truth).mean()), 2)
    0.18
    """
    check_integer("max_iter", max_iter, 1)
    for name, value in (("smoothing", smoothing), ("tol", tol)):
        if not isinstance(value, Real) or not 0.0 <= float(value) < np.inf:
            raise ValueError(f"{name} must be a finite number of at least 0, got {value!r}.")
    table = _LabelTable.read(annotations, classes, missing)
    shares = table.votes / table.votes.sum(axis=1, keepdims=True)
    model = _climb(table, shares, float(smoothing), max_iter, tol)
    _warn_of_renaming(model)
    return model


@dataclass(frozen=True)
class _LabelTable:
    """Given labels, as the sums over them need them.

    Attributes
    ----------
    classes : ndarray of shape (n_classes,)
    annotators : list of length n_annotators
    given : csr_array of shape (n_items, n_annotators * n_classes)
        A 1 where that annotator gave that label.
    items : ndarray of int, shape (n_items,)
        Which rows of the annotations they are.
    """

    classes: np.ndarray
    annotators: list[Any]
    given: sp.csr_array
    items: np.ndarray

    @classmethod
    def read(cls, annotations: Any, classes: ArrayLike | None, missing: Any) -> _LabelTable:
        cells, annotators = _as_cells(annotations)
        known = ~_is_missing(cells, missing)
        kept = np.flatnonzero(known.any(axis=1))
        if not len(kept):
            raise ValueError(f"there is no label of any of the {len(cells)} items.")
        if len(kept) < len(cells):
            _warn_of_bare_items(len(cells) - len(kept), len(cells))
            cells, known = cells[kept], known[kept]
        if not known.any(axis=0).all():
            silent = annotators[int(np.flatnonzero(~known.any(axis=0))[0])]
            raise ValueError(f"annotator {silent!r} gave no label: drop that column.")
        labels = as_labels(cells[known], "annotations")
        order = class_list(classes, labels)
        items, who = np.nonzero(known)
        columns = who * len(order) + encode(labels, order)
        shape = (len(cells), len(annotators) * len(order))
        given = sp.csr_array((np.ones(len(items)), (items, columns)), shape=shape)
        return cls(order, annotators, given, kept)

    @property
    def votes(self) -> np.ndarray:
        """How often each item got each label, shape (n_items, n_classes)."""
        k = len(self.classes)
        sums = self.given @ np.tile(np.eye(k), (len(self.annotators), 1))
        return np.asarray(sums)

    def count(self, posterior: np.ndarray) -> np.ndarray:
        """Expected counts, shape (n_annotators, n_classes, n_classes)."""
        k = len(self.classes)
        return np.asarray(self.given.T @ posterior).reshape(len(self.annotators), k, k)

    def maximise(self, posterior: np.ndarray, smoothing: float) -> tuple[np.ndarray, np.ndarray]:
        """Noise matrices and class prior that fit the probable classes best."""
        counts = self.count(posterior) + smoothing
        sizes = counts.sum(axis=1, keepdims=True)
        even = np.full_like(counts, 1.0 / len(self.classes))
        matrices = np.divide(counts, sizes, out=even, where=sizes > 0.0)
        prior = posterior.sum(axis=0) + smoothing
        return matrices, prior / prior.sum()

    def expect(
        self, matrices: np.ndarray, prior: np.ndarray, smoothing: float
    ) -> tuple[np.ndarray, float]:
        """Probability of each class for each item, and the smoothed log-likelihood."""
        with np.errstate(divide="ignore"):
            log_matrices, log_prior = np.log(matrices), np.log(prior)
        joint = self.given @ log_matrices.reshape(-1, len(prior)) + log_prior
        peak = joint.max(axis=1, keepdims=True)
        shares = np.exp(joint - peak)
        total = shares.sum(axis=1, keepdims=True)
        reached = float((peak + np.log(total)).sum())
        if smoothing > 0.0:
            reached += smoothing * float(log_matrices.sum() + log_prior.sum())
        return shares / total, reached


def _climb(
    table: _LabelTable, posterior: np.ndarray, smoothing: float, max_iter: int, tol: float
) -> AnnotatorModel:
    """Expectation maximisation from these probabilities of the classes of the items."""
    history: list[float] = []
    converged = False
    while not converged and len(history) < max_iter:
        matrices, prior = table.maximise(posterior, smoothing)
        posterior, reached = table.expect(matrices, prior, smoothing)
        converged = bool(history) and reached - history[-1] <= tol * table.given.nnz
        history.append(reached)
    return AnnotatorModel(
        classes=table.classes,
        annotators=table.annotators,
        matrices=matrices,
        prior=prior,
        posterior=posterior,
        given=table.given,
        counts=table.count(posterior),
        log_likelihood=np.array(history),
        converged=converged,
        smoothing=smoothing,
        items=table.items,
    )


def _as_cells(annotations: Any) -> tuple[np.ndarray, list[Any]]:
    """The labels as an array of objects, and what their columns are called."""
    cells = np.asarray(annotations)
    if cells.ndim != 2 or not cells.size:
        raise ValueError(
            f"annotations has shape {cells.shape}: it needs one row per item and one column per "
            "annotator."
        )
    if cells.shape[1] < 2:
        raise ValueError(
            "annotations has a single column: the reliability of one annotator alone cannot be "
            "estimated. Use a few clean labels instead."
        )
    if cells.shape[1] == 2:
        warnings.warn(
            "two annotators leave open which of them is wrong where they differ: use three or "
            "more.",
            stacklevel=5,
        )
    columns = getattr(annotations, "columns", None)
    return cells, list(range(cells.shape[1]) if columns is None else columns)


def _is_missing(cells: np.ndarray, missing: Any) -> np.ndarray:
    """Where there is no label, shape (n_items, n_annotators)."""
    if cells.dtype.kind == "f":
        absent = np.isnan(cells)
    elif cells.dtype.kind == "O":
        flat = [cell is None or str(cell) in ("nan", "<NA>", "NaT") for cell in cells.flat]
        absent = np.array(flat).reshape(cells.shape)
    else:
        absent = np.zeros(cells.shape, dtype=bool)
    if missing is not None:
        absent[~absent] = cells[~absent] == missing
    return absent


def _warn_of_bare_items(lost: int, total: int) -> None:
    are = "is" if lost == 1 else "are"
    warnings.warn(
        f"no annotator labelled {lost} of {total} items, which {are} left out.", stacklevel=4
    )


def _warn_of_renaming(model: AnnotatorModel) -> None:
    """Warn of classes that annotators mostly call otherwise."""
    likeliest = model.matrices.mean(axis=0).argmax(axis=0)
    odd = np.flatnonzero((likeliest != np.arange(len(likeliest))) & (model.prior > 1e-3))
    if len(odd):
        names = model.classes[odd[:5]].tolist()
        warnings.warn(
            f"annotators label classes {names} as others more often than as themselves: the true "
            "classes may have changed names. Compare with some clean labels.",
            stacklevel=3,
        )
