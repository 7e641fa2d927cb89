"""Learning curves and shrinking volumes."""

from types import SimpleNamespace

import matplotlib as mpl
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

mpl.use("Agg")

from matplotlib import pyplot as plt
from matplotlib.colors import to_hex

from uneven.plots import LearningCurveDisplay, VolumeDisplay
from uneven.plots.bands import middle_and_band, spread_apart
from uneven.plots.drawing import BLUE, MUTED, ORANGE


@pytest.fixture(autouse=True)
def _closed_figures():
    before = dict(mpl.rcParams)
    yield
    plt.close("all")
    assert dict(mpl.rcParams) == before, "a display changed matplotlib's settings"


RUNS = np.array([[0.5, 0.6, 0.9], [0.7, 0.8, 0.9], [0.6, 1.0, 0.6]])


@pytest.mark.parametrize(
    ("band", "middle", "low", "high"),
    [
        ("std", [0.6, 0.8, 0.8], [0.5, 0.6, 0.6268], [0.7, 1.0, 0.9732]),
        ("error", [0.6, 0.8, 0.8], [0.4845, 0.5691, 0.6], [0.7155, 1.0309, 1.0]),
        ("quartiles", [0.6, 0.8, 0.9], [0.55, 0.7, 0.75], [0.65, 0.9, 0.9]),
        ("range", [0.6, 0.8, 0.8], [0.5, 0.6, 0.6], [0.7, 1.0, 0.9]),
        (None, [0.6, 0.8, 0.8], [0.6, 0.8, 0.8], [0.6, 0.8, 0.8]),
    ],
)
def test_bands_by_hand(band, middle, low, high):
    for found, expected in zip(middle_and_band(RUNS, band), (middle, low, high)):
        np.testing.assert_allclose(found, expected, atol=1e-4)


@pytest.mark.parametrize("band", ["std", "error", "quartiles", "range", None])
def test_runs_that_stopped_do_not_count(band):
    stopped = np.vstack([RUNS, [0.6, np.nan, np.nan]])
    stopped = np.column_stack([stopped, np.full(4, np.nan)])
    for found, whole in zip(middle_and_band(stopped, band), middle_and_band(RUNS, band)):
        np.testing.assert_allclose(found[1:3], whole[1:])
    assert np.isnan(middle_and_band(stopped, band)[0][3])


@given(st.lists(st.floats(-5, 5), min_size=1, max_size=8), st.floats(0.01, 2))
def test_spread_keeps_distance_order_and_what_is_apart_already(places, gap):
    moved = spread_apart(places, gap)
    order = np.argsort(places, kind="stable")
    assert (np.diff(moved[order]) >= gap - 1e-9).all()
    assert np.mean(moved) == pytest.approx(np.mean(places), abs=1e-9)
    if (np.diff(np.sort(places)) >= gap).all():
        np.testing.assert_allclose(moved, places, atol=1e-9)


def ink(display):
    return {to_hex(line.get_color()): line.get_ydata() for line in display.ax_.lines}


def test_curves_show_means_bands_and_names_in_their_colours():
    curves = {"gravity": RUNS, "random": RUNS - 0.2, "margin": RUNS - 0.1}
    display = LearningCurveDisplay.from_curves([2, 4, 8], curves)
    lines = ink(display)
    np.testing.assert_allclose(lines[BLUE], RUNS.mean(axis=0))
    np.testing.assert_allclose(lines[MUTED], RUNS.mean(axis=0) - 0.2)
    np.testing.assert_allclose(lines[ORANGE], RUNS.mean(axis=0) - 0.1)
    assert len(display.ax_.collections) == 3
    told = {text.get_text(): to_hex(text.get_color()) for text in display.text_}
    assert told == {"gravity": BLUE, "random": MUTED, "margin": ORANGE}
    assert display.ax_.get_title(loc="left") == "Accuracy"
    said = [text.get_text() for text in display.ax_.texts]
    assert "mean of 3 runs, band: one standard deviation" in said


def test_colours_can_be_kept_and_single_runs_have_no_band():
    display = LearningCurveDisplay({"b": [1, 2]}, {"b": [0.1, 0.2]}, measure="G-mean")
    display.plot(colours={"b": ORANGE}, title="mine", ylim=(0, 1))
    assert [*ink(display)] == [ORANGE]
    assert not display.ax_.collections
    assert display.ax_.get_ylim() == (0, 1)
    assert display.ax_.get_title(loc="left") == "mine"


def test_names_at_the_ends_stay_apart_inside_the_figure_and_level_with_their_lines():
    curves = {f"strategy {i}": RUNS + 0.001 * i for i in range(5)} | {"low": RUNS - 0.5}
    for ax in (None, plt.subplots(figsize=(7, 4))[1]):
        display = LearningCurveDisplay([2, 4, 8], curves).plot(ax)
        display.figure_.canvas.draw()
        boxes = [text.get_window_extent() for text in display.text_]
        for i, box in enumerate(boxes):
            assert display.figure_.bbox.padded(1).contains(box.x1, box.y1)
            assert not any(box.overlaps(other) for other in boxes[:i])
        end = display.ax_.transData.transform((8, np.mean(RUNS[:, -1]) - 0.5))[1]
        assert boxes[-1].y0 < end < boxes[-1].y1


