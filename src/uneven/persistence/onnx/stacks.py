"""Stacks, and pipelines of numbers, in ONNX."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.compose import ColumnTransformer
from sklearn.pipeline import Pipeline

from uneven.persistence.onnx.encoders import HANDED_ON, encode_table, encoded
from uneven.persistence.onnx.ensembles import pooled
from uneven.persistence.onnx.graph import Answers, Graph, NotExportableError, answers_of
from uneven.stacking import MarginStackingClassifier
from uneven.stacking.model.combinations import COMBINATIONS
from uneven.stacking.model.problem import LinearCombiner
from uneven.stacking.out_of_fold.members import FittedMember
from uneven.stacking.pooled import PooledCombiner

_TINY = 1e-38


@answers_of.register
def _(model: Pipeline, graph: Graph, X: str) -> Answers:
    steps = [step for _, step in model.steps[:-1]]
    if X == HANDED_ON:
        X = encode_table(graph, steps.pop(0))
    for step in steps:
        X = encoded(step, graph, [X])
    return answers_of(model[-1], graph, X)


@answers_of.register
def _(model: MarginStackingClassifier, graph: Graph, X: str) -> Answers:
    joined = model.combiner_
    combiner = joined.linear if isinstance(joined, PooledCombiner) else joined
    if not isinstance(combiner, LinearCombiner):
        raise NotExportableError(
            "a stack that combines its members by a kernel cannot be exported to ONNX; a linear "
            "combination (kernel=None) can."
        )
    if hasattr(model, "inputs_"):
        raise NotExportableError(
            "a stack that combines columns of the table (passthrough) cannot be exported to ONNX; "
            "one of classifiers only can."
        )
    if not model.estimators_:
        raise NotExportableError("a stack without members always predicts the same: no export.")
    maps, constant = linear_maps(combiner, len(model.classes_))
    parts, plain = [], []
    for k, member in enumerate(model.estimators_):
        said, scale = member_scores(member, graph, X), member.scale
        plain.append(said)
        if combiner.floors is not None:
            said = graph.op("Max", said, graph.constant(combiner.floors[k] * scale))
            said = graph.op("Log", graph.op("Div", said, graph.constant(float(scale))))
            scale = 1.0
        parts.append(graph.op("MatMul", said, graph.constant(maps[k] / scale)))
    scores = graph.op("Add", graph.sum(parts), graph.constant(constant[None, :]))
    if not isinstance(joined, PooledCombiner):
        told = _linked(graph, scores, model.floor_, model.temperature_ or 1.0)
        return Answers(graph.argmax(scores), scores, graph.softmax(told))
    summed = graph.softmax(_linked(graph, scores, joined.floor, joined.temperature))
    shares = [summed, pooled(joined.pool, graph, plain, [None] * len(plain))]
    logs = [graph.op("Log", graph.op("Max", p, graph.constant(_TINY))) for p in shares]
    scores = graph.op("Mul", graph.sum(logs), graph.constant(0.5))
    return Answers(graph.argmax(scores), scores, graph.softmax(scores))


def _linked(graph: Graph, scores: str, floor: float | None, temperature: float) -> str:
    """Scores, or their logarithms, over a temperature."""
    if floor is not None:
        scores = graph.op("Log", graph.op("Max", scores, graph.constant(float(floor))))
    return graph.op("Div", scores, graph.constant(float(temperature)))


def encodes_columns(model: Any) -> bool:
    """Whether a classifier is a stack whose members each encode the columns of a table."""
    return isinstance(model, MarginStackingClassifier) and all(
        member.columns is None
        and isinstance(member.model, Pipeline)
        and isinstance(member.model[0], ColumnTransformer)
        for member in model.estimators_
    )


def linear_maps(combiner: LinearCombiner, n_classes: int) -> tuple[np.ndarray, np.ndarray]:
    """A combination as matrices: scores are the sum of ``said[m] @ maps[m]`` and a constant.

    Parameters
    ----------
    combiner : LinearCombiner
    n_classes : int

    Returns
    -------
    maps : ndarray of shape (n_members, n_classes, n_classes)
    constant : ndarray of shape (n_classes,)

    Examples
    --------
    >>> maps, constant = linear_maps(LinearCombiner("ws", np.array([[2.0]]), np.zeros(0)), 2)
    >>> maps.tolist(), constant.tolist()
    ([[[2.0, 0.0], [0.0, 2.0]]], [0.0, 0.0])
    """
    n_members = len(combiner.coef)
    units = np.zeros((1 + n_members * n_classes, n_members, n_classes))
    for m in range(n_members):
        for c in range(n_classes):
            units[1 + m * n_classes + c, m, c] = 1.0
    said = COMBINATIONS[combiner.combination](units).scores(combiner.coef, combiner.intercept)
    constant = said[0]
    return (said[1:] - constant).reshape(n_members, n_classes, n_classes), constant


def member_scores(member: FittedMember, graph: Graph, X: str) -> str:
    """Level-1 scores of a member before they are divided by their scale, (n, K).

    Runtimes join a division and a product with a matrix in single precision, so the matrix is
    divided instead.
    """
    n_classes = len(member.classes)
    if member.model is None:
        raise NotExportableError(f"member {member.name!r} knows one class only: no export.")
    table = X if member.columns is None else graph.columns(X, member.columns)
    found = answers_of(member.model, graph, table)
    return _aligned(member, graph, found, n_classes)


def _aligned(member: FittedMember, graph: Graph, found: Answers, n_classes: int) -> str:
    """Scores of a member, in the columns of all classes."""
    if member.method == "predict":
        table = np.eye(n_classes)[np.asarray(member.labels)]
        return graph.op("Gather", graph.constant(table), found.codes, axis=0)
    if member.method == "predict_proba" and found.probabilities is not None:
        return graph.place(found.probabilities, member.labels, n_classes)
    if member.method != "decision_function" or found.scores is None:
        raise NotExportableError(
            f"member {member.name!r} ({type(member.model).__name__}) is asked for "
            f"{member.method}, which it does not give in ONNX."
        )
    values = found.scores
    if len(member.labels) == 2:
        halves = np.array([[0.5, -0.5], [-0.5, 0.5]])
        values = graph.op("MatMul", values, graph.constant(halves))
    if len(member.labels) == n_classes:
        return values
    least = graph.reduce("Min", values)
    known = np.zeros((1, n_classes), dtype=bool)
    known[0, member.labels] = True
    placed = graph.place(values, member.labels, n_classes)
    return graph.op("Where", graph.constant(known), placed, least)
