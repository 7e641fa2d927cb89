"""What classes and people may be called, so that every file and spreadsheet can hold it."""

from __future__ import annotations

import re
from collections.abc import Sequence

from uneven.comparison.errors import InputError
from uneven.comparison.labelfile import SKIP

LONGEST_LABEL, LONGEST_NAME = 200, 80
MOST_PEOPLE = 500


class RefusedError(ValueError):
    """Something that cannot be kept, with a sentence for the person who sent it."""


def is_formula(text: str) -> bool:
    """Whether a spreadsheet may take a text for a formula: not a number, not a sign alone.

    Examples
    --------
    >>> [is_formula(text) for text in ("=1+1", "-cmd|x", "-1.5", "+", "a=b")]
    [True, True, False, False, False]
    """
    number = r"[-+]?\d+([.,]\d+)?([eE][-+]?\d+)?"
    begins = text.startswith(("=", "+", "-", "@", "\t", "\r")) and len(text) > 1
    return begins and re.fullmatch(number, text) is None


def check_label(label: str) -> str:
    """A class as it is kept: one line, no blanks around it.

    Examples
    --------
    >>> check_label("  spam ")
    'spam'
    >>> check_label("=1+1")
    Traceback (most recent call last):
        ...
    uneven.labelling.naming.RefusedError: spreadsheets take a class that begins with '=' for a
        formula: choose another name.
    """
    label = label.strip()
    if not 0 < len(label) <= LONGEST_LABEL or not label.isprintable():
        raise RefusedError(
            f"a class has 1 to {LONGEST_LABEL} signs on one line, none of them invisible."
        )
    if label == SKIP:
        raise RefusedError(f"{SKIP} stands for a row that cannot be labelled: it is no class.")
    if is_formula(label):
        raise RefusedError(
            f"spreadsheets take a class that begins with {label[0]!r} for a formula: choose "
            "another name."
        )
    return label


def check_name(name: str) -> str:
    """The name of a person as it is kept.

    Examples
    --------
    >>> check_name(" Ann   Lee ")
    'Ann Lee'
    """
    name = " ".join(name.split())
    if not 0 < len(name) <= LONGEST_NAME or not name.isprintable():
        raise RefusedError(f"a name has 1 to {LONGEST_NAME} signs, none of them invisible.")
    if is_formula(name):
        raise RefusedError(
            f"spreadsheets take a name that begins with {name[0]!r} for a formula: choose another."
        )
    return name


def read_people(given: str | int | Sequence[str]) -> tuple[str, ...] | int:
    """A number of people, or a list of names.

    Examples
    --------
    >>> read_people("2"), read_people("ann, bob")
    (2, ('ann', 'bob'))
    """
    if isinstance(given, int) or (isinstance(given, str) and given.strip().isdigit()):
        if not 1 <= int(given) <= MOST_PEOPLE:
            raise InputError(f"--annotators {given}: give 1 to {MOST_PEOPLE}, or names.")
        return int(given)
    words = given.split(",") if isinstance(given, str) else map(str, given)
    try:
        names = tuple(dict.fromkeys(check_name(word) for word in words if word.strip()))
    except RefusedError as error:
        raise InputError(f"--annotators {given}: {error}") from error
    if not 0 < len(names) <= MOST_PEOPLE:
        raise InputError(
            f"--annotators: give a number, or up to {MOST_PEOPLE} names separated by commas."
        )
    return names


def read_classes(names: Sequence[str]) -> list[str]:
    """Classes that are known from the start.

    Examples
    --------
    >>> read_classes(["spam", " ham"])
    ['spam', 'ham']
    """
    try:
        return [check_label(name) for name in names]
    except RefusedError as error:
        raise InputError(f"--classes {','.join(names)}: {error}") from error
