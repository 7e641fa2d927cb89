"""The boosters: how each is fitted with balanced classes, and how its rounds are looked at.

Every booster takes the same rows and learns with all classes as heavy as each other; categories
stay categories where it knows them. What is not set here is its default.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.special import softmax
from threadpoolctl import threadpool_limits

from benchmarks.score_leaves.booster import (
    Booster,
    Look,
    Setting,
    checkpoints,
    clock,
    grid,
    picked,
)
from benchmarks.score_leaves.data import Table

RATES = (0.1, 0.2, 0.4)
SEED = 0


class LightGBM(Booster):
    """One tree per class and round, grown leaf by leaf."""

    sees_all_rounds = True

    def choices(self, table: Table) -> tuple[Setting, ...]:
        """All of them everywhere: it sets the target."""
        return self.settings

    def fit(self, table: Table, setting: Setting, rounds: int, threads: int) -> Any:
        from lightgbm import LGBMClassifier

        model = LGBMClassifier(
            n_estimators=rounds,
            class_weight="balanced",
            n_jobs=threads,
            random_state=SEED,
            verbose=-1,
            **setting,
        )
        return model.fit(table.X, table.y)

    def stages(self, model: Any, X: Any, steps: Sequence[int]) -> Iterator[np.ndarray]:
        total, done = 0.0, 0
        for step in steps:
            words = {"start_iteration": done, "num_iteration": step - done}
            total = total + model.booster_.predict(X, raw_score=True, num_threads=1, **words)
            done = step
            yield softmax(total, axis=1)


@dataclass(frozen=True)
class XGBoost(Booster):
    """Histogram trees grown leaf by leaf: one per class, or one with a vector in its leaves.

    Those with vectors know no categories and get their codes.
    """

    strategy: str = "one_output_per_tree"

    def fit(self, table: Table, setting: Setting, rounds: int, threads: int) -> Any:
        from xgboost import XGBClassifier

        model = XGBClassifier(
            n_estimators=rounds,
            tree_method="hist",
            multi_strategy=self.strategy,
            enable_categorical=True,
            n_jobs=threads,
            random_state=SEED,
            **setting,
        )
        return model.fit(self._rows(table.X), table.y, sample_weight=table.weights)

    def stages(self, model: Any, X: Any, steps: Sequence[int]) -> Iterator[np.ndarray]:
        total, done, X = None, 0, self._rows(X)
        for step in steps:
            words = {"iteration_range": (done, step), "base_margin": total}
            total = model.predict(X, output_margin=True, **words)
            done = step
            yield softmax(total, axis=1)

    def probabilities(self, model: Any, X: Any) -> np.ndarray:
        return np.asarray(model.predict_proba(self._rows(X)))

    def _rows(self, X: Any) -> Any:
        if self.strategy != "multi_output_tree" or not hasattr(X, "columns"):
            return X
        names = [name for name in X.columns if X[name].dtype.name == "category"]
        return X.assign(**{name: X[name].cat.codes for name in names})


class HistBoosting(Booster):
    """Gradient boosting of scikit-learn on histograms."""

    def fit(self, table: Table, setting: Setting, rounds: int, threads: int) -> Any:
        from sklearn.ensemble import HistGradientBoostingClassifier

        model = HistGradientBoostingClassifier(
            max_iter=rounds,
            class_weight="balanced",
            early_stopping=False,
            random_state=SEED,
            **setting,
        )
        with threadpool_limits(limits=threads):
            return model.fit(table.X, table.y)

    def stages(self, model: Any, X: Any, steps: Sequence[int]) -> Iterator[np.ndarray]:
        return picked(model.staged_predict_proba(X), steps)


class CatBoost(Booster):
    """Symmetric trees with a vector in their leaves; its own statistics of categories."""

    def fit(self, table: Table, setting: Setting, rounds: int, threads: int) -> Any:
        from catboost import CatBoostClassifier

        model = CatBoostClassifier(
            iterations=rounds,
            loss_function="MultiClass",
            cat_features=table.categories,
            thread_count=threads,
            random_seed=SEED,
            allow_writing_files=False,
            verbose=False,
            **setting,
        )
        return model.fit(table.X, table.y, sample_weight=table.weights)

    def stages(self, model: Any, X: Any, steps: Sequence[int]) -> Iterator[np.ndarray]:
        found = model.staged_predict(X, prediction_type="Probability", thread_count=1)
        return picked(found, steps)


class Chimera(Booster):
    """Symmetric trees with a vector in their leaves, in compiled Python."""

    def fit(self, table: Table, setting: Setting, rounds: int, threads: int) -> Any:
        model = self._model(setting, rounds, threads, early_stopping=False)
        return model.fit(
            table.X, table.y, cat_features=table.categories or None, sample_weight=table.weights
        )

    def watch(self, table: Table, setting: Setting, rounds: int, threads: int, look: Look) -> float:
        """It has no staged predictions; its own measure of a validation set sees every round.

        The seconds contain the predictions of these rows.
        """
        steps, seen, now, looking = set(checkpoints(rounds)), 0, clock(threads), 0.0

        def measure(y: np.ndarray, found: np.ndarray, weights: Any = None) -> float:
            nonlocal seen, looking
            seen += 1
            start = now()
            if seen in steps:
                look(seen, found)
            looking += now() - start
            return -float(seen)

        model = self._model(
            setting, rounds, threads, eval_metric=measure, early_stopping_rounds=rounds + 1
        )
        start = now()
        model.fit(
            table.X,
            table.y,
            cat_features=table.categories or None,
            eval_set=(table.X_new, table.y_new),
            sample_weight=table.weights,
        )
        return now() - start - looking

    def _model(self, setting: Setting, rounds: int, threads: int, **words: Any) -> Any:
        """One plain fit: no search of products, no second fit behind it."""
        from chimeraboost import ChimeraBoostClassifier

        return ChimeraBoostClassifier(
            n_estimators=rounds,
            cross_features=False,
            refit_full=False,
            thread_count=threads,
            random_state=SEED,
            **setting,
            **words,
        )


class Ours(Booster):
    """One tree a round with a score per class in its leaves."""

    sees_all_rounds = True

    def absent(self) -> str:
        import uneven

        found = hasattr(uneven, "BalancedBoostingClassifier")
        return "" if found else "uneven.BalancedBoostingClassifier does not exist"

    def choices(self, table: Table) -> tuple[Setting, ...]:
        """All of them, without the smallest trees on a costly table."""
        return tuple(one for one in self.settings if not table.costly or one["max_leaves"] > 8)

    def fit(self, table: Table, setting: Setting, rounds: int, threads: int) -> Any:
        import uneven

        model = uneven.BalancedBoostingClassifier(  # type: ignore[attr-defined]
            n_estimators=rounds,
            early_stopping=False,
            random_state=SEED,
            n_jobs=threads,
            **setting,
        )
        return model.fit(table.X, table.y)

    def stages(self, model: Any, X: Any, steps: Sequence[int]) -> Iterator[np.ndarray]:
        return picked(model.staged_predict_proba(X, balanced=True), steps)

    def probabilities(self, model: Any, X: Any) -> np.ndarray:
        return np.asarray(model.predict_proba(X, balanced=True))


class Automatic(Ours):
    """Ours with the settings that it takes by itself."""

    def choices(self, table: Table) -> tuple[Setting, ...]:
        from uneven.boosting.balanced_boosting import settings_for

        counts = np.bincount(table.y)
        shape = (*table.X.shape, int(counts.min()) * len(counts))
        found = settings_for(*shape, is_sparse=False, early_stopping=False)
        return ({name: found[name] for name in ("learning_rate", "max_leaves")},)


_TREES = 3
"""Rounds of one tree each for a round of a tree per class, where fits are kept short."""

LIGHTGBM = LightGBM("LightGBM", "lightgbm", grid(RATES, "num_leaves", (31, 63)))
OURS = Ours("uneven", "uneven", grid((0.1, 0.3, 0.5), "max_leaves", (31, 127)), _TREES)
_LEAFWISE = {"grow_policy": "lossguide", "max_depth": 0}
PEERS: tuple[Booster, ...] = (
    Automatic("uneven, automatic", "uneven", (), _TREES),
    LIGHTGBM,
    XGBoost("XGBoost", "xgboost", grid(RATES, "max_leaves", (31, 63), **_LEAFWISE)),
    XGBoost(
        "XGBoost, vector leaves",
        "xgboost",
        grid(RATES, "max_leaves", (31, 63), **_LEAFWISE),
        _TREES,
        "multi_output_tree",
    ),
    HistBoosting("HistGradientBoosting", "sklearn", grid(RATES, "max_leaf_nodes", (31, 63))),
    CatBoost("CatBoost", "catboost", grid(RATES, "depth", (6, 8)), _TREES),
    Chimera("ChimeraBoost", "chimeraboost", grid(RATES, "depth", (6, 8)), _TREES),
)
