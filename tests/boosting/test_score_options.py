"""Leaves that hold scores: probabilities, early stopping, categories, and what is refused."""

import pickle

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from sklearn.base import clone
from sklearn.datasets import load_digits
from sklearn.metrics import balanced_accuracy_score, log_loss, make_scorer
from sklearn.model_selection import train_test_split

from tests.boosting.test_row_order import bits
from tests.boosting.test_score_leaves import JOINED, SINGLE, scored
from tests.callbacks import StopAfter
from tests.problems import four_view_classes, gaussian_classes
from uneven import (
    AdaBoostMMClassifier,
    BalancedBoostingClassifier,
    ComboClassifier,
    MuComboClassifier,
    MumboClassifier,
)
from uneven.boosting import ShareBoostClassifier
from uneven.boosting.balanced_boosting import settings_for
from uneven.noise import corrupt_labels
from uneven.voters.cost_tree import CategoryTree


def even(y):
    """Rows that there would be if all classes were as small as the smallest."""
    counts = np.bincount(y)
    return int(counts.min()) * len(counts)


@pytest.fixture(scope="module")
def split():
    X, y = gaussian_classes([400, 160, 60], separation=1.0)
    return train_test_split(X, y, test_size=0.4, stratify=y, random_state=0)


# probabilities


@pytest.mark.parametrize("loss", ["exponential", "log"])
@pytest.mark.parametrize("method", [*SINGLE, *JOINED])
def test_probabilities_and_answers(method, loss, problem):
    X, y = problem
    model = scored(method, loss=loss).fit(X, y)
    for balanced in (False, True):
        known = model.predict_proba(X, balanced=balanced)
        np.testing.assert_allclose(known.sum(axis=1), 1.0, rtol=1e-12)
        assert (known > 0.0).all()
    np.testing.assert_array_equal(known.argmax(axis=1), model.predict(X))
    np.testing.assert_array_equal(model.decision_function(X).argmax(axis=1), model.predict(X))
    *_, last = model.staged_predict_proba(X, balanced=True)
    np.testing.assert_array_equal(last, known)
    assert len(list(model.staged_predict(X))) == 8


@pytest.mark.parametrize("method", [ComboClassifier, MuComboClassifier])
def test_class_frequencies_are_put_back(method, problem):
    X, y = problem
    model = scored(method, loss="log").fit(X, y)
    shifted = model.predict_proba(X, balanced=True) * np.bincount(y) / len(y)
    shifted /= shifted.sum(axis=1, keepdims=True)
    np.testing.assert_allclose(model.predict_proba(X), shifted, rtol=1e-9)
    plain = scored(AdaBoostMMClassifier, loss="log").fit(X, y)
    np.testing.assert_array_equal(plain.predict_proba(X), plain.predict_proba(X, balanced=True))


def test_rows_with_nothing_known_get_the_class_frequencies(problem):
    X, y = problem
    nothing = np.full((2, X.shape[1]), np.nan)
    for method in (*SINGLE, *JOINED):
        model = scored(method).fit(X, y)
        np.testing.assert_allclose(model.predict_proba(nothing), [model.class_prior_] * 2)
        assert model.undecided(nothing).all()
        assert model.predict(nothing).tolist() == [0, 0]
    balanced = scored(ComboClassifier).fit(X, y).predict_proba(nothing, balanced=True)
    np.testing.assert_allclose(balanced, 1.0 / 3.0)


def test_temperature(split):
    X, _, y, _ = split
    assert scored(ComboClassifier, loss="log").fit(X, y).temperature_ == 1.0
    model = scored(ComboClassifier).fit(X, y)
    assert model.temperature_ == 2.0
    scores = 2.0 * model.decision_function(X)
    expected = np.exp(scores) / np.exp(scores).sum(axis=1, keepdims=True)
    np.testing.assert_allclose(model.predict_proba(X, balanced=True), expected, rtol=1e-9)


def test_held_out_rows_cool_scores_that_are_too_sure(split):
    X, X_test, y, y_test = split
    sure = scored(
        AdaBoostMMClassifier, n_estimators=60, n_iter_no_change=60, early_stopping=True,
        scoring="balanced_accuracy", max_depth=None, l2=0.01,
    ).fit(X, y)  # fmt: skip
    assert 0.1 <= sure.temperature_ < 2.0
    cooled = log_loss(y_test, sure.predict_proba(X_test))
    sure.temperature_ = 2.0
    assert cooled < log_loss(y_test, sure.predict_proba(X_test))


