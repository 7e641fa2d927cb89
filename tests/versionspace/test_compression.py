"""The compression perceptron: schemes, bounds, the published experiment, kernels, odd inputs."""

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from sklearn.base import clone
from sklearn.datasets import load_digits, load_iris
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.naive_bayes import GaussianNB
from sklearn.svm import SVC

from tests.linear.cases import separable_binary
from uneven import CompressionPerceptron
from uneven.bounds import compression_bound
from uneven.datasets import make_margin_square
from uneven.linear import KernelPerceptronClassifier, hard_margin, normal_form
from uneven.versionspace import (
    ORACLES,
    largest_error,
    localise,
    verify_compression,
    verify_process_scheme,
)


def labelled(seed, **shape):
    """Separable rows with labels of both signs."""
    Z, _ = separable_binary(seed, **shape)
    t = np.where(np.random.default_rng(seed).random(len(Z)) < 0.5, 1, -1)
    return Z * t[:, None], t


@pytest.mark.parametrize("oracle", sorted(ORACLES))
@pytest.mark.parametrize("pick", ["lowest_margin", "cyclic"])
def test_the_set_alone_gives_the_same_classifier_step_by_step(oracle, pick):
    model = CompressionPerceptron(oracle, pick, random_state=0)
    for seed in range(4):
        X, y = labelled(seed, n_samples=80, n_features=2 + seed % 4)
        assert verify_compression(model, X, y)
        assert verify_process_scheme(model, X, y)


@pytest.mark.parametrize("kernel", ["rbf", "poly", "precomputed"])
def test_the_set_alone_gives_the_same_classifier_with_kernels(kernel):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(120, 2))
    y = np.hypot(*X.T) > 1.0
    model = CompressionPerceptron(kernel=kernel, gamma=1.0, fit_intercept=True)
    if kernel == "precomputed":
        X = np.exp(-((X[:, None] - X) ** 2).sum(axis=2))
    assert clone(model).fit(X, y).converged_
    assert verify_compression(model, X, y)
    assert verify_process_scheme(model, X, y)


def test_an_oracle_that_draws_anew_each_time_is_no_scheme():
    rng = np.random.default_rng(0)

    def fickle(margins):
        wrong = np.flatnonzero(margins <= 0)
        return int(rng.choice(wrong)) if wrong.size else None

    held = [
        verify_compression(CompressionPerceptron(fickle), *labelled(seed, n_samples=80))
        for seed in range(10)
    ]
    assert sum(held) < 5


def test_the_width_of_a_kernel_read_off_all_rows_is_no_scheme():
    X, y = load_iris(return_X_y=True)
    model = CompressionPerceptron(kernel="rbf", gamma="scale")
    assert not verify_compression(model, X, y == 1)


@pytest.mark.parametrize("seed", range(2))
def test_support_vectors_and_rows_with_mistakes_are_schemes(seed):
    """The two examples of the source: a hard-margin machine, and a kernel perceptron."""
    X, y = labelled(seed, n_samples=60)
    assert verify_compression(SVC(C=1e6, gamma=2.0, tol=1e-7), X, y)
    perceptron = KernelPerceptronClassifier(gamma=2.0)
    assert verify_compression(perceptron, X, y)
    forgetful = KernelPerceptronClassifier(gamma="scale")
    assert not verify_compression(forgetful, X, y)


def test_a_model_that_names_no_rows_is_refused():
    X, y = labelled(0, n_samples=40)
    with pytest.raises(ValueError, match="GaussianNB has neither compression_set_ nor support_"):
        verify_compression(GaussianNB(), X, y)


@pytest.mark.parametrize("kernel", ["linear", "rbf"])
@pytest.mark.parametrize("share", [0.5, 0.95])
def test_the_margin_is_the_share_asked_for(kernel, share):
    X, y = labelled(1, n_samples=30)
    model = CompressionPerceptron(margin=share, kernel=kernel, gamma=1.0).fit(X, y)
    t = np.where(y == model.classes_[1], 1.0, -1.0)
    K = X @ X.T if kernel == "linear" else rbf_kernel(X, gamma=1.0)
    values, vectors = np.linalg.eigh(K)
    places = vectors * np.sqrt(np.clip(values, 0.0, None))
    largest = hard_margin(places * t[:, None]).margin
    reached = (t * model.decision_function(X)).min()
    assert model.converged_
    assert share * largest <= reached <= largest * (1.0 + 1e-9)
    assert verify_compression(clone(model), X, y)
    assert verify_process_scheme(clone(model), X, y)


