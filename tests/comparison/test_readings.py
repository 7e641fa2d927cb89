"""Columns as people write them, each with the reading that a careful person would give."""

from __future__ import annotations

import datetime

import numpy as np
import pandas as pd
import pytest

from uneven.comparison import InputError
from uneven.comparison.conversion import one_column
from uneven.comparison.dates import find_date_style, parse_dates
from uneven.comparison.datestyles import ALSO, ORDERS, DateStyle
from uneven.comparison.reading import read_column
from uneven.comparison.schema import Schema
from uneven.comparison.schemafile import decide


def day(text: str) -> float:
    return (datetime.date.fromisoformat(text) - datetime.date(1970, 1, 1)).days


def read(name: str, cells: list[str]) -> tuple:
    """Kind, form, remarks and the values of a column."""
    values = pd.Series(cells, name=name)
    reading = read_column(values)
    (column,) = Schema.of(values.to_frame(), {name: reading}).columns
    return reading, one_column(values, column).tolist()


DATES = [
    ("when", ["2024-W05", "2024-W06"], "week", ["2024-01-29", "2024-02-05"]),
    ("when", ["2020-W53-7", "2021-W01-1"], "week", ["2021-01-03", "2021-01-04"]),
    ("Woche", ["KW 1/2024", "KW 2/2024"], "week year", ["2024-01-01", "2024-01-08"]),
    ("q", ["Q1 2023", "Q4/2023"], "quarter year", ["2023-01-01", "2023-10-01"]),
    ("h", ["2023H1", "2023-H2"], "half-year", ["2023-01-01", "2023-07-01"]),
    ("month", ["Jan-20", "Dez-23"], "name yy", ["2020-01-01", "2023-12-01"]),
    ("month", ["Mai '20", "Jun '20"], "name yy", ["2020-05-01", "2020-06-01"]),
    ("expires", ["07/25", "11/26"], "month yy", ["2025-07-01", "2026-11-01"]),
    ("when", ["10/Oct/2000", "11/Oct/2000"], "day name", ["2000-10-10", "2000-10-11"]),
    ("when", ["2024-01-31", "13.02.2024"], f"iso{ALSO}dmy", ["2024-01-31", "2024-02-13"]),
    ("when", ["5 May 2024", "05/31/2024"], f"day name{ALSO}mdy", ["2024-05-05", "2024-05-31"]),
    ("datum", ["1. 2. 2024", "13. 12. 2024"], "dmy", ["2024-02-01", "2024-12-13"]),
    ("datum", ["1. 2. 24", "13. 12. 24"], "dmy", ["2024-02-01", "2024-12-13"]),
    ("date", ["２０２４-01-31", "2024-02-01"], "iso", ["2024-01-31", "2024-02-01"]),
]


@pytest.mark.parametrize(("name", "cells", "order", "days"), DATES)
def test_dates(name, cells, order, days):
    reading, found = read(name, cells)
    assert (reading.kind, reading.form["order"]) == ("date", order)
    assert found == [day(text) for text in days]


@pytest.mark.parametrize(
    "cell",
    [
        "10/Oct/2000:13:55:36 +0200",
        "10 Oct 2000 11:55:36 Z",
        "10 Oct 2000 06:55:36 GMT-5",
        "10.10.2000 13:55:36 +02:00",
        "2000-10-10T13:55:36+02:00",
        "2000/10/10 11:55:36 UTC",
    ],
)
def test_a_zone_moves_the_clock(cell):
    style = find_date_style(pd.Series([cell]))
    noon = day("2000-10-10") + (11 * 3600 + 55 * 60 + 36) / 86400
    assert parse_dates(pd.Series([cell]), style) == pytest.approx([noon], abs=1e-9)


def test_two_ways_are_said_and_a_doubtful_one_is_not_guessed():
    reading, _ = read("when", ["2024-01-31", "13.02.2024"])
    assert reading.remarks == ("its dates are written in several ways: the year first and days "
                               "first",)  # fmt: skip
    reading, _ = read("when", ["2024-01-31", "02/03/2024", "5 May 2024"])
    assert reading.kind == "category"
    reading, _ = read("when", ["2024-01-31", "13/03/2024", "03/14/2024"])
    assert reading.kind == "category"


