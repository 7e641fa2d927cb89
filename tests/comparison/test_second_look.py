"""Readings that a second look at ordinary tables asked for."""

import numpy as np
import pandas as pd
import pytest

from uneven.comparison import InputError, make_problem
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
