"""Every published table and figure that has an experiment behind it, in the order of print."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

from uneven.comparison.errors import InputError
from uneven.utils.registry import closest
from uneven_published.description import Exhibit

__all__ = ["catalogue", "choose"]

EVERYTHING = "all"


@cache
def catalogue() -> tuple[Exhibit, ...]:
    """All exhibits."""
    from uneven_published import bregman, combo, koco, louche, norm, sen

    rooms = (koco, combo, bregman, louche, sen, norm)
    return tuple(exhibit for room in rooms for exhibit in room.EXHIBITS)


def choose(names: Sequence[str]) -> list[Exhibit]:
    """Exhibits by name, by document (``koco``), by the beginning of a name, or ``all``.

    Parameters
    ----------
    names : sequence of str

    Returns
    -------
    list of Exhibit
        Each once, in the order of the catalogue.

    Raises
    ------
    InputError
        If a name fits nothing.

    Examples
    --------
    >>> [exhibit.name for exhibit in choose(["combo-table"])]
    ['combo-table-1', 'combo-table-2']
    """
    known = catalogue()
    wanted: set[str] = set()
    for name in names:
        fits = {exhibit.name for exhibit in known if _fits(exhibit.name, name.lower())}
        if not fits:
            names_known = [exhibit.name for exhibit in known]
            raise InputError(
                f"no published table or figure is called {name!r}; "
                f"{closest(name, names_known)}uneven reproduce --list shows them."
            )
        wanted |= fits
    return [exhibit for exhibit in known if exhibit.name in wanted]


def _fits(full: str, name: str) -> bool:
    """Whether a name is the full one or ends where one of its words does."""
    return name in (EVERYTHING, full) or full.startswith(f"{name}-") or full.startswith(f"{name}.")
