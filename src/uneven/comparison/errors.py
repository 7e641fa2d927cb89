"""The error for input that a person can correct."""

from __future__ import annotations

import difflib
from collections.abc import Iterable

__all__ = ["InputError", "closest", "listing"]


class InputError(ValueError):
    """Something about the data or the request is wrong; the message says what and what to do."""


def listing(names: Iterable[object], limit: int = 8) -> str:
    """Join names for a sentence, cutting long lists.

    Examples
    --------
    >>> listing(["a", "b"])
    "'a', 'b'"
    >>> listing(range(12), limit=2)
    "'0', '1' and 10 more"
    """
    items = [repr(str(name)) for name in names]
    if len(items) <= limit:
        return ", ".join(items)
    return ", ".join(items[:limit]) + f" and {len(items) - limit} more"


def closest(name: str, known: Iterable[object]) -> str:
    """Sentence that proposes the most similar known name, or nothing.

    Examples
    --------
    >>> closest("combi", ["combo", "random_forest"])
    "did you mean 'combo'? "
    """
    lowered = {str(k).lower(): str(k) for k in known}
    found = difflib.get_close_matches(name.lower(), lowered, n=1)
    return f"did you mean {lowered[found[0]]!r}? " if found else ""
