"""Few labels: a rough classifier labels the rest, and its known mistakes are undone.

Handwritten digits through a narrow Gaussian kernel, in which a row has few neighbours: ten labels
of each digit say little about the others, but all rows together say more.
"""

from __future__ import annotations

import numpy as np
from sklearn.datasets import load_digits
from sklearn.decomposition import KernelPCA
from sklearn.linear_model import LogisticRegression

from uneven import UMAClassifier
from uneven.noise import LabelRepairPipeline

N_DRAWS = 3
N_TEST = 600
N_LABELS = 10


def main() -> None:
    images, digits = load_digits(return_X_y=True)
    X = KernelPCA(150, kernel="rbf", gamma=0.8).fit_transform(images / 16.0)
    errors = []
    for seed in range(N_DRAWS):
        order = np.random.default_rng(seed).permutation(len(digits))
        test, train = order[:N_TEST], order[N_TEST:]
        few = np.concatenate([train[digits[train] == d][:N_LABELS] for d in range(10)])
        y = np.full(len(digits), -1)
        y[few] = digits[few]

        repair = LabelRepairPipeline(learner=UMAClassifier(max_iter=300))
        known = repair.fit(X[train], y[train])
        rough = known.rough_
        found = [1.0 - rough.score(X[test], digits[test])]
        found.append(1.0 - known.score(X[test], digits[test]))
        dropped = repair.set_params(use_clean="drop").fit(X[train], y[train])
        found.append(1.0 - dropped.score(X[test], digits[test]))
        other = LogisticRegression(C=10.0).fit(X[few], digits[few])
        found.append(1.0 - other.score(X[test], digits[test]))
        errors.append(found)

    print(f"{10 * N_LABELS} labels, {len(train)} rows, error on {N_TEST} others, {N_DRAWS} draws")
    names = (
        "rough classifier",
        "repaired, clean rows known",
        "repaired, clean rows dropped",
        "logistic regression, few labels",
    )
    for name, error in zip(names, np.mean(errors, axis=0)):
        print(f"{name:<34}{error:.3f}")
    print()
    print(dropped.confusion_.summary())


if __name__ == "__main__":
    main()
