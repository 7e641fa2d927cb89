"""The boosting loop as a reader follows it: few files, and label noise only if asked for."""

import sys
from pathlib import Path

import numpy as np
import pytest
from sklearn.datasets import load_iris

import uneven
from uneven import ComboClassifier
from uneven.costs.expected import NoisyLabels
from uneven.costs.matrices import KnownLabels, RunningCosts

ROOT = Path(uneven.__file__).parent


def visited(work):
    """Files of the package whose functions are called; compiled loops count by their callers."""
    found = set()

    def note(frame, event, _):
        if event == "call":
            found.add(frame.f_code.co_filename)

    sys.setprofile(note)
    try:
        work()
    finally:
        sys.setprofile(None)
    inside = [Path(name) for name in found if Path(name).is_relative_to(ROOT)]
    return {path.relative_to(ROOT).as_posix() for path in inside}


def test_fit_and_predict_visit_few_files():
    X, y = load_iris(return_X_y=True)
    model = ComboClassifier(n_estimators=5).fit(X, y)
    fitting, answering = visited(lambda: model.fit(X, y)), visited(lambda: model.predict(X))
    assert {"boosting/base.py", "costs/matrices.py", "voters/cost_tree.py"} <= fitting
    assert len(fitting) <= 21
    assert len(answering) <= 9


@pytest.mark.parametrize("noise_matrix", [None, np.eye(3)])
def test_label_noise_is_visited_only_with_a_noise_matrix(noise_matrix):
    X, y = load_iris(return_X_y=True)
    model = ComboClassifier(n_estimators=5, noise_matrix=noise_matrix)
    assert "costs/expected.py" not in visited(lambda: model.fit(X, y))
    model.set_params(noise_matrix=np.full((3, 3), 0.1) + 0.7 * np.eye(3))
    assert "costs/expected.py" in visited(lambda: model.fit(X, y))


def test_labels_without_noise_are_the_limit_of_noisy_ones():
    rng = np.random.RandomState(0)
    y, mass = rng.randint(3, size=40).astype(np.int32), rng.rand(40) + 0.1
    noise = (1.0 - 1e-9) * np.eye(3) + 1e-9 / 3.0
    known = KnownLabels(y, mass, 3, lambda sizes: sizes)
    noisy = NoisyLabels(y, mass, 3, lambda sizes: sizes, None, noise, np.linalg.inv(noise))
    np.testing.assert_allclose(noisy.class_prior, known.class_prior, atol=1e-8)
    np.testing.assert_array_equal(noisy.most_probable(), known.most_probable())
    answers = rng.randint(3, size=40).astype(np.int32)
    certain, expected = known.open_costs(mass), noisy.open_costs(mass)
    assert isinstance(certain, RunningCosts)
    assert expected.edge(answers) == pytest.approx(certain.edge(answers), abs=1e-7)
    for own, other in zip(known.gains(y, mass, None), noisy.gains(y, mass, None)):
        np.testing.assert_allclose(other[..., :3] if other.ndim == 2 else other, own, atol=1e-7)


def test_rows_known_to_be_clean_count_as_they_are():
    y, mass = np.array([0, 0, 1, 1], dtype=np.int32), np.ones(4)
    noise = np.array([[0.9, 0.3], [0.1, 0.7]])
    labels = NoisyLabels(
        y, mass, 2, np.ones_like, None, noise, np.linalg.inv(noise), clean=np.ones(4, dtype=bool)
    )
    np.testing.assert_array_equal(labels.class_mass(mass), [2.0, 2.0])
    np.testing.assert_array_equal(labels.most_probable(), y)
