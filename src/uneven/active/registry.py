"""Query and stopping rules declare next to their code what they need; checks and lists read it.

>>> @rule("scratch", "where the best class is least probable", needs="predict_proba")
... def least_confident(state):
...     return -state.model.predict_proba(state.inputs(state.candidates)).max(axis=1)
>>> "scratch" in RULES, looks_at_rows("scratch")
(True, False)
>>> del RULES["scratch"]
"""

from __future__ import annotations

import difflib
from collections.abc import Callable
from typing import Any, TypeVar

from uneven.utils.parameters import check_choice
from uneven.utils.registry import Registry

RULES: Registry[Callable[..., Any]] = Registry("query rule")
"""The query rules by name."""

STOPPING_RULES: Registry[Any] = Registry("stopping rule")
"""The classes of the stopping rules by name."""

NEEDS: dict[str, tuple[str, ...]] = {
    "nothing": (),
    "scores": ("predict_proba", "decision_function"),
    "predict_proba": ("predict_proba",),
    "decision_function": ("decision_function",),
    "version_space": (),
}
"""What a rule may need, and the methods of which the classifier must have one."""

_Function = TypeVar("_Function", bound=Callable[..., Any])
_Class = TypeVar("_Class", bound=type)


def rule(
    name: str, description: str, *, needs: str = "version_space", blind: bool | None = None
) -> Callable[[_Function], _Function]:
    """Register a function as a query rule; its properties stay on it.

    Parameters
    ----------
    name : str
        What ``query=`` and ``--query`` call it.
    description : str
        Which rows it queries, for the help; no capital, no full stop.
    needs : str, default="version_space"
        A key of `NEEDS`: what it uses of the classifier, or the version space of the labels.
    blind : bool, optional
        Whether the rule does not use the rows themselves, only the predictions of the classifier
        about them, so that they need not be numbers. By default all but those that need the
        version space.
    """
    check_choice("needs", needs, NEEDS)

    def register(function: _Function) -> _Function:
        sees_rows = needs == "version_space" if blind is None else not blind
        vars(function).update(rule_name=name, needs=needs, looks_at_rows=sees_rows)
        RULES.register(name, function)
        return function

    return register


def stopping_rule(
    name: str, description: str, *, blind: bool = False
) -> Callable[[_Class], _Class]:
    """Register a class of stopping rules by its name; ``blind`` ones do not look at the rows."""

    def register(cls: _Class) -> _Class:
        cls.looks_at_rows = not blind  # type: ignore[attr-defined]
        STOPPING_RULES.register(name, cls)
        return cls

    return register


def rule_of(query: str | Callable[..., Any]) -> Callable[..., Any]:
    """The rule of a name; a function is a rule itself."""
    return query if callable(query) else RULES[query]


def query_name(query: str | Callable[..., Any]) -> str:
    """The name of a rule as histories keep it: empty for a function without a name."""
    if isinstance(query, str):
        return query
    return str(getattr(query, "rule_name", getattr(query, "__name__", "")))


def looks_at_rows(query: Any) -> bool:
    """Whether a rule needs rows of finite numbers; of an undeclared function, no."""
    return bool(_declared(query, "looks_at_rows", False))


def blind_choices() -> str:
    """The rules that do not look at the rows, as an error names them.

    Examples
    --------
    >>> import uneven.active
    >>> blind_choices()
    "query='uncertainty' or ...'auto', stop=Budget or ..."
    """
    queries = [repr(name) for name in RULES if not looks_at_rows(name)]
    stops = [name for name, cls in STOPPING_RULES.items() if not cls.looks_at_rows]
    return f"query={' or '.join(queries)}, stop={' or '.join(stops)}"


_KNOWN_AS = {
    "margin": "query='uncertainty'",
    "entropy": "query='uncertainty'",
    "bald": "query='information'",
    "badge": "batch='gradients'",
    "typiclust": "query='typical_first'",
    "coreset": "query='typical_first'",
    "probcover": "query='herding'",
    "uherding": "query='herding'",
    "eer": "query='expected_error'",
    "committee": "query='balanced'",
    "qbc": "query='balanced'",
}
"""What is nearest to rules that are known by other names."""


def check_query(query: Any) -> None:
    """Refuse a name that no query rule has, and propose the nearest one.

    Examples
    --------
    >>> import uneven.active
    >>> check_query("blanced")
    Traceback (most recent call last):
        ...
    ValueError: query must be one of 'analytic', ...; got 'blanced'. Did you mean 'balanced'?
    """
    if callable(query):
        return
    try:
        check_choice("query", query, RULES)
    except ValueError as error:
        raise ValueError(f"{error} {_hint(str(query).lower())}") from None


def _hint(name: str) -> str:
    """What may be meant by a name that no rule has."""
    plain = name.removesuffix("sampling").strip("_- ")
    if plain in _KNOWN_AS:
        return f"What is nearest to it is {_KNOWN_AS[plain]}."
    near = difflib.get_close_matches(name, list(RULES), n=1)
    return f"Did you mean {near[0]!r}?" if near else "A function may be given, too."


def check_model(query: str | Callable[..., Any], estimator: Any) -> None:
    """Refuse a classifier that lacks what a rule needs, before anything is labelled."""
    methods = NEEDS[_declared(query, "needs", "nothing")]
    if not methods or any(hasattr(estimator, method) for method in methods):
        return
    raise ValueError(
        f"query={(query_name(query) or query)!r} needs a classifier with {' or '.join(methods)}, "
        f"and {estimator!r} has {'neither' if len(methods) == 2 else 'none'}. Choose another one, "
        "or another query."
    )


def _declared(query: Any, name: str, default: Any) -> Any:
    """What a rule declares; ``functools.partial`` keeps what its function declares."""
    found = RULES.get(query) if isinstance(query, str) else query
    return getattr(found, name, getattr(getattr(found, "func", None), name, default))
