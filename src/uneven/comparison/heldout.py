"""Every held-out row: its label, and the held-out predictions and scores of the methods."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from uneven.comparison.errors import InputError
from uneven.comparison.tables import PARQUET_SUFFIXES
from uneven.metrics.probabilities import are_shares
from uneven.utils.files import replace_file

if TYPE_CHECKING:
    from uneven.comparison.methodresult import MethodResult
    from uneven.comparison.refitplan import RefitPlan

FAILED = -1
"""Code of the prediction of a method whose fit failed."""


@dataclass(frozen=True, eq=False)
class HeldOutRows:
    """The rows that were held out, repeat by repeat, in the order of the table.

    Attributes
    ----------
    places : ndarray of int, shape (m,)
        Positions among the rows of the problem (those with a label).
    numbers : ndarray of int, shape (m,)
        Which rows of the table these are; 1 is the first below the header.
    names : Index of length m
        Names of the rows: of a frame, or of the column that names them; else positions in the
        table, from 0.
    folds, repeats : ndarray of int, shape (m,)
        Fold in which the row was held out, from 0 over all repeats, and how often it was before.
    classes : ndarray of shape (K,)
        Labels as they were given; codes count them.
    truth : ndarray of int, shape (m,)
        Codes of the labels.
    answers : dict of str to ndarray of int, shape (m,)
        For each method, best first, codes of its predictions; -1 where the fit failed.
    scores : dict of str to ndarray of shape (m, K)
        For each method the score of every class; NaN where the fit failed.
    """

    places: NDArray[np.intp]
    numbers: NDArray[np.intp]
    names: pd.Index
    folds: NDArray[np.intp]
    repeats: NDArray[np.intp]
    classes: NDArray
    truth: NDArray[np.intp]
    answers: dict[str, NDArray[np.int32]]
    scores: dict[str, NDArray[np.float64]]

    @property
    def index(self) -> pd.Index:
        """Names of the rows, with ``repeat`` before them if any was held out several times."""
        if self.repeats.max(initial=0) == 0:
            return self.names
        names = ["repeat", self.names.name or "row"]
        return pd.MultiIndex.from_arrays([self.repeats, self.names], names=names)

    @property
    def probable(self) -> frozenset[str]:
        """Methods whose scores are probabilities: at least 0, and 1 in sum."""
        known = {name: scores[~np.isnan(scores[:, 0])] for name, scores in self.scores.items()}
        return frozenset(name for name, scores in known.items() if are_shares(scores))

    def labels(self, codes: NDArray) -> NDArray:
        """Labels of codes, as they were given; None for fits that failed."""
        if (codes >= 0).all():
            return np.asarray(self.classes[codes])
        known = self.classes.astype(object)
        return np.asarray(np.where(codes < 0, None, known[np.maximum(codes, 0)]))

    def frame(self) -> pd.DataFrame:
        """One line per held-out row: what ``predictions.parquet`` holds.

        Returns
        -------
        DataFrame of shape (m, 4 + M * (1 + K)), or one or two columns more
            ``row``, the name of the row if it has one, ``repeat`` if there are several, ``fold``,
            ``label``; for each method, best first, ``predicted_METHOD``, and
            ``score_METHOD_CLASS`` for each class. Rows and folds count from 1.
        """
        columns: dict[str, Any] = {"row": self.numbers}
        if not np.array_equal(self.names, self.numbers - 1):
            columns[_free(str(self.names.name or "name"), columns)] = self.names.to_numpy()
        if self.repeats.max(initial=0):
            columns[_free("repeat", columns)] = self.repeats + 1
        columns[_free("fold", columns)] = self.folds + 1
        columns[_free("label", columns)] = self.labels(self.truth)
        for method, answers in self.answers.items():
            columns[_free(f"predicted_{method}", columns)] = self.labels(answers)
            for label, scores in zip(self.classes, self.scores[method].T):
                name = _free(f"score_{method}_{label}", columns)
                columns[name] = scores.astype(np.float32)
        return pd.DataFrame(columns)

    def write(self, path: str | os.PathLike[str]) -> Path:
        """Write `frame` as Parquet or CSV, by the ending of the name.

        Raises
        ------
        InputError
            If the ending is another one.
        """
        path = Path(path)
        parquet = path.suffix.lower() in PARQUET_SUFFIXES
        if not parquet and path.suffix.lower() != ".csv":
            raise InputError(f"{path} must end with .parquet or .csv.")
        table = self.frame()
        for name in table.columns[[kind == "object" for kind in table.dtypes]]:
            if len({type(cell) for cell in table[name] if cell is not None}) > 1:
                table[name] = table[name].map(str, na_action="ignore")
        with replace_file(path) as draft:
            if parquet:
                table.to_parquet(draft, index=False)
            else:
                table.to_csv(draft, index=False, lineterminator="\n")
        return path


def held_out_rows(
    kept: RefitPlan, methods: Sequence[MethodResult], classes: NDArray
) -> HeldOutRows:
    """Put the predictions of all folds in the order of the table.

    Parameters
    ----------
    kept : RefitPlan
        Data and folds of a comparison.
    methods : sequence of MethodResult
        Best first.
    classes : ndarray of shape (K,)
        Labels as they were given, in the order of those of the data.
    """
    problem, n = kept.problem, len(kept.problem.y)
    repeats, rows = _repeats(kept.tests, n)
    order = np.lexsort((rows, repeats))
    folds = np.repeat(np.arange(len(kept.tests)), [len(test) for test in kept.tests])[order]
    places = rows[order]
    numbers = np.arange(n) if problem.rows is None else problem.rows
    names = (pd.Index(numbers) if problem.index is None else problem.index)[places]
    back = np.empty_like(order)
    back[order] = np.arange(len(order))
    ends = np.cumsum([len(test) for test in kept.tests])
    answers, scores = {}, {}
    for method in methods:
        said = np.full(len(places), FAILED, dtype=np.int32)
        told = np.full((len(places), len(classes)), np.nan)
        for fold in method.answers:
            where = back[ends[fold.fold] - len(fold.rows) : ends[fold.fold]]
            said[where] = np.searchsorted(problem.classes, fold.predicted)
            told[where] = fold.scores
        answers[method.name], scores[method.name] = said, told
    truth = np.searchsorted(problem.classes, problem.y[places])
    return HeldOutRows(
        places, numbers[places] + 1, names, folds, repeats[order], classes, truth, answers, scores
    )


def _repeats(tests: Sequence[NDArray[np.intp]], n: int) -> tuple[NDArray[np.intp], ...]:
    """For every held-out row of all folds, how often it was held out before, and its position.

    Examples
    --------
    >>> _repeats([np.array([0, 1]), np.array([1])], 2)
    (array([0, 0, 1]), array([0, 1, 1]))
    """
    seen, counted = np.zeros(n, dtype=np.intp), []
    for rows in tests:
        counted.append(seen[rows])
        seen[rows] += 1
    return np.concatenate(counted), np.concatenate(tests)


def _free(name: str, taken: dict[str, Any]) -> str:
    """The name, or the first of ``name_2``, ``name_3``, ... that no column has."""
    number, found = 1, name
    while found in taken:
        number += 1
        found = f"{name}_{number}"
    return found
