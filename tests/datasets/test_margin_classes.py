"""Classes on a sphere with room between them."""

import numpy as np
import pytest

from uneven.datasets import make_margin_classes


def distances(bunch):
    scores = bunch.data @ bunch.prototypes.T
    rows = np.arange(len(scores))
    leads = scores[rows, bunch.target][:, None] - scores
    apart = np.linalg.norm(bunch.prototypes[bunch.target][:, None] - bunch.prototypes, axis=2)
    apart[rows, bunch.target] = 1.0
    found = leads / apart
    found[rows, bunch.target] = np.inf
    return found.min(axis=1)


@pytest.mark.parametrize("n_features", [2, 5])
def test_points_are_on_the_sphere_and_keep_the_margin(n_features):
    for seed in range(3):
        bunch = make_margin_classes(
            400, n_classes=6, n_features=n_features, margin=0.04, random_state=seed
        )
        assert bunch.data.shape == (400, n_features)
        assert np.linalg.norm(bunch.data, axis=1) == pytest.approx(1.0)
        assert np.linalg.norm(bunch.prototypes, axis=1) == pytest.approx(1.0)
        assert np.unique(bunch.target).tolist() == list(range(6))
        assert distances(bunch).min() >= 0.04
        assert distances(bunch).min() < 0.06


def test_more_points_of_the_same_classes():
    train = make_margin_classes(500, random_state=0)
    test = make_margin_classes(50, prototypes=train.prototypes, random_state=1)
    assert (test.prototypes == train.prototypes).all()
    assert ((test.data @ train.prototypes.T).argmax(axis=1) == test.target).all()
    again = make_margin_classes(500, random_state=0)
    assert (again.data == train.data).all()


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"n_samples": 5}, "n_samples=5: it must be a whole number of at least 10"),
        ({"n_classes": 1}, "n_classes=1"),
        ({"n_features": 1}, "n_features=1"),
        ({"margin": 1.0}, "margin=1.0"),
        ({"margin": -0.1}, "margin=-0.1"),
        ({"margin": 0.5, "n_samples": 10}, "margin=0.5"),
        ({"prototypes": [1.0, 2.0]}, "prototypes must be"),
    ],
)
def test_impossible_wishes_are_named(arguments, words):
    with pytest.raises(ValueError, match=words):
        make_margin_classes(**arguments)
