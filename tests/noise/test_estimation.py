"""Noise matrices from clean rows and from a classifier's own mistakes."""

import pickle

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose
from scipy.stats import binomtest
from sklearn.base import clone
from sklearn.datasets import load_digits
from sklearn.model_selection import StratifiedKFold
from sklearn.naive_bayes import GaussianNB

from uneven.noise import (
    confusion_from_classifier,
    confusion_from_clean,
    corrupt_labels,
    estimate_confusion,
    invert_noise,
    noise_family,
    random_noise,
    recover_priors,
)

TRUTH = ["a"] * 8 + ["b"] * 4
LABELS = ["a"] * 6 + ["b"] * 2 + ["b"] * 3 + ["a"]


def test_columns_are_true_classes():
    found = confusion_from_clean(TRUTH, LABELS)
    assert_allclose(found.matrix, [[0.75, 0.25], [0.25, 0.75]])
    assert_allclose(found.counts, [[6, 1], [2, 3]])
    assert_allclose(found.prior, [2 / 3, 1 / 3])
    assert_allclose(found.standard_error, np.sqrt(0.25 * 0.75 / np.array([[8, 4], [8, 4]])))
    assert found.classes.tolist() == ["a", "b"]


def test_smoothing_adds_rows():
    diagonal = confusion_from_clean(TRUTH, LABELS, smoothing=2.0)
    assert_allclose(diagonal.matrix, [[0.8, 1 / 6], [0.2, 5 / 6]])
    everywhere = confusion_from_clean(TRUTH, LABELS, laplace=1.0)
    assert_allclose(everywhere.matrix, [[0.7, 1 / 3], [0.3, 2 / 3]])
    plain = confusion_from_clean(TRUTH, LABELS)
    assert_allclose(diagonal.low, plain.low)
    assert_allclose(diagonal.counts, plain.counts)


@pytest.mark.parametrize("interval", ["wilson", "exact"])
@pytest.mark.parametrize("confidence", [0.8, 0.95])
def test_intervals_are_those_of_scipy(interval, confidence):
    found = confusion_from_clean(
        [0] * 30 + [1] * 7, [0] * 27 + [1] * 10, interval=interval, confidence=confidence
    )
    for i, j in np.ndindex(2, 2):
        hits, n = int(found.counts[i, j]), int(found.sizes[j])
        wanted = binomtest(hits, n).proportion_ci(confidence, method=interval)
        assert_allclose((found.low[i, j], found.high[i, j]), wanted, atol=1e-9)


@pytest.mark.parametrize(("interval", "least"), [("wilson", 0.92), ("exact", 0.94)])
def test_intervals_cover_the_truth(interval, least):
    matrix = noise_family(random_noise(3, rng=3), 4)
    truth = np.repeat(np.arange(3), [30, 60, 150])
    rng = np.random.default_rng(0)
    hits = []
    for _ in range(400):
        noisy = corrupt_labels(truth, matrix, rng)
        found = confusion_from_clean(truth, noisy, classes=range(3), interval=interval)
        hits.append((found.low <= matrix) & (matrix <= found.high))
    coverage = np.mean(hits, axis=0)
    assert coverage.min() >= least
    assert coverage.max() < 1.0


def test_missing_classes_follow_the_policy():
    given = {"y_true": TRUTH, "y_observed": LABELS, "classes": ["a", "b", "c", "d"]}
    with pytest.raises(ValueError, match=r"how class 'c' is labelled \(2 of 4 classes"):
        confusion_from_clean(**given)
    identity = confusion_from_clean(**given, on_empty="identity")
    assert_allclose(identity.matrix[:, 2], [0, 0, 1, 0])
    assert np.isnan(identity.standard_error[:, 2]).all()
    assert identity.low[:, 2].tolist() == [0.0] * 4
    assert identity.high[:, 2].tolist() == [1.0] * 4
    uniform = confusion_from_clean(**given, on_empty="uniform")
    assert_allclose(uniform.matrix[:, 3], 0.25)
    assert_allclose(uniform.matrix[:, 0], identity.matrix[:, 0])
    smoothed = confusion_from_clean(**given, smoothing=1.0)
    assert_allclose(smoothed.matrix[:, 2], [0, 0, 1, 0])


