"""From what a person has (a file, a frame, an array, a sparse matrix) to a problem to learn."""

from __future__ import annotations

import warnings
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from itertools import chain, count
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import scipy.sparse as sp
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.pipeline import Pipeline
from sklearn.utils.metaestimators import available_if

from uneven.comparison.classlabels import class_labels
from uneven.comparison.encoding import GivenColumns
from uneven.comparison.errors import InputError, python_words
from uneven.comparison.joined import join_tables
from uneven.comparison.measures import LabelNoise, label_noise
from uneven.comparison.noisefile import check_noise, read_noise_file
from uneven.comparison.problem import Problem, in_views, make_problem, read_problem
from uneven.comparison.schema import Column, Schema
from uneven.comparison.schemafile import Decisions
from uneven.comparison.tables import AUTO, read_table
from uneven.comparison.viewfile import views_of_table
from uneven.utils.parameters import store_parameters
from uneven.utils.registry import listing
from uneven.utils.validation import is_collection
from uneven.views import resolve_views
from uneven.views.containers import is_container


def read_data(
    X: Any,
    y: Any,
    *,
    views: Any = None,
    drop: Collection[str] = (),
    keep: Collection[str] = (),
    name: str | None = None,
    encoding: str = AUTO,
    decisions: Decisions | None = None,
    sheet: str | None = None,
    groups: str | None = None,
    time: str | None = None,
    id: str | None = None,
    on: str | None = None,
) -> Problem:
    """Make a problem of anything that `uneven.compare` takes.

    Parameters
    ----------
    X : array-like, sparse matrix, pandas or polars frame of shape (n, d), or path
        With `on` several tables, see `join_tables`.
    y : array-like of shape (n,), or str
        Labels, or the name of the column that holds them.
    views, drop, keep, name, encoding, sheet
        As in `uneven.compare`.
    decisions : Decisions, optional
        What a person decided about columns.
    groups, time, id : str, optional
        Columns that hold the groups, the times and the names of the rows.
    on : str, optional
        Column by which several tables are joined; each is then a view. It names the rows if `id`
        does not.

    Raises
    ------
    InputError
        If there is nothing to learn, or the two do not belong together.
    """
    if is_collection(X):
        raise InputError(
            "X is a Dask collection, but methods are compared on a table in memory: call "
            "X.compute() first."
        )
    if on is not None:
        if not isinstance(y, str):
            raise InputError(f"y must name the column to predict, got {_what(y)}.")
        X = join_tables(X, on, y, encoding=encoding)
        drop, views = (*drop, on), "prefix" if views is None else views
        id = on if id is None else id
        name = name or "joined tables"
    if isinstance(X, str | Path):
        if not isinstance(y, str):
            raise InputError(f"y must name the column of {X} to predict, got {_what(y)}.")
        words = (drop, keep, encoding, decisions, sheet, groups, time, id)
        problem = read_problem(Path(X), y, None, *words)
        problem = replace(problem, name=name or problem.name)
    elif sp.issparse(X):
        problem = _sparse_problem(X, y, name or "matrix", drop)
    else:
        problem = _frame_problem(
            X, y, name, drop=drop, keep=keep, decisions=decisions, groups=groups, time=time, id=id
        )
    return in_views(problem, _views(views, problem))


def read_noise(given: Any, problem: Problem, encoding: str = AUTO) -> LabelNoise | None:
    """What is known about the noise in the labels of a problem.

    Parameters
    ----------
    given : None, path, array-like of shape (K, K), or frame of that shape
        A frame names the true classes in its columns and the labels in its index.
    problem : Problem
    encoding : str
        Of a text file.
    """
    if given is None:
        return None
    if isinstance(given, str | Path):
        found = read_noise_file(given, problem.classes, encoding)
        return label_noise(problem, found.matrix, str(given), found.rows)
    if isinstance(given, pd.DataFrame):
        cells = [["", *given.columns], *([n, *row] for n, row in zip(given.index, given.values))]
    else:
        matrix = np.atleast_2d(np.asarray(given, dtype=object))
        labels = problem.classes if problem.given_classes is None else problem.given_classes
        if labels.dtype.kind == "f" and matrix.shape == (len(labels), len(labels)):
            place = np.argsort(np.argsort(labels))  # fractions are classes in the order of texts
            matrix = matrix[np.ix_(place, place)]
        cells = matrix.tolist()
    return label_noise(problem, check_noise(cells, problem.classes).matrix, "noise_matrix")


