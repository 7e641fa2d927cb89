"""Stacks as the thesis makes them, the combiners that learn from them, and what they reach."""

from __future__ import annotations

import time
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.exceptions import ConvergenceWarning
from sklearn.model_selection import StratifiedShuffleSplit, train_test_split

from uneven.fusion.rules import mean
from uneven.metrics.significance import five_by_two
from uneven.stacking import (
    choose_kernel_parameters,
    choose_strength,
    fit_kernel_combiner,
    level_one,
    mlr,
    score_members,
    solve_path,
)
from uneven.stacking.kernel.choice import gamma_grid
from uneven.stacking.model.problem import LinearCombiner
from uneven.stacking.solvers.solve import STRENGTHS, solve
from uneven.stacking.solvers.strength_choice import StrengthChoice
from uneven_published.description import Answers, Context, Item
from uneven_published.sen.ensembles import diverse_ensemble, diverse_learners, svm_ensemble
from uneven_published.sen.majorisation import PAPER, MajorisedCombiner, majorise

Rows = tuple[NDArray[np.float64], NDArray[np.intp]]

DATA = {
    "Segment": "segment",
    "Waveform": "waveform",
    "Robot": "robot",
    "Statlog": "vehicle",
    "Vowel": "vowel",
    "Wine": "wine",
    "Yeast": "yeast",
    "Steel": "steel",
}
"""Names in print, and those of `uneven.datasets.fetch`."""

_TOO_RARE = 6
"""Yeast has a class of five rows. The source has nine classes, not ten: it is left out."""


@dataclass(frozen=True)
class Stack:
    """Level-1 scores of training rows, and scores of new rows by members fitted on all of them.

    Attributes
    ----------
    scores : ndarray of shape (n_train, n_members, n_classes)
    y : ndarray of int, shape (n_train,)
    new_scores : ndarray of shape (n_test, n_members, n_classes)
    new_y : ndarray of int, shape (n_test,)
    names : ndarray of str, shape (n_members,)
    """

    scores: NDArray[np.float64]
    y: NDArray[np.intp]
    new_scores: NDArray[np.float64]
    new_y: NDArray[np.intp]
    names: NDArray[np.str_]


def items(*names: str) -> tuple[Item, ...]:
    """Data sets by their names in print; all eight if none is given."""
    return tuple(Item(name, (DATA[name],)) for name in names or DATA)


def rows_of(data: Any) -> Rows:
    """Numbers and class positions of a data set, without classes of five rows or fewer.

    Examples
    --------
    >>> from sklearn.utils import Bunch
    >>> data = Bunch(data=np.arange(10.0)[:, None], target=["b"] * 7 + ["a"] * 3)
    >>> X, y = rows_of(data)
    >>> X.shape, y.tolist()
    ((7, 1), [0, 0, 0, 0, 0, 0, 0])
    """
    classes, y = np.unique(np.asarray(data.target), return_inverse=True)
    kept = np.bincount(y, minlength=len(classes))[y] >= _TOO_RARE
    X = np.asarray(data.data, dtype=np.float64)[kept]
    return np.ascontiguousarray(X), np.unique(y[kept], return_inverse=True)[1]


def sample_rows(X: NDArray, y: NDArray, n_rows: int, random_state: int) -> Rows:
    """At most so many rows, drawn from every class in proportion."""
    if len(y) <= n_rows:
        return X, y
    draw = StratifiedShuffleSplit(n_splits=1, train_size=n_rows, random_state=random_state)
    kept = np.sort(next(draw.split(X, y))[0])
    return np.ascontiguousarray(X[kept]), y[kept]


