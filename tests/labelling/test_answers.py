"""What people say on the page, and what becomes of it."""

import io

import pandas as pd
import pytest

from tests.labelling.conftest import Visitor
from uneven.cli import run
from uneven.labelling.store import FROM_FILE


def test_an_answer_is_kept_before_the_next_row_comes(visitor):
    first = visitor.question()
    told = visitor.answer(first["row"], "praise", seconds=2.5, comment="nice", sure=False).json()
    assert told["saved"] == 1
    assert told["row"] != first["row"]
    event = visitor.project.store.events()[0]
    assert (event.label, event.seconds, event.comment, event.sure) == ("praise", 2.5, "nice", False)


def test_the_same_question_stays_until_it_is_answered(visitor):
    assert visitor.question()["row"] == visitor.question()["row"]


def test_a_repeated_request_changes_nothing(visitor):
    row = visitor.question()["row"]
    body = {"key": visitor.key(), "row": row, "kind": "label", "label": "praise"}
    first, second = (visitor.post("/answer", **body).json() for _ in range(2))
    assert first["saved"] == second["saved"]
    assert len(visitor.project.store.events()) == 1
    other = {**body, "row": second["row"]}
    assert visitor.post("/answer", **other).status_code == 422


def test_two_tabs_do_not_overwrite_each_other(visitor):
    row = visitor.question()["row"]
    assert visitor.answer(row, "praise", seen=0).status_code == 200
    late = visitor.answer(row, "refund", seen=0)
    assert late.status_code == 409
    assert "another window: as 'praise'" in late.json()["said"]
    assert visitor.project.final_labels() == {visitor.project.pool.names[row]: "praise"}


def test_undo_of_the_last_and_of_any_answer(visitor):
    rows = []
    for label in ("praise", "refund", "delivery"):
        rows.append(visitor.question()["row"])
        visitor.answer(rows[-1], label)
    names = [visitor.project.pool.names[row] for row in rows]
    told = visitor.post("/undo", key=visitor.key()).json()
    assert told["row"] == rows[2]
    assert visitor.question()["row"] == rows[2]
    visitor.post("/undo", key=visitor.key(), event=1)
    assert visitor.project.final_labels() == {names[1]: "refund"}
    again = visitor.post("/undo", key=visitor.key(), event=1)
    assert again.status_code == 422


def test_a_label_can_be_changed_later_and_its_undo_brings_the_old_one_back(visitor):
    row = visitor.question()["row"]
    saved = visitor.answer(row, "praise").json()["saved"]
    page = visitor.web.get(f"/?row={row}").text
    assert "your answer: praise" in page
    visitor.answer(row, "refund", seen=saved)
    assert set(visitor.project.final_labels().values()) == {"refund"}
    visitor.post("/undo", key=visitor.key())
    assert set(visitor.project.final_labels().values()) == {"praise"}


def test_skip_comes_back_at_the_end_and_cannot_tell_does_not(make_project, messages):
    project = make_project(messages[0][:6])
    visitor = Visitor(project).enter()
    skipped = visitor.question()["row"]
    visitor.answer(skipped, kind="skip")
    unsure = visitor.question()["row"]
    visitor.answer(unsure, kind="unsure")
    seen = []
    while (row := visitor.question()["row"]) != skipped:
        seen.append(row)
        visitor.answer(row, "praise")
    assert len(seen) == 4
    visitor.answer(skipped, "refund", seen=project.ledger.answer(1, f"T{1000 + skipped}").id)
    assert visitor.question()["row"] is None
    assert project.final_labels()[project.pool.names[unsure]] == "?"


def test_new_classes_on_the_fly(visitor):
    told = visitor.post("/class", name=" complaint ").json()
    assert "complaint" in told["choices"]
    visitor.answer(visitor.question()["row"], "spam")
    assert visitor.project.classes[-2:] == ["complaint", "spam"]


def test_search_finds_words_of_any_cell(visitor, messages):
    page = visitor.web.get("/answers", params={"q": "KETTLE"}).text
    held = messages[0]["message"].str.contains("kettle", case=False)
    assert page.count("<tr>") - 1 == held.sum()


def test_exports_tell_who_when_and_how_sure(make_project):
    project = make_project(people=("ann", "bob"))
    ann = Visitor(project, 1).enter()
    row = ann.question()["row"]
    ann.answer(row, "praise", seconds=3.0, sure=False)
    table = pd.read_csv(io.BytesIO(ann.web.get("/export/answers.csv").content))
    assert table.loc[0, ["label", "annotator", "sure", "seconds"]].tolist() == [
        "praise", "ann", False, 3.0,
    ]  # fmt: skip
    assert table["time"].str.endswith("+00:00").all()
    assert "confidence" in table
    whole = pd.read_parquet(io.BytesIO(ann.web.get("/export/answers.parquet").content))
    assert whole["label"].tolist() == ["praise"]
    rows = pd.read_csv(io.BytesIO(ann.web.get("/export/labelled.csv").content))
    assert rows.loc[0, "message"] == project.pool.frame["message"].iloc[row]


