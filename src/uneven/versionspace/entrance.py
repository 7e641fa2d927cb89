"""Checks of what samplers are given: offsets, start points, random numbers."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.utils.validation import check_array

__all__ = ["check_generator", "check_inside", "check_offsets", "check_vector", "cut_products"]

_LARGEST_GRAM = 2048
"""Cuts up to which their products with each other are kept."""


def check_vector(name: str, value: Any, size: int) -> np.ndarray:
    """Refuse what is not a finite vector of a given size; return a copy of double precision.

    Parameters
    ----------
    name : str
        How errors call it.
    value : array-like of shape (size,)
    size : int

    Returns
    -------
    ndarray of shape (size,)

    Examples
    --------
    >>> check_vector("start", [0.5], 2)
    Traceback (most recent call last):
        ...
    ValueError: start has shape (1,); expected (2,).
    """
    vector = check_array(
        value, dtype=np.float64, ensure_2d=False, ensure_min_samples=0, copy=True, input_name=name
    )
    if vector.shape != (size,):
        raise ValueError(f"{name} has shape {vector.shape}; expected ({size},).")
    return vector


def check_offsets(cuts: np.ndarray, offsets: Any) -> np.ndarray:
    """Least products with the cuts, zeros if not given.

    Parameters
    ----------
    cuts : ndarray of shape (n_cuts, n_dims)
    offsets : array-like of shape (n_cuts,) or None

    Returns
    -------
    ndarray of shape (n_cuts,)
    """
    if offsets is None:
        return np.zeros(len(cuts))
    return check_vector("offsets", offsets, len(cuts))


def check_inside(
    cuts: np.ndarray, offsets: np.ndarray, ball: bool, start: Any, strictly: bool = True
) -> np.ndarray:
    """Refuse a start that is not inside; return a copy.

    Parameters
    ----------
    cuts : ndarray of shape (n_cuts, n_dims)
    offsets : ndarray of shape (n_cuts,)
    ball : bool
        Whether the unit ball bounds the body too.
    start : array-like of shape (n_dims,)
    strictly : bool, default=True
        Whether a point on the boundary is refused.

    Returns
    -------
    ndarray of shape (n_dims,)

    Examples
    --------
    >>> check_inside(np.array([[1.0, 0.0]]), np.zeros(1), True, [-0.1, 0.2])
    Traceback (most recent call last):
        ...
    ValueError: start lies outside of cut 0 (slack -0.1); pass a point inside, such as
    chebyshev_centre(cuts).point.
    """
    start = check_vector("start", start, cuts.shape[1])
    slack = cuts @ start - offsets
    advice = "pass a point inside, such as chebyshev_centre(cuts).point."
    if slack.size and (slack.min() < 0.0 or (strictly and slack.min() == 0.0)):
        worst = int(slack.argmin())
        where = "outside of" if slack[worst] < 0.0 else "on"
        raise ValueError(f"start lies {where} cut {worst} (slack {slack[worst]:.3g}); {advice}")
    length = float(np.linalg.norm(start))
    if ball and (length > 1.0 or (strictly and length == 1.0)):
        raise ValueError(f"start has length {length:.6g}, not inside of the unit ball; {advice}")
    return start


def check_generator(rng: Any) -> np.random.Generator:
    """Turn a seed or None into a generator; a generator stays what it is.

    Parameters
    ----------
    rng : Generator, int or None

    Returns
    -------
    Generator

    Examples
    --------
    >>> check_generator(3).random() == check_generator(3).random()
    True
    """
    return np.random.default_rng(rng)


def cut_products(cuts: np.ndarray) -> np.ndarray:
    """Products of the cuts with each other, or nothing at all if there are too many of them.

    Parameters
    ----------
    cuts : ndarray of shape (n_cuts, n_dims)

    Returns
    -------
    ndarray of shape (n_cuts, n_cuts) or (0, 0)
    """
    return cuts @ cuts.T if len(cuts) <= _LARGEST_GRAM else np.empty((0, 0))
