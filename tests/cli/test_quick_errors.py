"""What is wrong at first sight is said before anything that takes seconds is imported."""

from __future__ import annotations

import json
import subprocess
import sys
import zipfile

import pytest

from tests.cli.conftest import files_in

pytestmark = pytest.mark.slow

HEAVY = ["sklearn", "pandas", "numba", "scipy", "skops", "pyarrow", "matplotlib"]
PROGRAM = """
import json, sys
from uneven.cli import run
code = run(sys.argv[1:])
print(json.dumps([code, [name for name in {heavy} if name in sys.modules]]))
"""


def ask(folder, *words):
    """Exit code, what was imported of the heavy packages, and what was said."""
    program = PROGRAM.format(heavy=HEAVY)
    command = [sys.executable, "-c", program, *map(str, words)]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=True)
    code, imported = json.loads(done.stdout.splitlines()[-1])
    return code, imported, done.stderr


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["compare", "nowhere.csv", "-t", "label"], "there is no file nowhere.csv."),
        (["compare", "table.csv", "-t", "lable"], "--target 'lable' is not a column of the table"),
        (["compare", "table.csv", "-t", "label", "--drop", "x"], "--drop 'x' is not a column"),
        (["compare", "table.csv", "-t", "label", "--sheet", "x"], "no workbook and has no sheets"),
        (["compare", "table.csv", "-t", "label", "--methods", "combi"], "did you mean 'combo'?"),
        (["compare", "table.csv", "-t", "label", "--methods", "stack"], "'stack' is no method"),
        (["compare", "table.csv", "-t", "label", "--metric", "gmeen"], "did you mean 'gmean'?"),
        (["compare", "table.csv", "-t", "label", "--cv", "1"], "--cv is 1; cross-validation"),
        (["compare", "table.csv", "-t", "label", "--views", "v.toml"], "there is no such file"),
        (["compare", "table.csv", "-t", "label", "--noise-matrix", "n.csv"], "no such file."),
        (["compare", "table.csv", "-t", "label", "--rounds", "0"], "--rounds"),
        (["compare", "table.csv", "-t", "label", "--colour", "red"], "--colour"),
        (["compare"], "give a TABLE"),
        (["compare", "--demo", "-t", "label"], "takes no table options"),
        (["fit", "table.csv", "-t", "label", "--method", "combi"], "unknown method 'combi'"),
        (["fit", "table.csv", "-t", "label", "--out", "no/where"], "in a folder that exists."),
        (["predict", "nowhere.skops", "table.csv"], "there is no model file nowhere.skops."),
        (["explain", "nowhere.skops"], "there is no model file nowhere.skops."),
        (["noise", "table.csv", "--observed", "label", "--clean", "x"], "'x' is not a column"),
        (["noise", "table.csv"], "give --observed and --clean"),
        (["label-next", "nowhere.csv"], "there is no file nowhere.csv."),
        (["label-next", "table.csv", "--query", "sample"], "unknown --query 'sample'"),
    ],
)
def test_wrong_input_is_refused_at_once(tmp_path, frame, words, says):
    frame.to_csv(tmp_path / "table.csv", index=False)
    code, imported, said = ask(tmp_path, *words)
    assert code == 2
    assert says in said
    assert imported == []


def test_a_schema_of_another_table_is_refused_at_once(tmp_path, frame):
    frame.to_csv(tmp_path / "table.csv", index=False)
    (tmp_path / "schema.toml").write_text('[columns.zz]\nkind = "number"\n', encoding="utf-8")
    words = ["compare", "table.csv", "-t", "label", "--schema", "schema.toml"]
    code, imported, said = ask(tmp_path, *words)
    assert (code, imported) == (2, [])
    assert "--schema names a column 'zz' that is not in the table" in said


NO_MODEL = "is not a model file of uneven, or it is damaged"


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["compare", "header.csv", "-t", "label"], "header.csv has column names but no rows."),
        (["compare", "titled.csv", "-t", "label"], "titled.csv has column names but no rows."),
        (["fit", "header.csv", "-t", "label"], "header.csv has column names but no rows."),
        (["label-next", "header.csv"], "header.csv has column names but no rows."),
        (["predict", "packed.skops", "header.csv"], "has column names but no rows."),
        (["noise", "header.csv", "--observed", "label", "--clean", "x"], "but no rows."),
        (["compare", "one.csv", "-t", "label"], "of one.csv holds a single class ('a')"),
        (["fit", "one.csv", "-t", "label"], "of one.csv holds a single class ('a')"),
        (["compare", "lonely.csv", "-t", "label"], "no class of lonely.csv has two rows"),
        (["compare", "lonely.csv", "-t", "x"], "no class of lonely.csv has two rows"),
        (["compare", "blank.csv", "-t", "label"], "'label' is empty in all 2 rows."),
        (["compare", "table.csv", "-t", "sound__noise"], "looks like regression"),
        (["compare", "table.csv", "-t", "label", "--out", "one.csv"], "one.csv is a file, so"),
        (["compare", "table.csv", "-t", "label", "--out", "one.csv/x"], "one.csv is a file, so"),
        (["compare", "--demo", "--out", "one.csv"], "one.csv is a file, so"),
        (["predict", "one.csv", "table.csv"], NO_MODEL),
        (["predict", "other.zip", "table.csv"], NO_MODEL),
        (["explain", "one.csv"], NO_MODEL),
        (["export", "one.csv", "model.onnx"], NO_MODEL),
        (["predict", "packed.skops", "table.csv", "-o", "a.xlsx"], ".xlsx files are not written"),
        (["compare", "rows.json", "-t", "lable"], "'lable' is not a column of the table; did you"),
        (["compare", "rows.jsonl", "-t", "label", "--groups", "x"], "--groups 'x' is not a column"),
        (["compare", "page.xls", "-t", "label"], "page.xls is an HTML or XML page"),
    ],
)
def test_what_the_standard_library_can_see_is_refused_at_once(tmp_path, frame, words, says):
    frame.to_csv(tmp_path / "table.csv", index=False)
    frame.to_json(tmp_path / "rows.json", orient="records")
    frame.to_json(tmp_path / "rows.jsonl", orient="records", lines=True)
    (tmp_path / "page.xls").write_text("<html><body><table><tr><th>label</th></tr></table>")
    (tmp_path / "header.csv").write_text("x,label\n")
    (tmp_path / "titled.csv").write_text("Visits of the year\n\nx;size;label\n")
    (tmp_path / "one.csv").write_text("x,label\n1,a\n2, a\n3,\n")
    (tmp_path / "lonely.csv").write_text("x,label\n1,a\n2,b\n3,c\n")
    (tmp_path / "blank.csv").write_text("x,label\n1,\n2, \n")
    for name, entry in (("packed.skops", "schema.json"), ("other.zip", "table.csv")):
        with zipfile.ZipFile(tmp_path / name, "w") as archive:
            archive.writestr(entry, "{}")
    before = files_in(tmp_path)
    code, imported, said = ask(tmp_path, *words)
    assert code == 2
    assert says in said
    assert imported == []
    assert files_in(tmp_path) == before


