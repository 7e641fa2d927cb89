"""Kept tables with the traps of real exports, from a model to its answers and the next labels."""

from __future__ import annotations

import json

import pandas as pd
import pytest

from tests.comparison.test_messy_tables import CASES, FOLDER, expected, read
from uneven.cli.requests import TableRequest
from uneven.comparison.errors import InputError
from uneven.comparison.folds import possible_folds
from uneven.comparison.tables import read_table
from uneven.persistence.model_file import load_model

VARIED = [
    "durations",
    "running_text",
    "same_names",
    "title_and_source",
    "two_headers",
    "utf_16",
    "workbook",
]


@pytest.mark.parametrize("name", VARIED)
def test_a_messy_table_goes_all_the_way(uneven, tmp_path, name):
    told = expected(name)
    path, target = FOLDER / told["file"], told["target"]
    learner = ("--method", "combo", "--rounds", 4, "--n-jobs", 1)
    assert uneven("fit", path, "-t", target, *learner).code == 0
    assert uneven("predict", "model.skops", path, "-o", "answers.csv").code == 0
    answers = pd.read_csv("answers.csv", dtype=str)[f"predicted_{target}"].tolist()
    model, _ = load_model(tmp_path / "model.skops")
    assert answers == [str(label) for label in model.predict(read(told).X)]

    why = uneven("explain", "model.skops", path, "--row", 1, "--json")
    assert why.code == 0
    row = json.loads(why.out)["rows"][0]
    assert (row["row"], row["answer"]) == (1, answers[0])

    assert uneven("label-next", path, "--drop", target, "-n", 3).code == 0
    asked = read_table("labels.csv")["row"]
    assert asked.nunique() == 3
    assert asked.between(1, told["rows"]).all()


def is_refused(look) -> bool:
    try:
        look()
    except InputError:
        return True
    return False


@pytest.mark.slow
@pytest.mark.parametrize("n_lines", [1, 4, 6, None])
def test_what_is_refused_at_first_sight_is_refused_by_the_reader(tmp_path, n_lines):
    path, refused = tmp_path / "table.csv", 0
    for told in map(expected, CASES):
        if not told["file"].endswith((".csv", ".tsv")):
            continue
        lines = (FOLDER / told["file"]).read_bytes().splitlines(keepends=True)
        path.write_bytes(b"".join(lines[:n_lines]))
        source = TableRequest(path, told["target"])
        if is_refused(lambda: source.check(held_out=True)):  # noqa: B023
            refused += 1
            assert is_refused(lambda: possible_folds(source.load(), 5)), told["file"]  # noqa: B023
    assert (refused > 0) == (n_lines is not None)
