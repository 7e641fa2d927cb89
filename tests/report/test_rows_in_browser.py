"""Rows, filters, slider, menus and downloads of the page, tried as a reader does."""

import csv
import io

import numpy as np
import pytest

from tests.report.samples import HOSTILE, make_compared

pytestmark = pytest.mark.slow


def csv_of(page, selector):
    """Rows of the table that a button downloads."""
    with page.expect_download() as waiting:
        page.locator(selector).first.click()
    with open(waiting.value.path(), encoding="utf-8-sig", newline="") as file:
        return waiting.value.suggested_filename, list(csv.reader(io.StringIO(file.read())))


def choose(page, **wanted):
    """Set menus of the list of rows by what they show."""
    for name, label in wanted.items():
        page.locator(f"#row-controls select[name={name}]").select_option(label=label)


def listed(page):
    """Row number, label and answer of the rows that are shown."""
    lines = page.locator("#row-table tbody tr").all()
    return [
        [line.locator("th, td").nth(j).inner_text().strip("▸ ") for j in range(3)] for line in lines
    ]


@pytest.fixture(scope="module")
def found():
    return make_compared()


def cell_of(found, truth, answer):
    """Numbers of the rows of a cell of the best method's matrix."""
    held, best = found.held_out, found.best_
    classes = list(held.classes)
    here = (held.truth == classes.index(truth)) & (held.answers[best] == classes.index(answer))
    return set(held.numbers[here].tolist())


def test_a_click_on_a_cell_lists_its_rows(visit, found):
    page = visit("rows")
    expected = cell_of(found, "common", "seldom")
    assert expected
    page.locator("figure").first.locator('[data-cell="0 1"]').click()
    assert page.locator("#row-said").inner_text().startswith(f"{len(expected)} row")
    shown = listed(page)
    assert {int(number) for number, _, _ in shown} <= expected
    assert len(shown) == min(len(expected), 20)
    assert {(label, answer) for _, label, answer in shown} == {("common", "seldom")}
    assert page.evaluate("document.activeElement.id") == "row-said"


def test_cells_are_reached_and_opened_by_keys(visit, found):
    page = visit("rows")
    first = page.locator("figure").first
    assert first.locator("[data-cell][tabindex='0']").count() == 1
    first.locator('[data-cell="0 0"]').focus()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowRight")
    at = page.evaluate("document.activeElement.dataset.cell")
    truth, answer = [["common", "seldom", "rare"][int(c)] for c in at.split()]
    page.keyboard.press("Enter")
    assert {tuple(row[1:]) for row in listed(page)} == {(truth, answer)}
    assert len(listed(page)) == min(20, len(cell_of(found, truth, answer)))


def test_lists_and_filters_hold_what_they_say(visit, found):
    page = visit("rows")
    held = found.held_out
    for place, name in enumerate(held.answers):
        choose(page, method=found.methods[[m.name for m in found.methods].index(name)].label)
        wrong = int((held.answers[name] != held.truth).sum())
        assert page.locator("#row-said").inner_text().startswith(f"{wrong} mistakes of {name}")
        assert all(label != answer for _, label, answer in listed(page)), place
    choose(page, truth="rare")
    assert {label for _, label, _ in listed(page)} == {"rare"}
    choose(page, truth="any", answer="rare")
    assert {answer for _, _, answer in listed(page)} == {"rare"}
    page.get_by_text("All rows", exact=True).click()
    choose(page, answer="any")
    assert page.locator("#row-said").inner_text().startswith(f"{len(held.truth)} rows of")
    assert page.locator("#row-table tbody tr").count() == 20
    page.locator("#row-more").click()
    assert page.locator("#row-table tbody tr").count() == 40


def test_surest_mistakes_come_first(visit, found):
    page = visit("rows")
    held, best = found.held_out, found.best_
    scores, answers, rows = held.scores[best], held.answers[best], np.arange(len(held.truth))
    above = scores[rows, answers] - scores[rows, held.truth]
    wrong = answers != held.truth
    most = set(held.numbers[wrong & (above >= above[wrong].max() - 1e-3)].tolist())
    assert int(listed(page)[0][0]) in most


