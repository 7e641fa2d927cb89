"""``uneven fit`` on Parquet files by row groups, with files for codes, and on a cluster."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from tests.problems import gaussian_classes
from uneven.boosting.sharded import shard as shards
from uneven.boosting.sharded.parquet import ParquetRows
from uneven.cli.large import parquet_files, parse_size
from uneven.comparison.errors import InputError
from uneven.persistence.model_file import load_model


@pytest.fixture
def folder(tmp_path):
    X, y = gaussian_classes([200, 90, 25], 3, seed=0)
    frame = pd.DataFrame(X, columns=["a", "b", "c"])
    frame["kind"] = np.array(["u", "v", "w", "x"])[(y + np.arange(len(y)) % 3) % 4]
    frame["label"] = np.array(["often", "some", "rare"])[y]
    frame.loc[::40, "b"] = np.nan
    frame.to_parquet(tmp_path / "whole.parquet")
    frame[:150].to_parquet(tmp_path / "part0.parquet", row_group_size=40)
    frame[150:].to_parquet(tmp_path / "part1.parquet", row_group_size=500)
    return tmp_path


def scores(path, frame):
    model, card = load_model(path)
    return model.decision_function(frame), card


@pytest.mark.slow
@pytest.mark.parametrize("options", [["--memory", "1KB"], ["--cluster", "local"]])
def test_model_is_that_of_the_whole_table(uneven, folder, options, monkeypatch):
    moved = []
    own = shards.Shard.empty

    def counted(self, *args):
        moved.append(self._folder is not None)
        return own(self, *args)

    monkeypatch.setattr(shards.Shard, "empty", counted)
    words = ["-t", "label", "--method", "combo", "--rounds", "5"]
    table, parts = folder / "whole.parquet", folder / "part*.parquet"
    one, other = folder / "one.skops", folder / "other.skops"
    assert uneven(*["fit", str(table), *words, "--out", str(one)]).code == 0
    told = uneven(*["fit", str(parts), *words, *options, "--out", str(other)])
    assert told.code == 0
    assert "fitted on 315 rows" in told.out
    frame = pd.read_parquet(table).drop(columns="label")
    (there, card), (here, _) = scores(other, frame), scores(one, frame)
    np.testing.assert_array_equal(there, here)
    assert card.class_counts == [200, 25, 90]
    assert all(moved) if "--memory" in options else not moved


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--memory", "much"], "give a size such as 4GB"),
        (["--cluster", "local", "--stack"], "one method without options"),
        (["--cluster", "local", "--method", "random_forest"], "needs all rows in memory"),
        (["--memory", "4GB", "--method", "uneven"], "learns fewer than 20000 rows in memory"),
    ],
)
def test_what_cannot_be_done_is_said_in_a_line(uneven, folder, words, message):
    told = uneven(*["fit", str(folder / "whole.parquet"), "-t", "label", *words])
    assert told.code == 2
    assert message in " ".join(told.err.split())


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda frame: frame.drop(columns="b"), "part1.parquet has no column 'b'"),
        (lambda frame: frame.astype({"b": str}), "Field b has incompatible types"),
    ],
)
def test_files_with_other_columns_are_refused(uneven, folder, change, message):
    path = folder / "part1.parquet"
    change(pd.read_parquet(path)).to_parquet(path)
    told = uneven(*["fit", str(folder / "part*.parquet"), "-t", "label", "--memory", "1GB"])
    assert told.code == 2
    assert message in "".join(told.err.split("\n"))


def test_whole_numbers_in_one_file_and_fractions_in_another(uneven, folder):
    """As pandas writes columns of whole numbers that have missing values."""
    for k, numbers in enumerate([np.arange(150), np.where(np.arange(165) % 9, 1.0, np.nan)]):
        path = folder / f"part{k}.parquet"
        pd.read_parquet(path).assign(b=numbers).to_parquet(path)
    words = ["-t", "label", "--method", "combo", "--rounds", "2", "--memory", "1GB"]
    told = uneven("fit", str(folder / "part*.parquet"), *words, "--out", str(folder / "m.skops"))
    assert told.code == 0
    assert "fitted on 315 rows" in told.out


def test_other_files_are_refused(uneven, folder):
    (folder / "table.csv").write_text("a,label\n1,x\n")
    told = uneven(*["fit", str(folder / "table.csv"), "-t", "label", "--memory", "1GB"])
    assert told.code == 2
    assert "is no Parquet file" in " ".join(told.err.split())


@pytest.mark.parametrize("scheme", ["", "file://"])
def test_patterns_of_paths_and_addresses(folder, scheme):
    found = parquet_files([Path(f"{scheme}{folder}/part*.parquet")])
    assert found == [f"{scheme}{folder}/part{k}.parquet" for k in (0, 1)]
    rows = ParquetRows(found, "label")
    assert rows.n_rows == 315
    assert len(rows.blocks[0].read()[1]) == 40


def test_files_that_are_not_there_are_refused(folder):
    with pytest.raises(InputError, match=r"none\*: there is no such file"):
        parquet_files([folder / "none*"])


def test_sizes():
    assert parse_size("4GB") == 4 * 10**9
    assert parse_size("800 M") == 800 * 10**6
