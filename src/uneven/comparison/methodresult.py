"""How one method did in a comparison: scores, counts and predictions of every fold."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from uneven.comparison.summaries import (
    DecisionSummary,
    Share,
    known_fields,
    mean,
    spread,
    with_nan,
)
from uneven.metrics import wilson_interval

if TYPE_CHECKING:
    from numpy.typing import NDArray


Kind = Literal["ours", "baseline", "dummy"]


@dataclass(frozen=True)
class FoldError:
    """A fold in which a method failed.

    Attributes
    ----------
    fold : int
        Index into the list of folds, counted from 0 over all repeats.
    message : str
        Message of the error.
    """

    fold: int
    message: str


@dataclass(frozen=True)
class FoldAnswers:
    """Predictions of a method for the held-out rows of one fold.

    Attributes
    ----------
    fold : int
        Which fold, counted from 0 over all repeats.
    rows : ndarray of int, shape (n,)
        Positions in the data.
    predicted : ndarray of shape (n,)
    scores : ndarray of shape (n, K)
    """

    fold: int
    rows: NDArray[np.intp]
    predicted: NDArray
    scores: NDArray[np.float64]


@dataclass(frozen=True)
class MethodResult:
    """How one method did.

    Attributes
    ----------
    name, label : str
        Registry key, and name in tables and reports.
    kind : {"ours", "baseline", "dummy"}
        Who brings the method; a dummy guesses.
    scores : dict of str to list of float
        For each measure one value per fold (repeats after one another); NaN where a fold failed.
    confusion : list of K lists of K floats
        Held-out counts summed over the folds; row = true class, column = prediction.
    fit_seconds, predict_seconds : list of float
        One value per fold.
    description : str
        One sentence about the method; may be empty.
    params : dict of str to str
        Constructor parameters worth showing.
    curves : dict of str to list of float
        One value per round, of one fold.  Known keys: ``"edge"``, ``"weight"``, ``"log_loss"``
        (log of the exponential training loss), ``"held_out"`` (the chosen measure on held-out
        rows).  Empty for methods without rounds.
    view_share, feature_share : Share or None
        Columns that support each class; keep `feature_share` to about the 15 strongest columns.
    errors : list of FoldError
        The folds that failed.
    corrected : list of K lists of K floats
        Like `confusion`, against the true classes as far as the noise matrix tells; empty without
        one.
    knows_noise : bool
        Whether the method was given the noise matrix.
    matrix_range : dict of str to list of two floats
        For each corrected measure the values between which 90 % of the noise matrices put it that
        fit the rows behind the given one; empty if unknown.
    answers : list of FoldAnswers
        Of the folds that did not fail; not in the JSON.
    kept : list of list of str
        For a stack: the methods that it kept in each of these folds; not in the JSON.
    warnings : list of str
        What the method warned about, each once; not in the JSON, but among the warnings there.
    decision : DecisionSummary or None
        The rule by which it predicts, if one was requested and the method has probabilities.
    tuned : list of dict of str to object
        For each of the folds that did not fail the parameters that a search chose there, empty for
        those that the method has anyway; an empty list without a search.
    """

    name: str
    label: str
    kind: Kind
    scores: dict[str, list[float]]
    confusion: list[list[float]]
    fit_seconds: list[float] = field(default_factory=list)
    predict_seconds: list[float] = field(default_factory=list)
    description: str = ""
    params: dict[str, str] = field(default_factory=dict)
    curves: dict[str, list[float]] = field(default_factory=dict)
    view_share: Share | None = None
    feature_share: Share | None = None
    errors: list[FoldError] = field(default_factory=list)
    corrected: list[list[float]] = field(default_factory=list)
    knows_noise: bool = False
    matrix_range: dict[str, list[float]] = field(default_factory=dict)
    answers: list[FoldAnswers] = field(default_factory=list, compare=False, repr=False)
    kept: list[list[str]] = field(default_factory=list, compare=False, repr=False)
    warnings: list[str] = field(default_factory=list, compare=False, repr=False)
    decision: DecisionSummary | None = None
    tuned: list[dict[str, Any]] = field(default_factory=list)

    def __post_init__(self) -> None:
        if self.kind not in ("ours", "baseline", "dummy"):
            raise ValueError(
                f"kind of method {self.name!r} is {self.kind!r}; use 'ours', 'baseline' or 'dummy'."
            )

    def mean(self, measure: str) -> float:
        """Mean over the folds of a measure; NaN if it is absent or failed in every fold."""
        return mean(self.scores.get(measure, []))

    def spread(self, measure: str) -> float:
        """Sample standard deviation over the folds of a measure."""
        return spread(self.scores.get(measure, []))

    def recalls(self) -> list[float]:
        """Recall of each class from the summed counts; NaN for a class without rows.

        Corrected counts are preferred where there are any.
        """
        counts = self.corrected or self.confusion
        totals = [math.fsum(row) for row in counts]
        return [
            row[c] / total if total > 0 else math.nan
            for c, (row, total) in enumerate(zip(counts, totals))
        ]

    def recall_intervals(self, repeats: int = 1, confidence: float = 0.95) -> list[list[float]]:
        """Wilson's interval of each recall, by the rows of the class; NaN without rows.

        Parameters
        ----------
        repeats : int
            How often each row was held out: it counts once.
        confidence : float

        Returns
        -------
        list of K lists of two floats
            They are about other rows of the same source, and about chance alone: not about other
            training rows, and with a noise matrix not of the noise.
        """
        rows = np.array(self.confusion).sum(axis=1) / repeats
        ends = wilson_interval(self.recalls(), rows, confidence)
        return np.column_stack(ends).tolist()


def method_from_dict(raw: Mapping[str, Any]) -> MethodResult:
    """A result as it stands in JSON."""
    known = known_fields(MethodResult, raw)
    for key in ("scores", "curves"):
        known[key] = {k: with_nan(v) for k, v in known.get(key, {}).items()}
    for key in ("fit_seconds", "predict_seconds"):
        known[key] = with_nan(known.get(key, []))
    for key in ("view_share", "feature_share"):
        share = known.get(key)
        known[key] = share and Share(share["names"], [with_nan(r) for r in share["values"]])
    decision = known.get("decision")
    if decision:
        known["decision"] = DecisionSummary(**known_fields(DecisionSummary, decision))
    known["errors"] = [FoldError(**known_fields(FoldError, e)) for e in known.get("errors", [])]
    return MethodResult(**known)
