"""The methods: ours as they come, and what people do with several views today."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

import numpy as np
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import uneven
import uneven.boosting
from benchmarks.views.rivals import MeanOfViews, MultimodalBoosting, StackedViews
from uneven_published.norm.methods import LIGHTGBM, Method, forest, lightgbm, over_prior

UNEVEN = "UnevenClassifier"
TREES_PER_VIEW = 100


def ours(X: Any, y: np.ndarray, seed: int, *, name: str, **words: Any) -> Any:
    """A classifier of this library as it comes, told the views."""
    kind = getattr(uneven.boosting, name, None) or getattr(uneven, name)
    return kind(views="prefix", random_state=seed, **words)


def forest_per_view(X: Any, y: np.ndarray, seed: int, *, divide_by_prior: bool) -> Any:
    """A forest of 100 trees per view, and the mean of what they say."""
    trees = RandomForestClassifier(TREES_PER_VIEW, random_state=seed)
    return MeanOfViews(trees, divide_by_prior=divide_by_prior)


def logistic_per_view(X: Any, y: np.ndarray, seed: int) -> Any:
    """Logistic regression per view, classes weighing the same, and the mean of what they say."""
    linear = LogisticRegression(class_weight="balanced", max_iter=1000)
    return MeanOfViews(make_pipeline(StandardScaler(), linear))


def stacked_views(X: Any, y: np.ndarray, seed: int) -> Any:
    """Stacking of forests by the package multiviewstacking."""
    return StackedViews(seed)


def multimodal(X: Any, y: np.ndarray, seed: int, *, method: str) -> Any:
    """Boosting of scikit-multimodallearn."""
    return MultimodalBoosting(method, seed)


def _ours(name: str, edition: int = 1, **words: Any) -> Method:
    return Method(partial(ours, name=name, **words), edition=edition, own=name)


METHODS: Mapping[str, Method] = {
    UNEVEN: _ours("UnevenClassifier", edition=2),
    "NormCoMBo": _ours("NormComboClassifier"),
    "µCoMBo": _ours("MuComboClassifier", edition=2),
    "MuMBo": _ours("MumboClassifier", edition=2),
    "Late fusion": _ours("LateFusionClassifier"),
    "Carako": _ours("CarakoClassifier"),
    "Bregman vote": _ours("BregmanVoteClassifier"),
    "ShareBoost": _ours("ShareBoostClassifier", edition=2),
    "Early LightGBM": Method(lightgbm, LIGHTGBM),
    "Early forest": Method(forest),
    "Early forest / prior": Method(partial(over_prior, kind=RandomForestClassifier)),
    "Forest per view": Method(partial(forest_per_view, divide_by_prior=False)),
    "Forest per view / prior": Method(partial(forest_per_view, divide_by_prior=True)),
    "Logistic per view": Method(logistic_per_view),
    "multiviewstacking": Method(stacked_views, ("multiviewstacking",)),
    "multimodallearn, MuMBo": Method(partial(multimodal, method="MuMBo")),
    "multimodallearn, µCoMBo": Method(partial(multimodal, method="µCoMBo")),
}
"""Methods by column; every one is seeded, and runs in one process."""

PEERS = tuple(column for column, method in METHODS.items() if not method.own)
