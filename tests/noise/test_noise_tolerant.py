"""Perceptrons for two classes without margin and with wrong labels."""

import math

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.exceptions import ConvergenceWarning

from tests.noise.uma_problems import unit_rows
from uneven.linear import PerceptronClassifier, normal_form
from uneven.noise import (
    NoiseTolerantPerceptron,
    corrupt_monotone,
    modified_perceptron,
    sum_of_mistakes,
    uniform_noise,
    update_vectors,
)

SEEDS = st.integers(0, 10**6)
Z = np.array([[0.8, 0.6], [-0.6, 0.8], [-1.0, 0.0], [0.0, 1.0], [0.6, -0.8]])


@pytest.mark.parametrize("form", [np.asarray, sp.csr_array])
def test_golden_vector(form):
    found = sum_of_mistakes(form(Z), np.array([1.0, 0.5]), noise_rate=0.25)
    assert found.vector == pytest.approx([-1.1333333333, 1.0666666667], abs=1e-9)
    assert found.share == pytest.approx((0.75 * 2 - 0.25 * 3) / 0.5 / 5)


@given(SEEDS, st.floats(0.0, 0.45))
@settings(max_examples=30, deadline=None)
def test_it_is_uma_with_two_classes(seed, rate):
    rng = np.random.default_rng(seed)
    X, y, w = unit_rows(30, 3, rng), rng.integers(0, 2, 30), rng.standard_normal(3)
    vectors = update_vectors(X, y, np.array([w, -w]), uniform_noise(2, rate))
    expected = len(X) * (1 - 2 * rate) / (1 - rate) * (vectors[1, 0] - vectors[0, 1])
    found = sum_of_mistakes(normal_form(X, 1 - 2 * y), w, rate)
    assert found.vector == pytest.approx(expected, abs=1e-10)


@given(SEEDS, st.floats(0.0, 0.45), st.floats(0.0, 0.5))
@settings(max_examples=30, deadline=None)
def test_its_mean_over_the_noise_is_the_sum_of_true_mistakes(seed, rate, sigma):
    """Both labels of every row, weighted by their probabilities, give the mean exactly."""
    rng = np.random.default_rng(seed)
    clean, w = unit_rows(20, 3, rng), rng.standard_normal(3)
    mean, share = np.zeros(3), 0.0
    for row in clean:
        for sign, chance in ((1.0, 1.0 - rate), (-1.0, rate)):
            found = sum_of_mistakes(sign * row[None], w, rate, sigma)
            mean += chance * found.vector
            share += chance * found.share / len(clean)
    cosines = clean @ w / np.linalg.norm(w)
    mistaken = cosines < -sigma
    expected = (1 - 2 * rate) / (1 - rate) * clean[mistaken].sum(axis=0)
    assert mean == pytest.approx(expected, abs=1e-10)
    assert share == pytest.approx(mistaken.mean(), abs=1e-10)


@pytest.mark.parametrize("n_features", [5, 20, 50])
@pytest.mark.parametrize("scale", [1.0, 30.0])
def test_modified_perceptron_keeps_its_bound_from_a_good_start(n_features, scale):
    sigma = 0.1
    for seed in range(5):
        rng = np.random.default_rng(seed)
        X = scale * rng.standard_normal((500, n_features))
        truth = rng.standard_normal(n_features)
        truth /= np.linalg.norm(truth)
        rows = normal_form(X, np.sign(X @ truth))
        start = rng.standard_normal(n_features)
        start -= (start @ truth) * truth
        start = 1.0001 / math.sqrt(n_features) * truth + start / np.linalg.norm(start)
        w, n_updates = modified_perceptron(rows, sigma, start=start, rng=seed)
        cosines = rows @ w / np.linalg.norm(rows, axis=1)
        assert cosines.min() >= -sigma
        assert 0 < n_updates <= math.ceil(math.log(2 * n_features) / sigma**2)
        assert np.linalg.norm(w) == pytest.approx(1.0)


