"""The compared methods joined in one: a stack as one more method."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from uneven.comparison.errors import InputError
from uneven.comparison.methods import Method, Settings, build_pipeline
from uneven.comparison.schema import Schema
from uneven.stacking import MarginStackingClassifier

__all__ = ["STACK", "stack_methods"]

STACK = "stack"
"""Key of the stack among the methods of a comparison."""

STRENGTHS = (1e-5, 1e-4, 1e-3, 0.003, 0.01, 0.03, 0.1, 0.3, 1.0)
"""Strengths of the penalty to choose from. Weaker ones make no difference to a few methods."""

TOLERANCE = 1e-4
"""Relative precision of the weights; more of it changes no answers."""


def stack_methods(methods: Sequence[Method], schema: Schema) -> Method:
    """A method that stacks others, each with an encoder of its own.

    Parameters
    ----------
    methods : sequence of Method
        What to stack, at least two.
    schema : Schema
        What the columns of the table hold.

    Returns
    -------
    Method
        Its classifier is a `MarginStackingClassifier` with a weight per method and class, a group
        penalty and a strength found by cross-validation; all classes count alike, as they do in
        the confusion norm. Methods that know the noise in the labels are told about it; the
        weights are learnt from the labels as they are.

    Raises
    ------
    InputError
        If there are fewer than two methods.

    Examples
    --------
    >>> import pandas as pd
    >>> from uneven.comparison import choose_methods
    >>> schema = Schema.of(pd.DataFrame({"size": [1.0, 2.0]}))
    >>> stack = stack_methods(choose_methods(["combo", "random_forest"]), schema)
    >>> [name for name, _ in stack.make(Settings()).estimators]
    ['combo', 'random_forest']
    """
    if len(methods) < 2:
        raise InputError(
            f"--stack joins several methods, but {methods[0].label if methods else 'none'} is all "
            "there is; name two or more."
        )

    def make(settings: Settings) -> Any:
        members = [(m.name, build_pipeline(m, schema, settings)) for m in methods]
        return MarginStackingClassifier(
            members,
            strengths=STRENGTHS,
            tol=TOLERANCE,
            class_weight="balanced",
            keep_level_one=False,
            random_state=settings.seed,
        )

    return Method(
        STACK,
        "Stack",
        "ours",
        f"The {len(methods)} methods above joined by margin, with a weight for every method and "
        "class; methods that bring nothing are dropped.",
        "as_is",
        make,
    )
