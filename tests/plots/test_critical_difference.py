"""The picture of average ranks."""

import matplotlib as mpl
import numpy as np
import pandas as pd
import polars as pl
import pytest

mpl.use("Agg")

from matplotlib import pyplot as plt
from matplotlib.colors import to_hex

from uneven.metrics import average_ranks, critical_difference
from uneven.plots import CriticalDifferenceDisplay
from uneven.plots.drawing import BLUE

RANKS = [3.143, 2.0, 2.893, 1.964]
TREES = ["plain", "m", "cf", "both"]
LONG = [f"a rather long name of method {letter}, weighted" for letter in "abcdefghijklmn"]


@pytest.fixture(autouse=True)
def _closed_figures():
    before = dict(mpl.rcParams)
    yield
    plt.close("all")
    assert dict(mpl.rcParams) == before, "a display changed matplotlib's settings"


def bars(display):
    found = [line for line in display.ax_.lines if line.get_linewidth() > 4]
    return sorted((line.get_ydata()[0], *line.get_xdata()) for line in found)


def told(display):
    return [text.get_text() for text in display.ax_.texts]


def test_bars_join_what_does_not_differ():
    display = CriticalDifferenceDisplay(RANKS, TREES, 1.12).plot()
    (upper, *first), (lower, *second) = bars(display)
    assert (first, second) == ([1.964, 2.893], [2.893, 3.143])
    assert upper < lower
    assert "critical difference 1.12" in told(display)
    (bracket,) = [line for line in display.ax_.lines if line.get_marker() == "|"]
    assert np.ptp(bracket.get_xdata()) == pytest.approx(1.12)
    assert display.ax_.get_title(loc="left") == "both ranks best"
    assert not bars(CriticalDifferenceDisplay(RANKS, TREES, 0.01).plot())


def test_bars_that_do_not_meet_share_a_level():
    display = CriticalDifferenceDisplay([1.0, 1.2, 2.9, 3.1], TREES, 0.5).plot()
    assert len({height for height, *_ in bars(display)}) == 1
    assert len(bars(display)) == 2


def test_lines_lead_from_ranks_to_names_without_crossing():
    display = CriticalDifferenceDisplay(RANKS, TREES, 1.12).plot()
    names = [text.get_text() for text in display.text_]
    assert names == ["both", "m", "cf", "plain"]
    lines = [line.get_xydata() for line in display.ax_.lines if len(line.get_xdata()) == 3]
    assert [line[0, 0] for line in lines] == sorted(RANKS)
    for line, text in zip(lines, display.text_):
        x, y = text.get_position()
        assert line[1, 1] == line[2, 1] == y
        assert abs(x - line[0, 0]) > abs(line[2, 0] - line[0, 0])
    depths = [line[2, 1] for line in lines]
    assert depths[0] == depths[3] < depths[1] == depths[2]
    assert [text.get_ha() for text in display.text_] == ["right", "right", "left", "left"]
    assert "1.96" in told(display)


@pytest.mark.parametrize("n_methods", [2, 5, 14])
def test_names_cover_neither_each_other_nor_the_axis(n_methods):
    ranks = np.linspace(1.5, n_methods - 0.2, n_methods)
    display = CriticalDifferenceDisplay(ranks, LONG[:n_methods], 2.0).plot(highlight=LONG[0])
    figure = display.figure_
    figure.draw_without_rendering()
    numbers = [text for text in display.ax_.texts if text.get_text() in [f"{r:.2f}" for r in ranks]]
    boxes = [text.get_window_extent() for text in [*display.text_, *numbers]]
    assert len(boxes) == 2 * n_methods
    for place, box in enumerate(boxes):
        assert box.x0 >= 0
        assert box.x1 <= figure.bbox.width
        assert not any(box.overlaps(other) for other in boxes[:place])
    first, last = display.ax_.transData.transform([[1, 0], [n_methods, 0]])[:, 0]
    assert last - first > 300
    assert all(box.x1 < first or box.x0 > last for box in boxes)


def test_narrow_axes_shorten_names_but_keep_them_apart():
    _, axes = plt.subplots(1, 2, figsize=(10, 3))
    display = CriticalDifferenceDisplay(np.arange(1.0, 15.0), LONG, 4.0, pvalue=0.2, n_sets=9)
    display.plot(axes[1])
    names = [text.get_text() for text in display.text_]
    assert display.ax_ is axes[1]
    assert max(map(len, names)) < 20
    assert len(set(names)) == 14
    assert told(display)[-1] == "average ranks on 9 sets (Friedman p = 0.200)"
    first, last = display.ax_.transData.transform([[1, 0], [14, 0]])[:, 0]
    assert last - first > 0.2 * axes[1].bbox.width
    assert len(axes[1].get_xticks()) < 14


def test_highlighted_methods_are_blue():
    display = CriticalDifferenceDisplay(RANKS, TREES, 1.12).plot(highlight="cf")
    blue = [text.get_text() for text in display.text_ if to_hex(text.get_color()) == BLUE]
    assert blue == ["cf"]
    with pytest.raises(ValueError, match=r"highlight names \['forest'\]; methods are \['plain'"):
        display.plot(highlight=["forest"])


def test_values_are_ranked_and_tested():
    values = np.random.default_rng(0).normal(size=(8, 3)) + [0.0, 2.0, 4.0]
    frame = pd.DataFrame(values, columns=["low", "middle", "high"])
    display = CriticalDifferenceDisplay.from_values(frame, alpha=0.1)
    np.testing.assert_allclose(display.ranks, average_ranks(values))
    assert display.cd == critical_difference(3, 8, 0.1)
    assert told(display)[-1].endswith(
        "on 8 sets; bars join methods that do not differ (Friedman p < 0.001)"
    )
    assert display.ax_.get_title(loc="left") == "low ranks best"
    turned = CriticalDifferenceDisplay.from_values(
        pl.DataFrame(values, schema=["a", "b", "c"]), better="high", title="Ranks"
    )
    assert turned.names == ["a", "b", "c"]
    assert turned.ranks[2] < turned.ranks[0]
    assert turned.ax_.get_title(loc="left") == "Ranks"
    with pytest.raises(ValueError, match="names is missing"):
        CriticalDifferenceDisplay.from_values(values)


def test_a_difference_beyond_the_axis_and_methods_that_are_equal():
    display = CriticalDifferenceDisplay([1.5, 1.5], ["a", "b"], 1.6).plot()
    assert not [line for line in display.ax_.lines if line.get_marker() == "|"]
    assert "critical difference 1.60, wider than the axis" in told(display)
    assert display.ax_.get_title(loc="left") == "Average ranks"


def test_impossible_words_are_refused():
    with pytest.raises(ValueError, match="4 ranks and 1 names"):
        CriticalDifferenceDisplay(RANKS, ["one"], 1.0)
    with pytest.raises(ValueError, match="1 ranks and 1 names"):
        CriticalDifferenceDisplay([1.0], ["one"], 1.0)
    with pytest.raises(ValueError, match="cd=-1 must be above 0"):
        CriticalDifferenceDisplay(RANKS, TREES, -1)