def test_modified_perceptron_restarts_and_gives_up():
    rows = np.array([[1.0, 0.0], [-1.0, 0.0]])
    with pytest.raises(ValueError, match="may not be separable"):
        modified_perceptron(rows, 0.5, start=np.array([1.0, 0.0]), delta=0.9, rng=3)
    w, n_updates = modified_perceptron(np.array([[1.0, 0.0]]), 0.1, start=[-1.0, 0.0], rng=0)
    assert w[0] >= -0.1
    assert n_updates >= 1


@pytest.mark.parametrize("step", ["projection", "additive"])
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_learns_in_spite_of_noise(step):
    errors, plain = [], []
    for seed in range(4):
        rng = np.random.default_rng(seed)
        X = rng.standard_normal((1500, 5))
        t = X @ rng.standard_normal(5) > 0
        y = t ^ (rng.random(1500) < 0.3)
        model = NoiseTolerantPerceptron(0.3, step=step, max_iter=100, random_state=seed)
        errors.append(1 - model.fit(X, y).score(X, t))
        plain.append(1 - PerceptronClassifier(max_epochs=5).fit(X, y).score(X, t))
        assert model.risk_ == pytest.approx(errors[-1], abs=0.1)
    assert np.mean(errors) < 0.1
    assert np.mean(errors) < np.mean(plain) - 0.1


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_tolerance_carries_over_to_monotone_noise():
    errors, plain = [], []
    for seed in range(6):
        rng = np.random.default_rng(seed)
        X, w = rng.standard_normal((800, 5)), rng.standard_normal(5)
        t = np.where(X @ w > 0, 1, -1)
        y = corrupt_monotone(X, t, w, 0.45, rng=seed)
        model = NoiseTolerantPerceptron(np.mean(y != t), step="additive", max_iter=100)
        errors.append(1 - model.fit(X, y).score(X, t))
        plain.append(1 - PerceptronClassifier(max_epochs=5).fit(X, y).score(X, t))
    assert np.mean(errors) < np.mean(plain) - 0.05


def test_without_noise_the_additive_step_separates():
    X = np.array([[1.0, 2.0], [2.0, 1.0], [-1.0, -1.5], [-2.0, 0.5]])
    y = ["up", "up", "down", "down"]
    model = NoiseTolerantPerceptron(step="additive", eps=0.0).fit(X, y)
    assert model.score(X, y) == 1.0
    assert model.converged_
    assert model.classes_.tolist() == ["down", "up"]


@pytest.mark.parametrize(
    ("parameters", "words"),
    [
        ({"noise_rate": 0.5}, "noise_rate must be at least 0 and below 0.5"),
        ({"noise_rate": -0.1}, "noise_rate"),
        ({"noise_rate": float("nan")}, "noise_rate"),
        ({"sigma": 0.0}, "sigma must be above 0"),
        ({"delta": 1.0}, "delta"),
        ({"step": "both"}, "step must be one of"),
        ({"max_iter": 0}, "max_iter"),
    ],
)
def test_impossible_parameters_are_named(parameters, words):
    with pytest.raises(ValueError, match=words):
        NoiseTolerantPerceptron(**parameters).fit(Z, [0, 1, 0, 1, 1])


def test_odd_input():
    with pytest.raises(ValueError, match=r"Only binary .* UMAClassifier"):
        NoiseTolerantPerceptron().fit(Z, [0, 1, 2, 1, 1])
    with pytest.warns(UserWarning, match="hardly tell"):
        NoiseTolerantPerceptron(0.49).fit(Z, [0, 1, 0, 1, 1])
    with pytest.warns(UserWarning, match="only zeros"):
        model = NoiseTolerantPerceptron().fit(np.zeros((3, 2)), [0, 1, 1])
    assert not model.coef_.any()
    hopeless = np.array([[1.0], [1.0], [1.0], [1.0]])
    with pytest.warns(ConvergenceWarning, match="after 7 steps"):
        NoiseTolerantPerceptron(step="additive", max_iter=7).fit(hopeless, [0, 1, 0, 1])
