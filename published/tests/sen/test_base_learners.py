"""The simple classifiers of ensembles: they compute what they say, and survive odd tables."""

import io
import pickle

import numpy as np
import pytest
import skops.io
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import multivariate_normal
from sklearn.base import clone
from sklearn.datasets import load_wine
from sklearn.linear_model import Perceptron, RidgeClassifier
from sklearn.neighbors import KNeighborsClassifier
from sklearn.svm import SVC
from sklearn.tree import DecisionTreeClassifier

from uneven.utils.model_types import trusted_types
from uneven_published.sen.base_learners import (
    GaussianClassifier,
    NearestMeanClassifier,
    NeighbourCountClassifier,
    ParzenClassifier,
    floored,
)
from uneven_published.sen.ensembles import diverse_learners
from uneven_published.sen.normalised import LaplaceTreeClassifier, NormalisedClassifier

LEARNERS = diverse_learners()
WINE, KIND = load_wine(return_X_y=True)


def table(n=60, d=3, n_classes=3, seed=0):
    rng = np.random.RandomState(seed)
    labels = np.arange(n) % n_classes
    return rng.randn(n, d) + 1.5 * np.eye(n_classes, d)[labels], labels


@pytest.mark.parametrize("name", LEARNERS)
def test_every_kind_learns_wine(name):
    model = clone(LEARNERS[name]).fit(WINE[::2], KIND[::2])
    assert model.score(WINE[1::2], KIND[1::2]) > 0.85
    scores = model.predict_proba(WINE[1::2])
    np.testing.assert_allclose(scores.sum(axis=1), 1.0)
    assert scores.min() > 0.9e-6


@pytest.mark.parametrize("name", LEARNERS)
def test_odd_tables_do_no_harm(name):
    X, y = table()
    X[:, 1] = 7.0
    odd = y.copy()
    odd[0] = 9
    apart = np.vstack([X, [[1e6, 0.0, -1e6]]])
    model = clone(LEARNERS[name])
    scores = model.fit(X, odd).predict_proba(apart)
    assert scores.shape == (61, 4)
    assert np.isfinite(scores).all()
    flat = clone(model).fit(np.ones((6, 2)), [0, 0, 1, 1, 2, 2]).predict_proba(np.ones((2, 2)))
    assert np.isfinite(flat).all()


@pytest.mark.parametrize("name", LEARNERS)
def test_two_rows_and_names_and_one_column(name):
    model = clone(LEARNERS[name]).fit([[0.0], [1.0]], ["no", "yes"])
    assert model.predict([[0.0], [1.0]]).tolist() in (["no", "yes"], ["no", "no"])
    assert model.classes_.tolist() == ["no", "yes"]


@pytest.mark.parametrize("name", LEARNERS)
def test_they_can_be_kept(name):
    model = clone(LEARNERS[name]).fit(WINE, KIND)
    expected = model.predict_proba(WINE)
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(model)).predict_proba(WINE), expected)
    stored = io.BytesIO(skops.io.dumps(model)).getvalue()
    again = skops.io.loads(stored, trusted=trusted_types())
    np.testing.assert_array_equal(again.predict_proba(WINE), expected)


def test_nearest_mean_is_a_softmax_of_distances():
    X, y = table()
    means = np.stack([X[y == k].mean(axis=0) for k in range(3)])
    within = np.mean([np.square(X[y == k] - means[k]) for k in range(3)])
    weights = np.exp(-((X[:, None] - means) ** 2).sum(axis=2) / (2 * within))
    expected = weights / weights.sum(axis=1, keepdims=True)
    np.testing.assert_allclose(
        NearestMeanClassifier().fit(X, y).predict_proba(X), expected, atol=1e-5
    )


def test_neighbours_are_as_many_as_leave_one_out_likes():
    X, y = table(24)
    model = NeighbourCountClassifier(max_neighbors=5).fit(X, y)
    rows = np.arange(24)
    wrong = [
        sum(
            KNeighborsClassifier(k).fit(X[rows != i], y[rows != i]).predict(X[i : i + 1])[0] != y[i]
            for i in rows
        )
        for k in range(1, 6)
    ]
    assert model.n_neighbors_ == 1 + int(np.argmin(wrong))
    k = model.n_neighbors_
    shares = KNeighborsClassifier(k).fit(X, y).predict_proba(X)
    np.testing.assert_allclose(model.predict_proba(X), (shares * k + 1) / (k + 3))


