"""Members: honest probabilities of training rows, at natural shares, for classes of any size."""

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB, MultinomialNB
from sklearn.tree import DecisionTreeClassifier, ExtraTreeClassifier

from tests.ensemble.tables import uneven_table
from uneven import AdaBoostMMClassifier
from uneven.ensemble._loops import add_unseen, leaf_masses
from uneven.ensemble.any_classifier import AnyClassifier
from uneven.ensemble.boost import ScoreLeafBoost
from uneven.ensemble.forests import ExtraTrees, RandomForest, as_voter
from uneven.ensemble.landmarks import LandmarkRidge, gaussian
from uneven.ensemble.linear import Logistic, WordCounts
from uneven.ensemble.members import check_named_members, choose_learners
from uneven.ensemble.number_columns import NumberColumns
from uneven.ensemble.shared_table import MEMBERS, SharedTable, TableSize, fill_absent
from uneven.utils.parallel import ThreadPool, thread_pool

POOL = ThreadPool()
LEARNERS = {
    "forest": RandomForest(30),
    "extra_trees": ExtraTrees(30),
    "boost": ScoreLeafBoost(20),
    "held_out_boost": ScoreLeafBoost(20, n_folds=0, held_out=0.3),
    "logistic": Logistic(),
    "landmarks": LandmarkRidge(50),
    "any": AnyClassifier(GaussianNB()),
}
each_learner = pytest.mark.parametrize("learner", LEARNERS.values(), ids=LEARNERS)


def shared(X, y, mass=None, n_codes=None):
    mass = np.ones(len(y)) if mass is None else mass
    return SharedTable(X, y.astype(np.int32), mass, int(y.max()) + 1, n_codes)


def spoken(unseen):
    return unseen[~np.isnan(unseen[:, 0])]


@each_learner
def test_probabilities_sum_to_one_and_none_is_zero(learner):
    X, y = uneven_table()
    found = learner.learn(shared(X, y), seed=0)
    for shares in (spoken(found.unseen), found.model.probabilities(X, POOL)):
        np.testing.assert_allclose(shares.sum(axis=1), 1.0, rtol=1e-6)
        assert (shares > 0.0).all()


@each_learner
def test_what_is_said_of_unseen_rows_agrees_with_new_rows(learner):
    X, y = uneven_table(sizes=(120, 60, 30))
    X_new, y_new = uneven_table(sizes=(1200, 600, 300))
    found = learner.learn(shared(X, y), seed=0)
    judged = ~np.isnan(found.unseen[:, 0])
    unseen = found.unseen[judged].argmax(axis=1) == y[judged]
    new = found.model.probabilities(X_new, POOL).argmax(axis=1) == y_new
    assert abs(unseen.mean() - new.mean()) < 0.12
    assert new.mean() > 0.75


@each_learner
def test_labels_drawn_by_lot_teach_nothing(learner):
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(300, 8)), rng.permutation(np.repeat([0, 1, 2], [150, 100, 50]))
    shares = learner.learn(shared(X, y), seed=0).unseen
    judged = ~np.isnan(shares[:, 0])
    right = (shares[judged].argmax(axis=1) == y[judged]).mean()
    assert right < 0.62, "the largest class has half of the rows"


@each_learner
def test_a_class_of_one_row_gets_honest_probabilities(learner):
    X, y = uneven_table(sizes=(60, 20, 1))
    row = np.flatnonzero(y == 2)[0]
    shares = learner.learn(shared(X, y), seed=0).unseen
    assert not np.isnan(spoken(shares)).any()
    if not np.isnan(shares[row, 0]):
        assert 0.0 < shares[row, 2] < 0.5, "nobody who judges the row has seen its class"


@each_learner
def test_missing_values_are_taken_as_they_are(learner):
    if isinstance(learner, AnyClassifier):
        learner = AnyClassifier(RandomForestClassifier(10))
    X, y = uneven_table()
    X[np.random.default_rng(0).random(X.shape) < 0.2] = np.nan
    found = learner.learn(shared(X, y), seed=0)
    judged = ~np.isnan(found.unseen[:, 0])
    assert np.isfinite(found.unseen[judged]).all()
    assert (found.unseen[judged].argmax(axis=1) == y[judged]).mean() > 0.7
    assert np.isfinite(found.model.probabilities(np.full_like(X, np.nan), POOL)).all()


