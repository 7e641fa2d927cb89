"""Cells: kept, found again, and counted once."""

from __future__ import annotations

import json
import os
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from published.tests import toy

from uneven_published import Item, Run, harvest, plan, run_cells
from uneven_published.cells import Cell, CellStore, Finished
from uneven_published.kept import count_kept
from uneven_published.runner import missing_rows

N_CELLS = 2 * toy.REPEATS


class Watching:
    """Observer that counts."""

    def __init__(self):
        self.ended = 0
        self.labels = set()

    def begin(self, label, step):
        self.labels.add(label)

    def round(self, number, total):
        raise AssertionError("cells have no rounds")

    def end(self, label):
        self.ended += 1


def finished_files(folder):
    return sorted(p for p in Path(folder).rglob("*.json") if not p.name.startswith("."))


def test_a_run_counts_every_cell_once_and_finds_them_again(tmp_path):
    run = Run(tmp_path, n_jobs=1, made={"date": "2000-01-01"}, download=False)
    cells = plan([toy.exhibit(), toy.exhibit()], fast=False)
    assert len(cells) == N_CELLS
    assert [cell.repeat for cell in cells] == sorted(cell.repeat for cell in cells)
    watching = Watching()
    assert run_cells(cells, run, watching) == ({}, {})
    assert watching.ended == N_CELLS
    assert watching.labels == {"toy: wine", "toy: glass & co"}
    times = {path: path.stat().st_mtime_ns for path in finished_files(tmp_path)}
    again = Watching()
    run_cells(cells, run, again)
    assert again.ended == N_CELLS
    assert times == {path: path.stat().st_mtime_ns for path in finished_files(tmp_path)}


def test_low_repetitions_of_all_exhibits_come_first():
    first = toy.exhibit(replace(toy.STUDY, name="first", repeats=3))
    second = toy.exhibit(replace(toy.STUDY, name="second", repeats=3))
    cells = plan([first, second], fast=False)
    assert [cell.repeat for cell in cells] == [0] * 4 + [1] * 4 + [2] * 4
    assert [cell.study.name for cell in cells[:4]] == ["first", "first", "second", "second"]


def test_a_harvest_is_in_the_order_of_items_and_repetitions(tmp_path):
    exhibit = toy.exhibit(replace(toy.STUDY, repeats=3))
    run = Run(tmp_path, n_jobs=1, download=False)
    late = [c for c in plan([exhibit], fast=False) if (c.item.name, c.repeat) != ("wine", 0)]
    run_cells(late[::-1], run)
    found = harvest(exhibit, run).measured
    assert found.rows == ("wine", "glass & co")
    assert found.values["wine", "A", "error"].repeats.tolist() == [1] * 5 + [2] * 5


def test_fast_cells_are_the_first_of_a_full_run(tmp_path):
    fast = {cell.place for cell in plan([toy.exhibit()], fast=True)}
    full = {cell.place for cell in plan([toy.exhibit()], fast=False)}
    assert len(fast) == 4
    assert fast < full


def test_a_smaller_study_stands_in_for_a_fast_run():
    small = replace(toy.STUDY, name="toy-small", items=(Item("wine"),), repeats=1)
    exhibit = toy.exhibit(replace(toy.STUDY, fast=small))
    assert [cell.place for cell in plan([exhibit], fast=True)] == ["toy-small/wine/0000.json"]
    assert len(plan([exhibit], fast=False)) == N_CELLS
    chosen = toy.exhibit(replace(toy.STUDY, fast_items=("wine",)))
    assert {cell.item.name for cell in plan([chosen], fast=True)} == {"wine"}


def test_answers_do_not_depend_on_the_number_of_processes(tmp_path):
    found = []
    for n_jobs in (1, 2):
        run = Run(tmp_path / str(n_jobs), n_jobs=n_jobs, fast=True, download=False)
        run_cells(plan([toy.exhibit()], fast=True), run)
        found.append(harvest(toy.exhibit(), run).measured.values)
    assert found[0].keys() == found[1].keys()
    for key, one in found[0].items():
        np.testing.assert_array_equal(one.mean, found[1][key].mean)


