"""The smoothed hinge: its pieces, its parabolas, its bounds."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from published.tests.sen.twins import rounded_hinge, rounded_slope, soft_margins

from uneven_published.sen.smoothed_hinge import SmoothedHinge

GRID = np.linspace(-6.0, 8.0, 2801)
taus = st.floats(0.05, 3.0)


def scores_of(seed, n_samples=12, n_classes=4, size=3.0):
    rng = np.random.default_rng(seed)
    return size * rng.normal(size=(n_samples, n_classes)), rng.integers(n_classes, size=n_samples)


@given(tau=taus)
def test_pieces(tau):
    loss = SmoothedHinge(tau)
    np.testing.assert_allclose(loss.value(GRID), [rounded_hinge(z, tau) for z in GRID])
    np.testing.assert_allclose(loss.slope(GRID), [rounded_slope(z, tau) for z in GRID], atol=1e-12)
    ends = np.array([1 - tau, 1 + tau])
    np.testing.assert_allclose(loss.value(ends), [tau, 0.0], atol=1e-15)
    np.testing.assert_allclose(loss.slope(ends), [-1.0, 0.0], atol=1e-12)
    above = loss.value(GRID) - np.maximum(0.0, 1.0 - GRID)
    assert above.min() >= -1e-12
    assert above.max() == pytest.approx(loss.value(1.0)) == pytest.approx(tau / 4)


def test_curvatures_by_hand():
    loss = SmoothedHinge(0.5)
    assert loss.curvature([0.0, 0.5, 1.0, 3.0]).tolist() == [0.5, 1.0, 1.0, 0.25]
    assert loss.curvature([0.0, 3.0], "maximum").tolist() == [1.0, 1.0]
    with pytest.raises(ValueError, match=r"curvature must be one of .* got 'least'"):
        loss.curvature(0.0, "least")


def parabola(loss, at, curvature):
    return loss.value(at) + loss.slope(at) * (GRID - at) + 0.5 * curvature * (GRID - at) ** 2


@given(tau=taus, at=st.floats(-5.0, 6.0))
def test_optimal_curvature_is_the_least_that_majorises(tau, at):
    loss = SmoothedHinge(tau)
    least = loss.curvature(at)
    assert (parabola(loss, at, least) - loss.value(GRID)).min() >= -1e-10
    assert (parabola(loss, at, loss.curvature(at, "maximum")) - loss.value(GRID)).min() >= -1e-10
    inside = at + (0.01 if at < 1.0 else -0.01) * tau
    other = 2.0 - at if abs(at - 1.0) > tau else inside
    flatter = loss.value(at) + loss.slope(at) * (other - at) + 0.49 * least * (other - at) ** 2
    assert flatter < loss.value(other)


@given(seed=st.integers(0, 10_000))
def test_sum_of_majorisers_majorises_the_sum(seed):
    rng = np.random.default_rng(seed)
    loss, here = SmoothedHinge(0.5), rng.uniform(-4.0, 6.0)
    shifts = rng.normal(size=5)
    total = sum(loss.value(GRID + s) for s in shifts)
    bound = sum(
        loss.value(here + s)
        + loss.slope(here + s) * (GRID - here)
        + 0.5 * loss.curvature(here + s) * (GRID - here) ** 2
        for s in shifts
    )
    assert (bound - total).min() >= -1e-9


@given(seed=st.integers(0, 10_000), temperature=st.sampled_from([0.3, 1.0, 7.0, 400.0]))
def test_soft_maximum_lies_just_above_the_maximum(seed, temperature):
    scores, y = scores_of(seed)
    loss = SmoothedHinge(0.5, temperature)
    rows = np.arange(len(y))
    wrong = scores.copy()
    wrong[rows, y] = -np.inf
    hard = scores[rows, y] - wrong.max(axis=1)
    soft = loss.margins(scores, y)
    assert (soft <= hard + 1e-12).all()
    assert (soft >= hard - np.log(3) / temperature - 1e-12).all()
    hinge = np.maximum(0.0, 1.0 - hard)
    excess = loss.value(soft) - hinge
    assert excess.min() >= -1e-12
    assert excess.max() <= 0.125 + np.log(3) / temperature + 1e-12


@given(seed=st.integers(0, 10_000), mix=st.floats(0.0, 1.0))
def test_loss_is_convex_in_the_scores(seed, mix):
    first, y = scores_of(seed)
    second = scores_of(seed + 1)[0]
    share = np.full(len(y), 1.0 / len(y))
    for loss in (SmoothedHinge(0.5), SmoothedHinge(2.0, 5.0)):
        chord = mix * loss.risk(first, y, share) + (1 - mix) * loss.risk(second, y, share)
        assert loss.risk(mix * first + (1 - mix) * second, y, share) <= chord + 1e-12


@given(seed=st.integers(0, 10_000), tau=taus, temperature=st.floats(0.2, 6.0))
def test_gradient_and_bound_on_the_second_derivative(seed, tau, temperature):
    scores, y = scores_of(seed, n_samples=6)
    loss = SmoothedHinge(tau, temperature)
    gradient = loss.gradient(scores, y)
    step = 1e-5
    for n in range(scores.shape[1]):
        nudge = np.zeros_like(scores)
        nudge[:, n] = step
        up, down = (loss.value(loss.margins(scores + s * nudge, y)) for s in (1, -1))
        np.testing.assert_allclose(gradient[:, n], (up - down) / (2 * step), atol=1e-4)
        rise = loss.gradient(scores + nudge, y)[:, n] - loss.gradient(scores - nudge, y)[:, n]
        assert (rise / (2 * step) <= loss.score_curvature() * (1 + 1e-6)).all()


@pytest.mark.parametrize(
    ("tau", "temperature", "bound"),
    [(0.5, 1.0, 1.0), (0.25, 1.0, 2.0), (2.0, 1.0, 1.0 / 3.0), (0.5, 4.0, 4.0 / 3.0)],
)
def test_score_curvature_by_hand(tau, temperature, bound):
    assert SmoothedHinge(tau, temperature).score_curvature() == pytest.approx(bound)


def test_margins_of_large_scores_and_two_classes():
    scores = np.array([[5000.0, 4999.0, -3000.0], [-9000.0, 1.0, 1.0]])
    y = np.array([0, 2])
    np.testing.assert_allclose(SmoothedHinge().margins(scores, y), [1.0, 0.0], atol=1e-12)
    pair = scores[:, :2]
    np.testing.assert_allclose(SmoothedHinge().margins(pair, np.array([0, 1])), [1.0, 9001.0])


def test_twin_of_the_margins():
    rng = np.random.default_rng(0)
    P, coef, y = rng.random((9, 4, 3)), rng.normal(size=(4, 3)), rng.integers(3, size=9)
    scores = np.einsum("imn,mn->in", P, coef)
    expected = soft_margins(P, y, coef, 2.0)[0]
    np.testing.assert_allclose(SmoothedHinge(0.5, 2.0).margins(scores, y), expected)


@pytest.mark.parametrize("word", ["tau", "temperature"])
@pytest.mark.parametrize("value", [0.0, -1.0, np.inf, np.nan])
def test_refuses_impossible_smoothing(word, value):
    with pytest.raises(ValueError, match=f"{word} must be a finite number above 0"):
        SmoothedHinge(**{word: value})
