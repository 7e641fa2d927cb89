import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedKFold, cross_val_predict
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from uneven.datasets import load_demo
from uneven.datasets.demo import _edges
from uneven.metrics import class_recalls, confusion_norm, imbalance_ratio


def answers(X, y, class_weight):
    model = make_pipeline(
        StandardScaler(), LogisticRegression(C=0.3, max_iter=300, class_weight=class_weight)
    )
    return cross_val_predict(model, X, y, cv=StratifiedKFold(5, shuffle=True, random_state=0))


def test_table_is_long_tailed_and_always_the_same():
    demo, again = load_demo(), load_demo()
    assert demo.data.shape == (949, 26)
    assert len(np.unique(demo.target)) == 10
    assert 10 <= imbalance_ratio(demo.target) <= 15
    assert_array_equal(demo.data, again.data)
    assert np.isfinite(demo.data).all()


def test_views_cover_the_columns_and_hold_what_they_say():
    demo = load_demo()
    covered = np.concatenate([np.arange(26)[columns] for columns in demo.views.values()])
    assert_array_equal(covered, np.arange(26))
    ink = demo.images.sum(axis=(1, 2))
    assert_allclose(demo.data[:, demo.views["top_down"]].sum(axis=1), ink)
    assert_allclose(demo.data[:, demo.views["left_right"]].sum(axis=1), ink)
    assert_allclose(demo.data[:, 0], demo.images[:, 0, :].sum(axis=1))
    assert_allclose(demo.data[:, 8], demo.images[:, :, 0].sum(axis=1))


def test_edges_are_named_by_their_direction():
    strokes = np.zeros((4, 8, 8))
    line = np.arange(8)
    strokes[0, 3:5, :] = 16
    strokes[1, line, line] = 16
    strokes[2, :, 3:5] = 16
    strokes[3, line, 7 - line] = 16
    assert _edges(strokes).argmax(axis=1).tolist() == [0, 1, 2, 3]


def test_frame_has_prefixed_columns():
    demo, frame = load_demo(), load_demo(as_frame=True)
    assert_allclose(frame.data.to_numpy(), demo.data)
    prefixes = [name.split("__")[0] for name in frame.data.columns]
    assert list(dict.fromkeys(prefixes)) == list(demo.views)
    assert frame.target.tolist() == demo.target.tolist()


def test_no_view_is_enough_and_class_weights_change_the_picture():
    demo = load_demo()
    together = answers(demo.data, demo.target, None)
    accuracy = np.mean(together == demo.target)
    recalls = {}
    for view, columns in demo.views.items():
        alone = answers(demo.data[:, columns], demo.target, None)
        recalls[view] = class_recalls(demo.target, alone)
        assert np.mean(alone == demo.target) < accuracy - 0.05
    table = np.array(list(recalls.values()))
    assert len(set(table.argmax(axis=0))) >= 2
    plain = confusion_norm(demo.target, together)
    weighted = confusion_norm(demo.target, answers(demo.data, demo.target, "balanced"))
    assert weighted < 0.75 * plain


def test_frame_without_pandas_is_a_clear_error(monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "pandas", None)
    with pytest.raises(ImportError, match="as_frame=True needs pandas"):
        load_demo(as_frame=True)
