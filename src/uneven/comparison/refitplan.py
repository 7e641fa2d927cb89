"""Data and settings of a comparison, available while it is in memory."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from uneven.comparison.methods import STACK

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from sklearn.pipeline import Pipeline

    from uneven.comparison.deciding import Deciding
    from uneven.comparison.known_scores import KnownScores
    from uneven.comparison.problem import Problem
    from uneven.comparison.progress import Observer
    from uneven.decisions.unseen import UnseenRows
    from uneven.utils.methods import Method, Settings


@dataclass(frozen=True)
class RefitPlan:
    """Data and settings of a comparison, available while it is in memory.

    Attributes
    ----------
    problem : Problem
        The data.
    methods : dict of str to Method
    settings : Settings
        Parameters of the methods.
    tests : list of ndarray of int
        Held-out rows of each fold.
    given_folds : bool
        Whether these folds are others than stratified ones.
    models : dict of str to Pipeline
        Methods that were fitted on all rows.
    failed : dict of str to str
        Why others could not be fitted on them.
    training : Problem or None
        What the models are fitted on, if not on all rows of the problem.
    deciding : Deciding or None
        The goal of decision rules, if one was given.
    unseen : dict of str to UnseenRows
        What the decision rules of methods are fitted on.
    known : KnownScores or None
        What a stack of the methods learns from; None if it fits its methods for that.
    """

    problem: Problem
    methods: dict[str, Method]
    settings: Settings
    tests: list[NDArray[np.intp]]
    given_folds: bool = False
    models: dict[str, Pipeline] = field(default_factory=dict)
    failed: dict[str, str] = field(default_factory=dict)
    training: Problem | None = None
    deciding: Deciding | None = None
    unseen: dict[str, UnseenRows] = field(default_factory=dict)
    known: KnownScores | None = None

    def fit(self, name: str, observer: Observer | None = None) -> Pipeline:
        """Fit a method on all rows.

        Parameters
        ----------
        name : str
        observer : Observer, optional
            Notified of every round.

        Returns
        -------
        Pipeline
        """
        from uneven.comparison.crossval import fit_method, fit_stack

        rows = self.training or self.problem
        if name == STACK and self.known is not None:
            return fit_stack(self.methods, rows, self.settings, self.known, self.models)
        return fit_method(self.methods[name], rows, self.settings, observer)
