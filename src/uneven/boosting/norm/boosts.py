"""Which boosts NormCoMBo learns: long ones of shallow trees, short ones of deep trees, in turn."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np

DEEPEST = 29
_LEAST_LONG, _MOST_BY_CLASSES, _MOST_LONG = 3, 5, 6
_SHORT_DEPTHS = (6, 9)
_ROWS_PER_LONG_LEAF, _ROWS_PER_SHORT_LEAF = 64, 8
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


def depths_for(n_classes: int, n_rows: int, max_depth: int | None = None) -> tuple[int, int]:
    """Depths of the trees of long and of short boosts.

    Parameters
    ----------
    n_classes, n_rows : int
    max_depth : int, optional
        Depth for long boosts; short ones get up to three levels more, but no more than 6 unless
        this is 6 or more. If None, trees of long boosts have a leaf per class, within depths 3
        and 5, or a leaf for 64 rows, up to depth 6, if that is deeper; those of short boosts have
        a leaf for eight rows, within 6 and 9.

    Examples
    --------
    >>> depths_for(3, 200), depths_for(26, 3000), depths_for(6, 100_000)
    ((3, 6), (5, 8), (6, 9))
    >>> depths_for(3, 200, max_depth=1), depths_for(3, 200, max_depth=8)
    ((1, 4), (8, 9))
    """
    least, most = _SHORT_DEPTHS
    if max_depth is not None:
        return max_depth, min(max_depth + 3, max(least, max_depth + 1))
    by_classes = min(math.ceil(math.log2(max(n_classes, 2))), _MOST_BY_CLASSES)
    by_rows = min(_depth_of_leaves(n_rows / _ROWS_PER_LONG_LEAF), _MOST_LONG)
    deep = _depth_of_leaves(n_rows / _ROWS_PER_SHORT_LEAF)
    return max(_LEAST_LONG, by_classes, by_rows), min(max(least, deep), most)


def _depth_of_leaves(n_leaves: float) -> int:
    """Depth of the largest whole tree with at most so many leaves."""
    return math.floor(math.log2(max(n_leaves, 1.0)))


def plan_boosts(n_trees: int, depth: int, deeper: int) -> list[Boost]:
    """Share trees out among boosts: about 24 of them, more if each long one would exceed 40.

    Parameters
    ----------
    n_trees : int
    depth, deeper : int
        Of the trees of long and of short boosts.

    Examples
    --------
    >>> boosts = plan_boosts(600, 3, 6)
    >>> len(boosts), boosts[0].n_trees, boosts[1].n_trees, boosts[1].max_depth
    (24, 40, 10, 6)
    """
    long = min(_LONGEST, max(1, round(n_trees * 8 / (5 * _BOOSTS))))
    kinds = (Boost(long, depth, 1.0), Boost(max(1, round(long / 4)), deeper, 0.5))
    boosts: list[Boost] = []
    while n_trees > 0:
        kind = kinds[len(boosts) % 2]
        boosts.append(replace(kind, n_trees=min(kind.n_trees, n_trees)))
        n_trees -= kind.n_trees
    return boosts


def left_after(n_trees: int, boosts: list[Boost]) -> list[Boost]:
    """Boosts that are missing for so many trees.

    Parameters
    ----------
    n_trees : int
    boosts : list of Boost
        Those of a plan with more trees.

    Examples
    --------
    >>> boosts = plan_boosts(120, 3, 6)
    >>> left = left_after(15, boosts[:4])
    >>> [boost.n_trees for boost in boosts[:4]], [boost.n_trees for boost in left]
    ([8, 2, 8, 2], [3, 2])
    """
    left = []
    for boost in boosts:
        skipped = min(n_trees, boost.n_trees)
        n_trees -= skipped
        if skipped < boost.n_trees:
            left.append(replace(boost, n_trees=boost.n_trees - skipped))
    return left


def with_linear_voters(boosts: list[Boost]) -> list[Boost]:
    """Add a linear voter to some boosts: one for 50 trees, none if there would be under 4.

    Examples
    --------
    >>> sum(boost.has_linear for boost in with_linear_voters(plan_boosts(600, 3, 6)))
    12
    >>> sum(boost.has_linear for boost in with_linear_voters(plan_boosts(150, 3, 6)))
    0
    """
    n_linear = sum(boost.n_trees for boost in boosts) // _TREES_PER_LINEAR
    if n_linear < _FEWEST_LINEAR:
        return boosts
    due = np.diff(np.arange(len(boosts) + 1) * n_linear // len(boosts))
    return [replace(boost, has_linear=n > 0) for boost, n in zip(boosts, due.tolist())]
