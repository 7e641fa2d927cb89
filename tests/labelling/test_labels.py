"""The file of labels: what people type there, what the page writes, and what can go wrong."""

import html
import io
import time

import pandas as pd
import pytest

from tests.labelling.conftest import Visitor
from uneven.comparison import InputError
from uneven.labelling import exchange
from uneven.labelling import project as projects
from uneven.labelling.naming import read_people
from uneven.labelling.store import NotKeptError


def wait_until(holds, seconds=30.0):
    end = time.monotonic() + seconds
    while not holds() and time.monotonic() < end:
        time.sleep(0.02)
    return holds()


def test_a_very_long_cell_is_written_and_read_back(make_project, messages):
    frame = messages[0][:4].copy()
    frame.loc[0, "message"] = "a long story " * 20_000
    project = make_project(frame)
    Visitor(project).enter().answer(0, "praise")
    project.stop()
    again = make_project(frame)
    assert again.final_labels() == {"T1000": "praise"}


def test_any_failure_to_write_is_told_and_tried_again(make_project, monkeypatch):
    monkeypatch.setattr(projects, "EXCHANGE_SECONDS", 0.05)
    project = make_project(start=True)
    write, failures = exchange.write_labels, []

    def fail(*given):
        failures.append(given)
        raise RuntimeError("the disk is on fire")

    monkeypatch.setattr(exchange, "write_labels", fail)
    visitor = Visitor(project).enter()
    visitor.answer(0, "praise")
    assert wait_until(lambda: len(failures) > 1)
    assert "not up to date: the disk is on fire" in visitor.web.get("/status").text
    monkeypatch.setattr(exchange, "write_labels", write)
    assert wait_until(lambda: project.store.written() == {"T1000": "praise"})
    assert wait_until(lambda: "on fire" not in visitor.web.get("/status").text)


def type_label(project, ticket, label):
    """What a person does in a spreadsheet."""
    project.exchange()
    if project.labels.exists():
        table = pd.read_csv(project.labels, dtype=str, keep_default_na=False)
    else:
        table = pd.DataFrame(columns=["ticket", "label"])
    table = table[table["ticket"] != ticket]
    table.loc[len(table) + 1, ["ticket", "label"]] = ticket, label
    table.to_csv(project.labels, index=False)
    project.exchange()


def written(project):
    project.exchange()
    table = pd.read_csv(project.labels, dtype=str, keep_default_na=False)
    return dict(zip(table["ticket"], table["label"]))


@pytest.mark.parametrize(("kind", "label"), [("label", "refund"), ("unsure", "")])
def test_an_answer_on_the_page_replaces_a_label_of_the_file(make_project, kind, label):
    project = make_project()
    type_label(project, "T1000", "praise")
    visitor = Visitor(project).enter()
    assert "label in the file: praise" in visitor.web.get("/?row=0").text
    visitor.answer(0, kind="skip")
    assert project.final_labels() == {"T1000": "praise"}
    saved = project.ledger.answer(1, "T1000").id
    visitor.answer(0, label, kind=kind, seen=saved)
    assert project.final_labels() == written(project) == {"T1000": label or "?"}
    assert project.ledger.disputed() == []
    visitor.post("/undo", key=visitor.key())
    assert project.final_labels() == written(project) == {"T1000": "praise"}


@pytest.mark.parametrize("typed", ["refund", "?"])
def test_a_typed_correction_replaces_the_answer_of_one_person_and_can_be_undone(
    make_project, typed
):
    project = make_project()
    visitor = Visitor(project).enter()
    visitor.answer(0, "praise")
    type_label(project, "T1000", typed)
    assert project.final_labels() == written(project) == {"T1000": typed}
    assert project.ledger.disputed() == []
    assert list(project.ledger.standing("T1000")) == [1]
    assert (
        f"your answer: {'cannot tell' if typed == '?' else typed}"
        in visitor.web.get("/?row=0").text
    )
    visitor.post("/undo", key=visitor.key(), event=2)
    assert project.final_labels() == written(project) == {"T1000": "praise"}


