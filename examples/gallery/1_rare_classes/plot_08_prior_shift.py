"""
Adapt to class frequencies that have changed
============================================

A class is rare in training and frequent in production (label shift). ``adapt`` estimates the new
class frequencies from rows without labels and returns a model for them.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.linear_model import LogisticRegression

from uneven import TunedDecisionClassifier

rng = np.random.default_rng(0)


def draw(n, shares):
    """Three overlapping Gaussian classes with the given shares."""
    y = rng.choice(3, size=n, p=shares)
    return rng.normal(size=(n, 2)) + np.array([[0, 0], [2, 0], [1, 1.8]])[y], y


X_train, y_train = draw(1500, [0.8, 0.15, 0.05])
X_new, y_new = draw(1500, [0.2, 0.2, 0.6])
model = TunedDecisionClassifier(LogisticRegression(), measure="accuracy").fit(X_train, y_train)
adapted = model.adapt(X_new)

# %%
# Estimated class frequencies, and the accuracy on the new rows with and without adaptation:

shares = {
    "training": np.bincount(y_train) / len(y_train),
    "estimated": adapted.decision_.target,
    "true": np.bincount(y_new) / len(y_new),
}
figure, (left, right) = plt.subplots(1, 2, figsize=(8, 3.4), layout="constrained")
for k, (name, values) in enumerate(shares.items()):
    left.bar(np.arange(3) + 0.25 * (k - 1), values, width=0.23, label=name)
left.set(title="class frequencies", xticks=range(3), xlabel="class")
left.legend()
accuracy = [model.score(X_new, y_new), adapted.score(X_new, y_new)]
right.bar(["as trained", "adapted"], accuracy, color=["grey", "tab:blue"])
right.bar_label(right.containers[0], fmt="%.2f")
right.set(title="accuracy on new rows", ylim=(0, 1))
