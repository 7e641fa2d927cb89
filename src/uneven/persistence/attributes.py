"""Which attributes an estimator of another library may have in a model file, and of what kind.

Estimators trust their fitted attributes: compiled code follows their indices, and helpers among
their attributes are simply called. So each class has a table of its fitted attributes, with types,
shapes and ranges. Constructor parameters are plain values; any other attribute is refused.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from inspect import signature
from typing import Any

import numpy as np

from uneven.utils.model_types import UnknownPartError, check_classes, check_plain, is_plain

Rule = Callable[[Any, Any], bool]
"""Whether a value may be an attribute of an estimator: takes the value and the estimator."""

PAST_PARAMETERS = ("force_int_remainder_cols", "multi_class")
"""Parameters that scikit-learn has dropped since 1.6, on which no prediction of ours depends."""

LONGEST = 10**9


def check_attributes(
    part: Any, fitted: Mapping[str, Rule], fixed: Mapping[str, tuple[Any, ...]] | None = None
) -> None:
    """Refuse an estimator that holds anything but parameters and what its fit leaves.

    Parameters
    ----------
    part : estimator
        As it was loaded. ``n_jobs`` above the number of cores is lowered to it. Parameters that
        the file lacks, because another version of the library wrote it, get their defaults; those
        that were dropped since are removed.
    fitted : mapping of str to Rule
        Fitted attributes.
    fixed : mapping of str to tuple, optional
        Parameters on which it depends what is done with the attributes, and the values they may
        have.

    Raises
    ------
    UnknownPartError
        If there is an attribute that no fit sets, or a parameter that is not plain.
    ValueError
        If an attribute cannot come from a fit.
    """
    kind, held = type(part).__name__, vars(part)
    parameters = signature(type(part).__init__).parameters
    known = {*parameters, *fitted, "_sklearn_version", "_sklearn_output_config"}
    for name in set(PAST_PARAMETERS) & set(held) - known:
        delattr(part, name)
    unknown = sorted(set(held) - known)
    if unknown:
        raise UnknownPartError(
            f"a {kind} in it has an attribute {unknown[0]!r}, which is not known"
        )
    for name, parameter in parameters.items():
        if name not in held and parameter.default is not parameter.empty:
            setattr(part, name, parameter.default)
    check_plain(part, *fitted)
    for name, values in (fixed or {}).items():
        if name in held and not any(_is(held[name], value) for value in values):
            raise UnknownPartError(f"a {kind} in it has {name}={held[name]!r}")
    for name, rule in fitted.items():
        if name in held and not rule(held[name], part):
            raise ValueError(f"the {name} of a {kind} cannot come from a fit")
    output = held.get("_sklearn_output_config", {})
    if not isinstance(output, dict) or not {"transform"} >= set(output):
        raise ValueError(f"a {kind} in it has a form that is not known")
    limit_jobs(part)


def limit_jobs(part: Any) -> None:
    """Lower the number of workers of a loaded estimator to the number of cores."""
    jobs = getattr(part, "n_jobs", None)
    if jobs is None:
        return
    if type(jobs) is not int:
        raise ValueError(f"a {type(part).__name__} in it has n_jobs={jobs!r}")
    part.n_jobs = max(-1, min(jobs, os.cpu_count() or 1))


def _is(value: Any, other: Any) -> bool:
    """Whether two parameters are the same, NaN included."""
    if isinstance(other, float) and np.isnan(other):
        return isinstance(value, float | np.floating) and bool(np.isnan(value))
    return type(value) is type(other) and bool(value == other)


def plain(value: Any, owner: Any) -> bool:
    """Numbers, text, arrays and lists of them: no prediction depends on which."""
    return is_plain(value)


def elsewhere(value: Any, owner: Any) -> bool:
    """Anything: the check of the class looks at it."""
    return True


def only(*values: Any) -> Rule:
    """One of some values."""
    return lambda value, owner: any(_is(value, one) for one in values)


def count(value: Any, owner: Any) -> bool:
    """A whole number of entries that memory can hold."""
    whole = isinstance(value, int | np.integer) and not isinstance(value, bool)
    return whole and 0 <= value < LONGEST


def floats(*dims: Any, least: float = -np.inf, above: float = -np.inf) -> Rule:
    """An array of finite numbers.

    Parameters
    ----------
    *dims : int, str or None
        Its shape: lengths, "features" or "classes" of the estimator, None for any length.
    least, above : float
        What the numbers may be at least, and must be above.
    """

    def rule(value: Any, owner: Any) -> bool:
        return (
            _has_shape(value, owner, "f", dims)
            and bool(np.isfinite(value).all())
            and bool((value >= least).all() and (value > above).all())
        )

    return rule


def wholes(*dims: Any, most: int = LONGEST) -> Rule:
    """An array of whole numbers from 0 to ``most``; see :func:`floats`."""

    def rule(value: Any, owner: Any) -> bool:
        return _has_shape(value, owner, "iu", dims) and bool(((value >= 0) & (value <= most)).all())

    return rule


def _has_shape(value: Any, owner: Any, kinds: str, dims: tuple[Any, ...]) -> bool:
    if type(value) is not np.ndarray or value.dtype.kind not in kinds or value.ndim != len(dims):
        return False
    wanted = [_length(dim, owner) if isinstance(dim, str) else dim for dim in dims]
    return all(dim is None or dim == have for dim, have in zip(wanted, value.shape))


def _length(what: str, owner: Any) -> int:
    """How many "features" or "classes" an estimator has."""
    return int(owner.n_features_in_) if what == "features" else len(owner.classes_)


def names(value: Any, owner: Any) -> bool:
    """Names of the columns."""
    is_text = type(value) is np.ndarray and value.dtype.kind in "OU" and value.ndim == 1
    return (
        is_text
        and len(value) == owner.n_features_in_
        and all(type(name) is str for name in value.tolist())
    )


def labels(value: Any, owner: Any) -> bool:
    """Different classes."""
    check_classes(value)
    return True


def missing(value: Any, owner: Any) -> bool:
    """Nothing: an object here would be called without a check."""
    return value is None


def either(*rules: Rule) -> Rule:
    """What one of some rules allows."""
    return lambda value, owner: any(rule(value, owner) for rule in rules)


def each(rule: Rule, length: str) -> Rule:
    """A list all of whose items a rule allows, with one for each of the "features" or "classes"."""

    def rule_of_list(value: Any, owner: Any) -> bool:
        fits = isinstance(value, list) and len(value) == _length(length, owner)
        return fits and all(rule(item, owner) for item in value)

    return rule_of_list
