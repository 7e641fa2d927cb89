"""Descriptions of parameters that many estimators or functions share, written once."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from typing import Any, TypeVar

_Thing = TypeVar("_Thing", bound=Callable[..., Any])

_WORDS = {
    "estimator": """estimator : weak learner, classifier or list of these, default=None
    The weak learner. None is a :class:`~uneven.voters.CostTree` of depth ``max_depth``, which reads
    the whole cost matrix. Any scikit-learn classifier works too: it gets the costs as sample
    weights, or as a subsample if its ``fit`` takes no weights (see
    :class:`~uneven.voters.Weighted` and :class:`~uneven.voters.Resampled`). Of a list, the one with
    the largest edge is used in each round. Multi-view methods also take a dict of view name to any
    of these.""",
    "n_estimators": """n_estimators : int, default=200
    Number of boosting rounds.""",
    "max_depth": """max_depth : int, default=3
    Depth of the cost trees; 1 gives stumps. Ignored if ``estimator`` is given.""",
    "learning_rate": """learning_rate : float, default=1.0
    Shrinkage in (0, 1] of every vote weight.""",
    "leaf_step": """leaf_step : {"auto", "balance", "closed", "newton"}, default="auto"
    How a leaf gets its scores. "balance" minimises the loss of its rows exactly, "closed" a bound
    of it; neither ever increases the loss. "newton" is one step of Newton's method, the fastest
    for many classes and without that guarantee. "auto" is "balance" up to 40 classes, else
    "newton". See :mod:`uneven.costs.leaf_steps`.""",
    "l2": """l2 : float, default=1.0
    Shrinks leaf scores towards 0: cost added to every leaf, and curvature added to both sides of a
    split, in examples of average weight.""",
    "min_weight": """min_weight : float, default=0.1
    Minimum curvature of the loss on either side of a split, in examples of average weight.""",
    "class_cost": """class_cost : array-like of shape (n_classes, n_classes), default=None
    Cost of predicting the column's class for an example of the row's class, in sorted class order;
    the diagonal is ignored. None: all misclassifications have the same cost.""",
    "noise_matrix": """noise_matrix : array-like of shape (n_classes, n_classes), default=None
    Known confusion matrix of label noise: entry (i, j) is the share of true class j that is
    labelled i, in sorted class order; columns sum to 1. In every round, the costs of an example are
    averaged over its possible true classes, given its label, this matrix and the current vote.
    :mod:`uneven.noise` estimates such matrices.""",
    "subsample": """subsample : float, default=1.0
    Share of the rows that the voters of a round learn from, drawn anew in every round; their
    edges are measured on all rows. With ``noise_matrix``, the true class of a row is then
    estimated by voters that were not fitted to it: deep trees, which would reproduce its wrong
    label, work well with 0.5.""",
    "line_search": """line_search : bool, default=False
    Use the vote weight that minimises the loss of the round exactly, instead of the published
    one, which minimises a bound of it. They agree for two classes.""",
    "views": """views : dict, sequence of int, "prefix" or None, default=None
    Named groups of columns; see :func:`uneven.views.resolve_views`.""",
    "max_bins": """max_bins : int, default=255
    Maximum number of bins per feature, between 2 and 255.""",
    "early_stopping": """early_stopping : bool, default=False
    Hold out rows of every class for validation, stop when their score no longer improves, and keep
    the best round.""",
    "scoring": """scoring : str, callable or None, default=None
    Metric of ``early_stopping``: "log_loss" (every class weighs what it weighs in the
    training loss), "norm" (the confusion norm), the name of a measure or of a scorer of
    scikit-learn, or a scorer ``scorer(estimator, X, y)``. None is the accuracy with the class
    weights of the method if leaves vote, and "log_loss" if they hold scores.""",
    "validation_fraction": """validation_fraction : float, default=0.1
    Fraction of every class to hold out for ``early_stopping``.""",
    "n_iter_no_change": """n_iter_no_change : int, default=20
    Rounds without a better validation score before stopping.""",
    "warm_start": """warm_start : bool, default=False
    Continue from the vote of the previous ``fit`` (same rows, larger ``n_estimators``).""",
    "random_state": """random_state : int, RandomState or None, default=None
    Seed of weak learners and of the validation rows. Cost trees are not random.""",
    "n_jobs": """n_jobs : int or None, default=None
    Threads; -1 uses every core. The result does not depend on it.""",
    "verbose": """verbose : int, default=0
    1 prints every tenth round, larger values print more often.""",
}

_SCORE_WORDS = {
    "leaves": """leaves : {"votes", "scores"}, default="votes"
    Whether a leaf of a tree votes for one class, as published, or holds a score for every class.
    With "scores" a round learns more, probabilities are better, and large tables take less
    time.""",
    "max_depth": """max_depth : int or None, default=3
    Maximum depth of a tree; 1 gives stumps. Ignored if ``estimator`` is given. None, no limit,
    needs ``leaves="scores"``.""",
    "max_leaves": """max_leaves : int or None, default=None
    With ``leaves="scores"``: maximum number of leaves of a tree; the leaf with the largest gain is
    split next. None
    is ``2 ** max_depth``, or 31 if ``max_depth`` is None.""",
    "learning_rate": """learning_rate : float, default=1.0
    Shrinkage in (0, 1] of every vote weight or leaf score. 0.1 to 0.4 suits scores.""",
    "loss": """loss : {"exponential", "log"}, default="exponential"
    With ``leaves="scores"``: the loss that leaves minimise. The exponential loss is the published
    one; the log-loss is robust to label noise and gives probabilities.""",
    "subsample": """subsample : float, default=1.0
    Share of the rows that the voters of a round learn from, drawn anew in every round; edges and
    leaf scores come from all rows. If leaves hold scores, rows are drawn by their cost, and those
    that might have been left out count more. If leaves vote, with ``noise_matrix``, the
    true class of a row is estimated only by voters that were not fitted to it: deep trees, which
    would reproduce its wrong label, need about 0.5.""",
    "max_features": """max_features : float, default=1.0
    Fraction of the features (of each view) that a voter uses, sampled anew in every round. Rounds
    on wide tables take that fraction of the time.""",
    "random_state": """random_state : int, RandomState or None, default=None
    Seeds weak learners and the validation rows. Trees whose leaves vote draw nothing at random
    but columns and rows, if requested;
    those whose leaves hold scores round gradients by chance and may draw rows, columns and
    axes.""",
}
"""Words of estimators whose leaves may hold scores, in place of those above."""

_AUTOMATIC_DEPTH = """max_depth : int, None or "auto", default="auto"
    Maximum depth of a tree; 1 gives stumps. "auto" is 3; with more than 16 classes, where leaves
    vote, it is the least depth with as many leaves as classes. Ignored if ``estimator`` is given.
    None, no limit, needs ``leaves="scores"``."""

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
    Why training ended.
class_prior_ : ndarray of shape (n_classes,)
    Class frequencies in training.
views_ : ViewMap
    The resolved views.
subsample_ : float
    Fraction of the rows that each round was fitted to.
categories_ : dict of str to list
    Categories of the category columns seen in training.
n_features_in_ : int
feature_names_in_ : ndarray of shape (n_features_in_,)
    Only if ``X`` had string column names."""

_SCORE_ATTRIBUTES = """
temperature_ : float
    With leaf scores: factor on them before the softmax of :meth:`predict_proba`."""


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


def documented(estimator: _Thing) -> _Thing:
    """Fill the docstring of an estimator with the words above, as far as it has the parameters."""
    parameters = inspect.signature(estimator).parameters
    words, attributes = _WORDS, _ATTRIBUTES
    if "leaf_step" in parameters:
        words, attributes = words | _SCORE_WORDS, attributes + _SCORE_ATTRIBUTES
    if "max_depth" in parameters and parameters["max_depth"].default == "auto":
        words = words | {"max_depth": _AUTOMATIC_DEPTH}
    return described(words, attributes)(estimator)
