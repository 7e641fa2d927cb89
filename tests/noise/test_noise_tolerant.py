"""Perceptrons for two classes without margin and with wrong labels."""

import math
import warnings

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.datasets import load_digits
from sklearn.exceptions import ConvergenceWarning

from tests.noise.uma_problems import unit_rows
from uneven.linear import PerceptronClassifier, normal_form
from uneven.linear.base import generator
from uneven.noise import (
    NoiseTolerantPerceptron,
    corrupt_monotone,
    modified_perceptron,
    sum_of_mistakes,
    uniform_noise,
    update_vectors,
)
from uneven.noise.noise_tolerant import _Watch
from uneven.noise.projections import turn_away

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


def separable(n, d, rng):
    """Rows in normal form, and a unit vector that separates them, perhaps by very little."""
    X, truth = rng.standard_normal((n, d)), rng.standard_normal(d)
    truth /= np.linalg.norm(truth)
    return normal_form(X, np.where(X @ truth > 0, 1, -1)), truth


@given(SEEDS, st.integers(2, 20))
@settings(max_examples=50, deadline=None)
def test_turning_away_from_a_mistake(seed, d):
    rng = np.random.default_rng(seed)
    (x,), truth = separable(1, d, rng)
    w = rng.standard_normal(d)
    w *= -np.sign(w @ x)
    sigma = -(w @ x) / np.linalg.norm(w) / np.linalg.norm(x)
    turned = turn_away(w, x)
    assert turned @ truth >= w @ truth
    assert turned @ turned <= (1 - sigma**2) * (w @ w) + 1e-12
    assert turned @ x == pytest.approx(0.0, abs=1e-12)


@given(SEEDS, st.sampled_from([2, 5, 20, 50]), st.sampled_from([1.0, 30.0]), st.floats(1.0, 3.0))
@settings(max_examples=40, deadline=None)
def test_modified_perceptron_keeps_its_bound_from_a_good_start(seed, d, scale, lead):
    sigma, rng = 0.1, np.random.default_rng(seed)
    rows, truth = separable(200, d, rng)
    aside = rng.standard_normal(d)
    aside -= (aside @ truth) * truth
    product = min(1.0, lead / math.sqrt(d))
    start = product * truth + math.sqrt(1.0 - product**2) * aside / np.linalg.norm(aside)
    w, n_updates = modified_perceptron(scale * rows, sigma, start=7.0 * start, rng=seed)
    assert (rows @ w / np.linalg.norm(rows, axis=1)).min() >= -sigma
    assert n_updates <= math.ceil(math.log(d) / sigma**2)
    assert np.linalg.norm(w) == pytest.approx(1.0)


@pytest.mark.parametrize("d", [5, 20, 50])
def test_modified_perceptron_finds_a_start_by_itself(d):
    for seed in range(5):
        rng = np.random.default_rng(seed)
        rows, _ = separable(500, d, rng)
        w, n_updates = modified_perceptron(rows, 0.1, delta=0.05, rng=seed)
        assert (rows @ w / np.linalg.norm(rows, axis=1)).min() >= -0.1
        attempts = math.ceil(6.5 * math.log(1 / 0.05))
        assert 0 < n_updates <= attempts * math.ceil(math.log(d) / 0.1**2)


def test_modified_perceptron_restarts_and_gives_up():
    rows = np.array([[1.0, 0.0], [-1.0, 0.0]])
    with pytest.raises(ValueError, match="may not be separable"):
        modified_perceptron(rows, 0.5, start=np.array([1.0, 0.0]), delta=0.9, rng=3)
    w, n_updates = modified_perceptron(np.array([[1.0, 0.0]]), 0.1, start=[-1.0, 0.0], rng=0)
    assert w[0] >= -0.1
    assert n_updates >= 1


