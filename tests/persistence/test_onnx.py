"""Models in ONNX answer as they do here: labels exactly, probabilities up to rounding."""

import json

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from tests.persistence.corpus import FOLDER, NUMBERS
from uneven import (
    BalancedBoostingClassifier,
    BregmanVoteClassifier,
    ComboClassifier,
    MarginStackingClassifier,
    TunedDecisionClassifier,
    UnevenClassifier,
    export_onnx,
)
from uneven.comparison import Settings, choose_methods
from uneven.comparison.methods import build_pipeline, stack_methods
from uneven.comparison.schema import Schema
from uneven.datasets import load_demo, make_balance_scale
from uneven.persistence.model_file import load_model
from uneven.persistence.onnx import NotExportableError
from uneven.stacking import Member
from uneven.views import resolve_views
from uneven.voters import TreeVoter
from uneven.voters.cost_tree import CategoryTree
from uneven.votes import Term, Vote

ort = pytest.importorskip("onnxruntime")

EXPORTED = [
    "adaboost_mm", "adaboost_mm_scores", "balanced_boosting", "bayes_point_linear",
    "bregman_vote", "carako", "combo", "combo_scores", "compression_perceptron",
    "cutting_plane", "cutting_plane_svc", "forward-logistic", "hist_gradient_boosting",
    "late_fusion", "late_fusion_forest_logistic", "logistic_regression", "mucombo",
    "mucombo_scores", "mumbo", "mumbo_scores", "noise_tolerant_perceptron", "norm_combo",
    "perceptron", "random_forest", "share_boost", "stack", "stack_pooled", "tuned_decision",
    "ultraconservative", "uma", "uneven",
]  # fmt: skip
REFUSED = {
    "bayes_point": "with a kernel",
    "combo_linear": "a vote of LinearVoter",
    "kernel_perceptron": "a KernelPerceptronClassifier cannot be exported",
    "label_repair": "a LabelRepairPipeline cannot be exported",
    "stack_inputs": "combines columns of the table",
    "stack_kernel": "combines its members by a kernel",
    "text_and_dates": "dates cannot be exported",
    "uma_kernel": "with a kernel",
}


def ask(made, **columns):
    """What onnxruntime says, by name."""
    options = ort.SessionOptions()
    options.log_severity_level = 3
    session = ort.InferenceSession(
        made.SerializeToString(), options, providers=["CPUExecutionProvider"]
    )
    names = [one.name for one in session.get_outputs()]
    return dict(zip(names, session.run(None, columns)))


def ask_frame(made, frame):
    columns = {}
    for one in made.graph.input:
        values = frame[one.name]
        if one.type.tensor_type.elem_type == 8:
            values = values.where(values.notna(), "").to_numpy(object)
        columns[one.name] = np.asarray(values).reshape(-1, 1)
    return ask(made, **columns)


def assert_same(found, model, X):
    np.testing.assert_array_equal(found["label"], model.predict(X))
    if "probabilities" in found:
        np.testing.assert_allclose(found["probabilities"], model.predict_proba(X), atol=1e-10)
    if hasattr(model, "decision_function") and "scores" in found:
        np.testing.assert_allclose(found["scores"], model.decision_function(X), atol=1e-8)


def kept_rows(name):
    """Rows of a kept model, also with views missing, all missing, and a text never seen."""
    before = json.loads((FOLDER / f"{name}.json").read_text())
    rows = pd.DataFrame(before["rows"]).astype(dict.fromkeys(NUMBERS, float))
    left = rows.assign(a=np.nan, b=np.nan)
    right = rows.assign(c=np.nan, kind=None)
    nothing = left.assign(c=np.nan, kind=None)
    return pd.concat([rows, left, right, nothing, rows.assign(kind="never")], ignore_index=True)


@pytest.mark.parametrize("name", EXPORTED)
def test_kept_models_answer_the_same(name):
    model, rows = load_model(FOLDER / f"{name}.skops")[0], kept_rows(name)
    assert_same(ask_frame(export_onnx(model), rows), model, rows)


@pytest.mark.parametrize("name", REFUSED)
def test_what_cannot_be_exported_is_named(name):
    with pytest.raises(NotExportableError, match=REFUSED[name]):
        export_onnx(load_model(FOLDER / f"{name}.skops")[0])


def test_thresholds_are_compared_in_double_precision():
    """Cells that are equal in single precision, on both sides of every threshold."""
    X = np.nextafter(np.repeat(np.arange(5.0), 2) + 0.1, [0, 10] * 5)[:, None]
    y = np.array([0, 1] * 5)
    model = ComboClassifier(n_estimators=5, max_depth=4).fit(X, y)
    assert len(np.unique(X.astype(np.float32))) == 5
    assert model.score(X, y) == 1.0
    assert_same(ask(export_onnx(model), X=X), model, X)


