"""What ``make jitter`` moves, and what it leaves alone."""

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import scipy.sparse as sp

from tests.jitter import nudge


@pytest.mark.parametrize("seed", range(3))
def test_fractions_move_by_one_unit_in_the_last_place(seed):
    values = np.random.default_rng(seed).normal(size=(40, 25))
    moved = nudge(values, seed)
    steps = (moved - values) / np.spacing(np.abs(values))
    assert set(np.unique(np.sign(steps))) == {-1.0, 0.0, 1.0}
    assert np.abs(steps).max() <= 1.0
    assert np.array_equal(nudge(values.T, seed), moved.T)
    assert not np.array_equal(nudge(values, seed + 1), moved)
    assert np.array_equal(nudge(sp.csr_array(values), seed).toarray(), moved)


def test_whole_missing_and_other_values_stay():
    whole = np.array([0.0, -3.0, 1e300, np.nan, np.inf])
    assert np.array_equal(nudge(whole, 1), whole, equal_nan=True)
    assert nudge("text", 1) == "text"
    counts = np.arange(3)
    assert nudge(counts, 1) is counts


_SCRIPT = """
from tests import jitter
jitter.install(1)
import numpy as np
from sklearn.utils.validation import check_array
from uneven.linear import rows
X = np.random.default_rng(0).normal(size=(50, 1))
assert np.array_equal(check_array(X), X)
assert not np.array_equal(rows.row_norms(X), np.abs(X[:, 0]))
exact = np.exp(X)
jitter.roughen(1)
assert not np.array_equal(rows.np.exp(X), exact)
assert np.allclose(rows.np.exp(X), exact, rtol=1e-15)
"""


@pytest.mark.slow
def test_the_library_is_given_other_numbers_and_nobody_else():
    root = Path(__file__).parents[1]
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}
    done = subprocess.run(
        [sys.executable, "-c", _SCRIPT], cwd=root, env=environment, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr


def test_what_is_run_with_it_exists():
    root = Path(__file__).parents[1]
    command = next(
        line for line in (root / "Makefile").read_text().splitlines() if line.startswith("JITTERED")
    )
    for path in command.split("$(TESTED) ")[1].split():
        assert (root / path).exists(), path
