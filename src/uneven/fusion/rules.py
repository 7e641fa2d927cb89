"""Rules that join the scores of many classifiers without learning anything.

Every rule takes the scores of the members, shape (n_samples, n_members, n_classes), and returns one
score per class, shape (n_samples, n_classes); the class with the largest one is predicted. A
member whose scores are all NaN in a row abstains there, and the others decide. A row in which
all members abstain gets zeros. The checks of these arrays are here too.

References
----------
M. U. Sen (2011), *Max-margin stacking with group sparse regularization for classifier
combination*, MSc thesis, Sabanci University, chapter 2. L. I. Kuncheva (2004), *Combining pattern
classifiers: methods and algorithms*.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from numbers import Real
from typing import Any, TypeVar

import numpy as np

from uneven.utils.parameters import check_choice

SMALLEST_FACTOR = 1e-12
"""Scores below count as this much in a product, so that one zero is no veto without appeal."""


_ARGUMENTS = {
    "P": "P : array-like of shape (n_samples, n_members, n_classes)",
    "percent": """percent : float, default=25.0
    How many of the members that do not abstain are left out at each end, rounded down; at least
    0 and less than 50. The default keeps the middle half; 0 is the mean.""",
    "weights": """weights : array-like of shape (n_members,)
    At least 0; their scale makes no difference. Those of members that abstain are left out.""",
}
_Rule = TypeVar("_Rule", bound=Callable[..., np.ndarray])


def _documented(rule: _Rule) -> _Rule:
    """Write what all rules take and return in place of ``{arguments}``."""
    takes = "\n".join(_ARGUMENTS[name] for name in inspect.signature(rule).parameters)
    gives = "ndarray of shape (n_samples, n_classes)"
    text = f"Parameters\n----------\n{takes}\n\nReturns\n-------\n{gives}"
    rule.__doc__ = inspect.cleandoc(rule.__doc__ or "").replace("{arguments}", text)
    return rule


@_documented
def mean(P: Any) -> np.ndarray:
    """Mean of the members' scores.

    {arguments}

    Examples
    --------
    >>> mean([[[0.4, 0.5, 0.1], [0.6, 0.2, 0.2]]])
    array([[0.5 , 0.35, 0.15]])
    """
    P, has_scores = check_member_scores(P)
    return _average(P, has_scores.astype(np.float64))


@_documented
def trimmed_mean(P: Any, percent: float = 25.0) -> np.ndarray:
    """Mean of the scores of each class without the smallest and the largest ones.

    {arguments}

    Examples
    --------
    >>> trimmed_mean([[[0.0, 1.0], [0.3, 0.7], [0.5, 0.5], [0.9, 0.1]]])
    array([[0.4, 0.6]])
    """
    check_percent(percent)
    P, has_scores = check_member_scores(P)
    return _middle(P, has_scores, np.floor(has_scores.sum(axis=1) * percent / 100.0))


@_documented
def median(P: Any) -> np.ndarray:
    """Median of the members' scores; of an even number, the mean of the two in the middle.

    {arguments}

    Examples
    --------
    >>> median([[[0.0, 1.0], [0.3, 0.7], [0.9, 0.1]]])
    array([[0.3, 0.7]])
    """
    P, has_scores = check_member_scores(P)
    return _middle(P, has_scores, np.maximum(has_scores.sum(axis=1) - 1, 0) // 2)


@_documented
def minimum(P: Any) -> np.ndarray:
    """Smallest score that any member gives to a class.

    {arguments}

    Examples
    --------
    >>> minimum([[[0.4, 0.5, 0.1], [0.6, 0.2, 0.2]]])
    array([[0.4, 0.2, 0.1]])
    """
    P, has_scores = check_member_scores(P)
    lowest = np.where(has_scores[:, :, None], P, np.inf).min(axis=1)
    return np.where(has_scores.any(axis=1, keepdims=True), lowest, 0.0)


@_documented
def maximum(P: Any) -> np.ndarray:
    """Largest score that any member gives to a class.

    {arguments}

    Examples
    --------
    >>> maximum([[[0.4, 0.5, 0.1], [0.6, 0.2, 0.2]]])
    array([[0.6, 0.5, 0.2]])
    """
    P, has_scores = check_member_scores(P)
    highest = np.where(has_scores[:, :, None], P, -np.inf).max(axis=1)
    return np.where(has_scores.any(axis=1, keepdims=True), highest, 0.0)


@_documented
def product(P: Any) -> np.ndarray:
    """Product of the members' scores, as its root: the geometric mean.

    The root orders the classes as the product does, but does not vanish with hundreds of members,
    and rows in which some of them abstain can be compared with others. Scores are at least 0;
    what is below 1e-12 counts as 1e-12.

    {arguments}

    Examples
    --------
    >>> (product([[[0.4, 0.5, 0.1], [0.6, 0.2, 0.2]]]) ** 2).round(12)
    array([[0.24, 0.1 , 0.02]])
    """
    P, has_scores = check_member_scores(P)
    return _geometric_mean(P, has_scores.astype(np.float64))


@_documented
def count_votes(P: Any) -> np.ndarray:
    """How many members give their largest score to each class; the first class among equal ones.

    {arguments}

    Examples
    --------
    >>> count_votes([[[0.4, 0.5, 0.1], [0.6, 0.2, 0.2]]])
    array([[1., 1., 0.]])
    """
    P, has_scores = check_member_scores(P)
    choice = np.where(has_scores[:, :, None], P, 0.0).argmax(axis=2)
    votes = choice[:, :, None] == np.arange(P.shape[2])
    return np.asarray((votes & has_scores[:, :, None]).sum(axis=1), dtype=np.float64)


def majority(P: Any) -> np.ndarray:
    """Votes of the members; a tie for the first place is decided by the mean of the scores.

    {arguments}
        Numbers of votes. In a tie for the first place, the class of the largest mean among those
        that tie has half a vote more.

    Notes
    -----
    That the majority of an odd number of members is better than each of them needs two classes,
    and members that err independently and alike in every row.

    Examples
    --------
    >>> majority([[[0.4, 0.5, 0.1], [0.6, 0.2, 0.2]]])
    array([[1.5, 1. , 0. ]])
    """
    votes, means = count_votes(P), mean(P)
    first = votes == votes.max(axis=1, keepdims=True)
    tied = np.flatnonzero(votes.any(axis=1) & (first.sum(axis=1) > 1))
    winner = np.where(first, means, -np.inf).argmax(axis=1)
    votes[tied, winner[tied]] += 0.5
    return votes


@_documented
def weighted_mean(P: Any, weights: Any) -> np.ndarray:
    """Mean of the members' scores in which some of them count more.

    {arguments}

    Examples
    --------
    >>> weighted_mean([[[0.4, 0.5, 0.1], [0.6, 0.2, 0.2]]], [1, 3])
    array([[0.55 , 0.275, 0.175]])
    """
    P, has_scores = check_member_scores(P)
    return _average(P, has_scores * check_member_weights(weights, P.shape[1]))


@_documented
def weighted_product(P: Any, weights: Any) -> np.ndarray:
    """Product of the members' scores raised to their weights, as its root.

    The root is the weighted geometric mean, which orders the classes as the product does. Scores
    are at least 0; what is below 1e-12 counts as 1e-12.

    {arguments}

    Examples
    --------
    >>> (weighted_product([[[0.4, 0.5, 0.1], [0.6, 0.2, 0.2]]], [1, 3]) ** 4).round(12)
    array([[0.0864, 0.004 , 0.0008]])
    """
    P, has_scores = check_member_scores(P)
    return _geometric_mean(P, has_scores * check_member_weights(weights, P.shape[1]))


RULES: dict[str, Callable[[Any], np.ndarray]] = {
    "majority": majority,
    "maximum": maximum,
    "mean": mean,
    "median": median,
    "minimum": minimum,
    "product": product,
    "trimmed_mean": trimmed_mean,
}
"""Rules that need nothing but the scores."""

WEIGHTED_RULES: dict[str, Callable[[Any, Any], np.ndarray]] = {
    "weighted_mean": weighted_mean,
    "weighted_product": weighted_product,
}
"""Rules that need a weight for every member, too."""


def join_scores(P: Any, rule: str, weights: Any = None, percent: float = 25.0) -> np.ndarray:
    """Join the scores of the members by the rule of a name.

    Parameters
    ----------
    P : array-like of shape (n_samples, n_members, n_classes)
    rule : str
        A name in :data:`RULES` or :data:`WEIGHTED_RULES`.
    weights : array-like of shape (n_members,) or None, default=None
        For weighted rules, and only for them.
    percent : float, default=25.0
        For the trimmed mean.

    Returns
    -------
    ndarray of shape (n_samples, n_classes)

    Examples
    --------
    >>> join_scores([[[0.4, 0.5, 0.1], [0.6, 0.2, 0.2]]], "maximum")
    array([[0.6, 0.5, 0.2]])
    """
    check_choice("rule", rule, [*RULES, *WEIGHTED_RULES])
    if (weights is None) == (rule in WEIGHTED_RULES):
        needs = "needs a weight for every member" if weights is None else "takes no weights"
        raise ValueError(f"rule={rule!r} {needs}; those that do are {sorted(WEIGHTED_RULES)}.")
    if rule in WEIGHTED_RULES:
        return WEIGHTED_RULES[rule](P, weights)
    return trimmed_mean(P, percent) if rule == "trimmed_mean" else RULES[rule](P)


def check_member_scores(P: Any) -> tuple[np.ndarray, np.ndarray]:
    """Validate the scores of the members.

    Parameters
    ----------
    P : array-like of shape (n_samples, n_members, n_classes)
        Score of each member for each class; finite. A member whose scores are all NaN in a row is
        abstains there.

    Returns
    -------
    P : ndarray of float64, shape (n_samples, n_members, n_classes)
    has_scores : ndarray of bool, shape (n_samples, n_members)
        Where a member does not abstain.

    Examples
    --------
    >>> _, has_scores = check_member_scores([[[0.2, 0.8], [float("nan"), float("nan")]]])
    >>> has_scores
    array([[ True, False]])
    """
    try:
        P = np.ascontiguousarray(P, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise ValueError(f"the scores of the members must be numbers: {error}.") from None
    if P.ndim != 3 or 0 in P.shape[1:]:
        raise ValueError(
            f"the scores of the members have shape {P.shape}: they must be (rows, members, "
            "classes), with at least one member and one class."
        )
    missing = np.isnan(P)
    silent = missing.all(axis=2)
    for bad, what in (
        (missing & ~silent[:, :, None], "nan for some of the classes only"),
        (np.isinf(P), "an infinite score"),
    ):
        if bad.any():
            row, member, label = np.argwhere(bad)[0]
            raise ValueError(
                f"member {member} gives {what} in row {row} (class {label}): scores must be "
                "finite, or nan for every class where a member is silent."
            )
    return P, ~silent


def check_labels(y: Any, share: Any, shape: tuple[int, ...]) -> tuple[np.ndarray, np.ndarray]:
    """Validate what a rule learns from in addition to the scores.

    Parameters
    ----------
    y : array-like of int, shape (n_samples,)
        Positions of the classes.
    share : array-like of shape (n_samples,) or None
        Weights of the rows, >= 0; None weighs all rows alike.
    shape : (int, int, int)
        Shape of the scores.

    Returns
    -------
    y : ndarray of int, shape (n_samples,)
    share : ndarray of shape (n_samples,)
        Sums to 1.

    Examples
    --------
    >>> check_labels([0, 1, 1, 0], None, (4, 5, 2))[1]
    array([0.25, 0.25, 0.25, 0.25])
    """
    n_rows, _, n_classes = shape
    labels = np.asarray(y)
    if labels.shape != (n_rows,) or not np.issubdtype(labels.dtype, np.integer):
        raise ValueError(
            f"y has shape {labels.shape} and type {labels.dtype}: it must hold one class position "
            f"for each of the {n_rows} rows of scores, as whole numbers from 0."
        )
    if n_rows == 0:
        raise ValueError("there are no rows of scores to learn a rule from.")
    if labels.min() < 0 or labels.max() >= n_classes:
        wrong = labels[(labels < 0) | (labels >= n_classes)][0]
        raise ValueError(
            f"y holds {wrong}, but the scores have {n_classes} classes: positions go from 0 to "
            f"{n_classes - 1}."
        )
    weights = np.ones(n_rows) if share is None else np.asarray(share, dtype=np.float64)
    if weights.shape != (n_rows,):
        raise ValueError(f"share has shape {weights.shape}, but there are {n_rows} rows of scores.")
    if not np.isfinite(weights).all() or (weights < 0.0).any() or not weights.any():
        raise ValueError("share must hold finite numbers >= 0 that are not all zero.")
    weights = weights / weights.max()
    return labels, weights / weights.sum()


def check_same_members(shape: tuple[int, ...], n_members: int, n_classes: int) -> None:
    """Refuse scores of other members or classes than those that a rule was fitted to.

    Parameters
    ----------
    shape : (int, int, int)
        Shape of the scores now.
    n_members, n_classes : int
        What the rule was fitted to.
    """
    if shape[1:] != (n_members, n_classes):
        raise ValueError(
            f"the scores are of {shape[1]} members and {shape[2]} classes, but the rule was learnt "
            f"from {n_members} members and {n_classes} classes."
        )


def check_percent(percent: Any) -> None:
    """Refuse a share to trim that would leave no member.

    Parameters
    ----------
    percent : float
        What is left out at each end, at least 0 and less than 50.
    """
    number = isinstance(percent, Real) and not isinstance(percent, bool)
    if not number or not 0.0 <= float(percent) < 50.0:
        raise ValueError(
            f"a trimmed mean leaves out at least 0 and less than 50 percent at each end, got "
            f"{percent!r}; the median leaves out all but the middle."
        )


def check_member_weights(weights: Any, n_members: int) -> np.ndarray:
    """Validate the weights of the members.

    Parameters
    ----------
    weights : array-like of shape (n_members,)
    n_members : int

    Returns
    -------
    ndarray of shape (n_members,)
        Finite, >= 0, not all zero.
    """
    values = np.asarray(weights, dtype=np.float64)
    if values.shape != (n_members,):
        raise ValueError(
            f"weights has shape {values.shape}, but there are {n_members} members: give one number "
            "for each."
        )
    if not np.isfinite(values).all() or (values < 0.0).any() or not values.any():
        raise ValueError(f"weights must be finite, >= 0 and not all zero; got {values.tolist()}.")
    return np.asarray(values / values.max())


def _average(P: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """Weighted mean over members, weights (n_samples, n_members); 0 where all abstain."""
    total = weights.sum(axis=1, keepdims=True)
    shares = weights / np.where(total > 0.0, total, 1.0)
    filled = np.where(weights[:, :, None] > 0.0, P, 0.0)
    return np.asarray(np.einsum("im,imn->in", shares, filled))


def _middle(P: np.ndarray, has_scores: np.ndarray, cut: np.ndarray) -> np.ndarray:
    """Mean without the ``cut`` (n_samples,) smallest and largest scores of each class."""
    ranked = np.sort(np.where(has_scores[:, :, None], P, np.inf), axis=1)
    place, last = np.arange(P.shape[1]), has_scores.sum(axis=1) - cut
    kept = (place >= cut[:, None]) & (place < last[:, None])
    return _average(ranked, kept.astype(np.float64))


def _geometric_mean(P: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """Weighted geometric mean over members; 0 where all abstain."""
    if (negative := P < 0.0).any():
        row, member, label = np.argwhere(negative)[0]
        raise ValueError(
            f"a product needs scores >= 0, but member {member} gives {P[row, member, label]:g} to "
            f"class {label} in row {row}: use probabilities, or a rule that adds up or compares."
        )
    logs = _average(np.log(np.maximum(P, SMALLEST_FACTOR)), weights)
    return np.where((weights > 0.0).any(axis=1, keepdims=True), np.exp(logs), 0.0)
