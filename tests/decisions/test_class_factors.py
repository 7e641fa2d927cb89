"""Class factors: exact sweeps, the prior rule without data, demands on recalls."""

from dataclasses import replace
from functools import partial
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.metrics import f1_score

from uneven.decisions.class_factors import JudgedRows, fit_class_factors, log_scores
from uneven.decisions.measures import (
    MEASURES,
    confusion_norm_bound,
    confusion_norm_loss,
    find_measure,
)
from uneven.metrics import confusion_norm, geometric_mean_recall, mean_recall, worst_recall

UNIT = 2.0**30


@st.composite
def judged(draw, max_rows=40):
    """(probabilities, y, mass): shares of few values, so that there are ties and zeros."""
    n_classes, n = draw(st.integers(2, 5)), draw(st.integers(1, max_rows))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    votes = rng.integers(0, 4, (n, n_classes)).astype(float)
    votes[np.arange(n), rng.integers(0, n_classes, n)] += 1.0
    y = rng.integers(0, n_classes, n)
    mass = rng.choice([1.0, 0.25, 7.0, 0.0], n)
    mass[0] = 1.0
    return votes / votes.sum(axis=1, keepdims=True), y, mass


def noisy(n, n_classes, seed=0, strength=2.0, ratio=0.05):
    """Probabilities that are not calibrated, of classes of uneven size."""
    rng = np.random.default_rng(seed)
    prior = np.geomspace(1.0, ratio, n_classes)
    prior /= prior.sum()
    y = np.sort(rng.choice(n_classes, n, p=prior))
    y[:n_classes] = np.arange(n_classes)
    scores = rng.normal(size=(n, n_classes)) + 1.5 * np.log(prior)
    scores[np.arange(n), y] += strength
    p = np.exp(scores)
    return p / p.sum(axis=1, keepdims=True), y, np.bincount(y) / n


def answers(p, prior, factors):
    return log_scores(p, np.asarray(prior), factors).argmax(axis=1)


@settings(max_examples=80, deadline=None)
@given(judged(), st.integers(0, 2**32 - 1))
def test_a_sweep_counts_what_each_offset_answers(drawn, seed):
    p, y, mass = drawn
    n_classes = p.shape[1]
    rows = JudgedRows.of(p, y, np.ones(n_classes), mass, None)
    rng = np.random.default_rng(seed)
    shift = np.rint(rng.integers(-3, 4, n_classes) * np.log(2.0) * UNIT)
    offsets = np.rint(np.log([0.25, 0.5, 1.0, 1.5, 2.0, 4.0]) * UNIT)
    column = int(rng.integers(n_classes))
    counts, beliefs, places = rows.sweep(shift, column, offsets)
    assert all((one != other).any() for one, other in pairwise(counts))
    for g, offset in enumerate(offsets):
        moved = shift.copy()
        moved[column] += offset
        said = (rows.levels + moved).argmax(axis=1)
        expected, believed = np.zeros((2, n_classes, n_classes))
        for i in range(len(said)):
            expected[rows.y[i], said[i]] += rows.mass[i]
            believed[:, said[i]] += rows.belief[i]
        np.testing.assert_allclose(counts[places[g]], expected, atol=1e-9)
        np.testing.assert_allclose(beliefs[places[g]], believed, atol=1e-9)


@pytest.mark.parametrize("name", MEASURES)
def test_losses_are_those_of_the_metrics(name):
    rng = np.random.default_rng(3)
    metric, sign = {
        "norm": (confusion_norm, 1),
        "gmean": (geometric_mean_recall, -1),
        "balanced_accuracy": (mean_recall, -1),
        "worst_recall": (worst_recall, -1),
        "macro_f1": (lambda a, b, labels: f1_score(a, b, labels=np.unique(a), average="macro"), -1),
        "accuracy": (lambda a, b, labels: (a == b).mean(), -1),
    }[name]
    for size in (3, 12, 60):
        y, said = rng.integers(0, 3, (2, size))
        confusion = np.zeros((1, 4, 4))
        np.add.at(confusion[0], (y, said), 1.0)
        value = metric(y, said, labels=np.arange(4))
        loss = MEASURES[name].loss(confusion)
        assert loss.shape == (1,)
        assert loss[0] == pytest.approx(value if sign > 0 else 1.0 - value)


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 2**32 - 1), st.integers(2, 9))
def test_bounds_are_not_above_the_losses(seed, n_classes):
    rng = np.random.default_rng(seed)
    confusion = rng.integers(0, 9, (4, n_classes, n_classes)) * (rng.random(n_classes) < 0.7)
    confusion[0] = np.diag(confusion[0].diagonal())
    prices = rng.random((n_classes, n_classes)) * 3.0
    bounded = [(one.bound, one.loss) for one in MEASURES.values() if one.bound is not None]
    assert bounded
    priced = [partial(rate, prices=prices) for rate in (confusion_norm_bound, confusion_norm_loss)]
    for rates in (*bounded, priced):
        bound, loss = (rate(confusion.astype(float)) for rate in rates)
        assert bound.shape == loss.shape
        assert (bound <= loss + 1e-12).all()
        assert (bound >= 0.7 * loss).all()


@pytest.mark.parametrize("n_classes", [2, 3, 7, 30])
def test_bounds_change_no_factor(n_classes):
    p, y, prior = noisy(400, n_classes, seed=n_classes)
    named = fit_class_factors(p, y, prior, measure="norm")
    judged_all = fit_class_factors(p, y, prior, measure=replace(MEASURES["norm"], bound=None))
    np.testing.assert_array_equal(named, judged_all)