def test_references_take_the_colour_of_their_curve():
    display = LearningCurveDisplay.from_curves(
        [2, 4, 8],
        {"gravity": RUNS},
        references={"gravity": ([2, 8], [0.6, 0.9], [0.1, 0.05]), "other": ([4], [0.7])},
        reference_name="Louche (2016)",
    )
    bars = display.ax_.containers
    assert [to_hex(bar[0].get_color()) for bar in bars] == [BLUE, MUTED]
    np.testing.assert_allclose(bars[0][0].get_ydata(), [0.6, 0.9])
    assert any("rings: Louche (2016)" in text.get_text() for text in display.ax_.texts)


@pytest.mark.parametrize(
    ("labels", "curves", "says"),
    [
        ([1, 2], {}, "curves is empty"),
        ([1, 2], {"a": [[[0.1]]]}, r"'a' has shape \(1, 1, 1\)"),
        ([1, 2], {"a": [0.1]}, "'a' has 1 points"),
        ({"b": [1]}, {"a": [0.1]}, "labels has no entry for the curve 'a'"),
        ([2, 1], {"a": [0.1, 0.2]}, "finite and increasing"),
    ],
)
def test_curves_that_do_not_fit_are_refused(labels, curves, says):
    for display in (LearningCurveDisplay, VolumeDisplay):
        with pytest.raises(ValueError, match=says):
            display(labels, curves)


def test_simulated_runs_of_different_lengths_are_joined():
    runs = [
        SimpleNamespace(labels=[0, 5, 10], scores=[0.5, 0.7, 0.9], log_volumes=[-1.0, -2.0, -3.0]),
        SimpleNamespace(labels=[0, 5], scores=[0.7, 0.9], log_volumes=[np.nan, -4.0]),
    ]
    scores = LearningCurveDisplay.from_simulations({"gravity": runs}, measure="G-mean")
    np.testing.assert_allclose(scores.ax_.lines[0].get_ydata(), [0.6, 0.8, 0.9])
    assert scores.ax_.get_title(loc="left") == "G-mean"
    left = VolumeDisplay.from_simulations({"gravity": runs}, guides=False, unit="decades")
    np.testing.assert_allclose(
        left.ax_.lines[0].get_ydata(), np.array([-1.0, -3.0, -3.0]) / np.log(10)
    )
    with pytest.raises(ValueError, match="no run of 'gravity'"):
        LearningCurveDisplay.from_simulations({"gravity": []})


def test_unknown_words_and_odd_references_are_refused():
    display = LearningCurveDisplay([1], {"a": [0.5]})
    with pytest.raises(ValueError, match="band='sd' is unknown"):
        display.plot(band="sd")
    assert not plt.get_fignums()
    with pytest.raises(ValueError, match="the reference 'a' holds arrays"):
        LearningCurveDisplay([1], {"a": [0.5]}, references={"a": ([1, 2], [0.5])})
    with pytest.raises(ValueError, match="unit='nats' is unknown"):
        VolumeDisplay([1], {"a": [-0.5]}).plot(unit="nats")


@pytest.mark.parametrize(("unit", "base"), [("bits", 2), ("decades", 10)])
def test_volumes_are_drawn_with_what_theory_promises(unit, base):
    shares = np.array([[0.5, 0.25, 0.125], [0.5, 0.3, 0.2]])
    display = VolumeDisplay.from_curves([1, 2, 3], {"gravity": np.log(shares)}, unit=unit)
    curve, promised, halved = (line.get_ydata() for line in display.ax_.lines)
    np.testing.assert_allclose(curve, np.log(shares).mean(axis=0) / np.log(base))
    np.testing.assert_allclose(base**promised, [0.5, 0.5 * (1 - 1 / np.e) ** 2])
    np.testing.assert_allclose(base**halved, [0.5, 0.125])
    names = [text.get_text() for text in display.text_]
    assert names == ["gravity", "at most 1 − 1/e stays", "half stays"]


def test_volumes_without_guides_and_with_wrong_numbers():
    display = VolumeDisplay([0, 1], {"a": [0.0, -1.0]}).plot(guides=False, title="mine")
    assert len(display.ax_.lines) == 1
    assert display.ax_.get_title(loc="left") == "mine"
    for wrong in ([0.5, 0.25], [0.0, -np.inf]):
        with pytest.raises(ValueError, match="expected logarithms of shares"):
            VolumeDisplay([0, 1], {"a": wrong})


@pytest.mark.parametrize("display", [LearningCurveDisplay, VolumeDisplay])
def test_nine_and_even_twenty_curves_can_be_told_apart(display):
    names = [f"rule {i}" for i in range(20)]
    drawn = display([0, 1, 2], {name: [-3.0, -4.0, -5.0] for name in names}).plot()
    lines = drawn.ax_.get_lines()[:20]
    looks = {(to_hex(line.get_color()), str(line._unscaled_dash_pattern)) for line in lines}
    assert len(looks) == 20
    assert len({to_hex(line.get_color()) for line in lines[:9]}) == 9
    assert [line.get_linestyle() for line in lines[:6]] == ["-"] * 5 + ["--"]
    assert [to_hex(text.get_color()) for text in drawn.text_[:9]] == [
        to_hex(line.get_color()) for line in lines[:9]
    ]


@pytest.mark.parametrize("display", [LearningCurveDisplay, VolumeDisplay])
@pytest.mark.parametrize("last", [1, 2, 3, 7])
def test_there_are_no_half_labels(display, last):
    labels = np.arange(last + 1)
    drawn = display(labels, {"gravity": -0.5 * labels}).plot()
    ticks = drawn.ax_.get_xticks()
    np.testing.assert_array_equal(ticks, ticks.round())
