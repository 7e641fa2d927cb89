from __future__ import annotations

import json
import os
import random
import warnings

import numpy as np
import pytest

from tests.cli.conftest import files_in
from uneven.comparison import default_methods
from uneven.comparison.results import Comparison
from uneven.persistence.model_file import load_model

QUICK = ("--target", "label", "--cv", 3, "--rounds", 6, "--n-jobs", 1)
TWO = ("--methods", "combo,logistic_regression")


def load_results(folder):
    return Comparison.from_json((folder / "results.json").read_text(encoding="utf-8"))


@pytest.mark.slow
def test_happy_path_writes_report_results_and_model(uneven, table, tmp_path, frame):
    before = files_in(tmp_path)
    done = uneven("compare", table, *QUICK, "--views", "prefix", "--out", "out")
    assert done.code == 0, done.err
    written = {"report.html", "results.json", "model.skops", "schema.toml", "predictions.parquet"}
    assert files_in(tmp_path) - before == {"out", *(f"out/{name}" for name in written)}
    results = load_results(tmp_path / "out")
    assert [m.name for m in results.methods] == default_methods(several_views=True)
    assert results.data.views == {
        "sound": ["sound__pitch", "sound__noise"],
        "text": ["text__word", "text__length"],
    }
    counts = frame["label"].value_counts().sort_index()
    assert dict(zip(results.data.classes, results.data.class_counts)) == counts.to_dict()
    for method in results.methods:
        assert not method.errors
        assert np.sum(method.confusion) == len(frame)
        assert np.sum(method.confusion, axis=1).tolist() == counts.tolist()
        assert all(np.isfinite(method.scores[m.name]).all() for m in results.measures)
    assert results.command.startswith("uneven compare")
    assert len(results.data.sha256) == 64


def test_scores_agree_with_the_pooled_confusion(uneven, table, tmp_path):
    assert uneven("compare", table, *QUICK, *TWO).code == 0
    results = load_results(tmp_path / "uneven-report")
    for method in results.methods:
        confusion = np.array(method.confusion)
        assert np.mean(method.scores["accuracy"]) == pytest.approx(
            np.trace(confusion) / confusion.sum()
        )


@pytest.mark.slow
def test_curves_and_shares_of_our_methods(uneven, table, tmp_path):
    done = uneven("compare", table, *QUICK, *TWO, "--views", "prefix", "--metric", "gmean")
    assert done.code == 0
    ours, baseline = load_results(tmp_path / "uneven-report").methods
    assert set(ours.curves) == {"edge", "weight", "log_loss", "held_out"}
    assert {len(values) for values in ours.curves.values()} == {6}
    assert ours.curves["held_out"][-1] == pytest.approx(ours.scores["gmean"][0])
    assert ours.view_share.names == ["sound", "text"]
    assert np.sum(ours.view_share.values, axis=0) == pytest.approx(1.0)
    assert baseline.curves == {}
    assert baseline.view_share is None


@pytest.mark.slow
def test_same_seed_same_numbers_other_seed_other_numbers(uneven, table, tmp_path):
    scores = []
    for name, seed in (("a", 1), ("b", 1), ("c", 2)):
        assert uneven("compare", table, *QUICK, *TWO, "--seed", seed, "--out", name).code == 0
        scores.append([m.scores for m in load_results(tmp_path / name).methods])
    assert scores[0] == scores[1]
    assert scores[0] != scores[2]


def test_best_model_is_saved_and_predicts(uneven, table, tmp_path, frame):
    assert uneven("compare", table, *QUICK, *TWO).code == 0
    results = load_results(tmp_path / "uneven-report")
    _, card = load_model(tmp_path / "uneven-report" / "model.skops")
    assert card.method == results.winner.name
    done = uneven("predict", "uneven-report/model.skops", table)
    assert done.code == 0
    lines = done.out.splitlines()
    assert lines[0] == "predicted_label"
    assert np.mean(np.array(lines[1:]) == frame["label"]) > 0.8


def test_table_is_plain_text_without_terminal(uneven, table):
    done = uneven("compare", table, *QUICK, *TWO)
    assert "\x1b" not in done.out + done.err
    assert "confusion norm" in done.out
    assert "* " in done.out
    assert "±" in done.out
    assert "CoMBo: 3 fits" in done.err


@pytest.mark.slow
def test_parquet_repeats_and_view_file(uneven, frame, tmp_path):
    frame.to_parquet(tmp_path / "table.parquet")
    (tmp_path / "views.toml").write_text(
        '[views]\nheard = "sound__*"\nread = ["text__word", "text__length"]\n', encoding="utf-8"
    )
    extra = ("--views", "views.toml", "--repeats", 2, "--methods", "combo")
    assert uneven("compare", "table.parquet", *QUICK, *extra).code == 0
    results = load_results(tmp_path / "uneven-report")
    assert list(results.data.views) == ["heard", "read"]
    assert len(results.methods[0].scores["gmean"]) == 6


def test_rows_without_label_and_id_columns_are_reported(uneven, frame, tmp_path):
    frame.insert(0, "patient", [f"p{i}" for i in range(len(frame))])
    frame.loc[7, "label"] = None
    frame.to_csv(tmp_path / "table.csv", index=False)
    done = uneven("compare", "table.csv", *QUICK, "--methods", "combo")
    assert done.code == 0
    assert "1 of 90 rows has no value in 'label'" in done.err
    assert "column 'patient' holds a different text in every row" in done.err
    results = load_results(tmp_path / "uneven-report")
    assert results.data.rows == 89
    assert results.data.columns == 4
    assert len(results.warnings) == 2


