"""
Long-tailed digits: recall of every class
=========================================

Digits with class sizes that fall from 174 to 10 rows. :class:`~uneven.NormComboClassifier` trades
some recall of the most frequent class for recall of the rare ones.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_digits
from sklearn.ensemble import RandomForestClassifier
from sklearn.model_selection import train_test_split

from uneven import NormComboClassifier
from uneven.datasets import make_long_tailed
from uneven.metrics import class_recalls

X, y = make_long_tailed(*load_digits(return_X_y=True), ratio=20, random_state=0)
X_train, X_test, y_train, y_test = train_test_split(X, y, test_size=0.5, stratify=y, random_state=0)
models = {
    "random forest": RandomForestClassifier(100, class_weight="balanced", random_state=0),
    "NormCoMBo": NormComboClassifier(random_state=0),
}

# %%
# Recalls on held-out rows, from the largest class to the smallest:

order = np.argsort(-np.bincount(y))
figure, ax = plt.subplots(figsize=(8, 3.5), layout="constrained")
for shift, (name, model) in zip((-0.2, 0.2), models.items()):
    recalls = class_recalls(y_test, model.fit(X_train, y_train).predict(X_test))
    ax.bar(np.arange(10) + shift, recalls[order], width=0.38, label=name)
ax.set_xticks(range(10), [f"{digit}\n{np.sum(y == digit)} rows" for digit in order])
ax.set(ylabel="recall", ylim=(0, 1.05))
ax.legend(loc="lower center", ncols=2)
