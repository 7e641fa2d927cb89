"""The stacking thesis: its printed tables, what it says about them, and what measures them anew."""

from __future__ import annotations

import pickle
from dataclasses import dataclass

import numpy as np
import pytest
from sklearn.datasets import load_wine
from sklearn.svm import SVC
from sklearn.utils import Bunch

from uneven.datasets.openml import RECIPES
from uneven_published import build_record
from uneven_published.claims import best, difference, each_row
from uneven_published.numbers import Printed, Value
from uneven_published.sen import EXHIBITS, printed, runs
from uneven_published.sen.runs import (
    DATA,
    EVERY_HINGE,
    SECONDS,
    SPLITS,
    Bench,
    DescentTraces,
    DiverseStacks,
    FixedSplits,
    Split,
    Stack,
    StrengthPaths,
    SVMStacks,
    rows_of,
    sample_rows,
)

UNTRUE_IN_PRINT = {
    "sen-table-4.2": {
        "MLR errs more than LS on all sets, WS",
        "Asked besides: so it does with 39 classifiers, WS",
    },
    "sen-table-4.6": {"l1-l2 keeps fewer than l1 on average, CWS"},
    "sen-table-4.3": {"Sparse weights cost less than a point on average, LSG l1"},
    "sen-table-5.2": {
        "The lowest error is that of a kernel that is not linear (below the linear ones)",
        "RBF errs less than the polynomial on average, least squares",
    },
    "sen-table-5.3": {
        "The lowest error is that of a kernel that is not linear (below the linear ones)",
        "RBF errs less than the polynomial on average, hinge",
        "RBF errs less than the polynomial on average, least squares",
    },
    "sen-table-5.4": {
        "The lowest error is that of a kernel that is not linear (below the linear one)",
    },
    "sen-table-6.2": {
        "The descent is faster than the exact solver on all sets, l2",
        "The descent is faster than the exact solver on all sets, l1",
    },
}
"""Sentences of the source that its own numbers contradict."""


@dataclass(frozen=True)
class Shelf:
    """A place that has one data set under every name."""

    data: Bunch

    def fetch(self, name):
        return self.data


@pytest.fixture(scope="module")
def shelf():
    return Shelf(load_wine())


@pytest.fixture(scope="module")
def stack():
    rng = np.random.default_rng(0)
    y = np.arange(60) % 3
    scores = rng.dirichlet(np.ones(3), (120, 4))
    scores[:, 0] += 0.6 * np.eye(3)[np.tile(y, 2)]
    scores[:, 1] += 0.3 * np.eye(3)[np.tile(y, 2)]
    scores /= scores.sum(axis=2, keepdims=True)
    return Stack(scores[:60], y, scores[60:], y, np.array(list("abcd")))


def exhibit(name):
    return next(one for one in EXHIBITS if one.name == f"sen-{name}")


# Printed numbers


def test_tables_that_repeat_columns_of_others_agree():
    for column in ("WS l2", "CWS l2", "LSG l2", "EW"):
        for row in DATA:
            assert printed.LOSSES.mean(row, column, "error") == printed.PENALTIES.mean(
                row, column, "error"
            )
    for row in DATA:
        assert printed.KERNELS.mean(row, "EW", "error") == printed.LOSSES.mean(row, "EW", "error")


def test_the_exact_columns_of_table_6_1_contradict_table_4_3_as_the_errata_say():
    differ = {
        column: [
            row
            for row in DATA
            if printed.DESCENTS.mean(row, column, "error")
            != printed.PENALTIES.mean(row, column, "error")
        ]
        for column in ("CWS l2", "CWS l1", "CWS l1-l2")
    }
    assert len(differ["CWS l2"]) == 7
    assert (differ["CWS l1"], differ["CWS l1-l2"]) == (["Yeast"], [])


@pytest.mark.parametrize(
    ("table", "key", "usual", "chance", "k"),
    [
        (printed.DESCENTS, ("Waveform", "MM l1-l2", "error"), 13.4, 66.9, 3),
        (printed.DESCENTS, ("Waveform", "MM l1", "error"), 13.8, 67.4, 1),
        (printed.COUNTS, ("Waveform", "CWS l1-l2", "kept"), 11.4, 130.0, 3),
        (printed.COUNTS, ("Waveform", "CWS l1", "kept"), 11.4, 130.0, 1),
    ],
)
def test_printed_means_and_deviations_are_mixtures_of_usual_and_failed_halves(
    table, key, usual, chance, k
):
    halves = np.array([chance] * k + [usual] * (10 - k))
    value = table.values[key]
    assert value.mean == pytest.approx(halves.mean(), rel=0.01)
    assert value.deviation == pytest.approx(halves.std(ddof=1), rel=0.02)