def test_parzen_takes_the_likeliest_width():
    X, y = table(30, 2)
    model = ParzenClassifier().fit(X, y)

    def likelihood(width):
        total = 0.0
        for i in range(30):
            others = [j for j in range(30) if j != i and y[j] == y[i]]
            density = multivariate_normal(X[i], width**2 * np.eye(2)).pdf(X[others]).mean()
            total += np.log(density)
        return total

    best = likelihood(model.width_)
    assert best > likelihood(1.1 * model.width_)
    assert best > likelihood(model.width_ / 1.1)
    density = np.stack(
        [
            [multivariate_normal(x, model.width_**2 * np.eye(2)).pdf(X[y == k]).sum() for x in X]
            for k in range(3)
        ],
        axis=1,
    )
    expected = density / density.sum(axis=1, keepdims=True)
    np.testing.assert_allclose(model.predict_proba(X), expected, atol=1e-5)


def test_parzen_rows_that_repeat_leave_a_width():
    X, y = table(20)
    model = ParzenClassifier().fit(np.vstack([X, X]), np.concatenate([y, y]))
    assert model.width_ > 1e-4
    assert np.isfinite(model.predict_proba(X)).all()


def test_parzen_does_not_depend_on_blocks(monkeypatch):
    X, y = table(50)
    whole = ParzenClassifier().fit(X, y).predict_proba(X)
    monkeypatch.setattr("uneven_published.sen.base_learners._LARGEST_BLOCK", 120)
    np.testing.assert_allclose(ParzenClassifier().fit(X, y).predict_proba(X), whole)


@pytest.mark.parametrize("covariance", ["own", "shared", "diagonal"])
def test_gaussians_are_exact(covariance):
    X, y = table(300)
    X[:, 0] += 2.0 * X[:, 1]
    X, y = X[(y > 0) | (X[:, 2] > 0.5)], y[(y > 0) | (X[:, 2] > 0.5)]
    priors = np.bincount(y) / len(y)
    model = GaussianClassifier(covariance, ridge=1e-12).fit(X, y)
    parts = [X[y == k] for k in range(3)]
    found = [np.cov(part.T, bias=True) for part in parts]
    if covariance == "shared":
        found = [sum(p * one for p, one in zip(priors, found))] * 3
    if covariance == "diagonal":
        found = [np.diag(np.diag(one)) for one in found]
    density = np.stack(
        [multivariate_normal(p.mean(axis=0), c).pdf(X) for p, c in zip(parts, found)], axis=1
    )
    density *= priors
    expected = density / density.sum(axis=1, keepdims=True)
    np.testing.assert_allclose(model.predict_proba(X), expected, atol=1e-5)


def test_leaves_count_from_one():
    X, y = table(50)
    tree = LaplaceTreeClassifier(max_depth=2, random_state=0).fit(X, y)
    plain = DecisionTreeClassifier(max_depth=2, random_state=0).fit(X, y)
    leaf = plain.apply(X[:1])[0]
    inside = y[plain.apply(X) == leaf]
    expected = (np.bincount(inside, minlength=3) + 1) / (len(inside) + 3)
    np.testing.assert_allclose(tree.predict_proba(X[:1])[0], expected)


@pytest.mark.parametrize(
    ("inner", "link"),
    [(RidgeClassifier(), "sigmoid"), (Perceptron(random_state=0), "sigmoid"), (SVC(), "softmax")],
)
@pytest.mark.parametrize("n_classes", [2, 3])
def test_normalising_keeps_the_answers(inner, link, n_classes):
    X, y = table(60, 3, n_classes)
    model = NormalisedClassifier(inner, link).fit(X, y)
    plain = clone(inner).fit(X, y)
    margins = plain.decision_function(X)
    answers = margins.argmax(axis=1) if n_classes == 3 else (margins > 0).astype(int)
    np.testing.assert_array_equal(model.predict(X), answers)


def test_sigmoids_are_of_margins_of_unit_size():
    X, y = table()
    margins = RidgeClassifier().fit(X, y).decision_function(X)
    sigmoids = 1.0 / (1.0 + np.exp(-margins / np.sqrt(np.mean(margins**2))))
    expected = sigmoids / sigmoids.sum(axis=1, keepdims=True)
    model = NormalisedClassifier(RidgeClassifier()).fit(X, y)
    np.testing.assert_allclose(model.predict_proba(X), expected)


def test_margins_by_pairs_are_refused():
    X, y = table()
    with pytest.raises(ValueError, match="pairs of classes"):
        NormalisedClassifier(SVC(decision_function_shape="ovo")).fit(X, y)
    with pytest.raises(ValueError, match="link must be one of"):
        NormalisedClassifier(SVC(), "logit").fit(X, y)


@given(st.integers(1, 5), st.integers(1, 6), st.integers(0, 1000))
@settings(max_examples=30, deadline=None)
def test_floored_shares_stay_shares(n, n_classes, seed):
    rng = np.random.RandomState(seed)
    shares = rng.rand(n, n_classes) * (rng.rand(n, n_classes) < 0.7)
    raised = floored(shares, 1e-3)
    np.testing.assert_allclose(raised.sum(axis=1), 1.0)
    assert raised.min() >= 1e-3 / (1.0 + n_classes * 1e-3)
