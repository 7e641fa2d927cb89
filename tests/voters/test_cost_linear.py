"""The linear weak learner: against scikit-learn's regression, odd columns, categories, its file."""

import pickle

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import Pipeline

from tests.persistence.test_model_file import CARD, PROBLEM, first, put, write
from tests.problems import gaussian_classes
from uneven import ComboClassifier, MumboClassifier, NormComboClassifier
from uneven.comparison import METHODS, Settings, fit_method
from uneven.costs.matrices import RunningCosts
from uneven.persistence.model_file import ModelFileError, load_model, save_model
from uneven.voters import CostLinear, LinearVoter, TrainingTable

pytestmark = pytest.mark.filterwarnings("error::UserWarning", "error::RuntimeWarning")


def learn(X, y, mass=None, n_classes=3, columns=None, n_codes=None, **params):
    mass = np.ones(len(y)) if mass is None else mass
    table = TrainingTable(X, y, n_classes, mass, n_codes=n_codes)
    columns = np.arange(X.shape[1]) if columns is None else columns
    return CostLinear(**params).learn(table, columns, RunningCosts(y, n_classes, mass))


def linear_combo(**params):
    return ComboClassifier(CostLinear(), **({"n_estimators": 4} | params))


@pytest.fixture(scope="module")
def problem():
    return gaussian_classes([120, 60, 30], separation=0.8)


def test_coefficients_are_those_of_weighted_logistic_regression(problem):
    X, y = problem
    X = X * [1.0, 50.0, 1e-3, 7.0] + [3.0, -200.0, 0.0, 1e3]
    mass = np.random.default_rng(0).uniform(0.1, 3.0, len(y))
    voter, answers = learn(X, y, mass, ridge=4.0, max_iter=2000)
    stakes = mass / mass.sum()
    centre = stakes @ X
    scale = np.sqrt(stakes @ (X - centre) ** 2)
    np.testing.assert_allclose(voter.centre, centre)
    np.testing.assert_allclose(voter.scale, scale)
    twin = LogisticRegression(C=1 / 4.0, tol=1e-9, max_iter=1000)
    twin.fit((X - centre) / scale, y, sample_weight=stakes * len(y))
    np.testing.assert_array_equal(answers, twin.predict((X - centre) / scale))
    for found, known in ((voter.coef, twin.coef_.T), (voter.intercept, twin.intercept_)):
        centred = found - found.mean(axis=-1, keepdims=True)
        np.testing.assert_allclose(
            centred, known - known.mean(axis=-1, keepdims=True), atol=1e-2, rtol=1e-2
        )
    reach = [np.sum(mass[(y == c) & (answers == c)]) / mass[y == c].sum() for c in range(3)]
    np.testing.assert_allclose(voter.reach, reach)
    np.testing.assert_array_equal(voter.predict(X), answers)
    early, _ = learn(X, y, mass, ridge=4.0, max_iter=1)
    assert np.abs(early.coef - voter.coef).max() > 0.05


def test_columns_are_standardised_by_what_is_known(problem):
    X, y = problem
    X = np.where(np.random.default_rng(4).random(X.shape) < 0.8, X + 2.0, np.nan)
    mass = np.random.default_rng(5).uniform(0.1, 3.0, len(y))
    known = np.ma.masked_invalid(X)
    mean = np.ma.average(known, axis=0, weights=mass)
    spread = np.sqrt(np.ma.average((known - mean) ** 2, axis=0, weights=mass))
    voter, _ = learn(X, y, mass)
    np.testing.assert_allclose(voter.centre, mean)
    np.testing.assert_allclose(voter.scale, spread)
    filled = np.nan_to_num(X)
    spread = np.sqrt(
        np.average(filled**2, axis=0, weights=mass) - (mass @ filled / mass.sum()) ** 2
    )
    for kind in (sp.csr_matrix, sp.csc_array):
        voter, _ = learn(kind(X), y, mass)
        np.testing.assert_array_equal(voter.centre, np.zeros(4))
        np.testing.assert_allclose(voter.scale, spread)


