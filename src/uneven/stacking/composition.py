"""Parameters of estimators that hold a list of named classifiers."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Self

from sklearn.base import BaseEstimator

from uneven.stacking.out_of_fold.members import Member, check_members

__all__ = ["NamedMembers", "open_members"]


class NamedMembers(BaseEstimator):
    """Base of estimators whose parameter ``estimators`` lists named classifiers.

    ``get_params`` and ``set_params`` know the classifiers by their names, and the parameters of a
    classifier as ``name__parameter``, as scikit-learn's ensembles do.
    """

    estimators: Any

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Parameters of this estimator and of its classifiers.

        Parameters
        ----------
        deep : bool, default=True
            Add every classifier by its name, and its parameters as ``name__parameter``.

        Returns
        -------
        dict of str to object
        """
        found: dict[str, Any] = super().get_params(deep=False)
        if not deep:
            return found
        found.update(super().get_params(deep=True))
        for name, classifier in _named(self.estimators):
            found[name] = classifier
            if hasattr(classifier, "get_params") and not isinstance(classifier, type):
                for word, value in classifier.get_params(deep=True).items():
                    found[f"{name}__{word}"] = value
        return found

    def set_params(self, **params: Any) -> Self:
        """Set parameters of this estimator and of its classifiers.

        Parameters
        ----------
        **params
            ``name=classifier`` replaces a classifier, ``name__parameter=value`` changes one.

        Returns
        -------
        self : object
        """
        if "estimators" in params:
            self.estimators = params.pop("estimators")
        own = super().get_params(deep=False)
        names = [name for name, _ in _named(self.estimators)]
        for name in [word for word in params if word in names and word not in own]:
            new = params.pop(name)
            self.estimators = [
                (entry[0], new, *entry[2:]) if found == name else entry
                for found, entry in zip(names, self.estimators)
            ]
        _refuse_dropped(self.estimators, params)
        super().set_params(**params)
        return self


def open_members(estimator: Any, score_method: str = "auto") -> list[tuple[str, Member]]:
    """The members of a stack, from all that its parameter ``estimators`` may hold.

    Parameters
    ----------
    estimator : NamedMembers
        Its ``estimators`` are pairs (name, classifier), triples (name, classifier, columns), or
        pairs (name, Member). An entry "drop" is left out.
    score_method : str, default="auto"
        What classifiers that are no members are asked for; see
        :class:`~uneven.stacking.out_of_fold.members.Member`.

    Returns
    -------
    list of (str, Member)

    Raises
    ------
    TypeError, ValueError
        For names that occur twice or are those of parameters, and for what is no classifier.

    Examples
    --------
    >>> from sklearn.naive_bayes import GaussianNB
    >>> stack = NamedMembers()
    >>> stack.estimators = [("nb", GaussianNB(), [0, 2])]
    >>> open_members(stack)
    [('nb', Member(columns=[0, 2], estimator=GaussianNB()))]
    """
    members = check_members(estimator.estimators, score=score_method, word="estimators")
    own = set(estimator.get_params(deep=False))
    for name, _ in members:
        if name in own:
            raise ValueError(
                f"a member is called {name!r}, like a parameter of {type(estimator).__name__}: "
                "choose another name."
            )
    return members


def _is_listing(estimators: Any) -> bool:
    return hasattr(estimators, "__iter__") and not isinstance(estimators, str | Mapping)


def _refuse_dropped(estimators: Any, params: Mapping[str, Any]) -> None:
    """Refuse parameters of members that are left out."""
    dropped = [name for name, given in _named(estimators) if isinstance(given, str)]
    for word in params:
        if word.partition("__")[0] in dropped and "__" in word:
            name = word.partition("__")[0]
            raise ValueError(
                f'member {name!r} is "drop" and has no {word}: set {name} to a classifier first.'
            )


def _named(estimators: Any) -> list[tuple[str, Any]]:
    """Name and classifier of every entry; nothing if these are not entries."""
    entries = list(estimators) if _is_listing(estimators) else []
    if not all(isinstance(entry, tuple | list) and len(entry) in (2, 3) for entry in entries):
        return []
    return [(entry[0], entry[1]) for entry in entries]
