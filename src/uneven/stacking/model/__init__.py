"""What is minimised: a linear combination of scores, a loss of it, a penalty on its weights.

Each of the three has a table of names, filled by the decorator `named` beside its classes; what is
in the tables can be asked for everywhere, and is tested with everything else.
"""

from collections.abc import Callable, MutableMapping
from typing import Any, TypeVar

__all__ = ["named"]

Kind = TypeVar("Kind", bound=type)


def named(table: MutableMapping[str, Any], name: str) -> Callable[[Kind], Kind]:
    """Class decorator: put a class into a table under a name, which becomes its ``name``.

    Examples
    --------
    >>> table = {}
    >>> @named(table, "big")
    ... class Big:
    ...     pass
    >>> table["big"].name
    'big'
    """

    def register(kind: Kind) -> Kind:
        kind.name = name  # type: ignore[attr-defined]
        table[name] = kind
        return kind

    return register
