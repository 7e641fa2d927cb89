"""The page as text: escaping, completeness, independence from everything outside it."""

import re
from dataclasses import replace
from importlib.resources import files

import matplotlib as mpl
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.report.reader import Reader
from tests.report.samples import NASTY, make_results
from uneven.cli.resulttables import ranking_table
from uneven.metrics import confusion_norm
from uneven.plots import drawing as palette
from uneven.report import render_report, write_report
from uneven.report.charts import fold_strip, line_chart, nice_ticks, thin
from uneven.report.markup import Markup, tag, text
from uneven.report.matrix import ConfusionPicture

SECTIONS = ["ranking", "classes", "confusion", "training", "views", "voices", "data", "reproduce"]


CASES = {
    "usual": {},
    "many": {"n_classes": 26, "n_methods": 12, "n_views": 6, "failed": True},
    "nasty": {"n_classes": 6, "n_views": 1, "nasty": True, "failed": True},
    "nasty views": {"n_classes": 5, "n_views": 5, "nasty": True},
    "small": {"n_classes": 2, "n_methods": 1, "n_views": 1},
}


@pytest.mark.parametrize("case", CASES)
def test_page_is_whole_and_well_nested(case):
    results = make_results(**CASES[case])
    reader = Reader.read(render_report(results))
    ids = [a["id"] for name, a in reader.elements if name == "section"]
    assert ids == [key for key in SECTIONS if key != "views" or results.views]
    all_ids = [a["id"] for _, a in reader.elements if "id" in a]
    assert len(set(all_ids)) == len(all_ids)
    matrices = [a for name, a in reader.elements if name == "svg" and a["class"] == "matrix"]
    assert len(matrices) == len(results.methods)
    for name, attributes in reader.elements:
        if name == "svg":
            assert attributes["role"] == "img"
            assert attributes["aria-label"]


def test_names_from_outside_are_text_and_never_markup():
    reader = Reader.read(render_report(make_results(6, nasty=True, failed=True)))
    assert sum(name == "script" for name, _ in reader.elements) == 1
    assert not any(name == "b" and "x" in str(a) for name, a in reader.elements)
    joined = " ".join(reader.texts)
    for name in NASTY:
        assert name in joined


def test_page_asks_for_nothing_outside_itself():
    page = render_report(make_results())
    assert "http://" not in page
    assert "https://" not in page
    reader = Reader.read(page)
    for _, attributes in reader.elements:
        for key in ("src", "href", "xlink:href", "action"):
            assert attributes.get(key, "#").startswith(("#", "data:"))
    policy = [a["content"] for _, a in reader.elements if "http-equiv" in a]
    assert policy[0].startswith("default-src 'none';")
    assert "@import" not in page
    assert "url(" not in page


def test_ranking_lists_methods_best_first_with_mean_and_spread():
    results = make_results(failed=True)
    page = render_report(results)
    order = re.findall(r'data-method="([^"]+)"', page)
    assert order == [m.name for m in results.ranked()]
    best = results.winner
    assert f"<b>{best.mean('confusion_norm'):.3f}</b>" in page
    assert f"± {best.spread('confusion_norm'):.3f}" in page


def test_ties_are_all_marked_as_best():
    results = make_results()
    twin = replace(results.winner, name="twin", label="Twin")
    page = render_report(replace(results, methods=[*results.methods, twin]))
    assert page.count(f"<b>{twin.mean('confusion_norm'):.3f}</b>") == 2
    table = ranking_table(replace(results, methods=[*results.methods, twin]))
    assert sum(str(cell).startswith("*") for cell in table.columns[1].cells) == 2


def test_a_failed_fit_is_told_with_its_error():
    page = render_report(make_results(failed=True))
    assert "1 failed" in page
    assert "ValueError: Input contains NaN &lt;and more&gt;." in page
    assert "fold 2" in page
    assert "Some fits failed" not in render_report(make_results())


