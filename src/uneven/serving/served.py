"""A model file behind the interface of the service: its columns, its classes, and predictions."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from uneven.comparison import InputError, Schema
from uneven.persistence.model_file import ModelCard, ModelFileError, in_use, load_model
from uneven.utils.optional import require
from uneven.utils.registry import listing

Cell = str | bool | int | float | None
Predicted = tuple[list[Any], NDArray[np.float64] | None, list[str]]
LONGEST_TEXT = 1 << 20
HUGE = 1e100


class Served(Protocol):
    """What the service asks of a model.

    Attributes
    ----------
    label, target : str
        Of the method and of the column that is predicted.
    classes : list
    columns : list of dict
        Name and kind of each column.
    """

    label: str
    target: str
    classes: list[Any]
    columns: list[dict[str, Any]]

    def predict(self, rows: Sequence[Mapping[str, Cell]]) -> Predicted:
        """Class and, if the model knows them, probabilities of each row; notes about the cells."""


def open_model(path: Path) -> Served:
    """Read a model file of uneven, or one in ONNX format."""
    return (
        OnnxModel(path) if path.suffix.lower() == ".onnx" else SavedModel(*load_model(path), path)
    )


def check_rows(rows: Sequence[Mapping[str, Cell]], names: Sequence[str]) -> list[str]:
    """Refuse rows that lack columns or hold wrong cells; names that the model does not use.

    Examples
    --------
    >>> check_rows([{"x": 1.0, "id": 7}], ["x"])
    ['id']
    """
    for k, row in enumerate(rows):
        for name, cell in row.items():
            if not _is_text(name):
                raise InputError(f"row {k + 1} has a column whose name is no text.")
            if not _is_cell(cell):
                raise InputError(
                    f"row {k + 1} holds no number, text, boolean or null in column {name[:200]!r}, "
                    "or one that is too large."
                )
        missing = [name for name in names if name not in row]
        if missing:
            raise InputError(
                f"row {k + 1} lacks {listing(missing)}; send null where a value is missing."
            )
    known = set(names)
    return sorted({name for row in rows for name in row if name not in known})


def _is_cell(cell: object) -> bool:
    if isinstance(cell, str):
        return _is_text(cell)
    if isinstance(cell, float):
        return math.isfinite(cell)
    if isinstance(cell, int):
        return -(2**63) <= cell < 2**64
    return cell is None


def _is_text(cell: str) -> bool:
    """Whether a text is short enough and without halves of characters."""
    try:
        return len(cell) <= LONGEST_TEXT and cell.encode() is not None
    except UnicodeEncodeError:
        return False


def _refuse_huge(X: pd.DataFrame) -> None:
    """Blame cells, not the model file, where scaling can exceed what a double holds."""
    for name, values in X.select_dtypes("number").items():
        huge = np.flatnonzero(values.abs() > HUGE)
        if len(huge):
            raise InputError(
                f"column {name!r} holds {float(values.iloc[huge[0]])!r} in row {huge[0] + 1}, "
                "which is too large for this model."
            )


@dataclass
class SavedModel:
    """A model file of ``uneven fit`` or ``compare``."""

    model: Any
    card: ModelCard
    path: Path

    def __post_init__(self) -> None:
        with in_use(self.path):
            self.schema = Schema.from_list(self.card.columns)
        self.label, self.target = self.card.label, self.card.target
        self.classes = self.model.classes_.tolist()
        self.columns = [
            {"name": one.name, "kind": one.kind}
            | ({"categories": list(one.categories)} if one.categories else {})
            for one in self.schema.columns
        ]

    def predict(self, rows: Sequence[Mapping[str, Cell]]) -> Predicted:
        """Class and, if the model knows them, probabilities of each row; notes about the cells."""
        frame = pd.DataFrame([dict(row) for row in rows], columns=self.schema.names)
        for name in frame.columns[frame.dtypes.map(lambda kind: kind.kind in "OTU")]:
            cells = frame[name].astype(object)
            frame[name] = cells.where(cells.notna() & (cells != ""), np.nan)
        notes: list[str] = []
        X = self.schema.convert(frame, notes)
        try:
            with in_use(self.path):
                proba = hasattr(self.model, "predict_proba")
                shares = self.model.predict_proba(X) if proba else None
                return self.model.predict(X).tolist(), shares, notes
        except ModelFileError:
            _refuse_huge(X)
            raise


class OnnxModel:
    """A file of ``uneven export``; needs onnxruntime.

    Parameters
    ----------
    path : Path
    """

    def __init__(self, path: Path) -> None:
        try:
            onnxruntime = require("onnxruntime", "uneven serve MODEL.onnx", "onnx")
        except ImportError as error:
            raise InputError(str(error)) from error
        try:
            self.session = onnxruntime.InferenceSession(path, providers=["CPUExecutionProvider"])
            meta = self.session.get_modelmeta().custom_metadata_map
            self.classes = json.loads(meta["classes"])
        except Exception as error:  # the runtime has errors of its own
            said = (str(error).splitlines() or [""])[0]
            raise InputError(f"{path} is no file of uneven export, or damaged: {said}") from error
        self.label, self.target = meta.get("label", "ONNX"), meta.get("target", "label")
        self.columns = [
            {"name": one.name, "kind": "category" if "string" in one.type else "number"}
            for one in self.session.get_inputs()
        ]
        self._outputs = [one.name for one in self.session.get_outputs() if one.name != "scores"]

    def predict(self, rows: Sequence[Mapping[str, Cell]]) -> Predicted:
        """Class and, if the model knows them, probabilities of each row; notes about the cells."""
        given = {
            one["name"]: _column([row[one["name"]] for row in rows], one) for one in self.columns
        }
        label, *shares = self.session.run(self._outputs, given)
        return np.ravel(label).tolist(), shares[0] if shares else None, []


def _column(cells: list[Cell], column: Mapping[str, Any]) -> NDArray[Any]:
    """One input of the graph, of shape (n, 1)."""
    if column["kind"] == "category":
        return np.array([["" if cell is None else str(cell)] for cell in cells], dtype=object)
    values = np.array([_number(cell) for cell in cells], dtype=np.float64)
    if np.isinf(values).any():
        k = int(np.flatnonzero(np.isinf(values))[0])
        raise InputError(
            f"column {column['name']!r} needs numbers, got {cells[k]!r} in row {k + 1}."
        )
    return values[:, None]


def _number(cell: Cell) -> float:
    """NaN for a missing value, infinity for what is no number."""
    if cell is None or cell == "":
        return math.nan
    try:
        return math.inf if isinstance(cell, str) and "_" in cell else float(cell)
    except ValueError:
        return math.inf
