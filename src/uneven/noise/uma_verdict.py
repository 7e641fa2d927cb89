"""Is the model that a run of UMA leaves worth anything?

The estimated error after each step tells, with its standard error, whether the class vectors that
are kept are much worse than some that the run has passed, and whether it stopped too early.
"""

from __future__ import annotations

import numpy as np

from uneven.noise.uma_run import Run

__all__ = ["doubts"]

_LARGE_LOSS = 0.05
_LARGE_RISK = 0.1
_SURE = 2.0
"""Standard errors that a difference must exceed to count."""


def doubts(run: Run, coef: np.ndarray, stop_reason: str, advice: str) -> str:
    """What is doubtful about the class vectors that are kept, in a sentence; empty if nothing is.

    Parameters
    ----------
    run : Run
        At its end.
    coef : ndarray of the shape of ``run.coef``
        The class vectors that are kept.
    stop_reason : str
    advice : str
        What to do to get better ones out of the same run.

    Returns
    -------
    str
    """
    n_rows = len(run.lengths)
    if not n_rows or not run.n_steps:
        return ""
    right = np.asarray(run.labels @ run.noise.inverse.T) * n_rows
    rows = np.arange(n_rows)
    kept, best = right[rows, run.predict(coef)], right[rows, run.best_top]
    risk, error = 1.0 - float(kept.mean()), _standard_error(kept)
    if risk <= _SURE * error:
        return ""
    loss = float((best - kept).mean())
    if loss > max(_LARGE_LOSS, _SURE * _standard_error(best - kept)):
        return (
            f"the class vectors that are kept have an estimated error of {risk:.3f}, but those of "
            f"step {run.best_step} of {run.n_steps} had {run.best_risk:.3f}: pass {advice}."
        )
    if stop_reason == "no_mistake_constructible" and risk > _LARGE_RISK + _SURE * error:
        return (
            f"the run stopped after step {run.n_steps}, since no vector is mistaken any more "
            f"(stop_reason_ 'no_mistake_constructible'), but the estimated error is {risk:.3f} "
            f"+- {error:.3f}: try selection='cyclic' or another step, and average=True."
        )
    return ""


def _standard_error(values: np.ndarray) -> float:
    return float(values.std() / np.sqrt(len(values)))
