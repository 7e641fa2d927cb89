"""Costs of scores: compiled loops against twins, rounding that is right on average, draws."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.costs import score_twins as twins
from uneven.costs import _gradient_loops as loops
from uneven.costs import score_costs
from uneven.costs.score_costs import (
    LOSSES,
    LabelModel,
    ScoreCosts,
    axes_for,
    class_priority,
    lanes_for,
)
from uneven.utils.parallel import thread_pool

NONE = np.zeros((0, 0))


@st.composite
def processes(draw, max_rows=25, max_classes=18, noisy=None):
    """(costs, model, loss): scores of any size, weights, prices or noise."""
    loss = draw(st.sampled_from(sorted(LOSSES)))
    n_classes = draw(st.sampled_from([2, 3, 4, 7, 10, max_classes]))
    n = draw(st.integers(1, max_rows))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    noisy = draw(st.booleans()) if noisy is None else noisy
    prices, chances, class_weight = NONE, NONE, np.ones(n_classes)
    if noisy:
        chances = 0.4 * rng.dirichlet(np.ones(n_classes), n_classes).T + 0.6 * np.eye(n_classes)
        class_weight = rng.uniform(0.2, 3.0, n_classes)
    if draw(st.booleans()):
        prices = rng.uniform(0.1, 4.0, (n_classes, n_classes))
    weight = rng.gamma(0.7, size=n) * 10.0 ** draw(st.sampled_from([0, -150, 150]))
    y = rng.integers(0, n_classes, n).astype(np.int32)
    model = LabelModel(y, weight, prices, chances, class_weight)
    keys = rng.integers(0, 2**63, n).astype(np.uint64)
    costs = ScoreCosts(model, n_classes, loss, keys)
    scores = rng.normal(scale=draw(st.sampled_from([0.0, 1.0, 6.0])), size=(n, n_classes))
    costs.add(np.arange(n), scores)
    return costs, model, loss


def unit_weight(costs, model):
    """The model in the units in which the costs are kept: weights of mean 1."""
    weight = model.weight / costs._scale_back
    return LabelModel(model.y, weight, model.class_cost, model.chances, model.class_weight)


def axes(n_classes, seed):
    """The axes of a round as a matrix (n_classes, n_axes)."""
    found = axes_for(n_classes, seed)
    return found if len(found) > 1 else twins.running_axes(n_classes) * found


def pairs_of(costs, model, loss):
    return twins.pairs_of_rows(costs.P, unit_weight(costs, model), loss)


def close(found, expected, rtol=1e-6, quantum=0.0):
    expected = np.asarray(expected)
    atol = rtol * np.abs(expected).max(initial=1e-300) + quantum
    np.testing.assert_allclose(found, expected, rtol=rtol, atol=atol)


@given(processes())
def test_pair_costs_equal_the_slow_twin(process):
    costs, model, loss = process
    pairs = pairs_of(costs, model, loss)
    pull, owed, paid = np.empty((3, costs.n_classes))
    for i in range(costs.n_rows):
        stake = loops.pair_costs(i, costs.rows._rows, costs.rows._labels, pull, owed, paid)
        assert stake == pytest.approx(pairs[i].sum(), rel=1e-6)
        close(owed, pairs[i].sum(axis=1))
        close(paid, pairs[i].sum(axis=0))
    np.testing.assert_allclose(costs.rows._stakes, pairs.sum(axis=(1, 2)), rtol=1e-6)


@given(processes())
def test_losses_equal_the_slow_twin(process):
    costs, model, loss = process
    expected = twins.log_loss(costs.P, unit_weight(costs, model)) * costs._scale_back
    if loss == "exponential":
        expected = pairs_of(costs, model, loss).sum() * costs._scale_back
    assert costs.loss == pytest.approx(expected, rel=1e-5)
    assert costs.log_loss == pytest.approx(np.log(expected), abs=1e-5)


@given(processes(max_rows=4, max_classes=5, noisy=False))
def test_costs_are_the_gradient_of_the_loss(process):
    costs, model, loss = process
    model = unit_weight(costs, model)
    pairs = twins.pairs_of_rows(costs.P, model, loss)
    scores = np.log(costs.P.astype(np.float64))
    step = 1e-5

    def loss_at(k, change):
        moved = scores.copy()
        moved[:, k] += change
        P = np.exp(moved) / np.exp(moved).sum(axis=1, keepdims=True)
        if loss == "log":
            return twins.log_loss(P, model)
        return twins.pairs_of_rows(P, model, loss).sum()

    for k in range(costs.n_classes):
        slope = (loss_at(k, step) - loss_at(k, -step)) / (2.0 * step)
        gradient = pairs[:, :, k].sum() - pairs[:, k].sum()
        assert slope == pytest.approx(gradient, rel=1e-4, abs=1e-5 * pairs.sum())


def test_costs_of_noisy_labels_are_the_gradient_of_the_forward_corrected_loss():
    rng = np.random.default_rng(3)
    n, n_classes, step = 6, 4, 1e-5
    noise = 0.6 * np.eye(n_classes) + 0.1
    y = rng.integers(0, n_classes, n).astype(np.int32)
    model = LabelModel(y, rng.gamma(1.0, size=n), NONE, noise, np.ones(n_classes))
    scores = rng.normal(size=(n, n_classes))

    def at(k, change):
        moved = np.exp(scores + change * (np.arange(n_classes) == k))
        return moved / moved.sum(axis=1, keepdims=True)

    pairs = twins.pairs_of_rows(at(0, 0.0), model, "log")
    for k in range(n_classes):
        losses = [-(model.weight * np.log((noise[y] * at(k, h)).sum(axis=1))).sum()
                  for h in (step, -step)]  # fmt: skip
        gradient = pairs[:, :, k].sum() - pairs[:, k].sum()
        assert (losses[0] - losses[1]) / (2 * step) == pytest.approx(gradient, rel=1e-5)


@given(processes(), st.integers(1, 4), st.integers(0, 2**32 - 1))
def test_leaf_sums_equal_the_slow_twin(process, n_leaves, seed):
    costs, model, loss = process
    rng = np.random.default_rng(seed)
    leaf_of = rng.integers(-1, n_leaves, costs.n_rows).astype(np.int32)
    pairs = pairs_of(costs, model, loss)
    P = costs.P.astype(np.float64)
    owed, paid, curvature = costs.leaf_sums(leaf_of, n_leaves)
    matrices = costs.leaf_pairs(leaf_of, n_leaves)
    for leaf in range(n_leaves):
        rows = leaf_of == leaf
        quantum = rows.sum() / costs._scale
        close(matrices[leaf], pairs[rows].sum(axis=0), quantum=quantum)
        close(owed[leaf], pairs[rows].sum(axis=(0, 2)), quantum=quantum)
        close(paid[leaf], pairs[rows].sum(axis=(0, 1)), quantum=quantum)
        bent = pairs[rows].sum(axis=1) + pairs[rows].sum(axis=2)
        if loss == "log":
            bent = pairs[rows].sum(axis=1) * (1 - P[rows]) + pairs[rows].sum(axis=2) * P[rows]
        close(curvature[leaf], bent.sum(axis=0), 2e-6, 2 * quantum)


@given(processes(), st.integers(0, 25), st.integers(0, 2**32 - 1))
def test_sums_of_parts_add_up_exactly(process, cut, seed):
    costs = process[0]
    n, n_classes = costs.n_rows, costs.n_classes
    cut = min(cut, n)
    leaf_of = np.random.default_rng(seed).integers(-1, 3, n).astype(np.int32)
    given = (costs.rows._rows, costs.rows._labels, leaf_of, costs._scale)

    def sums(*parts):
        leaves = np.zeros((3, 3, n_classes), dtype=np.int64)
        matrices = np.zeros((3, n_classes, n_classes), dtype=np.int64)
        stakes = log_loss = 0
        for part in parts:
            loops.sum_leaves(*given, *leaves, *part)
            loops.sum_leaf_pairs(*given, matrices, *part)
            stakes += loops.sum_stakes(costs.rows._stakes, costs._scale, *part)
            log_loss += loops.sum_log_loss(costs.rows._rows, costs.rows._labels, 2.0**30, *part)
        return leaves, matrices, stakes, log_loss

    for whole, parted in zip(sums((0, n)), sums((cut, n), (0, cut))):
        np.testing.assert_array_equal(whole, parted)


@pytest.mark.parametrize("loss", sorted(LOSSES))
def test_threads_change_no_bit(loss, monkeypatch):
    monkeypatch.setattr(score_costs, "_PARALLEL_ENTRIES", 0)
    rng = np.random.default_rng(0)
    n, n_classes = 501, 5
    y = rng.integers(0, n_classes, n).astype(np.int32)
    model = LabelModel(y, rng.gamma(1.0, size=n), NONE, NONE, np.ones(n_classes))
    keys = rng.integers(0, 2**63, n).astype(np.uint64)
    leaf_of, scores = rng.integers(-1, 4, n), rng.normal(size=(4, n_classes))
    share = rng.random(n)
    found = []
    for n_jobs in (1, 2, 3):
        with thread_pool(n_jobs) as pool:
            costs = ScoreCosts(model, n_classes, loss, keys, pool)
            costs.add(leaf_of, scores)
            costs.add(leaf_of, scores, share)
            rows, values, *units = costs.gradients(7, 0.5)
            sums = [*costs.leaf_sums(leaf_of, 4), costs.leaf_pairs(leaf_of, 4)]
            parts = [costs.P, rows, values, np.array(units), np.array(costs.loss), *sums]
            found.append([part.tobytes() for part in parts])
    assert found[0] == found[1] == found[2]


@given(processes(), st.integers(0, 2**32 - 1))
def test_moves_equal_the_slow_twin(process, seed):
    costs = process[0]
    rng = np.random.default_rng(seed)
    leaf_of = rng.integers(-1, 3, costs.n_rows).astype(np.int32)
    scores = rng.normal(scale=5.0, size=(3, costs.n_classes))
    share = np.where(rng.random(costs.n_rows) < 0.3, 0.0, rng.random(costs.n_rows))
    before = costs.P.copy()
    for shares in (None, share):
        costs.P[:] = before
        costs.add(leaf_of, scores, shares)
        np.testing.assert_allclose(
            costs.P, twins.moved(before, leaf_of, scores, shares), rtol=1e-5, atol=1e-30
        )
        untouched = leaf_of < 0 if shares is None else (leaf_of < 0) | (shares == 0.0)
        np.testing.assert_array_equal(costs.P[untouched], before[untouched])
        assert (costs.P >= loops.FLOOR).all()


def test_whole_shares_are_plain_moves():
    rng = np.random.default_rng(0)
    y = rng.integers(0, 3, 40).astype(np.int32)
    model = LabelModel(y, np.ones(40), NONE, NONE, np.ones(3))
    leaf_of, scores = rng.integers(0, 4, 40), rng.normal(size=(4, 3))
    plain, shared = (ScoreCosts(model, 3, "log", np.arange(40, dtype=np.uint64)) for _ in "ab")
    plain.add(leaf_of, scores)
    shared.add(leaf_of, scores, np.ones(40))
    np.testing.assert_allclose(plain.P, shared.P, rtol=1e-6)
    odds = plain.scores - plain.scores[:, :1]
    np.testing.assert_allclose(odds, scores[leaf_of] - scores[leaf_of][:, :1], atol=1e-5)


@pytest.mark.parametrize("share", [None, np.ones(2)])
def test_probabilities_survive_any_number_of_rounds(share):
    model = LabelModel(np.array([0, 1], dtype=np.int32), np.ones(2), NONE, NONE, np.ones(3))
    costs = ScoreCosts(model, 3, "exponential", np.arange(2, dtype=np.uint64))
    for _ in range(30):
        costs.add(np.array([0, 0]), np.array([[24.0, -12.0, -12.0]]), share)
    assert np.isfinite(costs.P).all()
    assert 1e29 < costs.loss < 1e31
    rows, values, *_ = costs.gradients(0)
    assert rows.tolist() == [1]
    assert (np.abs(values) <= 32_767).all()


@given(st.integers(1, 40), st.floats(0.0, 2.0), st.integers(0, 2**32 - 1))
def test_drawn_rows_weigh_at_least_the_threshold(n, threshold, seed):
    rng = np.random.default_rng(seed)
    stakes, drawn = rng.random(n).astype(np.float32), np.flatnonzero(rng.random(n) < 0.7)
    threshold = np.float32(threshold)
    weights = np.maximum(stakes[drawn], threshold)
    total, highest, lowest = loops.weigh_drawn(stakes, drawn, threshold, 1e6, 0, len(drawn))
    assert total == (weights.astype(np.float64) * 1e6).astype(np.int64).sum()
    assert highest == weights.max(initial=0.0)
    assert lowest == stakes[drawn].min(initial=np.inf)


@given(processes(), st.integers(0, 2**31 - 2), st.sampled_from([1.0, 0.6, 0.2]))
def test_gradients_equal_the_slow_twin(process, seed, share):
    costs, model, loss = process
    pairs = pairs_of(costs, model, loss)
    rows, values, unit, curvature_unit = costs.gradients(seed, share)
    threshold, _ = costs.plan_draw(seed, share)
    drawn = twins.drawn_rows(costs.rows._stakes, costs.rows._keys, seed, threshold)
    assert rows.tolist() == drawn
    real = twins.gradient_values(
        pairs, costs.rows._stakes, costs.rows._keys, (seed, threshold), axes(costs.n_classes, seed),
        (1.0 / unit, 1.0 / curvature_unit), values.shape[1],
    )[rows]  # fmt: skip
    whole = values.astype(np.float64)
    slack = 1e-6 + 1e-6 * np.abs(real).max(initial=0.0)
    assert (whole <= real + slack).all()
    assert (real < whole + 1.0 + slack).all()
    assert (values[:, -1] >= 1).all()
    known, scales = values.copy(), (1.0 / unit, 1.0 / curvature_unit)
    _, placed = costs.rows.fill_gradients(seed, threshold, scales, in_place=True)
    assert len(placed) == (costs.n_rows if 2 * len(rows) > costs.n_rows else len(rows))
    np.testing.assert_array_equal(placed[rows if len(placed) > len(rows) else slice(None)], known)


@given(
    st.integers(1, 60),
    st.sampled_from([2, 3, 5, 9, 16, 17, 40]),
    st.floats(-30.0, 10.0),
    st.sampled_from([1.0, 0.5, 0.1]),
    st.sampled_from(sorted(LOSSES)),
    st.integers(0, 2**31 - 2),
)
def test_no_whole_number_overflows(n, n_classes, spread, share, loss, seed):
    """Weights over many powers of ten, rows that are as wrong as can be, whatever is drawn."""
    rng = np.random.default_rng(seed)
    y = rng.integers(0, n_classes, n).astype(np.int32)
    weight = 10.0 ** (spread * rng.random(n))
    model = LabelModel(y, weight, NONE, NONE, np.ones(n_classes))
    costs = ScoreCosts(model, n_classes, loss, rng.integers(0, 2**63, n).astype(np.uint64))
    costs.add(np.arange(n), rng.normal(scale=10.0, size=(n, n_classes)))
    rows, values, unit, curvature_unit = costs.gradients(seed, share)
    threshold, _ = costs.plan_draw(seed, share)
    heavy = np.maximum(costs.rows._stakes[rows], threshold).astype(np.float64)
    assert (np.sqrt(2.0) * heavy / unit + 1.0 <= 32_767).all()
    assert (2.0 * heavy / n_classes / curvature_unit + 1.0 <= 32_767).all()
    seen = np.linalg.norm(values[:, :-1] * unit, axis=1)
    longest = np.sqrt(2.0) if n_classes <= 8 else 2.0
    assert (seen <= longest * heavy * 1.001 + np.sqrt(values.shape[1]) * unit).all()
    assert 32_767.0 * unit <= 2.01 * np.sqrt(2.0) * heavy.max()
    owed, paid, curvature = costs.leaf_sums(np.zeros(n, dtype=np.int32), 1)
    assert min(owed.min(), paid.min(), curvature.min()) >= 0.0


@pytest.mark.parametrize("n_classes", [2, 3, 20])
def test_no_sum_of_many_rows_overflows(n_classes):
    n = 300_000
    y = (np.arange(n) % n_classes == 0).astype(np.int32)
    model = LabelModel(y, np.ones(n), NONE, NONE, np.ones(n_classes))
    costs = ScoreCosts(model, n_classes, "log", np.arange(n, dtype=np.uint64))
    _, values, *_ = costs.gradients(3)
    sums = np.abs(values.astype(np.int64)).sum(axis=0)
    assert sums.max() < 2**31
    assert sums.max() > 2**26


def test_rounding_is_right_on_average():
    rng = np.random.default_rng(1)
    n, n_classes, n_seeds = 12, 4, 4000
    y = rng.integers(0, n_classes, n).astype(np.int32)
    model = LabelModel(y, 10.0 ** rng.uniform(-8, 0, n), NONE, NONE, np.ones(n_classes))
    costs = ScoreCosts(model, n_classes, "log", rng.integers(0, 2**63, n).astype(np.uint64))
    costs.add(np.arange(n), rng.normal(size=(n, n_classes)))
    pairs = pairs_of(costs, model, "log")
    gradient = pairs.sum(axis=1) - pairs.sum(axis=2)
    expected = gradient @ axes(n_classes, 0)
    total, curvature = np.zeros(expected.shape), np.zeros(n)
    for seed in range(n_seeds):
        rows, values, unit, curvature_unit = costs.gradients(seed)
        total[rows] += values[:, : n_classes - 1] * unit
        curvature[rows] += values[:, -1] * curvature_unit
    spread = 4.5 * 1.3 / np.sqrt(n_seeds)
    assert (np.abs(total / n_seeds - expected) < spread * unit + 1e-9).all()
    expected = 2.0 * costs.rows._stakes / n_classes
    assert expected.min() < 0.1 * curvature_unit
    assert (np.abs(curvature / n_seeds - expected) < spread * curvature_unit + 1e-9).all()


def test_draws_are_right_on_average_and_as_many_as_asked_for():
    rng = np.random.default_rng(2)
    n, n_classes, share, n_seeds = 400, 3, 0.3, 300
    y = rng.integers(0, n_classes, n).astype(np.int32)
    model = LabelModel(y, rng.gamma(0.3, size=n), NONE, NONE, np.ones(n_classes))
    costs = ScoreCosts(model, n_classes, "log", rng.integers(0, 2**63, n).astype(np.uint64))
    stakes = costs.rows._stakes.astype(np.float64)
    threshold, _ = costs.plan_draw(0, share)
    drawn = np.zeros(n)
    for seed in range(n_seeds):
        drawn[costs.gradients(seed, share)[0]] += 1.0
    assert (drawn[stakes >= threshold] == n_seeds).all()
    drawn /= n_seeds
    chance = np.minimum(stakes / threshold, 1.0)
    deviation = np.sqrt(np.maximum(chance * (1.0 - chance), 1e-9) / n_seeds)
    assert (np.abs(drawn - chance) < 5.0 * deviation + 1e-9).all()
    assert 0.75 * share * n < drawn.sum() < 1.02 * share * n
    worth = (drawn * np.maximum(stakes, threshold))[stakes > 0].sum()
    assert worth == pytest.approx(stakes.sum(), rel=0.02)


@given(st.integers(0, 2**32 - 1), st.floats(0.01, 0.99))
def test_the_threshold_hardly_draws_more_than_asked_for(seed, share):
    """Stakes are counted in classes of size, whose ends are an eighth apart."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(1, 300))
    model = LabelModel(
        np.zeros(n, dtype=np.int32), 10.0 ** rng.uniform(-4, 4, n), NONE, NONE, np.ones(2)
    )
    costs = ScoreCosts(model, 2, "log", np.arange(n, dtype=np.uint64))
    threshold = costs._threshold(share)
    expected = np.minimum(costs.rows._stakes.astype(np.float64) / threshold, 1.0).sum()
    assert expected <= max(1.13 * share * n, 1.13)
    counts = np.zeros(2048, dtype=np.int64)
    loops.count_stakes(costs.rows._stakes, counts, 0, n)
    edges = (np.arange(2048, dtype=np.uint32) << np.uint32(20)).view(np.float32)
    expected = np.bincount(np.searchsorted(edges[:2041], costs.rows._stakes, side="right") - 1)
    np.testing.assert_array_equal(counts[: len(expected)], expected)
    assert counts.sum() == n


