"""Printed and measured numbers, claims, tests and records."""

from __future__ import annotations

import json

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from published.tests import toy
from scipy import stats

from uneven.comparison import InputError
from uneven_published import (
    Claim,
    Exhibit,
    Measured,
    Run,
    Significance,
    build_record,
    catalogue,
    choose,
    harvest,
    measured_part,
    plan,
    record_of,
    run_cells,
)
from uneven_published.claims import (
    alike,
    asked,
    average,
    best,
    compare,
    counted,
    within,
)
from uneven_published.numbers import Summary, printed_curve, printed_table
from uneven_published.runner import Harvest
from uneven_published.significance import compare_columns

TABLE = printed_table("set | A | B\nx | 1 | 2\ny | 3 | 2\nz | 1 | -", "error")


@pytest.fixture(scope="module")
def record(tmp_path_factory):
    run = Run(tmp_path_factory.mktemp("cells"), n_jobs=1, made={"date": "d"}, download=False)
    run_cells(plan([toy.exhibit()], fast=True), run)
    part = measured_part(harvest(toy.exhibit(), run), fast=True, missing={"gone": "why"}, failed={})
    return build_record(toy.exhibit(), part)


def value(record, row, column, measure):
    places = [(v["row"], v["column"], v["measure"]) for v in record["values"]]
    return record["values"][places.index((row, column, measure))]


def test_marks_deviations_and_empty_cells_are_read():
    table = printed_table("s | A: norm | B: err\nwine & co | .5±.25↓ | 61.28 ± 9.35", None)
    norm = table.values["wine & co", "A", "norm"]
    assert (norm.mean, norm.deviation, norm.mark) == (0.5, 0.25, "↓")
    assert table.values["wine & co", "B", "err"].deviation == 9.35
    assert TABLE.mean("z", "B", "error") is None


@pytest.mark.parametrize("line", ["x | 1", "x | 1 | 2 | 3", "x | one | 2", "x | 1.2.3 | 2"])
def test_a_table_that_cannot_be_read_is_refused(line):
    with pytest.raises(ValueError, match=r"headings|not a printed number"):
        printed_table(f"set | A | B\n{line}", "error")


def test_a_printed_point_must_lie_on_the_axis():
    with pytest.raises(ValueError, match="15"):
        printed_curve("r", "c", "m", (0, 10), {15: 0.5})


@settings(max_examples=50, deadline=None)
@given(st.lists(st.floats(-1e6, 1e6), min_size=1, max_size=20), st.integers(0, 5))
def test_a_summary_is_that_of_numpy_without_the_gaps(values, gaps):
    summary = Summary.of(np.array([*values, *[np.nan] * gaps]))
    assert summary.n == len(values)
    assert summary.mean == pytest.approx(np.mean(values), rel=1e-9, abs=1e-6)
    if len(values) > 1:
        assert summary.deviation == pytest.approx(np.std(values, ddof=1), rel=1e-6, abs=1e-6)
    else:
        assert np.isnan(summary.deviation)


def test_repetitions_are_joined_along_the_samples():
    cells = [("x", {"A": {"m": [1.0, 2.0], "c": [[0.0, 1.0]]}}), ("x", {"A": {"m": 3.0}})]
    found = Measured.gather(cells)
    assert found.values["x", "A", "m"].samples.tolist() == [1.0, 2.0, 3.0]
    assert found.values["x", "A", "c"].mean.tolist() == [0.0, 1.0]
    assert found.mean("x", "B", "m") is None


