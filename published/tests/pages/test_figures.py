"""The picture of published curves beside measured ones."""

import math

import matplotlib as mpl
import numpy as np
import pytest

mpl.use("Agg")

from matplotlib import pyplot as plt
from matplotlib.colors import to_hex
from matplotlib.container import ErrorbarContainer

from uneven.plots.drawing import BLUE, ORANGE
from uneven_published.pages.figures import PublishedDisplay

X = [0.0, 1.0, 2.0, 3.0]
A = {
    "mean": [math.nan, 0.5, 0.4, 0.3],
    "deviation": [math.nan, 0.1, 0.1, math.nan],
    "printed": [math.nan, 0.6, math.nan, 0.2],
    "printed_deviation": [math.nan, 0.05, math.nan, math.nan],
}
B = {"mean": [0.9, 0.8, 0.7, 0.6], "deviation": None, "printed": None, "printed_deviation": None}


@pytest.fixture(autouse=True)
def _closed_figures():
    before = dict(mpl.rcParams)
    yield
    plt.close("all")
    assert dict(mpl.rcParams) == before, "a display changed matplotlib's settings"


def drawn(panels=None, **settings):
    return PublishedDisplay.from_panels(panels or {"wine": {"A": A, "B": B}}, {"x": X, **settings})


def test_lines_are_ours_and_rings_are_printed():
    (ax,) = drawn(x_title="labels", y_title="error").axes_
    ours = {to_hex(line.get_color()): line for line in ax.lines if line.get_linestyle() == "-"}
    np.testing.assert_allclose(ours[BLUE].get_xydata(), [[1, 0.5], [2, 0.4], [3, 0.3]])
    assert len(ours[ORANGE].get_xdata()) == 4
    (rings,) = [line for line in ax.lines if line.get_marker() == "o"]
    np.testing.assert_allclose(rings.get_xydata(), [[1, 0.6], [3, 0.2]])
    assert to_hex(rings.get_color()) == BLUE
    assert rings.get_markerfacecolor() == "white"
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("labels", "error")


def test_the_band_is_one_deviation_wide():
    (ax,) = drawn().axes_
    corners = ax.collections[0].get_paths()[0].vertices
    at_one = corners[corners[:, 0] == 1.0, 1]
    assert (at_one.min(), at_one.max()) == pytest.approx((0.4, 0.6))


def test_every_panel_has_its_axes_and_columns_keep_their_colours():
    display = drawn({"one": {"A": A, "B": B}, "two": {"B": B}, "three": {"A": A}, "four": {"A": A}})
    assert [ax.get_title(loc="left") for ax in display.axes_] == ["one", "two", "three", "four"]
    assert to_hex(display.axes_[1].lines[0].get_color()) == ORANGE
    (legend,) = display.figure_.legends
    assert [text.get_text() for text in legend.get_texts()] == ["A", "B", "published"]


def test_scales_bars_steps_and_long_prints():
    assert drawn(x_log=True).axes_[0].get_xscale() == "symlog"
    assert drawn(y_log=True).axes_[0].get_yscale() == "log"
    assert len(drawn(kind="bar").axes_[0].patches) == 7
    assert drawn(kind="step").axes_[0].lines[0].get_drawstyle() == "steps-post"
    n = 50
    long = {"mean": None, "printed": np.linspace(0, 1, n)}
    display = PublishedDisplay.from_panels({"wine": {"A": long}}, {"x": np.arange(n)})
    assert [line.get_marker() for line in display.axes_[0].lines] == ["None"]
    (legend,) = display.figure_.legends
    assert legend.get_lines()[-1].get_marker() == "None"


def test_wrong_shapes_and_empty_panels_are_refused():
    with pytest.raises(
        ValueError, match=r"mean of 'A' in 'wine' has shape \(2,\); expected \(4,\)"
    ):
        drawn({"wine": {"A": {"mean": [1.0, 2.0]}}})
    with pytest.raises(ValueError, match="panels is empty"):
        PublishedDisplay({}, {"x": X})


def test_saving_closes_the_figure(tmp_path):
    display = drawn()
    display.save(tmp_path / "picture.png", dpi=40)
    assert (tmp_path / "picture.png").read_bytes().startswith(b"\x89PNG")
    assert not plt.get_fignums()


def test_one_curve_may_be_a_step_among_lines():
    (ax,) = drawn(steps=["B"]).axes_
    styles = [line.get_drawstyle() for line in ax.get_lines() if len(line.get_xdata()) > 2]
    assert "steps-post" in styles
    assert "default" in styles


def test_bars_carry_no_whiskers_and_whole_places_whole_ticks():
    line = {"mean": [0.5, 0.4, 0.1], "deviation": [0.5, 0.5, 0.3]}
    plot = {"x": [1, 2, 3], "kind": "bar"}
    (ax,) = PublishedDisplay.from_panels({"wine": {"UMA": line}}, plot).axes_
    assert not ax.collections
    assert not [one for one in ax.containers if isinstance(one, ErrorbarContainer)]
    assert all(tick % 1 == 0 for tick in ax.get_xticks())


def test_a_band_below_zero_does_not_stretch_a_logarithmic_axis():
    line = {"mean": [10.0, 2.0], "deviation": [5.0, 9.0], "printed": [8.0, math.nan]}
    plot = {"x": [0, 100], "y_log": True}
    (ax,) = PublishedDisplay.from_panels({"wine": {"UMA": line}}, plot).axes_
    assert ax.get_ylim()[0] == pytest.approx(1.0)
    assert 50.0 in ax.get_xticks() or 20.0 in ax.get_xticks()
