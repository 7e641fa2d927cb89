"""Paths of strengths, the choice of one, and the two stages."""

import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.exceptions import ConvergenceWarning
from sklearn.model_selection import KFold

from tests.stacking.problems import GOLDEN_P, GOLDEN_Y, level_one_problem
from uneven.stacking.solvers.selection import select, select_then_refit
from uneven.stacking.solvers.solve import (
    STRENGTHS,
    SelectionPath,
    check_strengths,
    solve,
    solve_path,
    strength_for,
)
from uneven.stacking.solvers.strength_choice import (
    best_of,
    choose_combination,
    choose_strength,
    inner_folds,
)

GRID = [0.005, 0.02, 0.08]


@pytest.fixture(scope="module")
def problem():
    return level_one_problem(80, 8, 3, seed=1)


@pytest.mark.parametrize(
    ("combination", "penalty"),
    [("ws", "l1"), ("cws", "group"), ("cws", "l1"), ("cws", "l2"), ("lsg", "group")],
)
def test_warm_paths_reach_the_objectives_of_cold_solves(problem, combination, penalty):
    P, y = problem
    words = {"combination": combination, "penalty": penalty}
    path = solve_path(P, y, GRID, **words)
    for strength, combiner in zip(GRID, path):
        cold = solve(P, y, strength=strength, **words)
        assert combiner.objective == pytest.approx(cold.objective, rel=1e-4)


@pytest.mark.parametrize("penalty", ["l1", "group"])
def test_whole_grid_of_the_source_can_be_solved(penalty):
    P, y = level_one_problem(40, 6, 3, seed=2)
    path = solve_path(P, y, STRENGTHS, penalty=penalty, tol=1e-4)
    assert [c.objective for c in path] == sorted(c.objective for c in path)
    assert path[0].selected.sum() > path[-1].selected.sum() == 0


