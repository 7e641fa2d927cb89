"""Boosting that knows how its labels go wrong."""

from typing import ClassVar

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_digits, load_wine, make_classification
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import train_test_split
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier

from uneven import AdaBoostMMClassifier, ComboClassifier, MuComboClassifier, MumboClassifier
from uneven.boosting import ShareBoostClassifier
from uneven.costs import vote_weight
from uneven.costs.matrices import CostMatrix, quantum
from uneven.datasets import make_uneven_views
from uneven.metrics import confusion_norm
from uneven.noise import corrupt_labels, cyclic_noise, pairwise_noise, uniform_noise
from uneven.voters import CostTree, Resampled, TrainingTable

ALL = [
    AdaBoostMMClassifier,
    ComboClassifier,
    MumboClassifier,
    MuComboClassifier,
    ShareBoostClassifier,
]
ROBUST = {"max_depth": 6, "learning_rate": 0.3, "subsample": 0.5, "random_state": 0}


@pytest.fixture(scope="module")
def digits():
    X, y = load_digits(return_X_y=True)
    train, test, y_train, y_test = train_test_split(X, y, test_size=0.4, random_state=0, stratify=y)
    noise = cyclic_noise(10, (0.2, 0.1))
    return train, corrupt_labels(y_train, noise, 0), test, y_test, noise


def error(model, data):
    train, noisy, test, truth, _ = data
    return float(np.mean(model.fit(train, noisy).predict(test) != truth))


@pytest.mark.slow
@pytest.mark.parametrize("method", [AdaBoostMMClassifier, ComboClassifier])
def test_knowing_the_noise_halves_the_error(method, digits):
    plain = error(method(n_estimators=100), digits)
    aware = error(method(n_estimators=100, noise_matrix=digits[4]), digits)
    robust = error(method(n_estimators=100, noise_matrix=digits[4], **ROBUST), digits)
    assert aware < 0.7 * plain
    assert robust < 0.5 * plain


@pytest.mark.slow
def test_deep_trees_need_voters_that_did_not_see_the_row(digits):
    shared = ROBUST | {"noise_matrix": digits[4], "n_estimators": 60, "max_depth": 8}
    heard_by_all = error(AdaBoostMMClassifier(**shared | {"subsample": 1.0}), digits)
    out_of_bag = error(AdaBoostMMClassifier(**shared), digits)
    assert out_of_bag < 0.6 * heard_by_all


class _UnbiasedCosts(CostMatrix):
    """Cost rows mixed by the inverse noise matrix: unbiased, and useless (kept as a warning)."""

    def fill(self, scores, mix):
        pulls = np.exp(scores - scores.max(axis=1, keepdims=True))
        held = mix / pulls
        totals = pulls.sum(axis=1, keepdims=True)
        costs = pulls * held.sum(axis=1, keepdims=True) - held * totals
        stake = (np.abs(held) * (totals - pulls)).sum()
        unit = quantum(float(stake))
        costs = np.rint(costs / unit)
        costs[:, 0] -= costs.sum(axis=1)
        self.matrix[:, : self.n_classes] = costs
        self.sums, self.stake = self.matrix.sum(axis=0), stake / unit


def test_costs_corrected_by_the_inverse_do_not_learn(digits):
    """Negative costs of unlikely classes grow without bound; averages over beliefs do not."""
    train, noisy, test, truth, noise = digits
    table = TrainingTable(train, noisy.astype(np.int32), 10, np.ones(len(noisy)))
    costs = _UnbiasedCosts(table.y, 10, table.mass)
    mix = np.linalg.inv(noise)[:, noisy].T
    scores, votes = np.zeros((len(noisy), 10)), np.zeros((len(test), 10))
    for _ in range(100):
        costs.fill(scores, mix)
        voter, answers = CostTree(3).learn(table, np.arange(64), costs)
        weight = vote_weight(costs.edge(answers))
        scores[np.arange(len(noisy)), answers] += weight
        votes[np.arange(len(test)), voter.predict(test)] += weight
    unbiased = np.mean(votes.argmax(axis=1) != truth)
    aware = error(AdaBoostMMClassifier(n_estimators=100, noise_matrix=noise), digits)
    assert unbiased > 1.5 * aware


@pytest.mark.parametrize("method", [MumboClassifier, MuComboClassifier, ShareBoostClassifier])
def test_views_share_what_they_believe(method):
    data = make_uneven_views(900, random_state=0)
    n_classes = len(np.unique(data.target))
    noise = uniform_noise(n_classes, 0.3)
    fresh = make_uneven_views(2000, random_state=1)
    noisy = corrupt_labels(data.target, noise, 0)
    shared = {"views": data.views, "n_estimators": 60, "max_depth": 2}
    plain = method(**shared).fit(data.data, noisy).score(fresh.data, fresh.target)
    aware = method(**shared, noise_matrix=noise).fit(data.data, noisy)
    assert aware.score(fresh.data, fresh.target) > plain + 0.01