def test_weights_change_rates_and_effective_sizes():
    even = confusion_from_clean(TRUTH, LABELS, sample_weight=np.full(12, 0.5))
    plain = confusion_from_clean(TRUTH, LABELS)
    assert_allclose(even.matrix, plain.matrix)
    assert_allclose(even.sizes, plain.sizes)
    assert_allclose(even.low, plain.low)
    weights = np.ones(12)
    weights[7] = 9.0
    found = confusion_from_clean(TRUTH, LABELS, sample_weight=weights)
    assert_allclose(found.matrix[:, 0], [6 / 16, 10 / 16])
    assert_allclose(found.sizes, [16**2 / (7 + 81), 4])
    dropped = confusion_from_clean(TRUTH, LABELS, sample_weight=np.arange(12) < 10)
    assert_allclose(dropped.matrix, [[0.75, 0.0], [0.25, 1.0]])


def test_prior_of_everybody_is_recovered_through_the_inverse():
    rng = np.random.default_rng(0)
    matrix = noise_family(random_noise(3, rng=3), 4)
    sought = np.repeat(np.arange(3), 400)
    everyone = rng.choice(3, size=20_000, p=[0.7, 0.2, 0.1])
    noisy = corrupt_labels(everyone, matrix, rng)
    found = confusion_from_clean(sought, corrupt_labels(sought, matrix, rng), all_observed=noisy)
    assert_allclose(found.prior, [0.7, 0.2, 0.1], atol=0.05)
    assert np.abs(np.bincount(noisy) / len(noisy) - [0.7, 0.2, 0.1]).max() > 0.1
    inverse = invert_noise(found.matrix).inverse
    assert_allclose(found.prior, recover_priors(np.bincount(noisy), inverse))


def test_estimates_serve_as_matrices():
    found = confusion_from_clean(TRUTH, LABELS)
    again = pickle.loads(pickle.dumps(found))
    assert_allclose(np.asarray(again), found.matrix)
    assert np.asarray(found, dtype=np.float32).dtype == np.float32
    assert set(corrupt_labels(TRUTH, found, rng=0)) == {"a", "b"}
    swapped = confusion_from_clean(TRUTH, LABELS, classes=["b", "a"])
    assert (corrupt_labels(TRUTH, found, rng=0) == corrupt_labels(TRUTH, swapped, rng=0)).all()


def test_summary_names_classes_rates_and_intervals():
    lines = confusion_from_clean(TRUTH, LABELS).summary().splitlines()
    assert "12 clean rows" in lines[0]
    assert lines[2].split()[:4] == ["a", "8", "0.667", "0.750"]
    assert "b 0.250 [0.071, 0.591]" in lines[2]
    assert lines[-1].startswith("condition number 2;")
    hopeless = confusion_from_clean(TRUTH, ["a"] * 12).summary()
    assert hopeless.endswith("the noise cannot be undone")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"smoothing": -1}, "smoothing must be a finite number of at least 0, got -1"),
        ({"laplace": np.nan}, "laplace must be a finite number of at least 0, got nan"),
        ({"confidence": 1.0}, "confidence must be between 0 and 1, got 1.0"),
        ({"interval": "wald"}, "interval must be one of 'exact', 'wilson'; got 'wald'"),
        ({"on_empty": "skip"}, "on_empty must be one of"),
        ({"classes": ["a"]}, r"does not list \['b'\]"),
        ({"all_observed": ["a", "z"]}, r"does not list \['z'\]"),
        ({"sample_weight": np.zeros(12)}, "zero everywhere"),
        ({"y_observed": LABELS[:-1]}, "inconsistent numbers of samples"),
        ({"y_observed": LABELS[:-1] + [None]}, "y_observed holds None at position 11"),
    ],
)
def test_bad_options_are_named(options, message):
    with pytest.raises(ValueError, match=message):
        confusion_from_clean(**({"y_true": TRUTH, "y_observed": LABELS} | options))


