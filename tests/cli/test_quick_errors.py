"""What is wrong at first sight is said before anything that takes seconds is imported."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

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


def test_a_missing_model_is_told_in_the_same_words_by_the_model_file(tmp_path):
    from uneven.persistence.model_file import ModelFileError, load_model

    with pytest.raises(ModelFileError, match="there is no model file nowhere"):
        load_model("nowhere")


def test_the_package_and_its_help_import_nothing_heavy(tmp_path):
    assert ask(tmp_path, "--version")[:2] == (0, [])
    assert ask(tmp_path, "compare", "--help")[:2] == (0, [])
    program = f"import sys, uneven; print([n for n in {[*HEAVY, 'numpy']} if n in sys.modules])"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert done.stdout.strip() == "[]"
