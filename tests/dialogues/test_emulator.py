"""The emulator keeps the sizes, shares and error rates that it promises."""

from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_array_equal

import uneven.datasets
from uneven.dialogues import THEMES, WORD_ERROR_RATES, Dialogue, Turn, make_dialogues, recognise
from uneven.dialogues.lexicon import close_words, invented_words


@pytest.fixture(scope="module")
def corpus():
    return make_dialogues(random_state=0)


def words_of(calls, speaker):
    return [
        w for call in calls for turn in call.turns if turn.speaker == speaker for w in turn.words
    ]


@pytest.mark.slow
def test_themes_have_the_shares_of_the_corpus(corpus):
    assert sum(THEMES.values()) == 508 + 152
    assert dict(zip(corpus.target_names, np.bincount(corpus.target))) == THEMES
    assert [call.theme for call in corpus.dialogues] == [
        corpus.target_names[k] for k in corpus.target
    ]
    assert len({call.id for call in corpus.dialogues}) == 660
    assert uneven.datasets.make_dialogues is make_dialogues


@pytest.mark.parametrize(
    ("speaker", "turns", "words"), [("operator", 12423, 81422), ("user", 10867, 75545)]
)
def test_dialogues_have_the_size_of_the_corpus(corpus, speaker, turns, words):
    found = [turn for call in corpus.dialogues for turn in call.turns if turn.speaker == speaker]
    assert len(found) / 660 == pytest.approx(turns / 508, rel=0.08)
    assert len(words_of(corpus.dialogues, speaker)) / len(found) == pytest.approx(
        words / turns, rel=0.03
    )


def test_operators_have_the_share_of_turns_that_they_have_in_the_corpus(corpus):
    who = [turn.speaker == "operator" for call in corpus.dialogues for turn in call.turns]
    assert np.mean(who) == pytest.approx(12423 / (12423 + 10867), abs=0.02)


def test_turns_follow_each_other(corpus):
    for call in corpus.dialogues:
        assert call.turns[0].speaker == "operator"
        for now, then in zip(call.turns, call.turns[1:]):
            assert now.end <= then.start
            assert "operator" in (now.speaker, then.speaker)


@pytest.mark.slow
def test_same_seed_same_dialogues_whatever_the_condition():
    both, again = (make_dialogues(30, random_state=0) for _ in range(2))
    assert_array_equal(again.dialogues, both.dialogues)
    assert_array_equal(again.dialogues_asr, both.dialogues_asr)
    gold = make_dialogues(30, condition="gold", error_rates={}, random_state=0)
    assert_array_equal(gold.dialogues, both.dialogues)
    assert "dialogues_asr" not in gold
    heard = make_dialogues(30, condition="asr", random_state=np.random.RandomState(0))
    assert_array_equal(heard.dialogues_asr, both.dialogues_asr)
    assert "dialogues" not in heard
    other = make_dialogues(30, random_state=1)
    assert (other.dialogues != both.dialogues).all()


def test_background_words_follow_zipf_and_keywords_are_as_frequent_as_said():
    bunch = make_dialogues(
        300, condition="gold", theme_shares={"a": 1, "b": 1}, n_keywords=10, random_state=0
    )
    usual = 1 / np.arange(1, 2001) / np.sum(1 / np.arange(1, 2001))
    place = {word: k for k, word in enumerate(bunch.vocabulary)}
    for number, theme in enumerate(bunch.target_names):
        calls = bunch.dialogues[bunch.target == number]
        for speaker in ("operator", "user"):
            said = words_of(calls, speaker)
            counts = Counter(said)
            expected = 0.85 * usual
            expected[[place[w] for w in bunch.keywords[theme, speaker]]] += 0.15 / 10
            sample = [0, 1, 2, 5, *(place[w] for w in bunch.keywords[theme, speaker])]
            for k in sample:
                share = counts[bunch.vocabulary[k]] / len(said)
                spread = np.sqrt(expected[k] / len(said))
                assert share == pytest.approx(expected[k], abs=5 * spread)


