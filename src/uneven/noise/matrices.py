r"""Noise matrices: how often each true class gets each label.

``C[i, j] = P(observed = i | true = j)``: a column per true class, a row per observed label, every
column sums to 1. On average the noise multiplies by ``C``, so its inverse undoes it on average:
``C^-1`` times the observed class frequencies are the true ones. How much the inverse magnifies
how much it magnifies chance is its *amplification*, the largest absolute entry of each of its rows.

References
----------
U. Louche (2016), chapters 3 and 4.

Notes
-----
Corrections of the source: a matrix with all ``C[j, j] > 1/2`` is invertible by the dominance of
its columns (the text says rows); random noise matrices are normalised by columns.
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import ArrayLike

from uneven.metrics._checks import class_list
from uneven.utils.simplex import check_column_sums

_NEGATIVE_TOLERANCE = 1e-12
_ALARMING_CONDITION = 1e3
_SHRINKAGES = (1e-3, 1e-2, 0.05, 0.1, 0.2, 0.4)


@dataclass(frozen=True)
class NoiseInverse:
    """A noise matrix with its inverse.

    Attributes
    ----------
    matrix : ndarray of shape (n_classes, n_classes)
        The noise matrix that was inverted; shrunk towards the identity if that was requested.
    inverse : ndarray of shape (n_classes, n_classes)
        Its columns sum to 1, too (unless it is a pseudo-inverse).
    condition : float
        Condition number of ``matrix``.
    amplification : ndarray of shape (n_classes,)
        Largest absolute entry of each row of the inverse: the errors of what is estimated for a
        true class grow with it.
    shrinkage : float
        Weight of the identity in ``matrix``.
    """

    matrix: np.ndarray
    inverse: np.ndarray
    condition: float
    amplification: np.ndarray
    shrinkage: float = 0.0


def check_noise_matrix(matrix: Any, classes: Any = None) -> np.ndarray:
    """Validate a noise matrix.

    Parameters
    ----------
    matrix : array-like, dataframe or ConfusionEstimate of shape (n_classes, n_classes)
        Column = true class, row = observed label; columns sum to 1. An estimate, or a dataframe
        whose index and columns both name the classes, is put in the order of ``classes``. A
        polars frame cannot name its rows: it must be in that order.
    classes : array-like of shape (n_classes,), optional
        The class labels, in order.

    Returns
    -------
    ndarray of shape (n_classes, n_classes)

    Examples
    --------
    >>> check_noise_matrix([[0.9, 0.3], [0.1, 0.7]])
    array([[0.9, 0.3],
           [0.1, 0.7]])
    >>> check_noise_matrix([[0.9, 0.1], [0.3, 0.7]])
    Traceback (most recent call last):
    ...
    ValueError: noise_matrix: its rows sum to 1, its columns do not: it looks transposed. ...
    """
    if sp.issparse(matrix):
        raise ValueError("noise_matrix is sparse: pass noise_matrix.toarray().")
    if classes is not None:
        classes = np.asarray(classes)
        matrix = _in_class_order(matrix, classes)
    try:
        noise = np.array(matrix, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise ValueError(f"noise_matrix must be a square array of numbers: {error}.") from None
    if noise.ndim != 2 or noise.shape[0] != noise.shape[1] or not noise.size:
        raise ValueError(f"noise_matrix must be square, got shape {noise.shape}.")
    if classes is not None and len(noise) != len(classes):
        raise ValueError(
            f"noise_matrix has shape {noise.shape}, but there are {len(classes)} classes "
            f"({_listing(classes)}): it needs one row per observed label and one column per true "
            "class, in sorted class order."
        )
    if not np.isfinite(noise).all() or (noise < -_NEGATIVE_TOLERANCE).any():
        raise ValueError("noise_matrix must hold finite probabilities >= 0.")
    noise = np.maximum(noise, 0.0)
    check_column_sums(noise, "noise_matrix")
    return np.asarray(noise / noise.sum(axis=0))


def warn_of_alike_classes(noise: np.ndarray, classes: np.ndarray) -> None:
    """Warn if a noise matrix gives two classes the same labels: no learner can separate them.

    noise: (n_classes, n_classes); classes: (n_classes,).

    Examples
    --------
    >>> import warnings
    >>> with warnings.catch_warnings(record=True) as found:
    ...     warn_of_alike_classes(np.array([[0.5, 0.5], [0.5, 0.5]]), np.array(["cat", "dog"]))
    >>> str(found[0].message)
    "noise_matrix: classes 'cat' and 'dog' get the same labels ... cannot be told apart ..."
    """
    alike = _alike(noise)
    if alike:
        first, second = (classes[k : k + 1].tolist()[0] for k in alike)
        warnings.warn(
            f"noise_matrix: classes {first!r} and {second!r} get the same labels (equal columns), "
            "so they cannot be told apart by labels. Mark rows of certain labels by clean=.",
            UserWarning,
            stacklevel=4,
        )


def learning_matrix(matrix: Any, classes: Any = None) -> np.ndarray:
    """The noise matrix that a learner that undoes noise should use.

    matrix, classes: as in `check_noise_matrix`. Returns (n_classes, n_classes): an estimate is
    shrunk by its own uncertainty first, since what inverts it multiplies its errors.

    Examples
    --------
    >>> learning_matrix([[0.9, 0.3], [0.1, 0.7]]).tolist()
    [[0.9, 0.3], [0.1, 0.7]]
    """
    shrunk = matrix.shrunk() if hasattr(matrix, "shrunk") else matrix
    return check_noise_matrix(shrunk, classes)


def invert_noise(
    matrix: np.ndarray,
    on_singular: str = "raise",
    max_condition: float = 1e6,
    classes: ArrayLike | None = None,
) -> NoiseInverse:
    """Invert a noise matrix, or raise an error that gives the reason.

    Parameters
    ----------
    matrix : ndarray of shape (n_classes, n_classes)
        As :func:`check_noise_matrix` returns it.
    on_singular : {"raise", "shrink", "pinv"}, default="raise"
        What to do if the condition number is above ``max_condition``: refuse; mix the matrix with
        the identity, as little as needed; use the pseudo-inverse.
    max_condition : float, default=1e6
    classes : array-like of shape (n_classes,), optional
        What to call the classes in an error; by default their positions.

    Returns
    -------
    NoiseInverse

    Examples
    --------
    >>> invert_noise(np.array([[0.9, 0.3], [0.1, 0.7]])).inverse
    array([[ 1.16666667, -0.5       ],
           [-0.16666667,  1.5       ]])
    """
    if on_singular not in ("raise", "shrink", "pinv"):
        raise ValueError(
            f"on_singular must be one of 'raise', 'shrink', 'pinv'; got {on_singular!r}."
        )
    names = list(range(len(matrix))) if classes is None else np.asarray(classes).tolist()
    condition = float(np.linalg.cond(matrix))
    if condition <= max_condition:
        if condition > _ALARMING_CONDITION:
            warnings.warn(
                f"the noise matrix has condition number {condition:.3g}: what is estimated through "
                "its inverse will be very uncertain.",
                stacklevel=3,
            )
        return _inverted(matrix, np.linalg.inv(matrix))
    if on_singular == "raise":
        raise ValueError(
            f"the noise matrix cannot be undone: {_singular_reason(matrix, names)} (condition "
            f"number {condition:.3g}, at most {max_condition:g}). Merge or drop such classes, or "
            "use invert_noise(matrix, on_singular='shrink').matrix, which mixes in the identity."
        )
    if on_singular == "pinv":
        return _inverted(matrix, np.linalg.pinv(matrix))
    for share in _SHRINKAGES:
        shrunk = (1.0 - share) * matrix + share * np.eye(len(matrix))
        if np.linalg.cond(shrunk) <= max_condition:
            return _inverted(shrunk, np.linalg.inv(shrunk), share)
    raise ValueError(
        f"the noise matrix cannot be undone: {_singular_reason(matrix, names)}, and mixing it with "
        "40 % of the identity does not help. Pass on_singular='pinv', or raise max_condition."
    )


def reverse_matrix(matrix: np.ndarray, prior: np.ndarray) -> np.ndarray:
    """Turn ``P(observed = i | true = j)`` into ``P(true = i | observed = j)``, by Bayes' rule.

    The two are different inputs: no function of this library takes one for the other.

    Parameters
    ----------
    matrix : ndarray of shape (n_classes, n_classes)
        Noise matrix (or the reverse of one, to turn it back).
    prior : ndarray of shape (n_classes,)
        Frequencies of the true classes (of the observed labels, to turn it back).

    Returns
    -------
    ndarray of shape (n_classes, n_classes)
        Columns sum to 1; a label that never occurs keeps a column of zeros.

    Examples
    --------
    >>> reverse_matrix(np.array([[0.9, 0.3], [0.1, 0.7]]), np.array([0.5, 0.5]))
    array([[0.75 , 0.125],
           [0.25 , 0.875]])
    """
    joint = matrix * np.asarray(prior, dtype=np.float64)
    seen = joint.sum(axis=1, keepdims=True)
    return np.divide(joint, seen, out=np.zeros_like(joint), where=seen > 0.0).T


def match_classes(
    matrix: Any, classes: ArrayLike | None, *labels: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Validate a noise matrix, and find the class of each of its rows and columns.

    matrix: (n_classes, n_classes); classes: (n_classes,) or None, by default the names of a
    dataframe, else the sorted labels; *labels: (n_samples,), labels, all of which must be among the
    classes. Returns matrix: (n_classes, n_classes); classes: (n_classes,).

    Examples
    --------
    >>> import pandas
    >>> names = ["dog", "cat"]
    >>> frame = pandas.DataFrame([[0.9, 0.0], [0.1, 1.0]], index=names, columns=names)
    >>> match_classes(frame, None, np.array(["cat"]))
    (array([[1. , 0.1],
           [0. , 0.9]]), array(['cat', 'dog'], dtype='<U3'))
    """
    if classes is None:
        classes = _named_classes(matrix, labels[0])
    order = class_list(classes, *labels)
    shape = np.shape(matrix)
    if classes is None and len(shape) == 2 and shape[0] > len(order):
        raise ValueError(
            f"noise_matrix has shape {shape}, but the labels show only the classes "
            f"{_listing(order)}: pass classes= with the class of each row and column."
        )
    return check_noise_matrix(matrix, order), order


