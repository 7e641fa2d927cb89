import warnings

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from sklearn.exceptions import UndefinedMetricWarning
from sklearn.metrics import roc_auc_score

from uneven.metrics import MaucScorer, margin_error, margins, mauc, pairwise_auc


@st.composite
def scored(draw):
    k = draw(st.integers(2, 5))
    n = draw(st.integers(k, 50))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    y = rng.permutation(np.append(np.arange(k), rng.integers(0, k, n - k)))
    scores = rng.random((n, k)) + 0.5 * (y[:, None] == np.arange(k))
    return y, np.round(scores, 1) if draw(st.booleans()) else scores


@given(scored())
def test_mauc_is_hand_till_of_scikit_learn(case):
    y, scores = case
    shares = scores / scores.sum(axis=1, keepdims=True)
    if scores.shape[1] == 2:
        expected = (roc_auc_score(y, shares[:, 1]) + roc_auc_score(1 - y, shares[:, 0])) / 2
    else:
        expected = roc_auc_score(y, shares, multi_class="ovo", average="macro")
    assert mauc(y, shares) == pytest.approx(expected)


@given(scored())
def test_pairs_are_counted_as_defined(case):
    y, scores = case
    k = scores.shape[1]
    expected = np.full((k, k), np.nan)
    for a in range(k):
        for b in set(range(k)) - {a}:
            gap = scores[y == a, a][:, None] - scores[y == b, a]
            expected[a, b] = np.mean((gap > 0) + 0.5 * (gap == 0))
    assert_allclose(pairwise_auc(y, scores), expected)


@given(scored())
def test_only_the_order_of_each_column_matters(case):
    y, scores = case
    assert mauc(y, np.exp(3 * scores) * [10.0**j for j in range(scores.shape[1])]) == pytest.approx(
        mauc(y, scores)
    )


@given(scored(), st.integers(0, 4))
def test_absent_class_leaves_the_other_pairs(case, gone):
    y, scores = case
    k = scores.shape[1]
    keep = y != gone
    assume(gone < k and len(np.unique(y[keep])) > 1)
    others = np.delete(np.arange(k), gone)
    expected = mauc(np.searchsorted(others, y[keep]), scores[keep][:, others])
    assert mauc(y[keep], scores[keep], labels=range(k)) == pytest.approx(expected)


def test_binary_decision_values():
    y, decision = np.array(["n", "p", "p", "n"]), np.array([-1.0, 0.3, -2.0, 0.1])
    assert mauc(y, decision) == pytest.approx(roc_auc_score(y == "p", decision))


def test_constant_scores_are_worth_one_half():
    assert mauc([0, 1, 2, 2], np.ones((4, 3))) == 0.5


def test_infinite_scores_have_a_rank():
    assert mauc([0, 1], [[0.0, -np.inf], [-np.inf, np.inf]]) == 1.0


def test_labels_give_the_order_of_the_columns():
    y = ["a", "b", "b"]
    scores = np.array([[0.1, 0.9], [0.8, 0.2], [0.7, 0.3]])
    assert mauc(y, scores, labels=["b", "a"]) == 1.0
    assert mauc(y, scores) == 0.0


def test_one_class_is_undefined_and_says_so():
    with pytest.warns(UndefinedMetricWarning, match="single class"):
        assert np.isnan(mauc([1, 1], [[0.2, 0.8], [0.1, 0.9]], labels=[0, 1]))


def test_many_classes_few_rows_does_not_warn():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert mauc(np.arange(30), np.eye(30)) == 1.0


@pytest.mark.parametrize(
    ("y", "scores", "message"),
    [
        ([], np.empty((0, 2)), "y_true is empty"),
        ([0, 1], [[0.1, np.nan], [0.5, 0.5]], r"NaN in 1 of 2 rows \(first: row 0\)"),
        ([0, 1, 1], [[0.1, 0.2], [0.5, 0.5]], "2 rows for 3 examples"),
        ([0, 1], np.ones((2, 3)), "3 columns but y_true contains 2 classes"),
        ([0, 1], np.ones((2, 2, 2)), r"shape \(2, 2, 2\)"),
    ],
)
def test_bad_input_is_named(y, scores, message):
    with pytest.raises(ValueError, match=message):
        mauc(y, scores)


@given(scored())
def test_margins_are_the_lead_over_the_best_rival(case):
    y, scores = case
    shares = scores / scores.sum(axis=1, keepdims=True)
    lead = margins(shares, y)
    expected = [row[c] - max(np.delete(row, c)) for row, c in zip(shares, y)]
    assert_allclose(lead, expected)
    assert np.abs(lead).max() <= 1
    right_alone = [row[c] > max(np.delete(row, c)) for row, c in zip(shares, y)]
    assert margin_error(shares, y) == pytest.approx(1 - np.mean(right_alone))
    assert margin_error(shares, y, 0.2) >= margin_error(shares, y, 0.1)
    assert margin_error(shares, y, 1.0) == 1.0


def test_margin_of_a_binary_decision_is_signed_by_the_class():
    assert margins([2.0, -3.0, 1.0], ["b", "b", "a"]).tolist() == [2.0, -3.0, -1.0]


def test_margin_without_a_rival_is_refused():
    with pytest.raises(ValueError, match="at least two columns"):
        margins([[1.0], [1.0]], [0, 0])
    with pytest.raises(ValueError, match=r"does not list \[2\]"):
        margins([[1.0, 0.0]], [2], labels=[0, 1])


class _Scores:
    """A classifier whose scores are its table."""

    classes_ = np.arange(3)

    def decision_function(self, X):
        return X


def test_scores_of_a_classifier_that_differ_by_rounding_only_tie():
    votes = np.random.default_rng(0).choice([0.1, 0.2, 0.3], size=(200, 7, 3))
    y = np.arange(200) % 3
    forwards, backwards = votes.cumsum(axis=1)[:, -1], votes[:, ::-1].cumsum(axis=1)[:, -1]
    exact = mauc(y, np.rint(votes * 10).sum(axis=1))
    assert mauc(y, forwards) != exact
    assert MaucScorer()(_Scores(), forwards, y) == exact
    assert MaucScorer()(_Scores(), backwards * 1e-30, y) == exact
