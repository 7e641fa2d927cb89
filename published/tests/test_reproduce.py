"""``uneven reproduce``: lists, runs, continues, writes pages."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from dataclasses import replace
from importlib import import_module
from pathlib import Path

import pytest
from published.tests import toy

from tests.cli.conftest import files_in
from uneven_published import Exhibit, Item, catalogue
from uneven_published.collection import listed, listing

NOT_RUN = Exhibit(toy.BOOK, "Figure 2", "A private corpus", "impossible", "The corpus is private.")


@pytest.fixture
def toys(monkeypatch):
    """Only a toy table and a figure that cannot be run are known."""

    def offer(*exhibits):
        for name in ("collection", "command", "reproduction"):
            module = import_module(f"uneven_published.{name}")
            monkeypatch.setattr(module, "listed", lambda: tuple(listing(exhibits)))
        for name in ("collection", "reproduction"):
            module = import_module(f"uneven_published.{name}")
            monkeypatch.setattr(module, "catalogue", lambda: exhibits)
        monkeypatch.setattr("uneven_published.collection.exhibits_of", lambda document: exhibits)

    offer(toy.exhibit(), NOT_RUN)
    return offer


def test_every_exhibit_is_listed_with_its_status(uneven):
    done = uneven("reproduce", "--list")
    assert done.code == 0
    for exhibit in catalogue():
        assert exhibit.name in done.out
    assert "substitute" in done.out


def test_the_list_is_up_to_date_and_loads_no_learner():
    assert list(listed()) == listing(catalogue()), "run: make derived"
    code = (
        "import sys; from uneven_published import command; command.list_exhibits(['koco']);"
        "sys.exit('sklearn' in sys.modules or 'numpy' in sys.modules)"
    )
    places = {**os.environ, "PYTHONPATH": os.pathsep.join(place for place in sys.path if place)}
    done = subprocess.run([sys.executable, "-c", code], env=places, stdout=subprocess.DEVNULL)
    assert done.returncode == 0


def test_the_list_can_be_narrowed(uneven, toys):
    done = uneven("reproduce", "--list", "toy-figure")
    assert "toy-figure-2" in done.out
    assert "The corpus is private." in done.out
    assert "toy-table-1" not in done.out


def test_a_run_writes_pages_and_keeps_cells(uneven, toys, tmp_path):
    done = uneven("reproduce", "all", "--fast", "--out", "out", "--n-jobs", 1)
    assert done.code == 0
    names = {name for name in files_in(tmp_path / "out") if not name.startswith("cells")}
    for name in ("index.html", "toy-table-1.html", "toy-table-1.md", "toy-table-1.json"):
        assert name in names
    assert "toy-figure-2.html" in names
    record = json.loads((tmp_path / "out" / "toy-table-1.json").read_text(encoding="utf-8"))
    assert record["measured"]["cells"] == {"done": 4, "planned": 4}
    assert record["measured"]["made"][0]["uneven"]
    assert "A errs less than B." in done.out
    assert not [name for name in names if name.startswith(".")]


def test_a_full_run_goes_on_from_a_fast_one(uneven, toys, tmp_path):
    uneven("reproduce", "toy-table-1", "--fast", "--out", "out", "--n-jobs", 1)
    cells = {path: path.stat().st_mtime_ns for path in (tmp_path / "out/cells").rglob("*.json")}
    done = uneven("reproduce", "toy-table-1", "--out", "out", "--n-jobs", 1)
    assert done.code == 0
    assert len(list((tmp_path / "out/cells").rglob("*.json"))) == 2 * toy.REPEATS
    assert all(path.stat().st_mtime_ns == when for path, when in cells.items())


def test_kept_shows_what_is_finished_and_runs_nothing(uneven, toys, tmp_path):
    uneven("reproduce", "toy-table-1", "--fast", "--out", "out", "--n-jobs", 1)
    done = uneven("reproduce", "toy-table-1", "--kept", "--out", "out")
    assert done.code == 0
    record = json.loads((tmp_path / "out" / "toy-table-1.json").read_text(encoding="utf-8"))
    assert record["measured"]["cells"] == {"done": 4, "planned": 2 * toy.REPEATS}


def test_a_missing_data_set_is_named_and_the_rest_is_run(uneven, toys, tmp_path):
    items = (Item("wine"), Item("gone", ("no_such_set",)))
    toys(toy.exhibit(replace(toy.STUDY, items=items)))
    (tmp_path / "data").mkdir()
    done = uneven("reproduce", "all", "--fast", "--data", "data", "--offline", "--n-jobs", 1)
    assert done.code == 0
    assert "a data set is missing: no_such_set" in done.err
    assert "leave out --offline" in done.err
    page = (tmp_path / "uneven-published" / "toy-table-1.html").read_text(encoding="utf-8")
    assert "no_such_set" in page
    assert str(tmp_path) not in page


def test_a_column_without_its_package_is_left_out_and_named(uneven, toys, tmp_path):
    absent = replace(toy.STUDY, name="toy-absent", packages=("no_such_package",), column="C")
    toys(toy.exhibit(toy.STUDY, absent))
    done = uneven("reproduce", "toy", "--fast", "--out", "out", "--n-jobs", 1)
    assert done.code == 0
    assert "C is left out: package 'no_such_package' is not installed" in done.err
    record = json.loads((tmp_path / "out" / "toy-table-1.json").read_text(encoding="utf-8"))
    assert record["measured"]["cells"] == {"done": 4, "planned": 8}


def test_a_failed_cell_is_named_and_gives_exit_code_1(uneven, toys, tmp_path):
    toys(toy.exhibit(replace(toy.STUDY, measure=toy.broken)))
    done = uneven("reproduce", "all", "--fast", "--n-jobs", 1)
    assert done.code == 1
    assert "the second one cannot be done" in done.err
    page = (tmp_path / "uneven-published" / "toy-table-1.html").read_text(encoding="utf-8")
    assert "the second one cannot be done" in page


def test_the_page_is_made_from_results_alone(uneven, toys, tmp_path):
    uneven("reproduce", "all", "--fast", "--out", "docs/published", "--n-jobs", 1)
    for path in (tmp_path / "docs/published/cells").rglob("*.json"):
        path.unlink()
    done = uneven("reproduce", "--page", "docs/published.md", "--out", "docs/published")
    assert done.code == 0
    text = (tmp_path / "docs/published.md").read_text(encoding="utf-8")
    assert "A errs less than B." in text
    assert "The corpus is private." in text
    toys(toy.exhibit(explanation="A new sentence."), NOT_RUN)
    uneven("reproduce", "--page", "docs/published.md", "--out", "docs/published")
    assert "A new sentence." in (tmp_path / "docs/published.md").read_text(encoding="utf-8")
    kept = json.loads((tmp_path / "docs/published/toy-table-1.json").read_text(encoding="utf-8"))
    assert kept["explanation"] == "A new sentence."


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ((), "--list"),
        (("koco-tabel-3.3",), "did you mean 'koco-table-3.3'"),
        (("all", "--data", "nowhere"), "nowhere is not a folder"),
        (("all", "--n-jobs", "0"), "must not be 0"),
        (("--page", "page.md", "--out", "nowhere"), "holds no results"),
        (("all", "--out", "file"), "is a file"),
    ],
)
def test_bad_words_are_told_in_one_line(uneven, tmp_path, words, said):
    (tmp_path / "file").write_text("", encoding="utf-8")
    done = uneven("reproduce", *words)
    assert done.code == 2
    assert said in done.complaint
    assert files_in(tmp_path) == {"file"}


WRONG = [
    "{",
    "[]",
    "5",
    "{}",
    '{"name": "toy-table-1"}',
    '{"name": "other", "schema": 1}',
    '{"name": "toy-table-1", "schema": 1, "measured": 5}',
    '{"name": "toy-table-1", "schema": 1, "measured": {"values": 3}}',
    '{"name": "toy-table-1", "schema": 1, "measured": {"values": [{"key": ["a", "b", "c"]}]}}',
]


@pytest.mark.parametrize("text", WRONG)
def test_a_damaged_result_is_told(uneven, toys, tmp_path, text):
    (tmp_path / "toy-table-1.json").write_text(text, encoding="utf-8")
    done = uneven("reproduce", "--page", "page.md", "--out", ".")
    assert done.code == 2
    assert "toy-table-1.json is not a result" in done.complaint
    assert not (tmp_path / "page.md").exists()
    other = uneven("reproduce", "toy-figure-2", "--out", ".")
    assert other.code == 0
    assert "it is left out" in other.err


def test_results_without_their_cells_are_not_lost(uneven, toys, tmp_path):
    uneven("reproduce", "toy-table-1", "--fast", "--out", "out", "--n-jobs", 1)
    before = (tmp_path / "out/toy-table-1.json").read_text(encoding="utf-8")
    shutil.rmtree(tmp_path / "out/cells")
    done = uneven("reproduce", "toy-table-1", "--kept", "--out", "out")
    assert done.code == 0
    assert "the earlier results are kept" in done.err
    assert (tmp_path / "out/toy-table-1.json").read_text(encoding="utf-8") == before


def test_what_new_cells_lack_is_taken_from_earlier_results(uneven, toys, tmp_path):
    uneven("reproduce", "toy-table-1", "--out", "out", "--n-jobs", 1)
    path = tmp_path / "out/toy-table-1.json"
    whole = json.loads(path.read_text(encoding="utf-8"))["measured"]
    row = whole["values"][0]["key"][0]
    shutil.rmtree(next((tmp_path / "out/cells").glob(f"*/{row}*")))
    uneven("reproduce", "toy-table-1", "--kept", "--out", "out")
    joined = json.loads(path.read_text(encoding="utf-8"))["measured"]
    assert joined["cells"]["done"] < whole["cells"]["done"]
    assert joined["earlier"] == sum(one["key"][0] == row for one in whole["values"])
    by_key = [sorted(one["values"], key=lambda v: v["key"]) for one in (whole, joined)]
    assert by_key[0] == by_key[1]


def test_a_fast_run_in_the_folder_of_a_full_one_shows_the_full_one(uneven, toys, tmp_path):
    uneven("reproduce", "toy-table-1", "--out", "out", "--n-jobs", 1)
    uneven("reproduce", "toy-table-1", "--fast", "--out", "out", "--n-jobs", 1)
    record = json.loads((tmp_path / "out/toy-table-1.json").read_text(encoding="utf-8"))
    assert record["measured"]["cells"]["done"] == 2 * toy.REPEATS
    assert record["measured"]["fast"] is False


def test_nothing_kept_is_told_and_nothing_written(uneven, toys, tmp_path):
    done = uneven("reproduce", "all", "--kept", "--out", "nowhere")
    assert done.code == 2
    assert "holds no finished cell" in done.complaint
    assert not files_in(tmp_path)


def test_a_page_needs_its_folder_before_anything_is_written(uneven, toys, tmp_path):
    uneven("reproduce", "toy-table-1", "--fast", "--out", "out", "--n-jobs", 1)
    before = files_in(tmp_path)
    done = uneven("reproduce", "--page", "nowhere/page.md", "--out", "out")
    assert done.code == 2
    assert "there is no folder nowhere" in done.complaint
    assert files_in(tmp_path) == before


def test_ctrl_c_keeps_the_finished_cells_and_says_how_to_go_on(tmp_path):
    process = _slow_program(tmp_path)
    _wait_for_cells(tmp_path, 2)
    _wait_until(lambda: len(_workers(tmp_path)) == 2)
    os.killpg(process.pid, signal.SIGINT)
    _, said = process.communicate(timeout=60)
    assert process.returncode == 130
    assert "goes on from there" in " ".join(said.split())
    assert "Traceback" not in said


def test_sigkill_of_the_program_loses_at_most_a_cell_per_process(
    uneven, toys, monkeypatch, tmp_path
):
    process = _slow_program(tmp_path)
    _wait_for_cells(tmp_path, 3)
    os.kill(process.pid, signal.SIGKILL)
    process.communicate(timeout=60)
    begun = (tmp_path / "log").read_text(encoding="utf-8").splitlines()
    assert len(begun) - len(_cells(tmp_path)) <= 2
    monkeypatch.setenv("TOY_LOG", str(tmp_path / "log"))
    done = uneven("reproduce", "toy-table-1", "--out", "out", "--n-jobs", 1)
    assert done.code == 0, done.err
    assert len(_cells(tmp_path)) == 2 * toy.REPEATS
    everything = (tmp_path / "log").read_text(encoding="utf-8").splitlines()
    assert len(everything) - 2 * toy.REPEATS <= 2


PROGRAM = """
import sys
from published.tests import toy
from uneven_published import collection, command, reproduction
exhibits = (toy.exhibit(),)
for module in (collection, command, reproduction):
    module.listed = lambda: tuple(collection.listing(exhibits))
collection.exhibits_of = lambda document: exhibits
from uneven.cli import run
sys.exit(run(["reproduce", "all", "--n-jobs", "2", "--out", sys.argv[1]]))
"""


def _slow_program(folder):
    places = {"PYTHONPATH": os.pathsep.join(place for place in sys.path if place)}
    surroundings = {**os.environ, **places, "TOY_LOG": str(folder / "log"), "TERM": "dumb"}
    return subprocess.Popen(
        [sys.executable, "-c", PROGRAM, str(folder / "out")],
        cwd=Path(toy.__file__).parents[2],
        env=surroundings,
        start_new_session=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def _cells(folder):
    return [p for p in (folder / "out/cells").rglob("*.json") if not p.name.startswith(".")]


def _workers(folder):
    """Processes that have begun a cell."""
    return {line.split()[0] for line in (folder / "log").read_text(encoding="utf-8").splitlines()}


def _wait_for_cells(folder, n):
    _wait_until(lambda: len(_cells(folder)) >= n)


def _wait_until(condition):
    deadline = time.monotonic() + 90
    while not condition() and time.monotonic() < deadline:
        time.sleep(0.02)