def halves(X: NDArray, y: NDArray, k: int) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Training and test rows of the k-th of the ten splits of five times two halves."""
    return list(five_by_two(0).split(X, y))[k]


def build_stack(
    members: Any, new: Rows, train: Rows, *, cv: int = 4, seed: int = 0, n_jobs: int | None = None
) -> Stack:
    """Scores of the training rows by folds, and of new rows by members fitted on all of them.

    Parameters
    ----------
    members : list of (str, classifier or Member)
    new, train : (ndarray of shape (n, d), ndarray of int, shape (n,))
        Rows and class positions.
    cv : int, default=4
        Folds for the level-1 scores.
    seed : int, default=0
    n_jobs : int, optional

    Returns
    -------
    Stack
    """
    level = level_one(members, *train, cv=cv, random_state=seed, n_jobs=n_jobs)
    new_scores = score_members(level.members, new[0], n_jobs=n_jobs)
    return Stack(level.scores, level.y, new_scores, new[1], np.array(level.names))


def diverse_stack(
    X: NDArray, y: NDArray, k: int, n_subsets: int, n_jobs: int | None = None
) -> Stack:
    """The k-th stack with 13 kinds of classifiers, each on several random parts of its rows."""
    train, test = halves(X, y, k)
    members = diverse_ensemble(n_subsets, random_state=k)
    return build_stack(members, (X[test], y[test]), (X[train], y[train]), seed=k, n_jobs=n_jobs)


def svm_stack(X: NDArray, y: NDArray, k: int, max_iter: int) -> Stack:
    """The k-th stack with 154 support vector machines of at most so many steps each."""
    train, test = halves(X, y, k)
    members = svm_ensemble(max_iter=max_iter)
    return build_stack(members, (X[test], y[test]), (X[train], y[train]), seed=k)


GRID = tuple(strength for strength in STRENGTHS if strength >= 1e-3)
"""The published strengths without 1e-11 to 1e-5: these overfit, and take most of the time."""

_TOL = 1e-4

Triple = tuple[str, str, str] | tuple[str, str, str, float]
"""Combination, loss, penalty, and maybe the share of squared weights in the penalty."""


@dataclass(frozen=True)
class Verdict:
    """Error in percent on new rows, classifiers used, strength and seconds of a combiner."""

    error: float
    used: int
    strength: float = float("nan")
    seconds: float = float("nan")


Verdicts = dict[str, Verdict]


@contextmanager
def quiet() -> Iterator[None]:
    """No word about solvers that stop early."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        yield


