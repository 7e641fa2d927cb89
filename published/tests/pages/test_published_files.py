"""Files of exhibits, Markdown, the page of the docs, and the facts they are made of."""

import json
import math
import re

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
    numbers_record,
    odd_record,
    unmeasured_record,
)

from uneven_published.pages.facts import (
    claims_count,
    kind,
    median_difference,
    run_kind,
    source_claims,
    versions,
)
from uneven_published.pages.figures import picture_names, plot_panels
from uneven_published.pages.files import write_exhibit, write_index
from uneven_published.pages.markdown import escaped, exhibit_markdown, published_page
from uneven_published.pages.tables import point_record, shown_point
from uneven_published.pages.tally import tally, tally_rows


def tables_of(text):
    """Markdown tables as lists of rows of cells."""
    blocks = re.findall(r"(?:^\|.*\n)+", text + "\n", flags=re.MULTILINE)
    return [
        [re.split(r"(?<!\\)\|", line)[1:-1] for line in block.strip().splitlines()]
        for block in blocks
    ]


@pytest.mark.parametrize("name", ["numbers", "odd", "curves", "matrices", "impossible"])
def test_every_file_is_written_and_data_come_back(name, tmp_path):
    record = RECORDS[name]()
    made = write_exhibit(record, tmp_path / "new" / "folder")
    stem = record["name"]
    pictures = [f"{stem}.png"] if record["plots"] else []
    assert [path.name for path in made] == [f"{stem}.html", f"{stem}.md", f"{stem}.json", *pictures]
    assert sorted(path.name for path in made[0].parent.iterdir()) == sorted(p.name for p in made)
    assert json.loads(made[2].read_text(encoding="utf-8")) == json.loads(json.dumps(record))
    assert not plt.get_fignums()


def test_the_same_record_gives_the_same_bytes(tmp_path):
    first, second = (write_exhibit(curves_record(), tmp_path / part) for part in "ab")
    assert len(first) == 4
    assert [p.read_bytes() for p in first] == [p.read_bytes() for p in second]


def test_a_file_that_cannot_be_written_leaves_the_old_one(tmp_path, monkeypatch):
    record = numbers_record()
    page = write_exhibit(record, tmp_path)[0]
    before = page.read_bytes()
    monkeypatch.setattr(
        "uneven_published.pages.files.exhibit_page", lambda *_, **__: "\ud800 cannot be encoded"
    )
    with pytest.raises(UnicodeEncodeError):
        write_exhibit(record, tmp_path)
    assert page.read_bytes() == before
    assert len(list(tmp_path.iterdir())) == 3


def test_index_is_written(tmp_path):
    path = write_index([numbers_record()], tmp_path / "new")
    assert path.name == "index.html"
    assert 'href="paper-table-2.1.html"' in path.read_text(encoding="utf-8")


def test_markdown_holds_ours_and_the_print():
    numbers, norms, claims = tables_of(exhibit_markdown(numbers_record()))
    assert numbers[2] == [
        " wine ",
        " 0.50 ± 0.02 (0.50 ± 0.10) ",
        " 0.61 ± 0.03 (0.62 ± 0.05\\*) ",
        " 0.43 ± 0.03 (0.40) ",
    ]
    assert numbers[4][3] == " – (0.30 ± 0.02) "
    assert norms[3][2] == " – (0.180 ± 0.020) "
    assert claims[2][1:] == [" yes: 3 of 3 rows ", " **held**: 2 of 2 rows "]


@pytest.mark.parametrize("name", RECORDS)
def test_tables_in_markdown_have_as_many_cells_in_every_row(name):
    for table in tables_of(published_page([RECORDS[name]()])):
        assert len({len(row) for row in table}) == 1


def test_names_cannot_break_markdown():
    text = exhibit_markdown(odd_record())
    assert "<script" not in text
    assert "</table" not in text
    assert escaped("a|b `c` *d* $e$\n# f") == "a\\|b \\`c\\` \\*d\\* \\$e\\$ \\# f"
    assert escaped(NASTY[4]) == NASTY[4]


