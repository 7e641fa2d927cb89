"""The boosting estimators as users meet them: learning, stages, stopping, explaining."""

import pickle

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.datasets import load_digits, load_wine
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, cross_val_predict
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from tests.callbacks import StopAfter
from tests.problems import gaussian_classes
from uneven import AdaBoostMMClassifier, ComboClassifier, join_views
from uneven.metrics import confusion_norm, geometric_mean_recall
from uneven.voters import CostTree, Resampled, Weighted

METHODS = [AdaBoostMMClassifier, ComboClassifier]


@pytest.mark.slow
def test_combo_recognises_rare_classes_that_adaboost_mm_gives_up():
    X, y = gaussian_classes([600, 300, 30], n_features=5, separation=0.8, seed=3)
    norms, means = {}, {}
    for method in METHODS:
        answers = cross_val_predict(method(n_estimators=60, max_depth=1), X, y, cv=5)
        norms[method] = confusion_norm(y, answers)
        means[method] = geometric_mean_recall(y, answers)
    assert norms[ComboClassifier] < 0.8 * norms[AdaBoostMMClassifier]
    assert means[ComboClassifier] > means[AdaBoostMMClassifier] + 0.1


@pytest.mark.slow
def test_learns_digits_and_wine():
    X, y = load_digits(return_X_y=True)
    answers = cross_val_predict(ComboClassifier(n_estimators=150, n_jobs=2), X, y, cv=3)
    assert np.mean(answers == y) > 0.9
    X, y = load_wine(return_X_y=True)
    assert np.mean(cross_val_predict(ComboClassifier(n_estimators=60), X, y, cv=5) == y) > 0.94


@pytest.mark.parametrize("method", METHODS)
def test_stages_end_at_the_final_vote(method, problem):
    X, y = problem
    model = method(n_estimators=12, max_depth=2).fit(X, y)
    stages = list(model.staged_decision_function(X))
    assert len(stages) == model.n_estimators_ == len(model.history_["edge"])
    np.testing.assert_array_equal(stages[-1], model.decision_function(X))
    np.testing.assert_array_equal(list(model.staged_predict(X))[-1], model.predict(X))
    assert list(model.staged_score(X, y))[-1] == model.score(X, y)
    shorter = method(n_estimators=5, max_depth=2).fit(X, y)
    np.testing.assert_array_equal(stages[4], shorter.decision_function(X))


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("weak", [None, LogisticRegression(), Resampled(KNeighborsClassifier())])
def test_warm_start_arrives_where_one_fit_arrives(method, weak, problem):
    X, y = problem
    whole = method(weak, n_estimators=12, random_state=3).fit(X, y)
    grown = method(weak, n_estimators=4, random_state=3, warm_start=True).fit(X, y)
    grown.set_params(n_estimators=12).fit(X, y)
    np.testing.assert_array_equal(grown.decision_function(X), whole.decision_function(X))
    np.testing.assert_array_equal(grown.history_["edge"], whole.history_["edge"])


def test_warm_start_with_early_stopping_arrives_there_too():
    X, y = gaussian_classes([200, 80, 30], separation=0.6)
    params = {"early_stopping": True, "n_iter_no_change": 8, "random_state": 2, "max_depth": 2}
    whole = ComboClassifier(n_estimators=60, **params).fit(X, y)
    grown = ComboClassifier(n_estimators=1, warm_start=True, **params).fit(X, y)
    grown.set_params(n_estimators=60).fit(X, y)
    assert grown.n_estimators_ == whole.n_estimators_ > 1
    np.testing.assert_array_equal(grown.decision_function(X), whole.decision_function(X))
    np.testing.assert_array_equal(
        grown.history_["validation_score"], whole.history_["validation_score"]
    )
    loose = ComboClassifier(n_estimators=3, warm_start=True, early_stopping=True).fit(X, y)
    with pytest.raises(ValueError, match="fixed random_state"):
        loose.set_params(n_estimators=5).fit(X, y)


def test_warm_start_refuses_other_classes_and_fewer_rounds(problem):
    X, y = problem
    model = ComboClassifier(n_estimators=4, warm_start=True).fit(X, y)
    with pytest.raises(ValueError, match="classes of the first fit"):
        model.set_params(n_estimators=6).fit(X[y < 2], y[y < 2])
    with pytest.raises(ValueError, match=r"number of columns of the first fit, 4, but .* 2"):
        model.fit(X[:, :2], y)
    assert model.n_estimators_ == 4
    assert model.predict(X).shape == (len(y),)
    with pytest.raises(ValueError, match="cannot take rounds away"):
        model.set_params(n_estimators=2).fit(X, y)


def test_warm_start_off_starts_anew(problem):
    X, y = problem
    model = ComboClassifier(n_estimators=4).fit(X, y).fit(X[::2], y[::2])
    fresh = ComboClassifier(n_estimators=4).fit(X[::2], y[::2])
    np.testing.assert_array_equal(model.decision_function(X), fresh.decision_function(X))


def test_early_stopping_keeps_the_best_round():
    X, y = gaussian_classes([300, 100, 40], separation=0.5)
    model = ComboClassifier(
        n_estimators=300, early_stopping=True, n_iter_no_change=8, random_state=0
    ).fit(X, y)
    scores = model.history_["validation_score"]
    assert model.stop_reason_ == "early stopping"
    assert len(scores) == model.n_estimators_ == len(model.vote_.rounds) < 292
    assert scores.argmax() == len(scores) - 1
    assert scores[-1] > scores[:-1].max(initial=0.0)


