"""Linear voters: their kernel against a slow twin, kinds of tables, and credit for columns."""

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

from uneven.voters import LinearVoter

CELLS = [np.nan, 0.0, -0.5, 0.5, 1.0, 1.5, 2.0, 2.999, 3.0, -1.0, 40.0, -40.0, 1e18, -1e18, 1e300]


def slow_answers(voter, X):
    """One row, one column at a time; halves are summed exactly, so that ties are ties."""
    answers = []
    for x in X:
        scores = voter.intercept.copy()
        coef = iter(voter.coef)
        for column, n, centre, scale in zip(
            voter.columns, voter.n_codes, voter.centre, voter.scale
        ):
            rows = [next(coef) for _ in range(max(n, 1))]
            value = x[column]
            if np.isnan(value):
                continue
            if n == 0:
                scores = scores + rows[0] * np.clip((value - centre) / scale, -10.0, 10.0)
            elif 0 <= value < n:
                scores = scores + rows[int(np.floor(value))]
        answers.append(scores.tolist().index(scores.max()))
    return np.array(answers)


@st.composite
def voters_and_tables(draw):
    """A voter on some columns of a table of odd values; numbers are halves and quarters."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    n_features, n_classes = draw(st.integers(1, 5)), draw(st.integers(1, 4))
    columns = rng.permutation(n_features)[: draw(st.integers(1, n_features))]
    is_centred, has_codes = draw(st.booleans()), draw(st.booleans())
    n_codes = has_codes * rng.choice([0, 0, 1, 3], len(columns))
    n_rows = int(np.maximum(n_codes, 1).sum())
    voter = LinearVoter(
        columns,
        n_codes,
        is_centred * rng.integers(-4, 5, len(columns)) / 2.0,
        rng.choice([0.25, 1.0, 2.0], len(columns)),
        rng.integers(-2, 3, (n_rows, n_classes)) / 2.0,
        rng.integers(-2, 3, n_classes) / 2.0,
        np.ones(n_classes),
    )
    return voter, rng.choice(CELLS, (draw(st.integers(0, 12)), n_features))


@given(voters_and_tables())
def test_answers_equal_the_slow_twin(case):
    voter, X = case
    found = voter.predict(X)
    assert found.dtype == np.int32
    np.testing.assert_array_equal(found, slow_answers(voter, X))


@given(voters_and_tables(), st.integers(0, 2**32 - 1))
def test_kinds_of_tables_do_not_matter(case, seed):
    voter, X = case
    X = np.where(np.abs(X) > 1e17, 64.0, X).astype(np.float32)
    X[np.random.default_rng(seed).random(X.shape) < 0.3] = 0.0
    expected = slow_answers(voter, X.astype(float))
    for same in (X, np.asfortranarray(X, dtype=np.float64), sp.csr_matrix(X), sp.csc_array(X)):
        np.testing.assert_array_equal(voter.predict(same), expected)


def make_voter(coef, n_codes, columns, reach):
    coef = np.asarray(coef, dtype=float)
    size, n_classes = len(columns), coef.shape[1]
    parts = (np.zeros(size), np.ones(size), coef, np.zeros(n_classes), np.asarray(reach))
    return LinearVoter(np.asarray(columns), np.asarray(n_codes), *parts)


def test_one_wild_value_does_not_decide_alone():
    voter = make_voter([[1.0, 0.0], [0.0, 1.0]], [0, 0], [0, 1], np.ones(2))
    assert voter.predict(np.array([[1e9, 10.5], [9.0, 1e9]])).tolist() == [0, 1]


def test_credit_follows_the_coefficients_and_adds_up_to_weight_times_reach():
    coef = [[3.0, -3.0, 0.0], [0.0, 0.0, 0.0], [2.0, -1.0, -1.0], [-2.0, 1.0, 1.0]]
    voter = make_voter(coef, [0, 0, 2], [4, 2, 0], [0.5, 1.0, 0.25])
    credit, weight = np.ones((5, 3)), np.array([2.0, 3.0, 8.0])
    voter.add_credit(credit, weight)
    credit -= 1.0
    np.testing.assert_allclose(credit.sum(axis=0), weight * voter.reach)
    assert not credit[[1, 2, 3]].any()
    np.testing.assert_allclose(credit[4], weight * voter.reach * [3 / 5, 3 / 4, 0.0])
    np.testing.assert_allclose(credit[0], weight * voter.reach * [2 / 5, 1 / 4, 1.0])


@pytest.mark.parametrize("shift", [0.0, 5.0])
def test_a_column_that_says_the_same_of_all_classes_gets_no_credit(shift):
    voter = make_voter([[1.0, -1.0], [shift, shift]], [0, 0], [0, 1], np.ones(2))
    credit = np.zeros((2, 2))
    voter.add_credit(credit, np.ones(2))
    np.testing.assert_allclose(credit, [[1.0, 1.0], [0.0, 0.0]])
    silent = make_voter(np.full((2, 2), shift), [0, 0], [0, 1], np.ones(2))
    silent.add_credit(credit, np.ones(2))
    np.testing.assert_allclose(credit, [[1.0, 1.0], [0.0, 0.0]])
