"""Encoders that turn a table into numbers, keeping the column names."""

from __future__ import annotations

import numpy as np
from sklearn.compose import ColumnTransformer
from sklearn.impute import SimpleImputer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, OrdinalEncoder, StandardScaler

from uneven.comparison.schema import Schema

__all__ = ["ENCODERS", "encode_one_hot", "encode_ordinal", "hand_on"]

MOST_INDICATORS = 64


def encode_ordinal(schema: Schema) -> ColumnTransformer:
    """Numbers as they are, categories as codes; missing and unseen values as NaN.

    For learners that split columns and accept NaN.  The output is a DataFrame whose columns have
    the names of the input, so views by name or prefix keep their meaning.

    Parameters
    ----------
    schema : Schema
        What the columns hold.

    Returns
    -------
    ColumnTransformer
        Not fitted.

    Examples
    --------
    >>> import pandas as pd
    >>> frame = pd.DataFrame({"kind": ["b", "a", None], "size": [1.0, 2.0, 3.0]})
    >>> schema = Schema.of(frame)
    >>> encode_ordinal(schema).fit_transform(schema.convert(frame))
       size  kind
    0   1.0   1.0
    1   2.0   0.0
    2   3.0   NaN
    """
    codes = OrdinalEncoder(
        handle_unknown="use_encoded_value", unknown_value=np.nan, encoded_missing_value=np.nan
    )
    transformer = ColumnTransformer(
        [
            ("numbers", "passthrough", schema.of_kind("number", "boolean", "date")),
            ("categories", codes, schema.of_kind("category")),
        ],
        verbose_feature_names_out=False,
    )
    return transformer.set_output(transform="pandas")


def encode_one_hot(schema: Schema) -> ColumnTransformer:
    """Numbers imputed by the median and scaled, categories as indicators.

    For linear learners.  Rare categories beyond the 64 most frequent share one indicator.

    Parameters
    ----------
    schema : Schema
        What the columns hold.

    Returns
    -------
    ColumnTransformer
        Not fitted.
    """
    numbers = make_pipeline(
        SimpleImputer(strategy="median", keep_empty_features=True), StandardScaler()
    )
    indicators = OneHotEncoder(handle_unknown="infrequent_if_exist", max_categories=MOST_INDICATORS)
    return ColumnTransformer(
        [
            ("numbers", numbers, schema.of_kind("number", "boolean", "date")),
            ("categories", indicators, schema.of_kind("category")),
        ]
    )


def hand_on(schema: Schema) -> ColumnTransformer:
    """Columns as they are: every member of a stack encodes them for itself.

    Parameters
    ----------
    schema : Schema
        What the columns hold.

    Returns
    -------
    ColumnTransformer
        Not fitted; its output is a DataFrame with the columns of the schema.
    """
    transformer = ColumnTransformer(
        [("columns", "passthrough", list(schema.names))], verbose_feature_names_out=False
    )
    return transformer.set_output(transform="pandas")


ENCODERS = {"ordinal": encode_ordinal, "one_hot": encode_one_hot, "as_is": hand_on}
"""What a method may ask for: takes a `Schema`, returns the transformer before the classifier."""
