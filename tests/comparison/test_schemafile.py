from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from uneven import compare
from uneven.cli import run
from uneven.comparison import InputError, make_problem
from uneven.comparison.schemafile import _checked, decide, schema_text

N = 24
FRAME = pd.DataFrame(
    {
        "when": ["07/12/2020", "03/04/2021"] * 12,
        "count": ["1,234", "5,678"] * 12,
        "code": [f"{i % 3:03d}" for i in range(N)],
        "id": range(N),
        "note": ["rain again", "sun"] * 12,
        "size": [999.0, 1.5, 2.5] * 8,
        "label": ["a", "b", "c", "a"] * 6,
    }
)


def column(**told):
    return {"columns": told}


@pytest.mark.parametrize(
    ("schema", "name", "first"),
    [
        ({}, "when", 18455.0),
        (column(when={"order": "dmy"}), "when", 18603.0),
        (column(when={"kind": "category"}), "when", "07/12/2020"),
        ({}, "count", 1234.0),
        (column(count={"decimal": ","}), "count", 1.234),
        ({}, "code", "000"),
        (column(code={"kind": "number"}), "code", 0.0),
        (column(id={"use": True}), "id", 0.0),
        ({}, "size", 999.0),
        (column(size={"missing": ["999"]}), "size", np.nan),
        ({"missing": ["999"]}, "size", np.nan),
        (column(size={"kind": "category"}), "size", "999.0"),
        (column(note={"kind": "text", "use": True}), "note", "rain again"),
    ],
)
def test_every_decision_can_be_overruled(schema, name, first):
    problem = make_problem(FRAME, "label", decisions=decide(schema))
    cell = problem.X[name].iloc[0]
    assert cell == first or (first != first and pd.isna(cell))


def test_columns_can_be_left_out():
    problem = make_problem(FRAME, "label", decisions=decide(column(note={"use": False})))
    assert problem.left_out["note"] == "is left out by --schema"


@pytest.mark.parametrize(
    ("schema", "says"),
    [
        (column(when={"kid": "date"}), "did you mean 'kind'"),
        (column(when={"kind": "dates"}), "did you mean 'date'"),
        (column(when={"use": "no"}), "not bool"),
        (column(count={"decimal": ";"}), "use '.', ','"),
        (column(wen={"kind": "date"}), "did you mean 'when'"),
        ({"column": {}}, r"may hold \[table\]"),
        ({"table": {"sep": ";"}}, "has an entry 'sep'"),
        ("nowhere.toml", "there is no such file"),
    ],
)
def test_wrong_files_are_refused(schema, says):
    with pytest.raises(InputError, match=says):
        make_problem(FRAME, "label", decisions=decide(schema))


def test_files_work_the_same_from_both_sides(tmp_path, capsys):
    FRAME.to_csv(tmp_path / "table.csv", index=False)
    mine = tmp_path / "mine.toml"
    mine.write_text('[columns.when]\norder = "dmy"\n\n[columns.note]\nuse = false\n')
    choices = {"methods": "combo", "rounds": 3, "cv": 2}
    found = compare(tmp_path / "table.csv", "label", schema=mine, **choices)
    words = ["--methods", "combo", "--rounds", "3", "--cv", "2", "--schema", str(mine)]
    out = ["--out", str(tmp_path / "out")]
    assert run(["compare", str(tmp_path / "table.csv"), "-t", "label", *words, *out]) == 0
    written = (tmp_path / "out" / "schema.toml").read_text(encoding="utf-8")
    assert written == found.schema_text()
    again = compare(tmp_path / "table.csv", "label", schema=tmp_path / "out/schema.toml", **choices)
    assert again.schema_text() == written
    pd.testing.assert_frame_equal(again.predictions, found.predictions)


NAMES = st.text(min_size=1, max_size=12).filter(lambda name: name.strip() == name != "label")


@pytest.mark.slow
@given(st.lists(NAMES, min_size=1, max_size=4, unique=True), st.text(min_size=1, max_size=5))
def test_any_name_and_mark_survives_the_file(names, mark):
    import tomllib

    frame = pd.DataFrame(
        {name: [1.5, 2.5, j] for j, name in enumerate(names)} | {"label": list("aab")}
    )
    problem = make_problem(frame, "label", decisions=decide({"missing": [mark]}))
    raw = tomllib.loads(schema_text(problem))
    assert list(_checked(raw, "")) == [str(name) for name in names]
    assert raw["missing"] == [mark]
