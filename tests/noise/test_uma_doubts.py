"""UMA says when its model is doubtful, and does not let rounding decide."""

import warnings

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.exceptions import ConvergenceWarning

from tests.noise.uma_problems import problem
from uneven.noise import UMAClassifier, corrupt_labels
from uneven.noise.uma.algorithm import Candidates, in_order

NOISE = np.array([[0.7, 0.15, 0.1], [0.2, 0.7, 0.3], [0.1, 0.15, 0.6]])


def words(seed, n=120, n_words=5):
    """Three kinds of text without common words, and noisy labels."""
    rng = np.random.default_rng(seed)
    t = rng.permutation(np.repeat([0, 1, 2], n // 3))
    X = np.zeros((n, 3 * n_words))
    for row, kind in zip(X, t, strict=True):
        np.add.at(row, kind * n_words + rng.integers(n_words, size=6), 1.0)
    return X, t, corrupt_labels(t, NOISE, rng)


def said(model, X, y):
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        model.fit(X, y)
    return [str(one.message) for one in seen if issubclass(one.category, ConvergenceWarning)]


def test_last_vectors_that_are_worse_than_earlier_ones_are_no_secret():
    X, t, y = words(39)
    (told,) = said(last := UMAClassifier(NOISE, average=False), X, y)
    assert "0.184" in told
    assert "step 112 of 150 had 0.018" in told
    assert "pocket=True or average=True" in told
    for pocket in (False, True):
        assert not said(other := UMAClassifier(NOISE, pocket=pocket), X, y)
        assert other.score(X, t) > last.score(X, t) + 0.1


def test_averages_are_judged_by_themselves():
    X, t, *_ = problem(1, n=100)
    (told,) = said(model := UMAClassifier(average=True, max_iter=2), X, t)
    assert f"estimated error of {1 - model.score(X, t):.3f}" in told
    assert "step 2 of 2 had 0.100" in told
    assert told.endswith("pass pocket=True.")


def test_a_run_that_stops_too_early_is_no_secret():
    X, t, y = words(2)
    (told,) = said(stuck := UMAClassifier(NOISE, average=False), X, y)
    assert "after step 1," in told
    assert "0.502 +- 0.093" in told
    assert not said(other := UMAClassifier(NOISE, selection="cyclic", average=True), X, y)
    assert other.score(X, t) > stuck.score(X, t) + 0.3


@pytest.mark.parametrize("seed", range(4))
def test_nothing_is_said_about_good_models(seed):
    X, t, y = words(seed, n=1200)
    assert not said(model := UMAClassifier(NOISE, average=True), X, y)
    assert model.score(X, t) > 0.95
    assert not said(UMAClassifier(average=False), X, t)


@pytest.mark.parametrize("selection", ["error", "confusion", "mass"])
@pytest.mark.parametrize("sizes", [(40, 40, 40), (20, 40, 60)])
@pytest.mark.parametrize("n_words", [3, 5, 7])
def test_rounding_breaks_no_ties(selection, sizes, n_words):
    """With labels in the exact shares of the matrix, vectors and scores tie all over."""
    t = np.repeat([0, 1, 2], sizes)
    shares = [np.round(NOISE[:, j] * size).astype(int) for j, size in enumerate(sizes)]
    y = np.concatenate([np.repeat([0, 1, 2], share) for share in shares])
    X = np.zeros((len(t), 3 * n_words))
    texts = np.random.default_rng(0).random((3, n_words))
    for j in range(3):
        X[t == j, j * n_words : (j + 1) * n_words] = texts[j]
    runs = [
        UMAClassifier(NOISE, selection=selection, average=False, **options).fit(rows, y)
        for rows, options in ((X, {}), (sp.csr_array(X), {}), (X, {"kernel": "linear"}))
    ]
    for model in runs:
        assert model.stop_reason_ == "small_updates"
        assert model.history_["risk"][-1] == pytest.approx(0.0, abs=1e-9)
        for name in ("predicted", "true"):
            assert (model.history_[name] == runs[0].history_[name]).all()


def test_pairs_that_are_equal_but_for_rounding_come_in_their_own_order():
    norms = np.array([[0.0, 0.3, 0.1 + 0.2], [0.5, 0.0, 0.3 - 1e-7], [0.3, 0.3, 0.0]])
    pairs = Candidates(norms, norms, np.ones(3) / 3, latest=-1)
    assert norms[0, 2] > norms[0, 1]
    expected = [(1, 0), (0, 1), (0, 2), (2, 0), (2, 1), (1, 2)]
    for rule in ("error", "confusion", "mass"):
        assert list(in_order(rule, pairs, norms > 0)) == expected
