"""Random rows, class vectors and noise for the tests of UMA."""

import numpy as np

from uneven.noise import UMAClassifier, corrupt_labels, update_vectors


def unit_rows(n, d, rng):
    X = rng.standard_normal((n, d))
    return X / np.linalg.norm(X, axis=1, keepdims=True)


def diagonal_noise(n_classes, rng, kept=0.6):
    matrix = kept * np.eye(n_classes) + (1 - kept) * rng.random((n_classes, n_classes))
    return matrix / matrix.sum(axis=0)


def problem(seed, n=60, d=4, n_classes=3):
    """Unit rows, true classes of a linear classifier, another classifier, a noise matrix."""
    rng = np.random.default_rng(seed)
    X = unit_rows(n, d, rng)
    truth = rng.standard_normal((n_classes, d))
    truth /= np.linalg.norm(truth)
    coef = rng.standard_normal((n_classes, d))
    return X, (X @ truth.T).argmax(axis=1), truth, coef, diagonal_noise(n_classes, rng)


def margin(X, t, truth):
    scores = X @ truth.T
    true = scores[np.arange(len(t)), t].copy()
    scores[np.arange(len(t)), t] = -np.inf
    return (true - scores.max(axis=1)).min()


def clean_vectors(X, t, coef):
    """The sums that the update vectors estimate, from the true classes."""
    top, n_classes = (X @ coef.T).argmax(axis=1), len(coef)
    return np.array(
        [
            [X[(top == p) & (t == q)].sum(axis=0) / len(X) for q in range(n_classes)]
            for p in range(n_classes)
        ]
    )


def drawn_vectors(X, t, coef, noise, n_draws, seed=0):
    """Update vectors of labels drawn anew, shape (n_draws, n_classes, n_classes, n_features)."""
    rng = np.random.default_rng(seed)
    return np.array(
        [
            update_vectors(X, corrupt_labels(t, noise, rng, classes=range(len(noise))), coef, noise)
            for _ in range(n_draws)
        ]
    )


def one_step_twin(X, y, coef, noise):
    """One step of the algorithm by the book: error rule, perceptron step; the new class vectors."""
    inverse, n_classes = np.linalg.inv(noise), len(noise)
    scores = X @ coef.T
    vectors = {}
    for p in range(n_classes):
        rows = np.ones(len(X), dtype=bool)
        if coef.any():
            rows = scores.argmax(axis=1) == p
        for q in range(n_classes):
            if p != q:
                vectors[p, q] = (inverse[q, y[rows]][:, None] * X[rows]).sum(axis=0) / len(X)
    for p, q in sorted(vectors, key=lambda pair: -np.linalg.norm(vectors[pair])):
        x = vectors[p, q]
        if np.linalg.norm(x) > 1e-8 and coef[p] @ x >= coef[q] @ x:
            coef = coef.copy()
            coef[q] += x
            coef[p] -= x
            return coef
    return coef


def fitted(X, y, noise=None, **parameters):
    """UMA as printed, with its last class vectors."""
    return UMAClassifier(noise, **{"average": False, **parameters}).fit(X, y)