def test_rows_of_the_demo_with_several_views():
    demo = load_demo()
    X = np.asarray(demo.data, dtype=np.float64)
    model = BalancedBoostingClassifier(n_estimators=5, random_state=0).fit(X, demo.target)
    gaps = X.copy()
    gaps[np.random.default_rng(0).random(X.shape) < 0.3] = np.nan
    for rows in (X, gaps):
        assert_same(ask(export_onnx(model), X=rows), model, rows)


@pytest.mark.slow
@pytest.mark.parametrize(
    "options",
    [
        {"views": {"left": [0, 1], "right": [2, 3]}},
        {"cost": [[0, 1, 2], [3, 0, 1], [1, 5, 0]], "abstain_cost": 0.4},
        {"prior": [0.2, 0.4, 0.4], "abstain_cost": 0.3, "abstain_label": "nobody"},
    ],
)
def test_the_ensemble_with_views_costs_and_withheld_answers(options):
    data = make_balance_scale()
    X, y = data.data.astype(float)[::3], np.asarray(data.target)[::3]
    X[::7, :2] = np.nan
    X[::11, 2:] = np.nan
    members = ["boost", "landmarks", "logistic"]
    model = UnevenClassifier(members=members, random_state=0, **options).fit(X, y)
    X[::13] = np.nan
    assert_same(ask(export_onnx(model), X=X), model, X)


@pytest.mark.slow
def test_the_ensemble_with_views_that_are_missing_only_later():
    data = make_balance_scale()
    X, y = data.data.astype(float)[::3], np.asarray(data.target)[::3]
    views = {"left": [0, 1], "right": [2, 3]}
    model = UnevenClassifier(members=["logistic"], views=views, random_state=0).fit(X, y)
    assert model.view_pool_ is not None
    X[::7, :2] = np.nan
    X[::11, 2:] = np.nan
    X[::13] = np.nan
    assert_same(ask(export_onnx(model), X=X), model, X)


def test_floors_of_tiny_classes():
    rng = np.random.default_rng(0)
    y = np.repeat(["a", "b", "c"], [330, 268, 2])
    X = rng.normal(size=(600, 4))
    X[y == "b", 0] += 1.5
    X[y == "c", 1] += 3
    coarse = ComboClassifier(n_estimators=8, random_state=0)
    model = TunedDecisionClassifier(coarse, cv=2).fit(X, y)
    assert model.calibration_.floors[0] > model.calibration_.prior[2] / 2
    new = 1.5 * rng.normal(size=(400, 4))
    assert_same(ask(export_onnx(model), X=new), model, new)


@pytest.mark.parametrize("combination", ["ws", "cws", "lsg"])
@pytest.mark.parametrize("score", ["auto", "decision_function", "predict"])
def test_stacks_of_any_linear_combination(combination, score):
    data = make_balance_scale()
    X, y = data.data.astype(float)[::4], np.asarray(data.target)[::4]
    line = make_pipeline(StandardScaler(), LogisticRegression())
    members = [
        ("line", Member(line, score=score)),
        ("few columns", Member(ComboClassifier(n_estimators=3), columns=[0, 3], score=score)),
    ]
    model = MarginStackingClassifier(members, combination=combination, strength=1e-3).fit(X, y)
    assert_same(ask(export_onnx(model), X=X), model, X)


def test_members_of_a_stack_each_encode_the_columns():
    """As ``uneven fit --stack`` makes it: codes for one member, indicators for another."""
    rng = np.random.default_rng(0)
    y = rng.integers(3, size=120)
    frame = pd.DataFrame(
        {"size": y + rng.normal(scale=0.7, size=120), "other": rng.normal(size=120)}
    )
    told = np.where(rng.random(120) < 0.7, np.array(["red", "green", "blue"])[y], "grey")
    frame["colour"] = told.astype(object)
    frame.loc[::9, "colour"] = None
    frame.loc[::7, "other"] = np.nan
    schema = Schema.of(frame)
    method = stack_methods(
        choose_methods(["combo", "random_forest", "logistic_regression"]), schema
    )
    model = build_pipeline(method, schema, Settings(rounds=5)).set_params(classify__strength=1e-5)
    model.fit(schema.convert(frame), np.array(["a", "b", "c"])[y])
    assert len(model[-1].estimators_) == 3
    frame.loc[:5, "colour"] = "never seen"
    made = export_onnx(model)
    assert {one.name for one in made.graph.input} == {"size", "other", "colour"}
    assert_same(ask_frame(made, frame), model, schema.convert(frame))


