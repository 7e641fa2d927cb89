"""Made-up results of a comparison, from tame to nasty."""

import math
from dataclasses import replace

import numpy as np
import pandas as pd
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.linear_model import RidgeClassifier
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline

from uneven import compare
from uneven.comparison import (
    Comparison,
    DataSummary,
    FoldError,
    Measure,
    MethodResult,
    NoiseSummary,
    Share,
    StackSummary,
    ViewSummary,
)

MEASURES = [
    Measure("confusion_norm", "confusion norm", False, "Operator norm of the errors."),
    Measure("gmean", "G-mean", True, "Geometric mean of the recalls."),
    Measure("balanced_accuracy", "balanced accuracy", True, "Mean of the recalls."),
    Measure("accuracy", "accuracy", True, "Share of right answers."),
    Measure("mauc", "MAUC", True, "Mean area under the curve over pairs of classes."),
]
NASTY = ['<script>alert("x")</script>', "a & b 'quoted'", "naïve ☃ 漢字", "</table><b>", "x" * 90]


def make_method(rng, name, label, kind, *, counts, views, skill, fits, n_rounds=120):
    """One method whose recalls sink with the size of the class."""
    k = len(counts)
    recalls = np.clip(skill + 0.25 * np.sqrt(np.asarray(counts) / max(counts)) - 0.15, 0.02, 0.99)
    confusion = np.zeros((k, k))
    for c, size in enumerate(counts):
        lean = rng.dirichlet(np.ones(k) * 0.4)
        lean[c] = 0
        split = recalls[c] * np.eye(k)[c] + (1 - recalls[c]) * lean / lean.sum()
        confusion[c] = rng.multinomial(size, split)
    levels = {"confusion_norm": 1.15 - skill, "gmean": skill, "balanced_accuracy": skill + 0.02}
    levels |= {"accuracy": skill + 0.08, "mauc": 0.5 + skill / 2}
    scores = {m: (v + 0.03 * rng.standard_normal(fits)).tolist() for m, v in levels.items()}
    curves, view_share, feature_share = {}, None, None
    if kind == "ours":
        t = np.arange(1, n_rounds + 1)
        edge = 0.12 + 0.5 * np.exp(-t / 12) + 0.03 * rng.standard_normal(n_rounds)
        loss = np.log(k) + np.cumsum(0.5 * np.log(1 - edge**2))
        held_out = levels["confusion_norm"] + 0.5 * np.exp(-t / 25)
        curves = {"edge": edge.tolist(), "weight": np.arctanh(edge).tolist()}
        curves |= {"log_loss": loss.tolist(), "held_out": held_out.tolist()}
        view_share = Share.top(list(views), rng.dirichlet(np.ones(len(views)) * 0.8, k).T)
        columns = [c for names in views.values() for c in names]
        shares = rng.dirichlet(np.ones(len(columns)) * 0.2, k).T
        feature_share = Share.top(columns, shares, n=15)
    return MethodResult(
        name=name,
        label=label,
        kind=kind,
        scores=scores,
        confusion=confusion.tolist(),
        fit_seconds=(0.4 + rng.random(fits)).tolist(),
        predict_seconds=(0.01 * rng.random(fits)).tolist(),
        description=f"{label} with its usual settings.",
        params={"n_estimators": "120", "max_depth": "3"},
        curves=curves,
        view_share=view_share,
        feature_share=feature_share,
    )


def make_views(rng, views, n_classes):
    """A diagnosis in which the first view is strong and the last is missing everywhere."""
    words = ["strong", *["imbalanced", "weak", "moderate"] * 2][: len(views)]
    pairs = np.round(rng.uniform(-0.4, 0.9, (len(views), len(views))), 3)
    found = []
    for j, (name, word) in enumerate(zip(views, words)):
        recalls = rng.random(n_classes)
        absent = j == len(views) - 1 and j > 0
        found.append(
            ViewSummary(
                name=name,
                columns=len(views[name]),
                presence=0.0 if absent else 1.0 - 0.1 * j,
                accuracy=math.nan if absent else 0.9 - 0.1 * j,
                chance=math.nan if absent else 0.34,
                balanced_accuracy=math.nan if absent else 0.85 - 0.1 * j,
                confusion_norm=math.nan if absent else 0.3 + 0.1 * j,
                recalls=[math.nan] * n_classes if absent else recalls.tolist(),
                verdict="absent" if absent else word,
                remark=f"{name} says something that a reader understands.",
                redundancy=pairs[j].tolist(),
                rescue=(np.abs(pairs[j]) / 2).tolist(),
            )
        )
    return found


