"""A large table with categories: balanced boosting, early stopping and probabilities.

Parcels arrive on time, late, damaged or not at all. The last two are rare and cost most. The table
has numbers with holes and two columns of categories, one of them with a hundred levels.
``BalancedBoostingClassifier`` needs no settings: the number of leaves, the learning rate and the
rows that a tree is grown on follow the size of the table, and rows held out end the rounds.
"""

from __future__ import annotations

import time

import numpy as np
import pandas as pd
from sklearn.metrics import log_loss
from sklearn.model_selection import train_test_split

from uneven import BalancedBoostingClassifier
from uneven.metrics import confusion_norm, per_class_table

PRICES = {"on time": 0.0, "late": 4.0, "damaged": 30.0, "lost": 90.0}
N_DEPOTS = 100


def parcels(n: int, seed: int = 0) -> tuple[pd.DataFrame, np.ndarray]:
    """Invented parcels and what became of them."""
    rng = np.random.default_rng(seed)
    depot, carrier = rng.integers(N_DEPOTS, size=n), rng.integers(6, size=n)
    distance, weight, hour = rng.gamma(2.0, 120.0, n), rng.lognormal(0.5, 0.8, n), rng.random(n)
    habits = rng.normal(size=(N_DEPOTS, 4))[depot] + rng.normal(size=(6, 4))[carrier]
    scores = 1.5 * habits + np.array([4.0, 1.0, -1.0, -1.5])
    scores[:, 1] += 0.008 * distance + 3.0 * (hour > 0.8)
    scores[:, 2] += 2.5 * np.log(weight) * (carrier < 3)
    scores[:, 3] += 3.0 * (distance > 400) + 3.0 * (weight < 0.7)
    fate = np.array([*PRICES])[(scores + rng.gumbel(size=scores.shape)).argmax(axis=1)]
    weight[rng.random(n) < 0.1] = np.nan  # not every parcel was weighed
    frame = pd.DataFrame({"distance": distance, "weight": weight, "hour": hour})
    frame["depot"] = pd.Categorical([f"depot {k}" for k in depot])
    frame["carrier"] = pd.Categorical([f"carrier {k}" for k in carrier])
    return frame, fate


def main() -> None:
    X, y = parcels(60_000)
    X_train, X_test, y_train, y_test = train_test_split(X, y, test_size=0.25, random_state=0)

    model = BalancedBoostingClassifier(random_state=0)
    model.fit(X_train[:500], y_train[:500])  # loads the compiled loops
    start = time.perf_counter()
    model.fit(X_train, y_train)
    seconds = time.perf_counter() - start
    settled = ", ".join(f"{name} {value:g}" for name, value in model.settled_.items())
    rounds = f"{model.stop_reason_}, best after {model.n_estimators_} rounds"
    print(f"{len(X_train)} parcels in {seconds:.1f} s; {rounds}")
    print(f"settled: {settled}")

    predicted = model.predict(X_test)
    table = per_class_table(y_test, predicted)
    print("\nfate          parcels  recall")
    for k in table.support.argsort(kind="stable"):
        print(f"{table.label[k]:<12}{table.support[k]:>9.0f}{table.recall[k]:>8.2f}")
    print(f"confusion norm {confusion_norm(y_test, predicted):.3f}")

    shares = model.predict_proba(X_test)  # as frequent as in the table
    frequencies = np.tile(model.class_prior_, (len(y_test), 1))
    print(f"\nlog-loss {log_loss(y_test, shares):.3f}, with the frequencies alone", end=" ")
    print(f"{log_loss(y_test, frequencies):.3f}")
    prices = np.array([PRICES[label] for label in model.classes_])
    expected, paid = shares @ prices, prices[np.searchsorted(model.classes_, y_test)]
    watched = expected.argsort()[::-1][: len(expected) // 20]
    caught = paid[watched].sum() / paid.sum()
    print(f"the 5 % with the highest expected damage bring {caught:.0%} of the real damage")


if __name__ == "__main__":
    main()
