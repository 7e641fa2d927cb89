"""What is said of the tables about calls: what stands in, how they are run, what explains them."""

from __future__ import annotations

__all__ = ["ALL_EXPLAINED", "BEST_OF_5000", "EASY", "NOTE", "PROTOCOL"]

NOTE = (
    "Emulated calls: the corpus (DECODA) is not public. Class sizes, speakers and word error rates "
    "are those of the source; what words and entities tell about the theme is invented."
)
PROTOCOL = (
    "Ten draws of 660 dialogues, split as in the source into 508 to learn from, as spoken, and 152 "
    "to be tested on, as spoken (gold) and as recognised (ASR), with the class sizes of the "
    "source. Stumps, 1000 rounds; AdaBoost is AdaBoost.MM here. Views: 1 users' words, 2 "
    "operators' words, 3 turns, 4 prosody, 5 named entities. The source has one split, so its "
    "numbers have no deviation; one dialogue is 0.7 %."
)
BEST_OF_5000 = (
    "The source runs 5000 rounds and prints the best result among them, which is optimistic; here "
    "it is the result after 1000 rounds. µCoMBo is the simplified version, as in the source; the "
    "exact one is shown beside it."
)

EASY = (
    "Invented calls are easier than real ones as spoken: errors are half of the printed ones or "
    "less. "
)
ALL_EXPLAINED = (
    f"{EASY}The minor views then tell little that words do not, so MuMBo chooses them no more "
    "often than AdaBoost does; and late AdaBoost suffers, because a weak view that learns for "
    "itself speaks as loudly as a strong one. Weighing classes alike helps more here than in print."
)
