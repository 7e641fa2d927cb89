"""Perceptrons that only look at the rows an oracle shows them: bounds, twins, both views."""

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from tests.linear.cases import separable_binary, whole_tables
from tests.versionspace import error_twins
from uneven.linear import NotSeparableError, hard_margin
from uneven.versionspace import (
    ORACLES,
    error_rule,
    fed_perceptron,
    largest_error,
    localise,
    priorities,
)
from uneven.versionspace._loops import CYCLIC, LOWEST_MARGIN, RANDOM, correct_cuts
from uneven.versionspace.compression import PICK_CODES

E27 = np.array([[0.06037, -0.01458], [-0.03553, -0.07829]])


@settings(max_examples=60, deadline=None)
@given(
    st.integers(0, 10**6),
    st.integers(2, 8),
    st.sampled_from(sorted(ORACLES)),
    st.sampled_from(sorted(PICK_CODES)),
    st.booleans(),
)
def test_updates_are_bounded_by_radius_and_margin(seed, n_features, oracle, pick, sparse):
    Z, _ = separable_binary(seed, n_samples=40, n_features=n_features)
    found = localise(
        sp.csr_array(Z) if sparse else Z, oracle, pick=pick, rng=np.random.default_rng(seed)
    )
    radius = np.linalg.norm(Z, axis=1).max()
    assert found.converged
    assert (Z @ found.w > 0).all()
    assert len(found.cuts) <= found.updates.sum() <= (radius / hard_margin(Z).margin) ** 2
    assert (found.updates >= 1).all()
    assert len(set(found.cuts.tolist())) == len(found.cuts)
    assert found.counts.sum() == found.updates.sum()
    np.testing.assert_allclose(found.counts @ Z[found.cuts], found.w, atol=1e-9)


@settings(max_examples=100, deadline=None)
@given(hnp.arrays(float, st.tuples(st.integers(2, 5), st.just(2)), elements=st.integers(-20, 20)))
def test_the_bound_holds_on_tiny_samples(Z):
    try:
        margin = hard_margin(Z).margin
    except NotSeparableError:
        return
    bound = (np.linalg.norm(Z, axis=1).max() / margin) ** 2 * (1 + 1e-9)
    for oracle in ("largest_error", "smallest_error", "first_error"):
        assert localise(Z, oracle).updates.sum() <= bound


def printed(Z):
    """Updates of the algorithm as printed: w is divided by its length before it goes on."""
    w, shown, updates = np.zeros(2), [], 0
    while (row := largest_error(Z @ w)) is not None:
        shown.append(row)
        while (Z[shown] @ w).min() <= 0:
            w = w + Z[shown[int((Z[shown] @ w).argmin())]]
            updates += 1
        w = w / np.linalg.norm(w)
    return updates


def test_going_on_from_weights_of_unit_length_breaks_the_bound():
    bound = (np.linalg.norm(E27, axis=1).max() / hard_margin(E27).margin) ** 2
    assert bound == pytest.approx(3.5625, abs=1e-3)
    assert printed(E27) == 4
    assert printed(E27[::-1]) == 5
    for Z in (E27, E27[::-1]):
        assert localise(Z).updates.sum() == 2


@settings(max_examples=60, deadline=None)
@given(whole_tables(max_classes=2), st.sampled_from(sorted(ORACLES)))
def test_both_views_are_one_algorithm(case, oracle):
    X, y, _ = case
    Z = X * (2 * y - 1)[:, None]
    cutting = localise(Z, oracle, max_updates=200, rng=np.random.default_rng(1))
    feeding = fed_perceptron(Z, oracle, max_updates=200, rng=np.random.default_rng(1))
    assert cutting.converged == feeding.converged
    if cutting.converged:
        assert cutting.cuts.tolist() == feeding.cuts.tolist()
        assert cutting.updates.tolist() == feeding.updates.tolist()
        assert cutting.counts.tolist() == feeding.counts.tolist()
        assert cutting.w.tolist() == feeding.w.tolist()


@pytest.mark.parametrize("oracle", sorted(ORACLES))
def test_both_views_are_one_algorithm_on_random_rows(oracle):
    for seed in range(5):
        Z, _ = separable_binary(seed, n_samples=200, n_features=6)
        cutting = localise(Z, oracle, rng=np.random.default_rng(seed))
        feeding = fed_perceptron(Z, oracle, rng=np.random.default_rng(seed))
        assert cutting.cuts.tolist() == feeding.cuts.tolist()
        assert cutting.updates.tolist() == feeding.updates.tolist()


