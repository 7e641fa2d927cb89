"""Slow and obvious twins of the compiled loops."""

import numpy as np
from scipy.special import logsumexp


def rounded_hinge(z, tau):
    if z <= 1 - tau:
        return 1 - z
    return (z - 1 - tau) ** 2 / (4 * tau) if z <= 1 + tau else 0.0


def rounded_slope(z, tau):
    if z <= 1 - tau:
        return -1.0
    return (z - 1 - tau) / (2 * tau) if z <= 1 + tau else 0.0


def class_scores(P, coef):
    return np.array([[P[i, :, n] @ coef[:, n] for n in range(P.shape[2])] for i in range(len(P))])


def soft_margins(P, y, coef, kappa):
    """Margins, and the weights of the wrong classes in the soft maximum."""
    scores = kappa * class_scores(P, coef)
    margins, weights = np.empty(len(y)), np.zeros(scores.shape)
    for i, label in enumerate(y):
        wrong = [n for n in range(scores.shape[1]) if n != label]
        top = logsumexp(scores[i, wrong])
        margins[i] = (scores[i, label] - top) / kappa
        weights[i, wrong] = np.exp(scores[i, wrong] - top)
    return margins, weights


def majorising_sweep(P, y, coef, penalty, strength, *, share, optimal, threshold, order, hinge):
    """Published sweep, everything recomputed for every weight."""
    tau, kappa = hinge
    coef = coef.copy()
    margins = soft_margins(P, y, coef, kappa)[0]
    slopes = np.array([rounded_slope(z, tau) for z in margins])
    widths = np.maximum(np.abs(margins - 1), tau) if optimal else np.full(len(y), tau)
    curves = 1 / (2 * widths)
    for n in order[0]:
        for m in order[1][n]:
            z, p = soft_margins(P, y, coef, kappa)
            e = slopes + curves * (z - margins)
            f, p, own = P[:, m, n], p[:, n], y == n
            first = np.where(own, e * f, -e * p * f) @ share
            spread = kappa * np.maximum(0, -e) * p * (1 - p)
            second = np.where(own, curves, curves * p**2 + spread) @ (share * f**2)
            others = (coef[m] ** 2).sum() - coef[m, n] ** 2
            old, length = coef[m, n], np.sqrt((coef[m] ** 2).sum())
            shrinks = penalty == "l1" or (penalty == "group" and others <= threshold)
            if penalty == "l2":
                first, second = first + 2 * strength * old, second + 2 * strength
            elif not shrinks:
                second += strength / (length if optimal else np.sqrt(others))
                first += strength * old / length
            new = old - first / second
            if shrinks:
                new = np.sign(new) * max(abs(new) - strength / second, 0)
            coef[m, n] = new
    return coef


def loss_gradient(P, y, coef, share, hinge):
    """Gradient of the smoothed loss in the weights, shape (n_members, n_classes)."""
    z, p = soft_margins(P, y, coef, hinge[1])
    away = -p
    away[np.arange(len(y)), y] = 1.0
    slopes = np.array([rounded_slope(value, hinge[0]) for value in z])
    return np.einsum("imn,in,i->mn", P, away, share * slopes)


def descending_sweep(P, y, coef, penalty, strength, *, share, order, hinge):
    """Sweep that cannot rise, everything recomputed for every weight (or row of weights)."""
    tau, kappa = hinge
    coef = coef.copy()
    corner = 1 / (2 * tau)
    largest = max(corner * p**2 + kappa * p * (1 - p) for p in np.linspace(0, 1, 100001))
    if penalty == "group":
        for m in order[1][0]:
            own = P[np.arange(len(y)), m, y] ** 2
            wrong = np.array([max(np.delete(P[i, m], y[i]) ** 2) for i in range(len(y))])
            bound = share @ ((own + wrong) * corner + kappa * wrong / 2)
            row = coef[m] - loss_gradient(P, y, coef, share, hinge)[m] / bound
            length = np.linalg.norm(row)
            coef[m] = row * max(1 - strength / (bound * length), 0)
        return coef
    for n in order[0]:
        for m in order[1][n]:
            bound = largest * (share @ P[:, m, n] ** 2)
            gradient = loss_gradient(P, y, coef, share, hinge)[m, n]
            if penalty == "l2":
                coef[m, n] = (bound * coef[m, n] - gradient) / (bound + 2 * strength)
            else:
                new = coef[m, n] - gradient / bound
                coef[m, n] = np.sign(new) * max(abs(new) - strength / bound, 0)
    return coef
