"""The file of answers: SQLite, append-only, on the disk before an answer is acknowledged.

What a person undoes or changes is one more event; nothing is ever overwritten. Events are ordered
by their number, never by the clock, which may jump. An event carries a key that the page made up,
so that one which is sent twice, because its acknowledgement was lost, is kept once.

The file is held by one server at a time. The lock is the operating system's and falls with the
process, so that nothing has to be cleaned up after it was killed.
"""

from __future__ import annotations

import os
import secrets
import sqlite3
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from uneven.comparison.errors import InputError

FILE = "answers.sqlite"
FROM_FILE = 0
"""The annotator that stands for labels read from a file."""

KINDS = ("label", "skip", "unsure", "ruling", "undo")
"""A class; later; cannot be labelled; a decision between annotators; an earlier event is undone."""

_VERSION = 2
_TABLES = f"""
CREATE TABLE meta(key TEXT PRIMARY KEY, value TEXT NOT NULL);
CREATE TABLE people(id INTEGER PRIMARY KEY, name TEXT NOT NULL, token TEXT NOT NULL UNIQUE,
    invited TEXT);
CREATE TABLE classes(id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE);
CREATE TABLE written(row TEXT PRIMARY KEY, label TEXT NOT NULL);
CREATE TABLE planned(row TEXT PRIMARY KEY, label TEXT NOT NULL);
CREATE TABLE events(
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    key TEXT NOT NULL UNIQUE,
    time REAL NOT NULL,
    person INTEGER NOT NULL,
    row TEXT NOT NULL,
    kind TEXT NOT NULL CHECK (kind IN {KINDS}),
    label TEXT NOT NULL DEFAULT '',
    comment TEXT NOT NULL DEFAULT '',
    sure INTEGER NOT NULL DEFAULT 1,
    seconds REAL,
    asked TEXT NOT NULL DEFAULT '',
    undoes INTEGER REFERENCES events(id),
    looks TEXT NOT NULL DEFAULT '',
    CHECK ((kind IN ('label', 'ruling')) = (label <> '')),
    CHECK ((kind = 'undo') = (undoes IS NOT NULL)));
CREATE TRIGGER events_stay BEFORE UPDATE ON events
    BEGIN SELECT RAISE(ABORT, 'events are never changed'); END;
CREATE TRIGGER events_are_kept BEFORE DELETE ON events
    BEGIN SELECT RAISE(ABORT, 'events are never deleted'); END;
"""
_FROM_VERSION_1 = """
ALTER TABLE people ADD COLUMN invited TEXT;
CREATE TABLE planned(row TEXT PRIMARY KEY, label TEXT NOT NULL);
ALTER TABLE events ADD COLUMN looks TEXT NOT NULL DEFAULT '';
"""


class InUseError(InputError):
    """Another server works on the project."""


class NotKeptError(OSError):
    """An answer could not be written to the disk, and is not acknowledged."""


@dataclass(frozen=True)
class Event:
    """One event: an answer, an undo or a decision of a person.

    Attributes
    ----------
    id : int
        Place in the order of all events; 0 before it is kept.
    key : str
        Made up by who sent it; the same key is kept once.
    time : float
        Seconds since 1970, by the clock of the server.
    person : int
    row : str
        Name of the row.
    kind : str
        One of `KINDS`.
    label, comment : str
    sure : bool
        Whether the person was sure.
    seconds : float or None
        How long the person looked at the row.
    asked : str
        Why the row was shown.
    undoes : int or None
        The event that is undone.
    looks : str
        A short word that changes with the cells of the row.
    """

    key: str
    person: int
    row: str
    kind: str
    label: str = ""
    comment: str = ""
    sure: bool = True
    seconds: float | None = None
    asked: str = ""
    undoes: int | None = None
    looks: str = ""
    time: float = 0.0
    id: int = 0


@dataclass(frozen=True)
class Person:
    """Who labels.

    Attributes
    ----------
    id : int
        From 1 on.
    name : str
    token : str
        The secret part of their address.
    """

    id: int
    name: str
    token: str


_COLUMNS = (
    "key", "person", "row", "kind", "label", "comment", "sure", "seconds", "asked", "undoes",
    "looks", "time",
)  # fmt: skip