@pytest.mark.parametrize("week", ["2024-W53", "2024-W00", "W54/2024"])
def test_a_year_has_no_such_week(week):
    assert find_date_style(pd.Series([week])) is None


@pytest.mark.parametrize(
    ("name", "numbers", "unit"),
    [
        ("ts", [1.7e9, 1.6e9], "seconds"),
        ("createdAt", [1_700_000_000_000, 1_600_000_000_000], "milliseconds"),
        ("event_time", ["1700000000.25", "1600000000.5"], "seconds"),
    ],
)
def test_moments_counted_from_1970(name, numbers, unit):
    reading, days = read(name, numbers)
    assert (reading.kind, reading.form["order"]) == ("date", unit)
    assert reading.remarks == (f"its numbers are read as {unit} since 1970",)
    assert days[1] == pytest.approx(18518.5185, abs=1e-3)


@pytest.mark.parametrize(
    ("name", "numbers"),
    [
        ("amount", [1.7e9, 1.6e9]),
        ("phone_on_file", [1_700_000_000, 1_600_000_000]),
        ("population", [1_700_000_000, 1_600_000_000]),
        ("event_time", [1_700_000_000, 12.0]),
        ("event_time", [4_000_000_000, 3_900_000_000]),
        ("station", [1_700_000_000, 1_600_000_000]),
    ],
)
def test_large_numbers_that_are_none(name, numbers):
    assert read(name, numbers)[0].kind == "number"


NUMBERS = [
    (["４２，５", "１，０"], {"decimal": ","}, [42.5, 1.0]),
    (["٣٤", "٥"], {}, [34.0, 5.0]),
    (["1.5", "2,5", "1.234,50"], {"decimal": ".,"}, [1.5, 2.5, 1234.5]),
    (["3/5", "4/5", "1 /5"], {"unit": "/5"}, [3.0, 4.0, 1.0]),
    (["12/min", "14 /min"], {"unit": "/min"}, [12.0, 14.0]),
    (["82", "83", "84", "85+"], {}, [82.0, 83.0, 84.0, 85.0]),
    (["1", "2", "3", "4 or more"], {}, [1.0, 2.0, 3.0, 4.0]),
    (["1 kg", "10 lb"], {"unit": "kg"}, [1.0, 4.5359237]),
    (["1 ft", "2 m", "3 in"], {"unit": "m"}, [0.3048, 2.0, 0.0762]),
    (["100.00 CR", "20.50 DR"], {"unit": "CR"}, [100.0, -20.5]),
    (["PT1H30M", "P1DT0H"], {"unit": "h:m"}, [1.5, 24.0]),
    (["1.2K", "3M", "950"], {"unit": "1"}, [1200.0, 3e6, 950.0]),
    (["1", "2+", "3-", "2", "4"], {"unit": "+/-"}, [1.0, 2.0, 3.0, 2.0, 4.0]),
    (["14.2", "9.8-", "3.1"], {}, [14.2, -9.8, 3.1]),
    (["CHF 1’234.–", "CHF 9’250.50"], {"unit": "CHF"}, [1234.0, 9250.5]),
    (["₹12,34,567/-", "₹ 2,345.50/-"], {"unit": "₹"}, [1234567.0, 2345.5]),
    (["1 234:-", "250:-"], {}, [1234.0, 250.0]),
    (["¥1,234", "￥2,345"], {"unit": "¥"}, [1234.0, 2345.0]),
    (["1y 3m", "2y 11m"], {"unit": "h:m"}, [10957.5, 25567.5]),
    (["3 yrs 2 mos", "1 yr 11 mos"], {"unit": "h:m"}, [27759.0, 16801.5]),
    (["18 mths", "2 yrs"], {"unit": "s"}, [47336400.0, 63115200.0]),
    (["1:30.000", "2:03", "59.4"], {"unit": "m:s"}, [0.025, 123.0 / 3600.0, 59.4 / 3600.0]),
]


def test_months_beside_years_are_told_from_minutes():
    assert read("left", ["2y 3m", "1y 1m", "11m"])[0].kind == "category"
    assert read("left", ["5d 3m", "2d 10m"])[1] == pytest.approx([120.05, 48.0 + 1.0 / 6.0])


