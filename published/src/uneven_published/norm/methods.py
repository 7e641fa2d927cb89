"""The methods of the tables: ours, and what people use for rare classes today.

Every method is a function of the rows to learn from and a seed, which returns an estimator that is
not fitted. Packages that this library does not need are loaded there. Categories stay categories
for methods that take them and become indicators for the others; missing values stay for methods
that take them, else the median stands in.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
import pandas as pd
from sklearn.ensemble import (
    AdaBoostClassifier,
    ExtraTreesClassifier,
    HistGradientBoostingClassifier,
    RandomForestClassifier,
)
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer
from sklearn.tree import DecisionTreeClassifier

import uneven
from uneven.comparison.encoding import encode_indicators, encode_one_hot
from uneven.comparison.schema import Schema
from uneven.utils.optional import require
from uneven_published.norm.decisions import NumberedClasses, Retried
from uneven_published.norm.folds import Make

UNEVEN, UNEVEN_F1, TUNED = "UnevenClassifier", "UnevenClassifier, F1", "LightGBM, tuned decision"
NORM, COMBO = "NormCoMBo", "CoMBo"
TREES = 300
NEIGHBOURS = 5
ROUNDS = 200
SAMPLERS = ("imblearn",)
LIGHTGBM = ("lightgbm",)
ABSENT = "missing"
"""Category in place of a missing one."""


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
    own : str
        Name of the class of this library that it is or needs; "" for a peer.
    """

    make: Make
    packages: tuple[str, ...] = ()
    edition: int = 1
    own: str = ""


def _load(module: str, purpose: str) -> Any:
    return require(module, purpose, "bench")


def as_frame(X: Any) -> pd.DataFrame:
    """A frame as it is; the columns of an array are named by their numbers."""
    return X if isinstance(X, pd.DataFrame) else pd.DataFrame(np.asarray(X)).rename(columns=str)


def _encoded(encode: Callable[[Schema], Any], X: Any) -> list[Any]:
    """Steps that turn a table of the columns of X into numbers."""
    schema = Schema.of(as_frame(X))
    return [FunctionTransformer(as_frame), FunctionTransformer(schema.convert), encode(schema)]


def _numbers(X: Any) -> list[Any]:
    """Steps for learners that take neither categories nor NaN."""
    return _encoded(encode_indicators, X)


def ours(X: Any, y: np.ndarray, seed: int, *, name: str, **words: Any) -> Any:
    """A classifier of this library as it comes."""
    return getattr(uneven, name)(random_state=seed, **words)


def tuned_lightgbm(X: Any, y: np.ndarray, seed: int, *, name: str) -> Any:
    """LightGBM without class weights behind a decision that is tuned for the norm."""
    return getattr(uneven, name)(_lightgbm(seed), measure="norm")


def _lightgbm(seed: int, **words: Any) -> Any:
    package = _load("lightgbm", "LightGBM")
    return package.LGBMClassifier(random_state=seed, n_jobs=1, verbose=-1, **words)


def lightgbm(X: Any, y: np.ndarray, seed: int) -> Any:
    """LightGBM with balanced class weights."""
    return _lightgbm(seed, class_weight="balanced")


def lightgbm_over_prior(X: Any, y: np.ndarray, seed: int) -> Any:
    """LightGBM without class weights, probabilities divided by the prior."""
    return NumberedClasses(_lightgbm(seed), divide_by_prior=True)


def smote_lightgbm(X: Any, y: np.ndarray, seed: int) -> Any:
    """LightGBM on classes filled up by SMOTE, with fewer neighbours for tiny classes."""
    sampling = _load("imblearn.over_sampling", "SMOTE")
    pipeline = _load("imblearn.pipeline", "SMOTE")
    fewest = int(np.unique(y, return_counts=True)[1].min())
    smote = sampling.SMOTE(k_neighbors=max(1, min(NEIGHBOURS, fewest - 1)), random_state=seed)
    plain = FunctionTransformer(np.asarray)
    return pipeline.make_pipeline(*_numbers(X), plain, smote, _lightgbm(seed))


def forest(X: Any, y: np.ndarray, seed: int) -> Any:
    """A random forest with balanced class weights."""
    trees = RandomForestClassifier(TREES, class_weight="balanced", random_state=seed)
    return make_pipeline(*_numbers(X), trees)


def over_prior(X: Any, y: np.ndarray, seed: int, *, kind: Callable[..., Any]) -> Any:
    """A forest without class weights, probabilities divided by the prior."""
    trees = make_pipeline(*_numbers(X), kind(TREES, random_state=seed))
    return NumberedClasses(trees, divide_by_prior=True)


def balanced_forest(X: Any, y: np.ndarray, seed: int) -> Any:
    """A random forest whose trees see as many rows of every class, drawn with replacement."""
    ensemble = _load("imblearn.ensemble", "A balanced random forest")
    trees = ensemble.BalancedRandomForestClassifier(
        TREES, sampling_strategy="all", replacement=True, bootstrap=False, random_state=seed
    )
    return make_pipeline(*_numbers(X), trees)