def test_the_log_loss_gives_better_probabilities_than_votes(split):
    X, X_test, y, y_test = split
    scores = BalancedBoostingClassifier(random_state=0).fit(X, y)
    votes = ComboClassifier(n_estimators=60).fit(X, y)
    losses = [log_loss(y_test, model.predict_proba(X_test)) for model in (scores, votes)]
    assert losses[0] < losses[1] - 0.05


# early stopping


def recall_of_the_last(estimator, X, y, sample_weight=None):
    return float(np.mean(estimator.predict(X)[y == 2] == 2))


@pytest.mark.parametrize(
    "scoring",
    [None, "norm", "log_loss", "balanced_accuracy", "neg_log_loss", recall_of_the_last,
     make_scorer(balanced_accuracy_score)],
)  # fmt: skip
@pytest.mark.parametrize("method", [ComboClassifier, MuComboClassifier])
def test_early_stopping_keeps_the_best_round(method, scoring, split):
    X, _, y, _ = split
    model = scored(
        method, early_stopping=True, scoring=scoring, n_estimators=60, n_iter_no_change=5,
        max_depth=None,
    ).fit(X, y)  # fmt: skip
    seen = model.history_["validation_score"]
    assert len(seen) == model.n_estimators_ == len(model.vote_.rounds)
    assert seen.argmax() == len(seen) - 1
    assert model.stop_reason_ == "early stopping"


def test_what_the_validation_score_is(split):
    X, _, y, _ = split

    def watched(**given):
        params = {"early_stopping": True, "n_estimators": 5, "n_iter_no_change": 50} | given
        return scored(ComboClassifier, **params).fit(X, y)

    names = {}
    for scoring in (None, "log_loss", "norm", "balanced_accuracy"):
        names[scoring] = watched(scoring=scoring).history_["validation_score"]
    shared = min(map(len, names.values()))
    np.testing.assert_array_equal(names[None][:shared], names["log_loss"][:shared])
    assert (names[None] < 0).all()
    assert (names["norm"] <= 0).all()
    assert ((names["balanced_accuracy"] > 0) & (names["balanced_accuracy"] <= 1)).all()
    votes = ComboClassifier(early_stopping=True, scoring="log_loss", n_estimators=5, random_state=0)
    assert (votes.fit(X, y).history_["validation_score"] < 0).all()


def test_fitting_again_gives_the_same_model(split):
    X, _, y, _ = split
    model = scored(
        ComboClassifier, early_stopping=True, scoring="neg_log_loss", n_estimators=20,
        n_iter_no_change=4,
    )  # fmt: skip
    first = bits(model.fit(X, y)), model.temperature_
    assert (bits(model.fit(X, y)), model.temperature_) == first


def test_unknown_scoring_is_refused(problem):
    with pytest.raises(ValueError, match="nonsense"):
        scored(ComboClassifier, early_stopping=True, scoring="nonsense").fit(*problem)


# balanced boosting


def test_open_settings_follow_the_table(problem):
    X, y = problem
    model = BalancedBoostingClassifier(n_estimators=3, random_state=0).fit(X, y)
    assert model.settled_ == settings_for(*X.shape, even(y), False, "auto") | {"n_estimators": 3}
    assert model.get_params()["learning_rate"] is None
    given = {"n_estimators": 4, "max_leaves": 5, "learning_rate": 0.5, "subsample": 0.5}
    set_ = BalancedBoostingClassifier(**given, max_features=0.5, random_state=0).fit(X, y)
    assert given.items() <= set_.settled_.items()
    assert set_.n_estimators_ == 4
    assert max(term.voter.is_leaf.sum() for term in set_.vote_.terms()) <= 5
    assert "draw" in set_.history_
    stops = BalancedBoostingClassifier(early_stopping=True, random_state=0).fit(X, y)
    assert stops.settled_["early_stopping"] is True
    assert "validation_score" in stops.history_


