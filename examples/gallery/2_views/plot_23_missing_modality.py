"""
A modality is missing in some rows
==================================

Set the features of a missing view to NaN. With late fusion the view abstains in these rows, and the
other views predict. The more rows lack a view, the larger is its advantage over mean imputation.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.ensemble import RandomForestClassifier
from sklearn.impute import SimpleImputer
from sklearn.model_selection import train_test_split
from sklearn.pipeline import make_pipeline

from uneven import LateFusionClassifier
from uneven.datasets import make_imbalanced_views

data = make_imbalanced_views(1000, random_state=0)
forest = RandomForestClassifier(50, random_state=0)
models = {
    "late fusion, views abstain": LateFusionClassifier(forest, views=data.views),
    "all features, mean imputation": make_pipeline(SimpleImputer(), forest),
}

# %%
# Accuracy on held-out rows as the share of missing views grows:

rng = np.random.default_rng(0)
shares = [0.0, 0.2, 0.4, 0.6]
accuracy = {name: [] for name in models}
for share in shares:
    X = data.data.copy()
    for columns in data.views.values():
        rows = np.flatnonzero(rng.random(len(X)) < share)
        X[rows, columns] = np.nan
    X_train, X_test, y_train, y_test = train_test_split(X, data.target, random_state=0)
    for name, model in models.items():
        accuracy[name].append(model.fit(X_train, y_train).score(X_test, y_test))

figure, ax = plt.subplots(figsize=(6, 3.6), layout="constrained")
for name, values in accuracy.items():
    ax.plot(shares, values, "o-", label=name)
ax.set(xlabel="share of rows without each view", ylabel="accuracy on held-out rows")
ax.legend()
