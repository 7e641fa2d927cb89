"""Checks of the encoders of scikit-learn that model files hold.

A one-hot encoder builds sparse rows of indices that are not checked, an imputer calls whatever
stands in the place of its indicator: so encoders are checked attribute by attribute.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.compose import ColumnTransformer
from sklearn.impute import SimpleImputer
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import (
    FunctionTransformer,
    OneHotEncoder,
    OrdinalEncoder,
    StandardScaler,
)

from uneven.persistence.attributes import (
    Rule,
    check_attributes,
    count,
    each,
    either,
    elsewhere,
    floats,
    missing,
    names,
    only,
    plain,
    wholes,
)
from uneven.utils.model_types import UnknownPartError, check_part, persisted, register_type

COLUMNS: dict[str, Rule] = {"n_features_in_": count, "feature_names_in_": names}
"""What every estimator knows of the columns that it reads."""


def check_pipeline(pipeline: Pipeline) -> None:
    """Refuse a pipeline that does more than pass rows on; its steps are checked elsewhere."""
    steps = {"steps": _are_steps}
    check_attributes(pipeline, steps, fixed={"memory": (None,), "transform_input": (None,)})


def _are_steps(value: Any, owner: Any) -> bool:
    return type(value) is list and all(
        type(step) is tuple and len(step) == 2 and type(step[0]) is str for step in value
    )


_ENCODER: dict[str, Rule] = COLUMNS | {
    "transformers": elsewhere, "transformers_": elsewhere, "_remainder": elsewhere,
    "_columns": plain, "_transformer_to_input_indices": plain, "output_indices_": plain,
    "_name_to_fitted_passthrough": missing, "_n_features": count,
    "sparse_output_": only(True, False), "_transformers_feature_names_out": plain,
}  # fmt: skip
_AS_WE_ENCODE = {"remainder": ("drop",), "transformer_weights": (None,)}


def check_encoder(encoder: Any) -> None:
    """Refuse a loaded encoder that is not a ColumnTransformer of parts that are known."""
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
            check_pipeline(part)
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
    check_attributes(step, COLUMNS, fixed={"feature_names_out": (None, "one-to-one")})


def _check_imputer(step: SimpleImputer) -> None:
    types = ("_fit_dtype", "_fill_dtype")
    table = (
        COLUMNS
        | dict.fromkeys(types, plain)
        | {
            "indicator_": missing,
            "statistics_": _is_statistics,
        }
    )
    strategies = ("median", "mean", "most_frequent", "constant")
    fixed = {"add_indicator": (False,), "missing_values": (np.nan,), "strategy": strategies}
    check_attributes(step, table, fixed=fixed)
    if not hasattr(step, "_fill_dtype"):  # scikit-learn 1.6 fills with the type of its fit
        step._fill_dtype = step._fit_dtype


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
    table = COLUMNS | {
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


_CATEGORIES: dict[str, Rule] = COLUMNS | {
    "categories_": _are_categories,
    "_infrequent_enabled": only(True, False),
    "_infrequent_indices": each(either(missing, wholes(None)), "features"),
    "_default_to_infrequent_mappings": each(either(missing, wholes(None)), "features"),
    "_missing_indices": plain,
}


def _n_codes(step: Any) -> list[int]:
    """How many codes the categories of each column have; rare ones may share the last.

    None at all for an encoder without columns, which is never fitted and never called.

    Raises
    ------
    ValueError
        If a category is sent to a code that there is not.
    """
    if not hasattr(step, "categories_"):
        return []
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
    if list(getattr(step, "_n_features_outs", [])) != _n_codes(step):
        raise ValueError("a one-hot encoder makes other columns than its categories")


def _check_ordinal(step: OrdinalEncoder) -> None:
    check_attributes(step, _CATEGORIES, fixed={"dtype": (np.float64,)})
    _n_codes(step)


persisted("column_transformer", role="columns", check=check_encoder)(ColumnTransformer)
for _name, _class, _check in (
    ("one_hot_encoder", OneHotEncoder, _check_one_hot),
    ("ordinal_encoder", OrdinalEncoder, _check_ordinal),
    ("simple_imputer", SimpleImputer, _check_imputer),
    ("standard_scaler", StandardScaler, _check_scaler),
    ("function_transformer", FunctionTransformer, _check_function),
):
    persisted(_name, role="encoder", check=_check)(_class)
register_type(
    "category_encoder",
    "uneven.comparison.encoding.CategoryEncoder",
    role="encoder",
    check=_check_ordinal,
)