def test_existing_folder_keeps_other_files(uneven, table, tmp_path):
    folder = tmp_path / "out"
    folder.mkdir()
    (folder / "mine.txt").write_text("kept")
    (folder / "report.html").write_text("old")
    assert uneven("compare", table, *QUICK, "--methods", "combo", "--out", "out").code == 0
    written = {"report.html", "results.json", "model.skops", "schema.toml", "predictions.parquet"}
    assert files_in(folder) == {"mine.txt", *written}
    assert (folder / "mine.txt").read_text() == "kept"
    assert (folder / "report.html").read_text() != "old"


def test_interruption_leaves_nothing_behind_but_finished_fits(uneven, table, tmp_path, monkeypatch):
    from uneven.cli import compare

    before = files_in(tmp_path)

    def interrupt(*_args, **_kwargs):
        raise KeyboardInterrupt

    monkeypatch.setattr(compare, "write_report", interrupt)
    done = uneven("compare", table, *QUICK, "--methods", "combo", "--out", "new/out")
    assert done.code == 130
    assert "interrupted" in done.complaint
    left = files_in(tmp_path) - before
    assert {name for name in left if not name.endswith(".npz")} == {
        "new",
        "new/out",
        "new/out/folds",
    }


def test_failed_write_leaves_an_old_report_alone(uneven, table, tmp_path, monkeypatch):
    from uneven.cli import compare

    assert uneven("compare", table, *QUICK, "--methods", "combo").code == 0
    folder = tmp_path / "uneven-report"
    old = {path.name: path.read_bytes() for path in folder.iterdir()}

    def fail(*_args, **_kwargs):
        raise OSError(28, "No space left on device", "report.html")

    monkeypatch.setattr(compare, "write_report", fail)
    done = uneven("compare", table, *QUICK, "--methods", "combo", "--seed", 5)
    assert done.code == 2
    assert "No space left" in done.complaint
    assert {path.name: path.read_bytes() for path in folder.iterdir() if path.is_file()} == old


def test_a_failing_method_does_not_stop_the_others(uneven, table, tmp_path, monkeypatch):
    from sklearn.linear_model import LogisticRegression

    def fail(*_args, **_kwargs):
        raise ValueError("no luck")

    monkeypatch.setattr(LogisticRegression, "fit", fail)
    done = uneven("compare", table, *QUICK, *TWO)
    assert done.code == 0
    assert "failed in 3 fits: ValueError: no luck" in done.err
    results = load_results(tmp_path / "uneven-report")
    assert results.winner.name == "combo"
    assert [e.fold for e in results.methods[1].errors] == [0, 1, 2]


def test_all_methods_failing_is_an_error(uneven, table, tmp_path, monkeypatch):
    from sklearn.linear_model import LogisticRegression

    def fail(*_args, **_kwargs):
        raise ValueError("no luck")

    before = files_in(tmp_path)
    monkeypatch.setattr(LogisticRegression, "fit", fail)
    done = uneven("compare", table, *QUICK, "--methods", "logistic_regression")
    assert done.code == 2
    assert "every method failed" in done.complaint
    assert "no luck" in done.complaint
    assert files_in(tmp_path) == before


@pytest.mark.slow
def test_global_state_is_untouched(uneven, table):
    from threadpoolctl import threadpool_info

    def state():
        pools = sorted((p["filepath"], p["num_threads"]) for p in threadpool_info())
        return (
            list(warnings.filters),
            random.getstate(),
            np.random.get_state()[1].tolist(),  # noqa: NPY002
            pools,
            dict(os.environ),
        )

    words = ("--target", "label", "--cv", 2, "--rounds", 3)
    assert uneven("compare", table, *words).code == 0
    before = state()
    assert uneven("compare", table, *words).code == 0
    assert state() == before


@pytest.mark.slow
def test_demo_compares_on_the_embedded_table(uneven, tmp_path):
    done = uneven("compare", "--demo", "--methods", "combo", "--rounds", 5, "--cv", 2)
    assert done.code == 0, done.err
    results = load_results(tmp_path / "uneven-report")
    assert len(results.data.views) > 2
    assert results.data.imbalance_ratio > 5
    assert json.loads((tmp_path / "uneven-report/results.json").read_text())["best"] == "combo"


@pytest.mark.parametrize("out", ["o/[/red]", "o/[bold]x"])
def test_brackets_are_no_markup(uneven, tmp_path, frame, out):
    table = tmp_path / "[bold]t.csv"
    frame.rename(columns={"label": "[/red]"}).replace("rare", "[/b]").to_csv(table, index=False)
    words = ["-t", "[/red]", "--methods", "combo", "--rounds", 2, "--cv", 2, "--out", out]
    done = uneven("compare", table.name, *words)
    assert done.code == 0, done.err
    assert f"Report  {out}/report.html" in done.out
    assert "[bold]t.csv: 90 rows" in done.out
    assert (tmp_path / out / "model.skops").exists()
    shown = uneven("explain", f"{out}/model.skops")
    assert shown.code == 0, shown.err
    assert "[/b]" in shown.out
