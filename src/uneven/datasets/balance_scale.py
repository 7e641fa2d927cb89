"""The Balance-scale table, computed from the law it was made of."""

import itertools

import numpy as np
from sklearn.utils import Bunch

from uneven.datasets.bunches import table_bunch


def make_balance_scale(*, as_frame: bool = False) -> Bunch:
    """Return all 625 scales with weights and distances 1 to 5, and the side they tip to.

    The rare class "B" (balanced, 49 rows against 288 and 288) needs products of two columns, so
    that small trees rarely find it: a compact test for methods that care about rare classes.

    Parameters
    ----------
    as_frame : bool, default=False
        Give ``data`` as a pandas DataFrame.

    Returns
    -------
    Bunch
        ``data`` (625, 4), ``target`` in {"L", "B", "R"}, ``feature_names``; ``views`` is None.

    References
    ----------
    Siegler (1976), Three aspects of cognitive development. The UCI repository distributes the
    same rows.

    Examples
    --------
    >>> bunch = make_balance_scale()
    >>> dict(zip(*(a.tolist() for a in np.unique(bunch.target, return_counts=True))))
    {'B': 49, 'L': 288, 'R': 288}
    """
    data = np.array(list(itertools.product(range(1, 6), repeat=4)), dtype=np.float64)
    tilt = np.sign(data[:, 0] * data[:, 1] - data[:, 2] * data[:, 3]).astype(int)
    target = np.array(["R", "B", "L"])[tilt + 1]
    names = ["left_weight", "left_distance", "right_weight", "right_distance"]
    return table_bunch(data, target, names, as_frame=as_frame, views=None)
