"""Small tables with the traps of real exports, each with what a careful person reads from it."""

from __future__ import annotations

import math
import tomllib
from functools import cache
from pathlib import Path

import pandas as pd
import pytest

from uneven.comparison.inputs import read_data
from uneven.comparison.problem import Problem
from uneven.comparison.schemafile import decide, schema_text
from uneven.comparison.tables import read_table

FOLDER = Path(__file__).parents[1] / "data" / "tables"
CASES = sorted(path.stem for path in FOLDER.glob("*.toml"))


def expected(name: str) -> dict:
    return tomllib.loads((FOLDER / f"{name}.toml").read_text(encoding="utf-8"))


def read(told: dict, source=None, schema=None) -> Problem:
    options = dict(told.get("options", {}))
    decisions = decide(schema, options.pop("missing", ()))
    path = FOLDER / told["file"]
    return read_data(
        path if source is None else source, told["target"], decisions=decisions, **options
    )


@cache
def read_as_given(name: str) -> Problem:
    return read(expected(name))


def check(problem: Problem, told: dict) -> None:
    assert len(problem.y) == told["rows"]
    assert set(problem.given_columns) == set(told["columns"])
    kinds = {column.name: column for column in problem.schema.columns}
    for name, wanted in told["columns"].items():
        if "left_out" in wanted:
            assert wanted["left_out"] in problem.left_out[name], name
            continue
        assert kinds[name].kind == wanted["kind"], name
        for key in ("unit", "order", "decimal"):
            if key in wanted:
                assert kinds[name].form[key] == wanted[key], name
        cells = problem.X[name]
        for cell, value in zip(cells, wanted.get("first", [])):
            if isinstance(value, float) and math.isnan(value):
                assert pd.isna(cell), name
            else:
                assert cell == (pytest.approx(value, rel=1e-12) if value != str(value) else value)
        if wanted["kind"] != "text":
            assert cells.isna().sum() == wanted.get("missing", 0), name


def test_there_are_enough():
    assert len(CASES) >= 40


@pytest.mark.parametrize("name", CASES)
def test_a_table_is_read_as_expected(name):
    told, problem = expected(name), read_as_given(name)
    check(problem, told)
    for words in told["notes"]:
        assert any(words in note for note in problem.notes), (words, problem.notes)
    assert not any("--drop" in note for note in problem.notes)


@pytest.mark.parametrize("name", CASES)
def test_the_written_schema_reads_the_same_table(name, tmp_path):
    told, before = expected(name), read_as_given(name)
    path = tmp_path / "schema.toml"
    path.write_text(schema_text(before), encoding="utf-8")
    after = read(told, schema=path)
    assert after.schema == before.schema
    pd.testing.assert_frame_equal(after.X, before.X)


@pytest.mark.parametrize("name", CASES)
def test_a_frame_of_the_same_cells_is_read_in_the_same_way(name):
    told = expected(name)
    choice = {"expected": [told["target"]], "label": told["target"]}
    frame = read_table(FOLDER / told["file"], **choice, text_columns=told["columns"])
    frame.attrs.clear()
    check(read(told, source=frame), told)


@pytest.mark.parametrize("name", CASES)
def test_a_model_reads_single_rows_as_it_read_the_table(name):
    told, problem = expected(name), read_as_given(name)
    frame = read_table(
        FOLDER / told["file"],
        expected=[told["target"]],
        text_columns=problem.schema.of_kind("category", "text"),
    )
    for row in (0, 1, 5):
        alone = problem.schema.convert(frame.iloc[[row]].astype(object))
        pd.testing.assert_frame_equal(
            alone.reset_index(drop=True), problem.X.iloc[[row]].reset_index(drop=True)
        )
