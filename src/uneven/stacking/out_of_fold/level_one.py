"""Level-1 data: out-of-fold scores of the members of a stack.

The unit of work, which is run in parallel and may be kept on disk, is a task: fit one member on
some rows and predict others.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, field, replace
from threading import Lock
from time import thread_time
from typing import Any

import joblib
import numpy as np
import sklearn
from sklearn import get_config
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.pipeline import Pipeline
from sklearn.utils import check_random_state
from sklearn.utils.metadata_routing import get_routing_for_object
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.parallel import Parallel, delayed
from sklearn.utils.validation import check_is_fitted, has_fit_parameter

from uneven.stacking.out_of_fold.members import (
    METHODS,
    FittedMember,
    Member,
    check_members,
    is_ready,
    positions_of,
    score_method,
)
from uneven.stacking.out_of_fold.rows import (
    Plan,
    count_columns,
    count_rows,
    open_table,
    plan_splits,
)
from uneven.utils.estimators import seeded_clone
from uneven.utils.frames import take_columns, take_rows
from uneven.utils.parallel import capped_jobs, cluster_workers, in_worker, one_blas_thread
from uneven.utils.validation import check_mass
from uneven.views import ViewMap, resolve_views

Result = tuple[FittedMember | None, np.ndarray, str, float]
"""Of a task: the member if it is kept, its scores, what was asked for them, and the seconds."""


@dataclass(frozen=True)
class LevelOne:
    """Scores to learn a combination from, and the members that will be combined.

    Attributes
    ----------
    scores : ndarray of shape (n_rows, n_members, n_classes)
        Finite; margins are divided by the scale of their member.
    y : ndarray of int, shape (n_rows,)
        Positions in ``classes``.
    share : ndarray of shape (n_rows,)
        Weight of every row; sums to 1.
    rows : ndarray of int, shape (n_rows,)
        Which rows of the table these are: all of them, unless rows were never held out.
    members : list of FittedMember
        Fitted on all rows that are theirs; ready to score new rows. Empty if that was postponed.
    classes : ndarray of shape (n_classes,)
    names : list of str of length n_members
        What the members are called.
    scale : ndarray of shape (n_members,)
        What the scores of each member were divided by.
    seconds : ndarray of shape (n_members,)
        Processor time that each member took to score 1000 rows.
    put_off : list of Task
        Trainings on all rows that are still to be done; see :func:`finish_members`.
    training : Training or None
        What these learn from.
    """

    scores: np.ndarray
    y: np.ndarray
    share: np.ndarray
    rows: np.ndarray
    members: list[FittedMember]
    classes: np.ndarray
    names: list[str]
    scale: np.ndarray
    seconds: np.ndarray
    put_off: list[Task] = field(default_factory=list)
    training: Training | None = None


def level_one(
    members: Any,
    X: Any,
    y: Any,
    *,
    classes: Any = None,
    cv: Any = 4,
    groups: Any = None,
    sample_weight: Any = None,
    views: Any = None,
    random_state: Any = None,
    n_jobs: int | None = None,
    memory: Any = None,
    callback: Callable[[int, int], object] | None = None,
    finish: bool = True,
) -> LevelOne:
    """Out-of-fold scores of the members for every row; then fit the members on all rows.

    Every member is fitted once per fold, on its rows outside the fold, and scores all rows of the
    fold. These models are thrown away; the members that stay are fitted on all of their rows.
    Classes that a training part lacks get the score 0, or the smallest margin of the row.

    Parameters
    ----------
    members : list of (str, classifier or Member) or (str, classifier, columns)
    X : array-like, sparse matrix, dataframe or list of n_samples rows
        Handed on as it is: members decide what they can take.
    y : array-like of shape (n_samples,)
        Labels; members learn these.
    classes : array-like of shape (n_classes,), optional
        All classes, if ``y`` may lack some. Found in ``y`` by default.
    cv : int, float, splitter, iterable of (train, test), or str, default=4
        A number of stratified folds (shuffled if there is a ``random_state``), or what
        scikit-learn takes for ``cv``. Rows that a splitter never holds out get no level-1 scores. A
        float, or "holdout" for 0.5: this share of every class is scored by members that learn from
        the other rows, and stay. "resubstitution": members score their training rows.
        "prefit": members are fitted already, and score all rows. "auto": four folds, or above
        50 000 rows a fifth of them held out (blending), so that no member is trained twice.
    groups : array-like of shape (n_samples,), optional
        For splitters that keep groups together.
    sample_weight : array-like of shape (n_samples,), optional
        Handed to the members that take weights.
    views : object, optional
        Views that members may name as their columns.
    random_state : int, RandomState or None, default=None
        Shuffles folds, draws the rows of members, and seeds members that have no seed of their own.
    n_jobs : int, optional
        How many trainings run at the same time; a joblib backend that is set counts, and the
        workers of a Dask cluster train if this process has its client. The result does not depend
        on it.
    memory : str or joblib.Memory, optional
        Folder in which finished trainings are kept: nothing that was fitted to the same rows
        before is fitted again. Helps only if everything that draws at random has a seed.
    callback : callable, optional
        Called with the number of finished trainings and of all.
    finish : bool, default=True
        Also fit the members on all rows. False postpones it, so that :func:`finish_members` can do
        it for some of them.

    Returns
    -------
    LevelOne

    Notes
    -----
    Corrections of the source: a fold is scored as a whole even by members that learn from a part of
    the rows only, since there would be holes otherwise; and the scores are in the order of the
    rows, not of the folds.

    References
    ----------
    M. U. Sen (2011), *Max-margin stacking with group sparse regularization for classifier
    combination*, MSc thesis, Sabanci University, algorithm 1. D. Wolpert (1992), *Stacked
    generalization*.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.naive_bayes import GaussianNB
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> from uneven.stacking import Member
    >>> from uneven.stacking.out_of_fold.level_one import level_one
    >>> X, y = load_iris(return_X_y=True)
    >>> members = [("nb", GaussianNB()), ("tree", Member(DecisionTreeClassifier(), columns=[2, 3]))]
    >>> level = level_one(members, X, y, random_state=0)
    >>> level.scores.shape, level.names
    ((150, 2, 3), ['nb', 'tree'])
    """
    given = check_members(members)
    table = open_table(X)
    training, positions = _enter(table, y, classes, sample_weight)
    seeds = None if random_state is None else check_random_state(random_state)
    plan = plan_splits(
        cv, table, positions, labels=training.classes.tolist(), groups=groups, rng=seeds
    )
    tasks = list_tasks(given, table, positions, plan, resolve_for(views, table), seeds)
    put_off = [task for task in tasks if task.keep] if plan.folds and not finish else []
    now = [task for task in tasks if not task.keep] if put_off else tasks
    results = _run(now, training, n_jobs, memory, callback)
    level = _gather(now, results, training, positions, plan)
    return replace(level, put_off=put_off, training=training) if put_off else level


def finish_members(
    level: LevelOne,
    chosen: Any = None,
    *,
    n_jobs: int | None = None,
    memory: Any = None,
    callback: Callable[[int, int], object] | None = None,
) -> list[FittedMember]:
    """Fit some members on all rows that are theirs.

    Parameters
    ----------
    level : LevelOne
    chosen : array-like of bool, shape (n_members,), optional
        Which; all by default.
    n_jobs, memory, callback : object
        As in :func:`level_one`.

    Returns
    -------
    list of FittedMember
        Only the chosen ones. Members that are fitted already are not fitted again.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.naive_bayes import GaussianNB
    >>> from uneven.stacking.out_of_fold.level_one import finish_members, level_one
    >>> X, y = load_iris(return_X_y=True)
    >>> members = [("all", GaussianNB()), ("few", GaussianNB(var_smoothing=0.1))]
    >>> level = level_one(members, X, y, finish=False)
    >>> [member.name for member in finish_members(level, [False, True])]
    ['few']
    """
    wanted = np.flatnonzero(np.ones(len(level.names), bool) if chosen is None else chosen)
    if level.members or level.training is None:
        return [level.members[m] for m in wanted]
    tasks = [level.put_off[m] for m in wanted]
    results = _run(tasks, level.training, n_jobs, memory, callback)
    fitted = [member for member, *_ in results if member is not None]
    return [replace(member, scale=float(level.scale[m])) for member, m in zip(fitted, wanted)]


def score_members(
    members: Sequence[FittedMember], X: Any, *, n_jobs: int | None = None
) -> np.ndarray:
    """Scores of fitted members for some rows.

    Parameters
    ----------
    members : sequence of FittedMember
        Only these are used.
    X : array-like, sparse matrix, dataframe or list of n_samples rows
    n_jobs : int, optional
        How many predict at the same time, in threads unless a joblib backend is set.

    Returns
    -------
    ndarray of shape (n_samples, n_members, n_classes)

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.naive_bayes import GaussianNB
    >>> from uneven.stacking.out_of_fold.level_one import level_one, score_members
    >>> X, y = load_iris(return_X_y=True)
    >>> level = level_one([("nb", GaussianNB())], X, y)
    >>> score_members(level.members, X[:2]).round(2)
    array([[[1., 0., 0.]],
           [[1., 0., 0.]]])
    """
    table = open_table(X)
    jobs = (delayed(_ask)(member, table, os.getpid()) for member in members)
    with one_thread():
        workers = capped_jobs(n_jobs, len(members))
        said = Parallel(n_jobs=workers, prefer="threads")(jobs)
    return np.ascontiguousarray(np.stack(said, axis=1))


def _ask(member: FittedMember, X: Any, parent: int) -> np.ndarray:
    if os.getpid() == parent:
        return member.scores(X)
    with one_thread():
        return member.scores(X)


def _enter(table: Any, y: Any, classes: Any, sample_weight: Any) -> tuple[Training, np.ndarray]:
    """Check labels and weights against the table; the positions of the labels come along."""
    labels = np.asarray(y)
    n_samples = count_rows(table)
    if labels.ndim != 1 or len(labels) != n_samples:
        raise ValueError(f"y has shape {labels.shape}, but X has {n_samples} rows.")
    if n_samples == 0:
        raise ValueError("Found array with 0 sample(s): there are no rows.")
    _refuse_no_label(labels)
    check_classification_targets(labels)
    known = np.unique(labels if classes is None else np.asarray(classes))
    weight = None if sample_weight is None else check_mass(sample_weight, n_samples)
    return Training(table, labels, weight, known), positions_of(labels, known)


def _refuse_no_label(labels: np.ndarray) -> None:
    if labels.dtype.kind not in "fO":
        return
    for row, label in enumerate(labels.tolist()):
        if label is None or type(label).__name__ == "NAType" or label != label:
            raise ValueError(f"y has no label in row {row}, but {label}: leave such rows out.")


def resolve_for(views: Any, table: Any) -> ViewMap | None:
    """Named groups of columns of a table, if there are any."""
    if views is None or isinstance(views, ViewMap):
        return views
    n_features = count_columns(table)
    if n_features is None:
        raise ValueError("views are groups of columns, but X has no columns.")
    frame = table if hasattr(table, "columns") else None
    names = None if frame is None else list(frame.columns)
    return resolve_views(views, n_features=n_features, feature_names=names, frame=frame)


def list_tasks(
    members: list[tuple[str, Member]],
    table: Any,
    positions: np.ndarray,
    plan: Plan,
    views: ViewMap | None,
    seeds: np.random.RandomState | None,
) -> list[Task]:
    """All trainings, member by member, the folds first.

    Parameters
    ----------
    members : list of (str, Member)
    table : table of n_samples rows
    positions : ndarray of int, shape (n_samples,)
        Of the labels among the classes.
    plan : Plan
    views : ViewMap or None
    seeds : RandomState or None
        Seeds what has no seed of its own.

    Returns
    -------
    list of Task
    """
    tasks = []
    rng = check_random_state(seeds)
    for name, member in members:
        if is_ready(member.estimator) and not plan.prefit:
            raise TypeError(
                f"member {name!r} ({type(member.estimator).__name__}) has no fit: use cv='prefit' "
                "and rows that are new to it."
            )
        if plan.prefit:
            model, chosen = member.estimator, None
        else:
            seeded = seeds is not None
            model = (
                seeded_clone(member.estimator, rng, keep=True)
                if seeded
                else clone(member.estimator)
            )
            chosen = member.draw_rows(positions, rng)
        columns = member.find_columns(name, table, views)
        try:
            method = score_method(model, member.score)
        except (TypeError, ValueError) as error:
            raise type(error)(f"member {name!r}: {error}") from error
        splits = [*plan.folds, plan.final]
        for k, split in enumerate(splits):
            last = k == len(splits) - 1
            train = None if plan.prefit else _own_rows(chosen, split.train)
            place = "on all its rows" if last else f"on fold {k + 1} of {len(plan.folds)}"
            tasks.append(Task(name, model, columns, method, train, split.test, last, place))
    return tasks


def _own_rows(chosen: np.ndarray | None, train: np.ndarray) -> np.ndarray:
    """The rows of a member that are in a training part, repetitions included."""
    return train if chosen is None else chosen[np.isin(chosen, train)]


def _run(
    tasks: list[Task],
    training: Training,
    n_jobs: int | None,
    memory: Any,
    callback: Callable[[int, int], object] | None,
) -> list[Result]:
    """Do all tasks; results are in their order."""
    digest = None
    work: Any = run_task
    if memory is not None:
        store = memory if hasattr(memory, "cache") else joblib.Memory(memory, verbose=0)
        digest = joblib.hash((training, sklearn.__version__))
        work = store.cache(run_task, ignore=["training", "parent"])
    parent = os.getpid()
    jobs = (delayed(in_worker)(parent, work, task, training, digest, parent) for task in tasks)
    results = []
    with one_thread(), cluster_workers():
        for result in _pool(capped_jobs(n_jobs, len(tasks)), callback is not None)(jobs):
            results.append(result)
            if callback is not None:
                callback(len(results), len(tasks))
    return results


def _pool(n_jobs: int | None, one_by_one: bool) -> Any:
    """Workers that return results as they finish, where the backend can do that."""
    if one_by_one:
        try:
            return Parallel(n_jobs=n_jobs, return_as="generator")
        except ValueError:
            pass
    return Parallel(n_jobs=n_jobs)


def _gather(
    tasks: list[Task],
    results: list[Result],
    training: Training,
    positions: np.ndarray,
    plan: Plan,
) -> LevelOne:
    """Put scores in the order of the rows, and margins on one scale."""
    rows, names = plan.scored, list(dict.fromkeys(task.name for task in tasks))
    scores = np.empty((len(rows), len(names), len(training.classes)))
    measured = np.empty((len(rows), len(names)), dtype=bool)
    margins, seconds = set(), np.zeros(len(names))
    for task, (_, said, method, spent) in zip(tasks, results):
        place = np.searchsorted(rows, task.test), names.index(task.name)
        scores[place], measured[place] = said, task.n_labels(training) != 1
        seconds[place[1]] += 1000.0 * spent / len(rows)
        if method == "decision_function":
            margins.add(task.name)
    share = np.ones(len(rows)) if training.weight is None else training.weight[rows]
    if not share.any():
        raise ValueError("sample_weight is zero for every row that has level-1 scores.")
    share = share / share.sum()
    odd = np.array([name in margins for name in names])
    scale = scale_margins(scores, share, measured & odd)
    fitted = [member for member, *_ in results if member is not None]
    members = [replace(member, scale=float(size)) for member, size in zip(fitted, scale)]
    y = positions[rows]
    return LevelOne(scores, y, share, rows, members, training.classes, names, scale, seconds)


def scale_margins(scores: np.ndarray, share: np.ndarray, margins: np.ndarray) -> np.ndarray:
    """Divide the margins among scores by the scale of their member, in place.

    Parameters
    ----------
    scores : ndarray of shape (n_rows, n_members, n_classes)
    share : ndarray of shape (n_rows,)
        Weights of the rows.
    margins : ndarray of bool, shape (n_rows, n_members)
        Which scores are margins.

    Returns
    -------
    ndarray of shape (n_members,)
        The scales; 1 for members without margins.

    Examples
    --------
    >>> scores = np.array([[[-3.0, 3.0], [0.4, 0.6]]])
    >>> scale_margins(scores, np.ones(1), np.array([[True, False]])).tolist(), scores.tolist()
    ([3.0, 1.0], [[[-1.0, 1.0], [0.4, 0.6]]])
    """
    scale = np.ones(scores.shape[1])
    for m in np.flatnonzero(margins.any(axis=0)):
        known = margins[:, m]
        scale[m] = _margin_scale(scores[known, m], share[known])
        scores[known, m] /= scale[m]
    return scale


def _margin_scale(margins: np.ndarray, share: np.ndarray) -> float:
    """Root of the mean square of margins, shape (n_rows, n_classes); 1 where all are zero."""
    if not share.any():
        return 1.0
    size = float(np.sqrt(share @ np.square(margins).mean(axis=1) / share.sum()))
    return size if size > 0.0 else 1.0


@dataclass(frozen=True)
class Training:
    """What all tasks share.

    Attributes
    ----------
    X : table of n_samples rows
    labels : ndarray of shape (n_samples,)
    weight : ndarray of shape (n_samples,) or None
    classes : ndarray of shape (n_classes,)
    """

    X: Any
    labels: np.ndarray
    weight: np.ndarray | None
    classes: np.ndarray


@dataclass(frozen=True)
class Task:
    """Who learns from which rows and scores which.

    Attributes
    ----------
    name : str
    estimator : classifier
        Unfitted, with all seeds set; fitted if ``train`` is None.
    columns : ndarray of int or None
    method : str
        Method that gives the scores; "auto" if that shows once the classifier is fitted.
    train : ndarray of int or None
        Training rows, with repetitions. None: the classifier is fitted already.
    test : ndarray of int
        Rows to score.
    keep : bool
        Whether the fitted member is wanted, too.
    place : str
        Which training it is, for error messages.
    """

    name: str
    estimator: Any
    columns: np.ndarray | None
    method: str
    train: np.ndarray | None
    test: np.ndarray
    keep: bool
    place: str

    def n_labels(self, training: Training) -> int | None:
        """How many classes its training rows show; None if it is fitted already."""
        return None if self.train is None else len(np.unique(training.labels[self.train]))


def run_task(task: Task, training: Training, digest: str | None, parent: int) -> Result:
    """Do the work of one task.

    Parameters
    ----------
    task : Task
    training : Training
    digest : str or None
        Stands for ``training`` where results are cached.
    parent : int
        Process that sent the task.

    Returns
    -------
    member : FittedMember or None
        Its scores are not scaled yet.
    scores : ndarray of shape (n_test, n_classes)
    method : str
        Method that gave them.
    seconds : float
        Processor time that prediction took.
    """
    with nullcontext() if os.getpid() == parent else one_thread():
        member = _learn_or_say(task, training)
        start = thread_time()
        if len(task.test):
            scores = member.scores(take_rows(training.X, task.test))
        else:
            scores = np.zeros((0, len(training.classes)))
    return (member if task.keep else None), scores, member.method, thread_time() - start


def _learn_or_say(task: Task, training: Training) -> FittedMember:
    """A fitted member; errors say which one failed, and where."""
    if task.train is None:
        return _accept(task, training.classes)
    try:
        return _learn(task, training)
    except Exception as error:
        plain = (kind for kind in (ValueError, TypeError) if isinstance(error, kind))
        kind = next(plain, RuntimeError)
        raise kind(
            f"member {task.name!r} ({type(task.estimator).__name__}) could not be fitted "
            f"{task.place}: {error}"
        ) from error


def _accept(task: Task, classes: np.ndarray) -> FittedMember:
    """A member that came fitted."""
    model, name = task.estimator, task.name
    try:
        if not is_ready(model):
            check_is_fitted(model)
    except NotFittedError as error:
        raise ValueError(
            f"member {name!r} ({type(model).__name__}) is not fitted, but cv='prefit': fit it "
            "first. clone, GridSearchCV and cross_val_score unfit members, unless these are in a "
            "sklearn.frozen.FrozenEstimator."
        ) from error
    found = np.asarray(getattr(model, "classes_", classes))
    if not np.isin(found, classes).all():
        raise ValueError(
            f"member {name!r} was fitted to the labels {found[:8].tolist()}, y has "
            f"{classes[:8].tolist()}: give it the same labels."
        )
    try:
        method = score_method(model, task.method, fitted=True)
    except (TypeError, ValueError) as error:
        raise type(error)(f"member {name!r}: {error}") from error
    return FittedMember(name, model, task.columns, method, positions_of(found, classes), classes)


def _learn(task: Task, training: Training) -> FittedMember:
    classes = training.classes
    if task.train is None or not len(task.train):
        raise ValueError("none of its rows are left to learn from.")
    labels = training.labels[task.train]
    seen = np.unique(labels)
    model, method = None, task.method if task.method in METHODS else "predict"
    if len(seen) > 1:
        table = take_columns(take_rows(training.X, task.train), task.columns)
        model = clone(task.estimator)
        weight = None if training.weight is None else training.weight[task.train]
        model.fit(table, labels, **({} if weight is None else weight_arguments(model, weight)))
        seen = np.asarray(getattr(model, "classes_", seen))
        method = score_method(model, task.method, fitted=True)
    known = positions_of(seen, classes)
    return FittedMember(task.name, model, task.columns, method, known, classes)


def weight_arguments(model: Any, weight: np.ndarray) -> dict[str, Any]:
    """How sample weights are handed to the ``fit`` of a classifier, if it takes any.

    Parameters
    ----------
    model : classifier
        The last step of a pipeline gets the weights of the pipeline. With metadata routing, what
        the classifier requested counts.
    weight : ndarray of shape (n_samples,)

    Returns
    -------
    dict of str to ndarray
        Empty if it takes none.

    Examples
    --------
    >>> from sklearn.naive_bayes import GaussianNB
    >>> from sklearn.pipeline import make_pipeline
    >>> from sklearn.preprocessing import StandardScaler
    >>> list(weight_arguments(make_pipeline(StandardScaler(), GaussianNB()), np.ones(3)))
    ['gaussiannb__sample_weight']
    """
    if has_fit_parameter(model, "sample_weight"):
        return {"sample_weight": weight}
    if get_config().get("enable_metadata_routing", False):
        routing = get_routing_for_object(model)
        return {"sample_weight": weight} if routing.consumes("fit", ["sample_weight"]) else {}
    if isinstance(model, Pipeline):
        last, step = model.steps[-1]
        return {f"{last}__{name}": value for name, value in weight_arguments(step, weight).items()}
    inner = getattr(model, "estimator", None)
    if hasattr(model, "best_estimator_") or hasattr(model, "refit"):
        return {} if inner is None else weight_arguments(inner, weight)
    return {}


@contextmanager
def one_thread() -> Iterator[None]:
    """Products of matrices in one thread while the block runs: more of them add up otherwise.

    Blocks may overlap, in several threads too: the last one that ends puts back what was.
    """
    _Limit.enter()
    try:
        yield
    finally:
        _Limit.leave()


class _Limit:
    """How many blocks are running, and what ends the limit."""

    lock = Lock()
    running = 0
    limiter: Any = None

    @classmethod
    def enter(cls) -> None:
        with cls.lock:
            if not cls.running:
                cls.limiter = one_blas_thread()
            cls.running += 1

    @classmethod
    def leave(cls) -> None:
        with cls.lock:
            cls.running -= 1
            if not cls.running:
                cls.limiter.restore_original_limits()
