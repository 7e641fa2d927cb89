"""Figures that hold on new rows: groups, time, a test table, small classes, leaks."""

from __future__ import annotations

import json
import re
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from uneven import compare
from uneven.cli import run
from uneven.comparison import InputError, make_problem
from uneven.comparison.folds import fold_notes, past_folds, possible_folds, stratified_folds
from uneven.comparison.leaks import leak_notes

QUICK = {"methods": ["combo", "logistic_regression"], "rounds": 5, "refit": False}
WORDS = ["--methods", "combo,logistic_regression", "--rounds", "5", "--n-jobs", "1"]


def visits(patients: int = 60, each: int = 15) -> pd.DataFrame:
    """Patients with labels that have nothing to do with their columns."""
    rng = np.random.default_rng(0)
    patient = np.repeat(np.arange(patients), each)
    sick = rng.permutation(np.arange(patients) % 2)[patient]
    centre = rng.normal(size=(patients, 4))[patient]
    frame = pd.DataFrame(centre + 0.05 * rng.normal(size=centre.shape), columns=list("abcd"))
    return frame.assign(patient_id=patient, sick=np.where(sick, "yes", "no"))


def balanced(found) -> float:
    return max(method.mean("balanced_accuracy") for method in found.methods)


def by_command(tmp_path: Path, frame: pd.DataFrame, target: str, *words: str):
    """Balanced accuracies by method, of the command line."""
    frame.to_csv(tmp_path / "table.csv", index=False)
    out = tmp_path / "out"
    where = [str(tmp_path / "table.csv"), "-t", target, "--out", str(out)]
    assert run(["compare", *where, *WORDS, *words]) == 0
    raw = json.loads((out / "results.json").read_text(encoding="utf-8"))
    scores = {m["name"]: np.nanmean(m["scores"]["balanced_accuracy"]) for m in raw["methods"]}
    return scores, raw


@pytest.mark.slow
def test_a_group_leak_warns_and_groups_bring_it_to_chance(tmp_path):
    frame = visits()
    leaked = compare(frame, "sick", methods="random_forest", cv=3, refit=False)
    assert balanced(leaked) > 0.95
    warning = next(text for text in leaked.warnings if "looks like a group" in text)
    assert "60 values of 15 rows" in warning
    assert "groups='patient_id' measures" in warning
    grouped = compare(frame, "sick", groups="patient_id", **QUICK)
    assert 0.3 < balanced(grouped) < 0.65
    assert not any("looks like a group" in text for text in grouped.warnings)
    scores, _ = by_command(tmp_path, frame, "sick", "--groups", "patient_id")
    assert max(scores.values()) == pytest.approx(balanced(grouped), abs=1e-9)
    array = compare(frame.drop(columns="patient_id"), "sick", groups=frame["patient_id"], **QUICK)
    assert balanced(array) == pytest.approx(balanced(grouped))


@pytest.mark.slow
def test_groups_whose_labels_vary_but_whose_rows_agree_draw_a_warning(tmp_path):
    """Two thirds of the visits of a patient have the same label, which the columns do not tell."""
    frame = visits()
    flip = np.random.default_rng(1).random(len(frame)) < 0.2
    frame["sick"] = np.where(flip, "yes", frame["sick"])
    warning = " ".join(
        text
        for text in compare(frame, "sick", methods="logistic_regression", refit=False).warnings
        if "'patient_id' looks like a group" in text
    )
    known, new = re.findall(r"0\.\d\d", warning)
    assert "which resemble each other" in warning
    assert float(known) > 0.75
    assert float(new) < 0.65


@pytest.mark.slow
def test_numbers_that_go_together_are_no_groups():
    rng = np.random.default_rng(0)
    age = rng.integers(20, 60, 400)
    frame = pd.DataFrame({"age": age, "birth": 2020 - age, "months": 12 * age + 1})
    y = np.where(age + 10 * rng.normal(size=400) > 40, "a", "b")
    assert not any("group" in text for text in compare(frame, y, **QUICK).warnings)


