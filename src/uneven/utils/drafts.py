"""Names of unfinished files and folders, what killed runs left of them, and steps that last.

A draft stands next to its destination under a hidden name that says which process of which machine
writes it. The next run that writes to the same destination removes drafts whose process is gone.
"""

from __future__ import annotations

import ctypes
import os
import platform
import re
import secrets
import shutil
import sys
import zlib
from functools import cache
from pathlib import Path

_EXCHANGE, _HERE = 2, -100


@cache
def _machine() -> str:
    return f"{zlib.crc32(platform.node().encode()):08x}"


def draft_name(stem: str, suffix: str = "") -> str:
    """Name of a new draft of this process."""
    return f".{stem}-{_machine()}-{os.getpid()}-{secrets.token_hex(4)}{suffix}"


def remove_stale(target: Path, home: Path) -> None:
    """Remove what killed runs of this machine left of a destination.

    Parameters
    ----------
    target : Path
        A file or a folder.
    home : Path
        Folder in which its drafts stand.
    """
    if os.name != "posix":  # there is no harmless way to ask whether a process lives
        return
    stems = "|".join(re.escape(stem) for stem in {target.stem, target.name})
    pattern = re.compile(rf"\.(?:{stems})-{_machine()}-(\d+)-[0-9a-f]{{8}}")
    with os.scandir(home) as entries:
        found = [(entry, pattern.match(entry.name)) for entry in entries]
    for entry, match in found:
        if match and not _lives(int(match[1])):
            _remove(Path(entry.path), target)


def _lives(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except (PermissionError, OverflowError):
        pass
    return True


def _remove(stale: Path, target: Path) -> None:
    """Remove a draft; a folder that was taken away first gives back what was not ours."""
    if not stale.is_dir():
        stale.unlink(missing_ok=True)
        return
    if stale.name.endswith(".old") and not target.exists():
        os.rename(stale, target)
        return
    if target.is_dir():
        give_folders_back(stale, target)
    shutil.rmtree(stale, ignore_errors=True)


def give_folders_back(old: Path, target: Path) -> None:
    """Move folders in a replaced folder into the one that replaces it."""
    for entry in list(old.iterdir()):
        if entry.is_dir() and not entry.is_symlink() and not (target / entry.name).exists():
            os.rename(entry, target / entry.name)


def flush(path: Path) -> None:
    """Wait until a file, or the names in a folder, are on the disk, where the system can tell."""
    try:
        handle = os.open(path, os.O_RDONLY)
    except OSError:
        return
    try:
        os.fsync(handle)
    except OSError:
        pass  # some file systems cannot, as for folders on Windows
    finally:
        os.close(handle)


def exchange(draft: Path, target: Path) -> Path:
    """Let two folders change places, at once where the system can.

    Returns
    -------
    Path
        Where the old folder stands now.
    """
    if _renames_at_once(draft, target):
        return draft
    old = target.with_name(f"{draft.name}.old")
    os.rename(target, old)
    os.rename(draft, target)
    return old


def _renames_at_once(draft: Path, target: Path) -> bool:
    """Try Linux's ``renameat2`` with RENAME_EXCHANGE."""
    if not sys.platform.startswith("linux"):
        return False
    rename = getattr(ctypes.CDLL(None, use_errno=True), "renameat2", None)
    if rename is None:
        return False
    names = [os.fsencode(path) for path in (draft, target)]
    return bool(rename(_HERE, names[0], _HERE, names[1], _EXCHANGE) == 0)
