"""What every combination, loss and penalty must obey; those that register are found here."""

import numpy as np
import pytest
from sklearn.naive_bayes import GaussianNB
from sklearn.tree import DecisionTreeClassifier

from tests.stacking.problems import level_one_problem
from uneven import MarginStackingClassifier
from uneven.stacking.model import named
from uneven.stacking.model.combinations import COMBINATIONS
from uneven.stacking.model.losses import LOSSES
from uneven.stacking.model.penalties import PENALTIES, SparsePenalty, make_penalty
from uneven.stacking.model.problem import pose_problem
from uneven.stacking.solvers import SOLVERS
from uneven.stacking.solvers.solve import solve

P, Y = level_one_problem(40, 5, 4, seed=2)
SHARE = np.random.default_rng(0).dirichlet(np.full(40, 5.0))
ELASTIC = [(name, 0.0) for name in PENALTIES]
ELASTIC += [(name, 0.3) for name, kind in PENALTIES.items() if issubclass(kind, SparsePenalty)]


def loss_at_random_scores(name, seed=0):
    rng = np.random.default_rng(seed)
    return LOSSES[name](Y, 4, SHARE), rng.normal(size=(40, 4)), rng


@pytest.mark.parametrize("name", LOSSES)
def test_envelopes_lie_below_the_loss_and_have_its_gradient(name):
    loss, scores, rng = loss_at_random_scores(name)
    softness = 0.3
    envelope = loss.envelope(scores, softness)
    assert envelope.value <= loss.value(scores) + 1e-12
    if loss.smooth:
        assert envelope.value == pytest.approx(loss.value(scores))
    step = 1e-6 * rng.normal(size=scores.shape)
    ahead, behind = loss.envelope(scores + step, softness), loss.envelope(scores - step, softness)
    assert (ahead.value - behind.value) / 2 == pytest.approx(
        np.vdot(envelope.slope, step), rel=1e-4
    )
    bend = envelope.diagonal * step - envelope.spoke * (envelope.spoke * step).sum(axis=1)[:, None]
    assert np.abs((ahead.slope - behind.slope) / 2 - bend).max() < 1e-3 * np.abs(bend).max()
    if loss.smooth:
        assert (envelope.diagonal / SHARE[:, None]).max() <= loss.bend * (1 + 1e-12)


@pytest.mark.parametrize("name", LOSSES)
@pytest.mark.parametrize("step", [0.05, 2.0])
def test_the_proximal_point_of_a_loss_is_the_minimiser(name, step):
    _, scores, rng = loss_at_random_scores(name)
    even = LOSSES[name](Y, 4, np.full(40, 1.0 / 40))

    def value(at):
        return 40 * step * even.value(at) + 0.5 * ((at - scores) ** 2).sum()

    nearest = even.prox(scores, step)
    least = value(nearest)
    for size in (1e-3, 0.1, 1.0):
        for _ in range(20):
            assert value(nearest + size * rng.normal(size=scores.shape)) >= least
            assert value(nearest + size * (scores - nearest)) >= least - 1e-12


@pytest.mark.parametrize("name", LOSSES)
def test_multipliers_bound_a_loss_from_below(name):
    loss, scores, rng = loss_at_random_scores(name)
    slope = loss.envelope(scores, 0.3).slope
    linear, quadratic = loss.conjugate(slope)
    for scale in (0.0, 0.4, 1.0):
        for _ in range(20):
            at = 3.0 * rng.normal(size=scores.shape)
            bound = scale * linear - scale**2 * quadratic + scale * np.vdot(slope, at)
            assert loss.value(at) >= bound - 1e-9
    touched = scores if loss.smooth else loss.prox(scores, 0.3)
    assert loss.value(touched) == pytest.approx(linear - quadratic + np.vdot(slope, touched))


@pytest.mark.parametrize(("name", "elastic"), ELASTIC)
@pytest.mark.parametrize("width", [1, 3, 9])
def test_the_proximal_point_of_a_penalty_is_the_minimiser(name, elastic, width):
    rng, penalty = np.random.default_rng(width), make_penalty(name, elastic)
    coef = rng.normal(size=(6, width))
    for step in (0.1, 1.0):
        nearest = penalty.prox(coef, step)
        least = step * penalty.value(nearest) + 0.5 * ((nearest - coef) ** 2).sum()
        for _ in range(50):
            at = nearest + 10.0 ** rng.uniform(-4, 0) * rng.normal(size=coef.shape)
            assert step * penalty.value(at) + 0.5 * ((at - coef) ** 2).sum() >= least
        if penalty.sparse:
            assert penalty.prox(coef, 100.0).any() == np.False_


