"""Weak learners that answer what a test tells them to: for rounds worked by hand."""

from dataclasses import dataclass

import numpy as np
from sklearn.base import BaseEstimator


@dataclass
class ScriptedVoter:
    """Answers by row number, which it reads in its column."""

    column: int
    script: np.ndarray

    def predict(self, X):
        return self.script[X[:, self.column].astype(int)]

    def add_credit(self, credit, weight):
        credit[self.column] += weight


class Scripted(BaseEstimator):
    """Weak learner that gives the answers of the next round of a script."""

    def __init__(self, rounds):
        self.rounds = rounds

    def learn(self, table, columns, costs, seed=0):
        self.asked = getattr(self, "asked", 0) + 1
        script = np.array(self.rounds[min(self.asked, len(self.rounds)) - 1], dtype=np.int32)
        return ScriptedVoter(int(columns[0]), script), script


def row_numbers(n_rows, n_views):
    """A table in which every column holds the number of the row, one column per view."""
    return np.repeat(np.arange(n_rows, dtype=float)[:, None], n_views, axis=1)
