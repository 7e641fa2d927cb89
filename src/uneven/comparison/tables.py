"""Tables from files: CSV with any usual separator, or Parquet.

The separator, the header line and the decimal comma are found by looking at the first lines, for
which nothing but the standard library is needed; the whole file is then read once by the fast
parser of pandas, which is imported only then.
"""

from __future__ import annotations

import csv
import gzip
import hashlib
import io
import re
import zlib
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from uneven.comparison.errors import InputError
from uneven.utils.registry import closest, listing

if TYPE_CHECKING:
    import pandas as pd


SEPARATORS = (",", ";", "\t", "|")
SAMPLE_BYTES = 1 << 18
LONGEST_CELL = (1 << 31) - 1
PARQUET_SUFFIXES = (".parquet", ".pq")
MATRIX_SUFFIXES = ("", ".csv", ".json", ".tsv", ".txt", *PARQUET_SUFFIXES)


@dataclass(frozen=True)
class CsvStyle:
    """How a CSV file is written.

    Attributes
    ----------
    separator : str
        One character.
    decimal : str
        ``"."`` or ``","``.
    names : tuple of str
        Column names: the header line, or ``column_1 …`` where there is none.
    has_header : bool
        Whether the first line holds the names.
    """

    separator: str
    decimal: str
    names: tuple[str, ...]
    has_header: bool


def file_digest(path: str | Path) -> str:
    """SHA-256 of a file, in hexadecimal."""
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def read_table(
    path: str | Path,
    *,
    expected: Collection[str] = (),
    text_columns: Collection[str] = (),
    label: str | None = None,
    encoding: str = "utf-8",
) -> pd.DataFrame:
    """Read a CSV or Parquet file.

    Parameters
    ----------
    path : str or Path
        ``.parquet`` and ``.pq`` are read as Parquet, everything else as CSV (``.gz`` allowed).
    expected : collection of str
        Names one of which is in the header line, if there is a header line.
    text_columns : collection of str
        Columns to keep as text even if they look like numbers.
    label : str, optional
        Column of class labels: its numbers are kept without rounding, and only an empty cell of
        a CSV file is missing.
    encoding : str
        Encoding of a CSV file.

    Returns
    -------
    DataFrame of shape (n_rows, n_columns)
        With text column names.

    Raises
    ------
    InputError
        If the file is missing, empty, broken or not a table.
    """
    path = Path(path)
    check_file(path)
    if path.suffix.lower() in PARQUET_SUFFIXES:
        frame = _read_parquet(path)
    else:
        frame = _read_csv(path, expected, text_columns, label, encoding)
    if frame.shape[0] == 0:
        raise InputError(f"{path} has column names but no rows.")
    return frame


