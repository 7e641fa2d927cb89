"""Data and studies behind Figures 4.2 to 4.6: learning from the labels of a rough classifier."""

from __future__ import annotations

from uneven_published.description import Item, Study
from uneven_published.louche.cheap_label_studies import (
    ClassSizes,
    ErrorTable,
    GrowingSample,
    RuleRace,
)
from uneven_published.louche.cheap_labels import BATCH, CORE
from uneven_published.louche.real_rows import GeneratedTopics, KernelImages, Words

__all__ = [
    "DIGITS",
    "DIGIT_ERRORS",
    "DIGIT_ROW",
    "IMAGE_SAMPLES",
    "LETTERS",
    "LETTER_ERRORS",
    "LETTER_ROW",
    "RACE",
    "RULES",
    "SHARES",
    "SIZES",
    "STEPS",
    "TEXT_ERRORS",
    "TEXT_ROW",
    "TEXT_SAMPLES",
    "TOPIC_ROW",
    "TOPIC_ROW_70",
]

DIGITS = KernelImages(
    "optdigits",
    n_train=3823,
    scale=16.0,
    n_per_class=10,
    n_axes=640,
    n_landmarks=3823,
    width=0.575,
    steps=500,
)
LETTERS = KernelImages(
    "letter",
    n_train=15_000,
    scale=15.0,
    n_per_class=50,
    n_axes=1600,
    n_landmarks=3000,
    width=0.1,
    steps=1000,
)
SMALL_LETTERS = KernelImages(
    "letter",
    n_train=6000,
    n_test=2000,
    scale=15.0,
    n_per_class=50,
    n_axes=800,
    n_landmarks=2000,
    width=0.1,
    steps=300,
)
REUTERS = Words("reuters21578", 9, n_per_class=20, steps=500)
TOPICS = GeneratedTopics(20, 500)
TOPICS_70 = GeneratedTopics(70, 500)

DIGIT_ROW, LETTER_ROW, TEXT_ROW = "Handwritten Digits", "Letter Recognition", "Reuters"
WIDE_DIGITS = f"{DIGIT_ROW}, width 1"
TOPIC_ROW, TOPIC_ROW_70 = "Generated topics", "Generated topics, m=70"
TEXT_DATA = ("reuters21578",)
RULES = ("error", "confusion", "random")
STEPS = 150
SHARES = (0.01, 0.02, 0.05, 0.1, 0.2, 0.35, 0.5)

SIZES = Study(
    "louche-class-sizes",
    (
        Item(DIGIT_ROW, ("optdigits",)),
        Item(LETTER_ROW, ("letter",)),
        Item(TEXT_ROW, TEXT_DATA),
    ),
    ClassSizes({DIGIT_ROW: DIGITS, LETTER_ROW: LETTERS, TEXT_ROW: REUTERS}, most=26),
)
DIGIT_ERRORS = Study(
    "louche-errors-digits",
    (Item(DIGIT_ROW, ("optdigits",)), Item(WIDE_DIGITS, ("optdigits",))),
    ErrorTable({DIGIT_ROW: DIGITS, WIDE_DIGITS: DIGITS.at_width(1.0)}, n_draws=2),
    repeats=5,
    fast_items=(DIGIT_ROW,),
)
LETTER_ERRORS = Study(
    "louche-errors-letters",
    (Item(LETTER_ROW, ("letter",)),),
    ErrorTable({LETTER_ROW: LETTERS}, learners=tuple(name for name in CORE if name != BATCH)),
    repeats=3,
    fast_items=(),
)
TEXT_ERRORS = Study(
    "louche-errors-text",
    (Item(TEXT_ROW, TEXT_DATA), Item(TOPIC_ROW), Item(TOPIC_ROW_70)),
    ErrorTable({TEXT_ROW: REUTERS, TOPIC_ROW: TOPICS, TOPIC_ROW_70: TOPICS_70}),
    repeats=10,
    fast_repeats=3,
)
TEXT_SAMPLES = Study(
    "louche-samples-text",
    (Item(TEXT_ROW, TEXT_DATA), Item(TOPIC_ROW_70)),
    GrowingSample({TEXT_ROW: REUTERS, TOPIC_ROW_70: TOPICS_70}, SHARES),
    repeats=8,
    fast_repeats=2,
)
IMAGE_SAMPLES = Study(
    "louche-samples-images",
    (Item(DIGIT_ROW, ("optdigits",)), Item(LETTER_ROW, ("letter",))),
    GrowingSample({DIGIT_ROW: DIGITS, LETTER_ROW: SMALL_LETTERS}, SHARES),
    repeats=5,
    fast_items=(DIGIT_ROW,),
)
RACE = Study(
    "louche-rules",
    (Item(TEXT_ROW, TEXT_DATA), Item(TOPIC_ROW)),
    RuleRace({TEXT_ROW: REUTERS, TOPIC_ROW: TOPICS}, RULES, STEPS),
    repeats=10,
    fast_repeats=2,
)
