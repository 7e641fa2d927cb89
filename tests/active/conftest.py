from __future__ import annotations

import numpy as np
import pytest

from tests.few_trees import few_own_trees
from uneven import BayesPointClassifier


@pytest.fixture(scope="module")
def small_forests():
    """Few trees in the forest that a learner may choose, where a test does not ask how well."""
    with few_own_trees():
        yield


@pytest.fixture
def linear() -> BayesPointClassifier:
    return BayesPointClassifier("linear")


@pytest.fixture
def cloud() -> tuple[np.ndarray, np.ndarray]:
    """Two classes in four dimensions, apart by a hyperplane through the origin."""
    rng = np.random.default_rng(3)
    X = rng.normal(size=(80, 4))
    return X, np.where(X @ np.array([1.0, -2.0, 0.5, 0.0]) > 0, "yes", "no")
