"""Leaves that hold scores: what the theory promises, and cases in which methods are the same."""

import warnings

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import clone

from tests.boosting.test_row_order import assert_order_does_not_matter, bits, sample_weights
from tests.problems import four_view_classes, gaussian_classes, tables, view_tables
from uneven import (
    AdaBoostMMClassifier,
    BalancedBoostingClassifier,
    ComboClassifier,
    MuComboClassifier,
    MumboClassifier,
)
from uneven.boosting import score_leaves
from uneven.costs import score_costs
from uneven.metrics import error_matrix
from uneven.voters import growing_tree

SINGLE = [AdaBoostMMClassifier, ComboClassifier, BalancedBoostingClassifier]
JOINED = [MumboClassifier, MuComboClassifier]
FALLING = ["balance", "closed"]


def scored(method, **params):
    """A method whose leaves hold scores, with few rounds."""
    own = {} if method is BalancedBoostingClassifier else {"leaves": "scores"}
    return method(**{"n_estimators": 8, "random_state": 0} | own | params)


def fitted(model, *args, **kwargs):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return model.fit(*args, **kwargs)


def exponential_loss(scores, y, weight):
    pairs = np.exp(scores - scores[np.arange(len(y)), y][:, None])
    pairs[np.arange(len(y)), y] = 0.0
    return float((weight * pairs.sum(axis=1)).sum())


@settings(max_examples=40)
@given(tables(), st.sampled_from(FALLING), st.floats(0.1, 1.0), st.sampled_from([1, 4]))
def test_combo_bounds_the_confusion_norm_and_its_loss_never_rises(problem, step, rate, depth):
    X, y, n_classes = problem
    model = scored(ComboClassifier, leaf_step=step, learning_rate=rate, max_depth=depth)
    fitted(model, X, y)
    losses = np.exp(model.history_.get("log_loss", []))
    start = n_classes * (n_classes - 1)
    assert (np.diff([start, *losses]) <= 1e-5 * start).all()
    weight = 1.0 / np.bincount(y)[y]
    for loss, scores in zip(losses, model.vote_.staged_score(X)):
        assert exponential_loss(scores, y, weight) == pytest.approx(loss, rel=1e-3)
        errors = error_matrix(y, scores.argmax(axis=1))
        norm = np.linalg.norm(errors, 2)
        assert errors.sum() <= loss * (1 + 1e-3)
        assert norm <= min(loss, np.sqrt(loss)) * (1 + 1e-3)


@pytest.mark.parametrize("step", FALLING)
@pytest.mark.parametrize("method", SINGLE)
def test_the_log_loss_never_rises(method, step):
    X, y = gaussian_classes([60, 40, 12, 5], separation=0.7)
    prices = np.random.default_rng(0).uniform(0.5, 3.0, (4, 4))
    for class_cost in (None, prices):
        model = scored(
            method, loss="log", leaf_step=step, learning_rate=1.0, class_cost=class_cost,
            n_estimators=15, max_depth=3,
        ).fit(X, y)  # fmt: skip
        losses = np.exp(model.history_["log_loss"])
        assert len(losses) == 15
        assert (np.diff(losses) <= 1e-6 * losses[0]).all()
        assert losses[-1] < 0.7 * losses[0]


def test_the_log_loss_is_that_of_the_probabilities():
    X, y = gaussian_classes([60, 40, 12])
    weight = np.random.default_rng(0).gamma(1.0, size=len(y))
    plain = scored(AdaBoostMMClassifier, loss="log").fit(X, y, weight)
    said = np.log(plain.predict_proba(X)[np.arange(len(y)), y])
    assert np.exp(plain.history_["log_loss"][-1]) == pytest.approx(-(weight * said).sum(), rel=1e-5)
    balanced = scored(ComboClassifier, loss="log").fit(X, y, weight)
    said = np.log(balanced.predict_proba(X, balanced=True)[np.arange(len(y)), y])
    share = weight / np.bincount(y, weights=weight)[y]
    found = np.exp(balanced.history_["log_loss"][-1])
    assert found == pytest.approx(-(share * said).sum(), rel=1e-5)