def test_sections_without_content_are_left_out():
    results = make_results(n_methods=5)
    for method in results.methods:
        method.curves.clear()
    page = render_report(results)
    assert 'id="training"' not in page
    assert 'href="#training"' not in page


def test_views_are_shown_with_their_remarks_recalls_and_pairs():
    results = make_results(4, 2, 3)
    results.data.class_counts[:] = [5, 20, 1, 10]
    page = render_report(results)
    part = page[page.index('id="views"') : page.index('id="voices"')]
    texts = " ".join(Reader.read(f"<section {part[: part.rindex('<section')]}").texts)
    for view in results.views:
        assert view.remark in texts
    assert ">strong</span>" in part
    assert ">absent</span>" in part
    first, *_ = re.findall(r'<tr><th scope="row">.*?</tr>', part)
    shown = [float(v) for v in re.findall(r'class="heat"[^>]*data-value="([^"]*)"', first)]
    expected = [results.views[0].recalls[c] for c in (1, 3, 0, 2)]
    np.testing.assert_allclose(shown, expected, rtol=1e-5)
    pairs = part[part.index("Which views fail together") : part.index("Errors corrected by views")]
    values = re.findall(r'class="heat"[^>]*data-value="([^"]*)"', pairs)
    assert len(values) == 6
    assert float(values[0]) == results.views[0].redundancy[1]
    helps = re.findall(r'data-value="([^"]*)"', part[part.index("Errors corrected by views") :])
    assert float(helps[2]) == results.views[1].rescue[0]


def test_norm_of_the_picture_is_the_norm_of_the_answers():
    rng = np.random.default_rng(0)
    truth, answer = rng.integers(4, size=200), rng.integers(4, size=200)
    counts = np.zeros((4, 4))
    np.add.at(counts, (truth, answer), 1)
    picture = ConfusionPicture(counts, list("abcd"))
    assert picture.norm == pytest.approx(confusion_norm(truth, answer))
    row, column, rate = picture.largest
    assert rate == pytest.approx(picture.errors.max())
    assert counts[row, column] / counts[row].sum() == pytest.approx(rate)


def test_classes_stand_from_the_largest_to_the_smallest():
    results = make_results(4, 2, 1)
    results.data.class_counts[:] = [5, 20, 1, 10]
    page = render_report(results)
    matrix = page[page.index('class="matrix"') :].partition("</svg>")[0]
    names = re.findall(r'class="row-name">([^<]+)<', matrix)
    assert names == ["digit 1", "digit 3", "digit 0", "digit 2"]
    told = dict(re.findall(r"<title>(digit \d) predicted as \1: (\d+)", matrix))
    assert int(told["digit 3"]) == results.winner.confusion[3][3]
    table = page[page.index('id="classes"') : page.index('id="confusion"')]
    assert re.findall(r'title="(digit \d)"', table) == names


def test_hovering_over_a_cell_tells_its_count():
    svg = ConfusionPicture([[1234, 3], [0, 5]], ["a", "b<"]).svg(0.5, "label")
    assert "<title>a predicted as b&lt;: 3 (&lt;1 %)</title>" in svg
    assert "b&lt; predicted as a" not in svg


def test_write_report_replaces_the_file_and_leaves_nothing_else(tmp_path):
    target = tmp_path / "report.html"
    target.write_text("old")
    assert write_report(make_results(2, 1, 1), target) == target
    assert target.read_text(encoding="utf-8").startswith("<!doctype html>")
    assert [p.name for p in tmp_path.iterdir()] == ["report.html"]


def test_a_failed_write_keeps_the_old_file(tmp_path, monkeypatch):
    target = tmp_path / "report.html"
    target.write_text("old")
    monkeypatch.setattr("os.replace", lambda *_: (_ for _ in ()).throw(OSError("disk full")))
    with pytest.raises(OSError, match="disk full"):
        write_report(make_results(2, 1, 1), target)
    monkeypatch.undo()
    assert target.read_text() == "old"
    assert [p.name for p in tmp_path.iterdir()] == ["report.html"]


