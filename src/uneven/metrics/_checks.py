"""Checks of the labels, weights and scores of every metric."""

from collections.abc import Sequence
from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils.validation import check_consistent_length, column_or_1d

from uneven.utils.docstrings import described

of_answers = described(
    {
        "y_true": """y_true, y_pred : array-like of shape (n,)
    True and predicted labels.""",
        "labels": """labels : array-like of shape (K,), optional
    Order of the classes; must list every label of ``y_true`` and ``y_pred``. By default the
    sorted union of both. It does not change a measure that is one number.""",
        "sample_weight": """sample_weight : array-like of shape (n,), optional
    Non-negative weights of the examples.""",
    }
)
"""Fills in the parameters that all measures of true and predicted labels share."""


def as_labels(y: ArrayLike, name: str) -> NDArray[Any]:
    """Return ``y`` of shape (n,) as a non-empty array of class labels.

    Labels are text, integers, booleans, or floats with whole values; ``name`` is how the caller's
    argument is called, for the error.

    Examples
    --------
    >>> as_labels(["cat", "dog"], "y_true").tolist()
    ['cat', 'dog']
    """
    labels = column_or_1d(y)
    if labels.size == 0:
        raise ValueError(f"{name} is empty: at least one example is needed.")
    if labels.dtype.kind == "O":
        return _uniform_objects(labels, name)
    if labels.dtype.kind == "f":
        _check_whole(labels, name)
    return labels


def _uniform_objects(labels: NDArray[Any], name: str) -> NDArray[Any]:
    """Return an object array as text or numbers, or say which value is neither."""
    values = labels.tolist()
    if all(isinstance(v, str) for v in values):
        return labels.astype(str)
    if all(isinstance(v, Real) for v in values):
        return as_labels(np.array(values), name)
    usual = Real if isinstance(values[0], Real) else str
    bad = next(i for i, v in enumerate(values) if not isinstance(v, usual))
    raise ValueError(
        f"{name} holds {values[bad]!r} at position {bad}: labels must be all text or all numbers, "
        "with none missing."
    )


def _check_whole(labels: NDArray[Any], name: str) -> None:
    odd = np.flatnonzero(~np.isfinite(labels) | (labels != np.round(labels)))
    if odd.size:
        raise ValueError(
            f"{name} holds {labels[odd[0]]} at position {odd[0]}, which is no class label; pass "
            "classes, not scores, and remove the examples without a label."
        )


def class_list(labels: ArrayLike | None, *targets: NDArray[Any]) -> NDArray[Any]:
    """Return the K classes in the order of the rows and columns of a result.

    ``labels`` of shape (K,) is the caller's order and must list every value of ``targets``,
    arrays of shape (n,); None sorts what they hold.

    Examples
    --------
    >>> class_list(None, np.array([2, 0]), np.array([0, 1])).tolist()
    [0, 1, 2]
    """
    found = np.unique(_joined(targets))
    if labels is None:
        return found
    listed = column_or_1d(labels)
    if listed.size == 0:
        raise ValueError("labels is empty: list every class, or pass labels=None.")
    if len(np.unique(listed)) < len(listed):
        raise ValueError(f"labels holds a class twice: {listed.tolist()}.")
    unlisted = sorted(set(found.tolist()) - set(listed.tolist()))
    if unlisted:
        raise ValueError(
            f"labels={listed.tolist()} does not list {unlisted}, which the data contains; "
            "add the missing classes or remove their examples."
        )
    return listed


def encode(y: NDArray[Any], classes: NDArray[Any]) -> NDArray[np.intp]:
    """Return the position in ``classes`` (K,), in any order, of each label of ``y`` (n,).

    Examples
    --------
    >>> encode(np.array(["b", "a"]), np.array(["b", "a"])).tolist()
    [0, 1]
    """
    order = np.argsort(classes)
    return order[np.searchsorted(classes, y, sorter=order)]


