"""What the page knows about rows: which ones it carries, their cells, doubts, trades, profiles."""

import json
import re

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse
from sklearn.naive_bayes import BernoulliNB, GaussianNB
from sklearn.pipeline import make_pipeline

from tests.report.reader import Reader
from tests.report.samples import HOSTILE, make_compared
from uneven import compare
from uneven.metrics import matrix_norm
from uneven.report import cells, render_report, rowchoice
from uneven.report.calibration import reliability, reliability_chart
from uneven.report.markup import text
from uneven.report.profile import cramers_v, profile_table, profiles
from uneven.report.rowchoice import choose_rows, keep_rows, ranks_in_cells, row_data
from uneven.report.trade import answer_levels, recall_trade, trade_data


@pytest.fixture(scope="module")
def found():
    return make_compared()


@pytest.fixture(scope="module")
def hostile():
    return make_compared(hostile=True)


def block(page, key):
    """A block of data of a page, as a script reads it."""
    raw = re.search(f'<script type="application/json" id="{key}">(.*?)</script>', page, re.DOTALL)
    return json.loads(raw[1])


def test_the_page_carries_answers_scores_and_cells(found):
    page = render_report(found)
    data, held, best = block(page, "row-data"), found.held_out, found.best_
    order = [found.data.classes.index(name) for name in data["classes"]]
    assert data["number"] == held.numbers.tolist()
    assert [order[c] for c in data["truth"]] == held.truth.tolist()
    assert [order[c] for c in data["answers"][0]] == held.answers[best].tolist()
    said = held.scores[best][np.arange(len(held.truth)), held.answers[best]]
    np.testing.assert_allclose(np.array(data["said"][0]) / 1000, said, atol=6e-4)
    colours = data["cells"][data["columns"].index("colour")]
    shown = [colours["values"][i] for i in colours["at"]]
    assert shown == found.refit_plan.problem.given_table["colour"].tolist()
    assert sum(data["counts"][0]) == len(held.truth)


def test_cells_of_the_data_never_end_a_block(hostile):
    page = render_report(hostile)
    reader = Reader.read(page)
    assert sum(name == "script" for name, _ in reader.elements) == 3
    data = block(page, "row-data")
    notes = data["cells"][data["columns"].index("note <b>")]
    assert notes[0] == HOSTILE[0]
    assert len(notes[2]) == 200
    assert "x" * 300 not in page


def test_a_comparison_from_a_file_has_no_rows(found):
    again = type(found).from_json(found.to_json())
    page = render_report(again)
    assert 'id="rows"' not in page
    assert 'id="trade"' not in page
    assert 'id="confusion"' in page


def test_rows_are_sampled_from_every_cell_and_that_is_said(found, monkeypatch):
    monkeypatch.setattr(rowchoice, "MOST_ROWS", 60)
    kept = keep_rows(found)
    held = found.held_out
    assert len(kept.chosen) == 60
    for name, answers in held.answers.items():
        pairs = held.truth * 3 + answers
        assert set(pairs[kept.chosen]) == set(pairs), name
    assert set(np.argsort(-kept.doubt)[:10]) <= set(kept.chosen)
    page = render_report(found)
    assert "60 of 120 held-out rows" in page


def test_long_and_wide_rows_leave_room_for_fewer(hostile, monkeypatch):
    monkeypatch.setattr(rowchoice, "ROOM", 12_000)
    kept = keep_rows(hostile)
    assert 50 <= len(kept.chosen) < 120
    data = row_data(hostile, kept, hostile.data.by_size())
    assert len(json.dumps(data)) < 1.5 * 12_000
    monkeypatch.setattr(cells, "MOST_COLUMNS", 2)
    data = row_data(hostile, kept, hostile.data.by_size())
    assert data["columns"] == ["size", "weight"]


def test_repeats_list_each_row_once():
    found = make_compared(60, repeats=2)
    data = block(render_report(found), "row-data")
    assert data["number"] == list(range(1, 61))
    assert sum(data["counts"][0]) == 60


