"""Constructor parameters: what values they may have, declared as data on the class.

A class writes its simple constraints as a table, and ``check_parameters`` reads the tables of the
class and its bases:

>>> class Booster:
...     _parameters = {"n_estimators": Whole(1), "learning_rate": Interval(0, 1, closed="right")}
...     def __init__(self, n_estimators=200, learning_rate=1.0):
...         self.n_estimators, self.learning_rate = n_estimators, learning_rate
>>> check_parameters(Booster())
>>> check_parameters(Booster(learning_rate=2))
Traceback (most recent call last):
...
ValueError: learning_rate must be in (0, 1], got 2.

What depends on several parameters at once stays code in the class.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from numbers import Integral, Real
from typing import Any, Literal, Protocol, TypeVar

import numpy as np

from uneven.utils.registry import closest, listing

Class = TypeVar("Class", bound=type)


class Constraint(Protocol):
    """What a parameter may be."""

    def check(self, name: str, value: Any) -> None:
        """Raise a ValueError that names the parameter, what it may be and what it is."""


@dataclass(frozen=True)
class Whole:
    """A whole number from ``low`` to ``high``; ``or_flag`` takes True for 1 and False for 0."""

    low: int
    high: int | None = None
    or_flag: bool = False

    def check(self, name: str, value: Any) -> None:
        """Refuse anything else."""
        if self.or_flag and isinstance(value, bool | np.bool_):
            value = int(value)
        is_integer = isinstance(value, Integral) and not isinstance(value, bool)
        if not is_integer or value < self.low or (self.high is not None and value > self.high):
            span = f"at least {self.low}"
            if self.high is not None:
                span = f"between {self.low} and {self.high}"
            raise ValueError(f"{name} must be a whole number {span}, got {value!r}.")


@dataclass(frozen=True)
class Interval:
    """A number between ``low`` and ``high``; ``says`` replaces the words for the interval."""

    low: float
    high: float = float("inf")
    closed: Literal["both", "left", "right", "neither"] = "both"
    says: str = ""

    def check(self, name: str, value: Any) -> None:
        """Refuse anything else, NaN too."""
        left, right = self.closed in ("both", "left"), self.closed in ("both", "right")
        fits = isinstance(value, Real) and not isinstance(value, bool | np.bool_)
        if fits:
            number = value  # compared as it is: a huge whole number is no float
            fits = number >= self.low if left else number > self.low
            fits = fits and (number <= self.high if right else number < self.high)
        if not fits:
            span = f"in {'[' if left else '('}{self.low}, {self.high}{']' if right else ')'}"
            raise ValueError(f"{name} must be {self.says or span}, got {value!r}.")


@dataclass(frozen=True)
class Choice:
    """One of some words; with ``or_callable`` also a callable.

    The words may be computed when they are needed, so that registered ones are among them.
    """

    words: Iterable[str] | Callable[[], Iterable[str]]
    or_callable: bool = False

    def check(self, name: str, value: Any) -> None:
        """Refuse anything else."""
        known = sorted(self.words() if callable(self.words) else self.words)
        if (self.or_callable and callable(value)) or (isinstance(value, str) and value in known):
            return
        words = ", ".join(repr(word) for word in known)
        words += " or a callable" if self.or_callable else ""
        raise ValueError(f"{name} must be one of {words}; got {value!r}.")


@dataclass(frozen=True)
class Flag:
    """True or False."""

    def check(self, name: str, value: Any) -> None:
        """Refuse anything else."""
        if not isinstance(value, bool | np.bool_):
            raise ValueError(f"{name} must be True or False, got {value!r}.")


@dataclass(frozen=True)
class Maybe:
    """None, or what another constraint allows."""

    constraint: Constraint

    def check(self, name: str, value: Any) -> None:
        """Refuse what the constraint refuses, unless it is None."""
        if value is not None:
            self.constraint.check(name, value)


@dataclass(frozen=True)
class Passes:
    """What a function of the value does not refuse; its own error names the parameter."""

    refuse: Callable[[Any], object]

    def check(self, name: str, value: Any) -> None:
        """Call the function."""
        self.refuse(value)


@dataclass(frozen=True)
class Jobs:
    """A number of threads or processes in scikit-learn's convention: None, -1 or a whole number."""

    def check(self, name: str, value: Any) -> None:
        """Refuse what is no number of jobs."""
        if value is not None:
            Whole(-(2**31)).check(name, value)


