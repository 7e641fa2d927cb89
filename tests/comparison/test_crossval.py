from __future__ import annotations

import warnings

import numpy as np
import pytest
from sklearn.model_selection import RepeatedStratifiedKFold

from tests.cli.conftest import make_frame
from uneven import ComboClassifier
from uneven.comparison import (
    Settings,
    choose_measure,
    choose_methods,
    cross_validate,
    make_problem,
)
from uneven.comparison.encoding import encode_ordinal
from uneven.metrics import confusion_norm

PROBLEM = make_problem(make_frame(), "label")
NORM = choose_measure("confusion_norm")


class Diary:
    """Observer that writes everything down."""

    def __init__(self):
        self.lines = []

    def begin(self, label, step):
        self.lines.append(f"{label} {step}")

    def round(self, number, total):
        self.lines.append(f"{number}/{total}")

    def end(self, label):
        self.lines.append("end")


def test_scores_are_those_of_a_loop_by_hand():
    settings = Settings(rounds=5, seed=3)
    (run,) = cross_validate(
        PROBLEM, choose_methods(["combo"]), settings, metric=NORM, folds=3, repeats=2
    )
    expected = []
    folds = RepeatedStratifiedKFold(n_splits=3, n_repeats=2, random_state=3)
    for train, test in folds.split(PROBLEM.X, PROBLEM.y):
        encoder = encode_ordinal(PROBLEM.schema).fit(PROBLEM.X.iloc[train])
        model = ComboClassifier(n_estimators=5, random_state=3)
        model.fit(encoder.transform(PROBLEM.X.iloc[train]), PROBLEM.y[train])
        answers = model.predict(encoder.transform(PROBLEM.X.iloc[test]))
        expected.append(confusion_norm(PROBLEM.y[test], answers, labels=PROBLEM.classes))
    assert run.scores["confusion_norm"] == pytest.approx(expected)


def test_observer_sees_folds_and_rounds():
    diary = Diary()
    cross_validate(
        PROBLEM,
        choose_methods(["combo", "logistic_regression"]),
        Settings(rounds=2),
        metric=NORM,
        folds=2,
        observer=diary,
    )
    rounds = ["1/2", "2/2"] if hasattr(ComboClassifier, "set_callbacks") else []
    assert diary.lines == [
        *("CoMBo fold 1 of 2", *rounds, "end", "CoMBo fold 2 of 2", *rounds, "end"),
        *("Logistic regression fold 1 of 2", "end"),
        *("Logistic regression fold 2 of 2", "end"),
    ]


def test_two_classes_have_curves_of_every_measure():
    two = make_problem(make_frame().query("label != 'rare'"), "label")
    for name in ("mauc", "gmean"):
        metric = choose_measure(name)
        (run,) = cross_validate(
            two, choose_methods(["combo"]), Settings(rounds=4), metric=metric, folds=2
        )
        assert not run.errors
        assert len(run.curves["held_out"]) == len(run.curves["edge"])
        assert run.curves["held_out"][-1] == pytest.approx(run.scores[name][0])


def test_a_vote_without_terms_is_no_failure():
    frame = make_frame().assign(same=1.0)[["same", "label"]]
    blind = make_problem(frame, "label", keep=["same"])
    (run,) = cross_validate(
        blind, choose_methods(["combo"]), Settings(rounds=4), metric=NORM, folds=2
    )
    assert not run.errors
    assert run.curves["held_out"] == []
    assert any("better than guessing" in text for text in run.warnings)


def test_warnings_are_kept_and_filters_restored():
    before = list(warnings.filters)
    wide = make_problem(
        make_frame().assign(**{f"n{j}": np.random.default_rng(j).random(90) for j in range(3)}),
        "label",
    )
    cross_validate(wide, choose_methods(["combo"]), Settings(rounds=2), metric=NORM, folds=2)
    assert warnings.filters == before


def test_models_keep_no_callback():
    from uneven.comparison import fit_method

    diary = Diary()
    model = fit_method(choose_methods(["combo"])[0], PROBLEM, Settings(rounds=2), diary)
    assert diary.lines[0] == "CoMBo all rows"
    assert not [name for name in vars(model[-1]) if "callback" in name]
