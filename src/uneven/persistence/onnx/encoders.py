"""Encoders of tables in ONNX: from columns of numbers and text to one table of numbers."""

from __future__ import annotations

from functools import singledispatch
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

from uneven.persistence.onnx.graph import Graph, NotExportableError

Columns = list[str]
"""Names of columns in a graph, each (n, 1), of text or of numbers; or one table (n, width)."""


def encode_table(graph: Graph, encoder: ColumnTransformer) -> str:
    """Add the inputs that an encoder reads, and the encoder itself; returns its table (n, width).

    Text columns are inputs of strings (n, 1), in which a text that was never seen, such as "", is
    a missing value; all others are inputs of doubles (n, 1), NaN where a value is missing.
    """
    parts = []
    for name, part, columns in encoder.transformers_:
        if part == "drop" or not len(columns):
            continue
        named = [columns] if isinstance(columns, str) else list(columns)
        if not all(isinstance(column, str) for column in named):
            raise NotExportableError(f"the part {name!r} of the encoder names no columns.")
        step = part[0] if isinstance(part, Pipeline) else part
        is_text = isinstance(step, OrdinalEncoder | OneHotEncoder)
        inputs = [_input(graph, column, is_text) for column in named]
        parts.append(encoded(part, graph, inputs))
    return parts[0] if len(parts) == 1 else graph.op("Concat", *parts, axis=1)


HANDED_ON = ""
"""In place of a table: columns as they are, for members of a stack that encode them."""


def hands_on(encoder: ColumnTransformer) -> bool:
    """Whether an encoder leaves columns with names as they are."""
    parts = [(part, columns) for _, part, columns in encoder.transformers_ if len(columns)]
    return all(
        isinstance(columns, list)
        and all(isinstance(column, str) for column in columns)
        and (part == "passthrough" or (isinstance(part, FunctionTransformer) and part.func is None))
        for part, columns in parts
    )


def _input(graph: Graph, column: str, is_text: bool) -> str:
    kind = graph.onnx.TensorProto.STRING if is_text else graph.onnx.TensorProto.DOUBLE
    graph.inputs.setdefault(
        column, graph.onnx.helper.make_tensor_value_info(column, kind, [None, 1])
    )
    return column


@singledispatch
def encoded(step: Any, graph: Graph, columns: Columns) -> str:
    """Add one step of an encoder; returns its table (n, width)."""
    kinds = {"TextEncoder": "running text", "DateEncoder": "dates"}
    what = kinds.get(type(step).__name__, f"what a {type(step).__name__} encodes")
    raise NotExportableError(
        f"{what} cannot be exported to ONNX; leave such columns out (--drop) or turn them into "
        "numbers first."
    )


def _joined(graph: Graph, columns: Columns) -> str:
    return columns[0] if len(columns) == 1 else graph.op("Concat", *columns, axis=1)


@encoded.register
def _(step: str, graph: Graph, columns: Columns) -> str:
    return _joined(graph, columns)


@encoded.register
def _(step: FunctionTransformer, graph: Graph, columns: Columns) -> str:
    if step.func is not None:
        raise NotExportableError("a FunctionTransformer with a function cannot be exported.")
    return _joined(graph, columns)


@encoded.register
def _(step: Pipeline, graph: Graph, columns: Columns) -> str:
    for _, one in step.steps:
        columns = [encoded(one, graph, columns)]
    return columns[0]


@encoded.register
def _(step: ColumnTransformer, graph: Graph, columns: Columns) -> str:
    """Parts of a table of numbers, as members of stacks encode them."""
    table, parts = _joined(graph, columns), []
    names = list(getattr(step, "feature_names_in_", ()))
    for _, part, chosen in step.transformers_:
        if part == "drop" or not len(np.atleast_1d(chosen)):
            continue
        kept = np.arange(step.n_features_in_)[chosen] if isinstance(chosen, slice) else chosen
        places = [names.index(one) if isinstance(one, str) else int(one) for one in kept]
        if isinstance(part, OneHotEncoder):
            parts.append(_number_indicators(part, graph, graph.columns(table, places)))
        else:
            parts.append(encoded(part, graph, [graph.columns(table, places)]))
    return parts[0] if len(parts) == 1 else graph.op("Concat", *parts, axis=1)