def test_what_is_typed_over_a_dispute_or_a_ruling_holds_until_somebody_speaks(make_project):
    project = make_project(people=("ann", "bob"))
    ann, bob = (Visitor(project, k).enter() for k in (1, 2))
    ann.answer(0, "praise")
    saved = bob.answer(0, "refund").json()["saved"]
    type_label(project, "T1000", "delivery")
    assert written(project) == {"T1000": "delivery"}
    ann.answer(0, "praise", kind="ruling", stay=True)
    assert written(project) == {"T1000": "praise"}
    type_label(project, "T1000", "question")
    assert written(project) == {"T1000": "question"}
    assert project.given() == {1: {"T1000": "praise"}, 2: {"T1000": "refund"}}
    bob.answer(0, "praise", seen=saved)
    assert project.final("T1000") == ("praise", None)
    assert written(project) == {"T1000": "praise"}


def test_the_export_of_a_damaged_file_of_labels_says_what_is_wrong(visitor):
    project = visitor.project
    visitor.answer(0, "praise")
    project.exchange()
    kept = project.labels.read_bytes()
    project.labels.write_text('ticket,label\nT1000,"praise\n')
    told = visitor.web.get("/export/labels.csv")
    assert told.status_code == 409
    assert "a quote is opened here and never closed" in told.json()["said"]
    project.labels.unlink()
    project.labels.mkdir()
    told = visitor.web.get("/export/labels.csv")
    assert told.status_code in (409, 507)
    assert "labels.csv" in told.json()["said"]
    project.labels.rmdir()
    project.labels.write_bytes(kept)
    assert visitor.web.get("/export/labels.csv").content == kept


def test_a_disk_error_during_an_export_is_told(visitor, monkeypatch):
    def fail(*given):
        raise PermissionError(13, "Permission denied", "labels.csv")

    visitor.answer(0, "praise")
    monkeypatch.setattr(exchange, "write_labels", fail)
    told = visitor.web.get("/export/labels.csv")
    assert told.status_code == 507
    assert "Permission denied" in told.json()["said"]


def test_no_cell_of_an_export_is_a_formula_and_numbers_stay(make_project, messages):
    frame = messages[0][:4].copy()
    frame.loc[0, "message"] = "=1+1"
    project = make_project(frame, classes=("-1", "+1"))
    visitor = Visitor(project).enter()
    visitor.answer(0, "-1", comment="@sum")
    rows, answers = (
        pd.read_csv(io.BytesIO(visitor.web.get(f"/export/{name}.csv").content), dtype=str)
        for name in ("labelled", "answers")
    )
    assert rows.loc[0, ["label", "message"]].tolist() == ["-1", "'=1+1"]
    assert answers.loc[0, ["label", "comment"]].tolist() == ["-1", "'@sum"]


@pytest.mark.parametrize("name", ["=a", "+cmd|x", "-a", "@a"])
def test_names_that_spreadsheets_take_for_formulas_are_refused(visitor, name):
    for path in ("/class", "/name"):
        told = visitor.post(path, name=name)
        assert told.status_code == 422
        assert "formula" in told.json()["said"]


def test_people_are_not_invited_by_names_that_spreadsheets_take_for_formulas():
    with pytest.raises(InputError, match=r"--annotators ann,=x.*formula"):
        read_people("ann,=x")


def test_signs_alone_are_classes(visitor):
    assert visitor.answer(0, "+").status_code == 200
    assert visitor.answer(1, "-").status_code == 200


@pytest.mark.parametrize("label", ["=1+1", "@a", "x" * 201])
def test_a_typed_label_that_is_no_class_is_told_with_its_line(make_project, label):
    project = make_project()
    with pytest.raises(InputError, match=r"labels.csv, line 2: the label .* is no class"):
        type_label(project, "T1000", label)
    assert project.ledger.events == {}


def test_a_formula_beside_a_label_gets_a_quote_and_all_else_stays(make_project, messages):
    frame = messages[0][:6].copy()
    cells = ["=HYPERLINK(1)", "@SUM(1)", "+cmd|x", "- one (two)", "-5 to 0", "+49 30"]
    frame["message"] = cells
    project = make_project(frame)
    visitor = Visitor(project).enter()
    for row in range(6):
        visitor.answer(row, "praise")
    project.stop()
    table = pd.read_csv(project.labels, dtype=str).set_index("ticket")["message"]
    shown = [f"'{cell}" if k < 3 else cell for k, cell in enumerate(cells)]
    assert table[frame["ticket"]].tolist() == shown
    again = make_project(frame.assign(weight=range(6)))
    assert len(again.final_labels()) == 6


