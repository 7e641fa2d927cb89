"""Query rules: how much would the label of each candidate tell?

A rule is a function of a `uneven.active.QueryState` that returns one number per candidate; the
learner asks for the highest. Rules with choices of their own take them as keywords, to be set with
``functools.partial``. What a rule needs stands in its ``@rule(...)``; the names that ``query=``
takes, the help and the checks are read from there.

Examples
--------
Three ways to name a rule; all but "auto", "uncertainty", "views_disagree" and "random" need a pool
of finite numbers.

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

What a rule says about the rows without label:

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

_CELLS_AT_ONCE = 4_000_000


@rule("centre_of_gravity", "nearest to the middle of all classifiers that agree")
def centre_of_gravity(state: QueryState) -> np.ndarray:
    """The hyperplane nearest to the centre of gravity of the version space.

    Whatever the answer, a hyperplane through the centre of gravity leaves at most 1 - 1/e of the
    volume; the nearest one comes close to it.

    Returns
    -------
    ndarray of shape (n_candidates,)
        Minus the distance. With more than two classes minus the gap between the two classes whose
        centres are farthest on the positive side: the hyperplane on which the two are level.

    Notes
    -----
    The source looks for the row nearest to the centre, which is the row it is surest about, and
    drops the sign; here distances are from hyperplanes. It also cuts only if the answer contradicts
    the centre; every answer cuts here.

    References
    ----------
    Louche (2016), algorithm 10. Brinker (2004), Active learning of label ranking
    functions.
    """
    return -_gap(state.distances("gravity"))


@rule("simple", "nearest to the support vector machine")
def simple_margin(state: QueryState) -> np.ndarray:
    """The hyperplane nearest to the Chebyshev centre: the row nearest to the hard-margin SVM.

    Returns
    -------
    ndarray of shape (n_candidates,)
        Minus the distance. If the version space is long and thin, the Chebyshev centre sits in a
        corner of it and the cut takes little away.

    References
    ----------
    Tong and Koller (2001), Support vector machine active learning with applications to text
    classification.
    """
    return -_gap(state.distances("chebyshev"))


@rule("analytic", "nearest to the analytic centre")
def analytic_margin(state: QueryState) -> np.ndarray:
    """The hyperplane nearest to the analytic centre.

    The analytic centre has the largest product of distances from all cuts. It costs a few Newton
    steps, no samples, and stays away from corners better than the Chebyshev centre.

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
    """The row that leaves the larger of the two smaller margins, whatever its label.

    Parameters
    ----------
    state : QueryState
    candidates : int or None, default=50
        Only so many rows, those nearest to the Chebyshev centre, get two SVMs each.

    Returns
    -------
    ndarray of shape (n_candidates,)
        The smaller margin; -inf for rows that were not looked at. With more than two classes it is
        that of the one-against-rest problem that is most open for the row.

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
        rows that were not looked at.

    References
    ----------
    Tong and Koller (2001), Support vector machine active learning with applications to text
    classification.
    """
    return _by_margins(
        state, candidates, lambda plus, minus: min(plus, minus) / (max(plus, minus) or 1.0)
    )


@rule("balanced", "most even votes of the two most popular answers")
def balanced_votes(state: QueryState) -> np.ndarray:
    """The row whose two most popular answers have the most even votes of the version space.

    Returns
    -------
    ndarray of shape (n_candidates,)
        Minus the gap between the two largest votes. With two classes zero is a cut into halves,
        which no answer can make worse.

    References
    ----------
    Louche (2016), perspectives of chapter 7.
    """
    return -_gap(state.votes())


@rule("expected_model_change", "most classifiers are expected to be ruled out")
def expected_model_change(state: QueryState) -> np.ndarray:
    """Share of the version space that the answer is expected to take away.

    Returns
    -------
    ndarray of shape (n_candidates,)
        One minus the sum of the squared votes; 2 p (1 - p) for two classes.

    Notes
    -----
    The expectation is over the votes of the version space. The source leaves it open and suggests
    that all answers be taken as equally probable, which gives every row the same utility.

    References
    ----------
    Louche (2016), algorithm 9.
    """
    return 1.0 - (state.votes() ** 2).sum(axis=1)


@rule("uncertainty", "where the two best classes are level", needs="scores")
def uncertainty(state: QueryState) -> np.ndarray:
    """Where the classifier hesitates between its two best classes.

    Returns
    -------
    ndarray of shape (n_candidates,)
        Minus the gap between the two highest probabilities, or between the two highest scores of
        a classifier that has no probabilities.

    References
    ----------
    Lewis and Gale (1994), A sequential algorithm for training text classifiers.
    Scheffer, Decomain and Wrobel (2001), Active hidden Markov models for information extraction.
    """
    return -_gap(_opinions(state.model, state.inputs(state.candidates)))


@rule("views_disagree", "where single views answer different classes", needs="predict_proba")
def views_disagree(state: QueryState) -> np.ndarray:
    """Rows on which views, asked alone, answer different classes (co-testing).

    One of two views that contradict each other is wrong, so the label tells at least one of them
    something that it does not know. A view is asked alone by hiding the others: the classifier must
    take missing views, as all multi-view methods of this library do.

    Returns
    -------
    ndarray of shape (n_candidates,)
        `uncertainty` of the classifier, plus 1 where two views that are there answer different
        classes. Without ``views_``, or with one view that speaks, the same as `uncertainty`.

    Notes
    -----
    Rows must be numbers, NaN allowed. Sparse rows are filled up, four million cells at a time.

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
    """1 for rows of the pool that two views answer differently, 0 for others."""
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


@rule("random", "any row, to compare with", needs="nothing")
def random_rows(state: QueryState) -> np.ndarray:
    """Any candidate is as good as another: the rule that all others must beat.

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

    state: what the rule is asked; name: the centre that is looked from, see `QueryState.centre`.
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
