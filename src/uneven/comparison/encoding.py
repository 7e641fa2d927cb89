"""Encoders that turn a table into numbers, keeping the column names.

Each takes a `Schema` and returns a transformer that is not fitted yet. A sparse matrix holds
numbers only and stays sparse for every learner that takes it so.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.compose import ColumnTransformer
from sklearn.impute import SimpleImputer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MaxAbsScaler, OneHotEncoder, OrdinalEncoder, StandardScaler
from sklearn.utils import get_tags

from uneven.comparison.errors import InputError
from uneven.comparison.schema import Schema
from uneven.comparison.words import MOST_DENSE_WORDS, DateEncoder, TextEncoder
from uneven.utils.registry import listing

MOST_INDICATORS = 64
MOST_DENSE_CELLS = 500_000_000


def encode_ordinal(schema: Schema) -> Any:
    """Numbers as they are, categories as codes; missing and unseen values as NaN.

    For learners that split columns and accept NaN.  The output is a DataFrame whose columns have
    the names of the input, so views by name or prefix keep their meaning; dates and running text
    become several columns, see `Schema.encoded_names`; of a text only the most frequent words.

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
    if schema.sparse:
        return "passthrough"
    codes = CategoryEncoder(
        handle_unknown="use_encoded_value", unknown_value=np.nan, encoded_missing_value=np.nan
    )
    return _framed(
        [
            ("numbers", "passthrough", schema.of_kind("number", "boolean")),
            *_dates(schema),
            ("categories", codes, schema.of_kind("category")),
            *_texts(schema, "dense"),
        ]
    )


def encode_one_hot(schema: Schema) -> Any:
    """Numbers imputed by the median and scaled, categories as indicators.

    For linear learners.  Rare categories beyond the 64 most frequent share one indicator.  A sparse
    matrix is only scaled, by the largest absolute value of each column.
    """
    if schema.sparse:
        return MaxAbsScaler()
    numbers = make_pipeline(_impute(), StandardScaler())
    indicators = OneHotEncoder(handle_unknown="infrequent_if_exist", max_categories=MOST_INDICATORS)
    return ColumnTransformer(
        [
            ("numbers", numbers, schema.of_kind("number", "boolean")),
            *_dates(schema, _impute(), StandardScaler()),
            ("categories", indicators, schema.of_kind("category")),
            *_texts(schema, None),
        ]
    )


def encode_indicators(schema: Schema, impute: bool = True) -> Any:
    """Numbers as they are, or imputed by the median; categories as indicators.

    For classifiers from elsewhere. A sparse matrix stays as it is.
    """
    if schema.sparse:
        return "passthrough"
    indicators = OneHotEncoder(
        handle_unknown="infrequent_if_exist", max_categories=MOST_INDICATORS, sparse_output=False
    )
    numbers = _impute() if impute else "passthrough"
    return _framed(
        [
            ("numbers", numbers, schema.of_kind("number", "boolean")),
            *_dates(schema, *[_impute()] * impute),
            ("categories", indicators, schema.of_kind("category")),
            *_texts(schema, "dense"),
        ]
    )


Part = tuple[str, Any, Any]


def _framed(parts: list[Part]) -> Any:
    """A transformer of columns whose output is a frame with plain names."""
    transformer = ColumnTransformer(parts, verbose_feature_names_out=False)
    return transformer.set_output(transform="pandas")


def _dates(schema: Schema, *further: Any) -> list[Part]:
    """The parts of dates, and what is done with them next; nothing without dates."""
    names = schema.of_kind("date")
    if not names:
        return []
    timed = [column.name for column in schema.columns if column.form.get("time")]
    encoder = DateEncoder(names, [name for name in names if name in timed])
    return [("dates", make_pipeline(encoder, *further) if further else encoder, names)]


def _texts(schema: Schema, framed: str | None) -> list[Part]:
    """One encoder for each column of running text."""
    most = None if framed is None else MOST_DENSE_WORDS
    return [
        (f"text {j}", TextEncoder(list(column.categories[:most]), column.name, framed), column.name)
        for j, column in enumerate(schema.columns)
        if column.kind == "text" and column.categories
    ]


def hand_on(schema: Schema) -> Any:
    """Columns as they are, for models that encode them themselves, such as the members of a stack.

    The output is a DataFrame with the columns of the schema.
    """
    if schema.sparse:
        return "passthrough"
    transformer = ColumnTransformer(
        [("columns", "passthrough", list(schema.names))], verbose_feature_names_out=False
    )
    return transformer.set_output(transform="pandas")