@pytest.mark.parametrize(
    ("check", "held", "detail"),
    [
        (compare("A", "B", "error"), False, "1 of 2 rows; not y"),
        (compare("A", "B", "error", at_least=1), True, "1 of 2 rows; not y"),
        (compare("A", "B", "error", ">", rows=("y",)), True, "3 and 2"),
        (compare("A", "B", "error", rows=("y",)), False, "3 and 2"),
        (
            compare("A", "B", "error", rows=("x",), at_least=7),
            None,
            "only 1 row, 7 are spoken of",
        ),
        (compare("A", "C", "error"), None, "no numbers"),
        (compare("A", "B", "error", at_least=3), None, "only 2 rows, 3 are spoken of"),
        (compare("A", "A", "error"), False, "0 of 3 rows; not x, y, z"),
        (compare("A", "A", "error", "<="), True, "3 of 3 rows"),
        (best("A", "error", "lower"), False, "1 of 2 rows; not y"),
        (best("A", "error", "higher", rows=("y",)), True, "3; best of the others 2"),
        (best("A", "error", "lower", among=("B",), rows=("y",)), False, "3; best of the others 2"),
        (alike("A", "B", {"error": 0.5}), False, "0 of 2 rows; not x, y"),
        (alike("B", "A", {"error": 0.5}), False, "0 of 2 rows; not x, y"),
        (alike("A", "B", {"error": 1.0}), True, "2 of 2 rows"),
        (alike("A", "B", {"error": 1.0}, ("x",)), True, "1 and 2"),
        (within("A", "error", 0.5, 2.5, ("x",)), True, "1"),
        (compare("A", "B", "error", "<=", share=0.5), False, "1 of 2 rows; not y"),
        (compare("A", "B", "error", "<=", ("x",), share=0.4), False, "1 and 2"),
        (best("A", "error", "lower", among=("A",)), None, "no numbers"),
        (average("A", "B", "error"), False, "2 and 2, mean of 2 rows"),
        (average("A", "B", "error", "<="), True, "2 and 2, mean of 2 rows"),
        (average("A", "C", "error"), None, "no numbers"),
        (within("A", "error", 0.5, 2.5), False, "2 of 3 rows; not y"),
        (within("A", "error", high=3.0), True, "3 of 3 rows"),
        (asked((("x", "A", "error"),), lambda a: (a == 1, "it is one")), True, "it is one"),
        (asked((("x", "A", "error"),), lambda a: a == 2), False, ""),
        (asked((("z", "B", "error"),), lambda b: True), None, "no number for z, B, error"),
    ],
)
def test_claims_about_a_table(check, held, detail):
    verdict = check(TABLE)
    assert verdict.held is held
    assert verdict.detail == detail


def test_a_curve_that_cannot_be_read_is_no_number():
    curve = printed_curve("r", "c", "m", (0, 10), {})
    assert curve.mean("r", "c", "m") is None


def test_long_lists_of_exceptions_are_cut():
    verdict = counted({str(k): False for k in range(9)})
    assert verdict.detail.endswith("not 0, 1, 2, 3 and 5 more")


PAIRED = np.random.default_rng(0).normal(size=(2, 10)) + np.array([[0.0], [0.8]])
EXPECTED = {
    "student": lambda a, b, side: stats.ttest_rel(a, b, alternative=side).pvalue,
    "welch": lambda a, b, side: stats.ttest_ind(a, b, equal_var=False, alternative=side).pvalue,
    "rank_sum": lambda a, b, side: (
        stats.mannwhitneyu(a, b, alternative=side, method="asymptotic", use_continuity=False).pvalue
    ),
    "signed_rank": lambda a, b, side: stats.wilcoxon(a, b, alternative=side).pvalue,
}


@pytest.mark.parametrize("test", sorted(EXPECTED))
@pytest.mark.parametrize("side", ["two-sided", "less", "greater", "one-sided"])
def test_the_tests_of_the_sources(test, side):
    measured = Measured.gather([("x", {"A": {"error": PAIRED[0]}, "B": {"error": PAIRED[1]}})])
    rule = Significance(test, 0.05, ("error",), (("A", "B"),), side)
    (found,) = compare_columns(toy.exhibit(significance=rule), measured)
    if side == "one-sided":
        expected = min(EXPECTED[test](*PAIRED, way) for way in ("less", "greater"))
    else:
        expected = EXPECTED[test](*PAIRED, side)
    assert found.p == pytest.approx(expected)
    assert found.significant == (expected < 0.05)


