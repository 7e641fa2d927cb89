"""Small baselines: how comparisons run does not depend on how many trees there are."""

import pytest

from tests.few_trees import few_trees_of_all


@pytest.fixture(scope="module", autouse=True)
def small_baselines():
    with few_trees_of_all():
        yield