def _names(matrix: Any) -> tuple[list[Any], list[Any]] | None:
    """What a frame or an estimate calls its rows and columns; None if they have no names."""
    if hasattr(matrix, "matrix") and hasattr(matrix, "classes"):
        return matrix.classes.tolist(), matrix.classes.tolist()
    if not hasattr(matrix, "loc"):
        return None
    index, columns = list(matrix.index), list(matrix.columns)
    return None if index == columns == list(range(len(columns))) else (index, columns)


def _named_classes(matrix: Any, labels: np.ndarray) -> np.ndarray | None:
    """The classes that a matrix names, sorted, in the type of the labels; else None."""
    found = _names(matrix)
    if found is None:
        return None
    names = np.asarray(found[1])
    if labels.dtype.kind in "iuf" and names.dtype.kind == "U":
        try:
            names = names.astype(labels.dtype)
        except ValueError:
            raise ValueError(
                f"noise_matrix names the classes {_listing(names)}, but the labels are numbers, "
                f"such as {labels[0]}."
            ) from None
    return np.unique(names)


def _in_class_order(matrix: Any, classes: np.ndarray) -> Any:
    """Rows and columns of a labelled matrix in the order of the classes; anything else as it is."""
    wanted = list(map(_spell, classes.tolist()))
    found = _names(matrix)
    if found is None:
        columns = list(map(_spell, getattr(matrix, "columns", wanted)))
        if columns != wanted and sorted(columns) == sorted(wanted) and not hasattr(matrix, "loc"):
            raise ValueError(
                f"noise_matrix: its columns are {_listing(columns)}, and this kind of frame cannot "
                f"name its rows: put rows and columns in the order {_listing(wanted)}."
            )
        return matrix
    places = []
    for axis, names in zip(("index", "columns"), found):
        spelt = list(map(_spell, names))
        if sorted(spelt) != sorted(wanted):
            raise ValueError(f"noise_matrix: the names of its {axis} {_difference(spelt, wanted)}.")
        places.append([spelt.index(name) for name in wanted])
    return np.asarray(matrix)[np.ix_(*places)]


