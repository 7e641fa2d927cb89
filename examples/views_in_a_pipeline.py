"""Several sources in one table: numbers, categories and text as views of a tuned pipeline.

The column transformer names its output ``view__feature``, and ``views="prefix"`` reads that. So
the views survive cross-validation and grid search without any further work.
"""

from __future__ import annotations

import numpy as np
import pandas as pd
import sklearn
from sklearn.compose import ColumnTransformer
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.model_selection import GridSearchCV, train_test_split
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import OneHotEncoder

from uneven import ComboClassifier
from uneven.metrics import confusion_norm, get_scorer

SMALL_TALK = ["hello", "thanks", "the", "product", "order", "my", "it", "please", "again", "form"]
ALARM = ["smoke", "burnt", "spark", "smell", "shock"]


def tickets(n: int = 800, seed: int = 0) -> pd.DataFrame:
    """Customer messages of three kinds, one row each.

    Complaints come late and by phone, which the numbers and the channel show. Dangers are rare and
    shown by the words alone.
    """
    rng = np.random.default_rng(seed)
    kind = rng.choice(["question", "complaint", "danger"], size=n, p=[0.6, 0.34, 0.06])
    complains = kind == "complaint"
    late = rng.gamma(np.where(complains, 6.0, 1.5)).round(1)
    by_phone = rng.random(n) < np.where(complains, 0.8, 0.2)

    def message(label: str) -> str:
        alarm = rng.choice(ALARM, size=2) if label == "danger" else []
        return " ".join([*rng.choice(SMALL_TALK, size=6), *alarm])

    return pd.DataFrame(
        {
            "days_late": np.where(rng.random(n) < 0.1, np.nan, late),
            "orders": rng.poisson(3, size=n),
            "channel": np.where(by_phone, "phone", "mail"),
            "text": [message(label) for label in kind],
            "kind": kind,
        }
    )


def build() -> Pipeline:
    """Encoder with one transformer per view, then the classifier."""
    encode = ColumnTransformer(
        [
            ("numbers", "passthrough", ["days_late", "orders"]),
            ("channel", OneHotEncoder(handle_unknown="ignore", sparse_output=False), ["channel"]),
            ("words", CountVectorizer(min_df=3), "text"),
        ],
        sparse_threshold=0.0,
    )
    classify = ComboClassifier(n_estimators=60, views="prefix")
    return Pipeline([("encode", encode), ("classify", classify)])


def main() -> None:
    sklearn.set_config(transform_output="pandas")
    frame = tickets()
    train, test = train_test_split(frame, stratify=frame["kind"], random_state=0)
    search = GridSearchCV(
        build(), {"classify__max_depth": [1, 2, 3]}, scoring=get_scorer("confusion_norm"), cv=3
    ).fit(train.drop(columns="kind"), train["kind"])
    predicted = search.predict(test.drop(columns="kind"))
    print(f"best depth: {search.best_params_['classify__max_depth']}")
    print(f"confusion norm on held-out rows: {confusion_norm(test['kind'], predicted):.2f}")

    found = search.best_estimator_["classify"].explain()
    print("\nwhich columns support which class")
    print(pd.DataFrame(found.view_share, found.view_names, found.classes).round(2).to_string())
    strongest = found.feature_share[:, list(found.classes).index("danger")].argsort()[::-1][:3]
    print(
        "\nstrongest columns for danger:",
        ", ".join(found.feature_names[k] for k in strongest),
    )


if __name__ == "__main__":
    main()
