"""One strong view and two weak ones, each partly replaced by noise.

Three views describe two classes. In each view, some descriptions are not drawn from their class
but from a uniform box common to both. The source fixes the noise rates (major view eta, minor
views (3 - 2 eta) / 4) but not how the noise of the three views hangs together, which decides
how well any method can do; `make_uneven_views` offers the four natural readings.
"""

from collections.abc import Callable
from typing import Literal

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import Bunch, check_random_state

from uneven.datasets.bunches import multiview_bunch

Design = Literal["complementary", "shared", "conditional", "independent"]
Flags = NDArray[np.bool_]

_VIEW_NAMES = ("major", "minor1", "minor2")
_ANGLES = np.deg2rad([0.0, 60.0, 120.0])


def make_uneven_views(
    n_samples: int = 200,
    major_noise: float = 0.25,
    *,
    design: Design = "complementary",
    separation: float = 3.0,
    box: float = 4.0,
    n_dims: int = 2,
    as_frame: bool = False,
    random_state: int | np.random.RandomState | None = None,
) -> Bunch:
    """Generate two balanced classes with one major and two minor noisy views.

    Parameters
    ----------
    n_samples : int, default=200
        Number of rows, at least 2.
    major_noise : float, default=0.25
        Share of noise in the major view, in [0, 0.75]. Each minor view has
        ``(3 - 2 * major_noise) / 4``, so half of all descriptions are noise in any case.
    design : {"complementary", "shared", "conditional", "independent"}
        Where the minor views are sane. "complementary": a row that is noisy in the major view is
        sane in exactly one minor view. "shared": both minor views are sane together.
        "conditional": independently given the major view. "independent": regardless of it.
    separation : float, default=3.0
        Distance between the class means in each view.
    box : float, default=4.0
        Noise is uniform in [-box, box] in each dimension.
    n_dims : int, default=2
        Columns per view, at least 2; the means lie in the first two.
    as_frame : bool, default=False
        Give ``data`` as a pandas DataFrame.
    random_state : int, RandomState or None, default=None
        Seed.

    Returns
    -------
    Bunch
        ``data`` (n_samples, 3 * n_dims), ``target`` in {-1, +1}, ``views``, ``feature_names``
        and ``sane`` (n_samples, 3), which marks the descriptions drawn from their class.

    References
    ----------
    Koço (2013), doctoral thesis, Aix-Marseille, chapter on boosting across views.

    Examples
    --------
    >>> bunch = make_uneven_views(100, major_noise=0.5, random_state=0)
    >>> bunch.data.shape, list(bunch.views)
    ((100, 6), ['major', 'minor1', 'minor2'])
    """
    _check(n_samples, major_noise, separation, box, n_dims)
    if design not in _DESIGNS:
        raise ValueError(f"design={design!r} is unknown; choose one of {sorted(_DESIGNS)}.")
    rng = check_random_state(random_state)
    target = rng.permutation(np.where(np.arange(n_samples) < n_samples // 2, -1, 1))
    sane = _DESIGNS[design](n_samples, major_noise, rng)
    blocks = {}
    for view, angle, clean in zip(_VIEW_NAMES, _ANGLES, sane.T):
        mean = np.zeros(n_dims)
        mean[:2] = separation / 2 * np.array([np.cos(angle), np.sin(angle)])
        from_class = target[:, None] * mean + rng.standard_normal((n_samples, n_dims))
        from_box = rng.uniform(-box, box, (n_samples, n_dims))
        blocks[view] = np.where(clean[:, None], from_class, from_box)
    return multiview_bunch(blocks, target, as_frame=as_frame, sane=sane)


def _complementary(n: int, eta: float, rng: np.random.RandomState) -> Flags:
    major, both, coin = _major_and_coins(n, eta, rng)
    return np.column_stack([major, np.where(major, both, coin), np.where(major, both, ~coin)])


def _shared(n: int, eta: float, rng: np.random.RandomState) -> Flags:
    major, both, coin = _major_and_coins(n, eta, rng)
    minor = np.where(major, both, coin)
    return np.column_stack([major, minor, minor])


def _conditional(n: int, eta: float, rng: np.random.RandomState) -> Flags:
    major = rng.random_sample(n) >= eta
    chance = np.where(major, 1 / (4 * (1 - eta)), 0.5)
    return np.column_stack([major, rng.random_sample(n) < chance, rng.random_sample(n) < chance])


def _independent(n: int, eta: float, rng: np.random.RandomState) -> Flags:
    minor_sane = 1 - (3 - 2 * eta) / 4
    return rng.random_sample((n, 3)) < np.array([1 - eta, minor_sane, minor_sane])


def _major_and_coins(n: int, eta: float, rng: np.random.RandomState) -> tuple[Flags, Flags, Flags]:
    """Return sane flags of the major view, and the coins for its sane and noisy rows."""
    major = rng.random_sample(n) >= eta
    return major, rng.random_sample(n) < 1 / (4 * (1 - eta)), rng.random_sample(n) < 0.5


_DESIGNS: dict[str, Callable[[int, float, np.random.RandomState], Flags]] = {
    "complementary": _complementary,
    "shared": _shared,
    "conditional": _conditional,
    "independent": _independent,
}


def _check(n_samples: int, major_noise: float, separation: float, box: float, n_dims: int) -> None:
    if n_samples < 2:
        raise ValueError(f"n_samples={n_samples}: two classes need at least 2 rows.")
    if not 0 <= major_noise <= 0.75:
        raise ValueError(
            f"major_noise={major_noise} must lie in [0, 0.75]; beyond that the minor views "
            "cannot hold the promised share of sane rows."
        )
    if not separation >= 0 or not box > 0:
        raise ValueError(f"separation={separation} and box={box} must be positive lengths.")
    if n_dims < 2:
        raise ValueError(f"n_dims={n_dims}: the class means lie in a plane, use at least 2.")