def _spell(name: Any) -> str:
    """A class as text: 1 and 1.0 are one class."""
    return str(int(name)) if isinstance(name, float) and name.is_integer() else str(name)


def _difference(spelt: list[str], wanted: list[str]) -> str:
    """In which names a list differs from the classes."""
    doubled = sorted({name for name in spelt if spelt.count(name) > 1})
    unknown = [name for name in dict.fromkeys(spelt) if name not in wanted]
    missing = [name for name in wanted if name not in spelt]
    parts = [
        f"hold {_listing(unknown)}, which no label shows," if unknown else "",
        f"lack {_listing(missing)}" if missing else "",
        f"hold {_listing(doubled)} twice" if doubled else "",
    ]
    told = " and ".join(filter(None, parts)).rstrip(",")
    return f"{told}; the classes are {_listing(wanted)}"


def _listing(names: Any, most: int = 8) -> str:
    """Names for a sentence, with a sign that the list is longer."""
    shown = [repr(name) for name in np.asarray(names).tolist()]
    return ", ".join(shown[:most]) + (f", … ({len(shown)} in all)" if len(shown) > most else "")


def _inverted(matrix: np.ndarray, inverse: np.ndarray, shrinkage: float = 0.0) -> NoiseInverse:
    condition = float(np.linalg.cond(matrix))
    return NoiseInverse(matrix, inverse, condition, np.abs(inverse).max(axis=1), shrinkage)


def _singular_reason(matrix: np.ndarray, names: list[Any]) -> str:
    """Why a noise matrix has no useful inverse."""
    never = np.flatnonzero(matrix.sum(axis=1) <= _NEGATIVE_TOLERANCE)
    if len(never):
        return f"label {names[never[0]]!r} is never given (its row is zero)"
    alike = _alike(matrix)
    if alike:
        first, second = (names[k] for k in alike)
        return f"classes {first!r} and {second!r} get the same labels (equal columns)"
    return "it is singular or nearly so"


def _alike(matrix: np.ndarray) -> tuple[int, int] | None:
    """The two classes with the most similar columns, if these are equal."""
    if len(matrix) < 2:
        return None
    gaps = np.abs(matrix[:, :, None] - matrix[:, None, :]).sum(axis=0)
    np.fill_diagonal(gaps, np.inf)
    i, j = sorted(map(int, np.unravel_index(int(gaps.argmin()), gaps.shape)))
    return (i, j) if gaps[i, j] <= 1e-4 else None
