"""The noise-aware classifier: beliefs about true classes from honest probabilities."""

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.svm import LinearSVC

from uneven import ForwardLogisticRegression, NoiseAwareClassifier
from uneven.datasets import make_waveform
from uneven.ensemble.shared_table import SharedTable
from uneven.noise import (
    backward_weights,
    corrupt_labels,
    cyclic_noise,
    estimate_confusion,
    random_noise,
    uniform_noise,
)
from uneven.persistence.model_file import dumps, loads

WAVES = make_waveform(1500, random_state=0)
X, Y = WAVES.data, WAVES.target
NOISE = cyclic_noise(3, (0.35,))
LABELS = corrupt_labels(Y[:500], NOISE, rng=0)
X_NEW, Y_NEW = X[500:], Y[500:]


def quick(**options):
    return NoiseAwareClassifier(GaussianNB(), random_state=0, **options)


@pytest.mark.slow
def test_it_beats_a_forest_that_believes_the_labels_and_one_corrected_by_the_inverse():
    forest = RandomForestClassifier(100, random_state=0).fit(X[:500], LABELS)
    undone = forest.predict_proba(X_NEW) @ np.linalg.inv(NOISE).T
    rivals = [forest.score(X_NEW, Y_NEW), (undone.argmax(axis=1) == Y_NEW).mean()]
    aware = NoiseAwareClassifier(noise_matrix=NOISE, random_state=0).fit(X[:500], LABELS)
    assert aware.score(X_NEW, Y_NEW) > max(rivals) + 0.01
    assert sorted(aware.weights_) == ["extra_trees", "forest", "logistic"]


def test_an_exact_matrix_stays_and_an_estimate_is_corrected():
    exact = quick(noise_matrix=NOISE).fit(X[:500], LABELS)
    assert np.array_equal(exact.noise_matrix_, NOISE)
    few = estimate_confusion(Y[:40], LABELS[:40])
    learnt = quick(noise_matrix=few).fit(X[:500], LABELS)
    gaps = [np.abs(np.asarray(one) - NOISE).sum() for one in (few.matrix, learnt.noise_matrix_)]
    assert gaps[1] < gaps[0]


def test_without_a_matrix_it_finds_one():
    found = quick().fit(X[:500], LABELS).noise_matrix_
    assert np.abs(found - NOISE).max() < np.abs(np.eye(3) - NOISE).max()
    clean = quick().fit(X[:500], Y[:500]).noise_matrix_
    assert np.diag(clean).min() > 0.75


def test_the_pool_makes_the_labels_most_probable_through_the_noise():
    model = quick(noise_matrix=NOISE).fit(X[:500], LABELS)
    told = [
        one.probabilities(X_NEW, np.ones(len(X_NEW), dtype=bool), None) for one in model.members_
    ]
    assert model.pool_.weights[0] < 0.8  # naive Bayes is too certain
    shares = model.predict_proba(X_NEW)
    losses = [-np.log(p[np.arange(len(Y_NEW)), Y_NEW]).mean() for p in (shares, told[0])]
    assert losses[0] < losses[1] - 0.1


def test_a_label_that_the_matrix_rules_out_says_nothing():
    never = np.array([[1.0, 0.0, 0.5], [0.0, 1.0, 0.5], [0.0, 0.0, 0.0]])
    shares = quick(noise_matrix=never).fit(X[:90], Y[:90]).predict_proba(X_NEW)
    assert np.isfinite(shares).all()


def test_clean_rows_keep_their_labels():
    sure = np.arange(500) < 250
    labels = np.where(sure, Y[:500], LABELS)
    some, all_noisy = (
        quick(noise_matrix=NOISE).fit(X[:500], labels, clean=clean).score(X_NEW, Y_NEW)
        for clean in (sure, None)
    )
    assert some >= all_noisy - 0.02


