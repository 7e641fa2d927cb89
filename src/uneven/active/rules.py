"""Query rules: how informative is the label of each candidate?

A rule is a function of a `uneven.active.QueryState` that returns one utility per candidate; the
learner queries the highest. Options of a rule are keyword arguments, to be set with
``functools.partial``. What a rule needs is declared by ``@rule(...)``; the names that ``query=``
accepts, the help and the checks are derived from that.

Examples
--------
Three ways to choose a rule; all but "auto", "uncertainty", "views_disagree" and "random" need a
pool of finite numbers.

>>> from functools import partial
>>> from sklearn.datasets import load_iris
>>> from uneven import ActiveLearner
>>> from uneven.active import centre_of_gravity, maxmin_margin
>>> X, y = load_iris(return_X_y=True)
>>> known = [0, 20, 60, 80, 110, 130]
>>> few = partial(maxmin_margin, candidates=20)
>>> for query in ("centre_of_gravity", few, lambda state: state.votes()[:, 0]):
...     learner = ActiveLearner(query=query, random_state=0).start(X).tell(known, y[known])
...     print(learner.ask(2).shape)
(2,)
(2,)
(2,)

The utilities of the unlabelled rows:

>>> utilities = centre_of_gravity(learner.state())
>>> utilities.shape, learner.unlabelled_[utilities.argmax()] in known
((144,), False)
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import scipy.sparse as sp

from uneven.active.registry import rule
from uneven.active.state import QueryState
from uneven.linear import NotSeparableError, add_constant, hard_margin
from uneven.utils.frames import named_frame
from uneven.views import ViewMap

__all__ = [
    "Rule",
    "analytic_margin",
    "balanced_votes",
    "centre_of_gravity",
    "expected_model_change",
    "maxmin_margin",
    "random_rows",
    "ratio_margin",
    "simple_margin",
    "uncertainty",
    "views_disagree",
]

Rule = Callable[[QueryState], np.ndarray]
"""Utility of every candidate; the one with the largest utility is queried."""

_CELLS_AT_ONCE = 4_000_000


@rule("centre_of_gravity", "nearest to the centre of the version space")
def centre_of_gravity(state: QueryState) -> np.ndarray:
    """The hyperplane nearest to the centre of gravity of the version space.

    Whatever the label, at most 1 - 1/e of the volume remains after a cut through the centre of
    gravity; the nearest hyperplane comes close to that.

    Returns
    -------
    ndarray of shape (n_candidates,)
        Minus the distance. With more than two classes, minus the difference between the two classes
        whose centres are farthest on the positive side.

    Notes
    -----
    The source queries the row nearest to the centre, which is the most certain one, and drops the
    sign; here distances are from hyperplanes. It also cuts only if the label contradicts the
    centre; here every label cuts.

    References
    ----------
    Louche (2016), algorithm 10. Brinker (2004), Active learning of label ranking
    functions.
    """
    return -_gap(state.distances("gravity"))


@rule("simple", "nearest to the boundary of a support vector machine")
def simple_margin(state: QueryState) -> np.ndarray:
    """The hyperplane nearest to the Chebyshev centre: the row nearest to the hard-margin SVM.

    Returns
    -------
    ndarray of shape (n_candidates,)
        Minus the distance. If the version space is elongated, the Chebyshev centre is in a corner
        of it and the cut removes little.

    References
    ----------
    Tong and Koller (2001), Support vector machine active learning with applications to text
    classification.
    """
    return -_gap(state.distances("chebyshev"))


@rule("analytic", "nearest to the analytic centre")
def analytic_margin(state: QueryState) -> np.ndarray:
    """The hyperplane nearest to the analytic centre.

    The analytic centre maximises the product of the distances from all cuts. It takes a few Newton
    steps and no samples, and is farther from corners than the Chebyshev centre.

    Returns
    -------
    ndarray of shape (n_candidates,)
        Minus the distance.

    References
    ----------
    Louche (2016), perspectives of chapter 7.
    """
    return -_gap(state.distances("analytic"))


@rule("maxmin", "largest smaller margin of two support vector machines; slower")
def maxmin_margin(state: QueryState, *, candidates: int | None = 50) -> np.ndarray:
    """The row for which the smaller of the margins after either label is largest.

    Parameters
    ----------
    state : QueryState
    candidates : int or None, default=50
        Two SVMs are fitted for each of so many rows, those nearest to the Chebyshev centre.

    Returns
    -------
    ndarray of shape (n_candidates,)
        The smaller margin; -inf for the other rows. With more than two classes it is that of the
        one-against-rest problem that is most uncertain for the row.

    References
    ----------
    Tong and Koller (2001), Support vector machine active learning with applications to text
    classification.
    """
    return _by_margins(state, candidates, lambda plus, minus: min(plus, minus))


@rule("ratio", "most similar margins of two support vector machines; slower")
def ratio_margin(state: QueryState, *, candidates: int | None = 50) -> np.ndarray:
    """The row whose two labels would leave the most similar margins.

    Parameters
    ----------
    state : QueryState
    candidates : int or None, default=50
        See `maxmin_margin`.

    Returns
    -------
    ndarray of shape (n_candidates,)
        The smaller of the two margins divided by the larger, 0 if a label is implied; -inf for
        rows that are not among the candidates.

    References
    ----------
    Tong and Koller (2001), Support vector machine active learning with applications to text
    classification.
    """
    return _by_margins(
        state, candidates, lambda plus, minus: min(plus, minus) / (max(plus, minus) or 1.0)
    )


@rule("balanced", "most even votes of the version space for the two leading classes")
def balanced_votes(state: QueryState) -> np.ndarray:
    """The row for which the votes of the version space for the two leading classes are most even.

    Returns
    -------
    ndarray of shape (n_candidates,)
        Minus the difference between the two largest votes. With two classes, zero is a cut into
        halves, the best possible one.

    References
    ----------
    Louche (2016), perspectives of chapter 7.
    """
    return -_gap(state.votes())


@rule("expected_model_change", "largest expected reduction of the version space")
def expected_model_change(state: QueryState) -> np.ndarray:
    """Expected share of the version space that the label removes.

    Returns
    -------
    ndarray of shape (n_candidates,)
        One minus the sum of the squared votes; 2 p (1 - p) for two classes.

    Notes
    -----
    The expectation is over the votes of the version space. The source suggests equally probable
    labels, which gives every row the same utility.

    References
    ----------
    Louche (2016), algorithm 9.
    """
    return 1.0 - (state.votes() ** 2).sum(axis=1)


@rule("uncertainty", "smallest margin between the two best classes", needs="scores")
def uncertainty(state: QueryState) -> np.ndarray:
    """Smallest margin between the two best classes (margin sampling).

    Returns
    -------
    ndarray of shape (n_candidates,)
        Minus the difference between the two highest probabilities, or between the two highest
        scores of a classifier without probabilities.

    References
    ----------
    Lewis and Gale (1994), A sequential algorithm for training text classifiers.
    Scheffer, Decomain and Wrobel (2001), Active hidden Markov models for information extraction.
    """
    return -_gap(_opinions(state.model, state.inputs(state.candidates)))


@rule("views_disagree", "where single views predict different classes", needs="predict_proba")
def views_disagree(state: QueryState) -> np.ndarray:
    """Rows for which single views predict different classes (co-testing).

    One of two views that contradict each other is wrong, so the label is informative for at least
    one of them. To predict from one view, the others are hidden as missing: the classifier must
    accept missing views, as all multi-view methods of this library do.

    Returns
    -------
    ndarray of shape (n_candidates,)
        `uncertainty` of the classifier, plus 1 where two present views predict different classes.
        Without ``views_``, or if only one view is present, the same as `uncertainty`.

    Notes
    -----
    Rows must be numbers, NaN allowed. Sparse rows are converted to dense ones, four million cells
    at a time.

    References
    ----------
    Muslea, Minton and Knoblock (2006), Active learning with multiple views (conservative
    co-testing).

    Examples
    --------
    >>> from uneven import ActiveLearner, MuComboClassifier
    >>> X = np.array([[0.0, 0], [0, 0], [1, 1], [1, 1], [0, 0], [1, 0]])
    >>> model = MuComboClassifier(n_estimators=3, views={"left": [0], "right": [1]})
    >>> learner = ActiveLearner(model, "views_disagree").start(X).tell([0, 1, 2, 3], [0, 0, 1, 1])
    >>> learner.ask()
    array([5])
    """
    views: ViewMap | None = getattr(state.model, "views_", None)
    if views is None or len(views) < 2:
        return uncertainty(state)
    step = max(1, _CELLS_AT_ONCE // views.n_features)
    parts = range(0, len(state.candidates), step)
    found = [_contention(state, views, state.candidates[i : i + step]) for i in parts]
    return uncertainty(state) + np.concatenate(found or [np.empty(0)])


def _contention(state: QueryState, views: ViewMap, which: np.ndarray) -> np.ndarray:
    """1 for rows of the pool for which two views predict different classes, 0 for others."""
    given = state.inputs(which)
    names = list(given.columns) if hasattr(given, "columns") else None
    try:
        rows = np.asarray(given.toarray() if sp.issparse(given) else given, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise ValueError(
            f"query='views_disagree' hides views as NaN and needs rows of numbers: {error} Encode "
            "texts and categories first, or choose query='uncertainty'."
        ) from error
    speaks = views.presence(rows)
    votes = np.zeros((len(which), len(state.model.classes_)), dtype=bool)
    for j, columns in enumerate(views.columns):
        alone = np.full_like(rows, np.nan)
        alone[:, columns] = rows[:, columns]
        asked = alone if names is None else named_frame(alone, names)
        if hasattr(state.model, "undecided"):
            speaks[:, j] &= ~state.model.undecided(asked)
        spoken = np.flatnonzero(speaks[:, j])
        votes[spoken, state.model.predict_proba(asked)[spoken].argmax(axis=1)] = True
    return np.asarray(votes.sum(axis=1) > 1, dtype=np.float64)


@rule("random", "random rows, a baseline", needs="nothing")
def random_rows(state: QueryState) -> np.ndarray:
    """Random rows: the baseline.

    Returns
    -------
    ndarray of shape (n_candidates,)
    """
    return state.rng.random(len(state.candidates))


def _gap(scores: np.ndarray) -> np.ndarray:
    """Distance between the two highest scores of each row; from zero if there is only one."""
    if scores.ndim == 1 or scores.shape[1] == 1:
        return np.abs(scores).reshape(len(scores))
    best = np.partition(scores, -2, axis=1)
    return best[:, -1] - best[:, -2]


def _opinions(model: Any, X: Any) -> np.ndarray:
    if hasattr(model, "predict_proba"):
        return np.asarray(model.predict_proba(X))
    return np.asarray(model.decision_function(X))


class Problems:
    """The one-against-rest problems, as rules that look at rows one by one see them.

    state: input of the rule; name: the centre, see `QueryState.centre`.
    """

    def __init__(self, state: QueryState, name: str) -> None:
        self.state = state
        self.body = state.body(name)
        self.spaces = self.body.spaces_
        distances = state.distances(name, multi_class="ovr")
        self.distances = distances.reshape(len(distances), -1)
        self.utilities = np.full(len(distances), -np.inf)

    def nearest(self, n: int | None) -> Iterator[tuple[int, int, np.ndarray, float]]:
        """Candidates by their distance from the centre, the nearest n or all of them.

        Position, the problem whose hyperplane is nearest to the centre, coordinates, and how far
        the row sticks out of the span.
        """
        near = np.argsort(_gap(self.distances), kind="stable")[:n]
        which = self.state.candidates[near]
        rows = self.state.rows(which)
        where, rest = self.body.span_.coordinates(
            add_constant(rows) if self.body.fit_intercept else rows,
            self.state.pool.norms(self.body)[which],
        )
        problems = np.abs(self.distances[near]).argmin(axis=1)
        yield from zip(near.tolist(), problems.tolist(), where, rest.tolist())


def _by_margins(
    state: QueryState, candidates: int | None, worth: Callable[[float, float], float]
) -> np.ndarray:
    problems = Problems(state, "chebyshev")
    for i, k, where, rest in problems.nearest(candidates):
        cuts, new = np.pad(problems.spaces[k].cuts, ((0, 0), (0, 1))), np.append(where, rest)
        problems.utilities[i] = worth(
            *(_margin(np.vstack([cuts, side * new])) for side in (1.0, -1.0))
        )
    return problems.utilities


def _margin(cuts: np.ndarray) -> float:
    try:
        return hard_margin(cuts).margin
    except NotSeparableError:
        return 0.0
