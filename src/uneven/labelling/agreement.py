"""How far several annotators agree, how each of them errs, and what the label of a row is.

Agreement is Cohen's kappa of each pair on the rows that both labelled. How each one errs is the
model of Dawid and Skene, with intervals, from `uneven.noise`; its matrix is what the learners take
as ``noise_matrix``. The label of a row follows from it by Bayes' rule.
"""

from __future__ import annotations

import warnings
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np
from sklearn.metrics import cohen_kappa_score

from uneven.noise import ConfusionEstimate, confusion_from_annotators, dawid_skene

FEWEST_SHARED = 10
"""Rows that two annotators must both have labelled before their agreement is shown."""

_PRIOR_RIGHT = 4.0
"""Rows that an annotator is taken to have labelled like the others, before anything is known."""


@dataclass(frozen=True)
class Reliability:
    """How often each annotator gives each label to each class.

    Attributes
    ----------
    classes : list of str
    prior : ndarray of shape (n_classes,)
        Frequencies of the classes.
    matrices : dict of int to ndarray of shape (n_classes, n_classes)
        Column = true class, row = given label; drawn towards the mean of all annotators.
    """

    classes: list[str]
    prior: np.ndarray
    matrices: dict[int, np.ndarray]

    def right(self, people: Collection[int], rows: Sequence[Mapping[str, float]]) -> np.ndarray:
        """Mean accuracy of annotators on rows whose class is known by probabilities only.

        Parameters
        ----------
        people : collection of int
        rows : sequence of mapping of str to float
            Share of each class, by row.

        Returns
        -------
        ndarray of shape (n_rows,)
        """
        usual = np.asarray(np.mean(list(self.matrices.values()), axis=0))
        matrix = np.mean([self.matrices.get(who, usual) for who in people], axis=0)
        own = dict(zip(self.classes, np.diag(matrix).tolist()))
        middle = float(np.mean(np.diag(matrix)))
        return np.array(
            [
                sum(p * own.get(name, middle) for name, p in shares.items())
                / (sum(shares.values()) or 1.0)
                for shares in rows
            ]
        )


def settle(votes: Mapping[int, str], known: Reliability | None) -> tuple[str, float | None]:
    """The label of a row by all votes, and its probability.

    Labels that agree are taken; where they differ the most probable class wins.

    Parameters
    ----------
    votes : mapping of int to str
        The label that each annotator gives.
    known : Reliability or None
        None counts votes; the first of equals wins.

    Returns
    -------
    label : str
    probability : float or None
        None if nothing is known about the annotators.

    Examples
    --------
    >>> settle({1: "cat", 2: "dog", 3: "cat"}, None)
    ('cat', None)
    >>> good, bad = np.array([[0.9, 0.1], [0.1, 0.9]]), np.full((2, 2), 0.5)
    >>> known = Reliability(["cat", "dog"], np.array([0.5, 0.5]), {1: good, 2: bad})
    >>> label, chance = settle({1: "dog", 2: "cat"}, known)
    >>> label, round(chance, 2)
    ('dog', 0.9)
    """
    counts: dict[str, int] = {}
    for label in votes.values():
        counts[label] = counts.get(label, 0) + 1
    if known is None or not set(counts) <= set(known.classes):
        return max(counts, key=lambda name: counts[name]), None
    score = np.log(known.prior)
    for person, label in votes.items():
        if (matrix := known.matrices.get(person)) is not None:
            score = score + np.log(matrix[known.classes.index(label)])
    shares = np.exp(score - score.max())
    shares /= shares.sum()
    best = int(shares.argmax()) if len(counts) > 1 else known.classes.index(next(iter(counts)))
    return known.classes[best], float(shares[best])


def shared_rows(given: Mapping[int, Mapping[str, str]], a: int, b: int) -> list[str]:
    """Rows that two annotators both labelled."""
    return [row for row in given[a] if row in given[b]]


def kappas(given: Mapping[int, Mapping[str, str]]) -> list[tuple[int, int, int, float, float]]:
    """Agreement of each pair of annotators.

    Parameters
    ----------
    given : mapping of int to mapping of str to str
        Label by person and row.

    Returns
    -------
    list of (a, b, rows, agreement, kappa)
        Pairs with a shared row; agreement as a share. Kappa is NaN if there is but one class.

    Examples
    --------
    >>> kappas({1: {"a": "x", "b": "y"}, 2: {"a": "x", "b": "y", "c": "x"}})
    [(1, 2, 2, 1.0, 1.0)]
    """
    found = []
    for a, b in combinations(given, 2):
        rows = shared_rows(given, a, b)
        if not rows:
            continue
        first, second = ([given[who][row] for row in rows] for who in (a, b))
        same = float(np.mean([x == y for x, y in zip(first, second)]))
        one = len({*first, *second}) == 1
        kappa = float("nan") if one else float(cohen_kappa_score(first, second))
        found.append((a, b, len(rows), same, kappa))
    return found


def _table(given: Mapping[int, Mapping[str, str]]) -> tuple[np.ndarray, list[int]]:
    """Labels of the rows that two people or more labelled, None elsewhere; who the columns are."""
    people = list(given)
    rows = dict.fromkeys(row for labels in given.values() for row in labels)
    cells = [[given[who].get(row) for who in people] for row in rows]
    shared = [line for line in cells if sum(cell is not None for cell in line) > 1]
    table = np.array(shared, dtype=object).reshape(len(shared), len(people))
    seen = [j for j in range(len(people)) if any(cell is not None for cell in table[:, j])]
    return table[:, seen], [people[j] for j in seen]


def reliability(given: Mapping[int, Mapping[str, str]]) -> Reliability | None:
    """Reliability of each annotator, from the rows that several of them labelled.

    Parameters
    ----------
    given : mapping of int to mapping of str to str
        Label by person and row.

    Returns
    -------
    Reliability or None
        None if fewer than two people share ten rows.
    """
    table, people = _table(given)
    if len(table) < FEWEST_SHARED or len(people) < 2:
        return None
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = dawid_skene(table)
    pooled = model.counts.sum(axis=0) + 0.5 / len(model.classes) + 0.5 * np.eye(len(model.classes))
    pooled /= pooled.sum(axis=0)
    counts = model.counts + _PRIOR_RIGHT * pooled
    matrices = counts / counts.sum(axis=1, keepdims=True)
    classes = [str(name) for name in model.classes]
    return Reliability(classes, model.prior, dict(zip(people, matrices)))


def confusion(
    given: Mapping[int, Mapping[str, str]], who: int | str = "pooled"
) -> ConfusionEstimate | None:
    """The noise matrix of an annotator, or of a label given by any of them, with intervals.

    Parameters
    ----------
    given : mapping of int to mapping of str to str
        Label by person and row.
    who : int or {"pooled", "majority"}

    Returns
    -------
    ConfusionEstimate or None
        None if too few rows were labelled by two people or more.
    """
    table, people = _table(given)
    if len(table) < FEWEST_SHARED or len(people) < 2:
        return None
    if isinstance(who, int):
        if who not in people:
            return None
        who = people.index(who)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        options: dict[str, Any] = {"n_bootstrap": 20, "laplace": 0.1, "on_empty": "identity"}
        return confusion_from_annotators(table, who=who, **options)
