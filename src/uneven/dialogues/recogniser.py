"""What a speech recogniser makes of a dialogue: systematic mistakes at a given rate."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from types import MappingProxyType

import numpy as np
from sklearn.utils import check_random_state

from uneven.dialogues.lexicon import close_words
from uneven.dialogues.records import Dialogue, Turn

WORD_ERROR_RATES: Mapping[str, float] = MappingProxyType({"operator": 0.563, "user": 0.673})
"""Word error rates of the recogniser of the call-centre corpus, by speaker."""

_REPLACED, _LOST, _INSERTED = range(3)


def recognise(
    dialogues: Sequence[Dialogue],
    *,
    error_rates: Mapping[str, float] = WORD_ERROR_RATES,
    error_split: Sequence[float] = (0.7, 0.2, 0.1),
    vocabulary: Sequence[str] | None = None,
    n_close: int = 5,
    random_state: int | np.random.RandomState | None = None,
) -> list[Dialogue]:
    """Pass dialogues through a noisy recogniser.

    Each word, independently, is replaced by another one, lost, or preceded by one that nobody
    said. A word can only be replaced by one of its few closest words, always the same ones, so
    that the mistakes are systematic, as those of a recogniser are. Times, speakers and entities
    stay, and every turn remembers how many letters were really spoken.

    Parameters
    ----------
    dialogues : sequence of Dialogue
    error_rates : mapping of str to float, default=WORD_ERROR_RATES
        For each speaker, the share of words with a mistake, in [0, 1].
    error_split : sequence of three floats, default=(0.7, 0.2, 0.1)
        How mistakes divide into replaced, lost and inserted words.
    vocabulary : sequence of str or None, default=None
        Words that the recogniser knows; all words of the dialogues must be among them. None is
        just these.
    n_close : int, default=5
        With how many close words a word is confused; see
        :func:`uneven.dialogues.lexicon.close_words`.
    random_state : int, RandomState or None, default=None
        Seed.

    Returns
    -------
    list of Dialogue

    Examples
    --------
    >>> said = [Dialogue("d1", [Turn("user", 0, 2, "the line is on time")])]
    >>> heard = recognise(said, error_rates={"user": 0.6}, n_close=1, random_state=0)
    >>> " ".join(heard[0].turns[0].words), heard[0].turns[0].n_letters
    ('line the line is the on', 15)
    """
    bounds = _bounds(error_split)
    counts = Counter(word for call in dialogues for turn in call.turns for word in turn.words)
    known = sorted(counts) if vocabulary is None else list(vocabulary)
    _check(dialogues, counts, known, error_rates)
    if not counts:
        return list(dialogues)
    turns = [turn for call in dialogues for turn in call.turns]
    position = {word: k for k, word in enumerate(known)}
    said = np.array([position[word] for turn in turns for word in turn.words], dtype=np.intp)
    lengths = [len(turn.words) for turn in turns]
    rate = np.repeat([error_rates[turn.speaker] for turn in turns], lengths)
    rng = check_random_state(random_state)
    fate = (rng.random_sample(len(said)) >= np.outer(bounds, rate)).sum(axis=0)
    neighbours = close_words(known, n_close)
    swap = neighbours[said, rng.randint(neighbours.shape[1], size=len(said))]
    extra = rng.permutation(said)
    words = np.column_stack([extra, np.where(fate == _REPLACED, swap, said)])
    keep = np.column_stack([fate == _INSERTED, fate != _LOST])
    return _rebuilt(dialogues, lengths, [known[k] for k in words[keep]], keep.sum(axis=1))


def _rebuilt(
    dialogues: Sequence[Dialogue], lengths: list[int], heard: list[str], pieces: np.ndarray
) -> list[Dialogue]:
    """Put the words that were heard into their turns; ``pieces`` of them for each word said."""
    ends = np.concatenate([[0], np.cumsum(pieces)])[np.cumsum([0, *lengths])].tolist()
    spans = pairwise(ends)

    def hear(turn: Turn) -> Turn:
        start, end = next(spans)
        return replace(turn, words=heard[start:end], letters=turn.n_letters)

    return [replace(call, turns=tuple(map(hear, call.turns))) for call in dialogues]


def _bounds(error_split: Sequence[float]) -> np.ndarray:
    """Cumulated shares of replaced, lost and inserted words, shape (3,)."""
    split = np.asarray(error_split, dtype=np.float64)
    if split.shape != (3,) or not (split >= 0).all() or not 0 < split.sum() < np.inf:
        raise ValueError(
            f"error_split={error_split!r}: give three shares >= 0, for replaced, lost and "
            "inserted words."
        )
    return np.asarray(np.cumsum(split) / split.sum())


def _check(
    dialogues: Sequence[Dialogue],
    counts: Counter[str],
    known: Sequence[str],
    error_rates: Mapping[str, float],
) -> None:
    for speaker, rate in error_rates.items():
        if not 0 <= rate <= 1:
            raise ValueError(f"error_rates: {rate!r} for {speaker!r} is not between 0 and 1.")
    for call in dialogues:
        for number, turn in enumerate(call.turns, start=1):
            if turn.speaker not in error_rates:
                raise ValueError(
                    f"dialogue {call.id!r}, turn {number}: no error rate for speaker "
                    f"{turn.speaker!r}; error_rates has {sorted(error_rates)}."
                )
    strangers = sorted(set(counts).difference(known))
    if strangers:
        raise ValueError(
            f"{len(strangers)} words of the dialogues, such as {strangers[0]!r}, are not in the "
            "vocabulary; add them or leave vocabulary=None."
        )
