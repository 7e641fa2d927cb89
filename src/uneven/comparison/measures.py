"""The measures a comparison reports, each computed from one set of held-out predictions.

When the labels are wrong in a known pattern, held-out labels are as noisy as the others, so a
method that predicts correctly looks wrong wherever the label is. With the noise matrix ``C`` the
counts of labels and predictions can be corrected: on average ``C^-1`` times them are the counts of
true classes and predictions. See `uneven.noise`.

Accuracy and balanced accuracy are linear in the counts, so their corrected values are unbiased
(they may leave the range from 0 to 1 by chance). The norm of the errors and the geometric mean are
taken after the rates of each class were moved to the nearest probabilities. Class frequencies come
from the whole table, not from one fold.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from pathlib import Path

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from uneven.comparison.classlabels import class_labels, exact_numbers
from uneven.comparison.errors import InputError
from uneven.comparison.problem import Problem
from uneven.comparison.tables import AUTO, check_columns, read_table
from uneven.metrics import confusion_counts, matrix_norm, scoring
from uneven.noise import NoiseInverse, invert_noise, recover_priors
from uneven.utils.registry import listing
from uneven.utils.simplex import project_on_simplex


@dataclass(frozen=True)
class Answers:
    """Predictions and scores of a fitted method for held-out rows.

    Attributes
    ----------
    true, predicted : ndarray of shape (n,)
        Labels.
    scores : ndarray of shape (n, K)
        Score of each class.
    classes : ndarray of shape (K,)
        Labels of the columns of `scores`.
    """

    true: NDArray
    predicted: NDArray
    scores: NDArray[np.float64]
    classes: NDArray


@dataclass(frozen=True)
class Measure:
    """A measure of quality, in words and as a function of `Answers`.

    Attributes
    ----------
    name : str
        Key under which scores are kept, such as ``"confusion_norm"``.
    label : str
        Name in tables and reports, such as ``"confusion norm"``.
    greater_is_better : bool
        Direction.  Scores are kept with their natural sign, never negated.
    description : str
        One sentence for the reader of a report; may be empty.
    corrects : str
        Name of the measure whose bias under label noise this one removes; empty for most.
    limits : list of two floats
        Smallest and largest possible value on the data; empty if unknown.
    value : callable or None
        Takes `Answers`, returns a float; None for a measure that was read from a file.
    """

    name: str
    label: str
    greater_is_better: bool = True
    description: str = ""
    corrects: str = ""
    limits: list[float] = field(default_factory=list)
    value: Callable[[Answers], float] = field(default=None, compare=False, repr=False)  # type: ignore[assignment]

    def on(self, n_classes: int) -> Measure:
        """The same with the limits that it has for so many classes, if it is a known one."""
        known = scoring.MEASURES.get(self.corrects or self.name)
        return self if known is None else replace(self, limits=[0.0, known.highest(n_classes)])

    def better(self, a: float, b: float) -> float:
        """By how much `a` is better than `b` (negative: worse)."""
        return a - b if self.greater_is_better else b - a

    def possible(self, value: float) -> float:
        """The nearest value that the measure can have; corrected estimates may leave its range."""
        if not self.corrects or math.isnan(value):
            return value
        return min(max(value, 0.0), 1.0) if self.greater_is_better else max(value, 0.0)


def _measure(entry: scoring.Measure) -> Measure:
    words = (entry.name, entry.label, entry.greater_is_better, entry.description)
    return Measure(*words, value=partial(_value, entry.name))


def _value(name: str, a: Answers) -> float:
    return scoring.MEASURES[name].value(a.true, a.predicted, a.scores, a.classes)


MEASURES = {name: _measure(entry) for name, entry in scoring.MEASURES.items()}
"""The measures that `uneven.metrics` declares with a label, in their order."""


def choose_measure(name: str) -> Measure:
    """Look a measure up by name.

    Examples
    --------
    >>> choose_measure("gmean").greater_is_better
    True
    """
    if not isinstance(name, str) or name not in MEASURES:
        raise InputError(scoring.MEASURES.unknown(str(name)))
    return MEASURES[name]


DRAWS = 200
"""How many plausible matrices tell how uncertain one is."""

MOST_CONDITION = 1e3
"""Plausible matrices that nobody could work with are left out."""


@dataclass(frozen=True)
class LabelNoise:
    """How the labels of a problem are wrong.

    Attributes
    ----------
    name : str
        Where the matrix came from.
    classes : ndarray of shape (K,)
        Class labels.
    undone : NoiseInverse
        The noise matrix (row = observed label, column = true class) and its inverse.
    observed, recovered : ndarray of shape (K,)
        Shares of the labels in the table, and of the true classes behind them.
    rows : ndarray of shape (K,) or None
        How many rows of each true class the matrix was estimated from; None if unknown.
    floor : float
        No true class is held to be rarer than this.
    measures : dict of str to Measure
        Corrected measures first, then those on the labels as they are.
    """

    name: str
    classes: NDArray
    undone: NoiseInverse
    observed: NDArray[np.float64]
    recovered: NDArray[np.float64]
    rows: NDArray[np.float64] | None = None
    floor: float = 0.0
    measures: dict[str, Measure] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        corrected = [_rule(name, self) for name in CORRECTED]
        measures = {rule.name: rule for rule in (*corrected, *MEASURES.values())}
        object.__setattr__(self, "measures", measures)

    @property
    def wrong_share(self) -> float:
        """Share of the labels that are wrong."""
        return float(1.0 - np.diag(self.undone.matrix) @ self.recovered)

    def judged_by(self, metric: Measure) -> Measure:
        """The corrected form of a measure, or the measure itself if there is none."""
        return self.measures.get(f"corrected_{metric.name}", metric)

    def rates(self, counts: NDArray[np.float64]) -> NDArray[np.float64]:
        """Corrected confusion rates.

        Parameters
        ----------
        counts : ndarray of shape (K, K)
            Held-out rows by label in the table (row) and prediction (column).

        Returns
        -------
        ndarray of shape (K, K)
            Row = true class, column = prediction. Unbiased; rows sum to 1 on average.
        """
        joint = self.undone.inverse @ counts / counts.sum()
        return np.asarray(joint / self.recovered[:, None])

    def probable_rates(self, counts: NDArray[np.float64]) -> NDArray[np.float64]:
        """The nearest probabilities to `rates`: rows sum to 1, nothing is below 0."""
        return project_on_simplex(self.rates(counts).T).T

    def probable_counts(self, counts: NDArray[np.float64]) -> NDArray[np.float64]:
        """Estimated rows by true class and prediction, with the same sum as `counts`."""
        sizes = self.recovered * counts.sum()
        return np.asarray(self.probable_rates(counts) * sizes[:, None])

    @cached_property
    def plausible(self) -> list[LabelNoise]:
        """The same with other matrices, as far from this one as the rows behind it allow.

        Each column is drawn from a Dirichlet distribution around its counts, with one more row
        spread over all labels: rates of 0 are uncertain, too. Those that the labels of the table
        contradict, because a class would be rarer than nothing, are left out. Empty without `rows`.
        """
        if self.rows is None:
            return []
        rng, k = np.random.default_rng(0), len(self.classes)
        counts = self.undone.matrix * self.rows + 1.0 / k
        drawn = (np.array([rng.dirichlet(column) for column in counts.T]).T for _ in range(DRAWS))
        fit = (matrix for matrix in drawn if np.linalg.cond(matrix) < MOST_CONDITION)
        return [
            self._with(matrix)
            for matrix in fit
            if np.linalg.solve(matrix, self.observed).min() > self.floor
        ]

    def _with(self, matrix: NDArray[np.float64]) -> LabelNoise:
        undone = invert_noise(matrix)
        recovered = recover_priors(self.observed, undone.inverse, self.floor)
        return replace(self, undone=undone, recovered=recovered, rows=None)

    def matrix_range(self, counts: NDArray[np.float64]) -> dict[str, list[float]]:
        """How far the corrected measures move when the matrix does, as far as its rows allow.

        Parameters
        ----------
        counts : ndarray of shape (K, K)
            Held-out rows by label in the table (row) and prediction (column).

        Returns
        -------
        dict of str to list of two floats
            By name of the corrected measure, the ends of what the middle 90 % of the plausible
            matrices give, in the range of the measure; empty without `rows`.
        """
        if len(self.plausible) < DRAWS // 10:
            return {}
        found = {}
        for name, value in CORRECTED.items():
            values = [value(one, counts) for one in self.plausible]
            inside = np.clip(values, 0.0, 1.0 if MEASURES[name].greater_is_better else None)
            found[f"corrected_{name}"] = np.percentile(inside, [5.0, 95.0]).tolist()
        return found


def label_noise(
    problem: Problem,
    matrix: NDArray[np.float64],
    name: str = "",
    rows: NDArray[np.float64] | None = None,
) -> LabelNoise:
    """Prepare to undo the noise in the labels of a problem.

    Parameters
    ----------
    problem : Problem
        With noisy labels.
    matrix : ndarray of shape (K, K)
        As `read_noise_matrix` returns it.
    name : str
        Where it came from.
    rows : ndarray of shape (K,), optional
        Number of rows of each true class that it was estimated from.

    Returns
    -------
    LabelNoise

    Raises
    ------
    InputError
        If the noise cannot be undone.

    Examples
    --------
    >>> import pandas as pd
    >>> from uneven.comparison import make_problem
    >>> frame = pd.DataFrame({"x": range(10), "label": list("aaaaaaabbb")})
    >>> noise = label_noise(make_problem(frame, "label"), np.array([[1.0, 0.4], [0.0, 0.6]]))
    >>> noise.recovered.round(2), round(noise.wrong_share, 2)
    (array([0.5, 0.5]), 0.2)
    >>> noise.rates(np.array([[4.0, 3.0], [1.0, 2.0]])).round(2)
    array([[0.67, 0.33],
           [0.33, 0.67]])
    """
    try:
        undone = invert_noise(matrix, classes=problem.classes.astype(str))
    except ValueError as error:
        reason = str(error).partition(" Merge or drop")[0]
        raise InputError(
            f"--noise-matrix {name}: {reason} Merge these classes in the table and in the matrix, "
            "or leave their rows out."
        ) from error
    observed = problem.class_counts / problem.class_counts.sum()
    floor = 1.0 / len(problem.y)
    recovered = recover_priors(observed, undone.inverse, floor)
    return LabelNoise(name, problem.classes, undone, observed, recovered, rows, floor)


def read_label_columns(
    path: str | Path, columns: Sequence[str], encoding: str = AUTO
) -> pd.DataFrame:
    """Read columns that label the same rows, with one spelling of each class.

    Parameters
    ----------
    path : str or Path
        CSV or Parquet file.
    columns : sequence of str
        Columns of labels.
    encoding : str
        Encoding of a CSV file.

    Returns
    -------
    DataFrame of shape (n, n_columns)
        Objects: all integers or all text, NaN where a cell is empty.

    Raises
    ------
    InputError
        If a column is missing or holds no classes.
    """
    frame = read_table(path, expected=columns, text_columns=columns, encoding=encoding)
    check_columns(frame.columns, columns, "column")
    cells = pd.concat([frame[name].astype(object) for name in columns], ignore_index=True)
    present = cells.notna().to_numpy()
    if not present.any():
        raise InputError(f"{path}: the columns {listing(columns)} are empty.")
    try:
        labels = class_labels(exact_numbers(cells[present]), str(path))
    except InputError as error:
        raise InputError(str(error).replace("--target", "column")) from error
    out = np.full(len(cells), np.nan, dtype=object)
    out[present] = labels.tolist()
    return pd.DataFrame(dict(zip(columns, out.reshape(len(columns), -1))))


def _accuracy(noise: LabelNoise, counts: NDArray[np.float64]) -> float:
    return float(np.diag(noise.rates(counts)) @ noise.recovered)


def _balanced_accuracy(noise: LabelNoise, counts: NDArray[np.float64]) -> float:
    return float(np.diag(noise.rates(counts)).mean())


def _gmean(noise: LabelNoise, counts: NDArray[np.float64]) -> float:
    recalls = np.diag(noise.probable_rates(counts))
    return float(np.exp(np.log(recalls).mean())) if recalls.all() else 0.0


def _confusion_norm(noise: LabelNoise, counts: NDArray[np.float64]) -> float:
    rates = noise.probable_rates(counts)
    return matrix_norm(rates - np.diag(np.diag(rates)))


def _worst_recall(noise: LabelNoise, counts: NDArray[np.float64]) -> float:
    return float(np.diag(noise.probable_rates(counts)).min())


CORRECTED = {
    "confusion_norm": _confusion_norm,
    "gmean": _gmean,
    "balanced_accuracy": _balanced_accuracy,
    "accuracy": _accuracy,
    "worst_recall": _worst_recall,
}
"""Measures that can be computed from corrected counts."""


def _corrected(name: str, noise: LabelNoise, answers: Answers) -> float:
    counts, _ = confusion_counts(answers.true, answers.predicted, labels=noise.classes)
    return CORRECTED[name](noise, counts)


def _rule(name: str, noise: LabelNoise) -> Measure:
    plain = MEASURES[name]
    return Measure(
        name=f"corrected_{name}",
        label=f"corrected {plain.label}",
        greater_is_better=plain.greater_is_better,
        description=f"The {plain.label} against the true classes, estimated from the noisy labels "
        "and the noise matrix.",
        value=partial(_corrected, name, noise),
        corrects=name,
    )