def test_the_decision_alone_corrects_answers_of_a_classifier_without_weights():
    near = NoiseAwareClassifier(KNeighborsClassifier(25), NOISE, method="decision")
    shares = near.fit(X[:500], LABELS).predict_proba(X_NEW)
    assert near.undoes_noise_
    assert shares.sum(axis=1) == pytest.approx(np.ones(len(X_NEW)))
    with pytest.raises(ValueError, match="takes no sample_weight"):
        NoiseAwareClassifier(KNeighborsClassifier(), NOISE).fit(X[:500], LABELS)


def test_copies_of_a_row_are_drawn_and_left_out_together():
    beliefs = np.random.default_rng(0).dirichlet(np.ones(3), size=40)
    beliefs[:5] = np.eye(3)[0]
    table = SharedTable(X[:40], Y[:40].astype(np.int32), np.ones(40), 3).copies(beliefs)
    assert len(table.y) == 5 + 35 * 3
    assert np.array_equal(table.X, X[:40][table.origin])
    assert np.bincount(table.origin, table.mass) / table.mass.sum() == pytest.approx(1 / 40)
    for values in (table.deal(3, seed=0), table.bootstrap(np.random.RandomState(0))):
        for row in range(40):
            assert len(set(values[table.origin == row].tolist())) == 1


def test_permuted_labels_give_chance_and_not_certainty():
    nonsense = np.random.default_rng(0).permutation(Y[:500])
    shares = quick(noise_matrix=uniform_noise(3, 0.2)).fit(X[:500], nonsense).predict_proba(X_NEW)
    loss = -np.log(shares[np.arange(len(Y_NEW)), Y_NEW]).mean()
    assert loss < 1.3


@pytest.mark.slow
def test_threads_and_the_unit_of_weights_change_nothing():
    weight = np.random.default_rng(0).random(500)
    options = {"noise_matrix": NOISE, "random_state": 0, "n_refits": 1}
    one = NoiseAwareClassifier(**options).fit(X[:200], LABELS[:200], weight[:200])
    two = NoiseAwareClassifier(**options, n_jobs=2).fit(X[:200], LABELS[:200], 1e9 * weight[:200])
    assert np.array_equal(one.predict_proba(X_NEW), two.predict_proba(X_NEW))


def test_sparse_tables_have_linear_members_and_frames_categories():
    words = sp.random(200, 50, 0.1, random_state=0, format="csr")
    first = np.asarray(words[:, :25].sum(axis=1)).ravel()
    labels = first > np.median(first)
    model = NoiseAwareClassifier(noise_matrix=uniform_noise(2, 0.2), random_state=0)
    assert sorted(model.fit(words, labels).weights_) == ["logistic", "word_counts"]
    frame = pd.DataFrame({"x": X[:200, 0], "c": pd.Categorical(np.arange(200) % 3)})
    model = NoiseAwareClassifier(noise_matrix=NOISE, n_refits=1, random_state=0)
    assert model.fit(frame, LABELS[:200]).predict(frame).shape == (200,)


@pytest.mark.slow
def test_missing_values_one_class_and_rare_classes():
    holes = np.where(np.random.default_rng(0).random((200, 21)) < 0.1, np.nan, X[:200])
    model = NoiseAwareClassifier(noise_matrix=NOISE, n_refits=1, random_state=0)
    assert np.isfinite(model.fit(holes, LABELS[:200]).predict_proba(holes)).all()
    alone = NoiseAwareClassifier().fit(X[:5], ["a"] * 5)
    assert alone.predict_proba(X[:2]).tolist() == [[1.0], [1.0]]
    rare = np.array(["b", *["a"] * 30, *["c"] * 29])
    assert quick().fit(X[:60], rare).predict_proba(X[:60]).shape == (60, 3)


@pytest.mark.parametrize("estimator", [GaussianNB, LinearSVC(), 3])
def test_what_cannot_be_an_estimator_is_refused(estimator):
    with pytest.raises(TypeError, match=r"estimator must be|has no predict_proba"):
        NoiseAwareClassifier(estimator).fit(X[:20], LABELS[:20])


