"""Answers and the file of labels, brought to the same state.

A label that differs from what was last written there was typed by a person. It counts as the latest
answer: that of the one who labelled the row, if there is one, who can undo it. All others follow
the answers. What is about to be written is noted before and after, so that a label of ours is never
taken for a typed one, whenever the process ends.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from uneven.comparison import InputError, LabelFile, read_label_file
from uneven.comparison.labelfile import SKIP
from uneven.labelling.labels import check_rows, complete, is_unchanged, write_labels
from uneven.labelling.naming import RefusedError, check_label
from uneven.labelling.spelling import label_notes
from uneven.labelling.store import FROM_FILE, Event

if TYPE_CHECKING:
    from uneven.labelling.project import Project


def exchange(project: Project, last: LabelFile | None) -> LabelFile:
    """Take what people typed into the file of labels, and write the labels there.

    Parameters
    ----------
    project : Project
    last : LabelFile or None
        The file as it was read or written last; None to begin with.

    Returns
    -------
    LabelFile
        As it is now.
    """
    file = last if last is not None and is_unchanged(last) else _read(project, first=last is None)
    found = {**file.labels(), **dict.fromkeys(file.skipped(), SKIP)}
    store = project.store
    with project._lock:
        written = store.written()
        ours = {*written.items(), *store.planned().items()}
        _import(project, file, [pair for pair in found.items() if pair not in ours])
        labels = project.final_labels()
    project.doubts = label_notes(label for label in labels.values() if label != SKIP)
    changed = {row: label for row, label in labels.items() if found.get(row) != label}
    changed |= {row: "" for row in found if row not in labels}
    if changed:
        store.plan(changed)
        file = write_labels(file, project.pool, changed)
    news = {row: label for row, label in labels.items() if written.get(row) != label}
    news |= {row: "" for row in written if row not in labels}
    if news:
        store.set_written(news)
    return file


def _read(project: Project, first: bool) -> LabelFile:
    pool = project.pool
    assert project.labels is not None
    file = read_label_file(project.labels, pool.key, separator=pool.separator)
    file = file.with_names(pool.where)
    notes = check_rows(file, pool)
    if first:
        _check_looks(project, file)
    project.notes += [note for note in notes if note not in project.notes]
    return complete(file, pool)


def _import(project: Project, file: LabelFile, typed: list[tuple[str, str]]) -> None:
    current = project.final_labels()
    events = []
    for row, label in typed:
        if current.get(row) != label:
            name = "" if label == SKIP else _typed_class(project, file, row, label)
            key = f"file {len(project.ledger.events)} {row} {time.time_ns()}"
            kind = "label" if name else "unsure"
            looks = project.pool.check(project.pool.where[row])
            who = _typist(project, row)
            events.append(Event(key, who, row, kind, name, asked="file", looks=looks))
    if events:
        project.store.add_classes([event.label for event in events if event.label])
        project.classes = project.store.classes()
        for event in project.store.append_all(events):
            project.take(event)


def _typist(project: Project, row: str) -> int:
    """Whose answer a typed label replaces: that of the only annotator of the row, or no one's."""
    people = list(project.ledger.people(row))
    alone = len(people) == 1 and project.ledger.ruling(row) is None
    return people[0] if alone else FROM_FILE


def _typed_class(project: Project, file: LabelFile, row: str, label: str) -> str:
    try:
        return check_label(label)
    except RefusedError as error:
        line = file.line_of(row)
        where = f"{file.path}, line {line}" if line else f"{project.pool.path}, row {row}"
        raise InputError(f"{where}: the label {label[:40]!r} is no class: {error}") from error


def _check_looks(project: Project, file: LabelFile) -> None:
    """Refuse answers about rows that now show something else, unless the file has them."""
    pool, events = project.pool, project.ledger.events.values()
    looks = {event.row: event.looks for event in events if event.looks and event.kind != "skip"}
    vouched = {*file.labels(), *file.skipped()}
    for row in project.ledger.said():
        known = looks.get(row)
        if row not in vouched and known not in (None, pool.check(pool.where[row])):
            raise InputError(
                f"{pool.key} {row} is not the row that was answered in {project.folder}; has "
                f"{pool.path} changed, or is it another table? If the answers are right all the "
                "same, name by --labels the file in which they stand."
            )
