"""Large tables are read in quicker ways, with the result of the slow ones."""

from __future__ import annotations

import csv
import io
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.preprocessing import OrdinalEncoder

from uneven.comparison import celltexts, conversion, csvcells, reading
from uneven.comparison.celltexts import as_objects, as_text, distinct_texts, vary
from uneven.comparison.classlabels import class_labels, coded_labels
from uneven.comparison.conversion import seen_categories
from uneven.comparison.encoding import CategoryEncoder, encode_ordinal
from uneven.comparison.groupkeys import group_keys
from uneven.comparison.numbers import NumberStyle, parse_numbers, quick_numbers
from uneven.comparison.problem import make_problem
from uneven.comparison.reading import Custom, read_column, read_columns
from uneven.comparison.schema import Column, Schema
from uneven.comparison.tables import read_table
from uneven.comparison.words import DateEncoder

N = 6000


def written(rows, end="\n"):
    """A CSV file in which every cell is quoted."""
    out = io.StringIO(newline="")
    csv.writer(out, quoting=csv.QUOTE_ALL, lineterminator=end).writerows(rows)
    return out.getvalue()


def quoted_rows(n_lines, where):
    """Rows with a cell of text; `where` says which ones have line breaks in it."""
    rng = np.random.default_rng(0)
    for k in range(n_lines):
        text = f"note {k}" + ("\nand, more\n" * (1 + k % 3) if where(k) else "") * (k > 2)
        yield [f"{rng.normal():.4f}", text.strip(), "ab"[k % 2]]


@pytest.mark.parametrize("end", ["\n", "\r\n"])
@pytest.mark.parametrize(
    "where",
    [lambda k: False, lambda k: k % 5 == 0, lambda k: k == 59_990, lambda k: k > 30_000],
    ids=["none", "many", "the end", "after the first block"],
)
def test_quoted_cells_keep_their_line_breaks(tmp_path, where, end):
    rows = list(quoted_rows(60_000, where))
    path = tmp_path / "notes.csv"
    path.write_text(written([["x", "note", "label"], *rows], end), newline="")
    assert path.stat().st_size > 1 << 20  # several blocks of pyarrow
    found = read_table(path, expected=["label"], label="label")
    expected = pd.DataFrame(rows, columns=["x", "note", "label"])
    assert found["note"].astype(object).tolist() == expected["note"].tolist()
    assert found["label"].astype(object).tolist() == expected["label"].tolist()
    np.testing.assert_array_equal(found["x"], expected["x"].astype(float))


def test_a_file_with_a_row_per_line_is_read_once(tmp_path, monkeypatch):
    called = []
    by_arrow = csvcells._by_arrow

    def counted(data, style, numbers=(), quoted=True):
        called.append(quoted)
        return by_arrow(data, style, numbers, quoted)

    monkeypatch.setattr(csvcells, "_by_arrow", counted)
    for where, slow in ((lambda k: False, 0), (lambda k: k == 20, 1)):
        path = tmp_path / f"{slow}.csv"
        path.write_text(written([["x", "note", "label"], *quoted_rows(30_000, where)]))
        called.clear()
        read_table(path, expected=["label"], label="label")
        whole = called[1:]  # the first call looks at the first cells
        assert whole.count(True) == slow
        assert len(whole) == 2


@pytest.mark.parametrize("lone", ["\r", "\r\r"])
def test_lone_carriage_returns_are_no_rows_of_their_own(tmp_path, lone):
    """One more row by a carriage return must not hide one fewer by a line break in a cell."""
    rows = [["x", "note", "label"], *([f"{k}", f"note {k}", "ab"[k % 2]] for k in range(50))]
    rows[10][1] = f"first{lone}second"
    rows[20][1] = "first\nsecond"
    path = tmp_path / "notes.csv"
    path.write_text(written(rows), newline="")
    found = read_table(path, expected=["label"], label="label")
    assert len(found) == 50
    assert found["note"].iloc[19] == "first\nsecond"


def test_a_quote_that_is_not_closed_is_still_pointed_out(tmp_path):
    lines = ["x,note,label", *(f"{k}.5,note {k},{'ab'[k % 2]}" for k in range(40))]
    lines[7], lines[9] = '6.5,"note 6,a', '8.5,note" 8,a'
    path = tmp_path / "notes.csv"
    path.write_text("\n".join(lines) + "\n")
    try:
        notes = read_table(path, expected=["label"], label="label").attrs["uneven"]["notes"]
    except csvcells.InputError as error:
        notes = [str(error)]
    assert any("line" in note for note in notes)


# ------------------------------------------------------------------ columns of formatted numbers


def prices(n=N, spec="{:,.2f}", unit="{}"):
    cells = np.random.default_rng(1).uniform(1, 99_999, n)
    return [unit.format(spec.format(cell)) for cell in cells]


def european(cells):
    return [cell.translate(str.maketrans(".,", ",.")) for cell in cells]


