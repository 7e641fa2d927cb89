"""Carako with a bag of trees per view, its default."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.compose import ColumnTransformer
from sklearn.metrics import balanced_accuracy_score
from sklearn.pipeline import make_pipeline

from uneven import CarakoClassifier
from uneven.datasets import make_imbalanced_views
from uneven.fusion.carako_bags import N_TREES
from uneven.fusion.carako_losses import JointLoss, SplitLoss
from uneven.persistence.model_file import ModelCard, load_model, save_model


@given(st.integers(0, 10_000))
def test_the_loss_of_the_vote_is_at_most_the_mean_over_voters_by_lot(seed):
    rng = np.random.default_rng(seed)
    y = np.concatenate([np.arange(3), rng.integers(0, 3, 20)])
    shares = rng.dirichlet(np.full(3, 0.3), size=(2, len(y)))
    shares[0, rng.random(len(y)) < 0.3] = 0.0
    weights = 1.0 / np.bincount(y)[y]
    loss = SplitLoss(y, 3, weights)
    right, wrong = loss.tally_shares(shares)
    found = loss.minimise(right, wrong)
    even = np.full((2, 3), 0.5)
    assert loss.value_of(right, wrong, found) <= loss.value_of(right, wrong, even) + 1e-9
    scores = np.einsum("jc,jic->ic", found, shares)
    joint = JointLoss(y, 3, weights)._costs(scores)[1]
    assert joint <= loss.value_of(right, wrong, found) + 1e-9


def test_answers_are_shares_of_zero_and_one():
    rng = np.random.default_rng(0)
    y, answers = rng.integers(0, 4, 50), rng.integers(-1, 4, (3, 50))
    shares = np.eye(5)[answers][:, :, :4]
    loss = SplitLoss(y, 4, np.ones(50))
    for one, other in zip(loss.tally(answers), loss.tally_shares(shares)):
        np.testing.assert_allclose(one, other, atol=1e-12)


@pytest.fixture(scope="module")
def fitted():
    data = make_imbalanced_views(400, random_state=0)
    X, y = data.data.copy(), data.target
    X[:5] = np.nan
    X[5:40, data.views["view1"]] = np.nan
    model = CarakoClassifier(views=data.views, random_state=0, max_iter=2).fit(X[::2], y[::2])
    return data, X, y, model


def test_the_vote_holds_the_trees_of_the_bags(fitted):
    data, X, y, model = fitted
    assert len(model.vote_) == 4 * N_TREES
    np.testing.assert_allclose(model.coefficients_.sum(axis=0), 1.0)
    by_view = model.coefficients_[model.vote_.view_of_term] / N_TREES
    np.testing.assert_array_equal(model.vote_.weights, by_view)
    assert model.undecided(X)[:5].all()
    assert model.decision_function(X).max() <= 1.0
    assert model.objective_ == model.history_["objective"].min()
    again = CarakoClassifier(views=data.views, random_state=0, max_iter=2, n_jobs=2)
    np.testing.assert_array_equal(
        again.fit(X[::2], y[::2]).decision_function(X), model.decision_function(X)
    )


def test_bags_beat_single_trees(fitted):
    data, X, y, model = fitted
    one = CarakoClassifier("published", views=data.views, random_state=0).fit(X[::2], y[::2])
    found = [balanced_accuracy_score(y[1::2], m.predict(X[1::2])) for m in (model, one)]
    assert found[0] > found[1] + 0.05


def test_bags_survive_a_model_file(tmp_path, fitted):
    data, X, y, _ = fitted
    names = [f"c{k}" for k in range(X.shape[1])]
    frame = pd.DataFrame(X, columns=names)
    encode = ColumnTransformer([("keep", "passthrough", names)])
    model = CarakoClassifier(views=data.views, random_state=0, max_iter=1)
    pipeline = make_pipeline(encode, model).fit(frame[::4], y[::4])
    labels, counts = np.unique(y[::4], return_counts=True)
    card = ModelCard("carako", "Carako", "y", labels.astype(str).tolist(), counts.tolist(), [], 100)
    save_model(pipeline, card, tmp_path / "m.skops")
    loaded, _ = load_model(tmp_path / "m.skops")
    np.testing.assert_array_equal(loaded.predict_proba(frame), pipeline.predict_proba(frame))