@pytest.mark.parametrize("n_rows", [10, 1000, 9999, 10_000, 200_000, 10**7])
def test_settings_are_valid_for_tables_of_any_size(n_rows):
    for n_columns in (1, 999, 10**5):
        for is_sparse in (False, True):
            found = settings_for(n_rows, n_columns, n_rows, is_sparse)
            assert 0 < found["learning_rate"] <= 1
            assert 0 < found["subsample"] <= 1
            assert 0 < found["max_features"] <= 1
            assert 2 <= found["max_leaves"] <= 255
            assert found["early_stopping"] == (n_rows >= 10_000)
    assert settings_for(n_rows, 5, n_rows, False, early_stopping=True)["early_stopping"]
    assert not settings_for(n_rows, 5, n_rows, False, early_stopping=False)["early_stopping"]


# categories


def category_frame(n=400, seed=0):
    """A class that follows an arbitrary set of categories, and a column of noise."""
    rng = np.random.default_rng(seed)
    kind = rng.integers(0, 8, n)
    y = np.isin(kind, [0, 3, 4, 6]).astype(int)
    return pd.DataFrame({"noise": rng.normal(size=n), "kind": kind}), y


def test_one_question_learns_a_set_of_categories():
    frame, y = category_frame()
    model = BalancedBoostingClassifier(
        n_estimators=1, max_depth=1, categorical_features=["kind"], random_state=0
    ).fit(frame, y)
    assert model.score(frame, y) == 1.0
    assert isinstance(model.vote_.term(0).voter, CategoryTree)
    numbers = BalancedBoostingClassifier(n_estimators=1, max_depth=1, random_state=0)
    assert numbers.fit(frame, y).score(frame, y) < 0.9
    share = model.explain().feature_share
    np.testing.assert_allclose(share, [[0.0, 0.0], [1.0, 1.0]])


@pytest.mark.parametrize("given", [["kind"], [1], [False, True], np.array([1])])
def test_categories_by_name_position_and_mask(given):
    frame, y = category_frame()
    model = BalancedBoostingClassifier(n_estimators=3, categorical_features=given, random_state=0)
    named = BalancedBoostingClassifier(n_estimators=3, random_state=0)
    typed = frame.assign(kind=frame["kind"].astype("category"))
    assert bits(model.fit(frame, y)) == bits(named.fit(typed, y))
    np.testing.assert_array_equal(model.predict_proba(frame), named.predict_proba(typed))


@pytest.mark.parametrize("given", [[], [False, False], np.zeros(0, dtype=int)])
def test_no_categorical_features_are_none(given):
    frame, y = category_frame()
    model = BalancedBoostingClassifier(n_estimators=3, categorical_features=given, random_state=0)
    plain = BalancedBoostingClassifier(n_estimators=3, random_state=0)
    assert bits(model.fit(frame, y)) == bits(plain.fit(frame, y))


def test_categories_of_frames_may_be_words():
    frame, y = category_frame()
    words = frame.assign(kind=frame["kind"].map(lambda k: f"k{k}").astype("category"))
    model = BalancedBoostingClassifier(n_estimators=2, random_state=0).fit(words, y)
    assert model.score(words, y) == 1.0
    asked = words[:4].copy()
    asked["kind"] = pd.Categorical(["k3", "never", None, "k1"])
    scores = model.predict_proba(asked)
    assert scores[0, 1] > 0.5 > scores[3, 1]
    holes = asked.assign(kind=pd.Categorical([None] * 4, categories=words["kind"].cat.categories))
    np.testing.assert_allclose(scores[1:3], model.predict_proba(holes)[1:3])


def test_categories_that_are_new_count_as_missing():
    frame, y = category_frame()
    X = frame.to_numpy(dtype=float)
    model = BalancedBoostingClassifier(n_estimators=4, categorical_features=[1], random_state=0)
    model.fit(X, y)
    asked = np.zeros((5, 2))
    asked[:, 1] = [np.nan, 8.0, 300.0, 1e15, -1.0]
    scores = model.decision_function(asked)
    np.testing.assert_array_equal(scores, scores[0])


def test_categories_of_columns_of_any_width_are_new_by_themselves():
    """A column of three categories beside one of thirty: the fourth is new in the first."""
    rng = np.random.default_rng(0)
    X = np.column_stack([rng.integers(0, 3, 300), rng.integers(0, 30, 300)]).astype(float)
    y = (X[:, 0] == 1) ^ (X[:, 1] % 7 < 2)
    model = BalancedBoostingClassifier(n_estimators=8, categorical_features=[0, 1], random_state=0)
    model.fit(X, y)
    asked = np.array([[3.0, 5.0], [np.nan, 5.0], [29.0, 5.0]])
    scores = model.decision_function(asked)
    assert scores[0] == scores[1] == scores[2]


