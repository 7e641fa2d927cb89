"""Slow and obvious twins of the compiled loops."""

import numpy as np

from uneven.utils.simplex import project_on_simplex


def error_set(scores, truth):
    return np.array([r for r, s in enumerate(scores) if r != truth and s >= scores[truth]])


def step(name, scores, truth, errors, rng=None, squared_norm=1.0):
    tau = np.zeros(len(scores))
    lead = scores - scores[truth]
    if name == "mira":
        own = np.eye(len(scores))[truth]
        tau = own - project_on_simplex(scores / squared_norm + own)
        if tau[truth] > 1e-12:
            return tau
        tau = np.zeros(len(scores))
    tau[truth] = 1.0
    if name == "max":
        tau[errors[np.argmax(scores[errors])]] = -1.0
    elif name == "first":
        tau[errors[0]] = -1.0
    elif name == "random":
        tau[errors[int(rng.random() * len(errors))]] = -1.0
    elif name == "proportional" and lead[errors].sum() > 0:
        tau[errors] = -lead[errors] / lead[errors].sum()
    else:
        tau[errors] = -1.0 / len(errors)
    return tau


def learn(X, y, order, name, rng, weights):
    """One pass: mistaken rows, and the weights after each row shown."""
    mistakes, trail = [], []
    for i in order:
        scores = sum(x * row for x, row in zip(X[i], weights))
        errors = error_set(scores, y[i])
        if len(errors) and X[i].any():
            tau = step(name, scores, y[i], errors, rng, X[i] @ X[i])
            weights = weights + np.outer(X[i], tau)
            mistakes.append(i)
        trail.append(weights)
    return mistakes, trail


def learn_dual(gram, y, name, rng, coefficients):
    mistakes = []
    coefficients = coefficients.copy()
    for i in range(len(gram)):
        scores = gram[i] @ coefficients
        errors = error_set(scores, y[i])
        if len(errors) and gram[i, i]:
            coefficients[i] += step(name, scores, y[i], errors, rng, gram[i, i])
            mistakes.append(i)
    return mistakes, coefficients


def learn_binary(Z, order, w):
    mistakes = []
    for i in order:
        if Z[i].any() and Z[i] @ w <= 0:
            w = w + Z[i]
            mistakes.append(i)
    return mistakes, w