def store_parameters(estimator: Any, given: Mapping[str, Any]) -> None:
    """Store what a constructor was given, under the names of its parameters.

    scikit-learn wants a constructor that names all parameters and does nothing but store them.

    Parameters
    ----------
    estimator : object
    given : mapping of str to object
        What ``locals()`` returns in the constructor.

    Examples
    --------
    >>> class Booster:
    ...     def __init__(self, n_estimators=200, learning_rate=1.0):
    ...         store_parameters(self, locals())
    >>> vars(Booster(5))
    {'n_estimators': 5, 'learning_rate': 1.0}
    """
    for name, value in given.items():
        if name != "self":
            setattr(estimator, name, value)


def names_parameters(cls: Class) -> Class:
    """Let the constructor of a class say what to use in place of an unknown parameter.

    Python's own message names the class that wrote the constructor, which may be a private base,
    and cannot know what people mean. The signature, which scikit-learn reads, stays as it is. A
    class may say more in a table ``_instead``, by name of the parameter.

    Examples
    --------
    >>> @names_parameters
    ... class Booster:
    ...     def __init__(self, n_estimators=200): ...
    >>> Booster(n_estimator=5)
    Traceback (most recent call last):
    ...
    TypeError: Booster has no parameter 'n_estimator'; did you mean 'n_estimators'?
    """
    written: Any = cls.__init__  # type: ignore[misc]
    parameters = inspect.signature(written).parameters
    if any(one.kind is one.VAR_KEYWORD for one in parameters.values()):
        return cls

    @functools.wraps(written)
    def init(self: Any, *args: Any, **words: Any) -> None:
        for name in words:
            if name not in parameters:
                raise TypeError(_unknown_parameter(type(self), name, list(parameters)[1:]))
        written(self, *args, **words)

    cls.__init__ = init  # type: ignore[misc]
    return cls


def _unknown_parameter(cls: type, name: str, known: list[str]) -> str:
    said = f"{cls.__name__} has no parameter {name!r}"
    instead = getattr(cls, "_instead", {}).get(name, "")
    if not instead and name == "class_weight":
        ways = [*["class_cost"] * ("class_cost" in known), "sample_weight to fit"]
        instead = f"to weigh classes, give {' or '.join(ways)} (compute_sample_weight makes it)"
    near = closest(name, known).strip()
    if instead or near:
        return f"{said}; {instead or near}"
    return f"{said}; the parameters are {listing(known, limit=len(known))}"


def check_parameters(estimator: Any) -> None:
    """Refuse parameters outside what the class and its bases declare in ``_parameters``.

    A constraint of a class replaces the one that a base has for the same name; ``None`` in its
    place takes it away.
    """
    for name, constraint in _declared(type(estimator)):
        constraint.check(name, getattr(estimator, name))


def _declared(cls: type) -> Iterator[tuple[str, Constraint]]:
    table: dict[str, Constraint | None] = {}
    for base in reversed(cls.__mro__):
        table |= vars(base).get("_parameters", {})
    for name, constraint in table.items():
        if constraint is not None:
            yield name, constraint


def check_choice(name: str, value: Any, choices: Iterable[str], or_callable: bool = False) -> None:
    """Refuse an argument that is not one of some words (or a callable, where that is allowed)."""
    Choice(choices, or_callable).check(name, value)


def check_integer(name: str, value: Any, low: int, high: int | None = None) -> None:
    """Refuse an argument that is not a whole number between ``low`` and ``high``."""
    Whole(low, high).check(name, value)
