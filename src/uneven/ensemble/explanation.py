"""Weights of the members of an ensemble, in shares and in words."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from uneven.ensemble.linear import LinearModel
from uneven.ensemble.pooling import PooledMember
from uneven.views import ViewMap
from uneven.votes import Explanation, column_shares


@dataclass
class EnsembleExplanation(Explanation):
    """Which columns support which class, and how predictions are made from probabilities.

    Attributes
    ----------
    view_names, feature_names, classes, view_share, feature_share : object
        As in :class:`~uneven.votes.Explanation`: of trees and linear members, weighted as in the
        pool.
    weights : dict of str to float
        Weight of every member in the pool.
    decision : str
        The decision rule in words.
    """

    weights: dict[str, float]
    decision: str

    def __str__(self) -> str:
        lines = [f"{name}: {weight:.2f}" for name, weight in self.weights.items()]
        return "\n".join(["Weights of the members:", *lines, self.decision])


def explain_members(
    members: Sequence[PooledMember],
    weights: np.ndarray,
    views: ViewMap,
    classes: np.ndarray,
    names: Sequence[str],
    decision: str,
) -> EnsembleExplanation:
    """Add up what members say about the columns."""
    by_column = np.zeros((views.n_features, len(classes)))
    trusted = [(one, weight) for one, weight in zip(members, weights) if weight > 0.0]
    for one, weight in trusted:
        by_column[one.columns] += weight * column_credit(one.model, len(one.columns))
    return EnsembleExplanation(
        view_names=list(views.names),
        feature_names=list(names),
        classes=classes,
        view_share=column_shares(views.membership() @ by_column),
        feature_share=column_shares(by_column),
        weights={one.name: float(weight) for one, weight in zip(members, weights)},
        decision=decision,
    )


def column_credit(model: Any, n_columns: int) -> Any:
    """How much each column contributes to the scores of each class.

    Returns
    -------
    ndarray of shape (n_columns, n_classes), or 0 if it is unknown
    """
    if isinstance(model, LinearModel):
        credit = np.zeros((n_columns, len(model.coef)))
        np.add.at(credit, model.columns.source(n_columns), np.abs(model.coef).T)
        return column_shares(credit)
    if not hasattr(model, "votes"):
        return 0.0
    votes = list(model.votes())
    names = [""] * n_columns
    shares = [v.explain(np.arange(v.n_classes), names).feature_share for v in votes]
    return sum(shares) / len(shares)