def test_names_of_rows_that_are_formulas_are_kept_from_running_and_read_back(
    make_project, messages
):
    frame = messages[0].assign(ticket=[f"=1+{k}" for k in range(40)])
    project = make_project(frame)
    Visitor(project).enter().answer(0, "praise")
    project.stop()
    assert pd.read_csv(project.labels, dtype=str)["ticket"].tolist() == ["'=1+0"]
    again = make_project(frame)
    assert again.final_labels() == {"=1+0": "praise"}
    assert [event.asked for event in again.ledger.events.values()].count("file") == 0


def test_typed_labels_that_look_like_slips_are_told(make_project):
    project = make_project()
    type_label(project, "T1000", "praise")
    type_label(project, "T1001", "Praise")
    panel = html.unescape(Visitor(project).enter().web.get("/status").text)
    assert "The labels 'praise' (1), 'Praise' (1) differ in spelling only" in panel


def test_a_column_of_an_export_is_no_formula(make_project, messages):
    frame = messages[0].assign(**{"=1+1": 5})
    visitor = Visitor(make_project(frame)).enter()
    visitor.answer(0, "praise")
    table = pd.read_csv(io.BytesIO(visitor.web.get("/export/labelled.csv").content))
    assert "'=1+1" in table
    assert "=1+1" not in table


@pytest.mark.parametrize("name", ["a\n{}", "a\r{}", "a\u2028{}", "a{}\x03", "a\x00{}"])
def test_names_of_rows_that_the_file_cannot_keep_are_refused_at_once(make_project, messages, name):
    frame = messages[0].assign(ticket=[name.format(k) for k in range(40)])
    with pytest.raises(InputError, match="line break or control sign in row 1"):
        make_project(frame)


def test_line_breaks_and_control_signs_in_cells_are_written_and_read_back(make_project, messages):
    frame = messages[0][:6].copy()
    odd = ["one\rtwo", "one\ntwo", "one\r\ntwo", "end\x03", 'a "quote', "\u2028 a\x0b b\x1f c"]
    frame["message"] = odd
    frame = frame[["ticket", "country", "amount", "message"]]
    project = make_project(frame)
    visitor = Visitor(project).enter()
    for row in range(6):
        visitor.answer(row, "praise")
    project.stop()
    again = make_project(frame)
    assert len(again.final_labels()) == 6
    assert not [e for e in again.ledger.events.values() if e.asked == "file"]


def test_answers_about_rows_that_moved_are_refused_whatever_the_file_of_labels(
    make_project, messages
):
    frame = messages[0].drop(columns="ticket")
    project = make_project(frame)
    Visitor(project).enter().answer(0, "praise")
    project.stop()
    project.labels.unlink()
    moved = frame[::-1].reset_index(drop=True)
    with pytest.raises(InputError, match="row 1 is not the row that was answered"):
        make_project(moved)
    project.labels.write_text("row,label\n1,praise\n")
    assert make_project(moved).final_labels() == {"1": "praise"}


@pytest.mark.parametrize("fails", ["plan", "set_written"])
def test_a_label_of_the_page_is_never_taken_for_a_typed_one(make_project, monkeypatch, fails):
    project = make_project()
    visitor = Visitor(project).enter()

    def fail(*given):
        raise NotKeptError("full")

    saved = visitor.answer(0, "praise").json()["saved"]
    monkeypatch.setattr(project.store, fails, fail)
    with pytest.raises(NotKeptError):
        project.exchange()
    visitor.answer(0, "refund", seen=saved)
    project.store.close()
    again = make_project()
    assert again.final_labels() == written(again) == {"T1000": "refund"}
    assert [event.asked for event in again.ledger.events.values()].count("file") == 0


def test_a_project_ends_even_if_a_file_cannot_be_written(make_project):
    project = make_project()
    Visitor(project).enter().answer(0, "praise")
    project.labels.mkdir()
    with pytest.raises(InputError, match=r"acknowledged is kept in .*answers.sqlite"):
        project.stop()
    assert (project.folder / "history.json").exists()
    project.labels.rmdir()
    again = make_project()
    assert written(again) == {"T1000": "praise"}
