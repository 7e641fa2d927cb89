"""``uneven explain`` with a table: reasons for rows, and importances of columns."""

from __future__ import annotations

import json

import pytest


@pytest.fixture
def model(uneven, table):
    words = ("--method", "combo", "--views", "prefix", "--rounds", 6, "-o", "m.skops")
    done = uneven("fit", table, "-t", "label", *words)
    assert done.code == 0, done.err
    return "m.skops"


def test_a_row_is_explained(uneven, table, model, frame):
    done = uneven("explain", model, table, "--row", 17, "--row", 2, "--top", 2)
    assert done.code == 0, done.err
    assert f"labelled {frame['label'][16]!r}" in done.out
    assert "Row 2: predicted " in done.out
    assert "exact Shapley values" in done.out
    assert "2 others" in done.out
    assert " sound " in done.out


def test_reasons_as_json_sum_to_the_votes(uneven, table, model):
    done = uneven("explain", model, table, "--row", 17, "--json")
    (row,) = json.loads(done.out)["rows"]
    assert row["row"] == 17
    assert row["exact"]
    for label, votes in row["scores"].items():
        said = sum(column[label] for column in row["columns"].values())
        assert said == pytest.approx(votes - row["base"][label])
        views = sum(view[label] for view in row["views"].values())
        assert views == pytest.approx(said)


def test_other_models_are_sampled_with_an_error(uneven, table):
    words = ("fit", table, "-t", "label", "--method", "logistic_regression", "-o", "l.skops")
    assert uneven(*words).code == 0
    done = uneven("explain", "l.skops", table, "--row", 1)
    assert done.code == 0, done.err
    assert "standard error at most" in done.out


@pytest.mark.slow
def test_columns_are_judged_on_new_rows_or_on_folds(uneven, table, model, frame, tmp_path):
    frame.sample(60, random_state=3).to_csv(tmp_path / "new.csv", index=False)
    new = uneven("explain", model, "new.csv", "--metric", "accuracy")
    assert new.code == 0, new.err
    assert "loss of accuracy" in new.out
    assert "was not fitted to" in new.out
    own = uneven("explain", model, table, "--json")
    told = json.loads(own.out)["importance"]
    assert told["refitted"]
    assert {one["column"] for one in told["columns"]} == set(frame.columns) - {"label"}


def test_what_a_model_learnt_as_json(uneven, model):
    told = json.loads(uneven("explain", model, "--json").out)
    assert told["model"]["target"] == "label"
    assert sum(view["rare"] for view in told["view_share"].values()) == pytest.approx(1.0)


def test_what_cannot_be_explained(uneven, table, model, frame, tmp_path):
    assert "--row names a row of a table" in uneven("explain", model, "--row", 3).complaint
    assert "has 90 rows" in uneven("explain", model, table, "--row", 91).complaint
    assert "there is no file no.csv" in uneven("explain", model, "no.csv", "--row", 1).complaint
    assert "unknown metric 'f2'" in uneven("explain", model, table, "--metric", "f2").complaint
    frame.drop(columns="label").to_csv(tmp_path / "bare.csv", index=False)
    assert "has no column 'label'" in uneven("explain", model, "bare.csv").complaint
    done = uneven("explain", model, "bare.csv", "--row", 1)
    assert done.code == 0
    assert "labelled" not in done.out
