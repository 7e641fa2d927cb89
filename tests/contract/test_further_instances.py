"""Scikit-learn's contract for the further instances that classes name: ``pytest -m full``."""

import pytest
from sklearn.utils.estimator_checks import parametrize_with_checks

from tests.contract.discovery import estimators, expected_failures, instances

FURTHER = [estimator for cls in estimators() for estimator, _ in instances(cls)[1:]]


@pytest.mark.contract
@pytest.mark.full
@parametrize_with_checks(FURTHER, expected_failed_checks=expected_failures)
def test_further_instance(estimator, check):
    check(estimator)
