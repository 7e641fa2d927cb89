"""Members for the tests of stacks, among them one that tells of every fit and every question."""

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.linear_model import RidgeClassifier
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier

GRID = [0.003, 0.03, 0.1]
CALLS = {"fit": [], "predict": []}


class Counted(ClassifierMixin, BaseEstimator):
    """Trees on some columns, that tell of every fit and every question; names are tags."""

    def __init__(self, tag="a", noise=0.0):
        self.tag = tag
        self.noise = noise

    def fit(self, X, y):
        CALLS["fit"].append((self.tag, len(X)))
        self.classes_ = np.unique(y)
        self.tree_ = DecisionTreeClassifier(max_depth=4, random_state=0).fit(X, y)
        return self

    def predict_proba(self, X):
        CALLS["predict"].append((self.tag, len(X)))
        rng = np.random.default_rng(len(X))
        said = self.tree_.predict_proba(X)
        mixed = rng.dirichlet(np.ones(said.shape[1]), len(X))
        return (1.0 - self.noise) * said + self.noise * mixed

    def predict(self, X):
        return self.classes_[self.predict_proba(X).argmax(axis=1)]


def small_members():
    return [
        ("bayes", GaussianNB()),
        ("tree", DecisionTreeClassifier(max_depth=3, random_state=0)),
        ("near", KNeighborsClassifier(5)),
        ("ridge", make_pipeline(StandardScaler(), RidgeClassifier())),
    ]