def test_the_polynomial_of_least_squares_is_always_linear_in_print():
    for table in (printed.FIXED_WS, printed.FIXED_CWS):
        for row in table.rows:
            assert table.mean(row, "LS Poly", "error") == table.mean(row, "LS Lin", "error")


@pytest.mark.parametrize(
    ("place", "letters"),
    [
        ("4.3", ["", "", "", "abd", "", "", "", ""]),
        ("4.5", ["ad", "", "ce", "bc", "abde", ""]),
        ("5.5", ["ab", "a", "", "a", "", "bc", "a", ""]),
        ("5.6", ["ab", "a", "ab", "a", "ab", "", "a", "a"]),
        ("5.7", ["", "*", "", "", "", "", "", "*"]),
        ("6.1", ["ac", "bc", "abc", "a", "a", "", "abc", "ac"]),
    ],
)
def test_marks_are_those_of_the_table_itself_on_the_first_column_compared(place, letters):
    one = exhibit(f"table-{place}")
    found = dict.fromkeys(one.printed.rows, "")
    pairs = dict(zip("abcde" if place != "5.7" else "*", one.significance.pairs))
    for (row, column, _), value in one.printed.values.items():
        found[row] += value.mark
        assert all(pairs[letter][0] == column for letter in value.mark)
    assert ["".join(sorted(marks)) for marks in found.values()] == letters
    assert ("star" if place == "5.7" else "letter") in one.protocol


def test_letters_without_a_column_are_refused():
    with pytest.raises(ValueError, match=r"no column for the letters \['z'\]"):
        printed.lettered(printed.COUNTS, {"a": "WS l1"}, {"Wine": "az"})


def test_printed_counts_become_percentages():
    table = exhibit("table-4.4").printed
    assert table.mean("Wine", "WS l1", "kept") == pytest.approx(100.0)
    assert table.values["Robot", "CWS l1-l2", "kept"].deviation == pytest.approx(3.5)
    assert max(value.mean for value in exhibit("table-4.6").printed.values.values()) <= 100.0


def test_claims_hold_in_print_but_for_those_that_are_known_not_to():
    for one in EXHIBITS:
        found = build_record(one, None)["claims"]
        wrong = {claim["text"] for claim in found if claim["printed"]["held"] is False}
        assert wrong == UNTRUE_IN_PRINT.get(one.name, set()), one.name
        if one.printed.values:
            asked = [claim for claim in found if "with 130 classifiers" not in claim["text"]]
            assert all(claim["printed"]["held"] is not None for claim in asked), one.name


# Descriptions


def test_protocols_say_what_departs_from_the_source():
    for one in EXHIBITS:
        data = {name for study in one.studies for item in study.items for name in item.data}
        for name, note in (("waveform", "another draw of the law"), ("segment", "18 of its 19")):
            assert (name in data) == (note in one.protocol), (one.name, name)
        assert len({claim.text for claim in one.claims}) == len(one.claims), one.name
    for place in ("4.2", "4.3", "4.4", "4.5", "4.6"):
        assert "Five times two halves" not in exhibit(f"figure-{place}").protocol
        assert "gap of 1e-3" in exhibit(f"figure-{place}").protocol
        first = f"from {exhibit(f'figure-{place}').plots[0].x[0]:g}"
        assert f"Strengths {first} to 10" in exhibit(f"figure-{place}").protocol
        assert first in exhibit(f"figure-{place}").claims[0].text


def test_every_table_and_figure_with_an_experiment_is_there():
    places = [one.place for one in EXHIBITS]
    tables = [f"Table {k}" for k in ("4.2", "4.3", "4.4", "4.5", "4.6", "6.1", "6.2")]
    tables += [f"Table 5.{k}" for k in range(2, 8)]
    figures = [f"Figure 4.{k}" for k in range(2, 8)] + [f"Figure 6.{k}" for k in range(5, 9)]
    assert sorted(places) == sorted(tables + figures)


def test_studies_can_be_sent_to_other_processes_and_name_known_data():
    found = {study.name: study for one in EXHIBITS for study in one.studies}
    assert len(found) == len({id(study) for one in EXHIBITS for study in one.studies})
    for study in found.values():
        assert pickle.loads(pickle.dumps(study.measure)) == study.measure
        assert all(name in RECIPES for item in study.items for name in item.data)
        assert study.fast_items is None or set(study.fast_items) <= {i.name for i in study.items}


def test_exhibits_show_what_they_print_and_only_that_is_asked():
    for one in EXHIBITS:
        if not one.studies:
            continue
        assert set(one.printed.columns) <= set(one.columns), one.name
        pairs = one.significance.pairs if one.significance else ()
        assert {column for pair in pairs for column in pair} <= set(one.columns)
        for plot in one.plots:
            assert set(plot.columns) <= set(one.columns)
            assert plot.measure in {measure.key for measure in one.measures}


