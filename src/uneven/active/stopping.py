"""When to stop labelling.

A stopping rule is a function of an `uneven.ActiveLearner` that returns a reason, a sentence without
a full stop, or None to continue. All but `Budget` continue until two classes have been seen.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.base import clone
from sklearn.utils import get_tags

from uneven.active.history import answers
from uneven.active.registry import stopping_rule
from uneven.active.rules import expected_model_change
from uneven.linear import NotSeparableError, hard_margin
from uneven.linear.rows import add_constant
from uneven.utils.frames import take_rows
from uneven.utils.parameters import Interval, check_integer
from uneven.versionspace import BayesPointClassifier, VersionSpace
from uneven.versionspace.propagation import JITTER

if TYPE_CHECKING:
    from uneven.active.learner import ActiveLearner
    from uneven.active.state import QueryState


StoppingRule = Callable[["ActiveLearner"], str | None]
"""The reason to stop, or None to go on."""

_SHARE = Interval(0, 1, says="a number from 0 to 1")


def first_reason(stop: StoppingRule | Sequence[StoppingRule], learner: ActiveLearner) -> str | None:
    """The reason of the first stopping rule that returns one.

    Parameters
    ----------
    stop : callable or sequence of callables
    learner : ActiveLearner

    Returns
    -------
    str or None
    """
    rules = [stop] if callable(stop) else stop
    return next((reason for rule in rules if (reason := rule(learner)) is not None), None)


def check_stop(stop: Any) -> None:
    """Refuse what is neither a stopping rule nor several of them.

    Examples
    --------
    >>> check_stop(5)
    Traceback (most recent call last):
        ...
    ValueError: stop must be a stopping rule or a list of them, got 5. Budget(5) stops at 5 labels.
    """
    several = isinstance(stop, Sequence) and not isinstance(stop, str)
    wrong = [rule for rule in (stop if several else [stop]) if not _is_rule(rule)]
    if stop is None or not wrong:
        return
    hint = "See uneven.active.stopping."
    if isinstance(wrong[0], int) and wrong[0] > 0:
        hint = f"Budget({wrong[0]}) stops at {wrong[0]} labels."
    elif isinstance(wrong[0], type):
        hint = f"Write {wrong[0].__name__}(...), with its choices."
    raise ValueError(f"stop must be a stopping rule or a list of them, got {stop!r}. {hint}")


def _is_rule(rule: Any) -> bool:
    return callable(rule) and not isinstance(rule, type)


@stopping_rule("Budget", "n rows have a label", blind=True)
@dataclass(frozen=True)
class Budget:
    """Stop once `n` rows are labelled.

    Parameters
    ----------
    n : int
        Rows that were labelled at the start count, too.

    Examples
    --------
    >>> Budget(0)
    Traceback (most recent call last):
        ...
    ValueError: n must be a whole number at least 1, got 0.
    """

    n: int

    def __post_init__(self) -> None:
        check_integer("n", self.n, 1)

    def __call__(self, learner: ActiveLearner) -> str | None:
        """The reason to stop, or None."""
        n = len(learner.labelled_)
        return f"{n} rows have a label, the budget was {self.n}" if n >= self.n else None


@stopping_rule("NoInformativeRow", "the labels imply all others")
@dataclass(frozen=True)
class NoInformativeRow:
    """Stop once the labels so far imply those of all other rows.

    A row is not informative if its hyperplane does not cut the version space: all classifiers that
    agree with the labels so far predict the same label. If this holds for all rows, all these
    classifiers predict the same labels for the pool, and further labels do not change them.

    Notes
    -----
    The exact version space is used, whatever ``ridge`` and ``flip`` are. If labels are
    contradictory, or may be wrong (``flip``), nothing is implied and the rule never stops. It also
    never stops with a Gaussian kernel, for which distinct rows are always independent; it is a rule
    for the linear kernel with fewer columns than labels. Rows nearest to the centre are checked
    first, and the search ends at the first informative one.

    References
    ----------
    Louche (2016), section 7.2.

    Examples
    --------
    In the plane a row between two rows of the same label has that label, too:

    >>> from uneven import ActiveLearner, BayesPointClassifier
    >>> angles = np.linspace(0.1, 3.0, 30)
    >>> pool = np.column_stack([np.cos(angles), np.sin(angles)])
    >>> linear = BayesPointClassifier("linear")
    >>> learner = ActiveLearner(linear, stop=NoInformativeRow(), random_state=0).start(pool)
    >>> while learner.stop_reason() is None:
    ...     row = learner.ask()
    ...     learner = learner.tell(row, angles[row] < 2.0)
    >>> learner.stop_reason()
    'the labels so far imply those of all other rows'
    >>> bool((learner.predict(pool) == (angles < 2.0)).all()), len(learner.labelled_) < 15
    (True, True)
    """

    def __call__(self, learner: ActiveLearner) -> str | None:
        """The reason to stop, or None."""
        if learner.model_ is None:
            return None
        if _any_informative(learner.state()):
            return None
        return "the labels so far imply those of all other rows"


@stopping_rule("VolumeBelow", "the version space is smaller than a share of all classifiers")
@dataclass(frozen=True)
class VolumeBelow:
    """Stop once the version space has become small.

    Parameters
    ----------
    log_share : float
        Natural logarithm of the share of all classifiers that remains; with more than two classes,
        in each of the one-against-rest problems.

    Notes
    -----
    A label that could not be predicted removes about half of the version space, which decreases
    the logarithm by 0.7. What is small depends on the kernel and the number of columns: look at
    ``learner.state().centre().log_volume_`` before you choose. With a Gaussian kernel and a class
    that is easily separated from the others, the largest of these values may hardly decrease.

    Examples
    --------
    >>> from uneven import ActiveLearner, BayesPointClassifier
    >>> pool = np.random.default_rng(0).normal(size=(200, 5))
    >>> truth = pool @ [1.0, 2.0, 0.0, -1.0, 0.5] > 0
    >>> linear = BayesPointClassifier("linear")
    >>> learner = ActiveLearner(linear, "balanced", stop=VolumeBelow(-8.0), random_state=0)
    >>> learner = learner.start(pool)
    >>> while learner.stop_reason() is None:
    ...     row = learner.ask()
    ...     learner = learner.tell(row, truth[row])
    >>> learner.stop_reason()
    'the labels leave exp(-8...) of all classifiers, no more than exp(-8)'
    >>> 10 < len(learner.labelled_) < 25
    True
    """

    log_share: float

    def __post_init__(self) -> None:
        Interval(-np.inf, 0, says="a number from -inf to 0").check("log_share", self.log_share)

    def __call__(self, learner: ActiveLearner) -> str | None:
        """The reason to stop, or None."""
        if learner.model_ is None:
            return None
        volume = float(np.max(learner.state().centre().log_volume_))
        if volume > self.log_share:
            return None
        return (
            f"the labels leave exp({volume:.1f}) of all classifiers, no more than "
            f"exp({self.log_share:g})"
        )


@stopping_rule(
    "StablePredictions",
    "so many answers changed no more than a share of the predictions",
    blind=True,
)
@dataclass(frozen=True)
class StablePredictions:
    """Stop once new labels hardly change the predictions on the pool.

    Parameters
    ----------
    patience : int, default=10
        For how many labels.
    share : float, default=0.0
        Share of the rows whose class may still differ from the present one.

    Notes
    -----
    Earlier predictions are remembered on the learner, and computed again from its history where
    they are not.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from uneven import ActiveLearner
    >>> X, y = load_iris(return_X_y=True)
    >>> learner = ActiveLearner(stop=StablePredictions(5, share=0.02), random_state=0).start(X)
    >>> while learner.stop_reason() is None:
    ...     row = learner.ask()
    ...     learner = learner.tell(row, y[row])
    >>> learner.stop_reason()
    'the last 5 answers changed no more than 2.0% of the predictions'
    """

    patience: int = 10
    share: float = 0.0

    def __post_init__(self) -> None:
        check_integer("patience", self.patience, 1)
        _SHARE.check("share", self.share)

    def __call__(self, learner: ActiveLearner) -> str | None:
        """The reason to stop, or None."""
        if learner.model_ is None:
            return None
        sizes = np.cumsum([len(step.rows) for step in learner.history_])
        early = np.flatnonzero(sizes <= sizes[-1] - self.patience)
        if not early.size:
            return None
        _forget(learner, early[-1])
        now = _predictions(learner, len(sizes))
        for k in range(len(sizes) - 1, early[-1], -1):
            before = _predictions(learner, k)
            if before is None or np.mean(before != now) > self.share:
                return None
        n = sizes[-1] - sizes[early[-1]]
        little = (
            f"no more than {self.share:.1%} of the predictions" if self.share else "no prediction"
        )
        last = "the last answer" if n == 1 else f"the last {n} answers"
        return f"{last} changed {little}"


@stopping_rule("ExpectedGain", "no answer is expected to take away much of the version space")
@dataclass(frozen=True)
class ExpectedGain:
    """Stop once no label is expected to remove much of the version space.

    Parameters
    ----------
    threshold : float
        Expected share of the version space, see `uneven.active.expected_model_change`; 0.5 is what
        a row takes that halves it.

    Examples
    --------
    In the plane the rows soon are all on one side or the other:

    >>> from uneven import ActiveLearner, BayesPointClassifier
    >>> pool = np.random.default_rng(0).normal(size=(60, 2))
    >>> truth = pool @ [1.0, 2.0] > 0
    >>> linear = BayesPointClassifier("linear")
    >>> learner = ActiveLearner(linear, stop=ExpectedGain(0.2), random_state=0).start(pool)
    >>> while learner.stop_reason() is None:
    ...     row = learner.ask()
    ...     learner = learner.tell(row, truth[row])
    >>> learner.stop_reason()
    'the best answer is expected to take ...% of what is possible away, less than 20.0%'
    >>> len(learner.labelled_) < 20
    True
    """

    threshold: float

    def __post_init__(self) -> None:
        _SHARE.check("threshold", self.threshold)

    def __call__(self, learner: ActiveLearner) -> str | None:
        """The reason to stop, or None."""
        if learner.model_ is None:
            return None
        gain = float(expected_model_change(learner.state()).max())
        if gain >= self.threshold:
            return None
        return (
            f"the best answer is expected to take {gain:.1%} of what is possible away, less than "
            f"{self.threshold:.1%}"
        )


def _any_informative(state: QueryState) -> bool:
    """Whether the hyperplane of a candidate cuts through one of the exact version spaces."""
    if state.geometry.flip > 0.0:
        return True
    exact = _exact(state)
    scores = np.abs(exact.decision_function(state.rows(state.candidates)))
    nearest = np.argsort(scores if scores.ndim == 1 else scores.min(axis=1), kind="stable")
    spaces = exact.spaces_
    start, size = 0, 1
    while start < len(nearest):
        rows = state.rows(state.candidates[nearest[start : start + size]])
        rows = add_constant(rows) if exact.fit_intercept else rows
        if any(space.is_informative(rows).any() for space in spaces):
            return True
        start, size = start + size, 2 * size
    return not all(_is_open(space) for space in spaces)


def _exact(state: QueryState) -> BayesPointClassifier:
    """Fitted geometry whose version spaces are those of the labels taken at their word."""
    wanted = clone(state.geometry).set_params(multi_class="ovr", max_rank=None)
    if wanted.ridge <= JITTER and wanted.get_params() == state.geometry.get_params():
        return state.centre()
    wanted.set_params(ridge=min(wanted.ridge, JITTER))
    return wanted.fit(state.rows(state.labelled), state.y)


def _is_open(space: VersionSpace) -> bool:
    """Whether some classifier agrees with all labels."""
    try:
        hard_margin(space.cuts)
    except NotSeparableError:
        return False
    return True


def _predictions(learner: ActiveLearner, k: int) -> np.ndarray | None:
    """Classes of the pool after the first k steps; None if there was no classifier yet."""
    memory: dict[int, Any] = learner.__dict__.setdefault("_predicted", {})
    step = learner.history_[k - 1]
    if k not in memory or memory[k][0] is not step:
        memory[k] = (step, _predict(learner, k))
    return memory[k][1]


def _forget(learner: ActiveLearner, k: int) -> None:
    """Drop the predictions after the first k steps or fewer."""
    memory: dict[int, Any] = vars(learner).get("_predicted", {})
    for old in [step for step in memory if step <= k]:
        del memory[old]


def _predict(learner: ActiveLearner, k: int) -> np.ndarray | None:
    rows, labels = answers(learner.history_[:k])
    if len(np.unique(labels)) < 2:
        return None
    X = learner.state().pool.given
    kernel = X[:, rows] if get_tags(learner.model_).input_tags.pairwise else X
    if k == len(learner.history_):
        return learner.model_.predict(kernel)
    return clone(learner.model_).fit(take_rows(kernel, rows), labels).predict(kernel)
