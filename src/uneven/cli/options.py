"""Arguments and options that commands share, and what their values must be."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

import typer

from uneven.cli import texts
from uneven.utils.registry import spelled


def _set_debug(context: typer.Context, value: bool) -> None:
    if value:
        context.find_root().obj.debug = True


def check_jobs(value: int) -> int:
    """Refuse 0; what else there may be, joblib knows."""
    if value == 0:
        raise typer.BadParameter("must not be 0; give 1 or more, or -1 for all cores.")
    return value


def as_declared(value: str | None) -> str | None:
    """A name of a measure or rule as it is declared, whether typed with - or with _."""
    return None if value is None else spelled(value)


TABLE_HELP = (
    "CSV, Parquet, Feather, Excel (.xlsx) or JSON lines, also compressed (gzip, zip, zstandard); "
    "- reads standard input."
)

TABLES_HELP = TABLE_HELP + " Several tables, or a folder of them, are joined by --on."

Tables = Annotated[list[Path] | None, typer.Argument(metavar="[TABLE]...", help=TABLES_HELP)]
GivenTables = Annotated[list[Path], typer.Argument(metavar="TABLE...", help=TABLES_HELP)]
GivenTable = Annotated[Path, typer.Argument(metavar="TABLE", help=TABLE_HELP)]
ModelPath = Annotated[
    Path, typer.Argument(metavar="MODEL", help="A file written by uneven fit or compare.")
]
Target = Annotated[str | None, typer.Option("--target", "-t", help="Column to predict.")]
Views = Annotated[str | None, typer.Option(help=texts.VIEWS, metavar="prefix|FILE.toml")]
On = Annotated[str | None, typer.Option("--on", metavar="COLUMN", help=texts.ON)]
Rounds = Annotated[int, typer.Option(help="Boosting rounds of this library's methods.", min=1)]
Depth = Annotated[
    int | None,
    typer.Option(
        help="Maximum depth of their trees; 1 means stumps. By default 3; in mumbo and mucombo "
        "deeper if there are more than 16 classes.",
        min=1,
        max=30,
    ),
]
Seed = Annotated[int, typer.Option(help="Random seed of folds and methods.", min=0, max=2**32 - 1)]
Jobs = Annotated[
    int, typer.Option(help="Threads per method; -1 means all cores.", callback=check_jobs)
]
Drop = Annotated[
    list[str] | None, typer.Option(help="Column to ignore. May be given several times.")
]
Keep = Annotated[
    list[str] | None, typer.Option(help="Column to use although it looks like a row number or id.")
]
TextColumns = Annotated[
    list[str] | None,
    typer.Option(help="Column of free text, encoded by TF-IDF. Detected by default."),
]
Missing = Annotated[
    list[str] | None,
    typer.Option(
        metavar="CODE",
        help="Further code of missing values, besides ?, NA, k.A., -: --missing 999.",
    ),
]
SchemaFile = Annotated[
    Path | None, typer.Option("--schema", metavar="FILE.toml", help=texts.SCHEMA)
]
Sheet = Annotated[str | None, typer.Option(help="Sheet of a workbook; the first by default.")]
NoiseMatrix = Annotated[
    Path | None, typer.Option("--noise-matrix", metavar="FILE", help=texts.NOISE_MATRIX)
]
GoodFor = Annotated[
    str | None, typer.Option(metavar="NAME", help=texts.MEASURE, callback=as_declared)
]
Prices = Annotated[Path | None, typer.Option(metavar="FILE", help=texts.COST)]
Calibrated = Annotated[
    bool | None, typer.Option("--calibrate/--no-calibrate", help=texts.CALIBRATE)
]
Query = Annotated[
    str, typer.Option(help="Query strategy: which rows to select.", callback=as_declared)
]
Kernel = Literal["rbf", "linear", "poly", "laplacian", "cosine"]
OnEmpty = Literal["raise", "identity", "uniform"]
Encoding = Annotated[str, typer.Option(help="Encoding of a text file; auto detects it.")]
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
