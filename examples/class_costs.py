"""Unequal misclassification costs: make some confusions of classes more expensive.

A triage desk sends patients home, to a check or to the emergency room. Sending an urgent case home
is twenty times as bad as a check that was not needed.
"""

from __future__ import annotations

import numpy as np
from sklearn.model_selection import StratifiedKFold, cross_val_predict

from uneven import ComboClassifier
from uneven.metrics import confusion_counts

CLASSES = ["check", "home", "urgent"]
PRICE = np.array(
    [
        # predicted: check, home, urgent
        [0.0, 5.0, 1.0],  # true: check
        [1.0, 0.0, 2.0],  # true: home
        [4.0, 20.0, 0.0],  # true: urgent
    ]
)
"""Rows are true classes and columns predictions, both in sorted order, as in ``classes_``."""


def patients(n: int = 2000, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """Six measurements of patients whose classes overlap, shapes (n, 6) and (n,)."""
    rng = np.random.default_rng(seed)
    kind = rng.choice(len(CLASSES), size=n, p=[0.3, 0.6, 0.1])
    severity = np.array([1.0, 0.0, 2.0])[kind]
    X = severity[:, None] * [0.7, 0.5, 0.4, 0.3, 0.0, 0.0] + rng.normal(size=(n, 6))
    return X, np.array(CLASSES)[kind]


def main() -> None:
    X, y = patients()
    folds = StratifiedKFold(5, shuffle=True, random_state=0)
    models = {
        "every mistake alike": ComboClassifier(n_estimators=60, max_depth=1),
        "with class_cost": ComboClassifier(n_estimators=60, max_depth=1, class_cost=PRICE),
    }
    for name, model in models.items():
        predicted = cross_val_predict(model, X, y, cv=folds)
        counts, _ = confusion_counts(y, predicted, labels=CLASSES)
        sent_home = int(counts[CLASSES.index("urgent"), CLASSES.index("home")])
        price = (counts * PRICE).sum() / len(y)
        print(f"{name}: {sent_home} urgent cases sent home, mean cost {price:.2f}")
        for label, row in zip(CLASSES, counts.astype(int)):
            print(f"  {label:<8}" + "".join(f"{count:>6}" for count in row))


if __name__ == "__main__":
    main()