@each_learner
def test_threads_change_nothing(learner):
    X, y = uneven_table(sizes=(150, 60, 24))
    alone = learner.learn(shared(X, y), seed=3)
    with thread_pool(2) as pool:
        table = shared(X, y)
        table.pool = pool
        together = learner.learn(table, seed=3)
        assert np.array_equal(alone.unseen, together.unseen, equal_nan=True)
        both = [found.model.probabilities(X, pool) for found in (alone, together)]
    assert np.array_equal(*both)


@each_learner
@pytest.mark.parametrize("unit", [3.0, 0.1, 1e-50])
def test_the_unit_of_the_weights_does_not_matter(learner, unit):
    X, y = uneven_table(sizes=(80, 30, 12))
    mass = np.random.default_rng(0).random(len(y)) + 0.1
    one = learner.learn(shared(X, y, mass), seed=0).unseen
    other = learner.learn(shared(X, y, mass * unit), seed=0).unseen
    assert np.array_equal(one, other, equal_nan=True)


def test_weights_of_any_size_stay_positive():
    mass = shared(np.zeros((3, 1)), np.array([0, 1, 0]), np.array([1e-300, 1.0, 3.0])).mass
    assert (mass > 0.0).all()
    np.testing.assert_allclose(mass[2] / mass[1], 3.0, rtol=1e-8)


@pytest.mark.parametrize("kind", [DecisionTreeClassifier, ExtraTreeClassifier])
def test_a_tree_as_a_voter_answers_as_the_tree(kind):
    X, y = uneven_table()
    X[::7, 1] = np.nan
    X = X.astype(np.float32)
    tree = kind(random_state=0, max_features="sqrt").fit(X, y)
    voter, leaf_of = as_voter(tree.tree_, X)
    assert np.array_equal(voter.predict(X.astype(np.float64)), leaf_of)
    new = X[::-1].copy()
    new[::5, 2] = np.nan
    same = tree.apply(new)
    answers = voter.predict(new)
    assert len(set(zip(same.tolist(), answers.tolist()))) == len(set(answers.tolist()))


def test_leaves_of_a_forest_hold_natural_shares():
    X = np.zeros((400, 1))
    y = np.repeat([0, 1], [360, 40])
    found = RandomForest(60).learn(shared(X, y), seed=0)
    shares = found.model.probabilities(X[:1], POOL)[0]
    np.testing.assert_allclose(shares, [0.9, 0.1], atol=0.02)


@settings(max_examples=30, deadline=None)
@given(st.integers(1, 40), st.integers(0, 2**31 - 1))
def test_loops_over_leaves_are_sums(n_rows, seed):
    rng = np.random.default_rng(seed)
    leaf_of, y = rng.integers(0, 4, n_rows), rng.integers(0, 3, n_rows)
    mass, drawn = rng.random(n_rows), rng.integers(0, 2, n_rows)
    masses = np.zeros((4, 3))
    leaf_masses(leaf_of, y, mass, masses)
    twin = [[mass[(leaf_of == a) & (y == b)].sum() for b in range(3)] for a in range(4)]
    np.testing.assert_allclose(masses, twin)
    sums, counts = np.zeros((n_rows, 3)), np.zeros(n_rows, dtype=np.int64)
    add_unseen(leaf_of, drawn, masses, sums, counts)
    np.testing.assert_allclose(sums, np.where((drawn == 0)[:, None], masses[leaf_of], 0.0))
    assert np.array_equal(counts, drawn == 0)


def test_a_boost_is_ada_boost_mm_with_score_leaves_on_the_rows_of_its_fold():
    """Bins come from all rows, so columns are few whole numbers, which are kept exactly."""
    rng = np.random.default_rng(0)
    X = rng.integers(0, 9, (200, 4)) * 1.0
    y = (X[:, 0] + X[:, 1] > 9).astype(int) + (X[:, 2] > 6)
    learner = ScoreLeafBoost(10, n_folds=2, max_features=1.0)
    found = learner.learn(shared(X, y), seed=0)
    folds = shared(X, y).deal(2, int(np.random.RandomState(0).randint(2**31 - 1)))
    for k in (0, 1):
        out = folds == k
        twin = AdaBoostMMClassifier(
            n_estimators=10, leaves="scores", loss="log", leaf_step="newton", max_depth=None,
            max_leaves=16, learning_rate=0.1, random_state=0,
        ).fit(X[~out], y[~out])  # fmt: skip
        close = np.abs(twin.predict_proba(X[out]) - found.unseen[out])
        assert np.median(close) < 0.03


