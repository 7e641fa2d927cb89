"""Options of learning how to combine: what they are called, mean and may be.

The combiner of level-1 scores and the classifier that trains the members both have them.
"""

from __future__ import annotations

from numbers import Real
from typing import Any

import numpy as np

from uneven.stacking.kernel.combiner import KERNEL_LOSSES
from uneven.stacking.model.combinations import COMBINATIONS
from uneven.stacking.model.constraints import CONSTRAINTS
from uneven.stacking.model.losses import LOSSES
from uneven.stacking.model.penalties import PENALTIES, check_elastic, make_penalty
from uneven.stacking.solvers import SOLVERS
from uneven.stacking.solvers.solve import STRENGTHS, check_positive, check_solver, check_strengths
from uneven.stacking.solvers.strength_choice import JUDGES, check_inner
from uneven.utils.parameters import (
    Choice,
    Constraint,
    Flag,
    Interval,
    Maybe,
    Passes,
    Whole,
    check_choice,
)

OPTIONS: dict[str, str] = {
    "combination": """combination : {"ws", "cws", "lsg", "auto"}, default="cws"
    One weight per member; one per member and class; one for every score of every member and
    every class; or the best of these in cross-validation.""",
    "loss": """loss : {"squared", "hinge", "log"}, default="squared"
    ``"log"`` is the log-loss of a softmax of weighted logarithms: with ``"ws"`` and
    ``constraint="nonneg"``, the logarithmic opinion pool.""",
    "penalty": """penalty : {"group", "l1", "l2", "l2_unsquared"}, default="group"
    Whole members, single weights, or nothing becomes zero; the last is the length of all
    weights, not squared.""",
    "elastic": """elastic : float or None, default=None
    Squared weights in the penalties "group" and "l1", in shares of the strength: members that
    have nearly the same scores are then kept together. None is 0.1 for them, 0 for the others.""",
    "constraint": """constraint : {"none", "nonneg", "simplex"}, default="none"
    Any weights; none below zero; or none below zero and a sum of 1 over the members ("l2").""",
    "strength": """strength : float or "cv", default="cv"
    The factor on the penalty; "cv" takes the best one of ``strengths``.""",
    "strengths": """strengths : sequence of float, default=None
    None is a grid from the data: 13 strengths, from that at which no weight is left down to a
    thousandth of it.""",
    "judge": """judge : {"loss", "error"}, default="loss"
    Criterion on held-out rows: the loss that is minimised, or the error rate.""",
    "inner_cv": """inner_cv : int or splitter, default=5
    Folds of the level-1 scores by which the strength is chosen.""",
    "tie": """tie : {"largest", "smallest"}, default="largest"
    Which of several equally good strengths is taken.""",
    "slack": """slack : float, default=0.5
    How many standard errors a strength may be worse than the best and still count as equally
    good. A larger value keeps fewer members.""",
    "select_then_refit": """select_then_refit : bool, default=False
    Let the sparse penalty choose the members only, then weigh these anew with the penalty
    "l2" and a strength of its own.""",
    "member_cost": """member_cost : None, "time" or array-like of shape (n_members,), default=None
    What the norm of the weights of a member is multiplied by. "time": the root of the time
    that it takes to predict, rounded to a power of 2, within 1/16 and 16 times the median. The
    members then depend on the clock.""",
    "max_members": """max_members : int or None, default=None
    Keep no more members. If there would be more, a stronger penalty chooses, and the chosen
    ones are weighed anew.""",
    "time_budget": """time_budget : float or None, default=None
    Seconds of the processor that the kept members may take, together, for 1000 rows.""",
    "log_pool": """log_pool : bool or None, default=None
    Predict by the geometric mean of two probabilities: those of the weighted sum, and those of a
    log-linear pool of the kept members. None does so if the loss is "squared" and all kept
    members give probabilities.""",
    "kernel": """kernel : {"rbf", "poly", None}, default=None
    Combine by functions in the space of a kernel instead. Needs ``penalty="l2"``, and keeps
    all members.""",
    "solver": """solver : str, default="auto"
    See :func:`uneven.stacking.solve`.""",
    "tol": """tol : float, default=1e-5
    Relative precision of the objective.""",
    "gamma": """gamma : float or None, default=None
    Of the kernel "rbf"; None is chosen by cross-validation.""",
    "degree": """degree : int or None, default=None
    Of the kernel "poly"; None is chosen by cross-validation.""",
}
"""What the docstrings say of them."""

