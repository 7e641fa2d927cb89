"""Noise matrices: what is refused, how they are undone, and what that costs."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from uneven.noise import (
    check_noise_matrix,
    confusion_from_clean,
    corrupt_labels,
    invert_noise,
    noise_family,
    random_noise,
    recover_priors,
    reverse_matrix,
    uniform_noise,
)

seeds = st.integers(0, 2**32 - 1)


@st.composite
def invertible(draw):
    """A noise matrix whose diagonal dominates."""
    n_classes = draw(st.integers(2, 7))
    return noise_family(random_noise(n_classes, rng=draw(seeds)), draw(st.floats(0.0, 5.0)))


@pytest.mark.parametrize(
    ("matrix", "message"),
    [
        ([[0.9, 0.1], [0.3, 0.7]], "looks transposed.*pass matrix.T"),
        ([[9, 3], [1, 7]], "column 0 sums to 10.*Divide counts"),
        ([[0.9, 0.3]], r"must be square, got shape \(1, 2\)"),
        ([], "must be square"),
        ([[1.1, 0.0], [-0.1, 1.0]], "finite probabilities >= 0"),
        ([[np.nan, 0.0], [1.0, 1.0]], "finite probabilities >= 0"),
        ([[np.inf, 0.0], [1.0, 1.0]], "finite probabilities >= 0"),
        ([["a", "b"], ["c", "d"]], "square array of numbers"),
        ([[0.9, 0.3], [0.1]], "square array of numbers"),
        (None, "noise_matrix must be"),
    ],
)
def test_what_is_no_noise_matrix_is_named(matrix, message):
    with pytest.raises(ValueError, match=message):
        check_noise_matrix(matrix)


def test_one_class_is_allowed():
    assert check_noise_matrix([[1.0]]).tolist() == [[1.0]]


def test_checking_does_not_touch_what_is_given():
    matrix = np.array([[1.0 + 1e-10, 0.0], [-1e-13, 1.0]])
    before = matrix.copy()
    checked = check_noise_matrix(matrix)
    assert (matrix == before).all()
    assert_allclose(checked.sum(axis=0), 1.0, atol=1e-15)
    assert checked.min() == 0.0


def test_frames_and_estimates_are_put_in_class_order():
    frame = pd.DataFrame([[0.9, 0.3], [0.1, 0.7]], index=["dog", "cat"], columns=["dog", "cat"])
    wanted = [[0.7, 0.1], [0.3, 0.9]]
    assert_allclose(check_noise_matrix(frame, ["cat", "dog"]), wanted)
    assert_allclose(check_noise_matrix(frame.T.iloc[::-1].T, ["cat", "dog"]), wanted)
    truth = ["dog"] * 10 + ["cat"] * 10
    found = confusion_from_clean(
        truth, ["dog"] * 9 + ["cat"] * 8 + ["dog"] * 3, classes=["dog", "cat"]
    )
    assert_allclose(found.matrix, frame)
    assert_allclose(check_noise_matrix(found, ["cat", "dog"]), wanted)
    with pytest.raises(ValueError, match="names of its index hold 'dog'"):
        check_noise_matrix(frame, ["cat", "cow"])


def test_frames_without_names_are_taken_as_they_are():
    frame = pd.DataFrame([[0.9, 0.3], [0.1, 0.7]])
    assert_allclose(check_noise_matrix(frame, ["cat", "dog"]), frame)


@given(invertible())
def test_inverse_undoes_the_noise_and_keeps_sums(matrix):
    undone = invert_noise(matrix)
    assert_allclose(undone.inverse @ matrix, np.eye(len(matrix)), atol=1e-9)
    assert_allclose(undone.inverse.sum(axis=0), 1.0, atol=1e-9)
    assert_allclose(undone.amplification, np.abs(undone.inverse).max(axis=1))
    assert undone.condition == pytest.approx(np.linalg.cond(matrix))


@given(st.integers(2, 8), st.floats(0.0, 0.45))
def test_inverse_of_uniform_noise_has_a_closed_form(n_classes, rate):
    beside = rate / (n_classes - 1)
    wanted = (np.eye(n_classes) - beside) / (1 - rate - beside)
    assert_allclose(invert_noise(uniform_noise(n_classes, rate)).inverse, wanted, atol=1e-9)


@given(invertible())
def test_dominant_diagonals_bound_the_inverse(matrix):
    kept = np.diag(matrix).min()
    if kept > 0.5:
        norm = np.abs(invert_noise(matrix).inverse).sum(axis=0).max()
        assert norm <= 1.0 / (2.0 * kept - 1.0) + 1e-9


@pytest.mark.parametrize(
    ("matrix", "reason"),
    [
        ([[1.0, 0.3, 0.5], [0.0, 0.7, 0.5], [0.0, 0.0, 0.0]], "label 2 is never given"),
        ([[0.8, 0.1, 0.1], [0.1, 0.6, 0.6], [0.1, 0.3, 0.3]], "classes 1 and 2 get the same"),
        (uniform_noise(3, 2 / 3), "equal columns"),
        ([[0.5, 0.25, 0.0], [0.5, 0.5, 0.5], [0.0, 0.25, 0.5]], "singular or nearly so"),
    ],
)
def test_singular_matrices_say_why(matrix, reason):
    matrix = np.array(matrix)
    with pytest.raises(ValueError, match=f"cannot be undone: .*{reason}.*on_singular='shrink'"):
        invert_noise(matrix)
    shrunk = invert_noise(matrix, on_singular="shrink")
    assert shrunk.condition <= 1e6
    assert shrunk.shrinkage == 1e-3
    assert_allclose(shrunk.matrix, 0.999 * matrix + 0.001 * np.eye(3))
    assert_allclose(shrunk.inverse @ shrunk.matrix, np.eye(3), atol=1e-8)
    pseudo = invert_noise(matrix, on_singular="pinv")
    assert_allclose(matrix @ pseudo.inverse @ matrix, matrix, atol=1e-12)


def test_shrinking_takes_the_smallest_share_that_helps():
    matrix = uniform_noise(3, 2 / 3)
    assert invert_noise(matrix, "shrink", max_condition=15).shrinkage == 0.1
    with pytest.raises(ValueError, match="40 % of the identity does not help"):
        invert_noise(matrix, "shrink", max_condition=1.5)


def test_ill_conditioned_matrices_warn():
    with pytest.warns(UserWarning, match=r"condition number 2e\+03"):
        invert_noise(uniform_noise(2, 0.5 - 0.00025))
    with pytest.raises(ValueError, match="on_singular must be one of"):
        invert_noise(np.eye(2), on_singular="guess")


@given(invertible(), seeds)
def test_priors_are_recovered(matrix, seed):
    rng = np.random.default_rng(seed)
    prior = rng.dirichlet(np.ones(len(matrix)))
    inverse = invert_noise(matrix).inverse
    assert_allclose(recover_priors(matrix @ prior, inverse), prior, atol=1e-9)
    sample = rng.integers(0, 5, len(matrix)) + 1
    assert (inverse @ (sample / sample.sum())).sum() == pytest.approx(1.0)
    found = recover_priors(sample, inverse, floor=0.01)
    assert found.sum() == pytest.approx(1.0)
    assert found.min() > 0.0


def test_recovered_priors_are_unbiased():
    matrix = noise_family(random_noise(4, rng=2), 5)
    truth = np.repeat(np.arange(4), [40, 30, 20, 10])
    inverse, rng = invert_noise(matrix).inverse, np.random.default_rng(0)
    samples = [corrupt_labels(truth, matrix, rng) for _ in range(2000)]
    draws = np.array([inverse @ np.bincount(noisy, minlength=4) for noisy in samples])
    error = draws.std(axis=0) / np.sqrt(len(draws))
    assert (np.abs(draws.mean(axis=0) - [40, 30, 20, 10]) <= 5 * error).all()


@given(invertible(), seeds)
def test_reversing_twice_gives_the_matrix_back(matrix, seed):
    prior = np.random.default_rng(seed).dirichlet(np.full(len(matrix), 5.0))
    back = reverse_matrix(reverse_matrix(matrix, prior), matrix @ prior)
    assert_allclose(back, matrix, atol=1e-9)


def test_reverse_of_a_label_that_never_occurs():
    assert reverse_matrix(np.array([[1.0, 1.0], [0.0, 0.0]]), np.array([0.5, 0.5]))[:, 1].sum() == 0


@pytest.mark.parametrize(
    ("names", "says"),
    [
        (
            [*"abcdefghijk", "x"],
            r"hold 'x', which no label shows, and lack 'l'; .*'h', … \(12 in all",
        ),
        ([*"abcdefghijklm"], r"hold 'm', which no label shows;"),
        ([*"abcdefghijk"], r"lack 'l';"),
        ([*"abcdefghijkk"], r"lack 'l' and hold 'k' twice;"),
    ],
)
def test_names_that_differ_are_told(names, says):
    frame = pd.DataFrame(np.eye(len(names)), index=names, columns=names)
    with pytest.raises(ValueError, match=f"its index {says}"):
        check_noise_matrix(frame, [*"abcdefghijkl"])


def test_long_lists_of_classes_are_marked_as_cut():
    with pytest.raises(ValueError, match=r"7, … \(9 in all\)"):
        check_noise_matrix(np.eye(3), np.arange(9))


def test_singular_matrices_can_name_their_classes():
    with pytest.raises(ValueError, match="label 'dog' is never given"):
        invert_noise(np.array([[1.0, 1.0], [0.0, 0.0]]), classes=["cat", "dog"])
    with pytest.raises(ValueError, match="classes 'cat' and 'dog' get the same labels"):
        invert_noise(np.full((2, 2), 0.5), classes=["cat", "dog"])


def test_whole_numbers_name_the_same_class_with_and_without_a_point():
    matrix = np.array([[0.9, 0.2], [0.1, 0.8]])
    for names in ([2, 1], [2.0, 1.0], ["2", "1"]):
        frame = pd.DataFrame(matrix, index=names, columns=names)
        for classes in ([1, 2], [1.0, 2.0], ["1", "2"]):
            assert check_noise_matrix(frame, classes) == pytest.approx(matrix[::-1, ::-1])
    halves = pd.DataFrame(matrix, index=[1.5, 2.5], columns=[1.5, 2.5])
    with pytest.raises(ValueError, match="lack"):
        check_noise_matrix(halves, [1, 2])


def test_polars_frames_and_sparse_matrices():
    matrix = np.array([[0.9, 0.2], [0.1, 0.8]])
    for columns in (["a", "b"], ["x", "y"]):
        frame = pl.DataFrame(matrix, schema=columns)
        assert check_noise_matrix(frame, ["a", "b"]) == pytest.approx(matrix)
    with pytest.raises(ValueError, match="'b', 'a', and this kind of frame cannot name its rows"):
        check_noise_matrix(pl.DataFrame(matrix, schema=["b", "a"]), ["a", "b"])
    with pytest.raises(ValueError, match=r"sparse: pass noise_matrix\.toarray"):
        check_noise_matrix(sp.csr_array(matrix))