@pytest.mark.parametrize("n_folds", [0, 3])
def test_shares_of_a_boost_on_its_way_are_those_of_its_votes(n_folds):
    X, y = uneven_table(sizes=(100, 50, 30))
    table = shared(X, y)
    found = ScoreLeafBoost(15, n_folds=n_folds, held_out=0.3).learn(table, seed=0)
    for vote in found.model.parts:
        scores = vote.score(X, POOL)
        shares = np.exp(scores) / np.exp(scores).sum(axis=1, keepdims=True)
        same = np.isclose(shares, found.unseen, atol=1e-4).all(axis=1)
        assert same.sum() >= len(y) // 4


def test_leave_one_out_is_what_leaving_one_row_out_gives():
    X, y = uneven_table(sizes=(20, 12, 6))
    table = shared(X, y)
    learner = LandmarkRidge(15, widths=(1.0,), strengths=(0.1,), temperatures=(4.0,))
    found = learner.learn(table, seed=0)
    model = found.model
    F = gaussian(table.numbers, model.landmarks, model.gamma)
    target = np.eye(3)[y] - table.prior
    for i in range(0, len(y), 5):
        kept = np.arange(len(y)) != i
        coef = np.linalg.solve(F[kept].T @ F[kept] + 0.1 * np.eye(15), F[kept].T @ target[kept])
        scores = 4.0 * (F[i] @ coef + table.prior)
        np.testing.assert_allclose(
            found.unseen[i], np.exp(scores) / np.exp(scores).sum(), rtol=1e-6
        )


def test_landmarks_with_weights_are_landmarks_with_repeated_rows():
    X, y = uneven_table(sizes=(20, 12, 6))
    table = shared(X, y)
    mass = np.where(np.arange(len(y)) % 2, 1.0, 2.0)
    learner = LandmarkRidge(len(y), widths=(1.0,), strengths=(0.1,), temperatures=(4.0,))
    weighed = learner.learn(shared(X, y, mass), seed=0).model
    F = gaussian(table.numbers, table.numbers, weighed.gamma)
    twice = np.repeat(np.arange(len(y)), mass.astype(int))
    prior = np.bincount(y[twice]) / len(twice)
    target = np.eye(3)[y[twice]] - prior
    gram = F[twice].T @ F[twice] + 0.1 * mass.mean() * np.eye(len(y))
    coef = np.linalg.solve(gram, F[twice].T @ target)
    scores = F @ weighed.coef
    assert np.allclose(weighed.columns.encode(X), table.numbers)
    np.testing.assert_allclose(scores, F @ coef, atol=1e-6)


def test_logistic_is_that_of_scikit_learn_on_all_rows():
    X, y = uneven_table(sizes=(60, 30, 15))
    table = shared(X, y)
    found = Logistic().learn(table, seed=0).model.probabilities(X, POOL)
    twin = LogisticRegression().fit(table.numbers, y).predict_proba(table.numbers)
    np.testing.assert_allclose(found, twin, atol=0.02)


def test_word_counts_are_naive_bayes():
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1, 2], [40, 20, 10])
    X = sp.csr_matrix(rng.poisson(0.3 + (np.arange(30) % 3 == y[:, None])) * 1.0)
    table = shared(X, y)
    smoothing = 0.1 * table.numbers.data.mean()
    found = WordCounts().learn(table, seed=0).model.probabilities(X, POOL)
    twin = MultinomialNB(alpha=smoothing).fit(table.numbers, y).predict_proba(table.numbers)
    np.testing.assert_allclose(found, twin, rtol=1e-6, atol=1e-12)


def test_numbers_of_wild_cells_are_finite_and_small():
    X = np.array([[1e300, 5.0, np.nan], [-1e300, 5.0, np.nan], [0.0, 5.0, np.nan], [1.0, 5, 2.0]])
    columns = NumberColumns.of(X)
    Z = columns.encode(np.vstack([X, [[np.nan, 1e308, -1e308]]]))
    assert np.isfinite(Z).all()
    assert np.abs(Z).max() <= 6.0
    assert columns.width(3) == Z.shape[1]