def test_curves_are_told_by_one_point_in_markdown():
    text = exhibit_markdown(curves_record())
    (table,) = tables_of(text)
    assert "error at labels = 90, lower is better; ours (published):" in text
    assert len(table) == 4
    record = curves_record()
    value = record["values"][0]
    shown = f"{value['measured']['mean'][9]:.3f} ± {value['measured']['deviation'][9]:.3f} (0.200)"
    assert table[2][1].strip() == shown


def test_matrices_are_tables_only_if_they_are_small():
    small = exhibit_markdown(matrices_record())
    assert len(tables_of(small)) == 2
    assert tables_of(small)[0][2][3].strip().endswith("(–)")
    large = exhibit_markdown(matrices_record(14))
    assert tables_of(large) == []
    assert "matrices, shown on the page" in large


def test_large_tables_are_folded():
    record = numbers_record()
    value = next(v for v in record["values"] if v["row"] == "wine" and v["measure"] == "error")
    record["rows"] = [f"row {j}" for j in range(61)]
    record["values"] = [{**value, "row": row} for row in record["rows"]]
    record["measures"][0]["title"] = "a_b <c>"
    text = exhibit_markdown(record)
    assert "<summary>a_b &lt;c&gt;, lower is better; ours (published)</summary>\n\n|" in text
    assert "<details>" not in exhibit_markdown(numbers_record())


def test_page_of_the_docs_sums_up_and_links():
    records = [numbers_record(), curves_record(), odd_record(), impossible_record()]
    text = published_page(records, pictures="images/published")
    summary = next(one for one in tables_of(text) if "apart" in one[0][-1])
    assert [cell.strip() for cell in summary[2]] == [
        "[Table 2.1](#paper-table-2.1)",
        "Errors and norms of three methods",
        "original data",
        "full",
        "2 of 2",
        "0.9",
    ]
    for record in records:
        assert text.count(f'<a id="{record["name"]}"></a>') == 1
        assert f"](#{record['name']})" in text
    assert "![Figure 6.3: Error against labels](images/published/paper-figure-6.3.png)" in text
    assert "Measured 2025-03-01 with uneven 0.1.0, python 3.11.2." in text
    assert text.count("\n## ") == 2
    end = text[text.index("## What cannot be run, and why") :]
    assert "Table 4.9, A private corpus: The corpus is private." in end
    assert published_page(records, "images/published") == text


def test_page_of_the_docs_has_no_picture_of_what_was_not_run():
    assert "![" not in published_page([curves_record(measured=False)])
    text = published_page([unmeasured_record()])
    assert "not run yet" in text
    assert _summaries(text) == [3]
    assert "ours (published)" not in text, "tables of print only are not worth a page"


def _summaries(text):
    """Lines of the tables that sum up a document."""
    return [len(one) for one in tables_of(text) if "apart" in one[0][-1]]


def test_summary_has_a_table_for_each_document():
    other = numbers_record()
    other["document"] = {"key": "other", "citation": "B. Else, C. Third (2020), Another, Journal"}
    text = published_page([numbers_record(), curves_record(), other])
    assert _summaries(text) == [4, 3]
    assert "<summary>B. Else, C. Third (2020): 1 exhibits</summary>" in text


def test_claims_are_counted_by_what_they_were_judged_on():
    numbers, curves = numbers_record(), curves_record()
    first, second = source_claims(numbers)[:2]
    first["measured"]["held"], first["printed"]["held"] = False, True
    second["measured"]["held"], second["printed"]["held"] = False, False
    counts = tally([numbers, curves])
    assert counts["original data"]["not held"] == 1
    assert counts["original data"]["published numbers say otherwise"] == 1
    every = [*source_claims(numbers), *source_claims(curves)]
    untold = sum(claim["printed"]["held"] is None for claim in every)
    assert counts["no published numbers"].total() == untold
    assert tally_rows([numbers, curves])[-1][:2] == ["all", str(len(every))]
    page = published_page([numbers, curves])
    held = sum(some["held"] for some in counts.values())
    assert f"of {len(every)} claims, {held} hold when they are reproduced" in page
    assert "and 1 are contradicted by the numbers or a proven error of the source itself" in page


