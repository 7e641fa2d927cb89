"""Finished cells: a file each while a study runs, a line each once they are kept with the package.

A run starts from the kept lines and computes what they lack. ``python -m uneven_published --keep
FOLDER`` adds the finished cells of a folder to them.
"""

from __future__ import annotations

import json
import time
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from uneven.utils.files import replace_file
from uneven_published.description import Answers, Item, Study
from uneven_published.kept import kept_file, kept_lines

DIGITS = 6
"""Significant digits of kept answers."""
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
    """Where finished cells are found.

    Attributes
    ----------
    folder : Path
        A file per cell; new ones are written here. It need not exist.
    kept : Path or None
        Folder of JSON lines to start from.
    """

    folder: Path
    kept: Path | None = None

    def load(self, cell: Cell) -> Finished | None:
        """A finished cell; None if it was never finished, is of an older edition or unreadable."""
        return self._of_folder(cell) or self._of_kept(cell)

    def _of_folder(self, cell: Cell) -> Finished | None:
        try:
            return _finished(
                json.loads((self.folder / cell.place).read_text(encoding="utf-8")), cell
            )
        except (OSError, ValueError):
            return None

    def _of_kept(self, cell: Cell) -> Finished | None:
        if self.kept is None:
            return None
        found = kept_lines(kept_file(self.kept, cell.study.name))
        return _finished(found.get((cell.item.name, cell.repeat)), cell)

    def sweep(self) -> None:
        """Remove drafts that a killed run left behind; those of a run that lives are young."""
        for draft in self.folder.glob("*/*/.*.json"):
            with suppress(OSError):
                if time.time() - draft.stat().st_mtime > _OLD:
                    draft.unlink()

    def save(self, cell: Cell, finished: Finished) -> None:
        """Write a finished cell, whole or not at all."""
        path = self.folder / cell.place
        path.parent.mkdir(parents=True, exist_ok=True)
        text = json.dumps({"study": cell.study.name, **_entry(cell, finished)}, default=_plain)
        with replace_file(path) as draft:
            draft.write_text(text, encoding="utf-8")

    def keep(self, cells: Iterable[Cell]) -> int:
        """Add the finished ones of some cells to the kept lines.

        Lines of an older edition of their study are dropped.

        Parameters
        ----------
        cells : iterable of Cell

        Returns
        -------
        int
            How many are new.
        """
        if self.kept is None:
            raise ValueError("kept must name a folder.")
        by_study: dict[str, list[Cell]] = {}
        for cell in cells:
            by_study.setdefault(cell.study.name, []).append(cell)
        return sum(self._keep_study(name, some) for name, some in by_study.items())

    def _keep_study(self, name: str, cells: list[Cell]) -> int:
        path = kept_file(self.kept or Path(), name)
        edition = cells[0].study.edition
        lines = {
            place: line for place, line in kept_lines(path).items() if line["edition"] == edition
        }
        new = 0
        for cell in cells:
            finished = self._of_folder(cell)
            if finished is not None and (cell.item.name, cell.repeat) not in lines:
                lines[cell.item.name, cell.repeat] = _rounded(_entry(cell, finished))
                new += 1
        if new:
            path.parent.mkdir(parents=True, exist_ok=True)
            with replace_file(path) as draft:
                text = "".join(json.dumps(lines[place]) + "\n" for place in sorted(lines))
                draft.write_text(text, encoding="utf-8", newline="\n")
            kept_lines.cache_clear()
        return new


def _entry(cell: Cell, finished: Finished) -> dict[str, Any]:
    return {
        "edition": cell.study.edition,
        "item": cell.item.name,
        "repeat": cell.repeat,
        "seconds": round(finished.seconds, 3),
        "made": dict(finished.made),
        "answers": finished.answers,
    }


def _finished(entry: Any, cell: Cell) -> Finished | None:
    """A cell as read; None if it is of an older edition, of another item or damaged."""
    try:
        if entry["edition"] != cell.study.edition or entry["item"] != cell.item.name:
            return None
        for measures in entry["answers"].values():
            for values in measures.values():
                np.asarray(values, dtype=np.float64)
        return Finished(entry["answers"], float(entry["seconds"]), dict(entry["made"]))
    except (ValueError, KeyError, TypeError, AttributeError):
        return None


def _rounded(value: Any) -> Any:
    """The same with floats of fewer digits."""
    if isinstance(value, Mapping):
        return {key: _rounded(one) for key, one in value.items()}
    if isinstance(value, list | tuple):
        return [_rounded(one) for one in value]
    return float(f"{value:.{DIGITS}g}") if isinstance(value, float) else value


def _plain(value: Any) -> Any:
    if isinstance(value, np.ndarray):
        return value.tolist()
    if isinstance(value, np.generic):
        return value.item()
    raise TypeError(f"a cell cannot keep {type(value).__name__}.")
