"""The three collections of the paper: digits in quarters, in overlapping quarters, and texts."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from uneven.datasets import image_quarters
from uneven_published.description import Context, Item

__all__ = ["APART", "COLLECTIONS", "OVERLAPPING", "TEXTS", "Collection", "open_collection"]

APART = "MNIST₁"
OVERLAPPING = "MNIST₂"
TEXTS = "Reuters"

_DIGITS = "mnist"
_SAMPLE = "reuters_multilingual_1200"
_TEST_IMAGES = 10_000
_TEST_TEXTS = 0.3

COLLECTIONS = (
    Item(APART, (_DIGITS,)),
    Item(OVERLAPPING, (_DIGITS,)),
    Item(TEXTS, (_SAMPLE,)),
)


@dataclass(frozen=True)
class Collection:
    """Rows with views.

    Attributes
    ----------
    X : array or sparse array of shape (n_samples, n_features)
    target : ndarray of shape (n_samples,)
    views : dict of str to columns
    n_test : int
        Rows to test on.
    """

    X: Any
    target: NDArray[Any]
    views: Mapping[str, Any]
    n_test: int


def open_collection(name: str, context: Context) -> Collection:
    """One of the three collections.

    Parameters
    ----------
    name : str
        `APART`, `OVERLAPPING` or `TEXTS`.
    context : Context

    Returns
    -------
    Collection
    """
    if name == TEXTS:
        texts = context.fetch(_SAMPLE)
        n_test = int(np.rint(_TEST_TEXTS * len(texts.target)))
        return Collection(texts.data, texts.target, texts.views, n_test)
    digits = context.fetch(_DIGITS)
    X, views = image_quarters(digits.images, overlap=name == OVERLAPPING)
    return Collection(X, digits.target, views, _TEST_IMAGES)
