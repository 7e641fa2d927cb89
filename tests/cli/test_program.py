"""The program as a process: entry points, help, missing extra, Ctrl-C."""

from __future__ import annotations

import io
import json
import os
import signal
import subprocess
import sys
import time
from itertools import pairwise

import pytest

import uneven as package
from tests.cli.conftest import files_in, make_frame
from uneven.active import RULES
from uneven.cli.app import app
from uneven.comparison import MEASURES, METHODS

COMMANDS = [str(command.name) for command in app.registered_commands]


def test_help_teaches(uneven):
    done = uneven("compare", "--help")
    assert done.code == 0
    for word in [*METHODS, *MEASURES, "uneven compare --demo", "Exit codes", "130"]:
        assert word in done.out
    done = uneven("noise", "--help")
    for word in ("--observed label --clean checked", "--annotators", "sums to 1", "Exit codes"):
        assert word in done.out
    assert 'pip install "uneven[onnx]"' in " ".join(uneven("export", "--help").out.split())


@pytest.mark.parametrize("width", [80, 100])
@pytest.mark.parametrize("command", COMMANDS)
def test_paragraphs_of_the_help_fill_the_terminal(uneven, monkeypatch, command, width):
    monkeypatch.setenv("COLUMNS", str(width))
    lines = [line.rstrip() for line in uneven(command, "--help").out.splitlines()]
    prose = lines[: next(i for i, line in enumerate(lines) if line.startswith(("╭", "+-")))]
    for line, following in pairwise(prose):
        if line and following and not line.endswith("\\"):
            assert len(f"{line} {following.split()[0]}") > width - 1, line


def test_names_may_be_typed_with_either_mark(uneven, table, tmp_path):
    done = uneven(
        "compare", table, "-t", "label", "--methods", "logistic-regression,random_forest",
        "--metric", "balanced-accuracy", "--measure", "macro-f1", "--cv", "2",
        "--out", tmp_path / "r",
    )  # fmt: skip
    assert done.code == 0, done.err
    found = json.loads((tmp_path / "r" / "results.json").read_text())
    assert found["metric"] == "balanced_accuracy"
    assert {one["name"] for one in found["methods"]} == {"logistic_regression", "random_forest"}
    assert not any("-" in name for name in [*METHODS, *MEASURES, *RULES])


def test_without_arguments_the_help_is_shown(uneven):
    done = uneven()
    assert done.code == 0
    for command in ("compare", "fit", "predict", "explain", "noise"):
        assert command in done.out


def test_version(uneven):
    assert uneven("--version").out.strip() == f"uneven {package.__version__}"


def test_unknown_command(uneven):
    done = uneven("comapre")
    assert done.code == 2
    assert "comapre" in done.complaint


def test_module_is_the_same_program():
    done = subprocess.run(
        [sys.executable, "-m", "uneven", "--version"], capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == f"uneven {package.__version__}"


def test_missing_extra_is_one_line(uneven, monkeypatch):
    import importlib.util

    known = importlib.util.find_spec
    monkeypatch.setattr(
        importlib.util, "find_spec", lambda name: None if name == "rich" else known(name)
    )
    done = uneven("compare", "--demo")
    assert done.code == 2
    assert 'pip install "uneven[cli]"' in done.complaint
    assert "rich" in done.complaint


@pytest.mark.slow
@pytest.mark.skipif(os.name != "posix", reason="sends SIGINT as a terminal does")
def test_ctrl_c_leaves_nothing_behind(tmp_path):
    make_frame(3000).to_csv(tmp_path / "t.csv", index=False)
    words = ["compare", "t.csv", "-t", "label", "--rounds", "100000", "--methods", "combo"]
    process = subprocess.Popen(
        [sys.executable, "-m", "uneven", *words],
        cwd=tmp_path,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        deadline = time.monotonic() + 300
        while len(files_in(tmp_path)) < 2 and time.monotonic() < deadline:
            time.sleep(0.05)
        assert len(files_in(tmp_path)) == 2
        time.sleep(0.5)
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=300)
    finally:
        process.kill()
    assert process.returncode == 130, err
    assert err.splitlines()[-1] == "uneven: interrupted; nothing was written."
    assert out == ""
    assert files_in(tmp_path) == {"t.csv"}


@pytest.mark.slow
def test_a_closed_pipe_is_no_failure(tmp_path, table, uneven):
    assert uneven("fit", table, "-t", "label", "--method", "combo", "-o", "m.skops").code == 0
    make_frame(20_000).to_csv(tmp_path / "long.csv", index=False)
    command = f"{sys.executable} -m uneven predict m.skops long.csv --proba | head -1"
    done = subprocess.run(command, shell=True, cwd=tmp_path, capture_output=True, text=True)
    assert done.stdout.startswith("predicted_label")
    assert "Traceback" not in done.stderr
    assert "BrokenPipe" not in done.stderr


@pytest.mark.slow
@pytest.mark.skipif(os.name != "posix", reason="pipes of a shell")
@pytest.mark.parametrize("words", ["--help", "explain m.skops", "predict m.skops table.csv"])
def test_every_command_ends_quietly_when_its_reader_leaves(tmp_path, table, uneven, words):
    assert uneven("fit", table, "-t", "label", "--method", "combo", "-o", "m.skops").code == 0
    reader, writer = os.pipe()
    os.close(reader)
    done = subprocess.run(
        [sys.executable, "-m", "uneven", *words.split()],
        cwd=tmp_path,
        stdout=writer,
        stderr=subprocess.PIPE,
        text=True,
    )
    os.close(writer)
    assert done.returncode == 141
    assert [line for line in done.stderr.splitlines() if not line.startswith("note: ")] == []


def test_ctrl_c_during_the_imports(uneven, monkeypatch):
    class Interrupt:
        def find_spec(self, name, path=None, target=None):
            if name == "uneven.cli.app":
                raise KeyboardInterrupt

    monkeypatch.delitem(sys.modules, "uneven.cli.app", raising=False)
    monkeypatch.setattr(sys, "meta_path", [Interrupt(), *sys.meta_path])
    done = uneven("--version")
    assert done.code == 130
    assert done.complaint == "interrupted; nothing was written."


def test_live_progress_counts_rounds(table, monkeypatch):
    from rich.console import Console

    from uneven import ComboClassifier
    from uneven.cli import terminal
    from uneven.cli.requests import TableRequest
    from uneven.comparison import Settings, choose_methods, fit_method
    from uneven.comparison.progress import Reporter

    console = Console(force_terminal=True, width=100, record=True, file=io.StringIO())
    monkeypatch.setattr(terminal, "stderr", lambda: console)
    problem = TableRequest(table, "label").load()
    seen = []
    with terminal.progress() as show:
        reporter = Reporter(lambda now: (seen.append((now.round, now.rounds)), show(now)), 1)
        fit_method(choose_methods(["combo"])[0], problem, Settings(rounds=4), reporter)
    rounds = [(1, 4), (2, 4), (3, 4), (4, 4)] * hasattr(ComboClassifier, "set_callbacks")
    assert seen == [(0, 0), *rounds, (0, 0)]
