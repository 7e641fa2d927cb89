"""Time limits, searches and stopped runs on the command line."""

from __future__ import annotations

import io
import json

import pytest

from tests.cli.conftest import files_in

QUICK = ["--target", "label", "--rounds", "3", "--cv", "3", "--n-jobs", "1", "--no-diagnosis"]
TWO = ["--methods", "combo,logistic_regression"]


def numbers(folder):
    """What was found, without times."""
    raw = json.loads((folder / "results.json").read_text())
    for key in ("created", "command"):
        raw.pop(key)
    for method in raw["methods"]:
        method.pop("fit_seconds")
        method.pop("predict_seconds")
    return raw


@pytest.mark.slow
def test_ctrl_c_says_how_to_go_on_and_resume_finds_the_same(uneven, table, tmp_path, monkeypatch):
    from uneven.comparison import crossval

    assert uneven("compare", table, *QUICK, *TWO, "--out", "whole").code == 0
    run_fold, asked = crossval._run_fold, []

    def interrupted(*words):
        asked.append(words[4][0])
        if len(asked) == 5:
            raise KeyboardInterrupt
        return run_fold(*words)

    monkeypatch.setattr(crossval, "_run_fold", interrupted)
    done = uneven("compare", table, *QUICK, *TWO, "--out", "again")
    assert done.code == 130
    assert "4 finished fits are kept in again/folds. To continue: uneven compare" in done.complaint
    assert done.complaint.endswith("--out again --resume")
    monkeypatch.setattr(crossval, "_run_fold", run_fold)
    asked.clear()
    monkeypatch.setattr(crossval, "_run_fold", lambda *w: (asked.append(w[4][0]), run_fold(*w))[1])
    assert uneven("compare", table, *QUICK, *TWO, "--out", "again", "--resume").code == 0
    assert asked == [1, 2]
    assert numbers(tmp_path / "again") == numbers(tmp_path / "whole")
    assert not (tmp_path / "again" / "folds").exists()


@pytest.mark.slow
@pytest.mark.parametrize("goal", [["--measure", "gmean"], ["--cost", "prices.csv"]])
def test_a_limited_run_for_a_goal_goes_on(uneven, table, tmp_path, goal):
    prices = "label,common,less,rare\ncommon,0,1,1\nless,2,0,2\nrare,5,5,0\n"
    (tmp_path / "prices.csv").write_text(prices)
    words = [table, *QUICK, "--methods", "logistic_regression", *goal]
    assert uneven("compare", *words, "--out", "whole").code == 0
    first = uneven("compare", *words, "--out", "again", "--time-limit", "0.001s")
    assert first.code == 0, first.err
    assert "1 of 3 folds" in first.err
    later = uneven("compare", *words, "--out", "again", "--time-limit", "1h", "--resume")
    assert later.code == 0, later.err
    assert numbers(tmp_path / "again") == numbers(tmp_path / "whole")


@pytest.mark.slow
def test_without_resume_everything_is_done_again(uneven, table, tmp_path, monkeypatch):
    from uneven.cli import compare
    from uneven.comparison import crossval

    def interrupt(*_):
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(compare, "write_report", interrupt)
        assert uneven("compare", table, *QUICK, *TWO).code == 130
    assert len(files_in(tmp_path / "uneven-report" / "folds")) == 6
    run_fold, asked = crossval._run_fold, []
    monkeypatch.setattr(crossval, "_run_fold", lambda *w: (asked.append(w[4][0]), run_fold(*w))[1])
    assert uneven("compare", table, *QUICK, *TWO).code == 0
    assert len(asked) == 6


def test_a_time_limit_and_a_search(uneven, table, tmp_path):
    done = uneven("compare", table, *QUICK, *TWO, "--tune", "3", "--time-limit", "1ms")
    assert done.code == 2
    assert "--time-limit 1ms: give a span of time" in done.complaint
    done = uneven("compare", table, *QUICK, *TWO, "--tune", "3", "--time-limit", "0.001s")
    assert done.code == 0
    assert "note: the time limit of 0 s was reached: 1 of 3 folds" in done.err
    assert "'Logistic regression' did not begin and is left out." in done.err
    assert "Tuned   CoMBo: " in done.out
    kept = json.loads((tmp_path / "uneven-report" / "results.json").read_text())
    assert kept["folds"] == 1
    assert len(kept["methods"][0]["tuned"]) == 1


@pytest.mark.parametrize("label", ["CoMBo", "[odd] label"])
def test_a_log_gets_a_line_per_minute(monkeypatch, label):
    from rich.console import Console

    from uneven.cli import terminal
    from uneven.comparison import Progress

    console = Console(width=100, file=io.StringIO())
    clock = iter(range(0, 10_000, 25))
    monkeypatch.setattr(terminal, "stderr", lambda: console)
    monkeypatch.setattr(terminal.time, "perf_counter", lambda: float(next(clock)))
    with terminal.progress() as show:
        for done in range(5):
            show(Progress(label, f"fold {done + 1} of 5", done, 10, left=300.0))
    lines = console.file.getvalue().splitlines()
    assert lines[0] == f"{label} fold 2 of 5: 1 of 10 fits, about 5 min left"
    assert lines[-1].startswith(f"{label}: 4 fits, ")


def test_a_terminal_shows_the_time_left(monkeypatch):
    from rich.console import Console

    from uneven.cli import terminal
    from uneven.comparison import Progress

    console = Console(force_terminal=True, width=120, file=io.StringIO())
    monkeypatch.setattr(terminal, "stderr", lambda: console)
    with terminal.progress() as show:
        show(Progress("CoMBo", "fold 2 of 5", 1.5, 10, 4, 8, left=42.0))
        show(Progress("CoMBo", "fold 3 of 5", 2, 10, left=7300.0))
    said = console.file.getvalue()
    assert "round 4/8, about 42 s left" in said or "about 2 h 2 min left" in said
