"""What pages, Markdown and terminal say about runs and claims."""

import pytest
from published.tests.pages.samples import (
    curves_record,
    doubtful_record,
    impossible_record,
    numbers_record,
    odd_record,
    starved_record,
    unmeasured_record,
    unprinted_record,
)
from published.tests.pages.test_exhibit_page import spoken
from published.tests.test_terminal import shown

from uneven_published.pages.facts import OWN_TITLE, claims_count, held_words, run_kind
from uneven_published.pages.html import exhibit_page, index_page
from uneven_published.pages.markdown import exhibit_markdown, published_page
from uneven_published.terminal import print_record

COUNTED = "0 of 2 claims held (1 without published numbers)"


def everywhere(record):
    """The record in every form, with the blanks of a line break as one."""
    return {
        "page": spoken(exhibit_page(record)),
        "markdown": exhibit_markdown(record),
        "docs": published_page([record]),
        "terminal": shown(print_record, record, 400),
    }


def test_a_run_without_data_is_told_from_one_that_was_never_tried():
    assert run_kind(starved_record()) == "not run: data missing"
    assert run_kind(unmeasured_record()) == "not run"
    for form, text in everywhere(starved_record()).items():
        assert "not run: data missing" in text, form
        assert "not run yet" not in text, form
        if form != "terminal":
            assert "data set 'wine' is missing" in text, form
    assert "0 of 1 tables and figures run" in spoken(index_page([starved_record()]))


def test_a_run_whose_cells_all_failed_says_so():
    record = starved_record()
    record["measured"]["missing"] = {}
    record["measured"]["failed"] = {"sample: wine, repetition 0": "no memory"}
    assert run_kind(record) == "not run: all cells failed"
    assert "no memory" in published_page([record])


@pytest.mark.parametrize("form", ["page", "markdown", "docs"])
def test_the_protocol_of_a_part_run_is_told_from_what_was_done(form):
    record = numbers_record(fast=True, planned=12)
    record["measured"]["repeats"]["wine"] = 1
    text = everywhere(record)[form]
    full = "Full protocol: Ten folds, three times; stumps, 100 rounds."
    assert f"{full} Here: part of fast run, 9 of 12 cells; repetitions per row: from 1 to 3" in text
    assert (
        "fast run, 9 of 9 cells; repetitions per row: 3."
        in everywhere(numbers_record(fast=True))[form]
    )
    assert "per row: from 0 to 3." in everywhere(odd_record())[form], "a row without data has none"
    for whole in (numbers_record(), unmeasured_record()):
        assert "Full protocol" not in everywhere(whole)[form]


def test_claims_without_print_are_told_and_ours_are_not_counted():
    record = doubtful_record()
    for claim, held in zip(record["claims"], (False, False, True, True, True)):
        claim["measured"]["held"] = held
    assert claims_count(record) == (0, 2, 2)
    texts = everywhere(record)
    assert COUNTED in texts["page"]
    assert COUNTED in texts["terminal"]
    assert "Claims: 0 of 2 held (1 without published numbers)." in texts["markdown"]
    assert "| 0 of 2 (1 without published numbers) |" in texts["docs"]
    assert f"{COUNTED}" in spoken(index_page([record]))
    assert "2 of 4 claims held (1 without" in spoken(index_page([record, numbers_record()]))
    assert held_words(numbers_record()) == "2 of 2"
    assert held_words(impossible_record()) == ""


def test_our_claims_stand_in_a_group_of_their_own():
    for form, text in everywhere(doubtful_record()).items():
        before, after = text.split(OWN_TITLE)
        assert "The norm of A is below that of C." in before, form
        assert "Asked besides" not in before, form
        assert "Asked besides: A errs less than B." in after, form
        assert "By theory: B errs less than A." in after, form
        assert "Asked about C: it errs less than B." in after, form
        assert OWN_TITLE not in everywhere(numbers_record())[form]


def test_a_page_with_only_our_claims_puts_no_words_into_the_mouth_of_the_source():
    record = doubtful_record()
    record["claims"] = record["claims"][2:]
    assert "What the source says" not in spoken(exhibit_page(record))
    assert "claims held" not in spoken(exhibit_page(record))
    assert "Claims:" not in exhibit_markdown(record)


def test_pages_without_print_do_not_speak_of_print():
    said = spoken(exhibit_page(unprinted_record()))
    assert "Ours; nothing is published" in said
    assert "ours, mean ± standard deviation over n samples; nothing is published; the best" in said
    for words in (
        "Ours beside the published numbers",
        "the published value",
        "published deviations",
    ):
        assert words not in said
        assert words in spoken(exhibit_page(numbers_record()))
    text = exhibit_markdown(unprinted_record())
    assert "error rate, lower is better; ours; nothing is published:" in text
    assert "ours (published)" not in text


def test_pages_without_measurement_say_that_the_numbers_are_printed():
    said = spoken(exhibit_page(unmeasured_record()))
    assert "Published; nothing is measured" in said
    assert "ours, mean" not in said


def test_bold_is_explained_only_where_something_is_better():
    record = unprinted_record()
    record["measures"] = [{**measure, "better": None} for measure in record["measures"]]
    assert "bold" not in spoken(exhibit_page(record))


def test_curves_without_printed_points_are_not_told_by_a_point():
    for text in (
        exhibit_markdown(curves_record(printed=False)),
        published_page([curves_record(printed=False)]),
    ):
        assert "at labels = " not in text
        assert "error: curves; nothing is published. Their points are in the JSON file." in text
    assert "error at labels = 90" in exhibit_markdown(curves_record())


def test_a_table_with_many_columns_is_turned():
    record = unprinted_record()
    first = record["values"][0]
    row, measure = first["row"], first["measure"]
    names = [f"method {k}" for k in range(12)]
    record["rows"], record["columns"] = [row], names
    record["values"] = [{**first, "column": name, "measure": measure} for name in names]
    lines = exhibit_markdown(record).splitlines()
    for name in names:
        assert [line for line in lines if line.startswith(f"| {name} |")]


def test_the_page_says_how_much_of_the_full_run_is_behind_it():
    whole, part = numbers_record(), numbers_record(planned=99)
    assert "All of it comes from full runs." in published_page([whole])
    assert "1 of 2 exhibits come from the full run" in published_page([whole, part])
