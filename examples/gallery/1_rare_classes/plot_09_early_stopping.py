"""
Training curves and early stopping
==================================

``early_stopping=True`` holds out a validation fraction, stops when its score no longer improves,
and keeps the best round. ``history_`` has the edge, the weight and the loss of every round.
"""

from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split

from uneven import ComboClassifier
from uneven.plots import BoostingCurveDisplay

X, y = load_digits(return_X_y=True)
X_train, X_test, y_train, y_test = train_test_split(X, y, stratify=y, random_state=0)
model = ComboClassifier(n_estimators=300, max_depth=3, early_stopping=True, random_state=0)
model.fit(X_train, y_train)
print(f"{model.n_estimators_} rounds kept: {model.stop_reason_}")

# %%
# Edge, vote weight and loss by round, and balanced accuracy on training and held-out rows:

display = BoostingCurveDisplay.from_estimator(model, X_train, y_train, X_val=X_test, y_val=y_test)
