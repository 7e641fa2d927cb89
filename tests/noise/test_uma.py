"""UMA as an estimator: numbers worked by hand, options, stopping rules."""

import tracemalloc
import warnings

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.datasets import load_digits
from sklearn.decomposition import KernelPCA
from sklearn.kernel_approximation import Nystroem
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.pipeline import make_pipeline

from tests.noise.uma_problems import fitted, one_step_twin, problem
from uneven.noise import (
    UMAClassifier,
    corrupt_labels,
    cyclic_noise,
    invert_noise,
    update_vectors,
)
from uneven.noise.uma.algorithm import SELECTIONS, Candidates, Run, in_order
from uneven.noise.uma.classifier import STEPS
from uneven.noise.uma.groups import group_masses, label_weights, top_classes
from uneven.noise.uma.spaces import PrimalSpace
from uneven.noise.uma.sparse_space import SparseSpace

C = np.array([[0.8, 0.1, 0.2], [0.1, 0.7, 0.1], [0.1, 0.2, 0.7]])
X = np.array(
    [(1, 0), (0.8, 0.6), (0.6, 0.8), (0, 1), (-0.6, 0.8), (-0.8, -0.6), (0, -1), (0.8, -0.6)]
)
Y = np.array([0, 1, 1, 0, 2, 2, 1, 0])
COEF = np.array([[0.5, -0.1], [-0.3, 0.4], [-0.2, -0.3]])
PRIOR = np.array([0.3680555556, 0.4583333333, 0.1736111111])
GOLDEN = {
    (0, 1): ((0.225, 0.275), 0.3553167601, 0.3333333333, True),
    (0, 2): ((-0.1041666667, -0.0625), 0.1214781645, -0.1388888889, False),
    (1, 0): ((0.0270833333, 0.1270833333), 0.1299372177, 0.1180555556, True),
    (1, 2): ((-0.1145833333, 0.1354166667), 0.1773894413, 0.1736111111, True),
    (2, 0): ((0.0361111111, 0.0375), 0.0520601800, -0.0555555556, False),
    (2, 1): ((0.0166666667, -0.175), 0.1757918592, 0.1666666667, True),
}


@pytest.mark.parametrize("form", [np.asarray, sp.csr_array, sp.csr_matrix, np.asfortranarray])
def test_golden_vectors(form):
    vectors = update_vectors(form(X), Y, COEF, C)
    for pair, (vector, norm, _, mistaken) in GOLDEN.items():
        assert vectors[pair] == pytest.approx(vector, abs=1e-9)
        assert np.linalg.norm(vectors[pair]) == pytest.approx(norm, abs=1e-9)
        products = COEF @ vectors[pair]
        assert (products[pair[0]] >= products[pair[1]]) == mistaken


def test_golden_masses_and_selections():
    labels = label_weights(Y, 3) / len(Y)
    masses = group_masses(labels, top_classes(X @ COEF.T), np.linalg.inv(C))
    assert masses.sum(axis=1) == pytest.approx([0.5, 0.25, 0.25])
    assert masses.sum(axis=0) == pytest.approx(PRIOR, abs=1e-9)
    for pair, (_, _, mass, _) in GOLDEN.items():
        assert masses[pair] == pytest.approx(mass, abs=1e-9)
    norms = np.linalg.norm(update_vectors(X, Y, COEF, C), axis=2)
    pairs = Candidates(norms, masses, PRIOR, latest=1)
    first = {rule: next(in_order(rule, pairs, norms > 0)) for rule in SELECTIONS}
    assert first["error"] == first["mass"] == (0, 1)
    assert first["confusion"] == (1, 2)
    assert first["cyclic"] == (0, 2)
    assert norms[1, 2] / PRIOR[2] == pytest.approx(1.0217631820, abs=1e-9)


