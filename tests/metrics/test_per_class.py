import json

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from sklearn.metrics import precision_recall_fscore_support

from uneven.metrics import per_class_table

labelled = st.integers(1, 40).flatmap(
    lambda n: st.tuples(*[arrays(np.int64, n, elements=st.integers(0, 3))] * 2)
)


@given(labelled)
def test_agrees_with_scikit_learn(pair):
    y, p = pair
    table = per_class_table(y, p)
    precision, recall, f1, support = precision_recall_fscore_support(
        y, p, labels=table.label, zero_division=0
    )
    seen = support > 0
    assert table.support == pytest.approx(support)
    assert table.precision == pytest.approx(precision)
    assert table.recall[seen] == pytest.approx(recall[seen])
    assert table.f1[seen] == pytest.approx(f1[seen])
    assert np.isnan(table.recall[~seen]).all()
    assert np.isnan(table.f1[~seen]).all()


def test_names_the_worst_confusion():
    table = per_class_table(["a"] * 5 + ["b"] * 2, ["a", "b", "c", "c", "a", "b", "b"])
    assert table.confused_with == ["c", None, None]
    assert table.confused_rate.tolist() == [0.4, 0.0, 0.0]


def test_weights_and_order_of_labels():
    table = per_class_table([0, 0, 1], [0, 1, 1], labels=[1, 0], sample_weight=[3, 1, 2])
    assert table.support.tolist() == [2.0, 4.0]
    assert table.recall.tolist() == [1.0, 0.75]


def test_becomes_json_and_a_data_frame():
    table = per_class_table(["a", "a", "b"], ["a", "c", "b"])
    columns = json.loads(json.dumps(table.to_dict(), allow_nan=False))
    assert columns["recall"] == [0.5, 1.0, None]
    assert columns["confused_with"] == ["c", None, None]
    frame = pd.DataFrame(table.to_dict()).set_index("label")
    assert frame.loc["a", "recall"] == 0.5
    assert frame["recall"].isna().tolist() == [False, False, True]


def test_prints_aligned_columns():
    lines = str(per_class_table([0, 1], [0, 0])).splitlines()
    assert len(lines) == 3
    assert len({len(line) for line in lines}) == 1