def test_doubt_is_what_the_best_methods_leave_to_other_classes(found):
    kept, held = keep_rows(found), found.held_out
    assert kept.probable == [name for name in held.answers if name != "ridge"]
    pooled = np.mean([held.scores[name] for name in kept.probable], axis=0)
    np.testing.assert_allclose(kept.doubt, 1 - pooled[np.arange(120), held.truth])
    assert (kept.likely == pooled.argmax(axis=1)).all()


def test_wrong_labels_are_doubted_first():
    rng = np.random.default_rng(0)
    truth = np.repeat(["a", "b"], [300, 60])
    X = pd.DataFrame({"size": rng.normal(size=360) + 4.0 * (truth == "b")})
    X["weight"] = rng.normal(size=360)
    wrong = rng.choice(360, 12, replace=False)
    y = truth.copy()
    y[wrong] = np.where(truth[wrong] == "a", "b", "a")
    methods = {"bayes": make_pipeline("passthrough", GaussianNB())}
    results = compare(X, y, methods=methods, cv=5, refit=False)
    kept = keep_rows(results)
    first = kept.held.places[np.argsort(-kept.doubt)[:12]]
    assert len(set(first) & set(wrong)) >= 9
    assert kept.wrong.low < 12 < kept.wrong.high < 40
    assert re.search(r"about \d+ of 360 labels are wrong \(\d+ to \d+\)", render_report(results))


@given(st.lists(st.tuples(st.integers(0, 3), st.floats(-1, 1)), min_size=1, max_size=40))
def test_ranks_count_the_surer_rows_of_a_cell(pairs):
    places, sure = np.array([c for c, _ in pairs]), np.array([s for _, s in pairs])
    for place, value, rank in zip(places, sure, ranks_in_cells(places, sure)):
        here = sure[places == place]
        assert (here > value).sum() <= rank < (here >= value).sum()


def test_all_rows_are_kept_if_there_is_room(found):
    held = found.held_out
    assert choose_rows(held, list(held.answers), np.zeros(120), 120).tolist() == list(range(120))
    assert len(choose_rows(held, list(held.answers), np.zeros(120), 7)) == 7


@given(st.integers(0, 10_000))
def test_a_trade_counts_what_it_says(seed):
    rng = np.random.default_rng(seed)
    k = int(rng.integers(2, 5))
    levels, truth = np.log(rng.dirichlet(np.ones(k), 50)), rng.integers(0, k, 50)
    code = int(rng.integers(k))
    trade = recall_trade(levels, truth, code, steps=5)
    assert trade.factors[5] == pytest.approx(1.0)
    assert (np.diff(trade.factors) > 0).all()
    for factor, counts in zip(trade.factors, trade.confusions):
        moved = levels + np.log(factor) * (np.arange(k) == code)
        expected = np.zeros((k, k), dtype=int)
        np.add.at(expected, (truth, moved.argmax(axis=1)), 1)
        assert (counts == expected).all()
    assert (np.diff(trade.confusions[:, code, code]) >= 0).all()


@given(st.integers(0, 10_000))
def test_levels_begin_with_the_answers_of_the_method(seed):
    rng = np.random.default_rng(seed)
    scores, folds = rng.dirichlet([5, 1, 0.5], 80), np.arange(80) % 2
    factors = np.array([[0.2, 1.0, 6.0], [0.4, 1.5, 3.0]])
    answers = (scores * factors[folds]).argmax(axis=1)
    levels = answer_levels(scores, answers, folds)
    assert (levels.argmax(axis=1) == answers).all()
    plain = answer_levels(scores, scores.argmax(axis=1), folds)
    np.testing.assert_allclose(plain, np.log(np.maximum(scores, 1e-6)))


def test_the_middle_of_the_slider_is_the_matrix_of_the_page(found):
    order = found.data.by_size()
    data = trade_data(found, keep_rows(found), order)
    best = found.ranked()[0]
    counts = np.array(best.confusion)
    rates = counts / counts.sum(axis=1, keepdims=True)
    for one in data["methods"][0]["classes"]:
        assert one["norm"][data["zero"]] == round(
            1000 * matrix_norm(rates - np.diag(np.diag(rates)))
        )
        assert one["accuracy"][data["zero"]] == round(1000 * np.trace(counts) / counts.sum())
        assert one["recalls"][data["zero"]] == np.round(1000 * np.diag(rates)[order]).tolist()
    assert [m["label"] for m in data["methods"]] == keep_rows(found).probable
    assert "cost" not in data["methods"][0]["classes"][0]


