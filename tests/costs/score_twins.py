"""Slow, obvious twins of the compiled loops over rows whose scores are kept as probabilities."""

import numpy as np

WORD = 2**64 - 1


def mix(key):
    z = (key + 0x9E3779B97F4A7C15) & WORD
    z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & WORD
    z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & WORD
    return z ^ (z >> 31)


def uniform(bits):
    return (bits >> 11) / 2**53


def pairs_of_rows(P, model, loss):
    """Cost (n, K, K) of answering the column where the row is true, for each example."""
    P = P.astype(np.float64)
    n, n_classes = P.shape
    prices = model.class_cost if model.class_cost.size else np.ones((n_classes, n_classes))
    pairs = np.zeros((n, n_classes, n_classes))
    for i in range(n):
        for a in range(n_classes):
            weight = model.weight[i] * (a == model.y[i])
            if model.chances.size:
                weight = model.weight[i] * model.class_weight[a] * belief(P[i], i, model, loss)[a]
            odds = prices[a] * P[i] / P[i, a]
            odds[a] = 0.0
            pairs[i, a] = weight * (odds if loss == "exponential" else odds / (1.0 + odds.sum()))
    return pairs


def belief(p, i, model, loss):
    """Chance of each class of a row with noisy label, given its probabilities."""
    known = model.chances[model.y[i]] / model.class_weight * p ** (1 if loss == "log" else 2)
    return known / known.sum()


def log_loss(P, model):
    """The loss whose gradient the costs of the log-loss are, if no belief changes."""
    P = P.astype(np.float64)
    total = 0.0
    for i, p in enumerate(P):
        if model.chances.size:
            true = p / model.class_weight
            likelihood = (model.chances[model.y[i]] * true).sum() / true.sum()
            heavy = (belief(p, i, model, "log") * model.class_weight).sum()
            total -= model.weight[i] * heavy * np.log(likelihood)
            continue
        odds = np.delete(p / p[model.y[i]], model.y[i])
        if model.class_cost.size:
            odds = odds * np.delete(model.class_cost[model.y[i]], model.y[i])
        total += model.weight[i] * np.log1p(odds.sum())
    return total


def drawn_rows(stakes, keys, seed, threshold):
    rows = []
    for i, stake in enumerate(stakes.astype(np.float64)):
        lot = uniform(mix(int(keys[i]) ^ mix(seed)))
        if stake > 0.0 and (stake >= threshold or lot * threshold < stake):
            rows.append(i)
    return rows


def running_axes(n_classes):
    """Axis ``k`` is ``(1, ..., 1, -k, 0, ..., 0)``, shape (n_classes, n_classes - 1)."""
    axes = np.triu(np.ones((n_classes, n_classes - 1)))
    for k in range(1, n_classes):
        axes[k, k - 1] = -k
    return axes


def gradient_values(pairs, stakes, keys, draw, projection, scales, lanes):
    """What is to be rounded down (n, lanes), chance included; the last lane is the curvature."""
    seed, threshold = draw
    n, n_classes = pairs.shape[:2]
    n_axes = projection.shape[1]
    found = np.zeros((n, lanes))
    for i in range(n):
        heavier = max(threshold / float(stakes[i]), 1.0)
        gradient = heavier * (pairs[i].sum(axis=0) - pairs[i].sum(axis=1))
        bits = mix(int(keys[i]) ^ mix(seed + 1))
        for axis in range(n_axes):
            bits = (bits * 6364136223846793005 + 1442695040888963407) & WORD
            found[i, axis] = gradient @ projection[:, axis] * scales[0] + uniform(bits)
        bits = (bits * 6364136223846793005 + 1442695040888963407) & WORD
        curvature = 2.0 * heavier * float(stakes[i]) / n_classes
        found[i, lanes - 1] = max(curvature * scales[1] + uniform(bits), 1.0)
    return found


def moved(P, leaf_of, scores, share=None):
    """Softmax after leaf scores are added, floored."""
    log_odds = np.log(P.astype(np.float64))
    for i, leaf in enumerate(leaf_of):
        if leaf >= 0:
            log_odds[i] += scores[leaf] * (1.0 if share is None else share[i])
    log_odds -= log_odds.max(axis=1, keepdims=True)
    softmax = np.exp(log_odds) / np.exp(log_odds).sum(axis=1, keepdims=True)
    return np.maximum(softmax, 1e-30)
