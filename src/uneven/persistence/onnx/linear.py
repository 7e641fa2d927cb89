"""Linear models and the rivals of scikit-learn in ONNX."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier
from sklearn.linear_model import LogisticRegression

from uneven.linear.base import LinearClassifier
from uneven.noise import ForwardLogisticRegression
from uneven.persistence.onnx.graph import Answers, Graph, NotExportableError, answers_of
from uneven.persistence.onnx.trees import TreeTable, add_leaf_scores, add_leaves


def linear_scores(graph: Graph, X: str, coef: np.ndarray, intercept: np.ndarray) -> str:
    """Products with weight vectors (n_vectors, width), plus intercepts, (n, n_vectors)."""
    weights = graph.constant(np.ascontiguousarray(coef.T, dtype=np.float64))
    return graph.op("Add", graph.op("MatMul", X, weights), graph.constant(intercept[None, :]))


def _by_sign(graph: Graph, score: str, second_at_zero: bool) -> str:
    """Class 1 where the score (n, 1) of the second class is above zero, else 0; (n,)."""
    kind = "GreaterOrEqual" if second_at_zero else "Greater"
    second = graph.op(kind, score, graph.constant(0.0))
    return graph.op("Squeeze", graph.cast(second, int), graph.constant(np.array([1])))


def _halves(graph: Graph, score: str) -> str:
    """Scores of two classes, (n, 2), whose difference is that of the second one."""
    return graph.op("MatMul", score, graph.constant(np.array([[0.0, 1.0]])))


@answers_of.register
def _(model: LinearClassifier, graph: Graph, X: str) -> Answers:
    if hasattr(model, "expansion_"):
        raise NotExportableError(
            f"a {type(model).__name__} with a kernel cannot be exported to ONNX; take a linear one."
        )
    scores = linear_scores(graph, X, model.coef_, np.atleast_1d(model.intercept_))
    n_vectors = len(model.coef_)
    if n_vectors == 1:
        return Answers(_by_sign(graph, scores, True), _halves(graph, scores))
    return Answers(graph.argmax(scores), scores)


@answers_of.register(LogisticRegression)
@answers_of.register(ForwardLogisticRegression)
def _logistic(model: Any, graph: Graph, X: str) -> Answers:
    scores = linear_scores(graph, X, model.coef_, np.atleast_1d(model.intercept_))
    if len(model.coef_) == 1:
        second = graph.op("Sigmoid", scores)
        first = graph.op("Sub", graph.constant(1.0), second)
        shares = graph.op("Concat", first, second, axis=1)
        return Answers(_by_sign(graph, scores, False), _halves(graph, scores), shares)
    return Answers(graph.argmax(scores), scores, graph.softmax(scores))


@answers_of.register
def _(model: RandomForestClassifier, graph: Graph, X: str) -> Answers:
    single = graph.cast(graph.cast(X, np.float32), float)
    trees = [one.tree_ for one in model.estimators_]
    roots = np.cumsum([0, *(tree.node_count for tree in trees)])[:-1]
    left, right = (
        np.concatenate([getattr(tree, side) + root for tree, root in zip(trees, roots)])
        for side in ("children_left", "children_right")
    )
    is_leaf = np.concatenate([tree.children_left < 0 for tree in trees])
    table = TreeTable(
        np.concatenate([tree.feature for tree in trees]),
        np.concatenate([tree.threshold for tree in trees]),
        np.concatenate([tree.missing_go_to_left for tree in trees]).astype(bool),
        np.where(is_leaf, 0, left), np.where(is_leaf, 0, right), is_leaf, roots,
    )  # fmt: skip
    values = np.concatenate([tree.value[:, 0, :] for tree in trees])
    values = values / values.sum(axis=1, keepdims=True)
    total = add_leaf_scores(graph, single, table, values)
    shares = graph.op("Div", total, graph.constant(float(len(trees))))
    return Answers(graph.argmax(shares), None, shares)


@answers_of.register
def _(model: HistGradientBoostingClassifier, graph: Graph, X: str) -> Answers:
    trees = [predictor.nodes for stage in model._predictors for predictor in stage]
    roots = np.cumsum([0, *map(len, trees)])[:-1]
    nodes = np.concatenate(trees)
    offset = np.repeat(roots, [len(tree) for tree in trees])
    is_leaf = nodes["is_leaf"] != 0
    if np.any(nodes["is_categorical"][~is_leaf]):
        raise NotExportableError("gradient boosting that splits on categories is not exported.")
    table = TreeTable(
        nodes["feature_idx"].astype(np.int64), nodes["num_threshold"],
        nodes["missing_go_to_left"] != 0,
        np.where(is_leaf, 0, nodes["left"] + offset), np.where(is_leaf, 0, nodes["right"] + offset),
        is_leaf, roots,
    )  # fmt: skip
    n_outputs = model.n_trees_per_iteration_
    target = np.repeat(np.arange(len(trees)) % n_outputs, [len(tree) for tree in trees])
    total = add_leaves(graph, X, table, target, nodes["value"].astype(np.float64), n_outputs)
    raw = graph.op("Add", total, graph.constant(model._baseline_prediction.astype(np.float64)))
    if n_outputs == 1:
        second = graph.op("Sigmoid", raw)
        first = graph.op("Sub", graph.constant(1.0), second)
        shares = graph.op("Concat", first, second, axis=1)
        return Answers(graph.argmax(shares), _halves(graph, raw), shares)
    shares = graph.softmax(raw)
    return Answers(graph.argmax(shares), raw, shares)
