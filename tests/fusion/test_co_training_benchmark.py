"""The benchmark of rows without labels: which labels are known, and who learns from what."""

from typing import ClassVar

import numpy as np
import pandas as pd

from benchmarks import co_training


def test_a_few_labels_of_each_class_are_known_and_true():
    y = np.repeat([0, 1, 2], [50, 9, 2])
    some = co_training.few_labels(y, seed=0)
    known = some != co_training.UNLABELLED
    assert np.bincount(some[known]).tolist() == [3, 3, 2]
    np.testing.assert_array_equal(some[known], y[known])
    assert (co_training.few_labels(y, seed=1) != some).any()


class _Recorder:
    """Notes the labels that it is given, and answers the first of them."""

    seen: ClassVar[list] = []

    def fit(self, X, y):
        self.seen.append((len(X), np.sort(np.unique(y)).tolist()))
        self.answer = y[y >= 0][0]
        return self

    def predict(self, X):
        return np.full(len(X), self.answer)


def test_only_the_second_of_a_pair_gets_rows_without_labels(monkeypatch):
    monkeypatch.setattr(_Recorder, "seen", [])
    monkeypatch.setattr(co_training, "METHODS", {"constant": (_Recorder, _Recorder)})
    y = np.repeat([0, 1], 30)
    found = co_training.judge(pd.DataFrame({"left__a": np.arange(60.0)}), y, seed=0)
    assert _Recorder.seen == [(6, [0, 1]), (40, [-1, 0, 1])]
    assert found == {"constant": (0.5, 0.5)}
