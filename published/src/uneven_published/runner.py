"""Run the cells of exhibits, in parallel and with everything finished kept.

A finished cell is one small file, so that a killed run goes on where it was.
"""

from __future__ import annotations

import json
import os
import threading
import time
import traceback
import warnings
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
from joblib import Parallel, delayed
from threadpoolctl import threadpool_limits

from uneven.comparison.crossval import Observer, Silent
from uneven.datasets import DatasetUnavailableError, fetch
from uneven.utils.files import replace_file
from uneven_published.description import Answers, Context, Exhibit, Item, Study
from uneven_published.numbers import Measured

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


@dataclass(frozen=True)
class Run:
    """How to run.

    Attributes
    ----------
    folder : Path
        For the finished cells.
    fast : bool
        Fewer repetitions.
    data : Path or None
        Folder of data sets; None for the usual one.
    n_jobs : int
        Processes; -1 for one per core.
    made : mapping of str to str
        Date and versions, kept with every cell.
    download : bool
        Whether data sets that are not in the folder may be downloaded.
    """

    folder: Path
    fast: bool = False
    data: Path | None = None
    n_jobs: int = 1
    made: Mapping[str, str] = field(default_factory=dict)
    download: bool = True

    @property
    def store(self) -> CellStore:
        """Where cells are kept."""
        return CellStore(self.folder)


@dataclass(frozen=True)
class Harvest:
    """What the finished cells of an exhibit hold.

    Attributes
    ----------
    measured : Measured
    done, planned : int
        Cells.
    repeats : dict of str to int
        Finished repetitions by row.
    seconds : float
        Spent on the finished cells, whenever they were run.
    made : list of dict
        Dates and versions of the cells, without repetitions.
    """

    measured: Measured
    done: int
    planned: int
    repeats: dict[str, int]
    seconds: float
    made: list[Mapping[str, str]]


def plan(exhibits: Iterable[Exhibit], fast: bool) -> list[Cell]:
    """All cells of the exhibits, each once; low repetitions first, so that all tables fill up."""
    found: dict[str, Cell] = {}
    for exhibit in exhibits:
        for study in exhibit.studies:
            for item, repeat in study.cells(fast):
                cell = Cell(study.at(fast), item, repeat)
                found.setdefault(cell.place, cell)
    return sorted(found.values(), key=lambda cell: cell.repeat)


def run_cells(
    cells: Sequence[Cell], run: Run, observer: Observer | None = None
) -> tuple[dict[str, str], dict[str, str]]:
    """Run the cells that are not finished yet and whose packages are installed.

    Parameters
    ----------
    cells : sequence of Cell
    run : Run
    observer : Observer, optional
        Told about every cell that is finished.

    Returns
    -------
    missing : dict of str to str
        Data sets that are not to be had, and why.
    failed : dict of str to str
        Cells that ended with an error, by label and repetition, and its last line.
    """
    observer = observer or Silent()
    run.store.sweep()
    todo = [cell for cell in cells if run.store.load(cell) is None]
    todo = [cell for cell in todo if not absent_packages(cell.study, cell.item)]
    missing = _missing_data(todo, run)
    able = [cell for cell in todo if not missing.keys() & set(cell.item.data)]
    for _ in range(len(cells) - len(able)):
        observer.end("")
    failed = {}
    context = Context(run.data)
    boss = os.getpid()
    jobs = (delayed(_work)(cell, run.store, context, dict(run.made), boss) for cell in able)
    ended = Parallel(n_jobs=run.n_jobs, return_as="generator_unordered", batch_size=1)(jobs)
    for label, repeat, error in ended:
        observer.begin(label, f"repetition {repeat + 1}")
        observer.end(label)
        if error:
            failed[f"{label}, repetition {repeat + 1}"] = error
    return missing, failed


def harvest(exhibit: Exhibit, run: Run) -> Harvest:
    """Gather what is finished of an exhibit."""
    cells = plan([exhibit], run.fast)
    found = [(cell, run.store.load(cell)) for cell in cells]
    done = [(cell, kept) for cell, kept in found if kept is not None]
    order = {item.name: k for s in exhibit.studies for k, item in enumerate(s.at(run.fast).items)}
    done.sort(key=lambda pair: (order[pair[0].item.name], pair[0].repeat))
    measured = Measured.gather(
        ((cell.item.name, kept.answers) for cell, kept in done),
        [cell.repeat for cell, _ in done],
    )
    finished: dict[str, set[int]] = {}
    for cell, _ in done:
        finished.setdefault(cell.item.name, set()).add(cell.repeat)
    repeats = {name: len(numbers) for name, numbers in finished.items()}
    made = list({str(sorted(kept.made.items())): kept.made for _, kept in done}.values())
    seconds = sum(kept.seconds for _, kept in done)
    return Harvest(measured, len(done), len(cells), repeats, seconds, made)


def _missing_data(cells: Sequence[Cell], run: Run) -> dict[str, str]:
    """Look for every data set once, downloading it if that is allowed."""
    missing = {}
    for name in dict.fromkeys(name for cell in cells for name in cell.item.data):
        try:
            fetch(name, data_home=run.data, download=run.download)
        except (DatasetUnavailableError, OSError, ValueError) as error:
            missing[name] = str(error).splitlines()[0]
    return missing


def _work(
    cell: Cell, store: CellStore, context: Context, made: Mapping[str, str], boss: int
) -> tuple[str, int, str]:
    """Run one cell and keep it; an error is told, not raised."""
    if boss != os.getpid():
        _end_with(boss)
    start = time.perf_counter()
    try:
        with warnings.catch_warnings(), threadpool_limits(1):
            warnings.simplefilter("ignore")
            answers = cell.study.measure(cell.item.name, cell.repeat, context)
        store.save(cell, Finished(answers, time.perf_counter() - start, made))
    except Exception as error:
        where = traceback.extract_tb(error.__traceback__)[-1]
        return cell.label, cell.repeat, f"{error} ({where.name}, line {where.lineno})"
    return cell.label, cell.repeat, ""


@cache
def _end_with(boss: int) -> None:
    """Let this process end soon after the one that gives it work, which may be killed."""

    def watch() -> None:
        while os.getppid() == boss:
            time.sleep(1.0)
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()


def absent_packages(*needy: Study | Item) -> list[str]:
    """Modules that studies or items need and that are not installed."""
    return [name for one in needy for name in one.packages if find_spec(name) is None]


def missing_rows(exhibit: Exhibit, fast: bool, missing: Iterable[str]) -> dict[str, str]:
    """Rows that lack a data set, columns that lack a package, and which one."""
    lacking = {}
    absent = set(missing)
    for study in (one.at(fast) for one in exhibit.studies):
        for name in absent_packages(study):
            lacking[study.column or study.name] = f"package {name!r} is not installed"
    for cell in plan([exhibit], fast):
        for name in absent_packages(cell.item):
            lacking[cell.item.name] = f"package {name!r} is not installed"
        for name in absent.intersection(cell.item.data):
            lacking[cell.item.name] = f"data set {name!r} is missing"
    return lacking