@given(st.text())
def test_any_text_survives_as_text(raw):
    reader = Reader.read(tag("p", raw, title=raw))
    assert [name for name, _ in reader.elements] == ["p"]
    text(raw).encode("utf-8")
    readable = raw.isprintable()
    assert not readable or "".join(reader.texts) == raw


def test_surrogates_of_undecodable_file_names_can_be_written(tmp_path):
    results = make_results(2, 1, 1)
    object.__setattr__(results, "title", "bad \udcff name")
    assert "bad \ufffd name" in write_report(results, tmp_path / "r.html").read_text("utf-8")


def test_markup_passes_and_none_is_left_out():
    assert (
        tag("p", Markup("<b>"), None, ["<", 1], hidden=True, lang=None) == "<p hidden><b>&lt;1</p>"
    )


@given(st.floats(-1e3, 1e3), st.floats(1e-3, 1e3))
def test_ticks_are_inside_and_evenly_spaced(low, width):
    ticks = nice_ticks(low, low + width)
    assert 2 <= len(ticks) <= 6
    slack = 1e-6 * (abs(low) + width)
    assert all(low - slack <= tick <= low + width + slack for tick in ticks)
    steps = np.diff(ticks)
    np.testing.assert_allclose(steps, steps[0], rtol=1e-3)


@given(st.lists(st.floats(-5, 5), min_size=1, max_size=80), st.integers(1, 30))
def test_thinned_lines_keep_the_total(values, points):
    pairs = thin(values, points)
    assert len(pairs) == min(points, len(values))
    if len(values) % len(pairs) == 0:
        assert np.mean([y for _, y in pairs]) == pytest.approx(np.mean(values), abs=1e-9)


def test_strip_shows_each_finite_fold_inside_its_frame():
    strip = fold_strip([0.2, float("nan"), 0.4, 9.0], 0.0, 1.0, "folds")
    places = [float(x) for x in re.findall(r'cx="([^"]+)"', strip)]
    assert len(places) == 3
    assert all(0 < x < 150 for x in places)
    assert places == sorted(places)


def test_line_chart_of_nothing_is_nothing():
    assert line_chart([("a", [float("nan")], "s0")], title="t") == ""


def test_page_and_pictures_share_their_colours():
    css = files("uneven.report").joinpath("page.css").read_text()
    light = css[: css.index("@media")]
    named = dict(re.findall(r"--([\w]+): (#[0-9a-f]{6})", light))
    assert (named["ink"], named["blue"], named["orange"]) == (
        palette.INK,
        palette.BLUE,
        palette.ORANGE,
    )
    assert tuple(named[f"s{i}"] for i in range(6)) == palette.SERIES


def luminance(colour):
    rgb = np.asarray(mpl.colors.to_rgb(colour))
    linear = np.where(rgb <= 0.04045, rgb / 12.92, ((rgb + 0.055) / 1.055) ** 2.4)
    return linear @ [0.2126, 0.7152, 0.0722]


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_words_have_contrast_in_both_themes(theme):
    css = files("uneven.report").joinpath("page.css").read_text()
    head, tail = css.split("@media (prefers-color-scheme: dark)", 1)
    block = head if theme == "light" else tail[: tail.index("}")]
    colour = dict(re.findall(r"--([\w]+): (#[0-9a-f]{6})", block))
    tint = float(re.search(r"--tint: (\d+)%", block)[1]) / 100
    deepest = tint * np.asarray(mpl.colors.to_rgb(colour["blue"]))
    deepest = deepest + (1 - tint) * np.asarray(mpl.colors.to_rgb(colour["surface"]))
    texts, grounds = ("ink", "muted", "blue", "orange"), ("paper", "surface", "chosen", "warm")
    pairs = [(colour[a], colour[b]) for a in texts for b in grounds]
    for front, back in [*pairs, (colour["ink"], deepest)]:
        low, high = sorted([luminance(front), luminance(back)])
        assert (high + 0.05) / (low + 0.05) >= 4.5, (front, back)
