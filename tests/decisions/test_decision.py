"""Decision rules against brute force: costs, changed priors, constraints, abstaining."""

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from tests.decisions.test_class_factors import judged, noisy
from uneven.decisions.decision import Decision, fit_decision
from uneven.decisions.prior_shift import change_prior, estimate_prior


@pytest.mark.filterwarnings("ignore:cost. predicting")
@settings(max_examples=60, deadline=None)
@given(judged(), st.integers(0, 2**32 - 1))
def test_the_cost_rule_is_brute_force(drawn, seed):
    p, y, mass = drawn
    n_classes = p.shape[1]
    cost = np.random.default_rng(seed).integers(-2, 6, (n_classes, n_classes)).astype(float)
    assume(np.ptp(cost, axis=1).any())
    rule = fit_decision(p, y, cost=cost, sample_weight=mass)
    for row, code in zip(p, rule.answers(p)):
        expected = [sum(row[a] * cost[a, k] for a in range(n_classes)) for k in range(n_classes)]
        assert code == min(range(n_classes), key=lambda k: (round(expected[k], 9), k))


@settings(max_examples=40, deadline=None)
@given(judged())
def test_plain_rules(drawn):
    p, y, mass = drawn
    accuracy = fit_decision(p, y, measure="accuracy", sample_weight=mass)
    np.testing.assert_array_equal(accuracy.answers(p), p.argmax(axis=1))
    balanced = fit_decision(p, y, measure="balanced_accuracy", sample_weight=mass)
    ratio = p / balanced.prior
    chosen = ratio[np.arange(len(p)), balanced.answers(p)]
    np.testing.assert_allclose(chosen, ratio.max(axis=1), rtol=1e-8)


def test_unit_costs_are_the_most_probable_class_also_elsewhere():
    p, y, _ = noisy(500, 3)
    target = [0.2, 0.3, 0.5]
    moved = change_prior(p, np.bincount(y) / len(y), np.array(target))
    for arguments in ({"cost": 1 - np.eye(3)}, {"measure": "accuracy"}):
        rule = fit_decision(p, y, prior=target, **arguments)
        np.testing.assert_array_equal(rule.answers(p), moved.argmax(axis=1))
        np.testing.assert_allclose(rule.posterior(p), moved)


@pytest.mark.parametrize("measure", ["norm", "gmean", "balanced_accuracy", "worst_recall"])
def test_rules_for_recalls_do_not_depend_on_the_shares_elsewhere(measure):
    p, y, _ = noisy(500, 3)
    one = fit_decision(p, y, measure=measure)
    other = fit_decision(p, y, measure=measure, prior=[0.2, 0.3, 0.5])
    np.testing.assert_allclose(one.scores(p), other.scores(p))


def test_costs_that_make_no_sense_are_refused_or_named():
    p, y, _ = noisy(50, 3)
    for same in (np.zeros((3, 3)), np.ones((3, 1)) * np.ones(3), [[1, 1, 1], [2, 2, 2], [0, 0, 0]]):
        with pytest.raises(ValueError, match="every prediction costs the same"):
            fit_decision(p, y, cost=same)
    with pytest.warns(UserWarning, match="predicting 'b' for a row of 'a' costs less than the"):
        fit_decision(p, y, cost=np.eye(3), classes=["a", "b", "c"])
    fit_decision(p, y, cost=-np.eye(3))


def test_constraints_hold_or_are_refused_with_what_is_reachable():
    p, y, _ = noisy(1000, 3, strength=1.0)
    rule = fit_decision(p, y, measure="accuracy", constraints={2: 0.9, 1: 0.2})
    assert rule.recalls[2] >= 0.9
    assert rule.recalls[1] >= 0.2
    with pytest.raises(ValueError, match=r"'rare' 0.95.*nearest ones reach 'frequent' .*'rare'"):
        fit_decision(p, y, constraints={0: 0.95, 2: 0.95}, classes=["frequent", "mid", "rare"])
    with pytest.raises(ValueError, match="cannot be combined"):
        fit_decision(p, y, cost=1 - np.eye(3), constraints={2: 0.9})
    with pytest.raises(ValueError, match="demanded of class 'rare' must be in"):
        fit_decision(p, y, constraints={2: 1.5}, classes=["frequent", "mid", "rare"])


def test_no_recall_is_demanded_of_a_class_that_one_row_would_have_to_tell():
    p, y, _ = noisy(200, 3, strength=1.0)
    y[y == 2] = 1
    for rows in (0, 1):
        y[:rows] = 2
        with pytest.raises(ValueError, match=f"class 'rare' cannot be estimated from {rows} "):
            fit_decision(p, y, constraints={2: 0.5}, classes=["frequent", "mid", "rare"])
    y[:2] = 2
    assert fit_decision(p, y, measure="accuracy", constraints={2: 0.5}).recalls[2] >= 0.5


def test_two_classes_with_a_demand_equal_the_best_threshold():
    p, y, _ = noisy(400, 2, seed=4, strength=1.0)
    rule = fit_decision(
        p, y, measure="accuracy", constraints={1: 0.8}, spread_price=0, pseudo_rows=0
    )
    odds = p[:, 1] / p[:, 0]
    best = 0.0
    for cut in odds:
        said = (odds >= cut).astype(int)
        if (said[y == 1] == 1).mean() >= 0.8:
            best = max(best, (said == y).mean())
    assert (rule.answers(p) == y).mean() >= best - 0.006


