import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from numpy.testing import assert_allclose

from uneven.metrics import (
    confusion_norm,
    confusion_rate,
    confusion_rates,
    error_matrix,
    gibbs_error_matrix,
    matrix_norm,
)

labelled = st.integers(1, 40).flatmap(
    lambda n: st.tuples(*[arrays(np.int64, n, elements=st.integers(0, 4))] * 2)
)


@given(labelled)
def test_rates_match_a_plain_count(pair):
    y, p = pair
    rates = confusion_rates(y, p)
    classes = sorted({*y.tolist(), *p.tolist()})
    expected = [[np.mean(p[y == a] == b) if a in y else 0.0 for b in classes] for a in classes]
    assert_allclose(rates, expected)


def test_fixture_of_six_examples():
    errors = error_matrix([0, 0, 0, 1, 1, 2], [0, 0, 0, 1, 2, 2])
    expected = np.zeros((3, 3))
    expected[1, 2] = 0.5
    assert_allclose(errors, expected)
    assert matrix_norm(errors) == pytest.approx(0.5)


@pytest.mark.parametrize("k", [2, 3, 6])
def test_constant_answer_has_norm_root_k_minus_one(k):
    assert confusion_norm(np.arange(k), np.zeros(k, int)) == pytest.approx(np.sqrt(k - 1))


@given(labelled)
def test_norm_range_and_order_of_norms(pair):
    y, p = pair
    norms = {name: confusion_norm(y, p, norm=name) for name in ("operator", "fro", "l1")}
    k = len(np.union1d(y, p))
    assert norms["operator"] <= np.sqrt(max(k - 1, 0)) + 1e-9
    assert norms["operator"] <= norms["fro"] + 1e-9
    assert norms["fro"] ** 2 <= norms["l1"] + 1e-9
    assert confusion_norm(y, p, norm="max_row") <= 1 + 1e-9


@given(labelled)
def test_norm_does_not_depend_on_the_order_or_the_names_of_the_classes(pair):
    y, p = pair
    value = confusion_norm(y, p)
    assert confusion_norm(y, p, labels=[4, 2, 0, 3, 1]) == pytest.approx(value, abs=1e-12)
    names = np.array(["w", "q", "z", "a", "m"])
    assert confusion_norm(names[y], names[p]) == pytest.approx(value, abs=1e-12)


@given(
    arrays(np.int64, 30, elements=st.integers(0, 1)),
    arrays(np.int64, 30, elements=st.integers(0, 1)),
)
def test_two_classes_norm_is_the_larger_error_rate(y, p):
    y = np.append(y, [0, 1])
    p = np.append(p, [0, 1])
    false_negative_rate = np.mean(p[y == 1] == 0)
    false_positive_rate = np.mean(p[y == 0] == 1)
    assert confusion_norm(y, p) == pytest.approx(
        max(false_negative_rate, false_positive_rate), abs=1e-12
    )


def test_published_matrices_of_connect():
    boosted_norm = [[0, 0.147, 0.068], [0.146, 0, 0.169], [0.056, 0.203, 0]]
    boosted_error = [[0, 0.011, 0.055], [0.656, 0, 0.179], [0.246, 0.048, 0]]
    assert matrix_norm(boosted_norm) == pytest.approx(0.272, abs=5e-4)
    assert matrix_norm(boosted_error) == pytest.approx(0.721, abs=5e-4)


def test_class_seen_in_predictions_only_has_a_row_of_zeros():
    rates = confusion_rates([0, 0, 1], [0, 7, 1])
    assert_allclose(rates, [[0.5, 0, 0.5], [0, 1, 0], [0, 0, 0]])
    assert confusion_norm([0, 0, 1], [0, 7, 1]) == pytest.approx(0.5)


def test_class_never_answered_counts_as_lost():
    assert error_matrix(["a", "z"], ["a", "a"]).sum(axis=1).tolist() == [0.0, 1.0]


def test_labels_add_absent_classes():
    assert confusion_rates([0, 1], [0, 1], labels=[2, 1, 0]).diagonal().tolist() == [0, 1, 1]


