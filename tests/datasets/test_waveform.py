import numpy as np
import pytest
from scipy.stats import norm

from uneven.datasets import make_waveform


def bayes_answers(data):
    """The likeliest class, with the mixture share summed over a fine grid."""
    points = np.arange(1, 22)
    height = {peak: np.maximum(6.0 - np.abs(points - peak), 0.0) for peak in (7, 11, 15)}
    shares = (np.arange(50) + 0.5) / 50
    likelihood = []
    for one, other in ((11, 15), (11, 7), (15, 7)):
        means = np.outer(shares, height[one]) + np.outer(1 - shares, height[other])
        logs = norm.logpdf(data[:, None] - means).sum(axis=2)
        likelihood.append(np.exp(logs).sum(axis=1))
    return np.argmax(likelihood, axis=0)


@pytest.mark.slow
def test_the_best_classifier_errs_in_one_row_of_seven():
    bunch = make_waveform(3000, random_state=0)
    error = np.mean(bayes_answers(bunch.data) != bunch.target)
    assert 0.12 < error < 0.16
    np.testing.assert_allclose(np.bincount(bunch.target) / 3000, 1 / 3, atol=0.03)


def test_the_mean_wave_of_a_class():
    bunch = make_waveform(20_000, random_state=1)
    mean = bunch.data[bunch.target == 0].mean(axis=0)
    points = np.arange(1, 22)
    expected = [max(6 - abs(j - 11), 0) / 2 + max(6 - abs(j - 15), 0) / 2 for j in points]
    np.testing.assert_allclose(mean, expected, atol=0.08)


def test_seeds_and_frames():
    first, again, other = (make_waveform(20, random_state=seed).data for seed in (3, 3, 4))
    np.testing.assert_array_equal(first, again)
    assert not np.array_equal(first, other)
    assert make_waveform(5, as_frame=True).data.columns[0] == "point1"
    with pytest.raises(ValueError, match="n_samples must be a whole number at least 1, got 0"):
        make_waveform(0)