@pytest.mark.parametrize("step", FALLING)
def test_the_edge_bounds_the_fall_of_the_loss(step):
    X, y = gaussian_classes([60, 40, 12], separation=0.7)
    model = scored(ComboClassifier, leaf_step=step, l2=0.0, n_estimators=12).fit(X, y)
    losses = np.concatenate([[6.0], np.exp(model.history_["log_loss"])])
    promised = losses[:-1] * np.sqrt(1.0 - model.history_["edge"] ** 2)
    assert (losses[1:] <= promised * (1 + 1e-5)).all()
    np.testing.assert_allclose(
        model.history_["weight"], np.arctanh(model.history_["edge"]), rtol=1e-9
    )


def test_two_classes_with_exact_steps_are_real_adaboost():
    X, y = gaussian_classes([80, 50], separation=0.6)
    ours = scored(AdaBoostMMClassifier, leaf_step="balance", l2=0.0, max_depth=1).fit(X, y)
    weight = np.full(len(y), 1.0)
    sign = 2 * y - 1
    for term in ours.vote_.terms():
        leaf = term.voter.predict(X)
        for number in np.unique(leaf):
            inside = leaf == number
            up, down = weight[inside & (y == 1)].sum(), weight[inside & (y == 0)].sum()
            margin = term.weight[number, 1] - term.weight[number, 0]
            if up == 0.0 or down == 0.0:
                assert np.abs(margin) > 5.0
                continue
            assert margin == pytest.approx(0.5 * np.log(up / down), abs=1e-4)
        margins = term.weight[leaf, 1] - term.weight[leaf, 0]
        weight = weight * np.exp(-sign * margins)


@pytest.mark.parametrize("loss", ["exponential", "log"])
def test_one_view_is_the_method_without_views(loss):
    X, y = gaussian_classes([60, 40, 12], separation=0.7)
    given = {"loss": loss, "subsample": 0.7, "max_features": 0.6}
    names = ("edge", "weight", "log_loss")
    mumbo = scored(MumboClassifier, **given).fit(X, y)
    plain = scored(AdaBoostMMClassifier, **given).fit(X, y)
    mucombo = scored(MuComboClassifier, **given).fit(X, y)
    combo = scored(ComboClassifier, **given).fit(X, y)
    for joined, single in ((mumbo, plain), (mucombo, combo)):
        assert joined.vote_.score(X).tobytes() == single.vote_.score(X).tobytes()
        for name in names:
            np.testing.assert_array_equal(joined.history_[name], single.history_[name])
        np.testing.assert_array_equal(joined.predict_proba(X), single.predict_proba(X))


@pytest.mark.parametrize("loss", ["exponential", "log"])
@pytest.mark.parametrize("step", FALLING)
def test_the_loss_of_no_view_rises_if_coefficients_may_add_up_to_less(loss, step):
    X, y = gaussian_classes([60, 40, 12], separation=0.4)
    rng = np.random.default_rng(0)
    X[np.ix_(rng.random(len(y)) < 0.3, [0, 1])] = np.nan
    views = {"left": [0, 1], "right": list(range(2, X.shape[1]))}
    given = {"loss": loss, "leaf_step": step, "learning_rate": 1.0, "n_estimators": 15}
    model = scored(MuComboClassifier, constraint="le1", views=views, **given).fit(X, y)
    losses = np.exp(model.history_["view_log_loss"])
    assert losses.shape == (15, 2)
    assert (np.diff(losses, axis=0) <= 1e-6 * losses[0]).all()
    assert (losses[-1] < losses[0]).all()
    shares = model.history_["coefficients"]
    assert shares.sum(axis=1).max() <= 1.0 + 1e-12
    assert ((shares > 0.0) & (shares < 1.0)).any()


def test_balanced_boosting_is_combo_with_its_settings():
    X, y = gaussian_classes([60, 40, 12])
    balanced = BalancedBoostingClassifier(n_estimators=6, random_state=0).fit(X, y)
    own = {name: balanced.settled_[name] for name in ("learning_rate", "max_leaves", "subsample")}
    combo = scored(ComboClassifier, n_estimators=6, loss="log", max_depth=None, **own).fit(X, y)
    assert bits(balanced) == bits(combo)


