"""Where the published descent goes to chance, and what stands there.

A classifier that never speaks for a class has a column of zeros; Gaussian or Parzen posteriors that
underflow have nearly one. Under l1, and under the group penalty at small weights, the published
step then divides by (nearly) nothing.
"""

import numpy as np
import pytest
from sklearn.datasets import load_wine
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.model_selection import StratifiedKFold, cross_val_predict
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier

from tests.stacking.problems import level_one_problem
from uneven.stacking.solvers.solve import solve
from uneven_published.sen.majorisation import PAPER, majorise

NAMES = ("l2", "l1", "group")
SHAPES = {"waveform": (250, 3), "vehicle": (200, 4), "vowel": (220, 11), "wine": (89, 3)}
SHAPES["yeast"] = (250, 9)
TINY = 1e-11


def silenced(P, level):
    """The second classifier never speaks for the first class."""
    P = P.copy()
    P[:, 1, 0] *= level
    return P / P.sum(axis=2, keepdims=True)


def stack(name, level=0.0):
    n_samples, n_classes = SHAPES[name]
    P, y = level_one_problem(2 * n_samples, 12, n_classes, seed=len(name))
    P = silenced(P, level)
    return P[:n_samples], y[:n_samples], P[n_samples:], y[n_samples:]


def error(coef, P, y):
    """Rows without finite scores are answered with the first class, as a plain argmax does."""
    return float(np.mean(np.einsum("imn,mn->in", P, coef).argmax(axis=1) != y))


def near_the_mean(P, y):
    """Error of the mean of all classifiers, plus a tenth: far below chance in all cases."""
    return error(np.ones(P.shape[1:]), P, y) + 0.1


@pytest.mark.parametrize("name", SHAPES)
@pytest.mark.parametrize("penalty", ["l1", "group"])
def test_published_steps_collapse_on_a_silent_column(name, penalty):
    P, y, P_new, y_new = stack(name)
    literal = majorise(P, y, penalty=penalty, strength=TINY, guards=False, **PAPER)
    assert np.isnan(literal.coef).all()
    assert not literal.converged
    chance = 1.0 - np.mean(y_new == 0)
    assert error(literal.coef, P_new, y_new) == pytest.approx(chance)


@pytest.mark.parametrize("name", SHAPES)
@pytest.mark.parametrize("mode", ["paper", "safe"])
@pytest.mark.parametrize("penalty", NAMES)
def test_guards_and_the_safe_mode_stand(name, mode, penalty):
    P, y, P_new, y_new = stack(name)
    found = majorise(P, y, penalty=penalty, strength=TINY, mode=mode, n_sweeps=30)
    assert np.isfinite(found.coef).all()
    assert np.isfinite(found.objective)
    assert found.coef[1, 0] == 0.0
    assert error(found.coef, P_new, y_new) < near_the_mean(P_new, y_new)


@pytest.mark.parametrize("name", SHAPES)
@pytest.mark.parametrize("penalty", ["l1", "group"])
@pytest.mark.parametrize(("level", "strength"), [(0.0, TINY), (0.0, 1e-3), (1e-8, 1e-3)])
def test_exact_solver_stands(name, penalty, level, strength):
    P, y, P_new, y_new = stack(name, level)
    found = solve(P, y, penalty=penalty, strength=strength, tol=1e-2)
    assert found.converged
    assert np.isfinite(found.coef).all()
    assert error(found.coef, P_new, y_new) < near_the_mean(P_new, y_new)


@pytest.mark.parametrize("name", SHAPES)
def test_published_steps_stand_under_l2(name):
    P, y, P_new, y_new = stack(name)
    literal = majorise(P, y, penalty="l2", strength=TINY, guards=False, n_sweeps=30)
    assert literal.coef[1, 0] == 0.0
    assert error(literal.coef, P_new, y_new) < near_the_mean(P_new, y_new)


@pytest.mark.parametrize("penalty", ["l1", "group"])
def test_weights_jump_on_a_faint_column(penalty):
    P, y, P_new, y_new = stack("waveform", level=1e-8)
    literal = majorise(P, y, penalty=penalty, strength=TINY, guards=False, n_sweeps=1)
    assert np.abs(literal.coef).max() > 1e6
    for mode in ("paper", "safe"):
        found = majorise(P, y, penalty=penalty, strength=TINY, mode=mode, n_sweeps=30)
        assert np.abs(found.coef).max() < 1e3
        assert error(found.coef, P_new, y_new) < near_the_mean(P_new, y_new)


@pytest.mark.parametrize("penalty", NAMES)
def test_weights_of_a_silent_column_are_dropped_from_a_start(penalty):
    P, y, _, _ = stack("wine")
    earlier = majorise(P, y, penalty="l2", strength=0.1, n_sweeps=2)
    earlier.coef[1, 0] = 7.0
    for mode in ("paper", "safe"):
        found = majorise(P, y, penalty=penalty, start=earlier, mode=mode, n_sweeps=2)
        assert found.coef[1, 0] == 0.0


@pytest.fixture(scope="module")
def wine():
    """Level-1 scores on Wine; one classifier was trained without the first class."""
    X, y = load_wine(return_X_y=True)
    learners = [
        make_pipeline(StandardScaler(), LinearDiscriminantAnalysis()),
        GaussianNB(),
        DecisionTreeClassifier(max_depth=2, random_state=0),
        KNeighborsClassifier(5),
    ]
    folds = StratifiedKFold(4, shuffle=True, random_state=0)
    scores = [cross_val_predict(m, X, y, cv=folds, method="predict_proba") for m in learners]
    partial = np.zeros((len(y), 3))
    for train, test in folds.split(X, y):
        known = train[y[train] > 0]
        partial[test, 1:] = GaussianNB().fit(X[known, 5:9], y[known]).predict_proba(X[test, 5:9])
    P = np.stack([*scores, partial], axis=1)
    half = np.random.default_rng(0).permutation(len(y))
    return P[half[:89]], y[half[:89]], P[half[89:]], y[half[89:]]


@pytest.mark.parametrize("penalty", ["l1", "group"])
def test_wine_with_a_classifier_that_knows_two_classes(wine, penalty):
    P, y, P_new, y_new = wine
    literal = majorise(P, y, penalty=penalty, strength=TINY, guards=False, **PAPER)
    assert error(literal.coef, P_new, y_new) > 0.5
    guarded = majorise(P, y, penalty=penalty, strength=TINY)
    safe = majorise(P, y, penalty=penalty, strength=TINY, mode="safe")
    assert error(guarded.coef, P_new, y_new) <= 0.05
    assert error(safe.coef, P_new, y_new) <= 0.05
