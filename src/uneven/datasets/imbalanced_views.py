"""Six uneven classes, four views, and no view that knows them all."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils import Bunch, check_random_state

from uneven.datasets.bunches import multiview_bunch
from uneven.utils.simplex import whole_counts

ANIMAL_COUNTS = (184, 559, 1072, 802, 483, 815)
"""Class sizes of the six-animal subset of Animals with Attributes used in the thesis."""

VIEW_GROUPS = ((0, 3, 5), (1, 2), (2, 4), (0, 1, 4))
"""For each view the classes that it separates from the rest."""


def make_imbalanced_views(
    n_samples: int = 1200,
    *,
    class_shares: ArrayLike = ANIMAL_COUNTS,
    groups: Sequence[Sequence[int]] = VIEW_GROUPS,
    separation: float = 2.0,
    n_dims: int = 5,
    as_frame: bool = False,
    random_state: int | np.random.RandomState | None = None,
) -> Bunch:
    """Generate imbalanced classes, each of which only some views can distinguish.

    In its views a class is a unit Gaussian around a random point at distance ``separation`` from
    the origin; in all other views around the origin itself. To train and test on the same
    classes, draw once and split.

    Parameters
    ----------
    n_samples : int, default=1200
        Number of rows, at least one per class.
    class_shares : array-like of shape (K,), default=ANIMAL_COUNTS
        Relative class sizes, positive. The counts are rounded and do not depend on the seed.
    groups : sequence of sequences of int, default=VIEW_GROUPS
        For each view, the classes that it can distinguish.
    separation : float, default=2.0
        Distance of a visible class from the origin.
    n_dims : int, default=5
        Columns per view.
    as_frame : bool, default=False
        Give ``data`` as a pandas DataFrame.
    random_state : int, RandomState or None, default=None
        Seed.

    Returns
    -------
    Bunch
        ``data`` (n_samples, n_dims * number of views), ``target`` in 0..K-1, ``views``,
        ``feature_names`` and ``groups``.

    References
    ----------
    Lampert, Nickisch and Harmeling (2009), Learning to detect unseen object classes by
    between-class attribute transfer (the data whose class shares are borrowed).

    Examples
    --------
    >>> bunch = make_imbalanced_views(600, random_state=0)
    >>> bunch.data.shape, np.bincount(bunch.target).tolist()
    ((600, 20), [28, 86, 164, 123, 74, 125])
    """
    shares = np.asarray(class_shares, dtype=np.float64)
    k = len(shares)
    _check(n_samples, shares, groups, n_dims)
    rng = check_random_state(random_state)
    target = rng.permutation(np.repeat(np.arange(k), whole_counts(n_samples, shares)))
    blocks = {}
    for number, group in enumerate(groups, start=1):
        centres = np.zeros((k, n_dims))
        directions = rng.standard_normal((len(group), n_dims))
        directions /= np.linalg.norm(directions, axis=1, keepdims=True)
        centres[list(group)] = separation * directions
        blocks[f"view{number}"] = centres[target] + rng.standard_normal((n_samples, n_dims))
    return multiview_bunch(blocks, target, as_frame=as_frame, groups=groups)


def _check(
    n_samples: int,
    shares: NDArray[np.float64],
    groups: Sequence[Sequence[int]],
    n_dims: int,
) -> None:
    k = len(shares)
    if k < 2 or not (np.isfinite(shares) & (shares > 0)).all():
        raise ValueError(f"class_shares={shares.tolist()}: give two or more positive sizes.")
    if n_samples < k:
        raise ValueError(f"n_samples={n_samples} is less than one row for each of {k} classes.")
    if n_dims < 1:
        raise ValueError(f"n_dims={n_dims}: a view needs at least one column.")
    if not groups:
        raise ValueError("groups is empty: give at least one view.")
    for number, group in enumerate(groups, start=1):
        strangers = [c for c in group if not 0 <= c < k]
        if strangers:
            raise ValueError(f"groups: view {number} names {strangers}, classes are 0..{k - 1}.")
