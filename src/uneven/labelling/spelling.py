"""Labels that look like slips: two spellings of one class, misspelt ones, and words for nothing."""

from __future__ import annotations

import difflib
from collections import Counter
from collections.abc import Iterable, Mapping

from uneven.comparison.labelfile import SKIP

ALIKE = 0.8
FREQUENT = 5
NO_CLASS: tuple[str, ...] = (
    "na",
    "n/a",
    "n.a.",
    "nan",
    "null",
    "none",
    "-",
    "--",
    "–",
    "??",
    "???",
    "tbd",
)
NO_CLASS += ("unknown", "unsure", "unclear", "not sure", "don't know", "dont know", "#n/a")


def label_notes(labels: Iterable[str]) -> list[str]:
    """What to say about labels.

    Parameters
    ----------
    labels : iterable of str
        One for each labelled row.

    Examples
    --------
    >>> label_notes(["cat", "Cat", "dog"])
    ["the labels 'cat' (1), 'Cat' (1) differ in spelling only, and count as 2 classes."]
    >>> label_notes(["cat", "NA"])
    ["the label 'NA' counts as a class; write ? for a row that cannot be labelled."]
    """
    counts = Counter(labels)
    return [*_two_spellings(counts), *_no_classes(counts), *_misspelt(counts)]


def _two_spellings(counts: Mapping[str, int]) -> list[str]:
    """Labels that differ in capitals, blanks, or in how a number is written."""
    groups: dict[str, list[str]] = {}
    for label in counts:
        groups.setdefault(_folded(label), []).append(label)
    return [
        f"the labels {', '.join(f'{label!r} ({counts[label]})' for label in group)} differ in "
        f"spelling only, and count as {len(group)} classes."
        for group in groups.values()
        if len(group) > 1
    ]


def _folded(label: str) -> str:
    try:
        return repr(float(label.replace(",", ".")) + 0.0)
    except ValueError:
        return " ".join(label.casefold().split())


def _no_classes(counts: Mapping[str, int]) -> list[str]:
    return [
        f"the label {label!r} counts as a class; write {SKIP} for a row that cannot be labelled."
        for label in counts
        if label.casefold() in NO_CLASS
    ]


def _misspelt(counts: Mapping[str, int]) -> list[str]:
    """Labels that occur once and look like a frequent one, but for numbers in them."""
    usual = {label.lower(): label for label, count in counts.items() if count >= FREQUENT}
    notes = []
    for label in (label for label, count in counts.items() if count == 1):
        near = difflib.get_close_matches(label.lower(), usual, n=1, cutoff=ALIKE)
        if near and _letters(near[0]) != _letters(label.lower()):
            notes.append(f"the label {label!r} occurs once; did you mean {usual[near[0]]!r}?")
    return notes


def _letters(label: str) -> str:
    return "".join(sign for sign in label if not sign.isdigit())
