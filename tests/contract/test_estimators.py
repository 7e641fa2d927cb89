"""Every estimator keeps scikit-learn's contract.

The classes are found, and name their instances themselves: see `uneven.utils.contract`. The first
instance of each class is checked in every run, the others with ``pytest -m full``. All are in one
file, because two workers that check the same classes at the same time compile the same loops.
"""

import pytest
from sklearn.utils.estimator_checks import parametrize_with_checks

from tests.contract.discovery import estimators, expected_failures, instances, is_public

FIRST = [estimator for cls in estimators() for estimator, _ in instances(cls)[:1]]
FURTHER = [estimator for cls in estimators() for estimator, _ in instances(cls)[1:]]


@pytest.mark.contract
@parametrize_with_checks(FIRST, expected_failed_checks=expected_failures)
def test_usual_instance(estimator, check):
    check(estimator)


@pytest.mark.contract
@pytest.mark.full
@parametrize_with_checks(FURTHER, expected_failed_checks=expected_failures)
def test_further_instance(estimator, check):
    check(estimator)


@pytest.mark.parametrize("cls", [cls for cls in estimators() if is_public(cls)])
def test_every_public_estimator_names_instances_of_itself(cls):
    assert hasattr(cls, "_test_instances"), "see uneven.utils.contract"
    assert all(type(estimator) is cls for estimator, _ in instances(cls))


@pytest.mark.parametrize("cls", [cls for cls in estimators() if is_public(cls)])
def test_first_sentence_of_the_docstring_says_what_it_is(cls):
    assert len(cls.__doc__.split("\n")[0]) > 20


def test_classes_of_every_family_are_found():
    rooms = {cls.__module__.split(".")[1] for cls in estimators() if instances(cls)}
    assert rooms >= {"active", "boosting", "fusion", "linear", "noise", "stacking", "versionspace"}