_KERNEL: dict[str, Constraint] = {
    "gamma": Maybe(Interval(0, closed="neither", says="a finite number above 0 or None")),
    "degree": Maybe(Whole(1)),
}
"""Parameters of kernels; without a kernel they are refused."""

ELASTIC = 0.1
"""Default squared weights in sparse penalties."""

PUBLISHED: dict[str, Any] = {
    "combination": "cws",
    "loss": "hinge",
    "penalty": "group",
    "elastic": 0.0,
    "constraint": "none",
    "strengths": STRENGTHS,
    "judge": "error",
    "slack": 0.0,
    "inner_cv": 2,
}
"""Options of the source: max-margin stacking with the group penalty."""


def _check_strength(given: Any) -> None:
    if isinstance(given, str):
        check_choice("strength", given, ("cv",))
        return
    number = isinstance(given, Real) and not isinstance(given, bool | np.bool_)
    if not number or not 0.0 < float(given) < np.inf:
        raise ValueError(f'strength must be "cv" or a number above 0, got {given!r}.')


def _check_grid(given: Any) -> None:
    if given is not None:
        check_strengths(given)


CONSTRAINED: dict[str, object] = {
    "combination": Choice(lambda: (*COMBINATIONS, "auto")),
    "loss": Choice(LOSSES),
    "penalty": Choice(PENALTIES),
    "elastic": Maybe(Passes(check_elastic)),
    "constraint": Choice(CONSTRAINTS),
    "strength": Passes(_check_strength),
    "strengths": Passes(_check_grid),
    "judge": Choice(JUDGES),
    "inner_cv": Passes(check_inner),
    "tie": Choice(("largest", "smallest")),
    "slack": Interval(0),
    "select_then_refit": Flag(),
    "log_pool": Maybe(Flag()),
    "max_members": Maybe(Whole(1)),
    "time_budget": Maybe(Interval(0, closed="neither")),
    "kernel": Maybe(Choice(("poly", "rbf"))),
    "solver": Choice(lambda: ("auto", *SOLVERS)),
    "tol": Passes(lambda tol: check_positive("tol", tol)),
}
"""What they may be."""


def elastic_of(options: Any) -> float:
    """How much of the squared weights is in the penalty."""
    if options.elastic is not None:
        return float(options.elastic)
    return ELASTIC if PENALTIES[options.penalty].sparse else 0.0


def check_together(options: Any) -> None:
    """Refuse options that do not go together, of whatever has them as attributes."""
    if options.select_then_refit and not PENALTIES[options.penalty].sparse:
        raise ValueError(
            'select_then_refit=True needs a penalty that selects: "group" or "l1", not '
            f'"{options.penalty}".'
        )
    limited = options.max_members is not None or options.time_budget is not None
    if limited and (options.select_then_refit or not PENALTIES[options.penalty].sparse):
        raise ValueError(
            "max_members and time_budget choose members by a penalty that selects, and weigh "
            'them anew: use penalty="group" or "l1" and select_then_refit=False.'
        )
    if options.log_pool and (options.loss == "log" or options.kernel is not None):
        raise ValueError(
            'log_pool=True is for weighted sums, not for loss="log" (a pool itself) or a kernel.'
        )
    _check_kernel(options)
    penalty = make_penalty(options.penalty, elastic_of(options), options.constraint)
    check_solver(options.solver, options.combination, options.loss, penalty)


def _check_kernel(options: Any) -> None:
    if options.kernel is None:
        for name in _KERNEL:
            value = getattr(options, name)
            if value is not None:
                raise ValueError(
                    f'{name}={value!r} belongs to a kernel, but kernel=None: choose "rbf" or '
                    f'"poly", or leave {name} out.'
                )
        return
    if options.penalty != "l2":
        raise ValueError(
            f'kernel={options.kernel!r} needs penalty="l2", not {options.penalty!r}: functions of '
            "a kernel have no weight per member that could become zero."
        )
    if options.constraint != "none" or options.member_cost is not None:
        raise ValueError("a kernel has no weights of members: no constraint, no member_cost.")
    if options.combination == "auto":
        raise ValueError('combination="auto" is not for kernels: choose "ws", "cws" or "lsg".')
    if options.loss == "log":
        raise ValueError('loss="log" takes no kernel: use loss="squared" or "hinge".')
    check_choice("loss", options.loss, KERNEL_LOSSES)
    for name, constraint in _KERNEL.items():
        constraint.check(name, getattr(options, name))