def test_speakers_and_themes_have_lists_of_their_own(corpus):
    lists = [frozenset(words) for words in corpus.keywords.values()]
    place = {word: k for k, word in enumerate(corpus.vocabulary)}
    assert np.median([place[word] for words in lists for word in words]) < 500
    assert len(set(lists)) == 18
    assert all(len(words) == 30 for words in lists)


def test_themes_differ_in_pace_and_entities(corpus):
    theme = corpus.target
    entities = [Counter() for _ in corpus.target_names]
    pace = [[] for _ in corpus.target_names]
    for k, call in zip(theme, corpus.dialogues):
        entities[k].update(call.entities)
        pace[k] += [turn.duration / turn.n_letters for turn in call.turns]
    assert np.ptp([np.mean(p) for p in pace]) > 0.05 * np.mean([np.mean(p) for p in pace])
    assert len(set().union(*entities)) <= 200
    common = set(entities[1]) & set(entities[3])
    assert len(common) > 0.4 * len(set(entities[1]) | set(entities[3]))
    assert len({counts.most_common(1)[0][0] for counts in entities}) > 3


@pytest.mark.slow
@pytest.mark.parametrize("speaker", ["operator", "user"])
def test_the_channel_makes_the_promised_mistakes(corpus, speaker):
    close = close_words(corpus.vocabulary)
    place = {word: k for k, word in enumerate(corpus.vocabulary)}
    rate = WORD_ERROR_RATES[speaker]
    for split, kept, swapped, length in [
        ((1, 0, 0), 1 - rate, rate, 1.0),
        ((0, 1, 0), 1 - rate, 0.0, 1 - rate),
        ((0, 0, 1), 1.0, 0.0, 1 + rate),
    ]:
        alone = [
            Dialogue(f"d{k}", [Turn(speaker, 0, 1, [word])])
            for k, word in enumerate(words_of(corpus.dialogues[:20], speaker))
        ]
        heard = recognise(alone, error_split=split, vocabulary=corpus.vocabulary, random_state=0)
        pairs = [(a.turns[0].words[0], b.turns[0].words) for a, b in zip(alone, heard)]
        n = len(pairs)
        spread = 4 * np.sqrt(0.25 / n)
        assert sum(said in got[-1:] for said, got in pairs) / n == pytest.approx(kept, abs=spread)
        near = [
            got[-1] in {corpus.vocabulary[j] for j in close[place[said]]}
            for said, got in pairs
            if got and got[-1] != said
        ]
        assert all(near)
        first = Counter(got for said, got in pairs if said == corpus.vocabulary[0])
        assert len(first) == {1.0: 6, 1 - rate: 2}.get(length, len(first))
        assert len(near) / n == pytest.approx(swapped, abs=spread)
        assert sum(len(got) for _, got in pairs) / n == pytest.approx(length, abs=spread)


def test_the_channel_mixes_mistakes_seventy_twenty_ten(corpus):
    for speaker, rate in WORD_ERROR_RATES.items():
        said, heard = (words_of(c, speaker) for c in (corpus.dialogues, corpus.dialogues_asr))
        assert len(heard) / len(said) == pytest.approx(1 - 0.2 * rate + 0.1 * rate, abs=0.005)
        kept = sum((Counter(said) & Counter(heard)).values()) / len(said)
        assert kept > 1 - rate


def test_the_channel_keeps_everything_but_words(corpus):
    for said, heard in zip(corpus.dialogues[:50], corpus.dialogues_asr[:50]):
        assert (heard.id, heard.theme, heard.entities) == (said.id, said.theme, said.entities)
        for a, b in zip(said.turns, heard.turns, strict=True):
            assert (b.speaker, b.start, b.end) == (a.speaker, a.start, a.end)
            assert b.n_letters == a.n_letters


def test_hearing_without_mistakes_changes_nothing_but_the_count_of_letters():
    calls = [Dialogue("d1", [Turn("user", 0, 1, "a b")])]
    heard = recognise(calls, error_rates={"user": 0.0}, random_state=0)
    assert heard[0].turns[0].words == ("a", "b")
    assert recognise([Dialogue("d1", [])], random_state=0) == [Dialogue("d1", [])]


def test_a_silent_corpus_is_heard_as_it_is():
    calls = [Dialogue("d1", [Turn("user", 0, 1, "")])]
    assert recognise(calls, random_state=0) == calls


