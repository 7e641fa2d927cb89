"""Linear voters beside NormCoMBo's boosts: when they are kept, and what they count for."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.model_selection import StratifiedKFold, cross_val_predict

from tests.boosting.test_norm_combo import same_model
from tests.boosting.test_norm_factors import judged_votes
from tests.callbacks import StopAfter
from uneven import NormComboClassifier
from uneven.boosting.norm import (
    Aim,
    Boost,
    OutOfBag,
    fit_mixture,
    fit_vote_factors,
    plan_boosts,
    with_linear_voters,
)
from uneven.costs.matrices import RunningCosts
from uneven.datasets import make_balance_scale
from uneven.metrics import confusion_norm
from uneven.metrics.confusion import matrix_norm
from uneven.voters import CostLinear, LinearVoter

SCALE = make_balance_scale()
X, Y = SCALE.data, SCALE.target


def enough_trees(**params):
    return NormComboClassifier(**({"n_estimators": 200, "random_state": 0} | params))


def make_bag(votes, y, mass=None, unseen=None):
    bag = OutOfBag(y, votes.shape[1], np.ones(len(y)) if mass is None else mass)
    bag.add_votes(votes, np.ones(len(y), dtype=bool) if unseen is None else unseen)
    return bag


def aim(n_classes, class_factors=True, accuracy_weight=1.0):
    return Aim(np.ones((n_classes, n_classes)), accuracy_weight, class_factors)


@st.composite
def two_bags(draw):
    """Two bags of the same rows, each of which knows some of them."""
    votes, y, mass = draw(judged_votes())
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    bags = []
    for scores in (votes, rng.random(votes.shape)):
        bags.append(OutOfBag(y, votes.shape[1], mass))
        bags[-1].add_votes(scores, rng.random(len(y)) < 0.7)
    return bags, y, mass


@settings(max_examples=40)
@given(two_bags(), st.sampled_from([0.0, 0.25, 0.5, 1.0]))
def test_a_blend_is_the_mean_of_mean_votes_on_rows_that_both_judged(case, share):
    (one, other), y, mass = case
    mixed = one.blend(other, share)
    for i in range(len(y)):
        a, b = one.votes[i], other.votes[i]
        both = a.any() and b.any()
        expected = (1 - share) * a / a.sum() + share * b / b.sum() if both else np.zeros(len(a))
        np.testing.assert_allclose(mixed.votes[i], expected, atol=1e-12)
    judged = one.judged & other.judged
    np.testing.assert_array_equal(mixed.judged, judged)
    factors = np.exp2(np.arange(mixed.votes.shape[1]) % 3 - 1)
    wrong = mass[judged & ((mixed.votes * factors).argmax(axis=1) != y)].sum()
    found = mixed.wrong(factors)
    assert found == pytest.approx(wrong / mass[judged].sum() if judged.any() else 0.0)
    prices = 1.0 + np.arange(len(factors))[:, None] * np.ones(len(factors))
    norm = matrix_norm(mixed.errors(factors) * prices)
    assert Aim(prices, 3.0, True).value(mixed, factors) == pytest.approx(norm + 3.0 * found)


def hesitant_trees(n_wrong):
    """Two classes of 500 rows; trees are a little wrong on some rows, linear voters never."""
    y = np.repeat([0, 1], 500)
    votes = np.eye(2)[y]
    wrong = np.arange(1000) % 500 < n_wrong
    votes[wrong] = 0.45 * votes[wrong] + 0.55 * (1 - votes[wrong])
    return make_bag(votes, y), make_bag(np.eye(2)[y], y)


@pytest.mark.parametrize(("n_wrong", "share"), [(0, 0.0), (4, 0.0), (6, 0.5), (50, 0.5)])
def test_half_of_the_vote_has_a_price(n_wrong, share):
    trees, linear = hesitant_trees(n_wrong)
    mixture = fit_mixture(trees, linear, aim(2, class_factors=False))
    assert mixture.share == share
    np.testing.assert_array_equal(mixture.factors, np.ones(2))
    assert mixture.bag.wrong(np.ones(2)) == (0.0 if share else 2 * n_wrong / 1000)
    without_price_of_errors = aim(2, class_factors=False, accuracy_weight=0.0)
    assert fit_mixture(trees, linear, without_price_of_errors).share == (
        0.5 if n_wrong > 9 else 0.0
    )


def test_linear_voters_that_do_not_help_get_nothing():
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1, 2], [200, 60, 20])
    votes = rng.random((280, 3)) + 0.5 * np.eye(3)[y] + [0.5, 0.1, 0.0]
    trees = make_bag(votes, y)
    alone = fit_vote_factors(*trees.judged_votes())
    for other in (votes, rng.random((280, 3)), np.eye(3)[(y + 1) % 3]):
        mixture = fit_mixture(trees, make_bag(other, y), aim(3))
        assert mixture.share == 0.0
        assert mixture.bag is trees
        np.testing.assert_array_equal(mixture.factors, alone)
    linear = make_bag(2.0 * np.eye(3)[y] + votes, y)
    mixture = fit_mixture(trees, linear, aim(3))
    assert mixture.share == 0.5
    mixed = trees.blend(linear, 0.5)
    np.testing.assert_array_equal(mixture.bag.votes, mixed.votes)
    assert aim(3).value(mixed, mixture.factors) < aim(3).value(trees, alone) - 0.02


@pytest.mark.parametrize("known", ["nobody", "linear", "trees", "both"])
def test_a_class_that_only_trees_have_judged_forbids_linear_voters(known):
    y = np.repeat([0, 1, 2], 40)
    guesses = np.random.default_rng(1).random((120, 3))
    unseen = [(y < 2) | (known in (who, "both")) for who in ("trees", "linear")]
    trees, linear = (
        make_bag(guesses, y, unseen=unseen[0]),
        make_bag(np.eye(3)[y], y, None, unseen[1]),
    )
    assert fit_mixture(trees, linear, aim(3)).share == (0.0 if known == "trees" else 0.5)
    nothing = OutOfBag(y, 3, np.ones(120))
    assert fit_mixture(trees, nothing, aim(3)).share == 0.0
    assert fit_mixture(nothing, linear, aim(3)).share == 0.0


@pytest.mark.parametrize(
    ("n_trees", "n_linear"),
    [(150, 0), (199, 0), (200, 4), (249, 4), (250, 5), (600, 12), (1250, 25)],
)
def test_there_is_a_linear_voter_for_50_trees(n_trees, n_linear):
    plan = plan_boosts(n_trees, 3, 6)
    boosts = with_linear_voters(plan)
    places = [k for k, boost in enumerate(boosts) if boost.has_linear]
    assert len(places) == n_linear
    assert [(b.n_trees, b.max_depth, b.column_share) for b in boosts] == [
        (b.n_trees, b.max_depth, b.column_share) for b in plan
    ]
    if n_linear:
        assert np.ptp(np.diff([-1, *places])) <= 1
        assert places[-1] == len(boosts) - 1
    assert not any(b.has_linear for b in NormComboClassifier(linear_voters=False)._boosts(3, 100))


@pytest.fixture(scope="module")
def mixed():
    return enough_trees().fit(X, Y)


@pytest.fixture(scope="module")
def trees_only():
    return enough_trees(linear_voters=False).fit(X, Y)


def linear_terms(model):
    return [t for t, term in enumerate(model.vote_.terms()) if isinstance(term.voter, LinearVoter)]


def test_linear_voters_hold_half_of_the_vote(mixed, trees_only):
    terms = linear_terms(mixed)
    assert mixed.linear_share_ == 0.5
    assert trees_only.linear_share_ == 0.0
    assert mixed.n_estimators_ == trees_only.n_estimators_ == mixed.history_["trees"].sum() == 200
    assert len(terms) == len(mixed.vote_) - mixed.n_estimators_ == 4
    assert set(terms) < {end - 1 for end in mixed.vote_.rounds}
    weights = mixed.vote_.weights / mixed.class_factors_
    n_boosts = len(mixed.vote_.rounds)
    np.testing.assert_allclose(weights[terms], n_boosts / 8)
    np.testing.assert_allclose(weights.sum(axis=0), n_boosts)
    answers = [mixed.vote_.term(t).voter.predict(X) for t in terms]
    spoken = trees_only.vote_.score(X) / trees_only.class_factors_ / n_boosts
    scores = spoken + np.mean([np.eye(3)[a] for a in answers], axis=0)
    np.testing.assert_allclose(
        mixed.vote_.score(X), scores * mixed.class_factors_ * n_boosts / 2, atol=1e-9
    )
    *_, last = mixed.staged_decision_function(X)
    np.testing.assert_allclose(last, mixed.decision_function(X))
    np.testing.assert_array_equal(mixed.history_["unseen_norm"], trees_only.history_["unseen_norm"])


@pytest.mark.slow
def test_linear_voters_lower_the_norm_where_the_problem_is_linear(mixed, trees_only):
    assert mixed.unseen_norm_ < trees_only.unseen_norm_ - 0.15
    assert mixed.unseen_norm_ == pytest.approx(matrix_norm(mixed.unseen_errors_))
    assert mixed.judged_.sum() < trees_only.judged_.sum()
    folds = StratifiedKFold(5, shuffle=True, random_state=0)
    with_linear, without = (
        confusion_norm(Y, cross_val_predict(model, X, Y, cv=folds))
        for model in (enough_trees(), enough_trees(linear_voters=False))
    )
    assert with_linear < without - 0.1


def test_where_they_do_not_help_nothing_is_left_of_them():
    rng = np.random.default_rng(0)
    corners = rng.normal(size=(250, 4))
    y = np.where(corners[:, 2] > 1.2, 2, (corners[:, 0] > 0) ^ (corners[:, 1] > 0))
    model, plain = (
        enough_trees(max_depth=2, linear_voters=flag).fit(corners, y) for flag in (True, False)
    )
    assert model.linear_share_ == 0.0
    assert len(model.vote_) == model.n_estimators_
    same_model(model, plain, corners)
    for name in ("class_factors_", "steering_cost_", "judged_", "unseen_norm_"):
        np.testing.assert_array_equal(getattr(model, name), getattr(plain, name))
    np.testing.assert_array_equal(model.vote_.rounds, plain.vote_.rounds)


class FewBoosts(NormComboClassifier):
    """Four boosts of two trees, a linear voter beside each; remembers the state of learning."""

    fails = ()

    def _boosts(self, n_classes, n_rows):
        return [Boost(2, 1, 1.0, has_linear=True)] * 4

    def _begin(self, table, rows):
        self._started = 0
        self._process = super()._begin(table, rows)
        return self._process

    def _boost(self, *args):
        self._started += 1
        return [] if self._started in self.fails else super()._boost(*args)


class EverySecondFails(FewBoosts):
    fails = (2, 4)


def slanted(n):
    rng = np.random.default_rng(0)
    table = rng.normal(size=(n, 6))
    return table, np.digitize(table.sum(axis=1), [-1.0, 2.5])


def test_seeds_and_n_jobs():
    table, y = slanted(12_000)
    one, two = (FewBoosts(random_state=0, n_jobs=n).fit(table, y) for n in (1, 2))
    assert one.linear_share_ == 0.5
    same_model(one, two, table)
    other = FewBoosts(random_state=1).fit(table, y)
    assert not np.array_equal(one.decision_function(table), other.decision_function(table))


def test_linear_voters_beside_boosts_that_find_nothing_are_not_heard():
    table, y = slanted(300)
    model = EverySecondFails(random_state=0).fit(table, y)
    assert model.linear_share_ == 0.5
    assert len(linear_terms(model)) == len(model.vote_.rounds) == 2
    assert model._process.learnt.unseen_by_linear.votes.sum(axis=1).max() == 2.0
    weights = model.vote_.weights / model.class_factors_
    np.testing.assert_allclose(weights[linear_terms(model)].sum(axis=0), 1.0)


class Guess(CostLinear):
    """Learns nothing."""

    def learn(self, table, columns, costs, seed=0):
        nothing = RunningCosts(table.y, table.n_classes, np.zeros(len(table.y)))
        return super().learn(table, columns, nothing)


def test_linear_voters_that_only_guess_are_dropped(monkeypatch):
    monkeypatch.setattr("uneven.boosting.norm_combo.CostLinear", Guess)
    model = FewBoosts(random_state=0).fit(*slanted(300))
    assert not model._process.learnt.linear
    assert not model._process.learnt.unseen_by_linear.judged.any()


def test_a_callback_can_stop_between_linear_voters():
    pytest.importorskip("sklearn.callback")
    watch = StopAfter(9, lambda model: model.decision_function(X))
    model = enough_trees().set_callbacks(watch).fit(X, Y)
    assert model.stop_reason_ == "a callback asked to stop"
    assert len(model.vote_.rounds) == 9
    assert model.linear_share_ == 0.5
    assert len(linear_terms(model)) == len(model.vote_) - model.n_estimators_ == 1
    weights = model.vote_.weights / model.class_factors_
    np.testing.assert_allclose(weights[linear_terms(model)], 4.5)


@pytest.mark.parametrize("known", [0, 30])
def test_rows_that_teach_nothing(known):
    table = np.full((60, 2), np.nan)
    table[:known] = np.arange(known)[:, None]
    y = np.repeat([0, 1], 30)
    prices = [[0.0, 0.0], [1.0, 0.0]]
    with pytest.warns(UserWarning, match="no weak learner is better than guessing"):
        model = enough_trees(class_cost=prices).fit(table, y)
    assert model.linear_share_ == 0.0
    assert len(model.vote_) == 0


def test_a_flag_is_true_or_false():
    with pytest.raises(ValueError, match="linear_voters must be True or False, got 'yes'"):
        enough_trees(linear_voters="yes").fit(X, Y)


class Drawn(FewBoosts):
    """Remembers the rows drawn."""

    def _draw(self, y, rng):
        self._draws = [*getattr(self, "_draws", []), super()._draw(y, rng)]
        return self._draws[-1]


def test_linear_voters_are_judged_where_they_drew_nothing():
    table, y = slanted(150)
    model = Drawn(random_state=0).fit(table, y)
    process = model._process
    votes = np.zeros((150, 3))
    for boost, drawn in enumerate(model._draws):
        answers = process.learnt.linear[boost].voter.predict(table)
        votes[drawn == 0] += np.eye(3)[answers[drawn == 0]]
    np.testing.assert_array_equal(process.learnt.unseen_by_linear.votes, votes)


def test_a_fit_counts_its_rows_for_the_depth():
    table, y = slanted(1100)
    depths = NormComboClassifier(n_estimators=4, random_state=0).fit(table, y).history_["depth"]
    assert set(depths) == {4, 7}


def test_the_mixture_has_factors_of_its_own():
    rng = np.random.default_rng(1)
    y = np.repeat(np.arange(4), [200, 60, 30, 10])
    lean = np.array([0.9, 0.3, 0.1, 0.0])
    trees = make_bag(rng.random((300, 4)) + lean, y)
    linear = make_bag(rng.random((300, 4)) + 0.4 * np.eye(4)[y] + lean, y)
    found = fit_mixture(trees, linear, aim(4))
    assert found.share == 0.5
    np.testing.assert_array_equal(found.factors, aim(4).factors(trees.blend(linear, 0.5)))
    assert not np.allclose(found.factors, aim(4).factors(trees))


def test_both_votes_are_compared_on_the_same_rows():
    """Trees err only where no linear voter has been asked."""
    y = np.tile([0, 1], 60)
    known = np.arange(120) < 60
    right = np.eye(2)[y]
    trees = make_bag(1.0 + 2.0 * np.where(known[:, None], right, 1.0 - right), y)
    linear = make_bag(right, y, unseen=known)
    assert trees.errors().max() == 0.5
    assert fit_mixture(trees, linear, aim(2)).share == 0.0
