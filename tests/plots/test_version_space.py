"""The picture of a version space."""

from types import SimpleNamespace

import matplotlib as mpl
import numpy as np
import pytest

mpl.use("Agg")

from matplotlib import pyplot as plt

from uneven.plots import VersionSpaceDisplay
from uneven.plots.drawing import name_points
from uneven.plots.version_space_maps import map_of
from uneven.versionspace import VersionSpace


@pytest.fixture(autouse=True)
def _closed_figures():
    before = dict(mpl.rcParams)
    yield
    plt.close("all")
    assert dict(mpl.rcParams) == before, "a display changed matplotlib's settings"


def words(display):
    return [text.get_text() for text in display.text_]


def test_a_sector_says_what_is_left_and_how_candidates_split_it():
    display = VersionSpaceDisplay(
        [[2.0, 0.0], [0.0, 0.5]],
        {"gravity": [0.5, 0.5], "Chebyshev": [0.4, 0.4]},
        candidates={"even": [1.0, -1.0], "useless": [1.0, 1.0]},
    ).plot()
    assert display.share == pytest.approx(0.25)
    assert display.splits == pytest.approx({"even": 0.5, "useless": 1.0})
    assert set(words(display)) == {"gravity", "Chebyshev", "even  50 : 50", "useless  0 : 100"}
    assert display.ax_.get_title(loc="left") == "What 2 labels leave"
    assert "25 % of all directions" in [text.get_text() for text in display.ax_.texts]


def test_a_polygon_splits_by_volume():
    display = VersionSpaceDisplay(np.eye(3), candidates={"x": [2.0, -1.0, 0.0]}).plot()
    angle = np.arctan2(2.0, 1.0)
    assert display.share == pytest.approx(1 / 8)
    assert display.splits["x"] == pytest.approx(angle / (np.pi / 2))
    assert words(display) == [f"x  {100 - 100 * display.splits['x']:.0f} : 70"]


@pytest.mark.parametrize("n_dims", [2, 3])
@pytest.mark.parametrize("n_cuts", [0, 1, 2, 3])
def test_any_number_of_cuts_is_drawn_with_the_space_in_sight(n_dims, n_cuts):
    cuts = np.eye(n_dims)[np.arange(n_cuts) % n_dims]
    middle = np.ones(n_dims) / n_dims
    display = VersionSpaceDisplay(
        cuts, {"one": middle}, samples=[middle], queries=[middle, middle], inscribed=["one"]
    ).plot()
    assert words(display) == ["one"]
    (left, right), (low, high) = display.map.limits
    region = display.map.region()
    assert region[:, 0].min() >= left
    assert region[:, 0].max() <= right
    assert region[:, 1].min() >= low
    assert region[:, 1].max() <= high


def test_a_great_circle_bends_but_never_jumps_across_the_map():
    rng = np.random.default_rng(0)
    chart = map_of(np.eye(3))
    for normal in [np.array([1.0, -1.0, 0.0]) / 2**0.5, *rng.normal(size=(20, 3))]:
        line = chart.line(normal / np.linalg.norm(normal))
        steps = np.linalg.norm(np.diff(line, axis=0), axis=1)
        assert np.nanmax(steps) < 0.2


@pytest.mark.parametrize("n_dims", [2, 3])
def test_the_largest_circle_touches_a_cut_and_crosses_none(n_dims):
    cuts = np.eye(n_dims)
    chart = map_of(cuts)
    centre = np.array([0.5, 0.3, 0.4])[:n_dims]
    ring = chart.ball(centre)
    assert chart.limits[0][0] < ring[:, 0].min()
    if n_dims == 2:
        assert ring.min() == pytest.approx(0.0, abs=1e-4)
        near_rim = chart.ball(np.array([0.6, 0.7]))
        assert np.linalg.norm(near_rim, axis=1).max() == pytest.approx(1.0, abs=1e-4)
    else:
        angle = np.arcsin(0.3 / np.linalg.norm(centre))
        area = 0.5 * abs(np.sum(ring[:-1, 0] * ring[1:, 1] - ring[1:, 0] * ring[:-1, 1]))
        assert area == pytest.approx(2 * np.pi * (1 - np.cos(angle)), rel=1e-3)


def test_points_in_three_dimensions_are_drawn_by_direction_and_paths_as_they_look():
    chart = map_of(np.eye(3))
    a, b = np.array([0.2, 0.1, 0.9]), np.array([0.9, 0.3, 0.1])
    np.testing.assert_allclose(chart.place(np.array([a])), chart.place(np.array([3 * a])))
    path = chart.path(np.array([a, b]))
    halfway = chart.place(np.array([a + b]))[0]
    assert np.linalg.norm(path - halfway, axis=1).min() < 0.02
    np.testing.assert_allclose(path[[0, -1]], chart.place(np.array([a, b])))


