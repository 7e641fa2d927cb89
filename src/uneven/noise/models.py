r"""Models of label noise: matrices that describe it, and labels that suffer it.

In the first family the label depends on the true class only: ``C[i, j] = P(observed = i | true =
j)``, a column per true class. Uniform, pairwise and cyclic noise are such matrices;
:func:`corrupt_labels` draws labels from any of them. In the second, *monotone* noise of two
classes, points are mistaken more often the nearer they lie to the boundary between the classes.

References
----------
U. Louche (2016), chapters 3 and 4.
T. Bylander (1994), *Learning linear threshold functions in the presence of classification noise*.

Notes
-----
Corrections of the source: random matrices and the family between them and the identity are
normalised by columns (the text says rows, against its own definition of the matrix); the level of
the family is not the weight of the noise once entries are clipped.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from numbers import Integral, Real
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import ArrayLike
from sklearn.utils.extmath import row_norms

from uneven.metrics._checks import as_labels, class_list, encode
from uneven.noise.matrices import check_noise_matrix, match_classes
from uneven.utils.parameters import check_integer

_MAX_DRAWS = 1000


def uniform_noise(n_classes: int, rate: float) -> np.ndarray:
    """Uniform label noise: every class has the same rate, for every other class.

    Parameters
    ----------
    n_classes : int
    rate : float
        Share of wrong labels, between 0 and 1. At ``(n_classes - 1) / n_classes`` labels carry
        no information: the matrix is singular.

    Returns
    -------
    ndarray of shape (n_classes, n_classes)

    Examples
    --------
    >>> uniform_noise(3, 0.2)
    array([[0.8, 0.1, 0.1],
           [0.1, 0.8, 0.1],
           [0.1, 0.1, 0.8]])
    """
    check_integer("n_classes", n_classes, 1)
    rate = _check_share("rate", rate)
    if n_classes == 1 and rate > 0.0:
        raise ValueError(f"one class cannot be mistaken for another, but rate is {rate:g}.")
    noise = np.full((n_classes, n_classes), rate / max(n_classes - 1, 1))
    np.fill_diagonal(noise, 1.0 - rate)
    return noise


def pairwise_noise(
    classes: int | Sequence[Any] | np.ndarray, rates: Mapping[tuple[Any, Any], float]
) -> np.ndarray:
    """Some classes are mistaken for some others, at a rate for each pair.

    Parameters
    ----------
    classes : int or array-like of shape (n_classes,)
        How many classes there are, or their labels in order.
    rates : mapping of (observed, true) to float
        Share of the true class that gets the observed label. What is left of each class keeps
        its own label.

    Returns
    -------
    ndarray of shape (n_classes, n_classes)

    Examples
    --------
    >>> pairwise_noise(["cat", "dog", "fox"], {("dog", "fox"): 0.3, ("cat", "fox"): 0.1})
    array([[1. , 0. , 0.1],
           [0. , 1. , 0.3],
           [0. , 0. , 0.6]])
    """
    names = list(range(classes)) if isinstance(classes, Integral) else np.asarray(classes).tolist()
    if not names or len(set(names)) < len(names):
        raise ValueError(f"classes must be at least one label, none of them twice; got {names}.")
    noise = np.zeros((len(names), len(names)))
    for (observed, true), rate in rates.items():
        for name in (observed, true):
            if name not in names:
                raise ValueError(f"rates names the class {name!r}, but the classes are {names}.")
        if observed == true:
            raise ValueError(
                f"rates holds {(observed, true)!r}: the share that keeps its label is what the "
                "others leave."
            )
        noise[names.index(observed), names.index(true)] = _check_share(
            f"the rate of {(observed, true)!r}", rate
        )
    return _with_what_is_left(noise, names)


def cyclic_noise(
    n_classes: int, rates: Sequence[float] | Mapping[int, float] = (0.2, 0.1)
) -> np.ndarray:
    """Every class is mistaken for those that follow it, the first one following the last.

    Parameters
    ----------
    n_classes : int
    rates : sequence of float or mapping of int to float, default=(0.2, 0.1)
        Shares that are labelled as the next class, as the one after it, ...; or a share for each
        number of steps: ``{1: 0.2, 3: 0.1}`` labels 20 % as the next class and 10 % as the third
        one after it.

    Returns
    -------
    ndarray of shape (n_classes, n_classes)

    Examples
    --------
    >>> cyclic_noise(4, (0.2, 0.1))
    array([[0.7, 0. , 0.1, 0.2],
           [0.2, 0.7, 0. , 0.1],
           [0.1, 0.2, 0.7, 0. ],
           [0. , 0.1, 0.2, 0.7]])
    """
    check_integer("n_classes", n_classes, 1)
    steps = dict(rates) if isinstance(rates, Mapping) else dict(enumerate(rates, start=1))
    noise = np.zeros((n_classes, n_classes))
    for step, rate in steps.items():
        check_integer("a step of rates", step, 1, max(n_classes - 1, 1))
        if n_classes == 1:
            raise ValueError("one class cannot be mistaken for another: pass empty rates.")
        here = np.arange(n_classes)
        noise[(here + step) % n_classes, here] = _check_share(f"the rate of step {step}", rate)
    return _with_what_is_left(noise, list(range(n_classes)))


def random_noise(
    n_classes: int,
    rng: np.random.Generator | int | None = None,
    max_condition: float = 1e6,
) -> np.ndarray:
    """A matrix of uniform random entries, its columns divided by their sums.

    Parameters
    ----------
    n_classes : int
    rng : Generator, int or None
    max_condition : float, default=1e6
        Matrices with a larger condition number are drawn again.

    Returns
    -------
    ndarray of shape (n_classes, n_classes)

    Examples
    --------
    >>> random_noise(3, rng=0).sum(axis=0)
    array([1., 1., 1.])
    """
    check_integer("n_classes", n_classes, 1)
    generator = np.random.default_rng(rng)
    for _ in range(_MAX_DRAWS):
        noise = generator.random((n_classes, n_classes))
        noise /= noise.sum(axis=0)
        if np.linalg.cond(noise) <= max_condition:
            return noise
    raise ValueError(
        f"none of {_MAX_DRAWS} random matrices of {n_classes} classes has a condition number of at "
        f"most {max_condition:g}: raise max_condition."
    )


def noise_family(matrix: ArrayLike, level: float) -> np.ndarray:
    """The matrix at some level between the identity (0) and a noise matrix (10), or beyond.

    ``I + level (M - I) / 10``, negative entries set to 0, columns divided by their sums. Up to
    level 10 that is the weighted mean of the two; beyond it the diagonal fades, until it is 0 and
    the matrix changes no more.

    Parameters
    ----------
    matrix : array-like of shape (n_classes, n_classes)
        The noise matrix ``M``.
    level : float
        At least 0; the published experiment goes from 1 to 20.

    Returns
    -------
    ndarray of shape (n_classes, n_classes)

    Examples
    --------
    >>> noise_family([[0.6, 0.2], [0.4, 0.8]], 5)
    array([[0.8, 0.1],
           [0.2, 0.9]])
    """
    noise = check_noise_matrix(matrix)
    if not isinstance(level, Real) or not 0.0 <= float(level) < np.inf:
        raise ValueError(f"level must be a finite number of at least 0, got {level!r}.")
    identity = np.eye(len(noise))
    mixed = np.maximum(identity + float(level) * (noise - identity) / 10.0, 0.0)
    return np.asarray(mixed / mixed.sum(axis=0))


def corrupt_labels(
    y: ArrayLike,
    matrix: Any,
    rng: np.random.Generator | int | None = None,
    classes: ArrayLike | None = None,
) -> np.ndarray:
    """Corrupt labels: draw an observed label for every true one.

    Parameters
    ----------
    y : array-like of shape (n_samples,)
        True labels, of any type.
    matrix : array-like or dataframe of shape (n_classes, n_classes)
        Noise matrix: column = true class, row = observed label.
    rng : Generator, int or None
        The same seed gives the same labels. Do not seed another generator alike to choose rows:
        noise would then fall on the chosen rows, or just not on them.
    classes : array-like of shape (n_classes,), optional
        The class of each row and column. By default the names of a dataframe, else the sorted
        labels of ``y``.

    Returns
    -------
    ndarray of shape (n_samples,)
        Labels of the same type as ``y``.

    Examples
    --------
    >>> always_next = cyclic_noise(3, (1.0,))
    >>> corrupt_labels(["a", "b", "c", "c"], always_next).tolist()
    ['b', 'c', 'a', 'a']
    >>> noisy = corrupt_labels([0] * 500 + [1] * 500, uniform_noise(2, 0.2), rng=0)
    >>> int((noisy[:500] == 1).sum()), int((noisy[500:] == 0).sum())
    (117, 97)
    """
    true = as_labels(y, "y")
    noise, order = match_classes(matrix, classes, true)
    steps = np.cumsum(noise, axis=0)
    steps /= steps[-1]
    chance = np.random.default_rng(rng).random(len(true))
    drawn = order[(chance[:, None] >= steps.T[encode(true, order)]).sum(axis=1)]
    return _like(drawn, y)


def monotone_flip_probability(
    X: Any, t: ArrayLike, w: ArrayLike, rate: float, classes: ArrayLike | None = None
) -> np.ndarray:
    """Probability of each point to be mislabelled, the smaller the farther it is from the boundary.

    ``rate * (1 - t <w, x> / (|w| |x|))``: the full rate on the boundary, none for a point in the
    direction of ``w`` (or against it, in the other class). A point on the wrong side of the
    boundary, for which the source has no formula, gets the full rate.

    Parameters
    ----------
    X : array-like or sparse matrix of shape (n_samples, n_features)
    t : array-like of shape (n_samples,)
        True labels of two classes.
    w : array-like of shape (n_features,)
        Normal of the boundary, which passes through the origin. It points to the second class.
    rate : float
        At least 0, below 1/2.
    classes : array-like of shape (2,), optional
        The two classes; by default the sorted labels of ``t``.

    Returns
    -------
    ndarray of shape (n_samples,)
        Between 0 and ``rate``.

    Examples
    --------
    >>> X = np.array([[2.0, 0.0], [1.0, 1.0], [0.0, 3.0], [-1.0, 0.0]])
    >>> monotone_flip_probability(X, [1, 1, 1, -1], [1.0, 0.0], 0.3).round(3)
    array([0.   , 0.088, 0.3  , 0.   ])
    """
    rate = _check_share("rate", rate)
    if rate >= 0.5:
        raise ValueError(f"rate must be below 0.5, where labels begin to lie; got {rate:g}.")
    codes, _ = _two_classes(t, classes)
    points = X if sp.issparse(X) else np.asarray(X, dtype=np.float64)
    normal = np.asarray(w, dtype=np.float64)
    if points.ndim != 2 or len(codes) != points.shape[0] or normal.shape != points.shape[1:]:
        raise ValueError(
            f"X has shape {points.shape}: there must be one label per row in t, which has "
            f"{len(codes)}, and one number per column in w, which has shape {normal.shape}."
        )
    length = float(np.linalg.norm(normal))
    if not 0.0 < length < np.inf:
        raise ValueError(f"w must be finite and not zero, but its length is {length:g}.")
    size = row_norms(points)
    if not np.isfinite(size).all():
        bad = int(np.flatnonzero(~np.isfinite(size))[0])
        raise ValueError(f"X holds NaN or infinity in row {bad}.")
    cosine = np.asarray(points @ (normal / length)).ravel() / np.where(size > 0.0, size, 1.0)
    return np.clip(rate * (1.0 - np.where(codes == 1, cosine, -cosine)), 0.0, rate)


def corrupt_monotone(
    X: Any,
    t: ArrayLike,
    w: ArrayLike,
    rate: float,
    rng: np.random.Generator | int | None = None,
    classes: ArrayLike | None = None,
) -> np.ndarray:
    """Draw labels with monotone noise: mistakes gather near the boundary of two classes.

    Parameters
    ----------
    X, t, w, rate, classes
        As in :func:`monotone_flip_probability`.
    rng : Generator, int or None

    Returns
    -------
    ndarray of shape (n_samples,)
        Labels of the same type as ``t``.

    Examples
    --------
    >>> X = np.array([[1.0, 0.0]] * 5 + [[0.0, 1.0]] * 995)
    >>> noisy = corrupt_monotone(X, [-1, 1] + [1] * 998, [1.0, 0.0], 0.3, rng=0)
    >>> noisy[1:5].tolist(), round(float((noisy[5:] == -1).mean()), 2)
    ([1, 1, 1, 1], 0.28)
    """
    flip = monotone_flip_probability(X, t, w, rate, classes)
    codes, order = _two_classes(t, classes)
    flipped = np.random.default_rng(rng).random(len(codes)) < flip
    return _like(order[np.where(flipped, 1 - codes, codes)], t)


def _two_classes(t: ArrayLike, classes: ArrayLike | None) -> tuple[np.ndarray, np.ndarray]:
    """Positions of labels in their two classes, and the classes."""
    true = as_labels(t, "t")
    order = class_list(classes, true)
    if len(order) != 2:
        raise ValueError(
            f"monotone noise is defined for two classes, but there are {len(order)}: "
            f"{order.tolist()[:8]}. If one of the two has no example, pass classes=."
        )
    return encode(true, order), order


def _like(labels: np.ndarray, given: ArrayLike) -> np.ndarray:
    """Labels in the type that the user's have; text may grow longer."""
    kind = np.asarray(given).dtype
    return labels if kind.kind in "US" else labels.astype(kind)


def _with_what_is_left(noise: np.ndarray, names: list[Any]) -> np.ndarray:
    """Fill the diagonal so that columns sum to 1."""
    wrong = noise.sum(axis=0)
    if (wrong > 1.0 + 1e-12).any():
        worst = int(wrong.argmax())
        raise ValueError(
            f"the rates of class {names[worst]!r} add up to {wrong[worst]:g}, which is above 1."
        )
    np.fill_diagonal(noise, np.maximum(1.0 - wrong, 0.0))
    return noise


def _check_share(name: str, value: Any) -> float:
    if not isinstance(value, Real) or isinstance(value, bool) or not 0.0 <= float(value) <= 1.0:
        raise ValueError(f"{name} must be a number between 0 and 1, got {value!r}.")
    return float(value)
