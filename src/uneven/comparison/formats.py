"""What a file is, by its first bytes: text, Parquet, Feather, a workbook, JSON lines, compressed.

Nothing but the standard library is needed to look at a file; pandas and pyarrow read what is in
it. Only zstandard has no reader in the standard library of Python 3.11: pyarrow brings one.
"""

from __future__ import annotations

import bz2
import codecs
import gzip
import io
import lzma
import re
import struct
import sys
import zipfile
import zlib
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from uneven.comparison.codepages import codepage
from uneven.comparison.drawntext import plain_table
from uneven.comparison.errors import InputError
from uneven.utils.registry import listing

STANDARD_INPUT = Path("-")
AUTO = "auto"
"""Encoding that is found out."""

BROKEN = (OSError, EOFError, zlib.error, lzma.LZMAError, ValueError)
"""What the readers of packed files raise where such a file is damaged."""

DAMAGED = "\ufffd"
"""Stands for bytes that are no letter."""

PARQUET_SUFFIXES = (".parquet", ".pq")
MAGIC = {
    b"PAR1": "parquet",
    b"ARROW1": "feather",
    b"FEA1": "feather",
    b"\xd0\xcf\x11\xe0": "old workbook",
}

PROMISES = dict.fromkeys(PARQUET_SUFFIXES, ("parquet", "Parquet"))
PROMISES |= {".feather": ("feather", "Feather"), ".xlsx": ("workbook", "Excel")}
"""What a file must be to have such an ending."""


@dataclass(frozen=True)
class Source:
    """The content of a file.

    Attributes
    ----------
    name : str
        What to call it.
    data : bytes
        Unpacked.
    kind : {"csv", "parquet", "feather", "workbook", "json"}
    notes : tuple of str
        What the reader should know.
    is_whole : bool
        Whether nothing was left unread.
    """

    name: str
    data: bytes
    kind: str
    notes: tuple[str, ...] = ()
    is_whole: bool = True


def check_file(path: Path) -> None:
    """Refuse a path where there is no file, or nothing in it."""
    if path == STANDARD_INPUT:
        return
    if not path.exists():
        raise InputError(f"there is no file {path}.")
    if path.is_dir():
        raise InputError(
            f"{path} is a folder; give a CSV or Parquet file, or join the tables in it by a column "
            "with --on."
        )
    try:
        with path.open("rb") as file:
            first = file.read(1)
    except OSError as error:
        raise InputError(f"{path} cannot be read: {error.strerror}.") from error
    if not first:
        raise InputError(f"{path} is empty.")


def source_name(path: Path) -> str:
    """What to call a table."""
    return "standard input" if path == STANDARD_INPUT else str(path)


def open_source(path: str | Path, limit: int = -1) -> Source:
    """Read a file and unpack it.

    Parameters
    ----------
    path : str or Path
        ``-`` is standard input, which is read once and kept.
    limit : int
        Bytes of text to read at most; -1 reads all, and so do formats that are not text.

    Raises
    ------
    InputError
        If the file is missing, empty, or broken.
    """
    path = Path(path)
    check_file(path)
    name = source_name(path)
    data = _standard_input() if path == STANDARD_INPUT else _first_bytes(path, limit)
    if not data:
        raise InputError(f"{name} is empty.")
    if limit >= 0 and _is_packed(data) and path != STANDARD_INPUT:
        data = path.read_bytes()
    data, notes = _unpacked(data, name, limit)
    if not data:
        raise InputError(f"{name} is empty.")
    kind = _kind(data)
    wanted, word = PROMISES.get(path.suffix.lower(), (kind, ""))
    if kind == "page":
        raise InputError(f"{name} is an HTML or XML page; save its table as CSV or Excel (.xlsx).")
    if kind in ("csv", "json") and kind != wanted:
        raise InputError(f"{name} is not a readable {word} file: it does not begin like one.")
    if kind not in ("csv", "json") and 0 <= limit <= len(data) and path != STANDARD_INPUT:
        data = path.read_bytes()
    is_whole = not 0 <= limit <= len(data)
    return Source(name, plain_table(data) if kind == "csv" else data, kind, notes, is_whole)


@cache
def _standard_input() -> bytes:
    return sys.stdin.buffer.read()


def _first_bytes(path: Path, limit: int) -> bytes:
    try:
        with path.open("rb") as file:
            return file.read(limit)
    except OSError as error:
        raise InputError(f"{path} cannot be read: {error.strerror}.") from error


def _is_packed(data: bytes) -> bool:
    return any(data.startswith(magic) for magic in (*UNPACKERS, b"PK\x03\x04"))


def _unpacked(data: bytes, name: str, limit: int) -> tuple[bytes, tuple[str, ...]]:
    """The bytes inside of an archive; those of a workbook, which is one, as they are."""
    if data.startswith(b"PK\x03\x04"):
        return _only_member(data, name)
    for magic, (word, unpack) in UNPACKERS.items():
        if data.startswith(magic):
            try:
                return unpack(data, limit), ()
            except BROKEN as error:
                raise InputError(f"{name} is not a readable {word} file: {error}.") from error
    if name.endswith(".gz"):
        raise InputError(f"{name} is not a readable gzip file: it does not begin like one.")
    return data, ()


