"""The Bayes point classifier: centres, kernels, classes, votes, odd tables."""

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.special import ndtr
from sklearn.base import clone
from sklearn.datasets import load_digits, load_iris, make_blobs
from sklearn.metrics.pairwise import rbf_kernel

from tests.versionspace.cones import degrees, random_cone
from uneven.linear import hard_margin
from uneven.versionspace import (
    BayesPointClassifier,
    EmptyVersionSpaceError,
    VersionSpace,
    exact_centre,
    propagate_gram,
)
from uneven.versionspace.gravity import GRAVITY_METHODS, LEARNER_CENTRES, find_centre

X_IRIS, Y_IRIS = load_iris(return_X_y=True)


def separable(seed, n_rows=30, n_features=4):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n_rows, n_features))
    return X, np.where(X @ rng.normal(size=n_features) >= 0, "yes", "no")


@pytest.mark.slow
@pytest.mark.parametrize("centre", [c for c in LEARNER_CENTRES if c in GRAVITY_METHODS])
@pytest.mark.parametrize("seed", [0, 1])
def test_centres_of_gravity_are_near_the_exact_one(centre, seed):
    X, y = separable(seed, 8, 3)
    model = BayesPointClassifier("linear", centre=centre, n_samples=5000, random_state=0).fit(X, y)
    exact = exact_centre(model.spaces_[0].cuts).centre
    assert degrees(model.coef_[0], exact) < 2.0
    assert np.linalg.norm(model.coef_) == pytest.approx(1.0)
    assert model.n_mistakes_ == 0
    assert model.classes_.tolist() == ["no", "yes"]


def test_chebyshev_centre_is_the_largest_margin():
    X, y = separable(2)
    model = BayesPointClassifier("linear", centre="chebyshev").fit(X, y)
    unit = X / np.linalg.norm(X, axis=1, keepdims=True)
    w = hard_margin(unit * np.where(y == "yes", 1.0, -1.0)[:, None]).w
    np.testing.assert_allclose(model.coef_[0], w / np.linalg.norm(w), atol=1e-8)


@pytest.mark.slow
def test_kernel_form_agrees_with_the_gram_matrix():
    X, y = separable(3, 25)
    t = np.where(y == "yes", 1.0, -1.0)
    model = BayesPointClassifier("rbf", gamma=0.5, tol=1e-10).fit(X, y)
    found = propagate_gram(rbf_kernel(X, gamma=0.5) * t * t[:, None], tol=1e-10)
    new = np.random.default_rng(0).normal(size=(10, 4))
    scores = rbf_kernel(new, X, gamma=0.5) @ (found.alpha * t)
    length = np.sqrt(found.alpha @ found.mean)
    np.testing.assert_allclose(model.decision_function(new), scores / length, atol=1e-6)
    assert model.log_volume_[0] == pytest.approx(found.log_evidence, abs=1e-6)


def test_scores_are_distances_from_hyperplanes():
    X, y = separable(4)
    model = BayesPointClassifier("linear").fit(X, y)
    by_space = model.spaces_[0].scores(model.coef_[0], X)
    by_model = model.decision_function(X) / np.linalg.norm(X, axis=1)
    np.testing.assert_allclose(by_model, by_space, atol=1e-9)


@pytest.mark.parametrize("multi_class", ["ovr", "joint"])
def test_wide_sparse_rows_go_through_the_span(multi_class):
    rng = np.random.default_rng(0)
    X = sp.random(25, 60, density=0.2, random_state=0, format="csr")
    y = rng.integers(0, 3, 25)
    sparse = BayesPointClassifier("linear", multi_class=multi_class).fit(X, y)
    assert sparse.coef_.shape == (3, 60)
    assert sparse.span_.n_dims <= 25
    dense = BayesPointClassifier("linear", multi_class=multi_class).fit(X.toarray(), y)
    np.testing.assert_allclose(sparse.coef_, dense.coef_, atol=1e-8)
    np.testing.assert_allclose(sparse.predict_proba(X), dense.predict_proba(X.toarray()), atol=1e-6)


