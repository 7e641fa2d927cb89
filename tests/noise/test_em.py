"""EM for labels that were drawn through a noise matrix."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from uneven.noise import (
    confident_joint,
    corrupt_labels,
    label_posteriors,
    random_noise,
    refine_noise,
    undo_noise,
    uniform_noise,
)

SEEDS = st.integers(0, 2**32 - 1)


def drawn(seed, n_rows=60, n_classes=4):
    """Noise, probabilities of true classes, labels drawn from them."""
    rng = np.random.default_rng(seed)
    noise = random_noise(n_classes, rng)
    shares = rng.dirichlet(np.full(n_classes, 0.5), size=n_rows)
    truth = np.array([rng.choice(n_classes, p=row) for row in shares])
    return noise, shares, corrupt_labels(truth, noise, rng)


def likelihood(noise, shares, labels):
    """Mean log-likelihood of the labels."""
    return float(np.log((noise[labels] * shares).sum(axis=1)).mean())


@pytest.mark.slow
@given(SEEDS)
def test_undoing_exact_label_probabilities_gives_those_of_true_classes(seed):
    noise, shares, _ = drawn(seed, n_classes=3)
    noise = 0.7 * np.eye(3) + 0.3 * noise
    found = undo_noise(shares @ noise.T, noise, n_iter=4000)
    assert np.abs(found - shares).max() < 0.01


@given(SEEDS)
def test_more_steps_come_nearer_to_the_label_probabilities(seed):
    noise, _, _ = drawn(seed)
    q = np.random.default_rng(seed).dirichlet(np.ones(4), size=20)

    def divergence(n_iter):
        return float((q * np.log(q / (undo_noise(q, noise, n_iter=n_iter) @ noise.T))).sum())

    few, more, many = (divergence(n) for n in (1, 5, 25))
    assert many <= more + 0.02 <= few + 0.04


def test_a_singular_matrix_can_be_undone_too():
    alike = np.array([[0.5, 0.5, 0.0], [0.5, 0.5, 0.0], [0.0, 0.0, 1.0]])
    found = undo_noise(np.array([[0.3, 0.3, 0.4]]), alike)
    assert found == pytest.approx(np.array([[0.3, 0.3, 0.4]]), abs=0.01)


@given(SEEDS)
def test_posteriors_are_bayes_rule(seed):
    noise, shares, labels = drawn(seed)
    found = label_posteriors(shares, labels, noise)
    for i in range(len(labels)):
        joint = [noise[labels[i], k] * shares[i, k] for k in range(4)]
        assert found[i] == pytest.approx(np.array(joint) / sum(joint))


def test_clean_rows_are_what_their_labels_say():
    shares = np.full((2, 3), 1 / 3)
    found = label_posteriors(
        shares, np.array([2, 1]), uniform_noise(3, 0.3), np.array([True, False])
    )
    assert found[0].tolist() == [0.0, 0.0, 1.0]
    assert found[1] == pytest.approx([0.15, 0.7, 0.15])


def test_an_impossible_label_leaves_the_probabilities_as_they_are():
    never = np.array([[1.0, 1.0], [0.0, 0.0]])
    assert label_posteriors(np.array([[0.3, 0.7]]), np.array([1]), never).tolist() == [[0.3, 0.7]]


@given(SEEDS)
def test_refining_never_lowers_the_likelihood(seed):
    _, shares, labels = drawn(seed)
    known = (np.zeros((4, 4)), shares, labels, np.ones(len(labels)))
    steps = [refine_noise(uniform_noise(4, 0.3), *known, n_iter=n) for n in range(6)]
    values = [likelihood(one, shares, labels) for one in steps]
    assert all(after >= before - 1e-12 for before, after in pairwise(values))


def test_many_rows_tell_the_noise_and_many_counts_hold_it():
    noise, shares, labels = drawn(0, n_rows=20_000)
    weight, held = np.ones(len(labels)), uniform_noise(4, 0.3)
    free = refine_noise(held, np.eye(4), shares, labels, weight, n_iter=100)
    assert np.abs(free - noise).max() < 0.05
    stiff = refine_noise(held, 1e9 * held, shares, labels, weight)
    assert stiff == pytest.approx(held, abs=1e-4)


def test_weights_count_as_repeated_rows():
    noise, shares, labels = drawn(1)
    times = np.random.default_rng(1).integers(1, 4, size=len(labels))
    once = refine_noise(noise, np.eye(4), shares, labels, times.astype(float))
    many = (np.repeat(shares, times, axis=0), np.repeat(labels, times))
    again = refine_noise(noise, np.eye(4), *many, np.ones(times.sum()))
    assert once == pytest.approx(again)


def test_a_confident_joint_counts_every_row_once():
    _, shares, labels = drawn(2)
    joint = confident_joint(shares, labels)
    assert joint.sum(axis=1).tolist() == np.bincount(labels, minlength=4).tolist()


def test_a_label_without_rows_is_never_guessed():
    shares = np.array([[0.2, 0.8], [0.1, 0.9]])
    assert confident_joint(shares, np.array([0, 0])).tolist() == [[2.0, 0.0], [0.0, 0.0]]
