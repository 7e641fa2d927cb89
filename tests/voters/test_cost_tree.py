"""Cost trees: kernels against twins, exactness of stumps, sparse equals dense."""

from unittest.mock import patch

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

from tests.problems import gaussian_classes, tables
from tests.voters import twins
from uneven.costs import TIE, edge, exponential_costs
from uneven.costs.matrices import RunningCosts
from uneven.utils.parallel import ThreadPool, thread_pool
from uneven.voters import CostTree, TrainingTable, TreeVoter, _split_loops, binned_tables
from uneven.voters.binned_tables import Level
from uneven.voters.cost_tree import Forest

CRITERIA = {"cost": _split_loops.COST, "least_squares": _split_loops.LEAST_SQUARES}


def costs_for(y, n_classes, seed):
    """Running costs after a random round, so that no two rows cost the same."""
    rng = np.random.default_rng(seed)
    running = RunningCosts(y, n_classes, rng.uniform(0.2, 1.0, len(y)))
    running.add(rng.integers(0, n_classes, len(y)), rng.uniform(0.1, 1.0, n_classes))
    return running


def whole_table(running, criterion, tie):
    """The first level of a tree: all rows in one slot."""
    everyone = np.zeros(0, dtype=np.int32)
    totals = running.sums[None]
    return Level(everyone, running.matrix, totals, running.n_classes, criterion, tie)


def learn(X, y, n_classes, running, n_jobs=1, **params):
    with thread_pool(n_jobs) as pool:
        table = TrainingTable(X, y, n_classes, np.ones(len(y)), pool=pool)
        return CostTree(**params).learn(table, np.arange(X.shape[1]), running)


@pytest.mark.parametrize("kind", ["histograms", "entries", "sparse"])
@given(tables(), st.integers(0, 2**32 - 1), st.sampled_from(sorted(CRITERIA)))
def test_best_splits_equal_the_slow_twin(kind, problem, seed, criterion):
    X, y, n_classes = problem
    running = costs_for(y, n_classes, seed)
    n_slots = 3
    slots = np.random.default_rng(seed).integers(-1, n_slots, len(y)).astype(np.int32)
    dense = TrainingTable(X, y, n_classes, np.ones(len(y))).binned
    stored = sp.csc_array(np.where(X == 0, 0.0, X)) if kind == "sparse" else X
    binned = TrainingTable(stored, y, n_classes, np.ones(len(y))).binned
    totals = np.array([running.matrix[slots == s].sum(axis=0) for s in range(n_slots)])
    tie = TIE * running.stake if criterion == "cost" else TIE
    level = Level(slots, running.matrix, totals, n_classes, CRITERIA[criterion], tie)
    few_rows = 0 if kind == "histograms" else 1024
    for f in range(X.shape[1]):
        with patch.object(binned_tables, "_FEW_ROWS", few_rows):
            found = binned.best_splits(level, np.array([f]), ThreadPool())
        for s in range(n_slots):
            rows = slots == s
            codes, matrix = dense.codes[f, rows], running.matrix[rows]
            value, cut, side = twins.best_split(
                codes, matrix, dense.n_bins[f], n_classes, criterion, tie
            )
            assert found.cut[s] == cut
            if cut >= 0:
                assert found.value[s] == pytest.approx(value, rel=1e-9, abs=1e-9 * running.stake)
                if (codes == 255).any():
                    assert found.missing_left[s] == side
                left = np.where(codes == 255, found.missing_left[s], codes <= cut)
                np.testing.assert_array_equal(found.left[s], matrix[left].sum(axis=0))