def test_labels_that_look_wrong_name_a_likely_class(visit):
    page = visit("rows")
    page.get_by_text("Labels that look wrong", exact=True).click()
    heads = page.locator("#row-table thead th").all_inner_texts()
    assert heads[:4] == ["row", "label", "likely", "doubt"]
    lines = page.evaluate(
        "[...document.querySelectorAll('#row-table tbody tr')]"
        ".map(r => [...r.cells].map(c => c.textContent))"
    )
    doubts = [float(line[3].strip(" %")) for line in lines]
    assert len(lines) > 2
    assert doubts == sorted(doubts, reverse=True)
    assert all(line[1] != line[2] for line in lines)


def test_a_row_opens_to_what_every_method_said(visit, found):
    page = visit("rows")
    page.locator(".opener").first.focus()
    page.keyboard.press("Enter")
    said = page.locator(".opinions li").all_inner_texts()
    assert [line.partition(":")[0] for line in said] == [m.label for m in found.ranked()]
    page.keyboard.press("Enter")
    assert page.locator(".opinions").count() == 0


def test_rows_are_sorted_and_downloaded(visit, found):
    page = visit("rows")
    page.get_by_text("All rows", exact=True).click()
    page.locator("#row-table thead button", has_text="weight").click()
    name, lines = csv_of(page, "#row-csv")
    assert name == "rows.csv"
    head, *body = lines
    assert len(body) == len(found.held_out.truth)
    weights = [float(line[head.index("weight")]) for line in body if line[head.index("weight")]]
    assert weights == sorted(weights)
    assert [line[head.index("weight")] for line in body[-5:]] == [""] * 5
    problem = found.refit_plan.problem
    for line in body[:5]:
        given = problem.given_table.iloc[int(line[0]) - 1]
        assert line[head.index("colour")] == given["colour"]
        assert line[head.index("when")] == str(given["when"].date())


def test_every_table_is_downloaded_with_plain_numbers(visit, found):
    page = visit("rows")
    tables = page.locator("main table:not(.live)").count()
    assert page.locator("main .csv").count() >= tables
    name, (head, *body) = csv_of(page, "#ranking .csv")
    assert name == "ranking.csv"
    assert head[2].startswith("confusion norm")
    assert not any("folds" in title for title in head)  # a column of drawings
    assert {len(line) for line in body} == {len(head)}
    best = found.ranked()[0]
    assert body[0][1] == best.label
    assert float(body[0][2]) == pytest.approx(best.mean("confusion_norm"), rel=1e-6)
    assert {"guess" for line in body if "frequent" in line[1].lower()} <= {"guess"}


def test_the_menu_shows_another_method(visit, found):
    page = visit("rows")
    shown = "[...document.querySelectorAll('.pair > .matrices figure')].map(f => f.dataset.label)"
    labels = [m.label for m in found.ranked()]
    assert page.evaluate(shown) == labels[:2]
    page.locator(".pair select").nth(1).select_option(label=labels[2])
    assert page.evaluate(shown) == [labels[0], labels[2]]
    page.locator(".pair select").nth(0).select_option(label=labels[2])
    assert page.evaluate(shown) == [labels[2]]


def test_the_slider_trades_recalls(visit, found):
    page = visit("rows")
    slider = page.locator("#trade-controls input")
    figures = "[...document.querySelectorAll('#trade-figures dd')].map(d => d.firstChild.data)"
    own, accuracy, worst, norm = page.evaluate(figures)
    matrix = found.confusions[found.best_].loc[["common", "seldom", "rare"]].to_numpy()
    recalls = found.ranked()[0].recalls()
    rare = list(found.classes).index("rare")
    assert own == f"{round(100 * recalls[rare])} %"
    assert accuracy == f"{100 * found.truth.eq(found.predictions[found.best_]).mean():.1f} %"
    assert worst == f"{round(100 * min(recalls))} %"
    assert 0.0 < float(norm) < 2.0
    slider.focus()
    page.keyboard.press("End")
    assert page.evaluate(figures)[0] == "100 %"
    assert page.evaluate(figures)[1] < accuracy
    page.keyboard.press("Home")
    assert page.evaluate(figures)[0] == "0 %"
    page.locator("#trade-controls button").click()
    assert page.evaluate(figures) == [own, accuracy, worst, norm]
    page.locator("#trade-controls select[name=class]").select_option(label="common")
    common = list(found.classes).index("common")
    assert page.evaluate(figures)[0] == f"{round(100 * recalls[common])} %"
    assert matrix.sum() == len(found.truth)