def test_one_class_is_perfect():
    assert confusion_norm(["a", "a"], ["a", "a"]) == 0.0


def test_weights_equal_repetition():
    y, p, w = [0, 0, 1, 2], [1, 0, 1, 0], [3, 1, 2, 1]
    assert_allclose(
        confusion_rates(y, p, sample_weight=w), confusion_rates(np.repeat(y, w), np.repeat(p, w))
    )


def test_a_class_of_weight_zero_is_absent():
    assert confusion_norm([0, 1], [0, 0], sample_weight=[1, 0]) == 0.0


def test_series_categories_and_object_arrays_are_labels():
    y = pd.Series(["a", "b", "b"], dtype="category")
    p = np.array(["a", "b", "a"], dtype=object)
    assert_allclose(confusion_rates(y, p), [[1, 0], [0.5, 0.5]])


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"y_true": [], "y_pred": []}, "y_true is empty"),
        ({"y_true": [0, 1], "y_pred": [0]}, "inconsistent"),
        ({"y_true": [0, 1], "y_pred": [0.2, 0.8]}, "y_pred holds 0.2 at position 0"),
        ({"y_true": [0, np.nan], "y_pred": [0, 1]}, "y_true holds nan at position 1"),
        ({"y_true": ["a", None], "y_pred": ["a", "a"]}, "y_true holds None at position 1"),
        ({"y_true": ["a", "b"], "y_pred": [0, 1]}, "mix text and number"),
        ({"y_true": [0, 1], "y_pred": [0, 1], "labels": [0]}, r"does not list \[1\]"),
        ({"y_true": [0, 1], "y_pred": [0, 1], "labels": [0, 1, 1]}, "twice"),
        ({"y_true": [0, 1], "y_pred": [0, 1], "labels": []}, "labels is empty"),
        ({"y_true": [0, 1], "y_pred": [0, 1], "sample_weight": [1, -2]}, "-2.0 at position 1"),
        ({"y_true": [0, 1], "y_pred": [0, 1], "sample_weight": [0, 0]}, "zero everywhere"),
        ({"y_true": [0, 1], "y_pred": [0, 1], "sample_weight": [1]}, "1 values for 2"),
        ({"y_true": [0, 1], "y_pred": [0, 1], "norm": "spectral"}, "norm='spectral' is unknown"),
    ],
)
def test_bad_input_is_named(arguments, message):
    with pytest.raises(ValueError, match=message):
        confusion_norm(**arguments)


def test_matrix_norm_wants_a_matrix():
    with pytest.raises(ValueError, match=r"shape \(3,\)"):
        matrix_norm([1, 2, 3])


def vote(draws, weights, k):
    shares = np.zeros((draws.shape[1], k))
    for answers, weight in zip(draws, weights):
        shares[np.arange(len(answers)), answers] += weight
    return shares


@given(st.integers(2, 5), st.integers(1, 6), st.integers(0, 2**32 - 1))
def test_majority_vote_makes_at_most_k_times_the_gibbs_errors(k, n_voters, seed):
    rng = np.random.default_rng(seed)
    y = np.concatenate([np.arange(k), rng.integers(0, k, 25)])
    draws = rng.integers(0, k, (n_voters, len(y)))
    weights = rng.dirichlet(np.ones(n_voters))
    shares = vote(draws, weights, k)
    gibbs = gibbs_error_matrix(y, shares)
    mean_of_voters = sum(w * error_matrix(y, d, labels=range(k)) for w, d in zip(weights, draws))
    assert_allclose(gibbs, mean_of_voters, atol=1e-12)
    majority = error_matrix(y, shares.argmax(axis=1), labels=range(k))
    assert (majority <= k * gibbs + 1e-9).all()
    assert matrix_norm(majority) <= k * matrix_norm(gibbs) + 1e-9


def test_gibbs_matrix_refuses_raw_scores():
    with pytest.raises(ValueError, match="predict_proba"):
        gibbs_error_matrix([0, 1], [[3.0, -1.0], [0.0, 1.0]])


