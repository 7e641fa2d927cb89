"""Base learners in model files: every kind comes back, and forged ones are refused."""

import copy

import numpy as np
import pytest
from sklearn.compose import ColumnTransformer
from sklearn.datasets import load_wine
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import MinMaxScaler, StandardScaler

from uneven import MarginStackingClassifier
from uneven.persistence.model_file import ModelCard, load_model, save_model
from uneven.stacking.out_of_fold.members import check_learner
from uneven_published.sen.ensembles import diverse_ensemble, diverse_learners
from uneven_published.sen.normalised import NormalisedClassifier

X, Y = load_wine(return_X_y=True)
CARD = ModelCard("stack", "Stack", "kind", ["0", "1", "2"], [59, 71, 48], [], len(Y))


@pytest.fixture(scope="module")
def fitted():
    return {name: model.fit(X, Y) for name, model in diverse_learners().items()}


def test_a_diverse_stack_comes_back(tmp_path):
    stack = MarginStackingClassifier(
        diverse_ensemble(1, random_state=0), penalty="l2", strength=0.01, cv=2
    )
    same = ColumnTransformer([("all", "passthrough", slice(0, 13))])
    pipeline = Pipeline([("same", same), ("stack", stack)]).fit(X, Y)
    assert len(pipeline[-1].selected_) == 13
    save_model(pipeline, CARD, tmp_path / "m.skops")
    back, _ = load_model(tmp_path / "m.skops")
    np.testing.assert_array_equal(back.predict_proba(X), pipeline.predict_proba(X))


def set_scale(model):
    model[0].scale_ = model[0].scale_[:5]


def set_nan(model):
    model[-1].means_[0, 0] = np.nan


def set_child(model):
    tree = model[-1].tree_
    state = tree.__getstate__()
    state["nodes"]["left_child"][0] = 10**6
    tree.__setstate__(state)


def set_column(model):
    tree = model[-1].tree_
    state = tree.__getstate__()
    state["nodes"]["feature"][0] = 10**6
    tree.__setstate__(state)


def set_support(model):
    model[-1].estimator_._n_support = np.array([5, 5, 10**6], dtype=np.int32)


def set_vectors(model):
    machine = model[-1].estimator_
    machine.support_vectors_ = machine.support_vectors_[:, :2]


def set_intercept(model):
    model[-1].estimator_._intercept_ = np.zeros(1)


def set_kernel(model):
    model[-1].estimator_.kernel = "precomputed"


def set_neighbours(model):
    model[-1].n_neighbors_ = 10**6


def set_counts(model):
    model[-1].counts_[0] += 3


def set_width(model):
    model[-1].width_ = 0.0


def set_landmarks(model):
    model[1].landmarks_ = model[1].landmarks_[:7]


def set_variance(model):
    model[-1].variances_[:] = 0.0


def set_weights(model):
    model[-1].estimator_.coef_ = np.zeros((3, 2))


def set_inner(model):
    model[-1].estimator_ = GaussianNB().fit(X, Y)


@pytest.mark.parametrize(
    ("kind", "forge", "sentence"),
    [
        ("nearest_mean", set_scale, "scales are not"),
        ("nearest_mean", set_nan, "means hold a number"),
        ("tree", set_child, "points to child 1000000"),
        ("tree", set_column, "points to column 1000000"),
        ("svm_rbf", set_support, "support vectors are counted as"),
        ("svm_rbf", set_vectors, "support vectors are not"),
        ("svm_cubic", set_intercept, "intercepts are not"),
        ("svm_linear", set_kernel, "the kernel 'precomputed'"),
        ("neighbours", set_neighbours, "it asks 1000000 of 178"),
        ("parzen", set_counts, "178 rows are counted as"),
        ("parzen", set_width, "a width of a learner is 0.0"),
        ("likeness", set_landmarks, "a learner of 178 columns is given 7"),
        ("quadratic_gaussian", set_variance, "a width of a learner is"),
        ("perceptron", set_weights, "weights are not"),
        ("polynomial", set_inner, "a GaussianNB, which is not known"),
    ],
)
def test_forged_learners_are_refused(fitted, kind, forge, sentence):
    model = copy.deepcopy(fitted[kind])
    check_learner(model)
    forge(model)
    with pytest.raises(ValueError, match=sentence):
        check_learner(model)


def test_unknown_steps_are_refused():
    for steps in ([MinMaxScaler(), NormalisedClassifier(GaussianNB(), "floor")], [GaussianNB()]):
        model = make_pipeline(StandardScaler(), *steps).fit(X, Y)
        with pytest.raises(ValueError, match="which is not known"):
            check_learner(model)
