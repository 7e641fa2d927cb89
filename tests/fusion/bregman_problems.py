"""Margins of voters: the worked example, and random ones."""

import numpy as np
from hypothesis import strategies as st

from uneven.fusion.bregman import logistic_loss

GOLDEN = [
    np.array([[1, 1], [1, -1], [-1, 1], [1, 1], [-1, -1]], dtype=float),
    np.array([[1, -1, 1], [1, 1, 1], [1, 1, -1], [-1, 1, 1], [1, -1, -1]], dtype=float),
]


@st.composite
def margins(draw, max_rows=20, max_views=4, max_voters=5):
    """(margins per view, mass): -1, 0 and 1, or anything between; voters of any strength."""
    n = draw(st.integers(1, max_rows))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    abstains = draw(st.sampled_from([0.0, 0.2]))
    is_real = draw(st.booleans())
    views = []
    for _ in range(draw(st.integers(1, max_views))):
        shape = (n, draw(st.integers(1, max_voters)))
        M = np.where(rng.random(shape) < rng.random(shape[1]), 1.0, -1.0)
        if is_real:
            M *= rng.random(shape)
        M[rng.random(n) < abstains] = 0.0
        views.append(M)
    mass = np.ones(n) if draw(st.booleans()) else rng.integers(1, 5, n).astype(float)
    return views, mass


def loss_of(views, learnt, mass):
    """Loss of given weights, computed from nothing but the weights."""
    z = sum(M @ learnt.joint(v) for v, M in enumerate(views))
    return logistic_loss(z, mass)
