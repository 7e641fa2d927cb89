"""Compiled loops: how much the leaf scores of several views count for one class."""

from __future__ import annotations

from numba import njit

from uneven.costs._portable import exp

_STEPS = 60
_CLOSE = 1e-12


@njit(cache=True, nogil=True, error_model="numpy")
def _slope(coefficient, owed, paid, scores):
    """Slope of ``sum (paid exp(2 b v) + owed exp(-2 b v)) / 2`` over the leaves, and its growth."""
    slope, growth = 0.0, 0.0
    for leaf in range(scores.shape[0]):
        score = scores[leaf]
        factor = exp(2.0 * coefficient * score)
        up, down = paid[leaf] * factor, owed[leaf] / factor
        slope += score * (up - down)
        growth += 2.0 * score * score * (up + down)
    return slope, growth


@njit(cache=True, nogil=True, error_model="numpy")
def _place_of(slope, owed, paid, scores):
    """Coefficient in [0, 1] at which the slope is reached: Newton's steps, halved if they leave."""
    low, high = 0.0, 1.0
    if slope <= _slope(low, owed, paid, scores)[0]:
        return low
    if slope >= _slope(high, owed, paid, scores)[0]:
        return high
    place = 0.5
    for _ in range(_STEPS):
        here, growth = _slope(place, owed, paid, scores)
        if here < slope:
            low = place
        else:
            high = place
        moved = place - (here - slope) / growth if growth > 0.0 else low
        if not low < moved < high:
            moved = 0.5 * (low + high)
        if abs(moved - place) < _CLOSE:
            break
        place = moved
    return low


@njit(cache=True, nogil=True, error_model="numpy")
def _places(slope, owed, paid, scores, out):
    """Fill ``out`` with the coefficients of all views at one slope; return their sum."""
    total = 0.0
    for j in range(out.shape[0]):
        out[j] = _place_of(slope, owed[j], paid[j], scores[j])
        total += out[j]
    return total


@njit(cache=True, nogil=True, error_model="numpy")
def solve_leaf_class(owed, paid, scores, out):
    """Coefficients of the views for one class: all slopes equal, 0 or found by bisection.

    Parameters
    ----------
    owed, paid, scores : (v, n_leaves), leaves that a view lacks cost nothing
    out : (v,) output; they add up to at most 1
    """
    if _places(0.0, owed, paid, scores, out) <= 1.0:
        return
    low, high = 0.0, 0.0
    for j in range(out.shape[0]):
        low = min(low, _slope(0.0, owed[j], paid[j], scores[j])[0])
    for _ in range(_STEPS):
        middle = 0.5 * (low + high)
        if _places(middle, owed, paid, scores, out) <= 1.0:
            low = middle
        else:
            high = middle
    _places(low, owed, paid, scores, out)