def test_combo_weighs_the_recovered_classes():
    """A frequent class that leaks into a rare one must not make it look frequent."""
    X, y = make_classification(
        4000, 8, n_informative=6, n_redundant=0, n_classes=3, n_clusters_per_class=1,
        weights=[0.8, 0.15, 0.05], class_sep=1.2, flip_y=0.0, random_state=0,
    )  # fmt: skip
    noise = pairwise_noise(3, {(2, 0): 0.2})
    noisy = corrupt_labels(y[:2000], noise, 0)
    words = {"n_estimators": 60, "max_depth": 2}
    aware = ComboClassifier(noise_matrix=noise, **words).fit(X[:2000], noisy)
    np.testing.assert_allclose(aware.class_prior_, np.bincount(y) / len(y), atol=0.03)
    plain = ComboClassifier(**words).fit(X[:2000], noisy)
    norms = [confusion_norm(y[2000:], model.predict(X[2000:])) for model in (aware, plain)]
    assert norms[0] < 0.7 * norms[1]


@pytest.mark.parametrize("method", ALL)
def test_the_identity_is_no_noise(method):
    X, y = load_wine(return_X_y=True)
    views = {"a": range(6), "b": range(6, 13)}
    plain = method(views=views, n_estimators=8, max_depth=1).fit(X, y)
    known = method(views=views, n_estimators=8, max_depth=1, noise_matrix=np.eye(3)).fit(X, y)
    np.testing.assert_array_equal(plain.decision_function(X), known.decision_function(X))


@pytest.mark.parametrize("subsample", [1.0, 0.5])
@pytest.mark.parametrize("method", ALL)
def test_a_warm_start_goes_on_as_if_nothing_had_happened(method, subsample):
    data = make_uneven_views(300, random_state=0)
    n_classes = len(np.unique(data.target))
    noise = cyclic_noise(n_classes, (0.25,))
    noisy = corrupt_labels(data.target, noise, 0)
    words = {
        "views": data.views,
        "max_depth": 2,
        "noise_matrix": noise,
        "subsample": subsample,
        "random_state": 3,
    }
    whole = method(n_estimators=12, **words).fit(data.data, noisy)
    parts = method(n_estimators=5, warm_start=True, **words).fit(data.data, noisy)
    parts.set_params(n_estimators=12).fit(data.data, noisy)
    np.testing.assert_allclose(
        whole.decision_function(data.data), parts.decision_function(data.data), atol=1e-9
    )


def test_early_stopping_estimates_the_score_that_clean_labels_would_give(digits):
    train, noisy, _, _, noise = digits
    model = ComboClassifier(
        n_estimators=40, noise_matrix=noise, early_stopping=True, validation_fraction=0.3,
        random_state=0,
    ).fit(train, noisy)  # fmt: skip
    blind = ComboClassifier(
        n_estimators=40, early_stopping=True, validation_fraction=0.3, random_state=0
    ).fit(train, noisy)
    assert model.history_["validation_score"].max() > 0.8
    assert blind.history_["validation_score"].max() < 0.75


@pytest.mark.parametrize(
    "weak", [GaussianNB(), Resampled(KNeighborsClassifier()), LogisticRegression(max_iter=50)]
)
def test_any_classifier_learns_from_possible_labels(weak):
    X, y = load_wine(return_X_y=True)
    X = (X - X.mean(axis=0)) / X.std(axis=0)
    noise = cyclic_noise(3, (0.3,))
    noisy = corrupt_labels(y, noise, 0)
    model = AdaBoostMMClassifier(weak, n_estimators=10, noise_matrix=noise, random_state=0)
    assert model.fit(X, noisy).score(X, y) > 0.75


def test_class_costs_still_count_under_noise():
    X, y = load_wine(return_X_y=True)
    noise = uniform_noise(3, 0.3)
    noisy = corrupt_labels(y, noise, 1)
    dear = np.ones((3, 3))
    dear[1] = 20.0
    words = {"n_estimators": 20, "max_depth": 1, "noise_matrix": noise}
    even = AdaBoostMMClassifier(**words).fit(X, noisy).predict(X)
    careful = AdaBoostMMClassifier(**words, class_cost=dear).fit(X, noisy).predict(X)
    assert (careful == 1).sum() > (even == 1).sum()


