"""What classifiers that combine named members have in common: parameters, rows and predictions."""

from __future__ import annotations

import os
from abc import ABCMeta, abstractmethod
from collections.abc import Callable, Mapping
from functools import partial
from numbers import Integral
from typing import Any, ClassVar, Self

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils import InputTags, check_random_state, get_tags
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_consistent_length, column_or_1d

from uneven.stacking.links import link_probabilities
from uneven.stacking.out_of_fold.level_one import LevelOne, finish_members, level_one
from uneven.stacking.out_of_fold.members import METHODS, FittedMember, Member, check_members
from uneven.stacking.out_of_fold.rows import (
    StackRows,
    check_folds,
    count_rows,
    is_handed_on,
    open_table,
)
from uneven.utils.model_types import (
    check_classes,
    check_names,
    check_part,
    check_printable,
    check_size,
)
from uneven.utils.parameters import Choice, Passes, Whole, check_parameters
from uneven.utils.validation import fitted_attributes, validate_data, whole_or_nothing
from uneven.votes.vote import flatten_binary


class NamedMembers(BaseEstimator):
    """Base of estimators whose parameter ``estimators`` lists named classifiers.

    ``get_params`` and ``set_params`` give the classifiers by their names, and the parameters of a
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
                for param, value in classifier.get_params(deep=True).items():
                    found[f"{name}__{param}"] = value
        return found

    def set_params(self, **params: Any) -> Self:
        """Set parameters of this estimator and of its classifiers.

        Parameters
        ----------
        **params
            ``name=classifier`` replaces a classifier, ``name__parameter=value`` changes one.
        """
        if "estimators" in params:
            self.estimators = params.pop("estimators")
        own = super().get_params(deep=False)
        names = [name for name, _ in _named(self.estimators)]
        for name in [param for param in params if param in names and param not in own]:
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
        Method that gives the scores of plain classifiers; see
        :class:`~uneven.stacking.out_of_fold.members.Member`.

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
    members = check_members(estimator.estimators, score=score_method, called="estimators")
    own = set(estimator.get_params(deep=False))
    for name, _ in members:
        if name in own:
            raise ValueError(
                f"a member is called {name!r}, like a parameter of {type(estimator).__name__}: "
                "choose another name."
            )
    return members


def _input_tags(classifier: Any) -> Any:
    """The input that a classifier may read: what its tags allow, anything without tags.

    The tags of a pipeline say that it takes no NaN even if it imputes: it is asked to fit.
    """
    if not hasattr(classifier, "__sklearn_tags__"):
        return InputTags(sparse=True, allow_nan=True)
    tags = get_tags(classifier).input_tags
    tags.allow_nan = tags.allow_nan or hasattr(classifier, "steps")
    return tags


def _is_listing(estimators: Any) -> bool:
    return hasattr(estimators, "__iter__") and not isinstance(estimators, str | Mapping)


def _refuse_dropped(estimators: Any, params: Mapping[str, Any]) -> None:
    """Refuse parameters of members that are left out."""
    dropped = [name for name, given in _named(estimators) if isinstance(given, str)]
    for param in params:
        if param.partition("__")[0] in dropped and "__" in param:
            name = param.partition("__")[0]
            raise ValueError(
                f'member {name!r} is "drop" and has no {param}: set {name} to a classifier first.'
            )


def _named(estimators: Any) -> list[tuple[str, Any]]:
    """Name and classifier of every entry; nothing if these are not entries."""
    entries = list(estimators) if _is_listing(estimators) else []
    if not all(isinstance(entry, tuple | list) and len(entry) in (2, 3) for entry in entries):
        return []
    return [(entry[0], entry[1]) for entry in entries]


def _check_memory(memory: Any) -> None:
    is_folder = memory is None or isinstance(memory, str | os.PathLike)
    if not is_folder and not hasattr(memory, "cache"):
        raise ValueError(f"memory must be a folder, a joblib.Memory or None; got {memory!r}.")


def _check_jobs(n_jobs: Any) -> None:
    whole = isinstance(n_jobs, Integral) and not isinstance(n_jobs, bool)
    if n_jobs is not None and (not whole or n_jobs == 0):
        raise ValueError(f"n_jobs must be None or a whole number other than 0, got {n_jobs!r}.")


class StackedClassifier(ClassifierMixin, NamedMembers, metaclass=ABCMeta):
    """Base of classifiers that turn the scores of members into scores of the classes.

    A subclass sets ``classes_`` and ``temperature_``, and supplies ``_scores``.

    Attributes
    ----------
    takes_ : dict of str to bool
        What the members could read when they were fitted, so that ``predict`` need not look at
        those that were dropped. "sparse" and "nan": all members take such tables. "holes": those
        that read all columns take NaN.
    """

    _parameters: ClassVar = {
        "score_method": Choice(("auto", *METHODS)),
        "cv": Passes(check_folds),
        "memory": Passes(_check_memory),
        "n_jobs": Passes(_check_jobs),
        "verbose": Whole(0, or_flag=True),
        "random_state": Passes(check_random_state),
    }

    classes_: np.ndarray
    takes_: dict[str, bool]
    temperature_: float | None
    floor_: float | None = None
    score_method: str
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

    def fit(self, X: Any, y: Any, sample_weight: Any = None, groups: Any = None) -> Self:
        """Train the members, and learn how to join them.

        Parameters
        ----------
        X : array-like, sparse matrix, dataframe or list of texts, of n_samples rows
            Data frames are handed on to the members as they are.
        y : array-like of shape (n_samples,)
            Class labels.
        sample_weight : array-like of shape (n_samples,), optional
            For the members that take weights, and for what joins them. Rows of weight zero are
            left out.
        groups : array-like of shape (n_samples,), optional
            For a ``cv`` that keeps groups of rows together.

        Returns
        -------
        self : object
        """
        return self._fit_by(partial(self._learn, groups=groups), X, y, sample_weight)

    def _fit_by(
        self,
        learn: Callable[[list[tuple[str, Member]], StackRows], None],
        X: Any,
        y: Any,
        sample_weight: Any,
    ) -> Self:
        """Check everything, then learn from the members and the rows."""
        check_parameters(self)
        members = open_members(self, self.score_method)
        self._check_together(len(members))
        with whole_or_nothing(self):
            for name in fitted_attributes(self):
                delattr(self, name)
            rows = self._validate(X, y, sample_weight)
            self.classes_ = rows.classes
            learn(members, rows)
        return self

    @abstractmethod
    def _check_together(self, n_members: int) -> None:
        """Refuse parameters that do not go together, before a member is trained."""

    @abstractmethod
    def _learn(self, members: list[tuple[str, Member]], rows: StackRows, groups: Any) -> None:
        """Get level-1 scores of the members, and learn how to combine them."""

    @abstractmethod
    def _scores(self, X: Any) -> np.ndarray:
        """Scores of the classes, shape (n_samples, n_classes)."""

    def _validate(self, X: Any, y: Any, sample_weight: Any) -> StackRows:
        """Check the arguments of ``fit``; store columns and what the members can read.

        The members are whole classifiers or pipelines, which check themselves what they can read:
        data frames with words, sparse matrices, holes. So only arrays are checked; frames and lists
        of texts are handed on as they came. Rows of weight zero are left out.
        """
        self.takes_ = self._members_take()
        if is_handed_on(X):
            validate_data(self, X, y, skip_check_array=True)
            labels = column_or_1d(y, warn=True)
            check_consistent_length(X, labels)
        else:
            X, labels = validate_data(self, X, y, **self._array_rules())
        X = open_table(X)
        check_classification_targets(labels)
        if not count_rows(X):
            raise ValueError("X has no rows: there is nothing to learn from.")
        rows = StackRows.of(X, labels, sample_weight)
        if len(rows.classes) < 2:
            raise ValueError(
                f"y holds only one class, {rows.classes.tolist()[0]!r}: {type(self).__name__} "
                "needs rows of two classes at least."
            )
        return rows

    def _validate_again(self, X: Any) -> Any:
        """Check what ``predict`` was given against what ``fit`` saw."""
        if is_handed_on(X):
            validate_data(self, X, reset=False, skip_check_array=True)
            return X
        return open_table(validate_data(self, X, reset=False, **self._array_rules()))

    def _members_take(self) -> dict[str, bool]:
        """What the members can read, worked out once per fit; see ``takes_``."""
        fitted: dict[str, bool] | None = vars(self).get("takes_")
        if fitted is not None:
            return fitted
        members = [member for _, member in open_members(self)]
        tags = [_input_tags(member.estimator) for member in members]
        some = [member.columns is not None for member in members]
        return {
            "sparse": all(tag.sparse for tag in tags),
            "nan": all(tag.allow_nan for tag in tags),
            "holes": all(few or tag.allow_nan for few, tag in zip(some, tags)),
        }

    def _array_rules(self) -> dict[str, Any]:
        """How arrays are checked: holes are refused if a member that reads all takes none."""
        finite = "allow-nan" if self._members_take()["holes"] else True
        return {"accept_sparse": "csr", "dtype": "numeric", "ensure_all_finite": finite}

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
        """Class with the largest combined score; dropped members are not used.

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
        """Probabilities by the link that was most likely in cross-validation.

        The softmax of the scores at a temperature or, of scores that look like probabilities, their
        logarithms at a temperature, scores of less than a floor counting as that.

        Parameters
        ----------
        X : array-like, sparse matrix, dataframe or list of texts, of n_samples rows

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
        """
        scores = self._scores(X)
        return link_probabilities(scores, self.floor_, self.temperature_ or 1.0)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        try:
            takes = self._members_take()
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
        if self.floor_ is not None:
            check_size(self.floor_, "the floor of its scores is")
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
