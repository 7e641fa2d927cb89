"""Answers stay: nothing overwritten, nothing twice, one server at a time, full disks told."""

import sqlite3
import sys
import threading
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from uneven.comparison import InputError
from uneven.labelling.ledger import Ledger
from uneven.labelling.outcome import Outcome
from uneven.labelling.store import FILE, Event, NotKeptError, Store


def test_what_was_kept_is_there_after_opening_again(tmp_path):
    store = Store(tmp_path / FILE)
    kept = store.append(Event("k", 1, "7", "label", "cat", "why not", False, 2.5, "random"))
    store.close()
    again = Store(tmp_path / FILE)
    assert again.events() == [kept]
    assert kept.time > 0
    again.close()


def test_an_answer_sent_twice_is_kept_once(tmp_path):
    store = Store(tmp_path / FILE)
    first = store.append(Event("k", 1, "7", "label", "cat"))
    assert store.append(Event("k", 1, "7", "label", "cat")) == first
    assert len(store.events()) == 1
    store.close()


def test_two_servers_on_one_project_are_refused(tmp_path):
    store = Store(tmp_path / FILE)
    with pytest.raises(InputError, match="another server works on this project"):
        Store(tmp_path / FILE)
    store.close()
    Store(tmp_path / FILE).close()


def test_a_full_disk_is_told_and_nothing_half_kept(tmp_path):
    store = Store(tmp_path / FILE)
    store.append(Event("k", 1, "7", "label", "cat"))
    (pages,) = store._file.execute("PRAGMA page_count").fetchone()
    store._file.execute(f"PRAGMA max_page_count = {pages}")
    with pytest.raises(NotKeptError, match=r"could not be written: .*full"):
        store.append(Event("k2", 1, "8", "label", "dog", comment="x" * 50_000))
    assert [event.key for event in store.events()] == ["k"]
    store._file.execute("PRAGMA max_page_count = 100000")
    assert store.append(Event("k2", 1, "8", "label", "dog")).id == 2
    store.close()


def test_events_cannot_be_changed_or_deleted(tmp_path):
    store = Store(tmp_path / FILE)
    store.append(Event("k", 1, "7", "label", "cat"))
    for statement in ("UPDATE events SET label = 'dog'", "DELETE FROM events"):
        with pytest.raises(sqlite3.IntegrityError, match="events are never"):
            store._file.execute(statement)
    store.close()


def test_every_commit_is_synchronised_and_logged_ahead(tmp_path):
    store = Store(tmp_path / FILE)
    assert store._file.execute("PRAGMA synchronous").fetchone() == (2,)
    assert store._file.execute("PRAGMA journal_mode").fetchone() == ("wal",)
    assert (tmp_path / FILE).stat().st_mode & 0o077 == 0
    store.close()


def test_another_file_is_refused(tmp_path):
    (tmp_path / FILE).write_text("not a database, but long enough to look like one " * 50)
    with pytest.raises(InputError, match="no file of answers"):
        Store(tmp_path / FILE)


OLD = """
CREATE TABLE meta(key TEXT PRIMARY KEY, value TEXT NOT NULL);
CREATE TABLE people(id INTEGER PRIMARY KEY, name TEXT NOT NULL, token TEXT NOT NULL UNIQUE);
CREATE TABLE classes(id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE);
CREATE TABLE written(row TEXT PRIMARY KEY, label TEXT NOT NULL);
CREATE TABLE events(id INTEGER PRIMARY KEY AUTOINCREMENT, key TEXT NOT NULL UNIQUE,
    time REAL NOT NULL, person INTEGER NOT NULL, row TEXT NOT NULL, kind TEXT NOT NULL,
    label TEXT NOT NULL DEFAULT '', comment TEXT NOT NULL DEFAULT '',
    sure INTEGER NOT NULL DEFAULT 1, seconds REAL, asked TEXT NOT NULL DEFAULT '', undoes INTEGER);
INSERT INTO people(name, token) VALUES ('ann', 't');
INSERT INTO events(key, time, person, row, kind, label) VALUES ('k', 1.0, 1, '7', 'label', 'cat');
PRAGMA user_version = 1;
"""


def test_a_file_of_the_first_version_goes_on(tmp_path):
    with sqlite3.connect(tmp_path / FILE) as old:
        old.executescript(OLD)
    old.close()
    store = Store(tmp_path / FILE)
    assert [(event.label, event.looks) for event in store.events()] == [("cat", "")]
    store.rename(1, "anna")
    assert [person.name for person in store.add_people(["ann"])] == ["anna"]
    store.close()
    Store(tmp_path / FILE).close()
    with sqlite3.connect(tmp_path / FILE) as new:
        new.execute("PRAGMA user_version = 3")
    new.close()
    with pytest.raises(InputError, match="another version"):
        Store(tmp_path / FILE)


def test_a_clock_that_jumps_back_changes_no_order(tmp_path):
    store = Store(tmp_path / FILE)
    store.append(Event("a", 1, "7", "label", "cat", time=2e9))
    store.append(Event("b", 1, "7", "label", "dog", time=1e9))
    assert Ledger(store.events()).answer(1, "7").label == "dog"
    store.close()


def test_the_ledger_is_read_while_answers_come_in():
    ledger, failures = Ledger(), []

    def read():
        try:
            while ledger.last < 3000:
                for found in (ledger.answers(1), ledger.rulings(), ledger.disputed()):
                    assert len(found) <= 3000
                assert len(ledger.said()) <= 3000
        except RuntimeError as error:
            failures.append(error)

    readers = [threading.Thread(target=read) for _ in range(2)]
    usual = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        for reader in readers:
            reader.start()
        for k in range(1, 3001):
            ledger.add(Event(str(k), 1, str(k), "label", "cat", id=k))
        for reader in readers:
            reader.join()
    finally:
        sys.setswitchinterval(usual)
    assert failures == []


steps = st.lists(
    st.one_of(
        st.tuples(st.just("say"), st.integers(1, 2), st.sampled_from("ab"), st.sampled_from("xy")),
        st.tuples(st.just("undo"), st.integers(1, 30)),
    ),
    max_size=25,
)


@given(steps)
def test_the_ledger_is_the_history_without_what_was_undone(history):
    ledger, said = Ledger(), []
    outcome = Outcome(ledger)
    for number, step in enumerate(history, 1):
        if step[0] == "say":
            event = Event(str(number), step[1], step[2], "label", step[3], id=number)
            said.append(event)
        else:
            target = next((e for e in said if e.id == step[1]), None)
            if target is None:
                continue
            event = Event(str(number), 1, target.row, "undo", undoes=target.id, id=number)
            said.remove(target)
        ledger.add(event)
        outcome.heard(event.row)
    expected = {(e.person, e.row): e.label for e in said}
    found = {(p, r): ledger.answer(p, r) for p in (1, 2) for r in "ab"}
    assert {key: e.label for key, e in found.items() if e} == expected
    rows = {row for _, row in expected}
    assert set(ledger.labelled()) == rows
    assert outcome.labels() == Outcome(ledger).labels()
    assert list(outcome.labels()) == ledger.labelled()
    assert +outcome.counts == Counter(outcome.labels().values())
