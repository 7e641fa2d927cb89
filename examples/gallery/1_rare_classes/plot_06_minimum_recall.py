"""
Require a minimum recall
========================

Some classes must not be missed. ``constraints={class: recall}`` chooses, among the decision rules
that reach the required recall on unseen rows, the one with the best metric.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import make_classification
from sklearn.ensemble import RandomForestClassifier
from sklearn.model_selection import train_test_split

from uneven import TunedDecisionClassifier
from uneven.metrics import class_recalls

X, y = make_classification(
    2000, 10, n_informative=6, n_classes=3, weights=[0.7, 0.22], class_sep=0.8, random_state=5
)
X_train, X_test, y_train, y_test = train_test_split(X, y, stratify=y, random_state=0)
forest = RandomForestClassifier(100, oob_score=True, random_state=0)

# %%
# Recalls on held-out rows as the requirement on the rare class 2 grows:

required = [0.0, 0.6, 0.7, 0.8, 0.9]
recalls = []
for least in required:
    rule = TunedDecisionClassifier(forest, measure="accuracy", constraints={2: least})
    recalls.append(class_recalls(y_test, rule.fit(X_train, y_train).predict(X_test)))

figure, ax = plt.subplots(figsize=(6, 3.6), layout="constrained")
for label, line in enumerate(np.transpose(recalls)):
    ax.plot(required, line, "o-", label=f"class {label}, {np.sum(y == label)} rows")
ax.plot(required, required, ":", color="grey", label="required of class 2")
ax.set(xlabel="required recall of class 2", ylabel="recall on held-out rows", ylim=(0, 1.02))
ax.legend(fontsize="small")
