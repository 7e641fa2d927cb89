"""Majorisation-minimisation: golden values, descent, twins, options."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from published.tests.sen import twins
from sklearn.exceptions import ConvergenceWarning

from tests.stacking.problems import GOLDEN_P, GOLDEN_Y, level_one_problem
from uneven.stacking.model.penalties import PENALTIES
from uneven.stacking.model.problem import LinearCombiner
from uneven_published.sen._loops import soft_threshold
from uneven_published.sen.majorisation import PAPER, PaperSweep, SafeSweep, draw_order, majorise
from uneven_published.sen.smoothed_hinge import SmoothedHinge, SmoothedProblem

NAMES = ("l2", "l1", "group")
MODES = ("paper", "safe")
PLAIN = SmoothedHinge()


def problem_of(P, y, penalty="l2", strength=0.1, hinge=PLAIN, share=None):
    share = np.full(len(y), 1.0 / len(y)) if share is None else share
    return SmoothedProblem.of(P, y, share, hinge, PENALTIES[penalty](), strength)


def started(coef):
    return LinearCombiner("cws", coef, np.zeros(0))


# ------------------------------------------------------------------------------ golden values


def test_first_weight_by_hand():
    """D' = -0.108333, c = 0.295308, D'' = 0.044405 at zero weights."""
    margins = SmoothedHinge().margins(np.zeros((6, 3)), GOLDEN_Y)
    np.testing.assert_allclose(SmoothedHinge().curvature(margins), 0.295308055, atol=1e-9)
    for penalty, expected in (("l2", 0.443253208), ("l1", 0.18767)):
        only = GOLDEN_P.copy()
        only[:, 1, :] = 0.0
        only[:, 0, 1:] = 0.0
        found = majorise(only, GOLDEN_Y, penalty=penalty, strength=0.1, n_sweeps=1).coef
        assert found[0, 0] == pytest.approx(expected, abs=5e-6 if penalty == "l1" else 5e-10)
        assert not found[1].any()
        assert not found[0, 1:].any()


def test_one_sweep_by_hand():
    found = majorise(GOLDEN_P, GOLDEN_Y, penalty="l2", strength=0.1, n_sweeps=1)
    by_class = [(0.443253, 0.456165), (0.233883, 0.404302), (0.505779, 0.450886)]
    np.testing.assert_allclose(found.coef.T, by_class, atol=1e-6)
    np.testing.assert_allclose(found.trace.objective, [1.69314718, 1.550901231], atol=5e-9)


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize(
    ("penalty", "strength", "optimum"),
    [
        ("l2", 0.1, 1.545828633),
        ("l1", 0.1, 1.624439079),
        ("group", 0.1, 1.186835314),
        ("group", 0.01, 0.155285503),
    ],
)
def test_golden_optima(mode, penalty, strength, optimum):
    found = majorise(
        GOLDEN_P, GOLDEN_Y, penalty=penalty, strength=strength, mode=mode, n_sweeps=4000, tol=1e-7
    )
    assert found.objective == pytest.approx(optimum, abs=2e-9)
    assert found.gap < 1e-5
    assert found.converged
    assert found.solver == f"majorise-{mode}"


# ------------------------------------------------------------------------------ theorems


@given(
    seed=st.integers(0, 10_000),
    penalty=st.sampled_from(NAMES),
    strength=st.sampled_from([1e-9, 1e-3, 0.03, 0.3]),
    tau=st.sampled_from([0.1, 0.5, 1.7]),
    temperature=st.sampled_from([0.5, 1.0, 6.0]),
)
def test_safe_mode_never_rises(seed, penalty, strength, tau, temperature):
    rng = np.random.default_rng(seed)
    P, y = level_one_problem(25, 4, int(rng.integers(2, 6)), seed)
    P = P * rng.uniform(0.1, 5.0, size=(1, 4, 1)) - rng.uniform(0.0, 0.5)
    problem = problem_of(P, y, penalty, strength, SmoothedHinge(tau, temperature))
    sweep, coef = SafeSweep(problem), rng.normal(size=(4, P.shape[2]))
    values = [problem.objective(coef)]
    for _ in range(12):
        coef = sweep(coef, draw_order(problem, np.random.RandomState(seed)))
        values.append(problem.objective(coef))
    assert (np.diff(values) <= 1e-12 * np.abs(values[0])).all()
    assert values[-1] < values[0]