@pytest.mark.parametrize("step", ["balance", "closed", "newton"])
def test_combo_weighs_classes_as_sample_weights_would(step):
    """But for smoothing: a rare class owes as many examples as it has, not as it weighs."""
    X, y = gaussian_classes([60, 30, 12])
    weight = 1.0 / np.bincount(y)[y]
    balanced = scored(ComboClassifier, leaf_step=step, l2=0.0).fit(X, y)
    plain = scored(AdaBoostMMClassifier, leaf_step=step, l2=0.0).fit(X, y, weight)
    np.testing.assert_array_equal(balanced.vote_.score(X), plain.vote_.score(X))


@pytest.mark.parametrize("method", [*SINGLE, *JOINED])
def test_a_noise_matrix_without_noise_changes_nothing(method):
    X, y = gaussian_classes([60, 40, 12])
    for loss in ("exponential", "log"):
        plain = scored(method, loss=loss).fit(X, y)
        noisy = scored(method, loss=loss, noise_matrix=np.eye(3)).fit(X, y)
        assert bits(plain) == bits(noisy)


@pytest.mark.parametrize("method", SINGLE)
def test_tiny_noise_changes_little(method):
    X, y = gaussian_classes([60, 40, 12])
    noise = np.full((3, 3), 1e-7) + (1 - 3e-7) * np.eye(3)
    plain = scored(method, loss="log", n_estimators=3).fit(X, y)
    noisy = scored(method, loss="log", n_estimators=3, noise_matrix=noise).fit(X, y)
    np.testing.assert_allclose(noisy.predict_proba(X), plain.predict_proba(X), atol=1e-3)


@st.composite
def score_settings(draw, n_classes):
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    prices = rng.uniform(0.1, 3.0, (n_classes, n_classes))
    noise = np.full((n_classes, n_classes), 0.2 / n_classes) + 0.8 * np.eye(n_classes)
    return {
        "loss": draw(st.sampled_from(["exponential", "log"])),
        "leaf_step": draw(st.sampled_from(["balance", "closed", "newton"])),
        "learning_rate": draw(st.sampled_from([0.3, 1.0])),
        "max_depth": draw(st.sampled_from([1, 3, None])),
        "max_leaves": draw(st.sampled_from([None, 4])),
        "n_estimators": draw(st.sampled_from([3, 6])),
        "subsample": draw(st.sampled_from([1.0, 0.5])),
        "max_features": draw(st.sampled_from([1.0, 0.5])),
        "early_stopping": draw(st.booleans()),
        "validation_fraction": 0.3,
        "n_iter_no_change": 3,
        "scoring": draw(st.sampled_from([None, "log_loss"])),
        "class_cost": draw(st.sampled_from([None, prices])),
        "noise_matrix": draw(st.sampled_from([None, noise])),
        "max_bins": draw(st.sampled_from([4, 255])),
        "random_state": draw(st.integers(0, 100)),
    }


@settings(max_examples=40)
@given(st.sampled_from(SINGLE), tables(), st.booleans(), st.data())
def test_the_order_of_rows_does_not_matter(method, problem, sparse, data):
    X, y, n_classes = problem
    model = scored(method, **data.draw(score_settings(n_classes)))
    X = sp.csr_array(X) if sparse else X
    assert_order_does_not_matter(model, X, y, 1, **data.draw(sample_weights(len(y))))


