"""The answers as tables: one line per answer, one line per row, and the noise matrix."""

from __future__ import annotations

import io
import tempfile
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

import pandas as pd

from uneven.comparison import write_noise_matrix
from uneven.labelling.naming import RefusedError, is_formula
from uneven.labelling.project import Project

CSV, PARQUET = "text/csv; charset=utf-8", "application/vnd.apache.parquet"


def answers_frame(project: Project) -> pd.DataFrame:
    """All answers that count, one line each.

    Returns
    -------
    DataFrame of shape (n_answers, 11)
        Row, label (empty unless ``kind`` is label or ruling), kind, annotator, time (UTC), how
        many seconds the person looked, whether they were sure, comment, why the row was selected;
        what the label of the row is by all answers, and its probability, NaN where one person
        alone cannot be evaluated.
    """
    lines = []
    with project._lock:
        for event in project.ledger.events.values():
            if event.kind == "undo" or event.id in project.ledger.undone:
                continue
            said = project.ledger.people(event.row) | project.ledger.standing(event.row)
            now = said.get(event.person)
            if event.kind != "ruling" and (now is None or now.id != event.id):
                continue
            final = project.final(event.row)
            lines.append(
                {
                    project.pool.key: event.row,
                    "label": event.label,
                    "kind": event.kind,
                    "annotator": project.person(event.person).name,
                    "time": datetime.fromtimestamp(event.time, UTC).isoformat(timespec="seconds"),
                    "seconds": event.seconds,
                    "sure": event.sure,
                    "comment": event.comment,
                    "asked": event.asked,
                    "final_label": final[0] if final else "",
                    "confidence": final[1] if final else None,
                }
            )
    columns = [project.pool.key, "label", "kind", "annotator", "time", "seconds", "sure"]
    columns += ["comment", "asked", "final_label", "confidence"]
    frame = pd.DataFrame(lines, columns=columns)
    return frame.astype({"seconds": float, "confidence": float, "sure": bool})


def labels_frame(project: Project) -> pd.DataFrame:
    """The labels by all answers, one line per row, with the columns of the table."""
    with project._lock:
        rows = project.ledger.labelled()
        final = [project.final(row) for row in rows]
        people = [
            ", ".join(project.person(who).name for who in project.ledger.votes(row)) for row in rows
        ]
    where = [project.pool.where[row] for row in rows]
    frame = project.pool.frame.iloc[where][project.pool.shown].reset_index(drop=True)
    frame.insert(0, project.pool.key, rows)
    frame.insert(1, "label", [one[0] if one else "" for one in final])
    chances = pd.Series([one[1] if one else None for one in final], dtype=float)
    taken = set(frame.columns)
    for name, values in (("confidence", chances), ("annotators", people)):
        if name not in taken:
            frame.insert(2, name, values)
    return frame


def _csv(frame: pd.DataFrame) -> bytes:
    """Text that a spreadsheet would take for a formula gets a quote in front; numbers do not."""
    frame = frame.copy()
    for j in range(frame.shape[1]):
        column = frame.iloc[:, j]
        if not pd.api.types.is_numeric_dtype(column):
            frame.isetitem(j, [_quoted(cell) for cell in column])
    frame.columns = [_quoted(name) for name in frame.columns]
    return frame.to_csv(index=False).encode("utf-8-sig", "replace")


def _quoted(cell: object) -> object:
    return f"'{cell}" if isinstance(cell, str) and is_formula(cell) else cell


def _parquet(frame: pd.DataFrame) -> bytes:
    stream = io.BytesIO()
    frame.to_parquet(stream, index=False)
    return stream.getvalue()


def _noise(project: Project) -> bytes:
    found = project.confusion()
    if found is None:
        raise RefusedError("there is no noise matrix yet: two people must have labelled ten rows.")
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "noise.csv"
        write_noise_matrix(found.matrix, found.classes.tolist(), path, found.sizes)
        return path.read_bytes()


def _labels_file(project: Project) -> bytes:
    project.exchange()
    assert project.labels is not None
    return project.labels.read_bytes() if project.labels.exists() else b""


EXPORTS: dict[str, Callable[[Project], tuple[bytes, str]]] = {
    "answers.csv": lambda project: (_csv(answers_frame(project)), CSV),
    "answers.parquet": lambda project: (_parquet(answers_frame(project)), PARQUET),
    "labelled.csv": lambda project: (_csv(labels_frame(project)), CSV),
    "labelled.parquet": lambda project: (_parquet(labels_frame(project)), PARQUET),
    "labels.csv": lambda project: (_labels_file(project), CSV),
    "noise.csv": lambda project: (_noise(project), CSV),
}
"""What can be taken away, by the name of the file."""
