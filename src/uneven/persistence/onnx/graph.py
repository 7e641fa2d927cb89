"""A graph of ONNX operators that is built one operator at a time.

Everything is computed in double precision: thresholds of trees are compared as the library
compares them, and sums differ from its own by rounding only.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import singledispatch
from typing import Any

import numpy as np

from uneven.utils.optional import require

OPSET, TREE_OPSET, IR_VERSION = 18, 5, 10
"""Operators of ONNX and of its machine learning part, and the format of the file."""

Converter = Callable[[Any, "Graph", str], "Answers"]


class NotExportableError(ValueError):
    """A model, or a part of it, has no equal in ONNX; the message says which."""


@dataclass(frozen=True)
class Answers:
    """Names of what a classifier gives for n rows and K classes.

    Attributes
    ----------
    codes : str
        Positions of the predictions among the classes, whole numbers (n,); -1 to abstain.
    scores : str or None
        What its ``decision_function`` gives before two classes become one column, (n, K).
    probabilities : str or None
        (n, K).
    """

    codes: str
    scores: str | None = None
    probabilities: str | None = None


class Graph:
    """Operators, constants and inputs of a graph.

    Examples
    --------
    >>> graph = Graph()
    >>> total = graph.op("Add", "X", graph.constant(np.ones(1)))
    >>> len(graph.nodes), len(graph.constants)
    (1, 1)
    """

    def __init__(self) -> None:
        self.onnx = require("onnx", "export_onnx", "onnx")
        self.nodes: list[Any] = []
        self.constants: list[Any] = []
        self.inputs: dict[str, Any] = {}

    def op(self, kind: str, *inputs: str, **attributes: Any) -> str:
        """Add an operator and return the name of its result."""
        name = f"{kind}_{len(self.nodes)}"
        self.nodes.append(self.onnx.helper.make_node(kind, list(inputs), [name], **attributes))
        return name

    def constant(self, value: Any) -> str:
        """Add an array and return its name."""
        name = f"constant_{len(self.constants)}"
        array = np.asarray(value)
        if array.dtype.kind in "OU":
            array = array.astype(object)
        self.constants.append(self.onnx.numpy_helper.from_array(array, name))
        return name

    def tensor(self, value: Any) -> Any:
        """An array for an attribute of an operator."""
        return self.onnx.numpy_helper.from_array(np.asarray(value))

    def columns(self, X: str, columns: Any) -> str:
        """Some columns of a table, (n, n_columns)."""
        return self.op("Gather", X, self.constant(np.asarray(columns, dtype=np.int64)), axis=1)

    def cast(self, X: str, kind: type) -> str:
        """The same numbers as another type."""
        types = {float: "DOUBLE", int: "INT64", bool: "BOOL", np.float32: "FLOAT"}
        return self.op("Cast", X, to=getattr(self.onnx.TensorProto, types[kind]))

    def reduce(self, kind: str, X: str, axis: int = 1, keep: bool = True) -> str:
        """Sum, largest or smallest along an axis."""
        axes = self.constant(np.array([axis], dtype=np.int64))
        return self.op(f"Reduce{kind}", X, axes, keepdims=int(keep))

    def sum(self, terms: list[str]) -> str:
        """Sum of some tables, in their order."""
        total = terms[0]
        for term in terms[1:]:
            total = self.op("Add", total, term)
        return total

    def is_missing(self, X: str, columns: Any) -> str:
        """Rows in which all of some columns are NaN, booleans (n, 1)."""
        gaps = self.cast(self.op("IsNaN", self.columns(X, columns)), float)
        return self.op("Greater", self.reduce("Min", gaps), self.constant(0.5))

    def any_score(self, scores: str) -> str:
        """Rows whose scores are not all zero, booleans (n, 1)."""
        largest = self.reduce("Max", self.op("Abs", scores))
        return self.op("Greater", largest, self.constant(0.0))

    def argmax(self, scores: str) -> str:
        """First largest score of each row, (n,)."""
        return self.op("ArgMax", scores, axis=1, keepdims=0)

    def softmax(self, scores: str) -> str:
        """Softmax along the classes, (n, K)."""
        return self.op("Softmax", scores, axis=1)

    def shares(self, values: str) -> str:
        """Rows divided by their sums, (n, K)."""
        return self.op("Div", values, self.reduce("Sum", values))

    def place(self, shares: str, labels: Any, n_classes: int) -> str:
        """Columns of some classes among those of all, zero for the others, (n, n_classes)."""
        if np.array_equal(labels, np.arange(n_classes)):
            return shares
        there = np.zeros((len(labels), n_classes))
        there[np.arange(len(labels)), np.asarray(labels)] = 1.0
        return self.op("MatMul", shares, self.constant(there))


@singledispatch
def answers_of(model: Any, graph: Graph, X: str) -> Answers:
    """Add a fitted classifier to a graph.

    Parameters
    ----------
    model : classifier
        Its type must be registered: ``@answers_of.register``.
    graph : Graph
    X : str
        Table of numbers in the graph, (n, n_features_in_), NaN where a value is missing.

    Returns
    -------
    Answers

    Raises
    ------
    NotExportableError
    """
    raise NotExportableError(
        f"a {type(model).__name__} cannot be exported to ONNX: it is neither a vote of trees nor a "
        "linear model, nor a pool or fusion of such. Use the model file itself (uneven predict)."
    )
