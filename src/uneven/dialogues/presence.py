"""Bags of tokens: which ones to keep, and in which row they are present."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from itertools import chain

import numpy as np
import scipy.sparse as sp


def ngrams(tokens: Sequence[str], lengths: tuple[int, int], glue: str) -> list[str]:
    """All runs of neighbouring tokens of the wanted lengths.

    Parameters
    ----------
    tokens : sequence of str
    lengths : (int, int)
        Shortest and longest run.
    glue : str
        What to join a run with.

    Examples
    --------
    >>> ngrams(["O1", "U4", "O2"], (2, 3), "")
    ['O1U4', 'U4O2', 'O1U4O2']
    """
    low, high = lengths
    return [
        glue.join(tokens[k : k + n])
        for n in range(low, high + 1)
        for k in range(len(tokens) - n + 1)
    ]


def learn_tokens(bags: Sequence[Iterable[str]], min_df: int | float) -> list[str]:
    """Tokens that occur in enough bags, in alphabetical order.

    Parameters
    ----------
    bags : sequence of iterables of str
    min_df : int or float
        Number of bags, or share of bags if it is a float.

    Examples
    --------
    >>> learn_tokens([["b", "a", "b"], ["b"], ["c", "c"]], min_df=2)
    ['b']
    """
    counts = Counter(chain.from_iterable(set(bag) for bag in bags))
    needed = min_df * len(bags) if isinstance(min_df, float) else min_df
    return sorted(token for token, n in counts.items() if n >= needed)


def presence(bags: Sequence[Iterable[str]], tokens: Collection[str]) -> sp.csr_array:
    """One row per bag, one column per token: 1 where the bag holds the token.

    Parameters
    ----------
    bags : sequence of iterables of str
    tokens : collection of str
        Different ones; other tokens of the bags are ignored.

    Returns
    -------
    csr_array of shape (n_bags, n_tokens)

    Examples
    --------
    >>> presence([["b", "x", "b"], []], ["a", "b"]).toarray().tolist()
    [[0.0, 1.0], [0.0, 0.0]]
    """
    column = {token: k for k, token in enumerate(tokens)}
    rows = [sorted({column[token] for token in bag if token in column}) for bag in bags]
    ends = np.cumsum([0, *map(len, rows)])
    columns = np.fromiter(chain.from_iterable(rows), dtype=np.int32, count=int(ends[-1]))
    return sp.csr_array((np.ones(len(columns)), columns, ends), shape=(len(rows), len(column)))
