"""Forward-corrected logistic regression."""

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.optimize import check_grad
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression

from uneven import ForwardLogisticRegression, NoiseAwareClassifier
from uneven.datasets import make_waveform
from uneven.noise import corrupt_labels, cyclic_noise, uniform_noise

WAVES = make_waveform(900, random_state=0)
X, Y = (WAVES.data - WAVES.data.mean(0)) / WAVES.data.std(0), WAVES.target


def test_without_noise_it_is_logistic_regression():
    for l2 in (0.1, 10.0):
        ours = ForwardLogisticRegression(l2=l2, tol=1e-8).fit(X, Y)
        plain = LogisticRegression(C=1 / l2, tol=1e-8, max_iter=1000).fit(X, Y)
        assert ours.predict_proba(X) == pytest.approx(plain.predict_proba(X), abs=1e-4)


def test_two_classes_and_the_identity_as_noise():
    two = Y[:300] == Y[0]
    ours = ForwardLogisticRegression(np.eye(2), tol=1e-8).fit(X[:300], two)
    plain = ForwardLogisticRegression(tol=1e-8).fit(X[:300], two)
    assert ours.predict_proba(X) == pytest.approx(plain.predict_proba(X), abs=1e-6)


def test_it_learns_through_noise():
    noise = cyclic_noise(3, (0.35,))
    labels = corrupt_labels(Y[:600], noise, rng=0)
    plain, aware = (
        ForwardLogisticRegression(matrix).fit(X[:600], labels).score(X[600:], Y[600:])
        for matrix in (None, noise)
    )
    assert aware > plain + 0.01
    assert aware > 0.8


def test_the_slope_is_that_of_the_loss(monkeypatch):
    seen = {}

    def remember(loss, start, **options):
        seen["loss"], seen["start"] = loss, start
        return real(loss, start, **options)

    from uneven.noise import forward_logistic

    real = forward_logistic.minimize
    monkeypatch.setattr(forward_logistic, "minimize", remember)
    labels = corrupt_labels(Y[:50], uniform_noise(3, 0.3), rng=1)
    weight = np.random.default_rng(0).random(50)
    ForwardLogisticRegression(uniform_noise(3, 0.3)).fit(X[:50], labels, weight)
    point = np.random.default_rng(1).normal(size=len(seen["start"]))
    gap = check_grad(lambda w: seen["loss"](w)[0], lambda w: seen["loss"](w)[1], point)
    assert gap < 1e-5


def test_sparse_rows_give_the_same():
    thin = np.where(np.abs(X) > 1.0, X, 0.0)
    noise = uniform_noise(3, 0.2)
    dense = ForwardLogisticRegression(noise).fit(thin, Y)
    sparse = ForwardLogisticRegression(noise).fit(sp.csr_matrix(thin), Y)
    assert dense.coef_ == pytest.approx(sparse.coef_, abs=1e-6)


def test_clean_rows_count_as_labels_without_noise():
    noise, every = uniform_noise(3, 0.2), np.ones(len(Y), dtype=bool)
    aware = ForwardLogisticRegression(noise, tol=1e-8).fit(X, Y, clean=every)
    plain = ForwardLogisticRegression(tol=1e-8).fit(X, Y)
    assert aware.coef_ == pytest.approx(plain.coef_, abs=1e-5)


def test_a_label_that_no_class_can_have_is_refused():
    never = np.array([[1.0, 1.0], [0.0, 0.0]])
    with pytest.raises(ValueError, match="no class ever gets it"):
        ForwardLogisticRegression(never).fit(X[:20], np.arange(20) % 2)


def test_columns_out_of_scale_are_said():
    with pytest.warns(ConvergenceWarning, match="scale the columns"):
        ForwardLogisticRegression(max_iter=3).fit(1e4 * X, Y)


def test_classes_with_the_same_labels_get_a_warning():
    X, y = np.eye(6), np.array([0, 1, 2] * 2)
    alike = [[0.8, 0.1, 0.1], [0.1, 0.45, 0.45], [0.1, 0.45, 0.45]]
    with pytest.warns(UserWarning, match="classes 1 and 2 get the same labels") as found:
        ForwardLogisticRegression(alike).fit(X, y)
    assert found[0].filename == __file__
    with pytest.warns(UserWarning, match="classes 1 and 2 get the same labels") as found:
        NoiseAwareClassifier(LogisticRegression(), alike, method="decision").fit(X, y)
    assert found[0].filename == __file__
