"""Orders in which score trees cut columns of categories.

A set of categories goes left if they come first in one of a few orders. The orders follow the
class frequencies in each category. With two classes the share of one of them is
the order. With more, the shares are points, and the orders are those along the directions in which
they differ most. They are found once for all trees: an order from the gradients of each tree or
node fits noise.

References
----------
D. Coppersmith, S. J. Hong and J. R. M. Hosking (1999), *Partitioning nominal attributes in decision
trees*, Data Mining and Knowledge Discovery 3: the order of categories along a leading direction.
"""

from __future__ import annotations

import numpy as np

_MOST_ORDERS = 7
_SMOOTHING = 20.0
_POWER_STEPS = 50
_LEAST_SPREAD = 1e-9


def order_codes(class_mass: np.ndarray, first: np.ndarray, is_category: np.ndarray) -> np.ndarray:
    """Orders of the codes of all columns of categories.

    Parameters
    ----------
    class_mass : ndarray of shape (n_bins, n_classes)
        Mass of each class in every bin; the bins of numbers are not looked at.
    first : ndarray of int, shape (n_columns + 1,)
        First bin of every column, and the number of bins.
    is_category : ndarray of bool, shape (n_columns,)

    Returns
    -------
    ndarray of uint8, shape (n_orders, n_bins)
        Codes of each column, where its bins are.
    """
    n_orders = min(class_mass.shape[1] - 1, _MOST_ORDERS)
    orders = np.zeros((n_orders, len(class_mass)), dtype=np.uint8)
    for column in np.flatnonzero(is_category).tolist():
        own = slice(first[column], first[column + 1])
        orders[:, own] = np.argsort(
            leading_places(class_mass[own], n_orders), axis=1, kind="stable"
        )
    return orders


def leading_places(class_mass: np.ndarray, n_directions: int) -> np.ndarray:
    """Places of categories along the directions in which their class shares differ most.

    Shares are those that there would be if all classes were as frequent. Twenty rows with the
    shares of the whole table are added to every category, so that rare ones are near its place.

    Parameters
    ----------
    class_mass : ndarray of shape (n_categories, n_classes)
    n_directions : int

    Returns
    -------
    ndarray of shape (n_directions, n_categories)
        The first direction takes the place of those in which nothing differs.

    Examples
    --------
    >>> import numpy as np
    >>> leading_places(np.array([[0.0, 30.0], [30.0, 0.0], [15.0, 15.0]]), 1).argsort()
    array([[0, 2, 1]])
    """
    mass = class_mass.sum(axis=1, keepdims=True)
    prior = class_mass.sum(axis=0) / max(float(mass.sum()), np.finfo(float).tiny)
    seen = prior > 0.0
    lift = (class_mass[:, seen] / prior[seen] + _SMOOTHING) / (mass + _SMOOTHING)
    shares = lift / lift.sum(axis=1, keepdims=True)
    shares -= (mass * shares).sum(axis=0) / max(float(mass.sum()), np.finfo(float).tiny)
    places = np.zeros((n_directions, len(shares)))
    spread = (mass[:, :, None] * shares[:, :, None] * shares[:, None, :]).sum(axis=0)
    least = _LEAST_SPREAD * float(np.trace(spread))
    for k in range(n_directions):
        direction, length = _leading_direction(spread)
        if length <= least:
            places[k:] = places[0]
            break
        spread = spread - length * direction[:, None] * direction
        places[k] = (shares.T * direction[:, None]).sum(axis=0)
    return places


def _leading_direction(spread: np.ndarray) -> tuple[np.ndarray, float]:
    """Eigenvector of the largest eigenvalue of a matrix (n, n), and that value.

    By power iteration, with sums in a fixed order: the same bits on every machine.
    """
    if not spread.size:
        return np.zeros(0), 0.0
    direction = spread[:, int(np.argmax(np.diagonal(spread)))]
    length = 0.0
    for _ in range(_POWER_STEPS):
        length = float(np.sqrt((direction**2).sum()))
        if length == 0.0:
            break
        direction = (spread * (direction / length)[:, None]).sum(axis=0)
    size = float(np.sqrt((direction**2).sum()))
    return (direction / size if size > 0.0 else direction), size
