"""Many classes as questions with two answers, and weights with the fewest mistakes."""

import numpy as np
import pytest
from sklearn.multiclass import OneVsOneClassifier, OneVsRestClassifier
from sklearn.svm import LinearSVC

from tests.stacking.problems import level_one_problem
from uneven.fusion.output_codes import CODES, OutputCodeRule, code_matrix
from uneven.fusion.weighted_rules import MinimumClassificationError

P, Y = level_one_problem(240, 5, 4, seed=1)
KNOWN, NEW = slice(0, 120), slice(120, None)


@pytest.mark.parametrize("n_classes", [2, 3, 5, 6, 12])
@pytest.mark.parametrize("kind", CODES)
def test_codes_tell_classes_apart(kind, n_classes):
    codes = code_matrix(kind, n_classes)
    assert set(np.unique(codes)) <= {-1.0, 0.0, 1.0}
    for column in codes.T:
        assert {-1.0, 1.0} <= set(column)
    asked = codes[:, None] * codes[None]
    apart = (asked < 0.0).any(axis=2) | np.eye(n_classes, dtype=bool)
    assert apart.all()


def test_random_codes_are_those_of_many_draws_that_differ_most():
    codes = code_matrix("output_codes", 8)
    alike = (codes @ codes.T)[np.triu_indices(8, 1)]
    assert codes.shape == (8, 30)
    assert (30 - alike.max()) / 2 >= 10


def test_one_against_the_rest_is_that_of_scikit_learn():
    flat = P.reshape(len(P), -1)
    machine = LinearSVC(C=500.0 / 120, dual=False, tol=1e-10, max_iter=10_000)
    theirs = OneVsRestClassifier(machine).fit(flat[KNOWN], Y[KNOWN])
    ours = OutputCodeRule("one_vs_rest").fit(P[KNOWN], Y[KNOWN])
    coef = np.vstack([one.coef_ for one in theirs.estimators_])
    np.testing.assert_allclose(ours.coef, coef, atol=1e-5)


def test_pairs_are_those_of_scikit_learn():
    flat = P.reshape(len(P), -1)
    machine = LinearSVC(C=500.0 / 120, dual=False, tol=1e-10, max_iter=10_000)
    theirs = OneVsOneClassifier(machine).fit(flat[KNOWN], Y[KNOWN])
    ours = OutputCodeRule("one_vs_one").fit(P[KNOWN], Y[KNOWN])
    coef = np.vstack([one.coef_ for one in theirs.estimators_])
    np.testing.assert_allclose(ours.coef, -coef, atol=1e-5)
    same = ours.scores(P[NEW]).argmax(axis=1) == theirs.predict(flat[NEW])
    assert same.mean() > 0.9


@pytest.mark.parametrize("kind", CODES)
def test_codes_answer_better_than_the_mean(kind):
    rule = OutputCodeRule(kind, strength=0.01).fit(P[KNOWN], Y[KNOWN])
    right = (rule.scores(P[NEW]).argmax(axis=1) == Y[NEW]).mean()
    assert right > (P[NEW].mean(axis=1).argmax(axis=1) == Y[NEW]).mean() - 0.02
    single = [(P[NEW, m].argmax(axis=1) == Y[NEW]).mean() for m in range(5)]
    assert right > max(single)


def test_a_class_without_rows_is_no_obstacle():
    here = Y[KNOWN] != 3
    rule = OutputCodeRule("one_vs_one").fit(P[KNOWN][here], Y[KNOWN][here])
    assert np.isfinite(rule.scores(P[NEW])).all()


def test_unlearnt_and_forged_machines_are_refused():
    with pytest.raises(ValueError, match="call fit first"):
        OutputCodeRule().scores(P)
    rule = OutputCodeRule("one_vs_rest").fit(P[KNOWN], Y[KNOWN])
    with pytest.raises(ValueError, match="weights of machines"):
        rule._check_model_(4, 4)
    with pytest.raises(ValueError, match="code must be one of"):
        OutputCodeRule("two_vs_two").fit(P, Y)


def test_minimum_classification_error_makes_fewer_mistakes_than_equal_weights():
    rng = np.random.default_rng(0)
    noise = rng.dirichlet(np.ones(4), (len(P), 6))
    crowd = np.concatenate([P[:, :2], noise], axis=1)
    rule = MinimumClassificationError().fit(crowd[KNOWN], Y[KNOWN])
    wrong = (rule.scores(crowd[NEW]).argmax(axis=1) != Y[NEW]).mean()
    equal = (crowd[NEW].mean(axis=1).argmax(axis=1) != Y[NEW]).mean()
    assert wrong < equal - 0.05
    assert rule.weights.sum() == pytest.approx(1.0)
    assert rule.weights[:2].sum() > 0.6
