"""Tables from files: CSV with any usual separator, Parquet, Feather, workbooks, JSON lines.

How a CSV file is written is found by looking at its first lines (`uneven.comparison.csvstyle`);
the whole file is then read once. pyarrow's parser reads all cells as
text, so that nothing is lost (zeros in front of a code, a thousands point); columns of plain
numbers are then cast. What a column of text holds is left to `uneven.comparison.reading`.

Looked at before this was written: the sniffer of the ``csv`` module, which
``pandas.read_csv(sep=None)`` asks, takes ``1,5;2,5`` apart at its commas; pyarrow and polars must
be told the separator; none of them looks for the encoding, for lines above the header, or for a
decimal mark. Type inference of pandas, pyarrow and polars turns ``01067`` into 1067 before anyone
can see it.
"""

from __future__ import annotations

import codecs
import hashlib
from collections.abc import Collection, Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from uneven.comparison.csvstyle import (
    SAMPLE_BYTES,
    CsvStyle,
    decimal_mark,
    different_names,
    guess_style,
    is_number,
    split_rows,
    style_surplus,
)
from uneven.comparison.errors import InputError
from uneven.comparison.formats import AUTO as AUTO
from uneven.comparison.formats import (
    DAMAGED,
    STANDARD_INPUT,
    Source,
    decoded,
    open_source,
)
from uneven.comparison.formats import PARQUET_SUFFIXES as PARQUET_SUFFIXES
from uneven.comparison.formats import check_file as check_file
from uneven.utils.registry import closest, listing

if TYPE_CHECKING:
    import pandas as pd


TABLE_SUFFIXES = ("", ".csv", ".tsv", ".txt", *PARQUET_SUFFIXES)
MATRIX_SUFFIXES = (*TABLE_SUFFIXES, ".json")
READ = "uneven"
"""Key of what is known about the file, in the attributes of a frame."""


def file_digest(path: str | Path) -> str:
    """SHA-256 of a file, in hexadecimal."""
    if Path(path) == STANDARD_INPUT:
        return hashlib.sha256(open_source(path).data).hexdigest()
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def read_table(
    path: str | Path,
    *,
    expected: Collection[str] = (),
    text_columns: Collection[str] = (),
    label: str | None = None,
    encoding: str = AUTO,
    sheet: str | None = None,
    separator: str | None = None,
    decimal: str | None = None,
) -> pd.DataFrame:
    """Read a table from a file.

    Parameters
    ----------
    path : str or Path
        CSV with any usual separator, Parquet, Feather, Excel (.xlsx) or JSON lines, also packed
        (gzip, zip, zstandard, bzip2, xz); ``-`` is standard input. The content decides, not the
        ending of the name.
    expected : collection of str
        Names one of which is in the header line, if there is a header line.
    text_columns : collection of str
        Columns to keep as text even if they look like numbers.
    label : str, optional
        Column of class labels: its numbers are kept without rounding, and only an empty cell of
        a CSV file is missing.
    encoding : str
        Encoding of a text file; ``"auto"`` finds it out.
    sheet : str, optional
        Which sheet of a workbook; the first by default.
    separator : str, optional
        What stands between the cells of a text file; found out by default.
    decimal : str, optional
        Decimal mark of columns that become numbers; columns with another one stay text. Found out
        by default.

    Returns
    -------
    DataFrame of shape (n_rows, n_columns)
        With text column names. Columns of plain numbers are numbers, other columns of text files
        are text. Its ``attrs["uneven"]`` hold how the file is written.

    Raises
    ------
    InputError
        If the file is missing, empty, broken or not a table.
    """
    source = open_source(path)
    if source.kind == "csv":
        ways = (encoding, separator, decimal)
        frame, read = _read_csv(source, expected, text_columns, label, *ways)
    else:
        from uneven.comparison.binarytables import READERS

        frame, read = READERS[source.kind](source, sheet)
        names, renamed = different_names([str(name) for name in frame.columns])
        frame.columns = names
        check_names(source.name, renamed, [label])
        read = {**read, "notes": [*read.get("notes", ()), *_renamed(source.name, renamed)]}
    if sheet is not None and source.kind != "workbook":
        raise no_sheets(source.name, sheet)
    if frame.shape[0] == 0:
        raise no_rows(source.name)
    frame.attrs[READ] = {**read, "notes": [*source.notes, *read.get("notes", ())]}
    return frame