@given(arrays(np.float64, (4, 4), elements=st.floats(0, 1)), st.floats(0, 3))
def test_dilation_has_the_same_norm_and_norms_grow_with_the_entries(c, more):
    zero = np.zeros((4, 4))
    dilation = np.block([[zero, c], [c.T, zero]])
    assert np.linalg.eigvalsh(dilation)[-1] == pytest.approx(matrix_norm(c), abs=1e-9)
    assert matrix_norm(c) <= matrix_norm(c + more * np.eye(4)[::-1]) + 1e-9


def from_counts(counts):
    """Labels and answers with these counts (row = answer, column = true class)."""
    answer, truth = np.indices(np.shape(counts))
    times = np.ravel(counts)
    return np.repeat(truth.ravel(), times), np.repeat(answer.ravel(), times)


def test_golden_confusion_rate():
    truth, answer = from_counts([[3, 1, 0], [1, 2, 1], [0, 1, 4]])
    assert confusion_norm(truth, answer, norm="fro") == pytest.approx(0.4769696007, abs=1e-10)
    assert confusion_rate(truth, answer) == pytest.approx(0.2753785274, abs=1e-10)
    assert confusion_norm(truth, answer) == pytest.approx(0.3535533906, abs=1e-10)
    assert np.mean(truth != answer) == pytest.approx(0.3076923077, abs=1e-10)


@pytest.mark.parametrize(
    ("counts", "squared"),
    [([[10, 0, 0], [8, 10, 0], [2, 0, 10]], 0.17), ([[20, 5, 5], [0, 5, 0], [0, 0, 5]], 0.5)],
)
def test_same_error_but_not_the_same_confusion(counts, squared):
    truth, answer = from_counts(counts)
    assert np.mean(truth != answer) == 0.25
    assert confusion_norm(truth, answer, norm="fro") ** 2 == pytest.approx(squared)


def test_rate_of_a_constant_answer_ignores_class_sizes():
    truth = np.repeat(np.arange(5), [50, 8, 12, 20, 10])
    constant = np.zeros(100, dtype=int)
    assert np.mean(truth == constant) == 0.5
    assert confusion_norm(truth, constant, norm="fro") == pytest.approx(np.sqrt(4))
    assert confusion_rate(truth, constant) == pytest.approx(np.sqrt(4 / 5))


def test_absent_classes_do_not_dilute_the_rate():
    truth, answer = [0, 0, 1, 1], [0, 1, 1, 2]
    assert confusion_rate(truth, answer) == pytest.approx(0.5)
    assert confusion_rate(truth, answer, labels=[0, 1, 2, 3]) == pytest.approx(0.5)
    weighted = confusion_rate(truth + [2], answer + [0], sample_weight=[1, 1, 1, 1, 0])
    assert weighted == pytest.approx(0.5)


@given(
    pairs=st.lists(st.tuples(st.integers(0, 4), st.integers(0, 4)), min_size=1, max_size=40),
    names=st.permutations(range(5)),
)
def test_confusion_identities(pairs, names):
    truth, answer = np.array(pairs).T
    rates = confusion_rates(truth, answer, labels=range(5))
    sizes = np.bincount(truth, minlength=5)
    prior = sizes / len(truth)
    assert_allclose(prior @ rates, np.bincount(answer, minlength=5) / len(truth))
    assert prior @ np.diag(rates) == pytest.approx(np.mean(truth == answer))
    errors = error_matrix(truth, answer, labels=range(5))
    assert_allclose(errors.sum(axis=1)[sizes > 0], 1 - np.diag(rates)[sizes > 0])
    assert (errors.T @ prior).sum() == pytest.approx(np.mean(truth != answer))
    rate, present = confusion_rate(truth, answer), (sizes > 0).sum()
    assert 0.0 <= rate <= 1.0
    operator, frobenius = matrix_norm(errors), matrix_norm(errors, "fro")
    assert operator <= frobenius + 1e-12
    assert frobenius <= np.sqrt(5) * operator + 1e-12
    assert rate == pytest.approx(frobenius / np.sqrt(present))
    renamed = np.array(names)
    assert confusion_rate(renamed[truth], renamed[answer]) == pytest.approx(rate)