def with_noise(results):
    """The same comparison with labels of which a fifth is wrong, in a pattern."""
    k = len(results.data.classes)
    matrix = 0.8 * np.eye(k) + 0.15 * np.eye(k)[:, np.r_[1:k, 0]] + 0.05 / k
    matrix /= matrix.sum(axis=0)
    inverse = np.linalg.inv(matrix)
    observed = np.array(results.data.class_counts) / sum(results.data.class_counts)
    recovered = np.maximum(inverse @ observed, 0.001)
    noise = NoiseSummary(
        name="noise <&> matrix.csv",
        matrix=matrix.tolist(),
        condition=float(np.linalg.cond(matrix)),
        amplification=np.abs(inverse).max(axis=1).tolist(),
        observed=observed.tolist(),
        recovered=(recovered / recovered.sum()).tolist(),
    )
    fix = Measure("corrected_gmean", "corrected G-mean", True, "Without the noise.", "gmean")
    methods = [
        replace(
            method,
            corrected=(0.9 * np.array(method.confusion) + np.eye(k)).tolist(),
            knows_noise=method.kind == "ours",
            scores=method.scores | {fix.name: [v + 0.1 for v in method.scores["gmean"]]},
        )
        for method in results.methods
    ]
    measures = [fix, *results.measures]
    return replace(results, noise=noise, methods=methods, measures=measures, metric=fix.name)


def with_stack(results, seed=0):
    """The same comparison with a stack that keeps every other method."""
    rng = np.random.default_rng(seed)
    k, members = len(results.data.classes), results.methods
    weights = rng.normal(1.0, 0.8, (len(members), k)) * (np.arange(len(members)) % 2 == 0)[:, None]
    strengths = [1e-11, 1e-9, 1e-7, 1e-5, 1e-3, 0.005, 0.01, 0.05, 0.1, 0.5, 1.0, 10.0]
    error = [0.06, 0.06, 0.058, 0.055, 0.05, 0.045, 0.04, 0.041, 0.05, 0.2, 0.6, 0.9]
    kept = np.round(np.linspace(len(members), 0, len(strengths)))
    stack = StackSummary(
        name="stack",
        members=[m.name for m in members],
        weights=weights.tolist(),
        strength=0.01,
        kept_folds=rng.integers(0, 6, len(members)).tolist(),
        fits=5,
        strengths=strengths,
        error_mean=error,
        error_std=[0.1 * e for e in error],
        n_selected=kept.tolist(),
    )
    own = replace(members[0], name="stack", label="Stack", curves={}, description="Joined.")
    return replace(results, methods=[*members, own], stack=stack)


def make_names(n_classes, n_methods, n_views, *, nasty):
    """Names of the classes, columns of the views, and (key, label, kind) of the methods."""
    classes = [chr(65 + c) if n_classes > 10 else f"digit {c}" for c in range(n_classes)]
    names = ["rows", "columns", "zones", "fourier", "edges", "corners"][:n_views]
    views = {v: [f"{v}__{i}" for i in range(6 + 5 * j)] for j, v in enumerate(names)}
    known = [
        ("combo", "CoMBo", "ours"),
        ("adaboost_mm", "AdaBoost.MM", "ours"),
        ("hist_gradient_boosting", "Gradient boosting", "baseline"),
        ("random_forest", "Random forest", "baseline"),
        ("logistic_regression", "Logistic regression", "baseline"),
    ]
    known += [(f"extra_{i}", f"Another method {i}", "baseline") for i in range(n_methods)]
    if nasty:
        classes[: len(NASTY)] = NASTY[:n_classes]
        views = {
            f"{v} {ugly}": [f"{column}{ugly}" for column in columns]
            for (v, columns), ugly in zip(views.items(), NASTY + NASTY)
        }
        known[0] = ("combo", NASTY[0], "ours")
        known[2] = ("hist_gradient_boosting", NASTY[4], "baseline")
    return classes, views, known[:n_methods]


