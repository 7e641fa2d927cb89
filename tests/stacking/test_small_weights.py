"""Where weights end: bad starts do no harm, crumbs are swept away, small weights are kept."""

from dataclasses import replace

import numpy as np
import pytest

from tests.stacking.problems import level_one_problem
from uneven.stacking.model.problem import LinearCombiner, pose_problem
from uneven.stacking.solvers.newton import _Point, _without_crumbs
from uneven.stacking.solvers.selection import select_then_refit
from uneven.stacking.solvers.solve import solve


@pytest.mark.slow
def test_a_bad_start_costs_time_only():
    P, y = level_one_problem(80, 8, 3, seed=0)
    words = {"strength": 1e-3, "solver": "newton"}
    cold = solve(P, y, **words)
    far = 1e9 * np.random.default_rng(0).normal(size=(8, 3))
    warm = solve(P, y, start=LinearCombiner("cws", far, np.zeros(0)), **words)
    assert warm.converged
    assert warm.objective == pytest.approx(cold.objective, rel=3e-6)


@pytest.mark.parametrize("penalty", ["group", "l1"])
def test_crumbs_are_swept_away_and_nothing_else(penalty):
    P, y = level_one_problem(60, 10, 3, seed=3)
    problem = pose_problem(P, y, penalty=penalty).at_strength(0.03)
    clean = solve(P, y, penalty=penalty, strength=0.03).coef
    zero = clean == 0.0
    assert zero.any()

    def swept(coef, allowed):
        scores = problem.design.scores(coef, np.zeros(0))
        return _without_crumbs(
            problem, _Point(coef, np.zeros(0), scores, np.zeros_like(scores), 1.0), allowed
        )

    crumbs = np.where(zero, 1e-5 * np.abs(clean).max(), clean)
    np.testing.assert_array_equal(swept(crumbs, 1e-8), clean)
    np.testing.assert_array_equal(swept(clean, 1e-8), clean)
    assert swept(crumbs, 1e9).any()
    needed = np.where(zero, 0.02 * np.abs(clean).max(), clean)
    np.testing.assert_array_equal(swept(needed, 1e9), needed)


def test_small_weights_count_and_rounding_does_not():
    combiner = LinearCombiner(
        "cws",
        np.array([[0.0, -5.0], [1e-4, 0.0], [6e-6, 0.0], [4e-6, 0.0], [0.0, 0.0]]),
        np.zeros(0),
    )
    assert combiner.selected.tolist() == [True, True, True, False, False]
    faint = replace(combiner, coef=np.array([[2e-10], [0.5e-10]]))
    assert faint.selected.tolist() == [True, False]


def test_a_solver_of_sparse_penalties_is_for_the_first_stage_only():
    P, y = level_one_problem(60, 6, 3, seed=2)
    words = {"penalty": "l1", "solver": "linear program", "random_state": 0}
    found = select_then_refit(P, y, [0.01, 0.05], **words)
    assert found.combiner.solver != "linear program"
    assert found.mask.any()
