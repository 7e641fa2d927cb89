"""The vote of the version space, the Bayes classification strategy and the Bayes point."""

import numpy as np
import pytest

from tests.versionspace.cones import random_cone
from uneven.versionspace import (
    VersionSpace,
    bayes_point,
    bayes_strategy,
    chebyshev_centre,
    exact_centre,
    hamiltonian,
    is_bayes_line,
    propagate,
)
from uneven.versionspace.bayes_vote import (
    class_frame,
    joint_normal_vote,
    joint_sample_vote,
    normal_vote,
    sample_vote,
    share_out,
)


@pytest.mark.parametrize("seed", range(4))
def test_in_two_dimensions_the_strategy_is_the_centre(seed):
    cuts = random_cone(seed, 6, 2)
    angles = np.linspace(0, 2 * np.pi, 100, endpoint=False)
    X = np.column_stack([np.cos(angles), np.sin(angles)])
    products = X @ exact_centre(cuts).centre
    answers = bayes_strategy(VersionSpace(cuts), X, n_samples=4000, rng=seed)
    clear = np.abs(products) > 0.05 * np.abs(products).max()
    np.testing.assert_array_equal(answers[clear], np.sign(products[clear]))


@pytest.mark.slow
def test_strategy_beats_gravity_beats_chebyshev_beats_members():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(800, 5))
    X /= np.linalg.norm(X, axis=1, keepdims=True)
    losses = []
    for seed in range(30):
        cuts = random_cone(seed, 12, 5)
        points = hamiltonian(cuts, n_samples=3000, rng=seed).samples
        votes = sample_vote(X, np.zeros(len(X)), points)
        compared = np.vstack([points.mean(axis=0), chebyshev_centre(cuts).point, points[:100]])
        loss = np.where(X @ compared.T >= 0, 1 - votes[:, None], votes[:, None]).mean(axis=0)
        losses.append([np.minimum(votes, 1 - votes).mean(), *loss[:2], loss[2:].mean()])
        assert loss[0] <= loss[2:].min() + 1e-3
    best, gravity, chebyshev, member = np.mean(losses, axis=0)
    assert best <= gravity < chebyshev < member
    assert gravity - best < 0.002
    assert chebyshev - gravity > 0.004
    assert 0.11 < gravity < 0.15
    assert 0.15 < member < 0.21
    assert np.mean([row[1] <= row[2] + 1e-3 for row in losses]) == 1.0


def test_all_agree_about_rows_that_miss_the_space():
    cuts = random_cone(1, 15, 4)
    space, rng = VersionSpace(cuts), np.random.default_rng(0)
    X = rng.normal(size=(300, 4))
    implied = space.implied_labels(X)
    sure = implied != 0
    assert 20 < sure.sum() < 300
    np.testing.assert_array_equal(bayes_strategy(space, X, rng=0)[sure], implied[sure])
    for centre in (propagate(cuts).mean, chebyshev_centre(cuts).point):
        np.testing.assert_array_equal(np.sign(X @ centre)[sure], implied[sure])


def test_bayes_lines_halve_the_space():
    space = VersionSpace(np.eye(3))
    X = [[1.0, -1.0, 0.0], [0.0, 1.0, -1.0], [1.0, -0.1, 0.0], [1.0, 1.0, 1.0]]
    assert is_bayes_line(space, X, n_samples=5000, rng=0).tolist() == [True, True, False, False]
    with pytest.raises(ValueError, match="tol must be"):
        is_bayes_line(space, X, tol=0.7)


def test_bayes_point_is_near_the_centre_of_gravity():
    cuts = random_cone(3, 8, 3)
    X = np.random.default_rng(1).normal(size=(2000, 3))
    found = bayes_point(VersionSpace(cuts), X, n_samples=3000, rng=0)
    centre = exact_centre(cuts).centre
    assert found.point @ centre / np.linalg.norm(centre) > np.cos(np.radians(8))
    assert found.least <= found.disagreement < found.least + 0.01


@pytest.mark.parametrize("seed", range(3))
def test_normal_vote_is_close_to_the_share_of_the_space(seed):
    cuts = random_cone(seed, 10, 6)
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(200, 6))
    X /= np.linalg.norm(X, axis=1, keepdims=True)
    found, points = propagate(cuts), hamiltonian(cuts, n_samples=5000, rng=seed).samples
    by_points = sample_vote(X, np.zeros(200), points)
    by_normal = normal_vote(X, np.zeros(200), found.mean, found.covariance)
    assert np.abs(by_points - by_normal).max() < 0.15
    assert np.abs(by_points - by_normal).mean() < 0.04


def test_what_sticks_out_of_the_span_is_weighed_as_in_the_whole_space():
    rng = np.random.default_rng(0)
    cuts = random_cone(2, 5, 3)
    whole = np.hstack([cuts, np.zeros((5, 2))])
    X = rng.normal(size=(50, 5))
    X /= np.linalg.norm(X, axis=1, keepdims=True)
    rest = np.linalg.norm(X[:, 3:], axis=1)
    drawn = rng.normal(size=(400_000, 5))
    drawn = drawn[(drawn @ whole.T > 0).all(axis=1)]
    truth = (drawn @ X.T > 0).mean(axis=0)
    points = hamiltonian(cuts, n_samples=8000, rng=0).samples
    np.testing.assert_allclose(sample_vote(X[:, :3], rest, points), truth, atol=0.03)
    found = propagate(cuts)
    np.testing.assert_allclose(
        normal_vote(X[:, :3], rest, found.mean, found.covariance), truth, atol=0.06
    )


def test_class_frame():
    for n_classes in (2, 3, 7):
        frame = class_frame(n_classes)
        np.testing.assert_allclose(frame.T @ frame, np.eye(n_classes - 1), atol=1e-12)
        np.testing.assert_allclose(frame.sum(axis=0), 0.0, atol=1e-12)


def test_joint_votes_of_two_classes_are_binary_votes():
    cuts = random_cone(4, 6, 3)
    rng = np.random.default_rng(0)
    where, rest = rng.normal(size=(40, 3)), rng.uniform(0.1, 0.5, size=40)
    found, points = propagate(cuts), hamiltonian(cuts, n_samples=4000, rng=0).samples
    joint = joint_normal_vote(where, rest, found.mean, found.covariance, 2, 20_000)
    binary = normal_vote(where, rest, found.mean, found.covariance)
    np.testing.assert_allclose(joint[:, 0], binary, atol=0.02)
    joint = joint_sample_vote(where, rest, points, 2)
    np.testing.assert_allclose(joint[:, 0], sample_vote(where, rest, points), atol=0.03)
    np.testing.assert_allclose(joint.sum(axis=1), 1.0)


def test_votes_that_nobody_cast_go_to_the_highest_score():
    shares = share_out(np.zeros((2, 3)), np.array([[1.0, 1.0, 0.0], [0.0, 0.0, 2.0]]))
    assert shares.tolist() == [[0.5, 0.5, 0.0], [0.0, 0.0, 1.0]]
