"""
Which methods differ over several data sets?
============================================

Average ranks and the critical difference of Nemenyi's test: bars join methods that do not differ
significantly.
"""

import numpy as np
from sklearn.datasets import load_breast_cancer, load_digits, load_iris, load_wine, make_moons
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import cross_val_score
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier

from uneven import ComboClassifier
from uneven.plots import CriticalDifferenceDisplay

loaders = (load_breast_cancer, load_iris, load_wine, load_digits)
sets = [load(return_X_y=True) for load in loaders]
sets += [make_moons(300, noise=noise, random_state=0) for noise in (0.1, 0.2, 0.3, 0.4)]
models = {
    "CoMBo": ComboClassifier(n_estimators=60),
    "tree": DecisionTreeClassifier(random_state=0),
    "naive Bayes": GaussianNB(),
    "logistic": make_pipeline(StandardScaler(), LogisticRegression()),
    "1 neighbour": KNeighborsClassifier(1),
}
accuracy = np.array(
    [
        [cross_val_score(model, X[:500], y[:500], cv=3).mean() for model in models.values()]
        for X, y in sets
    ]
)

# %%
# Eight small sets are few: differences of less than two ranks are not significant.

display = CriticalDifferenceDisplay.from_values(accuracy, list(models), better="high")