def _number_indicators(step: OneHotEncoder, graph: Graph, table: str) -> str:
    """Indicators of categories that are numbers; NaN may be one, an unknown number has none."""
    if step._infrequent_enabled or step.drop_idx_ is not None:
        raise NotExportableError("a OneHotEncoder of numbers that joins or drops some of them.")
    parts = []
    for j, values in enumerate(step.categories_):
        cells, numbers = graph.columns(table, [j]), np.asarray(values, dtype=np.float64)
        same = graph.op("Equal", cells, graph.constant(np.nan_to_num(numbers, nan=np.inf)[None, :]))
        same = graph.cast(same, float)
        if np.isnan(numbers).any():
            gap = graph.cast(graph.op("IsNaN", cells), float)
            there = graph.constant(np.isnan(numbers).astype(np.float64)[None, :])
            same = graph.op("Add", same, graph.op("Mul", gap, there))
        parts.append(same)
    return parts[0] if len(parts) == 1 else graph.op("Concat", *parts, axis=1)


@encoded.register
def _(step: StandardScaler, graph: Graph, columns: Columns) -> str:
    table = _joined(graph, columns)
    if step.with_mean:
        table = graph.op("Sub", table, graph.constant(step.mean_[None, :]))
    if step.scale_ is not None:
        table = graph.op("Div", table, graph.constant(step.scale_[None, :]))
    return table


@encoded.register
def _(step: SimpleImputer, graph: Graph, columns: Columns) -> str:
    table, fill = _joined(graph, columns), step.statistics_.astype(np.float64)
    empty = np.isnan(fill)
    if empty.any() and not step.keep_empty_features:
        table, fill = graph.columns(table, np.flatnonzero(~empty)), fill[~empty]
    filled = graph.constant(np.nan_to_num(fill)[None, :])
    return graph.op("Where", graph.op("IsNaN", table), filled, table)


def _codes(graph: Graph, column: str, codes: dict[str, Any], default: Any) -> str:
    """Numbers in the place of known texts, (n, 1)."""
    value = np.asarray([*codes.values()], dtype=type(default))
    return graph.op(
        "LabelEncoder", column, domain="ai.onnx.ml",
        keys_tensor=graph.tensor(np.array([*codes], dtype=object)),
        values_tensor=graph.tensor(value),
        default_tensor=graph.tensor(np.array([default], dtype=type(default))),
    )  # fmt: skip


@encoded.register
def _(step: OrdinalEncoder, graph: Graph, columns: Columns) -> str:
    if step._infrequent_enabled or not np.isnan(step.unknown_value):
        raise NotExportableError("an OrdinalEncoder is exported only if unknown values are NaN.")
    parts = []
    for column, values in zip(columns, step.categories_):
        codes = {value: float(k) for k, value in enumerate(values) if isinstance(value, str)}
        parts.append(_codes(graph, column, codes or {"": np.nan}, float("nan")))
    return _joined(graph, parts)


@encoded.register
def _(step: OneHotEncoder, graph: Graph, columns: Columns) -> str:
    parts = []
    for j, column in enumerate(columns):
        values, place, width = _indicator_places(step, j)
        if step.handle_unknown == "infrequent_if_exist" and step._infrequent_enabled:
            rare = step._infrequent_indices[j]
            unknown = width - 1 if rare is not None and len(rare) else width
        else:
            unknown = width
        known = {value: int(k) for value, k in zip(values, place) if isinstance(value, str)}
        empty = [int(k) for value, k in zip(values, place) if not isinstance(value, str)]
        if empty:
            known[""] = empty[0]
        rows = np.vstack([np.eye(width), np.zeros(width)])
        found = _codes(graph, column, known or {"": unknown}, unknown)
        flat = graph.op("Squeeze", found, graph.constant(np.array([1])))
        parts.append(graph.op("Gather", graph.constant(rows), flat, axis=0))
    return _joined(graph, parts)


def _indicator_places(step: OneHotEncoder, j: int) -> tuple[np.ndarray, np.ndarray, int]:
    """Categories of a column, which indicator each has, and how many indicators there are."""
    values = step.categories_[j]
    width = int(step._n_features_outs[j])
    mapping = step._default_to_infrequent_mappings[j] if step._infrequent_enabled else None
    return values, np.arange(len(values)) if mapping is None else mapping, width
