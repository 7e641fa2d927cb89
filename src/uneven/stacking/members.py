"""One classifier of a stack: what it learns from, and what it says once it has learnt."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from numbers import Real
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils import check_random_state

from uneven.door import hold_out
from uneven.frames import take_columns
from uneven.stacking.answers import class_scores
from uneven.stacking.tables import count_columns, count_rows, open_table
from uneven.views import ViewMap, resolve_views

__all__ = ["FittedMember", "Member", "check_members", "check_share"]


class Member(BaseEstimator):
    """A classifier for a stack, with the rows and columns that it learns from.

    It only describes: a stack copies the classifier and fits the copies. A plain classifier in a
    stack is a member with everything at its default.

    Parameters
    ----------
    estimator : classifier
    columns : object, optional
        Column names or positions, a slice, a mask, a callable that receives the frame, or the name
        of a view (or several) of the stack. All columns by default.
    rows : array-like of int, shape (n,), optional
        Training rows; a row that is named twice counts twice.
    share : float, optional
        Share of the rows to draw, in (0, 1]: the same share of every class, without replacement.
    bootstrap : bool, default=False
        Draw with replacement, from all rows alike, ``share`` of their number (all by default).
    score : {"auto", "predict_proba", "decision_function", "predict"}, default="auto"
        What to ask for scores; "auto" is the first that there is. Margins are divided by the root
        of the mean of their squares, answers become 0 and 1.
    random_state : int, RandomState or None, default=None
        Seeds the draw of rows; None leaves it to the stack.

    References
    ----------
    M. U. Sen (2011), *Max-margin stacking with group sparse regularization for classifier
    combination*, MSc thesis, Sabanci University.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.naive_bayes import GaussianNB
    >>> from uneven.stacking import Member
    >>> member = Member(GaussianNB(), columns=[0, 2], share=0.5, random_state=0)
    >>> member.draw_rows(np.array([0, 0, 0, 0, 1, 1]), np.random.RandomState(0)).tolist()
    [0, 1, 5]
    """

    def __init__(
        self,
        estimator: Any = None,
        *,
        columns: Any = None,
        rows: Any = None,
        share: float | None = None,
        bootstrap: bool = False,
        score: str = "auto",
        random_state: Any = None,
    ) -> None:
        self.estimator = estimator
        self.columns = columns
        self.rows = rows
        self.share = share
        self.bootstrap = bootstrap
        self.score = score
        self.random_state = random_state

    def draw_rows(self, y: np.ndarray, rng: np.random.RandomState) -> np.ndarray | None:
        """Training rows of this member, with repetitions; None if these are all.

        Parameters
        ----------
        y : ndarray of int, shape (n_samples,)
            Classes.
        rng : RandomState
            Used if the member has no ``random_state`` of its own.

        Returns
        -------
        ndarray of int, shape (n,), or None
        """
        if self.rows is not None:
            return self._named_rows(len(y))
        share = check_share(1.0 if self.share is None else self.share)
        source = rng if self.random_state is None else check_random_state(self.random_state)
        if self.bootstrap:
            return np.sort(source.randint(len(y), size=max(1, round(share * len(y)))))
        if share == 1.0:
            return None
        return np.flatnonzero(~hold_out(y, 1.0 - share, source))

    def _named_rows(self, n_samples: int) -> np.ndarray:
        if self.share is not None or self.bootstrap:
            raise ValueError("rows are named, so share and bootstrap have nothing to draw.")
        rows = np.asarray(self.rows)
        if rows.ndim != 1 or rows.size == 0 or not np.issubdtype(rows.dtype, np.integer):
            raise ValueError(f"rows must be a list of whole numbers, got {self.rows!r}.")
        if rows.min() < 0 or rows.max() >= n_samples:
            raise ValueError(
                f"rows reach from {rows.min()} to {rows.max()}, but there are {n_samples} rows."
            )
        return rows

    def find_columns(self, name: str, X: Any, views: ViewMap | None) -> np.ndarray | None:
        """Positions of the columns of this member; None if these are all.

        Parameters
        ----------
        name : str
            What the member is called, for error messages.
        X : table of n_samples rows
        views : ViewMap or None
            The views that ``columns`` may name.

        Returns
        -------
        ndarray of int, shape (n_columns,), or None
        """
        if self.columns is None:
            return None
        n_features = count_columns(X)
        if n_features is None:
            raise ValueError(f"member {name!r} wants some columns, but X has no columns.")
        known = () if views is None else views.names
        asked = [self.columns] if isinstance(self.columns, str) else self.columns
        if isinstance(asked, list | tuple) and asked and all(view in known for view in asked):
            found = [views.columns[known.index(view)] for view in asked] if views else []
            return np.unique(np.concatenate(found))
        frame = X if hasattr(X, "columns") else None
        names = None if frame is None else list(frame.columns)
        resolved = resolve_views(
            {name: self.columns}, n_features=n_features, feature_names=names, frame=frame
        )
        return resolved.columns[0]


def check_share(share: Any) -> float:
    """Refuse a share of rows or columns that is not in (0, 1].

    Examples
    --------
    >>> check_share(1)
    1.0
    """
    if not isinstance(share, Real) or isinstance(share, bool) or not 0.0 < float(share) <= 1.0:
        raise ValueError(f"share must be a number in (0, 1], got {share!r}.")
    return float(share)


def check_members(estimators: Any) -> list[tuple[str, Member]]:
    """Refuse what cannot be a stack; wrap plain classifiers.

    Parameters
    ----------
    estimators : list of (str, classifier or Member)
        An entry "drop" is left out.

    Returns
    -------
    list of (str, Member)

    Examples
    --------
    >>> from sklearn.naive_bayes import GaussianNB
    >>> check_members([("nb", GaussianNB())])
    [('nb', Member(estimator=GaussianNB()))]
    """
    if not isinstance(estimators, Iterable) or isinstance(estimators, str | dict):
        raise ValueError(f"estimators must be a list of (name, classifier), got {estimators!r}.")
    members: list[tuple[str, Member]] = []
    for entry in estimators:
        if not isinstance(entry, list | tuple) or len(entry) != 2:
            raise ValueError(f"estimators must be pairs (name, classifier), got {entry!r}.")
        name, given = entry
        if isinstance(given, str) and given == "drop":
            continue
        if not isinstance(name, str) or not name or "__" in name:
            raise ValueError(
                f"{name!r} cannot be the name of a member: names are words without '__'."
            )
        member = given if isinstance(given, Member) else Member(given)
        if not hasattr(member.estimator, "fit") or not hasattr(member.estimator, "predict"):
            raise TypeError(f"member {name!r} must be a classifier, got {member.estimator!r}.")
        members.append((name, member))
    names = [name for name, _ in members]
    twice = [name for name in names if names.count(name) > 1]
    if twice:
        raise ValueError(f"two members are called {twice[0]!r}: give every member its own name.")
    if not members:
        raise ValueError("estimators is empty: a stack needs at least one member.")
    return members


@dataclass(frozen=True)
class FittedMember:
    """A member that has learnt.

    Attributes
    ----------
    name : str
    model : classifier or None
        None if its training rows showed one class only: then it always says that one.
    columns : ndarray of int, shape (n_columns,), or None
        What it reads; None is everything.
    method : str
        What is asked for scores: "predict_proba", "decision_function" or "predict".
    labels : ndarray of int, shape (n_labels,)
        The classes that it knows, as positions in ``classes``.
    classes : ndarray of shape (n_classes,)
        All classes of the stack.
    scale : float
        What its scores are divided by: 1 but for margins.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.linear_model import Perceptron
    >>> X, classes = np.array([[0.0, 5.0], [1.0, 5.0]]), np.array([0, 1])
    >>> model = Perceptron().fit(X[:, :1], classes)
    >>> member = FittedMember(
    ...     "p", model, np.array([0]), "decision_function", classes, classes, scale=2.0
    ... )
    >>> bool(np.allclose(member.scores(X)[:, 1], model.decision_function(X[:, :1]) / 4.0))
    True
    """

    name: str
    model: Any
    columns: np.ndarray | None
    method: str
    labels: np.ndarray
    classes: np.ndarray
    scale: float = 1.0

    def scores(self, X: Any) -> np.ndarray:
        """What the member says about rows.

        Parameters
        ----------
        X : array-like, sparse matrix, dataframe or list of n_samples rows
            All columns of the stack.

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
            Finite numbers.
        """
        if self.model is None:
            scores = np.zeros((count_rows(X), len(self.classes)))
            scores[:, self.labels] = 1.0
            return scores / self.scale
        table = take_columns(open_table(X), self.columns)
        try:
            scores = class_scores(self.model, table, self.method, self.labels, self.classes)
        except (TypeError, ValueError) as error:
            kind = TypeError if isinstance(error, TypeError) else ValueError
            raise kind(f"member {self.name!r} cannot score: {error}") from error
        broken = np.flatnonzero(~np.isfinite(scores).all(axis=1))
        if broken.size:
            raise ValueError(
                f"member {self.name!r} gives scores that are not finite in {broken.size} of "
                f"{len(scores)} rows, for instance {scores[broken[0]].tolist()} in row "
                f"{broken[0]}: leave it out, or let it answer by score='predict'."
            )
        return scores / self.scale