def test_golden_first_step():
    vectors = update_vectors(X, Y, np.zeros((3, 2)), C)
    expected = [
        (0.3423611111, 0.0520833333),
        (0.2541666667, 0.0625),
        (-0.3715277778, 0.0104166667),
    ]
    assert vectors == pytest.approx(np.broadcast_to(expected, (3, 3, 2)), abs=1e-9)
    model = fitted(X, Y, C, max_iter=1)
    assert (model.history_["predicted"][0], model.history_["true"][0]) == (0, 2)
    assert model.history_["norm"][0] == pytest.approx(0.3716737771, abs=1e-9)
    assert model.class_prior_ == pytest.approx(PRIOR, abs=1e-9)
    assert model.coef_ == pytest.approx(np.array([-1, 0, 1])[:, None] * expected[2], abs=1e-9)


def test_many_steps_agree_with_the_algorithm_by_the_book():
    rows, t, _, _, noise = problem(3, n=80, n_classes=4)
    y = corrupt_labels(t, noise, rng=0, classes=range(4))
    coef = np.zeros((4, 4))
    for _ in range(60):
        coef = one_step_twin(rows, y, coef, noise)
    assert fitted(rows, y, noise, max_iter=60).coef_ == pytest.approx(coef, abs=1e-9)
    sparse = np.where(np.abs(rows) > 0.3, rows, 0.0)
    dense = fitted(sparse, y, noise, max_iter=60)
    assert fitted(sp.csr_array(sparse), y, noise, max_iter=60).coef_ == pytest.approx(dense.coef_)


def test_average_is_the_mean_of_the_class_vectors_after_each_step():
    rows, t, _, _, noise = problem(2)
    each = [fitted(rows, t, noise, max_iter=k).coef_ for k in range(1, 13)]
    assert fitted(rows, t, noise, max_iter=12, average=True).coef_ == pytest.approx(
        np.mean(each, axis=0), abs=1e-12
    )


@pytest.mark.parametrize("kernel", [None, "linear"])
@pytest.mark.parametrize("step", STEPS)
def test_dual_route_with_the_linear_kernel_is_the_primal_one(kernel, step):
    rows, t, _, _, noise = problem(7, n=50)
    rows = rows * np.linspace(0.5, 3.0, 50)[:, None]
    y = corrupt_labels(t, noise, rng=0)
    options = {"step": step, "fit_intercept": True, "max_iter": 40, "alpha": 0.01}
    options |= {"alpha_mode": "geometric"} if step == "max" else {}
    primal = fitted(rows, y, noise, **options)
    dual = fitted(rows, y, noise, kernel="linear", **options)
    assert dual.decision_function(rows) == pytest.approx(primal.decision_function(rows), abs=1e-10)
    assert (dual.history_["true"] == primal.history_["true"]).all()
    if kernel is None:
        given = fitted(rows @ rows.T, y, noise, kernel="precomputed", **options)
        assert given.decision_function(rows @ rows.T) == pytest.approx(
            primal.decision_function(rows), abs=1e-10
        )


def test_kernels_draw_curved_boundaries():
    rng = np.random.default_rng(0)
    rows = rng.uniform(-1, 1, (200, 2))
    t = (np.linalg.norm(rows, axis=1) > 0.7).astype(int)
    noise = np.array([[0.7, 0.1], [0.3, 0.9]])
    y = corrupt_labels(t, noise, rng=1)

    def gauss(a, b):
        return np.exp(-4.0 * ((a - b) ** 2).sum())

    routes = {
        "linear": UMAClassifier(noise, average=False),
        "dual": UMAClassifier(noise, average=False, kernel="rbf", gamma=4.0),
        "callable": UMAClassifier(noise, average=False, kernel=gauss, max_iter=500),
        "pca": make_pipeline(
            KernelPCA(30, kernel="rbf", gamma=4.0), UMAClassifier(noise, average=False)
        ),
        "nystroem": make_pipeline(
            Nystroem(gamma=4.0, n_components=60, random_state=0),
            UMAClassifier(noise, average=False),
        ),
    }
    scores = {name: model.fit(rows, y).score(rows, t) for name, model in routes.items()}
    assert scores["linear"] < 0.75
    assert min(scores[name] for name in ("dual", "pca", "nystroem")) > 0.85
    assert scores["callable"] == scores["dual"]
    dual = routes["dual"]
    assert dual.expansion_.rows.shape == (len(dual.expansion_.support), 2)
    K = rbf_kernel(rows, gamma=4.0)
    given = fitted(K, y, noise, kernel="precomputed")
    assert given.decision_function(K) == pytest.approx(dual.decision_function(rows), abs=1e-10)


