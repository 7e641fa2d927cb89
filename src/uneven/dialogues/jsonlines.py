"""Dialogues in files: one JSON object per line, plain or compressed."""

from __future__ import annotations

import gzip
import json
import os
import zlib
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import IO, Any, cast

from uneven.dialogues.records import Dialogue, Turn
from uneven.utils.files import replace_file

MOST_DIGITS = 300
GZIP_START = b"\x1f\x8b"
_DIALOGUE_KEYS = ("id", "theme", "entities", "turns")
_TURN_KEYS = ("speaker", "start", "end", "words", "entities", "letters")


def read_dialogues(path: str | os.PathLike[str]) -> list[Dialogue]:
    """Read a corpus of dialogues.

    Parameters
    ----------
    path : str or path-like
        A ``.jsonl`` or ``.jsonl.gz`` file in UTF-8, one dialogue per line; empty lines are
        skipped. Keys of a dialogue: ``id``, ``turns``, and optionally ``theme`` and ``entities``.
        Keys of a turn: ``speaker``, ``words`` (a list, or a string that is split at white space),
        and optionally ``start``, ``end`` (seconds), ``entities`` and ``letters``.

    Returns
    -------
    list of Dialogue

    Raises
    ------
    ValueError
        Names the file, the line, what is wrong with it and what to do.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> file = pathlib.Path(tempfile.mkdtemp()) / "corpus.jsonl"
    >>> line = '{"id": "d1", "turns": [{"speaker": "user", "words": "hello"}]}'
    >>> _ = file.write_text(line)
    >>> read_dialogues(file)[0].turns[0].words
    ('hello',)
    """
    place = _checked(path)
    found: list[Dialogue] = []
    first_seen: dict[str, int] = {}
    for number, line in _numbered_lines(place):
        try:
            dialogue = _dialogue(_parsed(line))
            if dialogue.id in first_seen:
                raise ValueError(
                    f"id {dialogue.id!r} was already used on line {first_seen[dialogue.id]}: "
                    "give every dialogue a name of its own."
                )
        except ValueError as error:
            raise ValueError(f"{place}, line {number}: {error}") from None
        first_seen[dialogue.id] = number
        found.append(dialogue)
    return found


def write_dialogues(path: str | os.PathLike[str], dialogues: Iterable[Dialogue]) -> None:
    """Write a corpus of dialogues, whole or not at all.

    Parameters
    ----------
    path : str or path-like
        Ends in ``.jsonl`` or, to compress, in ``.jsonl.gz``. The same dialogues give the same
        bytes. Its folder must exist.
    dialogues : iterable of Dialogue
        Their ids must differ.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> file = pathlib.Path(tempfile.mkdtemp()) / "corpus.jsonl"
    >>> calls = [Dialogue("d1", [Turn("user", 0.0, 1.5, ["où", "ça"])], theme="itinerary")]
    >>> write_dialogues(file, calls)
    >>> read_dialogues(file) == calls
    True
    """
    place = _checked(path)
    used: set[str] = set()
    with replace_file(place) as draft, draft.open("wb") as raw:
        target = _compressed(raw) if place.suffix == ".gz" else raw
        for position, dialogue in enumerate(dialogues):
            if not isinstance(dialogue, Dialogue):
                raise TypeError(f"item {position} is {dialogue!r:.60}, not a Dialogue.")
            if dialogue.id in used:
                raise ValueError(f"two dialogues have the id {dialogue.id!r}; ids must differ.")
            used.add(dialogue.id)
            target.write(_line(dialogue))
        if target is not raw:
            target.close()


def _checked(path: str | os.PathLike[str]) -> Path:
    place = Path(path)
    if not place.name.endswith((".jsonl", ".jsonl.gz")):
        raise ValueError(f"{place}: the name of a corpus ends in .jsonl or .jsonl.gz.")
    return place


def _compressed(raw: IO[bytes]) -> IO[bytes]:
    return cast("IO[bytes]", gzip.GzipFile(filename="", mode="wb", fileobj=raw, mtime=0))