def noisy(seed, n=400, rate=0.3):
    rng = np.random.default_rng(seed)
    X = unit_rows(n, 5, rng)
    t = X @ rng.standard_normal(5) > 0
    y = t ^ (rng.random(n) < rate)
    return X, t, y, normal_form(X, np.where(y, 1, -1))


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_additive_steps_keep_the_best_vector():
    X, _, y, rows = noisy(4)
    w, risks, vectors = np.zeros(5), [], []
    for _ in range(31):
        found = sum_of_mistakes(rows, w, 0.3)
        risks.append(found.share)
        vectors.append(w)
        w = w + found.vector / len(rows)
    model = NoiseTolerantPerceptron(0.3, step="additive", eps=0.0, max_iter=30).fit(X, y)
    best = int(np.argmin(risks))
    assert risks[best] > 0.0
    assert best < 30
    assert model.n_iter_ == 30
    assert model.risk_ == pytest.approx(risks[best])
    assert model.coef_[0] == pytest.approx(vectors[best])


@pytest.mark.parametrize(
    ("seed", "eps", "expected"),
    [
        (0, 0.02, "few mistakes"),
        (1, 0.1, "few mistakes"),
        (2, 0.0, "few mistakes"),
        (4, 0.05, "few mistakes"),
        (5, 0.0, "near the boundary"),
        (7, 0.0, "near the boundary"),
    ],
)
def test_projections_follow_the_algorithm_by_the_book(seed, eps, expected):
    """One start: turn until few mistakes are left, or their sum is too near the boundary."""
    X, _, y, rows = noisy(seed)
    w = generator(seed).standard_normal(5)
    w /= np.linalg.norm(w)
    risks, n_iter, reason = [], 0, ""
    while not reason and n_iter < 100:
        found = sum_of_mistakes(rows, w, 0.3, sigma=0.1)
        risks.append(sum_of_mistakes(rows, w, 0.3).share)
        if found.share <= eps:
            reason = "few mistakes"
        elif found.vector @ w > -0.05 * np.linalg.norm(found.vector):
            reason = "near the boundary"
        else:
            w = turn_away(w, found.vector)
            w /= np.linalg.norm(w)
            n_iter += 1
    model = NoiseTolerantPerceptron(0.3, step="projection", eps=eps, random_state=seed)
    model.fit(X, y)
    assert reason == expected
    assert model.converged_
    assert model.n_iter_ == n_iter
    assert model.risk_ == pytest.approx(min(risks))
    assert sum_of_mistakes(rows, model.coef_[0], 0.3).share == pytest.approx(min(risks))


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
    for seed in range(10):
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
        ({"sigma": 0.0, "step": "projection"}, "sigma must be above 0"),
        ({"sigma": -0.1}, "sigma must be at least 0"),
        ({"delta": 1.0}, "delta"),
        ({"step": "both"}, "step must be one of"),
        ({"max_iter": 0}, "max_iter"),
    ],
)
def test_impossible_parameters_are_named(parameters, words):
    with pytest.raises(ValueError, match=words):
        NoiseTolerantPerceptron(**parameters).fit(Z, [0, 1, 0, 1, 1])


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: modified_perceptron(Z, 0.0), "sigma must be above 0 and below 1, got 0.0"),
        (lambda: modified_perceptron(Z, True), "sigma must be above 0 and below 1, got True"),
        (lambda: modified_perceptron(Z, delta=0), "delta must be above 0 and below 1, got 0"),
        (lambda: modified_perceptron(Z, delta=math.nan), "delta must be above 0"),
        (lambda: modified_perceptron(np.zeros((3, 2))), "all 3 rows of Z are zero"),
        (lambda: modified_perceptron(Z, start=[1.0]), r"start has shape \(1,\); Z has 2 features"),
        (lambda: modified_perceptron(Z, start=[0.0, 0.0]), "start is zero"),
        (lambda: modified_perceptron(Z, start=[np.nan, 0.0]), "start must be finite"),
        (lambda: modified_perceptron([[np.inf, 1.0]]), "infinity"),
        (lambda: sum_of_mistakes(Z, [1, 0], 0.5), "noise_rate must be .* below 0.5, got 0.5"),
        (lambda: sum_of_mistakes(Z, [1, 0], 1), "noise_rate must be .* below 0.5, got 1"),
        (lambda: sum_of_mistakes(Z, [1, 0], 0.1, sigma=-0.1), "sigma must be at least 0"),
        (lambda: sum_of_mistakes(Z, [1, 0, 1], 0.1), r"w has shape \(3,\); Z has 2 features"),
        (lambda: sum_of_mistakes(Z, [1, np.nan], 0.1), "w must be finite"),
    ],
)
def test_doors_of_the_functions(call, words):
    with pytest.raises(ValueError, match=words):
        call()


