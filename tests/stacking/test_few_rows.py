"""Many classes with a handful of rows each: learning weights must not cost more than it brings."""

import warnings

import numpy as np
import pytest
from sklearn.datasets import make_blobs
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.tree import DecisionTreeClassifier

from uneven import MarginStackingClassifier
from uneven.stacking import RuleClassifier

N_CLASSES, N_TEST = 15, 1500


def members():
    shrunk = LinearDiscriminantAnalysis(solver="lsqr", shrinkage="auto")
    return [
        ("bayes", GaussianNB(var_smoothing=1e-2)),
        ("near1", KNeighborsClassifier(1)),
        ("near5", KNeighborsClassifier(5)),
        ("linear", LogisticRegression(max_iter=300)),
        ("shrunk", shrunk),
        ("tree", DecisionTreeClassifier(random_state=0)),
    ]


@pytest.mark.slow
@pytest.mark.parametrize("rows_per_class", [5, 8])
def test_the_default_is_level_with_the_best_member_and_the_mean(rows_per_class):
    """Errors of rivals are judged on the test rows: the best of them had the luck to be chosen."""
    ours, best = [], []
    for seed in range(3):
        X, y = make_blobs(
            N_CLASSES * rows_per_class + N_TEST, 6, centers=N_CLASSES, cluster_std=3.0,
            random_state=seed,
        )  # fmt: skip
        order = np.argsort(y, kind="stable")
        first = np.concatenate([order[y[order] == k][:rows_per_class] for k in range(N_CLASSES)])
        rest = np.setdiff1d(order, first)
        known, truth, new, asked = X[first], y[first], X[rest], y[rest]
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            stack = MarginStackingClassifier(members(), random_state=0).fit(known, truth)
            mean = RuleClassifier(members(), rule="mean").fit(known, truth)
            alone = [model.fit(known, truth).score(new, asked) for _, model in members()]
        ours.append(1.0 - stack.score(new, asked))
        best.append(1.0 - max(*alone, mean.score(new, asked)))
    noise = np.sqrt(np.mean(best) * (1.0 - np.mean(best)) / (3 * N_CLASSES * rows_per_class))
    assert np.mean(ours) <= np.mean(best) + noise
