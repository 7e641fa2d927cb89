"""The world in which invented calls take place: words, themes, entities, and how people talk.

The sizes are those of the call-centre corpus: 12 423 turns and 81 422 words of operators, 10 867
turns and 75 545 words of users in 508 dialogues. Its description fixes neither how keyword lists
are drawn nor how much the durations and entities of the themes differ; the constants below were
chosen once, looking at single views and clean words only. Turns, prosody and entities alone are
then about as poor as in the corpus; words alone are still easier.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from uneven.dialogues.lexicon import invented_words
from uneven.dialogues.records import Dialogue, Turn

_SPEAKERS = ("operator", "user")
_TURNS = 45.8
_TURNS_SHAPE = 3.0
_WORDS_PER_TURN = np.array([6.55, 6.95])
_USER_NEXT = 0.875
_SECONDS_PER_LETTER = 1 / 14
_THEME_SPREAD = 0.1
_PERSON_SPREAD = 0.25
_TURN_SPREAD = 0.3
_PAUSE = 0.4
_N_ENTITIES = 200
_ENTITIES_PER_DIALOGUE = 6.0
_ENTITY_CONTRAST = 1.0


@dataclass(frozen=True)
class World:
    """What all themes share, and what each one has for itself.

    Attributes
    ----------
    themes, vocabulary, entities : sequence of str
    word_law : ndarray of shape (n_words,)
        Cumulated frequencies of the words, whatever the theme.
    keywords : ndarray of int, shape (n_themes, 2, n_keywords)
        What operator and user of a theme talk about: positions in ``vocabulary``.
    keyword_share : float
    slowness : ndarray of shape (n_themes, 2)
        How much longer than usual the turns of operator and user last.
    entity_law : ndarray of shape (n_themes, n_entities)
        Cumulated frequencies of the entities.
    """

    themes: Sequence[str]
    vocabulary: Sequence[str]
    entities: Sequence[str]
    word_law: NDArray[np.float64]
    keywords: NDArray[np.intp]
    keyword_share: float
    slowness: NDArray[np.float64]
    entity_law: NDArray[np.float64]

    @classmethod
    def draw(
        cls,
        themes: Sequence[str],
        vocabulary_size: int,
        n_keywords: int,
        keyword_share: float,
        rng: np.random.RandomState,
    ) -> World:
        """Invent keywords, paces and entity frequencies of the themes.

        Examples
        --------
        >>> world = World.draw(["a", "b"], 100, 5, 0.2, np.random.RandomState(0))
        >>> world.keywords.shape
        (2, 2, 5)
        """
        usual = _zipf(vocabulary_size)
        lists = [
            rng.choice(vocabulary_size, n_keywords, replace=False, p=usual)
            for _ in range(2 * len(themes))
        ]
        contrast = np.exp(_ENTITY_CONTRAST * rng.standard_normal((len(themes), _N_ENTITIES)))
        return cls(
            themes=themes,
            vocabulary=invented_words(vocabulary_size),
            entities=[name.capitalize() for name in invented_words(_N_ENTITIES, shortest=2)],
            word_law=_cumulated(usual),
            keywords=np.array(lists).reshape(len(themes), 2, n_keywords),
            keyword_share=keyword_share,
            slowness=np.exp(_THEME_SPREAD * rng.standard_normal((len(themes), 2))),
            entity_law=_cumulated(_zipf(_N_ENTITIES) * contrast),
        )

    def keyword_lists(self) -> dict[tuple[str, str], list[str]]:
        """Keywords by theme and speaker."""
        return {
            (theme, speaker): [self.vocabulary[k] for k in self.keywords[number, who]]
            for number, theme in enumerate(self.themes)
            for who, speaker in enumerate(_SPEAKERS)
        }

    def dialogue(self, theme: int, name: str, rng: np.random.RandomState) -> Dialogue:
        """Draw a dialogue about a theme.

        Parameters
        ----------
        theme : int
        name : str
            Its id.
        rng : RandomState
        """
        who = _who_speaks(rng)
        lengths = rng.geometric(1 / _WORDS_PER_TURN[who])
        said = self._words(theme, np.repeat(who, lengths), rng)
        words = [said[end - n : end] for n, end in zip(lengths, np.cumsum(lengths))]
        starts, ends = self._times(theme, who, words, rng)
        turns = [
            Turn(_SPEAKERS[w], start, end, text)
            for w, start, end, text in zip(who, starts, ends, words)
        ]
        uniform = rng.random_sample(rng.poisson(_ENTITIES_PER_DIALOGUE))
        found = np.searchsorted(self.entity_law[theme], uniform, side="right")
        return Dialogue(name, turns, self.themes[theme], [self.entities[k] for k in found])

    def _words(self, theme: int, who: NDArray[np.intp], rng: np.random.RandomState) -> list[str]:
        """One word for each entry of ``who``."""
        usual = np.searchsorted(self.word_law, rng.random_sample(len(who)), side="right")
        pick = rng.randint(self.keywords.shape[2], size=len(who))
        topical = rng.random_sample(len(who)) < self.keyword_share
        drawn = np.where(topical, self.keywords[theme, who, pick], usual)
        return [self.vocabulary[k] for k in drawn]

    def _times(
        self,
        theme: int,
        who: NDArray[np.intp],
        words: list[list[str]],
        rng: np.random.RandomState,
    ) -> tuple[list[float], list[float]]:
        """Start and end of every turn, in seconds."""
        letters = np.array([sum(map(len, text)) for text in words])
        person = self.slowness[theme] * np.exp(_PERSON_SPREAD * rng.standard_normal(2))
        mood = np.exp(_TURN_SPREAD * rng.standard_normal(len(who)))
        seconds = _SECONDS_PER_LETTER * letters * person[who] * mood
        ends = np.cumsum(rng.exponential(_PAUSE, size=len(who)) + seconds)
        return (ends - seconds).round(2).tolist(), ends.round(2).tolist()


def _who_speaks(rng: np.random.RandomState) -> NDArray[np.intp]:
    """Speaker of each turn: users are always answered, operators sometimes go on."""
    n_turns = max(1, rng.poisson(rng.gamma(_TURNS_SHAPE, _TURNS / _TURNS_SHAPE)))
    yields = rng.random_sample(n_turns) < _USER_NEXT
    who = np.zeros(n_turns, dtype=np.intp)
    for turn in range(1, n_turns):
        who[turn] = who[turn - 1] == 0 and yields[turn]
    return who


def _zipf(size: int) -> NDArray[np.float64]:
    frequency = 1 / np.arange(1, size + 1)
    return frequency / frequency.sum()


def _cumulated(law: NDArray[np.float64]) -> NDArray[np.float64]:
    total = np.cumsum(law, axis=-1)
    return np.asarray(total / total[..., -1:])