def test_thin_spaces_lie_flat():
    thin = np.array([[0.05, 0.0, 1.0], [0.05, 0.0, -1.0], [0.0, 1.0, 0.0], [1.0, -0.5, 0.0]])
    region = map_of(thin / np.linalg.norm(thin, axis=1, keepdims=True)).region()
    width, height = np.ptp(region, axis=0)
    assert width > 4 * height


def test_spaces_bring_their_cuts_and_find_their_centres():
    asked = []

    def centre(name):
        asked.append(name)
        return np.array([0.5, 0.5])

    space = SimpleNamespace(cuts=np.eye(2), centre=centre)
    display = VersionSpaceDisplay.from_space(space, title="mine")
    assert asked == ["gravity", "chebyshev"]
    assert set(words(display)) == {"gravity", "chebyshev"}
    assert display.ax_.get_title(loc="left") == "mine"
    given = VersionSpaceDisplay.from_space(
        space, {"here": [0.1, 0.2]}, samples=np.full((5, 2), 0.1)
    )
    assert words(given) == ["here"]


def test_spaces_that_cannot_be_drawn_are_not_asked_for_centres():
    with pytest.raises(ValueError, match="5 dimensions"):
        VersionSpaceDisplay.from_space(SimpleNamespace(cuts=np.eye(5)))


def test_given_axes_are_used_and_nothing_else_is_opened():
    _, axes = plt.subplots(1, 2)
    display = VersionSpaceDisplay(np.eye(3), {"g": [1.0, 1.0, 1.0]}).plot(axes[1])
    assert display.ax_ is axes[1]
    assert not axes[0].lines
    assert len(plt.get_fignums()) == 1


def test_names_of_near_points_do_not_cover_each_other():
    _, ax = plt.subplots()
    ax.set(xlim=(0, 1), ylim=(0, 1))
    points = np.array([[0.5, 0.5], [0.51, 0.5], [0.5, 0.51], [0.99, 0.5]])
    texts = name_points(ax, points, ["gravity", "Chebyshev", "analytic", "edge"], ["k"] * 4, points)
    ax.figure.canvas.draw()
    boxes = [text.get_window_extent() for text in texts]
    for i, box in enumerate(boxes):
        assert ax.get_window_extent().padded(1).fully_containsx(box.x1)
        for other in boxes[:i]:
            assert not box.overlaps(other)


@pytest.mark.parametrize(
    ("cuts", "more", "says"),
    [
        (np.eye(4), {}, "4 dimensions; only version spaces of 2 or 3"),
        ([1.0, 0.0], {}, r"cuts has shape \(2,\)"),
        ([[np.nan, 1.0]], {}, "cuts holds NaN"),
        ([[1.0, 0.0], [0.0, 0.0]], {}, "row 1 of cuts is zero"),
        ([[1.0, 0.0], [-1.0, 0.0]], {}, "2 cuts leave nothing"),
        ([[1.0, 0.0, 0.0], [-1.0, 0.0, 0.0]], {}, "contradict"),
        (np.eye(2), {"centres": {"g": [1.0, 1.0, 1.0]}}, r"centres\['g'\] has shape \(1, 3\)"),
        (np.eye(2), {"candidates": {"x": [0.0, 0.0]}}, r"candidates\['x'\] is zero"),
        (np.eye(2), {"samples": [[1.0]]}, r"samples has shape \(1, 1\); expected \(n, 2\)"),
        (np.eye(2), {"inscribed": ["no"]}, r"inscribed names \['no'\]"),
    ],
)
def test_what_cannot_be_drawn_is_refused(cuts, more, says):
    with pytest.raises(ValueError, match=says):
        VersionSpaceDisplay(cuts, **more)


def test_a_candidate_that_misses_a_polygon_is_named_only_where_it_can_be_seen():
    cuts = [[1.0, 0.0, -0.2], [0.0, 1.0, -0.2], [-1.0, -1.0, 1.0]]
    beside, behind = [1.0, 0.0, -0.15], VersionSpaceDisplay(cuts).map.frame[2]
    display = VersionSpaceDisplay(cuts, candidates={"beside": beside, "behind": behind}).plot()
    assert display.splits == {"beside": 1.0, "behind": 1.0}
    assert words(display) == ["beside  0 : 100"]
    (name,) = display.text_
    bar = next(text for text in display.ax_.texts if "°" in text.get_text())
    boxes = [text.get_window_extent(display.figure_.canvas.get_renderer()) for text in (name, bar)]
    assert not boxes[0].overlaps(boxes[1])


def test_a_misspelt_centre_is_told_all_centres():
    space = VersionSpace(np.eye(3))
    with pytest.raises(ValueError, match=r"Did you mean 'gravity'\? There are .*'chebyshev'"):
        VersionSpaceDisplay.from_space(space, ["gravty"])
    assert words(VersionSpaceDisplay.from_space(space, "chebyshev")) == ["chebyshev"]
