"""What many classifiers say about many rows: the checks of the array that every rule reads."""

from __future__ import annotations

from typing import Any

import numpy as np

__all__ = ["check_labels", "check_opinions", "check_same_members"]


def check_opinions(P: Any) -> tuple[np.ndarray, np.ndarray]:
    """Validate the scores of the members.

    Parameters
    ----------
    P : array-like of shape (n_samples, n_members, n_classes)
        Score of each member for each class; finite. A member whose scores are all NaN in a row is
        silent there.

    Returns
    -------
    P : ndarray of float64, shape (n_samples, n_members, n_classes)
    heard : ndarray of bool, shape (n_samples, n_members)
        Where a member is not silent.

    Examples
    --------
    >>> _, heard = check_opinions([[[0.2, 0.8], [float("nan"), float("nan")]]])
    >>> heard
    array([[ True, False]])
    """
    try:
        P = np.ascontiguousarray(P, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise ValueError(f"the scores of the members must be numbers: {error}.") from None
    if P.ndim != 3 or 0 in P.shape[1:]:
        raise ValueError(
            f"the scores of the members have shape {P.shape}: they must be (rows, members, "
            "classes), with at least one member and one class."
        )
    missing = np.isnan(P)
    silent = missing.all(axis=2)
    for bad, what in (
        (missing & ~silent[:, :, None], "nan for some of the classes only"),
        (np.isinf(P), "an infinite score"),
    ):
        if bad.any():
            row, member, label = np.argwhere(bad)[0]
            raise ValueError(
                f"member {member} gives {what} in row {row} (class {label}): scores must be "
                "finite, or nan for every class where a member is silent."
            )
    return P, ~silent


def check_labels(y: Any, share: Any, shape: tuple[int, ...]) -> tuple[np.ndarray, np.ndarray]:
    """Validate what a rule learns from beside the scores.

    Parameters
    ----------
    y : array-like of int, shape (n_samples,)
        Positions of the classes.
    share : array-like of shape (n_samples,) or None
        Weights of the rows, >= 0; None weighs all rows alike.
    shape : (int, int, int)
        Shape of the scores.

    Returns
    -------
    y : ndarray of int, shape (n_samples,)
    share : ndarray of shape (n_samples,)
        Sums to 1.

    Examples
    --------
    >>> check_labels([0, 1, 1, 0], None, (4, 5, 2))[1]
    array([0.25, 0.25, 0.25, 0.25])
    """
    n_rows, _, n_classes = shape
    labels = np.asarray(y)
    if labels.shape != (n_rows,) or not np.issubdtype(labels.dtype, np.integer):
        raise ValueError(
            f"y has shape {labels.shape} and type {labels.dtype}: it must hold one class position "
            f"for each of the {n_rows} rows of scores, as whole numbers from 0."
        )
    if n_rows == 0:
        raise ValueError("there are no rows of scores to learn a rule from.")
    if labels.min() < 0 or labels.max() >= n_classes:
        wrong = labels[(labels < 0) | (labels >= n_classes)][0]
        raise ValueError(
            f"y holds {wrong}, but the scores have {n_classes} classes: positions go from 0 to "
            f"{n_classes - 1}."
        )
    weights = np.ones(n_rows) if share is None else np.asarray(share, dtype=np.float64)
    if weights.shape != (n_rows,):
        raise ValueError(f"share has shape {weights.shape}, but there are {n_rows} rows of scores.")
    if not np.isfinite(weights).all() or (weights < 0.0).any() or not weights.any():
        raise ValueError("share must hold finite numbers >= 0 that are not all zero.")
    weights = weights / weights.max()
    return labels, weights / weights.sum()


def check_same_members(shape: tuple[int, ...], n_members: int, n_classes: int) -> None:
    """Refuse scores of other members or classes than those that a rule was learnt from.

    Parameters
    ----------
    shape : (int, int, int)
        Shape of the scores now.
    n_members, n_classes : int
        What the rule was learnt from.
    """
    if shape[1:] != (n_members, n_classes):
        raise ValueError(
            f"the scores are of {shape[1]} members and {shape[2]} classes, but the rule was learnt "
            f"from {n_members} members and {n_classes} classes."
        )
