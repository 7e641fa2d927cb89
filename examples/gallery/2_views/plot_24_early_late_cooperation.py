"""
Early fusion, late fusion, cooperation
======================================

One strong view that is noise in some rows, and two weak views that are informative there. MuMBo
lets views cooperate: a view does not concentrate on rows that only other views can predict. On
such a small table the methods that use all views differ by less than the spread over the folds.
"""

import matplotlib.pyplot as plt
from sklearn.model_selection import cross_val_score

from uneven import AdaBoostMMClassifier, LateFusionClassifier, MuComboClassifier, MumboClassifier
from uneven.datasets import make_uneven_views

data = make_uneven_views(400, major_noise=0.3, random_state=0)
boost = AdaBoostMMClassifier(n_estimators=40, max_depth=1)
models = {f"{name} alone": boost for name in data.views}
models |= {
    "early fusion": boost,
    "late fusion": LateFusionClassifier(boost, views=data.views),
    "MuMBo": MumboClassifier(n_estimators=40, max_depth=1, views=data.views),
    "µCoMBo": MuComboClassifier(n_estimators=40, max_depth=1, views=data.views),
}

# %%
# Accuracy over five folds:

figure, ax = plt.subplots(figsize=(7, 3.6), layout="constrained")
for row, (name, model) in enumerate(models.items()):
    view = data.views.get(name.removesuffix(" alone"))
    X = data.data if view is None else data.data[:, view]
    scores = cross_val_score(model, X, data.target, cv=5)
    ax.plot(scores, [row] * 5, "o", alpha=0.5, color="tab:blue")
    ax.plot(scores.mean(), row, "|", markersize=16, color="black")
ax.set_yticks(range(len(models)), models)
ax.invert_yaxis()
ax.set(xlabel="accuracy on held-out rows")