@settings(max_examples=30)
@given(st.sampled_from(JOINED), view_tables(max_views=3), st.data())
def test_the_order_of_rows_does_not_matter_to_views(method, problem, data):
    X, y, n_classes, views = problem
    model = scored(method, views=views, **data.draw(score_settings(n_classes)))
    if method is MumboClassifier:
        rule = st.sampled_from(["max_edge", "class_focus", "diversity", "quota", "random"])
        model.set_params(selection=data.draw(rule))
    else:
        model.set_params(coefficients=data.draw(st.sampled_from(["exact", "simplified", "ones"])))
    assert_order_does_not_matter(model, X, y, 2, **data.draw(sample_weights(len(y))))


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["numbers", "sparse", "categories", "subsample"])
def test_threads_change_no_bit(kind, monkeypatch):
    """Loops that are worth threads, large nodes that threads share, small ones that they take."""
    shared, alone = [], []
    for name, calls in (("_expand_in_threads", shared), ("_finish", alone)):
        plain = getattr(growing_tree.GrowingTree, name)

        def counted(self, *args, plain=plain, calls=calls):
            calls.append(args)
            plain(self, *args)

        monkeypatch.setattr(growing_tree.GrowingTree, name, counted)
    monkeypatch.setattr(growing_tree, "_PARALLEL_ADDITIONS", 5000)
    monkeypatch.setattr(score_costs, "_PARALLEL_ENTRIES", 10_000)
    X, y = gaussian_classes([5000, 2000, 600, 100], n_features=5, separation=0.5)
    X[::9, 1] = np.nan
    given = {"n_estimators": 3, "max_leaves": 40, "max_depth": None}
    method = ComboClassifier
    if kind == "sparse":
        X = sp.csr_array(np.where(X > 0.5, X, 0.0))
    if kind == "categories":
        X[:, 0], method = np.clip(np.rint(3 * X[:, 0]) + 12, 0, 24), BalancedBoostingClassifier
        given["categorical_features"] = [0]
    if kind == "subsample":
        given |= {"subsample": 0.5, "max_features": 0.6, "loss": "log"}
    models = [scored(method, n_jobs=n_jobs, **given).fit(X, y) for n_jobs in (1, 2, 3)]
    assert bits(models[0]) == bits(models[1]) == bits(models[2])
    assert 0 < 2 * len(shared) < len(alone)
    for model in models[1:]:
        np.testing.assert_array_equal(model.predict_proba(X), models[0].predict_proba(X))


@pytest.mark.slow
@pytest.mark.parametrize("method", JOINED)
def test_threads_change_no_bit_in_views(method, monkeypatch):
    monkeypatch.setattr("uneven.boosting.multiview._PARALLEL_CELLS", 0)
    monkeypatch.setattr(growing_tree, "_PARALLEL_ADDITIONS", 0)
    monkeypatch.setattr(score_costs, "_PARALLEL_ENTRIES", 0)
    X, y, views = four_view_classes((1200, 600, 300, 150))
    X[::5, :3] = np.nan
    models = [
        scored(method, views=views, n_jobs=n_jobs, n_estimators=4).fit(X, y)
        for n_jobs in (1, 2, 3, 8)
    ]
    assert all(bits(model) == bits(models[0]) for model in models)


@settings(max_examples=25)
@given(tables(), st.sampled_from(SINGLE), st.sampled_from([1.0, 0.5]))
def test_sparse_tables_teach_what_dense_ones_teach(problem, method, share):
    X, y, _ = problem
    model = scored(method, max_features=share, subsample=share)
    dense = bits(fitted(model, X, y))
    for table in (sp.csr_array(X), sp.csc_matrix(X)):
        assert bits(fitted(model, table, y)) == dense
        np.testing.assert_array_equal(model.predict_proba(table), model.predict_proba(X))


@pytest.mark.parametrize("method", SINGLE)
def test_drawn_columns_of_wide_sparse_tables(method):
    X = sp.random(80, 300, density=0.1, random_state=0, format="csr")
    y = np.random.default_rng(0).integers(0, 3, 80)
    model = scored(method, max_features=0.1, n_estimators=4).fit(X, y)
    same = scored(method, max_features=0.1, n_estimators=4).fit(X.toarray(), y)
    assert bits(model) == bits(same)
    assert len(np.unique(model.vote_._forest.trees.feature)) > 1


@pytest.mark.parametrize("method", SINGLE)
def test_weights_count_rows(method):
    """The same trees with the same scores, unless rounding decides between equally good splits.

    A row of weight 2 is rounded once, two rows of weight 1 are rounded twice, the same way.
    """
    X, y = gaussian_classes([60, 25, 9], separation=0.8)
    for loss in ("exponential", "log"):
        repeats = np.random.default_rng(1).integers(1, 4, len(y))
        model = scored(method, loss=loss, max_leaves=8)
        repeated = clone(model).fit(np.repeat(X, repeats, axis=0), np.repeat(y, repeats))
        weighted = clone(model).fit(X, y, repeats)
        np.testing.assert_allclose(weighted.predict_proba(X), repeated.predict_proba(X), rtol=1e-9)
        for name in ("edge", "log_loss"):
            np.testing.assert_allclose(weighted.history_[name], repeated.history_[name], rtol=1e-6)


