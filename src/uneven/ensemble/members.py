"""Who learns: members by name, or those that suit a table."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from uneven.ensemble import boost, forests, landmarks, linear
from uneven.ensemble.any_classifier import AnyClassifier
from uneven.ensemble.shared_table import MEMBERS, Learner, SharedTable

KINDS = (boost, forests, landmarks, linear)
"""Modules that declare members."""

_QUICK = ("forest", "logistic")


def check_named_members(given: Any) -> dict[str, Any] | None:
    """Refuse what cannot be a list of members.

    Parameters
    ----------
    given : "auto" or list of str or (str, classifier)

    Returns
    -------
    dict of str to classifier or None, or None for "auto"

    Examples
    --------
    >>> check_named_members(["boost", "forrest"])
    Traceback (most recent call last):
    ...
    ValueError: members: unknown member 'forrest'; did you mean 'forest'? the members are ...
    """
    if isinstance(given, str) and given == "auto":
        return None
    if not isinstance(given, Iterable) or isinstance(given, str | Mapping):
        raise ValueError(
            f'members must be "auto" or a list of names and (name, classifier), got {given!r}.'
        )
    found: dict[str, Any] = {}
    for entry in given:
        name, classifier = (entry, None) if isinstance(entry, str) else _pair(entry)
        if name in found:
            raise ValueError(f"members: two members are called {name!r}.")
        if classifier is None and name not in MEMBERS:
            raise ValueError(f"members: {MEMBERS.unknown(name)}")
        found[name] = classifier
    if not found:
        raise ValueError("members is empty: name at least one member.")
    return found


def _pair(entry: Any) -> tuple[str, Any]:
    if not isinstance(entry, list | tuple) or len(entry) != 2 or not isinstance(entry[0], str):
        raise ValueError(f"members must be names or pairs (name, classifier), got {entry!r}.")
    name, classifier = entry
    if isinstance(classifier, type) or not hasattr(classifier, "fit"):
        raise TypeError(f"member {name!r} must be a classifier, got {classifier!r}.")
    if not hasattr(classifier, "predict_proba"):
        raise TypeError(
            f"member {name!r} has no predict_proba: calibrate it "
            "(sklearn.calibration.CalibratedClassifierCV), or leave it out."
        )
    return name, classifier


def choose_learners(table: SharedTable, named: dict[str, Any] | None) -> dict[str, Learner]:
    """The members for a table with the settings that suit its size.

    Parameters
    ----------
    table : SharedTable
    named : dict of str to classifier or None, or None
        What :func:`check_named_members` returned; None takes those that suit the table.

    Returns
    -------
    dict of str to Learner
    """
    size = table.size
    suited = {name: kind.suited_to(size) for name, kind in MEMBERS.items()}
    if named is None:
        return {name: learner for name, learner in suited.items() if learner is not None}
    chosen: dict[str, Learner] = {}
    for name, given in named.items():
        chosen[name] = (
            AnyClassifier(given) if given is not None else suited[name] or MEMBERS[name]()
        )
    return chosen


def quick_learners(table: SharedTable) -> dict[str, Learner]:
    """Forest and logistic regression; on tables that suit neither, all members that suit it."""
    learners = choose_learners(table, None)
    return {name: learners[name] for name in _QUICK if name in learners} or learners