def test_the_slider_leaves_out_a_class_of_which_no_row_was_held_out(visit):
    page = visit("single")
    menu = page.locator("#trade-controls select[name=class]")
    assert menu.locator("option").all_inner_texts() == ["common", "seldom", "rare"]
    assert menu.locator("option:checked").inner_text() == "rare"
    recalls = page.locator("#trade-recalls tbody tr")
    assert recalls.nth(3).inner_text().split() == ["single", "–"]
    worst = page.locator("#trade-figures div", has_text="worst recall").locator("dd").inner_text()
    known = [int(recalls.nth(j).locator("td").first.inner_text()[:-2]) for j in range(3)]
    assert worst.startswith(f"{min(known)} %")


def test_the_slider_is_moved_by_a_finger_on_a_phone(visit):
    page = visit("rows", width=375)
    page.locator("nav a", has_text="Trade-off").click()
    slider = page.locator("#trade-controls input")
    slider.scroll_into_view_if_needed()
    box = slider.bounding_box()
    assert box["x"] >= 0.0
    assert box["x"] + box["width"] <= 375
    assert box["width"] >= 120
    assert box["height"] >= 24
    recall = "parseInt(document.querySelector('#trade-figures dd').firstChild.data)"
    found = []
    for share in (0.02, 0.98):
        page.mouse.click(box["x"] + share * box["width"], box["y"] + box["height"] / 2)
        found.append(page.evaluate(recall))
    assert found == [0, 100]
    assert page.evaluate("document.documentElement.scrollWidth") <= 375


def test_charts_are_saved_as_pictures(visit):
    page = visit("rows")
    with page.expect_download() as waiting:
        page.locator("#confusion .png").first.click()
    assert waiting.value.suggested_filename == "confusion-bayes.png"
    with open(waiting.value.path(), "rb") as file:
        assert file.read(8) == b"\x89PNG\r\n\x1a\n"


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_rows_fit_a_phone(visit, theme):
    page = visit("rows", width=375, theme=theme)
    assert page.evaluate("document.documentElement.scrollHeight") < 4000
    assert not page.locator("#rows details.fold").evaluate("fold => fold.open")
    page.locator("nav a", has_text="Confusion").click()
    page.locator("figure").first.locator('[data-cell="0 0"]').click()
    assert page.locator("#rows details.fold").evaluate("fold => fold.open")
    page.locator(".opener").first.click()
    for box in ("document.documentElement", "document.body"):
        assert page.evaluate(f"{box}.scrollWidth") <= 375
    assert page.evaluate("document.querySelector('#row-table').closest('.wide').scrollWidth") > 375
    assert page.evaluate("document.documentElement.scrollHeight") < 9000


def test_hostile_cells_are_text(visit):
    page = visit("hostile")
    page.get_by_text("All rows", exact=True).click()
    page.locator("#row-table thead button", has_text="row").click()
    cells = page.locator("#row-table tbody tr td:last-child .cell")
    for place, raw in enumerate(HOSTILE):
        shown = cells.nth(place).text_content()
        plain = " ".join(raw.split())
        assert shown == (plain if len(plain) <= 200 else plain[:199] + "…")
        assert page.evaluate("e => e.children.length", cells.nth(place).element_handle()) == 0
    assert page.title() != "broken"
    assert page.locator("th b").count() == 0
    assert page.evaluate("document.documentElement.scrollWidth") <= 1280
    _, (head, *body) = csv_of(page, "#row-csv")
    formula = [line[head.index("note <b>")] for line in body if "HYPERLINK" in line[-1]]
    assert formula == ["'=HYPERLINK(1)"]


def test_no_other_script_may_run(visit):
    page = visit("usual")
    policy = page.locator("meta[http-equiv]").get_attribute("content")
    assert "unsafe-inline" not in policy.partition("script-src")[2].partition(";")[0]