def test_plain_coordinates_and_span_agree():
    X, y = separable(5, 30, 4)
    plain = BayesPointClassifier("linear", tol=1e-10).fit(X, y)
    spanned = BayesPointClassifier("linear", tol=1e-10, max_rank=4).fit(X, y)
    assert plain.span_.triangle is None
    assert spanned.span_.triangle is not None
    np.testing.assert_allclose(spanned.coef_, plain.coef_, atol=1e-6)
    np.testing.assert_allclose(spanned.predict_proba(X), plain.predict_proba(X), atol=1e-5)


def test_precomputed_kernel():
    X, y = X_IRIS[::3], Y_IRIS[::3]
    direct = BayesPointClassifier("rbf", gamma=0.3).fit(X, y)
    given = BayesPointClassifier("precomputed").fit(rbf_kernel(X, gamma=0.3), y)
    near = rbf_kernel(X_IRIS[1::3], X, gamma=0.3)
    np.testing.assert_allclose(
        given.decision_function(near), direct.decision_function(X_IRIS[1::3]), atol=1e-8
    )
    with pytest.raises(ValueError, match="square"):
        BayesPointClassifier("precomputed").fit(near[:, :10], y)


@pytest.mark.parametrize(
    ("options", "least"),
    [
        ({"ridge": 0.1}, 0.94),
        ({"flip": 0.02}, 0.94),
        ({"multi_class": "joint", "kernel": "linear", "fit_intercept": True, "ridge": 0.1}, 0.94),
        ({"centre": "chebyshev", "ridge": 0.1}, 0.93),
        ({"centre": "hamiltonian", "ridge": 0.1, "n_samples": 400, "random_state": 0}, 0.93),
    ],
)
def test_learns_iris(options, least):
    model = BayesPointClassifier(**options).fit(X_IRIS[::2], Y_IRIS[::2])
    assert model.score(X_IRIS[1::2], Y_IRIS[1::2]) >= least
    votes = model.predict_proba(X_IRIS[1::2])
    np.testing.assert_allclose(votes.sum(axis=1), 1.0)
    assert (votes.argmax(axis=1) == Y_IRIS[1::2]).mean() >= least - 0.02
    assert len(model.spaces_) == len(model.log_volume_)
    assert (model.log_volume_ < 0).all()


def test_learns_digits_from_ten_rows_of_each():
    X, y = load_digits(return_X_y=True)
    model = BayesPointClassifier().fit(X[:100], y[:100])
    assert model.score(X[100:], y[100:]) > 0.82
    assert model.n_mistakes_ == 0


def test_votes_show_doubt_far_from_the_rows():
    X, y = make_blobs(60, centers=[[-2, 0], [2, 0]], random_state=0)
    model = BayesPointClassifier("rbf", gamma=1.0, ridge=0.01).fit(X, y)
    near, far = model.predict_proba([[-2.0, 0.0], [0.0, 50.0]])
    assert near[0] > 0.97
    np.testing.assert_allclose(far, 0.5, atol=1e-3)


def test_votes_by_points_and_by_propagation_agree():
    X, y = separable(6, 12, 4)
    normal = BayesPointClassifier("linear").fit(X, y)
    drawn = BayesPointClassifier("linear", centre="hamiltonian", random_state=0).fit(X, y)
    new = np.random.default_rng(3).normal(size=(100, 4))
    gap = np.abs(normal.predict_proba(new) - drawn.predict_proba(new))
    assert gap.mean() < 0.04
    assert drawn.samples_.shape == (1, 2000, 4)
    assert normal.samples_ is None


def test_contradictions_need_a_ridge_or_flips():
    X, y = np.array([[1.0, 0.0], [1.0, 0.0], [0.0, 1.0]]), [0, 1, 1]
    with pytest.raises(EmptyVersionSpaceError, match="ridge"):
        BayesPointClassifier("linear", centre="chebyshev").fit(X, y)
    model = BayesPointClassifier("linear", centre="chebyshev", ridge=0.5).fit(X, y)
    assert model.n_mistakes_ == 1
    assert BayesPointClassifier("linear").fit(X, y).n_mistakes_ == 1
    assert BayesPointClassifier("linear", flip=0.1).fit(X, y).n_mistakes_ == 1


