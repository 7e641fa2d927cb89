"""What was tried on the way to NormCoMBo: ensembles, and factors of the classes behind them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from sklearn.ensemble import RandomForestClassifier

from uneven import ComboClassifier, NormComboClassifier
from uneven.boosting.norm import Boost, fit_vote_factors
from uneven.voters import CostLinear
from uneven_published.norm.methods import balanced_forest

TREES = 300
"""Trees of everything that is not made of boosts."""

Draw = Callable[[np.ndarray, np.random.RandomState], np.ndarray]


class Tried(NormComboClassifier):
    """NormCoMBo without linear voters, with other boosts or draws, that keeps its unseen votes.

    Attributes
    ----------
    oob_decision_function_ : ndarray of shape (n, K)
        Sum of the votes by boosts that had not drawn a row; zeros where all of them had.
    """

    def __init__(
        self,
        boosts: list[Boost] | None = None,
        draw: Draw | None = None,
        estimator: Any = None,
        *,
        steering: float = 0.0,
        random_state: Any = None,
    ) -> None:
        super().__init__(
            estimator,
            steering=steering,
            linear_voters=False,
            class_factors=False,
            random_state=random_state,
        )
        self.boosts = boosts
        self.draw = draw

    def _boosts(self, *about: int) -> list[Boost]:
        return super()._boosts(*about) if self.boosts is None else self.boosts

    def _draw(self, y: np.ndarray, rng: np.random.RandomState) -> np.ndarray:
        return super()._draw(y, rng) if self.draw is None else self.draw(y, rng)

    def _finish(self, process: Any) -> None:
        super()._finish(process)
        self.oob_decision_function_ = process.learnt.unseen.votes


def capped_bootstrap(y: np.ndarray, rng: np.random.RandomState, times: int) -> np.ndarray:
    """A bootstrap of every class, of at most ``times`` the rows of the rarest; shape (n,).

    Examples
    --------
    >>> y = np.repeat([0, 1], [50, 4])
    >>> np.bincount(y, capped_bootstrap(y, np.random.RandomState(0), times=3)).tolist()
    [12.0, 4.0]
    """
    most = times * np.unique(y, return_counts=True)[1].min()
    return _draw_each(y, lambda rows: rng.choice(rows, min(len(rows), most)))


def without_replacement(y: np.ndarray, rng: np.random.RandomState, share: float) -> np.ndarray:
    """A share of the rows of every class, each drawn once; shape (n,).

    Examples
    --------
    >>> y = np.repeat([0, 1], [10, 4])
    >>> drawn = without_replacement(y, np.random.RandomState(0), share=0.8)
    >>> np.bincount(y, drawn).tolist(), int(drawn.max())
    ([8.0, 3.0], 1)
    """
    return _draw_each(y, lambda rows: rng.permutation(rows)[: max(1, round(share * len(rows)))])


def _draw_each(y: np.ndarray, choose: Callable[[np.ndarray], np.ndarray]) -> np.ndarray:
    drawn = [choose(np.flatnonzero(y == label)) for label in np.unique(y)]
    return np.bincount(np.concatenate(drawn), minlength=len(y))


@dataclass(frozen=True)
class Ensemble:
    """A way to learn, and the ends it is given.

    Attributes
    ----------
    make : callable
        ``make(X, y, seed) -> estimator``.
    ends : mapping of str to float or None
        For each variant that shares the fit, the accuracy weight of its factors; None for no
        factors.
    """

    make: Callable[[Any, np.ndarray, int], Any]
    ends: Mapping[str, float | None]


def unseen_factors(model: Any, y: np.ndarray, accuracy_weight: float) -> np.ndarray:
    """Factors of the classes for any fitted ensemble with ``oob_decision_function_``; shape (K,).

    Parameters
    ----------
    model : estimator
        Its votes on rows that no member has left out are zero or NaN.
    y : ndarray of shape (n,)
        Labels it has learnt from.
    accuracy_weight : float
    """
    votes = np.nan_to_num(model.oob_decision_function_)
    rows = votes.any(axis=1)
    codes = np.searchsorted(model.classes_, y[rows])
    return fit_vote_factors(
        votes[rows], codes, np.ones(len(codes)), accuracy_weight=accuracy_weight
    )


def _combo(X: Any, y: np.ndarray, seed: int, **words: Any) -> Any:
    return ComboClassifier(n_estimators=TREES, random_state=seed, **words)


def _tried(X: Any, y: np.ndarray, seed: int, **words: Any) -> Any:
    return Tried(random_state=seed, **words)


def _norm_combo(X: Any, y: np.ndarray, seed: int, **words: Any) -> Any:
    return NormComboClassifier(random_state=seed, **words)


def _forest(X: Any, y: np.ndarray, seed: int) -> Any:
    return RandomForestClassifier(TREES, oob_score=True, random_state=seed)


def _with_and_without(name: str) -> dict[str, float | None]:
    return {name: None, f"{name}, factors": 0.0}


SHORT = [Boost(10, 6, 0.5)] * 30
MIDDLE = [Boost(30, 5, 0.7)] * 20
LONG = [Boost(100, 3, 1.0)] * 10
SINGLE = [Boost(1, 1, 1.0)] * 24
IN_TURN = [Boost(40, 3, 1.0), Boost(10, 6, 0.5)] * 12
ONCE, THRICE = (partial(capped_bootstrap, times=times) for times in (1, 3))
MOST = partial(without_replacement, share=0.8)
DEFAULT = "NormCoMBo"
TREES_ALONE = "trees alone"

ENSEMBLES = (
    Ensemble(_combo, {"CoMBo": None}),
    Ensemble(partial(_combo, subsample=0.5), {"CoMBo, half of the rows per round": None}),
    Ensemble(partial(_combo, max_depth=6), {"CoMBo, depth 6": None}),
    Ensemble(
        partial(_tried, boosts=SHORT, draw=THRICE),
        _with_and_without("30 x 10 trees of depth 6, at most 3 x the rarest"),
    ),
    Ensemble(
        partial(_tried, boosts=SHORT, draw=ONCE),
        _with_and_without("30 x 10 trees of depth 6, at most 1 x the rarest"),
    ),
    Ensemble(
        partial(_tried, boosts=SHORT),
        _with_and_without("30 x 10 trees of depth 6"),
    ),
    Ensemble(partial(_tried, boosts=MIDDLE), {"20 x 30 trees of depth 5, factors": 0.0}),
    Ensemble(partial(_tried, boosts=LONG), {"10 x 100 trees of depth 3, factors": 0.0}),
    Ensemble(
        partial(_tried, draw=MOST, steering=0.5),
        {f"{TREES_ALONE}, 80 % drawn without replacement": 0.0},
    ),
    Ensemble(
        partial(_tried, boosts=IN_TURN, steering=0.5),
        {f"{TREES_ALONE}, depths 3 and 6 whatever the table": 0.0},
    ),
    Ensemble(_tried, {f"{TREES_ALONE}, steering 0": 0.0}),
    Ensemble(partial(_tried, steering=0.8), {f"{TREES_ALONE}, steering 0.8": 0.0}),
    Ensemble(
        partial(_tried, steering=0.5),
        {
            TREES_ALONE: 0.0,
            f"{TREES_ALONE}, no factors": None,
            f"{TREES_ALONE}, accuracy_weight 1": 1.0,
            f"{TREES_ALONE}, accuracy_weight 4": 4.0,
        },
    ),
    Ensemble(
        partial(_tried, boosts=SINGLE, estimator=CostLinear()),
        _with_and_without("24 linear voters"),
    ),
    Ensemble(_norm_combo, {DEFAULT: None}),
    *(
        Ensemble(
            partial(_norm_combo, accuracy_weight=weight),
            {f"{DEFAULT}, accuracy_weight {weight}": None},
        )
        for weight in (1, 2, 4)
    ),
    Ensemble(balanced_forest, {"Balanced forest": None}),
    Ensemble(_forest, _with_and_without("Random forest")),
)
"""Variants in the order in which they are shown."""