@st.composite
def random_votes(draw):
    """A vote of random trees, some of which ask for sets of categories, with its rows."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    has_scores, n_classes, terms = draw(st.booleans()), draw(st.integers(2, 4)), []
    cells = rng.choice([0.1, np.float32(0.1), 1.0, 2.0, 3.0, -1e308, np.nan, 7.0], (30, 3))
    for _ in range(draw(st.integers(1, 4))):
        n_inner = int(rng.integers(0, 5))
        child, inner = np.arange(2 * n_inner + 1), []
        for k in range(n_inner):
            leaves = np.flatnonzero(child[: 2 * k + 1] == np.arange(2 * k + 1))
            inner.append(int(rng.choice(leaves)))
            child[inner[-1]] = 2 * k + 1
        is_leaf = child == np.arange(len(child))
        n_answers = int(is_leaf.sum()) if has_scores else n_classes
        cuts = rng.choice([0.1, np.nextafter(0.1, 1), 1.0, 2.5, np.inf], len(child))
        parts = {
            "feature": np.where(is_leaf, 0, rng.integers(0, 3, len(child))),
            "threshold": np.where(is_leaf, np.inf, cuts),
            "missing_left": is_leaf | (rng.random(len(child)) < 0.5),
            "child": child,
            "label": rng.integers(0, n_answers, len(child)),
            "reach": np.zeros(len(child)),
        }
        sets = {node: rng.random(4) < 0.5 for node in inner if rng.random() < 0.4}
        tree = CategoryTree.with_sets(parts, sets) if sets else TreeVoter(**parts)
        shape = (n_answers, n_classes) if has_scores else n_classes
        terms.append(Term(tree, rng.random(shape), int(rng.integers(-1, 2))))
    views = resolve_views({"u": [0, 1, 2], "v": [0, 1, 2]}, n_features=3)
    whole = np.where(np.isin(cells, [0.1, np.float32(0.1)]) & bool(rng.random() < 0.5), 0.0, cells)
    return Vote(terms, [len(terms)], n_classes, views), whole


@given(random_votes())
def test_random_votes_answer_the_same(case):
    from uneven.persistence.onnx.graph import Graph
    from uneven.persistence.onnx.votes import vote_scores

    vote, rows = case
    has_sets = any(isinstance(term.voter, CategoryTree) for term in vote.terms())
    if has_sets:  # categories are whole numbers
        rows = np.where(np.isnan(rows), rows, np.floor(np.maximum(rows, -1.0)))
    graph = Graph()
    scores = vote_scores(graph, "X", vote)
    helper, double = graph.onnx.helper, graph.onnx.TensorProto.DOUBLE
    X = helper.make_tensor_value_info("X", double, [None, 3])
    Y = helper.make_tensor_value_info(scores, double, [None, vote.n_classes])
    body = helper.make_graph(graph.nodes, "vote", [X], [Y], graph.constants)
    sets = [helper.make_opsetid("", 18), helper.make_opsetid("ai.onnx.ml", 5)]
    made = helper.make_model(body, opset_imports=sets, ir_version=10)
    np.testing.assert_allclose(ask(made, X=rows)[scores], vote.score(rows), rtol=1e-12)


def test_files_are_written_whole_and_carry_the_classes(tmp_path):
    import onnx

    X, y = np.arange(8.0)[:, None], np.array([False, True] * 4)
    model = ComboClassifier(n_estimators=2).fit(X, y)
    export_onnx(model, tmp_path / "m.onnx")
    made = onnx.load(tmp_path / "m.onnx")
    props = {one.key: one.value for one in made.metadata_props}
    assert json.loads(props["classes"]) == ["False", "True"]
    np.testing.assert_array_equal(ask(made, X=X)["label"].astype(bool), model.predict(X))


def test_frames_with_category_columns_need_their_encoder():
    X = pd.DataFrame({"kind": pd.Categorical(["a", "b", "a", "b"])})
    with pytest.raises(NotExportableError, match="category columns"):
        export_onnx(ComboClassifier(n_estimators=2).fit(X, [0, 1, 0, 1]))


@pytest.mark.parametrize("n_classes", [2, 3])
def test_bregman_votes_with_missing_views(n_classes):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(80, 4))
    y = (X[:, 0] + X[:, 2] > np.linspace(-0.5, 0.5, n_classes - 1)[:, None]).sum(axis=0)
    model = BregmanVoteClassifier(views=[0, 2, 4], random_state=0).fit(X, y)
    X[:20, :2], X[10:30, 2:] = np.nan, np.nan
    found = ask(export_onnx(model), X=X)
    assert_same(found, model, X)
    assert len(np.unique(found["label"])) == n_classes
    np.testing.assert_allclose(found["scores"], model.decision_function(X), atol=1e-10)
