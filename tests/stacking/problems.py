"""Level-1 scores for the tests: a golden table and random ones."""

import numpy as np

GOLDEN_Y = np.array([0, 0, 1, 1, 2, 2])
GOLDEN_P = np.array(
    [
        [[0.7, 0.2, 0.1], [0.5, 0.3, 0.2]],
        [[0.4, 0.5, 0.1], [0.6, 0.2, 0.2]],
        [[0.2, 0.6, 0.2], [0.3, 0.4, 0.3]],
        [[0.3, 0.3, 0.4], [0.1, 0.8, 0.1]],
        [[0.1, 0.2, 0.7], [0.2, 0.5, 0.3]],
        [[0.3, 0.4, 0.3], [0.1, 0.2, 0.7]],
    ]
)


def level_one_problem(n_samples, n_members, n_classes, seed=0, common=0.6, own=0.8):
    """Softmax scores of classifiers of uneven strength that share part of their noise."""
    rng = np.random.default_rng(seed)
    y = rng.integers(n_classes, size=n_samples)
    strength = rng.uniform(0.3, 2.5, size=n_members)
    noise = common * rng.normal(size=(n_samples, 1, n_classes))
    noise = noise + own * rng.normal(size=(n_samples, n_members, n_classes))
    logits = strength[None, :, None] * (1.2 * np.eye(n_classes)[y][:, None, :] + noise)
    scores = np.exp(logits - logits.max(axis=2, keepdims=True))
    return scores / scores.sum(axis=2, keepdims=True), y
