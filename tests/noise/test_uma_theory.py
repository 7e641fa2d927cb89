"""What is proved about UMA's vectors and runs, on random problems."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.noise.uma_problems import (
    clean_vectors,
    diagonal_noise,
    drawn_vectors,
    fitted,
    margin,
    problem,
    unit_rows,
)
from uneven.datasets import make_margin_classes
from uneven.metrics import confusion_norm
from uneven.noise import (
    UMAClassifier,
    corrupt_labels,
    noise_family,
    random_noise,
    uniform_noise,
    update_vectors,
)
from uneven.noise.uma._loops import move_dense, move_sparse
from uneven.noise.uma.classifier import STEPS
from uneven.noise.uma.groups import group_masses, label_weights, top_classes

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")

SEEDS = st.integers(0, 10**6)


@given(SEEDS, st.integers(2, 6), st.floats(0.0, 0.3))
@settings(max_examples=40, deadline=None)
def test_soft_labels_give_the_clean_sums_exactly(seed, n_classes, alpha):
    X, t, _, coef, noise = problem(seed, n_classes=n_classes)
    vectors = update_vectors(X, noise[:, t].T, coef, noise, alpha=alpha)
    top = top_classes(X @ coef.T, alpha)
    for p in range(n_classes):
        for q in range(n_classes):
            expected = X[(top == p) & (t == q)].sum(axis=0) / len(X)
            assert vectors[p, q] == pytest.approx(expected, abs=1e-11)
    if n_classes > 2 and alpha == 0.0:
        wrong = update_vectors(X, (noise.T / noise.sum(axis=1))[:, t].T, coef, noise)
        assert np.abs(wrong - clean_vectors(X, t, coef)).max() > 1e-6


@given(SEEDS, st.integers(2, 5))
@settings(max_examples=30, deadline=None)
def test_vectors_of_a_predicted_class_sum_to_its_rows(seed, n_classes):
    X, t, _, coef, noise = problem(seed, n_classes=n_classes)
    y = corrupt_labels(t, noise, rng=seed, classes=range(n_classes))
    top = (X @ coef.T).argmax(axis=1)
    rows = np.array([X[top == p].sum(axis=0) for p in range(n_classes)]) / len(X)
    assert update_vectors(X, y, coef, noise).sum(axis=1) == pytest.approx(rows, abs=1e-11)
    plain = update_vectors(X, y, coef, np.eye(n_classes))
    assert plain == pytest.approx(clean_vectors(X, y, coef), abs=1e-12)


@pytest.fixture(scope="module")
def draws():
    X, t, _, coef, noise = problem(12, n=100, d=3, n_classes=4)
    return X, t, coef, noise, drawn_vectors(X, t, coef, noise, 800)


@pytest.mark.slow
def test_vectors_are_free_of_bias(draws):
    X, t, coef, _, drawn = draws
    error = drawn.mean(axis=0) - clean_vectors(X, t, coef)
    standard_error = drawn.std(axis=0, ddof=1) / np.sqrt(len(drawn))
    assert (np.abs(error) <= 5 * standard_error + 1e-12).all()
    assert standard_error.max() < 0.01


def test_second_moment_is_below_its_bound(draws):
    X, t, coef, noise, drawn = draws
    kappa = np.abs(np.linalg.inv(noise)).max(axis=1)
    share = np.bincount((X @ coef.T).argmax(axis=1), minlength=4) / len(X)
    squared = ((drawn - clean_vectors(X, t, coef)) ** 2).sum(axis=3).mean(axis=0)
    bound = share[:, None] * kappa**2 / len(X)
    assert (squared <= bound).all()
    assert (squared > 0.01 * bound).any()


def test_large_deviations_are_as_rare_as_claimed(draws):
    X, t, coef, noise, drawn = draws
    kappa = np.abs(np.linalg.inv(noise)).max(axis=1)
    along = np.abs((drawn - clean_vectors(X, t, coef))[..., 0])
    for eps in (0.02, 0.05, 0.1, 0.2, 0.3):
        bound = np.minimum(1.0, 2 * np.exp(-len(X) * eps**2 / (2 * kappa**2)))
        assert ((along >= eps).mean(axis=0) <= bound).all()
    assert (along >= 0.02).mean() > 0.01


def test_errors_shrink_with_the_root_of_the_sample():
    sizes, errors = np.array([250, 1000, 4000]), []
    rng = np.random.default_rng(0)
    coef, truth = rng.standard_normal((2, 3, 3))
    noise = diagonal_noise(3, rng)
    for n in sizes:
        X = unit_rows(n, 3, rng)
        t = (X @ truth.T).argmax(axis=1)
        gaps = drawn_vectors(X, t, coef, noise, 60) - clean_vectors(X, t, coef)
        errors.append(np.sqrt((gaps**2).mean()))
    slope = np.polyfit(np.log(sizes), np.log(errors), 1)[0]
    assert -0.6 < slope < -0.4


def test_errors_grow_with_the_noise():
    X, t, _, coef, _ = problem(13, n=200, d=3, n_classes=4)
    errors = []
    for rate in (0.1, 0.3, 0.5, 0.65):
        noise = uniform_noise(4, rate)
        gaps = drawn_vectors(X, t, coef, noise, 60) - clean_vectors(X, t, coef)
        errors.append(np.sqrt((gaps**2).mean()))
    assert np.all(np.diff(errors) > 0)


@given(SEEDS, st.sampled_from([0.0, 0.1]))
@settings(max_examples=40, deadline=None)
def test_margins_hold_per_share_of_rows(seed, alpha):
    X, t, truth, coef, noise = problem(seed, n=80, n_classes=4)
    gamma = margin(X, t, truth)
    vectors = update_vectors(X, noise[:, t].T, coef, noise, alpha=alpha)
    top = top_classes(X @ coef.T, alpha)
    for p in range(4):
        for q in range(4):
            mass = np.mean((top == p) & (t == q))
            x = vectors[p, q]
            assert np.linalg.norm(x) <= mass + 1e-11
            others = [k for k in range(4) if k != q]
            assert ((truth[q] - truth[others]) @ x >= gamma * mass - 1e-11).all()
            others = [k for k in range(4) if k != p]
            assert ((coef[p] - coef[others]) @ x >= alpha * mass - 1e-11).all()


def test_margins_do_not_hold_as_printed():
    X, t, truth, coef, noise = problem(0, n=80, n_classes=4)
    gamma, top = margin(X, t, truth), (X @ coef.T).argmax(axis=1)
    vectors = update_vectors(X, noise[:, t].T, coef, noise)
    broken = [
        (truth[q] - truth[k]) @ vectors[p, q] < gamma
        for p in range(4)
        for q in range(4)
        for k in range(4)
        if k != q and ((top == p) & (t == q)).any()
    ]
    assert any(broken)


@given(SEEDS, st.sampled_from(STEPS), st.sampled_from(["error", "random", "mass"]))
@settings(max_examples=30, deadline=None)
def test_class_vectors_sum_to_zero_and_stay_short(seed, step, selection):
    X, t, _, _, noise = problem(seed, n_classes=4)
    y = corrupt_labels(t, noise, rng=seed, classes=range(4))
    y[:4] = range(4)
    model = fitted(X, y, noise, step=step, selection=selection, max_iter=60, random_state=0)
    assert np.abs(model.coef_.sum(axis=0)).max() < 1e-12
    bound = 2 * (model.history_["norm"] ** 2).sum()
    if step != "perceptron_loose":
        assert (model.coef_**2).sum() <= bound + 1e-9


@given(st.integers(0, 200))
@settings(max_examples=12, deadline=None)
def test_number_of_steps_on_separable_rows(seed):
    bunch = make_margin_classes(60, n_classes=3, n_features=3, margin=0.1, random_state=seed)
    X, t = bunch.data, bunch.target
    truth = bunch.prototypes - bunch.prototypes.mean(axis=0)
    truth /= np.linalg.norm(truth)
    gamma = margin(X, t, truth)
    by_mass = fitted(X, t, normalize_updates="mass", max_iter=20_000, tol=0.0)
    assert by_mass.score(X, t) == 1.0
    assert by_mass.n_iter_ <= 2 / gamma**2
    raw = fitted(X, t, max_iter=20_000, tol=0.0)
    masses = raw.history_["mass"]
    assert raw.score(X, t) == 1.0
    assert gamma * masses.sum() <= np.sqrt(2 * (masses**2).sum()) + 1e-12
    assert raw.n_iter_ <= 2 * masses.max() / (masses.min() * gamma**2)


def test_a_run_with_soft_labels_is_the_run_with_clean_ones():
    X, t, _, _, noise = problem(15, n=120, n_classes=4)
    X = X * np.random.default_rng(0).uniform(0.5, 1.5, (120, 1))
    clean = UMAClassifier(max_iter=80, normalize=False, average=False).fit(X, t)
    soft = UMAClassifier(noise, max_iter=80, normalize=False, average=False)
    soft.fit(X, t, label_weights=noise[:, t].T)
    assert soft.coef_ == pytest.approx(clean.coef_, abs=1e-10)
    assert soft.class_prior_ == pytest.approx(np.bincount(t) / 120)
    assert soft.history_["risk"] == pytest.approx(clean.history_["risk"], abs=1e-10)
    error = 1 - clean.score(X, t)
    assert clean.history_["risk"][-1] == pytest.approx(error, abs=1e-12)


@given(SEEDS)
@settings(max_examples=20, deadline=None)
def test_rotations_doublings_and_scalings(seed):
    rng = np.random.default_rng(seed)
    X, t, _, _, noise = problem(seed)
    y = corrupt_labels(t, noise, rng=seed, classes=range(3))
    y[:3] = range(3)
    base = fitted(X, y, noise, max_iter=10)
    turn = np.linalg.qr(rng.standard_normal((4, 4)))[0]
    assert fitted(X @ turn, y, noise, max_iter=10).coef_ == pytest.approx(base.coef_ @ turn)
    twice = fitted(np.vstack([X, X]), np.concatenate([y, y]), noise, max_iter=10)
    assert twice.coef_ == pytest.approx(base.coef_)
    longer = fitted(8 * X, y, noise, normalize=False, max_iter=10)
    assert longer.coef_ == pytest.approx(8 * base.coef_)


@pytest.mark.slow
@given(SEEDS, st.permutations(range(3)))
@settings(max_examples=20, deadline=None)
def test_renaming_classes_renames_the_model(seed, order):
    order = np.array(order)
    X, t, _, coef, noise = problem(seed)
    y = corrupt_labels(t, noise, rng=seed, classes=range(3))
    renamed = np.empty_like(noise)
    renamed[np.ix_(order, order)] = noise
    moved = np.empty_like(coef)
    moved[order] = coef
    vectors = update_vectors(X, order[y], moved, renamed)
    assert vectors[np.ix_(order, order)] == pytest.approx(update_vectors(X, y, coef, noise))
    base = ten_steps_from(coef, X, y, noise)
    other = ten_steps_from(moved, X, order[y], renamed)
    assert other.coef_[order] == pytest.approx(base.coef_, abs=1e-10)
    assert (other.predict(X) == order[base.predict(X)]).all()
    assert np.abs(base.coef_ - 0.1 * coef).max() > 0.001


def ten_steps_from(coef, X, y, noise):
    """A model that starts from other class vectors than zeros, where all classes are tied."""
    model = UMAClassifier(noise).partial_fit(X, y, classes=[0, 1, 2])
    model.weights_ = 0.1 * coef
    for _ in range(10):
        model.partial_fit(X, y)
    return model


@pytest.mark.parametrize("sparse", [False, True])
def test_moving_rows_agrees_with_sums_taken_anew(sparse):
    import scipy.sparse as sp

    rng = np.random.default_rng(0)
    X = np.where(rng.random((40, 5)) < 0.5, rng.standard_normal((40, 5)), 0.0)
    weights = rng.random((40, 3))
    labels = label_weights(weights, 3)
    earlier, group = rng.integers(-1, 3, (2, 40))

    def sums(groups):
        kept = groups >= 0
        total = np.zeros((3, 3, 5))
        np.add.at(total, groups[kept], weights[kept][:, :, None] * X[kept][:, None, :])
        return np.ascontiguousarray(total.swapaxes(0, 1))

    moved = np.flatnonzero(earlier != group)
    found = sums(earlier)
    parts = (moved, earlier, group, labels.data, labels.indices, labels.indptr, found)
    if sparse:
        rows = sp.csr_array(X)
        move_sparse(rows.data, rows.indices, rows.indptr, *parts)
    else:
        move_dense(X, *parts)
    assert found == pytest.approx(sums(group), abs=1e-12)
    counts = np.array([[weights[group == p, k].sum() for k in range(3)] for p in range(3)])
    assert group_masses(labels, group, np.eye(3)) == pytest.approx(counts)


@pytest.fixture(scope="module")
def circles():
    """Ten classes on a circle, six times: rows to learn from, rows to judge by."""
    return {
        seed: (
            train := make_margin_classes(1000, random_state=seed),
            make_margin_classes(1000, prototypes=train.prototypes, random_state=seed + 1000),
        )
        for seed in range(100, 106)
    }


@pytest.mark.slow
@pytest.mark.parametrize(("level", "gain"), [(3, 0.15), (5, 0.4), (7, 0.3)])
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_known_noise_helps_on_the_circle(circles, level, gain):
    """The noise matrix lowers the norm of the confusion."""
    gaps = []
    for seed, (train, test) in circles.items():
        noise = noise_family(random_noise(10, np.random.default_rng(seed)), level)
        y = corrupt_labels(train.target, noise, np.random.default_rng(seed), classes=range(10))
        norms = [
            confusion_norm(
                test.target,
                fitted(train.data, y, matrix, max_iter=300).predict(test.data),
                labels=np.arange(10),
                norm="fro",
            )
            for matrix in (noise, None)
        ]
        gaps.append(norms[0] - norms[1])
    assert np.mean(gaps) < -gain