def _frame_problem(X: Any, y: Any, name: str | None, **choices: Any) -> Problem:
    frame = as_frame(X)
    if isinstance(y, str):
        if not hasattr(X, "columns"):
            raise InputError(f"y is {y!r}, but X has no columns with names; give the labels.")
        target = y
    else:
        labels = _as_series(y, len(frame))
        target = _target_name(labels, frame)
        frame = frame.assign(**{target: labels.to_numpy()})
    found = make_problem(frame, target, name=name or "table", **choices)
    given = _given_classes(frame[target].to_numpy()[found.rows], found)
    raw = X if isinstance(X, pd.DataFrame) else frame
    raw = raw.iloc[found.rows] if hasattr(X, "columns") else None
    names = frame.index[found.rows] if found.index is None else found.index
    return replace(found, index=names, given_classes=given, given_table=raw)


def _sparse_problem(X: Any, y: Any, name: str, drop: Collection[str]) -> Problem:
    if y is None or isinstance(y, str):
        raise InputError(f"y is {_what(y)}, but X has no columns with names; give the labels.")
    if drop:
        raise InputError("--drop names columns, but those of a sparse matrix have no names.")
    names = [f"x{j}" for j in range(X.shape[1])]
    labels = _as_series(y, X.shape[0])
    target = str(labels.name or "y")
    blank = pd.DataFrame({f"not {target}": 0.0, target: labels})
    few = make_problem(blank, target, name=name, keep=[f"not {target}"])
    schema = Schema(tuple(Column(column, "number") for column in names), sparse=True)
    matrix = sp.csr_array(X).astype(np.float64)[few.rows]
    if not np.isfinite(matrix.data[~np.isnan(matrix.data)]).all():
        raise InputError("X holds infinite values; replace them.")
    given = _given_classes(labels.to_numpy()[few.rows], few)
    return replace(few, X=matrix, schema=schema, given_classes=given, given_columns=tuple(names))


def as_frame(X: Any) -> pd.DataFrame:
    """A table as a pandas frame whose columns have text for names.

    Parameters
    ----------
    X : array-like, pandas or polars frame of shape (n, d)

    Returns
    -------
    DataFrame of shape (n, d)
        Columns of an array are called ``x0``, ``x1``, ...

    Raises
    ------
    InputError
        If it is no table.
    """
    if isinstance(X, pd.DataFrame):
        frame = X.copy(deep=False)
    elif hasattr(X, "to_pandas"):
        frame = X.to_pandas()
    elif isinstance(X, list | tuple) and X and all(isinstance(one, str | Path) for one in X):
        raise InputError("X is a list of paths; say by --on which column joins them.")
    elif is_container(X):
        raise InputError(
            f"X is a {type(X).__name__}; call X, views = uneven.join_views(X), and give views."
        )
    elif isinstance(X, Mapping) and any(len(np.shape(part)) == 2 for part in X.values()):
        raise InputError(
            "X is a dict of tables; say by --on which column joins them, or call "
            "X, views = uneven.join_views(X) if their rows are in one order, and give views."
        )
    elif isinstance(X, Mapping) or hasattr(X, "collect"):
        way = "pandas.DataFrame(X)" if isinstance(X, Mapping) else "X.collect()"
        raise InputError(f"X is a {type(X).__name__}; give {way}.")
    elif X is None or isinstance(X, pd.Series):
        raise InputError(f"X must be a table of rows and columns, got {_what(X)}.")
    else:
        cells = X if hasattr(X, "dtype") else np.asarray(X)
        if getattr(cells, "ndim", 0) != 2:
            raise InputError(
                f"X must have rows and columns, got {getattr(cells, 'ndim', 0)} dimensions; "
                "reshape it with X.reshape(-1, 1) if it is one column."
            )
        frame = pd.DataFrame(cells, columns=[f"x{j}" for j in range(cells.shape[1])])
        frame = frame.infer_objects() if cells.dtype == object else frame
    names = [str(column) for column in frame.columns]
    if len(set(names)) < len(names):
        raise InputError(
            f"X has columns with the same name: "
            f"{listing(dict.fromkeys(n for n in names if names.count(n) > 1))}; rename them."
        )
    frame.columns = pd.Index(names)
    return frame