@pytest.mark.slow
def test_learns_digits_in_spite_of_noise():
    digits, t = load_digits(return_X_y=True)
    noise = cyclic_noise(10, (0.3, 0.1))
    y = corrupt_labels(t, noise, rng=0)
    train, test = slice(None, 1200), slice(1200, None)
    score = {
        (known, average): fitted(
            digits[train], y[train], noise if known else None, average=average, max_iter=500
        ).score(digits[test], t[test])
        for known in (True, False)
        for average in (True, False)
    }
    assert score[True, True] > 0.78
    assert score[True, True] > score[False, True] + 0.02
    assert score[True, False] > score[False, False] + 0.15


def test_stopping_rules():
    rows, t, _, _, noise = problem(4, n=200)
    y = corrupt_labels(t, noise, rng=0)
    clean = fitted(rows, t, max_iter=5000)
    assert clean.stop_reason_ == "small_updates"
    assert clean.score(rows, t) == 1.0
    assert clean.n_iter_ < 5000
    assert fitted(rows, y, noise, max_iter=7).stop_reason_ == "max_iter"
    assert fitted(rows, y, noise, tol=10.0).stop_reason_ == "small_updates"
    patient = fitted(rows, y, noise, patience=5)
    assert patient.stop_reason_ == "plateau"
    risk = patient.history_["risk"]
    assert len(risk) - 1 - int(risk.argmin()) == 5
    automatic = fitted(rows, y, noise, tol="auto")
    assert automatic.stop_reason_ != "max_iter"
    assert automatic.n_iter_ > 1


def test_automatic_tolerance_is_what_label_noise_can_do():
    """Steps go on exactly as long as a mistaken vector is longer than its own tolerance."""
    rows, t, _, _, _ = problem(4, n=200)
    noise = np.array([[0.6, 0.0, 0.1], [0.3, 0.9, 0.3], [0.1, 0.1, 0.6]])
    amplification = np.abs(np.linalg.inv(noise)).max(axis=1)
    model = fitted(rows, corrupt_labels(t, noise, rng=0), noise, tol="auto")
    y = corrupt_labels(t, noise, rng=0)
    assert model.stop_reason_ in ("small_updates", "no_mistake_constructible")
    vectors = update_vectors(rows, y, model.coef_, noise)
    counts = np.bincount((rows @ model.coef_.T).argmax(axis=1), minlength=3)
    limits = np.sqrt(counts)[:, None] * amplification / 200
    products = vectors @ model.coef_.T
    mistaken = {
        (p, q)
        for p in range(3)
        for q in range(3)
        if p != q and products[p, q, p] >= products[p, q, q]
    }
    lengths = np.linalg.norm(vectors, axis=2)
    assert not any(lengths[pair] > limits[pair] for pair in mistaken)
    assert any(lengths[p, q] > np.sqrt(counts[p]) / 200 for p, q in mistaken)


def test_default_number_of_steps_grows_with_the_classes():
    rows, t, _, _, _ = problem(4, n=300, n_classes=7)
    y = np.random.default_rng(0).permutation(t)
    assert fitted(rows, y).n_iter_ == 20 * 7 * 6
    rows, t, _, _, _ = problem(4)
    assert fitted(rows, np.random.default_rng(0).permutation(t)).n_iter_ == 500


