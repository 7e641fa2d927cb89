"""Checks of the numbers that bounds are made of."""

from __future__ import annotations

from numbers import Integral
from typing import Any


def check_numbers(**values: float) -> None:
    """Refuse what no bound can be made of.

    Parameters
    ----------
    **values : float
        By name. ``delta`` and ``error`` must lie strictly between 0 and 1, all others must be at
        least 0.

    Examples
    --------
    >>> check_numbers(delta=0.05, margin=2.0)
    >>> check_numbers(delta=5)
    Traceback (most recent call last):
    ...
    ValueError: delta=5 must lie strictly between 0 and 1.
    """
    for name, value in values.items():
        if name in ("delta", "error"):
            if not 0 < value < 1:
                raise ValueError(f"{name}={value} must lie strictly between 0 and 1.")
        elif not value >= 0:
            raise ValueError(f"{name}={value} must not be negative or NaN.")


def check_dimensions(n_dims: Any, least: int = 1) -> None:
    """Refuse what is no number of dimensions.

    Parameters
    ----------
    n_dims : int
    least : int, default=1

    Examples
    --------
    >>> check_dimensions(0)
    Traceback (most recent call last):
    ...
    ValueError: n_dims=0 must be a whole number of at least 1.
    """
    if not isinstance(n_dims, Integral) or isinstance(n_dims, bool) or n_dims < least:
        raise ValueError(f"n_dims={n_dims!r} must be a whole number of at least {least}.")
