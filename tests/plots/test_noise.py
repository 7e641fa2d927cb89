"""The picture of a noise matrix."""

import matplotlib.pyplot as plt
import numpy as np
import pytest

from uneven.noise import confusion_from_clean, cyclic_noise
from uneven.plots import NoiseMatrixDisplay


@pytest.fixture(autouse=True)
def _close_figures():
    yield
    plt.close("all")


def test_columns_are_true_classes_and_rows_are_labels():
    matrix = [[0.9, 0.3, 0.0], [0.1, 0.5, 0.0], [0.0, 0.2, 1.0]]
    display = NoiseMatrixDisplay(matrix, ["a", "b", "c"]).plot()
    at = {text.get_position(): text.get_text() for text in display.text_}
    assert at[(1, 0)] == "30"
    assert at[(0, 1)] == "10"
    assert (0, 2) not in at
    assert display.ax_.get_xlabel() == "true class"
    assert display.ax_.get_ylabel() == "observed label"
    assert display.ax_.get_title(loc="left") == "50 to 100 % of a class keep their label"
    assert "most often b labelled a, 30 %" in [t.get_text() for t in display.ax_.texts]


def test_estimates_bring_their_intervals_and_names():
    true = np.repeat(["ant", "bee"], [40, 20])
    given = np.where(np.arange(60) % 5 == 0, "bee", true)
    found = confusion_from_clean(true, given)
    display = NoiseMatrixDisplay.from_estimate(found)
    at = {text.get_position(): text.get_text() for text in display.text_}
    assert at[(0, 0)] == f"80\n{100 * found.low[0, 0]:.0f}–{100 * found.high[0, 0]:.0f}"
    assert [t.get_text() for t in display.ax_.get_xticklabels()] == ["ant", "bee"]
    assert any("60 clean rows" in t.get_text() for t in display.ax_.texts)


def test_equal_classes_perfect_labels_given_axes_and_no_values():
    assert "70 % of every class" in NoiseMatrixDisplay(
        cyclic_noise(3, (0.2, 0.1))
    ).plot().ax_.get_title(loc="left")
    _, ax = plt.subplots()
    display = NoiseMatrixDisplay(np.eye(2)).plot(ax, include_values=False, title="mine")
    assert display.ax_ is ax
    assert display.text_ == []
    assert ax.get_title(loc="left") == "mine"
    assert "no wrong labels" in [t.get_text() for t in ax.texts]


def test_many_classes_stay_within_the_figure():
    matrix = cyclic_noise(30, (0.3,))
    display = NoiseMatrixDisplay(matrix, low=matrix * 0.9, high=matrix).plot()
    assert max(display.figure_.get_size_inches()) < 16


@pytest.mark.parametrize(
    ("names", "more"),
    [
        (["a"], {}),
        (["a", "b"], {"low": np.zeros((2, 2))}),
        (["a", "b"], {"low": np.zeros((3, 3)), "high": np.ones((3, 3))}),
    ],
)
def test_parts_that_do_not_fit_are_refused(names, more):
    with pytest.raises(ValueError, match="display_labels; expected"):
        NoiseMatrixDisplay(np.eye(2), names, **more)
    with pytest.raises(ValueError, match="shapes"):
        NoiseMatrixDisplay(np.ones((2, 3)))


@pytest.mark.parametrize(
    ("matrix", "says"),
    [
        ([[0.9, 0.1], [0.3, 0.7]], "looks transposed"),
        ([[0.9, 0.3], [0.1, 0.6]], "column 1 sums to 0.9"),
        ([[9, 3], [1, 7]], "Divide counts"),
        ([[1.1, 0.0], [-0.1, 1.0]], "finite shares >= 0"),
        ([[np.nan, 0.0], [0.1, 1.0]], "finite shares >= 0"),
    ],
)
def test_what_is_no_noise_matrix_is_not_drawn(matrix, says):
    with pytest.raises(ValueError, match=says):
        NoiseMatrixDisplay(matrix)
