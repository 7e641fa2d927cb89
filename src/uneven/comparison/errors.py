"""The error for input that a person can correct."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from contextlib import contextmanager

from uneven.utils.registry import Registry, listing


class InputError(ValueError):
    """Something about the data or the request is wrong; the message says what and what to do."""


def check_fold_number(folds: int) -> None:
    """Refuse fewer than two folds."""
    if folds < 2:
        raise InputError(f"--cv is {folds}; cross-validation needs at least 2 folds.")


def check_method_names(names: Iterable[str], known: Registry) -> None:
    """Refuse names that no method has, and the stack, which is none of its own."""
    wanted = list(names)
    for name in wanted:
        if name == "stack":
            raise InputError(
                "'stack' is no method of its own: leave it out and add --stack, which joins the "
                "methods that are named."
            )
        if name not in known:
            raise InputError(known.unknown(name))
    if not wanted:
        raise InputError(f"no method was named; the methods are {listing(known)}.")


def python_words(message: str) -> str:
    """A sentence about options of the command line, about arguments of Python.

    Examples
    --------
    >>> python_words("class 'b' has 2 rows, fewer than the 3 folds; use --cv 2.")
    "class 'b' has 2 rows, fewer than the 3 folds; use cv=2."
    >>> python_words("column 'id' only numbers the rows and is left out (--keep id to use it).")
    "column 'id' only numbers the rows and is left out (keep=['id'] to use it)."
    >>> python_words("--drop 'x' is not a column of table; the columns are 'a--b', '--cv 3'.")
    "drop 'x' is not a column of table; the columns are 'a--b', '--cv 3'."
    """
    start = r"(?<![\w'-])"  # options stand alone; names that look like them are quoted
    column = rf"{start}--(drop|keep) (?=[^\s'])(.+?)(?= to use it\)|\.$)"
    message = re.sub(rf"{start}--cv (\d+)", r"cv=\1", re.sub(column, r"\1=['\2']", message))
    message = message.replace("add --stack", "add stack=True")
    message = re.sub(rf"{start}--groups (.+?) measures", r"groups='\1' measures", message)
    regression = "group them into classes first, or "
    message = message.replace(
        f"{regression}name another --target",
        f"{regression}give them as text, y.astype(str), if they are classes",
    )
    for option, word in (("--target", "y"), ("--method ", "methods ")):
        message = re.sub(start + option, word, message)
    return re.sub(rf"{start}--([a-z][a-z-]*)", lambda found: found[1].replace("-", "_"), message)


@contextmanager
def in_python_words() -> Iterator[None]:
    """Let errors about the input name arguments instead of options."""
    try:
        yield
    except InputError as error:
        raise InputError(python_words(str(error))) from error
