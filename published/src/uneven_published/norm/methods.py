"""The methods of the table: ours, and what people use for rare classes today.

Every method is a function of the rows to learn from and a seed, which returns an estimator that is
not fitted. Packages that this library does not need are loaded there.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.ensemble import AdaBoostClassifier, HistGradientBoostingClassifier
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer
from sklearn.tree import DecisionTreeClassifier

from uneven.boosting import AdaBoostMMClassifier, ComboClassifier, NormComboClassifier
from uneven.comparison.encoding import encode_one_hot
from uneven.comparison.schema import Schema
from uneven.utils.optional import require
from uneven.views.training_rows import encode_categories, learn_categories

NORM, COMBO = "NormCoMBo", "CoMBo"
TREES = 300
NEIGHBOURS = 5
ROUNDS = 200
SAMPLERS = ("imblearn",)
LIGHTGBM = ("lightgbm",)


@dataclass(frozen=True)
class Method:
    """A way to learn.

    Attributes
    ----------
    make : callable
        ``make(X, y, seed) -> estimator``.
    packages : tuple of str
        Modules that it needs and this library does not.
    edition : int
        To be raised when the method changes: its older results no longer count.
    """

    make: Callable[[Any, np.ndarray, int], Any]
    packages: tuple[str, ...] = ()
    edition: int = 1


def category_codes(X: Any) -> Any:
    """A frame with the codes of its categories in their places; anything else as it is.

    Examples
    --------
    >>> import pandas as pd
    >>> frame = pd.DataFrame({"size": pd.Categorical(["s", "l"], ["s", "l"])})
    >>> category_codes(frame)["size"].tolist()
    [0.0, 1.0]
    """
    return encode_categories(X, learn_categories(X))


def _load(module: str, purpose: str) -> Any:
    return require(module, purpose, "bench")


def _numbers() -> list[Any]:
    """Steps for learners that take neither categories nor NaN."""
    return [FunctionTransformer(category_codes), SimpleImputer(strategy="median")]


def norm_combo(X: Any, y: np.ndarray, seed: int) -> Any:
    """NormCoMBo as it comes: 600 trees in 24 boosts, 12 linear voters."""
    return NormComboClassifier(random_state=seed)


def combo(X: Any, y: np.ndarray, seed: int) -> Any:
    """CoMBo as it comes: 200 trees of depth 3."""
    return ComboClassifier(random_state=seed)


def adaboost_mm(X: Any, y: np.ndarray, seed: int) -> Any:
    """AdaBoost.MM as it comes: 200 trees of depth 3."""
    return AdaBoostMMClassifier(random_state=seed)


def balanced_forest(X: Any, y: np.ndarray, seed: int) -> Any:
    """A random forest whose trees see as many rows of every class, drawn with replacement."""
    ensemble = _load("imblearn.ensemble", "A balanced random forest")
    forest = ensemble.BalancedRandomForestClassifier(
        TREES, sampling_strategy="all", replacement=True, bootstrap=False, random_state=seed
    )
    return make_pipeline(*_numbers(), forest)


def easy_ensemble(X: Any, y: np.ndarray, seed: int) -> Any:
    """Ten AdaBoost ensembles of 50 trees of depth 3, each on a balanced sample."""
    ensemble = _load("imblearn.ensemble", "EasyEnsemble")
    boosted = AdaBoostClassifier(DecisionTreeClassifier(max_depth=3), n_estimators=50)
    bags = ensemble.EasyEnsembleClassifier(
        10, boosted, sampling_strategy="auto", replacement=False, random_state=seed
    )
    return make_pipeline(*_numbers(), bags)


def rus_boost(X: Any, y: np.ndarray, seed: int) -> Any:
    """AdaBoost with a balanced sample in every round: 200 trees of depth 6, learning rate 0.1.

    With its default stumps it stops on Ecoli, because they are worse than chance there; with trees
    of depth 3 and rate 1 its answers are worse on most sets.
    """
    ensemble = _load("imblearn.ensemble", "RUSBoost")
    boosted = ensemble.RUSBoostClassifier(
        DecisionTreeClassifier(max_depth=6),
        n_estimators=ROUNDS,
        learning_rate=0.1,
        sampling_strategy="auto",
        replacement=False,
        random_state=seed,
    )
    return make_pipeline(*_numbers(), boosted)


def lightgbm(X: Any, y: np.ndarray, seed: int) -> Any:
    """LightGBM with balanced class weights."""
    return _lightgbm(seed, class_weight="balanced")


def _lightgbm(seed: int, **words: Any) -> Any:
    package = _load("lightgbm", "LightGBM")
    return package.LGBMClassifier(random_state=seed, n_jobs=1, verbose=-1, **words)


def smote_lightgbm(X: Any, y: np.ndarray, seed: int) -> Any:
    """LightGBM on classes filled up by SMOTE, with fewer neighbours for tiny classes."""
    sampling = _load("imblearn.over_sampling", "SMOTE")
    pipeline = _load("imblearn.pipeline", "SMOTE")
    fewest = int(np.unique(y, return_counts=True)[1].min())
    smote = sampling.SMOTE(k_neighbors=max(1, min(NEIGHBOURS, fewest - 1)), random_state=seed)
    return pipeline.make_pipeline(*_numbers(), smote, _lightgbm(seed))


def hist_boosting(X: Any, y: np.ndarray, seed: int) -> Any:
    """Gradient boosting of scikit-learn with balanced class weights."""
    return HistGradientBoostingClassifier(class_weight="balanced", random_state=seed)


def logistic(X: Any, y: np.ndarray, seed: int) -> Any:
    """Logistic regression on standardised columns, with balanced class weights."""
    schema = Schema.of(X)
    linear = LogisticRegression(class_weight="balanced", max_iter=2000)
    return make_pipeline(FunctionTransformer(schema.convert), encode_one_hot(schema), linear)


METHODS: Mapping[str, Method] = {
    NORM: Method(norm_combo, edition=4),
    COMBO: Method(combo),
    "AdaBoost.MM": Method(adaboost_mm),
    "Balanced forest": Method(balanced_forest, SAMPLERS),
    "EasyEnsemble": Method(easy_ensemble, SAMPLERS),
    "RUSBoost": Method(rus_boost, SAMPLERS),
    "LightGBM": Method(lightgbm, LIGHTGBM),
    "SMOTE + LightGBM": Method(smote_lightgbm, (*SAMPLERS, *LIGHTGBM)),
    "HistGradientBoosting": Method(hist_boosting),
    "Logistic regression": Method(logistic),
}
"""Methods by column; every one is seeded, and runs in one process."""
