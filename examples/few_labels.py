"""Few labels: a rough classifier labels the rest, and its known mistakes are undone.

Handwritten digits, 15 labels of each. Naive Bayes learns something from so few, boosted trees
learn more from many rows; together they beat each of the two on the few labels alone. The last
line keeps it honest: a learner that suits few labels may need no cheap ones.
"""

from __future__ import annotations

import numpy as np
from sklearn.datasets import load_digits
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB

from uneven import ComboClassifier
from uneven.noise import LabelRepairPipeline

N_DRAWS = 3
N_TEST = 600
N_LABELS = 15


def main() -> None:
    images, digits = load_digits(return_X_y=True)
    X = images / 16.0
    rough = GaussianNB(var_smoothing=0.01)
    trees = ComboClassifier(
        n_estimators=60, max_depth=6, subsample=0.5, learning_rate=0.3, random_state=0
    )
    errors = []
    for seed in range(N_DRAWS):
        order = np.random.default_rng(seed).permutation(len(digits))
        test, train = order[:N_TEST], order[N_TEST:]
        few = np.concatenate([train[digits[train] == d][:N_LABELS] for d in range(10)])
        y = np.full(len(digits), -1)
        y[few] = digits[few]

        known = LabelRepairPipeline(rough, trees).fit(X[train], y[train])
        dropped = LabelRepairPipeline(rough, trees, use_clean="drop").fit(X[train], y[train])
        alone = trees.fit(X[few], digits[few])
        other = LogisticRegression(max_iter=300).fit(X[few], digits[few])
        models = (known.rough_, alone, known, dropped, other)
        errors.append([1.0 - model.score(X[test], digits[test]) for model in models])

    print(f"{10 * N_LABELS} labels, {len(train)} rows, error on {N_TEST} others, {N_DRAWS} draws")
    names = (
        "naive Bayes, the few labels",
        "boosted trees, the few labels",
        "both, given labels known",
        "both, given labels dropped",
        "logistic regression, the few labels",
    )
    for name, error in zip(names, np.mean(errors, axis=0)):
        print(f"{name:<38}{error:.3f}")
    print()
    print(known.confusion_.summary())


if __name__ == "__main__":
    main()
