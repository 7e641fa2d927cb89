"""Score trees: kernels against twins, and trees that do not depend on how they are grown."""

from dataclasses import replace

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

from tests.problems import tables
from tests.voters import score_twins as twins
from uneven.utils.parallel import ThreadPool, thread_pool
from uneven.voters import (
    TrainingTable,
    TreeVoter,
    _growth_loops,
    _row_loops,
    _score_loops,
    growing_tree,
)
from uneven.voters.cost_tree import CategoryTree, Forest
from uneven.voters.growing_tree import Gradients, cut_spans
from uneven.voters.row_codes import RowCodes
from uneven.voters.score_tree import ScoreTreeGrower

LANES = [2, 4, 8]
RULES = [(0.25, 0.5, 1.0, 0.0), (1.0, 1.0, 0.0, 0.0), (2.0**-6, 2.0**-5, 1.0, 0.1)]


def table_of(X, n_codes=None, pool=None):
    y = np.zeros(X.shape[0], dtype=np.int64)
    return TrainingTable(X, y, 2, np.ones(X.shape[0]), pool=pool or ThreadPool(), n_codes=n_codes)


def codes_of(X, n_codes=None, max_bins=255, columns=None):
    """Codes of a table; its categories are ordered by any classes."""
    columns = np.arange(X.shape[1]) if columns is None else columns
    codes = RowCodes.of(table_of(X, n_codes), columns, max_bins)
    mass = np.random.default_rng(0).integers(0, 30, (int(codes.first[-1]), 4))
    return codes.ordered(mass.astype(float)) if codes.is_category.any() else codes


def gradients_of(n, lanes, seed, share=1.0, size=3000):
    """Any whole numbers for all rows, each with a curvature of its own, and some of the rows."""
    rng = np.random.default_rng(seed)
    values = rng.integers(-size, size, (n, lanes)).astype(np.int16)
    values[:, -1] = rng.integers(1, size, n)
    rows = np.flatnonzero(rng.random(n) < share).astype(np.int32)
    return Gradients(rows if len(rows) else np.arange(n, dtype=np.int32), values, 2.0**-8, 2.0**-9)


def columns_of(codes):
    """What the loops know of the columns."""
    return codes.first, codes.n_bins, codes.has_missing, codes.is_category, codes.orders


def spans_of(codes):
    return [codes.span(c) for c in range(len(codes.columns))]


def bins_of(codes, column, rows, values):
    """Histogram of a column of dense codes by the twin, flat and 32 bits wide."""
    _, n_bins, has_missing = codes.span(column)
    sums = twins.histogram(codes.table[0][:, column], rows, values, n_bins + has_missing)
    return sums.astype(np.int32)


def grow(codes, gradients, max_leaves=8, max_depth=30, rule=(1.0, 0.1), n_jobs=1):
    drawn = replace(gradients, values=gradients.values[gradients.rows])
    with thread_pool(n_jobs) as pool:
        return ScoreTreeGrower(max_leaves, max_depth, *rule, pool).grow(codes, drawn)


def leaves_of(tree, codes):
    leaf_of = np.empty(codes.n_rows, dtype=np.int32)
    tree.route(codes, leaf_of, ThreadPool())
    return leaf_of


def parts(tree):
    """Everything about a tree but the order of its rows within leaves."""
    names = ("feature", "child", "label", "goes_left", "cut", "missing_left")
    return [getattr(tree, name).tobytes() for name in names]


def coded(codes, X):
    """Codes of other rows by the thresholds and sets of a table."""
    found = np.empty((len(X), len(codes.columns)), dtype=np.uint8)
    for c, column in enumerate(codes.columns):
        x, n_bins = X[:, column], codes.n_bins[c]
        if codes.is_category[c]:
            own = codes.category_codes[c]
            known = (x >= 0) & (x < len(own))
            found[:, c] = np.where(known, own[np.where(known, x, 0).astype(int)], n_bins)
        else:
            found[:, c] = np.where(np.isnan(x), n_bins, np.searchsorted(codes.cuts[c], x))
    return found


