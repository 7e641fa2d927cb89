"""What a stack of the compared methods learnt, as plain data."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from uneven.report.plain import known_fields, with_nan

__all__ = ["StackSummary"]


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
        In how many fits of the cross-validation each method was kept; empty if nobody counted.
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
        """Which methods the stack asks."""
        return [any(row) for row in self.weights]

    @property
    def n_kept(self) -> int:
        """How many methods the stack asks."""
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