def test_flips_outvote_wrong_labels():
    X, truth = separable(7, 400, 5)
    y = truth.copy()
    wrong = np.random.default_rng(0).random(400) < 0.15
    y[wrong] = np.where(truth[wrong] == "yes", "no", "yes")
    trusting = BayesPointClassifier("linear").fit(X, y)
    doubting = BayesPointClassifier("linear", flip=0.15, ridge=1e-3).fit(X, y)
    assert doubting.score(X, truth) > 0.97
    assert doubting.score(X, truth) > trusting.score(X, truth)
    assert doubting.log_volume_[0] > trusting.log_volume_[0]


def test_a_ridge_means_the_same_to_all_centres():
    X, y = separable(8, 12, 3)
    y[0] = "yes" if y[0] == "no" else "no"
    inside = BayesPointClassifier("linear", ridge=0.3, tol=1e-9).fit(X, y)
    spelled = BayesPointClassifier(
        "linear", ridge=0.3, centre="hamiltonian", n_samples=20_000, random_state=0
    ).fit(X, y)
    assert spelled.span_.n_dims == 12
    assert spelled.log_volume_[0] == pytest.approx(inside.log_volume_[0], abs=1e-3)
    assert degrees(inside.coef_[0], spelled.coef_[0]) < 4.0


@pytest.mark.parametrize("centre", ["propagation", "hamiltonian"])
def test_votes_know_of_the_private_part_of_new_rows(centre):
    X, y = separable(8, 12, 3)
    model = BayesPointClassifier("linear", ridge=0.5, centre=centre, random_state=0).fit(X, y)
    new = np.eye(3)
    if centre == "propagation":
        spread = np.sqrt(np.diag(model.covariances_[0]) + 0.5)
        expected = ndtr(model.means_[0] / spread)
    else:
        where, rest = model.span_.coordinates(new)
        drawn = model.samples_[0] / np.linalg.norm(model.samples_[0], axis=1)[:, None]
        lengths = np.sqrt(np.random.default_rng(1).chisquare(drawn.shape[1], len(drawn)))
        spread = np.sqrt(rest**2 + 0.5)
        expected = ndtr(where @ (drawn * lengths[:, None]).T / spread[:, None]).mean(axis=1)
    np.testing.assert_allclose(model.predict_proba(new)[:, 1], expected, atol=0.02)


@pytest.mark.parametrize("multi_class", ["ovr", "joint"])
def test_a_ridge_makes_votes_of_several_classes_less_sure(multi_class):
    model = BayesPointClassifier("linear", ridge=0.5, multi_class=multi_class)
    model.fit(X_IRIS[::5], Y_IRIS[::5])
    doubting = model.predict_proba(X_IRIS).max(axis=1)
    sure = model.set_params(ridge=0.0).predict_proba(X_IRIS).max(axis=1)
    assert (doubting < sure).mean() > 0.9
    assert sure.mean() - doubting.mean() > 0.02


def test_points_of_a_billiard_cover_its_way():
    centre, points = find_centre(np.eye(3), "billiard", 20_000, rng=0)
    assert (points >= -1e-9).all()
    lengths = np.linalg.norm(points, axis=1)
    assert lengths.max() <= 1 + 1e-9
    assert lengths.mean() == pytest.approx(0.75, abs=0.02)
    np.testing.assert_allclose(points.mean(axis=0), centre, atol=0.01)
    assert points.min(axis=1).min() < 0.02 < np.median(points.min(axis=1))
    assert (points.min(axis=1) > 1e-6).mean() > 0.9


def test_intercept():
    X = np.array([[1.0], [2.0], [3.0], [4.0]])
    model = BayesPointClassifier("linear", fit_intercept=True).fit(X, [0, 0, 1, 1])
    assert model.predict(X).tolist() == [0, 0, 1, 1]
    assert model.intercept_[0] < 0 < model.coef_[0, 0]
    with pytest.raises(ValueError, match="fit_intercept=True needs kernel='linear'"):
        BayesPointClassifier("rbf", fit_intercept=True).fit(X, [0, 0, 1, 1])


