"""The file of labels that the page, ``uneven label-next`` and spreadsheets share."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from uneven.comparison import InputError, LabelFile, write_label_file
from uneven.comparison.labelfile import CHECK, LABEL, OURS, quoted
from uneven.labelling.pool import PoolTable
from uneven.utils.registry import listing


def cells_beside(
    pool: PoolTable, rows: Sequence[int] | np.ndarray, decimal: str
) -> list[dict[str, str]]:
    """Cells of rows to write next to their labels; a formula that does something gets a quote.

    The file is also a table to learn from, so that all else stays as it is.
    """
    return [
        {name: quoted(cell) for name, cell in cells.items()} for cells in pool.cells(rows, decimal)
    ]


def check_rows(file: LabelFile, pool: PoolTable) -> list[str]:
    """Refuse labels of rows that are not in the pool, or not the rows that were asked for.

    Returns
    -------
    list of str
        A note, if the table has changed but the rows show what they showed.
    """
    named = [*file.labels(), *file.skipped()]
    unknown = [name for name in named if name not in pool.where]
    if unknown:
        lines = ", ".join(str(file.line_of(name)) for name in unknown[:8])
        raise InputError(
            f"{file.path} has labels for {pool.key} {listing(unknown)}, not in {pool.path} (line "
            f"{lines}): correct them, or name the right table or --id column."
        )
    changed = 0
    for row, line in zip(file.rows, file.lines):
        seen, name = row.get(CHECK, ""), row[file.key]
        if not row[LABEL] or not seen or seen == pool.check(pool.where[name]):
            continue
        if not pool.shows(pool.where[name], row):
            raise InputError(
                f"{file.path}, line {line}: {pool.key} {name} is not the row that was asked for; "
                f"has {pool.path} changed, or is it another table? Empty the column {CHECK!r} if "
                "the labels are right all the same."
            )
        changed += 1
    if not changed:
        return []
    rows = "1 labelled row" if changed == 1 else f"{changed} labelled rows"
    return [f"{pool.path} has changed; {rows} still show what {file.path} shows, and are taken."]


def complete(file: LabelFile, pool: PoolTable) -> LabelFile:
    """The file with the first labels of the table, and with the cells of rows that people added."""
    named = {row[file.key] for row in file.rows if row[LABEL]}
    first = {name: label for name, label in pool.first_labels.items() if name not in named}
    return with_labels(file, pool, first)


def with_labels(file: LabelFile, pool: PoolTable, labels: Mapping[str, str]) -> LabelFile:
    """The file with labels of some rows filled in, or added, and all other cells.

    Parameters
    ----------
    file : LabelFile
    pool : PoolTable
    labels : mapping of str to str
        Label by the name of the row; an empty one takes the label away.
    """
    added = dict(labels)
    rows = [{**row, LABEL: added.pop(row[file.key], row[LABEL])} for row in file.rows]
    added = {name: label for name, label in added.items() if label}
    empty = dict.fromkeys(file.columns, "")
    rows += [{**empty, file.key: name, LABEL: label} for name, label in added.items()]
    bare = [
        i
        for i, row in enumerate(rows)
        if row[LABEL] and not any(row.get(name) for name in pool.shown)
    ]
    where = [pool.where[rows[i][file.key]] for i in bare]
    for i, row, cells in zip(bare, where, cells_beside(pool, where, decimal_of(file, pool))):
        rows[i] = {**rows[i], **cells, CHECK: pool.check(row)}
    return replace(file, rows=tuple(rows), lines=(*file.lines, *(0 for _ in added)))


def decimal_of(file: LabelFile, pool: PoolTable) -> str:
    """Decimal mark of cells to write: that of the file, or else of the table if it can be."""
    return file.decimal or ("." if file.separator == "," else pool.decimal)


def write_labels(file: LabelFile, pool: PoolTable, labels: Mapping[str, str]) -> LabelFile:
    """Write labels into a file of labels; what people typed besides is kept.

    labels : as in `with_labels`. Returns the file as it was written.
    """
    return write_label_file(with_labels(file, pool, labels), [], [pool.key, *OURS, *pool.shown])


def is_unchanged(file: LabelFile | None) -> bool:
    """Whether a file on the disk is still as it was read or written last."""
    if file is None or not file.path.exists():
        return False
    return hashlib.sha256(file.path.read_bytes()).hexdigest() == file.digest


def unused_columns(columns: Sequence[str], pool: PoolTable) -> list[str]:
    """Columns of a file of labels from which nothing is learnt, ours and the name aside."""
    known = {pool.key, *OURS, *pool.features.schema.names}
    return [name for name in dict.fromkeys((*columns, *pool.shown)) if name not in known]
