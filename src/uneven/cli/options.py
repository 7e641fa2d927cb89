"""Options that several commands share."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

import typer

from uneven.cli import texts

__all__ = [
    "TABLE_HELP",
    "Debug",
    "Depth",
    "Drop",
    "Encoding",
    "GivenTable",
    "GivenTarget",
    "Jobs",
    "Keep",
    "Kernel",
    "ModelPath",
    "NoiseMatrix",
    "OnEmpty",
    "Rounds",
    "Seed",
    "Table",
    "Target",
    "Views",
    "check_jobs",
]


def _set_debug(context: typer.Context, value: bool) -> None:
    if value:
        context.find_root().obj.debug = True


def check_jobs(value: int) -> int:
    """Refuse 0; what else there may be, joblib knows."""
    if value == 0:
        raise typer.BadParameter(
            "nothing works with 0 of them; give 1 or more, or -1 for all cores."
        )
    return value


TABLE_HELP = "CSV (.csv, .csv.gz) or Parquet file."

Table = Annotated[Path | None, typer.Argument(metavar="TABLE", help=TABLE_HELP)]
GivenTable = Annotated[Path, typer.Argument(metavar="TABLE", help=TABLE_HELP)]
ModelPath = Annotated[
    Path, typer.Argument(metavar="MODEL", help="A file written by uneven fit or compare.")
]
Target = Annotated[str | None, typer.Option("--target", "-t", help="Column to predict.")]
GivenTarget = Annotated[str, typer.Option("--target", "-t", help="Column to predict.")]
Views = Annotated[str | None, typer.Option(help=texts.VIEWS, metavar="prefix|FILE.toml")]
Rounds = Annotated[int, typer.Option(help="Rounds of our boosting methods.", min=1)]
Depth = Annotated[int, typer.Option(help="Depth of their trees; 1 means stumps.", min=1, max=30)]
Seed = Annotated[int, typer.Option(help="Seed of folds and methods.", min=0, max=2**32 - 1)]
Jobs = Annotated[
    int, typer.Option(help="Threads per method; -1 means all cores.", callback=check_jobs)
]
Drop = Annotated[
    list[str] | None, typer.Option(help="Column to leave out. May be given several times.")
]
Keep = Annotated[
    list[str] | None, typer.Option(help="Column to use although it looks like a row number or id.")
]
NoiseMatrix = Annotated[
    Path | None, typer.Option("--noise-matrix", metavar="FILE", help=texts.NOISE_MATRIX)
]
Kernel = Literal["rbf", "linear", "poly", "laplacian", "cosine"]
OnEmpty = Literal["raise", "identity", "uniform"]
Encoding = Annotated[str, typer.Option(help="Encoding of a CSV file.")]
Debug = Annotated[
    bool,
    typer.Option(
        "--debug",
        help="Show the traceback of an error.",
        callback=_set_debug,
        is_eager=True,
        expose_value=False,
    ),
]