@pytest.mark.parametrize("content", ["x,label\n1,a\n", "PK\x03\x04"])
def test_a_file_that_is_no_model_is_told_in_the_same_words_by_the_model_file(tmp_path, content):
    from uneven.cli.requests import check_model
    from uneven.comparison.errors import InputError
    from uneven.persistence.model_file import ModelFileError, load_model

    path = tmp_path / "model.skops"
    path.write_text(content)
    with pytest.raises(InputError) as quick:
        check_model(path)
    with pytest.raises(ModelFileError) as later:
        load_model(path)
    assert str(quick.value) == str(later.value)


def test_a_missing_model_is_told_in_the_same_words_by_the_model_file(tmp_path):
    from uneven.persistence.model_file import ModelFileError, load_model

    with pytest.raises(ModelFileError, match="there is no model file nowhere"):
        load_model("nowhere")


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["compare", "book.xlsx", "-t", "lable"], "did you mean 'label'? the columns are"),
        (["compare", "book.xlsx", "-t", "label", "--sheet", "x"], "the sheets are 'Sheet1'."),
        (["fit", "two.xlsx", "-t", "label"], "--sheet chooses another, 'Rows'. It has 'note'."),
        (["compare", "titled.xlsx", "-t", "Blood wc"], "'Blood hb', 'Blood wbc', 'kind'."),
        (["compare", "t.csv", "-t", "label", "--cost", "cost.csv"], "cost.csv: its first column"),
        (
            ["fit", "t.csv", "-t", "label", "--cost", "cost.csv"],
            "first column names 'zz', 'a', which",
        ),
        (
            ["compare", "t.csv", "-t", "label", "--noise-matrix", "cost.csv"],
            "names 'zz', 'a', which",
        ),
        (["predict", "m.skops", "t.csv"], "the table lacks 1 of the 2 columns the model needs: "),
        (["predict", "m.skops", "book.xlsx"], "the model needs: 'pitch'."),
        (["explain", "m.skops", "t.csv"], "the model needs: 'pitch'."),
        (["predict", "good.skops", "t.csv", "--copy", "zz"], "--copy names columns that are not"),
    ],
)
def test_what_a_workbook_a_model_and_prices_name_is_looked_up_at_once(tmp_path, frame, words, says):
    import pandas as pd

    frame.to_csv(tmp_path / "t.csv", index=False)
    frame.to_excel(tmp_path / "book.xlsx", index=False)
    cells = [["Ward 3", None, None], ["Blood", None, "kind"], ["hb", "wbc", None]]
    cells += [[13.5 + k, 5 + k, "ab"[k % 2]] for k in range(6)]
    pd.DataFrame(cells).to_excel(tmp_path / "titled.xlsx", index=False, header=False)
    with pd.ExcelWriter(tmp_path / "two.xlsx") as book:
        pd.DataFrame({"note": ["x"]}).to_excel(book, sheet_name="Info", index=False)
        frame.to_excel(book, sheet_name="Rows", index=False)
    (tmp_path / "cost.csv").write_text("true,zz,a\nzz,0,1\na,2,0\n")
    for name, columns in (("m.skops", ["sound__noise", "pitch"]), ("good.skops", ["label"])):
        told = [{"name": column, "kind": "number", "categories": []} for column in columns]
        content = {"content": {"card": {"content": json.dumps(json.dumps({"columns": told}))}}}
        with zipfile.ZipFile(tmp_path / name, "w") as archive:
            archive.writestr("schema.json", json.dumps(content))
    code, imported, said = ask(tmp_path, *words)
    assert (code, imported) == (2, [])
    assert says in said


def test_the_package_and_its_help_import_nothing_heavy(tmp_path):
    assert ask(tmp_path, "--version")[:2] == (0, [])
    assert ask(tmp_path, "compare", "--help")[:2] == (0, [])
    program = f"import sys, uneven; print([n for n in {[*HEAVY, 'numpy']} if n in sys.modules])"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert done.stdout.strip() == "[]"
