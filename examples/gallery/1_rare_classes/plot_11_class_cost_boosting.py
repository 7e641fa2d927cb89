"""
Boosting with a cost for each pair of classes
=============================================

``class_cost`` says how bad each kind of misclassification is. Boosting itself then works on the
expensive pairs, instead of correcting predictions afterwards.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split

from uneven import ComboClassifier
from uneven.plots import ConfusionNormDisplay

X, y = load_digits(return_X_y=True)
alike = np.isin(y, [1, 3, 8, 9])
X_train, X_test, y_train, y_test = train_test_split(
    X[alike], y[alike], train_size=120, stratify=y[alike], random_state=0
)
class_cost = np.ones((4, 4))
class_cost[1, 2] = 20  # predicting 8 for a 3

# %%
# Confusion in percent of the true class, without and with the costs:

figure, axes = plt.subplots(1, 2, figsize=(9, 4), layout="constrained")
for ax, (name, price) in zip(axes, {"all alike": None, "3 as 8 costs 20": class_cost}.items()):
    model = ComboClassifier(n_estimators=60, max_depth=2, class_cost=price).fit(X_train, y_train)
    ConfusionNormDisplay.from_estimator(
        model, X_test, y_test, ax=ax, vmax=0.2, title=name, recall_bars=False
    )
