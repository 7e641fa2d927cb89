"""
Explain single predictions
==========================

:func:`uneven.explain_rows` computes Shapley values: how much each feature adds to the score of a
class, compared with an average row.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_wine

from uneven import ComboClassifier, explain_rows

wine = load_wine(as_frame=True)
model = ComboClassifier(n_estimators=30).fit(wine.data, wine.target)
row = 60
predicted = int(model.predict(wine.data.iloc[[row]])[0])
found = explain_rows(model, wine.data, rows=row)
values = found.values[0][:, predicted]

# %%
# The strongest features for the predicted class:

order = np.argsort(-np.abs(values))[:8][::-1]
figure, ax = plt.subplots(figsize=(7, 3.6), layout="constrained")
ax.barh(range(8), values[order], color=np.where(values[order] > 0, "tab:blue", "tab:orange"))
names = wine.data.columns[order]
ax.set_yticks(range(8), [f"{name} = {wine.data[name].iloc[row]:.4g}" for name in names])
ax.set(title=f"row {row}, predicted class {predicted}", xlabel="added to the score")