@st.composite
def category_tables(draw, max_rows=70):
    """(X, n_codes): columns of numbers and of categories, with missing values."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    n, d = draw(st.integers(4, max_rows)), draw(st.integers(1, 4))
    n_codes = np.where(rng.random(d) < 0.6, rng.integers(2, 9, d), 0)
    X = rng.normal(size=(n, d)).round(1)
    for c in np.flatnonzero(n_codes):
        X[:, c] = rng.integers(0, n_codes[c], n)
    X[rng.random((n, d)) < draw(st.sampled_from([0.0, 0.2]))] = np.nan
    return X, n_codes


@given(tables(max_columns=6), st.sampled_from(LANES), st.integers(0, 2**32 - 1))
def test_histograms_equal_the_slow_twin_dense_and_sparse(problem, lanes, seed):
    X = problem[0]
    dense, sparse = codes_of(X), codes_of(sp.csr_array(np.where(X == 0, 0.0, X)))
    np.testing.assert_array_equal(dense.columns, sparse.columns)
    assert spans_of(dense) == spans_of(sparse)
    d = len(dense.columns)
    if not d:
        return
    gradients = gradients_of(len(X), lanes, seed, share=0.7)
    rows, values = gradients.rows, gradients.values
    jobs = np.array([[0, len(rows), 0, -1]])
    for codes in (dense, sparse):
        for cut in range(d + 1):
            pool = np.full((1, int(codes.first[-1]) * lanes), 77, dtype=np.int32)
            totals = np.zeros((1, lanes), dtype=np.int32)
            _score_loops.sum_rows(rows, values, totals[0])
            np.testing.assert_array_equal(totals[0], values[rows].sum(axis=0, dtype=np.int32))
            for part in ((cut, d), (0, cut)):
                _score_loops.fill_histograms(
                    codes.table, rows, jobs, values, pool, totals, totals.copy(), *part
                )
            found = pool.reshape(-1, lanes)
            for c in range(d):
                own = found[codes.first[c] : codes.first[c + 1]]
                np.testing.assert_array_equal(own, bins_of(dense, c, rows, values))
            np.testing.assert_array_equal(totals[0], values[rows].sum(axis=0, dtype=np.int32))


@pytest.mark.parametrize("lanes", LANES)
def test_wide_histograms_are_filled_block_by_block(lanes):
    """One row of a block of columns at a time; the blocks together are all columns."""
    n_columns = 1200 // lanes
    codes = codes_of(np.random.default_rng(0).normal(size=(300, n_columns)))
    gradients = gradients_of(300, lanes, 1)
    assert int(codes.first[-1]) * lanes * 4 > 2 * _score_loops._BLOCK_BYTES
    pool = np.zeros((1, int(codes.first[-1]) * lanes), dtype=np.int32)
    _score_loops._accumulate_dense(
        codes.table[0], codes.first, gradients.rows, gradients.values, pool[0], 0, n_columns
    )
    for c in (0, 1, n_columns // 2 - 1, n_columns // 2, n_columns - 1):
        own = pool[0].reshape(-1, lanes)[codes.first[c] : codes.first[c + 1]]
        np.testing.assert_array_equal(own, bins_of(codes, c, gradients.rows, gradients.values))


@given(tables(), st.sampled_from(LANES), st.sampled_from(RULES), st.integers(0, 2**32 - 1))
def test_the_best_cut_is_that_of_the_slow_twin(problem, lanes, rule, seed):
    codes = codes_of(problem[0])
    gradients = gradients_of(codes.n_rows, lanes, seed, share=0.6)
    scratch = _score_loops.scan_room(lanes)
    for c in range(len(codes.columns)):
        _, n_bins, has_missing = codes.span(c)
        bins = bins_of(codes, c, gradients.rows, gradients.values)
        total = bins.sum(axis=0, dtype=np.int32)
        padded = np.concatenate([np.full(lanes, 99, dtype=np.int32), bins.ravel()])
        found = _score_loops.scan_column(
            padded, (1, n_bins, has_missing), total, rule, *scratch[:6]
        )
        assert found == twins.best_cut(bins, n_bins, rule)


def bins_of_categories(seed, lanes, n_bins):
    rng = np.random.default_rng(seed)
    bins = rng.integers(-2000, 2000, (n_bins, lanes)).astype(np.int32)
    bins[:, -1] = rng.integers(1, 2000, n_bins)
    bins[rng.random(n_bins) < 0.2] = 0
    return bins


@given(st.integers(1, 7), st.booleans(), st.integers(0, 2**32 - 1))
def test_two_classes_get_the_best_of_all_sets_of_categories(n_bins, has_missing, seed):
    bins = bins_of_categories(seed, 2, n_bins + has_missing)
    rule = (1.0, 1.0, 0.0, 0.0)
    total, scratch = bins.sum(axis=0, dtype=np.int32), _score_loops.scan_room(2)
    means = bins[:, 0] / np.maximum(bins[:, 1], 1)
    order = means.argsort(kind="stable")
    orders = order[None].astype(np.uint8)
    found, cut, _ = _score_loops.scan_categories(bins.ravel(), 0, orders, total, rule, *scratch)
    assert found == pytest.approx(twins.best_set(bins, rule), rel=1e-5)
    if cut >= 0:
        left = bins[order[: cut + 1]].sum(axis=0)
        assert found == twins.gain(left, total, rule)


@given(
    st.integers(2, 9), st.integers(1, 4), st.sampled_from(LANES), st.sampled_from(RULES),
    st.integers(0, 2**32 - 1),
)  # fmt: skip
def test_categories_are_cut_along_the_best_of_their_orders(n_bins, n_orders, lanes, rule, seed):
    bins, rng = bins_of_categories(seed, lanes, n_bins), np.random.default_rng(seed)
    orders = np.array([rng.permutation(n_bins) for _ in range(n_orders)], dtype=np.uint8)
    total, scratch = bins.sum(axis=0, dtype=np.int32), _score_loops.scan_room(lanes)
    padded = np.concatenate([np.full(lanes, 99, dtype=np.int32), bins.ravel()])
    gain, cut, _ = _score_loops.scan_categories(padded, 1, orders, total, rule, *scratch)
    cuts = [twins.best_cut(bins[order], n_bins, rule) for order in orders]
    number = int(np.argmax([found[0] for found in cuts]))
    assert gain == cuts[number][0]
    assert cut == (256 * number + cuts[number][1] if gain > -1.0 else -1)


@given(category_tables(), st.sampled_from(LANES), st.sampled_from(RULES), st.integers(0, 2**32 - 1))
def test_small_nodes_find_what_histograms_find(problem, lanes, rule, seed):
    X, n_codes = problem
    codes = codes_of(X, n_codes)
    d = len(codes.columns)
    if not d:
        return
    gradients = gradients_of(len(X), lanes, seed)
    rng = np.random.default_rng(seed)
    rows = rng.permutation(len(X)).astype(np.int32)
    middle = int(rng.integers(0, len(X) + 1))
    values, size = gradients.values, int(codes.first[-1]) * lanes
    columns = columns_of(codes)

    def room(n):
        return np.full((n, d), 9.0), np.full((n, d), 9), np.zeros((n, d), dtype=bool)

    pool, totals = np.zeros((3, size), dtype=np.int32), np.zeros((3, lanes), dtype=np.int32)
    root = np.array([[0, len(X), 0, -1]])
    found = room(2)
    everything = (codes.table, columns, rows)
    _score_loops.examine_nodes(
        *everything, root, values, pool, totals, totals[[0]], rule, found, 0, d
    )
    children = np.array([[0, middle, 1, 0]])
    parents = totals[[0]]
    siblings = room(2)
    _score_loops.examine_nodes(
        *everything, children, values, pool, totals, parents, rule, siblings, 0, d
    )
    spans = np.array([[0, len(X)], [0, middle], [middle, len(X)]])
    small, sums = room(3), np.empty((3, lanes), dtype=np.int32)
    _score_loops.examine_small_nodes(
        codes.table[0], columns, rows, spans, values, sums, rule, small, 0, d
    )
    np.testing.assert_array_equal(sums, [values[rows[a:b]].sum(axis=0) for a, b in spans])
    np.testing.assert_array_equal(totals[:2], sums[[2, 1]])
    for mine, root_found, sibling in zip(small, found, siblings):
        np.testing.assert_array_equal(mine[0], root_found[0])
        np.testing.assert_array_equal(mine[1:], sibling)
    best = np.empty((3, 5))
    _score_loops.best_columns(small, sums, rule, best)
    unit, curvature_unit, l2, _ = rule
    for s in range(3):
        column = small[0][s].argmax()
        total = sums[s].astype(float)
        unsplit = (total[:-1] ** 2).sum() * unit**2 / (total[-1] * curvature_unit + l2 + 1e-300)
        above = small[0][s, column] - unsplit
        expected = [above if above > 1e-6 * unsplit else 0.0, column, small[1][s, column],
                    small[2][s, column], sums[s, -1]]  # fmt: skip
        np.testing.assert_allclose(best[s], expected, rtol=1e-9, atol=1e-9 * unsplit)


@given(
    category_tables(), st.sampled_from(LANES), st.booleans(), st.booleans(),
    st.integers(0, 2**32 - 1),
)  # fmt: skip
def test_sides_of_a_split_equal_the_slow_twin(problem, lanes, keeps, missing_left, seed):
    """Whether the node keeps its histogram or not."""
    codes = codes_of(*problem)
    if not len(codes.columns):
        return
    gradients, rng = gradients_of(codes.n_rows, lanes, seed, share=0.6), np.random.default_rng(seed)
    column = int(rng.integers(len(codes.columns)))
    first, n_bins, _ = codes.span(column)
    bins = bins_of(codes, column, gradients.rows, gradients.values)
    columns = columns_of(codes)
    is_category = bool(codes.is_category[column])
    number, order = 0, np.arange(n_bins)
    if is_category:
        number = int(rng.integers(len(codes.orders)))
        order = codes.orders[number, first : codes.first[column + 1]]
    cut = int(rng.integers(len(order)))
    rows = gradients.rows
    data = (codes.table, columns, gradients.values, rows, np.empty_like(rows))
    pool = np.full((2, int(codes.first[-1]) * lanes), 77, dtype=np.int32)
    pool[1, first * lanes : first * lanes + bins.size] = bins.ravel()
    facts = np.zeros((3, _growth_loops.N_FACTS), dtype=np.int64)
    split = (column, 256 * number + cut, missing_left)
    facts[2] = 0, len(rows), 0, 1 if keeps else -1, *split, bins[:, -1].sum(), 0
    nodes = (facts, np.zeros(3), np.ones((3, 256), dtype=bool))
    _growth_loops.choose_sides(data, pool, nodes, 2)
    expected = twins.sides(bins, n_bins, is_category, order, cut, missing_left)
    np.testing.assert_array_equal(nodes[2][2], expected)


@given(tables(), st.integers(0, 2**32 - 1))
def test_partition_and_codes_equal_the_slow_twin_dense_and_sparse(problem, seed):
    X = problem[0]
    rng = np.random.default_rng(seed)
    spans = np.sort(rng.integers(0, len(X) + 1, 4)).reshape(2, 2)
    goes_left = rng.random((2, 256)) < 0.5
    chunks = cut_spans(spans, int(rng.integers(1, 9)))
    for table in (X, sp.csc_array(np.where(X == 0, 0.0, X))):
        codes = codes_of(table)
        for c in range(len(codes.columns)):
            rows = rng.permutation(len(X)).astype(np.int32)
            own = codes_of(X).table[0][:, c]
            for i in range(len(X)):
                assert _row_loops.code_of(codes.table, i, c) == own[i]
            expected, expected_middles = rows.copy(), []
            for (start, stop), sides in zip(spans, goes_left):
                inside = rows[start:stop]
                left = sides[own[inside]]
                expected[start:stop] = np.concatenate([inside[left], inside[~left]])
                expected_middles.append(start + left.sum())
            buffer, n_left = np.empty_like(rows), np.empty(len(chunks), dtype=np.int64)
            columns = np.array([c, c])
            for k in rng.permutation(len(chunks)):
                _row_loops.split_chunks(
                    codes.table, rows, buffer, chunks, columns, goes_left, n_left, k, k + 1
                )
            targets, middles = _row_loops.place_chunks(spans, chunks, n_left)
            _row_loops.join_chunks(rows, buffer, chunks, n_left, targets, 0, len(chunks))
            assert middles.tolist() == expected_middles
            np.testing.assert_array_equal(rows, expected)


@given(tables(), st.integers(0, 2**32 - 1))
def test_leaves_of_rows_that_are_not_moved_equal_the_slow_twin(problem, seed):
    X = problem[0]
    n, rng = len(X), np.random.default_rng(seed)
    start, stop = np.sort(rng.integers(0, n + 1, 2)).tolist()
    sides, names = rng.random(256) < 0.5, rng.permutation(n).astype(np.int32)
    for table in (X, sp.csc_array(np.where(X == 0, 0.0, X))):
        codes = codes_of(table)
        for c in range(len(codes.columns)):
            rows = rng.permutation(n).astype(np.int32)
            found, expected = np.full((2, n), -1, dtype=np.int32)
            given_rows = (codes.table, rows, names, start, stop)
            _row_loops.mark_sides(*given_rows, c, sides, (5, 3), found)
            for i in rows[start:stop]:
                expected[names[i]] = 5 if sides[_row_loops.code_of(codes.table, i, c)] else 3
            np.testing.assert_array_equal(found, expected)
            given_rows = (codes.table, rows, names[:0], start, stop)
            _row_loops.mark_sides(*given_rows, c, sides, (5, 3), found)
            asked = rows[start:stop]
            np.testing.assert_array_equal(found[asked], expected[names[asked]])


@given(
    tables(max_rows=60), st.sampled_from(LANES), st.integers(2, 9), st.integers(1, 4),
    st.sampled_from([(1.0, 0.1), (0.0, 0.0), (5.0, 3.0)]), st.integers(0, 2**32 - 1),
)  # fmt: skip
def test_trees_are_those_of_the_slow_twin(problem, lanes, max_leaves, max_depth, rule, seed):
    codes = codes_of(problem[0])
    gradients = gradients_of(codes.n_rows, lanes, seed, share=0.8)
    tree = grow(codes, gradients, max_leaves, max_depth, rule)
    columns = [(n, bool(m)) for n, m in zip(codes.n_bins, codes.has_missing)]
    expected = twins.leaf_of_rows(
        codes.table[0], columns, gradients.rows.tolist(), gradients.values,
        (gradients.unit, gradients.curvature_unit, *rule), max_leaves, max_depth,
    )  # fmt: skip
    found = {frozenset(tree.rows[a:b].tolist()) for a, b in tree.spans}
    assert found == expected
    assert tree.n_leaves <= max_leaves
    assert all(len(leaf) for leaf in found)
    assert tree.voter(codes).depth <= max_depth


@given(
    category_tables(), st.sampled_from(LANES), st.integers(2, 40), st.sampled_from([2, 30]),
    st.integers(0, 2**32 - 1),
)  # fmt: skip
def test_ways_of_growing_do_not_matter(problem, lanes, max_leaves, max_depth, seed):
    """Small nodes or large ones, one split at a time or several ahead: the same tree."""
    X, n_codes = problem
    codes = codes_of(X, n_codes)
    gradients = gradients_of(len(X), lanes, seed, share=0.9)
    whole = (codes, gradients, max_leaves, max_depth)
    expected = grow(*whole)
    with pytest.MonkeyPatch.context() as patch:
        for few in (0.0, 0.1, 0.5):
            patch.setattr(growing_tree, "_FEW_ROWS", few)
            assert parts(grow(*whole)) == parts(expected)
            for name, value in (("_PARALLEL_ADDITIONS", 0), ("_AHEAD", 1), ("_LARGE", 0.0)):
                patch.setattr(growing_tree, name, value)
                assert parts(grow(*whole, n_jobs=2)) == parts(expected)
            for by_rows in (0, 10**9):
                patch.setattr(growing_tree, "_BY_ROWS", by_rows)
                assert parts(grow(*whole, n_jobs=3)) == parts(expected)


@given(
    category_tables(), st.sampled_from(LANES), st.integers(2, 40), st.integers(1, 6), st.randoms()
)
def test_nodes_may_be_split_ahead_in_any_order(problem, lanes, max_leaves, ahead, chance):
    """Whatever a thread takes next, the nodes that stay split are those whose turn came."""

    def next_node(self):
        known = self.busy | self.carried | self.dropped
        waiting = [number for _, number in self.waiting if number not in known]
        n_ahead = len(self.carried) - len(self.taken)
        is_early = bool(waiting) and n_ahead < min(self.n_ahead, self._left)
        return chance.choice(waiting) if is_early else self.turns[0][2]

    codes = codes_of(*problem)
    whole = (codes, gradients_of(codes.n_rows, lanes, chance.randrange(2**32)), max_leaves)
    expected = parts(grow(*whole))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(growing_tree, "_PARALLEL_ADDITIONS", 0)
        patch.setattr(growing_tree, "_LARGE", 10.0)
        patch.setattr(growing_tree, "_AHEAD", ahead)
        patch.setattr(ThreadPool, "map", lambda self, jobs, worth=True: [job() for job in jobs])
        patch.setattr(growing_tree.GrowingTree, "_next_node", next_node)
        assert parts(grow(*whole, n_jobs=2)) == expected


@given(tables(max_rows=60), st.sampled_from(LANES), st.integers(2, 40), st.integers(0, 2**32 - 1))
def test_sparse_trees_are_dense_trees(problem, lanes, max_leaves, seed):
    X = problem[0]
    gradients = gradients_of(len(X), lanes, seed, share=0.9)
    dense, sparse = codes_of(X), codes_of(sp.csr_array(np.where(X == 0, 0.0, X)))
    expected = grow(dense, gradients, max_leaves)
    for n_jobs in (1, 2):
        tree = grow(sparse, gradients, max_leaves, n_jobs=n_jobs)
        assert parts(tree) == parts(expected)
        np.testing.assert_array_equal(leaves_of(tree, sparse), leaves_of(expected, dense))
    voter = expected.voter(dense)
    same = tree.voter(sparse)
    np.testing.assert_array_equal(voter.threshold, same.threshold)
    np.testing.assert_array_equal(same.predict(sp.csr_array(X)), leaves_of(expected, dense))


@pytest.mark.parametrize("n_columns", [2, 3, 7])
def test_threads_do_not_matter(n_columns, monkeypatch):
    """Also where there are fewer columns than threads."""
    monkeypatch.setattr(growing_tree, "_PARALLEL_ADDITIONS", 0)
    monkeypatch.setattr(growing_tree, "_FEW_ROWS", 0.05)
    X = np.random.default_rng(0).normal(size=(4000, n_columns))
    X[::7, 0] = np.nan
    codes, gradients = codes_of(X), gradients_of(4000, 4, 1, size=300)
    expected = parts(grow(codes, gradients, max_leaves=40))
    for n_jobs in (2, 3, 4, 5) * 6:
        assert parts(grow(codes, gradients, max_leaves=40, n_jobs=n_jobs)) == expected


@given(
    category_tables(), st.sampled_from(LANES), st.integers(2, 12), st.sampled_from([3, 255]),
    st.integers(0, 2**32 - 1),
)  # fmt: skip
def test_voters_route_values_as_trees_route_codes(problem, lanes, max_leaves, max_bins, seed):
    X, n_codes = problem
    codes = codes_of(X, n_codes, max_bins)
    gradients = gradients_of(len(X), lanes, seed, share=0.5)
    tree = grow(codes, gradients, max_leaves)
    voter = tree.voter(codes)
    leaf_of = leaves_of(tree, codes)
    np.testing.assert_array_equal(voter.predict(X), leaf_of)
    marked = np.full(len(X), 99, dtype=np.int32)
    half = len(X) // 2
    _row_loops.mark_leaves(tree.rows, tree.spans, marked, half, len(X))
    assert np.all(marked[:half] == 99)
    _row_loops.mark_leaves(tree.rows, tree.spans, marked, 0, half)
    is_drawn = np.isin(np.arange(len(X)), gradients.rows)
    np.testing.assert_array_equal(marked, np.where(is_drawn, leaf_of, -1))

    rng = np.random.default_rng(seed)
    fresh = X[rng.integers(0, len(X), 60)]
    for c in range(X.shape[1]):
        fresh[:, c] = rng.permutation(fresh[:, c])
        if n_codes[c]:
            fresh[:6, c] = [n_codes[c], n_codes[c] + 3, -1.0, 1e12, -1e12, np.nan]
        else:
            fresh[:20, c] += rng.choice([-1e300, -0.05, 0.0, 0.05, 1e300], 20)
    for c, column in enumerate(codes.columns):
        if len(codes.cuts[c]) and not codes.is_category[c]:
            at = rng.choice(codes.cuts[c], 20)
            fresh[20:40, column] = np.nextafter(at, at + rng.integers(-1, 2, 20))
    table = (coded(codes, fresh), *codes.table[1:])
    expected = np.full(len(fresh), -1, dtype=np.int32)
    _row_loops.route_rows(table, *tree.routes(), expected, 0, len(fresh))
    np.testing.assert_array_equal(voter.predict(fresh), expected)
    again = Forest.pack([TreeVoter.constant(0), voter, voter]).tree(1)
    assert type(again) is type(voter)
    np.testing.assert_array_equal(again.predict(fresh), expected)


def test_routing_leaves_known_rows_alone():
    codes = codes_of(np.arange(6.0)[:, None])
    tree = grow(codes, gradients_of(6, 2, 3), 3, rule=(0.0, 0.0))
    assert tree.n_leaves == 3
    leaf_of = np.array([-1, 7, -1, 7, -1, -1], dtype=np.int32)
    _row_loops.route_rows(codes.table, *tree.routes(), leaf_of, 0, 5)
    expected = leaves_of(tree, codes)
    assert leaf_of[[1, 3]].tolist() == [7, 7]
    assert leaf_of[5] == -1
    np.testing.assert_array_equal(leaf_of[[0, 2, 4]], expected[[0, 2, 4]])


def test_one_question_divides_categories_in_any_order():
    """Numbers would need three questions to tell 0, 3 and 5 from the others."""
    category = np.repeat(np.arange(6.0), 20)
    values = np.zeros((120, 2), dtype=np.int16)
    values[:, 0] = np.where(np.isin(category, [0, 3, 5]), 1000, -1000)
    values[:, 1] = 500
    gradients = Gradients(np.arange(120, dtype=np.int32), values, 0.01, 0.01)
    codes = codes_of(category[:, None], np.array([6]))
    told = np.isin(np.arange(6), [0, 3, 5])
    codes = codes.ordered(20.0 * np.stack([told, ~told], axis=1))
    tree = grow(codes, gradients, max_leaves=30)
    assert tree.n_leaves == 2
    voter = tree.voter(codes)
    assert isinstance(voter, CategoryTree)
    answers = voter.predict(np.arange(6.0)[:, None])
    assert (answers == answers[0]).tolist() == [True, False, False, True, False, True]
    assert grow(codes_of(category[:, None]), gradients, max_leaves=30).n_leaves > 2


def test_more_than_254_categories_share_a_code_of_the_rarest():
    rng = np.random.default_rng(0)
    n_categories = 400
    counts = np.where(np.arange(n_categories) < 200, 8, 2)
    category = rng.permutation(np.repeat(np.arange(n_categories), counts)).astype(float)
    codes = codes_of(category[:, None], np.array([n_categories]))
    own = codes.category_codes[0]
    assert codes.n_bins[0] == own.max() + 1 == 254
    assert len(np.unique(own[:200])) == 200
    assert (np.bincount(own)[:253] == 1).all()
    assert (own[own == 253]).size == n_categories - 253
    np.testing.assert_array_equal(codes.table[0][:, 0], own[category.astype(int)])
    tree = grow(codes, gradients_of(len(category), 4, 5), 20)
    voter = tree.voter(codes)
    np.testing.assert_array_equal(voter.predict(category[:, None]), leaves_of(tree, codes))


def test_missing_values_of_training_go_to_the_side_that_suits_them():
    x = np.repeat([0.0, 1.0, np.nan], 30)
    values = np.full((90, 2), 400, dtype=np.int16)
    values[:30, 0] = -400
    gradients = Gradients(np.arange(90, dtype=np.int32), values, 0.01, 0.01)
    codes = codes_of(x[:, None])
    voter = grow(codes, gradients, 2).voter(codes)
    assert voter.predict(np.array([[1.0], [np.nan], [0.0]])).tolist() == [1, 1, 0]
    values[60:, 0] = -400
    voter = grow(codes, gradients, 2).voter(codes)
    assert voter.predict(np.array([[1.0], [np.nan], [0.0]])).tolist() == [1, 0, 0]


@pytest.mark.parametrize("heavy", [0, 1])
def test_missing_values_that_are_new_follow_most_of_the_curvature(heavy):
    x = np.repeat([0.0, 1.0], 30)
    values = np.full((60, 2), 300, dtype=np.int16)
    values[:30, 0] = -300
    values[30 * heavy : 30 * heavy + 30, 1] = 500
    for n_codes in (None, np.array([2])):
        codes = codes_of(x[:, None], n_codes)
        tree = grow(codes, Gradients(np.arange(60, dtype=np.int32), values, 0.01, 0.01), 2)
        voter = tree.voter(codes)
        answers = voter.predict(np.array([[np.nan], [float(heavy)], [1.0 - heavy]]))
        assert answers[0] == answers[1] != answers[2]


def test_a_split_off_of_missing_values_only():
    x = np.array([3.0] * 20 + [np.nan] * 20)
    values = np.full((40, 2), 300, dtype=np.int16)
    values[:20, 0] = -300
    gradients = Gradients(np.arange(40, dtype=np.int32), values, 0.01, 0.01)
    for table in (x[:, None], sp.csr_array(x[:, None])):
        codes = codes_of(table)
        voter = grow(codes, gradients, 2).voter(codes)
        asked = np.array([[3.0], [np.nan], [-1e300], [np.finfo(float).max]])
        assert voter.predict(asked).tolist() == [0, 1, 0, 0]


def test_columns_that_tell_nothing_apart_are_left_out():
    X = np.column_stack([np.full(8, 2.0), np.arange(8.0), np.full(8, np.nan), np.arange(8.0) // 4])
    for table in (X, sp.csr_array(X)):
        assert codes_of(table).columns.tolist()[:1] == [1]
        assert 0 not in codes_of(table).columns
    flat = codes_of(np.ones((8, 2)))
    assert len(flat.columns) == 0
    tree = grow(flat, gradients_of(8, 2, 0, share=0.5), 5)
    assert tree.n_leaves == 1
    assert leaves_of(tree, flat).tolist() == [0] * 8
    assert tree.voter(flat).predict(np.ones((2, 2))).tolist() == [0, 0]


@given(category_tables(), st.integers(0, 2**32 - 1), st.booleans())
def test_some_columns_are_coded_as_in_the_whole_table(problem, seed, sparse):
    X, n_codes = problem
    kept = np.sort(np.random.default_rng(seed).permutation(X.shape[1])[: 1 + seed % X.shape[1]])
    table = sp.csr_array(X) if sparse else X
    n_codes = None if sparse else n_codes
    whole, part = codes_of(table, n_codes), codes_of(table, n_codes, columns=kept)
    places = np.flatnonzero(np.isin(whole.columns, kept))
    taken = whole.take_columns(places)
    rows = np.flatnonzero(np.random.default_rng(seed).random(len(X)) < 0.7)
    for some in (rows, np.arange(len(X))):
        drawn = whole.take(some, places, ThreadPool())
        assert spans_of(drawn) == spans_of(part)
        for i, row in enumerate(some):
            for c in range(len(places)):
                mine = _row_loops.code_of(drawn.table, i, c)
                assert mine == _row_loops.code_of(part.table, row, c)
    np.testing.assert_array_equal(taken.columns, part.columns)
    for mine, other in zip(taken.table, part.table):
        if mine.size or other.size:
            np.testing.assert_array_equal(mine, other)
    assert spans_of(taken) == spans_of(part)
    assert taken.is_category.tolist() == part.is_category.tolist()
    for c in range(len(places)):
        np.testing.assert_array_equal(taken.cuts[c], part.cuts[c])
        np.testing.assert_array_equal(
            taken.category_codes.get(c, []), part.category_codes.get(c, [])
        )


def test_max_bins_is_honoured():
    X = np.random.default_rng(0).normal(size=(500, 2))
    for max_bins in (2, 5, 255):
        assert (codes_of(X, max_bins=max_bins).n_bins <= max_bins).all()
        assert (codes_of(sp.csr_array(X), max_bins=max_bins).n_bins <= max_bins + 1).all()


def test_sides_are_never_too_light():
    codes = codes_of(np.random.default_rng(0).normal(size=(200, 3)))
    gradients = gradients_of(200, 4, 2)
    curvature = gradients.values[:, -1] * gradients.curvature_unit
    for least in (0.0, 5.0, 60.0):
        tree = grow(codes, gradients, 60, rule=(0.0, least))
        weights = np.bincount(leaves_of(tree, codes), weights=curvature)
        assert weights.min() >= least
    assert tree.n_leaves < 10
