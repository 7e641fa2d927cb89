"""Worker processes: no more than cores, and none that outlives who wants its result."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

import uneven
from uneven.utils import parallel
from uneven.utils.parallel import capped_jobs, thread_pool

WAITING = """
import os, sys, time
from uneven.utils.parallel import in_worker
from joblib import Parallel, delayed

def work(path):
    with open(path, "w") as file:
        file.write(str(os.getpid()))
    time.sleep(120)

jobs = [delayed(in_worker)(os.getpid(), work, f"{sys.argv[1]}/{k}") for k in range(2)]
Parallel(2)(jobs)
"""


def test_a_thousand_jobs_are_as_many_as_cores(monkeypatch):
    monkeypatch.setattr(parallel, "cpu_count", lambda: 3)
    assert capped_jobs(1000) == 3
    assert capped_jobs(-1, 1) == 1
    assert capped_jobs(None) is None
    with thread_pool(1000) as pool:
        assert pool.n_threads == 3


def test_many_jobs_give_the_same_stack(monkeypatch):
    monkeypatch.setattr(parallel, "cpu_count", lambda: 2)
    from sklearn.linear_model import LogisticRegression

    from uneven.stacking import RuleClassifier

    X = np.random.default_rng(0).normal(size=(30, 2))
    y = np.array([0, 1] * 15)
    members = [(str(k), LogisticRegression(C=1.0 + k)) for k in range(3)]
    alone = RuleClassifier(members, n_jobs=1).fit(X, y).predict_proba(X)
    many = RuleClassifier(members, n_jobs=1000).fit(X, y).predict_proba(X)
    np.testing.assert_array_equal(alone, many)


def alive(process):
    try:
        state = Path(f"/proc/{process}/stat").read_text().rsplit(")", 1)[1].split()[0]
    except FileNotFoundError:
        return False
    return state != "Z"


@pytest.mark.slow
@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="looks into /proc")
def test_workers_end_with_the_process_that_started_them(tmp_path):
    source = str(Path(uneven.__file__).parents[1])
    parent = subprocess.Popen(
        [sys.executable, "-c", WAITING, str(tmp_path)], env={**os.environ, "PYTHONPATH": source}
    )
    try:
        wait_for(lambda: len([f for f in tmp_path.iterdir() if f.read_text()]) == 2, 100)
        workers = [int(file.read_text()) for file in tmp_path.iterdir()]
        assert all(alive(worker) for worker in workers)
    finally:
        parent.send_signal(signal.SIGKILL)
        parent.wait()
    wait_for(lambda: not any(alive(worker) for worker in workers), 60)


def wait_for(what, seconds):
    end = time.monotonic() + seconds
    while not what():
        assert time.monotonic() < end
        time.sleep(0.1)