@pytest.mark.parametrize(("name", "elastic"), ELASTIC)
def test_penalties_know_their_units(name, elastic):
    coef, penalty = np.random.default_rng(1).normal(size=(6, 4)), make_penalty(name, elastic)
    other, strength = penalty.in_units(7.0, 0.3)
    assert strength * other.value(7.0 * coef) == pytest.approx(0.3 * penalty.value(coef))


@pytest.mark.parametrize("combination", COMBINATIONS)
@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize(("penalty", "elastic"), ELASTIC)
def test_the_dual_bound_holds_everywhere_and_is_tight_at_the_minimum(
    combination, loss, penalty, elastic
):
    how = {"combination": combination, "loss": loss, "penalty": penalty, "elastic": elastic}
    problem = pose_problem(P, Y, share=SHARE, **how).at_strength(0.05)
    coef, intercept = problem.design.zeros()
    rng, reach = np.random.default_rng(3), (1.0 + coef, 1.0 + intercept)
    for softness in (0.02, 1.0):
        scores = problem.design.scores(coef + 0.1 * rng.normal(size=coef.shape), intercept)
        bound = problem.bound(problem.loss.envelope(scores, softness).slope, *reach)
        for size in (0.0, 0.01, 0.3, 1.0):
            at, free = (size * rng.normal(size=w.shape) for w in (coef, intercept))
            assert problem.objective(at, problem.design.scores(at, free)) >= bound - 1e-12
    found = solve(P, Y, share=SHARE, strength=0.05, solver="newton", **how)
    bound = problem.bound(found.multipliers, found.coef, found.intercept)
    assert bound == pytest.approx(found.objective, rel=2e-6)
    assert bound <= found.objective + 1e-12


@pytest.mark.parametrize("combination", COMBINATIONS)
def test_combinations_are_linear_and_have_their_adjoint(combination):
    design, rng = COMBINATIONS[combination](P), np.random.default_rng(4)
    weights = [rng.normal(size=w.shape) for w in design.zeros()]
    slope = rng.normal(size=(40, 4))
    pull, balance = design.adjoint(slope)
    there = np.vdot(design.scores(*weights), slope)
    assert there == pytest.approx(np.vdot(weights[0], pull) + weights[1] @ balance)
    diagonal, spoke = rng.uniform(1, 2, (40, 4)), 0.3 * rng.normal(size=(40, 4))
    flat = np.concatenate([w.ravel() for w in weights])
    moved = design.scores(*weights)
    bent = (diagonal * moved**2).sum() - ((spoke * moved).sum(axis=1) ** 2).sum()
    assert flat @ design.curvature(diagonal, spoke) @ flat == pytest.approx(bent)


@pytest.mark.parametrize("combination", COMBINATIONS)
@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize(("penalty", "elastic"), ELASTIC)
@pytest.mark.parametrize("solver", ["auto", *SOLVERS])
def test_solvers_certify_what_they_say_they_can(combination, loss, penalty, elastic, solver):
    how = {"combination": combination, "loss": loss, "penalty": penalty, "elastic": elastic}
    paid = make_penalty(penalty, elastic)
    if solver != "auto" and SOLVERS[solver].cannot(combination, loss, paid):
        with pytest.raises(ValueError, match="Use solver='auto'"):
            solve(P, Y, solver=solver, **how)
        return
    strength, tol = (0.1, 1e-2) if solver == "admm" else (0.02, 1e-4)
    found = solve(P, Y, solver=solver, strength=strength, tol=tol, **how)
    assert found.converged
    assert found.solver == solver or solver == "auto"


@pytest.mark.parametrize(("option", "names"), [("loss", LOSSES), ("penalty", PENALTIES)])
def test_stacks_take_what_is_registered(option, names):
    members = [("bayes", GaussianNB()), ("tree", DecisionTreeClassifier(max_depth=2))]
    flat = P.reshape(40, -1)
    for name in names:
        stack = MarginStackingClassifier(members, strength=0.01, cv=2, **{option: name})
        assert stack.fit(flat, Y).score(flat, Y) > 0.5


def test_names_are_given_once():
    with pytest.raises(ValueError, match="there is a penalty 'l1' already"):
        named(PENALTIES, "l1")(type("Other", (SparsePenalty,), {}))
