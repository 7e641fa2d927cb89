"""What was found about data, views, noise and a stack, as plain data that JSON can hold.

A number that could not be computed is NaN here and ``null`` in JSON. Versions, time and parameters
say where a result comes from.
"""

from __future__ import annotations

import math
import platform
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields, is_dataclass
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from inspect import signature
from typing import TYPE_CHECKING, Any

import numpy as np

import uneven

if TYPE_CHECKING:
    from uneven.comparison.measures import LabelNoise
    from uneven.comparison.problem import Problem
    from uneven.views import ViewDiagnosis


def known_fields(cls: type, raw: Mapping[str, Any]) -> dict[str, Any]:
    """Entries of ``raw`` that are fields of the dataclass ``cls``."""
    return {f.name: raw[f.name] for f in fields(cls) if f.name in raw}


def check_square(matrix: Sequence[Sequence[float]], size: int, what: str) -> None:
    """Refuse a nested list that is not square, with one row and one column per class."""
    if {len(matrix), *map(len, matrix)} != {size}:
        raise ValueError(
            f"{what} must be {size} x {size} (one row and one column per class), "
            f"got {len(matrix)} rows."
        )


def with_nan(values: Sequence[float | None]) -> list[float]:
    """Copy of a list of numbers in which None is NaN.

    Examples
    --------
    >>> with_nan([1.0, None])
    [1.0, nan]
    """
    return [math.nan if v is None else v for v in values]


def without_nan(value: Any) -> Any:
    """Copy of nested dataclasses, dicts and lists in which numbers JSON cannot hold are None.

    Fields of dataclasses that are not compared are left out: they are not results, but what they
    were computed with.

    Examples
    --------
    >>> without_nan({"a": (1.0, float("nan"))})
    {'a': [1.0, None]}
    """
    if is_dataclass(value):
        return {f.name: without_nan(getattr(value, f.name)) for f in fields(value) if f.compare}
    if isinstance(value, dict):
        return {str(k): without_nan(v) for k, v in value.items()}
    if isinstance(value, list | tuple):
        return [without_nan(v) for v in value]
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value


def mean(values: Sequence[float]) -> float:
    """Mean of the finite values; NaN when there is none.

    Examples
    --------
    >>> mean([1.0, 3.0, float("nan")])
    2.0
    """
    finite = [v for v in values if math.isfinite(v)]
    return math.fsum(finite) / len(finite) if finite else math.nan


def spread(values: Sequence[float]) -> float:
    """Sample standard deviation of the finite values; NaN when there are fewer than two.

    Examples
    --------
    >>> spread([1.0, 3.0])
    1.4142135623730951
    """
    finite = [v for v in values if math.isfinite(v)]
    if len(finite) < 2:
        return math.nan
    centre = mean(finite)
    return math.sqrt(math.fsum((v - centre) ** 2 for v in finite) / (len(finite) - 1))


