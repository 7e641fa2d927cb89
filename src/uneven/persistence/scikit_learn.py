"""Checks of the classifiers of scikit-learn that model files hold, and of whole pipelines.

Its trees are read by compiled code that follows child and column indices without looking at their
range, and its estimators trust the helpers that they hold. So each class has a table of its
attributes, and every index is checked here once.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import Pipeline
from sklearn.tree import DecisionTreeClassifier

from uneven.linear.base import check_linear
from uneven.persistence.attributes import (
    Rule,
    check_attributes,
    count,
    either,
    elsewhere,
    floats,
    labels,
    missing,
    names,
    only,
    plain,
    wholes,
)
from uneven.persistence.encoders import COLUMNS, check_encoder, check_pipeline
from uneven.utils.model_types import (
    HELPER_TYPES,
    LARGEST,
    UnknownPartError,
    check_nodes,
    check_numbers,
    check_part,
    check_range,
    check_tree,
    persisted,
    register_type,
)


def check_structure(pipeline: Any) -> None:
    """Refuse a loaded object that is not an encoder and a well-formed classifier.

    Parameters
    ----------
    pipeline : object
        What a model file held.

    Raises
    ------
    UnknownPartError
        If it is something else.
    ValueError
        If a part of it holds what no fit leaves behind.
    """
    if type(pipeline) is not Pipeline or len(pipeline.steps) != 2:
        raise UnknownPartError("it does not hold a pipeline of an encoder and a classifier")
    check_pipeline(pipeline)
    check_encoder(pipeline[0])
    refusal = "its classifier is a {}, which is not known"
    check_part(("classifier", "stack", "repair"), pipeline[1], refusal=refusal)


_TREE: dict[str, Rule] = {
    "n_features_in_": count, "feature_names_in_": names, "n_outputs_": only(1, np.int64(1)),
    "classes_": labels, "n_classes_": count, "max_features_": count, "tree_": elsewhere,
}  # fmt: skip
_FOREST: dict[str, Rule] = COLUMNS | {
    "n_outputs_": only(1, np.int64(1)), "classes_": labels, "n_classes_": count,
    "_n_samples": count, "_n_samples_bootstrap": either(missing, count), "_sample_weight": missing,
    "estimator": elsewhere, "estimator_": elsewhere, "estimators_": elsewhere,
    "estimator_params": plain, "oob_score_": plain, "oob_decision_function_": plain,
}  # fmt: skip


def _check_forest(forest: RandomForestClassifier) -> None:
    check_attributes(forest, _FOREST)
    n_classes = len(forest.classes_)
    if forest.n_classes_ != n_classes or not forest.estimators_:
        raise ValueError(f"its forest has {len(forest.estimators_)} trees of other classes")
    for member in forest.estimators_:
        if type(member) is not DecisionTreeClassifier:
            raise ValueError(f"its forest holds a {type(member).__name__}")
        check_attributes(member, _TREE)
        tree = member.tree_
        widths = {forest.n_features_in_, member.n_features_in_, tree.n_features}
        if len(widths) > 1:
            raise ValueError("the trees of its forest disagree about the number of columns")
        if not member.n_classes_ == len(member.classes_) == n_classes:
            raise ValueError("a tree of its forest knows other classes")
        check_tree(tree, forest.n_features_in_, n_classes)


_BOOSTING: dict[str, Rule] = COLUMNS | {
    "classes_": labels, "n_trees_per_iteration_": count, "_n_features": count,
    "_baseline_prediction": floats(1, None), "is_categorical_": missing,
    "_is_categorical_remapped": missing, "_preprocessor": missing, "_in_fit": only(False),
    "_random_seed": plain, "_feature_subsample_rng": plain, "do_early_stopping_": plain,
    "_use_validation_data": plain, "_scorer": missing, "train_score_": plain,
    "validation_score_": plain, "_label_encoder": elsewhere, "_loss": elsewhere,
    "_bin_mapper": elsewhere, "_predictors": elsewhere,
}  # fmt: skip
_BINS: dict[str, Rule] = {
    "n_bins": count, "subsample": either(missing, count), "is_categorical": missing,
    "known_categories": missing, "random_state": plain, "n_threads": plain,
    "is_categorical_": wholes("features", most=0), "missing_values_bin_idx_": count,
    "bin_thresholds_": plain, "n_bins_non_missing_": plain,
}  # fmt: skip


def _check_gradient_boosting(model: HistGradientBoostingClassifier) -> None:
    check_attributes(model, _BOOSTING, fixed={"loss": ("log_loss",)})
    n_trees = 1 if len(model.classes_) == 2 else len(model.classes_)
    shape = model._baseline_prediction.shape
    if model.n_trees_per_iteration_ != n_trees or shape != (1, n_trees):
        raise ValueError(f"its boosting begins with {shape} scores of {n_trees}")
    _check_helpers(model, n_trees)
    for stage in model._predictors:
        if type(stage) is not list or len(stage) != n_trees:
            raise ValueError("a stage of its boosting does not have a tree for every class")
        for predictor in stage:
            _check_predictor(predictor, model.n_features_in_)


def _check_helpers(model: HistGradientBoostingClassifier, n_trees: int) -> None:
    """Check what gradient boosting uses when it predicts: bins, loss and link."""
    bins, loss = model._bin_mapper, model._loss
    wanted = ("HalfBinomialLoss", "LogitLink") if n_trees == 1 else (
        "HalfMultinomialLoss", "MultinomialLogit")  # fmt: skip
    if (type(loss).__name__, type(getattr(loss, "link", None)).__name__) != wanted:
        raise UnknownPartError(f"its boosting has a {type(loss).__name__}, which is not known")
    if type(bins).__name__ != "_BinMapper":
        raise UnknownPartError(f"its boosting has a {type(bins).__name__}, which is not known")
    for name, value in vars(bins).items():
        if name not in _BINS or not _BINS[name](value, model):
            raise ValueError(f"the {name} of the bins of its boosting cannot come from a fit")


def _check_predictor(predictor: Any, n_features: int) -> None:
    """Refuse a tree of gradient boosting that compiled code cannot follow."""
    if type(predictor).__name__ != "TreePredictor":
        raise ValueError(f"its boosting holds a {type(predictor).__name__}")
    nodes = predictor.nodes
    if nodes.ndim != 1:
        raise ValueError("the nodes of a tree are not a list")
    inner = nodes["is_leaf"] == 0
    if np.any(nodes["is_categorical"][inner]):
        raise ValueError("a tree splits on categories, which no encoder of uneven makes")
    check_numbers(nodes["value"].copy(), nodes.shape, "leaf values", True, LARGEST)
    check_nodes(inner, [nodes["left"].astype(np.int64), nodes["right"].astype(np.int64)])
    check_range(nodes["feature_idx"][inner].astype(np.int64), n_features, "column")


def _check_logistic_regression(model: LogisticRegression) -> None:
    table = COLUMNS | {
        "classes_": labels, "coef_": elsewhere, "intercept_": elsewhere,
        "n_iter_": plain,
    }  # fmt: skip
    check_attributes(model, table)
    check_linear(model)


persisted("pipeline", role="pipeline", check=check_structure)(Pipeline)
persisted("random_forest", role="classifier", check=_check_forest)(RandomForestClassifier)
persisted("hist_gradient_boosting", role="classifier", check=_check_gradient_boosting)(
    HistGradientBoostingClassifier
)
persisted("logistic_regression", role="classifier", check=_check_logistic_regression)(
    LogisticRegression
)
persisted("decision_tree", without_check="its forest checks it")(DecisionTreeClassifier)
for _name, _home, _why in (
    ("dtype", "numpy.dtype", "plain"),
    ("csr_array", "scipy.sparse._csr.csr_array", "checked as training rows"),
    ("csr_matrix", "scipy.sparse._csr.csr_matrix", "checked as training rows"),
    ("sklearn_tree", "sklearn.tree._tree.Tree", "its owner checks its nodes"),
    (
        "tree_predictor",
        "sklearn.ensemble._hist_gradient_boosting.predictor.TreePredictor",
        "its owner checks its nodes",
    ),
):
    register_type(_name, _home, without_check=_why)
HELPER_TYPES.update(
    {
        "sklearn._loss._loss.CyHalfBinomialLoss",
        "sklearn._loss._loss.CyHalfMultinomialLoss",
        "sklearn._loss.link.Interval",
        "sklearn._loss.link.LogitLink",
        "sklearn._loss.link.MultinomialLogit",
        "sklearn._loss.loss.HalfBinomialLoss",
        "sklearn._loss.loss.HalfMultinomialLoss",
        "sklearn.ensemble._hist_gradient_boosting.binning._BinMapper",
        "sklearn.preprocessing._label.LabelEncoder",
    }
)