@pytest.mark.parametrize("method", [*SINGLE, *JOINED])
def test_small_weights_only_compare_rows(method):
    """Weights count examples; where rows stand for less than one, their scale means nothing."""
    X, y = gaussian_classes([60, 25, 9], separation=0.8)
    weight = np.random.default_rng(0).gamma(1.0, size=len(y))
    weight /= weight.mean()
    plain = scored(method).fit(X, y, weight).decision_function(X)
    for factor in (1e-130, 0.01):
        tiny = scored(method).fit(X, y, weight * factor)
        np.testing.assert_allclose(tiny.decision_function(X), plain, rtol=1e-6, atol=1e-6)
    assert np.isfinite(scored(method).fit(X, y, weight * 1e130).decision_function(X)).all()
    many = scored(method).fit(X, y, weight * 50.0).decision_function(X)
    assert np.abs(many - plain).max() > 1e-3


@pytest.mark.parametrize("method", [*SINGLE, *JOINED])
def test_rows_of_weight_zero_are_left_out(method):
    X, y = gaussian_classes([60, 25, 9], separation=0.8)
    weight = np.where(np.arange(len(y)) % 3 == 0, 0.0, 1.0)
    rest = weight > 0
    without = scored(method).fit(X[rest], y[rest])
    assert bits(scored(method).fit(X, y, weight)) == bits(without)


@pytest.mark.parametrize("method", SINGLE)
@pytest.mark.parametrize("loss", ["exponential", "log"])
def test_weights_of_any_size(method, loss):
    X, y = gaussian_classes([60, 25, 9], separation=0.8)
    weight = 10.0 ** np.random.default_rng(0).uniform(-30, 30, len(y))
    model = scored(method, loss=loss).fit(X, y, weight)
    assert np.isfinite(model.decision_function(X)).all()
    heavy = weight > 0.01 * weight.max()
    assert (model.predict(X[heavy]) == y[heavy]).all()


@settings(max_examples=15)
@given(
    st.sampled_from([AdaBoostMMClassifier, ComboClassifier]),
    st.sampled_from(["exponential", "log"]),
    st.sampled_from(["balance", "closed", "newton"]),
    st.sampled_from([1.0, 0.5]),
    st.booleans(),
    st.integers(1, 7),
)
def test_a_warm_start_is_a_longer_fit(method, loss, step, subsample, stops, first):
    X, y = gaussian_classes([60, 25, 9], separation=0.8)
    given = {
        "loss": loss, "leaf_step": step, "subsample": subsample, "early_stopping": stops,
        "validation_fraction": 0.3, "max_features": 0.5, "scoring": "neg_log_loss",
    }  # fmt: skip
    whole = scored(method, **given).fit(X, y)
    parted = scored(method, warm_start=True, **given | {"n_estimators": first}).fit(X, y)
    parted.set_params(n_estimators=8).fit(X, y)
    if stops and whole.n_estimators_ < 8:
        return
    assert bits(parted) == bits(whole)
    np.testing.assert_array_equal(parted.predict_proba(X), whole.predict_proba(X))


@pytest.mark.parametrize("first", [1, 4])
@pytest.mark.parametrize("missing", [False, True])
@pytest.mark.parametrize(
    ("method", "rule"),
    [
        (MumboClassifier, {"selection": "max_edge"}),
        (MumboClassifier, {"selection": "diversity", "subsample": 0.5}),
        (MumboClassifier, {"selection": "class_focus", "cooperation": "gauss"}),
        (MumboClassifier, {"selection": "quota", "loss": "log"}),
        (MuComboClassifier, {"coefficients": "exact", "subsample": 0.5}),
        (MuComboClassifier, {"coefficients": "ones", "loss": "log"}),
    ],
)
def test_a_warm_start_with_views_is_a_longer_fit(method, rule, missing, first):
    X, y, views = four_view_classes((60, 30, 15, 9))
    if missing:
        X[::4, 3:6] = np.nan
    whole = scored(method, views=views, **rule).fit(X, y)
    parted = scored(method, views=views, warm_start=True, **rule).set_params(n_estimators=first)
    parted.fit(X, y).set_params(n_estimators=8).fit(X, y)
    assert bits(parted) == bits(whole)
    if method is MumboClassifier:
        for mine, other in zip(parted.view_votes_, whole.view_votes_):
            np.testing.assert_array_equal(mine.score(X), other.score(X))
    else:
        np.testing.assert_array_equal(parted.coefficients_, whole.coefficients_)


