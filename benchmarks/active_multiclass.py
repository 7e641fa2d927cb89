"""Many classes, 200 queries: centre-of-gravity queries beside scikit-activeml and random ones.

Every strategy starts from the same ten random rows and asks for five rows at a time. What is
compared is the area under the curve of test accuracy, divided by the budget. The strategies of
scikit-activeml run with logistic regression and with our Bayes point, by each of its three measures
of uncertainty; its best one counts.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp
from joblib import Parallel, delayed
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.feature_extraction.text import TfidfTransformer
from sklearn.linear_model import LogisticRegression
from sklearn.preprocessing import StandardScaler

from benchmarks.lines import NOT_RUN, Line
from uneven import ActiveLearner, BayesPointClassifier
from uneven.active import LearningCurve, PerfectOracle, simulate
from uneven.datasets import fetch

SETS = ("letter", "pendigits", "newsgroups20")
RUNS = 3
START = 10
BUDGET = 200
AT_ONCE = 5
POOL = 6000
TEST = 3000
MEASURES = ("least_confident", "margin_sampling", "entropy")

GRAVITY = "centre_of_gravity"


class Split(NamedTuple):
    """Rows to ask about, rows to test on, and rows to start from."""

    pool: Any
    y: np.ndarray
    X_test: Any
    y_test: np.ndarray
    start: np.ndarray


def run() -> list[Line]:
    lines: list[Line] = []
    for name in SETS:
        try:
            data = fetch(name, download=False)
        except (OSError, ValueError) as error:
            lines.append(Line(f"{name}: {str(error).splitlines()[0][:90]}", NOT_RUN))
            continue
        lines += compare(name, data)
    return lines


def compare(name: str, data: Any) -> list[Line]:
    """The mean areas of all strategies on one data set."""
    jobs = strategies(sp.issparse(data.data), data.data.shape[1])
    areas = Parallel(n_jobs=2)(
        delayed(_area)(data, seed, job) for job in jobs.values() for seed in range(RUNS)
    )
    by_name = dict(zip(jobs, np.reshape(areas, (len(jobs), RUNS)), strict=True))
    ours = next(iter(by_name))
    mean = {k: float(v.mean()) for k, v in by_name.items()}
    rivals = [k for k in mean if k.startswith("scikit-activeml")]
    best = max(rivals, key=lambda k: mean[k])
    return [
        Line(
            f"{name}: {ours}",
            f"{mean[ours]:.4f} ± {by_name[ours].std():.4f}",
            f"{mean[best]:.4f} ({best})",
            f"{mean[ours] - mean[best]:+.4f}",
            ">= other",
            mean[ours] >= mean[best],
        ),
        *(Line(f"{name}: {k}", f"{v:.4f}") for k, v in mean.items() if k != ours),
    ]


Job = Callable[[Split, int], float]


def strategies(sparse: bool, n_features: int) -> dict[str, Job]:
    """Functions that run one strategy and return its area; ours comes first."""
    kernel: dict[str, Any] = (
        {"kernel": "linear"} if sparse else {"kernel": "rbf", "gamma": 1 / n_features}
    )
    point = BayesPointClassifier(**kernel)
    logistic = LogisticRegression(C=10.0, max_iter=300)
    jobs: dict[str, Job] = {
        "Bayes point, centre of gravity": _ours(ActiveLearner(point, GRAVITY)),
        "Bayes point, centre of gravity, batch of the best": _ours(
            ActiveLearner(point, GRAVITY, batch="best")
        ),
        "Bayes point, balanced, batch of the best": _ours(
            ActiveLearner(point, "balanced", batch="best")
        ),
        "Bayes point, random": _ours(ActiveLearner(point, "random")),
        "logistic regression, random": _ours(ActiveLearner(logistic, "random")),
        "logistic regression, centre of gravity": _ours(
            ActiveLearner(logistic, GRAVITY, geometry=point)
        ),
    }
    for measure in MEASURES:
        for model, classifier in (("logistic regression", logistic), ("Bayes point", point)):
            jobs[f"scikit-activeml {measure}, {model}"] = _theirs(measure, classifier)
    return jobs


def _ours(learner: ActiveLearner) -> Job:
    def job(split: Split, seed: int) -> float:
        return simulate(
            clone(learner).set_params(random_state=seed),
            split.pool,
            PerfectOracle(split.y),
            budget=BUDGET,
            batch_size=AT_ONCE,
            start=split.start,
            X_test=split.X_test,
            y_test=split.y_test,
        ).area_under()

    return job


def _theirs(measure: str, classifier: Any) -> Job:
    def job(split: Split, seed: int) -> float:
        from skactiveml.classifier import SklearnClassifier
        from skactiveml.pool import UncertaintySampling

        pool = np.arange(len(split.y))[:, None]
        asks = UncertaintySampling(method=measure, random_state=seed)
        looks_up = LooksUp(clone(classifier), split.pool)
        model = SklearnClassifier(looks_up, classes=np.unique(split.y), random_state=seed)
        y = np.full(len(split.y), np.nan)
        y[split.start] = split.y[split.start]
        scores = []
        for told in range(0, BUDGET + 1, AT_ONCE):
            model.fit(pool, y)
            fitted = model.estimator_.classifier_
            scores.append(float(np.mean(fitted.predict(split.X_test) == split.y_test)))
            if told < BUDGET:
                rows = asks.query(pool, y, model, fit_clf=False, batch_size=AT_ONCE)
                y[rows] = split.y[rows]
        labels = np.arange(0, BUDGET + 1, AT_ONCE)
        nothing = np.full(len(labels), np.nan)
        return LearningCurve(labels, np.array(scores), labels, nothing, "").area_under()

    return job


class LooksUp(ClassifierMixin, BaseEstimator):
    """A classifier that is given numbers of rows: scikit-activeml takes no sparse tables."""

    def __init__(self, classifier: Any, table: Any) -> None:
        self.classifier = classifier
        self.table = table

    def fit(self, X: np.ndarray, y: np.ndarray) -> LooksUp:
        self.classifier_ = clone(self.classifier).fit(self.table[X[:, 0].astype(int)], y)
        self.classes_ = self.classifier_.classes_
        return self

    def predict(self, X: np.ndarray) -> np.ndarray:
        return self.classifier_.predict(self.table[X[:, 0].astype(int)])

    def predict_proba(self, X: np.ndarray) -> np.ndarray:
        return self.classifier_.predict_proba(self.table[X[:, 0].astype(int)])


def _area(data: Any, seed: int, job: Job) -> float:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return job(_split(data, seed), seed)


def _split(data: Any, seed: int) -> Split:
    rng = np.random.default_rng(seed)
    y = np.unique(data.target, return_inverse=True)[1]
    rows = rng.permutation(len(y))
    pool, test = rows[:POOL], rows[POOL : POOL + TEST]
    X = data.data if sp.issparse(data.data) else np.asarray(data.data, dtype=float)
    scaler = TfidfTransformer(sublinear_tf=True) if sp.issparse(X) else StandardScaler()
    scaler.fit(X[pool])
    start = rng.choice(len(pool), START, replace=False)
    return Split(scaler.transform(X[pool]), y[pool], scaler.transform(X[test]), y[test], start)
