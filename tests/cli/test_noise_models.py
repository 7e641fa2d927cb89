"""Model files of linear classifiers and of label repair: what is kept, what is refused."""

from __future__ import annotations

import pickle
import warnings

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import Pipeline

from tests.cli.conftest import make_frame
from tests.persistence.test_model_file import first, put, write
from uneven import ComboClassifier, UMAClassifier
from uneven.comparison import make_problem
from uneven.comparison.encoding import encode_one_hot
from uneven.linear import (
    KernelPerceptronClassifier,
    PerceptronClassifier,
    UltraconservativeClassifier,
)
from uneven.noise import LabelRepairPipeline, NoiseTolerantPerceptron
from uneven.persistence.model_file import ModelCard, ModelFileError, load_model, save_model

PROBLEM = make_problem(make_frame(), "label")
TWO = np.where(PROBLEM.y == "common", "common", "other")
HALF = np.where(np.arange(90) % 2 == 0, PROBLEM.y, None)
UMA = UMAClassifier(max_iter=20, random_state=0)
MODELS = {
    "uma": (UMA, PROBLEM.y),
    "uma with a kernel": (clone(UMA).set_params(kernel="rbf"), PROBLEM.y),
    "ultraconservative": (UltraconservativeClassifier("mira", fit_intercept=True), PROBLEM.y),
    "perceptron": (PerceptronClassifier(max_epochs=50), TWO),
    "noise-tolerant perceptron": (NoiseTolerantPerceptron(noise_rate=0.1), TWO),
    "kernel perceptron": (KernelPerceptronClassifier(gamma=1.0), PROBLEM.y),
    "kernel perceptron of two": (KernelPerceptronClassifier("poly", degree=5), TWO),
    "repair": (LabelRepairPipeline(UMA, UMA, cv=2, smoothing=1.0), HALF),
    "repair by boosting": (
        LabelRepairPipeline(
            UMA, ComboClassifier(n_estimators=3), cv=2, smoothing=1.0, use_clean="mixed"
        ),
        HALF,
    ),
}


@pytest.fixture(scope="module")
def fitted():
    encoder = encode_one_hot(PROBLEM.schema).set_params(sparse_threshold=1.0)
    found = {}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        for name, (model, y) in MODELS.items():
            steps = [("encode", clone(encoder)), ("classify", clone(model))]
            found[name] = Pipeline(steps).fit(PROBLEM.X, y)
    return found


@pytest.fixture
def path(tmp_path):
    return tmp_path / "m.skops"


@pytest.mark.parametrize("name", MODELS)
def test_round_trip(fitted, path, name):
    model = fitted[name]
    classes = [str(label) for label in model.classes_]
    save_model(model, ModelCard("m", "M", "label", classes, [1] * len(classes), [], 90), path)
    again, _ = load_model(path)
    np.testing.assert_array_equal(again.predict(PROBLEM.X), model.predict(PROBLEM.X))
    np.testing.assert_array_equal(
        again.decision_function(PROBLEM.X), model.decision_function(PROBLEM.X)
    )


def outside(rows):
    changed = rows.copy()
    changed.indices[0] = 10**6
    return changed


