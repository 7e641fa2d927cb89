"""Classes that linear classifiers through the origin can separate with a margin."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from sklearn.utils import Bunch, check_random_state

_MOST_PROTOTYPES = 1000
_FEWEST_POINTS = 1000
_SMALLEST_YIELD = 0.002


def make_margin_classes(
    n_samples: int = 1000,
    *,
    n_classes: int = 10,
    n_features: int = 2,
    margin: float = 0.025,
    prototypes: ArrayLike | None = None,
    random_state: int | np.random.RandomState | None = None,
) -> Bunch:
    """Generate points on the unit sphere, each of the class with the nearest prototype.

    Prototypes and points are uniform on the sphere (a circle for two features). Points closer
    than ``margin`` to a boundary between their class and another are drawn again.

    Parameters
    ----------
    n_samples : int, default=1000
        Number of rows, at least one per class.
    n_classes : int, default=10
    n_features : int, default=2
        At least 2.
    margin : float, default=0.025
        Smallest distance to a boundary, between 0 and 1.
    prototypes : array-like of shape (n_classes, n_features), default=None
        Prototypes of an earlier draw, to draw more points of the same classes. Otherwise they are
        drawn until every class has a point.
    random_state : int, RandomState or None, default=None
        Seed.

    Returns
    -------
    Bunch
        ``data`` (n_samples, n_features), ``target`` in 0 .. n_classes - 1 and ``prototypes``.

    Notes
    -----
    The source asks for a margin of 0.025 and for ten classes of which none vanishes. As a
    difference of scores, that margin would empty a class in nine draws of ten; as the distance to
    the boundary, which is used here, in about one of ten.

    References
    ----------
    U. Louche (2016), *From confusion noise to active learning: playing on label availability in
    linear classification problems*, PhD thesis, Aix-Marseille Université, section 4.4.

    Examples
    --------
    >>> train = make_margin_classes(500, n_classes=4, random_state=0)
    >>> test = make_margin_classes(50, prototypes=train.prototypes, random_state=1)
    >>> train.data.shape, np.unique(train.target).tolist(), test.data.shape
    ((500, 2), [0, 1, 2, 3], (50, 2))
    """
    rng = check_random_state(random_state)
    if prototypes is not None:
        given = np.asarray(prototypes, dtype=np.float64)
        if given.ndim != 2 or not np.isfinite(given).all():
            raise ValueError(
                f"prototypes must be finite numbers of shape (n_classes, n_features), got shape "
                f"{given.shape}."
            )
        _check(n_samples, len(given), given.shape[1], margin, 1)
        data, target = _draw(n_samples, given, margin, rng)
        if len(target) < n_samples:
            raise ValueError(f"margin={margin} leaves almost no points between these prototypes.")
        return _bunch(data, target, given)
    _check(n_samples, n_classes, n_features, margin, n_classes)
    for _ in range(_MOST_PROTOTYPES):
        drawn = _on_sphere(n_classes, n_features, rng)
        data, target = _draw(n_samples, drawn, margin, rng)
        if len(target) == n_samples and len(np.unique(target)) == n_classes:
            return _bunch(data, target, drawn)
    raise ValueError(
        f"{_MOST_PROTOTYPES} draws of {n_classes} prototypes left no point to some class at "
        f"margin={margin}: ask for a smaller margin, fewer classes or more rows."
    )


def _draw(
    n_samples: int, prototypes: np.ndarray, margin: float, rng: np.random.RandomState
) -> tuple[np.ndarray, np.ndarray]:
    """Points that keep the margin, and their classes; fewer than requested if hardly any does."""
    data, target = [np.zeros((0, prototypes.shape[1]))], [np.zeros(0, dtype=int)]
    kept, drawn, batch = 0, 0, max(n_samples, _FEWEST_POINTS)
    while kept < n_samples and kept >= _SMALLEST_YIELD * drawn:
        points = _on_sphere(batch, prototypes.shape[1], rng)
        classes, distance = _nearest(points, prototypes)
        far = distance >= margin
        data.append(points[far])
        target.append(classes[far])
        kept, drawn = kept + int(far.sum()), drawn + batch
    return np.concatenate(data)[:n_samples], np.concatenate(target)[:n_samples]


def _nearest(points: np.ndarray, prototypes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Class of each point, and its distance to the nearest boundary of that class."""
    scores = points @ prototypes.T
    target = scores.argmax(axis=1)
    apart = np.linalg.norm(prototypes[:, None] - prototypes[None], axis=2)
    np.fill_diagonal(apart, 1.0)
    rows = np.arange(len(points))
    lead = (scores[rows, target][:, None] - scores) / np.maximum(apart[target], 1e-300)
    lead[rows, target] = np.inf
    return target, lead.min(axis=1)


def _on_sphere(n: int, n_features: int, rng: np.random.RandomState) -> np.ndarray:
    points = rng.standard_normal((n, n_features))
    return np.asarray(points / np.linalg.norm(points, axis=1, keepdims=True))


def _bunch(data: np.ndarray, target: np.ndarray, prototypes: np.ndarray) -> Bunch:
    return Bunch(data=data, target=target, prototypes=prototypes)


def _check(n_samples: Any, n_classes: Any, n_features: Any, margin: Any, least: int) -> None:
    for name, value, low in (
        ("n_classes", n_classes, 2),
        ("n_features", n_features, 2),
        ("n_samples", n_samples, least),
    ):
        if int(value) != value or value < low:
            raise ValueError(f"{name}={value}: it must be a whole number of at least {low}.")
    if not 0.0 <= margin < 1.0:
        raise ValueError(f"margin={margin}: it must be at least 0 and below 1.")
