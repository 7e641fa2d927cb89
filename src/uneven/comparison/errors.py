"""The error for input that a person can correct."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager

__all__ = ["InputError", "in_python_words", "python_words"]


class InputError(ValueError):
    """Something about the data or the request is wrong; the message says what and what to do."""


def python_words(message: str) -> str:
    """A sentence about options of the command line, about arguments of Python.

    Examples
    --------
    >>> python_words("class 'b' has 2 rows, fewer than the 3 folds; use --cv 2.")
    "class 'b' has 2 rows, fewer than the 3 folds; use cv=2."
    >>> python_words("column 'id' only numbers the rows and is left out (--keep id to use it).")
    "column 'id' only numbers the rows and is left out (keep=['id'] to use it)."
    """
    message = re.sub(r"--(drop|keep) (?=[^\s'])(.+?)(?= to use it\)|\.$)", r"\1=['\2']", message)
    message = re.sub(r"--cv (\d+)", r"cv=\1", message).replace("add --stack", "add stack=True")
    words = {"--target": "y", "--method ": "methods "}
    for option, word in words.items():
        message = message.replace(option, word)
    return re.sub(r"--([a-z][a-z-]*)", lambda found: found[1].replace("-", "_"), message)


@contextmanager
def in_python_words() -> Iterator[None]:
    """Let errors about the input speak of arguments in place of options."""
    try:
        yield
    except InputError as error:
        raise InputError(python_words(str(error))) from error
