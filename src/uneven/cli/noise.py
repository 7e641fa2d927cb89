"""``uneven noise``: estimate how labels are wrong, and write it for ``--noise-matrix``."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from rich.table import Table
from rich.text import Text

from uneven.cli import terminal
from uneven.experiments import InputError, read_label_columns, write_noise_matrix
from uneven.noise import (
    AnnotatorModel,
    ConfusionEstimate,
    confusion_from_annotators,
    confusion_from_clean,
    dawid_skene,
    invert_noise,
)

__all__ = ["NoiseRequest", "estimate_noise"]

MAJORITY = "majority"
MOST_MISTAKES = 3


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
    smoothing : float
        Rows to add to every cell before counting.
    encoding : str
        Encoding of a CSV file.
    out : Path
        File to write.
    """

    path: Path
    observed: str | None
    clean: str | None
    annotators: tuple[str, ...] = ()
    confidence: float = 0.95
    smoothing: float = 0.0
    encoding: str = "utf-8"
    out: Path = Path("noise.csv")

    def __post_init__(self) -> None:
        if bool(self.clean) == bool(self.annotators):
            raise InputError(
                "give --observed and --clean (noisy and true labels of the same rows), or "
                "--annotators (columns that label the same rows, none of them known to be right)."
            )
        if self.clean and (self.observed is None or self.observed == self.clean):
            raise InputError("give the column of noisy labels with --observed, beside --clean.")
        if self.annotators and len(set(self.annotators)) < 2:
            raise InputError("--annotators needs two columns or more, better three.")
        if self.annotators and self.observed not in (None, *self.annotators):
            raise InputError(f"--observed {self.observed!r} must be one of the --annotators.")
        if self.out.is_dir() or not self.out.absolute().parent.is_dir():
            raise InputError(f"--out {self.out} must name a file in a folder that exists.")

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
    options: dict[str, Any] = {"confidence": request.confidence, "laplace": request.smoothing}
    console, model = terminal.stdout(), None
    try:
        if request.annotators:
            model = dawid_skene(labels)
            who = request.observed or MAJORITY
            found = confusion_from_annotators(labels, who=who, **options)
        else:
            found = _from_clean(labels, options)
    except ValueError as error:
        reason = str(error).partition(", or pass on_empty")[0].rstrip(".")
        hint = ", or assume something with --smoothing" if reason != str(error).rstrip(".") else ""
        raise InputError(f"{request.path}: {reason}{hint}.") from error
    write_noise_matrix(found.matrix, found.classes.tolist(), request.out)
    if model is not None:
        console.print(_annotator_table(model))
    console.print(_class_table(found))
    terminal.notes(_cautions(found))
    console.print(f"Noise matrix {request.out}", soft_wrap=True, markup=False)
    if request.observed:
        console.print(f"Use it with  {_next_command(request)}", soft_wrap=True, markup=False)


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


def _class_table(found: ConfusionEstimate) -> Table:
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
            f"{100 * found.prior[j]:.1f}%",
            Text(f"{right:.3f}", style=style),
            _interval(found, j, j),
            Text(", ".join(_called(found, int(i), j) for i in wrong) or "-"),
        )
    out.caption = (
        f"share: how frequent the class truly is; intervals hold with {100 * found.confidence:g}%"
    )
    out.caption_justify = "left"
    return out


def _called(found: ConfusionEstimate, i: int, j: int) -> str:
    return f"{found.classes[i]} {found.matrix[i, j]:.3f} {_interval(found, i, j)}"


def _interval(found: ConfusionEstimate, i: int, j: int) -> str:
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
        invert_noise(found.matrix)
    except ValueError as error:
        return [str(error).partition(" Merge")[0]]
    few = [str(name) for name, size in zip(found.classes, found.sizes) if size < 10]
    if not few:
        return []
    return [f"fewer than 10 rows stand behind {', '.join(few)}: their columns are rough guesses."]


def _next_command(request: NoiseRequest) -> str:
    others: Sequence[str] = [name for name in request.columns if name != request.observed]
    words = ["uneven", "compare", str(request.path), "--target", str(request.observed)]
    words += [word for name in others for word in ("--drop", name)]
    return shlex.join([*words, "--noise-matrix", str(request.out)])