def _line(dialogue: Dialogue) -> bytes:
    record: dict[str, Any] = {"id": dialogue.id}
    if dialogue.theme is not None:
        record["theme"] = dialogue.theme
    if dialogue.entities:
        record["entities"] = dialogue.entities
    record["turns"] = [_turn_record(turn) for turn in dialogue.turns]
    text = json.dumps(record, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    try:
        return f"{text}\n".encode()
    except UnicodeEncodeError as error:
        raise ValueError(
            f"dialogue {dialogue.id!r} holds half a character, {text[error.start]!r}, that UTF-8 "
            "cannot write: repair its text first."
        ) from None


def _turn_record(turn: Turn) -> dict[str, Any]:
    known = {key: getattr(turn, key) for key in _TURN_KEYS}
    return {key: value for key, value in known.items() if value not in (None, ()) or key == "words"}


def _numbered_lines(place: Path) -> Iterator[tuple[int, str]]:
    """Lines that are not empty, with their numbers from 1."""
    number = 0
    _check_start(place)
    try:
        with gzip.open(place) if place.suffix == ".gz" else place.open("rb") as file:
            for number, raw in enumerate(cast("IO[bytes]", file), start=1):
                line = raw.decode("utf-8-sig" if number == 1 else "utf-8")
                if line.strip():
                    yield number, line
    except UnicodeDecodeError as error:
        raise ValueError(
            f"{place}, line {number}: byte {error.start + 1} is not UTF-8 ({error.reason}); "
            "save the file in UTF-8."
        ) from None
    except (gzip.BadGzipFile, EOFError, zlib.error) as error:
        raise ValueError(
            f"{place}, after line {number}: not a whole gzip file ({error}); compress or copy it "
            "again."
        ) from None


def _parsed(line: str) -> Any:
    try:
        record = json.loads(line, object_pairs_hook=_object, parse_int=_whole)
        if "\\ud" in line.lower():
            json.dumps(record, ensure_ascii=False).encode()
        return record
    except UnicodeEncodeError as error:
        half = ascii(error.object[error.start])
        raise ValueError(f"half a character, {half}, is no text: repair the line.") from None
    except json.JSONDecodeError as error:
        raise ValueError(
            f"not JSON at character {error.pos + 1} ({error.msg}); each line must hold one whole "
            "dialogue."
        ) from None
    except RecursionError:
        raise ValueError("nested too deeply to be a dialogue.") from None


def _check_start(place: Path) -> None:
    """Refuse a file whose name says something else about compression than its first bytes."""
    with place.open("rb") as file:
        start = file.read(len(GZIP_START))
    if place.suffix == ".gz" and start != GZIP_START:
        raise ValueError(
            f"{place} is not a gzip file: compress it, or take .gz off its name if it is text."
        )
    if place.suffix != ".gz" and start == GZIP_START:
        raise ValueError(f"{place} is a gzip file: let its name end in .jsonl.gz.")


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        twice = next(key for key, count in Counter(key for key, _ in pairs).items() if count > 1)
        raise ValueError(f"the key {twice!r} stands twice in one object: keep one of them.")
    return found


def _whole(digits: str) -> int:
    if len(digits) > MOST_DIGITS:
        raise ValueError(f"a number of {len(digits)} digits is too long to be meant.")
    return int(digits)


def _dialogue(record: Any) -> Dialogue:
    fields = _fields(record, "a dialogue", _DIALOGUE_KEYS, ("id", "turns"))
    if not isinstance(fields["turns"], list):
        raise ValueError(f"turns must be a list of turns, got {fields['turns']!r:.60}.")
    turns = []
    for number, entry in enumerate(fields["turns"], start=1):
        try:
            turn = _fields(entry, "a turn", _TURN_KEYS, ("speaker", "words"))
            turns.append(Turn(**turn))
        except ValueError as error:
            raise ValueError(f"turn {number}: {error}") from None
    return Dialogue(**{**fields, "turns": turns})


def _fields(
    record: Any, what: str, known: tuple[str, ...], needed: tuple[str, ...]
) -> dict[str, Any]:
    """Entries of a JSON object whose keys are as they should be; null stands for "not given"."""
    if not isinstance(record, dict):
        raise ValueError(f"{what} must be a JSON object {{...}}, got {record!r:.60}.")
    strangers = [key for key in record if key not in known]
    if strangers:
        raise ValueError(
            f"{what} has the unknown key {strangers[0]!r}; the keys are {', '.join(known)}."
        )
    given = {key: value for key, value in record.items() if value is not None}
    missing = [key for key in needed if key not in given]
    if missing:
        raise ValueError(f"{what} needs the key {missing[0]!r}.")
    return given
