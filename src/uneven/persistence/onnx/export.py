"""Export of a fitted classifier, with the encoder of its table, to a file in ONNX format."""

from __future__ import annotations

import json
import os
from typing import Any

import numpy as np
from sklearn.pipeline import Pipeline

import uneven
import uneven.persistence.onnx.ensembles
import uneven.persistence.onnx.votes
from uneven.decisions.decision import ABSTAIN
from uneven.persistence.onnx.encoders import HANDED_ON, encode_table, hands_on
from uneven.persistence.onnx.graph import (
    IR_VERSION,
    OPSET,
    TREE_OPSET,
    Answers,
    Graph,
    NotExportableError,
    answers_of,
)
from uneven.persistence.onnx.stacks import encodes_columns
from uneven.utils.files import replace_file


def export_onnx(model: Any, path: str | os.PathLike[str] | None = None) -> Any:
    """Export a fitted classifier to ONNX, the format of many runtimes that need no Python.

    Everything is computed in double precision, as the library does it: labels are equal to those of
    ``predict``, scores and probabilities equal up to rounding.

    Parameters
    ----------
    model : classifier or Pipeline
        A vote of trees (hard or with score leaves), a linear model, `UnevenClassifier`, a tuned
        decision, late fusion or a linear stack of such, or a rival of the comparison; alone, or
        behind the encoder that ``uneven fit`` makes, as `load_model` returns it.
    path : str or path-like, optional
        File to write.

    Returns
    -------
    onnx.ModelProto
        A classifier alone has one input ``X`` of doubles (n, n_features). Behind an encoder, every
        column is an input (n, 1): doubles, NaN where a value is missing, or strings, where a text
        that was never seen, such as "", counts as missing. Outputs are ``label`` (n,), and as far
        as the classifier has them ``probabilities`` (n, n_classes) and ``scores``, shaped as its
        ``decision_function``.

    Raises
    ------
    NotExportableError
        If a part has no equal in ONNX; the message names it.
    ImportError
        If the package onnx is missing: ``pip install "uneven[onnx]"``.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from uneven import ComboClassifier, export_onnx
    >>> X, y = load_iris(return_X_y=True)
    >>> graph = export_onnx(ComboClassifier(n_estimators=3).fit(X, y)).graph
    >>> [one.name for one in graph.output]
    ['label', 'probabilities', 'scores']
    """
    graph = Graph()
    if isinstance(model, Pipeline):
        if len(model.steps) != 2 or not hasattr(model[0], "transformers_"):
            raise NotExportableError(
                "a pipeline is exported if it is an encoder of columns and a classifier, as "
                "uneven fit makes it."
            )
        encoder, classifier = model[0], model[1]
        apart = hands_on(encoder) and encodes_columns(classifier)
        table = HANDED_ON if apart else encode_table(graph, encoder)
    else:
        classifier, table = model, "X"
        shape = [None, int(model.n_features_in_)]
        double = graph.onnx.TensorProto.DOUBLE
        graph.inputs["X"] = graph.onnx.helper.make_tensor_value_info("X", double, shape)
    found = answers_of(classifier, graph, table)
    made = _finished(graph, classifier, found)
    graph.onnx.checker.check_model(made, full_check=True)
    if path is not None:
        with replace_file(path) as draft:
            draft.write_bytes(made.SerializeToString())
    return made


def _finished(graph: Graph, classifier: Any, found: Answers) -> Any:
    """The model with its outputs: labels, probabilities and scores under their names."""
    helper, types = graph.onnx.helper, graph.onnx.TensorProto
    names, kind = _labels(graph, classifier)
    n_classes = len(classifier.classes_)
    places = found.codes
    if _withholds(classifier):
        last = graph.constant(np.array(n_classes))
        below = graph.op("Less", places, graph.constant(np.array(0)))
        places = graph.op("Where", below, last, places)
    outputs = [helper.make_tensor_value_info("label", kind, [None])]
    ends = [("Gather", [graph.constant(names), places], "label", {"axis": 0})]
    if found.probabilities is not None:
        shape = [None, n_classes]
        outputs.append(helper.make_tensor_value_info("probabilities", types.DOUBLE, shape))
        ends.append(("Identity", [found.probabilities], "probabilities", {}))
    if found.scores is not None:
        scores, shape = found.scores, [None, n_classes]
        if n_classes == 2:
            difference = graph.constant(np.array([-1.0, 1.0]))
            scores, shape = graph.op("MatMul", scores, difference), [None]
        outputs.append(helper.make_tensor_value_info("scores", types.DOUBLE, shape))
        ends.append(("Identity", [scores], "scores", {}))
    for operator, inputs, name, options in ends:
        graph.nodes.append(helper.make_node(operator, inputs, [name], **options))
    body = helper.make_graph(
        graph.nodes, "uneven", list(graph.inputs.values()), outputs, graph.constants
    )
    operators = [helper.make_opsetid("", OPSET), helper.make_opsetid("ai.onnx.ml", TREE_OPSET)]
    made = helper.make_model(
        body, opset_imports=operators, ir_version=IR_VERSION, producer_name="uneven",
        producer_version=uneven.__version__,
    )  # fmt: skip
    told = {"classes": json.dumps([str(one) for one in classifier.classes_.tolist()])}
    helper.set_model_props(made, told | {"classifier": type(classifier).__name__})
    return made


def _withholds(classifier: Any) -> bool:
    return getattr(classifier, "abstain_cost", None) is not None


def _labels(graph: Graph, classifier: Any) -> tuple[np.ndarray, Any]:
    """Labels by class code, with that of abstentions at the end, and their type in ONNX."""
    labels = classifier.classes_.tolist()
    if _withholds(classifier):
        assert ABSTAIN < 0
        labels = [*labels, classifier._abstain_label()]
    types = graph.onnx.TensorProto
    if all(isinstance(one, int) for one in labels):
        return np.array(labels, dtype=np.int64), types.INT64
    if all(isinstance(one, int | float) for one in labels):
        return np.array(labels, dtype=np.float64), types.DOUBLE
    return np.array([str(one) for one in labels], dtype=object), types.STRING