def easy_ensemble(X: Any, y: np.ndarray, seed: int) -> Any:
    """Ten AdaBoost ensembles of 50 trees of depth 3, each on a balanced sample."""
    ensemble = _load("imblearn.ensemble", "EasyEnsemble")
    boosted = AdaBoostClassifier(DecisionTreeClassifier(max_depth=3), n_estimators=50)
    bags = ensemble.EasyEnsembleClassifier(
        10, boosted, sampling_strategy="auto", replacement=False, random_state=seed
    )
    return make_pipeline(*_numbers(X), bags)


def rus_boost(X: Any, y: np.ndarray, seed: int) -> Any:
    """AdaBoost with a balanced sample in every round: 200 trees of depth 6, learning rate 0.1.

    With its default stumps it stops on Ecoli, because they are worse than chance there; with trees
    of depth 3 and rate 1 its answers are worse on most sets.
    """
    ensemble = _load("imblearn.ensemble", "RUSBoost")

    def boosted(seed: int) -> Any:
        return ensemble.RUSBoostClassifier(
            DecisionTreeClassifier(max_depth=6),
            n_estimators=ROUNDS,
            learning_rate=0.1,
            sampling_strategy="auto",
            replacement=False,
            random_state=seed,
        )

    return make_pipeline(*_numbers(X), Retried(boosted, seed))


def hist_boosting(X: Any, y: np.ndarray, seed: int) -> Any:
    """Gradient boosting of scikit-learn with balanced class weights."""
    return HistGradientBoostingClassifier(class_weight="balanced", random_state=seed)


def xgboost(X: Any, y: np.ndarray, seed: int) -> Any:
    """XGBoost with rows weighed so that every class weighs the same."""
    package = _load("xgboost", "XGBoost")
    trees = package.XGBClassifier(random_state=seed, n_jobs=1, enable_categorical=True)
    return NumberedClasses(trees, weigh_rows=True)


def catboost(X: Any, y: np.ndarray, seed: int) -> Any:
    """CatBoost with balanced class weights and 300 rounds; its default of 1000 takes minutes."""
    package = _load("catboost", "CatBoost")
    frame = as_frame(X)
    trees = package.CatBoostClassifier(
        iterations=TREES,
        auto_class_weights="Balanced",
        cat_features=list(frame.select_dtypes("category")),
        random_seed=seed,
        thread_count=1,
        verbose=False,
        allow_writing_files=False,
    )
    return NumberedClasses(make_pipeline(FunctionTransformer(category_words), trees))


def category_words(X: Any) -> pd.DataFrame:
    """A frame whose categories are text without gaps.

    Examples
    --------
    >>> category_words(pd.DataFrame({"size": pd.Categorical(["s", None])}))["size"].tolist()
    ['s', 'missing']
    """
    frame = as_frame(X)
    words = {
        name: frame[name].astype(object).where(frame[name].notna(), ABSENT).astype(str)
        for name in frame.select_dtypes("category")
    }
    return frame.assign(**words)


def logistic(X: Any, y: np.ndarray, seed: int) -> Any:
    """Logistic regression on standardised columns, with balanced class weights."""
    linear = LogisticRegression(class_weight="balanced", max_iter=2000)
    return make_pipeline(*_encoded(encode_one_hot, X), linear)


def _ours(name: str, edition: int = 1, **words: Any) -> Method:
    return Method(partial(ours, name=name, **words), edition=edition, own=name)


DECLARED: Mapping[str, Method] = {
    UNEVEN: _ours("UnevenClassifier", edition=4, measure="norm"),
    UNEVEN_F1: _ours("UnevenClassifier", edition=4, measure="macro_f1"),
    TUNED: Method(
        partial(tuned_lightgbm, name="TunedDecisionClassifier"),
        LIGHTGBM,
        edition=2,
        own="TunedDecisionClassifier",
    ),
    NORM: _ours("NormComboClassifier", edition=5),
    COMBO: _ours("ComboClassifier"),
    "Balanced boosting": _ours("BalancedBoostingClassifier", edition=3),
    "AdaBoost.MM": _ours("AdaBoostMMClassifier"),
    "Forest / prior": Method(partial(over_prior, kind=RandomForestClassifier)),
    "Extra trees / prior": Method(partial(over_prior, kind=ExtraTreesClassifier)),
    "LightGBM / prior": Method(lightgbm_over_prior, LIGHTGBM),
    "Forest": Method(forest),
    "Balanced forest": Method(balanced_forest, SAMPLERS, edition=2),
    "EasyEnsemble": Method(easy_ensemble, SAMPLERS, edition=2),
    "RUSBoost": Method(rus_boost, SAMPLERS, edition=2),
    "LightGBM": Method(lightgbm, LIGHTGBM),
    "SMOTE + LightGBM": Method(smote_lightgbm, (*SAMPLERS, *LIGHTGBM), edition=2),
    "HistGradientBoosting": Method(hist_boosting),
    "XGBoost": Method(xgboost, ("xgboost",)),
    "CatBoost": Method(catboost, ("catboost",)),
    "Logistic regression": Method(logistic),
}
"""Methods by column; every one is seeded, and runs in one process."""

METHODS: Mapping[str, Method] = {
    column: method
    for column, method in DECLARED.items()
    if not method.own or hasattr(uneven, method.own)
}
"""Those of them that this version of the library has."""
PEERS = tuple(column for column, method in METHODS.items() if not method.own)
