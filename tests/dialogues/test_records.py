"""Dialogues as objects: what they hold and what they refuse."""

import dataclasses
import math
import pickle

import numpy as np
import pytest

from uneven.dialogues import Dialogue, Turn


def test_words_given_as_text_are_split_at_white_space():
    assert Turn("user", 0, 1, " où\test\nla ligne ").words == ("où", "est", "la", "ligne")
    assert Turn("user", 0, 1, ["la ligne", "B"]).words == ("la ligne", "B")


def test_lists_become_tuples_and_numbers_floats():
    turn = Turn("user", np.int64(1), np.float32(2.5), ["a"], ["B"], np.int64(3))
    assert (turn.start, turn.end, turn.entities, turn.letters) == (1.0, 2.5, ("B",), 3)
    assert [type(v) for v in (turn.start, turn.end, turn.letters)] == [float, float, int]
    call = Dialogue("d", [turn], entities=["A"])
    assert call.turns == (turn,)
    assert call.all_entities == ("A", "B")
    assert hash(call) == hash(pickle.loads(pickle.dumps(call)))
    with pytest.raises(dataclasses.FrozenInstanceError):
        call.theme = "x"


def test_duration_and_letters():
    assert Turn("user", 1.25, 2.0, "ab cde").duration == 0.75
    assert Turn("user", 1.25, 2.0, "ab cde").n_letters == 5
    assert Turn("user", 1.25, 2.0, "ab cde", letters=9).n_letters == 9
    assert Turn("user", 1.25, 2.0, "ab cde", letters=0).n_letters == 0
    assert math.isnan(Turn("user", None, None, "ab").duration)


def test_an_array_of_dialogues_has_one_dimension():
    calls = [Dialogue("d1", [Turn("user", 0, 1, "a")] * 2), Dialogue("d2", [])]
    assert np.array(calls, dtype=object).shape == (2,)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("", 0, 1, "a"), "speaker must be a non-empty string, got ''"),
        ((7, 0, 1, "a"), "speaker must be a non-empty string, got 7"),
        (("user", 2, 1, "a"), r"ends \(1.0\) before it starts \(2.0\)"),
        (("user", 0, None, "a"), "start=0.0 and end=None: give both"),
        (("user", None, 3, "a"), "start=None and end=3.0: give both"),
        (("user", "0", 1, "a"), "start must be a number of seconds or None, got '0'"),
        (("user", True, 1, "a"), "start must be a number of seconds or None, got True"),
        (("user", 0, math.nan, "a"), "end=nan: times must be finite"),
        (("user", 0, math.inf, "a"), "end=inf: times must be finite"),
        (("user", 0, 10**400, "a"), "end=1000.*: times must be finite"),
        (("user", 0, 1, 5), "words must be a list of strings, got 5"),
        (("user", 0, 1, b"a b"), "words must be a list of strings"),
        (("user", 0, 1, ["a", 5]), "words must hold non-empty strings, got 5"),
        (("user", 0, 1, ["a", ""]), "words must hold non-empty strings, got ''"),
        (("user", 0, 1, "a", "Lyon"), "entities must be a list of strings, got 'Lyon'"),
        (("user", 0, 1, "a", (), 1.5), "letters must be a whole number or None, got 1.5"),
        (("user", 0, 1, "a", (), True), "letters must be a whole number or None, got True"),
        (("user", 0, 1, "a", (), -1), "letters=-1"),
    ],
)
def test_bad_turns_are_refused(arguments, message):
    with pytest.raises(ValueError, match=message):
        Turn(*arguments)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((3, []), "id must be a non-empty string, got 3"),
        (("d", [], " "), "theme must be a non-empty string"),
        (("d", None), "turns must be a list of Turn, got None"),
        (("d", Turn("user", 0, 1, "a")), "turns must be a list of Turn"),
        (("d", [Turn("user", 0, 1, "a"), {"speaker": "user"}]), "turn 2 must be a Turn"),
        (("d", [], None, [""]), "entities must hold non-empty strings"),
    ],
)
def test_bad_dialogues_are_refused(arguments, message):
    with pytest.raises(ValueError, match=message):
        Dialogue(*arguments)


def test_times_may_be_left_out_but_not_words():
    assert Turn("user", words="good morning") == Turn("user", None, None, ["good", "morning"])
    with pytest.raises(ValueError, match="words must be a list of strings, got None"):
        Turn("user")


def test_numbers_beyond_all_bounds_are_named():
    with pytest.raises(ValueError, match="letters=a whole number of thousands of digits is above"):
        Turn("user", words="a", letters=10**5000)
    with pytest.raises(ValueError, match="end=a whole number of thousands of digits: times"):
        Turn("user", 0, 10**5000, "a")
