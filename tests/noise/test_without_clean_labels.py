"""Noise matrices and wrong labels found without a label that is known to be right."""

import numpy as np
import pytest
from sklearn.datasets import make_blobs
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import cross_val_predict

from uneven.noise import (
    UMAClassifier,
    confusion_from_clean,
    confusion_from_labels,
    corrupt_labels,
    cyclic_noise,
    find_label_issues,
    uniform_noise,
)
from uneven.noise.matrices import learning_matrix
from uneven.noise.noisy_labels_only import WAYS
from uneven.noise.shrinkage import shrink_columns

NOISE = cyclic_noise(3, (0.25, 0.05))


@pytest.fixture(scope="module")
def noisy():
    """Labels of separate clusters, with probabilities of rows that were not seen."""
    X, truth = make_blobs(900, centers=3, cluster_std=0.7, random_state=0)
    y = corrupt_labels(truth, NOISE, rng=1)
    shares = cross_val_predict(LogisticRegression(max_iter=300), X, y, method="predict_proba")
    return X, truth, y, shares


@pytest.mark.parametrize("way", WAYS)
def test_the_matrix_is_found_from_noisy_labels(noisy, way):
    _, _, y, shares = noisy
    found = confusion_from_labels(None, y, label_shares=shares, way=way, n_bootstrap=20)
    assert np.abs(found.matrix - NOISE).max() < (0.1 if way == "confident" else 0.2)
    np.testing.assert_allclose(found.matrix.sum(axis=0), 1.0)
    assert (found.low <= found.matrix).all()
    assert (found.matrix <= found.high).all()
    assert (found.sizes <= len(y)).all()


def test_intervals_of_the_confident_joint_hold_most_entries(noisy):
    _, _, y, shares = noisy
    found = confusion_from_labels(None, y, label_shares=shares, n_bootstrap=100)
    assert ((found.low <= NOISE) & (found.high >= NOISE)).mean() >= 7 / 9


def test_the_matrix_from_an_estimator_is_that_from_its_probabilities(noisy):
    X, _, y, _ = noisy
    model = LogisticRegression(max_iter=300)
    shares = cross_val_predict(model, X, y, method="predict_proba")
    direct = confusion_from_labels(X, y, estimator=model, n_bootstrap=2)
    given = confusion_from_labels(None, y, label_shares=shares, n_bootstrap=2)
    np.testing.assert_array_equal(direct.matrix, given.matrix)
    with pytest.raises(ValueError, match="expected a row for each of the 900 labels"):
        confusion_from_labels(None, y, label_shares=shares[:, :2])


def test_wrong_labels_come_first_and_their_number_is_about_right(noisy):
    _, truth, y, shares = noisy
    wrong = np.flatnonzero(y != truth)
    for noise in (None, NOISE):
        found = find_label_issues(shares, y, noise)
        assert abs(found.expected - len(wrong)) < 0.2 * len(wrong)
        assert np.isin(found.rows(), wrong).mean() > 0.9
    assert (found.suggested == truth).mean() > (y == truth).mean() + 0.1
    rate = 1.0 - np.average(np.diag(NOISE), weights=np.bincount(truth))
    assert found.expected == pytest.approx(rate * len(y), rel=0.02)
    clean = find_label_issues(np.eye(3)[truth] * 0.94 + 0.02, truth)
    assert clean.expected < 0.03 * len(truth)


def test_an_uncertain_matrix_is_nearer_to_the_truth_when_shrunk():
    errors = []
    for seed in range(100):
        rng = np.random.default_rng(seed)
        truth = np.repeat(np.arange(3), [6, 8, 12])
        found = confusion_from_clean(truth, corrupt_labels(truth, NOISE, rng), classes=range(3))
        both = found.matrix, found.shrunk().matrix
        errors.append([((one - NOISE) ** 2).sum() for one in both])
    raw, shrunk = np.mean(errors, axis=0)
    assert shrunk < 0.9 * raw


def test_shrinking_leaves_columns_alone_that_many_rows_stand_behind():
    many = shrink_columns(NOISE, np.full(3, 1e7))
    np.testing.assert_allclose(many, NOISE, atol=1e-4)
    single = shrink_columns(np.eye(3)[:, [1, 1, 2]], np.array([1.0, 500.0, 500.0]))
    assert single[0, 0] > 0.5


@pytest.mark.parametrize(
    "noise", [cyclic_noise(10, (0.2, 0.1)), uniform_noise(10, 0.3)], ids=["cyclic", "uniform"]
)
@pytest.mark.parametrize("n_rows", [3, 20, 150])
def test_shrinking_never_moves_a_matrix_away_from_the_truth(noise, n_rows):
    sizes, errors = np.full(10, float(n_rows)), []
    for seed in range(20):
        rng = np.random.default_rng(seed)
        found = np.column_stack([rng.multinomial(n_rows, p) for p in noise.T]) / n_rows
        errors.append([((one - noise) ** 2).sum() for one in (found, shrink_columns(found, sizes))])
    raw, shrunk = np.mean(errors, axis=0)
    assert shrunk < 0.6 * raw


def test_learners_use_the_shrunk_matrix(noisy):
    X, truth, y, _ = noisy
    few = confusion_from_clean(truth[:40], y[:40], classes=range(3))
    model = UMAClassifier(few, max_iter=50, average=True).fit(X, y)
    same = UMAClassifier(learning_matrix(few), max_iter=50, average=True).fit(X, y)
    np.testing.assert_array_equal(model.coef_, same.coef_)
    assert not np.allclose(learning_matrix(few), few.matrix)
