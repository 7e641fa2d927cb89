"""
Accuracy hides a lost class, the confusion norm does not
========================================================

A scale tips to the left, tips to the right, or, in 49 of 625 rows, stays balanced. A
class-weighted random forest predicts most rows correctly and misses the rare class ``B``.
The confusion norm, the largest singular value of the matrix of error rates, shows it.
"""

import matplotlib.pyplot as plt
from sklearn.ensemble import RandomForestClassifier
from sklearn.metrics import accuracy_score
from sklearn.model_selection import StratifiedKFold, cross_val_predict

from uneven import ComboClassifier
from uneven.datasets import make_balance_scale
from uneven.metrics import confusion_norm
from uneven.plots import ConfusionNormDisplay

scale = make_balance_scale()
folds = StratifiedKFold(5, shuffle=True, random_state=0)
models = {
    "forest": RandomForestClassifier(50, class_weight="balanced", random_state=0),
    "CoMBo": ComboClassifier(max_depth=2),
}

# %%
# Out-of-fold predictions of both models, as confusion matrices in percent of the true class:

figure, axes = plt.subplots(1, 2, figsize=(9, 4), layout="constrained")
for ax, (name, model) in zip(axes, models.items()):
    predictions = cross_val_predict(model, scale.data, scale.target, cv=folds)
    accuracy = accuracy_score(scale.target, predictions)
    norm = confusion_norm(scale.target, predictions)
    title = f"{name}: accuracy {accuracy:.2f}, norm {norm:.2f}"
    ConfusionNormDisplay.from_predictions(
        scale.target, predictions, ax=ax, title=title, recall_bars=False
    )
