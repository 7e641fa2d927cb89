"""Free text, categories and numbers of one table, as three views that stay sparse.

Support tickets arrive as sentences, as facts about the account, and as measurements of the hour
before. ``ViewColumns`` turns each into a view and keeps the names of the columns although the
result is sparse, so that ``views="prefix"`` finds them behind any pipeline or grid search.
"""

from __future__ import annotations

import numpy as np
import pandas as pd
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.model_selection import GridSearchCV, train_test_split
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import OneHotEncoder

from uneven import ComboClassifier, MuComboClassifier, MumboClassifier, ViewColumns
from uneven.metrics import confusion_norm, geometric_mean_recall, get_scorer
from uneven.views import diagnose

KINDS = {"question": 0.46, "invoice": 0.30, "outage": 0.18, "break-in": 0.06}
PHRASES = {
    "question": ["how do I", "where is the button for", "can one export", "is there a guide to"],
    "invoice": ["the invoice shows", "charged twice for", "please refund", "wrong amount on"],
    "outage": ["since this morning I cannot open", "still waiting for", "no answer from"],
    "break-in": ["I did not change", "somebody else opened", "I do not recognise", "help with"],
}
THINGS = ["the report", "my account", "the shared folder", "our plan", "the calendar", "a form"]
MANNERS = ["", "hello,", "dear team,", "urgent:", "thanks in advance,", "once more:"]
MEASURED = ["errors_per_hour", "failed_logins", "countries_today", "days_since_bill"]


def tickets(n: int = 900, seed: int = 0) -> pd.DataFrame:
    """Invented tickets: one row each, four kinds, one of them rare.

    Sentences separate questions from invoices, but rarely name an outage or a break-in.
    Measurements show these two, and are missing for every eighth ticket.
    """
    rng = np.random.default_rng(seed)
    kind = rng.choice(list(KINDS), size=n, p=list(KINDS.values()))

    def sentence(label: str) -> str:
        vague = label in ("outage", "break-in") and rng.random() < 0.6
        phrases = PHRASES["question" if vague else label]
        return " ".join([rng.choice(MANNERS), rng.choice(phrases), rng.choice(THINGS)]).strip()

    outage, break_in, invoice = (kind == name for name in ("outage", "break-in", "invoice"))
    measured = np.column_stack(
        [
            rng.gamma(np.where(outage, 6.0, 1.0)),
            rng.poisson(np.where(break_in, 7.0, 0.8)),
            rng.poisson(np.where(break_in, 1.5, 0.1)) + 1,
            rng.integers(0, np.where(invoice, 12, 31)),
        ]
    ).astype(float)
    measured[rng.random(n) < 0.125] = np.nan
    frame = pd.DataFrame(measured.round(1), columns=MEASURED)
    frame["text"] = [sentence(label) for label in kind]
    frame["plan"] = np.where(rng.random(n) < np.where(invoice, 0.7, 0.35), "paid", "free")
    frame["channel"] = rng.choice(["mail", "chat", "phone"], size=n)
    frame["kind"] = kind
    return frame


def build() -> Pipeline:
    """One transformer per view, then the classifier."""
    encode = ViewColumns(
        [
            ("words", TfidfVectorizer(min_df=2), "text"),
            ("account", OneHotEncoder(handle_unknown="ignore"), ["plan", "channel"]),
            ("measured", "passthrough", MEASURED),
        ]
    )
    return Pipeline([("encode", encode), ("classify", MuComboClassifier(views="prefix"))])


def main() -> None:
    frame = tickets()
    train, test = train_test_split(frame, stratify=frame["kind"], random_state=0)
    X, y = train.drop(columns="kind"), train["kind"]

    encoded = build()["encode"].fit_transform(X)
    print(f"{encoded.shape[1]} columns, {100 * encoded.sparse.density:.0f} % of the cells stored\n")
    print(diagnose(encoded, y, "prefix", cv=3, random_state=0), "\n")

    methods = [
        method(n_estimators=30, views="prefix", random_state=0)
        for method in (ComboClassifier, MumboClassifier, MuComboClassifier)
    ]
    grid = {
        "classify": methods,
        "classify__max_depth": [1, 2],
        "encode__words__ngram_range": [(1, 1), (1, 2)],
    }
    search = GridSearchCV(build(), grid, scoring=get_scorer("gmean"), cv=3).fit(X, y)
    print("G-mean in cross-validation, best setting of each method")
    table = pd.DataFrame(search.cv_results_)
    names = table["param_classify"].map(lambda method: type(method).__name__)
    print(table.groupby(names)["mean_test_score"].max().round(3).to_string(header=False), "\n")

    predicted = search.predict(test.drop(columns="kind"))
    print(f"chosen: {type(search.best_estimator_['classify']).__name__}")
    print(f"G-mean on held-out rows: {geometric_mean_recall(test['kind'], predicted):.3f}")
    print(f"confusion norm on held-out rows: {confusion_norm(test['kind'], predicted):.3f}\n")

    found = search.best_estimator_["classify"].explain()
    print("which columns support which class")
    print(
        pd.DataFrame(found.view_share, found.view_names, found.classes).round(2).to_string(),
        "\n",
    )
    for c, name in enumerate(found.classes):
        strongest = found.feature_share[:, c].argsort()[::-1][:3]
        print(f"{name}: {', '.join(found.feature_names[k] for k in strongest)}")


if __name__ == "__main__":
    main()
