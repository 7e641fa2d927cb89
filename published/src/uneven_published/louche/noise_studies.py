"""Learners from cheap labels, the self-labelling machine among them, and the studies of them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from uneven.linear import SelfLabellingSVM
from uneven.metrics import confusion_rate
from uneven_published.description import Answers, Context, Item, Study
from uneven_published.louche.cheap_labels import (
    BATCH,
    CORE,
    SAMPLE,
    UMA,
    Draw,
    GeneratedTopics,
    KernelImages,
    Rows,
    Source,
    Words,
    core_learners,
    draw_labelled,
    perceptron,
    seen_matrix,
    uma,
)

UNLABELLED = -1
Floats = NDArray[np.float64]


SSVM, SSVM_UNPROJECTED = "h_SSVM", "h_SSVM (no K-PCA)"
_FIRST_SEED = 200


@dataclass(frozen=True)
class ClassSizes:
    """How many training rows each class has, largest first.

    Attributes
    ----------
    sources : mapping of str to Source
        By item.
    most : int
        Length of the curves; NaN behind the last class.
    """

    sources: Mapping[str, Any]
    most: int

    def __call__(self, item: str, repeat: int, context: Context) -> Answers:
        """Count."""
        sizes = np.sort(np.unique(_labels(self.sources[item], context), return_counts=True)[1])
        curve = np.full(self.most, np.nan)
        curve[: len(sizes)] = sizes[::-1]
        numbers = {"classes": len(sizes), "largest": sizes[-1], "smallest": sizes[0]}
        return {"training rows": {"sizes": curve[None], **numbers}}


def _labels(source: Any, context: Context) -> NDArray[Any]:
    if hasattr(source, "plain"):
        return source.plain(context)[1][: source.n_train]
    return source.rows(context, 0).t


@dataclass(frozen=True)
class ErrorTable:
    """Test errors of all learners.

    Attributes
    ----------
    sources : mapping of str to Source
        By item.
    n_draws : int
        Draws of labelled rows in a cell: they share the rows, which take the longest to make.
    learners : tuple of str
        Of `core_learners`.
    """

    sources: Mapping[str, Source]
    n_draws: int = 1
    learners: tuple[str, ...] = CORE

    def __call__(self, item: str, repeat: int, context: Context) -> Answers:
        """Errors of one repetition, a sample per draw."""
        source = self.sources[item]
        rows, unprojected = source.rows(context, repeat), source.unprojected(context, repeat)
        found: dict[str, list[float]] = {}
        for k in range(self.n_draws):
            seed = _FIRST_SEED + repeat * self.n_draws + k
            labelled = draw_labelled(rows.t, source.n_per_class, seed)
            draw = Draw.of(rows, labelled)
            for name, fit in core_learners(draw, source.steps, self.learners):
                found.setdefault(name, []).append(rows.error(fit()))
            for name, seen in ((SSVM, rows), (SSVM_UNPROJECTED, unprojected)):
                if seen is not None:
                    error = seen.error(_semi_supervised(seen, labelled.sample))
                    found.setdefault(name, []).append(error)
        return {name: {"error": errors} for name, errors in found.items()}


@dataclass(frozen=True)
class GrowingSample:
    """Test errors as the labelled sample grows; each sample holds the smaller ones.

    Attributes
    ----------
    sources : mapping of str to Source
        By item.
    shares : tuple of float
        Sizes of the sample, relative to the training rows.
    n_draws : int
        Draws in a cell.
    """

    sources: Mapping[str, Source]
    shares: tuple[float, ...]
    n_draws: int = 1

    def __call__(self, item: str, repeat: int, context: Context) -> Answers:
        """Curves of one repetition, one per draw."""
        source = self.sources[item]
        rows = source.rows(context, repeat)
        curves = np.empty((3, self.n_draws, len(self.shares)))
        for k in range(self.n_draws):
            seed = _FIRST_SEED + repeat * self.n_draws + k
            largest = max(self.shares)
            labelled = draw_labelled(rows.t, source.n_per_class, seed, largest, whole=False)
            draw = Draw.of(rows, labelled)
            for place, share in enumerate(self.shares):
                sample = labelled.sample[: round(share * len(rows.t))]
                curves[:, k, place] = _errors(draw, sample, source.steps)
        return {
            name: {"error": found, "first": found[:, 0], "last": found[:, -1]}
            for name, found in zip((UMA, SAMPLE, SSVM), curves)
        }


def _errors(draw: Draw, sample: NDArray[np.intp], steps: int) -> tuple[float, float, float]:
    """Errors of UMA, of the perceptron and of the semi-supervised SVM, given a sample."""
    rows = draw.rows
    models = (
        uma(steps, seen_matrix(draw, sample)).fit(rows.X, draw.cheap),
        perceptron(len(sample)).fit(rows.X[sample], rows.t[sample]),
        _semi_supervised(rows, sample),
    )
    first, second, third = (rows.error(model) for model in models)
    return first, second, third


def _semi_supervised(rows: Rows, sample: NDArray[np.intp]) -> SelfLabellingSVM:
    """SVM on all rows, with the labels of the sample."""
    told = np.full(len(rows.t), -1)
    told[sample] = rows.t[sample]
    return SelfLabellingSVM().fit(rows.X, told)


@dataclass(frozen=True)
class RuleRace:
    """Error and confusion rate after every step of UMA, for rules that select pairs.

    Attributes
    ----------
    sources : mapping of str to Source
        By item.
    rules : tuple of str
    steps : int
    """

    sources: Mapping[str, Source]
    rules: tuple[str, ...]
    steps: int

    def __call__(self, item: str, repeat: int, context: Context) -> Answers:
        """Curves of one draw."""
        source = self.sources[item]
        rows = source.rows(context, repeat)
        seed = _FIRST_SEED + repeat
        draw = Draw.of(rows, draw_labelled(rows.t, source.n_per_class, seed))
        matrix = seen_matrix(draw)
        found = {}
        for rule in self.rules:
            model = uma(self.steps, matrix, selection=rule, random_state=seed)
            errors, rates = _watch(model, draw, self.steps)
            found[rule] = {
                "error": errors[None],
                "rate": rates[None],
                "last error": errors[-1],
                "last rate": rates[-1],
            }
        return found


def _watch(model: Any, draw: Draw, steps: int) -> tuple[Floats, Floats]:
    """Test error and confusion rate after every step; a model that stops stays as it is."""
    rows = draw.rows
    measured = np.empty((2, steps))
    for step in range(steps):
        model.partial_fit(rows.X, draw.cheap, classes=rows.classes)
        answers = model.predict(rows.X_test)
        measured[:, step] = (
            np.mean(answers != rows.t_test),
            confusion_rate(rows.t_test, answers),
        )
    return measured[0], measured[1]


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
