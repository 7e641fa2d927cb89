"""Accuracy after so many queries, of learners that ask for labels."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from sklearn.feature_extraction.text import TfidfTransformer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import Normalizer
from sklearn.svm import SVC

from uneven import ActiveLearner, BayesPointClassifier
from uneven_published.description import Answers, Context

__all__ = [
    "CHEBYSHEV",
    "GRAVITY",
    "HARD",
    "PASSIVE",
    "SOFT",
    "SOFT_UNIT",
    "BananaQueries",
    "Corpus",
    "PrimalSVC",
    "Problem",
    "TextQueries",
    "accuracies",
    "banana_problem",
    "learners",
    "one_of_each",
    "text_problems",
]

GRAVITY = "ACTIVE-BPM"
HARD = "ACTIVE-SVM"
CHEBYSHEV = "Chebyshev centre"
SOFT = "SVC with C=1"
SOFT_UNIT = "SVC with C=1, unit rows"
PASSIVE = "random queries"

N_CLASSES = 10
BANANA_POOL = 400


class PrimalSVC(SVC):
    """libSVM with a linear kernel, asked through its weights: many times faster on sparse rows."""

    def decision_function(self, X: Any) -> np.ndarray:
        """Distance from the hyperplane times the length of the weights.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_rows, n_features)

        Returns
        -------
        ndarray of shape (n_rows,)

        Examples
        --------
        >>> X, y = np.array([[0.0, 1.0], [1.0, 0.0], [2.0, 1.0]]), [0, 1, 1]
        >>> fast, plain = PrimalSVC(kernel="linear").fit(X, y), SVC(kernel="linear").fit(X, y)
        >>> bool(np.allclose(fast.decision_function(X), plain.decision_function(X)))
        True
        """
        weights = self.coef_
        dense = weights.toarray() if hasattr(weights, "toarray") else weights
        return np.asarray(X @ dense.ravel()) + self.intercept_[0]

    def predict(self, X: Any) -> np.ndarray:
        """Class of each row, shape (n_rows,)."""
        return self.classes_[(self.decision_function(X) > 0.0).astype(int)]


class Problem(NamedTuple):
    """A pool, its labels, rows to test on, and the rows of the pool that are told first."""

    pool: Any
    labels: np.ndarray
    X_test: Any
    y_test: np.ndarray
    start: np.ndarray


def learners(
    kernel: str, names: Sequence[str], seed: int, ridge: float = 1e-8, **params: Any
) -> dict[str, ActiveLearner]:
    """Learners by name; the centre that is asked about is also the classifier.

    Parameters
    ----------
    kernel : {"linear", "rbf"}
    names : sequence of str
    seed : int
    ridge : float
        Slack of the Chebyshev centre.
    **params
        Of the kernel.

    Returns
    -------
    dict of str to ActiveLearner
    """
    point = partial(BayesPointClassifier, kernel, **params)
    machine = partial(PrimalSVC if kernel == "linear" else SVC, kernel=kernel, **params)
    recipes: dict[str, Callable[[], tuple[Any, str]]] = {
        GRAVITY: lambda: (point(), "centre_of_gravity"),
        HARD: lambda: (machine(C=1000.0), "uncertainty"),
        CHEBYSHEV: lambda: (point(centre="chebyshev", ridge=ridge), "simple"),
        SOFT: lambda: (machine(C=1.0), "uncertainty"),
        SOFT_UNIT: lambda: (make_pipeline(Normalizer(), machine(C=1.0)), "uncertainty"),
        PASSIVE: lambda: (point(), "random"),
    }
    made = {name: recipes[name]() for name in names}
    return {name: ActiveLearner(*parts, random_state=seed) for name, parts in made.items()}


def accuracies(
    some: Mapping[str, ActiveLearner], problem: Problem, queries: Sequence[int]
) -> dict[str, np.ndarray]:
    """Accuracy of each learner after some numbers of queries, one at a time.

    Parameters
    ----------
    some : mapping of str to ActiveLearner
    problem : Problem
    queries : sequence of int

    Returns
    -------
    dict of str to ndarray of shape (n_queries,)

    Examples
    --------
    >>> rows = np.random.default_rng(0).normal(size=(60, 3))
    >>> y = (rows[:, 0] > 0).astype(int)
    >>> start = one_of_each(y[:40], np.random.default_rng(0))
    >>> problem = Problem(rows[:40], y[:40], rows[40:], y[40:], start)
    >>> found = accuracies(learners("linear", [GRAVITY], 0), problem, (0, 12))[GRAVITY]
    >>> bool(found[1] > found[0])
    True
    """
    return {name: _accuracies(learner, problem, queries) for name, learner in some.items()}


def _accuracies(learner: ActiveLearner, problem: Problem, queries: Sequence[int]) -> np.ndarray:
    learner.start(problem.pool).tell(problem.start, problem.labels[problem.start])
    found = {}
    for done in range(max(queries) + 1):
        if done in queries:
            found[done] = learner.score(problem.X_test, problem.y_test)
        if done < max(queries):
            row = learner.ask()
            learner.tell(row, problem.labels[row])
    return np.array([found[done] for done in queries])


def one_of_each(y: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """A row of class 1 and one of class 0, shape (2,)."""
    return np.array([rng.choice(np.flatnonzero(y == k)) for k in (1, 0)])


def banana_problem(data: Any, seed: int) -> Problem:
    """400 rows of Banana for the pool, all others to test on."""
    X, y = np.asarray(data.data, dtype=float), np.unique(data.target, return_inverse=True)[1]
    rng = np.random.default_rng(seed)
    rows = rng.permutation(len(y))
    pool, test = rows[:BANANA_POOL], rows[BANANA_POOL:]
    return Problem(X[pool], y[pool], X[test], y[test], one_of_each(y[pool], rng))


@dataclass(frozen=True)
class Corpus:
    """Documents, and how they are used.

    Attributes
    ----------
    name : str
        For `uneven.datasets.fetch`.
    pool : int
        Documents in the pool.
    halves : bool
        Whether a new half is drawn to train on, instead of the official rows.
    """

    name: str
    pool: int
    halves: bool


def text_problems(data: Any, corpus: Corpus, seed: int) -> list[Problem]:
    """One problem for each of the ten largest classes, against the rest.

    Rows are tf-idf as it is: Bayes points and the Chebyshev centre scale them to unit length by
    themselves, libSVM does not.
    """
    rng = np.random.default_rng(seed)
    train, test = data.get("train_rows"), data.get("test_rows")
    if corpus.halves:
        train, test = np.array_split(rng.permutation(len(data.target)), 2)
    words = TfidfTransformer(norm=None).fit(data.data[train])
    X_test = words.transform(data.data[test])
    labels, sizes = np.unique(data.target, return_counts=True)
    problems = []
    for one in labels[np.argsort(-sizes, kind="stable")[:N_CLASSES]]:
        y = (data.target == one).astype(int)
        pool = rng.choice(train, corpus.pool, replace=False)
        while not y[pool].any():
            pool = rng.choice(train, corpus.pool, replace=False)
        rows = words.transform(data.data[pool])
        problems.append(Problem(rows, y[pool], X_test, y[test], one_of_each(y[pool], rng)))
    return problems


@dataclass(frozen=True)
class TextQueries:
    """A run over the ten largest classes of a corpus; each class is a sample.

    Attributes
    ----------
    corpora : mapping of str to Corpus
        By item.
    learners : tuple of str
    queries : tuple of int
        Places of the curves.
    told : tuple of int
        Places that are also measures of their own.
    """

    corpora: Mapping[str, Corpus]
    learners: tuple[str, ...]
    queries: tuple[int, ...]
    told: tuple[int, ...]

    def __call__(self, item: str, repeat: int, context: Context) -> Answers:
        """Curves, shape (10, n_queries), and points of them."""
        corpus = self.corpora[item]
        curves: dict[str, list[np.ndarray]] = {}
        for problem in text_problems(context.fetch(corpus.name), corpus, repeat):
            some = learners("linear", self.learners, repeat)
            for name, curve in accuracies(some, problem, self.queries).items():
                curves.setdefault(name, []).append(curve)
        return _answers(curves, self.queries, self.told)


@dataclass(frozen=True)
class BananaQueries:
    """A run on a split of Banana with a Gaussian kernel of width 0.5.

    Attributes
    ----------
    learners, queries, told
        As in `TextQueries`.
    """

    learners: tuple[str, ...]
    queries: tuple[int, ...]
    told: tuple[int, ...]

    def __call__(self, item: str, repeat: int, context: Context) -> Answers:
        """Curves, shape (1, n_queries), and points of them."""
        problem = banana_problem(context.fetch("banana"), repeat)
        some = learners("rbf", self.learners, repeat, ridge=1e-6, gamma=2.0)
        found = accuracies(some, problem, self.queries)
        curves = {name: [curve] for name, curve in found.items()}
        return _answers(curves, self.queries, self.told)


def _answers(
    curves: Mapping[str, Sequence[np.ndarray]], queries: tuple[int, ...], told: tuple[int, ...]
) -> Answers:
    answers: dict[str, dict[str, np.ndarray]] = {}
    for name, some in curves.items():
        curve = np.array(some)
        points = {f"q{q}": curve[:, queries.index(q)] for q in told}
        answers[name] = {"accuracy": curve, **points}
    return answers
