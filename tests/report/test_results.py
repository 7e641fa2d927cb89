"""The plain data of a comparison: checks, ranking, JSON, verdict."""

import json
import math
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.report.samples import make_results
from uneven.comparison import (
    Comparison,
    DataSummary,
    FoldError,
    Measure,
    MethodResult,
    Share,
)
from uneven.comparison.summaries import mean, spread
from uneven.report.outcome import leaders, verdict

scores = st.lists(st.floats(-2, 2) | st.just(math.nan), min_size=3, max_size=3)


def small(*methods, greater=True, folds=3):
    return Comparison(
        title="T",
        created="2025-01-01",
        command="uneven compare t.csv",
        versions={},
        seed=0,
        data=DataSummary("t.csv", "y", 4, 1, ["a", "b"], [3, 1]),
        metric="m",
        measures=[Measure("m", "the measure", greater)],
        folds=folds,
        repeats=1,
        methods=list(methods),
    )


def method(name, values, kind="baseline", **more):
    return MethodResult(name, name.upper(), kind, {"m": values}, [[3, 0], [1, 0]], **more)


@pytest.mark.parametrize("arguments", [{}, {"nasty": True, "failed": True}, {"n_classes": 2}])
def test_json_round_trip(arguments):
    results = make_results(**arguments)
    text = results.to_json()
    json.loads(text, parse_constant=lambda word: pytest.fail(f"{word} is not JSON"))
    again = Comparison.from_json(text)
    assert again.to_json() == text
    assert again.methods[0].view_share == results.methods[0].view_share
    assert again.methods[-1].errors == results.methods[-1].errors
    assert len(again.views) == len(results.views)
    assert all(a.recalls == b.recalls for a, b in zip(again.views[:-1], results.views[:-1]))
    assert all(math.isnan(value) for view in again.views[-1:] for value in view.recalls)
    assert json.loads(text)["best"] == results.winner.name


def test_missing_scores_come_back_as_nan():
    again = Comparison.from_json(small(method("a", [1.0, math.nan, 2.0])).to_json())
    assert math.isnan(again.methods[0].scores["m"][1])
    assert again.methods[0].scores["m"][2] == 2.0


def test_a_view_needs_as_many_numbers_as_there_are_classes_and_views():
    results = make_results(3, 1, 2)
    short = replace(results.views[0], recalls=[0.5])
    with pytest.raises(ValueError, match=r"'rows' needs 3 recalls and 2 redundancies, got 1 and 2"):
        replace(results, views=[short, results.views[1]])
    with pytest.raises(ValueError, match="got 3 and 2"):
        replace(results, views=results.views[:1])


def test_another_schema_is_refused():
    raw = small(method("a", [1, 2, 3])).to_dict() | {"schema": 99}
    with pytest.raises(ValueError, match=r"schema 99.*run the comparison again"):
        Comparison.from_dict(raw)


@given(st.lists(scores, min_size=1, max_size=6), st.booleans())
def test_ranking_is_by_mean_with_failed_methods_last(all_scores, greater):
    results = small(*(method(f"m{i}", s) for i, s in enumerate(all_scores)), greater=greater)
    ranked = results.ranked()
    assert sorted(m.name for m in ranked) == sorted(m.name for m in results.methods)
    incomplete = [any(map(math.isnan, m.scores["m"])) for m in ranked]
    assert incomplete == sorted(incomplete)
    means = [m.mean("m") for m, failed in zip(ranked, incomplete) if not failed]
    assert means == sorted(means, reverse=greater)


def test_ties_are_broken_by_the_smaller_spread():
    results = small(method("wild", [0.0, 1.0, 2.0]), method("calm", [1.0, 1.0, 1.0]))
    assert results.winner.name == "calm"


def test_a_method_with_a_failed_fold_stands_behind():
    failed = method("lucky", [math.nan, 9.0, 9.0], errors=[FoldError(0, "boom")])
    assert [m.name for m in small(failed, method("plain", [1, 1, 1])).ranked()] == [
        "plain",
        "lucky",
    ]


def test_averages_skip_what_failed():
    assert mean([1.0, math.nan, 3.0]) == 2.0
    assert spread([1.0, math.nan, 3.0]) == pytest.approx(math.sqrt(2))
    assert math.isnan(spread([1.0]))
    assert math.isnan(mean([]))


