"""Lists and verdicts on a terminal: wide, narrow, and without signs beyond ASCII."""

import io

import pytest
from published.tests.pages.samples import (
    RECORDS,
    numbers_exhibit,
    numbers_record,
    odd_record,
)
from rich.cells import cell_len
from rich.console import Console

from uneven_published import Document, build_record, catalogue
from uneven_published.collection import listed, listing
from uneven_published.terminal import print_list, print_record


def shown(show, what, width=120, encoding="utf-8"):
    stream = io.TextIOWrapper(io.BytesIO(), encoding=encoding, errors="strict", newline="\n")
    show(what, Console(file=stream, width=width, highlight=False))
    stream.flush()
    return stream.buffer.getvalue().decode(encoding)


@pytest.mark.parametrize("width", [40, 80, 160])
@pytest.mark.parametrize("encoding", ["utf-8", "ascii"])
@pytest.mark.parametrize("name", RECORDS)
def test_every_record_fits_every_terminal(name, encoding, width):
    text = shown(print_record, RECORDS[name](), width, encoding)
    assert max(map(cell_len, text.splitlines())) <= width


def test_claims_and_outcome_are_told():
    text = shown(print_record, numbers_record(), 160)
    assert "original data, full, 2 of 2 claims held, median difference 0.9 published" in text
    assert "✓ The norm of A is below that of B. (held, 2 of 2 rows; published: yes)" in text
    assert "? A errs less than D. (undecided, no numbers; published: unknown)" in text
    assert "✗ <script>" in shown(print_record, odd_record(), 160)
    assert "x <script>" in shown(print_record, odd_record(), 160, "ascii")
    assert "0.61" not in text, "numbers are on the page"


def test_list_has_names_status_and_notes_by_document():
    note = "Something stands in. " + "It is explained at length. " * 20
    some = [
        numbers_exhibit(),
        numbers_exhibit(place="Table 2.2", status="substitute", status_note=note),
        numbers_exhibit(place="Table 2.3", status="impossible", status_note=note, studies=()),
    ]
    text = shown(print_list, listing(some), 160)
    assert text.count("A. Author (2013)") == 1
    assert "paper-table-2.1  original data  Table 2.1: Errors and norms of three methods" in text
    assert "paper-table-2.2  substitute" in text
    assert "paper-table-2.3  cannot be run" in text
    assert " ".join(text.split()).count(note.strip()) == 2
    many = shown(print_list, listing(some) * 5, 160)
    assert " ".join(many.split()).count(note.strip()) == 5, "reasons for not running stay whole"
    assert many.count(" …") == 5
    ends = {line.split()[-2] for line in many.splitlines() if line.rstrip().endswith("…")}
    assert ends <= set(note.split()), "cut between words"
    assert many.rstrip().endswith(
        "uneven reproduce --list NAME shows the notes of a table or figure whole"
    )
    assert "NAME" not in text


def test_accents_are_dropped_where_they_cannot_be_shown():
    text = shown(print_record, odd_record(), 160, "ascii")
    assert "naive" in text
    citation = Document("sen", "M. U. Şen (2011), Sabancı University")
    assert "Sen (2011), Sabanci University" in shown(
        print_list, listing([numbers_exhibit(document=citation)]), 160, "ascii"
    )


def test_every_sign_of_the_published_tables_has_a_form_in_ascii():
    texts = [shown(print_list, listed(), 160, encoding) for encoding in ("utf-8", "ascii")]
    assert texts[0].count("?") == texts[1].count("?")
    greek = [e for e in catalogue() if any(sign in str(e.printed.columns) for sign in "γηλμτω×")]
    assert greek
    for exhibit in greek:
        text = shown(print_record, build_record(exhibit, None), 160, "ascii")
        claims = " ".join(claim.text for claim in exhibit.claims)
        assert text.count("?") == len(exhibit.claims) + claims.count("?"), exhibit.name
