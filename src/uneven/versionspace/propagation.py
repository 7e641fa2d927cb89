"""Expectation propagation: centre of gravity and volume of a version space, without sampling.

Under a normal prior, cutting with half-spaces leaves a distribution whose mean points where the
centre of gravity of the version space points: only the direction of w decides whether a cut is
obeyed, so any prior without a favourite direction gives the same. Propagation replaces each cut
by a normal factor, a site, in such a way that the mean and variance of the cut's product are those
that the cut itself would cause, given all other sites.

In many dimensions a pass is made of products of matrices: within a block of cuts everything
happens between their own products, and only then do mean and covariance change, at once. The
result is that of site after site but for rounding, several times sooner from about 150 dimensions
on.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from scipy.linalg import LinAlgError, cho_solve, cholesky
from scipy.linalg.lapack import dpotri

from uneven.utils.parallel import one_blas_thread
from uneven.utils.parameters import Constraint, Interval, Whole
from uneven.utils.validation import check_array
from uneven.versionspace._propagation_loops import (
    log_scales,
    quadratic_forms,
    refresh_cuts,
    refresh_gram,
    sweep_cuts,
    sweep_gram,
)
from uneven.versionspace.cone import check_cuts

MANY = 128
"""Dimensions above which blocks are faster."""

_BLOCK = 64

_WORTH_THREADS = 1000
"""Dimensions below which threads wait for each other longer than they work."""

PROPAGATION_PARAMETERS: dict[str, Constraint] = {
    "max_sweeps": Whole(1),
    "flip": Interval(0, 0.5, closed="left", says="a number in [0, 0.5)"),
    "ridge": Interval(0, closed="left", says="a number in [0, inf)"),
    "tol": Interval(0, closed="left", says="a number in [0, inf)"),
}
"""What the parameters of a propagation may be."""

JITTER = 1e-8
"""The default private variance of a cut: it bounds how sure a site can be."""

_SMALLEST_STEP = 0.125

_SMALLEST_VALUE = 1e-14
"""Share of the largest eigenvalue of a Gram matrix below which one is rounding."""

_SWEEPS_OF_BLOCKS = 4
"""Sweeps in many dimensions before mean and covariance are computed anew."""

_SMALLEST_MEAN = 1e-9
"""Means below it are zero but for rounding: cuts that contradict each other leave such."""


@dataclass(frozen=True)
class Propagation:
    """A normal distribution in the place of the version space.

    Attributes
    ----------
    mean : ndarray of shape (n_dims,), or (n_cuts,) from a Gram matrix
        Mean of w, or of its products with the cuts.
    covariance : ndarray of shape (n_dims, n_dims), or (n_cuts, n_cuts) from a Gram matrix
        Of the same.
    sites : ndarray of shape (n_cuts, 2)
        Precision and shift of each cut's factor.
    alpha : ndarray of shape (n_cuts,)
        The mean of w is ``alpha @ cuts``.
    log_evidence : float
        Estimates the logarithm of the share of the ball that obeys all cuts.
    converged : bool
        Whether the mean stood still within the tolerance.
    n_sweeps : int
    """

    mean: np.ndarray
    covariance: np.ndarray
    sites: np.ndarray
    alpha: np.ndarray
    log_evidence: float
    converged: bool
    n_sweeps: int


def propagate(
    cuts: Any,
    *,
    flip: float = 0.0,
    ridge: float = JITTER,
    sites: np.ndarray | None = None,
    tol: float = 1e-6,
    max_sweeps: int = 100,
) -> Propagation:
    """Centre and volume of a version space given by its cuts.

    Parameters
    ----------
    cuts : array-like of shape (n_cuts, n_dims)
        Unit rows; w obeys one if its product with it is positive. No rows give the prior.
    flip : float, default=0.0
        Probability that a label is wrong, below one half: a cut then only says ``flip + (1 - 2
        flip) [obeyed]``.
    ridge : float, default=1e-8
        Squared length of a private dimension of every cut; see the notes.
    sites : ndarray of shape (n_old, 2), optional
        Where to start: sites of an earlier run for the first cuts, which may be fewer.
    tol : float, default=1e-6
        Stop if no coordinate of the mean moves more than this share of the largest.
    max_sweeps : int, default=100
        Largest number of passes over the cuts.

    Returns
    -------
    Propagation

    Notes
    -----
    A sweep costs n_cuts n_dims². The covariance is computed anew from the sites after each sweep,
    or after every fourth in more than 128 dimensions, and sites move half as far from the first
    sweep on that moves the mean more than the one before. A private dimension of each cut, of
    squared length ``ridge``, is integrated out: the step of the cut becomes a normal distribution
    function of that variance. With it the space is never empty, so contradictory cuts have a
    centre too. But spaces as thin as its root, some 1e-4 by default, are blurred: a slice of that
    width that is cut off at one end gets a direction that is 10 degrees off and half as much
    volume again, and one of 1e-5 is 40 degrees off. ``ridge=0.0`` is right there too, if the cuts
    do not contradict each other. A label that is probably flipped makes the distribution wider:
    the precision of its site is negative.

    The direction is within a degree or so of the centre of gravity; the volume is exact for
    orthogonal cuts and otherwise low, more so with redundant cuts: drop those first
    (`uneven.versionspace.redundant_cuts`). The normal prior is not that of the source, which is
    uniform on the ball; the direction is the same.

    References
    ----------
    Minka (2001), A family of algorithms for approximate Bayesian inference, chapter 5.

    Examples
    --------
    >>> found = propagate(np.eye(3))
    >>> (found.mean / np.linalg.norm(found.mean)).round(4).tolist()
    [0.5774, 0.5774, 0.5774]
    >>> round(float(np.exp(found.log_evidence)), 6)
    0.125
    """
    cuts = check_cuts(cuts)
    _check(flip=flip, ridge=ridge, tol=tol, max_sweeps=max_sweeps)
    return _propagate(cuts, flip, ridge, _start(sites, len(cuts), flip), tol, max_sweeps)


def _propagate(
    cuts: np.ndarray, flip: float, ridge: float, sites: np.ndarray, tol: float, max_sweeps: int
) -> Propagation:
    many = cuts.shape[1] > MANY

    def refresh(run: _Run) -> float:
        renew = refresh_cuts_by_blas if many else refresh_cuts
        return renew(cuts, run.sites, run.mean, run.covariance)

    def sweep(run: _Run, step: float) -> None:
        go = sweep_in_blocks if many else sweep_cuts
        go(cuts, flip, ridge, step, run.mean, run.covariance, run.sites)

    run = _Run(cuts.shape[1], sites)
    with few_threads(cuts.shape[1]):
        _run(refresh, sweep, run, tol, max_sweeps)
    variances = (
        np.einsum("ij,ij->i", cuts @ run.covariance, cuts)
        if many
        else quadratic_forms(cuts, run.covariance)
    )
    return _report(run, cuts @ run.mean, variances, run.sites[:, 1] @ cuts, flip, ridge)


def propagate_gram(
    gram: Any,
    *,
    flip: float = 0.0,
    ridge: float = JITTER,
    sites: np.ndarray | None = None,
    tol: float = 1e-6,
    max_sweeps: int = 100,
) -> Propagation:
    """The same from the products of the cuts with each other.

    Parameters
    ----------
    gram : array-like of shape (n_cuts, n_cuts)
        Products of unit cuts: ``t_i t_j k(x_i, x_j) / sqrt(k(x_i, x_i) k(x_j, x_j))``.
    flip, ridge, sites, tol, max_sweeps
        As in `propagate`.

    Returns
    -------
    Propagation
        Mean and covariance are those of the products with the cuts. The centre is
        ``alpha @ cuts``.

    Notes
    -----
    A sweep costs n_cuts³. Coordinates in the span of the cuts (`uneven.versionspace.span_of`) are
    never slower, and faster if the cuts are dependent; with ``flip`` they are used here, too.

    Examples
    --------
    >>> cuts = np.array([[1.0, 0.0], [0.6, 0.8]])
    >>> bool(np.allclose(propagate_gram(cuts @ cuts.T).alpha, propagate(cuts).alpha))
    True
    """
    gram = check_array(
        gram, dtype=np.float64, order="C", ensure_min_samples=0, ensure_min_features=0
    )
    if gram.shape[0] != gram.shape[1] or not np.allclose(gram, gram.T, rtol=0.0, atol=1e-9):
        raise ValueError(f"gram has shape {gram.shape}; it must be a symmetric matrix.")
    _check(flip=flip, ridge=ridge, tol=tol, max_sweeps=max_sweeps)
    start = _start(sites, len(gram), flip)
    if flip > 0.0:
        return _in_coordinates(gram, flip, ridge, start, tol, max_sweeps)

    many = len(gram) > MANY

    def refresh(run: _Run) -> float:
        renew = refresh_gram_by_blas if many else refresh_gram
        return renew(gram, run.sites, run.mean, run.covariance)

    def sweep(run: _Run, step: float) -> None:
        if many:
            sweep_in_blocks(None, flip, ridge, step, run.mean, run.covariance, run.sites)
        else:
            sweep_gram(flip, ridge, step, run.mean, run.covariance, run.sites)

    run = _Run(len(gram), start)
    with few_threads(len(gram)):
        _run(refresh, sweep, run, tol, max_sweeps)
    variances = run.covariance.diagonal().copy()
    return _report(run, run.mean, variances, run.sites[:, 1], flip, ridge)


def _in_coordinates(
    gram: np.ndarray, flip: float, ridge: float, sites: np.ndarray, tol: float, max_sweeps: int
) -> Propagation:
    """From the products by way of coordinates, where sites may have negative precisions."""
    values, vectors = np.linalg.eigh(gram)
    kept = values > _SMALLEST_VALUE * values[-1:].max(initial=0.0)
    cuts = np.ascontiguousarray(vectors[:, kept] * np.sqrt(values[kept]))
    found = _propagate(cuts, flip, ridge, sites, tol, max_sweeps)
    covariance = cuts @ found.covariance @ cuts.T
    return replace(found, mean=cuts @ found.mean, covariance=covariance)


class _Run:
    """Where a propagation stands; its arrays are changed in place."""

    def __init__(self, size: int, sites: np.ndarray) -> None:
        self.mean = np.zeros(size)
        self.covariance = np.empty((size, size))
        self.sites = sites
        self.half_log_precision = 0.0
        self.converged = False
        self.n_sweeps = 0


def _run(
    refresh: Callable[[_Run], float],
    sweep: Callable[[_Run, float], None],
    run: _Run,
    tol: float,
    max_sweeps: int,
) -> None:
    """Sweep until the mean stands still; compute it anew from the sites at the end and often."""
    often = _SWEEPS_OF_BLOCKS if len(run.mean) > MANY else 1
    if not np.isfinite(refresh(run)):
        raise ValueError("sites are such that no normal distribution is left: start without.")
    step, before = 1.0, np.inf
    while not run.converged and run.n_sweeps < max_sweeps:
        earlier, sites = run.mean.copy(), run.sites.copy()
        sweep(run, step)
        run.n_sweeps += 1
        if run.n_sweeps % often == 0 and not np.isfinite(refresh(run)):
            run.sites[:], step = sites, max(0.5 * step, _SMALLEST_STEP)
            refresh(run)
        change = float(np.abs(run.mean - earlier).max(initial=0.0))
        run.converged = change <= tol * float(np.abs(run.mean).max(initial=_SMALLEST_MEAN))
        if change > before:
            step = max(0.5 * step, _SMALLEST_STEP)
        before = change
    run.half_log_precision = refresh(run)


def _report(
    run: _Run,
    products: np.ndarray,
    variances: np.ndarray,
    shifts: np.ndarray,
    flip: float,
    ridge: float,
) -> Propagation:
    alpha = run.sites[:, 1] - run.sites[:, 0] * products
    scales = log_scales(products, variances, flip, ridge, run.sites)
    evidence = scales - run.half_log_precision + 0.5 * float(run.mean @ shifts)
    return Propagation(
        run.mean, run.covariance, run.sites, alpha, evidence, run.converged, run.n_sweeps
    )


def _check(**parameters: Any) -> None:
    for name, constraint in PROPAGATION_PARAMETERS.items():
        constraint.check(name, parameters[name])


def _start(sites: np.ndarray | None, n_cuts: int, flip: float) -> np.ndarray:
    """Sites of an earlier run, followed by empty sites."""
    state = np.zeros((n_cuts, 2))
    if sites is None:
        return state
    sites = np.asarray(sites, dtype=np.float64)
    if sites.ndim != 2 or sites.shape[1] != 2 or len(sites) > n_cuts:
        raise ValueError(f"sites have shape {sites.shape}: at most ({n_cuts}, 2) were expected.")
    if not np.isfinite(sites).all() or (flip == 0.0 and (sites[:, 0] < 0.0).any()):
        raise ValueError("sites hold NaN, infinity or, without flip, a negative precision.")
    state[: len(sites)] = sites
    return state


def few_threads(n_dims: int) -> AbstractContextManager[Any]:
    """One thread for products of small matrices while the block runs; as before after it."""
    if not MANY < n_dims < _WORTH_THREADS:
        return nullcontext()
    return one_blas_thread()


def sweep_in_blocks(
    cuts: np.ndarray | None,
    flip: float,
    ridge: float,
    step: float,
    mean: np.ndarray,
    covariance: np.ndarray,
    sites: np.ndarray,
) -> None:
    """Match every site once, in order, as `sweep_cuts` and `sweep_gram` do.

    cuts: (n_cuts, n_dims), or None, None if mean and covariance are those of the products with the
    cuts; mean: (n_dims,), changed; covariance: (n_dims, n_dims), changed; sites: (n_cuts, 2),
    changed.
    """
    for start in range(0, len(sites), _BLOCK):
        mine = slice(start, start + _BLOCK)
        if cuts is None:
            towards, products = covariance[:, mine].copy(), mean[mine].copy()
            inner = towards[mine].copy()
        else:
            towards, products = covariance @ cuts[mine].T, cuts[mine] @ mean
            inner = np.ascontiguousarray(cuts[mine] @ towards)
        before = sites[mine].copy()
        sweep_gram(flip, ridge, step, products.copy(), inner.copy(), sites[mine])
        rise, push = (sites[mine] - before).T
        change = np.column_stack([rise[:, None] * towards.T, push - rise * products])
        change = np.linalg.solve(np.eye(len(rise)) + rise[:, None] * inner, change)
        covariance -= towards @ change[:, :-1]
        mean += towards @ change[:, -1]


def refresh_cuts_by_blas(
    cuts: np.ndarray, sites: np.ndarray, mean: np.ndarray, covariance: np.ndarray
) -> float:
    """The same as `refresh_cuts` of the compiled loops."""
    precision = cuts.T @ (cuts * sites[:, :1])
    precision[np.diag_indices_from(precision)] += 1.0
    try:
        factor = cholesky(precision, lower=False, check_finite=False)
    except LinAlgError:
        return np.nan
    upper, _ = dpotri(factor)
    covariance[:] = np.triu(upper) + np.triu(upper, 1).T
    mean[:] = covariance @ (sites[:, 1] @ cuts)
    return float(np.log(factor.diagonal()).sum())


def refresh_gram_by_blas(
    gram: np.ndarray, sites: np.ndarray, mean: np.ndarray, covariance: np.ndarray
) -> float:
    """The same as `refresh_gram` of the compiled loops."""
    roots = np.sqrt(sites[:, 0])
    inner = gram * roots * roots[:, None]
    inner[np.diag_indices_from(inner)] += 1.0
    factor = cholesky(inner, lower=False, check_finite=False)
    rows = gram * roots[:, None]
    covariance[:] = gram - rows.T @ cho_solve((factor, False), rows, check_finite=False)
    mean[:] = covariance @ sites[:, 1]
    return float(np.log(factor.diagonal()).sum())
