"""Wine in two halves, and a small stack fitted to one of them."""

import pytest
from sklearn.datasets import load_wine
from sklearn.model_selection import train_test_split

from tests.stacking.counted import GRID, small_members
from uneven import MarginStackingClassifier


@pytest.fixture(scope="module")
def wine():
    return train_test_split(*load_wine(return_X_y=True), test_size=0.5, random_state=0)


@pytest.fixture(scope="module")
def fitted(wine):
    X, _, y, _ = wine
    return MarginStackingClassifier(small_members(), strengths=GRID, random_state=0).fit(X, y)
