"""Images seen through four windows, one view each."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

_NAMES = ("top_left", "top_right", "bottom_left", "bottom_right")


def image_quarters(
    images: Any, overlap: bool = False
) -> tuple[NDArray[Any], dict[str, NDArray[np.intp]]]:
    """Images as rows of pixels, with a view for each quarter.

    Parameters
    ----------
    images : array-like of shape (n, height, width)
        With at least two lines and columns.
    overlap : bool, default=False
        Take windows of the same size nearer to the centre, which share pixels there: each is
        moved inwards by a seventh of the image (4 of 28 pixels).

    Returns
    -------
    X : ndarray of shape (n, height * width)
        A view of ``images`` where numpy allows it.
    views : dict of str to ndarray of int
        Columns of the four windows, ready for the ``views`` parameter of an estimator. Without
        overlap every pixel is in exactly one; the right and lower ones get the middle line of an
        odd size.

    References
    ----------
    Goyal, Morvant and Amini (2018), Multiview learning of weighted majority vote by Bregman
    divergence minimization, whose experiments cut handwritten digits like this.

    Examples
    --------
    >>> import numpy as np
    >>> X, views = image_quarters(np.arange(2 * 4 * 4).reshape(2, 4, 4))
    >>> X.shape, views["top_right"]
    ((2, 16), array([2, 3, 6, 7]))
    >>> shared = image_quarters(np.zeros((1, 28, 28)), overlap=True)[1]
    >>> len(shared["top_left"]), len(np.intersect1d(shared["top_left"], shared["bottom_right"]))
    (196, 64)
    """
    stack = np.asarray(images)
    if stack.ndim != 3 or min(stack.shape[1:]) < 2:
        raise ValueError(
            "images must have shape (n, height, width) with height and width at least 2, got "
            f"{stack.shape}."
        )
    height, width = stack.shape[1:]
    pixels = np.arange(height * width).reshape(height, width)
    down, across = _halves(height, overlap), _halves(width, overlap)
    windows = [pixels[rows, columns].ravel() for rows in down for columns in across]
    return stack.reshape(len(stack), -1), dict(zip(_NAMES, windows))


def _halves(size: int, overlap: bool) -> tuple[slice, slice]:
    """First and second half of a line of pixels, moved inwards if they are to overlap."""
    middle = size // 2
    inwards = size // 7 if overlap else 0
    return slice(inwards, middle + inwards), slice(middle - inwards, size - inwards)
