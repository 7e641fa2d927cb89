"""The colours of every picture, in one place.

Two hues carry the meaning: blue for what is right or supported, orange for errors.  The pair
stays apart under the common forms of colour blindness and in grey, and each ramp grows darker
monotonically so that more ink is always more of the quantity.
"""

from __future__ import annotations

import numpy as np
from matplotlib.colors import LinearSegmentedColormap, to_rgb
from numpy.typing import ArrayLike

__all__ = [
    "BLUE",
    "ERROR",
    "GRID",
    "INK",
    "LINES",
    "MUTED",
    "ORANGE",
    "SERIES",
    "SUPPORT",
    "text_on",
]

INK = "#1d2733"
MUTED = "#657180"
GRID = "#e2e7ec"
BLUE = "#2a6496"
ORANGE = "#c8571b"
SERIES = (BLUE, ORANGE, "#3c8d7d", "#7a5c9e", "#a8851c", "#6c7681")
LINES = (*SERIES[:-1], "#b8336a", "#5aa9e6", "#5c8001", "#7b3f00", "#1b998b")
"""Colours of many lines; those after the first five are for lines that are not solid."""

ERROR_STOPS = ("#fbf8f5", "#fbe0cb", "#f3b488", "#dd7a3d", "#b04a12", "#6f2b07")
SUPPORT_STOPS = ("#f5f8fa", "#d3e1ec", "#9dbdd6", "#5b8fb8", "#2a6496", "#153d61")

ERROR = LinearSegmentedColormap.from_list("uneven_error", ERROR_STOPS)
SUPPORT = LinearSegmentedColormap.from_list("uneven_support", SUPPORT_STOPS)


def text_on(colour: ArrayLike) -> str:
    """Ink or white, whichever reads better on a background.

    Parameters
    ----------
    colour : RGB or RGBA array-like of shape (3,) or (4,)
        The background.

    Returns
    -------
    str
        A hex colour.

    Examples
    --------
    >>> text_on((1.0, 1.0, 1.0)), text_on((0.1, 0.2, 0.3))
    ('#1d2733', '#ffffff')
    """
    background, ink = _luminance(np.asarray(colour)[:3]), _luminance(np.asarray(to_rgb(INK)))
    contrast_white = 1.05 / (background + 0.05)
    contrast_ink = (background + 0.05) / (ink + 0.05)
    return "#ffffff" if contrast_white > contrast_ink else INK


def _luminance(rgb: np.ndarray) -> float:
    """Relative luminance of an sRGB colour, as WCAG 2 defines it."""
    linear = np.where(rgb <= 0.04045, rgb / 12.92, ((rgb + 0.055) / 1.055) ** 2.4)
    return float(linear @ np.array([0.2126, 0.7152, 0.0722]))
