"""Several annotators, no clean label."""

import warnings

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from uneven.noise import (
    confusion_from_annotators,
    confusion_from_clean,
    corrupt_labels,
    dawid_skene,
    noise_family,
    random_noise,
    uniform_noise,
)


def crowd(n=1500, n_classes=3, rates=(0.1, 0.25, 0.4, 0.4), seed=0, absent=0.0):
    """(true classes, labels of each annotator, their matrices)."""
    rng = np.random.default_rng(seed)
    prior = np.arange(1, n_classes + 1) / np.arange(1, n_classes + 1).sum()
    truth = rng.choice(n_classes, size=n, p=prior)
    matrices = [noise_family(random_noise(n_classes, rng), 10 * rate) for rate in rates]
    given = np.column_stack(
        [corrupt_labels(truth, m, rng, classes=range(n_classes)) for m in matrices]
    ).astype(float)
    hidden = rng.random(given.shape) < absent
    hidden[np.arange(n), rng.integers(len(rates), size=n)] = False
    given[hidden] = np.nan
    return truth, given, np.array(matrices)


@pytest.mark.parametrize("absent", [0.0, 0.3])
def test_matrices_priors_and_classes_are_recovered(absent):
    truth, given, matrices = crowd(n=3000, absent=absent)
    model = dawid_skene(given)
    assert model.converged
    assert_allclose(model.matrices, matrices, atol=0.09)
    assert_allclose(model.prior, [1 / 6, 2 / 6, 3 / 6], atol=0.04)
    assert_allclose(model.posterior.sum(axis=1), 1.0)
    assert np.mean(model.labels != truth) < np.mean(model.majority != truth) - 0.02


@settings(max_examples=25, deadline=None)
@given(
    st.integers(2, 4),
    st.integers(3, 5),
    st.integers(3, 40),
    st.sampled_from([0.0, 0.01, 1.0]),
    st.integers(0, 2**32 - 1),
)
def test_likelihood_never_decreases(n_classes, n_annotators, n, smoothing, seed):
    rng = np.random.default_rng(seed)
    given = rng.integers(n_classes, size=(n, n_annotators)).astype(float)
    given[:, 1:][rng.random((n, n_annotators - 1)) < 0.3] = np.nan
    given[0] = 0.0
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = dawid_skene(given, classes=range(n_classes), smoothing=smoothing, max_iter=30)
    assert np.isfinite(model.log_likelihood).all()
    assert (np.diff(model.log_likelihood) >= -1e-8).all()
    assert_allclose(model.matrices.sum(axis=1), 1.0)
    assert_allclose(model.counts.sum(axis=(1, 2)), (~np.isnan(given)).sum(axis=0))


def test_one_step_by_hand():
    """Two items of one class, one of the other, three annotators, the last one wrong once."""
    given = np.array([[0, 0, 0], [0, 0, 1], [1, 1, 1]])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model = dawid_skene(given, smoothing=0.0, max_iter=1)
    share = np.array([1.0, 2 / 3, 0.0])
    ours = np.array([[1, 1, 0], [1, 1, 0], [1, 0, 0]])
    prior = share.mean()
    hits = (ours * share).sum(axis=1) / share.sum()
    others = (ours * (1 - share)).sum(axis=1) / (1 - share).sum()
    rates = np.array([hits, others])[:, :, None]
    joint = np.array([prior, 1 - prior]) * np.where(ours, rates, 1 - rates).prod(axis=1).T
    wanted = joint / joint.sum(axis=1, keepdims=True)
    assert_allclose(model.posterior, wanted)
    assert model.log_likelihood[0] == pytest.approx(np.log(joint.sum(axis=1)).sum())
    assert not model.converged


def test_names_missing_marks_and_order():
    _, given, _ = crowd(n=300, absent=0.3)
    model = dawid_skene(given)
    names = np.array(["x", "y", "z"])
    words = np.full(given.shape, None, dtype=object)
    known = ~np.isnan(given)
    words[known] = names[given[known].astype(int)]
    frame = pd.DataFrame(words, columns=["ann", "bob", "cy", "di"])
    named = dawid_skene(frame)
    assert named.annotators == ["ann", "bob", "cy", "di"]
    assert_allclose(named.matrices, model.matrices)
    assert named.labels.tolist() == names[model.labels.astype(int)].tolist()
    marked = np.where(known, given, -1).astype(int)
    assert_allclose(dawid_skene(marked, missing=-1).matrices, model.matrices)
    empty = np.where(known, words, "")
    assert_allclose(dawid_skene(empty, missing="").matrices, model.matrices)
    nullable = pd.DataFrame(given).astype("Int64")
    assert_allclose(dawid_skene(nullable).matrices, model.matrices)
    both_marks = nullable.assign(**{"3": nullable[3].fillna(-1)}).drop(columns=3)
    assert_allclose(dawid_skene(both_marks, missing=-1).matrices, model.matrices)
    wide = pl.DataFrame(words.tolist(), schema=["ann", "bob", "cy", "di"], orient="row")
    assert_allclose(dawid_skene(wide).matrices, model.matrices)
    turned = dawid_skene(given[:, ::-1])
    assert_allclose(turned.matrices[::-1], model.matrices, atol=1e-6)