@dataclass(frozen=True)
class DataSummary:
    """What the data looks like.

    Attributes
    ----------
    name : str
        File name or name of the data set.
    target : str
        Name of the target column.
    rows, columns : int
        Rows and feature columns that were used.
    classes : list of str of length K
        Class names; every class-indexed list in the results follows this order.
    class_counts : list of int of length K
        Rows per class.
    missing_share : float
        Share of missing cells among the feature columns, between 0 and 1.
    views : dict of str to list of str
        Column names of each view.
    sha256 : str
        Digest of the data file; empty when there is no file.
    column_kinds : dict of str to int
        How many columns of each kind, such as ``{"numeric": 12, "categorical": 3}``; may be empty.
    """

    name: str
    target: str
    rows: int
    columns: int
    classes: list[str]
    class_counts: list[int]
    missing_share: float = 0.0
    views: dict[str, list[str]] = field(default_factory=dict)
    sha256: str = ""
    column_kinds: dict[str, int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if len(self.classes) != len(self.class_counts):
            raise ValueError(
                f"DataSummary has {len(self.classes)} classes but {len(self.class_counts)} "
                "class_counts; give one count per class."
            )

    @classmethod
    def of(cls, problem: Problem) -> DataSummary:
        """Describe the data of a problem."""
        views = problem.views or {"all": problem.schema.names}
        return cls(
            name=problem.name,
            target=problem.target,
            rows=len(problem.y),
            columns=problem.X.shape[1],
            classes=[str(label) for label in problem.classes],
            class_counts=[int(count) for count in problem.class_counts],
            missing_share=problem.missing_share,
            views={name: list(columns) for name, columns in views.items()},
            sha256=problem.sha256,
            column_kinds=problem.schema.kind_counts(),
        )

    def by_size(self) -> list[int]:
        """Indices of the classes from the largest to the smallest; ties keep their order."""
        return sorted(range(len(self.classes)), key=lambda c: -self.class_counts[c])

    @property
    def imbalance_ratio(self) -> float:
        """Rows of the largest class over rows of the smallest class that has any."""
        counts = [c for c in self.class_counts if c > 0]
        return max(counts) / min(counts) if counts else math.nan


@dataclass(frozen=True)
class Share:
    """Support of each class: one row per view or column, one column per class.

    Attributes
    ----------
    names : list of str of length v
        Views or feature columns.
    values : list of v lists of K floats
        ``values[j][c]`` is the share of the support for class c that comes from row j.
    """

    names: list[str]
    values: list[list[float]]

    def __post_init__(self) -> None:
        if len(self.names) != len(self.values):
            raise ValueError(
                f"Share has {len(self.names)} names but {len(self.values)} rows of values; "
                "give one row per name."
            )

    @classmethod
    def top(cls, names: Sequence[str], values: Any, n: int | None = None) -> Share:
        """Keep the `n` rows with the largest total share, largest first.

        Parameters
        ----------
        names : sequence of str of length v
            Row names.
        values : array-like of shape (v, K)
            Shares.
        n : int or None
            How many rows to keep; None keeps all rows in their given order.

        Returns
        -------
        Share
            The chosen rows.

        Examples
        --------
        >>> Share.top(["a", "b", "c"], [[0.1, 0.2], [0.7, 0.1], [0.2, 0.7]], n=2).names
        ['c', 'b']
        """
        rows = [[float(v) for v in row] for row in values]
        order = list(range(len(rows)))
        if n is not None:
            order = sorted(order, key=lambda j: -math.fsum(rows[j]))[:n]
        return cls([str(names[j]) for j in order], [rows[j] for j in order])


@dataclass(frozen=True)
class ViewSummary:
    """How informative one view is on its own; see `uneven.views.ViewDiagnosis`.

    Attributes
    ----------
    name : str
        The view.
    columns : int
        Its columns.
    presence : float
        Share of the rows in which it is there.
    accuracy, chance, balanced_accuracy, confusion_norm : float
        Held-out measures on those rows, and the accuracy of the most frequent class; NaN for a
        view that is missing everywhere.
    recalls : list of K floats
        Recall of each class.
    verdict, remark : str
        One word, and one or two sentences.
    redundancy, rescue : list of v floats
        How much it fails together with each view, and the share of its mistakes that each view
        gets right.
    """

    name: str
    columns: int
    presence: float
    accuracy: float
    chance: float
    balanced_accuracy: float
    confusion_norm: float
    recalls: list[float]
    verdict: str
    remark: str = ""
    redundancy: list[float] = field(default_factory=list)
    rescue: list[float] = field(default_factory=list)

    @classmethod
    def all_of(cls, found: ViewDiagnosis) -> list[ViewSummary]:
        """One summary for each view of a diagnosis."""
        return [
            cls(
                name=name,
                columns=int(found.n_columns[j]),
                presence=float(found.presence[j]),
                accuracy=float(found.accuracy[j]),
                chance=float(found.chance[j]),
                balanced_accuracy=float(found.balanced_accuracy[j]),
                confusion_norm=float(found.confusion_norm[j]),
                recalls=found.recalls[j].tolist(),
                verdict=found.verdicts[j],
                remark=remark,
                redundancy=found.redundancy[j].tolist(),
                rescue=found.rescue[j].tolist(),
            )
            for j, (name, remark) in enumerate(zip(found.names, found.remarks()))
        ]

    @classmethod
    def from_dict(cls, raw: Mapping[str, Any]) -> ViewSummary:
        """Build a summary from plain data in which None stands for NaN."""
        known = known_fields(cls, raw)
        for name, value in known.items():
            if isinstance(value, list):
                known[name] = with_nan(value)
            elif value is None:
                (known[name],) = with_nan([value])
        return cls(**known)


@dataclass(frozen=True)
class NoiseSummary:
    """How the labels of the data are wrong; see `uneven.noise`.

    Attributes
    ----------
    name : str
        File of the matrix.
    matrix : list of K lists of K floats
        Row = observed label, column = true class; columns sum to 1.
    condition : float
        Its condition number: how much undoing the noise magnifies chance, at worst.
    amplification : list of K floats
        How much it magnifies chance in what is estimated for each class; at least 1.
    observed, recovered : list of K floats
        Shares of the labels, and of the true classes behind them.
    rows : list of K floats
        How many rows of each true class the matrix was estimated from; empty if unknown.

    Examples
    --------
    >>> noise = NoiseSummary("n.csv", [[0.9, 0.3], [0.1, 0.7]], 1.9, [1.2, 1.5], [0.6, 0.4],
    ...                      [0.5, 0.5])
    >>> round(noise.wrong_share, 2)
    0.2
    """

    name: str
    matrix: list[list[float]]
    condition: float
    amplification: list[float]
    observed: list[float]
    recovered: list[float]
    rows: list[float] = field(default_factory=list)

    def __post_init__(self) -> None:
        lists = (self.amplification, self.observed, self.recovered, self.rows or self.observed)
        sizes = set(map(len, lists))
        if sizes != {len(self.matrix)}:
            raise ValueError(
                f"NoiseSummary has a matrix of {len(self.matrix)} rows, but lists of "
                f"{sorted(sizes)} numbers; give one per class."
            )

    @classmethod
    def of(cls, noise: LabelNoise) -> NoiseSummary:
        """Describe the noise in the labels of a problem."""
        return cls(
            name=noise.name,
            matrix=noise.undone.matrix.tolist(),
            condition=noise.undone.condition,
            amplification=noise.undone.amplification.tolist(),
            observed=noise.observed.tolist(),
            recovered=noise.recovered.tolist(),
            rows=[] if noise.rows is None else noise.rows.tolist(),
        )

    @property
    def wrong_share(self) -> float:
        """Share of the labels that are wrong."""
        right = (row[c] * share for c, (row, share) in enumerate(zip(self.matrix, self.recovered)))
        return max(0.0, 1.0 - math.fsum(right))


@dataclass(frozen=True)
class DecisionSummary:
    """The decision rule of a method; see `uneven.decisions`.

    Attributes
    ----------
    measure, label : str
        What it was chosen for, and its name in reports.
    rule : str
        The rule in words, a line per class.
    factors : list of K floats
        Factors on probability / share; empty if costs decide.
    cost : list of K lists of K floats
        Costs; empty if factors decide.
    calibrated : bool
        Whether probabilities are calibrated first.
    before, after : float
        The measure of the method's own predictions, and of those of rules that were chosen without
        the rows that they predict; means over the folds.
    used : bool
        Whether the rule is used; if not, the method's own predictions were better.
    """

    measure: str
    label: str
    rule: str
    factors: list[float]
    cost: list[list[float]]
    calibrated: bool
    before: float
    after: float
    used: bool

    @property
    def sentence(self) -> str:
        """What the rule brings, in words."""
        figures = f"{self.label} {self.before:.3f} without it, {self.after:.3f} with it"
        if self.used:
            return f"{self.rule.splitlines()[0]} Held out: {figures}."
        return f"No rule was better than the method's own predictions: {figures}."


@dataclass(frozen=True)
class StackSummary:
    """Which methods a stack keeps; see `uneven.stacking`.

    Attributes
    ----------
    name : str
        Key of the stack among the methods.
    members : list of str of length M
        Keys of the stacked methods.
    weights : list of M lists of K floats
        What the score of each method counts for each class; rows of zeros are dropped methods.
    strength : float
        Of the penalty.
    kept_folds : list of M ints
        In how many fits of the cross-validation each method was kept; empty if not counted.
    fits : int
        How many fits that were.
    strengths, error_mean, error_std, n_selected : list of float of length S
        Strengths that were tried, the error of each in cross-validation over the scores of the
        methods, its spread, and how many methods each keeps; empty if the strength was given.
    balanced : bool
        Whether all classes count alike in the weights and in the errors, however rare they are.

    Examples
    --------
    >>> stack = StackSummary("stack", ["a", "b"], [[0.5, 1.0], [0.0, 0.0]], 0.01)
    >>> stack.kept, stack.n_kept
    ([True, False], 1)
    """

    name: str
    members: list[str]
    weights: list[list[float]]
    strength: float
    kept_folds: list[int] = field(default_factory=list)
    fits: int = 0
    strengths: list[float] = field(default_factory=list)
    error_mean: list[float] = field(default_factory=list)
    error_std: list[float] = field(default_factory=list)
    n_selected: list[float] = field(default_factory=list)
    balanced: bool = False

    def __post_init__(self) -> None:
        counts = {len(self.members), len(self.weights), len(self.kept_folds or self.members)}
        if len(counts) > 1:
            raise ValueError(
                f"StackSummary has {len(self.members)} members, but {len(self.weights)} rows of "
                f"weights and {len(self.kept_folds)} counts of folds; give one per member."
            )
        tried = (self.strengths, self.error_mean, self.error_std, self.n_selected)
        if len(set(map(len, tried))) > 1:
            raise ValueError(
                f"StackSummary tried {len(self.strengths)} strengths, but its lists have "
                f"{[len(values) for values in tried[1:]]} values; give one per strength."
            )

    @classmethod
    def of(cls, name: str, fitted: Any, kept: Sequence[Sequence[str]]) -> StackSummary:
        """Describe a stack.

        Parameters
        ----------
        name : str
            Its key among the methods.
        fitted : MarginStackingClassifier
            Fitted on all rows.
        kept : sequence of sequence of str
            The methods that it kept in each fold.
        """
        tried = fitted.cv_results_
        weights = np.broadcast_to(fitted.coef_, (len(fitted.names_), len(fitted.classes_)))
        return cls(
            name=name,
            members=list(fitted.names_),
            weights=np.where(fitted.selected_mask_[:, None], weights, 0.0).tolist(),
            strength=float(fitted.strength_),
            kept_folds=[sum(member in fold for fold in kept) for member in fitted.names_],
            fits=len(kept),
            strengths=tried["strength"].tolist(),
            error_mean=tried["mean_error"].tolist(),
            error_std=tried["std_error"].tolist(),
            n_selected=tried["n_selected"].tolist(),
            balanced=fitted.class_weight == "balanced",
        )

    def check(self, methods: Sequence[str], n_classes: int) -> None:
        """Refuse a stack of methods that are not there, or with weights of other classes.

        Parameters
        ----------
        methods : sequence of str
            Keys of all methods.
        n_classes : int
        """
        unknown = [name for name in (self.name, *self.members) if name not in methods]
        if unknown:
            raise ValueError(f"the stack names methods that were not compared: {unknown}.")
        widths = set(map(len, self.weights)) - {n_classes}
        if widths:
            raise ValueError(
                f"the stack has weights for {sorted(widths)} classes; there are {n_classes}."
            )

    @property
    def kept(self) -> list[bool]:
        """Which methods the stack uses."""
        return [any(row) for row in self.weights]

    @property
    def n_kept(self) -> int:
        """How many methods the stack uses."""
        return sum(self.kept)

    @property
    def chosen(self) -> int | None:
        """Position of the strength among those that were tried; None if it is not there."""
        near = [j for j, s in enumerate(self.strengths) if math.isclose(s, self.strength)]
        return near[0] if near else None

    @classmethod
    def from_dict(cls, raw: Mapping[str, Any]) -> StackSummary:
        """Build a summary from plain data, ignoring entries of later versions."""
        known = known_fields(cls, raw)
        for key in ("error_mean", "error_std", "n_selected"):
            known[key] = with_nan(known.get(key, []))
        return cls(**known)


PACKAGES = ("scikit-learn", "numpy", "scipy", "numba", "pandas", "skops")
HIDDEN_PARAMS = {"estimators", "keep_level_one", "views", "n_jobs", "verbose", "warm_start"}


def now() -> str:
    """Current time in ISO 8601 form, in UTC."""
    return datetime.now(UTC).isoformat(timespec="seconds")


def versions() -> dict[str, str]:
    """Versions of Python, of this library and of the packages that shape results."""
    found = {"uneven": uneven.__version__, "python": platform.python_version()}
    for name in PACKAGES:
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            continue
    return found


def shown_params(estimator: Any) -> dict[str, str]:
    """Constructor parameters that differ from their defaults and shape the result.

    Examples
    --------
    >>> from sklearn.linear_model import LogisticRegression
    >>> shown_params(LogisticRegression(max_iter=50))
    {'max_iter': '50'}
    """
    defaults = signature(type(estimator).__init__).parameters
    params = estimator.get_params(deep=False)
    return {
        name: _shown(value)
        for name, value in params.items()
        if name not in HIDDEN_PARAMS and _shown(value) != _shown(defaults[name].default)
    }


def _shown(value: Any) -> str:
    if isinstance(value, np.ndarray):
        return f"{' x '.join(map(str, value.shape))} numbers"
    return str(value)