def make_results(n_classes=10, n_methods=5, n_views=4, *, nasty=False, failed=False, seed=0):
    """A whole comparison."""
    rng = np.random.default_rng(seed)
    counts = [max(8, int(240 / (c + 1))) for c in range(n_classes)]
    classes, views, known = make_names(n_classes, n_methods, n_views, nasty=nasty)
    methods = [
        make_method(rng, *m, counts=counts, views=views, skill=0.8 - 0.035 * i, fits=5)
        for i, m in enumerate(known)
    ]
    if failed:
        broken = methods[-1]
        for values in broken.scores.values():
            values[1] = math.nan
        broken.errors.append(FoldError(1, "ValueError: Input contains NaN <and more>."))
    return Comparison(
        title=f"Comparison on {NASTY[0] if nasty else 'digits.csv'}",
        created="2025-03-01T12:00:00+00:00",
        command=f"uneven compare {NASTY[1] if nasty else 'digits.csv'} --target digit --cv 5",
        versions={"uneven": "0.1.0", "python": "3.11.2", "scikit-learn": "1.7.0"},
        seed=0,
        data=DataSummary(
            name=NASTY[0] if nasty else "digits.csv",
            target="digit",
            rows=sum(counts),
            columns=sum(map(len, views.values())),
            classes=classes,
            class_counts=counts,
            missing_share=0.013,
            views=views,
            sha256="9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
            column_kinds={"numeric": 40, "categorical": 3},
        ),
        metric="confusion_norm",
        measures=MEASURES,
        folds=5,
        repeats=1,
        methods=methods,
        views=make_views(rng, views, n_classes) if len(views) > 1 else [],
        view_rows=sum(counts),
        warnings=["3 rows without a label were left out."] if not nasty else [NASTY[3]],
    )


HOSTILE = [
    "<script>document.title='broken'</script>",
    "\"quoted\" 'single' & </td></script>",
    "x" * 100_000,
    "\u202eشكرا جزيلا\u202c שלום",
    "=HYPERLINK(1)",
    "two\nlines\tand a tab",
]


def make_compared(n=120, *, cv=3, seed=0, hostile=False, single=False, repeats=1, **options):
    """A real comparison of quick methods on three uneven classes, with its rows."""
    rng = np.random.default_rng(seed)
    y = rng.choice(["common", "seldom", "rare"], n, p=[0.6, 0.3, 0.1])
    y[-1] = "single" if single else y[-1]
    shift = pd.Series(y).map({"common": 0.0, "seldom": 1.5, "rare": 3.0, "single": 5.0})
    shift = shift.to_numpy()
    frame = pd.DataFrame(
        {
            "size": np.round(rng.standard_normal(n) + shift, 2),
            "weight": np.round(rng.standard_normal(n) - shift, 2),
            "colour": np.where(rng.random(n) < 0.7, rng.choice(["red", "blue"], n), "green"),
            "when": pd.Timestamp("2024-01-01") + pd.to_timedelta(rng.integers(0, 300, n), "D"),
        }
    )
    frame.loc[:4, "weight"] = np.nan
    if hostile:
        words = ["some", "words", "that", "people", "write", "down", "here"]
        notes = [" ".join(rng.choice(words, 6)) for _ in range(n)]
        notes[: len(HOSTILE)] = HOSTILE
        frame["note <b>"] = notes
    methods = {
        "bayes": make_pipeline(_Numbers(), GaussianNB()),
        "neighbours": make_pipeline(_Numbers(), KNeighborsClassifier()),
        "ridge": make_pipeline(_Numbers(), RidgeClassifier()),
    }
    return compare(frame, y, methods=methods, cv=cv, repeats=repeats, refit=False, **options)


class _Numbers(TransformerMixin, BaseEstimator):
    """The two columns of numbers, without gaps."""

    def fit(self, X, y=None):
        return self

    def transform(self, X):
        return X[["size", "weight"]].fillna(0.0).to_numpy()