def test_a_frame_is_put_in_class_order():
    X, y = load_wine(return_X_y=True)
    names = np.array(["rosé", "blanc", "rouge"])[y]
    noise = pairwise_noise(3, {(1, 0): 0.3})
    order = ["rosé", "blanc", "rouge"]
    frame = pd.DataFrame(noise, index=order, columns=order)
    at = [order.index(name) for name in sorted(order)]
    words = {"n_estimators": 5, "max_depth": 1}
    framed = AdaBoostMMClassifier(noise_matrix=frame, **words).fit(X, names)
    plain = AdaBoostMMClassifier(noise_matrix=noise[np.ix_(at, at)], **words).fit(X, names)
    np.testing.assert_array_equal(framed.decision_function(X), plain.decision_function(X))


@pytest.mark.parametrize(
    ("matrix", "words"),
    [
        ([[0.9, 0.1, 0.0], [0.2, 0.8, 0.0], [0.0, 0.0, 1.0]], "transposed"),
        (np.eye(2), "3 classes"),
        ([[0.5, 0.5, 0.0], [0.5, 0.5, 0.0], [0.0, 0.0, 1.0]], "classes 0 and 1 get the same"),
        ([[1.1, 0.0, 0.0], [-0.1, 1.0, 0.0], [0.0, 0.0, 1.0]], ">= 0"),
        ("matrix", "square array of numbers"),
    ],
)
def test_a_bad_matrix_is_refused(matrix, words):
    X, y = load_wine(return_X_y=True)
    model = ComboClassifier(n_estimators=2, noise_matrix=matrix)
    with pytest.raises(ValueError, match=words):
        model.fit(X, y)
    assert not hasattr(model, "classes_")


@pytest.mark.parametrize("share", [0.0, -1, 1.5, "half", None])
def test_a_bad_share_of_rows_is_refused(share):
    X, y = load_wine(return_X_y=True)
    with pytest.raises(ValueError, match="subsample must be in"):
        ComboClassifier(n_estimators=2, subsample=share).fit(X, y)


def test_rounds_without_a_useful_draw_are_skipped():
    """One row of 40 can teach a wrong answer; another draw goes on."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(40, 2))
    y = (X[:, 0] > 0).astype(int)
    y[X[:, 0].argmax()] = 0
    model = AdaBoostMMClassifier(n_estimators=60, max_depth=1, subsample=0.05, random_state=0)
    model.fit(X, y)
    assert model.stop_reason_ == "all rounds done"
    assert 0 < model.n_estimators_ < 60
    assert np.all(model.history_["edge"] > 0)
    assert model.score(X, y) > 0.9


def test_the_same_seed_draws_the_same_rows():
    X, y = load_wine(return_X_y=True)
    first, second, other = (
        ComboClassifier(n_estimators=6, max_depth=2, subsample=0.4, random_state=s, n_jobs=j)
        .fit(X, y)
        .decision_function(X)
        for s, j in ((0, 1), (0, 2), (1, 1))
    )
    np.testing.assert_array_equal(first, second)
    assert not np.array_equal(first, other)


@pytest.mark.parametrize("method", ALL)
def test_labels_that_are_known_to_be_right_count_as_such(method):
    data = make_uneven_views(400, random_state=0)
    noise = uniform_noise(2, 0.4)
    noisy = corrupt_labels(data.target, noise, 0)
    words = {"views": data.views, "n_estimators": 30, "max_depth": 2}
    everyone = np.ones(400, dtype=bool)
    plain = method(**words).fit(data.data, data.target)
    known = method(**words, noise_matrix=noise).fit(data.data, data.target, clean=everyone)
    np.testing.assert_allclose(
        plain.decision_function(data.data), known.decision_function(data.data), atol=1e-6
    )
    half = np.arange(400) % 2 == 0
    mixed = np.where(half, data.target, noisy)
    fresh = make_uneven_views(2000, random_state=1)
    told = method(**words, noise_matrix=noise).fit(data.data, mixed, clean=half)
    untold = method(**words, noise_matrix=noise).fit(data.data, mixed)
    assert told.score(fresh.data, fresh.target) > untold.score(fresh.data, fresh.target)


def test_clean_rows_enter_the_recovered_frequencies_as_they_are():
    y = np.array([0] * 30 + [1] * 10)
    noise = [[1.0, 0.5], [0.0, 0.5]]
    X = np.arange(40.0)[:, None]
    clean = np.arange(40) < 10
    model = AdaBoostMMClassifier(n_estimators=2, noise_matrix=noise).fit(X, y, clean=clean)
    np.testing.assert_allclose(model.class_prior_, [0.5, 0.5], atol=1e-9)


@pytest.mark.parametrize("clean", [[1, 0], np.zeros(178), "yes"])
def test_a_bad_mask_of_clean_rows_is_refused(clean):
    X, y = load_wine(return_X_y=True)
    with pytest.raises(ValueError, match="clean must hold True or False"):
        ComboClassifier(n_estimators=2, noise_matrix=uniform_noise(3, 0.1)).fit(X, y, clean=clean)


def test_early_stopping_reads_the_inverse_the_right_way_round():
    """One class leaks into another: through the inverse, separable classes score 1."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(6000, 2))
    y = (X[:, 0] > 0).astype(int)
    noisy = corrupt_labels(y, [[0.6, 0.0], [0.4, 1.0]], rng)
    words = {"n_estimators": 3, "max_depth": 1, "validation_fraction": 0.5, "random_state": 0}
    for method in (AdaBoostMMClassifier, ComboClassifier):
        model = method(noise_matrix=[[0.6, 0.0], [0.4, 1.0]], early_stopping=True, **words)
        assert model.fit(X, noisy).history_["validation_score"].max() == pytest.approx(1, abs=0.05)


