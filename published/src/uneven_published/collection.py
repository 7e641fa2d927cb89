"""Every published table and figure that has an experiment behind it, in the order of print.

What a list says about them is kept in ``listed.json``, so that naming them loads no learner;
``make derived`` writes it again, and a test tells if it is out of date.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from importlib.resources import files
from typing import TYPE_CHECKING

from uneven.comparison.errors import InputError
from uneven.utils.registry import closest
from uneven_published.kept import count_kept

if TYPE_CHECKING:
    from uneven_published.description import Exhibit


DOCUMENTS = ("koco", "combo", "bregman", "louche", "sen", "norm")
"""Packages of exhibits, by the keys of their documents."""
EVERYTHING = "all"
STATUS = {
    "original": "original data",
    "substitute": "substitute",
    "calibrated": "calibrated substitute",
    "impossible": "cannot be run",
}


@dataclass(frozen=True)
class Listed:
    """What a list says about an exhibit.

    Attributes
    ----------
    name : str
        On the command line.
    citation : str
        Of its document.
    place, title, status, status_note : str
        As in `Exhibit`.
    studies : list of (str, int, list of str, int)
        Name, edition, items and repetitions of each study of a full run.
    """

    name: str
    citation: str
    place: str
    title: str
    status: str
    status_note: str
    studies: list[tuple[str, int, list[str], int]]

    @property
    def planned(self) -> int:
        """Cells of a full run."""
        return sum(len(items) * repeats for _, _, items, repeats in self.studies)

    @property
    def kept(self) -> int:
        """Those of them that come with the package."""
        return sum(count_kept(*study) for study in self.studies)


def exhibits_of(document: str) -> tuple[Exhibit, ...]:
    """Exhibits of a document; this loads the learners that they run."""
    return tuple(import_module(f"uneven_published.{document}").EXHIBITS)


@cache
def catalogue() -> tuple[Exhibit, ...]:
    """All exhibits."""
    return tuple(exhibit for document in DOCUMENTS for exhibit in exhibits_of(document))


def listing(exhibits: Sequence[Exhibit]) -> list[Listed]:
    """What a list says about exhibits."""
    return [
        Listed(
            exhibit.name,
            exhibit.document.citation,
            exhibit.place,
            exhibit.title,
            exhibit.status,
            exhibit.status_note,
            [
                (s.name, s.edition, [item.name for item in s.items], s.repeats)
                for s in exhibit.studies
            ],
        )
        for exhibit in exhibits
    ]


@cache
def listed() -> tuple[Listed, ...]:
    """All exhibits as a list names them, without loading what they run."""
    text = files("uneven_published").joinpath("listed.json").read_text(encoding="utf-8")
    return tuple(
        Listed(**{**one, "studies": [*map(tuple, one["studies"])]}) for one in json.loads(text)
    )


def names_of(wanted: Sequence[str]) -> list[str]:
    """Names of exhibits by name, by document (``koco``), by the beginning of a name, or ``all``.

    Parameters
    ----------
    wanted : sequence of str

    Returns
    -------
    list of str
        Each once, in the order of the catalogue.

    Raises
    ------
    InputError
        If a word fits nothing.

    Examples
    --------
    >>> names_of(["combo-table"])
    ['combo-table-1', 'combo-table-2']
    """
    known = [one.name for one in listed()]
    found: set[str] = set()
    for word in wanted:
        fits = {name for name in known if _fits(name, word.lower())}
        if not fits:
            raise InputError(
                f"no published table or figure is called {word!r}; "
                f"{closest(word, known)}uneven reproduce --list shows them."
            )
        found |= fits
    return [name for name in known if name in found]


def choose(wanted: Sequence[str]) -> list[Exhibit]:
    """Exhibits by the words that `names_of` takes; only their documents are loaded."""
    names = names_of(wanted)
    documents = dict.fromkeys(name.partition("-")[0] for name in names)
    loaded = (exhibit for document in documents for exhibit in exhibits_of(document))
    return [exhibit for exhibit in loaded if exhibit.name in names]


def _fits(full: str, name: str) -> bool:
    """Whether a name is the full one or ends where one of its words does."""
    return name in (EVERYTHING, full) or full.startswith(f"{name}-") or full.startswith(f"{name}.")
