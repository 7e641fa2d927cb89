"""Ensembles to stack: how many there are, what they learn from, and that they repeat."""

from typing import ClassVar

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.datasets import load_wine
from sklearn.naive_bayes import GaussianNB
from sklearn.tree import DecisionTreeClassifier

from uneven.stacking import bagged_ensemble, ensembles, level_one, make_ensemble, random_subspaces

X, Y = load_wine(return_X_y=True)


def test_bags_repeat_rows():
    members = bagged_ensemble(DecisionTreeClassifier(), 3, random_state=0)
    drawn = [member.draw_rows(Y, np.random.RandomState(0)) for _, member in members]
    assert [len(rows) for rows in drawn] == [178] * 3
    assert all(0.5 < len(np.unique(rows)) / 178 < 0.75 for rows in drawn)
    assert len({tuple(rows) for rows in drawn}) == 3
    assert len({member.estimator.random_state for _, member in members}) == 3


def test_subspaces_read_some_columns():
    members = random_subspaces(GaussianNB(), X.shape[1], 4, share=0.3, random_state=1)
    level = level_one(members, X, Y)
    assert [member.model.n_features_in_ for member in level.members] == [4] * 4
    assert len({tuple(member.columns) for _, member in members}) == 4


@pytest.mark.parametrize(
    "members",
    [
        bagged_ensemble(GaussianNB(), 2),
        random_subspaces(GaussianNB(), 3, 2),
    ],
)
def test_they_clone(members):
    copies = clone([entry for _, entry in members], safe=False)
    assert repr(copies) == repr([entry for _, entry in members])
    assert all(copy is not entry for copy, (_, entry) in zip(copies, members))


@pytest.mark.parametrize(
    ("build", "sentence"),
    [
        (lambda: bagged_ensemble(GaussianNB(), 0), "n must be a whole number"),
        (lambda: bagged_ensemble(GaussianNB(), share=2), "share must be"),
        (lambda: random_subspaces(GaussianNB(), 0), "n_features must be"),
        (lambda: random_subspaces(GaussianNB(), 3, share="half"), "share must be"),
    ],
)
def test_errors_say_what_is_wrong(build, sentence):
    with pytest.raises(ValueError, match=sentence):
        build()


class Slow(GaussianNB):
    """A classifier whose training takes so many ticks of a false clock."""

    clock = 0.0
    fits: ClassVar = []

    def __init__(self, power=1, ticks=1.0):
        super().__init__()
        self.power = power
        self.ticks = ticks

    def fit(self, X, y, sample_weight=None):
        Slow.clock += self.ticks * (len(y) / 300.0) ** self.power
        Slow.fits.append(len(y))
        return super().fit(X, y)


@pytest.fixture
def kinds(monkeypatch):
    """A false clock, and kinds of which each costs one tick on 300 rows."""
    Slow.clock, Slow.fits = 0.0, []
    known = {"linear": Slow(1), "square": Slow(2), "cheap": Slow(1, 0.01)}
    monkeypatch.setattr(ensembles, "_kinds", lambda: known)
    monkeypatch.setattr(ensembles, "process_time", lambda: Slow.clock)
    return known


def drawn(n):
    rng = np.random.default_rng(0)
    return rng.normal(size=(n, 2)), np.arange(n) % 2


@pytest.mark.parametrize(
    ("budget", "kept"),
    [
        (44.9, ["linear"]),  # 1 + 4 ticks of trials and 40 of four trainings
        (450.0, ["linear", "cheap"]),
        (479.0, ["linear", "square", "cheap"]),  # and 17 of trials and 400 of trainings
    ],
)
def test_the_budget_pays_for_trials_and_growing_times(kinds, budget, kept):
    found = make_ensemble(*drawn(3000), time_budget=budget, random_state=0)
    assert [name for name, _ in found] == kept


def test_few_rows_are_tried_once_and_nothing_is_tried_when_the_budget_is_spent(kinds):
    make_ensemble(*drawn(600), time_budget=1e6, random_state=0)
    assert Slow.fits == [300] * 3
    Slow.fits = []
    assert len(make_ensemble(*drawn(600), time_budget=0.5, random_state=0)) == 1
    assert Slow.fits == [300]


def test_a_budget_needs_rows():
    with pytest.raises(ValueError, match="needs X and y"):
        make_ensemble(time_budget=1.0)


def test_labels_of_other_rows_and_no_folds_are_refused():
    with pytest.raises(ValueError, match="inconsistent numbers of samples"):
        make_ensemble(X, Y[:-1], time_budget=1.0)
    with pytest.raises(ValueError, match="folds must be a whole number at least 1"):
        make_ensemble(folds=0)


@pytest.mark.slow
def test_every_kind_learns_with_holes():
    holes = X.copy()
    holes[::7, 2] = np.nan
    members = make_ensemble(random_state=0)
    assert len(members) == 15
    for name, model in members:
        fitted = model.set_params(**small(model)).fit(holes[::2], Y[::2])
        assert fitted.score(holes[1::2], Y[1::2]) > 0.8, name


def small(model):
    """Fewer trees, so that it is quick."""
    return {name: 30 for name in ("n_estimators", "max_iter") if name in model.get_params()}
