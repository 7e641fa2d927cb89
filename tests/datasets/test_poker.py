import itertools

import numpy as np
import pytest

from uneven.datasets import make_poker_hands
from uneven.datasets.poker import HAND_NAMES, hand_classes

SUITS = {"h": 1, "s": 2, "d": 3, "c": 4}
RANKS = {name: rank for rank, name in enumerate("A23456789TJQK", start=1)}


def hand(text):
    return [value for card in text.split() for value in (SUITS[card[1]], RANKS[card[0]])]


@pytest.mark.parametrize(
    ("cards", "name"),
    [
        ("2h 4s 6d 8c Th", "nothing"),
        ("Kh As 2d 3c 4h", "nothing"),
        ("Qh Ks Ad 2c 3h", "nothing"),
        ("2h 2s 6d 8c Th", "one pair"),
        ("Ah 7s 6d 8c As", "one pair"),
        ("2h 2s 6d 6c Th", "two pairs"),
        ("2h 2s 2d 6c Th", "three of a kind"),
        ("Ah 2s 3d 4c 5h", "straight"),
        ("Th Js Qd Kc Ah", "straight"),
        ("9h 6s 8d 7c 5h", "straight"),
        ("2h 4h 6h 8h Th", "flush"),
        ("Ah Kh 2h 3h 4h", "flush"),
        ("2h 2s 2d 6c 6h", "full house"),
        ("6h 6s 6d 6c 2h", "four of a kind"),
        ("Ac 2c 3c 4c 5c", "straight flush"),
        ("9d Kd Qd Jd Td", "straight flush"),
        ("As Ks Qs Js Ts", "royal flush"),
    ],
)
def test_every_category(cards, name):
    for order in ([0, 1, 2, 3, 4], [4, 2, 0, 3, 1]):
        shuffled = " ".join(np.array(cards.split())[order])
        assert HAND_NAMES[hand_classes([hand(shuffled)])[0]] == name


def test_all_hands_of_a_small_deck_are_counted_right():
    """Ranks ten to ace: 15 504 hands whose categories can be counted by combinatorics."""
    ranks = [1, 10, 11, 12, 13]
    deck = [(suit, rank) for suit in range(1, 5) for rank in ranks]
    hands = np.array([np.ravel(h) for h in itertools.combinations(deck, 5)])
    counts = np.bincount(hand_classes(hands), minlength=10)
    pairs = 5 * 6 * 4 * 4**3
    two_pairs = 10 * 6 * 6 * 3 * 4
    threes = 5 * 4 * 6 * 4**2
    houses = 5 * 4 * 4 * 6
    fours = 5 * 4 * 4
    assert counts.tolist() == [0, pairs, two_pairs, threes, 4**5 - 4, 0, houses, fours, 0, 4]


def test_dealt_hands_have_five_different_cards_and_the_right_frequencies():
    bunch = make_poker_hands(40_000, random_state=0)
    cards = bunch.data[:, 0::2] * 13 + bunch.data[:, 1::2]
    assert (np.diff(np.sort(cards, axis=1), axis=1) > 0).all()
    places, seen = np.unique(cards, return_counts=True)
    assert len(places) == 52
    assert seen / 40_000 == pytest.approx(np.full(52, 5 / 52), abs=0.01)
    for column in cards.T:
        assert np.unique(column, return_counts=True)[1] / 40_000 == pytest.approx(
            np.full(52, 1 / 52), abs=0.005
        )
    shares = np.bincount(bunch.target, minlength=10) / 40_000
    assert shares[:4] == pytest.approx([0.5012, 0.4226, 0.0475, 0.0211], abs=0.01)


def test_seed_frame_and_names():
    first = make_poker_hands(20, random_state=4)
    assert np.array_equal(first.data, make_poker_hands(20, random_state=4).data)
    frame = make_poker_hands(20, random_state=4, as_frame=True).data
    assert frame.columns.tolist()[-2:] == ["suit5", "rank5"]
    assert first.target_names[6] == "full house"


@pytest.mark.parametrize(
    "cards",
    [
        [1, 1, 1, 1, 1, 2, 1, 3, 1, 4],
        [5, 1, 1, 2, 1, 3, 1, 4, 1, 5],
        [1, 14, 1, 2, 1, 3, 1, 4, 1, 5],
    ],
)
def test_impossible_hands_are_refused(cards):
    good = hand("2h 4s 6d 8c Th")
    with pytest.raises(ValueError, match="row 1 is"):
        hand_classes([good, cards])


def test_bad_arguments_are_named():
    with pytest.raises(ValueError, match="n_samples=0"):
        make_poker_hands(0)
    with pytest.raises(ValueError, match=r"shape \(1, 4\)"):
        hand_classes([[1, 2, 3, 4]])
