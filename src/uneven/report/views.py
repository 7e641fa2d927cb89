"""What was found about the views of the data, as plain data."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from uneven.report.plain import known_fields, with_nan

__all__ = ["ViewSummary"]


@dataclass(frozen=True)
class ViewSummary:
    """What one view knows on its own; see `uneven.views.ViewDiagnosis`.

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
    def from_dict(cls, raw: Mapping[str, Any]) -> ViewSummary:
        """Build a summary from plain data in which None stands for NaN."""
        known = known_fields(cls, raw)
        for name, value in known.items():
            if isinstance(value, list):
                known[name] = with_nan(value)
            elif value is None:
                (known[name],) = with_nan([value])
        return cls(**known)