@pytest.mark.parametrize("seed", [2, 5, 6])
@pytest.mark.parametrize("demands", [{2: 0.8}, {2: 0.8, 1: 0.5}])
def test_demands_are_met_as_well_as_by_trying_everything(seed, demands):
    p, y, _ = noisy(600, 3, seed=seed, strength=1.2)
    rule = fit_decision(p, y, measure="accuracy", constraints=demands)
    steps, best = np.linspace(-6.0, 10.0, 65), 0.0
    for one in steps:
        for other in steps:
            said = (np.log(p) + [0.0, one, other]).argmax(axis=1)
            if all((said[y == k] == k).mean() >= least for k, least in demands.items()):
                best = max(best, (said == y).mean())
    assert (rule.answers(p) == y).mean() >= best


def test_abstaining_is_the_rule_of_chow():
    p, y, _ = noisy(300, 3)
    rule = fit_decision(p, y, measure="accuracy", abstain_cost=0.3)
    codes = rule.answers(p)
    np.testing.assert_array_equal(codes == -1, p.max(axis=1) < 0.7)
    cost = np.array([[0, 2, 2], [4, 0, 4], [8, 8, 0.0]])
    held = fit_decision(p, y, cost=cost, abstain_cost=0.5)
    np.testing.assert_array_equal(held.answers(p) == -1, (p @ cost).min(axis=1) > 0.5)
    assert not (fit_decision(p, y, abstain_cost=2.0).answers(p) == -1).any()


def test_shares_of_unlabelled_rows_are_recovered():
    rng = np.random.default_rng(0)
    trained, there = np.array([0.7, 0.2, 0.1]), np.array([0.2, 0.3, 0.5])
    centres = rng.normal(size=(3, 2)) * 2.0

    def probabilities(shares, n):
        y = rng.choice(3, n, p=shares)
        x = centres[y] + rng.normal(size=(n, 2))
        density = np.exp(-((x[:, None] - centres) ** 2).sum(axis=2) / 2.0) * trained
        return density / density.sum(axis=1, keepdims=True)

    found = estimate_prior(probabilities(there, 20000), trained)
    np.testing.assert_allclose(found, there, atol=0.02)
    np.testing.assert_allclose(
        estimate_prior(probabilities(trained, 20000), trained), trained, atol=0.02
    )


def test_the_rule_in_words():
    p, y, _ = noisy(500, 3)
    names = ["a", "b", "c"]
    words = fit_decision(p, y, constraints={2: 0.5}, abstain_cost=0.9).explain(names)
    assert "fitted for confusion norm" in words
    assert "recall of c is to be at least 0.5" in words
    assert "Abstains where" in words
    assert "most probable class" in fit_decision(p, y, measure="accuracy").explain(names)
    assert "divided by its share" in fit_decision(p, y, measure="balanced_accuracy").explain(names)
    assert "smallest expected cost" in fit_decision(p, y, cost=1 - np.eye(3)).explain(names)


def test_permuted_labels_promise_nothing():
    rng = np.random.default_rng(1)
    p, y, _ = noisy(2000, 4)
    shuffled = rng.permutation(y)
    half = rng.random(2000) < 0.5
    for measure in ("norm", "gmean"):
        rule = fit_decision(p[half], shuffled[half], measure=measure)
        said = rule.answers(p[~half])
        recalls = [(said[shuffled[~half] == k] == k).mean() for k in range(4)]
        assert np.mean(recalls) == pytest.approx(0.25, abs=0.07)
        assert np.nanmean(rule.recalls) == pytest.approx(0.25, abs=0.1)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"cost": [[0.0]]}, "cost has the shape"),
        ({"cost": [[0, np.inf], [0, 0]]}, "finite"),
        ({"cost": "high"}, "square array of numbers"),
        ({"prior": [1.0]}, "2 shares that sum to 1"),
        ({"prior": "equal"}, "2 shares that sum to 1"),
        ({"abstain_cost": np.nan}, "abstain_cost must be"),
        ({"measure": "auc"}, "measure must be one of"),
    ],
)
def test_what_is_refused(arguments, words):
    with pytest.raises(ValueError, match=words):
        fit_decision([[0.5, 0.5], [0.2, 0.8]], [0, 1], **arguments)


def test_damaged_rules_are_refused():
    p, y, _ = noisy(50, 2)
    rule = fit_decision(p, y)
    rule._check_model_(2)
    for change in (
        {"factors": np.array([1.0, np.nan])},
        {"cost": np.eye(2)},
        {"factors": None},
        {"prior": np.array([0.5, 0.6])},
        {"abstain_cost": np.inf},
    ):
        with pytest.raises(ValueError):
            Decision(**(vars(rule) | change))._check_model_(2)


def test_shares_of_training_may_differ_from_those_of_the_rows():
    rng = np.random.default_rng(0)
    p, y = rng.dirichlet(np.ones(3), 200), rng.integers(0, 2, 200)
    trained = np.array([0.6, 0.3, 0.1])
    rule = fit_decision(p, y, measure="balanced_accuracy", trained=trained)
    assert np.allclose(rule.prior, trained)
    assert np.array_equal(rule.answers(p), (p / trained).argmax(axis=1))
    own = np.bincount(y, minlength=3) + [0.0, 0.0, 0.5]
    same = fit_decision(p, y, trained=own / own.sum())
    np.testing.assert_allclose(fit_decision(p, y).factors, same.factors)
