"""Ways to choose the next rows: ours, and scikit-activeml's around the same classifier.

A strategy is a function that is given a learner with the labels so far and a draw of a pool, and
returns the next rows. The learner holds the classifier, so that it is the same for all.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import numpy as np
from sklearn.base import clone

from benchmarks.active.pools import Split
from uneven import ActiveLearner
from uneven.active import Pool
from uneven.utils.optional import require

COMMITTEE = 5
Ask = Callable[[ActiveLearner, Split, int, np.random.Generator], np.ndarray]


@dataclass(frozen=True)
class Strategy:
    """A way to choose rows.

    Attributes
    ----------
    ask : callable or None
        ``ask(learner, split, n, rng)`` returns rows of the pool; None if the learner asks itself.
    learner : dict of str to object
        Parameters of the learner.
    packages : tuple of str
        Modules that it needs and this library does not.
    edition : int
        To be raised when it changes.
    """

    ask: Ask | None = None
    learner: Mapping[str, Any] = field(default_factory=dict)
    packages: tuple[str, ...] = ()
    edition: int = 1


def _any_rows(learner: ActiveLearner, split: Split, n: int, rng: np.random.Generator) -> np.ndarray:
    return rng.choice(learner.unlabelled_, min(n, len(learner.unlabelled_)), replace=False)


def _theirs(
    name: str,
    options: Mapping[str, Any],
    models: Callable[..., Mapping[str, Any]] | None,
    learner: ActiveLearner,
    split: Split,
    n: int,
    rng: np.random.Generator,
) -> np.ndarray:
    """Rows that a strategy of scikit-activeml asks for; any where it needs a model yet."""
    if models is not None and learner.model_ is None:
        return _any_rows(learner, split, n, rng)
    pool = require("skactiveml.pool", "scikit-activeml", "bench")
    labels = np.full(len(split.y), np.nan)
    labels[learner.labelled_] = split.y[learner.labelled_]
    asks = getattr(pool, name)(**options, random_state=int(rng.integers(2**31)))
    looks = split.places if models is None else np.arange(len(split.y), dtype=float)[:, None]
    given = {} if models is None else models(learner, split, rng)
    return np.asarray(asks.query(looks, labels, batch_size=n, **given), dtype=np.intp)


def _row_classifier(learner: ActiveLearner, split: Split, model: Any) -> Any:
    """The fitted classifier as scikit-activeml takes it; it is given numbers of rows."""
    base = require("skactiveml.base", "scikit-activeml", "bench").SkactivemlClassifier

    class RowClassifier(base):  # type: ignore[misc]
        def __init__(self) -> None:
            super().__init__(classes=learner.classes_, random_state=0)
            self.classes_ = learner.classes_
            self.cost_matrix_ = 1.0 - np.eye(len(self.classes_))
            self.missing_label_ = np.nan

        def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Any:
            raise NotImplementedError

        def predict(self, X: np.ndarray) -> np.ndarray:
            return self.classes_[self.predict_proba(X).argmax(axis=1)]

        def predict_proba(self, X: np.ndarray, embed: bool = False) -> Any:
            rows = X[:, 0].astype(np.intp)
            found = np.zeros((len(rows), len(self.classes_)))
            known = np.searchsorted(self.classes_, model.classes_)
            found[:, known] = model.predict_proba(split.X[rows])
            return (found, split.places[rows]) if embed else found

    return RowClassifier()


def _one_model(learner: ActiveLearner, split: Split, rng: np.random.Generator) -> dict[str, Any]:
    return {"clf": _row_classifier(learner, split, learner.model_), "fit_clf": False}


def _committee(learner: ActiveLearner, split: Split, rng: np.random.Generator) -> dict[str, Any]:
    """Classifiers of bootstraps of the labelled rows, in which each class has a row at least."""
    members = []
    rows, y = learner.labelled_, learner.labels_
    for _ in range(COMMITTEE):
        kept = [rng.choice(np.flatnonzero(y == k)) for k in learner.classes_]
        drawn = np.concatenate([kept, rng.choice(len(rows), len(rows) - len(kept))]).astype(int)
        model = clone(learner._classifier()).fit(split.X[rows[drawn]], y[drawn])
        members.append(_row_classifier(learner, split, model))
    return {"ensemble": members, "fit_ensemble": False}


def _activeml(name: str, models: Any = None, **options: Any) -> Strategy:
    return Strategy(partial(_theirs, name, options, models), packages=("skactiveml",))


DEFAULT, CHOSEN = "Default", "Default, chosen classifier"
RANDOM = "Random"
PEERS: Mapping[str, Strategy] = {
    RANDOM: _activeml("RandomSampling"),
    "Margin": _activeml("UncertaintySampling", _one_model, method="margin_sampling"),
    "Entropy": _activeml("UncertaintySampling", _one_model, method="entropy"),
    "Committee": _activeml("QueryByCommittee", _committee, method="KL_divergence"),
    "TypiClust": _activeml("TypiClust"),
    "BADGE": _activeml("Badge", _one_model, clf_embedding_flag_name="embed"),
    "CoreSet": _activeml("CoreSet"),
}
"""Strategies of scikit-activeml."""

RULES: Mapping[str, Strategy] = {
    DEFAULT: Strategy(edition=3),
    CHOSEN: Strategy(learner={"estimator": None}, edition=3),
    "Centre of gravity, diverse": Strategy(learner={"query": "centre_of_gravity"}, edition=2),
    "Votes": Strategy(learner={"query": "balanced", "batch": "best"}, edition=2),
    "Votes, diverse": Strategy(learner={"query": "balanced"}, edition=2),
    "Votes, gradients": Strategy(learner={"query": "balanced", "batch": "gradients"}, edition=2),
    "Information": Strategy(learner={"query": "information", "batch": "best"}, edition=2),
    "Information, diverse": Strategy(learner={"query": "information"}, edition=2),
    "Expected error": Strategy(learner={"query": "expected_error", "batch": "best"}, edition=2),
    "Expected error, diverse": Strategy(learner={"query": "expected_error"}, edition=2),
    "Typical first": Strategy(learner={"query": "typical_first", "batch": "best"}, edition=2),
}
"""Rules of this library, around a Bayes point unless the classifier is chosen, too."""

STRATEGIES: Mapping[str, Strategy] = {**RULES, **PEERS}


def make_learner(strategy: Strategy, split: Split, seed: int) -> ActiveLearner:
    """A learner with the Bayes point of the pool, or what the strategy says."""
    known = {"estimator": Pool(split.X).bayes_point, "random_state": seed, **strategy.learner}
    learner = ActiveLearner(**known).start(split.X)
    return learner.tell(split.start, split.y[split.start]) if len(split.start) else learner