def both_ways(monkeypatch, frame):
    """Schema and numbers of a table, in the quick and in the slow way."""
    found = []
    for quick in (True, False):
        if not quick:
            monkeypatch.setattr(reading, "vary", lambda values: False)
            monkeypatch.setattr(conversion, "vary", lambda values: False)
        schema = Schema.of(frame)
        found.append((schema, schema.convert(frame)))
    return found


COLUMNS = {
    "thousands": prices(),
    "dollars": prices(unit="${}"),
    "euros": european(prices(unit="{} €")),
    "percent": prices(spec="{:.3f}", unit="{}%"),
    "thousand": prices(spec="{:.4f}", unit="{}k"),
    "weights": prices(spec="{:.4f}", unit="{} mg"),
    "minus": [f"-{cell}" for cell in prices()],
}


@pytest.mark.parametrize("kind", COLUMNS)
def test_varied_cells_are_read_as_the_different_ones_would_be(monkeypatch, kind):
    cells = pd.Series(COLUMNS[kind], dtype=str)
    cells[[3, N - 1]] = None
    frame = pd.DataFrame({"cell": cells})
    assert vary(cells)
    style = NumberStyle.from_dict(read_column(cells).form)
    assert quick_numbers(cells, style) is not None
    (quick, numbers), (slow, others) = both_ways(monkeypatch, frame)
    assert quick == slow
    assert quick.columns[0].kind == "number"
    pd.testing.assert_frame_equal(numbers, others)
    assert numbers["cell"].isna().sum() == 2
    few = parse_numbers(cells[4:500].reset_index(drop=True), style)  # cell by cell
    np.testing.assert_array_equal(numbers["cell"].to_numpy()[4:500], few)


LATER = {
    "a mark of a missing cell": "k.A.",
    "a word": "unknown price",
    "another unit": "7.50 €",
    "zeros in front": "0012.50",
    "blanks around": " 1,250.25 ",
    "brackets": "(1,250.25)",
    "other digits": "٤٢.٥",
    "a decimal comma": "1.250,75",
}


@pytest.mark.parametrize("why", LATER)
def test_a_column_that_is_plain_in_its_first_cells_only(monkeypatch, why):
    cells = prices()
    assert len(cells) - 1 > celltexts.SOME_CELLS
    cells[-1] = LATER[why]
    (quick, numbers), (slow, others) = both_ways(monkeypatch, pd.DataFrame({"cell": cells}))
    assert quick == slow
    pd.testing.assert_frame_equal(numbers, others)


def test_a_number_that_marks_missing_cells_stays_missing():
    cells = pd.Series(prices(), dtype=str)
    cells[[5, 4000]] = "999.99"
    frame = pd.DataFrame({"cell": cells})
    schema = Schema.of(frame, read_columns(frame, custom=Custom(missing=["999.99"])))
    assert list(schema.columns[0].form["missing"]) == ["999.99"]
    numbers = schema.convert(frame)["cell"]
    assert np.flatnonzero(numbers.isna()).tolist() == [5, 4000]


def test_rows_with_names_are_counted_not_named(monkeypatch):
    cells = pd.Series(prices(), dtype=str, index=np.linspace(-1.0, 1.0, N), name="cell")
    assert vary(cells)
    (quick, numbers), (slow, others) = both_ways(monkeypatch, cells.to_frame())
    assert quick == slow
    pd.testing.assert_frame_equal(numbers, others)
    assert numbers.index.equals(cells.index)


def test_prices_are_no_group_keys_and_text_keys_are():
    rng = np.random.default_rng(0)
    owner = np.repeat(np.arange(40), 5)
    label = np.where(rng.random(40) < 0.5, "sick", "well")[owner]
    frame = pd.DataFrame(
        {
            "price": [f"${10 + k}.50" for k in owner],
            "patient": [f"p{k}" for k in owner],
            "age": rng.integers(20, 60, len(owner)),
            "label": label,
        }
    )
    assert list(make_problem(frame, "label").keys) == ["patient"]
    plain = frame.drop(columns="label")
    assert set(group_keys(plain, label)) == {"price", "patient"}  # nothing says that it is a price


# ---------------------------------------------------------------------------- cells and labels


def test_code_minus_one_is_a_missing_cell():
    values = pd.Series(["b", " a", None, "", "b ", "  "], dtype=str)
    codes, cells = distinct_texts(values)
    assert codes.tolist() == [0, 1, -1, -1, 0, -1]
    found = as_objects(cells)
    assert found.dtype == object
    assert found[:-1].tolist() == ["b", "a"]
    assert np.isnan(found[-1])
    texts = as_text(values)
    assert texts.dropna().tolist() == ["b", "a", "b"]
    assert texts.isna().tolist() == [False, False, True, True, False, True]