@dataclass
class Bench:
    """A stack, how strengths are chosen, and what was found.

    Attributes
    ----------
    stack : Stack
    strengths : tuple of float
        To choose from, by two folds of the level-1 scores.
    tie : {"largest", "smallest"}
        Which of several strengths with the same error is taken.
    found : dict of str to Verdict
    """

    stack: Stack
    strengths: tuple[float, ...] = GRID
    tie: str = "largest"
    found: Verdicts = field(default_factory=dict)

    @property
    def n_members(self) -> int:
        """Classifiers in the stack."""
        return int(self.stack.scores.shape[1])

    def note(self, name: str, answers: NDArray[Any], used: int, **more: float) -> None:
        """Keep what a combiner answers for the new rows."""
        error = 100.0 * float(np.mean(answers != self.stack.new_y))
        self.found[name] = Verdict(error, used, **more)

    def linear(self, name: str, combiner: LinearCombiner, **more: float) -> None:
        """Ask a linear combiner."""
        used = int(combiner.selected.sum())
        self.note(name, combiner.predict(self.stack.new_scores), used, **more)

    def mean_rule(self, name: str) -> None:
        """Equal weights."""
        self.note(name, mean(self.stack.new_scores).argmax(axis=1), self.n_members)

    def regression(self, name: str, combination: str) -> None:
        """Least squares without a penalty."""
        self.linear(name, mlr(self.stack.scores, self.stack.y, combination=combination))

    def choose(self, triple: Triple) -> tuple[StrengthChoice, LinearCombiner, float]:
        """Strength by two folds of the level-1 scores, weights from all, and CPU seconds of these.

        Returns
        -------
        choice : StrengthChoice
        combiner : LinearCombiner
        seconds : float
            Of the last solution, without the choice of the strength.
        """
        choice = choose_strength(
            self.stack.scores,
            self.stack.y,
            self.strengths,
            tie=self.tie,
            random_state=0,
            **_words(triple),
        )
        start = time.process_time()
        combiner = self.solve(triple, choice.strength)
        return choice, combiner, time.process_time() - start

    def solve(self, triple: Triple, strength: float) -> LinearCombiner:
        """Weights from all level-1 scores."""
        scores, y = self.stack.scores, self.stack.y
        return solve(scores, y, strength=strength, tol=_TOL, **_words(triple))

    def tuned(self, name: str, triple: Triple) -> None:
        """Choose a strength, and ask the combiner that is solved with it."""
        choice, combiner, seconds = self.choose(triple)
        self.linear(name, combiner, strength=choice.strength, seconds=seconds)

    def descent(self, name: str, penalty: str, strength: float) -> None:
        """The published steps without guards; NaN answers with the first class."""
        scores, y = self.stack.scores, self.stack.y
        start = time.process_time()
        found = majorise(scores, y, penalty=penalty, strength=strength, guards=False, **PAPER)
        seconds = time.process_time() - start
        self.linear(name, found, strength=strength, seconds=seconds)

    def curved(
        self,
        name: str,
        combination: str,
        kernel: str,
        loss: str,
        widths: tuple[int, ...] = (),
        degrees: tuple[int, ...] = (),
        landmarks: int = 2000,
    ) -> None:
        """A combination in the space of a kernel; strength and parameter by the same two folds.

        Parameters
        ----------
        name, combination, kernel, loss : str
        widths : tuple of int
            For "rbf": exponents of 2, of gamma times the median squared distance.
        degrees : tuple of int
            For "poly".
        landmarks : int, default=2000
            Drawn rows in whose span a function by least squares lies if there are more rows.
        """
        scores, y = self.stack.scores, self.stack.y
        same: dict[str, Any] = {"loss": loss, "landmarks": landmarks}
        words = {"combination": combination, "kernel": kernel, **same}
        if kernel == "rbf":
            grid = gamma_grid(scores, combination)
            words["gammas"] = [grid[k - _FIRST_WIDTH] for k in widths]
        elif kernel == "poly":
            words["degrees"] = degrees
        choice = choose_kernel_parameters(scores, y, strengths=self.strengths, **words)
        combiner = fit_kernel_combiner(scores, y, **same, **choice.options)
        answers = combiner.predict(self.stack.new_scores)
        self.note(name, answers, self.n_members, strength=choice.strength)

    def answers(self) -> Answers:
        """Error and share of the classifiers used in percent, and seconds, one sample each."""
        return {
            name: {
                "error": [verdict.error],
                "kept": [100.0 * verdict.used / self.n_members],
                "seconds": [verdict.seconds],
            }
            for name, verdict in self.found.items()
        }


_FIRST_WIDTH = -7
"""Exponent at which the grid of widths begins."""


def _words(triple: Triple) -> dict[str, Any]:
    return dict(zip(("combination", "loss", "penalty", "elastic"), triple))


FAMILIES = {"WS": "ws", "CWS": "cws", "LSG": "lsg"}

EVERY_HINGE: dict[str, Triple] = {
    "WS l2": ("ws", "hinge", "l2"),
    "WS l1": ("ws", "hinge", "l1"),
    "CWS l2": ("cws", "hinge", "l2"),
    "CWS l1": ("cws", "hinge", "l1"),
    "CWS l1-l2": ("cws", "hinge", "group"),
    "LSG l2": ("lsg", "hinge", "l2"),
    "LSG l1": ("lsg", "hinge", "l1"),
    "LSG l1-l2": ("lsg", "hinge", "group"),
}
"""The hinge of the worst class, for every combination and penalty."""

WIDE: dict[str, Triple] = {name: EVERY_HINGE[name] for name in ("LSG l1", "LSG l1-l2")}
"""The slow ones: every score of every classifier counts for every class, and few may be left."""

HINGES: dict[str, Triple] = {k: triple for k, triple in EVERY_HINGE.items() if k not in WIDE}
SQUARES: dict[str, Triple] = {f"LS {k}": (v, "squared", "l2") for k, v in FAMILIES.items()}

DESCENTS = {
    "MM l2": ("l2", "CWS l2"),
    "MM l1": ("l1", "CWS l1"),
    "MM l1-l2": ("group", "CWS l1-l2"),
}
"""The published descent: its penalty, and whose strength it takes."""

_TINY = 1e-11
"""The smallest strength of the source."""