def test_a_pair_that_nobody_mistakes_is_passed_over():
    """The longest vector belongs to a pair without error set: a naive selector would hang."""
    model = UMAClassifier(np.eye(2), normalize=False, max_iter=50)
    rows = np.array([[3.0, 0.0], [0.0, 1.0], [0.0, 1.1]])
    model.fit(rows, [0, 1, 1])
    assert model.stop_reason_ in ("small_updates", "no_mistake_constructible")
    assert model.n_iter_ < 50
    run = fitted(X, Y, C, max_iter=300)
    pairs = list(zip(run.history_["predicted"], run.history_["true"]))
    assert len(set(pairs)) > 1
    never = UMAClassifier([[0.9, 0.4], [0.1, 0.6]]).fit([[1.0, 0.0], [1.0, 0.1]], [0, 1])
    assert never.stop_reason_ == "no_mistake_constructible"
    assert never.n_iter_ < 500


def test_pocket_keeps_the_lowest_estimated_error():
    rows, t, _, _, noise = problem(6, n=150)
    y = corrupt_labels(t, noise, rng=0)
    pocket = fitted(rows, y, noise, pocket=True, max_iter=100)
    best = int(pocket.history_["risk"].argmin())
    assert pocket.coef_ == pytest.approx(fitted(rows, y, noise, max_iter=best + 1).coef_)
    assert best < 99
    masses = group_masses(
        label_weights(y, 3) / len(y), pocket.predict(rows).astype(np.int64), np.linalg.inv(noise)
    )
    assert pocket.history_["risk"][best] == pytest.approx(1 - np.trace(masses))


@pytest.mark.parametrize("mode", ["absolute", "geometric"])
def test_alpha_starts_and_leaves_rows_near_the_boundary_out(mode):
    rows, t, _, _, noise = problem(8, n=300, n_classes=3)
    y = corrupt_labels(t, noise, rng=0)
    model = fitted(rows, y, noise, alpha=0.02, alpha_mode=mode, max_iter=100)
    assert model.n_iter_ > 5
    assert model.score(rows, t) > 0.7
    assert not np.array_equal(model.coef_, fitted(rows, y, noise, max_iter=100).coef_)
    huge = fitted(rows, y, noise, alpha=100.0, alpha_mode=mode)
    assert (huge.n_iter_, huge.stop_reason_) == (1, "no_row_clears_alpha")


def test_geometric_leads_are_distances_in_the_error_set():
    """Class 1 leads on the vector by less than the distance asks for, class 2 by enough."""
    coef = np.array([[0.0, 0.0], [3.0, 4.0], [0.0, 0.1]])
    rows = np.array([[0.0, 1.0], [1.0, 0.0]])
    labels = label_weights([0, 1], 3) / 2
    noise = invert_noise(np.eye(3))
    mass, alpha = 0.5, 0.5
    for geometric, expected in ((False, [1, 2]), (True, [2])):
        space = PrimalSpace(rows, labels, noise.inverse)
        run = Run(
            space,
            labels,
            noise,
            coef,
            lag=np.zeros((3, 2)),
            scores=rows @ coef.T,
            lengths=np.ones(2),
            alpha=alpha,
            geometric=geometric,
        )
        run.masses = np.full((3, 3), mass)
        products = np.array([0.0, 1.0, 0.26])
        assert run.error_set(products, 2, 0).tolist() == expected


def test_geometric_leads_are_distances():
    scores = np.array([[3.0, 1.0, 0.0], [1.0, 3.0, 2.9]])
    distances = np.array([[0.0, 4.0, 1.0], [4.0, 0.0, 0.1], [1.0, 0.1, 0.0]])
    assert top_classes(scores, 0.6, distances).tolist() == [-1, -1]
    assert top_classes(scores, 0.4, distances).tolist() == [0, 1]
    assert top_classes(scores, 1.5).tolist() == [0, -1]


