from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from uneven.comparison import InputError, make_problem, views_of_table
from uneven.comparison.viewfile import match_views


def frame_of(n=40, **columns):
    base = {"x": np.linspace(0, 1, n) ** 2, "label": ["a", "b"] * (n // 2)}
    return pd.DataFrame(base | columns)


def test_identifiers_are_left_out_unless_kept():
    frame = frame_of(
        row=range(1, 41),
        code=[f"id{i}" for i in range(40)],
        word=["w", "v"] * 20,
        day=[f"2024-01-{1 + i % 28:02d}" for i in range(40)],
        jump=np.arange(40) * 2,
    )
    problem = make_problem(frame, "label")
    assert problem.schema.names == ["x", "word", "day", "jump"]
    assert [note.split("'")[1] for note in problem.notes] == ["row", "code", "day"]
    kept = make_problem(frame, "label", keep=["row", "code"])
    assert kept.schema.names == ["x", "row", "code", "word", "day", "jump"]


def test_distinct_dates_are_no_identifiers():
    days = pd.date_range("2024-01-01", periods=40).astype(str)
    assert "day" in make_problem(frame_of(day=days), "label").schema.names


def test_drop_and_constant_columns():
    problem = make_problem(frame_of(same=1, gone=2), "label", drop=["gone"])
    assert problem.schema.names == ["x"]
    assert "'same' holds a single value and is left out (--keep same" in problem.notes[0]
    assert make_problem(frame_of(same=1), "label", keep=["same"]).schema.names == ["x", "same"]


def test_labels():
    floats = frame_of(label=[1.0, 2.0] * 20)
    floats.loc[0, "label"] = np.nan
    assert make_problem(floats, "label").classes.tolist() == [1, 2]
    halves = make_problem(frame_of(label=[0.5, 1.5] * 20), "label")
    assert halves.classes.tolist() == ["0.5", "1.5"]
    truth = make_problem(frame_of(label=[True, False] * 20), "label")
    assert truth.classes.tolist() == ["False", "True"]
    numbers = make_problem(frame_of(label=[10, 2, 1, 1] * 10), "label")
    assert numbers.classes.tolist() == [1, 2, 10]
    assert numbers.class_counts.tolist() == [20, 10, 10]


@pytest.mark.parametrize(
    ("pair", "classes"),
    [
        ([1e20, 2e20], [str(10**20), str(2 * 10**20)]),
        ([2**53, 2**53 + 1], [2**53, 2**53 + 1]),
        (pd.Series([2**64, 2**64 + 1] * 20, dtype=object), [str(2**64), str(2**64 + 1)]),
        (pd.Series([1, 2.5, 1.0, 2.5] * 10, dtype=object), ["1.0", "2.5"]),
    ],
)
def test_close_and_large_numbers_stay_apart(pair, classes):
    label = pair if isinstance(pair, pd.Series) else pair * 20
    assert make_problem(frame_of(label=label), "label").classes.tolist() == classes


def test_blanks_make_no_class():
    with pytest.raises(InputError, match=r"a single class \('a'\)"):
        make_problem(frame_of(label=["a", "a "] * 20), "label")


@pytest.mark.parametrize("cell", [[1, 2], {"a": 1}])
def test_nested_targets_are_refused(cell):
    with pytest.raises(InputError, match=f"holds {type(cell).__name__} objects"):
        make_problem(frame_of(label=pd.Series([cell] * 40)), "label")


@pytest.mark.parametrize("typed", [False, True])
def test_dates_that_never_come_are_missing_and_named(typed):
    cells = pd.Series(["2024-01-31", "9999-12-31"] * 20)
    cells = cells.astype("datetime64[us]") if typed else cells
    problem = make_problem(frame_of(day=cells), "label")
    assert problem.X["day"].isna().tolist() == [False, True] * 20
    assert any("9999-12-31" in note and "(20 rows)" in note for note in problem.notes)


def test_missing_share_counts_cells():
    problem = make_problem(frame_of(z=[None, 1.0] * 20), "label")
    assert problem.missing_share == pytest.approx(0.25)


def test_empty_and_wordy_columns_are_noted():
    words = [f"w{i % 55}" for i in range(80)]
    frame = frame_of(80, none=[None] * 80, wordy=words)
    problem = make_problem(frame, "label")
    notes = " ".join(problem.notes)
    assert problem.schema.names == ["x", "wordy"]
    assert "'none' is empty and is left out" in notes
    assert "'wordy' has 55 different texts in 80 rows" in notes
    assert "--drop" not in notes


def test_views_may_share_columns_and_keep_table_order():
    columns = ["b1", "a1", "a2"]
    assert match_views({"a": "a*", "all": ["*1", "a2"]}, columns) == {
        "a": ["a1", "a2"],
        "all": ["b1", "a1", "a2"],
    }


def test_view_names_with_brackets_are_taken_literally():
    assert match_views({"a": ["x[0]"]}, ["x[0]", "x0"]) == {"a": ["x[0]"]}


def test_view_must_be_text_or_list():
    with pytest.raises(InputError, match="must list column names"):
        match_views({"a": 3}, ["x"])


def test_no_views():
    assert views_of_table(None, ["a"]) is None
