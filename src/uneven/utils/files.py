"""Files and folders that appear whole or not at all.

Work happens under a temporary name beside the destination, so the final step is a rename inside
one file system.  Whatever goes wrong before that step, Ctrl-C included, leaves the destination as
it was and removes the temporary files.
"""

from __future__ import annotations

import os
import secrets
import shutil
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def replace_file(path: str | os.PathLike[str]) -> Iterator[Path]:
    """Give a temporary path to write to; rename it to `path` when the block succeeds.

    Parameters
    ----------
    path : str or path-like
        Destination.  Its folder must exist.

    Yields
    ------
    Path
        Temporary file in the same folder, with the same suffix, empty.

    Examples
    --------
    >>> import tempfile
    >>> folder = Path(tempfile.mkdtemp())
    >>> with replace_file(folder / "a.txt") as draft:
    ...     _ = draft.write_text("whole")
    >>> [p.name for p in folder.iterdir()]
    ['a.txt']
    """
    target = Path(path)
    if target.is_dir():
        raise IsADirectoryError(f"{target} is a folder; give the name of a file.")
    draft = target.with_name(f".{target.stem}-{secrets.token_hex(4)}{target.suffix}")
    with _named_after(draft, target):
        draft.open("x").close()
        try:
            yield draft
            os.replace(draft, target)
        finally:
            draft.unlink(missing_ok=True)


@contextmanager
def replace_folder(path: str | os.PathLike[str], names: Iterable[str] = ()) -> Iterator[Path]:
    """Give a temporary folder to fill; move its files into `path` when the block succeeds.

    A destination that does not exist yet, parents included, is created only at the end.  In one
    that exists, files of the same name are replaced one by one and all others stay.

    Parameters
    ----------
    path : str or path-like
        Destination folder.
    names : iterable of str
        Files that will be written; a folder of such a name is noticed before the block runs.

    Yields
    ------
    Path
        Temporary folder on the same file system, empty.

    Examples
    --------
    >>> import tempfile
    >>> folder = Path(tempfile.mkdtemp())
    >>> with replace_folder(folder / "new" / "report") as draft:
    ...     _ = (draft / "a.txt").write_text("whole")
    >>> sorted(str(p.relative_to(folder)) for p in folder.rglob("*"))
    ['new', 'new/report', 'new/report/a.txt']
    """
    given = Path(path)
    target = given.absolute()
    home = _nearest_folder(given)
    _refuse_folders(given, names)
    draft = home / f".{target.name}-{secrets.token_hex(4)}"
    with _named_after(draft, given), _named_after(target, given):
        draft.mkdir(mode=0o700)
        try:
            yield draft
            target.mkdir(parents=True, exist_ok=True)
            files = sorted(draft.iterdir())
            _refuse_folders(given, [file.name for file in files])
            for file in files:
                os.replace(file, target / file.name)
        finally:
            shutil.rmtree(draft, ignore_errors=True)


@contextmanager
def _named_after(place: Path, shown: Path) -> Iterator[None]:
    """Let an error about `place`, or about a file in it, speak of `shown` instead."""
    try:
        yield
    except OSError as error:
        if error.filename is not None and Path(os.fsdecode(error.filename)).is_relative_to(place):
            inside = Path(os.fsdecode(error.filename)).relative_to(place)
            error.filename = str(shown / inside)
            if error.filename2 is not None:
                del error.filename2
        raise


def _refuse_folders(target: Path, names: Iterable[str]) -> None:
    """Nothing may be moved if one of the files would hit a folder."""
    for name in names:
        if (target / name).is_dir():
            raise IsADirectoryError(
                f"{target / name} is a folder where a file must be written; "
                "remove it or choose another folder."
            )


def _nearest_folder(target: Path) -> Path:
    """Closest folder at or above `target` that exists and may be written to, as a whole path."""
    for place in (target, *target.parents):
        if place.is_dir():
            if not os.access(place, os.W_OK | os.X_OK):
                raise PermissionError(f"folder {place} may not be written to.")
            return place.absolute()
        if place.exists():
            raise NotADirectoryError(f"{place} is a file, so it cannot hold a folder.")
    raise FileNotFoundError(f"no folder above {target} exists.")
