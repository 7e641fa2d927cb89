"""The page of an exhibit as text: whole, escaped, independent, and saying what the record says."""

import copy
import re
from base64 import b64decode

import matplotlib as mpl
import pytest

mpl.use("Agg")

from matplotlib import pyplot as plt
from published.tests.pages.samples import (
    NASTY,
    RECORDS,
    curves_record,
    impossible_record,
    matrices_record,
    numbers_exhibit,
    numbers_record,
    odd_record,
    unmeasured_record,
)

from tests.report.reader import Reader
from uneven_published import Significance, build_record
from uneven_published.pages.html import exhibit_page, index_page


def spoken(page):
    """Texts of a page, in one line."""
    return " ".join(" ".join(Reader.read(page).texts).split())


def cells(page, table=0):
    """Texts of the rows of a table of numbers, as lists of cells."""
    found = re.findall(r'<table class="beside">.*?</table>', page)[table]
    body = re.search("<tbody>(.*)</tbody>", found)[1]
    return [
        [" ".join(re.sub("<[^>]*>", " ", cell).split()) for cell in re.findall("<td.*?</td>", row)]
        for row in re.findall("<tr>.*?</tr>", body)
    ]


@pytest.mark.parametrize("name", RECORDS)
def test_page_is_well_nested_and_named(name):
    reader = Reader.read(exhibit_page(RECORDS[name]()))
    ids = [a["id"] for _, a in reader.elements if "id" in a]
    assert len(set(ids)) == len(ids)
    links = [a["href"] for tag, a in reader.elements if tag == "a"]
    assert set(links) <= {f"#{one}" for one in ids}
    for tag, attributes in reader.elements:
        if tag == "img":
            assert attributes["alt"]
        for value in attributes.values():
            assert "nan" not in str(value).lower().split(), f"NaN in {tag} {attributes}"


@pytest.mark.parametrize("name", RECORDS)
def test_page_asks_for_nothing_outside_itself(name):
    page = exhibit_page(RECORDS[name]())
    assert not re.search(r"https?://|@import|url\(", page)
    for tag, attributes in Reader.read(page).elements:
        for key in ("src", "href", "xlink:href"):
            assert attributes.get(key, "#").startswith(("#", "data:")), tag


@pytest.mark.parametrize("name", RECORDS)
def test_pages_are_the_same_each_time_and_leave_the_record_alone(name):
    record = RECORDS[name]()
    before = copy.deepcopy(record)
    assert exhibit_page(record) == exhibit_page(RECORDS[name]())
    assert record == before


def test_names_from_outside_are_text_and_never_markup():
    reader = Reader.read(exhibit_page(odd_record()))
    assert sum(tag == "script" for tag, _ in reader.elements) == 1
    joined = " ".join(reader.texts)
    for name in NASTY:
        assert name in joined


def test_a_cell_holds_ours_the_print_and_their_distance():
    rows = cells(exhibit_page(numbers_record()))
    assert rows[0][0] == "0.50 ± 0.02 * 0.0 0.50 ± 0.10"
    assert rows[0][1] == "0.61 ± 0.03 −0.3 0.62 ± 0.05*"
    assert rows[0][2] == "0.43 ± 0.03 0.40"
    assert rows[1][1] == "0.55 ± 0.03"
    assert rows[2][2] == "– 0.30 ± 0.02"
    assert "n = 30" in exhibit_page(numbers_record())


def test_cells_are_tinted_by_their_distance_from_one_to_three_deviations():
    record = numbers_record()
    apart = {(v["row"], v["column"], v["measure"]): v["apart"] for v in record["values"]}
    assert apart["yeast", "B", "error"] > 3
    assert 1 < apart["glass & co", "A", "error"] < 3
    page = exhibit_page(record)
    tinted = re.findall(r'<td class="(pair[^"]*)" style="--v:([\d.]+)">', page)
    assert ("pair far", "1.000") in tinted
    middling = (apart["glass & co", "A", "error"] - 1) / 2
    assert ("pair", f"{middling:.3f}") in tinted
    assert all(0 < float(v) <= 1 for _, v in tinted)


def test_the_best_of_a_row_is_bold_unless_all_are_the_same():
    record = numbers_record()
    page = exhibit_page(record)
    assert "<b>0.43 ± 0.03</b>" in page
    assert "<b>0.61 ± 0.03</b>" not in page
    assert "<b>0.40</b>" in page
    for value in record["values"]:
        if value["measured"]:
            value["measured"]["mean"] = 0.25
    assert "<b>0.25 ±" not in exhibit_page(record)


def test_the_best_may_be_the_highest():
    record = numbers_record()
    for measure in record["measures"]:
        measure_copy = dict(measure, better="higher")
        record["measures"] = [
            measure_copy if m["key"] == measure["key"] else m for m in record["measures"]
        ]
    page = exhibit_page(record)
    assert "<b>0.61 ± 0.03</b>" in page
    assert "<b>0.43 ± 0.03</b>" not in page