def test_more_than_254_categories_are_learnt():
    rng = np.random.default_rng(0)
    kind = np.repeat(np.arange(320), np.where(np.arange(320) < 240, 6, 1))
    good = rng.random(320) < 0.5
    y = good[kind].astype(int)
    model = BalancedBoostingClassifier(
        n_estimators=5, max_depth=2, categorical_features=[0], random_state=0
    ).fit(kind[:, None].astype(float), y)
    common = kind < 240
    assert model.score(kind[common, None].astype(float), y[common]) == 1.0
    assert np.isfinite(model.predict_proba([[319.0], [5000.0]])).all()


@pytest.mark.parametrize(
    ("column", "given", "says"),
    [
        ([0.5, 1.0, 2.0, 0.0], [0], r"no codes of categories.* such as 0\.5"),
        ([-1.0, 1.0, 2.0, 0.0], [0], "no codes of categories"),
        ([0.0, 1.0, 2e6, 0.0], [0], r"no codes of categories.* such as 2e\+06"),
        ([0.0, 1.0, 2.0, 0.0], [3], "^categorical_features reaches outside the 2 columns"),
        ([0.0, 1.0, 2.0, 0.0], ["name"], "^categorical_features is given by column names"),
        ([0.0, 1.0, 2.0, 0.0], [True], "mask of categorical_features"),
    ],
)
def test_wrong_categories_are_refused(column, given, says):
    X = np.column_stack([column, np.arange(4.0)])
    with pytest.raises(ValueError, match=says):
        BalancedBoostingClassifier(categorical_features=given).fit(X, [0, 1, 0, 1])


def test_categories_of_sparse_tables_are_refused():
    X = sp.csr_array(np.eye(4))
    with pytest.raises(ValueError, match="dense table"):
        BalancedBoostingClassifier(categorical_features=[0]).fit(X, [0, 1, 0, 1])


def test_category_columns_may_hold_nothing():
    X = np.column_stack([np.full(20, np.nan), np.arange(20.0)])
    y = (np.arange(20) >= 10).astype(int)
    model = BalancedBoostingClassifier(n_estimators=5, categorical_features=[0]).fit(X, y)
    assert model.predict([[np.nan, 0.0], [3.0, 19.0]]).tolist() == [0, 1]


# parameters


@pytest.mark.parametrize(
    ("model", "says"),
    [
        (ComboClassifier(loss="log"), 'loss=.log. needs leaves="scores"'),
        (ComboClassifier(leaf_step="newton"), 'leaf_step=.newton. needs leaves="scores"'),
        (ComboClassifier(max_leaves=4), 'max_leaves=4 needs leaves="scores"'),
        (ComboClassifier(l2=2.0), 'l2=2.0 needs leaves="scores"'),
        (MumboClassifier(min_weight=1.0), 'min_weight=1.0 needs leaves="scores"'),
        (ComboClassifier(max_depth=None), "max_depth"),
        (ComboClassifier(leaves="roots"), "leaves"),
        (scored(ComboClassifier, loss="hinge"), "loss"),
        (scored(ComboClassifier, leaf_step="leap"), "leaf_step"),
        (scored(ComboClassifier, max_leaves=1), "max_leaves"),
        (scored(ComboClassifier, max_depth=0), "max_depth"),
        (scored(ComboClassifier, l2=-1.0), "l2"),
        (scored(ComboClassifier, min_weight=-1.0), "min_weight"),
        (scored(ComboClassifier, max_features=0.0), "max_features"),
        (scored(ComboClassifier, learning_rate=1.5), "learning_rate"),
        (scored(ComboClassifier, estimator=ComboClassifier()), "estimator must be None"),
        (scored(ComboClassifier, line_search=True), "line_search"),
        (scored(MumboClassifier, selection="combination"), "combination"),
        (scored(MumboClassifier, selection="combination_or_best"), "combination_or_best"),
        (BalancedBoostingClassifier(n_estimators=0), "n_estimators"),
        (BalancedBoostingClassifier(early_stopping="maybe"), 'True, False or "auto", got .maybe'),
        (scored(ComboClassifier, class_cost=np.full((3, 3), 1e100)), "is 1e.100; .* divide"),
        (BalancedBoostingClassifier(class_cost=np.full((3, 3), 1e-100)), "between 1e-15 and 1e15"),
        (BalancedBoostingClassifier(subsample=0.0), "subsample"),
        (BalancedBoostingClassifier(verbose=-1), "verbose must be a whole number"),
        (ComboClassifier(verbose="loud"), "verbose must be a whole number"),
    ],
)
def test_wrong_parameters_are_refused(model, says, problem):
    with pytest.raises((ValueError, TypeError), match=says):
        model.fit(*problem)
    assert not hasattr(model, "vote_")


