"""The displays: what they compute, what they write into the picture, what they leave alone."""

import subprocess
import sys
from types import SimpleNamespace

import matplotlib as mpl
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.base import BaseEstimator
from sklearn.metrics import accuracy_score
from sklearn.tree import DecisionTreeClassifier

mpl.use("Agg")

from matplotlib import pyplot as plt

from uneven.metrics import confusion_norm, geometric_mean_recall
from uneven.plots import BoostingCurveDisplay, ConfusionNormDisplay, VoteShareDisplay
from uneven.plots.curves import _running_mean
from uneven.plots.drawing import ERROR, INK, SUPPORT, shorten, text_on


@pytest.fixture(autouse=True)
def _closed_figures():
    before = dict(mpl.rcParams)
    yield
    plt.close("all")
    assert dict(mpl.rcParams) == before, "a display changed matplotlib's settings"


def answers(n_classes, n=600, seed=0):
    rng = np.random.default_rng(seed)
    truth = np.concatenate([np.arange(n_classes), rng.integers(n_classes, size=n)])
    wrong = rng.random(truth.size) < 0.3
    return truth, np.where(wrong, rng.integers(n_classes, size=truth.size), truth)


def cells(display):
    """Texts of the cells as a matrix; empty strings where nothing is written."""
    table = np.full(display.ax_.images[0].get_array().shape[:2], "", dtype=object)
    for text in display.text_:
        column, row = text.get_position()
        table[int(row), int(column)] = text.get_text()
    return table


def test_confusion_shows_percent_of_the_row_and_states_norm_and_gmean():
    truth, answer = ["a"] * 4 + ["b"] * 2, ["a", "a", "a", "b", "b", "b"]
    display = ConfusionNormDisplay.from_predictions(truth, answer)
    assert cells(display).tolist() == [["75", "25"], ["", "100"]]
    assert display.support.tolist() == [4, 2]
    title = display.ax_.get_title(loc="left")
    assert f"{confusion_norm(truth, answer):.3f}" in title
    assert f"{geometric_mean_recall(truth, answer):.3f}" in title
    assert any("a predicted as b, 25 %" in text.get_text() for text in display.ax_.texts)


def test_confusion_from_estimator_equals_from_predictions():
    rng = np.random.default_rng(1)
    X, y = rng.normal(size=(80, 3)), rng.integers(3, size=80)
    tree = DecisionTreeClassifier(max_depth=2, random_state=0).fit(X, y)
    one = ConfusionNormDisplay.from_estimator(tree, X, y)
    two = ConfusionNormDisplay.from_predictions(y, tree.predict(X))
    np.testing.assert_array_equal(one.rates, two.rates)
    assert one.norm == two.norm


def test_confusion_uses_sample_weight_and_order_of_labels():
    display = ConfusionNormDisplay.from_predictions(
        [0, 0, 1], [0, 1, 1], labels=[1, 0], sample_weight=[1, 3, 2], display_labels=["one", "zero"]
    )
    assert display.support.tolist() == [2, 4]
    assert display.rates.tolist() == [[1, 0], [0.75, 0.25]]
    assert [t.get_text() for t in display.ax_.get_yticklabels()] == ["one", "zero"]


def test_confusion_diagonal_and_errors_have_different_hues():
    display = ConfusionNormDisplay.from_predictions(*answers(5))
    colours = np.asarray(display.ax_.images[0].get_array())
    on = np.eye(5, dtype=bool)
    assert np.all(colours[on][:, 2] >= colours[on][:, 0]), "the diagonal must be blue"
    assert np.all(colours[~on][:, 0] >= colours[~on][:, 2]), "errors must be orange"


def test_confusion_of_a_class_without_rows_has_no_recall():
    display = ConfusionNormDisplay.from_predictions([0, 0, 1], [0, 2, 1], labels=[0, 1, 2])
    words = [text.get_text() for text in display.recall_ax_.texts]
    assert words.count("–") == 1


