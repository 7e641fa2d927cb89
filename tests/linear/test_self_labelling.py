"""The self-labelling machine: its objective falls, rows without label help, odd labels."""

import numpy as np
import pytest
import scipy.sparse as sp

from uneven.linear import SelfLabellingSVM


def three_clusters(seed: int = 2):
    """Three clusters with one label each."""
    rng = np.random.default_rng(seed)
    t = np.repeat([0, 1, 2], 100)
    X = rng.normal(size=(300, 2)) + 2.5 * np.array([[1, 0], [-0.5, 0.9], [-0.5, -0.9]])[t]
    y = np.full(300, -1)
    y[[0, 100, 200]] = 0, 1, 2
    return X, y, t


def test_turns_never_raise_the_objective_of_their_strength():
    X, y, _ = three_clusters()
    model = SelfLabellingSVM(n_turns=4, max_iter=100).fit(X, y)
    assert len({share for share, _ in model.path_}) == 5
    for (share, before), (same, after) in zip(model.path_, model.path_[1:]):
        if share == same:
            assert after <= before * (1 + 1e-9)


def test_rows_without_label_help():
    X, y, t = three_clusters()
    alone = SelfLabellingSVM(shares=()).fit(X, y).predict(X)
    model = SelfLabellingSVM().fit(X, y)
    assert np.mean(model.predict(X) == t) > 0.95
    assert np.mean(model.predict(X) == t) > np.mean(alone == t) + 0.05
    np.testing.assert_array_equal(model.guesses_[[0, 100, 200]], [0, 1, 2])
    free = y == -1
    np.testing.assert_array_equal(model.guesses_[free], model.predict(X)[free])


def test_sparse_rows_give_the_same():
    X, y, _ = three_clusters()
    dense, sparse = SelfLabellingSVM().fit(X, y), SelfLabellingSVM().fit(sp.csr_matrix(X), y)
    np.testing.assert_allclose(dense.coef_, sparse.coef_, atol=1e-6)


def test_labels_keep_their_names():
    X = np.array([[1.0, 0.0], [0.0, 1.0], [0.9, 0.1]])
    assert SelfLabellingSVM().fit(X, [7, 9, -1]).predict(X).tolist() == [7, 9, 7]
    told = SelfLabellingSVM().fit(X, ["cat", "dog", None])
    assert told.guesses_.tolist() == ["cat", "dog", "cat"]


@pytest.mark.parametrize(
    ("y", "options", "message"),
    [
        ([7, 7, -1], {}, "one class only"),
        ([-1, -1, -1], {}, "no label at all"),
        ([0, 1], {}, "3 rows"),
        ([0, 1, -1], {"shares": (0.1, -1.0)}, "shares must be"),
        ([0, 1, -1], {"C": 0.0}, "C must be"),
    ],
)
def test_refuses(y, options, message):
    with pytest.raises(ValueError, match=message):
        SelfLabellingSVM(**options).fit(np.eye(3), y)
