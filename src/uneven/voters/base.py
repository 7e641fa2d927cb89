"""What a voter and a weak learner are.

A voter answers one class index per row. A weak learner, given a cost matrix, returns a voter that
pays little, together with its answers on the training rows.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Protocol, runtime_checkable

import numpy as np

from uneven.costs.matrices import CostMatrix
from uneven.utils.parallel import Workers
from uneven.views.training_rows import TrainingRows
from uneven.voters.binning import BinnedDense, BinnedSparse, bin_table

__all__ = ["TrainingTable", "Voter", "WeakLearner"]


@runtime_checkable
class Voter(Protocol):
    """Anything that answers a class index for each row of the full table."""

    def predict(self, X: Any) -> np.ndarray:
        """Class indices, shape (n_samples,); -1 abstains."""

    def add_credit(self, credit: np.ndarray, weight: np.ndarray) -> None:
        """Add to ``credit`` (n_features, n_classes) what each column did for each class."""


@dataclass
class TrainingTable:
    """The training rows, as the weak learners see them.

    Attributes
    ----------
    X : ndarray or sparse matrix of shape (n_samples, n_features)
    y : ndarray of int, shape (n_samples,)
        Class indices.
    n_classes : int
    mass : ndarray of shape (n_samples,)
        How many examples each row stands for (the sample weights).
    max_bins : int
    team : Workers
    n_codes : ndarray of int, shape (n_features,), or None
        Categories of each column, whose values are their codes; 0 for a column of numbers.
    part_of : (TrainingTable, ndarray of int) or None
        The table that these rows were taken from, and which rows they are.
    """

    X: Any
    y: np.ndarray
    n_classes: int
    mass: np.ndarray
    max_bins: int = 255
    team: Workers = field(default_factory=lambda: Workers(1, None))
    n_codes: np.ndarray | None = None
    part_of: tuple[TrainingTable, np.ndarray] | None = None

    @classmethod
    def of(cls, rows: TrainingRows, max_bins: int, team: Workers) -> TrainingTable:
        """Validated training rows as weak learners see them."""
        return cls(rows.X, rows.y, len(rows.classes), rows.mass, max_bins, team, rows.n_codes)

    @cached_property
    def binned(self) -> BinnedDense | BinnedSparse:
        """The codes of the table, made when the first learner asks for them."""
        if self.part_of is not None:
            whole, rows = self.part_of
            return whole.binned.take(rows)
        even = bool(np.all(self.mass == self.mass[0]))
        return bin_table(self.X, None if even else self.mass, self.max_bins, self.team)

    @cached_property
    def class_mass(self) -> np.ndarray:
        """Mass of each class, shape (n_classes,)."""
        return np.bincount(self.y, weights=self.mass, minlength=self.n_classes)

    def take(self, rows: np.ndarray) -> TrainingTable:
        """Some rows, in increasing order, with the codes that they have in this table."""
        part = (self, rows)
        return replace(self, X=self.X[rows], y=self.y[rows], mass=self.mass[rows], part_of=part)

    def reach(self, answers: np.ndarray) -> np.ndarray:
        """Share of each class's mass that is answered rightly, shape (n_classes,)."""
        right = answers == self.y
        hits = np.bincount(self.y[right], weights=self.mass[right], minlength=self.n_classes)
        return hits / np.maximum(self.class_mass, np.finfo(float).tiny)

    def where(self, present: np.ndarray, team: Workers) -> TrainingTable:
        """The same table as a view sees it that is absent in some rows.

        Parameters
        ----------
        present : ndarray of bool, shape (n_samples,)
            Other rows count for nothing; classes keep the mass they have in the whole table.
        team : Workers
            Threads for whoever learns from this view.

        Returns
        -------
        TrainingTable
            Shares the rows with this one, and the codes if they are already made.
        """
        mass = self.mass if present.all() else np.where(present, self.mass, 0.0)
        seen = replace(self, mass=mass, team=team)
        vars(seen)["class_mass"] = self.class_mass
        if "binned" in vars(self):
            vars(seen)["binned"] = self.binned
        return seen


@runtime_checkable
class WeakLearner(Protocol):
    """Anything that finds a cheap voter for a cost matrix."""

    def learn(
        self,
        table: TrainingTable,
        columns: np.ndarray,
        costs: CostMatrix,
        seed: int = 0,
    ) -> tuple[Voter, np.ndarray]:
        """Find a voter that reads ``columns`` and pays little.

        Parameters
        ----------
        table : TrainingTable
        columns : ndarray of int, shape (n_columns,)
        costs : CostMatrix
        seed : int
            For learners that draw at random; a new one every round.

        Returns
        -------
        voter : Voter
        answers : ndarray of int, shape (n_samples,)
            Its class index for every training row.
        """
