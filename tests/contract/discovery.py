"""Find every estimator of the packages, and the instances that its class names."""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from pkgutil import walk_packages
from typing import Any

from sklearn.base import BaseEstimator

PACKAGES = [name for name in ("uneven", "uneven_published") if find_spec(name)]


@cache
def estimators() -> list[type]:
    """Classes with a ``fit`` that can be made, wherever they are defined."""
    found = {}
    for module in _modules():
        for cls in vars(module).values():
            if not (inspect.isclass(cls) and issubclass(cls, BaseEstimator)):
                continue
            own = cls.__module__ == module.__name__ and not cls.__name__.startswith("_")
            if own and hasattr(cls, "fit") and not inspect.isabstract(cls):
                found[cls.__name__] = cls
    return [found[name] for name in sorted(found)]


def _modules() -> Iterator[Any]:
    for name in PACKAGES:
        package = import_module(name)
        for module in walk_packages(package.__path__, f"{name}."):
            if not module.name.endswith("__main__"):
                yield import_module(module.name)


def is_public(cls: type) -> bool:
    """Whether the room of the class offers it."""
    room = import_module(".".join(cls.__module__.split(".")[:2]))
    return cls.__name__ in getattr(room, "__all__", ())


@cache
def instances(cls: type) -> list[tuple[Any, dict[str, str]]]:
    """What the class names as its instances, each with the checks that it cannot pass."""
    named = cls._test_instances() if hasattr(cls, "_test_instances") else []
    return [one if isinstance(one, tuple) else (one, {}) for one in named]


def expected_failures(estimator: Any) -> dict[str, str]:
    """The checks that one of the named instances cannot pass, with the reason."""
    return next(why for one, why in instances(type(estimator)) if one is estimator)
