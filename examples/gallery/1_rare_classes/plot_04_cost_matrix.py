"""
Minimise the expected cost of misclassifications
================================================

Missing the rare class costs ten times as much as a false alarm. With ``cost=`` the predicted class
is the one with the least expected cost under calibrated probabilities.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import make_classification
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import confusion_matrix
from sklearn.model_selection import train_test_split

from uneven import TunedDecisionClassifier

X, y = make_classification(
    2000, 8, n_informative=5, n_classes=3, weights=[0.7, 0.25], class_sep=0.8, random_state=1
)
X_train, X_test, y_train, y_test = train_test_split(X, y, stratify=y, random_state=0)
cost = np.array([[0, 1, 1], [1, 0, 1], [10, 10, 0]])  # row: true class, column: predicted class

plain = LogisticRegression().fit(X_train, y_train)
cheap = TunedDecisionClassifier(LogisticRegression(), cost=cost).fit(X_train, y_train)

# %%
# Counts on held-out rows; the title is the mean cost of a prediction:

figure, axes = plt.subplots(1, 2, figsize=(8, 3.6), layout="constrained")
for ax, (name, model) in zip(axes, {"most probable class": plain, "least cost": cheap}.items()):
    counts = confusion_matrix(y_test, model.predict(X_test))
    ax.imshow(counts / counts.sum(axis=1, keepdims=True), cmap="Blues", vmin=0, vmax=1)
    for (row, column), count in np.ndenumerate(counts):
        ax.text(column, row, count, ha="center", va="center")
    ax.set(title=f"{name}: {np.sum(cost * counts) / counts.sum():.2f}", xlabel="predicted")
    ax.set(ylabel="true", xticks=range(3), yticks=range(3))