def test_the_slider_counts_given_costs(found):
    cost = np.array([[0.0, 1.0, 2.0], [30.0, 0.0, 4.0], [5.0, 6.0, 0.0]])
    data = trade_data(found, keep_rows(found), found.data.by_size(), cost)
    spent = (np.array(found.ranked()[0].confusion) * cost).sum() / len(found.truth)
    for one in data["methods"][0]["classes"]:
        assert one["cost"][data["zero"]] == pytest.approx(spent, rel=1e-3)


def test_costs_and_rules_of_a_comparison_stand_beside_the_slider():
    made = make_compared(90, cost=[[0.0, 1.0, 2.0], [30.0, 0.0, 4.0], [5.0, 6.0, 0.0]])
    page = render_report(made)
    data = block(page, "trade-data")
    own = data["methods"][0]["classes"][0]["cost"][data["zero"]]
    assert own == pytest.approx(made.ranked()[0].mean("cost"), rel=0.01)
    part = page[page.index('<section id="trade"') :].partition("</section>")[0]
    assert text(made.ranked()[0].decision.sentence) in part


def test_reliability_of_honest_probabilities_is_on_the_diagonal():
    rng = np.random.default_rng(0)
    said = rng.uniform(0.5, 1.0, 20_000)
    found = reliability(said, rng.random(20_000) < said)
    assert len(found.rows) == 10
    assert found.rows.sum() == 20_000
    np.testing.assert_allclose(found.said, found.right, atol=0.03)
    assert found.error < 0.02
    assert (found.low <= found.right).all()
    assert (found.right <= found.high).all()
    sure = reliability(np.ones(100), rng.random(100) < 0.7)
    assert len(sure.rows) == 1
    assert sure.error == pytest.approx(1.0 - sure.right[0])
    assert reliability(said[:10], said[:10] > 0.7) is None
    ticks = re.findall(r'class="tick-x"[^>]*>(\d+)<', reliability_chart(found, "label"))
    assert ticks == ["0", "50", "100"] or ticks == ["50", "75", "100"]


def test_the_profile_tells_what_columns_hold(found):
    problem = found.refit_plan.problem
    by_name = {p.column.name: p for p in profiles(problem)}
    assert by_name["weight"].missing == pytest.approx(5 / 120)
    assert by_name["colour"].distinct == 3
    assert by_name["colour"].counts.sum(axis=1).tolist() == found.data.class_counts
    assert by_name["size"].association > by_name["colour"].association
    assert by_name["when"].words.startswith("2024-")
    for profile in by_name.values():
        assert profile.counts.sum() == round(120 * (1 - profile.missing))
        assert len(profile.titles) == profile.counts.shape[1]
    table = profile_table(problem, found.data.classes, found.data.by_size())
    Reader.read(table)
    assert table.count("<svg") == 8


def test_cramers_v_of_independent_tables_is_about_zero():
    rng = np.random.default_rng(0)
    values = [cramers_v(rng.multinomial(200, np.ones(12) / 12).reshape(3, 4)) for _ in range(50)]
    assert np.mean(values) < 0.08
    assert np.isnan(cramers_v(np.array([[3, 4]])))


@pytest.mark.parametrize("kind", ["sparse", "array", "tiny"])
def test_odd_tables_make_a_page(kind):
    n = 8 if kind == "tiny" else 60
    X, y = np.random.default_rng(0).random((n, 5)), np.arange(n) % 2
    X[:, 3] = np.nan if kind == "tiny" else 0.5
    table = sparse.csr_matrix(X) if kind == "sparse" else X
    made = compare(table, y, methods={"bayes": BernoulliNB()}, cv=2, refit=False)
    data = row_data(made, keep_rows(made), made.data.by_size())
    assert len(data["number"]) == n
    assert 'id="row-data"' in render_report(made)