@pytest.mark.parametrize(
    ("name", "way", "change", "says"),
    [
        ("ultraconservative", "coef_", first(np.nan), "coefficients"),
        ("ultraconservative", "coef_", lambda a: a[:, :2], "coefficients are not"),
        ("ultraconservative", "coef_", lambda a: a[:1], "of 1 classes"),
        ("ultraconservative", "intercept_", first(np.inf), "intercepts"),
        ("ultraconservative", "classes_", lambda a: a[:, None], "not a list of labels"),
        ("noise-tolerant perceptron", "coef_", first(np.nan), "coefficients"),
        ("uma with a kernel", "expansion_.coefficients", first(np.nan), "coefficients"),
        ("uma with a kernel", "expansion_.support", lambda a: a[1:], "coefficients"),
        ("uma with a kernel", "expansion_.rows", outside, "ind(ices|ex)"),
        ("uma with a kernel", "expansion_.rows", lambda a: a[1:], "training rows have the shape"),
        ("uma with a kernel", "expansion_.kernel", lambda _: "precomputed", "'precomputed'"),
        ("uma with a kernel", "intercept_", first(np.nan), "intercepts"),
        ("kernel perceptron", "expansion_.coefficients", first(np.nan), "coefficients"),
        ("kernel perceptron", "expansion_.rows", outside, "ind(ices|ex)"),
        ("kernel perceptron", "expansion_.rows", lambda a: a[:, 1:], "training rows have"),
        ("kernel perceptron", "expansion_.kernel", lambda _: "additive", "kernel is 'additive'"),
        ("kernel perceptron", "expansion_", lambda _: "none", "a str stands where"),
        ("repair", "learner_.coef_", first(np.nan), "coefficients"),
        ("repair", "rough_.coef_", first(np.nan), "coefficients"),
        ("repair", "learner_.classes_", lambda a: np.array(["a", "b", "c"]), "other classes"),
        ("repair by boosting", "learner_.vote_.weights", first(-1.0), "vote weights"),
        ("repair by boosting", "learner_", lambda _: "none", "a str, which is not known"),
        ("repair by boosting", "n_features_in_", lambda n: n + 1, "number of columns"),
    ],
)
def test_numbers_that_no_training_leaves_are_refused(fitted, path, name, way, change, says):
    copy = pickle.loads(pickle.dumps(fitted[name]))
    put(way, change)(copy[-1])
    write(path, pipeline=copy)
    with pytest.raises(ModelFileError, match=f"(damaged|refused): .*({says})"):
        load_model(path)


def test_repair_within_repair_is_refused(fitted, path):
    copy = pickle.loads(pickle.dumps(fitted["repair"]))
    copy[-1].learner_ = pickle.loads(pickle.dumps(copy[-1]))
    write(path, pipeline=copy)
    with pytest.raises(ModelFileError, match="within itself"):
        load_model(path)


def test_a_part_that_no_file_can_hold_is_refused_when_it_is_saved(fitted, path):
    repair = LabelRepairPipeline(GaussianNB(), UMA, cv=2, smoothing=1.0)
    encoder = clone(fitted["repair"][0]).set_params(sparse_threshold=0.0)
    model = Pipeline([("encode", encoder), ("classify", repair)]).fit(PROBLEM.X, HALF)
    classes = [str(label) for label in model.classes_]
    card = ModelCard("m", "M", "label", classes, [1] * len(classes), [], 90)
    with pytest.raises(ModelFileError, match=r"cannot be kept in a model file: .*GaussianNB"):
        save_model(model, card, path)
    assert not path.exists()
    write(path, pipeline=model)
    with pytest.raises(ModelFileError, match=r"is refused: it holds types .*GaussianNB") as said:
        load_model(path)
    assert "damaged" not in str(said.value)


@pytest.mark.parametrize("model", [UMA, ComboClassifier(n_estimators=3)])
def test_a_frame_as_noise_matrix_becomes_an_array(fitted, path, model):
    names = ["rare", "common", "less"]
    matrix = np.array([[0.9, 0.0, 0.2], [0.1, 0.8, 0.0], [0.0, 0.2, 0.8]])
    frame = pd.DataFrame(matrix, index=names, columns=names)
    classifier = clone(model).set_params(noise_matrix=frame)
    pipeline = Pipeline([("encode", clone(fitted["uma"][0])), ("classify", classifier)])
    pipeline.fit(PROBLEM.X, PROBLEM.y)
    classes = [str(label) for label in pipeline.classes_]
    save_model(pipeline, ModelCard("m", "M", "label", classes, [1] * 3, [], 90), path)
    again, _ = load_model(path)
    np.testing.assert_array_equal(again.predict(PROBLEM.X), pipeline.predict(PROBLEM.X))
    np.testing.assert_array_equal(again[-1].noise_matrix, frame.loc[classes, classes])
    assert pipeline[-1].noise_matrix is frame
