"""
One class or a score per class in every leaf
============================================

In the published methods a leaf of a tree votes for one class. With ``leaves="scores"`` it holds a
score for every class: fewer rounds are needed, and probabilities are better.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split

from uneven import ComboClassifier

X, y = load_digits(return_X_y=True)
X_train, X_test, y_train, y_test = train_test_split(X, y, stratify=y, random_state=0)
models = {
    'leaves="votes"': ComboClassifier(n_estimators=80),
    'leaves="scores"': ComboClassifier(n_estimators=80, leaves="scores", learning_rate=0.3),
}

# %%
# Error on held-out rows after each round:

figure, ax = plt.subplots(figsize=(6, 3.6), layout="constrained")
for name, model in models.items():
    model.fit(X_train, y_train)
    error = [np.mean(predicted != y_test) for predicted in model.staged_predict(X_test)]
    ax.plot(np.arange(1, len(error) + 1), error, label=name)
ax.set(xlabel="round", ylabel="error on held-out rows", yscale="log")
ax.legend()