def test_masked_rows_are_never_drawn():
    model = LabelModel(np.zeros(9, dtype=np.int32), np.ones(9), NONE, NONE, np.ones(2))
    costs = ScoreCosts(model, 2, "log", np.arange(9, dtype=np.uint64))
    mask = np.arange(9) % 2 == 0
    assert costs.gradients(0, row_mask=mask)[0].tolist() == [0, 2, 4, 6, 8]
    assert costs.gradients(0)[0].tolist() == list(range(9))


def test_rows_without_weight_cost_nothing():
    y = np.array([0, 1, 1], dtype=np.int32)
    model = LabelModel(y, np.array([1.0, 0.0, 2.0]), NONE, NONE, np.ones(2))
    costs = ScoreCosts(model, 2, "exponential", np.arange(3, dtype=np.uint64))
    assert costs.loss == pytest.approx(3.0)
    assert costs.gradients(0)[0].tolist() == [0, 2]
    nobody = LabelModel(y, np.zeros(3), NONE, NONE, np.ones(2))
    silent = ScoreCosts(nobody, 2, "exponential", np.arange(3, dtype=np.uint64))
    assert silent.is_settled
    assert silent.log_loss == -np.inf
    assert len(silent.gradients(0)[0]) == 0
    assert not costs.is_settled


