"""NormCoMBo on the command line: its trees, its progress, its model file, its explanation."""

from __future__ import annotations

import pickle

import numpy as np
import pytest

from tests.persistence.test_model_file import CARD, PROBLEM, first, put, write
from uneven import NormComboClassifier
from uneven.comparison import METHODS, Settings, fit_method
from uneven.comparison.methods import default_methods, make_classifier
from uneven.comparison.progress import Silent
from uneven.datasets import make_balance_scale
from uneven.persistence.model_file import ModelFileError, load_model, save_model

METHOD = METHODS["norm_combo"]


class Diary(Silent):
    """Remembers the rounds that it is told of."""

    def __init__(self):
        self.rounds = []

    def round(self, number, total):
        self.rounds.append((number, total))


@pytest.fixture(scope="module")
def diary():
    return Diary()


@pytest.fixture(scope="module")
def fitted(diary):
    return fit_method(METHOD, PROBLEM, Settings(rounds=20), diary)


@pytest.fixture
def path(tmp_path):
    return tmp_path / "m.skops"


def test_the_settings_of_a_run_are_its_defaults():
    made = make_classifier(METHOD, Settings()).get_params()
    assert made == NormComboClassifier(random_state=0).get_params()
    made = make_classifier(METHOD, Settings(rounds=50, seed=3))
    assert (made.n_estimators, made.random_state) == (150, 3)


def test_it_is_compared_unless_others_are_named():
    assert "norm_combo" in default_methods(several_views=False)


def test_progress_counts_boosts(fitted, diary):
    n_boosts = len(fitted[-1].history_["trees"])
    assert n_boosts == 24
    told = [(number, n_boosts) for number in range(1, n_boosts + 1)]
    assert diary.rounds == told * hasattr(NormComboClassifier, "set_callbacks")


def test_round_trip(fitted, path):
    save_model(fitted, CARD, path)
    again = load_model(path)[0]
    np.testing.assert_array_equal(again.predict_proba(PROBLEM.X), fitted.predict_proba(PROBLEM.X))
    model, known = again[-1], fitted[-1]
    for name in ("class_factors_", "steering_cost_", "unseen_errors_"):
        np.testing.assert_array_equal(getattr(model, name), getattr(known, name))
    assert model.unseen_norm_ == known.unseen_norm_ > 0.0


def certain(errors):
    return np.ones_like(errors) - np.eye(len(errors))


@pytest.mark.parametrize(
    ("way", "change", "says"),
    [
        ("vote_.weights", first(-1.0), "vote weights hold a number that cannot be: -1.0"),
        ("class_factors_", first(-1.0), "factors of the classes hold a number that cannot be"),
        ("class_factors_", first(0.0), "which silences the class"),
        ("class_factors_", first(np.nan), "factors of the classes hold"),
        ("class_factors_", lambda a: a[:2], r"factors of the classes are not \(3,\) numbers"),
        ("class_factors_", list, "factors of the classes are not"),
        ("steering_cost_", first(np.inf), "prices of mistakes hold"),
        ("steering_cost_", lambda a: a[:, :2], r"prices of mistakes are not \(3, 3\) numbers"),
        ("unseen_errors_", first(np.nan), "error rates hold"),
        ("unseen_errors_", first(0.5), "leave no correct predictions"),
        ("unseen_errors_", certain, "leave no correct predictions"),
        ("unseen_errors_", np.ravel, "error rates are not"),
        ("unseen_norm_", lambda _: float("nan"), "norm hold a number that cannot be"),
        ("unseen_norm_", lambda _: "small", "norm are not"),
        ("linear_share_", lambda _: 0.3, "linear voters have a share of 0.3"),
        ("linear_share_", lambda _: None, "linear voters have a share of None"),
        ("judged_", lambda judged: -judged, "counts of evaluated rows are not"),
        ("judged_", lambda judged: judged[1:], "counts of evaluated rows are not"),
    ],
)
def test_numbers_that_no_training_leaves_are_refused(fitted, path, way, change, says):
    copy = pickle.loads(pickle.dumps(fitted))
    put(way, change)(copy[-1])
    write(path, pipeline=copy)
    with pytest.raises(ModelFileError, match=f"damaged: .*{says}"):
        load_model(path)


def test_a_file_without_factors_is_refused(fitted, path):
    copy = pickle.loads(pickle.dumps(fitted))
    del copy[-1].class_factors_
    write(path, pipeline=copy)
    with pytest.raises(ModelFileError, match=r"damaged: .*class_factors_"):
        load_model(path)


def test_explain_shows_factors_and_recalls(uneven, table):
    words = ("--method", "norm_combo", "--rounds", 20, "-o", "m.skops")
    assert uneven("fit", table, "-t", "label", *words).code == 0
    done = uneven("explain", "m.skops")
    assert done.code == 0
    model = load_model("m.skops")[0][-1]
    assert "Unseen training rows" in done.out
    assert f"confusion norm {model.unseen_norm_:.3f}, a little optimistic" in done.out
    assert f"{model.n_estimators_} trees in 24 boosts" in done.out
    assert "linear voters" not in done.out
    section = done.out[done.out.index("Unseen") : done.out.index("Which column")]
    lines = {line.split()[0]: line.split() for line in section.splitlines() if line.strip()}
    for label, factor, errors in zip(model.classes_, model.class_factors_, model.unseen_errors_):
        assert lines[label][1:3] == [f"{factor:.2f}", f"{1 - errors.sum():.2f}"]


@pytest.mark.slow
def test_linear_voters_are_kept_in_the_file_and_told_of(uneven, tmp_path):
    scale = make_balance_scale(as_frame=True)
    scale.data.assign(side=scale.target).to_csv(tmp_path / "scale.csv", index=False)
    words = ("--method", "norm_combo", "--rounds", 70, "-o", "m.skops")
    assert uneven("fit", "scale.csv", "-t", "side", *words).code == 0
    done = uneven("explain", "m.skops")
    assert done.code == 0
    pipeline, card = load_model("m.skops")
    model, X = pipeline[-1], make_balance_scale().data
    assert model.linear_share_ == 0.5
    told = (
        f"210 trees in {len(model.vote_.rounds)} boosts, and 4 linear models with half of the vote"
    )
    assert told in " ".join(done.out.split())
    again = make_classifier(METHOD, Settings(rounds=70)).fit(X, scale.target)
    np.testing.assert_array_equal(model.vote_.score(X), again.vote_.score(X))
    save_model(pipeline, card, tmp_path / "again.skops")
    kept = load_model(tmp_path / "again.skops")[0]
    np.testing.assert_array_equal(
        kept.predict_proba(scale.data), pipeline.predict_proba(scale.data)
    )
    np.testing.assert_array_equal(kept[-1].explain().feature_share, again.explain().feature_share)


def test_explain_does_not_invent_the_recall_of_a_single_row(uneven, table, frame):
    frame.loc[frame.index[-1], "label"] = "single"
    frame.to_csv(table, index=False)
    words = ("--method", "norm_combo", "--rounds", 10, "-o", "m.skops")
    assert uneven("fit", table, "-t", "label", *words).code == 0
    shown = uneven("explain", "m.skops").out
    section = shown[shown.index("Unseen") : shown.index("Which column")]
    lines = {line.split()[0]: line for line in section.splitlines() if line.strip()}
    assert "not known" in lines["single"]
    assert "not known" not in lines["common"]
