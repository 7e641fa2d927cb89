"""Compiled loops over rows whose class scores are kept as probabilities.

The state of a row is ``P``, the softmax of its scores. A leaf adds scores to all its rows, so ``P``
is multiplied by their exponentials and divided by its sum: no exponential per row. Sums over rows
are sums of whole numbers: their order does not matter. Each loop has a slow NumPy twin in the
tests.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from uneven.costs._portable import exp, log, log_in_place

FLOOR = np.float32(1e-30)
"""Probabilities stay above this."""

EXPONENTIAL, LOG = 0, 1
"""Losses."""

_SWEEPS = 100
_TILE = 64
_NEAR = 1e-6


@njit(cache=True, nogil=True, error_model="numpy")
def mix(key):
    """Scramble 64 bits; the same on every processor."""
    z = key + np.uint64(0x9E3779B97F4A7C15)
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return z ^ (z >> np.uint64(31))


@njit(cache=True, nogil=True, error_model="numpy")
def _uniform(bits):
    """A number in [0, 1) out of 64 bits."""
    return np.float64(bits >> np.uint64(11)) * (1.0 / 9007199254740992.0)


@njit(cache=True, nogil=True, error_model="numpy")
def pair_costs(i, rows, labels, pull, owed, paid):
    """Costs of one row, by class.

    Parameters
    ----------
    i : int
    rows : (P, y, weight), probabilities (n, K), label (n,) and weight (n,)
    labels : (chances, units, class_weight, class_cost, loss)
        With noise: chance of each label (signals, K) if a class is true, power-of-P prior of the
        classes (K,) and their weight (K,); else empty arrays. Costs (K, K) or an empty array.
    pull : (K,) output, weight over the probability mass it is shared by, for each possible class
    owed, paid : (K,) outputs: cost if the class is true and another is predicted, and the reverse

    Returns
    -------
    float
        Sum of ``owed``.
    """
    P, y, weight = rows
    chances, units, class_weight, class_cost, loss = labels
    n_classes = P.shape[1]
    if chances.size:
        total = 0.0
        for k in range(n_classes):
            p = np.float64(P[i, k])
            known = chances[y[i], k] * units[k] * (p if loss == LOG else p * p)
            pull[k] = known
            total += known
        for k in range(n_classes):
            pull[k] *= weight[i] * class_weight[k] / total
    else:
        for k in range(n_classes):
            pull[k] = 0.0
        pull[y[i]] = weight[i]
    for k in range(n_classes):
        owed[k] = 0.0
        paid[k] = 0.0
    stake = 0.0
    for a in range(n_classes):
        if pull[a] == 0.0:
            continue
        others = 0.0
        for k in range(n_classes):
            if k != a:
                price = class_cost[a, k] if class_cost.size else 1.0
                others += price * np.float64(P[i, k])
        own = np.float64(P[i, a])
        pull[a] /= own if loss == EXPONENTIAL else own + others
        owed[a] = pull[a] * others
        stake += owed[a]
        for k in range(n_classes):
            if k != a:
                price = class_cost[a, k] if class_cost.size else 1.0
                paid[k] += pull[a] * price * np.float64(P[i, k])
    return stake


@njit(cache=True, nogil=True, error_model="numpy")
def row_stakes(rows, labels, stakes, start, stop):
    """Whole cost of rows ``start`` to ``stop``; see ``pair_costs``. ``stakes`` (n,) is output."""
    P, y, weight = rows
    loss = labels[4]
    n_classes = P.shape[1]
    if not labels[0].size and not labels[3].size:
        for i in range(start, stop):
            own = np.float64(P[i, y[i]])
            others = 0.0
            for k in range(n_classes):
                others += np.float64(P[i, k]) * np.float64(k != y[i])
            stakes[i] = weight[i] * others / (own if loss == EXPONENTIAL else own + others)
        return
    pull, owed, paid = np.empty((3, n_classes))
    for i in range(start, stop):
        stakes[i] = pair_costs(i, rows, labels, pull, owed, paid)


@njit(cache=True, nogil=True, error_model="numpy")
def sum_stakes(stakes, scale, start, stop):
    """Sum of the stakes of rows ``start`` to ``stop`` in whole numbers of ``1 / scale``."""
    total = np.int64(0)
    for i in range(start, stop):
        total += np.int64(np.float64(stakes[i]) * scale)
    return total


@njit(cache=True, nogil=True, error_model="numpy")
def draw_rows(stakes, keys, seed, threshold, drawn, start, stop):
    """Draw some of the rows ``start`` to ``stop`` with a probability that grows with their stake.

    A row whose stake is above the threshold is always drawn, another with probability
    ``stake / threshold``, by bits that depend on its key and the seed alone.

    Parameters
    ----------
    stakes : (n,)
    keys : (n,) uint64
    seed : int
    threshold : float, 0 draws every row that has a stake
    drawn : (n,) int32 output, written from position ``start`` on

    Returns
    -------
    int
        How many were drawn.
    """
    size = start
    for i in range(start, stop):
        stake = np.float64(stakes[i])
        if stake <= 0.0:
            continue
        if stake < threshold:
            bits = mix(keys[i] ^ mix(np.uint64(seed)))
            if _uniform(bits) * threshold >= stake:
                continue
        drawn[size] = i
        size += 1
    return size - start


@njit(cache=True, nogil=True, error_model="numpy")
def weigh_drawn(stakes, drawn, threshold, scale, start, stop):
    """What the drawn rows ``start`` to ``stop`` weigh: at least the threshold each.

    Parameters
    ----------
    stakes : (n,) float32
    drawn : (m,) rows
    threshold : float32
    scale : float, whole numbers per unit

    Returns
    -------
    total, highest, lowest
        Sum in whole numbers, largest weight, and smallest stake.
    """
    total, highest, lowest = np.int64(0), np.float32(0.0), np.float32(np.inf)
    for r in range(start, stop):
        stake = stakes[drawn[r]]
        weight = max(stake, threshold)
        highest = max(highest, weight)
        lowest = min(lowest, stake)
        total += np.int64(np.float64(weight) * scale)
    return total, np.float64(highest), np.float64(lowest)


@njit(cache=True, nogil=True, error_model="numpy")
def fill_gradients(
    rows, labels, drawn, stakes, keys, draw, projection, scales, values, start, stop
):
    """Gradients of the drawn rows ``start`` to ``stop`` in whole numbers.

    A number is rounded up or down by chance, so that sums are right on average; the bits depend on
    the key of the row, the seed and the lane alone.

    Parameters
    ----------
    rows, labels : as in ``pair_costs``
    drawn : (m,) rows
    stakes, keys : (n,)
    draw : (seed, threshold), as in ``draw_rows``
    projection : (K, lanes - 1) axes on which gradients are seen; or (1, K - 1), lengths of the
        orthogonal axes ``(1, ..., 1, -k, 0, ..., 0)``, whose projections are running sums
    scales : (gradient, curvature) whole numbers per unit
    values : (m, lanes) int16 output; or (n, lanes), then those of row i stand at i
    """
    P, y, weight = rows
    loss = labels[4]
    seed, threshold = draw
    n_classes, n_axes = P.shape[1], projection.shape[1]
    lanes = values.shape[1]
    simple = not labels[0].size and not labels[3].size
    in_place = values.shape[0] == P.shape[0]
    pull, owed, paid = np.empty((3, n_classes))
    gradient = np.empty(n_classes)
    seen = np.empty(n_axes)
    for r in range(start, stop):
        i = drawn[r]
        stake = np.float64(stakes[i])
        heavier = threshold / stake if stake < threshold else 1.0
        if simple:
            own = np.float64(P[i, y[i]])
            share = heavier * weight[i] / (own if loss == EXPONENTIAL else 1.0)
            for k in range(n_classes):
                gradient[k] = share * np.float64(P[i, k])
            gradient[y[i]] = -heavier * stake
        else:
            pair_costs(i, rows, labels, pull, owed, paid)
            for k in range(n_classes):
                gradient[k] = heavier * (paid[k] - owed[k])
        if projection.shape[0] == 1:
            running = gradient[0]
            for axis in range(n_axes):
                seen[axis] = (running - (axis + 1) * gradient[axis + 1]) * projection[0, axis]
                running += gradient[axis + 1]
        else:
            seen[:] = 0.0
            for k in range(n_classes):
                for axis in range(n_axes):
                    seen[axis] += gradient[k] * projection[k, axis]
        bits = mix(keys[i] ^ mix(np.uint64(seed) + np.uint64(1)))
        place = i if in_place else r
        for axis in range(n_axes):
            bits = bits * np.uint64(6364136223846793005) + np.uint64(1442695040888963407)
            values[place, axis] = np.int16(np.floor(seen[axis] * scales[0] + _uniform(bits)))
        for lane in range(n_axes, lanes):
            values[place, lane] = 0
        bits = bits * np.uint64(6364136223846793005) + np.uint64(1442695040888963407)
        curvature = np.floor(2.0 * heavier * stake / n_classes * scales[1] + _uniform(bits))
        values[place, lanes - 1] = np.int16(max(1.0, curvature))


@njit(cache=True, nogil=True, error_model="numpy")
def sum_leaves(rows, labels, leaf_of, scale, owed_sums, paid_sums, curvature, start, stop):
    """Costs of each leaf by class in whole numbers, of rows ``start`` to ``stop``.

    Parameters
    ----------
    rows, labels : as in ``pair_costs``
    leaf_of : (n,) leaf of each row, -1 for none
    scale : float, whole numbers per unit
    owed_sums, paid_sums : (L, K) int64, added to
    curvature : (L, K) int64, added to: of the log-loss, or ``owed + paid``
    """
    P, y, weight = rows
    loss = labels[4]
    n_classes = P.shape[1]
    simple = not labels[0].size and not labels[3].size
    pull, owed, paid = np.empty((3, n_classes))
    for i in range(start, stop):
        leaf = leaf_of[i]
        if leaf < 0:
            continue
        if simple and loss == LOG:
            label = y[i]
            pulled = weight[i] * scale
            others = 0.0
            for k in range(n_classes):
                p = np.float64(P[i, k])
                cost = pulled * p
                if k != label:
                    others += cost
                    paid_sums[leaf, k] += np.int64(cost)
                    curvature[leaf, k] += np.int64(cost * (1.0 - p))
            owed_sums[leaf, label] += np.int64(others)
            curvature[leaf, label] += np.int64(others * np.float64(P[i, label]))
            continue
        pair_costs(i, rows, labels, pull, owed, paid)
        for k in range(n_classes):
            p = np.float64(P[i, k])
            owed_sums[leaf, k] += np.int64(owed[k] * scale)
            paid_sums[leaf, k] += np.int64(paid[k] * scale)
            bent = paid[k] * (1.0 - p) + owed[k] * p if loss == LOG else paid[k] + owed[k]
            curvature[leaf, k] += np.int64(bent * scale)


@njit(cache=True, nogil=True, error_model="numpy")
def sum_leaf_pairs(rows, labels, leaf_of, scale, pairs, start, stop):
    """Cost matrix of each leaf in whole numbers, of rows ``start`` to ``stop``.

    Parameters
    ----------
    rows, labels, leaf_of, scale : as in ``sum_leaves``
    pairs : (L, K, K) int64, added to: cost of predicting the column where the row is true; the
        diagonal means nothing
    """
    P, y, weight = rows
    class_cost, loss = labels[3], labels[4]
    n_classes = P.shape[1]
    simple = not labels[0].size and not class_cost.size
    pull, owed, paid = np.empty((3, n_classes))
    for i in range(start, stop):
        leaf = leaf_of[i]
        if leaf < 0:
            continue
        if simple:
            label = y[i]
            pulled = weight[i] * scale
            pulled /= np.float64(P[i, label]) if loss == EXPONENTIAL else 1.0
            for k in range(n_classes):
                pairs[leaf, label, k] += np.int64(pulled * np.float64(P[i, k]))
            continue
        pair_costs(i, rows, labels, pull, owed, paid)
        for a in range(n_classes):
            if pull[a] != 0.0:
                for k in range(n_classes):
                    if k != a:
                        price = class_cost[a, k] if class_cost.size else 1.0
                        cost = pull[a] * price * np.float64(P[i, k])
                        pairs[leaf, a, k] += np.int64(cost * scale)


@njit(cache=True, nogil=True, error_model="numpy")
def move_rows(P, leaf_of, factors, start, stop):
    """Multiply the probabilities of rows by the factors of their leaf and divide by their sum.

    Parameters
    ----------
    P : (n, K) float32, updated in place
    leaf_of : (n,) leaf of each row, -1 for none
    factors : (L, K) float32, exponentials of the scores
    """
    n_classes = P.shape[1]
    for i in range(start, stop):
        leaf = leaf_of[i]
        if leaf < 0:
            continue
        total = np.float32(0.0)
        for k in range(n_classes):
            P[i, k] *= factors[leaf, k]
            total += P[i, k]
        inverse = np.float32(1.0) / total
        for k in range(n_classes):
            P[i, k] = max(P[i, k] * inverse, FLOOR)


@njit(cache=True, nogil=True, error_model="numpy")
def move_shares(P, leaf_of, scores, share, start, stop):
    """The same for rows that take a share of their leaf's scores (L, K) only."""
    n_classes = P.shape[1]
    for i in range(start, stop):
        leaf = leaf_of[i]
        if leaf < 0 or share[i] == 0.0:
            continue
        total = 0.0
        for k in range(n_classes):
            total += np.float64(P[i, k]) * exp(share[i] * scores[leaf, k])
        for k in range(n_classes):
            p = np.float64(P[i, k]) * exp(share[i] * scores[leaf, k]) / total
            P[i, k] = max(np.float32(p), FLOOR)


