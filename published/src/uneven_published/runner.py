"""Run the cells of exhibits in parallel; a killed run goes on where it was."""

from __future__ import annotations

import os
import threading
import time
import traceback
import warnings
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from importlib.util import find_spec
from pathlib import Path

from joblib import Parallel, delayed
from threadpoolctl import threadpool_limits

from uneven.comparison.progress import Observer, Silent
from uneven.comparison.summaries import now, versions
from uneven.datasets import DatasetUnavailableError
from uneven_published.cells import Cell, CellStore, Finished
from uneven_published.description import Context, Exhibit, Item, Study
from uneven_published.numbers import Measured
from uneven_published.tables import fetch_table


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
    kept : Path or None
        Kept cells to start from; see `uneven_published.cells`.
    """

    folder: Path
    fast: bool = False
    data: Path | None = None
    n_jobs: int = 1
    made: Mapping[str, str] = field(default_factory=dict)
    download: bool = True
    kept: Path | None = None

    @property
    def store(self) -> CellStore:
        """Where cells are found."""
        return CellStore(self.folder, self.kept)


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


def made_now() -> dict[str, str]:
    """Date and versions, to be kept with the cells of a run."""
    return {"date": now()[:10], **versions()}


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
            fetch_table(name, run.data, run.download)
        except (DatasetUnavailableError, OSError, ValueError) as error:
            missing[name] = str(error).splitlines()[0]
    return missing


def _work(
    cell: Cell, store: CellStore, context: Context, made: Mapping[str, str], boss: int
) -> tuple[str, int, str]:
    """Run one cell and keep it; an error is reported, not raised."""
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