def test_harvest_joins_repetitions_in_the_order_of_the_study(tmp_path):
    run = Run(tmp_path, n_jobs=1, made={"date": "2000-01-01"}, download=False)
    run_cells(plan([toy.exhibit()], fast=True), replace(run, fast=True))
    part = harvest(toy.exhibit(), run)
    assert (part.done, part.planned) == (4, N_CELLS)
    assert part.repeats == {"wine": 2, "glass & co": 2}
    assert part.made == [{"date": "2000-01-01"}]
    assert part.measured.rows == ("wine", "glass & co")
    wine = part.measured.values["wine", "A", "error"]
    expected = [toy.measure("wine", repeat, None)["A"]["error"] for repeat in (0, 1)]
    np.testing.assert_allclose(wine.samples, np.concatenate(expected))
    assert wine.n == 10
    assert wine.repeats.tolist() == [0] * 5 + [1] * 5
    assert part.measured.values["wine", "A", "curve"].mean.shape == (4,)


WRONG = {"edition": 1, "item": "wine", "seconds": 1.0, "made": {}, "answers": {}}
DAMAGES = [
    *["", "{", "[]", "null", '{"edition": 1}'],
    *[json.dumps({**WRONG, "answers": wrong}) for wrong in (5, {"A": 3}, {"A": {"m": "abc"}})],
    *[json.dumps({**WRONG, "made": wrong}) for wrong in (None, 5)],
]


@pytest.mark.parametrize("damage", DAMAGES)
def test_a_damaged_cell_is_done_again(tmp_path, damage):
    run = Run(tmp_path, n_jobs=1, fast=True, download=False)
    cells = plan([toy.exhibit()], fast=True)
    run_cells(cells, run)
    path = tmp_path / cells[0].place
    whole = json.loads(path.read_text(encoding="utf-8"))
    path.write_text(damage, encoding="utf-8")
    assert run.store.load(cells[0]) is None
    run_cells(cells, run)
    assert json.loads(path.read_text(encoding="utf-8"))["answers"] == whole["answers"]


def test_a_new_edition_does_everything_again(tmp_path):
    run = Run(tmp_path, n_jobs=1, fast=True, download=False)
    run_cells(plan([toy.exhibit()], fast=True), run)
    newer = toy.exhibit(replace(toy.STUDY, edition=2))
    assert harvest(newer, run).done == 0
    run_cells(plan([newer], fast=True), run)
    assert harvest(newer, run).done == 4
    assert harvest(toy.exhibit(), run).done == 0


def test_a_cell_that_fails_is_named_and_the_rest_goes_on(tmp_path):
    study = replace(toy.STUDY, measure=toy.broken, repeats=3)
    run = Run(tmp_path, n_jobs=2, download=False)
    missing, failed = run_cells(plan([toy.exhibit(study)], fast=False), run)
    assert not missing
    assert set(failed) == {"toy: wine, repetition 2", "toy: glass & co, repetition 2"}
    assert "the second one cannot be done" in failed["toy: wine, repetition 2"]
    assert harvest(toy.exhibit(study), run).done == 4


def test_a_missing_data_set_is_named_and_the_rest_goes_on(tmp_path):
    items = (Item("wine"), Item("gone", ("no_such_set",)))
    exhibit = toy.exhibit(replace(toy.STUDY, items=items, repeats=2))
    run = Run(tmp_path / "cells", data=tmp_path, n_jobs=1, download=False)
    watching = Watching()
    missing, failed = run_cells(plan([exhibit], fast=False), run, watching)
    assert list(missing) == ["no_such_set"]
    assert not failed
    assert watching.ended == 4
    assert harvest(exhibit, run).repeats == {"wine": 2}
    assert missing_rows(exhibit, False, missing) == {"gone": "data set 'no_such_set' is missing"}


