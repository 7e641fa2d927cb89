"""fit, predict, explain."""

from __future__ import annotations

import io

import numpy as np
import pandas as pd
import pytest

from tests.cli.conftest import files_in, make_frame
from uneven.comparison import METHODS
from uneven.persistence.model_file import load_model

COMBO = ("--method", "combo")
pytestmark = pytest.mark.slow


@pytest.fixture
def model(uneven, table):
    words = ("--views", "prefix", "--rounds", 20, "-o", "m.skops")
    done = uneven("fit", table, "-t", "label", *COMBO, *words)
    assert done.code == 0, done.err
    return "m.skops"


@pytest.mark.parametrize("method", [m.name for m in METHODS.values() if not m.package])
def test_every_method_survives_its_file(uneven, table, tmp_path, frame, method):
    words = ("--method", method, "--rounds", 10, "--views", "prefix", "-o", "m.skops")
    done = uneven("fit", table, "-t", "label", *words)
    assert done.code == 0, done.err
    pipeline, card = load_model(tmp_path / "m.skops")
    assert card.method == method
    assert card.classes == ["common", "less", "rare"]
    assert [c["name"] for c in card.columns] == list(frame.columns[:-1])
    has_shares = hasattr(pipeline, "predict_proba")
    assert has_shares == (method != "uma")
    done = uneven("predict", "m.skops", table, *["--proba"] * has_shares)
    answers = pd.read_csv(io.StringIO(done.out))
    assert (answers["predicted_label"] == frame["label"]).mean() > 0.8
    if not has_shares:
        return
    assert list(answers) == ["predicted_label", "share_common", "share_less", "share_rare"]
    shares = answers.iloc[:, 1:].to_numpy()
    assert shares.sum(axis=1) == pytest.approx(1.0)
    assert (pipeline.classes_[shares.argmax(axis=1)] == answers["predicted_label"]).mean() > 0.95


def test_fit_equals_the_estimator_in_python(uneven, table, frame, model):
    from uneven import ComboClassifier
    from uneven.comparison import Schema
    from uneven.comparison.encoding import encode_ordinal

    features = frame.drop(columns="label")
    schema = Schema.of(features)
    X = encode_ordinal(schema).fit_transform(schema.convert(features))
    expected = ComboClassifier(n_estimators=20, views="prefix", random_state=0).fit(
        X, frame["label"]
    )
    done = uneven("predict", model, table, "--proba")
    shares = pd.read_csv(io.StringIO(done.out)).iloc[:, 1:].to_numpy()
    np.testing.assert_allclose(shares, expected.predict_proba(X))


@pytest.mark.parametrize("name", ["p.csv", "p.parquet"])
def test_predictions_to_a_file(uneven, table, tmp_path, model, frame, name):
    done = uneven("predict", model, table, "--out", name, "--copy", "text__length")
    assert done.code == 0
    assert done.out == ""
    path = tmp_path / name
    answers = pd.read_csv(path) if name.endswith("csv") else pd.read_parquet(path)
    assert list(answers) == ["text__length", "predicted_label"]
    assert answers["text__length"].astype(int).tolist() == frame["text__length"].tolist()


def test_column_order_and_extra_columns_do_not_matter(uneven, tmp_path, frame, model, table):
    shuffled = frame.drop(columns="label")[frame.columns[:-1][::-1]].assign(extra=1, more="x")
    shuffled.to_parquet(tmp_path / "new.parquet")
    done = uneven("predict", model, "new.parquet")
    assert done.code == 0
    assert "ignored: 'extra', 'more'" in done.err
    assert done.out == uneven("predict", model, table).out


def test_unseen_categories_count_as_missing(uneven, tmp_path, frame, model):
    frame["text__word"] = "never seen"
    frame.to_csv(tmp_path / "new.csv", index=False)
    done = uneven("predict", model, "new.csv")
    assert done.code == 0
    assert "'text__word' holds values never seen in training" in done.err
    frame["text__word"] = None
    frame.to_csv(tmp_path / "new.csv", index=False)
    assert uneven("predict", model, "new.csv").out == done.out


def test_categories_that_look_like_numbers(uneven, tmp_path):
    frame = make_frame()
    codes = {"common": "1", "less": "02", "rare": "x", "other": "3"}
    frame["text__word"] = frame["text__word"].map(codes)
    frame.to_csv(tmp_path / "a.csv", index=False)
    assert uneven("fit", "a.csv", "-t", "label", *COMBO, "--rounds", 5, "-o", "m.skops").code == 0
    numeric = frame[frame["text__word"].isin(["1", "02"]) | frame["text__word"].isna()]
    numeric.to_csv(tmp_path / "b.csv", index=False)
    done = uneven("predict", "m.skops", "b.csv")
    assert done.code == 0
    assert "never seen" not in done.err


def test_wrong_columns_are_named(uneven, tmp_path, frame, model):
    before = files_in(tmp_path)
    frame.drop(columns=["text__word", "sound__pitch"]).to_csv(tmp_path / "t.csv", index=False)
    done = uneven("predict", model, "t.csv", "--out", "p.csv")
    assert done.code == 2
    assert "lacks 2 of the 4 columns" in done.complaint
    assert "'sound__pitch', 'text__word'" in done.complaint
    assert files_in(tmp_path) == before | {"t.csv"}


