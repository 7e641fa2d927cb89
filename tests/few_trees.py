"""Few trees and few draws of guesses, for tests that do not ask how well many trees learn."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from inspect import unwrap

import pytest

from uneven.active import choosing
from uneven.comparison import METHODS, dummies, leaks
from uneven.comparison.peers import MAKERS
from uneven.ensemble.boost import ScoreLeafBoost
from uneven.ensemble.forests import BaggedTrees
from uneven.fusion import carako, carako_bags, voter_pools
from uneven.fusion.forest_logistic import ForestLogisticClassifier
from uneven.views import diagnosis

N_TREES = 16
BASELINES = {
    "random_forest": {"n_estimators": 10},
    "hist_gradient_boosting": {"max_iter": 10},
    "prior_forest": {"estimator__n_estimators": 30},
}


@contextmanager
def few_own_trees() -> Iterator[None]:
    """In the forests and boosts inside the library's own classifiers."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(BaggedTrees, "suited_to", _suited_with(BaggedTrees, n_trees=N_TREES))
        patch.setattr(ScoreLeafBoost, "suited_to", _suited_with(ScoreLeafBoost, n_rounds=N_TREES))
        patch.setattr(unwrap(ForestLogisticClassifier.__init__), "__defaults__", (N_TREES, None))
        patch.setattr(choosing, "N_TREES", N_TREES)
        patch.setattr(carako, "N_TREES", N_TREES)
        patch.setattr(carako_bags, "N_TREES", N_TREES)
        patch.setattr(voter_pools, "RANDOM_TREES", voter_pools.RANDOM_TREES[:6])
        yield


def _suited_with(kind, **fewer):
    suited_to = kind.suited_to.__func__

    def suited(cls, size):
        usual = suited_to(cls, size)
        return None if usual is None else replace(usual, **fewer)

    return classmethod(suited)


@contextmanager
def few_trees_of_all() -> Iterator[None]:
    """In those, in the baselines of a comparison, and in the diagnosis of views and leaks."""

    def shortened(name):
        make = METHODS[name].make
        return lambda settings: make(settings).set_params(**BASELINES[name])

    module, weighted, make_forest = MAKERS["imbalanced-learn"]

    def few(package, seed, jobs):
        return make_forest(package, seed, jobs).set_params(n_estimators=10)

    with few_own_trees(), pytest.MonkeyPatch.context() as patch:
        for name in BASELINES:
            patch.setitem(METHODS, name, replace(METHODS[name], make=shortened(name)))
        patch.setattr(dummies, "MOST_DRAWS", 2)
        patch.setattr(diagnosis, "N_TREES", N_TREES)
        patch.setattr(leaks, "N_TREES", N_TREES)
        patch.setitem(MAKERS, "imbalanced-learn", (module, weighted, few))
        yield
