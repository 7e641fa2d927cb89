import warnings

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from sklearn.metrics import balanced_accuracy_score, recall_score

from uneven.metrics import (
    class_recalls,
    confusion_norm,
    geometric_mean_recall,
    imbalance_ratio,
    mean_recall,
    worst_recall,
)

labelled = st.integers(1, 40).flatmap(
    lambda n: st.tuples(*[arrays(np.int64, n, elements=st.integers(0, 3))] * 2)
)


@given(labelled)
def test_recalls_and_their_means_agree_with_scikit_learn(pair):
    y, p = pair
    present = np.unique(y)
    recalls = recall_score(y, p, labels=present, average=None, zero_division=0)
    found = class_recalls(y, p)
    assert found[~np.isnan(found)] == pytest.approx(recalls)
    assert geometric_mean_recall(y, p) == pytest.approx(np.prod(recalls) ** (1 / len(present)))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert mean_recall(y, p) == pytest.approx(balanced_accuracy_score(y, p))
    assert worst_recall(y, p) == pytest.approx(1 - confusion_norm(y, p, norm="max_row"))


def test_published_recalls_of_animals():
    recalls = np.array([0.444, 0.351, 0.457, 0.675, 0.510, 0.782])
    y = np.repeat(np.arange(6), 1000)
    p = np.concatenate(
        [
            np.repeat([c, (c + 1) % 6], [round(1000 * r), 1000 - round(1000 * r)])
            for c, r in enumerate(recalls)
        ]
    )
    assert 0.517 <= geometric_mean_recall(y, p) <= 0.5185


def test_two_classes_is_root_of_sensitivity_times_specificity():
    y = [0] * 10 + [1] * 4
    p = [0] * 8 + [1] * 2 + [1] * 3 + [0]
    assert geometric_mean_recall(y, p) == pytest.approx(np.sqrt(0.8 * 0.75))


def test_many_classes_do_not_underflow():
    y = np.repeat(np.arange(2000), 1000)
    p = y.copy()
    p[np.arange(len(y)) % 1000 > 0] += 1
    assert geometric_mean_recall(y, p) == pytest.approx(1e-3)


def test_absent_classes_are_left_out():
    assert geometric_mean_recall([0, 1], [0, 1], labels=[0, 1, 2]) == 1.0
    assert mean_recall([0, 1, 1], [0, 1, 2]) == 0.75
    assert geometric_mean_recall([0, 1], [0, 0], sample_weight=[1, 0]) == 1.0


def test_class_missing_from_training_has_recall_zero():
    assert geometric_mean_recall(["a", "b", "new"], ["a", "b", "a"]) == 0.0
    assert mean_recall(["a", "b", "new"], ["a", "b", "a"]) == pytest.approx(2 / 3)


def test_one_class():
    assert geometric_mean_recall(["a"], ["a"]) == worst_recall(["a"], ["a"]) == 1.0


def test_imbalance_ratio():
    assert imbalance_ratio([0] * 1210 + [1] * 384 + [2] * 69 + [3] * 65) == pytest.approx(
        18.615, abs=1e-3
    )
    assert imbalance_ratio(["x", "x"]) == 1.0
    assert imbalance_ratio([0, 1, 2], sample_weight=[1, 4, 0]) == 4.0
    with pytest.raises(ValueError, match="y is empty"):
        imbalance_ratio([])