def test_wrong_types_are_said(uneven, tmp_path, frame, model):
    frame["text__length"] = frame["text__length"].astype(object)
    frame.loc[2, "text__length"] = "long"
    frame.to_csv(tmp_path / "t.csv", index=False)
    done = uneven("predict", model, "t.csv")
    assert done.code == 2
    assert "column 'text__length' holds 'long' in row 3" in done.complaint
    assert "expects a number" in done.complaint


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["predict", "none.skops", "table.csv"], "no model file none.skops"),
        (["predict", "table.csv", "table.csv"], "not a model file"),
        (["explain", "table.csv"], "not a model file"),
        (["predict", "m.skops", "none.csv"], "no file none.csv"),
        (["predict", "m.skops", "table.csv", "--out", "no/where.csv"], "folder that exists"),
        (["predict", "m.skops", "table.csv", "--copy", "id"], "'id'"),
        (["fit", "table.csv", "-t", "label", "--out", "no/m.skops"], "folder that exists"),
        (["fit", "table.csv", "-t", "label", "--out", "."], "must name a file"),
        (["fit", "table.csv", "-t", "label", "--method", "combos"], "did you mean 'combo'?"),
        (["fit", "table.csv"], "--target"),
        (["predict", "m.skops"], "TABLE"),
    ],
)
def test_wrong_requests(uneven, tmp_path, model, words, says):
    before = files_in(tmp_path)
    done = uneven(*words)
    assert done.code == 2
    assert says in done.complaint
    assert files_in(tmp_path) == before


def test_explain_shows_card_and_shares(uneven, model):
    done = uneven("explain", model, "--top", 2)
    assert done.code == 0
    for word in ("CoMBo", "table.csv, 90 rows, 4 columns", "rare", "sound", "Vote weights"):
        assert word in done.out
    columns = done.out[done.out.index("Which column") :]
    assert sum(name in columns for name in ("pitch", "noise", "word", "length")) == 2


def test_many_classes_are_cut_into_tables(uneven, tmp_path):
    rng = np.random.default_rng(0)
    label = np.repeat([f"class number {c:02d}" for c in range(20)], 5)
    pd.DataFrame({"x": rng.normal(size=100), "z": rng.normal(size=100), "label": label}).to_csv(
        tmp_path / "t.csv", index=False
    )
    assert uneven("fit", "t.csv", "-t", "label", *COMBO, "--rounds", 9, "-o", "m.skops").code == 0
    done = uneven("explain", "m.skops")
    shares = done.out[done.out.index("Which column") :]
    assert all(f"class number {c:02d}" in shares for c in range(20))
    assert max(map(len, done.out.splitlines())) <= 160


def test_explain_a_baseline(uneven, table):
    words = ("--method", "logistic_regression", "-o", "m.skops")
    assert uneven("fit", table, "-t", "label", *words).code == 0
    done = uneven("explain", "m.skops")
    assert done.code == 0
    assert "not a vote" in done.out


def test_class_labels_that_are_numbers_stay_numbers(uneven, frame, tmp_path):
    frame["label"] = frame["label"].map({"common": 2, "less": 10, "rare": 1})
    frame.loc[0, "label"] = None
    frame.to_csv(tmp_path / "t.csv", index=False)
    assert uneven("fit", "t.csv", "-t", "label", *COMBO, "--rounds", 5, "-o", "m.skops").code == 0
    done = uneven("predict", "m.skops", "t.csv", "--proba")
    lines = done.out.splitlines()
    assert lines[0] == "predicted_label,share_1,share_2,share_10"
    assert {line.split(",")[0] for line in lines[1:]} == {"1", "2", "10"}


def test_copies_may_not_hide_answers(uneven, table, frame):
    frame.assign(predicted_label=1, share_rare=2).to_csv("more.csv", index=False)
    assert uneven("fit", table, "-t", "label", *COMBO, "--rounds", 2, "-o", "m.skops").code == 0
    done = uneven("predict", "m.skops", "more.csv", "--copy", "predicted_label")
    assert done.code == 2
    assert "two columns 'predicted_label'" in done.complaint
    done = uneven("predict", "m.skops", "more.csv", "--proba", "--copy", "share_rare")
    assert done.code == 2
    assert "two columns 'share_rare'" in done.complaint
    assert uneven("predict", "m.skops", "more.csv", "--copy", "share_rare").code == 0


def test_without_a_method_the_one_to_begin_with_is_fitted(uneven, table, tmp_path):
    done = uneven("fit", table, "-t", "label", "-o", "m.skops")
    assert done.code == 0, done.err
    assert load_model(tmp_path / "m.skops")[1].method == "uneven"


def test_without_a_method_a_noise_matrix_is_heeded(uneven, table, tmp_path):
    names = ["common", "less", "rare"]
    noise = pd.DataFrame(0.7 * np.eye(3) + 0.1, index=names, columns=names)
    noise.to_csv(tmp_path / "noise.csv")
    done = uneven("fit", table, "-t", "label", "--noise-matrix", "noise.csv", "-o", "m.skops")
    assert done.code == 0, done.err
    assert load_model(tmp_path / "m.skops")[1].method == "combo"
    assert "uneven does not support a noise matrix" in " ".join(done.err.split())
