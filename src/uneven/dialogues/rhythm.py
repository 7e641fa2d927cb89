"""How people talk, whatever they say: the order of turns, their lengths, and speech rates."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence

import numpy as np

from uneven.dialogues.records import Dialogue, Turn

PROSODY = (
    "duration",
    "turn_duration",
    "operator_share",
    "user_share",
    "operator_rate",
    "user_rate",
)
"""Names of the measures of :func:`prosody`."""


def learn_limits(dialogues: Iterable[Dialogue], n_levels: int) -> np.ndarray:
    """Durations that divide the turns into levels of equal size.

    Returns
    -------
    ndarray of shape (n_levels - 1,)
        In seconds, increasing; empty if no turn has a known duration.

    Examples
    --------
    >>> turns = [Turn("user", 0, seconds, ()) for seconds in (1, 2, 3, 4, 5)]
    >>> learn_limits([Dialogue("d1", turns)], 2).tolist()
    [3.0]
    """
    durations = np.array([turn.duration for call in dialogues for turn in call.turns])
    known = durations[~np.isnan(durations)]
    if not known.size:
        return np.empty(0)
    return np.asarray(np.quantile(known, np.arange(1, n_levels) / n_levels))


def turn_tokens(dialogue: Dialogue, roles: Mapping[str, str], limits: np.ndarray) -> list[str]:
    """Who speaks and for how long, one token per turn.

    Parameters
    ----------
    dialogue : Dialogue
    roles : mapping of str to str
        "O" or "U" for each speaker.
    limits : ndarray of shape (n_levels - 1,)
        Durations that divide the levels; see :func:`learn_limits`.

    Returns
    -------
    list of str
        Such as O1, the shortest turns of the operator; O where the duration is unknown.

    Examples
    --------
    >>> turns = [Turn("op", 0, 1, ()), Turn("me", 1, 9, ()), Turn("op", None, None, ())]
    >>> turn_tokens(Dialogue("d1", turns), {"op": "O", "me": "U"}, np.array([2.0, 4.0]))
    ['O1', 'U3', 'O']
    """
    levels = np.searchsorted(limits, [turn.duration for turn in dialogue.turns]) + 1
    return [
        roles[turn.speaker] + ("" if math.isnan(turn.duration) else str(level))
        for turn, level in zip(dialogue.turns, levels)
    ]


def prosody(dialogue: Dialogue, roles: Mapping[str, str]) -> list[float]:
    """Measure durations, shares of speech and speech rates.

    Parameters
    ----------
    dialogue : Dialogue
        Turns without times are left out.
    roles : mapping of str to str
        "O" or "U" for each speaker.

    Returns
    -------
    list of float
        In the order of ``PROSODY``: seconds from the first word to the last, mean seconds of a
        turn; for operator and user the share of these seconds in which they speak, and the
        letters they say per second of speech. NaN where there is nothing to measure.

    Examples
    --------
    >>> call = Dialogue("d1", [Turn("op", 0, 2, "hello there"), Turn("me", 3, 4, "good morning")])
    >>> prosody(call, {"op": "O", "me": "U"})
    [4.0, 1.5, 0.5, 0.25, 5.0, 11.0]
    """
    timed = [turn for turn in dialogue.turns if not math.isnan(turn.duration)]
    if not timed:
        return [math.nan] * len(PROSODY)
    first = min(turn.start for turn in timed if turn.start is not None)
    last = max(turn.end for turn in timed if turn.end is not None)
    parts = [[turn for turn in timed if roles[turn.speaker] == role] for role in "OU"]
    seconds = [_seconds(part) for part in parts]
    letters = [sum(turn.n_letters for turn in part) for part in parts]
    return [
        last - first,
        _seconds(timed) / len(timed),
        *(_ratio(spoken, last - first) for spoken in seconds),
        *(_ratio(n, spoken) for n, spoken in zip(letters, seconds)),
    ]


def _seconds(turns: Sequence[Turn]) -> float:
    return math.fsum(turn.duration for turn in turns)


def _ratio(part: float, whole: float) -> float:
    return part / whole if whole > 0 else math.nan