@pytest.mark.slow
@pytest.mark.parametrize("n_classes", [2, 4, 10, 26, 30])
def test_confusion_cells_stay_legible(n_classes):
    truth, answer = answers(n_classes)
    names = [f"a class with a really long name, number {i}" for i in range(n_classes)]
    display = ConfusionNormDisplay.from_predictions(truth, answer, display_labels=names)
    display.figure_.canvas.draw()
    renderer = display.figure_.canvas.get_renderer()
    cell = display.ax_.get_window_extent().width / n_classes
    assert min(text.get_fontsize() for text in display.text_) >= 6
    assert max(text.get_window_extent(renderer).width for text in display.text_) <= cell
    sheet = display.figure_.bbox.padded(1)
    for label in display.ax_.get_yticklabels() + display.ax_.get_xticklabels():
        box = label.get_window_extent(renderer)
        assert sheet.contains(box.x0, box.y0), f"{label} is cut off"
        assert sheet.contains(box.x1, box.y1), f"{label} is cut off"


def test_confusion_draws_into_the_given_axes():
    figure, axes = plt.subplots(1, 2)
    display = ConfusionNormDisplay.from_predictions(*answers(3), ax=axes[1], recall_bars=False)
    assert display.ax_ is axes[1]
    assert display.figure_ is figure
    assert display.recall_ax_ is None
    assert not axes[0].images
    assert len(plt.get_fignums()) == 1


def test_confusion_bars_stay_inside_a_plain_figure():
    figure, ax = plt.subplots(figsize=(7, 6))
    display = ConfusionNormDisplay.from_predictions(*answers(6), ax=ax)
    figure.canvas.draw()
    for text in display.recall_ax_.texts:
        assert text.get_window_extent().x1 <= figure.bbox.x1


def test_confusion_refuses_shapes_that_do_not_fit():
    with pytest.raises(ValueError, match=r"rates has shape \(2, 2\).*3 display_labels"):
        ConfusionNormDisplay(np.eye(2), [1, 1], display_labels="abc", norm=0, gmean=1)


class Staged(BaseEstimator):
    """A boosting estimator with a known history, one more right answer per round."""

    def __init__(self, n_rounds=4):
        self.n_rounds = n_rounds
        rounds = np.arange(1.0, n_rounds + 1)
        self.history_ = {"edge": 1 / rounds, "weight": 2 / rounds, "log_loss": -rounds}

    def fit(self, X, y):
        return self

    def staged_predict(self, X):
        for t in range(1, self.n_rounds + 1):
            yield (np.arange(len(X)) < t).astype(int)


def test_curves_draw_the_history():
    display = BoostingCurveDisplay.from_estimator(Staged())
    assert [ax.get_title(loc="left") for ax in display.axes_] == [
        "Edge",
        "Vote weight",
        "Training loss",
    ]
    raw = display.axes_[0].lines[0]
    np.testing.assert_allclose(raw.get_ydata(), [1, 1 / 2, 1 / 3, 1 / 4])
    np.testing.assert_allclose(raw.get_xdata(), [1, 2, 3, 4])
    assert display.ax_ is display.axes_[0]


def test_curves_score_training_and_held_out_rows_by_round():
    X, y = np.zeros((4, 1)), np.ones(4, dtype=int)
    display = BoostingCurveDisplay.from_estimator(
        Staged(), X, y, X_val=X[:2], y_val=1 - y[:2], metric=accuracy_score
    )
    panel = display.axes_[-1]
    assert panel.get_title(loc="left") == "Accuracy"
    np.testing.assert_allclose(panel.lines[0].get_ydata(), [0.25, 0.5, 0.75, 1.0])
    np.testing.assert_allclose(panel.lines[1].get_ydata(), [0.5, 0, 0, 0])
    names = [text.get_text() for text in panel.get_legend().get_texts()]
    assert names == ["training", "held out"]


