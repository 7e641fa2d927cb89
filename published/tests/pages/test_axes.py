"""Axes of dot charts and curves: no magnified rounding, no label beyond the edge."""

import re
from itertools import pairwise

import pytest
from published.tests.pages.samples import PAPER, curves_record, measured_by, study

from uneven_published import Exhibit, Measure, Printed, Value, build_record
from uneven_published.pages.blocks import number_blocks
from uneven_published.pages.curves import plot_figure
from uneven_published.pages.dots import LONGEST, WIDTH, dot_charts
from uneven_published.pages.scale import LETTER, Scale


def lone_number(printed, own, digits=4, row="wine", column="A"):
    """Dot chart of one number."""
    exhibit = Exhibit(
        PAPER,
        "Table 1",
        "One number",
        "original",
        studies=(study((row,)),),
        measures=(Measure("m", "measure", None, digits),),
        printed=Printed({(row, column, "m"): Value(printed)}),
    )
    record = build_record(exhibit, measured_by({(row, column, "m"): own}))
    return str(dot_charts(number_blocks(record)[0]))


def places(chart, look):
    return [float(x) for x in re.findall(rf'<circle cx="([\d.]+)"[^>]*class="{look}"', chart)]


def labels(chart):
    """Left end, right end and word of every tick of the x axis."""
    found = re.findall(r'<text x="([\d.]+)"[^>]*class="tick-x">([^<]*)<', chart)
    return [(float(x) - LETTER * len(w) / 2, float(x) + LETTER * len(w) / 2, w) for x, w in found]


def test_rounding_of_the_print_is_not_magnified():
    chart = lone_number(0.6667, [0.66667])
    (ring,), (dot,) = places(chart, "ring"), places(chart, "dot near")
    assert abs(ring - dot) < 25
    apart = lone_number(0.6667, [0.6687])
    (ring,), (dot,) = places(apart, "ring"), places(apart, "dot near")
    assert abs(ring - dot) > 200


def test_a_deviation_of_nothing_has_no_whisker():
    chart = lone_number(0.5, [0.5, 0.5 + 1e-9], digits=3)
    assert "reach" not in chart
    words = [word for _, _, word in labels(chart)]
    assert len(words) > 1
    assert len(set(words)) == len(words)
    assert "reach" in lone_number(0.5, [0.5, 0.502], digits=3)


@pytest.mark.parametrize("printed", [0.66670, 12.34567, 123456.0, -0.5])
@pytest.mark.parametrize("column", ["A", "a long name of a method, with settings"])
def test_labels_stay_inside_and_apart(printed, column):
    found = labels(lone_number(printed, [printed * 1.00004], digits=5, column=column))
    assert found
    assert min(left for left, _, _ in found) >= 0
    assert max(right for _, right, _ in found) <= WIDTH
    ends = sorted(found)
    assert all(right <= left for (_, right, _), (left, _, _) in pairwise(ends))
    assert len({word for _, _, word in found}) == len(found)


def test_names_of_lanes_are_whole_where_there_is_room():
    name = "logistic regression, C = 100"
    assert 18 < len(name) <= LONGEST
    assert f">{name}<" in lone_number(0.5, [0.4], column=name)


def test_ticks_close_together_have_words_of_their_own():
    ticks = Scale.over([12.34567, 12.34569], 0.0, 300.0).ticks()
    assert len({word for _, word in ticks}) == len(ticks) > 1


def test_an_axis_is_as_long_as_asked_and_longer_if_need_be():
    scale = Scale.over([2.0, 2.0], 0.0, 10.0, least=4.0, room=0.0)
    assert (scale.low, scale.high) == (0.0, 4.0)
    scale = Scale.over([0.0, 9.0], 0.0, 10.0, least=4.0, room=0.0)
    assert (scale.low, scale.high) == (0.0, 9.0)


def test_curves_that_differ_by_rounding_look_flat():
    record = curves_record(printed=False, n_columns=1)
    record["values"] = record["values"][:1]
    mean = [0.5 + 1e-6 * (j % 2) for j in range(10)]
    record["values"][0]["measured"] = {"mean": mean, "deviation": [None] * 10, "n": 1}
    path = re.search(r'<polyline points="([^"]+)"', str(plot_figure(record, record["plots"][0])))[1]
    heights = [float(point.split(",")[1]) for point in path.split()]
    assert max(heights) - min(heights) < 1


def test_one_curve_may_be_a_step_among_lines():
    record = curves_record()
    record["plots"][0]["steps"] = ["method 1"]
    figure = str(plot_figure(record, record["plots"][0]))
    for look, points in (("s0", 9), ("s1", 17)):
        lines = re.findall(rf'<polyline points="([^"]+)" class="line {look}', figure)
        assert {len(line.split()) for line in lines} == {points}
