"""The solvers against golden optima, each other, and a conic solver."""

import itertools
import warnings

import cvxpy as cp
import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning
from sklearn.svm import LinearSVC

from tests.stacking.problems import GOLDEN_P, GOLDEN_Y, level_one_problem
from uneven.stacking.model.combinations import COMBINATIONS
from uneven.stacking.model.losses import LOSSES
from uneven.stacking.model.penalties import PENALTIES
from uneven.stacking.model.problem import find_floors, floored_logs, pose_problem
from uneven.stacking.solvers.solve import STRENGTHS, minimise, solve

TRIPLES = list(itertools.product(COMBINATIONS, LOSSES, PENALTIES))

GOLDEN_HINGE = {
    ("ws", "l2"): 0.71527778,
    ("ws", "l1"): 0.55555556,
    ("ws", "group"): 0.55555556,
    ("cws", "l2"): 0.86944444,
    ("cws", "l1"): 0.97619048,
    ("cws", "group"): 0.72405499,
    ("lsg", "l2"): 0.78700167,
    ("lsg", "l1"): 0.95261438,
    ("lsg", "group"): 0.59958949,
}
GOLDEN_SQUARED = {"ws": 2.96934647, "cws": 2.95070313, "lsg": 1.72473472}


def joint_features(P, n, combination):
    """psi(f, n) of every row, written out: scores are its products with the weights."""
    n_rows, n_members, n_classes = P.shape
    if combination == "ws":
        return P[:, :, n]
    if combination == "cws":
        table = np.zeros((n_rows, n_members, n_classes))
        table[:, :, n] = P[:, :, n]
        return table.reshape(n_rows, -1)
    table = np.zeros((n_rows, n_members, n_classes, n_classes))
    table[:, :, :, n] = P
    constant = np.tile(np.eye(n_classes)[n], (n_rows, 1))
    return np.hstack([table.reshape(n_rows, -1), constant])


def hinges(conic, weights):
    misses = [1.0 - table @ weights for table in conic.tables]
    return cp.sum(cp.maximum(*misses, 0.0))


def squares(conic, weights):
    pairs = zip(conic.tables, conic.targets)
    return sum(cp.sum_squares(table @ weights - to) for table, to in pairs)


