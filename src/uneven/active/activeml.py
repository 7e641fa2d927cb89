"""Our query rules in the loops of scikit-activeml.

Other libraries for active learning were looked at: scikit-activeml has the most rules and is well
kept, so that its loops are the ones to fit into; it has no version spaces.
"""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np
from sklearn.base import clone

from uneven.active.batches import check_utilities, pick_batch
from uneven.active.learner import ActiveLearner
from uneven.active.registry import rule_of
from uneven.active.rules import Rule
from uneven.versionspace import BayesPointClassifier

_NAME = "LearnerStrategy"


def as_query_strategy(
    rule: str | Rule = "auto",
    *,
    estimator: Any = None,
    geometry: BayesPointClassifier | None = None,
    batch: str = "diverse",
    ties: str = "first",
    missing_label: Any = np.nan,
    random_state: Any = None,
) -> Any:
    """A query rule as a query strategy of scikit-activeml, which must be installed.

    Parameters
    ----------
    rule : str or callable, default="auto"
    estimator, geometry, batch, ties
        See `uneven.ActiveLearner`. The estimator matters only for rules that use it.
    missing_label : number, str or None, default=NaN
        Marks a missing label in ``y``.
    random_state : int, RandomState or None, default=None

    Returns
    -------
    SingleAnnotatorPoolQueryStrategy
        With ``query(X, y, candidates=None, batch_size=1, return_utilities=False)``. Candidates must
        be row numbers of ``X``, and scikit-activeml needs dense tables.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> X, truth = load_iris(return_X_y=True)
    >>> y = np.full(150, np.nan)
    >>> y[[0, 50, 100]] = truth[[0, 50, 100]]
    >>> strategy = as_query_strategy("centre_of_gravity")
    >>> for _ in range(5):
    ...     rows = strategy.query(X, y, batch_size=3)
    ...     y[rows] = truth[rows]
    >>> int(np.isfinite(y).sum())
    18
    """
    learner = ActiveLearner(estimator, rule, geometry=geometry, batch=batch, ties=ties)
    return _strategy_class()(learner, missing_label=missing_label, random_state=random_state)


@cache
def _strategy_class() -> type:
    """The class, made when it is first needed."""
    from skactiveml.base import SingleAnnotatorPoolQueryStrategy
    from skactiveml.utils import is_labeled

    class LearnerStrategy(SingleAnnotatorPoolQueryStrategy):
        """Query as an `uneven.ActiveLearner` does."""

        def __init__(
            self, learner: ActiveLearner, missing_label: Any = np.nan, random_state: Any = None
        ) -> None:
            super().__init__(missing_label=missing_label, random_state=random_state)
            self.learner = learner

        def query(
            self,
            X: Any,
            y: Any,
            candidates: Any = None,
            batch_size: int = 1,
            return_utilities: bool = False,
        ) -> Any:
            """Rows to query next, see scikit-activeml."""
            X, y, candidates, batch_size, return_utilities = self._validate_data(
                X, y, candidates, batch_size, return_utilities
            )
            _, where = self._transform_candidates(
                candidates, X, y, enforce_mapping=True, allow_only_unlabeled=True
            )
            known = np.flatnonzero(is_labeled(y, self.missing_label_))
            learner = clone(self.learner).set_params(random_state=self.random_state_)
            learner.start(X).tell(known, y[known])
            worth, chosen = _choose(learner, X, where, batch_size)
            if not return_utilities:
                return where[chosen]
            return where[chosen], _by_step(worth, where, chosen, X.shape[0])

    LearnerStrategy.__qualname__ = _NAME
    return LearnerStrategy


def __getattr__(name: str) -> Any:
    """Let pickle find the class."""
    if name != _NAME:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return _strategy_class()


def _choose(
    learner: ActiveLearner, X: Any, where: np.ndarray, n: int
) -> tuple[np.ndarray, np.ndarray]:
    """Utilities of the candidates, and positions of the rows to query."""
    if learner.model_ is None:
        return np.zeros(len(where)), clone(learner).start(X[where]).ask(n)
    state = replace(learner.state(), candidates=where)
    worth = np.asarray(rule_of(learner.query)(state), dtype=np.float64)
    check_utilities(worth, len(where))
    return worth, pick_batch(learner.batch, state, worth, n, learner.ties)


def _by_step(worth: np.ndarray, where: np.ndarray, chosen: np.ndarray, n_rows: int) -> np.ndarray:
    """Utilities of all rows before each choice; NaN for rows that could not be chosen."""
    steps = np.full((len(chosen), n_rows), np.nan)
    steps[:, where] = worth
    for i in range(1, len(chosen)):
        steps[i, where[chosen[:i]]] = np.nan
    return steps