def test_early_stopping_stays_bounded_where_a_class_seems_to_vanish():
    worst = 0.0
    for seed in range(12):
        rng = np.random.default_rng(seed)
        y = rng.choice(4, size=400, p=[0.5, 0.3, 0.17, 0.03])
        X = rng.normal(size=(400, 3)) + y[:, None]
        noise = uniform_noise(4, 0.3)
        model = ComboClassifier(
            n_estimators=5, max_depth=1, noise_matrix=noise, early_stopping=True, random_state=seed
        ).fit(X, corrupt_labels(y, noise, rng))
        worst = max(worst, np.abs(model.history_["validation_score"]).max())
    assert worst < 10.0


def test_prices_by_class_make_adaboost_mm_a_combo():
    """A price of one over the class size does what CoMBo does, beliefs included."""
    X, y = load_wine(return_X_y=True)
    noise = uniform_noise(3, 0.2)
    noisy = corrupt_labels(y, noise, 0)
    words = {"n_estimators": 8, "max_depth": 1, "noise_matrix": noise}
    combo = ComboClassifier(**words).fit(X, noisy)
    prices = np.repeat(1.0 / combo.class_prior_[:, None], 3, axis=1)
    priced = AdaBoostMMClassifier(class_cost=prices, **words).fit(X, noisy)
    np.testing.assert_allclose(combo.decision_function(X), priced.decision_function(X), atol=1e-6)


@pytest.mark.parametrize("method", [AdaBoostMMClassifier, ComboClassifier])
def test_a_class_whose_mistakes_are_free_does_not_spoil_the_others(method):
    X, y = load_wine(return_X_y=True)
    noise = uniform_noise(3, 0.2)
    free = np.ones((3, 3))
    free[1] = 0.0
    model = method(n_estimators=20, max_depth=1, noise_matrix=noise, class_cost=free)
    answers = model.fit(X, corrupt_labels(y, noise, 0)).predict(X)
    paid = y != 1
    assert np.mean(answers[paid] == y[paid]) > 0.9


@pytest.mark.parametrize("shares", [(1.0, 0.5), (0.5, 1.0), (0.8, 0.5)])
def test_a_warm_start_with_another_share_of_rows_is_refused(shares):
    X, y = load_wine(return_X_y=True)
    model = AdaBoostMMClassifier(
        n_estimators=2, max_depth=1, warm_start=True, subsample=shares[0], random_state=0
    ).fit(X, y)
    with pytest.raises(ValueError, match="warm_start needs the subsample of the first fit"):
        model.set_params(n_estimators=4, subsample=shares[1]).fit(X, y)
    assert model.n_estimators_ == 2


def test_learners_without_costs_see_the_drawn_rows_only():
    class Watcher(GaussianNB):
        sizes: ClassVar[list] = []

        def fit(self, X, y, sample_weight=None):
            self.sizes.append(len(np.unique(X[:, 0])))
            return super().fit(X, y, sample_weight)

    X, y = load_wine(return_X_y=True)
    X[:, 0] = np.arange(len(y))
    noise = uniform_noise(3, 0.2)
    AdaBoostMMClassifier(
        Watcher(), n_estimators=3, noise_matrix=noise, subsample=0.5, random_state=0
    ).fit(X, y)
    assert Watcher.sizes == [89, 89, 89]


def test_views_that_a_row_lacks_do_not_weaken_what_the_others_say():
    """In µCoMBo a row's classes are told by the mean over the views that it has."""
    data = make_uneven_views(600, random_state=0)
    X = data.data.copy()
    X[:, 2:] = np.nan
    noise = uniform_noise(2, 0.3)
    noisy = corrupt_labels(data.target, noise, 0)
    words = {"n_estimators": 20, "max_depth": 2, "noise_matrix": noise}
    with pytest.warns(UserWarning, match="are not used"):
        several = MuComboClassifier(views=data.views, **words).fit(X, noisy)
    alone = MuComboClassifier(views={"major": [0, 1]}, **words).fit(X[:, :2], noisy)
    np.testing.assert_allclose(
        several.decision_function(X), alone.decision_function(X[:, :2]), atol=1e-9
    )
