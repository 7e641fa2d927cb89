"""What is minimised: a linear combination of scores, a loss of it, a penalty on its weights.

Each of the three has a registry, filled by the decorator `named` of its classes; what is in it
can be chosen by name everywhere, and is tested with everything else.
"""

from collections.abc import Callable
from typing import Any, TypeVar

from uneven.utils.registry import Registry

__all__ = ["named"]

Kind = TypeVar("Kind", bound=type)


def named(table: Registry[Any], name: str) -> Callable[[Kind], Kind]:
    """Class decorator: register a class in a table under a name, which becomes its ``name``.

    Examples
    --------
    >>> table = Registry("size")
    >>> @named(table, "big")
    ... class Big:
    ...     pass
    >>> table["big"].name
    'big'
    """

    def register(kind: Kind) -> Kind:
        kind.name = name  # type: ignore[attr-defined]
        table.register(name, kind)
        return kind

    return register