@settings(max_examples=20)
@given(seed=st.integers(0, 10_000), penalty=st.sampled_from(NAMES), mode=st.sampled_from(MODES))
def test_gap_bounds_what_is_left(seed, penalty, mode):
    P, y = level_one_problem(30, 4, 3, seed)
    kept = {"penalty": penalty, "strength": 0.05}
    rough = majorise(P, y, mode=mode, n_sweeps=3, tol=0.0, **kept)
    fine = majorise(P, y, mode="safe", n_sweeps=300, tol=1e-5, **kept)
    assert rough.gap >= rough.objective - fine.objective - 1e-12
    assert fine.gap <= 0.02 * fine.objective
    assert fine.gap <= rough.gap + 1e-12


def test_safe_mode_reaches_the_optimum_of_l2():
    P, y = level_one_problem(80, 6, 4, 3)
    found = majorise(P, y, penalty="l2", strength=0.01, mode="safe", n_sweeps=3000, tol=1e-8)
    assert found.gap < 1e-9


@given(value=st.floats(-5, 5), width=st.floats(0, 3), curve=st.floats(0.1, 4))
def test_soft_threshold_minimises(value, width, curve):
    grid = np.linspace(-6, 6, 2401)
    best = soft_threshold(value, width / curve)
    cost = 0.5 * curve * (grid - value) ** 2 + width * np.abs(grid)
    assert 0.5 * curve * (best - value) ** 2 + width * abs(best) <= cost.min() + 1e-12


@given(seed=st.integers(0, 10_000), mix=st.floats(0.0, 1.0), penalty=st.sampled_from(NAMES))
def test_objective_is_convex(seed, mix, penalty):
    P, y = level_one_problem(15, 3, 4, seed)
    rng = np.random.default_rng(seed)
    problem = problem_of(P, y, penalty)
    first, second = 4.0 * rng.normal(size=(2, 3, 4))
    chord = mix * problem.objective(first) + (1 - mix) * problem.objective(second)
    assert problem.objective(mix * first + (1 - mix) * second) <= chord + 1e-12


@pytest.mark.parametrize("penalty", NAMES)
def test_optimal_curvature_is_ahead_after_fifteen_sweeps(penalty):
    for seed in range(3):
        P, y = level_one_problem(200, 30, 3, seed)
        optimal, maximum = (
            majorise(P, y, penalty=penalty, curvature=kind, n_sweeps=15, tol=0.0).objective
            for kind in ("optimal", "maximum")
        )
        assert optimal < 0.95 * maximum


@pytest.mark.parametrize("seed", range(3))
def test_threshold_makes_zero_rows(seed):
    P, y = level_one_problem(120, 20, 3, seed)
    equal = started(np.full((20, 3), 0.05))
    kept = {"penalty": "group", "strength": 0.1, "start": equal, "n_sweeps": 100, "tol": 0.0}
    without = majorise(P, y, threshold=0.0, **kept)
    assert (without.coef != 0.0).all()
    with_threshold = majorise(P, y, **kept)
    assert with_threshold.trace.selected[-1] < 12
    assert majorise(P, y, mode="safe", **kept).trace.selected[-1] < 12


def test_safe_groups_are_lower_than_the_threshold_rule():
    """The rule of the source is a heuristic: it may stop above the optimum."""
    gaps = []
    for seed in range(3):
        P, y = level_one_problem(100, 10, 3, seed)
        kept = {"penalty": "group", "strength": 0.1, "n_sweeps": 500, "tol": 1e-5}
        paper, safe = (majorise(P, y, mode=mode, **kept).objective for mode in MODES)
        gaps.append(paper - safe)
    assert min(gaps) > -1e-6


# ------------------------------------------------------------------------------ guards


def test_sweeps_that_rise_are_shortened():
    """Under a large threshold the weights of a group shrink one by one, as they should not."""
    P, y = level_one_problem(60, 5, 3, 1)
    kept = {"strength": 0.1, "threshold": 1.0, "n_sweeps": 40, "tol": 0.0}
    literal = majorise(P, y, guards=False, **kept)
    assert np.diff(literal.trace.objective).max() > 1e-4
    assert literal.trace.n_halved == 0
    guarded = majorise(P, y, **kept)
    assert np.diff(guarded.trace.objective).max() <= 1e-8
    assert guarded.trace.n_halved > 0
    assert guarded.objective < literal.objective


def test_steps_are_not_longer_than_ten():
    P, y = level_one_problem(60, 5, 3, 1)
    P[:, 1, 0] *= 5e-5
    kept = {"strength": 1e-11, "n_sweeps": 1}
    assert np.abs(majorise(P, y, guards=False, **kept).coef).max() > 1000.0
    assert np.abs(majorise(P, y, **kept).coef).max() == 10.0


