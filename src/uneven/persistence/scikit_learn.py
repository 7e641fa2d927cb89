"""Checks of what model files hold of scikit-learn: encoders, rivals, and their parts.

Its trees are read by compiled code that follows child and column indices without looking at their
range, its one-hot encoder builds sparse rows of indices that it does not look at either, and its
estimators trust the helpers that they hold. So each class has a table of its attributes, and every
index is checked here once.
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
from uneven.persistence.attributes import (
    Rule,
    check_attributes,
    count,
    each,
    either,
    floats,
    labels,
    missing,
    names,
    only,
    elsewhere,
    plain,
    wholes,
)
from uneven.utils.model_types import (
    HELPER_TYPES,
    UnknownPartError,
    check_nodes,
    check_numbers,
    check_part,
    check_range,
    check_tree,
    persisted,
    register_type,
)

_COLUMNS: dict[str, Rule] = {"n_features_in_": count, "feature_names_in_": names}


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
    _check_pipeline(pipeline)
    _check_encoder(pipeline[0])
    refusal = "its classifier is a {}, which is not known"
    check_part(("classifier", "stack", "repair"), pipeline[1], refusal=refusal)


def _check_pipeline(pipeline: Pipeline) -> None:
    """Refuse a pipeline that does more than pass rows on; its steps are checked elsewhere."""
    steps = {"steps": _are_steps}
    check_attributes(pipeline, steps, fixed={"memory": (None,), "transform_input": (None,)})


def _are_steps(value: Any, owner: Any) -> bool:
    return type(value) is list and all(
        type(step) is tuple and len(step) == 2 and type(step[0]) is str for step in value
    )


_ENCODER: dict[str, Rule] = _COLUMNS | {
    "transformers": elsewhere, "transformers_": elsewhere, "_remainder": elsewhere,
    "_columns": plain, "_transformer_to_input_indices": plain, "output_indices_": plain,
    "_name_to_fitted_passthrough": missing, "_n_features": count,
    "sparse_output_": only(True, False), "_transformers_feature_names_out": plain,
}  # fmt: skip
_AS_WE_ENCODE = {"remainder": ("drop",), "transformer_weights": (None,)}


def _check_encoder(encoder: Any) -> None:
    if type(encoder) is not ColumnTransformer:
        raise UnknownPartError(
            f"its encoder is a {type(encoder).__name__}, not a ColumnTransformer"
        )
    check_attributes(encoder, _ENCODER, fixed=_AS_WE_ENCODE)
    for triple in encoder.transformers_:
        if type(triple) is not tuple or len(triple) != 3:
            raise ValueError("its encoder does not say which columns it encodes")
        _, part, columns = triple
        _check_columns(columns, encoder)
        steps = [step for _, step in part.steps] if type(part) is Pipeline else [part]
        if type(part) is Pipeline:
            _check_pipeline(part)
        for step in steps:
            if type(step) is not str:
                refusal = "its encoder holds a {}, which is not known"
                check_part("encoder", step, refusal=refusal)


def _check_columns(columns: Any, encoder: ColumnTransformer) -> None:
    """Refuse columns that are not in the table that an encoder reads."""
    given = (
        columns
        if isinstance(columns, list) or type(columns).__name__ == "_RemainderColsList"
        else [columns]
    )
    known = set(getattr(encoder, "feature_names_in_", ()))
    for column in list(given):
        if isinstance(column, str):
            fits = column in known
        elif isinstance(column, slice):
            fits = all(type(end) in (int, type(None)) for end in (column.start, column.stop))
        else:
            fits = isinstance(column, int | np.integer) and 0 <= column < encoder.n_features_in_
        if not fits:
            raise ValueError(f"its encoder reads a column {column!r}, which it does not know")


def _check_function(step: FunctionTransformer) -> None:
    if step.func is not None or step.inverse_func is not None:
        raise UnknownPartError("its encoder holds a FunctionTransformer, which is not known")
    check_attributes(step, _COLUMNS, fixed={"feature_names_out": (None, "one-to-one")})


def _check_imputer(step: SimpleImputer) -> None:
    types = ("_fit_dtype", "_fill_dtype")
    table = (
        _COLUMNS
        | dict.fromkeys(types, plain)
        | {
            "indicator_": missing,
            "statistics_": _is_statistics,
        }
    )
    strategies = ("median", "mean", "most_frequent", "constant")
    fixed = {"add_indicator": (False,), "missing_values": (np.nan,), "strategy": strategies}
    check_attributes(step, table, fixed=fixed)


def _is_statistics(value: Any, owner: Any) -> bool:
    """One number per column; NaN for a column that was empty in training."""
    shape = (owner.n_features_in_,)
    return (
        type(value) is np.ndarray
        and value.dtype.kind == "f"
        and value.shape == shape
        and not np.isinf(value).any()
    )


def _check_scaler(step: StandardScaler) -> None:
    seen = either(count, lambda value, owner: bool(np.all(np.asarray(value) >= 0)))
    table = _COLUMNS | {
        "n_samples_seen_": seen,
        "mean_": either(missing, floats("features")),
        "var_": either(missing, floats("features", least=0.0)),
        "scale_": either(missing, floats("features", above=0.0)),
    }
    check_attributes(step, table)


def _are_categories(value: Any, owner: Any) -> bool:
    """Different values, one list per column."""
    return (
        type(value) is list
        and len(value) == owner.n_features_in_
        and all(type(one) is np.ndarray and one.ndim == 1 for one in value)
        and all(len(set(one.tolist())) == len(one) for one in value)
    )


_CATEGORIES: dict[str, Rule] = _COLUMNS | {
    "categories_": _are_categories,
    "_infrequent_enabled": only(True, False),
    "_infrequent_indices": each(either(missing, wholes(None)), "features"),
    "_default_to_infrequent_mappings": each(either(missing, wholes(None)), "features"),
    "_missing_indices": plain,
}


def _n_codes(step: Any) -> list[int]:
    """How many codes the categories of each column have; rare ones may share the last.

    Raises
    ------
    ValueError
        If a category is sent to a code that there is not.
    """
    sizes = []
    mappings = getattr(step, "_default_to_infrequent_mappings", [None] * step.n_features_in_)
    rare = getattr(step, "_infrequent_indices", [None] * step.n_features_in_)
    for values, mapping, few in zip(step.categories_, mappings, rare):
        size = len(values)
        if few is not None and len(few):
            size += 1 - len(few)
        if mapping is not None and (
            mapping.shape != (len(values),) or (mapping.size and mapping.max() >= size)
        ):
            raise ValueError("an encoder sends a category to a code that there is not")
        sizes.append(size)
    return sizes


def _check_one_hot(step: OneHotEncoder) -> None:
    table = _CATEGORIES | {
        "_drop_idx_after_grouping": missing,
        "drop_idx_": missing,
        "_n_features_outs": plain,
    }
    fixed = {"drop": (None,), "dtype": (np.float64,), "feature_name_combiner": ("concat",)}
    check_attributes(step, table, fixed=fixed)
    if list(step._n_features_outs) != _n_codes(step):
        raise ValueError("a one-hot encoder makes other columns than its categories")


def _check_ordinal(step: OrdinalEncoder) -> None:
    check_attributes(step, _CATEGORIES, fixed={"dtype": (np.float64,)})
    _n_codes(step)


_TREE: dict[str, Rule] = {
    "n_features_in_": count, "feature_names_in_": names, "n_outputs_": only(1, np.int64(1)),
    "classes_": labels, "n_classes_": count, "max_features_": count, "tree_": elsewhere,
}  # fmt: skip
_FOREST: dict[str, Rule] = _COLUMNS | {
    "n_outputs_": only(1, np.int64(1)), "classes_": labels, "n_classes_": count,
    "_n_samples": count, "_n_samples_bootstrap": either(missing, count), "_sample_weight": missing,
    "estimator": elsewhere, "estimator_": elsewhere, "estimators_": elsewhere, "estimator_params": plain,
    "oob_score_": plain, "oob_decision_function_": plain,
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


_BOOSTING: dict[str, Rule] = _COLUMNS | {
    "classes_": labels, "n_trees_per_iteration_": count, "_n_features": count,
    "_baseline_prediction": floats(1, None), "is_categorical_": missing,
    "_is_categorical_remapped": missing, "_preprocessor": missing, "_in_fit": only(False),
    "_random_seed": plain, "_feature_subsample_rng": plain, "do_early_stopping_": plain,
    "_use_validation_data": plain, "_scorer": missing, "train_score_": plain,
    "validation_score_": plain, "_label_encoder": elsewhere, "_loss": elsewhere, "_bin_mapper": elsewhere,
    "_predictors": elsewhere,
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
    """Check what gradient boosting asks for when it predicts: bins, loss and link."""
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
    check_numbers(nodes["value"].copy(), nodes.shape, "answers", signed=True)
    check_nodes(inner, [nodes["left"].astype(np.int64), nodes["right"].astype(np.int64)])
    check_range(nodes["feature_idx"][inner].astype(np.int64), n_features, "column")


def _check_logistic_regression(model: LogisticRegression) -> None:
    table = _COLUMNS | {
        "classes_": labels, "coef_": floats(None, "features"), "intercept_": floats(None),
        "n_iter_": plain,
    }  # fmt: skip
    check_attributes(model, table)
    check_linear(model)


persisted("pipeline", role="pipeline", check=check_structure)(Pipeline)
persisted("column_transformer", role="columns", check=_check_encoder)(ColumnTransformer)
for _name, _class, _check in (
    ("one_hot_encoder", OneHotEncoder, _check_one_hot),
    ("ordinal_encoder", OrdinalEncoder, _check_ordinal),
    ("simple_imputer", SimpleImputer, _check_imputer),
    ("standard_scaler", StandardScaler, _check_scaler),
    ("function_transformer", FunctionTransformer, _check_function),
):
    persisted(_name, role="encoder", check=_check)(_class)
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
