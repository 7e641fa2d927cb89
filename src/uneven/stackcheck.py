"""Checks of loaded stacks: who is kept, how they are joined, and that both fit together."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from uneven.fusion.rules import check_percent, join_scores
from uneven.fusion.templates import DecisionTemplates, DempsterShafer
from uneven.fusion.trained_rules import FixedRule, WeightedRule
from uneven.linear import KernelExpansion
from uneven.partcheck import (
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
from uneven.stacking.answers import METHODS
from uneven.stacking.combinations import COMBINATIONS
from uneven.stacking.combiner import LinearCombiner
from uneven.stacking.kernel_combiner import KernelCombiner
from uneven.stacking.kernel_machines import KernelMachine

__all__ = ["check_joined", "check_stack"]


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
    _check_temperature(stack.temperature_)
    mask = stack.selected_mask_
    if type(mask) is not np.ndarray or mask.dtype != bool or mask.shape != (len(stack.names_),):
        raise ValueError("it does not say which of its members are kept")
    if len(stack.estimators_) != mask.sum():
        raise ValueError(f"it keeps {mask.sum()} members, but has {len(stack.estimators_)}")
    for member in stack.estimators_:
        _check_member(member, classes, stack, check_model)
    _check_combiner(stack.combiner_, len(stack.estimators_), len(classes))


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
        _check_temperature(joined.temperature_)
    n_members, n_classes = len(joined.estimators_), len(joined.classes_)
    if n_members != len(joined.names_) or not n_members:
        raise ValueError(f"it has {n_members} members, but {len(joined.names_)} names")
    for member in joined.estimators_:
        _check_member(member, joined.classes_, joined, check_model)
    rule = joined.rule_
    if type(rule) in (FixedRule, WeightedRule):
        check_percent(rule.percent)
        join_scores(np.ones((1, n_members, n_classes)), rule.rule, rule.weights, rule.percent)
    elif type(rule) in (DecisionTemplates, DempsterShafer):
        shape = (n_classes, n_members, n_classes)
        check_numbers(rule.templates, shape, "templates", signed=True)
    else:
        raise UnknownPartError(f"its members are joined by a {type(rule).__name__}")


def _check_temperature(temperature: Any) -> None:
    if not isinstance(temperature, float) or not 0.0 < temperature < np.inf:
        raise ValueError(f"its temperature is {temperature!r}")


def _check_member(
    member: Any, classes: np.ndarray, stack: Any, check_model: Callable[[Any], None]
) -> None:
    if type(member) is not FittedMember:
        raise ValueError(f"a {type(member).__name__} stands where a member should be")
    check_whole(member.labels, f"classes of member {member.name!r}")
    check_range(member.labels, len(classes), "class")
    if not np.array_equal(member.classes, classes) or member.method not in METHODS:
        raise ValueError(f"member {member.name!r} answers in another way than its stack")
    if not isinstance(member.scale, float) or not 0.0 < member.scale < np.inf:
        raise ValueError(f"the scores of member {member.name!r} have the scale {member.scale!r}")
    if member.columns is not None:
        check_columns(member.columns, stack.n_features_in_, member.name)
    if member.model is None:
        return
    check_model(member.model)
    if not np.array_equal(member.model.classes_, classes[member.labels]):
        raise ValueError(f"member {member.name!r} knows other classes")


def _check_combiner(combiner: Any, n_members: int, n_classes: int) -> None:
    if combiner.combination not in COMBINATIONS:
        raise ValueError(f"its members are joined by {combiner.combination!r}")
    kind = COMBINATIONS[combiner.combination]
    if type(combiner) is LinearCombiner:
        check_numbers(combiner.coef, (n_members, kind.width(n_classes)), "weights", signed=True)
        constants = (kind.n_intercepts(n_classes),)
        check_numbers(combiner.intercept, constants, "intercepts", signed=True)
    elif type(combiner) is KernelCombiner:
        _check_machines(combiner, n_members, n_classes)
    else:
        raise UnknownPartError(f"its members are joined by a {type(combiner).__name__}")


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
