"""Compiled sweeps of :mod:`uneven_published.sen.majorisation`.

Each of them has a slow NumPy twin in the tests.

Rows are sorted by class, so that the rows of class k are ``bounds[k]`` to ``bounds[k + 1]``. While
the weights of one class move, the other wrong classes of a row stand still: their log-sum-exp is
computed once per class, and the soft maximum of a row is then one exponential and one logarithm,
without subtracting anything. What a coordinate needs of the rows is kept until a weight changes, so
that weights that stay (at zero, mostly) cost two dot products.

``columns`` has shape (n_classes, n_members, n_samples), ``scores`` (n_classes, n_samples), ``coef``
(n_members, n_classes).
"""

from __future__ import annotations

import numpy as np
from numba import njit

L2, L1, GROUP = 0, 1, 2


@njit(cache=True, nogil=True, error_model="numpy", fastmath={"reassoc", "contract"})
def _moments(pull, bend, column):
    """Sums of pull * column and of bend * column ** 2."""
    first = 0.0
    second = 0.0
    for i in range(len(column)):
        first += pull[i] * column[i]
        second += bend[i] * column[i] * column[i]
    return first, second


@njit(cache=True, nogil=True, error_model="numpy")
def soft_threshold(value, width):
    """The value, moved towards 0 by the width."""
    if value > width:
        return value - width
    if value < -width:
        return value + width
    return 0.0 if value == value else value


@njit(cache=True, nogil=True, error_model="numpy")
def _log_rest(scores, bounds, n, temperature, rest):
    """Log-sum-exp of the scores of a row over the classes other than its own and ``n``."""
    n_classes = scores.shape[0]
    for k in range(n_classes):
        for i in range(bounds[k], bounds[k + 1]):
            top = -np.inf
            for c in range(n_classes):
                if c not in (k, n):
                    top = max(top, temperature * scores[c, i])
            total = 0.0
            for c in range(n_classes):
                if c not in (k, n):
                    total += np.exp(temperature * scores[c, i] - top)
            rest[i] = -np.inf if total == 0.0 else top + np.log(total)


@njit(cache=True, nogil=True, error_model="numpy")
def _soft_weight(score, rest):
    """Weight of one score in a soft maximum, and that maximum."""
    lead = score - rest
    if lead >= 0.0:
        small = np.exp(-lead)
        return 1.0 / (1.0 + small), score + np.log1p(small)
    small = np.exp(lead)
    return small / (1.0 + small), rest + np.log1p(small)


@njit(cache=True, nogil=True, error_model="numpy")
def _refresh_paper(scores, bounds, n, temperature, share, rest, frozen, guards, pull, bend):
    """First and second derivative of the majoriser in the score of class ``n``, per row."""
    slope, curve, margin = frozen
    for k in range(scores.shape[0]):
        for i in range(bounds[k], bounds[k + 1]):
            if k == n:
                z = scores[n, i] - rest[i] / temperature
                pull[i] = share[i] * (slope[i] + curve[i] * (z - margin[i]))
                bend[i] = share[i] * curve[i]
            else:
                p, top = _soft_weight(temperature * scores[n, i], rest[i])
                e = slope[i] + curve[i] * (scores[k, i] - top / temperature - margin[i])
                fall = max(0.0, -e) if guards else -e
                pull[i] = -share[i] * e * p
                bend[i] = share[i] * (curve[i] * p * p + temperature * fall * p * (1.0 - p))


@njit(cache=True, nogil=True, error_model="numpy")
def _paper_step(first, second, old, others, rules):
    """New weight of one coordinate, from the derivatives of the majoriser of the loss."""
    penalty, strength, threshold, optimal, guards, floor, cap = rules
    shrinks = penalty == L1 or (penalty == GROUP and others <= threshold)
    if penalty == L2:
        first += 2.0 * strength * old
        second += 2.0 * strength
    elif not shrinks:
        length = np.sqrt(others + old * old)
        first += strength * old / length
        second += strength / (length if optimal else np.sqrt(others))
    if guards and second <= floor:
        return old
    new = old - first / second
    if shrinks:
        new = soft_threshold(new, strength / second)
    if guards:
        new = old + min(max(new - old, -cap), cap)
    return new


@njit(cache=True, nogil=True, error_model="numpy")
def paper_sweep(columns, bounds, share, scores, coef, frozen, order, temperature, rules):
    """One sweep over all weights, in place: a Newton step on the majoriser for each.

    Parameters
    ----------
    columns : (N, M, I)
    bounds : (N + 1,)
    share : (I,)
    scores : (N, I), in and out
    coef : (M, N), in and out
    frozen : tuple of three (I,)
        Slope and curvature of the loss and margin of each row at the beginning of the sweep.
    order : tuple of (N,) classes and (N, M) members for each class
    temperature : float
    rules : tuple
        Penalty, strength, threshold, whether the curvature of the penalty is the optimal one,
        whether there are guards, least second derivative, longest step.
    """
    classes, members = order
    rest = np.empty(len(share))
    pull = np.empty(len(share))
    bend = np.empty(len(share))
    for n in classes:
        _log_rest(scores, bounds, n, temperature, rest)
        stale = True
        for m in members[n]:
            if stale:
                _refresh_paper(
                    scores, bounds, n, temperature, share, rest, frozen, rules[4], pull, bend
                )
            first, second = _moments(pull, bend, columns[n, m])
            others = 0.0
            for c in range(len(classes)):
                if c != n:
                    others += coef[m, c] * coef[m, c]
            old = coef[m, n]
            coef[m, n] = _paper_step(first, second, old, others, rules)
            change = coef[m, n] - old
            stale = change != 0.0
            if stale:
                scores[n] += change * columns[n, m]


