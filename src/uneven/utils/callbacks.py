"""Callbacks of scikit-learn around the steps of a fit; without them before scikit-learn 1.9."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from numbers import Integral
from typing import Any, TypeVar

import numpy as np

from uneven.utils.validation import fitted_attributes

try:
    from sklearn.callback import CallbackSupportMixin as CallbackSupportMixin
    from sklearn.callback import with_callbacks as with_callbacks
except ImportError:  # scikit-learn before 1.9

    class CallbackSupportMixin:  # type: ignore[no-redef]
        """Stand-in for scikit-learn's mixin: there are no callbacks to support."""

    def with_callbacks(method: Callable) -> Callable:  # type: ignore[no-redef]
        """Stand-in for scikit-learn's decorator."""
        return method


_Step = TypeVar("_Step")


def announced_steps(
    estimator: Any,
    steps: Sequence[_Step],
    *,
    name: str,
    X: Any,
    y: Any,
    snapshot: Callable[[], dict[str, Any]],
    is_over: Callable[[_Step], bool] = lambda step: False,
) -> Iterator[_Step]:
    """Iterate over the steps of a fit, telling callbacks when each one begins and ends.

    Parameters
    ----------
    estimator : object
    steps : sequence
        Still to do.
    name : str
        What a step is called.
    X, y : object
        What callbacks receive as the training data.
    snapshot : callable
        The fitted attributes as they would be if the fit ended now.
    is_over : callable, optional
        Called after each step; whether the others are not to be done.

    Yields
    ------
    object
        The step. Iteration ends early when a callback requests it; breaking out would keep the
        end from the callbacks.
    """
    start_context = getattr(estimator, "_init_callback_context", None)
    if start_context is None:
        for step in steps:
            yield step
            if is_over(step):
                return
        return
    data = {"estimator": estimator, "X": X, "y": y}
    context = start_context(max_subtasks=len(steps))
    context.call_on_fit_task_begin(**data)
    for step in steps:
        inner = context.subcontext(task_name=name)
        inner.call_on_fit_task_begin(**data)
        yield step
        over = is_over(step)
        if inner.call_on_fit_task_end(**data, reconstruction_attributes=snapshot) or over:
            break
    context.call_on_fit_task_end(**data, reconstruction_attributes=snapshot)


def announced_rounds(estimator: Any, rounds: range, table: Any, vote: Any) -> Iterator[int]:
    """Iterate over the rounds of a fit, reporting each one when it has been done.

    Parameters
    ----------
    estimator : object
        Has ``verbose``, a ``history_`` that the loop body appends to, and a ``stop_reason_`` that
        it sets to end the rounds: breaking out would keep the end from the callbacks.
    rounds : range
        Round numbers still to do.
    table : TrainingTable
        What scikit-learn's callbacks receive as the training data.
    vote : GrowingVote
        They may also request the fitted attributes as they would be if learning ended now.

    Yields
    ------
    int
        The round number. Iteration ends early when a callback requests it.
    """

    def snapshot() -> dict[str, Any]:
        return fitted_attributes(estimator) | {"vote_": vote.stand()}

    def is_over(number: int) -> bool:
        _print_round(estimator, number, table)
        return bool(estimator.stop_reason_)

    told = {"name": "round", "X": table.X, "y": table.y}
    yield from announced_steps(estimator, rounds, **told, snapshot=snapshot, is_over=is_over)


def _print_round(estimator: Any, number: int, table: Any) -> None:
    """Print the newest line of the history every ``10 / verbose`` rounds, and the pace."""
    if not estimator.verbose:
        return
    every = max(1, 10 // int(estimator.verbose))
    last = {k: v[-1] for k, v in estimator.history_.items() if len(v) and np.ndim(v[-1]) == 0}
    last.pop("round", None)
    if last and (number + 1) % every == 0:
        line = "  ".join(f"{key} {_shown(value)}" for key, value in last.items())
        print(f"{type(estimator).__name__}  round {number + 1}  {line}{table.pace()}")


def _shown(value: Any) -> str:
    return str(value) if isinstance(value, Integral) else f"{value:.4f}"
