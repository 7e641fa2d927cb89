"""Ensembles to stack: how many there are, what they learn from, and that they repeat."""

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.datasets import load_wine
from sklearn.naive_bayes import GaussianNB
from sklearn.tree import DecisionTreeClassifier

from uneven.stacking import bagged_ensemble, level_one, random_subspaces

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