def test_paths_survive_large_steps_to_tiny_strengths():
    P, y = level_one_problem(250, 26, 3, seed=0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        path = solve_path(P, y, [1e-3, 1e-5, 1e-7], tol=1e-3)
    cold = solve(P, y, strength=1e-5, tol=1e-3)
    assert cold.converged
    assert path[1].objective <= cold.objective * 1.01
    size = np.linalg.norm(path[1].coef, axis=1).sum()
    assert path[2].objective <= path[1].objective - (1e-5 - 1e-7) * size + 1e-5


def test_paths_follow_the_order_of_the_strengths(problem):
    P, y = problem
    there = [c.objective for c in solve_path(P, y, GRID)]
    back = [c.objective for c in solve_path(P, y, GRID[::-1])]
    assert there == back[::-1]
    assert there == sorted(there)


def test_golden_objective_on_a_path():
    path = solve_path(GOLDEN_P, GOLDEN_Y, [0.01, 0.1, 1.0], penalty="group", tol=1e-9)
    assert path[1].objective == pytest.approx(0.72405499, abs=1e-6)


def test_strong_penalties_keep_fewer(problem):
    P, y = problem
    counts = [int(c.selected.sum()) for c in solve_path(P, y, [1e-4, 0.02, 10.0])]
    assert counts[0] > counts[1] > counts[2] == 0


def test_path_record_counts_what_it_holds(problem):
    P, y = problem
    combiners = solve_path(P, y, GRID)
    path = SelectionPath(np.array(GRID), combiners, [f"c{m}" for m in range(8)])
    assert path.selected.shape == (3, 8)
    assert path.n_selected.tolist() == [int(c.selected.sum()) for c in combiners]
    assert len(path.coef) == len(path.objective) == 3
    assert path.coef[0].shape == (8, 3)


def test_grid_of_the_source_is_the_default():
    assert tuple(check_strengths(None)) == STRENGTHS
    assert len(STRENGTHS) == 12


@pytest.mark.parametrize("bad", [[], [0.0], [-1.0, 1.0], [np.nan], "large", 0.1, [[0.1]], ["a"]])
def test_impossible_strengths_are_refused(bad):
    with pytest.raises(ValueError, match="strengths must be a list of finite numbers above 0"):
        check_strengths(bad)


@pytest.mark.parametrize("wanted", [1, 3, 5])
def test_strength_for_meets_the_number(problem, wanted):
    P, y = problem
    strength, combiner = strength_for(P, y, wanted)
    assert combiner.selected.sum() == wanted
    again = solve(P, y, strength=strength)
    assert again.selected.sum() == wanted


def test_strength_for_says_what_cannot_be(problem):
    P, y = problem
    with pytest.raises(ValueError, match="kept even with the strength"):
        strength_for(P, y, 2, penalty="l2")
    with pytest.raises(ValueError, match="n_members must be a whole number between 0 and 8"):
        strength_for(P, y, 9)
    with pytest.raises(ValueError, match="bounds must be two increasing numbers"):
        strength_for(P, y, 2, bounds=(1.0, 0.1))


def test_choice_is_the_best_mean_error(problem):
    P, y = problem
    choice = choose_strength(P, y, GRID, random_state=0)
    assert choice.error.shape == choice.n_selected.shape == (2, 3)
    assert choice.error_mean[choice.index] == choice.error_mean.min()
    assert choice.strength == GRID[choice.index]
    results = choice.results()
    assert results["strength"].tolist() == GRID
    assert np.allclose(results["std_error"], choice.error.std(axis=0))


def test_errors_are_those_of_rows_not_seen(problem):
    P, y = problem
    folds = KFold(3)
    choice = choose_strength(P, y, GRID, cv=folds)
    for k, (train, test) in enumerate(folds.split(P[:, 0], y)):
        alone = solve(P[train], y[train], strength=choice.strength)
        wrong = np.mean(alone.predict(P[test]) != y[test])
        assert choice.error[k, choice.index] == pytest.approx(wrong, abs=0.021)
        assert np.allclose(choice.held_out[test], alone.scores(P[test]), atol=0.05)


def test_rows_never_held_out_have_no_scores(problem):
    P, y = problem
    half = np.arange(len(y)) < 40

    class OneSplit:
        def split(self, X, y):
            yield np.flatnonzero(half), np.flatnonzero(~half)

    held_out = choose_strength(P, y, [0.01], cv=OneSplit()).held_out
    assert np.isnan(held_out[half]).all()
    assert np.isfinite(held_out[~half]).all()


def test_ties_go_where_they_are_sent():
    error = np.array([0.3, 0.1, 0.2, 0.1, 0.4])
    assert best_of(error, "largest") == 3
    assert best_of(error, "smallest") == 1
    assert best_of(error + np.array([0.0, 1e-15, 0.0, 0.0, 0.0]), "smallest") == 1


def test_rows_without_weight_do_not_judge(problem):
    P, y = problem
    spoilt = y.copy()
    spoilt[60:] = (y[60:] + 1) % 3
    share = np.where(np.arange(len(y)) < 60, 1.0, 1e-12)
    choice = choose_strength(P, spoilt, [0.01], share=share / share.sum(), random_state=0)
    plain = choose_strength(P, spoilt, [0.01], random_state=0)
    assert choice.error_mean[0] < 0.8 * plain.error_mean[0]


def test_choice_does_not_depend_on_threads(problem):
    P, y = problem
    one = choose_strength(P, y, GRID, random_state=3)
    two = choose_strength(P, y, GRID, random_state=3, n_jobs=2)
    assert np.array_equal(one.error, two.error)
    assert np.array_equal(one.held_out, two.held_out)


def test_combination_is_chosen_by_the_same_errors():
    P, y = level_one_problem(120, 4, 3, seed=2)
    swapped = P.copy()
    swapped[:, :, [0, 1]] = P[:, :, [1, 0]]
    choice = choose_combination(swapped, y, [0.001, 0.01], random_state=0)
    assert choice.combination == "lsg"
    others = [
        choose_strength(swapped, y, [0.001, 0.01], combination=c, random_state=0)
        for c in ("ws", "cws")
    ]
    assert choice.error_mean.min() < min(other.error_mean.min() for other in others)


def test_equal_combinations_leave_the_one_with_the_fewest_weights():
    y = np.arange(30) % 3
    sure = np.stack([np.eye(3)[y], np.full((30, 3), 1 / 3)], axis=1)
    choice = choose_combination(sure, y, [0.001, 0.01], random_state=0)
    assert choice.error_mean.tolist() == [0.0, 0.0]
    assert choice.combination == "ws"


@settings(max_examples=20, deadline=None)
@given(st.lists(st.integers(0, 3), min_size=4, max_size=40), st.integers(2, 6))
def test_inner_folds_are_a_partition_that_spreads_classes(labels, n_folds):
    y = np.array(labels)
    folds = inner_folds(y, n_folds, 0)
    held = np.concatenate([test for _, test in folds])
    assert sorted(held.tolist()) == list(range(len(y)))
    for train, test in folds:
        assert not set(train) & set(test)
        for label in np.unique(y):
            expected = (y == label).sum() / len(folds)
            assert abs((y[test] == label).sum() - expected) <= 1.0


def test_selection_drops_rows_of_zero(problem):
    P, y = problem
    found = select(P, y, [0.02], random_state=0)
    assert 0 < found.mask.sum() < 8
    assert not found.coef[~found.mask].any()
    assert found.combiner.coef.shape == (found.mask.sum(), 3)
    whole = solve(P, y, strength=0.02)
    assert np.allclose(found.combiner.scores(P[:, found.mask]), whole.scores(P), atol=1e-5)


def test_second_stage_weighs_the_chosen_anew(problem):
    P, y = problem
    words = {"random_state": 0}
    once = select(P, y, [0.05], **words)
    twice = select_then_refit(P, y, [0.05], **words)
    assert np.array_equal(once.mask, twice.mask)
    alone = solve(np.ascontiguousarray(P[:, once.mask]), y, penalty="l2", strength=0.05)
    assert np.allclose(twice.combiner.coef, alone.coef, atol=1e-3)
    assert not np.allclose(once.coef, twice.coef, atol=1e-2)
    assert twice.held_out is twice.refit.held_out


def test_second_stage_has_nothing_to_do_without_members(problem):
    P, y = problem
    found = select_then_refit(P, y, [10.0], random_state=0)
    assert not found.mask.any()
    assert found.refit is None
