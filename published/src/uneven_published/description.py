"""What describes a published table or figure: its print, the work behind it, and its claims.

An `Exhibit` is data. It names one or several `Study` objects, which say what is run, and everything
that was printed; one runner and one renderer serve all exhibits.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from uneven_published.numbers import Numbers, Printed, Verdict
from uneven_published.tables import fetch_table

Answers = Mapping[str, Mapping[str, Any]]
"""What a cell found: column to measure to samples; the first axis of the samples is the sample."""

Status = Literal["original", "substitute", "calibrated", "impossible"]


@dataclass(frozen=True)
class Document:
    """A publication.

    Attributes
    ----------
    key : str
        First part of the names of its exhibits.
    citation : str
        Author, year, title, kind.
    """

    key: str
    citation: str


@dataclass(frozen=True)
class Context:
    """Where a cell finds its data.

    Attributes
    ----------
    data : Path or None
        Folder of data sets; None for the usual one.
    """

    data: Path | None = None

    def fetch(self, name: str) -> Any:
        """A data set, without a download: whoever plans the run has downloaded it before."""
        return fetch_table(name, self.data)


@dataclass(frozen=True)
class Item:
    """One part of a study, such as a data set or a setting.

    Attributes
    ----------
    name : str
        Row label in the tables.
    data : tuple of str
        Data sets it needs, as `uneven.datasets.fetch` knows them; none if it is generated.
    packages : tuple of str
        Modules that bring its data along; without them it is left out.
    """

    name: str
    data: tuple[str, ...] = ()
    packages: tuple[str, ...] = ()

    @property
    def folder(self) -> str:
        """Name of the folder of its cells."""
        return re.sub(r"[^\w.=+-]+", "_", self.name)


@dataclass(frozen=True)
class Study:
    """Work that exhibits are read from: every item, repeated.

    Attributes
    ----------
    name : str
        Name of the folder of its cells.
    items : tuple of Item
    measure : callable
        ``measure(item, repeat, context) -> Answers``: name of an item, number of the repetition
        from 0, and `Context`. It must be picklable and depend on nothing else.
    repeats, fast_repeats : int
        How many repetitions; ``fast_repeats`` with ``--fast``.
    fast_items : tuple of str or None
        Items of a fast run; all if None.
    fast : Study or None
        A smaller study to run instead with ``--fast``, if fewer repetitions are not enough.
    edition : int
        To be raised when what is measured changes: older cells are then done again.
    packages : tuple of str
        Modules that it needs and this library does not; without them it is left out.
    column : str
        The column it fills, if it fills one only; said when it is left out.
    """

    name: str
    items: tuple[Item, ...]
    measure: Callable[[str, int, Context], Answers]
    repeats: int = 1
    fast_repeats: int = 1
    fast_items: tuple[str, ...] | None = None
    fast: Study | None = None
    edition: int = 1
    packages: tuple[str, ...] = ()
    column: str = ""

    def __post_init__(self) -> None:
        folders = [item.folder for item in self.items]
        if len(set(folders)) < len(folders):
            raise ValueError(f"{self.name}: names of items differ by signs only: {folders}.")

    def at(self, fast: bool) -> Study:
        """The study that is run."""
        return self.fast if fast and self.fast is not None else self

    def cells(self, fast: bool) -> list[tuple[Item, int]]:
        """Items and repetitions to run."""
        if fast and self.fast is not None:
            return self.fast.cells(fast=False)
        if fast:
            wanted = [i for i in self.items if self.fast_items is None or i.name in self.fast_items]
            return [(item, r) for r in range(self.fast_repeats) for item in wanted]
        return [(item, r) for r in range(self.repeats) for item in self.items]


@dataclass(frozen=True)
class Measure:
    """A column of numbers in an exhibit.

    Attributes
    ----------
    key : str
        As in the answers of the study.
    title : str
    better : {"lower", "higher"} or None
    digits : int
        After the decimal point.
    """

    key: str
    title: str
    better: Literal["lower", "higher"] | None = None
    digits: int = 3


@dataclass(frozen=True)
class Claim:
    """A sentence of the source about its numbers, and how to check it.

    Attributes
    ----------
    text : str
        What the source says, in our words.
    check : callable
        ``check(numbers) -> Verdict``; asked about the printed and about the measured numbers.
    why : str
        A sentence on why it does not hold, if it does not and the explanation of the exhibit does
        not begin with the reason.
    erratum : str
        The error of the source that its numbers come from, if it is proven.
    """

    text: str
    check: Callable[[Numbers], Verdict]
    why: str = ""
    erratum: str = ""


@dataclass(frozen=True)
class Significance:
    """The test that the source used, repeated on the measured samples.

    Attributes
    ----------
    test : {"student", "welch", "signed_rank", "rank_sum"}
    level : float
    measures : tuple of str
    pairs : tuple of (str, str)
        Columns to compare; if empty, every column with the best one of the row.
    alternative : {"two-sided", "less", "greater", "one-sided"}
        "one-sided" is the smaller of the two one-sided tests.
    columns : tuple of str
        Columns that take part where there are no pairs; all if empty.
    """

    test: Literal["student", "welch", "signed_rank", "rank_sum"]
    level: float
    measures: tuple[str, ...]
    pairs: tuple[tuple[str, str], ...] = ()
    alternative: Literal["two-sided", "less", "greater", "one-sided"] = "two-sided"
    columns: tuple[str, ...] = ()


@dataclass(frozen=True)
class Ranking:
    """Means and average ranks of the columns over the rows, and Friedman's test of them.

    Rows that lack a number of a column that has some are left out, for all columns alike.

    Attributes
    ----------
    measures : tuple of str
        They must say which numbers are better.
    level : float
        Of Nemenyi's critical difference.
    drawn : tuple of str
        Measures with a critical-difference diagram.
    """

    measures: tuple[str, ...]
    level: float = 0.05
    drawn: tuple[str, ...] = ()


@dataclass(frozen=True)
class Plot:
    """How a figure is redrawn: one panel per row, one line per column.

    Attributes
    ----------
    measure : str
        Whose samples are curves, shape (n_samples, len(x)).
    x : tuple of float
    x_title, y_title : str
    rows, columns : tuple of str
        Panels and lines; all that have the measure if empty.
    x_log, y_log : bool
    kind : {"line", "step", "bar"}
    title : str
        Above the picture, if an exhibit has several.
    steps : tuple of str
        Columns drawn as steps although the others are lines.
    """

    measure: str
    x: tuple[float, ...]
    x_title: str
    y_title: str
    rows: tuple[str, ...] = ()
    columns: tuple[str, ...] = ()
    x_log: bool = False
    y_log: bool = False
    kind: Literal["line", "step", "bar"] = "line"
    title: str = ""
    steps: tuple[str, ...] = ()


@dataclass(frozen=True)
class Exhibit:
    """A published table or figure, and how it is run again.

    Attributes
    ----------
    document : Document
    place : str
        "Table 2.1", "Figure 4.3": with the document it makes the name.
    title : str
        What it shows.
    status : {"original", "substitute", "calibrated", "impossible"}
        Run on the data of the source (or data drawn by its law), on something that stands in for
        them, on something whose free constants were fitted to some published numbers, or not run.
    status_note : str
        What the substitute is, or why nothing can be run.
    protocol : str
        How the numbers arise, and how the source's way is departed from.
    studies : tuple of Study
    measures : tuple of Measure
    printed : Printed
    columns : tuple of str
        Columns to show, in this order; if empty, those of the print, then all others that the
        studies measure.
    rows : tuple of str
        Likewise.
    claims : tuple of Claim
    significance : Significance or None
    plots : tuple of Plot
    errata : tuple of str
        Errors of the print, as footnotes.
    explanation : str
        What did not come out as printed, and what we think explains it.
    ranking : Ranking or None
    """

    document: Document
    place: str
    title: str
    status: Status
    status_note: str = ""
    protocol: str = ""
    studies: tuple[Study, ...] = ()
    measures: tuple[Measure, ...] = ()
    printed: Printed = field(default_factory=Printed)
    columns: tuple[str, ...] = ()
    rows: tuple[str, ...] = ()
    claims: tuple[Claim, ...] = ()
    significance: Significance | None = None
    plots: tuple[Plot, ...] = ()
    errata: tuple[str, ...] = ()
    explanation: str = ""
    ranking: Ranking | None = None

    def __post_init__(self) -> None:
        if (self.status == "impossible") != (not self.studies):
            raise ValueError(f"{self.name}: an exhibit is run by a study unless it is impossible.")
        if self.status != "original" and not self.status_note:
            raise ValueError(f"{self.name}: status_note must say what stands in, or why not.")

    @property
    def name(self) -> str:
        """Name on the command line, such as ``koco-table-2.1``."""
        place = re.sub(r"[^\w.]+", "-", self.place.lower()).strip("-")
        return f"{self.document.key}-{place}"

    def measure(self, key: str) -> Measure:
        """The measure of that key."""
        return next(measure for measure in self.measures if measure.key == key)
