"""
Stacking that drops redundant classifiers
=========================================

Twenty random-subspace trees and a few other classifiers are combined by max-margin stacking with a
group penalty. The stronger the penalty, the fewer classifiers are kept and have to be evaluated.
"""

import numpy as np
from sklearn.datasets import load_digits
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import train_test_split
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.tree import DecisionTreeClassifier

from uneven import MarginStackingClassifier
from uneven.plots import SelectionPathDisplay
from uneven.stacking import random_subspaces

X, y = load_digits(return_X_y=True)
alike = np.isin(y, [3, 5, 8, 9])
X = X[alike] / 16 + np.random.default_rng(0).normal(0, 0.2, (alike.sum(), 64))
X_train, X_test, y_train, y_test = train_test_split(X, y[alike], train_size=240, random_state=0)
members = [
    ("logistic", LogisticRegression()),
    ("neighbours", KNeighborsClassifier(5)),
    ("naive_bayes", GaussianNB()),
    *random_subspaces(DecisionTreeClassifier(random_state=0), 64, 20, share=0.1, random_state=0),
]
stack = MarginStackingClassifier(
    members, penalty="group", strengths=(0.001, 0.003, 0.01, 0.03, 0.1, 0.3), random_state=0
).fit(X_train, y_train)
print(f"kept: {', '.join(stack.selected_)}")
print(f"accuracy on held-out rows: {stack.score(X_test, y_test):.3f}")

# %%
# Cross-validated error and number of classifiers along the path:

display = SelectionPathDisplay.from_estimator(stack)
