"""What every classifier that joins named members can do once it has learnt."""

from __future__ import annotations

from abc import ABCMeta, abstractmethod
from collections.abc import Callable
from typing import Any, Self

import numpy as np
from scipy.special import softmax
from sklearn.base import ClassifierMixin

from uneven.stacking.composition import NamedMembers
from uneven.stacking.entrance import StackRows, members_take
from uneven.stacking.out_of_fold.level_one import LevelOne, finish_members, level_one
from uneven.stacking.out_of_fold.members import FittedMember, Member
from uneven.utils.model_types import (
    check_classes,
    check_names,
    check_part,
    check_printable,
    check_size,
)
from uneven.votes.vote import flatten_binary

__all__ = ["StackedClassifier"]


class StackedClassifier(ClassifierMixin, NamedMembers, metaclass=ABCMeta):
    """Base of classifiers that turn the scores of members into scores of the classes.

    A subclass sets ``classes_`` and ``temperature_``, and supplies ``_scores``.

    Attributes
    ----------
    takes_ : dict of str to bool
        What the members could read when they were fitted, so that ``predict`` need not look at
        those that were dropped; see :func:`uneven.stacking.entrance.members_take`.
    """

    classes_: np.ndarray
    takes_: dict[str, bool]
    temperature_: float | None
    memory: Any
    views: Any
    random_state: Any
    n_jobs: int | None
    verbose: int
    _watcher: Callable[[int, int], None] | None = None

    def watch(self, callback: Callable[[int, int], None] | None = None) -> Self:
        """Have a function called whenever a member has been trained for level-1 scores.

        Parameters
        ----------
        callback : callable or None
            Gets the number of finished trainings and of all. It is not copied by ``clone`` and
            must be taken away, by None, before the classifier is saved.

        Returns
        -------
        self : object
        """
        self.__dict__.pop("_watcher", None)
        if callback is not None:
            self._watcher = callback
        return self

    @abstractmethod
    def _scores(self, X: Any) -> np.ndarray:
        """Scores of the classes, shape (n_samples, n_classes)."""

    def _ask_members(
        self,
        members: list[tuple[str, Member]],
        rows: StackRows,
        cv: Any,
        groups: Any = None,
        *,
        finish: bool,
    ) -> LevelOne:
        """Level-1 scores of the training rows; see :func:`~uneven.stacking.level_one`."""
        return level_one(
            rows.find_members(members),
            rows.X,
            rows.classes[rows.y],
            classes=rows.classes,
            cv=rows.find_splits(cv),
            groups=rows.find_groups(groups),
            sample_weight=rows.weight,
            views=self.views,
            random_state=self.random_state,
            n_jobs=self.n_jobs,
            memory=self.memory,
            callback=self._watcher or (self._say if self.verbose else None),
            finish=finish,
        )

    def _finish_members(self, level: LevelOne, chosen: np.ndarray) -> list[FittedMember]:
        """The chosen members, trained on all rows."""
        say = self._say_final if self.verbose and level.put_off else None
        return finish_members(level, chosen, n_jobs=self.n_jobs, memory=self.memory, callback=say)

    def _say(self, done: int, total: int, kind: str = "trainings") -> None:
        every = max(1, total // (10 * int(self.verbose)))
        if done % every == 0 or done == total:
            print(f"[{type(self).__name__}] {done} of {total} {kind}")

    def _say_final(self, done: int, total: int) -> None:
        self._say(done, total, "trainings on all rows")

    def decision_function(self, X: Any) -> np.ndarray:
        """Combined scores of the kept members.

        Parameters
        ----------
        X : array-like, sparse matrix, dataframe or list of texts, of n_samples rows

        Returns
        -------
        ndarray of shape (n_samples, n_classes), or (n_samples,) for two classes
            With two classes: the score of the second class minus that of the first.
        """
        return flatten_binary(self._scores(X))

    def predict(self, X: Any) -> np.ndarray:
        """Class with the largest combined score; dropped members are not asked.

        Parameters
        ----------
        X : array-like, sparse matrix, dataframe or list of texts, of n_samples rows

        Returns
        -------
        ndarray of shape (n_samples,)
            The first class among equals.
        """
        best = self._scores(X).argmax(axis=1)
        return np.asarray(self.classes_[best])

    def predict_proba(self, X: Any) -> np.ndarray:
        """Softmax of the scores, at the temperature that was most likely in cross-validation.

        Parameters
        ----------
        X : array-like, sparse matrix, dataframe or list of texts, of n_samples rows

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
        """
        scores = self._scores(X)
        return np.asarray(softmax(scores / self.temperature_, axis=1))

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        try:
            takes = members_take(self)
        except (TypeError, ValueError):
            return tags
        tags.input_tags.sparse, tags.input_tags.allow_nan = takes["sparse"], takes["nan"]
        return tags

    def _check_members(self, names: Any) -> None:
        """Refuse loaded members that do not fit the classes, the columns and their names."""
        check_classes(self.classes_)
        check_names(self)
        if self.temperature_ is not None:
            check_size(self.temperature_, "its temperature is")
        is_whole = isinstance(self.n_jobs, int | np.integer) and not isinstance(self.n_jobs, bool)
        if self.n_jobs is not None and (not is_whole or self.n_jobs == 0):
            raise ValueError(f"n_jobs is {self.n_jobs!r}")
        check_printable(self.names_, "members")
        refusal = "a {} stands where a member should be"
        given = (self.classes_, self.n_features_in_)
        for member in self.estimators_:
            check_part("member", member, *given, refusal=refusal, error=ValueError)
        if [member.name for member in self.estimators_] != names:
            raise ValueError("its members have other names than it says")