def test_functions_take_lists_and_a_vector_of_zeros():
    assert sum_of_mistakes(Z.tolist(), [0, 0], 0.0).share == 1.0
    rows = [[1.0, 0.2], [0.2, 1.0], [0.0, 0.0]]
    w, _ = modified_perceptron(rows, 0.1, rng=0)
    sparse, _ = modified_perceptron(sp.csr_array(rows), 0.1, rng=0)
    assert sparse == pytest.approx(w)


@pytest.mark.parametrize("step", ["projection", "additive"])
def test_a_score_of_zero_means_the_second_class(step):
    model = NoiseTolerantPerceptron(step=step, random_state=0)
    model.fit([[1.0, 0.0], [-1.0, 0.0]], ["b", "a"])
    assert model.predict([[0.0, 0.0]]) == "b"


def test_odd_input():
    with pytest.raises(ValueError, match=r"Only binary .* UMAClassifier"):
        NoiseTolerantPerceptron().fit(Z, [0, 1, 2, 1, 1])
    with pytest.warns(UserWarning, match="almost random"):
        NoiseTolerantPerceptron(0.49).fit(Z, [0, 1, 0, 1, 1])
    with pytest.warns(UserWarning, match="only zeros"):
        model = NoiseTolerantPerceptron().fit(np.zeros((3, 2)), [0, 1, 1])
    assert not model.coef_.any()
    hopeless = np.array([[1.0], [1.0], [1.0], [1.0]])
    with pytest.warns(ConvergenceWarning, match="after 7 steps"):
        NoiseTolerantPerceptron(step="additive", max_iter=7).fit(hopeless, [0, 1, 0, 1])


def told(model, X, y):
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        model.fit(X, y)
    return [str(one.message) for one in seen if issubclass(one.category, ConvergenceWarning)]


def test_an_end_far_from_eps_is_no_secret():
    X, digits = load_digits(return_X_y=True)
    t = digits > 4
    y = t ^ (np.random.default_rng(0).random(len(t)) < 0.2)
    weak = NoiseTolerantPerceptron(0.2, step="projection", random_state=0)
    (words,) = told(weak, X, y)
    assert weak.n_iter_ < weak.max_iter
    assert not weak.converged_
    assert f"after {weak.n_iter_} steps" in words
    assert f"{weak.risk_:.3f} +- 0.0" in words
    assert "step='additive'" in words
    good = NoiseTolerantPerceptron(0.2, sigma=0.0, max_iter=100)
    (words,) = told(good, X, y)
    assert "after 100 steps" in words
    assert "step=" not in words
    assert good.score(X, t) > weak.score(X, t) + 0.2


def test_an_end_near_eps_needs_no_word():
    X, t, y, _ = noisy(5)
    near = NoiseTolerantPerceptron(0.3, step="projection", eps=0.0, random_state=5)
    assert not told(near, X, y)
    assert near.converged_
    assert near.risk_ > 0.0
    reached = NoiseTolerantPerceptron(eps=0.0)
    assert not told(reached, X, t)
    assert reached.converged_


def test_standard_error_of_the_estimated_error():
    X, t, _, _ = noisy(0, n=300)
    w = np.array([1.0, 0.0, 0.0, 0.0, 0.0])
    clean, rng = normal_form(X, np.where(t, 1, -1)), np.random.default_rng(1)
    draws = [
        sum_of_mistakes(clean * np.where(rng.random(300) < 0.3, -1, 1)[:, None], w, 0.3).share
        for _ in range(400)
    ]
    watch = _Watch(clean, 0.3, w, risk=float(np.mean(draws)))
    assert watch.standard_error() == pytest.approx(np.std(draws), rel=0.25)
