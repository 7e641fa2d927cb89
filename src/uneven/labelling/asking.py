"""Which rows to label next, and a review of the labels so far.

The learner is that of ``uneven label-next``: the same classifier, the same rules. It is slow
compared with a person who presses a key, so that all of this runs in another process than the
server, see `uneven.labelling.worker`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from sklearn.base import clone

from uneven.active import ActiveLearner
from uneven.labelling.advice import Advice, advise, changed_share
from uneven.labelling.agreement import Reliability, confusion, reliability
from uneven.labelling.curve import (
    DEEPEST,
    FOLDS,
    Checkpoint,
    Point,
    expected_gain,
    is_due,
    points,
)
from uneven.labelling.reasons import Guess, explain
from uneven.noise import ConfusionEstimate
from uneven.versionspace import BayesPointClassifier

MOST_SUSPICIOUS = 50
SUREST_ENOUGH = 0.6
"""How probable another class must at least be before a label is suspicious."""


@dataclass(frozen=True)
class Setup:
    """The pool and how it is queried.

    Attributes
    ----------
    X : ndarray or CSR of shape (n_rows, n_numbers)
    order : ndarray of int, shape (n_rows,)
        The rows in a random order.
    columns : list of str
        What the first numbers of a row mean.
    model : BayesPointClassifier
        Not fitted.
    query : str
        Name of a query rule.
    seed : int
    """

    X: Any
    order: np.ndarray
    columns: list[str]
    model: BayesPointClassifier
    query: str = "centre_of_gravity"
    seed: int = 0


@dataclass(frozen=True)
class Snapshot:
    """The answers at one moment.

    Attributes
    ----------
    version : int
        Number of the last event.
    rows : list of int
        Rows with a label, in the order in which they got it.
    labels : list of str
    closed : list of int
        Rows that cannot be labelled.
    sample : int
        How many rows of the random order have been answered without a gap.
    given : dict of int to dict of str to str
        Label by person and row.
    wanted : int
        How many questions are wanted.
    """

    version: int
    rows: list[int]
    labels: list[str]
    closed: list[int] = field(default_factory=list)
    sample: int = 0
    given: Mapping[int, Mapping[str, str]] = field(default_factory=dict)
    wanted: int = 20


@dataclass(frozen=True)
class Thought:
    """The next questions.

    Attributes
    ----------
    version : int
        That of the snapshot.
    queue : list of int
        Rows to label, the most informative one first.
    shares : dict of int to dict of str to float
        How the classifiers that agree with the labels vote on these rows; empty before there are
        two classes.
    reliability : Reliability or None
    """

    version: int
    queue: list[int]
    shares: dict[int, dict[str, float]]
    reliability: Reliability | None = None


@dataclass(frozen=True)
class Review:
    """The review of the labels.

    Attributes
    ----------
    version : int
    curve : list of Point
    advice : Advice or None
    suspicious : list of (row, label, other, share)
        Labels that contradict the others, with the class that these support; worst first.
    confusions : dict of int or "pooled" to ConfusionEstimate
        How each annotator errs, and any of them, with intervals.
    """

    version: int
    curve: list[Point]
    advice: Advice | None
    suspicious: list[tuple[int, str, str, float]]
    confusions: dict[int | str, ConfusionEstimate] = field(default_factory=dict)


class Asker:
    """Learns from the labels, ranks the pool, and reviews the labels.

    Parameters
    ----------
    setup : Setup

    Examples
    --------
    >>> X = np.random.default_rng(0).normal(size=(200, 2))
    >>> setup = Setup(X, np.arange(200), ["a", "b"], BayesPointClassifier())
    >>> asker = Asker(setup)
    >>> len(asker.think(Snapshot(0, [], [], wanted=6)).queue)
    6
    >>> thought = asker.think(Snapshot(2, [0, 1], ["cat", "dog"], wanted=3))
    >>> sorted(thought.shares[thought.queue[0]])
    ['cat', 'dog']
    """

    def __init__(self, setup: Setup) -> None:
        self.setup = setup
        self.learner = self._learner()
        self.checkpoints: list[Checkpoint] = []
        self.moments: list[tuple[int, np.ndarray]] = []
        self.probe = setup.order[:DEEPEST]
        self._suspicious: list[tuple[int, str, str, float]] = []
        self._checked = 0

    def think(self, now: Snapshot) -> Thought:
        """Learn from the answers and choose the next questions."""
        self.learner = self._learner()
        if now.rows:
            self.learner.tell(now.rows, np.array(now.labels, dtype=object))
        closed = set(now.closed)
        asked = self.learner.ask(now.wanted + len(closed))
        queue = [int(row) for row in asked if int(row) not in closed][: now.wanted]
        shares: dict[int, dict[str, float]] = {}
        if self.learner.model_ is not None:
            votes = self.learner.model_.predict_proba(self.setup.X[queue]) if queue else []
            names = [str(name) for name in self.learner.classes_]
            shares = {row: dict(zip(names, map(float, vote))) for row, vote in zip(queue, votes)}
            said = self.learner.model_.predict(self.setup.X[self.probe])
            self.moments = [*(m for m in self.moments if m[0] < len(now.rows))][-200:]
            self.moments.append((len(now.rows), said))
        return Thought(now.version, queue, shares, reliability(now.given))

    def guess(self, row: int) -> Guess:
        """The prediction for a row, and why."""
        return explain(self.learner, self.setup.X, row, self.setup.columns)

    def review(self, now: Snapshot) -> Iterator[Review | None]:
        """Look back, step by step: None after each fit, the review at the end."""
        labels = np.array(now.labels, dtype=object)
        if len(set(now.labels)) > 1:
            for size in self._due(len(now.rows)):
                for _ in self._checkpoint(now, labels, size):
                    yield None
            if is_due(len(now.rows), self._checked):
                for _ in self._suspect(now, labels):
                    yield None
                self._checked = len(now.rows)
        known = dict(zip(now.rows, now.labels))
        sample = [int(row) for row in self.setup.order[: now.sample]]
        truth = {row: known[row] for row in sample if row in known}
        gain = expected_gain(self.checkpoints, truth, seed=self.setup.seed)
        advice = advise(changed_share(self.moments), gain)
        kept = [found for found in self._suspicious if known.get(found[0]) == found[1]]
        errors: dict[int | str, ConfusionEstimate] = {}
        people: list[int | str] = ["pooled", *now.given]
        for who in people if now.given else ():
            error = confusion(now.given, who)
            if error is not None:
                errors[who] = error
            yield None
        yield Review(now.version, points(self.checkpoints, truth), advice, kept, errors)

    def _learner(self) -> ActiveLearner:
        setup = self.setup
        learner = ActiveLearner(setup.model, setup.query, random_state=setup.seed)
        return learner.start(setup.X)

    def _due(self, size: int) -> list[int]:
        """Numbers of labels at which points of the curve are still to be made."""
        last = self.checkpoints[-1].labels if self.checkpoints else 0
        return [n for n in checkpoint_sizes(size) if n > last]

    def _checkpoint(self, now: Snapshot, labels: np.ndarray, size: int) -> Iterator[None]:
        """One point of the curve: classifiers that predict random rows they have not seen."""
        rows, labels = np.array(now.rows[:size]), labels[:size]
        place = {int(row): k for k, row in enumerate(self.probe)}
        known, point = set(rows.tolist()), Checkpoint(size)
        where = np.array([place.get(int(row), -1) for row in rows])
        held = np.where((where >= 0) & (where < now.sample), where % FOLDS, -1)
        whole: Any = None
        for fold in range(FOLDS):
            kept = held != fold
            if len(set(labels[kept])) < 2:
                continue
            if kept.all():
                whole = whole or self._fit(rows, labels)
                model = whole
            else:
                model = self._fit(rows[kept], labels[kept])
            unseen = [
                row
                for row, k in place.items()
                if k % FOLDS == fold and (k < now.sample or row not in known)
            ]
            if unseen:
                said = model.predict(self.setup.X[unseen])
                point.answers.update(zip(unseen, map(str, said)))
            yield None
        self.checkpoints.append(point)

    def _suspect(self, now: Snapshot, labels: np.ndarray) -> Iterator[None]:
        """Labels that contradict out-of-fold predictions.

        A label is suspicious if the probability of another class is as high as it usually is for
        rows that have that label (Northcutt, Jiang and Chuang, 2021).
        """
        rows, names = np.array(now.rows), sorted(set(now.labels))
        shares = np.full((len(rows), len(names)), np.nan)
        fold = np.random.default_rng(self.setup.seed).permutation(len(rows)) % FOLDS
        for k in range(FOLDS):
            train, test = fold != k, fold == k
            if test.any() and len(set(labels[train])) > 1:
                model = self._fit(rows[train], labels[train])
                seen = np.array([names.index(str(name)) for name in model.classes_])
                shares[test] = 0.0
                found = model.predict_proba(self.setup.X[rows[test]])
                shares[np.ix_(np.flatnonzero(test), seen)] = found
            yield None
        self._suspicious = suspicious(rows, labels, names, shares)

    def _fit(self, rows: np.ndarray, labels: np.ndarray) -> Any:
        return clone(self.setup.model).fit(self.setup.X[rows], labels)


def checkpoint_sizes(size: int) -> list[int]:
    """Numbers of labels at which the curve has a point, up to now.

    Examples
    --------
    >>> checkpoint_sizes(35), checkpoint_sizes(9)
    ([10, 20, 30], [])
    """
    found = [0]
    for n in range(1, size + 1):
        if is_due(n, found[-1]):
            found.append(n)
    return found[1:]


def suspicious(
    rows: np.ndarray, labels: np.ndarray, names: Sequence[str], shares: np.ndarray
) -> list[tuple[int, str, str, float]]:
    """Labels that are probably wrong, worst first.

    Parameters
    ----------
    rows : ndarray of int, shape (n,)
    labels : ndarray of shape (n,)
    names : sequence of str, of length n_classes
    shares : ndarray of shape (n, n_classes)
        Probabilities of the classes by classifiers that have not seen the row; NaN where there was
        none.

    Examples
    --------
    >>> shares = np.array([[0.9, 0.1], [0.8, 0.2], [0.1, 0.9], [0.95, 0.05]])
    >>> suspicious(np.arange(4), np.array(["a", "a", "b", "b"]), ["a", "b"], shares)
    [(3, 'b', 'a', 0.95)]
    """
    given = np.array([names.index(str(label)) for label in labels])
    own = shares[np.arange(len(rows)), given]
    usual = np.array(
        [_mean(own[(given == k) & np.isfinite(own)]) for k in range(len(names))], dtype=float
    )
    found = []
    for i in np.flatnonzero(np.isfinite(own)):
        other = int(np.where(np.arange(len(names)) == given[i], -1.0, shares[i]).argmax())
        if shares[i, other] >= max(usual[other], SUREST_ENOUGH) and shares[i, other] > own[i]:
            found.append((int(rows[i]), str(labels[i]), names[other], float(shares[i, other])))
    return sorted(found, key=lambda one: -one[3])[:MOST_SUSPICIOUS]


def _mean(values: np.ndarray) -> float:
    return float(values.mean()) if len(values) else 1.0
