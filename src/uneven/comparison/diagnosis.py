"""What the views of a problem know, before any method joins them."""

from __future__ import annotations

from uneven.comparison.encoding import encode_ordinal
from uneven.comparison.methods import Settings
from uneven.comparison.problem import Problem
from uneven.comparison.progress import Observer, Silent
from uneven.views import ViewDiagnosis, diagnose

__all__ = ["MOST_ROWS", "diagnose_views", "has_views"]

MOST_ROWS = 5_000
"""A longer table is diagnosed on so many of its rows."""


def has_views(problem: Problem) -> bool:
    """Whether there are several views to tell apart."""
    return problem.views is not None and len(problem.views) > 1


def diagnose_views(
    problem: Problem, settings: Settings, observer: Observer | None = None
) -> ViewDiagnosis:
    """Diagnose the views of a problem on at most 5000 rows.

    Parameters
    ----------
    problem : Problem
        With views.
    settings : Settings
        Its seed and number of threads are used.
    observer : Observer, optional
        Told about the work as one step.

    Returns
    -------
    ViewDiagnosis
        Its classes are in the order of the problem.

    Examples
    --------
    >>> from dataclasses import replace
    >>> from uneven.datasets import load_demo
    >>> from uneven.comparison import make_problem
    >>> demo = load_demo(as_frame=True)
    >>> problem = make_problem(demo.data.assign(digit=demo.target), "digit")
    >>> views = {name: list(demo.data.columns[where]) for name, where in demo.views.items()}
    >>> found = diagnose_views(replace(problem, views=views), Settings())
    >>> found.names[int(found.accuracy.argmax())]
    'rows'
    """
    watcher = observer or Silent()
    watcher.begin("Views", "each on its own")
    table = encode_ordinal(problem.schema).fit_transform(problem.X)
    found = diagnose(
        table,
        problem.y,
        {name: list(columns) for name, columns in (problem.views or {}).items()} or None,
        max_rows=MOST_ROWS,
        random_state=settings.seed,
        n_jobs=settings.n_jobs,
    )
    watcher.end("Views")
    return found