def test_recalls_of_a_class_without_rows():
    one = replace(method("a", [1, 1, 1]), confusion=[[3, 1], [0, 0]])
    assert one.recalls()[0] == 0.75
    assert math.isnan(one.recalls()[1])


def test_wrong_shapes_are_refused():
    with pytest.raises(ValueError, match=r"2 values of 'm'.*= 3"):
        small(method("a", [1, 2]))
    with pytest.raises(ValueError, match="must be 2 x 2"):
        small(replace(method("a", [1, 2, 3]), confusion=[[1]]))
    with pytest.raises(ValueError, match="must differ"):
        small(method("a", [1, 2, 3]), method("a", [1, 2, 3]))
    with pytest.raises(ValueError, match=r"unknown measure 'n'.*hold: m"):
        small(method("a", [1, 2, 3])).ranked("n")
    with pytest.raises(ValueError, match="kind of method 'a' is 'mine'"):
        method("a", [1], kind="mine")
    with pytest.raises(ValueError, match="3 classes but 1"):
        DataSummary("t", "y", 1, 1, ["a", "b", "c"], [1])
    with pytest.raises(ValueError, match="1 names but 2 rows"):
        Share(["a"], [[1.0], [0.0]])
    with pytest.raises(ValueError, match="no method"):
        small().winner  # noqa: B018


def test_imbalance_ratio_ignores_empty_classes():
    assert DataSummary("t", "y", 9, 1, ["a", "b", "c"], [8, 2, 0]).imbalance_ratio == 4


def test_verdict_of_a_clear_win():
    told = verdict(small(method("ours", [0.7, 0.8, 0.9], "ours"), method("base", [0.5, 0.6, 0.7])))
    assert told.best.name == "ours"
    assert told.rival is not None
    assert told.gain == pytest.approx(0.2)
    assert told.noise == pytest.approx(0.0, abs=1e-12)
    assert (told.wins, told.fits, told.clear) == (3, 3, True)
    assert "OURS has the highest the measure: 0.800 ± 0.100." in told.sentence
    assert "0.200 above the best baseline, BASE (0.600)" in told.detail
    assert "the difference is significant (p < 0.001" in told.detail


def test_verdict_of_an_unclear_win_and_of_a_baseline():
    told = verdict(
        small(
            method("ours", [0.5, 0.3, 0.4], "ours"), method("base", [0.1, 0.6, 0.1]), greater=False
        )
    )
    assert told.best.name == "base"
    assert told.clear is False
    assert "lowest" in told.detail
    assert "below the best method of uneven, OURS" in told.detail
    assert "better in 2 of 3 folds" in told.detail
    assert "equally good" in told.detail


def test_verdict_pairs_only_folds_that_both_finished():
    lame = method("base", [0.5, math.nan, 0.7])
    told = verdict(small(method("ours", [0.7, 0.8, 0.9], "ours"), lame))
    assert told.fits == 2


def test_verdict_with_one_method_no_scores_or_one_fold():
    alone = verdict(small(method("ours", [0.7, 0.8, 0.9], "ours")))
    assert alone.rival is None
    assert "chance" not in alone.detail
    none = verdict(small(method("ours", [math.nan] * 3, "ours")))
    assert none.headline.startswith("No method has a the measure")
    one = small(method("a", [0.9], "ours"), method("b", [0.8]), folds=1)
    assert "one fold is too few" in verdict(one).detail
    level = verdict(small(method("a", [0.9] * 3, "ours"), method("b", [0.9] * 3)))
    assert "tied with" in level.detail


def test_everybody_who_is_level_with_the_best_leads():
    tied = [method("a", [0.1, 0.2, 0.3]), method("b", [0.3, 0.2, 0.1]), method("c", [0.2] * 3)]
    results = small(*tied, method("d", [0.1] * 3))
    assert {m.name for m in leaders(results, "m")} == {"a", "b", "c"}
    broken = replace(method("e", [0.2, math.nan, 0.2]), errors=[FoldError(1, "no")])
    assert [m.name for m in leaders(small(tied[0], broken), "m")] == ["a"]
    none = method("f", [math.nan] * 3)
    assert [m.name for m in leaders(small(none, method("g", [math.nan] * 3)), "m")] == ["f"]