def test_categories_of_a_schema_are_those_of_its_cells():
    values = pd.Series(["b", " a", None, "?", "b ", "c"], dtype=str)
    column = Column("kind", "category", (), {"missing": ["?"]})
    assert seen_categories(values, column) == ["a", "b", "c"]
    assert seen_categories(values, Column("kind", "category")) == ["?", "a", "b", "c"]


@pytest.mark.parametrize(
    "values",
    [
        pd.Series(["b ", "a", "b", "c"]),
        pd.Series([2.0, 1.0, 2.0]),
        pd.Series([True, False, True]),
        pd.Series([1, 1.0, "1", "x"], dtype=object),
        pd.Series(["b", "a", "b"], dtype=pd.CategoricalDtype(["never", "b", "a"])),
    ],
    ids=["text", "numbers", "truth", "mixed", "categories"],
)
def test_codes_of_labels_are_those_of_their_sorted_classes(values):
    codes, classes = coded_labels(values)
    expected = class_labels(values)
    found, places = np.unique(expected, return_inverse=True)
    np.testing.assert_array_equal(classes, found)
    np.testing.assert_array_equal(codes, places)


def test_labels_of_a_problem_are_counted_again_when_they_change():
    frame = pd.DataFrame({"x": np.arange(12) ** 2 % 7, "label": ["a", "b", "c"] * 4})
    problem = make_problem(frame, "label")
    assert problem.classes.tolist() == ["a", "b", "c"]
    assert problem.class_counts.tolist() == [4, 4, 4]
    fewer = replace(problem, y=np.array(["a"] * 5 + ["b"] * 7))
    assert fewer.classes.tolist() == ["a", "b"]
    assert fewer.class_counts.tolist() == [5, 7]


# ----------------------------------------------------------------------------------- encoders


def mixed_frame(n, seed=0, more=()):
    rng = np.random.default_rng(seed)
    few = np.array(["red", "green", "blue", np.nan, *more], dtype=object)
    return pd.DataFrame(
        {
            "colour": few[rng.integers(0, len(few), n)],
            "kind": np.array([f"kind {k}" for k in range(50)], dtype=object)[
                rng.integers(0, 50, n)
            ],
            "empty": np.full(n, np.nan, dtype=object),
        },
        index=np.arange(n)[::-1],
    )


SETTINGS = {
    "handle_unknown": "use_encoded_value",
    "unknown_value": np.nan,
    "encoded_missing_value": np.nan,
}


@pytest.mark.parametrize("output", ["default", "pandas"])
def test_category_encoder_ties_with_ordinal_encoder(output):
    train, later = mixed_frame(400), mixed_frame(90, 1, more=["new"])
    ours = CategoryEncoder(**SETTINGS).set_output(transform=output)
    theirs = OrdinalEncoder(**SETTINGS).set_output(transform=output)
    for frame, method in ((train, "fit_transform"), (later, "transform"), (later[:1], "transform")):
        found, expected = getattr(ours, method)(frame), getattr(theirs, method)(frame)
        assert type(found) is type(expected)
        np.testing.assert_array_equal(np.asarray(found), np.asarray(expected))
        if output == "pandas":
            pd.testing.assert_index_equal(found.index, expected.index)
            pd.testing.assert_index_equal(found.columns, expected.columns)
    for one, other in zip(ours.categories_, theirs.categories_):
        assert one.dtype == other.dtype
        pd.testing.assert_series_equal(pd.Series(one), pd.Series(other))
    np.testing.assert_array_equal(
        np.asarray(clone(ours).fit(train).transform(later)), np.asarray(theirs.transform(later))
    )


def test_category_encoder_refuses_what_ordinal_encoder_refuses():
    train = mixed_frame(40).drop(columns="empty")
    encoder = CategoryEncoder().fit(train)
    with pytest.raises(ValueError, match="unknown categories"):
        encoder.transform(train.assign(colour="new"))
    with pytest.raises(ValueError, match="feature names"):
        encoder.transform(train.rename(columns={"kind": "sort"}))
    assert CategoryEncoder().fit_transform(train[[]]).shape == (40, 0)


def test_tables_are_encoded_by_the_quick_encoder():
    frame = mixed_frame(200).drop(columns="empty")
    schema = Schema.of(frame)
    encoder = encode_ordinal(schema).fit(schema.convert(frame))
    assert type(encoder.named_transformers_["categories"]) is CategoryEncoder


def test_parts_of_repeated_dates_are_those_of_each_alone():
    days = pd.Series([0.0, 59.5, np.nan, 0.0, -1.25, 59.5], index=list("abcdef"))
    encoder = DateEncoder(["day"], ["day"])
    found = encoder.transform(days.to_frame("day"))
    alone = pd.concat([encoder.transform(days[[k]].to_frame("day")) for k in days.index])
    pd.testing.assert_frame_equal(found, alone)
    assert found.loc["e"].tolist() == [-1.25, 1969.0, 12.0, 1.0, 18.0]
    assert found.loc["c"].isna().all()
