"""Versions keep their names; numbers stay numbers."""

from __future__ import annotations

import pandas as pd
import pytest

from uneven.comparison.reading import read_column
from uneven.comparison.tables import read_table


@pytest.mark.parametrize(
    ("name", "cells"),
    [
        ("version", ["1.9", "1.10", "1.11"]),
        ("appVersion", ["2.1", "2.11", "3"]),
        ("Firmware", ["v1.2", "v1.10"]),
        ("x", ["1.8", "1.9", "1.10", "1.11", "2.0"]),
        ("x", ["0.8", "0.9", "0.10", "0.11"]),
        ("x", ["1.9", "1.10", "2.0.1"]),
    ],
)
def test_versions_are_categories(name, cells):
    found = read_column(pd.Series(cells, name=name))
    assert found.kind == "category"
    assert "holds versions such as" in found.remarks[0]


@pytest.mark.parametrize(
    ("name", "cells", "doubtful"),
    [
        ("price", ["2.5", "1.10", "4.75", "3"], True),
        ("price", ["2.50", "1.10", "4.75", "3.00"], False),
        ("version", ["1.5", "2.5", "3.0"], False),
        ("price", ["1.1", "1.10", "2.5", "2.50"], True),
        ("release_rate", ["12.5", "3.25"], False),
        ("version", ["1.234.567", "12.345", "999"], False),
        ("year", ["1999", "2000"], False),
    ],
)
def test_numbers_stay_numbers_and_doubt_is_said(name, cells, doubtful):
    found = read_column(pd.Series(cells, name=name))
    assert found.kind == "number"
    assert bool(found.remarks) == doubtful
    assert not doubtful or "'1.10' is read as 1.1" in found.remarks[0]


def test_a_person_may_say_that_they_are_numbers():
    cells = pd.Series(["1.9", "1.10", "1.11"], name="version")
    assert read_column(cells, given={"kind": "number"}).kind == "number"


def test_a_file_keeps_the_zeros_of_versions_however_late_they_come(tmp_path):
    path = tmp_path / "t.csv"
    cells = [f"1.{k % 9 + 1}" for k in range(2000)] + ["1.10", "1.11"]
    path.write_text("x,y\n" + "".join(f"{cell},a\n" for cell in cells))
    assert read_table(path)["x"].tolist()[-2:] == ["1.10", "1.11"]