def test_odd_names_of_items_stay_inside_the_folder(tmp_path):
    run = Run(tmp_path, download=False)
    item = Item("../../up: S=80, η=0.5")
    cell = Cell(replace(toy.STUDY, items=(item,)), item, 0)
    run.store.save(cell, Finished({"A": {"error": np.float32(0.5)}}, 1.0, {}))
    path = (tmp_path / cell.place).resolve()
    assert path.is_file()
    assert path.is_relative_to(tmp_path.resolve())
    assert run.store.load(cell).answers == {"A": {"error": 0.5}}


def test_old_drafts_are_swept_and_young_ones_left(tmp_path):
    run = Run(tmp_path, n_jobs=1, fast=True, download=False)
    cells = plan([toy.exhibit()], fast=True)
    run_cells(cells, run)
    folder = (tmp_path / cells[0].place).parent
    old, young = folder / ".0000-0123abcd.json", folder / ".0001-0123abcd.json"
    for draft in (old, young):
        draft.write_text("{", encoding="utf-8")
    os.utime(old, (0, 0))
    run_cells(cells, run)
    assert not old.exists()
    assert young.exists()
    assert harvest(toy.exhibit(), run).done == 4


def test_items_that_would_share_a_folder_are_refused():
    with pytest.raises(ValueError, match="signs only"):
        replace(toy.STUDY, items=(Item("a/b"), Item("a b")))


def test_repetitions_of_a_row_that_two_studies_share_are_counted_once(tmp_path):
    second = replace(toy.STUDY, name="toy-too", measure=toy.other)
    exhibit = toy.exhibit(toy.STUDY, second)
    run = Run(tmp_path, n_jobs=1, fast=True, download=False)
    run_cells(plan([exhibit], fast=True), run)
    part = harvest(exhibit, run)
    assert part.repeats == {"wine": 2, "glass & co": 2}
    assert part.done == 8
    assert part.measured.columns == ("A", "B", "D")


def test_a_run_starts_from_kept_cells(tmp_path):
    cells = plan([toy.exhibit()], fast=False)
    first = Run(tmp_path / "first", download=False, kept=tmp_path / "kept")
    run_cells(cells[:-1], first)
    assert first.store.keep(cells) == N_CELLS - 1
    assert first.store.keep(cells) == 0, "none twice"
    second = Run(tmp_path / "second", download=False, kept=tmp_path / "kept")
    assert harvest(toy.exhibit(), second).done == N_CELLS - 1
    run_cells(cells, second)
    assert len(finished_files(tmp_path / "second")) == 1, "only the missing one is run"
    for cell in cells[:-1]:
        exact, kept = (run.store.load(cell).answers for run in (first, second))
        for column, measures in exact.items():
            for key, values in measures.items():
                np.testing.assert_allclose(kept[column][key], values, rtol=1e-5)


def test_kept_cells_of_an_older_edition_are_dropped(tmp_path):
    (study,) = toy.exhibit().studies
    cells = plan([toy.exhibit()], fast=False)
    run = Run(tmp_path / "cells", download=False, kept=tmp_path / "kept")
    run_cells(cells, run)
    run.store.keep(cells)
    kept = tmp_path / "kept"
    items = [item.name for item in study.items]
    assert count_kept(study.name, study.edition, items, study.repeats, kept) == N_CELLS
    one = count_kept(study.name, study.edition, items[:1], study.repeats, kept)
    assert 0 < one == study.repeats < N_CELLS, "an exhibit may show some of the items"
    newer = [replace(cell, study=replace(study, edition=study.edition + 1)) for cell in cells]
    assert all(run.store.load(cell) is None for cell in newer)
    run.store.save(newer[0], Finished({"a": {"error": [0.5]}}, 1.0, {}))
    assert run.store.keep(newer) == 1
    lines = (tmp_path / "kept" / f"{study.name}.jsonl").read_text().splitlines()
    assert len(lines) == 1
    assert count_kept(study.name, study.edition, items, study.repeats, kept) == 0


def test_a_damaged_line_of_kept_cells_is_named(tmp_path):
    (cell, *_) = plan([toy.exhibit()], fast=False)
    (tmp_path / f"{cell.study.name}.jsonl").write_text("{")
    with pytest.raises(ValueError, match="holds a line that is not JSON"):
        CellStore(tmp_path / "cells", tmp_path).load(cell)