def test_methods_without_score_leaves_do_not_offer_them():
    assert "leaves" not in ShareBoostClassifier().get_params()
    assert "leaves" not in BalancedBoostingClassifier().get_params()
    with pytest.raises(TypeError):
        BalancedBoostingClassifier(estimator=None)


@pytest.mark.parametrize("method", [*SINGLE, *JOINED])
def test_clones_pickles_and_defaults(method, problem):
    X, y = problem
    model = scored(method).fit(X, y)
    again = clone(model)
    assert not hasattr(again, "vote_")
    assert bits(again.fit(X, y)) == bits(model)
    copy = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(copy.predict_proba(X), model.predict_proba(X))
    np.testing.assert_array_equal(copy.explain().feature_share, model.explain().feature_share)
    assert copy.vote_.has_scores


def test_a_failed_fit_leaves_the_model_as_it_was(problem):
    X, y = problem
    model = scored(ComboClassifier).fit(X, y)
    before = bits(model)
    with pytest.raises(ValueError, match="estimator"):
        model.set_params(estimator=ComboClassifier()).fit(X, y)
    assert bits(model) == before


def test_votes_without_rounds_answer_the_most_frequent_class():
    with pytest.warns(UserWarning, match="no weak learner is better than guessing"):
        model = scored(ComboClassifier).fit(np.ones((6, 1)), [0, 0, 0, 1, 1, 2])
    assert model.predict([[1.0]]).tolist() == [0]
    np.testing.assert_allclose(model.predict_proba([[1.0]]), [[3 / 6, 2 / 6, 1 / 6]])


@pytest.mark.parametrize("method", [ComboClassifier, BalancedBoostingClassifier, MumboClassifier])
def test_callbacks_see_every_round_and_can_stop(method, problem):
    pytest.importorskip("sklearn.callback")
    X, y = problem
    watch = StopAfter(3, lambda model: model.predict_proba(X))
    model = scored(method, n_estimators=6).set_callbacks(watch).fit(X, y)
    assert watch.seen == 3
    assert model.stop_reason_ == "a callback asked to stop"
    assert model.n_estimators_ == 3
    assert watch.answer.shape == (len(y), 3)
    whole = scored(method, n_estimators=3).fit(X, y)
    np.testing.assert_array_equal(model.decision_function(X), whole.decision_function(X))


def test_verbose_prints_rounds(problem, capsys):
    scored(ComboClassifier, n_estimators=10, verbose=1).fit(*problem)
    assert "round 10" in capsys.readouterr().out
    scored(MumboClassifier, n_estimators=1, verbose=10).fit(*problem)
    assert "  view 0" in (told := capsys.readouterr().out)
    assert "view 0." not in told


@pytest.mark.parametrize("method", JOINED)
def test_views_speak_for_the_classes_they_know(method):
    X, y, views = four_view_classes()
    model = scored(method, views=views, n_estimators=20).fit(X, y)
    share = model.explain().view_share
    np.testing.assert_allclose(share.sum(axis=0), 1.0)
    assert model.score(X, y) > 0.9
    if method is MumboClassifier:
        assert model.selection_counts_.sum() == 20
        alone = model.predict_by_view(X)
        assert all(np.mean(answers == y) < model.score(X, y) for answers in alone.values())
    else:
        assert ((model.coefficients_ >= 0.0) & (model.coefficients_ <= 1.0)).all()


# learning


def half_of_digits():
    X, y = load_digits(return_X_y=True)
    return train_test_split(X, y, test_size=0.5, stratify=y, random_state=0)