@pytest.mark.parametrize("scale", [2.0**-900, 2.0**40, 2.0**900])
def test_units_and_offsets_of_columns_do_not_matter(problem, scale):
    X, y = problem
    plain, answers = learn(X, y)
    scaled, same = learn(X * [scale, -1.0, 1.0, 1.0] + [0.0, 0.0, 64.0, 0.0], y)
    np.testing.assert_array_equal(same, answers)
    signs = np.array([1.0, -1.0, 1.0, 1.0])[:, None]
    np.testing.assert_allclose(scaled.coef * signs, plain.coef, atol=1e-3)


@pytest.mark.parametrize("unit", [1e-250, 1e250])
def test_units_of_weights_do_not_matter(problem, unit):
    X, y = problem
    mass = np.random.default_rng(1).uniform(0.5, 2.0, len(y))
    answers = [linear_combo().fit(X, y, sample_weight=mass * u).predict(X) for u in (1.0, unit)]
    np.testing.assert_array_equal(*answers)


def test_columns_that_say_nothing_change_nothing_but_the_last_digits(problem):
    X, y = problem
    _, answers = learn(X, y)
    wide = np.column_stack([np.full(len(y), np.nan), X, np.full(len(y), 1e300), np.zeros(len(y))])
    voter, same = learn(wide, y)
    assert np.mean(same == answers) > 0.99
    np.testing.assert_allclose(voter.coef[[0, 5, 6]], 0.0, atol=1e-9)
    credit = np.zeros((7, 3))
    voter.add_credit(credit, np.ones(3))
    np.testing.assert_allclose(credit[[0, 5, 6]], 0.0, atol=1e-9)
    kept, _ = learn(wide, y, columns=np.arange(1, 5))
    np.testing.assert_array_equal(kept.predict(wide), answers)


@pytest.mark.slow
@pytest.mark.parametrize("unit", [1e-300, 1e300])
def test_huge_and_tiny_columns_with_holes_are_learnt(problem, unit):
    X, y = problem
    holes = np.where(np.random.default_rng(2).random(X.shape) < 0.1, np.nan, X)
    _, answers = learn(holes, y)
    for table in (holes * unit, np.float32(holes)):
        assert np.mean(learn(table, y)[1] == answers) > 0.99
    assert np.mean(answers == y) > 0.6
    alone, found = learn(X[:, :1] * unit, y)
    assert alone.coef.shape == (1, 3)
    assert len(np.unique(found)) > 1


def test_sparse_tables_are_standardised_without_being_filled(problem):
    X, y = problem
    X = np.where(np.random.default_rng(3).random(X.shape) < 0.7, X + 2.0, 0.0)
    X[:2, 0] = np.nan
    _, dense = learn(X, y, max_iter=200)
    for kind in (sp.csr_matrix, sp.csc_array):
        voter, answers = learn(kind(X), y, max_iter=200)
        assert not voter.centre.any()
        assert np.mean(answers == dense) >= 0.99
        np.testing.assert_array_equal(voter.predict(X), answers)


def test_classes_that_are_not_there_are_not_answered(problem):
    X, y = problem
    one = np.full(len(y), 2)
    costs = RunningCosts(one, 4, np.ones(len(y)))
    table = TrainingTable(X, one, 4, np.ones(len(y)))
    voter, answers = CostLinear().learn(table, np.arange(2), costs)
    assert set(answers) == {2}
    np.testing.assert_array_equal(voter.reach, [0.0, 0.0, 1.0, 0.0])
    few, found = learn(X, y, n_classes=5)
    assert set(found) == {0, 1, 2}
    assert few.coef.shape == (4, 5)


@pytest.mark.parametrize("kind", [np.asarray, sp.csr_array])
def test_rows_without_weight_teach_nothing(problem, kind):
    X, y = problem
    voter, answers = learn(kind(X), y, np.zeros(len(y)))
    assert set(answers) == {0}
    assert not voter.coef.any()
    odd = np.arange(len(y)) % 2 > 0
    some, _ = learn(kind(X), y, odd.astype(float), ridge=2.0)
    only, _ = learn(kind(X[odd]), y[odd], ridge=1.0)
    np.testing.assert_allclose(some.coef, only.coef, atol=1e-6)


