"""
Few labels: Bayes points and support vector machines
====================================================

:class:`~uneven.BayesPointClassifier` averages all linear classifiers that agree with the labels.
With few labels it is often more accurate than the one with the largest margin, and it has
probabilities.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.svm import SVC

from uneven import BayesPointClassifier

rng = np.random.default_rng(0)
direction = rng.normal(size=10)


def draw(n):
    """Unit rows that a hyperplane through the origin separates."""
    X = rng.normal(size=(n, 10))
    X /= np.linalg.norm(X, axis=1, keepdims=True)
    return X, np.where(X @ direction > 0, 1, -1)


# %%
# Mean error over 15 draws of the training rows:

X_test, y_test = draw(2000)
sizes = [10, 20, 40, 80]
models = {
    "Bayes point": BayesPointClassifier("linear", random_state=0),
    "SVM": SVC(kernel="linear", C=1e3),
}
errors = {name: np.zeros((15, len(sizes))) for name in models}
for k, n in enumerate(sizes):
    for repeat in range(15):
        X, y = draw(n)
        for name, model in models.items():
            errors[name][repeat, k] = 1 - model.fit(X, y).score(X_test, y_test)

figure, ax = plt.subplots(figsize=(6, 3.6), layout="constrained")
for name, found in errors.items():
    ax.errorbar(
        sizes, found.mean(axis=0), found.std(axis=0) / 15**0.5, fmt="o-", capsize=3, label=name
    )
ax.set(xlabel="labelled rows", ylabel="error on held-out rows", xscale="log")
ax.set_xticks(sizes, sizes)
ax.minorticks_off()
ax.legend()
