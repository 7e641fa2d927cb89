"""Whole commands on disks that fail: what was there before stays whole, and one line says why."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.cli.conftest import files_in, make_frame

posix = pytest.mark.skipif(os.name != "posix", reason="limits and signals of POSIX")

LIMITED = """
import resource, signal, sys
from uneven.cli import main

signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (int(sys.argv.pop(1)),) * 2)
main()
"""
"""A command whose files cannot grow beyond a size, as on a full disk."""

COMPARE = ("compare", "table.csv", "-t", "label", "--methods", "combo", "--rounds", "3")
FIT = ("fit", "table.csv", "-t", "label", "--method", "combo", "--rounds", "3")


def limited(folder, size, *words):
    return subprocess.run(
        [sys.executable, "-c", LIMITED, str(size), *words],
        cwd=folder,
        capture_output=True,
        text=True,
    )


def contents(folder):
    return {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}


@posix
@pytest.mark.slow
@pytest.mark.parametrize(("words", "size"), [(FIT, 100), (COMPARE, 2000)])
def test_a_full_disk_leaves_the_old_results(uneven, table, tmp_path, words, size):
    out = ("--out", "model.skops" if words is FIT else "report")
    assert uneven(*words, *out).code == 0
    before = contents(tmp_path)
    done = limited(tmp_path, size, *words, *out)
    assert done.returncode == 2, done.stderr
    assert done.stderr.splitlines()[-1].startswith("uneven: ")
    assert "File too large" in done.stderr
    assert "Traceback" not in done.stderr
    assert contents(tmp_path) == before


@posix
@pytest.mark.parametrize("words", [FIT, COMPARE])
def test_a_folder_that_may_not_be_written_to_is_named_before_any_fit(
    uneven, table, tmp_path, monkeypatch, words
):
    closed = tmp_path / "closed"
    closed.mkdir()
    allowed = os.access

    def read_only(path, mode, **options):  # root may write anywhere, so the answer is set
        inside = Path(path).resolve().is_relative_to(closed)
        return not (inside and mode & os.W_OK) and allowed(path, mode, **options)

    monkeypatch.setattr(os, "access", read_only)
    done = uneven(*words, "--out", "closed/model.skops" if words is FIT else "closed/report")
    assert done.code == 2
    assert "may not be written to" in done.complaint
    assert files_in(closed) == set()


@posix
@pytest.mark.slow
def test_ctrl_c_twice_leaves_nothing_behind(tmp_path):
    make_frame(3000).to_csv(tmp_path / "table.csv", index=False)
    words = ("compare", "table.csv", "-t", "label", "--rounds", "100000", "--methods", "combo")
    process = subprocess.Popen(
        [sys.executable, "-m", "uneven", *words],
        cwd=tmp_path,
        stderr=subprocess.PIPE,
        text=True,
    )
    deadline = time.monotonic() + 120
    while len(files_in(tmp_path)) < 2 and time.monotonic() < deadline:
        time.sleep(0.05)
    process.send_signal(signal.SIGINT)
    time.sleep(0.01)
    process.send_signal(signal.SIGINT)
    _, complaint = process.communicate(timeout=120)
    assert process.returncode in (130, -signal.SIGINT)
    assert "Traceback" not in complaint
    assert not (tmp_path / "uneven-report" / "report.html").exists()


@posix
def test_ctrl_c_in_a_callback_of_c_code_is_not_lost(tmp_path):
    program = """
import ctypes, signal, time, uneven.cli, uneven.cli.app

@ctypes.CFUNCTYPE(None)
def called_from_c():
    signal.raise_signal(signal.SIGINT)

class HalfMade:
    def __del__(self):
        raise AttributeError("never set")

def work(arguments):
    called_from_c()
    HalfMade()
    time.sleep(60)

uneven.cli.app.invoke = work
raise SystemExit(uneven.cli.run([]))
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert done.returncode == 130
    assert done.stderr == "uneven: interrupted; nothing was written.\n"


@pytest.mark.slow
def test_two_runs_in_one_folder_leave_the_results_of_one(table, tmp_path):
    runs = [
        subprocess.Popen(
            [sys.executable, "-m", "uneven", *COMPARE, "--seed", seed, "--out", "report"],
            cwd=tmp_path,
            stderr=subprocess.PIPE,
            text=True,
        )
        for seed in ("1", "2")
    ]
    complaints = [run.communicate(timeout=300)[1] for run in runs]
    assert [run.returncode for run in runs] == [0, 0], complaints

    found = json.loads((tmp_path / "report" / "results.json").read_text())
    page = (tmp_path / "report" / "report.html").read_text()
    assert f"--seed {found['seed']}" in page
    assert {path.name for path in tmp_path.iterdir()} == {"table.csv", "report"}