@pytest.fixture(scope="module")
def nominal():
    """A frame whose class hangs on a category, in no order of the codes, and columns of noise."""
    rng = np.random.default_rng(0)
    pick = rng.integers(0, 40, 400)
    words = pd.Categorical.from_codes(pick, [f"w{k}" for k in range(40)])
    frame = pd.DataFrame({"noise": rng.normal(size=400), "word": words, "more": rng.random(400)})
    return frame, np.array(["odd", "even"])[rng.integers(0, 2, 40)[pick]]


def test_categories_of_a_frame_are_indicators(nominal):
    frame, y = nominal
    model = linear_combo(n_estimators=1).fit(frame, y)
    assert model.score(frame, y) == 1.0
    voter = model.vote_.term(0).voter
    assert voter.n_codes.tolist() == [0, 40, 0]
    assert voter.coef.shape == (42, 2)
    explained = model.explain()
    shown = dict(zip(explained.feature_names, explained.feature_share))
    assert shown["word"].min() > 0.7
    codes = frame.assign(word=frame["word"].cat.codes.astype(float))
    assert linear_combo(n_estimators=1).fit(codes, y).score(codes, y) < 0.7
    strange = frame.assign(word=pd.Categorical(["never seen"] * 400))
    assert set(model.predict(strange)) <= {"odd", "even"}
    many = frame.assign(word=frame["word"].cat.set_categories([f"w{k}" for k in range(65)]))
    assert not linear_combo(n_estimators=1).fit(many, y).vote_.term(0).voter.n_codes.any()
    swapped = linear_combo(views={"right": ["more"], "left": ["word"]}).fit(frame, y)
    assert swapped.vote_.term(0).voter.n_codes.tolist() == [40, 0]


def test_categories_reach_the_linear_voters_of_norm_combo(nominal):
    frame, y = nominal
    model = NormComboClassifier(n_estimators=200, max_depth=1, random_state=0).fit(frame, y)
    assert model.linear_share_ == 0.5
    voters = [t.voter for t in model.vote_.terms() if isinstance(t.voter, LinearVoter)]
    assert [voter.n_codes.tolist() for voter in voters] == [[0, 40, 0]] * 4
    assert model.score(frame, y) > 0.99
    assert model.unseen_norm_ < 0.05


@pytest.mark.parametrize(
    ("params", "message"),
    [({"ridge": v}, f"ridge .* above 0, got {v!r}") for v in (0, -1.0, np.nan, np.inf, "a", None)]
    + [
        ({"max_iter": v}, f"max_iter .* at least 1, got {v!r}") for v in (0, 1.5, np.nan, "a", True)
    ],
)
def test_bad_parameters_are_named(problem, params, message):
    with pytest.raises(ValueError, match=message):
        ComboClassifier(CostLinear(**params), n_estimators=2).fit(*problem)


def test_clone_pickle_and_explain(problem):
    X, y = problem
    model = ComboClassifier(CostLinear(ridge=3.0, max_iter=5), n_estimators=4).fit(X, y)
    again = clone(model)
    assert again.estimator.get_params() == {"ridge": 3.0, "max_iter": 5}
    scores = model.decision_function(X)
    np.testing.assert_array_equal(again.fit(X, y).decision_function(X), scores)
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(model)).decision_function(X), scores)
    np.testing.assert_allclose(model.explain().feature_share.sum(axis=0), 1.0)
    assert model.score(X, y) > 0.6


@pytest.mark.parametrize("make", [ComboClassifier, MumboClassifier])
def test_views_and_missing_views(make):
    X, y = gaussian_classes([120, 60, 30], n_features=6, separation=1.2)
    X[:40, :3], X[40:60, 3:], X[60:63] = np.nan, np.nan, np.nan
    model = make(CostLinear(), n_estimators=6, views={"a": [0, 1, 2], "b": [3, 4, 5]}).fit(X, y)
    assert model.score(X, y) > 0.7
    assert model.undecided(X).nonzero()[0].tolist() == [60, 61, 62]
    np.testing.assert_allclose(model.explain().view_share.sum(axis=0), 1.0)
    if make is MumboClassifier:
        read = {term.view: set(term.voter.columns) for term in model.vote_.terms()}
        assert read == {0: {0, 1, 2}, 1: {3, 4, 5}}


