"""The built-in example: handwritten digits, some of them rare, seen through four weak views."""

import numpy as np
from numpy.typing import NDArray
from sklearn.datasets import load_digits
from sklearn.utils import Bunch

from uneven.datasets.bunches import multiview_bunch

_ROWS_KEPT = {0: 170, 1: 150, 2: 85, 3: 40, 4: 160, 5: 60, 6: 130, 7: 110, 8: 16, 9: 28}
_NAMES = np.array(["zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine"])
_FREQUENCIES = ((0, 1), (0, 2), (1, 0), (2, 0), (1, 1), (1, -1))
_ORIENTATIONS = ("horizontal", "falling", "vertical", "rising")


def load_demo(*, as_frame: bool = False) -> Bunch:
    """Return 949 handwritten digits in ten uneven classes and four views; no download.

    The table is computed from the digits that scikit-learn ships. Nothing is random: of each
    class the first rows are kept, from 170 zeros down to 16 eights. The views are profiles of
    the 8 x 8 images: ``top_down`` and ``left_right`` (ink per line), ``fourier`` (sizes of the
    lowest frequencies), ``edges`` (strength of the strokes' borders by direction). Each knows some
    digits well and others hardly; none is enough alone.

    Parameters
    ----------
    as_frame : bool, default=False
        Give ``data`` as a pandas DataFrame with columns named ``view__feature``.

    Returns
    -------
    Bunch
        ``data`` (949, 26), ``target`` (names of the digits), ``views``, ``feature_names``,
        ``images`` (949, 8, 8) and ``description``.

    References
    ----------
    Alpaydin and Kaynak (1998), Optical Recognition of Handwritten Digits, UCI repository.

    Examples
    --------
    >>> demo = load_demo()
    >>> demo.data.shape, list(demo.views)
    ((949, 26), ['top_down', 'left_right', 'fourier', 'edges'])
    >>> from uneven.metrics import imbalance_ratio
    >>> imbalance_ratio(demo.target)
    10.625
    """
    digits = load_digits()
    kept = _first_of_each_class(digits.target)
    images: NDArray[np.float64] = digits.images[kept]
    blocks = {
        "top_down": images.sum(axis=2),
        "left_right": images.sum(axis=1),
        "fourier": _frequencies(images),
        "edges": _edges(images),
    }
    names = {
        "top_down": [f"line{i}" for i in range(8)],
        "left_right": [f"line{i}" for i in range(8)],
        "fourier": [f"down{u}_across{v}".replace("-", "minus") for u, v in _FREQUENCIES],
        "edges": list(_ORIENTATIONS),
    }
    return multiview_bunch(
        blocks,
        _NAMES[digits.target[kept]],
        column_names=names,
        as_frame=as_frame,
        images=images,
        description=(
            "Handwritten digits (Alpaydin and Kaynak 1998, shipped with scikit-learn), thinned to "
            "uneven classes and described by four views."
        ),
    )


def _first_of_each_class(target: NDArray[np.intp]) -> NDArray[np.intp]:
    rows = [np.flatnonzero(target == digit)[:kept] for digit, kept in _ROWS_KEPT.items()]
    return np.sort(np.concatenate(rows))


def _frequencies(images: NDArray[np.float64]) -> NDArray[np.float64]:
    spectrum = np.abs(np.fft.fft2(images))
    return np.column_stack([spectrum[:, u, v] for u, v in _FREQUENCIES]).round(9)


def _edges(images: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the summed gradient strength in four directions, the direction of the edge named."""
    down, across = np.gradient(images, axis=(1, 2))
    strength = np.hypot(down, across)
    angle = np.arctan2(down, across) + np.pi / 2
    sector = np.round(angle / (np.pi / 4)).astype(int) % 4
    return np.column_stack([(strength * (sector == s)).sum(axis=(1, 2)) for s in range(4)]).round(9)