def test_a_full_disk_is_told_and_the_page_may_try_again(visitor):
    row = visitor.question()["row"]
    file = visitor.project.store._file
    (pages,) = file.execute("PRAGMA page_count").fetchone()
    file.execute(f"PRAGMA max_page_count = {pages}")
    body = {"key": visitor.key(), "row": row, "kind": "label", "label": "praise"}
    body["comment"] = "x" * 2000
    answers = [visitor.post("/answer", **{**body, "key": visitor.key()}) for _ in range(1)]
    while answers[-1].status_code == 200:
        body["row"] = answers[-1].json()["row"]
        answers.append(visitor.post("/answer", **{**body, "key": visitor.key()}))
    assert answers[-1].status_code == 507
    assert "NOT saved" in answers[-1].json()["said"]
    kept = len(visitor.project.store.events())
    assert kept == len(answers) - 1 == len(visitor.project.ledger.events)
    file.execute("PRAGMA max_page_count = 100000")
    assert visitor.post("/answer", **{**body, "key": visitor.key()}).status_code == 200


def test_the_file_of_labels_goes_both_ways(make_project, tmp_path, messages):
    project = make_project()
    visitor = Visitor(project).enter()
    row = visitor.question()["row"]
    visitor.answer(row, "praise")
    project.stop()
    path = tmp_path / "project" / "labels.csv"
    table = pd.read_csv(path, dtype=str)
    assert table["label"].tolist() == ["praise"]
    assert table.columns[:6].tolist() == ["ticket", "label", "guess", "votes", "why", "check"]
    table.loc[0, "label"] = "refund"
    other = next(t for t in messages[0]["ticket"] if t != table.loc[0, "ticket"])
    table.loc[1] = {"ticket": other, "label": "praise"}
    table.to_csv(path, index=False)
    again = make_project()
    assert again.final_labels()[other] == "praise"
    typed = again.ledger.votes(table.loc[0, "ticket"])
    assert typed == {1: "refund"}
    assert again.ledger.votes(other) == {FROM_FILE: "praise"}


def test_a_file_that_lags_behind_after_a_crash_takes_nothing_back(make_project, tmp_path):
    project = make_project()
    visitor = Visitor(project).enter()
    row = visitor.question()["row"]
    visitor.answer(row, "praise")
    project.exchange()
    visitor.answer(row, "refund", seen=1)
    second = visitor.question()["row"]
    visitor.answer(second, "praise")
    project.store.close()
    again = make_project()
    names = again.pool.names
    assert again.final_labels() == {names[row]: "refund", names[second]: "praise"}
    assert "refund" in (tmp_path / "project" / "labels.csv").read_text(encoding="utf-8-sig")


def test_label_next_goes_on_with_the_labels_of_the_page(make_project, tmp_path, messages, capsys):
    frame, truth = messages
    frame.to_csv(tmp_path / "pool.csv", index=False)
    project = make_project(start=False)
    visitor = Visitor(project).enter()
    for _ in range(8):
        row = visitor.question()["row"]
        visitor.answer(row, str(truth[row]))
    project.stop()
    labels = str(tmp_path / "project" / "labels.csv")
    words = ["label-next", str(tmp_path / "pool.csv"), "--labels", labels, "--id", "ticket"]
    assert run([*words, "--text", "message", "--n", "3"]) == 0
    assert "Labels so far  8" in capsys.readouterr().out
    table = pd.read_csv(labels, dtype=str, keep_default_na=False)
    assert (table["label"] == "").sum() == 3
    again = make_project()
    assert len(again.final_labels()) == 8


def test_a_project_of_another_table_is_refused(make_project, messages):
    project = make_project()
    visitor = Visitor(project).enter()
    visitor.answer(visitor.question()["row"], "praise")
    project.stop()
    with pytest.raises(ValueError, match="belongs to another table"):
        make_project(messages[0].assign(ticket=[f"X{k}" for k in range(40)]))