@pytest.mark.parametrize("mode", MODES)
def test_scores_may_all_be_small(mode):
    P, y = level_one_problem(60, 5, 3, 1)
    found = majorise(1e-6 * P, y, penalty="l1", strength=1e-9, mode=mode)
    assert found.objective < 0.8 * found.trace.objective[0]


def test_weights_that_are_not_finite_are_refused():
    P, y = level_one_problem(20, 3, 3, 1)
    with pytest.raises(FloatingPointError, match="became infinite or NaN"):
        majorise(P, y, start=started(np.full((3, 3), np.nan)))


# ------------------------------------------------------------------------------ twins


@pytest.mark.parametrize("penalty", NAMES)
@pytest.mark.parametrize("n_classes", [2, 3, 5])
@pytest.mark.parametrize("optimal", [True, False])
def test_paper_sweep_agrees_with_its_twin(penalty, n_classes, optimal):
    P, y = level_one_problem(12, 5, n_classes, 7)
    rng = np.random.default_rng(1)
    share = rng.dirichlet(np.ones(12))
    hinge = SmoothedHinge(0.4, 1.5)
    problem = problem_of(P, y, penalty, 0.02, hinge, share)
    sweep = PaperSweep(problem, "optimal" if optimal else "maximum", True, 1e-5)
    coef = rng.normal(size=(5, n_classes))
    coef[1] = 0.0
    coef[2, 1:] = 0.0
    for draw in (None, np.random.RandomState(3)):
        order = draw_order(problem, draw)
        expected = twins.majorising_sweep(
            P,
            y,
            coef,
            penalty,
            0.02,
            share=share,
            optimal=optimal,
            threshold=1e-5,
            order=order,
            hinge=(0.4, 1.5),
        )
        np.testing.assert_allclose(sweep(coef, order), expected, rtol=1e-9, atol=1e-10)


@pytest.mark.parametrize("penalty", NAMES)
@pytest.mark.parametrize("n_classes", [2, 4])
@pytest.mark.parametrize("hinge", [(0.5, 1.0), (1.8, 2.0)])
def test_safe_sweep_agrees_with_its_twin(penalty, n_classes, hinge):
    P, y = level_one_problem(12, 5, n_classes, 8)
    rng = np.random.default_rng(2)
    share = rng.dirichlet(np.ones(12))
    problem = problem_of(P, y, penalty, 0.02, SmoothedHinge(*hinge), share)
    coef = rng.normal(size=(5, n_classes))
    coef[1] = 0.0
    order = draw_order(problem, np.random.RandomState(3))
    expected = twins.descending_sweep(
        P, y, coef, penalty, 0.02, share=share, order=order, hinge=hinge
    )
    np.testing.assert_allclose(SafeSweep(problem)(coef, order), expected, rtol=1e-8, atol=1e-9)


# ------------------------------------------------------------------------------ equivalences


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("penalty", NAMES)
def test_shares_are_counts(penalty, mode):
    P, y = level_one_problem(20, 3, 3, 5)
    counts = np.arange(20) % 3
    kept = {"penalty": penalty, "mode": mode, "strength": 0.05, "n_sweeps": 20}
    weighed = majorise(P, y, share=counts / counts.sum(), **kept)
    repeated = majorise(np.repeat(P, counts, axis=0), np.repeat(y, counts), **kept)
    np.testing.assert_allclose(weighed.coef, repeated.coef, atol=1e-8)


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("penalty", NAMES)
def test_order_of_rows_members_and_classes_does_not_matter(penalty, mode):
    P, y = level_one_problem(60, 4, 3, 6)
    kept = {"penalty": penalty, "mode": mode, "strength": 0.05, "n_sweeps": 800, "tol": 1e-6}
    plain = majorise(P, y, **kept)
    rng = np.random.default_rng(0)
    rows, members, classes = rng.permutation(60), rng.permutation(4), np.array([2, 0, 1])
    turned = P[rows][:, members][:, :, classes]
    moved = majorise(turned, np.argsort(classes)[y[rows]], **kept)
    assert moved.objective == pytest.approx(plain.objective, abs=1e-6)
    np.testing.assert_allclose(moved.coef, plain.coef[members][:, classes], atol=5e-3)


def test_random_schedule_is_repeatable_and_reaches_the_same():
    P, y = level_one_problem(60, 5, 3, 6)
    kept = {"penalty": "l1", "strength": 0.02, "n_sweeps": 600, "tol": 1e-7}
    cyclic = majorise(P, y, **kept)
    first, again, other = (
        majorise(P, y, schedule="random", random_state=seed, **kept) for seed in (0, 0, 1)
    )
    np.testing.assert_array_equal(first.coef, again.coef)
    assert (first.coef != other.coef).any()
    assert first.objective == pytest.approx(cyclic.objective, abs=1e-5)


