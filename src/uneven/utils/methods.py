"""What a class declares to be compared by name: one decorator of the class.

.. code-block:: python

    @method("combo", "CoMBo", "Boosting that ...", staged=True, takes_noise=True)
    class ComboClassifier(...):

The command line, its help, the page about it and `uneven.compare` read `METHODS`.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Literal, TypeVar

import numpy as np
from numpy.typing import NDArray

from uneven.utils.registry import MIDDLE, Registry

_Class = TypeVar("_Class", bound=type)
Encoding = Literal["ordinal", "one_hot", "as_is"]


@dataclass(frozen=True)
class Settings:
    """What a run may set about the methods.

    Attributes
    ----------
    rounds : int
        Of the boosting methods of this library; NormCoMBo has three trees for a round.
    max_depth : int or None
        Depth of their trees; None is the default of each. NormCoMBo chooses depths itself.
    seed : int
        Seed of every method.
    n_jobs : int or None
        Threads each method may use, in scikit-learn's convention.
    views : mapping of str to sequence of str, or None
        Columns of each view.
    noise_matrix : ndarray of shape (K, K) or None
        How the labels are wrong (row = observed label, column = true class, in sorted order); for
        the methods that take it.
    tuning : object or None
        How parameters are searched before a fit, see `uneven.comparison.tuning`; None for not.
    """

    rounds: int = 200
    max_depth: int | None = None
    seed: int = 0
    n_jobs: int | None = None
    views: Mapping[str, Sequence[str]] | None = None
    noise_matrix: NDArray[np.float64] | None = field(default=None, compare=False)
    tuning: Any = None


@dataclass(frozen=True)
class Method:
    """A method to compare.

    Attributes
    ----------
    name, label : str
        Key, and name in tables and reports.
    kind : {"ours", "baseline"}
        Whether it comes from this library.
    description : str
        One sentence.
    encoding : {"ordinal", "one_hot", "as_is"}
        How the columns are turned into numbers for it.
    make : callable
        Takes `Settings`, returns the classifier.
    staged : bool
        Whether it learns in rounds: it then has ``staged_predict``, ``staged_decision_function``
        and, in ``history_``, the course of edges, vote weights and losses.
    joins_views : bool
        Whether it is meant for several views.
    needs_noise : bool
        Whether it is meant for labels with a known noise matrix.
    on_request : bool
        Whether it is left out unless it is named.
    given : bool
        Whether it is a classifier of the user, which gets columns and labels as they were given.
    package : str
        Package that it needs besides those of the library; without it, it is left out unless it is
        named. Model files do not hold it.
    tunes : mapping of str to sequence
        Values that a search of parameters may try.
    """

    name: str
    label: str
    kind: Literal["ours", "baseline"]
    description: str
    encoding: Encoding
    make: Callable[[Settings], Any]
    staged: bool = False
    joins_views: bool = False
    needs_noise: bool = False
    on_request: bool = False
    given: bool = False
    package: str = ""
    tunes: Mapping[str, Sequence[Any]] = field(default_factory=dict)


METHODS: Registry[Method] = Registry("method")
"""Every method that can be compared, by name; complete once `uneven.comparison` is imported."""

Parameters = Mapping[str, Any] | Callable[[Settings], Mapping[str, Any]]
_DECLARED: dict[str, tuple[type, bool, Parameters | None]] = {}


def method(
    name: str,
    label: str,
    description: str,
    *,
    order: float = MIDDLE,
    kind: Literal["ours", "baseline"] = "ours",
    encoding: Encoding = "ordinal",
    parameters: Parameters | None = None,
    takes_noise: bool = False,
    staged: bool = False,
    tunes: Mapping[str, Sequence[Any]] | None = None,
    **abilities: Any,
) -> Callable[[_Class], _Class]:
    """Decorate a classifier that can be compared by name.

    It is built with whichever of ``views``, ``random_state`` and ``n_jobs`` it takes and, if it is
    staged, with ``n_estimators`` and ``max_depth`` from the settings of the run.

    Parameters
    ----------
    name, label, description : str
        Key on the command line, name in reports, and a sentence for help and report. These and
        the flags must be constants: the help reads them from the source.
    order : float, default=50
        Where it stands in every list; smaller numbers first.
    kind, encoding : str
        See `Method`.
    parameters : mapping or callable, optional
        Further parameters, or a callable that makes them out of `Settings`; they have precedence.
    takes_noise : bool, default=False
        Whether it has a parameter ``noise_matrix``.
    staged : bool, default=False
        Whether it learns in rounds; must be said, or ``parameters`` given, if it does.
    tunes : mapping of str to sequence, optional
        Values of parameters that ``--tune`` may try.
    **abilities : bool, or str
        ``joins_views``, ``needs_noise``, ``on_request``, and ``package``; see `Method`.

    Returns
    -------
    callable
        Takes the class and returns it.
    """

    def declare(cls: _Class) -> _Class:
        takes = "noise_matrix" in inspect.signature(cls).parameters
        if takes_noise != takes:
            raise TypeError(f"@method of {cls.__name__} must say takes_noise={takes}.")
        if kind == "ours" and hasattr(cls, "staged_predict") and not (staged or parameters):
            raise TypeError(
                f"{cls.__name__} learns in rounds: its @method must say staged=True, so that "
                "rounds and depth of a run hold for it, or parameters= made out of the settings."
            )
        make = partial(_make, name)
        words = (name, label, kind, description, encoding, make, staged)
        entry = Method(*words, **abilities, tunes=tunes or {})  # type: ignore[arg-type]
        METHODS.register(name, entry, order)
        _DECLARED[name] = (cls, staged, parameters)
        return cls

    return declare


def _make(name: str, settings: Settings) -> Any:
    cls, staged, parameters = _DECLARED[name]
    views = settings.views
    common: dict[str, Any] = {
        "views": None if views is None else {name: list(c) for name, c in views.items()},
        "random_state": settings.seed,
        "n_jobs": settings.n_jobs,
    }
    if staged:
        common["n_estimators"] = settings.rounds
        if settings.max_depth is not None:
            common["max_depth"] = settings.max_depth
    taken = inspect.signature(cls).parameters
    own = parameters(settings) if callable(parameters) else parameters or {}
    return cls(**{**{name: value for name, value in common.items() if name in taken}, **own})
