"""Small uneven tables."""

import numpy as np


def uneven_table(d=5, sizes=(150, 60, 24, 6), seed=0, gap=1.6):
    """Normal clouds, one per class, the last classes rare."""
    rng = np.random.default_rng(seed)
    y = np.repeat(np.arange(len(sizes)), sizes)
    centres = rng.normal(scale=gap, size=(len(sizes), d))
    X = centres[y] + rng.normal(size=(len(y), d))
    order = rng.permutation(len(y))
    return X[order], y[order]
