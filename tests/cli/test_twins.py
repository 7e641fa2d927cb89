"""Every option of ``uneven compare`` has a twin in ``uneven.compare``, and both find the same."""

from __future__ import annotations

import inspect
import json

import numpy as np
import pandas as pd
import pytest

from tests.cli.conftest import make_frame
from uneven import compare
from uneven.cli.app import _compare

OTHER_NAMES = {"tables": "X", "target": "y", "seed": "random_state"}
"""Options that have another name in Python."""

ELSEWHERE = {
    "context": "the parser's own",
    "debug": "Python shows tracebacks",
    "demo": "uneven.datasets.load_demo",
    "out": "Comparison.to_html, to_json and write_predictions",
    "csv": "Comparison.write_predictions",
}

METHODS = ["logistic_regression", "random_forest"]


@pytest.fixture
def files(tmp_path):
    """A table with groups, times, a key, sentences and codes, and what options may name."""
    frame = make_frame()
    n, rng = len(frame), np.random.default_rng(1)
    words = np.array(["late parcel again", "thank you so much", "where is my order"])
    frame["place"] = np.arange(n) // 3
    frame["when"] = pd.date_range("2024-01-01", periods=n).strftime("%Y-%m-%d")
    frame["key"] = [f"k{i}" for i in rng.permutation(n)]
    frame["remark"] = [f"{words[i]} {w}" for i, w in zip(rng.integers(0, 3, n), frame["label"])]
    frame["code"] = rng.choice([1, 2, 999], n)
    frame.to_csv(tmp_path / "table.csv", index=False)
    frame.iloc[::3].to_csv(tmp_path / "test.csv", index=False)
    classes = ["common", "less", "rare"]
    prices = pd.DataFrame(5.0 * (1 - np.eye(3)), index=classes, columns=classes)
    prices.to_csv(tmp_path / "prices.csv")
    noise = pd.DataFrame(0.8 * np.eye(3) + 0.2 / 3, index=classes, columns=classes)
    noise.to_csv(tmp_path / "noise.csv")
    (tmp_path / "views.toml").write_text('[views]\nsound = ["sound__*"]\ntext = ["text__*"]\n')
    (tmp_path / "schema.toml").write_text('[columns.code]\nkind = "category"\n')
    return tmp_path


@pytest.mark.slow
@pytest.mark.parametrize(
    ("words", "arguments"),
    [
        (
            ["--cv", "3", "--repeats", "2", "--seed", "5"],
            {"cv": 3, "repeats": 2, "random_state": 5},
        ),
        (["--groups", "place"], {"groups": "place"}),
        (["--time", "when"], {"time": "when"}),
        (["--test", "test.csv"], {"test": "test.csv"}),
        (["--id", "key"], {"id": "key"}),
        (["--views", "views.toml"], {"views": "views.toml"}),
        (
            ["--metric", "gmean", "--measure", "macro_f1"],
            {"metric": "gmean", "measure": "macro_f1"},
        ),
        (["--cost", "prices.csv"], {"cost": "prices.csv"}),
        (["--calibrate"], {"calibrate": True}),
        (["--measure", "gmean", "--no-calibrate"], {"measure": "gmean", "calibrate": False}),
        (["--methods", "combo", "--rounds", "3"], {"methods": ["combo"], "rounds": 3}),
        (["--time-limit", "10m"], {"time_limit": "10m"}),
        (["--noise-matrix", "noise.csv"], {"noise_matrix": "noise.csv"}),
        (["--drop", "remark", "--drop", "code"], {"drop": ["remark", "code"]}),
        (["--keep", "key"], {"keep": ["key"]}),
        (["--text", "remark", "--missing", "999"], {"text": ["remark"], "missing": ["999"]}),
        (["--schema", "schema.toml"], {"schema": "schema.toml"}),
        (["--encoding", "latin-1"], {"encoding": "latin-1"}),
        (["--stack"], {"stack": True}),
        (["--tune", "2"], {"tune": 2}),
        (["--n-jobs", "2", "--max-depth", "2"], {"n_jobs": 2, "max_depth": 2}),
        (["--workers", "2"], {"workers": 2}),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_both_find_the_same(uneven, files, words, arguments):
    done = uneven(
        "compare", "table.csv", "-t", "label", "--methods", ",".join(METHODS), "--cv", "2",
        "--no-diagnosis", *words, "--out", "found",
    )  # fmt: skip
    assert done.code == 0, done.err
    told = json.loads((files / "found" / "results.json").read_text(encoding="utf-8"))
    given = {"cv": 2, "diagnosis": False, "methods": METHODS, **arguments}
    found = json.loads(compare("table.csv", "label", **given).to_json())
    assert told["metric"] == found["metric"]
    assert told["data"] == found["data"]
    assert [one["name"] for one in told["methods"]] == [one["name"] for one in found["methods"]]
    for one, other in zip(told["methods"], found["methods"]):
        assert one["scores"] == other["scores"]


def scores(told: str) -> dict[str, object]:
    return {one["name"]: one["scores"] for one in json.loads(told)["methods"]}


@pytest.mark.slow
def test_sheets_and_joined_tables_are_found_by_both(uneven, files):
    frame = pd.read_csv("table.csv")
    with pd.ExcelWriter("book.xlsx") as book:
        pd.DataFrame({"x": [1]}).to_excel(book, sheet_name="about", index=False)
        frame.to_excel(book, sheet_name="rows", index=False)
    sound = frame[["key", "sound__pitch", "sound__noise"]]
    sound.to_csv("sound.csv", index=False)
    frame[["key", "text__word", "label"]].to_parquet("text.parquet")
    words = ("-t", "label", "--methods", "logistic_regression", "--cv", "2", "--no-diagnosis")
    given = {"cv": 2, "diagnosis": False, "methods": ["logistic_regression"]}
    for tables, option, value in (
        (["book.xlsx"], "sheet", "rows"),
        (["sound.csv", "text.parquet"], "on", "key"),
    ):
        done = uneven("compare", *tables, *words, f"--{option}", value, "--out", option)
        assert done.code == 0, done.err
        X = tables[0] if len(tables) == 1 else tables
        found = compare(X, "label", **given, **{option: value})
        told = (files / option / "results.json").read_text(encoding="utf-8")
        assert scores(told) == scores(found.to_json())


def test_every_option_has_a_twin():
    options = {
        OTHER_NAMES.get(name, name)
        for name in inspect.signature(_compare).parameters
        if name not in ELSEWHERE
    }
    assert options <= set(inspect.signature(compare).parameters)