def blocks_of(name):
    """Norms of the blocks that a penalty says it has: for those that have no form of their own."""

    def price(rows):
        size = PENALTIES[name]().block(rows.shape)
        blocks = cp.reshape(rows, (rows.size // size, size), order="C")
        return cp.sum(cp.norm(blocks, 2, axis=1))

    return price


def surprises(conic, weights):
    scores = cp.vstack([table @ weights for table in conic.tables])
    return cp.sum(cp.log_sum_exp(scores, axis=0)) - conic.own @ weights


CONIC_LOSSES = {"hinge": hinges, "squared": squares, "log": surprises}
CONIC_PENALTIES = {
    "l2": cp.sum_squares,
    "l1": lambda rows: cp.sum(cp.abs(rows)),
    "group": lambda rows: cp.sum(cp.norm(rows, 2, axis=1)),
    "l2_unsquared": lambda rows: cp.norm(rows, "fro"),
}


class ConicProblem:
    """The same problem, written once for CVXPY and solved by Clarabel for many tables."""

    def __init__(
        self, shape, combination, loss, penalty, ridge=0.0, constraint="none", prices=None
    ):
        n_rows, n_members, n_classes = shape
        self.combination, self.loss, self.n_classes = combination, loss, n_classes
        width = {"ws": 1, "cws": n_classes, "lsg": n_classes**2}[combination]
        n_free = n_classes if combination == "lsg" else 0
        weights = cp.Variable(n_members * width + n_free)
        rows = cp.reshape(weights[: n_members * width], (n_members, width), order="C")
        n_tables = n_classes - 1 if loss == "hinge" else n_classes
        self.tables = [cp.Parameter((n_rows, weights.size)) for _ in range(n_tables)]
        self.targets = [cp.Parameter(n_rows) for _ in range(n_tables)]
        self.strength, self.own = cp.Parameter(nonneg=True), cp.Parameter(weights.size)
        cost = CONIC_LOSSES[loss](self, weights) / n_rows
        dearer = rows if prices is None else cp.multiply(np.asarray(prices)[:, None], rows)
        price = CONIC_PENALTIES.get(penalty, blocks_of(penalty))(dearer)
        price = price + ridge * cp.sum_squares(rows)
        allowed = [] if constraint == "none" else [rows >= 0.0]
        allowed += [cp.sum(rows, axis=0) == 1.0] if constraint == "simplex" else []
        self.problem = cp.Problem(cp.Minimize(cost + self.strength * price), allowed)

    def optimum(self, P, y, strength):
        if LOSSES[self.loss].of_logs:
            P = floored_logs(P, find_floors(P))
        psi = np.stack([joint_features(P, n, self.combination) for n in range(self.n_classes)])
        here = np.arange(len(y))
        for k, (table, target) in enumerate(zip(self.tables, self.targets)):
            if self.loss == "hinge":
                wrong = (y + 1 + k) % self.n_classes
                table.value = psi[y, here] - psi[wrong, here]
            else:
                table.value, target.value = psi[k], (y == k).astype(float)
        self.strength.value, self.own.value = strength, psi[y, here].sum(axis=0)
        self.problem.solve(solver=cp.CLARABEL)
        return self.problem.value


@pytest.mark.parametrize(("combination", "penalty"), GOLDEN_HINGE)
def test_golden_hinge(combination, penalty):
    found = solve(
        GOLDEN_P, GOLDEN_Y, combination=combination, penalty=penalty, strength=0.1, tol=1e-8
    )
    assert found.objective == pytest.approx(GOLDEN_HINGE[combination, penalty], abs=2e-8)
    assert found.converged


@pytest.mark.parametrize("combination", COMBINATIONS)
def test_golden_squared(combination):
    how = {"loss": "squared", "penalty": "l2", "strength": 0.1, "target": "pm1"}
    found = solve(GOLDEN_P, GOLDEN_Y, combination=combination, **how)
    assert found.objective == pytest.approx(GOLDEN_SQUARED[combination], abs=2e-8)


def test_golden_weights():
    how = {"loss": "squared", "penalty": "l2", "strength": 0.1}
    pm1 = solve(GOLDEN_P, GOLDEN_Y, combination="ws", target="pm1", **how)
    np.testing.assert_allclose(pm1.coef[:, 0], [-0.200866, 0.306535], atol=2e-6)
    assert (pm1.predict(GOLDEN_P) != GOLDEN_Y).sum() == 3
    ones = solve(GOLDEN_P, GOLDEN_Y, combination="ws", **how)
    np.testing.assert_allclose(ones.coef[:, 0], [0.485030, 0.681613], atol=2e-6)
    assert (ones.predict(GOLDEN_P) == GOLDEN_Y).all()
    cws = solve(GOLDEN_P, GOLDEN_Y, combination="cws", target="pm1", **how)
    expected = [[-0.013514, -0.341720, 0.100604], [0.301372, 0.153962, 0.105634]]
    np.testing.assert_allclose(cws.coef, expected, atol=2e-6)


def test_golden_hinge_weights():
    how = {"strength": 0.1, "tol": 1e-10}
    ws = solve(GOLDEN_P, GOLDEN_Y, combination="ws", penalty="l2", **how)
    np.testing.assert_allclose(ws.coef[:, 0], [0.916667, 1.416667], atol=1e-4)
    cws = solve(GOLDEN_P, GOLDEN_Y, combination="cws", penalty="l2", **how)
    expected = [[0.5, 0.166667, 0.416667], [0.583333, 0.416667, 0.583333]]
    np.testing.assert_allclose(cws.coef, expected, atol=1e-4)
    sparse = solve(GOLDEN_P, GOLDEN_Y, combination="ws", penalty="l1", **how)
    np.testing.assert_allclose(sparse.coef[:, 0], [1.904762, 2.380952], atol=1e-5)


@pytest.mark.slow
@pytest.mark.parametrize(("combination", "loss", "penalty"), TRIPLES)
def test_objective_equals_that_of_a_conic_solver(combination, loss, penalty):
    rng = np.random.default_rng(len(combination) * 7 + len(loss) * 3 + len(penalty))
    how = {"combination": combination, "loss": loss, "penalty": penalty}
    shapes = [(40, 6, 3), (25, 3, 2), (30, 4, 4)]
    for shape in shapes:
        conic = ConicProblem(shape, **how)
        for trial in range(4):
            P, y = level_one_problem(*shape, seed=trial)
            strength = float(10.0 ** rng.uniform(-3.5, -0.7))
            exact = conic.optimum(P, y, strength)
            found = solve(P, y, strength=strength, **how)
            assert found.objective == pytest.approx(exact, rel=1e-5, abs=1e-7), (shape, trial)
            assert found.objective - found.gap <= exact * (1.0 + 1e-6) + 1e-8


@pytest.mark.parametrize(("combination", "loss", "penalty"), TRIPLES)
@pytest.mark.parametrize("solver", ["newton", "admm"])
def test_solvers_agree(combination, loss, penalty, solver):
    P, y = level_one_problem(60, 5, 3, seed=4)
    strength, tol = (0.1, 1e-3) if solver == "admm" else (0.02, 1e-6)
    how = {"combination": combination, "loss": loss, "penalty": penalty, "strength": strength}
    reference = solve(P, y, tol=1e-7, **how)
    found = solve(P, y, solver=solver, tol=tol, **how)
    assert found.solver == solver
    assert found.converged
    assert found.objective == pytest.approx(reference.objective, rel=2.0 * tol)
    assert found.gap >= found.objective - reference.objective - 1e-9


@pytest.mark.parametrize("combination", COMBINATIONS)
def test_special_solvers_agree(combination):
    P, y = level_one_problem(60, 5, 3, seed=5)
    for solver, loss, penalty in (
        ("linear program", "hinge", "l1"),
        ("lasso", "squared", "l1"),
        ("closed form", "squared", "l2"),
    ):
        how = {"combination": combination, "loss": loss, "penalty": penalty, "strength": 0.02}
        special = solve(P, y, solver=solver, **how)
        general = solve(P, y, solver="newton", tol=1e-7, **how)
        assert special.solver == solver
        assert special.objective == pytest.approx(general.objective, rel=2e-6)


def test_linear_stacking_bounds_the_svm_that_penalises_its_intercept():
    P, y = level_one_problem(150, 4, 3, seed=6)
    strength, flat = 0.01, P.reshape(150, -1)
    model = LinearSVC(
        multi_class="crammer_singer", C=1.0 / (2 * strength * 150), tol=1e-8, max_iter=200_000
    ).fit(flat, y)
    problem = pose_problem(P, y, combination="lsg", penalty="l2")
    scores = model.decision_function(flat)
    theirs = problem.loss.value(scores) + strength * float((model.coef_**2).sum())
    penalised = theirs + strength * float((model.intercept_**2).sum())
    ours = minimise(problem, strength).objective
    assert ours <= theirs * (1.0 + 1e-6)
    assert ours >= penalised - 0.1 * theirs


@pytest.mark.slow
@pytest.mark.parametrize("combination", COMBINATIONS)
@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("penalty", ["l1", "group"])
def test_elastic_nets_equal_those_of_a_conic_solver(combination, loss, penalty):
    shape, how = (40, 5, 3), {"combination": combination, "loss": loss, "penalty": penalty}
    conic = ConicProblem(shape, ridge=0.5, **how)
    for seed, solver, strength in (*((s, "auto", 0.02) for s in range(3)), (0, "admm", 0.1)):
        P, y = level_one_problem(*shape, seed=seed)
        exact = conic.optimum(P, y, strength)
        found = solve(P, y, strength=strength, elastic=0.5, solver=solver, **how)
        assert found.objective == pytest.approx(exact, rel=1e-5)
        assert found.objective - found.gap <= exact * (1.0 + 1e-6)


CONSTRAINED = [
    *itertools.product(("ws", "cws", "lsg"), LOSSES, PENALTIES, ("nonneg",)),
    *itertools.product(("ws", "cws"), LOSSES, ("l2",), ("simplex",)),
]


@pytest.mark.slow
@pytest.mark.parametrize(("combination", "loss", "penalty", "constraint"), CONSTRAINED)
def test_constrained_weights_equal_those_of_a_conic_solver(combination, loss, penalty, constraint):
    shape, ridge = (30, 5, 3), 0.0 if penalty == "l2" else 0.3
    prices = None if "l2" in penalty else np.array([1.0, 3.0, 0.5, 1.0, 2.0])
    how = {"combination": combination, "loss": loss, "penalty": penalty, "constraint": constraint}
    conic = ConicProblem(shape, ridge=ridge, prices=prices, **how)
    for seed in range(1):
        P, y = level_one_problem(*shape, seed=seed)
        P[:, 1] = P[:, 1].mean() - 0.5 * P[:, 1]
        P -= min(0.0, P.min())
        exact = conic.optimum(P, y, 0.02)
        found = solve(P, y, strength=0.02, elastic=ridge, prices=prices, tol=1e-5, **how)
        assert found.converged
        assert found.coef.min() >= 0.0
        assert constraint == "nonneg" or found.coef.sum(axis=0) == pytest.approx(1.0)
        assert found.objective == pytest.approx(exact, rel=3e-5)
        assert found.objective - found.gap <= exact * (1.0 + 1e-6)


def test_dear_classifiers_are_dropped_first():
    P, y = level_one_problem(150, 6, 3, seed=3)
    P[:, 3:] = P[:, :3]
    for loss in LOSSES:
        found = solve(P, y, loss=loss, strength=0.01, prices=[1, 1, 1, 2, 2, 2])
        assert not found.selected[3:].any()
        assert found.selected[:3].any()


def test_an_elastic_penalty_keeps_copies_together():
    P, y = level_one_problem(150, 4, 3, seed=3)
    P = np.concatenate([P, P[:, :1] + 1e-3 * P[:, 1:2]], axis=1)
    alone = solve(P, y, strength=0.05)
    together = solve(P, y, strength=0.05, elastic=1.0)
    assert alone.selected.sum() < together.selected.sum()
    assert together.selected[[0, 4]].all()


@pytest.mark.parametrize("strength", [STRENGTHS[0], STRENGTHS[2], STRENGTHS[-1]])
@pytest.mark.parametrize("penalty", PENALTIES)
def test_extreme_strengths_end(penalty, strength):
    P, y = level_one_problem(120, 8, 4, seed=7)
    found = solve(P, y, penalty=penalty, strength=strength, tol=1e-4)
    assert np.isfinite(found.coef).all()
    assert found.converged
    if strength == 10.0:
        assert np.abs(found.coef).max() < 0.05
        assert penalty == "l2" or not found.selected.any()


def test_zero_and_repeated_columns_are_harmless():
    P, y = level_one_problem(80, 4, 3, seed=8)
    P[:, 1] = P[:, 0]
    P[:, 2, 1] = 0.0
    P[:, 3] = 0.0
    for combination, penalty in itertools.product(COMBINATIONS, PENALTIES):
        for strength in (1e-9, 1e-2):
            found = solve(
                P, y, combination=combination, penalty=penalty, strength=strength, tol=1e-4
            )
            assert np.isfinite(found.coef).all()
            assert not found.selected[3]
            assert (found.predict(P) == y).mean() > 0.6


@pytest.mark.parametrize("scale", [1e-6, 1e-3, 1e3, 1e6])
@pytest.mark.parametrize(
    ("combination", "loss", "penalty"), [how for how in TRIPLES if not LOSSES[how[1]].of_logs]
)
def test_the_unit_of_the_scores_does_not_matter(combination, loss, penalty, scale):
    P, y = level_one_problem(50, 4, 3, seed=13)
    how = {"combination": combination, "loss": loss, "penalty": penalty}
    usual = solve(P, y, strength=0.02, **how)
    power = 2 if penalty == "l2" else 1
    other = solve(scale * P, y, strength=0.02 * scale**power, **how)
    assert other.converged
    assert other.objective == pytest.approx(usual.objective, rel=3e-6)
    np.testing.assert_array_equal(other.selected, usual.selected)
    assert (other.predict(scale * P) == usual.predict(P)).mean() > 0.95


@pytest.mark.parametrize("scale", [1e-3, 1e3])
def test_the_unit_of_the_scores_does_not_matter_to_elastic_nets(scale):
    P, y = level_one_problem(50, 4, 3, seed=13)
    usual = solve(P, y, strength=0.02, elastic=0.5)
    other = solve(scale * P, y, strength=0.02 * scale, elastic=0.5 * scale)
    assert other.objective == pytest.approx(usual.objective, rel=3e-6)


def test_scores_of_nothing_but_zeros_are_harmless():
    for penalty in PENALTIES:
        found = solve(np.zeros((6, 2, 3)), GOLDEN_Y, penalty=penalty)
        assert not found.coef.any()


@pytest.mark.slow
def test_tiny_strengths_with_scores_near_zero_and_one():
    rng = np.random.default_rng(1)
    y = rng.integers(3, size=90)
    answers = np.where(rng.random((90, 3)) < 0.8, y[:, None], rng.integers(3, size=(90, 3)))
    P = np.abs(np.eye(3)[answers] - 1e-5 * rng.random((90, 3, 3)))
    program = solve(P, y, penalty="l1", strength=1e-11, solver="linear program")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        grouped = solve(P, y, penalty="group", strength=1e-11, tol=1e-4)
    assert grouped.objective <= program.objective * (1.0 + 1e-3) + 1e-6


def test_golden_largest_strength_with_weights():
    for combination, limit in (("ws", 0.28333333), ("cws", 0.10513361)):
        how = {"combination": combination, "penalty": "l1", "solver": "linear program"}
        assert not solve(GOLDEN_P, GOLDEN_Y, strength=limit * 1.001, **how).selected.any()
        assert solve(GOLDEN_P, GOLDEN_Y, strength=limit * 0.999, **how).selected.any()


def test_weights_of_rows_count_like_copies():
    P, y = level_one_problem(40, 5, 3, seed=9)
    counts = np.random.default_rng(0).integers(0, 4, size=40)
    for loss in LOSSES:
        copies = solve(np.repeat(P, counts, axis=0), np.repeat(y, counts), loss=loss, tol=1e-8)
        shares = solve(P, y, share=counts, loss=loss, tol=1e-8)
        np.testing.assert_allclose(shares.coef, copies.coef, atol=1e-3)
        assert shares.objective == pytest.approx(copies.objective, rel=1e-7)


def test_warm_starts_change_nothing_but_the_way():
    P, y = level_one_problem(150, 10, 4, seed=10)
    start = solve(P, y, strength=0.05)
    warm = solve(P, y, strength=0.01, start=start)
    cold = solve(P, y, strength=0.01)
    assert warm.objective == pytest.approx(cold.objective, rel=3e-6)
    other_rows = solve(P[:100], y[:100], strength=0.01, start=start)
    assert other_rows.converged


def test_group_penalty_keeps_or_drops_whole_rows():
    P, y = level_one_problem(200, 15, 3, seed=11)
    for combination in ("cws", "lsg"):
        found = solve(P, y, combination=combination, strength=0.03)
        zero = found.coef == 0.0
        assert zero.all(axis=1).any()
        assert (zero.all(axis=1) | ~zero.any(axis=1)).all()


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        ({"strength": 0.0}, "strength must be positive"),
        ({"strength": float("nan")}, "strength must be positive"),
        ({"strength": "big"}, "strength must be a positive number"),
        ({"solver": "lasso"}, "solves loss='squared', not 'hinge'"),
        ({"solver": "sums", "loss": "squared", "combination": "lsg"}, "combination='ws' or 'cws'"),
        ({"solver": "newton", "penalty": "l2", "constraint": "simplex"}, "constraint='none' or"),
        ({"constraint": "simplex"}, "has nothing to shorten"),
        ({"constraint": "simplex", "penalty": "l2", "combination": "lsg"}, "use 'ws' or 'cws'"),
        ({"constraint": "positive"}, "constraint"),
        ({"prices": [1.0]}, "prices must be 2 finite numbers"),
        ({"prices": [1.0, 0.0]}, "above 0"),
        ({"prices": [1.0, 2.0], "penalty": "l2"}, "keeps all"),
        ({"solver": "linear program", "penalty": "l2"}, "Use solver='auto'"),
        ({"combination": "sum"}, "combination"),
        ({"elastic": -1.0}, "elastic must be"),
        ({"elastic": 0.1, "penalty": "l2"}, "leave elastic=0"),
        (
            {"elastic": 0.1, "penalty": "l1", "solver": "linear program"},
            "solves elastic=0.0 without",
        ),
        ({"penalty": "l0"}, "penalty"),
        ({"share": np.zeros(6)}, "not all zero"),
        ({"share": -np.ones(6)}, ">= 0"),
    ],
)
def test_impossible_words_are_refused(words, sentence):
    with pytest.raises(ValueError, match=sentence):
        solve(GOLDEN_P, GOLDEN_Y, **words)


