"""Boosting methods that the sources compare with: what their steps are, and what they learn."""

import numpy as np
import pytest
from scipy.sparse import csr_array
from sklearn.base import clone

from uneven_published.koco.adaboost_mh import AdaBoostMH
from uneven_published.koco.rivals import (
    AdaBoostNC,
    AdaC2,
    SmoteBoost,
    samme,
    with_numbers,
)


def rare_class(seed=0):
    """Three classes of 150, 60 and 12 rows that overlap a little."""
    rng = np.random.RandomState(seed)
    y = np.repeat(["a", "b", "c"], [150, 60, 12])
    centres = {"a": (0.0, 0.0), "b": (2.5, 0.0), "c": (1.2, 2.2)}
    X = np.array([centres[one] for one in y]) + 0.8 * rng.standard_normal((len(y), 2))
    return X, y


def tokens(seed=0):
    """Presence of 12 tokens and one number; four of the tokens tell the class."""
    rng = np.random.RandomState(seed)
    y = rng.randint(3, size=200)
    told = (rng.random_sample((200, 3)) < 0.1) | (np.eye(3, dtype=bool)[y])
    noise = rng.random_sample((200, 9)) < 0.4
    number = rng.standard_normal((200, 1)) - 3.0 + y[:, None]
    return np.hstack([told, noise, number]).astype(float), y


def test_the_first_stump_of_mh_has_the_least_normaliser():
    X, y = tokens()
    model = AdaBoostMH(1).fit(X, y)
    own = np.eye(3, dtype=bool)[y]
    found = {}
    for column in range(12):
        total = 0.0
        for side in (X[:, column] > 0.5, X[:, column] <= 0.5):
            counts = [((side & own[:, k]).sum(), (side & ~own[:, k]).sum()) for k in range(3)]
            total += sum(np.sqrt(right * wrong) for right, wrong in counts)
        found[column] = total
    best = min(found, key=found.get)
    assert model.columns_.tolist() == [best]
    side = X[:, best] > 0.5
    right, wrong = (side[:, None] & own).sum(axis=0), (side[:, None] & ~own).sum(axis=0)
    expected = 0.5 * np.log((right + 1.0) / (wrong + 1.0))
    np.testing.assert_allclose(model.decision_function(X[side][:1])[0], expected)


def test_mh_is_the_same_on_sparse_rows_and_bounds_its_training_error():
    X, y = tokens()
    model = AdaBoostMH(40).fit(X, y)
    sparse = AdaBoostMH(40).fit(csr_array(X), y)
    np.testing.assert_array_equal(model.columns_, sparse.columns_)
    np.testing.assert_allclose(model.decision_function(X), sparse.decision_function(csr_array(X)))
    scores = model.decision_function(X)
    signs = np.where(np.eye(3, dtype=bool)[y], 1.0, -1.0)
    losses = [
        np.exp(-signs * AdaBoostMH(n).fit(X, y).decision_function(X)).mean() for n in (1, 5, 20)
    ]
    assert losses[0] > losses[1] > losses[2] > np.exp(-signs * scores).mean()
    fresh, truth = tokens(1)
    assert np.mean(model.predict(fresh) == truth) > 0.85
    assert set(model.columns_[:4]) <= {0, 1, 2, 12}, "tokens that tell nothing come last"


def test_mh_looks_at_the_columns_of_its_views_only():
    X, y = tokens()
    views = {"noise": slice(3, 9), "number": slice(12, 13)}
    model = AdaBoostMH(10, views=views).fit(X, y)
    assert set(model.columns_) <= {*range(3, 9), 12}
    other = X.copy()
    other[:, :3] = other[:, 9:12] = 0.0
    np.testing.assert_array_equal(model.decision_function(other), model.decision_function(X))


@pytest.mark.parametrize(
    "method", [AdaBoostNC(20), SmoteBoost(20), AdaC2(5, max_depth=3), samme(20)]
)
def test_rare_classes_are_learnt(method):
    if isinstance(method, SmoteBoost):
        pytest.importorskip("imblearn")
    (X, y), (fresh, truth) = rare_class(), rare_class(1)
    model = with_numbers(method).fit(X, y)
    answers = model.predict(fresh)
    recalls = [np.mean(answers[truth == one] == one) for one in ("a", "b", "c")]
    assert min(recalls) > 0.4
    np.testing.assert_array_equal(
        answers, model.classes_[model.decision_function(fresh).argmax(axis=1)]
    )
    again = clone(with_numbers(method)).fit(X, y).predict(fresh)
    np.testing.assert_array_equal(answers, again)


def test_costs_stand_before_the_exponent():
    X, y = rare_class()
    one, two = (AdaC2(n, max_depth=1).fit(X, y) for n in (1, 2))
    cost = np.array([{"a": 12 / 150, "b": 12 / 60, "c": 1.0}[label] for label in y])
    right = one.predict(X) == y
    told = cost / cost.sum() * cost
    alpha = 0.5 * np.log(told[right].sum() / told[~right].sum())
    assert one.weights_ == pytest.approx([alpha])
    weights = told * np.exp(np.where(right, -alpha, alpha))
    weights /= weights.sum()
    second = two.trees_[1]
    reached = second.tree_.weighted_n_node_samples
    assert reached[0] == pytest.approx(1.0)
    assert reached[1] == pytest.approx(weights[second.apply(X) == 1].sum())


def test_synthetic_rows_lie_between_those_of_their_class():
    pytest.importorskip("imblearn")
    X, y = rare_class()
    model = SmoteBoost(3).fit(X, y)
    assert model.trees_[0].tree_.n_node_samples[0] == 3 * 150, "all classes are filled up"
    lone = np.append(y, "d")
    assert "d" in SmoteBoost(3).fit(np.vstack([X, [9.0, 9.0]]), lone).predict([[9.0, 9.0]])


def test_rows_on_which_the_trees_agree_lose_weight():
    X, y = rare_class()
    model = AdaBoostNC(15).fit(X, y)
    assert model.trees_[0].tree_.n_node_samples[0] == 3 * 150, "classes are oversampled"
    assert (np.array(model.weights_) > 0).all()