def read_cells(path: str | Path, encoding: str = AUTO) -> list[list[str]]:
    """Read the cells of a small CSV file as text, without deciding which line is a header.

    Parameters
    ----------
    path : str or Path
        With any usual separator; it may be packed.
    encoding : str
        Encoding of the file.

    Returns
    -------
    list of list of str
        Lines that are not blank; a decimal comma is turned into a point.

    Raises
    ------
    InputError
        If the file is missing, empty or not text.
    """
    source = open_source(path)
    text, _ = decoded(source.data, encoding, source.name)
    separator, rows = split_rows(text)
    if not rows:
        raise InputError(f"{path} holds only blank lines.")
    comma = decimal_mark(separator, [cell for _, row in rows for cell in row]) == ","
    return [
        [cell.replace(",", ".") if comma and is_number(cell) else cell for cell in cells]
        for cells in ([cell.strip() for cell in row] for _, row in rows)
    ]


def _read_csv(
    source: Source,
    expected: Collection[str],
    text_columns: Collection[str],
    label: str | None,
    encoding: str,
    separator: str | None,
    decimal: str | None,
) -> tuple[pd.DataFrame, dict[str, Any]]:
    import pandas as pd

    from uneven.comparison.classlabels import exact_numbers
    from uneven.comparison.csvcells import (
        as_series,
        has_points,
        plain_numbers,
        text_cells,
        without_footer,
    )
    from uneven.comparison.versions import VERSION_NAME

    data, text, found, damaged = _utf_8(source, encoding)
    cut = len(data) > SAMPLE_BYTES
    style = guess_style(text[:SAMPLE_BYTES], expected, source.name, cut=cut, separator=separator)
    check_names(source.name, style.renamed, [label])
    del text
    keep = {*text_columns, label, *filter(VERSION_NAME.search, style.names)}
    data, below = without_footer(data.removeprefix(codecs.BOM_UTF8), style)
    cells, odd = text_cells(source.name, data, style, keep)
    del data
    if below:
        odd.append(f"{source.name} ends with {listing(below)}, which is no row and is left out.")
    if damaged:
        odd.append(f"{source.name} holds {damaged} damaged letters.")
    mark = decimal or style.decimal
    points = [one for one in cells if mark == "," and has_points(cells[one])]
    frame = pd.DataFrame(
        {
            name: (plain_numbers if name not in keep else as_series)(cells.pop(name), mark)
            for name in list(cells)
        },
        copy=False,
    )
    if label in frame:
        frame[label] = exact_numbers(frame[label], style.decimal)
    unnamed = style.names[len(style.names) - style_surplus(style) :]
    frame = frame.drop(columns=[name for name in unnamed if frame[name].isna().all()])
    read = _how_written(source.name, style, found)
    commas = [one for one in frame.select_dtypes("number") if mark == "," and one not in points]
    return frame, {**read, "commas": commas, "notes": [*read["notes"], *odd]}


def _utf_8(source: Source, encoding: str) -> tuple[bytes, str, str, int]:
    """A file in UTF-8, its beginning as text, its encoding, and how many letters are damaged."""
    plain = encoding.lower() in (AUTO, "utf-8", "utf-8-sig", "ascii")
    if plain and source.data.isascii() and b"\x00" not in source.data:
        return source.data, source.data[: SAMPLE_BYTES + 1].decode(), "utf-8-sig", 0
    text, found = decoded(source.data, encoding, source.name)
    damaged = text.count(DAMAGED)
    whole = found == "utf-8-sig" and not damaged
    return source.data if whole else text.encode(), text, found, damaged