@pytest.mark.slow
def test_scores_learn_more_than_votes_in_as_many_rounds():
    X, X_test, y, y_test = half_of_digits()

    def right(model, n_rounds, **params):
        model.set_params(n_estimators=n_rounds, random_state=0, **params)
        return model.fit(X, y).score(X_test, y_test)

    scores = {"leaves": "scores", "learning_rate": 0.3}
    assert right(ComboClassifier(), 10, **scores) > right(ComboClassifier(), 10) + 0.04
    votes = right(ComboClassifier(), 40)
    assert right(ComboClassifier(), 40, **scores) > votes + 0.01
    assert right(BalancedBoostingClassifier(), 40) > votes + 0.01


@pytest.mark.slow
@pytest.mark.parametrize(("loss", "n_rounds"), [("exponential", 20), ("log", 60)])
def test_a_noise_matrix_repairs_what_noisy_labels_spoil(loss, n_rounds):
    """Of each of five digits, two in five rows are taken for another one."""
    X, X_test, y, y_test = half_of_digits()
    noise = np.eye(10)
    noise[:5, :5] = 0.6 * np.eye(5)
    noise[np.arange(5) + 5, np.arange(5)] = 0.4
    noisy = corrupt_labels(y, noise, rng=0)
    is_clean = np.arange(len(y)) % 3 == 0
    model = scored(ComboClassifier, loss=loss, n_estimators=n_rounds, learning_rate=0.3)
    spoilt = clone(model).fit(X, noisy).score(X_test, y_test)
    model = clone(model).set_params(noise_matrix=noise)
    repaired = model.fit(X, noisy).score(X_test, y_test)
    assert repaired > spoilt + 0.03
    model.fit(X, np.where(is_clean, y, noisy), clean=is_clean)
    assert model.score(X_test, y_test) > repaired


def test_rare_classes_get_smaller_trees():
    even = settings_for(50_000, 8, 50_000, is_sparse=False)["max_leaves"]
    rare = settings_for(50_000, 8, 400, is_sparse=False)["max_leaves"]
    assert (even, rare) == (89, 11)


@pytest.mark.parametrize(
    ("first", "then"),
    [
        ({"leaves": "votes"}, {"leaves": "scores"}),
        ({"leaves": "scores"}, {"leaves": "votes"}),
        ({"leaves": "scores", "loss": "log"}, {"loss": "exponential"}),
    ],
)
def test_warm_start_refuses_other_leaves_and_leaves_the_model_alone(first, then):
    X, y = gaussian_classes([40, 30, 20])
    model = ComboClassifier(n_estimators=3, warm_start=True, random_state=0, **first).fit(X, y)
    before = model.predict_proba(X)
    np.testing.assert_array_equal(model.set_params(**then).predict_proba(X), before)
    with pytest.raises(ValueError, match="warm_start goes on from a fit with leaves"):
        model.set_params(n_estimators=6).fit(X, y)
    np.testing.assert_array_equal(model.predict_proba(X), before)


def test_early_stopping_with_held_out_rows_that_weigh_nothing():
    X, y = gaussian_classes([40, 30, 20])
    weight = np.zeros(len(y))
    weight[[np.flatnonzero(y == k)[0] for k in range(3)]] = 1.0
    model = BalancedBoostingClassifier(early_stopping=True, random_state=0)
    assert model.fit(X, y, weight).n_estimators_ >= 0


def test_scorers_that_make_no_sense_are_refused():
    X, y = gaussian_classes([40, 30, 20])
    with pytest.raises(ValueError, match="Unknown scorer 'nonsense'"):
        ComboClassifier(leaves="scores", scoring="nonsense").fit(X, y)
    with pytest.raises(ValueError, match="scoring returned NaN"):
        BalancedBoostingClassifier(
            early_stopping=True, random_state=0, scoring=lambda estimator, X, y: np.nan
        ).fit(X, y)
    weighed = BalancedBoostingClassifier(
        early_stopping=True,
        random_state=0,
        scoring=lambda model, X, y: (model.predict(X) == y).mean(),
    )
    assert weighed.fit(X, y, np.arange(1.0, len(y) + 1.0)).n_estimators_ > 0


@pytest.mark.parametrize("place", ["indices", "indptr"])
def test_a_damaged_sparse_table_is_refused(place):
    X, y = gaussian_classes([40, 30, 20])
    table = sp.csr_array(np.where(np.abs(X) < 1, 0.0, X))
    getattr(table, place)[3] = 10**6
    with pytest.raises(ValueError, match="X is a damaged sparse matrix"):
        BalancedBoostingClassifier(n_estimators=2).fit(table, y)
