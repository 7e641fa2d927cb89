"""A seed of an instance decides everything that it and the estimators inside it draw."""

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.datasets import make_blobs

from tests.contract.discovery import estimators, instances

X, Y = make_blobs(120, 5, centers=3, cluster_std=6.0, random_state=0)
X = np.rint(X / 4.0)  # ties, between which a tree draws
NAMED = [
    pytest.param(estimator, id=f"{cls.__name__}-{number}")
    for cls in estimators()
    for number, (estimator, _) in enumerate(instances(cls))
]


def said(estimator):
    """What a fit with a seed says of rows that it has not seen."""
    model, tags = clone(estimator), estimator.__sklearn_tags__()
    if "random_state" in model.get_params(deep=False):
        model.set_params(random_state=0)
    known, new = X[::2], X[1::2]
    if tags.input_tags.positive_only:
        known, new = np.abs(known), np.abs(new)
    if tags.input_tags.pairwise:
        known, new = known @ known.T, new @ known.T
    two_classes = tags.classifier_tags is not None and not tags.classifier_tags.multi_class
    model.fit(known, (np.minimum(Y, 1) if two_classes else Y)[::2])
    names = ("predict", "predict_proba", "decision_function", "transform")
    return [getattr(model, name)(new) for name in names if hasattr(model, name)]


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("estimator", NAMED)
def test_a_seeded_fit_repeats(estimator):
    np.random.seed(1)  # noqa: NPY002
    first = said(estimator)
    np.random.seed(2)  # noqa: NPY002
    for one, other in zip(first, said(estimator), strict=True):
        np.testing.assert_array_equal(one, other)