def test_start_at_the_solution_is_over_at_once():
    P, y = level_one_problem(60, 5, 3, 6)
    found = majorise(P, y, strength=0.02, mode="safe", n_sweeps=5000, tol=1e-9)
    again = majorise(P, y, strength=0.02, mode="safe", start=found, tol=1e-6)
    assert again.n_iter <= 2
    assert again.objective == pytest.approx(found.objective, abs=1e-10)


def test_paper_preset_stops_early():
    P, y = level_one_problem(200, 30, 3, 0)
    early = majorise(P, y, penalty="l2", **PAPER)
    late = majorise(P, y, penalty="l2")
    assert early.n_iter <= 15
    assert early.objective > 1.1 * late.objective
    assert len(late.trace.objective) == late.n_iter + 1 == len(late.trace.seconds)
    assert late.objective == late.trace.objective[-1]


# ------------------------------------------------------------------------------ odd inputs


@pytest.mark.parametrize("mode", MODES)
def test_too_strong_penalty_leaves_nothing_and_says_so(mode):
    with pytest.warns(ConvergenceWarning, match="all weights are 0: strength=50"):
        found = majorise(GOLDEN_P, GOLDEN_Y, penalty="group", strength=50.0, mode=mode)
    assert found.converged
    assert not found.coef.any()
    assert found.n_iter == 1


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("penalty", NAMES)
@pytest.mark.parametrize("n_rows", [1, 40])
def test_one_row_one_class_one_member(penalty, mode, n_rows):
    P = level_one_problem(n_rows, 1, 3, 0)[0]
    found = majorise(P, np.full(n_rows, 2), penalty=penalty, mode=mode, strength=1e-3)
    assert np.isfinite(found.coef).all()
    assert (found.predict(P) == 2).all()


@pytest.mark.parametrize("layout", ["float32", "fortran", "list"])
def test_layouts(layout):
    P, y = level_one_problem(30, 3, 3, 1)
    P = P.astype(np.float32).astype(np.float64)
    plain = majorise(P, y, n_sweeps=5)
    odd = {"float32": P.astype(np.float32), "fortran": np.asfortranarray(P), "list": P.tolist()}
    other = majorise(odd[layout], y.tolist() if layout == "list" else y, n_sweeps=5)
    np.testing.assert_array_equal(plain.coef, other.coef)


def test_inputs_are_not_written_to():
    P, y = level_one_problem(30, 3, 3, 1)
    start = started(np.ones((3, 3)))
    before = P.copy(), y.copy()
    majorise(P, y, start=start, n_sweeps=3)
    np.testing.assert_array_equal(P, before[0])
    np.testing.assert_array_equal(y, before[1])
    assert (start.coef == 1.0).all()


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ({"penalty": "l3"}, "penalty must be one of .* got 'l3'"),
        ({"curvature": "least"}, "curvature must be one of .* got 'least'"),
        ({"mode": "wild"}, "mode must be one of .* got 'wild'"),
        ({"schedule": "never"}, "schedule must be one of .* got 'never'"),
        ({"n_sweeps": 0}, "n_sweeps must be a whole number at least 1"),
        ({"strength": -1.0}, "strength must be"),
        ({"threshold": -1.0}, "threshold must be"),
        ({"threshold": np.nan}, "threshold must be"),
        ({"tol": "x"}, "tol must be"),
        ({"tau": 0.0}, "tau must be"),
        ({"start": LinearCombiner("ws", np.ones((2, 1)), np.zeros(0))}, "start is a 'ws'"),
        ({"start": LinearCombiner("cws", np.ones((4, 3)), np.zeros(0))}, r"shape \(2, 3\)"),
    ],
)
def test_refuses_impossible_settings(words, message):
    with pytest.raises(ValueError, match=message):
        majorise(GOLDEN_P, GOLDEN_Y, **words)


def test_refuses_impossible_rows():
    for bad in (np.nan, np.inf):
        P = GOLDEN_P.copy()
        P[3, 1, 2] = bad
        with pytest.raises(ValueError, match=r"scores\[3, 1, 2\] is"):
            majorise(P, GOLDEN_Y)
    with pytest.raises(ValueError, match="y holds 1 to 3"):
        majorise(GOLDEN_P, GOLDEN_Y + 1)
    with pytest.raises(ValueError, match="share"):
        majorise(GOLDEN_P, GOLDEN_Y, share=-np.ones(6))
