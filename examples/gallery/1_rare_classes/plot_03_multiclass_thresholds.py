"""
Tune multiclass decision thresholds for a metric
================================================

Predicting the most probable class maximises accuracy. :class:`~uneven.TunedDecisionClassifier`
wraps any classifier with probabilities and tunes one factor per class on rows that the classifier
has not seen, for the metric that you name.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import make_classification
from sklearn.ensemble import RandomForestClassifier
from sklearn.metrics import accuracy_score
from sklearn.model_selection import train_test_split

from uneven import TunedDecisionClassifier
from uneven.metrics import geometric_mean_recall, mean_f1, mean_recall

X, y = make_classification(
    1500,
    12,
    n_informative=6,
    n_classes=4,
    weights=[0.75, 0.15, 0.07],
    class_sep=0.9,
    random_state=3,
)
X_train, X_test, y_train, y_test = train_test_split(X, y, stratify=y, random_state=0)
forest = RandomForestClassifier(100, random_state=0, oob_score=True)
predictions = {"most probable class": forest.fit(X_train, y_train).predict(X_test)}
for measure in ("accuracy", "macro_f1", "gmean"):
    tuned = TunedDecisionClassifier(forest, measure=measure).fit(X_train, y_train)
    predictions[f'measure="{measure}"'] = tuned.predict(X_test)

# %%
# The same forest, four decision rules, four metrics on held-out rows:

metrics = {
    "accuracy": accuracy_score,
    "macro F1": mean_f1,
    "balanced accuracy": mean_recall,
    "G-mean": geometric_mean_recall,
}
figure, ax = plt.subplots(figsize=(8, 3.6), layout="constrained")
for k, (name, predicted) in enumerate(predictions.items()):
    values = [metric(y_test, predicted) for metric in metrics.values()]
    ax.bar(np.arange(len(metrics)) + 0.2 * (k - 1.5), values, width=0.18, label=name)
ax.set_xticks(range(len(metrics)), metrics)
ax.set(ylim=(0, 1))
ax.legend(fontsize="small", ncols=2)
