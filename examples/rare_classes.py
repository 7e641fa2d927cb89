"""Rare classes: plain CoMBo, NormCoMBo and a class-weighted forest, class by class.

Run it with the name of a picture to write: ``python examples/rare_classes.py confusion.png``.
The table is split twice into a training and a test half; both test halves are evaluated together.
``uneven compare table.csv --target label`` does the same, and more, for a table of yours.
"""

from __future__ import annotations

import sys

import matplotlib

matplotlib.use("Agg")

import numpy as np
from sklearn.base import clone
from sklearn.datasets import load_digits
from sklearn.ensemble import RandomForestClassifier
from sklearn.model_selection import StratifiedShuffleSplit

from uneven import ComboClassifier, NormComboClassifier
from uneven.datasets import make_long_tailed
from uneven.metrics import confusion_norm, geometric_mean_recall, per_class_table
from uneven.plots import ConfusionNormDisplay

MODELS = {
    "CoMBo": ComboClassifier(),
    "NormCoMBo": NormComboClassifier(random_state=0),
    "forest": RandomForestClassifier(300, class_weight="balanced_subsample", random_state=0),
}


def main(picture: str) -> None:
    X, y = make_long_tailed(*load_digits(return_X_y=True), ratio=20, random_state=0)
    halves = list(StratifiedShuffleSplit(2, test_size=0.5, random_state=0).split(X, y))
    truth = np.concatenate([y[test] for _, test in halves])
    predicted = {
        name: np.concatenate(
            [clone(model).fit(X[train], y[train]).predict(X[test]) for train, test in halves]
        )
        for name, model in MODELS.items()
    }

    tables = {name: per_class_table(truth, given) for name, given in predicted.items()}
    sizes = tables["CoMBo"]
    print(f"{'recall of':<10}{'rows':>8}" + "".join(f"{name:>12}" for name in tables))
    for k in sizes.support.argsort(kind="stable"):
        recalls = "".join(f"{table.recall[k]:>12.2f}" for table in tables.values())
        print(f"{sizes.label[k]:<10}{sizes.support[k]:>8.0f}{recalls}")
    for title, measure in (("confusion norm", confusion_norm), ("G-mean", geometric_mean_recall)):
        values = "".join(f"{measure(truth, given):>12.3f}" for given in predicted.values())
        print(f"{title:<18}{values}")

    display = ConfusionNormDisplay.from_predictions(truth, predicted["NormCoMBo"])
    display.figure_.savefig(picture, bbox_inches="tight")
    print(f"wrote {picture}")


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else "confusion.png")
