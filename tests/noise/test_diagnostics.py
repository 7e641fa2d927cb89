"""Measures against true classes, from noisy labels alone."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from uneven.metrics import confusion_rates
from uneven.noise import (
    ConfusionEstimate,
    confusion_from_clean,
    corrected_confusion,
    corrected_error,
    corrupt_labels,
    estimated_joint,
    invert_noise,
    noise_family,
    random_noise,
    uniform_noise,
)

GOLDEN = np.array([[0.8, 0.1, 0.2], [0.1, 0.7, 0.1], [0.1, 0.2, 0.7]])
MEASURES = (estimated_joint, corrected_error, corrected_confusion)
ANSWERS, OBSERVED = [0, 0, 0, 1, 1, 2, 2, 0], [0, 1, 1, 0, 2, 2, 1, 0]


def test_golden_masses():
    joint = estimated_joint(ANSWERS, OBSERVED, GOLDEN).value
    for (p, q), mass in {
        (0, 1): 0.3333333333,
        (0, 2): -0.1388888889,
        (1, 0): 0.1180555556,
        (1, 2): 0.1736111111,
        (2, 0): -0.0555555556,
        (2, 1): 0.1666666667,
    }.items():
        assert joint[p, q] == pytest.approx(mass, abs=1e-10)
    assert_allclose(joint.sum(axis=1), [0.5, 0.25, 0.25])
    assert_allclose(joint.sum(axis=0), [0.3680555556, 0.4583333333, 0.1736111111], atol=1e-10)


@st.composite
def judged(draw):
    """(answers, observed labels, noise matrix) over all classes of the matrix."""
    k = draw(st.integers(2, 5))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    matrix = noise_family(random_noise(k, rng), draw(st.floats(0.0, 5.0)))
    answers, observed = rng.integers(k, size=(2, draw(st.integers(2, 40))))
    return answers, observed, matrix


@given(judged())
def test_sums_are_exact_in_every_sample(case):
    answers, observed, matrix = case
    classes = np.arange(len(matrix))
    joint = estimated_joint(answers, observed, matrix, classes=classes).value
    n = len(answers)
    assert_allclose(joint.sum(axis=1), np.bincount(answers, minlength=len(matrix)) / n, atol=1e-9)
    raw = invert_noise(matrix).inverse @ np.bincount(observed, minlength=len(matrix)) / n
    assert_allclose(joint.sum(axis=0), raw, atol=1e-9)
    error = corrected_error(answers, observed, matrix, classes=classes)
    assert error.value == pytest.approx(1 - np.trace(joint))
    rates = corrected_confusion(answers, observed, matrix, classes=classes).value
    believed = raw >= 1 / n
    assert_allclose(rates[believed].sum(axis=1), 1.0, atol=1e-9)


@given(judged())
def test_without_noise_they_are_the_plain_measures(case):
    answers, truth, matrix = case
    classes = np.arange(len(matrix))
    nothing = np.eye(len(matrix))
    error = corrected_error(answers, truth, nothing, classes=classes)
    wrong = answers != truth
    assert error.value == pytest.approx(wrong.mean())
    assert error.standard_error == pytest.approx(wrong.std(ddof=1) / np.sqrt(len(wrong)))
    rates = corrected_confusion(answers, truth, nothing, classes=classes).value
    present = np.isin(classes, truth)
    assert_allclose(rates[present], confusion_rates(truth, answers, labels=classes)[present])


def repeated(times, n, rng):
    """Estimates on fresh samples of one population, and the truth about it."""
    matrix = noise_family(random_noise(3, rng=4), 4)
    answer_rates = np.array([[0.9, 0.0, 0.1], [0.2, 0.7, 0.1], [0.1, 0.3, 0.6]])
    prior = np.array([0.5, 0.3, 0.2])
    joint = (prior[:, None] * answer_rates).T
    found = []
    for _ in range(times):
        truth = rng.choice(3, size=n, p=prior)
        answers = (rng.random(n)[:, None] > answer_rates[truth].cumsum(axis=1)).sum(axis=1)
        observed = corrupt_labels(truth, matrix, rng, classes=range(3))
        case = (answers, observed, matrix)
        found.append([measure(*case, classes=range(3)) for measure in MEASURES])
    return found, (joint, 1 - np.trace(joint), answer_rates)


@pytest.mark.slow
def test_unbiased_and_with_honest_standard_errors():
    found, wanted = repeated(400, 300, np.random.default_rng(0))
    for which, truth in enumerate(wanted):
        values = np.array([row[which].value for row in found])
        stated = np.array([row[which].standard_error for row in found])
        spread = values.std(axis=0)
        tolerance = 5 * spread / np.sqrt(len(values)) + (0.02 if which == 2 else 0.0)
        assert (np.abs(values.mean(axis=0) - truth) <= tolerance).all()
        seen = np.asarray(truth) > 0.0
        ratio = np.sqrt((stated**2).mean(axis=0))[seen] / spread[seen]
        assert_allclose(ratio, 1.0, atol=0.2)


def test_weights_are_repetitions():
    weight = np.array([1, 2, 3, 1, 2, 1, 1, 2])
    noise = uniform_noise(3, 0.1)
    for measure in MEASURES:
        weighted = measure(ANSWERS, OBSERVED, noise, sample_weight=weight)
        twice = measure(np.repeat(ANSWERS, weight), np.repeat(OBSERVED, weight), noise)
        assert_allclose(weighted.value, twice.value, atol=1e-12)
        half = measure(ANSWERS, OBSERVED, noise, sample_weight=weight / 2)
        assert_allclose(half.standard_error, weighted.standard_error)


def test_uncertainty_of_an_estimated_matrix_is_added():
    rng = np.random.default_rng(0)
    noise = np.array([[0.9, 0.3], [0.1, 0.7]])
    clean, truth = rng.integers(2, size=200), rng.integers(2, size=5000)
    answers = np.where(rng.random(5000) < 0.1, 1 - truth, truth)
    observed = corrupt_labels(truth, noise, rng)
    errors = []
    for _ in range(300):
        estimate = confusion_from_clean(clean, corrupt_labels(clean, noise, rng))
        errors.append(corrected_error(answers, observed, estimate))
    known = corrected_error(answers, observed, noise)
    spread = np.std([error.value for error in errors])
    stated = np.median([error.standard_error for error in errors])
    assert spread > 2 * known.standard_error
    assert stated == pytest.approx(np.hypot(spread, known.standard_error), rel=0.25)


def test_error_follows_the_matrix_in_the_direction_that_its_variance_is_taken(monkeypatch):
    asked = []
    monkeypatch.setattr(
        ConfusionEstimate, "variance_along", lambda self, slope: asked.append(slope) or 0.0
    )
    truth = np.repeat([0, 1, 2], 10)
    estimate = confusion_from_clean(truth, corrupt_labels(truth, GOLDEN, rng=3))
    corrected_error(ANSWERS, OBSERVED, estimate)
    change = 1e-6 * np.array([[1.0, 0.0, 2.0], [-1.0, 3.0, 0.0], [0.0, -3.0, -2.0]])
    nearby = [estimate.matrix + sign * change for sign in (1, -1)]
    plus, minus = (corrected_error(ANSWERS, OBSERVED, matrix).value for matrix in nearby)
    assert (plus - minus) / 2 == pytest.approx((asked[0] * change).sum(), rel=1e-4)


def test_class_without_clean_rows_leaves_the_error_open():
    estimate = confusion_from_clean([0, 0], [0, 0], classes=[0, 1], on_empty="identity")
    assert corrected_error([0, 1, 1], [0, 1, 0], estimate).standard_error == np.inf


def test_names_find_their_rows():
    names = ["b", "a"]
    frame = pd.DataFrame([[0.9, 0.3], [0.1, 0.7]], index=names, columns=names)
    answers, observed = ["a", "b", "b"], ["b", "b", "a"]
    by_name = corrected_error(answers, observed, frame)
    assert by_name == corrected_error(answers, observed, [[0.7, 0.1], [0.3, 0.9]])
    assert by_name != corrected_error(answers, observed, frame.to_numpy())


def test_one_row_has_no_standard_error():
    found = corrected_error([0], [1], np.eye(2))
    assert found.value == 1.0
    assert np.isnan(found.standard_error)


@pytest.mark.parametrize(
    ("answers", "observed", "matrix", "message"),
    [
        ([0, 1], [0, 1, 1], np.eye(2), "inconsistent numbers of samples"),
        ([0, 1], ["0", "1"], np.eye(2), "mix text and number"),
        ([0, 1], [0.5, 1], np.eye(2), "y_observed holds 0.5"),
        ([0, 1], [0, 1], np.full((2, 2), 0.5), "cannot be undone"),
        ([0, 2], [0, 1], np.eye(2), r"shape \(2, 2\), but there are 3 classes"),
        ([0, 0], [0, 0], np.eye(2), "pass classes="),
    ],
)
def test_inputs_that_do_not_fit(answers, observed, matrix, message):
    with pytest.raises(ValueError, match=message):
        corrected_error(answers, observed, matrix)


def test_singular_matrices_can_be_shrunk_on_demand():
    found = corrected_error([0, 1, 1], [0, 1, 0], np.full((2, 2), 0.5), on_singular="shrink")
    assert np.isfinite(found.value)
