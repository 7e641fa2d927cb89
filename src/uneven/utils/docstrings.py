"""Descriptions of parameters that many estimators or functions share, written once."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from typing import Any, TypeVar

_Thing = TypeVar("_Thing", bound=Callable[..., Any])

_WORDS = {
    "estimator": """estimator : weak learner or classifier, default=None
    Who answers in a round. None is a :class:`~uneven.voters.CostTree` of depth ``max_depth``,
    which reads the whole cost matrix. Any scikit-learn classifier works too: it gets the costs
    as sample weights, or as a subsample if its ``fit`` takes no weights (see
    :class:`~uneven.voters.Weighted` and :class:`~uneven.voters.Resampled`). Methods with a
    learner per view also take a dict of view name to weak learner or classifier.""",
    "n_estimators": """n_estimators : int, default=200
    Rounds of boosting.""",
    "max_depth": """max_depth : int, default=3
    Depth of the cost trees; 1 gives stumps. Ignored if ``estimator`` is given.""",
    "learning_rate": """learning_rate : float, default=1.0
    Factor in (0, 1] on every vote weight.""",
    "class_cost": """class_cost : array-like of shape (n_classes, n_classes), default=None
    How bad it is to answer the column's class for an example of the row's class, in sorted class
    order; the diagonal is ignored. None makes all mistakes equally bad.""",
    "noise_matrix": """noise_matrix : array-like of shape (n_classes, n_classes), default=None
    If labels are wrong in a known pattern: entry (i, j) is the share of true class j that is
    labelled i, in sorted class order; columns sum to 1. Every round, the costs of an example are
    averaged over the classes that it may truly have, given its label, this matrix and the vote so
    far. See :mod:`uneven.noise` for how to get one.""",
    "subsample": """subsample : float, default=1.0
    Share of the rows that the voters of a round learn from, drawn anew in every round; their
    edges are measured on all rows. With ``noise_matrix``, what a row's true class may be is then
    told only by voters that did not learn from it: deep trees, which would repeat its wrong label,
    learn well with 0.5.""",
    "line_search": """line_search : bool, default=False
    Use the vote weight that minimises the loss of the round exactly, instead of the published
    one, which minimises a bound of it. They agree for two classes.""",
    "views": """views : dict, sequence of int, "prefix" or None, default=None
    Named groups of columns; see :func:`uneven.views.resolve_views`.""",
    "max_bins": """max_bins : int, default=255
    Largest number of bins per column, between 2 and 255.""",
    "early_stopping": """early_stopping : bool, default=False
    Hold out rows of every class, stop when they no longer profit, and keep the best round.""",
    "validation_fraction": """validation_fraction : float, default=0.1
    Share of every class to hold out for ``early_stopping``.""",
    "n_iter_no_change": """n_iter_no_change : int, default=20
    Rounds without a better validation score before stopping.""",
    "warm_start": """warm_start : bool, default=False
    Go on from the vote of the previous ``fit`` (same rows, larger ``n_estimators``).""",
    "random_state": """random_state : int, RandomState or None, default=None
    Seeds weak learners and the validation rows. Cost trees draw nothing at random.""",
    "n_jobs": """n_jobs : int or None, default=None
    Threads; -1 uses every core. The result does not depend on it.""",
    "verbose": """verbose : int, default=0
    1 prints every tenth round, larger values print more often.""",
}

_ATTRIBUTES = """classes_ : ndarray of shape (n_classes,)
    The class labels.
vote_ : Vote
    The fitted vote: voters, their views and weights.
history_ : dict of str to ndarray of shape (n_estimators_,)
    ``edge``, ``weight`` and ``log_loss`` of each round kept, its number as ``round``, and
    ``validation_score`` with ``early_stopping``.
n_estimators_ : int
    Rounds kept.
stop_reason_ : str
    Why learning ended.
class_prior_ : ndarray of shape (n_classes,)
    Class frequencies in training.
views_ : ViewMap
    The resolved views.
subsample_ : float
    Share of the rows that each round learnt from.
categories_ : dict of str to list
    Categories of the category columns seen in training.
n_features_in_ : int
feature_names_in_ : ndarray of shape (n_features_in_,)
    Only if ``X`` had string column names."""


def described(words: Mapping[str, str], attributes: str = "") -> Callable[[_Thing], _Thing]:
    """Fill the lines ``{parameters}`` and ``{attributes}`` of the docstring of a class or function.

    Parameters
    ----------
    words : mapping of str to str
        The paragraph about each parameter, by its name. A parameter that is described in the
        docstring itself is left out.
    attributes : str
        What stands for ``{attributes}``.

    Returns
    -------
    callable
        A decorator.
    """

    def fill(thing: _Thing) -> _Thing:
        text = inspect.getdoc(thing) or ""
        named = [name for name in inspect.signature(thing).parameters if name in words]
        missing = [words[name] for name in named if f"\n{name} : " not in text]
        text = text.replace("{parameters}", "\n".join(missing))
        thing.__doc__ = text.replace("{attributes}", attributes)
        return thing

    return fill


documented = described(_WORDS, _ATTRIBUTES)
"""Decorator of the estimators whose constructor shares the words above."""
