"""Which held-out rows the page shows, and how likely their labels are wrong."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from uneven.comparison.heldout import HeldOutRows
from uneven.comparison.results import Comparison
from uneven.noise import LabelIssues, find_label_issues
from uneven.report.cells import cell_texts, column_title, shown_columns

MOST_ROWS = 5000
ROOM = 1_300_000
"""Bytes of the page for rows."""

POOLED = 3
"""Methods whose probabilities are averaged to find wrong labels."""

LEAST_ROWS = 100
"""With fewer rows, wrong labels are not counted."""

RIGHT_COUNTS = 4
"""A correct prediction counts as so many mistakes when rows are chosen."""


@dataclass(frozen=True, eq=False)
class KeptRows:
    """Held-out rows that the page carries.

    Attributes
    ----------
    held : HeldOutRows
        All of them.
    methods : list of str
        Names of the methods with predictions, best first.
    probable : list of str
        Those of them that give probabilities.
    chosen : ndarray of int, shape (n,)
        Positions in `held`, in the order of the table.
    total : int
        Rows that were held out, each counted once.
    doubt : ndarray of shape (m,)
        For every row of `held`, how doubtful its label is; NaN where unknown.
    likely : ndarray of int, shape (m,)
        Code of the most likely class; -1 where unknown.
    wrong : LabelIssues or None
        How many labels are expected to be wrong; None where unknown.
    """

    held: HeldOutRows
    methods: list[str]
    probable: list[str]
    chosen: NDArray[np.intp]
    total: int
    doubt: NDArray[np.float64]
    likely: NDArray[np.intp]
    wrong: LabelIssues | None = None


def keep_rows(results: Comparison) -> KeptRows | None:
    """Choose rows of a comparison; None if it was read from a file, or it has no predictions."""
    if results.refit_plan is None:
        return None
    held = results.held_out
    methods = [name for name, answers in held.answers.items() if (answers >= 0).any()]
    if not methods:
        return None
    shares = held.probable
    probable = [name for name in methods if name in shares]
    pooled = pooled_probabilities(held, probable[:POOLED])
    doubt, likely = doubtful_labels(held, pooled)
    chosen = choose_rows(held, methods, doubt, affordable(results, held, len(methods)))
    total = int((held.repeats == 0).sum())
    wrong = wrong_labels(held, pooled)
    return KeptRows(held, methods, probable, chosen, total, doubt, likely, wrong)


def pooled_probabilities(held: HeldOutRows, methods: Sequence[str]) -> NDArray[np.float64]:
    """Out-of-fold probabilities of the methods, averaged, also over repeats.

    Returns ndarray of shape (m, n_classes); NaN where unknown.
    """
    n, n_classes = held.places.max(initial=-1) + 1, len(held.classes)
    sums, times = np.zeros((n, n_classes)), np.zeros((n, 1))
    for name in methods:
        known = held.answers[name] >= 0
        np.add.at(sums, held.places[known], held.scores[name][known])
        np.add.at(times, held.places[known], 1.0)
    means = np.divide(sums, times, out=np.full_like(sums, np.nan), where=times > 0)
    return np.asarray(means[held.places])


def doubtful_labels(
    held: HeldOutRows, pooled: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.intp]]:
    """How likely each label is wrong, and which class is likely instead.

    The doubt is 1 minus the probability of the label. On tables with labels made wrong by chance
    this simple rule found them better than margins, thresholds by class (confident learning) and
    an estimated noise matrix, and as well as the true noise matrix; `benchmarks/label_doubt.py` has
    the figures.

    Returns
    -------
    doubt : ndarray of shape (m,)
    likely : ndarray of int, shape (m,)
    """
    told = np.isfinite(pooled).all(axis=1)
    likely = np.where(told, np.nan_to_num(pooled).argmax(axis=1), -1)
    return 1.0 - pooled[np.arange(len(pooled)), held.truth], likely


def wrong_labels(held: HeldOutRows, pooled: NDArray[np.float64]) -> LabelIssues | None:
    """How many labels of the rows look wrong, each row counted once; None if there are few rows."""
    rows = np.flatnonzero((held.repeats == 0) & np.isfinite(pooled).all(axis=1))
    codes = held.truth[rows]
    present, sizes = np.unique(codes, return_counts=True)
    if len(rows) < LEAST_ROWS or len(present) < 2 or sizes.min() < 2:
        return None
    shares = np.maximum(pooled[np.ix_(rows, present)], 1e-12)
    return find_label_issues(shares / shares.sum(axis=1, keepdims=True), codes)


def sureness(scores: NDArray[np.float64], codes: NDArray[np.intp]) -> NDArray[np.float64]:
    """How far the score of a class is above the best of the others; NaN without scores.

    Examples
    --------
    >>> sureness(np.array([[0.7, 0.2, 0.1]]), np.array([1])).round(3)
    array([-0.5])
    """
    rows = np.arange(len(scores))
    own, others = scores[rows, codes], scores.copy()
    others[rows, codes] = -np.inf
    return np.asarray(own - others.max(axis=1))


def ranks_in_cells(cells: NDArray[np.intp], sure: NDArray[np.float64]) -> NDArray[np.intp]:
    """Rank of each row in its cell by confidence, the most confident at 0.

    Examples
    --------
    >>> ranks_in_cells(np.array([0, 1, 0]), np.array([0.1, 0.5, 0.3])).tolist()
    [1, 0, 0]
    """
    order = np.lexsort((-np.nan_to_num(sure, nan=-np.inf), cells))
    ordered = cells[order]
    starts = np.flatnonzero(np.r_[True, ordered[1:] != ordered[:-1]])
    sizes = np.diff(np.r_[starts, len(cells)])
    ranks = np.empty(len(cells), dtype=np.intp)
    ranks[order] = np.arange(len(cells)) - np.repeat(starts, sizes)
    return ranks


def choose_rows(
    held: HeldOutRows, methods: Sequence[str], doubt: NDArray[np.float64], most: int
) -> NDArray[np.intp]:
    """The rows to keep: the most confident of each cell of every matrix, and doubtful labels.

    Parameters
    ----------
    held : HeldOutRows
    methods : sequence of str
        Whose matrices count.
    doubt : ndarray of shape (m,)
    most : int
        How many rows there may be.

    Returns
    -------
    ndarray of int
        Positions in `held`, increasing. Only the first time that a row is held out counts.
    """
    once = np.flatnonzero(held.repeats == 0)
    if len(once) <= most:
        return once
    truth, n_classes = held.truth[once], len(held.classes)
    waiting = np.argsort(np.argsort(-np.nan_to_num(doubt[once], nan=-np.inf))).astype(float)
    for name in methods:
        answers, scores = held.answers[name][once].astype(np.intp), held.scores[name][once]
        known = answers >= 0
        sure = sureness(scores, np.maximum(answers, 0))
        ranks = ranks_in_cells(truth * (n_classes + 1) + answers, sure).astype(float)
        ranks[answers == truth] *= RIGHT_COUNTS
        waiting[known] = np.minimum(waiting[known], ranks[known])
    order = np.lexsort((once, waiting))
    return np.sort(once[order[:most]])


def row_data(results: Comparison, kept: KeptRows, order: Sequence[int]) -> dict[str, Any]:
    """What the script of the page reads: predictions, scores, cells.

    Parameters
    ----------
    results : Comparison
    kept : KeptRows
    order : sequence of int
        Codes of the classes from the largest to the smallest: the page counts them so.
    """
    held, chosen = kept.held, kept.chosen
    place = np.empty(len(held.classes) + 1, dtype=int)
    place[list(order)], place[-1] = np.arange(len(order)), -1
    labels = {m.name: m.label for m in results.methods}
    once, k = held.repeats == 0, len(order)
    problem = results.refit_plan.problem if results.refit_plan else None
    columns = shown_columns(results, problem) if problem else []
    data: dict[str, Any] = {
        "classes": [results.data.classes[c] for c in order],
        "target": results.data.target,
        "methods": [labels[name] for name in kept.methods],
        "probable": [name in kept.probable for name in kept.methods],
        "counts": [
            _counts(place[held.truth[once]], place[held.answers[name][once]], k)
            for name in kept.methods
        ],
        "total": kept.total,
        "number": held.numbers[chosen].tolist(),
        "truth": place[held.truth[chosen]].tolist(),
        "answers": [place[held.answers[name][chosen]].tolist() for name in kept.methods],
        "doubt": _thousandths(kept.doubt[chosen]),
        "likely": place[kept.likely[chosen]].tolist(),
        "columns": [column_title(c) for c in columns],
        "numeric": [c.kind == "number" for c in columns],
        "cells": [_packed(cell_texts(problem, c, held.places[chosen])) for c in columns if problem],
    }
    data |= _scores(held, kept, chosen)
    names = held.names[chosen]
    if not np.array_equal(names, held.numbers[chosen] - 1):
        data["names"] = {"title": str(names.name or "name"), "cells": [str(n) for n in names]}
    return data


def _counts(truth: NDArray[np.intp], answers: NDArray[np.intp], k: int) -> list[int]:
    """Cells of the confusion matrix, row by row."""
    known = answers >= 0
    return np.bincount(truth[known] * k + answers[known], minlength=k * k).tolist()


def _scores(held: HeldOutRows, kept: KeptRows, chosen: NDArray[np.intp]) -> dict[str, Any]:
    """Score of the prediction and of the label, by method."""
    rows, said, own = np.arange(len(chosen)), [], []
    for name in kept.methods:
        scores, answers = held.scores[name][chosen], held.answers[name][chosen]
        said.append(_thousandths(scores[rows, np.maximum(answers, 0)]))
        own.append(_thousandths(scores[rows, held.truth[chosen]]))
    return {"said": said, "own": own}


def _thousandths(values: NDArray[np.float64]) -> list[int | None]:
    whole = np.round(1000.0 * np.clip(np.nan_to_num(values), -1e9, 1e9)).astype(int).tolist()
    return [v if known else None for v, known in zip(whole, np.isfinite(values))]


def _packed(cells: list[str]) -> Any:
    """Cells, or their distinct values and numbers where that is shorter."""
    values = sorted(set(cells))
    if 3 * len(values) > len(cells):
        return cells
    place = {value: i for i, value in enumerate(values)}
    return {"values": values, "at": [place[cell] for cell in cells]}


def affordable(results: Comparison, held: HeldOutRows, n_methods: int, sample: int = 200) -> int:
    """How many rows there is room for, estimated from some of them."""
    problem = results.refit_plan.problem if results.refit_plan else None
    if problem is None or not len(held.places):
        return 0
    some = held.places[:: max(1, len(held.places) // sample)][:sample]
    cells = [cell_texts(problem, c, some) for c in shown_columns(results, problem)]
    size = len(json.dumps(cells, ensure_ascii=False).encode("utf-8", "replace")) / len(some)
    return max(50, min(MOST_ROWS, int(ROOM / (size + 12 * n_methods + 20))))