@pytest.mark.parametrize(("cells", "form", "values"), NUMBERS)
def test_numbers(cells, form, values):
    reading, found = read("x", cells)
    assert reading.kind == "number"
    assert {key: reading.form[key] for key in form} == form
    assert found == pytest.approx(values)


@pytest.mark.parametrize(
    ("cells", "remark"),
    [
        (["82", "83", "84", "85+"], "'85+' is read as the number in it"),
        (["3/5", "4/5"], "'3/5' is read as 3"),
        (["1", "2+", "3-", "2", "4"], "'2+', '3-' are read as the numbers in them"),
        (["1.5", "2,5"], "'.' and ',' are both decimal marks"),
        (["5 CR", "6 DR"], "'6 DR' is read as -6"),
    ],
)
def test_a_guess_is_said(cells, remark):
    assert remark in read("x", cells)[0].remarks


OTHERS = {
    "ids": ["A-1001", "A-1002", "B-2001"],
    "part numbers": ["MAR-12A", "JAN-07", "KX-14"],
    "versions": ["1.2.3", "1.10.0", "2.0.1"],
    "house numbers": ["12-14", "7", "3a"],
    "ratios": ["1:2", "3:4", "16:9"],
    "fractions": ["1/2", "3/4", "7/8"],
    "pressures": ["120/80", "135/85", "110/70"],
    "phone numbers": ["+49 30 901820", "030/901820", "(030) 901820"],
    "ranges": ["18-24", "25-34", "45+"],
    "sizes": ["4x6", "5x7", "8x10"],
    "codes with letters": ["2024A1", "2024B2", "2023H7"],
    "seats": ["12A", "14C", "3B"],
    "places": ["48.10, 11.50", "52.50, 13.40"],
    "postal codes": ["01067", "10115", "80331"],
    "marks and thousands": ["1.5", "2,5", "1,234"],
    "blood groups": ["0+", "A+", "B-"],
    "chapters": ["1.1.1", "1.1.2", "2.3.1"],
    "addresses": ["192.168.0.1", "10.0.0.7"],
    "days of the month": ["1st", "2nd", "3rd"],
    "years of two seasons": ["2019/20", "2020/21"],
}


@pytest.mark.parametrize("name", OTHERS)
def test_codes_are_no_numbers_and_no_dates(name):
    reading, found = read("x", OTHERS[name])
    assert reading.kind == "category"
    assert found == OTHERS[name]


def test_a_short_month_needs_a_name_that_tells():
    assert read("progress", ["07/25", "11/26"])[0].kind == "category"
    assert read("months", ["7/25", "11/25"])[0].form == {"unit": "/25"}


def test_times_and_scores_keep_their_reading():
    assert read("start", ["09:30", "17:45"])[1] == [9.5, 17.75]
    assert read("score", ["3:2", "0:1"])[0].kind == "category"


@pytest.mark.parametrize(
    "mark", ["TBD", "n.c.", "Don't know", "Prefer not to say", "keine Antwort"]
)
def test_answers_that_were_not_given(mark):
    reading, found = read("age", [*map(str, range(30, 50)), mark])
    assert reading.kind == "number"
    assert np.isnan(found[-1])
    assert read("age group", ["young", "old", mark])[1][-1] == mark


def test_words_that_are_answers_are_kept():
    assert read("loan", ["yes", "no", "declined"])[0].kind == "category"


def test_a_word_beside_many_numbers_is_missing_and_said():
    cells = [str(j) for j in range(12)] + ["closed"] * 10
    reading, found = read("visitors", cells)
    assert reading.kind == "number"
    assert np.isnan(found[-1])
    assert reading.remarks == ("'closed' (10 rows) counts as missing",)
    assert read("visitors", cells + ["closed"] * 3)[0].kind == "category"


def test_orders_of_a_schema_are_checked():
    for order in (*ORDERS, f"iso{ALSO}dmy"):
        decide({"columns": {"when": {"order": order}}})
    with pytest.raises(InputError, match="dmy"):
        decide({"columns": {"when": {"order": f"iso{ALSO}dym"}}})


def test_styles_come_back_from_plain_data():
    for style in (DateStyle(f"iso{ALSO}dmy", latest=2030), DateStyle("week")):
        assert DateStyle.from_dict(style.to_dict()) == style
