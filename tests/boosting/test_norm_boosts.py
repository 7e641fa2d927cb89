"""Which boosts NormCoMBo plans: how many trees, and how deep."""

import pytest

from uneven import NormComboClassifier


@pytest.mark.parametrize(
    ("n_classes", "depth"), [(1, 3), (2, 3), (8, 3), (9, 4), (16, 4), (17, 5), (32, 5), (100, 5)]
)
def test_trees_have_a_leaf_for_every_class_up_to_32(n_classes, depth):
    boosts = NormComboClassifier()._boosts(n_classes, 100)
    assert {boost.max_depth for boost in boosts} == {depth, 6}


@pytest.mark.parametrize(
    ("n_rows", "shallow", "deep"),
    [
        (0, 3, 6),
        (1, 3, 6),
        (1023, 3, 6),
        (1024, 4, 7),
        (2047, 4, 7),
        (2048, 5, 8),
        (4095, 5, 8),
        (4096, 6, 9),
        (10**6, 6, 9),
    ],
)
def test_depths_grow_with_the_rows(n_rows, shallow, deep):
    boosts = NormComboClassifier()._boosts(3, n_rows)
    assert [boost.max_depth for boost in boosts] == [shallow, deep] * 12


def test_the_deeper_of_classes_and_rows_counts():
    depths = [NormComboClassifier()._boosts(26, n)[0].max_depth for n in (100, 2000, 3000, 5000)]
    assert depths == [5, 5, 5, 6]


@pytest.mark.parametrize(("shallow", "deep"), [(1, 4), (2, 5), (3, 6), (5, 6), (6, 7), (29, 30)])
def test_short_boosts_have_deeper_trees(shallow, deep):
    boosts = NormComboClassifier(max_depth=shallow)._boosts(3, 10**6)
    assert {boost.max_depth for boost in boosts} == {shallow, deep}


@pytest.mark.parametrize("n_estimators", [1, 2, 7, 24, 100, 600, 1000])
def test_n_estimators_is_the_number_of_trees(n_estimators):
    boosts = NormComboClassifier(n_estimators=n_estimators, max_depth=4)._boosts(3, 100)
    assert sum(boost.n_trees for boost in boosts) == n_estimators
    assert min(boost.n_trees for boost in boosts) >= 1
    assert len(boosts) == n_estimators or len(boosts) >= 16
    assert [boost.max_depth for boost in boosts] == [(4, 6)[k % 2] for k in range(len(boosts))]
    assert all(boost.column_share == (1.0, 0.5)[k % 2] for k, boost in enumerate(boosts))
    if n_estimators >= 600:
        assert {boost.n_trees for boost in boosts} == {40, 10}
        assert len(boosts) == n_estimators // 25