def test_several_people_agree_dispute_and_are_ruled(make_project, messages):
    project = make_project(people=("ann", "bob"), overlap=1.0, random_share=0.0)
    ann, bob = (Visitor(project, k).enter() for k in (1, 2))
    truth = messages[1]
    for _ in range(14):
        for who in (ann, bob):
            row = who.question()["row"]
            wrong = who is bob and truth[row] == "refund"
            who.answer(row, "delivery" if wrong else str(truth[row]))
    for _ in range(14):
        for who in (ann, bob):
            row = who.question()["row"]
            who.answer(row, "delivery" if who is bob else str(truth[row]))
    disputed = project.ledger.disputed()
    page = ann.web.get("/people").text
    assert "Cohen" in page
    assert page.count("data-rule") >= 2 * min(len(disputed), 1)
    assert "figure" in page
    row = project.pool.where[disputed[0]]
    ruled = ann.answer(row, "question", kind="ruling", stay=True).json()
    assert "card" not in ruled
    assert project.final(disputed[0]) == ("question", 1.0)
    assert disputed[0] not in project.ledger.disputed()
    noise = ann.web.get("/export/noise.csv")
    assert noise.text.startswith("observed")


@pytest.fixture
def two_who_differ(make_project):
    """Two people who gave different labels to the first row, and a third one."""
    project = make_project(people=("ann", "bob", "eve"))
    ann, bob, eve = (Visitor(project, k).enter() for k in (1, 2, 3))
    ann.answer(0, "praise")
    bob.answer(0, "refund")
    return ann, bob, eve


def test_a_decision_is_seen_everywhere_and_who_made_it_can_take_it_back(two_who_differ):
    ann, bob, eve = two_who_differ
    project = eve.project
    ruling = eve.answer(0, "refund", kind="ruling", stay=True).json()["saved"]
    for who in (ann, bob, eve):
        assert "decided: refund, by eve" in who.web.get("/?row=0").text
        assert "refund, by eve" in who.web.get("/people").text
    assert "decided: refund, by eve" in ann.web.get("/answers").text
    assert "T1000" in eve.web.get("/answers").text
    told = ann.answer(0, "delivery", seen=1).json()
    assert "stays as it was decided: refund, by eve" in told["warning"]
    assert project.final("T1000") == ("refund", 1.0)
    assert bob.post("/undo", key=bob.key(), event=ruling).status_code == 422
    assert f'data-undo="{ruling}"' not in bob.web.get("/people").text
    assert f'data-undo="{ruling}"' in eve.web.get("/people").text
    before = eve.question()["row"]
    assert "taken back" in eve.post("/undo", key=eve.key()).json()["warning"]
    assert eve.question()["row"] == before
    assert project.ledger.disputed() == ["T1000"]
    assert "decided" not in ann.web.get("/?row=0").text


def test_a_second_decision_needs_sight_of_the_first(two_who_differ):
    ann, bob, eve = two_who_differ
    first = eve.answer(0, "refund", kind="ruling", stay=True).json()["saved"]
    late = ann.answer(0, "praise", kind="ruling", stay=True)
    assert late.status_code == 409
    assert "eve decided for 'refund'" in late.json()["said"]
    assert ann.answer(0, "praise", kind="ruling", stay=True, seen=first).status_code == 200
    assert ann.project.final("T1000") == ("praise", 1.0)
    late = bob.answer(0, "refund", kind="ruling", stay=True, seen=first)
    assert late.status_code == 409


def test_there_is_nothing_to_decide_about_a_row_without_labels(visitor):
    told = visitor.answer(3, "praise", kind="ruling", stay=True)
    assert told.status_code == 422
    assert "nothing to decide" in told.json()["said"]


def test_a_person_with_a_new_name_is_not_invited_again(make_project):
    project = make_project(people=("ann", "bob"))
    ann = Visitor(project).enter()
    assert ann.post("/name", name="anna").status_code == 200
    project.stop()
    again = make_project(people=("ann", "bob"))
    assert [(p.name, p.token) for p in again.people.values()] == [
        ("anna", ann.person.token), ("bob", project.people[2].token),
    ]  # fmt: skip


def test_as_many_people_are_invited_as_were_asked_for(make_project):
    project = make_project(people=1)
    assert Visitor(project).enter().post("/name", name="annotator 2").status_code == 200
    project.stop()
    again = make_project(people=2)
    assert [person.name for person in again.people.values()] == ["annotator 2", "annotator 3"]


def test_every_undo_button_says_what_it_undoes(two_who_differ):
    ann, _, eve = two_who_differ
    eve.answer(0, "refund", kind="ruling", stay=True)
    assert 'aria-label="Undo the answer about ticket T1000"' in ann.web.get("/answers").text
    assert 'aria-label="Undo the decision about ticket T1000"' in eve.web.get("/people").text


def test_a_message_of_the_guard_is_no_html(visitor):
    answer = visitor.web.get("/export/%3Cb%3E")
    assert answer.headers["content-type"].startswith(("application/json", "text/plain"))