@given(tables(max_columns=6), st.integers(0, 2**32 - 1), st.sampled_from(sorted(CRITERIA)))
def test_splitting_the_columns_into_parts_changes_nothing(problem, seed, criterion):
    X, y, n_classes = problem
    running = costs_for(y, n_classes, seed)
    binned = TrainingTable(X, y, n_classes, np.ones(len(y))).binned
    tie = TIE * running.stake if criterion == "cost" else TIE
    level = whole_table(running, CRITERIA[criterion], tie)

    def best(columns):
        return binned.best_splits(level, columns, ThreadPool())

    whole = best(np.arange(X.shape[1]))
    parts = best(np.array([0]))
    for f in range(1, X.shape[1]):
        parts = parts.or_cheaper(best(np.array([f])), level)
    for name in vars(whole):
        np.testing.assert_array_equal(getattr(parts, name), getattr(whole, name))


@given(tables(max_columns=6), st.integers(0, 2**32 - 1), st.sampled_from(sorted(CRITERIA)),
       st.floats(0.0, 0.95), st.booleans())  # fmt: skip
def test_every_way_to_search_chooses_the_same_splits(problem, seed, criterion, share, sparse):
    X, y, n_classes = problem
    rng = np.random.default_rng(seed)
    X = np.where(rng.random(X.shape) < share, rng.choice([0.0, np.nan]), X)
    running = costs_for(y, n_classes, seed)
    slots = rng.integers(-1, 5, len(y)).astype(np.int32)
    totals = np.array([running.matrix[slots == s].sum(axis=0) for s in range(5)])
    tie = TIE * running.stake if criterion == "cost" else TIE
    level = Level(slots, running.matrix, totals, n_classes, CRITERIA[criterion], tie)
    found = []
    for few_rows, table in ((0, X), (1024, sp.csc_array(X) if sparse else X)):
        binned = TrainingTable(table, y, n_classes, np.ones(len(y))).binned
        for room in (0, 10**6):
            ways = {"_FEW_ROWS": few_rows, "_KEPT_NUMBERS": room}
            with patch.multiple(binned_tables, **ways):
                found.append(binned.best_splits(level, np.arange(X.shape[1]), ThreadPool()))
    splits = np.isfinite(found[0].value)
    for other in found[1:]:
        for name in ("value", "cut", "missing_left", "left"):
            np.testing.assert_array_equal(getattr(other, name), getattr(found[0], name))
        np.testing.assert_array_equal(other.column[splits], found[0].column[splits])


@given(tables(), st.integers(0, 2**32 - 1))
def test_a_stump_pays_the_least_that_any_stump_can_pay(problem, seed):
    X, y, n_classes = problem
    running = costs_for(y, n_classes, seed)
    costs = running.matrix[:, :n_classes]
    tree, answers = learn(X, y, n_classes, running, max_depth=1)
    paid = costs[np.arange(len(y)), answers].sum()
    assert paid <= twins.cheapest_stump_cost(X, costs) + 10 * TIE * running.stake
    assert running.edge(answers) >= -1e-9
    np.testing.assert_array_equal(tree.predict(X), answers)


@given(tables(), st.integers(0, 2**32 - 1), st.integers(1, 5),
       st.sampled_from(sorted(CRITERIA)))  # fmt: skip
def test_trees_answer_on_raw_values_what_they_learnt_on_codes(problem, seed, depth, criterion):
    X, y, n_classes = problem
    running = costs_for(y, n_classes, seed)
    tree, answers = learn(X, y, n_classes, running, max_depth=depth, criterion=criterion)
    np.testing.assert_array_equal(tree.predict(X), answers)
    np.testing.assert_array_equal(twins.tree_answers(tree, X), answers)
    np.testing.assert_array_equal(tree.predict(sp.csr_array(X)), answers)
    for leaf in np.flatnonzero(tree.is_leaf):
        assert 0.0 <= tree.reach[leaf] <= 1.0
    sizes = np.bincount(y, minlength=n_classes)
    right = np.bincount(y[answers == y], minlength=n_classes) / np.maximum(sizes, 1)
    leaves = tree.is_leaf
    reached = np.bincount(tree.label[leaves], weights=tree.reach[leaves], minlength=n_classes)
    np.testing.assert_allclose(reached, right, atol=1e-12)