@pytest.fixture(scope="module")
def fitted():
    encoder = fit_method(METHODS["combo"], PROBLEM, Settings(rounds=1))[0]
    model = linear_combo(views={"first": [0, 1], "second": [2, 3]})
    return Pipeline([("encode", encoder), ("classify", model)]).fit(PROBLEM.X, PROBLEM.y)


def test_model_files_hold_it(fitted, tmp_path):
    path = tmp_path / "m.skops"
    save_model(fitted, CARD, path)
    again = load_model(path)[0]
    np.testing.assert_array_equal(again.predict_proba(PROBLEM.X), fitted.predict_proba(PROBLEM.X))
    assert isinstance(again[-1].estimator, CostLinear)
    np.testing.assert_array_equal(
        again[-1].explain().feature_share, fitted[-1].explain().feature_share
    )


@pytest.mark.parametrize(
    ("part", "change", "says"),
    [
        ("columns", lambda a: a * 1.0, "columns .* not whole numbers"),
        ("columns", lambda a: a[:, None], "no list of columns"),
        ("columns", lambda a: a[:0], "no list of columns"),
        ("columns", first(4), "points to column 4 of 4"),
        ("columns", first(-1), "points to column"),
        ("columns", lambda a: a[:3], r"do not belong to \(3,\) columns"),
        ("n_codes", lambda a: a * 1.0, "numbers of categories are not whole"),
        ("n_codes", list, "numbers of categories are not whole"),
        ("n_codes", first(-1), "numbers of categories do not belong"),
        ("n_codes", first(2**62), "numbers of categories do not belong"),
        ("n_codes", lambda a: a[:2], "numbers of categories do not belong"),
        ("n_codes", first(3), r"coefficients are \(4, 3\), not \(6, 3\)"),
        ("coef", first(np.nan), "coefficients hold a number that cannot be"),
        ("coef", first(np.inf), "coefficients hold a number that cannot be"),
        ("coef", lambda a: a.astype(int), "coefficients are not"),
        ("coef", lambda a: a[1:], r"coefficients are \(3, 3\), not \(4, 3\)"),
        ("coef", lambda a: a[:, 1:], r"coefficients are \(4, 2\), not \(4, 3\)"),
        ("centre", first(np.inf), "centres of columns hold"),
        ("centre", lambda a: a[1:], r"centres of columns are not \(4,\) numbers"),
        ("scale", first(np.nan), "scales of columns hold"),
        ("scale", first(0.0), "divided by 0"),
        ("scale", first(-1.0), "scales of columns hold"),
        ("intercept", first(np.nan), "intercepts hold"),
        ("intercept", lambda a: a[1:], r"intercepts are not \(3,\) numbers"),
        ("reach", first(-0.5), "rates of correct predictions hold"),
        ("reach", lambda a: a[1:], r"rates of correct predictions are not \(3,\)"),
    ],
)
def test_forged_linear_voters_are_refused(fitted, tmp_path, part, change, says):
    copy = pickle.loads(pickle.dumps(fitted))
    put(f"vote_._voters.1.{part}", change)(copy[-1])
    write(tmp_path / "m.skops", pipeline=copy)
    with pytest.raises(ModelFileError, match=f"damaged: .*{says}"):
        load_model(tmp_path / "m.skops")


def test_linear_voters_keep_to_their_view(fitted, tmp_path):
    copy = pickle.loads(pickle.dumps(fitted))
    copy[-1].vote_.view_of_term[1] = 0
    write(tmp_path / "m.skops", pipeline=copy)
    with pytest.raises(ModelFileError, match="a voter reads a column that is not in its view"):
        load_model(tmp_path / "m.skops")
