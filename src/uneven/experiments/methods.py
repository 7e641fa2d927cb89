"""The methods that can be compared: one table, one entry each.

A new method is one more `Method` in `METHODS`: how the columns are encoded for it, and how it is
built from the settings of the run.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from sklearn.compose import ColumnTransformer
from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import Pipeline

from uneven.boosting import AdaBoostMMClassifier, ComboClassifier
from uneven.experiments.encoding import encode_one_hot, encode_ordinal
from uneven.experiments.errors import InputError, closest, listing
from uneven.experiments.schema import Schema

__all__ = ["METHODS", "Method", "Settings", "build_pipeline", "choose_methods"]


@dataclass(frozen=True)
class Settings:
    """What a run may set about the methods.

    Attributes
    ----------
    rounds, max_depth : int
        Rounds and tree depth of the boosting methods of this library.
    seed : int
        Seed of every method.
    n_jobs : int or None
        Threads each method may use, in scikit-learn's convention.
    views : mapping of str to sequence of str, or None
        Columns of each view.
    """

    rounds: int = 200
    max_depth: int = 3
    seed: int = 0
    n_jobs: int | None = None
    views: Mapping[str, Sequence[str]] | None = None


@dataclass(frozen=True)
class Method:
    """A method to compare.

    Attributes
    ----------
    name, label : str
        Key and what a reader sees.
    kind : {"ours", "baseline"}
        Methods of this library give curves and explanations.
    description : str
        One sentence.
    encode : callable
        Takes a `Schema`, returns the transformer that goes before the classifier.
    make : callable
        Takes `Settings`, returns the classifier.
    """

    name: str
    label: str
    kind: Literal["ours", "baseline"]
    description: str
    encode: Callable[[Schema], ColumnTransformer]
    make: Callable[[Settings], Any]


def _boosting(classifier: type) -> Callable[[Settings], Any]:
    def make(s: Settings) -> Any:
        views = None if s.views is None else {name: list(c) for name, c in s.views.items()}
        return classifier(
            n_estimators=s.rounds,
            max_depth=s.max_depth,
            views=views,
            random_state=s.seed,
            n_jobs=s.n_jobs,
        )

    return make


METHODS = {
    method.name: method
    for method in (
        Method(
            "combo",
            "CoMBo",
            "ours",
            "Boosting that minimises the norm of the confusion matrix: every class weighs the "
            "same, however rare.",
            encode_ordinal,
            _boosting(ComboClassifier),
        ),
        Method(
            "adaboost_mm",
            "AdaBoost.MM",
            "ours",
            "Multi-class boosting with the whole cost matrix: every row weighs the same.",
            encode_ordinal,
            _boosting(AdaBoostMMClassifier),
        ),
        Method(
            "hist_gradient_boosting",
            "Gradient boosting",
            "baseline",
            "scikit-learn's histogram gradient boosting with balanced class weights.",
            encode_ordinal,
            lambda s: HistGradientBoostingClassifier(class_weight="balanced", random_state=s.seed),
        ),
        Method(
            "random_forest",
            "Random forest",
            "baseline",
            "scikit-learn's random forest, 300 trees, class weights balanced in each sample.",
            encode_ordinal,
            lambda s: RandomForestClassifier(
                n_estimators=300,
                class_weight="balanced_subsample",
                random_state=s.seed,
                n_jobs=s.n_jobs,
            ),
        ),
        Method(
            "logistic_regression",
            "Logistic regression",
            "baseline",
            "scikit-learn's logistic regression on scaled columns with balanced class weights.",
            encode_one_hot,
            lambda s: LogisticRegression(
                class_weight="balanced", max_iter=2000, random_state=s.seed
            ),
        ),
    )
}


def choose_methods(names: Iterable[str]) -> list[Method]:
    """Look methods up by name, each once, in the given order.

    Examples
    --------
    >>> [method.label for method in choose_methods(["combo", "random_forest"])]
    ['CoMBo', 'Random forest']
    """
    chosen: dict[str, Method] = {}
    for name in names:
        if name not in METHODS:
            raise InputError(
                f"unknown method {name!r}; {closest(name, METHODS)}the methods are "
                f"{listing(METHODS)}."
            )
        chosen[name] = METHODS[name]
    if not chosen:
        raise InputError(f"no method was named; the methods are {listing(METHODS)}.")
    return list(chosen.values())


def build_pipeline(method: Method, schema: Schema, settings: Settings) -> Pipeline:
    """Encoder and classifier as one estimator for the tables of a schema.

    Parameters
    ----------
    method : Method
        Which classifier.
    schema : Schema
        What the columns hold.
    settings : Settings
        Parameters of the run.

    Returns
    -------
    Pipeline
        Not fitted; steps ``"encode"`` and ``"classify"``.
    """
    return Pipeline([("encode", method.encode(schema)), ("classify", method.make(settings))])