@given(tables(max_rows=60), st.integers(0, 2**32 - 1), st.integers(1, 3))
def test_sparse_and_dense_columns_grow_the_same_tree(problem, seed, depth):
    X, y, n_classes = problem
    X = np.where(X < 2, 0.0, X)
    running = costs_for(y, n_classes, seed)
    dense, _ = learn(X, y, n_classes, running, max_depth=depth)
    sparse, _ = learn(sp.csr_array(X), y, n_classes, running, max_depth=depth)
    for name in ("feature", "threshold", "child", "label"):
        np.testing.assert_array_equal(getattr(sparse, name), getattr(dense, name))


@pytest.mark.parametrize("kind", [np.asarray, sp.csr_array])
@given(tables(max_rows=60), st.integers(0, 2**32 - 1))
def test_rows_taken_out_grow_the_tree_of_rows_without_weight(kind, problem, seed):
    X, y, n_classes = problem
    X = np.where(X < 2, 0.0, X)
    rng = np.random.default_rng(seed)
    weights = rng.uniform(0.2, 1.0, len(y)) * (rng.random(len(y)) < 0.6)
    weights[0] = 1.0
    rows = np.flatnonzero(weights)
    table = TrainingTable(kind(X), y, n_classes, rng.uniform(0.5, 2.0, len(y)))
    part = table.take(rows)
    np.testing.assert_array_equal(part.mass, table.mass[rows])
    columns = np.arange(X.shape[1])
    whole, answers = CostTree().learn(table, columns, RunningCosts(y, n_classes, weights))
    taken, theirs = CostTree().learn(part, columns, RunningCosts(y[rows], n_classes, weights[rows]))
    for name in ("feature", "threshold", "missing_left", "child", "label"):
        np.testing.assert_array_equal(getattr(taken, name), getattr(whole, name))
    np.testing.assert_array_equal(theirs, answers[rows])
    n_bins = table.binned.n_bins
    for f in range(X.shape[1]):
        for cut in range(n_bins[f]):
            assert part.binned.threshold(f, cut) == table.binned.threshold(f, cut)


@given(tables(), st.integers(0, 2**32 - 1))
def test_deeper_trees_by_cost_never_pay_more(problem, seed):
    X, y, n_classes = problem
    running = costs_for(y, n_classes, seed)
    paid = [
        -running.edge(learn(X, y, n_classes, running, max_depth=d, criterion="cost")[1])
        for d in (1, 2, 3)
    ]
    assert paid[1] <= paid[0] + 1e-9
    assert paid[2] <= paid[1] + 1e-9


def test_least_squares_sees_what_the_greedy_criterion_cannot():
    X = np.array([[0, 0], [0, 1], [1, 0], [1, 1]] * 10, dtype=float)
    X = np.vstack([X, [[0, 0]]])
    y = np.logical_xor(X[:, 0], X[:, 1]).astype(int)
    running = RunningCosts(y, 2, np.ones(len(y)))
    _, greedy = learn(X, y, 2, running, max_depth=2, criterion="cost")
    _, squares = learn(X, y, 2, running, max_depth=2)
    assert running.edge(squares) == 1.0
    assert running.edge(greedy) < 0.5


def test_off_diagonal_costs_decide_which_mistake_is_made():
    y = np.array([0, 0, 1, 2])
    X = np.zeros((4, 1))
    price = np.ones((3, 3))
    price[0, 1] = price[2, 1] = 0.01
    running = RunningCosts(y, 3, np.ones(4), class_cost=price)
    _, answers = learn(X, y, 3, running, max_depth=1)
    costs, _ = exponential_costs(np.zeros((4, 3)), y, class_cost=price)
    cheapest = costs.sum(axis=0).argmin()
    assert set(answers) == {cheapest}
    assert edge(costs, y, answers) == pytest.approx(running.edge(answers))


