"""Checks of what model files hold of other libraries: encoders, rivals, and their parts.

The trees of scikit-learn are read by compiled code that follows child and column indices without
looking at their range, and its estimators trust the helpers that they hold. So every index is
checked here once, and an estimator may hold nothing but numbers, text and arrays, except in the
places that are named.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.compose import ColumnTransformer
from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import (
    FunctionTransformer,
    OneHotEncoder,
    OrdinalEncoder,
    StandardScaler,
)
from sklearn.tree import DecisionTreeClassifier

from uneven.linear.base import check_linear
from uneven.utils.model_types import (
    UnknownPartError,
    check_nodes,
    check_numbers,
    check_part,
    check_plain,
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
        If a tree in it points outside its arrays.
    """
    if type(pipeline) is not Pipeline or len(pipeline.steps) != 2:
        raise UnknownPartError("it does not hold a pipeline of an encoder and a classifier")
    check_plain(pipeline, "steps")
    _check_encoder(pipeline[0])
    refusal = "its classifier is a {}, which is not known"
    check_part(("classifier", "stack", "repair"), pipeline[1], refusal=refusal)


def _check_encoder(encoder: Any) -> None:
    if type(encoder) is not ColumnTransformer:
        raise UnknownPartError(
            f"its encoder is a {type(encoder).__name__}, not a ColumnTransformer"
        )
    check_plain(encoder, "transformers", "transformers_", "_remainder")
    for _, part, _ in encoder.transformers_:
        steps = [step for _, step in part.steps] if type(part) is Pipeline else [part]
        for step in steps:
            if type(step) is not str:
                refusal = "its encoder holds a {}, which is not known"
                check_part("encoder", step, refusal=refusal)


def _check_function(step: FunctionTransformer) -> None:
    if step.func is not None:
        raise UnknownPartError("its encoder holds a FunctionTransformer, which is not known")
    check_plain(step)


def _check_forest(forest: RandomForestClassifier) -> None:
    check_plain(forest, "estimator", "estimator_", "estimators_")
    for member in forest.estimators_:
        if type(member) is not DecisionTreeClassifier:
            raise ValueError(f"its forest holds a {type(member).__name__}")
        check_plain(member, "tree_")
        tree = member.tree_
        widths = {forest.n_features_in_, member.n_features_in_, tree.n_features}
        if len(widths) > 1:
            raise ValueError("the trees of its forest disagree about the number of columns")
        check_tree(tree, forest.n_features_in_)


def _check_gradient_boosting(model: HistGradientBoostingClassifier) -> None:
    check_plain(model, "_predictors", "_bin_mapper", "_label_encoder", "_loss")
    for predictor in (tree for stage in model._predictors for tree in stage):
        nodes = predictor.nodes
        inner = nodes["is_leaf"] == 0
        if np.any(nodes["is_categorical"][inner]):
            raise ValueError("a tree splits on categories, which no encoder of uneven makes")
        check_numbers(nodes["value"].copy(), nodes.shape, "answers", signed=True)
        check_nodes(inner, [nodes["left"].astype(np.int64), nodes["right"].astype(np.int64)])
        check_range(nodes["feature_idx"][inner].astype(np.int64), model.n_features_in_, "column")


def _check_logistic_regression(model: LogisticRegression) -> None:
    check_plain(model)
    check_linear(model)


persisted("pipeline", role="pipeline", check=check_structure)(Pipeline)
persisted("column_transformer", role="columns", check=_check_encoder)(ColumnTransformer)
for _name, _class in (
    ("one_hot_encoder", OneHotEncoder),
    ("ordinal_encoder", OrdinalEncoder),
    ("simple_imputer", SimpleImputer),
    ("standard_scaler", StandardScaler),
):
    persisted(_name, role="encoder", check=check_plain)(_class)
persisted("function_transformer", role="encoder", check=_check_function)(FunctionTransformer)
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
    ("remainder", "sklearn.compose._column_transformer._RemainderColsList", "a list of columns"),
    ("sklearn_tree", "sklearn.tree._tree.Tree", "its owner checks its nodes"),
    (
        "tree_predictor",
        "sklearn.ensemble._hist_gradient_boosting.predictor.TreePredictor",
        "its owner checks its nodes",
    ),
):
    register_type(_name, _home, without_check=_why)
