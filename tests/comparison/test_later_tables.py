"""A table that comes after a model was fitted is read as the one that it learnt from."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from uneven.comparison import InputError, compare
from uneven.comparison.inputs import read_data
from uneven.comparison.latertable import read_later_table


def csv(header: str, rows: list[str], separator: str = ",") -> str:
    lines = [f"{rows[i % len(rows)]}{separator}{'abc'[i % 3]}" for i in range(24)]
    return "\n".join([f"{header}{separator}label", *lines]) + "\n"


DAYS = csv("day", ["07/12/2020", "16/12/2020", "01/02/2020"])
GERMAN = csv("pay", ["1.234", "2.500", "12,5"], ";")
AMERICAN = csv("pay,rate", ['"1,234",0.5', '"2,500.5",0.7', "900,0.1"])


def later(tmp_path: Path, first: str, second: str) -> tuple[pd.DataFrame, list[str]]:
    """The second table, read by the schema of the first."""
    (tmp_path / "first.csv").write_text(first, encoding="utf-8")
    (tmp_path / "second.csv").write_text(second, encoding="utf-8")
    schema = read_data(tmp_path / "first.csv", "label").schema
    _, X, notes = read_later_table(tmp_path / "second.csv", schema)
    return X, notes


@pytest.mark.parametrize(
    ("first", "second", "value"),
    [
        (DAYS, "day\n07/12/2020\n", 18603.0),
        (GERMAN, "pay\n1.234\n", 1234.0),
        (GERMAN, "pay;other\n1.234;0.5\n", 1234.0),
        (AMERICAN, 'pay,rate\n"1,234",0.5\n', 1234.0),
        (csv("pay", ["1,234", "0,500"], ";"), 'pay\n"1,234"\n', 1.234),
        (csv("n;pay", ["7;1,5", "9;0,5"], ";"), 'n,pay\n"1,234",2\n', 1.234),
        (csv("x", ["1.2K", "3.4M", "900"]), "x\n2M\n", 2e6),
        (csv("x", ["12K", "34K", "56K"]), "x\n2M\n", 2000.0),
        (csv("x", ["120 g", "340 g"]), "x\n2 kg\n", 2000.0),
        (csv("birth", ["1/2/55", "3/14/99"]), "birth\n1/2/30\n", -14609.0),
        (csv("at", ["9:30 AM", "1:15 PM"]), "at\n13:15\n", 13.25),
        (csv("at", ["10.15 Uhr", "9.30 Uhr"]), "at\n45 min\n", 0.75),
        (csv("k", ["5.4 H", "3.2 L", "4.1"]), "k\n5.4 H\n", 5.4),
        (csv("pay", ["5 H", "7 S"]), "pay\n7 S\n", -7.0),
        (csv("k", ["1 (low)", "2", "3 (high)"]), "k\n1 (low)\n", 1.0),
        (csv("lat", ["48.1° N", "33.5° N"]), "lat\n10.0° S\n", -10.0),
        (csv("date", ["31122023", "01022024"]), "date\n05062023\n", 19513.0),
        (csv("month", ["202312", "202402"]), "month\n202401\n", 19723.0),
        (csv("t", ["3 years", "18 months"]), "t\n1 year\n", 31557600.0),
        (csv("lap", ["1:25.207", "2:03.511"]), "lap\n1:30\n", 0.025),
        (csv("lap", ["1:25.207", "59.511"]), "lap\n36.0\n", 0.01),
        (csv("grade", ["2", "2+", "3-", "4"]), "grade\n3-\n", 3.0),
    ],
)
def test_one_row_that_could_mean_two_things_is_read_as_the_training_table(
    tmp_path, first, second, value
):
    X, notes = later(tmp_path, first, second)
    assert X.iloc[0, 0] == value
    assert notes == []


@pytest.mark.parametrize(
    ("first", "second", "value", "says"),
    [
        (DAYS, "day\n07/25/2020\n", 18468.0, "months first; the training table had days first"),
        (DAYS, "day\n2020-12-07\n", 18603.0, "the year first; the training table had days first"),
        (GERMAN, "pay\n12.75\n3.5\n", 12.75, "decimal points; the training table had decimal comm"),
        (AMERICAN, "pay;rate\n900;0,5\n", 900.0, "decimal commas; the training table had decimal"),
        (csv("until", ["2024-05-06", "2023-04-03"]), "until\n9999-12-31\n", np.nan, "9999-12-31"),
        (csv("rate", ["12%", "34.5%"]), "rate\n12.5\n", 12.5, "has no '%' here"),
        (csv("date", ["20231216", "20240201"]), "date\n16122023\n", 19707.0, "days first, with"),
    ],
)
def test_what_is_written_otherwise_but_clear_is_read_and_said(tmp_path, first, second, value, says):
    X, notes = later(tmp_path, first, second)
    np.testing.assert_equal(X.iloc[0, 0], value)
    assert says in notes[0]


@pytest.mark.parametrize(
    ("first", "second", "says"),
    [
        (DAYS, "day\n07/12/2020\n07/25/2020\n", "'07/12/2020' could then mean two things"),
        (GERMAN, "pay\n1.234\n12.75\n", "'1.234' could then mean two things"),
        (AMERICAN, "pay;rate\n1,234;0,5\n", "'1,234' in column 'pay' could mean two things"),
        (csv("rate", ["12%", "34.5%"]), "rate\n5%\n0.12\n", "holds '0.12' in row 2"),
        (csv("pay", ["$5", "$7"]), "pay\n5 €\n", "holds '5 €' in row 1"),
        (csv("at", ["10.15 Uhr", "9.30 Uhr"]), "at\n10.15\n", "holds '10.15' in row 1"),
        (csv("k", ["5.4", "3.2", "4.1"]), "k\n5.4 H\n", "holds '5.4 H' in row 1"),
    ],
)
def test_what_stays_doubtful_is_refused(tmp_path, first, second, says):
    with pytest.raises(InputError, match=says.replace("$", "[$]")):
        later(tmp_path, first, second)


def test_a_fitted_model_warns_about_what_is_written_otherwise(tmp_path):
    (tmp_path / "first.csv").write_text(DAYS, encoding="utf-8")
    (tmp_path / "second.csv").write_text("day\n07/25/2020\n", encoding="utf-8")
    found = compare(tmp_path / "first.csv", "label", methods="combo", rounds=3, cv=2)
    model = found.best_model()
    with pytest.warns(UserWarning, match="months first"):
        model.predict(tmp_path / "second.csv")
    with pytest.warns(UserWarning, match="months first"):
        model.predict(pd.DataFrame({"day": ["07/25/2020"]}))


@pytest.mark.parametrize(
    ("below", "left_out"),
    [
        ("Total,9,\n", True),
        ("Summe:,9,3\n", True),
        ("----,----,----\n", True),
        ("(24 rows affected)\n", True),
        ("Source: our own survey, 2024\n", True),
        ("# written by hand, and late\n\n", True),
        ("9.5,9,b\n", False),
        (",,b\n", False),
        ("mean value,4,a\n", False),
    ],
)
def test_lines_below_the_rows(tmp_path, below, left_out):
    rows = csv("x,y", ["1.5,7", "a,8", "3.5,9"])
    (tmp_path / "t.csv").write_text(rows + below, encoding="utf-8")
    problem = read_data(tmp_path / "t.csv", "label")
    assert len(problem.y) == 24 + (not left_out)
    assert any("ends with" in note for note in problem.notes) == left_out


def test_a_word_for_a_total_among_the_rows_is_a_category(tmp_path):
    rows = csv("kind,y", ["total,7", "part,8", "rest,9"])
    (tmp_path / "t.csv").write_text(rows + "total,3,a\n", encoding="utf-8")
    assert len(read_data(tmp_path / "t.csv", "label").y) == 25


def test_views_without_a_table_hold_no_value_of_any_kind(tmp_path):
    n = 40
    words = pd.DataFrame({"id": range(n), "length": np.arange(n) / 2.0})
    notes_of = [
        f"the hall is full of smoke number {k}, call the fire service now" for k in range(n)
    ]
    other = pd.DataFrame({"id": range(n), "kind": ["a", "b"] * (n // 2), "note": notes_of})
    other["day"] = pd.date_range("2024-01-01", periods=n).astype(str)
    other["label"] = ["x", "y"] * (n // 2)
    words.to_csv(tmp_path / "words.csv", index=False)
    data = read_data({"words": words, "other": other}, "label", on="id")
    assert set(data.schema.kind_counts()) == {"number", "category", "text", "date"}
    _, X, notes = read_later_table([tmp_path / "words.csv"], data.schema, on="id")
    assert notes == ["no table is given for the view 'other': it is missing in every row."]
    assert X["words__length"].tolist() == words["length"].tolist()
    empty = X.filter(like="other__")
    assert (empty.isna() | (empty == "")).all(axis=None)
    words[["id"]].assign(strange=1).to_csv(tmp_path / "strange.csv", index=False)
    with pytest.raises(InputError, match="lacks 4 of the 4 columns"):
        read_later_table([tmp_path / "strange.csv"], data.schema, on="id")
