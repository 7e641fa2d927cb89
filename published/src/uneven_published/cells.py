"""Finished cells on disk: one small file each, so that a killed run goes on where it was."""

from __future__ import annotations

import json
import time
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from uneven.utils.files import replace_file
from uneven_published.description import Answers, Item, Study

__all__ = ["Cell", "CellStore", "Finished"]


_OLD = 3600.0
"""Seconds after which nobody is writing a draft any more."""


@dataclass(frozen=True)
class Cell:
    """One repetition of one item of a study: the smallest piece of work."""

    study: Study
    item: Item
    repeat: int

    @property
    def label(self) -> str:
        """Name for people."""
        return f"{self.study.name}: {self.item.name}"

    @property
    def place(self) -> str:
        """Path inside the folder of cells."""
        return f"{self.study.name}/{self.item.folder}/{self.repeat:04d}.json"


@dataclass(frozen=True)
class Finished:
    """What a cell found, how long it took, and when and with what it was made."""

    answers: Answers
    seconds: float
    made: Mapping[str, str]


@dataclass(frozen=True)
class CellStore:
    """The folder of finished cells.

    Attributes
    ----------
    folder : Path
        It need not exist.
    """

    folder: Path

    def load(self, cell: Cell) -> Finished | None:
        """A finished cell; None if it was never finished, is of an older edition or unreadable."""
        try:
            kept = json.loads((self.folder / cell.place).read_text(encoding="utf-8"))
            if kept["edition"] != cell.study.edition or kept["item"] != cell.item.name:
                return None
            return Finished(_checked(kept["answers"]), float(kept["seconds"]), dict(kept["made"]))
        except (OSError, ValueError, KeyError, TypeError, AttributeError):
            return None

    def sweep(self) -> None:
        """Remove drafts that a killed run left behind; those of a run that lives are young."""
        for draft in self.folder.glob("*/*/.*.json"):
            with suppress(OSError):
                if time.time() - draft.stat().st_mtime > _OLD:
                    draft.unlink()

    def save(self, cell: Cell, finished: Finished) -> None:
        """Keep a finished cell, whole or not at all."""
        path = self.folder / cell.place
        path.parent.mkdir(parents=True, exist_ok=True)
        kept = {
            "study": cell.study.name,
            "edition": cell.study.edition,
            "item": cell.item.name,
            "repeat": cell.repeat,
            "seconds": round(finished.seconds, 3),
            "made": dict(finished.made),
            "answers": finished.answers,
        }
        text = json.dumps(kept, default=_plain)
        with replace_file(path) as draft:
            draft.write_text(text, encoding="utf-8")


def _checked(answers: Any) -> Answers:
    """Answers as read; an error if they are not samples by column and measure."""
    for measures in answers.values():
        for values in measures.values():
            np.asarray(values, dtype=np.float64)
    return answers


def _plain(value: Any) -> Any:
    if isinstance(value, np.ndarray):
        return value.tolist()
    if isinstance(value, np.generic):
        return value.item()
    raise TypeError(f"a cell cannot keep {type(value).__name__}.")