def test_slack_lets_wrong_labels_pass():
    X, y = labelled(0, n_samples=200)
    wrong = np.random.default_rng(0).random(len(y)) < 0.1
    noisy = np.where(wrong, -y, y)
    model = CompressionPerceptron(slack=0.3).fit(X, noisy)
    with pytest.warns(ConvergenceWarning):
        rigid = CompressionPerceptron(max_updates=20_000).fit(X, noisy)
    assert model.converged_
    assert model.score(X, y) > 0.93
    assert model.score(X, y) > rigid.score(X, y)
    mistaken = np.flatnonzero(model.predict(X) != noisy)
    assert set(mistaken) <= set(model.compression_set_)
    assert 0 < model.risk_bound() < 1
    assert verify_compression(clone(model), X, noisy)


def test_slack_is_a_kernel_with_a_larger_diagonal():
    X, y = labelled(2, n_samples=60)
    noisy = np.where(np.arange(60) < 4, -y, y)
    soft = CompressionPerceptron(slack=0.5, kernel="rbf", gamma=1.0).fit(X, noisy)
    plain = CompressionPerceptron(kernel="precomputed").fit(
        rbf_kernel(X, gamma=1.0) + 0.5 * np.eye(60), noisy
    )
    assert soft.compression_set_.tolist() == plain.compression_set_.tolist()
    assert soft.n_updates_ == plain.n_updates_


def test_several_classes_are_rebuilt_from_the_union():
    X, y = load_digits(return_X_y=True)
    X, y = X[:500], y[:500]
    model = CompressionPerceptron(fit_intercept=True, normalize=True).fit(X, y)
    assert model.converged_
    assert model.score(X, y) == 1.0
    assert model.coef_.shape == (10, 64)
    assert len(model.compression_sets_) == len(model.n_updates_per_cut_) == 10
    assert set(model.compression_set_) == set(np.concatenate(model.compression_sets_))
    assert model.n_updates_ == sum(u.sum() for u in model.n_updates_per_cut_)
    assert verify_compression(model, X, y)
    with pytest.raises(ValueError, match="y holds 10 classes"):
        verify_process_scheme(model, X, y)
    for k in (0, 7):
        alone = clone(model).fit(X, y == k)
        assert alone.compression_set_.tolist() == model.compression_sets_[k].tolist()
        np.testing.assert_array_equal(alone.coef_[0], model.coef_[k])


def test_new_digits_are_read_well():
    X, y = load_digits(return_X_y=True)
    model = CompressionPerceptron(kernel="rbf", gamma=0.001).fit(X[:1000], y[:1000])
    assert model.converged_
    assert model.score(X[1000:], y[1000:]) > 0.94
    assert len(model.compression_set_) < 600


def toy(seed, margin=0.1):
    square = make_margin_square(1000, margin=margin, random_state=seed)
    return normal_form(square.data, square.target)


@pytest.mark.slow
def test_the_published_experiment():
    """Cuts and updates of the three oracles on 300 squares; Louche (2016), figure 6.3."""
    cuts = {name: [] for name in ("largest_error", "random_error", "smallest_error")}
    updates = {name: [] for name in cuts}
    for seed in range(300):
        Z = toy(seed)
        bound = (np.linalg.norm(Z, axis=1).max() / 0.1) ** 2
        for name in cuts:
            found = localise(Z, name, rng=np.random.default_rng(seed))
            cuts[name].append(len(found.cuts))
            updates[name].append(found.updates.sum())
            assert found.converged
            assert updates[name][-1] <= bound
    assert max(cuts["largest_error"]) <= 7
    assert 0.75 <= np.mean(np.array(cuts["largest_error"]) <= 4) <= 0.85
    means = [np.mean(cuts[name]) for name in cuts]
    assert means == sorted(means)
    np.testing.assert_allclose(means, [3.677, 5.707, 7.803], rtol=0.1)
    medians = [np.median(updates[name]) for name in cuts]
    assert medians == sorted(medians, reverse=True)


