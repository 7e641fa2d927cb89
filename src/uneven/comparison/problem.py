"""From a table to a classification problem: which column to predict, from what.

Everything that is left out or looks odd is written down as a note for the reader; what cannot
work is refused before any model is fitted. A file in which people label rows is recognised by its
columns.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from uneven.comparison.celltexts import as_text, distinct_texts, remembered_texts
from uneven.comparison.classlabels import (
    coded_labels,
    exact_numbers,
    header_among,
    spelled_alike,
)
from uneven.comparison.datestyles import IN_WORDS
from uneven.comparison.errors import InputError
from uneven.comparison.formats import STANDARD_INPUT
from uneven.comparison.groupkeys import group_keys
from uneven.comparison.labelcheck import MOST_NUMERIC_CLASSES
from uneven.comparison.labelfile import LABEL, OURS, SKIP
from uneven.comparison.marks import MISSING_CATEGORIES, MISSING_MARKS
from uneven.comparison.reading import FORM_KEYS, Custom, Reading, read_columns
from uneven.comparison.roles import useless_columns
from uneven.comparison.schema import Schema
from uneven.comparison.schemafile import Decisions
from uneven.comparison.tables import (
    AUTO,
    READ,
    check_columns,
    file_digest,
    read_table,
)
from uneven.comparison.viewfile import views_of_table
from uneven.comparison.workbookhead import not_on_sheet
from uneven.utils.frames import take_columns
from uneven.utils.registry import listing


@dataclass(frozen=True)
class Problem:
    """A table ready for learning.

    Attributes
    ----------
    name : str
        Where it came from.
    target : str
        Name of the predicted column.
    X : DataFrame or CSR matrix of shape (n, d)
        Features as `Schema.convert` gives them.
    y : ndarray of shape (n,)
        Class labels, integers or text.
    schema : Schema
        What the columns hold.
    views : dict of str to list of str, or None
        Columns of each view.
    notes : tuple of str
        What the reader should know.
    sha256 : str
        Digest of the file, or empty.
    left_out : mapping of str to str
        Columns of the table that are no features, and why, as in "is the target".
    rows : ndarray of int, shape (n,), or None
        Which rows of the table these are; None for all.
    index : pandas Index of length n, or None
        Names of the rows; None to number them.
    given_classes : ndarray of shape (K,) or None
        Labels as they were given, in the order of the classes; None if they are the classes.
    given_columns : tuple of str
        All columns of the table but the target.
    given_table : DataFrame or None
        The labelled rows of a frame with all columns as they were given.
    n_given : int
        Rows of the table, with or without label; 0 if they are those of `X`.
    readings : mapping of str to Reading
        What the columns hold, also those that are left out by themselves.
    read : mapping of str to object
        How the file is written.
    marks : sequence of str
        Markers of missing cells that were given.
    groups : ndarray of shape (n,) or None
        Rows of a group stay together in folds.
    times : ndarray of shape (n,) or None
        When the rows were made, if methods are to learn from the past; NaN where unknown.
    keys : mapping of str to ndarray of int, shape (n,)
        Columns that look like groups, see `uneven.comparison.leaks`.
    counted : tuple of ndarray, or None
        Labels, their classes and how many rows each has, if they were counted already.
    """

    name: str
    target: str
    X: pd.DataFrame
    y: NDArray
    schema: Schema
    views: Mapping[str, Sequence[str]] | None = None
    notes: tuple[str, ...] = ()
    sha256: str = ""
    left_out: Mapping[str, str] = field(default_factory=dict)
    rows: NDArray[np.intp] | None = None
    index: pd.Index | None = None
    given_classes: NDArray | None = None
    given_columns: tuple[str, ...] = ()
    given_table: pd.DataFrame | None = None
    n_given: int = 0
    readings: Mapping[str, Reading] = field(default_factory=dict)
    read: Mapping[str, Any] = field(default_factory=dict)
    marks: Sequence[str] = ()
    groups: NDArray | None = None
    times: NDArray[np.float64] | None = None
    keys: Mapping[str, NDArray[np.intp]] = field(default_factory=dict)
    counted: tuple[NDArray, NDArray, NDArray[np.intp]] | None = field(default=None, repr=False)
    classes: NDArray = field(init=False)
    class_counts: NDArray[np.intp] = field(init=False)

    def __post_init__(self) -> None:
        if self.counted is None or self.counted[0] is not self.y:
            found = (self.y, *np.unique(self.y, return_counts=True))
            object.__setattr__(self, "counted", found)
        assert self.counted is not None
        _, classes, counts = self.counted
        object.__setattr__(self, "classes", classes)
        object.__setattr__(self, "class_counts", counts)

    @property
    def view_columns(self) -> Mapping[str, Sequence[Any]] | None:
        """Columns of each view as a method takes them: by name, or by position if it is sparse."""
        if self.views is None:
            return None
        if not self.schema.sparse:
            encoded = self.schema.encoded_names
            return {
                view: [one for name in names for one in encoded(name)]
                for view, names in self.views.items()
            }
        place = {name: j for j, name in enumerate(self.schema.names)}
        return {view: [place[name] for name in names] for view, names in self.views.items()}

    @property
    def shown_classes(self) -> NDArray:
        """Labels that a classifier of the user gets for the classes: those that were given.

        Fractions, which scikit-learn takes for regression, odd objects, and labels that sort
        in another way than the classes are seen as text.
        """
        given = self.classes if self.given_classes is None else self.given_classes
        plain = given.dtype.kind in "biuU" or (given.dtype.kind == "f" and not (given % 1).any())
        return given if plain and (given[:-1] < given[1:]).all() else self.classes

    def classes_of(self, shown: NDArray) -> NDArray:
        """The classes of labels that such a classifier predicted."""
        place = {label: number for number, label in enumerate(self.shown_classes.tolist())}
        return self.classes[[place[label] for label in np.asarray(shown).tolist()]]

    @property
    def missing_share(self) -> float:
        """Share of the feature cells that are empty."""
        if self.schema.sparse:
            return float(np.isnan(self.X.data).sum() / np.prod(self.X.shape))
        return float(self.X.isna().to_numpy().mean()) if self.X.size else 0.0


def read_problem(
    path: Path,
    target: str,
    views: str | None = None,
    drop: Collection[str] = (),
    keep: Collection[str] = (),
    encoding: str = AUTO,
    decisions: Decisions | None = None,
    sheet: str | None = None,
    groups: str | None = None,
    time: str | None = None,
    id: str | None = None,
) -> Problem:
    """Read a table from a file.

    Parameters
    ----------
    path : Path
        Any file that `read_table` reads.
    target : str
        Column to predict.
    views : str or None
        ``"prefix"`` or a TOML file.
    drop, keep : collection of str
        Columns to leave out, and to use although they look like identifiers.
    encoding : str
        Encoding of a text file.
    decisions : Decisions, optional
        What a person decided about columns.
    sheet : str, optional
        Sheet of a workbook.
    groups, time, id : str, optional
        Columns that hold the groups, the times and the names of the rows.
    """
    decided = decisions or Decisions()
    told = decided.table.get("encoding", AUTO)
    if encoding == AUTO and told != "utf-8":  # which forgives damaged letters if it is found out
        encoding = told
    frame = read_table(
        path,
        expected=[target],
        text_columns=decided.texts(),
        label=target,
        encoding=encoding,
        sheet=sheet or decided.table.get("sheet"),
        separator=decided.table.get("separator"),
    )
    name = "standard input" if path == STANDARD_INPUT else path.name
    told = [note for note in frame.attrs.get(READ, {}).get("notes", ()) if "--sheet" in note]
    if told and target not in frame.columns:
        raise not_on_sheet(target, told[0], frame.columns)
    table = labelled_table(frame, target, keep, name)
    problem = make_problem(
        table.frame,
        target,
        name=name,
        drop=tuple(dict.fromkeys((*drop, *table.bookkeeping))),
        keep=keep,
        sha256=file_digest(path),
        decisions=decided,
        groups=groups,
        time=time,
        id=id,
    )
    read = frame.attrs.get(READ, {})
    notes = (*read.get("notes", ()), *table.notes, *problem.notes)
    problem = replace(problem, notes=notes, read=read)
    if views is None:
        return problem
    return in_views(problem, views_of_table(views, problem.schema.names, problem.left_out))


def demo_problem() -> Problem:
    """The embedded table, with its views."""
    from uneven.datasets import load_demo

    demo = load_demo(as_frame=True)
    frame = demo.data.assign(digit=demo.target)
    problem = make_problem(frame, "digit", name="demo (digits)")
    return in_views(problem, views_of_table("prefix", problem.schema.names))


def make_problem(
    frame: pd.DataFrame,
    target: str,
    *,
    name: str = "table",
    drop: Collection[str] = (),
    keep: Collection[str] = (),
    sha256: str = "",
    decisions: Decisions | None = None,
    groups: str | None = None,
    time: str | None = None,
    id: str | None = None,
) -> Problem:
    """Choose target and features of a table, and convert both.

    Parameters
    ----------
    frame : DataFrame of shape (n, d)
        The table.
    target : str
        Column that holds the classes.
    name : str
        What to call the table.
    drop, keep : collection of str
        Columns to leave out, and columns to use although they look like row identifiers.
    sha256 : str
        Digest of the file.
    decisions : Decisions, optional
        What a person decided about columns.
    groups, time : str, optional
        Columns that hold the groups, which are not features, and the times of the rows.
    id : str, optional
        Column that names the rows in results; it is not a feature.

    Returns
    -------
    Problem
        Without views; see `in_views`.

    Examples
    --------
    >>> frame = pd.DataFrame({"size": [1, 2, 3, 4], "label": ["a", "a", None, "b"]})
    >>> problem = make_problem(frame, "label")
    >>> problem.X.shape, problem.notes
    ((3, 1), ("1 of 4 rows has no value in 'label' and is left out.",))
    """
    check_columns(frame.columns, [target], "--target")
    check_columns(frame.columns, drop, "--drop")
    check_columns(frame.columns, keep, "--keep")
    check_columns(frame.columns, [groups] if groups is not None else [], "--groups")
    check_columns(frame.columns, [time] if time is not None else [], "--time")
    check_columns(frame.columns, [id] if id is not None else [], "--id")
    decided = decisions or Decisions()
    decided.check(frame.columns)
    notes: list[str] = []
    labelled = _labelled_rows(frame, target, notes)
    given = [column for column in frame.columns if column != target]
    frame = frame if labelled.all() else frame[labelled]
    codes, classes = coded_labels(frame[target], name)
    notes += spelled_alike(classes, target) + header_among(classes[codes], target)
    left_out = dict.fromkeys(drop, "is left out by --drop") | {target: "is the target"}
    if groups is not None:
        left_out[groups] = "holds the groups"
    if id is not None:
        left_out[id] = "names the rows"
    numbers = None if groups is None else _group_numbers(frame[groups], notes)
    times = None if time is None else _times(frame[time], decided, notes)
    with remembered_texts():
        found = take_features(frame, left_out, keep, decided)
        keys = {} if groups is not None else group_keys(frame[given], codes, found.X)
    if not found.schema.columns:
        raise InputError(_nothing_left(name, target, found.left_out, given))
    y = classes[codes]
    return Problem(
        name,
        target,
        found.X,
        y,
        found.schema,
        notes=(*notes, *found.notes),
        sha256=sha256,
        left_out=found.left_out,
        rows=np.flatnonzero(labelled),
        index=None if id is None else pd.Index(frame[id], name=id),
        given_columns=tuple(given),
        n_given=len(labelled),
        readings=found.readings,
        marks=decided.missing,
        groups=numbers,
        times=times,
        keys=keys,
        counted=(y, classes, np.bincount(codes, minlength=len(classes))),
    )


@dataclass(frozen=True)
class Features:
    """The columns of a table to learn from.

    Attributes
    ----------
    X : DataFrame of shape (n, d)
        As `Schema.convert` gives them.
    schema : Schema
    notes : tuple of str
        What the reader should know.
    left_out : mapping of str to str
        The other columns, and why.
    readings : mapping of str to Reading
        What all columns hold, but for those that were not to be used.
    """

    X: pd.DataFrame
    schema: Schema
    notes: tuple[str, ...]
    left_out: Mapping[str, str]
    readings: Mapping[str, Reading] = field(default_factory=dict)


def take_features(
    frame: pd.DataFrame,
    left_out: Mapping[str, str],
    keep: Collection[str] = (),
    decisions: Decisions | None = None,
) -> Features:
    """Convert the informative columns, and say why the others are left out.

    Parameters
    ----------
    frame : DataFrame of shape (n, d)
    left_out : mapping of str to str
        Columns that are not to be used, and why.
    keep : collection of str
        Columns to use although they look like row identifiers.
    decisions : Decisions, optional
        What a person decided about columns.

    Returns
    -------
    Features
        Without any column if none is left.

    Examples
    --------
    >>> frame = pd.DataFrame({"size": [1, 2], "nothing": [None, None], "name": ["a", "b"]})
    >>> found = take_features(frame, {"name": "is the id"})
    >>> found.schema.names, found.notes
    (['size'], ("column 'nothing' is empty and is left out.",))
    """
    decided = decisions or Decisions()
    unwanted = {n: r for n, r in decided.unused().items() if n in frame and n not in left_out}
    left_out = {**left_out, **unwanted}
    features = frame.drop(columns=list(left_out))
    read = frame.attrs.get(READ, {})
    custom = Custom(
        decimal="," if read.get("decimal") == "," else None,
        commas="decimal" if read.get("separator") == ";" else "thousands",
        missing=decided.missing,
        with_commas=read.get("commas", ()),
    )
    readings = read_columns(features, decided.columns, custom)
    useless = useless_columns(features, readings, {*keep, *decided.used()})
    features = features.drop(columns=list(useless))
    schema = Schema.of(features, readings)
    notes = [
        f"column {column!r} {'; '.join([reason, *_unread(readings[column])])}."
        for column, reason in useless.items()
    ]
    notes += [
        f"column {name!r}: {remark}." for name in schema.names for remark in readings[name].remarks
    ]
    notes += _odd_columns(schema, features)
    X = schema.convert(features).reset_index(drop=True)
    for name in unwanted:
        told = decided.columns[name]
        if "kind" in told:
            form = {key: told[key] for key in FORM_KEYS if key in told}
            readings[name] = Reading(told["kind"], form)
    return Features(X, schema, tuple(notes), {**left_out, **useless}, readings)


def in_views(problem: Problem, views: Mapping[str, Sequence[str]] | None) -> Problem:
    """Give a problem its views, and leave the columns that are in none of them out.

    Every method then gets the same columns, whether it uses views or not, and a model does
    not need columns that it never reads.

    Parameters
    ----------
    problem : Problem
        Without views.
    views : mapping of str to sequence of str, or None
        Columns of each view; None changes nothing.

    Returns
    -------
    Problem
        With a note that names the columns left out.

    Examples
    --------
    >>> frame = pd.DataFrame({"a": [1, 2], "b": [3, 4], "label": ["x", "y"]})
    >>> found = in_views(make_problem(frame, "label"), {"first": ["a"]})
    >>> found.schema.names, found.notes
    (['a'], ("columns in no view are left out: 'b'.",))
    """
    if views is None:
        return problem
    used = {name for columns in views.values() for name in columns}
    others = [name for name in problem.schema.names if name not in used]
    if not others:
        return replace(problem, views=views)
    where = [j for j, column in enumerate(problem.schema.columns) if column.name in used]
    schema = replace(problem.schema, columns=tuple(problem.schema.columns[j] for j in where))
    return replace(
        problem,
        X=take_columns(problem.X, np.array(where, dtype=np.intp)),
        schema=schema,
        views=views,
        notes=(*problem.notes, f"columns in no view are left out: {listing(others)}."),
        left_out={**problem.left_out, **dict.fromkeys(others, "is in no view")},
    )


def _unread(reading: Reading) -> list[str]:
    """What keeps a column that is left out from being numbers or dates."""
    remarks = reading.remarks if reading.kind == "category" else ()
    return ["it " + remark.replace(", and is read as categories", "") for remark in remarks]


def _nothing_left(
    name: str, target: str, left_out: Mapping[str, str], columns: Collection[str]
) -> str:
    """What to say of a table without features, and why its first columns are none."""
    reasons = [f"{one!r} {left_out[one]}" for one in columns if one != target and one in left_out]
    more = f"; and {len(reasons) - 3} more" if len(reasons) > 3 else ""
    why = f": {'; '.join(reasons[:3])}{more}" if reasons else ""
    return f"{name} has no column left to learn from besides {target!r}{why}."


def _group_numbers(values: pd.Series, notes: list[str]) -> NDArray[np.intp]:
    """A number for each group; every row without one is a group of its own."""
    codes, distinct = pd.factorize(as_text(values))
    missing = codes < 0
    codes[missing] = len(distinct) + np.arange(missing.sum())
    if missing.any():
        notes.append(
            f"{int(missing.sum())} rows have no value in {values.name!r}; each is its own group."
        )
    return codes


def _times(values: pd.Series, decisions: Decisions, notes: list[str]) -> NDArray[np.float64]:
    """Days or other numbers by which rows follow each other."""
    frame = values.to_frame()
    readings = read_columns(frame, decisions.columns, Custom(missing=decisions.missing))
    schema = Schema.of(frame, readings)
    if schema.columns[0].kind not in ("date", "number"):
        remark = "; ".join(readings[str(values.name)].remarks)
        raise InputError(
            f"--time {values.name!r} holds neither dates nor numbers"
            f"{': it ' + remark if remark else ''}; say in --schema how they are written."
        )
    times = schema.convert(frame).iloc[:, 0].to_numpy(np.float64)
    if np.isnan(times).any():
        lost = int(np.isnan(times).sum())
        notes.append(f"{lost} rows have no value in {values.name!r} and are in no fold.")
    return times


def _labelled_rows(frame: pd.DataFrame, target: str, notes: list[str]) -> NDArray[np.bool_]:
    """Which rows have a value in the target column, and a note about the others."""
    labelled = frame[target].notna().to_numpy() & ~_unknown_labels(frame[target], notes)
    lost = int((~labelled).sum())
    if lost == len(frame):
        raise InputError(f"the target column {target!r} is empty in all {lost} rows.")
    if lost:
        verbs = "has" if lost == 1 else "have", "is" if lost == 1 else "are"
        notes.append(
            f"{lost} of {len(frame)} rows {verbs[0]} no value in {target!r} and {verbs[1]} "
            "left out."
        )
    return labelled


def _unknown_labels(labels: pd.Series, notes: list[str]) -> NDArray[np.bool_]:
    """Rows whose label is a mark for a missing one, and a note on words that may be such marks.

    ``NA`` or ``-`` may be the name of a class, unless another mark says that labels are missing.
    """
    codes, names = distinct_texts(labels)
    words = names.str.casefold() if len(names) else names
    surely = words.isin(MISSING_CATEGORIES).to_numpy(bool)
    perhaps = words.isin(MISSING_MARKS).to_numpy(bool)
    found = perhaps if surely.any() else surely
    kept = names[perhaps & ~found].tolist()
    if kept:
        notes.append(
            f"{', '.join(map(repr, kept))} in {labels.name!r} may mean that a label is missing: "
            "delete these cells to leave the rows out."
        )
    return np.append(found, False)[codes]


def _odd_columns(schema: Schema, features: pd.DataFrame) -> list[str]:
    """What to say about columns that are read, but perhaps in an unexpected way."""
    notes = []
    for column in schema.columns:
        name, present = column.name, int(features[column.name].notna().sum())
        if column.kind == "date":
            order = column.form.get("order", "")
            told = f", {IN_WORDS[order]}" if order in ("dmy", "mdy") else ""
            notes.append(
                f"column {name!r} holds dates{told}; its features are year, month, weekday and the "
                "number of days that have passed."
            )
        elif column.kind == "text":
            notes.append(
                f"column {name!r} holds running text: {len(column.categories)} words of it count."
            )
        elif len(column.categories) > max(MOST_NUMERIC_CLASSES, present // 2):
            notes.append(
                f"column {name!r} has {len(column.categories)} different texts in {present} rows; "
                "rare ones count as one, and new rows will bring others."
            )
    return notes


NUMBER = "row"


@dataclass(frozen=True)
class LabelledTable:
    """The part of a table to learn from.

    Attributes
    ----------
    frame : DataFrame of shape (n_rows, n_columns)
        Without rows that cannot be labelled.
    bookkeeping : tuple of str
        Columns about the labelling: they would leak the class, and new rows do not have them.
    notes : tuple of str
        What the reader should know.
    """

    frame: pd.DataFrame
    bookkeeping: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()


def labelled_table(
    frame: pd.DataFrame, target: str, keep: Collection[str] = (), name: str = "table"
) -> LabelledTable:
    """Recognise a file of labels by its columns.

    Parameters
    ----------
    frame : DataFrame of shape (n_rows, n_columns)
    target : str
        Column to predict.
    keep : collection of str
        Columns to learn from all the same.
    name : str
        What to call the table.

    Returns
    -------
    LabelledTable
        The table as it is, if it is no file of labels.

    Raises
    ------
    InputError
        If no row has a label.

    Examples
    --------
    >>> columns = ["row", "label", "guess", "votes", "why", "check", "size"]
    >>> cells = [[3, "a", "", "", "", "c1", 1.5], [1, "?", "a", "", "", "c2", 2.5]]
    >>> found = labelled_table(pd.DataFrame(cells, columns=columns), "label")
    >>> found.frame["row"].tolist(), found.bookkeeping
    ([3], ('row', 'guess', 'votes', 'why', 'check'))
    """
    if target != LABEL or not set(OURS) <= set(frame.columns):
        return LabelledTable(frame)
    about = [_key(frame), *(column for column in OURS if column != LABEL)]
    bookkeeping = tuple(column for column in about if column and column not in keep)
    notes = [f"{name} is a file of labels; columns that are not features: {listing(bookkeeping)}."]
    skipped = frame[LABEL].astype(str).str.strip() == SKIP
    if skipped.any():
        count = int(skipped.sum())
        notes.append(f"{count} row{'s' * (count > 1)} labelled {SKIP!r} left out.")
        frame = frame[~skipped].reset_index(drop=True)
        frame[LABEL] = exact_numbers(frame[LABEL])
    if not frame[LABEL].notna().any():
        raise InputError(f"{name} has no labels yet; fill in its column {LABEL!r}.")
    return LabelledTable(frame, bookkeeping, tuple(notes))


def _key(frame: pd.DataFrame) -> str | None:
    """Column that names the rows: the nearest before the label that tells them apart.

    A row may be labelled twice; then it is the column right before the label.
    """
    before = frame.columns[: frame.columns.get_loc(LABEL)]
    filled = {name: frame[name].dropna() for name in before}
    apart = [name for name, cells in filled.items() if len(cells) and cells.is_unique]
    if len(before) and (before[-1] == NUMBER or not apart):
        return str(before[-1])
    return str(apart[-1]) if apart else NUMBER if NUMBER in frame.columns else None
