"""``uneven reproduce``: what the command line calls; the work is loaded when it is needed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from uneven.comparison.errors import InputError
from uneven_published.collection import listed, names_of
from uneven_published.terminal import print_list


@dataclass(frozen=True)
class ReproduceRequest:
    """What to run again.

    Attributes
    ----------
    names : tuple of str
        Exhibits, documents, or "all".
    fast : bool
        Fewer repetitions.
    data : Path or None
        Folder of data sets; None for the usual one.
    n_jobs : int
        Processes.
    out : Path
        Folder for pages and finished cells.
    kept : bool
        Run nothing; show what finished cells hold.
    offline : bool
        Download nothing.
    """

    names: tuple[str, ...]
    fast: bool = False
    data: Path | None = None
    n_jobs: int = -1
    out: Path = Path("uneven-published")
    kept: bool = False
    offline: bool = False

    def __post_init__(self) -> None:
        if not self.names:
            raise InputError(
                "nothing to run: give names of tables or figures, of documents, or 'all'; "
                "uneven reproduce --list shows them."
            )
        if self.data is not None and not self.data.is_dir():
            raise InputError(f"--data {self.data} is not a folder.")
        if self.out.exists() and not self.out.is_dir():
            raise InputError(f"--out {self.out} is a file; give a folder.")


def list_exhibits(names: Sequence[str]) -> None:
    """Print what can be run again, and what cannot and why."""
    wanted = names_of(names or ["all"])
    print_list([one for one in listed() if one.name in wanted])


def reproduce(request: ReproduceRequest) -> int:
    """Run exhibits, write their pages and print the verdicts.

    Parameters
    ----------
    request : ReproduceRequest

    Returns
    -------
    int
        Exit code: 1 if a cell failed, 130 if interrupted.
    """
    names_of(request.names)
    from uneven_published import reproduction

    return reproduction.reproduce(request)


def write_page(page: Path, folder: Path) -> None:
    """Write "Published versus measured" from the results in a folder; nothing is run.

    Parameters
    ----------
    page : Path
        Markdown file to write.
    folder : Path
        Holds the JSON files of earlier runs; they are brought up to date with the descriptions,
        and pictures are drawn beside them.
    """
    if not page.absolute().parent.is_dir():
        raise InputError(f"--page {page}: there is no folder {page.parent}.")
    from uneven_published import reproduction

    reproduction.write_page(page, folder)