@njit(cache=True, nogil=True, error_model="numpy")
def _odds_against(i, rows, labels):
    """1 over the probability of what is seen of a row, and the weight of the row."""
    P, y, weight = rows
    chances, units, class_weight, class_cost = labels[:4]
    inside, outside, heavy = 0.0, 0.0, 1.0
    if chances.size:
        heavy = 0.0
        for k in range(P.shape[1]):
            known = np.float64(P[i, k]) * units[k]
            inside += chances[y[i], k] * known
            heavy += chances[y[i], k] * known * class_weight[k]
            outside += known
        return outside / inside, weight[i] * heavy / inside
    for k in range(P.shape[1]):
        price = class_cost[y[i], k] if class_cost.size else 1.0
        outside += price * np.float64(P[i, k]) if k != y[i] else 0.0
    return 1.0 + outside / np.float64(P[i, y[i]]), weight[i]


@njit(cache=True, nogil=True, error_model="numpy")
def sum_log_loss(rows, labels, scale, start, stop):
    """Log-loss of rows ``start`` to ``stop`` in whole numbers; costs and noise included."""
    P, y, weight = rows
    simple = not labels[0].size and not labels[3].size
    logs, weights = np.empty(_TILE), np.empty(_TILE)
    total = np.int64(0)
    for first in range(start, stop, _TILE):
        size = min(stop - first, _TILE)
        for k in range(size):
            i = first + k
            if simple:
                whole = 0.0
                for label in range(P.shape[1]):
                    whole += np.float64(P[i, label])
                logs[k] = whole / np.float64(P[i, y[i]])
                weights[k] = weight[i]
            else:
                logs[k], weights[k] = _odds_against(i, rows, labels)
        log_in_place(logs[:size])
        for k in range(size):
            total += np.int64(weights[k] * logs[k] * scale)
    return total


