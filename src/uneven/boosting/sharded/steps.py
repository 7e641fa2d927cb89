"""Steps: small computations on the rows of a shard, whose results can be merged.

A function that is decorated with ``@step`` becomes a maker of steps: called with the arguments
after the shard, it returns a :class:`Step`, which can be sent to wherever shards are.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import reduce
from importlib import import_module
from itertools import count
from typing import Any

import numpy as np

Merge = Callable[[Any, Any], Any]


@dataclass(frozen=True)
class Step:
    """A computation on a shard.

    Attributes
    ----------
    module, name : str
        Where the function stands, and what it is called.
    args : tuple
        Its arguments after the shard.
    """

    module: str
    name: str
    args: tuple[Any, ...]

    @property
    def kind(self) -> Kind:
        """What is known about steps of this name; its module may have to be imported."""
        if self.name not in KINDS:
            import_module(self.module)
        return KINDS[self.name]


@dataclass(frozen=True)
class Kind:
    """What is known about the steps of one name.

    Attributes
    ----------
    function : callable
        Gets a shard and the arguments.
    merge : callable
        Two results of different shards as one; it is associative.
    changes : bool
        Whether the shard is another one afterwards, so that the step is done again when a shard
        is rebuilt.
    passing : bool
        Whether only what the first argument names is changed: nothing has to be done again once
        that is dropped.
    """

    function: Callable[..., Any]
    merge: Merge
    changes: bool
    passing: bool


KINDS: dict[str, Kind] = {}


def step(
    merge: Merge | None = None, changes: bool = False, passing: bool = False
) -> Callable[[Callable[..., Any]], Callable[..., Step]]:
    """Declare a function of a shard as a kind of step; see :class:`Kind`."""

    def register(function: Callable[..., Any]) -> Callable[..., Step]:
        name = function.__name__
        if name in KINDS:
            raise ValueError(f"there are two steps called {name!r}")
        KINDS[name] = Kind(function, merge or nothing, changes or passing, passing)

        def make(*args: Any) -> Step:
            return Step(function.__module__, name, args)

        make.__doc__, make.__name__ = function.__doc__, name
        return make

    return register


def nothing(one: Any, other: Any) -> Any:
    """Merge the results of steps that have none."""
    return None


def total(one: Any, other: Any) -> Any:
    """Add numbers, arrays, or tuples of them."""
    if isinstance(one, tuple):
        return tuple(total(a, b) for a, b in zip(one, other))
    return one + other


def largest(one: Any, other: Any) -> Any:
    """The larger of two numbers, or entry by entry of arrays or tuples; True is above False."""
    if isinstance(one, tuple):
        return tuple(largest(a, b) for a, b in zip(one, other))
    return np.maximum(one, other) if isinstance(one, np.ndarray) else max(one, other)


def collected(one: list, other: list) -> list:
    """Both lists."""
    return one + other


def merge_results(steps: Sequence[Step], results: Sequence[Sequence[Any]]) -> list[Any]:
    """Merge what several shards, or several parts of them, gave for the same steps.

    Parameters
    ----------
    steps : sequence of Step
    results : sequence of sequence of object
        A list as long as ``steps`` for each shard.
    """
    return [reduce(one.kind.merge, [own[k] for own in results]) for k, one in enumerate(steps)]


@step(changes=True)
def forget(shard: Any, name: int) -> None:
    """Drop what a name stands for."""
    shard.held.pop(name, None)


class Journal:
    """The steps that changed a shard, from which it can be rebuilt.

    What was passing is struck out when it is forgotten.

    Examples
    --------
    >>> journal = Journal()
    >>> journal.add([forget(3)])
    >>> [one.name for one in journal.steps]
    ['forget']
    """

    def __init__(self) -> None:
        self._steps: dict[int, Step] = {}
        self._passing: dict[int, list[int]] = {}
        self._places = count()

    @property
    def steps(self) -> list[Step]:
        """What must be done to rebuild a shard."""
        return list(self._steps.values())

    def add(self, done: Sequence[Step]) -> None:
        """Take note of steps that were done."""
        for one in done:
            if one.name == "forget":
                for place in self._passing.pop(one.args[0], ()):
                    del self._steps[place]
            if one.kind.changes:
                place = next(self._places)
                self._steps[place] = one
                if one.kind.passing:
                    self._passing.setdefault(one.args[0], []).append(place)