@settings(max_examples=60, deadline=None)
@given(
    hnp.arrays(float, st.tuples(st.integers(1, 6), st.just(3)), elements=st.integers(-3, 3)),
    st.sampled_from(["lowest_margin", "cyclic"]),
    st.integers(1, 40),
)
def test_the_compiled_corrections_agree_with_their_twin(rows, pick, limit):
    gram = rows @ rows.T
    counts = np.zeros(len(rows), dtype=np.int64)
    margins = np.zeros(len(rows))
    rng = np.random.default_rng(0)
    done = correct_cuts(gram, PICK_CODES[pick], rng, limit, counts, margins)
    log, expected = error_twins.correct(gram, pick, limit, np.zeros(len(rows), dtype=int))
    assert done == len(log)
    assert counts.tolist() == expected
    assert margins.tolist() == (gram @ counts).tolist()


def test_random_corrections_visit_all_cuts_in_orders_of_their_own():
    gram = np.eye(6) * 2 - 0.2
    firsts = set()
    for seed in range(30):
        counts, margins = np.zeros(6, dtype=np.int64), np.zeros(6)
        rng = np.random.default_rng(seed)
        assert correct_cuts(gram, RANDOM, rng, 1, counts, margins) == 1
        firsts.add(int(counts.argmax()))
        correct_cuts(gram, RANDOM, rng, 1000, counts, margins)
        assert (margins > 0).all()
    assert firsts == set(range(6))
    assert len({LOWEST_MARGIN, CYCLIC, RANDOM}) == 3


@given(
    hnp.arrays(
        float, st.tuples(st.integers(1, 5), st.integers(1, 4)), elements=st.floats(-9, 9, width=16)
    ),
    st.integers(0, 2**62),
)
def test_priorities_agree_with_their_twin_and_ignore_neighbours(rows, seed):
    found = priorities(rows, np.random.default_rng(seed))
    drawn = int(np.random.default_rng(seed).integers(2**63))
    assert found.tolist() == [error_twins.mark(row, drawn) for row in rows]
    again = priorities(sp.csr_array(rows), np.random.default_rng(seed))
    assert again.tolist() == found.tolist()
    assert priorities(rows[-1:], np.random.default_rng(seed))[0] == found[-1]


def test_random_errors_are_spread_evenly():
    rows = np.arange(1.0, 11.0)[:, None]
    wrong = -np.ones(10)
    picked = [
        error_rule("random_error", rows, np.random.default_rng(seed))(wrong) for seed in range(3000)
    ]
    share = np.bincount(picked, minlength=10) / 3000
    assert abs(share - 0.1).max() < 0.025


def test_margins_of_zero_are_errors_and_ties_go_to_the_first():
    margins = np.array([0.5, 0.0, -1.0, 0.0, -1.0])
    assert error_rule("largest_error")(margins) == 2
    assert error_rule("smallest_error")(margins) == 1
    assert error_rule("first_error")(margins) == 1
    for name in ("largest_error", "smallest_error", "first_error"):
        assert error_rule(name)(np.array([1.0, 2.0])) is None
        assert error_rule(name)(np.zeros(0)) is None


def test_a_random_oracle_needs_rows():
    with pytest.raises(ValueError, match="needs the rows"):
        error_rule("random_error")
    with pytest.raises(ValueError, match="oracle must be one of 'first_error'"):
        error_rule("worst")


def test_rows_of_zeros_are_passed_over():
    Z = np.array([[0.0, 0.0], [1.0, 2.0], [0.0, 0.0], [2.0, -1.0]])
    for oracle in sorted(ORACLES):
        found = localise(Z, oracle)
        assert found.converged
        assert set(found.cuts.tolist()) <= {1, 3}
    assert localise(np.zeros((3, 2))).converged
    assert fed_perceptron(Z).cuts.tolist() == [1, 3]


def test_the_limits_end_a_run_and_the_best_weights_are_kept():
    rng = np.random.default_rng(0)
    Z = rng.normal(size=(100, 2)) + [1.0, 0.0]
    seen = []

    def watched(margins):
        seen.append(int((margins <= 0).sum()))
        return largest_error(margins)

    found = localise(Z, watched, max_updates=500)
    assert not found.converged
    assert found.updates.sum() == 500
    assert (Z @ found.w <= 0).sum() == min(seen) < seen[-1]
    early = localise(separable_binary(0, n_samples=200)[0], max_cuts=2)
    assert len(early.cuts) == len(early.updates) == 2
    assert not early.converged