def test_a_model_file_gives_the_same_answers_and_refuses_a_forged_matrix():
    model = NoiseAwareClassifier(
        LogisticRegression(max_iter=500), NOISE, method="decision", random_state=0
    ).fit(X[:100], LABELS[:100])
    assert np.array_equal(loads(dumps(model)).predict_proba(X_NEW), model.predict_proba(X_NEW))
    model.noise_matrix_ = np.full((3, 3), 0.9)
    with pytest.raises(ValueError, match="noise_matrix"):
        model._check_model_()


@pytest.mark.slow
def test_forward_comes_to_the_answers_of_forward_logistic_regression():
    linear = LogisticRegression(max_iter=500)
    goal = ForwardLogisticRegression(NOISE).fit(X[:500], LABELS).predict(X_NEW)
    forward, em = (
        NoiseAwareClassifier(linear, NOISE, method=method, random_state=0).fit(X[:500], LABELS)
        for method in ("forward", "em")
    )
    assert np.mean(forward.predict(X_NEW) == goal) > 0.95 > np.mean(em.predict(X_NEW) == goal)


def test_backward_weights_turn_noise_into_uniform_noise():
    for seed in range(5):
        noise = random_noise(4, seed)
        weights, left = backward_weights(noise)
        assert weights.min() > -1e-12
        assert weights @ noise == pytest.approx(left)
        assert left == pytest.approx(left[0, 1] + (left[0, 0] - left[0, 1]) * np.eye(4))
        assert np.count_nonzero(weights < 1e-12) >= 1
    assert backward_weights(np.eye(3))[0] == pytest.approx(np.eye(3))


def test_backward_corrects_any_learner_and_believes_clean_rows():
    plain = GaussianNB().fit(X[:500], LABELS).score(X_NEW, Y_NEW)
    model = quick(noise_matrix=NOISE, method="backward").fit(X[:500], LABELS)
    assert model.score(X_NEW, Y_NEW) > plain + 0.02
    assert model.left_noise_[0, 1] == model.left_noise_[1, 0] > 0.0
    sure = np.ones(500, dtype=bool)
    known = quick(noise_matrix=NOISE, method="backward").fit(X[:500], Y[:500], clean=sure)
    assert known.score(X_NEW, Y_NEW) > plain + 0.1


@pytest.mark.slow
@pytest.mark.parametrize("method", ["em", "forward", "backward", "decision"])
def test_views_may_be_missing_and_a_row_without_any_gets_the_shares_of_the_classes(method):
    holes, views = X.copy(), {"left": [*range(10)], "right": [*range(10, 21)]}
    lost = np.random.default_rng(0).random(len(X))
    holes[lost < 0.3, :10] = np.nan
    holes[lost > 0.7, 10:] = np.nan
    holes[:3] = holes[-1] = np.nan
    model = NoiseAwareClassifier(
        HistGradientBoostingClassifier(max_iter=10),
        NOISE,
        method=method,
        n_refits=1,
        views=views,
        random_state=0,
    ).fit(holes[:300], LABELS[:300])
    shares = model.predict_proba(holes[300:])
    assert shares[-1] == pytest.approx(model.class_prior_, abs=0.1)
    assert np.mean(shares.argmax(axis=1) == Y[300:]) > 0.5
    assert {one.view for one in model.members_} <= {-1, 0, 1}
    assert np.array_equal(loads(dumps(model)).predict_proba(holes[300:]), shares)


def test_members_of_single_views_are_pooled_where_they_help():
    rng = np.random.default_rng(0)
    apart = np.column_stack([X, rng.normal(size=(len(X), 300))])
    views = {"waves": range(21), "nothing": range(21, 321)}
    model = quick(noise_matrix=NOISE, views=views).fit(apart[:300], LABELS[:300])
    assert "estimator of waves" in model.weights_
    alone = quick(noise_matrix=NOISE).fit(apart[:300], LABELS[:300])
    assert model.score(apart[500:], Y_NEW) > alone.score(apart[500:], Y_NEW) + 0.02
