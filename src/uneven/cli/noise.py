"""``uneven noise``: estimate how labels are wrong, and write it for ``--noise-matrix``."""

from __future__ import annotations

import shlex
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from rich.table import Table
from rich.text import Text

from uneven.cli import terminal
from uneven.comparison import InputError, read_label_columns, read_table, write_noise_matrix
from uneven.comparison.noisefile import check_ending
from uneven.comparison.tables import PARQUET_SUFFIXES
from uneven.noise import (
    AnnotatorModel,
    ConfusionEstimate,
    confusion_from_annotators,
    confusion_from_clean,
    dawid_skene,
    invert_noise,
)
from uneven.utils.files import replace_file
from uneven.utils.registry import listing

__all__ = ["NoiseRequest", "estimate_noise"]

MAJORITY, LIKELIEST = "majority", "likeliest"
MOST_MISTAKES = 3
FEW_ROWS = 10
ASSUMING = "--on-empty identity (their labels are right), --smoothing or --laplace"


@dataclass(frozen=True)
class NoiseRequest:
    """What to estimate from which table.

    Attributes
    ----------
    path : Path
        CSV or Parquet file.
    observed : str or None
        Column of noisy labels; with annotators one of them, None for what most of them say.
    clean : str or None
        Column of true labels, empty where they are not known.
    annotators : tuple of str
        Columns of labels none of which is known to be right.
    confidence : float
        Of the intervals.
    smoothing, laplace : float
        Rows to add to the right labels of every class, and to every cell.
    on_empty : {"raise", "identity", "uniform"}
        What to assume about a class without rows.
    encoding : str
        Encoding of a CSV file.
    out : Path
        File to write.
    labels_out : Path or None
        With annotators: where to write the table with the labels that most of them give, and with
        the most probable classes.
    """

    path: Path
    observed: str | None
    clean: str | None
    annotators: tuple[str, ...] = ()
    confidence: float = 0.95
    smoothing: float = 0.0
    laplace: float = 0.0
    on_empty: str = "raise"
    encoding: str = "utf-8"
    out: Path = Path("noise.csv")
    labels_out: Path | None = None

    def __post_init__(self) -> None:
        if bool(self.clean) == bool(self.annotators):
            raise InputError(
                "give --observed and --clean (noisy and true labels of the same rows), or "
                "--annotators (columns that label the same rows, none of them known to be right)."
            )
        if self.clean and self.observed is None:
            raise InputError("give the column of noisy labels with --observed, beside --clean.")
        if self.clean and self.observed == self.clean:
            raise InputError(
                f"--observed and --clean both name {self.clean!r}; a column tells nothing about "
                "its own mistakes. Name the noisy labels with --observed, the checked with --clean."
            )
        if self.labels_out and not self.annotators:
            raise InputError("--labels-out writes what --annotators agree on; give their columns.")
        if self.annotators and len(set(self.annotators)) < 2:
            raise InputError("--annotators needs two columns or more, better three.")
        if self.annotators and self.observed not in (None, *self.annotators):
            raise InputError(f"--observed {self.observed!r} must be one of the --annotators.")
        self._check_files()

    def _check_files(self) -> None:
        check_ending(self.out)
        for option, path in (("--out", self.out), ("--labels-out", self.labels_out)):
            if path is None:
                continue
            if path.is_dir() or not path.absolute().parent.is_dir():
                raise InputError(f"{option} {path} must name a file in a folder that exists.")
            if path.absolute() == self.path.absolute():
                raise InputError(f"{option} {path} is the table itself; name another file.")
        if self.labels_out and self.labels_out.absolute() == self.out.absolute():
            raise InputError(f"--out and --labels-out both name {self.out}; name two files.")
        if self.labels_out and self.labels_out.suffix.lower() not in (".csv", *PARQUET_SUFFIXES):
            raise InputError(f"--labels-out {self.labels_out} must end with .csv or .parquet.")

    @property
    def options(self) -> dict[str, Any]:
        """How to count."""
        names = ("confidence", "smoothing", "laplace", "on_empty")
        return {name: getattr(self, name) for name in names}

    @property
    def columns(self) -> list[str]:
        """Columns to read."""
        if self.annotators:
            return list(dict.fromkeys(self.annotators))
        return [name for name in (self.observed, self.clean) if name is not None]


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
    labels = read_label_columns(request.path, request.columns, request.encoding)
    console, model = terminal.stdout(), None
    try:
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
    write_noise_matrix(found.matrix, found.classes.tolist(), request.out, found.sizes)
    if model is not None:
        console.print(_annotator_table(model))
    console.print(_class_table(found, model is not None))
    terminal.notes(_cautions(found))
    for line in _closing_lines(request):
        console.print(line, soft_wrap=True, markup=False)


def _in_words_of_options(reason: str) -> str:
    """What the noise room says about Python arguments, as options of the command."""
    start, empty, _ = reason.partition(", or pass on_empty")
    if empty:
        return f"{start}, or assume something with {ASSUMING}."
    start, singular, _ = reason.partition(" Merge or drop")
    if singular:
        return (
            f"{start} If it is a mark for what nobody knows, leave such cells empty; otherwise "
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
    """Say what makes the matrix hard to use."""
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
    """What was written, and how to go on with it."""
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
