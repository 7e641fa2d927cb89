"""Damaged and rewritten tables: a clear error or the right table, never a crash or a misreading."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.comparison.test_messy_tables import CASES, FOLDER, expected
from uneven.comparison import InputError, make_problem, read_table
from uneven.comparison.dates import find_date_style, parse_dates
from uneven.comparison.inputs import read_data
from uneven.comparison.numbers import find_number_style, parse_numbers

MUTANTS = int(os.environ.get("UNEVEN_MUTANTS", "25"))
SLOW = settings(
    max_examples=MUTANTS,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)

REWRITTEN = [
    name
    for name in CASES
    if expected(name)["file"].endswith((".csv", ".tsv")) and "copy" not in name
]
"""Tables of text; which of two copies is left out depends on the order of the columns."""

STYLES = {
    "us": (",", "."),
    "german": (".", ","),
    "french": ("\u202f", ","),
    "swiss": ("'", "."),
    "plain": ("", "."),
}


def written(value: float, style: str, unit: str, decimals: int) -> str:
    """A number as a person of some country writes it."""
    thousands, decimal = STYLES[style]
    text = f"{abs(value):,.{decimals}f}"
    text = text.replace(",", "\0").replace(".", decimal).replace("\0", thousands)
    text = ("-" if value < 0 else "") + text
    return f"{unit}{text}" if unit in ("$", "£") else f"{text} {unit}".strip()


@SLOW
@given(
    st.lists(st.integers(-(10**9), 10**9), min_size=3, max_size=30),
    st.sampled_from(sorted(STYLES)),
    st.sampled_from(["", "$", "€", "kg", "%"]),
    st.sampled_from([0, 1, 2, 4]),
)
def test_written_numbers_come_back(numbers, style, unit, decimals):
    values = np.array(numbers) / 10**decimals
    cells = pd.Series([written(value, style, unit, decimals) for value in values], dtype=object)
    found = find_number_style(pd.Series(cells.unique(), dtype=object))
    assert found is not None
    read = parse_numbers(cells, found)
    if found.doubtful:
        assert decimals == 0
    if style != "german" or not found.doubtful:
        np.testing.assert_allclose(read, values, rtol=1e-12)


@SLOW
@given(
    st.lists(
        st.dates(pd.Timestamp("1900-01-01").date(), pd.Timestamp("2100-01-01").date()), min_size=1
    ),
    st.sampled_from(
        ["%d.%m.%Y", "%m/%d/%Y", "%d/%m/%Y", "%Y-%m-%d", "%d %b %Y", "%B %d, %Y", "%Y/%m/%d"]
    ),
)
def test_written_dates_come_back(days, form):
    cells = pd.Series([day.strftime(form) for day in days], dtype=object)
    found = find_date_style(pd.Series(cells.unique(), dtype=object))
    truth = (pd.to_datetime(pd.Series(days)) - pd.Timestamp(0)).dt.days.to_numpy()
    assert found is not None
    read = parse_dates(cells, found)
    if found.doubtful:
        assert all(day.day <= 12 for day in days)
        assert "/" in form
    else:
        np.testing.assert_array_equal(read, truth)


@SLOW
@given(st.sampled_from(CASES), st.data())
def test_damaged_files_are_read_or_refused(tmp_path, name, data):
    told = expected(name)
    raw = bytearray((FOLDER / told["file"]).read_bytes())
    for _ in range(data.draw(st.integers(1, 3))):
        if not raw:
            break
        place = data.draw(st.integers(0, len(raw) - 1))
        way = data.draw(st.sampled_from(["change", "delete", "insert", "cut", "double"]))
        sign = data.draw(st.sampled_from(list(b"\x00\xff\"',;\t\n\r.-0aZ$%(\xe9 ")))
        if way == "change":
            raw[place] = sign
        elif way == "delete":
            del raw[place]
        elif way == "insert":
            raw.insert(place, sign)
        elif way == "cut":
            del raw[max(place, 1) :]
        else:
            raw[place:place] = raw[place : place + 40]
    path = tmp_path / Path(told["file"]).name
    path.write_bytes(bytes(raw))
    try:
        problem = read_data(path, told["target"])
    except InputError:
        return
    assert len(problem.X) == len(problem.y) > 0
    for column in problem.schema.of_kind("number", "boolean", "date"):
        assert problem.X[column].dtype == np.float64


@pytest.mark.slow
@SLOW
@given(
    st.sampled_from(REWRITTEN),
    st.sampled_from([",", ";", "\t", "|"]),
    st.sampled_from(["utf-8", "utf-8-sig", "utf-16", "cp1252"]),
    st.sampled_from(["\n", "\r\n"]),
    st.randoms(use_true_random=False),
)
def test_the_same_cells_written_otherwise_are_the_same_table(
    tmp_path, name, separator, encoding, newline, random
):
    told = expected(name)
    target, columns = told["target"], list(told["columns"])
    frame = read_table(FOLDER / told["file"], expected=[target], label=target, text_columns=columns)
    shuffled = random.sample(list(frame.columns), frame.shape[1])
    path = tmp_path / "other.csv"
    try:
        frame[shuffled].to_csv(
            path, index=False, sep=separator, encoding=encoding, lineterminator=newline
        )
    except UnicodeEncodeError:
        return
    frame.attrs.clear()
    options = {k: v for k, v in told.get("options", {}).items() if k == "keep"}
    before = make_problem(frame, target, **options)
    after = read_data(path, target, **options)
    assert set(before.schema.names) == set(after.schema.names)
    kinds = {column.name: column.kind for column in before.schema.columns}
    assert {column.name: column.kind for column in after.schema.columns} == kinds
    for column in before.schema.of_kind("number", "date", "boolean", "category"):
        pd.testing.assert_series_equal(before.X[column], after.X[column])


@pytest.mark.parametrize("cells", [["5x3", "4x3"], ["1/2", "3/4"], ["1.2.3", "4.5.6"], ["12-13"]])
def test_what_is_no_number_stays_text(cells):
    assert find_number_style(pd.Series(cells)) is None
    assert find_date_style(pd.Series(cells)) is None
