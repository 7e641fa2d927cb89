"""Cost matrices: golden values, theorems, and the compiled loops against slow twins."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.problems import labelled_answers
from uneven.costs import (
    edge,
    example_distribution,
    exponential_costs,
    is_edge_over_random,
    line_search_weight,
    uniform_baseline,
    vote_weight,
)
from uneven.costs.matrices import FixedCosts, RunningCosts
from uneven.utils.parallel import thread_pool
from uneven.voters import CostTree, TrainingTable

Y = np.array([0, 0, 0, 1, 1, 2])
ANSWERS = np.array([[0, 0, 0, 1, 1, 1], [0, 0, 2, 2, 2, 2], [1, 0, 0, 1, 2, 2]])
GOLDEN = {
    "adaboost_mm": {
        "weights": np.ones(6),
        "edges": [0.75, 0.541885680, 0.604535235],
        "votes": [0.972955075, 0.606821327, 0.700263864],
        "losses": [12, 7.425396041, 6.025437080, 4.650601085],
    },
    "combo": {
        "weights": np.array([1 / 3, 1 / 3, 1 / 3, 1 / 2, 1 / 2, 1]),
        "edges": [0.5, 0.541917462, 0.593576563],
        "votes": [0.549306144, 0.606866321, 0.683170307],
        "losses": [6, 5.041451884, 4.090838157, 3.196742314],
    },
}


@pytest.mark.parametrize("method", sorted(GOLDEN))
def test_three_rounds_worked_by_hand(method):
    golden = GOLDEN[method]
    costs = RunningCosts(Y, 3, golden["weights"])
    for t, answers in enumerate(ANSWERS):
        slow, log_loss = exponential_costs(costs.scores, Y, golden["weights"])
        assert np.exp(costs.log_loss) == pytest.approx(golden["losses"][t], abs=1e-8)
        assert log_loss == pytest.approx(costs.log_loss, abs=1e-12)
        assert costs.edge(answers) == pytest.approx(golden["edges"][t], abs=1e-9)
        assert edge(slow, Y, answers) == pytest.approx(golden["edges"][t], abs=1e-9)
        vote = vote_weight(costs.edge(answers))
        assert vote == pytest.approx(golden["votes"][t], abs=1e-8)
        costs.add(answers, vote)
    assert np.exp(costs.log_loss) == pytest.approx(golden["losses"][3], abs=1e-8)
    assert costs.scores.argmax(axis=1).tolist() == [0, 0, 0, 1, 2, 2]


def test_final_cost_row_worked_by_hand():
    golden = GOLDEN["combo"]
    scores = np.zeros((6, 3))
    for answers, vote in zip(ANSWERS, golden["votes"]):
        scores[np.arange(6), answers] += vote
    costs, log_loss = exponential_costs(scores, Y, golden["weights"])
    row = costs[4] * np.exp(log_loss) / -costs[np.arange(6), Y].sum()
    np.testing.assert_allclose(row, [0.288675, -1.337409, 1.048734], atol=1e-6)


def test_vote_weights_of_the_three_line_toy():
    errors = np.array([0.30, 0.21, 0.14])
    votes = [vote_weight(1 - 2 * error) for error in errors]
    np.testing.assert_allclose(votes, [0.423649, 0.662463, 0.907645], atol=1e-6)


def test_vote_weights_never_explode_and_never_turn_negative():
    assert vote_weight(1.0) == pytest.approx(np.arctanh(1 - 1e-10))
    assert vote_weight(0.0) == vote_weight(-1.0) == 0.0
    assert line_search_weight(1.0, 0.0) == vote_weight(1.0)
    assert line_search_weight(0.0, 0.0) == line_search_weight(0.2, 0.7) == 0.0


def test_round_one_matrix():
    costs, log_loss = exponential_costs(np.zeros((6, 3)), Y, GOLDEN["combo"]["weights"])
    scale = np.exp(log_loss) / -costs[np.arange(6), Y].sum()
    expected = np.repeat(GOLDEN["combo"]["weights"][:, None], 3, axis=1)
    expected[np.arange(6), Y] *= -2
    np.testing.assert_allclose(costs * scale, expected)
    assert np.exp(log_loss) == pytest.approx(3 * 2)


@given(labelled_answers(), st.floats(0.01, 3.0), st.integers(0, 2**32 - 1))
def test_loss_after_any_vote_is_bounded_by_the_edge(problem, vote, seed):
    y, n_classes, answers = problem
    rng = np.random.default_rng(seed)
    scores = rng.normal(size=(len(y), n_classes))
    weights = rng.uniform(0.1, 2.0, len(y))
    costs, before = exponential_costs(scores, y, weights)
    delta = edge(costs, y, answers)
    scores[np.arange(len(y)), answers] += vote
    _, after = exponential_costs(scores, y, weights)
    factor = 0.5 * ((1 - delta) * np.exp(vote) + (1 + delta) * np.exp(-vote))
    assert after <= before + np.log(factor) + 1e-9


@given(labelled_answers(), st.integers(0, 2**32 - 1))
def test_published_vote_weight_shrinks_the_loss_by_root_one_minus_edge_squared(problem, seed):
    y, n_classes, answers = problem
    scores = np.random.default_rng(seed).normal(size=(len(y), n_classes))
    costs, before = exponential_costs(scores, y)
    delta = edge(costs, y, answers)
    if not 0 < delta < 1 - 1e-9:
        return
    scores[np.arange(len(y)), answers] += vote_weight(delta)
    _, after = exponential_costs(scores, y)
    bound = before + 0.5 * np.log1p(-(delta**2))
    assert after <= bound + 1e-9
    if n_classes == 2:
        assert after == pytest.approx(bound, abs=1e-9)


@given(labelled_answers(), st.integers(0, 2**32 - 1))
def test_line_search_weight_is_the_minimiser(problem, seed):
    y, n_classes, answers = problem
    scores = np.random.default_rng(seed).normal(size=(len(y), n_classes))
    running = RunningCosts(y, n_classes, np.ones(len(y)))
    running.scores[:] = scores
    running._refresh()
    right, wrong = running.right_and_wrong(answers)
    best = line_search_weight(right, wrong)
    if right <= wrong or wrong == 0:
        return

    def loss(vote):
        moved = scores.copy()
        moved[np.arange(len(y)), answers] += vote
        return exponential_costs(moved, y)[1]

    assert best >= vote_weight(right - wrong) - 1e-12
    others = [loss(best - 0.01), loss(best + 0.01), loss(vote_weight(right - wrong))]
    assert loss(best) <= min(others) + 1e-12


@given(labelled_answers(), st.integers(0, 2**32 - 1))
def test_edge_is_the_largest_advantage_of_a_uniform_baseline(problem, seed):
    y, n_classes, answers = problem
    scores = np.random.default_rng(seed).normal(size=(len(y), n_classes))
    costs, _ = exponential_costs(scores, y)
    delta = edge(costs, y, answers)
    paid = costs[np.arange(len(y)), answers].sum()
    assert -1 - 1e-12 <= delta <= 1 + 1e-12
    assert paid == pytest.approx((costs * uniform_baseline(y, n_classes, delta)).sum(), abs=1e-9)
    half_way = np.full((len(y), n_classes), 0.5 - delta / 2)
    half_way[np.arange(len(y)), y] += delta
    assert paid == pytest.approx((costs * half_way).sum(), abs=1e-9)
    assert is_edge_over_random(costs, y)
    assert not is_edge_over_random(-costs, y)


@given(labelled_answers())
def test_edges_of_constant_answers_in_round_one(problem):
    y, n_classes, _ = problem
    sizes = np.bincount(y)
    even, _ = exponential_costs(np.zeros((len(y), n_classes)), y)
    by_class, _ = exponential_costs(np.zeros((len(y), n_classes)), y, 1.0 / sizes[y])
    for c in range(n_classes):
        constant = np.full(len(y), c)
        share = sizes[c] / len(y)
        expected = (n_classes * share - 1) / (n_classes - 1)
        assert edge(even, y, constant) == pytest.approx(expected, abs=1e-12)
        assert edge(by_class, y, constant) == pytest.approx(0.0, abs=1e-12)


@given(labelled_answers(), st.floats(1e-6, 1e6))
def test_scaling_weights_or_doubling_the_sample_changes_no_edge(problem, factor):
    y, n_classes, answers = problem
    plain = RunningCosts(y, n_classes, np.ones(len(y))).edge(answers)
    scaled = RunningCosts(y, n_classes, np.full(len(y), factor)).edge(answers)
    doubled = RunningCosts(np.tile(y, 2), n_classes, np.ones(2 * len(y))).edge(np.tile(answers, 2))
    assert scaled == pytest.approx(plain, abs=1e-12)
    assert doubled == pytest.approx(plain, abs=1e-12)


@given(labelled_answers(), st.integers(1, 120), st.integers(0, 2**32 - 1))
def test_running_costs_follow_the_slow_twin(problem, n_rounds, seed):
    y, n_classes, _ = problem
    rng = np.random.default_rng(seed)
    weights = rng.uniform(0.0, 1.0, len(y)) * (rng.random(len(y)) < 0.9)
    if not weights.any():
        return
    factors = rng.uniform(0.5, 2.0, (n_classes, n_classes))
    running = RunningCosts(y, n_classes, weights, class_cost=factors)
    scores = np.zeros((len(y), n_classes))
    for _ in range(n_rounds):
        answers = rng.integers(-1, n_classes, len(y))
        vote = rng.uniform(0.0, 0.5, n_classes)
        share = rng.random(len(y)) if rng.random() < 0.5 else None
        running.add(answers, vote, share)
        spoken = np.flatnonzero(answers >= 0)
        step = vote[answers[spoken]] * (1.0 if share is None else share[spoken])
        scores[spoken, answers[spoken]] += step
    slow, log_loss = exponential_costs(scores, y, weights, factors)
    np.testing.assert_allclose(running.scores, scores, atol=1e-12)
    assert running.log_loss == pytest.approx(log_loss, abs=1e-9)
    fast = running.matrix[:, :n_classes]
    np.testing.assert_allclose(fast / -fast.min(), slow / -slow.min(), atol=1e-9)
    np.testing.assert_allclose(running.distribution(), example_distribution(slow, y), atol=1e-9)


@given(labelled_answers(), st.integers(1, 4), st.integers(0, 2**32 - 1))
def test_edges_of_several_answer_vectors_follow_the_slow_twin(problem, n_vectors, seed):
    y, n_classes, _ = problem
    rng = np.random.default_rng(seed)
    running = RunningCosts(y, n_classes, rng.uniform(0.5, 2.0, len(y)))
    answers = rng.integers(-1, n_classes, (n_vectors, len(y))).astype(np.int32)
    slow = [edge(running.matrix[:, :n_classes], running.y, vector) for vector in answers]
    np.testing.assert_allclose(running.edges(answers), slow, atol=1e-12)
    assert running.edge(answers[0]) == running.edges(answers)[0]
    right, wrong = running.right_and_wrong(answers[0])
    assert right - wrong == pytest.approx(running.edge(answers[0]), abs=1e-12)


def test_sums_of_snapped_costs_do_not_depend_on_the_order():
    rng = np.random.default_rng(0)
    y = rng.integers(0, 4, 5000)
    running = RunningCosts(y, 4, rng.exponential(size=5000) ** 8)
    running.add(rng.integers(0, 4, 5000), 1.3)
    matrix = running.matrix
    np.testing.assert_array_equal(matrix.sum(axis=0), matrix[rng.permutation(5000)].sum(axis=0))
    assert not matrix[:, :4].sum(axis=1).any()


def test_threads_change_nothing():
    rng = np.random.default_rng(1)
    y = rng.integers(0, 5, 60_000)
    answers = rng.integers(0, 5, (3, 60_000))

    def run(n_jobs):
        with thread_pool(n_jobs) as pool:
            running = RunningCosts(y, 5, np.ones(60_000), pool=pool)
            for row in answers:
                running.add(row, 0.7)
        return running

    one, two = run(1), run(2)
    np.testing.assert_array_equal(one.matrix, two.matrix)
    assert one.log_loss == two.log_loss


def test_thousands_of_confident_rounds_stay_finite():
    y = np.array([0, 1, 2, 0])
    running = RunningCosts(y, 3, np.ones(4))
    for _ in range(2000):
        running.add(y, 11.86)
    assert np.isfinite(running.matrix).all()
    assert running.log_loss == pytest.approx(np.log(8) - 2000 * 11.86, rel=1e-9)
    np.testing.assert_allclose(running.distribution(), 0.25)


def test_rows_without_weight_cost_nothing():
    running = RunningCosts(Y, 3, np.array([1.0, 1, 1, 0, 0, 1]))
    assert not running.matrix[3:5, :3].any()
    assert running.edge(np.array([0, 0, 0, 2, 2, 2])) == 1.0
    silent = RunningCosts(Y, 3, np.zeros(6))
    assert silent.edge(Y) == 0.0
    assert silent.log_loss == -np.inf
    assert edge(np.zeros((6, 3)), Y, Y) == 0.0


@given(labelled_answers())
def test_two_classes_pay_exactly_the_weighted_error(problem):
    y, n_classes, answers = problem
    if n_classes != 2:
        return
    costs, _ = exponential_costs(np.random.default_rng(0).normal(size=(len(y), 2)), y)
    weight = example_distribution(costs, y)
    assert edge(costs, y, answers) == pytest.approx(1 - 2 * weight[answers != y].sum(), abs=1e-12)


@given(labelled_answers(), st.integers(0, 2**32 - 1))
def test_fixed_costs_of_an_exponential_matrix_are_the_running_ones(problem, seed):
    y, n_classes, answers = problem
    rng = np.random.default_rng(seed)
    weights = rng.random(len(y)) + 0.1
    running = RunningCosts(y, n_classes, weights)
    running.add(rng.integers(0, n_classes, len(y)), 0.7)
    dense, _ = exponential_costs(running.scores, y, weights)
    fixed = FixedCosts(y, dense + rng.normal(size=(len(y), 1)), weights)
    assert fixed.edge(answers) == pytest.approx(running.edge(answers), abs=1e-9)
    np.testing.assert_allclose(fixed.distribution(), running.distribution(), atol=1e-9)
    columns = fixed.matrix[:, :n_classes]
    assert np.array_equal(columns.sum(axis=1), np.zeros(len(y)))
    assert np.array_equal(fixed.matrix, np.rint(fixed.matrix))
    assert np.array_equal(fixed.sums, fixed.matrix.sum(axis=0))


def test_a_tree_finds_the_cheapest_answers_for_any_prices():
    rng = np.random.default_rng(1)
    X = rng.integers(0, 4, (60, 1)).astype(float)
    y = rng.integers(0, 3, 60)
    prices = rng.random((60, 3))
    prices[np.arange(60), y] = prices.min(axis=1)
    table = TrainingTable(X, y, 3, np.ones(60))
    _, answers = CostTree(max_depth=3).learn(
        table, np.array([0]), FixedCosts(y, prices, np.ones(60))
    )
    paid = prices[np.arange(60), answers].sum()
    best = sum(prices[X[:, 0] == value].sum(axis=0).min() for value in range(4))
    assert paid == pytest.approx(best, abs=1e-9)


def test_prices_that_prefer_a_wrong_answer_are_refused():
    with pytest.raises(ValueError, match="costs less than the true label"):
        FixedCosts(np.array([0]), np.array([[1.0, 0.5]]), np.ones(1))
