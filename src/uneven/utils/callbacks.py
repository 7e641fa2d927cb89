"""Callbacks of scikit-learn around the steps of a fit; without them before scikit-learn 1.9."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, TypeVar

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
        The step. Iteration ends early when a callback asks for it; breaking out would keep the
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
