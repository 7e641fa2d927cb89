"""Parts of scikit-learn that were forged so that compiled code, or endless loops, would follow."""

import pickle

import numpy as np
import pytest
from sklearn.compose import ColumnTransformer
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import (
    FunctionTransformer,
    OneHotEncoder,
    OrdinalEncoder,
    StandardScaler,
)

from tests.persistence.corpus import FOLDER, indicators, table
from tests.persistence.mutants import FINE, kept_names, run
from uneven.persistence.model_file import load_model
from uneven.persistence.scikit_learn import check_structure
from uneven.utils.model_types import UnknownPartError


def kept(name):
    return load_model(FOLDER / f"{name}.skops")[0]


@pytest.fixture(scope="module")
def models():
    names = ("hist_gradient_boosting", "logistic_regression", "random_forest", "combo")
    return {name: kept(name) for name in names}


def tree_state(model, **changes):
    """A tree whose state, as a file holds it, says something else."""
    tree = model[-1].estimators_[0].tree_
    tree.__setstate__(tree.__getstate__() | changes)


def scaler(model):
    return model[0].named_transformers_["numbers"][1]


def imputer(model):
    return model[0].named_transformers_["numbers"][0]


def one_hot(model):
    return model[0].named_transformers_["kinds"]


def bins(model):
    return model[-1]._bin_mapper


def nodes(model):
    return model[-1]._predictors[0][0].nodes


def assign(find, name, value):
    return lambda model: setattr(find(model), name, value)


def last(model):
    return model[-1]


def first(model):
    return model[0]


def values(model):
    return model[-1].estimators_[0].tree_.value


FORGED = {
    "random_forest": {
        "more nodes than there are": lambda m: tree_state(m, node_count=10**6),
        "no nodes": lambda m: tree_state(m, node_count=0),
        "fewer than none": lambda m: tree_state(m, node_count=-5),
        "answers that are no shares": lambda m: values(m).__setitem__(0, 7.0)
        or values(m).__setitem__(slice(None), 7.0),
        "answers below 0": lambda m: values(m).__setitem__(slice(None), -1.0),
        "no trees": assign(last, "estimators_", []),
        "many outputs": assign(last, "n_outputs_", 10**8),
        "other classes": assign(last, "n_classes_", 2),
        "classes twice": assign(last, "classes_", np.array(["a", "a", "b"])),
        "a warm start with an attribute": assign(last, "base_estimator_", StandardScaler()),
        "a tree of other classes": lambda m: setattr(m[-1].estimators_[1], "n_classes_", 9),
        "a tree with a preprocessor": lambda m: setattr(m[-1].estimators_[1], "predict", None),
        "another width": assign(last, "n_features_in_", 2**31 - 2),
    },
    "hist_gradient_boosting": {
        "a preprocessor": assign(last, "_preprocessor", FunctionTransformer()),
        "as if in fit": assign(last, "_in_fit", True),
        "categories outside of their sets": lambda m: [
            setattr(bins(m), "is_categorical_", np.ones(4, np.uint8)),
            setattr(bins(m), "bin_thresholds_", [np.array([10.0**6])] * 4),
        ],
        "known categories": lambda m: setattr(bins(m), "known_categories", [np.arange(3.0)]),
        "bins of fewer columns": lambda m: setattr(bins(m), "is_categorical_", np.zeros(0, "u1")),
        "bins that are something else": assign(last, "_bin_mapper", StandardScaler()),
        "a loss that is something else": assign(last, "_loss", StandardScaler()),
        "a link that is something else": lambda m: setattr(m[-1]._loss, "link", StandardScaler()),
        "a stage without trees": lambda m: m[-1]._predictors[0].clear(),
        "a stage of something else": lambda m: m[-1]._predictors.append([1, 2, 3]),
        "a cycle": lambda m: nodes(m)["left"].__setitem__(0, 0),
        "a column far away": lambda m: nodes(m)["feature_idx"].__setitem__(0, 2**31 - 10),
        "a leaf of NaN": lambda m: nodes(m)["value"].__setitem__(-1, np.nan),
        "a wrong beginning": assign(last, "_baseline_prediction", np.full((1, 3), np.inf)),
        "a wrong number of trees": assign(last, "n_trees_per_iteration_", 10**6),
        "remapped categories": assign(last, "_is_categorical_remapped", np.ones(4, bool)),
        "a scorer": assign(last, "_scorer", StandardScaler()),
    },
    "logistic_regression": {
        "indicators of no category": lambda m: setattr(one_hot(m), "_n_features_outs", [1]),
        "indicators of many": lambda m: setattr(one_hot(m), "_n_features_outs", [10**9]),
        "a dropped category": lambda m: setattr(one_hot(m), "drop_idx_", np.array([10**9])),
        "rare categories": lambda m: [
            setattr(one_hot(m), "_infrequent_enabled", True),
            setattr(one_hot(m), "_infrequent_indices", [np.array([0])]),
            setattr(one_hot(m), "_default_to_infrequent_mappings", [np.full(4, 10**8)]),
        ],
        "the same category twice": lambda m: setattr(
            one_hot(m), "categories_", [np.array(["a"] * 4, dtype=object)]
        ),
        "categories of other columns": lambda m: setattr(one_hot(m), "categories_", []),
        "another type of cells": lambda m: setattr(one_hot(m), "dtype", str),
        "scales of 0": lambda m: setattr(scaler(m), "scale_", np.zeros(3)),
        "scales of fewer columns": lambda m: setattr(scaler(m), "scale_", np.ones(1)),
        "infinite means": lambda m: setattr(scaler(m), "mean_", np.full(3, np.inf)),
        "an indicator": lambda m: setattr(imputer(m), "indicator_", StandardScaler()),
        "an indicator asked for": lambda m: setattr(imputer(m), "add_indicator", True),
        "infinite medians": lambda m: setattr(imputer(m), "statistics_", np.full(3, np.inf)),
        "medians of other columns": lambda m: setattr(imputer(m), "statistics_", np.zeros(9)),
        "other missing values": lambda m: setattr(imputer(m), "missing_values", "x"),
        "other columns": lambda m: first(m).transformers_.__setitem__(
            0, (*first(m).transformers_[0][:2], [99])
        ),
        "unknown columns": lambda m: first(m).transformers_.__setitem__(
            0, (*first(m).transformers_[0][:2], ["nobody"])
        ),
        "a remainder": assign(first, "remainder", "passthrough"),
        "weights of encoders": assign(first, "transformer_weights", {"kinds": 1e308}),
        "more than three": lambda m: first(m).transformers_.append((1, 2)),
        "a cache": lambda m: setattr(m, "memory", "/tmp"),
        "a function": lambda m: m.steps.__setitem__(0, ("encode", FunctionTransformer(np.exp))),
        "coefficients of NaN": lambda m: last(m).coef_.__setitem__((0, 0), np.nan),
        "fewer coefficients": lambda m: setattr(last(m), "coef_", last(m).coef_[:, :1]),
        "workers by name": assign(last, "n_jobs", "all"),
        "an answer in another form": assign(first, "_sklearn_output_config", {"predict": "x"}),
    },
}  # fmt: skip
CASES = [(name, what) for name, forgeries in FORGED.items() for what in forgeries]


