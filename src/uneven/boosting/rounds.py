"""Telling the world about rounds: scikit-learn callbacks where they exist, and ``verbose``."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

try:
    from sklearn.callback import CallbackSupportMixin, with_callbacks
except ImportError:  # scikit-learn before 1.9

    class CallbackSupportMixin:  # type: ignore[no-redef]
        """Stand-in for scikit-learn's mixin: there are no callbacks to support."""

    def with_callbacks(method: Callable) -> Callable:  # type: ignore[no-redef]
        """Stand-in for scikit-learn's decorator."""
        return method


__all__ = ["CallbackSupportMixin", "announced_rounds", "with_callbacks"]


def announced_rounds(
    estimator: Any, rounds: range, data: tuple[Any, Any], snapshot: Callable[[], dict]
) -> Iterator[int]:
    """Iterate over the rounds of a fit, reporting each one when it has been done.

    Parameters
    ----------
    estimator : object
        Has ``verbose``, a ``history_`` that the loop body appends to, and a ``stop_reason_`` that
        it sets to end the rounds: breaking out would keep the end from the callbacks.
    rounds : range
        Round numbers still to do.
    data : (X, y)
        What callbacks receive as the training data.
    snapshot : callable
        Returns the fitted attributes as they would be if learning ended now; called only if a
        callback asks for them.

    Yields
    ------
    int
        The round number. Iteration ends early when a callback asks for it.
    """
    start_context = getattr(estimator, "_init_callback_context", None)
    if start_context is None:
        for number in rounds:
            yield number
            _print_round(estimator, number)
            if estimator.stop_reason_:
                return
        return
    X, y = data
    context = start_context(max_subtasks=len(rounds))
    context.call_on_fit_task_begin(estimator=estimator, X=X, y=y)
    for number in rounds:
        inner = context.subcontext(task_name="round")
        inner.call_on_fit_task_begin(estimator=estimator, X=X, y=y)
        yield number
        _print_round(estimator, number)
        asked_to_stop = inner.call_on_fit_task_end(
            estimator=estimator, X=X, y=y, reconstruction_attributes=snapshot
        )
        if asked_to_stop or estimator.stop_reason_:
            break
    context.call_on_fit_task_end(estimator=estimator, X=X, y=y, reconstruction_attributes=snapshot)


def _print_round(estimator: Any, number: int) -> None:
    """Print the newest line of the history every ``10 / verbose`` rounds."""
    if not estimator.verbose:
        return
    every = max(1, 10 // int(estimator.verbose))
    last = {k: v[-1] for k, v in estimator.history_.items() if len(v) and np.ndim(v[-1]) == 0}
    last.pop("round", None)
    if last and (number + 1) % every == 0:
        line = "  ".join(f"{key} {value:.4f}" for key, value in last.items())
        print(f"{type(estimator).__name__}  round {number + 1}  {line}")