@dataclass(frozen=True)
class DiverseStacks:
    """Measure combiners on the stack of a repetition; 13 kinds of classifiers on random parts.

    Attributes
    ----------
    n_subsets : int
        Random parts of the rows; the source has ten.
    tuned : dict of str to tuple
        Linear combiners whose strength is chosen.
    equal_weights : bool
        Whether to measure these too.
    regressions : dict of str to str
        Combinations that are learnt by least squares without a penalty.
    descents : bool
        Whether to follow the published descent, at the strengths of the exact solutions.
    kernels : dict of str to (str, str)
        Combination and kernel of hinges that are summed over the classes, or over pairs of them.
    strengths, kernel_strengths : tuple of float
    widths : tuple of int
        See `Bench.curved`.
    tie : str
    """

    n_subsets: int
    tuned: dict[str, Triple] = field(default_factory=dict)
    equal_weights: bool = True
    regressions: dict[str, str] = field(default_factory=dict)
    descents: bool = False
    kernels: dict[str, tuple[str, str]] = field(default_factory=dict)
    strengths: tuple[float, ...] = GRID
    kernel_strengths: tuple[float, ...] = (1e-5, 1e-3, 1e-2, 1e-1)
    widths: tuple[int, ...] = (-5, -3, -1, 1)
    tie: str = "smallest"

    def __call__(self, item: str, repeat: int, context: Context) -> Answers:
        """Stack number ``repeat`` of a data set."""
        X, y = rows_of(context.fetch(DATA[item]))
        stack = diverse_stack(X, y, repeat, self.n_subsets)
        bench = Bench(stack, self.strengths, self.tie)
        with quiet():
            self._linear(bench)
            if self.descents:
                _descend(bench)
            curved = Bench(stack, self.kernel_strengths)
            for name, (combination, kernel) in self.kernels.items():
                curved.curved(name, combination, kernel, "hinge", self.widths)
        return {**bench.answers(), **curved.answers()}

    def _linear(self, bench: Bench) -> None:
        if self.equal_weights:
            bench.mean_rule("EW")
        for name, combination in self.regressions.items():
            bench.regression(name, combination)
        for name, triple in self.tuned.items():
            bench.tuned(name, triple)


