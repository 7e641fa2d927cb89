"""Ways of joining the same level-1 scores: ours, and what people do today."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from sklearn.linear_model import LogisticRegression, RidgeClassifierCV

from uneven.fusion.weighted_rules import GreedySelection, NonNegativeLeastSquares
from uneven.stacking import StackCombiner
from uneven.stacking.links import fit_temperature

OURS, TIMED = "Stack", "Stack, paid by time"
LSG = "Stack, lsg of the kept"
SUM, POOL, HINGE = "Stack, sum only", "Stack, log pool", "Stack, hinge"
SOFT, LOGISTIC, GREEDY = "Soft vote", "Logistic", "Greedy"


@dataclass(frozen=True)
class Joined:
    """A combination that has learnt.

    Attributes
    ----------
    probabilities : callable
        Of scores of new rows, (n_samples, n_members, n_classes).
    kept : ndarray of bool, shape (n_members,)
        Members that it asks.
    """

    probabilities: Callable[[np.ndarray], np.ndarray]
    kept: np.ndarray


Combine = Callable[[np.ndarray, np.ndarray, np.ndarray, int], Joined]
"""``combine(P, y, seconds, seed)``: level-1 scores, classes, time of each member, a seed."""


def stack(P: np.ndarray, y: np.ndarray, seconds: np.ndarray, seed: int, **options: Any) -> Joined:
    """Ours, with these options."""
    found = StackCombiner(**options, random_state=seed).fit(P, y, seconds=seconds)
    return Joined(found.predict_proba, found.selected_mask_)


def stack_all_pairs(P: np.ndarray, y: np.ndarray, seconds: np.ndarray, seed: int) -> Joined:
    """Members chosen by the default; then every score of theirs has a weight for every class."""
    kept = StackCombiner(random_state=seed).fit(P, y, seconds=seconds).selected_mask_
    combiner = StackCombiner(combination="lsg", penalty="l2", random_state=seed)
    found = combiner.fit(np.ascontiguousarray(P[:, kept]), y)
    return Joined(lambda new: found.predict_proba(new[:, kept]), kept)


def weighted(
    P: np.ndarray, y: np.ndarray, seconds: np.ndarray, seed: int, *, kind: Any, **options: Any
) -> Joined:
    """A weighted mean of the members, by a rule that learns the weights."""
    rule = kind(**options).fit(P, y)
    return Joined(lambda new: _shares(rule.scores(new)), rule.weights > 0.0)


def soft_vote(P: np.ndarray, y: np.ndarray, seconds: np.ndarray, seed: int) -> Joined:
    """The mean of all members."""
    return Joined(lambda new: _shares(new.mean(axis=1)), np.ones(P.shape[1], dtype=bool))


def single_best(P: np.ndarray, y: np.ndarray, seconds: np.ndarray, seed: int) -> Joined:
    """The member with the fewest mistakes; of several, the one with the lowest log-loss."""
    wrong = (P.argmax(axis=2) != y[:, None]).mean(axis=0)
    own = np.maximum(P[np.arange(len(y)), :, y], 1e-4)
    best = np.lexsort([-np.log(own).mean(axis=0), wrong])[0]
    return Joined(lambda new: _shares(new[:, best]), np.arange(P.shape[1]) == best)


def logistic(P: np.ndarray, y: np.ndarray, seconds: np.ndarray, seed: int) -> Joined:
    """What scikit-learn's StackingClassifier does by default: logistic regression on all scores."""
    first = int(P.shape[2] == 2)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = LogisticRegression().fit(P[:, :, first:].reshape(len(P), -1), y)
    return Joined(
        lambda new: model.predict_proba(new[:, :, first:].reshape(len(new), -1)),
        np.ones(P.shape[1], dtype=bool),
    )


def tuned_ridge(P: np.ndarray, y: np.ndarray, seconds: np.ndarray, seed: int) -> Joined:
    """Ridge regression with the best of seven strengths, probabilities by a fitted temperature."""
    model = RidgeClassifierCV(np.logspace(-3, 3, 7)).fit(P.reshape(len(P), -1), y)

    def margins(scores: np.ndarray) -> np.ndarray:
        found = model.decision_function(scores.reshape(len(scores), -1))
        return np.column_stack([-found, found]) if found.ndim == 1 else found

    temperature = fit_temperature(margins(P), y)

    def probabilities(new: np.ndarray) -> np.ndarray:
        raised = np.exp((margins(new) - margins(new).max(axis=1, keepdims=True)) / temperature)
        return np.asarray(raised / raised.sum(axis=1, keepdims=True))

    return Joined(probabilities, np.ones(P.shape[1], dtype=bool))


def _shares(scores: np.ndarray) -> np.ndarray:
    total = scores.sum(axis=1, keepdims=True)
    return np.where(total > 0.0, scores / np.where(total > 0.0, total, 1.0), 1.0 / scores.shape[1])


@dataclass(frozen=True)
class Combiner:
    """A column of the tables.

    Attributes
    ----------
    combine : callable
    own : str
        Name of the class of this library that it is; "" for a peer.
    edition : int
        To be raised when it changes: its older results no longer count.
    packages : tuple of str
        Modules that it needs and this library does not.
    """

    combine: Combine
    own: str = ""
    edition: int = 1
    packages: tuple[str, ...] = ()


COMBINERS: Mapping[str, Combiner] = {
    OURS: Combiner(stack, "StackCombiner", edition=2),
    TIMED: Combiner(partial(stack, member_cost="time"), "StackCombiner", edition=2),
    SUM: Combiner(partial(stack, log_pool=False), "StackCombiner"),
    POOL: Combiner(
        partial(stack, loss="log", combination="ws", constraint="nonneg"), "StackCombiner"
    ),
    LSG: Combiner(stack_all_pairs, "StackCombiner"),
    HINGE: Combiner(partial(stack, loss="hinge", elastic=0.0), "StackCombiner"),
    SOFT: Combiner(soft_vote),
    "Single best": Combiner(single_best),
    LOGISTIC: Combiner(logistic),
    "Tuned ridge": Combiner(tuned_ridge),
    "NNLS": Combiner(partial(weighted, kind=NonNegativeLeastSquares)),
    GREEDY: Combiner(partial(weighted, kind=GreedySelection, loss="error")),
    "Greedy, log-loss": Combiner(partial(weighted, kind=GreedySelection)),
    "AutoGluon-style": Combiner(partial(weighted, kind=GreedySelection, loss="error", rounds=25)),
}
"""By column; every one learns from the same scores of a table and a split."""

PEERS = tuple(column for column, combiner in COMBINERS.items() if not combiner.own)
