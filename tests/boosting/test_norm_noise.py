"""NormCoMBo on rows with wrong labels: what it makes of a known noise matrix."""

import numpy as np
import pytest
from sklearn.datasets import make_classification

from uneven import NormComboClassifier
from uneven.boosting.norm import LabelNoise, OutOfBag
from uneven.metrics import confusion_norm, error_matrix
from uneven.metrics.confusion import matrix_norm
from uneven.noise import corrupt_labels

NOISE = np.array([[0.85, 0.2], [0.15, 0.8]])


def quick(**params):
    return NormComboClassifier(**({"n_estimators": 60, "random_state": 0} | params))


@pytest.fixture(scope="module")
def rows():
    X, y = make_classification(
        3000, 12, n_informative=8, weights=[0.9], class_sep=1.2, flip_y=0.0, random_state=0
    )
    return X[:1500], corrupt_labels(y[:1500], NOISE, 0), y[:1500], X[1500:], y[1500:]


@pytest.mark.slow
def test_knowing_the_noise_lowers_the_norm_on_clean_labels(rows):
    X, labels, y, X_new, y_new = rows
    plain, aware, clean = (
        quick(n_estimators=300, **words).fit(X, given)
        for words, given in (({}, labels), ({"noise_matrix": NOISE}, labels), ({}, y))
    )
    norms = [confusion_norm(y_new, model.predict(X_new)) for model in (clean, aware, plain)]
    assert norms[0] < norms[1] < norms[2] - 0.1
    assert aware.score(X_new, y_new) > plain.score(X_new, y_new) + 0.1
    np.testing.assert_allclose(aware.class_prior_, np.bincount(y) / len(y), atol=0.03)
    truth = matrix_norm(error_matrix(y_new, aware.predict(X_new)))
    assert abs(aware.unseen_norm_ - truth) < abs(plain.unseen_norm_ - truth)


@pytest.mark.parametrize("words", [{"noise_matrix": np.eye(2)}, {}])
def test_no_noise_changes_nothing(rows, words):
    X, labels, *_ = rows
    same = quick(**words).fit(X, labels).decision_function(X)
    np.testing.assert_array_equal(same, quick().fit(X, labels).decision_function(X))


def test_labels_that_are_known_to_be_right_count_as_such(rows):
    X, labels, y, *_ = rows
    sure = np.ones(len(y), dtype=bool)
    aware = quick(noise_matrix=NOISE).fit(X, y, clean=sure)
    plain = quick().fit(X, y)
    np.testing.assert_allclose(aware.class_prior_, plain.class_prior_)
    np.testing.assert_allclose(aware.unseen_errors_, plain.unseen_errors_, atol=0.05)
    some = np.arange(len(y)) < 900
    mixed = np.where(some, y, labels)
    models = (quick(noise_matrix=NOISE).fit(X, mixed, clean=mask) for mask in (some, None))
    told, untold = (confusion_norm(rows[4], model.predict(rows[3])) for model in models)
    assert told < untold - 0.1


def test_posteriors_are_those_of_bayes_rule():
    noise = np.array([[0.9, 0.3], [0.1, 0.7]])
    y, clean = np.array([0, 0, 1, 1]), np.array([False, False, False, True])
    known = LabelNoise.of(noise, np.linalg.inv(noise), y, np.ones(4), clean)
    # The three noisy labels: [2, 1] = C (true counts), so these are [11 / 6, 7 / 6].
    np.testing.assert_allclose(known.prior, [11 / 24, 13 / 24])
    nobody = known.posteriors(np.zeros((4, 2)), np.ones(4))
    zero, one = np.array([0.9, 0.3]) * known.prior, np.array([0.1, 0.7]) * known.prior
    expected = [zero / zero.sum()] * 2 + [one / one.sum(), [0.0, 1.0]]
    np.testing.assert_allclose(nobody, expected)


@pytest.mark.parametrize(("sureness", "power"), [(0.6, 1.0), (0.9, 4.0)])
def test_votes_count_as_much_as_the_labels_bear_out(sureness, power):
    rng = np.random.default_rng(0)
    noise = np.array([[0.9, 0.2], [0.1, 0.8]])
    true = np.repeat([0, 1], 2000)
    said = np.where(rng.random(4000) < sureness, true, 1 - true)
    y = corrupt_labels(true, noise, 1)
    share = 0.6
    votes = 1e6 * np.where(said[:, None] == [0, 1], share, 1.0 - share)
    known = LabelNoise.of(noise, np.linalg.inv(noise), y, np.ones(4000), None)
    found = known.posteriors(votes, np.ones(4000))
    odds = found / noise[y]
    believed = odds / odds.sum(axis=1, keepdims=True)
    np.testing.assert_allclose(believed.mean(axis=0), known.prior, atol=1e-6)
    ratio = (odds[:, 1] / odds[:, 0])[[np.argmax(said == 1), np.argmax(said == 0)]]
    assert ratio[0] / ratio[1] == pytest.approx((share / (1.0 - share)) ** (2 * power), rel=1e-4)


def test_a_judged_row_counts_for_every_class_by_its_probability():
    noise = np.array([[0.9, 0.3], [0.1, 0.7]])
    y, mass = np.array([0, 1, 1]), np.array([1.0, 2.0, 1.0])
    bag = OutOfBag(y, 2, mass, LabelNoise.of(noise, np.linalg.inv(noise), y, mass, None))
    bag.add_votes(np.array([[3.0, 1.0], [1.0, 3.0], [0.0, 0.0]]), np.array([True, True, False]))
    shares = bag.true_classes()
    votes, labels, weight = bag.judged_votes()
    np.testing.assert_array_equal(labels, [0, 1, 0, 1])
    np.testing.assert_array_equal(votes, bag.votes[[0, 0, 1, 1]])
    np.testing.assert_allclose(weight, (mass[:2, None] * shares[:2]).ravel())
    wrong = [weight[2] / weight[[0, 2]].sum(), weight[1] / weight[[1, 3]].sum()]
    np.testing.assert_allclose(bag.errors(), [[0.0, wrong[0]], [wrong[1], 0.0]])
    assert bag.blend(bag, 0.5).true_classes().shape == (3, 2)


@pytest.mark.slow
def test_warm_start_goes_on_under_the_same_noise_only(rows):
    X, labels, *_ = rows
    grown = quick(n_estimators=600, noise_matrix=NOISE, warm_start=True).fit(X[:300], labels[:300])
    grown.set_params(n_estimators=700).fit(X[:300], labels[:300])
    whole = quick(n_estimators=700, noise_matrix=NOISE).fit(X[:300], labels[:300])
    np.testing.assert_array_equal(grown.decision_function(X), whole.decision_function(X))
    for other in (None, NOISE[::-1, ::-1]):
        with pytest.raises(ValueError, match="noise_matrix or clean differ"):
            grown.set_params(noise_matrix=other).fit(X[:300], labels[:300])


def test_wrong_matrices_and_masks_are_refused(rows):
    X, labels, *_ = rows
    for matrix, says in ((NOISE[:1], "shape"), (NOISE.T, "sum"), (np.full((2, 2), 0.5), "inver")):
        with pytest.raises(ValueError, match=says):
            quick(noise_matrix=matrix).fit(X, labels)
    with pytest.raises(ValueError, match="clean"):
        quick(noise_matrix=NOISE).fit(X, labels, clean=[True])
