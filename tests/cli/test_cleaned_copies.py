"""Formatted tables give the figures of hand-cleaned copies, by command and in Python."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
import pytest

from uneven import compare

METHODS = "combo,random_forest,logistic_regression"
RNG = np.random.default_rng(3)
N = 150
LABEL = RNG.choice(["stay", "leave", "ask"], N, p=[0.6, 0.25, 0.15])
SHIFT = np.select([LABEL == "leave", LABEL == "ask"], [1.0, -1.0], 0.0)
NUMBER = np.round(SHIFT + RNG.normal(size=N), 2)
MONEY = np.round(np.exp(8 + 0.5 * SHIFT + 0.3 * RNG.normal(size=N)), 2)
DAY = pd.Timestamp("2019-01-01") + pd.to_timedelta(
    np.round(700 + 200 * SHIFT + 100 * RNG.normal(size=N)), unit="D"
)
HOLES = RNG.random(N) < 0.06

PAIRS = {
    "question marks": (
        np.where(HOLES, "?", NUMBER.astype(str)),
        np.where(HOLES, np.nan, NUMBER),
    ),
    "dollars": ([f"${v:,.2f}" for v in MONEY], MONEY),
    "euros": (
        [f"{v:,.2f} €".replace(",", "x").replace(".", ",").replace("x", ".") for v in MONEY],
        MONEY,
    ),
    "percent": ([f"{v:.2f} %" for v in NUMBER], NUMBER),
    "us dates": (DAY.strftime("%m/%d/%Y"), DAY.strftime("%Y-%m-%d")),
    "german dates": (DAY.strftime("%d.%m.%Y"), DAY.strftime("%Y-%m-%d")),
}


def table(column) -> pd.DataFrame:
    return pd.DataFrame({"a": column, "b": np.round(RNG_B, 2), "label": LABEL})


RNG_B = np.random.default_rng(4).normal(size=N)


@pytest.mark.slow
@pytest.mark.parametrize("name", PAIRS)
def test_measures_are_those_of_a_cleaned_copy(uneven, tmp_path, name):
    messy, clean = (table(column) for column in PAIRS[name])
    results = []
    for frame, where in ((messy, "messy"), (clean, "clean")):
        frame.to_csv(f"{where}.csv", index=False, sep=";" if name == "euros" else ",")
        words = ("--methods", METHODS, "--cv", 3, "--rounds", 10, "--out", where)
        assert uneven("compare", f"{where}.csv", "-t", "label", *words).code == 0
        raw = json.loads((tmp_path / where / "results.json").read_text(encoding="utf-8"))
        results.append({m["name"]: m["scores"] for m in raw["methods"]})
    assert results[0].keys() == results[1].keys()
    for method, scores in results[0].items():
        for measure, values in scores.items():
            np.testing.assert_allclose(values, results[1][method][measure], atol=1e-9)


def test_python_reads_frames_in_the_same_way():
    choices = {"methods": "combo", "cv": 3, "rounds": 10, "refit": False}
    messy, clean = (table(column) for column in PAIRS["dollars"])
    found = [compare(frame, "label", **choices).ranking for frame in (messy, clean)]
    measures = [c for c in found[0].columns if "seconds" not in c]
    pd.testing.assert_frame_equal(found[0][measures], found[1][measures])


def test_text_is_learnt_by_fit_and_predict_from_a_file_of_labels(uneven, tmp_path):
    words = {"fraud": "stolen twice again police", "plain": "storm roof window hail"}
    rng = np.random.default_rng(0)
    kinds = ["fraud", "plain"] * 30
    texts = [" ".join(rng.choice(words[k].split(), 4)) + " claim" for k in kinds]
    pd.DataFrame({"size": rng.normal(size=60), "note": texts}).to_csv("pool.csv", index=False)
    labels = pd.DataFrame({"row": range(1, 31), "label": kinds[:30]})
    labels.to_csv("labels.csv", index=False)
    done = uneven("label-next", "pool.csv", "--text", "note", "--n", 2)
    assert done.code == 0, done.err
    learn = next(line for line in done.out.splitlines() if line.startswith("Learn"))
    command = learn.split()[2:]
    assert command[-2:] == ["--text", "note"]
    assert "--drop" not in command
    assert uneven(*command).code == 0
    assert (tmp_path / "model.schema.toml").exists()
    assert uneven("predict", "model.skops", "pool.csv", "--out", "answers.csv").code == 0
    answers = pd.read_csv("answers.csv")["predicted_label"]
    assert (answers == kinds).mean() > 0.9
    done = uneven("compare", "pool.csv", "-t", "size", "--text", "none")
    assert "--text 'none' is not a column" in done.complaint


def test_standard_input_and_decisions(uneven, tmp_path, monkeypatch):
    import io
    import sys

    from uneven.comparison import formats

    frame = table(NUMBER).assign(code=[f"{i % 70:03d}" for i in range(N)], b=999)
    stream = io.TextIOWrapper(io.BytesIO(frame.to_csv(index=False).encode()))
    monkeypatch.setattr(sys, "stdin", stream)
    formats._standard_input.cache_clear()
    (tmp_path / "mine.toml").write_text('[columns.code]\nuse = true\nkind = "number"\n')
    words = ("--methods", "combo", "--rounds", 3, "--cv", 2, "--schema", "mine.toml")
    done = uneven("compare", "-", "-t", "label", *words, "--missing", "999")
    formats._standard_input.cache_clear()
    assert done.code == 0, done.err
    assert "standard input: 150 rows, 2 columns" in done.out
    assert "column 'b' is empty" in done.err
    (tmp_path / "mine.toml").write_text('[columns.code]\nkindd = "number"\n')
    frame.to_csv("table.csv", index=False)
    done = uneven("compare", "table.csv", "-t", "label", *words)
    assert "did you mean 'kind'" in done.complaint
