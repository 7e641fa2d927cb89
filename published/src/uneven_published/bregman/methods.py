"""The methods of the paper's comparison, and ours beside them.

Views and seeds are given to copies of them. The columns with the names of the print come first.
"""

from __future__ import annotations

from typing import Any

from sklearn.tree import DecisionTreeClassifier

from uneven import AdaBoostMMClassifier, BregmanVoteClassifier, EarlyFusionClassifier
from uneven.boosting import ShareBoostClassifier
from uneven.fusion import BestViewClassifier, HoldoutFusionClassifier
from uneven_published.bregman.mvml import SparseMetricLearning

__all__ = [
    "BASELINES",
    "BEST_VIEW",
    "BOOSTED",
    "CORRECTED",
    "OURS",
    "PRINTED",
    "RANDOM_TREES",
    "VOTE",
]

VOTE = "MωMvC²"
CORRECTED = f"{VOTE}, corrected"
RANDOM_TREES = f"{VOTE}, 20 random trees of depth 3"
BEST_VIEW = "Mono, best view on test"

_ROUNDS = 100


def _shared_boosting(selection: str, depth: int | None) -> ShareBoostClassifier:
    """Boosting with one distribution for all views; full trees if there is no depth."""
    return ShareBoostClassifier(
        DecisionTreeClassifier() if depth is None else None,
        selection=selection,
        n_estimators=_ROUNDS,
        max_depth=depth or 1,
    )


def _uniform_vote(voter: Any) -> BregmanVoteClassifier:
    """One voter per view, all of the same weight: the vote before it learns."""
    return BregmanVoteClassifier(voter, variant="paper", return_index="paper", max_iter=1)


BASELINES: dict[str, Any] = {
    "Mono": BestViewClassifier(),
    "Concat": EarlyFusionClassifier(),
    "Fusion": HoldoutFusionClassifier(),
    "MV-MV": _uniform_vote(DecisionTreeClassifier()),
}
"""The four that use one full tree per view, or one in all."""

_STUMPS = AdaBoostMMClassifier(n_estimators=50, max_depth=1)

BOOSTED: dict[str, Any] = {
    "Mono, AdaBoost": BestViewClassifier(_STUMPS),
    "Concat, AdaBoost": EarlyFusionClassifier(_STUMPS),
    "Fusion, AdaBoost": HoldoutFusionClassifier(_STUMPS),
    "MV-MV, AdaBoost": _uniform_vote(_STUMPS),
}
"""The same four with boosted stumps in place of trees."""

PRINTED: dict[str, Any] = {
    "Mono": BASELINES["Mono"],
    "Concat": BASELINES["Concat"],
    "Fusion": BASELINES["Fusion"],
    "MVMLsp": SparseMetricLearning(),
    "MV-MV": BASELINES["MV-MV"],
    "MVWAB": _shared_boosting("combination", 2),
    "rBoost.SH": _shared_boosting("bandit", 2),
    VOTE: BregmanVoteClassifier(variant="paper"),
}
"""The methods of the print, in its order."""

OURS: dict[str, Any] = {
    "MVWAB, full trees": _shared_boosting("combination", None),
    "rBoost.SH, depth 1": _shared_boosting("bandit", 1),
    "rBoost.SH, depth 3": _shared_boosting("bandit", 3),
    "rBoost.SH, full trees": _shared_boosting("bandit", None),
    f"{VOTE}, one update": BregmanVoteClassifier(variant="paper", return_index="paper"),
    f"{VOTE}, even views": BregmanVoteClassifier(variant="paper", view_weights="fixed"),
    CORRECTED: BregmanVoteClassifier(),
    f"{CORRECTED}, even views": BregmanVoteClassifier(view_weights="fixed"),
    f"{CORRECTED}, exact views": BregmanVoteClassifier(view_weights="exact"),
    RANDOM_TREES: BregmanVoteClassifier(
        [DecisionTreeClassifier(max_depth=3, max_features="sqrt")] * 20
    ),
    f"{VOTE}, 20 full random trees": BregmanVoteClassifier(
        [DecisionTreeClassifier(max_features="sqrt")] * 20
    ),
}
"""Other depths of the boosted trees, corrections of the vote, and richer pools of voters."""
