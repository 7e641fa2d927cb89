"""The classifiers that are joined: 28 of the kinds that people stack, with their usual settings."""

from __future__ import annotations

from typing import Any

from sklearn.calibration import CalibratedClassifierCV
from sklearn.decomposition import PCA
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.ensemble import (
    ExtraTreesClassifier,
    HistGradientBoostingClassifier,
    RandomForestClassifier,
)
from sklearn.kernel_approximation import Nystroem
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.neural_network import MLPClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC
from sklearn.tree import DecisionTreeClassifier

TREES = 60


def make_members() -> list[tuple[str, Any]]:
    """Names and classifiers; everything that draws at random is seeded by the stack."""
    forests = {
        "forest": RandomForestClassifier(TREES),
        "forest_leaf5": RandomForestClassifier(TREES, min_samples_leaf=5),
        "forest_half": RandomForestClassifier(TREES, max_features=0.5),
        "extra": ExtraTreesClassifier(TREES),
        "extra_leaf3": ExtraTreesClassifier(TREES, min_samples_leaf=3),
        "extra_half": ExtraTreesClassifier(TREES, max_features=0.5),
    }
    boosts = {
        "boost": _boost(40, 0.1, 15),
        "boost_slow": _boost(60, 0.05, 8),
        "boost_stumps": _boost(60, 0.2, 3),
    }
    trees = {
        "tree4": DecisionTreeClassifier(max_depth=4),
        "tree8": DecisionTreeClassifier(max_depth=8, min_samples_leaf=3),
    }
    near = {f"near{k}": _scaled(KNeighborsClassifier(k)) for k in (1, 3, 7, 15)}
    near["near20_distance"] = _scaled(KNeighborsClassifier(20, weights="distance"))
    machines = {
        "svm_c1": _machine(SVC(C=1.0)),
        "svm_c10": _machine(SVC(C=10.0)),
        "svm_c100": _machine(SVC(C=100.0)),
        "svm_poly": _machine(SVC(kernel="poly", degree=2, coef0=1.0)),
    }
    linear = {
        "logistic_c01": _scaled(LogisticRegression(C=0.1, max_iter=300)),
        "logistic_c1": _scaled(LogisticRegression(C=1.0, max_iter=300)),
        "logistic_c10": _scaled(LogisticRegression(C=10.0, max_iter=300)),
        "lda": _scaled(LinearDiscriminantAnalysis(solver="lsqr", shrinkage="auto")),
        "nystroem": make_pipeline(
            StandardScaler(),
            Nystroem(gamma=0.02, n_components=100),
            LogisticRegression(C=10.0, max_iter=300),
        ),
    }
    others = {
        "bayes": GaussianNB(var_smoothing=1e-3),
        "bayes_axes": make_pipeline(StandardScaler(), PCA(0.9), GaussianNB(var_smoothing=1e-3)),
        "network": _scaled(MLPClassifier((40,), alpha=1e-2, max_iter=80)),
    }
    return [*{**forests, **boosts, **trees, **near, **machines, **linear, **others}.items()]


def _boost(rounds: int, rate: float, leaves: int) -> Any:
    return HistGradientBoostingClassifier(
        max_iter=rounds,
        learning_rate=rate,
        max_leaf_nodes=leaves,
        min_samples_leaf=10,
        early_stopping=False,
    )


def _scaled(classifier: Any) -> Any:
    return make_pipeline(StandardScaler(), classifier)


def _machine(machine: SVC) -> Any:
    """Margins as probabilities, by one logistic curve per class on three folds."""
    return _scaled(CalibratedClassifierCV(machine, cv=3, ensemble=False))