@settings(max_examples=30, deadline=None)
@given(judged(), st.sampled_from(sorted(MEASURES)), st.floats(0.01, 100.0))
def test_factors_do_not_depend_on_scales(drawn, measure, scale):
    p, y, mass = drawn
    prior = np.arange(1.0, p.shape[1] + 1.0)
    one = fit_class_factors(p, y, prior, measure=measure, sample_weight=mass)
    other = fit_class_factors(p, y, prior * scale, measure=measure, sample_weight=mass * scale)
    np.testing.assert_allclose(one, other, rtol=1e-8)
    assert abs(np.log(one).mean()) < 1e-6


@pytest.mark.parametrize("measure", MEASURES)
def test_without_rows_or_with_a_high_price_the_rule_is_that_of_the_measure(measure):
    p, y, prior = noisy(300, 4)
    none = fit_class_factors(p[:0], y[:0], prior, measure=measure)
    held = fit_class_factors(p, y, prior, measure=measure, spread_price=1e6)
    expected = prior if measure in ("accuracy", "macro_f1") else np.ones(4)
    for factors in (none, held):
        np.testing.assert_allclose(factors / factors[0], expected / expected[0], rtol=1e-8)


@pytest.mark.parametrize("measure", ["norm", "gmean", "macro_f1", "worst_recall"])
def test_free_factors_improve_the_measure_on_their_rows(measure):
    p, y, prior = noisy(2000, 5)
    factors = fit_class_factors(p, y, prior, measure=measure, pseudo_rows=0, spread_price=0)

    def loss(said):
        confusion = np.zeros((5, 5))
        np.add.at(confusion, (y, said), 1.0)
        return float(MEASURES[measure].loss(confusion))

    assert loss(answers(p, prior, factors)) < loss(answers(p, prior, np.ones(5))) - 0.01


def test_two_classes_find_the_best_threshold_of_a_fine_grid():
    p, y, prior = noisy(500, 2, seed=5)
    factors = fit_class_factors(p, y, prior, measure="norm", pseudo_rows=0, spread_price=0)
    found = confusion_norm(y, answers(p, prior, factors))
    grid = np.exp(np.linspace(-4, 4, 65))
    best = min(confusion_norm(y, answers(p, prior, np.array([1.0, g]))) for g in grid)
    assert found == pytest.approx(best)


def test_small_classes_stay_near_the_prior_rule_and_large_ones_follow_the_data():
    p, y, prior = noisy(6000, 3, ratio=0.5, seed=2)
    few = np.concatenate([np.flatnonzero(y == k)[:4] for k in range(3)])
    spread = [
        np.ptp(np.log(fit_class_factors(p[rows], y[rows], prior)))
        for rows in (few, np.arange(len(y)))
    ]
    assert spread[0] < spread[1]


def test_a_callable_is_as_good_as_its_name():
    p, y, prior = noisy(400, 3)

    def gmean(counts):
        recalls = counts.diagonal() / counts.sum(axis=1)
        return recalls.prod() ** (1 / 3)

    one = fit_class_factors(p, y, prior, measure=gmean)
    named = fit_class_factors(p, y, prior, measure="gmean")
    np.testing.assert_allclose(one, named)
    as_it_is = fit_class_factors(p, y, prior, measure=MEASURES["gmean"])
    np.testing.assert_array_equal(as_it_is, named)
    with pytest.raises(ValueError, match="returned NaN"):
        fit_class_factors(p, y, prior, measure=lambda counts: np.nan)
    for odd in ("0.5", None, [0.5], np.ones(2), 1j):
        with pytest.raises(ValueError, match=r"measure <lambda> returned .* must return a number"):
            fit_class_factors(p, y, prior, measure=lambda counts, odd=odd: odd)
    with pytest.raises(ValueError, match="measure must be one of 'accuracy'"):
        find_measure("f1")


def test_demands_are_met_on_the_rows_and_cost_little():
    p, y, prior = noisy(3000, 4, seed=7)
    free = fit_class_factors(p, y, prior, measure="accuracy")
    demand = np.array([0.0, 0.0, 0.0, 0.9])
    held = fit_class_factors(p, y, prior, measure="accuracy", least_recall=demand)
    said, plain = answers(p, prior, held), answers(p, prior, free)
    recall = (said[y == 3] == 3).mean()
    assert 0.9 <= recall < 0.93
    assert (plain[y == 3] == 3).mean() < 0.6
    raised = (
        answers(p, prior, free * [1, 1, 1, factor]) for factor in np.exp(np.linspace(0, 6, 200))
    )
    enough = next(tried for tried in raised if (tried[y == 3] == 3).mean() >= 0.9)
    assert (said == y).mean() >= (enough == y).mean() - 0.002


def test_one_ulp_changes_no_factor():
    p, y, prior = noisy(500, 6, seed=9)
    rng = np.random.default_rng(0)
    noisy_p = p * (1.0 + rng.choice([-1, 0, 1], p.shape) * np.finfo(float).eps)
    for measure in MEASURES:
        one = fit_class_factors(p, y, prior, measure=measure)
        np.testing.assert_allclose(one, fit_class_factors(noisy_p, y, prior, measure=measure))


@pytest.mark.parametrize("prior", [[0.5], [0.0, 1.0], [np.nan, 1.0], [[0.5, 0.5]]])
def test_odd_priors_are_refused(prior):
    with pytest.raises(ValueError, match=r"prior must hold|shape"):
        fit_class_factors([[0.5, 0.5]], [0], prior)
