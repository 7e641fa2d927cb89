"""Every input one unit in the last place beside itself.

With ``UNEVEN_JITTER=seed`` in the environment (``make jitter``) every fractional number that enters
the library moves up or down by one unit in its last place, or stays, as the seed decides; so do the
results of exponentials and logarithms, which processors round differently. Printed digits, verdicts
and learned answers must not change: what does change says nothing, or belongs to a method that
amplifies rounding.

Whole numbers stay, so that what is exact by construction stays exact. Equal numbers stay equal
(which way a number moves depends on its bits alone), so that ties, symmetric matrices and repeated
rows stay what they are, and the same table moves the same way every time.
"""

from __future__ import annotations

import functools
import sys
from typing import Any

import numpy as np
import scipy.sparse as sp
import sklearn.datasets
import sklearn.utils
from sklearn.utils import validation

_CHECKS = ("check_array", "check_X_y", "validate_data")
_ROUNDED = ("exp", "expm1", "log", "log1p", "log2", "logaddexp", "power", "tanh", "arctanh", "cos")


def nudge(values: Any, seed: int) -> Any:
    """Move every fractional number by -1, 0 or 1 units in its last place."""
    if sp.issparse(values):
        moved = values.copy()
        moved.data = nudge(values.data, seed)
        return moved
    if not isinstance(values, np.ndarray | np.float64) or values.dtype != np.float64:
        return values
    bits = np.ascontiguousarray(values).view(np.uint64) ^ np.uint64(seed)
    for factor in (0xBF58476D1CE4E5B9, 0x94D049BB133111EB):
        bits = (bits ^ (bits >> np.uint64(29))) * np.uint64(factor)
    ways = (bits >> np.uint64(40)).reshape(np.shape(values)) % 3
    moved = np.nextafter(values, np.where(ways == 1, -np.inf, np.inf))
    stays = (ways == 0) | ~np.isfinite(values) | (values == np.rint(values))
    return np.where(stays, values, moved)[()]


def install(seed: int) -> None:
    """Wrap the doors through which numbers come; call it before the library is imported."""
    for name in _CHECKS:
        wrapped = _nudged_for_the_library(getattr(validation, name), seed)
        for module in (validation, sklearn.utils):
            if hasattr(module, name):
                setattr(module, name, wrapped)
    from uneven import datasets

    for module in (datasets, sklearn.datasets):
        for name in dir(module):
            if name.startswith(("make_", "load_", "fetch")):
                setattr(module, name, _nudged(getattr(module, name), seed))


def roughen(seed: int) -> None:
    """Let the exponentials of every module of the library that is imported by now be rough."""
    for name, module in list(sys.modules.items()):
        if not name.startswith("uneven.") or vars(module).get("np") is not np:
            continue
        if not any(hasattr(value, "py_func") for value in vars(module).values()):
            module.np = _RoughNumpy(seed)  # type: ignore[attr-defined]


class _RoughNumpy:
    """NumPy whose transcendental functions are wrong in their last bit."""

    def __init__(self, seed: int) -> None:
        for name in _ROUNDED:
            setattr(self, name, _nudged(getattr(np, name), seed))

    def __getattr__(self, name: str) -> Any:
        return getattr(np, name)


def _nudged(function: Any, seed: int) -> Any:
    """The function with a nudge to what it returns, or to the table in front of it."""

    @functools.wraps(function)
    def wrapper(*args: Any, **kwargs: Any) -> Any:
        found = function(*args, **kwargs)
        if isinstance(found, tuple):
            return (nudge(found[0], seed), *found[1:])
        if isinstance(found, sklearn.utils.Bunch):
            found.update({key: nudge(found[key], seed) for key in ("data",) if key in found})
            return found
        return nudge(found, seed)

    return wrapper


def _nudged_for_the_library(function: Any, seed: int) -> Any:
    rough = _nudged(function, seed)

    @functools.wraps(function)
    def wrapper(*args: Any, **kwargs: Any) -> Any:
        caller = sys._getframe(1).f_globals.get("__name__", "")
        return (rough if caller.startswith("uneven") else function)(*args, **kwargs)

    return wrapper
