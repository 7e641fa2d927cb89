"""The benchmark of views that say nothing new: its tables, and what it counts."""

from types import SimpleNamespace

import numpy as np
import pandas as pd

from benchmarks import view_selection


def _table(n=60):
    rng = np.random.default_rng(0)
    return pd.DataFrame({"a__x": rng.normal(size=n), "a__y": np.arange(n), "b__x": np.arange(n)})


def test_copies_are_close_and_shuffled_views_keep_their_rows():
    X = _table()
    wide = view_selection.widened(X, seed=0)
    for name in X:
        copy, shuffled = wide["copy of " + name], wide["shuffled " + name]
        assert 0.9 < np.corrcoef(X[name], copy)[0, 1] < 1.0
        assert sorted(shuffled) == sorted(X[name])
        assert abs(np.corrcoef(X[name], shuffled)[0, 1]) < 0.5
    assert (wide["shuffled a__y"] == wide["shuffled b__x"]).all()


class _Keeper:
    """Predicts the class 0, and says that it reads some views."""

    classes_ = np.array([0, 1])

    def __init__(self, names):
        self.views_ = SimpleNamespace(names=names)

    def fit(self, X, y):
        return self

    def predict(self, X):
        return np.zeros(len(X), dtype=int)

    def predict_proba(self, X):
        return np.full((len(X), 2), 0.5)


def test_views_that_are_read_twice_or_shuffled_are_counted(monkeypatch):
    names = ("a", "copy of a", "copy of b", "shuffled a", "shuffled b")
    monkeypatch.setattr(view_selection, "METHODS", {"some": lambda X: _Keeper(names)})
    X = view_selection.widened(_table(), seed=0)
    (found,) = view_selection.judge(X, np.tile([0, 1], 30)).values()
    np.testing.assert_allclose(found, (0.5, np.log(2.0), 5, 1, 2))


def test_given_views_are_those_of_the_table():
    X = view_selection.widened(_table(), seed=0)
    given = view_selection.METHODS["UnevenClassifier, views as given"](X)
    assert given.views == {"a": [0, 1], "b": [2]}
    assert len(view_selection.METHODS["UnevenClassifier, max_views"](X).views) == 6
