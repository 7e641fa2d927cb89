"""``uneven noise``: estimate how labels are wrong, and write it for ``--noise-matrix``."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from rich.table import Table
from rich.text import Text

from uneven.cli import terminal
from uneven.cli.requests import NoiseRequest
from uneven.comparison import InputError, read_label_columns, read_table, write_noise_matrix
from uneven.comparison.encoding import encode_ordinal
from uneven.comparison.problem import read_problem
from uneven.comparison.tables import PARQUET_SUFFIXES
from uneven.noise import (
    AnnotatorModel,
    ConfusionEstimate,
    confusion_from_annotators,
    confusion_from_clean,
    confusion_from_labels,
    dawid_skene,
    invert_noise,
)
from uneven.utils.files import replace_file
from uneven.utils.registry import listing

MAJORITY, LIKELIEST = "majority", "likeliest"
MOST_MISTAKES = 3
FEW_ROWS = 10
ALONE = (
    "no label is known to be right: the matrix holds if a forest predicts the labels of other rows "
    "well. Rows with true labels (--clean) or labels given twice (--id, --annotators) are better."
)
ASSUMING = "--on-empty identity (their labels are right), --smoothing or --laplace"


def estimate_noise(request: NoiseRequest) -> None:
    """Estimate a noise matrix, print it with its intervals and write it.

    Parameters
    ----------
    request : NoiseRequest
        What to estimate.

    Raises
    ------
    InputError
        If the columns do not allow it.
    """
    console, model = terminal.stdout(), None
    try:
        if request.is_alone:
            found = _from_labels_alone(request)
        elif request.id:
            found = confusion_from_annotators(_answers_by_thing(request), **request.options)
        else:
            labels = read_label_columns(request.path, request.columns, request.encoding)
            if request.annotators:
                model = dawid_skene(labels)
                who = request.observed or MAJORITY
                found = confusion_from_annotators(labels, who=who, **request.options)
            else:
                found = _from_clean(labels, request.options)
    except ValueError as error:
        raise InputError(f"{request.path}: {_in_words_of_options(str(error))}") from error
    if model is not None and request.labels_out is not None:
        _write_labels(request, model, len(labels), request.labels_out)
    is_smoothed = bool(request.smoothing or request.laplace)
    written = found if is_smoothed else found.shrunk()
    write_noise_matrix(written.matrix, found.classes.tolist(), request.out, found.sizes)
    if model is not None:
        console.print(_annotator_table(model))
    console.print(_class_table(found, request.clean is None))
    terminal.notes([*_cautions(found), *([ALONE] if request.is_alone else [])])
    for line in _closing_lines(request):
        console.print(line, soft_wrap=True, markup=False)


def _from_labels_alone(request: NoiseRequest) -> ConfusionEstimate:
    """What a forest on the other columns makes of the labels of rows that it has not seen."""
    assert request.observed is not None
    problem = read_problem(request.path, request.observed, encoding=request.encoding)
    cells = encode_ordinal(problem.schema).fit_transform(problem.X).to_numpy(np.float64)
    return confusion_from_labels(cells, problem.y, confidence=request.confidence)


def _answers_by_thing(request: NoiseRequest) -> NDArray:
    """A row for each item that was labelled several times, a column for each label."""
    assert request.observed is not None
    assert request.id is not None
    labels = read_label_columns(request.path, [request.observed], request.encoding)[
        request.observed
    ]
    things = read_table(request.path, expected=request.columns, encoding=request.encoding)
    known = labels.notna().to_numpy()
    groups = labels[known].groupby(things[request.id][known].to_numpy()).agg(list)
    again = [answers for answers in groups if len(answers) > 1]
    if not again:
        raise InputError(
            f"{request.path}: no {request.id!r} has two labels in {request.observed!r}; without "
            "--id the labels are taken as one for each row."
        )
    table = np.full((len(again), max(map(len, again))), None, dtype=object)
    for row, answers in zip(table, again):
        row[: len(answers)] = answers
    return table


def _in_words_of_options(reason: str) -> str:
    """Messages of `uneven.noise` about Python arguments, as options of the command."""
    start, empty, _ = reason.partition(", or pass on_empty")
    if empty:
        return f"{start}, or assume something with {ASSUMING}."
    start, singular, _ = reason.partition(" Merge or drop")
    if singular:
        return (
            f"{start} If it marks unknown labels, leave such cells empty; otherwise "
            "check more rows, merge such classes, or assume something with --laplace."
        )
    return reason


def _write_labels(request: NoiseRequest, model: AnnotatorModel, n_rows: int, out: Path) -> None:
    """Write the table with the label most annotators give, and the most probable class."""
    table = read_table(request.path, expected=request.columns, encoding=request.encoding)
    parquet = out.suffix.lower() in PARQUET_SUFFIXES
    if not parquet:
        names = {"expected": request.columns, "text_columns": table.columns.tolist()}
        table = read_table(request.path, **names, encoding=request.encoding)
    for name, found in ((MAJORITY, model.majority), (LIKELIEST, model.labels)):
        if name in table.columns:
            raise InputError(f"{request.path} has a column {name!r} already; rename it.")
        column = np.full(n_rows, None, dtype=object)
        column[model.items] = found.tolist()
        table[name] = column
    with replace_file(out) as draft:
        table.to_parquet(draft, index=False) if parquet else table.to_csv(draft, index=False)


def _from_clean(labels: pd.DataFrame, options: dict[str, Any]) -> ConfusionEstimate:
    observed, clean = (labels.iloc[:, j] for j in (0, 1))
    both = (observed.notna() & clean.notna()).to_numpy()
    if not both.any():
        raise ValueError(f"no row has both {observed.name!r} and {clean.name!r}.")
    given = _array(observed[observed.notna()])
    classes = np.unique(np.concatenate([given, _array(clean[both])]))
    return confusion_from_clean(
        _array(clean[both]),
        _array(observed[both]),
        classes=classes,
        all_observed=given,
        **options,
    )


def _array(labels: pd.Series) -> NDArray:
    return np.array(labels.tolist())


def _class_table(found: ConfusionEstimate, hidden: bool) -> Table:
    """One row per true class: how many keep their label, and what the others are called."""
    header = ["true class", "rows", "share", "labels right", "interval", "most often called"]
    out = terminal.table(f"Noise matrix from {found.source}", header)
    out.columns[5].justify = "left"
    out.columns[5].no_wrap = False
    for j, name in enumerate(found.classes.tolist()):
        order = [i for i in np.argsort(-found.matrix[:, j], kind="stable") if i != j]
        wrong = [i for i in order[:MOST_MISTAKES] if found.matrix[i, j] > 0.0]
        right = float(found.matrix[j, j])
        style = "green" if right >= 0.8 else "yellow" if right >= 0.5 else "red"
        out.add_row(
            Text(str(name)),
            f"{found.sizes[j]:.4g}",
            f"{100 * found.prior[j]:.1f}%" if found.sizes.all() else "-",
            Text(f"{right:.3f}", style=style),
            _interval(found, j, j),
            Text(", ".join(_called(found, int(i), j) for i in wrong) or "-"),
        )
    rows = "checked rows that leave as much open" if hidden else "checked rows"
    out.caption = f"rows: {rows}; share: how frequent the class truly is, estimated"
    if not found.sizes.all():
        out.caption += ", which needs rows of every class"
    out.caption += f"; intervals hold with {100 * found.confidence:g}%"
    out.caption_justify = "left"
    return out


def _called(found: ConfusionEstimate, i: int, j: int) -> str:
    return f"{found.classes[i]} {found.matrix[i, j]:.3f} {_interval(found, i, j)}"


def _interval(found: ConfusionEstimate, i: int, j: int) -> str:
    if not found.sizes[j]:
        return "assumed"
    return f"[{found.low[i, j]:.3f}, {found.high[i, j]:.3f}]"


def _annotator_table(model: AnnotatorModel) -> Table:
    out = terminal.table("Annotators", ["column", "labels", "labels right"])
    for name, matrix, counts in zip(model.annotators, model.matrices, model.counts):
        right = float(np.diag(matrix) @ model.prior)
        out.add_row(Text(str(name)), f"{counts.sum():.0f}", f"{100 * right:.1f}%")
    return out


def _cautions(found: ConfusionEstimate) -> list[str]:
    """Warn of what makes the matrix hard to use."""
    try:
        invert_noise(found.matrix, classes=found.classes)
    except ValueError as error:
        return [str(error).partition(" Merge")[0]]
    few = [name for name, size in zip(found.classes, found.sizes) if 0 < size < FEW_ROWS]
    none = [name for name, size in zip(found.classes, found.sizes) if not size]
    notes = [
        f"no row shows how {listing(none)} is labelled: the column is assumed.",
        f"fewer than {FEW_ROWS} rows stand behind {listing(few)}: such columns are rough guesses.",
    ]
    return [note for note, names in zip(notes, (none, few)) if names]


def _closing_lines(request: NoiseRequest) -> list[str]:
    """What was written, and how to continue with it."""
    lines = [f"Noise matrix {request.out}"]
    if request.labels_out:
        lines.append(f"Labels       {request.labels_out} (columns {MAJORITY} and {LIKELIEST})")
    if request.observed:
        return [*lines, f"Use it with  {_next_command(request, request.path, request.observed)}"]
    if request.labels_out is None:
        hint = "no column of the table; --labels-out FILE writes it."
        return [*lines, f"It is about the label most annotators give, which is {hint}"]
    return [*lines, f"Use it with  {_next_command(request, request.labels_out, MAJORITY)}"]


def _next_command(request: NoiseRequest, table: Path, target: str) -> str:
    columns = [*request.columns, *([LIKELIEST] if target == MAJORITY else [])]
    words = ["uneven", "compare", str(table), "--target", target]
    words += [word for name in columns if name != target for word in ("--drop", name)]
    return shlex.join([*words, "--noise-matrix", str(request.out)])