def test_curves_divide_one_axes_and_check_the_number_of_many():
    _, ax = plt.subplots()
    display = BoostingCurveDisplay(Staged().history_).plot(ax)
    assert len(display.axes_) == 3
    assert all(child in ax.child_axes for child in display.axes_)
    _, axes = plt.subplots(1, 2)
    with pytest.raises(ValueError, match="2 Axes but there are 3 panels"):
        display.plot(axes)
    with pytest.raises(ValueError, match="nothing can be drawn"):
        BoostingCurveDisplay({"other": [1]})


@given(st.lists(st.floats(-5, 5), min_size=1, max_size=30), st.integers(1, 12))
def test_running_mean_equals_the_obvious_loop(values, window):
    array = np.array(values)
    expected = [
        array[max(i - window // 2, 0) : i + (window - 1) // 2 + 1].mean() for i in range(len(array))
    ]
    np.testing.assert_allclose(_running_mean(array, window), expected, atol=1e-9)


def explained(n_features=20):
    rng = np.random.default_rng(3)
    told = SimpleNamespace(
        view_names=["text", "sound"],
        feature_names=[f"f{j}" for j in range(n_features)],
        classes=np.array(["a", "b", "c"]),
        view_share=np.array([[0.7, 0.2, 0.5], [0.3, 0.8, 0.5]]),
        feature_share=rng.dirichlet(np.ones(n_features), 3).T,
    )
    return SimpleNamespace(explain=lambda: told), told


def test_vote_share_by_view():
    estimator, _ = explained()
    display = VoteShareDisplay.from_estimator(estimator)
    assert cells(display).tolist() == [["70", "20", "50"], ["30", "80", "50"]]
    assert [t.get_text() for t in display.ax_.get_xticklabels()] == ["a", "b", "c"]


def test_vote_share_by_feature_shows_the_strongest_and_sums_the_rest():
    estimator, told = explained()
    display = VoteShareDisplay.from_estimator(estimator, by="feature", n_top=5)
    totals = told.feature_share.sum(axis=1)
    assert display.names[0] == told.feature_names[int(totals.argmax())]
    assert display.names[-1] == "15 other columns"
    np.testing.assert_allclose(display.shares.sum(axis=0), 1)
    everything = VoteShareDisplay.from_estimator(estimator, by="feature", n_top=20)
    assert len(everything.names) == 20


def test_vote_share_says_what_is_wrong():
    estimator, _ = explained()
    with pytest.raises(ValueError, match="by='row' is unknown"):
        VoteShareDisplay.from_estimator(estimator, by="row")
    with pytest.raises(ValueError, match=r"expected \(1, 2\)"):
        VoteShareDisplay(np.ones((2, 2)), ["one"], ["a", "b"])


@pytest.mark.slow
@given(st.text(), st.integers(3, 40))
def test_shortened_names_fit(name, length):
    assert len(shorten(name, length)) <= length


def luminance(colour):
    channels = np.asarray(mpl.colors.to_rgb(colour))
    linear = np.where(channels <= 0.04045, channels / 12.92, ((channels + 0.055) / 1.055) ** 2.4)
    return linear @ [0.2126, 0.7152, 0.0722]


@pytest.mark.parametrize("ramp", [ERROR, SUPPORT], ids=["error", "support"])
def test_ramps_darken_steadily_and_their_texts_have_contrast(ramp):
    steps = ramp(np.linspace(0, 1, 50))
    light = np.array([luminance(step[:3]) for step in steps])
    assert np.all(np.diff(light) < 0)
    for step, background in zip(steps, light):
        writing = luminance(text_on(step))
        low, high = sorted([writing, background])
        assert (high + 0.05) / (low + 0.05) >= 3.5
    assert luminance(INK) < 0.05


def test_missing_matplotlib_is_explained():
    code = (
        "import sys; sys.modules['matplotlib'] = None\n"
        "try:\n    import uneven.plots\nexcept ImportError as e:\n    print(e)"
    )
    said = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert 'pip install "uneven[plots]"' in said.stdout
