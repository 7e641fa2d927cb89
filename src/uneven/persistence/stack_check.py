"""Checks of loaded stacks: who is kept, how they are joined, and that both fit together."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from uneven.fusion.rules import check_percent, join_scores
from uneven.fusion.templates import DecisionTemplates, DempsterShafer
from uneven.fusion.trained_rules import FixedRule, WeightedRule
from uneven.linear import KernelExpansion
from uneven.persistence.part_check import (
    UnknownPartError,
    check_classes,
    check_columns,
    check_kernel,
    check_names,
    check_numbers,
    check_range,
    check_rows,
    check_whole,
)
from uneven.stacking import FittedMember
from uneven.stacking.kernel.combiner import KernelCombiner
from uneven.stacking.kernel.machines import KernelMachine
from uneven.stacking.model.combinations import COMBINATIONS
from uneven.stacking.model.problem import LinearCombiner
from uneven.stacking.out_of_fold.members import METHODS

__all__ = ["check_joined", "check_stack"]

_LARGEST = 1e100
"""Larger weights, scales and temperatures, or smaller ones than its inverse, come from no fit."""


def check_stack(stack: Any, check_model: Callable[[Any], None]) -> None:
    """Refuse a stack whose members and combiner do not fit together.

    Parameters
    ----------
    stack : MarginStackingClassifier
    check_model : callable
        Refuses what cannot be the classifier of a member.

    Raises
    ------
    UnknownPartError, ValueError
    """
    classes = stack.classes_
    check_classes(classes)
    check_names(stack)
    prior = check_numbers(stack.class_prior_, (len(classes),), "shares of the classes")
    if not np.isclose(prior.sum(), 1.0):
        raise ValueError("the shares of its classes do not add up to 1")
    _check_size(stack.temperature_, "its temperature is")
    _check_size(stack.strength_, "the strength of its penalty is")
    _check_jobs(stack.n_jobs)
    _check_kept(stack)
    _check_members(stack, stack.selected_, check_model)
    _check_combiner(stack.combiner_, len(stack.estimators_), len(classes))
    _check_told(stack)


def check_joined(joined: Any, check_model: Callable[[Any], None]) -> None:
    """Refuse members that do not fit the rule by which they are joined.

    Parameters
    ----------
    joined : RuleClassifier
    check_model : callable
        Refuses what cannot be the classifier of a member.

    Raises
    ------
    UnknownPartError, ValueError
    """
    check_classes(joined.classes_)
    check_names(joined)
    if joined.temperature_ is not None:
        _check_size(joined.temperature_, "its temperature is")
    _check_jobs(joined.n_jobs)
    _check_listing(joined.names_, "members")
    n_members, n_classes = len(joined.estimators_), len(joined.classes_)
    if n_members != len(joined.names_) or not n_members:
        raise ValueError(f"it has {n_members} members, but {len(joined.names_)} names")
    _check_members(joined, joined.names_, check_model)
    rule = joined.rule_
    if type(rule) in (FixedRule, WeightedRule):
        check_percent(rule.percent)
        join_scores(np.ones((1, n_members, n_classes)), rule.rule, rule.weights, rule.percent)
    elif type(rule) in (DecisionTemplates, DempsterShafer):
        shape = (n_classes, n_members, n_classes)
        check_numbers(rule.templates, shape, "templates", signed=True)
    else:
        raise UnknownPartError(f"its members are joined by a {type(rule).__name__}")


def _check_size(value: Any, what: str) -> None:
    """Refuse what is no positive number of a size that fitting can give."""
    if not isinstance(value, float) or not 1.0 / _LARGEST <= value <= _LARGEST:
        raise ValueError(f"{what} {value!r}")


def _check_jobs(n_jobs: Any) -> None:
    is_whole = isinstance(n_jobs, int | np.integer) and not isinstance(n_jobs, bool)
    if n_jobs is not None and (not is_whole or n_jobs == 0):
        raise ValueError(f"n_jobs is {n_jobs!r}")


def _check_listing(names: Any, what: str) -> None:
    """Refuse names that are not different, plain strings: they are printed."""
    if type(names) is not list or not all(type(name) is str for name in names):
        raise ValueError(f"the names of its {what} are not a list of strings")
    odd = [name for name in names if not name.isprintable()]
    if odd:
        raise ValueError(f"the name {odd[0]!r} of one of its {what} cannot be printed")
    if len(set(names)) < len(names):
        raise ValueError(f"two of its {what} have the same name")


def _check_kept(stack: Any) -> None:
    """Refuse a mask, names and members that do not agree about who is kept."""
    mask = stack.selected_mask_
    _check_listing(stack.names_, "members")
    if type(mask) is not np.ndarray or mask.dtype != bool or mask.shape != (len(stack.names_),):
        raise ValueError("it does not say which of its members are kept")
    if len(stack.estimators_) != mask.sum():
        raise ValueError(f"it keeps {mask.sum()} members, but has {len(stack.estimators_)}")
    kept = [name for name, stays in zip(stack.names_, mask) if stays]
    if type(stack.selected_) is not list or stack.selected_ != kept:
        raise ValueError(f"it says that it keeps {stack.selected_!r}, not {kept!r}")


def _check_told(stack: Any) -> None:
    """Refuse shares and weights of all members that are not those of the kept ones."""
    n_members, mask, combiner = len(stack.names_), stack.selected_mask_, stack.combiner_
    share = check_numbers(
        stack.member_share_, (n_members, len(stack.classes_)), "shares of the members"
    )
    if (share > 1.0 + 1e-9).any() or share[~mask].any():
        raise ValueError("its shares of the members are not those of the kept ones")
    if stack.combination_ != combiner.combination:
        raise ValueError(f"its members are joined by {combiner.combination!r}, but it says other")
    if type(combiner) is not LinearCombiner:
        return
    shape = (n_members, combiner.coef.shape[1])
    coef = check_numbers(stack.coef_, shape, "weights of all members", signed=True)
    if coef[~mask].any() or not np.array_equal(coef[mask], combiner.coef):
        raise ValueError("its weights of all members are not those of the kept ones")


def _check_members(stack: Any, names: list[str], check_model: Callable[[Any], None]) -> None:
    for member in stack.estimators_:
        _check_member(member, stack.classes_, stack, check_model)
    if [member.name for member in stack.estimators_] != names:
        raise ValueError("its members have other names than it says")


def _check_member(
    member: Any, classes: np.ndarray, stack: Any, check_model: Callable[[Any], None]
) -> None:
    if type(member) is not FittedMember:
        raise ValueError(f"a {type(member).__name__} stands where a member should be")
    check_whole(member.labels, f"classes of member {member.name!r}")
    check_range(member.labels, len(classes), "class")
    n_labels = len(np.unique(member.labels))
    if member.labels.shape != (n_labels,) or not n_labels:
        raise ValueError(f"member {member.name!r} has no list of different classes")
    if not np.array_equal(member.classes, classes) or member.method not in METHODS:
        raise ValueError(f"member {member.name!r} answers in another way than its stack")
    _check_size(member.scale, f"the scores of member {member.name!r} have the scale")
    if member.columns is not None:
        check_columns(member.columns, stack.n_features_in_, member.name)
    if member.model is None:
        if n_labels > 1:
            raise ValueError(f"member {member.name!r} has no model to tell {n_labels} classes")
        return
    check_model(member.model)
    if not np.array_equal(member.model.classes_, classes[member.labels]):
        raise ValueError(f"member {member.name!r} knows other classes")


def _check_combiner(combiner: Any, n_members: int, n_classes: int) -> None:
    if combiner.combination not in COMBINATIONS:
        raise ValueError(f"its members are joined by {combiner.combination!r}")
    kind = COMBINATIONS[combiner.combination]
    if type(combiner) is LinearCombiner:
        _check_weights(combiner.coef, (n_members, kind.width(n_classes)), "weights")
        _check_weights(combiner.intercept, (kind.n_intercepts(n_classes),), "intercepts")
    elif type(combiner) is KernelCombiner:
        _check_machines(combiner, n_members, n_classes)
    else:
        raise UnknownPartError(f"its members are joined by a {type(combiner).__name__}")


def _check_weights(values: Any, shape: tuple[int, ...], what: str) -> None:
    found = check_numbers(values, shape, what, signed=True)
    if np.abs(found).max(initial=0.0) > _LARGEST:
        raise ValueError(f"its {what} reach {np.abs(found).max():g}")


def _check_machines(combiner: KernelCombiner, n_members: int, n_classes: int) -> None:
    if (combiner.n_members, combiner.n_classes) != (n_members, n_classes):
        raise ValueError("its combiner is made for other members or classes")
    check_whole(combiner.seen, "classes of its combiner")
    check_range(combiner.seen, n_classes, "class")
    wanted = len(combiner.seen) if combiner.combination == "cws" else 1
    if len(combiner.machines) != wanted:
        raise ValueError(f"its combiner has {len(combiner.machines)} functions, not {wanted}")
    width = n_members * (n_classes if combiner.combination == "lsg" else 1)
    for machine in combiner.machines:
        if type(machine) is not KernelMachine or type(machine.expansion) is not KernelExpansion:
            raise ValueError("its combiner holds something that is no function of a kernel")
        expansion = machine.expansion
        check_kernel(expansion.kernel)
        n_outputs = machine.intercept.size
        shape = (len(expansion.support), n_outputs)
        check_numbers(expansion.coefficients, shape, "coefficients", signed=True)
        check_numbers(machine.intercept, (n_outputs,), "intercepts", signed=True)
        check_rows(expansion.rows, len(expansion.support), width)