def test_one_row_with_several_measures_is_one_table():
    record = numbers_record()
    record["rows"] = ["wine"]
    record["values"] = [value for value in record["values"] if value["row"] == "wine"]
    page = exhibit_page(record)
    assert page.count('<table class="beside">') == 1
    rows = cells(page)
    assert rows[0][0] == "0.50 ± 0.02 * 0.0 0.50 ± 0.10"
    assert rows[1][0] == "0.231 ± 0.019 +1.0 0.210 ± 0.020"
    assert "<b>wine</b>, lower is better" in page
    record["measures"][1]["better"] = "higher"
    page = exhibit_page(record)
    assert "norm of the confusion, higher is better</span>" in page
    assert "<b>wine</b></caption>" in page


def test_stars_tell_with_whom_and_the_test_is_named():
    page = exhibit_page(numbers_record())
    assert len(re.findall(r'<abbr title="differs from B, p = [^"]+">\*</abbr>', page)) == 3
    assert (
        "Student&#x27;s t-test of paired samples, two-sided, level 0.05, A with B: 3 of 3" in page
    )
    exhibit = numbers_exhibit(significance=Significance("welch", 0.01, ("norm",)))
    assert "with the best of the row" in exhibit_page(
        build_record(exhibit, numbers_record()["measured"])
    )


def test_claims_are_a_list_with_both_verdicts():
    said = spoken(exhibit_page(numbers_record()))
    assert "The norm of A is below that of B. measured: held , 2 of 2 rows" in said
    assert "published: yes , 3 of 3 rows" in said
    assert "measured: undecided , no numbers published: unknown" in said
    assert "2 of 2 claims held" in said
    assert "1 claim is undecided" in said
    assert "did not hold" in spoken(exhibit_page(odd_record()))


def test_masthead_tells_status_run_date_and_versions():
    said = spoken(exhibit_page(numbers_record()))
    assert "original data full run" in said
    assert "9 of 9 cells · 75.0 s of work · 2025-03-01 · uneven 0.1.0, python 3.11.2" in said
    odd = spoken(exhibit_page(odd_record()))
    assert "substitute part of fast run" in odd
    assert "uneven reproduce paper-table-9 --fast" in odd
    assert "uneven reproduce paper-table-2.1 " in said


def test_missing_rows_and_failed_cells_are_named():
    said = spoken(exhibit_page(odd_record()))
    assert f"Not run {NASTY[4]}: data set" in said
    assert f"Failed sample: {NASTY[3]}, repetition 1: {NASTY[0]}" in said
    assert "The deviation of yeast is printed twice." in spoken(exhibit_page(numbers_record()))
    assert "Our folds are drawn anew." in spoken(exhibit_page(numbers_record()))


def test_what_was_not_run_says_so():
    said = spoken(exhibit_page(unmeasured_record()))
    assert "original data not run" in said
    assert "cells" not in said
    private = spoken(exhibit_page(impossible_record()))
    assert "The corpus is private." in private
    assert "uneven reproduce" not in private
    assert "0.500 ± 0.100" in private


def images(page):
    """What the pictures of a page are said to show, and the texts that they hold."""
    found = re.findall(r'<img src="data:image/svg\+xml;base64,([^"]+)" alt="([^"]*)"', page)
    return [(alt, re.findall("<!-- (.*?) -->", b64decode(data).decode())) for data, alt in found]


def test_figures_are_pictures_inside_the_page():
    page = exhibit_page(curves_record())
    ((alt, texts),) = images(page)
    assert alt == "error against labels"
    assert {"banana", "ring", "labels", "error", "method 0", "published"} <= set(texts)
    assert "Points of the curves: error" in page
    assert cells(page)[0][0].startswith("0.4")
    assert not images(exhibit_page(numbers_record()))
    assert not plt.get_fignums()


def test_average_ranks_are_a_picture_and_sentences():
    record = numbers_record()
    ranks = {"measure": "error", "rows": ["x", "y"], "columns": ["A", "B"], "ranks": [1.0, 2.0]}
    record["ranks"] = [ranks | {"p": 0.03, "difference": 1.4, "level": 0.05, "drawn": True}]
    record["ranks"][0]["means"] = [0.1, 0.2]
    page = exhibit_page(record)
    assert [alt for alt, _ in images(page)] == ["Average ranks by error rate"]
    assert "Average ranks by error rate: A 1.00, B 2.00." in spoken(page)


def test_matrices_stand_side_by_side():
    page = exhibit_page(matrices_record())
    tables = re.findall(r'<table class="heatmap">.*?</table>', page)
    assert len(tables) == 3
    printed = re.sub("<[^>]*>", " ", tables[1]).split()
    assert printed == ["0.00", "0.11", "–", "0.33", "0.44", "0.56", "0.67", "0.78", "0.89"]
    assert 'class="heat error"' in tables[0]
    assert "heatmap many" in exhibit_page(matrices_record(14))


def test_index_lists_every_record_with_its_outcome():
    records = [{**make(), "name": f"r{j}"} for j, make in enumerate(RECORDS.values())]
    page = index_page(records)
    reader = Reader.read(page)
    links = [a["href"] for tag, a in reader.elements if tag == "a" and "class" not in a]
    assert [link for link in links if link.endswith(".html")] == [
        f"{r['name']}.html" for r in records
    ]
    said = " ".join(" ".join(reader.texts).split())
    assert "Table 2.1 Errors and norms of three methods original data full 2 of 2 0.9" in said
    assert "The corpus is private." in said
    assert "substitute part of fast 0 of 1" in said
    assert not re.search(r"https?://", page)