@pytest.mark.parametrize("n_classes", range(2, 9))
def test_axes_keep_all_lengths(n_classes):
    own = axes(n_classes, seed=0)
    assert own.shape[1] < lanes_for(n_classes)
    np.testing.assert_allclose(own.T @ own, np.eye(n_classes - 1), atol=1e-12)
    np.testing.assert_allclose(own.sum(axis=0), 0.0, atol=1e-12)


def test_many_classes_are_seen_on_random_axes_that_keep_lengths_on_average():
    gradient = np.random.default_rng(0).normal(size=40)
    lengths = [((gradient @ axes_for(40, seed)) ** 2).sum() for seed in range(3000)]
    assert np.mean(lengths) == pytest.approx((gradient**2).sum(), rel=0.05)
    assert not np.array_equal(axes_for(40, 0), axes_for(40, 1))
    np.testing.assert_array_equal(axes_for(40, 5), axes_for(40, 5))


@given(processes(noisy=True))
def test_the_most_probable_class_follows_labels_and_scores(process):
    costs, model, loss = process
    expected = [
        twins.belief(p, i, model, loss).argmax() for i, p in enumerate(costs.P.astype(np.float64))
    ]
    np.testing.assert_array_equal(costs.most_probable(), expected)


def test_right_labels_are_the_most_probable_ones():
    y = np.array([2, 0, 1], dtype=np.int32)
    model = LabelModel(y, np.ones(3), NONE, NONE, np.ones(3))
    costs = ScoreCosts(model, 3, "log", np.arange(3, dtype=np.uint64))
    costs.add(np.zeros(3, dtype=int), np.array([[5.0, 0.0, -5.0]]))
    np.testing.assert_array_equal(costs.most_probable(), y)


@pytest.mark.filterwarnings("error")
def test_priorities_are_one_on_average_over_examples():
    mass = np.array([90.0, 10.0, 0.0])
    units = np.maximum(mass, np.finfo(float).tiny)
    priority = class_priority(mass, units)
    assert (priority * mass).sum() == pytest.approx(mass.sum())
    assert priority[1] == pytest.approx(9.0 * priority[0])
    assert priority[2] == 1.0
    np.testing.assert_allclose(class_priority(mass, np.ones(3)), 1.0)
    assert class_priority(np.zeros(3), np.full(3, 1e-308)).tolist() == [1.0] * 3