def read_cells(path: str | Path, encoding: str = "utf-8") -> list[list[str]]:
    """Read the cells of a small CSV file as text, without deciding which line is a header.

    Parameters
    ----------
    path : str or Path
        With any usual separator; ``.gz`` allowed.
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
    path = Path(path)
    check_file(path)
    text = _first_lines(path, _codec(encoding), limit=-1)
    separator, rows = _split(text)
    if not rows:
        raise InputError(f"{path} holds only blank lines.")
    comma = _decimal(separator, [cell for row in rows for cell in row]) == ","
    return [
        [cell.replace(",", ".") if comma and _is_number(cell) else cell for cell in cells]
        for cells in ([cell.strip() for cell in row] for row in rows)
    ]


def _codec(encoding: str) -> str:
    """Let a mark at the beginning of a UTF-8 file be passed over."""
    return "utf-8-sig" if encoding.lower().replace("_", "-") == "utf-8" else encoding


def check_file(path: Path) -> None:
    """Refuse a path where there is no file, or nothing in it."""
    if not path.exists():
        raise InputError(f"there is no file {path}.")
    if path.is_dir():
        raise InputError(f"{path} is a folder; give a CSV or Parquet file.")
    try:
        with path.open("rb") as file:
            first = file.read(1)
    except OSError as error:
        raise InputError(f"{path} cannot be read: {error.strerror}.") from error
    if not first:
        raise InputError(f"{path} is empty.")


def _read_parquet(path: Path) -> pd.DataFrame:
    import pandas as pd

    try:
        frame = pd.read_parquet(path)
    except (OSError, ValueError) as error:
        reason = str(error).splitlines()[0].rstrip(".")
        raise InputError(f"{path} is not a readable Parquet file: {reason}.") from error
    levels = [name for name in frame.index.names if name is not None]
    index = frame.index.to_frame(index=False)[levels]
    names = [str(name) for name in (*levels, *frame.columns)]
    _check_names(path, names)
    frame = pd.concat([index, frame.reset_index(drop=True)], axis=1)
    frame.columns = pd.Index(names)
    return frame


def _read_csv(
    path: Path,
    expected: Collection[str],
    text_columns: Collection[str],
    label: str | None,
    encoding: str,
) -> pd.DataFrame:
    from pandas.api import types

    from uneven.comparison.schema import exact_numbers, without_na_words

    style = table_style(path, expected, encoding)
    encoding = _codec(encoding)
    _check_names(path, style.names)
    text = {*text_columns, label} & {*style.names}
    frame = _parse(path, style, text, encoding)
    if frame.iloc[:, -1].hasnans:
        _refuse_short_rows(path, style, encoding)
    for name in frame.columns:
        if name == label:
            frame[name] = exact_numbers(frame[name], style.decimal)
        elif name not in text and not types.is_numeric_dtype(frame[name].dtype):
            frame[name] = without_na_words(frame[name], style.decimal)
    return frame


def _parse(
    path: Path, style: CsvStyle, text: Collection[str | None], encoding: str
) -> pd.DataFrame:
    import pandas as pd

    dtype: Mapping[Any, Any] = dict.fromkeys(text, str)
    try:
        return pd.read_csv(
            path,
            sep=style.separator,
            decimal=style.decimal,
            names=list(style.names),
            header=0 if style.has_header else None,
            index_col=False,
            dtype=dtype,
            encoding=encoding,
            skipinitialspace=True,
            keep_default_na=False,
            na_values=[""],
            low_memory=False,
            on_bad_lines="error",
        )
    except UnicodeDecodeError as error:
        raise _encoding_error(path, encoding, error) from error
    except (pd.errors.ParserError, pd.errors.EmptyDataError, ValueError) as error:
        reason = str(error).splitlines()[0].rstrip(". ")
        reason = reason.removeprefix("Error tokenizing data. C error: ")
        raise InputError(f"{path} is a broken CSV file: {reason}.") from error
    except (zlib.error, EOFError, gzip.BadGzipFile) as error:
        raise InputError(f"{path} is not a readable gzip file: {error}.") from error


def _refuse_short_rows(path: Path, style: CsvStyle, encoding: str) -> None:
    """Name the first line with fewer cells than there are columns; pandas would fill it up."""
    width = len(style.names)
    opener = gzip.open if path.suffix.lower() == ".gz" else open
    with opener(path, "rt", encoding=encoding) as file, _long_cells():
        reader = csv.reader(file, delimiter=style.separator, skipinitialspace=True)
        for row in reader:
            if len(row) < width and any(cell.strip() for cell in row):
                raise InputError(
                    f"{path} is a broken CSV file: line {reader.line_num} has {len(row)} "
                    f"field{'s' * (len(row) > 1)}, the first line has {width}; "
                    "write a separator for each empty cell."
                )


def _first_lines(path: Path, encoding: str, limit: int = SAMPLE_BYTES) -> str:
    """The first lines of a file, without a last line that may be cut; -1 is no limit."""
    opener = gzip.open if path.suffix.lower() == ".gz" else open
    try:
        with opener(path, "rb") as file:
            raw = file.read(limit)
    except (gzip.BadGzipFile, EOFError, zlib.error) as error:
        raise InputError(f"{path} is not a readable gzip file: {error}.") from error
    if raw.startswith((b"\xff\xfe", b"\xfe\xff")) and not encoding.lower().startswith("utf-16"):
        raise InputError(f"{path} is UTF-16 text; save it as UTF-8, or add --encoding utf-16.")
    if b"\x00" in raw and not encoding.lower().startswith("utf-16"):
        raise InputError(f"{path} is not text: it holds zero bytes; give a CSV or Parquet file.")
    end = raw.rfind(b"\n") + 1 or raw.rfind(b"\r") + 1
    whole = raw if len(raw) != limit else raw[:end] or raw
    try:
        return whole.decode(encoding)
    except UnicodeDecodeError as error:
        raise _encoding_error(path, encoding, error) from error
    except LookupError as error:
        raise InputError(f"unknown encoding {encoding!r}; try utf-8 or latin-1.") from error


def _encoding_error(path: Path, encoding: str, error: UnicodeDecodeError) -> InputError:
    byte = error.object[error.start]
    return InputError(
        f"{path} is not {encoding.removesuffix('-sig')} text (byte 0x{byte:02x}); "
        "name its encoding, for example --encoding latin-1."
    )


def check_columns(columns: Collection[str], names: Collection[str], option: str) -> None:
    """Refuse names that no column of a table has."""
    for name in names:
        if name not in columns:
            raise InputError(
                f"{option} {name!r} is not a column of the table; {closest(name, columns)}"
                f"the columns are {listing(columns)}."
            )


def check_header(
    path: Path, wanted: Mapping[str, Collection[str]], encoding: str = "utf-8"
) -> None:
    """Refuse a file that is not there, or whose first line lacks columns.

    Parameters
    ----------
    path : Path
        Of a Parquet file only the existence is looked at.
    wanted : mapping of str to collection of str
        For each option the columns that it names; the header line has one of the first.
    encoding : str
    """
    check_file(path)
    if path.suffix.lower() in PARQUET_SUFFIXES:
        return
    names = table_style(path, next(iter(wanted.values())), encoding).names
    _check_names(path, names)
    for option, columns in wanted.items():
        check_columns(names, columns, option)


def check_ending(path: Path) -> None:
    """Refuse a file whose ending promises a format that is not written."""
    if path.suffix.lower() not in MATRIX_SUFFIXES:
        raise InputError(
            f"--out {path}: {path.suffix} files are not written; end the name with .csv, .tsv, "
            ".json or .parquet."
        )


def table_style(
    path: str | Path, expected: Collection[str] = (), encoding: str = "utf-8"
) -> CsvStyle:
    """How a CSV file is written, see `guess_style`.

    Parameters
    ----------
    path : str or Path
    expected : collection of str
        Names one of which is in the header line, if there is one.
    encoding : str
    """
    return guess_style(_first_lines(Path(path), _codec(encoding)), expected, str(path))


def guess_style(text: str, expected: Collection[str] = (), name: str = "table") -> CsvStyle:
    r"""Find separator, decimal mark and header of a CSV from its first lines.

    Parameters
    ----------
    text : str
        First lines.
    expected : collection of str
        Names one of which is in the header line, if there is one.
    name : str
        What to call the file in an error.

    Returns
    -------
    CsvStyle
        What was found.

    Examples
    --------
    >>> guess_style("size;kind\n1,5;a\n2,5;b\n")
    CsvStyle(separator=';', decimal=',', names=('size', 'kind'), has_header=True)
    >>> guess_style("5.1,3.5,setosa\n4.9,3.0,setosa\n").names
    ('column_1', 'column_2', 'column_3')
    """
    separator, rows = _split(text)
    if not rows:
        raise InputError(f"{name} holds only blank lines.")
    width = len(rows[0])
    for number, row in enumerate(rows[1:], start=2):
        if len(row) > width and any(cell.strip() for cell in row[width:]):
            raise InputError(
                f"{name} is a broken CSV file: row {number} has {len(row)} fields, "
                f"the first line has {width}."
            )
    cells = [cell for row in rows[1:] for cell in row]
    first = [cell.strip() for cell in rows[0]]
    has_header = bool(set(first) & set(expected)) or not any(map(_is_number, first))
    names = [
        cell if has_header and cell else f"column_{j}" for j, cell in enumerate(first, start=1)
    ]
    return CsvStyle(separator, _decimal(separator, cells), tuple(names), has_header)


def _decimal(separator: str, cells: Collection[str]) -> str:
    comma = separator != "," and _any_match(r"[-+]?\d+,\d+", cells)
    return "," if comma and not _any_match(r"[-+]?\d*\.\d+", cells) else "."


def _split(text: str) -> tuple[str, list[list[str]]]:
    """Cut the lines at the separator that gives the most, equally long, rows."""
    best = (-1.0, SEPARATORS[0], list[list[str]]())
    for separator in SEPARATORS:
        lines = io.StringIO(text, newline=None)
        reader = csv.reader(lines, delimiter=separator, skipinitialspace=True)
        try:
            with _long_cells():
                rows = [row for row in reader if any(cell.strip() for cell in row)]
        except csv.Error:
            continue
        width = len(rows[0]) if rows else 0
        agreement = sum(len(row) == width for row in rows) / max(len(rows), 1)
        quality = agreement + 1.0 if width > 1 else 0.0
        if quality > best[0]:
            best = (quality, separator, rows)
    return best[1], best[2]


@contextmanager
def _long_cells() -> Iterator[None]:
    """Let the csv module read cells of any length for a while."""
    usual = csv.field_size_limit(LONGEST_CELL)
    try:
        yield
    finally:
        csv.field_size_limit(usual)


def _any_match(pattern: str, cells: Iterable[str]) -> bool:
    whole = re.compile(pattern)
    return any(whole.fullmatch(cell.strip()) for cell in cells)


def _is_number(cell: str) -> bool:
    return re.fullmatch(r"[-+]?\d*[.,]?\d+([eE][-+]?\d+)?", cell) is not None


def _check_names(path: Path, names: Iterable[str]) -> None:
    doubled = [name for name, count in Counter(names).items() if count > 1]
    if doubled:
        raise InputError(f"{path} has columns with the same name: {listing(doubled)}; rename them.")