# Checks


def test_checks_count_rows_and_differences():
    table = Printed(
        {
            ("x", "A", "error"): Value(1.0),
            ("x", "B", "error"): Value(2.0),
            ("y", "A", "error"): Value(5.0),
            ("y", "B", "error"): Value(2.0),
            ("z", "A", "error"): Value(9.0),
        }
    )
    assert best(("A",), "error", among=("B",), at_least=1)(table).held
    assert best(("A",), "error", among=("B",))(table).detail == "1 of 2 rows; not y"
    assert difference("A", "B", size_below=2.1)(table).held
    assert not difference("A", "B", size_below=2.0)(table).held
    assert difference("A", "B", below=1.1)(table).held
    assert not difference("A", "B", below=1.0)(table).held
    assert difference("B", "A", below=0.0)(table).held
    assert difference("A", "B", at_least=0.9)(table).held
    assert not difference("B", "A", at_least=1.1)(table).held
    assert difference("A", "C", at_least=1.0)(table).held is None
    assert each_row((("A", "error"), ("B", "error")), lambda a, b: a < b)(table).detail.startswith(
        "1 of 2"
    )


def test_differences_of_both_signs_do_not_cancel():
    table = Printed(
        {("x", "A", "error"): Value(12.0), ("y", "A", "error"): Value(2.0)}
        | {("x", "B", "error"): Value(2.0), ("y", "B", "error"): Value(12.0)}
    )
    found = difference("A", "B", size_below=1.0)(table)
    assert found.held is False
    assert found.detail == "+0.00 on average (10.00 in size), 2 rows"


def test_the_lowest_of_a_row_may_be_asked_strictly_and_in_pairs():
    table = Printed(
        {("x", "A", "error"): Value(2.0), ("x", "B", "error"): Value(2.0)}
        | {("x", "D", "error"): Value(1.0)}
    )
    assert best(("A",), "error", among=("B",))(table).held is True
    assert best(("A",), "error", among=("B",), strict=True)(table).held is False
    assert best(("A", "C"), "error", among=("B", "D"))(table).held is False
    assert best(("A", "C"), "error", among=("B", "D"), paired=True)(table).held is True
    assert best(("C",), "error", among=("D",), paired=True)(table).held is None


# Measuring


def test_rare_classes_are_left_out_and_samples_keep_the_classes_in_proportion():
    y = ["a"] * 40 + ["b"] * 20 + ["c"] * 5
    X, kept = rows_of(Bunch(data=np.arange(65.0)[:, None], target=y))
    assert np.bincount(kept).tolist() == [40, 20]
    few, labels = sample_rows(X, kept, 24, random_state=0)
    assert np.bincount(labels).tolist() == [16, 8]
    np.testing.assert_array_equal(labels, (few[:, 0] >= 40).astype(int))
    assert sample_rows(X, kept, 60, random_state=0)[0] is X


def test_a_cell_of_the_diverse_study_measures_every_column(shelf):
    measure = DiverseStacks(
        1,
        tuned={"CWS l2": EVERY_HINGE["CWS l2"], "CWS l1-l2": EVERY_HINGE["CWS l1-l2"]}
        | {"CWS l1": EVERY_HINGE["CWS l1"]},
        regressions={"MLR LSG": "lsg"},
        descents=True,
        kernels={"CWS RBF": ("cws", "rbf")},
        strengths=(0.01, 0.1),
        kernel_strengths=(0.01,),
        widths=(-1,),
    )
    found = measure("Wine", 3, shelf)
    again = runs.diverse_stack(*rows_of(shelf.data), 3, 1)
    own = 100.0 * np.mean(again.new_scores.mean(axis=1).argmax(axis=1) != again.new_y)
    assert found["EW"]["error"] == [pytest.approx(own)]
    assert {"MM l2", "MM l1-l2, λ = 1e-11", "CWS RBF", "MLR LSG"} <= set(found)
    assert found["CWS l2"]["kept"] == [100.0]
    assert found["CWS l1-l2"]["kept"][0] < 100.0
    assert all(found[name]["error"][0] < 10.0 for name in ("CWS l2", "CWS l1-l2", "CWS RBF"))
    assert np.isfinite(found["MM l2"]["seconds"]).all()


def test_the_studies_of_wide_combinations_leave_the_other_columns_alone(stack, shelf, monkeypatch):
    monkeypatch.setattr(runs, "diverse_stack", lambda X, y, k, n: stack)
    tuned = {"LSG l2": EVERY_HINGE["LSG l2"]}
    found = DiverseStacks(1, tuned, equal_weights=False, strengths=(0.1,))("Wine", 0, shelf)
    assert list(found) == ["LSG l2"]