def test_age_is_no_group():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"age": rng.integers(20, 60, 300), "x": rng.normal(size=300)})
    y = np.where(frame["x"] + rng.normal(size=300) > 0, "a", "b")
    assert not any("group" in text for text in compare(frame, y, **QUICK).warnings)


@pytest.mark.slow
def test_a_column_that_tells_the_class_is_named_with_both_figures():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"x": rng.normal(size=200), "z": rng.normal(size=200)})
    y = np.where(frame["x"] + rng.normal(size=200) > 0, "a", "b")
    frame["paid_back"] = np.where(y == "a", "later", "never")
    found = compare(frame, y, **QUICK)
    warning = next(text for text in found.warnings if "predicts the class alone" in text)
    assert "'paid_back'" in warning
    assert "balanced accuracy 1.00" in warning
    silent = compare(frame, y, diagnosis=False, **QUICK)
    assert not any("predicts the class alone" in text for text in silent.warnings)


def test_a_class_of_few_rows_does_not_hide_a_leak():
    rng = np.random.default_rng(0)
    x = rng.normal(size=(200, 2))
    y = np.where(x[:, 0] + rng.normal(size=200) > 1.0, "fraud", "ok")
    frame = pd.DataFrame({"x": x[:, 0], "z": x[:, 1], "closed": np.where(y == "ok", "n", "y")})
    y[:3] = ["odd", "odd", "single"]
    notes = leak_notes(make_problem(frame.assign(kind=y), "kind"), {})
    assert len(notes) == 1
    assert "column 'closed' predicts the class alone (balanced accuracy 1.00;" in notes[0]


def changed_in_may(written: str) -> tuple[pd.DataFrame, pd.DatetimeIndex]:
    """What x means turns round in May; and the days as written in the table."""
    rng = np.random.default_rng(0)
    n = 240
    days = pd.Timestamp("2020-01-01") + pd.to_timedelta(rng.permutation(n), unit="D")
    late = np.asarray(days > pd.Timestamp("2020-05-01"))
    x = rng.normal(size=n)
    y = np.where((x > 0) != late, "a", "b")
    return pd.DataFrame({"x": x, "when": days.strftime(written), "label": y}), days


@pytest.mark.slow
def test_time_learns_from_the_past(tmp_path):
    frame, days = changed_in_may("%Y-%m-%d")
    mixed = compare(frame, "label", methods="combo", rounds=20, refit=False, diagnosis=False)
    past = compare(frame, "label", time="when", **QUICK)
    assert balanced(past) < balanced(mixed) - 0.1
    scores, _ = by_command(tmp_path, frame, "label", "--time", "when")
    assert max(scores.values()) == pytest.approx(balanced(past), abs=1e-9)
    for train, test in past_folds(
        make_problem(frame, "label"), days.day_of_year.to_numpy(float), 4
    ):
        assert days[train].max() < days[test].min()


@pytest.mark.slow
@pytest.mark.parametrize("written", ["%Y-%m-%d", "%d.%m.%Y", "%m/%d/%Y"])
def test_days_are_in_order_however_they_are_written(written):
    frame, days = changed_in_may(written)
    past = compare(frame, "label", time="when", **QUICK)
    array = compare(frame, "label", time=days, **QUICK)
    assert balanced(array) == pytest.approx(balanced(past))


def test_time_needs_times(tmp_path):
    frame = visits(10, 4).assign(word=["soon", "later"] * 20)
    with pytest.raises(InputError, match="time 'word' holds neither dates nor numbers"):
        compare(frame, "sick", time="word", **QUICK)
    with pytest.raises(InputError, match="did you mean 'word'"):
        compare(frame, "sick", time="wort", **QUICK)


