"""Checks of probabilities, class codes and weights of rows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from uneven.utils.parameters import Interval
from uneven.utils.validation import check_mass

_SUM_TOLERANCE = 1e-3


def check_probabilities(probabilities: Any, n_classes: int, gaps: bool = False) -> np.ndarray:
    """Probabilities of the classes as an array of shares.

    Parameters
    ----------
    probabilities : array-like of shape (n_samples, n_classes)
    n_classes : int
    gaps : bool, default=False
        Whether whole rows may be NaN.

    Returns
    -------
    ndarray of shape (n_samples, n_classes)

    Examples
    --------
    >>> check_probabilities([[0.5, 0.6]], 2)
    Traceback (most recent call last):
    ...
    ValueError: row 0 of the probabilities sums to 1.1, but probabilities sum to 1.
    """
    shares = np.asarray(probabilities, dtype=np.float64)
    if shares.ndim != 2 or shares.shape[1] != n_classes:
        raise ValueError(
            f"probabilities have the shape {shares.shape}; expected a row per example and a column "
            f"for each of the {n_classes} classes."
        )
    empty = np.isnan(shares).all(axis=1, keepdims=True) & gaps
    filled = np.where(empty, 1.0 / n_classes, shares)
    odd = np.flatnonzero(~np.isfinite(filled).all(axis=1) | (filled < 0.0).any(axis=1))
    if odd.size:
        raise ValueError(
            f"row {odd[0]} of the probabilities holds a number that is none: {shares[odd[0]]}."
        )
    sums = filled.sum(axis=1)
    odd = np.flatnonzero(np.abs(sums - 1.0) > _SUM_TOLERANCE)
    if odd.size:
        raise ValueError(
            f"row {odd[0]} of the probabilities sums to {sums[odd[0]]:.6g}, but probabilities sum "
            "to 1."
        )
    return shares


def check_codes(y: Any, n_samples: int, n_classes: int) -> np.ndarray:
    """Class codes as an array of whole numbers from 0 to ``n_classes - 1``.

    Examples
    --------
    >>> check_codes([0, 3], 2, 3)
    Traceback (most recent call last):
    ...
    ValueError: y must hold class codes from 0 to 2, got 3 at position 1.
    """
    given = np.asarray(y)
    codes = given.astype(np.intp) if given.size else np.zeros(0, dtype=np.intp)
    if given.shape != (n_samples,):
        raise ValueError(f"y has the shape {given.shape}, but there are {n_samples} rows.")
    odd = np.flatnonzero((codes != given) | (codes < 0) | (codes >= n_classes))
    if odd.size:
        raise ValueError(
            f"y must hold class codes from 0 to {n_classes - 1}, got {given[odd[0]]} at position "
            f"{odd[0]}."
        )
    return codes


def effective_mass(sample_weight: Any, n_samples: int) -> np.ndarray:
    """Weights whose sum is the number of equal rows that would be as good evidence (Kish).

    Equal weights of any size become ones; rows of weight 0 count nothing.

    Examples
    --------
    >>> effective_mass([2.0, 2.0, 0.0], 3)
    array([1., 1., 0.])
    >>> effective_mass([9.0, 1.0], 2).sum().round(2)
    np.float64(1.22)
    """
    if n_samples == 0:
        return np.zeros(0)
    mass = check_mass(sample_weight, n_samples)
    mass = mass / mass.max()
    return np.asarray(mass * (mass.sum() / (mass @ mass)))


def class_evidence(mass: np.ndarray, codes: np.ndarray) -> np.ndarray:
    """Weights whose sum over a class is the number of equal rows that are as good evidence (Kish).

    Parameters
    ----------
    mass : ndarray of shape (n_samples,)
        Weights; only their ratios within a class count.
    codes : ndarray of int, shape (n_samples,)

    Returns
    -------
    ndarray of shape (n_samples,)

    Examples
    --------
    >>> class_evidence(np.array([1.0, 1.0, 50.0, 0.0]), np.array([0, 0, 1, 1]))
    array([1., 1., 1., 0.])
    """
    if not len(codes):
        return np.zeros(0)
    largest = np.zeros(codes.max() + 1)
    np.maximum.at(largest, codes, mass)
    scaled = mass / np.where(largest > 0.0, largest, 1.0)[codes]
    once, twice = np.bincount(codes, scaled), np.bincount(codes, scaled**2)
    return np.asarray(scaled * (once / np.where(twice > 0.0, twice, 1.0))[codes])


def share_of_classes(codes: np.ndarray, mass: np.ndarray, n_classes: int) -> np.ndarray:
    """Share of each class in the mass, shape (n_classes,); one without rows counts half a row."""
    sizes = np.bincount(codes, weights=mass, minlength=n_classes)
    sizes = np.where(sizes > 0.0, sizes, 0.5)
    return np.asarray(sizes / sizes.sum())


def class_code(label: Any, classes: Sequence[Any]) -> int:
    """Position of a label among the classes.

    Examples
    --------
    >>> class_code("c", ["a", "b"])
    Traceback (most recent call last):
    ...
    ValueError: there is no class 'c'; the classes are ['a', 'b'].
    """
    if label not in classes:
        raise ValueError(f"there is no class {label!r}; the classes are {list(classes[:10])}.")
    return classes.index(label)


def recalls_by_code(constraints: Any, classes: Sequence[Any]) -> dict[int, float] | None:
    """Least recalls by class code, from those by label.

    Examples
    --------
    >>> recalls_by_code({"b": 0.9}, ["a", "b"])
    {1: 0.9}
    """
    if constraints is None:
        return None
    constraints = _as_dict(constraints)
    if not isinstance(constraints, Mapping):
        raise ValueError(
            "constraints must be a dict or a pandas series of class to least recall, or None; got "
            f"{constraints!r}."
        )
    return {class_code(label, classes): recall for label, recall in constraints.items()}


def _as_dict(values: Any) -> Any:
    """A pandas series as a dict; other values as they are."""
    is_series = hasattr(values, "iloc") and hasattr(values, "items")
    return dict(values.items()) if is_series else values


def in_class_order(shares: Any, classes: Sequence[Any]) -> Any:
    """Shares of a dict or of a pandas series in the order of the classes; others as they are.

    Examples
    --------
    >>> in_class_order({"b": 0.25, "a": 0.75}, ["a", "b"])
    array([0.75, 0.25])
    """
    shares = _as_dict(shares)
    if not isinstance(shares, Mapping):
        return shares
    ordered = np.full(len(classes), np.nan)
    for label, share in shares.items():
        Interval(0.0, 1.0).check(f"the share of class {label!r} in prior", share)
        ordered[class_code(label, classes)] = share
    for label, share in zip(classes, ordered):
        if np.isnan(share):
            raise ValueError(
                f"prior lacks class {label!r}: give every class a share, 0 if it is not expected."
            )
    return ordered
