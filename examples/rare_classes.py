"""Rare classes: CoMBo beside a class-weighted gradient boosting, class by class.

Run it with the name of a picture to write: ``python examples/rare_classes.py confusion.png``.
One split shows the idea; ``uneven compare --demo`` measures the methods on folds.
"""

from __future__ import annotations

import sys

import matplotlib

matplotlib.use("Agg")

from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.model_selection import train_test_split

from uneven import ComboClassifier
from uneven.datasets import load_demo
from uneven.metrics import confusion_norm, geometric_mean_recall, per_class_table
from uneven.plots import ConfusionNormDisplay

MODELS = {
    "CoMBo": ComboClassifier(n_estimators=150),
    "HistGradientBoosting": HistGradientBoostingClassifier(class_weight="balanced", random_state=0),
}


def main(picture: str) -> None:
    demo = load_demo()
    X_train, X_test, y_train, y_test = train_test_split(
        demo.data, demo.target, test_size=0.5, stratify=demo.target, random_state=0
    )
    answers = {name: model.fit(X_train, y_train).predict(X_test) for name, model in MODELS.items()}

    tables = {name: per_class_table(y_test, given) for name, given in answers.items()}
    sizes = tables["CoMBo"]
    print(f"{'recall of':<10}{'rows':>6}" + "".join(f"{name:>22}" for name in tables))
    for k in sizes.support.argsort():
        recalls = "".join(f"{table.recall[k]:>22.2f}" for table in tables.values())
        print(f"{sizes.label[k]:<10}{sizes.support[k]:>6.0f}{recalls}")
    for title, measure in (("confusion norm", confusion_norm), ("G-mean", geometric_mean_recall)):
        values = "".join(f"{measure(y_test, given):>22.3f}" for given in answers.values())
        print(f"{title:<16}{values}")

    display = ConfusionNormDisplay.from_predictions(y_test, answers["CoMBo"])
    display.figure_.savefig(picture, bbox_inches="tight")
    print(f"wrote {picture}")


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else "confusion.png")