@pytest.mark.parametrize(
    ("margin", "cuts", "updates"),
    [
        (0.05, (3.88, 6.14, 8.50), 103),
        (0.15, (3.62, 5.27, 7.28), 32),
        (0.30, (3.29, 4.91, 5.94), 15),
    ],
)
def test_the_published_margins(margin, cuts, updates):
    """Cuts and updates on 60 squares per margin; Louche (2016), figure 6.4."""
    names = ("largest_error", "random_error", "smallest_error")
    rows = [toy(seed, margin) for seed in range(60)]
    runs = [
        [localise(Z, name, rng=np.random.default_rng(seed)) for seed, Z in enumerate(rows)]
        for name in names
    ]
    found = [np.mean([len(run.cuts) for run in some]) for some in runs]
    np.testing.assert_allclose(found, cuts, rtol=0.15)
    steps = [[run.updates.sum() for run in some] for some in runs]
    medians = [np.median(some) for some in steps]
    assert medians[0] > 1.3 * max(medians[1:])
    assert 0.4 * updates < np.mean(steps[2]) < 2.5 * updates
    assert np.max(steps) < 200 / margin**2


def test_the_risk_bound_holds_on_new_rows():
    missed = 0
    for seed in range(60):
        square = make_margin_square(300, random_state=seed)
        model = CompressionPerceptron().fit(square.data, square.target)
        new = np.random.default_rng(seed).uniform(-10, 10, size=(5000, 2))
        new = new[np.abs(new @ square.normal) >= 0.1]
        risk = np.mean(model.predict(new) != np.sign(new @ square.normal))
        bound = model.risk_bound(0.05)
        assert 0.0 < bound < 0.2
        missed += risk > bound
    assert missed <= 3
    size = len(model.compression_set_)
    n_rows = len(square.data)
    assert bound == compression_bound(n_rows, size, 0.05, size_from_data=True)
    assert model.risk_bound(0.01) > bound


def test_rows_that_cannot_be_separated():
    X, y = load_iris(return_X_y=True)
    with pytest.warns(ConvergenceWarning, match="still mistakes after"):
        model = CompressionPerceptron(max_updates=2000).fit(X, y)
    assert not model.converged_
    assert model.risk_bound() == 1.0
    with pytest.warns(ConvergenceWarning):
        pair = CompressionPerceptron(max_updates=5000, fit_intercept=True).fit(X[50:], y[50:])
    assert pair.score(X[50:], y[50:]) > 0.9


@pytest.mark.parametrize("kernel", ["linear", "poly"])
@pytest.mark.parametrize("normalize", [False, True])
@pytest.mark.parametrize("fit_intercept", [False, True])
def test_scores_are_products_with_a_unit_vector(kernel, normalize, fit_intercept):
    X, y = labelled(3, n_samples=50)
    model = CompressionPerceptron(
        kernel=kernel, gamma=0.5, normalize=normalize, fit_intercept=fit_intercept
    ).fit(X, y)
    near = X @ X.T if kernel == "linear" else (0.5 * X @ X.T + 1.0) ** 3
    near = near + float(fit_intercept)
    lengths = np.sqrt(np.diag(near)) if normalize else np.ones(len(X))
    found = localise(np.linalg.cholesky(near + 1e-9 * np.eye(len(X))) * (y / lengths)[:, None])
    assert model.compression_set_.tolist() == found.cuts.tolist()
    counts = np.zeros(len(X))
    counts[found.cuts] = found.counts * y[found.cuts] / lengths[found.cuts]
    expected = near @ counts / np.sqrt(counts @ near @ counts)
    np.testing.assert_allclose(model.decision_function(X), expected, rtol=1e-5, atol=1e-7)


