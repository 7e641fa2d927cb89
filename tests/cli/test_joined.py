"""``--on``: several tables on the command line."""

import numpy as np
import pandas as pd

from tests.comparison.test_joined import write_tables


def test_fit_and_predict_join_tables(uneven, tmp_path):
    folder = tmp_path / "tables"
    folder.mkdir()
    write_tables(folder)
    tables = [str(folder / "wind.csv"), str(folder / "sky.parquet")]
    model = tmp_path / "model.skops"
    words = ["--on", "id"]
    asked = ["fit", *tables, "-t", "kind", *words, "--method", "mucombo", "--rounds", "5"]
    done = uneven(*asked, "--out", str(model))
    assert done.code == 0, done.complaint
    done = uneven("predict", str(model), *tables, *words, "--out", str(tmp_path / "p.csv"))
    assert done.code == 0, done.complaint
    answers = pd.read_csv(tmp_path / "p.csv", dtype=str)
    assert set(answers["id"]) == {f"{k:03}" for k in range(80)}
    truth = np.array(["calm", "storm"])[answers["id"].astype(int) % 2]
    assert (answers["predicted_kind"] == truth).mean() > 0.75
    done = uneven("predict", str(model), tables[0])
    assert done.code == 2
    assert "Tables of views are joined with --on" in done.complaint


def test_a_view_without_a_table_is_missing(uneven, tmp_path):
    folder = tmp_path / "tables"
    folder.mkdir()
    write_tables(folder)
    model, out = tmp_path / "model.skops", tmp_path / "p.csv"
    fitted = ["fit", str(folder), "-t", "kind", "--on", "id", "--method", "mucombo"]
    done = uneven(*fitted, "--rounds", "5", "--out", str(model))
    assert done.code == 0, done.complaint
    wind = ["predict", str(model), str(folder / "wind.csv"), "--on", "id"]
    done = uneven(*wind, "--copy", "id", "--out", str(out))
    assert done.code == 0, done.complaint
    said = " ".join(done.err.split())
    assert "no table is given for the view 'sky': it is missing in every row" in said
    answers = pd.read_csv(out, dtype=str)
    truth = np.array(["calm", "storm"])[answers["id"].astype(int) % 2]
    assert (answers["predicted_kind"] == truth).mean() > 0.75
    later = folder / "later.csv"
    (folder / "wind.csv").rename(later)
    done = uneven("predict", str(model), str(later), "--on", "id")
    assert done.code == 2
    assert "here 'later'; the model knows 'sky', 'wind': rename the files" in done.complaint


def test_several_tables_need_a_key(uneven, tmp_path):
    write_tables(tmp_path)
    folder = tmp_path
    done = uneven("compare", str(folder / "wind.csv"), str(folder / "sky.parquet"), "-t", "kind")
    assert done.code == 2
    assert "name it with --on" in done.complaint


def test_errors_name_the_file_or_the_option(uneven, tmp_path):
    write_tables(tmp_path)
    (tmp_path / "README.txt").write_text("Winds and skies\nof a year\n")
    done = uneven("compare", str(tmp_path), "-t", "kind", "--on", "id")
    assert done.code == 2
    assert "README.txt: --on 'id' is not a column" in " ".join(done.complaint.split())
    done = uneven("compare", str(tmp_path), "-t", "kind")
    assert done.code == 2
    assert "with --on" in done.complaint
