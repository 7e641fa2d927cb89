"""Tables of named things that are filled where the things are defined.

A package that offers a choice by name (methods, measures, query rules, penalties) has one
`Registry`; what belongs to an entry is written next to its class or function, mostly by a
decorator, and every list of names is derived from it:

>>> rules = Registry("query rule")
>>> rules.register("random", "any row")
>>> rules.register("simple", "nearest to the hyperplane", order=10)
>>> list(rules)
['simple', 'random']
>>> rules.find("simpel")
Traceback (most recent call last):
...
ValueError: unknown query rule 'simpel'; did you mean 'simple'? the query rules are 'simple', ...

`read_declarations` reads the decorators from the sources, for help texts that must not wait for
scikit-learn.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Iterator, MutableMapping
from functools import cache
from importlib import import_module
from importlib.resources import files
from importlib.resources.abc import Traversable
from typing import Any, Generic, TypeVar

Entry = TypeVar("Entry")

MIDDLE = 50.0
"""Place of entries that do not say where they stand."""


class Registry(MutableMapping[str, Entry], Generic[Entry]):
    """Named entries in the order of their numbers, then of their registration.

    Parameters
    ----------
    kind : str
        What an entry is, for the error about an unknown one.
    """

    def __init__(self, kind: str) -> None:
        self.kind = kind
        self._entries: dict[str, Entry] = {}
        self._order: dict[str, float] = {}

    def register(self, name: str, entry: Entry, order: float = MIDDLE) -> None:
        """Add an entry, once.

        Parameters
        ----------
        name : str
            The name of an entry.
        entry : object
        order : float, default=50
            Where it stands: smaller numbers first.
        """
        if name in self._entries:
            raise ValueError(f"there is a {self.kind} {name!r} already.")
        self._entries[name] = entry
        self._order[name] = order

    def find(self, name: str) -> Entry:
        """The entry of that name, or a ValueError that lists the names."""
        if name not in self._entries:
            raise ValueError(self.unknown(name))
        return self._entries[name]

    def unknown(self, name: str) -> str:
        """Message about a name that is not here: the most similar one, and all of them."""
        return (
            f"unknown {self.kind} {name!r}; {closest(name, self)}the {self.kind}s are "
            f"{listing(self)}."
        )

    def __getitem__(self, name: str) -> Entry:
        return self._entries[name]

    def __setitem__(self, name: str, entry: Entry) -> None:
        self._entries[name] = entry
        self._order.setdefault(name, MIDDLE)

    def __delitem__(self, name: str) -> None:
        del self._entries[name], self._order[name]

    def __iter__(self) -> Iterator[str]:
        return iter(sorted(self._entries, key=self._order.__getitem__))

    def __len__(self) -> int:
        return len(self._entries)

    def __repr__(self) -> str:
        return f"Registry({self.kind!r}: {', '.join(self)})"


def import_families() -> None:
    """Import the packages whose classes can be compared and kept in files: they register."""
    for family in ("boosting", "ensemble", "fusion", "linear", "noise", "stacking", "versionspace"):
        import_module(f"uneven.{family}")


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


def spelled(name: str) -> str:
    """A name as it is declared: its words are joined by underscores.

    Examples
    --------
    >>> spelled("random-forest")
    'random_forest'
    """
    return name.replace("-", "_")


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


@cache
def read_declarations(declaration: str, *fields: str) -> tuple[dict[str, Any], ...]:
    """What the calls of a registering function in the sources of this package say.

    No module is imported: that would take seconds, because classes need scikit-learn.

    Parameters
    ----------
    declaration : str
        Name of the function or decorator, such as ``"method"``.
    *fields : str
        Names of its positional arguments; the first one is the name of the entry.

    Returns
    -------
    tuple of dict
        The arguments of each call that are constants, by name, in the order of the registry.

    Examples
    --------
    >>> found = read_declarations("method", "name", "label", "description")
    >>> found[0]["name"], found[0]["label"]
    ('uneven', 'Uneven')
    """
    found: list[dict[str, Any]] = []
    for text in _sources(files("uneven")):
        if f"{declaration}(\n" in text or f'{declaration}("' in text:
            found += _calls(text, declaration, fields)
    return tuple(sorted(found, key=lambda entry: float(entry.get("order", MIDDLE))))


def _sources(folder: Traversable) -> Iterator[str]:
    """Texts of the modules below a package, which may lie in an archive."""
    for entry in sorted(folder.iterdir(), key=lambda one: one.name):
        if entry.is_dir():
            yield from _sources(entry)
        elif entry.name.endswith(".py"):
            yield entry.read_text(encoding="utf-8")


def _calls(text: str, declaration: str, fields: tuple[str, ...]) -> Iterator[dict[str, Any]]:
    import ast

    for node in ast.walk(ast.parse(text)):
        if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Name)):
            continue
        words = [*zip(fields, node.args), *((str(w.arg), w.value) for w in node.keywords)]
        said: dict[str, Any] = {
            name: value.value for name, value in words if isinstance(value, ast.Constant)
        }
        if node.func.id == declaration and fields[0] in said:
            yield said
