"""The classifier is chosen by the labels so far when none is named."""

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.datasets import load_iris, make_blobs
from sklearn.naive_bayes import GaussianNB

from uneven import ActiveLearner, BayesPointClassifier
from uneven.active import automatic, choose_classifier, herding
from uneven.active.choosing import labels_to_choose_by, usual_candidates

X, Y = load_iris(return_X_y=True)


def steps(n=300, seed=0):
    """Classes that change twice along one of six columns: trees see it at once."""
    rng = np.random.default_rng(seed)
    table = rng.uniform(-1, 1, size=(n, 6))
    return table, (np.abs(table[:, 0]) < 0.5).astype(int)


def test_trees_are_chosen_where_they_are_clearly_ahead():
    table, y = steps()
    learner = ActiveLearner(query="random", random_state=0).start(table)
    learner.tell(np.arange(80), y[:80])
    assert learner.choice_.name == "forest"
    assert learner.choice_.accuracies["forest"] > learner.choice_.accuracies["bayes_point"] + 0.1
    bayes = ActiveLearner(BayesPointClassifier(), "random", random_state=0).start(table)
    bayes.tell(np.arange(80), y[:80])
    assert learner.score(table[100:], y[100:]) > bayes.score(table[100:], y[100:]) + 0.1
    assert not hasattr(learner, "decision_function")
    assert bayes.choice_ is None


def test_few_labels_and_level_classifiers_leave_the_bayes_point():
    learner = ActiveLearner(random_state=0).start(X).tell([0, 60, 120], Y[[0, 60, 120]])
    assert learner.choice_.name == "bayes_point"
    assert learner.choice_.accuracies == {}
    assert isinstance(learner.model_, BayesPointClassifier)


@pytest.mark.slow
def test_the_choice_depends_on_the_first_labels_only(tmp_path):
    """So it is the same after an interruption, and most answers do not cost a new one."""
    order = np.random.default_rng(0).permutation(150)
    learner = ActiveLearner(random_state=0).start(X).tell(order[:10], Y[order[:10]])
    seen = []
    for row in order[10:40]:
        learner.tell([row], [Y[row]])
        seen.append(learner.choice_)
    assert len({id(one) for one in seen}) == 6
    learner.save(tmp_path / "h.json")
    again = ActiveLearner(random_state=0).resume(tmp_path / "h.json", X)
    assert again.choice_ == learner.choice_
    assert again.ask(4).tolist() == learner.ask(4).tolist()
    assert [labels_to_choose_by(n) for n in (14, 15, 1000)] == [0, 15, 832]


def test_sparse_pools_choose_among_linear_ones():
    assert list(usual_candidates(sp.eye(9, format="csr"), 500, None)) == ["bayes_point", "logistic"]
    assert list(usual_candidates(np.eye(9), 500, None))[-1] == "boosting"


def test_the_simplest_within_one_standard_error_is_taken():
    rng = np.random.default_rng(1)
    table, y = rng.normal(size=(60, 2)), rng.integers(2, size=60)
    some = {"first": GaussianNB(), "second": GaussianNB(var_smoothing=1.0)}
    assert choose_classifier(some, table, y).name == "first"


def test_the_default_rule_is_herding():
    pool = sp.random(120, 30, 0.3, random_state=0, format="csr")
    y = (np.asarray(pool @ np.linspace(-1, 1, 30)) > 0).astype(int)
    for rows in (pool, pool.toarray()):
        state = ActiveLearner(random_state=0).start(rows).tell(np.arange(12), y[:12]).state()
        np.testing.assert_array_equal(automatic(state), herding(state))
        np.testing.assert_array_equal(automatic(state, nearest=9), herding(state, nearest=9))


def test_the_first_rows_of_a_dense_pool_are_typical_ones():
    pool, part = make_blobs(
        [60, 50, 40, 30], centers=[[0, 9], [9, 0], [-9, -9], [30, 30]], random_state=0
    )
    first = ActiveLearner(random_state=0).start(pool).ask(4)
    assert sorted(part[first]) == [0, 1, 2, 3]
    middles = np.array([pool[part == k].mean(axis=0) for k in range(4)])
    assert np.linalg.norm(pool[first] - middles[part[first]], axis=1).max() < 0.8


def test_the_default_rule_looks_at_the_classifier_where_rows_are_no_numbers():
    holes = np.where(np.random.default_rng(0).random(X.shape) < 0.1, np.nan, X)
    from sklearn.ensemble import HistGradientBoostingClassifier

    model = HistGradientBoostingClassifier(max_iter=3, min_samples_leaf=2)
    learner = ActiveLearner(model, random_state=0).start(holes).tell(range(0, 150, 5), Y[::5])
    shares = np.sort(learner.model_.predict_proba(holes[learner.unlabelled_]), axis=1)
    asked = learner.ask()[0]
    assert (shares[:, -1] - shares[:, -2]).min() == pytest.approx(
        np.ptp(np.sort(learner.model_.predict_proba(holes[[asked]]))[0, -2:])
    )
