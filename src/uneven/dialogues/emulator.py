"""Invented calls to a transport company, in the proportions of a real corpus."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from numbers import Integral, Real
from types import MappingProxyType
from typing import Any, Literal

import numpy as np
from sklearn.utils import Bunch, check_random_state

from uneven.dialogues.recogniser import WORD_ERROR_RATES, recognise
from uneven.dialogues.records import Dialogue
from uneven.dialogues.world import World
from uneven.utils.simplex import whole_counts

THEMES: Mapping[str, float] = MappingProxyType(
    {
        "fares": 35,
        "traffic": 158,
        "timetable": 32,
        "itinerary": 115,
        "pass": 90,
        "lost property": 87,
        "fine": 40,
        "frequent traveller": 35,
        "other": 68,
    }
)
"""Themes of the call-centre corpus and their dialogues, training and test together."""


def make_dialogues(
    n_samples: int = 660,
    *,
    condition: Literal["gold", "asr", "both"] = "both",
    theme_shares: Mapping[str, float] = THEMES,
    vocabulary_size: int = 2000,
    n_keywords: int = 30,
    keyword_share: float = 0.15,
    error_rates: Mapping[str, float] = WORD_ERROR_RATES,
    random_state: int | np.random.RandomState | None = None,
) -> Bunch:
    """Generate telephone dialogues between an operator and a user, each with one theme.

    A word of a dialogue comes from a vocabulary with Zipf frequencies that all themes share or,
    less often, from the keywords of the theme, of which operators and users have different ones.
    Themes also differ a little in how long turns last and in which named entities come up. The
    recognised dialogues ("asr") have the same turns, times and entities, but many other words.
    To train and test on the same themes, generate once and split.

    Parameters
    ----------
    n_samples : int, default=660
        Number of dialogues, at least one per theme.
    condition : {"gold", "asr", "both"}, default="both"
        Which transcripts to return: as spoken, as recognised, or both.
    theme_shares : mapping of str to float, default=THEMES
        Themes and their relative sizes. The counts are rounded and do not depend on the seed.
    vocabulary_size : int, default=2000
        Number of words.
    n_keywords : int, default=30
        Keywords of a theme and a speaker; they are words of the vocabulary, frequent ones rather
        than rare ones, so lists overlap.
    keyword_share : float, default=0.15
        Share of words that are drawn from the keywords, evenly, in [0, 1].
    error_rates : mapping of str to float, default=WORD_ERROR_RATES
        Word error rates of "operator" and "user" in the recognised dialogues; see
        :func:`~uneven.dialogues.recogniser.recognise`.
    random_state : int, RandomState or None, default=None
        Seed. The dialogues as spoken do not depend on ``condition`` or ``error_rates``.

    Returns
    -------
    Bunch
        ``dialogues`` and ``dialogues_asr``, object arrays of shape (n_samples,) with a
        :class:`~uneven.dialogues.Dialogue` each; ``target`` (n_samples,) in 0..K-1,
        ``target_names``, ``vocabulary``, and ``keywords``, a dict from theme and speaker to
        words.

    References
    ----------
    F. Bechet et al. (2012), *DECODA: a call-centre human-human spoken conversation corpus*, LREC.
    S. Koço (2013), *Tackling the uneven views problem with cooperation based ensemble learning
    methods*, PhD thesis, Aix-Marseille Université (class sizes, sizes of dialogues, error rates).

    Notes
    -----
    The corpus itself is not public. Correction of the source: 600 dialogues are printed, but its
    table has 508 for training and 152 for test, 660 in all.

    Examples
    --------
    >>> bunch = make_dialogues(100, random_state=0)
    >>> bunch.dialogues[0].theme, bunch.target_names[bunch.target[0]]
    ('lost property', 'lost property')
    >>> " ".join(bunch.dialogues[0].turns[0].words[:7])
    'ci til sa cen braifupo biplou co'
    >>> " ".join(bunch.dialogues_asr[0].turns[0].words[:8])
    'ci ci til sa cen braifupo biplou ceraico'
    """
    _check(n_samples, condition, theme_shares, vocabulary_size, n_keywords, keyword_share)
    seeds = check_random_state(random_state).randint(2**31 - 1, size=2)
    rng = np.random.RandomState(seeds[0])
    names = [str(name) for name in theme_shares]
    counts = whole_counts(n_samples, list(theme_shares.values()))
    target = rng.permutation(np.repeat(np.arange(len(names)), counts))
    world = World.draw(names, vocabulary_size, n_keywords, keyword_share, rng)
    digits = len(str(n_samples))
    gold = [
        world.dialogue(theme, f"d{number:0{digits}}", rng)
        for number, theme in enumerate(target.tolist(), start=1)
    ]
    bunch = Bunch(
        target=target,
        target_names=names,
        vocabulary=list(world.vocabulary),
        keywords=world.keyword_lists(),
    )
    if condition != "asr":
        bunch.dialogues = _object_array(gold)
    if condition != "gold":
        bunch.dialogues_asr = _object_array(
            recognise(
                gold,
                error_rates=error_rates,
                vocabulary=world.vocabulary,
                random_state=int(seeds[1]),
            )
        )
    return bunch


def _object_array(dialogues: Sequence[Dialogue]) -> np.ndarray:
    array = np.empty(len(dialogues), dtype=object)
    array[:] = dialogues
    return array


def _check(
    n_samples: Any,
    condition: Any,
    theme_shares: Any,
    vocabulary_size: Any,
    n_keywords: Any,
    keyword_share: Any,
) -> None:
    if condition not in ("gold", "asr", "both"):
        raise ValueError(f'condition={condition!r} is unknown; choose "gold", "asr" or "both".')
    _check_themes(theme_shares)
    for name, value, low in (
        ("n_samples", n_samples, len(theme_shares)),
        ("vocabulary_size", vocabulary_size, 2),
        ("n_keywords", n_keywords, 1),
    ):
        if not isinstance(value, Integral) or isinstance(value, bool) or value < low:
            raise ValueError(f"{name} must be a whole number, at least {low}, got {value!r}.")
    if n_keywords > vocabulary_size:
        raise ValueError(
            f"n_keywords={n_keywords} is more than the {vocabulary_size} words of the vocabulary."
        )
    if not isinstance(keyword_share, Real) or not 0 <= float(keyword_share) <= 1:
        raise ValueError(f"keyword_share must be between 0 and 1, got {keyword_share!r}.")


def _check_themes(theme_shares: Any) -> None:
    sizes = list(theme_shares.values()) if isinstance(theme_shares, Mapping) else []
    positive = all(isinstance(size, Real) and 0 < float(size) < np.inf for size in sizes)
    if len(sizes) < 2 or not positive:
        raise ValueError(
            f"theme_shares={theme_shares!r:.200}: give a mapping of two or more themes to positive "
            'sizes, such as {"pass": 2, "fine": 1}.'
        )