@pytest.mark.parametrize("method", JOINED)
def test_missing_views_abstain(method):
    X, y, views = four_view_classes((60, 30, 15, 9))
    holes = X.copy()
    holes[::3, :3], holes[1::4, 3:6] = np.nan, np.nan
    model = scored(method, views=views, n_estimators=12).fit(holes, y)
    asked = X.copy()
    asked[:, :3] = np.nan
    own = [term for term in model.vote_.terms() if term.view != 0]
    assert 0 < len(own) < len(model.vote_)
    expected = sum(term.weight[term.voter.predict(asked)] for term in own)
    np.testing.assert_allclose(model.vote_.score(asked), expected, rtol=1e-12, atol=1e-12)
    nothing = np.full((2, 12), np.nan)
    assert not model.decision_function(nothing).any()
    np.testing.assert_allclose(model.predict_proba(nothing), [model.class_prior_] * 2)
    assert model.predict(nothing).tolist() == [0, 0]


@pytest.mark.filterwarnings("error::RuntimeWarning")
@pytest.mark.parametrize("method", JOINED)
def test_views_that_no_row_has_stay_silent(method):
    X, y, views = four_view_classes((60, 30, 15, 9))
    X[:, 3:6] = np.nan
    with pytest.warns(UserWarning, match="are not used"):
        model = scored(method, views=views).fit(X, y)
    assert 1 not in model.vote_.view_of_term
    rest = [0, 3, 6, 9]
    kept = scored(method, views=rest).fit(np.delete(X, [3, 4, 5], axis=1), y)
    assert model.score(X, y) > kept.score(np.delete(X, [3, 4, 5], axis=1), y) - 0.1


@pytest.mark.parametrize("method", JOINED)
@pytest.mark.parametrize("is_clean", [False, True])
def test_noisy_labels_of_views_that_lack_rows_or_classes(method, is_clean):
    X, y, views = four_view_classes((60, 30, 15, 9))
    X[:, 3:6], X[y == 3, 6:9] = np.nan, np.nan
    noise = np.full((4, 4), 0.05) + 0.8 * np.eye(4)
    model = scored(method, views=views, noise_matrix=noise, loss="log")
    fitted(model, X, y, clean=np.full(len(y), is_clean))
    assert np.isfinite(model.predict_proba(X)).all()
    assert model.score(X, y) > 0.7


def test_a_vote_on_all_views_is_silent_where_every_view_is_missing():
    X, y, views = four_view_classes((60, 30, 15, 9))
    model = scored(ComboClassifier, views=views).fit(X, y)
    assert (model.vote_.view_of_term == -1).all()
    asked = np.vstack([X[:1], np.full((1, 12), np.nan)])
    assert model.undecided(asked).tolist() == [False, True]
    holes = X.copy()
    holes[::5] = np.nan
    kept = np.arange(len(y)) % 5 > 0
    np.testing.assert_allclose(
        scored(ComboClassifier, views=views).fit(holes, y).decision_function(X),
        scored(ComboClassifier, views=views).fit(X[kept], y[kept]).decision_function(X),
        rtol=1e-9, atol=1e-9,
    )  # fmt: skip


@pytest.mark.parametrize("method", [*SINGLE, *JOINED])
def test_columns_without_information(method):
    X, y = gaussian_classes([60, 25, 9], separation=0.8)
    padded = np.column_stack([np.full(len(y), np.nan), X, np.ones(len(y))])
    plain, model = scored(method).fit(X, y), scored(method).fit(padded, y)
    np.testing.assert_allclose(model.history_["log_loss"], plain.history_["log_loss"], atol=2e-2)
    assert not np.isin([0, X.shape[1] + 1], model.vote_._forest.trees.feature[
        ~model.vote_._forest.trees.is_leaf]).any()  # fmt: skip
    share = model.explain().feature_share
    assert not share[[0, -1]].any()
    flat = fitted(scored(method), np.ones((5, 2)), [0, 0, 0, 1, 2])
    assert flat.predict(np.ones((2, 2))).tolist() == [0, 0]
    np.testing.assert_allclose(flat.predict_proba(np.ones((1, 2))), [[0.6, 0.2, 0.2]], atol=0.25)


