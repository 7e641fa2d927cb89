"""What UMA's parameters may be."""

from __future__ import annotations

from numbers import Real
from typing import Any

import numpy as np

from uneven.linear.base import check_flags
from uneven.linear.expansions import check_kernel_parameters
from uneven.noise.pair_selection import SELECTIONS
from uneven.utils.parameters import check_choice, check_integer

__all__ = ["STEPS", "check_not_negative", "check_parameters"]

STEPS = ("perceptron", "perceptron_loose", "max", "uniform", "proportional")
"""Who pays when a class is mistaken."""


def check_parameters(estimator: Any) -> None:
    """Refuse impossible values of the parameters of a :class:`~uneven.noise.UMAClassifier`."""
    check_choice("alpha_mode", estimator.alpha_mode, ("absolute", "geometric"))
    check_choice("selection", estimator.selection, SELECTIONS)
    check_choice("step", estimator.step, STEPS)
    check_flags(estimator, "average", "pocket", "fit_intercept", "normalize")
    check_integer("verbose", int(estimator.verbose), 0)
    for name in ("max_iter", "patience"):
        if getattr(estimator, name) is not None:
            check_integer(name, getattr(estimator, name), 1)
    if estimator.normalize_updates is not None:
        check_choice("normalize_updates", estimator.normalize_updates, ("norm", "mass"))
    if estimator.average and estimator.pocket:
        raise ValueError("average=True and pocket=True: choose one of the two class vectors.")
    if not (isinstance(estimator.tol, str) and estimator.tol == "auto"):
        check_not_negative("tol", estimator.tol, " or 'auto'")
    check_not_negative("alpha", estimator.alpha)
    check_kernel_parameters(estimator.gamma, estimator.coef0)
    if estimator.kernel is not None and not callable(estimator.kernel):
        check_choice("kernel", estimator.kernel, _kernels(), or_callable=True)


def check_not_negative(name: str, value: Any, otherwise: str = "") -> None:
    """Refuse what is no finite number >= 0."""
    is_number = isinstance(value, Real) and not isinstance(value, bool)
    if not is_number or not 0.0 <= float(value) < np.inf:
        raise ValueError(f"{name} must be a finite number >= 0{otherwise}, got {value!r}.")


def _kernels() -> list[str]:
    from sklearn.metrics.pairwise import kernel_metrics

    return [*kernel_metrics(), "precomputed"]
