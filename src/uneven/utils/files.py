"""Files and folders that appear whole or not at all.

Work happens under a temporary name next to the destination, so the final step is a rename inside
one file system, of what is on the disk by then.  Whatever goes wrong before that step, Ctrl-C
included, leaves the destination as it was and removes the temporary files; what a killed run
left is removed by the next one.
"""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

from uneven.utils.drafts import draft_name, exchange, flush, give_folders_back, remove_stale


@contextmanager
def replace_file(path: str | os.PathLike[str]) -> Iterator[Path]:
    """Give a temporary path to write to; rename it to `path` when the block succeeds.

    Parameters
    ----------
    path : str or path-like
        Destination.  Its folder must exist.  A link is followed; a device or a pipe is never
        replaced, the finished bytes are written to it.

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
    if target.exists() and not target.is_file():
        with _copied_to(target) as draft:
            yield draft
        return
    if target.is_symlink():
        target = Path(os.path.realpath(target))
    draft = target.with_name(draft_name(target.stem, target.suffix))
    with _named_after(draft, target):
        draft.open("x").close()
        remove_stale(target, target.absolute().parent)
        try:
            yield draft
            flush(draft)
            os.replace(draft, target)
            flush(target.absolute().parent)
        finally:
            draft.unlink(missing_ok=True)


@contextmanager
def _copied_to(device: Path) -> Iterator[Path]:
    """Give a temporary path to write to; copy it into a device or a pipe at the end."""
    with tempfile.TemporaryDirectory() as folder:
        draft = Path(folder, device.name)
        draft.touch()
        yield draft
        with draft.open("rb") as source, device.open("wb") as stream:
            shutil.copyfileobj(source, stream)


@contextmanager
def replace_folder(path: str | os.PathLike[str], names: Iterable[str] = ()) -> Iterator[Path]:
    """Give a temporary folder to fill; let it replace the files in `path` when the block succeeds.

    A destination that does not exist yet, parents included, is created only at the end.  One that
    exists changes places with the new folder, into which its other files are linked before, so that
    old and new results never stand side by side.  Where that cannot be done (the current folder, a
    folder in one that may not be written to), files are replaced one by one.

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
    home = nearest_folder(given)
    home = target.parent if _may_swap(target) else home
    _refuse_folders(given, names)
    draft = home / draft_name(target.name)
    with _named_after(draft, given), _named_after(target, given):
        draft.mkdir(mode=0o700)
        remove_stale(target, home)
        try:
            yield draft
            _refuse_folders(given, [file.name for file in draft.iterdir()])
            for file in draft.iterdir():
                flush(file)
            draft = _put_in_place(draft, target)
        finally:
            shutil.rmtree(draft, ignore_errors=True)


def _put_in_place(draft: Path, target: Path) -> Path:
    """Move a finished folder to its destination; returns what is left to remove."""
    if draft.parent == target.parent and target.is_dir():
        others = [file for file in target.iterdir() if not file.is_dir() or file.is_symlink()]
        try:
            for file in others:
                if not (draft / file.name).exists():
                    os.link(file, draft / file.name, follow_symlinks=False)
        except OSError:  # a file system without links
            pass
        else:
            draft.chmod(target.stat().st_mode)
            old = exchange(draft, target)
            flush(target.parent)
            give_folders_back(old, target)
            return old
    target.mkdir(parents=True, exist_ok=True)
    for file in sorted(draft.iterdir()):
        os.replace(file, target / file.name)
    flush(target)
    return draft


def _may_swap(target: Path) -> bool:
    """Whether a folder can change places with another one next to it."""
    if not target.is_dir() or target.is_symlink() or os.path.ismount(target):
        return False
    here = Path.cwd()
    return target not in (here, *here.parents) and os.access(target.parent, os.W_OK | os.X_OK)


@contextmanager
def _named_after(place: Path, shown: Path) -> Iterator[None]:
    """Let an error about `place`, or about a file in it, name `shown` instead."""
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


def nearest_folder(target: Path) -> Path:
    """Closest folder at or above `target` that exists and may be written to, as a whole path."""
    for place in (target, *target.parents):
        if place.is_dir():
            if not os.access(place, os.W_OK | os.X_OK):
                raise PermissionError(f"folder {place} may not be written to.")
            return place.absolute()
        if place.exists():
            raise NotADirectoryError(f"{place} is a file, so it cannot hold a folder.")
    raise FileNotFoundError(f"no folder above {target} exists.")