def _how_written(name: str, style: CsvStyle, encoding: str) -> dict[str, Any]:
    """What was found about a text file, and one line about it unless it is the usual."""
    encoding = encoding.removesuffix("-sig")
    words = {",": "commas", ";": "semicolons", "\t": "tabs", "|": "bars", " ": "blanks"}
    words |= {"~": "tildes", "^": "carets", ":": "colons", "\x01": "control characters"}
    told = []
    if style.separator != "," and not name.lower().endswith(".tsv"):
        told.append(f"{words[style.separator]} between cells")
    if encoding != "utf-8":
        told.append(f"encoding {encoding} (--encoding to change it)")
    if style.decimal == ",":
        told.append("decimal commas")
    if style.quote != '"':
        told.append("apostrophes around cells")
    if style.merged:
        told.append("names of columns in two lines, which are joined")
    if style.above:
        told.append(f"{style.above} line{'s' * (style.above > 1)} above the header left out")
    if style.below:
        told.append(f"{style.below} line{'s' * (style.below > 1)} below the header left out")
    return {
        "format": "csv",
        "separator": style.separator,
        "encoding": encoding,
        "decimal": style.decimal,
        "header": style.has_header,
        "notes": [
            *([f"{name} is read with {', '.join(told)}."] if told else []),
            *_renamed(name, style.renamed),
        ],
    }


def no_rows(name: str) -> InputError:
    """What is wrong with a table of a header line alone."""
    return InputError(f"{name} has column names but no rows.")


def no_sheets(name: str, sheet: str) -> InputError:
    """What is wrong with a sheet of a file that is no workbook."""
    return InputError(f"--sheet {sheet!r}: {name} is no workbook and has no sheets.")


def check_columns(columns: Collection[str], names: Collection[str], option: str) -> None:
    """Refuse names that no column of a table has."""
    for name in names:
        if name not in columns:
            raise InputError(
                f"{option} {name!r} is not a column of the table; {closest(name, columns)}"
                f"the columns are {listing(columns)}."
            )


def check_complete(columns: Collection[str], needed: Collection[str]) -> None:
    """Refuse a table that lacks columns which a model needs."""
    missing = [name for name in needed if name not in columns]
    if missing:
        raise InputError(
            f"the table lacks {len(missing)} of the {len(needed)} columns the model "
            f"needs: {listing(missing)}.{_other_views(columns, missing)}"
        )


def _other_views(columns: Collection[str], missing: Collection[str]) -> str:
    """What to do if a table has missing columns of views in no view, or in a view of another name.

    Examples
    --------
    >>> _other_views(["x"], ["words__x"])
    ' Tables of views are joined with --on; explain needs a file made by comparison.join_tables.'
    >>> _other_views(["new__x"], ["words__x"])
    " Views are named after their files, here 'new'; the model knows 'words': rename the files."
    """
    lacking, given = (
        [name.split("__", 1) for name in names if "__" in name] for names in (missing, columns)
    )
    features = {feature for _, feature in lacking}
    if features & {*columns}:
        return (
            " Tables of views are joined with --on; explain needs a file made by "
            "comparison.join_tables."
        )
    if features & {feature for _, feature in given}:
        here, known = ({view: None for view, _ in some} for some in (given, lacking))
        return (
            f" Views are named after their files, here {listing(here)}; the model knows "
            f"{listing(known)}: rename the files."
        )
    return ""


def check_copied(table: Any, columns: Collection[str], copy: Iterable[str]) -> None:
    """Refuse to repeat columns that a table does not have."""
    missing = [name for name in copy if name not in columns]
    if missing:
        raise InputError(f"--copy names columns that are not in {table}: {listing(missing)}.")


def check_ending(path: Path, suffixes: Collection[str] = MATRIX_SUFFIXES) -> None:
    """Refuse a file whose ending promises a format that is not written."""
    if path.suffix.lower() not in suffixes:
        further = ", .json" * (".json" in suffixes)
        raise InputError(
            f"--out {path}: {path.suffix} files are not written; end the name with .csv, .tsv"
            f"{further} or .parquet."
        )


def check_names(path: str | Path, renamed: Collection[str], wanted: Iterable[str | None]) -> None:
    """Refuse a column by a name that two columns have."""
    doubled = [name for name in renamed if name in wanted]
    if doubled:
        raise InputError(f"{path} has columns with the same name: {listing(doubled)}; rename them.")


def _renamed(name: str, doubled: Collection[str]) -> list[str]:
    """Say which columns get a number."""
    if not doubled:
        return []
    first = next(iter(doubled))
    return [
        f"{name} has columns with the same name, {listing(doubled)}: the second is called "
        f"{first + ' (2)'!r}, and so on."
    ]