def pair_counts(
    first: NDArray[np.intp],
    second: NDArray[np.intp],
    k: int,
    weights: NDArray[np.float64] | None = None,
) -> NDArray[np.float64]:
    """Return how often, or with which weight, each two codes below ``k`` meet, shape (k, k).

    Examples
    --------
    >>> pair_counts(np.array([0, 0, 1]), np.array([0, 1, 1]), 2)
    array([[1., 1.],
           [0., 1.]])
    """
    counts = np.bincount(first * k + second, weights, minlength=k * k)
    return counts.astype(np.float64, copy=False).reshape(k, k)


def as_weights(sample_weight: ArrayLike | None, n: int) -> NDArray[np.float64]:
    """Return one finite non-negative weight per example, shape (n,); ones by default.

    Examples
    --------
    >>> as_weights(None, 2).tolist()
    [1.0, 1.0]
    """
    if sample_weight is None:
        return np.ones(n)
    weights = column_or_1d(sample_weight).astype(np.float64)
    if len(weights) != n:
        raise ValueError(f"sample_weight has {len(weights)} values for {n} examples.")
    if not np.isfinite(weights).all() or (weights < 0).any():
        bad = int(np.flatnonzero(~(np.isfinite(weights) & (weights >= 0)))[0])
        raise ValueError(
            f"sample_weight holds {weights[bad]} at position {bad}: "
            "weights must be finite and not negative."
        )
    if not weights.any():
        raise ValueError("sample_weight is zero everywhere: no example would count.")
    return weights


def as_scores(scores: ArrayLike, n: int) -> NDArray[np.float64]:
    """Return scores with one column per class, shape (n, K).

    A 1-D array is a binary decision value (positive favours the second class) and is split evenly
    between two columns.

    Examples
    --------
    >>> as_scores([3.0, -1.0], 2).tolist()
    [[-1.5, 1.5], [0.5, -0.5]]
    """
    array = np.asarray(scores, dtype=np.float64)
    if array.ndim not in (1, 2):
        raise ValueError(f"scores has shape {array.shape}; expected (n, K), or (n,) for K = 2.")
    if len(array) != n:
        raise ValueError(f"scores has {len(array)} rows for {n} examples.")
    if np.isnan(array).any():
        rows = np.flatnonzero(np.isnan(array.reshape(n, -1)).any(axis=1))
        raise ValueError(
            f"scores is NaN in {len(rows)} of {n} rows (first: row {rows[0]}); "
            "a missing score has no rank, so repair or drop these rows."
        )
    if array.ndim == 1:
        return np.column_stack([-array / 2, array / 2])
    return array


def scored_classes(y: NDArray[Any], n_columns: int, labels: ArrayLike | None) -> NDArray[Any]:
    """Return the class of each score column, shape (n_columns,).

    ``labels`` names them; None takes the sorted labels of ``y`` (n,).

    Examples
    --------
    >>> scored_classes(np.array([1, 0, 1]), 2, None).tolist()
    [0, 1]
    """
    classes = class_list(labels, y)
    if len(classes) != n_columns:
        origin = "labels lists" if labels is not None else "y_true contains"
        raise ValueError(
            f"scores has {n_columns} columns but {origin} {len(classes)} classes "
            f"{classes.tolist()}; pass labels= with the class of each column "
            "(the estimator's classes_)."
        )
    return classes


def _joined(targets: Sequence[NDArray[Any]]) -> NDArray[Any]:
    check_consistent_length(*targets)
    kinds = {"text" if t.dtype.kind in "OUS" else "number" for t in targets}
    if len(kinds) > 1:
        raise ValueError(
            "y_true and y_pred mix text and number labels: convert one of them, "
            "for instance with y_pred.astype(str)."
        )
    return np.concatenate(targets)


def without_last_bits(scores: NDArray[np.float64]) -> NDArray[np.float64]:
    """Scores in 40 bits, about twelve digits: what only rounding errors keep apart is equal.

    A vote gives many rows the same score, but for the order in which its terms were added.

    Parameters
    ----------
    scores : ndarray of any shape

    Returns
    -------
    ndarray of the same shape
    """
    fraction, exponent = np.frexp(scores)
    return np.ldexp(np.rint(fraction * 2.0**40), exponent - 40)
