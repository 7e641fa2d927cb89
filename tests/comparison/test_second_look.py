"""Readings that a second look at ordinary tables asked for."""

import numpy as np
import pandas as pd
import pytest

from uneven.comparison import InputError, make_problem
from uneven.comparison.csvstyle import SAMPLE_BYTES, guess_style
from uneven.comparison.inputs import read_data
from uneven.comparison.numbers import find_number_style, parse_numbers
from uneven.report.headline import _how_rare


@pytest.mark.parametrize(
    ("cells", "numbers"),
    [
        (["228", "908", "1.770", "1.294", "2.600", "386"], [228, 908, 1770, 1294, 2600, 386]),
        (["1,656", "386", "893", "1,680", "3,217", "120"], [1656, 386, 893, 1680, 3217, 120]),
        (["1.656", "3", "8", "1.680", "3.217", "1"], [1.656, 3, 8, 1.68, 3.217, 1]),
    ],
)
@pytest.mark.parametrize("prefer", [None, ","])
def test_marks_that_begin_at_a_thousand_are_no_fractions(cells, numbers, prefer):
    if prefer and 1.656 in numbers:
        pytest.skip("another column has said that points are thousands")
    texts = pd.Series(cells)
    style = find_number_style(texts, prefer=prefer)
    assert style.doubtful
    assert parse_numbers(texts, style).tolist() == numbers


def test_marks_for_missing_labels_are_no_classes():
    words = ["p", "n", "p", "n", "?", "k.A.", "NA", "-", "p", "n"]
    frame = pd.DataFrame({"x": np.arange(10.0), "label": words})
    problem = make_problem(frame, "label")
    assert sorted(set(problem.y.tolist())) == ["n", "p"]
    assert any("4 of 10 rows" in note for note in problem.notes)


def test_a_class_may_be_called_na():
    frame = pd.DataFrame({"x": np.arange(6.0), "label": ["NA", "EU", "EU", "NA", "EU", "NA"]})
    problem = make_problem(frame, "label")
    assert sorted(set(problem.y.tolist())) == ["EU", "NA"]
    assert any("may mean that a label is missing" in note for note in problem.notes)


def test_a_date_of_zeros_is_missing():
    days = [f"2024-01-{day:02d}" for day in range(1, 20)]
    frame = pd.DataFrame({"day": [*days, "0000-00-00"], "label": list("ab") * 10})
    found = make_problem(frame, "label").schema.columns[0]
    assert found.kind == "date"


def test_the_rarest_class_is_the_only_one_that_is():
    assert _how_rare([5, 3, 9], 1) == ", the rarest class"
    assert _how_rare([3, 3, 9], 1) == ""
    assert "could be evaluated" in _how_rare([1, 3, 9], 1)


def test_a_target_on_another_sheet_names_the_sheets(tmp_path):
    openpyxl = pytest.importorskip("openpyxl")
    book = openpyxl.Workbook()
    book.active.title = "Cover"
    book.active.append(["Report"])
    book.active.append(["see Staff"])
    sheet = book.create_sheet("Staff")
    for row in (["x", "label"], [1, "a"], [2, "b"], [4, "a"], [8, "b"]):
        sheet.append(row)
    book.save(tmp_path / "book.xlsx")
    with pytest.raises(InputError, match="sheet 'Cover'; --sheet chooses another, 'Staff'"):
        read_data(tmp_path / "book.xlsx", "label")
    assert len(read_data(tmp_path / "book.xlsx", "label", sheet="Staff").y) == 4


def test_labels_with_zeros_in_front_stay_as_they_are(tmp_path):
    path = tmp_path / "table.csv"
    path.write_text("x,code\n" + "1.5,01\n2.5,02\n3.5,1\n" * 4)
    problem = read_data(path, "code")
    assert problem.classes.tolist() == ["01", "02", "1"]
    assert any("'01' and '1'" in note for note in problem.notes)


@pytest.mark.parametrize("price", ["{} €", "$1,{:03d}"])
def test_prices_as_labels_look_like_regression(price):
    frame = pd.DataFrame({"x": np.arange(60.0), "cost": [price.format(i) for i in range(60)]})
    with pytest.raises(InputError, match="60 different numbers, which looks like regression"):
        make_problem(frame, "cost")


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("2019,2020,rate\n1,2,0.5\n3,4,0.6\n5,6,0.7\n", ("2019", "2020", "rate")),
        ("2019,?,x\n1,2,y\n3,4,x\n5,6,y\n", ("column_1", "column_2", "column_3")),
        ("2019,na,x\n1,2,y\n3,b,x\n5,6,y\n", ("column_1", "column_2", "column_3")),
        ("a\u200b,\u200bb\n1,2\n3,4\n", ("a", "b")),
    ],
)
def test_words_above_numbers_are_a_header(text, names):
    assert guess_style(text).names == names


@pytest.mark.parametrize(
    "cells",
    [
        ["RM104", "RM103", "RM110"],
        ["SAR-438", "SAR-291", "SAR-531"],
        ["12b", "15c", "7"],
        ["03.02", "15.11", "28.12"],
        ["030.1234567", "030.7654321", "089.5554443"],
        ["+4917612345678", "+4930123456"],
    ],
)
def test_codes_are_no_numbers(cells, tmp_path):
    path = tmp_path / "table.csv"
    rows = [f"{cell},{kind}\n" for cell in cells * 4 for kind in "ab"]
    path.write_text("code,label\n" + "".join(rows))
    assert read_data(path, "label").schema.columns[0].kind == "category"


def test_formulas_without_results_are_named(tmp_path):
    openpyxl = pytest.importorskip("openpyxl")
    book = openpyxl.Workbook()
    book.active.append(["x", "twice", "label"])
    for row in range(2, 8):
        book.active.append([row * 1.5, f"=2*A{row}", "ab"[row % 2]])
    book.save(tmp_path / "table.xlsx")
    problem = read_data(tmp_path / "table.xlsx", "label")
    assert any("holds 6 formulas without results" in note for note in problem.notes)
    assert list(problem.X) == ["x"]


@pytest.mark.parametrize("first", ["5.5,,,,,x", "red,,,,,x"])
def test_a_first_row_with_few_cells_is_no_title(first):
    style = guess_style(f"{first}\n" + "1,2,3,4,5,y\n2,3,4,5,6,x\n" * 3)
    assert style.above == 0


def test_months_of_a_large_file_are_no_fractions(tmp_path):
    path = tmp_path / "table.csv"
    lines = [f"{k % 12 + 1}.{2000 + k % 24},{k % 7}.5,{'ab'[k % 2]}" for k in range(30_000)]
    path.write_text("month,size,label\n" + "\n".join(lines))
    assert path.stat().st_size > SAMPLE_BYTES
    kinds = [column.kind for column in read_data(path, "label").schema.columns]
    assert kinds == ["date", "number"]
