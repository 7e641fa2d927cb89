"""Where a result comes from: versions, time, parameters."""

from __future__ import annotations

import platform
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from inspect import signature
from typing import Any

import numpy as np

import uneven

__all__ = ["now", "shown_params", "versions"]

PACKAGES = ("scikit-learn", "numpy", "scipy", "numba", "pandas", "skops")
HIDDEN_PARAMS = {"estimators", "keep_level_one", "views", "n_jobs", "verbose", "warm_start"}


def now() -> str:
    """Current time in ISO 8601 form, in UTC."""
    return datetime.now(UTC).isoformat(timespec="seconds")


def versions() -> dict[str, str]:
    """Versions of Python, of this library and of the packages that shape results."""
    found = {"uneven": uneven.__version__, "python": platform.python_version()}
    for name in PACKAGES:
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            continue
    return found


def shown_params(estimator: Any) -> dict[str, str]:
    """Constructor parameters that differ from their defaults and shape the result.

    Examples
    --------
    >>> from sklearn.linear_model import LogisticRegression
    >>> shown_params(LogisticRegression(max_iter=50))
    {'max_iter': '50'}
    """
    defaults = signature(type(estimator).__init__).parameters
    params = estimator.get_params(deep=False)
    return {
        name: _shown(value)
        for name, value in params.items()
        if name not in HIDDEN_PARAMS and _shown(value) != _shown(defaults[name].default)
    }


def _shown(value: Any) -> str:
    if isinstance(value, np.ndarray):
        return f"{' x '.join(map(str, value.shape))} numbers"
    return str(value)