def test_close_words_are_a_matter_of_the_vocabulary():
    words = invented_words(300)
    first = close_words(words)
    assert first.shape == (300, 5)
    assert (first != np.arange(300)[:, None]).all()
    assert_array_equal(first, close_words(words))
    back = close_words(words[::-1])
    assert np.mean(first[:, 0] == 299 - back[::-1, 0]) > 0.5


@given(st.lists(st.text("abc", min_size=1, max_size=4), min_size=2, max_size=12, unique=True))
def test_close_words_agree_with_the_plain_count_of_letter_pairs(words):
    def pairs(word):
        return {a + b for a, b in zip(" " + word, word + " ")}

    def likeness(a, b):
        return 2 * len(pairs(a) & pairs(b)) / (len(pairs(a)) + len(pairs(b)))

    found = close_words(words, 3)
    assert found.shape == (len(words), min(3, len(words) - 1))
    for k, word in enumerate(words):
        others = sorted((-likeness(word, w), j) for j, w in enumerate(words) if j != k)
        expected = [-value for value, _ in others[: found.shape[1]]]
        assert [likeness(word, words[j]) for j in found[k]] == pytest.approx(expected)
        assert k not in found[k]
        assert len(set(found[k].tolist())) == found.shape[1]


def test_invented_words_are_different_and_grow_longer():
    words = invented_words(3000)
    assert len(set(words)) == 3000
    assert words[:100] == invented_words(100)
    assert np.mean([*map(len, words[:60])]) < np.mean([*map(len, words[-60:])]) - 2
    assert all(len(set(word) & set("aeiou")) > 0 and word.isalpha() for word in words)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"n_samples": 8}, "n_samples must be a whole number, at least 9, got 8"),
        ({"n_samples": 20.0}, "n_samples must be a whole number, at least 9, got 20.0"),
        ({"condition": "noisy"}, "condition='noisy'"),
        ({"theme_shares": {"a": 1}}, "theme_shares=.*two or more themes"),
        ({"theme_shares": {"a": 1, "b": 0}}, "theme_shares=.*positive sizes"),
        ({"vocabulary_size": 1}, "vocabulary_size must be a whole number, at least 2"),
        ({"n_keywords": 0}, "n_keywords must be a whole number, at least 1"),
        ({"n_keywords": 31, "vocabulary_size": 30}, "n_keywords=31 is more than the 30 words"),
        ({"keyword_share": 1.5}, "keyword_share must be between 0 and 1, got 1.5"),
        ({"keyword_share": np.nan}, "keyword_share must be between 0 and 1, got nan"),
        ({"keyword_share": "x"}, "keyword_share must be between 0 and 1, got 'x'"),
        ({"keyword_share": None}, "keyword_share must be between 0 and 1, got None"),
        ({"theme_shares": ["a", "b"]}, r"theme_shares=\['a', 'b'\]: give a mapping"),
        ({"theme_shares": {"a": 1, "b": "x"}}, "theme_shares=.*give a mapping"),
        ({"theme_shares": {"a": 1, "b": np.nan}}, "theme_shares=.*give a mapping"),
        ({"error_rates": {"operator": 0.5}}, "no error rate for speaker 'user'"),
        ({"error_rates": {"operator": 0.5, "user": 1.2}}, "1.2 for 'user' is not between"),
    ],
)
def test_bad_arguments_are_named(arguments, message):
    with pytest.raises(ValueError, match=message):
        make_dialogues(**({"n_samples": 20, "random_state": 0} | arguments))


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"error_split": (1, 2)}, r"error_split=\(1, 2\): give three shares"),
        ({"error_split": (0, 0, 0)}, "give three shares"),
        ({"error_split": (1, -1, 1)}, "give three shares"),
        ({"vocabulary": ["a", "c"]}, "1 words of the dialogues, such as 'b', are not in"),
        ({"vocabulary": ["a", "b", "b"]}, "3 words, 2 different ones"),
    ],
)
def test_the_channel_names_bad_arguments(arguments, message):
    with pytest.raises(ValueError, match=message):
        recognise([Dialogue("d1", [Turn("user", 0, 1, "a b")])], **arguments)