def test_a_proven_error_of_the_source_is_counted_for_itself():
    record = numbers_record()
    claim = source_claims(record)[0]
    claim["measured"]["held"], claim["printed"]["held"] = False, True
    claim["erratum"] = "It divides 0 by 0."
    counts = tally([record])["original data"]
    assert (counts["proven error of the source"], counts["not held"]) == (1, 0)
    page = published_page([record])
    assert "1 rest on a proven error of the source" in page
    assert "| It divides 0 by 0. |" in page


def test_the_overview_says_why_a_claim_did_not_hold():
    record = numbers_record()
    claim = record["claims"][0]
    claim["measured"]["held"], claim["printed"]["held"] = False, True
    record["explanation"] = "Fewer rows were used. And more."
    assert "| Fewer rows were used. |" in published_page([record])
    claim["why"] = "The seeds differ."
    assert "| The seeds differ. |" in published_page([record])


def test_runs_are_told_apart():
    told = {name: run_kind(make()) for name, make in RECORDS.items()}
    assert told["numbers"] == "full"
    assert told["odd"] == "part of fast"
    assert told["impossible"] == told["unmeasured"] == "not run"
    record = numbers_record()
    record["measured"]["cells"]["done"] = 1
    assert run_kind(record) == "part of full"


def test_outcome_counts_claims_and_the_median_distance():
    record = numbers_record()
    assert claims_count(record) == (2, 2, 3)
    sizes = sorted(abs(v["apart"]) for v in record["values"] if v["apart"] is not None)
    middle = median_difference(record)
    assert sum(s <= middle for s in sizes) >= len(sizes) / 2 <= sum(s >= middle for s in sizes)
    assert math.isnan(median_difference(unmeasured_record()))


def test_different_versions_are_all_named():
    record = numbers_record()
    record["measured"]["made"].append({"date": "2025-04-02", "uneven": "0.2.0", "python": "3.11.2"})
    assert versions(record) == {"uneven": "0.1.0 and 0.2.0", "python": "3.11.2"}
    assert "2025-03-01 to 2025-04-02" in exhibit_markdown(record)


def test_pictures_are_numbered_if_there_are_several():
    record = curves_record()
    assert picture_names(record) == ["paper-figure-6.3.png"]
    record["plots"] *= 2
    assert picture_names(record) == ["paper-figure-6.3-1.png", "paper-figure-6.3-2.png"]
    record["plots"] = [{**record["plots"][0], "measure": "other"}]
    assert picture_names(record) == []


def test_curves_of_another_length_are_not_drawn():
    record = curves_record()
    assert list(plot_panels(record, record["plots"][0])) == ["banana", "ring"]
    short = {**record["plots"][0], "x": [1.0, 2.0]}
    assert plot_panels(record, short) == {}


def test_panels_and_lines_can_be_chosen():
    record = curves_record(n_columns=3)
    plot = {**record["plots"][0], "rows": ["ring"], "columns": ["method 2", "method 0"]}
    panels = plot_panels(record, plot)
    assert {row: list(lines) for row, lines in panels.items()} == {"ring": ["method 2", "method 0"]}


def test_curves_are_compared_where_most_of_them_are_printed():
    record = curves_record()
    assert shown_point(record, "err").position == 9
    for value in record["values"][1:]:
        value["printed"]["mean"][9] = None
    assert shown_point(record, "err").position == 5
    assert shown_point(record, "err").words == "at labels = 50"
    assert shown_point(numbers_record(), "error") is None


def test_points_are_rows_where_something_is_printed():
    points = point_record(curves_record(), "err")
    assert points["rows"][:3] == [
        "banana, labels = 10",
        "banana, labels = 50",
        "banana, labels = 90",
    ]
    assert kind(points, "err") == "number"
    first = points["values"][0]
    assert first["printed"]["mean"] == 0.40
    assert first["apart"] == curves_record()["values"][0]["apart"][1]
    few = point_record(curves_record(printed=False), "err")
    assert len(few["rows"]) == 16
