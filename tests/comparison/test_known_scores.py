"""The stack of a comparison learns from what its methods said in their folds."""

from dataclasses import replace

import numpy as np
import pytest
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.linear_model import RidgeClassifier
from sklearn.model_selection import TimeSeriesSplit
from sklearn.naive_bayes import GaussianNB

from uneven import compare
from uneven.comparison import STACK
from uneven.comparison.known_scores import KnownScores
from uneven.datasets import make_waveform

WAVES = make_waveform(150, random_state=0)
X, Y = WAVES.data, WAVES.target
FITS = []


class Counted(GaussianNB):
    """Naive Bayes that notes how many rows each of its fits has; fails on some."""

    def __init__(self, name="", fails_with=None):
        super().__init__()
        self.name = name
        self.fails_with = fails_with

    def fit(self, X, y, sample_weight=None):
        FITS.append((self.name, len(y)))
        if self.fails_with is not None and not (np.asarray(X) == self.fails_with).any():
            raise ValueError("the row that it needs is not there")
        return super().fit(X, y, sample_weight)


def stacked(methods=None, **words):
    """A comparison with a stack, and the fits that it took by method."""
    FITS.clear()
    methods = methods or {"a": Counted("a"), "b": Counted("b")}
    words = {"cv": 3, "diagnosis": False, "random_state": 0} | words
    return compare(X, Y, methods=methods, stack=True, **words), list(FITS)


def test_no_method_is_fitted_again_for_the_stack():
    found, fits = stacked(refit=False)
    assert sorted(fits) == [(name, 100) for name in "ab" for _ in range(3)]
    stack = found.methods[-1]
    assert stack.name == STACK
    assert [len(fold.rows) for fold in stack.answers] == [50, 50, 50]
    assert len(stack.kept) == 3
    assert stack.mean("accuracy") > 0.7
    own = [sum(m.fit_seconds[k] for m in found.methods[:2]) for k in range(3)]
    assert all(spent > part for spent, part in zip(stack.fit_seconds, own))


def test_the_stack_on_all_rows_trains_only_what_it_keeps():
    found, _ = stacked(refit=False)
    FITS.clear()
    model = found.best_model(STACK)
    inner = found.refit_plan.models[STACK][-1]
    assert sorted(FITS) == [(name, 150) for name in inner.selected_]
    assert np.mean(model.predict(X) == Y) > 0.7
    assert [type(one[-1]).__name__ for _, one in inner.estimators] == ["Counted", "Counted"]
    with pytest.raises(Exception, match="not fitted"):
        inner.estimators[0][1].predict(X)


def test_models_on_all_rows_serve_the_stack_too():
    found = compare(
        X, Y, methods=["combo", "logistic_regression"], stack=True, cv=3, rounds=5, diagnosis=False
    )
    models = found.refit_plan.models
    members = {member.name: member.model for member in models[STACK][-1].estimators_}
    assert members
    assert all(models[name] is members[name] for name in members if name in models)
    assert "combo" in models


@pytest.mark.parametrize("repeats", [1, 2])
def test_a_fold_learns_from_its_training_rows_only(repeats):
    found, _ = stacked(refit=False, repeats=repeats)
    results = found.methods[:2]
    for number, fold in enumerate(results[0].answers):
        train = np.setdiff1d(np.arange(150), fold.rows)
        known = KnownScores.of(results, train, number)
        assert set(known.rows) == set(train)
        for m, result in enumerate(results):
            others = [one for one in result.answers if one.fold != number]
            said = {int(r): [] for r in train}
            for one in others:
                for row, scores in zip(one.rows, one.scores):
                    said.get(int(row), []).append(scores)
            for row, scores in zip(known.rows, known.scores[:, m]):
                assert any(np.array_equal(scores, one) for one in said[int(row)])
    assert np.all(known.seconds > 0.0)


def test_a_change_of_the_scores_of_its_own_fold_changes_no_weights():
    found, _ = stacked(refit=False)
    results = found.methods[:2]
    train = np.setdiff1d(np.arange(150), results[0].answers[1].rows)
    before = KnownScores.of(results, train, 1)
    spoilt = [
        replace(r, answers=[replace(a, scores=a.scores * (a.fold != 1)) for a in r.answers])
        for r in results
    ]
    np.testing.assert_array_equal(KnownScores.of(spoilt, train, 1).scores, before.scores)


def test_margins_are_joined_like_those_of_a_fitted_stack():
    two = Y < 2
    methods = {"ridge": RidgeClassifier(), "lda": LinearDiscriminantAnalysis()}
    words = {"methods": methods, "stack": True, "cv": 3, "diagnosis": False}
    found = compare(X[two], Y[two], **words)
    members = found.refit_plan.models[STACK][-1].estimators_
    scale = {member.name: member.scale for member in members}
    assert scale.get("ridge", 0.5) == pytest.approx(0.5, abs=0.25)
    assert scale["ridge"] != 1.0
    assert found.methods[-1].mean("accuracy") > 0.8
    assert np.mean(found.best_model(STACK).predict(X[two]) == Y[two]) > 0.8


def test_the_stack_fails_where_a_method_fails_and_learns_from_the_other_folds():
    needed = X[0, 0]
    found, fits = stacked({"a": Counted("a"), "b": Counted("b", fails_with=needed)}, refit=False)
    failed = [error.fold for error in found.methods[1].errors]
    assert len(failed) == 1
    stack = found.methods[-1]
    assert [error.fold for error in stack.errors] == failed
    assert "b failed in this fold" in stack.errors[0].message
    assert len(stack.answers) == 2
    assert len(fits) == 6


@pytest.mark.parametrize(
    "words", [{"cv": TimeSeriesSplit(3)}, {"cv": [(range(75), range(75, 150))]}]
)
def test_methods_are_fitted_where_few_training_rows_were_held_out(words):
    found, fits = stacked(refit=False, **words)
    n_folds = len(found.methods[0].answers)
    assert not found.methods[-1].errors
    assert len(found.methods[-1].answers) == n_folds
    assert len(fits) > 2 * n_folds


def test_with_a_time_limit_the_stack_has_the_folds_that_its_methods_finished(monkeypatch):
    from uneven.comparison.deadline import Deadline

    free, _ = stacked(refit=False)
    limited, _ = stacked(refit=False, time_limit=1000)
    assert limited.methods[-1].scores["accuracy"] == free.methods[-1].scores["accuracy"]
    asked = []
    monkeypatch.setattr(Deadline, "allows", lambda *_: asked.append(0) or len(asked) < 5)
    short, fits = stacked(refit=False, time_limit=1000)
    assert len(fits) == 5
    assert [len(method.answers) for method in short.methods] == [2, 2, 2]
