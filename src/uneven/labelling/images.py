"""Images of a pool: which files may be shown, and what a learner sees in them.

Only files below the folder of the table are opened, links that lead out of it included. The
numbers are simple ones, of no network: a small grey picture, directions of edges in sixteen parts,
and the mean colour of each part. Each of the three counts alike.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from uneven.utils.optional import require

LARGEST_BYTES = 20_000_000
SIDE, PARTS, DIRECTIONS = 16, 4, 8
_STARTS = {
    b"\x89PNG\r\n\x1a\n": "image/png",
    b"\xff\xd8\xff": "image/jpeg",
    b"GIF87a": "image/gif",
    b"GIF89a": "image/gif",
    b"BM": "image/bmp",
}


def image_path(folder: Path, cell: str) -> Path | None:
    """The file that a cell names, if it lies below the folder.

    Parameters
    ----------
    folder : Path
    cell : str
        A relative path, or an absolute one that leads there.

    Examples
    --------
    >>> image_path(Path("pictures"), "../secret.png") is None
    True
    """
    if not cell or "\x00" in cell:
        return None
    home = folder.resolve()
    try:
        found = (home / cell).resolve()
    except (OSError, RuntimeError, ValueError):
        return None
    return found if found.is_relative_to(home) and found != home else None


def read_image(path: Path | None) -> tuple[bytes, str] | None:
    """The bytes of an image and its kind; None if it is none that browsers show as a picture.

    Drawings with scripts (SVG) are none: the kind is that of the bytes, whatever the ending says.
    """
    try:
        if path is None or not path.is_file() or path.stat().st_size > LARGEST_BYTES:
            return None
        content = path.read_bytes()
    except OSError:
        return None
    if content[:4] == b"RIFF" and content[8:12] == b"WEBP":
        return content, "image/webp"
    kinds = (kind for start, kind in _STARTS.items() if content.startswith(start))
    kind = next(kinds, None)
    return (content, kind) if kind else None


def image_features(files: Sequence[Path | None]) -> np.ndarray:
    """Numbers for images.

    Parameters
    ----------
    files : sequence of Path or None, of length n

    Returns
    -------
    ndarray of shape (n, 432)
        Scaled so that a number varies by one over the images that can be read; the others are in
        their middle.
    """
    pictures = require("PIL.Image", "learning from images", "label")
    rows = [_numbers(pictures, file) for file in files]
    width = SIDE * SIDE + PARTS * PARTS * (DIRECTIONS + 3)
    X = np.array([np.full(width, np.nan) if row is None else row for row in rows])
    if np.isnan(X).all():
        return np.zeros_like(X)
    X -= np.nanmean(X, axis=0)
    for block in np.split(X, [SIDE * SIDE, SIDE * SIDE + PARTS * PARTS * DIRECTIONS], axis=1):
        spread = np.sqrt(np.nanmean(block**2))
        block /= spread if spread > 0.0 else 1.0
        block *= np.sqrt(width / 3 / block.shape[1])
    return np.nan_to_num(X)


def _numbers(pictures: Any, file: Path | None) -> np.ndarray | None:
    if read_image(file) is None:
        return None
    try:
        with pictures.open(file) as picture:
            colours = picture.convert("RGB").resize((4 * SIDE, 4 * SIDE))
    except (OSError, ValueError, pictures.DecompressionBombError):
        return None
    grey = np.asarray(colours.convert("L"), dtype=np.float64) / 255.0
    small = np.asarray(colours.convert("L").resize((SIDE, SIDE)), dtype=np.float64) / 255.0
    mean = np.asarray(colours.resize((PARTS, PARTS)), dtype=np.float64) / 255.0
    return np.concatenate([small.ravel(), _edges(grey), mean.ravel()])


def _edges(grey: np.ndarray) -> np.ndarray:
    """How strong edges of each direction are in each part, as shares of the part."""
    down, across = np.gradient(grey)
    strength = np.hypot(down, across)
    turn = np.arctan2(down, across) % np.pi
    which = np.minimum((turn / np.pi * DIRECTIONS).astype(int), DIRECTIONS - 1)
    side = len(grey) // PARTS
    part = np.arange(len(grey)) // side
    cell = (part[:, None] * PARTS + part[None, :]) * DIRECTIONS + which
    size = PARTS * PARTS * DIRECTIONS
    sums = np.bincount(cell.ravel(), weights=strength.ravel(), minlength=size)
    sums = sums.reshape(-1, DIRECTIONS)
    return np.asarray(sums / (sums.sum(axis=1, keepdims=True) + 1e-3)).ravel()
