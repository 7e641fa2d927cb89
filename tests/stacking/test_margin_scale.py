"""Margins of members of any size meet on one scale, and rows count as often as they are drawn."""

from typing import ClassVar

import numpy as np
import pytest
from sklearn.datasets import load_iris
from sklearn.linear_model import RidgeClassifier
from sklearn.model_selection import StratifiedKFold
from sklearn.naive_bayes import GaussianNB

from uneven import MarginStackingClassifier
from uneven.stacking import Member, level_one, score_members
from uneven.stacking.out_of_fold.level_one import finish_members

X, Y = load_iris(return_X_y=True)


class Quiet(RidgeClassifier):
    """Its margins are tiny."""

    def decision_function(self, X):
        return 1e-4 * super().decision_function(X)


class Counted(GaussianNB):
    """Remembers how many rows each training had."""

    seen: ClassVar[list[int]] = []

    def fit(self, X, y, sample_weight=None):
        self.seen.append(len(y))
        return super().fit(X, y)


def size(scores, share=None):
    """Root of the mean square, shape (n_members,)."""
    return np.sqrt(np.average(np.square(scores).mean(axis=2), axis=0, weights=share))


def test_members_that_are_finished_later_are_on_the_scale_of_level_one():
    members = [("quiet", Quiet()), ("loud", RidgeClassifier()), ("nb", GaussianNB())]
    level = level_one(members, X, Y, finish=False)
    assert size(level.scores)[:2] == pytest.approx([1.0, 1.0])
    for chosen in (None, [True, False, True], [False, True, False]):
        kept = np.ones(3, bool) if chosen is None else np.array(chosen)
        later = score_members(finish_members(level, chosen), X)
        assert size(later) == pytest.approx(size(level.scores)[kept], rel=0.1)


def test_stacks_do_not_care_for_the_size_of_margins():
    words = {"strength": 0.01, "random_state": 0}
    quiet = MarginStackingClassifier([("one", Quiet())], **words).fit(X, Y)
    loud = MarginStackingClassifier([("one", RidgeClassifier())], **words).fit(X, Y)
    np.testing.assert_allclose(quiet.decision_function(X), loud.decision_function(X), atol=1e-5)


def test_weights_of_rows_count_in_the_scale():
    weight = np.where(Y == 0, 20.0, 1.0)
    level = level_one([("ridge", RidgeClassifier())], X, Y, sample_weight=weight)
    assert size(level.scores, weight) == pytest.approx([1.0])
    assert abs(size(level.scores)[0] - 1.0) > 0.05
    copies = np.repeat(np.arange(len(Y)), weight.astype(int))
    prefit = [("ridge", RidgeClassifier().fit(X, Y))]
    weighed = level_one(prefit, X, Y, sample_weight=weight, cv="prefit")
    copied = level_one(prefit, X[copies], Y[copies], cv="prefit")
    assert weighed.scale == pytest.approx(copied.scale)


def test_parts_of_one_class_do_not_measure_margins():
    table = np.random.RandomState(0).randn(60, 3)
    labels = np.repeat([0, 1], [40, 20])
    table[labels == 1] += 2.0
    rows = [*range(40), 45]
    level = level_one([("quiet", Member(Quiet(), rows=rows))], table, labels, random_state=0)
    folds = StratifiedKFold(
        4, shuffle=True, random_state=np.random.RandomState(0).randint(2**31 - 1)
    )
    lone = next(test for _, test in folds.split(table, labels) if 45 in test)
    assert np.array_equal(level.scores[lone, 0], np.tile([1.0, -1.0], (len(lone), 1)))
    others = np.setdiff1d(np.arange(60), lone)
    assert size(level.scores[others]) == pytest.approx([1.0])
    assert 0.5 < size(score_members(level.members, table))[0] < 2.0
    always = level_one([("quiet", Member(Quiet(), rows=range(40)))], table, labels)
    for said in (always.scores, score_members(always.members, table)):
        assert np.array_equal(said[:, 0], np.tile([1.0, -1.0], (60, 1)))


def test_rows_that_are_drawn_twice_are_learnt_twice():
    labels = np.arange(12) % 2
    table = np.random.RandomState(0).randn(12, 2)
    rows = np.repeat(np.arange(12), [3, 1, 1, 1, 2, 1, 0, 1, 1, 1, 1, 1])
    splits = [(np.arange(6), np.arange(6, 12)), (np.arange(6, 12), np.arange(6))]
    for finish in (True, False):
        Counted.seen.clear()
        level = level_one(
            [("few", Member(Counted(), rows=rows))], table, labels, cv=splits, finish=finish
        )
        finish_members(level)
        assert Counted.seen == [9, 5, 14]