@pytest.mark.parametrize("by", ["norm", "mass"])
def test_normalized_updates(by):
    rows, t, _, _, noise = problem(9)
    plain = fitted(rows, t, noise, max_iter=1)
    scaled = fitted(rows, t, noise, max_iter=1, normalize_updates=by)
    divisor = plain.history_[by][0]
    assert scaled.coef_ == pytest.approx(plain.coef_ / divisor)
    assert divisor < 1


def test_vectors_of_less_than_a_row_are_divided_by_their_length():
    """A mass of at most 1/n, or below 0, says nothing: dividing by it would blow up the step."""
    rows, t, _, _, noise = problem(9)
    y = corrupt_labels(t, noise, rng=0)
    model = UMAClassifier(noise, normalize_updates="mass", selection="cyclic", average=False)
    weights, fell_back = np.zeros((3, 4)), 0
    for _ in range(60):
        model.partial_fit(rows, y, classes=[0, 1, 2])
        last = {name: values[-1] for name, values in model.history_.items()}
        length = np.linalg.norm(model.coef_[last["true"]] - weights[last["true"]])
        small = last["mass"] * 60 <= 1.0
        fell_back += small
        assert length == pytest.approx(1.0 if small else last["norm"] / last["mass"])
        weights = model.coef_
    assert 0 < fell_back < 60


def test_intercept_separates_what_lines_through_the_origin_cannot():
    rows = np.array([[1.0], [2.0], [5.0], [6.0]])
    t = [0, 0, 1, 1]
    assert fitted(rows, t).score(rows, t) == 0.5
    assert fitted(rows, t, fit_intercept=True, max_iter=5000).score(rows, t) == 1.0


@pytest.mark.parametrize("form", [np.asarray, sp.csr_array])
def test_gamma_may_follow_the_spread_of_the_rows(form):
    rows, t, _, _, noise = problem(7)
    rows = np.where(np.abs(rows) > 0.3, 5.0 * rows, 0.0)
    scaled = fitted(form(rows), t, noise, kernel="rbf", gamma="scale", max_iter=20)
    number = fitted(rows, t, noise, kernel="rbf", gamma=1 / (4 * rows.var()), max_iter=20)
    assert scaled.decision_function(form(rows)) == pytest.approx(number.decision_function(rows))
    assert scaled.decision_function(form(rows[:3])) == pytest.approx(
        number.decision_function(rows[:3])
    )


def test_sums_of_one_class_at_a_time_give_the_vectors_of_all_sums():
    rng = np.random.default_rng(0)
    X = sp.random(80, 200, 0.05, format="csr", random_state=0)
    labels = label_weights(rng.integers(4, size=80), 4)
    inverse = invert_noise(cyclic_noise(4, (0.2, 0.1))).inverse
    whole, part = (kind(X, labels, inverse) for kind in (PrimalSpace, SparseSpace))
    groups = [None, *rng.integers(-1, 4, size=(3, 80)), np.zeros(80, dtype=int)]
    groups.append(np.where(np.arange(80) < 5, 3, groups[-1]))
    for group in groups:
        for space in (whole, part):
            space.regroup(group)
        np.testing.assert_allclose(part.norms, whole.norms, atol=1e-15)
        for pair in ((0, 1), (2, 2), (3, 0)):
            np.testing.assert_allclose(part.vector(*pair), whole.vector(*pair), atol=1e-15)


def test_wide_rows_and_many_classes_need_no_sums_of_all_pairs():
    n_classes, n_features = 30, 20_000
    X = sp.random(300, n_features, 0.001, format="csr", random_state=0)
    y = np.arange(300) % n_classes
    noise = cyclic_noise(n_classes, (0.2,))
    UMAClassifier(noise, max_iter=2).fit(X, y)
    tracemalloc.start()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        UMAClassifier(noise, max_iter=5).fit(X, y)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 8 * n_classes**2 * n_features / 3