def _as_series(y: Any, n_rows: int) -> pd.Series:
    if y is None:
        raise InputError("y is missing: give the labels, or the name of the column to predict.")
    values = y.to_list() if hasattr(y, "to_list") and not isinstance(y, pd.Series) else y
    if isinstance(values, pd.DataFrame) and values.shape[1] == 1:
        values = values.iloc[:, 0]
    cells = values if isinstance(values, pd.Series) else np.asarray(values)
    if cells.ndim == 2 and cells.shape[1] == 1:
        cells = cells[:, 0]
    if cells.ndim != 1:
        raise InputError(f"y must hold one label per row, got an array of shape {cells.shape}.")
    if len(cells) != n_rows:
        raise InputError(f"X has {n_rows} rows, but y has {len(cells)} labels; give one per row.")
    name = getattr(y, "name", None)
    return pd.Series(cells, name=name).reset_index(drop=True)


def _target_name(labels: pd.Series, frame: pd.DataFrame) -> str:
    if labels.name is not None and str(labels.name) in frame.columns:
        raise InputError(
            f"X holds a column {str(labels.name)!r}, as y is called; leave it out, or give its "
            "name as y."
        )
    if labels.name is not None:
        return str(labels.name)
    usual = chain(("y", "target", "label", "class", "_y"), (f"y_{j}" for j in count()))
    return next(name for name in usual if name not in frame)


def _given_classes(given: NDArray, problem: Problem) -> NDArray:
    """The labels as they were given, for each class of the problem."""
    first = dict(zip(problem.y[::-1], given[::-1]))
    return np.array([first[label] for label in problem.classes])


def _views(views: Any, problem: Problem) -> Mapping[str, Sequence[str]] | None:
    """Columns of each view by name, however the views were given."""
    if views is None or isinstance(views, str | Path):
        choice = None if views is None else str(views)
        return views_of_table(choice, problem.schema.names, problem.left_out)
    given = problem.given_columns
    try:
        found = resolve_views(views, n_features=len(given), feature_names=given)
    except ValueError as error:
        raise InputError(f"--views: {str(error).rstrip('.')}.") from error
    used = set(problem.schema.names)
    named = {
        name: [given[i] for i in where if given[i] in used]
        for name, where in zip(found.names, found.columns)
    }
    empty = [name for name, columns in named.items() if not columns]
    if len(empty) == len(named):
        raise InputError(f"--views: the columns of every view are left out: {listing(empty)}.")
    return {name: columns for name, columns in named.items() if columns}


def _what(value: Any) -> str:
    return "nothing" if value is None else f"{type(value).__name__}"


