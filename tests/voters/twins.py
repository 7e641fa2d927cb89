"""Slow, obvious twins of the compiled tree kernels."""

import numpy as np

MISSING = 255


def codes_of(X, thresholds):
    codes = np.empty(X.T.shape, dtype=np.uint8)
    for f in range(X.shape[1]):
        for i in range(X.shape[0]):
            x = X[i, f]
            codes[f, i] = MISSING if np.isnan(x) else int((thresholds[f] < x).sum())
    return codes


def split_value(left, right, n_classes, criterion):
    """Price of a split of the rows ``left`` from the rows ``right`` (matrices with a mass lane)."""
    value = 0.0
    for rows in (left, right):
        sums = rows.sum(axis=0)
        if criterion == "cost":
            value += sums[:n_classes].min()
        elif sums[n_classes] > 0:
            value -= (sums[:n_classes] ** 2).sum() / sums[n_classes]
    return value


def best_split(codes, matrix, n_bins, n_classes, criterion, tie):
    """(value, cut, missing_left) of one column, trying every cut and both sides of NaN."""
    best = (np.inf, -1, False)
    missing = codes == MISSING
    for cut in range(n_bins):
        for missing_left in (False, True):
            goes_left = (codes <= cut) & ~missing | (missing & missing_left)
            if (missing_left and not missing.any()) or not (codes == cut).any():
                continue
            if goes_left.all() or not goes_left.any():
                continue
            value = split_value(matrix[goes_left], matrix[~goes_left], n_classes, criterion)
            slack = tie if criterion == "cost" else tie * abs(value)
            if best[1] < 0 or value < best[0] - slack:
                best = (value, cut, missing_left)
    return best


def cheapest_stump_cost(X, costs):
    """Least summed cost over all constants and all splits of all columns at any value."""
    best = costs.sum(axis=0).min()
    for f in range(X.shape[1]):
        for threshold in np.unique(X[:, f][~np.isnan(X[:, f])]):
            for missing_left in (False, True):
                left = (X[:, f] <= threshold) | (np.isnan(X[:, f]) & missing_left)
                price = costs[left].sum(axis=0).min() + costs[~left].sum(axis=0).min()
                best = min(best, price)
    return best


def tree_answers(tree, X):
    """Follow every row through a tree, one node at a time."""
    answers = []
    for x in X:
        node = 0
        while tree.child[node] != node:
            value = x[tree.feature[node]]
            left = tree.missing_left[node] if np.isnan(value) else value <= tree.threshold[node]
            node = tree.child[node] if left else tree.child[node] + 1
        answers.append(tree.label[node])
    return np.array(answers)
