"""Random cones and the angle between directions."""

import numpy as np
from hypothesis import strategies as st


def random_cone(seed: int, n_cuts: int, n_dims: int) -> np.ndarray:
    """Unit cuts that a random vector satisfies."""
    rng = np.random.default_rng(seed)
    truth = rng.normal(size=n_dims)
    cuts = rng.normal(size=(n_cuts, n_dims))
    cuts *= np.where(cuts @ truth >= 0, 1.0, -1.0)[:, None]
    return cuts / np.linalg.norm(cuts, axis=1, keepdims=True)


def lune(angle: float) -> np.ndarray:
    """A slice of the ball, cut off on one side."""
    return np.array(
        [[1.0, 0.0, 0.0], [-np.cos(angle), np.sin(angle), 0.0], [0.0, 0.5, np.sqrt(0.75)]]
    )


def degrees(a, b) -> float:
    return float(np.degrees(np.arccos(np.clip(unit(a) @ unit(b), -1.0, 1.0))))


def unit(v) -> np.ndarray:
    return np.asarray(v) / np.linalg.norm(v)


def cones(max_cuts=12, min_dims=2, max_dims=6):
    return st.builds(
        random_cone,
        st.integers(0, 10**6),
        st.integers(1, max_cuts),
        st.integers(min_dims, max_dims),
    )