@dataclass(frozen=True)
class SVMStacks:
    """Measure linear combiners on stacks of 154 support vector machines.

    Attributes
    ----------
    tuned : dict of str to tuple
    n_rows : int
        A larger data set is cut down to a sample of so many rows, drawn anew for every
        repetition of two halves.
    max_iter : int
        Steps of a machine.
    strengths : tuple of float
    tie : str
    """

    tuned: dict[str, Triple]
    n_rows: int
    max_iter: int
    strengths: tuple[float, ...] = GRID
    tie: str = "smallest"

    def __call__(self, item: str, repeat: int, context: Context) -> Answers:
        """Stack number ``repeat`` of a data set."""
        rows = rows_of(context.fetch(DATA[item]))
        X, y = sample_rows(*rows, n_rows=self.n_rows, random_state=repeat // 2)
        with quiet():
            bench = Bench(svm_stack(X, y, repeat, self.max_iter), self.strengths, self.tie)
            bench.mean_rule("EW")
            for name, triple in self.tuned.items():
                bench.tuned(name, triple)
        return bench.answers()


def _descend(bench: Bench) -> None:
    """The published descent at the strengths of the exact solutions, and at the smallest one."""
    for penalty, _ in DESCENTS.values():
        majorise(np.full((2, 1, 2), 0.5), np.arange(2), penalty=penalty, n_sweeps=1)
    for name, (penalty, exact) in DESCENTS.items():
        bench.descent(name, penalty, bench.found[exact].strength)
        bench.descent(f"{name}, λ = 1e-11", penalty, _TINY)


KERNELS = {"Lin": "linear", "Poly": "poly", "RBF": "rbf"}


@dataclass(frozen=True)
class Split:
    """A data set, and how many rows are for training and for the test.

    Attributes
    ----------
    data : str
        As `uneven.datasets.fetch` knows it.
    n_train, n_test : int
        As printed; the test rows are all that the training rows leave, if they are fewer.
    as_filed : bool
        Whether the first rows are for training; else they are drawn.
    """

    data: str
    n_train: int
    n_test: int
    as_filed: bool

    def divide(self, X: np.ndarray, y: np.ndarray) -> tuple[Rows, Rows]:
        """Training rows and test rows."""
        if self.as_filed:
            return (X[: self.n_train], y[: self.n_train]), (X[self.n_train :], y[self.n_train :])
        X_train, X_test, y_train, y_test = train_test_split(
            X, y, train_size=self.n_train, stratify=y, random_state=0
        )
        return (X_train, y_train), (X_test, y_test)


SPLITS = {
    "optdigit": Split("optdigits", 3823, 1797, as_filed=True),
    "satellite": Split("satimage", 4435, 2000, as_filed=True),
    "segment": Split("segment", 1000, 1310, as_filed=False),
    "waveform": Split("waveform", 2000, 3000, as_filed=False),
}


@dataclass(frozen=True)
class FixedSplits:
    """Measure combinations on the fixed split of a data set.

    Attributes
    ----------
    family : str
        "ws", "cws" or "lsg".
    losses : dict of str to str
        Names of the columns begin with these.
    strengths : tuple of float
    widths, degrees : tuple of int
        Exponents of gamma, see `Bench.curved`, and degrees of the polynomials.
    landmarks : int
        See `Bench.curved`.
    """

    family: str
    losses: dict[str, str]
    strengths: tuple[float, ...] = (1e-5, 1e-3, 1e-2, 1e-1)
    widths: tuple[int, ...] = (-5, -3, -1, 1)
    degrees: tuple[int, ...] = (1, 2, 3)
    landmarks: int = 500

    def __call__(self, item: str, repeat: int, context: Context) -> Answers:
        """Errors of every loss and kernel."""
        split = SPLITS[item]
        train, new = split.divide(*rows_of(context.fetch(split.data)))
        with quiet():
            members = list(diverse_learners().items())
            bench = Bench(build_stack(members, new, train, cv=2, seed=repeat), self.strengths)
            bench.mean_rule("EW")
            for title, loss in self.losses.items():
                for name, kernel in KERNELS.items():
                    words = (self.family, kernel, loss, self.widths, self.degrees, self.landmarks)
                    bench.curved(f"{title} {name}".strip(), *words)
        return bench.answers()


def split_items() -> tuple[Item, ...]:
    """The four data sets."""
    return tuple(Item(name, (split.data,)) for name, split in SPLITS.items())


CURVATURES = {"OC": "optimal", "MC": "maximum"}
PENALTIES = {"l2": "l2", "l1": "l1", "l1-l2": "group"}

SECONDS = (0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0)
"""Where the objective is read off by time."""

_THRESHOLDS = {"T": 1e-5, "NT": 0.0}


@dataclass(frozen=True)
class StrengthPaths:
    """Accuracy on new rows and classifiers kept, in percent, for every strength of a grid.

    Attributes
    ----------
    diverse : bool
        13 kinds of classifiers on random parts of the rows; else 154 support vector machines.
    families : tuple of str
        Combinations of the figures.
    n_subsets, n_rows, max_iter : int
        As in `DiverseStacks` and `SVMStacks`.
    strengths : tuple of float
    """

    diverse: bool
    families: tuple[str, ...]
    n_subsets: int = 3
    n_rows: int = 10_000
    max_iter: int = 10_000
    strengths: tuple[float, ...] = GRID

    def __call__(self, item: str, repeat: int, context: Context) -> Answers:
        """Curves on one half of a data set."""
        rows = rows_of(context.fetch(DATA[item]))
        X, y = sample_rows(*rows, n_rows=self.n_rows, random_state=repeat // 2)
        if self.diverse:
            stack = diverse_stack(X, y, repeat, self.n_subsets)
        else:
            stack = svm_stack(X, y, repeat, self.max_iter)
        wanted = {n: t for n, t in EVERY_HINGE.items() if n.split()[0] in self.families}
        with quiet():
            return {name: self._follow(stack, *triple[:3]) for name, triple in wanted.items()}

    def _follow(
        self, stack: Stack, combination: str, loss: str, penalty: str
    ) -> dict[str, NDArray[np.float64]]:
        words: dict[str, Any] = {"combination": combination, "loss": loss, "penalty": penalty}
        path = solve_path(stack.scores, stack.y, self.strengths, tol=1e-3, **words)
        n_members = stack.scores.shape[1]
        kept = [100.0 * combiner.selected.sum() / n_members for combiner in path]
        right = [_accuracy(combiner, stack.new_scores, stack.new_y) for combiner in path]
        return {"accuracy": np.array([right]), "kept": np.array([kept])}


@dataclass(frozen=True)
class DescentTraces:
    """The published descent, sweep by sweep.

    Attributes
    ----------
    n_subsets : int
    n_sweeps : int
        None is stopped before.
    strength : float
    """

    n_subsets: int = 3
    n_sweeps: int = 50
    strength: float = 0.1

    def __call__(self, item: str, repeat: int, context: Context) -> Answers:
        """Curves on one half of a data set."""
        stack = diverse_stack(*rows_of(context.fetch(DATA[item])), repeat, self.n_subsets)
        with quiet():
            return {**self._accuracies(stack), **self._curvatures(stack), **self._selected(stack)}

    def _accuracies(self, stack: Stack) -> dict[str, dict[str, NDArray[np.float64]]]:
        """Objective and accuracies after every sweep, from weights of 0."""
        found = {}
        for name, penalty in PENALTIES.items():
            now: MajorisedCombiner | None = None
            story = []
            for _ in range(self.n_sweeps):
                now = self._run(stack, penalty, n_sweeps=1, start=now)
                on_train = _accuracy(now, stack.scores, stack.y)
                on_new = _accuracy(now, stack.new_scores, stack.new_y)
                story.append((now.objective, on_train, on_new))
            curves = np.array(story).T[:, None, :]
            found[f"MM {name}"] = dict(zip(("objective", "train", "test"), curves))
        return found

    def _curvatures(self, stack: Stack) -> dict[str, dict[str, NDArray[np.float64]]]:
        """Objective by sweep and by time, with the optimal curvature and with the largest."""
        found = {}
        for name, penalty in PENALTIES.items():
            for short, curvature in CURVATURES.items():
                self._run(stack, penalty, n_sweeps=1, curvature=curvature)
                trace = self._run(stack, penalty, curvature=curvature).trace
                value, spent = np.array(trace.objective), np.array(trace.seconds)
                last = np.searchsorted(spent, SECONDS, side="right") - 1
                found[f"{name} {short}"] = {"sweeps": value[None, 1:], "timed": value[None, last]}
        return found

    def _selected(self, stack: Stack) -> dict[str, dict[str, NDArray[np.float64]]]:
        """Classifiers with weights that are not 0, with the published threshold and without."""
        n_members, n_classes = stack.scores.shape[1:]
        even = np.full((n_members, n_classes), 1.0 / n_members)
        starts = {"": None, ", equal start": LinearCombiner("cws", even, np.zeros(0))}
        found = {}
        for where, start in starts.items():
            for name, threshold in _THRESHOLDS.items():
                trace = self._run(stack, "group", threshold=threshold, start=start).trace
                kept = 100.0 * np.array([trace.selected[1:]]) / n_members
                found[name + where] = {"kept": kept, "sweeps": np.array([trace.objective[1:]])}
        return found

    def _run(
        self,
        stack: Stack,
        penalty: str,
        *,
        curvature: str = "optimal",
        threshold: float = 1e-5,
        start: LinearCombiner | None = None,
        n_sweeps: int | None = None,
    ) -> MajorisedCombiner:
        """The sweeps as published, without guards; after the last that moves, the same again."""
        found = majorise(
            stack.scores,
            stack.y,
            penalty=penalty,
            strength=self.strength,
            curvature=curvature,
            guards=False,
            threshold=threshold,
            start=start,
            n_sweeps=n_sweeps or self.n_sweeps,
            tol=0.0,
        )
        for _ in range((n_sweeps or self.n_sweeps) - found.n_iter):
            found.trace.record(found.coef, found.objective)
        return found


def _accuracy(combiner: LinearCombiner, scores: NDArray, y: NDArray) -> float:
    return 100.0 * float(np.mean(combiner.predict(scores) == y))