@njit(cache=True, nogil=True, error_model="numpy")
def _slope(z, tau):
    """Derivative of the rounded hinge."""
    return min(0.0, max(-1.0, (z - 1.0 - tau) / (2.0 * tau)))


@njit(cache=True, nogil=True, error_model="numpy")
def _refresh_safe(scores, bounds, n, hinge, share, rest, pull):
    """Derivative of the loss in the score of class ``n``, per row."""
    tau, temperature = hinge
    for k in range(scores.shape[0]):
        for i in range(bounds[k], bounds[k + 1]):
            if k == n:
                pull[i] = share[i] * _slope(scores[n, i] - rest[i] / temperature, tau)
            else:
                p, top = _soft_weight(temperature * scores[n, i], rest[i])
                pull[i] = -share[i] * p * _slope(scores[k, i] - top / temperature, tau)


@njit(cache=True, nogil=True, error_model="numpy")
def safe_sweep(columns, bounds, share, scores, coef, curvature, order, hinge, rules):
    """One sweep over all weights, in place, that cannot raise the objective (l1 and squared l2).

    Parameters
    ----------
    columns, bounds, share, scores, coef, order
        As in :func:`paper_sweep`.
    curvature : (M, N)
        Bound on the second derivative in each weight; weights where it is 0 stay as they are.
    hinge : tuple of tau and temperature
    rules : tuple of penalty and strength
    """
    penalty, strength = rules
    classes, members = order
    rest = np.empty(len(share))
    pull = np.empty(len(share))
    for n in classes:
        _log_rest(scores, bounds, n, hinge[1], rest)
        stale = True
        for m in members[n]:
            bound = curvature[m, n]
            if bound == 0.0:
                continue
            if stale:
                _refresh_safe(scores, bounds, n, hinge, share, rest, pull)
            gradient = _moments(pull, pull, columns[n, m])[0]
            old = coef[m, n]
            if penalty == L2:
                new = (bound * old - gradient) / (bound + 2.0 * strength)
            else:
                new = soft_threshold(old - gradient / bound, strength / bound)
            coef[m, n] = new
            stale = new != old
            if stale:
                scores[n] += (new - old) * columns[n, m]


@njit(cache=True, nogil=True, error_model="numpy")
def _refresh_rows(scores, bounds, hinge, share, pull):
    """Derivative of the loss in all scores of all rows, shape (N, I)."""
    tau, temperature = hinge
    n_classes = scores.shape[0]
    for k in range(n_classes):
        for i in range(bounds[k], bounds[k + 1]):
            top = -np.inf
            for c in range(n_classes):
                if c != k:
                    top = max(top, temperature * scores[c, i])
            total = 0.0
            for c in range(n_classes):
                if c != k:
                    pull[c, i] = np.exp(temperature * scores[c, i] - top)
                    total += pull[c, i]
            slope = _slope(scores[k, i] - (top + np.log(total)) / temperature, tau)
            for c in range(n_classes):
                pull[c, i] *= -share[i] * slope / total
            pull[k, i] = share[i] * slope


@njit(cache=True, nogil=True, error_model="numpy")
def safe_group_sweep(columns, bounds, share, scores, coef, curvature, members, hinge, strength):
    """One sweep over the members, in place, that cannot raise the objective (group penalty).

    Parameters
    ----------
    columns, bounds, share, scores, coef
        As in :func:`paper_sweep`.
    curvature : (M,)
        Bound on the second derivative along any direction of a member's weights; members where it
        is 0 stay as they are.
    members : (M,)
    hinge : tuple of tau and temperature
    strength : float
    """
    n_classes = scores.shape[0]
    pull = np.zeros(scores.shape)
    row = np.empty(n_classes)
    stale = True
    for m in members:
        bound = curvature[m]
        if bound == 0.0:
            continue
        if stale:
            _refresh_rows(scores, bounds, hinge, share, pull)
        length = 0.0
        for n in range(n_classes):
            row[n] = coef[m, n] - _moments(pull[n], pull[n], columns[n, m])[0] / bound
            length += row[n] * row[n]
        length = np.sqrt(length)
        keep = 1.0 - strength / (bound * length) if length * bound > strength else 0.0
        stale = False
        for n in range(n_classes):
            change = keep * row[n] - coef[m, n]
            coef[m, n] = keep * row[n]
            if change != 0.0:
                scores[n] += change * columns[n, m]
                stale = True
