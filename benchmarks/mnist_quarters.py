"""Digits through four quarters: the Bregman vote and its seven published baselines.

Each digit against the others: 50 examples of it and 50 others to learn from, 10 000 random images
with their natural frequencies to test on; 20 draws, 5 for the slowest. Shown are accuracy and F1
of the digit, averaged over the digits. A. Goyal, E. Morvant and M.-R. Amini (2018), Table 1.
Settings were chosen on other draws than those shown.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from joblib import Parallel, delayed
from scipy.stats import ranksums
from sklearn.metrics import f1_score
from sklearn.model_selection import cross_val_score
from sklearn.tree import DecisionTreeClassifier

from benchmarks.lines import NOT_RUN, Line
from benchmarks.mvml import SparseMetricLearning
from uneven import BregmanVoteClassifier
from uneven.boosting import ShareBoostClassifier
from uneven.datasets import fetch, image_quarters
from uneven.fusion import HoldoutFusionClassifier

N_REPEATS = 20
FEW = 5
N_TEST = 10_000
FIRST_SEED = 1000
SIGNIFICANT = 0.02

PUBLISHED = {
    "Mono": "0.7827 / 0.4355",
    "Concat": "0.7988 / 0.4618",
    "Fusion": "0.8167 / 0.4769",
    "MVMLsp": "0.7221 / 0.3646",
    "MV-MV": "0.8381 / 0.5238",
    "MVWAB": "0.8470 / 0.5704",
    "rBoost.SH": "0.7580 / 0.4067",
    "Bregman vote": "0.8659 / 0.5914",
}
TARGET = (0.8659, 0.5914)
BEST = "Bregman vote, 20 random trees of depth 3 per view"
TWICE = " (100 + 100 examples)"


@dataclass
class Method:
    """A name, and who answers the test rows after learning from ``(views, seed)``."""

    name: str
    make: Callable[[dict, int], Any]
    n_each: int = 50
    n_repeats: int = N_REPEATS


def _bregman(name: str, n_each: int = 50, voters: Any = None, **options: Any) -> Method:
    def make(views: dict, seed: int) -> Any:
        return BregmanVoteClassifier(voters, views=views, random_state=seed, **options)

    return Method(f"Bregman vote, {name}", make, n_each)


def _boosted(name: str, selection: str, depth: int | None) -> Method:
    def make(views: dict, seed: int) -> Any:
        return ShareBoostClassifier(
            DecisionTreeClassifier() if depth is None else None,
            selection=selection,
            n_estimators=100,
            max_depth=depth or 1,
            views=views,
            random_state=seed,
        )

    trees = "full trees" if depth is None else f"depth {depth}"
    if selection == "combination" and depth is not None:
        return Method(f"{name}, {trees} ({FEW} draws)", make, n_repeats=FEW)
    return Method(f"{name}, {trees}", make)


class _Mono:
    """A full tree on one view, which cross-validation chooses."""

    def __init__(self, views: dict, seed: int) -> None:
        self._views = list(views.values())
        self._tree = DecisionTreeClassifier(random_state=seed)

    def fit(self, X: np.ndarray, y: np.ndarray) -> _Mono:
        scores = [cross_val_score(self._tree, X[:, c], y).mean() for c in self._views]
        self._columns = self._views[int(np.argmax(scores))]
        self._tree.fit(X[:, self._columns], y)
        return self

    def predict(self, X: np.ndarray) -> np.ndarray:
        return self._tree.predict(X[:, self._columns])


def _uniform_trees(views: dict, seed: int) -> Any:
    """One full tree per view, all of the same weight: the Bregman vote before it learns."""
    return BregmanVoteClassifier(
        DecisionTreeClassifier(),
        variant="paper",
        return_index="paper",
        max_iter=1,
        views=views,
        random_state=seed,
    )


_RANDOM_TREES = [DecisionTreeClassifier(max_depth=3, max_features="sqrt")] * 20
_FULL_RANDOM_TREES = [DecisionTreeClassifier(max_features="sqrt")] * 20

METHODS = [
    Method("Mono, view by validation", _Mono),
    Method("Concat", lambda views, seed: DecisionTreeClassifier(random_state=seed)),
    Method(
        "Fusion 60/40",
        lambda views, seed: HoldoutFusionClassifier(views=views, random_state=seed),
    ),
    Method("MVMLsp", lambda views, seed: SparseMetricLearning(views, random_state=seed)),
    Method("MV-MV", _uniform_trees),
    *[_boosted("MVWAB", "combination", depth) for depth in (1, 2, 3, None)],
    *[_boosted("rBoost.SH", "bandit", depth) for depth in (1, 2, 3, None)],
    _bregman("literal", variant="paper"),
    _bregman("literal step, fixed views", variant="paper", view_weights="fixed"),
    _bregman("fixed views", view_weights="fixed"),
    _bregman("proportional (default)"),
    _bregman("exact", view_weights="exact"),
    _bregman("fixed views" + TWICE, n_each=100, view_weights="fixed"),
    _bregman(BEST.split(", ")[1], voters=_RANDOM_TREES),
    _bregman("20 full random trees per view", voters=_FULL_RANDOM_TREES),
]


def run() -> list[Line]:
    try:
        digits = fetch("mnist", download=False)
    except (OSError, ValueError) as error:
        return [Line(f"MNIST quarters: {str(error).splitlines()[0][:90]}", NOT_RUN)]
    X, views = image_quarters(digits.images)
    seeds = range(FIRST_SEED, FIRST_SEED + N_REPEATS)
    repeats = Parallel(n_jobs=2)(
        delayed(repeat)(X, digits.target, views, seed, _methods_of(seed)) for seed in seeds
    )
    scores = {name: np.array([one[name] for one in repeats if name in one]) for name in repeats[0]}
    return _lines(scores)


def _methods_of(seed: int) -> list[Method]:
    return [method for method in METHODS if seed - FIRST_SEED < method.n_repeats]


def repeat(
    X: np.ndarray, target: np.ndarray, views: dict, seed: int, methods: list[Method]
) -> dict[str, np.ndarray]:
    """Accuracy and F1 of every method in one draw, averaged over the digits, shape (2,) each."""
    rng = np.random.default_rng(seed)
    rows = rng.permutation(len(X))
    test, pool = rows[:N_TEST], rows[N_TEST:]
    unseen = X[test].astype(np.float32)
    scores: dict[str, list] = {}
    for digit in range(10):
        is_digit = target[test] == digit
        sides = [rng.permutation(pool[(target[pool] == digit) == side]) for side in (False, True)]
        for method in methods:
            train = np.concatenate([side[: method.n_each] for side in sides])
            seen = X[train].astype(np.float64)
            model = method.make(views, seed).fit(seen, target[train] == digit)
            answers = model.predict(unseen)
            scores.setdefault(method.name, []).append(_judge(is_digit, answers))
            if method.make is _Mono:
                best = _oracle(seen, target[train] == digit, unseen, is_digit, views, seed)
                scores.setdefault("Mono, best view on the test rows", []).append(best)
    return {name: np.mean(values, axis=0) for name, values in scores.items()}


def _judge(truth: np.ndarray, answers: np.ndarray) -> tuple[float, float]:
    return float(np.mean(truth == answers)), float(f1_score(truth, answers))


def _oracle(seen, labels, unseen, truth, views: dict, seed: int) -> tuple[float, float]:
    """The view whose full tree is best on the test rows: what no method can know."""
    trees = {
        name: DecisionTreeClassifier(random_state=seed).fit(seen[:, c], labels)
        for name, c in views.items()
    }
    return max(_judge(truth, tree.predict(unseen[:, views[n]])) for n, tree in trees.items())


def _lines(scores: dict[str, np.ndarray]) -> list[Line]:
    """One line per method; an arrow where the best one of the column is significantly better."""
    means = {name: values.mean(axis=0) for name, values in scores.items()}
    rivals = [name for name in means if not name.endswith(TWICE)]
    best = [max(rivals, key=lambda name, k=k: means[name][k]) for k in (0, 1)]
    lines = []
    for name, values in scores.items():
        shown = []
        for k in (0, 1):
            worse = ranksums(values[:, k], scores[best[k]][:, k]).pvalue < SIGNIFICANT
            arrow = "↓" if worse and means[name][k] < means[best[k]][k] else ""
            shown.append(f"{means[name][k]:.4f} ± {values[:, k].std():.3f}{arrow}")
        family = next((known for known in PUBLISHED if name.startswith(known)), "")
        lines.append(Line(name, " / ".join(shown), PUBLISHED.get(family, "")))
        if name == BEST:
            lines[-1].target = f">= {TARGET[0]} / {TARGET[1]}"
            lines[-1].met = bool(np.all(means[name] >= TARGET))
    return lines
