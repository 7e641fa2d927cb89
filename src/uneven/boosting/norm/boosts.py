"""Which boosts NormCoMBo learns: long ones of shallow trees, short ones of deep trees, in turn."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np

__all__ = ["DEEPEST", "Boost", "long_depth", "plan_boosts", "with_linear_voters"]

DEEPEST = 29
_AUTO_DEPTHS = (3, 5)
_USUAL_DEEP = 6
_LONGEST = 40
_BOOSTS = 24
_TREES_PER_LINEAR = 50
_FEWEST_LINEAR = 4


@dataclass(frozen=True)
class Boost:
    """What a boost is to be like.

    Attributes
    ----------
    n_trees, max_depth : int
    column_share : float
        Share of the columns that each tree reads.
    has_linear : bool
        Whether a linear voter learns from the same rows.
    """

    n_trees: int
    max_depth: int
    column_share: float
    has_linear: bool = False


def long_depth(n_classes: int) -> int:
    """Depth of trees of long boosts: enough for a leaf per class, within 3 and 5.

    Examples
    --------
    >>> [long_depth(n_classes) for n_classes in (2, 8, 9, 26, 100)]
    [3, 3, 4, 5, 5]
    """
    leaf_each = math.ceil(math.log2(max(n_classes, 2)))
    return min(max(_AUTO_DEPTHS[0], leaf_each), _AUTO_DEPTHS[1])


def plan_boosts(n_trees: int, depth: int) -> list[Boost]:
    """Share trees out among boosts: about 24 of them, more if each long one would exceed 40.

    Parameters
    ----------
    n_trees : int
    depth : int
        Of the trees of long boosts.

    Returns
    -------
    list of Boost

    Examples
    --------
    >>> boosts = plan_boosts(600, 3)
    >>> len(boosts), boosts[0].n_trees, boosts[1].n_trees, boosts[1].max_depth
    (24, 40, 10, 6)
    """
    deeper = min(depth + 3, max(_USUAL_DEEP, depth + 1))
    long = min(_LONGEST, max(1, round(n_trees * 8 / (5 * _BOOSTS))))
    kinds = (Boost(long, depth, 1.0), Boost(max(1, round(long / 4)), deeper, 0.5))
    boosts: list[Boost] = []
    while n_trees > 0:
        kind = kinds[len(boosts) % 2]
        boosts.append(replace(kind, n_trees=min(kind.n_trees, n_trees)))
        n_trees -= kind.n_trees
    return boosts


def with_linear_voters(boosts: list[Boost]) -> list[Boost]:
    """Set a linear voter beside some boosts: one for 50 trees, none if there would be under 4.

    Examples
    --------
    >>> sum(boost.has_linear for boost in with_linear_voters(plan_boosts(600, 3)))
    12
    >>> sum(boost.has_linear for boost in with_linear_voters(plan_boosts(150, 3)))
    0
    """
    n_linear = sum(boost.n_trees for boost in boosts) // _TREES_PER_LINEAR
    if n_linear < _FEWEST_LINEAR:
        return boosts
    due = np.diff(np.arange(len(boosts) + 1) * n_linear // len(boosts))
    return [replace(boost, has_linear=n > 0) for boost, n in zip(boosts, due.tolist())]
