"""Methods of a comparison that a person gives: names, and classifiers from elsewhere."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from sklearn.base import clone, is_classifier

from uneven.comparison.encoding import encoding_for
from uneven.comparison.errors import InputError
from uneven.comparison.methods import (
    STACK,
    choose_methods,
)
from uneven.utils.methods import Method, Settings

Methods = str | Any | Sequence[str | Any | tuple[str, Any]] | Mapping[str, str | Any]


def as_methods(given: Methods) -> list[Method]:
    """Methods by name, and classifiers from elsewhere.

    Parameters
    ----------
    given : str, classifier, list of them, or dict of str to them

    Raises
    ------
    InputError
        If a name is not known, or something is no classifier.

    Examples
    --------
    >>> from sklearn.dummy import DummyClassifier
    >>> [method.name for method in as_methods(["combo", DummyClassifier()])]
    ['combo', 'DummyClassifier']
    """
    pairs: list[tuple[str | None, Any]]
    if isinstance(given, Mapping):
        pairs = [(str(key), value) for key, value in given.items()]
    elif isinstance(given, str) or hasattr(given, "fit"):
        pairs = [(None, given)]
    elif isinstance(given, Iterable):
        pairs = [item if isinstance(item, tuple) else (None, item) for item in given]
    else:
        pairs = [(None, given)]
    if any(len(pair) != 2 or not isinstance(pair[0], str | None) for pair in pairs):
        raise InputError("a tuple in methods must be a name and a classifier: (name, classifier).")
    found: dict[str, Method] = {}
    for key, value in pairs:
        method = choose_methods([value])[0] if isinstance(value, str) else foreign_method(value)
        if key is not None and key != method.name:
            method = replace(method, name=key, label=key)
        elif method.name in found and not isinstance(value, str):
            label = f"{method.name}_{sum(n.startswith(method.name) for n in found) + 1}"
            method = replace(method, name=label, label=label)
        if method.name == STACK:
            raise InputError(f"no method may be called {STACK!r}: a stack of all has this name.")
        if method.name in found:
            raise InputError(f"methods holds {method.name!r} twice; give each a name of its own.")
        found[method.name] = method
    return list(found.values()) or choose_methods([])


def foreign_method(estimator: Any) -> Method:
    """A classifier from elsewhere, as a method.

    Parameters
    ----------
    estimator : classifier
        It is cloned. If it has parameters ``views``, ``noise_matrix`` and ``random_state`` that
        are None, it gets those of the comparison.

    Returns
    -------
    Method
        With the name of its class.
    """
    name = type(estimator).__name__
    if isinstance(estimator, type):
        raise InputError(f"{estimator.__name__} is a class; give an instance, with ().")
    needed = all(hasattr(estimator, part) for part in ("fit", "predict", "get_params"))
    if not needed or not _classifies(estimator):
        raise InputError(
            f"methods holds {name}, which is no classifier; give names of methods or scikit-learn "
            "classifiers."
        )
    kind: Any = "ours" if type(estimator).__module__.startswith("uneven.") else "baseline"
    encoding: Any = encoding_for(estimator)
    make = partial(_copy, estimator)
    return Method(name, name, kind, f"{name}, as it was given.", encoding, make, given=True)


def _copy(estimator: Any, settings: Settings) -> Any:
    """A clone with the seed and the views of the comparison where it has none of its own."""
    made = clone(estimator)
    if "views" in made.get_params(deep=False) and made.views is None and settings.views:
        made.set_params(views={n: list(c) for n, c in settings.views.items()})
    params = made.get_params()
    seeds = [p for p, v in params.items() if p.split("__")[-1] == "random_state" and v is None]
    if seeds:
        made.set_params(**dict.fromkeys(seeds, settings.seed))
    return made


def _classifies(estimator: Any) -> bool:
    try:
        return bool(is_classifier(estimator))
    except (AttributeError, TypeError):
        return True