def test_bad_scores_and_labels_are_refused():
    with pytest.raises(ValueError, match="shape"):
        solve(GOLDEN_P[:, :, 0], GOLDEN_Y)
    with pytest.raises(ValueError, match="two classes"):
        solve(GOLDEN_P[:, :, :1], GOLDEN_Y)
    spoilt = GOLDEN_P.copy()
    spoilt[3, 1, 2] = np.nan
    with pytest.raises(ValueError, match=r"scores\[3, 1, 2\] is nan"):
        solve(spoilt, GOLDEN_Y)
    with pytest.raises(ValueError, match="calibrate classifiers"):
        solve(-GOLDEN_P, GOLDEN_Y, loss="log")
    with pytest.raises(ValueError, match="class position"):
        solve(GOLDEN_P, GOLDEN_Y.astype(float))
    with pytest.raises(ValueError, match="3 classes"):
        solve(GOLDEN_P, GOLDEN_Y + 1)
    with pytest.raises(ValueError, match="start has weights"):
        solve(GOLDEN_P, GOLDEN_Y, start=solve(GOLDEN_P, GOLDEN_Y, combination="ws"))


def test_stopping_early_is_said():
    P, y = level_one_problem(100, 8, 3, seed=12)
    with pytest.warns(ConvergenceWarning, match="newton stopped"):
        solve(P, y, strength=1e-3, max_iter=1)
