"""A server that is killed while it takes answers; more in ``benchmarks.labelling``."""

import os
import subprocess
import sys

import pytest

SCRIPT = """
import sys, tempfile
from pathlib import Path
from benchmarks.labelling import kill_server
print(*kill_server(6, Path(tempfile.mkdtemp())).values())
"""


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(os, "fork"), reason="kills processes that were forked")
def test_every_acknowledged_answer_is_there_once_after_kills():
    paths = os.pathsep.join(path for path in sys.path if path)
    found = subprocess.run(
        [sys.executable, "-c", SCRIPT],
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, "PYTHONPATH": paths},
    )
    acknowledged, missing, twice = map(int, found.stdout.split())
    assert acknowledged > 6
    assert (missing, twice) == (0, 0)
