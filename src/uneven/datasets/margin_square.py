"""Two classes in a square, with a strip between them."""

from __future__ import annotations

import numpy as np
from sklearn.utils import Bunch, check_random_state

_HALF_SIDE = 10.0


def make_margin_square(
    n_samples: int = 1000,
    *,
    margin: float = 0.1,
    random_state: int | np.random.RandomState | None = None,
) -> Bunch:
    """Generate points in a square, labelled by a random line through its centre, with a margin.

    Points are uniform on the square from -10 to 10 in both directions. Those closer than
    ``margin`` to the line are left out, so there are somewhat fewer than requested.

    Parameters
    ----------
    n_samples : int, default=1000
        Points drawn, before some are left out.
    margin : float, default=0.1
        Smallest distance to the line, from 0 to below 10.
    random_state : int, RandomState or None, default=None
        Seed.

    Returns
    -------
    Bunch
        ``data`` (n_kept, 2), ``target`` of -1 and 1, and ``normal`` (2,), the unit vector across
        the line, on the side of 1.

    References
    ----------
    U. Louche (2016), *From confusion noise to active learning: playing on label availability in
    linear classification problems*, PhD thesis, Aix-Marseille Université, chapter 6.

    Examples
    --------
    >>> square = make_margin_square(1000, margin=0.1, random_state=0)
    >>> square.data.shape, np.unique(square.target).tolist()
    ((993, 2), [-1, 1])
    >>> bool((square.target * (square.data @ square.normal)).min() >= 0.1)
    True
    """
    if isinstance(n_samples, bool) or int(n_samples) != n_samples or n_samples < 1:
        raise ValueError(f"n_samples={n_samples}: it must be a whole number of at least 1.")
    if not 0.0 <= margin < _HALF_SIDE:
        raise ValueError(f"margin={margin}: it must be at least 0 and below {_HALF_SIDE:g}.")
    rng = check_random_state(random_state)
    angle = rng.uniform(0.0, 2.0 * np.pi)
    normal = np.array([np.cos(angle), np.sin(angle)])
    points = rng.uniform(-_HALF_SIDE, _HALF_SIDE, size=(int(n_samples), 2))
    distance = points @ normal
    far = np.abs(distance) >= margin
    target = np.where(distance[far] >= 0.0, 1, -1)
    return Bunch(data=points[far], target=target, normal=normal)