def test_early_stopping_leaves_a_single_example_in_training():
    X, y = gaussian_classes([30, 30, 1])
    model = ComboClassifier(n_estimators=5, early_stopping=True, random_state=0).fit(X, y)
    assert model.class_prior_[2] > 0


def test_learning_rate_shrinks_votes(problem):
    X, y = problem
    full = ComboClassifier(n_estimators=1).fit(X, y)
    half = ComboClassifier(n_estimators=1, learning_rate=0.5).fit(X, y)
    np.testing.assert_allclose(half.history_["weight"], 0.5 * full.history_["weight"])


def test_same_seed_same_model(problem):
    X, y = problem
    weak = Resampled(KNeighborsClassifier())
    a = ComboClassifier(weak, n_estimators=4, random_state=1).fit(X, y)
    b = ComboClassifier(weak, n_estimators=4, random_state=1).fit(X, y)
    c = ComboClassifier(weak, n_estimators=4, random_state=2).fit(X, y)
    np.testing.assert_array_equal(a.decision_function(X), b.decision_function(X))
    assert (a.decision_function(X) != c.decision_function(X)).any()


def test_vote_shares_are_probabilities_in_the_order_of_the_votes(problem):
    X, y = problem
    model = ComboClassifier(n_estimators=10).fit(X, y)
    shares = model.predict_proba(X)
    np.testing.assert_allclose(shares.sum(axis=1), 1.0)
    np.testing.assert_allclose(
        shares, model.decision_function(X) / model.history_["weight"].sum(), atol=1e-12
    )


def test_a_worthless_first_round_is_said():
    with pytest.warns(UserWarning, match="no weak learner is better than guessing"):
        ComboClassifier().fit(np.ones((4, 2)), [0, 0, 1, 2])


def test_views_share_the_explanation():
    X, y = gaussian_classes([80, 80], n_features=2, separation=3.0)
    noise = np.random.default_rng(0).normal(size=(len(y), 3))
    joined, views = join_views({"noise": noise, "signal": X})
    model = ComboClassifier(n_estimators=10, max_depth=1, views=views).fit(joined, y)
    explanation = model.explain()
    assert explanation.view_names == ["noise", "signal"]
    np.testing.assert_allclose(explanation.view_share.sum(axis=0), 1.0)
    np.testing.assert_allclose(explanation.feature_share.sum(axis=0), 1.0)
    assert (explanation.view_share[1] > 0.8).all()
    np.testing.assert_allclose(explanation.feature_share[3:].sum(axis=0), explanation.view_share[1])


def test_grid_search_pipeline_clone_and_pickle(problem):
    X, y = problem
    pipeline = make_pipeline(StandardScaler(), ComboClassifier(n_estimators=5, views=[0, 2, 4]))
    search = GridSearchCV(pipeline, {"comboclassifier__max_depth": [1, 2]}, cv=3).fit(X, y)
    assert search.best_score_ > 0.6
    model = ComboClassifier(CostTree(2, "cost"), n_estimators=5).fit(X, y)
    again = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(again.predict(X), model.predict(X))
    assert not hasattr(clone(model), "vote_")


def test_the_fitted_model_holds_no_training_rows(problem):
    X, y = gaussian_classes([3000, 3000])
    small = len(pickle.dumps(ComboClassifier(n_estimators=5).fit(X[:200], y[:200])))
    large = len(pickle.dumps(ComboClassifier(n_estimators=5).fit(X, y)))
    assert large < 2 * small


@pytest.mark.parametrize(
    "weak",
    [
        Weighted(LogisticRegression()),
        LogisticRegression(),
        KNeighborsClassifier(),
        Resampled(LogisticRegression(), fraction=0.4),
        CostTree(max_depth=2, criterion="cost"),
    ],
)
def test_any_weak_learner(weak, problem):
    X, y = problem
    model = ComboClassifier(weak, n_estimators=6, random_state=0).fit(X, y)
    assert model.score(X, y) > 0.7
    share = model.explain().view_share
    np.testing.assert_allclose(share, np.ones_like(share))


def test_verbose_reports_rounds(problem, capsys):
    X, y = problem
    ComboClassifier(n_estimators=20, verbose=1).fit(X, y)
    printed = capsys.readouterr().out
    assert printed.count("\n") == 2
    assert "round 20" in printed
    assert "edge" in printed


def test_callbacks_see_every_round_and_can_stop(problem):
    callback_module = pytest.importorskip("sklearn.callback")
    X, y = problem

    watch = StopAfter(3, lambda model: model.score(X, y))
    assert isinstance(watch, callback_module.FitCallback)
    model = ComboClassifier(n_estimators=20).set_callbacks(watch).fit(X, y)
    assert watch.seen == model.n_estimators_ == 3
    assert watch.answer == model.score(X, y)
    assert model.stop_reason_ == "a callback asked to stop"


def test_callbacks_hear_of_an_early_end_and_get_whole_estimators():
    pytest.importorskip("sklearn.callback")
    pd = pytest.importorskip("pandas")
    frame = pd.DataFrame({"size": pd.Categorical(["s", "l"] * 6), "noise": np.arange(12.0)})
    y = np.tile([0, 1], 6)
    ended = []

    class Watch:
        def setup(self, estimator, context):
            pass

        def teardown(self, estimator, context):
            pass

        def on_fit_task_begin(self, estimator, context):
            pass

        def on_fit_task_end(self, estimator, context, *, fitted_estimator):
            ended.append((context.task_name, fitted_estimator.score(frame, y)))

    model = ComboClassifier(n_estimators=20, max_depth=1).set_callbacks(Watch()).fit(frame, y)
    assert model.stop_reason_ == "a voter without training errors"
    assert ended == [("round", 1.0), ("fit", 1.0)]
