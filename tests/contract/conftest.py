"""Small ensembles: the contract does not depend on how many trees there are."""

import pytest

from tests.few_trees import few_own_trees


@pytest.fixture(scope="module", autouse=True)
def small_ensembles():
    with few_own_trees():
        yield
