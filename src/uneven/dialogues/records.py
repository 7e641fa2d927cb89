"""Dialogues: who said what, and when."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from numbers import Integral, Real
from typing import Any, cast

MOST_LETTERS = 10**12


@dataclass(frozen=True)
class Turn:
    """What one speaker says before somebody else speaks.

    Parameters
    ----------
    speaker : str
        Speaker, such as "operator" or "user".
    start, end : float or None, default=None
        Seconds since the beginning of the recording; both, or neither where they are unknown.
    words : sequence of str, or str
        Always needed. A string is split at white space.
    entities : sequence of str, default=()
        Named entities in the turn.
    letters : int or None, default=None
        How many letters were spoken, where that is known better than from ``words``: a
        recogniser changes the words, not what was said.

    Examples
    --------
    >>> turn = Turn("user", 1.5, 3.0, "hello my bus is late")
    >>> turn.words, turn.duration, turn.n_letters
    (('hello', 'my', 'bus', 'is', 'late'), 1.5, 16)
    >>> Turn("user", words="good morning").duration
    nan
    """

    speaker: str
    start: float | None = None
    end: float | None = None
    words: Sequence[str] = cast("Sequence[str]", None)
    entities: Sequence[str] = ()
    letters: int | None = None

    def __post_init__(self) -> None:
        words = self.words.split() if isinstance(self.words, str) else self.words
        _check_text("speaker", self.speaker)
        object.__setattr__(self, "words", _texts("words", words))
        object.__setattr__(self, "entities", _texts("entities", self.entities))
        object.__setattr__(self, "start", _seconds("start", self.start))
        object.__setattr__(self, "end", _seconds("end", self.end))
        if (self.start is None) != (self.end is None):
            raise ValueError(f"start={self.start} and end={self.end}: give both times, or neither.")
        if self.start is not None and self.end is not None and self.end < self.start:
            raise ValueError(f"the turn ends ({self.end}) before it starts ({self.start}).")
        if self.letters is not None:
            if not isinstance(self.letters, Integral) or isinstance(self.letters, bool):
                raise ValueError(f"letters must be a whole number or None, got {self.letters!r}.")
            if self.letters < 0:
                raise ValueError(f"letters={_shown(self.letters)}: a count cannot be negative.")
            if self.letters > MOST_LETTERS:
                raise ValueError(
                    f"letters={_shown(self.letters)} is above {MOST_LETTERS}, more than can be "
                    "spoken: correct the count or leave it out."
                )
            object.__setattr__(self, "letters", int(self.letters))

    @property
    def duration(self) -> float:
        """Seconds, NaN where the times are unknown."""
        if self.start is None or self.end is None:
            return math.nan
        return self.end - self.start

    @property
    def n_letters(self) -> int:
        """Letters spoken."""
        return sum(map(len, self.words)) if self.letters is None else self.letters


@dataclass(frozen=True)
class Dialogue:
    """A conversation: its turns in order, and its theme where that is known.

    Parameters
    ----------
    id : str
        Name of the dialogue.
    turns : sequence of Turn
        May be empty; turns may overlap in time.
    theme : str or None, default=None
        The label.
    entities : sequence of str, default=()
        Named entities that belong to no particular turn.

    Examples
    --------
    >>> call = Dialogue("d1", [Turn("user", 0, 2, "to Lyon please", ["Lyon"])], entities=["TGV"])
    >>> call.all_entities
    ('TGV', 'Lyon')
    """

    id: str
    turns: Sequence[Turn]
    theme: str | None = None
    entities: Sequence[str] = ()

    def __post_init__(self) -> None:
        _check_text("id", self.id)
        if self.theme is not None:
            _check_text("theme", self.theme)
        if isinstance(self.turns, str | bytes | Turn) or not isinstance(self.turns, Sequence):
            raise ValueError(f"turns must be a list of Turn, got {self.turns!r:.60}.")
        for number, turn in enumerate(self.turns, start=1):
            if not isinstance(turn, Turn):
                raise ValueError(f"turn {number} must be a Turn, got {turn!r:.60}.")
        object.__setattr__(self, "turns", tuple(self.turns))
        object.__setattr__(self, "entities", _texts("entities", self.entities))

    @property
    def all_entities(self) -> tuple[str, ...]:
        """Entities of the dialogue, then those of its turns."""
        return (*self.entities, *(entity for turn in self.turns for entity in turn.entities))


def _check_text(what: str, value: Any) -> None:
    if not isinstance(value, str) or not value.strip():
        raise ValueError(f"{what} must be a non-empty string, got {value!r:.60}.")


def _texts(what: str, values: Any) -> tuple[str, ...]:
    if isinstance(values, str | bytes) or not isinstance(values, Sequence):
        raise ValueError(f"{what} must be a list of strings, got {values!r:.60}.")
    for value in values:
        if not isinstance(value, str) or not value:
            raise ValueError(f"{what} must hold non-empty strings, got {value!r:.60}.")
    return tuple(values)


def _seconds(what: str, value: Any) -> float | None:
    if value is None:
        return None
    if not isinstance(value, Real) or isinstance(value, bool):
        raise ValueError(f"{what} must be a number of seconds or None, got {value!r:.60}.")
    try:
        seconds = float(value)
    except OverflowError:
        seconds = math.inf
    if not math.isfinite(seconds):
        raise ValueError(f"{what}={_shown(value)}: times must be finite; leave out unknown ones.")
    return seconds


def _shown(number: Any) -> str:
    """A number for a message; Python refuses to write out integers of thousands of digits."""
    try:
        return f"{number!r:.60}"
    except ValueError:
        return "a whole number of thousands of digits"
