"""Active learning as published: Banana, Reuters-21578 and 20 Newsgroups.

The published figures are the result curves that the author of the thesis put beside his code: mean
accuracy after so many queries and, for Banana, its standard deviation over 50 runs. The two rows
with a label at the start, one of each class, do not count as queries. Rows of text are tf-idf as it
is; Bayes points and the Chebyshev centre scale them to unit length by themselves, libSVM does not.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from joblib import Parallel, delayed
from sklearn.preprocessing import normalize

from benchmarks.lines import NOT_RUN, Line
from uneven.datasets import fetch
from uneven_published.louche.active_queries import (
    CHEBYSHEV,
    GRAVITY,
    HARD,
    PASSIVE,
    SOFT,
    SOFT_UNIT,
    Corpus,
    Problem,
    accuracies,
    banana_problem,
    learners,
    one_of_each,
    text_problems,
)

BANANA_RUNS = 50
BANANA_QUERIES = 100
BANANA = {
    20: (0.78958, 0.03211),
    40: (0.84372, 0.02405),
    60: (0.87342, 0.00711),
    80: (0.87790, 0.00519),
    100: (0.87743, 0.00513),
}
"""Published mean and standard deviation of the Bayes point learner by number of queries."""

NOISE_FREE_RUNS = 25
NOISE_FREE_QUERIES = (5, 10, 20, 30, 40)

TEXT_RUNS = 25
TEXT_QUERIES = 20
TEXT_TARGET = 0.935
TEXT = {
    ("reuters21578", 500): (0.97440, 0.95263),
    ("reuters21578", 1000): (0.97345, 0.94590),
    ("newsgroups20", 500): (0.94903, 0.88121),
    ("newsgroups20", 1000): (0.94972, 0.87480),
}
"""Published accuracy after 20 queries: Bayes point learner, SVM."""

BANANA_LEARNERS = (GRAVITY, HARD, CHEBYSHEV, SOFT, PASSIVE)
TEXT_LEARNERS = (*BANANA_LEARNERS, SOFT_UNIT)


def banana() -> list[Line]:
    """The whole curve on Banana, 400 rows in the pool, a Gaussian kernel of width 0.5."""
    try:
        data = fetch("banana", download=False)
    except (OSError, ValueError) as error:
        return [Line(f"banana: {str(error).splitlines()[0][:90]}", NOT_RUN)]
    runs = Parallel(n_jobs=2)(delayed(_banana_run)(data, seed) for seed in range(BANANA_RUNS))
    curves = {name: np.array([run[name] for run in runs]) for name in runs[0]}
    return [*_beside_published(curves[GRAVITY]), *_others(curves)]


def _banana_run(data: Any, seed: int) -> dict[str, np.ndarray]:
    some = learners("rbf", BANANA_LEARNERS, seed, ridge=1e-6, gamma=2.0)
    return accuracies(some, banana_problem(data, seed), range(BANANA_QUERIES + 1))


def _beside_published(curves: np.ndarray) -> Iterator[Line]:
    for queries, (mean, std) in BANANA.items():
        ours = curves[:, queries].mean()
        off = (ours - mean) / std
        yield Line(
            f"banana, {GRAVITY}, {queries} queries",
            f"{ours:.3f} ± {curves[:, queries].std():.3f}",
            f"published {mean:.3f} ± {std:.3f}",
            f"{off:+.2f} std",
            "within 2 std",
            abs(off) <= 2.0,
        )


def _others(curves: dict[str, np.ndarray]) -> Iterator[Line]:
    for name, scores in curves.items():
        if name != GRAVITY:
            shown = " ".join(f"{scores[:, q].mean():.3f}" for q in BANANA)
            yield Line(f"banana, {name}, {', '.join(map(str, BANANA))} queries", shown)


def without_noise() -> list[Line]:
    """Unit rows in ten dimensions whose classes a hyperplane tells apart."""
    runs = Parallel(n_jobs=2)(delayed(_noise_free_run)(seed) for seed in range(NOISE_FREE_RUNS))
    queries = list(NOISE_FREE_QUERIES)
    lines = []
    for name in runs[0]:
        means = np.mean([run[name][queries] for run in runs], axis=0)
        shown = " ".join(f"{one:.3f}" for one in means)
        lines.append(Line(f"{name}, {', '.join(map(str, queries))} queries", shown))
    return lines


def _noise_free_run(seed: int) -> dict[str, np.ndarray]:
    rng = np.random.default_rng(seed)
    w, rows = rng.normal(size=10), normalize(rng.normal(size=(2500, 10)))
    y = (rows @ w > 0).astype(int)
    problem = Problem(rows[:500], y[:500], rows[500:], y[500:], one_of_each(y[:500], rng))
    return accuracies(
        learners("linear", BANANA_LEARNERS, seed), problem, range(NOISE_FREE_QUERIES[-1] + 1)
    )


def text() -> list[Line]:
    """Ten one-against-rest problems of each corpus, pools of 500 and 1000 documents."""
    lines: list[Line] = []
    for (name, size), published in TEXT.items():
        try:
            data = fetch(name, download=False)
        except (OSError, ValueError) as error:
            lines.append(Line(f"{name}: {str(error).splitlines()[0][:90]}", NOT_RUN))
            continue
        by_run = Parallel(n_jobs=2)(
            delayed(_text_run)(data, Corpus(name, size, halves=name == "newsgroups20"), seed)
            for seed in range(TEXT_RUNS)
        )
        means = {k: float(np.mean([one[k] for one in by_run])) for k in by_run[0]}
        spread = float(np.std([one[GRAVITY] for one in by_run]))
        lines += _text_lines(f"{name}, pool of {size}", means, spread, published)
    return lines


def _text_lines(
    where: str, means: dict[str, float], spread: float, published: tuple[float, float]
) -> Iterator[Line]:
    """The Bayes point beside its target; the two SVMs beside the Bayes point."""
    ours = means[GRAVITY]
    yield Line(
        f"{where}, {GRAVITY}",
        f"{ours:.4f} ± {spread:.4f}",
        f"published {published[0]:.4f}",
        "",
        f">= {TEXT_TARGET}",
        ours >= TEXT_TARGET,
    )
    for other, beside in ((HARD, f"published SVM {published[1]:.4f}"), (CHEBYSHEV, "")):
        gain = f"{ours - means[other]:+.4f} for gravity"
        yield Line(
            f"{where}, {other}", f"{means[other]:.4f}", beside, gain, "> 0", ours > means[other]
        )
    for other in (SOFT, SOFT_UNIT, PASSIVE):
        yield Line(f"{where}, {other}", f"{means[other]:.4f}")


def _text_run(data: Any, corpus: Corpus, seed: int) -> dict[str, float]:
    """Accuracy of each learner after the last query, mean over the classes."""
    reached: dict[str, list[float]] = {}
    for problem in text_problems(data, corpus, seed):
        some = learners("linear", TEXT_LEARNERS, seed)
        for name, scores in accuracies(some, problem, (TEXT_QUERIES,)).items():
            reached.setdefault(name, []).append(scores[0])
    return {name: float(np.mean(scores)) for name, scores in reached.items()}
