"""Invented words that can be read aloud, and words that sound alike."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

import numpy as np
from sklearn.feature_extraction.text import CountVectorizer

_ONSETS = ["b", "c", "d", "f", "g", "l", "m", "n", "p", "r", "s", "t", "v", "ch", "br", "pl", "tr"]
_VOWELS = ["a", "e", "i", "o", "u", "ai", "ou"]
_CODAS = ["", "", "", "l", "n", "r", "s", "t"]
_LONGER_AFTER = [60, 700, 2500]
_ROWS_AT_ONCE = 512


@cache
def invented_words(n_words: int, shortest: int = 1) -> tuple[str, ...]:
    """Different words that can be pronounced, the same at every call.

    Parameters
    ----------
    n_words : int
        How many. The first ones, meant to be frequent, are the shortest.
    shortest : int, default=1
        Syllables that a word has at least.

    Returns
    -------
    tuple of str of length n_words

    Examples
    --------
    >>> words = invented_words(2000)
    >>> words[0], words[-1], len(set(words))
    ('ci', 'breguto', 2000)
    """
    rng = np.random.RandomState([shortest, 1913])
    found: dict[str, None] = {}
    while len(found) < n_words:
        longer = int(np.searchsorted(_LONGER_AFTER, len(found), side="right"))
        parts = [*(shortest + longer) * (_ONSETS, _VOWELS), _CODAS]
        found["".join(part[rng.randint(len(part))] for part in parts)] = None
    return tuple(found)


def close_words(vocabulary: Sequence[str], n_close: int = 5) -> np.ndarray:
    """For each word, those that share most of its pairs of neighbouring letters.

    Parameters
    ----------
    vocabulary : sequence of str of length n_words
        Different words, at least two.
    n_close : int, default=5
        How many neighbours; all other words if there are not so many.

    Returns
    -------
    ndarray of int, shape (n_words, min(n_close, n_words - 1))
        Positions in ``vocabulary``, closest first (Dice's measure; the earlier word wins a tie).
        Nothing is random: the neighbours are a matter of the words alone.

    Examples
    --------
    >>> close_words(["ligne", "signe", "linge", "metro"], 2).tolist()[0]
    [1, 2]
    """
    if len(vocabulary) < 2 or len(set(vocabulary)) < len(vocabulary):
        raise ValueError(
            f"the vocabulary has {len(vocabulary)} words, {len(set(vocabulary))} different ones; "
            "give two or more, each once."
        )
    pairs = CountVectorizer(analyzer=_letter_pairs, binary=True, dtype=np.float32)
    table = pairs.fit_transform(vocabulary)
    sizes = np.asarray(table.sum(axis=1)).ravel()
    kept = min(n_close, len(vocabulary) - 1)
    blocks = []
    for start in range(0, len(vocabulary), _ROWS_AT_ONCE):
        rows = np.arange(start, min(start + _ROWS_AT_ONCE, len(vocabulary)))
        likeness = 2.0 * (table[rows] @ table.T).toarray() / (sizes[rows, None] + sizes)
        likeness[np.arange(len(rows)), rows] = -1.0
        blocks.append(np.argsort(-likeness, axis=1, kind="stable")[:, :kept])
    return np.vstack(blocks)


def _letter_pairs(word: str) -> list[str]:
    framed = f" {word} "
    return [framed[k : k + 2] for k in range(len(framed) - 1)]