def test_machines_see_a_sample(shelf, monkeypatch):
    seen = []

    def few(max_iter):
        seen.append(max_iter)
        return [("a", SVC()), ("b", SVC(kernel="linear"))]

    monkeypatch.setattr(runs, "svm_ensemble", few)
    measure = SVMStacks({"WS l2": EVERY_HINGE["WS l2"]}, 90, 50, strengths=(0.1,))
    found = measure("Wine", 1, shelf)
    assert seen == [50]
    assert set(found) == {"EW", "WS l2"}
    errors = found["EW"]["error"][0] * 45 / 100
    assert errors == pytest.approx(round(errors))


def test_strengths_are_chosen_by_the_rule_for_ties(stack):
    sure = np.tile(np.eye(3)[stack.y][:, None], (1, 2, 1))
    easy = Stack(sure, stack.y, sure, stack.y, stack.names[:2])
    strengths = {}
    for tie in ("smallest", "largest"):
        bench = Bench(easy, (0.01, 0.1), tie)
        bench.tuned("it", EVERY_HINGE["WS l2"])
        strengths[tie] = bench.found["it"].strength
    assert strengths == {"smallest": 0.01, "largest": 0.1}


def test_paths_keep_fewer_with_more_strength(stack, shelf, monkeypatch):
    monkeypatch.setattr(runs, "diverse_stack", lambda X, y, k, n: stack)
    measure = StrengthPaths(diverse=True, families=("CWS",), strengths=(0.001, 0.1, 10.0))
    found = measure("Robot", 0, shelf)
    assert list(found) == ["CWS l2", "CWS l1", "CWS l1-l2"]
    kept = found["CWS l1-l2"]["kept"]
    assert kept.shape == (1, 3)
    assert kept[0, 0] > kept[0, 1] > kept[0, 2] == 0.0
    assert found["CWS l2"]["kept"].tolist() == [[100.0] * 3]
    assert found["CWS l1-l2"]["accuracy"][0, :2].min() > 60.0


def test_sweeps_one_by_one_are_the_sweeps_of_a_whole_descent(stack, shelf, monkeypatch):
    monkeypatch.setattr(runs, "diverse_stack", lambda X, y, k, n: stack)
    found = DescentTraces(n_sweeps=6, strength=0.05)("Statlog", 0, shelf)
    for penalty in ("l2", "l1", "l1-l2"):
        whole = found[f"{penalty} OC"]["sweeps"]
        np.testing.assert_allclose(found[f"MM {penalty}"]["objective"], whole, rtol=1e-10)
        assert whole.shape == (1, 6)
        assert whole[0, -1] < whole[0, 0]
        assert found[f"{penalty} MC"]["timed"].shape == (1, len(SECONDS))
    assert found["MM l2"]["test"].shape == (1, 6)
    assert found["NT, equal start"]["kept"].min() == 100.0


def test_fixed_splits_take_the_first_rows_or_draw(shelf):
    X, y = rows_of(shelf.data)
    (train, _), (new, _) = Split("wine", 100, 78, as_filed=True).divide(X, y)
    np.testing.assert_array_equal(np.vstack([train, new]), X)
    (train, labels), _ = Split("wine", 100, 78, as_filed=False).divide(X, y)
    assert len(train) == 100
    assert np.ptp(np.bincount(labels) / np.bincount(y)) < 0.02
    assert {split.n_train for split in SPLITS.values()} == {3823, 4435, 1000, 2000}


def test_the_split_of_satellite_is_not_called_official():
    rows = {name: RECIPES[split.data].rows for name, split in SPLITS.items()}
    as_printed = [
        name for name, split in SPLITS.items() if split.n_train + split.n_test == rows[name]
    ]
    assert as_printed == ["optdigit", "segment", "waveform"]
    left = rows["satellite"] - SPLITS["satellite"].n_train
    assert f"the {left} that are left" in exhibit("table-5.4").protocol


def test_every_loss_and_kernel_of_a_fixed_split_is_measured(shelf, monkeypatch):
    split = Split("wine", 90, 88, as_filed=False)
    monkeypatch.setitem(SPLITS, "segment", split)
    measure = FixedSplits(
        "cws", {"Hinge": "hinge", "LS": "squared"}, (0.01,), widths=(-1,), degrees=(2,)
    )
    found = measure("segment", 0, shelf)
    assert set(found) == set(exhibit("table-5.3").columns) | {"EW"}
    assert max(one["error"][0] for one in found.values()) < 12.0
