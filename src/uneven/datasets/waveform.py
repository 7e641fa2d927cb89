"""Three classes of noisy waves, each a random mixture of two triangles."""

from __future__ import annotations

import numpy as np
from sklearn.utils import Bunch, check_random_state

from uneven.datasets.bunches import table_bunch


def make_waveform(
    n_samples: int = 5000,
    *,
    random_state: int | np.random.RandomState | None = None,
    as_frame: bool = False,
) -> Bunch:
    """Generate waves of 21 points: u · h + (1 − u) · h' + noise, u uniform, noise standard normal.

    There are three triangles, six high at their peak, at the points 7, 11 and 15; a class is a
    pair of them. No classifier errs in less than about 14 of 100 rows.

    Parameters
    ----------
    n_samples : int, default=5000
        Number of rows.
    random_state : int, RandomState or None, default=None
        Seed.
    as_frame : bool, default=False
        Give ``data`` as a pandas DataFrame.

    Returns
    -------
    Bunch
        ``data`` (n_samples, 21), ``target`` in {0, 1, 2}, equally likely, ``feature_names``;
        ``views`` is None.

    References
    ----------
    L. Breiman, J. Friedman, R. Olshen, C. Stone (1984), *Classification and regression trees*.

    Examples
    --------
    >>> bunch = make_waveform(300, random_state=0)
    >>> bunch.data.shape, np.unique(bunch.target).tolist()
    ((300, 21), [0, 1, 2])
    """
    if isinstance(n_samples, bool) or not isinstance(n_samples, int | np.integer) or n_samples < 1:
        raise ValueError(f"n_samples must be a whole number at least 1, got {n_samples!r}.")
    rng = check_random_state(random_state)
    points = np.arange(1, 22)
    triangles = np.stack([np.maximum(6 - np.abs(points - peak), 0) for peak in (11, 15, 7)])
    pairs = np.array([[0, 1], [0, 2], [1, 2]])
    target = rng.randint(3, size=n_samples)
    share = rng.uniform(size=(n_samples, 1))
    first, second = (triangles[pairs[target, side]] for side in (0, 1))
    data = share * first + (1.0 - share) * second + rng.normal(size=(n_samples, 21))
    names = [f"point{point}" for point in points]
    return table_bunch(data, target, names, as_frame=as_frame, views=None)
