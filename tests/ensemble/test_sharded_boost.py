"""UnevenClassifier on rows in blocks: the model file is that of the whole table."""

from itertools import pairwise

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from sklearn.base import clone

from tests.problems import gaussian_classes
from uneven import BalancedBoostingClassifier, UnevenClassifier
from uneven.boosting.sharded import RowBlocks
from uneven.ensemble import sharded_boost
from uneven.persistence.archive import dumps

pytestmark = pytest.mark.slow
RNG = np.random.default_rng(0)
ORDER = RNG.permutation(20_500)
X, Y = (part[ORDER] for part in gaussian_classes([18_000, 2_200, 300], 4, seed=3))
X[::17, 2] = np.nan
EDGES = [0, 5000, 5001, 17_000, 17_000, len(Y)]


def blocks(*parts):
    return RowBlocks([tuple(part[i:j] for part in parts) for i, j in pairwise(EDGES)])


@pytest.mark.parametrize(
    ("weights", "has_empty_rows"), [("one", True), ("even", False), ("float", True)]
)
def test_model_file_is_that_of_the_whole_table(weights, has_empty_rows):
    table = X.copy()
    if has_empty_rows:
        table[::400] = np.nan
    weight = {"one": None, "even": np.full(len(Y), 3.0)}.get(weights, RNG.gamma(1.0, size=len(Y)))
    if weights == "float":
        weight[::300] = 0.0
    model = UnevenClassifier(random_state=0, measure="gmean", abstain_cost=0.3)
    whole = dumps(clone(model).fit(table, Y, sample_weight=weight))
    cut = blocks(table, Y) if weight is None else blocks(table, Y, weight)
    assert dumps(clone(model).fit(cut, None)) == whole


def test_frames_with_categories_and_named_classes():
    frame = pd.DataFrame(X, columns=list("abcd"))
    frame["e"] = pd.Categorical(np.array(["u", "v", "w", "x"])[(Y + ORDER % 3) % 4])
    labels = np.array(["often", "some", "rare"])[Y]
    model = UnevenClassifier(members=["boost"], random_state=1)
    whole = dumps(clone(model).fit(frame, labels))
    assert dumps(clone(model).fit(blocks(frame, labels), None)) == whole


def test_codes_of_categories_are_named():
    codes = np.column_stack([X[:, :2], (Y + ORDER % 3) % 4])
    codes[::30, 2] = np.nan
    for model in (
        UnevenClassifier(categorical_features=[2], random_state=1),
        BalancedBoostingClassifier(n_estimators=3, categorical_features=[2], random_state=1),
    ):
        whole = dumps(clone(model).fit(codes, Y))
        assert dumps(clone(model).fit(blocks(codes, Y), None)) == whole
        with pytest.raises(ValueError, match=r"column 0 holds values that are no codes .* 5\.96"):
            clone(model).set_params(categorical_features=[0]).fit(blocks(codes, Y), None)


def test_rounds_without_any_gain_leave_the_class_shares():
    constant = np.ones((len(Y), 2))
    model = UnevenClassifier(random_state=0)
    whole = dumps(clone(model).fit(constant, Y))
    assert dumps(model.fit(blocks(constant, Y), None)) == whole


def test_one_class_needs_no_boost():
    model = UnevenClassifier(random_state=0).fit(blocks(X, np.zeros(len(Y))), None)
    assert model.members_ == []
    assert set(model.predict(X[:5])) == {0.0}


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ({"views": {"a": [0], "b": [1]}}, "views is for tables in memory"),
        ({"max_views": 1}, "max_views is for tables in memory"),
        ({"members": ["boost", "forest"]}, 'members other than "boost" learn in memory'),
    ],
)
def test_what_needs_a_table_in_memory_is_refused(words, message):
    with pytest.raises(ValueError, match=message):
        UnevenClassifier(**words).fit(blocks(X, Y), None)


def test_small_and_sparse_tables_are_refused():
    with pytest.raises(ValueError, match=r"fewer than 20000 rows in memory, and X has 90: give"):
        UnevenClassifier().fit(RowBlocks([(X[:90], Y[:90])]), None)
    with pytest.raises(ValueError, match="X is sparse"):
        UnevenClassifier().fit(blocks(sp.csr_array(np.nan_to_num(X)), Y), None)


def test_steps_on_shards_are_declared_once():
    assert sharded_boost.leave_out(3, {}, []).kind.changes
    assert not sharded_boost.own_chances(3, 4).kind.changes