def test_all_kinds_of_tables_agree():
    X, y = labelled(1, n_samples=60)
    names = np.where(y == 1, "yes", "no")
    plain = CompressionPerceptron("random_error", random_state=3).fit(X, y)
    frame = pd.DataFrame(X, columns=list("abcd"))
    for table in (sp.csr_array(X), sp.csc_matrix(X), np.asfortranarray(X), frame):
        model = CompressionPerceptron("random_error", random_state=3).fit(table, names)
        assert model.compression_set_.tolist() == plain.compression_set_.tolist()
        assert (model.predict(table) == names).all()
        np.testing.assert_allclose(model.coef_, plain.coef_)
    short = CompressionPerceptron().fit(X.astype(np.float32), y)
    assert short.coef_.dtype == np.float64


def test_a_refit_with_another_kernel_forgets_the_first():
    X, y = labelled(1)
    model = CompressionPerceptron(kernel="rbf").fit(X, y)
    model.set_params(kernel="linear").fit(X, y)
    assert not hasattr(model, "expansion_")
    before = vars(model).copy()
    with pytest.raises(ValueError, match="one class only"):
        model.fit(X, np.ones(len(X)))
    assert vars(model) == before


def test_classes_that_the_rows_lack_can_be_told():
    model = CompressionPerceptron().fit([[1.0, 0.0]], [1], classes=[-1, 1])
    assert model.predict([[2.0, 1.0], [-1.0, 0.0]]).tolist() == [1, -1]
    with pytest.raises(ValueError, match=r"y holds \[2\], not among the classes \[-1, 1\]"):
        CompressionPerceptron().fit([[1.0], [2.0]], [1, 2], classes=[-1, 1])


def test_an_oracle_of_ones_own():
    X, y = labelled(5)
    mine = CompressionPerceptron(lambda margins: largest_error(margins)).fit(X, y)
    assert mine.compression_set_.tolist() == (
        CompressionPerceptron().fit(X, y).compression_set_.tolist()
    )


@pytest.mark.parametrize(
    ("params", "reason"),
    [
        ({"oracle": "worst"}, "oracle must be one of 'first_error'"),
        ({"pick": "worst"}, "pick must be one of"),
        ({"kernel": "gauss"}, "kernel must be one of"),
        ({"max_updates": 0}, "max_updates must be a whole number at least 1"),
        ({"max_cuts": 0}, "max_cuts must be a whole number at least 1"),
        ({"gamma": -1.0}, "gamma must be"),
        ({"normalize": 1}, "normalize must be True or False"),
    ],
)
def test_impossible_parameters(params, reason):
    with pytest.raises(ValueError, match=reason):
        CompressionPerceptron(**params).fit([[1.0], [-1.0]], [0, 1])


def test_a_precomputed_kernel_is_square():
    with pytest.raises(ValueError, match=r"shape \(2, 3\)"):
        CompressionPerceptron(kernel="precomputed").fit(np.ones((2, 3)), [0, 1])


def test_kernel_values_that_overflow_are_refused():
    model = CompressionPerceptron(kernel="poly", degree=3, gamma=1.0)
    with pytest.raises(ValueError, match="values that are not finite in row 0"):
        model.fit([[1e120], [-1e120]], [0, 1])


def test_the_square_keeps_its_margin():
    square = make_margin_square(2000, margin=0.5, random_state=0)
    distance = square.target * (square.data @ square.normal)
    assert 0.5 <= distance.min() < 0.6
    assert np.abs(square.data).max() <= 10.0
    assert np.linalg.norm(square.normal) == pytest.approx(1.0)
    assert 0.92 < len(square.data) / 2000 < 0.98
    again = make_margin_square(2000, margin=0.5, random_state=0)
    assert (again.data == square.data).all()


@pytest.mark.parametrize(
    ("wish", "words"),
    [
        ({"n_samples": 0}, "n_samples=0"),
        ({"margin": 10.0}, "margin=10.0"),
        ({"margin": -1}, "margin=-1"),
    ],
)
def test_impossible_squares(wish, words):
    with pytest.raises(ValueError, match=words):
        make_margin_square(**wish)
