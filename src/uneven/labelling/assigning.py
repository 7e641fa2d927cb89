"""Which annotator gets which row.

Most questions are the most informative rows. One in ten is the next row of a random order, for an
unbiased curve. Some rows are shown to a second and third person, so that their agreement is known;
of the rows at hand each person gets those for which they are more reliable than the others.
Nobody gets a row that another person is looking at, unless it is to be labelled by both.
"""

from __future__ import annotations

import time
import zlib
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import islice

import numpy as np

from uneven.labelling.asking import Thought
from uneven.labelling.ledger import Ledger

HELD_SECONDS = 600.0
COPIES = 3
_RANK_COSTS = 0.02

INFORMATION, RANDOM, SECOND, SPREAD, AGAIN = (
    "information",
    "random",
    "second opinion",
    "spread",
    "skipped before",
)
"""Why a row is queried."""


@dataclass(frozen=True)
class Question:
    """A row for a person.

    Attributes
    ----------
    row : int
    why : str
    """

    row: int
    why: str


@dataclass
class Held:
    """A row in somebody's hands until a moment of the steady clock."""

    question: Question
    until: float


class Desk:
    """Hands out questions.

    Parameters
    ----------
    names : sequence of str
        Names of the rows.
    ledger : Ledger
    order : ndarray of int, shape (n_rows,)
        The rows in a random order.
    first : sequence of int
        Rows to query before there is a ranking, spread over the pool.
    people : callable
        Gives the numbers of those who label.
    random_share, overlap : float
        Share of random questions, and of rows that up to three people label.
    seed : int
    """

    def __init__(
        self,
        names: Sequence[str],
        ledger: Ledger,
        order: np.ndarray,
        first: Iterable[int],
        people: Callable[[], Sequence[int]],
        *,
        random_share: float = 0.1,
        overlap: float = 0.2,
        seed: int = 0,
    ) -> None:
        self.names, self.ledger, self.order = names, ledger, order
        self.people = people
        self.random_share, self.overlap, self.seed = random_share, overlap, seed
        self.thought = Thought(-1, [int(row) for row in first], {})
        self.sample = 0
        self._held: dict[int, Held] = {}
        self._pending: dict[int, None] = {}
        self._where = {name: row for row, name in enumerate(names)}
        for name in ledger.said():
            self.heard(name)

    def next(self, person: int) -> Question | None:
        """The question that a person has before them, or the next one; None if all is done."""
        held = self._held.get(person)
        if held and self._is_free(held.question.row, person):
            held.until = time.monotonic() + HELD_SECONDS
            return held.question
        found = self._choose(person)
        if found is None:
            self._held.pop(person, None)
        else:
            self._held[person] = Held(found, time.monotonic() + HELD_SECONDS)
        return found

    def hold(self, person: int, row: int, why: str) -> None:
        """Put a row into a person's hands."""
        self._held[person] = Held(Question(row, why), time.monotonic() + HELD_SECONDS)

    def heard(self, name: str) -> None:
        """An annotator labelled a row, or undid it."""
        row = self._where[name]
        votes = len(self.ledger.votes(name))
        if 0 < votes < self.copies(row):
            self._pending[row] = None
        else:
            self._pending.pop(row, None)
        if self.ledger.is_silent(name):
            self.sample = 0
        while self.sample < len(self.order) and not self.ledger.is_silent(
            self.names[self.order[self.sample]]
        ):
            self.sample += 1

    def copies(self, row: int) -> int:
        """How many people are to label a row."""
        several = len(self.people())
        shared = several > 1 and self._chance("shared", self.names[row]) < self.overlap
        return min(several, COPIES) if shared else 1

    def _choose(self, person: int) -> Question | None:
        turn = self.ledger.given(person)
        if self._chance("random", person, turn) < self.random_share and (
            question := self._random(person, RANDOM)
        ):
            return question
        first = self._chance("second", person, turn) < 0.5
        if first and (second := self._free(self._pending, person)):
            return Question(self._for_whom(second, person), SECOND)
        if ready := self._free(self.thought.queue, person):
            why = INFORMATION if self.thought.shares else SPREAD
            return Question(self._for_whom(ready, person), why)
        if not first and (second := self._free(self._pending, person)):
            return Question(self._for_whom(second, person), SECOND)
        return self._random(person, RANDOM) or self._skipped(person)

    def _free(self, rows: Iterable[int], person: int) -> list[int]:
        """The first rows that a person may get, two for each of those who label."""
        free = (row for row in rows if self._is_free(row, person))
        return list(islice(free, 2 * len(self.people())))

    def _random(self, person: int, why: str) -> Question | None:
        for row in self.order[self.sample :]:
            if self._is_free(int(row), person):
                return Question(int(row), why)
        return None

    def _skipped(self, person: int) -> Question | None:
        for event in reversed(self.ledger.answers(person)):
            if event.kind == "skip" and self._has_room(self._where[event.row], person):
                return Question(self._where[event.row], AGAIN)
        return None

    def _is_free(self, row: int, person: int) -> bool:
        said = self.ledger.answer(person, self.names[row])
        held = self._held.get(person)
        again = held and held.question == Question(row, AGAIN) and said and said.kind == "skip"
        return (said is None or bool(again)) and self._has_room(row, person)

    def _has_room(self, row: int, person: int) -> bool:
        name, now = self.names[row], time.monotonic()
        if self.ledger.ruling(name) is not None:
            return False
        spoken = self.ledger.speakers(name, but=person)
        hands = sum(
            who != person and held.question.row == row and held.until > now
            for who, held in self._held.items()
            if who not in spoken
        )
        return len(spoken) + hands < self.copies(row)

    def _for_whom(self, rows: Sequence[int], person: int) -> int:
        """Of some rows the one for which a person is most worth more than the others."""
        known = self.thought.reliability
        others = [who for who in self.people() if who != person]
        if known is None or not others or len(rows) == 1:
            return rows[0]
        shares = [self.thought.shares.get(row) or self._shares_of_votes(row) for row in rows]
        worth = known.right([person], shares) - known.right(others, shares)
        return rows[int(np.argmax(worth - _RANK_COSTS * np.arange(len(rows))))]

    def _shares_of_votes(self, row: int) -> dict[str, float]:
        votes = list(self.ledger.votes(self.names[row]).values())
        return {label: votes.count(label) / len(votes) for label in votes}

    def _chance(self, *what: object) -> float:
        """A number between 0 and 1 that is drawn once for each thing."""
        word = " ".join(map(str, (self.seed, *what)))
        return zlib.crc32(word.encode("utf-8", "surrogatepass")) / 2**32
