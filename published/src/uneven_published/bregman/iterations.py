"""How many iterations of the vote cross-validation chooses, and what each number brings."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.model_selection import StratifiedKFold, cross_val_score

from uneven_published.bregman.one_against_rest import FIRST_SEED, Task, tasks
from uneven_published.bregman.sources import open_collection
from uneven_published.description import Answers, Context

__all__ = ["ChosenIterations"]


@dataclass(frozen=True)
class ChosenIterations:
    """The number of iterations with the best accuracy in cross-validation, class by class.

    Attributes
    ----------
    methods : dict of str to classifier
        Each with the parameters ``max_iter``, ``views`` and ``random_state``.
    iterations : tuple of int
        Numbers to choose from; the smallest one of equals is chosen.
    looked_for : int
        The share of classes for which this number is chosen is measured.
    n_train : int
        Rows to learn from, half of them of the class.
    n_folds : int
    """

    methods: Mapping[str, Any]
    iterations: tuple[int, ...]
    looked_for: int = 2
    n_train: int = 100
    n_folds: int = 5

    def __call__(self, item: str, repeat: int, context: Context) -> Answers:
        """Measure one repetition on a collection."""
        rows = open_collection(item, context)
        seed = FIRST_SEED + repeat
        chosen: dict[str, list[int]] = {name: [] for name in self.methods}
        curves: dict[str, list[NDArray[np.float64]]] = {name: [] for name in self.methods}
        for task in tasks(rows, self.n_train, seed):
            for name, method in self.methods.items():
                model = clone(method).set_params(views=rows.views, random_state=seed)
                chosen[name].append(self._choose(model, task, seed))
                curves[name].append(self._test(model, task))
        return {
            name: {
                "share": [float(np.mean(np.equal(chosen[name], self.looked_for)))],
                "chosen": [float(np.mean(chosen[name]))],
                "accuracy": [np.mean(curves[name], axis=0).tolist()],
            }
            for name in self.methods
        }

    def _choose(self, model: Any, task: Task, seed: int) -> int:
        folds = StratifiedKFold(self.n_folds, shuffle=True, random_state=seed)
        scores = [
            cross_val_score(clone(model).set_params(max_iter=n), task.X, task.y, cv=folds).mean()
            for n in self.iterations
        ]
        return self.iterations[int(np.argmax(scores))]

    def _test(self, model: Any, task: Task) -> NDArray[np.float64]:
        """Accuracy on the test rows for every number of iterations."""
        found = []
        for n in self.iterations:
            fitted = clone(model).set_params(max_iter=n).fit(task.X, task.y)
            found.append(task.judge(fitted.predict(task.unseen))[0])
        return np.array(found)
