"""One query over a large sparse pool, beside the one product that it cannot do without.

Times are processor times: neither uses more than one thread.
"""

from __future__ import annotations

import copy
import itertools
import time

import numpy as np
import scipy.sparse as sp

from benchmarks.lines import Line, best_of_each
from uneven import ActiveLearner, BayesPointClassifier

ROWS, COLUMNS, WORDS, LABELS = 100_000, 20_000, 100, 50


def run() -> list[Line]:
    """Time ``ask`` with 50 labels, and ``tell`` of another row, which refits the centre."""
    pool, y = documents(ROWS, COLUMNS, WORDS)
    known = np.r_[np.flatnonzero(y == 0)[: LABELS // 2], np.flatnonzero(y == 1)[: LABELS // 2]]
    learner = ActiveLearner(BayesPointClassifier("linear"), random_state=0).start(pool)
    learner.tell(known, y[known])
    learner.ask()
    w = learner.model_.coef_[0]
    rows = learner.ask(1)
    others = itertools.cycle(np.setdiff1d(np.arange(ROWS), known).tolist())

    def whole_query() -> None:
        row = [next(others)]
        copy.copy(learner).tell(row, y[row]).ask(1)

    product, ask, query, batch = best_of_each(
        [lambda: pool @ w, lambda: learner.ask(1), whole_query, lambda: learner.ask(10)],
        clock=time.process_time,
    )
    shape = f"{ROWS} x {COLUMNS} sparse pool, {LABELS} labels"
    return [
        _beside("a query: answer told, centre, next row", shape, query, product, 2.0),
        _beside("ask(1) alone", shape, ask, product, None),
        _beside("ask(10), diverse", shape, batch, product, None),
        Line(f"{shape}: row asked for", str(int(rows[0]))),
    ]


def _beside(what: str, shape: str, ours: float, product: float, limit: float | None) -> Line:
    ratio = ours / product
    return Line(
        f"{shape}: {what}",
        f"{1e3 * ours:.1f} ms",
        f"{1e3 * product:.1f} ms (the product)",
        f"{ratio:.2f}x",
        "" if limit is None else f"<= {limit:g}x",
        None if limit is None else ratio <= limit,
    )


def documents(n: int, d: int, words: int, seed: int = 0) -> tuple[sp.csr_matrix, np.ndarray]:
    """Rows with so many words each, drawn by Zipf's law; half the words of a class are its own."""
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 2, n)
    chance = 1.0 / np.arange(1, d + 1)
    drawn = rng.choice(d, size=(n, words), p=chance / chance.sum())
    own = rng.random((n, words)) < 0.1
    drawn = np.where(own, (drawn + (1 + y[:, None]) * (d // 3)) % d, drawn)
    X = sp.csr_matrix(
        (np.ones(n * words), drawn.ravel(), np.arange(0, n * words + 1, words)), shape=(n, d)
    )
    X.sum_duplicates()
    return X, y