@pytest.mark.slow
def test_a_test_table_is_answered_for_and_not_learnt_from(tmp_path, capsys):
    frame = visits(40, 5).assign(price=[f"${i % 9},{i % 7}00.50" for i in range(200)])
    learn, check = frame.iloc[:150], frame.iloc[150:].assign(sick="no")
    check.iloc[0, check.columns.get_loc("sick")] = "perhaps"
    check.to_csv(tmp_path / "test.csv", index=False)
    choices = {"drop": "patient_id", **QUICK, "refit": True}
    found = compare(learn, "sick", test=check, **choices)
    assert found.predictions.shape == (50, 2)
    assert found.best_model().classes_.tolist() == ["no", "yes"]
    assert any("'perhaps'" in text for text in found.warnings)
    words = ("--drop", "patient_id", "--test", str(tmp_path / "test.csv"))
    scores, _ = by_command(tmp_path, learn, "sick", *words)
    assert max(scores.values()) == pytest.approx(balanced(found), abs=1e-9)
    pair = compare(learn, "sick", test=(check.drop(columns="sick"), check["sick"]), **choices)
    assert balanced(pair) == pytest.approx(balanced(found))
    with pytest.raises(InputError, match="lacks 1 of the 5 columns"):
        compare(learn, "sick", test=check.drop(columns="a"), **choices)
    assert run(["compare", "x.csv", "-t", "y", "--test", "nothing.csv"]) == 2


def small(*counts: int) -> pd.DataFrame:
    rng = np.random.default_rng(0)
    labels = np.repeat([f"c{k}" for k in range(len(counts))], counts)
    return pd.DataFrame(rng.normal(size=(len(labels), 3)), columns=list("xyz")).assign(label=labels)


@pytest.mark.slow
@pytest.mark.parametrize("counts", [(40, 3), (40, 1), (30, 20, 1, 1, 2), (3, 3), (2, 2), (2, 1)])
def test_small_classes_never_stop_a_run(tmp_path, counts):
    frame = small(*counts)
    found = compare(frame, "label", **QUICK)
    for method in found.methods:
        assert not method.errors
    named = " ".join(found.warnings)
    for k, count in enumerate(counts):
        if count == 1:
            assert f"'c{k}'" in named
    assert "cannot be evaluated" in named or 1 not in counts
    scores, _ = by_command(tmp_path, frame, "label")
    assert max(scores.values()) == pytest.approx(balanced(found), abs=1e-9)


@pytest.mark.slow
def test_every_method_learns_from_classes_of_one_row():
    found = compare(small(30, 20, 1, 2), "label", rounds=5, cv=3)
    for method in found.methods:
        assert not method.errors, method.errors


def test_nothing_can_be_held_out():
    with pytest.raises(InputError, match="no class of table has two rows"):
        compare(small(1, 1, 1), "label", **QUICK)


@settings(max_examples=60, deadline=None)
@given(st.lists(st.integers(1, 9), min_size=2, max_size=6), st.integers(2, 6), st.integers(1, 2))
def test_folds_hold_every_row_out_once_but_for_single_ones(counts, folds, repeats):
    frame = small(*counts)
    problem = make_problem(frame, "label", keep=list("xyz"))
    if max(counts) < 2:
        return
    pairs = stratified_folds(problem, folds, repeats, 0)
    held = np.bincount(np.concatenate([test for _, test in pairs]), minlength=len(frame))
    single = np.isin(problem.y, problem.classes[problem.class_counts == 1])
    assert (held == np.where(single, 0, repeats)).all()
    for train, test in pairs:
        assert set(train) | set(test) == set(range(len(frame)))
        assert not set(train) & set(test)
        assert set(problem.y[train]) == set(problem.classes)
    assert possible_folds(problem, folds) <= folds
    short = (problem.class_counts < min(folds, max(counts))).any()
    assert bool(fold_notes(problem, folds)) == (short or max(counts) < folds)