def test_gamma_by_name_is_that_of_scikit_learn():
    X, y = X_IRIS[::5], Y_IRIS[::5]
    found = BayesPointClassifier(gamma="auto").fit(X, y).decision_function(X_IRIS)
    np.testing.assert_array_equal(
        found, BayesPointClassifier(gamma=0.25).fit(X, y).decision_function(X_IRIS)
    )
    by_scale = BayesPointClassifier(gamma="scale").fit(X, y).decision_function(X_IRIS)
    assert np.abs(by_scale - found).max() > 0.01
    space = VersionSpace.from_labels(X, np.where(y == 1, 1, -1), kernel="rbf", gamma="auto")
    np.testing.assert_allclose(
        space.cuts @ space.cuts.T,
        np.outer(*[np.where(y == 1, 1, -1)] * 2) * rbf_kernel(X, gamma=0.25),
        atol=1e-9,
    )
    with pytest.raises(ValueError, match="gamma must be 'scale', 'auto', None"):
        VersionSpace.from_labels(X, np.where(y == 1, 1, -1), kernel="rbf", gamma="wide")


@pytest.mark.parametrize("n_rows", [2, 6])
def test_nothing_but_zeros_is_refused(n_rows):
    with pytest.raises(ValueError, match=f"all {n_rows} rows of X are zeros"):
        BayesPointClassifier("linear").fit(np.zeros((n_rows, 3)), np.arange(n_rows) % 2)


def test_rows_of_zeros_say_nothing():
    X, y = separable(9, 10, 3)
    extended = np.vstack([X, np.zeros((2, 3))])
    model = BayesPointClassifier("linear").fit(extended, [*y, "yes", "no"])
    np.testing.assert_allclose(model.coef_, BayesPointClassifier("linear").fit(X, y).coef_)
    assert model.spaces_[0].n_cuts == 10
    assert model.predict_proba(np.zeros((1, 3))).tolist() == [[0.5, 0.5]]
    assert model.predict(np.zeros((1, 3))).tolist() == ["yes"]


@pytest.mark.parametrize("centre", LEARNER_CENTRES)
def test_repeats_bit_for_bit(centre):
    model = BayesPointClassifier(centre=centre, ridge=0.1, n_samples=50, random_state=4)
    first = model.fit(X_IRIS[::5], Y_IRIS[::5]).predict_proba(X_IRIS)
    second = clone(model).fit(X_IRIS[::5], Y_IRIS[::5]).predict_proba(X_IRIS)
    np.testing.assert_array_equal(first, second)


def test_a_failed_refit_changes_nothing():
    X, y = separable(1)
    model = BayesPointClassifier("linear").fit(X, y)
    before = model.coef_
    with pytest.raises(ValueError, match="NaN"):
        model.fit(np.full((3, 4), np.nan), [0, 1, 0])
    assert model.coef_ is before


def test_refit_with_another_kernel_leaves_no_old_weights():
    X, y = separable(1)
    model = BayesPointClassifier("linear").fit(X, y)
    model.set_params(kernel="rbf").fit(X, y)
    assert not hasattr(model, "coef_")
    assert model.set_params(kernel="linear").fit(X, y).coef_.shape == (1, 4)
    assert not hasattr(model, "expansion_")


def test_many_rows_of_few_columns_are_quick():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(50_000, 5))
    y = X @ rng.normal(size=5) + 0.3 * rng.normal(size=50_000) > 0
    model = BayesPointClassifier("linear").fit(X, y)
    assert model.converged_
    assert model.score(X, y) > 0.93


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"kernel": "cubic"}, "kernel must be one of"),
        ({"centre": "middle"}, "centre must be one of"),
        ({"multi_class": "ovo"}, "multi_class must be one of"),
        ({"flip": 0.5}, r"flip must be a number in \[0, 0.5\)"),
        ({"ridge": -0.1}, "ridge must be"),
        ({"max_rank": 0}, "max_rank"),
        ({"gamma": -1.0}, "gamma must be"),
        ({"kernel": "poly", "degree": 200, "gamma": 1.0}, "not finite"),
    ],
)
def test_refuses(options, message):
    with pytest.raises(ValueError, match=message):
        BayesPointClassifier(**options).fit(1e9 * X_IRIS, Y_IRIS)


def test_find_centre_refuses_unknown_words():
    with pytest.raises(ValueError, match="method must be one of"):
        find_centre(random_cone(0, 3, 2), "middle")