class CategoryEncoder(OrdinalEncoder):
    """scikit-learn's `OrdinalEncoder`, which looks at each different value of a column once.

    Parameters
    ----------
    **parameters
        Those of `sklearn.preprocessing.OrdinalEncoder`, but for the limits on rare categories.

    Examples
    --------
    >>> CategoryEncoder().fit_transform(pd.DataFrame({"kind": ["b", "a", "b"]})).ravel().tolist()
    [1.0, 0.0, 1.0]
    """

    def fit(self, X: pd.DataFrame, y: Any = None) -> CategoryEncoder:
        """Learn the categories of a frame of shape (n, d)."""
        super().fit(_distinct_rows(X)[1])
        return self

    def transform(self, X: pd.DataFrame) -> Any:
        """Codes of the categories, of shape (n, d)."""
        return self._codes(len(X), *_distinct_rows(X))

    def fit_transform(self, X: pd.DataFrame, y: Any = None) -> Any:
        """Learn the categories and return the codes, of shape (n, d)."""
        codes, distinct = _distinct_rows(X)
        super().fit(distinct)
        return self._codes(len(X), codes, distinct)

    def _codes(self, n: int, codes: list[NDArray[np.intp]], distinct: pd.DataFrame) -> NDArray:
        found = np.asarray(super().transform(distinct))
        out = np.empty((n, len(codes)), dtype=found.dtype, order="F")
        for j, places in enumerate(codes):
            out[:, j] = found[places, j]
        return out


def _distinct_rows(X: pd.DataFrame) -> tuple[list[NDArray[np.intp]], pd.DataFrame]:
    """For each column where a row finds its value in the frame of different values, and that."""
    found = [pd.factorize(X.iloc[:, j].to_numpy()) for j in range(X.shape[1])]
    n_rows = max((len(distinct) + (-1 in codes) for codes, distinct in found), default=len(X))
    rows = np.empty((n_rows, X.shape[1]), dtype=object)
    for j, (codes, distinct) in enumerate(found):
        some = [np.nan] if -1 in codes else np.asarray(distinct, dtype=object)[:1]
        rows[:, j] = some  # the last row is that of code -1
        rows[: len(distinct), j] = np.asarray(distinct, dtype=object)
    return [codes for codes, _ in found], pd.DataFrame(rows, columns=X.columns)


class DenseFrame(TransformerMixin, BaseEstimator):
    """Turns a sparse matrix into a frame with named columns.

    Parameters
    ----------
    names : list of str
        Names of the columns.

    Examples
    --------
    >>> import scipy.sparse as sp
    >>> DenseFrame(["a", "b"]).fit_transform(sp.csr_array([[0.0, 2.0]]))
         a    b
    0  0.0  2.0
    """

    def __init__(self, names: list[str]) -> None:
        self.names = names

    def __sklearn_is_fitted__(self) -> bool:
        return True

    def fit(self, X: Any, y: Any = None) -> DenseFrame:
        """Do nothing."""
        return self

    def transform(self, X: Any) -> pd.DataFrame:
        """Write the zeros of a sparse matrix of shape (n, d) out."""
        if np.prod(X.shape) > MOST_DENSE_CELLS:
            raise InputError(
                f"{X.shape[0]} x {X.shape[1]} cells are too many for a method that takes no sparse "
                "matrix; select columns first, or leave the method out."
            )
        return pd.DataFrame(X.toarray(), columns=self.names)


class GivenColumns(TransformerMixin, BaseEstimator):
    """Takes columns of a pandas frame as they are, found by the text of their names.

    Parameters
    ----------
    names : list
        The names, which may be numbers.

    Examples
    --------
    >>> GivenColumns([1]).fit_transform(pd.DataFrame([[2, True]])).dtypes.to_dict()
    {1: dtype('bool')}
    """

    def __init__(self, names: Sequence[Any]) -> None:
        self.names = names

    def __sklearn_is_fitted__(self) -> bool:
        return True

    def fit(self, X: Any, y: Any = None) -> GivenColumns:
        """Do nothing."""
        return self

    def transform(self, X: pd.DataFrame) -> pd.DataFrame:
        """Take the columns out of a frame with n rows."""
        place = {str(name): j for j, name in enumerate(X.columns)}
        missing = [name for name in self.names if str(name) not in place]
        if missing:
            raise InputError(f"the table lacks columns the model needs: {listing(missing)}.")
        return X.iloc[:, [place[str(name)] for name in self.names]].set_axis(self.names, axis=1)


def _impute() -> SimpleImputer:
    return SimpleImputer(strategy="median", keep_empty_features=True)


ENCODERS: dict[str, Callable[[Schema], Any]] = {
    "ordinal": encode_ordinal,
    "one_hot": encode_one_hot,
    "as_is": hand_on,
    "indicators": encode_indicators,
    "indicators_nan": partial(encode_indicators, impute=False),
}
"""How a method encodes a table: takes a `Schema`, returns the transformer before the classifier."""


def encoding_for(estimator: Any) -> str:
    """Key of the encoder for a classifier from elsewhere.

    A pipeline does its own encoding and gets the columns as they are. Others get numbers, with
    medians for missing ones if they do not take NaN.
    """
    if hasattr(estimator, "steps"):
        return "as_is"
    takes_nan = _tells(estimator, "allow_nan")
    if takes_nan and type(estimator).__module__.startswith("uneven."):
        return "ordinal"
    return "indicators_nan" if takes_nan else "indicators"


def takes_sparse(estimator: Any) -> bool:
    """Whether a classifier learns from a sparse matrix; a pipeline is assumed to."""
    return (
        hasattr(estimator, "steps")
        or hasattr(estimator, "estimators")
        or _tells(estimator, "sparse")
    )


def _tells(estimator: Any, tag: str) -> bool:
    """Whether an input tag of an estimator is set."""
    try:
        return bool(getattr(get_tags(estimator).input_tags, tag))
    except (AttributeError, TypeError):
        return False
