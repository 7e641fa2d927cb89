"""Least squares from sums of products: the same weights and certificates as from the rows."""

import tracemalloc

import numpy as np
import pytest

from tests.stacking.problems import level_one_problem
from uneven.stacking import StackCombiner
from uneven.stacking.model.combinations import by_class
from uneven.stacking.model.problem import pose_problem
from uneven.stacking.solvers.selection import select
from uneven.stacking.solvers.solve import solve
from uneven.stacking.solvers.squared import FoldedSums, SquaredSums
from uneven.stacking.solvers.strength_choice import choose_strength

KINDS = [
    ("cws", "group", {"elastic": 0.1}),
    ("cws", "l1", {}),
    ("cws", "l2", {}),
    ("ws", "group", {"constraint": "nonneg"}),
    ("ws", "l2", {"constraint": "nonneg"}),
]


@pytest.fixture(scope="module")
def problem():
    return level_one_problem(120, 7, 4, seed=3)


def test_scores_by_class_are_the_transposed_rows(problem):
    P, _ = problem
    rows = np.random.default_rng(0).permutation(len(P))[:100]
    assert np.array_equal(by_class(P), P.transpose(2, 1, 0))
    assert np.array_equal(by_class(P[:, ::2], rows), P[rows][:, ::2].transpose(2, 1, 0))


@pytest.mark.parametrize(("combination", "penalty", "words"), KINDS)
def test_certificates_are_those_of_the_rows(problem, combination, penalty, words):
    P, y = problem
    posed = pose_problem(
        P, y, combination=combination, loss="squared", penalty=penalty, **words
    ).at_strength(0.02)
    share = np.full(len(y), 1.0 / len(y))
    sums = SquaredSums.of(by_class(P), y, share, combination)
    coef, _ = sums.minimise(posed.penalty, 0.02, None, 1e-3)
    coef = 1.1 * coef
    objective, gap = sums._certificate(posed.penalty, 0.02, coef)
    slope = posed.loss.envelope(posed.design.scores(coef, np.zeros(0)), 1.0).slope
    asked = posed.combiner(coef, np.zeros(0), multipliers=slope, n_iter=1, tol=1e-6, solver="rows")
    assert objective == pytest.approx(asked.objective, abs=1e-12)
    assert gap == pytest.approx(asked.gap, abs=1e-12)
    assert gap > 0.0


@pytest.mark.parametrize(("combination", "penalty", "words"), KINDS)
def test_selection_solves_on_all_rows(problem, combination, penalty, words):
    P, y = problem
    share = np.random.default_rng(0).uniform(0.5, 2.0, len(y))
    words = {"combination": combination, "loss": "squared", "penalty": penalty, **words}
    found = select(P, y, [0.003, 0.03], share=share, random_state=0, tol=1e-8, **words)
    strength = found.choice.strength
    exact = solve(P, y, strength=strength, share=share, solver="newton", tol=1e-8, **words)
    assert found.settled
    assert found.coef == pytest.approx(exact.coef, abs=1e-4)


def test_folds_learn_from_the_other_rows(problem):
    P, y = problem
    weight = np.random.default_rng(0).uniform(0.5, 2.0, len(y))
    tests = [np.arange(0, 120, 2), np.arange(1, 120, 2)]
    posed = pose_problem(P, y, loss="squared")
    paths = FoldedSums.of(P, y, weight, tests, "cws").paths(posed.penalty, np.array([0.02]), 1e-9)
    for (scores, coefs, unsettled), test, train in zip(paths, tests, tests[::-1]):
        alone = solve(P[train], y[train], loss="squared", strength=0.02, share=weight[train])
        assert unsettled == 0
        assert coefs[0] == pytest.approx(alone.coef, abs=1e-4)
        assert scores[0] == pytest.approx(alone.scores(P[test]), abs=1e-3)


def test_what_sums_cannot_do_is_judged_by_the_rows(problem):
    P, y = problem
    words = {"combination": "ws", "loss": "squared", "penalty": "l2", "constraint": "simplex"}
    assert choose_strength(P, y, [0.01, 0.1], random_state=0, **words).sums is None
    found = StackCombiner(strengths=[0.01, 0.1], random_state=0, **words).fit(P, y)
    assert found.coef_.sum() == pytest.approx(1.0, abs=1e-6)


def test_fits_need_little_memory_beside_the_scores():
    P, y = level_one_problem(3000, 40, 10, seed=0)
    StackCombiner(random_state=0).fit(P[:100], y[:100])
    tracemalloc.start()
    StackCombiner(random_state=0).fit(P, y)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 3.0 * P.nbytes
