"""Poker hands: ten classes whose sizes differ by five orders of magnitude."""

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils import Bunch, check_random_state

from uneven.datasets.bunches import table_bunch

HAND_NAMES = (
    "nothing",
    "one pair",
    "two pairs",
    "three of a kind",
    "straight",
    "flush",
    "full house",
    "four of a kind",
    "straight flush",
    "royal flush",
)
"""Name of each class, by its number."""

_CLASS_BY_EQUAL_PAIRS = np.array([0, 1, 2, 3, 6, -1, 7], dtype=np.intp)
"""Pairs of cards of equal rank: 0, 1, 2, 3 (three of a kind), 4 (full house) or 6 (four)."""


def make_poker_hands(
    n_samples: int = 1000,
    *,
    as_frame: bool = False,
    random_state: int | np.random.RandomState | None = None,
) -> Bunch:
    """Deal hands of five cards from a full deck and name what they are worth.

    Parameters
    ----------
    n_samples : int, default=1000
        Number of hands, at least 1. A small sample holds no hand of the rarest classes.
    as_frame : bool, default=False
        Give ``data`` as a pandas DataFrame.
    random_state : int, RandomState or None, default=None
        Seed.

    Returns
    -------
    Bunch
        ``data`` (n_samples, 10): suit (1-4) and rank (1 = ace to 13 = king) of each card in turn;
        ``target`` in 0..9; ``target_names``, ``feature_names``; ``views`` is None.

    References
    ----------
    Cattral and Oppacher (2007), Poker Hand, UCI repository: the same columns and classes, drawn
    afresh here.

    Examples
    --------
    >>> bunch = make_poker_hands(3, random_state=0)
    >>> bunch.data.shape, bunch.feature_names[:4]
    ((3, 10), ['suit1', 'rank1', 'suit2', 'rank2'])
    """
    if n_samples < 1:
        raise ValueError(f"n_samples={n_samples}: deal at least one hand.")
    cards = _deal(n_samples, check_random_state(random_state))
    data = np.empty((n_samples, 10))
    data[:, 0::2] = cards // 13 + 1
    data[:, 1::2] = cards % 13 + 1
    names = [f"{part}{card}" for card in range(1, 6) for part in ("suit", "rank")]
    return table_bunch(
        data,
        hand_classes(data),
        names,
        as_frame=as_frame,
        views=None,
        target_names=list(HAND_NAMES),
    )


def hand_classes(hands: ArrayLike) -> NDArray[np.intp]:
    """Return the class (0-9) of each hand.

    Parameters
    ----------
    hands : array-like of shape (n, 10)
        Suit and rank of five different cards in turn, as `make_poker_hands` gives them.

    Returns
    -------
    ndarray of shape (n,)

    Examples
    --------
    >>> hand_classes([[1, 1, 1, 10, 1, 11, 1, 12, 1, 13]]).tolist()
    [9]
    """
    table = np.asarray(hands, dtype=np.int8)
    _check_cards(table)
    suits, ranks = table[:, 0::2], np.sort(table[:, 1::2], axis=1)
    same = ranks[:, :, None] == ranks[:, None, :]
    equal_pairs = (same.sum(axis=(1, 2)) - 5) // 2
    result = _CLASS_BY_EQUAL_PAIRS[equal_pairs]
    no_pair = equal_pairs == 0
    broadway = no_pair & (ranks[:, 0] == 1) & (ranks[:, 1] == 10)
    straight = broadway | (no_pair & (ranks[:, 4] - ranks[:, 0] == 4))
    flush = (suits == suits[:, :1]).all(axis=1)
    result[straight] = 4
    result[flush] = 5
    result[straight & flush] = 8
    result[broadway & flush] = 9
    return result


def _check_cards(table: NDArray[np.int8]) -> None:
    if table.ndim != 2 or table.shape[1] != 10:
        raise ValueError(f"hands has shape {table.shape}; expected (n, 10).")
    suits, ranks = table[:, 0::2], table[:, 1::2]
    cards = np.sort(suits * 13 + ranks, axis=1)
    possible = (suits >= 1) & (suits <= 4) & (ranks >= 1) & (ranks <= 13)
    wrong = ~possible.all(axis=1) | (np.diff(cards, axis=1) == 0).any(axis=1)
    if wrong.any():
        row = int(wrong.argmax())
        raise ValueError(
            f"hands: row {row} is {table[row].tolist()}; a hand has five different cards with "
            "suits 1-4 and ranks 1-13."
        )


def _deal(n: int, rng: np.random.RandomState) -> NDArray[np.intp]:
    """Return five different cards 0..51 per row, every hand equally likely."""
    hands = np.empty((n, 5), dtype=np.intp)
    for drawn in range(5):
        card = rng.randint(0, 52 - drawn, size=n)
        for earlier in np.sort(hands[:, :drawn], axis=1).T:
            card += card >= earlier
        hands[:, drawn] = card
    return hands
