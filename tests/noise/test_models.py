"""Models of label noise: the matrices, and the labels drawn from them."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from uneven.linear import normal_form
from uneven.noise import (
    check_noise_matrix,
    corrupt_labels,
    corrupt_monotone,
    cyclic_noise,
    monotone_flip_probability,
    noise_family,
    pairwise_noise,
    random_noise,
    uniform_noise,
)


@pytest.mark.parametrize(
    "matrix",
    [
        uniform_noise(1, 0.0),
        uniform_noise(4, 0.75),
        cyclic_noise(5),
        cyclic_noise(4, {1: 0.2, 3: 0.1}),
        pairwise_noise(3, {(0, 2): 0.25}),
        random_noise(6, rng=1),
        noise_family(random_noise(6, rng=1), 17),
    ],
)
def test_every_model_is_a_noise_matrix(matrix):
    assert_allclose(check_noise_matrix(matrix), matrix, atol=1e-15)


def test_cyclic_steps_lead_away_from_the_true_class():
    matrix = cyclic_noise(5, {1: 0.2, 3: 0.1})
    assert (matrix[1, 0], matrix[3, 0], matrix[0, 0]) == (0.2, 0.1, pytest.approx(0.7))
    assert (matrix[0, 4], matrix[2, 4]) == (0.2, 0.1)


def test_random_noise_is_uniform_before_it_is_normalised_and_never_ill_conditioned():
    same = random_noise(3, rng=5)
    assert_allclose(same, random_noise(3, rng=np.random.default_rng(5)))
    found = [np.linalg.cond(random_noise(3, rng=seed, max_condition=5.0)) for seed in range(30)]
    assert max(found) <= 5.0
    free = [np.linalg.cond(random_noise(3, rng=seed)) for seed in range(30)]
    assert max(free) > 5.0
    with pytest.raises(ValueError, match=r"condition number of at most 0\.5"):
        random_noise(3, max_condition=0.5)


def test_family_runs_from_the_identity_through_the_matrix_to_a_fixed_point():
    matrix = random_noise(10, rng=0)
    assert_allclose(noise_family(matrix, 0), np.eye(10))
    assert_allclose(noise_family(matrix, 10), matrix)
    assert_allclose(noise_family(matrix, 4), 0.6 * np.eye(10) + 0.4 * matrix)
    assert_allclose(noise_family(matrix, 20), noise_family(matrix, 19))
    assert_allclose(np.diag(noise_family(matrix, 20)), 0.0)
    wrong = [noise_family(matrix, level) * (1.0 - np.eye(10)) for level in range(21)]
    sizes = [np.linalg.norm(mistakes) for mistakes in wrong]
    assert (np.diff(sizes) > -1e-12).all()


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: uniform_noise(3, 1.2), "rate must be a number between 0 and 1, got 1.2"),
        (lambda: uniform_noise(3, np.nan), "rate must be a number between 0 and 1, got nan"),
        (lambda: uniform_noise(0, 0.1), "n_classes must be a whole number at least 1, got 0"),
        (lambda: uniform_noise(1, 0.1), "one class cannot be mistaken"),
        (lambda: cyclic_noise(3, (0.7, 0.4)), "class 0 add up to 1.1"),
        (lambda: cyclic_noise(3, (0.1, 0.1, 0.1)), "between 1 and 2, got 3"),
        (lambda: cyclic_noise(1, (0.1,)), "one class cannot be mistaken"),
        (lambda: pairwise_noise(["a", "b"], {("a", "c"): 0.1}), "names the class 'c'"),
        (lambda: pairwise_noise(["a", "b"], {("a", "a"): 0.1}), "what the others leave"),
        (lambda: pairwise_noise(["a", "a"], {}), "none of them twice"),
        (lambda: pairwise_noise(2, {(0, 1): -0.1}), r"the rate of \(0, 1\) must be"),
        (lambda: noise_family(np.eye(2), -1), "level must be a finite number"),
        (lambda: noise_family(np.eye(2), np.inf), "level must be a finite number"),
    ],
)
def test_impossible_models_are_refused(make, message):
    with pytest.raises(ValueError, match=message):
        make()


def test_labels_follow_the_matrix():
    matrix = noise_family(random_noise(4, rng=3), 6)
    truth = np.repeat(np.arange(4), 20_000)
    noisy = corrupt_labels(truth, matrix, rng=0)
    found = np.stack([np.bincount(noisy[truth == j], minlength=4) for j in range(4)], axis=1)
    error = np.sqrt(matrix * (1 - matrix) / 20_000)
    assert (np.abs(found / 20_000 - matrix) <= 5 * error).all()


@given(st.integers(2, 6), st.integers(0, 2**32 - 1))
def test_what_has_no_chance_never_happens(n_classes, seed):
    rng = np.random.default_rng(seed)
    matrix = rng.random((n_classes, n_classes)) * (rng.random((n_classes, n_classes)) < 0.5)
    matrix[rng.integers(n_classes, size=n_classes), np.arange(n_classes)] += 1e-9
    matrix /= matrix.sum(axis=0)
    truth = np.repeat(np.arange(n_classes), 50)
    assert (matrix[corrupt_labels(truth, matrix, rng), truth] > 0.0).all()


class AlwaysZero(np.random.Generator):
    def random(self, size=None):
        return np.zeros(size)


def test_a_draw_of_exactly_zero_is_no_exception():
    zero = AlwaysZero(np.random.PCG64())
    assert corrupt_labels([0, 1], [[0.0, 1.0], [1.0, 0.0]], rng=zero).tolist() == [1, 0]


def test_same_seed_same_labels():
    truth = np.arange(3).repeat(100)
    one, two = (corrupt_labels(truth, uniform_noise(3, 0.4), rng=7) for _ in range(2))
    assert (one == two).all()
    assert (one != corrupt_labels(truth, uniform_noise(3, 0.4), rng=8)).any()


@pytest.mark.parametrize(
    "labels",
    [
        np.array([1, 2, 2], dtype=np.int8),
        np.array([1.0, 2.0, 2.0], dtype=np.float32),
        np.array([False, True, True]),
        np.array(["a", "b", "b"]),
        np.array(["a", "b", "b"], dtype=object),
        pd.Series(["a", "b", "b"]),
        pd.Series([1, 2, 2], dtype="int16"),
        pl.Series([1, 2, 2]),
    ],
)
def test_labels_keep_their_type(labels):
    swapped = corrupt_labels(labels, [[0.0, 1.0], [1.0, 0.0]])
    known = np.asarray(labels)
    assert swapped.dtype == known.dtype
    assert swapped.tolist() == [known[1], known[0], known[0]]


def test_longer_names_are_not_cut():
    noisy = corrupt_labels(np.array(["a", "a"]), [[0.0, 0.0], [1.0, 1.0]], classes=["a", "longer"])
    assert noisy.tolist() == ["longer", "longer"]


def test_frames_name_their_classes():
    names = ["b", "c", "a"]
    matrix = pd.DataFrame([[1, 0, 1], [0, 1, 0], [0, 0, 0]], index=names, columns=names)
    assert corrupt_labels(["a", "a"], matrix).tolist() == ["b", "b"]
    from_file = pd.DataFrame([[0, 1], [1, 0]], index=["7", "9"], columns=["7", "9"])
    assert corrupt_labels([7, 7, 9], from_file).tolist() == [9, 9, 7]
    with pytest.raises(ValueError, match="names the classes 'x', 'y', but the labels are num"):
        corrupt_labels([7], from_file.set_axis(["x", "y"], axis=1).set_axis(["x", "y"], axis=0))


@pytest.mark.parametrize(
    ("labels", "options", "message"),
    [
        ([], {}, "y is empty: at least one example"),
        ([0.0, np.nan], {}, "y holds nan at position 1"),
        (["a", None], {}, "y holds None at position 1"),
        ([0, 0], {}, "show only the classes 0: pass classes="),
        ([0, 1, 2], {}, r"shape \(2, 2\), but there are 3 classes"),
        ([0, 3], {"classes": [0, 1]}, r"does not list \[3\]"),
    ],
)
def test_labels_that_do_not_fit_the_matrix(labels, options, message):
    with pytest.raises(ValueError, match=message):
        corrupt_labels(labels, uniform_noise(2, 0.1), **options)


def two_class_points(n=4000, seed=0):
    rng = np.random.default_rng(seed)
    X, w = rng.normal(size=(n, 3)), np.array([2.0, -1.0, 0.5])
    return X, np.where(X @ w >= 0, 1, -1), w


def test_flip_rate_falls_with_the_distance_from_the_boundary():
    X, t, w = two_class_points(40_000)
    flip = monotone_flip_probability(X, t, w, 0.4)
    assert flip.min() >= 0.0
    assert flip.max() <= 0.4
    noisy = corrupt_monotone(X, t, w, 0.4, rng=0)
    cosine = normal_form(X, t) @ w / np.linalg.norm(w) / np.linalg.norm(X, axis=1)
    for low in np.arange(0.0, 1.0, 0.2):
        here = (cosine >= low) & (cosine < low + 0.2)
        wanted = 0.4 * (1 - cosine[here])
        error = np.sqrt((wanted * (1 - wanted)).sum()) / here.sum()
        assert abs((noisy != t)[here].mean() - wanted.mean()) <= 5 * error


def test_monotone_noise_of_other_labels_and_tables():
    X, t, w = two_class_points(60)
    flip = monotone_flip_probability(X, t, w, 0.3)
    names = np.where(t == 1, "yes", "no")
    assert_allclose(monotone_flip_probability(sp.csr_array(X), names, 5 * w, 0.3), flip)
    assert_allclose(monotone_flip_probability(pd.DataFrame(np.asfortranarray(X)), t, w, 0.3), flip)
    assert_allclose(monotone_flip_probability(X * 7.0, t, w, 0.3), flip)
    assert set(corrupt_monotone(X, names, w, 0.3, rng=0)) == {"yes", "no"}
    assert monotone_flip_probability(np.zeros((1, 3)), [1], w, 0.3, classes=[-1, 1]) == 0.3
    assert (monotone_flip_probability(X, -t, w, 0.3) == 0.3).all()
    assert (corrupt_monotone(X, t, w, 0.0, rng=0) == t).all()


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"rate": 0.5}, "rate must be below 0.5"),
        ({"t": np.arange(60) % 3}, "two classes, but there are 3"),
        ({"t": np.ones(60)}, "pass classes="),
        ({"w": np.zeros(3)}, "its length is 0"),
        ({"w": np.ones(2)}, r"w, which has shape \(2,\)"),
        ({"t": [1, -1]}, "t, which has 2"),
        ({"X": np.full((60, 3), np.nan)}, "NaN or infinity in row 0"),
    ],
)
def test_impossible_monotone_noise(change, message):
    X, t, w = two_class_points(60)
    with pytest.raises(ValueError, match=message):
        monotone_flip_probability(**({"X": X, "t": t, "w": w, "rate": 0.1} | change))


@given(st.integers(1, 30), st.floats(0.0, 0.49), st.integers(0, 2**32 - 1))
def test_noisy_error_of_two_classes(n, rate, seed):
    """Both labels of each point, weighted by their chance: the expectation is exact."""
    rng = np.random.default_rng(seed)
    truth, answer = rng.choice([-1, 1], size=(2, n))
    matrix = uniform_noise(2, rate)
    codes = (truth + 1) // 2
    disagree = sum(matrix[k, codes] * (answer != 2 * k - 1) for k in (0, 1)).mean()
    assert disagree == pytest.approx(rate + (1 - 2 * rate) * np.mean(answer != truth), abs=1e-12)


@given(st.integers(1, 30), st.floats(0.0, 0.45), st.integers(0, 2**32 - 1))
def test_synthetic_update_vector_of_two_classes(n, rate, seed):
    """Rows that look wrong plus a share of those that look right: the mistakes, on average."""
    rng = np.random.default_rng(seed)
    X, w, truth = rng.normal(size=(n, 3)), rng.normal(size=3), rng.choice([-1, 1], size=n)
    expected = np.zeros(3)
    for label, chance in ((truth, 1 - rate), (-truth, rate)):
        rows = normal_form(X, label)
        wrong = rows @ w <= 0
        shares = np.where(wrong, 1.0, rate / (1 - rate))
        expected += chance * (shares @ rows)
    clean = normal_form(X, truth)
    mistakes = clean[clean @ w <= 0].sum(axis=0)
    assert_allclose(expected, (1 - 2 * rate) / (1 - rate) * mistakes, atol=1e-10)
