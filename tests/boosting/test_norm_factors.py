"""One factor per class on votes: what the shared search is asked for, against slow twins."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from uneven.boosting.norm import fit_vote_factors
from uneven.metrics.confusion import matrix_norm

GRID = np.exp(np.linspace(-2.0, 2.0, 33))
PSEUDO_ROWS = 2.0


def error_matrix(votes, y, mass, factors):
    """Error rates of the answers, one row at a time."""
    rates = np.zeros((votes.shape[1],) * 2)
    for row, label, weight in zip(votes * factors, y, mass):
        rates[label, row.argmax()] += weight
    sizes = rates.sum(axis=1, keepdims=True)
    rates /= np.where(sizes > 0, sizes, 1.0)
    np.fill_diagonal(rates, 0.0)
    return rates


def objective(votes, y, mass, factors, accuracy_weight, prices=1.0):
    """What is minimised, row by row: rows of weight 1 and pseudo-rows of what the votes believe."""
    n_classes = votes.shape[1]
    mass = mass * mass.sum() / (mass**2).sum()
    sizes = np.bincount(y, mass, n_classes)
    shares = votes / votes.sum(axis=1, keepdims=True) * np.where(sizes > 0, sizes, 0.5)
    belief = mass[:, None] * shares / shares.sum(axis=1, keepdims=True)
    belief /= np.where(belief.any(axis=0), belief.sum(axis=0), 1.0)
    rates = np.zeros((n_classes, n_classes))
    for row, label, weight, believed in zip(votes * factors, y, mass, belief):
        trust = sizes / (sizes + PSEUDO_ROWS)
        rates[label, row.argmax()] += trust[label] * weight / sizes[label]
        rates[:, row.argmax()] += (1.0 - trust) * believed
    rates[sizes == 0] = 0.0
    rates /= np.where(rates.any(axis=1), rates.sum(axis=1), 1.0)[:, None]
    errors = rates * (1.0 - np.eye(n_classes))
    wrong = errors.sum(axis=1) @ sizes / sizes.sum()
    norm = np.linalg.norm(errors * prices, 2)
    return norm + accuracy_weight * wrong + 0.03 * np.log(factors).std()


@st.composite
def judged_votes(draw, max_rows=40, max_classes=5):
    """(votes, y, mass): whole numbers of votes, so that there are ties and rows of one vote."""
    n_classes = draw(st.integers(2, max_classes))
    n = draw(st.integers(1, max_rows))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    votes = rng.integers(0, 5, (n, n_classes)).astype(float)
    votes[np.arange(n), rng.integers(0, n_classes, n)] += 1.0
    y = rng.integers(0, n_classes, n)
    mass = rng.choice([1.0, 1.0, 0.25, 7.0], n)
    return votes, y, mass


@settings(max_examples=30, deadline=None)
@given(judged_votes(), st.sampled_from([0.0, 1.0, 4.0]))
def test_factors_are_never_worse_than_ones(rows, accuracy_weight):
    votes, y, mass = rows
    votes = votes[:, np.unique(y)]
    votes = votes + 0.01 * np.random.default_rng(0).random(votes.shape)
    y = np.unique(y, return_inverse=True)[1]
    factors = fit_vote_factors(votes, y, mass, accuracy_weight=accuracy_weight)
    assert np.log(factors).mean() == pytest.approx(0.0, abs=1e-12)
    found = objective(votes, y, mass, factors, accuracy_weight)
    assert found <= objective(votes, y, mass, np.ones(votes.shape[1]), accuracy_weight) + 1e-6


def test_two_classes_get_the_best_factor_of_the_grid():
    rng = np.random.default_rng(0)
    y = (rng.random(400) < 0.1).astype(int)
    share = np.clip(0.35 + 0.2 * y + 0.15 * rng.normal(size=400), 0.0, 1.0)
    votes, mass = np.column_stack([1 - share, share]), rng.random(400)
    for accuracy_weight in (0.0, 1.0):
        factors = fit_vote_factors(votes, y, mass, accuracy_weight=accuracy_weight)
        possible = [
            objective(votes, y, mass, np.array([1.0, ratio]), accuracy_weight) for ratio in GRID
        ]
        found = objective(votes, y, mass, factors, accuracy_weight)
        assert found <= min(possible) + 1e-6
        assert found < objective(votes, y, mass, np.ones(2), accuracy_weight) - 0.05


@pytest.fixture(scope="module")
def rare():
    """Votes that favour the frequent class: the two others are answered too seldom."""
    rng = np.random.default_rng(1)
    y = np.repeat([0, 1, 2], [200, 30, 12])
    votes = rng.random((len(y), 3)) + 0.4 * np.eye(3)[y] + np.array([0.8, 0.1, 0.0])
    return votes, y


def test_the_units_of_votes_and_masses_do_not_matter(rare):
    votes, y = rare
    mass = np.random.default_rng(2).random(len(y))
    factors = fit_vote_factors(votes, y, mass)
    assert factors.max() > 1.1
    rows = np.exp2(np.arange(len(y)) % 5 - 2)[:, None]
    np.testing.assert_array_equal(fit_vote_factors(votes * rows, y, mass), factors)
    for unit in (2.0**-300, 2.0**300):
        np.testing.assert_allclose(fit_vote_factors(votes, y, mass * unit), factors, rtol=1e-9)
    twice = fit_vote_factors(np.repeat(votes, 2, axis=0), np.repeat(y, 2), np.repeat(mass, 2) / 2)
    np.testing.assert_allclose(twice, factors, rtol=1e-9)
    fortran = fit_vote_factors(np.asfortranarray(votes), y.astype(np.int32), mass)
    np.testing.assert_array_equal(fortran, factors)


def test_rare_classes_gain_and_accuracy_can_be_kept(rare):
    votes, y = rare
    mass = np.ones(len(y))
    norms, wrongs = [], []
    for accuracy_weight in (0.0, 1.0, 1e6):
        factors = fit_vote_factors(votes, y, mass, accuracy_weight=accuracy_weight)
        norms.append(matrix_norm(error_matrix(votes, y, mass, factors)))
        wrongs.append(float(np.mean((votes * factors).argmax(axis=1) != y)))
    assert norms[0] <= norms[1] + 1e-3 < norms[2]
    assert wrongs[2] <= wrongs[1] <= wrongs[0]
    assert wrongs[2] <= np.mean(votes.argmax(axis=1) != y)
    plain = matrix_norm(error_matrix(votes, y, mass, np.ones(3)))
    assert norms[0] < plain - 0.1


def test_prices_say_which_mistakes_count(rare):
    votes, y = rare
    mass = np.ones(len(y))
    prices = np.ones((3, 3))
    prices[2] = 0.0
    ignored = fit_vote_factors(votes, y, mass, prices=prices, accuracy_weight=0.0)
    cared = fit_vote_factors(votes, y, mass, accuracy_weight=0.0)
    rows = (votes, y, mass)
    assert objective(*rows, ignored, 0.0, prices) < objective(*rows, cared, 0.0, prices) - 0.03
    assert objective(*rows, cared, 0.0) < objective(*rows, ignored, 0.0) - 0.03
    assert prices[0, 0] == 1.0


def test_a_class_without_judged_rows_and_no_rows_at_all(rare):
    votes, y = rare
    seen = y != 2
    factors = fit_vote_factors(votes[seen], y[seen], np.ones(seen.sum()))
    assert factors[2] == factors[:2].max()
    two = fit_vote_factors(votes[seen][:, :2], y[seen], np.ones(seen.sum()))
    assert factors[1] / factors[0] >= 1.0
    assert two[1] / two[0] >= 1.0
    np.testing.assert_array_equal(
        fit_vote_factors(np.empty((0, 3)), np.empty(0, dtype=np.int32), np.empty(0)), np.ones(3)
    )


def test_a_class_that_nobody_speaks_for_is_not_pushed_down():
    rng = np.random.RandomState(1)
    y = rng.choice(2, 300)
    votes = 0.7 * rng.dirichlet(np.ones(3), 300)
    votes[np.arange(300), y] += 0.3
    factors = fit_vote_factors(votes, y, np.ones(300))
    assert factors[2] == factors[:2].max()
    known = fit_vote_factors(votes, np.where(votes[:, 2] > 0.5, 2, y), np.ones(300))
    assert known[2] != known[:2].max()


def test_perfect_votes_are_left_alone():
    y = np.repeat([0, 1, 2], 4)
    np.testing.assert_array_equal(fit_vote_factors(np.eye(3)[y], y, np.ones(12)), np.ones(3))
