"""The depth of a tree, and its slow twin."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from uneven.voters._loops import tree_depth


def twin(child, node=0):
    left = int(child[node])
    return 0 if left == node else 1 + max(twin(child, left), twin(child, left + 1))


@given(st.lists(st.integers(0, 30), max_size=15))
def test_depth_is_that_of_the_longest_path(splits):
    child = [0]
    for which in splits:
        leaves = [node for node, left in enumerate(child) if left == node]
        node = leaves[which % len(leaves)]
        child[node] = len(child)
        child += [len(child), len(child) + 1]
    child = np.array(child)
    assert tree_depth(child) == twin(child)
