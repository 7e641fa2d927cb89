"""Slow, obvious twins of the compiled loops of score trees."""

import heapq

import numpy as np


def histogram(codes, rows, values, n_bins):
    """Summed gradients (n_bins, lanes) of the bins of one column (n,)."""
    sums = np.zeros((n_bins, values.shape[1]), dtype=np.int64)
    for i in rows:
        sums[codes[i]] += values[i]
    return sums


def squared_length(sums):
    """Of all lanes but the last, in 32 bits, halves added to each other."""
    parts = np.float32(sums) * np.float32([1.0] * (len(sums) - 1) + [0.0])
    parts = parts * parts
    while len(parts) > 1:
        half = len(parts) // 2
        parts = parts[:half] + parts[half:]
    return float(parts[0])


def gain(left, total, rule):
    unit, curvature_unit, l2, min_weight = rule
    right = total - left
    weight, rest = float(left[-1]) * curvature_unit, float(right[-1]) * curvature_unit
    if weight < min_weight or rest < min_weight or (weight + l2) * (rest + l2) == 0.0:
        return -1.0
    near, far = squared_length(left), squared_length(right)
    weight, rest = weight + l2, rest + l2
    return (near * rest + far * weight) * (unit * unit) / (weight * rest)


def best_cut(bins, n_bins, rule):
    """(gain, cut, missing_left) of a column of numbers; a last bin holds missing values."""
    total = bins.sum(axis=0)
    has_missing = len(bins) > n_bins and bins[n_bins, -1] != 0
    best = (-1.0, -1, False)
    for cut in range(n_bins):
        left = bins[: cut + 1].sum(axis=0)
        if bins[cut, -1] == 0 or left[-1] == total[-1]:
            continue
        for missing_left in (False, True)[: 1 + has_missing]:
            side = left + bins[n_bins] if missing_left else left
            value = gain(side, total, rule)
            if value > best[0]:
                best = (value, cut, missing_left)
    return best


def best_set(bins, rule):
    """Largest gain of any division of the bins into two sets."""
    used = np.flatnonzero(bins[:, -1])
    total = bins.sum(axis=0)
    best = -1.0
    for number in range(1, 2 ** max(len(used) - 1, 0)):
        inside = used[[(number >> k) & 1 == 1 for k in range(len(used))]]
        best = max(best, gain(bins[inside].sum(axis=0), total, rule))
    return best


def leading_places(class_mass, n_directions):
    """Places of categories along the main axes of their class shares, (n_directions, n)."""
    mass = class_mass.sum(axis=1)
    prior = class_mass.sum(axis=0) / mass.sum()
    lift = (class_mass + 20.0 * prior) / (mass[:, None] + 20.0) / prior
    shares = lift / lift.sum(axis=1, keepdims=True)
    centred = shares - np.average(shares, axis=0, weights=mass)
    axes = np.linalg.eigh(centred.T @ (mass[:, None] * centred))[1]
    return (centred @ axes[:, ::-1][:, :n_directions]).T


def sides(bins, n_bins, is_category, order, cut, missing_left):
    """Which of 256 codes go left: a cut or a set; what was not seen follows most of the weight."""
    goes_left = np.zeros(256, dtype=bool)
    goes_left[order[: cut + 1] if is_category else slice(cut + 1)] = True
    if len(bins) > n_bins and bins[n_bins, -1]:
        if not is_category:
            goes_left[n_bins] = missing_left
    else:
        left = bins[:n_bins, -1][goes_left[:n_bins]].sum()
        goes_left[n_bins:] = 2 * left >= bins[:, -1].sum()
    return goes_left


def leaf_of_rows(table, columns, rows, values, rule, max_leaves, max_depth):
    """Leaf sets of a tree of numbers, grown best first, as frozen sets of rows.

    ``table`` (n, d) holds codes; ``columns`` are pairs (bins of numbers, whether another bin of
    missing values follows).
    """

    def split_of(own):
        best = (-1.0, 0, None)
        for c, (n_bins, has_missing) in enumerate(columns):
            bins = histogram(table[:, c], own, values, n_bins + has_missing)
            value, cut, missing_left = best_cut(bins, n_bins, rule)
            if value > best[0]:
                left = [i for i in own if (table[i, c] <= cut if table[i, c] < n_bins
                                           else missing_left)]  # fmt: skip
                best = (value, c, left)
        total = values[own].sum(axis=0, dtype=np.int64).astype(float)
        unsplit = (total[:-1] ** 2).sum() * rule[0] ** 2 / (total[-1] * rule[1] + rule[2] + 1e-300)
        return best[0] - unsplit, unsplit, best[2]

    numbers = iter(range(10**6))
    done, turns = [], []

    def offer(own, depth):
        above, unsplit, left = split_of(own) if depth < max_depth else (0.0, 0.0, None)
        if left is not None and above > 1e-6 * unsplit:
            heapq.heappush(turns, (-above, next(numbers), own, left, depth))
        else:
            done.append(own)

    offer(list(rows), 0)
    while turns and len(done) + len(turns) < max_leaves:
        _, _, own, left, depth = heapq.heappop(turns)
        inside = set(left)
        offer(left, depth + 1)
        offer([i for i in own if i not in inside], depth + 1)
    return {frozenset(own) for own in done} | {frozenset(turn[2]) for turn in turns}
