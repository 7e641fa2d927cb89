"""Checks of the voters of a loaded vote: trees and linear rules, which compiled code reads."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import fields
from typing import Any

import numpy as np
from numpy.typing import NDArray

from uneven.persistence.part_check import check_nodes, check_numbers, check_range, check_whole
from uneven.voters import LinearVoter, TreeVoter

__all__ = ["VOTERS"]


def _check_tree(tree: TreeVoter, n_features: int, n_classes: int) -> NDArray:
    """Check the nodes of a tree; return the columns that it asks for."""
    sizes = {getattr(tree, part.name).shape for part in fields(TreeVoter)}
    if sizes != {tree.child.shape} or tree.child.ndim != 1:
        raise ValueError("the arrays of a tree differ in length")
    for whole in (tree.child, tree.feature, tree.label):
        if whole.dtype.kind not in "iu":
            raise ValueError(f"a tree has indices of type {whole.dtype}")
    if tree.missing_left.dtype != bool or np.isnan(tree.threshold).any():
        raise ValueError("a tree has a question that cannot be answered")
    check_numbers(tree.reach, tree.child.shape, "shares of right answers")
    inner = ~tree.is_leaf
    if not (np.isposinf(tree.threshold[~inner]).all() and tree.missing_left[~inner].all()):
        raise ValueError("a leaf of a tree sends rows on")
    check_nodes(inner, [tree.child, tree.child + 1])
    check_range(tree.feature, n_features, "column")
    check_range(tree.label, n_classes, "class")
    return np.asarray(tree.feature[inner])


def _check_linear(voter: LinearVoter, n_features: int, n_classes: int) -> NDArray:
    """Check the coefficients of a linear rule; return the columns that it reads."""
    check_whole(voter.columns, "columns of a linear voter")
    if voter.columns.ndim != 1 or not voter.columns.size:
        raise ValueError("a linear voter has no list of columns")
    check_range(voter.columns, n_features, "column")
    check_whole(voter.n_codes, "numbers of categories")
    size = voter.columns.shape
    check_numbers(voter.coef, voter.coef.shape, "coefficients", signed=True)
    is_count = (voter.n_codes >= 0) & (voter.n_codes <= len(voter.coef))
    if voter.n_codes.shape != size or not is_count.all():
        raise ValueError(f"its numbers of categories do not belong to {size} columns")
    check_numbers(voter.centre, size, "centres of columns", signed=True)
    if not check_numbers(voter.scale, size, "scales of columns").all():
        raise ValueError("a column is divided by 0")
    n_rows = int(np.maximum(voter.n_codes, 1).sum())
    if voter.coef.shape != (n_rows, n_classes):
        raise ValueError(f"its coefficients are {voter.coef.shape}, not {(n_rows, n_classes)}")
    check_numbers(voter.intercept, (n_classes,), "intercepts", signed=True)
    check_numbers(voter.reach, (n_classes,), "shares of right answers")
    return np.asarray(voter.columns)


VOTERS: Mapping[type, Callable[[Any, int, int], NDArray]] = {
    TreeVoter: _check_tree,
    LinearVoter: _check_linear,
}
"""How each kind of voter is checked."""