def test_one_door_for_three_sources():
    X, y = load_digits(n_class=3, return_X_y=True)
    clean = estimate_confusion(TRUTH, LABELS, smoothing=2.0)
    assert_allclose(clean.matrix, confusion_from_clean(TRUTH, LABELS, smoothing=2.0).matrix)
    rough = estimate_confusion(y, estimator=GaussianNB(), X=X, cv=3)
    assert_allclose(rough.matrix, confusion_from_classifier(GaussianNB(), X, y, cv=3).matrix)
    crowd = estimate_confusion(annotations=np.column_stack([y, y, y]), n_bootstrap=0)
    assert_allclose(crowd.matrix, np.eye(3), atol=1e-3)
    for wrong in ({}, {"y_true": y}, {"y_true": y, "annotations": y[:, None]}, {"X": X}):
        with pytest.raises(ValueError, match="pass y_true and y_observed"):
            estimate_confusion(**wrong)


def test_answers_are_out_of_fold():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(200, 5)), rng.integers(2, size=200)
    memory = confusion_from_classifier(Remembers(), X, y)
    assert_allclose(memory.matrix, 0.5, atol=0.15)
    assert "Remembers on 200 rows" in memory.source
    splits = StratifiedKFold(4, shuffle=True, random_state=0)
    assert_allclose(
        confusion_from_classifier(GaussianNB(), X, y, cv=splits).counts.sum(axis=0), np.bincount(y)
    )


class Remembers(GaussianNB):
    """Right about every row that it has seen, guesses by its last digit elsewhere."""

    def fit(self, X, y):
        self.seen = {row.tobytes(): label for row, label in zip(X, y)}
        return super().fit(X, y)

    def predict(self, X):
        guess = (np.abs(X[:, 0] * 1000) % 2).astype(int)
        return np.array([self.seen.get(row.tobytes(), g) for row, g in zip(X, guess)])


def test_rare_classes_shrink_the_number_of_folds():
    X, y = load_digits(n_class=3, return_X_y=True)
    kept = np.concatenate([np.flatnonzero(y < 2), np.flatnonzero(y == 2)[:3]])
    found = confusion_from_classifier(GaussianNB(), X[kept], y[kept])
    assert found.counts[:, 2].sum() == 3
    with pytest.raises(ValueError, match="class 2 has a single row"):
        confusion_from_classifier(GaussianNB(), X[kept[:-2]], y[kept[:-2]])


def test_cross_validation_foresees_the_confusion_on_fresh_rows():
    """A rough classifier of digits: its confusion by cross-validation and on rows held out."""
    X, y = load_digits(return_X_y=True)
    order = np.random.default_rng(0).permutation(len(y))
    few, rest = order[:600], order[600:]
    rough = GaussianNB(var_smoothing=1e-3)
    frame = pd.DataFrame(X[few])
    found = confusion_from_classifier(clone(rough), frame, y[few])
    answers = rough.fit(X[few], y[few]).predict(X[rest])
    held_out = confusion_from_clean(y[rest], answers)
    overlap = (found.low <= held_out.high) & (held_out.low <= found.high)
    assert overlap.mean() >= 0.97
    wrong = [1 - np.trace(kind.counts) / kind.counts.sum() for kind in (found, held_out)]
    assert wrong[0] == pytest.approx(wrong[1], abs=0.02)
    assert wrong[1] > 0.1
    nothing, missed = held_out.matrix - np.eye(10), held_out.matrix - found.matrix
    assert np.linalg.norm(nothing) > 2 * np.linalg.norm(missed)