def test_a_category_not_seen_in_training_has_no_indicator():
    X = np.array([[0.0], [2.0], [2.0]])
    columns = NumberColumns.of(X, np.array([4]))
    assert columns.encode(np.array([[2.0], [1.0], [np.nan]])).tolist() == [[0, 1], [0, 0], [0, 0]]


def test_classes_that_no_judge_has_seen_get_their_share():
    unseen = np.array([[0.5, np.nan, 0.5], [np.nan, np.nan, np.nan]])
    filled = fill_absent(unseen, np.array([0.6, 0.1, 0.3]), seed=0)
    np.testing.assert_allclose(filled, [[0.45, 0.1, 0.45], [np.nan] * 3])


def test_classes_that_a_judge_has_not_seen_get_what_others_say():
    rng = np.random.default_rng(0)
    unseen = rng.dirichlet([5.0, 3.0, 0.1], 3000)
    said = unseen[1000:, 2]
    unseen[:1000] = np.column_stack([unseen[:1000, :2], np.full(1000, np.nan)])
    unseen[:1000, :2] /= unseen[:1000, :2].sum(axis=1, keepdims=True)
    filled = fill_absent(unseen, np.array([0.6, 0.3, 0.1]), seed=0)
    np.testing.assert_allclose(filled.sum(axis=1), 1.0)
    assert np.array_equal(filled[1000:], unseen[1000:])
    ranks = [0.25, 0.5, 0.75, 0.9]
    np.testing.assert_allclose(
        np.quantile(filled[:1000, 2], ranks), np.quantile(said, ranks), rtol=0.7, atol=1e-4
    )


@pytest.mark.parametrize(
    ("size", "names"),
    [
        (TableSize(500, 10, 3), {"boost", "forest", "extra_trees", "landmarks", "logistic"}),
        (TableSize(50_000, 10, 3), {"boost"}),
        (TableSize(500, 9000, 3, True, False), {"logistic", "word_counts"}),
        (TableSize(500, 9000, 3, True, True), {"logistic"}),
    ],
)
def test_members_follow_the_table(size, names):
    assert {name for name, kind in MEMBERS.items() if kind.suited_to(size)} == names


@pytest.mark.parametrize(
    ("size", "stops", "quick"),
    [
        (TableSize(500, 10, 3), False, False),
        (TableSize(500, 5000, 3), False, True),
        (TableSize(6000, 10, 2), True, False),
        (TableSize(30_000, 10, 2), True, False),
    ],
)
def test_a_boost_stops_where_rows_are_many_and_learns_fast_where_columns_are(size, stops, quick):
    boost, plain = ScoreLeafBoost.suited_to(size), ScoreLeafBoost()
    assert (boost.patience > 0) == stops
    assert (boost.n_rounds < plain.n_rounds) == quick


def test_boosts_of_all_folds_stop_together_where_labels_are_chance():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(600, 4)), (rng.random(600) < 0.2).astype(int)
    found = ScoreLeafBoost(60, learning_rate=0.3, patience=4).learn(shared(X, y), seed=0)
    lengths = {len(vote) for vote in found.model.parts}
    assert len(lengths) == 1
    assert max(lengths) < 20
    shares = found.unseen[np.arange(600), y]
    whole = ScoreLeafBoost(60, learning_rate=0.3).learn(shared(X, y), seed=0)
    assert np.log(shares).mean() > np.log(whole.unseen[np.arange(600), y]).mean() + 0.05


def test_named_members_are_taken_whatever_the_table():
    X, y = uneven_table()
    named = check_named_members(["word_counts", ("nb", GaussianNB())])
    assert list(choose_learners(shared(X, y), named)) == ["word_counts", "nb"]


@pytest.mark.parametrize(
    ("given", "error", "words"),
    [
        ("forest", ValueError, "list"),
        ([], ValueError, "empty"),
        (["boost", "boost"], ValueError, "two members"),
        (["bost"], ValueError, "did you mean 'boost'"),
        ([("a", 3)], TypeError, "classifier"),
        ([("a", LogisticRegression)], TypeError, "classifier"),
        ([3], ValueError, "pairs"),
    ],
)
def test_what_is_no_list_of_members_is_refused(given, error, words):
    with pytest.raises(error, match=words):
        check_named_members(given)