@pytest.mark.parametrize("method", [*SINGLE, *JOINED])
def test_few_classes_and_few_rows(method):
    one = scored(method).fit(np.arange(6.0)[:, None], ["only"] * 6)
    assert one.predict([[3.0], [np.nan]]).tolist() == ["only", "only"]
    assert one.stop_reason_ == "one class"
    assert one.predict_proba([[1.0]]).tolist() == [[1.0]]
    two = scored(method).fit(np.arange(8.0)[:, None], np.arange(8) // 4)
    assert two.predict([[0.0], [9.0]]).tolist() == [0, 1]
    assert two.decision_function([[0.0], [9.0]]).shape == (2,)
    assert scored(method).fit([[1.0, 2.0]], [4]).predict([[0.0, 0.0]]).tolist() == [4]
    X, y = gaussian_classes([40, 20, 1], separation=2.0)
    lonely = scored(method, max_depth=4).fit(X, y)
    assert lonely.predict(X[y == 2]).tolist() == [2]


@pytest.mark.parametrize("n_classes", [2, 5, 8, 9, 30, 50])
def test_any_number_of_classes_is_learnt(n_classes):
    X, y = gaussian_classes([12] * n_classes, n_features=6, separation=6.0)
    model = scored(ComboClassifier, n_estimators=25, max_depth=None).fit(X, y)
    assert model.score(X, y) > 0.95


@pytest.mark.parametrize("method", SINGLE)
def test_limits_of_trees_are_honoured(method):
    X, y = gaussian_classes([200, 100, 50], n_features=6)

    def trees(**params):
        return [term.voter for term in scored(method, **params).fit(X, y).vote_.terms()]

    assert max(tree.depth for tree in trees(max_depth=2, max_leaves=64)) == 2
    assert max(tree.is_leaf.sum() for tree in trees(max_depth=None, max_leaves=5)) == 5
    if method is not BalancedBoostingClassifier:
        grown = trees(max_depth=None, max_leaves=None, min_weight=0.0)
        assert max(tree.is_leaf.sum() for tree in grown) == score_leaves._LEAVES
        assert max(tree.is_leaf.sum() for tree in trees(max_depth=4, max_leaves=None)) <= 16
    for tree in trees(max_features=0.34):
        assert len(np.unique(tree.feature[~tree.is_leaf])) <= 2
    asked = [tree.feature[~tree.is_leaf] for tree in trees(max_features=0.34, n_estimators=12)]
    assert len(np.unique(np.concatenate(asked))) == 6
    coarse = scored(method, max_bins=2).fit(X, y).vote_._forest.trees
    inner = ~coarse.is_leaf
    assert all(
        len(np.unique(coarse.threshold[inner & (coarse.feature == c)])) <= 1 for c in range(6)
    )


def test_class_cost_makes_a_mistake_rarer():
    X, y = gaussian_classes([300, 300, 300], separation=0.5)
    prices = np.ones((3, 3))
    prices[0, 1:] = 10.0
    for loss in ("exponential", "log"):
        plain = scored(ComboClassifier, loss=loss, n_estimators=5).fit(X, y)
        dear = scored(ComboClassifier, loss=loss, n_estimators=5, class_cost=prices).fit(X, y)
        lost = [np.mean(model.predict(X[y == 0]) != 0) for model in (plain, dear)]
        assert lost[1] < lost[0] - 0.1
        assert bits(scored(ComboClassifier, loss=loss, class_cost=np.ones((3, 3)),
                           n_estimators=5).fit(X, y))[3:] != bits(dear)[3:]  # fmt: skip


@pytest.mark.parametrize("method", [*SINGLE, *JOINED])
def test_prices_of_one_change_next_to_nothing(method):
    X, y = gaussian_classes([60, 25, 9], separation=0.8)
    plain = scored(method).fit(X, y)
    priced = scored(method, class_cost=np.ones((3, 3))).fit(X, y)
    np.testing.assert_allclose(priced.predict_proba(X), plain.predict_proba(X), atol=1e-3)
