"""Run published tables and figures again, write their pages, and tell what came out."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from uneven.cli import terminal
from uneven.comparison.errors import InputError
from uneven.datasets.cache import cache_folder
from uneven.utils.files import replace_file
from uneven_published.collection import catalogue, choose, listed
from uneven_published.command import ReproduceRequest
from uneven_published.description import Exhibit
from uneven_published.kept import KEPT
from uneven_published.pages.files import write_data, write_exhibit, write_index
from uneven_published.pages.markdown import published_page
from uneven_published.record import (
    SCHEMA,
    build_record,
    join_measured,
    measured_part,
    record_of,
)
from uneven_published.runner import Run, harvest, made_now, missing_rows, plan, run_cells
from uneven_published.terminal import cell_progress, print_record

CELLS = "cells"
INTERRUPTED = 130
SHOWN_FAILURES = 5


def reproduce(request: ReproduceRequest) -> int:
    """See `uneven_published.command.reproduce`."""
    exhibits = choose(request.names)
    earlier = read_records(request.out)
    run = Run(
        folder=request.out / CELLS,
        fast=request.fast,
        data=request.data,
        n_jobs=request.n_jobs,
        made=made_now(),
        download=not request.offline,
        kept=KEPT,
    )
    missing: dict[str, str] = {}
    failed: dict[str, str] = {}
    if not request.kept:
        cells = plan(exhibits, request.fast)
        try:
            with cell_progress(len(cells)) as observer:
                missing, failed = run_cells(cells, run, observer)
        except KeyboardInterrupt:
            return _say_interrupted(run, exhibits)
    records = [
        _with_earlier(exhibit, _record(exhibit, run, missing, failed), earlier.get(exhibit.name))
        for exhibit in exhibits
    ]
    if request.kept and not any(map(_done, records)):
        raise InputError(f"{run.folder} holds no finished cell of what is asked for; run it first.")
    _write(records, earlier, request.out)
    _tell(records, failed, request.out)
    _say_missing(missing, request)
    _say_absent(records)
    return 1 if failed else 0


def write_page(page: Path, folder: Path) -> None:
    """See `uneven_published.command.write_page`."""
    kept = read_records(folder, strict=True)
    if not kept:
        raise InputError(
            f"{folder} holds no results (NAME.json) of uneven reproduce; run it first."
        )
    records = [record_of(exhibit, kept.get(exhibit.name, {})) for exhibit in catalogue()]
    text = published_page(records, pictures=_from(page.parent, folder))
    for record in records:
        if record["name"] in kept:
            write_data(record, folder)
    with replace_file(page) as draft:
        draft.write_text(text, encoding="utf-8", newline="\n")
    terminal.stdout().print(f"wrote {page} from {len(kept)} results in {folder}", soft_wrap=True)


def read_records(folder: Path, strict: bool = False) -> dict[str, dict[str, Any]]:
    """Results in a folder by name of their exhibit, made again with today's descriptions.

    Parameters
    ----------
    folder : Path
        It need not exist; other files in it are left alone.
    strict : bool, default=False
        Whether a file that is no result is an error; else it is noted and left out.

    Returns
    -------
    dict of str to dict
    """
    found = {}
    there = [one.name for one in listed() if (folder / f"{one.name}.json").is_file()]
    for exhibit in choose(there):
        path = folder / f"{exhibit.name}.json"
        try:
            kept = json.loads(path.read_text(encoding="utf-8"))
            if kept["name"] != exhibit.name or kept["schema"] != SCHEMA:
                raise ValueError("it tells of something else")
            found[exhibit.name] = record_of(exhibit, kept)
        except (ValueError, TypeError, KeyError, AttributeError) as error:
            told = f"{path} is not a result of uneven reproduce ({error})"
            if strict:
                raise InputError(f"{told}; remove it.") from error
            terminal.notes([f"{told}; it is left out."])
    return found


def _record(
    exhibit: Exhibit, run: Run, missing: Iterable[str], failed: Mapping[str, str]
) -> dict[str, Any]:
    """What the finished cells show; those of a full run, if there are more, in a fast one too."""
    if not exhibit.studies:
        return build_record(exhibit, None)
    part, fast = harvest(exhibit, run), run.fast
    if fast:
        whole = harvest(exhibit, replace(run, fast=False))
        if whole.done > part.done:
            part, fast = whole, False
    names = [study.at(run.fast).name for study in exhibit.studies]
    own = {cell: why for cell, why in failed.items() if cell.split(":")[0] in names}
    known = {*part.measured.rows, *part.measured.columns}
    lacking = missing_rows(exhibit, run.fast, missing)
    absent = {name: why for name, why in lacking.items() if name not in known}
    return build_record(exhibit, measured_part(part, fast=fast, missing=absent, failed=own))


def _done(record: Mapping[str, Any]) -> int:
    return record["measured"]["cells"]["done"] if record["measured"] else 0


def _with_earlier(
    exhibit: Exhibit, record: dict[str, Any], earlier: Mapping[str, Any] | None
) -> dict[str, Any]:
    """The record with numbers of earlier results that it lacks or that rest on more samples."""
    if earlier is None or not earlier["measured"]:
        return record
    if _done(record):
        part = join_measured(record["measured"], earlier["measured"])
        joined = build_record(exhibit, part)
        told = part.get("earlier", 0)
    else:
        joined, told = dict(earlier), len(earlier["measured"]["values"])
    if told:
        terminal.notes(
            [f"{exhibit.name}: for {told} numbers without cells the earlier results are kept."]
        )
    return joined


def _write(
    records: Sequence[dict[str, Any]], earlier: Mapping[str, dict[str, Any]], out: Path
) -> None:
    out.mkdir(parents=True, exist_ok=True)
    for record in records:
        write_exhibit(record, out)
    together = {**earlier, **{record["name"]: record for record in records}}
    order = [one.name for one in listed()]
    write_index([together[name] for name in order if name in together], out)


def _tell(records: Sequence[dict[str, Any]], failed: Mapping[str, str], out: Path) -> None:
    for record in records:
        print_record(record, page=out / f"{record['name']}.html")
    told = [f"{cell} failed: {why}" for cell, why in failed.items()]
    further = len(told) - SHOWN_FAILURES
    more = [f"{further} further cells failed; the pages name them."] if further > 0 else []
    terminal.notes([*told[:SHOWN_FAILURES], *more])
    terminal.stdout().print(f"all pages: {out / 'index.html'}", soft_wrap=True)


def _say_missing(missing: Mapping[str, str], request: ReproduceRequest) -> None:
    if not missing:
        return
    sets = "a data set is" if len(missing) == 1 else f"{len(missing)} data sets are"
    remedy = (
        "leave out --offline to download them"
        if request.offline
        else f"they could not be downloaded ({next(iter(missing.values()))})"
    )
    terminal.notes(
        [
            f"{sets} missing: {', '.join(missing)}. Put them into {cache_folder(request.data)}, "
            f"name their folder by --data, or {remedy}. What needs them was not run."
        ]
    )


def _say_absent(records: Sequence[Mapping[str, Any]]) -> None:
    """Name columns without the package that they need."""
    told: dict[str, str] = {}
    for record in records:
        missing = (record["measured"] or {}).get("missing", {})
        told |= {name: why for name, why in missing.items() if name in record["columns"]}
    remedy = "pip install 'uneven[bench]' adds what is compared with."
    terminal.notes([f"{name} is left out: {why}. {remedy}" for name, why in told.items()])


def _say_interrupted(run: Run, exhibits: Sequence[Exhibit]) -> int:
    cells = plan(exhibits, run.fast)
    done = sum(run.store.load(cell) is not None for cell in cells)
    if not done:
        raise KeyboardInterrupt
    terminal.notes(
        [
            f"interrupted; {done} of {len(cells)} cells are kept in {run.folder}. The same command "
            "goes on from there; with --kept it shows what they hold."
        ]
    )
    return INTERRUPTED


def _from(start: Path, folder: Path) -> str:
    """Relative path with forward slashes, for links of a page in `start`."""
    return Path(os.path.relpath(folder.resolve(), start.resolve())).as_posix()