@pytest.mark.parametrize(("name", "what"), CASES)
def test_forged_parts_are_refused(models, name, what):
    forged = pickle.loads(pickle.dumps(models[name]))
    check_structure(forged)
    FORGED[name][what](forged)
    with pytest.raises(ValueError):
        check_structure(forged)


def test_there_are_fifty_of_them():
    assert len(CASES) >= 50


def test_encoders_of_every_setting_are_taken():
    X, y = table()
    X["many"] = [f"c{j % 9}" for j in range(len(X))]
    kinds = OneHotEncoder(handle_unknown="infrequent_if_exist", max_categories=3)
    encoder = ColumnTransformer([("kinds", kinds, ["kind", "many"])])
    model = Pipeline([("encode", encoder), ("classify", LogisticRegression())]).fit(X, y)
    check_structure(model)
    empty = indicators().fit(X.assign(a=np.nan))
    check_structure(Pipeline([("encode", empty), ("classify", model[-1])]))


@pytest.mark.parametrize("kinds", [OrdinalEncoder(), OneHotEncoder()])
def test_encoders_of_no_column_are_taken_as_they_are_never_asked(kinds):
    X, y = table()
    encoder = ColumnTransformer([("numbers", StandardScaler(), ["a", "c"]), ("kinds", kinds, [])])
    check_structure(make_pipeline(encoder, LogisticRegression()).fit(X, y))


def test_two_classes_are_taken():
    from sklearn.ensemble import HistGradientBoostingClassifier

    X, y = table()
    for classifier in (HistGradientBoostingClassifier(max_iter=2), RandomForestClassifier(2)):
        encoder = ColumnTransformer([("numbers", StandardScaler(), ["a", "c"])])
        check_structure(make_pipeline(encoder, classifier).fit(X[y != "rare"], y[y != "rare"]))


def test_files_of_a_newer_scikit_learn_with_unknown_attributes_are_refused_by_name(models):
    newer = pickle.loads(pickle.dumps(models["logistic_regression"]))
    newer[-1].new_in_2030_ = np.zeros(3)
    with pytest.raises(UnknownPartError, match="an attribute 'new_in_2030_', which is not known"):
        check_structure(newer)


@pytest.mark.slow
def test_some_mutants_of_the_kept_files():
    """``python -m tests.persistence.mutants`` runs 20 000."""
    names = kept_names()[::4]
    ends, bad = run(range(40_000, 40_060), names)
    assert not bad
    assert ends[FINE[0]] > 10
    assert sum(ends.values()) == 60
