"""Thirty-eight classifiers read noisy digits, most of them badly. Which of them are needed?

Thirteen kinds of classifiers see all pixels, and twenty-five trees see six pixels each. They are
joined by their mean, and by stacks that learn what each of them counts for each digit; with a group
penalty, whole classifiers are dropped.

    python examples/many_classifiers.py [picture.png]
"""

from __future__ import annotations

import sys
import tempfile
import time
from typing import Any

import numpy as np
from sklearn.datasets import load_digits
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.linear_model import LogisticRegression, Perceptron, RidgeClassifier
from sklearn.model_selection import train_test_split
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.svm import SVC
from sklearn.tree import DecisionTreeClassifier, ExtraTreeClassifier

from uneven import MarginStackingClassifier
from uneven.plots import SelectionPathDisplay
from uneven.stacking import RuleClassifier, random_subspaces

KINDS = {
    "linear_gaussian": LinearDiscriminantAnalysis(solver="lsqr", shrinkage="auto"),
    "naive_bayes": GaussianNB(),
    "one_neighbour": KNeighborsClassifier(1),
    "five_neighbours": KNeighborsClassifier(5),
    "many_neighbours": KNeighborsClassifier(25),
    "logistic": LogisticRegression(),
    "ridge": RidgeClassifier(),
    "perceptron": Perceptron(random_state=0),
    "tree": DecisionTreeClassifier(random_state=0),
    "random_tree": ExtraTreeClassifier(random_state=0),
    "svm_linear": SVC(kernel="linear"),
    "svm_cubic": SVC(kernel="poly"),
    "svm_rbf": SVC(),
}
STRENGTHS = (0.001, 0.003, 0.006, 0.01, 0.015, 0.02, 0.03, 0.1, 0.3, 1.0)


def judged(model: Any, X: np.ndarray, y: np.ndarray) -> tuple[float, float]:
    """Error in percent, and milliseconds that 1000 rows take."""
    started = time.perf_counter()
    wrong = model.predict(X) != y
    return 100 * wrong.mean(), 1e6 * (time.perf_counter() - started) / len(y)


def main(picture: str) -> None:
    X, y = load_digits(return_X_y=True)
    alike = np.isin(y, [3, 5, 8, 9])
    y, noise = y[alike], np.random.default_rng(0).normal(0.0, 0.2, (alike.sum(), 64))
    X_train, X_test, y_train, y_test = train_test_split(
        X[alike] / 16.0 + noise, y, train_size=240, stratify=y, random_state=0
    )
    tree = DecisionTreeClassifier(random_state=0)
    members = [
        *KINDS.items(),
        *random_subspaces(tree, 64, 25, share=0.1, random_state=0),
    ]
    with tempfile.TemporaryDirectory() as cache:
        shared = {"strengths": STRENGTHS, "random_state": 0, "memory": cache}
        models = {
            "mean of all": RuleClassifier(members, rule="mean", random_state=0),
            "stack, l2": MarginStackingClassifier(members, penalty="l2", **shared),
            "stack, group": MarginStackingClassifier(members, penalty="group", **shared),
        }
        for model in models.values():
            model.fit(X_train, y_train)
    print(f"{'':<14}{'kept':>8}{'error %':>10}{'ms per 1000 rows':>20}")
    for name, model in models.items():
        error, cost = judged(model, X_test, y_test)
        kept = len(getattr(model, "selected_", members))
        print(f"{name:<14}{kept:>8}{error:>10.1f}{cost:>20.0f}")
    stack = models["stack, group"]
    print(f"\nkept: {', '.join(stack.selected_)}")
    SelectionPathDisplay.from_estimator(stack).figure_.savefig(picture, dpi=120)


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else "selection-path.png")
