"""Non-linear combinations: golden values, theorems of the kernel form, odd inputs."""

from __future__ import annotations

import warnings
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.exceptions import ConvergenceWarning
from sklearn.svm import SVC, LinearSVC

from tests.stacking.problems import GOLDEN_P, GOLDEN_Y, level_one_problem
from uneven.linear.expansions import gram
from uneven.stacking.kernel.combiner import (
    class_tables,
    fit_kernel_combiner,
    pair_margins_to_scores,
)
from uneven.stacking.model.losses import class_targets
from uneven.stacking.solvers.solve import solve

CASES = [(c, loss) for c in ("ws", "cws", "lsg") for loss in ("squared", "hinge")]


def two_classes(P: np.ndarray, y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    y[:2] = 0, 1
    return P, y


FAST = settings(max_examples=15, deadline=None)
small = st.tuples(
    st.integers(6, 14), st.integers(1, 4), st.integers(2, 4), st.integers(0, 10**6)
).map(lambda size: two_classes(*level_one_problem(*size)))


def shares(n: int, seed: int = 0) -> np.ndarray:
    drawn = np.random.default_rng(seed).uniform(0.2, 2.0, n)
    return drawn / drawn.sum()


@pytest.mark.parametrize(
    ("kernel", "words", "per_class", "shared"),
    [
        ("rbf", {"gamma": 1.0}, (0.472387793, 0.657167026, 0.538623451), 1.097597761),
        ("poly", {"degree": 2}, (0.465537333, 0.665356297, 0.536235575), 1.052136540),
    ],
)
def test_golden_least_squares(kernel, words, per_class, shared):
    words = dict(loss="squared", kernel=kernel, strength=0.1, target="pm1", **words)
    cws = fit_kernel_combiner(GOLDEN_P, GOLDEN_Y, combination="cws", **words)
    assert cws.objective == pytest.approx(sum(per_class), abs=5e-9)
    assert (cws.predict(GOLDEN_P) == GOLDEN_Y).all()
    tables, targets = class_tables(GOLDEN_P, "cws"), class_targets(GOLDEN_Y, 3)
    for n, expected in enumerate(per_class):
        values = cws.machines[n](tables[n])
        cost = ((targets[:, [n]] - values) ** 2).mean()
        assert cost + 0.1 * cws.machines[n].squared_norms(values)[0] == pytest.approx(
            expected, abs=1e-9
        )
    ws = fit_kernel_combiner(GOLDEN_P, GOLDEN_Y, combination="ws", **words)
    assert ws.objective == pytest.approx(shared, abs=1e-9)


@pytest.mark.parametrize(
    ("combination", "objective"), [("ws", 2.96934647), ("cws", 2.95070313), ("lsg", 1.72473472)]
)
def test_golden_linear_kernel(combination, objective):
    found = fit_kernel_combiner(
        GOLDEN_P,
        GOLDEN_Y,
        combination=combination,
        loss="squared",
        kernel="linear",
        strength=0.1,
        target="pm1",
    )
    assert found.objective == pytest.approx(objective, abs=1e-8)


def test_golden_weights_from_the_linear_kernel():
    words = {"combination": "ws", "loss": "squared", "kernel": "linear", "strength": 0.1}
    ws = fit_kernel_combiner(GOLDEN_P, GOLDEN_Y, **words)
    u = ws.machines[0].expansion.rows.T @ ws.machines[0].expansion.coefficients[:, 0]
    assert u == pytest.approx([0.485030, 0.681613], abs=1e-6)
    assert (ws.predict(GOLDEN_P) == GOLDEN_Y).all()


@FAST
@given(small, st.sampled_from(["linear", "poly", "rbf"]), st.floats(1e-3, 1.0))
def test_coefficients_solve_the_system_and_may_be_negative(problem, kernel, strength):
    P, y = problem
    share = shares(len(y))
    words = {
        "combination": "cws",
        "loss": "squared",
        "kernel": kernel,
        "target": "pm1",
        "share": share,
    }
    found = fit_kernel_combiner(P, y, strength=strength, **words)
    signs, scores = class_targets(y, P.shape[2]), found.scores(P)
    for machine, n in zip(found.machines, found.seen):
        margin = signs[:, n] * scores[:, n]
        alpha = machine.expansion.coefficients[:, 0] * signs[:, n]
        assert alpha == pytest.approx(share * (1.0 - margin) / strength, abs=1e-7)
        assert ((alpha < 0) == (margin > 1))[np.abs(margin - 1) > 1e-6].all()


@FAST
@given(small, st.sampled_from(["poly", "rbf"]))
def test_scores_are_the_printed_sums(problem, kernel):
    P, y = problem
    words = {"loss": "squared", "kernel": kernel, "gamma": 0.7, "degree": 2, "strength": 0.05}
    n_rows, _, n_classes = P.shape
    ws = fit_kernel_combiner(P, y, combination="ws", **words)
    beta = ws.machines[0].expansion.coefficients.reshape(n_rows, n_classes)
    expected = np.zeros((n_rows, n_classes))
    for n in range(n_classes):
        for other in range(n_classes):
            near = gram(P[:, :, n], P[:, :, other], kernel, gamma=0.7, degree=2, coef0=1.0)
            expected[:, n] += near @ beta[:, other]
    assert ws.scores(P) == pytest.approx(expected, abs=1e-9)


@FAST
@given(small)
def test_class_weighted_least_squares_splits_over_the_classes(problem):
    P, y = problem
    words = {"loss": "squared", "kernel": "rbf", "gamma": 0.5, "strength": 0.02}
    whole = fit_kernel_combiner(P, y, combination="cws", **words)
    table = class_targets(y, P.shape[2], "01")
    for machine, n in zip(whole.machines, whole.seen):
        near = gram(P[:, :, n], None, "rbf", gamma=0.5)
        beta = np.linalg.solve(near + 0.02 * len(y) * np.eye(len(y)), table[:, n])
        assert machine.expansion.coefficients[:, 0] == pytest.approx(beta, abs=1e-8)


@FAST
@given(small)
def test_weighted_sum_is_ridge_on_all_pairs_of_row_and_class(problem):
    P, y = problem
    found = fit_kernel_combiner(
        P, y, combination="ws", loss="squared", kernel="linear", strength=0.02, target="pm1"
    )
    X, aims = class_tables(P, "ws")[0], class_targets(y, P.shape[2]).ravel()
    n_rows, n_members = P.shape[:2]
    u = np.linalg.solve(X.T @ X / n_rows + 0.02 * np.eye(n_members), X.T @ aims / n_rows)
    assert found.scores(P) == pytest.approx((X @ u).reshape(n_rows, -1), abs=1e-8)


@FAST
@given(small, st.sampled_from(["ws", "cws", "lsg"]), st.sampled_from(["01", "pm1"]))
def test_the_linear_kernel_gives_the_linear_combination(problem, combination, target):
    P, y = problem
    y[:2], y[2 : 2 + P.shape[2]] = [0, 1], np.arange(P.shape[2])
    words = {"combination": combination, "loss": "squared", "strength": 0.03, "target": target}
    words["share"] = shares(len(y))
    primal = solve(P, y, penalty="l2", **words)
    dual = fit_kernel_combiner(P, y, kernel="linear", **words)
    assert dual.objective == pytest.approx(primal.objective, rel=1e-9)
    assert dual.scores(P) == pytest.approx(primal.scores(P), abs=1e-8)


@pytest.mark.parametrize(("combination", "loss"), CASES)
@pytest.mark.parametrize("bias", ["none", "per_problem"])
def test_no_other_function_costs_less(combination, loss, bias):
    P, y = level_one_problem(40, 3, 3, 1)
    share = shares(40)
    words = {
        "combination": combination,
        "loss": loss,
        "kernel": "rbf",
        "strength": 0.01,
        "bias": bias,
    }
    found = fit_kernel_combiner(P, y, share=share, **words)
    assert (found.machines[0].intercept != 0).any() == (bias == "per_problem")
    rng = np.random.default_rng(0)
    for _ in range(20):
        assert _moved(found, P, y, share, 0.01, rng, bias) > found.objective - 1e-7


def _moved(found, P, y, share, strength, rng, bias) -> float:
    """The objective after a small change of coefficients and constants."""
    total = 0.0
    tables = class_tables(P, found.combination)
    for k, machine in enumerate(found.machines):
        X = tables[k if found.combination == "cws" else 0]
        shape = machine.expansion.coefficients.shape
        step = 1e-3 * rng.standard_normal(shape) * np.abs(machine.expansion.coefficients).max()
        beta = machine.expansion.coefficients + step
        constants = machine.intercept + (
            1e-2 * rng.standard_normal(shape[1]) if bias != "none" else 0.0
        )
        rows, params = machine.expansion.rows, machine.expansion.params
        values = gram(X, rows, "rbf", **params) @ beta + constants
        norms = np.einsum("ij,ij->j", beta, gram(rows, rows, "rbf", **params) @ beta)
        total += strength * norms.sum() + _loss(found, values, y, share, k)
    return total


def _loss(found, values, y, share, k) -> float:
    n_classes = found.n_classes
    if found.loss == "hinge" and found.combination == "lsg":
        lost = 0.0
        for pair, (a, b) in enumerate(combinations(range(n_classes), 2)):
            sign = np.where(y == a, 1.0, np.where(y == b, -1.0, 0.0))
            lost += share[sign != 0] @ np.maximum(0, 1 - sign * values[:, pair])[sign != 0]
        return float(lost)
    aims = class_targets(y, n_classes, "pm1" if found.loss == "hinge" else "01")
    values = values.reshape(len(y), -1)
    aims = aims[:, [k]] if found.combination == "cws" else aims
    cost = (aims - values) ** 2 if found.loss == "squared" else np.maximum(0, 1 - aims * values)
    return float(share @ cost.sum(axis=1))


@pytest.mark.parametrize("combination", ["ws", "cws"])
def test_hinge_is_the_support_vector_machine_of_the_tables(combination):
    P, y = level_one_problem(60, 4, 3, 2)
    strength = 0.003
    found = fit_kernel_combiner(P, y, combination=combination, gamma=0.8, strength=strength)
    signs = class_targets(y, 3)
    tables = class_tables(P, combination)
    aims = [signs.ravel()] if combination == "ws" else list(signs.T)
    values = [
        SVC(C=1 / (2 * strength * 60), gamma=0.8).fit(X, s).decision_function(X)
        for X, s in zip(tables, aims)
    ]
    expected = values[0].reshape(60, 3) if combination == "ws" else np.column_stack(values)
    assert found.scores(P) == pytest.approx(expected, abs=2e-3)


def test_stacking_by_pairs_is_one_against_one():
    P, y = level_one_problem(90, 4, 4, 3)
    found = fit_kernel_combiner(P, y, combination="lsg", gamma=0.5, strength=0.003)
    svm = SVC(C=1 / (2 * 0.003 * 90), gamma=0.5, decision_function_shape="ovo")
    margins = svm.fit(P.reshape(90, -1), y).decision_function(P.reshape(90, -1))
    assert found.machines[0](P.reshape(90, -1)) == pytest.approx(margins, abs=5e-3)
    svm.set_params(decision_function_shape="ovr", break_ties=True)
    assert (found.predict(P) == svm.predict(P.reshape(90, -1))).all()
    assert found.scores(P) == pytest.approx(svm.decision_function(P.reshape(90, -1)), abs=5e-3)


def test_hinge_without_bias_is_the_linear_machine_through_the_origin():
    P, y = level_one_problem(60, 3, 3, 5)
    words = {"loss": "hinge", "kernel": "linear", "strength": 0.01, "bias": "none"}
    found = fit_kernel_combiner(P, y, combination="ws", **words)
    X, signs = class_tables(P, "ws")[0], class_targets(y, 3).ravel()
    flat = LinearSVC(
        C=1 / (2 * 0.01 * 60), loss="hinge", fit_intercept=False, tol=1e-8, max_iter=10**6
    )
    expected = flat.fit(X, signs).decision_function(X).reshape(60, 3)
    assert found.scores(P) == pytest.approx(expected, abs=1e-3)


@pytest.mark.parametrize(("combination", "loss"), CASES)
def test_shares_count_rows(combination, loss):
    P, y = level_one_problem(30, 3, 3, 7)
    times = np.random.default_rng(1).integers(0, 3, 30)
    words = {"combination": combination, "loss": loss, "gamma": 0.6, "strength": 0.02}
    weighed = fit_kernel_combiner(P, y, share=times / times.sum(), **words)
    copied = fit_kernel_combiner(np.repeat(P, times, axis=0), np.repeat(y, times), **words)
    assert weighed.objective == pytest.approx(copied.objective, rel=1e-4)
    assert weighed.scores(P) == pytest.approx(copied.scores(P), abs=2e-2)


def test_landmarks_come_close_and_all_of_them_are_exact():
    P, y = level_one_problem(150, 4, 3, 11)
    words = {
        "combination": "ws",
        "loss": "squared",
        "kernel": "rbf",
        "gamma": 0.5,
        "strength": 0.01,
    }
    whole = fit_kernel_combiner(P, y, **words)
    some = fit_kernel_combiner(P, y, landmarks=100, **words)
    assert len(some.machines[0].expansion.rows) == 100
    assert whole.objective <= some.objective <= 1.01 * whole.objective
    assert (whole.predict(P) == some.predict(P)).mean() > 0.97
    again = fit_kernel_combiner(P, y, landmarks=100, **words)
    assert np.array_equal(some.scores(P), again.scores(P))
    other = fit_kernel_combiner(P, y, landmarks=100, random_state=1, **words)
    assert not np.array_equal(some.scores(P), other.scores(P))
    nearly = fit_kernel_combiner(P, y, landmarks=449, **words)
    assert nearly.objective == pytest.approx(whole.objective, rel=1e-6)


@pytest.mark.parametrize("share", [None, shares(60)])
def test_landmarks_with_bias(share):
    P, y = level_one_problem(60, 3, 3, 12)
    words = {"combination": "lsg", "loss": "squared", "kernel": "linear", "strength": 0.01}
    whole = fit_kernel_combiner(P, y, share=share, **words)
    some = fit_kernel_combiner(P, y, share=share, landmarks=30, **words)
    assert some.objective == pytest.approx(whole.objective, rel=1e-8)
    assert some.scores(P) == pytest.approx(whole.scores(P), abs=1e-6)
    curved = fit_kernel_combiner(P, y, share=share, **words | {"kernel": "rbf", "landmarks": 20})
    lost = ((curved.scores(P) - class_targets(y, 3, "01")) ** 2).sum(axis=1)
    lengths = curved.machines[0].expansion.squared_norm()
    mean = np.average(lost, weights=share)
    assert curved.objective == pytest.approx(mean + 0.01 * lengths.sum())


@pytest.mark.parametrize("landmarks", [25, 1000])
@pytest.mark.parametrize("kernel", ["linear", "poly", "rbf"])
def test_tiny_strengths_and_scores_without_content(kernel, landmarks):
    P, y = level_one_problem(40, 3, 3, 47)
    words = {"combination": "ws", "loss": "squared", "degree": 5, "landmarks": landmarks}
    found = fit_kernel_combiner(P, y, kernel=kernel, strength=1e-11, **words)
    assert np.isfinite(found.scores(P)).all()
    assert (found.predict(P) == y).mean() > 0.6
    for level in (0.0, 1.0):
        flat = fit_kernel_combiner(np.full_like(P, level), y, kernel=kernel, **words)
        assert np.ptp(flat.scores(P * 0.0 + level)) < 1e-9


@pytest.mark.parametrize(("combination", "loss"), CASES)
@pytest.mark.parametrize(("n_members", "n_classes"), [(1, 2), (1, 3), (3, 2)])
def test_few_members_and_few_classes(combination, loss, n_members, n_classes):
    P, y = level_one_problem(40, n_members, n_classes, 13)
    P[np.arange(40), :, y] += 1.0
    found = fit_kernel_combiner(P, y, combination=combination, loss=loss, strength=0.001)
    assert found.scores(P).shape == (40, n_classes)
    assert (found.predict(P) == y).all()


@pytest.mark.parametrize("loss", ["squared", "hinge"])
@pytest.mark.parametrize("combination", ["cws", "lsg"])
def test_a_class_without_rows_is_never_answered(combination, loss):
    P, y = level_one_problem(50, 3, 4, 17)
    P, y = P[y != 2], y[y != 2]
    found = fit_kernel_combiner(P, y, combination=combination, loss=loss)
    scores = found.scores(P)
    assert scores.shape == (len(y), 4)
    assert not (found.predict(P) == 2).any()
    assert (scores[:, 2] == np.delete(scores, 2, axis=1).min(axis=1)).all()


def test_order_of_classes_does_not_matter():
    P, y = level_one_problem(40, 3, 3, 19)
    order = np.array([2, 0, 1])
    for combination in ("ws", "cws"):
        words = {"combination": combination, "loss": "squared", "gamma": 0.4}
        straight = fit_kernel_combiner(P, y, **words).scores(P)
        turned = fit_kernel_combiner(P[:, :, order], np.argsort(order)[y], **words)
        assert turned.scores(P[:, :, order]) == pytest.approx(straight[:, order], abs=1e-8)


def test_pairs_settle_ties_by_margin():
    margins = np.array([[0.1, -3.0, 1.0], [5.0, 1.0, 1.0]])
    scores = pair_margins_to_scores(margins, 3)
    assert scores.argmax(axis=1).tolist() == [2, 0]
    assert np.round(scores).tolist() == [[1, 1, 1], [2, 1, 0]]


def test_float32_fortran_and_lists_give_the_same():
    P, y = level_one_problem(20, 2, 3, 23)
    P = np.round(P * 64) / 64
    words = {"loss": "squared", "gamma": 0.5}
    straight = fit_kernel_combiner(P, y, **words).scores(P)
    for odd in (P.astype(np.float32), np.asfortranarray(P), P.tolist()):
        assert np.array_equal(fit_kernel_combiner(odd, y.tolist(), **words).scores(odd), straight)


def test_inputs_are_left_alone():
    P, y = level_one_problem(20, 2, 3, 29)
    share = shares(20)
    before = P.copy(), y.copy(), share.copy()
    fit_kernel_combiner(P, y, share=share)
    assert np.array_equal(before[0], P)
    assert np.array_equal(before[1], y)
    assert np.array_equal(before[2], share)


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        ({"penalty": "group"}, "penalty='group' has no form in the space of a kernel"),
        ({"penalty": "l1"}, "kernel=None"),
        ({"kernel": "sigmoid"}, "kernel must be one of 'linear', 'poly', 'rbf'"),
        ({"combination": "sum"}, "combination must be one of"),
        ({"loss": "logistic"}, "loss must be one of"),
        ({"target": "11"}, "target must be one of"),
        ({"bias": "one"}, "bias must be one of"),
        ({"strength": 0.0}, "strength must be a finite number above 0, got 0.0"),
        ({"strength": True}, "strength must be"),
        ({"gamma": -1.0}, "gamma must be"),
        ({"gamma": "wide"}, "gamma must be"),
        ({"degree": 0}, "degree must be a whole number at least 1, got 0"),
        ({"coef0": -1.0}, "coef0 must not be below 0"),
        ({"kernel": "poly", "degree": 100_000}, "values of the poly kernel reach inf"),
        ({"landmarks": 0}, "landmarks must be"),
        ({"max_iter": 1.5}, "max_iter must be"),
        ({"share": np.ones(3)}, r"share has shape \(3,\)"),
        ({"share": -np.ones(20)}, "share must be finite, >= 0"),
        ({"y": np.zeros(20, dtype=int)}, "y holds only class 0"),
        ({"y": np.full(20, 3)}, "y holds 3 to 3"),
        ({"y": ["a"] * 20}, "class position"),
        ({"y": [0, 1]}, "one class position .int. for each of the 20 rows"),
        ({"P": np.ones((20, 3))}, r"got \(20, 3\)"),
        ({"P": np.ones((20, 2, 1))}, "two classes"),
        ({"P": np.full((20, 2, 3), np.nan)}, r"scores\[0, 0, 0\] is nan"),
    ],
)
def test_impossible_settings_are_refused(words, sentence):
    P, y = level_one_problem(20, 2, 3, 31)
    given_words = {"P": P, "y": y} | words
    with pytest.raises(ValueError, match=sentence):
        fit_kernel_combiner(given_words.pop("P"), given_words.pop("y"), **given_words)


def test_other_scores_than_those_of_the_fit_are_refused():
    P, y = level_one_problem(20, 2, 3, 37)
    found = fit_kernel_combiner(P, y)
    with pytest.raises(ValueError, match="3 classifiers for 3 classes, but the combiner joins 2"):
        found.scores(np.ones((5, 3, 3)))
    with pytest.raises(ValueError, match=r"scores\[0, 0, 0\] is inf"):
        found.predict(np.full((1, 2, 3), np.inf))


@pytest.mark.parametrize("bias", ["none", "per_problem"])
def test_a_machine_that_does_not_come_to_rest_says_so_once(bias):
    P, y = level_one_problem(60, 3, 3, 41)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        found = fit_kernel_combiner(P, y, max_iter=3, strength=1e-6, bias=bias)
    assert [warning.category for warning in caught] == [ConvergenceWarning]
    assert "within 3 steps" in str(caught[0].message)
    assert not found.converged
    assert np.isfinite(found.scores(P)).all()