@pytest.mark.parametrize("test", ["student", "welch"])
def test_constant_samples_need_no_distribution(test):
    same = {"A": {"error": [1.0, 1.0]}, "B": {"error": [1.0, 1.0]}, "C": {"error": [2.0, 2.0]}}
    measured = Measured.gather([("x", same)])
    rule = Significance(test, 0.05, ("error",), (("A", "B"), ("A", "C")))
    found = compare_columns(toy.exhibit(significance=rule), measured)
    assert [one.p for one in found] == [1.0, 0.0]


@pytest.mark.parametrize("test", ["student", "welch"])
@pytest.mark.parametrize(
    ("side", "expected"), [("less", [0.0, 1.0]), ("greater", [1.0, 0.0]), ("one-sided", [0.0, 0.0])]
)
def test_constant_samples_are_certain_on_one_side_only(test, side, expected):
    measured = Measured.gather([("x", {"A": {"error": [1.0, 1.0]}, "C": {"error": [2.0, 2.0]}})])
    rule = Significance(test, 0.05, ("error",), (("A", "C"), ("C", "A")), side)
    found = compare_columns(toy.exhibit(significance=rule), measured)
    assert [one.p for one in found] == expected


def _p_of_pairs(measured, test="student"):
    rule = Significance(test, 0.05, ("error",), (("A", "B"),))
    return [one.p for one in compare_columns(toy.exhibit(significance=rule), measured)]


@pytest.mark.parametrize("test", ["student", "signed_rank"])
def test_samples_are_paired_by_repetition_and_place(test):
    errors = np.random.default_rng(1).random((10, 2))
    lead = 0.1 + 0.01 * np.random.default_rng(2).random((10, 2))
    cells = [(r, {"A": {"error": errors[r]}}) for r in range(1, 10)]
    cells += [(r, {"B": {"error": errors[r] + lead[r]}}) for r in range(9)]
    repeats = [r for r, _ in cells]
    measured = Measured.gather([("x", answers) for _, answers in cells], repeats)
    shared = slice(1, 9)
    a, b = errors[shared].ravel(), (errors + lead)[shared].ravel()
    assert _p_of_pairs(measured, test) == pytest.approx([EXPECTED[test](a, b, "two-sided")])


def test_a_sample_that_does_not_exist_takes_its_partner_along():
    gaps = {"A": {"error": [np.nan, 2.0, 3.1, 4.0]}, "B": {"error": [1.0, 2.5, 3.3, np.nan]}}
    measured = Measured.gather([("x", gaps), ("x", {"A": {"error": [1.0, 9.0]}})])
    assert _p_of_pairs(measured) == [EXPECTED["student"]([2.0, 3.1], [2.5, 3.3], "two-sided")]
    assert (measured.values["x", "A", "error"].n, measured.values["x", "B", "error"].n) == (5, 3)
    unequal = {"A": {"error": [1.0, 2.0, 3.0]}, "B": {"error": [1.0, 4.0]}}
    assert _p_of_pairs(Measured.gather([("x", unequal)])) == []


def test_samples_of_records_without_repetitions_are_paired_by_place(record):
    kept = json.loads(json.dumps(record))
    assert any(one["repeats"] for one in kept["measured"]["values"])
    for one in kept["measured"]["values"]:
        del one["repeats"]
    assert record_of(toy.exhibit(), kept)["tests"] == record["tests"]
    kept["measured"]["values"][0]["samples"].pop()
    assert len(record_of(toy.exhibit(), kept)["tests"]) == len(record["tests"]) - 1


def test_samples_that_do_not_exist_and_repetitions_stay_in_a_record():
    answers = {"A": {"error": [np.nan, 2.0, 3.1]}, "B": {"error": [1.0, 2.5, 3.3]}}
    measured = Measured.gather([("wine", answers)], [4])
    part = measured_part(
        Harvest(measured, 1, 1, {"wine": 1}, 1.0, []), fast=False, missing={}, failed={}
    )
    text = json.dumps(build_record(toy.exhibit(), part), allow_nan=False)
    again = record_of(toy.exhibit(), json.loads(text))
    first = again["measured"]["values"][0]
    assert (first["samples"], first["repeats"], first["n"]) == ([None, 2.0, 3.1], [4, 4, 4], 2)
    (found,) = again["tests"]
    assert found["p"] == pytest.approx(EXPECTED["student"]([2.0, 3.1], [2.5, 3.3], "two-sided"))


