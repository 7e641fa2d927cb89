"""The picture of a diagnosis of views."""

import matplotlib as mpl
import numpy as np
import pytest

mpl.use("Agg")

from matplotlib import pyplot as plt

from uneven.plots import ViewDiagnosisDisplay
from uneven.views import ViewDiagnosis


@pytest.fixture(autouse=True)
def _closed_figures():
    yield
    plt.close("all")


def sample(n_views=3, names=None, classes=("a", "b", "c", "d")):
    rng = np.random.default_rng(0)
    recalls = rng.random((n_views, 4))
    recalls[0, :2] = np.nan, 0.0
    redundancy = np.full((n_views, n_views), 0.25)
    redundancy[0, -1] = redundancy[-1, 0] = -0.5
    np.fill_diagonal(redundancy, 1.0)
    return ViewDiagnosis(
        names=tuple(names or (f"view{j}" for j in range(n_views))),
        classes=np.array(classes),
        class_counts=np.full(4, 10),
        view_counts=np.full((n_views, 4), 10),
        n_rows=40,
        n_columns=np.full(n_views, 2),
        presence=np.ones(n_views),
        accuracy=np.linspace(0.5, 0.9, n_views),
        chance=np.full(n_views, 0.25),
        balanced_accuracy=np.full(n_views, 0.6),
        confusion_norm=np.full(n_views, 0.4),
        recalls=recalls,
        redundancy=redundancy,
        rescue=np.full((n_views, n_views), 0.5),
        same_mistakes=np.full((n_views, n_views), 0.5),
        shared_rows=np.full((n_views, n_views), 40),
        verdicts=("weak", *["strong"] * (n_views - 1)),
    )


def test_recalls_are_written_view_by_class_and_unknown_ones_left_empty():
    found = sample()
    display = ViewDiagnosisDisplay.from_diagnosis(found)
    left = [text for text in display.text_ if text.axes is display.ax_]
    written = {tuple(map(int, text.get_position())): text.get_text() for text in left}
    assert (0, 0) not in written
    assert written[1, 0] == "0"
    assert written[3, 2] == f"{100 * found.recalls[2, 3]:.0f}"
    names = [label.get_text() for label in display.ax_.get_yticklabels()]
    assert names == ["view0 (50 %, weak)", "view1 (70 %, strong)", "view2 (90 %, strong)"]


def test_redundancy_has_a_sign_and_no_diagonal():
    display = ViewDiagnosisDisplay(sample()).plot()
    right = [text for text in display.text_ if text.axes is display.axes_[1]]
    written = {tuple(map(int, text.get_position())): text.get_text() for text in right}
    assert len(written) == 6
    assert written[2, 0] == "−0.50"
    assert written[1, 0] == "0.25"
    colours = display.axes_[1].images[0].get_array()
    red, blue = colours[0, 1], colours[0, 2]
    assert red[0] > red[2]
    assert blue[2] > blue[0]


def test_one_view_and_given_axes():
    single = ViewDiagnosisDisplay(sample(1)).plot()
    assert len(single.axes_) == 1
    figure, axes = plt.subplots(1, 2)
    both = ViewDiagnosisDisplay(sample()).plot(ax=axes)
    assert both.figure_ is figure
    assert both.axes_ == list(axes)
    assert len(ViewDiagnosisDisplay(sample()).plot(ax=axes[0]).axes_) == 1
    with pytest.raises(ValueError, match="2 axes were given, but there are 1 maps"):
        ViewDiagnosisDisplay(sample(1)).plot(ax=axes)


@pytest.mark.slow
@pytest.mark.parametrize("n_views", [2, 6, 12])
def test_nothing_is_cut_off(n_views):
    names = [f"a very long name of view number {j}" for j in range(n_views)]
    display = ViewDiagnosisDisplay(sample(n_views, names)).plot()
    figure = display.figure_
    figure.canvas.draw()
    frame = figure.bbox
    for ax in display.axes_:
        for text in [*ax.get_yticklabels(), *ax.get_xticklabels(), *ax.texts]:
            box = text.get_window_extent()
            assert box.x0 >= frame.x0 - 1
            assert box.x1 <= frame.x1 + 1


def test_shortened_names_stay_apart():
    names = [f"the measurements of sensor {j} in the long corridor" for j in range(3)]
    classes = [f"a class whose name {j} is rather long indeed" for j in range(4)]
    display = ViewDiagnosisDisplay(sample(3, names, classes)).plot()
    for ax in display.axes_:
        for labels, most in ((ax.get_xticklabels(), 12), (ax.get_yticklabels(), 40)):
            texts = [label.get_text() for label in labels]
            assert len(set(texts)) == len(texts)
            assert max(map(len, texts)) <= most
