"""How every method of this room begins to learn, and what it says if there was nothing to."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from uneven.utils.parallel import ThreadPool, thread_pool
from uneven.utils.parameters import check_integer
from uneven.utils.validation import whole_or_nothing
from uneven.views.training_rows import TrainingRows, validate_fit_data
from uneven.voters import TreeVoter
from uneven.votes import Vote

__all__ = ["enter_rows", "fitting", "warn_if_nothing_learnt"]


@contextmanager
def fitting(estimator: Any) -> Iterator[ThreadPool]:
    """Open worker threads; put the fitted attributes back if fitting fails or is interrupted.

    Parameters
    ----------
    estimator : object
        Its ``n_jobs`` says how many threads.

    Yields
    ------
    ThreadPool
    """
    if estimator.n_jobs is not None:
        check_integer("n_jobs", estimator.n_jobs, -(2**31))
    with whole_or_nothing(estimator), thread_pool(estimator.n_jobs) as pool:
        yield pool


def enter_rows(estimator: Any, X: Any, y: Any, sample_weight: Any) -> TrainingRows:
    """Validate what ``fit`` was given; remember columns, classes, their frequencies and views.

    Parameters
    ----------
    estimator : object
        Gets ``classes_``, ``class_prior_``, ``views_`` and what ``validate_fit_data`` stores.
    X, y, sample_weight : object
        As the user gave them.

    Returns
    -------
    TrainingRows
    """
    rows = validate_fit_data(estimator, X, y, sample_weight)
    mass = np.bincount(rows.y, rows.mass, len(rows.classes))
    estimator.classes_, estimator.views_ = rows.classes, rows.views
    estimator.class_prior_ = mass / mass.sum()
    return rows


def warn_if_nothing_learnt(vote: Vote) -> None:
    """Warn of a vote between classes in which no tree asks a question.

    Parameters
    ----------
    vote : Vote
        Voters that are not trees are taken to have learnt something.
    """
    voters = [term.voter for term in vote.terms()]
    if vote.n_classes > 1 and all(isinstance(v, TreeVoter) and len(v.child) == 1 for v in voters):
        warnings.warn(
            "no voter finds anything to tell the classes apart by, in any view: all rows that have "
            "the same views get the same answer.",
            stacklevel=4,
        )