def test_without_pairs_every_column_is_compared_with_the_best():
    errors = {"A": [3.0, 4.0], "B": [1.0, 2.0], "C": [5.0, 9.0]}
    answers = {name: {"error": [*few, *few, *few]} for name, few in errors.items()}
    rule = Significance("rank_sum", 0.02, ("error",))
    found = compare_columns(toy.exhibit(significance=rule), Measured.gather([("x", answers)]))
    assert {(one.first, one.second) for one in found} == {("A", "B"), ("C", "B")}


def test_differences_are_counted_in_printed_deviations(record):
    wine = value(record, "wine", "A", "error")
    apart = (wine["measured"]["mean"] - 0.5) / 0.1
    assert wine["apart"] == pytest.approx(apart, rel=1e-4)
    assert value(record, "glass & co", "A", "error")["apart"] is None
    assert value(record, "wine", "C", "error")["measured"] is None
    assert value(record, "glass & co", "B", "error")["printed"] is None


def test_a_printed_deviation_of_zero_measures_no_difference():
    exhibit = toy.exhibit(printed=printed_table("set | A\nwine | .50 ± .00", "error"))
    measured = Measured.gather([("wine", {"A": {"error": [0.7]}})])
    part = measured_part(
        Harvest(measured, 1, 1, {"wine": 1}, 1.0, []), fast=False, missing={}, failed={}
    )
    assert value(build_record(exhibit, part), "wine", "A", "error")["apart"] is None


def test_an_exhibit_shows_its_own_rows_and_columns_only(record):
    exhibit = toy.exhibit(
        columns=("A", "C"),
        rows=("wine",),
        claims=(Claim("A has the least.", best("A", "error", "higher")),),
    )
    part = record_of(exhibit, record)
    assert (part["rows"], part["columns"]) == (["wine", "glass & co"], ["A", "C", "B"])
    shown = {(v["row"], v["column"]) for v in part["values"] if v["measured"]}
    assert shown == {("wine", "A")}
    assert part["claims"][0]["measured"]["held"] is None
    assert part["tests"] == []


def test_a_record_tells_claims_of_the_print_and_of_the_measurement(record):
    first, second = record["claims"]
    assert (first["printed"]["held"], first["measured"]["held"]) == (True, True)
    assert first["measured"]["detail"] == "2 of 2 rows"
    assert (second["printed"]["held"], second["measured"]["held"]) == (True, None)
    assert all(test["significant"] for test in record["tests"])
    assert record["measured"]["missing"] == {"gone": "why"}


def test_a_record_survives_json_and_can_be_made_again_from_it(record):
    text = json.dumps(record, allow_nan=False)
    again = record_of(toy.exhibit(), json.loads(text))
    assert json.dumps(again) == text
    other = record_of(toy.exhibit(explanation="Because."), json.loads(text))
    assert other["explanation"] == "Because."
    assert other["values"] == json.loads(text)["values"]


def test_a_record_without_measurement_has_the_print_only():
    blank = build_record(toy.exhibit(), None)
    assert blank["measured"] is None
    assert all(one["measured"] is None for one in blank["values"])
    assert [claim["measured"]["held"] for claim in blank["claims"]] == [None, None]


def test_an_exhibit_must_say_why_it_is_not_run():
    with pytest.raises(ValueError, match="status_note"):
        Exhibit(toy.BOOK, "Table 2", "No", "impossible")
    with pytest.raises(ValueError, match="impossible"):
        Exhibit(toy.BOOK, "Table 2", "No", "original")
    assert Exhibit(toy.BOOK, "Table 2", "No", "impossible", "private").name == "toy-table-2"


def test_choosing_by_name_document_and_everything():
    every = [exhibit.name for exhibit in catalogue()]
    assert [exhibit.name for exhibit in choose(["all"])] == every
    for exhibit in catalogue():
        assert exhibit.name in [one.name for one in choose([exhibit.document.key])]
    with pytest.raises(InputError, match="--list"):
        choose(["no-such-table"])
