"""A small problem that the tests of the boosting methods share."""

import pytest

from tests.problems import gaussian_classes


@pytest.fixture(scope="module")
def problem():
    return gaussian_classes([80, 40, 12], separation=1.5)
