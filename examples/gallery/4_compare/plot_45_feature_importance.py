"""
Feature importance on held-out rows
===================================

:func:`uneven.column_importance` permutes one feature at a time in held-out rows and measures how
much the balanced accuracy falls.
"""

import matplotlib.pyplot as plt
from sklearn.datasets import load_wine

from uneven import ComboClassifier, column_importance

wine = load_wine(as_frame=True)
model = ComboClassifier(n_estimators=30).fit(wine.data, wine.target)
found = column_importance(model, wine.data, wine.target, cv=3)

# %%
# Mean and standard deviation over the repetitions:

order = list(found.order()[:8])[::-1]
figure, ax = plt.subplots(figsize=(7, 3.6), layout="constrained")
ax.barh(range(8), [found.mean[k] for k in order], xerr=[found.spread[k] for k in order])
ax.set_yticks(range(8), [found.names[k] for k in order])
ax.set(xlabel="balanced accuracy lost when the feature is permuted")
