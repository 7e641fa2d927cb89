"""The current state of all events: the answer that counts for each person and row.

An event of a person about a row replaces the one before; an undone event gives way to the one
before it. The ledger is kept up to date event by event, each in constant time. It may be read while
another thread adds an event.

A label typed into the file is no further vote: the latest statement wins. It outdoes what people
and rulings said before, and gives way to whatever a person says afterwards, a skip aside.
"""

from __future__ import annotations

import threading
from collections import Counter, defaultdict
from collections.abc import Iterable

from uneven.labelling.store import FROM_FILE, Event

RULING = -1
"""Stands in place of the person for decisions between annotators: there is one for each row."""


class Ledger:
    """The answers that count.

    Parameters
    ----------
    events : iterable of Event
        In their order.

    Attributes
    ----------
    events : dict of int to Event
        All of them, by number.
    keys : dict of str to Event
        The same by their keys.
    last : int
        The number of the last one; 0 before there is one.

    Examples
    --------
    >>> def say(id, label):
    ...     return Event(str(id), 1, "7", "label", label, id=id)
    >>> ledger = Ledger([say(1, "cat"), say(2, "dog")])
    >>> ledger.answer(1, "7").label
    'dog'
    >>> ledger.add(Event("3", 1, "7", "undo", undoes=2, id=3))
    >>> ledger.answer(1, "7").label
    'cat'
    """

    def __init__(self, events: Iterable[Event] = ()) -> None:
        self.events: dict[int, Event] = {}
        self.keys: dict[str, Event] = {}
        self.last = 0
        self.undone: set[int] = set()
        self._said: dict[tuple[int, str], list[Event]] = defaultdict(list)
        self._rows: dict[str, dict[int, Event]] = defaultdict(dict)
        self._order: dict[str, int] = {}
        self._given: Counter[int] = Counter()
        self._lock = threading.RLock()
        for event in events:
            self.add(event)

    def add(self, event: Event) -> None:
        """Take one more event; one that is known changes nothing."""
        with self._lock:
            if event.id in self.events:
                return
            self.events[event.id] = self.keys[event.key] = event
            self.last = event.id
            if event.kind == "undo":
                self._undo(event)
                return
            self._given[event.person] += 1
            who = RULING if event.kind == "ruling" else event.person
            self._said[who, event.row].append(event)
            self._refresh(who, event.row)

    def answer(self, person: int, row: str) -> Event | None:
        """What a person says about a row now."""
        return self._rows.get(row, {}).get(person)

    def ruling(self, row: str) -> Event | None:
        """The decision about a row, if there is one and nothing else was typed since."""
        said = self._rows.get(row, {})
        ruling, typed = said.get(RULING), said.get(FROM_FILE)
        return None if ruling and typed and typed.id > ruling.id else ruling

    def rulings(self) -> list[Event]:
        """The decisions that count, the latest first."""
        with self._lock:
            found = [ruling for row in self._rows if (ruling := self.ruling(row)) is not None]
            return sorted(found, key=lambda event: -event.id)

    def people(self, row: str) -> dict[int, Event]:
        """What each person says about a row; the file is none."""
        with self._lock:
            said = self._rows.get(row, {})
            return {who: event for who, event in said.items() if who not in (RULING, FROM_FILE)}

    def standing(self, row: str) -> dict[int, Event]:
        """The answers of which the label follows: those of people, or a later one of the file."""
        people, typed = self.people(row), self.answer(FROM_FILE, row)
        if typed is None or any(e.id > typed.id and e.kind != "skip" for e in people.values()):
            return people
        return {FROM_FILE: typed}

    def votes(self, row: str) -> dict[int, str]:
        """The labels that count for a row, by who gives them."""
        said = self.standing(row)
        return {who: event.label for who, event in said.items() if event.kind == "label"}

    def is_silent(self, row: str) -> bool:
        """Whether a row has no answer."""
        return not self._rows.get(row)

    def speakers(self, row: str, but: int) -> list[int]:
        """Who else has labelled a row, or marked it as one that cannot be labelled."""
        with self._lock:
            said = self._rows.get(row, {}).items()
            return [who for who, event in said if who not in (but, RULING) and event.kind != "skip"]

    def unsure(self, row: str) -> bool:
        """Whether a person says that the row cannot be labelled, and none gives a label."""
        kinds = {event.kind for event in self.standing(row).values()}
        return "unsure" in kinds and "label" not in kinds and self.ruling(row) is None

    def labelled(self) -> list[str]:
        """Rows with a label, in the order in which they got their first one."""
        with self._lock:
            return [row for row in self._order if self.votes(row) or self.ruling(row)]

    def order(self) -> list[str]:
        """Rows that ever had a label, in the order in which they got their first one."""
        with self._lock:
            return list(self._order)

    def said(self) -> list[str]:
        """All rows that somebody spoke about."""
        with self._lock:
            return [row for row, answers in self._rows.items() if answers]

    def given(self, person: int) -> int:
        """How many answers a person has sent, undone ones included."""
        return self._given[person]

    def answers(self, person: int) -> list[Event]:
        """What a person says now, the latest first."""
        with self._lock:
            mine = [row[person] for row in self._rows.values() if person in row]
            return sorted(mine, key=lambda event: -event.id)

    def times_labelled(self, person: int, row: str) -> int:
        """How often a person has looked at a row and given a label."""
        with self._lock:
            kept = (event for event in self._said.get((person, row), ()) if event.kind == "label")
            return sum(event.id not in self.undone for event in kept)

    def disputed(self) -> list[str]:
        """Rows with different labels and no ruling."""
        with self._lock:
            return [
                row
                for row in self._order
                if len(set(self.votes(row).values())) > 1 and self.ruling(row) is None
            ]

    def _undo(self, event: Event) -> None:
        target = self.events.get(event.undoes or 0)
        if target is None or target.kind == "undo":
            return
        self.undone.add(target.id)
        self._refresh(RULING if target.kind == "ruling" else target.person, target.row)

    def _refresh(self, who: int, row: str) -> None:
        kept = [event for event in self._said[who, row] if event.id not in self.undone]
        if kept:
            self._rows[row][who] = kept[-1]
            if kept[-1].kind in ("label", "ruling"):
                self._order.setdefault(row, kept[-1].id)
        else:
            self._rows[row].pop(who, None)


def labels_by_person(ledger: Ledger) -> dict[int, dict[str, str]]:
    """Labels by person and row; the file counts as a person where no person gives a label."""
    found: dict[int, dict[str, str]] = defaultdict(dict)
    for row in ledger.labelled():
        people = {who: e.label for who, e in ledger.people(row).items() if e.kind == "label"}
        for who, label in (people or ledger.votes(row)).items():
            found[who][row] = label
    return dict(sorted(found.items(), key=lambda item: (item[0] == FROM_FILE, item[0])))