class Store:
    """The answers of a project, open for one server.

    Parameters
    ----------
    path : Path
        The SQLite file; made if it is not there.

    Raises
    ------
    InputError
        If another server holds it, or it is no such file.

    Examples
    --------
    >>> import tempfile
    >>> store = Store(Path(tempfile.mkdtemp()) / FILE)
    >>> store.append(Event("k1", 1, "17", "label", "cat")).id
    1
    >>> store.append(Event("k1", 1, "17", "label", "cat")).id
    1
    >>> [(event.row, event.label) for event in store.events()]
    [('17', 'cat')]
    >>> store.close()
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._lock = threading.Lock()
        self._file = _open(path)

    def close(self) -> None:
        """Let the file go."""
        with self._lock:
            self._file.close()

    def append(self, event: Event) -> Event:
        """Keep an event; returns once it is on the disk.

        Returns
        -------
        Event
            With its number and time; the kept one, if there is one with this key.

        Raises
        ------
        NotKeptError
            If the disk is full or fails.
        """
        return self.append_all([event])[0]

    def append_all(self, events: Sequence[Event]) -> list[Event]:
        """Keep several events, all or none."""
        names = ", ".join(_COLUMNS)
        marks = ", ".join("?" for _ in _COLUMNS)
        insert = f"INSERT INTO events({names}) VALUES ({marks}) ON CONFLICT(key) DO NOTHING"
        with self._writing() as file:
            for event in events:
                values = [getattr(event, name) for name in _COLUMNS]
                values[-1] = event.time or time.time()
                file.execute(insert, values)
            return [next(self._select("WHERE key = ?", (event.key,))) for event in events]

    def events(self) -> list[Event]:
        """All of them, in order."""
        with self._lock:
            return list(self._select())

    def people(self) -> list[Person]:
        """Who has an address."""
        with self._lock:
            found = self._file.execute("SELECT id, name, token FROM people ORDER BY id")
            return [Person(*row) for row in found]

    def add_people(self, names: Sequence[str]) -> list[Person]:
        """Give further people an address; those who were invited by a name keep theirs."""
        insert = "INSERT INTO people(name, token, invited) VALUES (?, ?, ?)"
        with self._writing() as file:
            found = file.execute("SELECT name, invited FROM people").fetchall()
            known = {name for pair in found for name in pair}
            for name in names:
                if name not in known:
                    file.execute(insert, (name, secrets.token_urlsafe(24), name))
        return self.people()

    def rename(self, person: int, name: str) -> None:
        """Call a person otherwise; by which name they were invited is kept."""
        change = "UPDATE people SET invited = COALESCE(invited, name), name = ? WHERE id = ?"
        with self._writing() as file:
            file.execute(change, (name, person))

    def classes(self) -> list[str]:
        """Classes, in the order in which they came."""
        with self._lock:
            return [row[0] for row in self._file.execute("SELECT name FROM classes ORDER BY id")]

    def add_classes(self, names: Sequence[str]) -> None:
        """Further classes; known ones stay where they are."""
        with self._writing() as file:
            for name in names:
                file.execute("INSERT OR IGNORE INTO classes(name) VALUES (?)", (name,))

    def meta(self) -> dict[str, str]:
        """What belongs to the project as a whole."""
        with self._lock:
            return dict(self._file.execute("SELECT key, value FROM meta").fetchall())

    def set_meta(self, **values: str) -> None:
        """Keep facts about the project."""
        with self._writing() as file:
            for key, value in values.items():
                file.execute("INSERT OR REPLACE INTO meta VALUES (?, ?)", (key, value))

    def written(self) -> dict[str, str]:
        """Labels as they were last written to the file of labels, by row."""
        with self._lock:
            return dict(self._file.execute("SELECT row, label FROM written").fetchall())

    def planned(self) -> dict[str, str]:
        """Labels that were about to be written there when something went wrong, by row."""
        with self._lock:
            return dict(self._file.execute("SELECT row, label FROM planned").fetchall())

    def plan(self, labels: dict[str, str]) -> None:
        """Remember what is about to be written, so that it is known again if all ends here."""
        with self._writing() as file:
            for row in labels.items():
                file.execute("INSERT OR REPLACE INTO planned VALUES (?, ?)", row)

    def set_written(self, labels: dict[str, str]) -> None:
        """Remember what the file of labels holds, by row; nothing for an empty label."""
        with self._writing() as file:
            file.execute("DELETE FROM planned")
            for row, label in labels.items():
                if label:
                    file.execute("INSERT OR REPLACE INTO written VALUES (?, ?)", (row, label))
                else:
                    file.execute("DELETE FROM written WHERE row = ?", (row,))

    @contextmanager
    def _writing(self) -> Iterator[sqlite3.Connection]:
        with self._lock:
            try:
                self._file.execute("BEGIN IMMEDIATE")
                yield self._file
                self._file.execute("COMMIT")
            except sqlite3.Error as error:
                if self._file.in_transaction:
                    self._file.execute("ROLLBACK")
                raise NotKeptError(f"{self.path} could not be written: {error}.") from error

    def _select(self, where: str = "", values: tuple = ()) -> Iterator[Event]:
        query = f"SELECT {', '.join(_COLUMNS)}, id FROM events {where} ORDER BY id"
        for row in self._file.execute(query, values):
            yield Event(**{**dict(zip((*_COLUMNS, "id"), row)), "sure": bool(row[6])})


def _open(path: Path) -> sqlite3.Connection:
    try:
        os.close(os.open(path, os.O_CREAT | os.O_RDWR, 0o600))
        file = sqlite3.connect(path, timeout=1.0, check_same_thread=False, isolation_level=None)
        file.execute("PRAGMA locking_mode = EXCLUSIVE")
        file.execute("PRAGMA journal_mode = WAL")
        file.execute("PRAGMA synchronous = FULL")
        file.execute("BEGIN IMMEDIATE")
        (version,) = file.execute("PRAGMA user_version").fetchone()
        for statement in _statements({0: _TABLES, 1: _FROM_VERSION_1}.get(version, "")):
            file.execute(statement)
        if version in (0, 1):
            file.execute(f"PRAGMA user_version = {_VERSION}")
        file.execute("COMMIT")
    except sqlite3.OperationalError as error:
        if "locked" in str(error) or "busy" in str(error):
            raise InUseError(
                f"{path} is in use: another server works on this project. Close it, or choose "
                "another folder by --project."
            ) from error
        raise InputError(f"{path} cannot be opened: {error}.") from error
    except sqlite3.DatabaseError as error:
        raise InputError(f"{path} is no file of answers: {error}.") from error
    if version > _VERSION:
        raise InputError(f"{path} was written by another version of this library.")
    return file


def _statements(script: str) -> Iterator[str]:
    """The statements of a script; those of a trigger stay together."""
    part = ""
    for piece in script.split(";")[:-1]:
        part += piece + ";"
        if sqlite3.complete_statement(part):
            yield part
            part = ""