def _only_member(data: bytes, name: str) -> tuple[bytes, tuple[str, ...]]:
    try:
        archive = zipfile.ZipFile(io.BytesIO(data))
        members = [m for m in archive.namelist() if not m.endswith("/") and "__MACOSX" not in m]
        if "xl/workbook.xml" in members:
            return data, ()
        if len(members) != 1:
            raise InputError(
                f"{name} holds {len(members)} files ({listing(members)}); unpack it and give one."
            )
        return archive.read(members[0]), (f"{name} is read from its file {members[0]!r}.",)
    except InputError:
        raise
    except (*BROKEN, zipfile.BadZipFile, RuntimeError, struct.error) as error:
        raise InputError(f"{name} is not a readable zip file: {error}.") from error


def _streamed(opener: Callable[[Any], Any]) -> Callable[[bytes, int], bytes]:
    def unpack(data: bytes, limit: int) -> bytes:
        with opener(io.BytesIO(data)) as file:
            return bytes(file.read(limit))

    return unpack


def _zstandard(data: bytes, limit: int) -> bytes:
    import pyarrow as pa

    with pa.CompressedInputStream(pa.BufferReader(data), "zstd") as stream:
        return bytes(stream.read() if limit < 0 else stream.read(limit))


UNPACKERS: dict[bytes, tuple[str, Callable[[bytes, int], bytes]]] = {
    b"\x1f\x8b": ("gzip", _streamed(gzip.open)),
    b"BZh": ("bzip2", _streamed(bz2.open)),
    b"\xfd7zXZ\x00": ("xz", _streamed(lzma.open)),
    b"\x28\xb5\x2f\xfd": ("zstandard", _zstandard),
}


def _kind(data: bytes) -> str:
    for magic, kind in MAGIC.items():
        if data.startswith(magic):
            return kind
    if data.startswith(b"PK\x03\x04"):
        return "workbook"
    start = data[:1000].removeprefix(codecs.BOM_UTF8).lstrip()
    record = start.startswith(b"{") and start[1:].lstrip().startswith(b'"') and b":" in start
    records = start.startswith(b"[") and start[1:].lstrip().startswith(b"{")
    if re.match(rb"<(?:!doctype|\?xml|html|head|body|table|[a-z]+>)", start, flags=re.IGNORECASE):
        return "page"
    return "json" if record or records else "csv"


def decoded(data: bytes, encoding: str, name: str, *, cut: bool = False) -> tuple[str, str]:
    """The text of a file, and its encoding.

    Parameters
    ----------
    data : bytes
    encoding : str
        ``"auto"`` goes by the mark at the beginning, then takes UTF-8, and for bytes that are not
        UTF-8 what spreadsheets write on Windows.
    name : str
        What to call the file in an error.
    cut : bool
        Whether the last character may be cut in the middle.

    Raises
    ------
    InputError
        If it is not text.
    """
    found = find_encoding(data, name) if encoding.lower() == AUTO else _codec(encoding)
    if found != "utf-8-sig" and encoding.lower() == AUTO:
        return data.decode(found, "replace"), found
    if data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)) and found[4:6] not in (
        "16",
        "32",
    ):
        raise InputError(f"{name} is UTF-16 text; save it as UTF-8, or add --encoding utf-16.")
    if b"\x00" in data and "16" not in found and "32" not in found:
        raise InputError(f"{name} is not text: it holds zero bytes; give a CSV or Parquet file.")
    try:
        decoder = codecs.getincrementaldecoder(found)()
        return decoder.decode(data, final=not cut), found
    except UnicodeDecodeError as error:
        if encoding.lower() == AUTO:
            found = _not_quite_utf_8(data)
            return data.decode(found, "replace"), found
        byte = error.object[error.start]
        raise InputError(
            f"{name} is not {found.removesuffix('-sig')} text (byte 0x{byte:02x}); "
            "name its encoding, for example --encoding latin-1."
        ) from error
    except LookupError as error:
        raise InputError(f"unknown encoding {encoding!r}; try utf-8 or latin-1.") from error


def find_encoding(data: bytes, name: str = "table") -> str:
    """Encoding of a text by its first bytes: UTF-8 unless they show something else.

    Examples
    --------
    >>> find_encoding("größe".encode("cp1252")), find_encoding("größe".encode())
    ('cp1252', 'utf-8-sig')
    """
    if data.startswith((codecs.BOM_UTF32_LE, codecs.BOM_UTF32_BE)):
        return "utf-32"
    if data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return "utf-16"
    head = data[: 1 << 18]
    if b"\x00" in head:
        even, odd = head[::2].count(0), head[1::2].count(0)
        if max(even, odd) > 0.3 * len(head) / 2 and min(even, odd) < 0.05 * len(head) / 2:
            found = "utf-16-le" if odd > even else "utf-16-be"
            start = head[:2000].decode(found, "replace")
            if all(sign.isprintable() or sign in "\r\n\t" for sign in start[:-1]):
                return found
        raise InputError(f"{name} is not text: it holds zero bytes; give a CSV or Parquet file.")
    try:
        codecs.getincrementaldecoder("utf-8")().decode(head)
    except UnicodeDecodeError:
        return _not_quite_utf_8(head)
    return "utf-8-sig"


def _not_quite_utf_8(data: bytes) -> str:
    """UTF-8 with damaged places if most of its letters are UTF-8, else a table of Windows."""
    text = data.decode("utf-8-sig", "replace")
    damaged = text.count(DAMAGED)
    letters = sum(not sign.isascii() for sign in text) - damaged
    return "utf-8-sig" if letters > damaged else codepage(data)


def _codec(encoding: str) -> str:
    """Let a mark at the beginning of a UTF-8 file be passed over."""
    return "utf-8-sig" if encoding.lower().replace("_", "-") == "utf-8" else encoding
