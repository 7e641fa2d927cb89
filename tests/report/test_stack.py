"""The part of the page that shows a stack of the methods."""

import re
from dataclasses import replace

import pytest

from tests.report.samples import make_results, with_stack
from uneven.comparison import Comparison
from uneven.report import render_report
from uneven.report.penalty_path import path_chart
from uneven.report.stack import stack, stack_cost, told_cost


def points(markup, css):
    found = re.search(rf'<poly(?:line|gon)[^>]*points="([^"]+)" class="{css}"', markup)
    return [tuple(map(float, pair.split(","))) for pair in found.group(1).split()]


@pytest.mark.parametrize("arguments", [{}, {"nasty": True}, {"n_classes": 2}])
def test_results_with_a_stack_survive_json(arguments):
    results = with_stack(make_results(**arguments))
    again = Comparison.from_json(results.to_json())
    assert again.stack == results.stack
    assert render_report(again) == render_report(results)
    assert Comparison.from_json(make_results().to_json()).stack is None


def test_kept_and_dropped_methods_are_told_with_their_weights():
    results = with_stack(make_results(6, 4, 1))
    text = stack(results)
    assert "Kept: CoMBo, Gradient boosting. Dropped: AdaBoost.MM, Random forest." in text
    weights = results.stack.weights
    assert text.count('<td class="heat') == 24
    shown = f"{weights[0][0]:.2f}".replace("-", "−")
    assert re.search(rf'data-value="{weights[0][0]:.6g}">{shown}</td>', text)
    negative = sum(value < 0 for row in weights for value in row)
    assert negative > 0
    assert text.count("heat error") == negative
    assert [f"{n} of 5" in text for n in results.stack.kept_folds] == [True] * 4
    assert "the error is 4.0 %" in text


def test_the_cost_is_that_of_the_methods_asked():
    results = with_stack(make_results(3, 4, 1))
    timed = [
        replace(m, predict_seconds=[0.5 if m.name == "stack" else 2.0] * 5) for m in results.methods
    ]
    results = replace(results, methods=timed)
    assert stack_cost(results) == (0.5, 8.0)
    assert "Predicting a fold takes 500 ms; with every method 8.0 s." in stack(results)


@pytest.mark.parametrize("own", [8.0, 9.0, float("nan")])
def test_the_cost_is_left_out_where_nothing_is_saved(own):
    results = with_stack(make_results(3, 4, 1))
    timed = [
        replace(m, predict_seconds=[own if m.name == "stack" else 2.0] * 5) for m in results.methods
    ]
    results = replace(results, methods=timed)
    assert told_cost(results) == ""
    assert "Predicting a fold" not in stack(results)


def test_classes_stand_from_the_largest_to_the_smallest():
    results = with_stack(make_results(3, 2, 1))
    data = replace(results.data, classes=["small", "large", "middle"], class_counts=[5, 80, 15])
    found = replace(results.stack, weights=[[1.0, 2.0, 3.0], [0.0] * 3])
    text = stack(replace(results, data=data, stack=found))
    assert text.index("large") < text.index("middle") < text.index("small")
    assert re.findall(r'data-value="([^"]*)"', text)[:3] == ["2", "3", "1"]


def test_balanced_stacks_say_so():
    results = with_stack(make_results(3, 2, 1))
    assert "same weight" not in stack(results)
    fair = stack(replace(results, stack=replace(results.stack, balanced=True)))
    assert "All classes have the same weight in training" in fair
    assert "on average over the classes." in fair


def test_without_a_stack_there_is_no_section():
    assert stack(make_results()) is None
    assert "Which methods the stack keeps" not in render_report(make_results())
    with pytest.raises(ValueError, match="no stack"):
        stack_cost(make_results())


def test_nobody_dropped_and_a_given_strength():
    results = with_stack(make_results(3, 2, 1))
    full = replace(
        results.stack,
        weights=[[1.0] * 3] * 2,
        strengths=[],
        error_mean=[],
        error_std=[],
        n_selected=[],
    )
    text = stack(replace(results, stack=full))
    assert "None is dropped." in text
    assert "answered wrongly" not in text
    assert "<svg" not in text


def test_the_chart_puts_strengths_on_a_logarithmic_axis():
    chart = path_chart(
        [0.001, 0.1, 1.0],
        [0.04, 0.02, 0.03],
        [0.01, 0.0, float("nan")],
        [4, 2, 0],
        chosen=1,
        n_members=4,
        title="t",
    )
    xs, ys = zip(*points(chart, "line s0"))
    assert xs[1] - xs[0] == pytest.approx(2 * (xs[2] - xs[1]), abs=0.2)
    assert ys[1] > ys[2] > ys[0], "smaller errors stand lower"
    assert len(points(chart, "band")) == 6
    steps = points(chart, "line step")
    assert [y for _, y in steps] == [146.0, 146.0, 173.0, 173.0, 200.0, 200.0]
    assert steps[1][0] == pytest.approx((xs[0] + xs[1]) / 2, abs=0.1)
    assert f'cx="{xs[1]}" cy="{ys[1]}"' in chart
    assert "strength 0.1: 2 of 4 kept" in chart


def test_hopeless_penalties_do_not_flatten_the_chart():
    errors = [0.02, 0.02, 0.9]
    chart = path_chart([0.1, 1, 10], errors, [0] * 3, [1] * 3, chosen=1, n_members=1, title="t")
    ys = [y for _, y in points(chart, "line s0")]
    assert ys[0] < 110, "the small error is seen"
    assert ys[2] < 0, "the large one leaves the panel, whose frame cuts it off"
    assert path_chart([1.0], [0.1], [0.0], [1], chosen=0, n_members=1, title="t") == ""


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ({"members": ["combo", "mumbo"]}, "not compared: .'mumbo'"),
        ({"name": "pile"}, "not compared: .'pile'"),
        ({"weights": [[1.0], [1.0]]}, r"for \[1\] classes; there are 3"),
        ({"weights": [[1.0] * 3]}, "1 rows of weights"),
        ({"kept_folds": [1]}, "1 counts of folds"),
        ({"error_mean": [0.1]}, "one per strength"),
    ],
)
def test_parts_that_do_not_fit_are_refused(changes, says):
    results = with_stack(make_results(3, 2, 1))
    with pytest.raises(ValueError, match=says):
        replace(results, stack=replace(results.stack, **changes))
