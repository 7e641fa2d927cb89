"""Poker hands with the class sizes of the UCI training set."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.utils import Bunch

from uneven.datasets import make_poker_hands
from uneven_published.description import Context

__all__ = ["UCI_COUNTS", "uci_like_poker"]

UCI_COUNTS = (12493, 10599, 1206, 513, 93, 54, 36, 6, 5, 5)
"""Hands of each class in the UCI training set: 25010, with far more straight and royal
flushes than chance would deal."""

_DEALT = 60_000
_SUITS = 4
_ROYAL = (10, 11, 12, 13, 1)


def uci_like_poker(context: Context) -> Any:
    """Hands as they are dealt for the first eight classes; straight flushes laid by hand.

    Parameters
    ----------
    context : Context
        Not needed.

    Returns
    -------
    Bunch
        ``data`` (25010, 10) and ``target``.

    Examples
    --------
    >>> hands = uci_like_poker(Context())
    >>> np.bincount(hands.target).tolist()
    [12493, 10599, 1206, 513, 93, 54, 36, 6, 5, 5]
    """
    dealt = make_poker_hands(_DEALT, random_state=0)
    rows = [np.flatnonzero(dealt.target == c)[:n] for c, n in enumerate(UCI_COUNTS[:8])]
    rng = np.random.RandomState(0)
    lowest = rng.randint(1, 10, size=UCI_COUNTS[8])
    straights = [_one_suit(range(low, low + 5), rng) for low in lowest]
    royals = [_one_suit(_ROYAL, rng) for _ in range(UCI_COUNTS[9])]
    data = np.vstack([dealt.data[np.concatenate(rows)], *straights, *royals])
    target = np.repeat(np.arange(len(UCI_COUNTS)), UCI_COUNTS)
    return Bunch(data=data, target=target)


def _one_suit(ranks: Any, rng: np.random.RandomState) -> np.ndarray:
    """Five cards of a random suit in random order, shape (1, 10)."""
    hand = np.empty((1, 10))
    hand[0, 0::2] = rng.randint(1, _SUITS + 1)
    hand[0, 1::2] = rng.permutation(list(ranks))
    return hand