@njit(cache=True, nogil=True, error_model="numpy")
def sum_hits(leaf_of, spoken, y, mass, scale, hits, start, stop):
    """Mass of the rows of each leaf whose class is the one it supports, in whole numbers.

    Parameters
    ----------
    leaf_of : (n,) leaf of each row, -1 for none
    spoken : (L,) class of each leaf
    y, mass : (n,)
    scale : float, whole numbers per unit
    hits : (L,) int64, added to
    """
    for i in range(start, stop):
        leaf = leaf_of[i]
        if leaf >= 0:
            hits[leaf] += np.int64(mass[i] * scale) * np.int64(spoken[leaf] == y[i])


@njit(cache=True, nogil=True, error_model="numpy")
def count_stakes(stakes, counts, start, stop):
    """Count rows by the size of their stake, eight classes of size for each power of two.

    ``counts`` (2048,) int64 is added to; the class is the leading bits of a 32-bit number.
    """
    bits = stakes.view(np.uint32)
    for i in range(start, stop):
        counts[bits[i] >> np.uint32(20)] += 1


@njit(cache=True, nogil=True, error_model="numpy")
def balance(costs, spread, largest, steps):
    """Osborne's sweeps over the classes of each leaf; every step is an exact minimiser.

    Parameters
    ----------
    costs : (L, K, K)
    spread : (K, K) symmetric, added to every pair
    largest : float, bound of every step
    steps : (L, K) output, zero before
    """
    n_classes = costs.shape[1]
    pairs = np.empty((n_classes, n_classes))
    for leaf in range(costs.shape[0]):
        for a in range(n_classes):
            for b in range(n_classes):
                pairs[a, b] = 0.0 if a == b else costs[leaf, a, b] + spread[a, b]
        for _ in range(_SWEEPS):
            change = 0.0
            for k in range(n_classes):
                owed = pairs[k].sum()
                paid = pairs[:, k].sum()
                if not (owed > 0.0 or paid > 0.0):
                    continue
                step = largest if paid == 0.0 else -largest
                if owed > 0.0 and paid > 0.0:
                    step = steps[leaf, k] + 0.5 * log(owed / paid)
                step = min(max(step, -largest), largest)
                factor = exp(step - steps[leaf, k])
                steps[leaf, k] = step
                change = max(change, abs(factor - 1.0))
                for b in range(n_classes):
                    pairs[k, b] /= factor
                    pairs[b, k] *= factor
            if change < _NEAR:
                break