class TableClassifier(ClassifierMixin, BaseEstimator):
    """A fitted method together with the kind of table that it was fitted to.

    It predicts arrays, sparse matrices, frames and files like the one it was fitted on, with
    the labels that were given there.

    Parameters
    ----------
    pipeline : Pipeline
        Encoder and classifier, fitted.
    schema : Schema
        What its columns hold.
    columns : sequence of str
        Columns of the data it was fitted on, in order.
    classes : ndarray of shape (K,)
        Labels to return, for each class of the pipeline.

    Attributes
    ----------
    classes_ : ndarray of shape (K,)
    """

    def __init__(
        self, pipeline: Pipeline, schema: Schema, columns: Sequence[str], classes: NDArray
    ) -> None:
        store_parameters(self, locals())

    @classmethod
    def _test_instances(cls) -> list[Any]:
        return []  # a comparison makes it, fitted; scikit-learn's checks begin with fit

    def __sklearn_is_fitted__(self) -> bool:
        return True

    @property
    def classes_(self) -> NDArray:
        """Labels that it predicts."""
        return self.classes

    def fit(self, X: Any, y: Any) -> TableClassifier:
        """Fit the pipeline again, on a table with the same columns.

        Parameters
        ----------
        X : table of shape (n, d)
        y : array-like of shape (n,)

        Returns
        -------
        TableClassifier
            The object itself.
        """
        known: Any = getattr(self.pipeline, "classes_", None)
        if known is None or np.array_equal(known, self.classes_):
            self.pipeline.fit(self.table(X), np.asarray(y))
            self.classes = getattr(self.pipeline, "classes_", np.unique(y))
            return self
        labels = class_labels(pd.Series(np.asarray(y)), "y")
        self.pipeline.fit(self.table(X), labels)
        first = dict(zip(labels[::-1], np.asarray(y)[::-1]))
        self.classes = np.array([first[label] for label in np.unique(labels)])
        return self

    def predict(self, X: Any) -> NDArray:
        """The class of every row.

        Parameters
        ----------
        X : array-like, sparse matrix or frame of shape (n, d), or path
            With the columns of the data it was fitted on.

        Returns
        -------
        ndarray of shape (n,)
        """
        answers = np.asarray(self.pipeline.predict(self.table(X)))
        if not hasattr(self.pipeline, "classes_"):
            return answers
        place = {label: number for number, label in enumerate(self.pipeline.classes_.tolist())}
        return np.asarray(self.classes)[[place[answer] for answer in answers.tolist()]]

    @available_if(lambda self: hasattr(self.pipeline, "predict_proba"))
    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """The share of every class, as an array of shape (n, K)."""
        return np.asarray(self.pipeline.predict_proba(self.table(X)))

    @available_if(lambda self: hasattr(self.pipeline, "decision_function"))
    def decision_function(self, X: Any) -> NDArray[np.float64]:
        """The score of every class, as an array of shape (n, K), or (n,) for two classes."""
        return np.asarray(self.pipeline.decision_function(self.table(X)))

    def _converted(self, frame: pd.DataFrame) -> pd.DataFrame:
        """A frame as its schema says, with a warning about what is written in another way."""
        notes: list[str] = []
        found = self.schema.convert(frame, notes)
        for note in notes:
            warnings.warn(python_words(note), stacklevel=4)
        return found

    def table(self, X: Any) -> Any:
        """The table that the pipeline takes.

        Parameters
        ----------
        X : array-like, sparse matrix or frame of shape (n, d), or path

        Returns
        -------
        DataFrame or CSR matrix
        """
        as_given = isinstance(self.pipeline[0], GivenColumns)
        convert = self.pipeline[0].transform if as_given else self._converted
        if isinstance(X, str | Path):
            names, text = self.schema.names, self.schema.as_written()
            return convert(read_table(X, expected=names, text_columns=text, decimal="."))
        if hasattr(X, "columns"):
            return convert(as_frame(X))
        given: Any = X if hasattr(X, "shape") else np.asarray(X)
        if given.ndim != 2 or given.shape[1] != len(self.columns):
            raise InputError(
                f"the model was fitted on {len(self.columns)} columns, got a table of shape "
                f"{given.shape}."
            )
        if self.schema.sparse:
            where = [j for j, c in enumerate(self.columns) if c in set(self.schema.names)]
            return sp.csr_array(given).astype(np.float64)[:, where]
        dense = given.toarray() if sp.issparse(given) else given
        frame = as_frame(dense)
        frame.columns = pd.Index(self.columns)
        return convert(frame)
