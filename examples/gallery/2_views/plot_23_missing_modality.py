"""
A modality is missing in some rows
==================================

Four quarters of handwritten digits are four modalities. Set the features of a missing modality to
NaN: with late fusion the view abstains in these rows, and the other views predict.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_digits
from sklearn.ensemble import RandomForestClassifier
from sklearn.impute import SimpleImputer
from sklearn.model_selection import train_test_split
from sklearn.pipeline import make_pipeline

from uneven import LateFusionClassifier
from uneven.datasets import image_quarters

digits = load_digits()
complete, views = image_quarters(digits.images)
forest = RandomForestClassifier(50, random_state=0)
models = {
    "late fusion, views abstain": LateFusionClassifier(forest, views=views),
    "all features, mean imputation": make_pipeline(SimpleImputer(), forest),
}

# %%
# Accuracy on held-out rows as the share of missing views grows:

rng = np.random.default_rng(0)
shares = [0.0, 0.2, 0.4, 0.6]
accuracy = {name: [] for name in models}
for share in shares:
    X = complete.astype(float)
    for columns in views.values():
        X[np.ix_(rng.random(len(X)) < share, columns)] = np.nan
    X_train, X_test, y_train, y_test = train_test_split(X, digits.target, random_state=0)
    for name, model in models.items():
        accuracy[name].append(model.fit(X_train, y_train).score(X_test, y_test))

figure, ax = plt.subplots(figsize=(6, 3.6), layout="constrained")
for name, values in accuracy.items():
    ax.plot(shares, values, "o-", label=name)
ax.set(xlabel="share of rows without each view", ylabel="accuracy on held-out rows")
ax.legend()
