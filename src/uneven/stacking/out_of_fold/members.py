"""One classifier of a stack: what it is fitted to, and its scores, one per class."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from numbers import Real
from typing import Any

import numpy as np
from scipy.stats import rankdata
from sklearn.base import BaseEstimator, is_classifier
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils import check_random_state

from uneven.stacking.out_of_fold.rows import count_columns, count_rows, open_table, row_numbers
from uneven.utils.estimators import align_margins, align_probabilities, check_margins
from uneven.utils.frames import take_columns
from uneven.utils.model_types import (
    UnknownPartError,
    check_classes,
    check_columns,
    check_numbers,
    check_part,
    check_range,
    check_size,
    check_whole,
    persisted,
    role_of,
)
from uneven.utils.parameters import check_choice, store_parameters
from uneven.utils.validation import hold_out
from uneven.views import ViewMap, resolve_views

METHODS = ("predict_proba", "decision_function", "predict", "ranks")
"""Where scores may come from, the best first; "ranks" are those of one of the first two."""


def score_method(model: Any, wanted: str = "auto", *, fitted: bool = False) -> str:
    """Which method of a classifier gives the scores.

    Parameters
    ----------
    model : classifier
    wanted : {"auto", "predict_proba", "decision_function", "predict", "ranks"}, default="auto"
        "auto" is the first of them that it has.
    fitted : bool, default=False
        Whether it must have one by now. Some classifiers show what they have once they are fitted.

    Returns
    -------
    str
        As wanted, if the classifier does not show yet what it has.

    Examples
    --------
    >>> from sklearn.linear_model import Perceptron
    >>> score_method(Perceptron())
    'decision_function'
    """
    check_choice("score", wanted, ("auto", *METHODS))
    found = [method for method in METHODS if hasattr(model, method)]
    if not found and not fitted:
        return wanted
    if not found:
        raise TypeError(
            f"{type(model).__name__} has none of {', '.join(METHODS)}: it is no classifier."
        )
    if wanted == "auto":
        return found[0]
    if wanted == "ranks" and found[0] != "predict":
        return wanted
    if wanted not in found:
        raise ValueError(
            f"{type(model).__name__} has no {wanted} to score rows with; it has {', '.join(found)}."
        )
    return wanted


def positions_of(labels: Any, classes: np.ndarray) -> np.ndarray:
    """Where labels stand among the classes.

    Parameters
    ----------
    labels : array-like of shape (n,)
    classes : ndarray of shape (n_classes,)
        Sorted.

    Returns
    -------
    ndarray of int, shape (n,)

    Examples
    --------
    >>> positions_of(["b", "a"], np.array(["a", "b"])).tolist()
    [1, 0]
    """
    given = np.asarray(labels)
    known = np.isin(given, classes)
    if not known.all():
        raise ValueError(
            f"the label {given[~known].tolist()[0]!r} is not among the classes "
            f"{classes[:8].tolist()}."
        )
    return np.searchsorted(classes, given)


def class_scores(
    model: Any, X: Any, method: str, labels: np.ndarray, classes: np.ndarray
) -> np.ndarray:
    """Scores of a fitted classifier in the columns of all classes.

    Parameters
    ----------
    model : classifier
        Fitted.
    X : table of n_samples rows
        The columns that it was fitted to.
    method : {"predict_proba", "decision_function", "predict", "ranks"}
        Predicted classes become a 1 for the class and 0 for the others; ranks become even
        steps from 0 for the last class to 1 for the first, classes that are level sharing theirs.
    labels : ndarray of int, shape (n_labels,)
        Positions of ``model.classes_`` in ``classes``.
    classes : ndarray of shape (n_classes,)
        Sorted. A class that the model was not trained on gets the probability 0, or the smallest
        margin of the row.

    Returns
    -------
    ndarray of shape (n_samples, n_classes)

    Examples
    --------
    >>> from sklearn.naive_bayes import GaussianNB
    >>> model = GaussianNB().fit([[0.0], [9.0]], ["a", "c"])
    >>> classes = np.array(["a", "b", "c"])
    >>> class_scores(model, [[0.0]], "predict_proba", np.array([0, 2]), classes).round(3)
    array([[1., 0., 0.]])
    >>> model = GaussianNB(var_smoothing=1.0).fit([[0.0], [9.0]], ["a", "c"])
    >>> class_scores(model, [[4.0]], "ranks", np.array([0, 2]), classes)
    array([[1. , 0. , 0.5]])
    """
    if method == "ranks":
        scores = class_scores(model, X, score_method(model), labels, classes)
        return np.asarray((rankdata(scores, axis=1) - 1.0) / (len(classes) - 1.0))
    said = np.asarray(getattr(model, method)(X))
    if method == "predict":
        return np.eye(len(classes))[positions_of(said, classes)]
    if method == "decision_function":
        check_margins(model, said, 'score="predict"')
        return align_margins(said, labels, len(classes))
    if said.ndim != 2 or said.shape[1] != len(labels):
        raise ValueError(
            f"predict_proba of {type(model).__name__} has shape {said.shape}; {len(labels)} "
            "columns are needed, one per class that it knows."
        )
    return align_probabilities(said, labels, len(classes))


_LARGEST = 1e100
"""Scores beyond it are refused: their squares must stay finite."""


@persisted("member", without_check="a parameter, which no prediction depends on")
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
    rows : array-like of int, shape (n,), or mask of shape (n_samples,), optional
        Training rows; a row that is named twice counts twice.
    share : float, optional
        Share of the rows to draw, in (0, 1]: the same share of every class, without replacement.
    bootstrap : bool, default=False
        Draw with replacement, from all rows alike, ``share`` of their number (all by default).
    score : {"auto", "predict_proba", "decision_function", "predict", "ranks"}, default="auto"
        Method that gives the scores; "auto" is the first that there is. Margins are divided by the
        root of the mean of their squares, predicted classes become 0 and 1, and ranks of the
        classes even steps from 0 to 1: for classifiers whose order is right and whose numbers are
        not.
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
        store_parameters(self, locals())

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
            return self.named_rows(len(y))
        share = check_share(1.0 if self.share is None else self.share)
        source = rng if self.random_state is None else check_random_state(self.random_state)
        if self.bootstrap:
            return np.sort(source.randint(len(y), size=max(1, round(share * len(y)))))
        if share == 1.0:
            return None
        return np.flatnonzero(~hold_out(y, 1.0 - share, source))

    def named_rows(self, n_samples: int) -> np.ndarray:
        """The rows that this member names, out of so many, shape (n,)."""
        if self.share is not None or self.bootstrap:
            raise ValueError("rows are named, so share and bootstrap have nothing to draw.")
        rows = row_numbers(self.rows, n_samples, "rows")
        if not rows.size:
            raise ValueError(f"rows name no row: {self.rows!r}.")
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
            raise ValueError(f"member {name!r} selects columns, but X has no columns.")
        known = () if views is None else views.names
        asked = [self.columns] if isinstance(self.columns, str) else self.columns
        if isinstance(asked, list | tuple) and asked and all(view in known for view in asked):
            found = [views.columns[known.index(view)] for view in asked] if views else []
            return np.unique(np.concatenate(found))
        frame = X if hasattr(X, "columns") else None
        names = None if frame is None else list(frame.columns)
        if isinstance(self.columns, str) and known and self.columns not in (names or ()):
            raise ValueError(
                f"member {name!r} reads {self.columns!r}, which is no view ({', '.join(known)})."
            )
        try:
            resolved = resolve_views(
                {name: self.columns}, n_features=n_features, feature_names=names, frame=frame
            )
        except ValueError as error:
            said = str(error).replace(f"view {name!r}", f"member {name!r}")
            raise ValueError(said) from error
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


def check_classifier(who: str, estimator: Any) -> None:
    """Refuse what is no classifier; whether it can ``predict`` may show only once it is fitted.

    What has ``classes_`` and predicts counts as fitted already, without a ``fit``.

    Examples
    --------
    >>> from sklearn.linear_model import LinearRegression
    >>> check_classifier("member 'line'", LinearRegression())
    Traceback (most recent call last):
        ...
    TypeError: member 'line' must be a classifier, got LinearRegression(), which is none.
    """
    if is_ready(estimator):
        return
    known = not isinstance(estimator, type) and hasattr(estimator, "__sklearn_tags__")
    if not known or not hasattr(estimator, "fit") or not is_classifier(estimator):
        raise TypeError(f"{who} must be a classifier, got {estimator!r}, which is none.")


def is_ready(estimator: Any) -> bool:
    """Whether something cannot be fitted, but predicts classes that it names."""
    if isinstance(estimator, type) or hasattr(estimator, "fit"):
        return False
    answers = any(hasattr(estimator, method) for method in METHODS)
    return answers and hasattr(estimator, "classes_")


def check_members(
    given: Any, *, score: str = "auto", called: str = "members"
) -> list[tuple[str, Member]]:
    """Refuse what cannot be a stack; wrap plain classifiers.

    Parameters
    ----------
    given : list of (str, classifier or Member) or (str, classifier, columns)
        An entry "drop" is left out.
    score : str, default="auto"
        Method of plain classifiers that gives the scores; see :class:`Member`.
    called : str, default="members"
        What the list is called, for error messages.

    Examples
    --------
    >>> from sklearn.naive_bayes import GaussianNB
    >>> check_members([("nb", GaussianNB()), ("few", GaussianNB(), [0, 2])])[1]
    ('few', Member(columns=[0, 2], estimator=GaussianNB()))
    """
    if not isinstance(given, Iterable) or isinstance(given, str | Mapping):
        raise ValueError(f"{called} must be a list of (name, classifier), got {given!r}.")
    members: list[tuple[str, Member]] = []
    for entry in given:
        if not isinstance(entry, list | tuple) or len(entry) not in (2, 3):
            raise ValueError(
                f"{called} must be pairs (name, classifier) or triples (name, classifier, "
                f"columns), got {entry!r}."
            )
        name, classifier, *columns = entry
        if isinstance(classifier, str) and classifier == "drop":
            continue
        if not isinstance(name, str) or not name or "__" in name:
            raise ValueError(
                f"{name!r} cannot be the name of a member: names are words without '__'."
            )
        members.append((name, _as_member(name, classifier, columns, score)))
    names = [name for name, _ in members]
    twice = [name for name in names if names.count(name) > 1]
    if twice:
        raise ValueError(f"two members are called {twice[0]!r}: give every member its own name.")
    if not members:
        raise ValueError(f"{called} is empty: a stack needs at least one member.")
    return members


def _as_member(name: str, given: Any, columns: list[Any], score: str) -> Member:
    if not isinstance(given, Member):
        member = Member(given, columns=columns[0] if columns else None, score=score)
    elif columns:
        raise ValueError(
            f"member {name!r} has columns beside its Member: write Member(..., columns=...)."
        )
    else:
        member = given
    check_classifier(f"member {name!r}", member.estimator)
    return member


@persisted("fitted_member", role="member")
@dataclass(frozen=True)
class FittedMember:
    """A fitted member.

    Attributes
    ----------
    name : str
    model : classifier or None
        None if its training rows showed one class only: then it always predicts that one, by the
        score 1 against 0, or against -1 in place of margins that are scaled already.
    columns : ndarray of int, shape (n_columns,), or None
        What it reads; None is everything.
    method : str
        Method that gives the scores: "predict_proba", "decision_function" or "predict".
    labels : ndarray of int, shape (n_labels,)
        Its classes, as positions in ``classes``.
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
        """Scores of the member for some rows.

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
            other = -1.0 if self.method == "decision_function" else 0.0
            scores = np.full((count_rows(X), len(self.classes)), other)
            scores[:, self.labels] = 1.0
            return scores
        try:
            table = take_columns(open_table(X), self.columns)
            scores = class_scores(self.model, table, self.method, self.labels, self.classes)
        except Exception as error:
            plain = (kind for kind in (ValueError, TypeError) if isinstance(error, kind))
            kind = next(plain, RuntimeError)
            raise kind(f"member {self.name!r} cannot score: {error}") from error
        if len(scores) != count_rows(X):
            raise ValueError(
                f"member {self.name!r} cannot score: its {self.method} returns {len(scores)} rows "
                f"for {count_rows(X)} rows of X."
            )
        self._refuse_absurd(scores)
        return scores / self.scale

    def _refuse_absurd(self, scores: np.ndarray) -> None:
        """Refuse scores that cannot be used for fitting or combined with others."""
        broken = np.flatnonzero(~(np.abs(scores) <= _LARGEST).all(axis=1))
        if not broken.size:
            return
        fault = "beyond 1e100" if np.isfinite(scores[broken]).all() else "that are not finite"
        raise ValueError(
            f"member {self.name!r} gives scores {fault} in {broken.size} of {len(scores)} rows, "
            f"for instance {scores[broken[0]].tolist()} in row {broken[0]}: leave it out, or let "
            "it predict by score='predict'."
        )

    def _check_model_(self, classes: np.ndarray, n_features: int) -> None:
        """Refuse a loaded member that does not fit the classes and columns of its stack."""
        check_whole(self.labels, f"classes of member {self.name!r}")
        check_range(self.labels, len(classes), "class")
        n_labels = len(np.unique(self.labels))
        if self.labels.shape != (n_labels,) or not n_labels:
            raise ValueError(f"member {self.name!r} has no list of different classes")
        if not np.array_equal(self.classes, classes) or self.method not in METHODS:
            raise ValueError(f"member {self.name!r} returns another kind of scores than its stack")
        check_size(self.scale, f"the scores of member {self.name!r} have the scale")
        if self.columns is not None:
            check_columns(self.columns, n_features, self.name)
        if self.model is None:
            if n_labels > 1:
                raise ValueError(f"member {self.name!r} has no model of {n_labels} classes")
            return
        _check_member_model(self.model)
        if not np.array_equal(self.model.classes_, classes[self.labels]):
            raise ValueError(f"member {self.name!r} knows other classes")


def _check_member_model(model: Any) -> None:
    """Refuse a loaded model that is no classifier, with or without an encoder, or base learner."""
    if role_of(model) in ("stack", "repair"):
        raise UnknownPartError(f"its stack holds a {type(model).__name__}")
    if type(model) is Pipeline and type(model[0]) is StandardScaler:
        check_learner(model)
        return
    refusal = "its classifier is a {}, which is not known"
    check_part(("classifier", "pipeline"), model, refusal=refusal)
    if type(model) is Pipeline and role_of(model[-1]) == "stack":
        raise UnknownPartError("its stack holds another stack")


def check_learner(pipeline: Any) -> None:
    """Refuse a loaded base learner whose scaler, maps of columns and classifier do not fit.

    Parameters
    ----------
    pipeline : Pipeline
        A scaler, maps whose check ``(map, width)`` returns how many columns they make, and a
        learner whose check gets its width and number of classes.

    Raises
    ------
    UnknownPartError, ValueError
    """
    refusal = "its stack holds a {}, which is not known"
    width = pipeline[0].n_features_in_
    for step in pipeline[:-1]:
        if type(step) is StandardScaler:
            check_numbers(step.mean_, (width,), "means", signed=True)
            check_numbers(step.scale_, (width,), "scales")
        else:
            width = check_part("map", step, width, refusal=refusal)
    learner = pipeline[-1]
    if role_of(learner) != "learner":
        raise UnknownPartError(refusal.replace("{}", type(learner).__name__))
    check_classes(learner.classes_)
    if learner.n_features_in_ != width:
        raise ValueError(f"a learner of {learner.n_features_in_} columns is given {width}")
    check_part("learner", learner, width, len(learner.classes_), refusal=refusal)
