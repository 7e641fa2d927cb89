"""Scikit-learn's contract for estimators of several rooms at once."""

import pytest
from sklearn.utils.estimator_checks import parametrize_with_checks

from uneven import (
    ComboClassifier,
    EarlyFusionClassifier,
    LateFusionClassifier,
    NormComboClassifier,
)
from uneven.boosting.norm import Boost
from uneven.utils.contract import not_repeatable


class LinearBesideTrees(NormComboClassifier):
    """NormCoMBo of a few boosts, a linear voter beside each."""

    def _boosts(self, n_classes, n_rows):
        return [Boost(2, 1, 1.0, has_linear=True)] * 2


def expected(estimator):
    if isinstance(estimator, LinearBesideTrees):
        return not_repeatable("the rows of every boost are drawn at random")
    return {}


@pytest.mark.contract
@pytest.mark.full
@parametrize_with_checks(
    [
        EarlyFusionClassifier(ComboClassifier(n_estimators=3), scale=True),
        LateFusionClassifier(ComboClassifier(n_estimators=3), combine="margins"),
        LinearBesideTrees(),
    ],
    expected_failed_checks=expected,
)
def test_combined(estimator, check):
    check(estimator)