def test_same_labels_same_model():
    _, given, _ = crowd(n=200)
    assert (dawid_skene(given).posterior == dawid_skene(given).posterior).all()
    one, two = (confusion_from_annotators(given, n_bootstrap=5) for _ in range(2))
    assert (one.sizes == two.sizes).all()


@pytest.mark.parametrize("who", ["pooled", "majority", 1])
def test_whose_noise(who):
    truth, given, matrices = crowd(n=3000)
    found = confusion_from_annotators(given, who=who, n_bootstrap=0)
    if who == "majority":
        votes = np.stack([(given == k).sum(axis=1) for k in range(3)], axis=1).argmax(axis=1)
        wanted = confusion_from_clean(truth, votes).matrix
    else:
        wanted = matrices[who] if who == 1 else matrices.mean(axis=0)
    assert_allclose(found.matrix, wanted, atol=0.05)
    assert_allclose(found.prior, [1 / 6, 2 / 6, 3 / 6], atol=0.04)


def test_hidden_classes_widen_the_intervals():
    rng = np.random.default_rng(1)
    noise = uniform_noise(3, 0.25)
    hits, naive = [], []
    for _ in range(6):
        truth = rng.integers(3, size=300)
        given = np.column_stack([corrupt_labels(truth, noise, rng) for _ in range(3)])
        for n_bootstrap, inside in ((15, hits), (0, naive)):
            found = confusion_from_annotators(given, n_bootstrap=n_bootstrap)
            inside.append(np.mean((found.low <= noise) & (noise <= found.high)))
            assert (found.sizes <= found.counts.sum(axis=0) + 1e-9).all()
    assert np.mean(hits) >= 0.88
    assert np.mean(naive) <= np.mean(hits) - 0.1


def test_classes_that_changed_names_are_noticed():
    rng, truth = np.random.default_rng(0), np.repeat([0, 1, 2], [300, 100, 100])
    honest = corrupt_labels(truth, uniform_noise(3, 0.1), rng)
    swaps = [[0.0, 0.9, 0.1], [0.9, 0.0, 0.1], [0.1, 0.1, 0.8]]
    merge = np.where(truth == 1, 0, truth)
    given = np.column_stack([honest, corrupt_labels(truth, swaps, rng), merge, merge])
    with pytest.warns(UserWarning, match="may have changed names"):
        dawid_skene(given, smoothing=1.0)


def test_items_that_nobody_labelled_are_left_out():
    rng, truth = np.random.default_rng(0), np.repeat([0, 1, 2], 60)
    noise = uniform_noise(3, 0.2)
    given = np.column_stack([corrupt_labels(truth, noise, rng) for _ in range(3)]).astype(float)
    known = np.setdiff1d(np.arange(180), [0, 70, 71, 179])
    gaps = np.full_like(given, np.nan)
    gaps[known] = given[known]
    with pytest.warns(
        UserWarning, match="no annotator labelled 4 of 180 items, which are left out"
    ):
        found = dawid_skene(gaps)
    expected = dawid_skene(given[known])
    np.testing.assert_array_equal(found.items, known)
    np.testing.assert_allclose(found.matrices, expected.matrices)
    np.testing.assert_array_equal(found.labels, expected.labels)
    with pytest.warns(UserWarning, match="no annotator labelled"):
        matrix = confusion_from_annotators(gaps, who="majority", n_bootstrap=2).matrix
    again = confusion_from_annotators(given[known], who="majority", n_bootstrap=2).matrix
    np.testing.assert_allclose(matrix, again)


@pytest.mark.parametrize(
    ("annotations", "message"),
    [
        ([0, 1, 1], r"shape \(3,\): it needs one row per item"),
        (np.zeros((0, 3)), r"shape \(0, 3\)"),
        ([[0], [1]], "one annotator alone cannot be "),
        ([[np.nan] * 3, [np.nan] * 3], "there is no label of any of the 2 items"),
        ([[0, 1, np.nan], [1, 1, np.nan]], "annotator 2 gave no label"),
        ([[0, 1, 0.5], [1, 1, 1]], "annotations holds 0.5"),
        ([["a", 1, "b"]], "annotations"),
    ],
)
def test_unusable_labels_are_named(annotations, message):
    table = np.array(annotations, dtype=object if message == "annotations" else None)
    with pytest.raises(ValueError, match=message):
        dawid_skene(table)


def test_bad_options_are_named():
    _, given, _ = crowd(n=50)
    for options, message in (
        ({"smoothing": -1}, "smoothing must be"),
        ({"max_iter": 0}, "max_iter must be"),
        ({"tol": np.inf}, "tol must be"),
        ({"classes": [0, 1]}, "does not list"),
    ):
        with pytest.raises(ValueError, match=message):
            dawid_skene(given, **options)
    with pytest.raises(ValueError, match="who must be 'pooled', 'majority' or one of"):
        confusion_from_annotators(given, who="somebody")
    with pytest.raises(ValueError, match="n_bootstrap must be"):
        confusion_from_annotators(given, n_bootstrap=-1)


def test_two_annotators_are_warned_of():
    _, given, _ = crowd(n=100, rates=(0.1, 0.1))
    with pytest.warns(UserWarning, match="two annotators"):
        dawid_skene(given)


def test_one_class_and_one_item():
    assert dawid_skene([["a", "a", "a"]]).labels.tolist() == ["a"]
    assert confusion_from_annotators([["a", "a", "a"]] * 3).matrix.tolist() == [[1.0]]