@pytest.mark.parametrize("n_classes", [2, 3, 4, 7, 8, 9, 26])
def test_threads_and_lane_counts_change_nothing(n_classes):
    X, y = gaussian_classes([1200] * n_classes, n_features=40)
    running = RunningCosts(y, n_classes, np.ones(len(y)))
    one, answers_one = learn(X, y, n_classes, running, max_depth=3)
    two, answers_two = learn(X, y, n_classes, running, n_jobs=2, max_depth=3)
    np.testing.assert_array_equal(answers_one, answers_two)
    np.testing.assert_array_equal(one.threshold, two.threshold)
    costs = running.matrix[:, :n_classes]
    root_left = X[:, one.feature[0]] <= one.threshold[0]
    expected = -sum(
        (costs[side].sum(axis=0) ** 2).sum() / side.sum() for side in (root_left, ~root_left)
    )
    binned = TrainingTable(X, y, n_classes, np.ones(len(y))).binned
    level = whole_table(running, _split_loops.LEAST_SQUARES, TIE)
    found = binned.best_splits(level, np.arange(40), ThreadPool())
    assert found.value[0] == pytest.approx(expected, rel=1e-9)


def test_missing_values_learn_their_side():
    X = np.array([[0.0], [1.0], [np.nan], [np.nan], [5.0], [6.0]])
    y = np.array([0, 0, 1, 1, 1, 1])
    running = RunningCosts(y, 2, np.ones(6))
    tree, answers = learn(X, y, 2, running, max_depth=1)
    np.testing.assert_array_equal(answers, y)
    assert tree.predict(np.array([[np.nan]])) == [1]
    flipped, _ = learn(X, np.array([0, 0, 0, 0, 1, 1]), 2, RunningCosts(
        np.array([0, 0, 0, 0, 1, 1]), 2, np.ones(6)), max_depth=1)  # fmt: skip
    assert flipped.predict(np.array([[np.nan]])) == [0]


def test_missing_against_present_is_a_split():
    X = np.array([[0.0], [3.0], [1.0], [np.nan], [np.nan]])
    y = np.array([0, 0, 0, 1, 1])
    tree, answers = learn(X, y, 2, RunningCosts(y, 2, np.ones(5)), max_depth=1)
    np.testing.assert_array_equal(answers, y)
    assert tree.predict(np.array([[1e300], [np.nan]])).tolist() == [0, 1]


def test_unknown_criterion_is_named():
    X, y = gaussian_classes([5, 5])
    with pytest.raises(ValueError, match=r"'gini'.*least_squares"):
        learn(X, y, 2, RunningCosts(y, 2, np.ones(10)), criterion="gini")


@given(tables(max_rows=30), st.integers(0, 2**32 - 1), st.integers(1, 6))
def test_a_packed_forest_votes_like_its_trees(problem, seed, n_trees):
    X, y, n_classes = problem
    rng = np.random.default_rng(seed)
    trees = [learn(X, y, n_classes, costs_for(y, n_classes, seed + t), max_depth=1 + t % 3)[0]
             for t in range(n_trees)]  # fmt: skip
    weights = rng.random((n_trees, n_classes))
    view_mask = rng.random((len(X), 2)) < 0.7
    view = rng.integers(-1, 2, n_trees)
    expected = np.zeros((len(X), n_classes))
    for t, tree in enumerate(trees):
        answers = twins.tree_answers(tree, X)
        speaks = np.ones(len(X), bool) if view[t] < 0 else view_mask[:, view[t]]
        expected[np.flatnonzero(speaks), answers[speaks]] += weights[t, answers[speaks]]
    forest = Forest.pack(trees)
    for table in (X, sp.csr_array(X)):
        scores = np.zeros((len(X), n_classes))
        forest.add_votes(table, weights, scores, view_mask=view_mask, view=view)
        np.testing.assert_allclose(scores, expected, atol=1e-12)
    again = forest.tree(n_trees - 1)
    assert isinstance(again, TreeVoter)
    np.testing.assert_array_equal(again.predict(X), trees[-1].predict(X))
